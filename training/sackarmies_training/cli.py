"""The command line: `sackarmies --help`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sackarmies_agents.isolated import Isolation
from sackarmies_training.cli_data import army_app, catalogue, replay, scenario_app
from sackarmies_training.cli_errors import SentenceGroup, console, games_bar
from sackarmies_training.cli_table import play, warmup, watch
from sackarmies_training.config import (
    TRAINED,
    UNSTOPPABLE,
    GameSection,
    MatchSection,
    TournamentConfig,
    TrainConfig,
    load_config,
)

if TYPE_CHECKING:
    from sackarmies_env.core.game import Game

COMPETE = "Train and compete"
TABLE = "At the table"
DATA = "Tokens, armies, positions, records"

app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_show_locals=False,
    help="Sack Armies: hidden armies, a battleground of hexes, and Generals who learn.",
    epilog="Begin with [bold]sackarmies watch[/bold], or with "
    "[bold]sackarmies train configs/train/quick.toml[/bold] (about ten minutes).",
)

# Small networks run fastest on one thread, and several processes share the machine; training sets its own number.
os.environ.setdefault("OMP_NUM_THREADS", "1")

ConfigArgument = Annotated[Path, typer.Argument(help="A TOML file, see configs/.", show_default=False)]


@app.command(rich_help_panel=COMPETE)
def train(
    config: ConfigArgument,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the latest run of this configuration.")] = False,
) -> None:
    """Train a General, then rank it in a tournament."""
    from sackarmies_training.games import build_game
    from sackarmies_training.train_ppo import train as train_ppo

    settings = load_config(config, TrainConfig)
    game = build_game(settings.game)
    checkpoint = train_ppo(settings, game, console, resume=resume)
    if checkpoint is not None:
        folder = checkpoint.parent / "tournament"
        run_tournament(game, settings.tournament, folder, {TRAINED: f"ppo:path={checkpoint}"})


@app.command(rich_help_panel=COMPETE)
def tournament(config: ConfigArgument) -> None:
    """Rank agents: paired seeds, rotated seats, ratings with intervals. A stopped one goes on where it was."""
    from sackarmies_training.games import build_game

    settings = load_config(config, TournamentConfig)
    run_tournament(build_game(settings.game), settings.tournament, Path(settings.folder), {})


@app.command(rich_help_panel=COMPETE)
def evaluate(  # noqa: PLR0913, PLR0917 - the options of a command
    agent: Annotated[str, typer.Argument(help="Such as greedy or ppo:path=FILE.", show_default=False)],
    opponent: Annotated[str, typer.Argument(help="Who holds all other seats.", show_default=False)] = "random",
    games: Annotated[int, typer.Option(min=2, help="Games in all; every seed is played from each seat.")] = 400,
    generals: Annotated[int, typer.Option(min=2, max=6, help="Generals at the table.")] = 2,
    army: Annotated[list[str] | None, typer.Option(help="One a General, by name or file.", show_default=False)] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of all randomness; drawn if left out.", show_default=False)
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    isolate: Annotated[bool, typer.Option("--isolate", help="Run agents in processes of their own.")] = False,
    time_limit: Annotated[float | None, typer.Option(help="Seconds a decision; needs --isolate.")] = None,
    memory_limit: Annotated[int | None, typer.Option(min=1, help="MiB an agent; needs --isolate.")] = None,
) -> None:
    """Measure how often one agent beats another, with a 95% interval."""
    from sackarmies_training.evaluate import Plan, outcome_of
    from sackarmies_training.evaluate import evaluate as measure
    from sackarmies_training.games import build_game
    from sackarmies_training.seeds import checked_seed
    from sackarmies_training.standings import forfeits_table

    isolation = _isolation(time_limit, memory_limit, isolate=isolate)
    seed = checked_seed("--seed", seed)
    game = build_game(GameSection(generals=generals, armies=army or []))
    seeds = -(-games // generals)
    with games_bar(seeds * generals) as progress:
        tally, played = measure(game, agent, opponent, Plan(seeds, seed, workers, isolation), progress)
    turns = sum(one.turns for one in played) / len(played)
    result = f" against {opponent}: won {tally.wins}, drawn {tally.draws}, lost {tally.losses}"
    console.print(Text.assemble((agent, "bold"), result))
    console.print(f"win rate {tally.win_rate}; {turns:.0f} turns a game on average")
    forfeits = forfeits_table([outcome_of(one) for one in played])
    if forfeits is not None:
        console.print(forfeits)
    console.print(f"The same games again: --seed {seed}")


def _isolation(time_limit: float | None, memory_limit: int | None, *, isolate: bool) -> Isolation | None:
    if isolate:
        if time_limit is not None and not time_limit > 0:
            raise ValueError(f"--time-limit {time_limit} is not allowed: a number above 0 is wanted")
        return Isolation(time_limit, memory_limit=memory_limit)
    for option, value in (("--time-limit", time_limit), ("--memory-limit", memory_limit)):
        if value is not None:
            raise ValueError(f"{option} is given without --isolate: {UNSTOPPABLE}")
    return None


app.command(rich_help_panel=TABLE)(watch)
app.command(rich_help_panel=TABLE)(play)
app.command(rich_help_panel=TABLE)(warmup)
app.command(rich_help_panel=DATA)(catalogue)
app.add_typer(army_app, name="army", rich_help_panel=DATA)
app.add_typer(scenario_app, name="scenario", rich_help_panel=DATA)
app.command(rich_help_panel=DATA)(replay)


def run_tournament(game: Game, section: MatchSection, folder: Path, aliases: dict[str, str]) -> None:
    """Play a tournament, or what is left of it, and print and save the standings.

    Args:
        game: what is played.
        section: who plays how much.
        folder: for records and results.
        aliases: agent texts for names in the section.

    Raises:
        ValueError: an agent cannot be made, or the folder holds another tournament.
        OSError: results cannot be written; the same call goes on once they can.
    """
    from sackarmies_training.locks import locked

    with locked(folder):
        _run_tournament(game, section, folder, aliases)


def _run_tournament(game: Game, section: MatchSection, folder: Path, aliases: dict[str, str]) -> None:
    from sackarmies_training.files import write_json
    from sackarmies_training.standings import (
        forfeits_table,
        pairings_table,
        standings_data,
        standings_of,
        standings_table,
    )
    from sackarmies_training.tournament import Tournament

    contest = Tournament(game, section, folder, aliases)
    missing = contest.open()
    played = len(contest.batches()) - len(missing)
    if played:
        console.print(f"{played} of {len(contest.batches())} batches in {folder} have been played already.")
    with games_bar(sum(len(batch.seeds) for batch in missing)) as progress:
        contest.play(missing, progress)
    outcomes = contest.outcomes()
    contest.publish()
    standings = standings_of(section.agents, outcomes, section.ratings)
    write_json(folder / "standings.json", standings_data(standings, outcomes))
    console.print(pairings_table(standings, outcomes))
    console.print(standings_table(standings, section.ratings))
    forfeits = forfeits_table(outcomes)
    if forfeits is not None:
        console.print(forfeits)
    console.print(
        f"Records of all {len(outcomes)} games and the standings are in {folder}; the seed was {contest.seed}."
    )
