"""Public events of a state's log in sentences, and what things are called in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sackarmies_env.core.game import Game
from sackarmies_env.games.sack_armies.actions import TYPE_BASE
from sackarmies_env.games.sack_armies.catalogue import by_id, load_catalogue
from sackarmies_env.games.sack_armies.constants import NUM_SLOTS, Event, Kind, Victory
from sackarmies_env.games.sack_armies.schema import read_tokens
from sackarmies_env.games.sack_armies.state import MAX_LOG

HIDDEN = "a face-down token"
DOWNFALLS: dict[int, str] = {
    Victory.STANDARD: "controls none of his battlefields and is out",
    Victory.DECISIVE: "can fight no more and is out",
    Victory.CONCESSION: "concedes and is out",
}
OUTCOMES: dict[int, str] = {
    Victory.STANDARD: "a Standard Victory",
    Victory.DECISIVE: "a Decisive Victory",
    Victory.CONCESSION: "by concession",
}
OF_A_TYPE = {
    Event.PLACE: "{general} puts down {token}{at}",
    Event.REVEAL: "revealed: {general}'s {token}{at}",
    Event.CASUALTY: "{general} loses {token}{at}",
    Event.CAPTURE: "captured: {general}'s {token}{at}",
    Event.TO_SACK: "back to the sack: {general}'s {token}{at}",
    Event.REMOVE: "removed from play: {general}'s {token}{at}",
    Event.RAISE: "{general} raises {token}{at}",
    Event.ATTACH: "{general} lays {token} on the unit{at}",
    Event.CONTROL: "{general} takes control of {token}{at}",
}
NOT_KINDS: dict[int, str] = {Kind.SPELL: "no spell", Kind.MANEUVER: "no maneuver"}


class LogEvent(NamedTuple):
    """One public event; `value` as in `Event`."""

    kind: Event
    player: int
    cell: int
    value: int


@dataclass(frozen=True)
class Names:
    """What things are called.

    Attributes:
        types: names of the types, by number.
        kinds: kinds of the types.
        hexes: hexes as text, by cell.
    """

    types: tuple[str, ...]
    kinds: tuple[Kind, ...]
    hexes: tuple[str, ...]

    @classmethod
    def of(cls, game: Game) -> Names:
        """Return the names of a configuration."""
        known = dict(load_catalogue())
        for place in (game.config.get("scenario", {}), *game.config.get("armies", ())):
            known |= by_id(read_tokens(place.get("token", ()), "inline tokens"))
        num_types, num_cells = int(game.params["num_types"][0]), int(game.params["num_cells"][0])
        states = game.new_states(1)
        ids = [game.format_action(states, TYPE_BASE + row).removeprefix("type ") for row in range(num_types)]
        first = TYPE_BASE + num_types + NUM_SLOTS
        hexes = [game.format_action(states, first + cell).removeprefix("hex ") for cell in range(num_cells)]
        kinds = [Kind[known[type_id].kind.upper()] for type_id in ids]
        return cls(tuple(known[type_id].name for type_id in ids), tuple(kinds), tuple(hexes))

    @property
    def num_types(self) -> int:
        """Number of types."""
        return len(self.types)

    def named(self, type_id: int) -> str:
        """Return the name of a type; HIDDEN for none."""
        return self.types[type_id] if type_id >= 0 else HIDDEN

    def unit(self, state: Any, row: int, player: int) -> str:
        """Return how `player` is told to speak of a unit on the board."""
        owner = int(state["token_owner"][row])
        whose = "his" if owner == player else f"General {owner}'s"
        return f"{whose} {self.types[int(state['token_type'][row])]} at {self.hexes[int(state['token_hex'][row])]}"


def log_of(state: Any) -> list[LogEvent]:
    """Return the log of a state, latest first."""
    return [
        LogEvent(Event(int(kind)), int(player), int(cell), int(value))
        for kind, player, cell, value in zip(
            state["log_kind"], state["log_player"], state["log_hex"], state["log_value"], strict=True
        )
    ]


def new_events(before: Any, after: Any) -> list[LogEvent]:
    """Return the events between two states, in the order in which they happened.

    The log is a window on the latest events: where several shifts of it would explain the change, the one counts that
    holds as many new turns and flips as the states say.
    """
    old, new = log_of(before), log_of(after)
    turns = int(after["turn"]) - int(before["turn"])
    flips = sum(int(after[name]) - int(before[name]) for name in ("flip_count", "script_flips_used"))
    shifts = [shift for shift in range(MAX_LOG + 1) if new[shift:] == old[: MAX_LOG - shift]]
    for shift in shifts:
        kinds = [event.kind for event in new[:shift]]
        if kinds.count(Event.TURN) == turns and kinds.count(Event.FLIP) == flips:
            return new[:shift][::-1]
    return new[: shifts[0]][::-1]


def event_sentences(
    names: Names, before: Any, after: Any, events: Sequence[LogEvent], drawn: Callable[[int], list[str]]
) -> list[str]:
    """Return events as sentences without stops; flips of one General in a row share a sentence.

    Args:
        names: what things are called.
        before: the state before them.
        after: the state after them.
        events: in order.
        drawn: names of what a General drew between the states; none where that is not known.
    """
    lines: list[str] = []
    turn = int(after["turn"]) - sum(event.kind == Event.TURN for event in events)
    for event in events:
        if event.kind == Event.FLIP:
            opening = f"General {event.player} flips"
            letter = "H" if event.value else "T"
            if lines and lines[-1].startswith(opening):
                lines[-1] += f" {letter}"
            else:
                lines.append(f"{opening} {letter}")
        elif event.kind == Event.TURN:
            turn += 1
            lines.append(f"Turn {turn}: General {event.player}")
        elif event.kind == Event.DRAW:
            lines.append(f"General {event.player} draws {', '.join(drawn(event.player)) or event.value}")
        elif told := _sentence(names, before, after, event):
            lines.append(told)
    return lines


def _sentence(names: Names, before: Any, after: Any, event: LogEvent) -> str | None:
    """Return one event as a sentence; None for what the decision itself tells."""
    general = f"General {event.player}"
    at = f" at {names.hexes[event.cell]}" if event.cell >= 0 else ""
    if event.kind in OF_A_TYPE:
        return OF_A_TYPE[event.kind].format(general=general, token=names.named(event.value), at=at)
    match event.kind:
        case Event.MOVE:
            unit = _moved(names, before, after, event)
            return f"{general} moves {unit} from {names.hexes[event.value]} to {names.hexes[event.cell]}"
        case Event.WRONG_KIND:
            return f"the token of {general}{at} is {NOT_KINDS.get(event.value, 'of another kind')}"
        case Event.ELIMINATE:
            return f"{general} {DOWNFALLS.get(event.value, 'is out')}"
        case Event.CANCEL:
            return f"what {general} announced is cancelled"
        case Event.MISS:
            return f"the attack of {general} misses"
        case _:
            return None


def _moved(names: Names, before: Any, after: Any, event: LogEvent) -> str:
    """Return the name of the unit that moved, wherever it is by now."""
    for state, cell in ((before, event.value), (after, event.cell)):
        row = int(state["cell_unit"][cell])
        if row >= 0 and state["token_owner"][row] == event.player:
            return names.types[int(state["token_type"][row])]
    return "unit"


def outcome_sentence(before: Any, after: Any) -> str | None:
    """Return how the game ended, if it ended between the two states."""
    if before["terminated"] or before["truncated"] or not (after["terminated"] or after["truncated"]):
        return None
    turn = int(after["turn"])
    if after["truncated"]:
        return f"the game is cut off in turn {turn}: a draw"
    if after["winner"] < 0:
        return f"nobody is left in turn {turn}: a draw"
    return f"General {int(after['winner'])} wins in turn {turn}: {OUTCOMES.get(int(after['victory_type']), 'alone')}"
