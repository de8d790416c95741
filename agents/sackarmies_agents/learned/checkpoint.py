"""Checkpoint files: a zip of JSON and torch tensors, without pickled code, so that reading one runs nothing.

`checkpoint.json` says what the General was trained for; `policy.pt` holds its network. What training needs to go on
lies beside them and is none of an agent's business.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.network import NetworkSizes

FORMAT = 1
HEADER = "checkpoint.json"
POLICY = "policy.pt"
# What a damaged archive or member has been seen or is documented to raise.
DAMAGED = (zipfile.BadZipFile, EOFError, OSError, KeyError, ValueError, RuntimeError, TypeError, pickle.UnpicklingError)


@dataclass(frozen=True)
class Header:
    """What a checkpoint is of.

    Attributes:
        game: sizes and layouts of the game trained for, as from `describe`.
        network: sizes of the network.
        training: state of the training run as plain data; empty in a General that is not to be trained on.
    """

    game: dict[str, Any]
    network: NetworkSizes
    training: dict[str, Any]


def describe(info: GameInfo) -> dict[str, Any]:
    """Return what must be equal for a policy to play a game, as plain data."""
    spec = info.observation_spec
    blocks = {block.name: [block.rows, [feature.name for feature in block.features]] for block in spec.blocks}
    return {
        "id": info.game_id,
        "num_players": info.num_players,
        "num_actions": info.num_actions,
        "num_types": info.num_types,
        "radius": info.radius,
        "observation": blocks,
    }


def pack(header: Header, policy: dict[str, Any], others: dict[str, dict[str, Any]]) -> bytes:
    """Return a checkpoint as bytes.

    Args:
        header: what it is of.
        policy: state of the network.
        others: further members by name, each a dict that torch can save.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(HEADER, json.dumps({"format": FORMAT, **asdict(header)}, indent=1))
        for name, tensors in {POLICY: policy, **others}.items():
            member = io.BytesIO()
            torch.save(tensors, member)
            archive.writestr(name, member.getvalue())
    return buffer.getvalue()


def read_header(path: Path) -> Header:
    """Return what a checkpoint is of.

    Raises:
        ValueError: the file is missing, damaged, or of another format.
    """
    data = json.loads(_member(path, HEADER))
    if data.pop("format", None) != FORMAT:
        raise ValueError(f"{path} has another format than this version reads ({FORMAT}): train anew")
    try:
        return Header(data["game"], NetworkSizes(**data["network"]), data["training"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is no checkpoint that this version reads: {error} in {HEADER}") from None


def read_member(path: Path, name: str) -> dict[str, Any]:
    """Return a member with tensors.

    Raises:
        ValueError: the file is missing or damaged.
    """
    content = _member(path, name)
    try:
        tensors: dict[str, Any] = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except DAMAGED as error:
        raise _damaged(path, error) from None
    return tensors


def check(path: Path) -> None:
    """Read all of a checkpoint.

    Raises:
        ValueError: the file is missing or damaged.
    """
    read_header(path)
    try:
        with zipfile.ZipFile(path) as archive:
            broken = archive.testzip()
    except DAMAGED as error:
        raise _damaged(path, error) from None
    if broken is not None:
        raise _damaged(path, f"{broken} does not match its checksum")


def _member(path: Path, name: str) -> bytes:
    if not path.is_file():
        raise ValueError(f"there is no checkpoint {path}")
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(name)
    except DAMAGED as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: object) -> ValueError:
    return ValueError(f"the checkpoint {path} is damaged ({error})")
