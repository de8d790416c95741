"""Builders of fights for rule tests on combat and effects: positions, tokens and first moves."""

from __future__ import annotations

from typing import Any

from sackarmies_env.games.sack_armies.state.constants import Decision, Event
from tests.sack_armies.builders.text_game import TextGame, position, token, unit

EXPLICIT = {"auto_forced": "off", "flip_method": "scripted"}  # nothing is decided, or flipped, behind a test's back


def able(kind: str, **values: Any) -> dict[str, Any]:
    """Return an ability table."""
    return {"kind": kind, **values}


def shot(reach: int) -> dict[str, Any]:
    """Return a shooting range."""
    return able("range", range=reach)


def text(kind: str, token_id: str, use: str, effects: list[dict[str, Any]], **values: Any) -> dict[str, Any]:
    """Return a "spell" or "maneuver" token."""
    return {"id": token_id, "kind": kind, "use": use, "effects": effects} | values


def modify(stat: str, amount: int) -> dict[str, Any]:
    """Return an effect that changes a stat."""
    return {"kind": "modify", "stat": stat, "amount": amount}


def grant(kind: str, **values: Any) -> dict[str, Any]:
    """Return an effect that grants an ability."""
    return {"kind": "grant", "ability": able(kind, **values)}


def scenario(
    tokens: list[dict[str, Any]],
    units: list[dict[str, Any]],
    flips: str = "",
    switches: dict[str, Any] | None = None,
    **keys: Any,
) -> dict[str, Any]:
    """Return a position on board B1 in which every decision is asked and every flip must be forced."""
    return position(tokens, units, flips, switches=EXPLICIT | (switches or {}), **keys)


def play(*arguments: Any, **keys: Any) -> TextGame:
    """Return a table with the position that `scenario` returns."""
    return TextGame(scenario(*arguments, **keys))


def duel(
    attacker: dict[str, Any] | None = None,
    defender: dict[str, Any] | None = None,
    flips: str = "",
    switches: dict[str, Any] | None = None,
    where: str = "1,0",
) -> TextGame:
    """Return a table with G0's "attacker" on (0,0) and G1's "defender" on `where`, both with the stats given."""
    tokens = [token("attacker", **(attacker or {})), token("defender", **(defender or {}))]
    return play(tokens, [unit("attacker", "0,0"), unit("defender", where, 1)], flips, switches)


def attack(t: TextGame, verb: str, attacker: str, target: str, counter: str | None = None) -> TextGame:
    """Declare one unit's attack, pass in the windows, and answer the counter-attack question if `counter` is given."""
    t.do(verb, f"hex {attacker}", f"hex {target}").pass_all()
    if counter is not None:
        assert t.decision == Decision.COUNTER
        t.do(counter)
    return t


def coordinate(t: TextGame, verb: str, target: str, *attackers: str) -> TextGame:
    """Declare a coordinated attack with all of `attackers`."""
    return t.do(verb, f"hex {target}", *(f"hex {cell}" for cell in attackers), "done")


def asked(t: TextGame) -> tuple[int, Decision]:
    """Return the current player and what they are asked."""
    return t.player, t.decision


def turn_over(t: TextGame) -> bool:
    """Return whether turn 2 has begun, at General 1's menu, and every forced flip is used."""
    return (t.turn, *asked(t), t.flips_left()) == (2, 1, Decision.MENU, 0)


def hexes(t: TextGame) -> list[str]:
    """Return the coordinates of the legal hexes, sorted."""
    return sorted(entry.removeprefix("hex ") for entry in t.legal() if entry.startswith("hex "))


def alive(t: TextGame, *cells: str) -> list[str | None]:
    """Return the ids of the units on the hexes, None where there is none."""
    return [None if (found := t.unit(cell)) is None else found.id for cell in cells]


def events(t: TextGame, *kinds: Event) -> list[tuple[int, int]]:
    """Return (player, value) of the public events of these kinds, oldest first."""
    state = t.state
    log = zip(state["log_kind"], state["log_player"], state["log_value"], strict=True)
    return [(int(player), int(value)) for kind, player, value in log if int(kind) in kinds][::-1]


def flips_made(t: TextGame) -> list[tuple[int, int]]:
    """Return (General, 1 for heads) of the last flips, oldest first."""
    return events(t, Event.FLIP)
