"""Territories: two to four players, a map to conquer, battles of dice on a battle board, hidden cards."""

from sackarmies_env.games.territories.game import make_game

__all__ = ["make_game"]
