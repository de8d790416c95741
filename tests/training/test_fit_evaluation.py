"""Fitting the evaluation of Sack Armies: positions, their target values, and the network."""

import numpy as np
import pytest
import torch

from sackarmies_agents.search.sack_armies.evaluation import DRAW, LOSS, WIN, Inputs, inputs_of, make_evaluation
from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_game
from sackarmies_training.sack_armies.evaluation_games import (
    LOT,
    SEATS,
    Plan,
    Positions,
    collect,
    outcomes_of,
    play_lot,
    player_of,
    with_all_seats,
)
from sackarmies_training.sack_armies.evaluation_network import Network, Source, chances_of, train
from sackarmies_training.sack_armies.fit_evaluation import (
    Bin,
    draw_reliability,
    fit,
    judge,
    looking_back,
    save,
    share_interval,
)
from sackarmies_training.stats.estimate import wilson
from tests.training.commands.test_cli import refused

TWO, THREE = 2, 3  # numbers of lots: one of two Generals, one of three


def positions_of(games, alive):
    """Return positions without tokens, given the game of each and the seats that are still in it."""
    n = len(games)
    inputs = Inputs(None, None, None, np.zeros((n, SEATS, 0), np.float32), np.array(alive, bool))
    return Positions(inputs, np.zeros((n, SEATS), np.int64), np.array(games), np.zeros(n, np.int64), np.full(n, 2))


def test_games_without_a_winner_are_draws_of_those_who_are_left():
    third = 1.0 / 3.0
    returns = [[-third, 1.0, -third, -third], [0.0, 0.0, 0.0, 0.0], [third, -third, third, -third]]
    outcomes = [[LOSS, WIN, LOSS, LOSS], [DRAW, DRAW, DRAW, DRAW], [DRAW, LOSS, DRAW, LOSS]]
    assert outcomes_of(np.array(returns, np.float32)).tolist() == outcomes


def test_equal_plans_give_equal_positions_in_the_order_of_games():
    plan = Plan(seed=4)
    first, second = play_lot(plan, THREE), play_lot(plan, THREE)
    assert (np.diff(first.games) >= 0).all()
    assert (first.players == 3).all()
    assert not first.inputs.alive[:, 3].any()
    assert (first.inputs.units.numbers == second.inputs.units.numbers).all()
    assert (first.outcomes == second.outcomes).all()


def test_another_agent_plays_games_of_two_generals_alone():
    plans = Plan(seed=4, agent="greedy"), Plan(seed=4, agent="random", noise=0.0)
    first, second, other = (play_lot(plan, TWO) for plan in (plans[0], plans[0], plans[1]))
    assert (np.diff(first.games) >= 0).all()
    assert len(np.unique(first.games)) > LOT / 2
    assert (first.players == 2).all()
    assert (first.inputs.units.numbers == second.inputs.units.numbers).all()
    assert (first.outcomes == second.outcomes).all()
    assert len(other.games) != len(first.games)  # other agents play other games
    three, usual = play_lot(plans[1], THREE), play_lot(Plan(seed=4, noise=0.0), THREE)
    assert (three.inputs.units.numbers == usual.inputs.units.numbers).all()


def test_agents_that_search_are_refused_as_players():
    with pytest.raises(ValueError, match=r"'search:level=fast' cannot play the games of an evaluation"):
        player_of("search:level=fast", load_game("sack_armies"))


@pytest.mark.parametrize(
    ("name", "fault"),
    [("RaisesInBatch", "raised RuntimeError: no idea"), ("IllegalInBatch", "chose action 0, which is not legal")],
)
def test_agent_that_misbehaves_is_refused_in_a_sentence(name, fault):
    agent = f"python:class=tests.agents.misbehaving:{name}"
    with pytest.raises(ValueError, match=f"'{agent}' cannot play the games of an evaluation: it {fault}"):
        play_lot(Plan(seed=4, agent=agent), TWO)


def test_positions_are_worth_what_followed_in_their_own_game():
    positions = positions_of([0, 0, 0, 1], [[True, True, False, False]] * 4)
    ended = np.eye(3, dtype=np.float32)[np.full((4, SEATS), WIN)]
    values = np.eye(3, dtype=np.float32)[np.full((4, SEATS), LOSS)]
    targets = looking_back(positions, values, ended, 0.5)
    assert targets[:, 0].tolist() == [[0.25, 0.0, 0.75], [0.5, 0.0, 0.5], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    assert (looking_back(positions, values, ended, 1.0) == ended).all()


def test_the_end_counts_for_a_general_who_is_eliminated_next():
    positions = positions_of([0, 0], [[True, True, True, False], [True, False, True, False]])
    ended = np.eye(3, dtype=np.float32)[np.full((2, SEATS), LOSS)]
    values = np.eye(3, dtype=np.float32)[np.full((2, SEATS), WIN)]
    targets = looking_back(positions, values, ended, 0.0)
    assert targets[0, :3].tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]


def test_network_learns_with_the_largest_seed():
    positions, plan = play_lot(Plan(seed=4), TWO), Plan(seed=2**128 - 1, epochs=1)
    ended, learned = np.eye(3, dtype=np.float32)[positions.outcomes], np.arange(len(positions.games))
    network = train(Source(positions.inputs), positions.inputs.alive, ended, learned, plan)
    assert not network.training


# --- how good it is


def test_positions_of_a_game_count_as_one_in_the_interval_of_a_share():
    games, won = np.arange(10), np.arange(10) < 3
    low, high = share_interval(won, games)
    assert (low, high) == pytest.approx((0.3 - 1.96 * np.sqrt(0.021), 0.3 + 1.96 * np.sqrt(0.021)))
    assert share_interval(np.repeat(won, 8), np.repeat(games, 8)) == pytest.approx((low, high))


def test_interval_of_a_share_never_leaves_0_to_1():
    low, high = share_interval(np.arange(10) < 1, np.arange(10))
    assert (low, high) == (0.0, pytest.approx(0.1 + 1.96 * np.sqrt(0.009)))


@pytest.mark.parametrize("won", [[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]])
def test_interval_is_that_of_wilson_on_games_where_they_do_not_differ(won):
    share = float(np.mean(won))
    assert share_interval(np.array(won, bool), np.array([5, 5, 7, 7])) == wilson(share, 2)


def test_reliability_tells_intervals_over_games():
    positions = positions_of(np.repeat(np.arange(4), 5), [[True, False, False, False]] * 20)
    positions.outcomes[:] = np.where(positions.games < 2, WIN, LOSS)[:, None]
    chances = np.full((20, SEATS, 3), 0.2, np.float32)
    chances[..., WIN] = 0.6
    (found,) = judge(positions, chances, chances).reliability
    assert found == (20, pytest.approx(0.6), 0.5, pytest.approx(0.5 - 1.96 * 0.25), pytest.approx(0.5 + 1.96 * 0.25))


def test_picture_of_reliability_is_drawn_where_all_or_none_won():
    pytest.importorskip("matplotlib")
    bins = Bin(9, 0.02, 0.0, *wilson(0.0, 3)), Bin(9, 0.5, 0.4, 0.1, 0.7), Bin(9, 0.97, 1.0, *wilson(1.0, 7))
    picture = draw_reliability(bins)
    assert b"95% interval over games" in picture
    assert picture == draw_reliability(bins)


# --- the command


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["{folder}"], "FILE {folder}: expected a file, not a folder"),
        (["{folder}/new.npz", "--picture", "{folder}"], "--picture {folder}: expected a file, not a folder"),
    ],
)
def test_file_that_cannot_be_written_is_refused_before_the_games(tmp_path, monkeypatch, words, told):
    monkeypatch.setattr("sackarmies_training.sack_armies.fit_evaluation.collect", None)
    assert told.format(folder=tmp_path) in refused("fit-evaluation", *(word.format(folder=tmp_path) for word in words))


# --- kernels


@pytest.mark.parametrize("players", [2, 3])
def test_kernels_compute_what_the_network_has_learned(tmp_path, players):
    torch.manual_seed(1)
    network = Network().eval()
    save(network.weights(), tmp_path / "random.npz")
    game = load_game("sack_armies", num_generals=players)
    batch = Batch(game, 8, restarts=False)
    batch.reset(np.arange(8))
    batch.step_random(300)
    inputs = with_all_seats(inputs_of(game.params, batch.states))
    chances = chances_of(network, Source(inputs), np.arange(8))
    evaluation = make_evaluation(game, str(tmp_path / "random.npz"))
    for game_number, player in zip(*np.nonzero(inputs.alive), strict=True):
        win, _, loss = chances[game_number, player]
        state = batch.states[game_number : game_number + 1]
        value = evaluation.evaluate(evaluation.model, game.params, state, player)
        assert value == pytest.approx(win - loss / (players - 1), abs=2e-3)


@pytest.mark.slow
def test_positions_that_were_held_out_are_predicted_better_than_by_chance(tmp_path):
    plan = Plan(games=480, seed=6, epochs=2, minibatch=128)
    weights, report = fit(collect(plan, lambda _: None), plan)
    assert report.log_loss < report.base
    save(weights, tmp_path / "new.npz")
    assert make_evaluation(load_game("sack_armies"), str(tmp_path / "new.npz"))
