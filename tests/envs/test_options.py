"""Options of all environments: unknown options, signatures, built-in values, masks, observations in words."""

from __future__ import annotations

import inspect
import pickle
import re

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test
from pettingzoo.utils.wrappers import BaseWrapper

import sackarmies_env
from sackarmies_env import UnknownOptionError, environments, sack_armies_v0, territories_v0
from sackarmies_env.core.entries import entry_of
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.options import Options
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.envs.wrapped import OrderEnforced
from sackarmies_env.registry import MADE_HERE
from tests.core.toy_game import make_duel
from tests.second_game import ENVIRONMENT as DUEL
from tests.second_game import registered

ENVIRONMENT = "sackarmies_env/SackArmies-v0"
MODULES = (sack_armies_v0, territories_v0)
CLASSES = {"env": RawEnv, "raw_env": RawEnv, "single_seat_env": SingleSeatEnv, "vector_env": BatchEnv}


# --- unknown options


@pytest.mark.parametrize(
    "make",
    [
        *(getattr(module, name) for module in MODULES for name in CLASSES),
        *(getattr(environments, name) for name in CLASSES),
        *(getattr(sackarmies_env.environments_of("sack_armies"), name) for name in CLASSES),
        lambda **options: sackarmies_env.make("sack_armies", **options),
        lambda **options: sackarmies_env.load_game("sack_armies", **options),
        lambda **options: gymnasium.make(ENVIRONMENT, **options),
        lambda **options: gymnasium.make_vec(ENVIRONMENT, **options),
        lambda **options: RawEnv(make_duel(), **options),
        lambda **options: SingleSeatEnv(make_duel(), **options),
        lambda **options: BatchEnv(make_duel(), **options),
    ],
)
def test_an_unknown_option_is_a_type_error_in_the_words_of_python_and_a_value_error(make):
    with pytest.raises(UnknownOptionError, match=r"unexpected keyword argument 'frameskip'.*known are ") as given:
        make(frameskip=4)
    assert isinstance(given.value, TypeError)
    assert isinstance(given.value, ValueError)
    assert str(pickle.loads(pickle.dumps(given.value))) == str(given.value)


@pytest.mark.slow  # imports torch and TorchRL
def test_torchrl_makes_the_environment_by_its_id():
    libs = pytest.importorskip("torchrl.envs.libs.gym", reason="the extra for libraries is not installed")
    env = libs.GymEnv(ENVIRONMENT, mask_in_observation=False)
    observation = env.reset()["observation"]
    assert observation.shape == env.observation_spec["observation"].shape == (5801,)


# --- signatures


def keywords(function):
    """Return the named parameters of a function with their defaults."""
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.kind is not one.VAR_KEYWORD}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.GAME)
@pytest.mark.parametrize("name", CLASSES)
def test_signatures_name_what_is_accepted_with_its_defaults(module, name):
    accepted = keywords(CLASSES[name]) | keywords(Options) | {"sampler": None}
    accepted = {option: default for option, default in accepted.items() if option not in MADE_HERE}
    accepted = {option: getattr(default, "value", default) for option, default in accepted.items()}
    generic = keywords(getattr(environments, name))
    assert generic == {**accepted, "game": "sack_armies"}
    make_game, padded = (entry_of(module.GAME).hook(hook) for hook in ("make_game", "padded"))
    sizes = {size: default for size, default in keywords(padded).items() if size != "game"}
    of_the_game = keywords(getattr(module, name))
    assert {**of_the_game, "game": "sack_armies"} == {**generic, **keywords(make_game), **sizes}


def test_explicit_options_reach_the_environment():
    env = sack_armies_v0.vector_env(num_generals=3, num_envs=2, seat="all", copy=True, switches={"draw_count": 2})
    assert (env.num_envs, env.seat_choice, env.copy, env.game.num_players) == (2, "all", True, 3)
    assert env.game.config["switches"] == {"draw_count": 2}
    raw = sack_armies_v0.raw_env(mask_in_observation=False, illegal_penalty=0.5)
    assert (raw.mask_in_observation, raw.options.illegal_penalty) == (False, 0.5)


# --- content that comes with a game


def test_built_in_armies_and_scenarios_are_listed():
    assert "empire" in sackarmies_env.list_armies()
    assert "x03_walking_tree" in sackarmies_env.list_scenarios("sack_armies")
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        sackarmies_env.list_armies("chess")


# --- masks


def test_masks_are_found_through_gymnasium_make_and_wrappers():
    env = gymnasium.make(ENVIRONMENT, mask_in_observation=False)
    _, info = env.reset(seed=0)
    assert env.action_masks().tolist() == info["action_mask"].tolist()
    wrapped = gymnasium.wrappers.FlattenObservation(gymnasium.wrappers.TimeLimit(env, 10))
    wrapped.reset(seed=0)
    assert wrapped.get_wrapper_attr("action_masks")().tolist() == info["action_mask"].tolist()


@pytest.mark.slow  # imports torch
def test_maskable_ppo_finds_masks():
    utils = pytest.importorskip("sb3_contrib.common.maskable.utils", reason="the extra train is not installed")
    env = gymnasium.wrappers.TimeLimit(gymnasium.make(ENVIRONMENT), 10)
    _, info = env.reset(seed=0)
    assert utils.is_masking_supported(env)
    assert utils.get_action_masks(env).tolist() == info["action_mask"].tolist()


class Scaled(BaseWrapper):
    """A wrapper that, like those of SuperSuit, expects observations to be arrays of numbers."""

    def observation_space(self, agent):
        space = super().observation_space(agent)
        assert isinstance(space, gymnasium.spaces.Box)
        return gymnasium.spaces.Box(-1.0, 1.0, space.shape, np.float32)

    def observe(self, agent):
        return super().observe(agent).astype(np.float32) / 128


def test_pettingzoo_observations_are_vectors_on_demand():
    env = Scaled(OrderEnforced(RawEnv(make_duel(), mask_in_observation=False)))
    env.reset(seed=0)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        assert env.observation_space(agent).contains(observation)
        env.step(None if terminated or truncated else int(info["action_mask"].argmax()))
    plain, dicts = RawEnv(make_duel(), mask_in_observation=False), RawEnv(make_duel())
    plain.reset(seed=3)
    dicts.reset(seed=3)
    assert plain.observe("player_1").tolist() == dicts.observe("player_1")["observation"].tolist()
    assert plain.infos["player_0"]["action_mask"].tolist() == dicts.infos["player_0"]["action_mask"].tolist()
    assert np.array_equal(plain.clone().last()[0], plain.last()[0])


def test_pettingzoos_own_test_passes_with_masks_in_infos_alone():
    api_test(RawEnv(make_duel(3), mask_in_observation=False), num_cycles=50)


# --- render modes


def test_gymnasium_collects_frames_in_a_list():
    with registered():
        env = gymnasium.make(DUEL, render_mode="ansi_list")
        _, info = env.reset(seed=0)
        env.step(int(info["action_mask"].argmax()))
        start, now = env.render()
    assert isinstance(start, str)
    assert start != now
    assert environments.single_seat_env.metadata == SingleSeatEnv(make_duel()).metadata


# --- observations in words


def test_an_observation_is_told_feature_by_feature():
    game = make_duel(3)
    env = RawEnv(game)
    env.reset(seed=0)
    observation = env.observe("player_0")
    text = sackarmies_env.describe_observation(observation, game)
    assert text == sackarmies_env.describe_observation(observation["observation"], game)
    cards = observation["observation"][:4].tolist()
    for value, count in enumerate(cards, start=1):
        assert f"  card_{value} {count:>4}  cards of this value in hand" in text.splitlines()
    assert "players: self first\n  lives: lives left\n  [0] lives=2\n  [1] lives=2\n  [2] lives=2\n" in text


def test_rows_without_anything_are_left_out():
    env = sack_armies_v0.raw_env()
    env.reset(seed=0)
    observation = env.observe("player_0")["observation"]
    text = sackarmies_env.describe_observation(observation)
    counts = env.game.observation_spec.view(observation, "types")
    filled = np.flatnonzero(counts.any(axis=1)).tolist()
    assert 0 < len(filled) < len(counts)
    table = text.split("types: ")[1].split("\n\n")[0]
    assert [int(row) for row in re.findall(r"^  \[(\d+)\]", table, re.MULTILINE)] == filled
    assert f"{len(counts) - len(filled)} of {len(counts)} rows: nothing" in table


@pytest.mark.parametrize("is_masked", [True, False])
@pytest.mark.parametrize("form", ["flat", "dict", "planes"])
def test_observations_of_any_form_and_padding_are_told(form, is_masked):
    options = {"observation": form, "mask_in_observation": is_masked}
    for make in (sack_armies_v0.single_seat_env, sack_armies_v0.env):
        env, padded = (make(**options, **sizes) for sizes in ({}, {"pad_generals": 3}))
        texts = []
        for one in (env, padded):
            given = one.reset(seed=0)
            texts.append(sackarmies_env.describe_observation(one.last()[0] if given is None else given[0], one))
        assert texts[0] == sackarmies_env.describe_observation(
            env.unwrapped._match.observation, env.unwrapped.game.observation_spec
        )
        assert texts[1] == sackarmies_env.describe_observation(
            padded.unwrapped.padding.observe(padded.unwrapped._match.observation), padded.unwrapped.padding.spec
        )


@pytest.mark.parametrize("options", [{}, {"armies": "random"}])
def test_rows_of_vector_environments_are_told(options):
    env = sack_armies_v0.vector_env(num_envs=2, pad_generals=3, mask_in_observation=False, **options)
    single = sack_armies_v0.single_seat_env(pad_generals=3, mask_in_observation=False, **options)
    seen, own = env.reset(seed=0)[0], single.reset(seed=1)[0]
    assert sackarmies_env.describe_observation(seen[1], env) == sackarmies_env.describe_observation(own, single)


def test_observations_of_another_layout_are_refused_with_what_would_fit():
    duel, spec = make_duel(), make_duel().observation_spec
    advice = "give one observation, and the environment that it comes from$"
    for given, fault in (
        (np.zeros(7), rf"has the shape \(7,\), not \({spec.size},\)"),
        (np.zeros((1, spec.size)), rf"has the shape \(1, {spec.size}\), not \({spec.size},\)"),
        ({"hand": np.zeros(3)}, r'has the parts "hand \(3,\)", not "hand \(1, 4\)", "table'),
        ({"planes": 0}, r'has the parts "planes \(\)", not "hand \(1, 4\)", "table'),
    ):
        with pytest.raises(ValueError, match=f"^the observation {fault}.*: {advice}"):
            sackarmies_env.describe_observation(given, duel)
    with pytest.raises(ValueError, match=r"^game=3: it must be a game, an environment"):
        sackarmies_env.describe_observation(np.zeros(7), 3)
