"""Action abilities on units and tokens: Capture, Counter, Dispel, Dismiss, Raise (appendix A)."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    attack,
    events,
    flips_made,
    hexes,
    modify,
    play,
    text,
    turn_over,
)
from tests.sack_armies.builders.seen import Seen
from tests.sack_armies.builders.text_game import attachment, field, token, unit

CHARM = text("spell", "charm", "free", [modify("damage", 1)])
DRILL = text("maneuver", "drill", "free", [modify("damage", 1)])
WEAKEN = text("spell", "frailty", "permanent", [modify("armor", -1)], target="enemy_unit", range=3)
HINDER = text("maneuver", "hinder", "permanent", [modify("movement", -1)], target="enemy_unit", range=3)
HOST = token("host", band="green")
FLYER = token("flyer", abilities=[able("flying")])
NET = token("net", armor=2, abilities=[able("capture")])
TOKENS = [CHARM, DRILL, WEAKEN, HINDER, HOST, FLYER, NET]


def pile(*casualties, **more):
    """Return the entry of a General with these casualties."""
    return {"hand": [], "sack": ["spare"], "casualties": list(casualties), "removed": []} | more


# --- Capture


def test_ra_capture_1__d_18_capture_takes_an_adjacent_revealed_opponent():
    units = [unit("net", "0,0"), unit("host", "0,1"), unit("host", "1,0", 1), unit("host", "2,0", 1)]
    t = play(TOKENS, [*units, unit("host", "3,0", 1, face="down")]).do("capture")
    assert (asked(t), t.legal()) == ((0, Decision.SOURCE), ["hex 0,0"])
    t.do("hex 0,0")
    assert (asked(t), t.legal()) == ((0, Decision.TARGET), ["hex 1,0"])
    assert "capture" not in play(TOKENS, [unit("net", "0,0"), unit("host", "2,0", 1)]).legal()


def test_ra_capture_2_there_is_no_counter_attack():
    t = play(TOKENS, [unit("net", "0,0"), unit("host", "1,0", 1)], "T").do("capture", "hex 0,0", "hex 1,0").pass_all()
    assert turn_over(t)
    assert flips_made(t) == [(0, 0)]


@pytest.mark.parametrize(("flips", "held"), [("T", ()), ("H", ("host",))])
def test_ra_capture_3_one_flip_decides_and_ends_the_turn(flips, held):
    t = play(TOKENS, [unit("net", "0,0"), unit("host", "1,0", 1)], flips).do("capture", "hex 0,0", "hex 1,0").pass_all()
    assert turn_over(t)
    assert t.unit("0,0").captives == held
    assert alive(t, "1,0") == ([None] if held else ["host"])


STACK = [attachment("charm"), attachment("drill", "up"), attachment("frailty", "up", 0)]


def captured(flips="H", *more, **keys):
    """Return a table on which the net on (0,0) has just captured the host from (1,0), with its stack."""
    t = play(TOKENS, [unit("net", "0,0"), unit("host", "1,0", 1, attached=STACK), *more], flips, **keys)
    return t.do("capture", "hex 0,0", "hex 1,0").pass_all()


def test_ra_capture_4_the_target_goes_under_the_captor_with_its_attachments():
    t = captured()
    assert alive(t, "1,0") == [None]
    assert t.unit("0,0").captives == ("charm", "drill", "frailty", "host")
    assert (t.casualties(0), t.casualties(1), t.sack(1)) == ([], [], ["spare"])
    assert (t.unit("0,0").attachments, t.stat("0,0", "armor")) == ((), 2)  # captured attachments have no effect


def test_ra_capture_5_captives_stay_while_the_captor_is_in_play():
    t = captured().do("draw", "done")
    t.do("move", "hex 0,0", "hex 0,1")
    assert t.unit("0,1").captives == ("charm", "drill", "frailty", "host")


FREED = (["frailty", "spare"], ["charm", "drill", "host", "spare"])


def test_ra_capture_5__ra_capture_6_captives_of_a_dead_captor_return_to_sacks():
    t = captured("H | H H T", unit("host", "0,1", 1))
    attack(t, "melee", "0,1", "0,0", "no")
    assert t.casualties(0) == ["net"]
    assert (t.sack(0), t.sack(1)) == FREED
    assert (t.casualties(1), t.flips_left()) == ([], 0)


@pytest.mark.parametrize("effect", ["dismiss", "remove"])
def test_ra_capture_6_captives_are_freed_when_the_captor_is_dismissed_or_removed(effect):
    ban = text("spell", "ban", "action", [{"kind": effect}], target="enemy_unit", range=4)
    mage = unit("host", "3,0", 1, attached=[attachment("ban")])
    t = play([*TOKENS, ban], [unit("net", "0,0"), unit("host", "1,0", 1, attached=STACK), mage], "H")
    t.do("capture", "hex 0,0", "hex 1,0").pass_all().do("cast", "hex 3,0", "slot 0", "hex 0,0").pass_all()
    assert (t.turn, t.casualties(1)) == (3, ["ban"])
    assert t.sack(1) == FREED[1]
    assert t.sack(0) == (["frailty", "net", "spare"] if effect == "dismiss" else ["frailty", "spare"])


def test_q_52_a_captor_that_is_captured_frees_its_captives():
    t = captured("H | H", unit("net", "0,1", 1)).do("capture", "hex 0,1", "hex 0,0").pass_all()
    assert (t.sack(0), t.sack(1)) == FREED
    assert t.unit("0,1").captives == ("net",)


def test_q_52_any_number_of_captives_and_flyers_too():
    units = [unit("net", "0,0"), unit("flyer", "1,0", 1), unit("flyer", "1,-1", 1), unit("flyer", "0,1", 1)]
    t = play(TOKENS, [*units, unit("host", "4,0", 1)], "H H H")
    t.do("capture", "hex 0,0", "hex 1,0").pass_all().do("move", "hex 4,0", "hex 5,0", "done")
    t.do("capture", "hex 0,0", "hex 1,-1").pass_all().do("move", "hex 5,0", "hex 4,0", "done")
    t.do("capture", "hex 0,0", "hex 0,1").pass_all()
    assert t.unit("0,0").captives == ("flyer", "flyer", "flyer")


def test_q_52_a_captive_of_an_eliminated_general_goes_to_their_casualties():
    fields = [field("0,0"), field("-1,0"), field("2,0", 1), field("3,0", 1), field("0,2", 2), field("-1,3", 2)]
    nobody = {"hand": [], "sack": [], "casualties": ["host"], "removed": [], "alive": False}
    jailer = unit("net", "0,0") | {"captives": [{"token": "host", "owner": 2, "face": "up"}]}
    units = [jailer, unit("host", "1,0", 1)]
    t = play(TOKENS, units, "H H T", generals=3, fields=fields, to_move=1, general=[pile(), pile(), nobody])
    attack(t, "melee", "1,0", "0,0", "no")
    assert (t.casualties(0), t.casualties(2), t.sack(2)) == (["net"], ["host", "host"], [])


# --- Counter and Dispel


SAGE = token("sage", band="green", abilities=[able("counter", range=2), able("dispel", range=2)])
VERBS = [("counter_token", "drill", "charm"), ("dispel", "charm", "drill")]


@pytest.mark.parametrize(("verb", "hit", "other"), VERBS)
@pytest.mark.parametrize("face", ["up", "down"])
def test_ra_counter_1__ra_counter_2__ra_dispel_1__ra_dispel_2_one_token_is_lost(verb, hit, other, face):
    units = [unit("sage", "0,0"), unit("host", "2,0", 1, attached=[attachment(other, "up"), attachment(hit, face)])]
    t = play([*TOKENS, SAGE], units).do(verb, "hex 0,0", "hex 2,0")
    assert t.legal() == ["slot 1"]
    t.do("slot 1").pass_all()
    assert turn_over(t)  # no flip was needed
    assert (t.casualties(1), t.unit("2,0").attachments) == ([hit], (other,))


@pytest.mark.parametrize(("verb", "hit", "other"), VERBS)
def test_ra_counter_3__ra_dispel_3__d_19_unit_host_and_slot_within_the_printed_range(verb, hit, other):
    near = unit("host", "2,0", 1, attached=[attachment(other, "up"), attachment(hit), attachment(hit, "up")])
    units = [unit("sage", "0,0"), unit("host", "0,1"), near, unit("host", "3,0", 1, attached=[attachment(hit)])]
    t = play([*TOKENS, SAGE], [*units, unit("host", "1,1", 1, attached=[attachment(other, "up")])]).do(verb)
    assert (asked(t), t.legal()) == ((0, Decision.SOURCE), ["hex 0,0"])
    t.do("hex 0,0")
    assert (asked(t), t.legal()) == ((0, Decision.TOKEN_HOST), ["hex 2,0"])
    t.do("hex 2,0")
    assert (asked(t), t.legal()) == ((0, Decision.TOKEN_SLOT), ["slot 1", "slot 2"])


@pytest.mark.parametrize("verb", ["counter_token", "dispel"])
def test_ra_counter_4_permanents_on_oneself_and_on_friends_can_be_removed(verb):
    bane = "hinder" if verb == "counter_token" else "frailty"
    own = [attachment(bane, "up", 1)]
    units = [unit("sage", "0,0", attached=own), unit("host", "-2,0", attached=own), unit("host", "3,0", 1)]
    t = play([*TOKENS, SAGE], units).do(verb, "hex 0,0")
    assert sorted(t.legal()) == ["hex -2,0", "hex 0,0"]
    itself = t.copy().do("hex 0,0", "slot 0").pass_all()
    assert (itself.unit("0,0").attachments, itself.casualties(1), itself.casualties(0)) == ((), [bane], [])
    t.do("hex -2,0", "slot 0").pass_all()
    assert (t.unit("-2,0").attachments, t.casualties(1)) == ((), [bane])


@pytest.mark.parametrize(("verb", "hit", "other"), VERBS)
def test_q_50_own_tokens_may_be_hit(verb, hit, other):
    stack = [attachment(other), attachment(hit)]
    units = [unit("sage", "0,0", attached=stack), unit("host", "3,0", 1)]
    t = play([*TOKENS, SAGE], units).do(verb, "hex 0,0", "hex 0,0")
    assert t.legal() == ["slot 1"]  # the kind of one's own tokens is known
    t.do("slot 1").pass_all()
    assert (t.casualties(0), t.unit("0,0").attachments) == ([hit], (other,))


def test_q_50_a_unit_may_dismiss_own_units_but_not_itself():
    warden = token("warden", abilities=[able("dismiss", range=2)])
    units = [unit("warden", "0,0"), unit("host", "-1,0"), unit("host", "-2,0", face="down"), unit("host", "3,0", 1)]
    t = play([*TOKENS, warden], units).do("dismiss", "hex 0,0")
    assert hexes(t) == ["-1,0", "-2,0"]
    t.do("hex -2,0").pass_all()
    assert (turn_over(t), t.sack(0)) == (True, ["host", "spare"])


@pytest.mark.parametrize(("verb", "hit", "other"), VERBS)
def test_q_49_a_blind_choice_of_the_wrong_kind_is_spent_and_reveals_only_the_kind(verb, hit, other):
    stack = [attachment(other), attachment(other)]
    t = play([*TOKENS, SAGE], [unit("sage", "0,0"), unit("host", "2,0", 1, attached=stack)])
    t.do(verb, "hex 0,0", "hex 2,0")
    assert t.legal() == ["slot 0", "slot 1"]
    t.do("slot 1").pass_all()
    assert turn_over(t)
    assert (t.unit("2,0").attachments, t.unit("2,0").attachment_faces) == ((other, other), ("down", "down"))
    assert (t.casualties(1), len(events(t, Event.WRONG_KIND)), events(t, Event.REVEAL)) == ([], 1, [])
    t.do("draw", "done")
    assert t.copy().do(verb, "hex 0,0", "hex 2,0").legal() == ["slot 0"]
    opposite = "dispel" if verb == "counter_token" else "counter_token"
    assert t.do(opposite, "hex 0,0", "hex 2,0").legal() == ["slot 0", "slot 1"]


# --- Dismiss

WARDEN = token("warden", abilities=[able("dismiss", range=2)])


def test_ra_dismiss_1__ra_dismiss_2_unit_returns_to_sack_its_attachments_die():
    units = [unit("warden", "0,0"), unit("host", "2,0", 1, attached=STACK)]
    t = play([*TOKENS, WARDEN], units).do("dismiss", "hex 0,0", "hex 2,0").pass_all()
    assert turn_over(t)
    assert (t.sack(1), t.casualties(1), t.casualties(0)) == (["host", "spare"], ["charm", "drill"], ["frailty"])


def test_ra_dismiss_3__q_51_units_within_range_own_ones_or_revealed_ones():
    units = [unit("warden", "0,0"), unit("host", "-2,0", face="down"), unit("host", "-2,2", face="up")]
    enemies = [unit("host", "2,0", 1), unit("host", "1,1", 1, face="down"), unit("host", "3,0", 1)]
    t = play([*TOKENS, WARDEN], [*units, *enemies]).do("dismiss")
    assert (asked(t), t.legal()) == ((0, Decision.SOURCE), ["hex 0,0"])
    t.do("hex 0,0")
    assert (asked(t), hexes(t)) == ((0, Decision.TARGET), ["-2,0", "-2,2", "2,0"])


# --- Raise


PRIEST = token("priest", abilities=[able("raise", match={"keyword": "bone"})])
BONES = token("bones", keywords=["bone"], band="green", armor=4)


def necropolis(flips="", *more, casualties=("bones", "host", "charm"), **keys):
    """Return a table with a priest on (0,0) who may raise bones."""
    units = [unit("priest", "0,0"), unit("host", "3,0", 1), *more]
    return play([*TOKENS, PRIEST, BONES], units, flips, general=[pile(*casualties), pile("bones")], **keys)


def test_ra_raise_1__d_20_a_matching_unit_in_the_own_pile_is_named_before_the_flip():
    t = necropolis("H").do("raise")
    assert (asked(t), t.legal()) == ((0, Decision.SOURCE), ["hex 0,0"])
    t.do("hex 0,0")
    assert (asked(t), t.legal()) == ((0, Decision.RAISE_TYPE), ["type bones"])
    t.do("type bones")
    assert (asked(t), t.flips_left()) == ((1, Decision.WINDOW), 1)
    t.pass_all()
    assert (asked(t), t.flips_left()) == ((0, Decision.RAISE_HEX), 0)
    assert "raise" not in necropolis(casualties=("host", "charm")).legal()  # the enemy's bones do not count


def test_ra_raise_1_without_a_limit_any_unit_may_be_raised():
    healer = token("healer", abilities=[able("raise")])
    units = [unit("healer", "0,0"), unit("host", "3,0", 1)]
    piles = [pile("bones", "host", "charm", "plain"), pile()]
    t = play([*TOKENS, healer, BONES], units, general=piles).do("raise", "hex 0,0")
    assert sorted(t.legal()) == ["type bones", "type host"]


def test_ra_raise_2_tails_wastes_the_turn():
    t = necropolis("T").do("raise", "hex 0,0", "type bones").pass_all()
    assert turn_over(t)
    assert t.casualties(0) == ["bones", "charm", "host"]


def test_ra_raise_3__q_53_heads_deploys_it_face_up_next_to_the_raiser():
    t = necropolis("H", unit("host", "-1,0")).do("raise", "hex 0,0", "type bones").pass_all()
    assert hexes(t) == ["-1,1", "0,-1", "0,1", "1,-1", "1,0"]
    t.do("hex 0,1")
    assert turn_over(t)
    assert (t.unit("0,1").id, t.unit("0,1").face, t.unit("0,1").attachments) == ("bones", "up", ())
    assert t.casualties(0) == ["charm", "host"]
    assert t.unit("0,1").employed is False


def test_q_53_a_raised_unit_comes_in_where_units_may_be_deployed():
    fields = [field("0,0"), field("-1,0", controller=1), field("-1,1"), field("2,0", 1)]
    t = necropolis("H", fields=[*fields, field("3,0", 1)]).do("raise", "hex 0,0", "type bones").pass_all()
    assert hexes(t) == ["-1,1", "0,-1", "0,1", "1,-1", "1,0"]  # not on (-1,0), which the enemy controls


def test_ra_raise_3_a_raised_unit_sights():
    t = necropolis("H", unit("host", "2,0", 1, face="down")).do("raise", "hex 0,0", "type bones").pass_all()
    t.do("hex 1,0")
    assert t.unit("2,0").face == "up"


def test_ra_raise_4_without_a_hex_the_unit_stays_in_the_pile():
    wall = [unit("host", cell) for cell in ("1,0", "1,-1", "0,-1", "-1,0", "-1,1", "0,1")]
    t = necropolis("H", *wall)
    assert "raise" in t.legal()  # it may be announced all the same
    t.do("raise", "hex 0,0", "type bones").pass_all()
    assert turn_over(t)
    assert t.casualties(0) == ["bones", "charm", "host"]


@pytest.mark.parametrize(("flips", "left"), [("T", {"z": 1}), ("H", {})])
def test_q_53__c_casualties_public_all_see_which_unit_is_raised(flips, left):
    pile = {"hand": [], "sack": ["spare"], "casualties": ["z", "z", "y"], "removed": []}
    tokens = [token("n", abilities=[able("raise")]), token("z"), token("y")]
    units = [unit("n", "0,0"), unit("n", "3,0", 1)]
    t = play(tokens, units, flips, {"casualties_public": "off"}, general=[pile, pile])
    assert Seen(t, 1).counts("casualties_1") == {}
    t.do("raise", "hex 0,0", "type z")
    assert Seen(t, 1).counts("casualties_1") == {"z": 1}
    t.pass_all()
    if flips == "H":
        t.do("hex 0,1")
    assert Seen(t, 1).counts("casualties_1") == left
