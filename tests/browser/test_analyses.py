"""Agents' analyses on a replay page: panel, marks, beliefs, curve; shown only to the player and the referee."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import PHONE
from tests.browser.test_replay import status
from tests.render.test_replay_pages import data_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def analyses(analyzed_address):
    """Return the analyses that the page shows to each viewer, by ply."""
    views = data_of(Path(urlsplit(analyzed_address).path).read_text(encoding="utf-8"))["views"]
    return {view["viewer"]: {analysis["ply"]: analysis for analysis in view["analyses"]} for view in views}


def rich_ply(analyses, seat):
    """Return a decision with beliefs about units and several candidates, all with hexes and one of which was played."""
    return next(
        ply
        for ply, analysis in analyses[seat].items()
        if len(analysis["candidates"]) > 3
        and all(candidate["at"] for candidate in analysis["candidates"])
        and any(candidate["played"] for candidate in analysis["candidates"])
        and any(belief["subject"].startswith("unit") for belief in analysis["beliefs"])
    )


def test_analysis_of_a_decision_is_shown_with_its_marks_and_beliefs(open_page, analyzed_address, analyses):
    ply = rich_ply(analyses, 0)
    analysis = analyses[0][ply]
    page = open_page(f"{analyzed_address}#ply={ply}&view=0")
    panel = page.get_by_role("region", name="Analysis")
    texts = [candidate["text"] for candidate in analysis["candidates"]]
    assert panel.locator(".candidates .text").all_inner_texts() == texts
    played = [candidate["text"] for candidate in analysis["candidates"] if candidate["played"]]
    assert panel.locator(".candidates .played .text").all_inner_texts() == played
    assert page.locator(".eyes:visible .rank-mark").all_text_contents() == [str(i + 1) for i in range(len(texts))]
    assert page.locator(".eyes:visible .rank-mark.played").count() == len(played)
    for number, candidate in enumerate(analysis["candidates"], 1):
        hex_ = page.locator('.eyes:visible .hex[data-q="{}"][data-r="{}"]'.format(*candidate["at"]))
        assert f"candidate {number}, " in hex_.get_attribute("aria-label")
    belief = next(belief for belief in analysis["beliefs"] if belief["subject"].startswith("unit"))
    name, share = belief["contents"][0]
    words = f"{name} {int(share * 100 + 0.5)}%"
    assert words in panel.inner_text()
    page.locator('.eyes:visible .hex[data-q="{}"][data-r="{}"]'.format(*belief["at"])).focus()
    assert words in page.locator(".hover .card").first.inner_text()


def test_keys_and_the_curve_lead_from_one_analysis_to_another(open_page, analyzed_address, analyses):
    ply = rich_ply(analyses, 1)
    page = open_page(f"{analyzed_address}#ply={ply}&view=1")
    panel = page.get_by_role("region", name="Analysis")
    assert "for General 1" in panel.inner_text()
    page.locator("h1").click()
    while status(page)[0] in analyses[1]:
        page.keyboard.press("ArrowRight")
    assert panel.inner_text() == "No analysis of this decision."
    curve = page.locator(".curve")
    assert "General 1: from " in curve.get_attribute("aria-label")
    assert "General 0" not in curve.get_attribute("aria-label")
    box = curve.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    reached, last, _ = status(page)
    assert analyses[1][reached]["value"] is not None
    assert abs(reached - last / 3) < 20


def test_analyses_of_others_are_not_shown_and_the_referee_has_all(open_page, analyzed_address, analyses):
    ply = rich_ply(analyses, 0)
    page = open_page(f"{analyzed_address}#ply={ply}&view=1")
    assert page.get_by_role("region", name="Analysis").inner_text() == "No analysis of this decision."
    assert page.locator(".rank-mark:visible").count() == 0
    page.get_by_role("button", name="Referee", exact=True).click()
    assert "for General 0" in page.get_by_role("region", name="Analysis").inner_text()
    assert page.locator(".curve polyline").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations_in_analyses(open_page, analyzed_address, analyses, scheme):
    page = open_page(f"{analyzed_address}#ply={rich_ply(analyses, 0)}&view=0", color_scheme=scheme)
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_analysis_fits_a_phone(open_page, analyzed_address, analyses):
    page = open_page(f"{analyzed_address}#ply={rich_ply(analyses, 0)}&view=0", PHONE, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
