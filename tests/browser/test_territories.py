"""Territories in a browser: replays, played games, the map that Python draws, light and dark schemes, and texts."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from sackarmies_env.core.record import make_record
from sackarmies_env.games.territories import make_game
from sackarmies_env.render import Replay, theme
from sackarmies_env.render.frames import replay_data
from tests.browser.test_play import ASKED, OVER, PHONE, after, begin, opened, served, settled, violations

pytestmark = [pytest.mark.browser, pytest.mark.slow]
DECISIONS = 60


@pytest.fixture(scope="module")
def recorded():
    """Return a game on the small map, and a record of it played at random."""
    game = make_game(2, "small")
    states, rng, actions = game.new_states(1), np.random.default_rng(2), []
    game.start(states, 2)
    mask = np.zeros((1, game.num_actions), np.int8)
    while states["current_player"][0] >= 0 and len(actions) < DECISIONS:
        game.legal_actions(game.params, states, mask)
        actions.append(int(rng.choice(np.flatnonzero(mask[0]))))
        game.step(game.params, states, np.array(actions[-1:]))
    return game, make_record(game, 2, actions)


def color_of(page, selector):
    return page.locator(selector).first.evaluate("element => getComputedStyle(element).fill")


def rgb(color):
    return "rgb({}, {}, {})".format(*(int(color[start : start + 2], 16) for start in (1, 3, 5)))


@pytest.mark.parametrize(("scheme", "colors"), [("light", theme.LIGHT), ("dark", theme.DARK)])
def test_page_of_territories_shows_map_and_words(open_page, tmp_path, recorded, scheme, colors):
    game, record = recorded
    Replay(game, record).save(tmp_path / "game.html")
    page = open_page((tmp_path / "game.html").as_uri() + "#ply=0&view=1", color_scheme=scheme)
    (view,) = replay_data(game, record, [1])["views"]
    drawing = page.locator(".drawn").first
    expect(drawing).to_be_visible()
    assert color_of(page, ".drawn rect") == rgb(colors["paper"])
    texts = drawing.locator("text").all_text_contents()
    assert "view of Player 1" in texts
    assert "Player 1 (you)" in texts
    first = drawing.get_attribute("aria-label")
    page.keyboard.press("End")
    assert page.locator(".drawn").first.get_attribute("aria-label") != first
    page.get_by_text("In words").click()
    assert "seen by Player 1" in page.locator(".words pre").text_content()
    page.keyboard.press("Home")
    assert page.locator(".words pre").text_content().strip() == "\n".join(view["frames"][0]["words"]).strip()
    found = Axe().run(page)
    assert not found.response["violations"], found.generate_report()


# --- played


@pytest.fixture
def game(tmp_path):
    """Yield a running server."""
    with served(tmp_path, "territories", players=("person", "greedy")) as server:
        yield server


def test_whole_game_against_greedy_by_clicks(game, open_page):
    page, rng = opened(game, open_page), random.Random(3)
    begin(page)
    for _ in range(600):
        if settled(page) == OVER:
            break
        after(page, rng.choice(page.query_selector_all(ASKED)).click)
    assert re.search(r"You win! Player 0 wins|You have lost. Player 1 wins", page.inner_text(OVER))
    told = page.inner_text(".log")
    assert "Player 1 attacks territory " in told
    assert "General" not in page.inner_text("body")
    with page.context.expect_page() as opening:
        page.click("text=Watch the replay")
    replay = opening.value
    replay.wait_for_selector(".drawn")
    replay.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_played_page_is_accessible_and_fits(game, open_page, scheme, size):
    page = opened(game, open_page, color_scheme=scheme, **(PHONE if size == "phone" else {}))
    begin(page)
    for number in range(25):
        if settled(page) == OVER:
            break
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        if number in (0, 8, 24):
            assert violations(page) == []
        after(page, page.query_selector_all(ASKED)[-1].click)


def test_choices_and_events_are_in_words(game, open_page):
    page = opened(game, open_page)
    begin(page)
    assert settled(page) == ASKED
    assert page.inner_text("#question").lower() == "choose where the next troops are placed"
    assert re.search(r"Territory \d+\s+Height \d, Player 0 \(you\): 3 troops", page.inner_text(".asked .list"))
    after(page, page.query_selector_all(ASKED)[0].click)
    assert re.search(r"Player 0 places 3 troops in territory \d+", page.inner_text(".log"))
    assert page.query_selector(".drawn")
