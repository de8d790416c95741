"""Benchmarks of a search's strength and gain: pairs of games, failing agents, and refused options."""

import re
import sys

import pytest

from benchmarks import search_gain, search_strength
from benchmarks.search_strength import Point, Timed
from benchmarks.strength_picture import PAGE, PICTURE, Row, draw, read_rows
from sackarmies_agents.scripted.sack_armies.weights import load_weights


def test_pairs_of_games_are_played_and_decisions_timed():
    point = Point("search:playouts=2,horizon=0", "random")
    point.play(0, seed=1)
    tally = point.tally
    assert tally.games == 2
    assert point.clock.decisions > 20
    assert point.milliseconds > 0
    assert set(point.clock.playouts) == {2}  # forced decisions and those that it does not search are left out
    assert 0 < len(point.clock.playouts) < point.clock.decisions
    assert point.used == 2
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


def test_picture_shows_the_rows_of_the_page():
    rows = [row for row in read_rows(PAGE.read_text(encoding="utf-8")) if row.opponent == "greedy"]
    picture = PICTURE.read_text(encoding="utf-8")
    described = re.search(r"<dc:description>(.*)</dc:description>", picture)
    assert described is not None
    assert described[1].split("; ") == [str(row) for row in rows]
    assert "search:level=strong" in [row.agent for row in rows]
    for row in rows:
        assert f">{row.agent.removeprefix('search:')}</text>" in picture


def test_rows_of_a_printed_table_are_drawn():
    text = (
        "compiling\n"
        "| agent | against | games | won | drawn | luck taken out | ms a decision | playouts used, median |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| search:playouts=2 | greedy | 4 | 25.0% (4.6% to 69.9%) | 0 | 20.0% (1.0% to 40.0%) | 1.5 | 2 |\n"
        "AMD EPYC\n"
    )
    [row] = read_rows(text)
    assert row == Row("search:playouts=2", "greedy", (25.0, 4.6, 69.9), 1.5)
    assert str(row).encode() in draw([row])
    with pytest.raises(ValueError, match="no table with the columns agent, against, won"):
        read_rows("| agent | won |\n| --- | --- |\n")


def test_weights_outside_the_mixture_are_what_the_page_says():
    tuned = load_weights("tuned").model_dump()
    others = load_weights(PAGE.parents[1] / "benchmarks/cautious.toml").model_dump()
    factors = {name: others[name] / value for name, value in tuned.items() if others[name] != value}
    halved, doubled = dict.fromkeys(("take", "take_more"), 0.5), dict.fromkeys(("danger", "guard"), 2.0)
    assert factors == pytest.approx(halved | doubled | {"draw": 1.5, "deploy": 1.3})


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
