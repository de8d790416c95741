"""Melee and ranged attacks by one unit, their damage, and movement after combat: sections 8.4 to 8.4.4."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    attack,
    duel,
    flips_made,
    hexes,
    modify,
    play,
    shot,
    text,
    turn_over,
)
from tests.sack_armies.builders.text_game import attachment, field, token, unit

# --- melee


def test_r8_4_1_1__d_12_melee_is_one_own_unit_against_one_adjacent_opponent():
    tokens = [token("a"), token("b")]
    units = [unit("a", "0,0"), unit("a", "-1,0"), unit("a", "-2,0"), unit("a", "0,1")]
    t = play(tokens, [*units, unit("b", "1,0", 1), unit("b", "1,-1", 1), unit("b", "3,0", 1)]).do("melee")
    assert asked(t) == (0, Decision.SOURCE)
    assert hexes(t) == ["0,0", "0,1"]  # (-1,0) and (-2,0) touch only own units
    assert hexes(t.copy().do("hex 0,0")) == ["1,-1", "1,0"]
    assert hexes(t.copy().do("hex 0,1")) == ["1,0"]


def test_r8_4_1_1_without_an_adjacent_opponent_there_is_no_melee():
    assert "melee" in duel().legal()
    assert "melee" not in duel(where="2,0").legal()


def test_r8_4_1_2_the_active_unit_attacks_and_the_targeted_one_defends():
    t = duel({"damage": 2, "armor": 2}, {"damage": 1, "armor": 2}, "H T | T")
    t.do("melee", "hex 0,0", "hex 1,0").pass_all()
    assert asked(t) == (1, Decision.COUNTER)
    t.do("yes")
    assert asked(t) == (0, Decision.ADVANCE)
    assert alive(t, "0,0", "1,0") == ["attacker", None]


@pytest.mark.parametrize(("answer", "flips", "survivors"), [("yes", "T | H T", [None, "defender"]), ("no", "T", 2)])
def test_r8_4_1_3__d_24_the_defender_may_counter_or_not(answer, flips, survivors):
    t = attack(duel(flips=flips), "melee", "0,0", "1,0", answer)
    assert turn_over(t)
    assert alive(t, "0,0", "1,0") == (["attacker", "defender"] if survivors == 2 else survivors)


def test_r8_4_1_4__r8_4_1_5_spells_and_abilities_are_no_answer_to_an_attack():
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 9}], target="enemy_unit", range=3)
    flight = text("maneuver", "flight", "action", [{"kind": "relocate", "distance": 1}])
    gifts = [able("dismiss", range=3), able("capture"), able("dispel", range=3)]
    tokens = [bolt, flight, token("a"), token("d", band="green", abilities=gifts)]
    defender = unit("d", "1,0", 1, attached=[attachment("bolt"), attachment("bolt", "up")])
    t = play(tokens, [unit("a", "0,0"), defender]).do("melee", "hex 0,0", "hex 1,0")
    assert (asked(t), t.legal()) == ((1, Decision.WINDOW), ["pass"])
    t.pass_all()
    assert (asked(t), t.legal()) == ((1, Decision.COUNTER), ["pass", "yes"])

    defender["attached"] = [attachment("bolt"), attachment("flight")]
    t = play(tokens, [unit("a", "0,0"), defender]).do("melee", "hex 0,0", "hex 1,0")
    assert t.legal() == ["pass", "surprise"]
    assert t.do("surprise").legal() == ["slot 1"]


@pytest.mark.parametrize(("flips", "left"), [("H T", []), ("T", ["defender"])])
def test_r8_4_1__r8_4_1_6_heads_hit_and_tails_miss(flips, left):
    t = attack(duel(flips=flips), "melee", "0,0", "1,0", "no")
    assert t.flips_left() == 0
    assert alive(t, "1,0") == (left or [None])


@pytest.mark.parametrize(("flips", "successes"), [("T", 0), ("H T", 1), ("H H T", 2), ("H H H T", 3), ("HHHHHT", 5)])
def test_r8_4_1_7_a_progressive_flip_counts_the_successes_before_the_first_failure(flips, successes):
    t = attack(duel(defender={"armor": max(successes, 1)}, flips=flips), "melee", "0,0", "1,0", "no")
    assert t.flips_left() == 0
    assert alive(t, "1,0") == ([None] if successes else ["defender"])
    t = attack(duel(defender={"armor": successes + 1}, flips=flips), "melee", "0,0", "1,0", "no")
    assert turn_over(t)
    assert alive(t, "1,0") == ["defender"]


@pytest.mark.parametrize(
    ("flips", "left"),
    [
        ("H H T | H H H T", [None, "defender"]),
        ("H H H T | H H T", ["attacker", None]),
        ("H H H T | H H H T", [None, None]),
        ("H H T | H H T", ["attacker", "defender"]),
    ],
)
def test_r8_4_1_8__q_33_both_sides_flip_progressively_and_count_their_own_successes(flips, left):
    t = attack(duel({"armor": 3}, {"armor": 3}, flips), "melee", "0,0", "1,0", "yes")
    assert t.flips_left() == 0
    assert alive(t, "0,0", "1,0") == left


def test_q_33_a_killed_defender_still_hits_back():
    t = attack(duel(flips="H T | H T"), "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert (t.casualties(0), t.casualties(1)) == (["attacker"], ["defender"])


def test_q_78_every_unit_may_attack_and_counter_in_melee():
    archer = {"damage": 0, "armor": 1, "abilities": [shot(3)]}
    t = duel(archer, archer, "H T | H H T")
    assert {"melee", "ranged"} <= set(t.legal())
    attack(t, "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert alive(t, "0,0", "1,0") == ["attacker", "defender"]


# --- the course of an attack


def answers(t, replies):
    """Answer each decision from `replies`, or else pass, until turn 2; return who was asked what, in order."""
    seen = []
    while t.turn == 1:
        seen.append(asked(t))
        t.do(replies.get(t.decision, "pass"))
    return seen


def test_p_attack__q_69_an_attack_asks_and_flips_in_one_fixed_order():
    brute = {"armor": 9, "damage": 2, "abilities": [able("ambush"), able("scatter")]}
    target = {"armor": 2, "abilities": [able("scatter")]}
    t = duel(brute, target, "T | H T | H T | H | T").do("melee", "hex 0,0", "hex 1,0")
    yes = dict.fromkeys((Decision.AMBUSH, Decision.COUNTER, Decision.ADVANCE), "yes")
    assert answers(t, yes) == [
        (1, Decision.WINDOW),
        (0, Decision.WINDOW),
        (0, Decision.AMBUSH),
        (1, Decision.COUNTER),
        (0, Decision.ADVANCE),
    ]
    assert flips_made(t) == [(0, 0), (0, 1), (0, 0), (1, 1), (1, 0), (0, 1), (1, 0)]
    assert alive(t, "1,0", "0,0") == ["attacker", None]
    assert turn_over(t)


def test_p_attack_a_face_down_attacker_turns_up_when_it_declares_and_sights():
    scout = token("scout", abilities=[shot(3), able("sight", range=3)])
    units = [unit("scout", "0,0", face="down"), unit("b", "2,0", 1), unit("b", "3,0", 1, face="down")]
    t = play([scout, token("b")], units)
    assert t.do("ranged", "hex 0,0").unit("0,0").face == "down"
    t.do("hex 2,0")
    assert (t.unit("0,0").face, t.unit("3,0").face) == ("up", "up")


@pytest.mark.parametrize(
    ("verb", "where", "reach", "counter"),
    [
        ("melee", "1,0", None, "HHT"),
        ("melee", "1,0", 2, "HHT"),
        ("ranged", "1,0", None, "HHT"),
        ("ranged", "1,0", 1, "H"),
        ("ranged", "2,0", 2, "H"),
        ("ranged", "2,0", 3, "H"),
        ("ranged", "2,0", 1, ""),
        ("ranged", "2,0", None, ""),
    ],
)
def test_p_cancounter__r8_4_4_7__r8_4_4_8__q_36_who_may_counter_and_how_it_flips(verb, where, reach, counter):
    defender = {"armor": 9, "abilities": [] if reach is None else [shot(reach)]}
    t = duel({"armor": 9, "abilities": [shot(3)]}, defender, f"T | {counter}", where=where)
    attack(t, verb, "0,0", where)
    if counter:
        assert asked(t) == (1, Decision.COUNTER)
        t.do("yes")
    assert turn_over(t)


@pytest.mark.parametrize(("flips", "armor", "dies"), [("T | HHT", 2, True), ("T | HHT", 3, False)])
def test_r8_4_4_8_the_melee_counter_of_a_rangeless_unit_multiplies(flips, armor, dies):
    t = attack(duel({"armor": armor, "abilities": [shot(2)]}, {}, flips), "ranged", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert alive(t, "0,0") == ([None] if dies else ["attacker"])


FLYING, AQUATIC = able("flying"), able("aquatic")


@pytest.mark.parametrize(
    ("attacker", "defender", "where", "verbs"),
    [
        ([], [], "1,0", ["melee"]),
        ([], [], "2,0", []),
        ([shot(1)], [], "1,0", ["melee", "ranged"]),
        ([shot(2)], [], "2,0", ["ranged"]),
        ([shot(2)], [], "3,0", []),
        ([], [FLYING], "1,0", []),
        ([FLYING], [FLYING], "1,0", ["melee"]),
        ([shot(1)], [FLYING], "1,0", ["ranged"]),
        ([], [AQUATIC], "2,-1", ["melee"]),
        ([AQUATIC], [AQUATIC], "2,-1", ["melee"]),
    ],
)
def test_p_cantarget__r8_4_4_1__q_27_which_attacks_are_possible(attacker, defender, where, verbs):
    tokens = [token("a", abilities=attacker), token("d", abilities=defender)]
    start = "1,-1" if where == "2,-1" else "0,0"
    t = play(tokens, [unit("a", start), unit("d", where, 1), unit("d", "4,0", 1)])
    found = [verb for verb in t.legal() if verb in ("melee", "ranged")]
    assert found == verbs


def test_q_27_shots_pass_over_units_and_empty_space():
    tokens = [token("a", abilities=[shot(6)]), token("d")]
    fields = [field("0,0"), field("5,0", 1)]
    units = [unit("a", "0,0"), unit("d", "1,0", 1), unit("d", "4,0", 1), unit("d", "5,0", 1)]
    t = play(tokens, units, fields=fields).do("ranged", "hex 0,0")
    assert hexes(t) == ["1,0", "4,0", "5,0"]  # (2,0) and (3,0) are not legal hexes


# --- damage


@pytest.mark.parametrize(("armor", "dies"), [(4, True), (5, False)])
def test_r8_4_2_1_damage_is_the_modified_rating_times_the_successes(armor, dies):
    banner = token("banner", abilities=[able("augment", stat="damage", amount=1)])
    tokens = [token("a"), token("d", armor=armor), banner]
    t = play(tokens, [unit("a", "0,0"), unit("banner", "-1,0"), unit("d", "1,0", 1)], "H H T")
    attack(t, "melee", "0,0", "1,0", "no")
    assert t.flips_left() == 0
    assert t.casualties(1) == (["d"] if dies else [])


@pytest.mark.parametrize(("damage", "dies"), [(2, False), (3, True), (4, True)])
def test_r8_4_2_2_damage_of_at_least_the_armor_kills(damage, dies):
    t = attack(duel({"damage": damage}, {"armor": 3}, "H T"), "melee", "0,0", "1,0", "no")
    assert t.flips_left() == 0
    assert t.casualties(1) == (["defender"] if dies else [])


def test_r8_4_2_3_damage_does_not_add_up_from_attack_to_attack():
    t = duel({"damage": 2}, {"armor": 3}, "H T | H T")
    attack(t, "melee", "0,0", "1,0", "no").do("draw", "done")
    attack(t, "melee", "0,0", "1,0", "no")
    assert alive(t, "1,0") == ["defender"]
    assert t.flips_left() == 0


@pytest.mark.parametrize(("flips", "dies"), [("T", False), ("H T", True)])
@pytest.mark.parametrize("amount", [-1, -3])
def test_q_34_at_armor_zero_or_less_any_damage_kills_and_none_does_not(amount, flips, dies):
    bane = text("spell", "bane", "permanent", [modify("armor", amount)], target="enemy_unit", range=2)
    victim = unit("d", "1,0", 1, attached=[attachment("bane", "up", 0)])
    t = play([bane, token("a"), token("d")], [unit("a", "0,0"), victim], flips)
    assert t.stat("1,0", "armor") == 1 + amount
    attack(t, "melee", "0,0", "1,0", "no")
    assert t.casualties(1) == (["d"] if dies else [])
    assert t.flips_left() == 0


def test_q_72_a_damage_rating_never_falls_below_zero():
    bane = text("spell", "bane", "permanent", [modify("damage", -3)], target="enemy_unit", range=2)
    units = [unit("a", "0,0", attached=[attachment("bane", "up", 1)]), unit("d", "1,0", 1)]
    t = play([bane, token("a"), token("d", armor=0)], units, "H H T")
    assert t.stat("0,0", "damage") == 0
    attack(t, "melee", "0,0", "1,0", "no")
    assert turn_over(t)
    assert alive(t, "1,0") == ["d"]


def test_p_damage_dead_units_go_to_casualties_and_captives_to_sacks():
    bane = text("spell", "bane", "permanent", [modify("armor", -1)], target="enemy_unit", range=2)
    charm = text("spell", "charm", "free", [modify("damage", 1)])
    warden = unit("warden", "1,0", 1, attached=[attachment("charm"), attachment("bane", "up", 0)])
    warden["captives"] = [{"token": "slave", "owner": 0, "face": "up"}, {"token": "charm", "owner": 0, "face": "down"}]
    t = play([bane, charm, token("a"), token("warden", band="blue"), token("slave")], [unit("a", "0,0"), warden], "HT")
    attack(t, "melee", "0,0", "1,0", "no")
    assert t.casualties(1) == ["charm", "warden"]
    assert t.casualties(0) == ["bane"]
    assert t.sack(0) == ["charm", "slave", "spare"]


def test_p_damage_an_exchange_that_takes_all_units_of_both_is_a_draw():
    empty = {"hand": [], "sack": [], "casualties": [], "removed": []}
    units = [unit("attacker", "0,0"), unit("attacker", "1,0", 1)]
    t = play([token("attacker")], units, "H T | H T", general=[empty] * 2)
    attack(t, "melee", "0,0", "1,0", "yes")
    assert (t.terminated, t.winner) == (True, -1)


# --- movement after combat


@pytest.mark.parametrize(("answer", "where"), [("yes", [None, "attacker"]), ("no", ["attacker", None])])
def test_r8_4_3_1__d_27_the_survivor_may_take_the_place_of_whom_it_killed(answer, where):
    t = attack(duel(flips="H T"), "melee", "0,0", "1,0", "no")
    assert (asked(t), t.legal()) == ((0, Decision.ADVANCE), ["pass", "yes"])
    t.do(answer)
    assert turn_over(t)
    assert alive(t, "0,0", "1,0") == where


@pytest.mark.parametrize(("flips", "left"), [("T | T", ["attacker", "defender"]), ("H T | H T", [None, None])])
def test_r8_4_3_1_attacker_that_dies_or_does_not_kill_does_not_advance(flips, left):
    t = attack(duel(flips=flips), "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert alive(t, "0,0", "1,0") == left


def test_r8_4_3_1_an_advance_sights_what_it_meets():
    tokens = [token("a"), token("d")]
    t = play(tokens, [unit("a", "0,0"), unit("d", "1,0", 1), unit("d", "2,0", 1, face="down")], "H T")
    attack(t, "melee", "0,0", "1,0", "no")
    assert t.unit("2,0").face == "down"
    t.do("yes")
    assert t.unit("2,0").face == "up"


def test_r8_4_3_2_a_defender_that_kills_stays_where_it_is():
    t = attack(duel(flips="T | H T"), "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert alive(t, "0,0", "1,0") == [None, "defender"]


def test_r8_4_3_3_without_movement_there_is_no_advance():
    t = attack(duel({"movement": 0}, flips="H T"), "melee", "0,0", "1,0", "no")
    assert turn_over(t)
    assert alive(t, "0,0", "1,0") == ["attacker", None]


@pytest.mark.parametrize(("movement", "advances"), [(1, False), (2, True)])
def test_r8_4_3_3_movement_may_be_taken_away_by_an_effect(movement, advances):
    bane = text("spell", "bane", "permanent", [modify("movement", -1)], target="enemy_unit", range=2)
    units = [unit("a", "0,0", attached=[attachment("bane", "up", 1)]), unit("d", "1,0", 1)]
    t = attack(play([bane, token("a", movement=movement), token("d")], units, "H T"), "melee", "0,0", "1,0", "no")
    assert asked(t) == ((0, Decision.ADVANCE) if advances else (1, Decision.MENU))


@pytest.mark.parametrize(("verb", "after"), [("ranged", (1, Decision.MENU)), ("melee", (0, Decision.ADVANCE))])
def test_q_39__r8_4_4_3_a_kill_declared_ranged_at_range_1_gives_no_advance(verb, after):
    flips = "H" if verb == "ranged" else "H T"
    t = attack(duel({"abilities": [shot(2)]}, flips=flips), verb, "0,0", "1,0", "no")
    assert (asked(t), t.flips_left()) == (after, 0)
    assert t.casualties(1) == ["defender"]


def test_q_38_no_advance_where_the_defender_kills_itself():
    t = attack(duel({"armor": 9}, {"abilities": [able("scatter")]}, "T | H T | H"), "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert t.casualties(1) == ["defender"]


# --- ranged attacks


@pytest.mark.parametrize(("reach", "targets"), [(1, ["1,0"]), (2, ["1,0", "2,0"]), (4, ["1,0", "2,0", "3,-1", "4,0"])])
def test_r8_4_4_1__r8_4_4_2__d_13_a_range_is_the_greatest_distance_in_hexes(reach, targets):
    tokens = [token("a", abilities=[shot(reach)]), token("d")]
    t = play(tokens, [unit("a", "0,0"), *(unit("d", cell, 1) for cell in ("1,0", "2,0", "3,-1", "4,0", "5,0"))])
    assert hexes(t.do("ranged", "hex 0,0")) == targets


def test_r8_4_4_2_the_ring_around_a_unit_is_range_1():
    around = ["1,0", "1,-1", "0,-1", "-1,0", "-1,1", "0,1"]
    tokens = [token("a", abilities=[shot(1)]), token("d")]
    t = play(tokens, [unit("a", "0,0"), *(unit("d", cell, 1) for cell in around), unit("d", "1,1", 1)])
    assert hexes(t.do("ranged", "hex 0,0")) == sorted(around)


@pytest.mark.parametrize(("verb", "flips"), [("ranged", "H"), ("melee", "H H T")])
def test_r8_4_4_3_at_range_1_the_attacker_says_melee_or_ranged(verb, flips):
    t = duel({"abilities": [shot(2)]}, {"armor": 2, "abilities": [shot(1)]}, flips)
    attack(t, verb, "0,0", "1,0", "no")
    assert t.flips_left() == 0
    assert t.casualties(1) == ([] if verb == "ranged" else ["defender"])


def test_r8_4_4_4_one_unit_shoots_at_one_opponent():
    tokens = [token("a", damage=9, abilities=[shot(3)]), token("d")]
    units = [unit("a", "0,0"), unit("a", "-1,0"), unit("d", "2,0", 1), unit("d", "1,1", 1)]
    t = attack(play(tokens, units, "H"), "ranged", "0,0", "2,0")
    assert turn_over(t)
    assert alive(t, "2,0", "1,1") == [None, "d"]


def test_r8_4_4_5_face_down_units_are_no_targets():
    tokens = [token("a", abilities=[shot(4)]), token("d")]
    hidden = unit("d", "2,0", 1, face="down")
    assert "ranged" not in play(tokens, [unit("a", "0,0"), hidden]).legal()
    t = play(tokens, [unit("a", "0,0"), hidden, unit("d", "3,0", 1)]).do("ranged", "hex 0,0")
    assert hexes(t) == ["3,0"]


@pytest.mark.parametrize(("flips", "dies"), [("H", True), ("T", False)])
def test_r8_4_4_6__r8_4_4_9_a_shot_is_one_flip_for_the_damage_rating(flips, dies):
    t = duel({"damage": 3, "abilities": [shot(2)]}, {"armor": 3}, flips, where="2,0")
    attack(t, "ranged", "0,0", "2,0")
    assert turn_over(t)
    assert t.casualties(1) == (["defender"] if dies else [])


@pytest.mark.parametrize(("flips", "left"), [("H | H", [None, None]), ("T | H", [None, "defender"])])
def test_r8_4_4_7_a_target_in_range_shoots_back_before_it_dies(flips, left):
    archer = {"damage": 2, "armor": 2, "abilities": [shot(2)]}
    t = attack(duel(archer, archer, flips, where="2,0"), "ranged", "0,0", "2,0", "yes")
    assert turn_over(t)
    assert alive(t, "0,0", "2,0") == left


def test_r8_4_4_9_a_counter_at_range_hits_for_its_own_rating():
    t = duel({"armor": 4, "abilities": [shot(2)]}, {"damage": 4, "armor": 9, "abilities": [shot(2)]}, "T | H")
    attack(t, "ranged", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert t.casualties(0) == ["attacker"]


@pytest.mark.parametrize(("armor", "dies"), [(2, True), (3, False)])
def test_r8_4_4_10_a_shot_below_the_armor_is_ignored(armor, dies):
    t = duel({"damage": 2, "abilities": [shot(2)]}, {"armor": armor}, "H", where="2,0")
    attack(t, "ranged", "0,0", "2,0")
    assert turn_over(t)
    assert t.casualties(1) == (["defender"] if dies else [])
