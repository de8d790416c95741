"""Positions of games without a picture: what the viewer observes, as names and values.

A seat is shown its own observation and nothing else; the referee is shown the observations of all seats.
"""

from __future__ import annotations

import textwrap

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.entries import find_entry, player_name, player_noun
from sackarmies_env.core.game import Game
from sackarmies_env.core.observation import Block
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.render import theme
from sackarmies_env.render.shapes import Rect, Scene, Text, fitted

INDENT = "  "
MARGIN = 26.0  # pixels around the text of a picture
LARGEST, SMALLEST = 20.0, 9.0  # font sizes in a picture
LINE_HEIGHT = 1.4  # from one line to the next, in multiples of the font size
COLUMNS = 130  # characters per line of a picture


def observation_lines(game: Game, states: NDArray[np.void], viewer: int | None, width: int) -> list[str]:
    """Return `states[0]` as lines of at most `width` characters.

    Args:
        game: the game.
        states: `(n,)` records of `game.state_dtype`.
        viewer: seat, or None for the referee.
        width: maximum length of a line.
    """
    entry = find_entry(game.id)
    seen_by = "the referee" if viewer is None else player_name(game.id, viewer)
    heading = f"{game.id if entry is None else entry.title}, seen by {seen_by}"
    return [heading, _decision(game, states, viewer), "", *seen_lines(game, states, viewer, width)]


def seen_lines(game: Game, states: NDArray[np.void], viewer: int | None, width: int) -> list[str]:
    """Return what a viewer observes of `states[0]` and nothing else; arguments as in `observation_lines`."""
    lines: list[str] = []
    for seat in range(game.num_players) if viewer is None else [viewer]:
        lines += ["", f"Observation of {player_name(game.id, seat)}"]
        observation = np.zeros((1, game.observation_spec.size), np.int8)
        game.observe(game.params, states[:1], np.array([seat], np.int64), observation)
        for block in game.observation_spec.blocks:
            lines += _block_lines(block, game.observation_spec.view(observation[0], block.name), width)
    return lines[1:]


def _decision(game: Game, states: NDArray[np.void], viewer: int | None) -> str:
    """Return who must decide and what is asked; only that player and the referee are told, as it may be hidden."""
    player = int(states["current_player"][0])
    if player == NO_PLAYER:
        return "The game is over"
    if viewer not in {None, player, *game.all_seeing}:
        return f"Another {player_noun(game.id)} to decide"
    return f"{player_name(game.id, player)} to decide: {game.describe_decision(states)}"


def _block_lines(block: Block, rows: NDArray[np.int8], width: int) -> list[str]:
    """Return the lines of a block, with a paragraph for each row that is not all zero."""
    lines: list[str] = []
    for number, row in enumerate(rows.tolist()):
        if block.rows > 1 and not any(row):
            continue
        where = block.name if block.rows == 1 else f"{block.name}[{number}]"
        values = (f"{feature.name} {value}" for feature, value in zip(block.features, row, strict=True))
        lines += textwrap.wrap(
            f"{where}: {', '.join(values)}", width, subsequent_indent=2 * INDENT, initial_indent=INDENT
        )
    return lines or [f"{INDENT}{block.name}: all zero"]


def text_scene(lines: list[str]) -> Scene:
    """Return lines of text as a scene, in the largest font size that fits; lines that do not fit are counted."""
    room = theme.HEIGHT - 2 * MARGIN
    size = min(LARGEST, max(SMALLEST, room / (LINE_HEIGHT * len(lines))))
    most = int(room / (LINE_HEIGHT * size))
    if len(lines) > most:
        lines = [*lines[: most - 1], f"and {len(lines) - most + 1} more lines"]
    scene: Scene = [Rect(0, 0, theme.WIDTH, theme.HEIGHT, fill=theme.PAPER)]
    for number, line in enumerate(lines):
        text = line.lstrip()
        x = MARGIN + (len(line) - len(text)) * size / 2
        y = MARGIN + (number + 0.5) * LINE_HEIGHT * size
        shown = fitted(text, size, theme.WIDTH - MARGIN - x)
        scene.append(Text(x, y, shown, size, theme.INK, "start", bold=number == 0))
    return scene
