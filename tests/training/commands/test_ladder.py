"""The commands of the ladder from end to end, and ladders that are killed."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sackarmies_training.cli import app
from sackarmies_training.commands.ladder import DEFAULT_LADDER, print_rungs, print_solved, rung_order
from sackarmies_training.commands.output import STOPPED
from sackarmies_training.config import load_config
from sackarmies_training.ladder import contest
from sackarmies_training.ladder.config import LadderConfig
from sackarmies_training.ladder.contest import UNITS, Ladder
from sackarmies_training.ladder.regret import Regrets, Solved
from sackarmies_training.ladder.report import make_reports
from tests.second_game import registered
from tests.training.ladders import make_config, make_entry, results_of
from tests.training.test_killed import descendants, is_running, wait_until

EXACT = Path(__file__).parents[3] / "configs" / "ladder" / "exact"
DUEL = """
folder = "{folder}"
workers = 1
[game]
id = "duel"
max_turns = 20
[[rung]]
name = "random"
agent = "random"
[[rung]]
name = "high"
agent = "greedy"
[[pool]]
players = 2
units = 20
[[pool]]
players = 4
units = 5
"""
SMALL = """
folder = "{folder}"
armies = ["empire", "scourge"]
[[rung]]
name = "random"
agent = "random"
[[rung]]
name = "greedy"
agent = "greedy"
[[rung]]
name = "twin"
agent = "random"
[[pool]]
players = 2
units = 20
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setattr("sackarmies_training.terminal.console.width", 250)
    path = tmp_path / "ladder.toml"
    path.write_text(DUEL.format(folder=tmp_path / "ladder"))
    with registered(greedy="tests.second_game:HighestCard", responders="tests.training.test_ladder_exploit:hook"):
        yield path


def invoke(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.mark.slow
def test_ladder_is_played_reported_and_not_played_again(config, tmp_path):
    text = invoke("ladder", "--config", config)
    assert "2 players rung Elo points games ms, median ms, 99% draws decisions/s" in text
    assert "20 units, 40 games." in text
    assert "With 4 players, a rating says who is strong against this pool, and no more." in text
    made = {path.name for path in (tmp_path / "ladder").iterdir() if not path.name.startswith(".")}
    assert made == {"ladder.json", UNITS, "results.json", "results.csv", "ladder.md", "ladder.png", "ladder.html"}
    before = (tmp_path / "ladder" / UNITS).read_bytes()
    assert f"All 50 games in {tmp_path}/ladder have been played." in invoke("ladder", "--config", config)
    assert (tmp_path / "ladder" / UNITS).read_bytes() == before


def test_time_of_a_rung_is_blank_where_none_was_measured(config, tmp_path, capsys):
    settings = make_config(tmp_path, pools=((2, 2),))
    entries = [make_entry(("high", "random"), number, ("high", "random" if number else None)) for number in range(2)]
    print_rungs(make_reports(settings, entries)[0])
    row = next(line for line in capsys.readouterr().out.splitlines() if " high " in line)
    assert re.search(r"\(\d.*%\) +4 +25\.0%$", row.rstrip())  # points and games, then draws


def test_newcomer_is_placed_with_and_without_a_ladder(config):
    options = ("--elo0", -100, "--elo1", 100, "--max-games", 40)
    assert "in the order of the configuration, since they have not all played: random, high." in invoke(
        "ladder", "--config", config, "--add", "random", *options
    )
    invoke("ladder", "--config", config)
    text = invoke("ladder", "--config", config, "--add", "random", *options)
    assert "by their ratings over 40 games" in text
    assert "Place of random: " in text or "Undecided: 40 games, the budget of a test" in text
    assert "games in" in text


def test_newcomer_is_not_placed_by_rungs_without_games_of_two_players(config, tmp_path):
    rungs = {"random": "random", "four only": "random", "high": "greedy"}
    pools = [{"players": 2, "units": 2, "rungs": ["random", "high"]}, {"players": 4, "units": 2}]
    settings = make_config(tmp_path, rungs, pool=pools)
    order, origin = rung_order(settings, tmp_path)
    assert order == ["random", "high"]
    assert origin == "in the order of the configuration, since they have not all played"
    (tmp_path / UNITS).write_text("{}\n")  # by unknown code
    order, origin = rung_order(settings, tmp_path)
    assert order == ["random", "high"]
    assert origin.startswith("in the order of the configuration, since results cannot be used (")


def test_newcomer_is_placed_by_results_that_a_kill_left_with_half_a_line(config, tmp_path):
    invoke("ladder", "--config", config)
    with (tmp_path / "ladder" / UNITS).open("a") as file:
        file.write('{"players":2,"line_up":["high"')
    text = invoke("ladder", "--config", config, "--add", "random", "--max-games", 4)
    assert "by their ratings over 40 games" in text


def test_results_of_other_code_do_not_order_the_rungs(config, tmp_path, change_code):
    invoke("ladder", "--config", config)
    change_code(tmp_path)
    text = invoke("ladder", "--config", config, "--add", "random", "--max-games", 4)
    origin = "in the order of the configuration, since results cannot be used ("
    assert f"{origin}{tmp_path}/ladder holds another ladder: its code is" in text
    assert ": random, high." in text


@pytest.mark.parametrize("option", ["--alpha", "--beta", "--elo0", "--elo1", "--max-games"])
def test_options_of_a_placing_are_refused_without_a_newcomer(config, option):
    sentence = f"{option} needs --add AGENT: only the tests that place a newcomer use it"
    assert sentence in invoke("ladder", "--config", config, option, 2, code=2)
    assert sentence in invoke("ladder", "--config", config, option, 2, "exploit", "random", code=2)


@pytest.mark.parametrize("option", ["--add", "--on"])
def test_options_that_a_subcommand_does_not_use_are_refused(config, option):
    text = invoke("ladder", "--config", config, option, {"--add": "random", "--on": "ray"}[option], "exact", code=2)
    assert f"{option} cannot be combined with exact, which does not use it" in text


def test_ladder_whose_rungs_are_not_asked_is_refused(config):
    agent, sentence = ("exact", "--agent", "random"), "--config and --agent cannot be combined: these agents replace"
    assert sentence in invoke("ladder", *agent, "--config", config, code=2)
    assert sentence in invoke("ladder", "--config", config, *agent, code=2)


def test_newcomer_is_placed_on_this_machine_alone(config):
    text = invoke("ladder", "--config", config, "--add", "random", "--on", "ray", code=2)
    assert "--on and --add AGENT cannot be combined: those games are played on this machine" in text


def test_impossible_options_are_a_sentence(config):
    assert "elo0 is 30 and elo1 is 20" in invoke("ladder", "--config", config, "--add", "random", "--elo0", 30, code=2)
    assert "unknown agent 'gredy'" in invoke("ladder", "--config", config, "--add", "gredy", code=2)
    assert "unknown responder 'x'" in invoke(
        "ladder", "exploit", "high", "--responder", "x", "--config", config, code=2
    )
    words = ("ladder", "exploit", "high", "--responder", "two", "--device", "cuda", "--config", config)
    told = "the responder 'two' trains no network, so it cannot use the device 'cuda'"
    assert told in invoke(*words, code=2)
    assert "nowhere.toml" in invoke("ladder", "--config", "nowhere.toml", code=2)


def test_best_response_is_measured(config):
    words = ("ladder", "exploit", "random", "--responder", "two", "--budget", 40, "--games", 20, "--config", config)
    text = invoke(*words)
    assert "the response (two: the better one of two agents; 40 games of training) took" in text
    assert "in 20 fresh games (10 units)" in text
    assert "of 60 games played" not in invoke(*words)  # the second time there is nothing to play


def test_bar_of_a_best_response_counts_the_games_that_are_played(config):
    words = ("--responder", "two", "--budget", 40, "--games", 19, "--config", config)
    assert "60 of 60 games played" in invoke("ladder", "exploit", "random", *words)


def test_interrupted_best_response_tells_which_games_are_left(config, tmp_path):
    words = ("ladder", "exploit", "random", "--responder", "two", "--budget", 50, "--games", 20, "--config", config)
    invoke(*words)  # the response trains with 40 games, less than its budget
    [units] = tmp_path.rglob("units-*.jsonl")
    lines = units.read_bytes().splitlines(keepends=True)
    units.write_bytes(b"".join(lines[:4]))
    text = invoke(*words)
    assert f"Resuming: 48 of 60 games in {units.parent} have been played." in text
    assert "12 of 12 games played" in text
    assert f"All 60 games in {units.parent} have been played." in invoke(*words)
    units.unlink()
    text = invoke(*words)
    assert f"Resuming: 40 of 70 games in {units.parent} have been played." in text


def test_ladder_may_be_named_before_the_command(config, tmp_path):
    words = ("exploit", "random", "--responder", "two", "--budget", 40, "--games", 20)
    assert str(tmp_path / "ladder") in invoke("ladder", "--config", config, *words)
    assert "nowhere.toml" in invoke("ladder", "--config", config, *words, "--config", "nowhere.toml", code=2)


def test_ladder_without_a_configuration_is_that_of_the_results(monkeypatch):
    root = Path(__file__).parents[3]
    assert load_config(root / DEFAULT_LADDER, LadderConfig).rung[-1].name == "search strong"
    monkeypatch.chdir(root)
    asked = []
    monkeypatch.setattr("sackarmies_training.commands.ladder.play_ladder", lambda settings, on: asked.append(settings))
    monkeypatch.setattr("sackarmies_training.commands.ladder.add_newcomer", lambda *given: asked.append(given[0]))
    invoke("ladder")
    invoke("ladder", "--add", "random")
    assert [settings.folder for settings in asked] == ["runs/ladder/search"] * 2


def test_ladder_says_how_much_is_to_be_played(config):
    told = invoke("ladder", "--config", config)
    assert "To play: 25 units, 50 games. Ctrl-C stops; the same command resumes." in told
    assert "hours" not in told
    assert "To play" not in invoke("ladder", "--config", config)


def test_ladder_with_searches_says_that_it_can_take_hours(tmp_path, monkeypatch):
    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(Ladder, "play", stop)
    path = tmp_path / "ladder.toml"
    path.write_text(SMALL.format(folder=tmp_path / "ladder").replace('"greedy"', '"search:level=fast"'))
    told = CliRunner().invoke(app, ["ladder", "--config", str(path)]).output
    assert "the same command resumes. Ladders with searches can take hours." in " ".join(told.split())


@pytest.mark.parametrize("words", [["ladder"], ["ladder", "exact"], ["ladder", "exploit", "greedy"]])
def test_commands_outside_the_repository_say_where_configurations_are(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "which comes with the repository and not with the package" in invoke(*words, code=2)
    assert list(tmp_path.iterdir()) == []


def test_agents_are_compared_with_exact_values():
    text = invoke("ladder", "exact", EXACT / "one_attack.toml", "--agent", "greedy")
    assert "Seat 0 decides and can expect +0.2500 (a win is +1, a loss -1): move +0.0000, melee +0.2500." in text
    assert "greedy melee 0.0000 0.0000 100.0% 0.000" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_names_of_agents_are_whole_in_tables_of_exact_values(width, monkeypatch, capsys):
    monkeypatch.setattr("sackarmies_training.terminal.console.width", width)
    names = ("greedy:weights=first", "greedy:temperature=0.5,weights=first", "random")
    regrets = tuple(Regrets(name, 7, [0.0, 0.25]) for name in names)
    print_solved(Solved("duel", 0, ("move", "melee"), (0.0, 0.25), 3, 2, regrets, (4, 7)))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    for number, name in enumerate(names, start=1):
        assert any(line.startswith(f"{number} {name}") for line in lines)
    rows = [line.split() for line in lines if line.endswith("0.250 ")]
    assert [row[-5:] for row in rows] == [["melee", "0.0000", "0.1250", "50.0%", "0.250"]] * 3


def test_agent_that_raises_is_a_sentence():
    thrower = "python:class=tests.training.test_ladder_contest:Thrower"
    text = invoke("ladder", "exact", EXACT / "one_attack.toml", "--agent", thrower, code=2)
    place = r"\(test_ladder_contest\.py, line \d+\)"
    assert re.fullmatch(rf"Error: an agent raised ArithmeticError: too many cards {place}", text)


def test_ctrl_c_keeps_every_finished_unit(config, tmp_path, monkeypatch):
    play_unit, played = contest.play_unit, []

    def stopped(job):
        if len(played) == 7:
            raise KeyboardInterrupt
        played.append(job)
        return play_unit(job)

    monkeypatch.setattr(contest, "play_unit", stopped)
    assert "Stopped." in invoke("ladder", "--config", config, code=STOPPED)
    assert len(results_of(tmp_path / "ladder" / UNITS)) == 7
    monkeypatch.undo()
    assert "Resuming: 14 of 50 games" in invoke("ladder", "--config", config)
    assert len(results_of(tmp_path / "ladder" / UNITS)) == 25


@pytest.mark.slow
def test_ladder_killed_again_and_again_loses_and_doubles_no_game(tmp_path):
    path = tmp_path / "ladder.toml"
    path.write_text(SMALL.format(folder=tmp_path / "ladder"))
    units = tmp_path / "ladder" / UNITS
    command = [sys.executable, "-c", "from sackarmies_training.cli import app; app()", "ladder", "--config", str(path)]
    chance, kept = random.Random(1), 0
    for _ in range(4):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ) as process:
            wait_until(lambda least=kept: units.exists() and units.read_bytes().count(b"\n") > least)
            time.sleep(chance.uniform(0, 0.3))
            family = descendants(process.pid)
            process.send_signal(signal.SIGKILL)
        wait_until(lambda pids=family: not any(is_running(pid) for pid in pids))
        assert units.read_bytes().count(b"\n") >= kept
        kept = units.read_bytes().count(b"\n")
    assert 4 <= kept < 60
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    settings = load_config(path, LadderConfig)
    whole = Ladder(settings.model_copy(update={"folder": str(tmp_path / "whole"), "workers": 1}), tmp_path / "whole")
    whole.play(whole.open(), lambda games: None)
    assert results_of(units) == results_of(tmp_path / "whole" / UNITS)
    assert len(results_of(units)) == 60
