"""How many tokens Generals of Sack Armies hold when they draw: `python -m benchmarks.hands --agents greedy trained`.

Each agent plays games against itself, with the same armies and chance for all agents; in 13 line-ups each seat has
every army once. Menus at which a Draw is legal are counted by the tokens in the General's hand, and so are the Draws.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from benchmarks.search_methods.play import SEATS, draw_armies
from sackarmies_agents.agent import Agent, GameInfo, InformedAgent
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.batch import Batch
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb

MOST = 4  # tokens in hand that are counted apart; larger hands count as this many


def count_draws(text: str, line_ups: int, games: int, seed: int) -> NDArray[np.int64]:
    """Return counts by tokens in hand, `(2, MOST + 1)` int64: menus at which a Draw is legal, and Draws.

    Args:
        text: text form of the agent.
        line_ups: number of pairs of armies.
        games: number of games of each pair.
        seed: seed of armies and games.
    """
    counts = np.zeros((2, MOST + 1), np.int64)
    for number in range(line_ups):
        game = make_game(SEATS, armies=draw_armies(seed, number))
        agent = make_agent(text, GameInfo.of(game))
        agent.reset(seed)
        batch = Batch(game, games, restarts=False)
        batch.reset(seed * line_ups * games + number * games + np.arange(games))
        while len(running := np.flatnonzero(batch.players >= 0)):
            states, masks = batch.states[running], batch.action_masks[running]
            actions = choose(agent, batch, running)
            hands = np.minimum(states["hand_count"][np.arange(len(running)), states["current_player"]], MOST)
            may_draw = (states["decision"] == Decision.MENU) & (masks[:, Verb.DRAW] == 1)
            for place, rows in enumerate((may_draw, may_draw & (actions == Verb.DRAW))):
                counts[place] += np.bincount(hands[rows], minlength=MOST + 1)
            batch.step(actions, running)
    return counts


def choose(agent: Agent, batch: Batch, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the agent's choices `(k,)` for the current players of some games."""
    if not isinstance(agent, InformedAgent):
        return agent.act_batch(batch.observations[rows], batch.action_masks[rows])
    actions = np.zeros(len(rows), np.int64)
    for player in np.unique(batch.players[rows]):
        places = batch.players[rows] == player
        actions[places] = agent.act_informed(batch.information_sets(int(player), rows[places]))
    return actions


def row(text: str, counts: NDArray[np.int64]) -> str:
    """Return a row of the table for the counts of an agent."""
    menus, draws = counts
    shares = [f"{drawn / seen:.1%} of {seen:,}" if seen else "" for seen, drawn in zip(menus, draws, strict=True)]
    return f"| `{text}` | {draws.sum():,} | {draws[0] / max(1, draws.sum()):.1%} | {' | '.join(shares)} |"


def main() -> None:
    """Play the games and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", nargs="+", default=["greedy:weights=first", "greedy", "trained"], help="text forms")
    parser.add_argument("--line-ups", type=int, default=104, help="pairs of armies")
    parser.add_argument("--games", type=int, default=6, help="of each pair")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    hands = [*map(str, range(MOST)), f"{MOST} or more"]
    print(f"| agent | draws | with an empty hand | menus that end in a Draw, with {' | '.join(hands)} in hand |")
    print("| --- " * (3 + len(hands)) + "|", flush=True)
    for text in given.agents:
        print(row(text, count_draws(text, given.line_ups, given.games, given.seed)), flush=True)


if __name__ == "__main__":
    main()
