"""Choices after a failed check or a cancelled attack, and what others learn from them."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event
from sackarmies_env.games.sack_armies.words.narrate import narrate
from tests.sack_armies.builders.fights import (
    able,
    asked,
    coordinate,
    events,
    grant,
    modify,
    play,
    scenario,
    text,
    turn_over,
)
from tests.sack_armies.builders.ground import piles
from tests.sack_armies.builders.text_game import attachment, token, unit
from tests.sack_armies.rules.test_fog_masks import observation
from tests.sack_armies.words.test_narrate import play as played

ROOTED = token("a", movement=0, band="green")
TOKENS = [
    ROOTED,
    token("d", band="green"),
    token("rock", movement=0, band="red"),
    token("scout"),
    text("spell", "light", "free", [modify("damage", 1)]),
    text("maneuver", "march", "free", [modify("movement", 1)]),
    text("maneuver", "wings", "free", [grant("flying")]),
]
EMPTY = [piles(), piles(sack=["spare"])]
PAIR = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)]


def fail(t, target, *attackers):
    """Declare a coordinated melee whose check fails."""
    if t.params["auto_forced"][0] == 0:
        return coordinate(t, "coord_melee", target, *attackers)
    return t.do("coord_melee", f"hex {attackers[0]}")  # the other choices are forced


def failed_check(*units, attached=(), **switches):
    """Return a table after a failed check of General 0, whose attackers cannot move and whose sack is empty."""
    pair = [PAIR[0] | {"attached": list(attached)}, *PAIR[1:]]
    t = play(TOKENS, [*pair, *units], "T", switches, general=EMPTY)
    return fail(t, "1,0", "0,0", "0,1")


def stopped(t):
    """Return whether General 0 can pass to end the turn, and is not eliminated."""
    passed = t.copy().do("pass")
    return turn_over(passed) and passed.alive(0)


def test_q_91__r8_4_5_12__r8_2_2_9_free_reveals_are_offered_when_no_action_is_left():
    t = failed_check(unit("rock", "-2,0", face="down"), attached=[attachment("light")])
    assert (t.turn, *asked(t), t.legal()) == (1, 0, Decision.MENU, ["pass", "reveal_unit", "reveal_token"])
    assert stopped(t)
    t.do("reveal_token", "hex 0,0", "slot 0")
    assert (asked(t), t.legal()) == ((0, Decision.MENU), ["pass", "reveal_unit"])
    t.do("reveal_unit", "hex -2,0")
    assert (asked(t), t.legal()) == ((0, Decision.MENU), ["pass"])
    assert stopped(t)


def test_q_91__q_17__q_18_a_reveal_that_enables_an_action_removes_the_pass():
    t = failed_check(unit("rock", "-2,0", face="down", attached=[attachment("march")]))
    assert t.legal() == ["pass", "reveal_unit", "reveal_token"]
    t.do("reveal_token", "hex -2,0", "slot 0")
    assert (asked(t), t.legal()) == ((0, Decision.MENU), ["move"])
    t.do("move", "hex -2,0", "hex -3,0")
    assert turn_over(t)


def test_q_91__r9_1_12_after_a_cancelled_attack_reveals_are_offered_as_well():
    units = [unit("a", "0,0"), unit("rock", "-2,0", face="down"), unit("d", "1,0", 1, attached=[attachment("wings")])]
    t = play(TOKENS, units, general=EMPTY).do("melee", "hex 0,0", "hex 1,0", "reveal_token", "hex 1,0", "slot 0")
    assert events(t, Event.CANCEL) == [(0, 5)]
    assert (t.turn, *asked(t), t.legal()) == (1, 0, Decision.MENU, ["pass", "reveal_unit"])
    assert stopped(t)


def test_q_91__q_66_after_a_cancelled_activation_reveals_are_offered_as_well():
    sage = token("sage", movement=0, abilities=[able("counter", range=3)])
    host = unit("d", "1,0", 1, attached=[attachment("light")])
    units = [unit("sage", "-1,0"), unit("rock", "-2,0", face="down"), host]
    t = play([*TOKENS, sage], units, general=EMPTY).do("counter_token", "hex -1,0", "hex 1,0", "slot 0")
    t.do("reveal_token", "hex 1,0", "slot 0")
    assert (t.turn, *asked(t), t.legal()) == (1, 0, Decision.MENU, ["pass", "reveal_unit"])
    assert stopped(t)


def test_q_91_without_a_failed_check_a_general_with_reveals_alone_may_not_pass():
    t = play(TOKENS, [unit("a", "0,0"), unit("rock", "-2,0", face="down"), unit("d", "4,0", 1)], general=EMPTY)
    assert (asked(t), t.legal()) == ((0, Decision.MENU), ["reveal_unit"])
    t.do("reveal_unit", "hex -2,0")
    assert (t.terminated, t.alive(0)) == (True, False)


@pytest.mark.parametrize("attached", [[], [attachment("light", "up")]])
def test_q_91__c_auto_forced_a_lone_pass_is_taken_silently_or_asked(attached):
    assert turn_over(failed_check(attached=attached, auto_forced="on"))
    t = failed_check(attached=attached)
    assert (asked(t), t.legal()) == ((0, Decision.MENU), ["pass"])


@pytest.mark.parametrize("value", ["off", "on"])
def test_c_allow_stop_after_failed_check__q_91_action_may_be_declined_if_agreed(value):
    t = failed_check(unit("scout", "-2,0"), allow_stop_after_failed_check=value)
    assert t.legal() == (["pass", "move"] if value == "on" else ["move"])


def test_c_allow_concede__q_91_conceding_is_offered_beside_the_pass():
    assert failed_check(allow_concede="on").legal() == ["pass", "concede"]


# --- what others learn


CHARM = text("spell", "charm", "free", [modify("armor", 3)])
BOLT = text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4)
SPARK = text("spell", "spark", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=1)
DRILL = text("maneuver", "drill", "free", [modify("damage", 2)])
POST = token("post", movement=0, band="blue")  # takes only spells


def stumbling(attached, held, **switches):
    """Return a table on which General 1, with one hidden attachment and one token in hand, has failed a check."""
    units = [unit("d", "0,0"), unit("post", "1,0", 1), unit("post", "1,-1", 1)]
    units.append(unit("post", "2,0", 1, attached=[attachment(attached)]))
    general = [piles(sack=["spare"]), piles(hand=[held])]
    tokens = [token("d", armor=9), POST, CHARM, BOLT, SPARK, DRILL]
    return fail(play(tokens, units, "T", switches, general=general, to_move=1), "0,0", "1,0", "1,-1")


def test_q_91__v_16_order_of_agents_does_not_reveal_remaining_actions():
    tables = [stumbling(attached, held) for attached in ("charm", "bolt") for held in ("charm", "drill")]
    choices = [["deploy", "reveal_token"], ["pass", "reveal_token"], ["deploy", "cast"], ["cast"]]
    assert [t.legal() for t in tables] == choices
    assert {asked(t) for t in tables} == {(1, Decision.MENU)}
    assert len({observation(t) for t in tables}) == 1


def test_q_91__v_20_a_general_who_passes_shows_no_more_than_one_who_is_not_asked():
    free, far = (stumbling(attached, "drill", auto_forced="on") for attached in ("charm", "spark"))
    assert (asked(free), free.legal()) == ((1, Decision.MENU), ["pass", "reveal_token"])
    assert asked(far) == asked(free.do("pass")) == (0, Decision.MENU)
    assert (observation(far), far.legal()) == (observation(free), free.legal())


# --- in words


def test_log_shows_a_turn_that_ends_without_an_action():
    position = scenario(TOKENS, [*PAIR, unit("rock", "-2,0", face="down")], "T", general=EMPTY)
    game, record = played(position, "coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done", "pass")
    lines = [line.strip() for line in narrate(game, record)][1:]
    assert lines[1:] == [
        "General 0 flips T.",
        "The coordination check fails.",
        "General 0 ends the turn without an action.",
        "Turn 2: General 1",
    ]
