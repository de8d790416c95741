"""The Gymnasium environment, tested with a toy game: one seat for the learner, opponents in the others."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from sackarmies_env.core.rng import following_seed
from sackarmies_env.envs import opponents
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.opponents import (
    RandomOpponent,
    make_opponent,
    make_opponents,
    register_agent_factory,
    seat_of,
)
from sackarmies_env.envs.options import PotentialShaping
from tests.core.toy_game import make_duel


class Lowest:
    """Plays the lowest legal id and remembers its seeds and observations."""

    def __init__(self):
        self.seeds = []
        self.seen = []

    def reset(self, seed):
        self.seeds.append(seed)

    def act(self, observation, action_mask):
        self.seen.append(observation.copy())
        return int(np.flatnonzero(action_mask)[0])


def single(num_players=2, max_turns=60, **options):
    return SingleSeatEnv(make_duel(num_players, max_turns), **options)


def play_out(env):
    """Play to the end; return the last transition and the sum of rewards."""
    total = 0.0
    while True:
        observation, reward, terminated, truncated, info = env.step(env.legal_actions()[0])
        total += reward
        if terminated or truncated:
            return observation, total, terminated, truncated, info


def test_game_after_game_that_is_over_too_soon_is_an_error():
    env = single(max_turns=1, seat=1)
    with pytest.raises(ValueError, match="100 games in a row were over before the learner's first decision"):
        env.reset(seed=0)


def test_forced_results_are_for_the_first_game_only():
    env = single(max_turns=1)
    seed = next(seed for seed in range(9) if seat_of(seed, 2) == 1)
    env.reset(seed=seed, options={"draws": [["card_1", "card_2", "card_3"], []]})
    assert env._match.seed != seed
    assert env._match.forced == {}
    assert env._match.player == env.seat == 0


@pytest.mark.parametrize("mask_in_observation", [True, False])
@pytest.mark.parametrize("num_players", [2, 3])
def test_passes_the_check_of_gymnasium(num_players, mask_in_observation):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*does not have a `spec`|.*not having a spec.*|.*spec")
        check_env(
            single(num_players, illegal_action="penalize", mask_in_observation=mask_in_observation),
            skip_render_check=True,
        )


@pytest.mark.parametrize("mask_in_observation", [True, False])
def test_passes_the_check_of_stable_baselines(mask_in_observation):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    env = single(3, illegal_action="penalize", mask_in_observation=mask_in_observation)
    checker.check_env(env, warn=True)


@pytest.mark.slow
@pytest.mark.parametrize("mask_in_observation", [True, False])
def test_maskable_ppo_learns_on_it(mask_in_observation):
    sb3 = pytest.importorskip("sb3_contrib")
    policy = "MultiInputPolicy" if mask_in_observation else "MlpPolicy"
    env = single(3, mask_in_observation=mask_in_observation)  # refuses illegal actions
    model = sb3.MaskablePPO(policy, env, n_steps=64, batch_size=32, seed=0, device="cpu")
    model.learn(128)
    assert model.num_timesteps == 128


def test_the_vector_alone_is_observed_on_demand():
    env = single(mask_in_observation=False)
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert np.array_equal(info["action_mask"], env.action_masks())


def test_a_game_is_the_same_as_in_the_other_environment():
    rng = np.random.default_rng(5)
    env = single(3, seat=0, opponent=Lowest())
    other = RawEnv(make_duel(3))
    env.reset(seed=11)
    other.reset(seed=11)
    total = 0.0
    terminated = truncated = False
    while not (terminated or truncated):
        action = int(rng.choice(env.legal_actions()))
        observation, reward, terminated, truncated, _ = env.step(action)
        total += reward
        other.step(action)
        while other.agent_selection != "player_0" and other.agents:
            ended = other.terminations[other.agent_selection] or other.truncations[other.agent_selection]
            other.step(None if ended else other.legal_actions()[0])
        expected, cumulative, dead, cut, _ = other.last()
        assert np.array_equal(observation["observation"], expected["observation"])
        assert np.array_equal(observation["action_mask"], expected["action_mask"])
        assert (reward, terminated, truncated) == (cumulative, dead, cut)
    assert total in {1.0, -0.5, 0.0}


def test_seats_are_drawn_or_fixed():
    env = single(3)
    seats = []
    for seed in range(30):
        env.reset(seed=seed)
        seats.append(env.seat)
        assert env._match.player == env.seat
    assert set(seats) == {0, 1, 2}
    env = single(3, seat=2)
    for seed in range(5):
        env.reset(seed=seed)
        assert env.seat == 2
    with pytest.raises(ValueError, match="seat=3: allowed are 'random', 0, 1, 2"):
        single(3, seat=3)


def test_the_same_seed_gives_the_same_game_with_opponents_that_take_chances():
    def course(env):
        observation, _ = env.reset(seed=5)
        seen = [observation["observation"].tolist()]
        for _ in range(2):
            observation, *_ = env.step(env.legal_actions()[0])
            seen.append(observation["observation"].tolist())
        return seen

    env = single(6)
    assert course(env) == course(env) == course(single(6))


def test_opponents_play_the_seats_after_the_learners():
    low, high = Lowest(), RandomOpponent()
    env = single(3, seat=1, opponent=[low, high])
    env.reset(seed=0)
    assert env.opponents == [low, high]
    assert low.seen == []  # seat 2 has not acted yet; seat 0 was played by the other
    env.step(env.legal_actions()[0])
    env.step(env.legal_actions()[0])
    assert len(low.seen) > 0
    assert len(low.seeds) == 1
    for players, given in ((3, [low]), (2, [low, high])):
        wanted = {2: "1 opponent", 3: "2 opponents"}[players]
        message = f"expected {wanted}, one for each seat besides the learner's, got {len(given)}$"
        with pytest.raises(ValueError, match=message):
            single(players, opponent=given)


def test_names_of_opponents_are_looked_up(monkeypatch):
    game = make_duel()
    monkeypatch.setattr(opponents, "_registered", [])
    monkeypatch.setattr(opponents, "entry_points", lambda group: [])
    assert isinstance(make_opponent("random", game), RandomOpponent)
    with pytest.raises(ValueError, match="unknown opponent 'greedy': 'random' is built in"):
        make_opponent("greedy", game)
    asked = []
    register_agent_factory(lambda name, of: asked.append((name, of)) or Lowest())
    assert isinstance(make_opponent("greedy", game), Lowest)
    assert asked == [("greedy", game)]
    with pytest.raises(ValueError, match=r"opponent 3 must be a name or have a method act\(observation, action_mask\)"):
        make_opponent(3, game)


def test_installed_packages_bring_agents(monkeypatch):
    class Entry:
        def load(self):
            return lambda name, game: Lowest()

    monkeypatch.setattr(opponents, "_registered", [])
    monkeypatch.setattr(opponents, "entry_points", lambda group: [Entry()] if group == "sackarmies_env.agents" else [])
    assert isinstance(make_opponent("greedy", make_duel()), Lowest)


def test_an_opponent_must_play_legally():
    class Wrong:
        def act(self, observation, action_mask):
            return 99

    env = single(opponent=Wrong(), seat=0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^the opponent Wrong chose 99 \(not an action id\): call reset\(\)"):
        env.step(env.legal_actions()[0])


# --- ends


def test_learners_elimination_ends_the_episode_though_others_play_on():
    ends = []
    for seed in range(20):
        env = single(6, seat=0)
        env.reset(seed=seed)
        observation, total, terminated, truncated, info = play_out(env)
        ends.append((terminated, truncated, round(total, 6)))
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        assert not env.action_masks().any()
        assert env.observation_space.contains(observation)
        with pytest.raises(ValueError, match="the learner's game is over: call reset"):
            env.step(0)
    assert set(ends) == {(True, False, -0.2), (True, False, 1.0)}


def test_a_turn_limit_truncates():
    env = single(max_turns=1, seat=0)
    env.reset(seed=0)
    _, reward, terminated, truncated, _ = env.step(env.legal_actions()[0])
    assert (reward, terminated, truncated) == (0.0, False, True)


def test_reset_comes_first():
    env = single()
    with pytest.raises(ValueError, match="no game has begun"):
        env.step(0)
    with pytest.raises(ValueError, match="no game has begun"):
        env.action_masks()


# --- illegal actions


def test_illegal_actions_in_three_ways():
    draws = {"draws": [["card_1"] * 3]}
    env = single(seat=0)
    env.reset(seed=4, options=draws)
    before = env.to_scenario()
    with pytest.raises(
        ValueError, match=r"^illegal action 3 \(card 4\) for the learner at CARD; legal are 0 \(card 1\)$"
    ):
        env.step(3)
    assert env.to_scenario() == before
    env = single(seat=0, illegal_action="penalize", illegal_penalty=0.5)
    env.reset(seed=4, options=draws)
    assert env.step(3)[1] == -0.5
    assert env._match.history[0] == 0
    env = single(seat=0, illegal_action="terminate")
    env.reset(seed=4, options=draws)
    assert env.step(3)[1:4] == (-1.0, True, False)


# --- shaping


def cards(observations):
    """Return a potential of the learner's own hand."""
    return observations[:, :4] @ np.arange(1, 5) / 10


def test_shaping_is_the_gain_in_potential_and_sums_to_nothing_but_the_start():
    plain, shaped = (
        single(seat=0, opponent=Lowest()),
        single(seat=0, opponent=Lowest(), shaping=PotentialShaping(cards)),
    )
    first, _ = plain.reset(seed=3)
    shaped.reset(seed=3)
    start = float(cards(first["observation"][np.newaxis])[0])
    gains = []
    while True:
        action = plain.legal_actions()[0]
        _, reward, terminated, truncated, _ = plain.step(action)
        gains.append(shaped.step(action)[1] - reward)
        if terminated or truncated:
            break
    assert sum(gains) == pytest.approx(-start)


def test_shaping_in_the_other_environment_is_the_same():
    single_seat = single(3, seat=1, opponent=Lowest(), shaping=PotentialShaping(cards, 0.9))
    raw = RawEnv(make_duel(3), shaping=PotentialShaping(cards, 0.9))
    for seed in range(5):
        single_seat.reset(seed=seed)
        raw.reset(seed=seed)
        given = []
        over = False
        while not over:
            _, reward, terminated, truncated, _ = single_seat.step(single_seat.legal_actions()[0])
            given.append(reward)
            over = terminated or truncated
        taken = []
        for agent in raw.agent_iter():
            _, reward, terminated, truncated, _ = raw.last()
            if agent == "player_1":
                taken.append(reward)
            raw.step(None if terminated or truncated else raw.legal_actions()[0])
        assert taken[1:] == pytest.approx(given)
        assert taken[0] == 0


# --- chance of random play


def test_random_opponents_are_legal_and_even():
    opponent = RandomOpponent()
    mask = np.array([0, 1, 0, 1, 1], np.int8)
    chosen = [opponent.act(np.zeros(1, np.int8), mask) for _ in range(3000)]
    counts = np.bincount(chosen, minlength=5)
    assert counts[[0, 2]].tolist() == [0, 0]
    assert (abs(counts[[1, 3, 4]] - 1000) < 120).all()


def test_seats_that_are_played_at_random_share_one_stream_of_choices():
    first, second = make_opponents("random", make_duel(3))
    assert first is second
    env = single(3, opponent=["random", Lowest()], illegal_action="penalize")
    assert env._chance is env.opponents[0]


def test_a_game_without_a_seed_follows_the_last_one():
    env, other = single(3), single(3)
    env.reset(seed=5)
    env.reset()
    seed = env._match.seed
    assert seed == following_seed(5)
    observation, _ = env.reset()
    expected, _ = other.reset(seed=int(following_seed(seed)))
    assert env.seat == other.seat
    assert np.array_equal(observation["observation"], expected["observation"])


def test_is_a_gymnasium_environment():
    assert isinstance(single(), gymnasium.Env)
