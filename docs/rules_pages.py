"""Generated pages on the rules: abilities and switches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sackarmies_env.games.sack_armies.state.constants import Ability
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Attachment, Unit
from sackarmies_env.games.sack_armies.tokens.text import ability_text
from sackarmies_env.games.sack_armies.tokens.text_schema import AnyAbility, GrantEffect

DOCS = Path(__file__).resolve().parent
RULINGS = DOCS / "rules" / "rulings.md"
LIST = re.compile(r"(<!-- begin abilities[^\n]*-->\n).*(<!-- end abilities -->)", re.DOTALL)  # in how_to_play.md

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
        "leaves play, its captives return to their owners' sacks. It is no attack: nobody can counter it or surprise.",
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
        "well, own ones and itself included. A printed value may be greater.",
    ),
    Ability.SIGHT: (
        "Sight",
        "free",
        "Reveals enemy units as far away as the number says, not just adjacent ones, from where it has stopped.",
    ),
}
OTHERWISE: dict[str, dict[str, str]] = {  # switch -> value that is not the default -> what it changes
    "turn_direction": {"cw_turns": "turns go clockwise; Setup stays counter-clockwise"},
    "neutral_zone_basis": {"owner": "who owns a battlefield decides, not who controls it"},
    "setup_pick": {"any_at_placement": "nothing is picked beforehand; at each placement any battlefield will do"},
    "flip_method": {
        "die": "even numbers are heads",
        "deck": "red cards are heads; 52 cards are used up before they are shuffled",
        "deck_jokers": "the same with two jokers; a joker is no result, and all cards are shuffled",
        "scripted": "forced results alone; more flips than are forced are an error",
    },
    "reaction_windows": {
        "full": "everybody may also react after draws, moves, deployments and the like",
        "targeted_only": "only the General whose unit is targeted may react",
    },
    "coord_window": {
        "before_check": "reactions before the check alone",
        "both": "reactions before and after the check",
    },
    "counter_timing_single": {"after_attack_flips": "decided when the attack's flips are known"},
    "counter_timing_coord": {"before_flips": "decided before the attack's flips"},
    "auto_forced": {"off": "decisions with one answer are asked, too"},
    "auto_ambush": {"on": "the flip is always made"},
    "ranged_coord_connected": {"on": "one connected group, in place of one neighbor for each attacker"},
    "leadership_must_attack": {"on": "a leader who does not attack covers nobody"},
    "advance_after_coord": {"off": "nobody advances after a coordinated attack"},
    "surprise_precludes_counter": {"on": "a surprise or a counter-attack, not both"},
    "sum_simultaneous_damage": {"on": "hits that fall together are added before they are compared with armor"},
    "scatter_save": {"off": "a face-down unit dies by scatter without a chance to turn up what saves it"},
    "augment_stacks": {"off": "of several bonuses to a stat the greatest counts"},
    "sight_on_reveal": {"off": "what a unit sees once it is turned up waits for the next settling of the board"},
    "raise_zone": {"any_legal_hex": "any legal hex next to the raiser, whoever controls the battlefields"},
    "blind_target_wrong_kind": {"refuse_known_only": "only attachments whose kind is known may be chosen"},
    "allow_stop_after_failed_check": {"on": "the turn may be ended at once"},
    "allow_concede": {"on": "a General may concede in place of an action"},
    "casualties_public": {"off": "casualties are known to their owner alone"},
    "sack_count_public": {"off": "the number of tokens in a sack is known to its owner alone"},
    "open_army_lists": {"on": "everybody knows all armies, not what is drawn or deployed"},
    "reward": {"win_only": "1 for a winner and 0 for everyone else"},
}
ABILITIES_HEAD = """# Abilities

Generated by `make docs` from the engine's list of abilities and from the catalogue; do not edit.

An ability works only while its unit is face up. An **action** ability takes the turn's action; a **free** one costs
nothing and is always in effect. Spells and maneuvers may lend an ability; those that do are in italics.

| ability | kind | what it does | who has it |
| --- | --- | --- | --- |
"""
ABILITIES_TAIL = """
Ranges are counted in hexes; nothing blocks the view. Units, spells and maneuvers may also have texts of their own,
which the [catalogue](catalogue.md) spells out; how a turn goes is on [How to play](how_to_play.md).
"""
SWITCHES_HEAD = """# Switches

Generated by `make docs` from the declaration of the switches; do not edit.

Generals may agree to change these {count} rules. Switches are an option of environments
(`sackarmies_env.env(switches={{"open_army_lists": True}})`), a key of the section `[game]` of
[configurations](configuration.md), and a section of [scenarios](scenarios.md). A switch that is left out keeps its
default; on/off switches take booleans or `"on"` and `"off"`. The last column names the [rulings](rules/rulings.md)
that a switch changes.

| switch | what it says | default | other values | rulings |
| --- | --- | --- | --- | --- |
"""
SWITCHES_TAIL = """
The number of Generals, 2 to 6, is an option of its own: `num_generals`. Which function reads each switch, and its
tests: [index of rules](rules/index.md#switches).

## Fog of war

No switch turns face-down units face up: hidden deployment is in the rules themselves. Three switches say what else is
hidden: `casualties_public`, `sack_count_public` and `open_army_lists`. [Fog as an ablation](notebooks/fog_ablation.md)
shows how to train without fog all the same.
"""


def rules_pages() -> dict[str, str]:
    """Return the generated pages on the rules: file -> text."""
    return {"abilities.md": abilities_page(), "switches.md": switches_page(), "how_to_play.md": page_for_players()}


def page_for_players() -> str:
    """Return docs/how_to_play.md with its list of abilities written anew."""
    page = (DOCS / "how_to_play.md").read_text(encoding="utf-8")
    items = "".join(f"- **{name}** (*{kind}*): {sentence}\n" for name, kind, sentence in ABILITIES.values())
    return LIST.sub(lambda match: match[1] + items + match[2], page)


def abilities_page() -> str:
    """Return docs/abilities.md."""
    tokens = list(load_catalogue().values())
    rows = []
    for ability, (name, kind, sentence) in ABILITIES.items():
        holders = ", ".join(dict.fromkeys(holders_of(ability, tokens)))
        rows.append(f"| **{name}** | {kind} | {sentence} | {holders} |\n")
    return ABILITIES_HEAD + "".join(rows) + ABILITIES_TAIL


def holders_of(ability: Ability, tokens: Sequence[AnyToken]) -> Iterator[str]:
    """Yield the tokens with an ability, with its value where it has one; those that lend it in italics."""
    for token in tokens:
        if isinstance(token, Unit):
            for held in token.abilities:
                if held.kind == ability.name.lower():
                    yield token.name + value_of(held)
        elif isinstance(token, Attachment):
            for effect in token.effects:
                if isinstance(effect, GrantEffect) and effect.ability.kind == ability.name.lower():
                    yield f"*{token.name}*{value_of(effect.ability)}"


def value_of(held: AnyAbility) -> str:
    """Return what follows the name in the text of an ability, such as its range."""
    name = ABILITIES[Ability[held.kind.upper()]][0]
    rest = ability_text(held).removeprefix(name).strip(" :()")
    return f" ({rest})" if rest else ""


def switches_page() -> str:
    """Return docs/switches.md."""
    meanings, rulings = meanings_of(Switches), rulings_by_switch()
    rows = []
    for name, schema in Switches.model_json_schema()["properties"].items():
        default, others = default_of(name, schema), other_values(name, schema)
        changed = ", ".join(rulings.get(name, []))
        rows.append(f"| `{name}` | {meanings[name]} | {default} | {others} | {changed} |\n")
    return SWITCHES_HEAD.format(count=len(rows)) + "".join(rows) + SWITCHES_TAIL


def meanings_of(model: type) -> dict[str, str]:
    """Return what the section `Attributes` of a class says of each attribute."""
    _, _, section = (model.__doc__ or "").partition("Attributes:\n")
    meanings: dict[str, str] = {}
    name = ""
    for line in section.split("\n"):
        if start := re.match(r" {4,8}(\w+): (.*)", line):
            name, meanings[start[1]] = start[1], start[2]
        elif name and line.strip():
            meanings[name] += " " + line.strip()
        elif name and not line.strip():
            break
    return meanings


def default_of(name: str, schema: dict[str, Any]) -> str:
    """Return the default of a switch."""
    value = schema["default"]
    if isinstance(value, bool):
        return "`on`" if value else "`off`"
    if isinstance(value, dict):
        return ", ".join(f"{copies} of rank {rank}" for rank, copies in value.items())
    return "5 + 2 a General" if value is None and name == "grid_radius" else f"`{value}`"


def other_values(name: str, schema: dict[str, Any]) -> str:
    """Return what else a switch may be, and what that changes."""
    if schema.get("type") == "boolean":
        values = ["off" if schema["default"] else "on"]
    elif "enum" in schema:
        values = [value for value in schema["enum"] if value != schema["default"]]
    else:
        limits = schema.get("additionalProperties") or next(iter(schema.get("anyOf", [])), schema)
        return f"{limits['minimum']} to {limits['maximum']}"
    return "; ".join(f"`{value}`: {OTHERWISE[name][value]}" for value in values)


def rulings_by_switch() -> dict[str, list[str]]:
    """Return the numbers of the rulings that each switch changes, as docs/rules/rulings.md says."""
    found: dict[str, list[str]] = {}
    for line in RULINGS.read_text(encoding="utf-8").splitlines():
        cells = line.strip("| ").split(" | ")
        if re.fullmatch(r"Q-\d\d", cells[0]):
            for switch in re.findall(r"`(\w+)`", cells[-1]):
                found.setdefault(switch, []).append(cells[0])
    return found
