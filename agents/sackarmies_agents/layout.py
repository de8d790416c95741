"""Layout of a game: what must be equal for a policy or data to fit the game. This module needs no torch."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sackarmies_agents.agent import GameInfo


def describe(info: GameInfo) -> dict[str, Any]:
    """Return what must be equal for a policy to play a game, as plain data."""
    spec = info.observation_spec
    blocks = {block.name: [block.rows, [feature.name for feature in block.features]] for block in spec.blocks}
    return {
        "id": info.game_id,
        "num_players": info.num_players,
        "num_actions": info.num_actions,
        "num_types": info.num_types,
        "radius": info.radius,
        "observation": blocks,
    }


def layout_hash(info: GameInfo) -> str:
    """Return the SHA-256 of `describe(info)`, in hexadecimal."""
    return hashlib.sha256(json.dumps(describe(info), sort_keys=True).encode()).hexdigest()
