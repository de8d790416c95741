"""Surprise maneuvers that eliminate a General, permanent ones, and units that a text moves (section 9.3)."""

import numpy as np
import pytest

from sackarmies_env.core.state import ERROR_NONE
from sackarmies_env.games.sack_armies.state.constants import Decision, Event
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.fights import able, alive, asked, events, flips_made, modify, play, text, turn_over
from tests.sack_armies.builders.ground import piles
from tests.sack_armies.builders.text_game import B1, TextGame, attachment, field, token, unit

THREE = [field(h, g) for g, hexes in B1.items() for h in hexes] + [field(h, 2) for h in ("0,4", "0,5")]
SPARE = piles(sack=["spare"])
STRIKE = {"kind": "damage", "amount": 9}


def ambushed(effects, flips="", target="enemy_unit", casualties=(), **values):
    """Return a table on which General 0's last unit attacks a unit that holds a surprise maneuver "trap"."""
    trap = text("maneuver", "trap", "action", effects, target=target, range=2) | values
    tokens = [token("a"), token("d", band="red"), token("e"), trap]
    units = [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment("trap")]), unit("d", "0,4", 2)]
    general = [piles(), piles(sack=["spare"], casualties=list(casualties)), SPARE]
    t = play(tokens, units, flips, fields=THREE, generals=3, general=general)
    return t.do("melee", "hex 0,0", "hex 1,0")


# --- the active General is eliminated by a surprise


@pytest.mark.parametrize(("flips", "sack", "pile"), [("H", ["spare", "trap"], []), ("T", ["spare"], ["trap"])])
def test_q_67__q_16__r9_2_14_retain_flip_follows_elimination_by_surprise(flips, sack, pile):
    t = ambushed([STRIKE], flips, retain=True).do("surprise", "slot 0", "hex 0,0")
    assert [t.alive(general) for general in range(3)] == [False, True, True]
    assert (flips_made(t), t.flips_left()) == ([(1, int(flips == "H"))], 0)
    assert (t.sack(1), t.casualties(1)) == (sack, pile)
    assert (t.turn, *asked(t)) == (2, 1, Decision.MENU)


def test_q_67__q_16_other_effects_of_such_a_surprise_still_apply():
    effects = [STRIKE, {"kind": "raise"}, {"kind": "reveal", "range": 4}]
    t = ambushed(effects, "H | H", casualties=["e"], retain=True).do("surprise", "slot 0", "hex 0,0", "type e")
    assert (t.alive(0), t.turn, *asked(t)) == (False, 1, 1, Decision.RAISE_HEX)
    again = TextGame(t.dump())
    assert (asked(again), again.legal()) == (asked(t), t.legal())
    t = again.do("hex 1,1")
    assert alive(t, "0,0", "1,0", "1,1") == [None, "d", "e"]
    assert (t.sack(1), t.flips_left()) == (["spare", "trap"], 0)
    assert (t.turn, *asked(t)) == (2, 1, Decision.MENU)


def test_q_67__q_16_a_general_who_leaves_in_their_turn_does_not_interrupt_a_surprise():
    t = ambushed([{"kind": "raise"}], "H | H", target="own_unit", casualties=["e"], retain=True)
    t.do("surprise", "slot 0", "hex 1,0", "type e")
    assert asked(t) == (1, Decision.RAISE_HEX)
    entry.forfeit(t.params, t.states, np.array([0], np.int64))
    assert (t.state["error"], t.alive(0), *asked(t)) == (ERROR_NONE, False, 1, Decision.RAISE_HEX)
    t.do("hex 1,1")
    assert (alive(t, "0,0", "1,1"), t.sack(1), t.flips_left()) == ([None, "e"], ["spare", "trap"], 0)
    assert (t.turn, *asked(t)) == (2, 1, Decision.MENU)


def test_q_67__r5_0_6_general_eliminated_by_their_own_surprise_retains_nothing():
    trap = text("maneuver", "trap", "action", [STRIKE], target="any_unit", range=2, retain=True)
    units = [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment("trap")]), unit("d", "0,4", 2)]
    t = play(
        [token("a"), token("d", band="red"), trap],
        units,
        "H",
        fields=THREE,
        generals=3,
        general=[SPARE, piles(), SPARE],
    )
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 1,0")
    assert [t.alive(general) for general in range(3)] == [True, False, True]
    assert (t.casualties(1), t.sack(1), t.flips_left()) == (["d", "trap"], [], 1)
    assert (t.turn, *asked(t)) == (2, 2, Decision.MENU)


@pytest.mark.parametrize("generals", [2, 3])
def test_q_67__r5_0_6_general_eliminated_by_their_own_spell_retains_nothing(generals):
    burst = text("spell", "burst", "action", [STRIKE], target="any_unit", range=1, retain=True)
    units = [unit("a", "0,0", attached=[attachment("burst")]), unit("d", "1,0", 1), unit("d", "0,4", 2)][:generals]
    fields = THREE if generals == 3 else None
    general = [piles(), SPARE, SPARE][:generals]
    t = play(
        [token("a", band="blue"), token("d"), burst], units, "H", fields=fields, generals=generals, general=general
    )
    t.do("cast", "hex 0,0", "slot 0", "hex 0,0").pass_all()
    assert (t.alive(0), t.casualties(0), t.sack(0), t.flips_left()) == (False, ["a", "burst"], [], 1)
    assert t.terminated == (generals == 2)


# --- permanent maneuvers


def harassed(flips, *stack):
    """Return a table on which a unit of damage 2 attacks one of armor 2 that holds permanent maneuvers."""
    tokens = [
        token("a", damage=2),
        token("d", band="red", armor=2),
        text("maneuver", "harass", "permanent", [modify("damage", -1)], target="enemy_unit", range=1),
        text("maneuver", "dig_in", "permanent", [modify("armor", 1)]),
    ]
    units = [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment(name) for name in stack])]
    return play(tokens, units, flips).do("melee", "hex 0,0", "hex 1,0")


def test_q_94__r9_3_3_permanent_surprise_works_at_once_and_lasts():
    t = harassed("H T", "harass").do("surprise", "slot 0", "hex 0,0")
    assert (t.unit("0,0").attachments, t.unit("0,0").attachment_faces) == (("harass",), ("up",))
    assert (t.unit("1,0").attachments, t.casualties(1), t.stat("0,0", "damage")) == ((), [], 1)
    t.pass_all().do("no")
    assert turn_over(t)
    assert alive(t, "1,0") == ["d"]  # one success times damage 1
    t.do("draw", "done", "draw", "done")
    assert (t.turn, t.stat("0,0", "damage")) == (4, 1)


def test_q_94_without_the_surprise_the_attack_is_deadly():
    t = harassed("H T", "harass").pass_all().do("no")
    assert t.casualties(1) == ["d", "harass"]


def test_q_94__r9_3_3_a_permanent_on_its_host_is_no_surprise_a_second_time():
    t = harassed("H T", "dig_in", "harass").do("surprise", "slot 0")
    assert (asked(t), t.stat("1,0", "armor")) == ((0, Decision.WINDOW), 3)
    t.do("pass", "surprise")
    assert t.legal() == ["slot 1"]


# --- units that a text moves


def test_q_95_a_swap_is_between_units_of_one_general():
    swap = text("maneuver", "swap", "action", [{"kind": "swap", "distance": 2}], target="enemy_unit")
    with pytest.raises(ValueError, match='"swap" needs target = "own_unit"'):
        play([token("a"), swap], [unit("a", "0,0")])


@pytest.mark.parametrize("band", ["red", "blue"])
def test_q_95__q_90_an_employed_unit_may_be_swapped_and_stays_employed(band):
    kind = "maneuver" if band == "red" else "spell"
    tokens = [
        token("a"),
        token("host", band=band),
        text(kind, "swap", "action", [{"kind": "swap", "distance": 2}], target="own_unit"),
    ]
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("host", "-2,1", attached=[attachment("swap")])]
    t = play(tokens, [*units, unit("a", "1,0", 1)], "T")
    t.do("coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done")
    assert t.unit("0,0").employed
    t.do("cast", "hex -2,1", "slot 0")
    assert t.legal() == ["hex 0,0", "hex 0,1"]
    t.do("hex 0,0")
    assert asked(t) == (1, Decision.WINDOW)
    t.pass_all()
    assert turn_over(t)
    assert alive(t, "0,0", "-2,1") == ["host", "a"]


def pushed(verb, reach, flips, attackers=("0,0",)):
    """Return a table after `verb`; the unit on (1,0), once attacked, may push an attacker of this range two hexes."""
    shove = text(
        "maneuver",
        "shove",
        "action",
        [{"kind": "relocate", "who": "target", "distance": 2}],
        target="enemy_unit",
        range=2,
    )
    tokens = [token("a", abilities=[able("range", range=reach)]), token("d", band="red"), shove]
    units = [*(unit("a", cell) for cell in attackers), unit("d", "1,0", 1, attached=[attachment("shove")])]
    return play(tokens, units, flips).do(verb)


@pytest.mark.parametrize(("verb", "reach", "goes_on"), [("melee", 3, False), ("ranged", 2, False), ("ranged", 3, True)])
def test_q_95__q_44_an_attacker_that_a_surprise_moves_attacks_from_there_or_misses(verb, reach, goes_on):
    t = pushed(verb, reach, "H" if goes_on else "")
    t.do("hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 0,0", "hex -2,0").pass_all()
    assert turn_over(t)
    assert alive(t, "-2,0") == ["a"]
    assert t.casualties(1) == (["d", "shove"] if goes_on else ["shove"])
    assert events(t, Event.MISS) == ([] if goes_on else [(0, 5 if verb == "melee" else 6)])


def test_q_95__q_84_of_several_attackers_the_one_that_is_moved_away_drops_out():
    t = pushed("coord_melee", 1, "H | H T", ("0,0", "0,1"))
    t.do("hex 1,0", "hex 0,0", "hex 0,1", "done", "surprise", "slot 0", "hex 0,0", "hex -2,0").pass_all()
    assert t.flips_left() == 0
    assert t.decision == Decision.COUNTER
    t.do("no", "hex 0,1")  # the other one advances
    assert alive(t, "1,0", "-2,0") == ["a", "a"]
    assert turn_over(t)


@pytest.mark.parametrize("effect", [{"kind": "draw", "count": 2}, {"kind": "damage", "amount": 99}])
def test_q_67__r5_0_6_general_eliminated_before_placing_a_raised_unit_does_no_more(effect):
    call = text("maneuver", "call", "action", [{"kind": "raise"}, effect], target="any_unit", range=9)
    tokens = [token("a"), token("mage", band="green"), call]
    units = [unit("a", "0,0"), unit("mage", "1,0", 1, attached=[attachment("call")]), unit("a", "0,4", 2)]
    general = [SPARE, piles(sack=["spare"] * 4, casualties=["a"]), SPARE]
    t = play(tokens, units, "H", fields=THREE, generals=3, general=general).do("melee", "hex 0,0", "hex 1,0")
    while t.player != 1:
        t.do("pass")
    t.do("surprise", "slot 0", "hex 0,4", "type a")
    assert t.decision == Decision.RAISE_HEX
    entry.forfeit(t.params, t.states, np.array([1], np.int64))
    assert t.hand(1) == []
    assert t.unit("0,4") is not None
