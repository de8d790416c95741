"""Appendix B, glossary: what its terms mean in play."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event, Verb
from tests.sack_armies.builders.fights import (
    able,
    asked,
    attack,
    coordinate,
    events,
    flips_made,
    hexes,
    modify,
    play,
    text,
)
from tests.sack_armies.builders.ground import legal_ground, move, piles, reach, wait, within
from tests.sack_armies.builders.text_game import attachment, field, token, unit

A = token("a")
OGRE = token("ogre", damage=9, armor=9)
GREEN = token("g", band="green")
WARD = text("spell", "ward", "action", [modify("armor", 1)])
CHARM = text("spell", "charm", "free", [modify("armor", 1)])
SPARE = piles(sack=["spare"])


def announced(t):
    """Return the verbs that were announced, oldest first."""
    return [Verb(value).name.lower() for _, value in events(t, Event.ANNOUNCE)]


def table(units, flips="", tokens=(), **keys):
    """Return a table with units of the types "a", "ogre", "g" and those in `tokens`."""
    return play([A, OGRE, GREEN, WARD, CHARM, *tokens], units, flips, **keys)


def test_rb_1_actions_are_draw_deploy_attack_move_and_activate():
    mage = token("mage", band="green", movement=2, abilities=[able("range", range=1), able("move_and_attack")])
    units = [
        unit("mage", "0,0", attached=[attachment("ward")]),
        unit("mage", "0,1"),
        unit("a", "1,0", 1),
        unit("a", "3,0", 1),
    ]
    general = [piles(hand=["a"], sack=["spare"]), SPARE]
    t = table(units, tokens=[mage], general=general)
    assert t.legal() == [
        *("draw", "deploy", "move"),
        *("melee", "ranged", "coord_melee", "coord_ranged", "move_attack"),
        "cast",
    ]


@pytest.mark.parametrize(
    ("verb", "choices"),
    [("cast", ["hex 0,0", "slot 0"]), ("dismiss", ["hex 0,0", "hex 2,0"]), ("custom", ["hex 0,0"])],
)
def test_rb_2_activation_puts_an_ability_or_an_attached_action_text_to_use(verb, choices):
    values = {"use": "action", "effects": [modify("damage", 1)], "target": "host"}
    mage = token("mage", band="green", abilities=[able("dismiss", range=2)], **values)
    t = table([unit("mage", "0,0", attached=[attachment("ward")]), unit("a", "2,0", 1)], tokens=[mage])
    t.do(verb, *choices).pass_all()
    assert announced(t) == [verb]
    assert asked(t) == (1, Decision.MENU)


def test_rb_3_one_unit_attacks_more_coordinate():
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("a", "-2,0"), unit("ogre", "1,0", 1)]
    t = table(units)
    assert hexes(t.copy().do("melee")) == ["0,0", "0,1"]
    t.do("coord_melee", "hex 1,0", "hex 0,0")
    assert "pass" not in t.legal()
    assert "pass" in t.do("hex 0,1").legal()
    alone = table([unit("a", "0,0"), unit("ogre", "1,0", 1)])
    assert {"melee", "coord_melee"} & set(alone.legal()) == {"melee"}
    own = table([unit("a", "0,0"), unit("a", "1,0")])
    assert "melee" not in own.legal()  # only an opposing General's unit can be attacked


def test_rb_4__rb_16_each_pile_holds_the_killed_units_and_spent_tokens_of_its_owner():
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=3)
    curse = text("spell", "curse", "permanent", [modify("damage", -1)], target="enemy_unit", range=3)
    held = [attachment("charm"), attachment("curse", "up", owner=0)]
    units = [unit("g", "0,0", attached=[attachment("bolt")]), unit("g", "2,0", 1, attached=held)]
    t = table(units, tokens=[bolt, curse]).do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert (t.casualties(0), t.casualties(1)) == (["bolt", "curse"], ["charm", "g"])


def test_rb_5_to_deploy_is_to_play_tokens_from_hand_to_the_battleground():
    t = table([unit("g", "0,0")], general=[piles(hand=["a", "charm"], sack=["spare"]), SPARE])
    t.do("deploy", "type a", "hex -1,0", "type charm", "hex 0,0")
    assert (t.unit("-1,0").id, t.unit("0,0").attachments, t.hand(0)) == ("a", ("charm",), [])


def test_rb_6_an_employed_unit_is_barred_from_all_actions_of_the_turn():
    mage = token("mage", band="green", movement=3, abilities=[able("range", range=3), able("dismiss", range=3)])
    units = [unit("mage", "0,0", attached=[attachment("ward")]), unit("mage", "0,1"), unit("ogre", "1,0", 1)]
    t = table(units, "T", [mage])
    before = set(t.legal())
    assert before == {"draw", "move", "melee", "ranged", "coord_melee", "coord_ranged", "dismiss", "cast"}
    coordinate(t, "coord_ranged", "1,0", "0,0", "0,1")
    assert t.legal() == ["draw"]
    wait(wait(t))
    assert set(t.legal()) == before


def test_rb_7_a_free_action_costs_no_turn_and_works_in_the_opponents():
    t = table([unit("a", "0,0", face="down"), unit("a", "2,0", 1)]).do("reveal_unit", "hex 0,0")
    assert (t.turn, t.player, t.unit("0,0").face) == (1, 0, "up")
    t = table([unit("a", "1,0"), unit("a", "2,0", 1), unit("a", "4,0", 1, face="down")])
    t.do("melee", "hex 1,0", "hex 2,0", "reveal_unit", "hex 4,0")
    assert (t.turn, t.active, t.unit("4,0").face) == (1, 0, "up")


@pytest.mark.parametrize(("flips", "made"), [("T", 1), ("H T", 2), ("H H H T", 4)])
def test_rb_8_heads_succeed_and_the_first_failure_ends_a_progressive_flip(flips, made):
    t = attack(table([unit("a", "0,0"), unit("ogre", "1,0", 1)], flips), "melee", "0,0", "1,0", "no")
    assert flips_made(t) == [(0, int(letter == "H")) for letter in flips.split()]
    assert (len(flips_made(t)), t.flips_left()) == (made, 0)


def test_rb_9_a_hex_space_is_on_or_next_to_a_battlefield():
    strider = token("strider", movement=20)
    t = table([unit("strider", "0,0")], tokens=[strider])
    assert reach(t, "0,0") == sorted(legal_ground() - {"0,0"})
    assert len(legal_ground()) == 31


def test_rb_10__rb_11_a_move_is_up_to_two_units_by_their_movement():
    strider = token("strider", movement=2)
    units = [unit("strider", "0,0"), unit("a", "-2,0"), unit("a", "-1,1")]
    t = table(units, tokens=[strider])
    assert reach(t, "0,0") == sorted((set(within("0,0", 2)) & legal_ground()) - {"0,0", "-2,0", "-1,1"})
    t.do("move", "hex 0,0", "hex 1,0", "hex -2,0", "hex -3,0")
    assert (t.turn, t.player) == (2, 1)


def test_rb_12_a_hex_is_occupied_once_the_movement_of_the_turn_is_over():
    strider = token("strider", movement=3)
    t = table([unit("strider", "1,0"), unit("a", "-1,0")], tokens=[strider])
    t.do("move", "hex 1,0", "hex 2,0")
    assert t.field("2,0").controller == 1  # the turn is not over
    t.do("done")
    assert t.field("2,0").controller == 0
    passing = move(table([unit("strider", "1,0")], tokens=[strider]), "1,0", "2,1")
    assert passing.field("2,0").controller == 1


def test_rb_13_owned_is_what_the_same_general_played():
    curse = text("spell", "curse", "permanent", [modify("armor", -1)], target="any_unit", range=3)
    own = [attachment("charm"), attachment("charm")]
    general = [piles(hand=["charm"], sack=["spare"]), SPARE]
    foreign = unit("g", "0,0", attached=[*own, attachment("curse", "up", owner=1)])
    assert "deploy" in table([foreign], tokens=[curse], general=general).legal()
    full = unit("g", "0,0", attached=[*own, attachment("curse", "up", active=True)])
    assert "deploy" not in table([full], tokens=[curse], general=general).legal()


@pytest.mark.parametrize("face", ["up", "down"])
def test_rb_14_revealed_is_face_up(face):
    t = table([unit("a", "0,0", face=face), unit("a", "4,0", 1)])
    assert ("reveal_unit" in t.legal()) == (face == "down")
    banner = token("banner", abilities=[able("augment", stat="armor", amount=1)])
    t = table([unit("a", "0,0"), unit("banner", "-1,0", face=face)], tokens=[banner])
    assert t.stat("0,0", "armor") == (2 if face == "up" else 1)


def test_rb_15_control_is_with_the_last_general_whose_unit_occupied_the_battlefield():
    fields = [field("0,0"), field("2,0", 1), field("4,0", 1), field("0,2", 2)]
    t = table([unit("a", "1,0"), unit("a", "3,1", 2)], fields=fields, generals=3)
    move(t, "1,0", "2,0")
    assert t.field("2,0").controller == 0
    wait(t)
    wait(t)
    move(t, "2,0", "1,0")
    wait(t)
    assert t.field("2,0").controller == 0
    move(t, "3,1", "2,1")
    wait(t)
    wait(t)
    move(t, "2,1", "2,0")
    assert t.field("2,0").controller == 2


def test_rb_17_the_coordination_check_is_the_flip_before_the_attack():
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("ogre", "1,0", 1)]
    t = coordinate(table(units, "H | T"), "coord_melee", "1,0", "0,0", "0,1")
    assert flips_made(t) == [(0, 1)]
    assert t.decision == Decision.WINDOW
    assert flips_made(t.pass_all()) == [(0, 1), (0, 0)]


def test_rb_18_a_counter_attack_is_the_defenders_try_at_an_attacking_unit():
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("ogre", "1,0", 1)]
    t = attack(table(units, "T | H T"), "melee", "0,0", "1,0", "yes")
    assert t.casualties(0) == ["a"]
    assert (t.unit("0,0"), t.unit("0,1").id) == (None, "a")
    assert announced(t) == ["melee"]  # it is not an action itself
