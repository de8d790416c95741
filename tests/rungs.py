"""Choices of the ladder's rungs in fixed positions: `python -m tests.rungs` compares them with the kept ones.

A rung is frozen: at equal playouts it should make the same choices on every machine and in every version. Otherwise its
ratings no longer hold. After an intended change of the rules or of a rung, `--write` keeps the current choices.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sackarmies_agents.agent import Agent, GameInfo, InformedAgent
from sackarmies_agents.factory import make_agent
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.registry import make

KEPT = Path(__file__).parent / "kept" / "rungs.json"
LADDER = Path(__file__).parents[1] / "configs" / "ladder" / "search.toml"
POSITIONS = {2: 48, 4: 24}  # number of positions by number of Generals
FIRST, LAST = 20, 300  # range of the number of decisions before a position
RANDOM = 0.1  # share of these decisions that are random
FEWEST = 3  # smallest number of legal actions in a position
Choices = dict[str, list[int]]


def rungs_of(players: int) -> dict[str, str]:
    """Return the rungs of a pool of the ladder, as a dict from name to the agent's text form."""
    ladder = tomllib.loads(LADDER.read_text(encoding="utf-8"))
    agents = {rung["name"]: rung["agent"] for rung in ladder["rung"]}
    [pool] = [pool for pool in ladder["pool"] if pool["players"] == players]
    return {name: agents[name] for name in pool.get("rungs", agents)}


def choose(agent: Agent, env: RawEnv) -> int:
    """Return what an agent chooses for the current player."""
    player = env.agent_selection
    if isinstance(agent, InformedAgent):
        return int(agent.act_informed(env.information_set(player))[0])
    observed = env.observe(player)
    return agent.act(observed["observation"], observed["action_mask"])


def positions_of(players: int) -> Iterator[RawEnv]:
    """Yield games played by `greedy` with some random decisions, each at a decision with several legal actions."""
    found = 0
    for seed in range(10 * POSITIONS[players]):
        rng = np.random.default_rng([players, seed])
        env = make("sack_armies", "raw", num_generals=players, armies="random")
        env.reset(seed)
        greedy = make_agent("greedy", GameInfo.of(env.game))
        decisions = int(rng.integers(FIRST, LAST))
        while decisions > 0 and all(env.rewards[agent] == 0.0 for agent in env.agents):
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            env.step(int(rng.choice(legal)) if rng.random() < RANDOM else choose(greedy, env))
            decisions -= 1
        is_whole = decisions == 0 and len(env.agents) == players
        if is_whole and env.observe(env.agent_selection)["action_mask"].sum() >= FEWEST:
            yield env
            found += 1
        if found == POSITIONS[players]:
            return


def choices_of(players: int, names: list[str] | None = None) -> Choices:
    """Return the choices in the positions of each rung of a pool, or only of the named rungs."""
    rungs = {name: agent for name, agent in rungs_of(players).items() if names is None or name in names}
    found: Choices = {name: [] for name in rungs}
    for env in positions_of(players):
        for name, text in rungs.items():
            agent = make_agent(text, GameInfo.of(env.game))
            agent.reset(len(found[name]))
            found[name].append(choose(agent, env))
    return found


def kept_choices(players: int) -> Choices:
    """Return the kept choices of a pool."""
    kept: dict[str, Choices] = json.loads(KEPT.read_text(encoding="utf-8"))
    return kept[str(players)]


def main() -> int:
    """Compare or keep choices; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="replace the kept choices with the current ones")
    arguments = parser.parse_args()
    found = {players: choices_of(players) for players in POSITIONS}
    if arguments.write:
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    differing = 0
    for players, choices in found.items():
        kept = kept_choices(players)
        for name, chosen in choices.items():
            same = sum(one == other for one, other in zip(chosen, kept[name], strict=True))
            differing += len(chosen) - same
            print(f"{players} Generals, {name}: {same} of {len(chosen)} choices match the kept ones")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
