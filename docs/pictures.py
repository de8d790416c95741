"""Pictures of the documentation: boards with numbered marks, and diagrams; `docs/build.py` writes them.

All use the shapes of `sackarmies_env.render`. Boards show positions of docs/images/*.toml and built-in scenarios.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from sackarmies_env.registry import DEFAULT_GAME, load_game
from sackarmies_env.render import svg, theme
from sackarmies_env.render.sack_armies.picture import picture as picture_of
from sackarmies_env.render.sack_armies.scene import make_camera, make_scene
from sackarmies_env.render.scene import Drawing
from sackarmies_env.render.shapes import Circle, Line, Point, Polygon, Rect, Scene, Text
from sackarmies_env.render.svg import paint_svg

IMAGES = Path(__file__).resolve().parent / "images"
BOARD = IMAGES / "board.toml"
MARK = 14.0  # radius of a numbered mark, in pixels
FONT = 15.0
BOX_LINE = 21.0  # between lines of a box

Marks = dict[str, Point]


def pictures() -> dict[Path, str]:
    """Return every picture by its path."""
    boards = {
        "board.svg": position_picture("board.toml", 0),
        "board_of_general_1.svg": position_picture("board.toml", 1),
        "board_marked.svg": marked_picture("board.toml", 0, BOARD_MARKS),
        "attack.svg": marked_picture("attack.toml", 0, ATTACK_MARKS, actions=("melee",)),
    }
    boards |= {f"generals_{number}.svg": position_picture(f"generals_{number}.toml", None) for number in range(3, 7)}
    boards |= {
        "territories_map.svg": position_picture("c3_domination", 0, "territories"),
        "territories_battle.svg": position_picture("territories_battle.toml", 1, "territories"),
    }
    diagrams = {"decision.svg": diagram(DECISION), "rooms.svg": diagram(ROOMS)}
    return {IMAGES / name: text for name, text in (boards | diagrams).items()}


# --- boards

Hexes = dict[str, tuple[tuple[int, int], Point]]
BOARD_MARKS: Hexes = {  # number -> hex, and where in it, in radii
    "1": ((2, 0), (0.4, 0.42)),
    "2": ((1, -1), (-0.5, 0.55)),
    "3": ((2, -1), (-0.1, 0.72)),
    "4": ((0, 2), (-0.62, -0.5)),
    "5": ((-2, 0), (-0.45, 0.66)),
    "6": ((2, 1), (0.0, 0.1)),
    "7": ((2, -2), (0.55, 0.62)),
}
ATTACK_MARKS: Hexes = {
    "1": ((0, 0), (-0.45, 0.62)),
    "2": ((1, 0), (0.0, 0.64)),
    "3": ((2, 0), (-0.45, 0.62)),
}


def position_picture(name: str, viewer: int | None, game_id: str = DEFAULT_GAME) -> str:
    """Return the picture of a position as a seat sees it, or as the referee does.

    Args:
        name: name of a file in docs/images, or of a built-in scenario.
        viewer: a seat, or None for the referee.
        game_id: id of the game.
    """
    game = load_game(game_id, scenario=IMAGES / name if name.endswith(".toml") else name)
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    return svg(game, states, viewer)


def marked_picture(name: str, viewer: int, marks: Hexes, actions: tuple[str, ...] = ()) -> str:
    """Return the picture of a position after `actions`, with numbers on hexes that the text explains."""
    game = load_game(DEFAULT_GAME, scenario=IMAGES / name)
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    for text in actions:
        game.step(game.params, states, [game.parse_action(states, text)])
    picture = picture_of(game, states, viewer)
    camera = make_camera(picture.hexes)
    scene = make_scene(picture)
    for number, (at, (dx, dy)) in marks.items():
        place = camera.place(at)
        draw_mark(scene, place.x + dx * place.r, place.y + dy * place.r, number)
    return paint_svg(Drawing(f"{picture.title}: {picture.headline()}", scene))


def draw_mark(scene: Scene, x: float, y: float, number: str) -> None:
    """Draw a number that the text refers to."""
    scene.append(Circle(x, y, MARK, theme.INK, theme.WHITE, 2.5))
    scene.append(Text(x, y, number, 17.0, theme.WHITE, bold=True))


# --- diagrams: boxes by name, with their center and lines of text, and arrows between them

Boxes = dict[str, tuple[Point, str]]
Arrows = tuple[tuple[str, str, str], ...]

DECISION: tuple[str, Boxes, Arrows] = (
    "How a decision is processed",
    {
        "agent": ((640, 60), "agent\nact(observation, mask)"),
        "adapter": ((250, 190), "adapter: PettingZoo,\nGymnasium, vector"),
        "check": ((640, 190), "check: integer,\nin range, legal"),
        "engine": ((1030, 190), "engine: Match (one game)\nor Batch (many games)"),
        "step_batch": ((1030, 340), "step_batch, the compiled entry:\na loop over commands"),
        "apply": ((640, 450), "apply the choice"),
        "run": ((640, 570), "run procedures to\nthe next decision"),
        "legal": ((640, 700), "legal ids, as bits\nin the state"),
        "outputs": ((1030, 700), "mask, observation,\nreturns"),
    },
    (
        ("agent", "adapter", "action id"),
        ("adapter", "check", ""),
        ("check", "engine", ""),
        ("engine", "step_batch", "commands, slots"),
        ("step_batch", "apply", ""),
        ("apply", "run", ""),
        ("run", "legal", ""),
        ("legal", "outputs", ""),
        ("outputs", "step_batch", "copies, or read-only arrays"),
        ("engine", "agent", "the current player's"),
    ),
)
ROOMS: tuple[str, Boxes, Arrows] = (
    "The rooms of a game: arrows lead to what a room imports",
    {
        "game": ((640, 60), "game.py, config.py\none Game of a configuration"),
        "belief": ((300, 200), "belief/\nsampling of hidden tokens,\ndeterminize"),
        "scenario": ((760, 200), "scenario/\npositions in and out"),
        "words": ((1100, 200), "words/\nnarration, sentences, pages"),
        "play": ((300, 350), "play/\napply, run to decision,\nlegal ids, entry"),
        "tokens": ((1000, 350), "tokens/\nschemas, catalogue, armies,\ntexts, prices"),
        "observation": ((300, 490), "observation/\nwhat a player sees"),
        "rules": ((300, 610), "rules/\nthe chapters of the rulebook"),
        "state": ((640, 730), "state/\nrecord, params, constants, flow,\nchance, actions, layout"),
    },
    (
        ("game", "belief", ""),
        ("game", "scenario", ""),
        ("belief", "play", ""),
        ("scenario", "play", ""),
        ("scenario", "tokens", ""),
        ("words", "tokens", ""),
        ("play", "observation", ""),
        ("observation", "rules", ""),
        ("rules", "state", ""),
        ("tokens", "state", ""),
    ),
)


def diagram(content: tuple[str, Boxes, Arrows]) -> str:
    """Return a diagram of boxes and arrows as an SVG document."""
    title, boxes, arrows = content
    scene: Scene = [Rect(0, 0, theme.WIDTH, theme.HEIGHT, theme.PANEL_PAPER)]
    for start, end, label in arrows:
        draw_arrow(scene, boxes[start], boxes[end], label)
    for middle, text in boxes.values():
        draw_box(scene, middle, text)
    return paint_svg(Drawing(title, scene))


def size_of(text: str) -> Point:
    """Return the width and height of a box with this text."""
    lines = text.split("\n")
    return max(len(line) for line in lines) * FONT * 0.56 + 36, len(lines) * BOX_LINE + 26


def draw_box(scene: Scene, middle: Point, text: str) -> None:
    """Draw a box; its first line is bold."""
    (x, y), (width, height), lines = middle, size_of(text), text.split("\n")
    scene.append(Rect(x - width / 2, y - height / 2, width, height, theme.WHITE, theme.SEATS[0], 2, 8))
    for row, line in enumerate(lines):
        scene.append(Text(x, y + (row - (len(lines) - 1) / 2) * BOX_LINE, line, FONT, theme.INK, bold=row == 0))


def draw_arrow(scene: Scene, start: tuple[Point, str], end: tuple[Point, str], label: str) -> None:
    """Draw an arrow from box to box, with a label in its middle."""
    (ax, ay), (bx, by) = edge_point(start, end[0]), edge_point(end, start[0])
    angle = math.atan2(by - ay, bx - ax)
    cos, sin = math.cos(angle), math.sin(angle)
    back = (bx - 14 * cos, by - 14 * sin)
    head = ((bx, by), (back[0] - 6 * sin, back[1] + 6 * cos), (back[0] + 6 * sin, back[1] - 6 * cos))
    scene.append(Line(((ax, ay), back), theme.INK, 1.8))
    scene.append(Polygon(head, theme.INK))
    if label:
        x, y, width = (ax + bx) / 2, (ay + by) / 2, len(label) * 13 * 0.55 + 10
        scene.append(Rect(x - width / 2, y - 11, width, 22, theme.PANEL_PAPER))
        scene.append(Text(x, y, label, 13, theme.INK))


def edge_point(box: tuple[Point, str], target: Point) -> Point:
    """Return the point at which the line from the center of a box toward a target leaves the box."""
    (x, y), (width, height) = box[0], size_of(box[1])
    dx, dy = target[0] - x, target[1] - y
    share = min((width / 2 + 5) / abs(dx) if dx else math.inf, (height / 2 + 5) / abs(dy) if dy else math.inf)
    return x + dx * share, y + dy * share
