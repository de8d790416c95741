"""Labels from search."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, Report, make_agent
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.search.agent import parts_of
from sackarmies_agents.search.flat import Bench
from sackarmies_agents.search.horizons import compare_actions
from sackarmies_agents.search.rounds import derived_seed, play_worlds
from sackarmies_agents.search.sack_armies.focus import focus
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.record import Candidate
from sackarmies_env.registry import load_players
from sackarmies_training import search_labels
from sackarmies_training.labels import joined, read_labels
from sackarmies_training.locks import locked
from sackarmies_training.search_labels import SearchPlan, claim_folder, label_games, write_search_labels
from sackarmies_training.teacher import label_files, teach
from tests.agents.simple import LastLegal
from tests.second_game import GAME, registered

PLAN = SearchPlan(worlds=2, horizons=(0, 1), share=0.05, most=4)


@pytest.fixture(scope="module")
def game():
    return load_players("sack_armies", 2, armies=["beginners", "undead"])


@pytest.fixture(scope="module")
def labels(game):
    return joined(label_games([game], make_agent("greedy", GameInfo.of(game)), PLAN, 2, seed=1))


@pytest.fixture(scope="module")
def position(game):
    """Return a position with at least three legal ids in which a search pays, and its current player."""
    batch, greedy = Batch(game, 1), make_agent("greedy", GameInfo.of(game))
    batch.reset(np.array([3]))
    while len(legal_ids(batch.states["legal"][0])) < 3 or not focus(batch.states)[0]:
        batch.step(greedy.act_batch(batch.observations, batch.action_masks))
    return batch.information_sets(int(batch.players[0]), [0]).states, int(batch.players[0])


@pytest.mark.slow
def test_the_choice_of_the_general_gains_nothing_and_targets_follow_gains(labels):
    most = 0
    sizes = labels.counts.tolist()
    parts = (tensor.split(sizes) for tensor in (labels.gains, labels.targets, labels.compared))
    for gains, targets, compared in zip(*parts, strict=True):
        assert (gains == 0).all(dim=1).any()
        assert not gains[~compared].any()
        if not compared.any():  # not searched
            assert targets.max() == 1
        else:
            last = gains[compared, -1]
            assert torch.allclose(targets[compared], torch.softmax(last / PLAN.temperature, 0), atol=1e-4)
            assert not targets[~compared].any()
            most = max(most, len(last))
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
    assert [first[:2] for _, first in calls] == np.stack([general.act_batch(None, masks), advised], axis=1).tolist()
    sizes = labels.counts.tolist()
    parts = (tensor.split(sizes) for tensor in (labels.actions, labels.gains, labels.compared))
    for actions, gains, compared, (legal, (own, other)) in zip(*parts, calls, strict=True):
        assert actions.tolist() == legal
        assert not gains[actions == own].any()
        if compared.any():
            assert set(actions[compared].tolist()) >= {own, other}


def test_ids_that_come_first_are_compared_and_the_first_of_them_gains_nothing(game, position):
    root, player = position
    searcher = search_labels.Searcher(game, dataclasses.replace(PLAN, most=2), seed=1)
    legal = legal_ids(root["legal"][0])
    for first in ([legal[2], legal[0]], [legal[0], legal[2]]):
        found = searcher.compare(root, player, first)
        assert found.actions.tolist() == legal
        assert found.actions[found.compared].tolist() == sorted(first)
        assert not found.gains[found.actions == first[0]].any()
    assert searcher.compare(root, player, [legal[1], legal[1]]).compared.sum() == 2


def test_the_last_place_is_for_an_id_that_is_drawn(game, position):
    root, player = position
    searcher = search_labels.Searcher(game, dataclasses.replace(PLAN, most=3, worlds=1), seed=1)
    legal = legal_ids(root["legal"][0])
    found = [searcher.compare(root, player, legal).compared.nonzero()[0].tolist() for _ in range(20)]
    assert len(legal) > 3
    assert all(len(places) == 3 and places[:2] == [0, 1] for places in found)
    assert len({places[-1] for places in found}) > 1


def test_gains_after_few_turns_are_those_of_a_search_of_so_many(game, position):
    """With one world, and one turn that is valued, they are what `play_worlds` finds with the same seed."""
    root, player = position
    parts = parts_of(GameInfo.of(game), ())
    bench = Bench(game, parts.make_policy(game), parts.make_evaluation(game))
    actions, seed = np.array(legal_ids(root["legal"][0])), 12345
    horizons = np.array([0, 1, 2, 4, 5])
    worths = np.zeros((len(actions), len(horizons)))
    states = game.clone(root)
    given = states, bench.scratch, bench.models, player, actions, horizons, np.array([derived_seed(seed, 0)])
    compare_actions(*bench.tools, *given, worths)
    for place, horizon in enumerate(horizons):
        values = np.zeros((len(actions), 1))
        task = np.array([0, 1, player, horizon, 1, seed])
        everyone = np.arange(len(actions))
        play_worlds(*bench.tools, states, bench.scratch, bench.models, actions[:, None], everyone, task, values)
        np.testing.assert_allclose(worths[:, place], values[:, 0], atol=1e-12)


def test_choice_is_the_label_where_no_search_pays(game, position, monkeypatch):
    root, player = position
    legal = legal_ids(root["legal"][0])
    monkeypatch.setattr(search_labels, "compare_actions", None)  # nothing is played on
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
    files = label_files(tmp_path)
    info = GameInfo.of(load_players("sack_armies", 2))
    assert done == sum(told) == sum(len(read_labels(path, info)) for path in files) >= 15
    before = [path.stat().st_mtime_ns for path in files]
    assert write_search_labels(tmp_path, PLAN, 15, "sack_armies", 3, told.append) == done
    assert [path.stat().st_mtime_ns for path in files] == before
    assert np.all(read_labels(files[0], info).counts.numpy() >= 2)


@pytest.fixture
def write(game, tmp_path, monkeypatch):
    """Return a function that writes a number of files of labels to `tmp_path`, without any search."""
    labels = teach(game, make_agent("random", GameInfo.of(game)), 1, seed=1, noise=0.0)
    monkeypatch.setattr(search_labels, "label_lots", lambda *given: labels)

    def write_files(files, plan=PLAN, seed=1):
        write_search_labels(tmp_path, plan, files * len(labels), "sack_armies", seed, lambda count: None)

    return write_files


def test_labels_of_the_same_plan_resume(write, tmp_path):
    write(1)
    write(2)
    assert [path.name for path in label_files(tmp_path)] == ["00000.safetensors", "00001.safetensors"]


def test_files_that_killed_runs_left_are_removed(write, tmp_path):
    left = tmp_path / f".00000.safetensors.{2**40}.tmp"
    left.touch()
    write(1)
    assert not left.exists()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"agent": "random"}, "its agent is greedy, here it is random"),
        ({"advice": "greedy:weights=first"}, "its advice is greedy, here it is greedy:weights=first"),
        ({"worlds": 3}, "its worlds is 2, here it is 3"),
        ({"horizons": (0, 2)}, r"its horizons is \[0, 1\], here it is \[0, 2\]"),
        ({"focused": False}, "its focused is True, here it is False"),
    ],
)
def test_labels_of_another_plan_are_refused(write, tmp_path, changes, told):
    write(1)
    sentence = f"{tmp_path.name}.* holds labels of another plan: {told}; choose another folder, or remove that one"
    with pytest.raises(ValueError, match=sentence):
        write(2, dataclasses.replace(PLAN, **changes))
    assert len(label_files(tmp_path)) == 1


def test_labels_of_another_seed_are_refused(write):
    write(1)
    with pytest.raises(ValueError, match="its seed is 1, here it is 2; choose"):
        write(2, seed=2)


@pytest.mark.parametrize("key", ["game", "code", "training"])
def test_labels_of_another_game_or_other_code_are_refused(write, tmp_path, key):
    write(1)
    identity = json.loads((tmp_path / "labels.json").read_text())
    (tmp_path / "labels.json").write_text(json.dumps(identity | {key: "other"}))
    with pytest.raises(ValueError, match=f"its {key} is other, here it is {identity[key]}; choose"):
        write(2)


def test_labels_of_an_agent_with_other_weights_are_refused(write, tmp_path, monkeypatch):
    monkeypatch.setattr(search_labels, "agent_identity", lambda text: {"sha256": "old"})
    write(1)
    monkeypatch.setattr(search_labels, "agent_identity", lambda text: {"sha256": "new"})
    with pytest.raises(ValueError, match="its agent sha256 is old, here it is new; choose"):
        write(2)


def test_labels_of_an_unknown_plan_are_refused(write, tmp_path):
    write(1)
    (tmp_path / "labels.json").unlink()
    with pytest.raises(ValueError, match=r"holds labels but no labels\.json, so their plan is unknown; choose another"):
        write(2)
    assert not (tmp_path / "labels.json").exists()


def test_damaged_identity_of_labels_is_refused(write, tmp_path):
    write(1)
    (tmp_path / "labels.json").write_text("[]")
    with pytest.raises(ValueError, match=r"labels\.json.* is damaged: it must hold a table"):
        write(2)


def test_folder_of_labels_that_another_process_writes_is_refused(write, tmp_path):
    with locked(tmp_path), pytest.raises(ValueError, match=r"is in use by process .*: wait until it has ended"):
        write(1)
    assert not list(tmp_path.glob("*.safetensors"))


def test_general_that_needs_more_than_observations_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'search' cannot play the games of labels"):
        write_search_labels(tmp_path / "labels", SearchPlan(agent="search"), 1, "sack_armies", 1, print)
    assert not (tmp_path / "labels").exists()


@pytest.mark.parametrize(
    ("name", "fault"),
    [("RaisesInBatch", "raised RuntimeError: no idea"), ("IllegalInBatch", "chose action 0, which is not legal")],
)
def test_general_that_misbehaves_is_refused_in_a_sentence(tmp_path, name, fault):
    agent = f"python:class=tests.agents.misbehaving:{name}"
    with pytest.raises(ValueError, match=f"'{agent}' cannot play the games of labels: it {fault}"):
        write_search_labels(tmp_path / "labels", SearchPlan(agent=agent), 1, "sack_armies", 1, print)


def test_general_that_reports_an_illegal_choice_is_refused(game):
    class Boasting(LastLegal):
        def report(self):
            return [Report((Candidate(action=game.num_actions - 1),))] * 2

    with pytest.raises(Misconduct, match=f"reported action {game.num_actions - 1}, which is not legal"):
        label_games([game], Boasting(), dataclasses.replace(PLAN, share=1.0), 2, seed=1)


def test_refused_advisor_does_not_claim_the_folder(tmp_path):
    with pytest.raises(ValueError, match="nope"):
        write_search_labels(tmp_path / "labels", SearchPlan(advice="greedy:weights=nope"), 1, "sack_armies", 1, print)
    assert not (tmp_path / "labels").exists()


def test_folder_without_labels_can_be_given_another_plan(write, tmp_path):
    claim_folder(tmp_path, {"seed": 7})
    write(1)
    assert json.loads((tmp_path / "labels.json").read_text())["seed"] == 1


def test_advice_of_another_agent_than_the_scripted_one_is_refused(tmp_path):
    with pytest.raises(ValueError, match="advice is 'random', but it can only come from 'greedy'"):
        write_search_labels(tmp_path / "labels", SearchPlan(advice="random"), 1, "sack_armies", 1, print)
    assert not (tmp_path / "labels").exists()


def test_unknown_game_is_refused(tmp_path):
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        write_search_labels(tmp_path, PLAN, 1, "chess", 1, print)


def test_game_without_search_is_refused(tmp_path):
    with registered(), pytest.raises(ValueError, match="the game 'duel' cannot be searched"):
        write_search_labels(tmp_path / "labels", PLAN, 1, GAME, 1, print)
    assert not (tmp_path / "labels").exists()
