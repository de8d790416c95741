"""Random games under random agreements, and what the referee has to say about each of their decisions."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any
from unittest.mock import patch

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.config import Config, make_config
from sackarmies_env.games.sack_armies.constants import Decision
from sackarmies_env.games.sack_armies.scenario import lay_out_scenario
from sackarmies_env.games.sack_armies.switches import read_switches
from tests.referee import abilities, texts
from tests.referee.battles import random_battle
from tests.referee.decisions import legal_ids
from tests.referee.makers import Data, random_army, random_switches, random_tokens
from tests.referee.position import Position, read_position
from tests.referee.stats import raise_abilities
from tests.sack_armies.worlds import CONFIGURATIONS, States, plain, wander

GENERALS = (2, 2, 3, 4, 6)  # number of them, by seed
NUM_TOKENS = 27  # inline tokens in a game that has any


def bout_options(seed: int) -> dict[str, Any]:
    """Return the arguments of `make_game` for a seed.

    Every second game begins in the midst of a battle of random tokens; the others begin with Setup, with armies of the
    catalogue or of random tokens. Every third is played by the standard rules.
    """
    rng = np.random.default_rng(seed)
    num_generals = GENERALS[seed % len(GENERALS)]
    switches = random_switches(rng, 0.0 if seed % 3 == 0 else 0.4)
    tokens = random_tokens(rng, NUM_TOKENS)
    if seed % 2 == 0:
        return {"scenario": random_battle(rng, num_generals, tokens, switches)}
    inline = tokens if seed % 4 == 1 else []
    armies = [random_army(rng, inline, read_switches(switches)) for _ in range(num_generals)]
    return {"num_generals": num_generals, "armies": armies, "switches": switches}


def switches_of(options: dict[str, Any]) -> Data:
    """Return the switches in the arguments of `make_game` that differ from the defaults."""
    return dict(options["scenario"]["switches"] if "scenario" in options else options["switches"])


def config_of(game: Game) -> Config:
    """Return the configuration of a game."""
    if "scenario" in game.config:
        return lay_out_scenario(game.config["scenario"]).config
    return make_config(game.config["num_generals"], game.config["armies"], game.config["switches"])


def referee_bout(options: dict[str, Any], seed: int, plies: int) -> Counter[Decision]:
    """Play at random and compare every mask with the referee's ruling; return how often each decision was met.

    Raises:
        AssertionError: they differ; the position is printed as a scenario that starts at the decision in question.
    """
    game = make_game(**options)
    config = config_of(game)
    mask = np.zeros((1, game.num_actions), np.int8)
    met: Counter[Decision] = Counter()
    for ply, states in enumerate(wander(game, seed, plies)):
        position = read_position(config, game.params, states)
        met[position.decision] += 1
        legal = legal_ids(position)
        game.legal_actions(game.params, states, mask)
        offered = set(np.flatnonzero(mask[0]).tolist())
        fault = difference(game, states, offered, legal)
        if fault and offered != ids_with_known_faults(position):
            print(json.dumps(game.to_scenario(states)))
            raise AssertionError(f"seed {seed}, after {ply} decisions, player {position.player}: {fault}")
    return met


def ids_with_known_faults(position: Position) -> set[int]:
    """Return what the engine is known to offer instead, each fault with a test that fails in `test_faults.py`."""
    with (
        patch.object(texts, "is_activated", return_value=False),
        patch.object(abilities, "raise_abilities", lambda *unit: raise_abilities(*unit)[:1]),
    ):
        return legal_ids(position)


def difference(game: Game, states: States, offered: set[int], legal: set[int]) -> str:
    """Return in which ids the engine's mask differs from the referee's ruling, as a sentence; empty if in none."""
    if offered == legal:
        return ""
    missing, extra = (
        ", ".join(game.format_action(states, action) for action in sorted(ids)) or "nothing"
        for ids in (legal - offered, offered - legal)
    )
    verb = game.format_action(states, int(plain(states)["chain_verb"]))
    asked = game.describe_decision(states)
    return f"at {asked} (after {verb!r}) the mask lacks {missing}; it offers against the rules {extra}"


def known_worlds() -> dict[str, dict[str, Any]]:
    """Return the configurations of the tests on hidden information: they meet scatter, windows and texts often."""
    return CONFIGURATIONS
