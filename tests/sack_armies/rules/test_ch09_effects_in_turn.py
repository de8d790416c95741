"""Texts with several effects: they apply in order, each to what the earlier ones have left."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event, Zone
from tests.sack_armies.builders.fights import able, alive, asked, attack, grant, modify, play, text, turn_over
from tests.sack_armies.builders.ground import piles
from tests.sack_armies.builders.text_game import attachment, token, unit

A = token("a")
MAGE = token("mage", band="green")
DAMAGE = {"kind": "damage", "amount": 9}
RELOCATE = {"kind": "relocate", "distance": 2}


def cast(effects, units, *texts, flips="", tokens=(), general=None, **values):
    """Return a table after the mage on (0,0) has cast a spell with these effects; `texts` are the choices."""
    magic = text("spell", "magic", "action", effects, **{"target": "enemy_unit", "range": 4} | values)
    keys = {} if general is None else {"general": general}
    host = unit("mage", "0,0", attached=[attachment("magic")])
    t = play([A, MAGE, magic, *tokens], [host, *units], flips, **keys)
    return t.do("cast", "hex 0,0", "slot 0", *texts).pass_all()


def test_r3_2_2_11_a_unit_that_an_effect_has_killed_goes_nowhere():
    units = [unit("a", "1,0", 1), unit("a", "4,0", 1)]
    t = cast([DAMAGE, RELOCATE | {"who": "target"}], units, "hex 1,0", "hex 3,0")
    assert (alive(t, "1,0", "3,0"), t.casualties(1)) == ([None, None], ["a"])
    t = cast([RELOCATE | {"who": "target"}, DAMAGE], units, "hex 1,0", "hex 3,0")
    assert (alive(t, "1,0", "3,0"), t.casualties(1)) == ([None, None], ["a"])
    t = cast([RELOCATE | {"who": "target"}, modify("armor", -1)], units, "hex 1,0", "hex 3,0")
    assert alive(t, "1,0", "3,0") == [None, "a"]


def test_r3_2_2_11_an_effect_does_nothing_to_a_target_that_has_left():
    for first in ({"kind": "dismiss"}, {"kind": "remove"}):
        t = cast([first, DAMAGE], [unit("a", "1,0", 1)], "hex 1,0")
        assert turn_over(t)
        assert (t.casualties(1), t.sack(1), t.removed(1)) == (
            ([], ["a", "spare"], []) if first["kind"] == "dismiss" else ([], ["spare"], ["a"])
        )


def test_r3_2_2_11_a_unit_that_an_effect_has_killed_is_not_removed_as_well():
    t = cast([DAMAGE, {"kind": "remove"}], [unit("a", "1,0", 1), unit("a", "4,0", 1)], "hex 1,0")
    assert turn_over(t)
    assert (t.casualties(1), t.removed(1)) == (["a"], [])


def test_q_24_a_raised_unit_sees_before_the_next_effect():
    general = [piles(sack=["spare"], casualties=["a"]), piles(sack=["spare"])]
    hidden = unit("a", "2,0", 1, face="down")
    t = cast(
        [{"kind": "raise"}, {"kind": "draw", "count": 1}],
        [hidden],
        "hex 0,0",
        "type a",
        flips="H",
        general=general,
        target="own_unit",
    )
    t.do("hex 1,0")
    assert turn_over(t)
    assert t.unit("2,0").face == "up"
    log = [(int(kind), int(player)) for kind, player in zip(t.state["log_kind"], t.state["log_player"], strict=True)]
    assert log.index((Event.DRAW, 0)) < log.index((Event.REVEAL, 1))  # latest first: the reveal came before the draw


def test_ra_raise_4_dead_unit_raises_nobody():
    general = [piles(sack=["spare"], casualties=["a"]), piles(sack=["spare"])]
    both = [DAMAGE, {"kind": "raise"}]
    for target, rises in (("0,0", False), ("-1,0", True)):
        t = cast(both, [unit("a", "-1,0")], f"hex {target}", "type a", flips="H", general=general, target="own_unit")
        assert (t.decision == Decision.RAISE_HEX, t.flips_left()) == (rises, 0)


@pytest.mark.parametrize("kind", ["knight", "other"])
def test_r3_2_2_13__ra_augment_1_a_limit_bars_an_augment(kind):
    limit = {"kind": "requires_revealed", "match": {"keyword": "knight"}}
    banner = token("banner", abilities=[able("augment", stat="armor", amount=2)], limits=[limit])
    friend = token("friend", keywords=[kind])
    units = [unit("a", "0,0"), unit("banner", "-1,0"), unit("friend", "-2,1", face="down"), unit("a", "4,0", 1)]
    t = play([A, banner, friend], units)
    assert t.stat("0,0", "armor") == 1
    t.do("reveal_unit", "hex -2,1")
    assert t.stat("0,0", "armor") == (3 if kind == "knight" else 1)


def test_ra_augment_6_granted_augment_of_a_killed_unit_still_helps_neighbors():
    gift = [grant("augment", stat="armor", amount=2), DAMAGE]
    martyr = text("maneuver", "martyr", "action", gift, target="own_unit", range=2)
    units = [unit("a", "0,0"), unit("mage", "1,0", 1, attached=[attachment("martyr")]), unit("a", "2,0", 1)]
    t = play([A, MAGE, martyr], units, "H H T").do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,0")
    assert (alive(t, "2,0"), t.stat("1,0", "armor")) == ([None], 3)
    t.pass_all().do("no")
    assert turn_over(t)
    assert (alive(t, "1,0"), t.stat("1,0", "armor")) == (["mage"], 1)


def test_ra_augment_6_a_killed_unit_keeps_no_augment_lent_to_another_unit():
    loan = text("maneuver", "loan", "action", [grant("augment", stat="armor", amount=2)], target="own_unit", range=4)
    strike = text("maneuver", "strike", "action", [DAMAGE], target="own_unit", range=2)
    stack = [attachment("loan"), attachment("strike")]
    units = [unit("a", "0,0"), unit("mage", "1,0", 1, attached=stack), unit("a", "2,0", 1), unit("a", "4,0", 1)]
    t = play([A, MAGE, loan, strike], units).do("melee", "hex 0,0", "hex 1,0")
    t.do("surprise", "slot 0", "hex 4,0", "pass", "surprise", "slot 0", "hex 2,0")
    assert (alive(t, "2,0", "4,0"), t.stat("1,0", "armor")) == ([None, "a"], 1)


@pytest.mark.parametrize("end", ["0,1", "0,0"])
def test_ra_moveattack_6__q_63_unit_not_halted_may_advance_after_a_charge(end):
    rider = token("rider", movement=2, abilities=[able("move_and_attack")])
    units = [unit("rider", "-1,1"), unit("a", "1,0", 1)]
    t = play([rider, A], units, "H T").do("move_attack", "hex -1,1", "hex 1,0").pass_all()
    t.do(f"hex {end}").pass_all().do("no")
    assert asked(t) == (0, Decision.ADVANCE)
    assert alive(t.do("yes"), "1,0") == ["rider"]


@pytest.mark.parametrize("public", ["on", "off"])
def test_v_14_what_goes_out_of_play_with_its_host_is_seen_if_piles_are_public(public):
    ward = text("spell", "ward", "action", [modify("armor", 1)])
    magic = text("spell", "magic", "action", [{"kind": "remove"}], target="enemy_unit", range=4)
    units = [unit("mage", "0,0", attached=[attachment("magic")]), unit("mage", "1,0", 1, attached=[attachment("ward")])]
    t = play([A, MAGE, magic, ward], units, switches={"casualties_public": public})
    t.do("cast", "hex 0,0", "slot 0", "hex 1,0").pass_all()
    assert t.removed(1) == ["mage", "ward"]
    lost = {
        t.type_ids[int(kind)]: int(face)
        for kind, face, zone in zip(t.state["token_type"], t.state["token_face"], t.state["token_zone"], strict=True)
        if zone == Zone.REMOVED
    }
    assert lost == {"mage": 1, "ward": 1 if public == "on" else 0}


@pytest.mark.parametrize("face", ["up", "down"])
def test_ra_augment_1_an_augment_granted_by_an_attachment_helps_neighbors(face):
    crown = text("spell", "crown", "free", [grant("augment", stat="armor", amount=2)])
    charm = text("spell", "charm", "free", [modify("damage", 1)])
    stack = [attachment("charm", face="up"), attachment("crown", face=face)]
    units = [unit("mage", "0,0", attached=stack), unit("a", "-1,0"), unit("a", "-2,0"), unit("a", "3,0", 1)]
    t = play([A, MAGE, crown, charm], units)
    assert [t.stat(cell, "armor") for cell in ("-1,0", "-2,0", "0,0")] == [3 if face == "up" else 1, 1, 1]


def test_r3_2_2_11_the_distance_of_a_swap_limits_it_not_the_range_of_its_text():
    magic = text("spell", "magic", "action", [{"kind": "swap", "distance": 1}], target="own_unit", range=4)
    units = [unit("mage", "0,0", attached=[attachment("magic")]), unit("a", "-1,0"), unit("a", "-2,0")]
    t = play([A, MAGE, magic], units).do("cast", "hex 0,0", "slot 0")
    assert t.legal() == ["hex -1,0"]


@pytest.mark.parametrize(("kind", "slots"), [("counter", ["slot 0"]), ("dispel", ["slot 1"])])
def test_r9_2_11_a_text_that_counters_takes_a_maneuver_and_one_that_dispels_a_spell(kind, slots):
    drill = text("maneuver", "drill", "action", [modify("armor", 1)])
    ward = text("spell", "ward", "action", [modify("armor", 1)])
    own = unit("mage", "-1,0", attached=[attachment("drill"), attachment("ward")])
    values = {"target": "own_unit", "tokens": [drill, ward]}
    t = cast([{"kind": kind}], [own], "hex -1,0", **values)
    assert (asked(t), t.legal()) == ((0, Decision.EFFECT_SLOT), slots)
    t.do(*slots).pass_all()
    assert turn_over(t)
    assert t.casualties(0) == sorted(["magic", "drill" if kind == "counter" else "ward"])


@pytest.mark.parametrize(("kind", "left"), [("counter", "ward"), ("dispel", "drill")])
def test_r9_2_11_nobody_without_a_token_of_its_kind_is_a_target(kind, left):
    tokens = [
        text("maneuver", "drill", "free", [modify("armor", 1)]),
        text("spell", "ward", "free", [modify("armor", 1)]),
    ]
    magic = text("spell", "magic", "action", [{"kind": kind}], target="own_unit", range=4)
    units = [unit("mage", "0,0", attached=[attachment("magic")]), unit("mage", "-1,0", attached=[attachment(left)])]
    assert "cast" not in play([MAGE, magic, *tokens], units).legal()


@pytest.mark.parametrize("stat", ["armor", "damage"])
@pytest.mark.parametrize("cells", [["-1,0", "0,1"], ["0,1", "-1,0"]])
@pytest.mark.parametrize(("value", "bonus"), [("on", 5), ("off", 3)])
def test_c_augment_stacks__q_57_each_stat_by_itself_wherever_the_augmenters_stand(stat, cells, value, bonus):
    banners = [token(f"banner{n}", abilities=[able("augment", stat=stat, amount=n)]) for n in (2, 3)]
    units = [unit("a", "0,0"), unit("banner2", cells[0]), unit("banner3", cells[1]), unit("a", "3,0", 1)]
    t = play([A, *banners], units, switches={"augment_stacks": value})
    other = "damage" if stat == "armor" else "armor"
    assert (t.stat("0,0", stat), t.stat("0,0", other), t.stat("0,0", "movement")) == (1 + bonus, 1, 1)


def test_r8_2_2_8_nobody_helps_a_hidden_unit():
    banner = token("banner", abilities=[able("augment", stat="armor", amount=2)])
    t = play([A, banner], [unit("a", "0,0", face="down"), unit("banner", "-1,0"), unit("a", "3,0", 1)])
    assert t.stat("0,0", "armor") == 1
    t.do("reveal_unit", "hex 0,0")
    assert t.stat("0,0", "armor") == 3


def test_r8_4_2_2_damage_equal_to_armor_kills_and_one_less_does_not():
    for hits, dies in ((2, False), (3, True)):
        t = play([A, token("d", armor=3)], [unit("a", "0,0"), unit("d", "1,0", 1)], "H" * hits + "T")
        attack(t, "melee", "0,0", "1,0", "no")
        assert (t.casualties(1) == ["d"]) == dies


def test_ra_ambush_3_an_ambush_bars_the_counter_to_its_own_attack_alone():
    sneak = token("sneak", armor=3, abilities=[able("ambush")])
    t = play([sneak, token("d", armor=3)], [unit("sneak", "0,0"), unit("d", "1,0", 1)], "H | T")
    t.do("melee", "hex 0,0", "hex 1,0").pass_all().do("yes")
    assert turn_over(t)
    t.do("melee", "hex 1,0", "hex 0,0").pass_all()
    assert asked(t) == (0, Decision.COUNTER)
