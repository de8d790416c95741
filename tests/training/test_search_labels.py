"""Labels from search."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.search.sack_armies.focus import focus
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.registry import load_players
from sackarmies_training import search_labels
from sackarmies_training.labels import joined, read_labels
from sackarmies_training.search_labels import SearchPlan, label_games, write_search_labels
from tests.agents.simple import LastLegal

PLAN = SearchPlan(worlds=2, horizon=0, share=0.05, most=4)


@pytest.fixture(scope="module")
def game():
    return load_players("sack_armies", 2, armies=["beginners", "undead"])


@pytest.fixture(scope="module")
def labels(game):
    return joined(label_games([game], make_agent("greedy", GameInfo.of(game)), PLAN, 2, seed=1))


@pytest.fixture(scope="module")
def position(game):
    """A position of at least three legal ids that a search pays in."""
    batch, greedy = Batch(game, 1), make_agent("greedy", GameInfo.of(game))
    batch.reset(np.array([3]))
    while len(legal_ids(batch.states["legal"][0])) < 3 or not focus(batch.states)[0]:
        batch.step(greedy.act_batch(batch.observations, batch.action_masks))
    return batch.information_sets(int(batch.players[0]), [0]).states, int(batch.players[0])


@pytest.mark.slow
def test_the_choice_of_the_general_gains_nothing_and_targets_follow_gains(labels):
    most = 0
    for gains, targets in zip(
        labels.gains.split(labels.counts.tolist()), labels.targets.split(labels.counts.tolist()), strict=True
    ):
        assert (gains == 0).any()
        if targets.max() == 1:  # not searched
            assert not gains.any()
        else:
            assert torch.allclose(targets, torch.softmax(gains / PLAN.temperature, 0), atol=1e-4)
            most = max(most, len(gains))
    assert labels.gains.abs().max() > 0
    assert most == PLAN.most


@pytest.mark.slow
def test_choices_of_the_general_and_of_the_advisor_are_compared(game, monkeypatch):
    general, advice = LastLegal(), "greedy:weights=first"
    calls = []
    compare = search_labels.Searcher.compare

    def watched(searcher, root, player, first):
        calls.append((legal_ids(root["legal"][0]), first))
        return compare(searcher, root, player, first)

    monkeypatch.setattr(search_labels.Searcher, "compare", watched)
    plan = dataclasses.replace(PLAN, advice=advice, most=2, worlds=1, share=0.02)
    (labels,) = label_games([game], general, plan, 1, seed=1)
    masks = np.zeros((len(calls), game.num_actions), np.int8)
    for mask, (legal, _) in zip(masks, calls, strict=True):
        mask[legal] = 1
    advised = make_agent(advice, GameInfo.of(game)).act_batch(labels.observations.numpy(), masks)
    assert [first for _, first in calls] == np.stack([general.act_batch(None, masks), advised], axis=1).tolist()
    sizes = labels.counts.tolist()
    for actions, gains, (_, (own, other)) in zip(
        labels.actions.split(sizes), labels.gains.split(sizes), calls, strict=True
    ):
        assert gains[actions == own] == 0
        assert other in actions


def test_ids_that_come_first_are_compared_and_the_first_of_them_gains_nothing(game, position):
    root, player = position
    searcher = search_labels.Searcher(game, dataclasses.replace(PLAN, most=2), seed=1)
    legal = legal_ids(root["legal"][0])
    for first in ([legal[2], legal[0]], [legal[0], legal[2]]):
        found = searcher.compare(root, player, first)
        assert found.actions.tolist() == sorted(first)
        assert found.gains[found.actions == first[0]] == 0
    assert len(searcher.compare(root, player, [legal[1], legal[1]]).actions) == 2


def test_choice_is_the_label_where_no_search_pays(game, position, monkeypatch):
    root, player = position
    legal = legal_ids(root["legal"][0])
    monkeypatch.setattr(search_labels, "play_worlds", None)  # nothing is played on
    searcher = search_labels.Searcher(game, PLAN, seed=1)
    monkeypatch.setattr(searcher, "_focus", lambda states: np.zeros(len(states)))
    found = searcher.compare(root, player, [legal[1], legal[0]])
    assert found.actions.tolist() == legal
    assert found.targets.tolist() == [float(action == legal[1]) for action in legal]
    assert not found.gains.any()


def test_games_of_which_no_decision_is_drawn_have_no_labels(game):
    general = make_agent("greedy", GameInfo.of(game))
    assert label_games([game], general, dataclasses.replace(PLAN, share=0.0), 1, seed=1) == []


@pytest.mark.slow
def test_equal_seeds_give_equal_labels(game, labels):
    again = joined(label_games([game], make_agent("greedy", GameInfo.of(game)), PLAN, 2, seed=1))
    assert all(torch.equal(value, getattr(again, name)) for name, value in vars(labels).items())


@pytest.mark.slow
def test_line_ups_are_played_side_by_side_and_differ(game):
    asked = []

    class Counting(LastLegal):
        def act_batch(self, observations, action_masks):
            asked.append(len(observations))
            return super().act_batch(observations, action_masks)

    plan = dataclasses.replace(PLAN, worlds=1, share=0.02)
    one, other = label_games([game, game], Counting(), plan, 2, seed=1)
    assert asked[0] == 4
    assert not torch.equal(one.observations[:5], other.observations[:5])


@pytest.mark.slow
def test_files_that_are_there_are_kept_and_count(tmp_path, monkeypatch):
    monkeypatch.setattr(search_labels, "FILE", 10)
    monkeypatch.setattr(search_labels, "LOT", 1)
    monkeypatch.setattr(search_labels, "LOTS", 1)
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


def test_advice_of_another_agent_than_the_scripted_one_is_refused(tmp_path):
    with pytest.raises(ValueError, match="advice is 'random', but it can only come from 'greedy'"):
        write_search_labels(tmp_path / "labels", SearchPlan(advice="random"), 1, "sack_armies", 1, print)
    assert not (tmp_path / "labels").exists()


def test_game_without_search_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        write_search_labels(tmp_path, PLAN, 1, "chess", 1, print)
