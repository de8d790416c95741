"""Commands of the league, with real games between a program and scripted agents, in each of three games."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from examples.liars_dice import ENTRY
from sackarmies_env.core.entries import add_entry
from sackarmies_training.cli import app
from sackarmies_training.league import play
from sackarmies_training.locks import locked
from tests.second_game import kept_registries, registered
from tests.training.leagues import Simulation, lines_of

ROOT = Path(__file__).parents[3]
CONFIG = """
workers = 1
round = 3
zero = "dice"
[game]
{game}
[[anchor]]
name = "dice"
agent = "random"
[[anchor]]
name = "second"
agent = "random"
[limits]
time_limit = 30.0
"""
GAMES = {
    "liars_dice": 'id = "liars_dice"',
    "sack_armies": 'id = "sack_armies"\nswitches = { max_turns = 4 }',
    "territories": 'id = "territories"\nswitches = { max_rounds = 2 }',
}


@pytest.fixture(autouse=True)
def games(monkeypatch):
    monkeypatch.setattr("sackarmies_training.terminal.console.width", 250)
    with kept_registries():
        add_entry(ENTRY)
        yield


def invoke(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def bot_of(folder):
    folder.mkdir()
    shutil.copy(ROOT / "examples" / "line_bot.sh", folder)
    (folder / "submission.toml").write_text('agent = "line:command=sh line_bot.sh"')
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_league_is_made_played_and_shown(tmp_path, game):
    config, league = tmp_path / "league.toml", tmp_path / "league"
    config.write_text(CONFIG.format(game=GAMES[game]))
    text = invoke("league", "new", league, "--config", config)
    assert "has the anchors dice, second." in text
    submit = get_command(app).commands["league"].commands["submit"]
    needed = [param for param in submit.params if param.required]
    hint = text.partition("sackarmies league submit ")[2].split()
    assert hint[0] == str(league)
    assert [word for word in hint if word.startswith("--")] == [p.opts[0] for p in needed if p.opts[0].startswith("--")]
    assert len(hint) == len(needed) + sum(p.opts[0].startswith("--") for p in needed)
    words = ("--name", "shell", "--author", "Ann", "--games", 2)
    assert "shell@1 plays from the next round on." in invoke("league", "submit", league, bot_of(tmp_path / "b"), *words)
    text = invoke("league", "play", league, "--games", 6)
    assert "Round 1 is over: 3 of 3 planned units were played. 6 games were played." in text
    assert "Round 2 is over" in invoke("league", "play", league, "--games", 2)
    shown = invoke("league", "show", league)
    assert "Season 1, since" in shown
    assert "shell@1" in shown
    assert not (league / "work").exists()
    page = (league / "league.html").read_text()
    links = re.findall(r'href="(records/[^"]+)"', page)
    assert len(links) == 8
    assert all((league / link).is_file() for link in links)
    assert "<script" not in page


@pytest.mark.slow
def test_agent_that_breaks_down_forfeits_and_is_suspended(tmp_path):
    config, league, bot = tmp_path / "league.toml", tmp_path / "league", bot_of(tmp_path / "b")
    config.write_text(CONFIG.format(game=GAMES["liars_dice"]) + "[suspension]\nforfeits = 2\n")
    mark = tmp_path / "mark"
    (bot / "submission.toml").write_text(f'agent = "line:command=sh start.sh {mark}"')
    (bot / "start.sh").write_text('test -e "$1" && exit 3\nexec sh line_bot.sh\n')
    invoke("league", "new", league, "--config", config)
    invoke("league", "submit", league, bot, "--name", "shell", "--author", "Ann", "--games", 2)
    mark.touch()
    text = invoke("league", "play", league, "--games", 6)
    assert re.search(
        r"shell@1 is suspended: it lost \d of its latest \d games by forfeit, most recently ERROR: it cannot be made",
        text,
    )
    assert "suspended" in invoke("league", "show", league)


def test_folder_without_a_league_is_refused(tmp_path):
    for command in (("play",), ("show",), ("show", "--html"), ("suspend", "bold")):
        words = ("league", command[0], tmp_path / "none", *command[1:])
        assert "there is no league in" in invoke(*words, code=2)
    assert not (tmp_path / "none").exists()


def test_wrong_configuration_is_refused_with_a_sentence(tmp_path):
    config = tmp_path / "league.toml"
    for more, message in (
        ("[limits]\ntime_bank = 3.0\ntime_limt = 1.0", "unknown key"),
        ("[pairing]\npatience = 0", "must be at least 1"),
    ):
        text = CONFIG.format(game=GAMES["liars_dice"]).partition("[limits]")[0]
        config.write_text(text + more)
        assert message in invoke("league", "new", tmp_path / "league", "--config", config, code=2)
    config.write_text("players = 3\n" + CONFIG.format(game=GAMES["liars_dice"]))
    assert "cannot share the seats equally" in invoke("league", "new", tmp_path / "league", "--config", config, code=2)
    config.write_text(CONFIG.format(game=GAMES["liars_dice"]).replace('zero = "dice"', 'zero = "dise"'))
    assert "which is not an anchor" in invoke("league", "new", tmp_path / "league", "--config", config, code=2)


def test_minutes_and_games_end_a_league_whichever_is_spent_first(tmp_path, monkeypatch):
    """A unit takes half a minute here; the next call first plays what is missing of the open round."""
    with registered():
        league = Simulation(tmp_path / "league", monkeypatch, {"low": 0.0, "middle": 0.0}).folder
        passed = lambda: 30.0 * sum(text.count("\n") for text in lines_of(league))  # noqa: E731
        monkeypatch.setattr(play, "time", SimpleNamespace(monotonic=passed))
        text = invoke("league", "play", league, "--minutes", 3)
        assert "12 games were played." in text
        assert "Round 1 is over" not in text
        text = invoke("league", "play", league, "--minutes", 4, "--games", 4)
        assert " 4 games were played." in text
        assert "Round 1 is over: 10 of 10" in invoke("league", "play", league, "--minutes", 1, "--games", 400)
        for minutes in (0, -1, "nan"):
            said = invoke("league", "play", league, "--minutes", minutes, code=2)
            assert "is not allowed: give a number above 0" in said
        assert len(lines_of(league)) == 1


@pytest.mark.slow
def test_two_plays_at_once_are_refused(tmp_path):
    config, league = tmp_path / "league.toml", tmp_path / "league"
    config.write_text(CONFIG.format(game=GAMES["liars_dice"]))
    invoke("league", "new", league, "--config", config)
    with locked(league):
        assert "is in use by process" in invoke("league", "play", league, "--games", 2, code=2)
        assert "dice is suspended." in invoke("league", "suspend", league, "dice")  # while it is played
