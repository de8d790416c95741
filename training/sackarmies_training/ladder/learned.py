"""Learned best response: a network clones the fixed agent, then learns against it.

A response that starts from nothing would have to learn the game first. In a card game, starting with a clone was found
to expose more at the same budget (Haluska and Schmid, "Learning to Beat ByteRL", arXiv 2404.16689, 2024).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo, check_plays_many
from sackarmies_agents.conduct import are_legal, ask, reset
from sackarmies_agents.factory import parse_agent
from sackarmies_agents.learned.load import load_agent
from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_training.checkpoints import CHECKPOINT, CheckpointFolder
from sackarmies_training.config import LEARNER, LearnConfig, LearnSection, MatchSection, TeacherSection
from sackarmies_training.files import digest_of
from sackarmies_training.labels import Labels
from sackarmies_training.ladder.exploit import Arena, Response
from sackarmies_training.ladder.units import armies_of
from sackarmies_training.learn import Learner, SelfPlay, Team, look_back, make_learner
from sackarmies_training.learn_files import restore_learner, save_learner, save_weights
from sackarmies_training.seeds import derive
from sackarmies_training.teacher import LabelLesson, learn_labels, lessons_of

PLAYERS = 2
CLONED = 0.1  # share of the budget that goes into the clone
MAGNET_TRUST = 0.8  # where there is advice
SIDE_BY_SIDE = 4  # games of each line-up at once; over all line-ups, each army is once in each seat
SAVES = 20  # per training run
KEPT = 2  # checkpoints: the newest may have been written just before a kill, and still be unknown to the arena
LEARN = LearnSection(
    decisions=2**52,  # games are counted instead
    entropy=0.0,
    old_policy=0.02,
    magnet=0.05,
    magnet_power=0.15,
    magnet_least=0.002,
    minibatch=512,
    epochs=2,
    learning_rate=1e-3,
    final_learning_rate=1e-4,
    gae_lambda=0.7,
    value_weight=0.25,
    average=0.99,
)


class FixedOpponent(SelfPlay):
    """Games of the network against a fixed agent; both sit in every seat equally often.

    Attributes:
        seats: `(n,)`, the network's seat in each game.
    """

    def __init__(self, line_ups: Sequence[Game], section: LearnSection, seed: int, opponent: Agent) -> None:
        super().__init__(line_ups, section, seed)
        reset(opponent, derive(seed, "opponent"))
        self._opponent = opponent
        self.seats = np.concatenate([np.arange(rows.stop - rows.start) % PLAYERS for rows, _ in self.batches])

    def _played(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the drawn actions, with the opponent's own choices at its seats."""
        theirs = np.concatenate([batch.players for _, batch in self.batches]) != self.seats
        observations = np.concatenate([batch.observations for _, batch in self.batches])[theirs]
        masks = np.concatenate([batch.action_masks for _, batch in self.batches])[theirs]
        played = drawn.copy()
        if theirs.any():
            played[theirs] = ask(self._opponent, observations, masks)
            illegal = np.flatnonzero(~are_legal(masks, played[theirs]))
            if len(illegal):
                who = type(self._opponent).__name__
                raise ValueError(f"{who} chose {played[theirs][illegal[0]]}, which is not legal")
        return played

    def learn(self, learner: Learner, fraction: float) -> int:
        """Play, and have the network learn from its own decisions; return how many games have ended."""
        played = self.play(learner.network)
        lesson = look_back(played, learner.section)
        own = torch.from_numpy(played.seats == self.seats).flatten()
        learner.update(played, replace(lesson, rows=lesson.rows[own[lesson.rows]]), fraction)
        learner.decisions += int(own.sum())
        return int(played.finished.all(axis=2).sum())


class LearnedResponse:
    """Clones the fixed agent from its games against itself, then improves against it with the trainer `learn.py`.

    If the game has a scripted agent, its choice is an input of the network: with the weights of the fixed agent, if
    that is scripted. Games of the clone count, and so do games that are only begun.
    """

    doc = "a network that clones the fixed agent, then learns against it by policy gradient"
    takes_device = True

    def respond(self, arena: Arena) -> Response:
        """Return the response after the budget of games.

        Raises:
            ValueError: the agent cannot be cloned, the budget has fewer games than a clone needs, or there is no such
                device.
            Misconduct: the agent raised an exception, or did not answer with integers.
        """
        if arena.budget < SIDE_BY_SIDE:
            raise ValueError(
                f"the budget is {arena.budget} games, but a learned response needs at least {SIDE_BY_SIDE}: its clone "
                "begins that many"
            )
        config = learn_config(arena)
        line_ups = line_ups_of(arena)
        info = GameInfo.of(line_ups[0])
        target = arena.target(info)
        try:
            check_plays_many(target, f"{arena.text!r} cannot be cloned")
        except ValueError as error:
            raise ValueError(f"{error}; try another responder") from None
        torch.set_num_threads(config.learn.threads)
        learner = make_learner(config, line_ups[0], Team())
        checkpoints = CheckpointFolder(arena.folder / "checkpoints", KEPT)
        for place in (arena.folder, checkpoints.folder):
            remove_leftovers(place)
        if arena.state is None:
            clone(learner, arena, line_ups)
            keep(learner, arena, config, line_ups[0], checkpoints)
        else:
            restore_learner(checkpoints.next_path(arena.state["decisions"]), learner, config, line_ups[0])
        improve(learner, arena, config, line_ups, checkpoints)
        path = arena.folder / CHECKPOINT
        save_weights(path, learner, config, line_ups[0], 0.0)
        described = {
            "checkpoint": path.name,
            "sha256": digest_of(path),
            "decisions": learner.decisions,
            "advice": config.learn.advice,
        }
        return Response(functools.partial(load_agent, str(path), deterministic=True), described)


def learn_config(arena: Arena) -> LearnConfig:
    """Return the training configuration of a response."""
    is_scripted = parse_agent(arena.text).name == "greedy"
    scripted = "greedy" if find_hook(arena.config.game.id, "greedy") is not None else ""
    advice = arena.text if is_scripted else scripted
    games, trust = SIDE_BY_SIDE * len(line_ups_of(arena)), MAGNET_TRUST if advice else 0.0
    return LearnConfig(
        folder=str(arena.folder),
        seed=derive(arena.config.seed, "response", bits=31),
        game=arena.config.game,
        learn=LEARN.model_copy(
            update={"advice": advice, "games": games, "magnet_trust": trust, "device": arena.device}
        ),
        tournament=MatchSection(agents=[LEARNER, arena.text]),
    )


def line_ups_of(arena: Arena) -> list[Game]:
    """Return games in which every army of the ladder sits in each seat once."""
    armies, seed = arena.config.army_list, arena.config.seed
    return [
        arena.config.make_game(PLAYERS, armies_of(armies, PLAYERS, number, seed))
        for number in range(max(1, len(armies)))
    ]


def clone(learner: Learner, arena: Arena, line_ups: Sequence[Game]) -> None:
    """Have the network learn the choices of the fixed agent, from games of that agent against itself."""
    section = TeacherSection(agent=arena.text, decisions=1, games=SIDE_BY_SIDE, softness=0.06)
    number = math.ceil(CLONED * arena.budget / SIDE_BY_SIDE)
    seed = derive(arena.config.seed, "clone")
    lessons = itertools.islice(lessons_of(section, line_ups, seed), number)

    def counted(place: int, labels: Labels) -> LabelLesson:
        arena.count(SIDE_BY_SIDE)
        return LabelLesson(place / number, labels)

    learn_labels(learner, section, itertools.starmap(counted, enumerate(lessons)), line_ups[0])


def improve(
    learner: Learner, arena: Arena, config: LearnConfig, line_ups: Sequence[Game], checkpoints: CheckpointFolder
) -> None:
    """Learn against the fixed agent until fewer games are left in the budget than are under way."""
    seed = derive(arena.config.seed, "response", learner.decisions)
    torch.manual_seed(seed)
    opponent = arena.target(GameInfo.of(line_ups[0]))
    games = FixedOpponent(line_ups, config.learn, seed, opponent)
    under_way, saved = config.learn.games, arena.used
    if arena.left < under_way:
        return
    arena.count(under_way)
    while arena.left >= under_way:
        arena.count(games.learn(learner, arena.used / arena.budget))
        if arena.used - saved >= arena.budget / SAVES:
            keep(learner, arena, config, line_ups[0], checkpoints)
            saved = arena.used
    keep(learner, arena, config, line_ups[0], checkpoints)


def keep(learner: Learner, arena: Arena, config: LearnConfig, game: Game, checkpoints: CheckpointFolder) -> None:
    """Save what the training needs to resume from here."""
    save_learner(checkpoints, learner, config, game, 0.0)
    arena.save({"decisions": learner.decisions})
