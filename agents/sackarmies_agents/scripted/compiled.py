"""Common parts of scripted agents made of kernels: the agent, the policy of simulations, legal ids, tie-breaking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo, check_shapes
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.kernels import make_kernel
from sackarmies_env.core.simulator import Policy
from sackarmies_env.core.state import as_records

TIE = 1e-6  # the most that a tie-break adds
BLOCK, WORD = 64, 8  # ids that are tested together
PLAN_IDS = 2  # ids in a plan
NUM_PARTS = 18  # numbers that explain the worth of an id
NUM_NOTES = 10  # numbers that describe a token
NO_TRAINED = "trained agents cannot play on in this game: name weights of the scripted agent"

Kernel = Callable[..., Any]


class Explanation(NamedTuple):
    """Reasons for an agent's choices, as far as it gives any; each agent defines what the numbers mean.

    Attributes:
        worths: `(k,)` float64, see `CompiledAgent.weigh`.
        plans: `(k, PLAN_IDS)` int64, for each id that begins a longer choice, the ids that it leads to: who acts, and
            where; -1 for none.
        parts: `(k, NUM_PARTS)` float32, the components of the worth of each id; zeros where none are given.
        notes: `(n, rows, NUM_NOTES)` float32, notes on each row of the block `tokens` of the observations.
    """

    worths: NDArray[np.float64]
    plans: NDArray[np.int64]
    parts: NDArray[np.float32]
    notes: NDArray[np.float32]


class CompiledAgent(Agent):
    """An agent whose choices a kernel makes, from observation and mask alone; the seed only breaks ties.

    Args:
        info: the game.
        board: (1,) record with the fields `seed`, `checksum`, `legal` and `num_legal`: the kernel's data and scratch.
        choose_batch: the kernel `(boards, observations, masks, actions)`: it writes a legal id for each row of
            observations `(n, size)` int8 and masks `(n, num_actions)` int8 into actions `(n,)` int64.
        seed: seed for breaking ties.
        weigh_batch: the kernel `(boards, observations, first, actions, worths)`, see `weigh`; None if the agent does
            not say what choices are worth.
        explain_batch: the kernel `(boards, observations, first, actions, worths, plans, parts, notes)`, see `explain`;
            None if the agent gives no reasons.

    Attributes:
        board: see above.
    """

    shares_batch = True

    def __init__(
        self,
        info: GameInfo,
        board: NDArray[np.void],
        choose_batch: Kernel,
        seed: int,
        weigh_batch: Kernel | None = None,
        explain_batch: Kernel | None = None,
    ) -> None:
        self.board = board
        self._shape = info.observation_spec.size, info.num_actions
        self._choose_batch = choose_batch
        self._weigh_batch = weigh_batch
        self._explain_batch = explain_batch
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Set the seed for breaking ties."""
        self.board["seed"][0] = seed % 2**31

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Choose the legal id that is worth most."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Choose an action in each of `n` games.

        Raises:
            ValueError: observations or masks have the wrong shape.
        """
        check_shapes(*self._shape, observations, action_masks)
        actions = np.empty(len(observations), np.int64)
        # Read-only arrays and arrays with gaps are copied: numba would compile the kernel again for them.
        seen, legal = (np.require(array, requirements=["C", "W"]) for array in (observations, action_masks))
        self._choose_batch(self.board, seen, legal, actions)
        return actions

    @property
    def weighs(self) -> bool:
        """Whether the agent can say what choices are worth to it."""
        return self._weigh_batch is not None

    @property
    def explains(self) -> bool:
        """Whether the agent can give reasons."""
        return self._explain_batch is not None

    def weigh(
        self, observations: NDArray[np.int8], counts: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return what legal ids are worth to the agent, `(k,)`; ties aside, it chooses the best.

        Args:
            observations: `(n, size)`.
            counts: `(n,)`, number of ids to weigh for each observation.
            actions: `(k,)`, these ids, observation by observation.

        Raises:
            ValueError: the agent does not say what choices are worth.
        """
        if self._weigh_batch is None:
            raise ValueError(f"{type(self).__name__} does not say what choices are worth")
        worths = np.zeros(len(actions))
        seen, ids = (np.require(array, requirements=["C", "W"]) for array in (observations, actions))
        self._weigh_batch(self.board, seen, np.concatenate([[0], counts.cumsum()]), ids, worths)
        return worths

    def explain(
        self, observations: NDArray[np.int8], counts: NDArray[np.int64], actions: NDArray[np.int64], rows: int
    ) -> Explanation:
        """Return the worths that `weigh` returns, with reasons.

        Args:
            observations: as in `weigh`.
            counts: as in `weigh`.
            actions: as in `weigh`.
            rows: number of rows of the block `tokens`.

        Raises:
            ValueError: the agent gives no reasons.
        """
        if self._explain_batch is None:
            raise ValueError(f"{type(self).__name__} gives no reasons")
        worths, plans = np.zeros(len(actions)), np.empty((len(actions), PLAN_IDS), np.int64)
        parts = np.zeros((len(actions), NUM_PARTS), np.float32)
        notes = np.zeros((len(observations), rows, NUM_NOTES), np.float32)
        seen, ids = (np.require(array, requirements=["C", "W"]) for array in (observations, actions))
        first = np.concatenate([[0], counts.cumsum()])
        self._explain_batch(self.board, seen, first, ids, worths, plans, parts, notes)
        return Explanation(worths, plans, parts, notes)


def boards_of(variants: Iterable[Any], make: Callable[[str], NDArray[np.void]]) -> NDArray[np.void]:
    """Return the boards `(k,)` of variants of a scripted agent; the boards of agents are copied.

    Args:
        variants: weights, by the name of a set or the path of a file, or agents made with them.
        make: function that returns the board `(1,)` for weights.

    Raises:
        ValueError: a variant is neither, but a trained agent.
    """
    boards = []
    for variant in variants:
        if not isinstance(variant, (str, CompiledAgent)):
            raise ValueError(NO_TRAINED)
        boards.append(make(variant) if isinstance(variant, str) else variant.board)
    return as_records(np.concatenate(boards))


def policy_of(game: Game, choose: Kernel, models: Any, num_models: int) -> Policy:
    """Return a `Policy` made of a kernel that chooses with one of its variants; for use in one thread."""
    observations = np.zeros((1, game.observation_spec.size), np.int8)
    masks, actions = np.zeros((1, game.num_actions), np.int8), np.zeros(1, np.int64)
    kernel = make_kernel(choose, models, np.int64(0), observations, masks, actions)
    return Policy(kernel, models, num_models, actions)


@njit(inlined=True)
def is_any_legal(mask, start, size):
    """Return whether any of `size` bytes of a mask is 1; `size` is a constant, so that they are tested together."""
    filled = np.int8(0)
    for i in range(size):
        filled = np.int8(filled | mask[np.uint64(start + i)])
    return filled != 0


@njit(inlined=True)
def list_range(board, mask, start, size, count):
    """Append the legal ids among `size` ids from `start` on to the first `count`; return the new count."""
    for i in range(size):
        action = start + i
        board.legal[np.uint64(count)] = action
        count += mask[np.uint64(action)]
    return count


@njit
def list_legal(board, mask):
    """Write the legal ids into `legal`, in order; most blocks of the mask are empty and skipped at once."""
    count = np.int64(0)
    end = np.int64(len(mask))
    start = np.int64(0)
    while start + BLOCK <= end:
        if is_any_legal(mask, start, BLOCK):
            for first in range(start, start + BLOCK, WORD):
                if is_any_legal(mask, first, WORD):
                    count = list_range(board, mask, first, WORD, count)
        start += BLOCK
    while start + WORD <= end:
        if is_any_legal(mask, start, WORD):
            count = list_range(board, mask, start, WORD, count)
        start += WORD
    board.num_legal = list_range(board, mask, start, end - start, count)


@njit(inlined=True)
def tie_break(board, action):
    """Return a small number that depends only on the seed, the observation and `action`."""
    mixed = (board.seed * 7919 + board.checksum * 271 + action * 104729) % 1000003
    return TIE * ((mixed * mixed + 12345) % 999983) / 999983.0
