"""Profile of a decision as tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from benchmarks.report import Rows, describe_run, markdown_table, plain_table

Result = Mapping[str, Any]


def profile_heads(result: Result) -> list[str]:
    """Return the column headings of the table: shares, then nanoseconds."""
    return ["kind of decision", "of decisions", "of time", *result["parts"], "sum"]


def profile_rows(result: Result) -> Rows:
    """Return a row for all decisions, and one for each kind, the most frequent first."""
    rows = [["all", "100.0%", "100.0%", *_nanoseconds(result["parts"], result)]]
    for name, kind in result["kinds"].items():
        rows.append([name, f"{kind['share']:.1%}", f"{kind['time']:.1%}", *_nanoseconds(kind, result)])
    return rows


def _nanoseconds(values: Mapping[str, float], result: Result) -> list[str]:
    means = [values[part] for part in result["parts"]]
    return [f"{mean:,.0f}" for mean in [*means, sum(means)]]


def profile_table(result: Result) -> Table:
    """Return the table for the terminal."""
    return plain_table("Where a decision's time goes, mean nanoseconds", profile_heads(result), profile_rows(result))


def profile_sentences(result: Result) -> list[str]:
    """Return sentences about what the table does not show."""
    counters = result["counters"]
    counted = (
        f"Counts of instructions: {counters['missing']}."
        if "missing" in counters
        else "A decision takes "
        + ", ".join(f"{value:,.0f} {name.removesuffix(':u')}" for name, value in counters.items())
    )
    return [
        f"A game lasts {result['decisions a game']:,.0f} decisions; beginning a new one takes "
        f"{result['beginning']:,.0f} ns.",
        f"An observation of {result['observation bytes']:,} bytes takes {result['parts']['observation']:,.0f} ns, "
        f"{result['observation to memory']:.1f} times as long as zeroing and copying as many bytes "
        f"({result['memory']:,.0f} ns).",
        f"Reading the clock took {result['clock overhead']:.0f} ns, which are taken off.",
        counted,
    ]


def profile_markdown(result: Result) -> str:
    """Return the profile's part of the page as Markdown."""
    table = markdown_table(profile_heads(result), profile_rows(result))
    return "\n".join([describe_run(result), "", table, "", *profile_sentences(result)])
