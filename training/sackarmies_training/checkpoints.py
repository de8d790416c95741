"""Checkpoints of a training run: everything needed to resume, written whole, and found again after a crash."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import numpy as np
import torch
from pydantic import Field

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.layout import describe, layout_hash
from sackarmies_agents.learned.checkpoint import DAMAGED, POLICY, Header, damaged, pack, read_checkpoint
from sackarmies_agents.learned.network import Network
from sackarmies_agents.learned.policy_agent import PolicyAgent, read_network
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_agents.learned.tensors import Tensors, arrays_of, tensors_of
from sackarmies_env import __version__
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.safe_read import named
from sackarmies_env.core.validation import StrictModel, read_model
from sackarmies_training.config import MAX_POOL, TrainConfig
from sackarmies_training.divergence import refuse_diverged
from sackarmies_training.files import next_run_folder, run_folders
from sackarmies_training.model_cards import card_of_ppo, card_path

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

    from sackarmies_training.selfplay_env import SelfPlayEnv

OPTIMIZER = "optimizer"
TORCH_RNG = "torch_rng"
SUFFIX = ".safetensors"
CHECKPOINT = f"checkpoint{SUFFIX}"  # the trained agent, in the folder of its run
OLD_SUFFIX = ".zip"  # of the checkpoints of earlier versions
DIGITS = 9  # of the number of decisions in a checkpoint's name, at least
MOMENTS = {"step", "exp_avg", "exp_avg_sq"}  # what Adam remembers of a parameter
TWISTER = 624  # words of the key of a Mersenne Twister
Word = Annotated[int, Field(ge=0, lt=2**32)]
NAME = re.compile(rf"[0-9]{{{DIGITS}}}{re.escape(SUFFIX)}|[1-9][0-9]{{{DIGITS},}}{re.escape(SUFFIX)}")
KEPT_FIXED = ("game", "network")  # sections that a run cannot change halfway


def past_part(number: int) -> str:
    """Return the name of the checkpoint part that holds a snapshot."""
    return f"past-{number:03d}"


def network_sizes(config: TrainConfig) -> NetworkSizes:
    """Return the network sizes that a configuration asks for."""
    return NetworkSizes(**config.network.model_dump())


def origin_of(info: GameInfo) -> dict[str, Any]:
    """Return what a checkpoint says of its origin: the hash of the game's layout, and versions."""
    return {
        "layout_sha256": layout_hash(info),
        "sackarmies_env": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
    }


def network_of(model: MaskablePPO) -> Network:
    """Return the network that a learner trains."""
    return cast(Network, model.policy.network)


def save_run(path: Path, model: MaskablePPO, env: SelfPlayEnv, config: TrainConfig, minutes: float) -> None:
    """Write the state of a run: policy, optimizer, steps, pool, random generators, configuration, origin.

    Games in progress are not saved; a resumed run starts new ones. Nor is the generator of a GPU, which starts anew.

    Raises:
        ValueError: training has diverged.
    """
    parts: dict[str, Tensors] = {
        POLICY: network_of(model).state_dict(),
        OPTIMIZER: optimizer_tensors(model.policy.optimizer),
        TORCH_RNG: {"state": torch.get_rng_state()},
    }
    for number, agent in enumerate(env.pool.snapshots):
        parts[past_part(number)] = agent.network.state_dict()
    write_safely(path, packed(header_of(model, env, config, minutes), parts))


def save_finished(path: Path, model: MaskablePPO, env: SelfPlayEnv, config: TrainConfig, minutes: float) -> None:
    """Write the model card, then the finished agent, without what only training needs.

    Raises:
        ValueError: training has diverged.
    """
    network, header = network_of(model), header_of(model, env, config, minutes)
    content = packed(header, {POLICY: network.state_dict()})
    write_safely(card_path(path), card_of_ppo(header, network, path.name).encode())
    write_safely(path, content)


def header_of(model: MaskablePPO, env: SelfPlayEnv, config: TrainConfig, minutes: float) -> Header:
    """Return the header of a checkpoint of a run, see `TrainingState`."""
    twister: Any = np.random.get_state(legacy=False)
    training = {
        "config": config.model_dump(mode="json"),
        "decisions": model.num_timesteps,
        "updates": model._n_updates,
        "minutes": minutes,
        "origin": origin_of(GameInfo.of(env.batch.game)),
        "snapshots": len(env.pool.snapshots),
        "points": env.pool.points,
        "env_rng": env.rng.bit_generator.state,
        "numpy_rng": {
            "key": twister["state"]["key"].tolist(),
            "pos": twister["state"]["pos"],
            "has_gauss": twister["has_gauss"],
            "gauss": twister["gauss"],
        },
    }
    return Header(describe(GameInfo.of(env.batch.game)), network_sizes(config), training)


def packed(header: Header, parts: Mapping[str, Tensors]) -> bytes:
    """Return a checkpoint of a run as bytes.

    Args:
        header: what it contains and was trained for.
        parts: name of a part -> its tensors by name.

    Raises:
        ValueError: training has diverged, or the checkpoint would be larger than one may be.
    """
    for tensors in parts.values():
        refuse_diverged(tensors.values())
    return pack(header, {part: arrays_of(tensors) for part, tensors in parts.items()})


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    """Return what an optimizer remembers of each parameter, by the parameter's number and a name: `3/exp_avg`.

    Its settings come from the configuration, and its learning rate follows the clock: neither is saved.
    """
    states = optimizer.state_dict()["state"]
    return {f"{number}/{name}": value for number, state in states.items() for name, value in state.items()}


class PCGWords(StrictModel):
    """Position of NumPy's generator PCG64."""

    state: Annotated[int, Field(ge=0, lt=2**128)]
    inc: Annotated[int, Field(ge=0, lt=2**128)]


class PCGState(StrictModel):
    """State of NumPy's generator PCG64."""

    bit_generator: Literal["PCG64"]
    state: PCGWords
    has_uint32: Annotated[int, Field(ge=0, le=1)]
    uinteger: Word


class TwisterState(StrictModel):
    """State of NumPy's global generator; NumPy would read out of bounds at a `pos` outside the key."""

    key: Annotated[tuple[Word, ...], Field(strict=False, min_length=TWISTER, max_length=TWISTER)]
    pos: Annotated[int, Field(ge=0, le=TWISTER)]
    has_gauss: Annotated[int, Field(ge=0, le=1)]
    gauss: Annotated[float, Field(allow_inf_nan=False)]


class TrainingState(StrictModel):
    """State of a training run, as in the header of a checkpoint, see `save_run`."""

    config: dict[str, Any]
    decisions: Annotated[int, Field(ge=0, lt=2**53)]
    updates: Annotated[int, Field(ge=0, lt=2**53)]
    minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    snapshots: Annotated[int, Field(ge=0, le=MAX_POOL)]
    points: dict[str, Annotated[float, Field(ge=0, le=1)]]
    origin: dict[str, Any] = Field(default_factory=dict)  # empty in checkpoints of earlier versions
    env_rng: PCGState
    numpy_rng: TwisterState


def check_trainer(training: Mapping[str, Any], section: str, name: str) -> None:
    """Refuse a checkpoint of the other trainer.

    Args:
        training: state of the run in the checkpoint's header.
        section: section of the configuration that chooses the trainer, `learn` or `ppo`.
        name: the checkpoint, for the message.

    Raises:
        ValueError: the trainer of another section wrote it.
    """
    found = training.get("trainer", "ppo")  # only the trainer of [learn] says which it is
    if found != section:
        raise ValueError(
            f"{name} is from the trainer of the section [{found}], but the configuration has a section [{section}]: "
            "restore that section, or start a new run without --resume"
        )


def restore_run(path: Path, model: MaskablePPO, env: SelfPlayEnv, config: TrainConfig) -> float:
    """Restore model and environment from a checkpoint; return the minutes trained so far.

    Raises:
        ValueError: the checkpoint is damaged, or belongs to the other trainer, another game or another network.
    """
    checkpoint = read_checkpoint(path)
    name = named(path)
    check_trainer(checkpoint.header.training, "ppo", name)
    training = read_model(TrainingState, checkpoint.header.training, f"the checkpoint {name}: training")
    for section in KEPT_FIXED:
        if training.config.get(section) != config.model_dump(mode="json")[section]:
            raise ValueError(
                f"{name} was trained with another section [{section}] than the configuration has now: "
                "restore that section, or start a new run without --resume"
            )
    info = GameInfo.of(env.batch.game)
    if checkpoint.header.game != describe(info):
        raise ValueError(f"{name} was trained for another version of the game: start a new run without --resume")
    network_of(model).load_state_dict(read_network(checkpoint, POLICY, info).state_dict())
    for number in range(training.snapshots):
        env.pool.add_snapshot(PolicyAgent(read_network(checkpoint, past_part(number), info).to(model.device)))
    env.pool.points.update({name: points for name, points in training.points.items() if name in env.pool.points})
    torch_state = tensors_of(checkpoint.part(TORCH_RNG))
    try:
        moments = tensors_of(checkpoint.parts.get(OPTIMIZER, {}))  # none before its first step
        restore_optimizer(model.policy.optimizer, moments)
        _restore_chance(env, training, torch_state)
    except DAMAGED as error:
        raise damaged(path, error) from None
    model.num_timesteps = training.decisions
    model._n_updates = training.updates
    return training.minutes


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Restore the state of an optimizer.

    Raises:
        ValueError: the state does not fit its parameters.
    """
    states: dict[int, Tensors] = {}
    for key, value in tensors.items():
        place, _, name = key.partition("/")
        states.setdefault(int(place), {})[name] = value
    parameters: list[torch.Tensor] = [one for group in optimizer.param_groups for one in group["params"]]
    for number, moments in states.items():
        if not 0 <= number < len(parameters) or set(moments) != MOMENTS:
            raise ValueError(f"{OPTIMIZER}: not the state of Adam for this network")
        for moment, value in moments.items():
            wanted = torch.Size() if moment == "step" else parameters[number].shape
            if value.shape != wanted or value.dtype != torch.float32:
                raise ValueError(f"{OPTIMIZER}: {moment} does not fit parameter {number}")
    optimizer.load_state_dict(optimizer.state_dict() | {"state": states})


def _restore_chance(env: SelfPlayEnv, training: TrainingState, torch_state: Tensors) -> None:
    """Restore the state of all random generators."""
    env.rng.bit_generator.state = training.env_rng.model_dump()
    twister = training.numpy_rng
    key = np.array(twister.key, np.uint32)
    np.random.set_state(("MT19937", key, twister.pos, twister.has_gauss, twister.gauss))
    torch.set_rng_state(torch_state["state"])


def is_intact(path: Path, say: Callable[[str], None]) -> bool:
    """Return whether a checkpoint can be read; if not, `say` is called with the reason."""
    try:
        read_checkpoint(path)
    except ValueError as error:
        say(f"{error}: skipping it")
        return False
    return True


class CheckpointFolder:
    """The latest checkpoints of a run, named by decisions: `000120000.safetensors`."""

    def __init__(self, folder: Path, keep: int) -> None:
        self.folder = folder
        self._keep = keep

    def paths(self) -> list[Path]:
        """Return the checkpoints, oldest first; files with other names are ignored."""
        found = [path for path in self.folder.glob(f"*{SUFFIX}") if NAME.fullmatch(path.name) and path.is_file()]
        return sorted(found, key=decisions_of)

    def next_path(self, decisions: int) -> Path:
        """Return the path of a checkpoint after `decisions` decisions."""
        return self.folder / f"{decisions:0{DIGITS}d}{SUFFIX}"

    def prune(self, newest: Path) -> None:
        """Remove all but the latest checkpoints.

        Args:
            newest: the one just written or resumed from. Later ones are removed: they were damaged and passed over.
        """
        paths = self.paths()
        later = [path for path in paths if decisions_of(path) > decisions_of(newest)]
        for path in [*later, *paths[: len(paths) - len(later)][: -self._keep]]:
            path.unlink()

    def latest_intact(self, say: Callable[[str], None]) -> Path | None:
        """Find the newest checkpoint that can be read; `say` is called with a sentence for each damaged one.

        Returns:
            Its path; None if there are no checkpoints at all.

        Raises:
            ValueError: all are damaged, or of an earlier version.
        """
        paths = self.paths()
        if not paths:
            if any(path.stem.isdecimal() for path in self.folder.glob(f"*{OLD_SUFFIX}")):
                raise ValueError(
                    f"the checkpoints in {named(self.folder)} are {OLD_SUFFIX} files of an earlier version, which "
                    "cannot be read: start a new run without --resume"
                )
            return None
        for path in reversed(paths):
            if is_intact(path, say):
                return path
        raise ValueError(
            f"all {len(paths)} checkpoints in {named(self.folder)} are damaged: start a new run without --resume"
        )


def decisions_of(path: Path) -> int:
    """Return the number of decisions in a checkpoint's name."""
    return int(path.stem)


def open_folder(name: str, *, resume: bool) -> Path:
    """Return the folder of a run: a new one, or the latest one to resume.

    Args:
        name: folder named in the configuration.
        resume: whether to resume the latest run.

    Raises:
        ValueError: there is no run to resume.
    """
    if not resume:
        folder = next_run_folder(Path(name))
        folder.mkdir(parents=True)
        return folder
    for run in reversed(run_folders(Path(name))):
        if run.name == Path(name).name or Path(configured_folder(run) or name).name != run.name:
            return run
    raise ValueError(f"there is no run in {name} to resume: start without --resume")


def configured_folder(run: Path) -> str | None:
    """Return the `folder` of the configuration that a run has, as its checkpoints say; None if none of them does.

    `runs/a-2` may be the second run of a configuration with `folder = "runs/a"` or the first one of another.
    """
    for path in (run / CHECKPOINT, *reversed(CheckpointFolder(run / "checkpoints", 1).paths())):
        try:
            return str(read_checkpoint(path).header.training["config"]["folder"])
        except (ValueError, LookupError, TypeError):
            continue
    return None
