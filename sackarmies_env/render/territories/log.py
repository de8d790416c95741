"""The log of a Territories game, ply by ply, as each viewer may know it: public events, and own cards by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sackarmies_env.core.game import Game, Records
from sackarmies_env.games.territories.state.constants import Event
from sackarmies_env.games.territories.words.narrate import LogEvent, event_lines, forfeit_words, log_of, new_events
from sackarmies_env.render.log import LogLine

KINDS = {
    Event.TURN: "turn",
    Event.UNIT_LOST: "casualty",
    Event.VICTORY: "control",
    Event.OUT: "elimination",
    Event.OVER: "end",
}


def log(
    game: Game, before: Records | None, action: int, after: Records, viewers: Sequence[int | None]
) -> list[tuple[LogLine, ...]]:
    """Return the log lines of one ply for each viewer.

    Args:
        game: the game.
        before: `(1,)`, the state before the ply; None for what happened before the first decision.
        action: action id, or the code of a forfeit.
        after: `(1,)`, the state after the ply.
        viewers: seats, or None for the referee.
    """
    events = log_of(after) if before is None else new_events(game, before, action)
    opening = [LogLine(forfeit_words(action))] if action < 0 and before is not None else []
    return [tuple([*opening, *told(events, after, viewer)]) for viewer in viewers]


def told(events: Sequence[LogEvent], after: Records, viewer: int | None) -> Iterator[LogLine]:
    """Yield events as log lines for one viewer."""
    for event, text in zip(events, event_lines(events, after, viewer), strict=True):
        yield LogLine(text, KINDS.get(event.kind, ""))
