"""Benchmarks of a search's strength and gain: pairs of games, failing agents, and refused options."""

import re
import sys

import pytest

from benchmarks import search_gain, search_strength
from benchmarks.search_strength import Point, Timed


def test_pairs_of_games_are_played_and_decisions_timed():
    point = Point("search:playouts=2,horizon=0", "random")
    point.play(0, seed=1)
    tally = point.tally
    assert tally.games == 2
    assert point.clock.decisions > 20
    assert point.milliseconds > 0
    assert len(point.luck) == 2  # per game, a correction for each step with flips
    assert any(point.luck)
    assert re.fullmatch(r"-?\d+\.\d% \(-?\d+\.\d% to \d+\.\d%\)", point.adjusted)


def test_games_of_an_agent_that_fails_do_not_count():
    point = Point("random", "python:class=tests.agents.misbehaving:Raises")
    with pytest.raises(RuntimeError, match=r"python:class=tests.agents.misbehaving:Raises failed: raised"):
        point.play(0, seed=1)
    assert point.played == []


def test_searching_opponent_is_not_timed(monkeypatch):
    timed = []

    class Noted(Timed):
        def __init__(self, agent, clock):
            timed.append(agent.settings.playouts)
            super().__init__(agent, clock)

    monkeypatch.setattr(search_strength, "Timed", Noted)
    Point("search:playouts=2,horizon=0", "search:playouts=3,horizon=0").play(0, seed=1)
    assert set(timed) == {2}


def test_agent_against_itself_is_refused():
    with pytest.raises(ValueError, match="'greedy' cannot be measured against itself"):
        Point("greedy", "greedy")


@pytest.mark.parametrize(
    ("module", "words", "sentence"),
    [
        (
            search_strength,
            ["--playouts", "2", "3", "--pairs", "1", "2", "3"],
            "--pairs: 3 numbers are given for 2 budgets (--playouts): give one for all, or one for each",
        ),
        (
            search_strength,
            ["--playouts", "2", "3", "--opponents", "greedy", "search:playouts=3"],
            "'search:playouts=3' cannot be measured against itself: seats would be indistinguishable",
        ),
        (
            search_gain,
            ["--contestants", "level=fast", "medium"],
            "argument --contestants: agent 'search:medium': 'medium' is not of the form key=value; give option=value, "
            "separated by commas, such as level=medium or playouts=160,horizon=8",
        ),
        (
            search_gain,
            ["--contestants", "level=fast,prior=traned"],
            "argument --contestants: option prior='traned': must be policy, trained or a checkpoint, *.safetensors",
        ),
    ],
)
def test_impossible_options_are_refused_before_the_first_game(monkeypatch, capsys, module, words, sentence):
    monkeypatch.setattr(sys, "argv", ["benchmark", *words])
    with pytest.raises(SystemExit, match="2"):
        module.main()
    output = capsys.readouterr()
    assert sentence in output.err
    assert output.out == ""
