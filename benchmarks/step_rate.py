"""How many decisions a second: the kernels on a batch, one game from Python, and the PettingZoo environment.

`python benchmarks/step_rate.py` prints one table: random legal play of two Generals with mask and observation at every
decision, medians of five runs. Choosing the action is part of the work.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import sackarmies_env
from sackarmies_env.core.game import Game, Records

RUNS = 5
WARM_UP = 300  # decisions a game before the clock starts: positions of the middle game
BATCH = 256


def batch_rate(game: Game, num_games: int, decisions: int) -> float:
    """Return decisions a second of `num_games` games side by side, each begun anew when it ends."""
    states = game.new_states(num_games)
    game.reset(game.params, states, np.arange(num_games, dtype=np.int64))
    mask = np.zeros((num_games, game.num_actions), np.int8)
    observations = np.zeros((num_games, game.observation_spec.size), np.int8)
    rng = np.random.default_rng(0)

    def play(steps: int) -> None:
        for _ in range(steps):
            game.legal_actions(game.params, states, mask)
            choices = rng.random(mask.shape, dtype=np.float32)
            choices *= mask
            game.step(game.params, states, choices.argmax(axis=1).astype(np.int64))
            restart(game, states, rng)
            game.observe(game.params, states, states["current_player"].astype(np.int64), observations)

    play(WARM_UP)
    started = time.perf_counter()
    play(decisions)
    return num_games * decisions / (time.perf_counter() - started)


def restart(game: Game, states: Records, rng: np.random.Generator) -> None:
    """Begin anew the games that are over."""
    over = np.flatnonzero(states["current_player"] < 0)
    if len(over):
        fresh = game.new_states(len(over))
        game.reset(game.params, fresh, rng.integers(2**31, size=len(over)))
        states[over] = fresh


def environment_rate(make: Callable[[], Any], decisions: int) -> float:
    """Return decisions a second of one PettingZoo environment in random play, games begun anew included."""
    env = make()
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    seed = 0
    started = time.perf_counter()
    for _ in range(decisions):
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            seed += 1
            env.reset(seed=seed)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(legal[int(rng.random() * len(legal))]))
    return decisions / (time.perf_counter() - started)


def main() -> None:
    """Measure and print."""
    game = sackarmies_env.load_game("sack_armies")
    rates: dict[str, Callable[[], float]] = {
        f"kernels, {BATCH} games, one thread": lambda: batch_rate(game, BATCH, 200),
        "kernels, one game": lambda: batch_rate(game, 1, 5_000),
        "PettingZoo, raw_env": lambda: environment_rate(sackarmies_env.raw_env, 20_000),
        "PettingZoo, env": lambda: environment_rate(sackarmies_env.env, 20_000),
    }
    table = Table("what", "decisions a second", title="Sack Armies, two Generals, random play")
    for name, rate in rates.items():
        rate()  # compiles
        table.add_row(name, f"{statistics.median(rate() for _ in range(RUNS)):,.0f}")
    table.add_row("state, bytes", f"{game.state_dtype.itemsize:,}")
    table.add_row("observation, bytes", f"{game.observation_spec.size:,}")
    Console().print(table)


if __name__ == "__main__":
    main()
