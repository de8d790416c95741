"""The screenshots of docs/viewing.md: `python -m tests.browser.screenshots` writes them anew."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from sackarmies_env.core.record import load_record
from sackarmies_env.registry import game_of
from sackarmies_env.render import Replay
from tests.browser.conftest import DESKTOP, EXAMPLE, PHONE, ROOT, find_chromium

IMAGES = ROOT / "docs" / "images"
COLORS = 256  # of a picture: it takes half the room
SHOTS: dict[str, tuple[str, dict[str, Any]]] = {
    "replay.png": ("#ply=170&view=0&beside=1", {"viewport": DESKTOP}),
    "replay_phone.png": ("#ply=170&view=1", {"viewport": PHONE, "color_scheme": "dark"}),
}


def main() -> None:
    """Write all of them."""
    record = load_record(EXAMPLE)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "replay.html"
        Replay(game_of(record), record).save(path)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for name, (link, options) in SHOTS.items():
            page = browser.new_page(**options)
            page.goto(path.as_uri() + link)
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            small = picture.quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
            small.save(IMAGES / name, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
