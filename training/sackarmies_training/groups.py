"""Groups of games that `learn.py` learns from: played one after the other here, or at once on a cluster.

What a group plays is a function of weights, positions and a seed, which differ from update to update. So it can be
played anywhere, and again if the machine is lost.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch.nn import functional

from sackarmies_agents.learned.network import Network
from sackarmies_env.core.game import Game
from sackarmies_training.config import LearnSection
from sackarmies_training.game_curves import GameCurves
from sackarmies_training.learn import Learner, Lesson, Played, Positions, SelfPlay, look_back
from sackarmies_training.learn_files import Run
from sackarmies_training.ragged import Choices, joined_advice
from sackarmies_training.seeds import derive
from sackarmies_training.shaping import make_potential


@dataclass(frozen=True)
class Group:
    """Games that are played side by side, a part of those of an update.

    Attributes:
        line_ups: what is played.
        section: how; its `games` are those of all groups.
        shaping: weights of the potential.
        seed: of the games.
    """

    line_ups: Sequence[Game]
    section: LearnSection
    shaping: dict[str, float]
    seed: int

    def begin(self) -> SelfPlay:
        """Return the games at their beginning."""
        section = self.section.model_copy(update={"games": self.section.games // self.section.groups})
        return SelfPlay(self.line_ups, section, self.seed, make_potential(self.line_ups[0], self.shaping))


@dataclass(frozen=True)
class Part:
    """What a group has played; the curves are of games that ended meanwhile."""

    played: Played
    lesson: Lesson
    positions: Positions
    curves: GameCurves


def play_group(group: Group, network: Network, positions: Positions | None, seed: int, shaping: float) -> Part:
    """Play a group's games on from where they are, in a process that does not have them."""
    torch.set_num_threads(group.section.threads)
    games = group.begin()
    if positions is not None:
        games.resume(positions)
    return play_on(games, group.section, network, seed, shaping)


def play_on(games: SelfPlay, section: LearnSection, network: Network, seed: int, shaping: float) -> Part:
    """Play games on; what is drawn at random comes from the seed alone."""
    games.curves = GameCurves()
    with torch.random.fork_rng([games.device] if games.device.type == "cuda" else []):  # else all GPUs there are
        torch.manual_seed(seed)
        played = games.play(network)
    return Part(played, look_back(played, section, shaping), games.positions, games.curves)


class Groups:
    """All groups of a process that learns.

    Attributes:
        curves: of the games of all groups.
    """

    def __init__(self, run: Run, learner: Learner) -> None:
        """Begin games.

        Args:
            run: its pool says where they are played.
            learner: whose decisions so far tell these games from those before a run was resumed.
        """
        config, section, self._rank = run.config, run.config.learn, learner.team.rank
        if run.pool is not None:
            section = section.model_copy(update={"device": "cpu"})  # machines of a cluster need no accelerator
        seeds = [
            derive(config.seed, f"games {self._rank} {group}", learner.decisions) for group in range(section.groups)
        ]
        self._groups = [Group(run.line_ups, section, config.shaping, seed) for seed in seeds]
        self._pool, self._seed = run.pool, config.seed
        self._games = [] if self._pool is not None else [group.begin() for group in self._groups]
        self.curves = GameCurves()
        self._positions: list[Positions | None] = [None] * section.groups

    def play(self, learner: Learner, shaping: float) -> tuple[Played, Lesson]:
        """Play the decisions of an update with the learner's network, `shaping` being the weight of the potential."""
        seeds = [derive(self._seed, f"draws {self._rank} {n}", learner.updates) for n in range(len(self._groups))]
        if self._pool is None:
            begun = zip(self._games, seeds, strict=True)
            parts = [play_on(games, learner.section, learner.network, seed, shaping) for games, seed in begun]
            return self._taken(parts)
        network = copy.deepcopy(learner.network).cpu()
        jobs = [
            self._pool.submit(play_group, group, network, positions, seed, shaping)
            for group, positions, seed in zip(self._groups, self._positions, seeds, strict=True)
        ]
        parts = [job.result() for job in jobs]
        self._positions = [part.positions for part in parts]
        played, lesson = self._taken(parts)
        device = learner.device
        return replace(played, choices=played.choices.to(device), drawn=played.drawn.to(device)), lesson

    def _taken(self, parts: Sequence[Part]) -> tuple[Played, Lesson]:
        """Return what groups have played as one, and keep what their games were like."""
        for part in parts:
            self.curves.join(part.curves)
        return join(parts)


def join(parts: Sequence[Part]) -> tuple[Played, Lesson]:
    """Return what groups have played as one: the decisions of one group after those of the other."""
    if len(parts) == 1:
        return parts[0].played, parts[0].lesson
    played, lessons = [part.played for part in parts], [part.lesson for part in parts]
    choices = [one.choices for one in played]
    entries = np.cumsum([0, *(len(one.actions) for one in choices)]).tolist()
    decisions = np.cumsum([0, *(len(one.observations) for one in choices)]).tolist()
    joined = Choices(
        torch.cat([one.observations for one in choices]),
        joined_advice(one.advice for one in choices),
        functional.pad(
            torch.cat([one.first[1:] + start for one, start in zip(choices, entries, strict=False)]), (1, 0)
        ),
        torch.cat([one.actions for one in choices]),
        torch.cat([one.weights for one in choices]),
    )
    arrays = ("outcomes", "potentials", "seats", "turns", "ended", "results")
    return (
        Played(
            joined,
            torch.cat([one.drawn + start for one, start in zip(played, entries, strict=False)]),
            *(np.concatenate([getattr(one, name) for one in played], axis=1) for name in arrays),
        ),
        Lesson(
            torch.cat([one.advantages for one in lessons]),
            torch.cat([one.targets for one in lessons]),
            torch.cat([one.rows + start for one, start in zip(lessons, decisions, strict=False)]),
        ),
    )
