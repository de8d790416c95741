"""The games whose rules are mutated: their modules, and the tests that may notice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CORE = "sackarmies_env.core"
CORE_TESTS = (
    "tests/core/test_encode.py",
    "tests/core/test_events.py",
    "tests/core/test_flow.py",
    "tests/core/test_legal.py",
)
SHARED = ("encode", "events", "flow", "legal")  # the parts shared by games that rules are made of


@dataclass(frozen=True)
class Subject:
    """A game whose rules are mutated.

    Attributes:
        modules: short name -> dotted name of the rules.
        tests: files and folders.
    """

    modules: Mapping[str, str]
    tests: tuple[str, ...]


def modules_of(game_id: str, rooms: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the modules of a game's rooms, by name."""
    return {name: f"sackarmies_env.games.{game_id}.{room}.{name}" for room, names in rooms.items() for name in names}


SACK_ARMIES = Subject(
    modules_of(
        "sack_armies",
        {
            "state": ("actions", "chance", "events", "flow", "knowledge", "memory", "transfer", "zones"),
            "rules": (
                *("abilities", "activate", "attack", "combat", "coordinate", "damage", "deploy", "effects", "movement"),
                *("setup", "stats", "turn", "victory", "window"),
            ),
            "play": ("legal", "step"),
        },
    )
    | {f"core.{name}": f"{CORE}.{name}" for name in SHARED},
    (
        *CORE_TESTS,
        "tests/sack_armies/rules",
        "tests/sack_armies/state/test_actions.py",
        "tests/sack_armies/state/test_clean_slate.py",
        "tests/sack_armies/state/test_memory.py",
        "tests/sack_armies/words/test_narrate.py",
        "tests/sack_armies/observation/test_observe.py",
        "tests/sack_armies/rules/test_rotation.py",
        "tests/sack_armies/scenario/test_scenario.py",
        "tests/sack_armies/referee/test_corners.py",
        "tests/sack_armies/referee/test_once_wrong.py",
        "tests/mutation/play.py",
    ),
)
TERRITORIES = Subject(
    modules_of(
        "territories",
        {
            "state": ("battle", "cards", "chance", "events", "forces"),
            "rules": (
                *("attack", "battle_cards", "damage", "exchange", "forfeit", "movement", "quantities", "reduce"),
                *("reinforce", "result", "rolling", "setup", "skirmishes", "turn", "victory"),
            ),
            "play": ("legal", "step"),
            "observation": ("observe",),
            "belief": ("determinize",),
        },
    ),
    (
        "tests/territories/rules",
        "tests/territories/test_events.py",
        "tests/territories/observation",
        "tests/territories/belief",
        "tests/territories/fog/test_twins.py",
        "tests/mutation/play_territories.py",
    ),
)
SUBJECTS = {"sack_armies": SACK_ARMIES, "territories": TERRITORIES}
