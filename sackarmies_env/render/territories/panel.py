"""The panel beside the map: turn, players with garrisons and cards, the deck, the last events."""

from __future__ import annotations

from sackarmies_env.core.state import NO_PLAYER
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
from sackarmies_env.render.picture import pile_text
from sackarmies_env.render.shapes import Circle, Line, Place, Rect, Scene, Text, wrapped
from sackarmies_env.render.territories.model import PictureData, PlayerView
from sackarmies_env.render.territories.units import UNIT, draw_units
from sackarmies_env.render.theme import Colors

HAND_LINES, SHARED_LINES = 4, 2  # most lines for a hand: if one hand is shown, if several are
BAR = 8.0  # height of the bar of territories
DECK_LINES = 4
BOTTOM = theme.HEIGHT - 10


def draw_panel(scene: Scene, picture: PictureData, colors: Colors) -> None:
    """Draw the panel."""
    viewer = "the referee's view" if picture.viewer is None else f"view of Player {picture.viewer}"
    draw_heading(scene, picture.title, picture.turn, viewer, colors)
    y = FIRST
    for number, sentence in enumerate((picture.headline(), *turn_facts(picture))):
        for line in wrapped(sentence, FINE, INNER, number == 0):
            scene.append(Text(LEFT, y, line, FINE, colors["ink"], "start", number == 0))
            y += STEP
    y += 3
    for player in picture.players:
        y = draw_player(scene, y, picture, player, colors)
    draw_deck(scene, y, picture, colors)


def turn_facts(picture: PictureData) -> list[str]:
    """Return the progress of the turn and the game in sentences that everybody may know."""
    at = picture.progress
    facts = [f"Round {at.round} of {at.max_rounds}"]
    if at.domination:
        facts = [f"{facts[0]}; {at.domination} territories win at the end of a turn"]
    if at.active == NO_PLAYER:
        return [*facts, "Set-up: troops are placed"]
    left = f"standard actions left {at.actions_left}, " if at.actions_left else ""
    attacks = f"attacks {at.attacks} of {at.max_attacks}" + (", no more in this turn" if at.barred else "")
    return [*facts, f"Turn of {picture.player_name(at.active)}, step {at.step}", f"{left}{attacks}".capitalize()]


def draw_player(scene: Scene, y: float, picture: PictureData, player: PlayerView, colors: Colors) -> float:
    """Draw a player's lines; return the y of the next line."""
    scene.append(Line(((LEFT, y), (RIGHT, y)), colors["rule"], 1))
    y += 16
    if picture.current == player.seat:
        scene.append(Circle(LEFT + 8, y, 11, theme.INK, theme.HIGHLIGHT, 3))
    draw_seat_number(scene, Place(LEFT + 8, y, 9), player.seat)
    name = picture.player_name(player.seat) + ("" if player.alive else ", out of the game")
    scene.append(Text(LEFT + INDENT, y, name, NORMAL, colors["ink"], "start", True))
    for card in range(min(player.num_cards, SHOWN_BACKS)):
        scene.append(Rect(RIGHT - 11 - 13 * card, y - 7, 11, 14, colors[f"seat-{player.seat}"], theme.WHITE, 1.5, 3))
    y += STEP + 1
    scene.append(Text(LEFT + INDENT, y, held_words(player), FINE, colors["ink"], "start"))
    y += 12
    draw_bar(scene, y, picture, player, colors)
    y += BAR + 12
    label = "Garrison"
    scene.append(Text(LEFT + INDENT, y, label, FINE, colors["faded"], "start"))
    draw_units(scene, Place(LEFT + INDENT + 62, y, UNIT), list(enumerate(player.garrison)), colors["ink"])
    y += STEP
    most = SHARED_LINES if picture.viewer is None else HAND_LINES
    for line in listed("Cards", player.hand, most) if player.hand else []:
        scene.append(Text(LEFT + INDENT, y, line, FINE, colors["ink"], "start"))
        y += STEP
    return y - 2


def held_words(player: PlayerView) -> str:
    """Return a player's public counts in words."""
    cards = f"{player.num_cards} card{'' if player.num_cards == 1 else 's'}"
    return f"{player.territories} territor{'y' if player.territories == 1 else 'ies'}, {cards} in hand"


def draw_bar(scene: Scene, y: float, picture: PictureData, player: PlayerView, colors: Colors) -> None:
    """Draw how much of the map a player controls, with a line at the number of territories that wins."""
    left, whole = LEFT + INDENT, INNER - INDENT
    share = whole / len(picture.territories)
    scene.append(Rect(left, y, whole, BAR, colors["open"], colors["open-edge"], 1))
    if player.territories:
        scene.append(Rect(left, y, share * player.territories, BAR, colors[f"seat-{player.seat}"]))
    if picture.progress.domination:
        x = left + share * picture.progress.domination
        scene.append(Line(((x, y - 3), (x, y + BAR + 3)), colors["ink"], 2))


def draw_deck(scene: Scene, y: float, picture: PictureData, colors: Colors) -> None:
    """Write the size of the deck and what is in the discards; for the referee, also what is in the deck."""
    scene.append(Line(((LEFT, y), (RIGHT, y)), colors["rule"], 1))
    y += 16
    discards = tuple((card.name, card.discarded) for card in picture.cards if card.discarded)
    lines = [f"Deck: {picture.deck_size} cards"]
    lines += listed("In the deck", picture.deck, DECK_LINES) if picture.deck else []
    lines += listed("Discards", discards, DECK_LINES) if discards else [f"Discards: {pile_text(discards)}"]
    for line in lines:
        if y < BOTTOM:
            scene.append(Text(LEFT, y, line, FINE, colors["ink"], "start"))
        y += STEP
    draw_events(scene, y, picture.log, colors)


def draw_events(scene: Scene, y: float, log: tuple[str, ...], colors: Colors) -> None:
    """Write as many of the latest events as fit."""
    told = [wrapped(event, FINE, INNER) for event in log]
    if not told or y + 16 + STEP > BOTTOM:
        return
    scene.append(Line(((LEFT, y), (RIGHT, y)), colors["rule"], 1))
    scene.append(Text(LEFT, y + 16, "Last events, latest first", FINE, colors["faded"], "start", True))
    y += 16 + STEP
    for lines in told:
        if y + STEP * (len(lines) - 1) > BOTTOM:
            return
        for line in lines:
            scene.append(Text(LEFT, y, line, FINE, colors["ink"], "start"))
            y += STEP
