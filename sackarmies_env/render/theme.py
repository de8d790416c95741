"""Colors and sizes of all pictures."""

from __future__ import annotations

WIDTH, HEIGHT = 1280, 800  # of every picture in pixels
PANEL = 340  # width of the panel on the right

# --- pictures, as #rrggbb

PAPER = "#f3ecdc"
PANEL_PAPER = "#fbf7ee"
INK = "#2a2520"
FADED_INK = "#8d8371"
RULE = "#d9cdb4"
WHITE = "#ffffff"
OPEN_HEX = "#e6dcc4"
OPEN_EDGE = "#cfc2a3"
HIGHLIGHT = "#f2a900"  # what is announced
RAISED, LOWERED = "#1f7a3d", "#c02020"  # an effective value above or below the printed one
RAISED_DOWN, LOWERED_DOWN = "#b4f2c6", "#ffd0b0"  # the same on the back of a unit
CAPTIVES = "#5b3a8c"

SEATS = ("#2b65a8", "#b83a2e", "#2f8050", "#b7791f", "#70479c", "#2d7f86")
SEAT_TINTS = ("#dbe7f5", "#f6dedb", "#dbeee1", "#f7e9cf", "#e8dff2", "#d8edee")

BANDS = {"black": "#26221e", "blue": "#2f6fc4", "red": "#bd2f2f", "green": "#2c8a4b", "gray": "#7d7d7d"}
BAND_MARKS = {"black": "square", "blue": "circle", "red": "triangle", "green": "diamond", "gray": "ring"}
KINDS = {"spell": "#2f6fc4", "maneuver": "#bd2f2f", None: "#6d655a"}

PLAIN = "#c3cf9b"
WATER = "#9cc5dd"
HALTING = "#d2ae84"
MARSH = "#94b7ac"  # water that halts
BONUS = "#cbbfae"  # terrain with effects on combat


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
