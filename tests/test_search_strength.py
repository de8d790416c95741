"""The benchmark of a search's strength: pairs of games, and agents that fail."""

import pytest

from benchmarks.search_strength import Point


def test_pairs_of_games_are_played_and_decisions_timed():
    point = Point("search:playouts=2,horizon=0", "random")
    point.play(0, seed=1)
    tally = point.tally
    assert tally.games == 2
    assert point.clock.decisions > 20
    assert point.milliseconds > 0


def test_games_of_an_agent_that_fails_do_not_count():
    point = Point("random", "python:class=tests.agents.misbehaving:Raises")
    with pytest.raises(RuntimeError, match=r"python:class=tests.agents.misbehaving:Raises failed: raised"):
        point.play(0, seed=1)
    assert point.outcomes == []
