"""Help from neighbors in all six directions, augments of dead units, and sight after an attack."""

import pytest

from tests.sack_armies.builders.fights import able, alive, attack, grant, play, shot, text, turn_over
from tests.sack_armies.builders.ground import around
from tests.sack_armies.builders.text_game import attachment, field, token, unit

A = token("a")
WARD = token("ward", armor=1, abilities=[able("defend")])
FIELDS = [field("0,0", 1), field("5,0")]
RING = around(["0,0"])
PAIRS = [(one, other) for one in RING for other in RING if other in around([one])]


def assault(cell, helper, owner, hits):
    """Return whether the ward on (0,0), beside `owner`'s helper, survives a melee from `cell` with `hits` successes."""
    units = [unit("a", cell), unit("ward", "0,0", 1), unit("a", helper, owner)]
    t = attack(play([A, WARD], units, "H" * hits + "T", fields=FIELDS), "melee", cell, "0,0", "no")
    return t.unit("0,0") is not None


@pytest.mark.parametrize(("cell", "helper"), PAIRS)
def test_ra_defend_1_a_friend_beside_both_helps_from_every_side(cell, helper):
    assert assault(cell, helper, 1, 1)
    assert not assault(cell, helper, 1, 2)


@pytest.mark.parametrize(("cell", "helper"), PAIRS[:2])
def test_ra_defend_1_an_enemy_beside_both_does_not_help(cell, helper):
    assert not assault(cell, helper, 0, 1)


@pytest.mark.parametrize(("face", "armor"), [("up", 3), ("down", 1)])
def test_ra_augment_6_augment_by_an_attachment_outlives_its_host_this_turn(face, armor):
    crown = text("spell", "crown", "free", [grant("augment", stat="armor", amount=2)])
    strike = text("maneuver", "strike", "action", [{"kind": "damage", "amount": 9}], target="own_unit", range=2)
    units = [
        unit("a", "0,0"),
        unit("king", "1,0", 1, attached=[attachment("strike")]),
        unit("king", "2,0", 1, attached=[attachment("crown", face=face)]),
    ]
    t = play([A, token("king", band="green"), crown, strike], units).do("melee", "hex 0,0", "hex 1,0")
    t.do("surprise", "slot 0", "hex 2,0")
    assert (alive(t, "2,0"), t.stat("1,0", "armor")) == ([None], armor)


@pytest.mark.parametrize("value", ["on", "off"])
def test_c_sight_on_reveal__q_24_after_an_attack_sight_is_settled_in_any_case(value):
    scout = token("scout", abilities=[able("sight", range=3), shot(4)])
    units = [unit("scout", "0,0", face="down"), unit("a", "4,0", 1), unit("a", "3,-1", 1, face="down")]
    t = play([scout, A], units, "T", {"sight_on_reveal": value}).do("ranged", "hex 0,0", "hex 4,0")
    assert t.unit("3,-1").face == ("up" if value == "on" else "down")
    t.pass_all()
    assert turn_over(t)
    assert t.unit("3,-1").face == "up"
