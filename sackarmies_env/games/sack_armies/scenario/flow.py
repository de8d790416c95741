"""Validation of procedures: compiled rules trust a state, so untrusted positions are checked for consistency.

`procedure` checks single values. This module checks that the parts fit together: which procedures lie on which others,
what they may ask, and what their numbers and the choice so far stand for. A position that fails these checks would lead
the rules past the end of their tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.flow import NO_CHOICE
from sackarmies_env.core.messages import join, quote
from sackarmies_env.games.sack_armies.rules.activate import ActivateStep
from sackarmies_env.games.sack_armies.rules.attack import AttackStep
from sackarmies_env.games.sack_armies.rules.deploy import DrawStep
from sackarmies_env.games.sack_armies.rules.setup import GENERAL_ONE, OFFSET, PICKER, ROUND, SETUP_FIELDS, SetupStep
from sackarmies_env.games.sack_armies.scenario.names import Names
from sackarmies_env.games.sack_armies.state.chance import CARDS_OF_A_COLOR, JOKERS
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Decision, Frame, Verb, Victory, Zone
from sackarmies_env.games.sack_armies.state.flow import (
    RESULT,
    WINDOW_KIND,
    WINDOW_PASSES,
    WINDOW_POSITION,
    WINDOW_START,
    WINDOW_TARGETED,
    TurnStep,
    WindowKind,
    WindowResult,
    WindowStep,
)

D = Decision
REVEALS = (D.REVEAL_HEX, D.REVEAL_SLOT)
EFFECTS = (D.EFFECT_TARGET, D.EFFECT_SLOT, D.EFFECT_HEX, D.EFFECT_TYPE)
ASKS: dict[Frame, tuple[Decision, ...]] = {  # what the procedure on top may be asking
    Frame.SETUP: (D.SETUP_PICK, D.SETUP_TYPE, D.SETUP_HEX),
    Frame.TURN: (
        *(D.MENU, D.DISCARD, D.SOURCE, D.TARGET, D.COORD_TARGET, D.COORD_MEMBER, D.TOKEN_HOST, D.TOKEN_SLOT),
        *(D.RAISE_TYPE, D.RAISE_HEX, D.CAST_HOST, D.CAST_SLOT, *REVEALS, *EFFECTS),
    ),
    Frame.DRAW: (D.DISCARD,),
    Frame.DEPLOY: (D.DEPLOY_TYPE, D.DEPLOY_HEX),
    Frame.MOVE: (D.MOVE_UNIT, D.MOVE_TO),
    Frame.ATTACK: (D.CHARGE_TO, D.AMBUSH, D.COUNTER, D.DESIGNATE, D.ADVANCE, D.SAVE, D.SAVE_SLOT),
    Frame.ACTIVATE: (D.RAISE_HEX, D.SAVE, D.SAVE_SLOT, *EFFECTS),
    Frame.WINDOW: (D.WINDOW, D.SURPRISE_SLOT, *REVEALS, *EFFECTS),
}
STEPS: dict[Frame, type[IntEnum]] = {  # procedures not listed here have a single step
    Frame.SETUP: SetupStep,
    Frame.TURN: TurnStep,
    Frame.DRAW: DrawStep,
    Frame.ATTACK: AttackStep,
    Frame.ACTIVATE: ActivateStep,
    Frame.WINDOW: WindowStep,
}
ABOVE: dict[Frame, tuple[Frame, ...]] = {  # what may lie on a procedure
    Frame.SETUP: (),
    Frame.TURN: (Frame.DRAW, Frame.DEPLOY, Frame.MOVE, Frame.ATTACK, Frame.ACTIVATE, Frame.WINDOW),
    Frame.DRAW: (Frame.WINDOW,),
    Frame.DEPLOY: (Frame.WINDOW,),
    Frame.MOVE: (Frame.WINDOW,),
    Frame.ATTACK: (Frame.WINDOW,),
    Frame.ACTIVATE: (Frame.WINDOW,),
    Frame.WINDOW: (Frame.ACTIVATE,),  # a surprise maneuver
}
WINDOWS: dict[Frame, tuple[WindowKind, ...]] = {  # what a window on a procedure may answer
    Frame.ATTACK: (WindowKind.ATTACK, WindowKind.CHARGE),
    Frame.ACTIVATE: (WindowKind.ACTIVATION,),
}
AFTER_A_WINDOW = (Frame.TURN, Frame.DRAW, Frame.DEPLOY, Frame.MOVE, Frame.ATTACK)  # what may ask something next
NEEDS = {  # how many parts the choice has at a decision; at others none, but see `_parts_before`
    **dict.fromkeys((D.SETUP_HEX, D.DEPLOY_HEX, D.REVEAL_SLOT, D.MOVE_TO, D.TARGET, D.COORD_MEMBER, D.TOKEN_HOST), 1),
    **dict.fromkeys((D.RAISE_TYPE, D.CAST_SLOT), 1),
    D.TOKEN_SLOT: 2,
}
FEWEST_DRAWN = 2  # Generals who are eliminated together as the last ones
MOST_COUNTED = 64  # tokens that a General can have discarded, deployed or moved
HELD_IN = {  # decisions whose choice begins with a type, and where its token must be; other choices are units' hexes
    D.SETUP_HEX: (Zone.PICKED, Zone.SACK, Zone.HAND),
    D.DEPLOY_HEX: (Zone.HAND,),
}


def flow_faults(params: NDArray[np.void], states: NDArray[np.void], names: Names) -> Iterator[str]:
    """Yield the inconsistencies in the procedure of `states[0]`, those of the stack first; none if it is consistent."""
    state: Any = states.view(np.ndarray)[0]
    generals = int(params["num_generals"][0])
    stack = [Frame(int(kind)) for kind in state["frame_kind"][: int(state["frame_top"]) + 1]]
    faults = [*_stack_faults(state, stack), *_deck_faults(state)]
    if not faults:
        faults = [*_number_faults(state, stack, generals), *_end_faults(state)]
        faults += _question_faults(state, stack[-1], names)
    yield from faults


def _stack_faults(state: Any, stack: list[Frame]) -> Iterator[str]:
    """Each procedure must lie where it may, at a step that it has."""
    lowest = Frame.SETUP if state["active"] < 0 else Frame.TURN
    if stack[0] != lowest:
        without = "with" if lowest == Frame.SETUP else "without"
        yield f"frame_kind: {_name(stack[0])} cannot be the lowest procedure {without} setup = true"
    for below, above in pairwise(stack):
        if above not in ABOVE[below]:
            yield f"frame_kind: {_name(above)} cannot lie on {_name(below)}"
    for place in range(2, len(stack)):
        surprise = state["act_verb"] == Verb.SURPRISE and stack[place - 2] == Frame.ATTACK
        if stack[place] == Frame.ACTIVATE and not (surprise and place == len(stack) - 1):
            yield "frame_kind: only a surprise maneuver can be activated within an attack, as the last procedure"
    for kind, step in zip(stack, state["frame_step"].tolist(), strict=False):
        steps = [int(one) for one in STEPS.get(kind, (0,))]
        if step not in steps:
            yield f"frame_step: {_name(kind)} has the steps {steps[0]} to {steps[-1]}, not {step}"


def _number_faults(state: Any, stack: list[Frame], generals: int) -> Iterator[str]:
    """The numbers of each procedure must be within the limits for their meaning."""
    if state["last_progress_turn"] > state["turn"]:
        yield f"last_progress_turn: {state['last_progress_turn']} is later than the turn, {state['turn']}"
    for name in ("window_closed", "window_heard"):
        if state[name] > generals:
            yield f"{name}: {state[name]} is out of range; allowed are 0 to {generals}"
    if state["window_closed"] > 0 and stack[-1] not in AFTER_A_WINDOW:
        yield f"window_closed: no decision of {_name(stack[-1])} can directly follow a window"
    for place, kind in enumerate(stack):
        data = state["frame_data"][place].tolist()
        limits: list[tuple[int, int]] = [(0, MOST_COUNTED)] * len(data)
        limits[RESULT] = (0, int(max(WindowResult)))
        if kind == Frame.SETUP:
            limits[PICKER] = limits[OFFSET] = (0, generals)
            limits[GENERAL_ONE], limits[ROUND] = (0, generals - 1), (0, SETUP_FIELDS)
        if kind == Frame.WINDOW:
            limits[WINDOW_TARGETED], limits[WINDOW_PASSES] = (-1, generals - 1), (0, generals)
            limits[WINDOW_START] = limits[WINDOW_POSITION] = (0, generals - 1)
            kinds = WINDOWS.get(stack[place - 1], (WindowKind.FREE,))
            if data[WINDOW_KIND] not in kinds:
                below, allowed = _name(stack[place - 1]), join(int(one) for one in kinds)
                yield f"frame_data: a window on {below} cannot be of kind {data[WINDOW_KIND]}; allowed are {allowed}"
        for number, (low, high) in zip(data, limits, strict=True):
            if not low <= number <= high:
                yield f"frame_data: {number} is out of range for {_name(kind)}; allowed are {low} to {high}"


def _end_faults(state: Any) -> Iterator[str]:
    """A draw is how the game ends for the Generals who were last, and nothing is asked once it is over."""
    is_draw = state["terminated"] == 1 and state["victory_type"] == Victory.DRAW
    if state["victory_type"] == Victory.DRAW and not is_draw:
        yield "victory_type: it can be draw only once the game is over"
    num_drawn = int(state["general_drawn"].sum())
    if (num_drawn < FEWEST_DRAWN) if is_draw else num_drawn:
        wanted = "a draw is between at least 2 Generals who were the last" if is_draw else "the game is no draw"
        yield f"general_drawn marks {num_drawn} Generals, but {wanted}"
    if (state["terminated"] or state["truncated"]) and (state["decision"] or state["current_player"] >= 0):
        yield "decision and current_player cannot be given once the game is over: nothing is asked any more"


def _parts_before(decision: Decision, top: Frame) -> int:
    """Return how many parts the choice has when `decision` is asked in the procedure on top."""
    if decision in EFFECTS:
        return int(top == Frame.TURN)  # the acting unit; an announcement or a surprise has cleared the choice
    return NEEDS.get(decision, 0)


def _question_faults(state: Any, top: Frame, names: Names) -> Iterator[str]:
    """The decision must be one of the procedure on top, and the choice so far must fit it."""
    decision, length = Decision(int(state["decision"])), int(state["chain_length"])
    wanted = _parts_before(decision, top)
    if length != wanted:
        yield f"chain_length: the decision {_name(decision)} cannot follow {length} parts of a choice, only {wanted}"
    elif (state["chain"][length:] != NO_CHOICE).any():
        yield f'chain: the choice has {length} parts so far; all others must be "-"'
    if decision == Decision.NONE:
        return
    if decision not in ASKS[top]:
        yield f"decision: {_name(decision)} is not asked in {_name(top)}"
    player = int(state["current_player"])
    if player < 0:
        yield "current_player must be a General while a decision is asked"
    elif state["general_alive"][player] == 0:
        yield f"current_player is {player}, but this General is eliminated"
    if state["attack_verb"] != 0 and state["attack_target"] >= 0:
        defender = state["token_controller"][state["attack_target"]]
        if defender == state["active"]:
            yield f"attack_target: the target is a unit of General {defender}, who is the attacker"
    chosen = state["chain"][:wanted].tolist()
    if decision in HELD_IN:
        held = (state["token_owner"] == state["current_player"]) & np.isin(state["token_zone"], HELD_IN[decision])
        if chosen[0] not in state["token_type"][held]:
            given, player = quote(names.type_name(chosen[0])), state["current_player"]
            yield f"chain: General {player} cannot place the type {given} now"
    elif any(cell < 0 or state["cell_unit"][cell] == NO_TOKEN for cell in chosen):
        given = join(names.hex_name(cell) for cell in chosen)
        yield f"chain: {_name(decision)} requires a unit on each of the hexes {given}"


def _deck_faults(state: Any) -> Iterator[str]:
    """The deck must not hold more cards than there are."""
    for name, most in (("deck_red", CARDS_OF_A_COLOR), ("deck_black", CARDS_OF_A_COLOR), ("deck_jokers", JOKERS)):
        if not 0 <= state[name] <= most:
            yield f"{name}: {state[name]} is out of range; allowed are 0 to {most}"


def _name(code: IntEnum) -> str:
    return code.name.lower()
