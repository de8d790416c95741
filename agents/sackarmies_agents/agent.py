"""Interface of agents: given an observation and an action mask, an agent chooses a legal id."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.arguments import MAX_INTEGER, MIN_INTEGER
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.core.record import Belief, Candidate


@dataclass(frozen=True)
class GameInfo:
    """What an agent knows before a game begins: sizes and layouts, but nothing of armies or chance.

    Attributes:
        game_id: name of the game.
        num_players: number of seats.
        num_actions: size of the action space.
        observation_spec: layout of an observation.
        num_types: number of token types that the action space names; 0 if the game has none.
        radius: radius of the hexagonal board; 0 if the game has none.
        network: kind of learned network that reads the observations, see `learned.policy_agent.NETWORKS`.
        zero_sum: whether a loser pays the others, see `Game.zero_sum`; otherwise a loser is taken to earn nothing, like
            those who draw.
    """

    game_id: str
    num_players: int
    num_actions: int
    observation_spec: ObservationSpec
    num_types: int = 0
    radius: int = 0
    network: str = "plain"
    zero_sum: bool = True

    @classmethod
    def of(cls, game: Game) -> GameInfo:
        """Return what agents may know of `game`."""
        hints = find_hook(game.id, "hints")
        declared = {} if hints is None else hints(game)
        sizes = game.num_players, game.num_actions, game.observation_spec
        return cls(game.id, *sizes, zero_sum=game.zero_sum, **declared)

    @property
    def loss(self) -> float:
        """The return of a player who loses; one who wins alone earns 1, and one who draws with all others 0."""
        return -1.0 / max(1, self.num_players - 1) if self.zero_sum else 0.0


@dataclass(frozen=True)
class Report:
    """What an agent says about one of its decisions, for records and viewers; no game depends on it.

    Attributes:
        candidates: legal ids that it considered, best first in its own judgment, each with the probability that its
            policy gives it or the return that it expects from it, where it has these.
        value: the return that it expects for its player; None if it does not say.
        beliefs: what it believes about what is hidden from its player, if it keeps track of that itself.
    """

    candidates: tuple[Candidate, ...] = ()
    value: float | None = None
    beliefs: tuple[Belief, ...] = ()


class InvalidAnswer(ValueError):  # noqa: N818 - it says what happened
    """An agent has answered something that is no action; the text says what, as in "answered 1.5, not an integer"."""


class Agent(ABC):
    """Chooses actions from what one player sees.

    An instance plays one seat of one game at a time and is `reset` before each game. A class that keeps nothing between
    decisions except its random numbers sets `shares_batch`: one instance then plays many games at once, and may be
    reset while some of them are in progress.

    In tournaments, an agent that raises an exception, answers anything but a legal id, or writes into what it is shown
    forfeits the game (docs/decisions/0012-misbehaving-agents.md).
    """

    shares_batch: bool = False
    is_informed: bool = False  # whether `act_informed` is called instead of `act`, see `InformedAgent`

    @abstractmethod
    def reset(self, seed: int) -> None:
        """Forget the previous game and seed the agent's own random numbers.

        Args:
            seed: 0 to 2**63 - 1; the agent's own, which says nothing about chance in the game.
        """

    @abstractmethod
    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Choose an action.

        Args:
            observation: `(size,)` int8, laid out by `GameInfo.observation_spec`. Do not write into it, and do not keep
                it: it may be overwritten.
            action_mask: `(num_actions,)` int8, 1 for legal ids, at least one of them. Do not write into it either.

        Returns:
            A legal id.
        """

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose for `n` games at once.

        Args:
            observations: `(n, size)` int8.
            action_masks: `(n, num_actions)` int8, each row with at least one 1.

        Returns:
            `(n,)` int64, legal ids.

        Raises:
            InvalidAnswer: `act` has answered anything but an integer of 64 bits.
        """
        pairs = zip(observations, action_masks, strict=True)
        return np.array([as_action(self.act(observation, mask)) for observation, mask in pairs], np.int64)

    def report(self) -> Sequence[Report | None]:
        """Report what the agent thought about its last decisions: those of the latest call to an `act` method.

        It is called only where reports are wanted, as by `sackarmies analyze`; agents that report nothing need not
        define it. It must not change later decisions, and has the same time limits as decisions.

        Returns:
            One report per decision, in order, None where there is nothing to say; or an empty sequence.
        """
        return ()


def as_action(answer: Any) -> int:
    """Convert an agent's answer for one decision to an id, not necessarily a legal one.

    Raises:
        InvalidAnswer: it is no integer, or one that does not fit into 64 bits, which no id needs.
    """
    try:
        action = index(answer)
    except TypeError:
        raise InvalidAnswer(f"answered {_shown(answer)}, not an integer") from None
    if not MIN_INTEGER <= action <= MAX_INTEGER:
        raise InvalidAnswer(f"answered an integer of {action.bit_length()} bits, which is not legal")
    return action


def _shown(answer: Any) -> str:
    """Return an answer as reasons show it; of objects that may show where they are in memory, only the type."""
    if isinstance(answer, np.ndarray):
        return f"ndarray of shape {answer.shape} and dtype {answer.dtype}"
    if answer is None or type(answer) in (float, str, bytes) or isinstance(answer, np.number | np.bool_):
        return short_repr(answer)
    return type(answer).__name__


def check_shapes(size: int, num_actions: int, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> None:
    """Refuse observations and masks of another game: kernels would read beyond them.

    Args:
        size: numbers of an observation.
        num_actions: size of the action space.
        observations: should be `(n, size)`.
        action_masks: should be `(n, num_actions)`.

    Raises:
        ValueError: they have other shapes.
    """
    wanted = (len(action_masks), size), (len(action_masks), num_actions)
    if (observations.shape, action_masks.shape) != wanted:
        given = f"{observations.shape} and {action_masks.shape}"
        raise ValueError(f"observations and masks have the shapes {given}, but must be {wanted[0]} and {wanted[1]}")


def check_plays_many(agent: Agent, told: str) -> None:
    """Refuse an agent of which one instance cannot play many games at once from observations.

    Args:
        agent: any agent.
        told: what it was named for, or cannot do, which begins the message: "curve.opponent is 'search'".

    Raises:
        ValueError: it is informed, or keeps state between decisions.
    """
    if agent.is_informed or not agent.shares_batch:
        raise ValueError(
            f"{told}: it must play from observations alone and keep no state between decisions, as greedy does"
        )


class InformedAgent(Agent):
    """An agent that thinks with the game: it is given information sets, from which it can sample states to search.

    What it is given is the same, to the byte, in all positions that its player cannot tell apart.
    """

    is_informed = True

    @abstractmethod
    def act_informed(self, information: InformationSets) -> NDArray[np.int64]:
        """Choose for `n` games at once, in all of which the agent plays the same seat and is the current player.

        Args:
            information: what the agent may know of them: the game, and states that may be the true ones.

        Returns:
            `(n,)` int64, legal ids.
        """

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Refuse to act: an observation is not enough.

        Raises:
            ValueError: always.
        """
        raise ValueError(
            f"{type(self).__name__} chooses by information sets: call act_informed(env.information_set(agent))"
        )
