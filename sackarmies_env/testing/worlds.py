"""Checks of `determinize`: its worlds are possible for the player and keep nothing of the truth."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import ERROR_NONE
from sackarmies_env.testing.probe import (
    CHANCE_FIELDS,
    CHANCE_KEYS,
    after_forfeit,
    differing_fields,
    legal_of,
    masks_of,
    observation_of,
    player_of,
    require,
    require_same,
    resumed,
    step,
    world_of,
)
from sackarmies_env.testing.random_play import RandomPlay

FUTURE = 5  # decisions for which a world is played on
ENOUGH = 5  # positions after which the worlds of a player must have varied


class Worlds:
    """Checks of `determinize` at positions of all games played."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._num_asked = [0] * game.num_players
        self._has_varied = [False] * game.num_players

    def check(self, play: RandomPlay) -> None:
        """Check the worlds of all players at the current position, after forfeits, and after some more decisions.

        A player cannot tell the truth and two worlds apart; from equal seeds all three must give the same world.
        """
        game, rng = self.game, np.random.default_rng([play.seed, len(play.actions)])
        for player in range(game.num_players):
            self._check_world(play, player)
            self._check_twins(play, play.states, player, "")
            gone = after_forfeit(game, play.states, player)
            for viewer in range(game.num_players):
                self._check_twins(play, gone, viewer, f" after player {player} has forfeited")
            future = world_of(game, play.states, player, len(play.actions))
            for _ in range(FUTURE):
                if legal := legal_of(game, future):
                    step(game, future, int(rng.choice(legal)))
            for viewer in range(game.num_players):
                self._check_twins(play, future, viewer, f" in a world that player {player} believed in, played on")

    def check_variety(self) -> None:
        """Check that `determinize` has changed something for each player from whom something is hidden."""
        for player, asked in enumerate(self._num_asked):
            fault = (
                f"determinize for player {player} gives the same world for all seeds, chance apart, "
                f"in each of {asked} positions: it does nothing, or the game must name the player in all_seeing"
            )
            is_known = player in self.game.all_seeing or asked < ENOUGH
            require(self._has_varied[player] or is_known, self.game.id, fault)

    def _check_world(self, play: RandomPlay, player: int) -> None:
        """Check that a world looks like the truth to `player`, has a true mask, and can be played on."""
        game, seed = self.game, len(play.actions)
        world = world_of(game, play.states, player, seed)
        require(player_of(world) == play.player, play, f"determinize for player {player} changes the current player")
        counted = int(world["decisions"][0])
        fault = (
            f"determinize for player {player} leaves a count of {counted} decisions, not 0: others may have made some"
        )
        require(counted == 0, play, fault)
        same = np.array_equal(observation_of(game, world, player), observation_of(game, play.states, player))
        require(same, play, f"determinize changes what player {player} sees")
        if player == play.player:
            same = np.array_equal(masks_of(game, world), play.action_mask)
            require(same, play, f"determinize changes the legal actions of player {player}")
        legal = legal_of(game, world)
        require(legal, play, f"determinize for player {player} leaves no legal action")
        if len(legal) > 1:  # a single one may be a forced decision, which is taken when the game resumes
            renewed = legal_of(game, resumed(game, world))
            fault = f"determinize for player {player} leaves a stale mask: it has {legal}, but legal are {renewed}"
            require(renewed == legal, play, fault)
        step(game, world, legal[seed % len(legal)])
        fault = f"the world of determinize for player {player} reports error {world['error'][0]} after a legal action"
        require(world["error"][0] == ERROR_NONE, play, fault)

    def _check_twins(self, play: RandomPlay, truth: Records, player: int, where: str) -> None:
        """Check that a seed gives the same world from each of three states that look like `truth`."""
        game, seed = self.game, len(play.actions)
        expected = world_of(game, truth, player, seed)
        twins = [world_of(game, truth, player, seed + other) for other in (1, 2)]
        for twin in twins:
            check_same_world(game, play, expected, world_of(game, twin, player, seed), player, where)
        for name in CHANCE_KEYS:
            is_used = truth[name].any() and all(np.array_equal(twin[name], truth[name]) for twin in twins)
            require(not is_used, play, f"determinize for player {player} keeps the true {name}{where}")
            is_fixed = expected[name].any() and all(np.array_equal(twin[name], expected[name]) for twin in twins)
            require(not is_fixed, play, f"determinize for player {player} gives each seed the same {name}{where}")
        self._num_asked[player] += 1
        if not self._has_varied[player]:
            differing = {name for twin in twins for name in differing_fields(game, twin, expected)}
            self._has_varied[player] = not differing <= CHANCE_FIELDS


def check_same_world(
    game: Game, place: RandomPlay | str, expected: Records, found: Records, player: int, where: str
) -> None:
    """Check that `determinize` has made the same world from two states that `player` cannot tell apart."""
    fault = f"determinize for player {player} depends on what that player does not know{where}"
    require_same(game, place, found, expected, fault)
