"""The moments at which seats are shown a recorded game: those that all players know of, and decisions of their own.

Where the game stops, and for whom, may depend on what is hidden: a decision with one choice is taken silently. So seats
are shown forced decisions like others, but only where everybody knows that the game stops, as at a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game, Records


class Moment(NamedTuple):
    """A decision and what it led to.

    Attributes:
        before: `(1,)`, at the decision.
        action: action id, or the code of a forfeit.
        after: `(1,)`, at the next decision, which may be a forced one; must not be kept.
        is_chosen: whether the decision was asked; a forced one was taken silently.
        is_shown: whether the viewers are shown `after`.
    """

    before: Records
    action: int
    after: Records
    is_chosen: bool
    is_shown: bool


class Moments:
    """The moments of a game for some viewers.

    The game's hook `table` says where all players know that it stops. Without it, every decision is a moment. If one of
    the viewers sees everything, every ply is one.

    Args:
        game: the game.
        viewers: seats, or None for the referee.
    """

    def __init__(self, game: Game, viewers: Sequence[int | None]) -> None:
        make_table: Callable[[Game], Any] | None = find_hook(game.id, "table")
        sees_all = not {None, *game.all_seeing}.isdisjoint(viewers)
        self._table: Any = None if make_table is None or sees_all else make_table(game)
        self._viewers = frozenset(viewers)

    def of_ply(self, before: Records, action: int, after: Records) -> Iterator[Moment]:
        """Yield the moments of one ply, the last of which leads to `after`.

        Args:
            before: `(1,)`, the state before the ply.
            action: action id, or the code of a forfeit.
            after: `(1,)`, the state after the ply.
        """
        if self._table is None:
            yield Moment(before, action, after, True, True)
            return
        old = before
        for step in self._table.steps(before, action, after):
            yield Moment(
                old, step.action, step.states, old is before, self._is_shown(step.states, step.states is after)
            )
            old = step.states.copy()

    def _is_shown(self, states: Records, is_asked: bool) -> bool:
        """Return whether all know that the game stops here, or a viewer is asked; not for their forced decisions."""
        is_own = int(states["current_player"][0]) in self._viewers
        return is_asked if is_own else bool(self._table.is_public(states))
