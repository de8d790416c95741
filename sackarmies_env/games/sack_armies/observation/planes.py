"""Observations as planes over the hexes, made only from compact observations, so that they cannot reveal more.

Each plane is a separate block. On a board of radius R, a hex is at row r + R, column q + R. Hexes off the board hold 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.jit import njit
from sackarmies_env.core.observation import DIGIT_BASE, Block, Feature, ObservationSpec, flag, number
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.state.layout import (
    OFF_BOARD,
    TOKEN_FEATURES,
    TOKEN_WIDTH,
    Global,
    Place,
    Shown,
    ShownFace,
    Token,
    make_observation_spec,
)

FIELD_FEATURES = [
    *["owner", "controller", "type_low", "type_high", "movement", "damage", "armor", "flying", "aquatic"],
    *["match_class", "match_homeland", "match_keyword", "rank", "halts", "water", "favors_aquatic"],
]
NOT_OF_UNITS = [
    *["place", "q", "r", "slot", "kind", "use", "target", "target_range", "retain", "strike", "relocate", "swap"],
    *["remove", "halts", "water", "favors_aquatic"],
]
UNIT_FEATURES = [feature.name for feature in TOKEN_FEATURES if feature.name not in NOT_OF_UNITS]
SEATS = ("owner", "controller")  # shown plus 1: 0 is nobody
MARKS = {  # planes with a 1 on one hex, and where the compact form says which
    "chosen": (Global.CHAIN_Q, "the observer has chosen so far"),
    "chosen_second": (Global.CHAIN_SECOND_Q, "they have chosen after it"),
    "attacked": (Global.ATTACK_Q, "is attacked"),
    "aimed_at": (Global.ACT_Q, "an activation is aimed at"),
    "relocated_to": (Global.ACT_TO_Q, "a unit is to be relocated to"),
}
ASIDE_FEATURES = (
    number("hand", "Copies in the observer's hand."),
    number("picked", "Copies that they have set aside for Setup."),
)


def _columns(names: list[str]) -> NDArray[np.int64]:
    """Return the columns of features in the compact block of tokens."""
    return np.array([getattr(Token, name.upper()) for name in names], np.int64)


def _offsets(names: list[str]) -> NDArray[np.int64]:
    """Return what is added to each feature: 1 to seats, 0 to others."""
    return np.array([name in SEATS for name in names], np.int64)


def _plane_features() -> list[Feature]:
    """Return the planes in order, as one feature each."""
    known = {feature.name: feature for feature in TOKEN_FEATURES}
    planes = [flag("board", "a hex of the board.")]
    for prefix, names in (("field", FIELD_FEATURES), ("unit", UNIT_FEATURES)):
        for name in names:
            one, more = known[name], int(name in SEATS)
            doc = f"Seat of the {name}, plus 1; 0: none." if more else one.doc
            planes.append(Feature(f"{prefix}_{name}", min(0, one.low), one.high + more, doc, one.categorical))
    planes.append(number("attached_down", "Face-down attachments of the unit."))
    planes.append(number("attached_up", "Face-up attachments under or on the unit."))
    planes += [flag(name, f"the hex that {doc}.") for name, (_, doc) in MARKS.items()]
    return planes


PLANES = _plane_features()
FIELD_COLUMNS, FIELD_OFFSETS = _columns(FIELD_FEATURES), _offsets(FIELD_FEATURES)
UNIT_COLUMNS, UNIT_OFFSETS = _columns(UNIT_FEATURES), _offsets(UNIT_FEATURES)
MARK_COLUMNS = np.array([column for column, _ in MARKS.values()], np.int64)
FIRST_FIELD = 1
FIRST_UNIT = FIRST_FIELD + len(FIELD_FEATURES)
FIRST_ATTACHED = FIRST_UNIT + len(UNIT_FEATURES)
FIRST_MARK = FIRST_ATTACHED + 2


def make_planes_spec(num_generals: int, num_types: int, tokens_per_general: int, radius: int) -> ObservationSpec:
    """Return the layout: the compact blocks except the tokens, the own tokens set aside, by type, then the planes."""
    compact = make_observation_spec(num_generals, num_types, tokens_per_general)
    side = 2 * radius + 1
    planes = [
        Block(
            plane.name,
            side,
            tuple(
                Feature(f"q{q}", plane.low, plane.high, plane.doc, plane.categorical)
                for q in range(-radius, radius + 1)
            ),
            plane.doc,
            is_plane=True,
        )
        for plane in PLANES
    ]
    aside = Block("aside", num_types, ASIDE_FEATURES, "The observer's own hand and picks, one row a type.")
    return ObservationSpec([*compact.blocks[:-1], aside, *planes])


def planes_markdown() -> str:
    """Return the planes as a table."""
    lines = ["| plane | name | range | meaning |", "| ---: | --- | --- | --- |"]
    for place, plane in enumerate(PLANES):
        kind = ", code" if plane.categorical else ""
        lines.append(f"| {place} | `{plane.name}` | {plane.low} to {plane.high}{kind} | {plane.doc} |")
    return "\n".join(lines) + "\n"


# --- from compact to planes


@njit
def place_of(params, q, r):
    """Return the index of a hex within a plane."""
    radius = params.radius
    return (np.int64(r) + radius) * (2 * radius + 1) + np.int64(q) + radius


@njit
def write_aside_count(row, aside):
    """Count a token of the hand or of the picks in the row of its type."""
    type_id = np.int64(row[Token.TYPE_LOW]) + DIGIT_BASE * np.int64(row[Token.TYPE_HIGH]) - 1
    column = 0 if row[Token.PLACE] == Place.HAND else 1
    aside[type_id * 2 + column] += 1


@njit
def write_on_hex(params, row, planes, area):
    """Write a token of the board to the planes."""
    place = place_of(params, row[Token.Q], row[Token.R])
    if row[Token.PLACE] == Place.ATTACHED:
        is_up = row[Token.FACE] != ShownFace.DOWN
        planes[(FIRST_ATTACHED + is_up) * area + place] += 1
    elif row[Token.PLACE] == Place.BATTLEGROUND and row[Token.KIND] == Shown.BATTLEFIELD:
        for i in range(len(FIELD_COLUMNS)):
            planes[(FIRST_FIELD + i) * area + place] = row[FIELD_COLUMNS[i]] + FIELD_OFFSETS[i]
    elif row[Token.PLACE] == Place.BATTLEGROUND:
        for i in range(len(UNIT_COLUMNS)):
            planes[(FIRST_UNIT + i) * area + place] = row[UNIT_COLUMNS[i]] + UNIT_OFFSETS[i]


@njit
def write_marks(params, compact, planes, area):
    """Write the planes of the board and of the marked hexes."""
    for cell in range(params.num_cells):
        planes[place_of(params, params.cell_q[cell], params.cell_r[cell])] = 1
    for i in range(len(MARK_COLUMNS)):
        q = compact[MARK_COLUMNS[i]]
        if q != OFF_BOARD:
            planes[(FIRST_MARK + i) * area + place_of(params, q, compact[MARK_COLUMNS[i] + 1])] = 1


@njit
def spread_one(params, compact, tokens_start, out):
    """Write one compact observation as planes."""
    side = 2 * params.radius + 1
    area = side * side
    for i in range(tokens_start, len(out)):
        out[i] = 0
    for i in range(tokens_start):
        out[i] = compact[i]
    aside = out[tokens_start:]
    planes = aside[2 * params.num_types :]
    for start in range(tokens_start, len(compact), TOKEN_WIDTH):
        row = compact[start : start + TOKEN_WIDTH]
        if row[Token.PLACE] == Place.HAND or row[Token.PLACE] == Place.PICKED:
            write_aside_count(row, aside)
        elif row[Token.PLACE] != Place.NONE and row[Token.PLACE] != Place.REMOVED:
            write_on_hex(params, row, planes, area)
    write_marks(params, compact, planes, area)


@njit
def spread_games(params, rows, viewers, compact, tokens_start, out):
    """Write the compact observations (n, size) int8 of some `rows` as planes; zeros where the viewer is NO_PLAYER."""
    for i in range(len(rows)):
        row = np.int64(rows[i])
        if viewers[i] == NO_PLAYER:
            for j in range(out.shape[1]):
                out[row, j] = 0
        else:
            spread_one(params[0], compact[row], tokens_start, out[row])
