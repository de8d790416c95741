"""Faults planted in forced results: each takes a sound game and returns a spoilt copy."""

from __future__ import annotations

import itertools

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.core.step_batch import Command
from tests.testing.commands import broken, spoilt
from tests.testing.member_faults import keeping

QUEUE = ("script_draws", "script_draws_end", "script_draws_used")


def hidden_from(call, run):
    """Run a call without the forced results, then put them back."""
    kept = {name: call.states[name].copy() for name in QUEUE}
    for name in QUEUE:
        call.states[name] = 0
    run()
    for row in call.rows():
        for name in QUEUE:
            call.states[name][row] = kept[name][-1 if row in call.rows(Command.BEGIN) else row]


def unknown_kinds_are_ignored(game):
    class Lenient(Game):
        def start(self, states, seed, forced=None):
            known = {kind.name for kind in self.forced_kinds}
            super().start(states, seed, {name: given for name, given in (forced or {}).items() if name in known})

    return Lenient(**{name: getattr(game, name) for name in Game.__dataclass_fields__})


def other_results_are_ignored(game):
    class Lenient(Game):
        def start(self, states, seed, forced=None):
            try:
                super().start(states, seed, forced)
            except ValueError:
                if "draws" not in forced:
                    raise

    return Lenient(**{name: getattr(game, name) for name in Game.__dataclass_fields__})


def forced_results_are_never_used(game):
    return spoilt(game, lambda call: hidden_from(call, call.run))


def forced_results_change_nothing(game):
    """Use them up, but let chance decide."""

    def fault(call):
        hidden_from(call, call.run)
        for row in call.rows(Command.BEGIN, Command.STEP):
            ends, used = (call.states[name][row] for name in QUEUE[1:])
            call.states["script_draws_used"][row] = np.minimum(used + 1, ends)

    return spoilt(game, fault)


def forced_games_differ_by_a_count_of_the_process(game):
    count = itertools.count()

    def fault(call):
        call.run()
        for row in call.rows(Command.STEP):
            if call.states["script_draws_end"][row].any():
                call.states["shown"][row] = next(count) % 5

    return spoilt(game, fault)


def observation_of_the_next_forced_card(game):
    """Show it in the last number, which is a count of lives: 0 to 2."""

    def fault(call):
        call.run()
        for row in call.rows() if len(call.outputs.observations) else []:
            if call.states["script_draws_end"][row, 0]:
                call.outputs.observations[row, -1] = call.states["script_draws"][row, 0, 7] % 2

    return spoilt(game, fault)


def determinize_keeps_forced_results(game):
    return broken(game, determinize_batch=keeping(game, *QUEUE))
