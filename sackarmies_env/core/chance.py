"""Forced results: what a coin, a die or a draw yields first, before a stream of chance decides.

A game declares each kind of chance that can be forced as a `ForcedKind`, which says how users write its results. The
state has queues of results for it (`chance_fields`), one in all or one per player, from which rules take `next_forced`.
Results are integers: the side of a coin, the number on a die, the type of a card.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.jit import njit
from sackarmies_env.core.messages import join, quote, short_repr, suggestion
from sackarmies_env.core.rng import seed_streams
from sackarmies_env.core.state import COUNT, Role, StateField, array, part_of_state

NO_RESULT = -1
BETWEEN = " |\t\n"  # allowed between the letters of a shared kind, for readability


def chance_fields(
    name: str, queues: int | str, length: int, dtype: type[np.integer[Any]], holds: str, meaning: str
) -> list[StateField]:
    """Return the fields `script_NAME`, `script_NAME_end` and `script_NAME_used`, which are hidden.

    Args:
        name: of a kind of chance, such as "flips".
        queues: 1, or the name of a size: SEAT for one queue per player.
        length: most results that a queue holds.
        dtype: of a result.
        holds: what a result is, as in `StateField`; FLAG for a coin.
        meaning: a phrase.
    """
    return part_of_state(
        "forced results",
        array(f"script_{name}", dtype, (queues, length), holds, meaning, empty=0),
        array(f"script_{name}_end", np.int16, (queues,), COUNT, "how many there are", limits=(0, length)),
        array(f"script_{name}_used", np.int16, (queues,), COUNT, "how many have been used", limits=(0, length)),
        role=Role.HIDDEN,
    )


@njit
def next_forced(results, ends, used, queue):
    """Take the next forced result of a queue and return it; NO_RESULT if none is left."""
    place = np.int64(used[queue])
    if place >= ends[queue]:
        return np.int64(NO_RESULT)
    used[queue] = place + 1
    return np.int64(results[queue, place])


@njit
def clear_forced(results, ends, used):
    """Clear all forced results."""
    for queue in range(len(ends)):
        ends[queue] = 0
        used[queue] = 0
        for place in range(results.shape[1]):
            results[queue, place] = 0


@njit(inlined=True)
def sample_worlds(sample, params, states, players, seeds):
    """Determinize states: give each its own future, and have `sample` replace what is hidden.

    `sample` is a kernel `(params, state, player)` that erases all that is hidden from a player, forced results
    included, and samples it from the reseeded streams of the state. `decisions` becomes 0: how many of them others have
    made is hidden.
    """
    for i in range(len(states)):
        seed_streams(states[i], seeds[i])
        states[i].decisions = 0
        sample(params[0], states[i], np.int64(players[i]))


def force_results(states: NDArray[np.void], name: str, queues: Sequence[Sequence[int]]) -> None:
    """Replace the forced results of a kind of chance in `states[0]`, in as many of the first queues as are given.

    Raises:
        ValueError: more queues or results than a state holds.
    """
    results, ends, used = (states[f"script_{name}{part}"][0] for part in ("", "_end", "_used"))
    if len(queues) > len(ends):
        raise ValueError(f"forced {name} for {len(queues)} players: at most {len(ends)} are allowed")
    for queue, forced in enumerate(queues):
        if len(forced) > results.shape[1]:
            whose = f" for player {queue}" if len(ends) > 1 else ""
            raise ValueError(f"{len(forced)} forced {name}{whose}: at most {results.shape[1]} are allowed")
        results[queue] = 0
        results[queue, : len(forced)] = forced
        ends[queue], used[queue] = len(forced), 0


def forced_left(states: NDArray[np.void], name: str) -> list[list[int]]:
    """Return the unused forced results of a kind of chance in `states[0]`, one list per queue."""
    results, ends, used = (states[f"script_{name}{part}"][0].tolist() for part in ("", "_end", "_used"))
    return [row[first:end] for row, first, end in zip(results, used, ends, strict=True)]


# --- as users write them


@dataclass(frozen=True)
class ForcedKind:
    """A kind of chance whose results can be forced.

    Attributes:
        name: as users write it and as given to `chance_fields`.
        results: for each queue, what users write (texts or integers) -> the number that it stands for.
        is_shared: whether there is one queue for all players. If so, users write a text with one letter per result,
            such as "H T | H"; if not, a list of results for each player.
        has_memory: whether the next result depends on earlier ones, as with the cards of a deck; if not, all results
            of a queue are equally likely each time.

    Raises:
        ValueError: a shared result is not a capital letter or digit, so nobody could write it.
    """

    name: str
    results: tuple[Mapping[Any, int], ...]
    is_shared: bool = False
    has_memory: bool = False

    def __post_init__(self) -> None:
        """Refuse a kind whose results nobody could write."""
        wrong = [each for each in self.results[0] if not _is_letter(each)] if self.is_shared else []
        if wrong:
            raise ValueError(f"{self.name}: a shared result must be one capital letter or digit, not {wrong[0]!r}")

    def read(self, given: Any) -> list[list[int]]:
        """Convert what a user writes to numbers, one list for each of the first queues.

        Raises:
            ValueError: it has the wrong form, or holds something that is not a result.
        """
        return self._read_text(given) if self.is_shared else self._read_lists(given)

    def _read_text(self, given: Any) -> list[list[int]]:
        results = self.results[0]
        letters = [letter for letter in given.upper() if letter not in BETWEEN] if isinstance(given, str) else [""]
        if not results.keys() >= set(letters):
            wanted = f"a string of the letters {join(results)}, with blanks and bars between them"
            raise ValueError(f"{self.name}={short_repr(given)}: it must be {wanted}")
        return [[results[letter] for letter in letters]] if letters else []

    def _read_lists(self, given: Any) -> list[list[int]]:
        if not _is_list(given) or not all(_is_list(queue) for queue in given):
            raise ValueError(f"{self.name}={short_repr(given)}: it must be a list with one list per player")
        if len(given) > len(self.results):
            raise ValueError(f"forced {self.name} for {len(given)} players: the game has {len(self.results)}")
        return [[self._result(player, entry) for entry in queue] for player, queue in enumerate(given)]

    def _result(self, player: int, given: Any) -> int:
        results = self.results[player]
        given = int(given) if isinstance(given, np.integer) else given
        if not isinstance(given, str | int) or isinstance(given, bool) or given not in results:
            allowed = suggestion(given, results) or f"; allowed are {join(results)}"
            raise ValueError(f"{self.name}[{player}]: {quote(given)} is not a result for player {player}{allowed}")
        return results[given]


def _is_letter(given: Any) -> bool:
    return isinstance(given, str) and len(given) == 1 and given == given.upper() and given not in BETWEEN


def _is_list(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def write_forced(states: NDArray[np.void], kinds: Sequence[ForcedKind], forced: Mapping[str, Any]) -> None:
    """Write forced results into `states[0]`, replacing those in the same queues.

    Args:
        states: `(n,)`.
        kinds: what can be forced.
        forced: what users write, by name of the kind.

    Raises:
        ValueError: a kind is unknown, or does not take what is given.
    """
    known = {kind.name: kind for kind in kinds}
    if not isinstance(forced, Mapping):
        raise ValueError(f"forced results {short_repr(forced)}: they must be a dict; allowed keys: {named(kinds)}")
    for name, given in forced.items():
        if name not in known:
            near = suggestion(name, known)
            raise ValueError(f"unknown kind of forced results {quote(name)}{near}: allowed are {named(kinds)}")
        force_results(states, name, known[name].read(given))


def named(kinds: Sequence[ForcedKind]) -> str:
    """Return the names of kinds as a list in a sentence."""
    return join(kind.name for kind in kinds) or "none in this game"


def _plain(given: Any) -> Any:
    return int(given) if isinstance(given, np.integer) else list(given)


def plain_forced(forced: Mapping[str, Any]) -> dict[str, Any]:
    """Return valid forced results as JSON would give them back, without kinds for which nothing is forced."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(forced), default=_plain))
    return {name: given for name, given in plain.items() if given not in ("", [])}
