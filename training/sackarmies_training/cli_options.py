"""Arguments and options that several commands have in common, and what a shell completes them with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from sackarmies_agents.factory import KINDS
from sackarmies_env.games.sack_armies.army import army_ids
from sackarmies_env.games.sack_armies.scenario import scenario_ids
from sackarmies_training.seeds import GAME_BITS


def completes(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what a shell asks for the words that begin with what was typed."""
    return lambda incomplete: [word for word in words() if word.startswith(incomplete)]


def agent_words() -> list[str]:
    """Return the beginnings of the texts of agents."""
    return [name + "".join(f":{option}=" for option in kind.required[:1]) for name, kind in KINDS.items()]


complete_agent = completes(agent_words)
complete_army = completes(army_ids)
complete_scenario = completes(scenario_ids)

ArmyArgument = Annotated[
    str,
    typer.Argument(
        metavar="ARMY", help="A built-in army or a TOML file.", show_default=False, autocompletion=complete_army
    ),
]
ArmyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--army",
        metavar="ARMY",
        help="Army per General, a name or a file; repeat the option.",
        show_default=False,
        autocompletion=complete_army,
    ),
]
ScenarioArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A built-in scenario or a TOML file.",
        show_default=False,
        autocompletion=complete_scenario,
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, max=2**GAME_BITS - 1, help="Random seed of the game.")
]
ContestSeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Random seed.")]
DrawnSeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="N", min=0, help="Random seed; drawn by default.", show_default=False)
]
WorkersOption = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of processes.")]


def check_armies(armies: list[str] | None, generals: int) -> list[str] | None:
    """Return the armies given by `--army`, None for the default ones.

    Raises:
        ValueError: there are more or fewer armies than Generals.
    """
    if armies and len(armies) != generals:
        times = "once" if len(armies) == 1 else f"{len(armies)} times"
        raise ValueError(
            f"--army is given {times}, but {generals} Generals play: give it once per General, or not at all"
        )
    return armies or None
