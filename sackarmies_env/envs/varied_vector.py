"""The vector environment with a different game in each row: several batches behind one interface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, create_empty_array
from numpy.typing import NDArray

from sackarmies_env.core.arguments import integer, integers
from sackarmies_env.core.game import Game
from sackarmies_env.core.rng import following_seed
from sackarmies_env.core.step_batch import MAX_RESTARTS
from sackarmies_env.envs.batch_results import Observations
from sackarmies_env.envs.options import (
    TOO_SHORT,
    DrawsOwnSeed,
    first_seeds,
    forced_results,
    games_are_over,
    own_seed,
    read_reset_mask,
    seed_of_generator,
)
from sackarmies_env.envs.spaces import state_space
from sackarmies_env.envs.variety import Arena, Variety
from sackarmies_env.envs.vector_env import BatchEnv, Transition

Group = tuple[NDArray[np.int64], BatchEnv]  # rows, and the environment that plays them
Part = tuple[NDArray[np.int64], Any]  # rows, and what is returned for them


class VariedBatchEnv(DrawsOwnSeed, VectorEnv[Any, Any, Any]):
    """`num_envs` games that `reset` chooses, one for each row; otherwise like `BatchEnv`.

    The seed of a row determines its game, which stays until the next `reset`: finished games are replaced by new ones
    of the same kind. Rows with the same game are played together. Returned arrays belong to the caller. At a `reset`, a
    game that is over before the learner's first decision is replaced by that of the following seed, of whatever kind.

    Args:
        game: the first game of `variety`.
        num_envs: number of games.
        variety: the games to choose from.
        options: those of `BatchEnv`, the same for all rows. Give opponents by name: each game needs its own.

    Attributes:
        game: as given.
        padding: the padding of that game; the layout is that of all games.

    Raises:
        ValueError: an option has a value that is not allowed.
    """

    def __init__(self, game: Game, num_envs: int = 1, *, variety: Variety, **options: Any) -> None:
        self.num_envs = integer("num_envs", num_envs, 1)
        self.game, self.padding = game, variety.first.padding
        self._variety = variety
        self._options = options
        first = self._make(variety.first, np.zeros(1, np.int64))
        self.metadata, self.render_mode = first.metadata, first.render_mode
        self.single_observation_space = first.single_observation_space
        self.single_action_space = first.single_action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.seat_choice, self.autoreset_mode = first.seat_choice, first.autoreset_mode
        self.state_space = batch_space(state_space(game, first.presentation), self.num_envs)
        self._common = first.options
        self.groups: list[Group] = []  # empty while no games are running
        self._is_new = True  # no game has begun yet
        first.close_extras()

    def _make(self, arena: Arena, rows: NDArray[np.int64]) -> BatchEnv:
        one = BatchEnv(arena.game, len(rows), **(self._options | {"padding": arena.padding}))
        if one.opponents is not None:
            one.opponents.numbers = rows
        return one

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Choose new games and start them.

        Args:
            seed: as in `BatchEnv`, but None without a mask draws the seed of the first game from a generator seeded by
                the last given seed, or by the system.
            options: forced results and game options, for all rows; game options replace what would be drawn. With a
                `reset_mask`, as in `BatchEnv`, the selected rows keep their kinds of games, even if it selects all.

        Raises:
            ValueError: a seed is out of range, a game or its forced results are impossible, a potential is for vectors
                of another game, or a mask is wrong or comes with game options; nothing is changed. Or an opponent chose
                an illegal action, or game after game was over before the learner's first decision; with a mask, no
                games are running then.
            TypeError: the mask is not an array of bool.
        """
        mask, others = read_reset_mask(options, self.num_envs, has_begun=bool(self.groups))
        given, rest = self._variety.split(others)
        forced = forced_results(rest, self.game, self._variety)  # here, so that unknown options are reported once
        if mask is not None:
            return self._reset_some(mask, seed, given, forced)
        following = None if seed is None or not self.groups else self._following()
        first = own_seed(seed, self.np_random_seed, is_new=self._is_new)
        seeds, chance = first_seeds(first, self.num_envs, following, self.np_random)
        groups = self._begin(seeds, given, forced)
        _close(self.groups)
        self.groups = groups
        self._is_new = False
        if seed is not None:
            self._np_random, self._np_random_seed = chance, seed_of_generator(seed)
        return self._joined([(rows, one.observed()) for rows, one in groups])

    def _begin(self, seeds: NDArray[np.int64], given: dict[str, Any], forced: dict[str, Any]) -> list[Group]:
        """Return the groups of new games, all of which are at the learner's first decisions.

        A game that is over before that is replaced by the game of the following seed, which may be of another kind, as
        in `SingleSeatEnv`; its row then belongs to another group, so groups are made again. Forced results are for the
        games of the given seeds alone.
        """
        firsts, seeds = seeds, seeds.copy()
        for _ in range(MAX_RESTARTS):
            arenas = [self._variety.choose(one, given) for one in seeds.tolist()]
            is_forced = (seeds == firsts) & bool(forced)
            kinds = [(arena.game, one) for arena, one in zip(arenas, is_forced.tolist(), strict=True)]
            groups: list[Group] = []
            over = []
            try:
                for kind in dict.fromkeys(kinds):
                    rows = np.array([row for row, one in enumerate(kinds) if one == kind], np.int64)
                    self._common.check_potential(self.game, kind[0])
                    env = self._make(arenas[rows[0]], rows)
                    groups.append((rows, env))
                    over += rows[env.begin_all(seeds[rows], forced if kind[1] else {})].tolist()
            except BaseException:  # an opponent may raise anything
                _close(groups)
                raise
            if not over:
                return groups
            _close(groups)
            seeds[over] = [following_seed(seed) for seed in seeds[over]]
        raise ValueError(TOO_SHORT)

    def _following(self) -> NDArray[np.int64]:
        """Return the seeds of the games that follow the current ones."""
        following = np.zeros(self.num_envs, np.int64)
        for rows, one in self.groups:
            following[rows] = one.following(np.arange(len(rows)))
        return following

    def _reset_some(
        self, mask: NDArray[np.bool_], seed: Any, given: dict[str, Any], forced: dict[str, Any]
    ) -> tuple[Observations, dict[str, Any]]:
        """Restart the games that a mask selects."""
        if given:
            raise ValueError(
                f"reset_mask and {', '.join(given)} cannot be combined: rows keep their kinds of games until a reset "
                "without a mask"
            )
        seeds, chance = first_seeds(seed, self.num_envs, self._following(), self.np_random)
        for rows, one in self.groups:  # may raise, so before any game is changed
            if forced and mask[rows].any():
                one.batch.forced_starts(seeds[rows], forced)
        if seed is not None:
            self._np_random, self._np_random_seed = chance, seed_of_generator(seed)
        parts: list[Part] = []
        with self._ending_games_on_failure():
            for rows, one in self.groups:
                if mask[rows].any():
                    some = forced | {"reset_mask": mask[rows]}
                    parts.append((rows, one.reset(seed=seeds[rows].tolist(), options=some)))
                else:
                    parts.append((rows, one.observed(mask[rows])))
        return self._joined(parts)

    @contextmanager
    def _ending_games_on_failure(self) -> Iterator[None]:
        """Leave no games running if an opponent fails, as other groups may already have been played."""
        try:
            yield
        except BaseException:  # an opponent may raise anything
            _close(self.groups)
            self.groups = []
            raise

    def _joined(self, parts: list[Part]) -> tuple[Observations, dict[str, Any]]:
        """Return observations and infos of all rows."""
        infos = _gather([(rows, part[1]) for rows, part in parts], self.num_envs)
        return self._observed([(rows, part[0]) for rows, part in parts]), infos

    def step(self, actions: Any) -> Transition:
        """Apply one action in each game, as `BatchEnv` does.

        Raises:
            ValueError: `actions` are not `num_envs` integers, games are over and not replaced, or an action is illegal
                and `illegal_action="raise"`; no game is changed. Or an opponent chose an illegal action, or the games
                that follow a finished one were over before the learner's first decision; no games are running then.
        """
        if not self.groups:
            raise ValueError("no games are running: call reset() before step()")
        chosen = integers("actions", actions, self.num_envs)
        if self.autoreset_mode is AutoresetMode.DISABLED:
            over = sorted(row for rows, one in self.groups for row in rows[one.over].tolist())
            if over:
                raise ValueError(games_are_over(over))
        if self._options.get("illegal_action", "raise") == "raise":
            self._refuse_illegal(chosen)
        with self._ending_games_on_failure():
            parts = [(rows, one.step(chosen[rows])) for rows, one in self.groups]
        rewards, terminated, truncated, infos = (
            _gather([(rows, part[place]) for rows, part in parts], self.num_envs) for place in (1, 2, 3, 4)
        )
        seen = self._observed([(rows, part[0]) for rows, part in parts])
        return seen, rewards, terminated, truncated, infos

    def _refuse_illegal(self, actions: NDArray[np.int64]) -> None:
        """Refuse illegal actions before any row is played; actions in finished games are ignored."""
        masks = self.action_masks()
        places = np.clip(actions, 0, masks.shape[1] - 1)
        is_legal = (masks[np.arange(self.num_envs), places] != 0) & (places == actions)
        wrong = np.flatnonzero(~is_legal & masks.any(axis=1))
        if len(wrong):
            row, legal = wrong[0], np.flatnonzero(masks[wrong[0]]).tolist()
            raise ValueError(f"illegal action {actions[row]} in game {row}; legal are {legal}; no game was changed")

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of the current decisions, `(num_envs, num_actions)`."""
        if not self.groups:
            raise ValueError("no games are running: call reset() before action_masks()")
        masks: NDArray[np.int8] = _gather([(rows, one.action_masks()) for rows, one in self.groups], self.num_envs)
        return masks

    def state(self) -> NDArray[np.int8]:
        """Return the central states of the games, `(num_envs, num_players * size)`, as `BatchEnv.state` does."""
        if not self.groups:
            raise ValueError("no games are running: call reset() before state()")
        states: NDArray[np.int8] = _gather([(rows, one.state()) for rows, one in self.groups], self.num_envs)
        return states

    def render(self) -> tuple[Any, ...]:
        """Render each game, as `BatchEnv.render` does."""
        if not self.groups:
            raise ValueError("no games are running: call reset() before render()")
        frames: list[Any] = [None] * self.num_envs
        for rows, one in self.groups:
            for row, frame in zip(rows.tolist(), one.render(), strict=True):
                frames[row] = frame
        return tuple(frames)

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the programs that play as opponents."""
        _close(self.groups)

    def _observed(self, parts: list[Part]) -> Any:
        whole = create_empty_array(self.single_observation_space, self.num_envs)
        for rows, part in parts:
            _put(whole, rows, part)
        return whole


def _close(groups: list[Group]) -> None:
    """Stop the programs that play as opponents in groups of games."""
    for _, one in groups:
        one.close_extras()


def _put(whole: Any, rows: NDArray[np.int64], part: Any) -> None:
    """Write the values of some rows into arrays of all rows."""
    if isinstance(whole, dict):
        for key, content in whole.items():
            _put(content, rows, part[key])
    else:
        whole[rows] = part


def _gather(parts: list[Part], num_envs: int) -> Any:
    """Join parts into arrays of all rows, in dicts of any depth; zeros or None where a part lacks a key."""
    first = parts[0][1]
    if isinstance(first, dict):
        keys = dict.fromkeys(key for _, part in parts for key in part)
        return {key: _gather([(rows, part[key]) for rows, part in parts if key in part], num_envs) for key in keys}
    whole = np.full((num_envs, *first.shape[1:]), None if first.dtype == object else 0, first.dtype)
    for rows, part in parts:
        whole[rows] = part
    return whole
