"""Tuning of the weights of the greedy General by SPSA: simultaneous perturbation stochastic approximation.

Each step draws a sign for every weight, and moves all weights a little that way and a little the other way. The two
resulting Generals play each other, and each plays the weights that the search began with: the same starts from both
seatings, with all ready armies and two to four Generals. The difference in games won moves all weights at once, by a
step that shrinks as the search goes on (J. C. Spall, IEEE Transactions on Aerospace and Electronic Systems 34, 1998).
Weights move by factors, so none changes its sign. The result is the mean over the second half of the steps, which is
less noisy than the last one. Every step is drawn from the seed and its number: an interrupted search resumes, and a
finished one may go on. Its file holds what each step found; the path of the weights follows from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tomli_w
from numpy.typing import NDArray
from pydantic import Field

from sackarmies_agents.scripted.sack_armies.weights import LIMITS, Weights
from sackarmies_agents.scripted.weight_sets import range_of
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.safe_read import read_json
from sackarmies_env.core.validation import StrictModel, read_model
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_training.files import write_json
from sackarmies_training.matches import Progress
from sackarmies_training.sack_armies.greedy_matches import Match, Tables, both_seatings
from sackarmies_training.seeds import derive

STATE, RESULT = "state.json", "weights.toml"
SAVED_EVERY = 20  # steps
DIRECT = {2: 26, 3: 1, 4: 1}  # starts of a step between the two, by the number of Generals
AGAINST_START = 10  # starts of a step of each of the two against the weights of the beginning, with two Generals
GAMES = sum(2 * starts for starts in DIRECT.values()) + 4 * AGAINST_START  # of a step
# In step k the two differ from the present weights by factors of exp(+-width), width = WIDTH / (k + 1)**NARROWING; the
# weights then move by RATE / (k + DELAY)**SLOWING times the difference in games won, as a share, over the width.
WIDTH, NARROWING = 0.2, 0.101
RATE, SLOWING, DELAY = 0.25, 0.602, 50
MOST_FACTOR = 20.0  # from the weights of the beginning, either way


class SearchState(StrictModel):
    """A search as its file holds it; `gains` as in `Search`."""

    seed: Annotated[int, Field(ge=0)]
    start: dict[str, float]
    gains: list[float]


@dataclass
class Search:
    """A search for better weights, from a seed.

    Attributes:
        start: the weights that it begins with.
        seed: seed of starts and signs.
        steps: number of steps wanted.
        gains: difference in games won, as a share, that each step found.
        path: `(weights,)` logarithms of the factors by which weights differ from `start`: at first and after each step.
    """

    start: Weights
    seed: int
    steps: int
    gains: list[float]
    path: list[NDArray[np.float64]]

    @classmethod
    def begin(cls, start: Weights, seed: int, steps: int) -> Search:
        """Return a search that has made no step."""
        return cls(start, seed, steps, [], [np.zeros(len(start.model_dump()))])

    @classmethod
    def resumed(cls, folder: Path, start: Weights, seed: int, games: int) -> Search:
        """Return the search that a folder holds, or a new one if there is none.

        Args:
            folder: see `tune`.
            start: the weights to begin with.
            seed: of the search.
            games: number to play in all; only whole steps are made.

        Raises:
            ValueError: its file cannot be read, or is of a search from another seed or other weights, or of one that
                has played more games.
        """
        path, search = folder / STATE, cls.begin(start, seed, max(1, games // GAMES))
        if not path.exists():
            return search
        data = read_json(path)
        if isinstance(data, dict) and "counted" in data:
            raise ValueError(f"{path}: an earlier version saved this search without its gains: choose another folder")
        state = read_model(SearchState, data, str(path))
        if state.seed != seed or state.start != start.model_dump():
            raise ValueError(f"{path}: this search has another seed or began with other weights: choose another folder")
        if len(state.gains) > search.steps:
            raise ValueError(
                f"{path}: this search played {len(state.gains) * GAMES:,} games, more than the {games:,} asked for: "
                "ask for at least as many, or choose another folder"
            )
        for gain in state.gains:
            signs, width, _ = search.drawn()
            search.move(gain, signs, width)
        return search

    @property
    def done(self) -> int:
        """Number of steps made."""
        return len(self.gains)

    def save(self, folder: Path) -> None:
        """Write the search to a folder, and the weights that it would give if it ended now.

        Raises:
            OSError: a file cannot be written; an existing one is kept.
        """
        state = SearchState(seed=self.seed, start=self.start.model_dump(), gains=self.gains)
        write_json(folder / STATE, state.model_dump())
        write_safely(folder / RESULT, weights_toml(self.result().model_dump()).encode())

    def drawn(self) -> tuple[NDArray[np.float64], float, np.random.Generator]:
        """Return what the next step is drawn from: signs of the weights, its width, and the generator of its games."""
        rng = np.random.default_rng(derive(self.seed, "tuning", self.done))
        signs = rng.choice([-1.0, 1.0], len(self.path[-1]))
        return signs, WIDTH / (self.done + 1) ** NARROWING, rng

    def step(self, tables: Tables) -> None:
        """Make one step."""
        signs, width, rng = self.drawn()
        one, other = (scaled(self.start, self.path[-1] + side * width * signs) for side in (1, -1))
        self.move(compare(one, other, self.start, tables, rng), signs, width)

    def move(self, gain: float, signs: NDArray[np.float64], width: float) -> None:
        """Move the weights by what a step has found; see `drawn` for `signs` and `width`."""
        moved = self.path[-1] + RATE / (self.done + DELAY) ** SLOWING * gain / width * signs
        self.path.append(np.clip(moved, -np.log(MOST_FACTOR), np.log(MOST_FACTOR)))
        self.gains.append(gain)

    def result(self) -> Weights:
        """Return the mean over the second half of the wanted steps; before that begins, the current weights."""
        counted = self.path[1 + self.steps // 2 :] or self.path[-1:]
        return scaled(self.start, np.mean(counted, axis=0))


def scaled(weights: Weights, factors: NDArray[np.float64]) -> Weights:
    """Return weights times the exponentials of `factors`, within the ranges that files of weights may hold."""
    values = weights.model_dump()
    changed = {
        name: float(np.clip(value * np.exp(factor), *range_of(name, LIMITS)))
        for (name, value), factor in zip(values.items(), factors, strict=True)
    }
    return Weights(**changed)


def compare(one: Weights, other: Weights, start: Weights, tables: Tables, rng: np.random.Generator) -> float:
    """Return the difference in games won between two sets of weights, over the games of a step."""
    direct = [match for players, count in DIRECT.items() for match in draw_matches(players, count, rng)]
    points = sum(points_of(match) for match in tables.play((one, other), direct))
    pool = draw_matches(2, AGAINST_START, rng)
    won, lost = (sum(points_of(match) for match in tables.play((side, start), pool)) for side in (one, other))
    return (points + (won - lost) / 2) / GAMES


def points_of(winners: list[int]) -> int:
    """Return the number of games that side 0 won, less the number that side 1 won."""
    return winners.count(0) - winners.count(1)


def draw_matches(num_players: int, count: int, rng: np.random.Generator) -> list[Match]:
    """Return starts with random armies and seeds, each to be played from both seatings."""
    ids = army_ids()
    return [
        Match(
            tuple(ids[army] for army in rng.integers(len(ids), size=num_players)),
            int(rng.integers(2**62)),
            both_seatings(num_players),
        )
        for _ in range(count)
    ]


def tune(search: Search, folder: Path, workers: int, progress: Progress) -> None:
    """Continue a search to its last step; every SAVED_EVERY steps, write its state and its result to a folder.

    Args:
        search: the search, continued in place.
        folder: holds the state of the search, which resumes from it, and the result so far.
        workers: number of threads.
        progress: called with the number of games that ended.

    Raises:
        OSError: the folder cannot be written to.
    """
    tables = Tables(workers)
    while search.done < search.steps:
        search.step(tables)
        progress(GAMES)
        if search.done % SAVED_EVERY == 0:
            search.save(folder)
    search.save(folder)


def weights_toml(values: Mapping[str, Any]) -> str:
    """Return weights as TOML, to four digits."""
    return tomli_w.dumps({name: float(f"{value:.4g}") for name, value in values.items()})
