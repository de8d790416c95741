"""The panel beside the board, as far as all pictures share it: its layout, the lines at its top, lists of names."""

from __future__ import annotations

from sackarmies_env.render import theme
from sackarmies_env.render.picture import Pile
from sackarmies_env.render.shapes import Line, Rect, Scene, Text, text_width, wrapped
from sackarmies_env.render.theme import Colors

LEFT = theme.WIDTH - theme.PANEL + 22
RIGHT = theme.WIDTH - 20
INNER = RIGHT - LEFT
TITLE, NORMAL, FINE = 24.0, 14.0, 12.0  # font sizes
STEP = 17.0  # from line to line
INDENT = 24.0  # of the lines on a player
FIRST = 78.0  # y of the first line below the heading
SHOWN_BACKS = 8  # most backs that are shown for a hand


def draw_heading(scene: Scene, title: str, turn: int, viewer: str, colors: Colors) -> None:
    """Draw the empty panel with its heading: the title, the turn, and whose view the picture is."""
    edge = theme.WIDTH - theme.PANEL
    scene.append(Rect(edge, 0, theme.PANEL, theme.HEIGHT, colors["panel"]))
    scene.append(Line(((edge, 0), (edge, theme.HEIGHT)), colors["rule"], 2))
    scene.append(Text(LEFT, 32, title, TITLE, colors["ink"], "start", True))
    scene.append(Text(RIGHT, 33, f"turn {turn}", NORMAL, colors["ink"], "end"))
    scene.append(Text(LEFT, 54, viewer, FINE, colors["faded"], "start"))


def listed(label: str, pile: Pile, most: int) -> list[str]:
    """Return a pile on at most `most` lines; names are never cut, and tokens that do not fit are counted."""
    width = INNER - INDENT
    for shown in range(len(pile), 0, -1):
        names = [f"{copies} {name}" if copies > 1 else name for name, copies in pile[:shown]]
        left = sum(copies for _, copies in pile[shown:])
        lines = wrapped(f"{label}: {', '.join(names)}" + (f" and {left} more" if left else ""), FINE, width)
        if len(lines) <= most and all(text_width(line, FINE) <= width for line in lines):
            return lines
    return [f"{label}: {sum(copies for _, copies in pile)} tokens"]
