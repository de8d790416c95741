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
NUMBERS = (int, float)
# Attributes of a `RawEnv` that are saved besides the game, all of JSON types.
SAVED_FIELDS = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "_skip_agent_selection",
    "_paid",
    "_out",
    "_potentials",
)
ORIGIN_FIELDS = ("seed", "forced", "generator")  # how the game began, and where later seeds come from


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
        raise ValueError(f"a saved state must be bytes, not {type(data).__name__}")
    data = bytes(data)
    first, _, body = data.partition(b"\n")
    if not first.startswith(MAGIC):
        raise ValueError(f"these {len(data)} bytes are not a saved state, which begins with {MAGIC.decode()!r}")
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
        raise ValueError(f"the saved state has {len(content)} bytes: expected {size}, and 4 for each action")
    return header["fields"], content[:size], np.frombuffer(content[size:], "<i4").tolist()


def check_fields(fields: Any, agents: list[str]) -> None:
    """Check that the fields of a saved state can be those of an environment.

    Args:
        fields: as returned by `unpack_state`.
        agents: names of all agents of the game, in seat order.

    Raises:
        ValueError: a field is missing or unknown, has the wrong form, or does not fit the agents.
    """
    names = (*SAVED_FIELDS, *ORIGIN_FIELDS)
    if not isinstance(fields, dict) or fields.keys() != set(names):
        raise ValueError(f"the saved state is damaged: its fields must be {', '.join(names)}")
    left = fields["agents"]
    is_part = isinstance(left, list) and left == [agent for agent in agents if agent in left]
    tables = {"rewards": NUMBERS, "_cumulative_rewards": NUMBERS, "terminations": (bool,), "truncations": (bool,)}
    fits = {
        "agents": is_part,
        "agent_selection": fields["agent_selection"] in ["", *agents],
        "_skip_agent_selection": fields["_skip_agent_selection"] in [None, *agents],
        "_potentials": _is_table(fields["_potentials"], agents, NUMBERS),
        "seed": type(fields["seed"]) is int and 0 <= fields["seed"] < 2**63,
        "forced": isinstance(fields["forced"], dict),
    }
    for name, kinds in tables.items():
        fits[name] = is_part and _is_table(fields[name], left, kinds) and len(fields[name]) == len(left)
    for name in ("_paid", "_out"):
        row = fields[name]
        fits[name] = isinstance(row, list) and len(row) == len(agents) and all(type(one) in NUMBERS for one in row)
    for name, is_fitting in fits.items():
        if not is_fitting:
            raise ValueError(f"the saved state is damaged: {name} cannot be {short_repr(fields[name])}")


def _is_table(given: Any, names: list[str], kinds: tuple[type, ...]) -> bool:
    """Return whether `given` is a dict from some of `names` to values of `kinds`."""
    return isinstance(given, dict) and given.keys() <= set(names) and all(type(one) in kinds for one in given.values())


def make_generator(state: Any) -> np.random.Generator | None:
    """Return the generator with a state that was saved; None for None.

    Raises:
        ValueError: it is not the state of a PCG64 generator.
    """
    if state is None:
        return None
    generator = np.random.Generator(np.random.PCG64())
    try:
        generator.bit_generator.state = state
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ValueError(f"the saved state is damaged: generator cannot be {short_repr(state)}") from None
    return generator


def _read_header(line: bytes) -> dict[str, Any]:
    """Return the header from its line of JSON, checked to be complete."""
    try:
        header = parse_json(line.decode("utf-8"), "the saved state")
    except UnicodeDecodeError:
        raise ValueError("the saved state is damaged: its header is not text") from None
    if not isinstance(header, dict) or not {"version", "game", "configuration", "fields"} <= header.keys():
        raise ValueError("the saved state is damaged: its header is incomplete")
    return header
