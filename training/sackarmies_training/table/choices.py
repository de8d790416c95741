"""Choices as people name them: their labels, and which one is meant by typed text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sackarmies_env.envs.match import Match
from sackarmies_env.render.picture import Hex, find_picture
from sackarmies_training.table.game_table import Choice, GameTable, known_states


def label_of(table: GameTable, match: Match, action: int) -> str:
    """Return the label of an action, as the current player is told it."""
    picture = find_picture(match.game, match.states, match.player)
    return str(table.choices(known_states(match), picture, [action])[0]["label"])


def told_choice(table: GameTable, match: Match, action: int) -> str:
    """Return the question to the current player, with the label of their choice."""
    question = table.question(known_states(match), match.legal_actions())
    return f"{question}: {label_of(table, match, action)}"


def meant(answer: str, choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices that match an answer: by text or name, else by coordinates, else by part of the name."""
    wanted = plain(answer)
    ways: tuple[Callable[[Choice], bool], ...] = (
        lambda choice: wanted in {plain(choice["text"]), plain(choice["label"])},
        lambda choice: "hex" in choice and coordinates(wanted) == hex_of(choice),
        lambda choice: len(wanted) > 1 and plain(choice["label"]).startswith(wanted),
        lambda choice: len(wanted) > 2 and wanted in plain(choice["label"]),
    )
    for fits in ways:
        if found := [choice for choice in choices if fits(choice)]:
            return found
    return []


def hex_of(choice: Choice) -> Hex:
    """Return the hex of a choice; 0,0 for others."""
    q, r = choice.get("hex", (0, 0))
    return int(q), int(r)


def odds_of(choice: Choice) -> str:
    """Return the odds of an attack, as the end of a sentence; "" for other choices."""
    if "odds" not in choice:
        return ""
    told = str(choice["odds"]["text"]).rstrip(".")
    return f", {told[:1].lower()}{told[1:]}"


def plain(text: str) -> str:
    """Normalize a text for comparison: lower case, single spaces."""
    return " ".join(text.lower().split())


def coordinates(text: str) -> Hex | None:
    """Parse a hex written as 1,-1 or "hex 1,-1"; return None for other texts."""
    parts = text.removeprefix("hex ").split(",")
    try:
        q, r = (int(part[:6]) for part in parts)
    except ValueError:
        return None
    return q, r
