"""Exact values of small positions: every action and every flip, to the end; and what agents lose there.

This is for zero-sum games of two players, positions in which nothing is hidden, and chance that can be forced in one
queue of equally likely results, such as coins. The tree is searched depth first; positions that differ only in what
happened before count as one (`position_key`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.chance import ForcedKind
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import COMMON_FIELDS, NO_PLAYER, Role, copy_records
from sackarmies_env.core.step_batch import Command, Outputs, dispatch

MAX_NODES = 1_000_000
KEY_BYTES = 16
SAMPLES = 3  # sampled states for each seat, to check that nothing is hidden from it
EVENTS = "public events, latest first"  # part of a state that is only about the past
PAST = ("decisions",)
NOTHING = 1e-9  # differences below this are rounding


class TooLarge(ValueError):  # noqa: N818 - it says what is wrong
    """The tree has more nodes than allowed."""


@dataclass(frozen=True)
class ExactDecision:
    """A decision with the exact values of all its choices.

    Attributes:
        states: `(1,)`, the state of the decision; do not keep it, since it is reused.
        player: the current player.
        actions: legal ids.
        values: `(actions,)`, what `player` can expect after each if both players play best from there on.
    """

    states: Records
    player: int
    actions: tuple[int, ...]
    values: NDArray[np.float64]

    @property
    def value(self) -> float:
        """What the player can expect with the best choice."""
        return float(self.values.max())

    @property
    def matters(self) -> bool:
        """Whether some choice is worse than another."""
        return float(self.values.max() - self.values.min()) > NOTHING

    def regret(self, action: int) -> float:
        """Return how much less a choice gives than the best one."""
        return self.value - float(self.values[self.actions.index(action)])


Visit = Callable[[ExactDecision], None]


@dataclass
class ExactValues:
    """Values of positions by full enumeration.

    Attributes:
        game: a zero-sum game of two players.
        max_nodes: maximum number of decisions to look at.
        visit: called once with each different decision, when its values are known.
        nodes: number of different decisions so far.
    """

    game: Game
    max_nodes: int = MAX_NODES
    visit: Visit | None = None
    nodes: int = 0
    _known: dict[bytes, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a game whose values could not be enumerated.

        Raises:
            ValueError: it is not for two players, is not zero-sum, or does not have exactly one shared kind of chance
                that can be forced.
        """
        if self.game.num_players != 2 or not self.game.zero_sum:
            raise ValueError("exact values are for two players whose returns add up to zero")
        shared = [kind for kind in self.game.forced_kinds if kind.is_shared]
        if len(shared) != 1:
            raise ValueError(
                f"exact values need exactly one shared kind of chance that can be forced, not {len(shared)}"
            )
        self._chance: ForcedKind = shared[0]
        self._results = sorted(set(self._chance.results[0].values()))
        layout = self.game.state_layout
        chance = {part.part for part in COMMON_FIELDS if part.part.startswith("streams")} | {"forced results"}
        self._dropped = [
            part.name
            for part in layout.fields
            if part.part in {EVENTS, *chance} or part.name in PAST or part.role is Role.SCRATCH
        ]

    def value(self, states: Records) -> float:
        """Return what player 0 can expect in `states[0]` if both players play best.

        Raises:
            TooLarge: there are more than `max_nodes` decisions.
            ValueError: something is hidden, or there is chance other than the kind that can be forced.
        """
        player = int(states["current_player"][0])
        if player == NO_PLAYER:
            return self._result(states)
        key = self.position_key(states)
        if key not in self._known:
            self._known[key] = self._decide(states, player)
        return self._known[key]

    def decide(self, states: Records) -> ExactDecision:
        """Return the decision in `states[0]` with the values of its choices; errors as for `value`.

        Raises:
            ValueError: the game is over.
        """
        player = int(states["current_player"][0])
        if player == NO_PLAYER:
            raise ValueError("the game is over: nobody has to decide")
        self._check_nothing_hidden(states)
        actions = self._legal(states)
        sign = 1.0 if player == 0 else -1.0
        values = np.array([sign * self._expect(states, action) for action in actions])
        return ExactDecision(states, player, tuple(actions), values)

    def _decide(self, states: Records, player: int) -> float:
        if self.nodes >= self.max_nodes:
            raise TooLarge(f"there are more than {self.max_nodes:,} decisions: take a smaller position")
        self.nodes += 1
        decision = self.decide(states)
        if self.visit is not None:
            self.visit(decision)
        return decision.value if player == 0 else -decision.value

    def _expect(self, states: Records, action: int) -> float:
        return sum(chance * self.value(after) for chance, after in self.outcomes(states, action))

    def outcomes(self, states: Records, action: int) -> list[tuple[float, Records]]:
        """Return all outcomes of an action in `states[0]`, with probabilities that add up to 1.

        Outcomes are found by forcing: results that were used without having been forced lead to further outcomes, with
        each of their alternatives in turn.
        """
        found: list[tuple[float, Records]] = []
        waiting: list[tuple[int, ...]] = [()]
        first, others = self._results[0], self._results[1:]
        while waiting:
            batch, waiting = waiting, []
            for forced, after, used in self._step(states, action, batch):
                found.append((len(self._results) ** -used, after))
                for more in range(used - len(forced)):
                    waiting += [(*forced, *[first] * more, other) for other in others]
        return found

    def _step(
        self, states: Records, action: int, forced: Sequence[tuple[int, ...]]
    ) -> list[tuple[tuple[int, ...], Records, int]]:
        """Apply an action once for each list of forced results; return each list, the state after it, results used.

        After the forced results, the queue is filled up with the first result of their kind.
        """
        name = self._chance.name
        after = self.game.new_states(len(forced))
        for row, results in enumerate(forced):
            one = after[row : row + 1]
            copy_records(states[:1], one)
            queue = one[f"script_{name}"][0]
            queue[0, :] = self._results[0]
            queue[0, : len(results)] = results
            one[f"script_{name}_end"][0, 0] = queue.shape[1]
            one[f"script_{name}_used"][0, 0] = 0
            one["flip_count"] = one["draw_count"] = 0
        self.game.step(self.game.params, after, np.full(len(forced), action, np.int64))
        if after["flip_count"].any() or after["draw_count"].any():
            raise ValueError(
                f"chance other than {name} decides after {self.game.format_action(states, action)!r}: values by "
                f"enumeration need positions in which {name} are the only chance"
            )
        used = after[f"script_{name}_used"][:, 0].tolist()
        return [(results, after[row : row + 1], used[row]) for row, results in enumerate(forced)]

    def position_key(self, states: Records) -> bytes:
        """Return a key of `states[0]`: a hash of all of it but streams of chance, forced results, log and counters."""
        copy = self.game.new_states(1)
        copy_records(states[:1], copy)
        for name in self._dropped:
            copy[name] = 0
        return hashlib.blake2b(copy.tobytes(), digest_size=KEY_BYTES).digest()

    def _check_nothing_hidden(self, states: Records) -> None:
        """Refuse a state in which something is hidden from a seat: samples of what it may be differ then."""
        for seat in range(2):
            samples = self.game.new_states(SAMPLES)
            for row in range(SAMPLES):
                copy_records(states[:1], samples[row : row + 1])
            self.game.determinize(
                self.game.params, samples, np.full(SAMPLES, seat, np.int64), np.arange(1, SAMPLES + 1, dtype=np.int64)
            )
            keys = {self.position_key(samples[row : row + 1]) for row in range(SAMPLES)}
            if len(keys) > 1:
                raise ValueError(
                    f"player {seat} does not know all of the position at turn {int(states['turn'][0])}: values by "
                    "enumeration need positions in which nothing is hidden"
                )

    def _legal(self, states: Records) -> list[int]:
        mask = np.zeros((1, self.game.num_actions), np.int8)
        dispatch(self.game.step_batch, self.game.params, states[:1], Command.READ, outputs=Outputs(action_masks=mask))
        return [int(action) for action in np.flatnonzero(mask[0])]

    def _result(self, states: Records) -> float:
        returns = np.zeros((1, 2), np.float32)
        self.game.returns(self.game.params, states[:1], returns)
        return float(returns[0, 0])
