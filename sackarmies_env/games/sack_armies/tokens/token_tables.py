"""Tokens as arrays: the tables of the parameters that kernels read, filled from the schema's models."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.games.sack_armies.state.constants import (
    MAX_ABILITIES,
    MAX_CLAUSES,
    MAX_EFFECTS,
    MAX_KEYWORDS,
    MAX_MATCHES,
    MAX_TYPES,
    NO_CLAUSE,
    NO_MATCH,
    Ability,
    Band,
    Effect,
    Flip,
    Homeland,
    Kind,
    Stat,
    Target,
    UnitClass,
    Use,
    Verb,
    Who,
)
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Attachment, Battlefield, Text, Unit
from sackarmies_env.games.sack_armies.tokens.text_schema import (
    AnyAbility,
    AnyEffect,
    AugmentAbility,
    Clause,
    DamageEffect,
    DrawEffect,
    GrantEffect,
    ModifyEffect,
    RaiseAbility,
    RaiseEffect,
    ReachAbility,
    RelocateEffect,
    RevealEffect,
    ScatterAbility,
    SwapEffect,
    Terrain,
)

NO_ABILITY = -1  # an effect that grants nothing
VERB_OF_ABILITY = {
    Ability.RANGE: Verb.RANGED,
    Ability.MOVE_AND_ATTACK: Verb.MOVE_ATTACK,
    Ability.CAPTURE: Verb.CAPTURE,
    Ability.COUNTER: Verb.COUNTER_TOKEN,
    Ability.DISPEL: Verb.DISPEL,
    Ability.DISMISS: Verb.DISMISS,
    Ability.RAISE: Verb.RAISE,
}


def homeland_number(name: str) -> Homeland:
    """Return the number of a Homeland; units that have none have the empty name (R3.2.2-10)."""
    return Homeland[name.upper()] if name else Homeland.NONE


def class_number(name: str) -> UnitClass:
    """Return the number of a unit type; units without a symbol are "other" (R3.2.2-8)."""
    return UnitClass[name.upper()]


class TokenTables:
    """Writer of tokens to the token tables of `record` ((1,) PARAMS_DTYPE), in the order of their numbers."""

    def __init__(self, record: NDArray[np.void]) -> None:
        self.record = record
        self.keywords: dict[str, int] = {}  # bit by word, in the order of first use
        self.rows = {"type": 0, "ability": 0, "effect": 0, "match": 0, "clause": 0, "limit": 0}
        for name in ("ability_match", "effect_match", "limit_match"):
            record[name] = NO_MATCH
        record["effect_ability"] = NO_ABILITY
        record["clause_homeland"] = record["clause_class"] = NO_CLAUSE

    def fill(self, tokens: Iterable[AnyToken]) -> None:
        """Write all tokens.

        Raises:
            ValueError: if their texts do not fit into the tables.
        """
        for token in tokens:
            row = self.new_row("type", len(self.record["type_kind"][0]))
            self.fill_values(row, token)
            for table in ("ability", "limit", "effect"):
                self.record[f"type_{table}_start"][0, row] = self.rows[table]
            if isinstance(token, Unit):
                self.fill_unit(row, token)
            self.record["type_ability_end"][0, row] = self.rows["ability"]
            if isinstance(token, Text):
                self.fill_text(row, token)
            else:
                self.fill_terrain(row, token)
            for table in ("limit", "effect"):
                self.record[f"type_{table}_end"][0, row] = self.rows[table]
        for match in range(self.rows["match"]):
            self.fill_match(match)

    def new_row(self, table: str, size: int) -> int:
        """Return the next free row of a table."""
        row = self.rows[table]
        if row >= size:
            raise ValueError(f"the tokens need more than {size} rows in the {table} table: use fewer tokens or texts")
        self.rows[table] += 1
        return row

    def put(self, table: str, row: int, **values: int) -> None:
        """Write the fields `{table}_{name}` of a row."""
        for name, value in values.items():
            self.record[f"{table}_{name}"][0, row] = value

    # --- the printed values

    def fill_values(self, row: int, token: AnyToken) -> None:
        """Write the values that every token has (R3.2.2-9)."""
        self.put("type", row, kind=Kind[token.kind.upper()], rank=token.rank)

    def fill_unit(self, row: int, unit: Unit) -> None:
        """Write the stats, classes, abilities and limits of a unit."""
        bits = 0
        for word in unit.keywords:
            bits |= self.keyword_bit(word)
        if unit.keywords:
            self.put("type", row, first_keyword=self.keyword_bit(unit.keywords[0]).bit_length())
        self.put("type", row, movement=unit.movement, damage=unit.damage, armor=unit.armor, keywords=bits)
        self.put("type", row, homeland=homeland_number(unit.homeland), **{"class": class_number(unit.type)})
        self.put("type", row, band=Band[unit.band.upper()])
        printed = self.record["type_ability"][0, row]
        for ability in unit.abilities:
            number = self.record["ability_kind"][0, ability_row := self.add_ability(ability)]
            printed[number] = max(printed[number], self.record["ability_value"][0, ability_row])
        for limit in unit.limits:
            self.put("limit", self.new_row("limit", MAX_MATCHES), match=self.add_match(limit.match))
        verbs = [Verb.MELEE, *(verb for ability, verb in VERB_OF_ABILITY.items() if printed[ability] > 0)]
        if unit.use == "action":
            verbs.append(Verb.CUSTOM)
        self.put("type", row, verbs=sum(1 << verb for verb in verbs))

    def fill_terrain(self, row: int, battlefield: Battlefield) -> None:
        """Write the terrain of a battlefield."""
        self.put("type", row, halts=battlefield.halts, water=battlefield.water)
        self.put("type", row, favors_aquatic=battlefield.favors_aquatic)
        self.put("type", row, exempts_flying="flying" in battlefield.exempt)
        self.put("type", row, exempts_aquatic="aquatic" in battlefield.exempt)
        for terrain in battlefield.effects:
            self.add_terrain(terrain)

    def fill_text(self, row: int, text: Unit | Attachment) -> None:
        """Write the text of a spell or maneuver, or the printed action text of a unit."""
        use = Use.NONE if text.use is None else Use[text.use.upper()]
        self.put("type", row, use=use, target=Target[text.aim.upper()], target_range=text.reach)
        if isinstance(text, Attachment):
            self.put("type", row, retain=text.retain)
        for effect in text.effects:
            self.add_effect(effect)

    # --- rows of the tables

    def keyword_bit(self, word: str) -> int:
        """Return the bit of a keyword."""
        if word not in self.keywords:
            if len(self.keywords) >= MAX_KEYWORDS:
                raise ValueError(f"the tokens use more than {MAX_KEYWORDS} keywords; {word!r} is one too many")
            self.keywords[word] = 1 << len(self.keywords)
        return self.keywords[word]

    def add_match(self, match: tuple[Clause, ...]) -> int:
        """Write a match, any of whose clauses suffices; return its row, or NO_MATCH if all units fit (Q-58)."""
        if not match:
            return NO_MATCH
        row = self.new_row("match", MAX_MATCHES)
        self.record["match_start"][0, row] = self.rows["clause"]
        for clause in match:
            clause_row = self.new_row("clause", MAX_CLAUSES)
            if clause.keyword is not None:
                self.put("clause", clause_row, keywords=self.keyword_bit(clause.keyword))
            if clause.homeland is not None:
                self.put("clause", clause_row, homeland=homeland_number(clause.homeland))
            if clause.type is not None:
                self.put("clause", clause_row, **{"class": class_number(clause.type)})
        self.record["match_end"][0, row] = self.rows["clause"]
        return row

    def fill_match(self, match: int) -> None:
        """Write which types fit a match: those for which one of its clauses holds."""
        tables = self.record[0]
        fitting = np.zeros(MAX_TYPES, np.bool_)
        for clause in range(int(tables["match_start"][match]), int(tables["match_end"][match])):
            wanted, homeland, unit_class = (
                tables[f"clause_{name}"][clause] for name in ("keywords", "homeland", "class")
            )
            fitting |= (
                (tables["type_keywords"] & wanted == wanted)
                & ((homeland == NO_CLAUSE) | (tables["type_homeland"] == homeland))
                & ((unit_class == NO_CLAUSE) | (tables["type_class"] == unit_class))
            )
        self.record["match_types"][0, match] = np.packbits(fitting, bitorder="little").view("<u8")

    def add_ability(self, ability: AnyAbility) -> int:
        """Write an ability, printed or granted; return its row."""
        row = self.new_row("ability", MAX_ABILITIES)
        self.put("ability", row, kind=Ability[ability.kind.upper()], value=1)
        if isinstance(ability, ReachAbility):
            self.put("ability", row, value=ability.range)
        elif isinstance(ability, ScatterAbility):
            self.put("ability", row, value=ability.damage, flip=Flip[ability.flip.upper()])
        elif isinstance(ability, AugmentAbility):
            self.put("ability", row, stat=Stat[ability.stat.upper()], amount=ability.amount)
        if isinstance(ability, AugmentAbility | RaiseAbility):
            self.put("ability", row, match=self.add_match(ability.match))
        return row

    def add_terrain(self, terrain: Terrain) -> None:
        """Write a battlefield's change of a stat."""
        row = self.new_row("effect", MAX_EFFECTS)
        self.put("effect", row, kind=Effect.MODIFY, stat=Stat[terrain.stat.upper()], amount=terrain.amount)
        self.put("effect", row, match=self.add_match(terrain.match))

    def add_effect(self, effect: AnyEffect) -> None:
        """Write an effect of a text."""
        row = self.new_row("effect", MAX_EFFECTS)
        self.put("effect", row, kind=Effect[effect.kind.upper()])
        if isinstance(effect, DamageEffect):
            self.put("effect", row, amount=effect.amount, flip=Flip[effect.flip.upper()])
        elif isinstance(effect, ModifyEffect):
            self.put("effect", row, stat=Stat[effect.stat.upper()], amount=effect.amount)
        elif isinstance(effect, GrantEffect):
            self.put("effect", row, ability=self.add_ability(effect.ability))
        elif isinstance(effect, RelocateEffect):
            self.put("effect", row, distance=effect.distance, flip=Flip[effect.flip.upper()])
            self.put("effect", row, who=Who[effect.who.upper()])
        elif isinstance(effect, SwapEffect):
            self.put("effect", row, distance=effect.distance)
        elif isinstance(effect, RaiseEffect):
            self.put("effect", row, match=self.add_match(effect.match))
        elif isinstance(effect, DrawEffect):
            self.put("effect", row, amount=effect.count)
        elif isinstance(effect, RevealEffect):
            self.put("effect", row, amount=effect.range)
