"""Start from a teacher: the network learns its choices, or what choices gain according to a search."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from sackarmies_agents.agent import GameInfo, check_plays_many
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.advice import Advisor, make_advisor
from sackarmies_agents.learned.network import Advice
from sackarmies_agents.learned.sizes import OUTCOMES
from sackarmies_env.core.game import Game
from sackarmies_env.core.safe_read import named
from sackarmies_training.config import LabelSection, TeacherSection
from sackarmies_training.divergence import refuse_diverged
from sackarmies_training.labels import Labels, label_tensors, read_labels, teach
from sackarmies_training.loggers import Loggers
from sackarmies_training.losses import DECIDED, autocast, expected_loss, squared_error, value_loss, worths
from sackarmies_training.ragged import Choices, log_probabilities, owners, sums
from sackarmies_training.seeds import derive

if TYPE_CHECKING:
    from sackarmies_training.learn import Learner, Team


class Taught(NamedTuple):
    """Decisions of a teacher.

    Attributes:
        choices: `k` decisions; `weights` are the probabilities that the teacher gives to ids.
        results: `(k,)` int64, how games ended for the current player.
        gains: `(m, h)` float32, what each id gains, one column for each number of turns played on.
        compared: `(m,)` bool, whether the gains of each id are known.
    """

    choices: Choices
    results: Tensor
    gains: Tensor
    compared: Tensor


class LabelLesson(NamedTuple):
    """Labels that are learned from at once.

    Attributes:
        fraction: share of all learning done before this lesson.
        labels: its labels.
        times: number of passes over them.
    """

    fraction: float
    labels: Labels
    times: int = 1


Report = Callable[[int, float], None]  # decisions learned from, share of choices predicted


def lessons_of(section: TeacherSection, line_ups: Sequence[Game], seed: int) -> Iterator[Labels]:
    """Yield labels without end: from all files, reshuffled for each pass, or from games that the teacher plays."""
    info = GameInfo.of(line_ups[0])
    if section.files:
        files = files_of(section)
        rng = np.random.default_rng(derive(seed, "files"))
        while True:
            yield from (read_lesson(files[place], info) for place in rng.permutation(len(files)))
    teacher = make_agent(section.agent, info)
    for number in itertools.count():
        game = line_ups[number % len(line_ups)]
        yield teach(game, teacher, section.games, derive(seed, "lesson", number), section.noise)


def check_teacher(section: TeacherSection, info: GameInfo) -> None:
    """Refuse a section whose teacher cannot teach.

    Raises:
        ValueError: a file is missing, damaged or of another game, or a folder holds none; or, without files, the agent
            cannot be made or cannot play many games at once.
    """
    if section.files:
        for path in files_of(section):
            refuse_empty(path, len(label_tensors(path, info)["counts"]))
        return
    check_plays_many(make_agent(section.agent, info), f"teacher.agent is {section.agent!r}")


def read_lesson(path: Path, info: GameInfo) -> Labels:
    """Read a file of labels that must not be empty.

    Raises:
        ValueError: as for `read_labels`, or the file holds no labels.
    """
    labels = read_labels(path, info)
    refuse_empty(path, len(labels))
    return labels


def refuse_empty(path: Path, decisions: int) -> None:
    """Refuse a file of labels that holds no decisions.

    Raises:
        ValueError: it holds none.
    """
    if not decisions:
        raise ValueError(f"{named(path)} has no decisions to learn from")


def files_of(section: TeacherSection) -> list[Path]:
    """Return all label files that a section names; errors as for `label_files`."""
    return [path for name in section.files for path in label_files(Path(name))]


def label_files(path: Path) -> list[Path]:
    """Return a label file itself, or all label files in a folder.

    Raises:
        ValueError: there is no such file or folder, or the folder holds no label files.
    """
    if not path.exists():
        raise ValueError(f"there are no labels at {named(path)}: `sackarmies labels` writes some")
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.safetensors"))
    if not files:
        raise ValueError(f"{named(path)} holds no labels: `sackarmies labels` writes some")
    return files


def clone_teacher(
    learner: Learner, section: TeacherSection, line_ups: Sequence[Game], loggers: Loggers, seed: int
) -> str:
    """Learn from a teacher first, and log the share of its choices that are predicted; return a sentence on it.

    `learner.taught` becomes the number of decisions learned from.
    """
    if learner.team.rank:  # the first process continues the random numbers that its network began with
        torch.manual_seed(seed)  # with the same ones, all would learn the same decisions of a single label file

    def report(done: int, right: float) -> None:
        loggers.log(min(0, done - section.decisions), {"imitation/predicted": right})

    done, right = study(learner, section, line_ups, seed, report)
    learner.taught = done
    return f"Learned from {done:,} decisions of a teacher; {right:.0%} of its choices predicted."


def study(
    learner: Learner, section: TeacherSection, line_ups: Sequence[Game], seed: int, report: Report
) -> tuple[int, float]:
    """Clone a teacher; return the number of decisions learned from, and the share of its choices predicted."""
    lessons = enough(lessons_of(section, line_ups, seed), section.decisions, learner.team)
    return learn_labels(learner, section, lessons, line_ups[0], report)


def enough(lessons: Iterable[Labels], decisions: int, team: Team) -> Iterator[LabelLesson]:
    """Yield lessons until all processes together have learned from `decisions` decisions."""
    done = 0
    for labels in lessons:
        yield LabelLesson(done / decisions, labels)
        done += counted(labels, team)
        if done >= decisions:
            return


def counted(labels: Labels, team: Team) -> int:
    """Return how many decisions all processes together learn from, each from its own labels."""
    return int(team.agree(len(labels), least=True)) * team.size


def learn_labels(
    learner: Learner,
    section: LabelSection,
    lessons: Iterable[LabelLesson],
    game: Game,
    report: Report = lambda done, right: None,
) -> tuple[int, float]:
    """Learn from labels, then restart the average and the optimizer from there.

    Args:
        learner: its network learns.
        section: how to learn.
        lessons: the same number in each process.
        game: the game played.
        report: called after each lesson with the values that are returned at the end.

    Returns:
        Number of decisions learned from, and share of the last lesson's choices that are predicted.

    Raises:
        ValueError: training has diverged.
    """
    advisor = make_advisor(learner.section.advice, GameInfo.of(game), learner.section.advice_level)
    learner.optimizer.state.clear()
    # To predict gains, scores are learned in their unit, which is far smaller than that of logits.
    unit = section.unit if section.gains else 1.0
    learner.network.scale_scores(unit)
    learner.network.turns_boards = section.symmetries
    done, right = 0, 0.0
    for fraction, labels, times in lessons:
        rate = section.learning_rate + fraction * (section.final_learning_rate - section.learning_rate)
        for group in learner.optimizer.param_groups:
            group["lr"] = rate
        taught = taught_by(labels, advisor, game.num_actions, section.softness, learner.device)
        right, *_ = [clone(learner, taught, section) for _ in range(times)]  # of the first pass: before it learned them
        done += times * counted(labels, learner.team)
        report(done, right)
    refuse_diverged(learner.network.parameters())
    learner.network.turns_boards = False
    learner.network.scale_scores(1 / unit)
    learner.averaged.load_state_dict(learner.network.state_dict())
    learner.optimizer.state.clear()
    return done, right


def clone(learner: Learner, taught: Taught, section: LabelSection) -> float:
    """Learn from a teacher: what choices gain where it says so, else its choices; and the results of its games.

    Args:
        learner: its network learns; if it learns gains, its scores are in their unit.
        taught: the teacher's decisions.
        section: weights of the parts of the loss.

    Returns:
        Share of the teacher's choices that are predicted.
    """
    right, choices, results = 0.0, taught.choices, taught.results
    parts = int(learner.team.agree(max(1, len(results) // section.minibatch), least=True))
    for rows in torch.randperm(len(results)).tensor_split(parts):
        n, here = len(rows), rows.to(learner.device)
        observations, advice, place, entry = choices.pick(here, here[:0])
        with autocast(learner.device, learner.section.precision):
            foreseen, outcomes = learner.network.foresee(observations, place, advice)
        foreseen, wanted, compared = foreseen.float(), choices.weights[entry], taught.compared[entry]
        scores, gains = foreseen[:, -1], taught.gains[entry]
        if advice is not None:
            gains = gains + section.margin * (place.action == advice.chosen[place.game]).unsqueeze(1)
        final = torch.from_numpy(DECIDED if outcomes.shape[1] == OUTCOMES else worths(learner.network.loss)[:, None])
        loss = learner.section.value_weight * value_loss(outcomes.float(), final[results[rows]].to(learner.device))
        is_copied = (sums(compared.float(), place.game, n) == 0) | (not section.learns_gains)
        logits = scores / section.unit if section.gains else scores
        copied = sums(wanted * log_probabilities(logits, place.game, n), place.game, n) * is_copied
        loss = loss - section.choices * copied.mean()
        if section.policy:
            mean = gains.mean(dim=1) / section.unit
            loss = loss + section.policy * expected_loss(logits, mean, compared, place.game, n).mean()
        for back in range(1, min(foreseen.shape[1], gains.shape[1]) + 1):  # the last column is the one that plays
            weight = section.gains if back == 1 else section.early
            error = squared_error(foreseen[:, -back], gains[:, -back], compared, place.game, n)
            loss = loss + weight * error.mean()
        learner.step(loss)
        best = torch.full((n,), -torch.inf, device=learner.device)
        best = best.scatter_reduce(0, place.game, scores.detach(), "amax")
        most = torch.zeros(n, device=learner.device).scatter_reduce(0, place.game, wanted, "amax")
        is_hit = (scores == best[place.game]) & (wanted == most[place.game])
        right += float((sums(is_hit.float(), place.game, n) > 0).sum())
    return right / max(1, len(results))


def taught_by(
    labels: Labels, advisor: Advisor | None, num_actions: int, softness: float, device: torch.device
) -> Taught:
    """Return labels as a network takes them; a share `softness` of each target is spread evenly over legal ids."""
    advice = None
    if advisor is not None:
        advice = Advice.of(advisor.ask(labels.observations.numpy(), labels.masks(num_actions)))
    even = 1.0 / labels.counts[owners(labels.counts)]
    targets = (1 - softness) * labels.targets + softness * even
    first = functional.pad(labels.counts.cumsum(0), (1, 0))
    choices = Choices(labels.observations, advice, first, labels.actions, targets).to(device)
    return Taught(choices, labels.results, labels.gains.to(device), labels.compared.to(device))
