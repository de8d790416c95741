"""Pictures are readable: they have contrast and room for every name, and no information is in color alone."""

import dataclasses
import itertools
import re

import numpy as np
import pytest

from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.render import theme
from sackarmies_env.render.picture import find_picture
from sackarmies_env.render.rgb import font_of
from sackarmies_env.render.sack_armies.counters import NAME_HEIGHT, NAME_WIDTH, draw_counter
from sackarmies_env.render.sack_armies.fields import FREE, UNDER_UNIT, draw_field, signs_of
from sackarmies_env.render.sack_armies.legend import draw_legend
from sackarmies_env.render.sack_armies.model import FieldView, SeatView, TerrainEffect, UnitCard, UnitView
from sackarmies_env.render.sack_armies.panel import draw_panel
from sackarmies_env.render.sack_armies.picture import Picture
from sackarmies_env.render.sack_armies.scene import make_scene
from sackarmies_env.render.shapes import Circle, Line, Place, Polygon, Rect, Text, text_width
from tests.render.positions import play_random

LEAST_CONTRAST = 4.5
TERRAINS = (theme.PLAIN, theme.WATER, theme.HALTING, theme.MARSH, theme.BONUS)
# Every text color with the backgrounds it appears on: readable, with a contrast of at least 4.5.
TEXT_COLORS: dict[str, tuple[str, ...]] = {
    theme.INK: (theme.PAPER, theme.PANEL_PAPER, *TERRAINS, *theme.SEAT_TINTS),
    theme.FADED_INK: (theme.PAPER, theme.PANEL_PAPER, theme.OPEN_HEX, *theme.SEAT_TINTS),
    theme.WHITE: (theme.INK, theme.CAPTIVES, *theme.SEATS, *theme.BANDS.values()),
    theme.RAISED: theme.SEAT_TINTS,
    theme.LOWERED: theme.SEAT_TINTS,
    theme.RAISED_DOWN: theme.SEATS,
    theme.LOWERED_DOWN: theme.SEATS,
    **dict.fromkeys(theme.SEATS, (theme.PANEL_PAPER,)),
    **dict.fromkeys(theme.BANDS.values(), (theme.WHITE,)),
}
NAMES = {kind: [t.name for t in load_catalogue().values() if t.kind == kind] for kind in ("unit", "battlefield")}
GENERALS = [2, 3, 4, 5, 6]
PLACE = Place(100.0, 100.0, 40.0)


def card(name="Guard", band="red", values=(1, 2, 3), printed=(1, 2, 3)):
    return UnitCard(name, "Gua", 3, *values, printed, 5, "infantry", "", band, "")


def unit(name="Guard", owner=0, face_up=True, **options):
    return UnitView((0, 0), owner, face_up, card(name, **options))


def field(name="Plain", controller=0, owner=0, **options):
    return FieldView(
        (0, 0), owner, controller, name, "Pla", 3, **{"water": False, "halts": False, "text": ""} | options
    )


def counter_scene(view):
    draw_counter(scene := [], PLACE, view)
    return scene


def field_scene(view, under_unit=False):
    draw_field(scene := [], PLACE, view, 0.0, under_unit)
    return scene


def texts(scene):
    return [shape for shape in scene if isinstance(shape, Text)]


def box(text):
    """Return the left, top, right and bottom of a text."""
    width = text_width(text.text, text.size, text.bold)
    left = text.x - {"start": 0.0, "middle": width / 2, "end": width}[text.anchor]
    return left, text.y - 0.4 * text.size, left + width, text.y + 0.4 * text.size


# --- contrast


def luminance(color):
    values = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """Return the contrast of two colors as defined by the Web Content Accessibility Guidelines."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def is_inside(shape, x, y):
    match shape:
        case Rect():
            return shape.x <= x <= shape.x + shape.w and shape.y <= y <= shape.y + shape.h
        case Circle():
            return (x - shape.x) ** 2 + (y - shape.y) ** 2 <= shape.r**2
        case Polygon():
            inside = False
            for (x0, y0), (x1, y1) in itertools.pairwise([*shape.points, shape.points[0]]):
                if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
                    inside = not inside
            return inside
    return False


def written_on(scene):
    """Return pairs of the color of each text and the color beneath it."""
    pairs = set()
    for number, shape in enumerate(scene):
        if isinstance(shape, Text):
            left, _, right, _ = box(shape)
            under = (s for s in reversed(scene[:number]) if not isinstance(s, Line | Text) and s.fill)
            ground = next(s for s in under if is_inside(s, (left + right) / 2, shape.y))
            pairs.add((shape.fill, ground.fill))
    return pairs


@pytest.mark.parametrize(("color", "ground"), [(c, g) for c, grounds in TEXT_COLORS.items() for g in grounds])
def test_letters_stand_out_from_their_ground(color, ground):
    assert contrast(color, ground) >= LEAST_CONTRAST


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("num_generals", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 6))])
def test_all_colors_of_letters_and_grounds_in_pictures_are_known_to_stand_out(num_generals):
    game = make_game(num_generals)
    states = game.new_states(1)
    found = set()
    for seed, viewer in itertools.product(range(3), (0, None)):
        play_random(game, states, seed, 150 * num_generals)
        found |= written_on(make_scene(find_picture(game, states, viewer)))
    for band, owner, face_up, amount in itertools.product(theme.BANDS, range(6), (True, False), (-1, 1)):
        values = (2, 2 + amount, 2)
        found |= written_on(
            counter_scene(unit(owner=owner, face_up=face_up, band=band, values=values, printed=(2, 2, 2)))
        )
    for water, halts, text in itertools.product((True, False), (True, False), ("", "text")):
        found |= written_on(field_scene(field(owner=1, water=water, halts=halts, text=text)))
    assert found <= {(color, ground) for color, grounds in TEXT_COLORS.items() for ground in grounds}
    assert len(found) > 40


# --- names


def real_width(text):
    """Return the width of a text in Pillow's own font, which draws bold text with a thicker pen."""
    return font_of(200).getlength(text.text) / 200 * text.size


@pytest.mark.parametrize("name", NAMES["unit"])
def test_names_of_units_are_whole_and_fit_the_band(name):
    first, *rest = texts(counter_scene(unit(name)))
    lines = [first, *itertools.takewhile(lambda text: text.bold and text.fill == theme.WHITE, rest)]
    assert " ".join(line.text for line in lines) == name
    assert len(lines) <= 2
    assert all(real_width(line) <= NAME_WIDTH * PLACE.r for line in lines)
    assert lines[-1].y - lines[0].y + lines[0].size <= NAME_HEIGHT * PLACE.r + 0.01
    assert lines[0].size >= 0.11 * PLACE.r  # 4 pixels on the board of six Generals, 7 on that of two


@pytest.mark.parametrize(("label", "under_unit"), [(FREE, False), (UNDER_UNIT, True)])
@pytest.mark.parametrize("name", NAMES["battlefield"])
def test_names_of_battlefields_are_whole_and_fit(name, label, under_unit):
    lines = [text for text in texts(field_scene(field(name), under_unit)) if text.text in name and text.bold][:2]
    lines = lines[:1] if lines[0].text == name else lines
    assert " ".join(line.text for line in lines) == name
    assert all(real_width(line) <= label.width * PLACE.r for line in lines)
    assert lines[0].size >= 0.1 * PLACE.r


@pytest.mark.parametrize("viewer", [0, None])
@pytest.mark.parametrize("num_generals", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 4, 5, 6))])
def test_pictures_of_games_tell_every_name_whole(num_generals, viewer):
    game = make_game(num_generals)
    states = game.new_states(1)
    play_random(game, states, 1, 100 * num_generals)
    picture = find_picture(game, states, viewer)
    board = " ".join(text.text for text in texts(make_scene(picture)))
    known = [unit.card for unit in picture.units if unit.card is not None]
    assert known
    for each in (*known, *picture.fields):
        assert each.name in board


# --- the panel


def crowded(num_generals, viewer=None, copies=20):
    """Return a picture of Generals whose piles hold up to `copies` kinds of tokens."""
    names = sorted(token.name for token in load_catalogue().values())
    pile = tuple((name, 2) for name in names[:copies])
    seats = tuple(SeatView(seat, seat != 1, 12, pile, 40, pile, 5, pile, pile, pile) for seat in range(num_generals))
    log = tuple(f"General {number % num_generals} announces: coordinated ranged attack at 0,-1" for number in range(50))
    asked = "coordinated ranged attack: choose the unit whose attachment is meant"
    note = "Left in the deck: 20 red, 20 black, 2 jokers"
    return Picture(
        "Sack Armies",
        viewer,
        99,
        0,
        asked,
        "melee attack at 1,-1, then Dismiss at -2,-3",
        (),
        "",
        (),
        (),
        (),
        seats,
        log,
        (note,),
    )


@pytest.mark.parametrize("copies", [0, 3, 20])
@pytest.mark.parametrize("viewer", [0, None])
@pytest.mark.parametrize("num_generals", GENERALS)
def test_texts_of_the_panel_do_not_overlap(num_generals, viewer, copies):
    draw_panel(scene := [], crowded(num_generals, viewer, copies))
    words = texts(scene)
    for one, other in itertools.combinations(map(box, words), 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    for left, top, right, bottom in map(box, words):
        assert theme.WIDTH - theme.PANEL < left < right <= theme.WIDTH
        assert 0 <= top < bottom <= theme.HEIGHT
    names = [text.text for text in words if text.text.startswith("General ") and text.bold]
    assert len(names) == num_generals
    assert sum("announces" in text.text for text in words) >= 2


@pytest.mark.parametrize("num_generals", GENERALS)
def test_panel_cuts_no_name_and_counts_what_it_leaves_out(num_generals):
    picture = crowded(num_generals, copies=20)
    draw_panel(scene := [], picture)
    words = " ".join(text.text for text in texts(scene))
    assert "..." not in words
    _, *seats = re.split(r"General \d (?=hand|out of the game)", words)
    assert len(seats) == num_generals
    names = {f"2 {name}" for name, _ in picture.seats[0].hand}
    for words in seats:
        if num_generals > 4:  # there is no room for names
            assert "Hand 40, picked 40, casualties 40, removed 40" in words
        else:
            piles = re.findall(r"(Hand|Picked|Casualties|Removed): (.*?) and (\d+) more", words)
            assert [label for label, _, _ in piles] == ["Hand", "Picked", "Casualties", "Removed"]
            for _, listed, more in piles:
                assert set(listed.split(", ")) <= names
                assert 2 * len(listed.split(", ")) + int(more) == 40


def test_legend_fits_under_the_board():
    draw_legend(scene := [])
    for left, top, right, bottom in map(box, texts(scene)):
        assert 0 <= left < right <= theme.WIDTH - theme.PANEL
        assert theme.HEIGHT - theme.LEGEND <= top < bottom <= theme.HEIGHT
    told = [text.text for text in texts(scene)]
    for band, letter in theme.BAND_LETTERS.items():
        assert f"{letter} {band}" in told


# --- without colors


def colorless(scene):
    """Return a scene without colors, which only keeps whether shapes are filled."""
    plain = []
    for shape in scene:
        changes = {"fill": bool(shape.fill)} if hasattr(shape, "fill") else {}
        plain.append(dataclasses.replace(shape, **changes, **({"stroke": ""} if hasattr(shape, "stroke") else {})))
    return plain


@pytest.mark.parametrize(
    "scenes",
    [
        [counter_scene(unit(band=band)) for band in theme.BANDS],
        [counter_scene(unit(owner=seat)) for seat in range(6)],
        [counter_scene(dataclasses.replace(unit(owner=seat), card=None, face_up=False)) for seat in range(6)],
        [field_scene(field(controller=seat, owner=owner)) for seat in range(6) for owner in range(6)],
        [counter_scene(unit(values=(2, damage, 2), printed=(2, 2, 2))) for damage in (1, 2, 3)],
        [counter_scene(unit(face_up=face_up)) for face_up in (True, False)],
    ],
    ids=["bands", "seats", "seats of backs", "seats of battlefields", "values", "faces"],
)
def test_differences_are_seen_without_colors(scenes):
    for one, other in itertools.combinations(map(colorless, scenes), 2):
        assert one != other


@pytest.mark.parametrize("under_unit", [True, False])
def test_effects_of_terrain_are_drawn(under_unit):
    """Fields that differ only in an effect differ in a shape, not just in a text."""
    plain = field()
    effects = [
        {"water": True},
        {"halts": True},
        {"shelters": True},
        *({"effects": (TerrainEffect(stat, 1),)} for stat in ("movement", "damage", "armor")),
    ]
    scenes = [field_scene(dataclasses.replace(plain, **effect), under_unit) for effect in ({}, *effects)]
    drawn = [[shape for shape in colorless(scene) if not isinstance(shape, Text)] for scene in scenes]
    for one, other in itertools.combinations(drawn, 2):
        assert one != other
    more = field_scene(dataclasses.replace(plain, effects=(TerrainEffect("armor", -2, "elves"),)), under_unit)
    assert "-2*" in [text.text for text in texts(more)]


def test_every_terrain_of_the_catalogue_with_an_effect_has_a_sign():
    game = make_game(
        2, armies=[{"name": "All", "tokens": dict.fromkeys(fields, 1) | {"legionaries": 4}} for fields in _halves()]
    )
    states = game.new_states(1)
    seen = {}
    for seed in range(8):
        play_random(game, states, seed, 60)
        seen |= {each.name: each for each in find_picture(game, states, None).fields}
    assert len(seen) > 12
    for each in seen.values():
        assert bool(signs_of(each)) == bool(each.text), each.name
        stats = [effect.stat for effect in each.effects]
        assert all(f"{stat} " in each.text for stat in stats)
    assert np.sum([each.water for each in seen.values()]) >= 2


def _halves():
    ids = sorted(token.id for token in load_catalogue().values() if token.kind == "battlefield")
    return ids[::2], ids[1::2]
