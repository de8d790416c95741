"""What the special abilities of Sack Armies do, in a few sentences each, in our own words."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.state.constants import Ability
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Attachment, Unit
from sackarmies_env.games.sack_armies.tokens.text_schema import GrantEffect

ABILITIES = {  # name, whether it is an action or free, what it does
    Ability.AMBUSH: (
        "Ambush",
        "action",
        "When it starts a melee attack on its own, it may flip first. On heads the defender cannot counter-attack; on "
        "tails the attack goes on as usual.",
    ),
    Ability.AUGMENT: (
        "Augment",
        "free",
        "Gives own units next to it, but not itself, more armor or damage: all of them, or the kind that is named.",
    ),
    Ability.AQUATIC: (
        "Aquatic",
        "free",
        "Water does it no harm: it crosses water without being halted and past enemy units there. On water that favors "
        "aquatic units, only they can attack it in melee.",
    ),
    Ability.CAPTURE: (
        "Capture",
        "action",
        "Flip: on heads an adjacent enemy unit goes under the captor, with everything attached to it. When the captor "
        "leaves play, its captives return to their owners' sacks. It is not an attack: no counter-attack, no surprise.",
    ),
    Ability.COUNTER: (
        "Counter",
        "action",
        "Sends a maneuver within range, face up or face down, to its owner's casualties; no flip. A counter-attack is "
        "something else: the answer to an attack, which needs no ability.",
    ),
    Ability.DEFEND: (
        "Defend",
        "free",
        "While it is attacked, it has 1 more armor for each own unit that stands next to both it and an attacker.",
    ),
    Ability.DISMISS: (
        "Dismiss",
        "action",
        "Sends a unit within range back to its owner's sack; no flip. What was attached to it goes to casualties.",
    ),
    Ability.DISPEL: (
        "Dispel",
        "action",
        "Sends a spell within range, face up or face down, to its owner's casualties; no flip.",
    ),
    Ability.DRAW: (
        "Draw",
        "free",
        "Adds a token to each Draw action of its General. How many may be kept does not change.",
    ),
    Ability.FLYING: (
        "Flying",
        "free",
        "It moves over enemy units, and they pass under it. In melee only flying units can attack it, though whoever "
        "it attacks may counter-attack. Some ground does not halt it.",
    ),
    Ability.LEADERSHIP: (
        "Leadership",
        "free",
        "A coordinated attack needs no check if each attacker is a leader or stands next to one.",
    ),
    Ability.MOVE_AND_ATTACK: (
        "Move and Attack",
        "action",
        "Moves next to a target and attacks it in melee, all in one turn. The target may lie face down.",
    ),
    Ability.RAISE: (
        "Raise Dead",
        "action",
        "Flip: on heads another unit of its General's casualties is deployed on a hex next to it; on tails the turn is "
        "lost. Some raise one kind only.",
    ),
    Ability.RANGE: (
        "Range",
        "action",
        "Attacks from as far away as the number says, with a single flip. An adjacent target may be attacked in melee "
        "or at range.",
    ),
    Ability.SCATTER: (
        "Scatter",
        "free",
        "When it does damage on its own, it flips once more: on heads every unit next to the target takes 1 damage as "
        "well, friendly ones and itself included. A printed value may be greater.",
    ),
    Ability.SIGHT: (
        "Sight",
        "free",
        "Reveals enemy units as far away as the number says, not just adjacent ones, from where it has stopped.",
    ),
}


def ability_sentences(token: AnyToken) -> list[str]:
    """Return what the abilities of a unit do, or those that a spell or maneuver lends; `effect_text` names them."""
    kinds = []
    if isinstance(token, Unit):
        kinds = [ability.kind for ability in token.abilities]
    elif isinstance(token, Attachment):
        kinds = [effect.ability.kind for effect in token.effects if isinstance(effect, GrantEffect)]
    sentences = []
    for kind in dict.fromkeys(kinds):
        name, _, sentence = ABILITIES[Ability[kind.upper()]]
        sentences.append(f"{name}: {sentence}")
    return sentences
