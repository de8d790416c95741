"""The vector environment: many games at once, straight on the batch kernels."""

from __future__ import annotations

import copy as copying
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from sackarmies_env.core.game import NO_ACTION, Game
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.envs.batch import Batch
from sackarmies_env.envs.opponents import Opponent, OpponentChoice, make_opponents, random_actions, reset_opponent
from sackarmies_env.envs.options import ILLEGAL_ACTIONS, MAX_SEED, check_choice, forced_results, next_seed
from sackarmies_env.envs.spaces import action_space, observation_space, vector_space

ALL_SEATS = "all"
RANDOM_SEAT = "random"
MAX_RESTARTS = 100  # of a game that is over before the learner's first decision
Observations = dict[str, NDArray[np.int8]] | NDArray[np.int8]
Transition = tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class BatchEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` games of one kind, of which the learner plays one seat each, or all seats.

    With one seat, a step is a decision of the learner and all that others decide until it is to act again, as in
    `SingleSeatEnv`. With `seat="all"` it is one decision of whoever is to act: the reward is what that player earned by
    it, `infos["player"]` says who acts next and `infos["rewards"]` `(num_envs, num_players)` what each earned.

    Games that are over are replaced in the same step (`AutoresetMode.SAME_STEP`): `infos["final_obs"]` and
    `infos["final_info"]` hold the last observation, and the seat and the returns of all players. Masks are in
    `infos["action_mask"]`, given by `action_masks()`, and part of observations unless `mask_in_observation` is off.

    Arrays that `reset` and `step` return are overwritten by the next step, unless `copy` is on.

    Args:
        game: what is played.
        num_envs: number of games.
        opponent: who plays the other seats, as in `SingleSeatEnv`; not used where the learner plays all seats. An
            object without `shares_batch` is copied for each game.
        seat: the learner's seat, "random" for another one each game, or "all".
        illegal_action: as in `Options`.
        illegal_penalty: for "penalise".
        mask_in_observation: whether observations are dicts of vectors and masks, or the vectors alone.
        copy: whether returned arrays stay as they are.

    Raises:
        ValueError: an option has a value that is not allowed.
    """

    def __init__(  # noqa: PLR0913 - keyword options
        self,
        game: Game,
        num_envs: int = 1,
        *,
        opponent: OpponentChoice = "random",
        seat: int | str = RANDOM_SEAT,
        illegal_action: str = "raise",
        illegal_penalty: float = 0.1,
        mask_in_observation: bool = True,
        copy: bool = False,
    ) -> None:
        check_choice("seat", seat, (ALL_SEATS, RANDOM_SEAT, *range(game.num_players)))
        check_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        if not isinstance(num_envs, int) or num_envs < 1:
            raise ValueError(f"num_envs={num_envs!r}: it must be an integer of at least 1")
        self.game = game
        self.num_envs = num_envs
        self.seat_choice = seat
        self.illegal_action = illegal_action
        self.illegal_penalty = illegal_penalty
        self.mask_in_observation = mask_in_observation
        self.copy = copy
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.single_observation_space: spaces.Space[Any]
        self.single_observation_space = observation_space(game) if mask_in_observation else vector_space(game)
        self.single_action_space = action_space(game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.opponents = [] if seat == ALL_SEATS else _batch_opponents(opponent, game, num_envs)
        self.batch = Batch(game, num_envs)
        self.seats = np.zeros(num_envs, np.int64)  # whose observations are returned
        self._paid = np.zeros((num_envs, game.num_players), np.float32)  # of the returns, given out as rewards
        self._rows = np.arange(num_envs)

    # --- Gymnasium

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Start all games anew.

        Args:
            seed: of the first game; those after it have seed + 1, seed + 2, ... A list gives each its own. None goes on
                from the last one given.
            options: forced results "flips" and "draws", as in the PettingZoo environment; for the first games only.

        Raises:
            ValueError: a seed out of range, or forced results that the game cannot take.
        """
        flips, draws = forced_results(options)
        seeds = self._first_seeds(seed)
        if flips or draws:
            self.batch.begin_forced(seeds, flips, draws)
        else:
            self.batch.begin(self._rows, seeds)
        for opponent in {id(one): one for seat in self.opponents for one in seat}.values():
            reset_opponent(opponent, self.np_random)
        self._settle(self._rows)
        return self._observed(), self._infos()

    def _first_seeds(self, seed: int | Sequence[int] | None) -> NDArray[np.int64]:
        if isinstance(seed, Sequence | np.ndarray):
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds are given for {self.num_envs} games")
            seeds = [next_seed(one, None)[0] for one in seed]
            self._np_random = np.random.default_rng(seeds)
        else:
            first, self._np_random = next_seed(seed, self._np_random)
            seeds = [(first + row) & MAX_SEED for row in range(self.num_envs)]
        self._np_random_seed = seed if isinstance(seed, int) else -1
        return np.array(seeds, np.int64)

    def step(self, actions: Any) -> Transition:
        """Apply one decision in each game.

        Args:
            actions: `(num_envs,)` integers.

        Raises:
            ValueError: not that many integers; or an illegal action, with `illegal_action="raise"`, and then nothing is
                changed in any game.
        """
        chosen = self._check(actions)
        batch, actors = self.batch, self.batch.players.astype(np.int64)
        rewards = self._take_illegal(chosen)
        batch.play(self._rows, chosen)
        self._play_others(self._rows)
        earned = batch.returns - self._paid
        self._paid[...] = batch.returns
        whose = actors if self.seat_choice == ALL_SEATS else self.seats
        rewards += earned[self._rows, whose]
        terminations, truncations = self._endings()
        ends = self._finish(np.flatnonzero(terminations | truncations), whose)
        infos = self._infos() | ends
        if self.seat_choice == ALL_SEATS:
            infos["rewards"] = earned
        return self._observed(), rewards, terminations, truncations, infos

    def _check(self, actions: Any) -> NDArray[np.int64]:
        """Return the actions as integers, -1 for those that cannot be an id."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or not np.issubdtype(chosen.dtype, np.integer):
            raise ValueError(
                f"actions of shape {chosen.shape} and dtype {chosen.dtype}: {self.num_envs} integers are wanted"
            )
        if not self.batch.action_masks.any(axis=1).all():
            raise ValueError("no games are running: call reset() before step()")
        return np.where((chosen >= 0) & (chosen < self.game.num_actions), chosen, -1).astype(np.int64)

    def _take_illegal(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """Do what the option says with illegal actions, replace them in `chosen`, and return the penalties to pay."""
        batch, rewards = self.batch, np.zeros(self.num_envs)
        rows = np.flatnonzero((chosen < 0) | (batch.action_masks[self._rows, chosen] == 0))
        if not len(rows):
            return rewards
        if self.illegal_action == "raise":
            row = int(rows[0])
            decision = self.game.describe_decision(batch.states[row : row + 1])
            legal = np.flatnonzero(batch.action_masks[row]).tolist()
            raise ValueError(f"illegal action in game {row} at {decision}; legal are {legal}; no game was changed")
        if self.illegal_action == "penalise":
            chosen[rows] = random_actions(batch.action_masks[rows], self.np_random)
            rewards[rows] -= self.illegal_penalty
        else:
            losers = np.full(self.num_envs, NO_PLAYER, np.int64)
            losers[rows] = batch.players[rows]
            self.game.forfeit(self.game.params, batch.states, losers)
            chosen[rows] = NO_ACTION
        return rewards

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of the decisions at hand, `(num_envs, num_actions)`."""
        return self.batch.action_masks.copy() if self.copy else self.batch.action_masks

    # --- play

    def _settle(self, rows: NDArray[np.int64]) -> None:
        """Give the learner its seats in new games, and play to its first decisions."""
        for _ in range(MAX_RESTARTS):
            if self.seat_choice == RANDOM_SEAT:
                self.seats[rows] = self.np_random.integers(self.game.num_players, size=len(rows))
            elif self.seat_choice != ALL_SEATS:
                self.seats[rows] = int(self.seat_choice)
            self._play_others(rows)
            self._paid[rows] = self.batch.returns[rows]
            terminations, truncations = self._endings()
            rows = rows[(terminations | truncations)[rows]]
            if not len(rows):
                return
            self._begin(rows)
        raise ValueError(f"{MAX_RESTARTS} games in a row were over before the learner's first decision")

    def _begin(self, rows: NDArray[np.int64]) -> None:
        """Start new games in `rows`, and tell the opponents that play in one game only."""
        self.batch.begin(rows, self.np_random.integers(MAX_SEED, size=len(rows), endpoint=True))
        for seat in self.opponents:
            for row in rows.tolist():
                if not _shares_batch(seat[row]):
                    reset_opponent(seat[row], self.np_random)

    def _play_others(self, rows: NDArray[np.int64]) -> None:
        """Let the opponents play in `rows` until the learner is to act or its game is over."""
        batch = self.batch
        if self.seat_choice == ALL_SEATS:
            self.seats[...] = batch.players
            return
        while True:
            seats, players = self.seats[rows], batch.players[rows]
            rows = rows[(players != seats) & (players != NO_PLAYER) & (batch.out[rows, seats] == 0)]
            if not len(rows):
                return
            actions = self._others_choose(rows)
            refused = rows[batch.action_masks[rows, actions] == 0]
            if len(refused):
                raise ValueError(f"an opponent chose an illegal action in game {refused[0]}")
            batch.play(rows, actions)

    def _others_choose(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        batch, actions = self.batch, np.empty(len(rows), np.int64)
        offsets = (batch.players[rows] - self.seats[rows]) % self.game.num_players - 1
        for offset, opponents in enumerate(self.opponents):
            places = np.flatnonzero(offsets == offset)
            if not len(places):
                continue
            if _shares_batch(opponents[0]):
                chosen = rows[places]
                shared: Any = opponents[0]
                actions[places] = shared.act_batch(batch.observations[chosen], batch.action_masks[chosen])
                continue
            for place in places.tolist():
                row = int(rows[place])
                actions[place] = opponents[row].act(batch.observations[row].copy(), batch.action_masks[row].copy())
        return actions

    def _endings(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return where the learner's game has ended by the rules, and where it was cut off."""
        batch = self.batch
        ended = batch.terminated if self.seat_choice == ALL_SEATS else batch.out[self._rows, self.seats]
        terminations = ended != 0
        return terminations, (batch.truncated != 0) & ~terminations

    def _finish(self, rows: NDArray[np.int64], whose: NDArray[np.int64]) -> dict[str, Any]:
        """Replace the games in `rows`, and return infos on how they ended."""
        infos: dict[str, Any] = {}
        for row in rows.tolist():
            seat = int(whose[row])
            vector = self.batch.observe(row, seat)
            mask = np.zeros(self.game.num_actions, np.int8)
            final = {"observation": vector, "action_mask": mask} if self.mask_in_observation else vector
            info = {"action_mask": mask, "seat": seat, "returns": self.batch.returns[row].copy()}
            infos = self._add_info(infos, {"final_obs": final, "final_info": info}, row)
        if len(rows):
            self._begin(rows)
            self._settle(rows)
        return infos

    def _observed(self) -> Observations:
        vectors = self.batch.observations.copy() if self.copy else self.batch.observations
        return {"observation": vectors, "action_mask": self.action_masks()} if self.mask_in_observation else vectors

    def _infos(self) -> dict[str, Any]:
        infos: dict[str, Any] = {"action_mask": self.action_masks(), "_action_mask": np.ones(self.num_envs, np.bool_)}
        if self.seat_choice == ALL_SEATS:
            infos["player"] = self.seats.copy()
        return infos


def _shares_batch(opponent: Opponent) -> bool:
    return bool(getattr(opponent, "shares_batch", False))


def _batch_opponents(choice: OpponentChoice, game: Game, num_envs: int) -> list[list[Opponent]]:
    """Return, for each seat after the learner's, the opponent of each game."""
    seats = []
    for opponent in make_opponents(choice, game):
        is_shared = _shares_batch(opponent)
        seats.append([opponent if is_shared else copying.deepcopy(opponent) for _ in range(num_envs)])
    return seats
