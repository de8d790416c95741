"""Checks for authors of games."""

from sackarmies_env.testing.api_test import check_game
from sackarmies_env.testing.perft import perft, perft_divide
from sackarmies_env.testing.random_play import RandomPlay

__all__ = ["RandomPlay", "check_game", "perft", "perft_divide"]
