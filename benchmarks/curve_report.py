"""Growth curves as tables and pictures."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.report import Rows, describe_run, markdown_table, plain_table
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.messages import missing_extra

Result = Mapping[str, Any]
IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
HEADS = (
    "axis",
    "value",
    "decisions a second",
    "processor ns a decision",
    "growth",
    "state, bytes",
    "observation, bytes",
    "actions",
)
LOGARITHMIC = {"games at once"}
INK, PAPER, LINE = "#1f2933", "#ffffff", "#b3541e"


def axes_of(result: Result) -> list[str]:
    """Return the names of the curves."""
    return list(dict.fromkeys(point["axis"] for point in result["points"]))


def curve_rows(result: Result) -> Rows:
    """Return a row for each point."""
    return [
        [
            point["axis"],
            f"{point['value']:,}",
            f"{point['rate']:,.0f}",
            f"{point['nanoseconds']:,.0f}",
            f"{point['growth']:.2f}",
            f"{point['state']:,}",
            f"{point['observation']:,}",
            f"{point['actions']:,}",
        ]
        for point in result["points"]
    ]


def curves_table(result: Result) -> Table:
    """Return the curves for the terminal."""
    return plain_table("Growth", HEADS, curve_rows(result))


def image_name(axis: str) -> str:
    """Return the file name of a curve's picture."""
    return f"curve_{axis.lower().replace(' ', '_')}.svg"


def curves_markdown(result: Result) -> str:
    """Return the pictures and the table of the page as Markdown."""
    pictures = [f"![Decisions a second by {axis}](images/{image_name(axis)})" for axis in axes_of(result)]
    return "\n".join([describe_run(result), "", *pictures, "", markdown_table(HEADS, curve_rows(result))])


def draw_curves(result: Result, folder: Path = IMAGES) -> None:
    """Write a picture of each curve; exit with a message if matplotlib is missing."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
        from matplotlib.ticker import EngFormatter
    except ImportError as error:
        raise SystemExit(missing_extra(error, "drawing curves") or str(error)) from None

    with mpl.rc_context({"svg.hashsalt": "sackarmies", "svg.fonttype": "none", "font.size": 9}):
        for axis in axes_of(result):
            points = [point for point in result["points"] if point["axis"] == axis]
            figure = Figure(figsize=(4.2, 2.6), layout="constrained", facecolor=PAPER)
            plot = figure.subplots()
            plot.plot([point["value"] for point in points], [point["rate"] for point in points], "o-", color=LINE)
            if axis in LOGARITHMIC:
                plot.set_xscale("log", base=4)
                plot.minorticks_off()
            plot.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            plot.set_xticks([point["value"] for point in points], minor=False)
            plot.tick_params(axis="x", labelrotation=30 if axis in LOGARITHMIC else 0)
            plot.yaxis.set_major_formatter(EngFormatter())
            plot.set_ylim(0, 1.1 * max(point["rate"] for point in points))
            plot.grid(axis="y", alpha=0.3)
            plot.spines[["top", "right"]].set_visible(False)
            plot.set_xlabel(axis, color=INK)
            plot.set_ylabel("decisions a second", color=INK)
            picture = io.BytesIO()
            figure.savefig(picture, format="svg", metadata={"Date": None, "Creator": None})
            write_safely(folder / image_name(axis), picture.getvalue())
