"""The referee alone: its random games end, and nothing is lost in them."""

from __future__ import annotations

import pytest

from tests.territories.referee.game import Referee
from tests.territories.referee.random_play import options_of, play_alone
from tests.territories.referee.rulebook import CARDS, MAPS, UNITS
from tests.territories.referee.table import SIDES, Table, total


def units_of(table: Table, player: int, unit: str) -> int:
    """Return how many units of a type a player has, wherever they are."""
    number = table.garrison[player][unit] + sum(table.units[at][unit] for at in table.territories(player))
    if battle := table.battle:
        number += sum(battle.units[side][unit] for side in SIDES if battle.owner(side) == player)
    return number


def check_table(table: Table) -> None:
    """Check what holds at every decision: no unit or card is missing, and eliminated players have nothing."""
    for player in table.players:
        for unit in UNITS:
            assert units_of(table, player, unit) == table.map.garrison[unit]
    held = [card.kind for hand in table.hand.values() for card in hand]
    played = [kind for side in SIDES for kind in table.battle.played[side]] if table.battle else []
    for kind, card in CARDS.items():
        assert table.deck[kind] + table.discards[kind] + held.count(kind) + played.count(kind) == card.copies
    for territory, owner in table.owner.items():
        if owner is None:
            assert not total(table.units[territory])
    for player in table.players:
        if not table.is_alive[player]:
            assert table.territories(player) == table.hand[player] == []


@pytest.mark.parametrize("seed", range(30))
def test_random_games_end_and_lose_nothing(seed):
    options = options_of(seed)
    referee = None
    for referee in play_alone(seed, options, forfeits=0.001 if seed % 3 == 0 else 0.0):
        check_table(referee.table)
        assert referee.question is None or referee.question.answers
    table = referee.table
    assert table.is_terminated != table.is_truncated
    assert sum(table.returns().values()) == pytest.approx(0)


@pytest.mark.parametrize("name", MAPS)
def test_maps_are_symmetric(name):
    borders = MAPS[name].borders
    assert all(at in borders[other] for at, others in borders.items() for other in others)


def test_the_full_map_looks_the_same_from_both_ends():
    borders, height = MAPS["full"].borders, MAPS["full"].elevation
    assert sum(len(others) for others in borders.values()) == 80
    for territory, others in borders.items():
        assert {21 - other for other in others} == set(borders[21 - territory])
        assert height[territory] == height[21 - territory]


def test_there_are_40_cards():
    assert sum(card.copies for card in CARDS.values()) == 40


def test_same_seed_and_actions_are_the_same_game():
    first, second = ([sorted(each.legal) for each in play_alone(7, options_of(7))] for _ in range(2))
    assert first == second


def test_set_up_deals_and_places():
    for num_players, dealt in ((2, 8), (3, 6), (4, 5)):
        referee = Referee(1, num_players)
        assert [len(referee.table.territories(player)) for player in range(num_players)] == [dealt] * num_players
        order = []
        while referee.table.active is None:
            order.append(referee.player)
            referee.act(min(referee.legal))
        first = referee.table.first_player
        assert order == [(first + place) % num_players for place in range(num_players)] * 4
        assert referee.table.active == first
        for player in range(num_players):
            assert sum(total(referee.table.units[at]) for at in referee.table.territories(player)) == 3 * dealt + 12
