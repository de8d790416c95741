"""`Match`: a single game, as adapters play it."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core.record import replay
from sackarmies_env.core.state import ERROR_CAPACITY, ERROR_SCRIPT_EXHAUSTED, engine_error
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.match import NO_ACTION, Match
from tests.core.toy_game import make_duel


def begun(num_players=3, seed=0, **options):
    env = RawEnv(make_duel(num_players), **options)
    env.reset(seed=seed)
    return env


def step(env):
    agent = env.agent_selection
    env.step(None if env.terminations[agent] or env.truncations[agent] else env.legal_actions()[0])


def test_an_information_state_is_all_that_was_seen_and_done():
    env = begun()
    seen = {agent: [env.observe(agent)["observation"]] for agent in env.possible_agents}
    done = {agent: [NO_ACTION] for agent in env.possible_agents}
    while env.agents:
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            env.step(None)
            continue
        action = env.legal_actions()[0]
        done[agent][-1] = action
        env.step(action)
        for other in env.possible_agents:
            now = env.observe(other)["observation"]
            if done[other][-1] != NO_ACTION or not np.array_equal(now, seen[other][-1]):
                seen[other].append(now)
                done[other].append(NO_ACTION)
    for agent in env.possible_agents:
        state = env.information_state(agent)
        assert np.array_equal(state.observations, np.stack(seen[agent]))
        assert state.actions.tolist() == done[agent]


def test_information_state_is_independent_of_hidden_steps_of_others():
    env = begun()
    assert len(env.information_state("player_2").observations) == 1
    step(env)  # player 0 chooses a card, which nobody else sees
    assert len(env.information_state("player_0").observations) == 2
    assert len(env.information_state("player_2").observations) == 1


def test_an_information_state_ends_with_what_is_seen_now():
    env = begun(seed=2)
    for _ in range(5):
        step(env)
        for agent in env.possible_agents:
            assert np.array_equal(env.information_state(agent).observations[-1], env.observe(agent)["observation"])


def test_information_state_continues_past_a_forfeit():
    env = begun(illegal_action="terminate")
    env.step(99)
    state = env.information_state("player_0")
    assert state.actions.tolist() == [NO_ACTION, NO_ACTION]
    assert np.array_equal(state.observations[-1], env.observe("player_0")["observation"])


def test_a_record_is_the_game():
    env = begun(illegal_action="terminate")
    env.reset(seed=4, options={"draws": [["card_1"]]})
    step(env)
    step(env)
    env.step(99)
    while env.agents:
        step(env)
    record = env.record(players=["a", "b", "c"])
    assert (record.seed, record.forced, record.players) == (4, {"draws": [["card_1"]]}, ("a", "b", "c"))
    assert record.actions == tuple(env._match.history)
    assert record.texts[2].startswith("forfeit ")
    states = replay(env.game, record)
    assert states.tobytes() == env._match.states.tobytes()


def test_a_record_survives_saving_the_environment():
    env = begun()
    step(env)
    twin = RawEnv(make_duel(3))
    twin.set_state(env.get_state())
    assert twin.record() == env.record()


@pytest.mark.parametrize("action", [True, np.bool_(True)])
def test_python_booleans_are_actions_and_numpy_booleans_are_not(action):
    match = Match(make_duel())
    match.begin(0, {"draws": [["card_2"] * 3]})
    assert match.is_legal(action) == isinstance(action, bool)


def test_engine_faults_are_reported_in_words():
    assert isinstance(engine_error(ERROR_SCRIPT_EXHAUSTED), ValueError)
    assert "give more of them" in str(engine_error(ERROR_SCRIPT_EXHAUSTED))
    assert isinstance(engine_error(ERROR_CAPACITY), RuntimeError)


def test_faults_of_a_state_are_raised(monkeypatch):
    match = Match(make_duel())
    match.begin(0)
    match.states["error"] = ERROR_CAPACITY
    with pytest.raises(RuntimeError, match="the rules engine reports fault 2"):
        match.play(match.legal_actions()[0])
