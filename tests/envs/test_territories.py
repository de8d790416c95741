"""Territories through every adapter: conformance, options, padding, shaping, hooks."""

from __future__ import annotations

import functools
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

import sackarmies_env
from sackarmies_env import territories_v0
from sackarmies_env.core.entries import entry_of
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.options import PotentialShaping
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.games.territories.observation.shaping import MapPotential
from sackarmies_env.registry import game_options, load_players
from sackarmies_training.shaping import make_potential
from sackarmies_training.warmup import layouts_of

ENVIRONMENT = "sackarmies_env/Territories-v0"
SHORT = {"max_rounds": 2}
PLAYERS = (2, 3, 4)


def played(env, seed=1, steps=10_000):
    """Play at random for at most `steps` decisions."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter(steps):
        observation, _, terminated, truncated, _ = env.last()
        assert env.observation_space(agent).contains(observation)
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return env


# --- conformance


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_passes_the_tests_of_pettingzoo(num_players):
    make = functools.partial(territories_v0.env, num_players=num_players, switches=SHORT)
    api_test(make(), num_cycles=1000)
    seed_test(make, num_cycles=50)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_passes_the_render_test_of_pettingzoo():
    pytest.importorskip("PIL")
    render_test(territories_v0.env)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_game_is_played_to_its_end(num_players):
    env = played(territories_v0.env(num_players=num_players, switches=SHORT))
    assert not env.agents
    assert env.unwrapped.record().config["num_players"] == num_players


def test_passes_the_check_of_gymnasium():
    pytest.importorskip("PIL")
    env = gymnasium.make(ENVIRONMENT, illegal_action="penalize", render_mode="ansi", switches=SHORT)
    assert isinstance(env.unwrapped, SingleSeatEnv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_passes_the_check_of_stable_baselines():
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(territories_v0.single_seat_env(illegal_action="penalize", switches=SHORT), warn=True)


@pytest.mark.slow  # imports torch
def test_maskable_ppo_learns_from_it():
    contrib = pytest.importorskip("sb3_contrib", reason="the extra train is not installed")
    env = territories_v0.single_seat_env(map="small", mask_in_observation=False, seat=0)
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1)
    assert model.learn(64).num_timesteps == 64


def test_is_known_to_gymnasium_and_pettingzoo():
    made = gymnasium.make_vec(ENVIRONMENT, num_envs=3, seat=0, vectorization_mode="vector_entry_point")
    assert isinstance(made.unwrapped, BatchEnv)
    assert made.unwrapped.num_envs == 3
    if hasattr(pettingzoo, "make"):
        assert str(pettingzoo.make("aec", ENVIRONMENT)) == "territories_v0"
    assert sackarmies_env.env(game="territories").metadata["name"] == "territories_v0"


@pytest.mark.parametrize("options", [{"num_players": 3}, {"map": "small"}])
def test_vector_matches_sync_vector_env(options):
    options = {**options, "switches": SHORT, "num_envs": 3}
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    sync = gymnasium.make_vec(ENVIRONMENT, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options)
    env = gymnasium.make_vec(ENVIRONMENT, vectorization_mode="vector_entry_point", threads=2, **options)
    expected, _ = sync.reset(seed=3)
    observations, infos = env.reset(seed=3)
    rng, ends = np.random.default_rng(0), 0
    for _ in range(8 if INTERPRETED else 600):
        for name in ("observation", "action_mask"):
            assert np.array_equal(observations[name], expected[name])
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        observations, *mine, infos = env.step(actions)
        expected, *its, _ = sync.step(actions)
        assert [one.tolist() for one in mine] == [one.tolist() for one in its]
        ends += int((mine[1] | mine[2]).sum())
    assert INTERPRETED or ends > 0


# --- options


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"num_player": 3}, r"unexpected keyword argument 'num_player' \(did you mean \"num_players\"\?\)"),
        ({"num_players": 5}, "num_players must be an integer from 2 to 4 on the map 'full', not 5"),
        ({"num_players": 3, "map": "small"}, "num_players must be 2 on the map 'small', not 3"),
        ({"switches": {"max_round": 3}}, "max_round"),
        ({"pad_players": 5}, "pad_players must be an integer from 2 to 4 for this game, not 5"),
        ({"num_players": 3, "pad_players": 2}, "pad_players must be an integer from 3 to 4 for this game, not 2"),
    ],
)
def test_wrong_options_are_refused_in_words(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        territories_v0.env(**options)


def test_section_of_a_configuration_is_checked():
    section = {"id": "territories", "num_players": 3, "switches": {"domination": "off"}}
    assert game_options("territories", section) == {
        "num_players": 3,
        "switches": {"domination": False},
    }
    with pytest.raises(ValueError, match="num_players must be 2 on the map 'small', not 4"):
        game_options("territories", {"map": "small", "num_players": 4})
    for wrong in (
        {"players": 2},
        {"num_players": 1},
        {"map": "smal"},
        {"map": ""},
        {"scenario": ""},
        {"switches": {"attacks_per_turn": 0}},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            game_options("territories", wrong)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_game_is_made_for_each_number_of_players(num_players):
    assert load_players("territories", num_players).num_players == num_players


@pytest.mark.parametrize(("asked", "num_players"), [(None, 2), (3, 3)])
def test_warm_up_plays_one_short_game_of_two_players_by_default(asked, num_players):
    [[options]] = layouts_of(entry_of("territories"), asked).values()
    assert options == {"num_players": num_players, "switches": SHORT}


# --- padding


def test_games_of_two_to_four_players_on_both_maps_share_spaces():
    games = [{"num_players": players} for players in PLAYERS] + [{"map": "small"}]
    made = [territories_v0.single_seat_env(pad_players=4, **options) for options in games]
    assert len({str(env.observation_space) for env in made}) == 1
    assert {int(env.action_space.n) for env in made} == {160}
    assert made[0].observation_space == territories_v0.single_seat_env(num_players=4).observation_space


def test_padded_observation_is_the_plain_one_and_empty_rows():
    plain, padded = territories_v0.raw_env(), territories_v0.raw_env(pad_players=4)
    plain.reset(seed=1)
    padded.reset(seed=1)
    own, larger = (env.observe("player_0")["observation"] for env in (plain, padded))
    assert np.array_equal(larger[: len(own)], own)
    assert not larger[len(own) :].any()
    played(territories_v0.env(pad_players=4, switches=SHORT))


# --- shaping


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize("weights", [{"territories": 1.0}, {"units": 1.0}])
def test_potentials_of_all_seats_add_up_to_zero(num_players, weights):
    env = territories_v0.raw_env(num_players=num_players)
    potential = MapPotential(env.game.observation_spec, **weights)
    rng = np.random.default_rng(2)
    env.reset(seed=2)
    values = []
    for _ in range(150):
        seen = np.array([env.observe(agent)["observation"] for agent in env.possible_agents])
        values.append(potential(seen))
        assert values[-1].sum() == pytest.approx(0, abs=1e-4)
        env.step(int(rng.choice(env.legal_actions())))
    assert np.ptp(values) > 0


def test_units_on_the_battle_board_count_for_their_player():
    game = sackarmies_env.load_game("territories")
    potential = MapPotential(game.observation_spec, units=10.0)
    seen = np.zeros((1, game.observation_spec.size), np.int8)
    spec = game.observation_spec
    for name, row, feature, value in (
        ("territories", 0, "owner", 0),
        ("territories", 0, "rider", 2),
        ("territories", 1, "owner", 1),
        ("territories", 1, "troop", 5),
        ("globals", 0, "active", 1),
        ("globals", 0, "defender", 0),
        ("sides", 0, "hero", 1),
        ("sides", 1, "engine", 3),
    ):
        seen[0, spec.index(name, row, feature)] = value
    for territory in range(2, 20):
        seen[0, spec.index("territories", territory, "owner")] = -1
    assert potential(seen).tolist() == [2 * 3 + 3 * 5 - (5 + 8)]


def test_potential_of_another_game_is_refused():
    with pytest.raises(ValueError, match="players"):
        MapPotential(sackarmies_env.load_game("sack_armies").observation_spec)


def test_shaping_adds_the_change_of_the_potential_to_rewards():
    shaping = PotentialShaping(MapPotential(sackarmies_env.load_game("territories").observation_spec, territories=0.1))
    env = territories_v0.single_seat_env(seat=0, shaping=shaping)
    rng = np.random.default_rng(1)
    values, rewards = [shaping(env.reset(seed=1)[0]["observation"])], []
    for _ in range(200):
        seen, reward, is_over, is_cut, _ = env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
        assert not (is_over or is_cut)  # so the game itself pays nothing
        values.append(shaping(seen["observation"]))
        rewards.append(reward)
    np.testing.assert_allclose(rewards, np.diff(values))
    assert np.any(rewards)


def test_configurations_may_weigh_the_potential():
    game = sackarmies_env.load_game("territories")
    assert make_potential(game, {"territories": 0.5, "units": 0.1}) == MapPotential(game.observation_spec, 0.5, 0.1)
