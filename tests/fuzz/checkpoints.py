"""Checkpoints, their members and saved states: valid ones, and how to damage them from within."""

from __future__ import annotations

import functools
import io
import json
import tempfile
import zipfile
import zlib
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.checkpoint import HEADER, POLICY, Header, describe, pack, read_member
from sackarmies_agents.learned.checkpoint import check as check_file
from sackarmies_agents.learned.network import NetworkSizes
from sackarmies_agents.learned.policy_agent import PolicyAgent, load_agent, make_network
from sackarmies_env.envs.snapshot import MAGIC, pack_state, unpack_state
from tests.core.toy_game import make_duel
from tests.fuzz.mutators import mutate_bytes, mutate_data

OPTIMIZER = "optimizer.pt"


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
    content = pack(
        Header(describe(info()), sizes, {"decisions": 7}), network.state_dict(), {OPTIMIZER: optimizer.state_dict()}
    )
    return content if not changes else with_header(content, lambda header: header | changes)


def members_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive_of(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def with_header(content: bytes, change: Any) -> bytes:
    """Return a checkpoint with another header."""
    members = members_of(content)
    members[HEADER] = json.dumps(change(json.loads(members[HEADER]))).encode("utf-8", "surrogatepass")
    return archive_of(members)


def with_member(content: bytes, name: str, member: bytes) -> bytes:
    """Return an archive with another member, checksums in order."""
    return archive_of({**members_of(content), name: member})


@functools.cache
def _seeds() -> tuple[bytes, ...]:
    return checkpoint(2), checkpoint(4)


def seeds() -> list[Any]:
    return list(_seeds())


def damage(rng: Random, content: bytes, other: bytes) -> bytes:
    """Damage a checkpoint from without, or a part of it with all checksums put right."""
    kind = rng.randrange(5)
    if kind == 0:
        return mutate_bytes(rng, content, other)
    if kind == 1:
        return with_header(content, lambda header: mutate_data(rng, header, json.loads(members_of(other)[HEADER])))
    name = rng.choice((HEADER, POLICY, OPTIMIZER))
    member, theirs = members_of(content)[name], members_of(other)[name]
    if kind == 2 or name == HEADER:
        return with_member(content, name, mutate_bytes(rng, member, theirs))
    inner = rng.choice(
        ("archive/data.pkl", "archive/data.pkl", "archive/data/0", "archive/byteorder", "archive/version")
    )
    changed = mutate_bytes(rng, members_of(member)[inner], members_of(theirs)[inner])
    if kind == 3:
        return with_member(content, name, with_member(member, inner, changed))
    return archive_of(
        {**members_of(content), "x" * rng.randrange(1, 3): changed}, rng.choice((0, zipfile.ZIP_DEFLATED))
    )


def read(path: Path) -> PolicyAgent:
    agent = load_agent(path, info())
    check_file(path)
    return agent


def check_agent(agent: PolicyAgent) -> None:
    observations = np.zeros((3, info().observation_spec.size), np.int8)
    masks = np.zeros((3, info().num_actions), np.int8)
    masks[:, 1:4] = 1
    assert set(agent.act_batch(observations, masks).tolist()) <= {1, 2, 3}


# --- tensors


def tensor_seeds() -> list[Any]:
    return [members_of(content)[name] for content in seeds() for name in (POLICY, OPTIMIZER)]


def read_tensors(content: bytes) -> dict[str, Any]:
    """Read tensors as a member of a checkpoint, which its messages name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoint.zip"
        path.write_bytes(archive_of({POLICY: content}))
        return read_member(path, POLICY)


def check_tensors(loaded: dict[str, Any]) -> None:
    assert all(isinstance(key, str) for key in loaded)


# --- saved states


@functools.cache
def _snapshots() -> tuple[bytes, ...]:
    game = make_duel(2)
    states = game.new_states(1)
    game.start(states, 1, "", ())
    return tuple(pack_state(game, {"agents": [], "seed": 1}, states.tobytes(), history) for history in ([], [3, 5]))


def snapshot_seeds() -> list[Any]:
    return list(_snapshots())


def read_snapshot(data: bytes) -> Any:
    """Read a saved state; half of them with the checksum put right, so that what is behind it is looked at."""
    if len(data) % 2 and data.startswith(MAGIC):
        body = data.partition(b"\n")[2]
        data = MAGIC + b"%08x\n" % zlib.crc32(body) + body
    return unpack_state(make_duel(2), data)


def check_snapshot(unpacked: Any) -> None:
    _, state, history = unpacked
    assert len(state) == make_duel(2).state_dtype.itemsize
    assert all(isinstance(action, int) for action in history)
