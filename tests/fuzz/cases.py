"""Fuzz cases: damaged documents for readers, the checks on their outcome, and the shrinking of failing documents."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import signal
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import tomli_w

from sackarmies_env.core.messages import UNPRINTABLE
from tests.fuzz.mutators import copy_data, mutate_bytes, odd_value, places
from tests.fuzz.readers import Reader

SECONDS = 10.0  # that a case may take at most
MAX_MESSAGE = 2000
MAX_LINES = 10
SHRINKING = 30.0  # seconds to spend on shrinking a failing document
UNFIT = re.compile(
    r"<class|<function|object at 0x|Traceback|internal|pydantic|https?://|InitErrorDetails", re.IGNORECASE
)


class TooSlowError(BaseException):
    """A case took longer than it may."""


def encode(reader: Reader, data: Any) -> bytes | None:
    """Return data as the content of a file of the reader; None if the format cannot express it."""
    if isinstance(data, bytes):
        return data
    try:
        text = json.dumps(data) if reader.suffix == ".json" else tomli_w.dumps(data)
        return text.encode("utf-8", "surrogatepass")
    except (TypeError, ValueError, AttributeError, RecursionError):
        return None


@functools.cache
def documents(reader: Reader) -> list[Any]:
    """Return the valid documents of a reader, which must not be modified."""
    return reader.seeds()


def make_case(reader: Reader, rng: Random) -> Any:
    """Return a damaged document: bytes for a file; anything else is for `Reader.read_data`."""
    document, other = rng.choice(documents(reader)), rng.choice(documents(reader))
    as_data = reader.read_data is not None and (reader.read is None or rng.random() < 0.5)
    if isinstance(document, str):
        damaged = mutate_bytes(rng, document.encode(), other.encode()).decode("utf-8", "surrogateescape")
        return odd_value(rng) if rng.random() < 0.1 else damaged
    if isinstance(document, bytes):
        return reader.damage(rng, document, other)
    if as_data:
        return reader.damage_data(rng, document, other)
    content = encode(reader, reader.damage_data(rng, document, other)) if rng.random() < 0.6 else None
    if content is None:
        content = mutate_bytes(rng, encode(reader, document) or b"", encode(reader, other) or b"")
    return content


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """Raise TooSlowError if the block takes longer than a case may."""

    def stop(*_: object) -> None:
        raise TooSlowError(f"it takes longer than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fault_of(reader: Reader, case: Any, folder: Path) -> str:
    """Have `reader` read a document in an empty `folder`; return what it did wrong, "" if nothing."""
    path = folder / f"{reader.name}{reader.suffix}"
    is_file = isinstance(case, bytes) and reader.read is not None
    if is_file:
        path.write_bytes(case)
    try:
        with time_limit(), warnings.catch_warnings():
            warnings.simplefilter("error")
            fault = outcome(reader, path if is_file else copy_data(case))
    except TooSlowError as error:
        fault = str(error)
    left = sorted(item.name for item in folder.iterdir())
    if left != ([path.name] if is_file else []):
        return f"it leaves {left}"
    if is_file:
        path.unlink()
    return fault


def outcome(reader: Reader, given: Any) -> str:
    """Return what is wrong with how a reader handles a path or data; "" if nothing."""
    read = reader.read if isinstance(given, Path) else reader.read_data
    assert read is not None
    try:
        result = read(given)
    except ValueError as error:
        places = (*reader.places, given.name) if isinstance(given, Path) else reader.places
        return fault_of_message(error, places)
    except Exception:
        return "it raises\n" + traceback.format_exc(limit=-6)
    try:
        reader.check(result)
    except Exception:
        return "its result is not valid\n" + traceback.format_exc(limit=-6)
    return ""


def fault_of_message(error: ValueError, places: tuple[str, ...]) -> str:
    """Return what is wrong with the message of a refusal; "" if nothing."""
    text = str(error)
    if type(error) is not ValueError:
        return f"it raises {type(error).__name__}: {text[:500]}"
    if not text.strip() or len(text) > MAX_MESSAGE or text.count("\n") >= MAX_LINES:
        return f"its message has {len(text)} characters in {text.count(chr(10)) + 1} lines: {text[:500]!r}"
    if found := UNPRINTABLE.search(text.replace("\n", "")):
        return f"its message holds {found[0]!r}: {text!r}"
    if found := UNFIT.search(text):
        return f"its message speaks of {found[0]!r}: {text!r}"
    if not any(place in text for place in places):
        return f"its message names none of {places}: {text!r}"
    return ""


# --- shrinking


def kind_of(fault: str) -> str:
    """Return the part of a fault that must stay the same while its document shrinks."""
    return fault.splitlines()[-1][:40] if fault else ""


def shrink(reader: Reader, case: Any, folder: Path) -> Any:
    """Return the smallest document with the same kind of fault that is found within `SHRINKING` seconds."""
    wanted = kind_of(fault_of(reader, case, folder))
    end = time.monotonic() + SHRINKING
    improved = True
    while improved and time.monotonic() < end:
        improved = False
        for smaller in parts_of(case):
            if kind_of(fault_of(reader, smaller, folder)) == wanted:
                case, improved = smaller, True
                break
            if time.monotonic() > end:
                break
    return case


def parts_of(case: Any) -> Iterator[Any]:
    """Yield smaller documents, the much smaller ones first."""
    if isinstance(case, bytes | str):
        size = len(case) // 2
        while size:
            yield from (case[:at] + case[at + size :] for at in range(0, len(case), size))
            size //= 2
        return
    for number in range(len(places(case))):
        smaller = copy_data(case)
        node, key = places(smaller)[number]
        del node[key]
        yield smaller


def kept_text(case: Any) -> str:
    """Return a document in a form to keep and paste: as text if it is text, else as a Python literal."""
    if isinstance(case, bytes):
        with contextlib.suppress(UnicodeDecodeError):
            return case.decode("utf-8")
    return repr(case)
