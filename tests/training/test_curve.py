"""Games of the learning curve."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.registry import load_players
from sackarmies_training.config import CurveSection
from sackarmies_training.curve import opponent_of, play_side_by_side
from sackarmies_training.labels import DRAW, LOSS, WIN
from tests.agents.misbehaving import RaisesInBatch
from tests.agents.simple import LastLegal
from tests.core.toy_game import make_duel


class Recorder(RandomAgent):
    """Agent that plays at random, and keeps the observations that it was shown, by call."""

    def __init__(self, seed):
        super().__init__(seed)
        self.shown = []

    def act_batch(self, observations, action_masks):
        self.shown.append(observations.copy())
        return super().act_batch(observations, action_masks)


def results(general, opponent, games=12, line_ups=1):
    duels = [make_duel() for _ in range(line_ups)]
    info = GameInfo.of(duels[0])
    agents = [make_agent(name, info) for name in (general, opponent)]
    for agent in agents:
        agent.reset(1)
    return play_side_by_side(duels, *agents, games, seed=3)[:, 0]


@pytest.mark.parametrize(("games", "line_ups", "played"), [(12, 1, 12), (5, 1, 6), (9, 2, 12)])
def test_every_start_is_played_from_each_seat_in_every_line_up(games, line_ups, played):
    general, opponent = Recorder(1), Recorder(2)
    found = play_side_by_side([make_duel() for _ in range(line_ups)], general, opponent, games, seed=3)[:, 0]
    assert len(found) == played
    assert set(found) <= {WIN, DRAW, LOSS}
    assert len(general.shown[0]) == played // 2  # games in which it is in seat 0, which decides first
    assert np.array_equal(general.shown[0], opponent.shown[0])  # each starts as one with the opponent in seat 0


def test_results_of_all_seats_begin_with_the_general():
    general = make_agent("random", GameInfo.of(make_duel(3)))
    found = play_side_by_side([make_duel(3, max_turns=8)], general, LastLegal(), 60, 3)
    wins, draws = (found == WIN).sum(axis=1), (found == DRAW).sum(axis=1)
    assert (((wins == 1) & (draws == 0)) | ((wins == 0) & (draws > 1))).all()
    assert ((found[:, 0] == LOSS) & (draws > 1)).any()  # games that only the opponents share
    assert (found == LOSS).mean(axis=0)[0] > (found == LOSS).mean()  # the General is the weaker


def test_equal_seeds_give_equal_games():
    assert np.array_equal(results("random", "random"), results("random", "random"))


def test_opponent_that_needs_more_than_observations_is_refused():
    game = load_players("sack_armies", 2)
    with pytest.raises(ValueError, match=r"curve.opponent is 'search': it must play from observations alone"):
        opponent_of(CurveSection(opponent="search"), game)


def test_opponent_that_raises_is_told_from_our_own_errors():
    game = make_duel()
    info = GameInfo.of(game)
    with pytest.raises(Misconduct, match="raised RuntimeError: no idea"):
        play_side_by_side([game], make_agent("random", info), RaisesInBatch(info), 4, seed=1)


@pytest.mark.slow
def test_the_stronger_agent_wins_from_both_seats():
    games = [load_players("sack_armies", 2, armies=pair) for pair in (["beginners", "undead"], ["empire", "monsters"])]
    info = GameInfo.of(games[0])
    found = play_side_by_side(games, make_agent("greedy", info), make_agent("random", info), 8, seed=1)[:, 0]
    assert (found == WIN).all()
