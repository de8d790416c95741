"""Validation of options, seeds and forced results, with the same messages in all adapters."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import index
from typing import Any, TypedDict

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from sackarmies_env.core.arguments import is_integer
from sackarmies_env.core.chance import named
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import join, short_repr, suggestion
from sackarmies_env.core.step_batch import MAX_RESTARTS
from sackarmies_env.envs.keywords import RENDER_MODES, refuse_unknown
from sackarmies_env.envs.padded import Padding
from sackarmies_env.envs.spaces import AGENT_NAME
from sackarmies_env.envs.structured import FLAT, FORMS
from sackarmies_env.envs.variety import Variety

TOO_SHORT = f"{MAX_RESTARTS} games in a row were over before the learner's first decision"
ILLEGAL_ACTIONS = ("raise", "penalize", "terminate")
MAX_SEED = 2**63 - 1
OWN = "own"


@dataclass(frozen=True)
class PotentialShaping:
    """Extra reward gamma * potential(next) - potential(now) between two decisions of an agent.

    It is computed from the agent's own observations, and does not change which policies are best (Ng, Harada, Russell:
    "Policy invariance under reward transformations", 1999). The potential is 0 once the rules have ended the game for
    the agent; in a truncated game it is that of the last observation.

    Attributes:
        potential: takes observations `(n, size)` int8, returns `(n,)` floats. A module-level function can be pickled.
        gamma: discount factor of the learner.
    """

    potential: Callable[[NDArray[np.int8]], NDArray[np.floating[Any]]]
    gamma: float = 1.0

    def __call__(self, observation: NDArray[np.int8]) -> float:
        """Return the potential of one observation `(size,)`."""
        return float(self.potential(observation[np.newaxis])[0])


class CommonOptions(TypedDict, total=False):
    """The keyword arguments of `Options`, for environments that pass them on."""

    render_mode: str | None
    render_viewpoint: str | int
    illegal_action: str
    illegal_penalty: float
    shaping: PotentialShaping | None
    observation: str
    padding: Padding | None
    variety: Variety | None


@dataclass(frozen=True)
class Options:
    """Options that all environments share.

    Attributes:
        render_mode: "ansi", "rgb_array", "html" (a single-file page), "human" (prints after each step) or None.
        render_viewpoint: whose view is drawn: "own", that of the learner, or of the current player if there is no
            learner (of the referee once the game is over); a seat, or the name of its agent such as "player_0"; or
            "referee", who sees all.
        illegal_action: "raise" raises a ValueError and changes nothing; "penalize" subtracts `illegal_penalty` from the
            agent's reward and plays a random legal action instead; "terminate" makes the agent forfeit.
        illegal_penalty: for "penalize", at least 0.
        shaping: extra reward from a potential of the agent's own observations; None for the game's rewards alone.
        observation: the form of observations, see `Form`: "flat", the vector; "dict", its blocks by name; "planes",
            if the game has them.
        padding: a larger layout shared with games of other sizes, see `envs.padded.make_padding`; None for none.
        variety: games that `reset` may choose from; None to play always the same game.
    """

    render_mode: str | None = None
    render_viewpoint: str | int = OWN
    illegal_action: str = "raise"
    illegal_penalty: float = 0.1
    shaping: PotentialShaping | None = None
    observation: str = FLAT
    padding: Padding | None = None
    variety: Variety | None = None

    def viewer(self, own: int | None) -> int | None:
        """Return the seat to render for, None for the referee; `own` is the seat that "own" stands for."""
        if self.render_viewpoint == OWN:
            return own
        return None if self.render_viewpoint == "referee" else int(self.render_viewpoint)

    def check_potential(self, game: Game, chosen: Game) -> None:
        """Refuse a chosen game if the potential for `game` would misread its vectors.

        Raises:
            ValueError: there is a potential, and the two games have different layouts of observations.
        """
        if self.shaping is not None and chosen.observation_spec != game.observation_spec:
            raise ValueError("shaping: the potential reads observations of another layout than this game has")


def read_options(given: CommonOptions, num_players: int, whose: str) -> Options:
    """Validate and return the options of an environment.

    Args:
        given: the options.
        num_players: number of players of the game.
        whose: name of the environment's class.

    Raises:
        ValueError: an option is unknown (also a TypeError), or its value is not allowed.
    """
    refuse_unknown(given, [field.name for field in fields(Options)], whose)
    options = Options(**given)
    check_choice("render_mode", options.render_mode, (None, *RENDER_MODES))
    names = [AGENT_NAME.format(seat) for seat in range(num_players)]
    check_choice("render_viewpoint", options.render_viewpoint, (OWN, "referee", *range(num_players), *names))
    if options.render_viewpoint in names:
        options = replace(options, render_viewpoint=names.index(str(options.render_viewpoint)))
    check_choice("illegal_action", options.illegal_action, ILLEGAL_ACTIONS)
    options = replace(options, illegal_penalty=read_penalty(options.illegal_penalty))
    check_choice("observation", options.observation, FORMS)
    if options.shaping is not None and not isinstance(options.shaping, PotentialShaping):
        raise ValueError(f"shaping={short_repr(options.shaping)}: it must be a PotentialShaping or None")
    if options.variety is not None and not isinstance(options.variety, Variety):
        raise ValueError(f"variety={short_repr(options.variety)}: it must be a Variety or None")
    return options


def read_penalty(penalty: Any) -> float:
    """Return an `illegal_penalty`, which must be a finite number of at least 0.

    Raises:
        ValueError: the penalty is not such a number.
    """
    is_number = isinstance(penalty, float | np.floating) or is_integer(penalty)
    if not (is_number and 0 <= penalty < math.inf):
        raise ValueError(f"illegal_penalty={short_repr(penalty)}: it must be a number of at least 0")
    return float(penalty) if isinstance(penalty, np.generic) else penalty


def check_choice(option: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Refuse an option value that is not allowed.

    Raises:
        ValueError: the value is not allowed.
    """
    is_one = value is None or isinstance(value, str | int | np.integer)
    if not is_one or isinstance(value, bool) or value not in allowed:
        near = suggestion(value, [word for word in allowed if _number(word) in {"", _number(value)}])
        raise ValueError(
            f"{option}={short_repr(value)}{near}: allowed are {', '.join(repr(choice) for choice in allowed)}"
        )


def _number(word: object) -> str:
    """Return the digits at the end of a word, so that a mistyped seat is never corrected to another one."""
    text = str(word)
    return text[len(text.rstrip("0123456789")) :]


def next_seed(seed: int | None, rng: np.random.Generator | None) -> tuple[int, np.random.Generator]:
    """Return the seed of a new game and the generator of the seeds after it.

    Args:
        seed: seed of the new game; it also reseeds the generator. None draws one from `rng`.
        rng: the generator so far; None for one seeded by the system.

    Raises:
        ValueError: the seed is not an integer from 0 to 2**63 - 1.
    """
    if seed is None:
        rng = seeding.np_random()[0] if rng is None else rng
        return int(rng.integers(MAX_SEED, endpoint=True)), rng
    try:
        number = -1 if isinstance(seed, bool) else index(seed)
    except TypeError:
        number = -1
    if not 0 <= number <= MAX_SEED:
        raise ValueError(f"seed {short_repr(seed)}: a seed is an integer from 0 to 2**63 - 1, or None")
    return number, seeding.np_random(number)[0]


class DrawsOwnSeed:
    """Gymnasium's `np_random` and `np_random_seed` for environments whose first game takes the seed that is drawn.

    So `reset(seed=np_random_seed)` begins the same games again; Gymnasium's own default has more bits than the seed of
    a game. It is drawn when it is first asked for: copies of an environment that has not begun play different games.
    """

    _np_random: np.random.Generator | None = None
    _np_random_seed: int | None = None

    @property
    def np_random(self) -> np.random.Generator:
        """The generator of later seeds; after it is set, `np_random_seed` is -1."""
        self._draw_seed()
        assert self._np_random is not None
        return self._np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._np_random, self._np_random_seed = value, -1

    @property
    def np_random_seed(self) -> int:
        """The seed last given to `reset`, or drawn if none was given; -1 if there is none."""
        self._draw_seed()
        assert self._np_random_seed is not None
        return self._np_random_seed

    def _draw_seed(self) -> None:
        if self._np_random_seed is None:
            self._np_random_seed, _ = next_seed(None, None)
            self._np_random, _ = seeding.np_random(self._np_random_seed)


def own_seed(seed: Any, np_random_seed: int | None, *, is_new: bool) -> Any:
    """Return the seed of a reset: that of the environment's generator if it is the first reset and none is given.

    A generator that the caller has set has no seed, only -1: seeds are then drawn from it.
    """
    return np_random_seed if seed is None and is_new and np_random_seed != -1 else seed


def first_seeds(
    seed: Any, num_envs: int, following: NDArray[np.int64] | None, rng: np.random.Generator | None
) -> tuple[NDArray[np.int64], np.random.Generator | None]:
    """Return the seeds of games that begin together, `(num_envs,)`, and the generator of later seeds.

    Args:
        seed: seed of the first game; the others have seed + 1, seed + 2, ... A sequence gives each game its own, with
            None for the seed that follows, or one drawn from `rng`. None takes all `following`, or else draws the first
            seed from `rng`.
        num_envs: number of games.
        following: the seeds that follow those of the last games; None if there are none.
        rng: the generator so far; None for one seeded by the system.

    Raises:
        ValueError: a seed is invalid, or there is not one for each game.
    """
    if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes):
        if isinstance(seed, np.ndarray) and seed.ndim != 1:
            raise ValueError(f"seed has the shape {seed.shape}: it must be one integer or a list of {num_envs}")
        if len(seed) != num_envs:
            raise ValueError(f"{len(seed)} seeds are given for {num_envs} games")
        after = [None] * num_envs if following is None else following.tolist()
        seeds = [next_seed(then if one is None else one, rng)[0] for one, then in zip(seed, after, strict=True)]
        return np.array(seeds, np.int64), np.random.default_rng(seeds)
    if seed is None and following is not None:
        return following, rng
    first, chance = next_seed(seed, rng)
    return np.array([(first + row) & MAX_SEED for row in range(num_envs)], np.int64), chance


def seed_of_generator(seed: int | Sequence[int | None]) -> int:
    """Return Gymnasium's `np_random_seed` after `first_seeds` has started a generator: -1 for several seeds."""
    return -1 if isinstance(seed, Sequence | np.ndarray) else index(seed)


def read_reset_mask(options: Any, num_envs: int, *, has_begun: bool) -> tuple[NDArray[np.bool_] | None, Any]:
    """Split the options of `reset` into Gymnasium's `reset_mask` and all others.

    Args:
        options: options of `reset`.
        num_envs: number of games.
        has_begun: whether games are running. If not, a mask of all games counts as no mask.

    Returns:
        The mask and the other options. None for the mask means that all games begin, possibly of new kinds.

    Raises:
        TypeError: the mask is not an array of bool.
        ValueError: it does not have one entry per game, selects no game, or leaves out games that have not begun.
    """
    if not isinstance(options, Mapping) or "reset_mask" not in options:
        return None, options
    mask, others = options["reset_mask"], {name: value for name, value in options.items() if name != "reset_mask"}
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        given = f"an array of {mask.dtype}" if isinstance(mask, np.ndarray) else type(mask).__name__
        raise TypeError(f"reset_mask must be a numpy array of bool, not {given}")
    if mask.shape != (num_envs,):
        raise ValueError(f"reset_mask must have the shape ({num_envs},), one entry per game, not {mask.shape}")
    if not mask.any():
        raise ValueError("reset_mask selects no games: at least one entry must be True")
    if not has_begun:
        if not mask.all():
            raise ValueError("no games are running: call reset() without a reset_mask first")
        return None, others
    return mask.copy(), others


def games_are_over(rows: list[int]) -> str:
    """Return the message for a step while finished games are not replaced."""
    return (
        f"the games {rows} are over, and autoreset_mode is 'Disabled': call reset() with "
        "options={'reset_mask': ...} before step()"
    )


def forced_results(options: Any, game: Game, variety: Variety | None = None) -> dict[str, Any]:
    """Return the forced results among the options of `reset`; warn about unknown options.

    Args:
        options: a mapping, or None.
        game: the game, which checks the results when it starts.
        variety: has already taken out its own options, which are known too.

    Raises:
        ValueError: the options are not a mapping.
    """
    if options is None:
        return {}
    known = [kind.name for kind in game.forced_kinds]
    if not isinstance(options, Mapping):
        allowed = named(game.forced_kinds)
        raise ValueError(f"options={short_repr(options)} of reset: it must be a dict or None; allowed keys: {allowed}")
    unknown = [key for key in options if key not in known]
    if unknown:
        names = [*known, *(() if variety is None else variety.names)]
        near, allowed = suggestion(unknown[0], names), join(names) or named(())
        warnings.warn(
            f"reset ignores the unknown options {short_repr(unknown)}{near}: known are {allowed}", stacklevel=3
        )
    return {key: given for key, given in options.items() if key in known}
