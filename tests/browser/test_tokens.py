"""Random positions drawn in a browser show the same tokens as the pictures of Python."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from sackarmies_env.render.frames import picture_data
from sackarmies_env.render.picture import find_picture
from tests.sack_armies.builders.twin_worlds import CONFIGURATIONS, build, wander

pytestmark = [pytest.mark.browser, pytest.mark.slow]
POSITIONS = 10_000
BATCH = 250
# Reads a board as a person does: names, numbers in the badges, values; faces by the class that colors them.
READ = """async (pictures) => {
    const { drawBoard } = await import("./board.js");
    const text = (group, selector) => [...group.querySelectorAll(selector)].map((one) => one.textContent);
    const read = (picture) => {
        const board = drawBoard(picture, {});
        const at = (token) => [Number(token.closest(".hex").dataset.q), Number(token.closest(".hex").dataset.r)];
        return {
            hexes: [...board.querySelectorAll(".hex")].map((hex) => at(hex)),
            units: [...board.querySelectorAll(".unit")].map((unit) => ({
                at: at(unit),
                owner: Number(text(unit, ".badge text")[0]),
                face_up: unit.classList.contains("up"),
                name: text(unit, ".title").join(" "),
                values: text(unit, ".value").filter((value) => !value.startsWith("R")).map(Number),
                attachments: [...unit.querySelectorAll(".attachment")].map((one) => [
                    ["spell", "maneuver"].find((kind) => one.classList.contains(kind)) ?? null,
                    one.classList.contains("up"),
                    text(one, "text").length === 0,
                ]),
            })),
            fields: [...board.querySelectorAll(".field")].map((field) => ({
                at: at(field),
                controller: Number(text(field, ".badge text")[0]),
                owner: Number(text(field, ".badge text").at(-1)),
                name: text(field, ".name").join(" "),
                signs: field.querySelectorAll(".sign").length,
            })),
            aims: board.querySelectorAll(".aim path").length,
        };
    };
    return JSON.stringify(JSON.parse(pictures).map(read));
}"""


def tokens_of(picture):
    """Return what must be read on the board of a picture."""
    units = [
        {
            "at": list(unit.at),
            "owner": unit.owner,
            "face_up": unit.face_up,
            "name": unit.card.name if unit.card else "",
            "values": [unit.card.movement, unit.card.damage, unit.card.armor] if unit.card else [],
            "attachments": [[each.kind, each.face_up, each.name is not None] for each in unit.attachments],
        }
        for unit in picture.units
    ]
    fields = [
        {
            "at": list(field.at),
            "controller": field.controller,
            "owner": field.owner,
            "name": field.name,
            "signs": field.water + field.halts + len(field.effects),
        }
        for field in picture.fields
    ]
    hexes = sorted({*picture.hexes, *(unit.at for unit in picture.units), *(field.at for field in picture.fields)})
    return {"hexes": [list(at) for at in hexes], "units": units, "fields": fields, "aims": len(picture.aim)}


def in_order(board):
    """Return what was read on a board, hex by hex in reading order."""
    by_hex = {name: sorted(board[name], key=lambda token: token["at"][::-1]) for name in ("units", "fields")}
    return {"hexes": sorted(board["hexes"]), **by_hex, "aims": board["aims"]}


def pictures(name, seed, number):
    """Yield pictures of random positions, by the eyes of each viewer in turn."""
    game = build(name)
    viewers = [None, *range(game.num_players)]
    for ply, states in enumerate(islice(wander(game, seed, plies=number), number)):
        yield find_picture(game, states, viewers[ply % len(viewers)])


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_random_positions_show_the_same_tokens_as_the_pictures_of_python(open_page, web_address, name):
    page = open_page(web_address)
    number = POSITIONS // len(CONFIGURATIONS)
    source = pictures(name, 11, number)
    compared = 0
    while batch := list(islice(source, BATCH)):
        boards = json.loads(page.evaluate(READ, json.dumps([picture_data(picture) for picture in batch])))
        for picture, board in zip(batch, boards, strict=True):
            assert in_order(board) == tokens_of(picture)
            compared += 1
    assert compared == number
