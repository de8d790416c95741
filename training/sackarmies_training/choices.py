"""Choices as people name them: what they are called, and which one is meant by what was typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sackarmies_env.envs.match import Match
from sackarmies_env.render.board import Hex
from sackarmies_env.render.picture import find_picture
from sackarmies_training.table import Choice, GameTable, known_states


def label_of(table: GameTable, match: Match, action: int) -> str:
    """Return what the current player would be told that an action is."""
    picture = find_picture(match.game, match.states, match.player)
    return str(table.choices(known_states(match), picture, [action])[0]["label"])


def told_choice(table: GameTable, match: Match, action: int) -> str:
    """Return a choice of the current player with what they are asked."""
    question = table.question(known_states(match), match.legal_actions())
    return f"{question}: {label_of(table, match, action)}"


def meant(answer: str, choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices that an answer fits: by text or name, else by coordinates, else by a part of the name."""
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
    """Return what comes of an attack, as the end of a sentence; "" for other choices."""
    if "odds" not in choice:
        return ""
    told = str(choice["odds"]["text"]).rstrip(".")
    return f", {told[:1].lower()}{told[1:]}"


def plain(text: str) -> str:
    """Return a text as it is compared: lower case, single blanks."""
    return " ".join(text.lower().split())


def coordinates(text: str) -> Hex | None:
    """Return the hex that is written as 1,-1 or "hex 1,-1", None for other texts."""
    parts = text.removeprefix("hex ").split(",")
    try:
        q, r = (int(part[:6]) for part in parts)
    except ValueError:
        return None
    return q, r
