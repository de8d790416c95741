"""The generated parts of docs/benchmarks.md: `python -m benchmarks.page` rewrites them from the recorded results."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.curve_report import curves_markdown
from benchmarks.profile_report import profile_markdown
from benchmarks.report import contest_markdown, figures_markdown
from sackarmies_env.core.atomic_write import write_safely

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
RESULTS = Path(__file__).parent / "results"
RENDERERS = {
    "contest": ("bench", contest_markdown),
    "figures": ("bench", figures_markdown),
    "profile": ("profile", profile_markdown),
    "curves": ("curves", curves_markdown),
}


def record(name: str, result: Mapping[str, Any]) -> None:
    """Save a result as `results/NAME.json` and rewrite the page."""
    write_safely(RESULTS / f"{name}.json", (json.dumps(result, indent=1) + "\n").encode())
    write_page()


def rendered(text: str, parts: Mapping[str, str]) -> str:
    """Return a page with each part placed between the comments `<!-- begin NAME -->` and `<!-- end NAME -->`.

    Raises:
        ValueError: the page lacks these comments, or has them twice.
    """
    for name, content in parts.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        pieces = re.split(re.escape(begin) + ".*?" + re.escape(end), text, flags=re.DOTALL)
        if len(pieces) != 2:
            raise ValueError(f"the page must hold {begin!r} with {end!r} behind it exactly once")
        text = f"{pieces[0]}{begin}\n\n{content}\n\n{end}{pieces[1]}"
    return text


def recorded_parts() -> dict[str, str]:
    """Return the text of each part that has recorded results."""
    parts = {}
    for part, (name, render) in RENDERERS.items():
        path = RESULTS / f"{name}.json"
        if path.exists():
            parts[part] = render(json.loads(path.read_text(encoding="utf-8")))
    return parts


def write_page() -> None:
    """Rewrite the generated parts of the page."""
    write_safely(PAGE, rendered(PAGE.read_text(encoding="utf-8"), recorded_parts()).encode())


def main() -> None:
    """Rewrite the page."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    write_page()


if __name__ == "__main__":
    main()
