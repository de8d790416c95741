"""Kernels of flat search: sampled worlds, and what candidates are worth in them."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import mix
from sackarmies_env.core.simulator import choose_next, determinize, play_on, step, value_of

MASK63 = np.uint64(0x7FFFFFFFFFFFFFFF)
SPREAD = np.uint64(32)


@njit
def seed_of_world(seed, world):
    """Return the seed of a world of a search, int64: it depends on the seed of the search and the world's number."""
    return np.int64(mix(mix(np.uint64(seed)) ^ (np.uint64(world) << SPREAD)) & MASK63)


@njit
def sample_worlds(simulator, root, worlds, first, last, player, seed):
    """Write states that may be the true one into `worlds`.

    Args:
        simulator: of the game.
        root: (1,), a state of the player's information set.
        worlds: (w,), overwritten from `first` to `last` - 1.
        first: number of the first world.
        last: number behind the last one.
        player: whose information it is.
        seed: of the search.
    """
    for world in range(first, last):
        states = worlds[world : world + 1]
        states[0] = root[0]
        determinize(simulator, states, player, seed_of_world(seed, world))


@njit
def prior_choice(simulator, policy, root, model):
    """Return what a policy chooses in `root` (1,)."""
    return choose_next(simulator, policy, root, model)


@njit
def play_round(simulator, policy, evaluation, worlds, scratch, candidates, models, limits, values):
    """Play each candidate on in some worlds, and write what that was worth.

    All candidates meet the same chance and the same opponents in a world.

    Args:
        simulator: of the game.
        policy: plays all seats.
        evaluation: of the positions where playing on ends.
        worlds: (w,) states.
        scratch: (1,) states, overwritten.
        candidates: (k, 2) int64: a legal id, and its row of `values`.
        models: (w, num_players) int64, the variant of the policy that each seat plays in a world.
        limits: (4,) int64: the first world, the one behind the last, the player, and turns to be played after this one.
        values: (rows, w) float64, overwritten there.

    Returns:
        Decisions played, forced ones included.
    """
    first, last, player, horizon = limits
    decisions = np.int64(0)
    for world in range(first, last):
        last_turn = worlds[world].turn + horizon
        for i in range(len(candidates)):
            scratch[0] = worlds[world]
            step(simulator, scratch, candidates[i, 0])
            decisions += 1 + play_on(simulator, policy, scratch, models[world], last_turn)
            values[candidates[i, 1], world] = value_of(simulator, evaluation, scratch, player)
    return decisions
