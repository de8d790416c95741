"""Checkpoint files: safetensors and nothing else, so that reading one runs no code and claims no memory.

A checkpoint is a table of tensors by name. `checkpoint.json`, text as bytes, says what the agent was trained for;
`sha256` is the checksum of all other tensors. The rest are named by part and tensor, as in `policy/value.weight`. An
agent needs the part `policy`; the other parts are needed to resume training.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_env.core.messages import join, printable, quote, shorten
from sackarmies_env.core.safe_read import MAX_CHECKPOINT, named, parse_json, read_bytes
from sackarmies_env.core.validation import StrictModel, read_model

FORMAT = 2
HEADER = "checkpoint.json"
CHECKSUM = "sha256"
POLICY = "policy"
WANTED = "a checkpoint"  # in messages
MAX_TABLE = 2**20  # bytes of the table of tensors; a training run with 100 snapshots has half of that
LENGTH = 8  # bytes of a safetensors file that say how long its table is
MAX_REASON = 300  # characters of what is wrong with a file
# What the parser of tensors raises, as seen or documented, for a valid table that makes no tensors.
DAMAGED = (SafetensorError, LookupError, ValueError, RuntimeError, TypeError, ArithmeticError, AssertionError)

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Header:
    """What a checkpoint contains and was trained for.

    Attributes:
        game: sizes and layouts of the game trained for, as from `describe`.
        network: sizes of the network.
        training: state of the training run as plain data; empty in an agent that is not to be trained further.
        advice: text form of the agent whose choice is an input of the network; empty if there is none.
    """

    game: dict[str, Any]
    network: NetworkSizes
    training: dict[str, Any]
    advice: str = ""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that has been read.

    Attributes:
        path: its file, for messages.
        header: what it contains and was trained for.
        parts: name of a part -> its tensors by name.
    """

    path: Path
    header: Header
    parts: dict[str, Arrays]

    def part(self, name: str) -> Arrays:
        """Return the tensors of a part.

        Raises:
            ValueError: there is no such part.
        """
        if name not in self.parts:
            raise damaged(self.path, f"it lacks the part {quote(name)}")
        return self.parts[name]


def pack(header: Header, parts: dict[str, Arrays]) -> bytes:
    """Return a checkpoint as bytes.

    Args:
        header: what it contains and was trained for.
        parts: name of a part -> its tensors by name; an agent needs `POLICY`.

    Raises:
        ValueError: it would be larger than a checkpoint may be.
    """
    text = json.dumps({"format": FORMAT, **asdict(header)}).encode()
    tensors = {HEADER: np.frombuffer(text, np.uint8)}
    for part, members in parts.items():
        tensors |= {f"{part}/{name}": little_endian(array) for name, array in members.items()}
    content = safetensors.numpy.save({**tensors, CHECKSUM: checksum(tensors)})
    if len(content) > MAX_CHECKPOINT or int.from_bytes(content[:LENGTH], "little") > MAX_TABLE:
        raise ValueError(
            f"a checkpoint of this run would have {len(content)} bytes, at most {MAX_CHECKPOINT} are allowed: "
            "choose a smaller network or a smaller pool"
        )
    return content


def little_endian(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as files and checksums take it: in C order and little-endian."""
    return np.asarray(array, array.dtype.newbyteorder("<"), order="C")


def checksum(tensors: Arrays) -> NDArray[np.uint8]:
    """Return the SHA-256 of the names, dtypes, shapes and contents of tensors, as 32 bytes."""
    total = hashlib.sha256()
    for name in sorted(tensors):
        array = tensors[name]
        total.update(f"{name}\0torch.{array.dtype.name}\0{list(array.shape)}\0".encode())  # dtypes as torch names them
        total.update(array.tobytes())
    return np.frombuffer(total.digest(), np.uint8)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a whole checkpoint and verify its checksum.

    Raises:
        ValueError: the file is missing, damaged, too large, or of another format.
    """
    if not os.path.exists(path):
        raise ValueError(f"there is no checkpoint {named(path)}")
    tensors = _read_tensors(path, read_bytes(path, WANTED, MAX_CHECKPOINT))
    found = tensors.pop(CHECKSUM, None)
    if found is None or HEADER not in tensors:
        raise damaged(path, f"it lacks {quote(HEADER)} or {quote(CHECKSUM)}")
    if not np.array_equal(found, checksum(tensors)):
        raise damaged(path, "it does not match its checksum")
    header = _parse_header(path, tensors.pop(HEADER))
    parts: dict[str, Arrays] = {}
    for name, tensor in tensors.items():
        part, _, member = name.partition("/")
        parts.setdefault(part, {})[member] = tensor
    return Checkpoint(path, header, parts)


def damaged(path: Path, reason: object) -> ValueError:
    """Return an error that says what is wrong with the content of a checkpoint."""
    return ValueError(f"the checkpoint {named(path)} is damaged ({shorten(printable(reason), MAX_REASON)})")


class HeaderFile(StrictModel):
    """Contents of `checkpoint.json`."""

    format: Literal[2]
    game: dict[str, Any]
    network: dict[str, int]
    training: dict[str, Any]
    advice: str = ""


def _read_tensors(path: Path, content: bytes) -> Arrays:
    """Return the tensors in the content of a file."""
    if content.startswith(b"PK"):
        raise ValueError(
            f"{named(path)} is a zip archive, such as Stable-Baselines3 saves, not a checkpoint of `sackarmies train`, "
            "which ppo plays; docs/notebooks/maskable_ppo.md shows how a model of Stable-Baselines3 plays"
        )
    if int.from_bytes(content[:LENGTH], "little") > MAX_TABLE:
        raise damaged(path, f"its table of tensors is larger than {MAX_TABLE} bytes")
    try:
        return safetensors.numpy.load(content)
    except DAMAGED as error:
        raise damaged(path, f"its tensors cannot be read, {type(error).__name__}") from None


def _parse_header(path: Path, text: NDArray[np.uint8]) -> Header:
    name = f"the checkpoint {named(path)}: {HEADER}"
    try:
        data = parse_json(text.tobytes().decode("utf-8"), name)
    except UnicodeDecodeError as error:
        raise damaged(path, error) from None
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        raise ValueError(f"{name} has the format {quote(found)}, but this version reads {FORMAT}: train again")
    read = read_model(HeaderFile, data, name)
    known = [field.name for field in fields(NetworkSizes)]
    for key in read.network:
        if key not in known:
            raise ValueError(f"{name}: network: unknown key {quote(key)}; allowed are {join(known)}")
    try:
        return Header(read.game, NetworkSizes(**read.network), read.training, read.advice)
    except ValueError as error:
        raise ValueError(f"{name}: network: {error}") from None
