"""Scatter, and saving units from it (appendix A)."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    attack,
    coordinate,
    duel,
    flips_made,
    grant,
    modify,
    play,
    shot,
    text,
    turn_over,
)
from tests.sack_armies.builders.text_game import B1, attachment, field, token, unit

AROUND = ["3,0", "3,-1", "2,-1", "1,0", "1,1", "2,1"]  # the hexes next to (2,0)


def engine(*more, **values):
    """Return a unit that shoots and scatters."""
    scatter = values.pop("scatter", {})
    return token("engine", abilities=[able("scatter", **scatter), shot(4), *more], **values)


def barrage(flips, units, tokens=(), armor=9, shooter=None, **keys):
    """Return a table after the engine on (0,0) has shot at the "d" on (2,0), which has this `armor`."""
    common = [shooter or engine(), token("d", armor=armor), token("frail"), token("tough", armor=2), *tokens]
    t = play(common, [unit("engine", "0,0"), unit("d", "2,0", 1), *units], flips, **keys)
    return attack(t, "ranged", "0,0", "2,0")


# --- when it happens, and to whom


@pytest.mark.parametrize(
    ("verb", "attacks", "flips"),
    [
        ("melee", True, "H T | T | H"),
        ("ranged", True, "H | T | H"),
        ("melee", False, "T | H T | H"),
        ("ranged", False, "T | H | H"),
    ],
)
def test_ra_scatter_1_own_damage_in_attack_or_counter_triggers_a_flip(verb, attacks, flips):
    bomb = {"armor": 9, "abilities": [able("scatter"), shot(2)]}
    plain = {"armor": 9, "abilities": [shot(2)]}
    tokens = [token("bomb", **bomb), token("plain_unit", **plain), token("frail")]
    names = ("bomb", "plain_unit") if attacks else ("plain_unit", "bomb")
    units = [unit(names[0], "0,0"), unit(names[1], "1,0", 1), unit("frail", "-1,0"), unit("frail", "2,0", 1)]
    t = attack(play(tokens, units, flips), verb, "0,0", "1,0", "yes")
    assert turn_over(t)
    assert alive(t, "-1,0", "2,0") == (["frail", None] if attacks else [None, "frail"])


def test_q_54_a_hit_that_does_not_kill_scatters_and_a_miss_does_not():
    t = barrage("H | H", [unit("frail", "3,0", 1)])
    assert turn_over(t)
    assert alive(t, "2,0", "3,0") == ["d", None]
    t = barrage("T", [unit("frail", "3,0", 1)])
    assert turn_over(t)
    assert alive(t, "2,0", "3,0") == ["d", "frail"]


def test_q_54_a_success_without_damage_does_not_scatter():
    t = barrage("H", [unit("frail", "3,0", 1)], shooter=engine(damage=0))
    assert turn_over(t)
    assert alive(t, "3,0") == ["frail"]


def test_q_54_scatter_does_not_scatter_again():
    other = token("other", armor=1, abilities=[able("scatter")])
    t = barrage("H | H", [unit("other", "3,0", 1), unit("frail", "4,0", 1)], [other])
    assert turn_over(t)
    assert alive(t, "3,0", "4,0") == [None, "frail"]


@pytest.mark.parametrize(("flip", "left"), [("H", [None, None]), ("T", [None, "frail"])])
def test_ra_scatter_2_the_target_takes_its_damage_either_way(flip, left):
    t = barrage(f"H | {flip}", [unit("frail", "3,0", 1)], armor=1)
    assert turn_over(t)
    assert alive(t, "2,0", "3,0") == left


def test_ra_scatter_2_all_neighbors_of_the_target_are_hit_and_nobody_else():
    units = [unit("frail", cell, 1) for cell in [*AROUND, "4,0", "4,-1"]]
    t = barrage("H | H", units)
    assert turn_over(t)
    assert alive(t, *AROUND, "4,0", "4,-1", "2,0") == [None] * 6 + ["frail", "frail", "d"]


@pytest.mark.parametrize(
    ("scatter", "flips", "damage"),
    [
        ({}, "H", 1),
        ({"damage": 3}, "H", 3),
        ({"flip": "progressive"}, "H H T", 2),
        ({"flip": "progressive"}, "T", 0),
        ({"damage": 2, "flip": "progressive"}, "H H T", 4),
    ],
)
def test_ra_scatter_3__ra_scatter_4_one_each_unless_printed_single_or_progressive(scatter, flips, damage):
    for armor in (max(damage, 1), damage + 1):
        victim = token("victim", armor=armor)
        t = barrage(f"H | {flips}", [unit("victim", "3,0", 1)], [victim], shooter=engine(scatter=scatter))
        assert turn_over(t)
        assert alive(t, "3,0") == ([None] if 0 < armor <= damage else ["victim"])


@pytest.mark.parametrize(
    ("printed", "granted", "flips", "dies"),
    [
        ("progressive", "single", "H H T", True),
        ("single", "progressive", "H H T", True),
        ("progressive", "progressive", "H H T", True),
        ("single", "single", "H", False),
    ],
)
def test_ra_scatter_4_of_two_scatters_of_equal_value_the_progressive_one_counts(printed, granted, flips, dies):
    gift = text("spell", "gift", "free", [grant("scatter", flip=granted)])
    tokens = [engine(scatter={"flip": printed}, band="blue"), token("d", armor=9), token("tough", armor=2), gift]
    armed = unit("engine", "0,0", attached=[attachment("gift", "up")])
    t = play(tokens, [armed, unit("d", "2,0", 1), unit("tough", "3,0", 1)], f"H | {flips}")
    assert turn_over(attack(t, "ranged", "0,0", "2,0"))
    assert alive(t, "3,0") == [None if dies else "tough"]


def test_ra_scatter_5_units_in_a_coordinated_attack_do_not_scatter():
    tokens = [engine(), token("d", armor=9), token("frail")]
    units = [unit("engine", "0,0"), unit("engine", "0,1"), unit("d", "2,0", 1), unit("frail", "3,0", 1)]
    t = coordinate(play(tokens, units, "H | H"), "coord_ranged", "2,0", "0,0", "0,1").pass_all()
    assert turn_over(t)
    assert alive(t, "3,0") == ["frail"]


def test_ra_scatter_5_the_defender_of_a_coordinated_attack_scatters_by_its_counter():
    tokens = [engine(armor=9), token("a"), token("frail")]
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("frail", "-1,0"), unit("engine", "1,0", 1)]
    t = coordinate(play(tokens, units, "H | T | H T | H"), "coord_melee", "1,0", "0,0", "0,1").pass_all()
    t.do("yes", "hex 0,0")
    assert turn_over(t)
    assert alive(t, "0,0", "0,1", "-1,0", "1,0") == [None, None, None, "engine"]


def test_ra_scatter_6_it_hits_friend_and_foe_and_the_scatterer_itself():
    fields = [field("0,0"), field("-1,0"), field("2,0", 1), field("3,0", 1), field("0,2", 2), field("-1,3", 2)]
    units = [unit("engine", "0,0"), unit("frail", "1,-1"), unit("d", "1,0", 1), unit("frail", "2,0", 1)]
    units.append(unit("frail", "0,1", 2))
    t = play([engine(), token("d", armor=9), token("frail")], units, "H T | H", generals=3, fields=fields)
    attack(t, "melee", "0,0", "1,0", "no")
    assert t.flips_left() == 0
    assert alive(t, "0,0", "1,-1", "2,0", "0,1", "1,0") == [None, None, None, None, "d"]


@pytest.mark.parametrize(("hidden", "left"), [("frail", None), ("tough", "down")])
def test_ra_scatter_7_unrevealed_units_are_hit_and_not_revealed(hidden, left):
    t = barrage("H | H", [unit(hidden, "3,0", 1, face="down")])
    assert turn_over(t)
    found = t.unit("3,0")
    assert (None if found is None else found.face) == left
    assert t.casualties(1) == (["frail"] if left is None else [])


def test_ra_scatter_9_the_flip_is_made_though_the_scatterer_dies():
    t = duel({"armor": 1, "abilities": [able("scatter")]}, {"armor": 9}, "H T | H T | T")
    attack(t, "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert t.casualties(0) == ["attacker"]
    assert flips_made(t)[-1] == (0, 0)


def test_q_38_unit_that_dies_by_its_own_scatter_was_not_killed_by_the_attack():
    bomb = token("bomb", armor=3, abilities=[able("scatter", damage=3)])
    t = play([token("a", armor=9), bomb], [unit("a", "0,0"), unit("bomb", "1,0", 1)], "H T | H T | H")
    attack(t, "melee", "0,0", "1,0", "yes")
    assert alive(t, "0,0", "1,0") == ["a", None]
    assert turn_over(t)  # nobody is asked to advance


# --- saving units

SHIELD = text("spell", "shield", "free", [modify("armor", 1)])
MIGHT = text("spell", "might", "free", [modify("damage", 1)])
BRACE = text("maneuver", "brace", "action", [modify("armor", 5)])
MAGE = token("mage", band="green")
BANNER = token("banner", armor=9, abilities=[able("augment", stat="armor", amount=1)])
SAVES = [SHIELD, MIGHT, BRACE, MAGE, BANNER]


def hidden(token_id, *stack, cell="3,0", owner=1):
    """Return a face-down unit with `stack` face down."""
    return unit(token_id, cell, owner, face="down", attached=[attachment(name) for name in stack])


def test_ra_scatter_8__d_28__q_55_a_hidden_unit_may_be_revealed_with_what_saves_it():
    t = barrage("H | H", [hidden("mage", "might", "shield")], SAVES)
    assert (asked(t), t.legal()) == ((1, Decision.SAVE), ["pass", "yes"])
    t.do("yes")
    assert (asked(t), t.legal()) == ((1, Decision.SAVE_SLOT), ["slot 1"])
    t.do("slot 1")
    assert turn_over(t)
    assert (t.unit("3,0").face, t.unit("3,0").attachment_faces) == ("up", ("down", "up"))


def test_d_28_its_general_may_let_it_die():
    t = barrage("H | H", [hidden("mage", "might", "shield")], SAVES).do("no")
    assert turn_over(t)
    assert t.casualties(1) == ["mage", "might", "shield"]


def test_q_55_whether_a_save_is_possible_turns_no_text_face_down():
    might = text("spell", "boon", "permanent", [modify("damage", 1)], target="any_unit", range=9)
    boon = attachment("boon", face="up", owner=0, active=True)
    stack = [boon, attachment("shield")]
    t = barrage("H | H", [unit("mage", "3,0", 1, face="down", attached=stack)], [*SAVES, might])
    assert asked(t) == (1, Decision.SAVE)
    assert t.unit("3,0").attachment_faces == ("up", "down")
    t.do("yes", "slot 1")
    assert turn_over(t)
    assert t.stat("3,0", "damage") == 2


def test_ra_scatter_1_a_defender_that_does_not_hit_back_does_not_scatter():
    units = [unit("archer", "0,0"), unit("frail", "-1,0"), unit("engine", "3,0", 1)]
    tokens = [token("archer", abilities=[shot(9)]), token("frail"), token("engine", abilities=[able("scatter")])]
    t = attack(play(tokens, units, "T"), "ranged", "0,0", "3,0")
    assert turn_over(t)


@pytest.mark.parametrize("stack", [(), ("might",), ("brace",)])
def test_q_55_no_save_is_offered_if_nothing_saves_the_unit(stack):
    t = barrage("H | H", [hidden("mage", *stack)], SAVES)
    assert turn_over(t)
    assert t.casualties(1) == sorted(["mage", *stack])


@pytest.mark.parametrize(("damage", "number", "slots"), [(1, 2, 1), (2, 2, 2), (2, 1, 0), (3, 3, 3)])
def test_q_55_as_many_texts_are_revealed_as_it_takes(damage, number, slots):
    stack = ["shield"] * number
    t = barrage("H | H", [hidden("mage", *stack)], SAVES, shooter=engine(scatter={"damage": damage}))
    if slots == 0:
        assert turn_over(t)
        assert alive(t, "3,0") == [None]
        return
    t.do("yes", *(f"slot {slot}" for slot in range(slots)))
    assert turn_over(t)
    assert t.unit("3,0").attachment_faces == ("up",) * slots + ("down",) * (number - slots)


@pytest.mark.parametrize(("face", "saved"), [("up", True), ("down", False)])
def test_q_55_a_visible_augment_may_save_it(face, saved):
    t = barrage("H | H", [hidden("mage"), unit("banner", "4,0", 1, face=face)], SAVES)
    if saved:
        assert (asked(t), t.legal()) == ((1, Decision.SAVE), ["pass", "yes"])
        t.do("yes")
    assert turn_over(t)
    assert alive(t, "3,0") == (["mage"] if saved else [None])


@pytest.mark.parametrize(("ability", "saved"), [("aquatic", True), ("flying", False)])
def test_q_55_an_ability_of_its_own_may_save_it(ability, saved):
    mire = {"id": "mire", "kind": "battlefield", "water": True, "effects": [{"stat": "armor", "amount": -1}]}
    fields = [field(cell, g, "mire" if cell == "3,0" else "plain") for g, cells in B1.items() for cell in cells]
    newt = token("newt", armor=2, abilities=[able(ability)])
    t = barrage("H | H", [hidden("newt")], [mire, newt], fields=fields)
    if saved:
        assert asked(t) == (1, Decision.SAVE)
        t.do("yes")
        assert t.unit("3,0").face == "up"
    assert turn_over(t)
    assert alive(t, "3,0") == (["newt"] if saved else [None])


def test_q_55_each_hidden_unit_is_asked_for():
    units = [hidden("mage", "shield"), hidden("mage", "shield", cell="3,-1")]
    t = barrage("H | H", units, SAVES)
    assert asked(t) == (1, Decision.SAVE)
    t.do("no")
    assert asked(t) == (1, Decision.SAVE)
    t.do("yes", "slot 0")
    assert turn_over(t)
    assert sorted(alive(t, "3,0", "3,-1"), key=str) == [None, "mage"]


def test_q_55_each_general_is_asked_for_their_own_units():
    units = [unit("engine", "0,0"), unit("engine", "1,0", 1), hidden("mage", "shield", cell="-1,0", owner=0)]
    t = attack(play([engine(armor=9), *SAVES], units, "T | H T | H"), "melee", "0,0", "1,0", "yes")
    assert asked(t) == (0, Decision.SAVE)  # the counter scatters around the attacker
    t.do("yes", "slot 0")
    assert turn_over(t)
    assert alive(t, "-1,0") == ["mage"]


def test_q_55_a_face_up_unit_is_not_saved_any_more():
    t = barrage("H | H", [unit("mage", "3,0", 1, attached=[attachment("shield")])], SAVES)
    assert turn_over(t)
    assert t.casualties(1) == ["mage", "shield"]
