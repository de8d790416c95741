"""Texts of messages: values in short printable forms, without control characters, and suggestions."""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Iterable, Sequence
from datetime import date, time
from importlib.metadata import requires

MAX_FAULTS = 8  # lines of a message about many faults
MAX_MESSAGE = 1900  # characters of it
MAX_TOLD = 60  # characters of a value in a sentence
MAX_LISTED = 60  # words of a list in a sentence
LARGE_NUMBER = 2**128
DISTRIBUTION = "sackarmies-env"
WHEELS = {"PIL": "pillow"}  # import name -> name to install, for libraries where they differ
REQUIRED_BY = re.compile(r"([\w.-]+).*;.*extra == .(\w+)")  # a requirement of an extra, in the metadata of a wheel
# What no text in a file may contain: control characters, line separators, marks that change the direction of what
# follows, zero-width characters that no script needs, tags, halves of surrogate pairs.
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
# Letters and marks without width or ink that Python calls printable: fillers, variation selectors.
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


class _Short(reprlib.Repr):
    """`repr` of bounded length and depth."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxstring = self.maxother = self.maxlong = MAX_TOLD

    def repr_int(self, x: int, level: int) -> str:
        """Return an integer as text; Python refuses to write out very large ones."""
        if abs(x) < LARGE_NUMBER:
            return repr(x)
        return f"an integer of about {round(x.bit_length() * 0.30103)} digits"


SHORT = _Short()


def printable(text: object) -> str:
    """Escape all invisible characters of a text, so that it neither controls a terminal nor hides anything.

    These are the characters that Unicode calls control, format (zero width, direction, tags), separator other than the
    plain space, surrogate, private or unassigned, and `INVISIBLE`.
    """
    given = str(text)
    if given.isprintable() and not INVISIBLE.search(given):
        return given
    return "".join(letter if _is_seen(letter) else _written_out(letter) for letter in given)


def _is_seen(letter: str) -> bool:
    return letter.isprintable() and not INVISIBLE.match(letter)


def _written_out(letter: str) -> str:
    """Return the Python escape sequence of a character."""
    return letter.encode("unicode_escape").decode("ascii")


def shorten(text: str, length: int = MAX_TOLD) -> str:
    """Cut text to at most `length` characters."""
    return text if len(text) <= length else text[: length - 3] + "..."


def quote(value: object) -> str:
    """Return a value for use in a sentence: as in TOML, and short."""
    if isinstance(value, str):
        return shorten(f'"{printable(value[: MAX_TOLD + 1])}"')
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date | time):
        return str(value)
    return short_repr(value)


def short_repr(value: object) -> str:
    """Return a value for use in a sentence: as in Python, and short."""
    return shorten(printable(SHORT.repr(value)))


def join(words: Iterable[object]) -> str:
    """Return words as a list in a sentence; of very many, only the first ones."""
    texts = [quote(word) if isinstance(word, str) else short_repr(word) for word in words]
    more = [f"and {len(texts) - MAX_LISTED} more"] if len(texts) > MAX_LISTED else []
    return ", ".join(texts[:MAX_LISTED] + more)


def join_faults(faults: Sequence[str], name: str = "") -> str:
    """Return a line for each of the first faults, prefixed with `name`, and how many more there are."""
    lines = [f"{name}: {fault}" if name else fault for fault in faults[:MAX_FAULTS]]
    if len(faults) > MAX_FAULTS:
        lines.append(f"{name + ': ' if name else ''}and {len(faults) - MAX_FAULTS} more faults")
    return shorten("\n".join(lines), MAX_MESSAGE)


def suggestion(given: object, known: Iterable[object]) -> str:
    """Return ` (did you mean "x"?)` for the known word nearest to `given`, or nothing if none is near.

    Case is ignored; known values that are not text, such as seats, are never suggested.
    """
    if not isinstance(given, str) or len(given) > MAX_TOLD:
        return ""
    words = {word.lower(): word for word in known if isinstance(word, str)}
    near = difflib.get_close_matches(given.lower(), list(words), n=1)
    return f' (did you mean "{words[near[0]]}"?)' if near else ""


def missing_extra(error: ImportError, what: str, extra: str = "") -> str:
    """Return a sentence on which extra installs the library that `what` lacks, "" if no extra has it.

    Args:
        error: the failed import.
        what: what needs the library.
        extra: the extra that has all that it needs; by default the first one that has the library.
    """
    library = (error.name or "").partition(".")[0]
    wheel = WHEELS.get(library, library.replace("_", "-"))
    found = (REQUIRED_BY.match(requirement) for requirement in requires(DISTRIBUTION) or ())
    having = next((one[2] for one in found if one and one[1] == wheel), "")
    command = f"pip install '{DISTRIBUTION}[{extra or having}]'"
    return f"{what} needs {wheel}, which is not installed: {command}" if having else ""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `3 tokens`, `1 token`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def repeated(words: list[str], noun: str) -> list[str]:
    """Return a sentence for each duplicate word."""
    return [
        f"the {noun} {quote(word)} is given {words.count(word)} times"
        for word in dict.fromkeys(words)
        if words.count(word) > 1
    ]
