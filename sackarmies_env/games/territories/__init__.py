"""Territories: two to four players, a map to conquer, battles of dice on a battle board, hidden cards."""

from sackarmies_env.games.territories.game import make_game, make_recorded_game
from sackarmies_env.games.territories.scenario.document import load_scenario

__all__ = ["load_scenario", "make_game", "make_recorded_game"]
