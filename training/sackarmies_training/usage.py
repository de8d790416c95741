"""Conduct of agents in a contest: statuses of their games, time of decisions, processor time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from sackarmies_agents.conduct import Status
from sackarmies_training.fitting import plain_table, titled
from sackarmies_training.tournament import GameSummary

TITLE = "Statuses and time"
HEADS = (*(status.value for status in Status), "s a decision", "longest", "CPU s a game")


@dataclass
class Conduct:
    """How one agent has behaved.

    Attributes:
        statuses: seats in games, by how the game ended for them.
        decisions: number of measured decisions.
        seconds: their wall-clock time.
        longest: time of the longest one; decisions that were asked for at once count as equally long.
        cpu_seconds: their processor time; None if it was not measured.
        games: seats in games whose decisions were measured.
    """

    statuses: Counter[str] = field(default_factory=Counter)
    decisions: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    cpu_seconds: float | None = None
    games: int = 0

    def data(self) -> dict[str, Any]:
        """Return plain data, without times if nothing was measured."""
        statuses: dict[str, Any] = {"statuses": {status.value: self.statuses[status] for status in Status}}
        if not self.decisions:
            return statuses
        cpu = None if self.cpu_seconds is None else round(self.cpu_seconds, 3)
        times = {"seconds": round(self.seconds, 3), "longest": round(self.longest, 3), "cpu_seconds": cpu}
        return statuses | {"decisions": self.decisions, **times}

    def cells(self) -> list[str]:
        """Return the cells of a table below `HEADS`."""
        counts = [str(self.statuses[status]) for status in Status]
        if not self.decisions:
            return [*counts, "", "", ""]
        cpu = "" if self.cpu_seconds is None else f"{self.cpu_seconds / self.games:.2f}"
        return [*counts, f"{self.seconds / self.decisions:.3f}", f"{self.longest:.3f}", cpu]


def conduct_of(agents: Iterable[str], games: Iterable[GameSummary]) -> dict[str, Conduct]:
    """Return how agents behaved in games, in the order of `agents`."""
    found = {agent: Conduct() for agent in agents}
    for game in games:
        usage = game.usage or [None] * len(game.agents)
        for agent, status, used in zip(game.agents, game.statuses, usage, strict=True):
            conduct = found[agent]
            conduct.statuses[status] += 1
            if used is None:
                continue
            conduct.games += 1
            conduct.decisions += used.decisions
            conduct.seconds += used.seconds
            conduct.longest = max(conduct.longest, used.longest)
            if used.cpu_seconds is not None:
                conduct.cpu_seconds = (conduct.cpu_seconds or 0.0) + used.cpu_seconds
    return found


def is_worth_telling(conduct: Iterable[Conduct]) -> bool:
    """Return whether an agent did not play a game to its end, or time was measured."""
    return any(each.decisions or set(each.statuses) - {Status.DONE} for each in conduct)


def conduct_table(agents: Sequence[str], conduct: dict[str, Conduct]) -> RenderableType | None:
    """Return how agents behaved, for the terminal; None if there is nothing worth telling."""
    if not is_worth_telling(conduct.values()):
        return None
    table = plain_table()
    table.add_column("agent", overflow="fold")
    for head in HEADS:
        table.add_column(head, justify="right")
    for agent in agents:
        table.add_row(Text(agent), *conduct[agent].cells())
    return titled(TITLE, table)
