"""Decisions that a person at a table is not asked: forced choices, and reactions that they have ordered to pass."""

from __future__ import annotations

from sackarmies_env.core.game import Records
from sackarmies_env.envs.match import Match
from sackarmies_env.render.picture import find_picture
from sackarmies_training.table.game_table import GameTable, known_states


class Orders:
    """Standing orders of one person.

    Attributes:
        until: they pass in all reactions until their own "turn", or until an "attack" on something of theirs; "off"
            if they want to be asked.
    """

    def __init__(self, table: GameTable) -> None:
        self.until = "off"
        self._table = table

    def silent_choice(self, match: Match, *, shares_device: bool = False) -> int | None:
        """Return the choice made silently for the current player, who gave these orders; None if they must be asked.

        An order ends when what it waits for happens.

        Args:
            match: the game; what its player may not know decides nothing here.
            shares_device: whether several people play on one device. Then nothing hidden may decide whether it is
                passed on, so they are asked at each decision that all players know of.
        """
        states, seat = match.states, match.player
        if self.until == "turn" and self._table.active(states) == seat:
            self.until = "off"
        legal = match.legal_actions()
        passing = self._table.pass_of(known_states(match), legal)
        if passing is not None and self._passes(states, seat):
            return passing
        is_asked = self._table.is_final(states) or (shares_device and self._table.is_public(states))
        return legal[0] if len(legal) == 1 and not is_asked else None

    def _passes(self, states: Records, seat: int) -> bool:
        """Return whether this reaction is passed."""
        if self.until == "attack" and self._table.is_attacked(find_picture(self._table.game, states, seat), seat):
            self.until = "off"
        return self.until != "off"
