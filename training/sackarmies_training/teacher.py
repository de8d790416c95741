"""A start from a teacher: the network learns its choices, or what a search says that choices gain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.policy_agent import make_advisor
from sackarmies_env.core.game import Game
from sackarmies_env.core.safe_read import named
from sackarmies_training.config import LabelSection, TeacherSection
from sackarmies_training.labels import Labels, read_labels, teach
from sackarmies_training.ragged import Choices, owners
from sackarmies_training.seeds import derive

if TYPE_CHECKING:
    from sackarmies_training.learn import Learner, Team


Report = Callable[[int, float], None]  # decisions learned from, share of choices predicted


def lessons_of(section: TeacherSection, line_ups: Sequence[Game], seed: int) -> Iterable[Labels]:
    """Yield labels without end: from files, one after the other, or from games that the teacher plays."""
    info = GameInfo.of(line_ups[0])
    teacher = None if section.files else make_agent(section.agent, info)
    files = [path for name in section.files for path in label_files(Path(name))]
    number = 0
    while True:
        if teacher is None:
            yield read_labels(files[number % len(files)], info)
        else:
            game = line_ups[number % len(line_ups)]
            yield teach(game, teacher, section.games, derive(seed, "lesson", number), section.noise)
        number += 1


def label_files(path: Path) -> list[Path]:
    """Return a file of labels, or all of a folder.

    Raises:
        ValueError: the folder holds none.
    """
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.safetensors"))
    if not files:
        raise ValueError(f"{named(path)} holds no labels: `sackarmies labels` writes some")
    return files


def study(
    learner: Learner, section: TeacherSection, line_ups: Sequence[Game], seed: int, report: Report
) -> tuple[int, float]:
    """Clone a teacher; return from how many decisions, and the share of its choices that are predicted."""
    lessons = enough(lessons_of(section, line_ups, seed), section.decisions, learner.team)
    return learn_labels(learner, section, lessons, line_ups[0], report)


def enough(lessons: Iterable[Labels], decisions: int, team: Team) -> Iterator[Labels]:
    """Yield lessons until all processes together have learned from so many decisions."""
    done = 0
    for labels in lessons:
        yield labels
        done += counted(labels, team)
        if done >= decisions:
            return


def counted(labels: Labels, team: Team) -> int:
    """Return how many decisions all processes together learn from, each having labels of its own."""
    return int(team.agree(len(labels), least=True)) * team.size


def learn_labels(
    learner: Learner,
    section: LabelSection,
    lessons: Iterable[Labels],
    game: Game,
    report: Report = lambda done, right: None,
) -> tuple[int, float]:
    """Learn from labels, and start the average and the optimizer anew from there.

    Args:
        learner: its network learns.
        section: how.
        lessons: as many in each process.
        game: what is played.
        report: called after each lesson with what is returned in the end.

    Returns:
        How many decisions were learned from, and the share of the choices of the last lesson that are predicted.
    """
    advisor = make_advisor(learner.section.advice, GameInfo.of(game))
    learner.optimizer.state.clear()
    for group in learner.optimizer.param_groups:
        group["lr"] = section.learning_rate
    done, right = 0, 0.0
    for labels in lessons:
        choices = choices_of(labels, advisor, game.num_actions, section.softness, learner.device)
        right = learner.clone(choices, labels.results, labels.gains.to(learner.device), section)
        done += counted(labels, learner.team)
        report(done, right)
    learner.averaged.load_state_dict(learner.network.state_dict())
    learner.optimizer.state.clear()
    return done, right


def choices_of(
    labels: Labels, advisor: Agent | None, num_actions: int, softness: float, device: torch.device
) -> Choices:
    """Return labels as a network needs them; a share of each target goes to all legal ids alike."""
    advised = None
    if advisor is not None:
        chosen = advisor.act_batch(labels.observations.numpy(), labels.masks(num_actions))
        advised = torch.from_numpy(chosen).to(device)
    even = 1.0 / labels.counts[owners(labels.counts)]
    targets = (1 - softness) * labels.targets + softness * even
    first = functional.pad(labels.counts.cumsum(0), (1, 0))
    return Choices(
        labels.observations.to(device), advised, first.to(device), labels.actions.to(device), targets.to(device)
    )
