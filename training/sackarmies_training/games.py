"""Games from configurations."""

from __future__ import annotations

from sackarmies_env.core.game import Game
from sackarmies_env.registry import load_game
from sackarmies_training.config import GameSection


def build_game(section: GameSection) -> Game:
    """Return the game that a configuration asks for.

    Raises:
        ValueError: an army does not exist or is not legal.
    """
    return load_game(
        "sack_armies",
        num_generals=section.generals,
        armies=section.armies or None,
        switches=section.switches.changed(),
    )
