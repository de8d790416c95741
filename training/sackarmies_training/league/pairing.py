"""Pairings of a league: the next unit goes to the pair where it is expected to tell most.

A unit of `g` games between agents `i` and `j` adds information about the difference of their strengths,
`k = g E[p q] / dispersion`, `p` being the chance of `i` to win and `q = 1 - p`. The mean is over what is known of the
difference, a normal distribution of mean `m` and variance `D`: `E[p q]` is about `c p(c m) q(c m)` with
`c = 1 / sqrt(1 + pi D / 8)` (MacKay, "The evidence framework applied to classification networks", 1992). With `C` the
covariance of the strengths, relative to the mean of those that play, the variance of agent `a` is then expected to
shrink by `(C[a, i] - C[a, j])**2 k / (1 + k D)`, and its standard deviation by `0.5 / sqrt(C[a, a])` times that. The
gain of a pair is the sum of the latter over all agents that play: by how much their intervals are expected to narrow.

This does not need the results of planned units, so a round is planned before it is played: each planned unit reduces
`C` by what it is expected to tell.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sackarmies_training.league.strengths import Strengths

ALIKE = 1e-9  # relative difference of gains that count as equal
Pair = tuple[str, str]  # in alphabetical order


@dataclass(frozen=True)
class Field:
    """Who plays in a season, and how much they have played.

    Attributes:
        submissions: active submissions, in the order in which they came.
        anchors: active anchors.
        pairs: units of each pair so far.
        waiting: submission -> units since it last played, or since it became active.
    """

    submissions: tuple[str, ...]
    anchors: tuple[str, ...]
    pairs: Mapping[Pair, int]
    waiting: Mapping[str, int]


@dataclass(frozen=True)
class Rules:
    """How units are paired, see `config.PairingSection`; `games` is the games per unit, `seed` breaks ties."""

    first_units: int
    patience: int
    games: int
    seed: int


class Planner:
    """Plans units one by one: a function of the field, the strengths and the seed."""

    def __init__(self, field: Field, strengths: Strengths, rules: Rules) -> None:
        """Start from what has been played.

        Args:
            field: who plays.
            strengths: strengths of all who play, and perhaps of others.
            rules: how units are paired.
        """
        self.names = [*field.submissions, *field.anchors]
        self._field = field
        self._rules = rules
        places = [strengths.names.index(name) for name in self.names]
        center = np.eye(len(places)) - 1 / max(1, len(places))
        self.games = rules.games
        self._values = strengths.values[places]
        self._covariance = center @ strengths.covariance[np.ix_(places, places)] @ center
        self._dispersion = strengths.dispersion
        self._pairs = Counter(dict(field.pairs))
        self._waiting = dict(field.waiting)
        self._units = Counter({name: 0 for name in self.names})
        for pair, units in self._pairs.items():
            for name in pair:
                if name in self._units:
                    self._units[name] += units

    def plan(self, count: int) -> list[Pair]:
        """Return the pairs of the next `count` units; none if fewer than two agents play."""
        return [self.next() for _ in range(count)] if len(self.names) > 1 else []

    def next(self) -> Pair:
        """Return the pair of the next unit, and count it as played.

        A submission that has waited too long comes first, the longest-waiting one. Then comes a newcomer, the one with
        the fewest units, against anchors that it has not met, and after these against anybody; then the pair with the
        greatest gain.
        """
        gains = self._gains()
        starving = [name for name in self._field.submissions if self._waiting[name] >= self._most_waiting]
        newcomers = [name for name in self._field.submissions if self._units[name] < self._rules.first_units]
        if starving:
            pair = self._best(gains, one=max(starving, key=lambda name: self._waiting[name]))
        elif newcomers:
            newcomer = min(newcomers, key=lambda name: self._units[name])
            unmet = [name for name in self._field.anchors if not self._pairs[pair_of(newcomer, name)]]
            pair = self._best(gains, one=newcomer, others=unmet or self.names)
        else:
            pair = self._best(gains)
        self._take(pair)
        return pair

    @property
    def _most_waiting(self) -> int:
        return self._rules.patience * len(self.names)

    def _information(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return `k` and `D` of all pairs, see the module; both `(n, n)`."""
        own = np.diag(self._covariance)
        variance = np.maximum(own[:, None] + own[None] - 2 * self._covariance, 0.0)
        scale = 1 / np.sqrt(1 + np.pi * variance / 8)
        odds = np.exp(-np.abs(scale * (self._values[:, None] - self._values[None])))
        return self._rules.games * scale * odds / (1 + odds) ** 2 / self._dispersion, variance

    def _gains(self) -> NDArray[np.float64]:
        """Return the gain of each pair, `(n, n)`."""
        information, variance = self._information()
        own = np.diag(self._covariance)
        weights = 0.5 / np.sqrt(np.maximum(own, 1e-12))
        products = (self._covariance * weights) @ self._covariance
        squares = np.diag(products)
        reduction = squares[:, None] + squares[None] - 2 * products
        result: NDArray[np.float64] = reduction * information / (1 + information * variance)
        return result

    def _best(self, gains: NDArray[np.float64], one: str | None = None, others: Sequence[str] | None = None) -> Pair:
        """Return the pair of `one` and one of `others` with the greatest gain; a hash breaks ties. None: any agent."""
        allowed = self.names if others is None else others
        pairs = [
            (gains[i, j], pair_of(first, second))
            for i, first in enumerate(self.names)
            for j, second in enumerate(self.names)
            if first != second and (first == one if one is not None else i < j) and second in allowed
        ]
        most = max(gain for gain, _ in pairs)
        return min((pair for gain, pair in pairs if gain >= most * (1 - ALIKE)), key=self._draw)

    def _draw(self, pair: Pair) -> str:
        text = json.dumps([self._rules.seed, sum(self._units.values()), *pair])
        return hashlib.sha256(text.encode()).hexdigest()

    def _take(self, pair: Pair) -> None:
        """Count a unit of a pair as played."""
        information, variance = self._information()
        i, j = (self.names.index(name) for name in pair)
        shift = self._covariance[:, i] - self._covariance[:, j]
        self._covariance -= np.outer(shift, shift) * information[i, j] / (1 + information[i, j] * variance[i, j])
        self._pairs[pair] += 1
        for name in self._waiting:
            self._waiting[name] += 1
        for name in pair:
            self._units[name] += 1
            if name in self._waiting:
                self._waiting[name] = 0


def pair_of(one: str, other: str) -> Pair:
    """Return a pair in alphabetical order."""
    return (one, other) if one < other else (other, one)
