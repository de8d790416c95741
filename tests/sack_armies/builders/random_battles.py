"""Random battles: positions in which armies meet, which random play from Setup seldom reaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.sack_armies.builders.random_tokens import Data, Random, is_lucky, pick
from tests.sack_armies.referee.board import STEPS, distance
from tests.sack_armies.referee.deploy import BANDS
from tests.sack_armies.referee.position import Hex

ROUNDS = 5  # battlefields per General
FRONT = 3  # greatest distance of a unit from the nearest battlefield of an opponent, and of its own General
PALETTE = 3  # different units that a General has on the board, at most

# Groups of shooters that scatter, and face-down units that may be saved from scatter.
VOLLEY_TOKENS: list[Data] = [
    {
        "id": "slinger",
        "kind": "unit",
        "band": "green",
        "armor": 3,
        "damage": 3,
        "movement": 2,
        "abilities": [{"kind": "range", "range": 3}, {"kind": "scatter", "damage": 3}],
    },
    {
        "id": "piper",
        "kind": "unit",
        "band": "green",
        "armor": 2,
        "abilities": [{"kind": "augment", "stat": "armor", "amount": 2}, {"kind": "range", "range": 2}],
    },
    {
        "id": "diver",
        "kind": "unit",
        "band": "green",
        "armor": 3,
        "damage": 2,
        "movement": 2,
        "abilities": [{"kind": "aquatic"}, {"kind": "leadership"}],
    },
    {"id": "mire", "kind": "battlefield", "water": True, "effects": [{"stat": "armor", "amount": -1}]},
    {"id": "buckler", "kind": "spell", "use": "free", "effects": [{"kind": "modify", "stat": "armor", "amount": 1}]},
    {"id": "gills", "kind": "spell", "use": "free", "effects": [{"kind": "grant", "ability": {"kind": "aquatic"}}]},
    {"id": "burden", "kind": "maneuver", "use": "free", "effects": [{"kind": "modify", "stat": "armor", "amount": -1}]},
]


def random_battle(rng: Random, num_generals: int, tokens: Sequence[Data], switches: Data) -> Data:
    """Return a scenario with random tokens on the battleground, in hands and in piles.

    Args:
        rng: source of chance.
        num_generals: 2 to 6.
        tokens: inline tokens, all kinds among them.
        switches: those that differ from the defaults.
    """
    lands = random_lands(rng, num_generals)
    by_kind = {kind: [token for token in tokens if token["kind"] == kind] for kind in {t["kind"] for t in tokens}}
    fields: list[Data] = [
        {"token": random_field(rng, by_kind), "at": list(hex_), "owner": owner, "controller": owner}
        for owner, land in enumerate(lands)
        for hex_ in land
    ]
    for field in fields:  # nobody loses their first own battlefield
        if is_lucky(rng, 0.15) and tuple(field["at"]) != lands[field["owner"]][0]:
            field["controller"] = int(rng.integers(num_generals))
    units = random_units(rng, lands, by_kind)
    return {
        "game": "sack_armies",
        "generals": num_generals,
        "to_move": int(rng.integers(num_generals)),
        "token": list(tokens),
        "battlefield": fields,
        "unit": units,
        "general": [random_piles(rng, by_kind) for _ in range(num_generals)],
        "switches": switches,
    }


def random_lands(rng: Random, num_generals: int) -> list[list[Hex]]:
    """Return the battlefields of each General as after Setup: neutral zones between them, each land in one piece."""
    lands: list[list[Hex]] = [[] for _ in range(num_generals)]
    lands[0].append((0, 0))
    for turn in range(1, ROUNDS * num_generals):
        own = lands[turn % num_generals]
        others = [hex_ for land in lands if land is not own for hex_ in land]
        anchors = own or [hex_ for land in lands for hex_ in land]
        gap = 1 if own else 2
        free = [
            hex_
            for hex_ in {(q + dq, r + dr) for q, r in anchors for dq in range(-2, 3) for dr in range(-2, 3)}
            if min(distance(hex_, anchor) for anchor in anchors) == gap
            and min(distance(hex_, other) for other in others) >= 2
        ]
        if free:
            own.append(pick(rng, sorted(free)))
    return lands


def random_field(rng: Random, by_kind: dict[str, list[Data]]) -> str:
    """Return the id of a battlefield, often the plain one."""
    return "plain" if is_lucky(rng, 0.4) else str(pick(rng, by_kind["battlefield"])["id"])


def random_units(rng: Random, lands: Sequence[Sequence[Hex]], by_kind: dict[str, list[Data]]) -> list[Data]:
    """Return units near the front, with attachments; next to an enemy they are face up (R8.2.1-1)."""
    units: list[Data] = []
    taken: set[Hex] = set()
    for owner, land in enumerate(lands):
        others = [hex_ for other in lands if other is not land for hex_ in other]
        legal = {(q + dq, r + dr) for q, r in [*land, *others] for dq, dr in [(0, 0), *STEPS]}
        near = [hex_ for hex_ in sorted(legal) if min(distance(hex_, other) for other in others) <= FRONT]
        free = [hex_ for hex_ in near if hex_ not in taken and min(distance(hex_, own) for own in land) <= FRONT]
        palette = by_kind | {"unit": [pick(rng, by_kind["unit"]) for _ in range(PALETTE)]}
        for _ in range(min(len(free), int(rng.integers(4, 8)))):
            hex_ = free.pop(int(rng.integers(len(free))))
            taken.add(hex_)
            units.append(random_entry(rng, hex_, owner, palette))
    for unit in units:
        if any(distance(tuple(unit["at"]), tuple(o["at"])) == 1 for o in units if o["owner"] != unit["owner"]):
            unit["face"] = "up"
        add_permanents(rng, unit, len(lands), by_kind)
    return units


def random_entry(rng: Random, hex_: Hex, owner: int, by_kind: dict[str, list[Data]]) -> Data:
    """Return a unit with attachments of its own General."""
    token = pick(rng, by_kind["unit"])
    face = pick(rng, ("up", "down"))
    texts = [*by_kind["spell"], *by_kind["maneuver"]]
    fitting = [text for text in texts if token["band"] in BANDS[text["kind"]]]
    attached = []
    for _ in range(rng.integers(0, 4) if fitting else 0):
        text = pick(rng, fitting)
        shown = face == "up" and is_lucky(rng, 0.3)
        attached.append({"token": text["id"], "face": "up" if shown else "down", "owner": owner, "active": False})
    return {"token": token["id"], "at": list(hex_), "owner": owner, "face": face, "attached": attached}


def add_permanents(rng: Random, unit: Data, num_generals: int, by_kind: dict[str, list[Data]]) -> None:
    """Sometimes lay a permanent in effect on a face-up unit; its own General's only if there is room (Q-65)."""
    lasting = [t["id"] for t in (*by_kind["spell"], *by_kind["maneuver"]) if t["use"] == "permanent"]
    if unit["face"] == "down" or not lasting or not is_lucky(rng, 0.3):
        return
    owner = int(rng.integers(num_generals))
    if owner != unit["owner"] or len(unit["attached"]) < 3:
        unit["attached"].append({"token": pick(rng, lasting), "face": "up", "owner": owner, "active": True})


def random_piles(rng: Random, by_kind: dict[str, list[Data]]) -> dict[str, Any]:
    """Return the piles of a General, with at least a unit and a battlefield in the sack."""

    def some(low: int, high: int) -> list[str]:
        return [pick(rng, by_kind[pick(rng, sorted(by_kind))])["id"] for _ in range(rng.integers(low, high))]

    sure = [pick(rng, by_kind[kind])["id"] for kind in ("unit", "battlefield")]
    return {"hand": some(0, 4), "sack": [*sure, *some(0, 5)], "casualties": some(0, 4), "removed": some(0, 2)}


def shelling(rng: Random, switches: Data) -> Data:
    """Return a scenario in which one side shoots at a unit among face-down ones, and scatter comes up heads.

    Args:
        rng: source of chance.
        switches: those that differ from the defaults.
    """
    by_kind = {"unit": VOLLEY_TOKENS[:3], "spell": VOLLEY_TOKENS[4:6], "maneuver": VOLLEY_TOKENS[6:]}
    here, there = (0, 0), (3, 0)
    around = [(there[0] + q, there[1] + r) for q, r in STEPS]
    shooters = [here, (-1, 0), (-1, 1), (0, -1)]
    fields = [
        {"token": pick(rng, ("plain", "mire")), "at": list(hex_), "owner": owner}
        for owner, land in enumerate([shooters, [there, *around[:3], *around[4:]]])
        for hex_ in land
    ]
    units: list[Data] = [{"token": "slinger", "at": list(hex_), "owner": 0, "face": "up"} for hex_ in shooters[:3]]
    units.append({"token": pick(rng, ("slinger", "piper")), "at": list(there), "owner": 1, "face": "up"})
    for hex_ in around:
        if is_lucky(rng, 0.8):
            unit = random_entry(rng, hex_, 1, by_kind)
            hidden = unit["token"] != "piper" and is_lucky(rng, 0.8)  # augmenters lie face up
            units.append(unit | {"face": "down" if hidden else "up"})
    for unit in units[4:]:
        for held in unit["attached"]:
            held["face"] = held["face"] if unit["face"] == "up" else "down"
    pile = {"hand": [], "sack": ["diver"], "casualties": [], "removed": []}
    return {
        "game": "sack_armies",
        "generals": 2,
        "flips": "H T " + "H " * 60,
        "token": VOLLEY_TOKENS,
        "battlefield": fields,
        "unit": units,
        "general": [pile, pile],
        "switches": switches,
    }
