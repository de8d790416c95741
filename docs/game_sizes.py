"""Lines of each game by kind, and the commits that have changed shared code since the second game began.

`python docs/game_sizes.py` prints the table, `--write` puts it into docs/adding_a_game.md, `--core` lists the commits.
All lines of a file count, comments and empty lines included.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.markdown import table
from sackarmies_env.registry import entry_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "adding_a_game.md"
BLOCK = re.compile(r"(<!-- begin sizes[^\n]*-->\n).*(<!-- end sizes -->)", re.DOTALL)
GAMES = ("sack_armies", "territories")
SHARED = (
    *(f"sackarmies_env/{folder}" for folder in ("adapters", "core", "envs", "render", "testing", "registry.py")),
    *("agents", "training", "docs/rule_index.py"),
    *(f":(exclude,glob)**/{game_id}{rest}" for game_id in GAMES for rest in ("/**", "*")),  # their own
)

KINDS: Mapping[
    str, tuple[str, ...]
] = {  # kind -> patterns of files; {} is the id of the game. A file counts under the first kind that fits
    "data: pieces, cards, maps": (
        "sackarmies_env/games/{}/data/**/*",
        "sackarmies_env/games/{}/tokens/**/*",
    ),
    "scenarios": ("sackarmies_env/games/{}/scenario/**/*",),
    "state": ("sackarmies_env/games/{}/state/**/*",),
    "rules": ("sackarmies_env/games/{}/rules/**/*",),
    "play": ("sackarmies_env/games/{}/play/**/*",),
    "observation": ("sackarmies_env/games/{}/observation/**/*",),
    "belief": ("sackarmies_env/games/{}/belief/**/*",),
    "picture": tuple(
        f"sackarmies_env/render/{{}}/{part}.py"
        for part in ("battle", "counters", "fields", "legend", "model", "panel", "picture", "scene", "text*", "units")
    ),
    "words: narration, pages, tables": (
        "sackarmies_env/games/{}/words/**/*",
        "sackarmies_env/render/{}/*.py",
        "training/sackarmies_training/{}/table.py",
        "training/sackarmies_training/{}/choices.py",
    ),
    "configuration, switches, hooks": ("sackarmies_env/games/{}/*.py", "sackarmies_env/{}_v0.py"),
    "agents and training": ("agents/sackarmies_agents/**/{}/**/*", "training/sackarmies_training/{}/**/*"),
    "referee in the tests": ("tests/{}/referee/**/*",),
    "other tests": ("tests/{}/**/*.py", "tests/**/{}/**/*.py", "tests/**/*{}*.py"),
    "documentation by hand": (),  # see below
}
OWN_PAGES = {  # names of pages do not tell which game they are about
    "sack_armies": ("docs/how_to_play.md", "docs/greedy.md", "docs/sack_armies_v0.md", "docs/rules/rulings.md"),
    "territories": ("docs/territories*.md", "docs/decisions/*territories.md"),
}
TEXTS = (".py", ".toml", ".md")


def lines_by_kind(game_id: str, root: Path = ROOT) -> dict[str, int]:
    """Return how many lines of each kind a game has; a file counts once, under the first kind that fits."""
    counted: set[Path] = set()
    sizes = {}
    for kind, patterns in KINDS.items():
        chosen = OWN_PAGES.get(game_id, ()) if kind == "documentation by hand" else patterns
        paths = {path for pattern in chosen for path in root.glob(pattern.format(game_id))}
        files = {path for path in paths if path.is_file() and path.suffix in TEXTS and not path.is_symlink()} - counted
        counted |= files
        sizes[kind] = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    return sizes


def sizes_table() -> str:
    """Return the table of both games."""
    sizes = {game_id: lines_by_kind(game_id) for game_id in GAMES}
    rows: list[tuple[object, ...]] = [(kind, *(f"{sizes[one][kind]:,}" for one in GAMES)) for kind in KINDS]
    rows.append(("all", *(f"{sum(sizes[one].values()):,}" for one in GAMES)))
    return table(("lines", *(entry_of(one).title for one in GAMES)), rows)


def with_sizes(page: str) -> str:
    """Return the page with an updated table.

    Raises:
        ValueError: the page lacks the comments that mark the table.
    """
    if not BLOCK.search(page):
        raise ValueError(f"{PAGE.name} has no lines '<!-- begin sizes ... -->' and '<!-- end sizes -->'")
    return BLOCK.sub(lambda match: match[1] + sizes_table() + match[2], page)


def changes_of_shared_code() -> str:
    """Return the commits that have changed shared code since the second game began, with files and line counts."""
    begun = _git("log", "--diff-filter=A", "--format=%H", "--", f"sackarmies_env/games/{GAMES[1]}/__init__.py").split()
    return _git("log", "--reverse", "--format=%n%h %s", "--numstat", f"{begun[-1]}^..HEAD", "--", *SHARED)


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def main() -> int:
    """Print or write the table, or print the commits."""
    parser = argparse.ArgumentParser(description="Count the lines of each game.")
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{PAGE.name}")
    parser.add_argument("--core", action="store_true", help="list the commits that have changed shared code")
    arguments = parser.parse_args()
    if arguments.write:
        write_safely(PAGE, with_sizes(PAGE.read_text(encoding="utf-8")).encode())
    print(changes_of_shared_code() if arguments.core else sizes_table(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
