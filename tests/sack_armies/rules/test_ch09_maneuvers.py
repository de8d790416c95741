"""Maneuvers and surprise: section 9.3, and the rulings on surprise."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    coordinate,
    events,
    grant,
    modify,
    play,
    shot,
    text,
    turn_over,
)
from tests.sack_armies.builders.text_game import attachment, token, unit

STEP = text("maneuver", "step_back", "action", [{"kind": "relocate", "distance": 1}])
DASH = text("maneuver", "dash", "action", [{"kind": "relocate", "distance": 2, "flip": "single"}])
SCREEN = text("maneuver", "screen", "action", [{"kind": "swap", "distance": 2}])
BRACE = text("maneuver", "brace", "action", [modify("armor", 2)])
STAB = text("maneuver", "stab", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=1)
DRILL = text("maneuver", "drill", "free", [modify("armor", 1)])
SNARE = text("maneuver", "snare", "permanent", [modify("movement", -2)], target="enemy_unit", range=3)
SOLDIER = token("d", band="red")
TOKENS = [token("a"), SOLDIER, STEP, DASH, SCREEN, BRACE, STAB, DRILL, SNARE]


def assault(*stack, flips="", attacker="a", more=(), tokens=(), **keys):
    """Return a table on which G0's unit on (0,0) may attack G1's "d" on (1,0), which has `stack` face down."""
    target = unit("d", "1,0", 1, attached=[attachment(name) for name in stack])
    return play([*TOKENS, *tokens], [unit(attacker, "0,0"), target, *more], flips, **keys)


MELEE = ("melee", "hex 0,0", "hex 1,0")
UNDOING = (("maneuver", "undo"), ("spell", "unmake"))


# --- on one's own turn


def test_r9_3_1_an_action_maneuver_is_cast_like_a_spell():
    t = play(TOKENS, [unit("d", "0,0", attached=[attachment("stab"), attachment("drill")]), unit("a", "1,0", 1)])
    t.do("cast", "hex 0,0", "slot 0", "hex 1,0").pass_all()
    assert turn_over(t)
    assert (t.casualties(0), t.casualties(1)) == (["stab"], ["a"])


def test_r9_3_1_a_free_maneuver_is_revealed_like_a_spell():
    t = assault("drill", flips="H T").do(*MELEE, "reveal_token", "hex 1,0", "slot 0").pass_all().do("no")
    assert turn_over(t)
    assert (alive(t, "1,0"), t.stat("1,0", "armor")) == (["d"], 2)


def test_r9_3_1_maneuvers_may_be_retained():
    units = [unit("d", "0,0", attached=[attachment("thrust")]), unit("a", "1,0", 1)]
    t = play([*TOKENS, STAB | {"id": "thrust", "retain": True}], units, "H")
    t.do("cast", "hex 0,0", "slot 0", "hex 1,0").pass_all()
    assert turn_over(t)
    assert (t.sack(0), t.casualties(0)) == (["spare", "thrust"], [])


def test_r9_3_10_a_permanent_maneuver_lies_on_its_target_and_does_not_kill():
    wound = text("maneuver", "wound", "permanent", [modify("armor", -3)], target="enemy_unit", range=3)
    units = [unit("d", "0,0", attached=[attachment("wound")]), unit("a", "2,0", 1)]
    t = play([*TOKENS, wound], units).do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert turn_over(t)
    assert (t.unit("2,0").attachments, t.stat("2,0", "armor"), t.casualties(0)) == (("wound",), -2, [])


# --- surprise: when and at what cost


def test_r9_3_3_a_surprise_answers_an_attack_at_no_cost():
    t = assault("brace", flips="H H T").do(*MELEE)
    assert (asked(t), t.legal()) == ((1, Decision.WINDOW), ["pass", "surprise"])
    t.do("surprise", "slot 0")
    assert (t.unit("1,0").attachments, t.casualties(1)) == ((), ["brace"])
    t.pass_all().do("no")
    assert turn_over(t)
    assert t.legal() == ["draw", "move", "melee"]  # their own action is still to come


def test_r9_3_3_only_maneuvers_of_the_attacked_unit_answer():
    other = unit("d", "2,0", 1, attached=[attachment("brace")])
    t = assault(more=[other]).do(*MELEE)
    assert t.legal() == ["pass"]
    t = assault("drill", "snare", more=[other]).do(*MELEE)
    assert t.legal() == ["pass", "reveal_token", "surprise"]  # a permanent maneuver is an action maneuver
    assert t.do("surprise").legal() == ["slot 1"]


def test_r9_3_3_a_permanent_maneuver_may_be_the_surprise():
    t = assault("snare", flips="H T").do(*MELEE, "surprise", "slot 0", "hex 0,0").pass_all().do("no")
    assert turn_over(t)  # the defender dies, but the attacker has no movement left to advance
    assert t.casualties(1) == ["d"]
    assert (t.unit("0,0").attachments, t.stat("0,0", "movement")) == (("snare",), 0)


@pytest.mark.parametrize(("verb", "ability"), [("capture", able("capture")), ("dismiss", able("dismiss", range=2))])
def test_r9_3_8__ra_capture_2_abilities_are_no_attacks_and_allow_no_surprise(verb, ability):
    thief = token("thief", abilities=[ability])
    t = assault("step_back", "brace", flips="H", attacker="thief", tokens=[thief])
    t.do(verb, "hex 0,0", "hex 1,0")
    assert (asked(t), t.legal()) == ((1, Decision.WINDOW), ["pass"])
    t.pass_all()
    assert t.turn == 2  # and no counter-attack is offered
    assert alive(t, "1,0") == [None]


def test_r9_3_8_a_spell_allows_no_surprise():
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=3)
    mage = unit("mage", "0,1", attached=[attachment("bolt")])
    t = assault("step_back", more=[mage], tokens=[bolt, token("mage", band="blue")])
    t.do("cast", "hex 0,1", "slot 0", "hex 1,0")
    assert (asked(t), t.legal()) == ((1, Decision.WINDOW), ["pass"])


def test_r9_3_9__q_42_move_and_attack_allows_a_surprise_after_the_move():
    rider = token("rider", movement=2, abilities=[able("move_and_attack")])
    units = [unit("rider", "-1,0"), unit("d", "1,0", 1, attached=[attachment("step_back")])]
    t = play([*TOKENS, rider], units).do("move_attack", "hex -1,0", "hex 1,0")
    assert (asked(t), t.legal()) == ((1, Decision.WINDOW), ["pass"])
    t.pass_all().do("hex 0,0")
    assert (asked(t), t.legal()) == ((1, Decision.WINDOW), ["pass", "surprise"])
    t.do("surprise", "slot 0", "hex 2,0")
    assert turn_over(t)
    assert alive(t, "0,0", "1,0", "2,0") == ["rider", None, "d"]


@pytest.mark.parametrize(("answer", "flips", "lost"), [("yes", "T | H T", ["a"]), ("no", "T", [])])
def test_q_40_defender_who_used_a_surprise_may_still_counter(answer, flips, lost):
    t = assault("brace", flips=flips).do(*MELEE, "surprise", "slot 0").pass_all()
    assert asked(t) == (1, Decision.COUNTER)
    t.do(answer)
    assert turn_over(t)
    assert t.casualties(0) == lost


def test_q_41_one_surprise_may_follow_the_other():
    t = assault("brace", "brace", "step_back", flips="").do(*MELEE)
    t.do("surprise", "slot 0", "pass", "surprise", "slot 0")
    assert t.stat("1,0", "armor") == 5
    t.do("pass", "surprise", "slot 0", "hex 2,0")
    assert turn_over(t)
    assert t.casualties(1) == ["brace", "brace", "step_back"]


# --- surprise: what it does


@pytest.mark.parametrize(("surprise", "lost"), [(False, ["d"]), (True, ["brace"])])
def test_r9_3_4_a_surprise_takes_effect_before_the_attack(surprise, lost):
    t = assault("brace", flips="H T").do(*MELEE)
    if surprise:
        t.do("surprise", "slot 0")
    t.pass_all().do("no")
    assert t.flips_left() == 0
    assert [name for name in t.casualties(1) if name != "brace" or surprise] == lost


@pytest.mark.parametrize("refuge", ["0,1", "1,-1", "2,0", "2,-1", "1,1"])
@pytest.mark.parametrize("verb", ["melee", "ranged"])
def test_r9_3_5_unit_that_has_left_the_hex_is_safe_even_in_reach(verb, refuge):
    archer = token("archer", abilities=[shot(4)])
    t = assault("step_back", attacker="archer", tokens=[archer]).do(verb, "hex 0,0", "hex 1,0")
    t.do("surprise", "slot 0", f"hex {refuge}")
    assert turn_over(t)
    assert (alive(t, refuge, "1,0", "0,0"), t.casualties(1)) == (["d", None, "archer"], ["step_back"])
    assert events(t, Event.MISS) == [(0, 5 if verb == "melee" else 6)]


def test_r9_3_5_a_retreat_that_fails_leaves_the_defender_where_it_is():
    t = assault("dash", flips="T | H T").do(*MELEE, "surprise", "slot 0", "hex 3,0")
    assert alive(t, "1,0", "3,0") == ["d", None]
    t.pass_all().do("no")
    assert t.flips_left() == 0
    assert t.casualties(1) == ["d", "dash"]
    t = assault("dash", flips="H").do(*MELEE, "surprise", "slot 0", "hex 3,0")
    assert turn_over(t)
    assert alive(t, "1,0", "3,0") == [None, "d"]


def test_r9_3_5_a_coordinated_attack_is_aimed_at_the_hex_too():
    t = assault("step_back", flips="H", more=[unit("a", "0,1")])
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1").do("surprise", "slot 0", "hex 1,-1")
    assert turn_over(t)
    assert alive(t, "1,-1", "1,0") == ["d", None]


GUARD = token("guard", armor=3, damage=2, band="red")


@pytest.mark.parametrize(("face", "armor"), [("up", 3), ("down", 3), ("down", 1)])
def test_r9_3_6__q_43_the_replacement_is_the_defender_face_up(face, armor):
    guard = GUARD | {"armor": armor}
    t = assault("screen", flips="H T | H T", more=[unit("guard", "3,0", 1, face=face)], tokens=[guard])
    t.do(*MELEE, "surprise", "slot 0", "hex 3,0")
    assert alive(t, "1,0", "3,0") == ["guard", "d"]
    assert t.unit("1,0").face == "up"
    t.pass_all()
    assert asked(t) == (1, Decision.COUNTER)
    t.do("yes")
    assert turn_over(t)
    assert t.casualties(0) == ["a"]  # by the damage rating of the replacement
    assert t.casualties(1) == (["guard", "screen"] if armor == 1 else ["screen"])


def test_r9_3_6_the_replacement_may_use_its_own_surprise():
    guard = unit("guard", "3,0", 1, attached=[attachment("step_back")])
    t = assault("screen", "brace", more=[guard], tokens=[GUARD]).do(*MELEE, "surprise", "slot 0", "hex 3,0", "pass")
    assert t.legal() == ["pass", "surprise"]
    assert t.do("surprise").legal() == ["slot 0"]
    t.do("slot 0", "hex 2,0")
    assert turn_over(t)
    assert t.casualties(1) == ["screen", "step_back"]
    assert t.unit("3,0").attachments == ("brace",)  # on the first defender, which is no longer attacked


def test_r9_3_6_the_killed_replacement_leaves_the_hex_to_the_attacker():
    t = assault("screen", flips="H T", more=[unit("d", "3,0", 1)]).do(*MELEE, "surprise", "slot 0", "hex 3,0")
    t.pass_all().do("no", "yes")
    assert turn_over(t)
    assert alive(t, "1,0", "3,0") == ["a", "d"]


@pytest.mark.parametrize(("flies", "misses"), [(False, True), (True, False)])
def test_r9_3_7_an_illegal_replacement_makes_the_attack_miss(flies, misses):
    eagle = token("eagle", abilities=[able("flying")])
    attacker = "eagle" if flies else "a"
    t = assault("screen", flips="", attacker=attacker, more=[unit("eagle", "2,0", 1)], tokens=[eagle])
    t.do(*MELEE, "surprise", "slot 0", "hex 2,0")
    assert alive(t, "1,0", "2,0") == ["eagle", "d"]
    assert turn_over(t) == misses
    assert asked(t) == ((1, Decision.MENU) if misses else (0, Decision.WINDOW))


def test_r9_3_7_wings_lent_by_a_surprise_make_the_attack_miss():
    lift = text("maneuver", "lift", "action", [grant("flying")])
    t = assault("lift", tokens=[lift]).do(*MELEE, "surprise", "slot 0")
    assert turn_over(t)
    assert (events(t, Event.MISS), t.casualties(1)) == ([(0, 5)], ["lift"])
    t.do("draw", "done")
    assert "melee" in t.legal()  # the wings lasted only for that turn


@pytest.mark.parametrize("effect", [{"kind": "damage", "amount": 2}, {"kind": "dismiss"}, {"kind": "remove"}])
def test_q_83_an_attacker_that_dies_or_leaves_before_the_flips_ends_the_attack(effect):
    trap = text("maneuver", "trap", "action", [effect], target="enemy_unit", range=1)
    t = assault("trap", tokens=[trap]).do(*MELEE, "surprise", "slot 0", "hex 0,0")
    assert turn_over(t)
    assert alive(t, "0,0", "1,0") == [None, "d"]


def test_q_83_an_attacker_moved_out_of_reach_misses():
    away = {"kind": "relocate", "who": "target", "distance": 2}
    shove = text("maneuver", "shove", "action", [away], target="enemy_unit", range=1)
    t = assault("shove", tokens=[shove]).do(*MELEE, "surprise", "slot 0", "hex 0,0", "hex -2,0")
    assert turn_over(t)
    assert alive(t, "-2,0", "1,0") == ["a", "d"]
    t = assault("shove", tokens=[shove], flips="T").do(*MELEE, "surprise", "slot 0", "hex 0,0", "hex 0,1")
    t.pass_all().do("no")  # still next to the defender: the attack goes on
    assert turn_over(t)


def test_q_88_a_unit_moved_by_a_surprise_may_move_on_its_own_turn():
    t = assault("step_back").do(*MELEE, "surprise", "slot 0", "hex 2,0")
    assert turn_over(t)
    t.do("move", "hex 2,0", "hex 3,0")
    assert (t.turn, alive(t, "3,0")) == (3, ["d"])


def test_ra_0_2_no_ability_or_spell_answers_an_announcement_or_follows_an_action():
    arts = [able(kind, range=4) for kind in ("counter", "dispel", "dismiss")]
    sage = token("sage", band="green", abilities=arts)
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 1}], target="enemy_unit", range=4)
    sages = [unit("sage", "-1,0", attached=[attachment("bolt")]), unit("sage", "3,0", 1, attached=[attachment("bolt")])]
    t = assault("step_back", "brace", more=sages, tokens=[sage, bolt], flips="T | T")
    assert {"counter_token", "dispel", "dismiss", "cast"} <= set(t.legal())
    t.do(*MELEE)
    menus = [t.legal()]
    for reply in ("surprise", "slot 1", "pass", "pass", "yes"):
        t.do(reply)
        menus.append(t.legal())
    assert t.turn == 2
    assert menus[:-1] == [["pass", "surprise"], ["slot 0", "slot 1"], ["pass"], ["pass", "surprise"], ["pass", "yes"]]


@pytest.mark.parametrize("kind", ["counter", "dispel", "dismiss"])
def test_ra_0_2__r9_3_3_a_maneuver_may_counter_dispel_or_dismiss_as_a_surprise(kind):
    arts = [able(art, range=4) for art in ("counter", "dispel", "dismiss")]
    aim = {"target": "enemy_unit", "range": 2}
    undo, unmake = (text(sort, name, "action", [{"kind": kind}], **aim) for sort, name in UNDOING)
    might = text("spell", "might", "free", [modify("damage", 1)])
    armed = unit("raider", "0,0", attached=[attachment("drill", "up"), attachment("might", "up")])
    sage = unit("sage", "1,0", 1, attached=[attachment("unmake"), attachment("undo")])
    tokens = [token("raider", band="green"), token("sage", band="green", abilities=arts), undo, unmake, might, DRILL]
    t = play(tokens, [armed, unit("raider", "-2,0"), sage]).do(*MELEE)
    assert t.legal() == ["pass", "surprise"]  # neither the abilities nor the spell answer
    t.do("surprise")
    assert t.legal() == ["slot 1"]
    t.do("slot 1", "hex 0,0")
    if kind != "dismiss":
        t.do("slot 0" if kind == "counter" else "slot 1")
        assert (asked(t), t.casualties(0)) == ((0, Decision.WINDOW), ["drill" if kind == "counter" else "might"])
        return
    assert (turn_over(t), alive(t, "0,0")) == (True, [None])
    assert (t.sack(0), t.casualties(0)) == (["raider", "spare"], ["drill", "might"])


def test_r9_3_3_the_attacker_has_no_surprise_in_its_own_attack():
    own = unit("d", "0,1", attached=[attachment("brace")])
    t = assault(more=[own], flips="T").do("melee", "hex 0,1", "hex 1,0")
    assert (asked(t), t.legal()) == ((1, Decision.WINDOW), ["pass"])
    t.do("pass")
    assert (asked(t), t.legal()) == ((0, Decision.WINDOW), ["pass"])
    t.do("pass", "no")
    assert turn_over(t)


def test_d_22b_a_surprise_may_raise_a_casualty_beside_the_defender():
    rally = text("maneuver", "rally", "action", [{"kind": "raise"}])
    piles = [{"hand": [], "sack": ["spare"], "casualties": dead, "removed": []} for dead in ([], ["guard"])]
    t = assault("rally", flips="H | T", tokens=[rally, GUARD], general=piles).do(*MELEE, "surprise", "slot 0")
    assert (asked(t), t.legal()) == ((1, Decision.EFFECT_TYPE), ["type guard"])
    t.do("type guard")
    assert asked(t) == (1, Decision.RAISE_HEX)
    t.do("hex 2,0")
    assert (alive(t, "2,0", "1,0"), t.casualties(1)) == (["guard", "d"], ["rally"])
    t.pass_all().do("no")
    assert turn_over(t)


def test_r9_3_4_a_surprise_may_take_away_what_helps_the_attacker():
    might = text("spell", "might", "free", [modify("damage", 2)])
    hex_breaker = text("maneuver", "unspell", "action", [{"kind": "dispel"}], target="enemy_unit", range=1)
    mage = token("mage", band="blue")
    target = unit("d", "1,0", 1, attached=[attachment("unspell"), attachment("brace")])
    units = [unit("mage", "0,0", attached=[attachment("might"), attachment("might", "up")]), target]
    t = play([*TOKENS, might, hex_breaker, mage], units, "H T").do(*MELEE, "surprise", "slot 0", "hex 0,0")
    assert (asked(t), t.legal()) == ((1, Decision.EFFECT_SLOT), ["slot 0", "slot 1"])
    t.do("slot 1")
    assert (t.unit("0,0").attachments, t.stat("0,0", "damage"), t.casualties(0)) == (("might",), 1, ["might"])
    t.do("reveal_token", "hex 0,0", "slot 0").pass_all().do("no")
    assert "d" in t.casualties(1)
