"""Attributes of tokens: what is printed on each type, as numbers of an observation, one row per type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.observation import DIGIT_BASE, INT8_HIGH, INT8_LOW
from sackarmies_env.games.sack_armies.state.constants import NO_CLAUSE, NO_MATCH, Ability, Effect, Kind, Stat
from sackarmies_env.games.sack_armies.state.layout import (
    AUGMENTED_OFFSET,
    NUM_ATTRIBUTES,
    SHOWN_OFFSET,
    Attribute,
)

FIRST_ABILITY = int(Attribute.AMBUSH)  # the abilities come in the order of Ability
STAT_COLUMN = {Stat.MOVEMENT: Attribute.MOVEMENT, Stat.DAMAGE: Attribute.DAMAGE, Stat.ARMOR: Attribute.ARMOR}
# Effects that do the same as an ability of units are shown in its column.
LIKE_ABILITY = {
    Effect.DISMISS: Ability.DISMISS,
    Effect.DISPEL: Ability.DISPEL,
    Effect.COUNTER: Ability.COUNTER,
    Effect.RAISE: Ability.RAISE,
    Effect.DRAW: Ability.DRAW,
    Effect.REVEAL: Ability.SIGHT,
}
DISTANCE_COLUMN = {Effect.RELOCATE: Attribute.RELOCATE, Effect.SWAP: Attribute.SWAP}


def fill_attributes(params: NDArray[np.void]) -> None:
    """Fill `type_attributes` of a record, (1,) PARAMS_DTYPE, from its other tables."""
    tables = params[0]
    for type_id in range(int(tables["num_types"])):
        row = np.zeros(NUM_ATTRIBUTES, np.int64)
        _write_printed(tables, type_id, row)
        for ability in range(int(tables["type_ability_start"][type_id]), int(tables["type_ability_end"][type_id])):
            _write_ability(tables, ability, row)
        for effect in range(int(tables["type_effect_start"][type_id]), int(tables["type_effect_end"][type_id])):
            _write_effect(tables, type_id, effect, row)
        params["type_attributes"][0, type_id] = np.clip(row, INT8_LOW, INT8_HIGH)


def _write_printed(tables: Any, type_id: int, row: NDArray[np.int64]) -> None:
    """Write the values printed on the token itself."""
    row[Attribute.KIND] = int(tables["type_kind"][type_id]) + SHOWN_OFFSET
    row[Attribute.TYPE_HIGH], row[Attribute.TYPE_LOW] = divmod(type_id + 1, DIGIT_BASE)
    for name in ("rank", "use", "target", "target_range", "retain", "halts", "water", "favors_aquatic"):
        row[getattr(Attribute, name.upper())] = tables[f"type_{name}"][type_id]
    row[Attribute.LIMITED] = tables["type_limit_end"][type_id] > tables["type_limit_start"][type_id]
    if tables["type_kind"][type_id] == Kind.BATTLEFIELD:
        row[Attribute.FLYING] = tables["type_exempts_flying"][type_id]
        row[Attribute.AQUATIC] = tables["type_exempts_aquatic"][type_id]
    if tables["type_kind"][type_id] == Kind.UNIT:
        for name in ("homeland", "class", "band", "movement", "damage", "armor"):
            row[getattr(Attribute, name.upper())] = tables[f"type_{name}"][type_id]
        for name in ("movement", "damage", "armor"):
            row[getattr(Attribute, f"EFFECTIVE_{name.upper()}")] = tables[f"type_{name}"][type_id]
        row[FIRST_ABILITY : FIRST_ABILITY + len(Ability)] = tables["type_ability"][type_id]
        row[Attribute.KEYWORD] = tables["type_first_keyword"][type_id]


def _write_ability(tables: Any, ability: int, row: NDArray[np.int64]) -> None:
    """Write the values of a printed or granted ability."""
    kind = Ability(int(tables["ability_kind"][ability]))
    column = FIRST_ABILITY + kind
    row[column] = max(row[column], int(tables["ability_value"][ability]))
    if kind == Ability.SCATTER:
        row[Attribute.FLIP] = tables["ability_flip"][ability]
    if kind == Ability.AUGMENT and row[Attribute.AUGMENTED] == 0:
        row[Attribute.AUGMENTED] = int(tables["ability_stat"][ability]) + AUGMENTED_OFFSET
        row[Attribute.AUGMENT_AMOUNT] = tables["ability_amount"][ability]
    if kind in (Ability.AUGMENT, Ability.RAISE):
        _write_match(tables, int(tables["ability_match"][ability]), row)


def _write_effect(tables: Any, type_id: int, effect: int, row: NDArray[np.int64]) -> None:
    """Write one effect of a text or of a battlefield."""
    kind = Effect(int(tables["effect_kind"][effect]))
    amount = int(tables["effect_amount"][effect])
    if kind == Effect.MODIFY and tables["type_kind"][type_id] != Kind.UNIT:
        row[STAT_COLUMN[Stat(int(tables["effect_stat"][effect]))]] += amount
    elif kind == Effect.DAMAGE:
        row[Attribute.STRIKE] = max(row[Attribute.STRIKE], amount)
    elif kind == Effect.GRANT:
        _write_ability(tables, int(tables["effect_ability"][effect]), row)
    elif kind == Effect.REMOVE:
        row[Attribute.REMOVE] = 1
    elif kind in DISTANCE_COLUMN:
        row[DISTANCE_COLUMN[kind]] = tables["effect_distance"][effect]
    elif kind in LIKE_ABILITY:
        row[FIRST_ABILITY + LIKE_ABILITY[kind]] = max(1, amount)
    if kind in (Effect.DAMAGE, Effect.RELOCATE):
        row[Attribute.FLIP] = tables["effect_flip"][effect]
    _write_match(tables, int(tables["effect_match"][effect]), row)


def _write_match(tables: Any, match: int, row: NDArray[np.int64]) -> None:
    """Write the first clause of a match, unless another text of the token has written one."""
    columns = [Attribute.MATCH_CLASS, Attribute.MATCH_HOMELAND, Attribute.MATCH_KEYWORD]
    if match == NO_MATCH or row[columns].any():
        return
    clause = int(tables["match_start"][match])
    if tables["clause_class"][clause] != NO_CLAUSE:
        row[Attribute.MATCH_CLASS] = int(tables["clause_class"][clause]) + 1
    if tables["clause_homeland"][clause] != NO_CLAUSE:
        row[Attribute.MATCH_HOMELAND] = int(tables["clause_homeland"][clause]) + 1
    row[Attribute.MATCH_KEYWORD] = int(tables["clause_keywords"][clause]).bit_length()  # at most one per clause
