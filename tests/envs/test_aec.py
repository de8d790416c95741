"""The PettingZoo environment, tested with a toy game: nothing here depends on the rules of a game."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.wrapped import OrderEnforced
from tests.core.toy_game import make_duel


def wrapped(num_players=2, max_turns=60, **options):
    return OrderEnforced(RawEnv(make_duel(num_players, max_turns), **options))


def play_out(env, choose=min):
    """Play to the end; return each agent's total reward and the order in which agents left."""
    totals, left = dict.fromkeys(env.agents, 0.0), []
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        totals[agent] += reward
        if terminated or truncated:
            left.append(agent)
            env.step(None)
        else:
            env.step(int(choose(np.flatnonzero(info["action_mask"]))))
    return totals, left


@pytest.mark.parametrize("num_players", [2, 3, 6])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_passes_the_tests_of_pettingzoo(num_players):
    api_test(wrapped(num_players), num_cycles=200)
    seed_test(lambda: wrapped(num_players), num_cycles=50)
    api_test(RawEnv(make_duel(num_players)), num_cycles=50)


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_unmasked_sampling_comes_to_an_end_with_penalties(num_players):
    env = wrapped(num_players, illegal_action="penalize")
    env.reset(seed=3)
    for agent in env.agent_iter():
        ended = env.terminations[agent] or env.truncations[agent]
        env.step(None if ended else env.action_space(agent).sample())
    assert env.agents == []


def test_agents_are_numbered_players_and_spaces_are_stable():
    env = wrapped(3)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.max_num_agents == 3
    assert env.observation_space("player_1") is env.observation_space("player_1")
    assert env.action_space("player_1") is not env.action_space("player_2")
    assert env.observation_spaces["player_0"] is env.observation_space("player_0")
    assert env.action_spaces["player_0"] is env.action_space("player_0")
    assert str(env) == "duel_v0"
    with pytest.raises(ValueError, match=r"^unknown agent 'player_3': agents are player_0, player_1, player_2$"):
        env.action_space("player_3")


def test_every_live_agent_can_be_observed_and_only_the_selected_one_has_a_mask():
    env = wrapped(3)
    env.reset(seed=1)
    for agent in env.agents:
        observation = env.observe(agent)
        assert env.observation_space(agent).contains(observation)
        assert observation["action_mask"].any() == (agent == env.agent_selection)
        assert np.array_equal(observation["action_mask"], env.infos[agent]["action_mask"])


def test_returned_arrays_do_not_change_later():
    env = wrapped(6)
    env.reset(seed=1)
    observation, _, _, _, info = env.last()
    vector, mask = observation["observation"].copy(), info["action_mask"].copy()
    kept = env.infos[env.agent_selection]
    for _ in range(4):
        env.step(env.legal_actions()[0])
    assert np.array_equal(observation["observation"], vector)
    assert np.array_equal(kept["action_mask"], mask)


def test_mask_of_a_player_who_has_acted_is_empty():
    env = wrapped()
    env.reset(seed=1)
    first = env.agent_selection
    env.step(env.legal_actions()[0])
    assert env.agent_selection != first
    assert not env.infos[first]["action_mask"].any()
    assert env.infos[env.agent_selection]["action_mask"].any()


def test_rewards_are_zero_sum_and_complete():
    for seed in range(10):
        env = wrapped(3)
        env.reset(seed=seed)
        totals, left = play_out(env)
        assert sorted(left) == ["player_0", "player_1", "player_2"]
        assert sum(totals.values()) == pytest.approx(0)
        assert sorted(totals.values()) == [-0.5, -0.5, 1.0]


def test_an_eliminated_agent_leaves_before_others_go_on():
    env = wrapped(3)
    env.reset(seed=0)
    while not any(env.terminations.values()):
        env.step(env.legal_actions()[0])
    loser = env.agent_selection
    assert env.terminations == {agent: agent == loser for agent in env.possible_agents}
    assert env.truncations == dict.fromkeys(env.possible_agents, False)
    assert env.rewards[loser] == -0.5
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
    with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
        env.step(0)
    with pytest.raises(ValueError, match=rf"^the game is over for {loser}: call step\(None\)"):
        env.step_text("card 1")
    env.step(None)
    assert loser not in env.agents
    assert loser not in env.infos
    assert env.agent_selection in env.agents
    assert env.observe(env.agent_selection)["action_mask"].any()
    assert env.observe(loser)["observation"].shape == env.observe(env.agent_selection)["observation"].shape


def test_a_turn_limit_truncates_all_that_are_left():
    env = wrapped(3, max_turns=1)
    env.reset(seed=0)
    env.step(env.legal_actions()[0])
    env.step(env.legal_actions()[0])
    assert env.truncations == dict.fromkeys(env.possible_agents, True)
    assert env.terminations == dict.fromkeys(env.possible_agents, False)
    with pytest.raises(ValueError, match=r"^the game is over for player_0: call step\(None\)"):
        env.step_text("card 1")
    totals, left = play_out(env)
    assert totals == dict.fromkeys(env.possible_agents, 0.0)
    assert left == env.possible_agents


def test_agent_eliminated_at_the_turn_limit_is_not_truncated():
    env = wrapped(3, max_turns=1, illegal_action="terminate")
    env.reset(seed=0)
    env.step(illegal(env))
    assert env.terminations == {"player_0": True, "player_1": False, "player_2": False}
    assert env.truncations == {"player_0": False, "player_1": True, "player_2": True}


def test_none_is_no_action_of_a_live_agent():
    env = wrapped()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"illegal action None \(not an integer\) for player_0 at CARD; legal are"):
        env.step(None)


@pytest.mark.parametrize("action", [np.int32(0), np.int8(0), np.array(0), 0])
def test_integers_of_any_kind_are_actions(action):
    env = wrapped()
    env.reset(seed=0, options={"draws": [["card_1"] * 3]})
    env.step(action)
    assert env.agent_selection == "player_1"


# --- illegal actions


def illegal(env):
    return next(action for action in range(4) if action not in env.legal_actions())


def test_an_illegal_action_is_refused_and_changes_nothing():
    env = wrapped()
    env.reset(seed=0, options={"draws": [["card_1", "card_2", "card_2"]]})
    before = env.get_state()
    with pytest.raises(ValueError) as refusal:
        env.step(3)
    assert str(refusal.value) == ("illegal action 3 (card 4) for player_0 at CARD; legal are 0 (card 1), 1 (card 2)")
    with pytest.raises(ValueError, match=r"^illegal action 99 \(no such id\) for player_0 at CARD"):
        env.step(99)
    with pytest.raises(ValueError, match=r"^illegal action -1 \(no such id\) for player_0 at CARD"):
        env.step(-1)
    with pytest.raises(ValueError, match=r"^illegal action 1\.0 \(not an integer\) for player_0 at CARD"):
        env.step(1.0)
    assert env.get_state() == before
    env.step(1)


def test_an_illegal_action_is_penalized_and_replaced_by_a_legal_one():
    env = wrapped(illegal_action="penalize", illegal_penalty=0.25)
    env.reset(seed=0)
    legal = env.legal_actions()
    env.step(illegal(env))
    assert env.rewards == {"player_0": -0.25, "player_1": 0.0}
    assert env.unwrapped._match.history[0] in legal
    env.step(env.legal_actions()[0])
    assert env.last()[1] == -0.25
    again = wrapped(illegal_action="penalize")
    again.reset(seed=0)
    again.step(illegal(again))
    assert again.unwrapped._match.history == env.unwrapped._match.history[:1]


def test_action_that_replaces_an_illegal_one_is_drawn_from_the_legal_ones():
    places = set()
    for seed in range(30):
        env = wrapped(illegal_action="penalize")
        env.reset(seed=seed, options={"draws": [["card_1", "card_2", "card_3"]]})
        env.step(illegal(env))
        places.add(env.unwrapped._match.history[0])
    assert places == {0, 1, 2}


def test_an_illegal_action_forfeits_the_game_of_two():
    env = wrapped(illegal_action="terminate")
    env.reset(seed=0)
    env.step(illegal(env))
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}


def test_a_forfeit_among_more_leaves_the_others_playing():
    env = wrapped(3, illegal_action="terminate")
    env.reset(seed=0)
    env.step(illegal(env))
    assert env.terminations == {"player_0": True, "player_1": False, "player_2": False}
    assert env.rewards == {"player_0": -0.5, "player_1": 0.0, "player_2": 0.0}
    assert env.agent_selection == "player_0"
    env.step(None)
    assert env.agent_selection == "player_1"
    totals, _ = play_out(env)
    assert sorted(totals.values()) == [-0.5, 1.0]


# --- seeds and options


def start_of(env, **arguments):
    env.reset(**arguments)
    return env.to_scenario()["state"]["cards"]


def test_the_same_seed_gives_the_same_game():
    first, second = wrapped(), wrapped()
    assert start_of(first, seed=7) == start_of(second, seed=7)
    assert start_of(first, seed=7) == start_of(second, seed=7)
    assert start_of(first) == start_of(second)
    assert start_of(first) == start_of(second)
    assert start_of(first, seed=8) != start_of(second, seed=7)


def test_without_any_seed_games_differ():
    assert len({str(start_of(wrapped(6))) for _ in range(5)}) == 5
    env = wrapped(6)
    assert len({str(start_of(env)) for _ in range(5)}) == 5


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "1"])
def test_seeds_out_of_range_are_refused(seed):
    with pytest.raises(ValueError, match="a seed is an integer from 0 to 2\\*\\*63 - 1, or None"):
        wrapped().reset(seed=seed)


def test_forced_draws_come_before_chance():
    env = wrapped()
    assert start_of(env, seed=0, options={"draws": [["card_1"] * 3, ["card_4"]]})[0] == [1, 1, 1]
    assert env.to_scenario()["state"]["cards"][1][0] == 4


def test_reset_options_are_checked():
    env = wrapped()
    sentence = r"reset ignores the unknown options \['drws'\] \(did you mean \"draws\"\?\): known are \"draws\"$"
    with pytest.warns(UserWarning, match=sentence):
        env.reset(options={"drws": [["card_1"]]})
    for draws in ("card_1", ["card_1"], 3, None):
        with pytest.raises(ValueError, match=r"^draws=.*: it must be a list with one list per player$"):
            env.reset(options={"draws": draws})
    with pytest.raises(
        ValueError, match=r'^draws\[0\]: "card_5" is not a result for player 0 \(did you mean "card_4"\?\)$'
    ):
        env.reset(options={"draws": [["card_5"]]})


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("render_mode", "svg", "render_mode='svg': allowed are None, 'ansi', 'rgb_array', 'html', 'human'"),
        ("render_viewpoint", 2, "render_viewpoint=2: allowed are 'own', 'referee', 0, 1"),
        ("illegal_action", "ignore", "illegal_action='ignore': allowed are 'raise', 'penalize', 'terminate'"),
        ("illegal_penalty", -1, "illegal_penalty=-1: it must be a number of at least 0"),
        ("shaping", abs, "it must be a PotentialShaping or None"),
        ("colour", 1, "RawEnv got an unexpected keyword argument 'colour': known are render_mode, render_viewpoint"),
    ],
)
def test_options_are_checked(option, value, sentence):
    with pytest.raises(ValueError) as refusal:
        RawEnv(make_duel(), **{option: value})
    assert sentence in str(refusal.value)


# --- order of calls


def test_wrapped_environments_refuse_calls_before_reset():
    env = wrapped()
    for name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "num_agents"):
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
            getattr(env, name)
    arguments = {"last": [], "render": [], "state": [], "agent_iter": [], "step": [0], "observe": ["player_0"]}
    for name, given in arguments.items():
        with pytest.raises(ValueError, match=rf"^no game is running: call reset\(\) before {name}\(\)$"):
            getattr(env, name)(*given)


def test_nothing_is_stepped_after_the_end():
    env = wrapped()
    env.reset(seed=0)
    play_out(env)
    for action in (0, None):
        with pytest.raises(ValueError, match=r"^no game is running: call reset\(\) before step\(\)$"):
            env.step(action)


def test_calls_before_reset_and_after_the_end_are_refused():
    env = RawEnv(make_duel())
    with pytest.raises(ValueError, match=r"^no game is running: call reset\(\) before step\(\)$"):
        env.step(0)
    for call in (env.legal_actions, env.to_scenario, env.state, env.record, lambda: env.observe("player_0")):
        with pytest.raises(ValueError, match=r"^no game has begun: call reset\(\) first$"):
            call()
    env.reset(seed=0)
    play_out(env)
    assert env.agents == []
    with pytest.raises(ValueError, match="no game is running"):
        env.step(None)


def test_agent_iter_wants_a_step_in_each_turn():
    env = wrapped()
    env.reset(seed=0)
    with pytest.raises(AssertionError, match="need to call step\\(\\) or reset\\(\\) in a loop over `agent_iter`"):
        for _ in env.agent_iter():
            pass


def test_step_text_is_a_step_in_agent_iter():
    env = wrapped(max_turns=1)
    env.reset(seed=0)
    for agent in env.agent_iter():
        if env.terminations[agent] or env.truncations[agent]:
            env.step(None)
        else:
            env.step_text(env.legal_texts()[0])
    assert env.agents == []


# --- the referee's view


def test_decisions_are_described_in_texts():
    env = wrapped(3)
    env.reset(seed=0, options={"draws": [["card_1", "card_3", "card_3"]]})
    assert env.legal_actions() == [0, 2]
    assert env.legal_texts() == ["card 1", "card 3"]
    assert env.parse_action("card 3") == 2
    assert env.format_action(2) == "card 3"
    env.step_text("card 3")
    assert env.legal_texts() == ["player 1", "player 2"]
    assert env.to_scenario()["state"]["pending"] == 3
    with pytest.raises(ValueError, match="'card 3' is not legal for player 0 now; legal are: player 1, player 2"):
        env.step_text("card 3")


def test_state_concatenates_all_observations():
    env = wrapped(3)
    env.reset(seed=0)
    seen = [env.observe(agent)["observation"] for agent in env.possible_agents]
    assert np.array_equal(env.state(), np.concatenate(seen))
    assert env.state_space.contains(env.state())


def test_render_needs_a_mode():
    env = wrapped()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="render\\(\\) needs a render_mode"):
        env.render()


def test_no_warning_comes_from_plain_use():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = wrapped(3)
        env.reset(seed=5)
        play_out(env)
