"""The Gymnasium environment: one seat of any game, the others played by opponents."""

from __future__ import annotations

import copy
from operator import index
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.rng import following_seed
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import MAX_RESTARTS
from sackarmies_env.envs.batch_opponents import copy_opponent
from sackarmies_env.envs.decision_infos import NO_DECISION, NO_TURN
from sackarmies_env.envs.keywords import RENDER_FPS, RENDER_MODES
from sackarmies_env.envs.match import Match
from sackarmies_env.envs.opponents import (
    Opponent,
    OpponentChoice,
    RandomOpponent,
    ask_one,
    close_opponents,
    given_objects,
    make_opponents,
    misplay,
    reset_opponent,
    seat_of,
)
from sackarmies_env.envs.options import (
    TOO_SHORT,
    CommonOptions,
    DrawsOwnSeed,
    PotentialShaping,
    check_choice,
    forced_results,
    next_seed,
    own_seed,
    read_options,
)
from sackarmies_env.envs.presentation import present
from sackarmies_env.envs.referee import NOT_BEGUN, Referee
from sackarmies_env.envs.spaces import Observation, action_space, content_space, num_actions_of, observation_space

RANDOM_SEAT = "random"
SingleObservation = Observation | NDArray[np.int8] | dict[str, NDArray[np.int8]]
Info = dict[str, Any]
Transition = tuple[SingleObservation, float, bool, bool, Info]


class SingleSeatEnv(Referee, DrawsOwnSeed, gymnasium.Env[Any, np.int64]):
    """Gymnasium environment in which the learner plays one seat of any game against opponents.

    A step applies the learner's action, then plays the other seats until the learner must decide again or its game is
    over. The reward is everything that the learner earned in between. The mask of legal actions is in the observation
    and in the info, and `action_masks()` returns it; it is all zero once the game is over. Elimination terminates the
    episode, though others may play on. Once the learner's game is over, the info also holds its "seat" and everyone's
    "returns".

    All chance comes from the seed of the game: the game's own, the learner's seat, what random opponents do, and the
    seeds of other opponents. A game begun without a seed has the seed that follows the last one.

    Args:
        game: the game to play.
        opponent: agent that plays the other seats: a name ("random" is built in), an object with `act`, or a list of
            these, starting with the seat after the learner's.
        seat: the learner's seat, or "random" for a new one each game.
        mask_in_observation: whether observations are dicts with the mask, or come without it.
        decision_infos: whether infos hold `"decision"`, the name of the learner's decision ("" once its game is over),
            and `"turn_start"`, whether it is the learner's first decision in this turn.
        options: see `Options`.

    Raises:
        ValueError: an option is unknown (also a TypeError), or its value is not allowed.
    """

    def __init__(
        self,
        game: Game,
        *,
        opponent: OpponentChoice = "random",
        seat: int | str = RANDOM_SEAT,
        mask_in_observation: bool = True,
        decision_infos: bool = False,
        **options: Unpack[CommonOptions],
    ) -> None:
        check_choice("seat", seat, (RANDOM_SEAT, *range(game.num_players)))
        self.options = read_options(options, game.num_players, type(self).__name__)
        self.render_mode = self.options.render_mode
        self.game = game
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}
        self.observation_space: spaces.Space[Any]
        self.padding = self.options.padding
        self.presentation = present(game, self.options.observation, self.padding)
        self.observation_space = (observation_space if mask_in_observation else content_space)(game, self.presentation)
        self.action_space = action_space(game, self.presentation)
        self._opponent_choice = opponent
        self._given = given_objects(opponent)  # opponents that belong to the caller
        self._seat_opponents(make_opponents(opponent, game))
        self.seat_choice = seat
        self.seat = 0
        self.mask_in_observation = mask_in_observation
        self.decision_infos = decision_infos
        self._match = Match(game)
        self._paid = 0.0
        self._potential = 0.0
        self._turn = NO_TURN  # of the learner's last decision
        self._has_begun = False

    def _seat_opponents(self, opponents: list[Opponent]) -> None:
        self.opponents = opponents
        at_random = [one for one in opponents if isinstance(one, RandomOpponent)]
        self._chance = at_random[0] if at_random else RandomOpponent()  # of everything played at random

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[SingleObservation, Info]:
        """Start a new game and play to the learner's first decision.

        If the game is over before that, the game of the following seed is played instead.

        Args:
            seed: 0 to 2**63 - 1. None takes the seed that follows the last game's, or a random one for the first game.
            options: forced results and game options, as in the PettingZoo environment.

        Raises:
            ValueError: the seed is out of range, the game refuses the forced results or game options, or opponents
                cannot play the chosen game; nothing is changed. Or game after game is over before the learner's first
                decision, or an opponent chose an illegal action.
        """
        variety = self.options.variety
        given, options = ({}, options) if variety is None else variety.split(options)
        forced = forced_results(options, self.game, variety)
        if seed is None and self._has_begun:
            self._begin(int(following_seed(self._match.seed)), forced, given)
        else:
            first = own_seed(seed, self.np_random_seed, is_new=not self._has_begun)
            game_seed, chance = next_seed(first, self.np_random)
            self._begin(game_seed, forced, given)
            if seed is not None:
                self._np_random, self._np_random_seed = chance, game_seed
        self._paid = self._match.returns[self.seat]
        self._turn = NO_TURN
        self._potential = 0.0 if self.options.shaping is None else self.options.shaping(self._vector())
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def _begin(self, seed: int, forced: dict[str, Any], given: dict[str, Any]) -> None:
        """Begin a game in which the learner has a decision to make, and play to that decision.

        A game that is over before that is replaced by the game of the following seed, without forced results.
        """
        for _ in range(MAX_RESTARTS):
            self._begin_one(seed, forced, given)
            if not (self._match.out[self.seat] or self._match.truncated):
                return
            seed, forced = int(following_seed(seed)), {}
        raise ValueError(TOO_SHORT)

    def _begin_one(self, seed: int, forced: dict[str, Any], given: dict[str, Any]) -> None:
        variety, match, padding = self.options.variety, self._match, self.padding
        if variety is not None:
            game, padding = variety.choose(seed, given)
            self.options.check_potential(self.game, game)
            match = match if game is self.game else Match(game)
        match.begin(seed, forced)  # may raise, so before anything is changed
        if match is not self._match:
            opponents, before = make_opponents(self._opponent_choice, match.game), self.opponents  # may raise as well
            self._match, self.game, self.padding = match, match.game, padding
            self.presentation = present(self.game, self.options.observation, padding)
            self._seat_opponents(opponents)
            close_opponents(before, [*self._given, *opponents])
        self.seat = seat_of(seed, self.game.num_players) if self.seat_choice == RANDOM_SEAT else int(self.seat_choice)
        self._chance.reset(seed)
        for place, opponent in enumerate(self.opponents, start=1):
            reset_opponent(opponent, seed, place)
        self._has_begun = True
        self._play_others()

    def step(self, action: Any) -> Transition:
        """Apply the learner's action, then play to its next decision.

        Raises:
            ValueError: the action is illegal and `illegal_action="raise"` (nothing is changed), the game is over, or an
                opponent chose an illegal action.
        """
        match = self._begun()
        if match.player != self.seat:
            is_over = match.out[self.seat] or match.player == NO_PLAYER
            reason = "the learner's game is over" if is_over else "an opponent has not made its decision"
            raise ValueError(f"{reason}: call reset() before step()")
        reward = 0.0
        chosen = action if self.padding is None else self.padding.own_action(action)
        if match.is_legal(chosen):
            match.play(index(chosen))
        elif self.options.illegal_action == "raise":
            raise ValueError(match.refusal("the learner", action, self.padding))
        elif self.options.illegal_action == "terminate":
            match.forfeit(self.seat)
        else:
            match.play(self._chance.act(match.observation, match.action_mask))
            reward = -self.options.illegal_penalty
        self._play_others()
        earned = match.returns[self.seat]
        reward += earned - self._paid
        self._paid = earned
        if self.options.shaping is not None:
            reward += self._shaped(self.options.shaping)
        if self.render_mode == "human":
            self.render()
        terminated = bool(match.out[self.seat])
        truncated = match.truncated and not terminated
        return self._observation(), reward, terminated, truncated, self._info()

    def _play_others(self) -> None:
        """Have the opponents play until the learner must decide or its game is over.

        Raises:
            ValueError: an opponent chose an illegal action.
        """
        match, seat, players = self._match, self.seat, self.game.num_players
        while match.player not in {seat, NO_PLAYER} and not match.out[seat]:
            opponent = self.opponents[(match.player - seat) % players - 1]
            action = ask_one(opponent, match)
            if not match.is_legal(action):
                raise ValueError(f"{misplay(opponent, action, self.game.num_actions)}: call reset() to continue")
            match.play(index(action))

    def _shaped(self, shaping: PotentialShaping) -> float:
        is_over = bool(self._match.out[self.seat])
        before, self._potential = self._potential, 0.0 if is_over else shaping(self._vector())
        return shaping.gamma * self._potential - before

    def _vector(self) -> NDArray[np.int8]:
        match = self._match
        return match.observation if match.player == self.seat else match.observe(self.seat)

    def _mask(self) -> NDArray[np.int8]:
        match = self._match
        if match.player != self.seat:
            return np.zeros(num_actions_of(self.game, self.presentation), np.int8)
        return match.action_mask if self.presentation is None else self.presentation.mask(match.action_mask)

    def _observation(self) -> SingleObservation:
        content = self._vector() if self.presentation is None else self.presentation.content(self._vector())
        return {"observation": content, "action_mask": self._mask()} if self.mask_in_observation else content

    def _info(self) -> Info:
        match = self._match
        info: Info = {"action_mask": self._mask()}
        if match.out[self.seat] or match.truncated:
            info |= {"seat": self.seat, "returns": np.array(match.returns, np.float32)}
        if self.decision_infos:
            info |= self._decision_info()
        return info

    def _decision_info(self) -> Info:
        """Return the name of the learner's decision, and whether it is the first one in this turn."""
        match = self._match
        if match.player != self.seat:
            return {"decision": NO_DECISION, "turn_start": False}
        before, self._turn = self._turn, int(match.states["turn"][0])
        return {"decision": self.game.describe_decision(match.states), "turn_start": self._turn != before}

    def action_masks(self) -> NDArray[np.int8]:
        """Return the learner's mask `(num_actions,)`; MaskablePPO calls this method."""
        self._begun()
        return self._mask()

    def information_set(self) -> InformationSets:
        """Return the learner's information set, a single one, to sample states from that may be the true one."""
        return self._begun().information_set(self.seat)

    def render(self) -> Any:
        """Render the game in `render_mode`, as seen from `render_viewpoint`."""
        if self.render_mode is None:
            raise ValueError(f"render() needs a render_mode: give one of {RENDER_MODES} when you make the environment")
        return self._begun().render(self.render_mode, self.options.viewer(self.seat))

    def _repr_html_(self) -> str | None:
        """Return the HTML that notebooks show, as seen from `render_viewpoint`; None before the first reset."""
        return self._match.notebook_html(self.options.viewer(self.seat)) if self._has_begun else None

    def clone(self) -> SingleSeatEnv:
        """Return an independent copy of this environment, with its own opponents.

        An opponent that is a program is restarted: it is told of the game, but not of its earlier decisions.

        Raises:
            ValueError: an opponent cannot be copied.
        """
        memo: dict[int, Any] = {}
        for opponent in self.opponents:
            copy_opponent(opponent, memo)
        return copy.deepcopy(self, memo)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_given": []}  # a copy owns its opponents

    def close(self) -> None:
        """Stop the programs of opponents; those given as objects are left to their owner, unless this is a copy.

        A copy of an environment has copies of the objects, and closes them.
        """
        close_opponents(self.opponents, self._given)

    def _begun(self) -> Match:
        if not self._has_begun:
            raise ValueError(NOT_BEGUN)
        return self._match
