"""Structured observations: views of the flat vector in every environment, nothing lost and nothing added."""

from __future__ import annotations

import inspect
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from pettingzoo.test import api_test, seed_test

import sackarmies_env
from examples.liars_dice import make_game as make_liars_dice
from sackarmies_env import sack_armies_v0
from sackarmies_env.core.observation import Block, Feature, ObservationSpec
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.structured import FORMS, Form, code_sizes, features_of, scaled
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.envs.wrapped import OrderEnforced
from tests.core.toy_game import make_duel
from tests.second_game import ENVIRONMENT, GAME, registered

UNITS = Block(
    "units", 2, (Feature("owner", -1, 5, ".", True), Feature("armor", -4, 8, "."), Feature("up", 0, 1, ".")), "."
)
LAND = Block("land", 3, tuple(Feature(f"q{q}", 0, 3, ".", True) for q in range(4)), ".", is_plane=True)
SPEC = ObservationSpec([UNITS, LAND, replace(LAND, name="water")])


def duel(num_players=2):
    """Return the toy game, with the table of lives as its board."""
    game = make_duel(num_players)
    *blocks, lives = game.observation_spec.blocks
    return replace(game, observation_spec=ObservationSpec([*blocks, replace(lives, is_plane=True)]))


def same(one, other):
    """Return whether two observations in any form are equal, types and keys included."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one.dtype == other.dtype and np.array_equal(one, other)


# --- forms


@pytest.mark.parametrize("shape", [(), (5,), (5, 2)])
def test_forms_are_views_that_hold_the_vector_exactly(shape):
    vectors = np.random.default_rng(0).integers(SPEC.low, SPEC.high, (*shape, SPEC.size), np.int8, endpoint=True)
    shapes = {
        "flat": {"": (30,)},
        "dict": {"units": (2, 3), "land": (3, 4), "water": (3, 4)},
        "planes": {"planes": (2, 3, 4), "vector": (6,)},
    }
    for name in FORMS:
        form = Form(SPEC, name)
        shown = form(vectors)
        parts = shown if isinstance(shown, dict) else {"": shown}
        assert {key: part.shape for key, part in parts.items()} == {
            key: (*shape, *s) for key, s in shapes[name].items()
        }
        assert all(np.shares_memory(part, vectors) for part in parts.values())
        assert sum(part.size for part in parts.values()) == vectors.size
        assert same(form.vector(shown), vectors)
        assert shape or form.space.contains(shown)


def test_a_form_is_a_function_of_the_vector_and_nothing_else():
    assert list(inspect.signature(Form.__call__).parameters) == ["self", "vectors"]
    assert vars(Form(SPEC, "dict")).keys() == {"spec", "name"}


def test_bounds_of_spaces_are_those_declared():
    space = Form(SPEC, "planes").space
    assert space["planes"].high.max() == 3
    assert space["vector"].low.tolist() == [-1, -4, 0, -1, -4, 0]
    assert Form(SPEC, "dict").space["units"].high.tolist() == [[5, 8, 1], [5, 8, 1]]


def test_a_layout_of_planes_alone_has_no_vector():
    form = Form(ObservationSpec([LAND]), "planes")
    assert list(form.space) == ["planes"]
    assert same(form.vector(form(np.ones((3, 12), np.int8))), np.ones((3, 12), np.int8))


def test_unknown_and_unavailable_observation_forms_are_refused():
    with pytest.raises(ValueError, match="unknown observation form 'rows': allowed are flat, dict, planes"):
        Form(SPEC, "rows")
    for game in (make_duel(), make_liars_dice(3)):
        with pytest.raises(ValueError, match="no planes, only the blocks hand, table, players; use 'flat' or"):
            RawEnv(game, observation="planes")
    with pytest.raises(ValueError, match="the planes of an observation must be its last blocks, and of one shape"):
        ObservationSpec([LAND, UNITS])


# --- features


def test_codes_count_from_zero_and_have_a_size_for_embeddings():
    assert code_sizes(UNITS) == {"owner": 7}
    assert code_sizes(LAND) == {f"q{q}": 4 for q in range(4)}
    vector = np.concatenate([[-1, -4, 1], [5, 8, 0], np.zeros(24)]).astype(np.int8)
    codes, numbers = features_of(SPEC, vector, "units")
    assert codes.tolist() == [[0], [6]]
    assert codes.dtype == np.int64
    assert numbers.tolist() == [[-0.5, 1.0], [1.0, 0.0]]
    assert numbers.dtype == np.float32
    many = features_of(SPEC, np.stack([vector] * 3), "units")
    assert many.codes.shape == (3, 2, 1)
    assert many.numbers.shape == (3, 2, 2)


def test_scaled_vectors_lie_within_one_and_keep_zero():
    low, high, zero = (scaled(SPEC, one) for one in (SPEC.low, SPEC.high, np.zeros((2, 30), np.int8)))
    assert low.dtype == high.dtype == np.float32
    assert low[:3].tolist() == pytest.approx([-0.2, -0.5, 0])
    assert high[:3].tolist() == [1, 1, 1]
    assert not zero.any()


# --- environments


@pytest.mark.parametrize("name", FORMS)
def test_pettingzoo_gives_every_agent_its_vector_in_the_form(name):
    game = duel(3)
    env, flat, form = RawEnv(game, observation=name), RawEnv(game), Form(game.observation_spec, name)
    for one in (env, flat):
        one.reset(seed=4)
    while flat.agents:
        for agent in env.possible_agents:
            shown, vector = env.observe(agent), flat.observe(agent)
            assert env.observation_space(agent).contains(shown)
            assert same(shown["observation"], form(vector["observation"]))
            assert same(shown["action_mask"], vector["action_mask"])
        agent = flat.agent_selection
        is_over = flat.terminations[agent] or flat.truncations[agent]
        action = None if is_over else flat.legal_actions()[-1]
        env.step(action)
        flat.step(action)


@pytest.mark.parametrize("is_masked", [True, False])
@pytest.mark.parametrize("name", FORMS)
def test_one_seat_and_many_games_give_the_same_in_every_form(name, is_masked):
    game, options = duel(), {"observation": name, "mask_in_observation": is_masked}
    single, flat = SingleSeatEnv(game, **options), SingleSeatEnv(game, mask_in_observation=False)
    rows = SyncVectorEnv([lambda: SingleSeatEnv(game, **options)] * 3, autoreset_mode="SameStep")
    batch = BatchEnv(game, 3, **options)
    assert batch.single_observation_space == single.observation_space
    assert batch.observation_space == rows.observation_space
    shown, vector = single.reset(seed=1)[0], flat.reset(seed=1)[0]
    assert single.observation_space.contains(shown)
    assert same(shown["observation"] if is_masked else shown, Form(game.observation_spec, name)(vector))
    (seen, infos), (others, _) = batch.reset(seed=1), rows.reset(seed=1)
    for _ in range(20):
        assert same(seen, others)
        assert batch.observation_space.contains(seen)
        actions = infos["action_mask"].argmax(axis=1)
        others, *_, other_infos = rows.step(actions)
        seen, *_, infos = batch.step(actions)
        assert ("final_obs" in infos) == ("final_obs" in other_infos)
        for row in np.flatnonzero(infos.get("_final_obs", ())):
            assert same(infos["final_obs"][row], other_infos["final_obs"][row])


def test_observations_of_a_batch_are_views_unless_copies_are_wanted():
    for copy in (False, True):
        batch = BatchEnv(duel(), 4, observation="dict", copy=copy)
        blocks = batch.reset(seed=0)[0]["observation"]
        assert [np.shares_memory(block, batch.batch.observations) for block in blocks.values()] == [not copy] * 3
        assert all(block.flags.writeable == copy for block in blocks.values())


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_checkers_of_pettingzoo_and_gymnasium_pass(name):
    api_test(OrderEnforced(RawEnv(duel(), observation=name)), num_cycles=100)
    seed_test(lambda: OrderEnforced(RawEnv(duel(), observation=name)), num_cycles=20)
    for is_masked in (True, False):
        single = SingleSeatEnv(duel(), observation=name, mask_in_observation=is_masked, illegal_action="penalize")
        check_env(single, skip_render_check=True)


def test_environments_are_made_with_forms_by_name():
    with registered():
        single = gymnasium.make(ENVIRONMENT, observation="dict", mask_in_observation=False)
        many = gymnasium.make_vec(ENVIRONMENT, num_envs=2, vectorization_mode="vector_entry_point", observation="dict")
        assert list(single.reset(seed=0)[0]) == ["hand", "table", "players"]
        assert many.reset(seed=0)[0]["observation"]["players"].shape == (2, 2, 1)
        assert sackarmies_env.env(game=GAME, observation="flat").observation_space("player_0")["observation"].shape
        with pytest.raises(ValueError, match=r"observation='compact': allowed are 'flat', 'dict', 'planes'"):
            sackarmies_env.raw_env(game=GAME, observation="compact")


# --- Sack Armies


def test_the_board_of_sack_armies_is_shown_as_planes():
    env = sackarmies_env.raw_env(observation="planes")
    env.reset(seed=0)
    shown = env.observe("player_1")["observation"]
    game = sackarmies_env.load_game("sack_armies", observation="planes")
    assert env.game.config == game.config
    assert shown["planes"].shape == (71, 19, 19)
    assert same(env.presentation.form.vector(shown), env._match.observe(1))
    assert env.observation_space("player_1")["observation"].contains(shown)


def test_contents_of_sack_armies_stay_what_they_were():
    compact = sack_armies_v0.vector_env(num_envs=2, observation="compact")
    assert compact.game.config == sackarmies_env.load_game("sack_armies").config
    assert compact.single_observation_space == sack_armies_v0.vector_env(observation="flat").single_observation_space
    blocks = sack_armies_v0.single_seat_env(observation="dict", mask_in_observation=False).reset(seed=0)[0]
    assert {name: block.shape for name, block in blocks.items()} == {
        "globals": (1, 37),
        "log": (24, 9),
        "generals": (2, 14),
        "types": (120, 4),
        "tokens": (80, 63),
    }
    game = sackarmies_env.load_game("sack_armies", observation="planes")
    assert SingleSeatEnv(game, mask_in_observation=False).reset(seed=0)[0].shape == (game.observation_spec.size,)
    with pytest.raises(ValueError, match=r"observation='plane' \(did you mean \"planes\"\?\): allowed are 'flat'"):
        sackarmies_env.env(observation="plane")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dict", "planes"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_sack_armies_passes_the_checkers_in_every_form(name):
    api_test(sackarmies_env.env(observation=name), num_cycles=100)
    check_env(sack_armies_v0.single_seat_env(observation=name, illegal_action="penalize"), skip_render_check=True)
