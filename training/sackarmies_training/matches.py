"""Games between agents, many side by side: the loop that tournaments and evaluations share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent
from sackarmies_env.core.advance import RUNNING
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game

AgentMaker = Callable[[str], Agent]
Progress = Callable[[int], None]  # told how many more games have ended


@dataclass(frozen=True)
class PlayedGame:
    """A finished game: all that is needed to play it again, and how it ended.

    Attributes:
        seed: of the game's chance.
        agents: names by seat.
        actions: ids in order.
        returns: what each seat earned.
        turns: turns begun.
        truncated: cut off by a turn limit.
    """

    seed: int
    agents: tuple[str, ...]
    actions: tuple[int, ...]
    returns: tuple[float, ...]
    turns: int
    truncated: bool


class Table:
    """Places at a table of `n` games: which agent instance sits where.

    Agents that keep nothing between decisions play all their seats with one instance, others with one a seat and game.
    """

    def __init__(self, line_ups: Sequence[Sequence[str]], make: AgentMaker, seed: int) -> None:
        """Seat agents.

        Args:
            line_ups: names by seat, one list a game.
            make: builds an agent from its name.
            seed: all randomness of the agents comes from it.
        """
        self.agents: list[Agent] = []
        self.names: list[str] = []
        shared: dict[str, int] = {}
        seats = [[self._seat(name, make, shared) for name in line_up] for line_up in line_ups]
        self.seat_agent = np.array(seats, np.int64)  # (n, players): index into agents
        for agent, child in zip(self.agents, np.random.SeedSequence(seed).spawn(len(self.agents)), strict=True):
            agent.reset(int(child.generate_state(1)[0]))

    def _seat(self, name: str, make: AgentMaker, shared: dict[str, int]) -> int:
        if name in shared:
            return shared[name]
        agent = make(name)
        self.agents.append(agent)
        self.names.append(name)
        if agent.shares_batch:
            shared[name] = len(self.agents) - 1
        return len(self.agents) - 1

    def choose(
        self,
        rows: NDArray[np.int64],
        players: NDArray[np.int64],
        observations: NDArray[np.int8],
        masks: NDArray[np.int8],
    ) -> NDArray[np.int64]:
        """Return the actions of `players[rows]` in the games `rows`, `(len(rows),)` int64.

        Raises:
            ValueError: an agent chose an action that is not legal.
        """
        actors = self.seat_agent[rows, players[rows]]
        actions = np.empty(len(rows), np.int64)
        for actor in np.unique(actors):
            chosen = np.flatnonzero(actors == actor)
            games = rows[chosen]
            actions[chosen] = self.agents[actor].act_batch(observations[games], masks[games])
        for place in np.flatnonzero(~_are_legal(masks[rows], actions)):
            raise ValueError(
                f"agent {self.names[actors[place]]!r} chose action {actions[place]} as player {players[rows[place]]}: "
                f"legal are {np.flatnonzero(masks[rows[place]]).tolist()}"
            )
        return actions


def _are_legal(masks: NDArray[np.int8], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
    inside = (actions >= 0) & (actions < masks.shape[1])
    legal: NDArray[np.bool_] = inside & (masks[np.arange(len(actions)), np.where(inside, actions, 0)] == 1)
    return legal


def rehearse(game: Game, names: Iterable[str], make: AgentMaker) -> None:
    """Let each agent make one decision, so that what is wrong or has to be compiled shows before processes start.

    Raises:
        ValueError: an agent cannot be made, or chose an action that is not legal.
    """
    batch = Batch(game, 1, restarts=False)
    first = np.zeros(1, np.int64)
    batch.reset(first)
    for name in dict.fromkeys(names):
        table = Table([[name] * game.num_players], make, 0)
        table.choose(first, batch.players, batch.observations, batch.action_masks)


def play_games(
    game: Game, line_ups: Sequence[Sequence[str]], seeds: Sequence[int], table: Table, progress: Progress | None = None
) -> list[PlayedGame]:
    """Play games to their ends, all at once.

    Args:
        game: what is played.
        line_ups: names by seat, one list a game.
        seeds: of the games' chance, one a game.
        table: the agents in these line-ups.
        progress: called whenever games end, with their number.

    Returns:
        The games in the order given.

    Raises:
        ValueError: an agent chose an action that is not legal.
    """
    batch = Batch(game, len(seeds), restarts=False)
    histories: list[list[int]] = [[] for _ in seeds]
    running = np.arange(len(seeds))
    batch.reset(seeds)
    while len(running):
        actions = table.choose(running, batch.players, batch.observations, batch.action_masks)
        for row, action in zip(running.tolist(), actions.tolist(), strict=True):
            histories[row].append(action)
        batch.step(actions, running)
        still = running[batch.ended[running] == RUNNING]
        if progress is not None and len(still) < len(running):
            progress(len(running) - len(still))
        running = still
    return [
        PlayedGame(
            seed=int(seeds[row]),
            agents=tuple(line_ups[row]),
            actions=tuple(history),
            returns=tuple(batch.returns[row].tolist()),
            turns=int(batch.states["turn"][row]),
            truncated=bool(batch.states["truncated"][row]),
        )
        for row, history in enumerate(histories)
    ]
