"""Single-file pages for a browser: the modules and styles of `web/` with the data that they draw."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import importlib.resources
import json
import re
from collections.abc import Callable
from importlib.resources.abc import Traversable
from string import Template
from typing import Any

from sackarmies_env.render.frames import pack
from sackarmies_env.render.web_theme import signs_module, theme_css

MODULES = (  # each imports only those before it
    "dom.js",
    "drawn.js",
    "geometry.js",
    "signs.js",
    "shapes.js",
    "tokens.js",
    "words.js",
    "board.js",
    "panel.js",
    "frames.js",
    "scrubber.js",
    "analysis.js",
    "replay.js",
)
MADE: dict[str, Callable[[], str]] = {"theme.css": theme_css, "signs.js": signs_module}
START = "startReplay();\n"
IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:; base-uri 'none'; form-action 'none'"
)
FRAME_HEIGHT = 780  # of the frame in a notebook, in pixels


def page_html(data: dict[str, Any]) -> str:
    """Return the page of a replay or position: one HTML document that loads nothing from elsewhere.

    Args:
        data: as returned by `replay_data` or `position_data`.
    """
    script, style = script_text(), web_text("theme.css") + web_text("style.css")
    return Template(web_text("page.html")).substitute(
        policy=POLICY.format(script=source_hash(script), style=source_hash(style)),
        title=html.escape(data["title"]),
        style=style,
        data=json_text(pack(data)),
        script=script,
    )


def frame_html(page: str) -> str:
    """Return a page as a frame that can be embedded in another page, such as a notebook."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" width="100%" height="{FRAME_HEIGHT}" '
        f'style="border:0" title="Board" sandbox="allow-scripts"></iframe>'
    )


def web_text(name: str) -> str:
    """Return the text of a file in `web/`, or of one that is generated from the theme of pictures."""
    return MADE[name]() if name in MADE else _folder().joinpath(name).read_text("utf-8")


def web_files() -> list[str]:
    """Return the names of all modules and style sheets."""
    return [*MADE, *(entry.name for entry in _folder().iterdir() if entry.name.endswith((".js", ".css")))]


def _folder() -> Traversable:
    return importlib.resources.files("sackarmies_env.render").joinpath("web")


@functools.cache
def script_text() -> str:
    """Return all modules as one script: in order, without the lines that import other modules."""
    modules = (EXPORT.sub("", IMPORT.sub("", web_text(name))) for name in MODULES)
    return "\n".join([*modules, START])


def json_text(data: Any) -> str:
    """Return data as JSON in which no text can close the script element that holds it."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def source_hash(text: str) -> str:
    """Return the hash by which a content security policy allows an inline script or style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
