"""OpenSpiel's information-set search against random play, on a position of six turns.

python examples/open_spiel_ismcts.py [games] [simulations]
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pyspiel  # type: ignore[import-not-found]
from open_spiel.python.algorithms.ismcts import ISMCTSBot  # type: ignore[import-untyped]
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator  # type: ignore[import-untyped]

from sackarmies_env.adapters import open_spiel  # noqa: F401 - registers the game

POSITION = Path(__file__).resolve().parents[1] / "configs" / "ladder" / "exact" / "one_on_one.toml"


def make_bot(game: pyspiel.Game, simulations: int, seed: int) -> ISMCTSBot:
    """Return a bot that samples worlds and makes choices from a seed."""
    choices, worlds = np.random.RandomState(seed), random.Random(seed)
    bot = ISMCTSBot(game, RandomRolloutEvaluator(1, choices), 1.4, simulations, random_state=choices)
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, worlds.random))
    return bot


def play(game: pyspiel.Game, bot: ISMCTSBot, seat: int, seed: int) -> float:
    """Play a game against random play and return what the bot earned."""
    rng = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
        elif state.current_player() == seat:
            state.apply_action(int(bot.step(state)))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return float(state.returns()[seat])


def mean_return(games: int, simulations: int) -> float:
    """Return the bot's mean return, with half of the games in each seat."""
    game = pyspiel.load_game("python_sackarmies", {"game": {"name": "sack_armies", "scenario": str(POSITION)}})
    results = [play(game, make_bot(game, simulations, seed), seed % 2, seed // 2) for seed in range(games)]
    return float(np.mean(results))


if __name__ == "__main__":
    games, simulations = [int(given) for given in sys.argv[1:3]] or [40, 60]
    mean = mean_return(games, simulations)
    print(f"mean return in {games} games with {simulations} simulations a decision: {mean:+.2f}")
