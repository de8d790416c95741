"""Sack Armies through every adapter: conformance, options, scenarios, texts, viewpoints."""

from __future__ import annotations

import functools
import json
import pickle
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

import sackarmies_env
from sackarmies_env import sack_armies_v0
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.record import replay
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.testing import check_game
from tests.sack_armies.builders.twin_worlds import without_lists

ENVIRONMENT = "sackarmies_env/SackArmies-v0"
SHORT = {"max_turns": 8}
GENERALS = [2, pytest.param(3, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow)]


@functools.cache
def game(num_generals=2):
    return sackarmies_env.load_game("sack_armies", num_generals=num_generals)


def step_first(env, steps):
    for _ in range(steps):
        agent = env.agent_selection
        env.step(None if env.terminations[agent] or env.truncations[agent] else env.legal_actions()[0])


# --- conformance


@pytest.mark.parametrize("num_generals", GENERALS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_passes_the_tests_of_pettingzoo(num_generals):
    make = functools.partial(sack_armies_v0.env, num_generals=num_generals)
    api_test(make(), num_cycles=1000)
    seed_test(make, num_cycles=50)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_passes_the_render_test_of_pettingzoo(capsys):
    pytest.importorskip("PIL")
    render_test(sack_armies_v0.env)
    assert "seen by General" in capsys.readouterr().out  # "human" prints


@pytest.mark.parametrize("num_generals", GENERALS)
def test_unmasked_sampling_runs_into_the_turn_limit(num_generals):
    env = sack_armies_v0.env(num_generals=num_generals, switches=SHORT, illegal_action="penalize")
    env.reset(seed=1)
    last = {}
    for agent in env.agent_iter():
        _, _, terminated, truncated, _ = env.last()
        last[agent] = (terminated, truncated)
        env.step(None if terminated or truncated else env.action_space(agent).sample())
    assert last == dict.fromkeys(env.possible_agents, (False, True))


@pytest.mark.parametrize("num_generals", GENERALS)
def test_keeps_the_contract(num_generals):
    check_game(game(num_generals), num_games=2, max_plies=300, every=25)


def test_passes_the_check_of_gymnasium():
    pytest.importorskip("PIL")
    env = gymnasium.make(ENVIRONMENT, illegal_action="penalize", render_mode="ansi")
    assert isinstance(env.unwrapped, SingleSeatEnv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_passes_the_check_of_stable_baselines():
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(sack_armies_v0.single_seat_env(illegal_action="penalize"), warn=True)


def test_is_registered():
    assert sackarmies_env.list_games() == ["sack_armies", "territories"]
    made = gymnasium.make_vec(ENVIRONMENT, num_envs=3, seat=0)
    assert isinstance(made, BatchEnv)
    assert made.num_envs == 3
    if hasattr(pettingzoo, "make"):
        assert str(pettingzoo.make("aec", ENVIRONMENT)) == "sack_armies_v0"


def test_vector_of_sack_armies_matches_sync_vector_env():
    options = {"switches": SHORT, "num_envs": 3}
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    name = ENVIRONMENT
    sync = gymnasium.make_vec(name, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options)
    env = gymnasium.make_vec(name, vectorization_mode="vector_entry_point", threads=2, **options)
    assert isinstance(env.unwrapped, BatchEnv)
    expected, _ = sync.reset(seed=3)
    observations, infos = env.reset(seed=3)
    rng, ends = np.random.default_rng(0), 0
    for _ in range(8 if INTERPRETED else 600):
        for name in ("observation", "action_mask"):
            assert np.array_equal(observations[name], expected[name])
        masks = infos["action_mask"]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        observations, *mine, infos = env.step(actions)
        expected, *its, _ = sync.step(actions)
        assert [one.tolist() for one in mine] == [one.tolist() for one in its]
        ends += int((mine[1] | mine[2]).sum())
    assert INTERPRETED or ends > 0


# --- options


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"generals": 3},
            "sack_armies as 'aec' got an unexpected keyword argument 'generals' (did you mean \"num_generals\"?)",
        ),
        ({"num_generals": 7}, "num_generals must be an integer from 2 to 6, not 7"),
        ({"observation": "pixels"}, "observation='pixels': allowed are 'flat', 'dict', 'planes', 'compact'"),
        ({"armies": ["no_such_army", None]}, "unknown army 'no_such_army'"),
        ({"armies": [None]}, "expected 2 armies, one for each General, got 1"),
        ({"switches": {"draw_cuont": 3}}, "draw_cuont"),
        ({"scenario": "x03_walking_tree", "num_generals": 3}, "num_generals is 3, but the scenario is for 2 Generals"),
        ({"scenario": "x03_walking_tree", "armies": [None, None]}, "armies and scenario cannot be combined"),
        ({"scenario": "no_such.toml"}, "no_such.toml"),
        ({"scenario": {"game": "chess"}}, "game"),
    ],
)
def test_options_are_refused_in_words(options, sentence):
    with pytest.raises(ValueError) as refusal:
        sack_armies_v0.env(**options)
    assert sentence in str(refusal.value)


def test_names_are_refused_in_words():
    with pytest.raises(ValueError, match="unknown game 'chess': known are sack_armies"):
        sackarmies_env.make("chess")
    with pytest.raises(ValueError, match="api='parallel': allowed are 'aec', 'raw', 'gym', 'vector'"):
        sackarmies_env.make("sack_armies", "parallel")
    with pytest.raises(
        ValueError, match="sack_armies got an unexpected keyword argument 'render_mode': known are num_g"
    ):
        sackarmies_env.load_game("sack_armies", render_mode="ansi")


def test_a_configuration_is_plain_data():
    made = sackarmies_env.load_game("sack_armies", armies=["scourge", "empire"], switches={"draw_count": 2})
    assert [army["name"] for army in made.config["armies"]] == ["Tribes of the Black Swamp", "Second Legion"]
    assert made.config["switches"] == {"draw_count": 2}
    twin = sackarmies_env.load_game("sack_armies", **json.loads(json.dumps(made.config)))
    assert twin.digest == made.digest
    assert pickle.loads(pickle.dumps(made)).digest == made.digest
    assert made.digest != game().digest


def test_forced_results_come_before_chance():
    env = sack_armies_v0.env(switches={"setup_pick": "any_at_placement"})
    env.reset(seed=0, options={"flips": "T H"})
    assert env.agent_selection == "player_1"
    env.reset(seed=0, options={"flips": "H T"})
    assert env.agent_selection == "player_0"
    with pytest.raises(
        ValueError, match='flips=\'H X\': it must be a string of the letters "H", "T", with blanks and bars'
    ):
        env.reset(options={"flips": "H X"})
    with pytest.raises(ValueError, match="129 forced flips: at most 128 are allowed"):
        env.reset(options={"flips": "H" * 129})
    with pytest.raises(ValueError, match=r'^draws\[1\]: "balloon" is not a result for player 1; allowed are "'):
        env.reset(options={"draws": [[], ["balloon"]]})
    with pytest.raises(ValueError, match="forced draws for 3 players: the game has 2"):
        env.reset(options={"draws": [[], [], []]})


def test_exhausted_forced_results_are_an_error_in_words():
    env = sack_armies_v0.env(switches={"flip_method": "scripted", "setup_pick": "any_at_placement"})
    with pytest.raises(ValueError, match="the forced results are used up, and this configuration has"):
        env.reset(seed=0)


# --- scenarios and texts


def test_a_scenario_is_played_by_texts():
    env = sack_armies_v0.env(scenario="x03_walking_tree")
    env.reset(seed=0)
    for text in ("melee", "hex 0,0", "hex 1,0"):
        assert text in env.legal_texts()
        env.step_text(text)
    while env.unwrapped.game.describe_decision(env.unwrapped._match.states) == "WINDOW":
        env.step_text("pass")
    assert (env.agent_selection, env.legal_texts()) == ("player_1", ["pass", "yes"])
    env.step_text("yes")
    assert (env.agent_selection, env.legal_texts()) == ("player_0", ["pass", "yes"])
    env.step_text("yes")
    units = [(unit["token"], unit["at"]) for unit in env.to_scenario()["unit"]]
    assert units == [("x_walking_tree", [1, 0])]
    with pytest.raises(ValueError, match="is not an action"):
        env.step_text("flee")
    assert replay(env.unwrapped.game, env.record())["turn"][0] == env.unwrapped._match.states["turn"][0]


def test_scenarios_take_their_chance_from_the_seed():
    scenario = sackarmies_env.load_scenario("x03_walking_tree") | {"flips": ""}
    env = sack_armies_v0.raw_env(scenario=scenario)
    assert sackarmies_env.load_scenario(scenario) == scenario

    def keys(seed):
        env.reset(seed=seed)
        return env._match.states["flip_key"].tolist()

    assert keys(1) == keys(1)
    assert keys(1) != keys(2)


def test_game_from_a_dump_continues_like_the_original():
    env = sack_armies_v0.raw_env()
    env.reset(seed=3)
    step_first(env, 60)
    twin = sack_armies_v0.raw_env(scenario=env.to_scenario())
    for seed in (0, 1):
        twin.reset(seed=seed)
        assert twin.agent_selection == env.agent_selection
        mine, its = env.clone(), twin
        for _ in range(60):
            assert mine.agent_selection == its.agent_selection
            assert mine.legal_texts() == its.legal_texts()
            step_first(mine, 1)
            step_first(its, 1)
        assert mine.to_scenario() == its.to_scenario()


def test_switches_may_be_added_to_a_scenario():
    made = sackarmies_env.load_game("sack_armies", scenario="x03_walking_tree", switches={"allow_concede": "on"})
    assert made.config["scenario"]["switches"] == {"auto_forced": False, "allow_concede": True}
    env = sack_armies_v0.raw_env(scenario="x03_walking_tree", switches={"allow_concede": "on"})
    env.reset(seed=0)
    assert "concede" in env.legal_texts()
    env.step_text("concede")
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}


# --- play


@pytest.mark.parametrize("num_generals", GENERALS)
def test_others_play_on_after_a_forfeit(num_generals):
    env = sack_armies_v0.env(num_generals=num_generals, illegal_action="terminate")
    env.reset(seed=2)
    step_first(env, 40)
    offender = env.agent_selection
    env.step(env.action_space(offender).n - 1 if env.legal_actions()[-1] != env.action_space(offender).n - 1 else 0)
    assert env.terminations[offender]
    assert env.rewards[offender] == pytest.approx(-1 / (num_generals - 1))
    assert env.agent_selection == (offender if num_generals > 2 else "player_0")
    step_first(env, 1 if num_generals > 2 else 2)
    assert env.agents == [agent for agent in env.possible_agents if agent != offender][: len(env.agents)]
    assert len(env.agents) == (num_generals - 1 if num_generals > 2 else 0)


def test_error_messages_reveal_nothing_hidden():
    env = sack_armies_v0.raw_env()
    env.reset(seed=5)
    for ply in range(120):
        step_first(env, 1)
        if ply % 10:
            continue
        seat = np.array([env.possible_agents.index(env.agent_selection)])
        twin = env.clone()
        twin.game.determinize(without_lists(twin.game.params), twin._match.states, seat, np.array([ply]))
        illegal = next(action for action in range(env.game.num_actions) if action not in env.legal_actions())
        sentences = []
        for world in (env, twin):
            with pytest.raises(ValueError) as refusal:
                world.step(illegal)
            sentences.append(str(refusal.value))
        assert sentences[0] == sentences[1]


TYPOS = [
    (lambda: sackarmies_env.env(num_generlas=3), "num_generals"),
    (lambda: gymnasium.make(ENVIRONMENT, oponent="random"), "opponent"),
    (lambda: gymnasium.make_vec(ENVIRONMENT, num_envs=2, oponent="random"), "opponent"),
    (lambda: sackarmies_env.env(render_mode="ansii"), "ansi"),
    (lambda: sackarmies_env.env(render_viewpoint="player1"), "player_1"),
    (lambda: sackarmies_env.env(render_viewpoint="refere"), "referee"),
    (lambda: sackarmies_env.env(observation="plane"), "planes"),
    (lambda: sackarmies_env.env(switches={"flip_metod": "coin"}), "flip_method"),
    (lambda: sackarmies_env.env(switches={"flip_method": "coins"}), "coin"),
    (lambda: sackarmies_env.env(armies="empir"), "empire"),
    (lambda: sackarmies_env.load_game("sack_armis"), "sack_armies"),
    (lambda: sackarmies_env.make("sack_armies", "gymm"), "gym"),
    (lambda: sackarmies_env.load_scenario("x03_walking_tre"), "x03_walking_tree"),
    (lambda: sack_armies_v0.single_seat_env(opponent="gredy"), "greedy"),
    (lambda: sack_armies_v0.single_seat_env(seat="randm"), "random"),
]


@pytest.mark.parametrize(("call", "meant"), TYPOS, ids=[meant for _, meant in TYPOS])
def test_typo_gets_a_suggestion(call, meant):
    with pytest.raises(ValueError) as refusal:
        call()
    assert f'(did you mean "{meant}"?)' in str(refusal.value)


def test_wrong_seat_gets_no_suggestion():
    with pytest.raises(ValueError, match=r"render_viewpoint='player_3': allowed are .* 'player_0', 'player_1'$"):
        sackarmies_env.env(render_viewpoint="player_3")


def test_viewpoint_may_be_the_name_of_an_agent():
    pictures = []
    for viewpoint in (1, "player_1"):
        env = sack_armies_v0.raw_env(render_mode="ansi", render_viewpoint=viewpoint)
        env.reset(seed=0)
        pictures.append(env.render())
    assert "seen by General 1" in pictures[0]
    assert pictures[1] == pictures[0]


def test_renderings_show_what_the_viewpoint_knows():
    pictures = {}
    for viewpoint in ("own", "referee", 0, 1):
        env = sack_armies_v0.raw_env(render_mode="ansi", render_viewpoint=viewpoint)
        env.reset(seed=0)
        step_first(env, 30)
        pictures[viewpoint] = env.render()
    own = env.possible_agents.index(env.agent_selection)
    assert pictures["own"] == pictures[own]
    assert len({pictures["referee"], pictures[0], pictures[1]}) == 3


def test_a_vector_row_plays_as_a_single_game():
    batch = sack_armies_v0.vector_env(num_envs=3, seat=1, opponent=[First()])
    single = sack_armies_v0.single_seat_env(seat=1, opponent=First())
    observations, _ = batch.reset(seed=7)
    expected, _ = single.reset(seed=8)
    for _ in range(60):
        assert np.array_equal(observations["observation"][1], expected["observation"])
        assert np.array_equal(observations["action_mask"][1], expected["action_mask"])
        actions = observations["action_mask"].argmax(axis=1)
        observations, *_ = batch.step(actions)
        expected, *_ = single.step(int(actions[1]))


class First:
    """Plays the lowest legal id."""

    def act(self, observation, action_mask):
        return int(action_mask.argmax())
