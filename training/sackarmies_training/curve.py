"""The learning curve of a run: games against a fixed opponent in between, in a table, a picture and TensorBoard."""

from __future__ import annotations

import copy
import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from torch.utils.tensorboard import SummaryWriter

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.policy_agent import PolicyAgent, make_advisor
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import missing_extra
from sackarmies_training.config import TRAINED, CurveSection, LearnConfig
from sackarmies_training.evaluate import outcome_of
from sackarmies_training.matches import Seating, play_games
from sackarmies_training.ratings import Rate
from sackarmies_training.seeds import derive, game_seeds
from sackarmies_training.standings import tally_of
from sackarmies_training.tournament import seatings

if TYPE_CHECKING:
    from sackarmies_training.learn import Learner

FIELDS = ("minutes", "decisions", "won", "drawn", "lost", "win_rate", "low", "high")


class Curve:
    """Measures the averaged network now and then; without a section `[curve]`, only TensorBoard is written."""

    def __init__(self, folder: Path, config: LearnConfig, game: Game, console: Console, decisions: int) -> None:
        """Go on with the curve in a folder.

        Args:
            folder: of the run.
            config: its section `[curve]` says how often and against whom.
            game: what is played.
            console: where points are told where there is no terminal.
            decisions: at which the run is; points beyond, of a sitting that was killed, are dropped.
        """
        self.latest = ""  # a sentence on the latest point
        self._folder, self._config, self._game, self._console = folder, config, game, console
        self._writer = SummaryWriter(str(folder / "tensorboard"), purge_step=decisions + 1)
        self._table, self._picture = folder / "curve.csv", folder / "curve.png"
        self._rows = [row for row in read_rows(self._table) if int(row["decisions"]) <= decisions]
        self._draws = True

    def note(self, decisions: int, values: Mapping[str, float]) -> None:
        """Write what was measured in an update to TensorBoard."""
        for name, value in values.items():
            self._writer.add_scalar(f"learn/{name}", value, decisions)

    def follow(self, learner: Learner, minutes: float, *, now: bool) -> None:
        """Add a point if it is time for one, or `now`."""
        section = self._config.curve
        if section is None or (self._rows and int(self._rows[-1]["decisions"]) == learner.decisions):
            return
        last = float(self._rows[-1]["minutes"]) if self._rows else -section.every_minutes
        if not now and minutes < last + section.every_minutes:
            return
        won, drawn, lost = self._play(learner, section)
        rate = Rate(won, won + drawn + lost)
        low, high = rate.interval
        values = minutes, learner.decisions, won, drawn, lost, rate.value, low, high
        told = [f"{value:.4f}" if isinstance(value, float) else str(value) for value in values]
        self._rows.append(dict(zip(FIELDS, told, strict=True)))
        self._writer.add_scalar(f"won_against/{section.opponent}", rate.value, learner.decisions)
        self.latest = f"won {rate} against {section.opponent}; "
        if not self._console.is_terminal:
            told_point = f"{minutes:.1f} minutes, {learner.decisions:,} decisions: {self.latest.rstrip('; ')}"
            self._console.print(told_point, markup=False, highlight=False, soft_wrap=True)
        self._write(section.opponent)

    def _play(self, learner: Learner, section: CurveSection) -> tuple[int, int, int]:
        """Return how many games the averaged network won, drew and lost."""
        info = GameInfo.of(self._game)
        network = copy.deepcopy(learner.averaged)

        def make(name: str) -> Agent:
            if name != TRAINED:
                return make_agent(name, info)
            advisor = make_advisor(self._config.learn.advice, info)
            return PolicyAgent(network, deterministic=section.deterministic, advisor=advisor)

        line_up = (TRAINED, *[section.opponent] * (self._game.num_players - 1))
        turns = seatings(line_up)
        chosen = game_seeds(derive(self._config.seed, "curve", len(self._rows)), -(-section.games // len(turns)))
        games = [(seating, seed) for seed in chosen for seating in turns]
        line_ups, seeds = [game[0] for game in games], [game[1] for game in games]
        played = play_games(self._game, line_ups, seeds, Seating(line_ups, make, self._config.seed, seeds))
        tally = tally_of([outcome_of(one) for one in played], TRAINED)
        return tally.wins, tally.draws, tally.losses

    def _write(self, opponent: str) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._rows)
        write_safely(self._table, text.getvalue().encode())
        if self._draws:
            self._draws = self._draw(opponent)

    def _draw(self, opponent: str) -> bool:
        """Save the picture; return False if there is no matplotlib, after a sentence that says so."""
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            sentence = missing_extra(error, "the picture of the learning curve")
            self._console.print(f"{sentence or error}; {self._table} has the points.", markup=False, soft_wrap=True)
            return False
        columns = {name: [float(row[name]) for row in self._rows] for name in FIELDS}
        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.add_subplot(
            xlabel="minutes", ylabel=f"won against {opponent}", ylim=(0, 1), title=str(self._folder)
        )
        axes.fill_between(columns["minutes"], columns["low"], columns["high"], alpha=0.25, label="95% interval")
        axes.plot(columns["minutes"], columns["win_rate"], marker=".")
        axes.axhline(1 / self._game.num_players, color="gray", linewidth=0.8, linestyle="--")
        axes.legend(loc="lower right")
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=120)
        write_safely(self._picture, content.getvalue())
        return True


def read_rows(table: Path) -> list[dict[str, str]]:
    """Return the points of a curve that was written before; none if there is no such file."""
    if not table.is_file():
        return []
    with table.open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row.get("high")]
