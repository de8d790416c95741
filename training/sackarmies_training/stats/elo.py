"""Scales of strength: differences in Elo and normalized Elo, and the shares of the points they stand for."""

from __future__ import annotations

import math

from sackarmies_training.ratings import ELO_PER_NAT

# Normalized Elo of one standard deviation of a game, chosen so that it is close to Elo if no game is drawn
# (M. Van den Bergh, "Normalized Elo", https://www.cantate.be/Fishtest/normalized_elo.pdf).
NORMALIZED_PER_DEVIATION = 800.0 / math.log(10.0)


def elo_of(share: float) -> float:
    """Return the difference in Elo at which this share of the points is expected; infinite for 0 and 1."""
    if not 0 < share < 1:
        return math.inf if share >= 1 else -math.inf
    return ELO_PER_NAT * math.log(share / (1 - share))


def share_of(elo: float) -> float:
    """Return the share of the points that is expected at a difference in Elo."""
    return 1 / (1 + math.exp(-elo / ELO_PER_NAT))
