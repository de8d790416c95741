"""The greedy agent of Territories: a rule for each decision, with weights as data."""

from __future__ import annotations

from pathlib import Path

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.compiled import CompiledAgent
from sackarmies_agents.scripted.territories.board import make_board
from sackarmies_agents.scripted.territories.choose import choose_batch
from sackarmies_agents.scripted.territories.weights import DEFAULT, Weights, load_weights


class GreedyAgent(CompiledAgent):
    """A strong scripted agent for any number of players and both maps.

    It gathers troops in one place and attacks where the odds are good. It sees only the observation and the mask, and
    keeps nothing between decisions. The seed only breaks ties; with the same seed, equal observations give equal
    choices.
    """

    def __init__(self, info: GameInfo, seed: int = 0, weights: str | Path | Weights = DEFAULT) -> None:
        """Prepare the agent for a game.

        Args:
            info: the game.
            seed: seed for breaking ties.
            weights: the name of a set that comes with the agent, the path of a TOML file, or the weights themselves.

        Raises:
            ValueError: the game is not Territories, or there are no such weights.
        """
        chosen = weights if isinstance(weights, Weights) else load_weights(weights)
        super().__init__(info, make_board(info, chosen), choose_batch, seed)
