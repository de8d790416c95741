"""Exact values by OpenSpiel: counterfactual regret minimization on whole trees, with flips as chance nodes.

python examples/open_spiel_exact.py [iterations]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pyspiel  # type: ignore[import-not-found]

from sackarmies_env.adapters import open_spiel  # noqa: F401 - registers the game
from sackarmies_training.ladder.sequence_form import exact_value

ROOT = Path(__file__).resolve().parents[1]
POSITIONS = {
    "one_attack": ROOT / "configs" / "ladder" / "exact" / "one_attack.toml",
    "hidden": ROOT / "examples" / "open_spiel_hidden.toml",
}


def tree_of(position: Path) -> pyspiel.Game:
    """Return a position as a game in which flips, the only chance, are nodes of the tree."""
    game = {"name": "sack_armies", "scenario": str(position)}
    return pyspiel.load_game("python_sackarmies", {"game": game, "seeds": 1, "explicit_chance": "flips"})


def solve(game: pyspiel.Game, iterations: int) -> tuple[float, float]:
    """Return player 0's expected return, and NashConv: how much both players together could gain by deviating."""
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    values = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)
    return values[0], pyspiel.nash_conv(game, policy)


def nodes_of(state: pyspiel.State, counts: Counter[str] | None = None) -> Counter[str]:
    """Count the nodes of a tree by type: decisions, chance and ends."""
    counts = Counter() if counts is None else counts
    counts["ends" if state.is_terminal() else "chance" if state.is_chance_node() else "decisions"] += 1
    for action in state.legal_actions():
        nodes_of(state.child(action), counts)
    return counts


if __name__ == "__main__":
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for name, position in POSITIONS.items():
        game = tree_of(position)
        value, nash_conv = solve(game, iterations)
        counts = dict(nodes_of(game.new_initial_state()))
        print(f"{name}: {counts}; exact {exact_value(game):+.6f}, CFR+ {value:+.6f}, NashConv {nash_conv:.6f}")
