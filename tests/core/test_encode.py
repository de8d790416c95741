"""Encoding of numbers and seats in observations."""

import numpy as np
import pytest

from sackarmies_env.core.encode import clamp, percent, relative_seat, relative_seat_or_nobody, write_digits
from sackarmies_env.core.observation import NOBODY, digits
from sackarmies_env.core.state import NO_PLAYER


@pytest.mark.parametrize(
    ("value", "shown"), [(-1000, -128), (-129, -128), (-128, -128), (0, 0), (127, 127), (128, 127), (9999, 127)]
)
def test_number_out_of_range_is_clamped(value, shown):
    assert clamp(np.int64(value)) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 8, 0), (1, 8, 12), (8, 8, 100), (9, 8, 100), (3, 0, 100), (0, 0, 0), (1, 101, 0), (1, 1, 100)],
)
def test_a_share_in_percent_is_rounded_down_and_at_most_100(part, whole, shown):
    assert percent(np.int64(part), np.int64(whole)) == shown


@pytest.mark.parametrize("code", [-1, 0, 1, 126, 127, 128, 255, 300])
def test_two_digits_stand_for_one_code_within_their_bounds(code):
    out = np.full(4, 99, np.int8)
    write_digits(out, 1, np.int64(code))
    assert out[[0, 3]].tolist() == [99, 99]
    low, high = out[1:3].tolist()
    assert low + 128 * high == code + 1
    for digit, feature in zip((low, high), digits("card", "Card", 300), strict=True):
        assert feature.low <= digit <= feature.high


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_seats_count_from_the_observer_in_the_order_of_play(num_players):
    for observer in range(num_players):
        in_order = [(observer + step) % num_players for step in range(num_players)]
        seats = [relative_seat(np.int64(observer), np.int64(player), num_players) for player in in_order]
        assert seats == list(range(num_players))
        for player in in_order:
            seat = relative_seat_or_nobody(np.int64(observer), np.int64(player), num_players)
            assert seat == in_order.index(player)
        assert relative_seat_or_nobody(np.int64(observer), np.int64(NO_PLAYER), num_players) == NOBODY
