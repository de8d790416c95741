"""Labels from search."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.registry import load_players
from sackarmies_training import search_labels
from sackarmies_training.labels import read_labels
from sackarmies_training.search_labels import SearchPlan, label_games, write_search_labels

PLAN = SearchPlan(worlds=2, horizon=0, share=0.05, most=4)


@pytest.fixture(scope="module")
def labels():
    game = load_players("sack_armies", 2, armies=["beginners", "undead"])
    return label_games(game, make_agent("greedy", GameInfo.of(game)), PLAN, 2, seed=1)


@pytest.mark.slow
def test_the_scripted_choice_gains_nothing_and_targets_follow_gains(labels):
    for gains, targets in zip(
        labels.gains.split(labels.counts.tolist()), labels.targets.split(labels.counts.tolist()), strict=True
    ):
        assert (gains == 0).any()
        assert torch.allclose(targets, torch.softmax(gains / PLAN.temperature, 0), atol=1e-4)
    assert labels.gains.abs().max() > 0
    assert labels.counts.max() == PLAN.most


@pytest.mark.slow
def test_choice_of_the_general_is_compared_beside_that_of_the_scripted_agent():
    game = load_players("sack_armies", 2, armies=["beginners", "undead"])
    searcher = search_labels.Searcher(game, dataclasses.replace(PLAN, most=1), seed=1)
    batch = Batch(game, 1)
    batch.reset(np.array([3]))
    while len(legal := legal_ids(batch.states["legal"][0])) < 3:
        batch.step(np.array(legal[:1]))
    compared = []
    for prior in legal:
        actions, gains = searcher.compare(batch.states, int(batch.players[0]), prior)
        assert gains[actions.tolist().index(prior)] == 0
        compared.append(set(actions.tolist()))
    assert {len(actions) for actions in compared} == {1, 2}
    assert len(set.intersection(*compared)) == 1


@pytest.mark.slow
def test_equal_seeds_give_equal_labels(labels):
    game = load_players("sack_armies", 2, armies=["beginners", "undead"])
    again = label_games(game, make_agent("greedy", GameInfo.of(game)), PLAN, 2, seed=1)
    assert all(torch.equal(value, getattr(again, name)) for name, value in vars(labels).items())


@pytest.mark.slow
def test_files_that_are_there_are_kept_and_count(tmp_path, monkeypatch):
    monkeypatch.setattr(search_labels, "FILE", 10)
    monkeypatch.setattr(search_labels, "LOT", 1)
    told = []
    done = write_search_labels(tmp_path, PLAN, 15, "sack_armies", 3, told.append)
    files = sorted(tmp_path.iterdir())
    info = GameInfo.of(load_players("sack_armies", 2))
    assert done == sum(told) == sum(len(read_labels(path, info)) for path in files) >= 15
    before = [path.stat().st_mtime_ns for path in files]
    assert write_search_labels(tmp_path, PLAN, 15, "sack_armies", 3, told.append) == done
    assert [path.stat().st_mtime_ns for path in files] == before
    assert np.all(read_labels(files[0], info).counts.numpy() >= 2)


def test_general_that_needs_more_than_observations_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'search' cannot play the games of labels"):
        write_search_labels(tmp_path / "labels", SearchPlan(agent="search"), 1, "sack_armies", 1, print)
    assert not (tmp_path / "labels").exists()


def test_game_without_search_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        write_search_labels(tmp_path, PLAN, 1, "chess", 1, print)
