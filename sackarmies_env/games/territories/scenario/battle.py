"""Validation of attacks: what is on the battle board must fit the stage (TR-A2 to TR-F5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.messages import join, quote
from sackarmies_env.games.territories.config import Config
from sackarmies_env.games.territories.data.schema import Card, load_rulebook
from sackarmies_env.games.territories.scenario.fill import DECLARED, counters_of
from sackarmies_env.games.territories.scenario.schema import AttackEntry, Scenario, TerritoryEntry
from sackarmies_env.games.territories.scenario.sequence import SIDES, assigning_side, attacks_of, rolling_side, twos_of
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    FIRST_FACE,
    MAX_ATTACKERS,
    MAX_SKIRMISHES,
    Effect,
    Stage,
    Unit,
)

Board = dict[int, TerritoryEntry]
DECLARATION = (Stage.DECLARE, Stage.ANSWER)
ONES = (Stage.ATTACK_ONES, Stage.DEFENSE_ONES)
TWOS = (Stage.ATTACK_TWOS, Stage.DEFENSE_TWOS)
COUNTERS = (Stage.ATTACK_COUNTERS, Stage.DEFENSE_COUNTERS)
CARDS = (Stage.ATTACK_CARDS, Stage.DEFENSE_CARDS)
ROLLED = (Stage.ATTACK_ROLL, Stage.DEFENSE_ROLL)  # a side's dice are on the board after these stages
FOR_SKIRMISH = (Effect.SKIRMISH_BONUS, Effect.ENEMY_PENALTY, Effect.EXTRA_DIE)
FOR_BATTLES = ((*FOR_SKIRMISH, Effect.BATTLE_BONUS), (*FOR_SKIRMISH, Effect.BATTLE_BONUS, Effect.LEVEL_GROUND))
MOST_DICE = (MAX_SKIRMISHES, 116)  # of the attackers; of all units of a player
KEYS: dict[str, tuple[Stage, ...]] = {  # the stages at which each key may be given
    "unit": DECLARATION,
    "ones": ONES,
    "twos": (*ONES, *TWOS),
    "trading": TWOS,
    "reserve_losses": (Stage.RESERVE,),
    "counter": COUNTERS,
    "card": CARDS,
    "extra": (Stage.LOSS, Stage.PURSUIT),
    "rout": (Stage.PURSUIT,),
    "extra_from": (Stage.PURSUIT,),
}


def battle_faults(config: Config, params: NDArray[np.void], scenario: Scenario, board: Board) -> Iterator[str]:
    """Yield the inconsistencies in the attack of a game that is not over; nothing if there are none."""
    if scenario.attack is None:
        return
    faults = [*_keys(scenario.attack), *_places(config, params, scenario, board)]
    if not faults:
        faults = [*_units(scenario.attack, board), *_dice(scenario.attack), *_skirmishes(scenario.attack)]
    if not faults:
        faults = [*_assigned(config, scenario.attack), *_chosen(scenario.attack, board), *_cost(scenario)]
    yield from (f"attack{'' if fault.startswith(':') else '.'}{fault}" for fault in faults)


def _keys(attack: AttackEntry) -> Iterator[str]:
    for key, stages in KEYS.items():
        value = getattr(attack, key)
        if value not in (None, 0) and attack.at not in stages:
            allowed = join(stage.name.lower() for stage in stages)
            yield f"{key} is {quote(value)}, but the stage is {quote(attack.stage)}; it is allowed only at {allowed}"


def _places(config: Config, params: Any, scenario: Scenario, board: Board) -> Iterator[str]:
    """Check that an attack leads from an own territory to a neighbor that can be attacked (TR-A2)."""
    attack, mover = scenario.attack, scenario.mover
    assert attack is not None
    if attack.source is None:
        yield "source: the key is missing"
        return
    if attack.source not in board or board[attack.source].owner != mover:
        yield f"source is {attack.source}, but player {mover} does not control it"
        return
    borders = next(each.borders for each in config.board.territory if each.number == attack.source)
    open_ones = [number for number in borders if number not in board or board[number].owner != mover]
    open_ones = [number for number in open_ones if number not in board or not board[number].safe]
    if attack.target is None:
        if attack.at != Stage.DECLARE or attack.unit is not None or any(attack.attacker.units.counts):
            yield "target: the key is missing"
        elif not open_ones:
            yield f"source is {attack.source}, but no neighbor of it can be attacked"
    elif attack.target not in open_ones:
        yield f"target is {attack.target}, but from {attack.source} only {join(open_ones)} can be attacked"
    elif attack.at > Stage.DECLARE and (attack.target not in board or board[attack.target].owner is None):
        yield f"target is {attack.target}, but at this stage a player must control it"
    if attack.at == Stage.DECLARE and attacks_of(scenario) >= params["attacks_per_turn"][0]:
        yield f": {attacks_of(scenario)} attacks are already declared, the limit of a turn"


def _reserve(attack: AttackEntry, board: Board, side: int) -> list[int]:
    """Return the numbers of a side's units left in the territory that it fights from."""
    number = (attack.source, attack.target)[side]
    return board[number].units.counts if number in board else [0]


def _units(attack: AttackEntry, board: Board) -> Iterator[str]:
    """Check that both sides have units once declared, and that at most ten units attack."""
    on_board = [sum(side.units.counts) for side in (attack.attacker, attack.defender)]
    if on_board[ATTACKER] > MAX_ATTACKERS:
        yield f"attacker.units: {on_board[ATTACKER]} units attack, but at most {MAX_ATTACKERS} may"
    for side, first in ((ATTACKER, Stage.ANSWER), (DEFENDER, Stage.ATTACK_ROLL)):
        if attack.at >= first and not on_board[side]:
            yield f"{SIDES[side]}.units: no units are on the battle board"
        must_have = attack.target is not None and (side == ATTACKER or attack.at > Stage.DECLARE)
        if must_have and not on_board[side] + sum(_reserve(attack, board, side)):
            yield f"{SIDES[side]}.units: no units are on the battle board or in the territory"
    if attack.at == Stage.DECLARE and on_board[DEFENDER]:
        yield "defender.units: units are on the battle board, but the attack is not declared yet"
    if attack.unit is not None:
        side = DEFENDER if attack.at == Stage.ANSWER else ATTACKER
        if _reserve(attack, board, side)[Unit[attack.unit.upper()]] == 0:
            yield f"unit is {quote(attack.unit)}, but there is none in the territory"
        if side == ATTACKER and on_board[ATTACKER] == MAX_ATTACKERS:
            yield f"unit is {quote(attack.unit)}, but {MAX_ATTACKERS} units attack already"


def _dice(attack: AttackEntry) -> Iterator[str]:
    """Check that dice are on the board from the roll until they join skirmishes, at least one per unit (TR-B1)."""
    sides = (attack.attacker, attack.defender)
    for side, name in enumerate(SIDES):
        loose, on_board = len(sides[side].dice), len(sides[side].dice) + _in_skirmishes(attack, name)
        if attack.at <= ROLLED[side] and loose:
            yield f"{name}.dice must be empty at the stage {quote(attack.stage)}: they are not rolled yet"
        if attack.at > Stage.EXTRA_DICE and loose:
            yield f"{name}.dice must be empty at the stage {quote(attack.stage)}: all dice are in skirmishes"
        most = MOST_DICE[side] + sum(card.effect == Effect.EXTRA_DIE for card in _applied(attack, side))
        if on_board > most:
            yield f"{name}.dice: there are {on_board} dice with those in skirmishes, but at most {most} are allowed"
        ones = attack.ones if attack.at in ONES and rolling_side(attack) == side else 0
        if ROLLED[side] < attack.at <= Stage.PAIRING and on_board + ones < sum(sides[side].units.counts):
            yield f"{name}.dice: there are fewer dice than units, but each unit brings at least one"
    if attack.at in (*ONES, *TWOS):
        there = sides[rolling_side(attack)].dice.count(FIRST_FACE)
        if twos_of(attack) > there:
            yield f"twos is {twos_of(attack)}, but the number of dice that show a two is {there}"


def _in_skirmishes(attack: AttackEntry, name: str) -> int:
    """Return how many dice of a side are in skirmishes."""
    return sum(len(getattr(each, name)) for each in attack.skirmish)


def _cards(attack: AttackEntry, side: int) -> list[Card]:
    """Return the cards that a side has played in the battle."""
    rulebook = {card.name: card for card in load_rulebook().card}
    return [rulebook[name] for name in (attack.attacker, attack.defender)[side].cards]


def _applied(attack: AttackEntry, side: int) -> list[Card]:
    """Return the cards of `_cards` that have taken effect: all but one whose skirmish is still asked."""
    cards = _cards(attack, side)
    names = [card.name for card in cards]
    if attack.card in names and attack.at in CARDS and side == assigning_side(attack):
        del cards[names.index(attack.card)]
    return cards


def _skirmishes(attack: AttackEntry) -> Iterator[str]:
    """Check that skirmishes have dice of both sides: one each during pairing (TR-C1 to TR-C5)."""
    if attack.at < Stage.PAIRING and attack.skirmish:
        yield f"skirmish must be empty at the stage {quote(attack.stage)}: no skirmishes are formed yet"
    if attack.at > Stage.PAIRING and not attack.skirmish:
        yield f"skirmish: at least one is required at the stage {quote(attack.stage)}"
    for number, each in enumerate(attack.skirmish):
        for name in SIDES:
            count = len(getattr(each, name))
            if not count or (count > 1 and attack.at == Stage.PAIRING):
                wanted = "one die" if attack.at == Stage.PAIRING else "at least one die"
                yield f"skirmish[{number}].{name} must have {wanted}, not {count}"
        if each.resolved and attack.at < Stage.ORDER:
            yield f"skirmish[{number}] is resolved, but none can be at the stage {quote(attack.stage)}"
    if attack.at in (Stage.RESERVE, Stage.EXTRA_DICE) and attack.attacker.dice and attack.defender.dice:
        yield "attacker.dice and defender.dice cannot be combined after pairing, which leaves dice on one side at most"
    if attack.reserve_losses > len(attack.attacker.dice):
        yield f"reserve_losses is {attack.reserve_losses}, but the attacker has {len(attack.attacker.dice)} extra dice"


# --- counters and cards


def _assigned(config: Config, attack: AttackEntry) -> Iterator[str]:
    """Check that counters and cards exist, and that the side can have them on the board by now (TR-D1, TR-D2)."""
    for side, (name, entry) in enumerate(zip(SIDES, (attack.attacker, attack.defender), strict=True)):
        counters = counters_of(attack, side, entry)
        if sum(counters) and not DECLARED[side] <= attack.at <= COUNTERS[side]:
            yield f"{name}.counters must be empty at the stage {quote(attack.stage)}"
        for unit, most in zip(load_rulebook().unit, config.board.garrison.units, strict=True):
            if unit.counter and counters[unit.counter - 1] > most:
                yield f"{name}.counters has {counters[unit.counter - 1]} of +{unit.counter}, but there are only {most}"
        assigned = sum(getattr(each, f"{name}_counters") for each in attack.skirmish)
        points = assigned + sum(bonus * count for bonus, count in enumerate(counters, 1))
        if points > (most := _most_points(config)):
            yield f"{name}.counters and those in skirmishes add up to {points}, but a player's units bring only {most}"
        cards = _cards(attack, side)
        if cards and attack.at < CARDS[side]:
            yield f"{name}.cards must be empty before the stage {quote(CARDS[side].name.lower())}"
        for card in cards:
            if card.effect not in FOR_BATTLES[side]:
                yield f"{name}.cards: {quote(card.name)} cannot be played in battle by the {name}"
        more = sum(card.amount for card in _applied(attack, side) if card.effect == Effect.SKIRMISH_BONUS)
        less = sum(card.amount for card in _applied(attack, 1 - side) if card.effect == Effect.ENEMY_PENALTY)
        for number, each in enumerate(attack.skirmish):
            given = getattr(each, f"{name}_cards")
            if not -less <= given <= more:
                yield f"skirmish[{number}].{name}_cards is {given}, but the cards played allow {-less} to {more}"


def _most_points(config: Config) -> int:
    """Return the sum of the counters that all units of a player bring."""
    return sum(
        unit.counter * most for unit, most in zip(load_rulebook().unit, config.board.garrison.units, strict=True)
    )


def _chosen(attack: AttackEntry, board: Board) -> Iterator[str]:
    """Check that the first part of a choice was possible."""
    sides = (attack.attacker, attack.defender)
    if attack.counter is not None:
        side = assigning_side(attack)
        if counters_of(attack, side, sides[side])[attack.counter - 1] == 0:
            yield f"counter is {attack.counter}, but the {SIDES[side]} has none left of that bonus"
    if attack.card is not None:
        side = assigning_side(attack)
        named = [card for card in _cards(attack, side) if card.name == attack.card]
        if not named or named[0].effect not in FOR_SKIRMISH:
            yield f"card is {quote(attack.card)}, but the {SIDES[side]} has played no such card for one skirmish"
    if attack.trading:
        side = rolling_side(attack)
        if twos_of(attack) == 0 or not any(sides[side].units.counts[1:]):
            yield f"trading is true, but the {SIDES[side]} has no two, or no unit to trade for it"
    if attack.extra_from == "territory" and not sum(_reserve(attack, board, DEFENDER)):
        yield 'extra_from is "territory", but it has no units'


def _cost(scenario: Scenario) -> Iterator[str]:
    """Check that losses beyond the first unit fit the side that lost the skirmish (TR-E4, TR-E5)."""
    attack = scenario.attack
    assert attack is not None
    is_more = attack.extra > 0 or attack.extra_from is not None
    if attack.loser == "defender" and attack.at < Stage.ORDER:
        yield f'loser is "defender", but no skirmish is resolved at the stage {quote(attack.stage)}'
    if attack.rout:
        if attack.loser != "attacker" or attack.extra_from is not None or not scenario.barred:
            yield 'rout = true requires loser = "attacker" and barred = true, and cannot be combined with extra_from'
    elif attack.extra > 1 or (attack.extra and attack.extra_from is not None):
        yield f"extra is {attack.extra}, but must be at most 1 without a rout, and 0 with extra_from"
    elif is_more and attack.loser != "defender":
        yield "extra: the attacker loses extra units only in a rout"
