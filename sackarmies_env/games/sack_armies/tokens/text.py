"""Effect texts in words, generated from token data."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from sackarmies_env.core.messages import counted
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
    TargetEffect,
    Terrain,
)

HOMELAND_NAMES = {
    "": "no Homeland",
    "fey_court": "Fey Court",
    "scourge": "Scourge",
    "empire": "Empire",
    "nether_sisters": "Nether Sisters",
    "shazari": "Shazari Horde",
}
ABILITY_NAMES = {
    "ambush": "Ambush",
    "aquatic": "Aquatic",
    "capture": "Capture",
    "counter": "Counter",
    "defend": "Defend",
    "dismiss": "Dismiss",
    "dispel": "Dispel",
    "draw": "Draw",
    "flying": "Flying",
    "leadership": "Leadership",
    "move_and_attack": "Move and Attack",
    "range": "Range",
    "sight": "Sight",
}
LASTING = (ModifyEffect, GrantEffect)
FATES = {  # what happens to the target of a text
    "dismiss": "returns to its owner's sack",
    "remove": "is removed from play",
    "dispel": "loses one spell lying under or on it",
    "counter": "loses one maneuver lying under or on it",
}


def effect_text(token: AnyToken) -> str:
    """Return the effect text of a token, or an empty string if it has none."""
    if isinstance(token, Battlefield):
        return battlefield_text(token)
    if isinstance(token, Unit):
        sentences = [f"{ability_text(ability)}." for ability in token.abilities]
        if token.use is not None:
            sentences.append(action_text(token, "this unit"))
        sentences += [
            f"Limit: works only while another own unit ({match_text(limit.match)}) is revealed in play."
            for limit in token.limits
        ]
        return " ".join(sentences)
    return attachment_text(token)


def attachment_text(token: Attachment) -> str:
    """Return the text of a spell or maneuver, opening with the kind of its effect (R9.1-9)."""
    if token.use == "free":
        return f"Free: the host {lasting_text(token.effects)}."
    if token.use == "permanent":
        return f"Permanent: lies face up on {aim_text(token, 'the host')}, which {lasting_text(token.effects)}."
    return action_text(token, "the host") + (" Flip to retain." if token.retain else "")


def action_text(token: Text, host: str) -> str:
    """Return the text of an action; consecutive modifications are joined."""
    clauses: list[str] = []
    target = aim_text(token, host)
    told = target
    for lasts, group in itertools.groupby(token.effects, lambda effect: isinstance(effect, LASTING)):
        effects = list(group)
        for part in [effects] if lasts else [[effect] for effect in effects]:
            if lasts:
                clauses.append(f"{told} {lasting_text(part)} until the end of the turn")
            else:
                clauses.append(action_clause(part[0], told, host))
            if is_about_target(part[0], token):
                told = "it"
            elif any(target in clause for clause in clauses):
                told = host if token.aim == "host" else "the target"
    return f"Action: {'; then '.join(clauses)}."


def is_about_target(effect: AnyEffect, token: Text) -> bool:
    """Return whether the clause of an effect names the target and no other unit, so that "it" can follow."""
    if isinstance(effect, RelocateEffect):
        return effect.who == "target" or token.aim == "host"
    return isinstance(effect, (*LASTING, DamageEffect, TargetEffect))


def action_clause(effect: AnyEffect, target: str, host: str) -> str:
    """Return in words one effect of an action that does not last."""
    if isinstance(effect, DamageEffect):
        return damage_clause(effect, target)
    if isinstance(effect, RelocateEffect):
        moved = target if effect.who == "target" else host
        flip = "flip; on heads " if effect.flip == "single" else ""
        return f"{flip}{moved} goes to an empty legal hex within {effect.distance} of where it is"
    if isinstance(effect, SwapEffect):
        return f"{host} and {target} change places"
    if isinstance(effect, RaiseEffect):
        return f"choose {casualty_text(effect.match)} and flip; on heads it is deployed next to {host}"
    if isinstance(effect, DrawEffect):
        return f"draw {counted(effect.count, 'token')}"
    if isinstance(effect, RevealEffect):
        return f"face-down enemy units within {effect.range} of {target} turn face up"
    return f"{target} {FATES[effect.kind]}"


def damage_clause(effect: DamageEffect, target: str) -> str:
    """Return in words an effect that inflicts damage."""
    if effect.flip == "single":
        return f"flip; on heads {target} takes {effect.amount} damage"
    if effect.flip == "progressive":
        return f"flip progressively; {target} takes {effect.amount} damage for each success"
    return f"{target} takes {effect.amount} damage"


def lasting_text(effects: Sequence[AnyEffect]) -> str:
    """Return modifications and granted abilities in words, as "has ..."."""
    parts = []
    for effect in effects:
        if isinstance(effect, ModifyEffect):
            parts.append(stat_text(effect))
        elif isinstance(effect, GrantEffect):
            parts.append(ability_text(effect.ability))
    return f"has {joined(parts, 'and')}"


def stat_text(change: ModifyEffect | Terrain) -> str:
    """Return a modification with its sign."""
    return f"{change.stat} {change.amount:+d}"


def aim_text(token: Text, host: str) -> str:
    """Return in words what a text is aimed at."""
    if token.aim == "host":
        return host
    names = {
        "own_unit": "an own unit",
        "enemy_unit": "an enemy unit" if only_strips(token) else "a revealed enemy unit",
        "any_unit": "a unit",
        "hex": "a legal hex",
    }
    return f"{names[token.aim]} within {token.reach}"


def only_strips(token: Text) -> bool:
    """Return whether a text does nothing but remove an attachment; only such a text reaches face-down enemies."""
    return all(effect.kind in ("dispel", "counter") for effect in token.effects)


def ability_text(ability: AnyAbility) -> str:
    """Return an ability with its values."""
    if isinstance(ability, ReachAbility):
        return f"{ABILITY_NAMES[ability.kind]} {ability.range}"
    if isinstance(ability, AugmentAbility):
        whom = match_text(ability.match) if ability.match else "all units"
        return f"Augment {whom}: {ability.stat} {ability.amount:+d}"
    if isinstance(ability, ScatterAbility):
        if ability.flip == "progressive":
            return f"Scatter: Progressive Flip {ability.damage}"
        return "Scatter" if ability.damage == 1 else f"Scatter {ability.damage}"
    if isinstance(ability, RaiseAbility):
        return f"Raise Dead ({match_text(ability.match)})" if ability.match else "Raise Dead"
    return ABILITY_NAMES[ability.kind]


def casualty_text(match: Sequence[Clause]) -> str:
    """Return in words which casualty may be raised."""
    return f"a unit ({match_text(match)}) in your casualties" if match else "a unit in your casualties"


def battlefield_text(battlefield: Battlefield) -> str:
    """Return the terrain of a battlefield in words."""
    sentences = []
    if battlefield.halts:
        spared = joined(battlefield.exempt, "and")
        sentences.append("Ends the move of a unit entering it" + (f", but not of {spared} units." if spared else "."))
    if battlefield.water:
        sentences.append("Water.")
    if battlefield.favors_aquatic:
        sentences.append("Only aquatic units can attack an aquatic unit here in melee.")
    for match, group in itertools.groupby(battlefield.effects, lambda terrain: terrain.match):
        whom = f" ({match_text(match)})" if match else ""
        sentences.append(f"Unit here{whom}: {joined([stat_text(terrain) for terrain in group], 'and')}.")
    return " ".join(sentences)


def match_text(match: Sequence[Clause]) -> str:
    """Return a match in words: any of its clauses suffices."""
    return joined([clause_text(clause) for clause in match], "or")


def clause_text(clause: Clause) -> str:
    """Return in words the conditions of a clause, all of which must hold."""
    words = []
    if clause.homeland:
        words.append(HOMELAND_NAMES[clause.homeland])
    if clause.type is not None:
        words.append("unit of type other" if clause.type == "other" else clause.type)
    if clause.keyword is not None:
        words.append(clause.keyword)
    if clause.homeland == "":
        words += ["of no Homeland"] if words else ["unit of no Homeland"]
    return " ".join(words)


def joined(words: Iterable[str], conjunction: str) -> str:
    """Return words joined by commas, with `conjunction` before the last."""
    listed = list(words)
    return f" {conjunction} ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)
