"""The referee's ruling: the ids that are legal for the current player (D-01 to D-30)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sackarmies_env.games.sack_armies.state.constants import Decision, Frame, Verb, Zone
from tests.sack_armies.referee import abilities, attacks, deploy, movement, reactions, texts
from tests.sack_armies.referee.position import Position, Token

ATTACK_VERBS = (Verb.MELEE, Verb.RANGED, Verb.MOVE_ATTACK)
ABILITY_VERBS = (Verb.CAPTURE, Verb.COUNTER_TOKEN, Verb.DISPEL, Verb.DISMISS, Verb.RAISE)
COORD_VERBS = (Verb.COORD_MELEE, Verb.COORD_RANGED)


def legal_ids(position: Position) -> set[int]:
    """Return the ids that are legal at the current decision."""
    return RULINGS[position.decision](position)


# --- forms of answers


def types(position: Position, tokens: Iterable[Token]) -> set[int]:
    """Return the ids that name the types of tokens."""
    return {position.type_id(token) for token in tokens}


def places(position: Position, tokens: Iterable[Token]) -> set[int]:
    """Return the ids that name tokens by their hexes."""
    return {position.hex_id(token.hex) for token in tokens}


def slots(position: Position, numbers: Iterable[int]) -> set[int]:
    """Return the ids of attachment slots."""
    return {position.slot_id(number) for number in numbers}


def done_if(may_stop: bool) -> set[int]:
    """Return the id for "done" if stopping is allowed."""
    return {int(Verb.PASS)} if may_stop else set()


def yes_or_no(is_asked: bool) -> set[int]:
    """Return the ids for "yes" and "no", or nothing if there was nothing to ask."""
    return {int(Verb.PASS), int(Verb.YES)} if is_asked else set()


# --- the menu


def menu(position: Position) -> set[int]:
    """Return the verbs that can be carried out to the end: D-03, D-07, D-29 (R8.0-1, R8.0-2, C-allow_concede)."""
    verbs = actions(position)
    is_left = bool(verbs)
    if reactions.hidden_units(position):
        verbs.add(Verb.REVEAL_UNIT)
    if reactions.hidden_hosts(position):
        verbs.add(Verb.REVEAL_TOKEN)
    if position.switches.allow_concede:
        verbs.add(Verb.CONCEDE)
    if position.check_failed and (position.switches.allow_stop_after_failed_check or not is_left):
        verbs.add(Verb.PASS)
    return {int(verb) for verb in verbs}


def actions(position: Position) -> set[Verb]:
    """Return the actions that the General can take (R8.0-1)."""
    verbs = {verb for verb in (*ATTACK_VERBS, *ABILITY_VERBS) if abilities.sources(position, verb)}
    verbs |= {verb for verb in COORD_VERBS if attacks.coordination_targets(position, verb)}
    if deploy.may_draw(position):
        verbs.add(Verb.DRAW)
    if deploy.deployable(position):
        verbs.add(Verb.DEPLOY)
    if movement.movable(position):
        verbs.add(Verb.MOVE)
    if texts.casters(position):
        verbs.add(Verb.CAST)
    if texts.customs(position):
        verbs.add(Verb.CUSTOM)
    return verbs


# --- Setup, draw, deploy, move


def setup_pick(position: Position) -> set[int]:
    """D-01: a battlefield of the army that is not yet picked (R7.1-1)."""
    stock = position.pile(position.player, Zone.SACK)
    return types(position, [token for token in stock if token.text.kind == "battlefield"])


def setup_type(position: Position) -> set[int]:
    """D-02: any battlefield set aside (R7.1-9)."""
    return types(position, deploy.setup_stock(position))


def setup_hex(position: Position) -> set[int]:
    """D-02: where the battlefield may be placed."""
    return {position.hex_id(hex_) for hex_ in deploy.setup_hexes(position)}


def discard(position: Position) -> set[int]:
    """D-04: any token in hand, old or new, or done (R8.1-5 to 8)."""
    hand = types(position, position.pile(position.player, Zone.HAND))
    return hand | done_if(deploy.may_stop_discarding(position))


def deploy_type(position: Position) -> set[int]:
    """D-05: a deployable token, or done once one is deployed (R8.2-1, R8.2-2); at most the hand limit (Q-92)."""
    if position.numbers[0] >= position.switches.hand_limit:
        return set()
    return types(position, deploy.deployable(position)) | done_if(position.numbers[0] > 0)


def deploy_hex(position: Position) -> set[int]:
    """D-06: where the chosen token goes."""
    hand = position.pile(position.player, Zone.HAND)
    chosen = next(token for token in hand if token.type == position.chosen[0])
    return {position.hex_id(hex_) for hex_ in deploy.deploy_hexes(position, chosen)}


def move_unit(position: Position) -> set[int]:
    """D-08, D-10: a unit to move; after the first, a second one or done (R8.3-1)."""
    return places(position, movement.movable(position)) | done_if(position.numbers[0] > 0)


def move_to(position: Position) -> set[int]:
    """D-09, D-11: where the unit moves."""
    return {position.hex_id(hex_) for hex_ in movement.reach(position, position.chosen_unit(0))}


# --- attacks and abilities


def source(position: Position) -> set[int]:
    """The unit that acts: D-12, D-13, D-16, D-18, D-19, D-20; of a printed action text: D-21."""
    is_custom = position.verb == Verb.CUSTOM
    return places(position, texts.customs(position) if is_custom else abilities.sources(position, position.verb))


def target(position: Position) -> set[int]:
    """D-12, D-13, D-16, D-18: the target of the unit that acts."""
    return places(position, abilities.choices(position, position.chosen_unit(0), position.verb))


def coord_target(position: Position) -> set[int]:
    """D-14: the target of a coordinated attack."""
    return places(position, attacks.coordination_targets(position, position.verb))


def coord_member(position: Position) -> set[int]:
    """D-15: one more attacker, or done."""
    members = [unit for unit in position.units if unit.member]
    more = attacks.may_join(position, position.chosen_unit(0), position.verb, members)
    return places(position, more) | done_if(attacks.is_complete(position, position.verb, members))


def charge_to(position: Position) -> set[int]:
    """D-17: where a Move and Attack goes."""
    attack = position.attack
    assert attack.unit is not None and attack.target is not None
    return {position.hex_id(hex_) for hex_ in attacks.charge_hexes(position, attack.unit, attack.target)}


def token_slot(position: Position) -> set[int]:
    """D-19: the attachment to counter or dispel."""
    kind = abilities.KIND_OF_TOKEN[position.verb]
    return slots(position, abilities.token_slots(position, position.chosen_unit(1), kind))


def raise_type(position: Position) -> set[int]:
    """D-20: the casualty to raise."""
    return types(position, abilities.choices(position, position.chosen_unit(0), Verb.RAISE))


def raise_hex(position: Position) -> set[int]:
    """D-20: where a raised unit comes in, after heads."""
    assert position.act.unit is not None
    return {position.hex_id(hex_) for hex_ in abilities.raise_hexes(position, position.act.unit)}


# --- spells, maneuvers, printed action texts


def cast_host(position: Position) -> set[int]:
    """D-21: the unit that casts."""
    return places(position, texts.casters(position))


def cast_slot(position: Position) -> set[int]:
    """D-21: the spell or maneuver."""
    return slots(position, texts.cast_slots(position, position.chosen_unit(0)))


def effect_target(position: Position) -> set[int]:
    """D-21, D-22b: what the text is aimed at."""
    host = position.act.unit
    assert host is not None
    return {position.hex_id(hex_) for hex_ in texts.text_targets(position, host, position.act.token)}


def effect_slot(position: Position) -> set[int]:
    """D-21, D-22b: the attachment that the text counters or dispels."""
    act = position.act
    assert act.unit is not None and act.target is not None
    return slots(position, texts.effect_slots(position, act.unit, act.token, act.target))


def effect_hex(position: Position) -> set[int]:
    """D-21, D-22b: where a relocation ends."""
    act = position.act
    assert act.unit is not None
    return {position.hex_id(hex_) for hex_ in texts.effect_hexes(position, act.unit, act.token, act.target)}


def effect_type(position: Position) -> set[int]:
    """D-21, D-22b: the casualty that the text raises."""
    assert position.act.unit is not None
    return types(position, texts.effect_types(position, position.act.unit, position.act.token))


# --- reactions


def reveal_hex(position: Position) -> set[int]:
    """D-07: the unit to turn up, or the host of the attachment."""
    is_unit = position.verb == Verb.REVEAL_UNIT
    return places(position, reactions.hidden_units(position) if is_unit else reactions.hidden_hosts(position))


def reveal_slot(position: Position) -> set[int]:
    """D-07: the attachment to turn up."""
    return slots(position, reactions.hidden_slots(position, position.chosen_unit(0)))


def window(position: Position) -> set[int]:
    """D-22, D-30: pass, reveal, or surprise (P-WINDOW)."""
    assert position.frame == Frame.WINDOW
    verbs = {Verb.PASS}
    if reactions.hidden_units(position):
        verbs.add(Verb.REVEAL_UNIT)
    if reactions.hidden_hosts(position):
        verbs.add(Verb.REVEAL_TOKEN)
    if reactions.surprise_slots(position):
        verbs.add(Verb.SURPRISE)
    return {int(verb) for verb in verbs}


def surprise_slot(position: Position) -> set[int]:
    """D-22b: the surprise maneuver."""
    return slots(position, reactions.surprise_slots(position))


def ambush(position: Position) -> set[int]:
    """D-23: flip for ambush?"""
    return yes_or_no(attacks.may_ambush(position))


def counter(position: Position) -> set[int]:
    """D-24, D-25: counter-attack?"""
    return yes_or_no(bool(attacks.counter_choices(position)))


def designate(position: Position) -> set[int]:
    """D-26: who takes the counter-attack (R8.4.5-21, R8.4.5-22)."""
    return places(position, attacks.counter_choices(position))


def advance(position: Position) -> set[int]:
    """D-27: advance? In a coordinated attack, who?"""
    able = attacks.may_advance(position)
    if position.attack.unit is not None:
        return yes_or_no(bool(able))
    return places(position, able) | done_if(bool(able))


def save(position: Position) -> set[int]:
    """D-28: save the first of the face-down units that scatter kills? (RA-Scatter-8, C-scatter_save)."""
    victims = reactions.scatter_victims(position)
    return yes_or_no(any(reactions.can_be_saved(position, unit) for unit in victims))


def save_slot(position: Position) -> set[int]:
    """D-28: an attachment that saves the unit asked about last."""
    units = reactions.half_saved(position)
    return slots(position, reactions.save_slots(position, units[-1])) if units else set()


RULINGS: dict[Decision, Callable[[Position], set[int]]] = {
    Decision.SETUP_PICK: setup_pick,
    Decision.SETUP_TYPE: setup_type,
    Decision.SETUP_HEX: setup_hex,
    Decision.MENU: menu,
    Decision.DISCARD: discard,
    Decision.DEPLOY_TYPE: deploy_type,
    Decision.DEPLOY_HEX: deploy_hex,
    Decision.REVEAL_HEX: reveal_hex,
    Decision.REVEAL_SLOT: reveal_slot,
    Decision.MOVE_UNIT: move_unit,
    Decision.MOVE_TO: move_to,
    Decision.SOURCE: source,
    Decision.TARGET: target,
    Decision.COORD_TARGET: coord_target,
    Decision.COORD_MEMBER: coord_member,
    Decision.CHARGE_TO: charge_to,
    Decision.TOKEN_HOST: target,
    Decision.TOKEN_SLOT: token_slot,
    Decision.RAISE_TYPE: raise_type,
    Decision.RAISE_HEX: raise_hex,
    Decision.CAST_HOST: cast_host,
    Decision.CAST_SLOT: cast_slot,
    Decision.EFFECT_TARGET: effect_target,
    Decision.EFFECT_SLOT: effect_slot,
    Decision.EFFECT_HEX: effect_hex,
    Decision.EFFECT_TYPE: effect_type,
    Decision.WINDOW: window,
    Decision.SURPRISE_SLOT: surprise_slot,
    Decision.AMBUSH: ambush,
    Decision.COUNTER: counter,
    Decision.DESIGNATE: designate,
    Decision.ADVANCE: advance,
    Decision.SAVE: save,
    Decision.SAVE_SLOT: save_slot,
}
