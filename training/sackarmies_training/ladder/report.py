"""Reports of a ladder: Markdown, CSV, one self-contained HTML page, and plain data."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_training.files import write_json
from sackarmies_training.ladder.config import LadderConfig, Pool
from sackarmies_training.ladder.estimate import PoolEstimates, RungResult
from sackarmies_training.ladder.picture import draw
from sackarmies_training.ladder.thinking import Thinking
from sackarmies_training.ladder.units import UnitEntry
from sackarmies_training.matches import Progress
from sackarmies_training.ratings import Rating
from sackarmies_training.reports.html_page import Markup, element, items, page, table
from sackarmies_training.reports.parts import games_section
from sackarmies_training.reports.replays import Replays
from sackarmies_training.stats.cycles import Structure, structure_of
from sackarmies_training.stats.estimate import RESAMPLES, Estimate, Estimates, Step
from sackarmies_training.tournament import GameSummary

RUNG_HEADS = (
    *("rung", "agent", "Elo", "95% interval", "games", "points", "won", "drawn", "lost", "draws"),
    *("decisions/s", "ms, median", "ms, 99%"),
)
ADJUSTED_HEADS = ("Elo, luck taken out", "95% interval")  # if luck was measured
MARK = "*"  # marks a rating that games alone do not set


@dataclass(frozen=True)
class PoolReport:
    """A pool and its measurements, best rung first."""

    pool: Pool
    estimates: PoolEstimates
    rungs: tuple[RungResult, ...]
    structure: Structure | None

    @property
    def title(self) -> str:
        """A heading."""
        return f"{self.pool.players} players"


def make_reports(config: LadderConfig, entries: Sequence[UnitEntry]) -> list[PoolReport]:
    """Return reports on the finished units of all pools in which every rung has played."""
    reports = []
    for pool in config.pool:
        rungs = config.rungs_of(pool)
        played = [one for one in entries if one.players == pool.players and set(one.line_up) <= set(rungs)]
        seated = {name for entry in played for name in entry.line_up}
        if seated >= set(rungs):
            estimates = PoolEstimates(rungs, played, config.anchor if config.anchor in rungs else None)
            results = tuple(map(estimates.result, estimates.ranked))
            reports.append(PoolReport(pool, estimates, results, structure_of(estimates)))
    return reports


# --- sentences


def percent(estimate: Estimate) -> str:
    """Return a share with its interval."""
    return f"{estimate.value:.1%} ({estimate.low:.1%} to {estimate.high:.1%})"


def elo(difference: Rating) -> str:
    """Return a difference in ratings with its interval."""
    return f"{difference.value:.0f} Elo ({difference.low:.0f} to {difference.high:.0f})"


def design_sentences(config: LadderConfig, report: PoolReport) -> list[str]:
    """Describe what was played, and what it can say."""
    players, estimates = report.pool.players, report.estimates
    units = len(estimates.entries)
    armies = len(config.army_list)
    shared = f" All {armies} armies have equal shares." if armies > 1 else ""
    lines = [
        f"{units} units, {len(estimates.outcomes)} games. A unit is one draw of armies and chance, played in all "
        f"seatings of its line-up.{shared} Intervals are 95%, by bootstrap over units ({RESAMPLES} resamples), "
        "and by Wilson's formula for shares where all units have the same result. "
        f"{zero_sentence(config, estimates)}",
    ]
    if players > 2:
        lines.append(f"With {players} players, a rating says who is strong against this pool, and no more.")
    lines += [step_sentence(step, estimates) for step in estimates.steps()]
    lines += [] if report.structure is None else report.structure.sentences()
    lines += [
        f"{rung.name} lost {rung.forfeits} of its {rung.tally.games} games by forfeit."
        for rung in report.rungs
        if rung.forfeits
    ]
    return lines


def zero_sentence(config: LadderConfig, estimates: Estimates) -> str:
    """Say which rungs have the rating 0."""
    if estimates.anchor is not None:
        return f"{estimates.anchor} has the rating 0."
    why = "" if config.anchor is None else f" The anchor, {config.anchor}, does not play here."
    if len(estimates.measured) == 1:
        return f"{next(iter(estimates.measured))} has the rating 0.{why}"
    return f"The mean rating of the rungs that games compare is 0.{why}"


def step_sentence(step: Step, estimates: PoolEstimates) -> str:
    """Describe how far a rung stands above the next one, as far as the games show."""
    met = estimates.payoff(step.upper, step.lower)
    direct = "" if met is None else f" It took {percent(met)} of their points in {met.games} games."
    if estimates.adjusted is not None and step.is_measured:
        adjusted = estimates.adjusted
        if adjusted.groups[step.upper] == adjusted.groups[step.lower]:
            direct += f" With luck taken out: {elo(adjusted.difference(step.upper, step.lower))}."
        else:
            direct += " With luck taken out, the games set no upper limit to how far."
    if not step.is_ordered:
        return (
            f"The games do not place {step.upper} above {step.lower}: it took no point from {step.lower}, directly or "
            f"through others.{direct}"
        )
    if not step.is_measured:
        return (
            f"{step.upper} stands above {step.lower}, and the games set no upper limit to how far: on one side of "
            f"this gap no rung took a point from one on the other.{direct}"
        )
    difference = elo(step.difference)
    if step.is_shown:
        return f"{step.upper} stands {difference} above {step.lower}.{direct}"
    return f"{step.upper} is not shown to stand above {step.lower}: {difference}.{direct}"


# --- tables


def interval(rung: RungResult, estimates: Estimates) -> str:
    """Return the interval of a rating, or "order only" if games alone do not set it."""
    return reach(rung.rating, estimates) if rung.is_measured else "order only"


def reach(rating: Rating, estimates: Estimates) -> str:
    """Return the interval of a rating that games set, or why there is none."""
    if rating.has_interval:
        return f"{rating.low:+.0f} to {rating.high:+.0f}"
    return "too few units" if estimates.has_single_units else "all units alike"


def rung_heads(report: PoolReport) -> list[str]:
    """Return the column headings of `rung_rows`."""
    return [*RUNG_HEADS, *(() if report.estimates.adjusted is None else ADJUSTED_HEADS)]


def adjusted_cells(rung: RungResult, report: PoolReport) -> list[str]:
    """Return the rating with luck taken out and its interval, if it was measured."""
    adjusted = report.estimates.adjusted
    if adjusted is None:
        return []
    rating = adjusted.ratings()[rung.name]
    if not rung.is_measured:
        return ["", ""]
    if not adjusted.is_measured(rung.name):
        return [f"{rating.value:+.0f}{MARK}", "order only"]
    return [f"{rating.value:+.0f}", reach(rating, adjusted)]


def rung_rows(config: LadderConfig, report: PoolReport) -> list[list[str]]:
    """Return a row for each rung, best first."""
    return [
        [
            rung.name,
            config.agents[rung.name],
            f"{rung.rating.value:+.0f}{'' if rung.is_measured else MARK}",
            interval(rung, report.estimates),
            str(rung.tally.games),
            percent(rung.score),
            *map(str, (rung.tally.wins, rung.tally.draws, rung.tally.losses)),
            f"{rung.draw_share:.1%}",
            *thinking_cells(rung.thinking),
            *adjusted_cells(rung, report),
        ]
        for rung in report.rungs
    ]


def thinking_cells(thinking: Thinking) -> list[str]:
    """Return decisions per second, and the median and 99th percentile per decision; blanks if none was measured."""
    if not thinking.decisions:
        return ["", "", ""]
    return [f"{thinking.rate:,.0f}", *(f"{1000 * thinking.quantile(share):.3g}" for share in (0.5, 0.99))]


def payoff_rows(report: PoolReport) -> list[list[str]]:
    """Return the row's share of the points that row and column took in their common games, with intervals."""
    names = [rung.name for rung in report.rungs]
    rows = []
    for one in names:
        cells = [None if one == other else report.estimates.payoff(one, other) for other in names]
        rows.append([one, *("" if cell is None else percent(cell) for cell in cells)])
    return rows


def notes(report: PoolReport) -> list[str]:
    """Return what the columns of the tables mean."""
    lines = [
        "Points: one a game, for the winner, or divided among those who draw at the top; here the share of the points "
        "that the rung and its opponents took. Draws: the share of games in which several rungs shared the point.",
        "Decisions a second and milliseconds a decision: processor time of the agent's own answers while it played, of "
        "all its threads together, the game itself left out; the classes of durations are 5% wide.",
    ]
    if report.estimates.adjusted is not None:
        lines.append(
            "Luck taken out: wherever flips or dice decided, what they brought is compared with its mean over all "
            "that they might have brought, by exact odds and the evaluation of searches. What is taken out is 0 on "
            "average, whoever plays. Intervals are narrower where the evaluation of positions knows something about "
            "the game."
        )
    return [*lines, *mark_notes(report)]


def mark_notes(report: PoolReport) -> list[str]:
    """Return what the mark beside a rating means, if there is one."""
    estimates, lines = report.estimates, []
    measured = [rung for rung in report.rungs if rung.is_measured]
    if len(measured) < len(report.rungs):
        others = "those without a mark" if measured else estimates.anchor or "any other one"
        lines.append(
            f"{MARK} Between this rung and {others}, points went one way only, or none were taken: a prior of 800 Elo "
            "alone keeps its rating finite. Read it as an order, not as a distance."
        )
    adjusted = estimates.adjusted
    if adjusted is not None and not all(adjusted.is_measured(rung.name) for rung in measured):
        lines.append(
            f"{MARK} beside a rating with luck taken out: this rung, or a group that it belongs to, is left with all "
            "points or more, or with none or less. Read it as an order, too. Without an anchor, the mean of the other "
            "ratings with luck taken out is 0."
        )
    return lines


# --- files


def markdown(config: LadderConfig, reports: Sequence[PoolReport]) -> str:
    """Return the ladder as Markdown."""
    lines = ["# Ladder", ""]
    for report in reports:
        lines += [f"## {report.title}", ""]
        lines += [f"- {line}" for line in design_sentences(config, report)]
        lines += ["", *markdown_table(rung_heads(report), rung_rows(config, report)), ""]
        lines += [*(f"{line}\n" for line in notes(report))]
        lines += [f"### Share of their points, row against column, {report.title}", ""]
        lines += [*markdown_table(["", *(rung.name for rung in report.rungs)], payoff_rows(report)), ""]
    return "\n".join(lines)


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    cells = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in cells]


def csv_text(config: LadderConfig, reports: Sequence[PoolReport]) -> str:
    """Return lines of CSV for each rung in each pool, and for each pair."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["players", "rung", "against", "agent", "value", "low", "high", "unit", "units", "games"])
    for report in reports:
        players = report.pool.players
        for rung in report.rungs:
            rating, counts = rung.rating, (rung.score.units, rung.score.games)
            agent = config.agents[rung.name]
            rated = _rounded(rating, 1) if rung.is_measured else ["", "", ""]
            writer.writerow([players, rung.name, "", agent, *rated, "Elo", *counts])
            if report.estimates.adjusted is not None and rung.is_measured:
                adjusted = report.estimates.adjusted
                fair = _rounded(adjusted.ratings()[rung.name], 1) if adjusted.is_measured(rung.name) else ["", "", ""]
                writer.writerow([players, rung.name, "", agent, *fair, "Elo, luck taken out", *counts])
            writer.writerow([players, rung.name, "", agent, *_rounded(rung.score, 4), "share of points", *counts])
            for value, unit in _plain_figures(rung):
                writer.writerow([players, rung.name, "", agent, value, "", "", unit, *counts])
            for other in report.rungs:
                met = None if other is rung else report.estimates.payoff(rung.name, other.name)
                if met is not None:
                    row = [players, rung.name, other.name, agent, *_rounded(met, 4)]
                    writer.writerow([*row, "share of points", met.units, met.games])
    return out.getvalue()


def _plain_figures(rung: RungResult) -> list[tuple[float | str, str]]:
    """Return the figures of a rung that have no interval, with their units; blank where nothing was measured."""
    thinking = rung.thinking
    rate, median, most = thinking.rate, 1000 * thinking.quantile(0.5), 1000 * thinking.quantile(0.99)
    times = [float(f"{number:.4g}") if thinking.decisions else "" for number in (rate, median, most)]
    units = ("decisions/s", "ms a decision, median", "ms a decision, 99%")
    return [(round(rung.draw_share, 4), "share of games drawn"), *zip(times, units, strict=True)]


def _rounded(measured: Rating | Estimate, digits: int) -> list[float | str]:
    numbers = (measured.value, measured.low, measured.high)
    return ["" if math.isnan(number) else round(number, digits) for number in numbers]


def html_page(config: LadderConfig, reports: Sequence[PoolReport], folder: Path) -> str:
    """Return one page that includes all styles and the picture (SVG), and links to the files of games in the folder."""
    picture = draw(reports, "svg").decode()
    replays = Replays(folder, config.workers)
    parts = [Markup(picture[picture.index("<svg") :])]
    for report in reports:
        parts += pool_section(config, report)
        if games := recorded_games(report, replays):
            parts += games_section(config.game.id, games, replays)
    return page("Ladder", parts)


def pool_section(config: LadderConfig, report: PoolReport) -> Iterator[Markup]:
    """Yield the measurements of a pool."""
    yield element("h2", report.title)
    yield items(design_sentences(config, report))
    yield table(rung_heads(report), rung_rows(config, report))
    yield from (element("p", line) for line in notes(report))
    yield element("h3", "Share of their points, row against column")
    yield table(["rung", *(rung.name for rung in report.rungs)], payoff_rows(report))


def recorded_games(report: PoolReport, replays: Replays) -> dict[str, GameSummary]:
    """Return the games of a pool that have records, by file name."""
    games = {name: game for entry in report.estimates.entries for name, game in entry.named_games.items()}
    return {name: game for name, game in games.items() if replays.record(name).exists()}


def missing_replays(reports: Sequence[PoolReport], folder: Path) -> list[str]:
    """Return the names of the games that have a record but no page."""
    replays = Replays(folder, 1)
    return [name for report in reports for name in recorded_games(report, replays) if not replays.has_page(name)]


def write_replays(
    config: LadderConfig, reports: Sequence[PoolReport], folder: Path, names: Sequence[str], progress: Progress
) -> list[str]:
    """Write pages of games, then the report that links to them again, see `Replays.write`."""
    if not names:
        return []
    try:
        return Replays(folder, config.workers).write(names, progress)
    finally:
        write_html(config, reports, folder)


def report_data(config: LadderConfig, reports: Sequence[PoolReport]) -> dict[str, Any]:
    """Return the reports as plain data."""
    return {
        "pools": [
            {
                "players": report.pool.players,
                "units": len(report.estimates.entries),
                "games": len(report.estimates.outcomes),
                "rungs": [_rung_data(config, rung, report.estimates.adjusted) for rung in report.rungs],
                "steps": [asdict(step) | {"difference": _data(step.difference)} for step in report.estimates.steps()],
                "structure": None if report.structure is None else asdict(report.structure),
                "payoff": [
                    {"rung": one.name, "against": other.name, **asdict(met)}
                    for one in report.rungs
                    for other in report.rungs
                    if one is not other and (met := report.estimates.payoff(one.name, other.name)) is not None
                ],
            }
            for report in reports
        ]
    }


def _rung_data(config: LadderConfig, rung: RungResult, adjusted: Estimates | None) -> dict[str, Any]:
    thinking = rung.thinking
    return {
        "rung": rung.name,
        "agent": config.agents[rung.name],
        "elo": _data(rung.rating),
        "elo_luck_taken_out": None if adjusted is None else _data(adjusted.ratings()[rung.name]),
        "is_measured": rung.is_measured,
        "is_measured_luck_taken_out": adjusted is not None and rung.is_measured and adjusted.is_measured(rung.name),
        "points": asdict(rung.score),
        **asdict(rung.tally),
        "draw_share": rung.draw_share,
        "forfeits": rung.forfeits,
        "decisions": thinking.decisions,
        "decisions_a_second": thinking.rate,
        "seconds_median": thinking.quantile(0.5),
        "seconds_99": thinking.quantile(0.99),
    }


def _data(rating: Rating) -> dict[str, float | None]:
    """Return a rating as plain data, with None for ends that are not JSON numbers."""
    return {name: number if math.isfinite(number) else None for name, number in asdict(rating).items()}


def write_reports(config: LadderConfig, reports: Sequence[PoolReport], folder: Path) -> None:
    """Write `ladder.md`, `results.csv`, `results.json`, `ladder.png` and `ladder.html`, the pictures last.

    Raises:
        OSError: one of them cannot be written.
        ImportError: there is no matplotlib.
    """
    write_json(folder / "results.json", report_data(config, reports))
    write_safely(folder / "results.csv", csv_text(config, reports).encode())
    write_safely(folder / "ladder.md", markdown(config, reports).encode())
    write_safely(folder / "ladder.png", draw(reports, "png"))
    write_html(config, reports, folder)


def write_html(config: LadderConfig, reports: Sequence[PoolReport], folder: Path) -> None:
    """Write `ladder.html`; errors as for `write_reports`."""
    write_safely(folder / "ladder.html", html_page(config, reports, folder).encode())
