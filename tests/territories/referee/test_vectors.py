"""The test vectors of the rules, on positions laid by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.territories.referee.attack import attacks
from tests.territories.referee.battle import resolve_skirmishes, totals
from tests.territories.referee.chance import Chance
from tests.territories.referee.game import Referee
from tests.territories.referee.rulebook import FULL
from tests.territories.referee.steps import exchange, reduce_cards, reinforce
from tests.territories.referee.table import ATTACKER, DEFENDER, SIDES, Asking, Battle, Card, Skirmish, Table, total

Forces = dict[int, dict[str, int]]  # territory -> units


def lay(*forces: Forces, dice: tuple[int, ...] = (), hands: dict[int, list[int]] | None = None) -> Table:
    """Lay a table: the territories of each player with their units; player 0 is active."""
    table = Table(len(forces), FULL, Chance(1, dice))
    for player, territories in enumerate(forces):
        for territory, units in territories.items():
            table.owner[territory] = player
            for unit, number in units.items():
                table.put(player, unit, number, table.units[territory])
    for player, kinds in (hands or {}).items():
        for kind in kinds:
            table.deck[kind] -= 1
            table.hand[player].append(Card(kind, 0))
    table.active = 0
    return table


def begin(table: Table, play: Asking[Any], *answers: str) -> Referee:
    """Begin a part of the game, answer its first questions, and return its referee."""
    referee = Referee.at(table, play)
    referee.answer(*answers)
    return referee


def answers(referee: Referee) -> set[str]:
    """Return the legal answers; empty if nothing is asked."""
    return referee.question.answers if referee.question else set()


def units_at(table: Table, territory: int) -> dict[str, int]:
    return {unit: number for unit, number in table.units[territory].items() if number}


def attack(own: dict[str, int], theirs: dict[str, int], dice: tuple[int, ...], *given: str) -> Referee:
    """Attack from territory 6 to 11, which has the same elevation; the first of `given` name the attackers."""
    table = lay({6: own, 3: {"troop": 1}}, {11: theirs, 20: {"troop": 1}}, dice=dice)
    return begin(table, attacks(table, 0), "territory 6", "territory 11", *given)


def damage(*skirmishes: Skirmish, source: int = 6, target: int = 11, own: int = 4, reserves: int = 1) -> Referee:
    """Resolve skirmishes, with `own` troops of the attacker and four of the defender on the board."""
    table = lay({source: {"troop": own}, 3: {"troop": 1}}, {target: {"troop": reserves + 4}})
    battle = table.battle = Battle(0, source, target, 1, skirmishes=list(skirmishes))
    for side, place, number in ((ATTACKER, source, own), (DEFENDER, target, 4)):
        table.units[place]["troop"] -= number
        battle.units[side]["troop"] = number
    return begin(table, resolve_skirmishes(table, battle))


def on_board(table: Table) -> list[int]:
    """Return how many units each side has on the battle board."""
    assert table.battle
    return [total(table.battle.units[side]) for side in SIDES]


def skirmish(attacker: int, defender: int, /, **counters: int) -> Skirmish:
    group = Skirmish({ATTACKER: [attacker], DEFENDER: [defender]})
    group.counters.update(counters)
    return group


def test_v1_units_of_a_lower_type_cover_the_value():
    one_rider = lay({6: {"rider": 1}}, {20: {"troop": 1}})
    assert answers(begin(one_rider, exchange(one_rider, 0), "rider")) == {"done", "territory 6"}  # only for a troop
    two_riders = lay({6: {"rider": 2}}, {20: {"troop": 1}})
    begin(two_riders, exchange(two_riders, 0), "rider", "engine", "territory 6")
    assert units_at(two_riders, 6) == {"engine": 1}
    five_troops = lay({6: {"troop": 5}}, {20: {"troop": 1}})
    begin(five_troops, exchange(five_troops, 0), "troop", "engine", "territory 6")
    assert units_at(five_troops, 6) == {"engine": 1}


def test_v2_what_the_garrison_cannot_supply_is_lost():
    table = lay({1: {"troop": 1}, 2: {"troop": 1}, 3: {"troop": 1}}, {20: {"troop": 1}}, dice=(5, 4, 2))
    table.garrison[0]["troop"] = 8
    referee = begin(table, reinforce(table, 0), "territory 2", "all")
    assert units_at(table, 2) == {"troop": 9}
    assert answers(referee) == set()


def test_v3_five_to_one_wins_at_once():
    won = attack({"troop": 10}, {"troop": 2}, (), "all", "troop", "all")
    assert won.table.victories == 1
    assert answers(won) == {"done", "troop"}  # moves in
    fought = attack({"troop": 9}, {"troop": 2}, (6, 6, 6, 6, 6, 6, 6, 6, 6, 5, 5), "all", "troop", "all")
    assert fought.table.victories == 0
    assert fought.table.battle


@pytest.mark.parametrize(("way", "left"), [("remove", {"rider": 1}), ("trade", {"troop": 2})])
def test_v4_ones_and_twos(way, left):
    named = ("rider", "troop", "all", "troop", "all")
    referee = attack({"troop": 3, "rider": 1}, {"troop": 3}, (1, 5, 2, 1, 3, 4, 4), *named, "troop", "troop")
    assert answers(referee) == {"remove", "trade"}
    referee.answer(way)
    battle = referee.table.battle
    assert battle
    assert {unit: number for unit, number in battle.units[ATTACKER].items() if number} == left
    assert battle.dice[ATTACKER] == [5, 2]


def test_v5_higher_ground_and_the_die_count_for_the_defender():
    referee = damage(skirmish(5, 4), skirmish(6, 6), source=1, target=6)
    table = referee.table
    assert table.battle
    assert totals(table, table.battle, table.battle.skirmishes[0]) == (5, 6)
    referee.answer("skirmish 0")
    assert on_board(table) == [2, 4]  # the other one is resolved silently


def test_v6_twice_the_total_costs_one_more():
    referee = damage(skirmish(6, 2))
    assert answers(referee) == {"from board", "from territory"}
    assert on_board(referee.table) == [4, 3]
    referee.answer("from territory")
    assert on_board(referee.table) == [4, 3]
    assert units_at(referee.table, 11) == {}
    without_reserves = damage(skirmish(6, 2), reserves=0)
    assert on_board(without_reserves.table) == [4, 2]


def test_v7_defender_wins_ties():
    assert on_board(damage(skirmish(4, 4, attacker=1)).table) == [3, 4]
    assert on_board(damage(skirmish(4, 4, attacker=2)).table) == [4, 3]


def test_v8_ten_more_end_the_battle():
    referee = damage(skirmish(4, 6, defender=7), skirmish(6, 3))
    referee.answer("skirmish 0")
    assert referee.table.is_barred
    assert on_board(referee.table) == [2, 4]
    assert answers(referee) == set()


def test_v9_five_dice_on_one_win_the_battle():
    dice = (6, 5, 4, 6, 6, 5, 5, 4, 3, 3)
    referee = attack({"troop": 3}, {"troop": 7}, dice, "all", "troop", "all", "die 6", "die 6", "die 5")
    referee.answer("skirmish 0", "skirmish 0", "skirmish 0")
    assert referee.table.battle
    referee.answer("skirmish 0")
    assert referee.table.is_barred
    assert units_at(referee.table, 11) == {"troop": 7}
    assert referee.table.garrison[0]["troop"] == 59
    assert answers(referee) == set()


def test_v10_extra_attacker_dice_cost_reserves():
    dice = (6, 5, 4, 3, 3, 6, 5, 4)
    referee = attack({"troop": 5}, {"troop": 5}, dice, "all", "troop", "quantity 3", "done", "die 6", "die 5", "die 4")
    assert units_at(referee.table, 11) == {}
    referee.answer("skirmish 0", "skirmish 2")
    assert referee.table.battle
    assert [each.dice[ATTACKER] for each in referee.table.battle.skirmishes] == [[6, 3], [5], [4, 3]]


def test_v11_defender_wins_with_as_many_units():
    dice = (6, 6, 3, 3, 6, 6, 3, 3)
    referee = attack({"troop": 4}, {"troop": 4}, dice, "all", "troop", "all", "die 3", "die 3")
    referee.answer("skirmish 0", "skirmish 1", "skirmish 2")
    assert (units_at(referee.table, 6), units_at(referee.table, 11)) == ({"troop": 2}, {"troop": 2})
    assert referee.table.is_barred
    assert answers(referee) == set()


@pytest.mark.parametrize("moved", range(7))
def test_v12_any_split_of_board_and_source(moved):
    referee = attack({"troop": 6}, {"troop": 3}, (), "quantity 4", "done", "done")
    if moved:
        referee = attack({"troop": 6}, {"troop": 3}, (), "quantity 4", "done", "done", "troop", f"quantity {moved}")
    table = referee.table
    assert (total(table.units[6]), total(table.units[11])) == (6 - moved, moved)
    assert table.owner[11] == (0 if moved else None)
    assert table.owner[6] == (0 if moved < 6 else None)


def test_v13_a_burden_costs_three_troops():
    forces = {place: {"troop": 2} for place in (1, 2, 3, 4)}
    table = lay(forces, {20: {"troop": 1}}, hands={0: [1, 1, 2, 7, 12]})
    referee = begin(table, reduce_cards(table, 0))
    assert answers(referee) == {"card 1", "card 2", "card 7", "card 12"}
    referee.answer("card 12", "territory 1", "territory 2", "territory 3")
    assert [total(table.units[place]) for place in (1, 2, 3, 4)] == [1, 1, 1, 2]
    assert answers(referee) == set()
