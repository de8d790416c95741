"""Reaction windows: who may answer an announcement, with what, and what becomes of the announcement."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    attack,
    coordinate,
    events,
    grant,
    modify,
    play,
    shot,
    text,
    turn_over,
)
from tests.sack_armies.builders.text_game import attachment, field, token, unit

WINGS = text("spell", "wings", "free", [grant("flying")])
SHIELD = text("spell", "shield", "free", [modify("armor", 2)])
RETREAT = text("maneuver", "step_back", "action", [{"kind": "relocate", "distance": 1}])
THREE = [field("0,0"), field("-1,0"), field("2,0", 1), field("3,0", 1), field("0,2", 2), field("-1,3", 2)]


def three(attacker, target, to_move, *more):
    """Return a table of three Generals with units on (0,0), (1,0) and (0,1), in the window of a melee."""
    cells = ("0,0", "1,0", "0,1")
    units = [unit("a", cell, owner) for owner, cell in enumerate(cells)]
    t = play([token("a"), *more], units, "T", generals=3, fields=THREE, to_move=to_move)
    return t.do("melee", f"hex {cells[attacker]}", f"hex {cells[target]}")


def seats_asked(t):
    """Pass until the window closes and return the seats asked, in order."""
    seats = []
    while t.decision == Decision.WINDOW:
        seats.append(t.player)
        t.do("pass")
    return seats


# --- who is asked


@pytest.mark.parametrize(
    ("attacker", "target", "seats"),
    [(0, 1, [1, 2, 0]), (0, 2, [2, 1, 0]), (1, 0, [0, 2, 1]), (1, 2, [2, 0, 1]), (2, 1, [1, 0, 2])],
)
def test_p_window__d_22_the_targeted_general_is_asked_first_and_the_active_one_last(attacker, target, seats):
    t = three(attacker, target, attacker)
    assert seats_asked(t) == seats
    assert asked(t) == (target, Decision.COUNTER)


def test_p_window_a_reveal_starts_the_round_of_passes_anew():
    hidden = [unit("a", "-2,0", face="down"), unit("d", "4,0", 1, face="down"), unit("d", "4,-1", 1, face="down")]
    t = play([token("a"), token("d")], [unit("a", "0,0"), unit("d", "1,0", 1), *hidden])
    t.do("melee", "hex 0,0", "hex 1,0", "reveal_unit", "hex 4,0")
    assert asked(t) == (0, Decision.WINDOW)  # after one reveal the next General is asked
    t.do("pass")
    assert asked(t) == (1, Decision.WINDOW)
    t.do("pass")
    assert asked(t) == (1, Decision.COUNTER)

    t = play([token("a"), token("d")], [unit("a", "0,0"), unit("d", "1,0", 1), *hidden])
    t.do("melee", "hex 0,0", "hex 1,0", "pass", "reveal_unit", "hex -2,0")
    assert asked(t) == (1, Decision.WINDOW)
    t.do("reveal_unit", "hex 4,0", "pass")
    assert asked(t) == (1, Decision.WINDOW)
    t.do("reveal_unit", "hex 4,-1")
    assert asked(t) == (0, Decision.WINDOW)
    assert seats_asked(t) == [0, 1]


def test_d_22_a_window_offers_free_reveals_of_units_and_of_free_texts():
    tokens = [token("a"), token("d", band="green"), SHIELD, RETREAT]
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 1}], target="enemy_unit", range=3)
    units = [
        unit("a", "0,0"),
        unit("d", "1,0", 1, attached=[attachment("bolt"), attachment("shield"), attachment("shield", "up")]),
        unit("d", "4,0", 1, face="down"),
        unit("d", "3,0", 1, face="down", attached=[attachment("step_back"), attachment("shield")]),
    ]
    t = play([*tokens, bolt], units).do("melee", "hex 0,0", "hex 1,0")
    assert t.legal() == ["pass", "reveal_unit", "reveal_token"]
    assert sorted(t.copy().do("reveal_unit").legal()) == ["hex 3,0", "hex 4,0"]
    assert sorted(t.copy().do("reveal_token").legal()) == ["hex 1,0", "hex 3,0"]
    assert t.copy().do("reveal_token", "hex 1,0").legal() == ["slot 1"]
    assert t.copy().do("reveal_token", "hex 3,0").legal() == ["slot 1"]


def test_q_80_third_parties_may_reveal_but_have_no_surprise():
    banner = token("banner", abilities=[able("augment", stat="armor", amount=1)])
    tokens = [token("a", band="red"), banner, RETREAT]
    cells = {0: "0,0", 1: "1,0", 2: "0,1"}
    units = [unit("a", cell, owner, attached=[attachment("step_back")]) for owner, cell in cells.items()]
    units.append(unit("banner", "-1,3", 2, face="down"))
    t = play(tokens, units, generals=3, fields=THREE).do("melee", "hex 0,0", "hex 1,0")
    assert (t.player, t.legal()) == (1, ["pass", "surprise"])
    t.do("pass")
    assert (t.player, t.legal()) == (2, ["pass", "reveal_unit"])
    t.do("pass")
    assert (t.player, t.legal()) == (0, ["pass"])


# --- when


def test_r9_1_10__q_46_reveals_are_allowed_until_the_flips_and_not_after():
    hidden = [unit("a", "-2,0", face="down"), unit("d", "4,0", 1, face="down")]
    brute = token("a", armor=9, abilities=[able("ambush")])
    t = play([brute, token("d")], [unit("a", "0,0"), unit("d", "1,0", 1), *hidden], "T | H T | T")
    assert "reveal_unit" in t.legal()
    t.do("melee", "hex 0,0", "hex 1,0")
    assert t.legal() == ["pass", "reveal_unit"]
    t.do("pass")
    assert t.legal() == ["pass", "reveal_unit"]
    t.do("pass")
    for decision, reply in ((Decision.AMBUSH, "yes"), (Decision.COUNTER, "yes"), (Decision.ADVANCE, "no")):
        assert (t.decision, t.legal()) == (decision, ["pass", "yes"])
        t.do(reply)
    assert turn_over(t)


def test_q_46_nothing_but_an_announcement_opens_a_window():
    hidden = [unit("a", "-2,0", face="down"), unit("d", "4,0", 1, face="down")]
    hand = {"hand": ["a"], "sack": ["spare"], "casualties": [], "removed": []}
    t = play([token("a"), token("d")], [unit("a", "0,0"), unit("d", "3,0", 1), *hidden], general=[hand, hand])
    for ended in (
        t.copy().do("draw", "done"),
        t.copy().do("move", "hex 0,0", "hex -1,0", "done"),
        t.copy().do("deploy", "type a", "hex 0,1"),
    ):
        assert asked(ended) == (1, Decision.MENU)


def test_r9_2_6__r9_2_8_free_spells_are_revealed_like_units_before_the_flips():
    tokens = [token("a"), token("d", band="blue"), SHIELD]
    units = [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment("shield")])]
    t = play(tokens, units, "H H T").do("melee", "hex 0,0", "hex 1,0")
    t.do("reveal_token", "hex 1,0", "slot 0")
    assert (t.unit("1,0").attachment_faces, t.stat("1,0", "armor")) == (("up",), 3)
    t.pass_all()
    assert t.legal() == ["pass", "yes"]
    t.do("no")
    assert turn_over(t)
    assert alive(t, "1,0") == ["d"]
    assert "reveal_token" not in t.legal()

    t = attack(play(tokens, units, "H H T"), "melee", "0,0", "1,0", "no")
    assert t.casualties(1) == ["d", "shield"]


def test_q_48_a_revealed_attachment_turns_up_its_host_which_then_sights():
    eye = text("spell", "eye", "free", [grant("sight", range=3)])
    tokens = [token("a"), token("d", band="blue"), eye]
    units = [
        unit("a", "0,0"),
        unit("a", "-1,1", face="down"),
        unit("d", "1,0", 1),
        unit("d", "2,0", 1, face="down", attached=[attachment("eye")]),
    ]
    t = play(tokens, units).do("melee", "hex 0,0", "hex 1,0", "reveal_token", "hex 2,0", "slot 0")
    assert (t.unit("2,0").face, t.unit("2,0").attachment_faces) == ("up", ("up",))
    assert t.unit("-1,1").face == "up"


# --- cancelled


def winged(flips="", more=(), **keys):
    """Return a table on which General 1 may reveal wings under the defender on (1,0)."""
    tokens = [token("a"), token("d", band="blue"), token("eagle", abilities=[able("flying")]), WINGS]
    units = [unit("a", "0,0"), *more, unit("d", "1,0", 1, attached=[attachment("wings")])]
    return play(tokens, units, flips, **keys)


GROW = ("reveal_token", "hex 1,0", "slot 0")


def test_r9_1_11__r9_1_12__q_44_reveal_cancels_an_illegal_attack_at_no_cost():
    t = winged().do("melee", "hex 0,0", "hex 1,0", *GROW)
    assert (t.turn, *asked(t), t.flips_left()) == (1, 0, Decision.MENU, 0)
    assert (t.unit("0,0").employed, t.unit("1,0").attachment_faces) == (False, ("up",))
    assert events(t, Event.CANCEL) == [(0, 5)]
    assert t.legal() == ["draw", "move"]  # a ground unit cannot attack the flyer
    t.do("move", "hex 0,0", "hex -1,0")
    assert turn_over(t)


def test_r9_1_11_a_reveal_that_changes_nothing_lets_the_attack_go_on():
    t = winged("H T", [unit("eagle", "1,-1")]).do("melee", "hex 1,-1", "hex 1,0", *GROW).pass_all()
    assert asked(t) == (1, Decision.COUNTER)
    t.do("no", "no")
    assert turn_over(t)
    assert t.casualties(1) == ["d", "wings"]


def test_q_44_a_surprise_that_makes_the_attack_illegal_makes_it_miss():
    tokens = [token("a"), token("d", band="red"), RETREAT]
    t = play(tokens, [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment("step_back")])])
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,0")
    assert turn_over(t)
    assert (events(t, Event.MISS), events(t, Event.CANCEL)) == ([(0, 5)], [])


def test_q_45_a_reveal_that_bars_one_attacker_cancels_the_coordinated_attack():
    t = coordinate(winged("H", [unit("eagle", "1,-1")]), "coord_melee", "1,0", "0,0", "1,-1").do(*GROW)
    assert (t.turn, *asked(t), t.flips_left()) == (1, 0, Decision.MENU, 0)
    assert [t.unit(cell).employed for cell in ("0,0", "1,-1")] == [False, False]
    assert t.legal() == ["draw", "move", "melee"]
    assert t.do("melee").legal() == ["hex 1,-1"]


def test_q_45_flyers_alone_are_not_barred_by_wings():
    eagles = [unit("eagle", "1,-1"), unit("eagle", "0,1")]
    t = coordinate(winged("H | T", eagles), "coord_melee", "1,0", "1,-1", "0,1").do(*GROW).pass_all()
    assert asked(t) == (1, Decision.COUNTER)


# --- targets of effects made illegal

LIGHT = text("spell", "light", "free", [modify("damage", 1)])
DRILL = text("maneuver", "drill", "free", [modify("damage", 1)])
UNMAKE = text("spell", "unmake", "action", [{"kind": "dispel"}], target="enemy_unit", range=3)
HOST = token("host", band="green")


@pytest.mark.parametrize(("verb", "shown"), [("dispel", "drill"), ("counter_token", "light")])
@pytest.mark.parametrize("others", [0, 1])
def test_q_66_token_revealed_as_the_other_kind_cancels_counter_or_dispel(verb, shown, others):
    sage = token("sage", abilities=[able("dispel", range=3), able("counter", range=3)])
    stack = [attachment(shown), *[attachment("light")] * others]
    t = play([sage, HOST, LIGHT, DRILL], [unit("sage", "0,0"), unit("host", "2,0", 1, attached=stack)])
    t.do(verb, "hex 0,0", "hex 2,0", "slot 0")
    assert asked(t) == (1, Decision.WINDOW)
    t.do("reveal_token", "hex 2,0", "slot 0")
    assert (t.turn, *asked(t)) == (1, 0, Decision.MENU)
    assert (events(t, Event.CANCEL), events(t, Event.WRONG_KIND)) == ([(0, 12 if verb == "dispel" else 11)], [])
    assert t.unit("2,0").attachments == tuple(entry["token"] for entry in stack)
    assert (verb in t.legal()) == (others == 1)


def test_q_66_a_reveal_of_the_right_kind_does_not_save_the_token():
    sage = token("sage", abilities=[able("dispel", range=3)])
    units = [unit("sage", "0,0"), unit("host", "2,0", 1, attached=[attachment("light"), attachment("drill")])]
    t = play([sage, HOST, LIGHT, DRILL], units).do("dispel", "hex 0,0", "hex 2,0", "slot 0")
    t.do("reveal_token", "hex 2,0", "slot 0").pass_all()
    assert turn_over(t)
    assert (t.casualties(1), t.unit("2,0").attachments) == (["light"], ("drill",))


def test_q_66_a_cancelled_spell_stays_attached_face_up_and_usable():
    units = [
        unit("host", "0,0", attached=[attachment("unmake")]),
        unit("host", "2,0", 1, attached=[attachment("drill"), attachment("light")]),
    ]
    t = play([HOST, LIGHT, DRILL, UNMAKE], units).do("cast", "hex 0,0", "slot 0", "hex 2,0", "slot 0")
    t.do("reveal_token", "hex 2,0", "slot 0")
    assert (t.turn, *asked(t)) == (1, 0, Decision.MENU)
    assert (t.unit("0,0").attachments, t.unit("0,0").attachment_faces) == (("unmake",), ("up",))
    t.do("cast", "hex 0,0", "slot 0", "hex 2,0")
    assert t.legal() == ["slot 1"]
    t.do("slot 1").pass_all()
    assert turn_over(t)
    assert (t.casualties(0), t.casualties(1)) == (["unmake"], ["light"])


# --- surprise


def test_d_22b_a_surprise_asks_for_the_maneuver_and_then_for_its_choices():
    swap = text("maneuver", "swap", "action", [{"kind": "swap", "distance": 2}])
    tokens = [token("a"), token("d", band="red"), RETREAT, swap]
    stack = [attachment("step_back"), attachment("swap")]
    t = play(tokens, [unit("a", "0,0"), unit("d", "1,0", 1, attached=stack), unit("d", "3,0", 1)])
    t.do("melee", "hex 0,0", "hex 1,0", "surprise")
    assert (asked(t), t.legal()) == ((1, Decision.SURPRISE_SLOT), ["slot 0", "slot 1"])
    other = t.copy().do("slot 1")
    assert (asked(other), other.legal()) == ((1, Decision.EFFECT_TARGET), ["hex 3,0"])
    t.do("slot 0")
    assert asked(t) == (1, Decision.EFFECT_HEX)
    assert sorted(t.legal()) == ["hex 0,1", "hex 1,-1", "hex 1,1", "hex 2,-1", "hex 2,0"]


def test_p_window_a_shot_at_a_unit_moved_within_range_still_misses():
    tokens = [token("a", abilities=[shot(5)]), token("d", band="red"), RETREAT]
    t = play(tokens, [unit("a", "0,0"), unit("d", "2,0", 1, attached=[attachment("step_back")])])
    t.do("ranged", "hex 0,0", "hex 2,0", "surprise", "slot 0", "hex 1,0")
    assert turn_over(t)
    assert (alive(t, "1,0"), t.casualties(1)) == (["d"], ["step_back"])
