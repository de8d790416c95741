"""The rule index: every ID of the list has its function and its tests, and the generated pages are up to date."""

from __future__ import annotations

import functools
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.second_game import GAME, registered


def load_build() -> ModuleType:
    """Import docs/build.py, which is a script and no module of a package."""
    path = Path(__file__).resolve().parents[2] / "docs" / "build.py"
    spec = importlib.util.spec_from_file_location("docs_build", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_build"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


build = load_build()

RULES = build.RuleList(
    {"R8.4.3-1": "advance", "R8.4-3": "other", "RA-Draw-1": "draw", "C-max_turns": "limit", "X-03": "tree"},
    {"R8.4-3": "says nothing"},
    {},
)


def test_every_rule_has_its_function_and_its_tests():
    rules = build.read_rules()
    tests, faults = build.find_tests(rules)
    faults += build.find_faults(rules, build.find_claims(), tests)
    assert not faults, "\n".join(faults)


@pytest.mark.slow
def test_generated_pages_are_up_to_date():
    assert [path.name for path in build.outdated()] == [], "run `make docs`"


@pytest.mark.parametrize(
    ("docstring", "claims"),
    [
        ("Flip a unit (R8.4.3-1).", ["R8.4.3-1"]),
        ("Flip a unit (R8.4.3-1, Q-31).\n\nMore words.", ["R8.4.3-1", "Q-31"]),
        ("Flip a unit.\n\nIt may advance (RA-Draw-1,\nC-max_turns).", ["RA-Draw-1", "C-max_turns"]),
        ("Flip (X-03) a unit.", []),
        ("Flip a unit (see R8.4.3-1).", []),
        ("Flip a unit (chapter 8).", []),
    ],
)
def test_claims_are_parentheses_of_ids_at_the_end_of_a_line(docstring, claims):
    assert build.claims_in(docstring) == claims


@pytest.mark.parametrize(
    ("name", "rules", "unknown"),
    [
        ("test_r8_4_3_1_advances", ["R8.4.3-1"], ""),
        ("test_r8_4_3_1__ra_draw_1_draws", ["R8.4.3-1", "RA-Draw-1"], ""),
        ("test_c_max_turns", ["C-max_turns"], ""),
        ("test_r8_4_3_12_is_no_rule", [], "r8_4_3_12_is_no_rule"),
        ("test_r8_9_9_1_is_no_rule", [], "r8_9_9_1_is_no_rule"),
        ("test_x_03__q_99_is_no_rule", ["X-03"], "q_99_is_no_rule"),
        ("test_advance", [], ""),
    ],
)
def test_names_of_tests_open_with_ids(name, rules, unknown):
    forms = {build.test_form(rule): rule for rule in RULES.subjects}
    assert build.opening_rules(name, forms) == (rules, unknown)


def test_each_kind_of_gap_is_a_sentence():
    here = build.Place("sackarmies_env/games/chess/combat.py", "advance")
    there = build.Place("sackarmies_env/games/chess/draw.py", "draw")
    test = build.Place("tests/sack_armies/rules/test_a.py", "test_a")
    claims = {"R8.4.3-1": [here, there], "R8.4-3": [here], "Q-99": [there], "C-max_turns": [here]}
    tests = {"R8.4.3-1": [test], "RA-Draw-1": [test], "X-03": [test]}
    assert build.find_faults(RULES, claims, tests) == [
        "R8.4.3-1 is claimed 2 times: by sackarmies_env/games/chess/combat.py: advance and "
        "sackarmies_env/games/chess/draw.py: draw",
        "R8.4-3 is claimed by sackarmies_env/games/chess/combat.py: advance, but ids.toml says that it needs no code",
        "Q-99 is claimed by sackarmies_env/games/chess/draw.py: draw, but is no rule of ids.toml",
        "RA-Draw-1 (draw) is claimed by no function",
        "C-max_turns (limit) opens the name of no test",
    ]


def test_index_shows_functions_tests_and_reasons():
    here = build.Place("sackarmies_env/games/chess/combat.py", "advance")
    test = build.Place("tests/sack_armies/rules/test_a.py", "test_a")
    page = build.index_markdown(RULES, {"R8.4.3-1": [here]}, {"R8.4.3-1": [test] * 5, "X-03": [test]})
    link = "[`test_a`](../../tests/sack_armies/rules/test_a.py)"
    function = "[`combat.advance`](../../sackarmies_env/games/chess/combat.py)"
    assert f"| R8.4.3-1 | advance | {function} | {link}, {link}, {link} and 2 more |" in page
    assert "| R8.4-3 | other | none: says nothing |  |" in page
    assert f"| X-03 | tree | none: tests alone | {link} |" in page


def test_list_of_ids_refuses_what_is_no_id_and_what_has_no_subject(tmp_path):
    path = tmp_path / "ids.toml"
    path.write_text('[subjects]\n"R8" = "a"\n[background]\n[no_code]\n')
    with pytest.raises(ValueError, match=r"'R8' in \[subjects\] is not a rule ID"):
        build.read_rules(path)
    path.write_text('[subjects]\n"Q-01" = "a"\n[background]\n"Q-02" = "b"\n[no_code]\n')
    with pytest.raises(ValueError, match=r"'Q-02' in \[background\] has no subject"):
        build.read_rules(path)


def test_pages_of_a_second_game_stand_in_a_folder_of_their_own():
    with registered():
        assert build.game_pages(GAME) == {}
    with registered(docs="tests.second_game:pages"):
        assert build.game_pages(GAME) == {build.DOCS / "duel" / "cards.md": "# Cards"}


def test_rules_of_a_second_game_have_an_index_of_their_own(tmp_path, monkeypatch):
    for name, folder in (("RULES", "rules"), ("GAMES_FOLDER", "games"), ("TESTS_FOLDER", "tests")):
        monkeypatch.setattr(build, name, tmp_path / folder)
        (tmp_path / folder / "duel").mkdir(parents=True)
    (tmp_path / "rules" / "duel.toml").write_text('[subjects]\n"R1.1-1" = "a life is lost"\n[background]\n[no_code]\n')
    (tmp_path / "games" / "duel" / "rules.py").write_text('def lose():\n    """Lose a life (R1.1-1)."""\n')
    (tmp_path / "tests" / "duel" / "test_rules.py").write_text("def test_r1_1_1_life_is_lost():\n    pass\n")
    monkeypatch.setattr(build, "find_claims", functools.partial(build.find_claims, root=tmp_path))
    monkeypatch.setattr(build, "find_tests", functools.partial(build.find_tests, root=tmp_path))
    page = build.game_pages(GAME)[tmp_path / "rules" / "duel.md"]
    assert "| R1.1-1 | a life is lost | [`rules.lose`](../../games/duel/rules.py) | " in page
    assert "[`test_r1_1_1_life_is_lost`](../../tests/duel/test_rules.py)" in page
