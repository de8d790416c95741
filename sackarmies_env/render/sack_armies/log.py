"""The log of a Sack Armies game, ply by ply, as one viewer may know it.

Everyone sees the public events. A General's decision is told to that General and the referee, and to everyone if it is
announced; units and attachments that the viewer does not know are not named. No line for a General depends on how many
decisions others made in a ply: the result of a ply is told from the states before and after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, Records, forfeit_code
from sackarmies_env.games.sack_armies.state.constants import Decision, Event, Verb, Zone
from sackarmies_env.games.sack_armies.state.knowledge import knows_identity
from sackarmies_env.games.sack_armies.words.event_sentences import (
    SAID_BY_DECISION,
    LogEvent,
    Names,
    event_sentence,
    log_of,
    moved_unit,
    outcome_sentence,
)
from sackarmies_env.games.sack_armies.words.narrate import Step, decisions_of
from sackarmies_env.render.log import LogLine
from sackarmies_env.render.picture import Hex
from sackarmies_env.render.sack_armies.words import names_of

KINDS = {
    Event.TURN: "turn",
    Event.CASUALTY: "casualty",
    Event.CAPTURE: "casualty",
    Event.REMOVE: "casualty",
    Event.CONTROL: "control",
    Event.ELIMINATE: "elimination",
    Event.FLIP: "flip",
}
FACE_DOWN_UNIT = "face-down unit"
ANNOUNCED_IN_FULL = (Decision.TARGET, Decision.COORD_MEMBER)  # attackers and target are public once announced


@dataclass(frozen=True)
class SeenNames(Names):
    """Names as one viewer knows them; unknown tokens are called face-down units or tokens.

    Attributes:
        viewer: seat, or None for the referee.
    """

    viewer: int | None = None

    def token(self, state: Any, row: int) -> str:
        """Return the name of a token, as far as the viewer knows it."""
        known = self.viewer is None or knows_identity(state, np.int64(self.viewer), np.int64(row))
        if known:
            return super().token(state, row)
        return FACE_DOWN_UNIT if state["token_zone"][row] == Zone.BATTLEGROUND else "face-down token"


def seen_names(game: Game, viewer: int | None) -> SeenNames:
    """Return the names in a configuration, as one viewer knows them."""
    names = names_of(game)
    return SeenNames(names.types, names.kinds, names.hexes, viewer)


def log(
    game: Game, before: Records | None, action: int, after: Records, viewers: Sequence[int | None]
) -> list[tuple[LogLine, ...]]:
    """Return the log lines of one ply for each viewer.

    Args:
        game: the game.
        before: `(1,)`, the state before the ply; None for what happened before the first decision.
        action: action id, or the code of a forfeit.
        after: `(1,)`, the state after the ply, or at a forced decision in it: then what follows is not told.
        viewers: seats, or None for the referee.
    """
    if before is None:
        return [tuple(opening_lines(game, after, seen_names(game, viewer))) for viewer in viewers]
    if action < 0:
        decisions = [(before, int(Verb.PASS), after)]
    elif game.params["auto_forced"][0]:
        decisions = list(_decisions_until(game, before, action, after))
    else:
        decisions = [(before, action, after)]
    told = []
    for viewer in viewers:
        names = seen_names(game, viewer)
        steps = [Step(names, *decision) for decision in decisions]
        lines = [LogLine(f"General {forfeit_code(action)} forfeits")] if action < 0 else []
        lines += [line for step in steps for line in step_lines(game, step, names)]
        told.append(tuple(merged([*with_result(lines, before, after), *outcome_lines(before, after)])))
    return told


def _decisions_until(
    game: Game, before: Records, action: int, after: Records
) -> Iterator[tuple[Records, int, Records]]:
    """Yield the decisions that led to `after`, including forced ones, as (before, action, after)."""
    for old, each, new in decisions_of(game, before, action):
        yield old.copy(), each, new.copy()
        if np.array_equal(new.view(np.ndarray), after.view(np.ndarray)):
            return


def opening_lines(game: Game, states: Records, names: SeenNames) -> Iterator[LogLine]:
    """Yield what happened before the first decision: initiative, or the turn that begins."""
    state: Any = states.view(np.ndarray)[0]
    events = [event for event in log_of(state)[::-1] if event.kind != Event.NONE]
    turn = int(state["turn"]) - sum(event.kind == Event.TURN for event in events)
    for event in events:
        turn += event.kind == Event.TURN
        yield event_line(game, event, names, turn=turn)


def step_lines(game: Game, step: Step, names: SeenNames) -> Iterator[LogLine]:
    """Yield the log lines of one decision."""
    is_own = names.viewer in {None, step.player}
    is_announced = any(event.kind == Event.ANNOUNCE for event in step.events)
    says_all = is_own or (is_announced and step.decision in ANNOUNCED_IN_FULL)
    sentence = step.sentence() if says_all else None
    if sentence:
        yield LogLine(sentence, "choice")
    turn = int(step.after["turn"]) - sum(event.kind == Event.TURN for event in step.events)
    for event in step.events:
        turn += event.kind == Event.TURN
        said = event.kind in SAID_BY_DECISION and (is_own or (sentence and event.kind == Event.ANNOUNCE))
        if event.kind == Event.NONE or said:
            continue
        drawn = step.drawn(event.player) if event.kind == Event.DRAW and names.viewer in {None, event.player} else []
        if drawn:
            yield LogLine(f"General {event.player} draws {', '.join(drawn)}")
        else:
            unit = moved_unit(names, step.before, step.after, event) if event.kind == Event.MOVE else ""
            yield event_line(game, event, names, f"a {unit}" if unit == FACE_DOWN_UNIT else unit, turn)


def event_line(game: Game, event: LogEvent, names: SeenNames, unit: str = "", turn: int = 0) -> LogLine:
    """Return the line of a public event; `unit` is what moves and `turn` the number of the turn that begins."""
    text = event_sentence(names, event, unit)
    if event.kind == Event.TURN:
        text = f"Turn {turn}: General {event.player}"
    at: Hex | None = None
    if event.cell >= 0:
        at = int(game.params["cell_q"][0][event.cell]), int(game.params["cell_r"][0][event.cell])
    return LogLine(text, KINDS.get(event.kind, ""), at)


def with_result(lines: list[LogLine], before: Records, after: Records) -> list[LogLine]:
    """Return lines with the result of flips added if no event says it: a failed check or an attack without a kill."""
    kinds = [line.kind for line in lines]
    old, new = before.view(np.ndarray)[0], after.view(np.ndarray)[0]
    if "flip" not in kinds or new["attack_announced"]:
        return lines
    if (new["token_employed"] > old["token_employed"]).any():
        result = "the coordination check fails"
    elif old["attack_announced"] and "casualty" not in kinds:
        result = "nobody is killed"
    else:
        return lines
    place = len(kinds) - kinds[::-1].index("flip")
    return [*lines[:place], LogLine(result), *lines[place:]]


def outcome_lines(before: Records, after: Records) -> list[LogLine]:
    """Return how the game ended, if it ended with this ply."""
    sentence = outcome_sentence(before.view(np.ndarray)[0], after.view(np.ndarray)[0])
    return [LogLine(sentence, "end")] if sentence else []


def merged(lines: Sequence[LogLine]) -> Iterator[LogLine]:
    """Yield lines, with consecutive flips of a General on one line: "General 0 flips heads, tails"."""
    latest: LogLine | None = None
    for line in lines:
        opening = line.text.rpartition(" ")[0]
        if latest and line.kind == latest.kind == "flip" and latest.text.startswith(f"{opening} "):
            latest = LogLine(f"{latest.text}, {line.text.rpartition(' ')[2]}", "flip", latest.at)
            continue
        if latest:
            yield latest
        latest = line
    if latest:
        yield latest
