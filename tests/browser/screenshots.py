"""The screenshots of docs/viewing.md: `python -m tests.browser.screenshots` writes them anew."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.conftest import ANALYZED, DESKTOP, EXAMPLE, PHONE, ROOT, find_chromium, page_address

IMAGES = ROOT / "docs" / "images"
COLORS = 256  # of a picture: it takes half the room
SHOTS: dict[str, tuple[Path, str, dict[str, Any]]] = {
    "replay.png": (EXAMPLE, "#ply=170&view=0&beside=1", {"viewport": DESKTOP}),
    "replay_phone.png": (EXAMPLE, "#ply=170&view=1", {"viewport": PHONE, "color_scheme": "dark"}),
    "analysis.png": (ANALYZED, "#ply=123&view=1", {"viewport": DESKTOP}),
}


def main() -> None:
    """Write all of them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        addresses = {source: page_address(source, Path(folder)) for source in (EXAMPLE, ANALYZED)}
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for name, (source, link, options) in SHOTS.items():
            page = browser.new_page(**options)
            page.goto(addresses[source] + link)
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            small = picture.quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
            small.save(IMAGES / name, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
