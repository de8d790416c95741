"""Variety: a different game of the same kind at each reset, chosen by its options or drawn from the seed."""

from __future__ import annotations

import hashlib
import inspect
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr, suggestion
from sackarmies_env.core.safe_read import MAX_JSON, read_bytes, shallow
from sackarmies_env.envs.padded import Padding, make_padding

RANDOM = "random"
ARMIES = "armies"
SCENARIO = "scenario"
STREAM = 0x5AC4  # keeps these draws independent of other numbers drawn from the seed of a game
MAX_KEPT = 256  # games kept ready, since building one takes milliseconds

Sampler = Callable[[np.random.Generator], Mapping[str, Any]]


class Arena(NamedTuple):
    """A game, and its padding to the layout that all games of an environment share."""

    game: Game
    padding: Padding | None


class Variety:
    """The games that an environment can be reset to. They all have the same spaces and number of players.

    Each game has `options`, some of them replaced by what the sampler draws, or by the options of a reset, in which
    case the sampler is not called. `armies="random"`, or "random" for one of the players, draws built-in armies; if all
    would be drawn, a scenario takes their place.

    Which army a seed gives to whom is part of the configuration: players learn of it only what the rules tell them.

    Args:
        load: `(**options) -> Game`.
        names: options that may vary.
        options: options of the game; with None, the sampler or a reset returns one to its default.
        sampler: `(generator) -> dict` of some options; the generator is seeded by the seed of the game.
        sizes: as in `make_padding`.

    Attributes:
        names: options that may vary.
        first: the game of `options` alone, without anything drawn.
        draws: whether a reset without options draws from the seed.

    Raises:
        ValueError: the game refuses the options or the sizes, or the sampler is not callable.
    """

    def __init__(
        self,
        load: Callable[..., Game],
        names: Collection[str],
        options: Mapping[str, Any],
        sampler: Sampler | None = None,
        sizes: Mapping[str, Any] | None = None,
    ) -> None:
        if sampler is not None and not callable(sampler):
            raise ValueError(f"sampler={short_repr(sampler)}: it must be a function of a random generator, or None")
        self._load = load
        self.names = tuple(names)
        self._options = dict(options)
        self._sampler = sampler
        self._sizes = dict(sizes or {})
        self._kept: OrderedDict[str, Arena] = OrderedDict()
        is_drawn = _is_drawn(options.get(ARMIES)) and options.get(SCENARIO) is None  # the game refuses both together
        fixed = {name: value for name, value in options.items() if name != ARMIES or not is_drawn}
        self.first = self._make(fixed)
        self.draws = sampler is not None or len(fixed) < len(options)

    def split(self, options: Any) -> tuple[dict[str, Any], Any]:
        """Split the options of a reset into those that choose the game and all others."""
        if not isinstance(options, Mapping) or not any(name in self.names for name in options):
            return {}, options
        given = {name: value for name, value in options.items() if name in self.names}
        return given, {name: value for name, value in options.items() if name not in self.names}

    def draws_with(self, given: Mapping[str, Any]) -> bool:
        """Return whether a reset with these options draws from the seed."""
        return _is_drawn(self._with(given).get(ARMIES)) if given else self.draws

    def choose(self, seed: int, given: Mapping[str, Any]) -> Arena:
        """Return the game for a seed.

        Args:
            seed: 0 to 2**63 - 1.
            given: options of the reset that choose the game, see `split`.

        Raises:
            ValueError: the game refuses the given or drawn options, or has other spaces or another number of players.
        """
        if not given and not self.draws:
            return self.first
        generator = np.random.default_rng([STREAM, seed])
        drawn = {} if given or self._sampler is None else self._sample(generator)
        replaced = drawn | dict(given)
        for name, value in replaced.items():
            shallow(value, name)
        options = self._with(replaced)
        if _is_drawn(options.get(ARMIES)):
            options[ARMIES] = self._draw_armies(options[ARMIES], generator)
        key = repr([(name, options[name], _content(options[name])) for name in sorted(options)])
        if key not in self._kept:
            arena = self._make(options)
            self._check(arena)
            self._kept[key] = arena
        self._kept.move_to_end(key)
        if len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]

    def _with(self, replaced: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options with some replaced; armies that would all be drawn give way to a scenario."""
        options = self._options | dict(replaced)
        has_own = replaced.get(SCENARIO) is not None and ARMIES not in replaced
        if has_own and all(_drawn(options.get(ARMIES))):
            del options[ARMIES]
        return options

    def _sample(self, generator: np.random.Generator) -> dict[str, Any]:
        assert self._sampler is not None
        drawn = self._sampler(generator)
        if not isinstance(drawn, Mapping):
            raise ValueError(f"the sampler must return a dict of game options, not {short_repr(drawn)}")
        for name in drawn:
            if name not in self.names:
                near = suggestion(name, self.names)
                raise ValueError(
                    f"the sampler returned {short_repr(name)}{near}: allowed options are {', '.join(self.names)}"
                )
        return dict(drawn)

    def _draw_armies(self, choice: Any, generator: np.random.Generator) -> Any:
        known = (find_hook(self.first.game.id, "choices") or {}).get(ARMIES)
        if known is None:
            return choice  # the game validates it
        players = self.first.game.num_players
        drawn = [known()[number] for number in generator.integers(len(known()), size=players)]
        if isinstance(choice, str):
            return drawn
        if len(choice) != players:
            return choice  # the game refuses the wrong number of armies
        return [new if _is_drawn(old) else old for old, new in zip(choice, drawn, strict=True)]

    def _make(self, options: Mapping[str, Any]) -> Arena:
        game = self._load(**{name: value for name, value in options.items() if value is not None})
        return Arena(game, make_padding(game, **self._sizes))

    def _check(self, arena: Arena) -> None:
        """Refuse a game that does not fit the environment."""
        players, wanted = arena.game.num_players, self.first.game.num_players
        if players != wanted:
            raise ValueError(f"this environment is for {wanted} players, not {players}")
        if _layout(arena) != _layout(self.first):
            padded = find_hook(arena.game.id, "padded")
            sizes = [] if padded is None else list(inspect.signature(padded).parameters)[1:]
            advice = f": make the environment with larger {' and '.join(sizes)}" if sizes else ""
            raise ValueError(f"the game does not fit the spaces of this environment{advice}")


def _content(value: Any) -> Any:
    """Return what the files that an option names hold now, as hashes, in lists of any depth; None if it names none.

    A file may be edited between two resets, and the game that it described before must not be played then.
    """
    if isinstance(value, list | tuple):
        return [_content(one) for one in value]
    if not isinstance(value, str | Path):
        return None
    try:
        return hashlib.sha256(read_bytes(value, "a file of options", MAX_JSON)).hexdigest()
    except ValueError:  # a name, or a path that the game refuses
        return None


def _layout(arena: Arena) -> tuple[Any, int]:
    layout = arena.game if arena.padding is None else arena.padding
    spec = arena.game.observation_spec if arena.padding is None else arena.padding.spec
    return spec, layout.num_actions


def _is_drawn(armies: Any) -> bool:
    """Return whether at least one army is drawn at random."""
    return any(_drawn(armies))


def _drawn(armies: Any) -> list[bool]:
    """Return for each choice of an army whether it is "random"; a list has one choice per player."""
    is_list = isinstance(armies, Sequence) and not isinstance(armies, str) and len(armies) > 0
    return [isinstance(one, str) and one == RANDOM for one in (armies if is_list else [armies])]
