"""Abilities in combat: Ambush, Leadership, Move and Attack, Ranged Attack (appendix A)."""

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
    hexes,
    modify,
    play,
    shot,
    text,
    turn_over,
)
from tests.sack_armies.builders.ground import piles
from tests.sack_armies.builders.text_game import B1, attachment, field, token, unit

WINGS = text("spell", "wings", "free", [grant("flying")])
EAGLE = token("eagle", movement=3, abilities=[able("flying")])

# --- Ambush

STALKER = {"armor": 2, "abilities": [able("ambush")]}


def test_ra_ambush_1__d_23_the_attacker_is_asked_for_an_ambush_flip():
    t = attack(duel(STALKER, {"armor": 9}, "T"), "melee", "0,0", "1,0")
    assert (asked(t), t.legal(), t.flips_left()) == ((0, Decision.AMBUSH), ["pass", "yes"], 1)
    t.do("no")  # no flip is made
    assert (asked(t), t.flips_left()) == ((1, Decision.COUNTER), 1)
    t.do("no")
    assert turn_over(t)


def test_ra_ambush_1_it_is_for_melee_that_the_unit_starts():
    archer = {"armor": 2, "abilities": [able("ambush"), shot(2)]}
    assert asked(attack(duel(archer), "ranged", "0,0", "1,0")) == (1, Decision.COUNTER)
    assert asked(attack(duel({}, STALKER), "melee", "0,0", "1,0")) == (1, Decision.COUNTER)


def test_ra_ambush_2_tails_changes_nothing():
    t = attack(duel(STALKER, {"armor": 9}, "T | T | H H T"), "melee", "0,0", "1,0").do("yes")
    assert asked(t) == (1, Decision.COUNTER)
    t.do("yes")
    assert turn_over(t)
    assert t.casualties(0) == ["attacker"]


@pytest.mark.parametrize(("flips", "dies"), [("H T", True), ("T", False)])
def test_ra_ambush_3_heads_bars_the_counter_and_the_attack_flips_as_usual(flips, dies):
    t = attack(duel(STALKER, {}, f"H | {flips}"), "melee", "0,0", "1,0").do("yes")
    assert t.flips_left() == 0
    assert asked(t) == ((0, Decision.ADVANCE) if dies else (1, Decision.MENU))
    assert t.casualties(1) == (["defender"] if dies else [])


def test_ra_ambush_4_no_ambush_in_a_coordinated_attack():
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)]
    t = play([token("a", **STALKER), token("d", armor=9)], units, "H | T")
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1").pass_all()
    assert asked(t) == (1, Decision.COUNTER)


def test_q_60_ambush_goes_with_move_and_attack():
    rider = token("rider", movement=1, abilities=[able("ambush"), able("move_and_attack")])
    t = play([rider, token("d")], [unit("rider", "-1,0"), unit("d", "1,0", 1)], "H | H T")
    t.do("move_attack", "hex -1,0", "hex 1,0").pass_all().do("hex 0,0").pass_all()
    assert asked(t) == (0, Decision.AMBUSH)
    t.do("yes")
    assert (asked(t), t.flips_left()) == ((0, Decision.ADVANCE), 0)


# --- Leadership

CHIEF = token("chief", abilities=[able("leadership")])


def led(chiefs, attackers, flips="", **chief):
    """Return a table after `attackers` have declared a coordinated melee on (1,0); units on `chiefs` are leaders."""
    cells = dict.fromkeys([*chiefs, *attackers])
    units = [unit("chief", cell, **chief) if cell in chiefs else unit("a", cell) for cell in cells]
    t = play([token("a"), CHIEF, token("d", armor=9)], [*units, unit("d", "1,0", 1)], flips)
    return coordinate(t, "coord_melee", "1,0", *attackers)


@pytest.mark.parametrize(
    ("chiefs", "attackers", "needs_flip"),
    [
        (["0,0"], ["0,0", "0,1"], False),
        (["0,0"], ["0,0", "0,1", "1,-1"], False),
        (["0,0"], ["0,0", "1,1"], True),
        (["0,0"], ["0,0", "0,1", "1,1"], True),
        (["0,0", "2,0"], ["0,0", "2,0"], False),
        (["0,0", "2,0"], ["0,0", "0,1", "1,1", "2,0", "2,-1"], False),
        ([], ["0,0", "0,1"], True),
    ],
)
def test_ra_leadership_1__q_30_each_attacker_leads_or_stands_next_to_a_leader(chiefs, attackers, needs_flip):
    t = led(chiefs, attackers, "H" if needs_flip else "")
    assert (asked(t), t.flips_left()) == ((1, Decision.WINDOW), 0)
    assert flips_made(t) == ([(0, 1)] if needs_flip else [])


@pytest.mark.parametrize(("chief", "attackers"), [("0,0", ["0,1", "1,-1"]), ("-1,1", ["0,0", "0,1"])])
def test_ra_leadership_2__q_30_the_leader_need_not_attack(chief, attackers):
    t = led([chief], attackers)
    assert (asked(t), flips_made(t)) == ((1, Decision.WINDOW), [])


def test_q_30_a_face_down_leader_or_an_enemy_one_covers_nobody():
    t = led(["-1,1"], ["0,0", "0,1"], "T", face="down")
    assert asked(t) == (0, Decision.MENU)
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("chief", "-1,1", 1), unit("d", "1,0", 1)]
    t = coordinate(play([token("a"), CHIEF, token("d")], units, "T"), "coord_melee", "1,0", "0,0", "0,1")
    assert asked(t) == (0, Decision.MENU)
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("chief", "-1,1", face="down"), unit("d", "1,0", 1)]
    t = play([token("a"), CHIEF, token("d")], units).do("reveal_unit", "hex -1,1")
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1")
    assert asked(t) == (1, Decision.WINDOW)


def test_ra_leadership_1_it_serves_coordinated_shots_too():
    archer = token("archer", abilities=[shot(3)])
    units = [unit("archer", "-1,0"), unit("archer", "-1,1"), unit("chief", "-2,1"), unit("d", "1,0", 1)]
    t = coordinate(play([archer, CHIEF, token("d")], units), "coord_ranged", "1,0", "-1,0", "-1,1")
    assert (asked(t), flips_made(t)) == ((1, Decision.WINDOW), [])


# --- Move and Attack


def rider(movement=2, *more, **values):
    """Return a unit with Move and Attack."""
    return token("rider", movement=movement, abilities=[able("move_and_attack"), *more], **values)


def test_ra_moveattack_1__ra_moveattack_4_moves_and_fights_a_melee_in_one_turn():
    units = [unit("rider", "-1,0"), unit("d", "1,0", 1)]
    t = play([rider(1, armor=2), token("d", armor=2)], units, "H H T | H H T")
    t.do("move_attack", "hex -1,0", "hex 1,0").pass_all().do("hex 0,0").pass_all()
    assert asked(t) == (1, Decision.COUNTER)
    t.do("yes")
    assert turn_over(t)
    assert (t.casualties(0), t.casualties(1)) == (["rider"], ["d"])


def test_ra_moveattack_4_the_victor_may_advance():
    t = play([rider(1), token("d")], [unit("rider", "-1,0"), unit("d", "1,0", 1)], "H T")
    t.do("move_attack", "hex -1,0", "hex 1,0").pass_all().do("hex 0,0").pass_all().do("no")
    assert asked(t) == (0, Decision.ADVANCE)
    t.do("yes")
    assert turn_over(t)
    assert alive(t, "1,0", "0,0", "-1,0") == ["rider", None, None]


def test_ra_moveattack_2__d_16_declared_target_may_be_face_down():
    enemies = [unit("d", "2,0", 1, face="down"), unit("eagle", "3,-1", 1, face="down"), unit("d", "4,0", 1)]
    tokens = [rider(3), EAGLE, token("d")]
    t = play(tokens, [unit("rider", "-1,0"), unit("d", "0,1"), *enemies]).do("move_attack")
    assert (asked(t), t.legal()) == ((0, Decision.SOURCE), ["hex -1,0"])
    t.do("hex -1,0")
    assert (asked(t), hexes(t)) == ((0, Decision.TARGET), ["2,0", "3,-1"])  # (4,0) is too far, (0,1) is General 0's own
    shown = [unit("d", "2,0", 1), unit("eagle", "3,-1", 1)]
    t = play(tokens, [unit("rider", "-1,0"), *shown]).do("move_attack", "hex -1,0")
    assert hexes(t) == ["2,0"]  # a face-up flyer is no target for a ground unit


def test_ra_moveattack_2_the_declaration_turns_the_unit_up():
    t = play([rider(), token("d")], [unit("rider", "-1,0", face="down"), unit("d", "1,0", 1)])
    t.do("move_attack", "hex -1,0", "hex 1,0")
    assert (t.unit("-1,0").face, asked(t)) == ("up", (1, Decision.WINDOW))


def test_ra_moveattack_3__d_17__q_61_then_it_moves_at_least_one_hex_to_the_target():
    t = play([rider(2), token("d")], [unit("rider", "0,0"), unit("d", "1,0", 1), unit("d", "0,1", 1)])
    t.do("move_attack", "hex 0,0", "hex 1,0").pass_all()
    assert (asked(t), hexes(t)) == ((0, Decision.CHARGE_TO), ["1,-1", "2,-1"])  # neither its own hex nor a far one
    blocked = [unit("d", cell, 1) for cell in ("1,0", "1,-1", "0,-1", "-1,0", "-1,1", "0,1")]
    assert "move_attack" not in play([rider(2), token("d")], [unit("rider", "0,0"), *blocked]).legal()


def test_p_moveattack_the_course_of_a_move_and_attack():
    hidden = unit("d", "3,0", 1, face="down")
    t = play([rider(2), token("d")], [unit("rider", "-1,0"), unit("d", "1,1", 1), hidden], "T")
    seen = []
    t.do("move_attack", "hex -1,0", "hex 1,1")
    while t.turn == 1:
        seen.append((*asked(t), alive(t, "0,1") == ["rider"]))
        t.do("hex 0,1" if t.decision == Decision.CHARGE_TO else "pass")
    assert seen == [
        (1, Decision.WINDOW, False),
        (0, Decision.WINDOW, False),
        (0, Decision.CHARGE_TO, False),
        (1, Decision.WINDOW, True),
        (0, Decision.WINDOW, True),
        (1, Decision.COUNTER, True),
    ]
    assert turn_over(t)


def test_p_moveattack_the_move_sights():
    units = [unit("rider", "-1,0"), unit("d", "2,0", 1, face="down"), unit("d", "1,-1", 1, face="down")]
    t = play([rider(2), token("d")], units, "T").do("move_attack", "hex -1,0", "hex 2,0").pass_all().do("hex 1,0")
    assert [t.unit(cell).face for cell in ("2,0", "1,-1")] == ["up", "up"]
    t.pass_all().do("no")
    assert turn_over(t)


@pytest.mark.parametrize("mover", ["rider", "eagle"])
def test_ra_moveattack_5_hidden_flyer_cancels_and_spends_the_attack(mover):
    charger = rider(2, *([able("flying")] if mover == "eagle" else []))
    t = play([charger, EAGLE], [unit("rider", "-1,0"), unit("eagle", "2,0", 1, face="down")])
    t.do("move_attack", "hex -1,0", "hex 2,0").pass_all().do("hex 1,0")
    assert t.unit("2,0").face == "up"
    if mover == "eagle":
        assert asked(t) == (1, Decision.WINDOW)
    else:
        assert turn_over(t)
        assert alive(t, "1,0") == ["rider"]


def test_ra_moveattack_5_after_the_cancellation_the_unit_is_employed():
    hand = [piles(hand=["spare"] * 4, sack=["spare"]), piles(sack=["spare"])]
    units = [unit("rider", "-1,0"), unit("eagle", "2,0", 1, face="down")]
    t = play([rider(2), EAGLE], units, general=hand).do("move_attack", "hex -1,0", "hex 2,0").pass_all().do("hex 1,0")
    assert asked(t) == (0, Decision.DISCARD)
    assert t.unit("1,0").employed


def test_q_61_a_shooting_range_does_not_rescue_the_attack():
    t = play([rider(2, shot(3)), EAGLE], [unit("rider", "-1,0"), unit("eagle", "2,0", 1, face="down")])
    t.do("move_attack", "hex -1,0", "hex 2,0").pass_all().do("hex 1,0")
    assert turn_over(t)


def test_q_62_cancelled_before_the_move_it_costs_nothing():
    host = token("host", band="blue")
    units = [unit("rider", "-1,0"), unit("host", "1,0", 1, attached=[attachment("wings")]), unit("host", "0,1", 1)]
    t = play([rider(2), host, WINGS], units).do("move_attack", "hex -1,0", "hex 1,0")
    t.do("reveal_token", "hex 1,0", "slot 0")
    assert (t.turn, *asked(t)) == (1, 0, Decision.MENU)
    assert (t.unit("-1,0").employed, t.unit("-1,0").moved) == (False, False)
    assert t.do("move_attack", "hex -1,0").legal() == ["hex 0,1"]


HALT = {"id": "wall", "kind": "battlefield", "halts": True}


@pytest.mark.parametrize(
    ("wall", "ability", "advances"),
    [
        (HALT, [], False),
        (HALT, [able("flying")], False),
        (HALT | {"exempt": ["flying"]}, [able("flying")], True),
        (HALT | {"exempt": ["flying"]}, [], False),
        (HALT | {"water": True}, [able("aquatic")], True),
        (HALT | {"halts": False}, [], True),
    ],
)
def test_ra_moveattack_6__q_63_no_advance_from_a_battlefield_that_halts_the_unit(wall, ability, advances):
    fields = [field(cell, g, "wall" if cell == "0,0" else "plain") for g, cells in B1.items() for cell in cells]
    units = [unit("rider", "-1,0"), unit("d", "1,0", 1)]
    t = play([wall, rider(1, *ability), token("d")], units, "H T", fields=fields)
    t.do("move_attack", "hex -1,0", "hex 1,0").pass_all().do("hex 0,0").pass_all().do("no")
    assert asked(t) == ((0, Decision.ADVANCE) if advances else (1, Decision.MENU))
    assert t.casualties(1) == ["d"]


def test_ra_moveattack_6_a_plain_melee_from_a_halting_battlefield_may_advance():
    fields = [field(cell, g, "wall" if cell == "0,0" else "plain") for g, cells in B1.items() for cell in cells]
    t = play([HALT, rider(1), token("d")], [unit("rider", "0,0"), unit("d", "1,0", 1)], "H T", fields=fields)
    assert asked(attack(t, "melee", "0,0", "1,0", "no")) == (0, Decision.ADVANCE)


def test_ra_moveattack_7_it_is_not_a_move_action():
    units = [unit("rider", "-1,0"), unit("rider", "-2,0"), unit("d", "1,0", 1), unit("d", "3,0", 1)]
    t = play([rider(2), token("d")], units, "T")
    charge = t.copy().do("move_attack", "hex -1,0", "hex 1,0").pass_all().do("hex 0,0").pass_all().do("no")
    assert turn_over(charge)  # no second unit may move
    t.do("move", "hex -1,0", "hex 0,0")
    assert (asked(t), t.legal()) == ((0, Decision.MOVE_UNIT), ["pass", "hex -2,0"])


# --- Ranged Attack


def test_ra_ranged_1_it_is_the_option_to_attack_at_a_distance():
    assert "ranged" not in duel({}, {}, where="2,0").legal()
    t = duel({"damage": 2, "abilities": [shot(2)]}, {"armor": 2}, "H", where="2,0")
    attack(t, "ranged", "0,0", "2,0")
    assert turn_over(t)
    assert t.casualties(1) == ["defender"]


def test_ra_ranged_1_a_face_down_archer_may_shoot_and_turns_up():
    tokens = [token("archer", abilities=[shot(2)]), token("d")]
    t = play(tokens, [unit("archer", "0,0", face="down"), unit("d", "2,0", 1)], "T")
    attack(t, "ranged", "0,0", "2,0")
    assert turn_over(t)
    assert t.unit("0,0").face == "up"


def test_ra_ranged_1_the_better_of_two_ranges_counts():
    bow = text("spell", "bow", "free", [grant("range", range=3), modify("damage", 1)])
    archer = token("archer", band="blue", abilities=[shot(2)])
    units = [unit("archer", "0,0", attached=[attachment("bow", "up")]), unit("d", "3,0", 1), unit("d", "4,0", 1)]
    assert hexes(play([bow, archer, token("d")], units).do("ranged", "hex 0,0")) == ["3,0"]
