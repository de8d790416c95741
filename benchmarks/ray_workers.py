"""Games a second of a tournament, in local processes and on a Ray cluster on this machine.

python -m benchmarks.ray_workers
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from sackarmies_env.registry import load_game
from sackarmies_training.config import MatchSection, Place
from sackarmies_training.tournament import Tournament

AGENTS = ["search:level=fast,prior=policy", "greedy"]
SEEDS = 32
BATCH = 2  # seeds per job, each in both seatings


def measure(on: Place, workers: int) -> float:
    """Return games a second after the first batch, which includes the time to start processes."""
    with tempfile.TemporaryDirectory() as folder:
        section = MatchSection(agents=AGENTS, seeds=SEEDS, batch=BATCH, workers=workers, seed=1)
        contest = Tournament(load_game("sack_armies"), section, Path(folder) / "tournament")
        stamps: list[tuple[float, int]] = []
        contest.play(contest.open(), lambda games: stamps.append((time.perf_counter(), games)), on)
    first = next(stamp for stamp, games in stamps if games)
    return sum(games for stamp, games in stamps if stamp > first) / (stamps[-1][0] - first)


def main() -> None:
    """Measure and print a table."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    from ray.cluster_utils import Cluster  # --help does without it

    print("| where | one worker | two workers |")
    print("| --- | --- | --- |")
    print(f"| processes | {measure(Place.LOCAL, 1):.2f} | {measure(Place.LOCAL, 2):.2f} |")
    rates = []
    for workers in (1, 2):
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": workers})
        os.environ["RAY_ADDRESS"] = cluster.address
        rates.append(measure(Place.RAY, workers))
        cluster.shutdown()
    print(f"| Ray | {rates[0]:.2f} | {rates[1]:.2f} |")


if __name__ == "__main__":
    main()
