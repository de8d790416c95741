"""Identity of a contest, on which its results depend: the code that plays, and the agents."""

from __future__ import annotations

import importlib.util
import os
import shlex
from collections.abc import Mapping
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import sackarmies_agents
import sackarmies_env
from sackarmies_agents.factory import KINDS, parse_agent
from sackarmies_agents.line_agent import LINE
from sackarmies_agents.python_file import find_file, imported_files
from sackarmies_env.core.cache_folder import CORE, GAMES, source_digest
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import printable, shorten
from sackarmies_env.core.safe_read import named
from sackarmies_training.files import digest_of

AGENTS_FOLDER = Path(sackarmies_agents.__file__).parent
AGENTS = "agents"  # key of an identity with the identity of each agent by its name
RULES = "rules"  # key with a digest of the configured game, or with one for each number of players
MAX_SHOWN = 80  # characters of a value in a message
TRAINING_FOLDER = Path(__file__).parent
# Options of built-in agents whose files have their own keys in an identity, and `log`, which names a file to write.
HASHED = ("path", "weights", "evaluation", "prior", "file", "log")
SETS = tuple(path.stem for path in sorted(AGENTS_FOLDER.glob("scripted/*/weight_sets/*.toml")))
# Options of built-in agents that name files, and the words that they understand before they look for a file.
FILE_OPTIONS: dict[str, tuple[str, ...]] = {
    "path": (),
    "weights": SETS,
    "evaluation": (),
    "prior": ("trained", "policy"),
    "models": ("trained", *SETS),
    "file": (),
    "log": (),
    "folder": (),  # the only one that names a folder
}


@cache  # reading them takes 20 ms, and a process keeps the code it has loaded when files change
def code_digest() -> str:
    """Return a digest of the sources of the rules and of the built-in agents, including their weights."""
    weights = [path for kind in ("*.toml", "*.npz", "*.safetensors") for path in sorted(AGENTS_FOLDER.rglob(kind))]
    return source_digest([CORE, GAMES, AGENTS_FOLDER, *weights])


@cache
def training_digest() -> str:
    """Return a digest of the sources of this package: results of training depend on it besides `code_digest`."""
    return source_digest([TRAINING_FOLDER])


def check_same(folder: Path, other: str, identity: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse a folder whose content depends on something else than `identity`.

    Args:
        folder: folder of the results.
        other: what such a folder holds, for the message: "another ladder".
        identity: what results depend on here.
        found: what the results in the folder depended on.

    Raises:
        ValueError: there is a difference; the message names the first one.
    """
    for key, value in identity.items():
        if found.get(key) != value:
            raise ValueError(
                f"{named(folder)} holds {other}: {_difference(key, found.get(key), value)}; choose another folder, or "
                "remove that one"
            )


def _difference(key: str, found: Any, here: Any) -> str:
    """Return how the values of a key differ: of tables, which are long, the first entry that does."""
    if not isinstance(found, Mapping) or not isinstance(here, Mapping):
        if key == RULES:
            return "its rules, armies or scenario differ"
        return f"its {key} is {shown(found)}, here it is {shown(here)}"
    entry = _first_difference(found, here)
    if key == RULES:
        return f"its rules, armies or scenario for {printable(entry)} players differ"
    if key != AGENTS:
        return _difference(f"{key}.{entry}", found.get(entry), here.get(entry))
    if entry not in here:
        return f"{printable(entry)} is one of its agents, but not one of those here"
    if entry not in found:
        return f"{printable(entry)} is not one of its agents"
    change = changed_agent(found[entry], here[entry])
    return f"the agent {printable(entry)} is not the one that began: {change}"


def changed_agent(found: Any, here: Mapping[str, str]) -> str:
    """Return the first difference between two results of `agent_identity`; `found` is from a file."""
    if not isinstance(found, Mapping):
        return f"it was {shown(found)}, here it is {shown(here)}"
    key = _first_difference(found, here)
    if "sha256" in key:
        part = key.removeprefix("sha256 of ").removesuffix("_sha256").replace("sha256", "file")
        return f"its {printable(part)} has changed"
    return f"its {printable(key)} was {shown(found.get(key))}, here it is {shown(here.get(key))}"


def _first_difference(found: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    both = found.keys() & here.keys()  # a file may hold keys without a value
    return next(key for key in (*here, *found) if key not in both or found[key] != here[key])


def shown(value: object) -> str:
    """Return a value of an identity as messages show it."""
    return shorten(printable(value), MAX_SHOWN)


def game_identity(game: Game) -> dict[str, str]:
    """Return the part of a game that `code_digest` does not cover: its sources, if it is from another package."""
    module = game.build.__module__
    package = module.partition(".")[0]
    source = None if package == sackarmies_env.__name__ else find_source(package) or find_source(module)
    return {} if source is None else {"game_source": source_digest([source])}


def agent_identity(text: str) -> dict[str, str]:
    """Return the identity of an agent: its kind, its options, and the content of the files they name.

    For a program, these are the files that words of its command name; for a Python file, also those that it imports
    from its folder.

    Raises:
        ValueError: the text names no agent, or its file cannot be read.
    """
    spec = parse_agent(text)
    known = {option: value for option, value in spec.options.items() if option in KINDS[spec.name].options}
    identity = {"kind": spec.name, **spec.options}
    if "path" in known:
        identity["sha256"] = digest_of(Path(known["path"]))
    if is_file(known.get("weights", "")):
        identity["sha256"] = digest_of(Path(known["weights"]))
    for option in ("evaluation", "prior"):
        if is_file(known.get(option, "")):
            identity[f"{option}_sha256"] = digest_of(Path(known[option]))
    for option, value in spec.options.items():
        if option not in known or option not in HASHED:
            names = named_files(spec.name, option, value)
            identity |= {f"sha256 of {option} {name}": digest_of(Path(name)) for name in names}
    if "file" in spec.options:
        find_file(spec.options["file"])  # may refuse it
        file = Path(spec.options["file"])
        identity["sha256 of source"] = source_digest([file])
        modules = {path.relative_to(file.resolve().parent).as_posix(): path for path in imported_files(file)}
        identity |= {f"sha256 of module {name}": digest_of(path) for name, path in modules.items()}
    elif spec.name == LINE:
        place = Path(spec.options.get("folder", "."))
        words = [word for word in shlex.split(spec.options["command"]) if is_file(place / word)]
        identity |= {f"sha256 of {word}": digest_of(place / word) for word in words}
    elif "class" in spec.options:
        source = find_source(spec.options["class"].partition(":")[0])
        if source is not None:
            identity["sha256 of source"] = source_digest([source])
    return identity


def may_name_files(kind: str, option: str) -> bool:
    """Return whether an option of an agent of this kind may name files; any option of the agent's own may."""
    return option in FILE_OPTIONS or option not in KINDS[kind].options


def named_files(kind: str, option: str, value: str, folder: Path = Path()) -> list[str]:
    """Return the files that an option of an agent names: its whole value, or parts of it joined by `+`.

    Args:
        kind: kind of the agent, as in `AgentSpec`.
        option: name of the option.
        value: value of the option.
        folder: folder that names are relative to; by default the working directory.
    """
    if not may_name_files(kind, option):
        return []
    words = FILE_OPTIONS[option] if option in KINDS[kind].options else ()
    names = [value] if is_file(folder / value) else value.split("+")
    return [name for name in names if name not in words and is_file(folder / name)]


def is_file(name: str | Path) -> bool:
    """Return whether a text names a file; any text is allowed, even one too long for a name, or with a NUL."""
    return os.path.isfile(name)  # Path.is_file may raise OSError for such texts


def find_source(module: str) -> Path | None:
    """Return the file of a module or the folder of a package; None if there is neither. Nothing is imported."""
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top) if top else None
        for part in rest:
            if spec is None or spec.submodule_search_locations is None:
                return None
            # Without its parent's name: a namespace package would look for the parent among imported modules.
            spec = PathFinder.find_spec(part, list(spec.submodule_search_locations))
    except (ImportError, ValueError):  # a module without a specification, such as __main__
        return None
    if spec is None or not spec.has_location or spec.origin is None:
        return None
    path = Path(spec.origin)
    path = path.parent if spec.submodule_search_locations else path
    return path if path.exists() else None
