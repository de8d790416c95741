"""What `learn.py` makes of a rollout: advantages and value targets, in the unit of the game's reward."""

from pathlib import Path

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo
from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_game
from sackarmies_training.labels import DRAW, LOSS, WIN, results_of
from sackarmies_training.learn import Played, SelfPlay, Team, look_back, make_learner
from sackarmies_training.losses import worths
from tests.core.toy_game import make_duel
from tests.training.test_learn import make_config, section


def played_game(values, seats, turns, ended, results):
    """Return one game in the form of `SelfPlay`, with values in place of chances; the loser of two pays the winner."""
    steps, players = np.shape(results)
    return Played(
        choices=None,
        drawn=torch.zeros(steps, dtype=torch.int64),
        outcomes=np.array(values, np.float32).reshape(steps, 1, 1),
        values=np.array(values, np.float32).reshape(steps, 1),
        potentials=np.arange(steps, dtype=np.float32).reshape(steps, 1),
        seats=np.array(seats).reshape(steps, 1),
        turns=np.array(turns).reshape(steps, 1),
        finished=np.repeat(np.array(ended, np.bool_), players).reshape(steps, 1, players),
        results=np.array(results).reshape(steps, 1, players),
        returns=worths(-1.0)[np.array(results)].reshape(steps, 1, players),
    )


def test_lambda_is_applied_for_turns_and_not_for_decisions():
    values = [0.1, 0.2, 0.4]  # one player: two decisions in turn 1, one in turn 3, then a win
    played = played_game(values, [0, 0, 0], [1, 1, 3], [0, 0, 1], [[WIN, LOSS]] * 3)
    lesson = look_back(played, section(gae_lambda=0.5, value_lambda=0.5))
    last = 1.0 - 0.4
    middle = 0.4 - 0.2 + 0.5**2 * last
    first = 0.2 - 0.1 + 0.5**0 * middle
    assert torch.allclose(lesson.advantages, torch.tensor([first, middle, last]), atol=1e-6)
    wanted = 0.75 * 0.4 + 0.25 * 1.0
    assert torch.allclose(lesson.targets.flatten(), torch.tensor([wanted, wanted, 1.0]), atol=1e-6)
    assert lesson.rows.tolist() == [0, 1, 2]


def test_result_reaches_every_seat_and_not_the_game_before():
    values = [0.0, 0.0, 0.0, 0.0]
    played = played_game(values, [0, 1, 1, 0], [1, 2, 2, 1], [0, 0, 1, 0], [[LOSS, WIN]] * 4)
    lesson = look_back(played, section(gae_lambda=1.0, value_lambda=1.0))
    assert lesson.advantages.tolist() == [-1.0, 1.0, 1.0, 0.0]
    assert lesson.rows.tolist() == [0, 1, 2]  # the last one begins a game whose next decision is not here


def test_last_decision_of_a_player_stands_for_what_comes_after():
    played = played_game([0.3, -0.2, 0.5], [0, 1, 0], [1, 2, 3], [0, 0, 0], [[DRAW, DRAW]] * 3)
    lesson = look_back(played, section(gae_lambda=0.9))
    assert lesson.rows.tolist() == [0]
    assert torch.allclose(lesson.advantages[0], torch.tensor(0.5 - 0.3))


def test_shaping_adds_differences_of_potentials_that_end_at_zero():
    played = played_game([0.0, 0.0], [0, 0], [1, 2], [0, 1], [[DRAW, DRAW]] * 2)
    lesson = look_back(played, section(gae_lambda=0.0), shaping=2.0)
    assert lesson.advantages.tolist() == [2.0, -2.0]


def test_three_way_targets_are_chances_that_add_up_to_one():
    played = played_game([0.0, 0.0], [0, 0], [1, 2], [0, 1], [[DRAW, DRAW]] * 2)
    played.outcomes = np.array([[[0.5, 0.2, 0.3]], [[0.6, 0.1, 0.3]]], np.float32)
    played.values = played.outcomes @ worths(-1.0)
    lesson = look_back(played, section(value_lambda=0.25, gae_lambda=0.0))
    assert torch.allclose(lesson.targets[1], torch.tensor([0.0, 1.0, 0.0]))
    assert torch.allclose(lesson.targets[0], torch.tensor([0.75 * 0.6, 0.75 * 0.1 + 0.25, 0.75 * 0.3]))
    assert torch.allclose(lesson.advantages, torch.tensor([0.3 - 0.2, 0.0 - 0.3]))


# --- eliminations


def eliminated_in_a_game_that_goes_on():
    """Return a game of three: seat 1, which decides at step 1, is out from step 2 on; nobody else is."""
    played = played_game([0.1, -0.2, 0.3, 0.0, 0.2], [0, 1, 2, 0, 2], range(1, 6), [0] * 5, [[DRAW] * 3] * 5)
    played.finished[2:, 0, 1] = True
    played.results[2:, 0, 1] = LOSS
    played.returns[2:, 0, 1] = -0.5
    return played


def test_elimination_is_learned_while_others_play_on():
    played = eliminated_in_a_game_that_goes_on()
    lesson = look_back(played, section(outcomes=False), shaping=2.0)
    assert lesson.rows.tolist() == [0, 1, 2]  # of the last decisions of seats 0 and 2, nothing is known
    assert torch.allclose(lesson.advantages[1], torch.tensor(-0.5 - (-0.2 + 2.0 * 1)))  # the potential ends at 0
    assert lesson.targets[1].tolist() == [-0.5]


def test_target_of_a_seat_that_is_eliminated_is_a_loss():
    played = eliminated_in_a_game_that_goes_on()
    played.outcomes = np.full((5, 1, 3), 1 / 3, np.float32)
    lesson = look_back(played, section())
    assert lesson.rows.tolist() == [0, 1, 2]
    assert lesson.targets[1].tolist() == [0.0, 0.0, 1.0]
    assert torch.allclose(lesson.advantages[1], torch.tensor(-0.5 + 0.2))


class Watched(SelfPlay):
    """Self-play that notes after each decision who has lives left, `(n, players)`, in games of the toy game."""

    def __init__(self, *given):
        super().__init__(*given)
        self.alive = []

    def _renew(self, batch, results):
        self.alive.append(batch.states["lives"] > 0)
        super()._renew(batch, results)


@pytest.mark.parametrize("players", [3, 4])
def test_all_eliminations_in_self_play_are_learned(players):
    game = make_duel(players)
    config = make_config(Path("x"), learn={"games": 16, "steps": 100})
    games = Watched([game], config.learn, 1)
    played = games.play(make_learner(config, game, Team()).network)
    lesson = look_back(played, config.learn)
    rows, found = set(lesson.rows.tolist()), 0
    for row in range(16):
        latest = {}  # seat -> the step of its latest decision in this game
        for step in range(100):
            latest[int(played.seats[step, row])] = step
            alive = games.alive[step][row]
            if alive.sum() == 1 or played.finished[step, row].all():
                latest = {}
                continue
            for seat in [seat for seat in latest if not alive[seat]]:
                place = latest.pop(seat) * 16 + row
                found += 1
                assert place in rows
                assert lesson.targets[place].tolist() == [0.0, 0.0, 1.0]
    assert found > 30


# --- the unit of the game's reward


@pytest.mark.parametrize("reward", ["zero_sum", "win_only"])
@pytest.mark.parametrize("generals", [2, 3, 4])
def test_results_of_decided_games_are_worth_what_the_game_pays(generals, reward):
    game = load_game("sack_armies", num_generals=generals, switches={"reward": reward})
    batch = Batch(game, generals, restarts=False)
    batch.reset(np.arange(generals))
    for others in range(1, generals):  # each General wins one of the games
        were_out = batch.terminations != 0
        batch.forfeit((np.arange(generals) + others) % generals)
    results = results_of(batch.returns, batch.terminations, were_out)
    assert results.tolist() == np.where(np.eye(generals), WIN, LOSS).tolist()
    np.testing.assert_array_equal(worths(GameInfo.of(game).loss)[results], batch.returns)


def test_loss_and_draw_of_two_generals_are_equal_if_only_wins_count():
    game = load_game("sack_armies", switches={"reward": "win_only"})
    assert worths(GameInfo.of(game).loss).tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("outcomes", [True, False])
def test_advantages_are_differences_of_returns(outcomes):
    """A truncated game pays survivors what an eliminated player has lost, in equal shares."""
    played = played_game([0.25, 0.25, 0.25], [0, 1, 2], [1, 1, 1], [0, 0, 1], [[DRAW, DRAW, LOSS]] * 3)
    played.returns[:] = 0.25, 0.25, -0.5
    if outcomes:
        played.outcomes = np.full((3, 1, 3), 1 / 3, np.float32)
    lesson = look_back(played, section())
    assert lesson.advantages.tolist() == [0.0, 0.0, -0.75]
    if not outcomes:
        assert lesson.targets.flatten().tolist() == [0.25, 0.25, -0.5]


def test_values_in_self_play_are_expected_returns():
    game = make_duel(4)
    config = make_config(Path("x"))
    network = make_learner(config, game, Team()).network
    played = SelfPlay([game], config.learn, seed=1).play(network)
    won, _, lost = np.moveaxis(played.outcomes, 2, 0)
    np.testing.assert_allclose(played.values, won - lost / 3, atol=1e-6)
    with torch.no_grad():
        values = network.values(played.choices.observations)
    np.testing.assert_allclose(values.numpy(), played.values.ravel(), atol=1e-6)
