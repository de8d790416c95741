"""A second registered game works everywhere: nothing is tied to Sack Armies."""

from importlib.metadata import EntryPoint

import gymnasium
import numpy as np
import pettingzoo
import pytest

import sackarmies_env
from sackarmies_env.core import entries
from sackarmies_env.core.entries import GameEntry, entry_of, find_hook
from sackarmies_env.core.record import replay
from sackarmies_env.environments import environments_of
from sackarmies_env.registry import game_of
from sackarmies_env.render import ansi, narrate, rgb_array, svg
from tests.core.toy_game import make_duel
from tests.second_game import ENVIRONMENT, GAME, MAKE_GAME, registered


@pytest.fixture(autouse=True)
def duel():
    with registered():
        yield


def played(env, seed=3):
    """Return an environment after a random game."""
    env.reset(seed=seed)
    chance = np.random.default_rng(seed)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if terminated or truncated else int(chance.choice(legal)))
    return env


def position(num_players=2, seed=1):
    game = make_duel(num_players)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([seed], np.int64))
    return game, states


# --- environments


@pytest.mark.parametrize("make", [sackarmies_env.env, sackarmies_env.raw_env])
def test_pettingzoo_environment_is_made_by_id(make):
    env = played(make(game=GAME, num_players=3))
    assert env.metadata["name"] == "duel_v0"
    assert not env.agents


def test_functions_of_a_game_module_take_its_options():
    module = environments_of(GAME)
    assert played(module.env(num_players=4)).possible_agents == [f"player_{seat}" for seat in range(4)]
    assert played(module.raw_env()).game.id == GAME
    assert module.single_seat_env(seat=1).reset(seed=0)[0]["observation"].ndim == 1
    assert len(module.vector_env(num_envs=3).reset(seed=0)[0]["observation"]) == 3


def test_gymnasium_and_pettingzoo_know_the_game():
    single = gymnasium.make(ENVIRONMENT, max_turns=5)
    _, info = single.reset(seed=0)
    *_, info = single.step(int(info["action_mask"].argmax()))
    many = gymnasium.make_vec(ENVIRONMENT, num_envs=3, vectorization_mode="vector_entry_point", seat="all")
    observations, _ = many.reset(seed=0)
    assert len(many.step(observations["action_mask"].argmax(axis=1))[1]) == 3
    assert ENVIRONMENT in pettingzoo.aec_registry


def test_unknown_option_is_refused_with_those_of_the_game():
    with pytest.raises(
        ValueError,
        match=r"duel as 'aec' got an unexpected keyword argument 'max_turn' \(did you mean \"max_turns\"\?\)",
    ):
        sackarmies_env.env(game=GAME, max_turn=3)


def test_game_without_greedy_says_which_agents_it_has():
    with pytest.raises(
        ValueError, match=r"there is no greedy agent for the game 'duel': it has random, search, trained, ppo, python"
    ):
        sackarmies_env.environments_of(GAME).single_seat_env(opponent="greedy")


def test_game_without_scenarios_says_so():
    with pytest.raises(ValueError, match="the game 'duel' has no scenarios"):
        sackarmies_env.load_scenario("x", GAME)


# --- rendering without a picture


def test_game_without_a_picture_is_drawn_from_its_observation(capsys):
    env = sackarmies_env.env(game=GAME, render_mode="ansi", render_viewpoint=1)
    env.reset(seed=1)
    text = env.render()
    observation = env.observe("player_1")["observation"]
    spec = make_duel().observation_spec
    assert text.startswith("Duel, seen by Player 1\nAnother Player to decide\n")
    for name, value in zip(spec.names(), observation.tolist(), strict=True):
        assert f"{name.rpartition('.')[2]} {value}" in text
    env = sackarmies_env.env(game=GAME, render_mode="human", render_viewpoint=1)
    env.reset(seed=1)
    assert capsys.readouterr().out == f"{text}\n"


def test_pixels_and_vectors_show_the_same_text():
    game, states = position()
    pixels = rgb_array(game, states, 0)
    assert pixels.shape == (800, 1280, 3)
    assert pixels.dtype == np.uint8
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 10
    document = svg(game, states, 0)
    assert all(line.strip() in document for line in ansi(game, states, 0).splitlines())


def test_text_that_does_not_fit_is_wrapped_and_counted():
    game, states = position(6)
    assert max(map(len, ansi(game, states, None, width=50).splitlines())) <= 50
    assert "more lines" not in svg(game, states, 0)
    assert " more lines" in svg(game, states, None)


def test_plain_text_depends_on_nothing_hidden_from_the_viewer():
    game, states = position(3)
    same = differing = 0
    for seed in range(20):
        twin = states.copy()
        game.determinize(game.params, twin, np.zeros(1, np.int64), np.array([seed], np.int64))
        assert ansi(game, twin, 0) == ansi(game, states, 0)
        assert np.array_equal(rgb_array(game, twin, 0), rgb_array(game, states, 0))
        same += ansi(game, twin, None) == ansi(game, states, None)
        differing += ansi(game, twin, None) != ansi(game, states, None)
    assert differing > same


def test_what_another_player_is_asked_is_not_shown():
    game, states = position(3)
    assert "to decide: CARD" in ansi(game, states, 0)
    assert "to decide: CARD" in ansi(game, states, None)
    assert "CARD" not in ansi(game, states, 1)


def test_viewer_must_be_a_seat():
    game, states = position()
    with pytest.raises(ValueError, match="viewer 2 is not a seat: use 0 to 1"):
        ansi(game, states, 2)


# --- records


def test_record_is_replayed_and_told_by_its_actions():
    record = played(sackarmies_env.raw_env(game=GAME, max_turns=6)).record(["first", "second"])
    game = game_of(record)
    replay(game, record)
    lines = list(narrate(game, record))
    assert lines[0] == "Player 0: first; Player 1: second"
    assert [line.partition(": ")[2] for line in lines[1:]] == list(record.texts)


# --- entries


def test_hooks_of_a_game_are_found_by_name():
    with registered(greedy="tests.agents.misbehaving:Raises", player_noun="Duelist"):
        assert find_hook(GAME, "greedy").__name__ == "Raises"
        assert "seen by Duelist 0" in ansi(*position(), 0)
        assert find_hook(GAME, "picture") is None
    assert find_hook("no_such_game", "greedy") is None


@pytest.mark.parametrize("game_id", sackarmies_env.list_games())
def test_every_hook_of_a_registered_game_exists(game_id):
    entry = entry_of(game_id)
    assert all(entry.hook(name) is not None for name in entries.HOOKS if getattr(entry, name) is not None)


@pytest.mark.parametrize(
    ("arguments", "hooks", "sentence"),
    [
        ((GAME, "tests.core.toy_game"), {}, "make_game='tests.core.toy_game' of the game 'duel': hooks are written"),
        (("Duel", MAKE_GAME), {}, "game id 'Duel': it must be lowercase words"),
        (
            (GAME, MAKE_GAME),
            {"gredy": "a:b"},
            r"the entry of 'duel' got an unexpected keyword argument 'gredy' \(did you mean \"greedy\"\?\)",
        ),
    ],
)
def test_wrong_entry_is_refused(arguments, hooks, sentence):
    with pytest.raises(ValueError, match=sentence):
        sackarmies_env.register_game(*arguments, **hooks)


def test_hook_that_does_not_exist_is_told_when_it_is_used():
    with (
        registered(narrate="tests.core.toy_game:sing"),
        pytest.raises(
            ValueError, match=r"narrate='tests.core.toy_game:sing' of the game 'duel': .* no attribute 'sing'"
        ),
    ):
        find_hook(GAME, "narrate")


ENTRY = GameEntry("installed_duel", MAKE_GAME)


def test_games_of_installed_packages_are_found_and_imported_only_when_used(monkeypatch):
    points = {
        "installed_duel": EntryPoint("installed_duel", f"{__name__}:ENTRY", entries.ENTRY_POINTS),
        "broken": EntryPoint("broken", "no_such_module:ENTRY", entries.ENTRY_POINTS),
        "other": EntryPoint("other", f"{__name__}:ENTRY", entries.ENTRY_POINTS),
    }
    monkeypatch.setattr(entries, "_installed", lambda: points)
    assert sackarmies_env.list_games() == [*("broken", "duel", "installed_duel", "other", "sack_armies", "territories")]
    assert entry_of("installed_duel") is ENTRY
    assert sackarmies_env.load_game("installed_duel", num_players=3).num_players == 3
    with pytest.raises(ValueError, match=r"entry point 'other' .* is not a GameEntry with this id"):
        entry_of("other")
    with pytest.raises(ImportError, match="no_such_module"):
        entry_of("broken")
