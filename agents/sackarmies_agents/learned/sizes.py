"""Sizes of networks, and how much advice they take."""

from __future__ import annotations

from dataclasses import dataclass

from sackarmies_env.core.messages import short_repr

OUTCOMES = 3  # win, draw, loss
# Levels of `NetworkSizes.advice`: what another agent would choose; also what ids are worth to it; also why.
CHOICE, WORTHS, REASONS = 1, 2, 3
SIZE_LIMITS = (
    *(("token", 1, 1024), ("mark", 1, 256), ("hidden", 2, 4096), ("patch", 0, 5), ("message", 1, 1024)),
    *(("outcomes", 1, OUTCOMES), ("advice", 0, REASONS), ("early", 0, 8)),
)


@dataclass(frozen=True)
class NetworkSizes:
    """Widths of the layers.

    Attributes:
        token: vector of a token.
        mark: the part of it that is laid out on the ids of actions.
        hidden: context and scoring.
        patch: how far the network sees around a hex.
        message: message of a token to hexes at a distance.
        outcomes: outputs per position: 1, its value; or 3, how likely win, draw and loss are.
        early: number of further scores per id, of what it gains after fewer turns. They only help learning.
        advice: inputs from another agent: 1, its choice; 2, also what each legal id is worth to it; 3, also why.
    """

    token: int = 48
    mark: int = 16
    hidden: int = 128
    patch: int = 2
    message: int = 32
    outcomes: int = 1
    advice: int = 0
    early: int = 0

    def __post_init__(self) -> None:
        """Refuse sizes that no machine has the memory for."""
        for name, least, most in SIZE_LIMITS:
            size = getattr(self, name)
            if not least <= size <= most:
                raise ValueError(f"{name} is {short_repr(size)}, but it must be from {least} to {most}")
        if self.outcomes not in {1, OUTCOMES}:
            raise ValueError(f"outcomes is {self.outcomes}, but it must be 1 or {OUTCOMES}")
