"""Copies of a game with a fault planted in one of its members."""

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
    """Return a copy of a game with other members; functions of its action space may be among them."""
    actions = copy.copy(game.actions)
    for name in TEXTS & members.keys():
        setattr(actions, name, members.pop(name))
    return dataclasses.replace(game, **{"actions": actions, **members})


@dataclass
class Call:
    """One call of `step_batch`; a fault may change what it is given, runs it, and may change what comes of it."""

    game: Any
    params: Any
    states: Any
    commands: Any
    slots: Any
    outputs: Outputs

    def run(self):
        self.game.step_batch(self.params, self.states, self.commands, self.slots, *self.outputs)

    def rows(self, *kinds):
        """Return the rows that are given commands of these kinds; of all kinds but SKIP for none."""
        chosen = self._are(kinds) if kinds else ~self._are([Command.SKIP])
        return self.commands["row"][chosen].tolist()

    def played(self):
        """Return the rows of commands that may change a state."""
        return self.commands["row"][~self._are([Command.SKIP, Command.READ])].tolist()

    def replace(self, kind, other):
        """Give the commands of a kind as those of another kind."""
        self.commands = self.commands.copy()
        self.commands["kind"][self._are([kind])] = other

    def add_to_argument(self, kind, number):
        """Change how often or from which seed the commands of a kind are carried out."""
        self.commands = self.commands.copy()
        self.commands["argument"][self._are([kind])] += number

    def argument(self, row):
        return int(self.commands["argument"][self.commands["row"] == row][0])

    def over(self, *kinds):
        """Return those of `rows` whose games are over."""
        return [row for row in self.rows(*kinds) if self.states["current_player"][row] == NO_PLAYER]

    def going_on(self, *kinds):
        """Return those of `rows` whose games are not over."""
        return [row for row in self.rows(*kinds) if self.states["current_player"][row] != NO_PLAYER]

    def restarted(self):
        """Return the rows whose games have just given way to others."""
        rows = self.played()
        return [row for row in rows if self.slots["restarts"][row] and self.slots["ended"][row] != Ending.RUNNING]

    def observed(self):
        """Return the rows that have an observing seat."""
        return [row for row in self.rows() if self.slots["observing_seat"][row] != NO_PLAYER]

    def _are(self, kinds):
        return np.isin(self.commands["kind"], kinds)


def spoilt(game, fault):
    """Return a copy of a game of which each call of `step_batch` is `fault(call)`."""

    def step_batch(params, states, commands, slots, *outputs):
        fault(Call(game, params, states, commands, slots, Outputs(*outputs)))

    return broken(game, step_batch=step_batch)
