"""Sack Armies in PettingZoo's manner: `env` and `raw_env`; `single_seat_env` and `vector_env` are Gymnasium's.

All take the options of the game, see `sackarmies_env.games.sack_armies.game.make_game`, and those of the environment,
see `sackarmies_env.environments`.
"""

from sackarmies_env.environments import environments_of

__all__ = ["env", "raw_env", "single_seat_env", "vector_env"]

env, raw_env, single_seat_env, vector_env = environments_of("sack_armies")
