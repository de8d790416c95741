"""Games played from your own kernels: step, look, sample and play on without returning to Python.

Pass a `Simulator`, made by `Game.simulator`, to a function compiled with numba that calls the kernels of this module.
They call the rules through their machine code (`core.kernels`), so such a function compiles in a second:

    @numba.njit
    def count_turns(simulator, states):
        ids = np.empty(64, np.int64)
        while not is_over(states[0]):
            list_legal(states[0], ids)
            step(simulator, states, ids[0])
        return states[0].turn

Kernels take a game as `states` `(1,)`, such as `games[i : i + 1]`, or as one record `state` if they need no rules.
docs/search_agents.md builds a whole agent with them. They write into arrays of the simulator, so each thread needs
its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.bits import NO_BITS, WORD_BITS, lowest_bit, without_lowest
from sackarmies_env.core.jit import njit
from sackarmies_env.core.kernels import Bundle
from sackarmies_env.core.legal import NO_ACTION, is_allowed
from sackarmies_env.core.rng import seed_streams
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import Command, Outputs, is_over

__all__ = [
    "Evaluation",
    "Policy",
    "Simulator",
    "choose",
    "choose_next",
    "determinize",
    "first_legal",
    "is_legal",
    "is_over",
    "list_legal",
    "look",
    "observe",
    "play_on",
    "read_returns",
    "reseed",
    "run",
    "step",
    "step_checked",
    "value_of",
]


class _SimulatorFields(NamedTuple):
    rules: Any
    sampler: Any
    params: NDArray[np.void]
    commands: NDArray[np.void]
    slots: NDArray[np.void]
    nothing: Outputs
    decision: Outputs
    sight: Outputs
    score: Outputs
    player: NDArray[np.int64]
    seed: NDArray[np.int64]


class Simulator(Bundle, _SimulatorFields):
    """Everything a kernel needs to play a game.

    Attributes:
        rules: the `step_batch` of the game, to be called from kernels, see `core.step_batch`.
        sampler: `Game.determinize`, likewise.
        params: `(1,)`, params of the game.
        commands: `(1,)`, the command to `rules`.
        slots: `(1,)`, the slot of the game that `rules` are called for.
        nothing: outputs of calls that want none.
        decision: outputs of `look`: `action_masks` `(1, num_actions)` int8 and `observations` `(1, size)` int8.
        sight: output of `observe`: `observations`.
        score: output of `read_returns`: `results` `(1, 2, num_players)` float32.
        player: `(1,)` int64, for `sampler`.
        seed: `(1,)` int64, for `sampler`.
    """


class _PolicyFields(NamedTuple):
    choose: Any
    models: Any
    num_models: int
    actions: NDArray[np.int64]


class Policy(Bundle, _PolicyFields):
    """A way to choose actions in simulations.

    Attributes:
        choose: `(models, model, observations, masks, actions)`, a `core.kernels.Kernel`: writes a legal id for each row
            of observations `(n, size)` int8 and masks `(n, num_actions)` int8 into actions `(n,)` int64, by variant
            `model`, int64.
        models: what the variants are made of: an array or a tuple of arrays.
        num_models: how many variants there are.
        actions: `(1,)` int64, which `choose` writes.
    """


class _EvaluationFields(NamedTuple):
    evaluate: Any
    model: NDArray[Any]


class Evaluation(Bundle, _EvaluationFields):
    """An estimate of what positions are worth.

    Attributes:
        evaluate: `(model, params, states, player)`, a `core.kernels.Kernel`: returns the value of `states[0]`, a game
            that is not over, to a player, as their return, float64.
        model: `(1,)`, what it is made of.
    """


# --- the state by itself


@njit
def list_legal(state, actions):
    """Write the legal ids into `actions`, ascending, as many as fit; return how many there are."""
    count = np.int64(0)
    for word in range(len(state.legal)):
        bits = np.uint64(state.legal[word])
        while bits != NO_BITS:
            if count < len(actions):
                actions[count] = word * WORD_BITS + lowest_bit(bits)
            count += 1
            bits = without_lowest(bits)
    return count


@njit
def first_legal(state):
    """Return the lowest legal id; NO_ACTION (-1) once the game is over."""
    for word in range(len(state.legal)):
        bits = np.uint64(state.legal[word])
        if bits != NO_BITS:
            return np.int64(word * WORD_BITS + lowest_bit(bits))
    return np.int64(NO_ACTION)


@njit
def is_legal(state, action):
    """Return whether a number is a legal id; one that is not whole never is."""
    if not 0 <= action < len(state.legal) * WORD_BITS:
        return False
    return action == np.int64(action) and is_allowed(state, np.int64(action))


@njit
def reseed(state, seed):
    """Reseed chance from here on; remaining forced results still come first."""
    seed_streams(state, seed)


# --- the rules


@njit
def run(simulator, states, kind, argument, outputs):
    """Give `states[0]` a command, see `core.step_batch`."""
    command = simulator.commands[0]
    command.kind = kind
    command.argument = argument
    simulator.rules(
        simulator.params,
        states,
        simulator.commands,
        simulator.slots,
        outputs.action_masks,
        outputs.packed_masks,
        outputs.observations,
        outputs.results,
    )


@njit
def step(simulator, states, action):
    """Apply a legal action and advance to the next decision or the end; with an illegal one, behavior is undefined."""
    run(simulator, states, Command.STEP, action, simulator.nothing)


@njit
def step_checked(simulator, states, action):
    """Apply an action if it is legal, else change nothing; return whether it was legal."""
    if is_over(states[0]) or not is_legal(states[0], action):
        return False
    step(simulator, states, action)
    return True


@njit
def look(simulator, states):
    """Write the current player's mask and observation into `simulator.decision`."""
    run(simulator, states, Command.READ, 0, simulator.decision)


@njit(counted=True)
def observe(simulator, states, player):
    """Return the observation of any player, current or not: `(size,)` int8, overwritten by the next call."""
    simulator.slots[0].observing_seat = player
    run(simulator, states, Command.READ, 0, simulator.sight)
    simulator.slots[0].observing_seat = NO_PLAYER
    return simulator.sight.observations[0]


@njit(counted=True)
def read_returns(simulator, states):
    """Return the returns of all players: `(num_players,)` float32, overwritten by the next call."""
    run(simulator, states, Command.READ, 0, simulator.score)
    return simulator.score.results[0, 0]


@njit
def determinize(simulator, states, player, seed):
    """Resample everything that is hidden from a player, including future chance, as `Game.determinize` does."""
    simulator.player[0] = player
    simulator.seed[0] = seed
    simulator.sampler(simulator.params, states, simulator.player, simulator.seed)


# --- play


@njit
def choose(simulator, policy, model):
    """Return the legal id that variant `model` of a policy chooses for the decision that `look` has written."""
    decision = simulator.decision
    policy.choose(policy.models, np.int64(model), decision.observations, decision.action_masks, policy.actions)
    return policy.actions[0]


@njit
def choose_next(simulator, policy, states, model):
    """Return the legal id that variant `model` of a policy chooses; if only one is legal, without a look."""
    if states[0].num_legal == 1:
        return first_legal(states[0])
    look(simulator, states)
    return choose(simulator, policy, model)


@njit
def play_on(simulator, policy, states, models, last_turn):
    """Have a policy play all seats until the game is over or a turn after `last_turn` has begun.

    Args:
        simulator: simulator of the game.
        policy: chooses the actions.
        states: (1,).
        models: (num_players,) integers, the variant of the policy that each seat plays.
        last_turn: a value of the state's `turn`.

    Returns:
        The number of decisions made, including those without a choice.
    """
    count = np.int64(0)
    while not is_over(states[0]) and states[0].turn <= last_turn:
        model = np.int64(models[states[0].current_player] | 0)  # numbers with a fraction have no |: they do not compile
        step(simulator, states, choose_next(simulator, policy, states, model))
        count += 1
    return count


@njit(counted=True)
def value_of(simulator, evaluation, states, player):
    """Return the value of a position to a player, float64: their return if the game is over, else an estimate."""
    if is_over(states[0]):
        return np.float64(read_returns(simulator, states)[player])
    return evaluation.evaluate(evaluation.model, simulator.params, states, player)
