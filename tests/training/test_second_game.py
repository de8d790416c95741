"""Training, watching, playing, recording and ranking of a second game: nothing is hard-wired to Sack Armies."""

import json
from collections import Counter
from importlib.metadata import EntryPoint

import pytest
import typer
from typer.testing import CliRunner

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env import load_game, make
from sackarmies_env.core import entries
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies.hooks import choices
from sackarmies_training import cli, identity, warmup
from sackarmies_training.cli import app
from sackarmies_training.config import TournamentConfig, TrainConfig, load_config
from sackarmies_training.identity import game_identity
from sackarmies_training.shaping import make_potential
from tests.second_game import GAME, LifePotential, registered

TRAIN = """
folder = "{folder}"
[game]
id = "duel"
num_players = 3
max_turns = 20
[network]
hidden = 16
[ppo]
decisions = 128
envs = 8
steps = 8
minibatch = 64
[selfplay]
scripted = {{ random = 1 }}
[checkpoints]
every = 64
[tournament]
agents = ["learner", "random"]
seeds = 2
workers = 1
"""
TOURNAMENT = """
folder = "{folder}"
[game]
id = "duel"
[tournament]
agents = ["random", "python:class=tests.training.test_second_game:Twin"]
seeds = 3
workers = 1
"""


@pytest.fixture(autouse=True)
def duel(monkeypatch):
    monkeypatch.setattr("sackarmies_training.terminal.console.width", 250)
    with registered():
        yield


def run(*words, answers=None):
    result = CliRunner().invoke(app, [str(word) for word in words], input=answers)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 2, result.output
    return " ".join(result.stderr.split())


class Twin(RandomAgent):
    def __init__(self, info):
        super().__init__()


# --- single games


def test_game_is_watched_recorded_and_retold(tmp_path):
    path = tmp_path / "game.json"
    text = run("watch", "random", "random", "random", "--game", GAME, "--viewer", 0, "--record", path)
    assert "Duel, seen by Player 0" in text
    assert "Observation of Player 0" in text
    assert "Player 0 (random), CARD: card " in text
    assert "Player 1 (random), CARD: card " not in text  # others see the result, not the choice
    record = json.loads(path.read_text())
    assert (record["game"], record["config"]["num_players"]) == (GAME, 3)
    assert "is intact" in run("replay", path, "--check")
    assert run("replay", path).splitlines()[1] == f"Player 0: {record['texts'][0]}"


def test_game_is_played_by_hand():
    text = run("play", "--game", GAME, answers="?\nquit\n")
    assert "Player 0 to decide: CARD" in text
    assert "Type the number of a choice" in text
    assert "General" not in text
    assert "You left the game." in text


def test_greedy_is_the_one_of_the_game():
    assert "there is no greedy agent for the game 'duel'" in refused("watch", "greedy", "random", "--game", GAME)
    with registered(greedy="tests.second_game:HighestCard"):
        assert "(greedy)" in run("watch", "--game", GAME)
        assert type(make_agent("greedy", GameInfo.of(load_game(GAME)))).__name__ == "HighestCard"


def test_wrong_game_options_are_refused_with_what_is_allowed():
    assert "unknown game 'dule' (did you mean \"duel\"?)" in refused("watch", "--game", "dule")
    for command in (("play", "random"), ("watch", "random", "random"), ("evaluate", "random", "random")):
        assert "--army a: Duel has no armies" in refused(*command, "--game", GAME, "--army", "a")
    with registered(players=(3, 4)):
        assert "a game needs 3 to 4 agents, not 2" in refused("watch", "--game", GAME)
        assert "a game needs 2 to 3 opponents, not 1" in refused("play", "random", "--game", GAME)
        assert "Duel is for 3 to 4 players, not 2" in refused("evaluate", "random", "random", "--game", GAME)
    assert "the game 'duel' has no built-in scenarios" in refused("scenario", "list", "--game", GAME)
    assert "the game 'duel' has no scenarios" in refused("scenario", "check", "x", "--game", GAME)


def test_options_of_a_game_may_have_other_names(tmp_path):
    path = tmp_path / "duel.toml"
    path.write_text(TOURNAMENT.format(folder=tmp_path).replace('id = "duel"', 'id = "duel"\nlimit = 7'))
    with registered(options="tests.second_game:table_of_one"):
        assert load_config(path, TournamentConfig).game.options == {"num_players": 2, "max_turns": 7}
    with pytest.raises(ValueError, match=r"game: unknown option 'limit' of duel: known are id, num_players, max_turns"):
        load_config(path, TournamentConfig)


# --- training and competition


def test_short_training_ends_with_a_tournament(tmp_path):
    path = tmp_path / "duel.toml"
    path.write_text(TRAIN.format(folder=tmp_path / "runs"))
    text = run("train", path)
    assert "learner" in text
    assert list((tmp_path / "runs").rglob("standings.json"))


def test_tournament_is_played(tmp_path):
    path = tmp_path / "duel.toml"
    path.write_text(TOURNAMENT.format(folder=tmp_path / "runs"))
    assert "records of all 6 games" in run("tournament", path)
    records = sorted((tmp_path / "runs" / "records").glob("*.json"))
    assert {json.loads(one.read_text())["game"] for one in records} == {GAME}


def test_tournament_does_not_resume_with_other_rules(tmp_path, monkeypatch):
    path = tmp_path / "duel.toml"
    path.write_text(TOURNAMENT.format(folder=tmp_path / "runs"))
    run("tournament", path)
    changed = tmp_path / "toy_game.py"
    changed.write_text("# the same game with other rules")
    monkeypatch.setattr(identity, "find_source", lambda module: changed)
    assert "game_source" in refused("tournament", path)
    assert game_identity(load_game("sack_armies")) == {}


def test_agents_are_evaluated_for_any_number_of_players():
    agent = "python:class=tests.training.test_second_game:Twin"
    text = run("evaluate", agent, "random", "--game", GAME, "--players", 3, "--games", 6, "--workers", 1)
    assert "equal agents would win 33%" in text


def test_potential_for_shaping_is_the_one_of_the_game(tmp_path):
    path = tmp_path / "duel.toml"
    path.write_text(TRAIN.format(folder=tmp_path) + "[shaping]\nlives = 0.5\n")
    with pytest.raises(ValueError, match="shaping: the game 'duel' has no potential: leave out 'lives'"):
        load_config(path, TrainConfig)
    with registered(potential="tests.second_game:LifePotential"):
        weights = load_config(path, TrainConfig).shaping
        potential = make_potential(load_game(GAME), weights)
    assert isinstance(potential, LifePotential)
    assert potential.lives == 0.5


# --- compiling in advance


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled in interpreted mode")
def test_warmup_plays_the_game_through_every_interface(monkeypatch):
    apis, decisions = [], Counter()

    def make_recorded(game_id, api, **options):
        apis.append(api)
        return make(game_id, api, **options)

    def choose_recorded(chance, mask):
        decisions[apis[-1]] += 1
        return choose(chance, mask)

    choose = warmup._choose
    monkeypatch.setattr(warmup, "make", make_recorded)
    monkeypatch.setattr(warmup, "_choose", choose_recorded)
    assert run("warmup", "--game", GAME).startswith("Duel, all games: ")
    assert decisions.keys() == {"aec", "gym", "vector"}
    assert run("warmup", "--game", GAME, "--players", 3).startswith("Duel, games of 3 players: ")


def test_warmup_of_a_game_without_hooks_does_all_but_searching(monkeypatch):
    done = []
    parts = ("_play_environments", "_play_batch", "_ask_everything", "_play_match", "_ask_network", "_search")
    for name in parts:
        part = getattr(warmup, name)
        monkeypatch.setattr(warmup, name, lambda *given, name=name, part=part: (part(*given), done.append(name)))
    warmup.warm_up(GAME, {"max_turns": 6})
    assert done == [*parts[:-1]]


def test_warmup_of_a_number_of_players_that_no_game_has_is_refused(monkeypatch):
    monkeypatch.setattr(warmup, "INTERPRETED", False)
    with registered(players=(2, 4)), pytest.raises(ValueError, match=r"no game supports 9 players: Duel is for 2 to 4"):
        list(warmup.warm_up_all(GAME, 9))


# --- commands of games


def say_duel(app):
    app.command("fence")(lambda: print("Duels are fought."))


def test_game_adds_commands_of_its_own(monkeypatch):
    monkeypatch.setattr(cli, "app", typer.Typer())
    with registered(commands="tests.training.test_second_game:say_duel"):
        cli.add_commands_of_games()
    assert CliRunner().invoke(cli.app, ["fence"]).output == "Duels are fought.\n"


def test_broken_installed_game_keeps_other_commands(monkeypatch, capsys):
    monkeypatch.setattr(cli, "app", typer.Typer())
    points = {"broken": EntryPoint("broken", "no_such_module:ENTRY", entries.ENTRY_POINTS)}
    monkeypatch.setattr(entries, "_installed", lambda: points)
    cli.add_commands_of_games()
    assert "the game broken cannot be loaded, its commands are missing: No module named" in capsys.readouterr().err
    assert "catalogue" in CliRunner().invoke(cli.app, ["--help"]).output


# --- shells


def test_shell_completes_what_the_chosen_game_has():
    from sackarmies_training.commands.options import completes_option

    class Context:
        def __init__(self, game):
            self.params = {"game": game}

    complete = completes_option("armies")
    assert complete(Context(None), "emp") == [one for one in choices["armies"]() if one.startswith("emp")]
    assert complete(Context(GAME), "") == []
