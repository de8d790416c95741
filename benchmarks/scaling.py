"""The cost of cluster jobs, measured on this machine, and what it means for more machines than were tried.

    python -m benchmarks.scaling

One process gives out the jobs. How many workers it can serve depends on a job's processor time, on the bytes that come
back, and on its own time per result. Other costs of a cluster (Ray itself, network delays) are left out.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.policy_agent import make_network
from sackarmies_env.registry import load_game
from sackarmies_training.config import LearnConfig, MatchSection, load_config
from sackarmies_training.expert import LabelJob, make_labels
from sackarmies_training.groups import Group, play_group
from sackarmies_training.labels import write_labels
from sackarmies_training.learn import Learner, Team
from sackarmies_training.learn_files import load_start, sizes_of
from sackarmies_training.line_ups import draw_games
from sackarmies_training.search_labels import SearchPlan
from sackarmies_training.tournament import Tournament, play_batch, save_batch

ROUNDS = 3  # per measurement; the fastest counts
WORKERS = (1, 2, 10, 100, 1_000, 10_000)


@dataclass(frozen=True)
class Cost:
    """The cost of a job per unit.

    Attributes:
        name: name of the job.
        unit: what is counted.
        worker: seconds of a worker's core.
        center: seconds of the process that takes the result, to learn from it or to write it.
        size: bytes of the result.
        disk: bytes written.
    """

    name: str
    unit: str
    worker: float
    center: float
    size: float
    disk: float


def fastest(job: Callable[[], object]) -> float:
    """Return the time of the fastest round in seconds."""
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        job()
        times.append(time.perf_counter() - begun)
    return min(times)


def of_self_play(config: LearnConfig) -> Cost:
    """Measure decisions of self-play that a learner learns from."""
    section = config.learn.model_copy(update={"games": 128, "groups": 1})
    game = load_game(config.game.id, **config.game.options)
    torch.manual_seed(config.seed)
    learner = Learner(make_network(GameInfo.of(game), sizes_of(config)), section, Team())
    group = Group([game], section, config.shaping, seed=1)
    part = play_group(group, learner.network, None, 1, 0.0)
    number = len(part.played.drawn)
    worker = fastest(lambda: play_group(group, learner.network, part.positions, 1, 0.0))
    center = fastest(lambda: learner.update(part.played, part.lesson, 0.0))
    return Cost("self-play", "decision", worker / number, center / number, len(pickle.dumps(part)) / number, 0.0)


def of_labels(config: LearnConfig, folder: Path) -> Cost:
    """Measure search labels."""
    game = load_game(config.game.id, **config.game.options)
    line_ups, info = draw_games(config.game, game, config.learn.line_ups, config.seed), GameInfo.of(game)
    job = LabelJob(load_start(config, info), config, SearchPlan(), line_ups, 100, seed=1)
    found = make_labels(job)
    worker = fastest(lambda: make_labels(job)) / len(found)
    path = folder / "labels"
    center = fastest(lambda: write_labels(path, found, info, "benchmark")) / len(found)
    return Cost(
        "labels", "label", worker, center, len(pickle.dumps(found)) / len(found), path.stat().st_size / len(found)
    )


def of_tournaments(folder: Path) -> Cost:
    """Measure tournament games between scripted Generals."""
    section = MatchSection(agents=["greedy", "greedy:weights=first"], seeds=20, batch=20, workers=1, seed=1)
    contest = Tournament(load_game("sack_armies"), section, folder / "tournament")
    batch = contest.open()[0]
    games = play_batch(contest, batch)
    worker = fastest(lambda: play_batch(contest, batch)) / len(games)
    center = fastest(lambda: save_batch(contest, batch, games)) / len(games)
    written = sum(path.stat().st_size for path in contest.folder.rglob("*.json"))
    return Cost("tournament", "game", worker, center, len(pickle.dumps(games)) / len(games), written / len(games))


def main() -> None:
    """Measure and print tables."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expert, quick = (load_config(Path(f"configs/train/{one}.toml"), LearnConfig) for one in ("expert", "quick"))
        costs = [of_self_play(quick), of_labels(expert, folder), of_tournaments(folder)]
    print("| job | unit | worker, ms | center, ms | result, bytes | written, bytes | workers that one center serves |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for cost in costs:
        figures = f"{1e3 * cost.worker:.3f} | {1e3 * cost.center:.3f} | {cost.size:,.0f} | {cost.disk:,.0f}"
        print(f"| {cost.name} | {cost.unit} | {figures} | {cost.worker / cost.center:,.1f} |")
    print()
    print("| job | " + " | ".join(f"{workers:,} workers" for workers in WORKERS) + " |")
    print("| --- |" + " --- |" * len(WORKERS))
    for cost in costs:
        cells = []
        for workers in WORKERS:
            rate = min(workers / cost.worker, 1 / cost.center)
            cells.append(
                f"{rate:,.0f}/s, {rate * cost.size / 1e6:,.1f} MB/s, {rate * cost.disk * 3600 / 1e9:,.1f} GB/h"
            )
        print(f"| {cost.name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
