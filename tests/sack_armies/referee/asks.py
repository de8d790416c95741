"""Decisions that the rules owe a General after a decision (D-01 to D-30).

Masks cannot show that a decision was never asked. Where the outcome depends on flips, or on what a reveal may change,
nothing is claimed here.
"""

from __future__ import annotations

from dataclasses import replace

from sackarmies_env.games.sack_armies.state.constants import Decision, Frame, Verb, Zone
from sackarmies_env.games.sack_armies.tokens.text_schema import ScatterAbility
from tests.sack_armies.referee.attacks import attackers, counter_choices, is_melee, may_ambush
from tests.sack_armies.referee.board import is_adjacent, is_empty, is_legal_hex, neighbors
from tests.sack_armies.referee.deploy import deploy_hexes
from tests.sack_armies.referee.position import Hit, Position, Token
from tests.sack_armies.referee.reactions import can_be_saved
from tests.sack_armies.referee.stats import abilities, effective_movement, has

Question = tuple[Decision, int]  # what is asked, and of whom
COORD_VERBS = (Verb.COORD_MELEE, Verb.COORD_RANGED)


def missed_question(before: Position, action: int, after: Position) -> str:
    """Return a sentence on the question that was owed after an action and is not asked next; empty if there is none.

    Also say whether the state has lost track of what counter-attacks depend on.
    """
    if lost_track_of_surprise(before, after):
        return "a surprise maneuver is charged to another defender than the one that has used it"
    asked = (after.decision, after.player)
    for owed in owed_questions(before, action, after):
        if asked not in owed:
            wanted = " or ".join(f"{decision.name} of player {player}" for decision, player in owed)
            return f"{before.decision.name} must lead to {wanted}, but {asked[0].name} is asked of player {asked[1]}"
    return ""


def owed_questions(before: Position, action: int, after: Position) -> list[list[Question]]:
    """Return the questions that are owed, each as a list of alternatives, one of which must be asked."""
    owed = [after_window(before, action, after), after_deploying(before, action), after_moving(before, action)]
    if is_resolving(before, action) and not is_check_failed(before, after):
        owed += [reaction_of(before, action, after), advance_of(before, after), save_of(before, after)]
    return [questions for questions in owed if questions]


# --- deploy and move


def after_deploying(before: Position, action: int) -> list[Question]:
    """Return the question owed to a General who can deploy more (R8.2-1, Q-21, Q-92, D-05)."""
    if before.decision != Decision.DEPLOY_HEX or before.numbers[0] + 1 >= before.switches.hand_limit:
        return []
    hand = before.pile(before.player, Zone.HAND)
    chosen = next(token for token in hand if token.type == before.chosen[0])
    for token in hand:
        places = [hex_ for hex_ in deploy_hexes(before, token) if before.hex_id(hex_) != action]
        if token is not chosen and places:
            return or_window(before, (Decision.DEPLOY_TYPE, before.player))
    return []


def after_moving(before: Position, action: int) -> list[Question]:
    """Return the question owed to a General who can move a second unit (R8.3-1, D-10)."""
    if before.decision != Decision.MOVE_TO or before.numbers[0] > 0:
        return []
    for unit in before.own_units():
        if unit is before.chosen_unit(0) or unit.employed or effective_movement(before, unit) == 0 or unit.hex is None:
            continue
        steps = [hex_ for hex_ in neighbors(before, unit.hex) if is_legal_hex(before, hex_) and is_empty(before, hex_)]
        if any(before.hex_id(step) != action for step in steps):
            return or_window(before, (Decision.MOVE_UNIT, before.player))
    return []


def or_window(before: Position, question: Question) -> list[Question]:
    """Return a question, or a window that may come before it if windows open everywhere (D-30, C-reaction_windows)."""
    if before.switches.reaction_windows != "full":
        return [question]
    return [question, *((Decision.WINDOW, player) for player in range(before.num_generals))]


# --- windows


def after_window(before: Position, action: int, after: Position) -> list[Question]:
    """Return who is asked after a General has passed, if nobody is skipped silently (P-WINDOW, Q-46, Q-80).

    First the General whose unit is targeted, then the others counter-clockwise, the active General last.
    """
    if before.decision != Decision.WINDOW or action != Verb.PASS or before.switches.auto_forced:
        return []
    order = window_order(before)
    passes = before.numbers[4]
    if passes + 1 >= len(order):
        return []
    return [(Decision.WINDOW, order[(order.index(before.player) + 1) % len(order)])]


def window_order(position: Position) -> list[int]:
    """Return the Generals that a window asks, in order (P-WINDOW, C-reaction_windows)."""
    targeted, alive = position.numbers[1], position.alive
    if position.switches.reaction_windows == "targeted_only":
        return [targeted]
    first = (position.active + 1) % position.num_generals if targeted in (-1, position.active) else targeted
    seats = [(first + step) % position.num_generals for step in range(position.num_generals)]
    return [seat for seat in seats if alive[seat] and seat != position.active] + [position.active]


# --- attacks


def lost_track_of_surprise(before: Position, after: Position) -> bool:
    """Return whether a new defender is said to have used a surprise, or the old one not to have (R9.3-6, Q-40)."""
    old, new = before.attack, after.attack
    is_same_attack = (before.active, old.verb, old.hex) == (after.active, new.verb, new.hex)
    if not is_same_attack or old.target is None or new.target is None:
        return False
    is_replaced = new.target.row != old.target.row
    return new.surprised if is_replaced else old.surprised and not new.surprised


def is_resolving(before: Position, action: int) -> bool:
    """Return whether an announced attack proceeds to its flips or beyond, unless somebody reacts."""
    if before.decision == Decision.WINDOW:
        return before.is_window_on_attack and action == Verb.PASS
    return before.decision in (Decision.AMBUSH, Decision.COUNTER, Decision.DESIGNATE)


def is_check_failed(before: Position, after: Position) -> bool:
    """Return whether a coordination check may have come in between and failed (C-coord_window)."""
    may_fail = before.decision == Decision.WINDOW and before.switches.coord_window != "after_check"
    return before.attack.verb in COORD_VERBS and may_fail


def reaction_of(before: Position, action: int, after: Position) -> list[Question]:
    """Return the question owed before an attack is resolved: ambush, counter-attack, designation (D-23 to D-26)."""
    if after.frame == Frame.WINDOW:
        return []
    choices = counter_choices(before)
    if before.decision == Decision.COUNTER:
        is_open = action == Verb.YES and before.attack.unit is None and len(choices) > 1
        return [(Decision.DESIGNATE, before.active)] if is_open else []
    if before.decision == Decision.DESIGNATE:
        return []
    if before.decision == Decision.WINDOW and may_ambush(before):
        return [(Decision.AMBUSH, before.active)]
    flips_for_ambush = before.decision == Decision.AMBUSH and action == Verb.YES
    if not choices or before.attack.target is None or flips_for_ambush or ambushes_unasked(before):
        return []
    return [(Decision.COUNTER, before.attack.target.controller)]


def ambushes_unasked(position: Position) -> bool:
    """Return whether the ambush flip is made without asking (C-auto_ambush)."""
    unit = position.attack.unit
    is_melee_alone = unit is not None and is_melee(position.attack.verb)
    return unit is not None and is_melee_alone and position.switches.auto_ambush and has(position, unit, "ambush")


def advance_of(before: Position, after: Position) -> list[Question]:
    """Return the question to advance owed to an attacker who killed in melee (R8.4.3-1, D-27).

    Where scatter may have killed as well, or the game is over, nothing is claimed.
    """
    attack = before.attack
    defender = attack.target
    if after.decision in (Decision.COUNTER, Decision.AMBUSH, Decision.DESIGNATE, Decision.SAVE, Decision.SAVE_SLOT):
        return []
    if not is_melee(attack.verb) or defender is None or attack.worn_out or after.player < 0:
        return []
    if attack.unit is None and not before.switches.advance_after_coord:
        return []
    others = [*attackers(before), defender]
    if any(has(before, unit, "scatter") for unit in others) or not is_killed_since(after, defender):
        return []
    able = [
        unit
        for unit in attackers(before)
        if zone_of(after, unit) == Zone.BATTLEGROUND and effective_movement(before, unit) > 0
    ]
    return [(Decision.ADVANCE, before.active)] if able else []


def save_of(before: Position, after: Position) -> list[Question]:
    """Return the question owed to a General before scatter kills a face-down unit that can be saved (Q-55, D-28).

    Progressive scatter flips may do any damage: nothing is claimed about them.
    """
    attack = before.attack
    if attack.unit is None or attack.target is None or after.decision in (Decision.SAVE, Decision.SAVE_SLOT):
        return []
    for unit in before.units:
        if unit.face_up or not is_killed_since(after, unit):
            continue
        sources = [(attack.unit, attack.target), (attack.target, attack.unit)]
        scatters = [
            ability
            for source, hit in sources
            if is_adjacent(unit, hit)
            for ability in abilities(before, source)
            if isinstance(ability, ScatterAbility)
        ]
        hits = [Hit(unit, ability.damage, True, False) for ability in scatters]
        hurt = replace(before, hits=hits, player=unit.controller)
        if hits and all(ability.flip == "single" for ability in scatters) and can_be_saved(hurt, unit):
            return [(Decision.SAVE, unit.controller)]
    return []


def is_killed_since(after: Position, unit: Token) -> bool:
    """Return whether a unit of an earlier position has been killed, and not lost with its General (R5.0-6)."""
    return zone_of(after, unit) == Zone.CASUALTIES and after.alive[unit.controller]


def zone_of(position: Position, token: Token) -> Zone:
    """Return where a token of an earlier position is now."""
    return next(other.zone for other in position.tokens if other.row == token.row)
