"""The test vectors of the rules, played from the built-in scenarios."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.constants import ATTACKER, DEFENDER, FIRST_FACE, Event, Unit
from tests.territories.builders import Table

TROOP, RIDER, ENGINE = "troop", "rider", "engine"


def position(name: str, *texts: str, **forced: str) -> Table:
    """Start a built-in scenario and take some actions."""
    game = make_game(scenario=name)
    states = game.new_states(1)
    game.start(states, seed=1, forced=forced)
    return Table(game, states).play(*texts)


def totals(table: Table) -> list[int]:
    """Return the attacker's lead in each skirmish in the log, the first one first."""
    kinds, values = table.log_kind, table.log_value
    return [int(value) for kind, value in zip(kinds, values, strict=True) if kind == Event.SKIRMISH][::-1]


def end(table: Table) -> tuple[int, int]:
    """Return who won the latest battle and whether it barred further attacks (from the log: the turn may be over)."""
    place = table.log_kind.tolist().index(Event.VICTORY)
    return int(table.log_player[place]), int(table.log_value[place])


def faces(row: NDArray[np.int8]) -> list[int]:
    """Return the faces of dice from their counts by face."""
    return [face for face, count in enumerate(row.tolist(), FIRST_FACE) for _ in range(count)]


def on_board(table: Table) -> list[int]:
    return [sum(table.board(side).values()) for side in (ATTACKER, DEFENDER)]


@pytest.mark.parametrize(
    ("pair", "places"),
    [((RIDER, ENGINE), ["territory 6"]), ((TROOP, ENGINE), ["territory 2"])],
    ids=["riders", "troops"],
)
def test_v1_units_of_a_lower_type_cover_the_value(pair, places):
    table = position("v01_exchange", *pair)
    assert table.legal() == ["done", *places]
    table.play(places[0])
    assert table.units(int(places[0].split()[1])) == {ENGINE: 1}
    assert table.units(1) == {RIDER: 1}


def test_v2_what_the_garrison_cannot_supply_is_lost():
    table = position("v02_reinforcement", "reinforce", "territory 2")
    assert table.legal() == [*(f"quantity {count}" for count in range(1, 9)), "all"]
    table.play("quantity 8")
    assert (table.units(2), table.asked) == ({TROOP: 14}, "STANDARD")


def test_v3_ten_dice_against_two_win_at_once():
    table = position("v03_five_to_one", "all", "troop", "all")
    assert (table.asked, table.victories) == ("MOVE_UNIT", 1)
    assert table.owner(11) == -1


def test_v3_nine_dice_against_two_are_rolled():
    table = position("v03_five_to_one", "quantity 9", "done", "troop", "all")
    assert (table.victories, table.asked, table.loose_dice[ATTACKER].sum()) == (0, "EXTRA_DIE", 7)
    assert table.num_skirmishes == 2


@pytest.mark.parametrize(("way", "left"), [("remove", {RIDER: 1}), ("trade", {TROOP: 2})])
def test_v4_ones_and_twos(way, left):
    table = position("v04_ones_and_twos", "troop", "troop")
    assert (table.asked, table.legal()) == ("TWO", ["remove", "trade"])
    table.play(way)
    assert table.board(ATTACKER) == left
    assert (table.asked, faces(table.loose_dice[ATTACKER])) == ("PAIR", [2, 5])


def test_v5_higher_ground_and_the_die_count_for_the_defender():
    table = position("v05_higher_ground", "skirmish 0")
    assert totals(table)[0] == 5 - 6
    assert (table.units(1), table.units(2), end(table)) == (
        {TROOP: 3},
        {TROOP: 5},
        (1, 1),
    )  # the second one was lost, too


@pytest.mark.parametrize(("place", "left"), [("from board", 2), ("from territory", 3)])
def test_v6_twice_the_total_costs_one_more(place, left):
    table = position("v06_twice_the_total", "skirmish 0")
    assert (totals(table), table.asked, on_board(table)) == ([6 - 3], "EXTRA_LOSS", [4, 3])
    assert table.legal() == ["from board", "from territory"]
    table.play(place)
    assert totals(table) == [6 - 3, 5 - 5]
    if left == 3:  # three against three
        assert (table.units(2), table.units(6), end(table)) == ({TROOP: 4}, {TROOP: 3}, (1, 1))
    else:  # three against two
        assert (table.victories, table.asked) == (1, "MOVE_UNIT")


def test_v7_defender_wins_ties():
    table = position("v06_twice_the_total", "skirmish 1")
    assert totals(table)[0] == 5 - 5
    assert on_board(table) == [3, 3]  # a unit of the attacker, then the other skirmish


def test_v8_ten_more_end_the_battle():
    table = position("v08_rout", "skirmish 1")
    assert (totals(table), table.asked, table.current_player) == ([4 - 14], "ROUT", 1)
    table.play(RIDER, RIDER)
    assert (table.units(2), table.units(6), end(table)) == ({TROOP: 3}, {TROOP: 5}, (1, 1))
    assert totals(table) == [4 - 14]  # the other skirmish is not resolved


def test_v9_five_dice_on_one_win_the_battle():
    table = position("v09_stack", "die 6", "die 6", "die 5", *["skirmish 0"] * 3)
    assert on_board(table) == [3, 7]
    table.play("skirmish 0")
    assert (table.units(6), table.units(11), end(table)) == ({TROOP: 1}, {TROOP: 8}, (1, 1))
    assert table.garrison[0, Unit.TROOP] == 28


def test_v10_extra_attacker_dice_cost_reserves():
    table = position("v10_reserves", "die 6", "die 5", "die 4")
    assert (table.asked, table.units(11), on_board(table)) == ("EXTRA_DIE", {}, [5, 3])
    table.play("skirmish 0", "skirmish 2")
    assert [faces(row) for row in table.skirmish_dice[:3, ATTACKER]] == [[3, 6], [5], [3, 4]]


def test_v11_defender_wins_with_as_many_units():
    table = position("v11_equal_units", "die 3", "die 3", "skirmish 0", "skirmish 1", "skirmish 2")
    assert totals(table) == [6 - 4, 6 - 4, 3 - 7, 3 - 7]
    assert (table.units(6), table.units(11), end(table)) == ({TROOP: 3}, {TROOP: 3}, (1, 1))


@pytest.mark.parametrize("moved", range(7))
def test_v12_any_split_of_board_and_source(moved):
    table = position("v12_occupation", *(["troop", f"quantity {moved}"] if moved else []))
    if moved < 6:
        table.play("done")
    assert table.units(6) == ({TROOP: 6 - moved} if moved < 6 else {})
    assert (table.owner(6), table.owner(11)) == (0 if moved < 6 else -1, 0 if moved else -1)


def test_v13_a_burden_costs_three_troops():
    table = position("v13_burden")
    assert table.legal() == ["card 1", "card 2", "card 7", "card 12"]
    table.play("card 12", "territory 1", "territory 2", "territory 3")
    assert [table.units(place)[TROOP] for place in (1, 2, 3, 6)] == [1, 1, 1, 2]
    assert (table.cards(0), table.active) == ([1, 1, 2, 7], 1)


def test_one_more_territory_wins_by_domination():
    forced = {"dice": "6 6 6 6 6 6 6 | 3 3"}
    table = position("c3_domination", "territory 12", "troop", "quantity 6", "rider", **forced)
    table.play("troop", "all")
    while table.asked != "MOVE_UNIT":
        table.play(table.legal()[-1])
    table.play("troop", "quantity 1", "done")
    assert (table.owner(13), table.asked) == (0, "ATTACK_SOURCE")
    table.play("done", "done")
    assert (table.terminated, table.winner) == (1, 0)


def test_big_battle_waits_for_the_answer():
    table = position("c2_big_battle")
    assert (table.asked, table.current_player, table.attacks) == ("DEFENSE_UNIT", 1, 1)
    assert table.board_counters[ATTACKER].tolist() == [3, 2, 1]


def test_two_territories_are_left_to_each():
    table = position("c1_two_territories")
    assert [(table.territory_owner == player).sum() for player in (0, 1)] == [2, 2]
    assert (table.asked, table.frame_data[0, 0]) == ("STANDARD", 2)
