"""The page on testing a game quotes messages that the checks can give."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from sackarmies_env import testing

ROOT = Path(__file__).resolve().parents[2]
QUOTED = re.compile(r"`([^`]+)`")
# What a quoted message has in place of a field: dots, a text, a list, a number, or a name that the example chose.
FIELD = re.compile(
    r"\.\.\.|'[^']*'|\[[^\]]*\]|\([^)]*\)|RANDOM with \d+ decisions|\b\d+\b|the lowest legal action|table\S+|: see\b"
    r"|\b(?:RESUME|BEGIN|STEP|KeyError|None|dice|draw_key|seeds)\b|^(?:reset|observe)\b(?= has| gives)"
)


def sentences_of(folder):
    """Return the texts of all string literals in the modules of a folder, fields of f-strings left out as `{}`."""
    texts = []
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                texts.append("".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
    return texts


def pieces_of(message):
    """Return the words of a quoted message between its fields."""
    return [piece for piece in (part.strip(" ,;:") for part in FIELD.split(message)) if piece]


def quoted_messages():
    """Return the messages of several words in the second columns of the page's tables."""
    page = (ROOT / "docs/testing_a_game.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    found = [message for row in rows if len(row) == 3 for message in QUOTED.findall(row[1])]
    return [message for message in found if " " in message]


def unknown_pieces(messages, sentences):
    return [piece for message in messages for piece in pieces_of(message) if not any(piece in one for one in sentences)]


def test_quoted_messages_stand_in_the_checks():
    messages = quoted_messages()
    assert len(messages) > 60
    assert all(pieces_of(message) for message in messages)
    assert unknown_pieces(messages, sentences_of(Path(testing.__file__).parent)) == []


def test_quoted_messages_that_no_check_gives_are_found():
    sentences = ["{} writes returns that differ from those of returns"]
    messages = ["... (with restarts) writes other returns than returns", "STEP 2 writes returns that differ from those"]
    assert unknown_pieces(messages, sentences) == ["writes other returns than returns"]
