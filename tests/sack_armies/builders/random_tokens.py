"""Random but valid tokens, armies and switches, made from a seeded random generator.

They are plain data that `make_game` accepts, for any property test to use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

import numpy as np

from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, BandName, TargetName, read_tokens
from sackarmies_env.games.sack_armies.tokens.text_schema import ClassName, HomelandName, StatName

Random = np.random.Generator
Data = dict[str, Any]

KEYWORDS = ("elf", "orc", "knight", "beast")
PLAIN_ABILITIES = ("ambush", "aquatic", "capture", "defend", "draw", "flying", "leadership", "move_and_attack")
REACH_ABILITIES = ("counter", "dismiss", "dispel", "range", "sight")
ABILITIES = (*PLAIN_ABILITIES, *REACH_ABILITIES, "augment", "raise", "scatter")
LASTING_EFFECTS = ("modify", "grant")
ACTION_EFFECTS = (
    *("damage", "modify", "grant", "relocate", "swap", "dismiss", "dispel", "counter", "raise", "remove", "draw"),
    "reveal",
)
HEX_EFFECTS = ("relocate", "raise", "draw", "reveal")  # those that need no unit as target
KINDS = ("unit", "unit", "unit", "battlefield", "spell", "spell", "maneuver", "maneuver", "maneuver")
USES = ("action", "action", "free", "permanent")
NUMBERS: dict[str, tuple[int, ...]] = {  # numeric switches, with values worth trying
    "draw_count": (3, 1, 6),
    "hand_limit": (3, 1, 6),
    "initial_hand": (0, 4),
    "max_progressive": (64, 1),
}


def pick(rng: Random, choices: Sequence[Any]) -> Any:
    """Return one of `choices`."""
    return choices[int(rng.integers(len(choices)))]


def is_lucky(rng: Random, chance: float) -> bool:
    """Return true with probability `chance`."""
    return bool(rng.random() < chance)


# --- tokens


def random_tokens(rng: Random, count: int, prefix: str = "made") -> list[Data]:
    """Return `count` valid inline tokens as plain data, a third of them units; their ids begin with `prefix`."""
    tokens = [random_token(rng, f"{prefix}_{number}", KINDS[number % len(KINDS)]) for number in range(count)]
    read_tokens(tokens, "random tokens")
    return tokens


def random_token(rng: Random, token_id: str, kind: str) -> Data:
    """Return one valid token, drawn again until its parts make sense together."""
    makers = {"unit": random_unit, "battlefield": random_battlefield}
    while True:
        token = {"id": token_id, "kind": kind} | makers.get(kind, random_attachment)(rng)
        try:
            read_tokens([token], "random token")
        except ValueError:
            continue
        return token


def random_unit(rng: Random) -> Data:
    """Return a unit without id: quick, and mostly able to take attachments."""
    unit = {
        "rank": pick(rng, (1, 1, 1, 2, 3)),
        "homeland": pick(rng, get_args(HomelandName)),
        "type": pick(rng, get_args(ClassName)),
        "band": pick(rng, (*get_args(BandName), "green", "green", "red")),
        "movement": pick(rng, (0, 1, 2, 3, 4)),
        "damage": int(rng.integers(0, 5)),
        "armor": int(rng.integers(1, 5)),
        "keywords": [word for word in KEYWORDS if is_lucky(rng, 0.4)],
        "abilities": [random_ability(rng, kind) for kind in rng.permutation(ABILITIES)[: rng.integers(0, 5)].tolist()],
    }
    if is_lucky(rng, 0.15):
        unit["limits"] = [{"kind": "requires_revealed", "match": random_match(rng)}]
    return unit | (random_text(rng, "action") if is_lucky(rng, 0.3) else {})


def random_battlefield(rng: Random) -> Data:
    """Return a battlefield without id."""
    halts, water = is_lucky(rng, 0.5), is_lucky(rng, 0.5)
    return {
        "halts": halts,
        "water": water,
        "favors_aquatic": water and is_lucky(rng, 0.5),
        "exempt": [who for who in ("flying", "aquatic") if halts and is_lucky(rng, 0.5)],
        "effects": [random_terrain(rng) for _ in range(rng.integers(0, 3))],
    }


def random_terrain(rng: Random) -> Data:
    """Return an effect of a battlefield on a stat."""
    terrain = {"stat": pick(rng, get_args(StatName)), "amount": pick(rng, (-2, -1, 1, 2))}
    return terrain | ({"match": random_match(rng)} if is_lucky(rng, 0.5) else {})


def random_attachment(rng: Random) -> Data:
    """Return a spell or maneuver without id or kind."""
    use = pick(rng, USES)
    retain = {"retain": True} if use == "action" and is_lucky(rng, 0.3) else {}
    return {"rank": pick(rng, (1, 1, 2))} | retain | random_text(rng, use)


def random_text(rng: Random, use: str) -> Data:
    """Return a text whose parts may not make sense together."""
    text: Data = {"use": use}
    if use != "free" and is_lucky(rng, 0.85):
        text["target"] = pick(rng, get_args(TargetName))
        if text["target"] != "host":
            text["range"] = int(rng.integers(0, 6))
    kinds: Sequence[str] = HEX_EFFECTS if text.get("target") == "hex" else ACTION_EFFECTS
    if use != "action":
        kinds = LASTING_EFFECTS
    text["effects"] = [random_effect(rng, pick(rng, kinds)) for _ in range(rng.integers(1, 4))]
    return text


def random_effect(rng: Random, kind: str) -> Data:
    """Return an effect of a kind."""
    values: dict[str, Data] = {
        "damage": {"amount": int(rng.integers(1, 4)), "flip": pick(rng, ("none", "single", "progressive"))},
        "modify": {"stat": pick(rng, get_args(StatName)), "amount": pick(rng, (-3, -2, -1, 1, 2, 3))},
        "grant": {"ability": random_ability(rng, pick(rng, ABILITIES))},
        "relocate": {
            "who": pick(rng, ("host", "target")),
            "distance": int(rng.integers(1, 4)),
            "flip": pick(rng, ("none", "single")),
        },
        "swap": {"distance": int(rng.integers(1, 5))},
        "raise": {"match": random_match(rng)} if is_lucky(rng, 0.5) else {},
        "draw": {"count": int(rng.integers(1, 4))},
        "reveal": {"range": int(rng.integers(0, 4))},
    }
    return {"kind": kind} | values.get(kind, {})


def random_ability(rng: Random, kind: str) -> Data:
    """Return an ability of a kind."""
    values: Data = {"range": int(rng.integers(1, 6))} if kind in REACH_ABILITIES else {}
    if kind == "augment":
        values = {"stat": pick(rng, ("armor", "damage")), "amount": int(rng.integers(1, 4))}
    if kind == "scatter":
        values = {"damage": int(rng.integers(1, 4)), "flip": pick(rng, ("single", "progressive"))}
    if kind in ("augment", "raise") and is_lucky(rng, 0.5):
        values["match"] = random_match(rng)
    return {"kind": kind} | values


def random_match(rng: Random) -> list[Data]:
    """Return a match of one or two clauses, each with at least one condition."""
    clauses = []
    for _ in range(rng.integers(1, 3)):
        conditions = {
            "keyword": pick(rng, KEYWORDS),
            "homeland": pick(rng, get_args(HomelandName)),
            "type": pick(rng, get_args(ClassName)),
        }
        kept = [name for name in conditions if is_lucky(rng, 0.35)] or ["keyword"]
        clauses.append({name: conditions[name] for name in kept})
    return clauses


# --- armies


def random_army(rng: Random, inline: Sequence[Mapping[str, Any]] = (), switches: Switches | None = None) -> Data:
    """Return a legal army as plain data, of catalogue tokens, or of `inline` tokens and catalogue battlefields.

    Args:
        rng: source of chance.
        inline: tokens that the army brings; if there are any, all its units and attachments are from them.
        switches: limits on ranks, copies and battlefields; defaults to those of the standard game.

    Raises:
        ValueError: no token of a required kind fits into the remaining ranks.
    """
    agreed = Switches() if switches is None else switches
    own = read_tokens([dict(token) for token in inline], "inline tokens")
    tokens = [*own, *(token for token in load_catalogue().values() if not own or token.kind == "battlefield")]
    counts: dict[str, int] = {}
    left = agreed.max_ranks

    def add(wanted: Sequence[str]) -> None:
        nonlocal left
        fitting = [token for token in tokens if token.kind in wanted and may_add(token, counts, left, agreed)]
        if not fitting:
            raise ValueError(f"no {' or '.join(wanted)} fits into an army with {left} ranks left")
        token = pick(rng, fitting)
        counts[token.id] = counts.get(token.id, 0) + 1
        left -= token.rank

    for _ in range(agreed.min_battlefields):
        add(["battlefield"])
    add(["unit"])
    for _ in range(39 - sum(counts.values())):  # the small layout of the state holds 40 tokens per General
        if left > 0:
            add([pick(rng, ("unit", "unit", "unit", "spell", "maneuver", "battlefield"))])
    return {"name": "random", "tokens": counts, "token": [dict(token) for token in inline if token["id"] in counts]}


def may_add(token: AnyToken, counts: Mapping[str, int], left: int, switches: Switches) -> bool:
    """Return whether an army may take one more of a token (R4.2-2, R4.2-5 to 7)."""
    return token.rank <= left and counts.get(token.id, 0) < switches.copies(token.rank)


# --- switches


def switch_values() -> dict[str, list[Any]]:
    """Return all values of switches that have few, and some values of numeric ones; the default comes first.

    Limits on armies and turns are left out, and `flip_method = "scripted"`, which cannot go on for long.
    """
    values: dict[str, list[Any]] = {name: list(numbers) for name, numbers in NUMBERS.items()}
    for name, entry in Switches.model_fields.items():
        if get_origin(entry.annotation) is not None and isinstance(entry.default, str):
            values[name] = [value for value in get_args(entry.annotation) if value != "scripted"]
        elif isinstance(entry.default, bool):
            values[name] = [entry.default, not entry.default]
    return values


def random_switches(rng: Random, chance: float = 0.4) -> Data:
    """Return switches, each changed from its default with probability `chance`."""
    return {name: pick(rng, values[1:]) for name, values in switch_values().items() if is_lucky(rng, chance)}
