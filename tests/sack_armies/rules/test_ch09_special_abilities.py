"""Special abilities in general: section 9.1."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Ability, Decision
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    attack,
    coordinate,
    grant,
    hexes,
    modify,
    play,
    text,
    turn_over,
)
from tests.sack_armies.builders.text_game import attachment, token, unit

WINGS = text("spell", "wings", "free", [grant("flying")])


def test_r9_1_1_the_base_set_has_16_abilities_and_other_texts_work_as_printed():
    assert len(Ability) == 16
    shout = {"use": "action", "target": "enemy_unit", "range": 2, "effects": [{"kind": "damage", "amount": 3}]}
    tokens = [token("herald", **shout), token("d", armor=3)]
    t = play(tokens, [unit("herald", "0,0"), unit("d", "2,0", 1), unit("d", "3,0", 1)])
    assert t.do("custom").legal() == ["hex 0,0"]
    assert t.do("hex 0,0").legal() == ["hex 2,0"]
    t.do("hex 2,0").pass_all()
    assert turn_over(t)
    assert t.casualties(1) == ["d"]


def test_r9_1_1_limits_bar_a_printed_action_text_like_any_ability():
    limits = [{"kind": "requires_revealed", "match": [{"keyword": "orc"}]}]
    shout = {"use": "action", "target": "enemy_unit", "range": 2, "effects": [{"kind": "damage", "amount": 3}]}
    tokens = [token("herald", limits=limits, **shout), token("chief", keywords=["orc"]), token("d")]
    units = [unit("herald", "0,0"), unit("d", "2,0", 1), unit("chief", "-2,0", face="down")]
    t = play(tokens, units)
    assert "custom" not in t.legal()
    assert "custom" in t.do("reveal_unit", "hex -2,0").legal()


ACTIVATIONS = [
    ("dismiss", able("dismiss", range=2), ["hex 0,0", "hex 1,0"], ""),
    ("capture", able("capture"), ["hex 0,0", "hex 1,0"], "H"),
    ("capture", able("capture"), ["hex 0,0", "hex 1,0"], "T"),
    ("dispel", able("dispel", range=2), ["hex 0,0", "hex 1,0", "slot 0"], ""),
    ("counter_token", able("counter", range=2), ["hex 0,0", "hex 1,0", "slot 1"], ""),
    ("raise", able("raise"), ["hex 0,0", "type a"], "T"),
]


@pytest.mark.parametrize(("verb", "ability", "choices", "flips"), ACTIVATIONS)
def test_r9_1_2_an_action_ability_costs_the_action(verb, ability, choices, flips):
    charm = text("spell", "charm", "free", [modify("damage", 1)])
    drill = text("maneuver", "drill", "free", [modify("damage", 1)])
    pile = {"hand": [], "sack": ["spare"], "casualties": ["a"], "removed": []}
    tokens = [token("a", abilities=[ability]), token("d", band="green"), charm, drill]
    target = unit("d", "1,0", 1, attached=[attachment("charm", "up"), attachment("drill", "up")])
    t = play(tokens, [unit("a", "0,0"), target], flips, general=[pile, pile | {"casualties": []}])
    t.do(verb, *choices).pass_all()
    assert turn_over(t)


BRACE = text("maneuver", "brace", "action", [modify("armor", 2)])


def test_r9_1_3_an_action_effect_applies_at_once_and_ends_with_the_turn():
    tokens = [token("a"), token("d", band="red"), BRACE]
    t = play(tokens, [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment("brace")])], "H H T")
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0")
    assert t.stat("1,0", "armor") == 3
    t.pass_all().do("no")
    assert turn_over(t)
    assert (alive(t, "1,0"), t.stat("1,0", "armor"), t.casualties(1)) == (["d"], 1, ["brace"])


def test_q_89_an_effect_of_the_turn_outlasts_a_cancelled_attack():
    tokens = [token("a"), token("eagle", abilities=[able("flying")]), token("d", band="green"), BRACE, WINGS]
    units = [unit("a", "0,0"), unit("eagle", "1,-1")]
    units.append(unit("d", "1,0", 1, attached=[attachment("brace"), attachment("wings")]))
    t = play(tokens, units, "H H T").do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "pass")
    t.do("reveal_token", "hex 1,0", "slot 0")
    assert (asked(t), t.turn, t.stat("1,0", "armor")) == ((0, Decision.MENU), 1, 3)
    attack(t, "melee", "1,-1", "1,0", "no")
    assert turn_over(t)
    assert (alive(t, "1,0"), t.stat("1,0", "armor")) == (["d"], 1)


@pytest.mark.parametrize("verb", ["dismiss", "dispel", "counter_token"])
def test_r9_1_4_effects_are_measured_in_hexes_over_anything(verb):
    kind = verb.removesuffix("_token")
    kept = text("maneuver" if kind == "counter" else "spell", "kept", "free", [modify("damage", 1)])
    tokens = [token("a", abilities=[able(kind, range=3)]), token("d", band="green"), kept]
    stack = [attachment("kept", "up")]
    units = [unit("a", "0,0"), *(unit("d", cell, 1, attached=stack) for cell in ("1,0", "2,0", "3,0", "4,-1", "4,0"))]
    assert hexes(play(tokens, units).do(verb, "hex 0,0")) == ["1,0", "2,0", "3,0"]  # (4,-1) is four away


def test_r9_1_4_a_face_down_enemy_is_no_target_of_an_effect():
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 1}], target="enemy_unit", range=4)
    tokens = [token("a", band="blue", abilities=[able("dismiss", range=4)]), token("d"), bolt]
    hidden = [unit("a", "0,0", attached=[attachment("bolt")]), unit("d", "2,0", 1, face="down")]
    assert not {"cast", "dismiss"} & set(play(tokens, hidden).legal())
    t = play(tokens, [*hidden, unit("d", "3,0", 1)])
    assert hexes(t.copy().do("dismiss", "hex 0,0")) == hexes(t.do("cast", "hex 0,0", "slot 0")) == ["3,0"]


BANNER = token("banner", abilities=[able("augment", stat="armor", amount=2)])


def test_r9_1_6__r9_1_7_a_free_effect_is_always_on_face_up_and_off_face_down():
    units = [unit("a", "0,0"), unit("banner", "-1,0", face="down"), unit("d", "3,0", 1)]
    t = play([token("a"), BANNER, token("d")], units)
    assert t.stat("0,0", "armor") == 1
    t.do("reveal_unit", "hex -1,0")
    assert t.stat("0,0", "armor") == 3
    t.do("draw", "done")
    assert t.stat("0,0", "armor") == 3


def test_r9_1_7_an_action_ability_turns_its_unit_up():
    tokens = [token("a", abilities=[able("dismiss", range=2)]), token("d")]
    t = play(tokens, [unit("a", "0,0", face="down"), unit("d", "2,0", 1)])
    t.do("dismiss", "hex 0,0")
    assert t.unit("0,0").face == "down"
    t.do("hex 2,0").pass_all()
    assert (t.unit("0,0").face, t.sack(1)) == ("up", ["d", "spare"])


@pytest.mark.parametrize("face", ["up", "down"])
def test_r9_1_8_a_face_down_flyer_moves_as_a_non_flyer(face):
    tokens = [token("eagle", movement=4, abilities=[able("flying")]), token("d")]
    ring = ["0,0", "0,-1", "0,1", "-1,2"]  # enemies across General 0's ground, from edge to edge
    t = play(tokens, [unit("eagle", "-3,0", face=face), *(unit("d", cell, 1) for cell in ring)])
    beyond = [cell for cell in hexes(t.do("move", "hex -3,0")) if cell in ("1,0", "1,-1")]
    assert beyond == (["1,-1", "1,0"] if face == "up" else [])


# --- cancelled after a move


def test_r9_1_13_a_move_and_attack_cancelled_after_the_move_is_spent():
    tokens = [token("rider", movement=2, abilities=[able("move_and_attack")]), token("d", band="blue"), WINGS]
    units = [unit("rider", "-1,0"), unit("d", "1,0", 1, attached=[attachment("wings")])]
    t = play(tokens, units).do("move_attack", "hex -1,0", "hex 1,0").pass_all().do("hex 0,0")
    assert asked(t) == (1, Decision.WINDOW)
    t.do("reveal_token", "hex 1,0", "slot 0")
    assert turn_over(t)
    assert alive(t, "0,0", "1,0") == ["rider", "d"]


# --- effects of employed units, and whose units they help


def test_q_77_an_employed_leader_still_leads_and_an_employed_augmenter_still_helps():
    chief = token("chief", abilities=[able("augment", stat="damage", amount=1), able("leadership")])
    lone = token("lone")
    units = [unit("chief", "0,0"), unit("lone", "2,0"), unit("a", "0,1"), unit("a", "1,-1"), unit("d", "1,0", 1)]
    t = play([token("a"), chief, lone, token("d", armor=5)], units, "T | H T")
    coordinate(t, "coord_melee", "1,0", "0,0", "2,0")  # (2,0) is not covered, so the check is flipped, and fails
    assert [t.unit(cell).employed for cell in ("0,0", "2,0", "0,1")] == [True, True, False]
    assert (t.stat("0,1", "damage"), t.stat("1,-1", "damage")) == (2, 2)
    coordinate(t, "coord_melee", "1,0", "0,1", "1,-1")  # led by the employed chief: no flip
    assert (asked(t), t.flips_left()) == ((1, Decision.WINDOW), 2)
    t.pass_all().do("no")
    assert turn_over(t)
    assert alive(t, "1,0") == ["d"]  # 2 + 2 < 5


def test_q_87_augments_and_defenders_help_their_own_generals_units_alone():
    guard = token("guard", abilities=[able("defend")])
    units = [unit("a", "0,0"), unit("banner", "1,-1"), unit("guard", "1,0", 1), unit("banner", "4,0", 1)]
    t = play([token("a"), BANNER, guard], units, "H T")
    assert t.stat("1,0", "armor") == 1  # the banner beside it is the enemy's
    attack(t, "melee", "0,0", "1,0", "no")  # that banner also touches both, so it would add 1 to a defender's armor
    assert t.casualties(1) == ["guard"]


# --- the word counter


def test_q_82_the_ability_counter_and_the_counter_attack_are_different_things():
    drill = text("maneuver", "drill", "free", [modify("damage", 1)])
    tokens = [token("a", armor=9), token("d", band="red", abilities=[able("counter", range=3)]), drill]
    t = play(tokens, [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment("drill", "up")])], "T | T")
    attack(t, "melee", "0,0", "1,0")
    assert (asked(t), t.legal()) == ((1, Decision.COUNTER), ["pass", "yes"])  # any unit may, without the ability
    t.do("yes")
    assert turn_over(t)
    assert "counter_token" in t.legal()
    t.do("counter_token", "hex 1,0", "hex 1,0", "slot 0").pass_all()
    assert (t.turn, t.casualties(1)) == (3, ["drill"])
