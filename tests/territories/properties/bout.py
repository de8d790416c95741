"""A game that a test plays, from its start or from a mid-game position, checked at every decision."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.territories.state.constants import Decision
from tests.territories.positions import random_table
from tests.territories.properties.invariants import Watch
from tests.territories.referee.lockstep import engine_of
from tests.territories.referee.random_play import LIKINGS, choose, options_of


def start_of(seed: int, is_new: bool) -> tuple[Game, Records]:
    """Return the game of a seed, at its start or at a random position; seeds cover all options."""
    if not is_new:
        found = random_table(seed)
        return found.game, found.states
    game = engine_of(options_of(seed))
    states = game.new_states(1)
    game.start(states, seed)
    return game, states


class Bout:
    """A game and the watch that checks it.

    Attributes:
        game: the game.
        states: `(1,)`.
        watch: checks each decision.
        met: how often each decision was met.
    """

    def __init__(self, seed: int, *, is_new: bool, game: Game | None = None) -> None:
        found, self.states = start_of(seed, is_new)
        self.game = game or found
        self.watch = Watch(self.game, self.states)
        self.met: Counter[Decision] = Counter()
        self._texts: list[str] = []
        self._rng = random.Random(seed)
        self._likings = [self._rng.choice(list(LIKINGS)) for _ in range(self.game.num_players)]

    @property
    def is_over(self) -> bool:
        return int(self.states["current_player"][0]) < 0

    @property
    def legal(self) -> list[int]:
        return legal_ids(self.states["legal"][0])

    def act(self, action: int) -> None:
        """Take an action and check the result."""
        self.met[Decision(int(self.states["decision"][0]))] += 1
        self._texts.append(self.game.format_action(self.states, action))
        self.game.step(self.game.params, self.states, np.array([action]))
        self._look()

    def forfeit(self, player: int) -> None:
        """Make a player forfeit and check the result."""
        self._texts.append(f"forfeit {player}")
        self.game.forfeit(self.game.params, self.states, np.array([player]))
        self._look()

    def _look(self) -> None:
        try:
            self.watch.look(self.game, self.states)
        except AssertionError as error:
            error.add_note(f"{self.game.config}, actions: {', '.join(self._texts)}")
            raise

    def play_at_random(self, decisions: int, forfeits: float = 0.0) -> None:
        """Play on at random, with the likings of the seed."""
        for _ in range(decisions):
            if self.is_over:
                return
            if forfeits and self._rng.random() < forfeits:
                self.forfeit(self._rng.choice(np.flatnonzero(self.states["alive"][0]).tolist()))
            else:
                player = int(self.states["current_player"][0])
                self.act(choose(self._rng, self.legal, self._likings[player]))

    def try_every_action(self) -> None:
        """Check the result of each legal action on a copy; the game stays as it is."""
        for action in self.legal:
            copy = self.game.clone(self.states)
            watch = Watch(self.game, copy)
            self.game.step(self.game.params, copy, np.array([action]))
            watch.look(self.game, copy)
