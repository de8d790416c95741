"""Takebacks for human players: parts of a compound choice, before anybody has learned anything from them."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.envs.match import Match

CHANCE = ("flip_count", "draw_count")  # number of words used from each stream of chance
WORLDS = 16  # samples of the player's information set in which a choice is tried


def may_take_back(before: Match, after: Match) -> bool:
    """Return whether the last choice of `after` may be taken back.

    It may if the same player decides next, no chance was drawn, no other player observes a difference, and the player
    could foresee what they would observe. The answer depends only on what the player knows now.

    Args:
        before: the game at a decision.
        after: the same game one choice later.
    """
    player = before.player
    if player == NO_PLAYER or after.player != player or len(after.history) != len(before.history) + 1:
        return False
    return not (
        _chance_was_drawn(before.game, before.states, after.states)
        or any(
            not np.array_equal(before.observe(seat), after.observe(seat))
            for seat in range(before.game.num_players)
            if seat != player
        )
        or _was_uncertain(before, after)
    )


def _chance_was_drawn(game: Game, before: Records, after: Records) -> bool:
    """Return whether a stream of chance was read or a forced result was used."""
    names = (*CHANCE, *(f"script_{kind.name}_used" for kind in game.forced_kinds))
    return any(not np.array_equal(before[name], after[name]) for name in names)


def _was_uncertain(before: Match, after: Match) -> bool:
    """Return whether the choice would show the player something else in a world that they considered possible.

    This is so if a choice shows something hidden to the player alone, without chance. No such choice is known in the
    built-in games, but a game that is registered may have some.
    """
    game, player = before.game, before.player
    worlds = before.information_set(player).sample(np.arange(WORLDS), np.zeros(WORLDS, np.int64))
    game.step(game.params, worlds, np.full(WORLDS, after.history[-1]))
    out = np.empty((WORLDS, game.observation_spec.size), np.int8)
    game.observe(game.params, worlds, np.full(WORLDS, player), out)
    return bool((out != after.observe(player)).any())


class Takebacks:
    """Plays people's choices in a game, and takes them back where allowed.

    Attributes:
        match: the game; all other choices may be played in it directly, if `clear` is called afterward.
    """

    def __init__(self, match: Match) -> None:
        self.match = match
        self._before: list[Match] = []  # the game before each choice that may be taken back

    @property
    def num_choices(self) -> int:
        """Number of choices that may be taken back, one after another."""
        return len(self._before)

    def play(self, action: int) -> None:
        """Apply a legal action of the current player."""
        before = self.match.clone()
        self.match.play(action)
        if may_take_back(before, self.match):
            self._before.append(before)
        else:
            self.clear()

    def take_back(self) -> None:
        """Return to the decision before the last choice.

        Raises:
            ValueError: the last choice may not be taken back.
        """
        if not self._before:
            raise ValueError(
                "nothing can be taken back: earlier choices are known to others or were followed by chance"
            )
        before = self._before.pop()
        self.match.restore(before.states.tobytes(), before.history)

    def clear(self) -> None:
        """Make all choices so far final."""
        self._before.clear()
