"""Commands of the ladder: play it, add a newcomer, measure exploitability, compare with exact values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from sackarmies_agents.factory import parse_agent
from sackarmies_training.commands.evaluate import SPRT_OPTIONS, given_options, refuse_without
from sackarmies_training.commands.options import OnOption, complete_agent
from sackarmies_training.commands.output import PlainCommand, PlainGroup, games_bar, print_resumed, print_without_replay
from sackarmies_training.config import Place, load_config
from sackarmies_training.fitting import add_numbers, fitted, plain_table, titled
from sackarmies_training.terminal import console, progress_console

if TYPE_CHECKING:
    from sackarmies_training.ladder.config import LadderConfig
    from sackarmies_training.ladder.regret import Solved
    from sackarmies_training.ladder.report import PoolReport
    from sackarmies_training.stats.sprt import SprtPlan

DEFAULT_LADDER = Path("configs/ladder/search.toml")  # the reference; scripted.toml beside it takes minutes
EXACT_FOLDER = Path("configs/ladder/exact")
ELSEWHERE = "which comes with the repository and not with the package"
TEST_OPTIONS = (*SPRT_OPTIONS, "max_games")
MOST_TEST_GAMES = 100_000

ladder_app = typer.Typer(cls=PlainGroup, help="Measure the rungs of the ladder; place a newcomer.")

ConfigOption = Annotated[Path, typer.Option("--config", metavar="FILE", help="The ladder, a TOML file.")]
OwnConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help=f"The ladder; {DEFAULT_LADDER} if left out.", show_default=False),
]


@ladder_app.callback(invoke_without_command=True)
def ladder(  # noqa: PLR0913, PLR0917 - the options of a command
    ctx: typer.Context,
    config: ConfigOption = DEFAULT_LADDER,
    add: Annotated[
        str | None,
        typer.Option(
            "--add",
            metavar="AGENT",
            help="Place this agent among the rungs by sequential tests.",
            show_default=False,
            autocompletion=complete_agent,
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(metavar="RATE", help="Error rate of `stronger`, for --add.")] = 0.05,
    beta: Annotated[float, typer.Option(metavar="RATE", help="Error rate of `weaker`, for --add.")] = 0.05,
    elo0: Annotated[float, typer.Option(metavar="ELO", help="Upper bound of `weaker`, in Elo, for --add.")] = -20.0,
    elo1: Annotated[float, typer.Option(metavar="ELO", help="Lower bound of `stronger`, in Elo, for --add.")] = 20.0,
    max_games: Annotated[
        int, typer.Option(metavar="N", max=MOST_TEST_GAMES, help="Budget of each test, for --add.")
    ] = 2000,
    on: OnOption = Place.LOCAL,
) -> None:
    """Play the ladder, or what is missing of it, and write its reports. Interrupted ladders resume."""
    if add is None:
        refuse_without("--add AGENT", "the tests that place a newcomer use it", ctx, TEST_OPTIONS)
    if ctx.invoked_subcommand is not None:
        for option in given_options(ctx, ("add", "on")):
            raise ValueError(f"{option} cannot be combined with {ctx.invoked_subcommand}, which does not use it")
        ctx.obj = config if given_options(ctx, ("config",)) else None  # for subcommands given none of their own
        return
    from sackarmies_training.stats.sprt import SprtPlan

    plan = SprtPlan(alpha, beta, elo0, elo1, max_games)
    settings = load_ladder(config)
    if add is None:
        play_ladder(settings, on)
    else:
        for option in given_options(ctx, ("on",)):
            raise ValueError(f"{option} and --add AGENT cannot be combined: those games are played on this machine")
        parse_agent(add)
        add_newcomer(settings, add, plan)


def load_ladder(path: Path) -> LadderConfig:
    """Read the configuration of a ladder.

    Raises:
        ValueError: no such file, or a line for each fault.
    """
    from sackarmies_training.ladder.config import LadderConfig

    if path == DEFAULT_LADDER and not path.exists():
        raise ValueError(f"there is no {path}, {ELSEWHERE}: name a ladder with --config")
    return load_config(path, LadderConfig)


def play_ladder(settings: LadderConfig, on: Place) -> None:
    """Play what is missing of a ladder, print its tables and write its reports.

    Raises:
        ValueError: an agent cannot be made, or the folder holds another ladder.
        OSError: results cannot be written; the same call resumes once they can.
    """
    from sackarmies_training.ladder.contest import Ladder
    from sackarmies_training.ladder.report import (
        design_sentences,
        make_reports,
        missing_replays,
        write_replays,
        write_reports,
    )
    from sackarmies_training.ladder.units import schedule
    from sackarmies_training.locks import locked, removed_if_unused

    folder = Path(settings.folder)
    contest = Ladder(settings, folder)
    with locked(folder), removed_if_unused(folder):
        missing = contest.open()
        total, left = (sum(unit.num_games for unit in units) for units in (schedule(settings), missing))
        print_resumed(folder, total, left)
        if missing:
            told = f"To play: {len(missing):,} units, {left:,} games. Ctrl-C stops; the same command resumes."
            is_long = any(parse_agent(agent).name == "search" for agent in settings.agents.values())
            hours = " Ladders with searches can take hours." if is_long else ""
            progress_console.print(f"{told}{hours}", soft_wrap=True)
        with games_bar(left) as progress:
            contest.play(missing, progress, on)
        reports = make_reports(settings, contest.entries())
        for report in reports:
            print_rungs(report)
            for line in design_sentences(settings, report):
                console.print(line, highlight=False, soft_wrap=True)
            console.print()
        write_reports(settings, reports, folder)
        wanted = missing_replays(reports, folder) if settings.replays else []
        with games_bar(len(wanted), "replays", "drawn") as progress:
            print_without_replay(write_replays(settings, reports, folder, wanted, progress))
    console.print(f"Reports and results are in {folder}.", highlight=False, soft_wrap=True)


def print_rungs(report: PoolReport) -> None:
    """Print the table of a pool."""
    from sackarmies_training.ladder.report import interval, thinking_cells

    def make(labels: Sequence[str], style: tuple[str, bool]) -> RenderableType:
        gap, is_wide = style
        table = plain_table()
        table.add_column("rung", no_wrap=True)
        add_numbers(
            table, ("Elo", "points", "games", "ms, median", "ms, 99%", *(["draws", "decisions/s"] if is_wide else []))
        )
        for label, rung in zip(labels, report.rungs, strict=True):
            score = rung.score
            rate, *durations = thinking_cells(rung.thinking)
            table.add_row(
                Text(label),
                f"{rung.rating.value:+.0f}{gap}({interval(rung, report.estimates)})",
                f"{score.value:.1%}{gap}({score.low:.1%} to {score.high:.1%})",
                str(score.games),
                *durations,
                *((f"{rung.draw_share:.1%}", rate) if is_wide else ()),
            )
        return titled(report.title, table)

    names = [rung.name for rung in report.rungs]
    console.print(fitted(make, ((" ", True), ("\n", True), ("\n", False)), names, console.width), highlight=False)


def add_newcomer(settings: LadderConfig, agent: str, plan: SprtPlan) -> None:
    """Place an agent among the rungs and print its place.

    Raises:
        ValueError: an agent cannot be made, or the folder holds results of another ladder.
        OSError: results cannot be written; the same call resumes once they can.
    """
    from sackarmies_training.ladder.place import Newcomer, placing_sentences
    from sackarmies_training.locks import locked, removed_if_unused

    folder = Path(settings.folder)
    newcomer = Newcomer(settings, agent, folder)
    order, origin = rung_order(settings, folder)
    with locked(newcomer.folder), removed_if_unused(newcomer.folder):
        newcomer.open()
        played = len(newcomer.finished(order, plan.max_units))
        if played:
            told = f"Resuming: {2 * played} games in {newcomer.folder} have been played."
            progress_console.print(told, markup=False, highlight=False, soft_wrap=True)
        most = 2 * (plan.max_units * len(order).bit_length() - played)
        with games_bar(most) as progress:
            placing = newcomer.place(order, plan, progress)
    console.print(f"Rungs from the weakest up, {origin}: {', '.join(order)}.", highlight=False, soft_wrap=True)
    for line in placing_sentences(agent, placing, plan):
        console.print(line, highlight=False, soft_wrap=True)


def rung_order(settings: LadderConfig, folder: Path) -> tuple[list[str], str]:
    """Return the rungs of games of two players, weakest first: by their ratings if all have played, else as listed.

    The second result says which order it is, and why.
    """
    from sackarmies_training.ladder.contest import Ladder
    from sackarmies_training.ladder.report import make_reports

    pool = next(pool for pool in settings.pool if pool.players == 2)
    listed = settings.rungs_of(pool)
    contest = Ladder(settings, folder)
    try:
        contest.identity()
    except ValueError as error:
        return listed, f"in the order of the configuration, since results cannot be used ({error})"
    for report in make_reports(settings, contest.entries()):
        if report.pool == pool:
            games = len(report.estimates.outcomes)
            return [rung.name for rung in reversed(report.rungs)], f"by their ratings over {games} games"
    return listed, "in the order of the configuration, since they have not all played"


@ladder_app.command("exploit", cls=PlainCommand)
def exploit(  # noqa: PLR0913, PLR0917 - the options of a command
    ctx: typer.Context,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT", help="A rung or another agent.", show_default=False, autocompletion=complete_agent
        ),
    ],
    budget: Annotated[int, typer.Option(metavar="GAMES", min=1, help="Games that the response may train with.")] = 3000,
    games: Annotated[int, typer.Option(metavar="N", min=2, help="Fresh games of the measurement.")] = 400,
    responder: Annotated[str, typer.Option(metavar="NAME", help="What trains the response.")] = "weights",
    device: Annotated[str, typer.Option(metavar="NAME", help="Torch device, for --responder learned.")] = "cpu",
    config: OwnConfigOption = None,
) -> None:
    """Measure how much a best response takes from an agent, a lower bound. Interrupted measurements resume."""
    from sackarmies_training.ladder.contest import IDENTITY
    from sackarmies_training.ladder.exploit import Exploit, exploit_sentence
    from sackarmies_training.locks import locked, removed_if_unused

    settings = load_ladder(config or ctx.obj or DEFAULT_LADDER)
    target = settings.agents.get(agent, agent)
    parse_agent(target)
    search = Exploit(settings, target, responder, budget, device)
    with locked(search.folder), removed_if_unused(search.folder, besides=[IDENTITY]):
        search.open()
        total, left = search.count_games(games)
        print_resumed(search.folder, total, left)
        with games_bar(left) as progress:
            result = search.run(games, progress)
    console.print(exploit_sentence(result), highlight=False, soft_wrap=True)
    console.print(f"The response and its games are in {search.folder}.", highlight=False, soft_wrap=True)


@ladder_app.command("exact", cls=PlainCommand)
def exact(
    ctx: typer.Context,
    scenarios: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCENARIO",
            help=f"Small positions, names or TOML files; by default those of {EXACT_FOLDER}.",
            show_default=False,
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="AGENT",
            help="Repeat the option for several; by default the rungs.",
            show_default=False,
            autocompletion=complete_agent,
        ),
    ] = None,
    max_nodes: Annotated[int, typer.Option(metavar="N", min=1, help="Largest number of decisions.")] = 1_000_000,
    config: OwnConfigOption = None,
) -> None:
    """Compare agents with exact values, by enumeration of every action and flip of small positions."""
    from sackarmies_training.ladder.regret import load_position, solve

    sources = scenarios or sorted(map(str, EXACT_FOLDER.glob("*.toml")))
    if not sources:
        raise ValueError(f"there is no scenario in {EXACT_FOLDER}, {ELSEWHERE}: name one")
    if agent and (config or ctx.obj):
        raise ValueError("--config and --agent cannot be combined: these agents replace the rungs of the ladder")
    agents = agent or list(load_ladder(config or ctx.obj or DEFAULT_LADDER).agents.values())
    for text in agents:
        parse_agent(text)
    for source in sources:
        print_solved(solve(Path(source).stem, load_position(source), agents, max_nodes=max_nodes))


def print_solved(solved: Solved) -> None:
    """Print the exact values of a position, and what agents lose there."""

    def make(labels: Sequence[str], gap: str) -> RenderableType:
        table = plain_table()
        table.add_column("agent", no_wrap=True)
        table.add_column("first choice", overflow="fold")
        heads = ("it loses", "mean loss", "best choice", "worst loss")
        add_numbers(table, (head.replace(" ", gap) for head in heads))
        for label, one in zip(labels, solved.regrets, strict=True):
            shares = f"{one.mean:.4f}", f"{one.best_share:.1%}", f"{one.worst:.3f}"
            table.add_row(Text(label), Text(solved.root_text(one)), f"{solved.root_regret(one):.4f}", *shares)
        return table

    shown = fitted(make, (" ", "\n"), [one.agent for one in solved.regrets], console.width)
    choices = ", ".join(f"{text} {value:+.4f}" for text, value in zip(solved.texts, solved.values, strict=True))
    told = (
        f"Seat {solved.player} decides and can expect {solved.value:+.4f} (a win is +1, a loss -1): {choices}. "
        f"{solved.nodes:,} different decisions, all enumerated; at {solved.mattering:,} of them some choice is worse "
        "than another, and each agent was asked there once."
    )
    console.print(titled(solved.name, shown, told), highlight=False)
