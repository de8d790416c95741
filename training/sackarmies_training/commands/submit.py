"""The command for participants in a tournament: `sackarmies submit-check`."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from sackarmies_agents.limits import Isolation
from sackarmies_env.registry import DEFAULT_GAME, load_game, load_players
from sackarmies_training.commands.output import FAILED, games_bar
from sackarmies_training.config import TournamentConfig, load_config
from sackarmies_training.terminal import console

if TYPE_CHECKING:
    from sackarmies_training.submission import Trial


def submit_check(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The submission; it holds submission.toml.", show_default=False)
    ],
    config: Annotated[
        Path | None,
        typer.Option(
            "--tournament",
            metavar="CONFIG",
            help="The configuration of the tournament, whose game and limits are used.",
            show_default=False,
        ),
    ] = None,
    games: Annotated[int, typer.Option("--games", metavar="N", min=1, help="Games against the random agent.")] = 4,
) -> None:
    """Try a submission in isolation: does it play legal games within its limits? Exit code 1 if not."""
    from sackarmies_agents.isolated import RaisedThere
    from sackarmies_training.submission import located, name_of, read_manifest, try_agent

    manifest = read_manifest(folder)
    name = name_of(manifest, folder)
    isolation = Isolation(**manifest.limits.model_dump())
    if config is None:
        game = load_players(DEFAULT_GAME, 2)
    else:
        settings = load_config(config, TournamentConfig)
        game = load_game(settings.game.id, **settings.game.options)
        isolation = settings.tournament.isolation or isolation
    isolation.check("limits.{}")
    total = 2 * -(-games // game.num_players) * game.num_players
    print_line("submission", name)
    print_line("agent", manifest.agent)
    try:
        with games_bar(total) as progress:
            trial = try_agent(game, located(manifest.agent, folder), isolation, games, progress)
    except ValueError as error:
        print_line("made", "no")
        if isinstance(error.__cause__, RaisedThere):
            print_trace(str(error.__cause__))
        refuse([f"The agent cannot be made: {error}."])
    print_trial(trial)
    for trace in trial.traces:
        print_trace(trace)
    if faults := trial.faults():
        refuse(faults)
    console.print("The submission is accepted.", highlight=False)


def print_trial(trial: Trial) -> None:
    """Print the results of trying a submission."""
    usage = trial.usage
    print_line("made", f"yes, in {trial.start_seconds:.2f} s")
    print_line("statuses", ", ".join(f"{status} {count}" for status, count in trial.statuses.items()))
    if usage.decisions:
        average = usage.seconds / usage.decisions
        print_line("time a decision", f"{average:.3f} s on average, {usage.longest:.3f} s at most")
    if usage.cpu_seconds is not None:
        print_line("processor time", f"{usage.cpu_seconds / len(trial.games):.2f} s a game")
    if trial.memory is not None:
        print_line("memory", f"{trial.memory:.0f} MiB at most")
    told = "yes" if trial.is_repeatable else "no: its games can be replayed from records, but not from seeds alone"
    print_line("repeatable", told)


def print_line(name: str, value: str) -> None:
    """Print a line of the report."""
    console.print(f"{name:<16} {value}", highlight=False, soft_wrap=True)


def print_trace(trace: str) -> None:
    """Print a traceback of the agent, indented so that none of its lines passes for one of the report."""
    console.print(textwrap.indent(trace, "  "), highlight=False, soft_wrap=True)


def refuse(faults: list[str]) -> NoReturn:
    """Print why a submission is not accepted, and end the program."""
    for fault in faults:
        console.print(fault, highlight=False, soft_wrap=True)
    console.print("The submission is not accepted.", highlight=False)
    raise typer.Exit(FAILED)
