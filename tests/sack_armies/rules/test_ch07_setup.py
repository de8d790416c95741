"""Chapter 7, Setup and turns: picks, initiative, placement of battlefields, and turn order."""

import numpy as np
import pytest

from sackarmies_env.core import rng
from sackarmies_env.games.sack_armies.rules import setup as kernel
from sackarmies_env.games.sack_armies.state import chance
from sackarmies_env.games.sack_armies.state.constants import Decision, Event, Zone
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.fights import asked, events, flips_made, play
from tests.sack_armies.builders.ground import FIELDS, around, deploy_room, name, piles, place, room, setup, wait, within
from tests.sack_armies.builders.text_game import at, field, unit

G0_LINE = ["0,0", "-1,0", "-2,0", "-3,0", "-4,0"]
G1_LINE = ["2,0", "3,0", "4,0", "5,0", "6,0"]


def ring(cell, distance):
    """Return the hexes exactly `distance` away from `cell`, sorted."""
    return sorted(set(within(cell, distance)) - set(within(cell, distance - 1)))


def lines(*rows):
    """Return the placements of all Generals in order, taking one from each row in turn."""
    return [cell for turn in zip(*rows, strict=True) for cell in turn]


def picks(t, general):
    """Return the battlefields that a General has picked and not yet placed."""
    return t.zone(general, Zone.PICKED)


# --- picking


def test_r7_1_1__d_01_each_general_picks_five_and_the_rest_stays_in_the_sack():
    sack = ["plain"] * 3 + ["moor"] * 2 + ["woods"] * 2 + ["a", "a"]
    t = setup("H T", [sack, sack])
    assert asked(t) == (0, Decision.SETUP_PICK)
    assert t.legal() == ["type plain", "type woods", "type moor"]
    t.do("type moor", "type plain", "type moor")
    assert t.legal() == ["type plain", "type woods"]
    t.do("type plain", "type woods")
    assert picks(t, 0) == ["moor", "moor", "plain", "plain", "woods"]
    assert t.sack(0) == ["a", "a", "plain", "woods"]
    assert asked(t) == (1, Decision.SETUP_PICK)
    t.do(*["type plain"] * 3, "type woods", "type woods")
    assert picks(t, 1) == ["plain", "plain", "plain", "woods", "woods"]
    assert asked(t) == (0, Decision.SETUP_TYPE)


def test_d_01_general_without_a_real_choice_is_not_asked():
    t = setup("T H", [[*FIELDS, "a"], [*FIELDS, "moor", "a"]])
    assert asked(t) == (1, Decision.SETUP_PICK)
    assert picks(t, 0) == FIELDS
    t = setup("T H", [[*FIELDS, "plain", "a"], [*FIELDS, "a"]], auto_forced="on")
    assert asked(t) == (0, Decision.SETUP_HEX)  # six copies of one type leave nothing to choose
    assert (picks(t, 0), t.sack(0)) == (FIELDS, ["a", "plain"])


def test_q_07_picks_come_before_initiative_and_opponents_see_nothing_of_them():
    sack = [*FIELDS, "moor", "a"]
    one, two = setup("H T", [sack, sack]), setup("H T", [sack, sack])
    one.do(*["type plain"] * 5)
    two.do("type moor", *["type plain"] * 4)
    assert flips_made(one) == []
    assert (events(one, *Event), one.legal()) == (events(two, *Event), two.legal())
    one.do(*["type plain"] * 5)
    assert flips_made(one) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("value", ["pick", "any_at_placement"])
def test_c_setup_pick__q_07_five_are_picked_beforehand_or_any_one_at_each_placement(value):
    sack = [*FIELDS, "moor", "moor", "a"]
    t = setup("H T", [sack, sack], setup_pick=value)
    if value == "pick":
        assert asked(t) == (0, Decision.SETUP_PICK)
        t.do(*["type plain"] * 10)
        assert t.legal() == ["type plain"]
        assert t.sack(0) == ["a", "moor", "moor"]
    else:
        assert asked(t) == (0, Decision.SETUP_TYPE)
        assert t.legal() == ["type plain", "type moor"]
        place(t, "0,0", token_id="moor")
        place(t, *lines(G0_LINE, G1_LINE)[1:])
        assert t.sack(0) == ["a", "moor", "plain"]
        assert (t.field("0,0").id, t.field("-1,0").id) == ("moor", "plain")
        assert asked(t) == (0, Decision.MENU)  # five each in either case


# --- initiative


@pytest.mark.parametrize(
    ("flips", "one"),
    [
        ("H T", 0),
        ("T H", 1),
        ("T T | H T", 0),  # no heads: the same Generals flip again
        ("H H | T H", 1),
        ("T T | H H | T T | T H", 1),
    ],
)
def test_r7_1_2__r7_1_3_tails_drop_out_unless_all_flip_tails(flips, one):
    t = setup(flips)
    assert (t.player, t.flips_left()) == (one, 0)


@pytest.mark.parametrize(
    ("flips", "one", "flippers"),
    [
        ("H T H T | T H", 2, [0, 1, 2, 3, 0, 2]),
        ("T T T H", 3, [0, 1, 2, 3]),
        ("T H H H | T T T | T H H | H T", 2, [0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3]),
    ],
)
def test_r7_1_2__r7_1_3_with_four_generals_those_who_drop_out_stay_out(flips, one, flippers):
    t = setup(flips, generals=4, grid_radius=5)
    assert (t.player, t.flips_left()) == (one, 0)
    assert [player for player, _ in flips_made(t)] == flippers


@pytest.mark.parametrize("method", ["coin", "die", "deck", "deck_jokers"])
def test_r7_1_4_other_even_chances_may_replace_the_coins(method):
    ones = set()
    for count in range(0, 8000, 1000):
        t = setup("", flip_method=method)
        t.state["flip_count"] = count  # elsewhere in the flip stream
        ones.add(int(kernel.find_general_one(t.params[0], t.states[0])))
    assert ones == {0, 1}


def next_flips(method, number):
    """Return a table and the results of its first `number` flips."""
    t = play([], [unit("spare", "0,0")], switches={"flip_method": method})
    return t, [int(chance.flip(t.params[0], t.states[0], np.int64(0))) for _ in range(number)]


def test_r7_1_5_an_even_number_on_the_die_is_a_success():
    t, results = next_flips("die", 60)
    t.state["flip_count"] = 0
    sides = [int(rng.below(rng.next_flip_word(t.states[0]), 6)) + 1 for _ in range(60)]
    assert set(sides) == {1, 2, 3, 4, 5, 6}
    assert results == [int(side in (2, 4, 6)) for side in sides]


def test_r7_1_6__r7_1_7_red_cards_succeed_until_the_deck_has_run_out():
    t, results = next_flips("deck", 104)
    assert (sum(results[:52]), sum(results[52:])) == (26, 26)
    t, results = next_flips("deck", 10)
    assert int(t.state["deck_red"]) == 26 - sum(results)
    assert int(t.state["deck_black"]) == 16 + sum(results)


def test_r7_1_8_a_joker_is_no_black_card():
    t, _ = next_flips("deck_jokers", 0)
    t.state["deck_red"], t.state["deck_black"], t.state["deck_jokers"] = 0, 0, 1
    chance.flip(t.params[0], t.states[0], np.int64(0))  # draws the joker, then a card from the reshuffled deck
    assert int(t.state["deck_red"]) + int(t.state["deck_black"]) == 51
    assert int(t.state["deck_jokers"]) == 2


def test_r7_1_8_a_joker_means_a_fresh_shuffle_and_is_no_result():
    t, _ = next_flips("deck_jokers", 0)
    shuffles = 0
    for _ in range(200):
        before = int(t.state["deck_red"]) + int(t.state["deck_black"])
        chance.flip(t.params[0], t.states[0], np.int64(0))
        after = int(t.state["deck_red"]) + int(t.state["deck_black"])
        assert after in (before - 1, 51)
        shuffles += after != before - 1
        assert int(t.state["deck_jokers"]) == 2  # a joker always goes back into the deck
    assert shuffles > 3


# --- placing


def test_r7_1_9__d_02_general_one_places_first_any_of_their_five():
    sack = ["plain", "plain", "moor", "woods", "swamp", "a"]
    t = setup("T H", [sack, sack])
    assert asked(t) == (1, Decision.SETUP_TYPE)
    assert t.legal() == ["type plain", "type woods", "type moor", "type swamp"]
    assert asked(t.do("type moor")) == (1, Decision.SETUP_HEX)
    t.do("hex 0,0")
    assert t.field("0,0").id == "moor"
    assert asked(t) == (0, Decision.SETUP_TYPE)


def test_q_05_general_ones_first_hex_is_the_center():
    assert room(setup("H T")) == ["0,0"]
    assert room(setup("T H")) == ["0,0"]


def test_r7_1_10_battlefields_lie_face_up_with_the_arrow_to_the_placer():
    t = place(setup("H T"), "0,0", "2,0")
    assert [(t.field(cell).owner, t.field(cell).controller) for cell in ("0,0", "2,0")] == [(0, 0), (1, 1)]
    rows = np.flatnonzero(t.state["token_zone"] == Zone.BATTLEGROUND)
    assert t.state["token_face"][rows].tolist() == [1, 1]


@pytest.mark.parametrize("flips", ["H T T T", "T T H T", "T T T H"])
def test_r7_1_11__q_01_placement_goes_round_counter_clockwise_from_general_one(flips):
    t = setup(flips, generals=4, grid_radius=6)
    one = t.player
    order = []
    for cell in ("0,0", "2,0", "0,2", "2,2"):
        order.append(t.player)
        place(t, cell)
    assert order == [(one + step) % 4 for step in range(4)]
    assert t.player == one


def test_r7_1_12__q_04_first_battlefield_is_exactly_one_open_hex_from_another():
    t = place(setup("H T"), "0,0")
    assert room(t) == ring("0,0", 2)
    t = place(setup("H T T", generals=3), "0,0", "2,0")
    both = set(ring("0,0", 2)) | set(ring("2,0", 2))
    assert room(t) == sorted(both - set(within("0,0", 1)) - set(within("2,0", 1)))  # two from one, no nearer to any


def test_r7_1_14_the_second_battlefield_touches_the_first_and_keeps_the_gap():
    t = place(setup("H T"), "0,0", "2,0")
    assert room(t) == sorted(set(around(["0,0"])) - set(around(["2,0"])))
    place(t, "-1,0")
    assert room(t) == sorted(set(around(["2,0"])) - set(around(["0,0", "-1,0"])))


def test_r7_1_15_later_battlefields_touch_any_own_one_however_far_from_the_enemy():
    t = place(setup("H T"), "0,0", "2,0", "-1,0", "3,0", "-2,0", "4,0")
    own, other = {"0,0", "-1,0", "-2,0"}, {"2,0", "3,0", "4,0"}
    assert room(t) == sorted(set(around(own)) - set(around(other)))
    assert "-3,0" in room(t)  # five hexes from the nearest opposing one


def test_r7_1_16_never_next_to_another_generals_battlefield():
    t = place(setup("H T T", generals=3, grid_radius=6), "0,0", "2,0", "0,2")
    for _ in range(12):
        others = [
            name(q, r)
            for q in range(-6, 7)
            for r in range(-6, 7)
            if abs(q + r) <= 6 and (found := t.field(name(q, r))) is not None and found.owner != t.player
        ]
        offered = room(t)
        assert not set(offered) & set(around(others))
        place(t, offered[0])
    assert t.decision == Decision.MENU


def test_r7_1_17_rounds_of_one_until_everybody_has_placed_five():
    t = setup("T H")
    players = []
    for cell in lines(G0_LINE, G1_LINE):
        players.append(t.player)
        place(t, cell)
    assert players == [1, 0] * 5
    assert (t.turn, *asked(t)) == (1, 1, Decision.MENU)
    assert [t.field(cell).owner for cell in G0_LINE] == [1] * 5


def test_r7_1_18_surplus_battlefields_are_drawn_and_deployed_under_the_same_rules():
    t = setup("H T", [[*FIELDS, "plain", "a"], [*FIELDS, "a"]])
    t.do(*["type plain"] * 5)
    place(t, *lines(G0_LINE, G1_LINE))
    t.do("draw", "done")
    wait(t)
    assert t.hand(0) == ["a", "plain"]
    expected = set(around(G0_LINE)) - set(around(G1_LINE))
    assert deploy_room(t, "plain") == sorted(expected)


def test_q_06__r2_0_4_setup_never_touches_the_edge_of_the_grid():
    t = place(setup("H T"), *lines(["0,0", "1,-1", "1,-2", "1,-3", "1,-4"], G1_LINE)[:-1])
    assert room(t) == sorted(set(around(G1_LINE[:4])) - set(around(["0,0", "1,-1", "1,-2", "1,-3", "1,-4"])))
    assert "6,0" in room(t)  # as far out as any General gets
    assert max(max(map(abs, (*at(cell), sum(at(cell))))) for cell in room(t)) < 9 - 1


def test_q_06_no_battlefield_without_all_its_neighbors_on_the_grid():
    fields = [field("0,0"), field("-1,0"), field("2,0", 1), field("3,0", 1), field("4,0", 1)]
    general = [piles(sack=["spare"]), piles(hand=["plain"], sack=["spare"])]
    small = play([], [], fields=fields, general=general, to_move=1, switches={"grid_radius": 5})
    assert "5,0" not in deploy_room(small, "plain")
    assert "4,-1" in deploy_room(small, "plain")
    large = play([], [], fields=fields, general=general, to_move=1, switches={"grid_radius": 6})
    assert "5,0" in deploy_room(large, "plain")


@pytest.mark.parametrize("generals", [2, 3, 4, 5, 6])
def test_c_grid_radius__q_06_five_and_two_for_each_general_unless_agreed(generals):
    t = setup("H" + " T" * (generals - 1), generals=generals)
    assert int(t.params["radius"][0]) == 5 + 2 * generals
    small = setup("H" + " T" * (generals - 1), generals=generals, grid_radius=8)
    assert int(small.params["num_cells"][0]) == 3 * 8 * 9 + 1
    assert int(small.params["num_actions"][0]) == 24 + int(small.params["num_types"][0]) + 8 + 217


def test_q_75_without_a_legal_hex_a_battlefield_goes_to_the_sack():
    t = setup("H T T T", generals=4, grid_radius=5)
    place(t, "0,0", "2,0", "4,-2", "4,0")  # General 3 sits in a corner of the grid
    place(t, "-1,0", "2,1", "4,-3")
    # each of the three hexes left beside 4,0 touches 2,0, 2,1 or 4,-2
    assert asked(t) == (0, Decision.SETUP_TYPE)
    assert (t.sack(3), len(picks(t, 3))) == (["a", "plain"], 3)
    assert events(t, Event.PLACE)[-1][0] == 2
    while t.decision == Decision.SETUP_TYPE:
        assert t.player != 3
        place(t, room(t)[0])
    assert (t.sack(3), picks(t, 3)) == (["a", *["plain"] * 4], [])
    assert (t.turn, *asked(t)) == (1, 0, Decision.MENU)


# --- turns


@pytest.mark.parametrize(("flips", "one"), [("H T T", 0), ("T H T", 1), ("T T H", 2)])
def test_r7_2_1__q_08_general_one_takes_the_first_turn_and_can_only_draw(flips, one):
    rows = [["0,0", "-1,0", "-2,0", "-3,0", "-4,0"], ["2,0", "3,0", "4,0", "5,0", "6,0"]]
    rows.append(["0,2", "-1,3", "-2,4", "-3,5", "-4,6"])
    t = place(setup(flips, generals=3, grid_radius=8), *lines(*rows))
    assert (t.turn, *asked(t)) == (1, one, Decision.MENU)
    assert t.legal() == ["draw"]
    assert [t.hand(g) for g in range(3)] == [[], [], []]
    assert not ((t.state["token_zone"] == Zone.BATTLEGROUND) & (t.state["token_type"] == t.type_ids.index("a"))).any()


def test_q_08_the_first_turn_may_also_be_a_concession_if_agreed():
    t = place(setup("H T", allow_concede="on"), *lines(G0_LINE, G1_LINE))
    assert t.legal() == ["draw", "concede"]


THREE = [field("0,0"), field("2,0", 1), field("0,2", 2)]


@pytest.mark.parametrize("to_move", [0, 1, 2])
def test_r7_2_2__r7_2_3_turns_go_round(to_move):
    t = play([], [], fields=THREE, generals=3, to_move=to_move)
    order = []
    for _ in range(7):
        order.append(t.player)
        wait(t)
    assert order == [(to_move + turn) % 3 for turn in range(7)]
    assert t.turn == 8


@pytest.mark.parametrize(("value", "order"), [("ccw", [0, 1, 2, 3, 0]), ("cw_turns", [0, 3, 2, 1, 0])])
def test_c_turn_direction__q_01_turns_go_counter_clockwise_or_clockwise(value, order):
    fields = [*THREE, field("2,2", 3)]
    t = play([], [], fields=fields, generals=4, switches={"turn_direction": value})
    seen = []
    for _ in range(5):
        seen.append(t.player)
        wait(t)
    assert seen == order


def test_c_turn_direction_placement_stays_counter_clockwise():
    t = setup("H T T", generals=3, turn_direction="cw_turns")
    order = []
    for cell in ("0,0", "2,0", "0,2"):
        order.append(t.player)
        place(t, cell)
    assert order == [0, 1, 2]


@pytest.mark.parametrize(("value", "order"), [("ccw", [0, 2, 3, 0]), ("cw_turns", [0, 3, 2, 0])])
def test_c_turn_direction_eliminated_generals_are_skipped(value, order):
    general = [piles(sack=["spare"])] * 4
    general[1] = piles(casualties=["spare"]) | {"alive": False}
    fields = [*THREE, field("2,2", 3)]
    t = play([], [], fields=fields, generals=4, general=general, switches={"turn_direction": value})
    seen = []
    for _ in range(4):
        seen.append(t.player)
        wait(t)
    assert seen == order


@pytest.mark.parametrize("count", [0, 1, 3, 4])
def test_c_initial_hand__q_08_how_many_tokens_are_drawn_before_the_first_turn(count):
    t = setup("H T", [[*FIELDS, "a", "a", "a"]] * 2, initial_hand=count)
    place(t, *lines(G0_LINE, G1_LINE))
    assert [t.hand(g) for g in range(2)] == [["a"] * min(count, 3)] * 2
    assert t.legal() == (["draw"] if count == 0 else ["draw", "deploy"] if count < 3 else ["deploy"])


# --- a General who leaves during Setup


def test_p_elim_general_one_may_be_eliminated_before_placing():
    t = setup("H T T", generals=3, grid_radius=8)
    entry.forfeit(t.params, t.states, np.array([0], np.int64))
    assert asked(t) == (1, Decision.SETUP_TYPE)
    assert room(t) == ["0,0"]  # theirs is now the first battlefield on the board
    rows = ["0,0", "-1,0", "-2,0", "-3,0", "-4,0"], ["2,0", "3,0", "4,0", "5,0", "6,0"]
    place(t, *lines(*rows))
    assert (t.turn, *asked(t)) == (1, 1, Decision.MENU)
    assert [t.field(rows[0][0]).owner, t.field(rows[1][0]).owner] == [1, 2]
