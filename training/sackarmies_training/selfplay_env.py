"""Self-play as a vectorised environment of Stable-Baselines3, straight on the batch kernels.

In each game the learner holds a seat drawn at random and the pool plays the others: a step is one decision of the
learner, and whatever the others decide until it is the learner's turn again.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from sackarmies_agents.agent import Agent
from sackarmies_env.core.advance import RUNNING
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_training.opponents import OpponentPool

Potential = Callable[[NDArray[np.int8]], NDArray[np.float32]]  # observations (k, size) -> (k,)


class SelfPlayEnv(VecEnv):
    """`n` games at once, each against opponents from a pool.

    The reward is what the learner's seat earns, plus `gamma * potential(next) - potential(now)` where a potential is
    given (the potential of an end is 0, so that the best policy stays the best one). A game cut off by a turn limit
    ends like any other: the limit is a rule of the game and visible, so nothing is bootstrapped.
    """

    def __init__(
        self, game: Game, n: int, pool: OpponentPool, seed: int, potential: Potential | None = None, gamma: float = 1.0
    ) -> None:
        """Set up the games; `reset` starts them.

        Args:
            game: what is played.
            n: games at once.
            pool: the opponents.
            seed: of games, seats and opponents.
            potential: value that shaping gives to what the learner sees.
            gamma: discount of the learner, for shaping.
        """
        spec = game.observation_spec
        space = spaces.Box(spec.low, spec.high, dtype=np.int8)
        super().__init__(n, space, spaces.Discrete(game.num_actions))
        self.batch = Batch(game, n, restarts=False)
        self.pool = pool
        self.rng = np.random.default_rng(seed)
        self.outcomes: dict[str, list[float]] = defaultdict(list)  # returns by opponent, since they were last taken
        self._potential = potential
        self._gamma = gamma
        self._rows = np.arange(n)
        self._seat = np.zeros(n, np.int64)  # the learner's
        self._opponents: list[dict[int, tuple[str, Agent]]] = [{} for _ in range(n)]  # by seat
        self._value = np.zeros(n, np.float32)  # potential at the learner's decision
        self._length = np.zeros(n, np.int64)
        self._gain = np.zeros(n)
        self._actions = np.zeros(n, np.int64)
        self._began = time.monotonic()

    # --- what Stable-Baselines3 calls

    def reset(self) -> NDArray[np.int8]:
        """Start new games everywhere and return the observations, `(n, size)`."""
        self._begin(self._rows)
        return self.batch.observations.copy()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the learner's actions, `(n,)`."""
        self._actions = actions.astype(np.int64)

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play on to the learner's next decisions; games that ended are replaced by new ones."""
        rows, batch = self._rows, self.batch
        batch.step(self._actions)
        self._let_others_play(rows)
        dones = self._is_finished(rows)
        rewards = np.where(dones, batch.returns[rows, self._seat], 0).astype(np.float32)
        if self._potential is not None:
            value = np.where(dones, 0, self._potential(batch.observations)).astype(np.float32)
            rewards += self._gamma * value - self._value
            self._value = value
        self._gain += rewards
        self._length += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = rows[dones]
        for row in ended.tolist():
            infos[row] = self._finish(row)
        self._begin(ended)
        return batch.observations.copy(), rewards, dones, infos

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of the learner's decisions, `(n, num_actions)` int8."""
        return self.batch.action_masks

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return `action_masks` of each game; there is no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"self-play has no method {method_name!r} of a single game, only 'action_masks'")
        return [self.action_masks()[row] for row in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Return whether single games have an attribute."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Return an attribute of the environment, once a game."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Refuse: games have no attributes of their own."""
        raise AttributeError(f"self-play lets nobody set {attr_name!r} of a single game")

    def env_is_wrapped(self, wrapper_class: Any, indices: int | Iterable[int] | None = None) -> list[bool]:
        """Return that no game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Start the random numbers anew; without a seed, leave them."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        return [seed] * self.num_envs

    def close(self) -> None:
        """Do nothing: there is nothing to free."""

    # --- play

    def take_outcomes(self) -> dict[str, list[float]]:
        """Return the learner's returns by opponent since the last call."""
        outcomes, self.outcomes = dict(self.outcomes), defaultdict(list)
        return outcomes

    def _begin(self, rows: NDArray[np.int64]) -> None:
        """Start new games in `rows`, until each of them has come to a decision of the learner."""
        fresh = rows
        while len(fresh):
            self._seat[fresh] = self.rng.integers(self.batch.game.num_players, size=len(fresh))
            for row in fresh.tolist():
                seats = [seat for seat in range(self.batch.game.num_players) if seat != self._seat[row]]
                self._opponents[row] = {seat: self.pool.draw(self.rng, row, seat) for seat in seats}
            self.batch.reset(self.rng.integers(2**62, size=len(fresh)), fresh)
            self._let_others_play(fresh)
            fresh = fresh[self._is_finished(fresh)]
        self._gain[rows] = 0
        self._length[rows] = 0
        if self._potential is not None and len(rows):
            self._value[rows] = self._potential(self.batch.observations[rows])

    def _is_finished(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return where the game is over for the learner: ended for all, or the learner is out."""
        finished: NDArray[np.bool_] = (self.batch.ended[rows] != 0) | (
            self.batch.terminations[rows, self._seat[rows]] != 0
        )
        return finished

    def _let_others_play(self, rows: NDArray[np.int64]) -> None:
        """Let opponents act in `rows` until the learner is to act or the game is over for it."""
        while len(rows):
            waiting = ~self._is_finished(rows) & (self.batch.players[rows] != self._seat[rows])
            rows = rows[waiting]
            if len(rows):
                self.batch.step(self._opponents_choose(rows), rows)

    def _opponents_choose(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        groups: dict[int, list[int]] = defaultdict(list)
        agents: dict[int, Agent] = {}
        players = self.batch.players
        for place, row in enumerate(rows.tolist()):
            agent = self._opponents[row][int(players[row])][1]
            agents[id(agent)] = agent
            groups[id(agent)].append(place)
        actions = np.empty(len(rows), np.int64)
        for key, places in groups.items():
            chosen = rows[places]
            actions[places] = agents[key].act_batch(self.batch.observations[chosen], self.batch.action_masks[chosen])
        return actions

    def _finish(self, row: int) -> dict[str, Any]:
        """Count a game that is over for the learner and return what SB3 wants to know of it."""
        earned = float(self.batch.returns[row, self._seat[row]])
        for name, _ in self._opponents[row].values():
            self.outcomes[name].append(earned)
            self.pool.report(name, earned)
        elapsed = round(time.monotonic() - self._began, 3)
        return {"episode": {"r": float(self._gain[row]), "l": int(self._length[row]), "t": elapsed}}
