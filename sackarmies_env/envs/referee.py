"""Referee's view of a game: the current decision as ids and texts, and the full state. Never for agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr
from sackarmies_env.envs.match import Match
from sackarmies_env.envs.padded import Padding

if TYPE_CHECKING:
    from sackarmies_env.core.record import GameRecord

NOT_BEGUN = "no game has begun: call reset() first"


class Referee:
    """The referee's methods, shared by the environments that play one game at a time."""

    game: Game
    padding: Padding | None  # if there is one, all ids here are padded

    def _begun(self) -> Match:
        """Return the game; raise ValueError if none has begun."""
        raise NotImplementedError

    def legal_actions(self) -> list[int]:
        """Return the legal ids of the current decision in ascending order; empty once the game is over."""
        legal = self._begun().legal_actions()
        return legal if self.padding is None else [self.padding.action(action) for action in legal]

    def legal_texts(self) -> list[str]:
        """Return the texts of `legal_actions`, in the same order."""
        return [self.format_action(action) for action in self.legal_actions()]

    def format_action(self, action: int) -> str:
        """Return the text of an action of the current decision.

        Raises:
            ValueError: there is no such action.
        """
        match = self._begun()
        is_integer = isinstance(action, int | np.integer) and not isinstance(action, bool)
        own = action if self.padding is None else self.padding.own_action(action)
        if not is_integer or not 0 <= own < self.game.num_actions:
            last = (self.game if self.padding is None else self.padding).num_actions - 1
            raise ValueError(f"unknown action {short_repr(action)}: action ids are 0 to {last}")
        return self.game.format_action(match.states, int(own))

    def parse_action(self, text: str) -> int:
        """Return the legal action that a text names at the current decision.

        Raises:
            ValueError: the text names no legal action.
        """
        match = self._begun()
        if not isinstance(text, str):
            raise ValueError(
                f"the text of an action must be a string, not {short_repr(text)}: see legal_texts(); ids are for step()"
            )
        action = self.game.parse_action(match.states, text)
        return action if self.padding is None else self.padding.action(action)

    def to_scenario(self) -> dict[str, Any]:
        """Return the full state as a scenario."""
        return self.game.to_scenario(self._begun().states)

    def record(self, players: Sequence[str] = ()) -> GameRecord:
        """Return the game so far as a record that can be saved and replayed.

        Args:
            players: names of the players, in seat order.

        Raises:
            ValueError: the names are not a list of strings, or there is not one for each player.
        """
        from sackarmies_env.core.record import make_record

        match = self._begun()
        is_list = isinstance(players, Sequence) and not isinstance(players, str)
        if not is_list or not all(isinstance(name, str) for name in players):
            raise ValueError(f"players={short_repr(players)}: it must be a list of names, one per seat")
        if len(players) not in {0, self.game.num_players}:
            raise ValueError(f"{len(players)} names are given for {self.game.num_players} players")
        return make_record(self.game, match.seed, match.history, forced=match.forced, players=players)
