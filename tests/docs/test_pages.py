"""Pages of the documentation: no link is broken, each word is explained once, and no argument is missing."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from sackarmies_env import environments, sack_armies_v0, territories_v0

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
ENTRY = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub names them."""
    titles = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def is_broken(page: Path, link: str) -> bool:
    """Return whether a link into the repository names a file or a heading that does not exist."""
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return not target.exists() or (anchor != "" and target.suffix == ".md" and anchor not in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_lead_to_files_and_headings(page):
    links = [link for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))) if "://" not in link]
    assert [link for link in links if is_broken(page, link)] == []


def test_links_to_missing_files_and_headings_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n## What is *hidden*?\n", encoding="utf-8")
    assert [is_broken(page, link) for link in ("page.md", "#what-is-hidden", "page.md#a-page")] == [False] * 3
    assert [is_broken(page, link) for link in ("other.md", "#else", "page.md#else")] == [True] * 3


def test_glossary_explains_each_word_once():
    entries = [word.strip("`* ") for word, _ in ENTRY.findall((ROOT / "docs/glossary.md").read_text(encoding="utf-8"))]
    words = [word for entry in entries if entry not in ("word", "---") for word in entry.split(", ")]
    assert len(words) >= 40
    assert sorted(words) == sorted(set(words))


@pytest.mark.parametrize("module", [sack_armies_v0, territories_v0], ids=lambda module: module.GAME)
def test_page_of_a_game_names_every_argument(module):
    page = (ROOT / "docs" / f"{module.GAME}_v0.md").read_text(encoding="utf-8")
    assert [name for name in arguments(module.env) if f"`{name}`" not in page] == []


def test_page_of_environments_names_every_option_of_all_games():
    page = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
    sizes = [name for one in (sack_armies_v0, territories_v0) for name in arguments(one.env) if name.startswith("pad_")]
    names = [name for name in arguments(environments.env) if name not in ("game", "game_options")]
    assert [name for name in names + sizes if f"`{name}`" not in page] == []


def arguments(function):
    """Return the names of the arguments that a function declares."""
    return [name for name in inspect.signature(function).parameters if name != "unknown"]


def test_table_of_libraries_counts_the_lines_of_adapters():
    table = (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8")
    told = re.findall(r"\(\.\./(sackarmies_env/adapters/\w+\.py)\) of (\d+) lines", table)
    lines = [(name, len((ROOT / name).read_text(encoding="utf-8").splitlines())) for name, _ in told]
    assert [(name, int(count)) for name, count in told] == lines
    assert len(lines) == 2
