"""Tests of the invariants: faults planted in the rules are noticed, with the right sentence."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import Command
from sackarmies_env.games.territories.state.constants import Decision
from tests.territories.properties.bout import Bout, start_of

GAMES = 60
DECISIONS = 120
Fault = Callable[[Any, Any], None]  # the state before a step, and the one after it, which is spoiled


def spoiled(game: Game, fault: Fault) -> Game:
    """Return the game with a fault applied after each step."""

    def step_batch(params, states, commands, slots, *outputs):
        before = states.copy().view(np.ndarray)[0]
        game.step_batch(params, states, commands, slots, *outputs)
        if commands["kind"][0] == Command.STEP:
            fault(before, states.view(np.ndarray)[0])

    return dataclasses.replace(game, step_batch=step_batch)


def lost_units_leave_the_game(before, after):
    for player in range(4):
        grown = after["garrison"][player] > before["garrison"][player]
        if grown.any():
            after["garrison"][player, np.flatnonzero(grown)[0]] -= 1


def discards_vanish(before, after):
    if after["discards"].sum() > before["discards"].sum():
        after["discards"] = before["discards"]


def draws_copy_the_card(before, after):
    if after["deck_count"] < before["deck_count"]:
        after["deck"], after["deck_count"] = before["deck"], before["deck_count"]


def cards_are_marked_with_the_next_cycle(before, after):
    grown = np.flatnonzero(after["hand_count"] > before["hand_count"])
    for player in grown:
        after["hand_cycle"][player, after["hand_count"][player] - 1] += 1


def cards_are_noted_as_taken_from_the_next_cycle(before, after):
    for player, hand in enumerate(before["hand"]):
        gone = before["taken_cycle"][player] != after["taken_cycle"][player]
        for kind in np.flatnonzero(gone):
            after["taken_cycle"][player, kind] = before["hand_cycle"][player, np.flatnonzero(hand == kind)[-1]] + 1


def emptied_land_stays_controlled(before, after):
    lost = (before["territory_owner"] >= 0) & (after["territory_owner"] == NO_PLAYER)
    after["territory_owner"][lost] = before["territory_owner"][lost]


def conquered_land_belongs_to_nobody(before, after):
    won = (before["territory_owner"] == NO_PLAYER) & (after["territory_owner"] >= 0)
    after["territory_owner"][won] = NO_PLAYER


def played_cards_stay_on_the_board(before, after):
    if before["num_skirmishes"] and not after["num_skirmishes"]:
        after["skirmish_cards"][0, 0] = 1


def a_counter_is_lost(before, after):
    if before["decision"] == Decision.COUNTER_SKIRMISH:
        after["skirmish_counters"] = before["skirmish_counters"]


def a_die_is_lost(before, after):
    if before["decision"] == Decision.PAIR and after["num_skirmishes"]:
        after["skirmish_dice"][0, 1] = 0


def a_die_too_many(before, after):
    if before["decision"] == Decision.EXTRA_DIE and after["num_skirmishes"]:
        after["skirmish_dice"][0, 0, 4] += 1


def bars_are_lifted(before, after):
    if before["barred"]:
        after["barred"] = 0


def attacks_are_not_limited(before, after):
    if after["attacks"] > before["attacks"]:
        after["attacks"] = 101


def a_seat_is_left_out(before, after):
    others = [seat for seat in np.flatnonzero(after["alive"]) if seat not in (before["active"], after["active"])]
    if after["turn"] > before["turn"] and others:
        after["active"] = after["current_player"] = others[-1]


def rounds_are_turns(before, after):
    if after["turn"] > before["turn"] and after["rounds"] == before["rounds"]:
        after["rounds"] += 1


def eliminated_player_keeps_land(before, after):
    for player in np.flatnonzero(before["alive"] > after["alive"]):
        after["territory_owner"][before["territory_owner"] == player] = player


def nobody_dominates(before, after):
    if after["terminated"] and after["alive"].sum() > 1:
        after["winner"] = (after["winner"] + 1) % 2


def games_end_twice(before, after):
    if after["truncated"]:
        after["terminated"] = 1


FAULTS: dict[Fault, str] = {
    lost_units_leave_the_game: "has units",
    discards_vanish: "cards of each kind",
    draws_copy_the_card: "cards of each kind",
    cards_are_marked_with_the_next_cycle: "cycles of player",
    cards_are_noted_as_taken_from_the_next_cycle: "an older card than|has parted with",
    emptied_land_stays_controlled: "without a unit",
    conquered_land_belongs_to_nobody: "nobody controls|has units",
    played_cards_stay_on_the_board: "on the battle board|beyond the last",
    a_counter_is_lost: "counters of the",
    a_die_is_lost: "dice of the",
    a_die_too_many: "dice of the",
    bars_are_lifted: "a bar is lifted",
    attacks_are_not_limited: "attacks of",
    a_seat_is_left_out: "has the turn|bystander",
    rounds_are_turns: "rounds have ended|of \\d+",
    eliminated_player_keeps_land: "is out and controls|without a unit|has units",
    nobody_dominates: "has won|the winner is",
    games_end_twice: "both ended|add up to zero",
}


def find(fault: Fault) -> None:
    """Play games with a fault; raise if it is noticed."""
    first = 200 if fault is nobody_dominates else 0  # in the games before, nobody dominates
    for seed in range(first, first + GAMES):
        is_new = seed % 2 == 0
        game, _ = start_of(seed, is_new)
        bout = Bout(seed, is_new=is_new, game=spoiled(game, fault))
        bout.play_at_random(DECISIONS if not is_new else 5 * DECISIONS, random.Random(seed).choice((0.0, 0.01)))


@pytest.mark.skipif(INTERPRETED, reason="takes minutes without the compiler")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_planted_fault_is_noticed(fault):
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        find(fault)
