"""Lack of room: battlefields, units and attachments that have no place are not offered."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import able, hexes, modify, play, text
from tests.sack_armies.builders.ground import around, deploy_room, piles
from tests.sack_armies.builders.text_game import field, token, unit

POST = token("post", movement=0, band="black")
SPARE = piles(sack=["spare"])


def holding(hand, units, fields):
    """Return a table at the menu of General 0, who holds `hand` and has nothing to draw."""
    return play([POST, token("a")], units, fields=fields, general=[piles(hand=hand), SPARE])


def test_r8_2_1_10__r8_2_3_a_battlefield_without_a_hex_is_not_deployed():
    fields = [field("0,0"), field("4,0", 1)]
    ring = around(["0,0"])
    full = holding(["plain"], [unit("post", cell) for cell in ring], fields)
    assert deploy_room(full, "plain") == []
    assert "deploy" not in full.legal()
    one_left = holding(["plain"], [unit("post", cell) for cell in ring[1:]], fields)
    assert deploy_room(one_left, "plain") == ring[:1]
    with_unit = holding(["plain", "a"], [unit("post", cell) for cell in ring], fields).do("deploy")
    assert with_unit.legal() == ["type a"]  # on the battlefield itself


GROUND = ["0,0", *around(["0,0"])]


@pytest.mark.parametrize("free", [None, *GROUND])
def test_r8_2_1_4__r8_2_3_a_unit_is_deployed_on_the_one_hex_that_is_left(free):
    fields = [field("0,0"), field("4,0", 1)]
    t = holding(["a"], [unit("post", cell) for cell in GROUND if cell != free], fields)
    assert deploy_room(t, "a") == ([] if free is None else [free])
    assert ("deploy" in t.legal()) == (free is not None)


@pytest.mark.parametrize("free", around(["0,0"]))
def test_r8_2_1_10__r8_2_3_a_battlefield_is_deployed_on_the_one_hex_that_is_left(free):
    fields = [field("0,0"), field("4,0", 1)]
    t = holding(["plain"], [unit("post", cell) for cell in around(["0,0"]) if cell != free], fields)
    assert deploy_room(t, "plain") == [free]


@pytest.mark.parametrize("free", around(["0,0"]))
def test_ra_raise_3_a_unit_is_raised_on_the_one_hex_that_is_left(free):
    raiser = token("raiser", abilities=[able("raise")])
    units = [unit("raiser", "0,0"), *(unit("post", cell) for cell in around(["0,0"]) if cell != free)]
    general = [piles(sack=["spare"], casualties=["a"]), SPARE]
    t = play([raiser, POST, token("a")], units, "H", general=general).do("raise", "hex 0,0", "type a").pass_all()
    assert hexes(t) == [free]


@pytest.mark.parametrize("band", ["black", "red", "blue", "green"])
def test_r8_2_1_13__r8_2_3_an_attachment_without_a_host_is_not_deployed(band):
    charm = text("spell", "charm", "free", [modify("armor", 1)])
    t = play(
        [token("a", band=band), charm],
        [unit("a", "0,0"), unit("a", "4,0", 1)],
        general=[piles(hand=["charm"], sack=["spare"]), SPARE],
    )
    assert deploy_room(t, "charm") == (["0,0"] if band in ("blue", "green") else [])


def test_ra_raise_4__q_53_a_raise_may_be_announced_without_a_hex_and_fails():
    raiser = token("raiser", abilities=[able("raise")])
    ring = around(["0,0"])
    units = [unit("raiser", "0,0"), *(unit("post", cell) for cell in ring)]
    general = [piles(sack=["spare"], casualties=["a"]), SPARE]
    t = play([raiser, POST, token("a")], units, "H", general=general)
    t.do("raise", "hex 0,0", "type a").pass_all()
    assert (t.turn, t.casualties(0)) == (2, ["a"])


@pytest.mark.parametrize(("who", "distance", "free"), [("host", 1, False), ("host", 2, True), ("target", 1, True)])
def test_r3_2_2_11_a_relocation_without_a_free_hex_is_not_offered(who, distance, free):
    step = text("maneuver", "step", "action", [{"kind": "relocate", "distance": distance, "who": who}])
    step |= {"target": "own_unit", "range": 4}
    ring = around(["0,0"])
    host = unit("mage", "0,0", attached=[{"token": "step", "face": "down"}])
    t = play([POST, token("mage", band="red"), step], [host, *(unit("post", cell) for cell in ring)])
    assert ("cast" in t.legal()) == free
    if who == "target":
        assert hexes(t.do("cast", "hex 0,0", "slot 0")) == ring


@pytest.mark.parametrize(("where", "able_to"), [("1,0", True), ("4,0", False)])
def test_r3_2_2_11__d_21_a_printed_action_without_a_target_is_not_offered(where, able_to):
    bolt = {"use": "action", "effects": [{"kind": "damage", "amount": 1}], "target": "enemy_unit", "range": 2}
    t = play([token("sage", **bolt), token("a")], [unit("sage", "0,0"), unit("a", where, 1)])
    assert ("custom" in t.legal()) == able_to


def test_r8_0_1_the_menu_offers_what_units_can_do_and_nothing_else():
    charm = text("spell", "charm", "free", [modify("armor", 1)])
    raiser = token("raiser", band="green", abilities=[able("raise")])
    units = [unit("raiser", "0,0", attached=[{"token": "charm", "face": "up"}]), unit("post", "4,0", 1)]
    general = [piles(sack=["spare"], casualties=["a"]), SPARE]
    t = play([raiser, POST, token("a"), charm], units, general=general)
    assert t.legal() == ["draw", "move", "raise"]


@pytest.mark.parametrize(("windows", "decision"), [("full", Decision.WINDOW), ("announce", Decision.DISCARD)])
def test_d_30__c_reaction_windows_after_a_draw_others_may_react_if_so_agreed(windows, decision):
    switches = {"reaction_windows": windows}
    t = play([token("a")], [unit("a", "0,0"), unit("a", "4,0", 1)], switches=switches).pass_all().do("draw")
    assert t.decision == decision
    assert t.pass_all().decision == Decision.DISCARD
