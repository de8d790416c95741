"""Training with MaskablePPO in self-play, against a pool of the learner's past selves and scripted agents.

If the configuration says so, the learner first imitates a teacher.
"""

from __future__ import annotations

import contextlib
import functools
import numbers
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import KVWriter
from stable_baselines3.common.logger import Logger as ValueLogger

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.policy_agent import find_device, make_network
from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.game import Game
from sackarmies_training.checkpoints import (
    CHECKPOINT,
    CheckpointFolder,
    is_intact,
    network_of,
    network_sizes,
    open_folder,
    restore_run,
    save_finished,
    save_run,
)
from sackarmies_training.config import ImitationSection, TrainConfig
from sackarmies_training.divergence import diverged
from sackarmies_training.imitation import Report, School, imitate
from sackarmies_training.jobs import is_one_of_several
from sackarmies_training.locks import locked, removed_if_unused
from sackarmies_training.loggers import BEFORE_ALL, Loggers, open_loggers
from sackarmies_training.monitor import Monitor
from sackarmies_training.opponents import OpponentPool
from sackarmies_training.ppo_policy import NetworkPolicy
from sackarmies_training.progress import Clock
from sackarmies_training.sample_games import RECORDS, remove_later
from sackarmies_training.selfplay_env import SelfPlayEnv
from sackarmies_training.shaping import make_potential


def train(config: TrainConfig, game: Game, console: Console, *, resume: bool = False) -> Path | None:
    """Train an agent, or resume its training.

    Args:
        config: how to train.
        game: the game it plays.
        console: shows progress.
        resume: resume the latest run in `config.folder` instead of starting a new one.

    Returns:
        Path of the finished agent's checkpoint; None if training was stopped by Ctrl-C and can be resumed.

    Raises:
        ValueError: there is no run to resume, none of its checkpoints is intact, it does not fit the configuration,
            another process uses the folder, torchrun started several processes, or there is no such device.
        OSError: a checkpoint cannot be written; the run can be resumed from the previous one.
    """
    if is_one_of_several():
        raise ValueError(
            f"torchrun started {os.environ['WORLD_SIZE']} processes: MaskablePPO trains in one process, configurations "
            "with a section [learn] in several"
        )
    find_device(config.ppo.device)  # refused now, before there is a folder
    folder = open_folder(config.folder, resume=resume)
    with locked(folder), removed_if_unused(folder):
        for place in (folder, folder / "checkpoints", folder / RECORDS):
            remove_leftovers(place)
        return train_in(folder, config, game, console, resume=resume)


def train_in(folder: Path, config: TrainConfig, game: Game, console: Console, *, resume: bool) -> Path | None:
    """Train in a folder that no other process uses; arguments, result and errors as for `train`."""
    say = functools.partial(console.print, soft_wrap=True, highlight=False, markup=False, emoji=False)
    finished = folder / CHECKPOINT
    if finished.exists() and is_intact(finished, say):
        say(f"Training in {folder} is complete.")
        return finished
    torch.set_num_threads(config.ppo.threads)
    env = make_env(config, game)
    clock = Clock(config.ppo.decisions, config.ppo.max_minutes)
    model = make_model(config, env, clock)
    checkpoints = CheckpointFolder(folder / "checkpoints", config.checkpoints.keep)
    say(f"Checkpoints and logs go to {folder}.")
    clock.start(0.0)
    path = checkpoints.latest_intact(say) if resume else None
    if path is not None:
        clock.start(restore_run(path, model, env, config))
        say(f"Resuming from {path}: {model.num_timesteps:,} decisions, {clock.minutes:.1f} minutes.")
        checkpoints.prune(path)  # a run that is killed after each save would leave more and more
    elif resume:
        say("There is no checkpoint yet: starting from the beginning.")
    section = config.imitation if path is None else None
    school = None if section is None else School(config, section, game)  # it may refuse the teacher: before any files
    last = BEFORE_ALL if path is None else model.num_timesteps
    remove_later(folder, last)
    loggers = open_loggers(config.log, folder, config.model_dump(mode="json"), last)
    with contextlib.closing(loggers):
        model.set_logger(ValueLogger(str(folder), [LogWriter(loggers)]))
        if section is not None and school is not None:
            with imitation_bar(console, section, loggers) as report:
                imitate(network_of(model), school, section, report)
            save_run(checkpoints.next_path(0), model, env, config, clock.minutes)

        monitor = Monitor(env, config, clock, checkpoints, loggers)
        with monitor.shown_on(console):
            remaining = max(0, config.ppo.decisions - model.num_timesteps)
            try:
                model.learn(remaining, callback=monitor, reset_num_timesteps=False)
            except (ValueError, RuntimeError):
                if has_diverged(model, env):  # then torch's error is a dump of tensors
                    raise diverged("scores") from None
                raise
        monitor.save()
        if monitor.interrupted:
            say(f"Stopped after {model.num_timesteps:,} decisions. The same command with --resume resumes.")
            return None
        save_finished(finished, model, env, config, clock.minutes)
        loggers.artifact(finished)
    say(f"Trained for {clock.minutes:.1f} minutes, {model.num_timesteps:,} decisions: {finished}")
    return finished


def has_diverged(model: MaskablePPO, env: SelfPlayEnv) -> bool:
    """Return whether the scores of the network in the current positions are not all numbers."""
    given = torch.tensor(env.batch.observations), torch.tensor(env.batch.action_masks) != 0
    with torch.no_grad():
        scores, _ = network_of(model)(*(one.to(model.device) for one in given))
    return bool(scores.isnan().any())


class LogWriter(KVWriter):
    """Passes the values that Stable-Baselines3 logs on to the loggers of the run."""

    def __init__(self, loggers: Loggers) -> None:
        self._loggers = loggers

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Log the numbers among the values."""
        values = {name: float(value) for name, value in key_values.items() if isinstance(value, numbers.Real)}
        self._loggers.log(step, values)

    def close(self) -> None:
        """Leave the loggers open: the run closes them."""


@contextlib.contextmanager
def imitation_bar(console: Console, section: ImitationSection, loggers: Loggers) -> Iterator[Report]:
    """Show and log the progress of the imitation; yield the function to report it to."""
    columns = (
        TextColumn("imitation"),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:3.0f}%"),
        TextColumn("{task.fields[right]:.0%} predicted"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(elapsed_when_finished=False),
    )
    console.print(f"Imitating {section.teacher} first.", markup=False, highlight=False, soft_wrap=True)
    predicted = 0.0
    with Progress(*columns, console=console, expand=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=1.0, right=predicted)

        def report(done: float, right: float) -> None:
            nonlocal predicted
            predicted = right
            progress.update(task, completed=done, right=right)
            loggers.log(round((done - 1) * section.decisions), {"imitation/predicted": right})

        yield report
    if not console.is_terminal:
        console.print(f"Imitation: {predicted:.0%} of the choices predicted.", highlight=False)


def make_env(config: TrainConfig, game: Game) -> SelfPlayEnv:
    """Return the games that the learner plays, with a pool that has no past yet.

    Raises:
        ValueError: an opponent cannot be made.
    """
    info = GameInfo.of(game)
    section = config.selfplay
    for text in section.scripted:
        make_agent(text, info)  # refused now, not when it is drawn
    pool = OpponentPool(
        section.scripted, lambda text: make_agent(text, info), past=section.past, size=section.pool_size
    )
    potential = make_potential(game, config.shaping)
    return SelfPlayEnv(game, config.ppo.envs, pool, config.seed, potential, config.ppo.gamma)


def make_model(config: TrainConfig, env: SelfPlayEnv, clock: Clock) -> MaskablePPO:
    """Return a fresh learner, whose learning rate falls with the clock."""
    section = config.ppo
    info = GameInfo.of(env.batch.game)

    def learning_rate(_: float) -> float:
        return section.learning_rate + clock.fraction * (section.final_learning_rate - section.learning_rate)

    return MaskablePPO(
        NetworkPolicy,
        env,
        learning_rate=learning_rate,
        n_steps=section.steps,
        batch_size=section.minibatch,
        n_epochs=section.epochs,
        gamma=section.gamma,
        gae_lambda=section.gae_lambda,
        clip_range=section.clip_range,
        ent_coef=section.entropy,
        policy_kwargs={"make_network": lambda: make_network(info, network_sizes(config))},
        seed=config.seed,
        device=section.device,
    )
