"""SVG documents and arrays of pixels."""

import builtins
from xml.etree import ElementTree

import numpy as np
import pytest

from sackarmies_env.render import ansi, rgb_array, svg
from sackarmies_env.render.picture import REFEREE, find_picture, pile_text
from sackarmies_env.render.rgb import paint_rgb
from sackarmies_env.render.sack_armies.model import codes_of
from sackarmies_env.render.sack_armies.picture import Picture
from sackarmies_env.render.sack_armies.scene import make_camera, make_scene
from sackarmies_env.render.scene import Drawing
from sackarmies_env.render.svg import paint_svg
from tests.render.positions import SMALL, start, twin
from tests.render.svg_reader import read_svg, tokens_of

EMPTY = Picture("Sack Armies", REFEREE, 0, 0, "pick <one> & go", "", (), "", (), (), (), (), ())
DRAWN = {"ansi": lambda *args: ansi(*args).encode(), "svg": lambda *args: svg(*args).encode(), "rgb": rgb_array}


def texts(document):
    """Return the texts of an SVG document."""
    return [element.text for element in ElementTree.fromstring(document).iter("{http://www.w3.org/2000/svg}text")]


def test_svg_shows_known_units_by_name_and_others_by_their_backs():
    game, states = start(SMALL)
    own, others, all_of_it = (texts(svg(game, states, viewer)) for viewer in (0, 1, None))
    assert (own.count("Scout"), others.count("Scout"), all_of_it.count("Scout")) == (1, 1, 2)
    assert own.count("Guard") == others.count("Guard") == 1
    assert {"Plain", "Woods", "General 0 (you)", "Hand: Guard, Plain", "turn 1"} <= set(own)
    assert {"Hand: Guard, Plain", "Hand: Dash"} <= set(all_of_it)
    assert not {"Hand: Dash", "Sack: Guard, Ward"} & set(own)


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_svg_shows_each_token_on_its_hex_with_all_that_is_known_of_it(viewer):
    game, states = start(SMALL)
    picture = find_picture(game, states, viewer)
    assert read_svg(svg(game, states, viewer)) == tokens_of(picture)
    assert len(picture.units) == len(picture.fields) == 3


def test_svg_is_well_formed_whatever_stands_in_it():
    root = ElementTree.fromstring(paint_svg(Drawing(EMPTY.headline(), make_scene(EMPTY))))
    assert root.attrib["viewBox"] == "0 0 1280 800"
    assert "General 0 to decide: pick <one> & go" in texts(paint_svg(Drawing(EMPTY.headline(), make_scene(EMPTY))))


def test_pixel_array_has_one_shape_from_the_start():
    game, states = start(SMALL)
    for pixels in (paint_rgb(make_scene(EMPTY)), rgb_array(game, states), rgb_array(game, states, 1)):
        assert pixels.shape == (800, 1280, 3)
        assert pixels.dtype == np.uint8
    assert np.unique(rgb_array(game, states, 0).reshape(-1, 3), axis=0).shape[0] > 50


@pytest.mark.parametrize("form", DRAWN)
def test_picture_does_not_depend_on_hidden_information(form):
    draw = DRAWN[form]
    this, that = start(SMALL), start(twin())
    assert np.array_equal(draw(*this, 0), draw(*that, 0))
    assert not np.array_equal(draw(*this, 1), draw(*that, 1))
    assert not np.array_equal(draw(*this, None), draw(*that, None))


def test_camera_depends_on_the_legal_hexes_alone_and_never_comes_closer():
    few = make_camera(((0, 0), (1, 0)))
    many = make_camera(tuple((q, 0) for q in range(-9, 10)))
    assert few == make_camera(((1, 0), (0, 0)))
    assert many.scale < few.scale
    assert 0 < many.place((-9, 0)).x < many.place((9, 0)).x < 940


def test_missing_pillow_is_an_error_that_names_the_extra(monkeypatch):
    real = builtins.__import__

    def without_pillow(name, *args, **kwargs):
        if name.startswith("PIL"):
            raise ImportError(name, name=name)
        return real(name, *args, **kwargs)

    position = start(SMALL)
    monkeypatch.setattr(builtins, "__import__", without_pillow)
    with pytest.raises(
        ValueError, match=r"needs pillow, which is not installed: pip install 'sackarmies-env\[render\]', or choose"
    ):
        rgb_array(*position)


def test_codes_are_distinct_and_close_to_the_names():
    names = ["Orc Infantry", "Plain", "Orc Imps", "Plains", "Lance of Ire", "Plan", "X"]
    assert codes_of(names) == ["OrI", "Pla", "OIm", "Pli", "LaI", "Pln", "X__"]
    assert len(set(codes_of(["Wall"] * 200))) == 200


def test_piles_are_listed_with_copies():
    assert pile_text((("Dash", 1), ("Guard", 2))) == "Dash, 2 Guard"
    assert pile_text(()) == "none"
