"""Commands about data: scenarios and game records."""

from __future__ import annotations

import shlex
import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer
from rich.text import Text

from sackarmies_agents.factory import parse_agent
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.entries import entry_of, player_name
from sackarmies_env.core.game import Game, forfeit_code
from sackarmies_env.core.record import GameRecord, load_record, save_record
from sackarmies_env.core.record import replay as replay_record
from sackarmies_env.core.safe_read import named
from sackarmies_env.registry import DEFAULT_GAME, game_of, load_game, load_scenario
from sackarmies_training.commands.evaluate import refuse_without
from sackarmies_training.commands.options import (
    ContestSeedOption,
    GameOption,
    ScenarioArgument,
    check_apart,
    check_writable,
    complete_agent,
    viewer_seat,
)
from sackarmies_training.commands.output import FAILED, PlainCommand, PlainGroup, complain, games_bar
from sackarmies_training.fitting import plain_table
from sackarmies_training.terminal import console, write

scenario_app = typer.Typer(cls=PlainGroup, no_args_is_help=True, help="List scenarios, check them.")


@scenario_app.command("list", cls=PlainCommand)
def scenario_list(game: GameOption = DEFAULT_GAME) -> None:
    """List the built-in scenarios."""
    names = (entry_of(game).hook("choices") or {}).get("scenario")
    if names is None:
        raise ValueError(f"the game {game!r} has no built-in scenarios")
    table = plain_table()
    table.add_column("scenario", no_wrap=True)
    table.add_column(f"{entry_of(game).player_noun}s", justify="right", no_wrap=True)
    table.add_column("title", ratio=1)
    for scenario_id in names():
        scenario = load_scenario(scenario_id, game)
        players = scenario.get("num_players", scenario.get("generals", ""))
        table.add_row(scenario_id, str(players), Text(scenario.get("title", "")))
    console.print(table, highlight=False)


@scenario_app.command("check", cls=PlainCommand)
def scenario_check(scenario: ScenarioArgument, game: GameOption = DEFAULT_GAME) -> None:
    """Check a scenario and show it as the referee sees it."""
    from sackarmies_env import render

    position = load_game(game, scenario=load_scenario(scenario, game))
    states = position.new_states(1)
    position.reset(position.params, states, np.array([0], np.int64))
    print(render.ansi(position, states))
    console.print(f"{scenario} is a legal position.", markup=False, highlight=False, soft_wrap=True)


def replay(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A game record (JSON).", show_default=False)],
    check: Annotated[
        bool, typer.Option("--check", help="Replay the record and verify every ply, byte for byte.")
    ] = False,
) -> None:
    """Narrate a recorded game move by move, or verify it; exit code 1 if it does not replay to the same game."""
    from sackarmies_env.render import narrate
    from sackarmies_env.render.ansi import text_columns

    loaded = load_record(record)
    game = game_of(loaded)
    if check:
        try:
            replay_record(game, loaded)
        except ValueError as error:  # not the input's fault: this is what the check is for
            complain(str(error))
            raise typer.Exit(FAILED) from None
        console.print(f"{record} is intact: {len(loaded.actions)} decisions, {loaded.result.turns} turns.")
        return
    width = text_columns(None)
    for line in narrate(game, loaded):
        write(console, line, width, "    ")
    for forfeit in loaded.forfeits:
        player = player_name(game.id, forfeit_code(loaded.actions[forfeit.ply]))
        write(console, f"{player} lost by forfeit: the agent {forfeit.reason}", width, "    ")


def view(  # noqa: PLR0913, PLR0917 - the options of a command
    ctx: typer.Context,
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A game record (JSON).", show_default=False)],
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write the page to this file instead.", show_default=False),
    ] = None,
    gif: Annotated[
        Path | None, typer.Option("--gif", metavar="FILE", help="Write the game as a GIF.", show_default=False)
    ] = None,
    mp4: Annotated[
        Path | None, typer.Option("--mp4", metavar="FILE", help="Write the game as an MP4.", show_default=False)
    ] = None,
    viewer: Annotated[
        list[str] | None,
        typer.Option(
            "--viewer",
            metavar="SEAT",
            help="A view that the page offers, all by default: a seat or referee; repeat the option. A film has one "
            "view, the referee's by default.",
            show_default=False,
        ),
    ] = None,
    fps: Annotated[
        float,
        typer.Option("--fps", metavar="N", min=0.1, max=50, help="Positions a second in a film; for --gif and --mp4."),
    ] = 2,
) -> None:
    """Show a recorded game in the browser, as each player saw it, or write it as one HTML file or as a film."""
    from sackarmies_env.render import Replay

    films = {option: path for option, path in (("--gif", gif), ("--mp4", mp4)) if path is not None}
    if not films:
        refuse_without("--gif or --mp4", "a film uses it", ctx, ("fps",))
    for option, path in {**films, "--html": html}.items():
        check_apart(option, path, [record])
    loaded = load_record(record)
    game = game_of(loaded)
    viewers = [viewer_seat(text, game.num_players) for text in viewer] if viewer else None
    if films:
        if viewers is not None and len(viewers) > 1:
            raise ValueError(f"--viewer is given {len(viewers)} times: a film shows a single view")
        write_films(game, loaded, films, viewers[0] if viewers else None, fps)
        if html is None:
            return
    check_writable("--html", html)
    document = Replay(game, loaded, viewers).html
    page = html or Path(tempfile.mkdtemp(prefix="sackarmies-view-")) / f"{record.stem}.html"
    write_safely(page, document.encode())
    opened = html is None and webbrowser.open(page.resolve().as_uri())
    told = "The page is open in the browser; it is" if opened else "The page is"
    console.print(f"{told} in {page}.", markup=False, highlight=False, soft_wrap=True)


def write_films(game: Game, record: GameRecord, films: dict[str, Path], viewer: int | None, fps: float) -> None:
    """Write a recorded game to files, each named by the option for its format.

    Raises:
        ValueError: the name of a file does not fit its format, a library is not installed, or the record does not
            replay.
        OSError: a file cannot be written.
    """
    from sackarmies_env.render.video import positions_of, write_video

    for option, path in films.items():
        check_writable(option, path)
        if path.suffix.lower() != f".{option.removeprefix('--')}":
            raise ValueError(f"{option} {named(path)}: the name must end in .{option.removeprefix('--')}")
    positions = positions_of(game, record, viewer)
    for path in films.values():
        with games_bar(len(positions), "frames", "drawn") as progress:
            write_video(path, game, positions, viewer, fps=fps, progress=progress)
        console.print(f"{path} shows {len(positions)} positions.", markup=False, highlight=False, soft_wrap=True)


def analyze(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A game record (JSON).", show_default=False)],
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="The agent that analyzes, such as search.",
            show_default=False,
            autocompletion=complete_agent,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write to this file, not into RECORD.", show_default=False),
    ] = None,
    seat: Annotated[
        list[int] | None,
        typer.Option(
            "--seat",
            metavar="N",
            min=0,
            help="Seat whose decisions are analyzed, all by default; repeat the option.",
            show_default=False,
        ),
    ] = None,
    samples: Annotated[
        int,
        typer.Option("--samples", metavar="N", min=0, max=1000, help="Sampled states that say what may be hidden."),
    ] = 32,
    seed: ContestSeedOption = 1,
) -> None:
    """Add an agent's analyses to a record, using only what each player knew at the time; sackarmies view shows them.

    The same command resumes an interrupted run.
    """
    from sackarmies_training.analysis import AnalysisPlan
    from sackarmies_training.analysis import analyze as add_analyses
    from sackarmies_training.locks import locked_file
    from sackarmies_training.seeds import checked_seed
    from sackarmies_training.unfinished_analysis import Unfinished

    parse_agent(agent)
    target = record if out is None else out
    check_writable("RECORD" if out is None else "--out", target)
    with locked_file(target):
        loaded = load_record(record)
        game = game_of(loaded)
        for number in seat or ():
            if number >= game.num_players:
                raise ValueError(f"--seat {number} is not at the table: seats run from 0 to {game.num_players - 1}")
        seats = tuple(sorted(set(seat or range(game.num_players))))
        plan = AnalysisPlan(agent, seats, checked_seed("--seed", seed), samples)
        with (
            Unfinished(target, game, loaded, plan) as unfinished,
            games_bar(len(loaded.actions), "decisions", "analyzed") as progress,
        ):
            analyzed = add_analyses(game, loaded, plan, progress, unfinished)
            save_record(analyzed, target)
        unfinished.remove()
    told = f"{target} has analyses of {len(analyzed.analyses)} decisions; sackarmies view {shlex.quote(str(target))}"
    console.print(f"{told} shows them.", markup=False, highlight=False, soft_wrap=True)


def labels(  # noqa: PLR0913, PLR0917 - the options of a command
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The files go here.", show_default=False)],
    decisions: Annotated[int, typer.Option(metavar="N", min=1, help="Label at least this many decisions.")] = 100_000,
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="The agent in all seats.", autocompletion=complete_agent)
    ] = "greedy",
    advice: Annotated[
        str,
        typer.Option(metavar="AGENT", help="The agent whose choice is always compared.", autocompletion=complete_agent),
    ] = "greedy",
    worlds: Annotated[
        int, typer.Option(metavar="N", min=1, help="Sampled states in which each action is played on.")
    ] = 2,
    seed: ContestSeedOption = 1,
    game: GameOption = DEFAULT_GAME,
) -> None:
    """Write training labels found by search, in games with armies drawn at random. The same command resumes."""
    from sackarmies_training.search_labels import SearchPlan, write_search_labels
    from sackarmies_training.seeds import checked_seed

    parse_agent(agent)
    checked_seed("--seed", seed)
    plan = SearchPlan(agent=agent, advice=advice, worlds=worlds)
    with games_bar(decisions, "decisions", "labeled") as progress:
        done = write_search_labels(folder, plan, decisions, game, seed, progress)
    console.print(f"{done:,} decisions in {folder}.", markup=False, highlight=False, soft_wrap=True)


def dataset(
    records: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORDS",
            help="Game records (JSON), folders of them, or patterns in quotes.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="PATH",
            help="The file; for Minari, a folder whose name is the id, such as data/greedy-v0.",
            show_default=False,
        ),
    ],
    to: Annotated[
        Literal["parquet", "minari"],
        typer.Option("--to", metavar="FORMAT", help="parquet: a row per decision; minari: an episode per seat."),
    ] = "parquet",
    observations: Annotated[
        bool,
        typer.Option(
            "--observations", help="Store observations in the file; otherwise they can be recomputed from it."
        ),
    ] = False,
    seat: Annotated[
        list[int] | None,
        typer.Option(
            "--seat",
            metavar="N",
            min=0,
            help="Whose episodes, with --to minari; all by default; repeat the option.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write the decisions of recorded games as a data set. It reveals what was hidden: keep it from the games' players.

    Damaged or edited records are refused, and then nothing is written.
    """
    from sackarmies_training.datasets.files import record_files

    paths = record_files(records)
    if to == "minari":
        from sackarmies_training.datasets.minari import write_minari

        if observations:
            raise ValueError("--observations is for --to parquet: a Minari data set always holds them")
        with games_bar(len(paths), "records", "read") as progress:
            dataset_id, episodes = write_minari(paths, out, seats=seat, progress=progress)
        told = f"{out} is the Minari data set {dataset_id} of {episodes:,} episodes."
    else:
        from sackarmies_training.datasets.parquet import write_parquet

        if seat:
            raise ValueError("--seat is for --to minari: a Parquet file holds whole games, filter its column seat")
        check_writable("--out", out)
        check_apart("--out", out, paths)
        with games_bar(len(paths), "records", "read") as progress:
            decisions = write_parquet(paths, out, observations=observations, progress=progress)
        told = f"{out} holds {decisions:,} decisions of {len(paths):,} games."
    console.print(told, markup=False, highlight=False, soft_wrap=True)
