"""Fog of war (8.2.2): face-down tokens, what turns them up, and what they cannot do."""

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event
from sackarmies_env.games.sack_armies.state.layout import make_observation_spec
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.fights import able, asked, attack, coordinate, events, hexes, modify, play, shot, text
from tests.sack_armies.builders.ground import move, piles, wait
from tests.sack_armies.builders.text_game import attachment, token, unit

A = token("a")
GREEN = token("g", band="green")
CHARM = text("spell", "charm", "free", [modify("armor", 1)])
TOWER = token("tower", abilities=[able("sight", range=3)])
BANNER = token("banner", abilities=[able("augment", stat="armor", amount=1)])


def fog(units, tokens=(), flips="", **keys):
    """Return a table with units of the types "a", "g", "tower", "banner" and those in `tokens`."""
    return play([A, GREEN, CHARM, TOWER, BANNER, *tokens], units, flips, **keys)


def observation(t, viewer):
    """Return a General's observation as bytes."""
    spec = make_observation_spec(2, int(t.params["num_types"][0]), int(t.params["tokens_per_general"][0]))
    out = np.zeros((1, spec.size), np.int8)
    entry.observe(t.params, t.states, np.array([viewer], np.int64), out)
    return out.tobytes()


# --- unknown to opponents


def test_r8_2_2_1_opponents_know_little_of_a_face_down_unit():
    tokens = [token("mouse"), token("giant", damage=9, armor=9)]

    def looks(first, second, viewer):
        units = [unit("a", "0,0"), unit(first, "4,0", 1, face="down")]
        general = [piles(sack=["spare"]), piles(hand=[second], sack=["spare"])]
        return observation(fog(units, tokens, general=general), viewer)

    assert looks("mouse", "giant", 0) == looks("giant", "mouse", 0)
    assert looks("mouse", "giant", 1) != looks("giant", "mouse", 1)


@pytest.mark.parametrize("face", ["up", "down"])
def test_r8_2_2_2_face_down_units_cannot_be_targeted_by_enemies(face):
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=5)
    mage = token("mage", band="green", abilities=[shot(5), able("dismiss", range=5)])
    archers = [unit("mage", "0,0", attached=[attachment("bolt")]), unit("mage", "0,1")]
    t = fog([*archers, unit("a", "3,0", 1, face=face)], [bolt, mage])
    for verb in ("ranged", "cast", "coord_ranged"):
        assert (verb in t.legal()) == (face == "up")
    t.do("dismiss", "hex 0,0")
    assert ("3,0" in hexes(t)) == (face == "up")
    assert "0,1" in hexes(t)


def test_r8_2_2_2_a_face_down_unit_cannot_be_captured_either():
    # no unit stays face down beside an opposing unit, so the target must be sighted first
    jailer = token("jailer", abilities=[able("capture")])
    t = fog([unit("jailer", "0,0"), unit("a", "2,0", 1, face="down")], [jailer])
    assert "capture" not in t.legal()
    move(t, "0,0", "1,0")
    wait(t)
    assert "capture" in t.legal()


def test_r8_2_2_3_move_and_attack_scatter_counter_and_dispel_reach_what_is_face_down():
    rider = token("rider", movement=2, abilities=[able("move_and_attack"), able("dispel", range=5)])
    hidden = unit("g", "3,0", 1, face="down", attached=[attachment("charm")])
    t = fog([unit("rider", "0,0"), hidden], [rider])
    assert hexes(t.copy().do("move_attack", "hex 0,0")) == ["3,0"]
    t.do("dispel", "hex 0,0")
    assert "3,0" in hexes(t)
    t.do("hex 3,0", "slot 0").pass_all()
    assert (t.unit("3,0").face, t.unit("3,0").attachments, t.casualties(1)) == ("down", (), ["charm"])
    hurler = token("hurler", abilities=[shot(2), able("scatter", damage=1)])
    units = [unit("hurler", "0,0"), unit("tower", "2,0", 1), unit("a", "3,0", 1, face="down")]
    t = fog(units, [hurler], "H H", switches={"scatter_save": "off"})
    t.do("ranged", "hex 0,0", "hex 2,0").pass_all()
    assert t.casualties(1) == ["a", "tower"]


def undoing(kind, target="enemy_unit", more=(), where="3,0", owner=1):
    """Return a table on which General 0 may cast a text of this kind, and a unit on `where` is face down.

    Under that unit lie a maneuver "drill" and a spell "charm", face down.
    """
    undo = text("spell", "undo", "action", [{"kind": kind}, *more], target=target, range=4)
    drill = text("maneuver", "drill", "free", [modify("armor", 1)])
    hidden = unit("g", where, owner, face="down", attached=[attachment("drill"), attachment("charm")])
    units = [unit("g", "0,0", attached=[attachment("undo")]), hidden, unit("a", "4,0", 1)]
    return fog(units, [undo, drill])


@pytest.mark.parametrize("target", ["enemy_unit", "any_unit"])
@pytest.mark.parametrize(
    ("kind", "slot", "lost", "left"), [("counter", 0, "drill", "charm"), ("dispel", 1, "charm", "drill")]
)
def test_r8_2_2_3__ra_0_1_texts_that_only_counter_or_dispel_reach_hidden_hosts(target, kind, slot, lost, left):
    t = undoing(kind, target).do("cast", "hex 0,0", "slot 0")
    assert t.legal() == ["hex 3,0"]
    t.do("hex 3,0")
    assert t.legal() == ["slot 0", "slot 1"]  # either may be a spell or a maneuver
    t.do(f"slot {slot}").pass_all()
    host = t.unit("3,0")
    assert (host.face, host.attachments, host.attachment_faces) == ("down", (left,), ("down",))
    assert (t.casualties(1), events(t, Event.WRONG_KIND)) == ([lost], [])
    assert events(t, Event.REVEAL) == [(0, t.type_ids.index("undo"))]


@pytest.mark.parametrize("kind", ["counter", "dispel"])
def test_r8_2_2_3_texts_that_do_more_than_counter_or_dispel_need_revealed_targets(kind):
    assert "cast" in undoing(kind, "any_unit").legal()
    assert "cast" not in undoing(kind, "any_unit", [modify("armor", -1)]).legal()
    assert "cast" not in undoing(kind, "any_unit", [{"kind": "reveal", "range": 1}]).legal()


@pytest.mark.parametrize(("more", "face"), [((), "down"), ((modify("armor", 1),), "up")])
def test_r8_2_2_3_an_own_host_stays_face_down_as_well(more, face):
    t = undoing("dispel", "own_unit", more, where="-2,0", owner=0).do("cast", "hex 0,0", "slot 0")
    t.do("hex -2,0", "slot 1").pass_all()
    assert (t.unit("-2,0").face, t.casualties(0)) == (face, ["charm", "undo"])


def test_r8_2_2_3__r9_3_3_a_surprise_may_counter_under_a_hidden_host():
    undo = text("maneuver", "undo", "action", [{"kind": "counter"}], target="any_unit", range=3)
    defender = unit("guard", "1,0", 1, attached=[attachment("undo")])
    hidden = unit("g", "-1,0", face="down", attached=[attachment("feint")])
    feint = text("maneuver", "feint", "action", [modify("armor", 1)])
    t = fog([unit("a", "0,0"), hidden, defender], [undo, feint, token("guard", band="red")])
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0")
    assert t.legal() == ["hex -1,0"]
    t.do("hex -1,0", "slot 0")
    assert (t.unit("-1,0").face, t.casualties(0), asked(t)) == ("down", ["feint"], (0, Decision.WINDOW))


# --- what turns a unit up


def test_r8_2_2_4__r8_2_2_5__p_sight_adjacent_units_are_sighted():
    t = fog([unit("a", "0,0"), unit("a", "2,0", 1, face="down"), unit("a", "3,0", 1, face="down")])
    move(t, "0,0", "1,0")
    assert (t.unit("2,0").face, t.unit("3,0").face) == ("up", "down")
    assert events(t, Event.REVEAL) == [(1, t.type_ids.index("a"))]


@pytest.mark.parametrize(("place", "face"), [("2,0", "up"), ("3,0", "up"), ("4,0", "down")])
def test_r8_2_2_5_sight_x_reaches_x_hexes(place, face):
    t = fog([unit("tower", "-1,0"), unit("a", place, 1, face="down")])
    assert t.unit(place).face == "down"  # sight is not applied to the starting position
    move(t, "-1,0", "0,0")
    assert t.unit(place).face == face


def test_r8_2_2_4_a_far_sighted_captive_sees_nothing():
    prison = unit("g", "4,-1", 1, captives=[attachment("tower", face="up", owner=0)])
    hidden = [unit("a", cell, 1, face="down") for cell in ("3,0", "1,1")]
    t = move(fog([unit("a", "-2,0"), prison, *hidden]), "-2,0", "-2,1")
    assert [t.unit(cell).face for cell in ("3,0", "1,1")] == ["down", "down"]


def test_q_24__p_sight_a_free_reveal_of_a_far_sighted_unit_uncovers_enemies():
    t = fog([unit("tower", "0,0", face="down"), unit("a", "3,0", 1, face="down"), unit("a", "4,0", 1, face="down")])
    t.do("reveal_unit", "hex 0,0")
    assert (t.unit("0,0").face, t.unit("3,0").face, t.unit("4,0").face) == ("up", "up", "down")


def test_q_22__p_sight_when_two_face_down_opponents_meet_both_turn_up():
    t = fog([unit("a", "0,0", face="down"), unit("a", "2,0", 1, face="down")])
    move(t, "0,0", "1,0")
    assert (t.unit("1,0").face, t.unit("2,0").face) == ("up", "up")


def test_q_22_a_face_down_unit_has_sight_1_whatever_it_is():
    t = fog([unit("tower", "0,0", face="down"), unit("a", "3,0", 1, face="down")])
    move(t, "0,0", "1,0")
    assert (t.unit("1,0").face, t.unit("3,0").face) == ("down", "down")


def test_p_sight_goes_on_until_nothing_changes():
    # the arrival turns up an opposing tower, which then sights what is hidden behind the mover
    units = [
        unit("a", "0,0"),
        unit("tower", "-2,0", face="down"),
        unit("tower", "2,0", 1, face="down"),
        unit("a", "4,0", 1, face="down"),
    ]
    t = fog(units)
    move(t, "0,0", "1,0")
    assert [t.unit(cell).face for cell in ("1,0", "2,0", "-2,0", "4,0")] == ["up", "up", "down", "down"]
    units[1] = unit("tower", "-1,0", face="down")
    t = fog(units)
    move(t, "0,0", "1,0")
    assert [t.unit(cell).face for cell in ("1,0", "2,0", "-1,0", "4,0")] == ["up", "up", "up", "down"]


def test_r8_2_2_6_once_revealed_a_unit_stays_so():
    t = fog([unit("a", "0,0", face="down"), unit("a", "3,0", 1)])
    t.do("reveal_unit", "hex 0,0")
    move(t, "0,0", "-1,0")
    wait(t)
    assert t.unit("-1,0").face == "up"
    assert "reveal_unit" not in t.legal()


# --- what a face-down unit can do


def test_r8_2_2_7_a_face_down_unit_may_move_and_stays_down():
    t = fog([unit("a", "0,0", face="down"), unit("a", "4,0", 1)])
    move(t, "0,0", "-1,0")
    assert t.unit("-1,0").face == "down"


@pytest.mark.parametrize(
    "texts", [["ranged", "hex 0,0", "hex 3,0"], ["dismiss", "hex 0,0", "hex 3,0"], ["cast", "hex 0,0", "slot 0"]]
)
def test_r8_2_2_7__r8_2_2_8_whatever_else_it_does_reveals_it(texts):
    ward = text("spell", "ward", "action", [modify("armor", 1)])
    mage = token("mage", band="green", abilities=[shot(3), able("dismiss", range=3)])
    units = [unit("mage", "0,0", face="down", attached=[attachment("ward")]), unit("a", "3,0", 1)]
    t = fog(units, [ward, mage], "T").do(*texts)
    assert t.unit("0,0").face == "up"
    assert asked(t) == (1, Decision.WINDOW)


def test_r8_2_2_8_a_hidden_unit_helps_nobody_until_it_is_revealed():
    t = fog([unit("a", "0,0"), unit("banner", "-1,0", face="down"), unit("a", "4,0", 1)])
    assert t.stat("0,0", "armor") == 1
    t.do("reveal_unit", "hex -1,0")
    assert t.stat("0,0", "armor") == 2


def test_r8_2_2_8_coordination_reveals_all_who_take_part():
    archer = token("archer", abilities=[shot(3)])
    units = [unit("archer", cell, face="down") for cell in ("0,0", "0,1")] + [unit("a", "3,0", 1)]
    t = coordinate(fog(units, [archer], "T"), "coord_ranged", "3,0", "0,0", "0,1")
    assert [t.unit(cell).face for cell in ("0,0", "0,1")] == ["up", "up"]


# --- free reveals


def test_r8_2_2_9__d_07__rb_7_revealing_an_own_unit_is_free():
    units = [unit("a", "0,0", face="down"), unit("a", "-1,0"), unit("a", "-2,0", face="down")]
    t = fog([*units, unit("a", "4,0", 1, face="down")]).do("reveal_unit")
    assert asked(t) == (0, Decision.REVEAL_HEX)
    assert t.legal() == ["hex -2,0", "hex 0,0"]  # only own face-down units
    t.do("hex 0,0")
    assert (t.turn, *asked(t), t.unit("0,0").face) == (1, 0, Decision.MENU, "up")


def test_d_07_a_token_is_revealed_by_host_and_slot():
    held = [attachment("bolt"), attachment("charm"), attachment("charm", "up")]
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=5)
    units = [unit("g", "0,0", face="down", attached=held), unit("g", "-1,0", attached=[attachment("bolt")])]
    t = fog([*units, unit("a", "4,0", 1)], [bolt]).do("reveal_token")
    assert asked(t) == (0, Decision.REVEAL_HEX)
    assert t.legal() == ["hex 0,0"]
    assert asked(t.do("hex 0,0")) == (0, Decision.REVEAL_SLOT)
    assert t.legal() == ["slot 1"]  # only the face-down free text; action texts are revealed by casting them
    t.do("slot 1")
    assert t.unit("0,0").attachment_faces == ("down", "up", "up")
    assert (t.unit("0,0").face, t.stat("0,0", "armor")) == ("up", 3)
    assert (t.turn, t.decision) == (1, Decision.MENU)


def test_r8_2_2_10_reveals_are_allowed_after_an_announcement_and_not_after_the_flips():
    units = [unit("a", "0,0"), unit("a", "1,0", 1), unit("banner", "2,0", 1, face="down")]
    t = fog(units, flips="H T").do("melee", "hex 0,0", "hex 1,0")
    assert (t.player, "reveal_unit" in t.legal()) == (1, True)
    t.pass_all()
    assert (t.decision, t.legal()) == (Decision.COUNTER, ["pass", "yes"])
    t.do("no")
    assert (t.decision, t.legal()) == (Decision.ADVANCE, ["pass", "yes"])


# --- attachments


def test_r8_2_2_11_attachments_are_not_sighted_nor_turned_up_with_their_host():
    units = [unit("a", "0,0"), unit("g", "2,0", 1, face="down", attached=[attachment("charm")])]
    t = fog(units)
    move(t, "0,0", "1,0")
    assert (t.unit("2,0").face, t.unit("2,0").attachment_faces) == ("up", ("down",))
    t = fog([unit("g", "0,0", face="down", attached=[attachment("charm")]), unit("a", "4,0", 1)])
    t.do("reveal_unit", "hex 0,0")
    assert (t.unit("0,0").face, t.unit("0,0").attachment_faces) == ("up", ("down",))
    assert t.stat("0,0", "armor") == 1


def test_r8_2_2_12_attachments_are_revealed_by_their_controllers_choice():
    units = [unit("a", "0,0"), unit("g", "1,0", 1, attached=[attachment("charm")])]
    t = attack(fog(units, flips="H T"), "melee", "0,0", "1,0", "no")  # nobody chose to reveal it
    assert t.casualties(1) == ["charm", "g"]
    t = fog(units, flips="H T").do("melee", "hex 0,0", "hex 1,0", "reveal_token", "hex 1,0", "slot 0")
    t.pass_all().do("no")
    assert t.unit("1,0").attachment_faces == ("up",)
    assert t.casualties(1) == []


def test_r8_2_2_12_nobody_reveals_the_tokens_of_others():
    units = [unit("g", "0,0"), unit("g", "1,0", 1, face="up", attached=[attachment("charm")])]
    t = fog(units)
    assert "reveal_token" not in t.legal()


def test_r8_2_2_13_a_face_down_unit_may_occupy_an_opposing_battlefield():
    t = fog([unit("a", "5,0", face="down"), unit("a", "2,0", 1)])
    move(t, "5,0", "4,0")
    assert (t.field("4,0").controller, t.unit("4,0").face) == (0, "down")
    t = fog([unit("a", "5,0", face="down"), unit("a", "3,0", 1)])
    move(t, "5,0", "4,0")
    assert (t.field("4,0").controller, t.unit("4,0").face) == (0, "up")  # sighted
