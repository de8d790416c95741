"""The part of the picture below the map: the battle board with its skirmishes, or the kinds of cards."""

from __future__ import annotations

from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.state.constants import FIRST_FACE
from sackarmies_env.render import theme
from sackarmies_env.render.marks import draw_seat_number
from sackarmies_env.render.picture import pile_text
from sackarmies_env.render.shapes import Line, Place, Polygon, Rect, Scene, Text, fitted, text_width
from sackarmies_env.render.territories.model import (
    SIDES,
    BattleView,
    CardView,
    PictureData,
    SideView,
    SkirmishView,
)
from sackarmies_env.render.territories.units import UNIT, draw_units
from sackarmies_env.render.theme import Colors

LEFT, RIGHT = 14.0, float(theme.WIDTH - theme.PANEL - 12)
TITLE_Y = 455.0
SIDE_Y = (479.0, 751.0)  # of the line of each side
TOP, BOTTOM = 496.0, 736.0  # of the skirmishes
HEADING, NORMAL, FINE = 15.0, 13.0, 11.0
DIE, DIE_STEP = 15.0, 17.5
WIDEST = 92.0  # maximum width of a skirmish's column
CARD_TOP, CARD_STEP = 494.0, 46.0


def draw_heading(scene: Scene, heading: str, words: str, colors: Colors) -> None:
    """Write the heading of the part below the map."""
    scene.append(Text(LEFT, TITLE_Y, heading, HEADING, colors["ink"], "start", True))
    x = LEFT + text_width(heading, HEADING, True) + 14
    scene.append(Text(x, TITLE_Y, fitted(words, NORMAL, RIGHT - x), NORMAL, colors["faded"], "start"))


# --- cards


def draw_cards(scene: Scene, picture: PictureData, colors: Colors) -> None:
    """Draw the kinds of cards in two columns: effect, number, and where they are, as far as the viewer knows."""
    draw_heading(scene, "Cards", "in the game, in the discard pile, and in the viewer's hand", colors)
    width = (RIGHT - LEFT) / 2
    half = (len(picture.cards) + 1) // 2
    for number, card in enumerate(picture.cards):
        column, row = divmod(number, half)
        draw_card(scene, Place(LEFT + column * width, CARD_TOP + row * CARD_STEP, width - 12), card, colors)


def draw_card(scene: Scene, place: Place, card: CardView, colors: Colors) -> None:
    """Draw a kind of card, with a thick edge if it is in the viewer's hand, and an asterisk if it may be chosen now."""
    held = card.held or 0
    edge, width = (colors["highlight"], 3.0) if held else (colors["rule"], 1.0)
    scene.append(Rect(place.x, place.y - 14, place.r, CARD_STEP - 6, colors["panel"], edge, width, 6))
    name = f"{card.name}*" if card.is_offered else card.name
    scene.append(Text(place.x + 10, place.y, name, NORMAL, colors["ink"], "start", True))
    counts = [f"of {card.copies}", f"{card.discarded} discarded"] + ([f"{held} in hand"] if held else [])
    scene.append(Text(place.x + place.r - 10, place.y, ", ".join(counts), FINE, colors["ink"], "end"))
    effect = fitted(card.effect, FINE, place.r - 20)
    scene.append(Text(place.x + 10, place.y + 16, effect, FINE, colors["ink"], "start"))


# --- the battle board


def draw_battle(scene: Scene, picture: PictureData, battle: BattleView, colors: Colors) -> None:
    """Draw both sides, the attacker above, and the skirmishes between them from left to right."""
    draw_heading(scene, "Battle board", battle.stage, colors)
    scene.append(Rect(LEFT - 6, TOP - 4, RIGHT - LEFT + 12, BOTTOM - TOP + 8, colors["panel"], colors["rule"], 1, 6))
    for number, side in enumerate(battle.sides):
        draw_side(scene, picture, side, number, colors)
    if not battle.skirmishes:
        words = "No skirmishes yet"
        scene.append(Text((LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2, words, HEADING, colors["faded"]))
        return
    width = min(WIDEST, (RIGHT - LEFT) / len(battle.skirmishes))
    for number, skirmish in enumerate(battle.skirmishes):
        draw_skirmish(scene, LEFT + width * number, width, skirmish, colors)


def draw_side(scene: Scene, picture: PictureData, side: SideView, number: int, colors: Colors) -> None:
    """Draw what a side has on the board beside the skirmishes: units, counters and dice; then the cards it played."""
    y, ink, x = SIDE_Y[number], colors["ink"], LEFT
    if side.seat != NO_PLAYER:
        draw_seat_number(scene, Place(x + 9, y, 9), side.seat)
    who = "nobody" if side.seat == NO_PLAYER else picture.player_name(side.seat)
    heading = f"{SIDES[number].capitalize()}: {who}" + (f", territory {side.territory}" if side.territory else "")
    scene.append(Text(x + 24, y, heading, NORMAL, ink, "start", True))
    x += 24 + text_width(heading, NORMAL, True) + 16
    x = draw_units(scene, Place(x, y, UNIT), [each for each in enumerate(side.units) if each[1]], ink) + 4
    for bonus, count in enumerate(side.counters, start=1):
        if count:
            words = f"{count} counter{'s' if count > 1 else ''} +{bonus}"
            scene.append(Text(x, y, words, FINE, ink, "start"))
            x += text_width(words, FINE) + 12
    for place, count in enumerate(side.dice):
        if count:
            x = draw_dice(scene, x, y, place + FIRST_FACE, count, colors) + 8
    if side.cards:
        scene.append(Text(x, y, fitted(f"Cards: {pile_text(side.cards)}", FINE, RIGHT - x), FINE, ink, "start"))


def draw_dice(scene: Scene, x: float, y: float, face: int, count: int, colors: Colors) -> float:
    """Draw a die, with the number of dice that show this face; return the x where it ends."""
    scene.append(Rect(x, y - DIE / 2, DIE, DIE, theme.WHITE, theme.INK, 1.2, 3))
    scene.append(Text(x + DIE / 2, y, str(face), 12, theme.INK, bold=True))
    if count == 1:
        return x + DIE
    words = f"x{count}"
    scene.append(Text(x + DIE + 3, y, words, FINE, colors["ink"], "start"))
    return x + DIE + 3 + text_width(words, FINE)


def draw_skirmish(scene: Scene, x: float, width: float, skirmish: SkirmishView, colors: Colors) -> None:
    """Draw a skirmish as a column: the attacker's dice and total, the number, the defender's total and dice."""
    middle = (TOP + BOTTOM) / 2
    if skirmish.is_over:
        scene.append(Rect(x + 1, TOP, width - 3, BOTTOM - TOP, colors["raised-panel"], colors["rule"], 1, 4))
    scene.append(Line(((x + 4, middle - 10), (x + width - 4, middle - 10)), colors["rule"], 1))
    scene.append(Line(((x + 4, middle + 10), (x + width - 4, middle + 10)), colors["rule"], 1))
    scene.append(Text(x + width / 2, middle, str(skirmish.number), FINE, colors["faded"]))
    if skirmish.is_over:
        draw_winner(scene, Place(x + width - 12, middle, 5 if skirmish.winner else -5), colors["ink"])
    for side, way in ((0, -1), (1, 1)):
        y = middle + way * 20
        draw_total(scene, Place(x + 6, y, width - 6), skirmish, side, colors)
        faces = [(place + FIRST_FACE, count) for place, count in enumerate(skirmish.dice[side]) if count]
        for row, (face, count) in enumerate(reversed(faces)):
            draw_dice(scene, x + 6, y + way * (DIE_STEP * (row + 1) + 1), face, count, colors)


def draw_winner(scene: Scene, place: Place, ink: str) -> None:
    """Draw an arrowhead toward the winner's side: up to the attacker's if the radius is negative, else down."""
    scene.append(Polygon((place.at(-1, -0.7), place.at(1, -0.7), place.at(0, 1)), ink))


def draw_total(scene: Scene, place: Place, skirmish: SkirmishView, side: int, colors: Colors) -> None:
    """Write a side's total and, if there is room, the part not from dice; the radius of `place` is the room."""
    total, words = str(skirmish.totals[side]), f"{skirmish.bonus(side):+}"
    scene.append(Text(place.x, place.y, total, NORMAL, colors["ink"], "start", True))
    width = text_width(total, NORMAL, True) + 3
    if skirmish.bonus(side) and width + text_width(words, FINE) <= place.r:
        scene.append(Text(place.x + width, place.y, words, FINE, colors["faded"], "start"))
