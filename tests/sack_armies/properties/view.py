"""State records as plain Python, read independently of the kernels."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Zone
from tests.sack_armies.properties.bout import Bout
from tests.sack_armies.referee.position import Hex, Token, read_position

COLUMNS = (
    *("type", "owner", "controller", "zone", "face", "hex", "host", "first", "next", "active", "employed", "moved"),
    *("seen", "drawn", "kind_known"),
)
NUMBERS = ("turn", "active", "current_player", "winner", "error", "terminated", "truncated", "last_progress_turn")
ZONES = list(Zone)  # by number


class View:
    """A state as it was at one decision.

    Attributes:
        columns: values of the token rows, by the names in COLUMNS.
        turn: turns begun so far; the other NUMBERS are attributes too.
        alive: seats that are in the game.
        zones: where each token is, by row.
        rows: rows with a token.
    """

    turn: int
    active: int
    current_player: int
    winner: int
    error: int
    terminated: int
    truncated: int
    last_progress_turn: int

    def __init__(self, bout: Bout) -> None:
        state: Any = bout.state
        self.config = bout.config
        self.switches = bout.config.switches
        self.columns: dict[str, list[int]] = {name: state[f"token_{name}"].tolist() for name in COLUMNS}
        for name in NUMBERS:
            setattr(self, name, int(state[name]))
        self.alive = [seat for seat in range(bout.game.num_players) if state["general_alive"][seat]]
        self.zones = [ZONES[zone] for zone in self.columns["zone"]]
        self.rows = [row for row, zone in enumerate(self.zones) if zone != Zone.NONE]
        self.legal = bout.legal()
        check_stacks(self)  # before any stack is followed
        self.position = read_position(bout.config, bout.states)
        self.tokens = {token.row: token for token in self.position.tokens}
        self.fields = self.position.fields
        self.units = self.position.units

    @property
    def in_setup(self) -> bool:
        """Whether the first turn has not begun."""
        return self.turn == 0

    @property
    def is_over(self) -> bool:
        """Whether the game has terminated or was truncated."""
        return bool(self.terminated or self.truncated)

    def zone(self, row: int) -> Zone:
        """Return where a token is."""
        return self.zones[row]

    def count(self, owner: int) -> Counter[str]:
        """Return how many tokens of each id a General owns."""
        return Counter(token.text.id for token in self.position.tokens if token.owner == owner)

    def side(self, field: Token) -> int:
        """Return the seat that a battlefield counts for in the neutral zone (Q-03)."""
        return field.owner if self.switches.neutral_zone_basis == "owner" else field.controller


def check_stacks(view: View) -> None:
    """Check that each attached token is in the stack of its host and in no other, and that stacks end."""
    found: Counter[int] = Counter()
    first, following, host = (view.columns[name] for name in ("first", "next", "host"))
    for unit in view.rows:
        link, length = first[unit], 0
        while link != NO_TOKEN:
            assert host[link] == unit, f"token {link} is in the stack of {unit}, but its host is {host[link]}"
            found[link] += 1
            link, length = following[link], length + 1
            assert length <= len(view.rows), f"the stack of {unit} has no end"
    attached = {row for row in view.rows if view.zone(row) == Zone.ATTACHED}
    assert set(found) == attached, f"in stacks are {sorted(found)}, attached are {sorted(attached)}"
    assert all(count == 1 for count in found.values()), "a token is in two stacks"


def spot(token: Token) -> Hex:
    """Return where a token on the board is."""
    assert token.hex is not None, f"{token.text.id} is on the board, but on no hex"
    return token.hex
