"""Our own modes: batches, one game from Python, PettingZoo, Gymnasium, Stable-Baselines3, the scripted General.

Two Generals play with full armies from the catalogue. Games played side by side have had 300 decisions each before the
clock starts; games played alone are played whole, one after the other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import sackarmies_env
from benchmarks.contest import Player, aec_player, best_of, sizes
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import choose_from_mask
from sackarmies_env.core.state import copy_records
from sackarmies_env.core.step_batch import Command, new_commands

PACKAGES = ("sackarmies-env", "numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "stable-baselines3")
WARM_UP = 300  # decisions per game before the clock starts, to reach the middle game
BATCH_SIZES = (64, 256, 1024)  # the best one counts, as for other libraries with batches
VECTOR_SIZE = 256
SB3_SIZE = 64


def load_game() -> Game:
    """Return the game that all modes play."""
    return sackarmies_env.load_game("sack_armies")


def warm_batch(game: Game, n: int, seed: int = 0, threads: int = 1) -> Batch:
    """Return a batch of `n` games in the middle game, with masks and observations of the current players."""
    batch = Batch(game, n, threads=threads)
    batch.reset(np.arange(n, dtype=np.int64) + seed * 1_000_003)
    batch.rollout(WARM_UP)
    batch.read()
    return batch


def _details(game: Game, games: int = 1, threads: int = 1) -> dict[str, Any]:
    return sizes(game.num_actions, np.zeros(game.observation_spec.size, np.int8), games, threads)


def batch_player(game: Game, n: int, seed: int = 0, threads: int = 1) -> Player:
    """Return random play of a batch: the kernel chooses, and writes masks and observations at every decision."""
    batch = warm_batch(game, n, seed, threads)

    def play(decisions: int) -> int:
        steps = -(-decisions // n)
        for _ in range(steps):
            batch.step_random()
        return steps * n

    return Player(play, _details(game, n, threads))


def rollout_player(game: Game, n: int, seed: int = 0, threads: int = 1) -> Player:
    """Return random play inside the kernel, without outputs."""
    batch = warm_batch(game, n, seed, threads)

    def play(decisions: int) -> int:
        steps = -(-decisions // n)
        batch.rollout(steps)
        return steps * n

    return Player(play, _details(game, n, threads))


def _best_batch(make: Callable[..., Player], threads: int, seed: int) -> Player:
    game = load_game()
    return best_of([make(game, n, seed, threads) for n in BATCH_SIZES])


def _one_game(seed: int) -> Player:
    """Return random play of a single game: one kernel call per decision, which writes mask and observation."""
    game = load_game()
    states, slots = game.new_states(2), game.new_slots(1, restarts=True)
    copy_records(game.initial, states[1:])
    outputs = (
        np.zeros((1, game.num_actions), np.int8),
        np.zeros((0, 0), np.uint64),
        np.zeros((1, game.observation_spec.size), np.int8),
        np.zeros((1, 2, game.num_players), np.float32),
    )
    game.step_batch(game.params, states, new_commands(1, Command.BEGIN, seed), slots, *outputs)
    game.step_batch(game.params, states, new_commands(1, Command.RANDOM, WARM_UP), slots, *outputs)
    command = new_commands(1, Command.RANDOM, 1)

    def play(decisions: int) -> int:
        for _ in range(decisions):
            game.step_batch(game.params, states, command, slots, *outputs)
        return decisions

    return Player(play, _details(game))


@njit
def choose_rows(streams, masks, actions):
    """Choose a legal action in each row: streams (n,) int64, masks (n, num_actions) int8, actions (n,) int64."""
    for row in range(len(masks)):
        actions[row] = choose_from_mask(streams[row : row + 1], masks[row])


class RandomChooser:
    """Uniform random choice for many games at once, in place of a policy and as cheap as one can be."""

    def __init__(self, n: int, seed: int) -> None:
        self._streams = np.random.default_rng(seed).integers(2**62, size=n)
        self._actions = np.zeros(n, np.int64)

    def choose(self, masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return `(n,)` actions; the next call reuses the array."""
        choose_rows(self._streams, masks, self._actions)
        return self._actions


def _vector_env(seed: int) -> Player:
    env: Any = gymnasium.make_vec(
        "sackarmies_env/SackArmies-v0",
        VECTOR_SIZE,
        vectorization_mode="vector_entry_point",
        seat="all",
    )
    chooser = RandomChooser(VECTOR_SIZE, seed)
    env.reset(seed=seed)

    def play(decisions: int) -> int:
        steps = -(-decisions // VECTOR_SIZE)
        for _ in range(steps):
            env.step(chooser.choose(env.unwrapped.action_masks()))
        return steps * VECTOR_SIZE

    play(WARM_UP * VECTOR_SIZE)
    return Player(play, _details(env.unwrapped.game, VECTOR_SIZE))


def _sb3(seed: int) -> Player:
    from sackarmies_training.opponents import OpponentPool
    from sackarmies_training.selfplay_env import SelfPlayEnv

    game = load_game()
    pool = OpponentPool({"random": 1.0}, lambda text: make_agent(text, GameInfo.of(game)), past=0.0, size=1)
    env = SelfPlayEnv(game, SB3_SIZE, pool, seed)
    chooser = RandomChooser(SB3_SIZE, seed)
    env.reset()

    def play(decisions: int) -> int:
        steps = -(-decisions // SB3_SIZE)
        for _ in range(steps):
            env.step(chooser.choose(env.action_masks()))
        return steps * SB3_SIZE

    play(WARM_UP * SB3_SIZE)
    return Player(play, _details(game, SB3_SIZE))


def greedy_player(game: Game, seed: int = 0) -> Player:
    """Return play of a batch by `greedy` in all seats, each decision chosen from mask and observation."""
    batch = warm_batch(game, VECTOR_SIZE, seed)
    agent = make_agent("greedy", GameInfo.of(game))
    agent.reset(seed)

    def play(decisions: int) -> int:
        steps = -(-decisions // VECTOR_SIZE)
        for _ in range(steps):
            batch.step(agent.act_batch(batch.observations, batch.action_masks))
        return steps * VECTOR_SIZE

    return Player(play, _details(game, VECTOR_SIZE))


CONTESTANTS: dict[str, Callable[[int], Player]] = {
    "batch_1": functools.partial(_best_batch, batch_player, 1),
    "batch_2": functools.partial(_best_batch, batch_player, 2),
    "rollout": functools.partial(_best_batch, rollout_player, 1),
    "one_game": _one_game,
    "raw_env": lambda seed: aec_player(sackarmies_env.raw_env(), seed),
    "env": lambda seed: aec_player(sackarmies_env.env(), seed),
    "vector_env": _vector_env,
    "sb3": _sb3,
    "greedy": lambda seed: greedy_player(load_game(), seed),
}
