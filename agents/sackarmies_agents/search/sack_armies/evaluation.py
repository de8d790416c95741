"""What positions of Sack Armies are worth where search stops."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.kernels import make_kernel
from sackarmies_env.core.simulator import Evaluation
from sackarmies_env.games.sack_armies.state.constants import Kind, Zone


@njit
def evaluate(model, params, states, player):
    """Return what a position is worth to a player."""
    s = states[0]
    p = params[0]
    score = 0.0
    for g in range(p.num_generals):
        sign = 1.0 if g == player else -1.0
        start = g * p.tokens_per_general
        for t in range(start, start + p.tokens_per_general):
            z = s.token_zone[t]
            if z == Zone.NONE:
                continue
            ty = s.token_type[t]
            if p.type_kind[ty] == Kind.BATTLEFIELD:
                if z == Zone.BATTLEGROUND and s.token_controller[t] == g:
                    score += sign * model[0]
            elif z == Zone.BATTLEGROUND:
                score += sign * (model[1] + model[2] * p.type_rank[ty])
            elif z == Zone.HAND:
                score += sign * model[3]
            elif z == Zone.SACK:
                score += sign * model[4]
            elif z == Zone.ATTACHED:
                score += sign * model[5]
    return np.tanh(score)


def make_evaluation(game: Game) -> Evaluation:
    """Return the evaluation."""
    model = np.array([0.35, 0.05, 0.06, 0.03, 0.03, 0.02])
    return Evaluation(make_kernel(evaluate, model, game.params, game.new_states(1), np.int64(0)), model)
