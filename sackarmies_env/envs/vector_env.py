"""The vector environment: many games at once, played directly by the batch kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from sackarmies_env.core.arguments import integer, integers
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.rng import following_seed
from sackarmies_env.core.state import NO_PLAYER, copies_of
from sackarmies_env.core.step_batch import MAX_RESTARTS, Command, Ending
from sackarmies_env.envs.batch_opponents import BatchOpponents
from sackarmies_env.envs.batch_results import BatchResults, Observations, Rows
from sackarmies_env.envs.batch_shaping import BatchShaping
from sackarmies_env.envs.decision_infos import DecisionInfos
from sackarmies_env.envs.failure import EndsOnFailure
from sackarmies_env.envs.keywords import RENDER_FPS
from sackarmies_env.envs.match import draw
from sackarmies_env.envs.opponents import OpponentChoice, seat_of
from sackarmies_env.envs.options import (
    TOO_SHORT,
    CommonOptions,
    DrawsOwnSeed,
    check_choice,
    first_seeds,
    forced_results,
    games_are_over,
    own_seed,
    read_options,
    read_reset_mask,
    seed_of_generator,
)
from sackarmies_env.envs.padded import Padding
from sackarmies_env.envs.presentation import present
from sackarmies_env.envs.spaces import action_space, content_space, observation_space, state_space

ALL_SEATS = "all"
RANDOM_SEAT = "random"
MODES = {mode.value: mode for mode in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED)}
FRAMES = ("ansi", "rgb_array", "html")  # render modes
Transition = tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class BatchEnv(EndsOnFailure, DrawsOwnSeed, VectorEnv[Any, Any, Any]):
    """`num_envs` games of one kind, in each of which the learner plays one seat, or all seats.

    With one seat, each row plays exactly like `SingleSeatEnv` with the same seed, decision by decision, and all rows
    together like Gymnasium's `SyncVectorEnv` of such environments. (Except that an opponent that shares a batch is one
    object for all games, and gets a new seed whenever games begin.) Random opponents play inside the kernel. With
    `seat="all"`, a step is one decision of the current player: the reward is what that player earned by it,
    `infos["player"]` is the next player and `infos["rewards"]` `(num_envs, num_players)` what each player earned.

    `reset` options may switch to another game; `batch`, `opponents` and `seats` are then new objects.

    Finished games are replaced by those of the following seeds, in the same step or in the next one, or by `reset`
    with a `reset_mask`, see `autoreset_mode`. With "SameStep", `infos["final_obs"]` and `infos["final_info"]` hold
    how they ended: the last observation, the seat and the returns of all players. Masks are in `infos["action_mask"]`,
    returned by `action_masks()`, and part of observations unless `mask_in_observation` is False.

    Unless `copy` is True, arrays returned by `reset` and `step` are read-only and are overwritten by the next step.

    Args:
        game: the game to play.
        num_envs: number of games.
        opponent: agent that plays the other seats, as in `SingleSeatEnv`; ignored if the learner plays all seats. An
            object without `shares_batch` is copied for each game, and one copy plays all its seats there. If the game
            is switched, opponents given by name are made again; an object that was given plays the new game too.
        seat: the learner's seat, "random" for a new one each game, or "all".
        mask_in_observation: whether observations are dicts with the mask, or come without it.
        decision_infos: whether infos hold `"decision"`, the name of the current decision, and `"turn_start"`, whether
            it is its player's first one in this turn; with `seat="all"` also `"earned"` `(num_envs, num_players)`,
            what each seat has earned since its last decision, paid when it decides again or its game is over, else 0.
        copy: whether returned arrays belong to the caller: never overwritten, and writable.
        autoreset_mode: "SameStep"; "NextStep": the step after the end of a game ignores the action, begins the next
            game and has reward 0; or "Disabled": finished games must be reset before the next step.
        threads: number of threads; None for all cores that the process may use.
        options: see `Options`; `render_mode` "ansi", "rgb_array" or "html".

    Raises:
        ValueError: an option is unknown (also a TypeError), or its value is not allowed.
    """

    def __init__(  # noqa: PLR0913 - keyword options
        self,
        game: Game,
        num_envs: int = 1,
        *,
        opponent: OpponentChoice = "random",
        seat: int | str = RANDOM_SEAT,
        mask_in_observation: bool = True,
        decision_infos: bool = False,
        copy: bool = False,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        threads: int | None = 1,
        **options: Unpack[CommonOptions],
    ) -> None:
        check_choice("seat", seat, (ALL_SEATS, RANDOM_SEAT, *range(game.num_players)))
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        check_choice("autoreset_mode", mode, tuple(MODES))
        self.options = read_options(options, game.num_players, type(self).__name__)
        check_choice("render_mode", self.options.render_mode, (None, *FRAMES))
        self.render_mode = self.options.render_mode
        self.num_envs = num_envs = integer("num_envs", num_envs, 1)
        self.seat_choice = seat
        self.mask_in_observation = mask_in_observation
        self.copy = copy
        self.autoreset_mode = MODES[mode]
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": list(FRAMES), "render_fps": RENDER_FPS}
        self.single_observation_space: spaces.Space[Any]
        presentation = present(game, self.options.observation, self.options.padding)
        space_of = observation_space if mask_in_observation else content_space
        self.single_observation_space = space_of(game, presentation)
        self.single_action_space = action_space(game, presentation)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._opponent_choice = opponent
        self._threads = threads
        self._has_decision_infos = decision_infos
        self._has_extras = (
            decision_infos or self.options.shaping is not None or self.options.illegal_action == "penalize"
        )
        self._rows = np.arange(num_envs)
        self._is_same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self._is_new = True  # no game has begun yet
        self._set_up(Batch(game, num_envs, threads=threads, restarts=False), self.options.padding)

    def _set_up(self, batch: Batch, padding: Padding | None) -> None:
        """Prepare to play the games of a batch, none of which has begun."""
        opponents = None if self.seat_choice == ALL_SEATS else BatchOpponents(self._opponent_choice, batch)
        self.game, self.batch, self.padding, self.opponents = batch.game, batch, padding, opponents
        self.presentation = present(self.game, self.options.observation, padding)
        self.seats = np.zeros(self.num_envs, np.int64)  # the learner's, if it plays one seat
        self._paid = np.zeros((self.num_envs, self.game.num_players), np.float32)  # part of returns paid as rewards
        shaping = self.options.shaping
        self._shaping = None if shaping is None else BatchShaping(shaping, batch)
        self._decision_infos = DecisionInfos(batch) if self._has_decision_infos else None
        self._results = BatchResults(
            batch,
            self.presentation,
            self._decision_infos,
            with_masks=self.mask_in_observation,
            copy=self.copy,
            names_players=opponents is None,
        )
        self.over: Rows = self._rows[:0]  # finished games that are not replaced yet
        self._has_begun = False  # whether games are running

    # --- Gymnasium

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Start new games in all rows, or in some.

        Args:
            seed: seed of the first game; the others have seed + 1, seed + 2, ... A list gives each game its own. None,
                as a whole or in a list, takes the seeds that follow those of the last games; the first reset draws
                seeds at random.
            options: forced results, as in the PettingZoo environment, for the games started now; game options, such as
                "armies" or "scenario", for all games until the next reset; and `reset_mask` `(num_envs,)` bool, the
                games to restart, as the same kind of game, even if it selects all. The others go on, and infos say
                nothing about them.

        Raises:
            ValueError: a seed is out of range, the game refuses the forced results or game options, game options
                draw at random or come with a mask, opponents cannot play the chosen game, or the mask selects no game
                or leaves out games that have not begun; nothing is changed. Or an opponent chose an illegal action, or
                game after game was over before the learner's first decision; no games are running then.
            TypeError: the mask is not an array of bool.
        """
        mask, others = read_reset_mask(options, self.num_envs, has_begun=self._has_begun)
        variety = self.options.variety
        given, others = ({}, others) if variety is None else variety.split(others)
        forced = forced_results(others, self.game, variety)
        following = self.following(self._rows) if self._has_begun else None
        first = own_seed(seed, self.np_random_seed, is_new=self._is_new)
        seeds, chance = first_seeds(first, self.num_envs, following, self.np_random)
        batch, padding = self._chosen(given, mask)
        starts = batch.forced_starts(seeds, forced) if forced else None
        if batch is not self.batch:
            before = self.opponents
            self._set_up(batch, padding)  # may raise, so before anything is closed
            if before is not None:
                before.close()
        if seed is not None:
            self._np_random, self._np_random_seed = chance, seed_of_generator(seed)
        self._is_new = False
        with self._ending_games_on_failure():
            if mask is None:
                self._begin(self._rows, seeds, starts)
                self.over = self._rows[:0]
            else:
                rows = np.flatnonzero(mask)
                self._begin(rows, seeds[rows], None if starts is None else copies_of(starts, rows))
                self.over = self.over[~mask[self.over]]
        self._has_begun = True
        return self.observed(mask)

    def _chosen(self, given: dict[str, Any], mask: NDArray[np.bool_] | None) -> tuple[Batch, Padding | None]:
        """Return the batch to play in, and its padding; a new batch if the options choose another game."""
        variety = self.options.variety
        if variety is None or (mask is not None and not given):
            return self.batch, self.padding
        if mask is not None:
            raise ValueError(
                f"reset_mask and {', '.join(given)} cannot be combined: all games of this environment are of one kind; "
                "reset them all without a mask, or make the environment with a sampler, which chooses one for each row"
            )
        if variety.draws_with(given):
            raise ValueError(
                "armies='random' is not allowed in the options of reset: all games of this environment have the same "
                "armies; make it with armies='random' or with a sampler, or name the armies"
            )
        arena = variety.choose(0, given)
        if arena.game is self.game:
            return self.batch, self.padding
        self.options.check_potential(self.game, arena.game)
        return Batch(arena.game, self.num_envs, threads=self._threads, restarts=False), arena.padding

    def begin_all(self, seeds: NDArray[np.int64], forced: dict[str, Any]) -> Rows:
        """Begin the games of given seeds in all rows; none of them is replaced.

        Args:
            seeds: `(num_envs,)`.
            forced: forced results, for all of them.

        Returns:
            The rows whose games were over before the learner's first decision. If there are none, games are running,
            and `observed` returns what `reset` returns.

        Raises:
            ValueError: the game refuses the forced results, or an opponent chose an illegal action.
        """
        starts = self.batch.forced_starts(seeds, forced) if forced else None
        with self._ending_games_on_failure():
            over = self._begin_once(self._rows, seeds, starts)
        if not len(over):
            self._note_beginnings(self._rows)
            self._has_begun = True
        return over

    def observed(self, mask: NDArray[np.bool_] | None = None) -> tuple[Observations, dict[str, Any]]:
        """Return what `reset` returns, without starting games; infos cover the games of `mask`, or all if None."""
        return self._results.observations(), self._results.first_infos(self._deciding(), self._endings(), mask)

    def step(self, actions: Any) -> Transition:
        """Apply one action in each game.

        Args:
            actions: `(num_envs,)` integers.

        Raises:
            ValueError: `actions` are not `num_envs` integers, or one is illegal and `illegal_action="raise"`; no game
                is changed. Or an opponent chose an illegal action, or the games that follow a finished one were over
                before the learner's first decision; no games are running then.
        """
        kinds, arguments, rewards = self._commands_for(actions)
        over, batch = self.over, self.batch
        whose = batch.players.copy() if self.opponents is None else self.seats
        with self._ending_games_on_failure():
            batch.dispatch(kinds, None, arguments)
            self._play_others(self._rows)
            if len(over):
                self._begin(over, self.following(over))
        earned = np.subtract(batch.returns, self._paid, dtype=np.float64)
        self._paid[...] = batch.returns
        rewards += earned[self._rows, whose]
        endings = self._endings()
        terminations, truncations = endings == Ending.TERMINATED, endings == Ending.TRUNCATED
        ended = np.flatnonzero(endings)
        final = self._end(ended, whose) if len(ended) else {}
        paid: dict[str, Any] = {}
        if self._has_extras:
            earned[self._rows, whose] = rewards  # with penalties
            if self._shaping is not None:
                self._shaping.add(earned, self._deciding(), endings, over)
                rewards = earned[self._rows, whose]
            if self._decision_infos is not None and self.opponents is None:
                paid["earned"] = self._decision_infos.pay(earned, batch.players, endings == Ending.RUNNING)
        if not self._is_same_step:
            self.over = ended
            infos = self._results.infos(self._deciding(), self._endings()) | final
        elif len(ended):
            infos = {"final_obs": self._results.final_observations(ended), "final_info": final}
            infos |= {f"_{name}": final["_seat"].copy() for name in ("final_obs", "final_info")}
            with self._ending_games_on_failure():
                self._begin(ended, self.following(ended))
            infos |= self._results.infos(self._deciding(), self._endings())
        else:
            infos = self._results.infos(self._deciding(), self._endings())
        if self.opponents is None:
            infos |= {"rewards": earned, **paid}
        return self._results.observations(), rewards, terminations, truncations, infos

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of the current decisions, `(num_envs, num_actions)`."""
        return self._results.action_masks()

    @property
    def state_space(self) -> spaces.Space[Any]:
        """The space of `state()`."""
        return batch_space(state_space(self.game, self.presentation), self.num_envs)

    def state(self) -> NDArray[np.int8]:
        """Return the concatenated observations of all seats: `(num_envs, num_players * size)`, a new array.

        This is the central state of each game, as in `RawEnv.state`, for critics that are trained on what all players
        see. It holds what is hidden from individual players: never pass it to a policy.
        """
        if not self._has_begun:
            raise ValueError("no games are running: call reset() before state()")
        seats = range(self.game.num_players)
        seen = [self.batch.observe(np.full(self.num_envs, seat)) for seat in seats]
        return np.concatenate(seen if self.padding is None else [self.padding.observe(one) for one in seen], axis=1)

    def render(self) -> tuple[Any, ...]:
        """Render each game in `render_mode`, as seen from `render_viewpoint`; return a tuple of `num_envs` frames."""
        if self.render_mode is None:
            raise ValueError(f"render() needs a render_mode: give one of {FRAMES} when you make the environment")
        if not self._has_begun:
            raise ValueError("no games are running: call reset() before render()")
        frames = []
        for row, own in enumerate(self._deciding().tolist()):
            viewer = self.options.viewer(None if own == NO_PLAYER else own)
            frames.append(draw(self.game, self.batch.states[row : row + 1], self.render_mode, viewer))
        return tuple(frames)

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the programs that play as opponents."""
        if self.opponents is not None:
            self.opponents.close()

    # --- actions

    def _commands_for(self, actions: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the kinds and arguments of the commands to all games, and the penalties as negative rewards."""
        if not self._has_begun:
            raise ValueError("no games are running: call reset() before step()")
        if len(self.over) and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ValueError(games_are_over(self.over.tolist()))
        given, rewards = integers("actions", actions, self.num_envs), np.zeros(self.num_envs)
        arguments = given.copy() if self.padding is None else self.padding.own_actions(given)
        kinds = np.full(self.num_envs, Command.STEP, np.int64)
        is_legal = self.batch.are_legal(arguments)
        if len(self.over):
            kinds[self.over] = Command.SKIP
            is_legal[self.over] = True
        if not is_legal.all():
            illegal = np.flatnonzero(~is_legal)
            if self.options.illegal_action == "raise":
                raise ValueError(self._refusal(int(illegal[0]), int(given[illegal[0]])))
            self._take_illegal(kinds, arguments, rewards, illegal)
        return kinds, arguments, rewards

    def _take_illegal(
        self, kinds: NDArray[np.int64], arguments: NDArray[np.int64], rewards: NDArray[np.float64], rows: Rows
    ) -> None:
        """Handle illegal actions in `rows` as the option says, by a penalty or a forfeit."""
        batch = self.batch
        if self.options.illegal_action == "penalize":
            kinds[rows], arguments[rows] = Command.RANDOM, 1
            rewards[rows] -= self.options.illegal_penalty
        else:
            kinds[rows], arguments[rows] = Command.FORFEIT, batch.players[rows]

    def _refusal(self, row: int, action: int) -> str:
        """Return the message for an illegal action, made only of what the current player of the game knows."""
        if self.padding is None:
            return self.batch.refusal(row, action)
        decision = self.game.describe_decision(self.batch.states[row : row + 1])
        legal = np.flatnonzero(self.padding.mask(self.batch.action_masks[row])).tolist()
        return f"illegal action {action} in game {row} at {decision}; legal are {legal}; no game was changed"

    # --- beginnings and ends

    def following(self, rows: Rows) -> NDArray[np.int64]:
        """Return the seeds of the games that follow those in `rows`."""
        return np.array([following_seed(seed) for seed in self.batch.seeds[rows]], np.int64)

    def _begin(self, rows: Rows, seeds: NDArray[np.int64], starts: Records | None = None) -> None:
        """Begin new games in `rows`, from `starts` if given, and play to the learner's first decisions.

        Raises:
            ValueError: game after game is over before that, or an opponent chose an illegal action.
        """
        over = rows
        for _ in range(MAX_RESTARTS):
            over = self._begin_once(over, seeds, starts)
            if not len(over):
                self._note_beginnings(rows)
                return
            seeds, starts = self.following(over), None
        raise ValueError(TOO_SHORT)

    def _begin_once(self, rows: Rows, seeds: NDArray[np.int64], starts: Records | None) -> Rows:
        """Begin new games as `_begin` does; return the rows whose game was over before the learner's first decision."""
        self._take_seats(rows, seeds)
        chosen = None if len(rows) == self.num_envs else rows
        if starts is None:
            self.batch.reset(seeds, chosen)
        else:
            self.batch.begin_at(seeds, starts, chosen)
        self._play_others(rows)
        self._paid[rows] = self.batch.returns[rows]
        over: Rows = rows[self._endings()[rows] != Ending.RUNNING]
        return over

    def _note_beginnings(self, rows: Rows) -> None:
        """Note the first decisions of new games in `rows`, for shaping and infos."""
        if self._shaping is not None:
            self._shaping.begin(rows, self._deciding())
        if self._decision_infos is not None:
            self._decision_infos.begin(rows)

    def _end(self, rows: Rows, whose: NDArray[np.int64]) -> dict[str, Any]:
        """Write what the last player of each finished game sees, and return the final infos."""
        if self.opponents is None or not self.opponents.plays_inside:  # outputs show another player's view, or nobody's
            self.batch.hide(rows, whose[rows])
        return self._results.final_info(rows, whose, is_apart=self._is_same_step)

    def _play_others(self, rows: Rows) -> None:
        """Have the opponents play in `rows` until the learner is the current player.

        Raises:
            ValueError: an opponent chose an illegal action.
        """
        if self.opponents is not None:
            self.opponents.play_others(self.seats, rows)

    def _take_seats(self, rows: Rows, seeds: NDArray[np.int64]) -> None:
        """Assign the learner's seats in the games of `seeds`, and reset the opponents."""
        if self.opponents is None:
            return
        if self.seat_choice == RANDOM_SEAT:
            self.seats[rows] = [seat_of(seed, self.game.num_players) for seed in seeds]
        else:
            self.seats[rows] = int(self.seat_choice)
        self.opponents.begin(self.seats, rows, seeds)

    def _deciding(self) -> NDArray[np.int64]:
        """Return the seats whose decisions are shown: the learner's, or the current players."""
        return self.batch.players if self.opponents is None else self.seats

    def _endings(self) -> NDArray[np.int64]:
        """Return the `Ending` of each game for the learner."""
        batch = self.batch
        if self.opponents is None or self.opponents.plays_inside:
            return batch.ended
        return np.where(batch.terminations[self._rows, self.seats] != 0, Ending.TERMINATED, batch.ended)
