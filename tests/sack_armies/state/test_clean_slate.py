"""No leftovers: a reset clears all that was in a record, and a new turn all of the action before it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.state import alloc, select
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision, Zone
from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS, clear_states
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.derived import rebuild_derived
from tests.sack_armies.builders.fights import coordinate, play
from tests.sack_armies.builders.random_games import bout_options, random_play
from tests.sack_armies.builders.text_game import TextGame, attachment, token, unit
from tests.sack_armies.builders.twin_worlds import ROW_LINKS, ROWS_IN_STATE, plain, record

OF_AN_ACTION = select(STATE_FIELDS, part=frozenset({"chain", "attack", "activation"}))
ALSO_OF_AN_ACTION = select(STATE_FIELDS, name=frozenset({"token_member", "num_damages"}))
STATS = ("movement", "damage", "armor")
PLIES = 40 if INTERPRETED else 400


@pytest.mark.parametrize("options", [{}, {"num_generals": 3}, {"switches": {"flip_method": "deck_jokers"}}])
def test_reset_does_not_depend_on_the_previous_record(options):
    game = make_game(**options)
    fresh, used = game.new_states(1), game.new_states(1)
    np.asarray(used).view(np.uint8)[:] = np.random.default_rng(3).integers(1, 256, used.nbytes, dtype=np.uint8)
    for states in (fresh, used):
        game.reset(game.params, states, np.array([5]))
    for name in plain(fresh).dtype.names:
        np.testing.assert_array_equal(plain(used)[name], plain(fresh)[name], err_msg=name)
    clear_states(fresh)
    for field in select(STATE_FIELDS, part=frozenset({"forced results", "scratch"})):  # what a reset clears
        np.testing.assert_array_equal(plain(used)[field.name], plain(fresh)[field.name], err_msg=field.name)


def test_returns_overwrite_the_previous_values():
    game = make_game(num_generals=3)
    states, earned = game.new_states(1), np.full((1, 3), 9, np.float32)
    game.reset(game.params, states, np.array([5]))
    game.returns(game.params, states, earned)
    assert not earned.any()


def test_a_position_begins_with_an_empty_log_and_nobody_who_flips_for_initiative():
    state = play([token("a")], [unit("a", "0,0"), unit("a", "3,0", 1)]).state
    assert not state["general_contending"].any()
    for name, empty in (("kind", 0), ("player", -1), ("hex", -1), ("value", 0)):
        assert (state[f"log_{name}"] == empty).all()


@pytest.mark.parametrize("seed", range(0, 8 if INTERPRETED else 48, 2))  # seeds of games that begin in a battle
def test_a_new_turn_clears_the_previous_action(seed):
    game = make_game(**bout_options(seed))
    turns = 0
    for states, _ in random_play(game, seed, PLIES):
        state = plain(states)
        if state["decision"] == Decision.MENU or state["current_player"] < 0:
            turns += 1
            assert_nothing_is_under_way(state)
    assert turns > 0


def assert_nothing_is_under_way(state: Any) -> None:
    """Check that no attack, activation or partial choice is left."""
    for field in OF_AN_ACTION + ALSO_OF_AN_ACTION:
        assert np.all(state[field.name] == field.empty), field.name


def test_a_game_that_ends_in_an_attack_knows_nothing_of_it():
    alone = {"hand": [], "sack": [], "casualties": [], "removed": []}
    t = play([token("a"), token("b")], [unit("a", "0,0"), unit("b", "1,0", 1)], "H T", general=[alone, alone])
    t.do("melee", "hex 0,0", "hex 1,0").pass_all().do("no")
    assert (t.terminated, t.winner) == (True, 0)
    assert_nothing_is_under_way(t.state)


@pytest.mark.parametrize(
    "texts", [("dismiss", "hex 0,0", "hex 3,0"), ("cast", "hex 0,0", "slot 0", "hex 3,0", "hex 4,0")]
)
def test_a_completed_activation_is_cleared(texts):
    shove = {"kind": "relocate", "distance": 2, "who": "target"}
    magic = {"id": "magic", "kind": "spell", "use": "action", "effects": [shove], "target": "enemy_unit", "range": 4}
    mage = token("mage", band="blue", abilities=[{"kind": "dismiss", "range": 4}])
    units = [unit("mage", "0,0", attached=[attachment("magic")]), unit("a", "3,0", 1)]
    t = play([token("a"), mage, magic], units).do(*texts).pass_all()
    assert t.turn == 2
    assert_nothing_is_under_way(t.state)


def test_each_game_of_a_batch_says_who_is_eliminated():
    t = play([token("a")], [unit("a", "0,0"), unit("a", "1,0", 1)], "H T")
    states = alloc(t.states.dtype, 3)
    for i in range(3):
        states[i : i + 1] = t.states
    plain_states = np.asarray(states)
    plain_states["general_alive"][0, 1] = plain_states["general_alive"][2, 0] = 0
    out = entry.results(t.params, states)[:, 1]
    assert out.tolist() == [[0, 1], [0, 0], [1, 0]]


# --- rows


def dealt_anew(t: TextGame, last: bool) -> TextGame:
    """Return a copy of the table with the units of each General in the first rows, or in the last."""
    t = t.copy()
    size = int(t.params["tokens_per_general"][0])
    state = plain(t.states)
    is_unit = (state["token_zone"] == Zone.BATTLEGROUND) & np.isin(
        np.arange(len(state["token_zone"])), state["cell_unit"]
    )
    old_row = np.concatenate(
        [
            start + np.argsort(is_unit[start : start + size] == last, kind="stable")
            for start in range(0, len(is_unit), size)
        ]
    )
    new_row = np.append(np.argsort(old_row), -1)
    for name in state.dtype.names:
        if name.startswith("token_"):
            moved = t.states[name][0, old_row]
            t.states[name][0] = new_row[moved] if name in ROW_LINKS else moved
        elif name in ROWS_IN_STATE:
            t.states[name][0] = new_row[t.states[name][0]]
    rebuild_derived(t.params[0], record(t.states))
    return t


def both_ways(t: TextGame, *texts: str) -> TextGame:
    """Play the texts in three orders of rows, check that the results look the same, and return the table."""
    others = [dealt_anew(t, last).do(*texts).pass_all() for last in (False, True)]
    t.do(*texts).pass_all()
    assert shown(others[0]) == shown(t)
    assert shown(others[1]) == shown(t)
    return t


def shown(t: TextGame) -> tuple[object, ...]:
    """Return the position without the order of rows, the decision, the legal actions, and the stats of units."""
    position = {key: value for key, value in t.dump().items() if key != "procedure"}
    position["unit"] = sorted(position["unit"], key=lambda entry: entry["at"])
    position["battlefield"] = sorted(position["battlefield"], key=lambda entry: entry["at"])
    return (
        position,
        t.legal(),
        t.player,
        t.decision,
        [(*unit, *(t.stat(unit[0], stat) for stat in STATS)) for unit in units_of(t)],
    )


def units_of(t: TextGame) -> list[tuple[str, bool, bool]]:
    """Return hex, employed and moved of the units on the board, hex by hex."""
    found = []
    for cell in np.flatnonzero(t.state["cell_unit"] >= 0):
        where = f"{t.params['cell_q'][0, cell]},{t.params['cell_r'][0, cell]}"
        view = t.unit(where)
        assert view is not None
        found.append((where, view.employed, view.moved))
    return found


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
    assert t.state["token_member"].any()
    both_ways(t, "no")
    both_ways(t, "hex 0,0")  # the attacker that advances
    assert t.turn == 2
    assert not t.state["token_member"].any()


def test_two_attackers_are_enough_whatever_their_rows():
    units = [unit("a", "0,0", 1), unit("a", "0,1", 1), unit("a", "1,0")]
    t = play([A], units, "H | H H T", to_move=1)
    both_ways(t, "coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done")
    other = both_ways(t.copy(), "yes")
    assert (other.player, other.legal()) == (1, ["hex 0,0", "hex 0,1"])  # who takes the counter
    both_ways(t, "no")
    assert t.casualties(0) == ["a"]


def test_an_empty_hex_is_not_mistaken_for_the_last_row():
    banner = token("banner", abilities=[{"kind": "augment", "stat": "armor", "amount": 3}, {"kind": "leadership"}])
    guard = token("guard", movement=0, abilities=[{"kind": "defend"}, {"kind": "range", "range": 2}])
    units = [unit("banner", "3,0", 1), unit("guard", "5,0", 1), unit("guard", "5,-1", 1), unit("a", "-1,0")]
    fields = [
        {"token": "plain", "at": at, "owner": owner, "controller": owner}
        for at, owner in (([0, 0], 0), ([4, 0], 1), ([5, 0], 1))
    ]
    t = play([A, banner, guard], units, to_move=1, fields=fields)
    both_ways(t, "move", "hex 3,0", "hex 3,1")
    assert [t.stat(cell, "armor") for cell in ("5,0", "5,-1", "3,1", "-1,0")] == [1, 1, 1, 2]
    both_ways(t, "move", "hex -1,0", "hex 0,0")
    both_ways(t, "move", "hex 3,1", "hex 4,0")
    assert t.stat("5,0", "armor") == 4  # beside the banner


def test_a_limit_is_satisfied_by_a_unit_in_any_row():
    limit = {"kind": "requires_revealed", "match": {"keyword": "knight"}}
    shy = token("shy", movement=0, limits=[limit], abilities=[{"kind": "augment", "stat": "armor", "amount": 3}])
    units = [unit("knight", "4,0", 1), unit("shy", "2,0", 1), unit("shy", "3,0", 1), unit("a", "0,0")]
    t = play([A, shy, token("knight", keywords=["knight"])], units, to_move=1)
    both_ways(t, "move", "hex 4,0", "hex 4,-1")
    assert [t.stat(cell, "armor") for cell in ("2,0", "3,0")] == [4, 4]
