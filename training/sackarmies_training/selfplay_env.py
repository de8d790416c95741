"""Self-play as a vector environment for Stable-Baselines3, directly on the batch kernels.

In each game the learner has a seat drawn at random, and the pool plays the others. A step is one decision of the
learner and whatever the others decide until the learner is the current player again.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.core.arguments import integers
from sackarmies_env.core.batch import Batch, Rows
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import MAX_RESTARTS, Command, Ending
from sackarmies_env.envs.batch_opponents import ask_shared
from sackarmies_env.envs.failure import EndsOnFailure
from sackarmies_env.envs.opponents import misplay
from sackarmies_env.envs.options import TOO_SHORT
from sackarmies_training.game_curves import GameCurves
from sackarmies_training.labels import DRAW, LOSS, WIN
from sackarmies_training.opponents import OpponentPool

CODES = {1: WIN, 0: DRAW, -1: LOSS}
Potential = Callable[[NDArray[np.int8]], NDArray[np.float32]]  # observations (k, size) -> (k,)


class SelfPlayEnv(EndsOnFailure, VecEnv):
    """`n` games at once, each against opponents from a pool.

    The reward is what the learner's seat earns, plus `gamma * potential(next) - potential(now)` if a potential is
    given (the potential at the end of a game is 0, so that the best policy stays the best). A game truncated by a turn
    limit ends like any other, unless `bootstraps` is on: the limit is a rule of the game and visible.

    After an opponent or the potential has failed (by an illegal action or an exception), no game runs until the next
    `reset`.
    """

    def __init__(  # noqa: PLR0913 - keyword options
        self,
        game: Game,
        n: int,
        pool: OpponentPool | Sequence[str] | Mapping[str, float],
        seed: int = 0,
        potential: Potential | None = None,
        gamma: float = 1.0,
        *,
        bootstraps: bool = False,
        threads: int | None = 1,
    ) -> None:
        """Set up the games; `reset` starts them.

        Args:
            game: the game to play.
            n: number of games played at once.
            pool: the opponents: names of agents, drawn with equal weights; weights by name; or a pool.
            seed: seed of games, seats and opponents.
            potential: potential for shaping, of the learner's observations.
            gamma: the learner's discount, for shaping.
            bootstraps: whether truncated games are reported to SB3 ("TimeLimit.truncated"), which then adds the
                value that the learner expects; their potential at the end is therefore that of the last observation.
            threads: number of threads that play the games; None for all cores that the process may use.
        """
        spec = game.observation_spec
        space = spaces.Box(spec.low, spec.high, dtype=np.int8)
        super().__init__(n, space, spaces.Discrete(game.num_actions))
        self.batch = Batch(game, n, restarts=False, threads=threads)
        self.pool = pool if isinstance(pool, OpponentPool) else pool_of(pool, game)
        self.rng = np.random.default_rng(seed)
        self.results: dict[str, list[int]] = defaultdict(list)  # 1 won, 0 drawn, -1 lost, by opponent, until taken
        self.curves = GameCurves()
        self._potential = potential
        self._gamma = gamma
        self._rows = np.arange(n)
        self._seat = np.zeros(n, np.int64)  # the learner's
        self._agents = np.empty((n, game.num_players), dtype=object)  # the opponents, by seat
        self._names: list[list[str]] = [[] for _ in range(n)]  # of the opponents
        self._bootstraps = bootstraps
        self._value = np.zeros(n, np.float32)  # potential at the learner's decision
        self._length = np.zeros(n, np.int64)
        self._gain = np.zeros(n)
        self._actions = np.zeros(n, np.int64)
        self._began = time.monotonic()
        self._has_begun = False  # whether games are running

    # --- what Stable-Baselines3 calls

    def reset(self) -> NDArray[np.int8]:
        """Start new games everywhere and return the observations, `(n, size)`.

        Raises:
            ValueError: an opponent chose an illegal action, or game after game was over before the learner's first
                decision.
        """
        with self._ending_games_on_failure():
            self._begin(self._rows)
        self._has_begun = True
        return self.batch.observations.copy()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Set the learner's actions, `(n,)`, for `step_wait`.

        Raises:
            ValueError: they are not one integer per game. `step_wait` refuses illegal ones.
        """
        self._actions = integers("actions", actions, self.num_envs)

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play on to the learner's next decisions; games that ended are replaced by new ones.

        Raises:
            ValueError: no games are running, or an action of the learner is illegal, and then no game is changed. Or an
                opponent chose an illegal action; no games are running then.
        """
        self._check_actions()
        with self._ending_games_on_failure():
            return self._play()

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of the learner's decisions, `(n, num_actions)` int8, read-only."""
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
        """Return an attribute of the environment, once per game."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Raise an AttributeError: single games have no attributes to set."""
        raise AttributeError(f"self-play cannot set {attr_name!r} of a single game")

    def env_is_wrapped(self, wrapper_class: Any, indices: int | Iterable[int] | None = None) -> list[bool]:
        """Return that no game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Restart the random generator from a seed; without one, leave it as it is."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        return [seed] * self.num_envs

    def close(self) -> None:
        """Do nothing: there is nothing to free."""

    # --- play

    def _check_actions(self) -> None:
        """Refuse illegal actions of the learner, and any while no games are running."""
        if not self._has_begun:
            raise ValueError("no games are running: call reset() before step()")
        illegal = np.flatnonzero(~self.batch.are_legal(self._actions))
        if len(illegal):
            raise ValueError(self.batch.refusal(int(illegal[0]), int(self._actions[illegal[0]])))

    def _play(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply the learner's actions, and return what `step_wait` does."""
        rows, batch = self._rows, self.batch
        batch.step(self._actions)
        self._let_others_play(rows)
        dones = self._is_finished(rows)
        rewards = np.where(dones, batch.returns[rows, self._seat], 0).astype(np.float32)
        if self._potential is not None:
            value = self._potential_now(self._potential, dones)
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

    def _potential_now(self, potential: Potential, dones: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the potential of each game: 0 if it is over, unless SB3 adds a value to its last reward."""
        batch = self.batch
        value = np.where(dones, 0, potential(batch.observations)).astype(np.float32)
        if self._bootstraps:
            truncated = self._rows[dones & (batch.terminations[self._rows, self._seat] == 0)]
            if len(truncated):
                value[truncated] = potential(batch.observe(self._seat[truncated], truncated))
        return value

    def take_results(self) -> dict[str, list[int]]:
        """Return the learner's results by opponent since the last call: 1 won, 0 drawn, -1 lost."""
        results, self.results = dict(self.results), defaultdict(list)
        return results

    def _begin(self, rows: Rows) -> None:
        """Start new games in `rows`, until each of them has come to a decision of the learner."""
        fresh, batch = rows, self.batch
        for _ in range(MAX_RESTARTS):
            if not len(fresh):
                break
            self._seat[fresh] = self.rng.integers(batch.game.num_players, size=len(fresh))
            for row in fresh.tolist():
                self._invite(row)
            seeds = self.rng.integers(2**62, size=len(fresh))
            batch.reset(seeds, None if len(fresh) == len(batch) else fresh)
            self._let_others_play(fresh)
            fresh = fresh[self._is_finished(fresh)]
        else:
            raise ValueError(TOO_SHORT)
        self._gain[rows] = 0
        self._length[rows] = 0
        if self._potential is not None and len(rows):
            self._value[rows] = self._potential(self.batch.observations[rows])

    def _invite(self, row: int) -> None:
        """Draw the opponents of a game; if all of them are random agents, the kernel plays for them."""
        learner = int(self._seat[row])
        seats = [seat for seat in range(self.batch.game.num_players) if seat != learner]
        drawn = [self.pool.draw(self.rng, row, seat) for seat in seats]
        self._names[row] = [name for name, _ in drawn]
        for seat, (_, agent) in zip(seats, drawn, strict=True):
            self._agents[row, seat] = agent
        at_random = all(isinstance(agent, RandomAgent) for _, agent in drawn)
        self.batch.seats[row] = learner if at_random else NO_PLAYER

    def _is_finished(self, rows: Rows) -> NDArray[np.bool_]:
        """Return where the game is over for the learner: ended for all, or the learner is eliminated."""
        is_out = self.batch.terminations[rows, self._seat[rows]] != 0
        finished: NDArray[np.bool_] = is_out | (self.batch.ended[rows] != Ending.RUNNING)
        return finished

    def _let_others_play(self, rows: Rows) -> None:
        """Have opponents play in `rows` until the learner is the current player or the game is over for it."""
        while len(rows):
            waiting = ~self._is_finished(rows) & (self.batch.players[rows] != self._seat[rows])
            rows = rows[waiting]
            if len(rows):
                kinds, arguments = self._opponents_choose(rows)
                self.batch.dispatch(kinds, rows, arguments)

    def _opponents_choose(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the commands to `rows`, as kinds and arguments, for what the current players do."""
        batch = self.batch
        agents = self._agents[rows, batch.players[rows]].tolist()
        if len(set(map(id, agents))) == 1 and not isinstance(agents[0], RandomAgent):
            return np.full(len(rows), Command.STEP, np.int64), self._ask(agents[0], rows)
        groups: dict[int, tuple[Agent, list[int]]] = {}
        for place, agent in enumerate(agents):
            groups.setdefault(id(agent), (agent, []))[1].append(place)
        kinds, arguments = np.full(len(rows), Command.RANDOM, np.int64), np.ones(len(rows), np.int64)
        for agent, places in groups.values():
            if not isinstance(agent, RandomAgent):
                kinds[places] = Command.STEP
                arguments[places] = self._ask(agent, rows[places])
        return kinds, arguments

    def _ask(self, agent: Agent, rows: Rows) -> NDArray[np.int64]:
        """Return the actions of an opponent in `rows`, from copies of what it sees."""
        batch, name = self.batch, f"answers of the opponent {type(agent).__name__}"
        actions = integers(name, ask_shared(agent, batch, rows), len(rows))
        refused = np.flatnonzero(~batch.are_legal(actions, rows))
        if len(refused):
            fault = misplay(agent, int(actions[refused[0]]), batch.game.num_actions)
            raise ValueError(f"{fault} in game {rows[refused[0]]}")
        return actions

    def _finish(self, row: int) -> dict[str, Any]:
        """Count a game that is over for the learner and return the info that SB3 expects."""
        seat = int(self._seat[row])
        result = result_of(self.batch.returns[row], self.batch.terminations[row] != 0, seat)
        states = self.batch.states[row : row + 1]
        self.curves.add(self.batch.game, states, np.array([[CODES[result]]]), np.array([[seat]]))
        for name in self._names[row]:
            self.results[name].append(result)
            self.pool.report(name, result)
        elapsed = round(time.monotonic() - self._began, 3)
        is_truncated = not self.batch.terminations[row, seat]
        return {
            "episode": {"r": float(self._gain[row]), "l": int(self._length[row]), "t": elapsed},
            "terminal_observation": self.batch.observe(np.array([seat]), np.array([row]))[0],
            "TimeLimit.truncated": self._bootstraps and is_truncated,
        }


def pool_of(opponents: Sequence[str] | Mapping[str, float], game: Game) -> OpponentPool:
    """Return a pool of scripted agents without a past, see `OpponentPool`.

    Args:
        opponents: names of agents, or weights by name.
        game: the game to play.

    Raises:
        ValueError: no opponent is named, or there is no such agent.
    """
    if isinstance(opponents, str) or not opponents:
        raise ValueError(f"opponents must be a list of agent names, such as ['random'], not {short_repr(opponents)}")
    weights = dict(opponents) if isinstance(opponents, Mapping) else dict.fromkeys(opponents, 1.0)
    info = GameInfo.of(game)
    for name in weights:
        make_agent(name, info)  # refuses unknown names now, not when they are drawn
    return OpponentPool(weights, lambda text: make_agent(text, info), past=0.0, size=1)


def result_of(returns: NDArray[np.float32], out: NDArray[np.bool_], seat: int) -> int:
    """Return 1 if a seat won, 0 if it shares the best return with others, -1 if others did better.

    Args:
        returns: `(players,)`, what each player has earned.
        out: `(players,)`, who is out of the game; all are where it was decided. One who is out before others did worse.
        seat: the seat.
    """
    if out[seat] and not out.all():
        return -1
    return int(np.sign(returns[seat] - np.delete(returns, seat).max()))
