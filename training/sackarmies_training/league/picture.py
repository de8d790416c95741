"""The picture of a league's history: ratings with intervals by day."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import Any, Literal

from sackarmies_training.ladder.picture import INK, PALE, PAPER, SETTINGS, saved
from sackarmies_training.league.standings import Day

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5c00", "#56b4e9", "#000000")  # color-blind safe
DASHES = ("-", "--", ":", "-.")


def draw(days: Sequence[Day], active: Collection[str], form: Literal["png", "svg"]) -> bytes:
    """Return the picture as a file; equal results give equal bytes.

    Args:
        days: at least one.
        active: labels of the active agents, which are drawn with intervals where they are measured; others are pale.
        form: format of the file.

    Raises:
        ImportError: there is no matplotlib.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for day in days for name in day.ratings))
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(8.4, 4.6), layout="constrained", facecolor=PAPER)
        panel: Any = figure.subplots()
        styles = iter([(color, dash) for dash in DASHES for color in COLORS] * (1 + len(names) // 28))
        for name in names:
            days_rated = [day for day in days if name in day.ratings]
            found = [day.ratings[name] for day in days_rated]
            dates, values = [date.fromisoformat(day.date) for day in days_rated], [one.rating.value for one in found]
            if name not in active:
                panel.plot(dates, values, color=PALE, linewidth=1, zorder=1)
                panel.annotate(name, (dates[-1], values[-1]), color=PALE, fontsize=7)
                continue
            color, dash = next(styles)
            panel.plot(dates, values, dash, color=color, marker="o", markersize=3, linewidth=1.6, label=name, zorder=3)
            ends = [one.rating.low for one in found], [one.rating.high for one in found]
            measured = [one.is_measured for one in found]
            panel.fill_between(dates, *ends, where=measured, color=color, alpha=0.12, linewidth=0, zorder=2)
            if measured == [True]:
                panel.errorbar(
                    dates, values, [[values[0] - ends[0][0]], [ends[1][0] - values[0]]], color=color, capsize=2
                )
        ticks = [date.fromisoformat(day.date) for day in days[:: 1 + len(days) // 8]]
        panel.set_xticks(ticks, [tick.isoformat() for tick in ticks], rotation=20)
        panel.set_ylabel("Elo, 95% interval", color=INK)
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        if any(name in active for name in names):
            panel.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=8)
        return saved(figure, form)
