"""Results as tables: on the terminal, and as generated parts of docs/benchmarks.md."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

CONTESTANTS = Path(__file__).with_name("contestants.toml")
Rows = list[list[str]]

CONTEST_HEADS = (
    "library",
    "what",
    "decisions a second",
    "lowest to highest",
    "must / ambition",
    "cores used",
    "a CPU-second",
    "actions",
    "observation",
    "games at once",
)
FIGURE_HEADS = ("what", "measured", "must / ambition")


def contest_rows(result: Mapping[str, Any]) -> Rows:
    """Return the rows of the contest: our library first, and the fastest row of each library first."""
    targets = _targets("family")
    entries = list(result["contestants"].items())
    families = list(dict.fromkeys(entry["family"] for _, entry in entries))
    entries.sort(key=lambda item: (families.index(item[1]["family"]), -item[1].get("rate", 0.0)))
    return [_contest_row(entry, targets.get(key, "")) for key, entry in entries]


def _contest_row(entry: Mapping[str, Any], target: str) -> list[str]:
    head = [entry["library"], entry["title"]]
    if "rate" not in entry:
        return [*head, f"not measured: {entry['error']}", *[""] * (len(CONTEST_HEADS) - 3)]
    details = entry["details"]
    return [
        *head,
        f"{entry['rate']:,.0f}",
        f"{entry['lowest']:,.0f} to {entry['highest']:,.0f}",
        target,
        f"{entry['cores']:.1f}",
        f"{entry['by cpu']:,.0f}",
        f"{details['actions']:,}",
        details["observation"],
        f"{details['games at once']:,}",
    ]


def figure_rows(result: Mapping[str, Any]) -> Rows:
    """Return the rows of the figures that are not rates."""
    targets = _targets("figure")
    entries = {entry["name"]: entry for entry in _declared("figure")}
    return [
        [entries[name]["title"], f"{_number(value)} {entries[name]['unit']}", targets.get(name, "")]
        for name, value in result["figures"].items()
    ]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _declared(table: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads(CONTESTANTS.read_text(encoding="utf-8"))[table]
    return entries


def _targets(table: str) -> dict[str, str]:
    """Return the targets as text, "must / ambition", by key."""
    entries = {entry["name"]: entry for entry in _declared(table)} if table == "figure" else {}
    if table == "family":
        for family in _declared(table):
            entries |= {f"{family['id']}/{entry['name']}": entry for entry in family["contestant"]}
    return {
        key: f"{_number(entry['must'])} / {_number(entry['ambition'])}"
        for key, entry in entries.items()
        if "must" in entry
    }


# --- the terminal


def bench_table(result: Mapping[str, Any]) -> Table:
    """Return the contest for the terminal."""
    return plain_table(
        "Random play with mask and observation at every decision, medians", CONTEST_HEADS, contest_rows(result)
    )


def figures_table(result: Mapping[str, Any]) -> Table:
    """Return the other figures for the terminal."""
    return plain_table("Beside the rates", FIGURE_HEADS, figure_rows(result))


def wide_console() -> Console:
    """Return a console that does not squeeze tables when output goes to a file."""
    return Console() if Console().is_terminal else Console(width=200)


def plain_table(title: str, heads: Sequence[str], rows: Rows) -> Table:
    """Return a table for the terminal."""
    table = Table(*heads, title=title)
    for row in rows:
        table.add_row(*row)
    return table


# --- the page


def contest_markdown(result: Mapping[str, Any]) -> str:
    """Return the contest as Markdown: how it was held, its table, the limits of each comparison, and versions."""
    limits = [f"- **{family['title']}**: {family['limits']}" for family in _declared("family")]
    return "\n".join(
        [
            *_circumstances(result),
            "",
            markdown_table(CONTEST_HEADS, contest_rows(result)),
            "",
            "What stands beside what, and what a figure leaves out:",
            "",
            *limits,
            "",
            "Versions:",
            "",
            *_versions(result),
        ]
    )


def figures_markdown(result: Mapping[str, Any]) -> str:
    """Return the table of the other figures as Markdown."""
    return markdown_table(FIGURE_HEADS, figure_rows(result))


def describe_run(result: Mapping[str, Any]) -> str:
    """Return a sentence about the command, the machine and its load."""
    machine = result["machine"]
    low, high = result["load"]
    return (
        f"`{result['command']}`, {result['date']}, {result['seconds']:.0f} s, on {machine['processor']} "
        f"(family/model/stepping {machine['family and model']}, {machine['cores']} cores, {machine['memory']}); "
        f"load of the machine {low:.1f} before and {high:.1f} after."
    )


def _circumstances(result: Mapping[str, Any]) -> list[str]:
    plan = result["plan"]
    return [
        describe_run(result),
        f"Medians of {plan['windows']} windows of {plan['seconds']:g} s in each of up to {plan['rounds']} processes, "
        f"in another order in each round (seed {plan['seed']}).",
    ]


def _versions(result: Mapping[str, Any]) -> list[str]:
    by_library: dict[str, dict[str, str]] = {}
    for entry in result["contestants"].values():
        by_library.setdefault(entry["library"], {}).update(entry.get("versions", {}))
    return [
        f"- {library}: {', '.join(f'{name} {version}' for name, version in versions.items()) or 'not measured'}"
        for library, versions in by_library.items()
    ]


def markdown_table(heads: Sequence[str], rows: Rows) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
