"""Sentences for public events, and the names of tokens and hexes in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import counted
from sackarmies_env.games.sack_armies.state.actions import TYPE_BASE
from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, Event, Kind, Verb, Victory
from sackarmies_env.games.sack_armies.state.record import MAX_LOG
from sackarmies_env.games.sack_armies.tokens.catalogue import by_id, load_catalogue
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, read_tokens

HIDDEN = "a face-down token"
DOWNFALLS: dict[int, str] = {
    Victory.STANDARD: "controls none of their battlefields and is eliminated",
    Victory.DECISIVE: "can fight no more and is eliminated",
    Victory.CONCESSION: "concedes and is eliminated",
}
OUTCOMES: dict[int, str] = {
    Victory.STANDARD: "a Standard Victory",
    Victory.DECISIVE: "a Decisive Victory",
    Victory.CONCESSION: "by concession",
}
SENTENCES: dict[Event, str] = {  # {value} as `value_words` puts it
    Event.FLIP: "{general} flips {value}",
    Event.ANNOUNCE: "{general} announces: {value}{at}",
    Event.DRAW: "{general} draws {value}",
    Event.DISCARD: "{general} discards {value}",
    Event.PLACE: "{general} puts down {value}{at}",
    Event.DEPLOY: "{general} deploys {value}{at}",
    Event.MOVE: "{general} moves {unit} from {value} to {hex}",
    Event.REVEAL: "revealed: {general}'s {value}{at}",
    Event.CASUALTY: "{general} loses {value}{at}",
    Event.CAPTURE: "captured: {general}'s {value}{at}",
    Event.TO_SACK: "back to the sack: {general}'s {value}{at}",
    Event.REMOVE: "removed from play: {general}'s {value}{at}",
    Event.CONTROL: "{general} takes control of {value}{at}",
    Event.ELIMINATE: "{general} {value}",
    Event.CANCEL: "what {general} announced is cancelled",
    Event.MISS: "the attack of {general} misses",
    Event.TURN: "the turn of {general} begins",
    Event.RAISE: "{general} raises {value}{at}",
    Event.ATTACH: "{general} lays {value} on the unit{at}",
    Event.WRONG_KIND: "the face-down attachment of {general}{at} is {value}",
}
SAID_BY_DECISION = {Event.NONE, Event.ANNOUNCE, Event.DISCARD, Event.DEPLOY}  # a decision says more than its event
DEPLOYED: dict[int, str] = {Kind.UNIT: "a unit", Kind.BATTLEFIELD: "a battlefield"}
NOT_KINDS: dict[int, str] = {Kind.SPELL: "no spell", Kind.MANEUVER: "no maneuver"}
VERB_WORDS = {
    Verb.DRAW: "Draw",
    Verb.DEPLOY: "Deploy",
    Verb.MOVE: "Move",
    Verb.MELEE: "melee attack",
    Verb.RANGED: "ranged attack",
    Verb.COORD_MELEE: "coordinated melee attack",
    Verb.COORD_RANGED: "coordinated ranged attack",
    Verb.MOVE_ATTACK: "Move and Attack",
    Verb.CAPTURE: "Capture",
    Verb.COUNTER_TOKEN: "Counter",
    Verb.DISPEL: "Dispel",
    Verb.DISMISS: "Dismiss",
    Verb.RAISE: "Raise",
    Verb.CAST: "casting",
    Verb.CUSTOM: "printed action",
    Verb.REVEAL_UNIT: "reveal a unit",
    Verb.REVEAL_TOKEN: "reveal an attachment",
    Verb.SURPRISE: "surprise maneuver",
    Verb.CONCEDE: "concede",
}


class LogEvent(NamedTuple):
    """One public event; `value` as in `Event`."""

    kind: Event
    player: int
    cell: int
    value: int


def tokens_of(game: Game) -> dict[str, AnyToken]:
    """Return the tokens that the types of a configuration may be, by id: the catalogue and the inline tokens."""
    known = dict(load_catalogue())
    # A game as a General may know it (`Game.known_to`) lists all inline tokens under `tokens`.
    lists = [game.config.get("tokens", ()), game.config.get("scenario", {}).get("token", ())]
    for inline in (*lists, *(army.get("token", ()) for army in game.config.get("armies", ()))):
        known |= by_id(read_tokens(inline, "inline tokens"))
    return known


@dataclass(frozen=True)
class Names:
    """The names of types and hexes in a configuration.

    Attributes:
        types: names of the types, by number.
        kinds: kinds of the types, by number.
        hexes: hexes as text, by cell.
    """

    types: tuple[str, ...]
    kinds: tuple[Kind, ...]
    hexes: tuple[str, ...]

    @classmethod
    def of(cls, game: Game) -> Names:
        """Return the names of a configuration."""
        known = tokens_of(game)
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
        """Return the name of a type; HIDDEN if there is none."""
        return self.types[type_id] if type_id >= 0 else HIDDEN

    def unit(self, state: Any, row: int, player: int) -> str:
        """Return what a sentence about `player` calls a unit on the board."""
        owner = int(state["token_owner"][row])
        whose = "their" if owner == player else f"General {owner}'s"
        return f"{whose} {self.token(state, row)} at {self.hexes[int(state['token_hex'][row])]}"

    def token(self, state: Any, row: int) -> str:
        """Return the name of a token."""
        return self.types[int(state["token_type"][row])]


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

    The log is a window on the latest events. If several shifts of it would explain the change, the one with as many new
    turns and flips as the states imply is used.
    """
    old, new = log_of(before), log_of(after)
    turns = int(after["turn"]) - int(before["turn"])
    flips = sum(int(after[name].sum()) - int(before[name].sum()) for name in ("flip_count", "script_flips_used"))
    shifts = [shift for shift in range(MAX_LOG + 1) if new[shift:] == old[: MAX_LOG - shift]]
    for shift in shifts:
        kinds = [event.kind for event in new[:shift]]
        if kinds.count(Event.TURN) == turns and kinds.count(Event.FLIP) == flips:
            return new[:shift][::-1]
    return new[: shifts[0]][::-1]


def event_sentences(
    names: Names, before: Any, after: Any, events: Sequence[LogEvent], drawn: Callable[[int], list[str]]
) -> list[str]:
    """Return events as sentences without periods; consecutive flips of a General share a sentence.

    Args:
        names: the names in the configuration.
        before: the state before the events.
        after: the state after the events.
        events: in order.
        drawn: returns the names of what a General drew between the states; an empty list if that is not known.
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
        elif event.kind == Event.DRAW and (names_drawn := drawn(event.player)):
            lines.append(f"General {event.player} draws {', '.join(names_drawn)}")
        elif event.kind == Event.MOVE:
            lines.append(event_sentence(names, event, moved_unit(names, before, after, event)))
        elif event.kind not in SAID_BY_DECISION:
            lines.append(event_sentence(names, event))
    return lines


def event_sentence(names: Names, event: LogEvent, unit: str = "a unit") -> str:
    """Return one event as a sentence, as everyone saw it; `unit` is what to call a unit that moves."""
    place = names.hexes[event.cell] if event.cell >= 0 else ""
    return SENTENCES[event.kind].format(
        general=f"General {event.player}",
        value=value_words(names, event),
        at=f" at {place}" if place else "",
        hex=place,
        unit=unit,
    )


def value_words(names: Names, event: LogEvent) -> str:
    """Return the value of an event in words; for most events it is a type."""
    match event.kind:
        case Event.FLIP:
            return "heads" if event.value else "tails"
        case Event.ANNOUNCE:
            return verb_words(event.value)
        case Event.DRAW | Event.DISCARD:
            return counted(event.value, "token")
        case Event.DEPLOY:
            return DEPLOYED.get(event.value, "an attachment")  # its kind is not public
        case Event.MOVE:
            return names.hexes[event.value]
        case Event.WRONG_KIND:
            return NOT_KINDS.get(event.value, "of another kind")
        case Event.ELIMINATE:
            return DOWNFALLS.get(event.value, "is eliminated")
        case Event.CANCEL | Event.MISS | Event.TURN:
            return ""
        case _:
            return names.named(event.value)


def verb_words(verb: int) -> str:
    """Return a verb of the action space in words."""
    return VERB_WORDS.get(Verb(verb), "") if verb else ""


def moved_unit(names: Names, before: Any, after: Any, event: LogEvent) -> str:
    """Return the name of the unit that moved, wherever it is now."""
    for state, cell in ((before, event.value), (after, event.cell)):
        row = int(state["cell_unit"][cell])
        if row >= 0 and state["token_owner"][row] == event.player:
            return names.token(state, row)
    return "a unit"


def outcome_sentence(before: Any, after: Any) -> str | None:
    """Return how the game ended; None if it did not end between the two states."""
    if before["terminated"] or before["truncated"] or not (after["terminated"] or after["truncated"]):
        return None
    turn = int(after["turn"])
    if after["truncated"]:
        return f"the game is truncated in turn {turn}: a draw"
    if after["winner"] < 0:
        return f"nobody is left in turn {turn}: a draw"
    return f"General {int(after['winner'])} wins in turn {turn}: {OUTCOMES.get(int(after['victory_type']), 'alone')}"
