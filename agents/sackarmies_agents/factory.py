"""Agents by name: `"random"`, `"greedy"`, `"ppo:path=runs/quick/checkpoint.safetensors,deterministic=true"`.

Options are separated by commas; a comma inside a value is written as a backslash and a comma.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.conduct import Misconduct, guarded
from sackarmies_agents.python_file import find_file, missing_neighbor, module_in
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr, suggestion

BETWEEN_OPTIONS = re.compile(r"(?<!\\),")
TRUE_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class AgentSpec:
    """Parsed text form of an agent: the name of its kind, and its options."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AgentKind:
    """A kind of agent that the factory can make.

    Attributes:
        make: makes an agent from what is known of the game and from the given options.
        options: option name -> what it means and which values it takes.
        required: options that must be given.
        takes_others: whether other options are passed on to the agent instead of being refused.
        doc: one line for lists.
    """

    make: Callable[[GameInfo, Mapping[str, str]], Agent]
    options: Mapping[str, str]
    doc: str
    required: tuple[str, ...] = ()
    takes_others: bool = False


def parse_agent(text: str) -> AgentSpec:
    r"""Parse `name` or `name:key=value,key=value`; a comma in a value is written `\,`.

    Raises:
        ValueError: the name or an option is unknown, an option is missing, or the text does not have this form.
    """
    if not isinstance(text, str):
        raise ValueError(f"an agent must be a string such as 'greedy', not {short_repr(text)}")
    name, _, rest = text.strip().partition(":")
    kind = KINDS.get(name)
    if kind is None:
        raise ValueError(f"unknown agent {short_repr(name)}{suggestion(name, KINDS)}: known are {', '.join(KINDS)}")
    options: dict[str, str] = {}
    for part in BETWEEN_OPTIONS.split(rest) if rest else []:
        key, equals, value = (piece.strip().replace("\\,", ",") for piece in part.partition("="))
        if not equals or not value:
            raise ValueError(f"agent {short_repr(text)}: {short_repr(part)} is not of the form key=value")
        if key not in kind.options and not kind.takes_others:
            allowed = ", ".join(kind.options) or "none"
            near = suggestion(key, kind.options)
            raise ValueError(f"agent {short_repr(text)} has no option {short_repr(key)}{near}: {name} takes {allowed}")
        if key in options:
            raise ValueError(f"agent {short_repr(text)} gives the option {key!r} twice")
        options[key] = value
    for key in kind.required:
        if key not in options:
            raise ValueError(f"agent {short_repr(text)} needs the option {key!r}: {kind.options[key]}")
    return AgentSpec(name, options)


def escaped(value: str) -> str:
    r"""Escape the value of an option for the text form of an agent: each comma becomes `\,`."""
    return value.replace(",", "\\,")


def make_agent(text: str, info: GameInfo) -> Agent:
    """Make an agent from its text form.

    Args:
        text: `name` or `name:key=value,...`.
        info: the game that it will play.

    Raises:
        ValueError: see `parse_agent`; also an option with an impossible value, a checkpoint for another game, or a
            library that is not installed.
    """
    spec = parse_agent(text)
    return KINDS[spec.name].make(info, spec.options)


def make_opponent(text: str, game: Game) -> Agent:
    """Make an agent for the environments, which find this function through the entry point "sackarmies_env.agents".

    Args:
        text: as for `make_agent`.
        game: the game that it will play.

    Raises:
        ValueError: see `make_agent`.
    """
    return make_agent(text, GameInfo.of(game))


def checked_advice(text: str) -> str:
    """Return `text`, the text form of an agent whose choice is an input of a network ("" for none), unchanged.

    Raises:
        ValueError: the agent is not `greedy`. A checkpoint names this agent, and must not make other code run.
    """
    if text and parse_agent(text).name != "greedy":
        raise ValueError(f"advice is {short_repr(text)}, but it can only come from 'greedy'")
    return text


def parse_flag(options: Mapping[str, str], key: str, *, default: bool) -> bool:
    """Return a true-or-false option, or `default` if it is not given.

    Raises:
        ValueError: the value is neither.
    """
    if key not in options:
        return default
    value = TRUE_WORDS.get(options[key].lower())
    if value is None:
        raise ValueError(f"option {key}={short_repr(options[key])}: allowed are true and false")
    return value


def _make_random(info: GameInfo, options: Mapping[str, str]) -> Agent:
    from sackarmies_agents.scripted.random_agent import RandomAgent

    return RandomAgent()


def _make_greedy(info: GameInfo, options: Mapping[str, str]) -> Agent:
    make = find_hook(info.game_id, "greedy")
    if make is None:
        others = ", ".join(name for name in KINDS if name != "greedy")
        raise ValueError(f"there is no greedy agent for the game {info.game_id!r}: it has {others}")
    if options and "weights" not in inspect.signature(make).parameters:
        raise ValueError(f"the greedy agent of the game {info.game_id!r} has no weights to choose")
    agent: Agent = make(info, **options)
    return agent


def _make_search(info: GameInfo, options: Mapping[str, str]) -> Agent:
    from sackarmies_agents.search.agent import make_search

    return make_search(info, options)


def _make_ppo(info: GameInfo, options: Mapping[str, str]) -> Agent:
    return _load_trained(options["path"], info, options, deterministic=False)


def _make_trained(info: GameInfo, options: Mapping[str, str]) -> Agent:
    path = find_hook(info.game_id, "trained")
    if path is None:
        raise ValueError(f"no trained agent comes with the game {info.game_id!r}: train one, and give ppo:path=FILE")
    return _load_trained(path, info, options, deterministic=True)


def _load_trained(path: str | Path, info: GameInfo, options: Mapping[str, str], *, deterministic: bool) -> Agent:
    from sackarmies_agents.learned.load import load_agent

    chosen = parse_flag(options, "deterministic", default=deterministic)
    return load_agent(path, info, deterministic=chosen, device=options.get("device", "cpu"))


def _make_line(info: GameInfo, options: Mapping[str, str]) -> Agent:
    from sackarmies_agents.line_agent import make_line

    return make_line(info, options)


def _make_python(info: GameInfo, options: Mapping[str, str]) -> Agent:
    place = options["class"]
    form = "Class, with file=FILE.py" if "file" in options else "module:Class"
    module, colon, name = place.rpartition(":")
    is_formed = not colon if "file" in options else bool(module)
    try:
        source = _import(module, options.get("file")) if is_formed else None
    except ValueError as error:
        raise ValueError(f"class={short_repr(place)}: {error}") from error.__cause__
    kind = getattr(source, name, None)
    if not (isinstance(kind, type) and issubclass(kind, Agent)):
        raise ValueError(
            f"class={short_repr(place)}: not a subclass of sackarmies_agents.Agent; expected the form {form}"
        )
    own = {key: read_value(value) for key, value in options.items() if key not in KINDS["python"].options}
    try:
        return guarded(lambda: kind(info, **own))  # type: ignore[call-arg] # how agents of one's own are made
    except Misconduct as fault:
        raise ValueError(f"class={short_repr(place)}: making the agent {fault}") from fault.__cause__


def _import(module: str, file: str | None) -> ModuleType:
    """Import the module or the file of an agent.

    Raises:
        ValueError: there is no such Python file, or importing it raised an exception, which is the cause.
    """
    path = None if file is None else find_file(file)
    try:
        return guarded(lambda: importlib.import_module(module) if path is None else module_in(path))
    except Misconduct as fault:
        hint = "" if path is None else missing_neighbor(fault.__cause__, path.parent)
        raise ValueError(f"importing {short_repr(file or module)} {fault}{hint}") from fault.__cause__


def read_value(text: str) -> bool | int | float | str:
    """Return the value of an option: true or false, a number, or the text itself."""
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


KINDS: dict[str, AgentKind] = {
    "random": AgentKind(_make_random, {}, "every legal action is equally likely"),
    "greedy": AgentKind(
        _make_greedy,
        {"weights": "the tuned ones by default; first: those of the first release; or a TOML file"},
        "the scripted agent of the game, if it has one",
    ),
    "search": AgentKind(
        _make_search,
        {
            "level": "fast, medium (default) or strong: at most 100, 310 or 950 playouts by default; strong makes 310, "
            "of 18 turns with more than two players, and with two played on by trained, where that plays the game and "
            "neither models nor prior=policy is given",
            "playouts": "number of playouts for a decision; with ms, the largest number",
            "ms": "wall-clock milliseconds that a decision may take",
            "horizon": "number of turns that a playout goes beyond the current one; 6, or fewer with a short ms",
            "valued": "number of last turns of a playout at whose ends the position is evaluated",
            "gate": "standard errors by which a choice must be better than the prior's to be taken instead",
            "optimism": "standard errors that a choice may be better than it looks; hopeless ones are dropped early",
            "trust": "how many worlds the prior expectation of a choice counts for",
            "caution": "what choices other than the prior's are expected to lose",
            "unit": "what a difference of one in the prior's scores counts as",
            "plans": "plans of a whole action of which later choices are varied; 0: single choices are compared",
            "threads": "number of threads, at most 64",
            "evaluation": "file of weights for what positions are worth, as sackarmies fit-evaluation writes it",
            "prior": "the agent whose choice must be beaten: trained, a checkpoint, or policy, the first of models; "
            "by default trained, where it plays the game and no models are given",
            "models": "the players of playouts, joined by +: weights, trained or a checkpoint; the first plays for the "
            "searching agent, opponents draw any",
        },
        "plays each choice on in states that may be the true one, if the game supports that",
    ),
    "trained": AgentKind(
        _make_trained,
        {
            "deterministic": "true (default): the likeliest action; false: drawn from the policy",
            "device": "where its network runs, such as cpu (default) or cuda",
        },
        "the trained agent that comes with the game, if there is one",
    ),
    "ppo": AgentKind(
        _make_ppo,
        {
            "path": "a checkpoint file written by `sackarmies train`",
            "deterministic": "true: the likeliest action; false (default): drawn from the policy",
            "device": "where its network runs, such as cpu (default) or cuda",
        },
        "an agent of your own training",
        required=("path",),
    ),
    "python": AgentKind(
        _make_python,
        {
            "class": "module:Class, a subclass of sackarmies_agents.Agent; with a file, Class alone",
            "file": "a Python file that defines the class",
        },
        "an agent of your own, made with a GameInfo; other options are handed to it by name",
        required=("class",),
        takes_others=True,
    ),
    "line": AgentKind(
        _make_line,
        {
            "command": "a program and its arguments, quoted as for a shell, though none is run; a comma is written \\,",
            "folder": "where it runs; by default the working directory",
            "log": "a file that its stderr is appended to; by default that is discarded",
        },
        "a program in any language, asked by lines of JSON over stdin and stdout (docs/line_protocol.md)",
        required=("command",),
    ),
}
