"""Checkpoints, resumable runs and saved states: valid ones, and ways to damage them from within."""

from __future__ import annotations

import functools
import json
import tempfile
import zlib
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import safetensors.numpy
import torch
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.layout import describe
from sackarmies_agents.learned.checkpoint import CHECKSUM, HEADER, POLICY, Arrays, Header, checksum, pack
from sackarmies_agents.learned.learned_agent import LearnedAgent
from sackarmies_agents.learned.load import load_agent
from sackarmies_agents.learned.policy_agent import make_network
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_agents.learned.tensors import arrays_of
from sackarmies_env.envs.snapshot import MAGIC, pack_state, unpack_state
from sackarmies_training.checkpoints import OPTIMIZER, optimizer_tensors, restore_run, save_run
from sackarmies_training.progress import Clock
from sackarmies_training.train_ppo import make_env, make_model
from tests.core.toy_game import make_duel
from tests.fuzz.mutators import mutate_bytes, mutate_data
from tests.training.test_train import make_config

LENGTH = 8  # bytes of a file that hold the length of its table
SHAPES = ((0,), (1,), (2, 0), (3, 5), (10**9, 0))
KINDS = (np.uint8, np.bool_, np.int64, np.uint16, np.float16, np.float64, np.complex64)


@functools.cache
def info() -> GameInfo:
    return GameInfo.of(make_duel(2))


def checkpoint(hidden: int, **changes: Any) -> bytes:
    """Return a checkpoint of a small network; `changes` replace keys of its header."""
    torch.manual_seed(hidden)
    sizes = NetworkSizes(hidden=hidden)
    network = make_network(info(), sizes)
    optimizer = torch.optim.Adam(network.parameters())
    for parameter in network.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    header = Header(describe(info()), sizes, {"decisions": 7})
    parts = {POLICY: network.state_dict(), OPTIMIZER: optimizer_tensors(optimizer)}
    content = pack(header, {part: arrays_of(tensors) for part, tensors in parts.items()})
    return content if not changes else with_header(content, lambda header: header | changes)


def tensors_of(content: bytes) -> Arrays:
    return safetensors.numpy.load(content)


def sealed(tensors: Arrays) -> bytes:
    """Return a checkpoint of these tensors with a valid checksum."""
    tensors = {name: tensor for name, tensor in tensors.items() if name != CHECKSUM}
    return safetensors.numpy.save({**tensors, CHECKSUM: checksum(tensors)})


def with_tensor(content: bytes, name: str, tensor: NDArray[Any]) -> bytes:
    """Return the checkpoint with one tensor replaced or added."""
    return sealed({**tensors_of(content), name: tensor})


def as_tensor(content: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(content, np.uint8)


def with_header(content: bytes, change: Any) -> bytes:
    """Return the checkpoint with a changed header."""
    header = change(json.loads(header_of(content)))
    return with_tensor(content, HEADER, as_tensor(json.dumps(header).encode("utf-8", "surrogatepass")))


def table_of(content: bytes) -> tuple[bytes, bytes]:
    """Return a file's table of tensors, which is JSON, and everything after it."""
    end = LENGTH + int.from_bytes(content[:LENGTH], "little")
    return content[LENGTH:end], content[end:]


def with_table(content: bytes, table: bytes) -> bytes:
    """Return the file with another table of tensors and a matching length."""
    return len(table).to_bytes(LENGTH, "little") + table + table_of(content)[1]


@functools.cache
def _seeds() -> tuple[bytes, ...]:
    return checkpoint(2), checkpoint(4)


def seeds() -> list[Any]:
    return list(_seeds())


def damage(rng: Random, content: bytes, other: bytes) -> bytes:
    """Damage the bytes of a checkpoint, its table, or (with a valid checksum) its header or a tensor."""
    kind = rng.randrange(6)
    if kind == 0:
        return mutate_bytes(rng, content, other)
    if kind == 1:
        return with_header(content, lambda header: mutate_data(rng, header, json.loads(header_of(other))))
    if kind == 2:
        return with_tensor(content, HEADER, as_tensor(mutate_bytes(rng, header_of(content), header_of(other))))
    if kind == 3:
        return with_table(content, mutate_bytes(rng, table_of(content)[0], table_of(other)[0]))
    if kind == 4:
        table = mutate_data(rng, json.loads(table_of(content)[0]), json.loads(table_of(other)[0]))
        return with_table(content, json.dumps(table).encode("utf-8", "surrogatepass"))
    return with_tensor(content, *odd_tensor(rng, content, other))


def odd_tensor(rng: Random, content: bytes, other: bytes) -> tuple[str, NDArray[Any]]:
    """Return a name and a tensor that is damaged or does not belong there."""
    tensors, theirs = tensors_of(content), tensors_of(other)
    name = rng.choice(sorted(tensors))
    tensor = tensors[name]
    kind = rng.randrange(5)
    if kind == 0:
        return name, np.zeros(rng.choice(SHAPES), tensor.dtype)
    if kind == 1:
        return name, tensor.astype(rng.choice(KINDS))
    if kind == 2:
        return name, theirs[rng.choice(sorted(theirs))]
    if kind == 3:
        return rng.choice(("", "/", f"{name}/x", f"{OPTIMIZER}/99/step", f"{OPTIMIZER}/x/step", "\x1b[2J/x")), tensor
    return name, tensor if tensor.dtype == np.uint8 else np.full_like(tensor, rng.choice((1e38, np.nan, -np.inf)))


def header_of(content: bytes) -> bytes:
    return tensors_of(content)[HEADER].tobytes()


def read(path: Path) -> LearnedAgent:
    return load_agent(path, info())


def check_agent(agent: LearnedAgent) -> None:
    observations = np.zeros((3, info().observation_spec.size), np.int8)
    masks = np.zeros((3, info().num_actions), np.int8)
    masks[:, 1:4] = 1
    assert set(agent.act_batch(observations, masks).tolist()) <= {1, 2, 3}


# --- runs that are resumed


@functools.cache
def run() -> tuple[Any, Any, Any]:
    """Return the configuration, environment and model of a small training run."""
    config = make_config(Path("unused"), network={"hidden": 2})
    env = make_env(config, make_duel(2))
    return config, env, make_model(config, env, Clock(1, None))


@functools.cache
def _runs() -> tuple[bytes, ...]:
    config, env, model = run()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for minutes in (1.0, 2.0):
            for parameter in model.policy.parameters():
                parameter.grad = torch.ones_like(parameter)
            model.policy.optimizer.step()
            np.random.standard_normal()
            path = Path(folder) / "run.safetensors"
            save_run(path, model, env, config, minutes)
            found.append(path.read_bytes())
    return tuple(found)


def run_seeds() -> list[Any]:
    return list(_runs())


def read_run(path: Path) -> float:
    config, env, model = run()
    return restore_run(path, model, env, config)


def check_run(minutes: float) -> None:
    """Continue with what was restored, to check that nothing in it breaks its users."""
    _, env, model = run()
    assert minutes >= 0
    for parameter in model.policy.parameters():
        parameter.grad = torch.zeros_like(parameter)
    model.policy.optimizer.step()
    assert 0 <= np.random.random() < 1 and 0 <= env.rng.random() < 1 and 0 <= torch.rand(1).item() < 1


# --- saved states


@functools.cache
def _snapshots() -> tuple[bytes, ...]:
    game = make_duel(2)
    states = game.new_states(1)
    game.start(states, 1)
    return tuple(pack_state(game, {"agents": [], "seed": 1}, states.tobytes(), history) for history in ([], [3, 5]))


def snapshot_seeds() -> list[Any]:
    return list(_snapshots())


def read_snapshot(data: bytes) -> Any:
    """Read a saved state; half of them get a valid checksum, so that their content is read, too."""
    if len(data) % 2 and data.startswith(MAGIC):
        body = data.partition(b"\n")[2]
        data = MAGIC + b"%08x\n" % zlib.crc32(body) + body
    return unpack_state(make_duel(2), data)


def check_snapshot(unpacked: Any) -> None:
    _, state, history = unpacked
    assert len(state) == make_duel(2).state_dtype.itemsize
    assert all(isinstance(action, int) for action in history)
