"""Default switches: the rules without agreements, except that every decision is asked."""

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.config import make_config
from sackarmies_env.games.sack_armies.state import chance
from sackarmies_env.games.sack_armies.state.constants import Decision, FlipMethod
from sackarmies_env.games.sack_armies.state.layout import UNTOLD
from tests.sack_armies.builders.fights import able, asked, modify, text
from tests.sack_armies.builders.ground import deploy_room, move, piles, returns, truncated, wait
from tests.sack_armies.builders.seen import Seen
from tests.sack_armies.builders.text_game import TextGame, attachment, field, position, token, unit

A = token("a")
THREE = [field("0,0"), field("-1,0"), field("2,0", 1), field("3,0", 1), field("0,2", 2), field("-1,3", 2)]


def plain_rules(units=(), flips="", tokens=(), **keys):
    """Return a table without agreements on the rules; forced choices are asked."""
    return TextGame(position([A, *tokens], list(units), flips, switches={"auto_forced": "off"}, **keys))


def fought(units, flips, tokens, answer):
    """Return a table after the unit on (0,0) has attacked the one on (1,0), which counters or not."""
    t = plain_rules(units, flips, tokens).do("melee", "hex 0,0", "hex 1,0").pass_all()
    return t.do(answer)


@pytest.mark.parametrize(("token_id", "most"), [("imps", 6), ("gladiator", 4), ("hill_giant", 2)])
def test_c_copy_limits_by_default_six_four_and_two(token_id, most):
    for copies, legal in ((most, True), (most + 1, False)):
        armies = {"name": "many", "tokens": {"plain": 5, "imps": 1} | {token_id: copies}}
        if legal:
            assert make_config(2, [armies, armies]).num_generals == 2
        else:
            with pytest.raises(ValueError, match=f"at most {most} of a token"):
                make_config(2, [armies, armies])


def test_c_draw_count__c_hand_limit_by_default_three_are_drawn_and_three_kept():
    t = plain_rules(general=[piles(sack=["a"] * 9, hand=["a"] * 2), piles(sack=["spare"])]).do("draw")
    assert (len(t.hand(0)), t.legal()) == (5, ["type a"])
    t.do("type a")
    assert (len(t.hand(0)), t.legal()) == (4, ["type a"])
    t.do("type a")
    assert (len(t.hand(0)), t.legal()) == (3, ["pass", "type a"])


def test_c_turn_direction__q_01_by_default_turns_go_counter_clockwise():
    t = plain_rules(fields=THREE, generals=3)
    seats = []
    for _ in range(4):
        seats.append(t.active)
        wait(t)
    assert seats == [0, 1, 2, 0]


def test_c_neutral_zone_basis__q_03_by_default_control_counts():
    fields = [field("0,0"), field("2,0", 0, controller=1), field("6,0", 1)]
    hands = [piles(hand=["plain"], sack=["spare"]), piles(sack=["spare"])]
    room = deploy_room(plain_rules(fields=fields, general=hands), "plain")
    assert room == ["-1,0", "-1,1", "0,-1", "0,1", "1,-1"]  # not beside their own battlefield that another controls


def test_c_flip_method__q_68_by_default_coins_are_flipped():
    t = plain_rules([unit("a", "0,0"), unit("a", "3,0", 1)])
    assert int(t.params["flip_method"][0]) == FlipMethod.COIN
    flips = [int(chance.flip(t.params[0], t.states[0], np.int64(0))) for _ in range(64)]
    assert set(flips) == {0, 1}
    assert [int(t.state[f"deck_{kind}"]) for kind in ("red", "black", "jokers")] == [26, 26, 0]  # untouched


def test_c_counter_timing_single__q_31_by_default_counter_before_the_flips():
    t = plain_rules([unit("a", "0,0"), unit("a", "1,0", 1)], "H T").do("melee", "hex 0,0", "hex 1,0").pass_all()
    assert (asked(t), t.flips_left()) == ((1, Decision.COUNTER), 2)


def test_c_auto_forced_by_default_a_single_choice_is_made_silently():
    t = TextGame(position([A], [unit("a", "0,0"), unit("a", "3,0", 1)])).do("move")
    assert asked(t) == (0, Decision.MOVE_TO)


@pytest.mark.parametrize(("armor", "dies"), [(1, True), (2, False)])
def test_c_sum_simultaneous_damage__q_35_by_default_hits_are_not_added(armor, dies):
    tokens = [token("rock", armor=9), token("bomb", armor=armor, abilities=[able("scatter")])]
    t = fought([unit("rock", "0,0"), unit("bomb", "1,0", 1)], "H T | H T | H", tokens, "yes")
    assert (t.casualties(1), t.flips_left()) == (["bomb"] if dies else [], 0)


def test_c_allow_stop_after_failed_check__q_18_by_default_the_turn_continues():
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("a", "-2,0"), unit("a", "1,0", 1)]
    t = plain_rules(units, "T").do("coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done")
    assert (asked(t), t.legal()) == ((0, Decision.MENU), ["draw", "move"])


def test_c_allow_concede__q_71_by_default_nobody_can_concede():
    assert plain_rules([unit("a", "0,0")]).legal() == ["draw", "move"]


def test_c_casualties_public_by_default_all_see_what_was_lost():
    charm = text("spell", "charm", "free", [modify("armor", 1)])
    units = [unit("a", "0,0"), unit("g", "1,0", 1, attached=[attachment("charm")])]
    t = fought(units, "H T", [token("g", band="green"), charm], "no").do("no")  # decline the advance
    assert Seen(t, 0).counts("casualties_1") == {"g": 1, "charm": 1}


def test_c_sack_count_public_by_default_all_see_the_size_of_a_sack():
    t = plain_rules(general=[piles(sack=["a"] * 2), piles(sack=["a"] * 4)])
    sizes = [[row["sack"] for row in Seen(t, viewer).generals] for viewer in (0, 1)]
    assert sizes == [[2, 4], [4, 2]]
    assert UNTOLD not in sizes[0]


def test_c_open_army_lists_by_default_lists_are_hidden():
    t = plain_rules(general=[piles(sack=["spare"]), piles(sack=["a", "a"])])
    assert Seen(t, 0).counts("known_1") == {}


@pytest.mark.parametrize(("turn", "progress"), [(400, 398), (200, 80)])
def test_c_max_turns__c_no_progress_turns__q_70_defaults_are_400_and_120_turns(turn, progress):
    t = plain_rules([unit("a", "0,0"), unit("a", "4,0", 1)])
    t.states["turn"], t.states["last_progress_turn"] = turn - 1, progress
    wait(t)
    assert (t.turn, truncated(t)) == (turn, False)
    wait(t)
    assert (t.turn, truncated(t), t.player) == (turn, True, -1)  # no further turn begins


def test_c_max_progressive__q_72_by_default_sixty_four_successes_are_the_most():
    for armor, dies in ((64, True), (65, False)):
        t = fought([unit("a", "0,0"), unit("wall", "1,0", 1)], "H" * 65, [token("wall", armor=armor)], "no")
        assert (t.casualties(1) == ["wall"], t.flips_left()) == (dies, 1)


def test_c_reward_by_default_winnings_and_losses_add_up_to_nothing():
    fields = [field("0,0"), field("2,0", 1)]
    t = plain_rules([unit("a", "1,0"), unit("a", "-1,0")], fields=fields)
    move(t, "1,0", "2,0")
    assert (t.terminated, returns(t)) == (True, [1.0, -1.0])
