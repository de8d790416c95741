"""Checks of texts: actions, decisions, scenarios."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.testing.probe import bytes_of, player_of, require
from sackarmies_env.testing.random_play import RandomPlay

NUM_ILLEGAL = 8  # illegal ids whose texts are tried at a decision
NUM_EARLIER = 8  # texts of earlier decisions that are tried
NONSENSE = ("", " ", "?", "no such action", "-1", "999999", "\n", "\u00e9")


class Texts:
    """Checks of the texts of one game; remembers texts of earlier decisions to try them where they are illegal."""

    def __init__(self, game: Game, play: RandomPlay) -> None:
        self.game = game
        self.play = play
        self._earlier: list[str] = []
        self._rng = np.random.default_rng([play.seed, 1])

    def check_decision(self) -> None:
        """Check the texts of the current decision.

        Texts of legal actions must differ and parse back to their actions. Any other text must parse to a legal action
        or raise ValueError. The decision must have a name.
        """
        game, play = self.game, self.play
        before = bytes_of(play.states)
        legal = np.flatnonzero(play.action_mask[0]).tolist()
        texts = [game.format_action(play.states, one) for one in legal]
        require(len(set(texts)) == len(texts), play, f"legal actions share a text: {texts}")
        for one, text in zip(legal, texts, strict=True):
            require(text.isprintable() and text.strip(), play, f"action {one} reads {text!r}, not a line of text")
            read = game.parse_action(play.states, text)
            require(read == one, play, f"action {one} reads {text!r}, which is read back as {read}")
        require(game.describe_decision(play.states), play, "the decision has no name")
        json.dumps(game.to_scenario(play.states))
        self._check_illegal(legal, texts)
        require(bytes_of(play.states) == before, play, "a text function changes the state")
        self._earlier = (self._earlier + texts)[-1000:]

    def check_end(self) -> None:
        """Check that no text names an action once the game is over, and that the last position can be dumped."""
        for text in (*NONSENSE, *self._some_earlier()):
            read = self._read(text)
            require(read is None, self.play, f"the game is over, but {text!r} is read as action {read}")
        json.dumps(self.game.to_scenario(self.play.states))

    def _check_illegal(self, legal: list[int], texts: list[str]) -> None:
        illegal = np.flatnonzero(self.play.action_mask[0] == 0)
        some = self._rng.choice(illegal, min(NUM_ILLEGAL, len(illegal)), replace=False).tolist()
        near = [f"{texts[0]} {texts[0]}", f"{texts[0]}x", texts[-1][:-1]]
        for text in (*NONSENSE, *near, *self._some_earlier(), *texts_of(self.game, self.play.states, some)):
            read = self._read(text)
            fault = f"{text!r} is read as action {read}, which is not legal"
            require(read is None or read in legal, self.play, fault)

    def _some_earlier(self) -> list[str]:
        count = min(NUM_EARLIER, len(self._earlier))
        return [self._earlier[place] for place in self._rng.integers(len(self._earlier), size=count)] if count else []

    def _read(self, text: str) -> int | None:
        """Return the action that a text parses to; None if it is refused."""
        try:
            return self.game.parse_action(self.play.states, text)
        except ValueError:
            return None
        except (LookupError, TypeError, AttributeError, ArithmeticError) as error:
            fault = f"parse_action refuses {text!r} with a {type(error).__name__}, not a ValueError"
            raise AssertionError(f"{self.play.where()}: {fault}") from error


def texts_of(game: Game, states: Records, actions: Iterable[int]) -> list[str]:
    """Return the texts of those actions that have one at this decision; illegal ones need not."""
    texts = []
    for action in actions if player_of(states) != NO_PLAYER else ():
        try:
            texts.append(game.format_action(states, action))
        except (ValueError, LookupError):
            continue
    return texts
