"""Vocabulary of prose: words that the project avoids, and what it uses instead (docs/glossary.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("sackarmies_env", "examples", "agents", "training", "benchmarks", "tests", "docs", "configs")
SUFFIXES = {".py", ".md", ".toml"}
# Generated from the texts that are checked here, or about words themselves.
LEFT_OUT = {"docs/rules/index.md", "docs/observation.md", "docs/actions.md", "docs/catalogue.md", "docs/licences.md"}
LEFT_OUT |= {"tests/test_vocabulary.py"}
QUOTED = {"CHANGELOG.md"}  # records of versions stay as they were written

WORDS = {
    r"\b(he|him|his|himself)\b": "they, them, their",
    r"\bwhole numbers?\b": "integer",
    r"\bprocess(es)? of (its|their) own\b": "separate process",
    r"\bis told by a \w+Error\b": "Raises: ...",
    r"\b(is|are|who is|player|seat|General) to act\b": "current player",
    r"\b(gives?|gave|given|giving) up\b": "forfeit",
    r"\bgames? (that (is|was|are|were) )?cut off\b": "truncated",
    r"\bstrangers?\b": "untrusted",
    r"\bdigest section\b|\bSTYLE\b|\bDESIGN\b|\bhouse plan\b": "a page of this repository, or a rule ID",
    r"\b(neighbour|colour(?!\")|armour(?!\")|favour|behaviour|judgement|honour|labell|modell)": "American spelling",
    r"\b(optimis|synchronis|vectoris|penalis|serialis|initialis|organis|recognis|prioritis)(e|ed|es|er|ing|ation)\b": (
        "American spelling"
    ),
    r"\b(forget_\w+|settle_(sight|copies|backs)|sack_told)\b": "clear_, erase_, leave_; reveal_in_sight; sack_emptied",
    r"\b(centre|towards|defence;|licence)\b": "American spelling",
}
NAMES = re.compile(r"colou?r=|[\"']colou?r[\"']|unit\(armour|catalogue")
RULEBOOK = '"up to the maximum of three tokens allowed in his hand"'


def texts() -> Iterator[tuple[str, str]]:
    """Yield the path and text of every file that is written by hand."""
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in SUFFIXES and name not in LEFT_OUT | QUOTED and "/kept/" not in name:
                yield name, path.read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml"):
        yield name, (ROOT / name).read_text(encoding="utf-8")


def found(pattern: str, text: str) -> list[str]:
    """Return the lines of `text` that match `pattern`, ignoring names in code and the quoted rule."""
    words = re.compile(pattern)
    lines = [NAMES.sub("", line).replace(RULEBOOK, "") for line in text.splitlines()]
    return [f"{number}: {line.strip()}" for number, line in enumerate(lines, 1) if words.search(line)]


@pytest.mark.parametrize("pattern", WORDS)
def test_prose_uses_the_words_of_the_glossary(pattern):
    lines = [f"{name}:{line}" for name, text in texts() for line in found(pattern, text)]
    assert not lines, f"use: {WORDS[pattern]}\n" + "\n".join(lines)


def test_belief_speaks_of_samples_and_not_of_guesses():
    room = ROOT / "sackarmies_env/games/sack_armies/belief"
    lines = [f"{path.name}:{line}" for path in room.glob("*.py") for line in found(r"(?i)\bguess", path.read_text())]
    assert not lines


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("the player loses his units", 1),
        ("a process of its own", 1),
        ("see digest section 5, and the digest of a file", 1),
        ("the history of the sack and its owner", 0),
        ("favors_aquatic = true", 0),
        ("the battlefield favours aquatic units", 1),
        (RULEBOOK, 0),
    ],
)
def test_words_are_found_and_names_are_not(line, times):
    assert sum(len(found(pattern, line)) for pattern in WORDS) == times
