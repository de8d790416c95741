"""What a network learns from labels: gains where they are known, choices elsewhere."""

from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.learned.network import Advice, PlainNetwork
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_training import teacher
from sackarmies_training.config import TeacherSection
from sackarmies_training.labels import DRAW, LOSS, WIN, Labels, teach, write_labels
from sackarmies_training.learn import Learner, Team, make_learner
from sackarmies_training.loggers import Loggers
from sackarmies_training.losses import expected_loss, squared_error, value_loss
from sackarmies_training.seeds import derive
from sackarmies_training.teacher import (
    LabelLesson,
    clone,
    clone_teacher,
    enough,
    label_files,
    learn_labels,
    lessons_of,
    taught_by,
)
from tests.core.toy_game import make_duel
from tests.training.test_learn import make_config

BETTER, UNIT = 1, 0.02


@pytest.fixture(scope="module")
def game():
    return make_duel()


@pytest.fixture(scope="module")
def played(game):
    """Return labels of random play, from decisions in which the id BETTER and others are legal."""
    labels = teach(game, make_agent("random", GameInfo.of(game)), 60, seed=1, noise=0.0)
    counts = labels.counts
    parts = [tensor.split(counts.tolist()) for tensor in (labels.actions, labels.targets)]
    rows = [row for row in range(len(labels)) if len(parts[0][row]) > 1 and BETTER in parts[0][row].tolist()]
    actions, targets = (torch.cat([part[row] for row in rows]) for part in parts)
    nothing = torch.zeros((len(actions), 1))
    return Labels(
        labels.observations[rows], counts[rows], actions, targets, labels.results[rows], nothing, nothing[:, 0] > 0
    )


def with_gains(labels, gain, compared):
    gains = torch.where(labels.actions == BETTER, gain, 0.0).unsqueeze(1)
    return Labels(**(vars(labels) | {"gains": gains, "compared": compared}))


def logits_of(network, labels, num_actions, advice=None):
    masks = torch.from_numpy(labels.masks(num_actions)) != 0
    with torch.inference_mode():
        return network(labels.observations, masks, advice)[0].masked_fill(~masks, -torch.inf)


def test_errors_count_only_as_differences_of_compared_ids():
    scores, wanted = torch.tensor([1.0, 2.0, 5.0, 7.0, 1.0]), torch.tensor([0.0, 1.0, 9.0, 0.0, 3.0])
    compared = torch.tensor([True, True, False, True, True])
    game = torch.tensor([0, 0, 0, 1, 1])
    assert squared_error(scores, wanted, compared, game, 2).tolist() == [0.0, pytest.approx(2 * 4.5**2)]
    assert squared_error(scores + 3, wanted, compared, game, 2)[0] == pytest.approx(0.0)
    assert squared_error(scores, wanted, compared & (game == 0), game, 2).tolist() == [0.0, 0.0]


def test_expected_loss_is_a_divergence_among_compared_ids_but_for_a_constant():
    logits, wanted = torch.tensor([1.0, 2.0, 5.0, 7.0, 1.0]), torch.tensor([0.5, 1.0, 9.0, 0.0, 3.0])
    compared, game = torch.tensor([True, True, False, True, True]), torch.tensor([0, 0, 0, 1, 1])
    found = expected_loss(logits, wanted, compared, game, 3)
    for decision, rows in enumerate(([0, 1], [3, 4])):
        policy, target = torch.softmax(logits[rows], 0), torch.log_softmax(wanted[rows], 0)
        divergence = (policy * (policy.log() - target)).sum()
        assert found[decision] == pytest.approx(float(divergence - wanted[rows].logsumexp(0)), abs=1e-5)
    assert found[2] == 0  # nothing is compared there


def test_noise_in_gains_averages_out_of_the_expected_loss():
    logits, game, compared = torch.zeros(3, requires_grad=True), torch.zeros(3, dtype=torch.int64), torch.ones(3) > 0
    noise = torch.tensor([[4.0, -3.0, 1.0], [-4.0, 3.0, -1.0]])
    gradients = []
    for wanted in (torch.zeros(3), *noise):
        (gradient,) = torch.autograd.grad(expected_loss(logits, wanted, compared, game, 1).sum(), logits)
        gradients.append(gradient)
    assert not torch.allclose(gradients[0], gradients[1])
    torch.testing.assert_close(gradients[0], (gradients[1] + gradients[2]) / 2)


@pytest.mark.parametrize("loss", [{"gains": 10.0}, {"policy": 1.0}, {"gains": 10.0, "policy": 0.1}], ids=str)
def test_logits_become_gains_in_their_unit(game, played, loss):
    learner = make_learner(make_config(Path("x")), game, Team())
    labels = with_gains(played, 0.05, torch.ones(len(played.actions), dtype=torch.bool))
    section = TeacherSection(decisions=1, choices=0.0, unit=UNIT, minibatch=64, learning_rate=3e-3, **loss)
    learn_labels(learner, section, [LabelLesson(number / 40, labels) for number in range(40)], game)
    logits = logits_of(learner.averaged, labels, game.num_actions)
    others = logits.clone()
    others[:, BETTER] = -torch.inf
    assert (logits.argmax(dim=1) == BETTER).float().mean() > 0.95
    lead = logits[:, BETTER] - others.max(dim=1).values
    assert float(lead.median()) == pytest.approx(0.05 / UNIT, rel=0.3)


@pytest.mark.parametrize("loss", [{"gains": 10.0}, {"policy": 1.0}], ids=str)
@pytest.mark.parametrize("told", [True, False])
def test_choices_are_learned_only_where_no_gain_is_told(game, played, told, loss):
    compared = torch.full((len(played.actions),), told)
    learner = make_learner(make_config(Path("x")), game, Team())
    first = (played.actions == BETTER).float()
    labels = Labels(**(vars(with_gains(played, -0.05, compared)) | {"targets": first}))
    section = TeacherSection(decisions=1, choices=1.0, softness=0.0, minibatch=64, learning_rate=3e-3, **loss)
    learn_labels(learner, section, [LabelLesson(number / 30, labels) for number in range(30)], game)
    share = (logits_of(learner.averaged, labels, game.num_actions).argmax(dim=1) == BETTER).float().mean()
    assert share < 0.1 if told else share > 0.9


@pytest.mark.parametrize(("margin", "prefers"), [(0.0, BETTER), (0.04, 0)])
def test_a_choice_other_than_the_advised_one_must_gain_a_margin(game, played, margin, prefers):
    torch.manual_seed(1)
    info = GameInfo.of(game)
    learner = Learner(PlainNetwork(info, NetworkSizes(hidden=32, advice=1)), make_config(Path("x")).learn, Team())
    labels = with_gains(played, 0.02, torch.ones(len(played.actions), dtype=torch.bool))
    has_both = torch.from_numpy(labels.masks(game.num_actions)[:, [0, BETTER]].all(axis=1))
    advice = Advice(torch.zeros(len(labels), dtype=torch.int64))
    taught = taught_by(labels, None, game.num_actions, 0.0, torch.device("cpu"))
    taught = taught._replace(choices=taught.choices._replace(advice=advice))
    section = TeacherSection(decisions=1, gains=10.0, choices=0.0, margin=margin, minibatch=64)
    learner.network.scale_scores(UNIT)
    for _ in range(60):
        clone(learner, taught, section)
    chosen = logits_of(learner.network, labels, game.num_actions, advice).argmax(dim=1)
    assert has_both.sum() > 40
    assert (chosen[has_both] == prefers).float().mean() > 0.9


@pytest.mark.parametrize("players", [2, 4])
def test_results_are_learned_as_what_the_game_pays(players, monkeypatch):
    game = make_duel(players)
    labels = teach(game, make_agent("random", GameInfo.of(game)), 8, seed=1, noise=0.0)
    learner, targets = make_learner(make_config(Path("x"), learn={"outcomes": False}), game, Team()), []

    def note(outcomes, wanted):
        targets.extend(wanted.flatten().tolist())
        return value_loss(outcomes, wanted)

    monkeypatch.setattr(teacher, "value_loss", note)
    learn_labels(learner, TeacherSection(decisions=1), [LabelLesson(0.0, labels)], game)
    paid = {WIN: 1.0, DRAW: 0.0, LOSS: -1 / (players - 1)}
    assert sorted(targets) == pytest.approx(sorted(paid[result] for result in labels.results.tolist()))


def test_share_of_choices_predicted_does_not_depend_on_softness(game, played):
    labels = Labels(**(vars(played) | {"targets": (played.actions == BETTER).float()}))
    for softness in (0.0, 0.3):
        learner = make_learner(make_config(Path("x")), game, Team())
        section = TeacherSection(decisions=1, softness=softness, minibatch=64, learning_rate=3e-3)
        _, right = learn_labels(learner, section, [LabelLesson(number / 30, labels) for number in range(30)], game)
        chosen = logits_of(learner.averaged, labels, game.num_actions).argmax(dim=1)
        assert right == pytest.approx(float((chosen == BETTER).float().mean()), abs=0.05)
        assert right > 0.9


def test_gains_after_fewer_turns_are_not_learned_alone():
    with pytest.raises(ValueError, match=r"early is 2\.0, but gains is 0"):
        TeacherSection(decisions=1, early=2.0)


def test_lessons_say_how_much_has_been_learned_before(played):
    fractions = [lesson.fraction for lesson in enough(iter([played] * 9), 2 * len(played), Team())]
    assert fractions == [0.0, 0.5]


def test_step_sizes_fall_from_lesson_to_lesson(game, played, monkeypatch):
    learner = make_learner(make_config(Path("x")), game, Team())
    rates = []
    step = learner.step
    monkeypatch.setattr(
        learner, "step", lambda loss: (rates.append(learner.optimizer.param_groups[0]["lr"]), step(loss))
    )
    section = TeacherSection(decisions=1, learning_rate=1e-2, final_learning_rate=0.0, minibatch=10**6)
    lessons = LabelLesson(0.0, played, times=2), LabelLesson(0.5, played), LabelLesson(0.75, played)
    done, _ = learn_labels(learner, section, lessons, game)
    np.testing.assert_allclose(rates, [1e-2, 1e-2, 5e-3, 2.5e-3])
    assert done == 4 * len(played)


def test_labels_that_make_the_network_diverge_are_not_learned_to_the_end(game, played):
    learner = make_learner(make_config(Path("x")), game, Team())
    section = TeacherSection(decisions=1, learning_rate=1e30, minibatch=64)
    with pytest.raises(ValueError, match="training has diverged: weights are not numbers"):
        learn_labels(learner, section, [LabelLesson(0.0, played)], game)


def test_processes_learn_one_file_in_different_orders_from_equal_weights(game, played, tmp_path):
    write_labels(tmp_path / "one.safetensors", played, GameInfo.of(game), "x")
    section = TeacherSection(files=[str(tmp_path)], decisions=1, minibatch=16)  # Adam's first step shows only signs
    weights = []
    for rank in (0, 1, 2):
        learner = make_learner(make_config(Path("x")), game, Team(rank))
        before = learner.network.value.weight.clone()
        clone_teacher(learner, section, [game], Loggers([]), derive(1, "study", rank))
        weights.append((before, learner.network.value.weight))
    for (first, one), (second, other) in combinations(weights, 2):
        assert torch.equal(first, second)
        assert not torch.equal(one, other)


@pytest.mark.parametrize("symmetries", [True, False])
def test_boards_are_turned_while_labels_are_learned_and_not_in_play(game, played, monkeypatch, symmetries):
    learner = make_learner(make_config(Path("x")), game, Team())
    seen, step = [], learner.step
    monkeypatch.setattr(learner, "step", lambda loss: (seen.append(learner.network.turns_boards), step(loss)))
    section = TeacherSection(decisions=1, minibatch=64, symmetries=symmetries)
    learn_labels(learner, section, [LabelLesson(0.0, played)], game)
    assert set(seen) == {symmetries}
    assert not learner.network.turns_boards
    assert not learner.averaged.turns_boards


def test_files_are_learned_in_an_order_that_is_drawn_anew_each_time(game, played, tmp_path):
    """Each process has its own seed, so that they learn from different files side by side."""
    info = GameInfo.of(game)
    for number in range(6):
        few = Labels(**{name: tensor.clone() for name, tensor in vars(one_decision(played)).items()})
        few.gains[:] = number
        write_labels(tmp_path / f"{number}.safetensors", few, info, "x")
    section = TeacherSection(files=[str(tmp_path)], decisions=1)
    orders = []
    for seed in (1, 2):
        lessons = [int(labels.gains[0, 0]) for labels in islice(lessons_of(section, [game], seed), 12)]
        orders += [lessons[:6], lessons[6:]]
    assert all(sorted(order) == list(range(6)) for order in orders)
    assert len({tuple(order) for order in orders}) == 4
    assert [int(labels.gains[0, 0]) for labels in islice(lessons_of(section, [game], 1), 6)] == orders[0]


def one_decision(labels):
    ids = int(labels.counts[0])
    firsts = {"counts": 1, "results": 1, "observations": 1}
    return Labels(**{name: tensor[: firsts.get(name, ids)] for name, tensor in vars(labels).items()})


def test_labels_without_decisions_are_refused(game, played, tmp_path):
    none = Labels(**{name: tensor[:0] for name, tensor in vars(played).items()})
    write_labels(tmp_path / "none.safetensors", none, GameInfo.of(game), "x")
    section = TeacherSection(files=[str(tmp_path)], decisions=1)
    with pytest.raises(ValueError, match=r"none.safetensors has no decisions to learn from"):
        next(lessons_of(section, [game], 1))


def test_labels_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"there are no labels at .*nowhere: `sackarmies labels` writes some"):
        label_files(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"holds no labels: `sackarmies labels` writes some"):
        label_files(tmp_path)
