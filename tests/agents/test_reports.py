"""What agents report about their decisions."""

import numpy as np
import pytest
import torch

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.conduct import Misconduct, ask_reports
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.network import MASKED, PlainNetwork
from sackarmies_agents.learned.policy_agent import PolicyAgent
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_agents.search.agent import report_of
from sackarmies_agents.search.flat import Finding, unsearched
from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_game
from tests.agents import thinking
from tests.core.toy_game import make_duel


def test_search_reports_its_choice_first_then_what_it_searched_longer():
    finding = Finding(
        action=7,
        prior=3,
        actions=np.array([3, 5, 7, 8, 9]),
        values=np.array([0.2, 0.9, 0.4, 0.5, 0.0]),
        counts=np.array([16, 20, 16, 4, 0]),  # 20: those of several plans
        worlds=np.array([16, 4, 16, 4, 0]),
    )
    report = report_of(finding)
    assert [(candidate.action, candidate.value) for candidate in report.candidates] == [
        (7, 0.4),
        (3, 0.2),
        (5, 0.9),
        (8, 0.5),
    ]
    assert report.value == 0.4
    assert {candidate.probability for candidate in report.candidates} == {None}


def test_search_reports_nothing_where_it_compared_nothing():
    assert report_of(unsearched(3)) is None


def test_search_reports_legal_ids_for_each_decision_of_its_last_call():
    game = load_game("sack_armies", num_generals=2)
    batch = Batch(game, 4, restarts=False)
    batch.reset(np.arange(4))
    batch.step_random(60)
    agent = make_agent("search:playouts=16,horizon=1", GameInfo.of(game))
    agent.reset(1)
    assert ask_reports(agent, 0) == []
    rows = np.flatnonzero(batch.players == 0)
    information = batch.information_sets(0, rows)
    chosen = agent.act_informed(information)
    reports = ask_reports(agent, len(rows))
    assert any(reports)
    for mask, action, report in zip(information.action_masks(), chosen, reports, strict=True):
        candidates = report.candidates if report else ()
        assert all(mask[candidate.action] for candidate in candidates)
        assert not candidates or candidates[0].action == action


@pytest.mark.parametrize("deterministic", [False, True])
def test_policy_reports_the_probabilities_of_legal_ids_and_the_value(deterministic):
    class Fixed(PlainNetwork):
        def forward(self, observations, masks):
            wanted = torch.log(torch.tensor([0.2, 0.7, 0.1, 1.0, 1.0, 1.0]))
            return wanted.masked_fill(~masks, MASKED), torch.full((len(masks),), -0.25)

    game = make_duel()
    sizes = NetworkSizes(token=24, mark=8, hidden=32, patch=2)
    agent = PolicyAgent(Fixed(GameInfo.of(game), sizes), deterministic=deterministic)
    masks = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]], np.int8)
    agent.act_batch(np.zeros((2, game.observation_spec.size), np.int8), masks)
    first, second = ask_reports(agent, 2)
    assert [candidate.action for candidate in first.candidates] == [1, 0, 2]
    assert [candidate.probability for candidate in first.candidates] == pytest.approx([0.7, 0.2, 0.1])
    assert [(candidate.action, candidate.probability) for candidate in second.candidates] == [(5, 1.0)]
    assert (first.value, second.value) == (-0.25, -0.25)


def test_agents_report_nothing_unless_they_say_otherwise():
    agent = make_agent("random", GameInfo.of(make_duel()))
    agent.reset(1)
    assert ask_reports(agent, 3) == [None, None, None]


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [(thinking.TooMany, "did not return one Report for each of 1 dec"), (thinking.Fails, "RuntimeError: no idea")],
)
def test_invalid_reports_are_misconduct(kind, sentence):
    agent = kind(None)
    agent.masks = [np.ones(3)]
    with pytest.raises(Misconduct, match=sentence):
        ask_reports(agent, 1)
