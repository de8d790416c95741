"""Copies of a game with a fault planted in a member."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import Command, Ending, Outputs

TEXTS = {"format_action", "parse_action"}


def broken(game, **members):
    """Return a copy of a game with other members, including functions of its action space."""
    actions = copy.copy(game.actions)
    for name in TEXTS & members.keys():
        setattr(actions, name, members.pop(name))
    return dataclasses.replace(game, **{"actions": actions, **members})


@dataclass
class Call:
    """One call of `step_batch`; a fault runs it and may change its arguments before and its results after."""

    game: Any
    params: Any
    states: Any
    commands: Any
    slots: Any
    outputs: Outputs

    def run(self):
        self.game.step_batch(self.params, self.states, self.commands, self.slots, *self.outputs)

    def rows(self, *kinds):
        """Return the rows with commands of these kinds; if none are named, of all kinds but SKIP."""
        chosen = self._are(kinds) if kinds else ~self._are([Command.SKIP])
        return self.commands["row"][chosen].tolist()

    def played(self):
        """Return the rows of commands that may change a state."""
        return self.commands["row"][~self._are([Command.SKIP, Command.READ])].tolist()

    def replace(self, kind, other):
        """Replace the commands of a kind by commands of another kind."""
        self.commands = self.commands.copy()
        self.commands["kind"][self._are([kind])] = other

    def add_to_argument(self, kind, number):
        """Add a number to the argument (a count or a seed) of the commands of a kind."""
        self.commands = self.commands.copy()
        self.commands["argument"][self._are([kind])] += number

    def argument(self, row):
        return int(self.commands["argument"][self.commands["row"] == row][0])

    def over(self, *kinds):
        """Return those rows of `rows` whose games are over."""
        return [row for row in self.rows(*kinds) if self.states["current_player"][row] == NO_PLAYER]

    def going_on(self, *kinds):
        """Return those rows of `rows` whose games are not over."""
        return [row for row in self.rows(*kinds) if self.states["current_player"][row] != NO_PLAYER]

    def restarted(self):
        """Return the rows whose games have just been replaced by new ones."""
        rows = self.played()
        return [row for row in rows if self.slots["restarts"][row] and self.slots["ended"][row] != Ending.RUNNING]

    def observed(self):
        """Return the rows that have an observing seat."""
        return [row for row in self.rows() if self.slots["observing_seat"][row] != NO_PLAYER]

    def _are(self, kinds):
        return np.isin(self.commands["kind"], kinds)


def spoilt(game, fault):
    """Return a copy of a game in which each call of `step_batch` becomes `fault(call)`."""

    def step_batch(params, states, commands, slots, *outputs):
        fault(Call(game, params, states, commands, slots, Outputs(*outputs)))

    return broken(game, step_batch=step_batch)
