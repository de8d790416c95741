"""Coverage of random games: decisions met, and values of switches tried."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.configurations import GENERALS, all_values
from tests.sack_armies.properties.bout import Bout, Check, Look


class Reached:
    """Counts of what games reach.

    Attributes:
        decisions: how often each decision was met.
        values: how often each value of each switch was in force, by games.
        generals: how many games had that many Generals.
        together: decisions met while a switch had a value other than its default.
    """

    def __init__(self) -> None:
        self.decisions: Counter[Decision] = Counter()
        self.values: Counter[tuple[str, str]] = Counter()
        self.generals: Counter[int] = Counter()
        self.together: set[tuple[str, Decision]] = set()

    def noting(self, check: Check) -> Check:
        """Return a property that also counts what its games reach."""

        def check_and_note(bout: Bout) -> Look:
            changed = self._note_game(bout)
            look = check(bout)

            def look_and_note() -> None:
                look()
                self.decisions[bout.decision] += 1
                self.together |= {(name, bout.decision) for name in changed}

            return look_and_note

        return check_and_note

    def _note_game(self, bout: Bout) -> list[str]:
        switches = bout.config.switches
        changed = []
        for name, values in all_values().items():
            value: Any = getattr(switches, name)
            if name == "copy_limits":
                value = None if value == type(switches)().copy_limits else "changed"
            self.values[name, str(value)] += 1
            changed += [name] if value != values[0] else []
        self.generals[bout.game.num_players] += 1
        return changed

    def untried(self) -> list[dict[str, Any]]:
        """Return the non-default values of switches that no game has had so far, each as a dict."""
        return [
            {name: value}
            for name, values in all_values().items()
            for value in values[1:]
            if (name, "changed" if isinstance(value, dict) else str(value)) not in self.values
        ]

    def unplayed(self) -> list[int]:
        """Return the numbers of Generals that no game has had so far."""
        return [count for count in GENERALS if count not in self.generals]

    def missing(self) -> list[str]:
        """Return the values of switches, and numbers of Generals, that no game had."""
        wanted = {
            (name, "changed" if isinstance(value, dict) else str(value))
            for name, values in all_values().items()
            for value in values
        }
        untried = [f"{name} = {value}" for name, value in sorted(wanted - set(self.values))]
        return untried + [f"{count} Generals" for count in self.unplayed()]

    def report(self) -> str:
        """Return what was reached as text."""
        met = ", ".join(f"{decision.name} {count}" for decision, count in self.decisions.most_common())
        unmet = [decision.name for decision in Decision if decision not in self.decisions]
        pairs = len(self.together) / (len(all_values()) * (len(Decision) - 1))
        return (
            f"{self.generals.total()} games, {self.decisions.total()} decisions; Generals: {dict(self.generals)}\n"
            f"values of switches never in force: {', '.join(self.missing()) or 'none'}\n"
            f"pairs of changed switch and kind of decision met: {pairs:.0%}\n"
            f"decisions: {met}; not met: {', '.join(unmet) or 'none'}"
        )
