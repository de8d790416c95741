"""Sack Armies in words: public events, decisions, what is announced, what tokens are called."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.constants import Decision, Event, Kind, Verb
from sackarmies_env.games.sack_armies.narrate_events import (
    DOWNFALLS,
    NOT_KINDS,
    OF_A_TYPE,
    OUTCOMES,
    LogEvent,
    Names,
)
from sackarmies_env.render.board import counted

VERB_WORDS = {
    Verb.DRAW: "Draw",
    Verb.DEPLOY: "Deploy",
    Verb.MOVE: "Move",
    Verb.MELEE: "melee attack",
    Verb.RANGED: "ranged attack",
    Verb.COORD_MELEE: "coordinated melee attack",
    Verb.COORD_RANGED: "coordinated ranged attack",
    Verb.MOVE_ATTACK: "Move and Attack",
    Verb.CAPTURE: "Capture",
    Verb.COUNTER_TOKEN: "Counter",
    Verb.DISPEL: "Dispel",
    Verb.DISMISS: "Dismiss",
    Verb.RAISE: "Raise",
    Verb.CAST: "casting",
    Verb.CUSTOM: "printed action",
    Verb.REVEAL_UNIT: "reveal a unit",
    Verb.REVEAL_TOKEN: "reveal an attachment",
    Verb.SURPRISE: "surprise maneuver",
    Verb.CONCEDE: "concede",
}
QUESTIONS = {
    Decision.SETUP_PICK: "pick a battlefield for Setup",
    Decision.SETUP_TYPE: "choose a battlefield to place",
    Decision.SETUP_HEX: "choose where to place it",
    Decision.MENU: "choose an action",
    Decision.DISCARD: "discard a token, or done",
    Decision.DEPLOY_TYPE: "choose a token to deploy, or done",
    Decision.DEPLOY_HEX: "choose where to deploy it",
    Decision.REVEAL_HEX: "choose a unit to reveal, or the host of the attachment",
    Decision.REVEAL_SLOT: "choose an attachment to reveal",
    Decision.MOVE_UNIT: "choose a unit to move, or done",
    Decision.MOVE_TO: "choose where to move it",
    Decision.SOURCE: "choose the unit that acts",
    Decision.TARGET: "choose the target",
    Decision.COORD_TARGET: "choose the target",
    Decision.COORD_MEMBER: "add an attacker, or done",
    Decision.CHARGE_TO: "choose where to move before the attack",
    Decision.TOKEN_HOST: "choose the unit whose attachment is meant",
    Decision.TOKEN_SLOT: "choose the attachment",
    Decision.RAISE_TYPE: "choose whom to raise",
    Decision.RAISE_HEX: "choose where the raised unit comes in",
    Decision.CAST_HOST: "choose the unit that casts",
    Decision.CAST_SLOT: "choose the spell or maneuver",
    Decision.EFFECT_TARGET: "choose the target of the effect",
    Decision.EFFECT_SLOT: "choose the attachment of the target",
    Decision.EFFECT_HEX: "choose where it ends",
    Decision.EFFECT_TYPE: "choose whom to raise",
    Decision.WINDOW: "react, or pass",
    Decision.SURPRISE_SLOT: "choose a surprise maneuver",
    Decision.AMBUSH: "flip for ambush?",
    Decision.COUNTER: "counter-attack?",
    Decision.DESIGNATE: "choose who takes the counter-attack",
    Decision.ADVANCE: "advance?",
    Decision.SAVE: "save the unit hit by scatter?",
    Decision.SAVE_SLOT: "choose what saves it",
}
SIMPLE = {
    Event.CANCEL: "what {general} announced is cancelled",
    Event.MISS: "the attack of {general} misses",
    Event.TURN: "the turn of {general} begins",
}


def verb_words(verb: int) -> str:
    """Return a verb of the action space in words."""
    return VERB_WORDS.get(Verb(verb), "") if verb else ""


def question(decision: int, verb: int, may_pass: bool = False) -> str:
    """Return what the player is asked.

    Args:
        decision: what it is.
        verb: what the player has begun a choice with; 0 for nothing.
        may_pass: in the menu of a turn, whether the turn may be ended without an action.
    """
    if decision == Decision.NONE:
        return ""
    words = QUESTIONS[Decision(decision)]
    if decision == Decision.MENU and may_pass:
        words += ", or pass"
    return f"{verb_words(verb)}: {words}" if verb else words


def event_words(event: LogEvent, names: Names) -> str:
    """Return a public event as a sentence, told as it was seen by all."""
    general = f"General {event.player}"
    at = f" at {names.hexes[event.cell]}" if event.cell >= 0 else ""
    if event.kind in OF_A_TYPE:
        words = OF_A_TYPE[event.kind].format(general=general, token=names.named(event.value), at=at)
    elif event.kind in SIMPLE:
        words = SIMPLE[event.kind].format(general=general)
    else:
        words = valued_words(event, names, general, at)
    return words[0].upper() + words[1:]


def valued_words(event: LogEvent, names: Names, general: str, at: str) -> str:
    """Return an event whose value is something else than a type."""
    match event.kind:
        case Event.FLIP:
            return f"{general} flips {'heads' if event.value else 'tails'}"
        case Event.ANNOUNCE:
            return f"{general} announces: {verb_words(event.value)}{at}"
        case Event.DRAW:
            return f"{general} draws {counted(event.value, 'token')}"
        case Event.DISCARD:
            return f"{general} discards {counted(event.value, 'token')}"
        case Event.MOVE:
            return f"{general} moves a unit from {names.hexes[event.value]} to {names.hexes[event.cell]}"
        case Event.DEPLOY:
            return f"{general} deploys {deployed_words(event.value)}{at}"
        case Event.WRONG_KIND:
            return f"the face-down attachment of {general}{at} is {NOT_KINDS.get(event.value, 'of another kind')}"
        case _:
            return f"{general} {DOWNFALLS.get(event.value, 'is out')}"


def deployed_words(kind: int) -> str:
    """Return what a deployed token of a public kind is called; -1 for an attachment, whose kind is not public."""
    if kind == Kind.UNIT:
        return "a unit"
    return "a battlefield" if kind == Kind.BATTLEFIELD else "an attachment"


def outcome_words(winner: int, victory: int, truncated: bool, turn: int) -> str:
    """Return how a finished game ended."""
    if truncated:
        return f"Cut off in turn {turn}: a draw"
    if winner < 0:
        return f"A draw in turn {turn}"
    return f"General {winner} wins in turn {turn}: {OUTCOMES.get(victory, 'the last one left')}"
