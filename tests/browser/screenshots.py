"""The screenshots of docs/viewing.md and docs/playing.md: `python -m tests.browser.screenshots` writes them anew."""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from sackarmies_training.web.command import offered_agents, offered_armies
from sackarmies_training.web.server import LocalServer
from tests.browser.conftest import ANALYZED, DESKTOP, EXAMPLE, PHONE, ROOT, find_chromium, page_address
from tests.web.tables import make_session

IMAGES = ROOT / "docs" / "images"
COLORS = 256  # of a picture: it takes half the room
SHOTS: dict[str, tuple[Path, str, dict[str, Any]]] = {
    "replay.png": (EXAMPLE, "#ply=170&view=0&beside=1", {"viewport": DESKTOP}),
    "replay_phone.png": (EXAMPLE, "#ply=170&view=1", {"viewport": PHONE, "color_scheme": "dark"}),
    "analysis.png": (ANALYZED, "#ply=123&view=1", {"viewport": DESKTOP}),
}
PLAYED: dict[str, tuple[dict[str, int], str]] = {
    "play_desktop.png": (DESKTOP, "light"),
    "play_phone.png": (PHONE, "dark"),
}
SEED, CHOICES = 7, 2  # of the game that is played, and of the choices in it
WANTED = ("Melee", "Ranged", "Deploy", "Move")
PATIENCE = 120_000  # milliseconds


def main() -> None:
    """Write all of them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        shoot_replay(browser, Path(folder))
        with served(Path(folder)) as address:
            shoot_game(browser, address)
        browser.close()


def save(page: Any, name: str) -> None:
    """Write what a page shows."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    small = picture.quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    small.save(IMAGES / name, optimize=True)


def shoot_replay(browser: Any, folder: Path) -> None:
    """Write the pictures of the pages of recorded games."""
    addresses = {source: page_address(source, folder) for source in (EXAMPLE, ANALYZED)}
    for name, (source, link, options) in SHOTS.items():
        page = browser.new_page(**options)
        page.goto(addresses[source] + link)
        save(page, name)
        page.close()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Yield the address of a game in the browser."""
    offers = {"agents": offered_agents("sack_armies", []), "armies": offered_armies("sack_armies", [])}
    server = LocalServer(make_session(folder, **offers))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server.address
    server.stop()
    thread.join()


def shoot_game(browser: Any, address: str) -> None:
    """Play until an attack has a choice of targets, and write the pictures of that."""
    page = browser.new_page(viewport=DESKTOP, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.click("summary:has-text('Random seed')")
    page.fill("input[name=seed]", str(SEED))
    page.click("button:has-text('Begin')")
    rng = random.Random(CHOICES)
    page.wait_for_selector(".asked .list .choice")
    while not page.query_selector(".odds-mark"):
        choices = page.query_selector_all(".asked .list .choice")
        wanted = [choice for choice in choices if any(word in choice.inner_text() for word in WANTED)]
        page.evaluate("document.querySelector('#actions').dataset.old = '1'")
        rng.choice(wanted or choices).click()
        page.wait_for_function("() => !document.querySelector('#actions')?.dataset.old")
        page.wait_for_selector(".asked .list .choice")
    for name, (viewport, scheme) in PLAYED.items():
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme)
        save(page, name)
    page.close()


if __name__ == "__main__":
    main()
