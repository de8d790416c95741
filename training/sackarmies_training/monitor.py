"""Monitoring of a training run: progress, snapshots for the pool, checkpoints, logs, and when to stop."""

from __future__ import annotations

import contextlib
import copy
from collections import defaultdict, deque
from collections.abc import Iterator

from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from sackarmies_agents.learned.policy_agent import PolicyAgent
from sackarmies_training.checkpoints import CheckpointFolder, network_of, save_run
from sackarmies_training.config import TrainConfig
from sackarmies_training.loggers import Loggers
from sackarmies_training.progress import Clock, SoftStop, TrainingProgress
from sackarmies_training.sample_games import record_game
from sackarmies_training.selfplay_env import SelfPlayEnv

RECENT_GAMES = 200


class Monitor(BaseCallback):
    """Training callback, which Stable-Baselines3 calls before each rollout and after each of its steps."""

    model: MaskablePPO

    def __init__(
        self, env: SelfPlayEnv, config: TrainConfig, clock: Clock, folder: CheckpointFolder, loggers: Loggers
    ) -> None:
        super().__init__()
        self._stop = SoftStop()
        self._env = env
        self._config = config
        self._clock = clock
        self._folder = folder
        self._loggers = loggers
        self._saved = 0
        self._pooled = 0
        self._recent: dict[str, deque[int]] = defaultdict(lambda: deque(maxlen=RECENT_GAMES))

    @property
    def interrupted(self) -> bool:
        """Whether training was asked to stop."""
        return self._stop.asked

    @contextlib.contextmanager
    def shown_on(self, console: Console) -> Iterator[None]:
        """Show progress while the block runs, and make Ctrl-C end training after the current round.

        Without a terminal, each checkpoint prints a line instead.
        """
        self._console = console
        self._progress = TrainingProgress(console)
        with self._progress, self._stop.listening():
            yield

    def save(self) -> None:
        """Write a checkpoint now."""
        path = self._folder.next_path(self.model.num_timesteps)
        save_run(path, self.model, self._env, self._config, self._clock.minutes)
        self._folder.prune(path)
        self._saved = self.model.num_timesteps
        if self._config.log.records:
            agent = PolicyAgent(copy.deepcopy(network_of(self.model)))
            run, games = self._folder.folder.parent, [self._env.batch.game]
            self._loggers.artifact(record_game(games, agent, self._config.seed, run, self._saved))
        if not self._console.is_terminal:
            told = f"{self._clock.fraction:.0%}, {self._clock.minutes:.1f} minutes, {self._standing()}"
            self._console.print(told, markup=False, highlight=False, soft_wrap=True)

    def _on_training_start(self) -> None:
        self._saved = self._pooled = self.model.num_timesteps

    def _on_rollout_start(self) -> None:
        decisions = self._clock.done = self.model.num_timesteps
        if decisions - self._pooled >= self._config.selfplay.snapshot_every:
            self._env.pool.add_snapshot(PolicyAgent(copy.deepcopy(network_of(self.model))))
            self._pooled = decisions
        if decisions - self._saved >= self._config.checkpoints.every:
            self.save()

    def _on_step(self) -> bool:
        return not self._stop.asked and self._clock.fraction < 1.0

    def _on_rollout_end(self) -> None:
        for name, results in self._env.take_results().items():
            self._recent[name].extend(results)
        for name, mean in self._env.curves.take().items():
            self.logger.record(name, mean)
        for name, recent in self._recent.items():
            self.logger.record(f"selfplay/won_against_{name}", _share_won(recent))
        self._progress.show(self._clock.fraction, self._standing())

    def _on_training_end(self) -> None:
        self._clock.done = self.model.num_timesteps
        self._progress.show(self._clock.fraction, self._standing())

    def _standing(self) -> str:
        """Return the number of decisions, and the learner's results in its latest games."""
        wins = [f"{_share_won(results):.0%} against {name}" for name, results in sorted(self._recent.items())]
        latest = f"won {', '.join(wins)}" if wins else "no game has ended yet"
        return f"{self.model.num_timesteps:,} decisions, {latest}"


def _share_won(results: deque[int]) -> float:
    return sum(result > 0 for result in results) / len(results)
