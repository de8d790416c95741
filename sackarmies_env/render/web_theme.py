"""What browser pages share with pictures drawn in Python: colors as CSS, marks and signs as a JavaScript module."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sackarmies_env.render import theme
from sackarmies_env.render.marks import SIGNS, TYPES, Box, draw_mark, draw_sign, draw_type
from sackarmies_env.render.shapes import Place, Scene
from sackarmies_env.render.svg import element

CURRENT = "currentColor"  # the color of the surrounding text
PLACE = Place(0, 0, 10)  # of marks and signs
TYPE_BOX: Box = (-51.0, -21.0, -9.0, 4.0)  # of a unit type's symbol on the counters of pages


def theme_css() -> str:
    """Return the colors of pages as CSS custom properties, light and dark."""
    light, dark = _properties(theme.PAGE), _properties(theme.DARK_PAGE)
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _properties(colors: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {color};" for name, color in colors.items())


def signs_module() -> str:
    """Return marks and signs as a JavaScript module: SVG elements by name, centered on (0, 0), with a radius of 10."""
    data = {
        "BAND_MARKS": theme.BAND_MARKS,
        "KIND_MARKS": {kind: mark for kind, mark in theme.KIND_MARKS.items() if kind},
        "MARKS": {mark: _mark(mark) for mark in theme.BAND_MARKS.values()},
        "SIGNS": {sign: _sign(sign) for sign in SIGNS},
        "TYPES": {name: _type(name) for name in TYPES},
    }
    return "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in data.items())


def _mark(mark: str) -> str:
    """Return a mark in the current color; a ring is open."""
    scene: Scene = []
    draw_mark(scene, PLACE, mark, CURRENT)
    return _elements(scene).replace(theme.WHITE, "none")


def _sign(sign: str) -> str:
    scene: Scene = []
    draw_sign(scene, PLACE, sign)
    return _elements(scene)


def _type(unit_class: str) -> str:
    scene: Scene = []
    draw_type(scene, TYPE_BOX, unit_class)
    return _elements(scene)


def _elements(scene: Scene) -> str:
    return "".join(map(element, scene))
