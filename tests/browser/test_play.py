"""Playing in a real browser: by clicks, by keys, on a phone, on a shared device; accessibility."""

from __future__ import annotations

import contextlib
import random
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from examples.liars_dice import ENTRY
from sackarmies_env.core.entries import add_entry
from sackarmies_training.sack_armies.preview import percent
from sackarmies_training.web.command import offered_agents, offered_armies
from sackarmies_training.web.server import LocalServer
from tests.second_game import kept_registries
from tests.web.tables import make_session

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PATIENCE = 60_000  # milliseconds; the rules may have to be compiled
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
ASKED = ".asked .list .choice"
OVER = ".ending"
LIT = ".board-frame .hex.legal"
CURTAIN = ".curtain button"
HANDOVER = ".handover button"
SEEN_TEXT = "document.body.innerText"


@contextlib.contextmanager
def served(folder: Path, game_id: str = "sack_armies", **offers: Any) -> Iterator[LocalServer]:
    """Yield a running server, which is stopped at the end of the block."""
    offers |= {"agents": offered_agents(game_id, []), "armies": offered_armies(game_id, [])}
    server = LocalServer(make_session(folder, game_id, **offers))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(60)
    assert not thread.is_alive()


@pytest.fixture
def game(tmp_path):
    """Yield a running server."""
    with served(tmp_path) as server:
        yield server


def opened(game: LocalServer, open_page: Any, **options: Any) -> Any:
    page = open_page(game.address, **{"reduced_motion": "reduce"} | options)
    page.set_default_timeout(PATIENCE)
    page.wait_for_selector("form.dialogue")
    return page


def begin(page: Any, seed: int = 7, **players: str) -> None:
    """Fill in the dialogue and begin; `players` is keyed by the names of their fields, such as `player_1`."""
    for name, value in players.items():
        page.select_option(f"select[name={name.replace('_', '-')}]", value)
    page.click("summary:has-text('Random seed')")
    page.fill("input[name=seed]", str(seed))
    page.click("button:has-text('Begin')")


def settled(page: Any, *others: str) -> str:
    """Wait until a choice is asked for, or the game is over; return the selector that is found."""
    wanted = (ASKED, OVER, *others)
    page.wait_for_selector(", ".join(wanted))
    return next(selector for selector in wanted if page.query_selector(selector))


def after(page: Any, act: Any) -> None:
    """Call `act`, and wait until another question is shown."""
    page.evaluate("() => { const box = document.querySelector('#actions'); if (box) box.dataset.old = '1'; }")
    act()
    page.wait_for_function("() => !document.querySelector('#actions')?.dataset.old")


def click_on(page: Any, rng: random.Random) -> None:
    """Make a choice as a person with a mouse does: mostly on the board if hexes are lit, else in the list."""
    hexes = page.query_selector_all(LIT)
    if hexes and rng.random() < 0.8:
        rng.choice(hexes).click(force=True)
        menu = page.query_selector_all(".unit-menu .list button")
        if menu:
            rng.choice(menu).click()
        return
    choices = page.query_selector_all(ASKED)
    rng.choice(choices).click()


def test_whole_game_against_greedy_by_clicks(game, open_page):
    page, rng = opened(game, open_page), random.Random(3)
    begin(page)
    boards = 0
    for _ in range(500):
        if settled(page) == OVER:
            break
        boards += page.query_selector(LIT) is not None
        after(page, lambda: click_on(page, rng))
    assert "Everything that was hidden is shown" in page.inner_text(OVER)
    assert boards > 10
    assert page.query_selector_all(".board-frame .unknown") == []  # nothing is unknown any more
    with page.context.expect_page() as opening:
        page.click("text=Watch the replay")
    replay = opening.value
    replay.wait_for_selector(".board", state="attached")
    replay.keyboard.press("End")
    replay.wait_for_selector(".board .hex")
    replay.close()
    page.click("text=New game")
    page.wait_for_selector("form.dialogue")


def test_short_chance_texts_match_the_sentences(game, open_page):
    page = opened(game, open_page)
    chances = [0, 0.004, 0.01, 0.254, 0.5, 0.996, 1, None]
    script = """async (chances) => {
        const { chanceText } = await import("./play-choices.js");
        return chances.map((chance) => chanceText({ chance }));
    }"""
    sentences = [percent(chance).strip(" ()").replace("under ", "<") or "?" for chance in chances]
    assert page.evaluate(script, chances) == sentences


def test_whole_game_by_keys_alone(game, open_page):
    page, rng = opened(game, open_page), random.Random(5)
    assert page.evaluate("document.activeElement.textContent") == "Begin"
    page.keyboard.press("Enter")
    for _ in range(500):
        if settled(page) == OVER:
            break
        assert page.evaluate("document.activeElement.closest('.list') !== null"), "the focus is lost"

        def choose() -> None:
            for _ in range(rng.randrange(4)):
                page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter" if rng.random() < 0.7 else "1")

        after(page, choose)
    assert page.evaluate("document.activeElement.textContent").startswith("Watch the replay")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("form.dialogue")


def test_choice_is_canceled(game, open_page):
    page = opened(game, open_page)
    begin(page)
    rng = random.Random(2)
    while settled(page) == ASKED and not page.query_selector("button.choice:has-text('Deploy')"):
        after(page, page.query_selector_all(ASKED)[0].click)
    before = page.inner_text(".asked .list")
    hand = page.query_selector_all(".hand .token:not([aria-disabled])")
    after(page, lambda: rng.choice(hand).click())  # a token of the hand means Deploy, and what to deploy
    assert page.inner_text("#question").lower() == "choose where to deploy it"
    assert page.inner_text(".crumbs ol").startswith("Deploy")
    after(page, lambda: page.click(".crumbs .cancel"))
    assert page.inner_text(".asked .list") == before
    after(page, lambda: page.click("button.choice:has-text('Deploy')"))
    after(page, lambda: page.keyboard.press("Escape"))
    assert page.inner_text(".asked .list") == before


def test_several_people_share_a_device_behind_a_curtain(game, open_page):
    page, rng = opened(game, open_page), random.Random(1)
    begin(page, player_1="person")
    page.wait_for_selector(CURTAIN)
    seen = set()
    for _ in range(120):
        found = settled(page, CURTAIN, HANDOVER)
        if page.query_selector(CURTAIN):
            assert page.query_selector_all("main :is(.hex, .log li, .token, .general, .card)") == []
            assert len(page.inner_html("main")) < 400
            label = page.inner_text(CURTAIN)
            seen.add(label)
            page.click(CURTAIN)
            page.wait_for_selector(f"{ASKED}, {HANDOVER}")
            assert f"{label.removeprefix('I am ')} (you)" in page.evaluate(SEEN_TEXT)
        elif page.query_selector(HANDOVER):
            page.click(HANDOVER)
            page.wait_for_selector(CURTAIN)
        elif found == OVER or len(seen) == 2:
            break
        else:
            after(page, lambda: rng.choice(page.query_selector_all(ASKED)).click())
    assert seen == {"I am General 0", "I am General 1"}


def test_game_is_saved_and_continued(game, open_page):
    page = opened(game, open_page)
    begin(page)
    for _ in range(4):
        settled(page)
        after(page, page.query_selector_all(ASKED)[0].click)
    settled(page)
    before = page.inner_text(".asked .list")
    page.click("#save-button")
    page.fill("dialog.ask input[name=name]", "evening game")
    page.click("dialog.ask button:has-text('Save')")
    page.wait_for_function("() => document.querySelector('#live').textContent.includes('evening game')")
    page.click("#leave-button")
    page.click("dialog.ask button.primary")
    page.click("text=Continue evening game")
    settled(page)
    assert page.inner_text(".asked .list") == before


def save(page: Any, name: str | None = None) -> str:
    """Save under a name, which defaults to the proposed one, and return it."""
    page.click("#save-button")
    proposed: str = page.input_value("dialog.ask input[name=name]")
    if name is not None:
        page.fill("dialog.ask input[name=name]", name)
    page.click("dialog.ask button:has-text('Save')")
    return name or proposed


def told_as_saved(page: Any, name: str) -> None:
    page.wait_for_function("name => document.querySelector('#live').textContent === `Saved as ${name}.`", arg=name)


def test_page_that_is_loaded_during_a_game_overwrites_no_other_one(game, open_page, tmp_path):
    page = opened(game, open_page)
    begin(page, seed=1)
    settled(page)
    told_as_saved(page, save(page))
    first = (tmp_path / "game.json").read_bytes()
    page.click("#leave-button")
    page.click("dialog.ask button.primary")
    page.wait_for_selector("text=Continue game")
    begin(page, seed=2)
    settled(page)
    page.evaluate("document.title = document.querySelector('#title').textContent = 'before'")
    page.reload()
    settled(page)
    assert (page.title(), page.inner_text("#title")) == ("Sack Armies", "Sack Armies")
    page.click("#help-button")
    assert "In your turn you take one action" in page.inner_text("#help")
    page.keyboard.press("Escape")
    assert save(page) == "game 2"
    told_as_saved(page, "game 2")
    save(page, "game")
    page.click("dialog.ask button:has-text('Cancel')")
    assert (tmp_path / "game.json").read_bytes() == first
    save(page, "game")
    page.click("dialog.ask button:has-text('Replace it')")
    told_as_saved(page, "game")
    assert (tmp_path / "game.json").read_bytes() != first


def test_viewer_is_asked_for_when_a_watched_game_resumes(tmp_path, open_page):
    with served(tmp_path) as server:
        page = opened(server, open_page)
        begin(page, player_0="random")
        page.wait_for_selector(".board-frame .hex")
        told_as_saved(page, save(page, "one"))
    with served(tmp_path) as server:
        page = opened(server, open_page)
        page.click("text=Continue one")
        page.select_option("dialog.ask select[name=eyes]", label="General 1")
        assert violations(page) == []
        page.click("dialog.ask button:has-text('Continue')")
        page.wait_for_selector("text=General 1 (you)")


def test_reloaded_page_finds_its_game_and_second_tab_is_refused(game, open_page):
    page = opened(game, open_page)
    begin(page)
    settled(page)
    before = page.inner_text(".asked")
    page.reload()
    settled(page)
    assert page.inner_text(".asked") == before
    second = open_page(game.address)
    second.wait_for_selector("text=Already open")


def test_agents_are_watched_and_paused(game, open_page):
    page = opened(game, open_page)
    begin(page, player_0="greedy")
    page.wait_for_selector(".board-frame .hex")
    page.click("button:has-text('Play')")
    page.wait_for_function("() => document.querySelectorAll('.log li').length > 30")
    page.click("button:has-text('Pause')")
    time.sleep(0.7)
    lines = len(page.query_selector_all(".log li"))
    time.sleep(0.5)
    assert len(page.query_selector_all(".log li")) == lines
    page.click("button:has-text('Next')")
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {lines}")


def test_events_of_others_are_shown_one_by_one(game, open_page):
    page = opened(game, open_page, reduced_motion="no-preference")
    begin(page)
    page.select_option(".pace select", "fast")
    settled(page)
    page.evaluate(
        "() => { window.told = []; const banner = document.querySelector('.banner');"
        "new MutationObserver(() => window.told.push(banner.innerText)).observe(banner, {childList: true}); }"
    )
    for _ in range(12):
        if settled(page) == OVER:
            break
        after(page, page.query_selector_all(ASKED)[0].click)
    told = page.evaluate("window.told")
    assert any("General 1" in line for line in told)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone_shows_all_without_scrolling_sideways(game, open_page, scheme):
    page, rng = opened(game, open_page, color_scheme=scheme, **PHONE), random.Random(3)
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) <= 390
    begin(page)
    for _ in range(40):
        if settled(page) == OVER:
            break
        assert page.evaluate(width) <= 390
        small = page.evaluate(
            "() => [...document.querySelectorAll('button, select, summary, input')].filter((e) => e.checkVisibility()"
            " && !e.closest('.log, .general') && e.getBoundingClientRect().height < 43.5).map((e) => e.outerHTML)"
        )
        assert small == []
        after(page, lambda: click_on(page, rng))
    board = "document.querySelector('.board-frame .board')"
    hex_width = f"{board}.getBoundingClientRect().width / Number({board}.style.getPropertyValue('--columns'))"
    assert page.evaluate(hex_width) >= 44


def violations(page: Any) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {[node['html'][:200] for node in each['nodes']]}" for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_page_is_accessible(game, open_page, scheme, size):
    page = opened(game, open_page, color_scheme=scheme, **(PHONE if size == "phone" else {}))
    assert violations(page) == []
    page.click("#help-button")
    assert violations(page) == []
    page.keyboard.press("Escape")
    begin(page)
    rng = random.Random(4)
    for number in range(60):
        found = settled(page)
        if number in (1, 12, 24) or found == OVER:
            assert violations(page) == []
        if found == OVER:
            break
        after(page, lambda: click_on(page, rng))


def test_screen_readers_get_board_events_and_questions(game, open_page):
    page = opened(game, open_page)
    begin(page)
    for _ in range(8):
        settled(page)
        after(page, page.query_selector_all(ASKED)[0].click)
    settled(page)
    page.click("summary:has-text('The board as text')")
    rows = page.query_selector_all(".board-text tbody tr")
    assert len(rows) > 2
    assert page.query_selector("#live").get_attribute("aria-live") == "polite"
    assert page.inner_text("#live")
    assert all(hex_.get_attribute("aria-label") for hex_ in page.query_selector_all(".board-frame .hex"))


def test_game_without_a_picture_is_played_by_clicks(tmp_path, open_page):
    with kept_registries():
        add_entry(ENTRY)
        with served(tmp_path, ENTRY.id, players=("person", "random"), seed=7) as server:
            page, rng = opened(server, open_page), random.Random(3)
            assert page.input_value("input[name=seed]") == "7"
            assert violations(page) == []
            page.click("button:has-text('Begin')")
            settled(page)
            assert violations(page) == []
            while settled(page) != OVER:
                after(page, rng.choice(page.query_selector_all(ASKED)).click)
            assert re.search(r"You win! Player 0 wins|You have lost. Player 1 wins", page.inner_text(OVER))
            assert "Observation of Player 1" in page.inner_text(".board-frame")
            assert "General" not in page.inner_text("body")
            assert violations(page) == []
