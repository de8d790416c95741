"""Behavior cloning from a data set: a network learns the choices of greedy from recorded games (docs/data.md)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import torch

import sackarmies_env
from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.learned.network import Network
from sackarmies_agents.learned.policy_agent import PolicyAgent, make_network
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_env.core.record import make_record, save_record
from sackarmies_training.curve import play_side_by_side
from sackarmies_training.datasets.parquet import action_masks, describe_file, observations, write_parquet
from sackarmies_training.evaluate import Plan, evaluate
from sackarmies_training.labels import WIN


def record_games(folder: Path, seeds: int) -> Path:
    """Record games of greedy against random, each seed from both seats; return the file of all decisions."""
    game = sackarmies_env.load_game("sack_armies")
    _, played = evaluate(game, "greedy", "random", Plan(seeds, seed=1), lambda games: None)
    paths = [folder / f"{number}.json" for number in range(len(played))]
    for path, one in zip(paths, played, strict=True):
        save_record(make_record(game, one.seed, one.actions, players=one.agents), path)
    write_parquet(paths, folder / "games.parquet")
    return folder / "games.parquet"


def clone(file: Path, agent: str, passes: int) -> Network:
    """Return a network that has learned the choices of an agent."""
    table = pq.read_table(file, filters=[("agent", "=", agent)])
    seen, actions = torch.from_numpy(observations(file, table)), torch.tensor(table["action"].to_pylist())
    masks = torch.from_numpy(action_masks(table["legal"], describe_file(file).num_actions)) != 0
    network = make_network(GameInfo.of(sackarmies_env.load_game("sack_armies")), NetworkSizes())
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for _ in range(passes):
        for rows in torch.randperm(len(seen)).split(128):  # type: ignore[no-untyped-call]
            scores, _ = network(seen[rows], masks[rows])
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(scores, actions[rows]).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return network


def share_won(network: Network, games: int) -> float:
    """Return the share of games that the network wins against random, side by side and from both seats."""
    game = sackarmies_env.load_game("sack_armies")
    random = make_agent("random", GameInfo.of(game))
    results = play_side_by_side([game], PolicyAgent(network), random, games, seed=1)[:, 0]
    return float((results == WIN).mean())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(f"won {share_won(clone(record_games(Path(name), 20), 'greedy', 2), 40):.0%} against random")
