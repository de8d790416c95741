"""Saved environments: state bytes after a header that names the version, game and configuration they belong to.

The first line holds the format and a checksum, the second JSON; the state record and the history follow as bytes.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np

from sackarmies_env.core import __version__
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.safe_read import parse_json

MAGIC = b"sackarmies state 1 "


def pack_state(game: Game, fields: dict[str, Any], state: bytes, history: list[int]) -> bytes:
    """Return the bytes of a saved environment.

    Args:
        game: the game that the state belongs to.
        fields: what the adapter keeps besides the state, in JSON types.
        state: the record.
        history: actions so far.
    """
    header = {"version": __version__, "game": game.id, "configuration": game.digest, "fields": fields}
    body = json.dumps(header).encode() + b"\n" + state + np.array(history, "<i4").tobytes()
    return MAGIC + b"%08x\n" % zlib.crc32(body) + body


def unpack_state(game: Game, data: bytes) -> tuple[dict[str, Any], bytes, list[int]]:
    """Return the fields, the state and the history that were passed to `pack_state`.

    Raises:
        ValueError: the bytes are not a saved state, are damaged, or belong to another version, game or configuration.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ValueError(f"a saved state is bytes, not {type(data).__name__}")
    data = bytes(data)
    first, _, body = data.partition(b"\n")
    if not first.startswith(MAGIC):
        raise ValueError(f"these {len(data)} bytes are no saved state: one begins with {MAGIC.decode()!r}")
    if first[len(MAGIC) :] != b"%08x" % zlib.crc32(body):
        raise ValueError("the saved state is damaged: its checksum does not match its content")
    line, _, content = body.partition(b"\n")
    header = _read_header(line)
    expected = {"version": __version__, "game": game.id, "configuration": game.digest}
    for name, value in expected.items():
        if header[name] != value:
            raise ValueError(
                f"the saved state has {name} {short_repr(header[name])}, but this environment has {value!r}"
            )
    size = game.state_dtype.itemsize
    if len(content) < size or (len(content) - size) % 4:
        raise ValueError(f"the saved state has {len(content)} bytes, which are no state of {size} and a history")
    return header["fields"], content[:size], np.frombuffer(content[size:], "<i4").tolist()


def _read_header(line: bytes) -> dict[str, Any]:
    """Return the header from its line of JSON, checked to be complete."""
    try:
        header = parse_json(line.decode("utf-8"), "the saved state")
    except UnicodeDecodeError:
        raise ValueError("the saved state is damaged: its header is no text") from None
    if not isinstance(header, dict) or not {"version", "game", "configuration", "fields"} <= header.keys():
        raise ValueError("the saved state is damaged: its header is not complete")
    return header
