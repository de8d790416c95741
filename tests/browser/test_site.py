"""The built site in a browser: accessible, on phones, without the internet; its replays run."""

from __future__ import annotations

import functools
import http.server
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, ROOT, serving

pytestmark = [pytest.mark.browser, pytest.mark.slow]
BUILT = "SACKARMIES_SITE"  # variable with the folder of a built site; without it, the tests build one
PAGES = (
    "index",
    "how_to_play",
    "gallery",
    "command_reference",
    "comparison",
    "api/index",
    "notebooks/first_five_minutes",
)
LINKS = "[...document.querySelectorAll('a[href]')].map((link) => link.href)"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built site."""
    if os.environ.get(BUILT):
        return Path(os.environ[BUILT]).resolve()
    folder = tmp_path_factory.mktemp("site")
    command = ["-m", "sphinx", "-W", "-q", "-b", "html", "-d", str(folder / "doctrees"), "docs", str(folder / "html")]
    subprocess.run([sys.executable, *command], cwd=ROOT, check=True)
    return folder / "html"


@pytest.fixture(scope="module")
def site_address(site: Path) -> Iterator[str]:
    """Yield the address of a server of the site."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    with serving(functools.partial(Handler, directory=site)) as address:
        yield address


@pytest.mark.parametrize("name", PAGES)
def test_page_is_accessible_and_has_no_broken_links(open_page, site_address, name):
    page = open_page(f"{site_address}{name}.html", color_scheme="light")
    assert page.locator("h1").first.inner_text()
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    inner = {link.partition("#")[0] for link in page.evaluate(LINKS) if link.startswith(site_address)}
    assert len(inner) > 20  # the table of contents alone has more
    answers = {link: page.request.get(link).status for link in inner}
    assert {link: status for link, status in answers.items() if status != 200} == {}
    phone = open_page(f"{site_address}{name}.html", PHONE, color_scheme="dark", has_touch=True, is_mobile=True)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    results = Axe().run(phone)
    assert results.violations_count == 0, results.generate_report()


def test_contents_lead_from_page_to_page(open_page, site_address):
    page = open_page(f"{site_address}index.html")
    page.locator(".sidebar-tree a", has_text="How to play").click()
    expect(page.locator("h1")).to_have_text(re.compile("How to play"))
    page.locator(".sidebar-tree a", has_text="Gallery").click()
    expect(page.locator("h1")).to_have_text(re.compile("Gallery"))


def test_live_replay_of_the_gallery_runs(open_page, site_address):
    page = open_page(f"{site_address}gallery.html")
    page.locator("iframe.replay").first.scroll_into_view_if_needed()
    replay = page.frame_locator("iframe.replay").first
    status = replay.locator(".status strong")
    expect(status).to_have_text(re.compile("150 of"))
    assert replay.locator(".board .unit").count() > 2
    replay.get_by_role("button", name="Next turn").click()
    expect(status).not_to_have_text(re.compile("150 of"))
    replay.get_by_role("button", name="Referee").click()
    assert replay.locator(".board .unknown").count() == 0
    replay.get_by_role("button", name="Play (space)").click()
    replay.get_by_role("button", name="Pause").wait_for()
