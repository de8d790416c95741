"""Reading of untrusted files: bounded size and depth, and errors that name the file.

Opening an untrusted file must return its content or raise ValueError: no other exception, no endless wait, no memory
that the file merely claims to need.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sackarmies_env.core.messages import printable, shorten

MAX_TOML = 2**18  # bytes; the catalogue has 50,000
MAX_JSON = 2**26  # bytes; the record of a game of 10,000 plies has about a million
MAX_CHECKPOINT = 2**30  # bytes; one of the default network and its training has 12 million
PIECE = 2**20  # bytes that are read at a time
MAX_DEPTH = 24  # levels of nested lists and tables
MAX_NAME = 500  # characters of the name of a file in a message
MAX_FAULT = 200  # characters of a parser's message
SCALARS = (str, int, float)
# Keys joined by dots nest as deep as they are long. The parts match all or nothing, so that the search is fast.
LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        ValueError: the file is missing, unreadable, too large, nested too deeply, or not TOML; the message names file
            and place.
    """
    text = read_text(path, "a TOML file", MAX_TOML)
    name = named(path)
    if LONG_KEY.search(text):
        raise ValueError(f"{name}: {too_deep()}")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"{name}: {too_deep()}") from None
    except ValueError as error:  # besides TOMLDecodeError: integers with thousands of digits
        raise ValueError(f"{name}: not valid TOML: {shorten(printable(error), MAX_FAULT)}") from None
    shallow(data, name)
    return data


def read_json(path: str | Path, wanted: str = "a JSON file") -> Any:
    """Read a JSON file.

    Args:
        path: the file.
        wanted: what it should be, for messages.

    Raises:
        ValueError: as for `read_toml`.
    """
    return parse_json(read_text(path, wanted, MAX_JSON), named(path))


def parse_json(text: str, name: str) -> Any:
    """Return the data of JSON text.

    Args:
        text: may be untrusted.
        name: its name in messages.

    Raises:
        ValueError: it is not JSON, or nested too deeply.
    """
    try:
        data = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError(f"{name}: {too_deep()}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}: not valid JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except ValueError as error:  # integers with thousands of digits
        raise ValueError(f"{name}: not valid JSON: {error}") from None
    shallow(data, name)
    if "\\ud" in text.lower():
        try:
            json.dumps(data, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError(f"{name}: not valid JSON: a string contains half of a surrogate pair") from None
    return data


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


def read_text(path: str | Path, wanted: str, limit: int) -> str:
    """Return the content of a text file.

    Args:
        path: the file.
        wanted: what it should be, for messages.
        limit: greatest size in bytes.

    Raises:
        ValueError: the file is missing, unreadable, larger than `limit`, or not UTF-8.
    """
    content = read_bytes(path, wanted, limit)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{named(path)}: the file is not UTF-8 text (byte {error.start})") from None


def read_bytes(path: str | Path, wanted: str, limit: int) -> bytes:
    """Return the content of a file; arguments and errors as for `read_text`.

    A device or a pipe is refused before it is opened. One that replaces a file in the meantime is detected by checking
    what was opened, without waiting for its other end. Memory is only taken for what is read.
    """
    name = named(path)
    try:
        os.fsencode(path)
        mode = os.stat(path).st_mode
    except OSError as error:
        raise ValueError(f"{name}: {_reason(error)}") from None
    except ValueError:  # a NUL, or half of a character
        raise ValueError(f"{name}: this is not a valid file name") from None
    content = bytearray()
    try:
        _refuse_no_file(mode, name, wanted)
        with open(path, "rb", opener=_open_at_once) as file:
            _refuse_no_file(os.fstat(file.fileno()).st_mode, name, wanted)
            while len(content) <= limit and (piece := file.read(min(PIECE, limit + 1 - len(content)))):
                content += piece
    except OSError as error:
        raise ValueError(f"{name}: {_reason(error)}") from None
    if len(content) > limit:
        raise ValueError(f"{name}: the file is larger than {limit} bytes, too large for {wanted}")
    return bytes(content)


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting: opening a pipe would wait until somebody writes to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_no_file(mode: int, name: str, wanted: str) -> None:
    if stat.S_ISDIR(mode):
        raise ValueError(f"{name}: this is a folder, not {wanted}")
    if not stat.S_ISREG(mode):
        raise ValueError(f"{name}: this is a device or a pipe, not {wanted}")


def named(path: str | Path) -> str:
    """Return the name of a file for use in messages."""
    return shorten(printable(path), MAX_NAME)


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "there is no such file"
    return f"the file cannot be read: {error.strerror}"


def shallow(data: Any, name: str) -> Any:
    """Return plain data unchanged if it is not nested deeper than `MAX_DEPTH`.

    Raises:
        ValueError: it is nested deeper.
    """
    layer = [data]
    for _ in range(MAX_DEPTH + 1):
        layer = [child for node in layer for child in children(node)]
        if not layer:
            return data
    raise ValueError(f"{name}: {too_deep()}")


def children(node: Any) -> Any:
    """Return the entries of a list or a table; nothing for other values."""
    if isinstance(node, SCALARS):  # most values are; whether one is a mapping takes longer to find out
        return ()
    if isinstance(node, Mapping):
        return node.values()
    return node if isinstance(node, list | tuple) else ()


def too_deep() -> str:
    """Return the message on data nested too deeply."""
    return f"lists or tables are nested too deeply, at most {MAX_DEPTH} levels are allowed"
