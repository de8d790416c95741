"""Information sets of small games, copies with their own chance, checked steps, and positions put into a batch."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from examples.liars_dice import make_game as make_dice
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.rng import chance_of, seed_streams
from sackarmies_env.core.state import alloc, padding_of, record_dtype
from sackarmies_env.registry import load_game
from sackarmies_env.testing import RandomPlay
from tests.core.toy_game import make_duel

GAMES = {"duel": lambda: make_duel(3), "liars_dice": lambda: make_dice(num_players=3)}
games = pytest.mark.parametrize("name", GAMES)
STREAMS = ("flip_key", "flip_count", "draw_key", "draw_count")


def position(game, plies, seed=3):
    play = RandomPlay(game, seed, max_plies=plies)
    play.play()
    return play.states


def positions(game):
    for plies in range(3 if INTERPRETED else 12):
        yield position(game, plies, seed=plies)


def content(sets):
    """Return the full content of information sets, for comparison."""
    return sets.states.tobytes(), pickle.dumps(sets.game), sets.game.digest, sets.game.params.tobytes(), sets.player


# --- information sets


@games
def test_positions_that_look_alike_have_the_same_information_set(name):
    game = GAMES[name]()
    differing = 0
    for states in positions(game):
        for player in range(game.num_players):
            twin = game.clone(states)
            game.determinize(game.params, twin, [player], [77])
            differing += twin.tobytes() != states.tobytes()
            one, other = (InformationSets.of(game, world, player) for world in (states, twin))
            assert content(one) == content(other)
    assert differing > 5


@games
def test_samples_are_those_of_the_truth(name):
    game = GAMES[name]()
    for states in positions(game):
        for player in range(game.num_players):
            before, sets = states.tobytes(), InformationSets.of(game, states, player)
            assert states.tobytes() == before
            samples = sets.sample([5, 6, 2**63 - 1], [0, 0, 0])
            truth = game.clone(states, [0, 0, 0])
            game.determinize(game.params, truth, [player] * 3, [5, 6, 2**63 - 1])
            assert samples.tobytes() == truth.tobytes()
            assert np.array_equal(sets.states, InformationSets.of(game, states, player).states)


@games
def test_observations_and_masks_are_those_of_the_truth(name):
    game = GAMES[name]()
    for states in positions(game):
        mask, seen = np.zeros((1, game.num_actions), np.int8), np.zeros((1, game.observation_spec.size), np.int8)
        game.legal_actions(game.params, states, mask)
        for player in range(game.num_players):
            sets = InformationSets.of(game, states, player)
            game.observe(game.params, states, [player], seen)
            assert np.array_equal(sets.observations(), seen)
            if states["current_player"][0] == player:
                assert np.array_equal(sets.action_masks(), mask)


def test_bytes_between_the_fields_of_states_do_not_count():
    game = load_game("sack_armies")  # the records of small games have no padding
    states = position(game, 4)
    padding = padding_of(states.dtype)
    assert len(padding) > 0
    copies = states.copy()
    copies.view(np.ndarray).view(np.uint8).reshape(1, -1)[:, padding] = 77
    assert copies.tobytes() != states.tobytes()
    assert content(InformationSets.of(game, copies, 0)) == content(InformationSets.of(game, states, 0))


def test_some_of_the_sets_are_selected_and_sampled_by_row():
    game = make_duel()
    batch = Batch(game, 4)
    batch.reset([1, 2, 3, 4])
    sets = batch.information_sets(1, [3, 1])
    assert len(sets) == 2
    assert sets.select([1]).states.tobytes() == batch.information_sets(1, [1]).states.tobytes()
    together = sets.sample([7, 8, 9], [1, 0, 1])
    assert together[2:].tobytes() == sets.select([1]).sample([9]).tobytes()


def test_invalid_seeds_rows_and_players_are_refused():
    game = make_duel()
    sets = InformationSets.of(game, position(game, 2), 0)
    for seeds, rows, sentence in (
        ([1, 2], None, r"^seeds of shape \(2,\) and dtype int64: expected a list of 1 integer$"),
        ([-1], None, r"^seeds contains -1: a seed is an integer from 0 to 2\*\*63 - 1$"),
        ([1.5], None, r"^seeds of shape \(1,\) and dtype float64"),
        ([1], [1], r"^there is no game 1: rows are 0 to 0$"),
    ):
        with pytest.raises(ValueError, match=sentence):
            sets.sample(seeds, rows)
    with pytest.raises(ValueError, match=r"^player 2 does not exist: players are 0 to 1$"):
        InformationSets.of(game, sets.states, 2)
    for player in (0.5, None, "0", True):
        with pytest.raises(ValueError, match=r"^player=.*: it must be an integer from -2\*\*63 to 2\*\*63 - 1$"):
            InformationSets.of(game, sets.states, player)
    with pytest.raises(ValueError, match=r"^game 0 has not begun: call reset first$"):
        Batch(game, 1).information_sets(0)


def test_what_is_written_into_a_known_game_does_not_reach_the_true_one():
    game = make_duel()
    before = game.params.tobytes(), dict(game.config)
    known = game.known_to(0)
    assert known is game.known_to(0)
    assert known is not game.known_to(1)
    assert known.digest == game.digest
    known.params["max_turns"] = 1
    known.config["num_players"] = 6
    assert (game.params.tobytes(), game.config) == before
    assert game.known_to(1).params.tobytes() == before[0]


# --- copies with their own chance


def test_chance_of_seeds_is_what_seeding_a_state_writes():
    seeds = np.array([0, 1, 2**31, 2**32 + 5, 2**63 - 1])
    given, fields = chance_of(seeds), [(name, np.int64) for name in STREAMS if name.endswith("count")]
    dtype = record_dtype([("flip_key", np.uint32, (2,)), ("draw_key", np.uint32, (2,)), *fields])
    for row, seed in enumerate(seeds.tolist()):
        state = alloc(dtype, 1)
        for name in STREAMS:
            state[name] = 9
        seed_streams(state[0], seed)
        for name in STREAMS:
            assert np.array_equal(given[name][row], state[name][0]), name


def rolled(game, states):
    """Play games on with the lowest legal ids and return the resulting states as bytes."""
    states = game.clone(states)
    for _ in range(20):
        actions = [(legal_ids(legal) or [0])[0] for legal in states["legal"]]
        game.step(game.params, states, actions)
    return [states[row : row + 1].tobytes() for row in range(len(states))]


def test_copies_with_different_seeds_play_different_games():
    game = make_duel()
    states = position(game, 3)
    seeds = [*range(20), *range(20)]
    copies = game.clone(states, [0] * 40, seeds)
    ends = rolled(game, copies)
    assert ends[:20] == ends[20:]
    assert len(set(ends)) == 20
    shared = rolled(game, game.clone(states, [0] * 8))
    assert len(set(shared)) == 1
    for name in copies.dtype.names:
        assert name in STREAMS or (np.asarray(copies[name]) == np.asarray(states[name])).all(), name


def test_copies_are_independent_and_rows_are_checked():
    game = make_duel()
    states = position(game, 3)
    before, copies = states.tobytes(), game.clone(states)
    assert copies.tobytes() == before
    copies["turn"] = 9
    assert states.tobytes() == before
    for rows, seeds, sentence in (
        ([1], None, "^there is no game 1: rows are 0 to 0$"),
        ([-1], None, "^there is no game -1: rows are 0 to 0$"),
        ([0.0], None, r"^rows of shape \(1,\) and dtype float64: expected a list of integers$"),
        ([0, 0], [1], r"^seeds of shape \(1,\) and dtype int64: expected a list of 2 integers$"),
    ):
        with pytest.raises(ValueError, match=sentence):
            game.clone(states, rows, seeds)


# --- checked steps


def test_checked_step_refuses_what_is_illegal_and_changes_nothing():
    game = make_duel()
    states = game.new_states(2)
    game.reset(game.params, states, [1, 2])
    before, legal = states.tobytes(), [legal_ids(one) for one in states["legal"]]
    illegal = next(action for action in range(game.num_actions) if action not in legal[1])
    for action in (illegal, -1, 2**40):
        with pytest.raises(ValueError, match=rf"^illegal action {action} in state 1 at CARD; legal are \[\d"):
            game.step(game.params, states, [legal[0][0], action], checked=True)
        assert states.tobytes() == before
    for actions in ([legal[0][0]], [0.5, 1.0], [[0, 1]]):
        with pytest.raises(ValueError, match=r"^actions of shape .*: expected a list of 2 integers$"):
            game.step(game.params, states, actions, checked=True)
    assert states.tobytes() == before
    unchecked = game.clone(states)
    actions = [one[0] for one in legal]
    game.step(game.params, states, actions, checked=True)
    game.step(game.params, unchecked, actions)
    assert states.tobytes() == unchecked.tobytes() != before


def test_checked_step_leaves_games_that_are_over_as_they_are():
    game = make_duel()
    states = position(game, 1000)
    before = states.tobytes()
    assert states["current_player"][0] == -1
    game.step(game.params, states, [0], checked=True)
    assert states.tobytes() == before


# --- copies in a batch


def test_copies_of_a_position_in_a_batch_have_choices_of_their_own():
    game = make_duel(3)
    states = position(game, 1)
    batch = Batch(game, 32, restarts=False)
    batch.begin_at(np.arange(32), game.clone(states, [0] * 32))
    assert (batch.players == states["current_player"][0]).all()
    assert batch.seeds.tolist() == list(range(32))
    batch.play_out()
    ends = [batch.states[row : row + 1].tobytes() for row in range(32)]
    assert len(set(ends)) > 8
    batch.begin_at(np.arange(32), game.clone(states, [0] * 32))
    batch.play_out()
    assert [batch.states[row : row + 1].tobytes() for row in range(32)] == ends


def test_positions_that_do_not_fit_a_batch_are_refused():
    game = make_duel()
    batch = Batch(game, 2)
    batch.reset([1, 2])
    before = batch.states.tobytes()
    for starts in (position(game, 3), position(make_dice(num_players=2), 0), [1, 2]):
        with pytest.raises(ValueError, match=r"^starts is an? .*, but must be a writable C-contiguous array of recor"):
            batch.begin_at([1, 2], starts)
    assert batch.states.tobytes() == before
