"""What threads gain a search: `python -m benchmarks.search_threads` on an idle machine.

Middle-game positions are searched with equal budgets by one thread and by more: one position after another, where the
threads share the playouts of each decision, and all in one call, as in tournaments, where each thread takes positions
of its own. Numbers of threads take turns, and each time is the fastest of all rounds, by the clock on the wall.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.machine import describe_machine
from benchmarks.search_playouts import find_position
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import parse_agent
from sackarmies_agents.search.agent import SearchAgent, make_search
from sackarmies_env.core.information import InformationSets
from sackarmies_env.registry import load_game


def seconds_of(agent: SearchAgent, asked: list[InformationSets]) -> float:
    """Return the time that an agent takes for positions, which it is asked for one after another."""
    agent.reset(0)
    begun = time.perf_counter()
    for information in asked:
        agent.search(information)
    return time.perf_counter() - begun


def main() -> None:
    """Print a row for each search and number of threads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--options", nargs="+", default=["level=fast", "level=medium", "playouts=1240"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--positions", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    game, rng, player, found = load_game("sack_armies"), np.random.default_rng(0), 0, []
    while len(found) < given.positions:
        states = find_position(game, rng)
        found += [states] if states["current_player"][0] == player else []
    singly = [InformationSets.of(game, states, player) for states in found]
    together = [InformationSets.of(game, np.concatenate(found), player)]
    print(" ".join(map(str, describe_machine().values())))
    print("| search | threads | one position at a time, ms each | speedup | all in one call, ms each | speedup |")
    print("| --- | --- | --- | --- | --- | --- |")
    for options in given.options:
        agents = {
            threads: make_search(GameInfo.of(game), parse_agent(f"search:{options},threads={threads}").options)
            for threads in given.threads
        }
        times = {threads: np.full((given.rounds + 1, 2), np.inf) for threads in agents}
        for number in range(given.rounds + 1):  # the first one compiles
            for threads, agent in agents.items():
                times[threads][number] = seconds_of(agent, singly), seconds_of(agent, together)
        best = {threads: times[threads][1:].min(axis=0) / given.positions * 1e3 for threads in agents}
        for threads, (one, all_) in best.items():
            first = best[given.threads[0]]
            print(
                f"| `{options}` | {threads} | {one:.2f} | {first[0] / one:.2f} | {all_:.2f} | {first[1] / all_:.2f} |"
            )


if __name__ == "__main__":
    main()
