"""Pgx on the CPU: one compiled step of many games, with choices and restarts, at the best of several batch sizes.

XLA uses all cores. A step returns whole states with their masks and observations, so nothing can be optimized away.
"""

from __future__ import annotations

import functools
import os

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset

from benchmarks.contest import Player, best_of, sizes

PACKAGES = ("pgx", "jax", "jaxlib", "numpy")
BATCH_SIZES = {"chess": (16, 128, 1024), "backgammon": (32, 128, 512, 2048)}


def _player(name: str, num_games: int, seed: int) -> Player:
    env = pgx.make(name)
    step_all = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def step(states, key):
        key, choice, chance = jax.random.split(key, 3)
        logits = jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(choice, logits, axis=-1)
        return step_all(states, actions, jax.random.split(chance, num_games)), key

    key = jax.random.PRNGKey(seed)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(key, num_games))

    def play(decisions: int) -> int:
        nonlocal states, key
        steps = -(-decisions // num_games)
        for _ in range(steps):
            states, key = step(states, key)
            jax.block_until_ready(states)  # mask and observation are ready before the next choice
        return steps * num_games

    return Player(play, sizes(env.num_actions, states.observation[0], num_games, os.cpu_count() or 1))


def _best(name: str, seed: int) -> Player:
    return best_of([_player(name, size, seed) for size in BATCH_SIZES[name]])


CONTESTANTS = {name: functools.partial(_best, name) for name in BATCH_SIZES}
