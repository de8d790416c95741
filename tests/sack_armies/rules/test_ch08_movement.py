"""Chapter 8, Move (8.3 and 8.3.1): reach, passing, halting, and what a completed move reveals."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import able, asked, coordinate, hexes, modify, play, text
from tests.sack_armies.builders.ground import around, legal_ground, move, piles, reach, wait, within
from tests.sack_armies.builders.text_game import B1, attachment, field, token, unit

A = token("a")
RUNNER = token("runner", movement=2)
FLYER = token("flyer", movement=2, abilities=[able("flying")])
NEWT = token("newt", movement=2, abilities=[able("aquatic")])
SPARE = piles(sack=["spare"])
FAR = field("8,-3", 1)  # keeps General 1 in the game, out of the way


def ground(token_id, **values):
    """Return an inline battlefield."""
    return {"id": token_id, "kind": "battlefield"} | values


MIRE = ground("mire", halts=True)
BOG = ground("bog", halts=True, water=True)
LAKE = ground("lake", water=True)
CRAG = ground("crag", halts=True, exempt=["flying"])
GLADE = ground("glade", halts=True, exempt=["aquatic"])


def moving(units, tokens=(), fields=None, **keys):
    """Return a table with units of the types "a", "runner", "flyer", "newt" and those in `tokens`."""
    return play([A, RUNNER, FLYER, NEWT, *tokens], units, fields=fields, **keys)


# --- the action


def test_r8_3_1__d_08__d_09__d_10__d_11__rb_10_one_or_two_units_are_moved():
    t = moving([unit("a", "0,0"), unit("a", "-2,0"), unit("a", "-1,1")]).do("move")
    assert asked(t) == (0, Decision.MOVE_UNIT)
    assert t.legal() == ["hex -2,0", "hex 0,0", "hex -1,1"]
    assert asked(t.do("hex 0,0")) == (0, Decision.MOVE_TO)
    assert hexes(t) == sorted(set(around(["0,0"])) - {"-1,1"})
    t.do("hex 1,0")
    assert asked(t) == (0, Decision.MOVE_UNIT)
    assert t.legal() == ["pass", "hex -2,0", "hex -1,1"]
    one = t.copy().do("done")
    assert (one.turn, one.player) == (2, 1)
    assert asked(t.do("hex -2,0")) == (0, Decision.MOVE_TO)
    t.do("hex -3,0")
    assert (t.turn, t.player) == (2, 1)  # no third unit
    assert [t.unit(cell) is not None for cell in ("1,0", "-3,0", "-1,1")] == [True] * 3


def test_d_08_only_units_with_a_destination_are_offered():
    post = token("post", movement=0)
    units = [unit("a", "0,0"), unit("post", "-2,0"), unit("a", "3,0", 1)]
    assert moving(units, [post]).do("move").legal() == ["hex 0,0"]


def test_d_08_employed_units_are_not_moved():
    units = [unit("a", "0,0"), unit("a", "1,-1"), unit("a", "-2,0"), unit("a", "1,0", 1)]
    t = coordinate(moving(units, flips="T"), "coord_melee", "1,0", "0,0", "1,-1").do("move")
    assert t.legal() == ["hex -2,0"]


def test_d_10_the_second_choice_knows_what_the_first_move_revealed():
    units = [unit("a", "0,0"), unit("a", "-1,0"), unit("a", "2,0", 1, face="down")]
    t = moving(units).do("move", "hex 0,0", "hex 1,0")
    assert asked(t) == (0, Decision.MOVE_UNIT)
    assert t.unit("2,0").face == "up"


def test_d_11_the_second_unit_may_take_the_place_the_first_left():
    t = moving([unit("a", "0,0"), unit("a", "-1,0")]).do("move", "hex 0,0", "hex 1,0", "hex -1,0")
    assert "0,0" in hexes(t)
    assert "1,0" not in hexes(t)


def test_r8_3_2_no_unit_is_moved_twice_in_a_turn():
    t = moving([unit("runner", "0,0"), unit("a", "-2,0")]).do("move", "hex 0,0", "hex 1,0")
    assert t.unit("1,0").moved
    assert t.legal() == ["pass", "hex -2,0"]
    alone = moving([unit("runner", "0,0")]).do("move", "hex 0,0", "hex 1,0")
    assert (alone.turn, alone.player) == (2, 1)  # nothing else can move
    assert hexes(wait(alone).do("move")) == ["1,0"]  # it can in General 0's next turn


@pytest.mark.parametrize("movement", [1, 2, 4])
def test_r8_3_3__r8_3_6__rb_11_a_point_for_each_space_and_a_unit_may_stop_early(movement):
    t = moving([unit("w", "-2,0")], [token("w", movement=movement)])
    assert reach(t, "-2,0") == sorted((set(within("-2,0", movement)) & legal_ground()) - {"-2,0"})


def test_r8_3_4__r8_3_5__rb_9_legal_hexes_are_battlefields_and_their_neighbors():
    t = moving([unit("w", "0,0")], [token("w", movement=2)], [field("0,0"), FAR])
    assert reach(t, "0,0") == around(["0,0"])
    ring = {"1,0", "1,-1", "0,-1", "-1,0", "-1,1", "0,1"}
    assert set(around(["0,0"])) == ring  # six neighbors; 1,1 and -1,-1 share no edge


def test_r8_3_7_every_step_must_be_on_a_legal_hex():
    fields = [field("0,0"), field("4,0"), FAR]
    t = moving([unit("w", "0,0")], [token("w", movement=9)], fields)
    assert reach(t, "0,0") == around(["0,0"])  # 2,0 between them is not a legal hex
    bridge = moving([unit("w", "0,0")], [token("w", movement=3)], [*fields, field("2,0")])
    assert "3,0" in reach(bridge, "0,0")


def test_r8_3_8_own_units_may_be_passed():
    fields = [field("0,0"), field("2,0"), FAR]
    units = [unit("runner", "0,0"), unit("a", "1,0"), unit("a", "1,-1"), unit("a", "0,1"), unit("a", "2,-1")]
    t = moving(units, fields=fields)
    assert "2,0" in reach(t, "0,0")
    assert not set(reach(t, "0,0")) & {"1,0", "1,-1", "0,1", "2,-1"}


@pytest.mark.parametrize("face", ["up", "down"])
def test_r8_3_9_enemies_may_not_be_passed(face):
    strider = token("strider", movement=3)
    fields = [field("0,0"), field("2,0"), FAR]
    assert "2,0" in reach(moving([unit("strider", "-1,0")], [strider], fields), "-1,0")
    wall = unit("a", "1,0", 1, face=face)
    found = reach(moving([unit("strider", "-1,0"), wall], [strider], fields), "-1,0")
    assert not set(found) & {"1,0", "2,0"}  # the only path of three steps is blocked
    assert {"0,0", "1,-1", "2,-1"} <= set(found)
    own = moving([unit("strider", "-1,0"), unit("a", "1,0")], [strider], fields)
    assert "2,0" in reach(own, "-1,0")


def test_r8_3_10__q_20_a_move_ends_on_another_hex_without_a_unit():
    units = [unit("a", "0,0"), unit("a", "-1,0"), unit("a", "0,1", 1), unit("a", "1,0", 1)]
    t = moving(units)
    assert reach(t, "0,0") == ["-1,1", "0,-1", "1,-1"]  # neither its own hex nor an occupied one
    boxed = [unit("a", "0,0"), *(unit("b", cell) for cell in around(["0,0"]))]
    assert "move" not in moving(boxed, [token("b", movement=0)]).legal()


def test_r8_3_7_a_unit_cannot_leave_for_a_hex_without_ground_beside_it():
    boxed = [unit("a", "-3,2"), *(unit("b", cell) for cell in around(["-3,2"]) if cell in legal_ground())]
    assert 1 < len(boxed) < 7
    assert "move" not in moving(boxed, [token("b", movement=0)]).legal()


@pytest.mark.parametrize(("bonus", "distance"), [(1, 2), (2, 3), (-1, None)])
def test_r8_3_11_battlefields_and_texts_modify_movement(bonus, distance):
    road = ground("trail", effects=[{"stat": "movement", "amount": bonus}])
    fields = [field(h, 0, "trail" if h == "0,0" else "plain") for h in B1[0]] + [field(h, 1) for h in B1[1]]
    here = moving([unit("a", "0,0")], [road], fields)
    boots = text("maneuver", "boots", "free", [modify("movement", bonus)])
    worn = [unit("r", "0,0", attached=[attachment("boots", "up")])]
    dressed = moving(worn, [boots, token("r", band="red")])
    expected = [] if distance is None else sorted((set(within("0,0", distance)) & legal_ground()) - {"0,0"})
    assert reach(here, "0,0") == expected
    assert reach(dressed, "0,0") == expected


# --- halting battlefields


def test_r8_3_12_a_halting_battlefield_ends_the_move_of_a_unit_that_enters_it():
    t = moving([unit("runner", "0,0")], [MIRE], [field("0,0"), field("1,0", 0, "mire"), FAR])
    found = reach(t, "0,0")
    assert "1,0" in found
    assert "2,0" not in found  # reached only through the mire
    assert "1,-1" in found  # beside it
    free = moving([unit("runner", "0,0")], [], [field("0,0"), field("1,0"), FAR])
    assert "2,0" in reach(free, "0,0")


def test_p_reach__r8_3_12_starting_on_a_halting_battlefield_does_not_matter():
    t = moving([unit("runner", "0,0")], [MIRE], [field("0,0", 0, "mire"), field("2,0"), FAR])
    assert {"1,0", "2,0"} <= set(reach(t, "0,0"))


def test_p_reach_an_occupied_halting_battlefield_is_no_passage():
    fields = [field("0,0"), field("1,0", 0, "mire"), FAR]
    walls = [unit("a", cell, 1) for cell in ("1,-1", "0,1")]
    t = moving([unit("runner", "0,0"), unit("a", "1,0"), *walls], [MIRE], fields)
    assert not set(reach(t, "0,0")) & {"1,0", "2,0", "2,-1", "1,1"}
    dry = moving([unit("runner", "0,0"), unit("a", "1,0"), *walls], [], [field("0,0"), field("1,0"), FAR])
    assert {"2,0", "2,-1", "1,1"} <= set(reach(dry, "0,0"))


@pytest.mark.parametrize(
    ("terrain", "who", "passes"),
    [
        ("mire", "flyer", False),
        ("crag", "flyer", True),
        ("crag", "runner", False),
        ("crag", "newt", False),
        ("glade", "newt", True),
        ("glade", "flyer", False),
        ("bog", "newt", True),
        ("bog", "flyer", False),
        ("lake", "runner", True),
    ],
)
@pytest.mark.parametrize("face", ["up", "down"])
def test_p_reach__r8_3_12_exempt_unit_passes_if_face_up(terrain, who, passes, face):
    fields = [field("0,0"), field("1,0", 0, terrain), FAR]
    t = moving([unit(who, "0,0", face=face)], [MIRE, BOG, LAKE, CRAG, GLADE], fields)
    assert ("2,0" in reach(t, "0,0")) == (passes and (face == "up" or terrain == "lake"))


# --- flyers and aquatic units


LINE = [field("0,0"), field("2,0"), FAR]


@pytest.mark.parametrize(("who", "passes"), [("flyer", True), ("runner", False), ("newt", False)])
def test_r8_3_13_flyers_pass_enemies_and_end_on_none(who, passes):
    walls = [unit("a", cell, 1) for cell in ("1,0", "1,-1", "0,1")]
    found = reach(moving([unit(who, "0,0"), *walls], fields=LINE), "0,0")
    assert ("2,0" in found) == passes
    assert not set(found) & {"1,0", "1,-1", "0,1"}


def test_r8_3_13_enemies_pass_flyers_too():
    flyers = [unit("flyer", cell, 1) for cell in ("1,0", "1,-1", "0,1")]
    found = reach(moving([unit("runner", "0,0"), *flyers], fields=LINE), "0,0")
    assert "2,0" in found
    assert not set(found) & {"1,0", "1,-1", "0,1"}


def test_r8_3_13_aquatic_units_pass_enemies_on_water():
    tokens = [LAKE]
    walls = [unit("a", cell, 1) for cell in ("1,0", "1,-1", "0,1")]
    wet = [field("0,0"), field("1,0", 0, "lake"), FAR]
    dry = [field("0,0"), field("1,0"), FAR]
    assert "2,0" in reach(moving([unit("newt", "0,0"), *walls], tokens, wet), "0,0")
    assert "1,0" not in reach(moving([unit("newt", "0,0"), *walls], tokens, wet), "0,0")
    assert "2,0" not in reach(moving([unit("newt", "0,0"), *walls], tokens, dry), "0,0")
    assert "2,0" not in reach(moving([unit("runner", "0,0"), *walls], tokens, wet), "0,0")


def test_q_25_flyers_too_need_a_legal_hex_at_every_step():
    fields = [field("0,0"), field("4,0"), FAR]
    assert reach(moving([unit("flyer", "0,0")], fields=fields), "0,0") == around(["0,0"])


def test_q_25_face_down_flyers_neither_pass_nor_are_passed():
    hawk, strider = token("hawk", movement=3, abilities=[able("flying")]), token("strider", movement=3)
    fields = [field("0,0"), field("1,0"), field("3,0"), FAR]
    places = ("2,0", "2,-1", "1,1")

    def passes(who, face, wall, wall_face="up"):
        units = [unit(who, "0,0", face=face), *(unit(wall, cell, 1, face=wall_face) for cell in places)]
        return "3,0" in reach(moving(units, [hawk, strider], fields), "0,0")

    assert (passes("hawk", "up", "a"), passes("hawk", "down", "a")) == (True, False)
    assert (passes("strider", "up", "flyer"), passes("strider", "up", "flyer", "down")) == (True, False)


def test_q_26_aquatic_units_may_end_on_empty_water():
    fields = [field("0,0"), field("1,0", 0, "bog"), field("2,0", 0, "lake"), FAR]
    found = reach(moving([unit("newt", "0,0")], [BOG, LAKE], fields), "0,0")
    assert {"1,0", "2,0"} <= set(found)
    taken = reach(moving([unit("newt", "0,0"), unit("a", "2,0", 1)], [BOG, LAKE], fields), "0,0")
    assert "1,0" in taken
    assert "2,0" not in taken


# --- 8.3.1 what a completed move reveals


def test_r8_3_1_1_an_arrival_reveals_what_the_mover_sights():
    scout = token("scout", movement=2, abilities=[able("sight", range=2)])
    hidden = [unit("a", cell, 1, face="down") for cell in ("2,0", "3,0", "4,0")]
    t = moving([unit("scout", "-1,0"), *hidden], [scout])
    move(t, "-1,0", "1,0")
    assert [t.unit(cell).face for cell in ("2,0", "3,0", "4,0")] == ["up", "up", "down"]
    t = moving([unit("runner", "-1,0"), *hidden])
    move(t, "-1,0", "1,0")
    assert [t.unit(cell).face for cell in ("2,0", "3,0", "4,0")] == ["up", "down", "down"]


@pytest.mark.parametrize(("reach_of_sight", "face"), [(1, "down"), (2, "up")])
def test_r8_3_1_2_an_unrevealed_mover_is_turned_up_if_it_is_sighted_now(reach_of_sight, face):
    abilities = [able("sight", range=reach_of_sight)] if reach_of_sight > 1 else []
    watch = token("watch", abilities=abilities)
    t = moving([unit("a", "-1,0", face="down"), unit("watch", "2,0", 1)], [watch])
    move(t, "-1,0", "0,0")
    assert t.unit("0,0").face == face


def test_r8_3_1_2_beside_an_opposing_unit_both_turn_up():
    t = moving([unit("a", "0,0", face="down"), unit("a", "2,0", 1, face="down")])
    move(t, "0,0", "1,0")
    assert (t.unit("1,0").face, t.unit("2,0").face) == ("up", "up")


def test_r8_3_1_3_nothing_is_revealed_in_passing():
    strider = token("strider", movement=4)
    t = moving([unit("strider", "0,1", face="down"), unit("a", "2,0", 1, face="down")], [strider])
    assert "3,1" in reach(t, "0,1")
    fields = [*(field(h) for h in B1[0]), *(field(h, 1) for h in B1[1]), field("0,3")]
    t = moving([unit("strider", "0,1", face="down"), unit("a", "2,0", 1, face="down")], [strider], fields)
    move(t, "0,1", "4,1")  # via 1,1, 2,1 and 3,1, past the hidden unit
    assert (t.unit("4,1").face, t.unit("2,0").face) == ("down", "down")


def test_q_88_a_surprise_relocation_is_no_move_of_the_next_turn():
    leap = text("maneuver", "leap", "action", [{"kind": "relocate", "who": "host", "distance": 2}])
    units = [unit("a", "0,0"), unit("r", "1,0", 1, attached=[attachment("leap")])]
    t = moving(units, [leap, token("r", band="red")])
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 3,0").pass_all()
    assert asked(t) == (1, Decision.MENU)
    assert not t.unit("3,0").moved
    assert t.do("move").legal() == ["hex 3,0"]


def test_q_74_adjacency_is_a_shared_edge_and_ranges_count_rings():
    far = token("far", movement=3, abilities=[able("range", range=2)])
    enemies = [unit("a", cell, 1) for cell in ("2,0", "1,1", "2,1", "1,-1")]
    fields = [field(h) for h in ("0,0", "1,0", "1,1")] + [field("3,0", 1)]
    t = moving([unit("far", "0,0"), *enemies], [far], fields)
    assert hexes(t.copy().do("ranged", "hex 0,0")) == ["1,-1", "1,1", "2,0"]
    assert hexes(t.copy().do("melee", "hex 0,0")) == ["1,-1"]
