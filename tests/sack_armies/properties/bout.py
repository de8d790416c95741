"""One game that is played by choices, and what can be seen in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.random_games import config_of
from tests.sack_armies.builders.twin_worlds import States, act, copy_of, plain


@dataclass
class Bout:
    """A game from its first decision on.

    Attributes:
        options: arguments of `make_game`.
        seed: seed of the game.
        texts: actions so far, as texts.
        actions: the same actions as ids.
    """

    options: dict[str, Any]
    seed: int
    texts: list[str] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.game = make_game(**self.options)
        self.config = config_of(self.game)
        self.states = self.game.new_states(1)
        self.game.reset(self.game.params, self.states, np.array([self.seed], np.int64))

    @property
    def state(self) -> Any:
        """The record, to be read as `state["field"]`."""
        return plain(self.states)

    @property
    def player(self) -> int:
        """The current player; -1 once the game is over."""
        return int(self.state["current_player"])

    @property
    def decision(self) -> Decision:
        """What the current player is asked."""
        return Decision(int(self.state["decision"]))

    def legal(self) -> list[int]:
        """Return the legal ids in ascending order."""
        return legal_ids(self.state["legal"])

    def copy(self) -> States:
        """Return an independent copy of the state."""
        return copy_of(self.game, self.states)

    def twin(self) -> Bout:
        """Return an independent game that continues from here, with empty lists of texts and actions."""
        twin = object.__new__(Bout)
        twin.__dict__ |= self.__dict__ | {"states": self.copy(), "texts": [], "actions": []}
        return twin

    def act(self, action: int) -> None:
        """Apply a legal action."""
        self.texts.append(self.game.format_action(self.states, action))
        self.actions.append(action)
        act(self.game, self.states, action)

    def choose(self, choice: int) -> int:
        """Apply and return the action that a choice stands for."""
        legal = self.legal()
        action = legal[choice % len(legal)]
        self.act(action)
        return action


Look = Callable[[], None]  # checks the current decision; raises AssertionError
Check = Callable[[Bout], Look]


def play(bout: Bout, check: Check, chosen: Iterable[int]) -> None:
    """Play until the choices run out or the game is over, and look at every decision."""
    look = check(bout)
    look()
    for choice in chosen:
        if bout.player < 0:
            return
        bout.choose(choice)
        look()
