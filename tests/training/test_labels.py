"""Labels of teachers: files, refusals, and the play of a teacher."""

import zlib
from pathlib import Path

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_training import curve, learn, search_labels
from sackarmies_training import labels as labels_module
from sackarmies_training.labels import DRAW, LOSS, WIN, Labels, read_labels, results_of, teach, write_labels
from sackarmies_training.search_labels import SearchPlan
from tests.agents.misbehaving import RaisesInBatch
from tests.agents.simple import LastLegal
from tests.core.toy_game import make_duel
from tests.training.test_learn import make_config


@pytest.fixture(scope="module")
def info():
    return GameInfo.of(make_duel())


def some_labels(info, **changes):
    given = {
        "observations": torch.zeros((2, info.observation_spec.size), dtype=torch.int8),
        "counts": torch.tensor([2, 1]),
        "actions": torch.tensor([0, 3, 2]),
        "targets": torch.tensor([0.25, 0.75, 1.0]),
        "results": torch.tensor([WIN, LOSS]),
        "gains": torch.tensor([[0.0, 0.0], [0.4, 0.5], [0.0, 0.0]]),
        "compared": torch.tensor([True, True, False]),
    }
    return Labels(**{**given, **changes})


def test_labels_are_read_as_they_were_written(info, tmp_path):
    labels = some_labels(info)
    write_labels(tmp_path / "labels.safetensors", labels, info, "search:ms=10")
    found = read_labels(tmp_path / "labels.safetensors", info)
    assert all(torch.equal(value, getattr(found, name)) for name, value in vars(labels).items())
    assert found.masks(info.num_actions).tolist() == [[1, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"targets": torch.tensor([0.25, 0.25, 1.0])}, "targets are not probabilities"),
        ({"targets": torch.tensor([1.25, -0.25, 1.0])}, "targets are not probabilities"),
        ({"targets": torch.tensor([float("nan"), 1.0, 1.0])}, "targets are not probabilities"),
        ({"counts": torch.tensor([2, 2])}, "counts do not add up to the number of actions"),
        ({"counts": torch.tensor([3, 0])}, "counts do not add up to the number of actions"),
        ({"counts": torch.tensor([2])}, "tensors do not have matching lengths"),
        ({"actions": torch.tensor([3, 0, 2])}, "actions of a decision do not increase"),
        ({"actions": torch.tensor([0, 6, 2])}, "actions are not from 0 to 5"),
        ({"results": torch.tensor([WIN, 3])}, "results are not from 0 to 2"),
        ({"results": torch.tensor([WIN, -1])}, "results are not from 0 to 2"),
        ({"gains": torch.tensor([[0.0], [float("inf")], [0.0]])}, "gains are not finite"),
        ({"gains": torch.tensor([[0.0]])}, "tensors do not have matching lengths"),
        ({"gains": torch.zeros(3)}, "tensors do not have matching lengths"),
        ({"gains": torch.tensor(0.5)}, "tensors do not have matching lengths"),
        ({"gains": torch.zeros((3, 0))}, "tensors do not have matching lengths"),
        ({"compared": torch.tensor([True])}, "tensors do not have matching lengths"),
        ({"results": torch.tensor(WIN), "observations": torch.zeros((1, 9), dtype=torch.int8)}, "matching lengths"),
        ({"observations": torch.zeros((2, 1), dtype=torch.int8)}, r"observations are not of shape \(2, 9\)"),
        ({"observations": torch.zeros((200, 9), dtype=torch.int8)}, r"observations are not of shape \(2, 9\)"),
    ],
)
def test_labels_that_do_not_fit_together_are_refused(info, tmp_path, changes, message):
    write_labels(tmp_path / "labels.safetensors", some_labels(info, **changes), info, "x")
    with pytest.raises(ValueError, match=message):
        read_labels(tmp_path / "labels.safetensors", info)


@pytest.mark.parametrize(("bound", "beyond"), [("low", -1), ("high", 1)])
def test_labels_with_a_number_outside_its_bounds_are_refused(info, tmp_path, bound, beyond):
    path = tmp_path / "labels.safetensors"
    observations = torch.from_numpy(np.tile(getattr(info.observation_spec, bound), (2, 1)).astype(np.int8))
    write_labels(path, some_labels(info, observations=observations), info, "x")
    assert torch.equal(read_labels(path, info).observations, observations)
    observations[1, -1] += beyond
    write_labels(path, some_labels(info, observations=observations), info, "x")
    with pytest.raises(ValueError, match="observations hold numbers outside their bounds"):
        read_labels(path, info)


@pytest.mark.parametrize("content", [b"", b"no zlib stream", zlib.compress(bytes(18))[:-6]])
def test_labels_whose_observations_cannot_be_expanded_are_refused(info, tmp_path, content, monkeypatch):
    damaged = np.frombuffer(content, np.uint8)
    monkeypatch.setattr(labels_module, "_compressed", lambda observations: damaged)
    write_labels(tmp_path / "labels.safetensors", some_labels(info), info, "x")
    with pytest.raises(ValueError, match=r"labels\.safetensors.* are damaged: observations (cannot|are not)"):
        read_labels(tmp_path / "labels.safetensors", info)


def test_labels_of_an_earlier_version_are_refused(info, tmp_path, monkeypatch):
    monkeypatch.setattr(labels_module, "_compressed", lambda observations: observations.numpy())
    write_labels(tmp_path / "labels.safetensors", some_labels(info), info, "x")
    with pytest.raises(ValueError, match=r"labels\.safetensors.* are of an earlier version: make them again"):
        read_labels(tmp_path / "labels.safetensors", info)


def test_labels_take_a_fraction_of_their_size(info, tmp_path):
    k = 1000
    same = {"counts": torch.ones(k, dtype=torch.int64), "actions": torch.zeros(k, dtype=torch.int64)}
    same |= {"targets": torch.ones(k), "results": torch.zeros(k, dtype=torch.int64), "gains": torch.zeros(k, 1)}
    seen = torch.zeros((k, info.observation_spec.size), dtype=torch.int8)
    write_labels(tmp_path / "x", Labels(seen, **same, compared=torch.zeros(k, dtype=torch.bool)), info, "x")
    without = sum(tensor.nbytes for tensor in same.values()) + k
    assert (tmp_path / "x").stat().st_size < without + seen.nbytes / 2


def test_too_many_labels_for_a_file_are_refused(info, tmp_path, monkeypatch):
    monkeypatch.setattr(labels_module, "MAX_CHECKPOINT", 17)
    with pytest.raises(ValueError, match=r"2 labels are too many for one file: .* have 18 bytes, at most 17"):
        write_labels(tmp_path / "labels.safetensors", some_labels(info), info, "x")


def test_labels_of_another_game_are_refused(info, tmp_path):
    write_labels(tmp_path / "labels.safetensors", some_labels(info), info, "x")
    with pytest.raises(ValueError, match="of another game or another version"):
        read_labels(tmp_path / "labels.safetensors", GameInfo.of(make_duel(3)))


def test_results_name_winners_losers_and_those_who_share():
    returns = np.array([[1, -1, -1], [0, 0, 0], [0.5, 0.5, -1]], np.float32)
    expected = [[WIN, LOSS, LOSS], [DRAW, DRAW, DRAW], [DRAW, DRAW, LOSS]]
    nobody = np.zeros(returns.shape, np.bool_)
    assert results_of(returns, np.ones_like(returns), nobody).tolist() == expected
    assert results_of(returns, np.zeros_like(returns), nobody).tolist() == expected


def test_seat_that_is_eliminated_before_a_truncation_loses():
    returns = np.zeros((1, 3), np.float32)  # reward = "win_only"
    nobody = np.zeros((1, 3), np.bool_)
    assert results_of(returns, np.array([[0, 1, 0]], np.float32), nobody).tolist() == [[DRAW, LOSS, DRAW]]


def test_seat_that_is_out_before_the_rest_go_out_together_loses():
    returns, everybody = np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32)  # reward = "win_only"
    assert results_of(returns, everybody, np.array([[False, True, False]])).tolist() == [[DRAW, LOSS, DRAW]]
    assert results_of(returns, everybody, np.zeros((1, 3), np.bool_)).tolist() == [[DRAW, DRAW, DRAW]]


def play_lot(game):
    """Play games that a search labels, with the first of its choices in place of the search."""
    lot, agent = search_labels.Lot(game, 20, SearchPlan(noise=0.0), 1), make_agent("random", GameInfo.of(game))
    while len(lot.running):
        rows = lot.running
        wanted = agent.act_batch(lot.batch.observations[rows], lot.batch.action_masks[rows])
        lot.label(0, wanted[:1].tolist())
        lot.play(wanted)
    lot.labels()


def play_itself(game):
    config = make_config(Path("x"), learn={"games": 16, "steps": 100})
    learn.SelfPlay([game], config.learn, seed=1).play(learn.make_learner(config, game, learn.Team()).network)


@pytest.mark.parametrize(
    ("module", "play"),
    [
        (labels_module, lambda game: teach(game, make_agent("random", GameInfo.of(game)), 20, 1, 0.0)),
        (curve, lambda game: curve.play_side_by_side([game] * 2, RandomAgent(1), RandomAgent(2), 20, 1)),
        (search_labels, play_lot),
        (learn, play_itself),
    ],
    ids=["teach", "curve", "search", "self-play"],
)
def test_who_was_out_before_the_last_action_is_noted(module, play, monkeypatch):
    """In a game of three that somebody wins, one of the others was; each action puts out one seat at most."""
    seen = []

    def note(returns, terminations, were_out):
        seen.extend(were_out[returns.max(axis=1) == 1].sum(axis=1).tolist())
        assert not were_out[returns > 0].any()
        return results_of(returns, terminations, were_out)

    class First:
        def __init__(self, *given):
            pass

        def compare(self, root, player, first):
            return search_labels.unsearched(np.array(first), first[0], 1)

    monkeypatch.setattr(module, "results_of", note)
    monkeypatch.setattr(search_labels, "Searcher", First)
    play(make_duel(3))
    assert len(seen) > 5
    assert set(seen) == {1}


def test_teacher_labels_whole_games_with_its_choices_and_results(info):
    game = make_duel()
    labels = teach(game, make_agent("random", info), 5, seed=1, noise=0.5)
    assert (torch.zeros(len(labels)).index_add(0, row_of(labels), labels.targets) == 1).all()
    assert set(labels.targets.tolist()) == {0.0, 1.0}
    assert set(labels.results.tolist()) <= {WIN, DRAW, LOSS}
    assert WIN in labels.results and LOSS in labels.results
    again = teach(game, make_agent("random", info), 5, seed=1, noise=0.5)
    assert torch.equal(labels.observations, again.observations)


def test_random_actions_of_a_teachers_games_do_not_depend_on_when_they_are_played(watch_noise):
    found = watch_noise(labels_module, lambda: teach(make_duel(), LastLegal(), 100, seed=1, noise=0.5))
    assert 0.2 < found.mean() < 0.7


def row_of(labels):
    return torch.repeat_interleave(torch.arange(len(labels)), labels.counts)


def test_teacher_that_remembers_is_refused(info):
    class Remembering(type(make_agent("random", info))):
        shares_batch = False

    message = "Remembering cannot teach: it must play from observations alone and keep no state between decisions"
    with pytest.raises(ValueError, match=message):
        teach(make_duel(), Remembering(), 2, seed=1, noise=0.0)


def test_teacher_that_raises_is_told_from_our_own_errors(info):
    with pytest.raises(Misconduct, match="raised RuntimeError: no idea"):
        teach(make_duel(), RaisesInBatch(info), 2, seed=1, noise=0.0)
