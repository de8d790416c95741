"""Interactions of rules: Generals who forfeit mid-action, sight at an announcement, texts aimed at hexes."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core.state import ERROR_NONE
from sackarmies_env.games.sack_armies.state.constants import Decision, Zone
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.fights import able, attack, coordinate, grant, modify, play, shot, text
from tests.sack_armies.builders.text_game import B1, attachment, field, token, unit

THREE = [field(h, g) for g, hexes in B1.items() for h in hexes] + [field(h, 2) for h in ("0,4", "0,5")]
BYSTANDER = unit("d", "0,4", 2)


def three(tokens, units, flips="", **keys):
    """Return a table of three Generals, the third a bystander."""
    return play(tokens, [*units, BYSTANDER], flips, fields=THREE, generals=3, **keys)


def leave(table, player):
    """Make `player` forfeit, whether or not they are the current player."""
    entry.forfeit(table.params, table.states, np.array([player], np.int64))
    assert table.state["error"] == ERROR_NONE
    return table


def pile(*casualties, sack=("spare",)):
    return {"hand": [], "sack": list(sack), "casualties": list(casualties), "removed": []}


# --- a General leaves


def test_d_15_attackers_named_before_somebody_left_are_forgotten():
    t = three([token("a"), token("d", armor=9)], [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)])
    t.do("coord_melee", "hex 1,0", "hex 0,0", "hex 0,1")
    leave(t, 2)
    assert t.decision == Decision.MENU
    assert not t.state["token_member"].any()
    t.do("coord_melee", "hex 1,0")
    assert t.legal() == ["hex 0,0", "hex 0,1"]


def test_d_22_reveal_begun_in_a_window_is_retracted_when_a_third_general_leaves():
    t = three([token("a"), token("d")], [unit("a", "0,0"), unit("d", "1,0", 1), unit("d", "3,0", 1, face="down")])
    t.do("melee", "hex 0,0", "hex 1,0", "reveal_unit")
    assert t.decision == Decision.REVEAL_HEX
    leave(t, 2)
    assert (t.player, t.decision) == (1, Decision.WINDOW)
    assert t.state["chain_verb"] == 0


def test_q_16_counter_is_not_asked_any_more_when_all_attackers_have_left():
    t = three([token("a"), token("d", armor=9)], [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)], "H T")
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1")
    t.pass_all()
    assert (t.player, t.decision) == (1, Decision.COUNTER)
    leave(t, 0)
    assert (t.turn, t.player, t.decision) == (2, 1, Decision.MENU)


def test_d_26_designation_is_still_asked_after_a_third_general_left():
    t = three([token("a"), token("d", armor=9)], [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)], "H T H T")
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1")
    t.pass_all().do("yes")
    leave(t, 2)
    assert t.decision == Decision.DESIGNATE
    t.do("hex 0,1")
    assert t.unit("0,0") is not None
    assert t.unit("0,1") is None
    assert t.flips_left() == 0


def test_d_26_designation_is_not_asked_any_more_when_the_defender_has_left():
    t = three([token("a"), token("d", armor=9)], [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)], "H T")
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1")
    t.pass_all().do("yes")
    assert t.decision == Decision.DESIGNATE
    leave(t, 1)
    assert (t.player, t.decision, t.active) == (2, Decision.MENU, 2)
    assert t.flips_left() == 0


@pytest.mark.parametrize("texts", [["melee", "hex 0,0", "hex 1,0"], ["ranged", "hex 0,0", "hex 1,0"]])
def test_q_98_attack_is_over_and_spent_when_the_defender_leaves_in_its_window(texts):
    t = three([token("a", abilities=[shot(3)]), token("d")], [unit("a", "0,0"), unit("d", "1,0", 1)], "H").do(*texts)
    assert (t.player, t.decision) == (1, Decision.WINDOW)
    leave(t, 1).pass_all()
    assert (t.turn, t.player, t.decision) == (2, 2, Decision.MENU)
    assert t.unit("0,0") is not None
    assert t.flips_left() == 1


def test_q_98_no_check_is_made_and_no_charge_ridden_once_the_defender_has_left():
    rider = token("a", movement=2, abilities=[able("move_and_attack")])
    units = [unit("a", "-1,0"), unit("a", "0,1"), unit("d", "1,0", 1)]
    charge = three([rider, token("d")], units, "H").do("move_attack", "hex -1,0", "hex 1,0")
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)]
    switches = {"coord_window": "both"}
    joint = coordinate(
        three([token("a"), token("d")], units, "H", switches=switches), "coord_melee", "1,0", "0,0", "0,1"
    )
    for t, cell in ((charge, "-1,0"), (joint, "0,0")):
        assert (t.player, t.decision) == (1, Decision.WINDOW)
        leave(t, 1).pass_all()
        assert (t.turn, t.player, t.decision) == (2, 2, Decision.MENU)
        assert t.unit(cell) is not None
        assert t.flips_left() == 1


def test_d_23__d_24__d_27_attack_decision_stays_when_a_third_general_leaves():
    tokens = [token("a", abilities=[able("ambush")]), token("d")]
    t = three(tokens, [unit("a", "0,0"), unit("d", "1,0", 1)], "H T")
    t.do("melee", "hex 0,0", "hex 1,0").pass_all()
    assert leave(t.copy(), 2).decision == Decision.AMBUSH
    t.do("pass")
    assert leave(t.copy(), 2).decision == Decision.COUNTER
    t.do("pass")
    assert leave(t.copy(), 2).decision == Decision.ADVANCE


def lent(*effects):
    """Return a permanent spell with these effects, and General 2's copy of it in effect on another General's unit."""
    spell = text("spell", "gift", "permanent", [*effects], target="any_unit", range=5)
    return spell, attachment("gift", face="up", owner=2, active=True)


@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize(("lent_to", "effect", "dies"), [("0,0", "damage", True), ("1,0", "armor", False)])
def test_q_99_what_leaves_with_a_general_after_the_flips_no_longer_counts(lent_to, effect, dies, gone):
    spell, gift = lent(modify(effect, 5))
    places = [("a", "0,0", 0), ("a", "0,1", 0), ("d", "1,0", 1)]
    units = [unit(name, cell, owner, attached=[gift] * (cell == lent_to)) for name, cell, owner in places]
    armor = 7 if effect == "damage" else 2  # two attackers of damage 1, one success
    t = three([token("a"), token("d", armor=armor), spell], units, "H | H T")
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1").pass_all()
    assert (t.player, t.decision, t.flips_left()) == (1, Decision.COUNTER, 0)
    if gone:
        leave(t, 2)
    t.do("no")
    assert (t.unit("1,0") is None) is (dies != gone)


def test_q_62__d_17_a_charge_is_cancelled_if_its_movement_bonus_leaves():
    spell, gift = lent(modify("movement", 2))
    rider = token("a", movement=1, abilities=[able("move_and_attack")])
    t = three([rider, token("d"), spell], [unit("a", "-1,0", attached=[gift]), unit("d", "2,0", 1)])
    t.do("move_attack", "hex -1,0", "hex 2,0").pass_all()
    assert t.decision == Decision.CHARGE_TO
    leave(t, 2)
    assert (t.turn, t.player, t.decision) == (1, 0, Decision.MENU)
    assert not t.unit("-1,0").employed


def test_d_26__r8_4_5_22_a_defender_whose_range_has_left_hits_nobody():
    spell, gift = lent(grant("range", range=5))
    units = [unit("a", "-1,0"), unit("a", "-1,1"), unit("d", "2,0", 1, attached=[gift])]
    t = three([token("a", abilities=[shot(5)]), token("d", armor=9), spell], units, "H | H")
    coordinate(t, "coord_ranged", "2,0", "-1,0", "-1,1").pass_all()
    asked = leave(t.copy(), 2)
    t.do("yes")
    assert t.decision == Decision.DESIGNATE
    for after in (asked, leave(t, 2)):
        assert (after.turn, after.player, after.decision, after.flips_left()) == (2, 1, Decision.MENU, 0)


def test_d_24__r8_4_4_7_no_counter_attack_once_the_defenders_range_has_left():
    spell, gift = lent(grant("range", range=5))
    units = [unit("a", "-1,0"), unit("d", "2,0", 1, attached=[gift])]
    t = three([token("a", abilities=[shot(5)]), token("d", armor=9), spell], units, "H")
    t.do("ranged", "hex -1,0", "hex 2,0").pass_all()
    assert t.decision == Decision.COUNTER
    assert leave(t, 2).turn == 2


def test_d_23__d_27_ambush_and_advance_end_with_a_permanent_that_has_left():
    spell, gift = lent(grant("ambush"))
    t = three([token("a"), token("d", armor=9), spell], [unit("a", "0,0", attached=[gift]), unit("d", "1,0", 1)])
    t.do("melee", "hex 0,0", "hex 1,0").pass_all()
    assert t.decision == Decision.AMBUSH
    assert leave(t, 2).decision == Decision.COUNTER
    spell, gift = lent(modify("movement", 2))
    still = token("a", movement=0)
    t = three([still, token("d"), spell], [unit("a", "0,0", attached=[gift]), unit("d", "1,0", 1)], "H T")
    t.do("melee", "hex 0,0", "hex 1,0").pass_all().do("no")
    assert t.decision == Decision.ADVANCE
    assert leave(t, 2).turn == 2


@pytest.mark.parametrize(("effect", "target"), [("flying", "1,0"), ("range", "3,0")])
def test_r9_1_11_an_attack_made_illegal_by_a_general_who_leaves_is_cancelled(effect, target):
    spell, gift = lent(grant("flying") if effect == "flying" else grant("range", range=5))
    flyer = token("f", abilities=[able("flying")])
    t = three([token("a"), token("d"), flyer, spell], [unit("a", "0,0", attached=[gift]), unit("f", target, 1)])
    t.do("melee" if effect == "flying" else "ranged", "hex 0,0", f"hex {target}")
    leave(t, 2).pass_all()
    assert (t.turn, t.player, t.decision) == (1, 0, Decision.MENU)
    assert not t.unit("0,0").employed


def test_q_20_a_move_made_impossible_by_a_general_who_leaves_is_not_spent():
    spell, gift = lent(modify("movement", 2))
    still = token("a", movement=0)
    t = three([still, token("d"), spell], [unit("a", "0,0", attached=[gift]), unit("d", "3,0", 1)])
    t.do("move")
    assert t.decision == Decision.MOVE_UNIT
    leave(t, 2)
    assert (t.turn, t.player, t.decision) == (1, 0, Decision.MENU)
    assert t.legal() == ["draw"]


@pytest.mark.parametrize(("verb", "victim"), [("capture", "1,0"), ("dispel", "0,0")])
def test_q_66_an_ability_whose_permanent_leaves_is_cancelled(verb, victim):
    spell, gift = lent(grant(verb, **({"range": 2} if verb == "dispel" else {})))
    ward = text("spell", "ward", "free", [modify("armor", 1)])
    own = unit("a", "0,0", attached=[attachment("ward"), gift])
    t = three([token("a", band="green"), token("d"), spell, ward], [own, unit("d", "1,0", 1)], "H")
    t.do(verb, "hex 0,0", f"hex {victim}", *(["slot 0"] if verb == "dispel" else []))
    leave(t, 2).pass_all()
    assert (t.turn, t.player, t.decision, t.casualties(0)) == (1, 0, Decision.MENU, [])
    assert t.unit("1,0") is not None


def test_q_66_a_dispel_of_a_permanent_that_leaves_is_cancelled():
    spell, gift = lent(grant("range", range=3))
    ward = text("spell", "ward", "free", [modify("armor", 1)])
    target = unit("d", "2,0", 1, attached=[gift, attachment("ward")])
    units = [unit("a", "0,0"), target]
    t = three([token("a", abilities=[able("dispel", range=5)]), token("d", band="green"), spell, ward], units)
    t.do("dispel", "hex 0,0", "hex 2,0", "slot 0")
    leave(t, 2).pass_all()
    assert (t.turn, t.player, t.decision) == (1, 0, Decision.MENU)
    assert t.casualties(2).count("gift") == 1


@pytest.mark.parametrize("verb", ["melee", "coord_melee", "move_attack"])
def test_d_22_a_reveal_after_the_defender_has_left_is_judged_without_it(verb):
    units = [unit("a", "-1,0" if verb == "move_attack" else "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)]
    units.append(unit("h", "0,5", 2, face="down"))
    tokens = [token("a", abilities=[able("move_and_attack")]), token("d"), token("h")]
    t = three(tokens, units, "H")
    if verb == "coord_melee":
        coordinate(t, verb, "1,0", "0,0", "0,1")
    else:
        t.do(verb, f"hex {units[0]['at'][0]},{units[0]['at'][1]}", "hex 1,0")
    leave(t, 1)
    t.do("reveal_unit", "hex 0,5").pass_all()
    assert (t.turn, t.player, t.decision, t.flips_left()) == (2, 2, Decision.MENU, int(verb != "coord_melee"))


@pytest.mark.parametrize("reserve", [(), ("a",)])
def test_r8_2_2_4__q_24_a_unit_revealed_as_the_active_general_falls_sees(reserve):
    tokens = [token("a", abilities=[able("scatter")]), token("d", armor=9), token("h")]
    tokens += [
        token("x", band="blue", abilities=[able("sight", range=3)]),
        text("spell", "ward", "free", [modify("armor", 1)]),
    ]
    fields = [*(field(h, g) for g, hexes in B1.items() for h in hexes), field("5,1", 2), field("5,2", 2)]
    units = [unit("a", "1,0"), unit("d", "2,0", 1), unit("h", "5,1", 2, face="down")]
    units.append(unit("x", "3,0", 1, face="down", attached=[attachment("ward")]))
    piles = [pile(sack=reserve), pile(), pile()]
    t = play(tokens, units, "H T | H T | H", fields=fields, generals=3, general=piles)
    attack(t, "melee", "1,0", "2,0", "yes").do("yes", "slot 0")
    assert t.alive(0) == bool(reserve)
    assert (t.turn, t.unit("3,0").face, t.unit("5,1").face) == (2, "up", "up")


def test_d_20_a_raised_unit_still_finds_its_hex_when_a_third_general_leaves():
    piles = [pile("z"), pile(), pile()]
    units = [unit("n", "0,0"), unit("d", "3,0", 1)]
    t = three([token("n", abilities=[able("raise")]), token("z"), token("d")], units, "H", general=piles)
    t.do("raise", "hex 0,0", "type z").pass_all()
    leave(t, 2)
    assert t.decision == Decision.RAISE_HEX
    t.do("hex 0,1")
    assert t.unit("0,1").id == "z"


def test_d_28_elimination_during_a_save_leaves_no_decision_behind():
    tokens = [token("a", abilities=[shot(4), able("scatter")]), token("d", armor=9), token("h", band="blue")]
    ward = text("spell", "ward", "free", [modify("armor", 1)])
    hidden = unit("h", "3,0", 1, face="down", attached=[attachment("ward")])
    t = three([*tokens, ward], [unit("a", "0,0"), unit("d", "2,0", 1), hidden], "H H")
    attack(t, "ranged", "0,0", "2,0")
    t.do("yes")
    assert t.decision == Decision.SAVE_SLOT
    leave(t, 1)
    assert (t.player, t.decision) == (2, Decision.MENU)


@pytest.mark.parametrize("verb", ["capture", "dismiss"])
def test_q_15_announced_ability_does_not_reach_tokens_of_an_eliminated_general(verb):
    abilities = [able("capture"), able("dismiss", range=3)]
    t = three([token("n", abilities=abilities), token("d")], [unit("n", "0,0"), unit("d", "1,0", 1)])
    t.do(verb, "hex 0,0", "hex 1,0")
    leave(t, 1).pass_all()
    assert (t.player, t.decision) == (0, Decision.MENU)
    assert "d" in t.casualties(1)
    assert "d" not in t.zone(1, Zone.CAPTURED) + t.sack(1)


def test_p_moveattack_a_lost_movement_bonus_cancels_before_the_move():
    haste = text("spell", "haste", "permanent", [modify("movement", 2)], target="any_unit", range=5)
    gift = attachment("haste", face="up", owner=2, active=True)
    charger = token("c", movement=1, abilities=[able("move_and_attack")])
    t = three([charger, token("d"), haste], [unit("c", "-1,0", attached=[gift]), unit("d", "2,0", 1)])
    t.do("move_attack", "hex -1,0", "hex 2,0")
    leave(t, 2).pass_all()
    assert (t.player, t.decision) == (0, Decision.MENU)
    assert not t.unit("-1,0").employed


def test_p_elim_text_that_eliminates_its_general_stops():
    x = text("spell", "x", "action", [{"kind": "damage", "amount": 9}, {"kind": "draw", "count": 1}])
    host = unit("w", "0,0", attached=[attachment("x")])
    piles = [pile(sack=["x", "x"]), pile(), pile()]
    t = three([token("w", band="blue"), token("d"), x], [host, unit("d", "1,0", 1)], general=piles)
    t.do("cast", "hex 0,0", "slot 0").pass_all()
    assert not t.alive(0)
    assert (t.hand(0), t.sack(0)) == ([], ["x", "x"])


# --- ordinary play


def test_q_62_sight_at_the_announcement_cancels_a_move_and_attack_before_the_move():
    charger = token("s", movement=2, abilities=[able("move_and_attack"), able("sight", range=3)])
    flyer = token("f", abilities=[able("flying")])
    t = play([charger, flyer], [unit("s", "0,0", face="down"), unit("f", "3,0", 1, face="down")])
    t.do("move_attack", "hex 0,0", "hex 3,0")
    assert t.unit("3,0").face == "up"
    t.pass_all()
    assert (t.player, t.decision) == (0, Decision.MENU)
    assert not t.unit("0,0").employed


@pytest.mark.parametrize(("cell", "face"), [("-1,0", "down"), ("4,0", "up")])
def test_r8_2_2_2_a_text_aimed_at_a_hex_turns_up_only_what_its_effect_reveals(cell, face):
    scry = text("spell", "scry", "action", [{"kind": "reveal", "range": 1}], target="hex", range=5)
    units = [
        unit("m", "0,0", attached=[attachment("scry")]),
        unit("o", "-1,0", face="down"),
        unit("e", "4,0", 1, face="down"),
    ]
    t = play([token("m", band="blue"), token("e"), token("o"), scry], units)
    t.do("cast", "hex 0,0", "slot 0", f"hex {cell}")
    assert t.unit(cell).face == "down"
    t.pass_all()
    assert t.unit(cell).face == face


def test_ra_scatter_8_a_granted_ability_may_save_as_well():
    mire = {"id": "mire", "kind": "battlefield", "water": True, "effects": [{"stat": "armor", "amount": -1}]}
    fields = [field(h, g, "mire" if h == "3,0" else "plain") for g, hexes in B1.items() for h in hexes]
    gill = text("spell", "gill", "free", [grant("aquatic")])
    engine = token("engine", abilities=[able("scatter"), shot(4)])
    newt = unit("newt", "3,0", 1, face="down", attached=[attachment("gill")])
    tokens = [engine, token("d", armor=9), token("newt", armor=2, band="blue"), gill, mire]
    t = play(tokens, [unit("engine", "0,0"), unit("d", "2,0", 1), newt], "H H", fields=fields)
    attack(t, "ranged", "0,0", "2,0")
    assert t.decision == Decision.SAVE
    t.do("yes", "slot 0")
    assert t.unit("3,0").face == "up"


def test_ra_0_1_a_granted_raise_of_anything_widens_a_printed_one():
    gift = text("spell", "gift", "free", [grant("raise")])
    raiser = token("n", band="blue", abilities=[able("raise", match=[{"keyword": "bone"}])])
    host = unit("n", "0,0", attached=[attachment("gift", face="up")])
    tokens = [raiser, token("z"), token("k", keywords=["bone"]), gift]
    t = play(tokens, [host, unit("z", "3,0", 1)], general=[pile("z", "k"), pile()])
    t.do("raise", "hex 0,0")
    assert sorted(t.legal()) == ["type k", "type z"]
