"""Files of the trainer `learn.py`: checkpoints to resume from, and the finished agent."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field
from rich.console import Console

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.layout import describe
from sackarmies_agents.learned.advice import make_advisor
from sackarmies_agents.learned.checkpoint import DAMAGED, POLICY, Header, damaged, read_checkpoint
from sackarmies_agents.learned.load import check_game
from sackarmies_agents.learned.network import Network
from sackarmies_agents.learned.policy_agent import PolicyAgent, read_network
from sackarmies_agents.learned.sizes import OUTCOMES, NetworkSizes
from sackarmies_agents.learned.tensors import tensors_of
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.core.safe_read import named, read_json
from sackarmies_env.core.validation import StrictModel, read_model
from sackarmies_training.checkpoints import (
    KEPT_FIXED,
    OPTIMIZER,
    CheckpointFolder,
    check_trainer,
    optimizer_tensors,
    origin_of,
    packed,
    restore_optimizer,
)
from sackarmies_training.config import CurveSection, ExpertSection, LearnConfig
from sackarmies_training.files import write_json
from sackarmies_training.jobs import Pool
from sackarmies_training.loggers import Loggers
from sackarmies_training.model_cards import card_of_learner, card_path
from sackarmies_training.progress import Clock
from sackarmies_training.sample_games import record_game

if TYPE_CHECKING:
    from sackarmies_training.learn import Learner

TRAINED = "trained"  # in place of a file: the trained agent that comes with a game
LEARNER = "learner"  # part with the learning network; `policy` is its average
MINUTES = "minutes.json"
MEASURED = "curve.json"  # the keys of `[curve]` that all points of a curve have in common
FIXED_CURVE = ("opponent", "deterministic")  # these keys


@dataclass(frozen=True)
class Run:
    """Everything a training run has besides the learner.

    Attributes:
        folder: folder of all files it writes.
        config: its configuration.
        line_ups: games to play, one for each line-up.
        console: shows progress.
        clock: says when training is over.
        checkpoints: checkpoints to resume from.
        loggers: where it logs to.
        last: decisions of the checkpoint that it resumes from; BEFORE_ALL without one.
        pool: runs jobs; None for this process.
    """

    folder: Path
    config: LearnConfig
    line_ups: Sequence[Game]
    console: Console
    clock: Clock
    checkpoints: CheckpointFolder
    loggers: Loggers
    last: int
    pool: Pool | None = None

    def save(self, learner: Learner) -> None:
        """Write a checkpoint, and record a game of its agent; print a line if no curve and no terminal tells of it.

        A checkpoint that is written again, with more minutes, is not told again.
        """
        is_new = not self.checkpoints.next_path(learner.decisions).exists()
        save_learner(self.checkpoints, learner, self.config, self.line_ups[0], self.clock.minutes)
        if self.config.log.records:
            agent = agent_of(learner.averaged, self.config, GameInfo.of(self.line_ups[0]), deterministic=True)
            path = record_game(self.line_ups, agent, self.config.seed, self.folder, learner.decisions)
            self.loggers.artifact(path)
        if is_new and self.config.curve is None and not self.console.is_terminal:
            told = f"{self.clock.minutes:.1f} minutes, {learner.decisions:,} decisions: checkpoint written"
            self.console.print(told, markup=False, highlight=False, soft_wrap=True)

    def note_minutes(self) -> None:
        """Note the minutes so far: what was made since the latest checkpoint survives a kill, so its time counts."""
        write_json(self.folder / MINUTES, {"minutes": self.clock.minutes})


class NotedMinutes(StrictModel):
    """Content of the file that `Run.note_minutes` writes."""

    minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)]


def noted_minutes(folder: Path) -> float:
    """Return the minutes that a run noted last; 0 if it noted none.

    Raises:
        ValueError: the file is damaged.
    """
    path = folder / MINUTES
    return read_model(NotedMinutes, read_json(path), named(path)).minutes if path.exists() else 0.0


class LearnState(StrictModel):
    """State of a run, as in the header of a checkpoint."""

    trainer: Literal["learn"]
    config: dict[str, Any]
    decisions: Annotated[int, Field(ge=0, lt=2**53)]
    updates: Annotated[int, Field(ge=0, lt=2**53)]
    minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    origin: dict[str, Any]
    taught: Annotated[int, Field(ge=0, lt=2**53)] | None = None  # see `Learner`
    verdict: str = ""  # on a finished agent, against the one it started from


def agent_of(network: Network, config: LearnConfig, info: GameInfo, *, deterministic: bool) -> PolicyAgent:
    """Return an agent that plays by a copy of a network, such as a learner's average, while that goes on learning."""
    advisor = make_advisor(config.learn.advice, info, config.learn.advice_level)
    return PolicyAgent(copy.deepcopy(network), deterministic=deterministic, advisor=advisor)


def sizes_of(config: LearnConfig) -> NetworkSizes:
    """Return the network sizes that a configuration asks for."""
    section = config.learn
    outcomes = OUTCOMES if section.outcomes else 1
    return NetworkSizes(**config.network.model_dump(), outcomes=outcomes, advice=section.advice_level)


def header_of(learner: Learner, config: LearnConfig, game: Game, minutes: float, verdict: str = "") -> Header:
    """Return the header of a checkpoint of a learner."""
    info = GameInfo.of(game)
    state = LearnState(
        trainer="learn",
        config=config.model_dump(mode="json"),
        decisions=learner.decisions,
        updates=learner.updates,
        minutes=minutes,
        origin={**origin_of(info), "processes": learner.team.size},
        taught=learner.taught,
        verdict=verdict,
    )
    return Header(describe(info), sizes_of(config), state.model_dump(), config.learn.advice)


def save_learner(folder: CheckpointFolder, learner: Learner, config: LearnConfig, game: Game, minutes: float) -> None:
    """Write a checkpoint to resume from: average, network, optimizer and counts. Games in progress are not saved.

    Raises:
        ValueError: training has diverged; the earlier checkpoints are kept.
    """
    parts = {
        POLICY: learner.averaged.state_dict(),
        LEARNER: learner.network.state_dict(),
        OPTIMIZER: optimizer_tensors(learner.optimizer),
    }
    header = header_of(learner, config, game, minutes)
    path = folder.next_path(learner.decisions)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_safely(path, packed(header, parts))
    folder.prune(path)


def restore_learner(path: Path, learner: Learner, config: LearnConfig, game: Game) -> float:
    """Restore a learner from a checkpoint; return the minutes trained so far.

    Raises:
        ValueError: the checkpoint is damaged, or belongs to the other trainer, another game, another network or another
            learning curve; in expert iteration, to other horizons or another number of processes.
    """
    checkpoint, info, name = read_checkpoint(path), GameInfo.of(game), named(path)
    check_trainer(checkpoint.header.training, "learn", name)
    state = read_model(LearnState, checkpoint.header.training, f"the checkpoint {name}: training")
    for section in KEPT_FIXED:
        if state.config.get(section) != config.model_dump(mode="json")[section]:
            raise ValueError(
                f"{name} was trained with another section [{section}] than the configuration has now: "
                "restore that section, or start a new run without --resume"
            )
    _check_inputs(checkpoint.header, config, name)
    if config.curve is not None:
        noted = path.parents[1] / MEASURED  # a checkpoint says nothing of points before a session without [curve]
        found = read_json(noted) if noted.exists() else state.config.get("curve")
        _check_curve(found, config.curve, named(path.parents[1]))
    if config.expert is not None:
        _check_horizons(state.config.get("expert"), config.expert, name)
        _check_processes(state.origin.get("processes"), learner.team.size, name)
    check_game(checkpoint, info)
    for network, part in ((learner.averaged, POLICY), (learner.network, LEARNER)):
        network.load_state_dict(read_network(checkpoint, part, info).state_dict())
    try:
        restore_optimizer(learner.optimizer, tensors_of(checkpoint.parts.get(OPTIMIZER, {})))
    except DAMAGED as error:
        raise damaged(path, error) from None
    learner.decisions, learner.updates, learner.taught = state.decisions, state.updates, state.taught
    return state.minutes


def load_start(config: LearnConfig, info: GameInfo) -> Network:
    """Return the network of the checkpoint that a configuration starts from.

    Raises:
        ValueError: it is damaged, or its agent was trained for another game or has another network.
    """
    path = start_path(config.learn.start, info)
    checkpoint = read_checkpoint(path)
    check_game(checkpoint, info)
    _check_inputs(checkpoint.header, config, named(path))
    return read_network(checkpoint, POLICY, info)


def start_path(start: str, info: GameInfo) -> Path:
    """Return the file that a configuration starts from.

    Raises:
        ValueError: `start` names the agent that comes with the game, but there is none.
    """
    if start != TRAINED:
        return Path(start)
    path = find_hook(info.game_id, TRAINED)
    if path is None:
        raise ValueError(f"start is {TRAINED!r}, but no trained agent comes with the game {info.game_id!r}")
    return Path(path)


# Indexed by `NetworkSizes.advice`.
KEYS_OF_ADVICE = "no advice", "advice alone", "advice and worths = true", "advice, worths = true and reasons = true"


def _check_inputs(header: Header, config: LearnConfig, name: str) -> None:
    """Refuse a network with other sizes or another advisor than the configuration's."""
    wanted, found = sizes_of(config), header.network
    if found.advice != wanted.advice:
        raise ValueError(
            f"the network in {name} takes {KEYS_OF_ADVICE[found.advice]} of [learn], but the configuration has "
            f"{KEYS_OF_ADVICE[wanted.advice]}"
        )
    if found != wanted:
        differing = [key for key, value in vars(wanted).items() if getattr(found, key) != value]
        listed = ", ".join(f"{key} {getattr(found, key)} in place of {getattr(wanted, key)}" for key in differing)
        raise ValueError(f"the network in {name} is not the one of the configuration: {listed}")
    if header.advice != config.learn.advice:
        raise ValueError(
            f"the network in {name} takes advice from {header.advice!r}, but the configuration says "
            f"advice = {config.learn.advice!r}"
        )


def _check_curve(found: Any, section: CurveSection, name: str) -> None:
    """Refuse another opponent or another way to choose: the points of a curve are compared with one another."""
    for key in FIXED_CURVE:
        wanted = getattr(section, key)
        value = found.get(key, wanted) if isinstance(found, dict) else wanted
        if value != wanted:
            raise ValueError(
                f"{name} has a curve with {key} = {value!r}, but the configuration says {wanted!r} in [curve]: "
                "restore it, or start a new run without --resume"
            )


def _check_horizons(found: Any, section: ExpertSection, name: str) -> None:
    """Refuse other horizons: the labels of all rounds are learned together."""
    horizons = found.get("horizons", section.horizons) if isinstance(found, dict) else section.horizons
    if horizons != section.horizons:
        raise ValueError(
            f"{name} has labels with horizons = {horizons}, but the configuration says {section.horizons} in [expert]: "
            "restore them, or start a new run without --resume"
        )


def _check_processes(found: Any, wanted: int, name: str) -> None:
    """Refuse another number of processes: each learns from its own label files of all rounds."""
    if found != wanted:
        raise ValueError(
            f"{name} is of expert iteration with {found} process{'es' * (found != 1)}, and there "
            f"{'is 1' if wanted == 1 else f'are {wanted}'} now: resume it with as many as it began with"
        )


def save_weights(
    path: Path, learner: Learner, config: LearnConfig, game: Game, minutes: float, verdict: str = ""
) -> None:
    """Write the weights that play, without what only training needs.

    Raises:
        ValueError: training has diverged.
    """
    header = header_of(learner, config, game, minutes, verdict)
    write_safely(path, packed(header, {POLICY: learner.averaged.state_dict()}))


def save_finished(path: Path, learner: Learner, config: LearnConfig, game: Game, minutes: float, verdict: str) -> None:
    """Write the model card, then the finished agent: once its file exists, the run is complete."""
    header = header_of(learner, config, game, minutes, verdict)
    write_safely(card_path(path), card_of_learner(header, learner.averaged, path.name).encode())
    save_weights(path, learner, config, game, minutes, verdict)
