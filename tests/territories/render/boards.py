"""Positions of Territories for drawing tests: random ones, played on at random, often into a battle."""

from __future__ import annotations

import random

import numpy as np

from sackarmies_env.core.legal import legal_ids
from tests.territories.builders import Table
from tests.territories.positions import random_table
from tests.territories.referee.random_play import choose

PLIES = 40  # at most, from the position of a seed


def table_of(seed: int) -> Table:
    """Return the position of a seed, played on by warlike random players."""
    table, rng = random_table(seed), random.Random(seed)
    for _ in range(rng.randrange(PLIES)):
        legal = legal_ids(table.states["legal"][0])
        if table.current_player < 0:
            break
        table.game.step(table.game.params, table.states, np.array([choose(rng, legal, "warlike")]))
    return table
