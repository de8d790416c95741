"""Copies and saved states of environments: equal at first, independent afterwards."""

from __future__ import annotations

import copy
import json
import pickle
import zlib

import numpy as np
import pytest
from pettingzoo.utils import BaseWrapper

from sackarmies_env.envs import snapshot
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.wrapped import OrderEnforced
from tests.core.toy_game import make_duel


def begun(wrapper=OrderEnforced, num_players=3, steps=5, seed=3, **options):
    """Return an environment `steps` steps into a game, or at its end."""
    env = wrapper(RawEnv(make_duel(num_players), **options))
    env.reset(seed=seed)
    while steps and env.agents:
        advance(env)
        steps -= 1
    return env


def advance(env):
    agent = env.agent_selection
    ended = env.terminations[agent] or env.truncations[agent]
    env.step(None if ended else env.legal_actions()[0])


def traits(env):
    """Return everything observable about an environment."""
    return (
        env.agents,
        env.agent_selection,
        env.rewards,
        env._cumulative_rewards,
        env.terminations,
        env.truncations,
        {agent: info["action_mask"].tolist() for agent, info in env.infos.items()},
        [env.observe(agent)["observation"].tolist() for agent in env.possible_agents],
        env.to_scenario(),
        env.unwrapped.get_state(),
    )


def course(env, steps=40):
    """Play on, into the next game if need be, and return everything seen."""
    seen = []
    for _ in range(steps):
        if not env.agents:
            env.reset()
        advance(env)
        seen.append(str(traits(env)))
    return seen


def restored(env):
    twin = OrderEnforced(RawEnv(make_duel(3)))
    twin.set_state(env.get_state())
    return twin


WAYS = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "set_state": restored,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("steps", [0, 1, 5, 8, 40])
def test_copies_are_equal_and_independent(way, steps):
    env = begun(steps=steps)
    twin = WAYS[way](env)
    assert type(twin) is type(env)
    before = traits(env)
    assert traits(twin) == before
    future = course(twin)
    assert traits(env) == before
    assert course(env) == future


@pytest.mark.parametrize("way", WAYS)
def test_copies_made_in_a_loop_over_agents_have_loops_of_their_own(way):
    env = begun()
    for agent in env.agent_iter(3):
        twin = WAYS[way](env)
        for _ in twin.agent_iter(3):
            advance(twin)
        assert env.agent_selection == agent
        advance(env)


@pytest.mark.parametrize("way", ["clone", "deepcopy", "pickle"])
def test_copies_have_spaces_of_their_own(way):
    env = begun()
    env.action_space("player_0").seed(1)
    twin = WAYS[way](env)
    expected = [twin.action_space("player_0").sample() for _ in range(5)]
    assert [env.action_space("player_0").sample() for _ in range(5)] == expected


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_copies_keep_wrappers_of_others(way):
    env = begun(lambda raw: BaseWrapper(OrderEnforced(raw)))
    twin = WAYS[way](env)
    assert isinstance(twin, BaseWrapper)
    assert isinstance(twin.env, OrderEnforced)
    assert course(twin) == course(env)


@pytest.mark.parametrize("way", ["clone", "deepcopy", "pickle"])
def test_copies_share_no_array(way):
    env = begun()
    twin = WAYS[way](env)
    agent = env.agent_selection
    mine, its = env.observe(agent), twin.observe(agent)
    assert not np.shares_memory(mine["observation"], its["observation"])
    assert not np.shares_memory(mine["action_mask"], its["action_mask"])
    assert not np.shares_memory(env.unwrapped._match.states, twin.unwrapped._match.states)


@pytest.mark.parametrize("way", ["clone", "deepcopy", "pickle"])
def test_environments_are_copied_before_their_first_reset(way):
    env = OrderEnforced(RawEnv(make_duel(3)))
    twin = WAYS[way](env)
    env.reset(seed=2)
    twin.reset(seed=2)
    assert course(env) == course(twin)


def test_copy_of_an_unwrapped_environment_stays_unwrapped():
    env = begun(lambda raw: raw)
    assert type(env.clone()) is RawEnv


@pytest.mark.parametrize("way", ["clone", "deepcopy", "pickle"])
def test_single_seat_copies_are_equal_and_independent(way):
    env = SingleSeatEnv(make_duel(3))
    env.reset(seed=4)

    def course_of(one):
        seen = []
        for _ in range(30):
            observation, reward, terminated, truncated, _ = one.step(one.legal_actions()[0])
            seen.append((observation["observation"].tolist(), reward, terminated, truncated))
            if terminated or truncated:
                seen.append(one.reset()[0]["observation"].tolist())
        return seen

    twin = WAYS[way](env)
    before = env.to_scenario()
    future = course_of(twin)
    assert env.to_scenario() == before
    assert course_of(env) == future


# --- what is refused


def test_a_saved_state_names_what_it_belongs_to():
    data = begun().get_state()
    assert data.startswith(b"sackarmies state 1 ")
    assert b'"version": "0.1.0", "game": "duel"' in data


def test_states_of_another_configuration_are_refused():
    data = begun(num_players=3).get_state()
    env = begun(num_players=2)
    before = traits(env)
    with pytest.raises(ValueError, match=r"the saved state has configuration '.*', but this environment has '.*'"):
        env.set_state(data)
    assert traits(env) == before


def test_states_of_another_version_are_refused(monkeypatch):
    env = begun()
    data = env.get_state()
    monkeypatch.setattr(snapshot, "__version__", "9.9.9")
    with pytest.raises(ValueError, match=r"the saved state has version '0\.1\.0', but this environment has '9\.9\.9'"):
        env.set_state(data)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: data[:-1], "the saved state is damaged"),
        (lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:], "the saved state is damaged"),
        (lambda data: data.replace(b'"rewards"', b'"reward_"'), "the saved state is damaged"),
        (lambda data: b"", "these 0 bytes are not a saved state"),
        (lambda data: b"\x80\x04" + data, "are not a saved state"),
        (lambda data: data.decode("latin-1"), "a saved state must be bytes, not str"),
    ],
)
def test_damaged_states_are_refused_and_nothing_is_lost(damage, sentence):
    env = begun()
    before = traits(env)
    with pytest.raises(ValueError, match=sentence):
        env.set_state(damage(env.get_state()))
    assert traits(env) == before


def forged(data, change):
    """Return a saved state with changed fields and a matching checksum."""
    line, _, content = data.partition(b"\n")[2].partition(b"\n")
    header = json.loads(line)
    header["fields"] = change(header["fields"])
    body = json.dumps(header).encode() + b"\n" + content
    return snapshot.MAGIC + b"%08x\n" % zlib.crc32(body) + body


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda fields: {}, "its fields must be agents, agent_selection"),
        (lambda fields: 3, "its fields must be agents"),
        (lambda fields: {key: each for key, each in fields.items() if key != "seed"}, "its fields must be agents"),
        (lambda fields: fields | {"seed": -1}, "seed cannot be -1"),
        (lambda fields: fields | {"agents": "player_0"}, "agents cannot be 'player_0'"),
        (lambda fields: fields | {"agents": ["player_1", "player_0", "player_2"]}, "agents cannot be"),
        (lambda fields: fields | {"agents": fields["agents"] * 2}, "agents cannot be"),
        (lambda fields: fields | {"rewards": {}}, "rewards cannot be {}"),
        (lambda fields: fields | {"rewards": dict.fromkeys(fields["agents"], "1")}, "rewards cannot be"),
        (lambda fields: fields | {"terminations": dict.fromkeys(fields["agents"], 0)}, "terminations cannot be"),
        (lambda fields: fields | {"_paid": [0.0]}, r"_paid cannot be \[0\.0\]"),
        (lambda fields: fields | {"_out": {}}, "_out cannot be {}"),
        (lambda fields: fields | {"agent_selection": "player_3"}, "agent_selection cannot be 'player_3'"),
        (lambda fields: fields | {"_skip_agent_selection": []}, r"_skip_agent_selection cannot be \[\]"),
        (lambda fields: fields | {"_potentials": {"you": 1.0}}, "_potentials cannot be"),
        (lambda fields: fields | {"forced": []}, r"forced cannot be \[\]"),
        (lambda fields: fields | {"generator": 3}, "generator cannot be 3"),
        (lambda fields: fields | {"generator": {"bit_generator": "MT19937"}}, "generator cannot be"),
        (lambda fields: fields | {"generator": fields["generator"] | {"state": {"state": 1}}}, "generator cannot be"),
        (lambda fields: fields | {"generator": fields["generator"] | {"uinteger": -1}}, "generator cannot be"),
    ],
)
def test_forged_fields_are_refused_and_change_nothing(change, sentence):
    env = begun()
    before = traits(env)
    with pytest.raises(ValueError, match=f"^the saved state is damaged: {sentence}"):
        env.set_state(forged(begun(steps=3, seed=8).get_state(), change))
    assert traits(env) == before


def test_state_that_the_rules_refuse_changes_nothing():
    env, other = begun(), begun(steps=3, seed=8)
    before = traits(env)
    other.unwrapped._match.states["error"] = 3
    with pytest.raises(RuntimeError, match="the rules engine reports fault 3"):
        env.set_state(other.get_state())
    assert traits(env) == before
