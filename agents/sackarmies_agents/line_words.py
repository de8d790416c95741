"""Decisions in words, as one player may know them, for programs that read text, such as language models.

Everything comes from an information set, which holds nothing hidden from its player; no function here is given a true
state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sackarmies_env.core.entries import find_entry, find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets

COLUMNS = 100  # width of the position's text


class DecisionWords:
    """What a player is told during a game.

    Args:
        game: as the player may know it.
    """

    def __init__(self, game: Game) -> None:
        table: Callable[[Game], Any] | None = find_hook(game.id, "table")
        self._game = game
        self._table = None if table is None else table(game)
        self._picture: Any = None  # what the player saw at the previous decision

    def rules(self) -> dict[str, Any]:
        """Return what the game is and what its pieces do; empty parts are left out."""
        entry = find_entry(self._game.id)
        told = {
            "title": self._game.id if entry is None else entry.title,
            "advice": "" if self._table is None else self._table.advice,
            "legend": find_hook(self._game.id, "legend") or "",
            "pieces": [] if self._table is None else self._table.glossary(),
        }
        return {key: value for key, value in told.items() if value}

    def decision(self, information: InformationSets, legal: list[int]) -> dict[str, Any]:
        """Describe a decision: the question, what it is about, the position, what has happened, and the choices.

        Args:
            information: one information set.
            legal: legal ids, ascending.
        """
        from sackarmies_env.render import ansi
        from sackarmies_env.render.log import news
        from sackarmies_env.render.picture import find_picture

        game, states, player = self._game, information.states, information.player
        picture = find_picture(game, states, player)
        before, self._picture = self._picture, picture
        told = {
            "question": game.describe_decision(states),
            "about": "",
            "position": ansi(game, states, player, color=False, width=COLUMNS),
            "news": news(before, picture),
            "choices": [{"id": each, "text": game.format_action(states, each)} for each in legal],
        }
        if self._table is not None:
            told["question"] = self._table.question(states, legal)
            told["about"] = self._table.about(states, picture)
            told["choices"] = [plain_choice(each) for each in self._table.choices(states, picture, legal)]
        return told


def plain_choice(choice: dict[str, Any]) -> dict[str, Any]:
    """Return a choice as sent to a program: its id, text, name and, if known, what it leads to."""
    return {key: choice[key] for key in ("id", "text", "label", "note") if choice.get(key, "") != ""}
