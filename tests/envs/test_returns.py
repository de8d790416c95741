"""Rewards of whole games: they add up to the returns, which sum to zero at every end (C-reward, Q-97)."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Verb
from tests.core.toy_game import LIVES, make_duel
from tests.sack_armies.builders.text_game import field, position, token, unit

HOMES = ("0,0", "2,0", "0,2", "2,2", "4,0", "0,4")  # of Generals 0 to 5, two hexes apart
GAMES = 2 if INTERPRETED else 60
EXACT = 1e-6  # float32


def skirmish(generals: int, reward: str, max_turns: int, last_stand: bool) -> Game:
    """Return a game in which Generals have one unit each on the board and are soon eliminated.

    In a last stand they have nothing else; otherwise they have tokens to draw, and may concede.
    """
    pile = {"hand": [], "sack": [] if last_stand else ["spare"] * 4, "casualties": [], "removed": []}
    scenario = position(
        [token("a", movement=2, damage=2, abilities=[{"kind": "range", "range": 3}])],
        [unit("a", home, seat) for seat, home in enumerate(HOMES[:generals])],
        fields=[field(home, seat) for seat, home in enumerate(HOMES[:generals])],
        generals=generals,
        general=[pile] * generals,
        switches={"reward": reward, "max_turns": max_turns, "allow_concede": not last_stand},
    )
    return make_game(scenario=scenario)


def skirmishes(seed: int, reward: str = "zero_sum") -> Game:
    """Return a skirmish of 2 to 6 Generals that is truncated after 1 to 40 turns."""
    rng = np.random.default_rng(seed)
    return skirmish(2 + seed % 5, reward, int(rng.integers(1, 41)), bool(rng.random() < 0.5))


def chosen(rng: np.random.Generator, mask: Any) -> int:
    """Return a random legal action; conceding is rare."""
    legal = np.flatnonzero(mask)
    weights = np.where(legal == Verb.CONCEDE, 0.3, 1.0)
    return int(rng.choice(legal, p=weights / weights.sum()))


def ending(game: Game, states: Any) -> tuple[str, bool]:
    """Return how a game has ended and whether anyone was eliminated before the end."""
    alive = states["general_alive"][0, : game.num_players]
    if states["truncated"][0]:
        return "truncated", bool((alive == 0).any())
    return "won" if states["winner"][0] >= 0 else "drawn", True


def play_out(game: Game, seed: int) -> tuple[list[np.ndarray], Any]:
    """Play a random game with forfeits; return the returns after each decision and the last state."""
    rng = np.random.default_rng(seed)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([seed], np.int64))
    mask = np.zeros((1, game.num_actions), np.int8)
    steps = []
    while True:
        out = np.zeros((1, game.num_players), np.float32)
        game.returns(game.params, states, out)
        steps.append(out[0])
        if states["current_player"][0] < 0:
            return steps, states
        if rng.random() < 0.01:
            game.forfeit(game.params, states, rng.integers(game.num_players, size=1))
            continue
        game.legal_actions(game.params, states, mask)
        game.step(game.params, states, np.array([chosen(rng, mask[0])], np.int64))


@pytest.mark.parametrize("reward", ["zero_sum", "win_only"])
def test_returns_add_up_at_every_end_and_are_paid_at_elimination(reward):
    endings: Counter[tuple[str, bool]] = Counter()
    for seed in range(5 * GAMES):
        game = skirmishes(seed, reward)
        steps, states = play_out(game, seed)
        endings[ending(game, states)] += 1
        last = steps[-1]
        if reward == "zero_sum":
            assert abs(last.sum()) < EXACT, (seed, last)
        else:
            assert sorted(last.tolist())[-1] == (1.0 if states["winner"][0] >= 0 else 0.0)
            assert np.count_nonzero(last) == (states["winner"][0] >= 0)
        loss = -1 / (game.num_players - 1) if reward == "zero_sum" else 0.0
        for now in steps[:-1]:  # before the end, only losses are paid, and these are final
            assert set(now.tolist()) <= {0.0, float(np.float32(loss))}
            assert (last[now < 0] == now[now < 0]).all()
    if not INTERPRETED:
        assert set(endings) >= {("truncated", True), ("truncated", False), ("won", True)}


@pytest.mark.parametrize("seed", range(GAMES))
def test_rewards_of_all_agents_add_up_to_zero(seed):
    game = skirmishes(seed)
    env = RawEnv(game)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    earned = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        earned[agent] += reward
        env.step(None if terminated or truncated else chosen(rng, observation["action_mask"]))
    assert abs(sum(earned.values())) < EXACT
    assert min(earned.values()) >= -1 / (game.num_players - 1) - EXACT


def test_rewards_of_all_seats_of_the_vector_environment_add_up_to_zero():
    game = skirmish(4, "zero_sum", 9, False)
    env = BatchEnv(game, 8, seat="all")
    _, infos = env.reset(seed=3)
    rng = np.random.default_rng(3)
    totals, ends = np.zeros((8, 4)), 0
    while ends < 4 * GAMES:
        actions = np.array([chosen(rng, mask) for mask in infos["action_mask"]])
        *_, terminations, truncations, infos = env.step(actions)
        totals += infos["rewards"]
        for row in np.flatnonzero(terminations | truncations):
            assert abs(totals[row].sum()) < EXACT
            assert infos["final_info"]["returns"][row] == pytest.approx(totals[row])
            totals[row] = 0
            ends += 1


def test_losses_of_players_who_are_out_at_the_start_are_not_paid():
    def start(states):
        states["lives"][0, :2] = LIVES  # player 2 has none

    env = BatchEnv(dataclasses.replace(make_duel(3), initial_state=start), 4, seat="all")
    _, infos = env.reset(seed=3)
    assert env.batch.returns[:, 2].tolist() == [-0.5] * 4
    *_, infos = env.step(infos["action_mask"].argmax(axis=1))
    assert infos["rewards"].tolist() == [[0.0] * 3] * 4  # nobody can lose two lives in a turn


@pytest.mark.parametrize("options", [{}, {"decision_infos": True}, {"illegal_action": "penalize"}])
def test_rewards_of_all_seats_have_one_type_whatever_the_options(options):
    env = BatchEnv(skirmish(4, "zero_sum", 9, False), 2, seat="all", **options)
    _, infos = env.reset(seed=3)
    _, rewards, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
    assert rewards.dtype == infos["rewards"].dtype == np.float64


@pytest.mark.parametrize("seed", range(GAMES))
def test_a_learner_is_paid_what_the_returns_say(seed):
    game = skirmishes(seed)
    env = SingleSeatEnv(game, opponent="random", seat="random")
    _, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    earned, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(chosen(rng, info["action_mask"]))
        earned, over = earned + reward, terminated or truncated
    assert earned == pytest.approx(info["returns"][info["seat"]])
    if truncated:
        assert abs(info["returns"].sum()) < EXACT
