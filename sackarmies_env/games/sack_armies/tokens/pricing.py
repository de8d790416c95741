"""Prices of tokens in points, by which the ranks of the catalogue are set.

A unit's price is the sum of the prices of its movement, damage, armor, band and abilities. A rank of any other token
pays for less, as such a token also costs an action or a host. The weights are a judgment, corrected by what tokens won
in games of random armies under the scripted General; the catalogue keeps within `TOLERANCE` of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Battlefield, Unit
from sackarmies_env.games.sack_armies.tokens.text_schema import (
    AnyAbility,
    AnyEffect,
    AugmentAbility,
    DamageEffect,
    DrawEffect,
    GrantEffect,
    ModifyEffect,
    RaiseAbility,
    ReachAbility,
    RelocateEffect,
    RevealEffect,
    ScatterAbility,
    SwapEffect,
    Terrain,
)

MOVEMENT = (-1.5, 0.0, 0.75, 1.25, 1.5)  # price of movement 0, 1, 2, ...; the last one for anything above
DAMAGE = (-0.25, 1.25, 3.0, 4.25, 5.0, 5.25, 5.5)
ARMOR = (-1.5, 0.0, 1.0, 2.75, 5.0, 7.75, 10.0)
BAND = {"black": 0.0, "gray": 0.0, "blue": 0.25, "red": 0.25, "green": 0.5}
PLAIN = {
    "ambush": 0.75,
    "aquatic": 0.5,
    "capture": 1.25,
    "defend": 0.25,
    "draw": 0.75,
    "flying": 1.5,
    "leadership": 0.75,
}
REACH = {"counter": (0.25, 0.25), "dismiss": (1.0, 0.5), "dispel": (0.25, 0.25), "sight": (0.0, 0.1)}  # base, per hex
SHOT = (0.1, 0.35)  # per hex of range: base, and per point of damage
STAT = {"armor": 1.25, "damage": 1.0, "movement": 0.5}  # per point of modification by a text
TERRAIN = {"armor": 1.5, "damage": 1.0, "movement": 0.5}  # the same by a battlefield
LIMITED = 0.6  # share of the price if only some units benefit
LIMIT = -0.75  # a printed Limit
LASTING = {"action": 0.75, "free": 1.0, "permanent": 1.25}  # share of a modification's price, by use
GRANTED = {"action": 0.5, "free": 1.0, "permanent": 1.25}  # share of an ability's price
FLIP = {"none": 1.0, "single": 0.5, "progressive": 0.9}  # expected successes; the first counts most
TARGET = {"dismiss": 3.5, "dispel": 1.0, "counter": 1.0, "remove": 7.0}
A_HEX = 0.25  # per hex of a text's reach
OPEN_GROUND = 2.5  # any battlefield: it must be taken
POINTS = {"unit": 3.5, "battlefield": 2.5, "spell": 3.0, "maneuver": 2.5}  # what one rank pays for
TOLERANCE = 1.5  # most points by which a price may differ from what the rank pays for


def price(token: AnyToken) -> float:
    """Return what a token is worth, in points."""
    if isinstance(token, Unit):
        return unit_price(token)
    if isinstance(token, Battlefield):
        return battlefield_price(token)
    return text_price(token.effects, token.use, token.reach) + (0.5 if token.retain else 0.0)


def excess(token: AnyToken) -> float:
    """Return how many points a token is worth beyond what its rank pays for."""
    return price(token) - POINTS[token.kind] * token.rank


def at(prices: Sequence[float], value: int) -> float:
    """Return the price of a value; beyond the end of the list, the last price."""
    return prices[min(value, len(prices) - 1)]


def unit_price(unit: Unit) -> float:
    """Return the price of a unit."""
    stats = at(MOVEMENT, unit.movement) + at(DAMAGE, unit.damage) + at(ARMOR, unit.armor) + BAND[unit.band]
    abilities = sum(ability_price(ability, unit.damage, unit.movement) for ability in unit.abilities)
    text = text_price(unit.effects, unit.use, unit.reach) if unit.use else 0.0
    return stats + abilities + text + LIMIT * len(unit.limits)


def ability_price(ability: AnyAbility, damage: int, movement: int) -> float:
    """Return the price of an ability for a unit with these stats."""
    if isinstance(ability, ReachAbility):
        if ability.kind == "range":
            return ability.range * (SHOT[0] + SHOT[1] * damage)
        base, a_hex = REACH[ability.kind]
        return base + a_hex * ability.range
    if isinstance(ability, AugmentAbility):
        return (1.0 if ability.match else 1.5) * ability.amount
    if isinstance(ability, RaiseAbility):
        return 1.5 if ability.match else 2.0
    if isinstance(ability, ScatterAbility):
        return ability.damage * (1.5 if ability.flip == "progressive" else 1.0)
    if ability.kind == "move_and_attack":
        return 0.25 + 0.25 * movement
    return PLAIN[ability.kind]


def battlefield_price(battlefield: Battlefield) -> float:
    """Return the price of a battlefield; what harms its occupant harms friend and foe, and counts half."""
    total = OPEN_GROUND + sum(terrain_price(terrain) for terrain in battlefield.effects)
    return total + 0.75 * battlefield.halts + 0.25 * battlefield.water + 0.75 * battlefield.favors_aquatic


def terrain_price(terrain: Terrain) -> float:
    """Return the price of one modification of a battlefield."""
    points = TERRAIN[terrain.stat] * terrain.amount
    return (points if points > 0 else points / 2) * (LIMITED if terrain.match else 1.0)


def text_price(effects: Sequence[AnyEffect], use: str, reach: int) -> float:
    """Return the price of a text."""
    return A_HEX * reach + sum(effect_price(effect, use) for effect in effects)


def effect_price(effect: AnyEffect, use: str) -> float:
    """Return the price of an effect; drawbacks of a text that is always on count half."""
    if isinstance(effect, DamageEffect):
        return effect.amount * FLIP[effect.flip]
    if isinstance(effect, ModifyEffect):
        points = STAT[effect.stat] * abs(effect.amount) * LASTING[use]
        return -points / 2 if use == "free" and effect.amount < 0 else points
    if isinstance(effect, GrantEffect):
        return ability_price(effect.ability, damage=2, movement=2) * GRANTED[use]
    if isinstance(effect, RelocateEffect):
        return (1.0 + A_HEX * effect.distance) * (0.75 if effect.flip == "single" else 1.0)
    if isinstance(effect, SwapEffect):
        return 1.0
    if isinstance(effect, DrawEffect):
        return 0.75 * effect.count
    if isinstance(effect, RevealEffect):
        return 0.25 * effect.range
    if effect.kind == "raise":
        return 2.0
    return TARGET[effect.kind]
