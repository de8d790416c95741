"""Leagues whose results are sampled instead of played; files, events and pairings are real."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import numpy as np

from sackarmies_training.ladder.units import Finished, UnitEntry
from sackarmies_training.league import contest, play, rounds
from sackarmies_training.league.contest import League, create
from sackarmies_training.league.play import Budget, league_player
from sackarmies_training.tournament import seatings

CONFIG = """
workers = 1
round = {round}
zero = "middle"
[game]
id = "duel"
max_turns = 20
[[anchor]]
name = "low"
agent = "random"
[[anchor]]
name = "middle"
agent = "random"
{more}
"""
FAULT = {"reason": "raised ValueError: no", "status": "ERROR", "ply": 0}


class Clock:
    """Clock of events, which stands still until it is moved."""

    def __init__(self):
        self.time = datetime(2026, 1, 5, 8, tzinfo=UTC)

    def __call__(self):
        return self.time.isoformat(timespec="seconds")

    def days(self, number):
        self.time += timedelta(days=number)


class Simulation:
    """A league in a folder, whose results are sampled from true Elo ratings of the agents, by name.

    Attributes:
        true: rating by name; a version of a submission has the rating of the name, unless its own is given.
        failing: labels that lose each game by forfeit.
        wins: whether they forfeit with one of their seats only, and win with another one.
        stop_after: units after which the process is interrupted; None: never.
    """

    def __init__(self, folder, monkeypatch, true, more="", round_units=10):
        self.true = true
        self.failing = set()
        self.wins = False
        self.stop_after = None
        self.clock = Clock()
        self.told = []
        self.faults = []
        monkeypatch.setattr(contest, "make_separate", lambda *_: SimpleNamespace(close=lambda: None))
        monkeypatch.setattr(contest, "try_agent", lambda *_: SimpleNamespace(faults=lambda: self.faults))
        monkeypatch.setattr(rounds, "save_record", lambda record, path: path.write_text("{}"))
        monkeypatch.setattr(play, "run_jobs", self._run)
        config = folder.with_name(f"{folder.name}.toml")
        config.write_text(CONFIG.format(round=round_units, more=more))
        self.folder = folder
        create(folder, config, self.clock)

    @property
    def league(self):
        """The league, as a new process sees it."""
        return League(self.folder, self.clock)

    def submit(self, name, author="Ann", text=None):
        """Enter a submission; unless `text` is given, its agent is a different one each time."""
        text = text or f"greedy:weights={len(self.league.state().events)}"
        return self.league.submit(text, name, author, 2, lambda games: None)[1]

    def play(self, games):
        """Play that many games, as a new process does."""
        with league_player(self.league, self.told.append, lambda games: None) as player:
            player.play(Budget(games, None))

    def _run(self, pool, jobs, save):
        for place, job in enumerate(jobs):
            if self.stop_after == 0:
                raise KeyboardInterrupt
            if self.stop_after is not None:
                self.stop_after -= 1
            save(place, Finished(self._drawn(job.unit), (None,) * job.unit.num_games))

    def _elo(self, label):
        return self.true.get(label, self.true.get(label.partition("@")[0], 0.0))

    def _drawn(self, unit):
        rng, games = np.random.default_rng(unit.seed), []
        one, other = unit.line_up[:2]
        chance = 1 / (1 + 10 ** ((self._elo(other) - self._elo(one)) / 400))
        for seating in seatings(unit.line_up):
            winner = one if rng.random() < chance else other
            faults = [{"seat": seat, **FAULT} for seat, name in enumerate(seating) if name in self.failing]
            if faults:
                winner = next((name for name in seating if (name in self.failing) == self.wins), one)
                faults = faults[:1] if self.wins else faults
            lost = {fault["seat"] for fault in faults}
            returns = [1.0 if name == winner and seat not in lost else -1.0 for seat, name in enumerate(seating)]
            games.append({"returns": returns, "turns": 5, "actions": 9, "truncated": False, "forfeits": faults})
        data = {"line_up": unit.line_up, "number": unit.number, "armies": unit.armies, "seed": unit.seed}
        return UnitEntry.model_validate({"players": unit.players, **data, "games": games, "thinking": {}})


def lines_of(folder):
    """Return all finished units of a league, round by round."""
    return [path.read_text() for path in sorted(folder.glob("rounds/*/units.jsonl"))]


@contextlib.contextmanager
def same_seeds(monkeypatch):
    """Make the seeds of rounds 1, 2, 3, ... in the order in which they are drawn."""
    with monkeypatch.context() as patch:
        drawn = iter(range(1, 1000))
        patch.setattr(rounds, "draw_seed", lambda: next(drawn))
        yield
