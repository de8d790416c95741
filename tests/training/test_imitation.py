import io

import numpy as np
import pytest
import torch
from rich.console import Console

from sackarmies_agents import GameInfo
from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_agents.learned.network import PlainNetwork
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_env.core.validation import read_model
from sackarmies_training import imitation
from sackarmies_training.config import ImitationSection, TrainConfig
from sackarmies_training.imitation import School, discounted, imitate
from sackarmies_training.train_ppo import train
from tests.agents.simple import LastLegal
from tests.core.toy_game import make_duel


@pytest.fixture
def teacher(monkeypatch):
    monkeypatch.setattr("sackarmies_training.imitation.make_agent", lambda text, info: LastLegal())


def make_config(folder="unused", **imitation):
    data = {
        "folder": str(folder),
        "ppo": {"decisions": 128, "envs": 8, "steps": 16, "minibatch": 64, "gamma": 0.5},
        "imitation": {"teacher": "greedy", "decisions": 4000, "games": 40, "noise": 0.2, **imitation},
        "tournament": {"agents": ["learner", "random"]},
    }
    return read_model(TrainConfig, data, "test")


def make_lesson(**imitation):
    config = make_config(**imitation)
    return School(config, config.imitation, make_duel()).lesson()


def test_value_is_the_players_return_discounted_by_their_own_decisions():
    places = np.array([[0, 0], [1, 0], [0, 1], [0, 0], [1, 1], [0, 0]])
    returns = np.array([[1.0, -1.0], [0.0, 0.5]], np.float32)
    assert discounted(places, returns, 0.5).tolist() == [0.25, 0.0, -1.0, 0.5, 0.5, 1.0]


def test_lesson_holds_the_teachers_choice_even_at_random_moves(teacher):
    lesson = make_lesson(noise=1.0)
    assert np.array_equal(lesson.actions, lesson.masks.shape[1] - 1 - lesson.masks[:, ::-1].argmax(axis=1))
    assert lesson.observations.tobytes() != make_lesson(noise=0.0).observations.tobytes()
    assert 0 < np.abs(lesson.values).max() <= 1


def test_random_actions_do_not_depend_on_when_they_are_played(teacher, watch_noise):
    found = watch_noise(imitation, lambda: make_lesson(games=100, noise=0.5))
    assert 0.2 < found.mean() < 0.7


def test_same_seed_gives_the_same_lesson(teacher):
    first, second = make_lesson(), make_lesson()
    assert np.array_equal(first.observations, second.observations)
    assert np.array_equal(first.values, second.values)


def test_network_learns_to_predict_the_teacher(teacher):
    torch.manual_seed(1)
    game = make_duel()
    config = make_config(decisions=40000)
    network = PlainNetwork(GameInfo.of(game), NetworkSizes(hidden=32))
    reports = []
    imitate(network, School(config, config.imitation, game), config.imitation, lambda *report: reports.append(report))
    assert reports[-1][0] == 1.0
    assert reports[0][1] < 0.9
    assert reports[-1][1] > 0.97


def test_training_after_a_head_start_saves_it_first(teacher, tmp_path):
    out = io.StringIO()
    path = train(make_config(tmp_path / "run", decisions=500), make_duel(), Console(file=out, width=200))
    assert "Imitating greedy first." in out.getvalue()
    assert (path.parent / "checkpoints" / "000000000.safetensors").exists()
    assert read_checkpoint(path).header.training["decisions"] == 128


def test_learner_cannot_imitate_itself():
    with pytest.raises(ValueError, match=r"teacher is 'learner', the learner itself: name another agent"):
        read_model(ImitationSection, {"teacher": "learner", "decisions": 10}, "test")
