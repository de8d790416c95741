"""Sack Armies: two to six Generals, hidden armies drawn from sacks, a battleground of hexes."""

from sackarmies_env.games.sack_armies.game import make_game, make_recorded_game
from sackarmies_env.games.sack_armies.scenario.document import load_scenario

__all__ = ["load_scenario", "make_game", "make_recorded_game"]
