"""Samples after draws, deployments and dismissals: just what is possible by the whole course of the game."""

from __future__ import annotations

import pytest

from sackarmies_env.core.jit import INTERPRETED
from tests.sack_armies.builders.twin_worlds import plain
from tests.sack_armies.properties.histories import Course
from tests.samples import many

TURNS = 12
GUESSES = 40  # for each possible world


class Tally:
    """Counts of the positions checked.

    Attributes:
        positions: all of them.
        after_returns: those in which something has gone from play to the sack.
        too_many: those in which a sample is impossible, since it explains two tokens by the same draw.
    """

    def __init__(self) -> None:
        self.positions = self.after_returns = self.too_many = 0

    def look(self, course: Course) -> None:
        """Compare samples for General 0 with all that they may believe."""
        assert course.read(plain(course.states)) in course.worlds
        guessed = course.guesses(GUESSES * len(course.worlds) + 100)
        assert guessed >= course.worlds, "a possible world was never sampled"
        self.positions += 1
        self.after_returns += course.returns > 0
        if guessed != course.worlds:
            assert course.returns > 1, "an impossible world was sampled"
            self.too_many += 1


def follow(numbers: range) -> Tally:
    """Play games by their numbers, and check them after each turn."""
    tally = Tally()
    for number in numbers:
        course = Course(number)
        while course.num_turns < TURNS and course.turn():
            tally.look(course)
    print(f"{tally.positions} positions, {tally.after_returns} after a return, {tally.too_many} with a guess too many")
    assert tally.too_many < 0.01 * tally.positions
    return tally


def test_guesses_hold_what_the_course_of_the_game_allows_and_nothing_else():
    tally = follow(range(2 if INTERPRETED else 20))
    assert tally.after_returns > 10


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="a million guesses are for compiled rules")
def test_guesses_hold_what_the_course_of_many_games_allows():
    tally = follow(range(20, 20 + many(50)))
    assert tally.after_returns > many(250)
