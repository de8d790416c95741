"""Generated pages of the documentation: pages and rule indexes of the registered games, reference, pictures.

`python docs/build.py` (or `make docs`) writes them; `--check` only lists those that are out of date.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
if __name__ == "__main__":
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # only a few positions: quicker interpreted than compiled

from pictures import pictures
from reference_pages import reference_pages
from rule_index import id_list, index_page, rules_index
from rules_pages import rules_pages

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.entries import find_hook
from sackarmies_env.registry import DEFAULT_GAME, list_games

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def pages() -> dict[Path, str]:
    """Return the text of every generated page by its path; pages of the default game are directly in docs/."""
    texts = pictures() | {DOCS / name: text for name, text in (rules_pages() | reference_pages()).items()}
    for game_id in list_games():
        texts |= game_pages(game_id)
    return texts


def game_pages(game_id: str) -> dict[Path, str]:
    """Return the pages of a game: those of its hook, and its rule index if there is a list of rule IDs."""
    folder = DOCS if game_id == DEFAULT_GAME else DOCS / game_id
    write_pages = find_hook(game_id, "docs") or dict
    texts = {folder / name: text for name, text in write_pages().items()}
    if id_list(game_id).exists():
        texts[index_page(game_id)] = rules_index(game_id)
    return texts


def outdated() -> dict[Path, str]:
    """Return the pages whose files are missing or out of date, with their new text."""
    texts = pages().items()
    return {path: text for path, text in texts if not path.exists() or path.read_text(encoding="utf-8") != text}


def main() -> int:
    """Write the pages, or with --check list those that are out of date."""
    parser = argparse.ArgumentParser(description="Write the generated pages of the documentation.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    arguments = parser.parse_args()
    stale = outdated()
    if arguments.check:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run `make docs`")
        return bool(stale)
    for path, text in stale.items():
        write_safely(path, text.encode())
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
