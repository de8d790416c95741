"""The command that measures one agent against another: `sackarmies evaluate`."""

from __future__ import annotations

import math
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from sackarmies_agents.factory import parse_agent
from sackarmies_agents.limits import Isolation
from sackarmies_env.registry import DEFAULT_GAME
from sackarmies_training.commands.options import (
    ArmyOption,
    CpuLimitOption,
    DrawnSeedOption,
    GameOption,
    IsolateOption,
    MemoryLimitOption,
    PlayersOption,
    ScenarioOption,
    TimeBankOption,
    TimeLimitOption,
    TurnLimitOption,
    WorkersOption,
    build_game,
    check_writable,
    complete_agent,
)
from sackarmies_training.commands.output import games_bar, print_without_replay
from sackarmies_training.config import UNSTOPPABLE
from sackarmies_training.terminal import console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sackarmies_env.core.game import Game
    from sackarmies_training.evaluate import Plan
    from sackarmies_training.matches import PlayedGame
    from sackarmies_training.reports.evaluation import EvaluationReport
    from sackarmies_training.standings import Tally
    from sackarmies_training.stats.match import Match

GAMES, SPRT_GAMES, MOST_GAMES = 400, 4000, 10_000_000
SPRT_OPTIONS = ("alpha", "beta", "elo0", "elo1")


AgentArgument = Annotated[
    str,
    typer.Argument(
        metavar="AGENT",
        help="The agent to measure, such as greedy or ppo:path=FILE.",
        show_default=False,
        autocompletion=complete_agent,
    ),
]
OpponentArgument = Annotated[
    str,
    typer.Argument(
        metavar="OPPONENT", help="The agent in all other seats.", show_default=True, autocompletion=complete_agent
    ),
]
GamesOption = Annotated[
    int | None,
    typer.Option(
        "--games",
        metavar="N",
        min=2,
        max=MOST_GAMES,
        help=f"Number of games, {GAMES} if left out, rounded up to whole units: each seed is played from each seat. "
        f"With --sprt the most that are played, {SPRT_GAMES:,} if left out.",
        show_default=False,
    ),
]
SprtOption = Annotated[
    bool, typer.Option("--sprt", help="Stop as soon as a sequential test says who is stronger; two players.")
]
Elo0Option = Annotated[
    float, typer.Option("--elo0", metavar="ELO", help="Upper bound of `not stronger`, in normalized Elo; for --sprt.")
]
Elo1Option = Annotated[
    float, typer.Option("--elo1", metavar="ELO", help="Lower bound of `stronger`, in normalized Elo; for --sprt.")
]
AlphaOption = Annotated[float, typer.Option("--alpha", metavar="RATE", help="Error rate of `stronger`; for --sprt.")]
BetaOption = Annotated[float, typer.Option("--beta", metavar="RATE", help="Error rate of `not stronger`; for --sprt.")]
LuckOption = Annotated[
    bool, typer.Option("--luck", help="Also give the share of the points with luck taken out, by exact odds.")
]
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FOLDER",
        help="Write a report with a list of all games, and their records.",
        show_default=False,
    ),
]
ReplaysOption = Annotated[
    bool, typer.Option("--replays", help="Also make a page of each game, which the report links to; seconds a game.")
]


def evaluate(  # noqa: PLR0913, PLR0917 - the options of a command
    ctx: typer.Context,
    agent: AgentArgument,
    opponent: OpponentArgument = "random",
    games: GamesOption = None,
    sprt: SprtOption = False,
    elo0: Elo0Option = -20.0,
    elo1: Elo1Option = 20.0,
    alpha: AlphaOption = 0.05,
    beta: BetaOption = 0.05,
    luck: LuckOption = False,
    game: GameOption = DEFAULT_GAME,
    players: PlayersOption = None,
    army: ArmyOption = None,
    scenario: ScenarioOption = None,
    seed: DrawnSeedOption = None,
    workers: WorkersOption = 2,
    isolate: IsolateOption = False,
    time_limit: TimeLimitOption = None,
    time_bank: TimeBankOption = None,
    turn_limit: TurnLimitOption = None,
    cpu_limit: CpuLimitOption = None,
    memory_limit: MemoryLimitOption = None,
    report: ReportOption = None,
    replays: ReplaysOption = False,
) -> None:
    """Measure how often one agent beats another, with 95% intervals."""
    from sackarmies_training.evaluate import Plan
    from sackarmies_training.reports.evaluation import EvaluationReport, reserved
    from sackarmies_training.seeds import checked_seed
    from sackarmies_training.stats.luck import LuckMeter
    from sackarmies_training.stats.sprt import Scale, SprtPlan

    limits = {
        "time_limit": time_limit,
        "time_bank": time_bank,
        "turn_limit": turn_limit,
        "cpu_limit": cpu_limit,
        "memory_limit": memory_limit,
    }
    if not sprt:
        refuse_without("--sprt", "a sequential test uses it", ctx, SPRT_OPTIONS)
    most = games if games is not None else SPRT_GAMES if sprt else GAMES
    test = SprtPlan(alpha, beta, elo0, elo1, most, Scale.NORMALIZED) if sprt else None
    isolation = isolation_of(limits, isolate=isolate)
    check_report(report, replays=replays)
    seed = checked_seed("--seed", seed)
    for text in (agent, opponent):
        parse_agent(text)
    played_game = build_game(game, players, army, scenario)
    seeds = -(-most // played_game.num_players) if test is None else test.max_units
    plan = Plan(seeds, seed, workers, isolation, test)
    if luck:
        LuckMeter(played_game)  # refused before games are played
    with nullcontext() if report is None else reserved("--report", report):
        played, sentences = play_and_show(played_game, agent, opponent, plan, luck=luck)
        if report is not None:
            is_timed = isolation is not None and isolation.is_timed
            sentences.append(f"The seed was {seed}.")
            pages = EvaluationReport(
                played_game, (agent, opponent), played, sentences, report, workers, is_timed=is_timed
            )
            write_report(pages, with_replays=replays)


def play_and_show(
    game: Game, agent: str, opponent: str, plan: Plan, *, luck: bool
) -> tuple[list[PlayedGame], list[str]]:
    """Play the games of an evaluation and print its results; return the games and the results in sentences."""
    from sackarmies_training.evaluate import evaluate as measure
    from sackarmies_training.evaluate import played_units
    from sackarmies_training.stats.match import Match

    with games_bar(plan.seeds * game.num_players) as progress:
        tally, played = measure(game, agent, opponent, plan, progress)
    match = Match(agent, opponent, played_units(played))
    sentences = result_sentences(match, tally, played)
    if luck:
        sentences.append(luck_sentence(game, agent, played))
    if plan.sprt is not None:
        sentences.append(match.verdict_sentence(plan.sprt))
    show_results(played, sentences)
    console.print(f"To play the same games again, add --seed {plan.seed}", highlight=False)
    return played, sentences


def luck_sentence(game: Game, agent: str, played: Sequence[PlayedGame]) -> str:
    """Return what share of the points an agent took with luck taken out, or why this cannot be told."""
    from sackarmies_training.stats.luck import NotMeasurableError, adjusted_score

    try:
        return adjusted_score(game, agent, played).sentence()
    except NotMeasurableError as error:
        return f"{error}."


def write_report(report: EvaluationReport, *, with_replays: bool) -> None:
    """Write the report of an evaluation and say where it is; errors as for `EvaluationReport.write`."""
    with games_bar(len(report.played) if with_replays else 0, "replays", "drawn") as progress:
        faults = report.write(progress, with_replays=with_replays)
    print_without_replay(faults)
    console.print(f"The report, with a list of all games, is {report.path}.", highlight=False, soft_wrap=True)


def refuse_without(needed: str, why: str, ctx: typer.Context, options: Sequence[str]) -> None:
    """Refuse options that have no effect without another one.

    Args:
        needed: the other option.
        why: sentence for the message that says what uses such an option ("only" is put before it).
        ctx: context of the command.
        options: names of its parameters.

    Raises:
        ValueError: one of them is given.
    """
    for option in given_options(ctx, options):
        raise ValueError(f"{option} needs {needed}: only {why}")


def given_options(ctx: typer.Context, options: Sequence[str]) -> list[str]:
    """Return which of a command's parameters are given on the command line, as options: `--max-games`."""
    sources = {f"--{name.replace('_', '-')}": ctx.get_parameter_source(name) for name in options}
    return [option for option, source in sources.items() if source is not None and source.name == "COMMANDLINE"]


def check_report(report: Path | None, *, replays: bool) -> None:
    """Refuse --replays without --report, and a report folder that is not empty or cannot be written to.

    Raises:
        ValueError: one of these is given.
        OSError: the folder cannot be written to.
    """
    from sackarmies_training.reports.evaluation import REPORT, check_free

    if report is not None:
        check_free("--report", report)
        check_writable("--report", report / REPORT)
    elif replays:
        raise ValueError("--replays needs --report FOLDER: the report links to the replays")


def result_sentences(match: Match, tally: Tally, played: Sequence[PlayedGame]) -> list[str]:
    """Return sentences on an agent's results, first its wins, draws and losses."""
    from sackarmies_training.evaluate import outcome_of

    turns, players = sum(one.turns for one in played) / len(played), len(played[0].agents)
    decided = sum(len(outcome_of(one).best) == 1 for one in played) / len(played)
    even = f"; equal agents would win {decided / players:.0%} with as many draws" if players > 2 else ""
    return [
        f"{match.agent} against {match.opponent}: won {tally.wins}, drawn {tally.draws}, lost {tally.losses}",
        f"win rate {tally.win_rate}{even}; {turns:.0f} turns per game on average",
        *match.sentences(),
    ]


def show_results(played: Sequence[PlayedGame], sentences: Sequence[str]) -> None:
    """Print sentences on an agent's results, and who forfeited."""
    from sackarmies_training.evaluate import outcome_of
    from sackarmies_training.standings import forfeits_table

    console.print(Text(sentences[0], "bold"), highlight=False, soft_wrap=True)
    for sentence in sentences[1:]:
        console.print(sentence, highlight=False, markup=False, soft_wrap=not console.is_terminal)
    forfeits = forfeits_table([outcome_of(one) for one in played])
    if forfeits is not None:
        console.print(forfeits)


def isolation_of(limits: dict[str, Any], *, isolate: bool) -> Isolation | None:
    """Return the isolation that options of a command ask for, `limits` by their names in `Isolation`; else None.

    Raises:
        ValueError: limits are given without isolation, or cannot be enforced.
    """
    given = {f"--{key.replace('_', '-')}": value for key, value in limits.items() if value is not None}
    for option, value in given.items():
        if not isolate:
            raise ValueError(f"{option} needs --isolate: {UNSTOPPABLE}")
        if not 0 < value < math.inf:
            raise ValueError(f"{option} {value} is not allowed: give a number of seconds above 0")
    if not isolate:
        return None
    isolation = Isolation(**limits)
    isolation.check("--{}")
    return isolation
