"""Games between methods: equal time, duplicate pairs, and scores."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.stats

from benchmarks.search_methods.methods import METHODS, Method
from benchmarks.search_methods.worlds import VIEWS
from sackarmies_env.core.game import Game, Records
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.tokens.army import army_ids

SEATS = 2
CALIBRATIONS, CALIBRATION_PAIRS = 2, 3


@dataclass(frozen=True)
class Contestant:
    """A method, what it knows, and its budget.

    Attributes:
        method: a key of METHODS.
        view: a key of VIEWS.
        playouts: the budget per decision.
    """

    method: str
    view: str = "fair"
    playouts: int = 0

    @property
    def label(self) -> str:
        """Its name in tables, which marks oracles."""
        oracle = f", oracle: knows {VIEWS[self.view].keeps}" if VIEWS[self.view].is_oracle else ""
        return f"`{self.method}`{oracle}"


class Seat:
    """A contestant in one seat of one game."""

    def __init__(self, contestant: Contestant, game: Game, player: int) -> None:
        self.view, self.player, self.game = VIEWS[contestant.view], player, game
        self.method: Method = METHODS[contestant.method](self.view.game(game, player), contestant.playouts)

    def choose(self, states: Records, seed: int) -> tuple[int, float]:
        """Return a legal id, and the seconds of processor time that the choice took."""
        root = self.view.root(self.game, states, self.player)
        begun = time.process_time()
        action = self.method.choose(root, self.player, seed)
        return action, time.process_time() - begun


@dataclass
class Score:
    """What a contestant scored against another one.

    Attributes:
        pairs: points from the two games of each pair, 0 to 2; a draw counts half.
        seconds: processor time of its decisions.
        decisions: number of its decisions.
    """

    pairs: list[float] = field(default_factory=list)
    seconds: float = 0.0
    decisions: int = 0

    @property
    def share(self) -> float:
        """Its share of the points."""
        return float(np.mean(self.pairs)) / SEATS

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share, by Student's t over the pairs."""
        if len(self.pairs) < 2:
            return 0.0, 1.0
        half = scipy.stats.t.ppf(0.975, len(self.pairs) - 1) * np.std(self.pairs, ddof=1) / math.sqrt(len(self.pairs))
        return self.share - half / SEATS, self.share + half / SEATS

    @property
    def milliseconds(self) -> float:
        """Mean processor time of a decision."""
        return 1e3 * self.seconds / max(1, self.decisions)


def seed_of(*parts: object) -> int:
    """Return a 62-bit seed derived from these values."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest(), "little") >> 2


def draw_armies(seed: int, pair: int, players: int = SEATS) -> list[str]:
    """Return the armies of a pair of games: each seat has every army once in as many pairs as there are armies."""
    ids = army_ids()
    rounds, place = divmod(pair, len(ids))
    seats = range(players)
    return [str(np.random.default_rng(seed_of(seed, "armies", rounds, seat)).permutation(ids)[place]) for seat in seats]


def play_pair(one: Contestant, other: Contestant, seed: int, pair: int, score: Score) -> None:
    """Play a pair of games with the same armies and chance, each contestant once in each seat; add it up for `one`."""
    game = make_game(SEATS, armies=draw_armies(seed, pair))
    points = 0.0
    for place in range(SEATS):
        match = Match(game)
        match.begin(seed_of(seed, "game", pair))
        seats = [Seat(one if player == place else other, game, player) for player in range(SEATS)]
        ply = 0
        while match.player >= 0:
            action, seconds = seats[match.player].choose(match.states, seed_of(seed, pair, match.player, ply))
            if match.player == place:
                score.seconds += seconds
                score.decisions += 1
            match.play(action)
            ply += 1
        points += (1.0 + float(np.sign(match.returns[place] - match.returns[1 - place]))) / 2.0
    score.pairs.append(points)


# --- equal time


def calibrate(
    contestants: Sequence[Contestant], milliseconds: float, seed: int, told: Callable[[str], None]
) -> list[Contestant]:
    """Return the contestants with budgets that take about `milliseconds` a decision in games against `greedy`.

    They play the same pairs by turns, so that other load on the machine slows all of them alike.

    Args:
        contestants: those with a given budget keep it.
        milliseconds: processor time, the mean over all decisions with a choice.
        seed: seed of the games.
        told: called with a line for each round.
    """
    found = [one if one.playouts else replace(one, playouts=round(6 * milliseconds)) for one in contestants]
    opponent = Contestant("greedy")
    for number in range(CALIBRATIONS):
        scores = [Score() for _ in found]
        for pair in range(-1, CALIBRATION_PAIRS):  # the first pair compiles, and is not counted
            for one, score in zip(found, scores, strict=True):
                play_pair(one, opponent, seed, max(pair, 0), score if pair >= 0 else Score())
        times = [
            f"{one.label} {one.playouts}: {score.milliseconds:.2f}" for one, score in zip(found, scores, strict=True)
        ]
        told(f"calibration {number + 1}, playouts and ms a decision: {'; '.join(times)}")
        found = [
            given if given.playouts else replace(one, playouts=scaled(one, score, milliseconds))
            for given, one, score in zip(contestants, found, scores, strict=True)
        ]
    return found


def scaled(one: Contestant, score: Score, milliseconds: float) -> int:
    """Return the budget that should take `milliseconds`, from the time that the current one took."""
    return max(2, round(one.playouts * milliseconds / score.milliseconds))
