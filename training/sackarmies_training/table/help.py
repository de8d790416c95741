"""Help for a person in a terminal: what they may type, what tokens do, what is on a hex."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sackarmies_env.core.messages import printable, shorten, suggestion
from sackarmies_env.render.ansi import text_columns
from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.picture import Hex, HexBoard
from sackarmies_training.table.choices import plain

ADVICE = """\
Type the number of a choice, which is also on the board where it is a hex; or its name, or the first letters of it.
Other words:"""
HELP = {
    "  ? or help": "this text",
    "  info NAME": "what a token does; info 1,-1: what is on a hex; info 3: more about choice 3",
    "  back": "take back the last part of a choice, as long as nobody else has learned of it",
    "  pass until turn": "pass in all reactions until your turn",
    "  pass until attacked": "pass in all reactions until something of yours is attacked",
    "  stop passing": "be asked for reactions again",
    "  log": "all that has happened",
    "  board": "the board, with all that is written on tokens",
    "  list": "all choices",
    "  quit": "leave the game",
}
HELP_COLUMN = 23  # column where explanations begin
INDENT = 2  # columns by which lines on a hex are indented


def token_lines(glossary: Sequence[dict[str, Any]], given: str) -> list[str]:
    """Return what the tokens of a name do; part of the name is enough.

    Args:
        glossary: as `GameTable.glossary` returns it.
        given: the name as it was typed.
    """
    wanted = plain(given)
    ways: tuple[Callable[[str], bool], ...] = (
        lambda name: name == wanted,
        lambda name: name.startswith(wanted),
        lambda name: wanted in name,
    )
    for is_meant in ways:
        if found := [token for token in glossary if is_meant(plain(token["name"]))]:
            return [line for token in found for line in (f"{token['name']}: {token['text']}", *token["abilities"])]
    near = suggestion(given, [token["name"] for token in glossary])
    return [f'There is no token called "{shorten(printable(given))}"{near}.']


def hex_lines(picture: HexBoard, at: Hex, name: Callable[[int], str]) -> list[str]:
    """Return lines on what is on a hex, which leave room for an indent; none for an empty hex.

    Args:
        picture: what the person sees.
        at: the hex.
        name: returns the name of the player in a seat.
    """
    return picture.hex_lines(Canvas(False, text_columns(None) - INDENT), at, name)
