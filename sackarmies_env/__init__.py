"""The tabletop wargame Sack Armies as an environment for reinforcement learning and search."""

from sackarmies_env import sack_armies_v0
from sackarmies_env.core import __version__
from sackarmies_env.registry import list_games, load_game, load_scenario, make, register_environments, register_game
from sackarmies_env.sack_armies_v0 import env, raw_env

__all__ = [
    "__version__",
    "env",
    "list_games",
    "load_game",
    "load_scenario",
    "make",
    "raw_env",
    "register_game",
    "sack_armies_v0",
]

register_environments()
