"""Tabletop wargames, Sack Armies and Territories, as environments for reinforcement learning and search."""

from sackarmies_env import sack_armies_v0, territories_v0
from sackarmies_env.core import __version__
from sackarmies_env.core.entries import GameEntry
from sackarmies_env.environments import describe_observation, env, environments_of, raw_env, single_seat_env, vector_env
from sackarmies_env.envs.keywords import UnknownOptionError
from sackarmies_env.registry import (
    list_armies,
    list_games,
    list_scenarios,
    load_game,
    load_scenario,
    make,
    register_environments,
    register_game,
)

__all__ = [
    "GameEntry",
    "UnknownOptionError",
    "__version__",
    "describe_observation",
    "env",
    "environments_of",
    "list_armies",
    "list_games",
    "list_scenarios",
    "load_game",
    "load_scenario",
    "make",
    "raw_env",
    "register_game",
    "sack_armies_v0",
    "single_seat_env",
    "territories_v0",
    "vector_env",
]

register_environments()
