"""The panel beside the board: turn, Generals, own tokens, last events."""

from __future__ import annotations

import textwrap

from sackarmies_env.render import theme
from sackarmies_env.render.board import Picture, Pile, SeatView
from sackarmies_env.render.shapes import Circle, Line, Rect, Scene, Text, fitted

LEFT = theme.WIDTH - theme.PANEL + 22
RIGHT = theme.WIDTH - 20
INNER = RIGHT - LEFT
TITLE, NORMAL, FINE = 24.0, 14.0, 12.0
STEP = 19.0  # from line to line
FINE_CHARS = 45  # that fit into a line of the panel
BOTTOM = theme.HEIGHT - 22
SHOWN_BACKS = 8  # of the tokens in a hand


def draw_panel(scene: Scene, picture: Picture) -> None:
    """Draw the panel."""
    edge = theme.WIDTH - theme.PANEL
    scene.append(Rect(edge, 0, theme.PANEL, theme.HEIGHT, theme.PANEL_PAPER))
    scene.append(Line(((edge, 0), (edge, theme.HEIGHT)), theme.RULE, 2))
    viewer = "the referee's view" if picture.viewer is None else f"view of General {picture.viewer}"
    scene.append(Text(LEFT, 38, picture.title, TITLE, theme.INK, "start", True))
    scene.append(Text(RIGHT, 39, f"turn {picture.turn}", NORMAL, theme.INK, "end"))
    scene.append(Text(LEFT, 62, viewer, FINE, theme.FADED_INK, "start"))
    y = 92.0
    lines = [picture.headline(), *([f"Announced: {picture.announced}"] if picture.announced else []), *picture.notes]
    for sentence in lines:
        y = write(scene, y, sentence, 3, theme.INK)
    y += 6
    for seat in picture.seats:
        y = draw_seat(scene, y, picture, seat)
    if picture.log and y < BOTTOM - 3 * STEP:
        rule(scene, y)
        scene.append(Text(LEFT, y + 18, "Last events", FINE, theme.FADED_INK, "start", True))
        y += 18 + STEP
        for event in picture.log:
            if y > BOTTOM:
                break
            scene.append(Text(LEFT, y, fitted(event, FINE, INNER), FINE, theme.INK, "start"))
            y += STEP


def rule(scene: Scene, y: float) -> None:
    """Draw a thin line across the panel."""
    scene.append(Line(((LEFT, y), (RIGHT, y)), theme.RULE, 1))


def write(scene: Scene, y: float, text: str, most: int, color: str, indent: float = 0.0) -> float:
    """Write a text on at most so many lines; return the next position."""
    chars = FINE_CHARS - int(indent / 7)
    for line in textwrap.wrap(text, chars, max_lines=most, placeholder=" ..."):
        scene.append(Text(LEFT + indent, y, line, FINE, color, "start"))
        y += STEP - 2
    return y + 3


def draw_seat(scene: Scene, y: float, picture: Picture, seat: SeatView) -> float:
    """Draw a General's lines; return the next position."""
    rule(scene, y)
    y += 20
    color = theme.SEATS[seat.seat] if seat.alive else theme.FADED_INK
    deciding = picture.current == seat.seat
    scene.append(Circle(LEFT + 8, y, 8, color, theme.HIGHLIGHT if deciding else "", 3))
    scene.append(Text(LEFT + 24, y, picture.seat_name(seat.seat), NORMAL, color, "start", True))
    for card in range(min(seat.hand_size, SHOWN_BACKS)):
        scene.append(Rect(RIGHT - 12 - 15 * card, y - 7, 12, 14, color, theme.WHITE, 1.5, 3))
    y += STEP + 2
    scene.append(Text(LEFT + 24, y, seat_facts(picture, seat), FINE, theme.FADED_INK, "start"))
    y += STEP
    few = len(picture.seats) <= 3
    piles: list[tuple[str, Pile | None, int]] = [("Hand", seat.hand, 2), ("Picked", seat.picks, 2)]
    piles += [("Sack", seat.sack, 5 if few else 2)] if picture.viewer == seat.seat else []
    piles += [("Casualties", seat.casualties, 3 if few else 1), ("Removed", seat.removed, 1)]
    for label, pile, most in piles:
        if pile:
            words = ", ".join(f"{copies} {name}" if copies > 1 else name for name, copies in pile)
            y = write(scene, y, f"{label}: {words}", most, theme.INK, 24)
    return y + 2


def seat_facts(picture: Picture, seat: SeatView) -> str:
    """Return the counts that everybody may know of a General."""
    if not seat.alive:
        return "out of the game"
    own = [field for field in picture.fields if field.owner == seat.seat]
    kept = sum(field.controller == seat.seat for field in own)
    held = sum(field.controller == seat.seat for field in picture.fields)
    counts = [f"hand {seat.hand_size}"]
    counts += [] if seat.sack_size is None else [f"sack {seat.sack_size}"]
    counts += [f"picked {seat.picks_left}"] if seat.picks_left else []
    return f"{', '.join(counts)}; battlefields {held}, own {kept}/{len(own)}"
