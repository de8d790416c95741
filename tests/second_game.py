"""The toy game, registered as a second game to show that code is not tied to a particular game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import gymnasium
import numpy as np
import pettingzoo
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_env.core import entries
from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.registry import register_game

GAME = "duel"
ENVIRONMENT = "sackarmies_env/Duel-v0"
MAKE_GAME = "tests.core.toy_game:make_duel"


@contextmanager
def kept_registries() -> Iterator[None]:
    """Undo all registrations made in the block when it ends."""
    registries = (entries._registered, gymnasium.registry, getattr(pettingzoo, "aec_registry", {}))
    before = [registry.copy() for registry in registries]
    try:
        yield
    finally:
        for registry, kept in zip(registries, before, strict=True):
            registry.clear()
            registry.update(kept)


@contextmanager
def registered(**hooks: object) -> Iterator[None]:
    """Register the toy game for the duration of the block."""
    with kept_registries():
        register_game(GAME, MAKE_GAME, **hooks)
        yield


class HighestCard(Agent):
    """Scripted agent of the toy game, which plays the highest legal id."""

    shares_batch = True

    def __init__(self, info: GameInfo) -> None:
        assert info.game_id == GAME

    def reset(self, seed: int) -> None:
        pass

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        return int(np.flatnonzero(action_mask)[-1])


@dataclass(frozen=True)
class LifePotential:
    """Potential of the toy game: the lives of the observing seat, times a weight."""

    spec: ObservationSpec
    lives: float = 0.0

    def __call__(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        return self.lives * self.spec.view(observations, "players")[:, 0, 0].astype(np.float32)


def pages() -> dict[str, str]:
    """Return the documentation pages of the toy game."""
    return {"cards.md": "# Cards"}


def table_of_one(section: dict[str, object]) -> dict[str, object]:
    """Return options of the toy game from a section in which they have other names."""
    return {"num_players": section.get("num_players", 2), "max_turns": section.get("limit", 60)}
