"""The benchmark of how well the evaluation predicts games of an agent."""

import numpy as np
import pytest

from benchmarks import calibration
from sackarmies_env.core.jit import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games take minutes interpreted")


def test_positions_are_starts_of_turns_with_chances_of_each_general(monkeypatch):
    monkeypatch.setattr(calibration, "RATE", 1.0)
    game, played = calibration.play_lot("greedy", 1, 0)
    positions = calibration.positions_of(game, played[0], np.random.default_rng(1))
    turns = [int(states["turn"][0]) for states in positions]
    assert turns == list(range(turns[0], played[0].turns + 1))
    assert all(len(states) == 1 and not states["terminated"][0] for states in positions)
    chances = calibration.chances_of(game, positions, None)
    assert np.allclose(chances.sum(axis=2), 1.0)
    assert np.abs(chances[:, 0, calibration.WIN] - chances[:, 1, 2]).mean() < 0.1  # one General's win, the other's loss


def test_games_that_an_agent_forfeits_are_no_outcomes(tmp_path):
    path = tmp_path / "raises.py"
    path.write_text(
        "from sackarmies_agents.agent import Agent\n"
        "class Raises(Agent):\n"
        "    def __init__(self, info): pass\n"
        "    def reset(self, seed): pass\n"
        "    def act(self, *_): raise OSError\n"
    )
    with pytest.raises(RuntimeError, match="failed: raised OSError"):
        calibration.play_lot(f"python:file={path},class=Raises", 1, 0)


def test_predictions_are_better_than_the_mean_outcome():
    found = calibration.judge("greedy", 2 * calibration.LOT, 1, None)
    assert found.log_loss < found.base
    assert sum(one.positions for one in found.bins) == found.positions
