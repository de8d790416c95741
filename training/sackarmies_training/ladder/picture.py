"""The picture of a ladder: ratings with intervals, a panel for each pool."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sackarmies_training.ladder.report import PoolReport

INK, PAPER, LINE, PALE = "#1f2933", "#ffffff", "#b3541e", "#9aa5b1"
ROW_INCHES = 0.34
BELOW = 0.25  # rows between the two ratings of a rung
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "sackarmies",
    "svg.fonttype": "none",
    "font.size": 9,
    "text.parse_math": False,  # names may contain dollar signs
}


def draw(reports: Sequence[PoolReport], form: Literal["png", "svg"]) -> bytes:
    """Return the picture as a file; equal results give equal bytes.

    Raises:
        ImportError: there is no matplotlib.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    most = max((len(report.rungs) for report in reports), default=1)
    with mpl.rc_context(SETTINGS):
        size = (4.6 * max(1, len(reports)), 1.3 + ROW_INCHES * most)
        figure = Figure(figsize=size, layout="constrained", facecolor=PAPER)
        panels = figure.subplots(1, max(1, len(reports)), squeeze=False)[0]
        for report, panel in zip(reports, panels, strict=False):
            adjusted = report.estimates.adjusted
            for place, rung in enumerate(reversed(report.rungs)):
                rating, color = rung.rating, LINE if rung.is_measured else PALE
                panel.plot([rating.low, rating.high], [place, place], "-", color=color, linewidth=2)
                panel.plot([rating.value], [place], "o", color=color)
                if adjusted is not None and rung.is_measured and adjusted.is_measured(rung.name):
                    fair = adjusted.ratings()[rung.name]
                    panel.plot([fair.low, fair.high], [place - BELOW] * 2, "-", color=INK, linewidth=1)
                    panel.plot([fair.value], [place - BELOW], "o", color=INK, markersize=3)
            panel.set_yticks(range(len(report.rungs)), [rung.name for rung in reversed(report.rungs)])
            panel.set_ylim(-0.6, len(report.rungs) - 0.4)
            panel.locator_params(axis="x", nbins=6)  # with four-digit ratings, more would overlap
            panel.grid(axis="x", alpha=0.3)
            panel.spines[["top", "right"]].set_visible(False)
            thin = "" if adjusted is None else "\nthin: luck taken out"
            panel.set_xlabel(f"Elo, 95% interval over units; pale: order only{thin}", color=INK)
            games = len(report.estimates.outcomes)
            panel.set_title(f"{report.title}, {games:,} games", color=INK, fontsize=10)
        return saved(figure, form)


def saved(figure: Figure, form: Literal["png", "svg"]) -> bytes:
    """Return a figure as a file without dates; call it within `SETTINGS`, which make names in the file repeatable."""
    out = io.BytesIO()
    metadata = {"Software": None} if form == "png" else {"Date": None, "Creator": None}
    figure.savefig(out, format=form, dpi=150, metadata=metadata)
    return out.getvalue()
