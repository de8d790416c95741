"""Legal ids of many decisions in one flat array: probabilities, draws and picks of each decision alone."""

import numpy as np
import pytest
import torch

from sackarmies_agents.learned.network import Advice, Reasons
from sackarmies_training.ragged import Choices, draw, joined_advice, legal_places, log_probabilities, picked_advice


def test_log_probabilities_are_those_of_each_decision_alone():
    torch.manual_seed(0)
    counts = torch.tensor([3, 1, 4])
    scores = torch.randn(8) * 10
    game = torch.repeat_interleave(torch.arange(3), counts)
    wanted = torch.cat([part.log_softmax(0) for part in scores.split(counts.tolist())])
    assert torch.allclose(log_probabilities(scores, game, 3), wanted, atol=1e-6)


def test_drawn_entries_follow_the_probabilities_of_their_decision():
    torch.manual_seed(0)
    chances = torch.tensor([0.7, 0.3, 1.0, 0.2, 0.5, 0.3])
    game = torch.tensor([0, 0, 1, 2, 2, 2])
    drawn = torch.stack([draw(chances.log(), game, 3) for _ in range(4000)])
    shares = torch.bincount(drawn.flatten(), minlength=6) / 4000
    assert torch.allclose(shares, chances, atol=0.03)


def test_scores_that_are_no_numbers_are_a_sentence():
    with pytest.raises(ValueError, match="training has diverged: scores are not numbers"):
        draw(torch.tensor([0.0, float("nan"), float("nan")]), torch.tensor([0, 1, 1]), 2)


def test_legal_places_are_the_bits_of_packed_masks():
    packed = np.array([[0b1010, 1], [1 << 63, 0]], np.uint64)
    place = legal_places(packed, torch.device("cpu"))
    assert place.game.tolist() == [0, 0, 0, 1]
    assert place.action.tolist() == [1, 3, 64, 63]


def test_reasons_go_with_their_ids_and_their_positions():
    entries, positions = torch.arange(3)[:, None], torch.arange(2.0).view(2, 1, 1)
    advice = Advice(torch.tensor([4, 5]), torch.arange(3.0), Reasons(entries, entries.float(), positions))
    picked = picked_advice(joined_advice([advice, advice]), torch.tensor([3, 0]), torch.tensor([5, 4, 1]))
    assert picked.chosen.tolist() == [5, 4]
    assert picked.worths.tolist() == [2, 1, 1]
    assert picked.reasons.plans.tolist() == picked.reasons.parts.tolist() == [[2], [1], [1]]
    assert picked.reasons.notes.flatten().tolist() == [1, 0]
    assert joined_advice([None, None]) is None
    assert joined_advice([Advice(torch.tensor([1])), Advice(torch.tensor([2]))]).reasons is None


def test_picked_decisions_bring_their_own_legal_ids():
    choices = Choices(
        torch.arange(3, dtype=torch.int8)[:, None],
        Advice(torch.tensor([7, 8, 9]), torch.arange(6.0)),
        torch.tensor([0, 2, 3, 6]),
        torch.tensor([10, 11, 20, 30, 31, 32]),
        torch.zeros(6),
    )
    observations, advice, place, entry = choices.pick(torch.tensor([2, 0]), torch.tensor([1]))
    assert observations.flatten().tolist() == [2, 0, 1]
    assert advice.chosen.tolist() == [9, 7, 8]
    assert advice.worths.tolist() == [3, 4, 5, 0, 1]
    assert place.game.tolist() == [0, 0, 0, 1, 1]
    assert place.action.tolist() == [30, 31, 32, 10, 11]
    assert entry.tolist() == [3, 4, 5, 0, 1]
