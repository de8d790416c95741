"""Screenshots for the pages of docs/ on viewing, playing and Territories: `python -m tests.browser.screenshots`."""

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
COLORS = 256  # of a picture, which halves its size
SHOTS: dict[str, tuple[Path, str, dict[str, Any]]] = {
    "replay.png": (EXAMPLE, "#ply=170&view=0&beside=1", {"viewport": DESKTOP}),
    "replay_phone.png": (EXAMPLE, "#ply=170&view=1", {"viewport": PHONE, "color_scheme": "dark"}),
    "analysis.png": (ANALYZED, "#ply=123&view=1", {"viewport": DESKTOP}),
}
PLAYED: dict[str, tuple[dict[str, int], str]] = {
    "play_desktop.png": (DESKTOP, "light"),
    "play_phone.png": (PHONE, "dark"),
}
SEED, CHOICES = 7, 2  # seeds of the game that is played, and of the choices in it
WANTED = ("Melee", "Ranged", "Deploy", "Move")
PATIENCE = 120_000  # milliseconds


def main() -> None:
    """Write all screenshots."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        shoot_replay(browser, Path(folder))
        with served(Path(folder), "sack_armies") as address:
            shoot_game(browser, address)
        with served(Path(folder), "territories") as address:
            shoot_battle(browser, address)
        browser.close()


def save(page: Any, name: str) -> None:
    """Save a screenshot of a page."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    small = picture.quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    small.save(IMAGES / name, optimize=True)


def shoot_replay(browser: Any, folder: Path) -> None:
    """Save screenshots of the replay pages of recorded games."""
    addresses = {source: page_address(source, folder) for source in (EXAMPLE, ANALYZED)}
    for name, (source, link, options) in SHOTS.items():
        page = browser.new_page(**options)
        page.goto(addresses[source] + link)
        save(page, name)
        page.close()


@contextlib.contextmanager
def served(folder: Path, game_id: str) -> Iterator[str]:
    """Run a server of a game for the duration of the block, and yield its address."""
    offers = {"agents": offered_agents(game_id, []), "armies": offered_armies(game_id, [])}
    server = LocalServer(make_session(folder, game_id, **offers))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server.address
    server.stop()
    thread.join()


def begun(browser: Any, address: str) -> Any:
    """Begin a game in a new page, and return the page at the first question."""
    page = browser.new_page(viewport=DESKTOP, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.click("summary:has-text('Random seed')")
    page.fill("input[name=seed]", str(SEED))
    page.click("button:has-text('Begin')")
    page.wait_for_selector(".asked .list .choice")
    return page


def choose(page: Any, choice: Any) -> None:
    """Make a choice, and wait until the next question is asked."""
    page.evaluate("document.querySelector('#actions').dataset.old = '1'")
    choice.click()
    page.wait_for_function("() => !document.querySelector('#actions')?.dataset.old")
    page.wait_for_selector(".asked .list .choice")


def shoot_game(browser: Any, address: str) -> None:
    """Play until an attack has a choice of targets, and save screenshots of it."""
    page, rng = begun(browser, address), random.Random(CHOICES)
    while not page.query_selector(".odds-mark"):
        choices = page.query_selector_all(".asked .list .choice")
        wanted = [choice for choice in choices if any(word in choice.inner_text() for word in WANTED)]
        choose(page, rng.choice(wanted or choices))
    for name, (viewport, scheme) in PLAYED.items():
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme)
        save(page, name)
    page.close()


def shoot_battle(browser: Any, address: str) -> None:
    """Play Territories until the order of skirmishes is asked for, and save a screenshot of it."""
    page = begun(browser, address)
    while page.inner_text("#question").lower() != "choose which skirmish comes next":
        choose(page, page.query_selector_all(".asked .list .choice")[-1])
    save(page, "play_territories.png")
    page.close()


if __name__ == "__main__":
    main()
