"""Units of Territories as marks with their counts, in a territory, a garrison or on the battle board."""

from __future__ import annotations

from sackarmies_env.games.territories.state.constants import Unit
from sackarmies_env.render.marks import draw_mark
from sackarmies_env.render.shapes import Place, Scene, Text, text_width

UNIT = 6.0  # radius of a mark
COUNT = 13.0  # font size
UNIT_MARKS = {Unit.TROOP: "circle", Unit.RIDER: "triangle", Unit.ENGINE: "square", Unit.HERO: "diamond"}


def draw_units(
    scene: Scene, place: Place, units: list[tuple[int, int]], ink: str, *, is_centered: bool = False
) -> float:
    """Draw the marks of units, each with its count; return the x where they end.

    Args:
        scene: the scene to draw on.
        place: their left end or center, and the radius of a mark.
        units: (type, count) pairs.
        ink: the color.
        is_centered: whether `place` is their center, not their left end.
    """
    widths = [2 * place.r + 4 + text_width(str(count), COUNT, True) + 9 for _, count in units]
    x = place.x - (sum(widths) - 9) / 2 if is_centered else place.x
    for (unit, count), width in zip(units, widths, strict=True):
        draw_mark(scene, Place(x + place.r, place.y, 0.9 * place.r), UNIT_MARKS[Unit(unit)], ink)
        scene.append(Text(x + 2 * place.r + 4, place.y, str(count), COUNT, ink, "start", True))
        x += width
    return x
