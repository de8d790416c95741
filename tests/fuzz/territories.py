"""Scenarios of Territories as documents for the fuzzer, and the checks on accepted positions."""

from __future__ import annotations

import functools
import json
import tomllib
from random import Random
from typing import Any

import numpy as np
import tomli_w

from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import ERROR_NONE
from sackarmies_env.games.territories import load_scenario, make_game, make_recorded_game
from sackarmies_env.games.territories.scenario.document import SCENARIOS_FOLDER
from tests.fuzz.mutators import places
from tests.territories.referee.random_play import RandomPlayers
from tests.territories.scenario.bounds import BOUNDS

PLIES = 6
SAMPLES = ((2, "small", 1), (3, "full", 2), (2, "full", 3), (4, "full", 4), (2, "full", 5))


@functools.cache
def _dumps() -> tuple[dict[str, Any], ...]:
    """Return dumped positions of random games: one per decision and number of players, and the final ones."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for num_players, game_map, seed in SAMPLES:
        game = make_game(num_players, game_map)
        states, players = game.new_states(1), RandomPlayers(seed, num_players, likings=("warlike", "trader", "any"))
        game.start(states, seed)
        for _ in range(1500):
            player = int(states["current_player"][0])
            if player < 0:
                break
            key = num_players, int(states["decision"][0])
            if key not in found:
                found[key] = json.loads(json.dumps(game.to_scenario(states)))
            action = players.next_move(player, legal_ids(states["legal"][0]), [])
            game.step(game.params, states, np.array([action]))
        found[num_players, -seed] = json.loads(json.dumps(game.to_scenario(states)))
    return tuple(found.values())


def dumps() -> list[Any]:
    return list(_dumps())


def scenarios() -> list[Any]:
    built_in = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(SCENARIOS_FOLDER.glob("*.toml"))]
    return [*built_in, *dumps()[::7], *(json.loads(json.dumps(bound.at)) for bound in BOUNDS.values())]


def read(source: Any) -> dict[str, Any]:
    return load_scenario(source)


def check_scenario(scenario: dict[str, Any]) -> None:
    assert load_scenario(scenario) == scenario
    if all(node[key] is not None for node, key in places(scenario)):  # TOML has no word for nothing
        assert load_scenario(tomllib.loads(tomli_w.dumps(scenario))) == scenario


def recorded_games() -> list[Game]:
    """Return games of the kind that records contain."""
    return [make_recorded_game(scenario=scenario) for scenario in dumps()[4:20:8]]


def start(scenario: Any) -> Game:
    """Build a game from a scenario that may be any data."""
    if not isinstance(scenario, dict):
        load_scenario(scenario)
        raise ValueError("scenario: expected a table")
    return make_game(scenario=scenario)


def check_position(game: Game) -> None:
    """Play on at random for a few plies, checking that each position reached is accepted as a scenario."""
    states, rng = game.new_states(1), Random(0)
    game.start(states, 1)
    for ply in range(PLIES):
        assert states["error"][0] == ERROR_NONE
        load_scenario(game.to_scenario(states))
        world = game.clone(states)
        game.determinize(game.params, world, [ply % game.num_players], [ply])
        load_scenario(game.to_scenario(world))
        if states["current_player"][0] < 0:
            break
        legal = legal_ids(states["legal"][0])
        assert legal and max(legal) < game.num_actions
        game.step(game.params, states, np.array([rng.choice(legal)]))
    game.forfeit(game.params, states, [rng.randrange(game.num_players)])
    assert states["error"][0] == ERROR_NONE
    load_scenario(game.to_scenario(states))
