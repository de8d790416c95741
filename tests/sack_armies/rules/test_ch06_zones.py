"""Chapter 6, zones: where tokens are and how they get from one zone to another."""

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.state.constants import Zone
from tests.sack_armies.builders.fights import able, attack, modify, play, text
from tests.sack_armies.builders.ground import move, piles
from tests.sack_armies.builders.text_game import attachment, token, unit

A = token("a")
SPARE = piles(sack=["spare"])
CHARM = text("spell", "charm", "free", [modify("armor", 1)])
DRILL = text("maneuver", "drill", "free", [modify("damage", 1)])
HOST = token("g", band="green")


def zones(t, general):
    """Return the ids of a General's tokens by zone, without empty zones."""
    found = {zone.name: t.zone(general, zone) for zone in Zone if zone != Zone.NONE}
    return {name: ids for name, ids in found.items() if ids}


def test_r6_0_1_each_token_is_in_exactly_one_zone():
    general = [piles(hand=["a", "charm"], sack=["spare"]), SPARE]
    t = play([A, HOST, CHARM], [unit("g", "0,0"), unit("g", "3,0", 1)], general=general)
    fields = ["plain"] * 5
    before = {"SACK": ["spare"], "HAND": ["a", "charm"], "BATTLEGROUND": ["g", *fields]}
    assert zones(t, 0) == before
    t.do("deploy", "type a", "hex -1,0", "type charm", "hex 0,0")
    after = {"SACK": ["spare"], "BATTLEGROUND": ["a", "g", *fields], "ATTACHED": ["charm"]}
    assert zones(t, 0) == after


def test_r6_0_1_in_random_play_no_token_is_lost_or_doubled():
    general = [piles(hand=["a", "charm", "plain"], sack=["a", "drill", "g"])] * 2
    units = [unit("g", "0,0", attached=[attachment("drill")]), unit("g", "1,0", 1, attached=[attachment("charm")])]
    t = play([A, HOST, CHARM, DRILL], units, general=general, switches={"flip_method": "coin"})
    random = np.random.default_rng(5)
    owned = t.state["token_type"].copy()
    for _ in range(40):
        if t.terminated:
            break
        t.do(str(random.choice(t.legal())))
        assert (t.state["token_type"] == owned).all()
        zone = t.state["token_zone"]
        assert ((zone != Zone.NONE) == (owned >= 0)).all()
        assert ((t.state["token_hex"] >= 0) == (zone == Zone.BATTLEGROUND)).all()
        assert ((t.state["token_host"] >= 0) == np.isin(zone, (Zone.ATTACHED, Zone.CAPTURED))).all()
        held = [int((zone[start : start + 40] == Zone.HAND).sum()) for start in (0, 40)]
        assert held == t.state["hand_count"].tolist()


def test_r6_0_2_the_sack_is_the_pool_of_all_that_is_still_to_come():
    general = [piles(sack=["a", "charm", "drill", "plain"]), SPARE]
    t = play([A, CHARM, DRILL], [], switches={"draw_count": 4}, general=general)
    assert "deploy" not in t.legal()
    t.do("draw")
    assert t.hand(0) == ["a", "charm", "drill", "plain"]
    t.do("type charm")
    assert t.sack(0) == ["charm"]


def test_r6_0_3_the_hand_holds_what_is_drawn_and_not_yet_deployed():
    general = [piles(sack=["a", "plain"]), SPARE]
    t = play([A], [], general=general).do("draw")
    assert (t.hand(0), t.sack(0)) == (["a", "plain"], [])
    t.do("done").do("draw", "type spare")
    t.do("deploy", "type a", "hex 0,0", "done")
    assert t.hand(0) == ["plain"]


def test_r6_0_4_units_on_the_battleground_are_in_play_and_those_elsewhere_are_not():
    banner = token("banner", abilities=[able("augment", stat="armor", amount=1)])
    units = [unit("a", "0,0"), unit("banner", "-1,0"), unit("jailer", "3,0", 1, captives=[{"token": "a", "owner": 0}])]
    general = [piles(hand=["banner"], sack=["banner"], casualties=["banner"]), SPARE]
    t = play([A, banner, token("jailer")], units, general=general)
    assert t.stat("0,0", "armor") == 2  # only the banner in play helps, not the other three
    t.do("move")
    assert sorted(t.legal()) == ["hex -1,0", "hex 0,0"]


def test_r6_0_5_killed_units_and_spent_tokens_go_to_casualties():
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=3)
    units = [unit("g", "0,0", attached=[attachment("bolt")]), unit("a", "2,0", 1)]
    t = play([A, HOST, bolt], units).do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert (t.casualties(0), t.casualties(1)) == (["bolt"], ["a"])
    assert (t.removed(0), t.removed(1)) == ([], [])


def test_r6_0_6_only_abilities_bring_casualties_back():
    general = [piles(sack=["spare"], casualties=["a", "charm"]), SPARE]
    t = play([A, CHARM], [unit("a", "0,0")], general=general)
    assert t.legal() == ["draw", "move"]
    t.do("draw", "type spare")
    assert t.casualties(0) == ["a", "charm"]
    t = play([A, CHARM, token("shaman", abilities=[able("raise")])], [unit("shaman", "0,0")], "H", general=general)
    t.do("raise", "hex 0,0", "type a").pass_all().do("hex -1,0")
    assert (t.casualties(0), t.unit("-1,0").id) == (["charm"], "a")


def test_r6_0_7_removed_tokens_are_outside_the_game_for_good():
    erase = text("spell", "erase", "action", [{"kind": "remove"}], target="enemy_unit", range=3)
    units = [unit("g", "0,0", attached=[attachment("erase")]), unit("a", "2,0", 1), unit("shaman", "4,0", 1)]
    t = play([A, HOST, erase, token("shaman", abilities=[able("raise")])], units)
    t.do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert (t.removed(1), t.casualties(1)) == (["a"], [])
    assert "raise" not in t.legal()
    assert t.sack(1) == ["spare"]


@pytest.mark.parametrize("way", ["killed", "removed"])
def test_r6_0_8_attachments_go_where_their_unit_goes(way):
    erase = text("spell", "erase", "action", [{"kind": "remove"}], target="enemy_unit", range=3)
    curse = text("spell", "curse", "permanent", [modify("damage", -1)], target="enemy_unit", range=3)
    held = [attachment("charm", "up"), attachment("drill"), attachment("curse", "up", owner=0)]
    units = [unit("g", "0,0", attached=[attachment("erase")]), unit("g", "1,0", 1, attached=held)]
    t = play([HOST | {"damage": 9}, erase, curse, CHARM, DRILL], units, "H T")
    if way == "killed":
        attack(t, "melee", "0,0", "1,0", "no").do("no")
        assert (t.casualties(1), t.casualties(0), t.removed(1)) == (["charm", "drill", "g"], ["curse"], [])
    else:
        t.do("cast", "hex 0,0", "slot 0", "hex 1,0").pass_all()
        assert (t.removed(1), t.removed(0)) == (["charm", "drill", "g"], ["curse"])
        assert (t.casualties(1), t.casualties(0)) == ([], ["erase"])


def test_q_64_what_goes_to_a_sack_is_unknown_again():
    banisher = token("banisher", abilities=[able("dismiss", range=2)])
    units = [unit("banisher", "0,0"), unit("a", "2,0", 1)]
    t = play([A, banisher], units, general=[SPARE, piles(sack=["spare"])])
    t.do("dismiss", "hex 0,0", "hex 2,0").pass_all()
    assert t.sack(1) == ["a", "spare"]
    t.do("draw", "type spare", "done").do("draw", "type spare")
    t.do("deploy", "type a", "hex 3,0")
    assert t.unit("3,0").face == "down"


def test_q_64_a_raised_unit_comes_in_face_up():
    general = [piles(casualties=["a"]), SPARE]
    t = play([A, token("shaman", abilities=[able("raise")])], [unit("shaman", "0,0")], "H", general=general)
    t.do("raise", "hex 0,0", "type a").pass_all().do("hex -1,0")
    assert t.unit("-1,0").face == "up"


def test_q_64_in_play_a_revealed_unit_never_turns_down_again():
    t = play([A], [unit("a", "0,0"), unit("a", "2,0", 1, face="down")])
    move(t, "0,0", "1,0")
    assert t.unit("2,0").face == "up"
    move(t, "2,0", "3,0")
    move(t, "1,0", "0,0")
    assert t.unit("3,0").face == "up"  # although no enemy sights it anymore
