"""Positions in which the engine once differed from the referee's ruling."""

from __future__ import annotations

from typing import Any

from sackarmies_env.games.sack_armies import make_game
from tests.sack_armies.builders.random_games import offered_ids, play_texts
from tests.sack_armies.builders.text_game import attachment, position, token, unit

UNDO: dict[str, Any] = {
    "id": "undo",
    "kind": "maneuver",
    "use": "action",
    "target": "any_unit",
    "range": 2,
    "effects": [{"kind": "counter"}],
}


def legal_after(scenario: dict[str, Any], *texts: str) -> set[str]:
    """Return what is legal after some actions, as texts."""
    game = make_game(scenario=scenario)
    *_, (states, _) = play_texts(game, texts)
    return {game.format_action(states, action) for action in offered_ids(game, states)}


def test_a_text_that_counters_cannot_choose_itself():
    scenario = position(
        tokens=[token("mage", band="green"), UNDO],
        units=[unit("mage", "0,0", attached=[attachment("undo")]), unit("mage", "2,0", owner=1)],
    )
    assert "move" in legal_after(scenario)
    assert "cast" not in legal_after(scenario)


def test_a_text_that_counters_may_choose_another_of_its_kind():
    scenario = position(
        tokens=[token("mage", band="green"), UNDO],
        units=[
            unit("mage", "0,0", attached=[attachment("undo"), attachment("undo")]),
            unit("mage", "2,0", owner=1, attached=[attachment("undo")]),
        ],
        switches={"auto_forced": False},
    )
    chosen = ["cast", "hex 0,0", "slot 1"]
    assert legal_after(scenario, *chosen) == {"hex 0,0", "hex 2,0"}


WAKE: dict[str, Any] = {
    "id": "wake",
    "kind": "spell",
    "use": "free",
    "effects": [{"kind": "grant", "ability": {"kind": "raise", "match": {"keyword": "orc"}}}],
}


def test_an_ability_to_raise_works_beside_another_one():  # R9.1-1
    elves_only = {"kind": "raise", "match": {"keyword": "elf"}}
    pile = {"sack": ["spare"], "casualties": ["grunt"]}
    scenario = position(
        tokens=[token("priest", band="green", abilities=[elves_only]), token("grunt", keywords=["orc"]), WAKE],
        units=[unit("priest", "0,0", attached=[attachment("wake", face="up")]), unit("grunt", "2,0", owner=1)],
        general=[pile, pile],
    )
    assert "raise" in legal_after(scenario)


def test_a_granted_ability_to_raise_works_alone():  # R9.1-1
    pile = {"sack": ["spare"], "casualties": ["grunt"]}
    scenario = position(
        tokens=[token("priest", band="green"), token("grunt", keywords=["orc"]), WAKE],
        units=[unit("priest", "0,0", attached=[attachment("wake", face="up")]), unit("grunt", "2,0", owner=1)],
        general=[pile, pile],
    )
    assert "raise" in legal_after(scenario)


def test_attackers_that_hang_together_may_be_named_in_any_order():
    shooter = token("shooter", abilities=[{"kind": "range", "range": 4}])
    scenario = position(
        tokens=[shooter],
        units=[unit("shooter", hex_) for hex_ in ("0,0", "-1,0", "-2,0")] + [unit("shooter", "2,0", owner=1)],
        switches={"ranged_coord_connected": True, "auto_forced": False},
    )
    chosen = ["coord_ranged", "hex 2,0", "hex 0,0"]
    assert legal_after(scenario, *chosen) == {"hex -1,0", "hex -2,0"}


def test_a_save_is_completed_before_the_next_one():
    bonus = {"kind": "modify", "stat": "armor", "amount": 1}
    augment = {"kind": "augment", "stat": "armor", "amount": 2}
    scenario = position(
        tokens=[
            token("gun", abilities=[{"kind": "range", "range": 4}, {"kind": "scatter", "damage": 3}]),
            token("piper", band="green", armor=2, abilities=[augment]),
            {"id": "buckler", "kind": "spell", "use": "free", "effects": [bonus]},
        ],
        units=[
            unit("gun", "0,0"),
            unit("spare", "3,0", owner=1),
            unit("piper", "4,-1", owner=1, face="down"),
            unit("piper", "3,-1", owner=1, face="down", attached=[attachment("buckler"), attachment("buckler")]),
        ],
        flips="H H",
        switches={"auto_forced": False},
    )
    shot = ["ranged", "hex 0,0", "hex 3,0", "pass", "pass"]
    assert legal_after(scenario, *shot) == {"yes", "pass"}
    assert legal_after(scenario, *shot, "yes") == {"slot 0", "slot 1"}
