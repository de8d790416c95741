"""Table of line counts by game: its place on the page, its rows, and that each file is counted once."""

from __future__ import annotations

import importlib

import pytest

from tests.docs.test_rule_index import DOCS


@pytest.fixture
def sizes(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("game_sizes")


def test_page_has_a_row_for_each_kind(sizes):
    page = sizes.PAGE.read_text(encoding="utf-8")
    shown = sizes.BLOCK.search(page)[0]
    assert all(f"| {kind} | " in shown for kind in (*sizes.KINDS, "all"))
    assert set(sizes.with_sizes(page).splitlines()) >= {"| lines | Sack Armies | Territories |"}


def test_page_without_a_place_for_the_table_is_refused(sizes):
    with pytest.raises(ValueError, match="begin sizes"):
        sizes.with_sizes("# A page")


def test_each_file_counts_once_under_the_first_kind_that_fits(sizes, tmp_path):
    for file, lines in (
        ("sackarmies_env/games/duel/rules/turn.py", 3),
        ("sackarmies_env/games/duel/game.py", 5),
        ("tests/duel/referee/test_a.py", 7),
        ("tests/duel/test_b.py", 11),
        ("tests/envs/test_duel.py", 13),
        ("sackarmies_env/games/other/rules/turn.py", 17),
    ):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("line\n" * lines)
    found = {kind: number for kind, number in sizes.lines_by_kind("duel", tmp_path).items() if number}
    assert found == {
        "rules": 3,
        "configuration, switches, hooks": 5,
        "referee in the tests": 7,
        "other tests": 11 + 13,
    }


def test_both_games_have_state_rules_and_tests(sizes):
    for game_id in sizes.GAMES:
        counted = sizes.lines_by_kind(game_id)
        assert all(counted[kind] > 0 for kind in ("state", "rules", "play", "belief", "other tests"))
