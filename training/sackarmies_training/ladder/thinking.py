"""Thinking time of agents: processor time of their decisions, as counts in narrow classes of duration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from sackarmies_env.core.validation import StrictModel

STEP = 1.05  # each class is 5% wider than the one before
SHORTEST = 1e-7  # seconds; shorter durations count as this


class Thinking(StrictModel):
    """How long an agent thought.

    Attributes:
        decisions: number of decisions.
        seconds: total processor time of the process that plays, all its threads together.
        classes: class of duration -> decisions in it; see `duration`.
    """

    decisions: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    classes: dict[str, int] = Field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Decisions per second; 0 if there are none."""
        return self.decisions / self.seconds if self.seconds > 0 else 0.0

    def quantile(self, share: float) -> float:
        """Return the seconds that this share of the decisions took at most, within 5%; 0 if there are none."""
        left = share * self.decisions
        longest = 0.0
        for number, count in sorted((int(name), count) for name, count in self.classes.items()):
            longest = duration(number)
            left -= count
            if left <= 0:
                break
        return longest


def duration(number: int) -> float:
    """Return the seconds in the middle of a class."""
    return float(SHORTEST * STEP ** (number + 0.5))


def class_of(seconds: float) -> int:
    """Return the class of a duration."""
    return math.floor(math.log(max(seconds, SHORTEST) / SHORTEST) / math.log(STEP))


def total(parts: Iterable[Thinking]) -> Thinking:
    """Return the sum of several parts."""
    decisions, seconds, classes = 0, 0.0, Counter[str]()
    for part in parts:
        decisions += part.decisions
        seconds += part.seconds
        classes.update(part.classes)
    return Thinking(decisions=decisions, seconds=seconds, classes=dict(classes))


class Watch:
    """Measures how long agents think while they play."""

    def __init__(self) -> None:
        """Start with no decisions."""
        self._parts: dict[str, tuple[list[int], list[float]]] = {}

    def add(self, name: str, decisions: int, seconds: float) -> None:
        """Count an answer of the agent `name`: decisions made at once, which share the time equally."""
        counts, times = self._parts.setdefault(name, ([], []))
        counts.append(decisions)
        times.append(seconds)

    @property
    def thinking(self) -> dict[str, Thinking]:
        """Thinking time so far, by agent."""
        return {name: _thinking(counts, times) for name, (counts, times) in self._parts.items()}


def _thinking(counts: list[int], times: list[float]) -> Thinking:
    classes = Counter[str]()
    for decisions, seconds in zip(counts, times, strict=True):
        classes[str(class_of(seconds / decisions))] += decisions
    return Thinking(decisions=sum(counts), seconds=sum(times), classes=dict(sorted(classes.items())))
