"""Coordinated attacks: section 8.4.5."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    coordinate,
    flips_made,
    hexes,
    modify,
    play,
    shot,
    text,
    turn_over,
)
from tests.sack_armies.builders.text_game import attachment, token, unit

TARGET = "1,0"  # its neighbors, each next to the one before: 2,-1  1,-1  0,0  0,1  1,1  2,0


def group(*cells, flips="", switches=None, target=None, values=None, units=(), more=()):
    """Return a table with G0's units "a" on `cells` and G1's "d" on (1,0); `values` are the stats of "a"."""
    tokens = [token("a", **(values or {})), token("d", **(target or {})), *more]
    return play(tokens, [*(unit("a", cell) for cell in cells), unit("d", TARGET, 1), *units], flips, switches)


# --- declaring


def test_r8_4_5_1__r8_4_5_2__d_14_several_units_attack_one_target():
    t = group("0,0", "0,1", units=[unit("d", "1,-1", 1), unit("d", "3,0", 1)], more=[])
    t.do("coord_melee")
    assert (asked(t), t.legal()) == ((0, Decision.COORD_TARGET), ["hex 1,0"])  # (1,-1) touches only (0,0)


def test_q_28_one_unit_does_not_coordinate():
    assert "coord_melee" not in group("0,0", "-1,0").legal()
    t = group("0,0", "0,1").do("coord_melee", "hex 1,0", "hex 0,0")
    assert (asked(t), t.legal()) == ((0, Decision.COORD_MEMBER), ["hex 0,1"])
    assert t.do("hex 0,1").legal() == ["pass"]


@pytest.mark.parametrize(("verb", "offered"), [("coord_melee", ["0,0", "0,1"]), ("coord_ranged", ["-1,1", "0,1"])])
def test_r8_4_5_3__r8_4_5_6__r8_4_5_7_the_verb_is_the_type_for_all(verb, offered):
    archer = token("archer", abilities=[shot(2)])
    units = [unit("archer", "0,1"), unit("archer", "-1,1")]  # the one next to the target can attack either way
    t = group("0,0", units=units, more=[archer])
    assert hexes(t.do(verb, "hex 1,0")) == offered


def test_r8_4_5_4__d_15_as_many_attackers_as_wanted():
    cells = ["2,-1", "1,-1", "0,0", "0,1", "1,1", "2,0"]
    t = group(*cells, flips="H | T").do("coord_melee", "hex 1,0")
    for number, cell in enumerate(cells):
        assert hexes(t) == sorted(cells[number:])
        assert ("pass" in t.legal()) == (number >= 2)
        t.do(f"hex {cell}")
    assert t.legal() == ["pass"]


def test_r8_4_5_5_each_attacker_must_be_able_to_attack_that_way():
    tokens = [token("eagle", abilities=[able("flying")]), token("hawk", abilities=[able("flying")])]
    units = [unit("eagle", "0,1"), unit("hawk", "1,1")]
    t = group("0,0", target={"abilities": [able("flying")]}, units=units, more=tokens)
    assert hexes(t.do("coord_melee", "hex 1,0")) == ["0,1", "1,1"]


ARCHERS = {"abilities": [shot(3)]}


def test_r8_4_5_8_nobody_is_isolated_in_a_ranged_one():
    t = group("0,0", "0,1", "-2,0", values=ARCHERS).do("coord_ranged", "hex 1,0")
    assert hexes(t) == ["0,0", "0,1"]
    assert "coord_ranged" not in group("0,0", "1,1", "-2,0", values=ARCHERS).legal()
    assert "coord_melee" in group("0,0", "1,1", "-2,0", values=ARCHERS).legal()  # melee has no such requirement


def test_q_29__d_15_two_separate_pairs_shoot_together():
    t = group("0,0", "0,1", "4,-1", "4,-2", values=ARCHERS).do("coord_ranged", "hex 1,0")
    done = []
    for cell in ("0,0", "4,-1", "0,1", "4,-2"):
        t.do(f"hex {cell}")
        done.append("pass" in t.legal())
    assert done == [False, False, False, True]


# --- the check


@pytest.mark.parametrize(("check", "after"), [("H", Decision.WINDOW), ("T", Decision.MENU)])
def test_r8_4_5_9_the_check_is_one_flip(check, after):
    t = coordinate(group("0,0", "0,1", flips=check), "coord_melee", TARGET, "0,0", "0,1")
    assert (asked(t)[1], t.flips_left()) == (after, 0)
    assert flips_made(t) == [(0, 1 if check == "H" else 0)]


def test_r8_4_5_10__r8_4_5_11__r8_4_5_12_failed_check_employs_but_costs_no_action():
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 1}], target="enemy_unit", range=3)
    mage = token("mage", band="blue", abilities=[able("dismiss", range=3), shot(2), able("move_and_attack")])
    mages = [unit("mage", cell, attached=[attachment("bolt")]) for cell in ("0,1", "1,1")]
    t = group("0,0", "1,-1", flips="T | T", units=mages, more=[bolt, mage])
    coordinate(t, "coord_melee", TARGET, "0,1", "1,1")
    assert (t.turn, *asked(t)) == (1, 0, Decision.MENU)
    assert [t.unit(cell).employed for cell in ("0,0", "1,-1", "0,1", "1,1")] == [False, False, True, True]
    assert t.legal() == ["draw", "move", "melee", "coord_melee"]
    assert hexes(t.copy().do("move")) == hexes(t.copy().do("melee")) == ["0,0", "1,-1"]
    coordinate(t, "coord_melee", TARGET, "0,0", "1,-1")
    assert (t.turn, t.legal()) == (1, ["draw"])
    t.do("draw", "done")
    assert turn_over(t)


def test_r8_4_5_11_employment_ends_with_the_turn():
    t = coordinate(group("0,0", "0,1", flips="T"), "coord_melee", TARGET, "0,0", "0,1").do("draw", "done")
    t.do("draw", "done")
    assert (t.turn, [t.unit(cell).employed for cell in ("0,0", "0,1")]) == (3, [False, False])
    assert "coord_melee" in t.legal()


def test_r8_4_5_13_failed_check_without_other_actions_ends_only_the_turn():
    nothing = {"hand": [], "sack": [], "casualties": [], "removed": []}
    spare = nothing | {"sack": ["spare"]}
    tokens = [token("a", movement=0), token("d")]
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)]
    t = play(tokens, units, "T", general=[nothing, spare])
    coordinate(t, "coord_melee", TARGET, "0,0", "0,1")
    assert (t.turn, *asked(t), t.legal()) == (1, 0, Decision.MENU, ["pass"])
    assert turn_over(t.do("pass"))
    assert t.alive(0)
    t.do("draw", "done")
    assert (t.turn, *asked(t), t.terminated) == (3, 0, Decision.MENU, False)


def test_r8_4_5_14_a_passed_check_spends_the_action():
    t = coordinate(group("0,0", "0,1", flips="H | T"), "coord_melee", TARGET, "0,0", "0,1").pass_all()
    assert asked(t) == (1, Decision.COUNTER)
    t.do("no")
    assert turn_over(t)
    assert [t.unit(cell).employed for cell in ("0,0", "0,1")] == [False, False]


# --- the attack


@pytest.mark.parametrize(("armor", "dies"), [(8, True), (9, False)])
def test_r8_4_5_15__r8_4_5_17_melee_multiplies_the_sum_of_modified_ratings(armor, dies):
    banner = token("banner", abilities=[able("augment", stat="damage", amount=2)])
    strong = token("strong", damage=4, band="blue")
    boon = text("spell", "boon", "free", [modify("damage", 1)])
    units = [unit("strong", "1,-1", attached=[attachment("boon", "up")]), unit("banner", "-1,1")]
    t = group("0,1", flips="H | H T", target={"armor": armor}, units=units, more=[banner, strong, boon])
    coordinate(t, "coord_melee", TARGET, "0,1", "1,-1").pass_all().do("no")  # ratings 1 + 2 and 4 + 1
    assert t.flips_left() == 0
    assert t.casualties(1) == (["d"] if dies else [])


@pytest.mark.parametrize(("flips", "armor", "dies"), [("H H T", 4, True), ("H H T", 5, False), ("T", 1, False)])
def test_r8_4_5_16__r8_4_5_17_one_progressive_sequence_resolves_all(flips, armor, dies):
    t = group("0,0", "0,1", flips=f"H | {flips}", target={"armor": armor})
    coordinate(t, "coord_melee", TARGET, "0,0", "0,1").pass_all().do("no")
    assert t.flips_left() == 0
    assert t.casualties(1) == (["d"] if dies else [])


@pytest.mark.parametrize(("flips", "armor", "dies"), [("H", 2, True), ("H", 3, False), ("T", 2, False)])
def test_r8_4_5_18_ranged_is_one_flip_for_the_sum_or_nothing(flips, armor, dies):
    t = group("0,0", "0,1", flips=f"H | {flips}", target={"armor": armor}, values=ARCHERS)
    coordinate(t, "coord_ranged", TARGET, "0,0", "0,1").pass_all().do("no")
    assert turn_over(t)
    assert t.casualties(1) == (["d"] if dies else [])


def test_p_coord__d_25__q_31__q_32_order_of_decisions_and_flips_is_fixed():
    t = group("0,0", "0,1", flips="H | H T | H T", target={"armor": 2}, values={"armor": 1})
    coordinate(t, "coord_melee", TARGET, "0,0", "0,1")
    seen = []
    replies = {Decision.COUNTER: "yes", Decision.DESIGNATE: "hex 0,0", Decision.ADVANCE: "hex 0,1"}
    while t.turn == 1:
        seen.append((*asked(t), t.flips_left()))
        t.do(replies.get(t.decision, "pass"))
    assert seen == [
        (1, Decision.WINDOW, 4),
        (0, Decision.WINDOW, 4),
        (1, Decision.COUNTER, 2),  # the attack flips are over
        (0, Decision.DESIGNATE, 2),
        (0, Decision.ADVANCE, 0),
    ]
    assert flips_made(t) == [(0, 1), (0, 1), (0, 0), (1, 1), (1, 0)]
    assert alive(t, "0,0", "0,1", "1,0") == [None, None, "a"]
    assert turn_over(t)


def test_p_coord_all_attackers_turn_up_before_the_check():
    tokens = [token("a", abilities=[shot(3)]), token("d")]
    units = [unit("a", "-1,0", face="down"), unit("a", "-1,1", face="down"), unit("a", "-2,1", face="down")]
    t = play(tokens, [*units, unit("d", "1,0", 1)], "T").do("coord_ranged", "hex 1,0", "hex -1,0", "hex -1,1")
    assert [t.unit(cell).face for cell in ("-1,0", "-1,1", "-2,1")] == ["down", "down", "down"]
    t.do("done")
    assert [t.unit(cell).face for cell in ("-1,0", "-1,1", "-2,1")] == ["up", "up", "down"]


def test_q_47_the_window_opens_after_a_passed_check():
    hidden = [unit("d", "3,0", 1, face="down")]
    t = coordinate(group("0,0", "0,1", flips="T", units=hidden), "coord_melee", TARGET, "0,0", "0,1")
    assert asked(t) == (0, Decision.MENU)
    t = coordinate(group("0,0", "0,1", flips="H", units=hidden), "coord_melee", TARGET, "0,0", "0,1")
    assert (asked(t), t.legal()) == ((1, Decision.WINDOW), ["pass", "reveal_unit"])


# --- the counter-attack


@pytest.mark.parametrize("attack_flips", ["T", "H T", "H H T"])
def test_r8_4_5_19_the_defender_may_counter_whether_or_not_there_is_damage(attack_flips):
    t = group("0,0", "0,1", flips=f"H | {attack_flips}", target={"armor": 9})
    coordinate(t, "coord_melee", TARGET, "0,0", "0,1").pass_all()
    assert (asked(t), t.legal(), t.flips_left()) == ((1, Decision.COUNTER), ["pass", "yes"], 0)


@pytest.mark.parametrize(
    ("reach", "offered"), [(None, []), (1, []), (2, ["-1,0", "-1,1"]), (3, ["-1,0", "-1,1", "-2,1"])]
)
def test_r8_4_5_19__r8_4_5_22__d_26_only_attackers_within_reach_can_take_the_counter(reach, offered):
    target = {"armor": 9, "abilities": [] if reach is None else [shot(reach)]}
    t = group("-1,0", "-1,1", "-2,1", flips="H | T", target=target, values=ARCHERS)
    coordinate(t, "coord_ranged", TARGET, "-1,0", "-1,1", "-2,1").pass_all()
    if not offered:
        assert turn_over(t)
        return
    t.do("yes")
    assert asked(t) == (0, Decision.DESIGNATE)
    assert (hexes(t), len(t.legal())) == (offered, len(offered))


@pytest.mark.parametrize(
    ("verb", "reach", "flips"), [("coord_melee", 2, "HHT"), ("coord_melee", None, "HHT"), ("coord_ranged", 2, "H")]
)
def test_r8_4_5_20_the_counter_has_the_type_of_the_attack(verb, reach, flips):
    target = {"armor": 9, "abilities": [] if reach is None else [shot(reach)]}
    t = group("0,0", "0,1", flips=f"H | T | {flips}", target=target, values={"armor": 9, "abilities": [shot(3)]})
    coordinate(t, verb, TARGET, "0,0", "0,1").pass_all().do("yes", "hex 0,1")
    assert turn_over(t)


@pytest.mark.parametrize("chosen", ["0,0", "0,1"])
def test_r8_4_5_21__r8_4_5_24_designated_attacker_takes_all_counter_damage(chosen):
    t = group("0,0", "0,1", flips="H | T | H H T", target={"armor": 9}, values={"armor": 2})
    coordinate(t, "coord_melee", TARGET, "0,0", "0,1").pass_all().do("yes", f"hex {chosen}")
    assert turn_over(t)
    assert alive(t, "0,0", "0,1") == [None if cell == chosen else "a" for cell in ("0,0", "0,1")]
    assert t.casualties(0) == ["a"]


def test_r8_4_5_22_unit_outside_the_attack_cannot_be_designated():
    t = group("0,0", "0,1", "1,1", flips="H | T", target={"armor": 9})
    coordinate(t, "coord_melee", TARGET, "0,0", "0,1").pass_all().do("yes")
    assert hexes(t) == ["0,0", "0,1"]


@pytest.mark.parametrize(("armor", "dies"), [(2, True), (3, False)])
def test_r8_4_5_23_a_rangeless_defender_counters_a_shot_from_range_1_in_melee(armor, dies):
    values = {"armor": armor, "abilities": [shot(3)]}
    t = group("0,0", "-1,0", flips="H | T | H H T", target={"armor": 9}, values=values)
    coordinate(t, "coord_ranged", TARGET, "0,0", "-1,0").pass_all().do("yes")
    assert t.legal() == ["hex 0,0"]
    t.do("hex 0,0")
    assert turn_over(t)
    assert t.casualties(0) == (["a"] if dies else [])


# --- advance


def test_q_37_one_surviving_participant_may_advance():
    more = [token("still", movement=0)]
    t = group(
        "0,0", "0,1", "-1,0", flips="H | H T | H T", units=[unit("still", "1,1"), unit("still", "2,0")], more=more
    )
    coordinate(t, "coord_melee", TARGET, "0,0", "0,1", "1,1").pass_all().do("yes", "hex 0,0")
    assert t.casualties(0) == ["a"]
    assert (asked(t), t.legal()) == ((0, Decision.ADVANCE), ["pass", "hex 0,1"])  # one is dead, one cannot move
    t.do("hex 0,1")
    assert turn_over(t)
    assert alive(t, "1,0", "0,1", "-1,0") == ["a", None, "a"]


def test_q_39_nobody_advances_after_a_coordinated_shot():
    t = group("0,0", "0,1", flips="H | H", values=ARCHERS)
    coordinate(t, "coord_ranged", TARGET, "0,0", "0,1").pass_all().do("no")
    assert turn_over(t)
    assert (t.casualties(1), alive(t, "0,0", "0,1", "1,0")) == (["d"], ["a", "a", None])


# --- abilities in coordinated attacks


def test_q_81__r9_1_5_coordination_uses_ranged_attack_and_no_other_ability():
    trick = {"abilities": [shot(2), able("ambush"), able("move_and_attack"), able("capture")]}
    t = group("0,0", "0,1", flips="H | H", values=trick)
    assert {"coord_melee", "coord_ranged"} <= set(t.legal())
    coordinate(t, "coord_ranged", TARGET, "0,0", "0,1").pass_all().do("no")
    assert turn_over(t)
    t = group("0,0", "0,1", flips="H | T", values=trick)
    coordinate(t, "coord_melee", TARGET, "0,0", "0,1").pass_all()
    assert asked(t) == (1, Decision.COUNTER)  # no ambush is offered, so none bars the counter
    far = group("-1,0", "-1,1", values={"movement": 3, "abilities": [able("move_and_attack")]})
    assert "coord_melee" not in far.legal()


# --- attackers lost to a surprise


def strike(amount):
    """Return a maneuver that damages an enemy next to its host."""
    return text("maneuver", "strike", "action", [{"kind": "damage", "amount": amount}], target="enemy_unit", range=1)


@pytest.mark.parametrize(("amount", "armor", "dies"), [(1, 2, False), (1, 1, True), (0, 2, True)])
def test_q_84_an_attacker_killed_by_a_surprise_drops_out_and_the_others_go_on(amount, armor, dies):
    more = [strike(amount)] if amount else []
    units = [unit("d", "1,0", 1, attached=[attachment("strike")] if amount else [])]
    tokens = [token("a"), token("d", armor=armor, band="red"), *more]
    t = play(tokens, [unit("a", "0,0"), unit("a", "0,1"), *units], "H | H T")
    coordinate(t, "coord_melee", TARGET, "0,0", "0,1")
    if amount:
        t.do("surprise", "slot 0", "hex 0,1")
        assert (t.casualties(0), t.flips_left()) == (["a"], 2)  # no new check
    t.pass_all().do("no")
    assert t.flips_left() == 0
    assert ("d" in t.casualties(1)) == dies


def test_q_84_when_all_attackers_are_lost_the_attack_is_over():
    tokens = [token("a"), token("d", band="red"), strike(1)]
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1, attached=[attachment("strike")] * 2)]
    t = coordinate(play(tokens, units, "H"), "coord_melee", TARGET, "0,0", "0,1")
    t.do("surprise", "slot 0", "hex 0,1", "pass", "surprise", "slot 0", "hex 0,0")
    assert turn_over(t)
    assert (t.casualties(0), t.casualties(1)) == (["a", "a"], ["strike", "strike"])


def test_q_84_an_attacker_shoved_away_by_a_surprise_drops_out():
    away = {"kind": "relocate", "who": "target", "distance": 2}
    shove = text("maneuver", "shove", "action", [away], target="enemy_unit", range=1)
    defender = unit("d", "1,0", 1, attached=[attachment("shove")])
    for armor, dies in ((1, True), (2, False)):
        tokens = [token("a"), token("d", armor=armor, band="red"), shove]
        t = play(tokens, [unit("a", "0,0"), unit("a", "0,1"), defender], "H | H T")
        coordinate(t, "coord_melee", "1,0", "0,0", "0,1").do("surprise", "slot 0", "hex 0,1", "hex -1,1").pass_all()
        t.do("no")
        assert t.flips_left() == 0
        assert ("d" in t.casualties(1)) == dies  # one damage rating counts, not two


def test_q_84__r9_3_6_those_who_cannot_attack_the_replacement_drop_out():
    screen = text("maneuver", "screen", "action", [{"kind": "swap", "distance": 2}])
    tokens = [token("a", damage=9), token("d", band="red"), token("eagle", armor=2, abilities=[able("flying")]), screen]
    units = [unit("a", "0,0"), unit("eagle", "0,1"), unit("d", "1,0", 1, attached=[attachment("screen")])]
    t = play(tokens, [*units, unit("eagle", "3,0", 1)], "H | H T | T")
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1").do("surprise", "slot 0", "hex 3,0").pass_all().do("yes")
    assert (asked(t), t.legal()) == ((0, Decision.DESIGNATE), ["hex 0,1"])
    t.do("hex 0,1")
    assert turn_over(t)
    assert alive(t, "1,0", "3,0") == ["eagle", "d"]  # 1 damage against armor 2
