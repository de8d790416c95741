"""Imitation: the learner first learns a teacher's choices, and how its games end.

The teacher plays all seats. Now and then a random action is played instead, so that the learner also sees positions
that the teacher would avoid; what is imitated is always the teacher's own choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.network import Network
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_env.core.step_batch import Ending
from sackarmies_training.config import ImitationSection, TrainConfig
from sackarmies_training.matches import Seating
from sackarmies_training.seeds import derive
from sackarmies_training.shaping import make_potential

MINIBATCH = 512
VALUE_WEIGHT = 0.5
MAX_GRADIENT = 0.5

Report = Callable[[float, float], None]


@dataclass(frozen=True)
class TeacherGames:
    """Decisions of whole games.

    Attributes:
        observations: `(k, size)` int8.
        masks: `(k, num_actions)` int8.
        actions: `(k,)` int64, the teacher's choices.
        values: `(k,)` float32, what the player earned from then on, discounted, less the potential.
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]


class School:
    """Has the teacher play games, and makes lessons of them."""

    def __init__(self, config: TrainConfig, section: ImitationSection, game: Game) -> None:
        info = GameInfo.of(game)
        line_ups = [[section.teacher] * game.num_players] * section.games
        self._teachers = Seating(line_ups, lambda text: make_agent(text, info), config.seed)
        self._batch = Batch(game, section.games, restarts=False)
        self._noise = section.noise
        self._rng = np.random.default_rng(derive(config.seed, "lessons"))
        self._random = RandomAgent(derive(config.seed, "noise"))
        self._potential = make_potential(game, config.shaping)
        self._gamma = config.ppo.gamma

    def lesson(self) -> TeacherGames:
        """Play games to their ends and return all their decisions."""
        batch = self._batch
        running = np.arange(len(batch))
        batch.reset(self._rng.integers(2**62, size=len(batch)))
        observations, masks, actions, places = [], [], [], []
        while len(running):
            seen, legal = batch.observations[running], batch.action_masks[running]
            choices = self._teachers.choose(running, batch)
            for reason in choices.faults.values():
                raise ValueError(f"the teacher {self._teachers.names[0]!r} cannot be imitated: it {reason}")
            wanted = choices.actions
            noisy = self._rng.random(len(running)) < self._noise
            observations.append(seen)
            masks.append(legal)
            actions.append(wanted)
            places.append(np.stack([running, batch.players[running]], axis=1))
            batch.step(np.where(noisy, self._random.act_batch(seen, legal), wanted), running)
            running = running[batch.ended[running] == Ending.RUNNING]
        seen = np.concatenate(observations)
        values = discounted(np.concatenate(places), batch.returns, self._gamma)
        if self._potential is not None:
            values -= self._potential(seen)
        return TeacherGames(seen, np.concatenate(masks), np.concatenate(actions), values)


def discounted(places: NDArray[np.int64], returns: NDArray[np.float32], gamma: float) -> NDArray[np.float32]:
    """Return the player's return at each decision, discounted by `gamma` for each later decision of that player.

    Args:
        places: `(k, 2)`, game and seat of each decision, in order of play.
        returns: `(games, players)`.
        gamma: discount per decision.

    Returns:
        `(k,)` float32.
    """
    made = np.zeros(returns.shape, np.int64)
    distance = np.zeros(len(places), np.int64)
    for place in range(len(places) - 1, -1, -1):
        game, seat = places[place]
        distance[place] = made[game, seat]
        made[game, seat] += 1
    values: NDArray[np.float32] = (returns[places[:, 0], places[:, 1]] * gamma**distance).astype(np.float32)
    return values


def imitate(network: Network, school: School, section: ImitationSection, report: Report) -> None:
    """Train a network on lessons.

    Args:
        network: trained in place.
        school: makes the lessons.
        section: says how many decisions to learn from, and how.
        report: called after each lesson with the fraction done, and the share of the teacher's choices that were the
            network's likeliest before it learned from them.
    """
    optimizer = torch.optim.Adam(network.parameters(), lr=section.learning_rate)
    done = 0
    while done < section.decisions:
        lesson = school.lesson()
        right = 0
        order = torch.randperm(len(lesson.actions)).numpy()
        for start in range(0, len(order), MINIBATCH):
            right += learn(network, optimizer, lesson, order[start : start + MINIBATCH])
        done += len(order)
        report(min(1.0, done / section.decisions), right / len(order))


def learn(network: Network, optimizer: torch.optim.Optimizer, lesson: TeacherGames, chosen: NDArray[np.int64]) -> int:
    """Learn from some decisions of a lesson; return how many of their choices the network predicted."""
    device = next(network.parameters()).device
    arrays = lesson.observations, lesson.masks, lesson.actions, lesson.values
    observations, masks, actions, wanted = (torch.from_numpy(array[chosen]).to(device) for array in arrays)
    logits, values = network(observations, masks != 0)
    loss = functional.cross_entropy(logits, actions)
    loss = loss + VALUE_WEIGHT * functional.mse_loss(values, wanted)
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT)
    optimizer.step()
    return int((logits.argmax(dim=1) == actions).sum())
