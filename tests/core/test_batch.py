"""Batches of games: each row equals a single game, whatever the number of rows, threads and decisions per call."""

from __future__ import annotations

import copy
import functools
import json
import os
import pickle
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from sackarmies_env.core.batch import Batch
from sackarmies_env.core.bits import WORD_BITS, count_bits, nth_bit
from sackarmies_env.core.jit import INTERPRETED, njit
from sackarmies_env.core.legal import choose_from_mask, choose_legal, num_words
from sackarmies_env.core.rng import choice_stream, choice_word, following_seed, next_choice
from sackarmies_env.core.state import ERROR_CAPACITY, alloc, record_dtype
from sackarmies_env.core.step_batch import Command, Ending
from sackarmies_env.games.sack_armies import make_game
from tests.core.toy_game import make_duel

ROOT = Path(__file__).resolve().parents[2]
SHORT = INTERPRETED  # interpreted rules of Sack Armies take milliseconds per decision

make_sack_armies = functools.cache(make_game)
GAMES = [functools.partial(make_duel, 3), make_sack_armies, functools.partial(make_sack_armies, num_generals=3)]
both = pytest.mark.parametrize("make", GAMES, ids=["duel", "two", "three"])


def content(batch):
    """Return everything that a batch holds, for comparison."""
    arrays = (batch.action_masks, batch.packed_masks, batch.observations, batch.returns, batch.terminations)
    return [batch.states.view(np.ndarray).tobytes(), batch._slots.tobytes(), *(array.tobytes() for array in arrays)]


def pack_mask(mask):
    """Return a mask `(num_actions,)` in the form of the field `legal`, `(words,)` uint64."""
    padded = np.zeros(num_words(len(mask)) * WORD_BITS, np.uint8)
    padded[: len(mask)] = mask
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


def look(game, states):
    """Return mask, observation, returns and terminations of one game, from its read-only kernels."""
    player = int(states["current_player"][0])
    mask = np.zeros((1, game.num_actions), np.int8)
    seen = np.zeros((1, game.observation_spec.size), np.int8)
    earned, out = np.zeros((1, game.num_players), np.float32), np.zeros((1, game.num_players), np.int8)
    game.legal_actions(game.params, states, mask)
    if player >= 0:
        game.observe(game.params, states, np.array([player]), seen)
    game.returns(game.params, states, earned)
    game.terminations(game.params, states, out)
    return mask[0], seen[0], earned[0], out[0]


def begun(make, n=4, **options):
    batch = Batch(make(), n, **options)
    batch.reset(np.arange(100, 100 + n))
    return batch


# --- copies

COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda batch: pickle.loads(pickle.dumps(batch))}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("options", [{}, {"threads": 2, "packed": True}, {"restarts": False, "checked": False}])
def test_copy_plays_on_as_the_original_does(way, options):
    batch = begun(GAMES[0], 40, **options)
    batch.seats[:20] = 1
    batch.step_random(5)
    twin = COPIES[way](batch)
    assert (twin.threads, twin.checked) == (batch.threads, batch.checked)
    for _ in range(50):
        for one in (batch, twin):
            running = np.flatnonzero(one.players >= 0)
            one.step(one.action_masks[running].argmax(axis=1), running)
        assert content(twin) == content(batch)
        assert twin.players.tolist() == batch.players.tolist()
        assert twin.seats.tolist() == batch.seats.tolist()


@pytest.mark.parametrize("way", COPIES)
def test_copy_and_original_leave_each_other_alone(way):
    batch = begun(GAMES[0], 4, packed=True)
    twin = COPIES[way](batch)
    for moved, other in ((batch, twin), (twin, batch)):
        before, own = content(other), content(moved)
        moved.seats[0] = 2
        moved.step_random(3)
        assert content(other) == before
        assert content(moved) != own


@pytest.mark.parametrize("way", COPIES)
def test_copy_of_games_that_have_not_begun_must_be_reset(way):
    twin = COPIES[way](Batch(GAMES[0](), 2, masks=False, observations=False))
    assert twin.action_masks.shape == twin.observations.shape == (0, 0)
    with pytest.raises(ValueError, match="game 0 has not begun"):
        twin.step_random()
    twin.reset([0, 1])
    twin.step_random()


def test_copy_of_a_pickle_with_buffers_that_can_only_be_read_plays_on():
    batch, buffers = begun(GAMES[0]), []
    saved = pickle.dumps(batch, protocol=5, buffer_callback=buffers.append)
    twin = pickle.loads(saved, buffers=[bytes(one) for one in buffers])
    twin.step_random()
    batch.step_random()
    assert content(twin) == content(batch)


# --- rows are games


@both
def test_each_row_is_the_game_alone(make):
    game, n = make(), 3
    batch = begun(make, n, restarts=False, packed=True)
    alone = [game.new_states(1) for _ in range(n)]
    for row, states in enumerate(alone):
        game.reset(game.params, states, np.array([100 + row]))
    rng = np.random.default_rng(1)
    for _ in range(4 if SHORT else 400):
        for row, states in enumerate(alone):
            assert batch.states[row : row + 1].tobytes() == states.tobytes()
            mask, seen, earned, out = look(game, states)
            assert np.array_equal(batch.action_masks[row], mask)
            assert np.array_equal(batch.packed_masks[row], pack_mask(mask))
            assert np.array_equal(batch.observations[row], seen)
            assert np.array_equal(batch.returns[row], earned)
            assert np.array_equal(batch.terminations[row], out)
            assert batch.players[row] == states["current_player"][0]
            ending = Ending.TRUNCATED if states["truncated"][0] else Ending(int(states["terminated"][0]))
            assert batch.ended[row] == ending
        running = np.flatnonzero(batch.ended == Ending.RUNNING)
        if not len(running):
            break
        actions = np.array([rng.choice(np.flatnonzero(batch.action_masks[row])) for row in running])
        batch.step(actions, running)
        for row, action in zip(running.tolist(), actions, strict=True):
            game.step(game.params, alone[row], np.array([action]))


@both
def test_rows_that_are_skipped_or_not_named_stay_as_they_are(make):
    batch, other = begun(make, 3), begun(make, 3)
    action = int(np.flatnonzero(batch.action_masks[1])[0])
    batch.dispatch([Command.SKIP, Command.STEP, Command.SKIP], None, action)
    other.step(np.array([action]), np.array([1]))
    assert content(batch) == content(other)
    third = begun(make, 3)
    assert batch.states[:1].tobytes() == third.states[:1].tobytes()
    assert batch.states[2:].tobytes() == third.states[2:].tobytes()
    assert np.array_equal(batch.observations[::2], third.observations[::2])


@both
def test_the_number_of_threads_changes_nothing(make):
    n, steps = (40, 2) if SHORT or make is GAMES[0] else (200, 150)
    batches = [begun(make, n, threads=threads, packed=True) for threads in (1, 2, 3)]
    for batch in batches:
        batch.step_random()
        batch.rollout(steps)
        batch.step_random(3, np.arange(5, n))
    assert content(batches[0]) == content(batches[1]) == content(batches[2])


@both
def test_many_random_decisions_in_a_call_are_the_same_one_by_one(make):
    steps = 3 if SHORT else 6000
    together, single, silent = (begun(make, 3) for _ in range(3))
    together.step_random(steps)
    silent.rollout(steps)
    for _ in range(steps):
        single.step_random()
    assert together.states.tobytes() == single.states.tobytes() == silent.states.tobytes()
    assert np.array_equal(together.observations, single.observations)
    assert np.array_equal(together.games, single.games)
    assert np.array_equal(together.seeds, single.seeds)
    if not SHORT:
        assert together.games.sum() > 0
    silent.read()
    assert np.array_equal(silent.observations, single.observations)
    assert np.array_equal(silent.action_masks, single.action_masks)


@both
def test_random_decisions_are_those_of_the_stream_of_choices(make):
    game = make()
    batch = begun(make, 1, restarts=False)
    states, stream = game.new_states(1), np.array([choice_stream(100)])
    game.reset(game.params, states, np.array([100]))
    for _ in range(3 if SHORT else 300):
        mask = look(game, states)[0]
        if not mask.any():
            break
        action = choose_from_mask(stream, mask)
        assert mask[action] == 1
        game.step(game.params, states, np.array([action]))
        batch.step_random()
        assert batch.states.tobytes() == states.tobytes()


# --- ends and beginnings


@pytest.mark.parametrize("make", [GAMES[0], pytest.param(GAMES[1], marks=pytest.mark.skipif(SHORT, reason="too slow"))])
def test_restarts_are_resets_to_the_following_seed(make):
    restarting, plain = begun(make, 6), begun(make, 6, restarts=False)
    ends = 0
    while ends < 8:
        restarting.step_random()
        plain.step_random()
        assert np.array_equal(restarting.ended, plain.ended)
        assert np.array_equal(restarting.returns, plain.returns)
        assert np.array_equal(restarting.terminations, plain.terminations)
        over = np.flatnonzero(plain.ended)
        assert not plain.action_masks[over].any()
        assert not plain.observations[over].any()
        if len(over):
            ends += len(over)
            plain.reset([following_seed(seed) for seed in plain.seeds[over]], over)
        assert restarting.states.tobytes() == plain.states.tobytes()
        assert np.array_equal(restarting.action_masks, plain.action_masks)
        assert np.array_equal(restarting.observations, plain.observations)
    assert restarting.games.sum() == ends
    assert plain.games.sum() == 0


def test_games_are_played_to_their_ends():
    batch = begun(GAMES[0], 20, restarts=False)
    batch.play_out()
    assert (batch.ended == Ending.TERMINATED).all()
    assert (batch.players == -1).all()
    assert (batch.returns.sum(axis=1) == 0).all()
    before = content(batch)
    batch.step_random(3)  # no game has a decision left
    assert content(batch) == before
    with pytest.raises(ValueError, match=r"play_out\(\) requires restarts=False: games that restart never end"):
        begun(GAMES[0]).play_out()


def test_observing_seat_gets_its_own_decisions_and_its_own_end():
    batch = Batch(make_duel(3), 30, restarts=False)
    batch.seats[:] = np.arange(30) % 3
    batch.reset(np.arange(30))
    for _ in range(60):
        running = batch.ended == Ending.RUNNING
        assert np.array_equal(batch.players[running], batch.seats[running])
        out = batch.terminations[np.arange(30), batch.seats]
        assert np.array_equal(out == 1, batch.ended == Ending.TERMINATED)
        assert np.array_equal(batch.observations, batch.observe(batch.seats))
        assert np.array_equal(batch.action_masks.any(axis=1), running)
        batch.step_random(1, np.flatnonzero(running))
    assert not running.any()


def test_observing_seat_continues_with_the_next_game():
    batch = Batch(make_duel(3), 30)
    batch.seats[:] = np.arange(30) % 3
    batch.reset(np.arange(30))
    ends = np.zeros(30, np.int64)
    for _ in range(60):
        batch.step_random()
        ends += batch.ended != Ending.RUNNING
        assert np.array_equal(batch.players, batch.seats)
        assert batch.action_masks.any(axis=1).all()
    assert np.array_equal(batch.games, ends)
    assert ends.min() > 2


@both
def test_player_who_forfeits_is_eliminated(make):
    batch = begun(make, 2, restarts=False)
    batch.forfeit(np.array([0, -1]))
    assert batch.terminations[0, 0] == 1
    assert batch.terminations[1].sum() == 0


@pytest.mark.parametrize("has_chance", [False, True])
def test_scenarios_begin_as_they_do_alone(has_chance):
    scenario = make_sack_armies(scenario="x03_walking_tree").config["scenario"]
    game = make_sack_armies.__wrapped__(scenario={**scenario, "seed": 5} if has_chance else scenario)
    batch = Batch(game, 3)
    batch.reset([7, 8, 9])
    states = game.new_states(3)
    game.reset(game.params, states, np.array([7, 8, 9]))
    assert batch.states.tobytes() == states.tobytes()
    assert (batch.states["flip_key"] == batch.states["flip_key"][0]).all() == has_chance


def test_forced_results_come_first():
    batch = Batch(make_duel(), 2)
    starts = batch.forced_starts([3, 4], {"draws": [["card_2"] * 3]})
    batch.begin_at([3, 4], starts)
    assert (batch.states["cards"][:, 0] == 2).all()
    assert batch.seeds.tolist() == [3, 4]
    other = begun(make_duel, 2)
    other.begin_at([3, 4], starts)
    assert content(batch) == content(other)


@pytest.mark.parametrize("seats", [(-1, -1, -1, -1, -1), (0, 2, 1, 2, 0)])
@pytest.mark.parametrize("restarts", [False, True])
def test_games_begin_at_positions_in_some_rows_and_go_on_in_others(restarts, seats):
    game, rows, plies = make_duel(3), np.array([3, 0, 4]), (1, 5, 1000)
    starts = game.new_states(3)
    game.reset(game.params, starts, [7, 8, 9])
    positions = Batch(game, 3, restarts=False)
    positions.begin_at([7, 8, 9], starts)
    for row, ply in enumerate(plies):
        positions.step_random(ply, [row])
    some, alone, others = (begun(GAMES[0], 5, restarts=restarts, packed=True) for _ in range(3))
    for batch in (some, alone, others):
        batch.seats[:] = seats
        batch.read()
    alone.step_random()  # earlier choices have no effect on later ones
    some.begin_at([11, 12, 13], positions.states.copy(), rows)
    assert some.seeds[rows[:2]].tolist() == [11, 12]
    every_start = others.states.copy()
    every_start[rows] = positions.states
    every_seed = others.seeds.copy()
    every_seed[rows] = [11, 12, 13]
    alone.begin_at(every_seed, every_start)
    for batch in (some, alone, others):
        batch.step_random(3)
    for batch, chosen in ((alone, rows), (others, [1, 2])):
        assert some.states[chosen].tobytes() == batch.states[chosen].tobytes()
        assert some.observations[chosen].tobytes() == batch.observations[chosen].tobytes()
        for name in ("seeds", "players", "ended", "games"):
            assert getattr(some, name)[chosen].tolist() == getattr(batch, name)[chosen].tolist()


def test_players_other_than_the_current_one_can_be_observed():
    batch = begun(GAMES[0], 5)
    others = (batch.players + 1) % 3
    seen = batch.observe(others)
    assert np.array_equal(batch.observe(others[3:], np.array([3, 4])), seen[3:])
    assert not np.array_equal(seen, batch.observations)


# --- choices


@njit
def choose_many(states, streams, out):
    for i in range(len(out)):
        streams[0] = next_choice(streams[0])
        out[i] = choose_legal(states[0], choice_word(streams[0]))


def test_each_legal_id_is_as_likely_as_the_others():
    ids = [0, 5, 63, 64, 100, 127, 129]
    states = alloc(record_dtype([("legal", np.uint64, (3,)), ("num_legal", np.int16)]), 1)
    mask = np.zeros(150, np.int8)
    mask[ids] = 1
    states["legal"][0], states["num_legal"][0] = pack_mask(mask), len(ids)
    chosen, streams = np.zeros(7000, np.int64), np.array([choice_stream(1)])
    choose_many(states, streams, chosen)
    counts = np.bincount(chosen, minlength=150)
    assert np.flatnonzero(counts).tolist() == ids
    chi_square = ((counts[ids] - 1000) ** 2 / 1000).sum()
    assert chi_square < 16.8  # 99 % of fair choices, 6 degrees of freedom
    stream = np.array([choice_stream(1)])
    assert [choose_from_mask(stream, mask) for _ in range(200)] == chosen[:200].tolist()
    assert choose_from_mask(stream, mask * 0) == -1


def test_bits_of_words():
    words = [0, 1, 2**63, 2**64 - 1, 0x8000_0000_0000_0001, 0x00F0_0F00_1010_0101]
    assert [count_bits(np.uint64(word)) for word in words] == [word.bit_count() for word in words]
    for word in words[1:]:
        places = [place for place in range(64) if word >> place & 1]
        assert [nth_bit(np.uint64(word), n) for n in range(len(places))] == places


def test_following_seeds_do_not_meet():
    seeds, chain = {5}, 5
    for _ in range(2000):
        chain = int(following_seed(chain))
        assert 0 <= chain < 2**63
        seeds.add(chain)
    assert len(seeds) == 2001
    assert following_seed(2**63 - 1) == ((2**63 - 1) * 6364136223846793005 + 1442695040888963407) % 2**63


# --- both ways


def digests(steps):
    batch = begun(make_sack_armies, 2, packed=True)
    found = []
    for _ in range(steps):
        batch.step_random(2)
        found.append(sha256(b"".join(content(batch))).hexdigest())
    return found


@pytest.mark.skipif(INTERPRETED, reason="one of the two sides must be compiled")
def test_interpreted_and_compiled_batches_are_the_same():
    program = "import json; from tests.core.test_batch import digests; print(json.dumps(digests(20)))"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == digests(20)


# --- what is refused


def test_faults_of_the_engine_are_reported_with_their_game():
    batch = begun(make_duel, 3)
    batch.states["error"][2] = ERROR_CAPACITY
    with pytest.raises(RuntimeError, match=r"the rules engine reports fault 2 in game 2, of seed 102 "):
        batch.read()


def test_sizes_are_checked():
    with pytest.raises(ValueError, match="n=0: it must be an integer of at least 1"):
        Batch(make_duel(), 0)
    with pytest.raises(ValueError, match="threads=-1: it must be an integer of at least 1"):
        Batch(make_duel(), 2, threads=-1)
    with pytest.raises(ValueError, match=r"seeds of shape \(3,\) and dtype int64: expected a list of 2 integers"):
        Batch(make_duel(), 2).reset([1, 2, 3])
    assert Batch(make_duel(), 2, threads=None).threads >= 1
    nothing = Batch(make_duel(), 2, masks=False, observations=False)
    nothing.reset([1, 2])
    assert nothing.action_masks.size == nothing.packed_masks.size == nothing.observations.size == 0
    assert nothing.players.tolist() == [0, 0]


def test_zero_random_decisions_change_nothing():
    batch = begun(make_duel, 2)
    before = batch.states.tobytes()
    batch.dispatch(Command.RANDOM, None, 0)
    assert batch.states.tobytes() == before


def test_a_game_that_has_not_begun_is_not_played():
    batch = Batch(make_duel(), 2)
    with pytest.raises(ValueError, match="game 0 has not begun: call reset first"):
        batch.step(np.zeros(2, np.int64))
    batch.reset([1], np.array([0]))
    with pytest.raises(ValueError, match="game 1 has not begun"):
        batch.step_random()
    batch.dispatch([Command.STEP, Command.SKIP], None, int(batch.action_masks[0].argmax()))
    batch.states[1:] = batch.states[:1]  # a state written by the caller
    batch.read(np.array([1]))
    twin = batch.states[1:].tobytes()
    batch.step_random(1, np.array([1]))
    assert batch.states[1:].tobytes() != twin
