"""Weights of the greedy General: named sets, files, and refused input."""

import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.scripted.sack_armies.weights import FOLDER, Weights, load_weights, weight_sets
from sackarmies_env.games.sack_armies.game import make_game
from tests.core.toy_game import make_duel


@pytest.fixture(scope="module")
def info():
    return GameInfo.of(make_game(2))


def edited(tmp_path, old, new):
    text = (FOLDER / "first.toml").read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def board_weights(agent):
    return {name: float(agent.board[f"w_{name}"][0]) for name in Weights.model_fields}


def test_tuned_weights_are_the_default(info):
    tuned = load_weights("tuned").model_dump()
    assert board_weights(make_agent("greedy", info)) == tuned
    assert board_weights(GreedyAgent(info)) == tuned
    assert tuned != load_weights("first").model_dump()


def test_named_set_and_file_of_the_same_weights_are_equal(info):
    named = board_weights(make_agent("greedy:weights=first", info))
    assert named == board_weights(make_agent(f"greedy:weights={FOLDER / 'first.toml'}", info))
    assert named == board_weights(GreedyAgent(info, weights=load_weights("first")))


def test_every_named_set_can_be_read():
    assert {"first", "tuned"} <= set(weight_sets())
    assert all(isinstance(load_weights(name), Weights) for name in weight_sets())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("greedy:weights=frist", r"unknown weights 'frist' \(did you mean \"first\"\?\); the sets are"),
        ("greedy:weights=nowhere.toml", r"nowhere\.toml: there is no such file"),
        ("greedy:weight=first", r"has no option 'weight' \(did you mean \"weights\"\?\): greedy takes weights"),
    ],
)
def test_unknown_weights_are_refused(info, text, message):
    with pytest.raises(ValueError, match=message):
        make_agent(text, info)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("guard = 8.0\n", "", r"mine\.toml.*guard"),
        (
            "guard = 8.0\n",
            "guard = 8.0\nguards = 8.0\n",
            r"mine\.toml.*unknown key \"guards\" \(did you mean \"guard\"\?\)",
        ),
        ("guard = 8.0\n", 'guard = "much"\n', r"mine\.toml.*guard.*a number"),
        ("guard = 8.0\n", "guard = nan\n", r"mine\.toml: guard must be from -10000 to 10000, not nan"),
        ("decay = 0.75\n", "decay = 1.0\n", r"mine\.toml: decay must be from 0 to 0\.95, not 1"),
        ("guard = 8.0\n", "guard =\n", r"mine\.toml: not valid TOML"),
    ],
)
def test_faulty_file_is_refused_in_one_sentence(info, tmp_path, old, new, message):
    path = edited(tmp_path, old, new)
    with pytest.raises(ValueError, match=message) as refusal:
        make_agent(f"greedy:weights={path}", info)
    assert "\n" not in str(refusal.value)


def test_greedy_agent_of_a_game_without_weights_says_so(monkeypatch):
    monkeypatch.setattr("sackarmies_agents.factory.find_hook", lambda game_id, name: lambda info: None)
    with pytest.raises(ValueError, match="the greedy agent of the game 'duel' has no weights to choose"):
        make_agent("greedy:weights=first", GameInfo.of(make_duel()))
