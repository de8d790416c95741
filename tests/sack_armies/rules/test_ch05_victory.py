"""Chapter 5, winning: control of battlefields, elimination, and what the rulings add (P-ELIM, P-END)."""

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event, Victory
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.fights import able, asked, attack, events, hexes, modify, play, text
from tests.sack_armies.builders.ground import deploy_room, move, piles, returns, wait
from tests.sack_armies.builders.text_game import B1, attachment, field, token, unit

A = token("a")
SPARE = piles(sack=["spare"])
OWN = [field(h, 0) for h in B1[0]]
THREE = [field("0,0"), field("-1,0"), field("2,0", 1), field("3,0", 1), field("0,2", 2), field("-1,3", 2)]


def outcome(t):
    """Return whether the game is over, the winner and the type of the last elimination."""
    return t.terminated, t.winner, Victory(int(t.state["victory_type"])).name


def board(units, fields=None, flips="", generals=2, **keys):
    """Return a table with units "a" (1/1/1), "post" and "ogre"; each General has a spare unit in the sack."""
    tokens = [A, token("post", movement=0), token("ogre", damage=9, armor=9), *keys.pop("tokens", [])]
    return play(tokens, units, flips, fields=fields, generals=generals, **keys)


# --- control


def test_r5_0_1_a_battlefield_starts_under_the_control_of_its_placer():
    t = board([], general=[piles(hand=["plain"], sack=["spare"]), SPARE])
    cell = deploy_room(t, "plain")[0]
    t.do("deploy", "type plain", f"hex {cell}")
    assert (t.field(cell).owner, t.field(cell).controller) == (0, 0)


@pytest.mark.parametrize(("left", "over"), [(["2,0"], True), (["2,0", "4,0"], False)])
def test_r5_0_2__r5_0_4_opponent_without_own_battlefields_has_lost(left, over):
    t = move(board([unit("a", "1,0")], [*OWN, *(field(h, 1) for h in left)]), "1,0", "2,0")
    assert outcome(t) == ((True, 0, "STANDARD") if over else (False, -1, "NONE"))
    assert t.player == (-1 if over else 1)


def test_r5_0_3_control_of_other_generals_battlefields_does_not_prevent_elimination():
    fields = [*OWN[:-1], field("-2,1", 0, controller=1), field("2,0", 1)]
    t = move(board([unit("a", "1,0")], fields), "1,0", "2,0")
    assert outcome(t) == (True, 0, "STANDARD")


def test_r5_0_3__q_02_battlefields_placed_later_count_not_those_in_hand_or_sack():
    fields = [*OWN, field("2,0", 1)]
    later = board([unit("a", "1,0")], fields, to_move=1, general=[SPARE, piles(hand=["plain", "spare"])])
    later.do("deploy", "type plain", "hex 3,0", "done")
    assert not move(later, "1,0", "2,0").terminated
    held = board(
        [unit("a", "1,0")], [*OWN, field("2,0", 1)], general=[SPARE, piles(hand=["plain"], sack=["plain", "a"])]
    )
    assert outcome(move(held, "1,0", "2,0")) == (True, 0, "STANDARD")


def test_r5_0_5_with_more_generals_the_others_fight_on():
    fields = [field("0,0"), field("2,0", 1), field("0,2", 2)]
    t = move(board([unit("a", "1,0")], fields, generals=3), "1,0", "2,0")
    assert outcome(t) == (False, -1, "STANDARD")
    assert [t.alive(g) for g in range(3)] == [True, False, True]
    assert asked(t) == (2, Decision.MENU)
    assert asked(wait(t)) == (0, Decision.MENU)  # the eliminated General is skipped


def test_r5_0_6__p_elim_battlefields_stay_and_everything_else_is_discarded():
    charm = text("spell", "charm", "free", [modify("armor", 1)])
    curse = text("spell", "curse", "permanent", [modify("armor", -1)], target="enemy_unit", range=3)
    fields = [field("0,0"), field("2,0", 1), field("4,0", 1, controller=2), field("0,2", 2)]
    units = [
        unit("g", "1,0", 0, attached=[attachment("curse", "up", owner=1)], captives=[{"token": "a", "owner": 1}]),
        unit("g", "3,0", 1, attached=[attachment("charm")], captives=[{"token": "a", "owner": 2}]),
        unit("a", "0,0", 0, face="down"),
    ]
    general = [SPARE, piles(hand=["a"], sack=["a", "plain"]), SPARE]
    tokens = [token("g", band="green", armor=4), charm, curse]
    t = move(board(units, fields, generals=3, tokens=tokens, general=general), "1,0", "2,0")
    assert [t.alive(g) for g in range(3)] == [True, False, True]
    assert t.casualties(1) == ["a", "charm", "curse", "g"]  # their unit, what lay under it, on others, and captured
    assert (t.hand(1), t.sack(1)) == (["a"], ["a", "plain"])  # hand and sack are closed
    assert t.sack(2) == ["a", "spare"]  # the captive is back with its owner
    assert (t.field("2,0").owner, t.field("4,0").owner, t.field("4,0").controller) == (1, 1, 2)
    assert (t.unit("2,0").id, t.unit("2,0").attachments, t.unit("2,0").captives) == ("g", (), ())
    assert t.stat("2,0", "armor") == 4
    assert t.unit("3,0") is None


def test_r5_0_7__r5_0_8_standing_on_an_opposing_battlefield_turns_its_arrow():
    t = move(board([unit("a", "1,0"), unit("a", "-1,0")]), "1,0", "2,0", "-1,0", "0,0")
    assert (t.field("2,0").owner, t.field("2,0").controller) == (1, 0)
    assert t.field("3,0").controller == 1
    assert events(t, Event.CONTROL) == [(0, t.type_ids.index("plain"))]


def test_r5_0_9_the_first_general_regains_it_the_same_way():
    fields = [*OWN, field("2,0", 1, controller=0), field("3,0", 1)]
    t = move(board([unit("a", "4,0", 1), unit("a", "3,0", 1)], fields, to_move=1), "3,0", "2,0")
    assert t.field("2,0").controller == 1
    t = move(board([unit("a", "4,0", 1), unit("a", "3,0", 1)], fields, to_move=1), "4,0", "4,-1")
    assert t.field("2,0").controller == 0


def test_r5_0_10_not_every_battlefield_is_needed_to_win():
    fields = [*OWN[:-1], field("-2,1", 0, controller=1), field("2,0", 1), field("2,3", 2, controller=1)]
    general = [SPARE, SPARE, piles(casualties=["a"]) | {"alive": False}]
    t = move(board([unit("a", "1,0")], fields, generals=3, general=general), "1,0", "2,0")
    assert outcome(t) == (True, 0, "STANDARD")
    assert (t.field("-2,1").controller, t.field("2,3").controller) == (1, 1)


# --- units


def last_stand(flips="H T", general=None, **keys):
    """Return a table after General 0's ogre has attacked the only unit that General 1 has on the board."""
    general = [SPARE, piles()] if general is None else general
    t = board([unit("ogre", "0,0"), unit("a", "1,0", 1)], flips=flips, general=general, **keys)
    return attack(t, "melee", "0,0", "1,0", "no")


def test_r5_0_11__r5_0_12_general_without_units_is_eliminated_and_the_last_one_wins():
    t = last_stand()
    assert outcome(t) == (True, 0, "DECISIVE")
    assert (t.alive(0), t.alive(1)) == (True, False)
    assert returns(t) == [1.0, -1.0]
    assert outcome(last_stand("T")) == (False, -1, "NONE")


@pytest.mark.parametrize(
    ("rest", "over"),
    [
        (piles(sack=["a"]), False),
        (piles(hand=["a"]), False),
        (piles(casualties=["a"], removed=["a"]), True),
        (piles(sack=["plain", "charm"], hand=["charm"]), True),  # no units
    ],
)
def test_q_11__r5_0_11_units_in_sack_or_hand_keep_a_general_alive(rest, over):
    charm = text("spell", "charm", "free", [modify("armor", 1)])
    t = last_stand(general=[SPARE, rest], tokens=[charm])
    assert t.terminated == over
    assert t.casualties(1) == sorted(["a", *rest["casualties"]])


def test_q_11__q_76_captured_last_unit_keeps_a_general_in_until_no_action_is_left():
    units = [unit("jailer", "0,0"), unit("a", "1,0", 1)]
    tokens = [token("jailer", abilities=[able("capture")])]
    t = board(units, flips="H", tokens=tokens, general=[SPARE, piles(sack=["plain"])])
    t.do("capture", "hex 0,0", "hex 1,0").pass_all()
    assert t.unit("0,0").captives == ("a",)
    assert (t.terminated, t.alive(1)) == (False, True)
    assert t.legal() == ["draw"]
    t.do("draw")
    t.do("done")
    wait(t)
    assert not t.terminated  # they can still deploy the battlefield
    t = board(units, flips="H", tokens=tokens, general=[SPARE, piles()])
    t.do("capture", "hex 0,0", "hex 1,0").pass_all()
    assert outcome(t) == (True, 0, "DECISIVE")  # their turn began without a legal action


def test_q_13_when_the_last_units_die_together_it_is_a_draw():
    units = [unit("a", "0,0"), unit("a", "1,0", 1)]
    t = attack(board(units, flips="H T | H T", general=[piles(), piles()]), "melee", "0,0", "1,0", "yes")
    assert outcome(t) == (True, -1, "DRAW")
    assert (t.alive(0), t.alive(1)) == (False, False)
    assert returns(t) == [0.0, 0.0]


def test_q_13_those_eliminated_last_share_the_draw():
    units = [unit("a", "0,0"), unit("a", "1,0", 1)]
    general = [piles(), piles(), piles(casualties=["a"]) | {"alive": False}]
    t = board(units, THREE, "H T | H T", 3, general=general)
    attack(t, "melee", "0,0", "1,0", "yes")
    assert outcome(t) == (True, -1, "DRAW")
    assert returns(t) == [0.25, 0.25, -0.5]


def test_q_14_the_last_elimination_says_which_victory_it_is():
    assert outcome(move(board([unit("a", "1,0")], [*OWN, field("2,0", 1)]), "1,0", "2,0"))[2] == "STANDARD"
    assert outcome(last_stand())[2] == "DECISIVE"
    stuck = board([unit("post", "0,0"), unit("post", "3,0", 1)], general=[SPARE, piles()])
    assert outcome(wait(stuck))[2] == "DECISIVE"
    assert outcome(board([], switches={"allow_concede": "on"}).do("concede")) == (True, 1, "CONCESSION")
    # an earlier elimination of another kind does not matter
    fields = [field("0,0"), field("2,0", 1), field("0,2", 2)]
    t = board([unit("a", "1,0")], fields, generals=3, switches={"allow_concede": "on"})
    assert outcome(move(t, "1,0", "2,0")) == (False, -1, "STANDARD")
    assert outcome(t.do("concede")) == (True, 0, "CONCESSION")


def test_q_15_battlefields_of_an_eliminated_general_keep_arrows_and_neutral_zone():
    general = [piles(hand=["plain", "a"], sack=["spare"]), SPARE, piles(casualties=["a"]) | {"alive": False}]
    t = board([], THREE, generals=3, general=general)
    assert [t.field(cell).controller for cell in ("0,2", "-1,3")] == [2, 2]
    room = deploy_room(t, "plain")
    assert "0,1" not in room  # next to the eliminated General's 0,2, just as 1,0 is next to 2,0
    assert "1,0" not in room
    assert "0,-1" in room
    assert "0,2" not in deploy_room(t, "a")


def test_q_15_others_may_take_the_battlefields_of_an_eliminated_general():
    general = [SPARE, SPARE, piles(casualties=["a"]) | {"alive": False}]
    t = move(board([unit("a", "0,1")], THREE, generals=3, general=general), "0,1", "0,2")
    assert (t.field("0,2").owner, t.field("0,2").controller) == (2, 0)
    assert t.field("-1,3").controller == 2


def test_q_16_elimination_in_the_own_turn_ends_it_and_control_is_still_settled():
    units = [unit("a", "-1,0"), unit("ogre", "0,0", 1)]
    t = board(units, THREE, "T | H T", 3, general=[piles(), SPARE, SPARE])
    attack(t, "melee", "-1,0", "0,0", "yes")
    assert [t.alive(g) for g in range(3)] == [False, True, True]
    assert (t.field("0,0").controller, t.field("-1,0").controller) == (1, 0)
    assert (t.turn, *asked(t), t.active) == (2, 1, Decision.MENU, 1)
    assert returns(t) == [-0.5, 0.0, 0.0]


def test_q_15_eliminated_general_is_not_eliminated_again_at_the_end_of_later_turns():
    fields = [field("0,0"), field("2,0", 1), field("0,2", 2)]
    units = [unit("a", "0,2"), unit("a", "2,0", 1), unit("a", "0,3", 2)]
    t = board(units, fields, generals=3, general=[SPARE, SPARE, SPARE])
    for _ in range(2):
        wait(t)
        assert [t.alive(g) for g in range(3)] == [True, True, False]
        assert t.state["log_kind"].tolist().count(Event.ELIMINATE) == 1


def test_q_16_general_who_loses_all_battlefields_is_eliminated_at_the_turns_end():
    fields = [field("0,0"), field("2,0", 1), field("0,2", 2)]
    t = wait(board([unit("a", "0,0", 1)], fields, generals=3))  # the enemy unit is there already
    assert [t.alive(g) for g in range(3)] == [False, True, True]
    assert (t.turn, t.player) == (2, 1)


@pytest.mark.parametrize(
    "texts", [["move", "hex 0,0"], ["melee", "hex 0,0", "hex 1,0"], ["draw"], ["deploy", "type a"], ["reveal_unit"]]
)
def test_q_16_forfeit_in_the_middle_of_an_action_ends_the_turn(texts):
    units = [unit("a", "0,0"), unit("a", "-1,0", face="down"), unit("a", "1,0", 1)]
    general = [piles(hand=["a"], sack=["spare"]), SPARE, SPARE]
    t = board(units, THREE, generals=3, general=general).do(*texts)
    entry.forfeit(t.params, t.states, np.array([0], np.int64))
    assert [t.alive(g) for g in range(3)] == [False, True, True]
    assert (t.turn, *asked(t), t.active) == (2, 1, Decision.MENU, 1)
    assert [t.unit(cell) is None for cell in ("0,0", "-1,0", "1,0")] == [True, True, False]


@pytest.mark.parametrize(("doomed", "over"), [((1, 2), False), ((1, 2, 3), True)])
def test_q_79_several_are_eliminated_at_once_before_survivors_are_counted(doomed, over):
    fields = [field("0,0"), field("2,0", 1), field("0,2", 2), field("2,2", 3)]
    tokens = [token("hurler", damage=1, abilities=[able("range", range=2), able("scatter", damage=1)])]
    units = [unit("hurler", "0,0"), unit("a", "1,1", 1), unit("a", "0,2", 2), unit("a", "1,2", 3)]
    rest = [piles() if g in doomed else SPARE for g in range(4)]
    t = attack(board(units, fields, "H H", 4, tokens=tokens, general=rest), "ranged", "0,0", "1,1")
    assert [t.alive(g) for g in range(4)] == [g not in doomed for g in range(4)]
    assert outcome(t) == ((True, 0, "DECISIVE") if over else (False, -1, "DECISIVE"))
    third = pytest.approx(-1 / 3)
    assert returns(t) == [1.0 if over else 0.0, third, third, third if over else 0.0]
    if not over:
        assert asked(t) == (3, Decision.MENU)


# --- control at the end of any turn, however the unit got there


def test_q_09_an_advance_takes_control():
    units = [unit("ogre", "1,0"), unit("a", "2,0", 1)]
    t = attack(board(units, flips="H T"), "melee", "1,0", "2,0", "no").do("yes")
    assert t.field("2,0").controller == 0
    t = attack(board(units, flips="H T"), "melee", "1,0", "2,0", "no").do("no")
    assert t.field("2,0").controller == 1


def test_q_09_a_relocation_takes_control():
    leap = text("maneuver", "leap", "action", [{"kind": "relocate", "who": "host", "distance": 2}])
    units = [unit("g", "1,0", attached=[attachment("leap")])]
    t = board(units, tokens=[token("g", band="red"), leap])
    t.do("cast", "hex 1,0", "slot 0", "hex 3,0").pass_all()
    assert t.field("3,0").controller == 0
    assert t.field("2,0").controller == 1


def test_q_09_a_raised_unit_takes_control():
    tokens = [token("shaman", abilities=[able("raise")])]
    general = [piles(casualties=["a"]), SPARE]
    t = board(
        [unit("shaman", "1,0")], None, "H", tokens=tokens, general=general, switches={"raise_zone": "any_legal_hex"}
    )
    t.do("raise", "hex 1,0", "type a").pass_all().do("hex 2,0")
    assert (t.turn, t.field("2,0").controller) == (2, 0)


def test_q_10_control_changes_at_the_end_of_any_generals_turn():
    leap = text("maneuver", "leap", "action", [{"kind": "relocate", "who": "host", "distance": 2}])
    units = [unit("a", "0,0"), unit("g", "1,0", 1, attached=[attachment("leap")])]
    t = board(units, tokens=[token("g", band="red"), leap])
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex -1,0").pass_all()
    assert t.player == 1  # General 0's turn ended with General 1's unit on General 0's battlefield
    assert t.field("-1,0").controller == 1


# --- no legal action


def test_r8_0_3_general_without_a_legal_action_is_eliminated():
    units = [unit("post", "0,0"), unit("post", "3,0", 1)]
    t = wait(board(units, general=[SPARE, piles()]))
    assert outcome(t) == (True, 0, "DECISIVE")
    for rest in (piles(sack=["plain"]), piles(hand=["a"])):
        assert not wait(board(units, general=[SPARE, rest])).terminated
    assert not wait(board([unit("post", "0,0"), unit("a", "3,0", 1)], general=[SPARE, piles()])).terminated
    near = [unit("post", "0,0"), unit("post", "1,0", 1)]
    assert wait(board(near, general=[SPARE, piles()])).legal() == ["melee"]


def test_r8_0_3_after_an_elimination_among_three_the_others_play_on():
    units = [unit("post", "0,0"), unit("post", "3,0", 1)]
    t = wait(board(units, THREE, generals=3, general=[SPARE, piles(), SPARE]))
    assert [t.alive(g) for g in range(3)] == [True, False, True]
    assert (t.turn, *asked(t)) == (3, 2, Decision.MENU)
    assert t.casualties(1) == ["post"]


def test_q_17_reveals_are_offered_before_elimination():
    units = [unit("post", "0,0", face="down"), unit("post", "3,0", 1)]
    t = board(units, general=[piles(), SPARE])
    assert t.legal() == ["reveal_unit"]
    assert outcome(t.do("reveal_unit", "hex 0,0")) == (True, 1, "DECISIVE")


def test_q_17_a_reveal_may_create_an_action():
    eye = text("spell", "eye", "free", [{"kind": "grant", "ability": able("range", range=3)}])
    tokens = [token("seer", movement=0, band="blue"), eye]
    units = [unit("seer", "0,0", attached=[attachment("eye")]), unit("post", "3,0", 1)]
    t = board(units, tokens=tokens, general=[piles(), SPARE])
    assert t.legal() == ["reveal_token"]
    t.do("reveal_token", "hex 0,0", "slot 0")
    assert t.legal() == ["ranged"]


# --- procedures


def test_p_end_control_then_elimination_then_the_next_general():
    fields = [field("0,0"), field("2,0", 1), field("0,2", 2)]
    ward = text("spell", "ward", "action", [modify("armor", 2)])
    units = [unit("g", "0,0", attached=[attachment("ward")]), unit("a", "2,0", 0), unit("a", "3,0", 1)]
    t = board(units, fields, generals=3, tokens=[token("g", band="green"), ward])
    t.do("cast", "hex 0,0", "slot 0").pass_all()
    assert t.field("2,0").controller == 0  # 1: arrows turn
    assert not t.alive(1)  # 2: control test
    assert t.stat("0,0", "armor") == 1  # 3: effects lasting this turn end
    assert (t.turn, *asked(t)) == (2, 2, Decision.MENU)  # 4: the next General who is still in the game


def test_p_end_all_who_lost_control_are_eliminated_together():
    fields = [field("0,0"), field("2,0", 1), field("0,2", 2)]
    t = board([unit("a", "1,0"), unit("a", "0,1")], fields, generals=3)
    t.do("move", "hex 1,0", "hex 2,0", "hex 0,1", "hex 0,2")
    assert outcome(t) == (True, 0, "STANDARD")
    assert returns(t) == [1.0, -0.5, -0.5]


def test_p_end_generals_may_take_the_last_battlefields_of_each_other():
    fields = [field("0,0"), field("2,0", 1)]
    t = wait(board([unit("a", "2,0", 0), unit("a", "0,0", 1)], fields))
    assert outcome(t) == (True, -1, "DRAW")


def test_p_turn_nobody_is_employed_or_has_moved_when_a_turn_begins():
    units = [unit("a", "0,0"), unit("a", "1,-1"), unit("a", "-2,0"), unit("ogre", "1,0", 1)]
    t = board(units, flips="T").do("coord_melee", "hex 1,0", "hex 0,0", "hex 1,-1", "done")
    assert [t.unit(cell).employed for cell in ("0,0", "1,-1", "-2,0")] == [True, True, False]
    t.do("move", "hex -2,0", "hex -1,0")
    wait(t)
    assert [t.unit(cell).employed or t.unit(cell).moved for cell in ("0,0", "1,-1", "-1,0")] == [False] * 3
    assert hexes(t.do("move")) == ["-1,0", "0,0", "1,-1"]


def test_p_turn_free_reveals_return_to_the_menu():
    t = board([unit("a", "0,0", face="down"), unit("a", "3,0", 1)])
    t.do("reveal_unit", "hex 0,0")
    assert (t.turn, *asked(t)) == (1, 0, Decision.MENU)
    assert "reveal_unit" not in t.legal()


def test_p_elim_the_units_test_comes_at_once_and_ends_the_attack():
    t = last_stand()  # no advance is offered
    assert t.player == -1
    units = [unit("ogre", "0,0"), unit("a", "1,0", 1)]
    t = attack(board(units, THREE, "H T", 3, general=[SPARE, piles(), SPARE]), "melee", "0,0", "1,0", "no")
    assert [t.alive(g) for g in range(3)] == [True, False, True]
    assert asked(t) == (0, Decision.ADVANCE)  # the other two fight on


@pytest.mark.parametrize("value", ["on", "off"])
def test_c_allow_concede__q_71_conceding_is_elimination_on_the_own_turn(value):
    t = board([unit("a", "0,0"), unit("a", "3,0", 1)], THREE, generals=3, switches={"allow_concede": value})
    assert ("concede" in t.legal()) == (value == "on")
    if value == "on":
        t.do("concede")
        assert [t.alive(g) for g in range(3)] == [False, True, True]
        assert outcome(t) == (False, -1, "CONCESSION")
        assert (t.turn, *asked(t)) == (2, 1, Decision.MENU)
        assert (t.unit("0,0"), t.casualties(0)) == (None, ["a"])
        assert returns(t) == [-0.5, 0.0, 0.0]
        assert outcome(t.do("concede")) == (True, 2, "CONCESSION")
        assert returns(t) == [-0.5, -0.5, 1.0]


def test_q_71_no_concession_in_the_middle_of_an_action():
    t = board([unit("a", "0,0"), unit("a", "1,0", 1)], switches={"allow_concede": "on"})
    assert "concede" not in t.copy().do("move").legal()
    assert "concede" not in t.do("melee", "hex 0,0", "hex 1,0").legal()
