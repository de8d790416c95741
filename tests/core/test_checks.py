"""Checks of a batch's arguments: each error has a clear message and changes no game."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.record import make_record
from sackarmies_env.core.step_batch import Command
from sackarmies_env.games.sack_armies import make_game
from tests.core.toy_game import make_duel

GAMES = {"duel": functools.partial(make_duel, 3), "sack_armies": functools.cache(make_game)}
N = 4
NAN = float("nan")


@pytest.fixture(params=GAMES)
def batch(request):
    made = Batch(GAMES[request.param](), N, restarts=False)
    made.reset(np.arange(N))
    return made


def content(batch):
    arrays = (batch.action_masks, batch.observations, batch.returns, batch._slots)
    return [batch.states.view(np.ndarray).tobytes(), *(array.tobytes() for array in arrays)]


def lowest(batch):
    return batch.action_masks.argmax(axis=1)


SEEDS = [
    ([1, 2, 3], r"seeds of shape \(3,\) and dtype int64: expected a list of 4 integers"),
    ([[1, 2, 3, 4]], r"seeds of shape \(1, 4\) and dtype int64: expected a list of 4 integers"),
    ([1.5, 2, 3, 4], r"seeds of shape \(4,\) and dtype float64: expected a list of 4 integers"),
    ([NAN, 2, 3, 4], "dtype float64: expected a list of 4 integers"),
    ([1.0, 2.0, 3.0, 4.0], "dtype float64: expected a list of 4 integers"),
    ([True, False, True, False], "dtype bool: expected a list of 4 integers"),
    (["1", "2", "3", "4"], "dtype <U1: expected a list of 4 integers"),
    ([None] * 4, "dtype object: expected a list of 4 integers"),
    ([[1], [2, 3]], "seeds of type list: expected a list of 4 integers"),
    (5, r"seeds of shape \(\) and dtype int64: expected a list of 4 integers"),
    ("seed", r"seeds of shape \(\)"),
    ([-1, 2, 3, 4], r"seeds contains -1: a seed is an integer from 0 to 2\*\*63 - 1"),
    (
        np.array([1, 2, 3, 2**63], np.uint64),
        r"seeds contains 9223372036854775808: the largest integer allowed is 2\*\*63 - 1",
    ),
    ([2**70, 1, 2, 3], "dtype object: expected a list of 4 integers"),
]


@pytest.mark.parametrize(("seeds", "sentence"), SEEDS)
def test_seeds_are_integers_in_range_one_a_game(batch, seeds, sentence):
    before = content(batch)
    starts = batch.states.copy()
    for begin in (
        batch.reset,
        lambda given: batch.begin_at(given, starts),
        lambda given: batch.forced_starts(given, {}),
    ):
        with pytest.raises(ValueError, match=sentence):
            begin(seeds)
    assert content(batch) == before


@pytest.mark.parametrize(("seeds", "sentence"), SEEDS)
def test_games_reset_only_with_one_seed_for_each_state(seeds, sentence):
    game = make_duel()
    states = game.new_states(4)
    before = states.tobytes()
    with pytest.raises(ValueError, match=sentence):
        game.reset(game.params, states, seeds)
    assert states.tobytes() == before


@pytest.mark.parametrize("seed", [1.0, 1.9, NAN, True, "1", None, [1], 2**63])
def test_games_start_only_with_an_integer_in_range(seed):
    game = make_duel()
    states = game.new_states(1)
    before = states.tobytes()
    with pytest.raises(ValueError, match=r"^seed=.*: it must be an integer from -2\*\*63 to"):
        game.start(states, seed)
    assert states.tobytes() == before
    with pytest.raises(ValueError, match=r"^seed=.*: it must be an integer from -2\*\*63 to"):
        make_record(game, seed, [])


ROWS = [
    ([4], "there is no game 4: rows are 0 to 3"),
    ([0, -1], "there is no game -1: rows are 0 to 3"),
    ([2**62], "there is no game 4611686018427387904"),
    (np.array([2**64 - 1], np.uint64), "rows contains 18446744073709551615: the largest integer"),
    ([0.0], r"rows of shape \(1,\) and dtype float64: expected a list of integers"),
    ([NAN], "dtype float64: expected a list of integers"),
    ([True, False, True, False], "dtype bool: expected a list of integers"),
    ([[0, 1]], r"rows of shape \(1, 2\) and dtype int64"),
    (0, r"rows of shape \(\) and dtype int64"),
    ("all", "rows of shape"),
]


@pytest.mark.parametrize(("rows", "sentence"), ROWS)
def test_rows_are_games_that_exist(batch, rows, sentence):
    before = content(batch)
    count = np.size(rows)
    calls = (
        lambda: batch.reset([1] * count, rows),
        lambda: batch.step([0] * count, rows),
        lambda: batch.step_random(1, rows),
        lambda: batch.play_out(rows),
        lambda: batch.forfeit([0] * count, rows),
        lambda: batch.read(rows),
        lambda: batch.observe([0] * count, rows),
        lambda: batch.are_legal([0] * count, rows),
        lambda: batch.dispatch(Command.READ, rows),
    )
    for call in calls:
        with pytest.raises(ValueError, match=sentence):
            call()
    assert content(batch) == before


def test_a_row_is_given_once(batch):
    before = content(batch)
    actions = lowest(batch)[[1, 2, 1]]
    for call in (
        lambda: batch.step(actions, [1, 2, 1]),
        lambda: batch.reset([1, 2, 3], [1, 2, 1]),
        lambda: batch.step_random(1, [1, 2, 1]),
        lambda: batch.are_legal(actions, [1, 2, 1]),
    ):
        with pytest.raises(ValueError, match=r"^game 1 appears twice in rows: each game may appear once$"):
            call()
    assert content(batch) == before
    batch.step(actions[:2], [1, 2])  # the errors have had no effect


@pytest.mark.parametrize("seat", [-2, 3, 99, 2**40])
def test_seats_exist(batch, seat):
    batch.seats[2] = seat
    before = content(batch)
    for call in (batch.step_random, batch.read, lambda: batch.reset(range(N)), lambda: batch.rollout(2)):
        with pytest.raises(ValueError, match=rf"^seats\[2\] is {seat}: it must be from -1 to [12]$"):
            call()
    assert content(batch) == before
    batch.step_random(1, [0, 1, 3])


@pytest.mark.parametrize(
    ("players", "sentence"),
    [
        ([0, 0, 0, 9], "players contains 9: allowed are"),
        ([0, 0, 0, -2], "players contains -2: allowed are"),
        ([0, 0, 0], r"players of shape \(3,\) and dtype int64: expected a list of 4 integers"),
        ([0.0] * 4, "dtype float64: expected a list of 4 integers"),
    ],
)
def test_players_exist(batch, players, sentence):
    before = content(batch)
    for call in (batch.forfeit, batch.observe):
        with pytest.raises(ValueError, match=sentence):
            call(players)
    assert content(batch) == before
    with pytest.raises(ValueError, match="players contains -1: allowed are 0 to"):
        batch.observe([-1] * 4)  # -1, for no player, cannot observe


def test_actions_are_legal(batch):
    before = content(batch)
    legal = lowest(batch)
    for row in (0, 3):
        for wrong in set(range(batch.game.num_actions + 2)) - set(np.flatnonzero(batch.action_masks[row]).tolist()):
            actions = legal.copy()
            actions[row] = wrong
            assert batch.are_legal(actions).tolist() == [number != row for number in range(N)]
            with pytest.raises(
                ValueError, match=f"^illegal action {wrong} in game {row} at .*; legal are .*no game was"
            ):
                batch.step(actions)
            with pytest.raises(ValueError, match=f"^illegal action {wrong} in game {row} at "):
                batch.step(actions[[1, row]], [1, row])
    assert content(batch) == before
    assert batch.are_legal(legal).all()
    batch.step(legal)
    assert content(batch) != before


def test_legality_is_that_of_the_state_and_not_of_outputs_written_before(batch):
    other = Batch(batch.game, N, restarts=False)
    other.reset(np.arange(50, 50 + N))
    other.step_random(5)
    batch.states[:] = other.states  # written by the caller, without read()
    mine = other.action_masks.argmax(axis=1)
    assert batch.are_legal(mine).all()
    batch.step(mine)
    other.step(mine)
    assert np.array_equal(batch.observations, other.observations)
    batch.rollout(5)  # writes no outputs
    other.states[:] = batch.states
    other.read()
    assert np.array_equal(batch.are_legal(other.action_masks.argmax(axis=1)), other.action_masks.any(axis=1))


@pytest.mark.parametrize("kind", [-1, max(Command) + 1, -(2**40), 2**40])
def test_commands_are_known(batch, kind):
    before = content(batch)
    with pytest.raises(ValueError, match=rf"^unknown command {kind} for game 0: commands are 0 to 7, see core.step_b"):
        batch.dispatch(kind)
    assert content(batch) == before


@pytest.mark.parametrize("player", [-1, 3, 2**40])
def test_players_who_forfeit_exist(batch, player):
    before = content(batch)
    with pytest.raises(ValueError, match=rf"^unknown player {player} to forfeit game 0: players are 0 to [12]$"):
        batch.dispatch(Command.FORFEIT, None, player)
    assert content(batch) == before


@pytest.mark.parametrize("huge", [2**63, 2**70, -(2**70), 10**5000], ids=["2**63", "2**70", "-2**70", "10**5000"])
def test_commands_and_arguments_have_64_bits(batch, huge):
    before = content(batch)
    with pytest.raises(ValueError, match=r"^actions=.*: it must be an integer from -2\*\*63 to 2\*\*63 - 1$"):
        batch.step(huge)
    with pytest.raises(ValueError, match=r"^arguments=.*: it must be an integer from -2\*\*63 to 2\*\*63 - 1$"):
        batch.dispatch(Command.RANDOM, None, huge)
    with pytest.raises(ValueError, match=r"^kinds=.*: it must be an integer from -2\*\*63 to 2\*\*63 - 1$"):
        batch.dispatch(huge)
    assert content(batch) == before


@pytest.mark.parametrize("row", [N, 10**7, -1, -5])
def test_refusal_of_an_unknown_row_raises(batch, row):
    with pytest.raises(ValueError, match=rf"^there is no game {row}: rows are 0 to {N - 1}$"):
        batch.refusal(row, 0)


REFUSED_STARTS = [
    ([5, 6], {"draws": [["nonsense"], []]}, r'^draws\[0\]: "nonsense" is not a result for player 0'),
    ([5, 6], {"flips": "H"}, '^unknown kind of forced results "flips": allowed are "draws"$'),
    ([5, -1], {}, "^seeds contains -1: a seed is an integer"),
]


@pytest.mark.parametrize(("seeds", "forced", "sentence"), REFUSED_STARTS)
def test_games_go_on_after_refused_forced_results(seeds, forced, sentence):
    batch = Batch(make_duel(), 2, restarts=False)
    batch.reset([1, 2])
    batch.step_random()
    before = content(batch)
    with pytest.raises(ValueError, match=sentence):
        batch.begin_at([5, 6], batch.forced_starts(seeds, forced))
    assert content(batch) == before


def test_games_go_on_after_refused_positions():
    batch = Batch(make_duel(), 2, restarts=False)
    batch.reset([1, 2])
    batch.step_random()
    starts = batch.forced_starts([5, 6], {"draws": [["card_2"]]})
    batch.seats[1] = 99
    before = content(batch)
    for rows in (None, [1, 0], [1]):
        count = 2 if rows is None else len(rows)
        with pytest.raises(ValueError, match=r"seats\[1\] is 99"):
            batch.begin_at([5, 6][:count], starts[:count], rows)
    with pytest.raises(ValueError, match=r"^game 0 appears twice in rows"):
        batch.begin_at([5, 6], starts, [0, 0])
    with pytest.raises(ValueError, match=r"^there is no game 2: rows are 0 to 1$"):
        batch.begin_at([5, 6], starts, [0, 2])
    assert content(batch) == before


def test_steps_must_be_a_nonnegative_integer(batch):
    before = content(batch)
    for steps in (1.5, NAN, "3", None, True, -1, 2**63):
        for call in (batch.step_random, batch.rollout):
            with pytest.raises(ValueError, match=r"^steps=.*: it must be an integer of at least 0$"):
                call(steps)
    with pytest.raises(ValueError, match=r"^steps=-1: it must be at least 0$"):
        batch.dispatch(Command.RANDOM, None, -1)
    with pytest.raises(ValueError, match=r"^seeds contains -5: a seed is an integer"):
        batch.dispatch(Command.BEGIN, None, -5)
    with pytest.raises(ValueError, match=r"^arguments of shape \(4,\) and dtype float64: expected a list of 4"):
        batch.dispatch(Command.RANDOM, None, [1.0] * N)
    assert content(batch) == before


@pytest.mark.skipif(INTERPRETED, reason="whole games are slow then")
def test_a_game_that_is_over_stays_as_it_is(batch):
    batch.play_out([1])
    assert not batch.are_legal(lowest(batch))[1]
    before = batch.states[1:2].tobytes()
    batch.step(lowest(batch))
    assert batch.states[1:2].tobytes() == before


def test_observing_seat_acts_only_in_its_turn():
    batch = Batch(make_duel(3), 1, restarts=False)
    batch.reset([1])
    batch.seats[0] = 2  # someone else is the current player
    action = lowest(batch)
    with pytest.raises(
        ValueError, match=r"^action \d in game 0: the observing seat 2 is not the current player; .* read\(\)$"
    ):
        batch.step(action)
    batch.read()
    assert batch.players[0] == 2
    batch.step(lowest(batch))
    batch.forfeit([2])
    assert not batch.action_masks.any()
    assert batch.states["current_player"][0] != -1  # the others play on
    with pytest.raises(ValueError, match="the observing seat 2 is not the current player; either its game is over"):
        batch.step([0])


def test_games_that_have_not_begun_are_not_checked():
    batch = Batch(make_duel(), 2)
    for call in (lambda: batch.observe([0, 0]), lambda: batch.are_legal([0, 0]), lambda: batch.step([0, 0])):
        with pytest.raises(ValueError, match="game 0 has not begun: call reset first"):
            call()
    with pytest.raises(ValueError, match="seeds contains -1"):
        batch.dispatch(Command.BEGIN, [1], [-1])
    batch.reset([3], [0])
    with pytest.raises(ValueError, match="game 1 has not begun"):
        batch.step_random()


def test_an_unchecked_batch_plays_the_same_games(batch):
    free = Batch(batch.game, N, restarts=False, checked=False)
    free.reset(np.arange(N))
    assert (batch.checked, free.checked) == (True, False)
    for _ in range(3):
        actions = lowest(batch)
        for one in (batch, free):
            one.step(actions)
            one.dispatch(Command.SKIP, np.array([0]))
            one.step_random(2, np.array([1, 2]))
        assert content(batch) == content(free)
    free.observations[0, 0] = 7  # the caller may write to its arrays
    assert free.observations[0, 0] == 7


def test_batch_made_with_checks_off_checks_nothing():
    free = Batch(make_duel(3), 2, checked=False)
    free.reset(np.array([1, 2]))
    wrong = int(np.flatnonzero(free.action_masks[0] == 0)[0])
    free.dispatch([Command.STEP, Command.SKIP], None, wrong)  # undefined, as documented; harmless in this game
    with pytest.raises(ValueError, match=f"^illegal action {wrong} in game 0"):
        twin = Batch(make_duel(3), 2)
        twin.reset([1, 2])
        twin.dispatch([Command.STEP, Command.SKIP], None, wrong)
