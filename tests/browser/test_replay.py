"""The replay page in a browser: keys, clicks, links, views of players, accessibility, screen sizes."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from examples.liars_dice import ENTRY
from sackarmies_env.core.entries import add_entry
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.record import load_record, make_record
from sackarmies_env.registry import game_of, load_game
from sackarmies_env.render import Replay, html
from sackarmies_env.render.frames import all_viewers, replay_data
from tests.browser.conftest import DESKTOP, EXAMPLE, PHONE
from tests.render.positions import SMALL, start
from tests.second_game import kept_registries

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TARGET = 44  # pixels, the minimum size of touch targets


@pytest.fixture(scope="module")
def views():
    """Return what the page of the example game shows, by viewer."""
    record = load_record(EXAMPLE)
    game = game_of(record)
    return {view["viewer"]: view for view in replay_data(game, record, all_viewers(game))["views"]}


def status(page):
    """Return the numbers of the decision, the last decision and the turn that the page shows."""
    ply, last, turn = re.findall(r"\d+", page.locator(".status strong").inner_text())
    return int(ply), int(last), int(turn)


def units(page, board=0):
    """Return the units that a board shows: coordinates, owner, and name, which is "" for an unknown unit."""
    return (
        page.locator(".eyes")
        .nth(board)
        .locator(".unit")
        .evaluate_all(
            """units => units.map(unit => {
            const hex = unit.closest(".hex").dataset;
            return [Number(hex.q), Number(hex.r), Number(unit.dataset.owner), unit.dataset.name];
        })"""
        )
    )


def expected(picture):
    return [[*unit["at"], unit["owner"], unit["card"]["name"] if unit["card"] else ""] for unit in picture["units"]]


def test_keys_move_through_the_game_by_every_viewers_eyes(open_page, replay_address, views):
    page = open_page(replay_address)
    last = len(views[None]["frames"]) - 1
    for viewer, name in ((None, "Referee"), (0, "General 0"), (1, "General 1")):
        page.get_by_role("button", name=name, exact=True).click()
        page.keyboard.press("Home")
        assert status(page) == (0, last, views[viewer]["frames"][0]["turn"])
        for _ in range(9):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        assert status(page)[0] == 8
        for _ in range(8):
            before = status(page)
            page.keyboard.press("ArrowDown")
            ply, _, turn = status(page)
            assert ply > before[0]
            assert turn > before[2]
            frames = views[viewer]["frames"]
            assert frames[ply - 1]["turn"] < frames[ply]["turn"] == turn
            assert sorted(units(page)) == sorted(expected(frames[ply]))
        page.keyboard.press("ArrowUp")
        assert status(page)[2] < turn
        page.keyboard.press("End")
        assert status(page)[0] == last
        assert "General 1 wins in turn 50" in page.locator(".headline").first.inner_text()


def test_decisions_are_drawn_as_recorded(open_page, replay_address, views):
    page = open_page(f"{replay_address}#view=1")
    frames = views[1]["frames"]
    for ply in range(0, len(frames), 7):
        page.locator(".slider input").fill(str(ply))
        assert status(page)[::2] == (ply, frames[ply]["turn"])
        assert sorted(units(page)) == sorted(expected(frames[ply]))


def test_buttons_and_the_log_lead_to_decisions(open_page, replay_address, views):
    page = open_page(replay_address)
    page.get_by_role("button", name="To the end").click()
    assert status(page)[0] == status(page)[1]
    page.get_by_role("button", name="Previous turn").click()
    page.get_by_role("button", name="Previous decision").click()
    entry = next(line for line in views[None]["log"] if line["kind"] == "casualty")
    page.locator(f'.log button[data-ply="{entry["ply"]}"]').filter(has_text=" loses ").first.click()
    assert status(page)[0] == entry["ply"]
    assert entry["text"] in page.locator(".status").inner_text()
    marked = page.locator(".log .now").all_inner_texts()
    assert entry["text"] in marked
    lit = page.locator(".board .hex.event").evaluate_all("all => all.map(hex => [+hex.dataset.q, +hex.dataset.r])")
    assert entry["at"] in lit


def test_space_plays_to_the_end_and_stops(open_page, replay_address):
    page = open_page(f"{replay_address}#ply=280")
    page.get_by_role("combobox", name=re.compile("Speed")).select_option("16")
    page.locator("h1").click()
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("button", name="Play (space)").wait_for()
    assert status(page)[0] == status(page)[1] == 289


def test_links_open_a_decision_by_the_eyes_of_a_viewer(open_page, replay_address, views):
    page = open_page(f"{replay_address}#ply=120&view=1")
    assert status(page)[0] == 120
    assert page.locator("h2").first.inner_text().startswith("What General 1 knew then")
    assert sorted(units(page)) == sorted(expected(views[1]["frames"][120]))
    page.evaluate("location.hash = '#ply=60&view=referee&beside=0'")
    expect(page.locator(".status strong")).to_have_text(re.compile("^Decision 60 "))
    assert sorted(units(page)) == sorted(expected(views[None]["frames"][60]))
    assert sorted(units(page, 1)) == sorted(expected(views[0]["frames"][60]))
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash") == "#ply=61&view=referee&beside=0"


@pytest.mark.parametrize("link", ["#ply=-3&view=9", "#ply=99999", "#ply=x&view=&beside=referee", "#%%%"])
def test_links_that_lead_nowhere_open_the_nearest_decision(open_page, replay_address, link):
    page = open_page(replay_address + link)
    assert status(page)[0] in {0, status(page)[1]}
    assert page.locator("h2").first.inner_text() == "Referee: everything"


def test_two_views_stand_side_by_side(open_page, replay_address, views):
    page = open_page(f"{replay_address}#ply=150&view=0")
    assert page.locator(".eyes:visible").count() == 1
    page.get_by_label("Beside").select_option("1")
    assert page.locator(".eyes:visible").count() == 2
    assert sorted(units(page, 0)) == sorted(expected(views[0]["frames"][150]))
    assert sorted(units(page, 1)) == sorted(expected(views[1]["frames"][150]))
    assert units(page, 0) != units(page, 1)
    page.get_by_label("Beside").select_option("none")
    assert page.locator(".eyes:visible").count() == 1


def test_unit_under_the_pointer_is_described_with_its_reach(open_page, replay_address, views):
    page = open_page(f"{replay_address}#ply=150&view=0")
    unit = next(unit for unit in views[0]["frames"][150]["units"] if unit["card"] and len(unit["reach"]) > 2)
    q, r = unit["at"]
    board = page.locator(f'.hex[data-q="{q}"][data-r="{r}"]')
    board.locator(".unit").hover()
    card = page.locator(".hover .card").inner_text()
    assert unit["card"]["name"] in card
    assert f"Name band {unit['card']['band']}" in card
    lit = page.locator(".board .hex.reach").evaluate_all("all => all.map(hex => [+hex.dataset.q, +hex.dataset.r])")
    assert sorted(lit) == sorted(unit["reach"])
    page.mouse.move(5, 5)
    assert page.locator(".hover .card").count() == 0
    board.focus()
    assert unit["card"]["name"] in page.locator(".hover .card").inner_text()
    hidden = next(unit for unit in views[0]["frames"][150]["units"] if unit["card"] is None)
    page.locator('.hex[data-q="{}"][data-r="{}"] .unit'.format(*hidden["at"])).hover()
    assert "Unknown unit" in page.locator(".hover .card").inner_text()


def test_decision_lights_its_hexes_for_those_who_may_know(open_page, replay_address, views):
    ply = next(ply for ply, frame in enumerate(views[0]["frames"]) if len(frame["choices"]) > 1 and frame["chosen"])
    lit = "all => all.map(hex => [+hex.dataset.q, +hex.dataset.r])"
    page = open_page(f"{replay_address}#ply={ply}&view=0&beside=1")
    own, other = (page.locator(".eyes").nth(number) for number in (0, 1))
    picture = views[0]["frames"][ply]
    assert sorted(own.locator(".hex.legal").evaluate_all(lit)) == sorted(picture["choices"])
    assert sorted(own.locator(".hex.chosen").evaluate_all(lit)) == sorted(picture["chosen"])
    assert other.locator(".hex.legal, .hex.chosen").count() == 0


def test_announced_attack_is_an_arrow(open_page, replay_address, views):
    ply = next(ply for ply, frame in enumerate(views[1]["frames"]) if frame["aim"])
    page = open_page(f"{replay_address}#ply={ply}&view=1")
    assert page.locator(".aim path").count() == len(views[1]["frames"][ply]["aim"])


# --- for everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_no_violations(open_page, replay_address, scheme, viewport):
    page = open_page(f"{replay_address}#ply=150&view=0&beside=1", viewport, color_scheme=scheme)
    page.locator(".legendbox summary").click()
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("ply", [0, 150, 289])
def test_phone_does_not_scroll_sideways_and_has_large_targets(open_page, replay_address, ply):
    page = open_page(f"{replay_address}#ply={ply}&view=1", PHONE, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    sizes = page.locator("button:visible, select:visible").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(box => Math.min(box.width, box.height))"
    )
    assert min(sizes) >= TARGET
    hexes = page.locator(".board .hex .outline").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert min(hexes, default=TARGET) >= TARGET - 1
    page.locator(".board .unit").first.tap() if ply else None


def test_names_are_whole_and_values_written(open_page, replay_address, views):
    page = open_page(f"{replay_address}#ply=200")
    written = page.locator(".board .unit").evaluate_all(
        'all => all.map(unit => [...unit.querySelectorAll(".title")].map(line => line.textContent).join(" "))'
    )
    frame = views[None]["frames"][200]
    assert sorted(written) == sorted(unit["card"]["name"] for unit in frame["units"])
    fields = page.locator(".board .field").evaluate_all(
        'all => all.map(field => [...field.querySelectorAll(".name")].map(line => line.textContent).join(" "))'
    )
    assert sorted(fields) == sorted(field["name"] for field in frame["fields"])
    wide = page.locator(".board .unit").evaluate_all(
        """all => all.filter(unit => {
            const band = unit.querySelector(".band").getBoundingClientRect();
            return [...unit.querySelectorAll(".title")].some(line => {
                const box = line.getBoundingClientRect();
                return box.left < band.left || box.right > band.right;
            });
        }).length"""
    )
    assert wide == 0


def test_page_of_a_position_has_one_board_and_no_scrubber(open_page, tmp_path):
    path = tmp_path / "position.html"
    path.write_text(html(*start(SMALL), 0), encoding="utf-8")
    page = open_page(path.as_uri())
    assert page.locator(".board .unit").count() == 3
    assert page.locator(".scrubber").count() == 0
    assert page.locator(".whose[role=group]").count() == 0


def test_notebook_frame_draws_the_board(open_page, tmp_path):
    game, states = start(SMALL)
    path = tmp_path / "notebook.html"
    frame = Replay(game, make_record(game, 0, [game.parse_action(states, "reveal_unit")]))._repr_html_()
    path.write_text(f'<!doctype html><html lang="en"><title>Notebook</title>{frame}</html>', encoding="utf-8")
    page = open_page(path.as_uri())
    inside = page.frame_locator("iframe")
    inside.locator(".board .unit").first.wait_for()
    assert inside.locator(".board .unit").count() == 3
    inside.get_by_role("button", name="Next decision").click()
    assert inside.locator(".status strong").inner_text().startswith("Decision 1 of 1")


def test_game_without_pictures_is_shown_as_text(open_page, tmp_path):
    with kept_registries():
        add_entry(ENTRY)
        game = load_game(ENTRY.id)
        states = game.new_states(1)
        game.start(states, 0)
        actions = [legal_ids(states["legal"][0])[0]]
        Replay(game, make_record(game, 0, actions)).save(tmp_path / "dice.html")
    page = open_page((tmp_path / "dice.html").as_uri())
    assert "seen by the referee" in page.locator("pre").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator(".log .now").count() == 1
