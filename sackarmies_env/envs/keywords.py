"""Keyword arguments: the error for unknown ones, the same everywhere, and render modes; imports nothing heavy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sackarmies_env.core.messages import short_repr, suggestion

RENDER_MODES = ("ansi", "rgb_array", "html", "human")
RENDER_FPS = 2  # frames a second in films


class UnknownOptionError(TypeError, ValueError):
    """An unknown option.

    It is a TypeError with Python's usual message, by which libraries find out what an environment accepts, and also a
    ValueError, which every other wrong option raises.
    """


def refuse_unknown(given: Iterable[str], known: Iterable[str], whose: str, usual: Iterable[str] = ()) -> None:
    """Refuse unknown keyword arguments.

    Args:
        given: names of the arguments.
        known: all allowed names.
        whose: what the arguments were passed to; it begins the error message.
        usual: names to suggest before others.

    Raises:
        UnknownOptionError: an argument is unknown.
    """
    allowed = list(known)
    for name in given:
        if name not in allowed:
            near = suggestion(name, usual) or suggestion(name, allowed)
            raise UnknownOptionError(
                f"{whose} got an unexpected keyword argument {short_repr(name)}{near}: known are {', '.join(allowed)}"
            )


def named_options(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function by name, including those in its `**unknown`, which are refused later.

    Args:
        arguments: `locals()` at the beginning of a function with an explicit signature.
    """
    unknown = arguments.pop("unknown")
    return {**arguments, **unknown}
