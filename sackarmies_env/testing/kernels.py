"""Checks of single states: initial states, masks, ranges of observations, read-only kernels, replay."""

from __future__ import annotations

import json

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.core.state import copy_records
from sackarmies_env.testing.probe import (
    bytes_of,
    differing_fields,
    integers_of,
    masks_of,
    new_game,
    observation_of,
    require,
    require_same,
    results_of,
    resumed,
    step,
)
from sackarmies_env.testing.random_play import RandomPlay

NUM_RESETS = 3  # seeds with which a used record is reset


def check_layout(game: Game) -> None:
    """Check the initial state, that the observation is not empty, and that the configuration builds the same game."""
    require(game.observation_spec.size > 0, game.id, "the observation is empty")
    first, again = game.new_states(1), game.new_states(1)
    for states in (first, again):
        copy_records(game.state_layout.empty, states)
        game.initial_state(states)
    require_same(game, game.id, again, first, "initial_state makes a different record each time")
    fault = "initial_state leaves the record empty, from which the rules may never reach a decision"
    require(differing_fields(game, first, game.state_layout.empty), game.id, fault)
    twin = game.build(**json.loads(json.dumps(game.config)))
    require(twin.digest == game.digest, game.id, "build(**config) gives a different game")


def check_decision(game: Game, play: RandomPlay) -> None:
    """Check the count of decisions, that masks hold 0 and 1, and that a game that has ended has no current player."""
    require(np.isin(play.action_mask, (0, 1)).all(), play, "the mask contains values other than 0 and 1")
    ended = play.states["terminated"][0] or play.states["truncated"][0]
    require(not ended, play, f"the game has ended, but player {play.player} is the current player")
    counted = int(play.states["decisions"][0])
    require(counted == len(play.actions), play, f"the state counts {counted} decisions, not {len(play.actions)}")


def check_observations(game: Game, play: RandomPlay) -> None:
    """Check that the observations of all players are in range, and that read-only kernels change nothing."""
    before = bytes_of(play.states)
    spec = game.observation_spec
    for player in range(game.num_players):
        seen = observation_of(game, play.states, player)
        wrong = np.flatnonzero((seen < spec.low) | (seen > spec.high))
        if len(wrong):
            place = int(wrong[0])
            allowed = f"{spec.low[place]} to {spec.high[place]}"
            require(False, play, f"{spec.names()[place]} is {seen[place]} for player {player}, not {allowed}")
    require(bytes_of(play.states) == before, play, "observe changes the state")
    masks_of(game, play.states)
    require(bytes_of(play.states) == before, play, "legal_actions changes the state")
    results_of(game, play.states)
    require(bytes_of(play.states) == before, play, "returns or terminations change the state")


def check_resume(game: Game, play: RandomPlay) -> None:
    """Check that resuming a game at a decision only finds the legal ids again."""
    after = resumed(game, play.states)
    require_same(game, play, after, play.states, "RESUME changes a state that is at a decision")


def check_reset(game: Game, play: RandomPlay) -> None:
    """Check that a new game keeps nothing of the game that was in the record before.

    Two records are reset, because `reset` clears the last one itself.
    """
    for seed in range(play.seed, play.seed + NUM_RESETS):
        fresh, used = new_game(game, seed), game.new_states(2)
        copy_records(play.states, used[:1])
        game.reset(game.params, used, integers_of(seed, seed))
        require_same(game, play, used[:1], fresh, "reset keeps something of the previous game")


def check_replay(game: Game, play: RandomPlay) -> None:
    """Check that the same seed and actions give the same bytes, and that `start` without forced results is `reset`."""
    again = game.new_states(1)
    game.start(again, play.seed)
    for action in play.actions:
        step(game, again, action)
    require_same(game, play, again, play.states, "the same seed and actions lead to a different state")
