"""The learning curve of a run: games against a fixed opponent at intervals, as a table, a picture and logs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo, check_plays_many
from sackarmies_agents.conduct import ask, reset
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.advice import make_advisor
from sackarmies_agents.learned.policy_agent import PolicyAgent
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import missing_extra
from sackarmies_env.core.step_batch import Ending
from sackarmies_training.config import CurveSection, LearnConfig
from sackarmies_training.files import write_json
from sackarmies_training.game_curves import GameCurves
from sackarmies_training.labels import WIN, results_of
from sackarmies_training.learn_files import FIXED_CURVE, MEASURED, Run, agent_of, load_start
from sackarmies_training.ratings import Rate
from sackarmies_training.seeds import derive

if TYPE_CHECKING:
    from sackarmies_training.learn import Learner

FIELDS = ("minutes", "decisions", "won", "drawn", "lost", "win_rate", "low", "high")


class Curve:
    """Measures the averaged network at intervals; does nothing without a section `[curve]`."""

    def __init__(self, run: Run) -> None:
        """Continue the curve in the folder of a run.

        Args:
            run: its section `[curve]` says how often to measure, and against which opponent; each of its line-ups gets
                an equal share of a point's games. Points after its step `last`, of a session that was killed, are
                dropped, as its logs are.
        """
        config = run.config
        self.latest = ""  # a sentence on the latest point
        self._folder, self._config, self._line_ups, self._console = run.folder, config, run.line_ups, run.console
        self._loggers = run.loggers
        self._table, self._picture = run.folder / "curve.csv", run.folder / "curve.png"
        self._rows = [row for row in read_rows(self._table) if int(row["decisions"]) <= run.last]
        self._draws = True
        if config.curve is not None:
            self._opponent = opponent_of(config.curve, run.line_ups[0])
            write_json(run.folder / MEASURED, config.curve.model_dump(include=set(FIXED_CURVE)))

    def follow(self, learner: Learner, minutes: float, *, now: bool) -> None:
        """Add a point if one is due, or if `now`."""
        section = self._config.curve
        if section is None or (self._rows and int(self._rows[-1]["decisions"]) == learner.decisions):
            return
        last = float(self._rows[-1]["minutes"]) if self._rows else -section.every_minutes
        if not now and minutes < last + section.every_minutes:
            return
        games = GameCurves()
        won, drawn, lost = self._play(learner, section, games)
        rate = Rate(won, won + drawn + lost)
        low, high = rate.interval
        values = minutes, learner.decisions, won, drawn, lost, rate.value, low, high
        told = [f"{value:.4f}" if isinstance(value, float) else str(value) for value in values]
        self._rows.append(dict(zip(FIELDS, told, strict=True)))
        told_games = {f"against_{section.opponent}/{name}": value for name, value in games.take().items()}
        self._loggers.log(learner.decisions, {f"won_against/{section.opponent}": rate.value} | told_games)
        self.latest = f"won {rate} against {section.opponent}; "
        if not self._console.is_terminal:
            told_point = f"{minutes:.1f} minutes, {learner.decisions:,} decisions: {self.latest.rstrip('; ')}"
            self._console.print(told_point, markup=False, highlight=False, soft_wrap=True)
        self._write(section.opponent)

    def _play(self, learner: Learner, section: CurveSection, games: GameCurves) -> tuple[int, int, int]:
        """Return how many games the averaged network won, drew and lost; add them to `games`."""
        info = GameInfo.of(self._line_ups[0])
        agent = agent_of(learner.averaged, self._config, info, deterministic=section.deterministic)
        seed = derive(self._config.seed, "curve", len(self._rows))
        agent.reset(seed)
        reset(self._opponent, seed)
        results = play_side_by_side(self._line_ups, agent, self._opponent, section.games, seed, games)[:, 0]
        won, drawn, lost = np.bincount(results, minlength=3).tolist()
        return won, drawn, lost

    def _write(self, opponent: str) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._rows)
        write_safely(self._table, text.getvalue().encode())
        if self._draws:
            self._draws = self._draw(opponent)

    def _draw(self, opponent: str) -> bool:
        """Save the picture; without matplotlib, print a sentence that says so and return False."""
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
        for text in (axes.title, axes.yaxis.label):
            text.set_parse_math(False)  # names may contain dollar signs
        axes.fill_between(columns["minutes"], columns["low"], columns["high"], alpha=0.25, label="95% interval")
        axes.plot(columns["minutes"], columns["win_rate"], marker=".")
        axes.axhline(1 / self._line_ups[0].num_players, color="gray", linewidth=0.8, linestyle="--")
        axes.legend(loc="lower right")
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=120)
        write_safely(self._picture, content.getvalue())
        return True


def compare_with_start(learner: Learner, config: LearnConfig, line_ups: Sequence[Game], section: CurveSection) -> str:
    """Return a sentence on whether an agent is better than the one that its training started from."""
    info, seed = GameInfo.of(line_ups[0]), derive(config.seed, "start")
    agent = agent_of(learner.averaged, config, info, deterministic=True)
    advisor = make_advisor(config.learn.advice, info, config.learn.advice_level)
    start = PolicyAgent(load_start(config, info), deterministic=True, advisor=advisor)
    results = play_side_by_side(line_ups, agent, start, section.games, seed)
    decided = results[(results == WIN).any(axis=1), 0]  # equally strong agents win these in proportion to their seats
    if not len(decided):
        return "All games against the agent that it started from were drawn: no improvement is shown."
    won, even = Rate(int((decided == WIN).sum()), len(decided)), 1 / info.num_players
    low, high = won.interval
    verdict = "it has improved" if low > even else "it has become worse" if high < even else "no improvement is shown"
    drawn = len(results) - len(decided)
    games = f"{won.total:,} games" + (f" that were not drawn, of {len(results):,}," if drawn else "")
    return f"It won {won} of {games} against the agent that it started from: {verdict}."


def opponent_of(section: CurveSection, game: Game) -> Agent:
    """Return the fixed opponent of a curve.

    Raises:
        ValueError: it cannot be made, or cannot play many games at once.
    """
    opponent = make_agent(section.opponent, GameInfo.of(game))
    check_plays_many(opponent, f"curve.opponent is {section.opponent!r}")
    return opponent


def play_side_by_side(
    line_ups: Sequence[Game],
    agent: Agent,
    opponent: Agent,
    games: int,
    seed: int,
    curves: GameCurves | None = None,
) -> NDArray[np.int64]:
    """Play an agent in each seat against an opponent in all others, every start from each seat.

    Args:
        line_ups: games to play, one for each line-up, with an equal share each.
        agent: asked at once for all games in which it is the current player.
        opponent: asked likewise; both must keep nothing between two decisions.
        games: number of games, at least.
        seed: seed of the starts.
        curves: the games are added to these.

    Returns:
        `(n, players)`, how each game ended for the agent, then for the seats after its own: WIN, DRAW or LOSS.

    Raises:
        Misconduct: the opponent raised an exception, or did not answer with integers.
    """
    players, rng = line_ups[0].num_players, np.random.default_rng(seed)
    starts = -(-games // (players * len(line_ups)))
    seats = np.tile(np.arange(players), starts)
    batches = [Batch(game, len(seats), restarts=False) for game in line_ups]
    for batch in batches:
        batch.reset(np.repeat(rng.integers(2**62, size=starts), players))
    running = [np.arange(len(seats)) for _ in batches]
    outs = [np.zeros((len(seats), players), np.bool_) for _ in batches]  # see `results_of`
    while any(len(rows) for rows in running):
        asked = [(batch, rows, out) for batch, rows, out in zip(batches, running, outs, strict=True) if len(rows)]
        observations = np.concatenate([batch.observations[rows] for batch, rows, _ in asked])
        masks = np.concatenate([batch.action_masks[rows] for batch, rows, _ in asked])
        own = np.concatenate([batch.players[rows] == seats[rows] for batch, rows, _ in asked])
        actions = np.empty(len(own), np.int64)
        if own.any():
            actions[own] = agent.act_batch(observations[own], masks[own])
        if not own.all():
            actions[~own] = ask(opponent, observations[~own], masks[~own])
        ends = np.cumsum([len(rows) for _, rows, _ in asked])
        for (batch, rows, out), chosen in zip(asked, np.split(actions, ends[:-1]), strict=True):
            out[rows] = batch.terminations[rows] != 0
            batch.step(chosen, rows)
        running = [rows[batch.ended[rows] == Ending.RUNNING] for batch, rows in zip(batches, running, strict=True)]
    order = (seats[:, None] + np.arange(players)) % players
    results = [
        np.take_along_axis(results_of(batch.returns, batch.terminations, out), order, axis=1)
        for batch, out in zip(batches, outs, strict=True)
    ]
    if curves is not None:
        for batch, found in zip(batches, results, strict=True):
            curves.add(batch.game, batch.states, found[:, :1], seats[:, None])
    return np.concatenate(results)


def read_rows(table: Path) -> list[dict[str, str]]:
    """Return the points of a curve written earlier; an empty list if there is no such file."""
    if not table.is_file():
        return []
    with table.open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row.get("high")]
