"""What happened in a game, in words, as each viewer may know it.

A recorded game is told ply by ply (`log_lines`), with the viewer's own choices. A game that is being played is told
from two pictures of the viewer (`news`): whatever it says can be seen in them, so that neither a choice that may be
taken back nor the number of decisions that others make can get into it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sackarmies_env.core.entries import find_hook, player_name
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.record import ply_text
from sackarmies_env.render.board import LogLine, Picture
from sackarmies_env.render.drawable import Drawable, find_drawable
from sackarmies_env.render.picture import find_picture

Seen = Picture | Drawable


def log_lines(
    game: Game, before: Records | None, action: int, after: Records, viewers: Sequence[int | None]
) -> list[tuple[LogLine, ...]]:
    """Return what one ply brought, for each viewer, as the game's own log says it.

    Where the game has none, a choice is told to whoever made it, and to those from whom nothing is hidden.

    Args:
        game: what is played.
        before: `(1,)`, the state before the ply; None for what happened before the first decision.
        action: id, or the code of a forfeit.
        after: `(1,)`, the state after the ply.
        viewers: seats, None for the referee.
    """
    tell = find_hook(game.id, "log")
    if tell is not None:
        lines: list[tuple[LogLine, ...]] = tell(game, before, action, after, viewers)
        return lines
    if before is None:
        return [() for _ in viewers]
    player = int(before["current_player"][0])
    text = ply_text(game, before, action)
    line = LogLine(f"{player_name(game.id)(player)}: {text}" if action >= 0 else text, "choice")
    knowing = {None, player, *game.all_seeing}
    return [(line,) if action < 0 or viewer in knowing else () for viewer in viewers]


def find_seen(game: Game, states: Records, viewer: int | None) -> Seen | None:
    """Return the picture of `states[0]` that `viewer` may see, of hexes or one that draws itself; None without one."""
    return find_picture(game, states, viewer) or find_drawable(game, states, viewer)


def news(before: Seen | None, after: Seen | None) -> list[str]:
    """Return what has happened between two pictures of a viewer, oldest first; nothing where there are none."""
    if after is None:
        return []
    if before is None:
        return list(reversed(after.log))
    old, new = before.log, after.log
    shift = next(shift for shift in range(len(new) + 1) if new[shift:] == old[: len(new) - shift])
    lines = list(reversed(new[:shift]))
    if gained := gain(before, after):
        lines.append(f"Into your hand: {', '.join(gained)}")
    return lines


def gain(before: Seen, after: Seen) -> list[str]:
    """Return the names of what has come into the viewer's own hand."""
    hands = [Counter(dict(picture.hand or ())) for picture in (before, after)]
    return sorted((hands[1] - hands[0]).elements())
