"""Spells: section 9.2, and the rulings on attachments."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    attack,
    flips_made,
    grant,
    hexes,
    modify,
    play,
    text,
    turn_over,
)
from tests.sack_armies.builders.text_game import attachment, token, unit

MAGE = token("mage", band="blue")
BOLT = text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=3)
MIGHT = text("spell", "might", "free", [modify("damage", 2), modify("armor", -1)])
WEAKEN = text("spell", "frailty", "permanent", [modify("armor", -1)], target="enemy_unit", range=3)
BLESS = text("spell", "bless", "permanent", [modify("armor", 1)], target="own_unit", range=3)


def hand(*tokens, **more):
    """Return the entry of a General with these tokens in hand."""
    return {"hand": list(tokens), "sack": ["spare"], "casualties": [], "removed": []} | more


# --- attaching and revealing


def test_r9_2_1_a_spell_is_attached_before_it_is_used():
    units = [unit("mage", "0,0"), unit("d", "2,0", 1)]
    t = play([MAGE, BOLT, token("d", armor=2)], units, general=[hand("bolt"), hand()])
    assert "cast" not in t.legal()
    t.do("deploy", "type bolt", "hex 0,0")
    assert (t.turn, t.unit("0,0").attachments) == (2, ("bolt",))
    t.do("draw", "done", "cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert (t.casualties(0), t.casualties(1)) == (["bolt"], ["d"])


def test_r9_2_2_action_spells_are_cast_and_free_ones_revealed():
    units = [unit("mage", "0,0", attached=[attachment("bolt"), attachment("might"), attachment("bless")])]
    t = play([MAGE, BOLT, MIGHT, BLESS, token("d")], [*units, unit("d", "2,0", 1)])
    assert t.copy().do("cast", "hex 0,0").legal() == ["slot 0", "slot 2"]
    assert t.do("reveal_token", "hex 0,0").legal() == ["slot 1"]


def test_r9_2_3__q_86_a_revealed_free_effect_applies_always_even_where_it_harms():
    units = [unit("mage", "0,0", attached=[attachment("might", "up")]), unit("d", "1,0", 1)]
    t = play([MAGE, MIGHT, token("d")], units, "T | H T")
    assert t.legal() == ["draw", "move", "melee"]  # nothing turns it off
    assert (t.stat("0,0", "damage"), t.stat("0,0", "armor")) == (3, 0)
    attack(t, "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert t.casualties(0) == ["mage", "might"]


def test_r9_2_4_spells_work_attached_and_revealed_only():
    units = [unit("mage", "0,0", attached=[attachment("might")]), unit("mage", "-1,0"), unit("d", "3,0", 1)]
    t = play([MAGE, MIGHT, token("d")], units, general=[hand("might"), hand()])
    assert [t.stat(cell, "damage") for cell in ("0,0", "-1,0")] == [1, 1]
    t.do("reveal_token", "hex 0,0", "slot 0")
    assert [t.stat(cell, "damage") for cell in ("0,0", "-1,0")] == [3, 1]


@pytest.mark.parametrize("kind", ["spell", "maneuver"])
def test_r9_2_5__r9_3_2_hosts_have_a_matching_band_and_no_more_than_three(kind):
    bands = {"0,0": "blue", "-1,0": "red", "-2,0": "green", "-1,1": "black", "-2,1": "gray"}
    tokens = [token(f"u_{band}", band=band) for band in bands.values()]
    gift = text(kind, "gift", "free", [modify("damage", 1)])
    units = [unit(f"u_{band}", cell) for cell, band in bands.items()]
    full = [unit("u_green", "0,1", attached=[attachment("gift")] * 3), unit("u_green", "3,0", 1)]
    t = play([*tokens, gift], [*units, *full], general=[hand("gift"), hand()]).do("deploy", "type gift")
    assert hexes(t) == (["-2,0", "0,0"] if kind == "spell" else ["-1,0", "-2,0"])
    t.do("hex -2,0")
    assert t.unit("-2,0").attachment_faces == ("down",)


def test_q_90__q_65_an_employed_unit_may_take_a_spell_but_not_cast_it():
    tokens = [MAGE, BOLT, token("d", armor=9)]
    units = [unit("mage", "0,0", attached=[attachment("bolt")]), unit("mage", "0,1", attached=[attachment("bolt")])]
    t = play(tokens, [*units, unit("d", "1,0", 1)], "T", general=[hand("bolt"), hand()])
    t.do("coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done")
    assert t.legal() == ["draw", "deploy"]
    t.do("deploy", "type bolt")
    assert hexes(t) == ["0,0", "0,1"]
    t.do("hex 0,0")
    assert t.unit("0,0").attachments == ("bolt", "bolt")


def test_r9_2_7_spells_are_not_sighted_and_not_turned_up_with_their_host():
    tokens = [MAGE, MIGHT, token("d", abilities=[able("sight", range=3)])]
    stack = [attachment("might")]
    units = [unit("mage", "-2,0", face="down", attached=stack), unit("mage", "0,0", attached=stack)]
    t = play(tokens, [*units, unit("d", "2,0", 1)])
    assert t.unit("0,0").attachment_faces == ("down",)
    t.do("reveal_unit", "hex -2,0")
    assert (t.unit("-2,0").face, t.unit("-2,0").attachment_faces) == ("up", ("down",))
    assert t.stat("-2,0", "damage") == 1


def test_r9_2_9_revealing_a_free_effect_costs_nothing_and_lasts():
    units = [unit("mage", "0,0", attached=[attachment("might"), attachment("might")]), unit("d", "3,0", 1)]
    t = play([MAGE, MIGHT, token("d")], units).do("reveal_token", "hex 0,0", "slot 1")
    assert (t.turn, *asked(t)) == (1, 0, Decision.MENU)
    assert t.unit("0,0").attachment_faces == ("down", "up")
    t.do("reveal_token", "hex 0,0", "slot 0", "move", "hex 0,0", "hex 0,1")
    t.do("draw", "done")
    assert (t.turn, t.stat("0,1", "damage")) == (3, 5)


# --- how they leave play


def test_r9_2_10_attachments_die_with_their_host():
    stack = [attachment("might"), attachment("might", "up"), attachment("drill")]
    drill = text("maneuver", "drill", "free", [modify("damage", 1)])
    host = token("host", band="green", armor=2)
    t = play([host, MIGHT, drill, token("a")], [unit("a", "0,0"), unit("host", "1,0", 1, attached=stack)], "H T")
    attack(t, "melee", "0,0", "1,0", "no")
    assert t.casualties(1) == ["drill", "host", "might", "might"]


def test_r9_2_10__q_85_attachments_are_removed_from_play_with_their_host():
    oblivion = text("spell", "erase", "action", [{"kind": "remove"}], target="enemy_unit", range=3)
    stack = [attachment("might"), attachment("frailty", "up", 0)]
    units = [unit("mage", "0,0", attached=[attachment("erase")]), unit("mage", "2,0", 1, attached=stack)]
    t = play([MAGE, MIGHT, WEAKEN, oblivion], units).do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert (t.removed(0), t.removed(1)) == (["frailty"], ["mage", "might"])
    assert (t.casualties(0), t.casualties(1)) == (["erase"], [])


@pytest.mark.parametrize("way", ["killed", "dismissed", "captured"])
def test_q_85_permanents_on_a_unit_that_leaves_go_to_their_own_owner(way):
    tokens = [token("a", abilities=[able("dismiss", range=1), able("capture")]), token("d", armor=2), WEAKEN]
    units = [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment("frailty", "up", 0)])]
    t = play(tokens, units, {"killed": "H T", "dismissed": "", "captured": "H"}[way])
    if way == "killed":
        attack(t, "melee", "0,0", "1,0", "no")
    else:
        t.do("dismiss" if way == "dismissed" else "capture", "hex 0,0", "hex 1,0").pass_all()
    assert (alive(t, "1,0"), t.flips_left()) == ([None], 0)
    if way == "captured":
        assert (t.casualties(0), t.unit("0,0").captives) == ([], ("d", "frailty"))
    else:
        assert t.casualties(0) == ["frailty"]


@pytest.mark.parametrize("face", ["up", "down"])
def test_r9_2_11_a_dispelled_free_spell_goes_to_casualties(face):
    tokens = [token("sage", abilities=[able("dispel", range=2)]), MAGE, MIGHT]
    units = [unit("sage", "0,0"), unit("mage", "2,0", 1, attached=[attachment("might", face)])]
    t = play(tokens, units).do("dispel", "hex 0,0", "hex 2,0", "slot 0").pass_all()
    assert turn_over(t)
    assert (t.casualties(1), t.unit("2,0").attachments, t.stat("2,0", "damage")) == (["might"], (), 1)


# --- action spells


def test_r9_2_12__p_activate_an_action_spell_costs_the_action_and_is_spent():
    units = [unit("mage", "0,0", face="down", attached=[attachment("bolt"), attachment("might")])]
    t = play([MAGE, BOLT, MIGHT, token("d", armor=3)], [*units, unit("d", "2,0", 1)])
    t.do("cast", "hex 0,0", "slot 0")
    assert (t.unit("0,0").face, t.unit("0,0").attachment_faces) == ("down", ("down", "down"))  # not announced yet
    t.do("hex 2,0")
    assert (t.unit("0,0").face, t.unit("0,0").attachment_faces) == ("up", ("up", "down"))
    assert asked(t) == (1, Decision.WINDOW)
    t.pass_all()
    assert turn_over(t)
    assert (t.casualties(0), t.unit("0,0").attachments, alive(t, "2,0")) == (["bolt"], ("might",), ["d"])


@pytest.mark.parametrize(("armor", "dies"), [(2, True), (3, False)])
def test_r9_2_12_the_damage_of_a_spell_kills_from_the_armor_on(armor, dies):
    units = [unit("mage", "0,0", attached=[attachment("bolt")]), unit("d", "2,0", 1)]
    t = play([MAGE, BOLT, token("d", armor=armor)], units).do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert t.casualties(1) == (["d"] if dies else [])


@pytest.mark.parametrize(
    ("flip", "flips", "damage"),
    [("none", "", 2), ("single", "H", 2), ("single", "T", 0), ("progressive", "H H T", 4), ("progressive", "T", 0)],
)
def test_p_activate_the_flips_of_a_text_multiply_its_damage(flip, flips, damage):
    spell = BOLT | {"effects": [{"kind": "damage", "amount": 2, "flip": flip}]}
    units = [unit("mage", "0,0", attached=[attachment("bolt")]), unit("d", "2,0", 1)]
    for armor in (max(damage, 1), damage + 1):
        t = play([MAGE, spell, token("d", armor=armor)], units, flips)
        t.do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
        assert turn_over(t)
        assert t.casualties(1) == (["d"] if 0 < armor <= damage else [])


@pytest.mark.parametrize(
    ("target", "offered"),
    [
        ("enemy_unit", ["2,0"]),
        ("own_unit", ["-1,0", "-2,0", "0,0"]),
        ("any_unit", ["-1,0", "-2,0", "0,0", "2,0"]),
    ],
)
def test_r9_2_13__d_21_the_text_says_what_is_a_target_and_how_far(target, offered):
    spell = text("spell", "touch", "action", [modify("armor", 1)], target=target, range=2)
    own = [unit("mage", "0,0", attached=[attachment("touch")]), unit("d", "-1,0"), unit("d", "-2,0", face="down")]
    enemies = [unit("d", "2,0", 1), unit("d", "3,0", 1), unit("d", "1,1", 1, face="down")]
    t = play([MAGE, spell, token("d")], [*own, *enemies]).do("cast")
    assert (asked(t), t.legal()) == ((0, Decision.CAST_HOST), ["hex 0,0"])
    t.do("hex 0,0")
    assert (asked(t), t.legal()) == ((0, Decision.CAST_SLOT), ["slot 0"])
    t.do("slot 0")
    assert (asked(t), hexes(t)) == ((0, Decision.EFFECT_TARGET), offered)


def test_r9_2_13_a_spell_may_be_aimed_at_a_hex():
    spell = text("spell", "lights", "action", [{"kind": "reveal", "range": 1}], target="hex", range=3)
    units = [unit("mage", "0,0", attached=[attachment("lights")])]
    units += [unit("d", cell, 1, face="down") for cell in ("3,0", "4,0", "2,1", "5,0")]
    t = play([MAGE, spell, token("d")], units).do("cast", "hex 0,0", "slot 0")
    assert {"3,0", "2,1", "0,0"} <= set(hexes(t))
    assert "4,0" not in hexes(t)  # out of range
    t.do("hex 3,0").pass_all()
    assert [t.unit(cell).face for cell in ("3,0", "4,0", "2,1", "5,0")] == ["up", "up", "up", "down"]


@pytest.mark.parametrize(
    ("effect", "target", "to", "seen"),
    [
        ({"kind": "relocate", "who": "target", "distance": 5}, "own_unit", ["hex 4,-2"], ["4,0"]),
        ({"kind": "swap", "distance": 3}, "own_unit", [], ["-2,2", "-3,1"]),
        ({"kind": "damage", "amount": 9}, "any_unit", [], ["-2,2"]),  # where it was
    ],
)
def test_r3_2_2_11_a_reveal_is_around_the_target_where_it_is_then(effect, target, to, seen):
    spell = text("spell", "chase", "action", [effect, {"kind": "reveal", "range": 2}], target=target, range=3)
    cells = ["4,0", "-2,2", "-3,1"]
    units = [unit("mage", "-1,0", attached=[attachment("chase")]), unit("d", "0,1")]
    units += [unit("d", cell, 1, face="down") for cell in cells]
    t = play([MAGE, spell, token("d")], units).do("cast", "hex -1,0", "slot 0", "hex 0,1", *to).pass_all()
    assert [cell for cell in cells if t.unit(cell).face == "up"] == seen


@pytest.mark.parametrize(("flips", "pile", "sack"), [("H", [], ["bolt", "spare"]), ("T", ["bolt"], ["spare"])])
def test_r9_2_14_flip_to_retain(flips, pile, sack):
    units = [unit("mage", "0,0", attached=[attachment("bolt")]), unit("d", "2,0", 1)]
    t = play([MAGE, BOLT | {"retain": True}, token("d")], units, flips)
    t.do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert turn_over(t)
    assert (t.casualties(0), t.sack(0)) == (pile, sack)


def test_q_69_the_retain_flip_comes_after_the_flips_of_the_effect():
    spell = BOLT | {"retain": True, "effects": [{"kind": "damage", "amount": 2, "flip": "progressive"}]}
    units = [unit("mage", "0,0", attached=[attachment("bolt")]), unit("d", "2,0", 1)]
    t = play([MAGE, spell, token("d", armor=4)], units, "H H T | H")
    t.do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert turn_over(t)
    assert flips_made(t) == [(0, 1), (0, 1), (0, 0), (0, 1)]
    assert (t.casualties(1), t.sack(0)) == (["d"], ["bolt", "spare"])


@pytest.mark.parametrize(("flips", "sack"), [("H", ["burst", "spare"]), ("T", ["spare"])])
def test_q_67_a_dead_caster_still_flips_to_retain(flips, sack):
    burst = text("spell", "burst", "action", [{"kind": "damage", "amount": 5}], target="any_unit", range=1, retain=True)
    units = [unit("mage", "0,0", attached=[attachment("burst"), attachment("might")]), unit("d", "2,0", 1)]
    t = play([MAGE, burst, MIGHT, token("d")], units, flips).do("cast", "hex 0,0", "slot 0", "hex 0,0").pass_all()
    assert turn_over(t)
    assert t.sack(0) == sack
    assert t.casualties(0) == [name for name in ("burst", "mage", "might") if name not in sack]


# --- permanents


def test_r9_2_15__r9_2_16_a_permanent_lies_face_up_on_its_target_for_good():
    units = [unit("mage", "0,0", attached=[attachment("frailty")]), unit("mage", "2,0", 1), unit("mage", "3,0", 1)]
    t = play([MAGE | {"armor": 2}, WEAKEN], units).do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert turn_over(t)
    assert (t.unit("2,0").attachments, t.unit("2,0").attachment_faces) == (("frailty",), ("up",))
    assert (t.unit("0,0").attachments, t.casualties(0)) == ((), [])
    assert [t.stat(cell, "armor") for cell in ("0,0", "2,0", "3,0")] == [2, 1, 2]
    assert not {"cast", "reveal_token"} & set(t.legal())  # its host cannot use it
    t.do("draw", "done")
    assert t.turn == 3
    assert "cast" not in t.legal()
    t.do("draw", "done")
    assert t.stat("2,0", "armor") == 1


def test_r9_2_15_a_permanent_does_nothing_before_it_is_cast():
    units = [unit("mage", "0,0", attached=[attachment("bless", "up"), attachment("bless")]), unit("d", "3,0", 1)]
    t = play([MAGE, BLESS, token("d")], units)
    assert t.stat("0,0", "armor") == 1
    t.do("cast", "hex 0,0", "slot 0", "hex 0,0").pass_all()
    assert (t.turn, t.stat("0,0", "armor"), t.unit("0,0").attachments) == (2, 2, ("bless", "bless"))
    assert t.do("draw", "done", "cast", "hex 0,0").legal() == ["slot 1"]  # one is in effect, the other is not cast yet


@pytest.mark.parametrize(("number", "offered"), [(2, ["-1,0", "0,0"]), (3, ["0,0"])])
def test_q_65_an_own_permanent_counts_to_the_three_of_its_target(number, offered):
    units = [
        unit("mage", "0,0", attached=[attachment("bless")]),
        unit("mage", "-1,0", attached=[attachment("might")] * number),
        unit("d", "3,0", 1),
    ]
    t = play([MAGE, BLESS, MIGHT, token("d")], units).do("cast", "hex 0,0", "slot 0")
    assert hexes(t) == offered


def test_r9_2_16_a_permanent_leaves_by_dispel_like_a_free_spell():
    tokens = [MAGE | {"armor": 2}, WEAKEN, token("sage", abilities=[able("dispel", range=1)])]
    cursed = unit("mage", "0,0", attached=[attachment("frailty", "up", 1)])
    units = [cursed, unit("sage", "-1,0"), unit("sage", "3,0", 1)]
    t = play(tokens, units)
    assert t.stat("0,0", "armor") == 1
    t.do("dispel", "hex -1,0", "hex 0,0", "slot 0").pass_all()
    assert (t.stat("0,0", "armor"), t.casualties(1), t.casualties(0)) == (2, ["frailty"], [])


def test_r9_2_17_lowering_armor_does_not_kill():
    units = [unit("mage", "0,0", attached=[attachment("frailty")] * 2), unit("d", "2,0", 1)]
    t = play([MAGE, WEAKEN, token("d", armor=1)], units)
    t.do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert (alive(t, "2,0"), t.stat("2,0", "armor")) == (["d"], 0)
    t.do("draw", "done", "cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert (alive(t, "2,0"), t.stat("2,0", "armor"), t.casualties(1)) == (["d"], -1, [])


def test_ra_0_1_a_spell_may_grant_what_units_have_by_themselves():
    eye = text("spell", "eye", "free", [grant("range", range=2)])
    units = [unit("mage", "0,0", attached=[attachment("eye")]), unit("d", "2,0", 1)]
    t = play([MAGE, eye, token("d")], units, "H")
    assert "ranged" not in t.legal()
    t.do("reveal_token", "hex 0,0", "slot 0")
    attack(t, "ranged", "0,0", "2,0")
    assert turn_over(t)
    assert t.casualties(1) == ["d"]


def test_r9_2_12_a_spell_may_draw_and_the_hand_limit_stays():
    insight = text("spell", "insight", "action", [{"kind": "draw", "count": 2}])
    units = [unit("mage", "0,0", attached=[attachment("insight")]), unit("d", "3,0", 1)]
    general = [hand("might", "might", sack=["spare"] * 3), hand()]
    t = play([MAGE, insight, MIGHT, token("d")], units, general=general).do("cast", "hex 0,0", "slot 0").pass_all()
    assert (asked(t), t.hand(0)) == ((0, Decision.DISCARD), ["might", "might", "spare", "spare"])
    assert "pass" not in t.legal()
    t.do("type might")
    assert turn_over(t)
    assert (t.hand(0), t.sack(0)) == (["might", "spare", "spare"], ["might", "spare"])
