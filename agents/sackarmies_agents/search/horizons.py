"""Kernels of labels: what actions are worth in sampled worlds, as it looks after several numbers of turns."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.search.rounds import derived_seed, draw_models, sample_world
from sackarmies_env.core.jit import njit
from sackarmies_env.core.simulator import is_over, play_on, reseed, step, value_of


@njit
def play_turns(simulator, policy, evaluation, states, models, player, first_turn, seed, worths):
    """Let a policy play all seats, and add what positions are worth after each of so many turns.

    Chance is seeded anew in each turn, as searches do.

    Args:
        simulator: of the game.
        policy: plays all seats.
        evaluation: of positions.
        states: (1,), overwritten.
        models: (num_players,) int64, the variant of the policy that each seat plays.
        player: for whom.
        first_turn: the turn at hand; it may be over.
        seed: of chance.
        worths: (t,) float64, added to: worth at the end of the turn at hand, of the next one, and so on. What a game
            that is over earns counts for all turns that it has not had.
    """
    known = np.int64(0)
    while known < len(worths):
        until = len(worths) if is_over(states[0]) else min(len(worths), states[0].turn - first_turn)
        if until > known:
            worth = value_of(simulator, evaluation, states, player)
            for turn in range(known, until):
                worths[turn] += worth
            known = np.int64(until)
        if known < len(worths):
            play_on(simulator, policy, states, models, states[0].turn)
            reseed(states[0], derived_seed(seed, states[0].turn))


@njit(counted=True)
def compare_actions(simulator, policy, evaluation, root, scratch, models, player, actions, seeds, worths):
    """Add what actions are worth after each of so many turns, in some worlds.

    All actions meet the same chance and the same opponents in a world.

    Args:
        simulator: of the game.
        policy: plays all seats.
        evaluation: of positions.
        root: (1,), a state of the player's information set.
        scratch: (2,) states, overwritten.
        models: (num_players,) int64, overwritten.
        player: whose decision it is.
        actions: (k,) int64, legal ids.
        seeds: (w,) int64, of the worlds.
        worths: (k, t) float64, added to.
    """
    for seed in seeds:
        sample_world(simulator, root, scratch[:1], player, seed)
        draw_models(policy, models, player, seed)
        for i in range(len(actions)):
            scratch[1] = scratch[0]
            step(simulator, scratch[1:], actions[i])
            play_turns(simulator, policy, evaluation, scratch[1:], models, player, root[0].turn, seed, worths[i])
