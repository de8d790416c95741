"""Information sets: what a player may know of positions, in a form that search can sample states from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sackarmies_env.core.arguments import seeds_of
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import clear_padding


@dataclass(frozen=True, eq=False)
class InformationSets:
    """The information sets of one player in `n` positions: each is the set of states that the player cannot tell apart.

    One state of each set is kept, which depends on the set alone: what `Game.determinize` makes of any of them with the
    seed 0. So no byte of this object depends on what is hidden from the player.

    Attributes:
        game: as the player may know it, see `Game.known_to`.
        player: whose knowledge it is.
        states: `(n,)` records, one state of each set; writing to them affects nothing else, but spoils `sample`.
    """

    game: Game
    player: int
    states: Records

    @classmethod
    def of(cls, game: Game, states: Records, player: int) -> InformationSets:
        """Return the information sets of a player to which true states belong.

        Args:
            game: the game to play.
            states: `(n,)`, not changed.
            player: a seat.

        Raises:
            ValueError: there is no such player.
        """
        known = game.known_to(player)
        representatives = game.clone(states)  # the states are the caller's
        clear_padding(representatives)  # searches draw their worlds by all bytes
        game.determinize(game.params, representatives, np.full(len(states), player), np.zeros(len(states), np.int64))
        return cls(known, int(player), representatives)

    def __deepcopy__(self, memo: dict[int, Any]) -> InformationSets:
        """Copy the states to the byte: arrays of numpy copy fields alone, and leave what is between them undefined."""
        return InformationSets(self.game, self.player, self.game.clone(self.states))

    def __len__(self) -> int:
        return len(self.states)

    def sample(self, seeds: ArrayLike, rows: ArrayLike | None = None) -> Records:
        """Sample states that may be the true ones, each with its own future: `(k,)` records.

        Args:
            seeds: `(k,)`, 0 to 2**63 - 1; a set and a seed always give the same state.
            rows: the sets, `(k,)` integers, repeats allowed; None for one state of each.

        Raises:
            ValueError: there is no such set, or not one seed per state.
        """
        states = self.game.clone(self.states, rows)
        given = seeds_of(seeds, len(states))
        self.game.determinize(self.game.params, states, np.full(len(states), self.player), given)
        return states

    def select(self, rows: ArrayLike) -> InformationSets:
        """Return some of the information sets; rows `(k,)` integers."""
        return InformationSets(self.game, self.player, self.game.clone(self.states, rows))

    def observations(self) -> NDArray[np.int8]:
        """Return what the player sees, `(n, size)` int8; it is the same in all states of a set."""
        out = np.empty((len(self), self.game.observation_spec.size), np.int8)
        self.game.observe(self.game.params, self.states, np.full(len(self), self.player), out)
        return out

    def action_masks(self) -> NDArray[np.int8]:
        """Return the current players' masks, `(n, num_actions)` int8; those of `player` are as in the true states."""
        out = np.zeros((len(self), self.game.num_actions), np.int8)
        self.game.legal_actions(self.game.params, self.states, out)
        return out
