"""Checkpoints of a training run: everything needed to go on, written whole, and found again after a crash."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import torch
from pydantic import Field
from sb3_contrib import MaskablePPO

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.checkpoint import POLICY, Header, check, describe, pack, read_header, read_member
from sackarmies_agents.learned.network import Network, NetworkSizes
from sackarmies_agents.learned.policy_agent import PolicyAgent, read_network
from sackarmies_agents.learned.tensors import DAMAGED
from sackarmies_env.core.files import write_safely
from sackarmies_env.core.tables import Strict, read_model
from sackarmies_env.core.words import cut, printable
from sackarmies_training.config import TrainConfig
from sackarmies_training.selfplay_env import SelfPlayEnv

OPTIMIZER = "optimizer.pt"
TORCH_RNG = "torch_rng.pt"
KEPT_FIXED = ("game", "network")  # sections that a run cannot change halfway


def past_member(number: int) -> str:
    """Return the name of a snapshot in a checkpoint."""
    return f"past-{number:03d}.pt"


def network_sizes(config: TrainConfig) -> NetworkSizes:
    """Return the sizes that a configuration asks for."""
    return NetworkSizes(**config.network.model_dump())


def network_of(model: MaskablePPO) -> Network:
    """Return the network that a learner trains."""
    return cast(Network, model.policy.network)


def save_run(path: Path, model: MaskablePPO, env: SelfPlayEnv, config: TrainConfig, minutes: float) -> None:
    """Write the state of a run: policy, optimizer, steps, pool, random numbers, configuration.

    Games under way are not kept; a run that goes on begins new ones.
    """
    snapshots = env.pool.snapshots
    name, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)
    training = {
        "config": config.model_dump(mode="json"),
        "decisions": model.num_timesteps,
        "updates": model._n_updates,
        "minutes": minutes,
        "snapshots": len(snapshots),
        "points": env.pool.points,
        "env_rng": env.rng.bit_generator.state,
        "numpy_rng": [name, np.asarray(keys).tolist(), position, has_gauss, gauss],
    }
    others = {OPTIMIZER: model.policy.optimizer.state_dict(), TORCH_RNG: {"state": torch.get_rng_state()}}
    for number, agent in enumerate(snapshots):
        others[past_member(number)] = agent.network.state_dict()
    header = Header(describe(GameInfo.of(env.batch.game)), network_sizes(config), training)
    write_safely(path, pack(header, network_of(model).state_dict(), others))


class TrainingState(Strict):
    """State of a training run as it stands in the header of a checkpoint, see `save_run`."""

    config: dict[str, Any]
    decisions: Annotated[int, Field(ge=0, lt=2**53)]
    updates: Annotated[int, Field(ge=0, lt=2**53)]
    minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    snapshots: Annotated[int, Field(ge=0, le=1000)]
    points: dict[str, Annotated[float, Field(ge=0, le=1)]]
    env_rng: dict[str, Any]
    numpy_rng: Annotated[list[Any], Field(min_length=5, max_length=5)]


def restore_run(path: Path, model: MaskablePPO, env: SelfPlayEnv, config: TrainConfig) -> float:
    """Bring a fresh model and environment to the state of a checkpoint; return the minutes trained so far.

    Raises:
        ValueError: the checkpoint is damaged, or belongs to another game or network.
    """
    header = read_header(path)
    training = read_model(TrainingState, header.training, f"the checkpoint {path}: training")
    for section in KEPT_FIXED:
        if training.config.get(section) != config.model_dump(mode="json")[section]:
            raise ValueError(
                f"{path} was trained with another section [{section}] than the configuration has now: "
                "restore that section, or start a new run without --resume"
            )
    info = GameInfo.of(env.batch.game)
    if header.game != describe(info):
        raise ValueError(f"{path} was trained for another version of the game: start a new run without --resume")
    network_of(model).load_state_dict(read_network(path, POLICY, info, header.network).state_dict())
    for number in range(training.snapshots):
        env.pool.add_snapshot(PolicyAgent(read_network(path, past_member(number), info, header.network)))
    env.pool.points.update({name: points for name, points in training.points.items() if name in env.pool.points})
    try:
        _restore_optimizer(model.policy.optimizer, read_member(path, OPTIMIZER))
        _restore_chance(env, training, read_member(path, TORCH_RNG))
    except DAMAGED as error:
        raise ValueError(f"the checkpoint {path} is damaged ({cut(printable(error))})") from None
    model.num_timesteps = training.decisions
    model._n_updates = training.updates
    return training.minutes


def _restore_optimizer(optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Bring a fresh optimizer to a saved state.

    Raises:
        ValueError: the state is not that of these parameters.
    """
    optimizer.load_state_dict(state)
    for parameter, moments in optimizer.state.items():
        for name, value in moments.items():
            if not isinstance(value, torch.Tensor) or value.shape not in (parameter.shape, ()):
                raise ValueError(f"{OPTIMIZER}: {name} does not fit its parameter")


def _restore_chance(env: SelfPlayEnv, training: TrainingState, torch_state: dict[str, Any]) -> None:
    """Bring all random numbers to a saved state."""
    env.rng.bit_generator.state = training.env_rng
    name, keys, *rest = training.numpy_rng
    np.random.set_state((name, np.array(keys, np.uint32), *rest))
    torch.set_rng_state(torch_state["state"])


def is_intact(path: Path, say: Callable[[str], None]) -> bool:
    """Return whether a checkpoint can be read; if not, `say` is told why."""
    try:
        check(path)
    except ValueError as error:
        say(f"{error}: passing it over")
        return False
    return True


class CheckpointFolder:
    """The latest checkpoints of a run, named by decisions: `000120000.zip`."""

    def __init__(self, folder: Path, keep: int) -> None:
        self.folder = folder
        self._keep = keep

    def paths(self) -> list[Path]:
        """Return the checkpoints, oldest first."""
        return sorted(self.folder.glob("[0-9]*.zip"))

    def next_path(self, decisions: int) -> Path:
        """Return where a checkpoint after so many decisions goes."""
        return self.folder / f"{decisions:09d}.zip"

    def prune(self) -> None:
        """Remove all but the latest checkpoints."""
        for path in self.paths()[: -self._keep]:
            path.unlink()

    def latest_intact(self, say: Callable[[str], None]) -> Path | None:
        """Return the newest checkpoint that can be read; `say` is told of damaged ones that are passed over.

        Returns:
            Its file; None if there are no checkpoints at all.

        Raises:
            ValueError: all are damaged.
        """
        paths = self.paths()
        if not paths:
            return None
        for path in reversed(paths):
            if is_intact(path, say):
                return path
        raise ValueError(f"all {len(paths)} checkpoints in {self.folder} are damaged: start a new run without --resume")
