"""Toy functions to mutate, for the tests of this folder."""

from __future__ import annotations

from enum import IntEnum


class Color(IntEnum):
    """A color."""

    RED = 0
    BLUE = 1


def is_adult(age: int) -> bool:
    """Return whether somebody is of age."""
    return age >= 18


def greater(one: int, other: int) -> int:
    """Return the greater number; of equal ones, either."""
    if one > other:
        return one
    return other


def halvings(number: int) -> int:
    """Return how often `number` can be halved."""
    count = 0
    while number > 1:
        number //= 2
        count += 1
    return count


def swapped(pair: list[int]) -> list[int]:
    """Swap two numbers in place, unless they are red and blue."""
    if pair == [Color.RED, 1] or not pair:
        return pair
    pair[0], pair[1] = pair[1], pair[0]
    pair.append(min(pair[0], len(range(pair[1]))))
    return pair
