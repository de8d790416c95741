"""Words for Sack Armies: public events, decisions, announcements, names of tokens."""

from __future__ import annotations

import functools

from sackarmies_env.core.game import Game
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.games.sack_armies.words.event_sentences import OUTCOMES, LogEvent, Names, event_sentence, verb_words

LEGEND = """\
On the board, 0:Orc Infantry is a unit of General 0; where there is little room it is 0:OrI, and the key tells the \
names. After it, ? is a unit of yours that is face down, +1 an attachment, * a unit that has acted; ?? is a unit that \
you do not know. The line under it is the battlefield with its owner, then > and its controller, if that is another \
General."""
QUESTIONS = {
    Decision.SETUP_PICK: "pick a battlefield for Setup",
    Decision.SETUP_TYPE: "choose a battlefield to place",
    Decision.SETUP_HEX: "choose where to place it",
    Decision.MENU: "choose an action",
    Decision.DISCARD: "discard a token",
    Decision.DEPLOY_TYPE: "choose a token to deploy",
    Decision.DEPLOY_HEX: "choose where to deploy it",
    Decision.REVEAL_HEX: "choose a unit to reveal, or the host of the attachment",
    Decision.REVEAL_SLOT: "choose an attachment to reveal",
    Decision.MOVE_UNIT: "choose a unit to move",
    Decision.MOVE_TO: "choose where to move it",
    Decision.SOURCE: "choose the unit that acts",
    Decision.TARGET: "choose the target",
    Decision.COORD_TARGET: "choose the target",
    Decision.COORD_MEMBER: "add an attacker",
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
ENDS = {  # added to a question if the player may pass
    Decision.MENU: ", or pass",
    Decision.DISCARD: ", or done",
    Decision.DEPLOY_TYPE: ", or done",
    Decision.MOVE_UNIT: ", or done",
    Decision.COORD_MEMBER: ", or done",
}


@functools.lru_cache(maxsize=8)
def names_of(game: Game) -> Names:
    """Return the names of types and hexes in a configuration."""
    return Names.of(game)


def question(decision: int, verb: int, may_pass: bool = False) -> str:
    """Return what the player is asked.

    Args:
        decision: a `Decision`.
        verb: verb with which the player has begun a choice; 0 for none.
        may_pass: whether they may pass: end the turn without an action, or finish a series of choices.
    """
    if decision == Decision.NONE:
        return ""
    words = QUESTIONS[Decision(decision)]
    if may_pass:
        words += ENDS.get(Decision(decision), "")
    return f"{verb_words(verb)}: {words}" if verb else words


def event_words(event: LogEvent, names: Names) -> str:
    """Return a public event as a sentence, as everyone has seen it."""
    words = event_sentence(names, event)
    return words[0].upper() + words[1:]


def outcome_words(winner: int, victory: int, truncated: bool, turn: int) -> str:
    """Return how a finished game ended."""
    if truncated:
        return f"Truncated in turn {turn}: a draw"
    if winner < 0:
        return f"A draw in turn {turn}"
    return f"General {winner} wins in turn {turn}: {OUTCOMES.get(victory, 'the last one left')}"
