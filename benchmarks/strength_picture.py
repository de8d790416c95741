"""The picture of the strength of searches by time: `python -m benchmarks.strength_picture`.

It draws the first table of docs/searching.md with agents, opponents and shares of games won, and of that the rows
against one opponent. `--page` names another file with such a table, as `benchmarks.search_strength` prints it. The SVG
describes its rows in words.
"""

from __future__ import annotations

import argparse
import io
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_training.ladder.picture import LINE, PAPER, SETTINGS

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PICTURE = DOCS / "searching.md", DOCS / "images" / "search_strength.svg"
COLUMNS = ("agent", "against", "won")
TIMES = ("milliseconds", "ms a decision")  # headings, in the page and as printed
MARKERS = "osD^vP*Xd<>"


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        agent: text form of the searching agent.
        opponent: text form of the opponent.
        won: share of games won, and the ends of its interval, in percent.
        milliseconds: processor time of a decision.
    """

    agent: str
    opponent: str
    won: tuple[float, float, float]
    milliseconds: float

    def __str__(self) -> str:
        share, low, high = self.won
        return f"{self.agent}: {share}% ({low}% to {high}%), {self.milliseconds} ms"


def read_rows(text: str) -> list[Row]:
    """Return the rows of the first table of a Markdown text that has the columns.

    Raises:
        ValueError: there is none.
    """
    rows: list[Row] = []
    heading: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
        if heading and not line.startswith("|"):
            break
        if heading and not set(line) <= set("|-: "):
            named = dict(zip(heading, cells, strict=True))
            share, low, high = (float(number) for number in re.findall(r"([\d.]+)%", named["won"]))
            time = next(float(named[name]) for name in TIMES if name in named)
            rows.append(Row(named["agent"], named["against"], (share, low, high), time))
        if not heading and set(COLUMNS) <= set(cells) and set(TIMES) & set(cells):
            heading = cells
    if not rows:
        raise ValueError(f"no table with the columns {', '.join(COLUMNS)} and {' or '.join(TIMES)}")
    return rows


def draw(rows: list[Row]) -> bytes:
    """Return a picture of the share of games won, by milliseconds per decision, as SVG; a marker for each agent."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MultipleLocator, NullFormatter, PercentFormatter

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(5.5, 3.4 + 0.18 * len(rows)), layout="constrained", facecolor=PAPER)
        axes = figure.add_subplot(xlabel="milliseconds of the processor a decision", ylabel="games won", xscale="log")
        for place, row in enumerate(rows):
            share, low, high = row.won
            ends = np.array([[share - low], [high - share]])
            marker, label = MARKERS[place % len(MARKERS)], row.agent.removeprefix("search:")
            axes.errorbar([row.milliseconds], [share], ends, fmt=marker, color=LINE, markersize=5, label=label)
        axes.set_title(f"search against {rows[0].opponent}; 95% intervals", fontsize=10)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_locator(MultipleLocator(5))
        axes.yaxis.set_major_formatter(PercentFormatter(100, decimals=0))
        axes.grid(alpha=0.3)
        figure.legend(loc="outside lower center", frameon=False, fontsize=8)
        out = io.BytesIO()
        description = "; ".join(map(str, rows))
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Description": description})
    return out.getvalue()


def main() -> None:
    """Draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, default=PAGE, help="Markdown file with the table")
    parser.add_argument("--opponent", default="greedy", help="whose rows are drawn")
    parser.add_argument("--out", type=Path, default=PICTURE, help="SVG file")
    given = parser.parse_args()
    try:
        rows = [row for row in read_rows(given.page.read_text(encoding="utf-8")) if row.opponent == given.opponent]
    except ValueError as error:
        parser.error(f"{given.page}: {error}")
    if not rows:
        parser.error(f"{given.page}: its table has no row against {given.opponent!r}")
    write_safely(given.out, draw(rows))


if __name__ == "__main__":
    main()
