"""Who plays the other seats: agents by name or object, without knowing any package of agents.

`"random"` is built in. Other names are read by a factory: the one given to `register_agent_factory`, else the one that
an installed package names under the entry point group "sackarmies_env.agents".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game

ENTRY_POINTS = "sackarmies_env.agents"
RANDOM = "random"


@runtime_checkable
class Opponent(Protocol):
    """Whatever chooses actions from what one player sees.

    Where it has a method `reset(seed)`, that is called before each game. Where it has `shares_batch = True`, one
    instance may play several seats and games at once, and its `act_batch(observations, action_masks)` is used.
    """

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Return a legal action for an observation `(size,)` and a mask `(num_actions,)`, int8 both."""
        ...


AgentFactory = Callable[[str, Game], Opponent]
OpponentChoice = str | Opponent | Sequence[str | Opponent]

_registered: list[AgentFactory] = []


def register_agent_factory(factory: AgentFactory) -> None:
    """Let `factory(name, game)` make opponents from names from now on, before all installed packages."""
    _registered[:] = [factory]


def make_opponent(choice: str | Opponent, game: Game) -> Opponent:
    """Return the opponent that a name stands for; an object is returned as it is.

    Raises:
        ValueError: nobody knows the name, or the object cannot act.
    """
    if not isinstance(choice, str):
        if not isinstance(choice, Opponent):
            raise ValueError(f"opponent {choice!r} is neither a name nor has it act(observation, action_mask)")
        return choice
    if choice == RANDOM:
        return RandomOpponent()
    return agent_factory(choice)(choice, game)


def agent_factory(name: str) -> AgentFactory:
    """Return what makes agents from names.

    Raises:
        ValueError: no factory is registered or installed; the sentence speaks of `name`.
    """
    if _registered:
        return _registered[0]
    for entry in entry_points(group=ENTRY_POINTS):
        factory: AgentFactory = entry.load()
        return factory
    raise ValueError(
        f"unknown opponent {name!r}: {RANDOM!r} is built in; others need a package of agents that is installed, "
        "or register_agent_factory()"
    )


def make_opponents(choice: OpponentChoice, game: Game) -> list[Opponent]:
    """Return who plays the other seats, one each, beginning with the seat after the learner's.

    Args:
        choice: a name, of which each seat gets an instance; an object, which plays all the other seats; or a list of
            names and objects, one a seat.
        game: what is played.

    Raises:
        ValueError: a list of the wrong length, or a choice that `make_opponent` refuses.
    """
    seats = game.num_players - 1
    choices: Sequence[str | Opponent]
    choices = list(choice) if isinstance(choice, Sequence) and not isinstance(choice, str) else [choice] * seats
    if len(choices) != seats:
        raise ValueError(
            f"{len(choices)} opponents are given, but {seats} seats are to be played besides the learner's"
        )
    return [make_opponent(one, game) for one in choices]


def reset_opponent(opponent: Opponent, rng: np.random.Generator) -> None:
    """Tell an opponent of a new game, if it wants to know, with a seed of its own."""
    reset: Any = getattr(opponent, "reset", None)
    if reset is not None:
        reset(int(rng.integers(2**31)))


class RandomOpponent:
    """Every legal action is equally likely."""

    shares_batch = True

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start the random numbers from `seed`."""
        self._rng = np.random.default_rng(seed)

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Return a legal action."""
        legal = np.flatnonzero(action_mask)
        return int(legal[self._rng.integers(len(legal))])

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return `(n,)` legal actions, one for each row."""
        return random_actions(action_masks, self._rng)


def random_actions(action_masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a legal action of each row `(n, num_actions)`, each equally likely; rows without one give 0."""
    rows, legal = np.nonzero(action_masks)
    starts = np.searchsorted(rows, np.arange(len(action_masks) + 1))
    counts = np.diff(starts)
    chosen = starts[:-1] + (rng.random(len(counts)) * counts).astype(np.int64)
    return np.where(counts > 0, legal[np.minimum(chosen, len(legal) - 1)], 0) if len(legal) else counts * 0
