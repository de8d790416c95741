import numpy as np

from sackarmies_agents.scripted.random_agent import RandomAgent

MASKS = np.array([[0, 1, 0, 1, 1], [1, 0, 0, 0, 0]], np.int8)
OBSERVATIONS = np.zeros((2, 3), np.int8)


def test_every_legal_action_and_no_other_is_chosen_equally_often():
    agent = RandomAgent()
    counts = np.bincount([agent.act(OBSERVATIONS[0], MASKS[0]) for _ in range(3000)], minlength=5)
    assert counts[[0, 2]].tolist() == [0, 0]
    assert np.abs(counts[[1, 3, 4]] - 1000).max() < 120


def test_batch_chooses_as_evenly():
    agent = RandomAgent()
    masks = np.repeat(MASKS, 3000, axis=0)
    actions = agent.act_batch(np.zeros((6000, 3), np.int8), masks)
    assert actions.dtype == np.int64
    counts = np.bincount(actions[:3000], minlength=5)
    assert counts[[0, 2]].tolist() == [0, 0]
    assert np.abs(counts[[1, 3, 4]] - 1000).max() < 120
    assert set(actions[3000:].tolist()) == {0}


def test_seed_repeats_choices():
    agent = RandomAgent()
    masks = np.ones((50, 100), np.int8)
    agent.reset(3)
    first = agent.act_batch(np.zeros((50, 1), np.int8), masks)
    agent.reset(3)
    assert np.array_equal(agent.act_batch(np.zeros((50, 1), np.int8), masks), first)
    agent.reset(4)
    assert not np.array_equal(agent.act_batch(np.zeros((50, 1), np.int8), masks), first)
