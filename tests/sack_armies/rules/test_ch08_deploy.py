"""Chapter 8, Deploy (8.2 and 8.2.1)."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import able, asked, coordinate, hexes, modify, play, text
from tests.sack_armies.builders.ground import around, deploy_room, piles, place, setup
from tests.sack_armies.builders.text_game import B1, attachment, field, token, unit

A = token("a")
GREEN = token("g", band="green")
SPARE = piles(sack=["spare"])
CHARM = text("spell", "charm", "free", [modify("armor", 1)])
DRILL = text("maneuver", "drill", "free", [modify("damage", 1)])
OWN = [field(h) for h in B1[0]]
THEIRS = [field(h, 1) for h in B1[1]]


def holding(*hand, units=(), tokens=(), sack=("spare",), **keys):
    """Return a table on which General 0 holds this hand."""
    general = keys.pop("general", [piles(hand=list(hand), sack=list(sack)), SPARE])
    return play([A, GREEN, CHARM, DRILL, *tokens], list(units), general=general, **keys)


# --- the action


def test_r8_2_1__r8_2_2__d_05_one_token_to_the_whole_hand():
    t = holding("a", "g", "plain").do("deploy")
    assert asked(t) == (0, Decision.DEPLOY_TYPE)
    assert t.legal() == ["type plain", "type a", "type g"]  # no DONE yet
    t.do("type a", "hex 0,0")
    assert t.legal() == ["pass", "type plain", "type g"]
    one = t.copy().do("done")
    assert (one.player, one.hand(0)) == (1, ["g", "plain"])
    t.do("type g", "hex -1,0", "type plain", "hex 0,-1")
    assert (t.player, t.hand(0)) == (1, [])  # the empty hand ends the Deploy


def deploy_all(t):
    """Deploy units "a", each to the first hex offered, until the Deploy ends; return how many."""
    t.do("deploy")
    deployed = 0
    while (t.turn, t.decision) == (1, Decision.DEPLOY_TYPE):
        t.do("type a")
        t.do(t.legal()[0])
        deployed += 1
    return deployed


@pytest.mark.parametrize(("limit", "held"), [(1, 2), (2, 4), (3, 3), (3, 4), (3, 6), (4, 6), (6, 6)])
def test_q_92__r8_2_1__c_hand_limit_no_more_tokens_are_deployed_than_a_hand_may_hold(limit, held):
    t = holding(*["a"] * held, switches={"hand_limit": limit})
    assert deploy_all(t) == min(limit, held)
    left = held - min(limit, held)
    assert len(t.hand(0)) == left
    assert asked(t) == ((0, Decision.DISCARD) if left > limit else (1, Decision.MENU))


def test_q_92__c_initial_hand_a_larger_hand_at_the_start_does_not_raise_the_maximum():
    sack = [*["plain"] * 5, *["a"] * 6]
    t = setup("H T", [sack, sack], initial_hand=6)
    place(t, "0,0", "2,0", "-1,0", "3,0", "-2,0", "4,0", "-3,0", "5,0", "-4,0", "6,0")
    assert (t.player, t.hand(0)) == (0, ["a"] * 6)
    assert deploy_all(t) == 3
    assert (t.player, len(t.hand(0))) == (1, 3)


def test_q_92_a_text_that_draws_does_not_raise_the_maximum():
    rally = text("maneuver", "rally", "action", [{"kind": "draw", "count": 3}])
    units = [unit("g", "0,0", attached=[attachment("rally")]), unit("a", "1,0", 1)]
    t = holding("a", "a", "a", units=units, tokens=[rally], sack=["a"] * 3, to_move=1, flips="T")
    t.do("melee", "hex 1,0", "hex 0,0", "surprise", "slot 0").pass_all().do("no")
    assert (t.player, len(t.hand(0))) == (0, 6)
    t.do("deploy")
    for cell in ("-1,0", "-2,0", "-1,1"):
        assert t.decision == Decision.DEPLOY_TYPE
        t.do("type a", f"hex {cell}")
    assert (t.player, len(t.hand(0))) == (1, 3)


def test_r8_2_2_without_a_token_that_can_be_deployed_there_is_no_deploy():
    assert "deploy" not in holding().legal()
    assert "deploy" not in holding("charm").legal()  # no host
    assert "deploy" in holding("charm", units=[unit("g", "0,0")]).legal()


def test_r8_2_3_each_token_is_deployed_by_its_own_rules():
    t = holding("a", "charm", units=[unit("g", "0,0")]).do("deploy")
    assert hexes(t.copy().do("type charm")) == ["0,0"]
    assert "0,0" not in hexes(t.do("type a"))


def test_d_05_what_can_no_longer_be_deployed_is_not_offered():
    held = [attachment("charm"), attachment("drill")]
    t = holding("charm", "charm", units=[unit("g", "0,0", attached=held)]).do("deploy", "type charm", "hex 0,0")
    assert (t.player, t.hand(0)) == (1, ["charm"])  # three are attached: the Deploy ends


def test_d_05_one_of_several_copies_goes_at_a_time():
    t = holding("a", "a").do("deploy", "type a", "hex 0,0")
    assert (t.hand(0), t.legal()) == (["a"], ["pass", "type a"])


# --- units


def test_r8_2_1_1__r8_2_2_1_a_unit_comes_in_face_down_unless_beside_an_opposing_unit():
    t = holding("a", "g", units=[unit("a", "1,0", 1)])
    t.do("deploy", "type a", "hex -1,0", "type g", "hex 0,0")
    assert (t.unit("-1,0").face, t.unit("0,0").face) == ("down", "up")
    t = holding("a", units=[unit("a", "1,0")]).do("deploy", "type a", "hex 0,0")
    assert t.unit("0,0").face == "down"  # beside an own unit


def test_r8_2_1_2_a_deployed_unit_sights_its_face_down_neighbors():
    t = holding("a", units=[unit("a", "1,0", 1, face="down"), unit("a", "2,0", 1, face="down")])
    t.do("deploy", "type a", "hex 0,0")
    assert [t.unit(cell).face for cell in ("0,0", "1,0", "2,0")] == ["up", "up", "down"]


def test_q_23_deployed_within_extended_sight_it_is_face_down_and_then_revealed():
    tower = token("tower", abilities=[able("sight", range=3)])
    t = holding("a", "g", units=[unit("tower", "2,0", 1)], tokens=[tower])
    t.do("deploy", "type a", "hex 0,0", "type g", "hex -2,0")
    assert t.unit("0,0").face == "up"  # two away
    assert t.unit("-2,0").face == "down"  # four away
    t = holding("a", units=[unit("tower", "2,0", 1, face="down")], tokens=[tower]).do("deploy", "type a", "hex 0,0")
    assert t.unit("0,0").face == "down"  # the tower's sight does not work face down


def test_r8_2_1_4__r8_2_1_5__d_06_unit_is_deployed_on_or_next_to_controlled_ones():
    fields = [*OWN[:-1], field("-2,1", 0, controller=1), *THEIRS[:-1], field("4,-1", 1, controller=0)]
    controlled = {*B1[0][:-1], "4,-1"}
    others = {"-2,1", *B1[1][:-1]}
    t = holding("a", fields=fields)
    assert deploy_room(t, "a") == sorted((controlled | set(around(controlled))) - others)
    assert "3,-1" not in deploy_room(t, "a")  # the opponent's, though next to a controlled one
    assert "5,-1" in deploy_room(t, "a")


def test_r8_2_1_6__r8_2_1_7_units_never_onto_another_unit():
    units = [unit("a", "0,0"), unit("a", "1,0", 1), unit("a", "-1,0", face="down")]
    free = set(deploy_room(holding("a"), "a"))
    assert set(deploy_room(holding("a", units=units), "a")) == free - {"0,0", "1,0", "-1,0"}


# --- battlefields


def test_r8_2_1_8__r3_2_1_1_battlefields_come_in_face_up_with_their_arrow():
    t = holding("moor").do("deploy", "type moor", "hex 0,-1")
    assert (t.field("0,-1").id, t.field("0,-1").owner, t.field("0,-1").controller) == ("moor", 0, 0)
    row = int(t.state["cell_field"][t.config.grid.cell(0, -1)])
    assert int(t.state["token_face"][row]) == 1


def test_r8_2_1_9_battlefields_only_onto_a_hex_without_battlefield_and_unit():
    units = [unit("a", "0,-1"), unit("a", "-3,0", 1)]
    free = set(deploy_room(holding("plain"), "plain"))
    assert {"0,-1", "-3,0"} < free
    assert not free & {*B1[0], *B1[1]}
    assert set(deploy_room(holding("plain", units=units), "plain")) == free - {"0,-1", "-3,0"}


def test_r8_2_1_10__r8_2_1_11_battlefield_touches_controlled_not_opposing_ones():
    expected = set(around(B1[0])) - set(around(B1[1])) - set(B1[1])
    assert deploy_room(holding("plain"), "plain") == sorted(expected)
    assert "1,0" not in expected
    assert "-4,0" not in expected


def test_r8_2_1_10__r8_2_1_11_what_counts_is_who_controls_them_now():
    fields = [*OWN[:-1], field("-2,1", 0, controller=1), *THEIRS[:-1], field("4,-1", 1, controller=0)]
    controlled, others = {*B1[0][:-1], "4,-1"}, {"-2,1", *B1[1][:-1]}
    expected = set(around(controlled)) - set(around(others)) - others
    assert deploy_room(holding("plain", fields=fields), "plain") == sorted(expected)
    assert "5,-2" in expected  # next to the controlled 4,-1 and to none that the opponent controls
    assert "-3,0" in expected
    assert "-3,1" not in expected


@pytest.mark.parametrize("basis", ["control", "owner"])
def test_c_neutral_zone_basis__q_03_control_or_ownership_keeps_the_neutral_zone(basis):
    fields = [*OWN[:-1], field("-2,1", 0, controller=1), *THEIRS[:-1], field("4,-1", 1, controller=0)]
    own = {*B1[0][:-1], "4,-1"} if basis == "control" else set(B1[0])
    other = {"-2,1", *B1[1][:-1]} if basis == "control" else set(B1[1])
    expected = set(around(own)) - set(around(other)) - own - other
    room = deploy_room(holding("plain", fields=fields, switches={"neutral_zone_basis": basis}), "plain")
    assert room == sorted(expected)
    assert ("5,-2" in room, "-3,1" in room) == ((True, False) if basis == "control" else (False, True))


def test_r8_2_1_12_the_neutral_zone_holds_all_game():
    t = holding(*["plain"] * 4, turn=90, switches={"hand_limit": 4}).do("deploy")
    for cell in ("0,-1", "1,-2", "2,-2"):
        assert "1,0" not in deploy_room(t, "plain")
        t.do("type plain", f"hex {cell}")
    room = deploy_room(t, "plain")
    assert "2,-3" in room
    assert not set(room) & {"1,0", "2,-1", "3,-2"}  # beside own battlefields, but also beside the opponent's


# --- spells and maneuvers


def test_r8_2_1_13__r8_2_1_14_spells_and_maneuvers_are_deployed_by_attaching():
    tokens = [token("blue", band="blue"), token("red", band="red"), token("black", band="black")]
    units = [unit("g", "0,0"), unit("blue", "-1,0", face="down"), unit("red", "-2,0"), unit("black", "-1,1")]
    t = holding("charm", "drill", units=[*units, unit("g", "4,0", 1)], tokens=tokens)
    assert deploy_room(t, "charm") == ["-1,0", "0,0"]
    assert deploy_room(t, "drill") == ["-2,0", "0,0"]


@pytest.mark.parametrize("band", ["black", "gray"])
def test_r8_2_1_15_black_and_gray_bands_take_nothing(band):
    t = holding("charm", "drill", units=[unit("b", "0,0")], tokens=[token("b", band=band)])
    assert "deploy" not in t.legal()


@pytest.mark.parametrize("band", ["black", "gray", "blue", "red", "green"])
@pytest.mark.parametrize("kind", ["spell", "maneuver"])
def test_r8_2_1_16_any_band_may_be_the_target_of_an_action(band, kind):
    blow = text(kind, "blow", "action", [{"kind": "damage", "amount": 2}], target="any_unit", range=3)
    units = [unit("g", "0,0", attached=[attachment("blow")]), unit("b", "-1,0"), unit("b", "2,0", 1)]
    t = holding(units=units, tokens=[blow, token("b", band=band)]).do("cast", "hex 0,0", "slot 0")
    assert set(hexes(t)) >= {"-1,0", "2,0"}
    t.do("hex 2,0").pass_all()
    assert t.casualties(1) == ["b"]


# --- in sequence


def test_q_21_what_is_deployed_supports_what_follows():
    t = holding("plain", "g", "charm")
    assert "0,-2" not in deploy_room(t, "g")
    t.do("deploy", "type plain", "hex 0,-1")
    assert "0,-2" in deploy_room(t, "g")
    t.do("type g", "hex 0,-2")
    assert deploy_room(t, "charm") == ["0,-2"]
    t.do("type charm", "hex 0,-2")
    assert t.unit("0,-2").attachments == ("charm",)


def test_q_21_the_reveals_of_each_are_seen_before_the_next():
    t = holding("a", "g", units=[unit("a", "1,0", 1, face="down")])
    t.do("deploy", "type a", "hex 0,0")
    assert (t.unit("1,0").face, *asked(t)) == ("up", 0, Decision.DEPLOY_TYPE)


def test_q_90_employed_units_take_attachments_but_cannot_cast():
    spark = text("spell", "spark", "action", [modify("armor", 1)])
    units = [unit("g", "0,0", attached=[attachment("spark")]), unit("g", "0,1"), unit("ogre", "1,0", 1)]
    t = holding("charm", units=units, tokens=[spark, token("ogre", armor=9)], flips="T")
    assert "cast" in t.legal()
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1")
    assert (t.unit("0,0").employed, t.unit("0,1").employed) == (True, True)
    assert "cast" not in t.legal()
    assert deploy_room(t, "charm") == ["0,0", "0,1"]
