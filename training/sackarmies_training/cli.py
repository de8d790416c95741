"""The command line: `sackarmies --help`."""

from __future__ import annotations

import functools
import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sackarmies_agents.factory import escaped
from sackarmies_env import __version__
from sackarmies_env.core.entries import entry_of, find_hook, game_ids
from sackarmies_env.core.messages import printable
from sackarmies_env.core.notice import note
from sackarmies_env.registry import DEFAULT_GAME, load_game
from sackarmies_training.commands.data import analyze, dataset, labels, replay, scenario_app, view
from sackarmies_training.commands.evaluate import evaluate
from sackarmies_training.commands.ladder import ladder_app
from sackarmies_training.commands.league import league_app
from sackarmies_training.commands.options import OnOption
from sackarmies_training.commands.output import (
    COMPETE,
    DATA,
    STOPPED,
    TABLE,
    PlainCommand,
    SentenceGroup,
    games_bar,
    print_resumed,
    print_without_replay,
)
from sackarmies_training.commands.play import play, warmup, watch
from sackarmies_training.commands.submit import submit_check
from sackarmies_training.config import (
    LEARNER,
    LearnConfig,
    MatchSection,
    Place,
    TournamentConfig,
    load_config,
    load_run,
)
from sackarmies_training.terminal import console, progress_console

if TYPE_CHECKING:
    from sackarmies_env.core.game import Game
    from sackarmies_training.standings import Standing
    from sackarmies_training.stats.cycles import Structure
    from sackarmies_training.tournament import Tournament

app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    help=f"Play, train agents, run tournaments; the game is {entry_of(DEFAULT_GAME).title} unless another is named.",
    epilog="Begin with [bold]sackarmies watch[/bold], or with "
    "[bold]sackarmies train configs/train/one_army.toml --processes 2[/bold] (ten minutes; from the repository).",
)
command = functools.partial(app.command, cls=PlainCommand)

# Small networks run fastest on one thread, and several processes share the machine; training sets its own number.
os.environ.setdefault("OMP_NUM_THREADS", "1")


ConfigArgument = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="A TOML file; see configs/.", show_default=False)
]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"sackarmies-env {__version__}")
        raise typer.Exit


@app.callback()
def sackarmies(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Handle the options that come before a command."""


@command(rich_help_panel=COMPETE)
def train(
    config: ConfigArgument,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the latest run of this configuration.")] = False,
    on: OnOption = Place.LOCAL,
    processes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of processes that learn together, on this machine.")
    ] = 1,
) -> None:
    """Train an agent, then rank it in a tournament."""
    settings = load_run(config)
    game = load_game(settings.game.id, **settings.game.options)
    check_tournament(game, settings.tournament)
    if processes > 1:
        from sackarmies_training.launch import check_several, run_together

        check_several(processes, settings)
        raise typer.Exit(run_together(processes, ["train", str(config), *["--resume"] * resume, "--on", on.value]))
    if isinstance(settings, LearnConfig):
        from sackarmies_training.jobs import ray_pool
        from sackarmies_training.learn import Team, learn

        with sigterm_interrupts(), ray_pool() if on is Place.RAY else nullcontext() as pool:
            checkpoint = learn(settings, game, progress_console, resume=resume, pool=pool)
        options = ",deterministic=true"  # it explores as long as it learns
        if not Team.leads():
            return
    else:
        from sackarmies_training.train_ppo import train as train_ppo

        if on is Place.RAY:
            raise ValueError(
                "--on ray: MaskablePPO trains on this machine alone, configurations with a section [learn] on clusters"
            )
        with sigterm_interrupts():
            checkpoint = train_ppo(settings, game, progress_console, resume=resume)
        options = ""
    if checkpoint is None:
        raise typer.Exit(STOPPED)
    aliases = {LEARNER: f"ppo:path={escaped(str(checkpoint))}{options}"}
    run_tournament(game, settings.tournament, checkpoint.parent / "tournament", aliases, on)


def check_tournament(game: Game, section: MatchSection) -> None:
    """Refuse before a training what the tournament after it would refuse.

    Raises:
        ValueError: an agent cannot be made, a submission is invalid, or all games would be the same.
    """
    from sackarmies_agents.agent import GameInfo
    from sackarmies_agents.isolated import make_player
    from sackarmies_training.matches import Seating
    from sackarmies_training.seeds import check_games_differ
    from sackarmies_training.submission import entered

    check_games_differ(game)
    section, texts = entered(section)
    names, info = [name for name in section.agents if name != LEARNER], GameInfo.of(game)
    Seating([names], lambda name: make_player(texts.get(name, name), info, section.isolation), seed=0).close()


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Make SIGTERM end the block as Ctrl-C does, wherever training does not wait for the end of a round."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@command(rich_help_panel=COMPETE)
def tournament(config: ConfigArgument, on: OnOption = Place.LOCAL) -> None:
    """Rank agents: paired seeds, rotated seats, ratings with intervals. Interrupted tournaments resume."""
    settings = load_config(config, TournamentConfig)
    game = load_game(settings.game.id, **settings.game.options)
    run_tournament(game, settings.tournament, Path(settings.folder), {}, on)


def add_commands_of_games() -> None:
    """Add the commands that games define; a broken installed game does not affect the others."""
    for game_id in game_ids():
        try:
            add_commands = find_hook(game_id, "commands")
        except (ImportError, ValueError) as error:
            note(f"the game {printable(game_id)} cannot be loaded, its commands are missing: {printable(error)}")
            continue
        if add_commands is not None:
            add_commands(app)


command(rich_help_panel=COMPETE)(evaluate)
command(rich_help_panel=TABLE)(watch)
command(rich_help_panel=TABLE)(play)
command(rich_help_panel=TABLE)(warmup)
add_commands_of_games()
command("submit-check", rich_help_panel=COMPETE)(submit_check)
app.add_typer(ladder_app, name="ladder", rich_help_panel=COMPETE)
app.add_typer(league_app, name="league", rich_help_panel=COMPETE)
app.add_typer(scenario_app, name="scenario", rich_help_panel=DATA)
command(rich_help_panel=DATA)(replay)
command(rich_help_panel=DATA)(view)
command(rich_help_panel=DATA)(analyze)
command(rich_help_panel=DATA)(labels)
command(rich_help_panel=DATA)(dataset)


def run_tournament(
    game: Game, section: MatchSection, folder: Path, aliases: dict[str, str], on: Place = Place.LOCAL
) -> None:
    """Play a tournament, or what remains of it, and print and save the standings.

    Args:
        game: the game to play.
        section: who plays, and how much.
        folder: folder of records and results.
        aliases: agent texts for names in the section.
        on: where games are played.

    Raises:
        ValueError: an agent cannot be made, the folder holds another tournament, or all games would be the same.
        OSError: results cannot be written; the same call resumes once they can.
    """
    from sackarmies_training.locks import locked, removed_if_unused
    from sackarmies_training.reports.tournament import TournamentReport
    from sackarmies_training.seeds import check_games_differ
    from sackarmies_training.submission import entered
    from sackarmies_training.tournament import Tournament

    check_games_differ(game)
    section, texts = entered(section)
    contest = Tournament(game, section, folder, {**aliases, **texts})
    with locked(folder), removed_if_unused(folder):
        missing = contest.open()
        total, left = (sum(len(batch.seeds) for batch in batches) for batches in (contest.batches(), missing))
        print_resumed(folder, total, left)
        with games_bar(left) as progress:
            contest.play(missing, progress, on)
        standings, structure = show_standings(contest)
        contest.publish()
        report = TournamentReport(contest, standings, structure)
        report.write()
        wanted = report.missing_replays() if section.replays else []
        with games_bar(len(wanted), "replays", "drawn") as progress:
            faults = report.write_replays(wanted, progress)
    print_without_replay(faults)
    lost = report.missing_records()
    told = f"; the records of {len(lost)} of them are missing" if lost else ""
    kept = "Standings" if lost else "Standings and records"
    console.print(f"{kept} of all {total} games are in {folder}{told}.", soft_wrap=True)
    console.print(f"The report, with a list of all games, is {report.path}.", highlight=False, soft_wrap=True)
    first = min((folder / "records").glob("*.json"), default=None)
    if first is not None and not section.replays:
        told = f"sackarmies view {shlex.quote(str(first))} shows a game in the browser."
        console.print(told, markup=False, highlight=False, soft_wrap=True)
    console.print(f"The seed was {contest.seed}.", highlight=False, soft_wrap=True)


def show_standings(contest: Tournament) -> tuple[list[Standing], Structure | None]:
    """Print the standings of a finished tournament, save them as data, and return them with the cycles in them."""
    from sackarmies_training.files import write_json
    from sackarmies_training.standings import (
        forfeits_table,
        pairings_table,
        standings_data,
        standings_of,
        standings_table,
    )
    from sackarmies_training.stats.cycles import structure_of
    from sackarmies_training.stats.estimate import Estimates
    from sackarmies_training.stats.units import units_of
    from sackarmies_training.usage import conduct_of, conduct_table

    section, games = contest.section, list(contest.games().values())
    outcomes, seeds = [one.outcome for one in games], [one.seed for one in games]
    standings = standings_of(section.agents, outcomes, section.ratings, seeds)
    agents = [line.agent for line in standings]
    structure, conduct = structure_of(Estimates(agents, units_of(outcomes, seeds))), conduct_of(agents, games)
    data = standings_data(standings, outcomes) | {
        "conduct": [{"agent": agent, **conduct[agent].data()} for agent in agents],
        "structure": None if structure is None else asdict(structure),
    }
    write_json(contest.folder / "standings.json", data)
    console.print(pairings_table(standings, outcomes, console.width), highlight=False)
    console.print(standings_table(standings, section.ratings, console.width), highlight=False)
    for sentence in [] if structure is None else structure.sentences():
        console.print(sentence, highlight=False, markup=False, soft_wrap=not console.is_terminal)
    for table in (conduct_table(agents, conduct), forfeits_table(outcomes)):
        if table is not None:
            console.print(table)
    return standings, structure
