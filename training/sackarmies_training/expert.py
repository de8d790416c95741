"""Expert iteration: a search labels games of the learning network, which learns from all labels so far.

A round consists of

1. labels: the network of the last round plays all seats of some games. For a share of its decisions, a search says
   what other choices gain over its own (`search_labels.py`). So labels are for positions that this network gets into,
   not for those of its teacher (Ross, Gordon and Bagnell, "A Reduction of Imitation Learning and Structured Prediction
   to No-Regret Online Learning", 2011);
2. learning: the network continues to learn, from the labels of all rounds;
3. a checkpoint and a point of the learning curve.

Label files are written whole, and their names say which round they belong to: after a kill, only the file in progress
is made again. Each process has its own files, so a run must resume with the same number of processes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.network import Network
from sackarmies_agents.search.agent import parts_of
from sackarmies_env.core.game import Game
from sackarmies_training.checkpoints import SUFFIX
from sackarmies_training.config import ExpertSection, LearnConfig
from sackarmies_training.curve import Curve
from sackarmies_training.labels import Labels, joined, most_labels, read_labels, write_labels
from sackarmies_training.learn_files import Run, agent_of
from sackarmies_training.progress import Clock, SoftStop, TrainingProgress
from sackarmies_training.search_labels import SearchPlan, label_lots
from sackarmies_training.seeds import derive
from sackarmies_training.teacher import LabelLesson, learn_labels

if TYPE_CHECKING:
    from sackarmies_training.learn import Learner, Team

LABELS = "labels"  # folder of label files, in that of the run
LESSON = 4  # files mixed into one lesson, so that an optimizer step learns from many games
AT_ONCE = 2  # passes over a lesson in a row: to read its files and ask the advisor takes a third of the time of a pass


def check_expert(section: ExpertSection, info: GameInfo) -> None:
    """Refuse settings that would end expert iteration in its first round.

    Raises:
        ValueError: there is no search for the game, or files could get more labels than they can hold.
    """
    parts_of(info, ())
    most = most_labels(info) // 2
    if section.file_decisions > most:
        raise ValueError(
            f"file_decisions is {section.file_decisions} in [expert]: at most {most} are allowed, half of what a file "
            "of labels can hold, since its last games are finished"
        )


class StoppedError(Exception):
    """Training was asked to stop; what the round has learned so far is learned again when the run resumes."""


@dataclass(frozen=True)
class LabelJob:
    """Everything that the labels of a file depend on.

    Attributes:
        network: the network that plays.
        config: configuration of the run.
        plan: how labels are made.
        line_ups: games to draw from, one for each line-up.
        decisions: number of decisions to label, at least.
        seed: seed of games and worlds.
    """

    network: Network
    config: LearnConfig
    plan: SearchPlan
    line_ups: Sequence[Game]
    decisions: int
    seed: int


def make_labels(job: LabelJob) -> Labels:
    """Make the labels of a file."""
    torch.set_num_threads(job.config.learn.threads)
    agent = agent_of(job.network, job.config, GameInfo.of(job.line_ups[0]), deterministic=True)

    def draw_game(rng: np.random.Generator) -> Game:
        return job.line_ups[int(rng.integers(len(job.line_ups)))]

    return label_lots(draw_game, agent, job.plan, job.decisions, job.seed)


@dataclass(frozen=True)
class Labeling:
    """Label files of a run: how they are made, kept and learned from.

    Attributes:
        folder: folder of the files.
        config: configuration of the run, with a section `[expert]`.
        section: that section.
        line_ups: games to draw from, one for each line-up.
        rank: rank of this process; each process makes its own files and learns from them.
    """

    folder: Path
    config: LearnConfig
    section: ExpertSection
    line_ups: Sequence[Game]
    rank: int

    @property
    def info(self) -> GameInfo:
        """What agents know of the game before it begins."""
        return GameInfo.of(self.line_ups[0])

    @property
    def plan(self) -> SearchPlan:
        """How labels are made; the choice of the network's advisor is always compared."""
        section = self.section
        return SearchPlan(
            advice=self.config.learn.advice or SearchPlan.advice,
            noise=section.noise,
            share=section.share,
            worlds=section.worlds,
            most=section.most,
            horizons=tuple(section.horizons),
        )

    def jobs(self, learner: Learner) -> list[LabelJob | None]:
        """Return the jobs of making the files of the current round; None for each file that exists."""
        network = copy.deepcopy(learner.averaged).cpu()  # other processes and machines need no accelerator
        given = network, self.config, self.plan, self.line_ups, self.section.file_decisions
        purpose = f"labels {learner.updates} {self.rank}"
        return [
            None
            if self._path(learner.updates, number).exists()
            else LabelJob(*given, derive(self.config.seed, purpose, number))
            for number in range(self.files_in(learner.updates))
        ]

    def files_in(self, round_number: int) -> int:
        """Return how many files each process makes in a round; the first round has number 0."""
        return round(self.section.files * self.section.growth**round_number)

    def keep(self, learner: Learner, number: int, labels: Labels | None) -> int:
        """Write labels to a file of the current round (None: the file exists); return how many it holds."""
        path = self._path(learner.updates, number)
        if labels is None:
            return len(read_labels(path, self.info))
        write_labels(path, labels, self.info, f"search, round {learner.updates} of expert iteration")
        return len(labels)

    def lessons(self, learner: Learner) -> Iterator[LabelLesson]:
        """Yield the labels of all rounds so far in lessons, until each is learned `passes` times."""
        paths = [path for one in range(learner.updates + 1) for path in sorted(self.folder.glob(self._path(one).name))]
        lots = int(learner.team.agree(-(-len(paths) // LESSON), least=True))
        rng = np.random.default_rng(derive(self.config.seed, "lessons", learner.updates))
        passes = self.section.passes
        for before in range(0, passes, AT_ONCE):
            times = min(AT_ONCE, passes - before)
            for number, places in enumerate(np.array_split(rng.permutation(len(paths)), lots)):
                labels = joined([read_labels(paths[place], self.info) for place in places])
                yield LabelLesson((before + times * number / lots) / passes, labels, times)

    def _path(self, round_number: int, number: int | None = None) -> Path:
        """Return the path of a file of a round; without a number, a glob pattern for all files of this process."""
        return self.folder / f"{round_number:05d}-{self.rank}-{'*' if number is None else f'{number:04d}'}{SUFFIX}"


def iterate(learner: Learner, run: Run) -> bool:
    """Run rounds until the clock is up at the end of one; return False if training was stopped before that.

    The learner's `updates` counts rounds, and its `decisions` counts labeled decisions.
    """
    team, section, clock = learner.team, run.config.expert, run.clock
    if section is None:
        raise ValueError("there is no section [expert] in this configuration")
    labeling = Labeling(run.folder / LABELS, run.config, section, run.line_ups, team.rank)
    labeling.folder.mkdir(exist_ok=True)
    curve = Curve(run) if team.rank == 0 else None
    stop = SoftStop()
    with TrainingProgress(run.console) as progress, stop.listening():
        while True:
            if curve is not None:
                run.save(learner)
                curve.follow(learner, clock.minutes, now=True)
            clock.done = learner.decisions
            fraction = team.agree(clock.fraction)
            if fraction >= 1:
                if curve is not None:
                    run.save(learner)  # with the minutes of the curve's games, so that it is also over when resumed
                return True
            told = "" if curve is None else curve.latest
            show = _teller(progress, clock, f"round {learner.updates + 1}, {told}")
            labeled = _label(labeling, learner, run, stop, show)
            if labeled is None:
                if curve is not None:
                    run.save(learner)
                return False
            try:
                right = learn_round(learner, labeling, run, stop)
            except StoppedError:
                return False  # the labels are kept, and the latest checkpoint is from the round's start
            learner.decisions += labeled
            learner.updates += 1
            run.loggers.log(learner.decisions, {"learn/predicted": right})


def learn_round(learner: Learner, labeling: Labeling, run: Run, stop: SoftStop) -> float:
    """Train the network of a round; return the share of the search's choices that it predicts.

    Raises:
        StoppedError: training was asked to stop.
    """
    torch.manual_seed(derive(labeling.config.seed, f"round {labeling.rank}", learner.updates))
    lessons = _until_stopped(labeling.lessons(learner), learner.team, run, stop)
    _, right = learn_labels(learner, labeling.section, lessons, labeling.line_ups[0])
    return right


def _until_stopped(lessons: Iterator[LabelLesson], team: Team, run: Run, stop: SoftStop) -> Iterator[LabelLesson]:
    for lesson in lessons:
        if team.agree(float(stop.asked)):
            raise StoppedError
        yield lesson
        if team.rank == 0:
            run.note_minutes()


def _label(labeling: Labeling, learner: Learner, run: Run, stop: SoftStop, show: Callable[[int], None]) -> int | None:
    """Make the labels of a round; return how many all processes have, or None if training was asked to stop."""
    team, labeled = learner.team, 0
    jobs = labeling.jobs(learner)
    wanted = [None if run.pool is None or job is None else run.pool.submit(make_labels, job) for job in jobs]
    for number, (job, coming) in enumerate(zip(jobs, wanted, strict=True)):
        if team.agree(float(stop.asked)):
            return None
        labels = coming.result() if coming is not None else make_labels(job) if job is not None else None
        labeled += int(team.agree(labeling.keep(learner, number, labels), least=True)) * team.size
        if team.rank == 0:
            run.note_minutes()
        show(labeled)
    return labeled


def _teller(progress: TrainingProgress, clock: Clock, sentence: str) -> Callable[[int], None]:
    """Return a function that shows how many decisions of a round are labeled."""
    return lambda labeled: progress.show(clock.fraction, f"{sentence}{labeled:,} decisions labeled")
