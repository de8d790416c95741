"""The events of a game in words, as each viewer may know them.

A recorded game is told ply by ply (`log_lines`), with the viewer's own choices. A game in progress is told from two
pictures of the viewer (`news`). It says only what can be seen in them, so it reveals neither choices that may still be
taken back nor the number of decisions that others make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sackarmies_env.core.entries import find_hook, player_name
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.record import ply_text
from sackarmies_env.render.picture import Drawable, Hex

TOTAL = " (in all)"  # after an event that has grown
ALIKE = 3  # events before it that must be the same, if there are as many: fewer may be alike without any overlap


@dataclass(frozen=True)
class LogLine:
    """A line of the log, as one viewer may know it.

    Attributes:
        text: what happened, in words.
        kind: "turn" if one begins, "casualty", "control", "elimination", "end", "flip", "choice", or "" for others.
        at: hex where it happened, if any.
    """

    text: str
    kind: str = ""
    at: Hex | None = None


def log_lines(
    game: Game, before: Records | None, action: int, after: Records, viewers: Sequence[int | None]
) -> list[tuple[LogLine, ...]]:
    """Return the log lines of one ply for each viewer, from the game's own log.

    If the game has no log, a choice is told to the player who made it and to those from whom nothing is hidden.

    Args:
        game: the game.
        before: `(1,)`, the state before the ply; None for what happened before the first decision.
        action: action id, or the code of a forfeit.
        after: `(1,)`, the state after the ply, or at a forced decision in it, see `moments`.
        viewers: seats, or None for the referee.
    """
    tell = find_hook(game.id, "log")
    if tell is not None:
        lines: list[tuple[LogLine, ...]] = tell(game, before, action, after, viewers)
        return lines
    if before is None:
        return [() for _ in viewers]
    player = int(before["current_player"][0])
    text = ply_text(game, before, action)
    line = LogLine(f"{player_name(game.id, player)}: {text}" if action >= 0 else text, "choice")
    knowing = {None, player, *game.all_seeing}
    return [(line,) if action < 0 or viewer in knowing else () for viewer in viewers]


def news(before: Drawable | None, after: Drawable | None) -> list[str]:
    """Return what happened between two pictures of a viewer, oldest first; empty if there are no pictures.

    Equal events in a row may become one event with their number. If the latest event of `before` has grown since, it is
    told again, marked as a total.
    """
    if after is None:
        return []
    if before is None:
        return list(reversed(after.log))
    shift, has_grown = _overlap(before.log, after.log)
    lines = [f"{after.log[shift]}{TOTAL}"] if has_grown else []
    lines += reversed(after.log[:shift])
    if gained := gain(before, after):
        lines.append(f"Into your hand: {', '.join(gained)}")
    return lines


def _overlap(old: Sequence[str], new: Sequence[str]) -> tuple[int, bool]:
    """Return where the latest event of one log is in a later one, and whether it has grown; both are latest first."""
    for shift in range(len(new)):
        if new[shift:] == old[: len(new) - shift]:
            return shift, False
    for shift in range(len(new)):
        kept = new[shift + 1 :]
        if old and kept == old[1 : len(new) - shift] and len(kept) >= min(ALIKE, len(old) - 1):
            return shift, True
    return len(new), False


def gain(before: Drawable, after: Drawable) -> list[str]:
    """Return the names of what was added to the viewer's own hand."""
    hands = [Counter(dict(picture.hand or ())) for picture in (before, after)]
    return sorted((hands[1] - hands[0]).elements())
