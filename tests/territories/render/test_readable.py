"""Pictures of Territories are readable: texts do not overlap, contrast with the background and omit nothing."""

from __future__ import annotations

import dataclasses
import itertools
import re

import numpy as np
import pytest

from sackarmies_env.envs.match import Match
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.data.outlines import is_inside
from sackarmies_env.games.territories.state.constants import FIRST_FACE, MAX_SKIRMISHES, Event
from sackarmies_env.games.territories.words.sentences import event_words
from sackarmies_env.render import rgb_array, svg, theme
from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.rgb import paint_rgb
from sackarmies_env.render.shapes import Circle, Polygon, Rect
from sackarmies_env.render.territories.battle import BOTTOM, LEFT, RIGHT, TOP, WIDEST, draw_battle
from sackarmies_env.render.territories.model import BattleView, SideView, SkirmishView
from sackarmies_env.render.territories.picture import picture as picture_of
from sackarmies_env.render.territories.scene import make_camera
from tests.render.test_readable import LEAST_CONTRAST, box, contrast, texts, written_on
from tests.territories.render.boards import table_of

POSITIONS = 60
THEMES = {"light": theme.LIGHT, "dark": theme.DARK}


def pictures(seeds=POSITIONS):
    """Yield pictures of positions as player 0 and the referee see them."""
    for seed in range(seeds):
        table = table_of(seed)
        for viewer in (0, None):
            yield picture_of(table.game, table.states, viewer)


def overlap(one, other):
    return not (one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1])


def test_positions_have_all_that_there_is_to_see():
    seen = list(pictures())
    assert {len(picture.players) for picture in seen} == {2, 3, 4}
    assert {len(picture.territories) for picture in seen} == {7, 20}
    assert sum(picture.battle is not None for picture in seen) > 10
    assert sum(bool(picture.battle and picture.battle.skirmishes) for picture in seen) > 5
    assert any(picture.choices for picture in seen)


def test_texts_do_not_overlap_and_are_in_the_picture():
    for picture in pictures():
        words = texts(picture.scene(theme.LIGHT))
        boxes = [box(text) for text in words]
        for (left, top, right, bottom), text in zip(boxes, words, strict=True):
            assert 0 <= left < right <= theme.WIDTH, text
            assert 0 <= top < bottom <= theme.HEIGHT, text
        for (one, text), (other, more) in itertools.combinations(zip(boxes, words, strict=True), 2):
            assert not overlap(one, other), (text, more)


@pytest.mark.parametrize("name", THEMES)
def test_letters_stand_out_from_their_ground(name):
    found = set()
    for picture in pictures(20):
        found |= written_on(picture.scene(THEMES[name]))
    assert len(found) > 6
    for color, ground in found:
        assert contrast(color, ground) >= LEAST_CONTRAST, (color, ground)


def test_themes_differ_in_colors_alone():
    for picture in pictures(5):
        light, dark = picture.scene(theme.LIGHT), picture.scene(theme.DARK)
        assert [type(shape) for shape in light] == [type(shape) for shape in dark]
        assert [text.text for text in texts(light)] == [text.text for text in texts(dark)]
        assert light != dark
        assert not np.array_equal(paint_rgb(light), paint_rgb(dark))


def test_territories_hold_what_is_written_in_them():
    """Number, owner and units of a territory are inside its outline, so that it can be read without colors."""
    for picture in pictures():
        camera = make_camera(picture)
        words = [(box(text), text.text.rstrip("*")) for text in texts(picture.scene(theme.LIGHT))]
        for territory in picture.territories:
            outline = [camera.at(corner) for corner in territory.outline]
            inside = [told for spot, told in words if all(is_inside(point, outline) for point in corners(spot))]
            told = [str(territory.number), *(str(count) for count in territory.units if count)]
            told += [str(territory.owner)] if territory.owner >= 0 else []
            told += ["safe"] if territory.is_safe else []
            assert sorted(inside) == sorted(told), territory


def corners(spot):
    left, top, right, bottom = spot
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def test_elevation_is_drawn_as_that_many_peaks():
    picture = picture_of(make_game(2), table_of_full().states, None)
    peaks = [each for each in picture.scene(theme.LIGHT) if isinstance(each, Polygon) and len(each.points) == 3]
    outlined = [peak for peak in peaks if not peak.fill]
    assert len(outlined) == sum(territory.elevation for territory in picture.territories) + 1  # and in the legend


def table_of_full():
    return next(table for table in map(table_of, range(99)) if table.game.config["map"] == "full")


def test_largest_battle_finds_room():
    sides = tuple(SideView(seat, 8, (10, 0, 0, 0), (9, 9, 9), (99,) * 5, (("Vanguard", 6),)) for seat in (0, 1))
    skirmishes = tuple(
        SkirmishView(number, ((9,) * 5, (9,) * 5), (199, 199), number % 2 == 0) for number in range(MAX_SKIRMISHES)
    )
    picture = picture_of(make_game(2), table_of_full().states, None)
    draw_battle(scene := [], picture, BattleView("order", sides, skirmishes), theme.LIGHT)
    boxes = [box(text) for text in texts(scene)]
    for one, other in itertools.combinations(boxes, 2):
        assert not overlap(one, other)
    for left, _, right, _ in boxes:
        assert 0 <= left < right <= theme.WIDTH - theme.PANEL
    for die in (shape for shape in scene if isinstance(shape, Rect) and shape.fill == theme.WHITE and shape.y > TOP):
        assert TOP <= die.y < die.y + die.h <= BOTTOM or die.y > BOTTOM


def columns(words, num_skirmishes):
    """Return the texts above and below the number of each skirmish: the attacker's and the defender's."""
    found = [([], []) for _ in range(num_skirmishes)]
    width = min(WIDEST, (RIGHT - LEFT) / max(num_skirmishes, 1))
    for text in words:
        if num_skirmishes and TOP < text.y < BOTTOM and text.x < RIGHT and text.y != (TOP + BOTTOM) / 2:
            found[int((text.x - LEFT) // width)][text.y > (TOP + BOTTOM) / 2].append(text.text)
    return found


def test_battle_shows_dice_totals_and_what_is_not_a_die():
    for picture in pictures():
        if picture.battle is None:
            continue
        words = texts(picture.scene(theme.LIGHT))
        skirmishes = picture.battle.skirmishes
        assert picture.battle.stage in [text.text for text in words]
        for skirmish, column in zip(skirmishes, columns(words, len(skirmishes)), strict=True):
            for side in (0, 1):
                total, bonus = str(skirmish.totals[side]), skirmish.bonus(side)
                dice = [(str(face), count) for face, count in enumerate(skirmish.dice[side], FIRST_FACE) if count]
                told = [total, *([f"{bonus:+}"] if bonus else [])]
                told += [text for face, count in dice for text in (face, *([f"x{count}"] if count > 1 else []))]
                assert sorted(column[side]) == sorted(told), skirmish


def test_current_player_is_ringed():
    for picture in pictures(20):
        rings = [shape for shape in picture.scene(theme.LIGHT) if isinstance(shape, Circle) and shape.r == 11]
        assert len(rings) == (picture.current >= 0)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_text_fits_the_terminal(width):
    for picture in pictures(20):
        lines = picture.lines(Canvas(False, width))
        assert all(len(line) <= width for line in lines)
        rows = [row for line in lines if (row := re.match(r" *(\d+)[* ] {3}\d ", line))]  # number and height
        assert [int(row[1]) for row in rows] == [territory.number for territory in picture.territories]


def test_pictures_are_of_one_size_and_made_of_shapes():
    table = table_of(3)
    assert rgb_array(table.game, table.states, 0).shape == (theme.HEIGHT, theme.WIDTH, 3)
    assert svg(table.game, table.states, 0).startswith("<svg")
    with pytest.raises(ValueError, match="viewer 9 is not a seat"):
        svg(table.game, table.states, 9)


def test_every_event_is_a_sentence():
    for event in Event:
        if event != Event.NONE:
            told = event_words(event, "player 1", 7, 1)
            assert told[0].isupper() or told[0].isdigit()
            assert len(told) > 8
    assert event_words(Event.EXCHANGE, "player 1", 7, 1 * 4 + 2) == (
        "Player 1 trades 2 riders for an engine in territory 7"
    )
    assert event_words(Event.UNIT_LOST, "player 1", 0, 3) == "Player 1 loses a hero"
    assert event_words(Event.UNIT_LOST, "player 1", 7, 4 * 2 + 3) == "Player 1 loses 3 heroes in territory 7"
    assert event_words(Event.DISCARD, "player 1", 0, 0) == "Player 1 discards Vanguard"
    assert event_words(Event.DISCARD, "player 1", 0, 12 * 5) == "Player 1 discards 6 Vanguard cards"
    assert event_words(Event.SKIRMISH, "player 1", 0, -3) == "Player 1 wins a skirmish by 3"
    assert event_words(Event.SKIRMISH, "player 1", 0, 3) == "The attacker wins a skirmish by 3"


def test_last_events_are_told_in_panel_and_terminal():
    picture = next(picture for picture in pictures() if len(picture.players) == 2 and len(picture.log) > 5)
    told = " ".join(text.text for text in texts(picture.scene(theme.LIGHT)))
    for event in picture.log[:4]:
        assert event in told
        assert f"  {event}" in picture.lines(Canvas(False, 120))


def outcome_of(game, seed=3):
    """Play a random game; return the outcome that its picture shows at the end, and the last turn."""
    match, rng = Match(game), np.random.default_rng(seed)
    match.begin(seed)
    while match.player >= 0:
        assert picture_of(game, match.states, None).outcome == ""
        match.play(int(rng.choice(match.legal_actions())))
    return picture_of(game, match.states, None).outcome, int(match.states["turn"][0])


def test_outcome_says_by_which_limit_a_game_was_truncated():
    game = make_game(2, "small", switches={"max_rounds": 1})
    assert outcome_of(game)[0] == "The game is over after the last round"
    outcome, turn = outcome_of(dataclasses.replace(make_game(2, "small"), max_decisions=40))
    assert outcome == f"The game was truncated in turn {turn}"
    match = Match(game)
    match.begin(1)
    match.forfeit(0)
    assert picture_of(game, match.states, None).outcome == "The game is over in turn 0: player 1 has won"
