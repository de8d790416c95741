"""The panel beside the board: turn, Generals, own tokens, last events.

Everything fits for any number of Generals: piles are written on as many lines as there is room for, and what does not
fit is counted.
"""

from __future__ import annotations

from collections.abc import Iterable

from sackarmies_env.render import theme
from sackarmies_env.render.marks import draw_seat_number
from sackarmies_env.render.panel import (
    FINE,
    FIRST,
    INDENT,
    INNER,
    LEFT,
    NORMAL,
    RIGHT,
    SHOWN_BACKS,
    STEP,
    draw_heading,
    listed,
)
from sackarmies_env.render.sack_armies.model import PictureData, SeatView
from sackarmies_env.render.shapes import Circle, Line, Place, Rect, Scene, Text, fitted, wrapped

BOTTOM = theme.HEIGHT - 12
HEAD_LINES, EVENT_LINES = 3, 2  # most lines for a sentence
FEWEST_EVENTS = 4  # lines that piles leave for events
GENEROSITY = (6, 4, 3, 2, 1)  # most lines for a pile, tried in turn
OWN_LINES = 2  # at least, for the viewer's own hand


def draw_panel(scene: Scene, picture: PictureData) -> None:
    """Draw the panel."""
    viewer = "the referee's view" if picture.viewer is None else f"view of General {picture.viewer}"
    draw_heading(scene, picture.title, picture.turn, viewer, theme.LIGHT)
    y = FIRST
    lines = [picture.headline(), *([f"Announced: {picture.announced}"] if picture.announced else []), *picture.notes]
    for sentence in lines:
        y = write(scene, y, wrapped(sentence, FINE, INNER)[:HEAD_LINES]) + 3
    room = BOTTOM - y - FEWEST_EVENTS * STEP - 24
    most = next((most for most in GENEROSITY if height_of(picture, most) <= room), 0)
    for seat in picture.seats:
        y = draw_seat(scene, y, picture, seat, most)
    draw_events(scene, y, picture.log)


def draw_events(scene: Scene, y: float, log: tuple[str, ...]) -> None:
    """Write as many of the latest events as fit."""
    if not log:
        return
    rule(scene, y)
    scene.append(Text(LEFT, y + 15, "Last events", FINE, theme.FADED_INK, "start", True))
    y += 15 + STEP
    for event in log:
        first, *more = wrapped(event, FINE, INNER)
        lines = [first, *(f"   {line}" for line in more[: EVENT_LINES - 1])]
        if y + STEP * (len(lines) - 1) > BOTTOM:
            return
        y = write(scene, y, lines)


def rule(scene: Scene, y: float) -> None:
    """Draw a thin line across the panel."""
    scene.append(Line(((LEFT, y), (RIGHT, y)), theme.RULE, 1))


def write(scene: Scene, y: float, lines: Iterable[str], indent: float = 0.0) -> float:
    """Write lines, with leading blanks as extra indent; return the y of the next line."""
    for line in lines:
        text = line.lstrip()
        x = LEFT + indent + 4 * (len(line) - len(text))
        scene.append(Text(x, y, text, FINE, theme.INK, "start"))
        y += STEP
    return y


# --- Generals


def draw_seat(scene: Scene, y: float, picture: PictureData, seat: SeatView, most: int) -> float:
    """Draw a General's lines, at most `most` for each pile; return the y of the next line."""
    rule(scene, y)
    y += 16
    color = theme.SEATS[seat.seat] if seat.alive else theme.FADED_INK
    if picture.current == seat.seat:
        scene.append(Circle(LEFT + 8, y, 11, theme.INK, theme.HIGHLIGHT, 3))
    draw_seat_number(scene, Place(LEFT + 8, y, 9), seat.seat)
    scene.append(Text(LEFT + INDENT, y, picture.seat_name(seat.seat), NORMAL, color, "start", True))
    for card in range(min(seat.hand_size, SHOWN_BACKS)):
        scene.append(Rect(RIGHT - 12 - 15 * card, y - 7, 12, 14, color, theme.WHITE, 1.5, 3))
    y += STEP + 1
    scene.append(Text(LEFT + INDENT, y, seat_facts(picture, seat), FINE, theme.FADED_INK, "start"))
    y = write(scene, y + STEP, pile_lines(picture, seat, most), INDENT)
    return y - 5


def height_of(picture: PictureData, most: int) -> float:
    """Return the height that the Generals take with at most `most` lines for each pile."""
    lines = sum(len(pile_lines(picture, seat, most)) for seat in picture.seats)
    return lines * STEP + len(picture.seats) * (16 + 2 * STEP + 1 - 5)


def pile_lines(picture: PictureData, seat: SeatView, most: int) -> list[str]:
    """Return a General's piles as lines; with `most` 0, all but the viewer's hand and picks are counted on one line."""
    is_own = picture.viewer == seat.seat
    held = [("Hand", seat.hand), ("Picked", seat.picks)]
    others = [*([("Sack", seat.sack)] if is_own else []), ("Casualties", seat.casualties), ("Removed", seat.removed)]
    listed_lines = max(most, OWN_LINES) if is_own else most
    lines = [line for label, pile in held if pile and listed_lines for line in listed(label, pile, listed_lines)]
    if most:
        return lines + [line for label, pile in others if pile for line in listed(label, pile, most)]
    counted = [*([] if listed_lines else held), *others]
    counts = [f"{label.lower()} {sum(copies for _, copies in pile)}" for label, pile in counted if pile]
    return lines + ([fitted(", ".join(counts).capitalize(), FINE, INNER - INDENT)] if counts else [])


def seat_facts(picture: PictureData, seat: SeatView) -> str:
    """Return a General's counts, as far as the viewer may know them."""
    if not seat.alive:
        return "out of the game"
    own = [field for field in picture.fields if field.owner == seat.seat]
    kept = sum(field.controller == seat.seat for field in own)
    held = sum(field.controller == seat.seat for field in picture.fields)
    counts = [f"hand {seat.hand_size}"]
    counts += [] if seat.sack_size is None else [f"sack {seat.sack_size}"]
    counts += [f"picked {seat.picks_left}"] if seat.picks_left else []
    return f"{', '.join(counts)}; battlefields {held}, own {kept}/{len(own)}"
