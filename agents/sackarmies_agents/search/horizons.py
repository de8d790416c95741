"""Kernels for labels: what actions turn out to be worth in sampled worlds, after several numbers of turns."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.search.rounds import derived_seed, draw_models, sample_world
from sackarmies_env.core.jit import njit
from sackarmies_env.core.simulator import is_over, play_on, reseed, step, value_of


@njit
def play_turns(simulator, policy, evaluation, states, models, player, first_turn, horizons, seed, worths):
    """Have a policy play all seats, and add the values of the positions after several numbers of turns.

    Chance is reseeded at each turn, as in searches.

    Args:
        simulator: simulator of the game.
        policy: plays all seats.
        evaluation: evaluation of positions.
        states: (1,), overwritten.
        models: (num_players,) int64, the variant of the policy that each seat plays.
        player: the player for whom positions are valued.
        first_turn: the current turn; it may already be over.
        horizons: (h,) int64, numbers of turns after the current one, ascending.
        seed: seed of chance.
        worths: (h,) float64, added to: the value at the end of the last of these turns. If the game is over by then,
            its return is the value for all turns not played.
    """
    known, turn = np.int64(0), first_turn
    while known < len(horizons):
        if is_over(states[0]) or turn - first_turn > horizons[known]:
            worth = value_of(simulator, evaluation, states, player)
            while known < len(horizons) and (is_over(states[0]) or turn - first_turn > horizons[known]):
                worths[known] += worth
                known += 1
        else:
            play_on(simulator, policy, states, models, turn)
            turn = states[0].turn
            reseed(states[0], derived_seed(seed, turn))


@njit(counted=True)
def compare_actions(simulator, policy, evaluation, root, scratch, models, player, actions, horizons, seeds, worths):
    """Add the values of actions in several worlds, after several numbers of turns.

    All actions face the same chance and the same opponents in a world.

    Args:
        simulator: simulator of the game.
        policy: plays all seats.
        evaluation: evaluation of positions.
        root: (1,), a state of the player's information set.
        scratch: (2,) states, overwritten.
        models: (num_players,) int64, overwritten.
        player: the current player.
        actions: (k,) int64, legal ids.
        horizons: (h,) int64, numbers of turns after the current one, ascending.
        seeds: (w,) int64, seeds of the worlds.
        worths: (k, h) float64, added to.
    """
    turn = root[0].turn
    for seed in seeds:
        sample_world(simulator, root, scratch[:1], player, seed)
        draw_models(policy, models, player, seed)
        for i in range(len(actions)):
            scratch[1] = scratch[0]
            step(simulator, scratch[1:], actions[i])
            play_turns(simulator, policy, evaluation, scratch[1:], models, player, turn, horizons, seed, worths[i])
