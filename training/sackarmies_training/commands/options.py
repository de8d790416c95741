"""Arguments and options shared by several commands, and their completion in a shell."""

from __future__ import annotations

import errno
import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sackarmies_agents.factory import KINDS
from sackarmies_agents.limits import MOST_MEMORY
from sackarmies_env.core.entries import entry_of, find_hook, game_ids
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import suggestion
from sackarmies_env.core.safe_read import named
from sackarmies_env.registry import DEFAULT_GAME, load_players
from sackarmies_training.config import Place
from sackarmies_training.seeds import GAME_BITS


def completes(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return a completion function for a shell: it returns the words that begin with what was typed."""
    return lambda incomplete: [word for word in words() if word.startswith(incomplete)]


def completes_option(name: str) -> Callable[[typer.Context, str], list[str]]:
    """Return a completion function for a shell, for the built-in values of an option of the chosen game."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        values = (find_hook(ctx.params.get("game") or DEFAULT_GAME, "choices") or {}).get(name, list)
        return [value for value in values() if value.startswith(incomplete)]

    return complete


def agent_words() -> list[str]:
    """Return the beginnings of agents' text forms."""
    return [name + "".join(f":{option}=" for option in kind.required[:1]) for name, kind in KINDS.items()]


complete_agent = completes(agent_words)

OnOption = Annotated[
    Place,
    typer.Option(
        "--on",
        metavar="PLACE",
        help="Where to run: local, or ray for the Ray cluster at RAY_ADDRESS, or for a new local one if that is unset. "
        "Results are the same.",
    ),
]
REFEREE = "referee"
GameOption = Annotated[
    str, typer.Option("--game", metavar="ID", help="Which game.", autocompletion=completes(game_ids))
]
USUAL_PLAYERS = 2
PlayersOption = Annotated[
    int | None,
    typer.Option(
        "--players",
        "--generals",
        metavar="N",
        min=1,
        help=f"Number of players; {USUAL_PLAYERS} by default, or as many as in the scenario.",
        show_default=False,
    ),
]
ArmyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--army",
        metavar="ARMY",
        help="Army per player, a name or a file; repeat the option.",
        show_default=False,
        autocompletion=completes_option("armies"),
    ),
]
ScenarioOption = Annotated[
    str | None,
    typer.Option(
        "--scenario",
        metavar="SCENARIO",
        help="Begin with this position, a built-in scenario or a TOML file.",
        show_default=False,
        autocompletion=completes_option("scenario"),
    ),
]
ScenarioArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A built-in scenario or a TOML file.",
        show_default=False,
        autocompletion=completes_option("scenario"),
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, max=2**GAME_BITS - 1, help="Random seed of the game.")
]
PlaySeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        max=2**GAME_BITS - 1,
        help="Random seed of the game; 1 by default; with --web, random and secret.",
        show_default=False,
    ),
]
ContestSeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Random seed.")]
DrawnSeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="N", min=0, help="Random seed; drawn by default.", show_default=False)
]
ViewerOption = Annotated[
    str,
    typer.Option("--viewer", metavar="SEAT", help="Whose view is shown: a seat, or referee, who sees everything."),
]
WorkersOption = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of processes.")]
IsolateOption = Annotated[bool, typer.Option("--isolate", help="Run each agent in its own process.")]
TimeLimitOption = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", help="Time per decision; needs --isolate.", show_default=False),
]
TimeBankOption = Annotated[
    float | None,
    typer.Option(
        "--time-bank",
        metavar="SECONDS",
        help="Time per game beyond the time limit of decisions.",
        show_default=False,
    ),
]
TurnLimitOption = Annotated[
    float | None,
    typer.Option(
        "--turn-limit", metavar="SECONDS", help="Time per turn of the game; needs --isolate.", show_default=False
    ),
]
CpuLimitOption = Annotated[
    float | None,
    typer.Option(
        "--cpu-limit", metavar="SECONDS", help="Processor time per game; needs --isolate.", show_default=False
    ),
]
MemoryLimitOption = Annotated[
    int | None,
    typer.Option(
        "--memory-limit",
        metavar="MIB",
        min=1,
        max=MOST_MEMORY,
        help="Memory per agent; needs --isolate.",
        show_default=False,
    ),
]


def build_game(
    game_id: str, num_players: int | None, armies: list[str] | None, scenario: str | None = None, **options: Any
) -> Game:
    """Return the game that the options of a command ask for.

    Args:
        game_id: id of the game.
        num_players: number of players; None: as many as in the scenario, or 2 without one.
        armies: one per player; None or empty for the default ones.
        scenario: the position to begin with; None for that of the rules.
        options: further options of the game, such as `switches`.

    Raises:
        ValueError: the game is not for that many players, has no armies or no scenarios, needs another number of
            armies, or the scenario is invalid, or has other players or its own tokens in place of armies.
    """
    if scenario is not None:
        return _build_scenario(game_id, num_players, armies, scenario, options)
    num_players = USUAL_PLAYERS if num_players is None else num_players
    if not armies:
        return load_players(game_id, num_players, **options)
    check_has_armies(game_id, armies)
    if len(armies) != num_players:
        times = "once" if len(armies) == 1 else f"{len(armies)} times"
        noun = entry_of(game_id).player_noun
        raise ValueError(
            f"--army is given {times}, but {num_players} {noun}s play: give it once per {noun}, or not at all"
        )
    return load_players(game_id, num_players, armies=armies, **options)


def _build_scenario(
    game_id: str, num_players: int | None, armies: list[str] | None, scenario: str, options: dict[str, Any]
) -> Game:
    if armies:
        raise ValueError("--army and --scenario cannot be combined: a scenario has its own tokens")
    if not _has_option(game_id, "scenario"):
        raise ValueError(f"--scenario {scenario}: {entry_of(game_id).title} has no scenarios")
    return load_players(game_id, num_players, scenario=scenario, **options)


def check_has_armies(game_id: str, armies: Sequence[str]) -> None:
    """Refuse the armies of --army for a game without any.

    Raises:
        ValueError: some are given, but the game has no armies.
    """
    if armies and not _has_option(game_id, "armies"):
        raise ValueError(f"--army {armies[0]}: {entry_of(game_id).title} has no armies")


def _has_option(game_id: str, name: str) -> bool:
    return name in inspect.signature(entry_of(game_id).hook("make_game")).parameters


def viewer_seat(text: str, num_players: int) -> int | None:
    """Return the seat that --viewer names; None for the referee.

    Raises:
        ValueError: it names neither.
    """
    if text == REFEREE:
        return None
    if not text.isdecimal() or int(text) >= num_players:
        near = suggestion(text, [REFEREE])
        raise ValueError(
            f"--viewer {text} is not allowed{near}; allowed are {REFEREE} and the seats 0 to {num_players - 1}"
        )
    return int(text)


def check_apart(option: str, path: Path | None, records: Iterable[Path]) -> None:
    """Refuse the path of an option if it is one of the records that are read, which would be lost.

    Raises:
        ValueError: it is one of them.
    """
    if path is not None and path.resolve() in {record.resolve() for record in records}:
        raise ValueError(f"{option} {named(path)}: this is one of the records, which would be lost; name another file")


def check_writable(option: str, path: Path | None) -> None:
    """Refuse the path of an option if no file can be written there, before any work is done.

    Raises:
        ValueError: the path exists but is no file, or is not in a folder.
        OSError: its folder cannot be written to.
    """
    if path is None:
        return
    if path.exists() and not path.is_file():
        found = "a folder" if path.is_dir() else "a device or a pipe"
        raise ValueError(f"{option} {named(path)}: expected a file, not {found}")
    folder = next(folder for folder in path.absolute().parents if folder.exists())  # missing ones will be created
    if not folder.is_dir():
        raise ValueError(f"{option} {named(path)}: {named(folder)} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
