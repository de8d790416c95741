"""The losses of self-play against their formulas, decision by decision, and what is annealed during a run."""

import io
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console
from torch import distributed

from sackarmies_agents.learned.network import Place
from sackarmies_training.groups import Groups
from sackarmies_training.learn import Learner, SelfPlay, Team, learn, look_back, make_learner
from tests.core.toy_game import make_duel
from tests.training.test_learn import make_config

NO_IDS = torch.zeros(0, dtype=torch.int64)
LEARN = {
    "clip_range": 0.1,
    "entropy": 0.03,
    "final_entropy": 0.01,
    "old_policy": 0.5,
    "magnet": 0.2,
    "magnet_least": 0.0,
    "magnet_power": 0.5,
    "value_weight": 0.7,
    "largest": 1.0,
}
FRACTION, UPDATES = 0.25, 3  # of the run, when losses are computed


@pytest.fixture(scope="module")
def lesson():
    """Return a learner whose policy has moved since it played, the rollout, and what is to be learned from it."""
    config = make_config(Path("x"), learn=LEARN)
    learner = make_learner(config, make_duel(), Team())
    played = SelfPlay([make_duel()], config.learn, seed=1).play(learner.network)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in learner.network.parameters():
            weight.add_(0.2 * torch.randn(weight.shape, generator=generator))
    learner.updates = UPDATES
    return learner, played, look_back(played, config.learn)


def losses_of(lesson):
    """Return the loss and its parts, and the decisions that choices and values are learned from."""
    learner, played, found = lesson
    rows, others = found.rows[:25], found.rows[-15:]
    said = learner._losses(played, found, rows, others, FRACTION)
    return {name: float(value.detach()) for name, value in said.items()}, rows.tolist(), others.tolist()


def policies_of(learner, choices, row):
    """Return the log-probabilities of a decision's ids by the policy that learns, and by the one that played."""
    entries = slice(choices.first[row], choices.first[row + 1])
    place = Place(torch.zeros_like(choices.actions[entries]), choices.actions[entries])
    with torch.no_grad():
        scores, _ = learner.network.assess(choices.observations[row : row + 1], place)
    return scores.double().log_softmax(0).numpy(), choices.weights[entries].double().numpy()


def test_losses_of_choices_are_means_over_decisions(lesson):
    learner, played, found = lesson
    said, rows, _ = losses_of(lesson)
    wanted = {name: [] for name in ("gain", "clipped", "entropy", "kl_old", "kl_magnet")}
    for row in rows:
        new, old = policies_of(learner, played.choices, row)
        drawn = int(played.drawn[row] - played.choices.first[row])
        ratio, advantage = np.exp(new[drawn] - old[drawn]), float(found.advantages[row])
        bounded = np.clip(ratio, 0.9, 1.1)
        wanted["gain"].append(min(ratio * advantage, bounded * advantage))
        wanted["clipped"].append(ratio != bounded)
        wanted["entropy"].append(-(np.exp(new) * new).sum())
        wanted["kl_old"].append((np.exp(new) * (new - old)).sum())
        wanted["kl_magnet"].append((np.exp(new) * (new + np.log(len(new)))).sum())
    assert 0.1 < np.mean(wanted["clipped"]) < 0.9
    for name, each in wanted.items():
        assert said[name] == pytest.approx(np.mean(each), abs=1e-4), name


def test_value_loss_compares_each_decision_with_its_own_target(lesson):
    learner, played, found = lesson
    said, _, others = losses_of(lesson)
    wanted = []
    for row in others:
        with torch.no_grad():
            _, outcomes = learner.network.assess(played.choices.observations[row : row + 1], Place(NO_IDS, NO_IDS))
        wanted.append(-float((found.targets[row] * outcomes[0].log_softmax(0)).sum()))
    assert said["value_loss"] == pytest.approx(np.mean(wanted), abs=1e-4)


def test_loss_is_the_weighted_sum_of_its_parts(lesson):
    said, _, _ = losses_of(lesson)
    entropy = 0.03 + FRACTION * (0.01 - 0.03)
    magnet = 0.2 * (UPDATES + 1) ** -0.5
    wanted = 0.7 * said["value_loss"] + 0.5 * said["kl_old"] + magnet * said["kl_magnet"]
    assert said["loss"] == pytest.approx(wanted - said["gain"] - entropy * said["entropy"], abs=1e-5)


def test_gradients_are_scaled_to_the_greatest_norm():
    learner = make_learner(make_config(Path("x"), learn={"max_gradient": 0.5}), make_duel(), Team())
    for scale, wanted in ((1e3, 0.5), (1e-3, 1e-3)):
        first = next(learner.network.parameters())
        learner.step(scale * first.flatten()[0])
        norms = [weight.grad.norm() for weight in learner.network.parameters() if weight.grad is not None]
        assert float(torch.stack(norms).norm()) == pytest.approx(wanted, rel=1e-4)


def test_learning_rate_and_shaping_are_annealed_during_a_run(tmp_path, monkeypatch):
    rates, shapings = [], []
    step, play = Learner.step, Groups.play

    def noted_step(learner, loss):
        rates.append(learner.optimizer.param_groups[0]["lr"])
        step(learner, loss)

    def noted_play(groups, learner, shaping):
        shapings.append(shaping)
        return play(groups, learner, shaping)

    monkeypatch.setattr(Learner, "step", noted_step)
    monkeypatch.setattr(Groups, "play", noted_play)
    config = make_config(tmp_path, learn={"learning_rate": 1e-3, "final_learning_rate": 2e-4})  # four updates
    learn(config, make_duel(), Console(file=io.StringIO()))
    assert shapings == pytest.approx([1.0, 0.5, 0.0, 0.0])
    assert sorted(set(rates), reverse=True) == pytest.approx([1e-3, 8e-4, 6e-4, 4e-4])
    assert rates == sorted(rates, reverse=True)


def test_gradients_become_means_over_processes(monkeypatch):
    others = torch.arange(5.0)
    monkeypatch.setattr(distributed, "all_reduce", lambda flat: flat.add_(others))
    one, other = torch.ones(2), torch.zeros(1, 3)
    Team(size=2).average([one, None, other])
    assert one.tolist() == [0.5, 1.0]
    assert other.tolist() == [[1.0, 1.5, 2.0]]
