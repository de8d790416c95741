"""Registered games and their hooks: what a game offers to environments, agents, training and documentation.

A hook is written as `module:attribute` and imported when it is used for the first time. So listing games imports none
of them, and lower layers (rendering, environments) find higher ones (agents, commands) without importing them.
"""

from __future__ import annotations

import functools
import importlib
import re
from dataclasses import dataclass, fields
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from sackarmies_env.core.messages import short_repr, suggestion

ENTRY_POINTS = "sackarmies_env.games"  # group under which installed packages name a `GameEntry` by its id
GAME_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
HOOK = re.compile(r"\w+(\.\w+)*:\w+(\.\w+)*")
PLAIN_FIELDS = ("id", "title", "player_noun", "players")  # all others are hooks


@dataclass(frozen=True)
class GameEntry:
    """A registered game. Only `id` and `make_game` are required; a game omits hooks that it does not need.

    Attributes:
        id: name of the game, words of lower-case letters and digits joined by underscores.
        make_game: `(**options) -> Game`.
        make_recorded_game: `(**options) -> Game` from plain data alone, for games whose options may name files. None:
            `make_game` reads no files.
        options: `(section) -> dict`, the options of `make_game` for a section `[game]` of a configuration, its `id`
            included, or for the command line, which gives `num_players` and `armies`. None: the keys of the section
            are these options.
        choices: mapping of the name of an option to a function that returns its built-in values, for lists and shells.
        padded: `(game, **sizes) -> (ObservationSpec, ActionSpace)`, a layout with room for other configurations, see
            `envs.padded`; the sizes are options of environments. None: there are no such options.
        load_scenario: `(source) -> dict`, a validated scenario as plain data. None: the game has no scenarios.
        picture: `(game, states, viewer) -> Drawable`, see `render.picture`. None: the viewer's observation is drawn as
            text.
        narrate: `(game, record) -> Iterator[str]`, a recorded game told line by line. None: the texts of its actions.
        log: `(game, before, action, after, viewers) -> list`, what each viewer is told of a ply, see `render.log`.
            None: the texts of actions, for those who may know them.
        table: subclass of the training package's `GameTable`, what human players are told and asked, and where all
            know that the game stops, which decides the frames of recorded games that seats see. None: the texts of
            actions, and a frame for each decision.
        legend: text on how to read the board in the terminal, for human players.
        hints: `(game) -> dict`, what agents are told about a game besides its sizes, see `GameInfo`: `network`,
            `num_types` and `radius`.
        potential: `(observation_spec, **weights) -> function of observations (n, size)` for reward shaping.
        greedy: `(info) -> Agent`, the scripted agent called "greedy".
        policy: `(game, variants) -> core.simulator.Policy`, which continues games in simulations: variants of the
            scripted agent, and trained agents where the game has them; without variants, the default scripted agent. A
            variant is a name, the path of a file, or what was read from it: a scripted agent, or a `Checkpoint`.
        evaluation: `(game, source) -> core.simulator.Evaluation`, the values that search gives to positions, with
            weights from `source`, a file or another evaluation; without it, the default ones.
        focus: `(states (n,)) -> (n,)` float64, the share of its usual effort that search spends on positions; 0: none.
        trained: path of the checkpoint of the trained agent that comes with the game.
        warmup: `(num_players or None) -> dict` of what is compiled separately: name -> list of options of `make_game`.
            None: one configuration stands for all.
        commands: `(app) -> None`, adds commands to the command line.
        responders: `() -> dict`, name -> what trains a best response to an agent, see `ladder.exploit.Responder`.
        docs: `() -> dict`, generated pages of documentation as file -> text.
        title: name of the game for people.
        player_noun: what a player is called, as in "Player 0 to decide".
        players: least and greatest number of players; None: `make_game` alone knows.
    """

    id: str
    make_game: str
    make_recorded_game: str | None = None
    options: str | None = None
    choices: str | None = None
    padded: str | None = None
    load_scenario: str | None = None
    picture: str | None = None
    narrate: str | None = None
    log: str | None = None
    table: str | None = None
    legend: str | None = None
    hints: str | None = None
    potential: str | None = None
    greedy: str | None = None
    policy: str | None = None
    evaluation: str | None = None
    focus: str | None = None
    trained: str | None = None
    warmup: str | None = None
    commands: str | None = None
    responders: str | None = None
    docs: str | None = None
    title: str = ""
    player_noun: str = "Player"
    players: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not GAME_ID.fullmatch(self.id):
            raise ValueError(f"game id {short_repr(self.id)}: it must be lowercase words joined by underscores")
        if not self.title:
            object.__setattr__(self, "title", self.id.replace("_", " ").capitalize())
        for name in HOOKS:
            hook = getattr(self, name)
            if (hook is not None or name == "make_game") and not (isinstance(hook, str) and HOOK.fullmatch(hook)):
                raise ValueError(
                    f"{name}={short_repr(hook)} of the game {self.id!r}: hooks are written 'module:attribute'"
                )

    def hook(self, name: str) -> Any:
        """Import and return what a hook names; None if the game does not have it.

        Raises:
            ValueError: its module has no such attribute.
        """
        reference: str | None = getattr(self, name)
        if reference is None:
            return None
        module, _, attributes = reference.partition(":")
        try:
            return functools.reduce(getattr, attributes.split("."), importlib.import_module(module))
        except AttributeError as error:
            raise ValueError(f"{name}={short_repr(reference)} of the game {self.id!r}: {error}") from None


HOOKS = tuple(field.name for field in fields(GameEntry) if field.name not in PLAIN_FIELDS)

_registered: dict[str, GameEntry] = {}


def add_entry(entry: GameEntry) -> None:
    """Register a game in this process, replacing any other with its id."""
    _registered[entry.id] = entry


@functools.cache
def _installed() -> dict[str, EntryPoint]:
    """Return the entry points of games of installed packages by name."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def game_ids() -> list[str]:
    """Return the ids of all games, those of installed packages included; none of them is imported."""
    return sorted({*_registered, *_installed()})


def environment_id_of(game_id: str) -> str:
    """Return the id of a game in Gymnasium and PettingZoo: "sackarmies_env/SackArmies-v0" for sack_armies."""
    return f"sackarmies_env/{''.join(word.capitalize() for word in game_id.split('_'))}-v0"


def entry_of(game_id: str) -> GameEntry:
    """Return the entry of a game.

    Raises:
        ValueError: there is no such game, or its entry point names something else.
    """
    entry = find_entry(game_id)
    if entry is None:
        known = game_ids()
        raise ValueError(
            f"unknown game {short_repr(game_id)}{suggestion(game_id, known)}: known are {', '.join(known)}"
        )
    return entry


def find_entry(game_id: object) -> GameEntry | None:
    """Return the entry of a game, None if there is none: a `Game` need not be registered.

    Raises:
        ValueError: its entry point names something else.
    """
    if not isinstance(game_id, str):
        return None
    if game_id not in _registered and game_id in _installed():
        entry = _installed()[game_id].load()
        if not isinstance(entry, GameEntry) or entry.id != game_id:
            raise ValueError(f"the entry point {game_id!r} of {ENTRY_POINTS!r} is not a GameEntry with this id")
        add_entry(entry)
    return _registered.get(game_id)


def find_hook(game_id: str, name: str) -> Any:
    """Return what a hook of a game names; None if the game does not have it or is not registered."""
    entry = find_entry(game_id)
    return None if entry is None else entry.hook(name)


def player_noun(game_id: str) -> str:
    """Return what the players of a game are called: "Player", in Sack Armies "General"."""
    entry = find_entry(game_id)
    return GameEntry.player_noun if entry is None else entry.player_noun


def player_name(game_id: str, seat: int) -> str:
    """Return what a player of a game is called: "Player 0", in Sack Armies "General 0"."""
    return f"{player_noun(game_id)} {seat}"
