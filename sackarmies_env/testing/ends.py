"""Checks of ends: every game ends, then has no legal actions, and its returns add up; forfeits lead there."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import ERROR_NONE, NO_PLAYER, copy_records
from sackarmies_env.testing.probe import (
    after_forfeit,
    bytes_of,
    integers_of,
    legal_of,
    masks_of,
    new_game,
    player_of,
    require,
    require_same,
    results_of,
    step,
)
from sackarmies_env.testing.random_play import RandomPlay

TOLERANCE = 1e-6  # of sums of returns
LIMITS = (1, 2, 6, 25)  # values of `max_decisions` that are tried

Policy = Callable[[list[int], int], int]  # of the legal ids and the previous action
STUBBORN: dict[str, Policy] = {
    "the lowest legal action": lambda legal, before: legal[0],
    "the highest legal action": lambda legal, before: legal[-1],
    "the same action again, where it is legal": lambda legal, before: before if before in legal else legal[-1],
    "the second lowest legal action": lambda legal, before: legal[min(1, len(legal) - 1)],
}


class Settled:
    """Checks, in one game, that the returns of eliminated players no longer change."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._earned: NDArray[np.float32] = np.full(game.num_players, np.nan, np.float32)

    def check(self, place: RandomPlay | str, states: Records) -> None:
        """Check the returns of eliminated players."""
        earned, eliminated = results_of(self._game, states)[0]
        for player in np.flatnonzero(eliminated).tolist():
            changed = not np.isnan(self._earned[player]) and self._earned[player] != earned[player]
            require(not changed, place, f"player {player} is eliminated, but the returns of that player change")
            self._earned[player] = earned[player]


def check_end(game: Game, place: RandomPlay | str, states: Records) -> None:
    """Check that a finished game has no legal actions, says how it ended and cannot change, and that returns add up."""
    before = bytes_of(states)
    require(not masks_of(game, states).any(), place, "the game is over, but there are legal actions")
    require(
        bool(states["terminated"][0]) != bool(states["truncated"][0]),
        place,
        "a game that is over must be either terminated or truncated",
    )
    step(game, states, 0)
    require(bytes_of(states) == before, place, "a step changes a game that is over")
    for player in range(game.num_players):
        after = after_forfeit(game, states, player)
        require_same(game, place, after, states, "a forfeit changes a game that is over")
    earned, eliminated = results_of(game, states)[0]
    if states["terminated"][0]:
        require(eliminated.all(), place, "the game has ended, but not for everybody")
    require(np.isfinite(earned).all(), place, f"returns are {earned}")
    adds_up = not game.zero_sum or abs(float(earned.sum())) < TOLERANCE
    require(adds_up, place, f"returns of a zero-sum game are {earned}, which do not add up to zero")


def check_forfeit(game: Game, play: RandomPlay) -> None:
    """Check that players who forfeit are eliminated, current or not, that the game goes on or ends, and how it ends."""
    nobody = game.clone(play.states)
    game.forfeit(game.params, nobody, integers_of(NO_PLAYER))
    require(bytes_of(nobody) == bytes_of(play.states), play, "a forfeit of nobody changes the state")
    for first in range(game.num_players):
        world, settled = game.clone(play.states), Settled(game)
        for number in range(game.num_players):
            player = (first + number) % game.num_players
            if player_of(world) == NO_PLAYER:
                break
            world = after_forfeit(game, world, player)
            is_eliminated = results_of(game, world)[0, 1, player] == 1
            require(is_eliminated, play, f"player {player} forfeits but is not eliminated")
            current = player_of(world)
            require(current != player, play, f"player {player} forfeits but is the current player")
            has_choice = current == NO_PLAYER or masks_of(game, world).any()
            require(has_choice, play, f"after a forfeit of player {player} nothing is legal for player {current}")
            settled.check(play, world)
        require(player_of(world) == NO_PLAYER, play, "all players have forfeited, but the game goes on")
        check_end(game, f"{play.where()}, after forfeits from player {first} on", world)


def check_bounds(game: Game, seed: int, most_decisions: int) -> None:
    """Check that stubbornly played games end, and how, with and without a forfeit at the beginning.

    Random play ends a turn sooner or later. A player who does the same over and over may never do so, if turns have no
    limit of their own.
    """
    for number, (words, policy) in enumerate(STUBBORN.items()):
        states = new_game(game, seed + number)
        if number % 2 and game.num_players > 2:
            states = after_forfeit(game, states, number % game.num_players)
        _play_stubbornly(game, f"{game.id}, seed {seed + number}", states, (words, policy), most_decisions)


def check_limit(game: Game, seed: int) -> None:
    """Check that games are truncated after `max_decisions`, and how they end, with and without a forfeit."""
    for number, limit in enumerate(LIMITS):
        limited = dataclasses.replace(game, max_decisions=limit)
        play = RandomPlay(limited, seed + number)
        if number % 2 and game.num_players > 2:
            copy_records(after_forfeit(limited, play.states, number % game.num_players), play.states)
        for _ in play:
            is_within = len(play.actions) < limit
            require(
                is_within, play, f"max_decisions is {limit}, but the game goes on after {len(play.actions)} decisions"
            )
        check_end(limited, play, play.states)


def _play_stubbornly(game: Game, place: str, states: Records, choice: tuple[str, Policy], most_decisions: int) -> None:
    words, policy = choice
    action, since, turn, settled = -1, 0, int(states["turn"][0]), Settled(game)
    for decision in range(most_decisions):
        if player_of(states) == NO_PLAYER:
            settled.check(f"{place}, ply {decision}, always {words}", states)
            check_end(game, f"{place}, ply {decision}, always {words}", states)
            return
        legal = legal_of(game, states)
        require(legal, f"{place}, ply {decision}, always {words}", f"player {player_of(states)} has no legal action")
        action = policy(legal, action)
        step(game, states, action)
        require(states["error"][0] == ERROR_NONE, place, f"the state reports error {states['error'][0]}")
        if states["turn"][0] != turn:
            since, turn = decision + 1, int(states["turn"][0])
    if player_of(states) == NO_PLAYER:
        return
    fault = f"the game has not ended after {most_decisions} decisions, always {words}; turn {turn} began at ply {since}"
    require(False, place, f"{fault}: rules, or `Game.max_decisions`, must end it earlier")
