"""The legend under the board: what marks, symbols and letters mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sackarmies_env.render import theme
from sackarmies_env.render.marks import SIGNS, TYPES, draw_mark, draw_seat_number, draw_sign, draw_type
from sackarmies_env.render.sack_armies.counters import draw_flag
from sackarmies_env.render.sack_armies.fields import draw_owner
from sackarmies_env.render.shapes import Place, Scene, Text, text_width

LEFT, RIGHT = 14.0, float(theme.WIDTH - theme.PANEL - 10)
SIZE = 11.0  # of letters
STEP = 17.0  # from row to row
SYMBOL = 6.0  # radius
FRAME = 9.0  # half the width of a unit type's symbol
GAP, AFTER_SYMBOL = 9.0, 4.0
SIGN_WORDS = {
    "water": "water",
    "halts": "ends moves",
    "movement": "movement",
    "damage": "damage",
    "armor": "armor",
    "shelters": "shelters aquatic units",
}

Draw = Callable[[Scene, Place], None]


class Entry(NamedTuple):
    """An entry of the legend.

    Attributes:
        words: what the symbol means.
        draw: draws the symbol; None for words alone.
        half: half the width of the symbol.
        bold: whether the entry is a heading.
    """

    words: str
    draw: Draw | None = None
    half: float = SYMBOL
    bold: bool = False

    @property
    def before(self) -> float:
        """Distance from the start of the entry to its words."""
        return 0.0 if self.draw is None else 2 * self.half + AFTER_SYMBOL

    @property
    def width(self) -> float:
        """Width of the entry, including the gap to the next one."""
        return self.before + text_width(self.words, SIZE, self.bold) + GAP


def draw_legend(scene: Scene) -> None:
    """Draw the legend in rows at the bottom of the board."""
    rows: list[list[Entry]] = [[]]
    for entry in entries():
        if sum(each.width for each in [*rows[-1], entry]) > RIGHT - LEFT:
            rows.append([])
        rows[-1].append(entry)
    for number, row in enumerate(rows):
        x, y = LEFT, theme.HEIGHT - 10 - STEP * (len(rows) - 1 - number)
        for entry in row:
            if entry.draw is not None:
                entry.draw(scene, Place(x + entry.half, y, SYMBOL))
            scene.append(Text(x + entry.before, y, entry.words, SIZE, theme.INK, "start", entry.bold))
            x += entry.width


def entries() -> Iterator[Entry]:
    """Yield the entries of the legend, in order."""
    yield Entry("Bands", bold=True)
    for band, letter in theme.BAND_LETTERS.items():
        yield Entry(f"{letter} {band}", _mark(theme.BAND_MARKS[band], theme.BANDS[band], theme.BANDS[band]))
    yield Entry("Types", bold=True)
    for unit_class in TYPES:
        yield Entry(unit_class, _type(unit_class), FRAME)
    yield Entry("M movement, D damage, A armor, R range")
    yield Entry("Terrain", bold=True)
    for sign in SIGNS:
        yield Entry(SIGN_WORDS[sign], _sign(sign))
    yield Entry("* for some units")
    yield Entry("General, controller", lambda scene, place: draw_seat_number(scene, place, 0))
    yield Entry("owner", lambda scene, place: draw_owner(scene, place, 1))
    yield Entry("spell", _mark(theme.KIND_MARKS["spell"], theme.KINDS["spell"]))
    yield Entry("maneuver", _mark(theme.KIND_MARKS["maneuver"], theme.KINDS["maneuver"]))
    yield Entry("unknown (filled: face up)", _mark(theme.KIND_MARKS[None], theme.KINDS[None]))
    yield Entry("face down", _flag("?", theme.SEATS[0]))
    yield Entry("has acted", _flag("E", theme.INK))
    yield Entry("has moved", _flag("M", theme.INK))
    yield Entry("captives", _flag("1", theme.CAPTIVES))


def _mark(mark: str, color: str, fill: str = theme.WHITE) -> Draw:
    return lambda scene, place: draw_mark(scene, place._replace(r=5.0), mark, color, fill)


def _type(unit_class: str) -> Draw:
    def draw(scene: Scene, place: Place) -> None:
        x, y, r = place
        draw_type(scene, (x - FRAME, y - r, x + FRAME, y + r), unit_class)

    return draw


def _sign(sign: str) -> Draw:
    return lambda scene, place: draw_sign(scene, place, sign)


def _flag(letter: str, color: str) -> Draw:
    return lambda scene, place: draw_flag(scene, place, letter, color)
