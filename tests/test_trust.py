"""Commands in docs/trust.md: the Makefile targets, test files and test folders that they name exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "trust.md").read_text()
COMMANDS = re.findall(r"`((?:[A-Z_]+=\S+ )*make [^`]+)`", PAGE)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_each_promise_has_its_command():
    rows = re.findall(r"^\| \*\*.*$", PAGE, re.MULTILINE)
    assert len(rows) > 14
    assert [row for row in rows if "`make " not in row] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_name_targets_and_tests_that_are_there(command):
    target = re.search(r"make ([a-z-]+)", command)[1]
    assert target in TARGETS
    assert [path for path in re.findall(r"tests/[\w/.]+", command) if not (ROOT / path).exists()] == []


def test_number_of_distributions_is_that_of_the_list():
    rows = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8").splitlines()[2:]
    assert f"| {len(rows)} distributions," in PAGE
