"""Narration of a game of Territories, ply by ply: its public events in words, and the cards drawn.

A ply may cover more than the decision that was asked, since some are taken silently; their events are told, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sackarmies_env.core.events import NO_PLACE
from sackarmies_env.core.game import Game, Records, forfeit_code
from sackarmies_env.core.messages import printable, shorten
from sackarmies_env.core.record import GameRecord, play_ply, replay
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.data.schema import load_rulebook
from sackarmies_env.games.territories.state.constants import Event
from sackarmies_env.games.territories.words.sentences import event_words, sentence, told_draw

INDENT = "  "


class LogEvent(NamedTuple):
    """A public event of the log.

    Attributes:
        kind: what has happened.
        player: seat that it concerns; NO_PLAYER for nobody.
        place: number of the territory; 0 for none.
        value: the number that goes with it, see `Event`.
    """

    kind: Event
    player: int
    place: int
    value: int


def log_of(states: Records) -> list[LogEvent]:
    """Return the events in the log of `states[0]`, oldest first."""
    fields = (states[f"log_{name}"][0].tolist() for name in ("kind", "player", "place", "value"))
    events = (
        LogEvent(Event(kind), player, place + 1, value) for kind, player, place, value in zip(*fields, strict=True)
    )
    return [event for event in events if event.kind != Event.NONE][::-1]


def new_events(game: Game, before: Records, action: int) -> list[LogEvent]:
    """Return the public events of a ply, oldest first, by replaying it with an empty log, which can hold all of them.

    Args:
        game: the game.
        before: `(1,)`, the state before the ply.
        action: action id, or the code of a forfeit.
    """
    states = before.copy()
    states["log_kind"], states["log_player"] = Event.NONE, NO_PLAYER
    states["log_place"], states["log_value"] = NO_PLACE, 0
    play_ply(game, states, action, 0)
    return log_of(states)


def event_lines(events: Sequence[LogEvent], after: Records, viewer: int | None) -> Iterator[str]:
    """Yield events in words, telling only what a viewer may know.

    Args:
        events: of one ply, oldest first.
        after: `(1,)`, the state after the ply.
        viewer: seat, or None for the referee, who sees all cards drawn.
    """
    turn = int(after["turn"][0]) - sum(event.kind == Event.TURN for event in events)
    for number, event in enumerate(events):
        who = f"player {event.player}"
        if event.kind == Event.TURN:
            turn += 1
            yield f"Turn {turn}: {who}"
        elif event.kind == Event.ROLL:
            yield event_words(event.kind, who, event.place, event.value) + faces(event, events[number + 1 :], after)
        elif event.kind == Event.DRAW and viewer in {None, event.player}:
            yield sentence(told_draw(who, event.value, drawn_card(event, events[number + 1 :], after)))
        else:
            yield event_words(event.kind, who, event.place, event.value)


def faces(event: LogEvent, later: Sequence[LogEvent], after: Records) -> str:
    """Return the faces of a roll as an addition to its sentence; nothing if the player has rolled again since.

    Args:
        event: the roll.
        later: the events after it.
        after: `(1,)`, the state after all of them.
    """
    counts = after["rolled"][0, event.player].tolist()
    if sum(counts) != event.value or any(each.kind == Event.ROLL and each.player == event.player for each in later):
        return ""
    shown = [str(face) for face, count in reversed(list(enumerate(counts, 1))) for _ in range(count)]
    return f": {' '.join(shown)}"


def forfeit_words(action: int) -> str:
    """Return in words the forfeit that a code stands for."""
    return f"Player {forfeit_code(action)} forfeits"


def drawn_card(event: LogEvent, later: Sequence[LogEvent], after: Records) -> str:
    """Return the name of a drawn card, or "a card" if cards have left the hand since, so that its slot is unknown.

    Args:
        event: the draw.
        later: the events after it.
        after: `(1,)`, the state after all of them.
    """
    draws = sum(each.kind == Event.DRAW and each.player == event.player for each in later)
    if event.value + draws != after["hand_count"][0, event.player]:
        return "a card"
    return load_rulebook().card[int(after["hand"][0, event.player, event.value - 1])].name


def narrate(game: Game, record: GameRecord) -> Iterator[str]:
    """Yield the lines of a recorded game: turns as headings, their events indented.

    Args:
        game: built from `record.config`.
        record: the game.

    Raises:
        ValueError: the record does not replay.
    """
    lines: list[str] = []

    def listen(ply: int, before: Records, action: int, after: Records) -> None:
        if action < 0:
            lines.append(forfeit_words(action))
        lines.extend(event_lines(new_events(game, before, action), after, None))

    replay(game, record, listen)
    if record.players:
        yield "; ".join(f"Player {seat}: {shorten(printable(name))}" for seat, name in enumerate(record.players))
    yield "From a scenario" if record.config.get("scenario") else "Set-up"
    for line in lines:
        yield line if line.startswith("Turn ") else f"{INDENT}{line}."
