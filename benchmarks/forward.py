"""Speed of the trained General, by its kernel and by torch: `python -m benchmarks.forward`.

The table shows processor time per decision on one thread, advice included. The positions come from games of `greedy`
and are asked one by one in their order, and in batches. The kernel and torch take turns, so that a change in the
machine's load affects both.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
import torch
from rich.table import Table

from benchmarks.contest import load_now
from benchmarks.machine import describe_machine
from benchmarks.report import wide_console
from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.learned.checkpoint import POLICY, read_checkpoint
from sackarmies_agents.learned.learned_agent import LearnedAgent
from sackarmies_agents.learned.load import kernel_agent_of
from sackarmies_agents.learned.policy_agent import PolicyAgent, read_network
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_env.registry import load_players

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
GAMES = 4


def positions_of(game: Game, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return observations and masks of whole games, one game after the other."""
    greedy, batch = make_agent("greedy", GameInfo.of(game)), Batch(game, GAMES)
    batch.reset(np.arange(GAMES))
    seen, masks = [], []
    for _ in range(-(-count // GAMES)):
        seen.append(batch.observations.copy())
        masks.append(batch.action_masks.copy())
        batch.step(greedy.act_batch(batch.observations, batch.action_masks))
    order = np.arange(len(seen) * GAMES).reshape(-1, GAMES).T.ravel()[:count]
    return np.concatenate(seen)[order], np.concatenate(masks)[order]


def microseconds(agent: LearnedAgent, observations: np.ndarray, masks: np.ndarray, n: int) -> float:
    """Return the processor time per decision in batches of `n`, in microseconds."""
    begun, whole = time.process_time(), len(masks) - len(masks) % n
    for first in range(0, whole, n):
        agent.act_batch(observations[first : first + n], masks[first : first + n])
    return (time.process_time() - begun) / whole * 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the speed of the trained General.")
    parser.add_argument("--positions", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    load, game = load_now(), load_players("sack_armies", 2)
    info, checkpoint = GameInfo.of(game), read_checkpoint(CHECKPOINT)
    kernel, network = kernel_agent_of(checkpoint, info, deterministic=True), read_network(checkpoint, POLICY, info)
    agents = kernel, PolicyAgent(network, deterministic=True, advisor=kernel.advisor)
    observations, masks = positions_of(game, arguments.positions)
    table = Table(
        "positions at once", "kernel, us a decision", "torch, us a decision", title=describe_machine()["processor"]
    )
    for agent in agents:
        agent.act_batch(observations[:1], masks[:1])  # loading and compiling are not measured
    for n in SIZES:
        if n <= len(masks):
            rounds = [
                [microseconds(agent, observations, masks, n) for agent in agents] for _ in range(arguments.rounds)
            ]
            table.add_row(str(n), *(f"{statistics.median(column):.1f}" for column in zip(*rounds, strict=True)))
    console = wide_console()
    console.print(table)
    console.print(f"Load of the machine {load:.1f} before and {load_now():.1f} after.")


if __name__ == "__main__":
    main()
