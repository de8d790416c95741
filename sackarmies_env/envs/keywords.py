"""Keyword arguments that nothing takes, refused with the same error everywhere; loads nothing heavy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sackarmies_env.core.messages import short_repr, suggestion


class UnknownOptionError(TypeError, ValueError):
    """An option that is not known.

    A TypeError in Python's own words, by which libraries find out what an environment takes, and a ValueError, which
    every other wrong option raises.
    """


def refuse_unknown(given: Iterable[str], known: Iterable[str], whose: str, usual: Iterable[str] = ()) -> None:
    """Refuse keyword arguments that are not known.

    Args:
        given: their names.
        known: all names that are allowed.
        whose: what takes them, the subject of the sentence.
        usual: those that are suggested before others.

    Raises:
        UnknownOptionError: there is one.
    """
    allowed = list(known)
    for name in given:
        if name not in allowed:
            near = suggestion(name, usual) or suggestion(name, allowed)
            raise UnknownOptionError(
                f"{whose} got an unexpected keyword argument {short_repr(name)}{near}: known are {', '.join(allowed)}"
            )


def named_options(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function by name, those in its `**unknown` beside the others, to be refused with them.

    Args:
        arguments: `locals()` at the beginning of a function that writes its options out.
    """
    unknown = arguments.pop("unknown")
    return {**arguments, **unknown}
