"""Every environment refuses invalid arguments with a clear message and without any change."""

from __future__ import annotations

import functools

import gymnasium
import numpy as np
import pytest

import sackarmies_env
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.envs.wrapped import OrderEnforced
from tests.core.toy_game import make_duel

NAN = float("nan")


def raw(**options):
    return RawEnv(make_duel(), **options)


def wrapped(**options):
    return OrderEnforced(raw(**options))


def single(seat=0, **options):
    return SingleSeatEnv(make_duel(), seat=seat, **options)


def vector(**options):
    return BatchEnv(make_duel(), 2, **options)


class Seeded:
    """Plays a legal id that depends on its seed."""

    def reset(self, seed):
        self.seed = seed

    def act(self, observation, action_mask):
        legal = np.flatnonzero(action_mask)
        return int(legal[self.seed % len(legal)])


aec = pytest.mark.parametrize("make", [raw, wrapped])
one_game = pytest.mark.parametrize("make", [raw, wrapped, single])
all_apis = pytest.mark.parametrize("make", [raw, wrapped, single, vector])


# --- reset


@all_apis
@pytest.mark.parametrize("options", [[1], 1, 0, "flips", [], ("flips", "H"), np.zeros(1)])
def test_reset_options_are_a_dict(make, options):
    with pytest.raises(ValueError, match=r'^options=.* of reset: it must be a dict or None; allowed keys: "draws"$'):
        make().reset(options=options)


def everything(env):
    """Return everything that a reset changes and the state of the environment's random generator."""
    chance = env.unwrapped._np_random.bit_generator.state
    if isinstance(env, BatchEnv):
        return env.batch.states.tobytes(), env.batch._slots.tobytes(), env.seats.tolist(), env._np_random_seed, chance
    match = env.unwrapped._match
    return match.states.tobytes(), match.seed, tuple(match.history), getattr(env, "seat", None), chance


@pytest.mark.parametrize(
    "make", [raw, wrapped, functools.partial(single, seat="random"), functools.partial(vector, seat="random"), vector]
)
def test_refused_reset_changes_nothing(make):
    refused = [([["nonsense"], []], r'^draws\[0\]: "nonsense" is not a'), ("card_1", "^draws='card_1': it must be")]
    env = make()
    env.reset(seed=3)
    for seed in range(20):  # with some of them, the learner would get another seat
        before = everything(env)
        for draws, sentence in refused:
            with pytest.raises(ValueError, match=sentence):
                env.reset(seed=seed, options={"draws": draws})
        assert everything(env) == before


@pytest.mark.parametrize("seat", ["random", "all"])
@pytest.mark.parametrize("opponent", ["random", "own"])
def test_vector_plays_on_after_a_refused_reset(seat, opponent):
    played = []
    for is_disturbed in (False, True):
        env = vector(seat=seat, opponent=Seeded() if opponent == "own" else opponent)
        _, infos = env.reset(seed=1)
        if is_disturbed:
            with pytest.raises(ValueError, match="nonsense"):
                env.reset(seed=5, options={"draws": [["nonsense"], []]})
        observations, *_ = env.step(infos["action_mask"].argmax(axis=1))
        played.append((observations["observation"].tobytes(), observations["action_mask"].tobytes()))
    assert played[0] == played[1]


@all_apis
@pytest.mark.parametrize("seed", [1.5, NAN, -1, 2**63, "1", b"1", {}, True, np.float64(1), np.array(1.5)])
def test_a_seed_is_an_integer(make, seed):
    with pytest.raises(ValueError, match=r"a seed is an integer from 0 to 2\*\*63 - 1, or None$|^seed has the shape"):
        make().reset(seed=seed)


@pytest.mark.parametrize(
    ("seeds", "sentence"),
    [
        ([1], "1 seeds are given for 2 games"),
        ([1, 1.5], "seed 1.5: a seed is an integer"),
        ([1, NAN], "seed nan: a seed is an integer"),
        ([1, [2]], r"seed \[2\]: a seed is an integer"),
        (np.array([[1, 2]]), r"seed has the shape \(1, 2\): it must be one integer or a list of 2"),
        (np.array([1.5, 2.5]), r"seed .*1\.5.*: a seed is an integer"),
    ],
)
def test_seeds_of_a_vector_are_integers(seeds, sentence):
    with pytest.raises(ValueError, match=sentence):
        vector().reset(seed=seeds)


# --- steps

NO_ACTIONS = ["3", "card 1", 1.5, NAN, [0], {"action": 0}, np.array([0]), np.array([0, 1]), np.float32(0), ...]


@one_game
@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_an_action_is_an_integer(make, action):
    env = make()
    env.reset(seed=0)
    before = env.to_scenario()
    with pytest.raises(ValueError, match=r"^illegal action .* \(not an integer\) for .* at CARD; legal are"):
        env.step(action)
    assert env.to_scenario() == before


@one_game
@pytest.mark.parametrize("action", [99, -1, 10**5000], ids=["99", "-1", "large"])
def test_an_action_is_one_of_the_ids(make, action):
    env = make()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^illegal action .* \(no such id\) for ") as refusal:
        env.step(action)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize(
    "actions",
    ["3", ["0", "0"], [1.5, 0], [NAN, 0], [0], 0, None, [None, 0], [[0, 0]], [[0], [0, 0]], [True, False], {}],
)
def test_actions_of_a_vector_are_integers(actions):
    env = vector()
    env.reset(seed=0)
    before = env.batch.states.tobytes()
    with pytest.raises(ValueError, match=r"^actions of .*: expected a list of 2 integers$"):
        env.step(actions)
    assert env.batch.states.tobytes() == before


def play_out(env):
    while env.agents:
        env.step(env.legal_actions()[0] if env.legal_actions() else None)


@aec
def test_last_is_refused_after_the_end(make):
    env = make()
    env.reset(seed=0)
    play_out(env)
    with pytest.raises(ValueError, match=r"^no game is running: call reset\(\) before last\(\)$"):
        env.last()
    env.reset(seed=1)
    assert env.last()[0]["action_mask"].any()


def test_last_is_refused_before_the_first_reset():
    with pytest.raises(ValueError, match=r"^no game is running: call reset\(\) before last\(\)$"):
        raw().last()


# --- agents and texts


@aec
@pytest.mark.parametrize("agent", ["player_9", "", 0, None, ["player_0"], [], {}, np.zeros(2), b"player_0"], ids=repr)
def test_agents_have_names(make, agent):
    env = make()
    env.reset(seed=0)
    for call in (env.observe, env.observation_space, env.action_space, env.information_state):
        with pytest.raises(ValueError, match=r"^unknown agent .*: agents are player_0, player_1$"):
            call(agent)


@one_game
def test_texts_and_ids_of_actions_are_checked(make):
    env = make()
    env.reset(seed=0)
    for text in (0, None, ["card 1"], b"card 1"):
        with pytest.raises(ValueError, match=r"the text of an action must be a string, not .*: see legal_texts"):
            env.parse_action(text)
    for action in (99, -1, 1.5, "0", None, [0], True):
        with pytest.raises(ValueError, match=r"^unknown action .*: action ids are 0 to 5$"):
            env.format_action(action)
    assert env.format_action(np.int64(0)) == "card 1"


@one_game
def test_names_in_a_record_are_one_a_player(make):
    env = make()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^players='ab': it must be a list of names, one per seat$"):
        env.record(players="ab")
    with pytest.raises(ValueError, match=r"^players=\[1, 2\]: it must be a list of names"):
        env.record(players=[1, 2])
    with pytest.raises(ValueError, match=r"^1 names are given for 2 players$"):
        env.record(players=["a"])


# --- options


@one_game
@pytest.mark.parametrize("mode", ["ansy", "", 1, ["ansi"], True, np.array(["ansi", "human"])], ids=repr)
def test_render_modes_are_known(make, mode):
    with pytest.raises(ValueError, match=r"^render_mode=.*: allowed are None, 'ansi', 'rgb_array', 'html', 'human'$"):
        make(render_mode=mode)


@all_apis
@pytest.mark.parametrize("penalty", [-1, NAN, float("inf"), "1", None, [1], True], ids=repr)
def test_penalties_are_finite_numbers(make, penalty):
    with pytest.raises(ValueError, match=r"^illegal_penalty=.*: it must be a number of at least 0$"):
        make(illegal_penalty=penalty)


@all_apis
@pytest.mark.parametrize("penalty", [np.float32(0.25), np.float64(0.25), np.int64(1), 0.25, 1], ids=repr)
def test_penalties_are_numbers_of_python_or_numpy(make, penalty):
    kept = make(illegal_penalty=penalty).unwrapped.options.illegal_penalty
    assert (kept, type(kept)) == (penalty, float if isinstance(penalty, np.generic) else type(penalty))


class Idle:
    def act(self, observation, action_mask):
        return int(action_mask.argmax())


@pytest.mark.parametrize("make", [single, vector])
@pytest.mark.parametrize(
    ("opponent", "sentence"),
    [
        (Idle, "opponent Idle is a class: give an instance of it"),
        (None, "opponent None must be a name or have a method act"),
        (3, "opponent 3 must be a name"),
        ({"act": 1}, "opponent {'act': 1} must be a name"),
        ([], "expected 1 opponent, one for each seat besides the learner's, got 0"),
    ],
)
def test_opponents_are_names_or_instances(make, opponent, sentence):
    with pytest.raises(ValueError, match=sentence):
        make(opponent=opponent)


@pytest.mark.parametrize("num_envs", [0, -1, 1.5, "2", None, True])
def test_vectors_have_some_games(num_envs):
    with pytest.raises(ValueError, match=r"^num_envs=.*: it must be an integer of at least 1$"):
        BatchEnv(make_duel(), num_envs)


@pytest.mark.parametrize("answer", [None, 1.5, "0", [0], -4, 99])
@pytest.mark.parametrize("make", [single, vector])
def test_opponents_answer_with_integers(make, answer):
    class Odd:
        def act(self, observation, action_mask):
            return answer

    env = make(opponent=Odd())
    with pytest.raises(ValueError, match=r"^the opponent Odd (returned a value of type|chose .* \(not an action id\))"):
        for _ in range(3):
            env.reset(seed=0)
            masks = env.action_masks()
            env.step(masks.argmax() if make is single else masks.argmax(axis=1))


# --- the real game, through the public functions


@pytest.mark.skipif(INTERPRETED, reason="takes seconds a decision")
@pytest.mark.filterwarnings("ignore:.*not in the possible render_modes")  # Gymnasium says so as well
def test_sentences_come_through_gymnasium_and_pettingzoo():
    made = gymnasium.make("sackarmies_env/SackArmies-v0")
    with pytest.raises(ValueError, match=r"options=\[1\] of reset"):
        made.reset(options=[1])
    made.reset(seed=0)
    with pytest.raises(ValueError, match=r"^illegal action '3' \(not an integer\) for the learner at "):
        made.unwrapped.step("3")
    many = gymnasium.make_vec("sackarmies_env/SackArmies-v0", num_envs=2)
    with pytest.raises(ValueError, match=r"options=\[1\] of reset"):
        many.reset(options=[1])
    for make in (functools.partial(gymnasium.make, "sackarmies_env/SackArmies-v0"), sackarmies_env.env):
        with pytest.raises(
            ValueError, match=r"render_mode='ansy' \(did you mean \"ansi\"\?\): allowed are None, 'ansi'"
        ):
            make(render_mode="ansy")
    env = sackarmies_env.env()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^unknown agent \['player_0'\]: agents are player_0, player_1$"):
        env.observe(["player_0"])
