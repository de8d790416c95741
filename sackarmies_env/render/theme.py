"""Colors and sizes of all pictures."""

from __future__ import annotations

from collections.abc import Mapping

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
HIGHLIGHT = "#f2a900"  # marks what is announced
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

# --- pages in a browser: what they share with pictures has the same colors; the rest are their own

PAGE = {  # custom properties of the style sheets
    "paper": PAPER,
    "panel": PANEL_PAPER,
    "raised-panel": "#f5eee0",
    "ink": INK,
    "faded": FADED_INK,
    "rule": RULE,
    "accent": "#1d5c8a",  # buttons, focused elements
    "on-accent": WHITE,
    "highlight": "#c96a00",  # edges of what is lit or waiting: darker than the arrow of what is announced
    "announced": HIGHLIGHT,
    "target": "#b3261e",
    "white": WHITE,
    "open": OPEN_HEX,
    "open-edge": OPEN_EDGE,
    "token-ink": INK,
    "ground-ink": INK,
    "plain": PLAIN,
    "water": WATER,
    "halting": HALTING,
    "marsh": MARSH,
    "bonus": BONUS,
    "pattern": f"{INK}38",
    "lit": "#ffb34055",  # hexes that may be chosen; below, one under the pointer and one that has been chosen
    "lit-hover": "#ffb34099",
    "lit-chosen": "#ffb340a0",
    "raised": RAISED,
    "lowered": LOWERED,
    "raised-down": RAISED_DOWN,
    "lowered-down": LOWERED_DOWN,
    "captives": CAPTIVES,
    **{f"seat-{seat}": color for seat, color in enumerate(SEATS)},
    **{f"tint-{seat}": color for seat, color in enumerate(SEAT_TINTS)},
    **{f"band-{band}": color for band, color in BANDS.items()},
    **{f"kind-{kind or 'hidden'}": color for kind, color in KINDS.items()},
}
DARK_PAGE = {  # what differs in dark mode
    "paper": "#14171b",
    "panel": "#1d2127",
    "raised-panel": "#262b32",
    "ink": "#ece8df",
    "faded": "#aca597",
    "rule": "#3b424b",
    "accent": "#8cc4f0",
    "on-accent": "#10161c",
    "highlight": "#ffb340",
    "target": "#ff8a80",
    "open": "#1f242a",
    "open-edge": "#4a525c",
    "ground-ink": "#f6f1e6",
    "plain": "#475434",
    "water": "#2c5068",
    "halting": "#66502f",
    "marsh": "#365850",
    "bonus": "#544d45",
    "pattern": "#ffffff2e",
    "lit": "#ffb34026",
    "lit-hover": "#ffb34040",
    "lit-chosen": "#ffb34040",
    "tint-0": "#ccd9e9",
    "tint-1": "#ecd3cf",
    "tint-2": "#cce1d3",
    "tint-3": "#ecdbba",
    "tint-4": "#ddd5e9",
    "tint-5": "#c9e0e3",
}

# --- colors of pictures that have several sets of them (see `picture.Drawable`), under the names used by pages

Colors = Mapping[str, str]
LIGHT: Colors = PAGE
DARK: Colors = PAGE | DARK_PAGE
ON_PAGE: Colors = {name: f"var(--{name})" for name in PAGE}  # light or dark, as set in the reader's browser

# --- terminal, as SGR parameters

ANSI_SEATS = ("94", "91", "92", "93", "95", "96")
ANSI_DIM = "2"
ANSI_BOLD = "1"
ANSI_REVERSE = "7"
