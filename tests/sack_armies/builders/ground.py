"""Builders for rule tests on the battleground: piles of Generals, sets of hexes, Setup from given sacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sackarmies_env.core.hexgrid import DIRECTIONS
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.fights import EXPLICIT, hexes
from tests.sack_armies.builders.text_game import B1, TextGame, at, token

FIELDS = ["plain"] * 5  # what a General places in Setup


def piles(**ids: list[str]) -> dict[str, list[str]]:
    """Return the piles of a General, empty unless given."""
    return {"hand": [], "sack": [], "casualties": [], "removed": []} | ids


def name(q: int, r: int) -> str:
    """Return the text of a hex."""
    return f"{q},{r}"


def around(cells: Iterable[str]) -> list[str]:
    """Return the hexes that touch one of `cells`, without `cells` themselves, sorted."""
    centers = [at(cell) for cell in cells]
    ring = {name(q + dq, r + dr) for q, r in centers for dq, dr in DIRECTIONS}
    return sorted(ring - set(cells))


def within(cell: str, reach: int) -> list[str]:
    """Return the hexes at most `reach` away from `cell`, itself included, sorted."""
    found = {cell}
    for _ in range(reach):
        found |= set(around(found))
    return sorted(found)


def legal_ground() -> set[str]:
    """Return the legal hexes of board B1."""
    fields = [*B1[0], *B1[1]]
    return {*fields, *around(fields)}


def setup(
    flips: str,
    sacks: Sequence[list[str]] | None = None,
    generals: int = 2,
    tokens: Sequence[dict[str, Any]] = (),
    **switches: Any,
) -> TextGame:
    """Return a table at the first choice of Setup; by default each General has five plains and one unit.

    Every decision is asked and every flip must be forced, unless `switches` say otherwise.
    """
    sacks = [[*FIELDS, "a"]] * generals if sacks is None else sacks
    return TextGame(
        {
            "game": "sack_armies",
            "generals": len(sacks),
            "setup": True,
            "flips": flips,
            "switches": EXPLICIT | switches,
            "token": [token("a"), *tokens],
            "general": [piles(sack=sack) for sack in sacks],
        }
    )


def place(t: TextGame, *cells: str, token_id: str = "plain") -> TextGame:
    """Place battlefields of one type in Setup, for the current player."""
    for cell in cells:
        t.do(f"type {token_id}", f"hex {cell}")
    return t


def room(t: TextGame, token_id: str = "plain") -> list[str]:
    """Return the hexes where the current player may place a battlefield in Setup."""
    return hexes(t.copy().do(f"type {token_id}"))


def deploy_room(t: TextGame, token_id: str) -> list[str]:
    """Return the hexes where the active General may deploy a token from their hand, if any."""
    t = t.copy()
    if t.decision.name == "MENU":
        if "deploy" not in t.legal():
            return []
        t.do("deploy")
    return hexes(t.do(f"type {token_id}")) if f"type {token_id}" in t.legal() else []


def reach(t: TextGame, cell: str) -> list[str]:
    """Return the hexes to which the unit on `cell` may move, if any."""
    t = t.copy()
    if t.decision.name == "MENU":
        if "move" not in t.legal():
            return []
        t.do("move")
    return hexes(t.do(f"hex {cell}")) if f"hex {cell}" in t.legal() else []


def move(t: TextGame, *cells: str) -> TextGame:
    """Move units, given as pairs of origin and destination, and end the Move if there is still a choice."""
    turn = t.turn
    t.do("move", *(f"hex {cell}" for cell in cells))
    if t.turn == turn and not t.terminated and t.decision.name == "MOVE_UNIT":
        t.do("done")
    return t


def returns(t: TextGame) -> list[float]:
    """Return what each General has earned."""
    return [float(value) for value in entry.results(t.params, t.states)[0, 0]]


def truncated(t: TextGame) -> bool:
    """Return whether the game was truncated."""
    return bool(t.state["truncated"])


def wait(t: TextGame) -> TextGame:
    """Have the active General draw and put everything back: a turn in which nothing happens."""
    t.do("draw")
    turn = t.turn
    while t.turn == turn and not t.terminated and not truncated(t):
        t.do(next(text for text in t.legal() if text.startswith("type ")))
    return t
