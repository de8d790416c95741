"""Chapter 8, actions in general (8.0) and Draw (8.1)."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event
from tests.sack_armies.builders.fights import able, asked, events, modify, play, text
from tests.sack_armies.builders.ground import move, piles, wait
from tests.sack_armies.builders.text_game import attachment, token, unit

A = token("a")
SPARE = piles(sack=["spare"])
OLD, NEW = ["old1", "old2", "old3"], ["new1", "new2", "new3", "new4"]
NAMED = [token(name) for name in (*OLD, *NEW)]


def drawing(hand=(), sack=NEW, units=(), tokens=(), **keys):
    """Return a table on which General 0 has this hand and sack, and General 1 a spare unit in their sack."""
    general = [piles(hand=list(hand), sack=list(sack)), SPARE]
    return play([*NAMED, A, *tokens], list(units), general=general, **keys)


# --- 8.0


@pytest.mark.parametrize(
    "texts",
    [
        ["draw", "done"],
        ["deploy", "type new1", "hex -1,0", "done"],
        ["move", "hex 0,0", "hex 1,-1", "done"],
        ["melee", "hex 0,0", "hex 1,0"],
        ["coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done"],
        ["cast", "hex 0,0", "slot 0"],
    ],
)
def test_r8_0_1_a_turn_is_exactly_one_action(texts):
    ward = text("spell", "ward", "action", [modify("armor", 1)])
    units = [unit("g", "0,0", attached=[attachment("ward")]), unit("a", "0,1"), unit("ogre", "1,0", 1)]
    tokens = [token("g", band="green"), ward, token("ogre", armor=9)]
    t = drawing(["new1", "new2"], ["new3"], units, tokens, flips="H T")
    assert set(t.legal()) == {"draw", "deploy", "move", "melee", "coord_melee", "cast"}
    t.do(*texts).pass_all()
    if t.decision == Decision.COUNTER:
        t.do("no").pass_all()
    assert (t.turn, *asked(t)) == (2, 1, Decision.MENU)


def test_r8_0_2__d_03_an_action_must_be_taken():
    t = drawing(units=[unit("a", "0,0"), unit("a", "1,0", 1)])
    assert t.legal() == ["draw", "move", "melee"]
    assert "pass" not in t.legal()
    t.do("move")
    assert t.legal() == ["hex 0,0"]  # an action once begun must be completed
    t.do("hex 0,0")
    assert "pass" not in t.legal()


def test_d_03_a_verb_is_offered_only_if_it_can_be_completed():
    post = token("post", movement=0)
    assert drawing(units=[unit("post", "0,0")], tokens=[post]).legal() == ["draw"]
    assert drawing(units=[unit("a", "0,0")]).legal() == ["draw", "move"]
    assert drawing(["new1"]).legal() == ["draw", "deploy"]
    assert drawing(["old1"], [], [unit("post", "0,0", face="down")], [post]).legal() == ["deploy", "reveal_unit"]
    walls = [unit("post", cell) for cell in ("0,0", "1,0", "1,-1", "0,-1", "-1,0", "-1,1", "0,1")]
    walls[0] = unit("a", "0,0")
    assert drawing(units=walls, tokens=[post]).legal() == ["draw"]  # nowhere to go


def test_d_03_the_menu_comes_back_after_a_free_reveal():
    t = drawing(units=[unit("a", "0,0", face="down")])
    t.do("reveal_unit", "hex 0,0")
    assert (t.turn, *asked(t)) == (1, 0, Decision.MENU)
    assert t.legal() == ["draw", "move"]


# --- 8.1


def test_r8_1_1_three_tokens_from_the_own_sack():
    t = drawing(draws=[["new4", "new2", "new1"], []]).do("draw")
    assert (t.hand(0), t.sack(0)) == (["new1", "new2", "new4"], ["new3"])
    assert (t.hand(1), t.sack(1)) == ([], ["spare"])
    assert events(t, Event.DRAW) == [(0, 3)]


@pytest.mark.parametrize(("drummers", "drawn"), [(0, 3), (1, 4), (2, 5)])
def test_r8_1_2__q_19_each_revealed_unit_with_draw_adds_one(drummers, drawn):
    drummer = token("drummer", abilities=[able("draw")])
    places = ("0,0", "-1,0", "-2,0")
    units = [unit("drummer", cell, face="up" if index < drummers else "down") for index, cell in enumerate(places)]
    t = drawing(["drummer"], [*NEW, *OLD], [*units, unit("drummer", "4,0", 1)], [drummer]).do("draw")
    assert len(t.hand(0)) == 1 + drawn


@pytest.mark.parametrize("left", [1, 2, 3])
def test_r8_1_3__q_19_with_fewer_than_three_left_all_are_drawn(left):
    t = drawing(sack=NEW[:left]).do("draw")
    assert (t.hand(0), t.sack(0)) == (NEW[:left], [])


def test_q_19_the_number_drawn_is_no_choice():
    t = drawing()
    t.do("draw")
    assert asked(t) == (0, Decision.DISCARD)
    assert len(t.hand(0)) == 3


def test_r8_1_4_no_draw_from_an_empty_sack():
    t = drawing(["old1"], [])
    assert t.legal() == ["deploy"]
    assert "draw" in drawing(["old1"], ["new1"]).legal()


@pytest.mark.parametrize(("hand", "surplus"), [([], 0), (OLD[:1], 1), (OLD, 3)])
def test_r8_1_5__d_04_at_most_three_tokens_are_kept(hand, surplus):
    t = drawing(hand, NEW[:3]).do("draw")
    for _ in range(surplus):
        assert "pass" not in t.legal()
        t.do(next(entry for entry in t.legal() if entry.startswith("type")))
    assert "pass" in t.legal()
    t.do("done")
    assert (len(t.hand(0)), len(t.sack(0)), t.player) == (3, surplus, 1)


def test_r8_1_6_discards_return_to_the_owners_sack():
    t = drawing(OLD[:1], NEW[:2]).do("draw", "type new1", "done")
    assert (t.hand(0), t.sack(0), t.casualties(0)) == (["new2", "old1"], ["new1"], [])
    assert events(t, Event.DISCARD) == [(0, 1)]


def test_r8_1_7_discards_only_after_a_draw():
    units = [unit("a", "0,0")]
    t = drawing(OLD, NEW, units)
    assert not any(entry.startswith("type") for entry in t.legal())
    moved = move(t.copy(), "0,0", "1,0")
    assert (moved.hand(0), moved.player) == (OLD, 1)
    deployed = t.copy().do("deploy", "type old1", "hex -1,0", "done")
    assert (deployed.hand(0), deployed.player) == (OLD[1:], 1)


def test_r8_1_8__d_04_any_number_of_tokens_old_or_new_may_be_discarded():
    t = drawing(OLD[:2], NEW[:3]).do("draw")
    assert t.legal() == [f"type {name}" for name in (*OLD[:2], *NEW[:3])]
    t.do("type old1", "type new2")
    assert t.legal() == ["pass", "type old2", "type new1", "type new3"]
    for name in ("old2", "new3", "new1"):
        t.do(f"type {name}")
    assert (t.hand(0), t.player) == ([], 1)  # keeping is optional; the empty hand ends the Draw
    assert t.sack(0) == sorted([*OLD[:2], *NEW[:3]])


@pytest.mark.parametrize("value", ["off", "on"])
def test_q_96__d_04__c_auto_forced_a_draw_ends_with_a_pass_or_with_an_empty_hand(value):
    t = drawing([], NEW[:2], [unit("a", "0,0")], switches={"auto_forced": value}).do("draw")
    assert t.legal() == ["pass", "type new1", "type new2"]
    kept = t.copy().do("pass")
    assert (kept.turn, kept.hand(0)) == (2, ["new1", "new2"])
    t.do("type new1")
    assert (t.turn, t.legal()) == (1, ["pass", "type new2"])
    t.do("type new2")
    assert (t.turn, t.player, t.hand(0)) == (2, 1, [])  # no lone pass is asked


def test_d_04_one_of_several_copies_goes_at_a_time():
    t = drawing([], ["a", "a", "new1"]).do("draw", "type a")
    assert t.legal() == ["pass", "type new1", "type a"]
    assert (t.hand(0), t.sack(0)) == (["a", "new1"], ["a"])


# --- switches


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_c_draw_count_how_many_tokens_a_draw_yields(count):
    t = drawing(sack=[*NEW, *OLD], switches={"draw_count": count, "hand_limit": 9}).do("draw")
    assert len(t.hand(0)) == count
    drummer = token("drummer", abilities=[able("draw")])
    switches = {"draw_count": count, "hand_limit": 9}
    t = drawing([], [*NEW, *OLD], [unit("drummer", "0,0")], [drummer], switches=switches).do("draw")
    assert len(t.hand(0)) == count + 1


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_c_hand_limit__ra_draw_2_how_many_tokens_are_kept(limit):
    t = drawing(OLD, NEW[:3], switches={"hand_limit": limit}).do("draw")
    for held in range(6, limit, -1):
        assert len(t.hand(0)) == held
        assert "pass" not in t.legal()
        t.do(next(entry for entry in t.legal() if entry.startswith("type")))
    t.do("done")
    assert (len(t.hand(0)), t.player) == (limit, 1)


def test_c_hand_limit_a_hand_over_the_limit_discards_at_the_end_of_any_turn():
    t = drawing(OLD, NEW, [unit("a", "0,0")], switches={"hand_limit": 2})
    t.do("move", "hex 0,0", "hex 1,0")
    assert asked(t) == (0, Decision.DISCARD)
    assert "pass" not in t.legal()
    t.do("type old2")
    assert (t.hand(0), t.player, t.turn) == (["old1", "old3"], 1, 2)
    assert wait(t).player == 0
