"""The greedy General: scores every legal choice by handwritten rules and takes the best."""

from __future__ import annotations

from pathlib import Path

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.compiled import CompiledAgent
from sackarmies_agents.scripted.sack_armies.board import make_board
from sackarmies_agents.scripted.sack_armies.choose import choose_batch, weigh_batch
from sackarmies_agents.scripted.sack_armies.reasons import explain_batch
from sackarmies_agents.scripted.sack_armies.weights import DEFAULT, Weights, load_weights


class GreedyAgent(CompiledAgent):
    """A strong scripted General for any number of players.

    It looks one action ahead: attacks are valued by their odds, and places by what they hold, threaten and promise. It
    sees only the observation and the mask, and keeps nothing between decisions. The seed only breaks ties; with the
    same seed, equal observations give equal choices.
    """

    def __init__(self, info: GameInfo, seed: int = 0, weights: str | Path | Weights = DEFAULT) -> None:
        """Prepare the agent for a game.

        Args:
            info: the game.
            seed: seed for breaking ties.
            weights: the name of a set that comes with the General, the path of a TOML file, or the weights themselves.

        Raises:
            ValueError: the game is not Sack Armies, or there are no such weights.
        """
        chosen = weights if isinstance(weights, Weights) else load_weights(weights)
        super().__init__(info, make_board(info, chosen), choose_batch, seed, weigh_batch, explain_batch)
