"""The rule index: every listed ID has its function and its tests, and the generated pages are up to date."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.second_game import GAME, registered

DOCS = Path(__file__).resolve().parents[2] / "docs"


def load_index() -> ModuleType:
    """Import docs/rule_index.py; the scripts in docs/ are not a package, and import each other by name."""
    if str(DOCS) not in sys.path:
        sys.path.insert(0, str(DOCS))
    return importlib.import_module("rule_index")


def load_build() -> ModuleType:
    """Import docs/build.py under another name: there is a distribution called "build"."""
    spec = importlib.util.spec_from_file_location("docs_build", DOCS / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build, index = load_build(), load_index()
LISTS = sorted(path for path in index.RULES.glob("*.toml"))

DECLARED = {
    "title": "Index",
    "rulings": "none",
    "ids": r"R\d+(?:\.\d+)+-\d+|RA-\w+-\d+|[QX]-\d\d|C-\w+",
    "names": r"r\d+_\d+|[qx]_\d\d",
    "code": "games/chess",
    "tests": "tests",
    "several_functions": False,
    "tests_alone": ["X"],
}
RULES = index.RuleList(
    "ids.toml",
    DECLARED,
    {"R": "Rules", "RA": "Abilities", "C": "Switches", "X": "Examples"},
    {"R8.4.3-1": "advance", "R8.4-3": "other", "RA-Draw-1": "draw", "C-max_turns": "limit", "X-03": "tree"},
    {"R8.4-3": "says nothing"},
    {},
)


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_rule_has_its_function_and_its_tests(path):
    rules = index.read_rules(path)
    tests, faults = index.find_tests(rules)
    faults += index.find_faults(rules, index.find_claims(rules), tests)
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
    assert index.claims_in(docstring, RULES.id_form) == claims


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
    forms = {index.test_form(rule): rule for rule in RULES.subjects}
    assert index.opening_rules(name, forms, DECLARED["names"]) == (rules, unknown)


def test_each_kind_of_gap_is_a_sentence():
    here = index.Place("sackarmies_env/games/chess/combat.py", "advance")
    there = index.Place("sackarmies_env/games/chess/draw.py", "draw")
    test = index.Place("tests/sack_armies/rules/test_a.py", "test_a")
    claims = {"R8.4.3-1": [here, there], "R8.4-3": [here], "Q-99": [there], "C-max_turns": [here]}
    tests = {"R8.4.3-1": [test], "RA-Draw-1": [test], "X-03": [test]}
    assert index.find_faults(RULES, claims, tests) == [
        "R8.4.3-1 is claimed 2 times: by sackarmies_env/games/chess/combat.py: advance and "
        "sackarmies_env/games/chess/draw.py: draw",
        "R8.4-3 is claimed by sackarmies_env/games/chess/combat.py: advance, but ids.toml says that it needs no code",
        "Q-99 is claimed by sackarmies_env/games/chess/draw.py: draw, but is no rule of ids.toml",
        "RA-Draw-1 (draw) is claimed by no function",
        "C-max_turns (limit) opens the name of no test",
    ]


def test_index_shows_functions_tests_and_reasons():
    here = index.Place("sackarmies_env/games/chess/combat.py", "advance")
    test = index.Place("tests/sack_armies/rules/test_a.py", "test_a")
    page = index.index_markdown(RULES, {"R8.4.3-1": [here]}, {"R8.4.3-1": [test] * 5, "X-03": [test]})
    link = "[`test_a`](../../tests/sack_armies/rules/test_a.py)"
    function = "[`combat.advance`](../../sackarmies_env/games/chess/combat.py)"
    assert f"| R8.4.3-1 | advance | {function} | {link}, {link}, {link} and 2 more |" in page
    assert "| R8.4-3 | other | none: says nothing |  |" in page
    assert f"| X-03 | tree | none: tests alone | {link} |" in page


def test_several_functions_may_share_a_rule_where_the_list_says_so():
    here, there = index.Place("games/chess/a.py", "advance"), index.Place("games/chess/b.py", "advance_two")
    shared = dataclasses.replace(RULES, index={**DECLARED, "several_functions": True}, subjects={"R8.4.3-1": "advance"})
    tests = {"R8.4.3-1": [index.Place("tests/test_a.py", "test_a")]}
    assert index.find_faults(shared, {"R8.4.3-1": [here, there]}, tests) == []


def test_an_id_belongs_to_the_group_of_its_letters_alone():
    assert [RULES.group_of(rule) for rule in ("R8.4-3", "RA-Draw-1", "RB-01", "C-seed", "Card-1")] == [
        "R",
        "RA",
        "",
        "C",
        "",
    ]


def declaration(index_lines="", subjects="", background=""):
    """Return the text of a list of IDs; `index_lines` replace keys of the section [index]."""
    keys = {key: json.dumps(value) for key, value in DECLARED.items()}  # which is valid TOML, too
    keys |= dict(line.split(" = ") for line in index_lines.splitlines())
    section = "".join(f"{key} = {value}\n" for key, value in keys.items() if value)
    groups = '[groups]\nR = "Rules"\nQ = "Rulings"\n'
    return f"[index]\n{section}{groups}[subjects]\n{subjects}\n[background]\n{background}\n[no_code]\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (declaration(subjects='"R8" = "a"'), r"'R8' in \[subjects\] is not a rule ID"),
        (declaration(subjects='"C-seed" = "a"'), r"'C-seed' in \[subjects\] belongs to none of \[groups\]"),
        (declaration(subjects='"Q-01" = "a"', background='"Q-02" = "b"'), r"'Q-02' in \[background\] has no subject"),
        (declaration("code = "), r"\[index\] must have the key 'code', str"),
        (declaration("several_functions = 'no'"), r"\[index\] must have the key 'several_functions', bool"),
        ("[subjects]\n", r"\[index\] must have the key 'title', str"),
    ],
)
def test_list_of_ids_at_fault_is_refused(text, words, tmp_path):
    path = tmp_path / "ids.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}: {words}"):
        index.read_rules(path)


def test_pages_of_a_second_game_stand_in_a_folder_of_their_own():
    with registered():
        assert build.game_pages(GAME) == {}
    with registered(docs="tests.second_game:pages"):
        assert build.game_pages(GAME) == {build.DOCS / "duel" / "cards.md": "# Cards"}


def test_rules_of_a_second_game_have_an_index_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(index, "ROOT", tmp_path)
    monkeypatch.setattr(index, "RULES", tmp_path / "rules")
    for folder in ("rules", "games/duel", "tests/duel"):
        (tmp_path / folder).mkdir(parents=True)
    folders = "code = 'games/duel'\ntests = 'tests/duel'"
    (tmp_path / "rules" / "duel.toml").write_text(declaration(folders, '"R1.1-1" = "a life is lost"'))
    (tmp_path / "games" / "duel" / "rules.py").write_text('def lose():\n    """Lose a life (R1.1-1)."""\n')
    (tmp_path / "tests" / "duel" / "test_rules.py").write_text("def test_r1_1_1_life_is_lost():\n    pass\n")
    with registered():
        page = build.game_pages(GAME)[tmp_path / "rules" / "duel.md"]
    assert "| R1.1-1 | a life is lost | [`rules.lose`](../../games/duel/rules.py) | " in page
    assert "[`test_r1_1_1_life_is_lost`](../../tests/duel/test_rules.py)" in page
