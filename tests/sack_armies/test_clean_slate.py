"""Nothing is left over: a reset forgets all that was in a record, and a new turn all of the action before it."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.state import alloc
from sackarmies_env.games.sack_armies import make_game, step
from sackarmies_env.games.sack_armies.constants import Decision
from sackarmies_env.games.sack_armies.zones import rebuild
from tests.referee.bouts import bout_options, random_play
from tests.rules.sack_armies.fights import coordinate, play
from tests.rules.sack_armies.table import Table, UnitView, token, unit
from tests.sack_armies.worlds import ROW_LINKS, ROWS_IN_STATE, plain, record

SCRATCH = ("reach_", "aided", "guess_")  # written anew before they are read
LISTS = ("modifier_", "ghost_", "damage_")  # of which only as many rows count as `num_...` says
OF_AN_ACTION = ("attack_", "act_", "chain")
ALSO_OF_AN_ACTION = ("token_member", "counter_successes", "num_damages")
PLIES = 40 if INTERPRETED else 400


@pytest.mark.parametrize("options", [{}, {"num_generals": 3}, {"switches": {"flip_method": "deck_jokers"}}])
def test_a_reset_forgets_whatever_was_in_the_record(options):
    game = make_game(**options)
    fresh, used = game.new_states(1), game.new_states(1)
    np.asarray(used).view(np.uint8)[:] = np.random.default_rng(3).integers(1, 256, used.nbytes, dtype=np.uint8)
    for states in (fresh, used):
        game.reset(game.params, states, np.array([5]))
    for name in plain(fresh).dtype.names:
        if not name.startswith((*SCRATCH, *LISTS)):
            np.testing.assert_array_equal(plain(used)[name], plain(fresh)[name], err_msg=name)


@pytest.mark.parametrize("seed", range(0, 8 if INTERPRETED else 48, 2))  # those that begin in a battle
def test_a_new_turn_knows_nothing_of_the_action_before_it(seed):
    game = make_game(**bout_options(seed))
    empty = game.new_states(1)
    game.reset(game.params, empty, np.array([0]))
    names = [name for name in plain(empty).dtype.names if name.startswith(OF_AN_ACTION) or name in ALSO_OF_AN_ACTION]
    turns = 0
    for states, _ in random_play(game, seed, PLIES):
        state = plain(states)
        if state["decision"] == Decision.MENU or state["current_player"] < 0:
            turns += 1
            for name in names:
                np.testing.assert_array_equal(state[name], plain(empty)[name], err_msg=name)
    assert turns > 0


def test_a_game_that_ends_in_an_attack_knows_nothing_of_it():
    alone = {"hand": [], "sack": [], "casualties": [], "removed": []}
    t = play([token("a"), token("b")], [unit("a", "0,0"), unit("b", "1,0", 1)], "H T", general=[alone, alone])
    before = t.copy().state
    t.do("melee", "hex 0,0", "hex 1,0").pass_all().do("no")
    assert (t.terminated, t.winner) == (True, 0)
    for name in before.dtype.names:
        if name.startswith(OF_AN_ACTION) or name in ALSO_OF_AN_ACTION:
            np.testing.assert_array_equal(t.state[name], before[name], err_msg=name)


def test_each_game_of_a_batch_says_who_is_out():
    t = play([token("a")], [unit("a", "0,0"), unit("a", "1,0", 1)], "H T")
    states = alloc(t.states.dtype, 3)
    for i in range(3):
        states[i : i + 1] = t.states
    plain_states = np.asarray(states)
    plain_states["general_alive"][0, 1] = plain_states["general_alive"][2, 0] = 0
    out = np.full((3, 2), 7, np.int8)
    step.terminations_games(t.params, states, out)
    assert out.tolist() == [[0, 1], [0, 0], [1, 0]]


# --- rows


def turned_round(t: Table) -> Table:
    """Return a copy of the table on which the rows of each General stand in the opposite order."""
    t = t.copy()
    size = int(t.params["tokens_per_general"][0])
    state = plain(t.states)
    num_rows = len(state["token_type"])
    old_row = np.concatenate([np.arange(start, start + size)[::-1] for start in range(0, num_rows, size)])
    new_row = np.append(np.argsort(old_row), -1)
    for name in state.dtype.names:
        if name.startswith("token_"):
            moved = t.states[name][0, old_row]
            t.states[name][0] = new_row[moved] if name in ROW_LINKS else moved
        elif name in ROWS_IN_STATE:
            t.states[name][0] = new_row[t.states[name][0]]
    rebuild(t.params[0], record(t.states))
    return t


def both_ways(t: Table, *texts: str) -> Table:
    """Play the texts with rows as they are and turned round; return the table, which shows the same both ways."""
    other = turned_round(t).do(*texts).pass_all()
    t.do(*texts).pass_all()
    assert shown(other) == shown(t)
    return t


def shown(t: Table) -> tuple[object, ...]:
    """Return the position without the order of rows, and what may be done."""
    position = {key: value for key, value in t.dump().items() if key != "procedure"}
    position["unit"] = sorted(position["unit"], key=lambda entry: entry["at"])
    position["battlefield"] = sorted(position["battlefield"], key=lambda entry: entry["at"])
    return position, t.legal(), t.player, t.decision, [(u.employed, u.moved) for u in units_of(t)]


def units_of(t: Table) -> list[UnitView]:
    """Return the units on the board, hex by hex."""
    cells = np.flatnonzero(t.state["cell_unit"] >= 0)
    hexes = (f"{t.params['cell_q'][0, cell]},{t.params['cell_r'][0, cell]}" for cell in cells)
    return [found for cell in hexes if (found := t.unit(cell)) is not None]


A = token("a", armor=2)


def test_a_failed_check_employs_all_attackers_whatever_their_rows():
    for owner in (0, 1):
        units = [unit("a", cell, owner) for cell in ("0,0", "1,1", "0,1")] + [unit("a", "1,0", 1 - owner)]
        t = play([A], units, "T", to_move=owner)
        both_ways(t, "coord_melee", "hex 1,0", "hex 0,0", "hex 1,1", "hex 0,1", "done")
        assert [t.unit(cell).employed for cell in ("0,0", "1,1", "0,1")] == [True] * 3
        assert "coord_melee" not in t.legal()


def test_the_ratings_of_all_attackers_add_up_whatever_their_rows():
    units = [unit("a", cell, 1) for cell in ("0,0", "1,1", "0,1")] + [unit("wall", "1,0")]
    for armor, dies in ((3, True), (4, False)):
        t = play([A, token("wall", armor=armor)], units, "H | H T", to_move=1)
        both_ways(t, "coord_melee", "hex 1,0", "hex 0,0", "hex 1,1", "hex 0,1", "done")
        both_ways(t, "no")
        assert t.casualties(0) == (["wall"] if dies else [])


def test_the_last_row_of_a_full_army_is_a_token_like_any_other():
    sack = {"hand": [], "sack": ["spare"] * 38, "casualties": [], "removed": []}
    fields = [
        {"token": "plain", "at": at, "owner": owner, "controller": owner} for at, owner in (([0, 0], 0), ([4, 0], 1))
    ]
    units = [unit("a", "3,0", 1), unit("a", "0,0")]
    t = play([A], units, to_move=1, fields=fields, general=[sack, sack])
    both_ways(t, "move", "hex 3,0", "hex 4,0")
    assert t.unit("4,0").moved is False  # the next turn has begun
    both_ways(t, "move", "hex 0,0", "hex 1,0")
    both_ways(t, "move", "hex 4,0", "hex 5,0")
    assert t.unit("5,0").id == "a"


def test_coordination_is_dropped_in_the_next_turn_whatever_the_rows():
    units = [unit("a", cell) for cell in ("0,0", "0,1")] + [unit("a", "1,0", 1)]
    t = coordinate(play([A], units, "H H H T"), "coord_melee", "1,0", "0,0", "0,1")
    both_ways(t)
    both_ways(t, "no")
