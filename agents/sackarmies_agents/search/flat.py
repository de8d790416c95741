"""Flat search: each legal action is played on in sampled states by a scripted policy, the best ones more often.

Budgets are shared out by sequential halving (Karnin, Koren, Somekh: "Almost optimal exploration in multi-armed
bandits", 2013). In a sampled world all actions meet the same chance and the same opponents, so that differences between
them count and not the luck of either. The policy's own choice is left only for a gain that exceeds its standard error:
what looks best of many is often only lucky.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.search.rounds import play_round, prior_choice, sample_worlds
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.simulator import Evaluation, Policy
from sackarmies_env.core.state import copy_records
from sackarmies_env.core.workers import Workers

MAX_WORLDS = 512
FIRST_GUESS = 100e-6  # seconds a playout takes, until one has been timed
MEMORY = 0.7  # how much of an estimate of that stays when another one comes in


@dataclass(frozen=True)
class Settings:
    """How a flat search is done.

    Attributes:
        playouts: how many a decision may take; with `milliseconds`, at most.
        milliseconds: what a decision may take of time on the clock; None: no limit.
        horizon: turns that are played on after the one at hand.
        gate: standard errors by which an action must be better than the policy's choice to be taken instead.
        threads: how many play a search's games, each beside the other.
    """

    playouts: int = 160
    milliseconds: float | None = None
    horizon: int = 5
    gate: float = 2.0
    threads: int = 1


@dataclass(frozen=True, eq=False)
class Finding:
    """What a search has found.

    Attributes:
        action: the legal id to choose.
        prior: the legal id that the policy chooses.
        actions: `(k,)` int64, the legal ids that were played on.
        values: `(k,)` float64, what they were worth on average, as the player's return.
        counts: `(k,)` int64, in how many worlds.
    """

    action: int
    prior: int
    actions: NDArray[np.int64]
    values: NDArray[np.float64]
    counts: NDArray[np.int64]


class Bench:
    """What one thread plays with."""

    def __init__(self, game: Game, policy: Policy, evaluation: Evaluation) -> None:
        self.simulator = game.simulator()
        self.policy = policy
        self.evaluation = evaluation
        self.scratch = game.new_states(1)


class FlatSearch:
    """Searches positions of one game, one after the other.

    Args:
        game: what is played, as the players may know it.
        make_policy: builds the policy of all seats, one for each thread. Its model 0 chooses for the player who
            searches, and is the choice that must be beaten; the others play, as chance has it, by any of its models.
        make_evaluation: likewise, of the positions where playing on ends.
        settings: see `Settings`.
    """

    def __init__(
        self,
        game: Game,
        make_policy: Callable[[Game], Policy],
        make_evaluation: Callable[[Game], Evaluation],
        settings: Settings,
    ) -> None:
        self.game = game
        self.settings = settings
        self._benches = [Bench(game, make_policy(game), make_evaluation(game)) for _ in range(settings.threads)]
        self._workers = Workers(settings.threads)
        self._root = game.new_states(1)
        self._worlds = game.new_states(MAX_WORLDS)
        self._pace = FIRST_GUESS

    def search(self, root: Records, player: int, seed: int) -> Finding:
        """Search a position.

        Args:
            root: `(1,)`, any state of the player's information set; not changed.
            player: the current player.
            seed: of the worlds. With a budget of playouts alone, equal seeds give equal findings.
        """
        started = time.perf_counter()
        legal = legal_ids(root["legal"][0])
        if len(legal) == 1:
            return Finding(legal[0], legal[0], np.array(legal), np.zeros(1), np.zeros(1, np.int64))
        copy_records(root, self._root)
        bench = self._benches[0]
        prior = int(prior_choice(bench.simulator, bench.policy, self._root, 0))
        rng = np.random.default_rng(seed)
        race = Race(self._contenders(legal, prior, self._affordable(started), rng), self._opponents(player, rng))
        self._run(race, player, seed, started)
        return race.finding(self.settings.gate)

    def _affordable(self, started: float) -> int:
        """Return how many playouts the time that is left allows, by how long they have taken so far."""
        limit = self.settings.milliseconds
        if limit is None:
            return self.settings.playouts
        left = limit * 1e-3 - (time.perf_counter() - started)
        return max(0, min(self.settings.playouts, int(left / self._pace)))

    def _contenders(self, legal: list[int], prior: int, budget: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the actions to be played on, the policy's first: as many as each round can play in one world."""
        others = [action for action in legal if action != prior]
        room = 1
        while room < len(others) and (room + 2) * rounds_of(room + 2) <= budget:
            room += 1
        if len(others) > room:
            others = rng.choice(others, room, replace=False).tolist()
        return np.array([prior, *others], np.int64)

    def _opponents(self, player: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return by which model each seat plays in each world, `(MAX_WORLDS, num_players)` int64."""
        num_models = len(self._benches[0].policy.models)
        models = rng.integers(num_models, size=(MAX_WORLDS, self.game.num_players))
        models[:, player] = 0
        return models

    def _run(self, race: Race, player: int, seed: int, started: float) -> None:
        """Play rounds, each with the better half of the one before, until the budget is spent."""
        rounds = rounds_of(len(race.actions))
        left = self.settings.playouts
        for number in range(rounds):
            share = left // (rounds - number)
            while race.played < MAX_WORLDS:
                affordable = self._affordable(started) // (rounds - number)
                count = min(min(share, affordable) // len(race.running), MAX_WORLDS - race.played)
                if count < 1:
                    break
                self._play(race, race.played, race.played + count, player, seed)
                share -= count * len(race.running)
                left -= count * len(race.running)
                if self.settings.milliseconds is not None:
                    break
            race.halve()

    def _play(self, race: Race, first: int, last: int, player: int, seed: int) -> None:
        """Play what is still in the race on in some worlds, on all threads."""
        begun = time.perf_counter()
        candidates = np.stack([race.actions[race.running], race.running], axis=1)
        pieces = np.linspace(first, last, min(self.settings.threads, last - first) + 1).astype(int).tolist()

        def work(piece: int) -> None:
            bench, start, stop = self._benches[piece], pieces[piece], pieces[piece + 1]
            sample_worlds(bench.simulator, self._root, self._worlds, start, stop, player, seed)
            limits = np.array([start, stop, player, self.settings.horizon])
            play_round(
                bench.simulator,
                bench.policy,
                bench.evaluation,
                self._worlds,
                bench.scratch,
                candidates,
                race.models,
                limits,
                race.results,
            )

        if len(pieces) == 2:
            work(0)
        else:
            self._workers.share(work, len(pieces) - 1)
        race.count(first, last)
        pace = (time.perf_counter() - begun) / ((last - first) * len(candidates))
        self._pace = MEMORY * self._pace + (1.0 - MEMORY) * pace


def rounds_of(contenders: int) -> int:
    """Return how many rounds of halving leave one of so many contenders."""
    return max(1, math.ceil(math.log2(contenders)))


class Race:
    """Actions that are compared, in the same worlds; the first is the policy's choice and stays to the end.

    Attributes:
        actions: `(k,)` int64.
        models: `(MAX_WORLDS, num_players)` int64, by which model each seat plays in a world.
        results: `(k, MAX_WORLDS)` float64.
        running: `(r,)` int64, places of those that are still in the race.
        played: worlds in which these have been played.
        counts: `(k,)` int64, worlds in which each was played.
    """

    def __init__(self, actions: NDArray[np.int64], models: NDArray[np.int64]) -> None:
        self.actions = actions
        self.models = models
        self.results = np.zeros((len(actions), MAX_WORLDS))
        self.running = np.arange(len(actions))
        self.played = 0
        self.counts = np.zeros(len(actions), np.int64)

    def count(self, first: int, last: int) -> None:
        """Note that what is running was played in these worlds."""
        self.counts[self.running] += last - first
        self.played = last

    def values(self) -> NDArray[np.float64]:
        """Return the mean result of each action, `(k,)`; 0 for those that were not played."""
        sums: Any = self.results.sum(axis=1)
        means: NDArray[np.float64] = sums / np.maximum(self.counts, 1)
        return means

    def halve(self) -> None:
        """Leave the better half in the race, and the policy's choice."""
        if self.played == 0 or len(self.running) <= 2:
            return
        order = self.running[np.argsort(-self.values()[self.running], kind="stable")]
        best = order[: (len(order) + 1) // 2]
        self.running = np.unique(np.append(best, 0))

    def finding(self, gate: float) -> Finding:
        """Return the outcome: the best action if its gain over the policy's choice exceeds `gate` standard errors."""
        values = self.values()
        best = int(self.running[np.argmax(values[self.running])]) if self.played else 0
        if best != 0:
            gains = self.results[best, : self.played] - self.results[0, : self.played]
            error = float(gains.std(ddof=1)) / math.sqrt(len(gains)) if len(gains) > 1 else math.inf
            if not float(gains.mean()) > gate * error:
                best = 0
        return Finding(int(self.actions[best]), int(self.actions[0]), self.actions, values, self.counts)
