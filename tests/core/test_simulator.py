"""Games played from a user's kernels: the kernels of core.simulator do the same as the methods of Game."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest

from sackarmies_env.core import simulator as sim
from sackarmies_env.core.jit import INTERPRETED, njit
from sackarmies_env.core.kernels import make_kernel
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.simulator import Evaluation, Policy
from sackarmies_env.games.sack_armies import make_game
from tests.core.toy_game import make_duel

ROOT = Path(__file__).resolve().parents[2]
SEED = 2**40 + 7
GAMES = {"duel": lambda: make_duel(3), "sack_armies": make_game}
games = pytest.mark.parametrize("name", ["duel", pytest.param("sack_armies", marks=pytest.mark.slow)])


# --- code that users write, with only numba


@numba.njit
def read_state(states, ids):
    """Return the number of legal ids, the lowest one, and whether the game is over."""
    state = states[0]
    return sim.list_legal(state, ids), sim.first_legal(state), sim.is_over(state)


@numba.njit
def judge(states, actions, verdicts):
    for i in range(len(actions)):
        verdicts[i] = sim.is_legal(states[0], actions[i])


@numba.njit
def step_with_chance(simulator, states, seed, action):
    sim.reseed(states[0], seed)
    sim.step(simulator, states, action)


@numba.njit
def step_if_legal(simulator, states, action):
    return sim.step_checked(simulator, states, action)


@numba.njit
def look_around(simulator, states, player, seen, earned):
    sim.look(simulator, states)
    seen[:] = sim.observe(simulator, states, player)
    earned[:] = sim.read_returns(simulator, states)


@numba.njit
def imagine(simulator, states, player, seed):
    sim.determinize(simulator, states, player, seed)


@numba.njit
def choose_by(simulator, policy, states, model):
    sim.look(simulator, states)
    return sim.choose(simulator, policy, model), sim.choose_next(simulator, policy, states, model)


@numba.njit
def play_and_value(simulator, policy, evaluation, states, models, limits):
    last_turn, player = limits
    count = sim.play_on(simulator, policy, states, models, last_turn)
    return count, sim.value_of(simulator, evaluation, states, player)


# --- a policy and an evaluation


@njit
def choose_ranked(models, model, observations, masks, actions):
    """Choose the legal id whose rank is `models[model]`, or the last one if there are too few."""
    for i in range(len(masks)):
        left = models[model]
        for action in range(masks.shape[1]):
            if masks[i, action] == 1:
                actions[i] = action
                if left == 0:
                    break
                left -= 1


@njit
def count_turns(model, params, states, player):
    return model[0] * states[0].turn + player


def make_policy(game):
    """Return a policy with two variants: the lowest legal id, and the second lowest."""
    models, actions = np.array([0, 1]), np.zeros(1, np.int64)
    seen, masks = np.zeros((1, game.observation_spec.size), np.int8), np.zeros((1, game.num_actions), np.int8)
    return Policy(make_kernel(choose_ranked, models, np.int64(0), seen, masks, actions), models, len(models), actions)


def make_evaluation(game):
    model = np.array([0.25])
    return Evaluation(make_kernel(count_turns, model, game.params, game.new_states(1), 0), model)


def course(game, plies, seed=SEED):
    """Yield the states of a random game; they may be changed."""
    states, rng = game.new_states(1), np.random.default_rng(1)
    game.reset(game.params, states, np.array([seed]))
    for _ in range(plies):
        yield game.clone(states)
        legal = legal_ids(states["legal"][0])
        if not legal:
            return
        game.step(game.params, states, [rng.choice(legal)])


def plies_of(name):
    return 4 if INTERPRETED else {"duel": 40, "sack_armies": 150}[name]


def num_signatures(game):
    return 0 if INTERPRETED else len(game.step_batch.signatures) + len(game.determinize_batch.signatures)


# --- the kernels and the methods of Game


@games
def test_legal_ids_in_kernels_are_those_of_the_state(name):
    game = GAMES[name]()
    ids, few = np.zeros(game.num_actions, np.int64), np.zeros(1, np.int64)
    for states in course(game, plies_of(name)):
        legal = legal_ids(states["legal"][0])
        is_over = bool(states["terminated"][0] or states["truncated"][0])
        assert read_state(states, ids) == (len(legal), legal[0] if legal else -1, is_over)
        assert ids[: len(legal)].tolist() == legal
        assert read_state(states, few)[0] == len(legal)  # no more ids are written than fit
        actions = np.array([-1, *range(0, game.num_actions, 7), *legal, game.num_actions, 2**40])
        verdicts = np.zeros(len(actions), np.bool_)
        judge(states, actions, verdicts)
        assert actions[verdicts].tolist() == [action for action in actions.tolist() if action in legal]


@games
def test_steps_from_kernels_are_those_of_the_game(name):
    game = GAMES[name]()
    simulator, before = game.simulator(), num_signatures(game)
    for number, states in enumerate(course(game, plies_of(name))):
        legal = legal_ids(states["legal"][0])
        wanted = game.clone(states, seeds=[number])
        game.step(game.params, wanted, legal[-1:] or [0])
        given = game.clone(states)
        step_with_chance(simulator, given, number, legal[-1] if legal else 0)
        assert given.tobytes() == wanted.tobytes()
    assert num_signatures(game) == before


@games
def test_checked_steps_from_kernels_refuse_what_is_illegal(name):
    game = GAMES[name]()
    simulator = game.simulator()
    for states in course(game, plies_of(name)):
        legal = legal_ids(states["legal"][0])
        illegal = next(action for action in range(game.num_actions) if action not in legal)
        for action in (illegal, -1, game.num_actions, 2**50):
            given = game.clone(states)
            assert not step_if_legal(simulator, given, action)
            assert given.tobytes() == states.tobytes()
        if legal:
            wanted = game.clone(states)
            game.step(game.params, wanted, legal[:1])
            assert step_if_legal(simulator, states, legal[0])
            assert states.tobytes() == wanted.tobytes()


@games
def test_numbers_that_are_not_whole_are_never_legal(name):
    game = GAMES[name]()
    for states in course(game, 1):
        first = legal_ids(states["legal"][0])[0]
        numbers, verdicts, before = np.array([first, first + 0.5, np.nan]), np.zeros(3, np.bool_), states.tobytes()
        judge(states, numbers, verdicts)
        assert verdicts.tolist() == [True, False, False]
        assert not step_if_legal(game.simulator(), states, first + 0.5)
        assert states.tobytes() == before


@games
def test_looks_from_kernels_are_those_of_the_game(name):
    game = GAMES[name]()
    simulator = game.simulator()
    size, num_players = game.observation_spec.size, game.num_players
    mask, wanted = np.zeros((1, game.num_actions), np.int8), np.zeros((1, size), np.int8)
    seen, returns = np.zeros(size, np.int8), np.zeros((1, num_players), np.float32)
    earned = returns[0].copy()
    for number, states in enumerate(course(game, plies_of(name))):
        player, before = number % num_players, states.tobytes()
        look_around(simulator, states, player, seen, earned)
        assert states.tobytes() == before
        game.observe(game.params, states, [player], wanted)
        assert np.array_equal(seen, wanted[0])
        game.returns(game.params, states, returns)
        assert np.array_equal(earned, returns[0])
        game.legal_actions(game.params, states, mask)
        assert np.array_equal(simulator.decision.action_masks, mask)
        current = int(states["current_player"][0])
        if current >= 0:
            game.observe(game.params, states, [current], wanted)
            assert np.array_equal(simulator.decision.observations, wanted)


@games
def test_samples_from_kernels_are_those_of_the_game(name):
    game = GAMES[name]()
    simulator = game.simulator()
    for number, states in enumerate(course(game, plies_of(name))):
        wanted, player = game.clone(states), number % game.num_players
        game.determinize(game.params, wanted, [player], [number])
        imagine(simulator, states, player, number)
        assert states.tobytes() == wanted.tobytes()


def chosen_in_python(game, states, rank):
    legal = legal_ids(states["legal"][0])
    return legal[min(rank, len(legal) - 1)]


@games
def test_policies_choose_by_variant(name):
    game = GAMES[name]()
    simulator, policy = game.simulator(), make_policy(game)
    for states in course(game, plies_of(name)):
        if states["current_player"][0] >= 0:
            for model in (0, 1):
                assert choose_by(simulator, policy, states, model) == (chosen_in_python(game, states, model),) * 2


@games
def test_playing_on_stops_after_a_turn_and_positions_are_valued(name):
    game = GAMES[name]()
    simulator, policy, evaluation = game.simulator(), make_policy(game), make_evaluation(game)
    models = np.arange(game.num_players) % 2
    stopped = 0
    for number, states in enumerate(course(game, plies_of(name))):
        if number % 10:
            continue
        wanted, count, last_turn = game.clone(states), 0, int(states["turn"][0]) + 1
        while not wanted["terminated"][0] and not wanted["truncated"][0] and wanted["turn"][0] <= last_turn:
            model = models[int(wanted["current_player"][0])]
            game.step(game.params, wanted, [chosen_in_python(game, wanted, model)])
            count += 1
        value = play_and_value(simulator, policy, evaluation, states, models, (last_turn, 1))
        assert states.tobytes() == wanted.tobytes()
        returns = np.zeros((1, game.num_players), np.float32)
        game.returns(game.params, wanted, returns)
        is_over = bool(wanted["terminated"][0] or wanted["truncated"][0])
        stopped += not is_over
        assert value == (count, returns[0, 1] if is_over else 0.25 * wanted["turn"][0] + 1)
    assert stopped > 0 or INTERPRETED


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint64])
def test_variants_of_seats_may_be_integers_of_any_width(kind):
    game = make_duel(3)
    simulator, policy, evaluation = game.simulator(), make_policy(game), make_evaluation(game)
    played = []
    for models in (np.array([0, 1, 1]), np.array([0, 1, 1], kind)):
        [states] = course(game, 1)
        play_and_value(simulator, policy, evaluation, states, models, (3, 1))
        compiled = 0 if INTERPRETED else len(sim.choose_next.overloads)
        played.append((states.tobytes(), compiled))
    assert played[0] == played[1]


def test_variants_of_seats_with_a_fraction_are_refused():
    game = make_duel(3)
    [states] = course(game, 1)
    models = np.array([0.5, 1.0, 1.0])
    with pytest.raises((TypeError, numba.TypingError)):
        play_and_value(game.simulator(), make_policy(game), make_evaluation(game), states, models, (3, 1))


def test_user_kernel_compiles_without_the_rules():
    if INTERPRETED:
        pytest.skip("nothing is compiled")
    game = make_game()
    simulator, states, before = game.simulator(), game.new_states(1), num_signatures(game)
    game.reset(game.params, states, np.array([1]))

    @numba.njit
    def first_step(simulator, states):
        sim.step(simulator, states, sim.first_legal(states[0]))

    started = time.process_time()
    first_step(simulator, states)
    assert time.process_time() - started < 5  # compiling the rules takes a minute
    assert num_signatures(game) == before


def test_the_type_of_a_simulator_is_found_once():
    if INTERPRETED:
        pytest.skip("nothing is compiled")
    simulator = make_duel().simulator()
    kind = numba.typeof(simulator)
    assert numba.typeof(simulator) is kind
    other = simulator._replace(seed=np.zeros(1, np.int64))
    assert numba.typeof(other) == kind


@pytest.mark.slow
def test_kernels_of_ones_own_work_interpreted():
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "not interpreted"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(words, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
