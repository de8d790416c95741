"""Luck in finished games: what chance brought compared with what it could be expected to bring.

Wherever chance enters a step of a game, the value of the position after it is compared with the mean value over all
that chance might have brought, by exact odds. The mean of these corrections is 0, whoever plays and whatever values are
used: subtracting them from the result of a game leaves its expectation unchanged, and removes as much of its variance
as the values know of the game (control variates; for games of hidden information: N. Burch, M. Schmid, M. Moravcik, D.
Morrill and M. Bowling, "AIVAT: A new variance reduction technique for agent evaluation in imperfect information games",
2018).

This is done for results that can be forced in one queue for all players, are equally likely and independent of each
other, such as coins: the first few of a step are tried in all ways, while those after them stay as they came. Given all
other results of chance, a correction has the mean 0. Not corrected are steps before the first decision, forfeits, and
draws, whose correction by exact odds (`benchmarks.luck_of_draws`) narrows no interval. docs/evaluation.md gives figures
for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game, Records, forfeit_code
from sackarmies_env.core.jit import njit
from sackarmies_env.core.state import KEPT
from sackarmies_env.core.step_batch import is_over
from sackarmies_training.matches import PlayedGame
from sackarmies_training.ratings import Outcome
from sackarmies_training.stats.estimate import RESAMPLES, RESAMPLING_SEED, Estimate
from sackarmies_training.stats.units import points_of

MOST_WAYS = 36  # limit of ways in which the first results of a step are tried: five coins, or two dice
GAMES = 100  # games that are replayed side by side
CHANCE = ("streams of chance", "forced results")  # parts of a state


@njit
def estimate_values(evaluation, params, states, players, out):  # type: ignore[no-untyped-def]  # numba infers them
    """Write what positions are worth to players, each `(n,)`, into `out` `(n,)`; skip games that are over."""
    for i in range(len(states)):
        if not is_over(states[i]):
            out[i] = evaluation.evaluate(evaluation.model, params, states[i : i + 1], players[i])


class NotMeasurableError(ValueError):
    """Luck cannot be measured in a game."""


class Ply(NamedTuple):
    """One action of each game that lasts this long.

    Attributes:
        rows: `(n,)`, indices of the games.
        before: `(n,)`, states before the actions.
        actions: `(n,)`, ids; `forfeit_code(seat)` for a forfeit.
        after: `(n,)`, states after the actions.
    """

    rows: NDArray[np.int64]
    before: Records
    actions: NDArray[np.int64]
    after: Records

    def met(self, stream: str) -> NDArray[np.int64]:
        """Return the indices of the steps that took words from a stream of chance, "flip" or "draw"."""
        name = f"{stream}_count"
        return np.flatnonzero((self.after[name] != self.before[name]) & (self.actions >= 0))


def replay(game: Game, games: Sequence[PlayedGame]) -> Iterator[Ply]:
    """Replay games side by side, ply by ply."""
    states = game.new_states(len(games))
    game.reset(game.params, states, np.array([one.seed for one in games], np.int64))
    for ply in range(max(len(one.actions) for one in games)):
        rows = np.array([row for row, one in enumerate(games) if len(one.actions) > ply])
        actions = np.array([games[row].actions[ply] for row in rows])
        before = game.clone(states, rows)
        states[rows] = after = _after(game, before, actions)
        yield Ply(rows, before, actions, after)


def _after(game: Game, before: Records, actions: NDArray[np.int64]) -> Records:
    """Return states after one action each; actions may be forfeits."""
    after = game.clone(before)
    stays = np.flatnonzero(actions >= 0)
    steps = game.clone(after, stays)
    game.step(game.params, steps, actions[stays])
    after[stays] = steps
    for row in np.flatnonzero(actions < 0).tolist():
        game.forfeit(game.params, after[row : row + 1], [forfeit_code(int(actions[row]))])
    return after


class LuckMeter:
    """Measures the luck of seats in finished games by replaying their actions."""

    def __init__(self, game: Game, results: int | None = None) -> None:
        """Take the game, and how many results of a step are tried in all ways; None for as many as `MOST_WAYS` allows.

        Raises:
            NotMeasurableError: the game has no such chance, is not zero-sum, or has no evaluation of positions.
        """
        make_evaluation = find_hook(game.id, "evaluation")
        shared = [kind for kind in game.forced_kinds if kind.is_shared]
        if make_evaluation is None or not game.zero_sum or len(shared) != 1:
            raise NotMeasurableError(
                f"luck cannot be measured in the game {game.id!r}: it can be measured only in zero-sum games that have "
                "an evaluation of positions and one kind of chance shared by all players"
            )
        self._game = game
        self._evaluation = make_evaluation(game, None)
        self._kind = shared[0]
        sides = sorted(set(self._kind.results[0].values()))
        most = max((number for number in range(1, MOST_WAYS) if len(sides) ** number <= MOST_WAYS), default=1)
        self._results = most if results is None else results
        self._sides = len(sides)
        self._ways = np.array(list(product(sides, repeat=self._results)), np.int64)
        self._is_checked = False

    def measure(self, games: Sequence[PlayedGame], seats: Sequence[int]) -> list[list[float]]:
        """Return the corrections of each game, in order, in units of returns; their sum is the luck of the seat.

        Args:
            games: finished plays of this game.
            seats: the seat of interest in each game.

        Raises:
            NotMeasurableError: results are not independent of each other, like the cards of a deck.
        """
        return [found[:, 0].tolist() for found in self._measure(games, np.array(seats, np.int64)[:, None])]

    def measure_all(self, games: Sequence[PlayedGame]) -> NDArray[np.float64]:
        """Return the luck of all seats in each game, `(n, players)`, in units of returns.

        Since the game is zero-sum, so is its luck: what the seats' own corrections leave over is divided equally.

        Args:
            games: finished plays of this game.

        Raises:
            NotMeasurableError: as for `measure`.
        """
        seats = np.tile(np.arange(self._game.num_players), (len(games), 1))
        luck = np.array([found.sum(axis=0) for found in self._measure(games, seats)])
        result: NDArray[np.float64] = luck - luck.mean(axis=1, keepdims=True)
        return result

    def _measure(self, games: Sequence[PlayedGame], seats: NDArray[np.int64]) -> list[NDArray[np.float64]]:
        """Return the corrections of each game, `(corrections, k)`, for the seats `(n, k)`."""
        luck: list[list[NDArray[np.float64]]] = [[] for _ in games]
        for start in range(0, len(games), GAMES):
            for ply in replay(self._game, games[start : start + GAMES]):
                met = ply.met("flip")
                if len(met):
                    rows = ply.rows[met] + start
                    found = self._corrections(ply.before[met], ply.actions[met], ply.after[met], seats[rows])
                    for row, one in zip(rows.tolist(), found, strict=True):
                        luck[row].append(one)
        return [np.array(found).reshape(-1, seats.shape[1]) for found in luck]

    def _corrections(
        self, before: Records, actions: NDArray[np.int64], after: Records, players: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the corrections of steps in which results were used, `(n, k)`, for the players `(n, k)`."""
        ways = len(self._ways)
        copies = self._game.clone(before, np.repeat(np.arange(len(before)), ways))
        script = f"script_{self._kind.name}"
        copies[script][:, 0, : self._results] = np.tile(self._ways, (len(before), 1))
        copies[f"{script}_end"][:, 0] = self._results
        copies[f"{script}_used"][:, 0] = 0
        copies["flip_count"] += self._results  # the words of the stream after these stay as they came
        self._game.step(self._game.params, copies, np.repeat(actions, ways))
        if not self._is_checked:
            self._check(copies[:ways], after[:1])
        rows, places = np.unique(self._first_alike(copies), return_inverse=True)
        different = self._game.clone(copies, rows)
        found = np.empty(players.shape)
        for column, seated in enumerate(players.T):
            values = self.values(different, np.repeat(seated, ways)[rows])
            expected = values[places].reshape(-1, ways).mean(axis=1)
            found[:, column] = self.values(after, seated) - expected
        return found

    def _first_alike(self, copies: Records) -> NDArray[np.int64]:
        """Return, for each copy, the first one in which the same results were used: both have the same position."""
        used = np.minimum(copies[f"script_{self._kind.name}_used"][:, 0].astype(np.int64), self._results)
        alike = self._sides ** (self._results - used)  # in a row, as `product` varies the last results fastest
        first: NDArray[np.int64] = np.arange(len(copies)) // alike * alike
        return first

    def _check(self, copies: Records, after: Records) -> None:
        """Refuse chance with a memory: one of the ways must lead to the actual position."""
        same = np.ones(len(copies), np.bool_)
        for part in self._game.state_layout.fields:
            if part.part not in CHANCE and part.role in KEPT:
                same &= (copies[part.name] == after[part.name]).reshape(len(copies), -1).all(axis=1)
        if not same.any():
            raise NotMeasurableError(
                f"luck cannot be measured in the game {self._game.id!r} here: {self._kind.name} are not independent of "
                "each other, like cards of a deck"
            )
        self._is_checked = True

    def values(self, states: Records, players: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what positions are worth to players: their returns if the game is over, else an estimate."""
        returns = np.zeros((len(states), self._game.num_players), np.float32)
        states = self._game.clone(states)  # records of the type that kernels know
        self._game.returns(self._game.params, states, returns)
        values: NDArray[np.float64] = returns[np.arange(len(states)), players].astype(np.float64)
        estimate_values(self._evaluation, self._game.params, states, players, values)
        return values


@dataclass(frozen=True)
class Adjusted:
    """A share of points with the luck taken out.

    Attributes:
        score: the share; it may lie slightly outside 0 to 1.
        ratio: its variance over units, divided by that of the plain share; 1 if that is 0.
    """

    score: Estimate
    ratio: float

    @staticmethod
    def of(shares: NDArray[np.float64], games: int) -> Adjusted:
        """Summarize `unit_shares` of `games` games, all of whose points the agent and its opponents took."""
        value = float(shares[:, 1].mean())
        resampled = resampling_weights(len(shares)) @ shares[:, 1]
        score = Estimate.of(value, resampled, len(shares), games, float(games))
        plain, adjusted = shares.var(axis=0)
        return Adjusted(score, float(adjusted / plain) if plain > 0 else 1.0)

    def sentence(self) -> str:
        """Return the share and what the method gains, in a sentence."""
        score = self.score
        if self.ratio >= 1:
            worth = "which does not narrow the interval"
        elif self.ratio > 0:
            worth = f"worth {1 / self.ratio - 1:.0%} more games"
        else:
            worth = "the same in all units"
        return f"with luck taken out: {score.value:.1%} ({score.low:.1%} to {score.high:.1%}) of the points, {worth}"


def resampling_weights(count: int) -> NDArray[np.float64]:
    """Return the weights of units in bootstrap resamples, `(RESAMPLES, count)`."""
    rng = np.random.default_rng(RESAMPLING_SEED)
    weights: NDArray[np.float64] = rng.multinomial(count, np.full(count, 1 / count), RESAMPLES) / count
    return weights


def unit_shares(agent: str, played: Sequence[PlayedGame], luck: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Return the share of the points that an agent took in each unit, plain and with luck taken out: `(units, 2)`.

    Args:
        agent: its name.
        played: all games of some units.
        luck: the corrections of each game, in units of returns.
    """
    units: dict[int, list[tuple[float, float]]] = {}
    for one, parts in zip(played, luck, strict=True):
        plain = Outcome(one.agents, one.returns).score(agent)
        units.setdefault(one.seed, []).append((plain, plain - points_of(sum(parts), len(one.agents))))
    return np.array([np.mean(games, axis=0) for games in units.values()])


def adjusted_score(game: Game, agent: str, played: Sequence[PlayedGame]) -> Adjusted:
    """Return the share of the points that an agent with one seat took, with its luck taken out.

    Args:
        game: the game that was played.
        agent: its name.
        played: all games of some units.

    Raises:
        NotMeasurableError: luck in this game cannot be measured.
    """
    luck = LuckMeter(game).measure(played, [one.agents.index(agent) for one in played])
    return Adjusted.of(unit_shares(agent, played, luck), len(played))
