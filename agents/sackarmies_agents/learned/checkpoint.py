"""Checkpoint files: a zip of JSON and torch tensors, without pickled code, so that reading one runs nothing.

`checkpoint.json` says what the General was trained for; `policy.pt` holds its network. What training needs to go on
lies beside them and is none of an agent's business.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import torch

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.network import NetworkSizes
from sackarmies_agents.learned.tensors import DAMAGED, MAX_REASON, check_archive, load_tensors
from sackarmies_env.core.reading import parse_json
from sackarmies_env.core.tables import Strict, read_model
from sackarmies_env.core.words import cut, listed, printable, told

FORMAT = 1
HEADER = "checkpoint.json"
POLICY = "policy.pt"


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


class HeaderFile(Strict):
    """What `checkpoint.json` holds."""

    format: Literal[1]
    game: dict[str, Any]
    network: dict[str, int]
    training: dict[str, Any]


def read_header(path: Path) -> Header:
    """Return what a checkpoint is of.

    Raises:
        ValueError: the file is missing, damaged, or of another format.
    """
    content = _member(path, HEADER)
    name = f"the checkpoint {printable(path)}: {HEADER}"
    try:
        data = parse_json(content.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        raise _damaged(path, error) from None
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        raise ValueError(f"{name} has the format {told(found)}, but this version reads {FORMAT}: train anew")
    read = read_model(HeaderFile, data, name)
    known = [field.name for field in fields(NetworkSizes)]
    for key in read.network:
        if key not in known:
            raise ValueError(f"{name}: network: unknown key {told(key)}; allowed are {listed(known)}")
    try:
        return Header(read.game, NetworkSizes(**read.network), read.training)
    except ValueError as error:
        raise ValueError(f"{name}: network: {error}") from None


def read_member(path: Path, name: str) -> dict[str, Any]:
    """Return a member with tensors.

    Raises:
        ValueError: the file is missing or damaged, or the member holds more than tensors.
    """
    content = _member(path, name)
    try:
        return load_tensors(content)
    except ValueError as error:
        raise _damaged(path, f"{name}: {error}") from None


def check(path: Path) -> None:
    """Read all of a checkpoint.

    Raises:
        ValueError: the file is missing or damaged.
    """
    read_header(path)
    try:
        with _opened(path) as archive:
            broken = archive.testzip()
    except DAMAGED as error:
        raise _damaged(path, error) from None
    if broken is not None:
        raise _damaged(path, f"{broken} does not match its checksum")


def _opened(path: Path) -> zipfile.ZipFile:
    """Open a checkpoint whose members are what they claim to be."""
    archive = zipfile.ZipFile(path)
    try:
        check_archive(archive, path.stat().st_size)
    except BaseException:
        archive.close()
        raise
    return archive


def _member(path: Path, name: str) -> bytes:
    if not os.path.isfile(path):
        raise ValueError(f"there is no checkpoint {printable(path)}")
    try:
        with _opened(path) as archive:
            return archive.read(name)
    except DAMAGED as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: object) -> ValueError:
    return ValueError(f"the checkpoint {printable(path)} is damaged ({cut(printable(error), MAX_REASON)})")
