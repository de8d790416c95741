"""Armies: built-in, from files or from Python; and what makes an army legal (section 4.2)."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sackarmies_env.core.messages import join, join_faults, repeated, short_repr, suggestion
from sackarmies_env.core.safe_read import read_toml
from sackarmies_env.core.validation import read_model
from sackarmies_env.games.sack_armies.state.record import LARGE
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.catalogue import by_id, load_catalogue
from sackarmies_env.games.sack_armies.tokens.passing import too_many_effects
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, ArmyFile

ARMIES_FOLDER = Path(__file__).parent / "armies"
DEFAULT_ARMIES = ("fey_court", "scourge", "empire", "shazari", "nether_sisters", "mongrels")  # by seat


@dataclass(frozen=True)
class Army:
    """A set of tokens that a General brings.

    Attributes:
        name: for display.
        counts: copies by token id.
        inline: tokens that this army adds to the catalogue.
        description: for display; may be empty.
    """

    name: str
    counts: Mapping[str, int]
    inline: tuple[AnyToken, ...] = field(default=())
    description: str = ""

    @property
    def size(self) -> int:
        """Number of tokens."""
        return sum(self.counts.values())

    def ranks(self, tokens: Mapping[str, AnyToken]) -> int:
        """Return the sum of ranks; `tokens`, by id, must contain all of the army's tokens."""
        return sum(tokens[token_id].rank * copies for token_id, copies in self.counts.items())


ArmyChoice = Army | Mapping[str, Any] | str | Path | None


@functools.cache
def army_ids() -> tuple[str, ...]:
    """Return the ids of the built-in armies, sorted."""
    return tuple(sorted(path.stem for path in ARMIES_FOLDER.glob("*.toml")))


@functools.cache
def load_army(army_id: str) -> Army:
    """Return a built-in army.

    Raises:
        ValueError: if no army has that id.
    """
    if army_id not in army_ids():
        raise ValueError(
            f"unknown army {short_repr(army_id)}{suggestion(army_id, army_ids())}; built-in armies: {join(army_ids())}"
        )
    return read_army(read_toml(ARMIES_FOLDER / f"{army_id}.toml"), f"{army_id}.toml")


def built_in_armies() -> Mapping[str, Army]:
    """Return all built-in armies by id."""
    return {army_id: load_army(army_id) for army_id in army_ids()}


def read_army(data: object, source: str) -> Army:
    """Return an army from plain data: `name`, `tokens` (copies by id), its own `token` tables, `description`.

    Raises:
        ValueError: if the data is malformed, with a line for each fault; `check_army` says whether the army is
            legal.
    """
    army = read_model(ArmyFile, data, source)
    problems = repeated([token.id for token in army.token], "id")
    if problems:
        raise ValueError(join_faults(problems, source))
    return Army(army.name, dict(army.tokens), army.token, army.description)


def resolve_army(choice: ArmyChoice, seat: int = 0) -> Army:
    """Return the army that the General at `seat` chose before play.

    Args:
        choice: the id of a built-in army, the path of a TOML file, plain data as in such a file, an `Army`, or None for
            the default of the seat.
        seat: 0 to 5.

    Raises:
        ValueError: if there is no such army or file, or it does not have the form of an army.
    """
    if choice is None:
        return load_army(DEFAULT_ARMIES[seat])
    if isinstance(choice, Army):
        return choice
    if isinstance(choice, Mapping):
        return read_army(dict(choice), f"army of General {seat}")
    if isinstance(choice, str) and choice in army_ids():
        return load_army(choice)
    if not isinstance(choice, str | Path):
        raise ValueError(
            f"army of General {seat}: expected an army id, a file path or a table, got {short_repr(choice)}"
        )
    path = Path(choice)
    if isinstance(choice, str) and path.suffix != ".toml" and not os.path.exists(path):
        near = suggestion(choice, army_ids())
        raise ValueError(
            f"unknown army {short_repr(choice)}{near}; built-in armies: {join(army_ids())}; "
            "or give the path of a TOML file"
        )
    return read_army(read_toml(path), str(path))


# --- what makes an army legal


def check_army(
    army: Army, catalogue: Mapping[str, AnyToken] | None = None, switches: Switches | None = None
) -> list[str]:
    """Return everything that is wrong with an army, as sentences, under the agreed limits (R4.2-8, R4.1-2, Q-73).

    Args:
        army: the army.
        catalogue: all tokens by id; defaults to the catalogue plus the army's own tokens.
        switches: agreements; defaults to those of the standard game.
    """
    tokens = by_id([*load_catalogue().values(), *army.inline]) if catalogue is None else catalogue
    agreed = Switches() if switches is None else switches
    shadowing = [token.id for token in army.inline if token.id in load_catalogue()]
    problems = [f'the catalogue already has a token "{token_id}": give yours another id' for token_id in shadowing]
    problems += unknown_tokens(army, tokens)
    missing = too_few_copies(army)
    if missing:  # negative numbers would lower the sums below
        return problems + missing
    known = Army(army.name, {token_id: copies for token_id, copies in army.counts.items() if token_id in tokens})
    problems += too_many_ranks(known, tokens, agreed)
    problems += too_many_copies(known, tokens, agreed)
    problems += too_few_battlefields(known, tokens, agreed)
    problems += no_unit(known, tokens)
    problems += too_many_effects(copies_of(known, tokens))
    if army.size > LARGE.tokens:
        problems.append(f"it has {army.size} tokens, but at most {LARGE.tokens} fit into a game")
    return problems


def unknown_tokens(army: Army, tokens: Mapping[str, AnyToken]) -> list[str]:
    """Return a sentence for each id that names no token."""
    return [
        f'there is no token "{token_id}"{suggestion(token_id, tokens)}'
        for token_id in army.counts
        if token_id not in tokens
    ]


def too_few_copies(army: Army) -> list[str]:
    """Return a sentence for each token with less than one copy, which an `Army` built in Python may have."""
    return [
        f'it has {copies} copies of "{token_id}", but at least 1 is needed'
        for token_id, copies in army.counts.items()
        if copies < 1
    ]


def too_many_ranks(army: Army, tokens: Mapping[str, AnyToken], switches: Switches) -> list[str]:
    """Return a sentence if the ranks sum to more than is allowed (R4.2-2, C-max_ranks)."""
    total = army.ranks(tokens)
    if total <= switches.max_ranks:
        return []
    return [
        f"its ranks sum to {total}, but at most {switches.max_ranks} are allowed: {total - switches.max_ranks} too many"
    ]


def too_many_copies(army: Army, tokens: Mapping[str, AnyToken], switches: Switches) -> list[str]:
    """Return a sentence for each token with too many copies (R4.2-5, R4.2-6, R4.2-7, C-copy_limits)."""
    return [
        f'it has {copies} copies of "{token_id}", but at most {allowed} of a token of rank {rank} are allowed'
        for token_id, copies, rank in copies_by_rank(army, tokens)
        if copies > (allowed := switches.copies(rank))
    ]


def copies_by_rank(army: Army, tokens: Mapping[str, AnyToken]) -> Iterator[tuple[str, int, int]]:
    """Yield id, copies and rank of each token (R4.1-1)."""
    for token_id, copies in army.counts.items():
        yield token_id, copies, tokens[token_id].rank


def too_few_battlefields(army: Army, tokens: Mapping[str, AnyToken], switches: Switches) -> list[str]:
    """Return a sentence if there are too few battlefields; more are allowed (R4.2-3, C-min_battlefields)."""
    number = sum(copies for token_id, copies in army.counts.items() if tokens[token_id].kind == "battlefield")
    if number >= switches.min_battlefields:
        return []
    return [f"it has {number} battlefields, but at least {switches.min_battlefields} are needed"]


def no_unit(army: Army, tokens: Mapping[str, AnyToken]) -> list[str]:
    """Return a sentence if the army has no unit (Q-12)."""
    if any(tokens[token_id].kind == "unit" for token_id in army.counts):
        return []
    return ["it has no unit, but at least one is needed"]


def copies_of(army: Army, tokens: Mapping[str, AnyToken]) -> list[AnyToken]:
    """Return the tokens of an army, one entry per copy; `tokens`, by id, must contain all of them."""
    return [tokens[token_id] for token_id, copies in army.counts.items() for _ in range(copies)]


def require_legal(armies: Sequence[Army], catalogue: Mapping[str, AnyToken], switches: Switches) -> None:
    """Check the armies of all Generals.

    Raises:
        ValueError: if one of them is not legal, with a line for each problem.
    """
    problems = [
        f"army {short_repr(army.name)} of General {seat}: {problem}"
        for seat, army in enumerate(armies)
        for problem in check_army(army, catalogue, switches)
    ]
    if problems:
        raise ValueError(join_faults(problems))


def require_room(armies: Sequence[Army], catalogue: Mapping[str, AnyToken]) -> None:
    """Check that a state has room for all that the armies can cause, whatever limits they keep.

    Raises:
        ValueError: if it has not, with a line for each excess.
    """
    problems = [
        f"tokens of General {seat}: {problem}"
        for seat, army in enumerate(armies)
        for problem in too_many_effects(copies_of(army, catalogue))
    ]
    if problems:
        raise ValueError(join_faults(problems))
