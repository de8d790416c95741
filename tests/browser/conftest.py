"""A browser for tests: pages that may load nothing from elsewhere, in light and dark, on desktops and phones."""

from __future__ import annotations

import contextlib
import http.server
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sackarmies_env.core.record import load_record
from sackarmies_env.registry import game_of
from sackarmies_env.render import Replay
from sackarmies_env.render.page import web_files, web_text

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "greedy_game.json"
ANALYZED = ROOT / "examples" / "analyzed_game.json"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
VARIABLE = "SACKARMIES_CHROMIUM"  # path of the program, where it has another name
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
EMPTY_PAGE = '<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,"></html>'
LOOPBACK = {"127.0.0.1", "localhost", "::1"}

OpenPage = Callable[..., Any]


def find_chromium() -> str | None:
    """Return the path of the browser, or None if there is none."""
    return os.environ.get(VARIABLE) or next(filter(None, map(shutil.which, PROGRAMS)), None)


@pytest.fixture(scope="module")  # while it runs, so does an event loop, which would disturb other tests
def browser() -> Iterator[Any]:
    """Yield a running browser; without one, tests are skipped, or fail if the variable CI is set."""
    program = find_chromium()
    if program is None:
        reason = f"Chromium not found: install it (Debian: make browser), or set {VARIABLE} to its path"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[OpenPage]:
    """Yield a function that opens an address; the test fails if a page contacts other hosts or reports a problem."""
    contexts: list[Any] = []
    faults: list[str] = []

    def watch(route: Any) -> None:
        address = urlsplit(route.request.url)
        if address.scheme in {"file", "data", "blob"} or address.hostname in LOOPBACK:
            route.continue_()
        else:
            faults.append(f"asked for {route.request.url}")
            route.abort()

    def watch_socket(socket: Any) -> None:
        if urlsplit(socket.url).hostname not in LOOPBACK:
            faults.append(f"opened {socket.url}")

    def complain(message: Any) -> None:
        if message.type in {"error", "warning"}:
            faults.append(message.text)

    def open_(address: str, viewport: dict[str, int] | None = None, **options: Any) -> Any:
        context = browser.new_context(viewport=viewport or DESKTOP, **options)
        contexts.append(context)
        context.route("**/*", watch)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", complain)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("websocket", watch_socket)
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture(scope="session")
def replay_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of the replay page of the example game."""
    return page_address(EXAMPLE, tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def analyzed_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of the replay page of the example game with analyses."""
    return page_address(ANALYZED, tmp_path_factory.mktemp("pages"))


def page_address(source: Path, folder: Path) -> str:
    """Write the replay page of a record to a folder and return its address."""
    record = load_record(source)
    path = folder / f"{source.stem}.html"
    Replay(game_of(record), record).save(path)
    return path.as_uri()


@pytest.fixture(scope="session")
def web_address() -> Iterator[str]:
    """Yield the address of a server of the JavaScript modules."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            name = self.path.removeprefix("/")
            kind = "text/javascript" if name in web_files() else "text/html"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write((web_text(name) if name in web_files() else EMPTY_PAGE).encode())

    with serving(Handler) as address:
        yield address


@contextlib.contextmanager
def serving(handler: Callable[..., http.server.BaseHTTPRequestHandler]) -> Iterator[str]:
    """Run a server on the loopback address for the duration of the block, and yield its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
