"""Replay pages of the gallery: records of docs/ and examples/ as pages to step through, made by `sackarmies view`.

`site_pages` calls this while the site is built. Without a command `view`, the gallery has no replays.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import typer
from typer.core import TyperGroup

from sackarmies_training.cli import app

DOCS = Path(__file__).resolve().parent
FOLDER = "replays"  # of the site
COMMAND = "from sackarmies_training.cli import app; app()"
OPENED_AT = "ply=150&amp;view=0"  # in the middle of the game, from the view of General 0
RECORDS = {
    "two_generals": DOCS / "records" / "two_generals.json",
    "three_generals": DOCS / "records" / "three_generals.json",
    "analyzed_game": DOCS.parent / "examples" / "analyzed_game.json",
}
TITLES = {  # name of a record -> what the gallery says of it
    "two_generals": "Court of the Glade against Scourge: two greedy Generals",
    "three_generals": "Three greedy Generals",
    "analyzed_game": "Search against greedy, with what search thinks of each decision",
}


def can_view() -> bool:
    """Return whether the command line has `sackarmies view`."""
    command = typer.main.get_command(app)
    return isinstance(command, TyperGroup) and "view" in command.commands


def section() -> str:
    """Return the section of the gallery with the replays, as Markdown; empty if they cannot be made."""
    if not can_view():
        return ""
    parts = ["\n## Live replays\n\nUse the arrow keys, and choose whose eyes you see with.\n"]
    for name, title in TITLES.items():
        page = f"{FOLDER}/{name}.html"
        frame = f'<iframe class="replay" src="{page}#{OPENED_AT}" title="{title}" loading="lazy"></iframe>'
        parts.append(f'\n### {title}\n\n{frame}\n\n<a href="{page}">The replay on a page of its own</a>\n')
    return "".join(parts)


def write_replays(site: Path) -> None:
    """Write the replay pages into the folder of the site."""
    if not can_view():
        return
    (site / FOLDER).mkdir(exist_ok=True)
    compiled = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    for name, record in RECORDS.items():
        page = site / FOLDER / f"{name}.html"
        command = [sys.executable, "-c", COMMAND, "view", str(record), "--html", str(page)]
        subprocess.run(command, check=True, env=compiled, stdout=subprocess.DEVNULL)
