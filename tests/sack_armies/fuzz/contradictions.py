"""Positions of valid parts that may contradict one another, and what no accepted position may contradict."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from sackarmies_env.core.state import KEPT, NO_PLAYER, StateField, select
from sackarmies_env.games.sack_armies.scenario.document import Position
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS
from tests.fuzz.mutators import copy_data, mutate_data

FIELDS = [field for field in select(STATE_FIELDS, role=KEPT) if field.part != "tokens"]
NUMBERS = (-1, 0, 1, 2, 5, 30000, 32767)
FATES: tuple[dict[str, Any], ...] = (
    *({"winner": 0}, {"winner": -1}, {"victory_type": "draw"}, {"victory_type": "none"}, {"victory_type": "standard"}),
    *({"setup": True}, {"setup": False}, {"to_move": 0}, {"to_move": 1}),
)


def contradict(rng: Random, document: Any, other: Any) -> Any:
    """Return a damaged dump; half of the time, each part has the form of a valid one."""
    if rng.random() < 0.5:
        return mutate_data(rng, document, other)
    scenario = copy_data(document)
    if rng.random() < 0.5:
        for general in scenario["general"]:
            general["alive"] = rng.random() < 0.5
    if rng.random() < 0.3:
        scenario |= rng.choice(FATES)
    for _ in range(rng.randrange(4)):
        field = rng.choice(FIELDS)
        scenario["procedure"][field.name] = likely_value(rng, field, other["procedure"])
    return scenario


def likely_value(rng: Random, field: StateField, procedure: dict[str, Any]) -> Any:
    """Return a value that a field may hold, if possible that of another procedure."""
    if field.name in procedure and rng.random() < 0.7:
        return copy_data(procedure[field.name])
    value: Any = rng.choice(NUMBERS) if field.codes is None else rng.choice(list(field.codes)).name.lower()
    return [value] if field.shape else value


def check_consistency(position: Position) -> None:
    """Check that what a position says about Generals, decision and end fits together."""
    state: Any = position.states.view(np.ndarray)[0]
    alive, player, is_draw = state["general_alive"] == 1, int(state["current_player"]), state["general_drawn"].any()
    is_over = bool(state["terminated"] or state["truncated"])
    assert is_over == (player == NO_PLAYER) == (state["decision"] == Decision.NONE)
    assert alive.sum() >= 2 if not state["terminated"] else alive.sum() <= 1
    assert is_over or alive[player]
    assert (state["winner"] != NO_PLAYER) == (bool(state["terminated"]) and alive.sum() == 1)
    assert state["winner"] == NO_PLAYER or alive[state["winner"]]
    assert is_draw == (bool(state["terminated"]) and not alive.any())
    assert (state["chain"] >= 0).sum() == state["chain_length"]
