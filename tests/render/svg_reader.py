"""Tokens as read from a picture: from the shapes and texts of an SVG, and as the picture model expects them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from sackarmies_env.render import theme
from sackarmies_env.render.picture import Hex
from sackarmies_env.render.sack_armies.model import FieldView, UnitView
from sackarmies_env.render.sack_armies.picture import Picture

NEAR = 0.02  # radii
COORDINATES = re.compile(r"(-?\d+),(-?\d+)")
COORDINATES_Y = -0.742  # place of a hex's coordinates, in radii
EDGE = 0.97  # radius of the polygon of a hex
BODY, BAND = (1.2, 0.95), (1.12, 0.32)  # sizes on a counter, in radii
CHANGES = {theme.RAISED: "raised", theme.RAISED_DOWN: "raised", theme.LOWERED: "lowered", theme.LOWERED_DOWN: "lowered"}
KINDS = {color: kind for kind, color in theme.KINDS.items()}
BANDS = {color: band for band, color in theme.BANDS.items()}
POINTS = {("polyline", 9): "water", ("polyline", 3): "movement", ("polygon", 5): "armor", ("polygon", 4): "shelters"}


class Mark(NamedTuple):
    """An element of an SVG; its middle and size are in radii of its hex."""

    tag: str
    x: float
    y: float
    width: float
    height: float
    points: int
    fill: str
    stroke: str
    bold: bool
    anchor: str
    text: str

    def is_at(self, x: float, y: float) -> bool:
        """Return whether the middle is at a place."""
        return abs(self.x - x) < NEAR and abs(self.y - y) < NEAR

    def is_sized(self, width: float, height: float) -> bool:
        """Return whether the element has this size."""
        return abs(self.width - width) < NEAR and abs(self.height - height) < NEAR


def read_svg(text: str) -> dict[str, list[dict[str, Any]]]:
    """Return the tokens that an SVG of a board shows, from its elements alone; see `tokens_of`."""
    units, fields = [], []
    for at, marks in by_hex(text).items():
        texts = [mark for mark in marks if mark.tag == "text"]
        if any(mark.points == 6 and mark.fill in theme.SEATS for mark in marks):
            fields.append({"at": list(at), **read_field(marks, texts)})
        body = next((mark for mark in marks if mark.tag == "rect" and mark.stroke and mark.is_sized(*BODY)), None)
        if body is not None:
            units.append({"at": list(at), "face_up": body.fill != body.stroke, **read_unit(marks, texts)})
    return {"units": units, "fields": fields}


def by_hex(text: str) -> dict[Hex, list[Mark]]:
    """Return the elements on the board by hex; the centers of hexes are read from their printed coordinates."""
    root = ET.fromstring(text)
    right, bottom = theme.WIDTH - theme.PANEL, theme.HEIGHT - theme.LEGEND
    elements = [mark for mark in map(measured, root) if mark is not None and mark.x <= right and mark.y <= bottom]
    labels = [(mark, found) for mark in elements if (found := COORDINATES.fullmatch(mark.text)) and not mark.bold]
    if not labels:
        return {}
    grounds = {theme.OPEN_HEX, *theme.SEATS}
    radius = max(mark.height for mark in elements if mark.points == 6 and mark.fill in grounds) / 2 / EDGE
    centers = {(int(found[1]), int(found[2])): (mark.x, mark.y - COORDINATES_Y * radius) for mark, found in labels}
    found: dict[Hex, list[Mark]] = defaultdict(list)
    for mark in elements:
        at = min(centers, key=lambda at: (mark.x - centers[at][0]) ** 2 + (mark.y - centers[at][1]) ** 2)
        x, y = centers[at]
        found[at].append(
            mark._replace(
                x=(mark.x - x) / radius, y=(mark.y - y) / radius, width=mark.width / radius, height=mark.height / radius
            )
        )
    return dict(sorted(found.items(), key=lambda each: each[0][::-1]))


def measured(element: ET.Element) -> Mark | None:
    """Return an element with its middle and size in pixels; None if it is not drawn."""
    tag = element.tag.rpartition("}")[2]
    number = {name: float(value) for name, value in element.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
    corners = [tuple(map(float, pair.split(","))) for pair in element.get("points", "").split()]
    if tag == "title":
        return None
    if tag == "text":
        x, y, width, height = number["x"], number["y"] - 0.35 * number["font-size"], 0.0, number["font-size"]
    elif tag == "circle":
        x, y, width, height = number["cx"], number["cy"], 2 * number["r"], 2 * number["r"]
    elif tag == "rect":
        width, height = number["width"], number["height"]
        x, y = number["x"] + width / 2, number["y"] + height / 2
    else:
        (left, right), (top, bottom) = ((min(side), max(side)) for side in zip(*corners, strict=True))
        x, y, width, height = (left + right) / 2, (top + bottom) / 2, right - left, bottom - top
    attributes = [element.get(name, "") for name in ("fill", "stroke")]
    anchor = element.get("text-anchor", "start")
    is_bold = element.get("font-weight") == "700"
    return Mark(tag, x, y, width, height, len(corners), *attributes, is_bold, anchor, element.text or "")


def read_unit(marks: list[Mark], texts: list[Mark]) -> dict[str, Any]:
    """Return what is written on a counter."""
    band = next((mark for mark in marks if mark.tag == "rect" and mark.is_sized(*BAND)), None)
    name = sorted((mark for mark in texts if abs(mark.x - 0.06) < NEAR and -0.6 < mark.y < -0.28), key=lambda m: m.y)
    values = sorted(mark for mark in texts if mark.bold and mark.anchor == "start" and abs(mark.y - 0.16) < NEAR)
    values.sort(key=lambda mark: mark.x)
    symbol = [mark for mark in marks if -0.53 < mark.x < -0.16 and -0.26 < mark.y < 0 and mark.tag != "text"]
    hung = [mark for mark in marks if abs(mark.x - 0.68) < NEAR and mark.stroke in KINDS and mark.tag != "polyline"]
    return {
        "owner": int(one(texts, -0.555, -0.585)),
        "name": " ".join(mark.text for mark in name),
        "band": "" if band is None else BANDS[band.fill],
        "symbol": [sum(mark.tag == tag for mark in symbol) for tag in ("polyline", "polygon", "circle")],
        "range": one(texts, 0.315, -0.13),
        "rank": sum(mark.tag == "polyline" and abs(mark.x - 0.505) < NEAR for mark in marks),
        "values": [[int(mark.text), CHANGES.get(mark.fill, "")] for mark in values],
        "flags": [one(texts, 0.56, -0.59), one(texts, 0.61, 0.31), one(texts, -0.61, 0.31)],
        "attachments": [[KINDS[mark.stroke], mark.fill == mark.stroke] for mark in sorted(hung, key=lambda m: m.y)],
    }


def one(texts: list[Mark], x: float, y: float) -> str:
    """Return the text at a place, "" if there is none."""
    return next((mark.text for mark in texts if mark.is_at(x, y)), "")


def read_field(marks: list[Mark], texts: list[Mark]) -> dict[str, Any]:
    """Return what is written on a battlefield."""
    controller = int(one(texts, -0.72, -0.19))
    owner = one(texts, -0.72, 0.08)
    middle = [mark for mark in texts if mark.bold and mark.anchor == "middle" and abs(mark.x) < NEAR]
    amounts = [mark for mark in texts if mark.bold and mark.anchor == "start" and mark.y > 0.3]
    ranks = [mark for mark in marks if mark.tag == "polyline" and abs(mark.x + 0.68) < NEAR and mark.y > 0.2]
    return {
        "controller": controller,
        "owner": int(owner) if owner else controller,
        "rank": len(ranks),
        "name": " ".join(mark.text for mark in sorted(middle, key=lambda m: m.y) if mark.fill == theme.INK),
        "signs": sorted(read_signs([mark for mark in marks if mark.y > 0.3 and mark not in ranks])),
        "amounts": [mark.text for mark in sorted(amounts, key=lambda mark: mark.x)],
    }


def read_signs(marks: list[Mark]) -> Iterator[str]:
    """Yield the signs that these elements form: waves, bars, chevrons, swords, shields, fish."""
    inked = [mark for mark in marks if theme.INK in {mark.fill, mark.stroke}]  # excludes arrows of attacks
    lines = [mark for mark in inked if mark.tag == "polyline" and mark.points == 2]
    bars = [mark for mark in inked if mark.tag == "circle" and mark.fill == theme.WHITE]
    yield from ("halts" for _ in bars)
    yield from ("damage" for _ in range((len(lines) - len(bars)) // 2))
    for (tag, points), name in POINTS.items():
        number = sum((mark.tag, mark.points) == (tag, points) for mark in inked)
        yield from (name for _ in range(number // (2 if tag == "polyline" else 1)))


# --- the picture model


def tokens_of(picture: Picture) -> dict[str, list[dict[str, Any]]]:
    """Return what must be readable on the board of a picture."""
    units = sorted(picture.units, key=lambda unit: unit.at[::-1])
    fields = sorted(picture.fields, key=lambda field: field.at[::-1])
    return {"units": [unit_of(unit) for unit in units], "fields": [field_of(field) for field in fields]}


SYMBOLS = {"infantry": [2, 1, 0], "cavalry": [1, 1, 0], "missile": [1, 2, 0], "artillery": [0, 1, 1]}  # elements


def unit_of(unit: UnitView) -> dict[str, Any]:
    """Return what must be readable on a counter."""
    card = unit.card
    acted = "E" if unit.employed else "M" if unit.moved else ""
    values = [] if card is None else zip((card.movement, card.damage, card.armor), card.printed, strict=True)
    return {
        "at": list(unit.at),
        "face_up": unit.face_up,
        "owner": unit.owner,
        "name": card.name if card else "",
        "band": card.band if card else "",
        "symbol": SYMBOLS.get(card.unit_class, [0, 0, 0]) if card else [0, 0, 0],
        "range": f"R{card.range}" if card and card.range else "",
        "rank": card.rank if card else 0,
        "values": [[now, "raised" if now > then else "lowered" if now < then else ""] for now, then in values],
        "flags": [acted, str(len(unit.captives) or ""), "?" if card and not unit.face_up else ""],
        "attachments": [[each.kind, each.face_up] for each in unit.attachments],
    }


def field_of(field: FieldView) -> dict[str, Any]:
    """Return what must be readable on a battlefield."""
    ground = {"water": field.water, "halts": field.halts, "shelters": field.shelters}
    return {
        "at": list(field.at),
        "controller": field.controller,
        "owner": field.owner,
        "rank": field.rank,
        "name": field.name,
        "signs": sorted([name for name, has in ground.items() if has] + [effect.stat for effect in field.effects]),
        "amounts": [f"{effect.amount:+}" + ("*" if effect.whom else "") for effect in field.effects],
    }
