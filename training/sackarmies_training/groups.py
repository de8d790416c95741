"""Groups of games that `learn.py` learns from: played one after another here, or all at once on a cluster.

What a group plays depends only on weights, positions and a seed, which change from update to update. So a group can be
played anywhere, and played again if its machine is lost.
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
    """Part of the games of an update, played side by side.

    Attributes:
        line_ups: games to play, one for each line-up.
        section: how to play them; its `games` counts those of all groups.
        shaping: weights of the potential.
        seed: seed of the games.
    """

    line_ups: Sequence[Game]
    section: LearnSection
    shaping: dict[str, float]
    seed: int

    def begin(self) -> SelfPlay:
        """Return the group's games, freshly started."""
        section = self.section.model_copy(update={"games": self.section.games // self.section.groups})
        return SelfPlay(self.line_ups, section, self.seed, make_potential(self.line_ups[0], self.shaping))


@dataclass(frozen=True)
class Part:
    """What a group has played; `curves` covers the games that ended meanwhile."""

    played: Played
    lesson: Lesson
    positions: Positions
    curves: GameCurves


def play_group(group: Group, network: Network, positions: Positions | None, seed: int, shaping: float) -> Part:
    """Continue a group's games from their positions, in a process that does not hold them."""
    torch.set_num_threads(group.section.threads)
    games = group.begin()
    if positions is not None:
        games.resume(positions)
    return play_on(games, group.section, network, seed, shaping)


def play_on(games: SelfPlay, section: LearnSection, network: Network, seed: int, shaping: float) -> Part:
    """Continue games; everything random comes from `seed` alone."""
    games.curves = GameCurves()
    with torch.random.fork_rng([games.device] if games.device.type == "cuda" else []):  # the default is all GPUs
        torch.manual_seed(seed)
        played = games.play(network)
    return Part(played, look_back(played, section, shaping), games.positions, games.curves)


class Groups:
    """All groups of a learning process.

    Attributes:
        curves: curves of the games of all groups.
    """

    def __init__(self, run: Run, learner: Learner) -> None:
        """Start the games.

        Args:
            run: its pool plays them; without one, this process does.
            learner: its number of decisions seeds the games, so that a resumed run does not repeat earlier ones.
        """
        config, section, self._rank = run.config, run.config.learn, learner.team.rank
        if run.pool is not None:
            section = section.model_copy(update={"device": "cpu"})  # cluster machines need no accelerator
        seeds = [
            derive(config.seed, f"games {self._rank} {group}", learner.decisions) for group in range(section.groups)
        ]
        self._groups = [Group(run.line_ups, section, config.shaping, seed) for seed in seeds]
        self._pool, self._seed = run.pool, config.seed
        self._games = [] if self._pool is not None else [group.begin() for group in self._groups]
        self.curves = GameCurves()
        self._positions: list[Positions | None] = [None] * section.groups

    def play(self, learner: Learner, shaping: float) -> tuple[Played, Lesson]:
        """Play the decisions of an update with the learner's network; `shaping` is the weight of the potential."""
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
        """Merge what the groups have played, and add their curves to `curves`."""
        for part in parts:
            self.curves.join(part.curves)
        return join(parts)


def join(parts: Sequence[Part]) -> tuple[Played, Lesson]:
    """Merge what groups have played: the decisions of one group follow those of another."""
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
    arrays = ("outcomes", "values", "potentials", "seats", "turns", "finished", "results", "returns")
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
