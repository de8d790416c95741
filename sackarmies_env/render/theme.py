"""Colors and sizes of all pictures."""

from __future__ import annotations

WIDTH, HEIGHT = 1280, 800  # of every picture in pixels
PANEL = 340  # width of the panel on the right
LEGEND = 54  # height of the legend under the board

# --- pictures, as #rrggbb

PAPER = "#f3ecdc"
PANEL_PAPER = "#fbf7ee"
INK = "#2a2520"
FADED_INK = "#635a4b"  # readable on paper, panel, open hexes and tints
SHADOW = "#8d8371"
RULE = "#d9cdb4"
WHITE = "#ffffff"
OPEN_HEX = "#e6dcc4"
OPEN_EDGE = "#cfc2a3"
HIGHLIGHT = "#f2a900"  # what is announced
RAISED, LOWERED = "#1b6b35", "#a81c1c"  # an effective value above or below the printed one
RAISED_DOWN, LOWERED_DOWN = "#cff7da", "#ffe6d2"  # the same on the back of a unit
CAPTIVES = "#5b3a8c"

SEATS = ("#2b65a8", "#b83a2e", "#2b7549", "#8f5c0c", "#70479c", "#246f76")
SEAT_TINTS = ("#dbe7f5", "#f6dedb", "#dbeee1", "#f7e9cf", "#e8dff2", "#d8edee")

BANDS = {"black": "#26221e", "blue": "#2f6fc4", "red": "#bd2f2f", "green": "#23773e", "gray": "#6e6e6e"}
BAND_MARKS = {"black": "square", "blue": "circle", "red": "triangle", "green": "diamond", "gray": "ring"}
BAND_LETTERS = {"black": "K", "blue": "B", "red": "R", "green": "G", "gray": "Y"}
KINDS = {"spell": "#2f6fc4", "maneuver": "#bd2f2f", None: "#6d655a"}
KIND_MARKS = {"spell": "circle", "maneuver": "triangle", None: "square"}

PLAIN = "#c3cf9b"
WATER = "#9cc5dd"
HALTING = "#d2ae84"
MARSH = "#94b7ac"  # water that halts
BONUS = "#cbbfae"  # terrain with effects on combat

TERRAINS = (PLAIN, WATER, HALTING, MARSH, BONUS)

# Every color of letters, with the grounds that it is written on: readable, with a contrast of at least 4.5.
TEXT_COLORS: dict[str, tuple[str, ...]] = {
    INK: (PAPER, PANEL_PAPER, *TERRAINS, *SEAT_TINTS),
    FADED_INK: (PAPER, PANEL_PAPER, OPEN_HEX, *SEAT_TINTS),
    WHITE: (INK, CAPTIVES, *SEATS, *BANDS.values()),
    RAISED: SEAT_TINTS,
    LOWERED: SEAT_TINTS,
    RAISED_DOWN: SEATS,
    LOWERED_DOWN: SEATS,
    **dict.fromkeys(SEATS, (PANEL_PAPER,)),
    **dict.fromkeys(BANDS.values(), (WHITE,)),
}


def terrain_color(water: bool, halts: bool, has_text: bool) -> str:
    """Return the fill of a battlefield."""
    if water:
        return MARSH if halts else WATER
    if halts:
        return HALTING
    return BONUS if has_text else PLAIN


# --- terminal, as SGR parameters

ANSI_SEATS = ("94", "91", "92", "93", "95", "96")
ANSI_DIM = "2"
ANSI_BOLD = "1"
ANSI_REVERSE = "7"
