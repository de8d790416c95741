"""Documents of Territories: options and records of games."""

from __future__ import annotations

import functools
import json
from random import Random
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, forfeit_code
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.record import make_record
from sackarmies_env.games.territories import make_game
from sackarmies_env.testing.probe import masks_of

OPTIONS = {"num_players", "map", "switches"}
PLACES = ("num_players", "map", "switches", "configuration")
REPLAYED = ("record", "ply ", "dice", "draws", "unknown game", "forced", "results", *PLACES)
PLIES = 150  # of a recorded game
FORCED = {"dice": "112 354 2216", "draws": [["card 9", "card 12"], ["card 7"]]}
CONFIGS: tuple[dict[str, Any], ...] = (
    {"map": "small"},
    {"num_players": 3, "switches": {"exchange_pair": "per_turn", "max_rounds": 3}},
    {"num_players": 4, "switches": {"domination": "off", "attacks_per_turn": 2}},
)


def options() -> list[Any]:
    """Return arguments of `make_game`."""
    return [json.loads(json.dumps(config)) for config in CONFIGS]


def read_options(given: Any) -> Game:
    """Build a game from options that may be anything."""
    if not isinstance(given, dict) or not set(given) <= OPTIONS:
        raise ValueError("num_players, map and switches are options")
    return make_game(**given)


def check_options(game: Game) -> None:
    """Check that a game can be started and rebuilt."""
    states = game.new_states(1)
    game.start(states, seed=1)
    assert masks_of(game, states).any()
    assert make_game(**game.config).digest == game.digest


@functools.cache
def _replays() -> tuple[dict[str, Any], ...]:
    found = []
    for seed, config in enumerate(CONFIGS):
        game = make_game(**config)
        states = game.new_states(1)
        forced = FORCED if seed else {}
        game.start(states, seed, forced)
        rng, actions = Random(seed), []
        while len(actions) < PLIES and states["current_player"][0] >= 0:
            actions.append(rng.choice(legal_ids(states["legal"][0])))
            game.step(game.params, states, np.array(actions[-1:]))
        reasons = {}
        if states["current_player"][0] >= 0:
            reasons[len(actions)] = "no answer in 1 s"
            actions.append(forfeit_code(int(states["current_player"][0])))
        record = make_record(game, seed, actions, forced=forced, reasons=reasons)
        found.append(record.model_dump(mode="json"))
    return tuple(found)


def replays() -> list[Any]:
    """Return records of random games, some with forced results, some ended by a forfeit."""
    return [json.loads(json.dumps(record)) for record in _replays()]
