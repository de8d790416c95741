"""Random positions show the same tokens in a browser, in the pictures of Python, and in their model."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from sackarmies_env.render.frames import picture_data
from sackarmies_env.render.picture import find_picture
from sackarmies_env.render.sack_armies.scene import make_scene
from sackarmies_env.render.scene import Drawing
from sackarmies_env.render.svg import paint_svg
from tests.render.svg_reader import read_svg, tokens_of
from tests.sack_armies.builders.twin_worlds import CONFIGURATIONS, build, wander
from tests.samples import many

pytestmark = [pytest.mark.browser, pytest.mark.slow]
POSITIONS = many(2500)
BATCH = 250
DRAWN, STEP = 30, 7  # pictures of a configuration that both renderers draw, one every `STEP` positions
# Reads a board as a person does: names, numbers, marks; faces, bands and changed values by the classes that color them.
READ = """async (pictures) => {
    const { drawBoard } = await import("./board.js");
    const text = (group, selector) => [...group.querySelectorAll(selector)].map((one) => one.textContent);
    const count = (group, selector) => group.querySelectorAll(selector).length;
    const named = (element, names) => names.find((name) => element.classList.contains(name)) ?? "";
    const at = (token) => [Number(token.closest(".hex").dataset.q), Number(token.closest(".hex").dataset.r)];
    const readUnit = (unit) => ({
        at: at(unit),
        face_up: unit.classList.contains("up"),
        owner: Number(text(unit, ".badge text")[0]),
        name: text(unit, ".title").join(" "),
        band: named(unit.querySelector(".band") ?? unit, ["black", "blue", "red", "green", "gray"]),
        symbol: ["polyline", "polygon", "circle"].map((tag) => count(unit, `.symbol ${tag}`)),
        range: text(unit, ".value").find((value) => value.startsWith("R")) ?? "",
        rank: count(unit, ".rank"),
        values: [...unit.querySelectorAll(".value")]
            .filter((value) => !value.textContent.startsWith("R"))
            .map((value) => [Number(value.textContent), named(value, ["raised", "lowered"])]),
        flags: [".employed, .moved", ".captives", ".flag.hidden"].map((name) => text(unit, `${name} text`)[0] ?? ""),
        attachments: [...unit.querySelectorAll(".attachment")].map((one) => [
            named(one, ["spell", "maneuver"]) || null,
            one.classList.contains("up"),
        ]),
    });
    const readField = (field) => ({
        at: at(field),
        controller: Number(text(field, ".badge:not(.owner) text")[0]),
        owner: Number(text(field, ".badge text").at(-1)),
        rank: count(field, ".rank"),
        name: text(field, ".name").join(" "),
        signs: [...field.querySelectorAll(".sign")].map((sign) => sign.classList[1]).sort(),
        amounts: text(field, ".sign text").map((amount) => amount.replace("\\u2212", "-")),
    });
    const inOrder = (tokens) => tokens.sort((one, other) => one.at[1] - other.at[1] || one.at[0] - other.at[0]);
    const read = (picture) => {
        const board = drawBoard(picture, {});
        return {
            units: inOrder([...board.querySelectorAll(".unit")].map(readUnit)),
            fields: inOrder([...board.querySelectorAll(".field")].map(readField)),
            hexes: [...board.querySelectorAll(".hex")].map(at),
            aims: count(board, ".aim path"),
        };
    };
    return JSON.stringify(JSON.parse(pictures).map(read));
}"""


def read_in_browser(page, batch):
    """Return the tokens, the hexes and the number of aims that are read from the board of each picture."""
    boards = json.loads(page.evaluate(READ, json.dumps([picture_data(picture) for picture in batch])))
    return [(board, sorted(board.pop("hexes")), board.pop("aims")) for board in boards]


def hexes_of(picture):
    """Return the hexes that must be drawn."""
    tokens = [*picture.units, *picture.fields]
    return [list(at) for at in sorted({*picture.hexes, *(token.at for token in tokens)})]


def pictures(name, seed, number):
    """Yield pictures of random positions, as each viewer sees them in turn."""
    game = build(name)
    viewers = [None, *range(game.num_players)]
    for ply, states in enumerate(islice(wander(game, seed, plies=number), number)):
        yield find_picture(game, states, viewers[ply % len(viewers)])


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_random_positions_show_the_tokens_of_their_pictures(open_page, web_address, name):
    page = open_page(web_address)
    number = POSITIONS // len(CONFIGURATIONS)
    source = pictures(name, 11, number)
    compared = 0
    while batch := list(islice(source, BATCH)):
        for picture, (tokens, hexes, aims) in zip(batch, read_in_browser(page, batch), strict=True):
            assert tokens == tokens_of(picture)
            assert (hexes, aims) == (hexes_of(picture), len(picture.aim))
            compared += 1
    assert compared == number


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_browser_and_svg_of_python_show_the_same_tokens(open_page, web_address, name):
    """The two drawings are read and compared with each other, not with the picture that both are made from."""
    batch = list(islice(pictures(name, 13, DRAWN * STEP), 0, None, STEP))
    boards = read_in_browser(open_page(web_address), batch)
    drawings = [read_svg(paint_svg(Drawing("", make_scene(picture)))) for picture in batch]
    for (tokens, *_), drawing in zip(boards, drawings, strict=True):
        assert tokens["units"] == drawing["units"]
        assert tokens["fields"] == drawing["fields"]
    assert sum(len(drawing["units"]) for drawing in drawings) > DRAWN
    assert any(drawing["fields"] for drawing in drawings)
