"""A Territories position as text for a terminal: the turn, players, the map as a table, the battle board, cards."""

from __future__ import annotations

from collections.abc import Iterator

from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.state.constants import FIRST_FACE
from sackarmies_env.games.territories.words.sentences import unit_name
from sackarmies_env.render.canvas import Canvas, Style
from sackarmies_env.render.picture import pile_text
from sackarmies_env.render.territories.model import SIDES, BattleView, PictureData, SkirmishView, TerritoryView
from sackarmies_env.render.territories.panel import held_words, turn_facts
from sackarmies_env.render.theme import ANSI_BOLD, ANSI_SEATS

LEGEND = """\
The map is a table: the number of a territory, its height, the player who controls it, and the units in it. An \
asterisk after the number marks a territory that you may choose. Skirmishes are numbered from the highest attacker die \
down; in parentheses is what modifiers, counters and cards add to the dice."""
HEADER = "No. height owner  units"
SHOWN_EVENTS = 8


def text_lines(picture: PictureData, canvas: Canvas) -> list[str]:
    """Return the position as lines that are no wider than the canvas."""
    viewer = "seen by the referee" if picture.viewer is None else f"seen by Player {picture.viewer}"
    bold: Style = (ANSI_BOLD,)
    lines = [canvas.styled(f"{picture.title}, turn {picture.turn}, {viewer}", bold)]
    for sentence in (picture.headline(), *turn_facts(picture)):
        lines += canvas.wrapped(sentence, 2)
    lines += ["", canvas.styled("Map", bold), HEADER, *map_lines(picture, canvas)]
    for words in move_words(picture):
        lines += canvas.wrapped(words, 2)
    if picture.battle is not None:
        lines += ["", canvas.styled("Battle board", bold)]
        for words in battle_words(picture, picture.battle):
            lines += canvas.wrapped(words, 4)
    lines += ["", canvas.styled("Players", bold)]
    for player in picture.players:
        name = picture.player_name(player.seat) + ("" if player.alive else ", out of the game")
        words = f"{name}: {held_words(player)}; garrison {unit_words(player.garrison)}"
        lines += [canvas.styled(line, (ANSI_SEATS[player.seat],)) for line in canvas.wrapped(words, 2)]
        if player.hand is not None:
            lines += canvas.wrapped(f"  cards: {pile_text(player.hand)}", 4)
    for words in deck_words(picture):
        lines += canvas.wrapped(words, 2)
    if picture.log:
        lines += ["", canvas.styled("Last events, latest first", bold)]
        for words in picture.log[:SHOWN_EVENTS]:
            lines += canvas.wrapped(f"  {words}", 4)
    return lines


def unit_words(units: tuple[int, ...]) -> str:
    """Return counts of units in words; "none" if there are none."""
    return ", ".join(f"{count} {unit_name(unit, count)}" for unit, count in enumerate(units) if count) or "none"


def map_lines(picture: PictureData, canvas: Canvas) -> Iterator[str]:
    """Yield a line for each territory."""
    for territory in picture.territories:
        style = () if territory.owner == NO_PLAYER else (ANSI_SEATS[territory.owner],)
        for line in canvas.wrapped(territory_words(territory, territory.number in picture.choices), 18):
            yield canvas.styled(line, style)


def territory_words(territory: TerritoryView, is_choice: bool) -> str:
    """Return what is in a territory; an asterisk marks one that may be chosen."""
    owner = "-" if territory.owner == NO_PLAYER else str(territory.owner)
    marks = ("*" if is_choice else " ") + f"   {territory.elevation}      {owner}   "
    safe = "; safe in this turn" if territory.is_safe else ""
    return f"{territory.number:>3}{marks} {unit_words(territory.units)}{safe}"


def move_words(picture: PictureData) -> Iterator[str]:
    """Yield where an attack or move comes from and goes to."""
    source, target = picture.move
    if source:
        yield f"From territory {source}" + (f" to territory {target}" if target else "")


def battle_words(picture: PictureData, battle: BattleView) -> Iterator[str]:
    """Yield the stage, what each side has on the board, and the skirmishes."""
    yield f"Stage: {battle.stage}"
    for name, side in zip(SIDES, battle.sides, strict=True):
        who = "nobody" if side.seat == NO_PLAYER else picture.player_name(side.seat)
        counters = [f"{count} of +{bonus}" for bonus, count in enumerate(side.counters, start=1) if count]
        parts = [f"{name.capitalize()} {who}: {unit_words(side.units)}"]
        parts += [f"counters {', '.join(counters)}"] if counters else []
        parts += [f"dice {dice_words(side.dice)}"] if any(side.dice) else []
        parts += [f"cards {pile_text(side.cards)}"] if side.cards else []
        yield "; ".join(parts)
    for skirmish in battle.skirmishes:
        yield skirmish_words(skirmish)


def dice_words(dice: tuple[int, ...]) -> str:
    """Return the faces of dice, highest first."""
    faces = [str(place + FIRST_FACE) for place, count in enumerate(dice) for _ in range(count)]
    return " ".join(reversed(faces)) or "none"


def skirmish_words(skirmish: SkirmishView) -> str:
    """Return the dice and totals of both sides, and the winner if the skirmish is over."""
    sides = [
        f"{dice_words(skirmish.dice[side])} ({skirmish.bonus(side):+}) = {skirmish.totals[side]}" for side in (0, 1)
    ]
    won = f"; {SIDES[skirmish.winner]} won" if skirmish.is_over else ""
    return f"Skirmish {skirmish.number}: {sides[0]} against {sides[1]}{won}"


def deck_words(picture: PictureData) -> Iterator[str]:
    """Yield the deck and the discards, as the viewer knows them."""
    deck = f": {pile_text(picture.deck)}" if picture.deck else ""
    yield f"Deck: {picture.deck_size} cards{deck}"
    yield f"Discards: {pile_text(tuple((card.name, card.discarded) for card in picture.cards if card.discarded))}"
