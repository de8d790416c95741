"""Names of tests: the rule IDs that they check, then a sentence; short enough to read in a list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LIMIT = 80
IDS = re.compile(r"(?:(?:r\d|r[ab]_|[cdpqvx]_)\w*?__)*")  # all rule IDs except the last, which ends in one underscore


def length_of(name: str) -> int:
    """Return the length of a test's name; if it opens with several rule IDs, only the last one counts."""
    return len("test_") + len(IDS.sub("", name.removeprefix("test_"), count=1))


def names_of_tests() -> Iterator[tuple[str, str]]:
    """Yield file and name of every test function and method."""
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield path.relative_to(TESTS).as_posix(), node.name


def test_names_of_tests_have_at_most_80_characters():
    names = list(names_of_tests())
    assert len(names) > 1000
    assert [f"{path}: {name}" for path, name in names if length_of(name) > LIMIT] == []


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("test_draw", 9),
        ("test_r8_4_3_1_advances", 22),
        ("test_r8_4_3_1__r8_4_3_2_advances", 22),
        ("test_c_max_turns__q_70_limit", 15),
        ("test_ra_draw_1__ra_draw_2__x_03_draws", 15),
        ("test_two__underscores", 21),
    ],
)
def test_length_of_a_name_counts_one_rule_id(name, length):
    assert length_of(name) == length
