"""Tournaments: every line-up of agents, paired seeds, seats rotated; stopped ones go on where they were."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import combinations_with_replacement
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from sackarmies_agents.factory import make_agent, parse_agent
from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_env.core.game import Game
from sackarmies_training.config import GameSection, MatchSection
from sackarmies_training.files import digest_of, read_json, write_json
from sackarmies_training.matches import PlayedGame, Progress, Table, play_games
from sackarmies_training.ratings import Outcome


@dataclass(frozen=True)
class Batch:
    """Games that are played side by side, the unit that a stopped tournament repeats.

    Attributes:
        number: place in the schedule; the agents' randomness comes from it.
        line_ups: names by seat, one list a game.
        seeds: of the games' chance, one a game.
    """

    number: int
    line_ups: tuple[tuple[str, ...], ...]
    seeds: tuple[int, ...]


def line_ups(agents: Sequence[str], num_players: int) -> list[tuple[str, ...]]:
    """Return who meets whom: all choices of `num_players` agents with as many different ones as can be."""
    different = min(len(agents), num_players)
    choices = combinations_with_replacement(agents, num_players)
    return [choice for choice in choices if len(set(choice)) == different]


def seatings(line_up: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return all rotations of a line-up that differ: with two agents, both seats for each."""
    rotations = [line_up[turn:] + line_up[:turn] for turn in range(len(line_up))]
    return list(dict.fromkeys(rotations))


def schedule(section: MatchSection, num_players: int) -> list[Batch]:
    """Return all batches: each line-up plays the same seeds, each seed in all seatings."""
    seeds = np.random.SeedSequence(section.seed).generate_state(section.seeds).tolist()
    batches: list[Batch] = []
    for line_up in line_ups(section.agents, num_players):
        for start in range(0, section.seeds, section.batch):
            games = [(seating, seed) for seed in seeds[start : start + section.batch] for seating in seatings(line_up)]
            batches.append(Batch(len(batches), tuple(game[0] for game in games), tuple(game[1] for game in games)))
    return batches
