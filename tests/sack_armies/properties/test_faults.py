"""The invariants themselves: a state that breaks one of them is detected, and by the right check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Zone
from sackarmies_env.games.sack_armies.state.record import IN_SIGHT
from tests.sack_armies.builders.configurations import Configuration
from tests.sack_armies.properties.bout import Bout
from tests.sack_armies.properties.invariants import (
    check_army,
    check_indexes,
    check_memory,
    check_numbers,
    check_order,
    look_closely,
)
from tests.sack_armies.properties.view import View, spot
from tests.sack_armies.referee.board import neighbors
from tests.sack_armies.referee.position import Token

BATTLE = Configuration("battle", 3, {"no_progress_turns": 6, "max_turns": 30}, number=5)


def some(view: View, kind: str, zone: Zone, owner: int = 0) -> Token:
    """Return a token of a General."""
    return next(
        token
        for token in view.position.tokens
        if token.text.kind == kind and token.zone == zone and token.owner == owner
    )


def host(view: View, owner: int = 0) -> Token:
    """Return a unit with an attachment."""
    return next(unit for unit in view.units if unit.attachments and unit.owner == owner)


def change_a_type(state: Any, view: View) -> None:
    token = some(view, "unit", Zone.SACK)
    state["token_type"][token.row] = some(view, "battlefield", Zone.BATTLEGROUND).type


def change_an_owner(state: Any, view: View) -> None:
    state["token_owner"][some(view, "unit", Zone.SACK).row] = 1


def lose_a_token(state: Any, view: View) -> None:
    state["token_zone"][some(view, "unit", Zone.SACK).row] = Zone.NONE


def bring_back(state: Any, view: View) -> None:
    row = next(token.row for token in view.position.tokens if token.zone == Zone.REMOVED)
    state["token_zone"][row] = Zone.SACK
    state["token_face"][row] = 0


def stack_units(state: Any, view: View) -> None:
    one, other, *_ = view.units
    state["token_hex"][one.row] = view.position.cell_of[spot(other)]


def leave_the_land(state: Any, view: View) -> None:
    state["token_hex"][view.units[0].row] = view.position.cell_of[max(view.position.hexes)]


def move_a_battlefield(state: Any, view: View) -> None:
    taken = set(view.position.field_on)
    free = next(hex_ for hex_ in view.position.hexes if hex_ not in taken)
    (field,) = (field for field in view.fields if field.hex == (0, 0))
    state["token_hex"][field.row] = view.position.cell_of[free]


def turn_an_arrow(state: Any, view: View) -> None:
    field = some(view, "battlefield", Zone.BATTLEGROUND)
    state["token_controller"][field.row] = (field.controller + 1) % 3


def tear_a_stack(state: Any, view: View) -> None:
    state["token_host"][host(view).attachments[0].row] = NO_TOKEN


def bend_a_stack(state: Any, view: View) -> None:
    row = host(view).attachments[-1].row
    state["token_next"][row] = row


def overload(state: Any, view: View) -> None:
    unit = host(view)
    for row in [token.row for token in view.position.pile(0, Zone.SACK)[:3]]:
        state["token_zone"][row] = Zone.ATTACHED
        state["token_host"][row] = unit.row
        state["token_next"][row] = state["token_first"][unit.row]
        state["token_first"][unit.row] = row


def show_a_sack(state: Any, view: View) -> None:
    state["token_face"][some(view, "unit", Zone.SACK).row] = 1


def hold_an_own_unit(state: Any, view: View) -> None:
    captive = some(view, "unit", Zone.SACK)
    state["token_zone"][captive.row] = Zone.CAPTURED
    state["token_host"][captive.row] = next(unit for unit in view.units if unit.owner == captive.owner).row


def crowd_the_land(state: Any, view: View) -> None:
    field = some(view, "battlefield", Zone.SACK)
    foreign = next(other for other in view.fields if other.owner != field.owner)
    free = next(hex_ for hex_ in neighbors(view.position, spot(foreign)) if hex_ not in view.position.field_on)
    state["token_zone"][field.row] = Zone.BATTLEGROUND
    state["token_hex"][field.row] = view.position.cell_of[free]
    state["token_face"][field.row] = 1


def defeat_nobody(state: Any, view: View) -> None:
    for token in view.position.tokens:
        if token.owner == 2 and token.text.kind == "unit":
            state["token_zone"][token.row] = Zone.REMOVED
            state["token_face"][token.row] = 1
            state["token_hex"][token.row] = -1


def defeat_somebody(state: Any, view: View) -> None:
    state["general_alive"][2] = 0


def ask_nobody(state: Any, view: View) -> None:
    state["legal"][:] = 0


def go_on_for_ever(state: Any, view: View) -> None:
    state["turn"] = 31
    state["last_progress_turn"] = 30


def break_off(state: Any, view: View) -> None:
    state["truncated"] = 1


def hide_from_neighbors(state: Any, view: View) -> None:
    for unit in view.units:
        state["token_face"][unit.row] = 0


FAULTS: dict[Callable[[Any, View], None], str] = {
    change_a_type: "the type of a token has changed",
    change_an_owner: "the owner of a token has changed",
    lose_a_token: "tokens have come or gone",
    bring_back: "was removed from play and is back",
    stack_units: "several units on a hex",
    leave_the_land: "is off legal hexes",
    move_a_battlefield: r"has left \(0, 0\)",
    turn_an_arrow: "has turned within a turn",
    tear_a_stack: "but its host is -1",
    bend_a_stack: "has no end",
    overload: "attachments of its owner's",
    show_a_sack: "in SACK lies face up",
    hold_an_own_unit: "is a captive of its own General",
    crowd_the_land: "breaks the neutral zone",
    defeat_nobody: "has lost all units, but is in the game",
    defeat_somebody: "who is eliminated, is in play",
    ask_nobody: r"too few legal actions: \[\]",
    go_on_for_ever: "turn 31 of at most 30",
    break_off: "the game is truncated for no reason",
    hide_from_neighbors: "seen but face down",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_state_that_breaks_an_invariant_is_detected(fault: Callable[[Any, View], None]):
    bout = Bout(BATTLE.options(), 1)
    before = View(bout)
    look_closely(before, before, before)
    fault(bout.state, before)
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        look_closely(before, before, View(bout))


def test_other_army_is_detected():
    bout = Bout(BATTLE.options(), 1)
    view = View(bout)
    check_army(view)
    change_a_type(bout.state, view)
    with pytest.raises(AssertionError, match="General 0 owns other tokens than their army list has"):
        check_army(View(bout))


def test_second_turn_in_a_row_is_detected():
    bout = Bout(BATTLE.options(), 1)
    before = View(bout)
    check_order(before, before)
    bout.state["turn"] += 1
    with pytest.raises(AssertionError, match=f"after General {before.active} comes"):
        check_order(before, View(bout))


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("token_seen", IN_SIGHT, "in SACK has a wrong token_seen"),
        ("token_drawn", 100, "in SACK was drawn after return 100"),
        ("token_seen", 100, "in SACK went to the sack with return 99"),
    ],
)
def test_wrong_memory_is_detected(field: str, value: int, sentence: str):
    bout = Bout(BATTLE.options(), 1)
    view = View(bout)
    check_memory(bout, view)
    bout.state[field][some(view, "unit", Zone.SACK).row] = value
    with pytest.raises(AssertionError, match=sentence):
        check_memory(bout, View(bout))


def test_outdated_index_is_detected():
    bout = Bout(BATTLE.options(), 1)
    check_indexes(bout)
    bout.state["hand_count"][0] += 1
    with pytest.raises(AssertionError, match="the index hand_count is out of date"):
        check_indexes(bout)


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("active", 3, "active contains 3: it must be from -1 to 2"),
        ("attack_unit", 10_000, "attack_unit contains 10000: it must be"),
        ("act_hex", -2, "act_hex contains -2: it must be"),
        ("attack_announced", 2, "attack_announced contains 2: it must be from 0 to 1"),
    ],
)
def test_a_number_out_of_its_declared_range_is_found_out(field: str, value: int, sentence: str):
    bout = Bout(BATTLE.options(), 1)
    check_numbers(bout)
    bout.state[field] = value
    with pytest.raises(AssertionError, match=sentence):
        check_numbers(bout)
