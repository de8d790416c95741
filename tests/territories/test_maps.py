"""Maps are refused unless they are complete and their drawing agrees with their borders."""

from __future__ import annotations

import pytest

from sackarmies_env.core.safe_read import read_toml
from sackarmies_env.core.validation import read_model
from sackarmies_env.games.territories.data.outlines import crossings, is_inside
from sackarmies_env.games.territories.data.schema import MAP_FOLDER, RULEBOOK_FILE, Map, Rulebook, load_map, map_names


def changed(number, **change):
    """Return the small map with changes in one territory."""
    data = read_toml(MAP_FOLDER / "small.toml")
    territory = next(each for each in data["territory"] if each["number"] == number)
    territory |= {name: value(territory[name]) for name, value in change.items()}
    return data


@pytest.mark.parametrize("name", map_names())
@pytest.mark.parametrize("part", [None, "limits", "setup", "garrison", "drawing"])
def test_part_of_a_map_without_a_reason_is_refused(name, part):
    data = read_toml(MAP_FOLDER / f"{name}.toml")
    del (data if part is None else data[part])["reconstructed"]
    with pytest.raises(ValueError, match="reconstructed"):
        read_model(Map, data, f"{name}.toml")


@pytest.mark.parametrize("kind", ["unit", "card"])
def test_unit_or_card_without_a_reason_is_refused(kind):
    data = read_toml(RULEBOOK_FILE)
    data[kind][-1]["reconstructed"] = "so"
    with pytest.raises(ValueError, match="reconstructed"):
        read_model(Rulebook, data, "rulebook.toml")


def test_territories_look_the_same_on_both_maps():
    full = {each.number: each.outline for each in load_map("full").territory}
    assert {each.number: full[each.number] for each in load_map("small").territory} == {
        each.number: each.outline for each in load_map("small").territory
    }


@pytest.mark.parametrize(
    ("number", "change", "told"),
    [
        (5, {"outline": lambda old: old[:2]}, "outline"),
        (5, {"outline": lambda old: [[x + 300, y + 300] for x, y in old]}, "touches none, but it borders on 4"),
        (5, {"outline": lambda old: [[-5, 0], *old]}, "must be at least 0, not -5"),
        (5, {"outline": lambda old: [*old, old[3]]}, "has a repeated corner"),
        (5, {"outline": lambda old: [old[3], *old[:3], *old[4:]]}, "crosses itself"),
        (11, {"outline": lambda old: [[50, 20], *old]}, "crosses that of 11"),
        (5, {"center": lambda old: [10, 400]}, "the center of territory 5 is outside its outline"),
        (
            5,
            {"center": lambda old: load_map("small").territory[0].center},
            "the center of territory 5 is inside the outline of territory 1",
        ),
    ],
)
def test_faulty_drawings_are_refused(number, change, told):
    with pytest.raises(ValueError, match=told):
        read_model(Map, changed(number, **change), "small.toml")


def test_borders_that_are_not_drawn_are_refused():
    data = changed(5, borders=lambda old: [*old, 11])
    next(each for each in data["territory"] if each["number"] == 11)["borders"].append(5)
    with pytest.raises(ValueError, match="territory 5 touches 4, but it borders on 4, 11"):
        read_model(Map, data, "small.toml")


def test_points_and_crossings():
    square = [(0, 0), (4, 0), (4, 4), (0, 4)]
    assert is_inside((1, 2), square)
    assert not is_inside((5, 2), square)
    beside, across = [(x + 4, y) for x, y in square], [(x + 2, y + 2) for x, y in square]
    assert crossings({1: square, 2: beside}) == []
    assert crossings({1: square, 2: across}) == [(1, 2)]
