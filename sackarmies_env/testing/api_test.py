"""Checks of the contract of `core/game.py` over random play; faults raise AssertionError with an explanation."""

from __future__ import annotations

from collections.abc import Iterator

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.testing.batch_paths import check_paths, check_replays, check_rows
from sackarmies_env.testing.ends import Settled, check_bounds, check_end, check_forfeit, check_limit
from sackarmies_env.testing.forced import check_forced
from sackarmies_env.testing.kernels import (
    check_decision,
    check_layout,
    check_observations,
    check_replay,
    check_reset,
    check_resume,
)
from sackarmies_env.testing.lookalikes import check_beginnings, check_worlds_alike
from sackarmies_env.testing.random_play import RandomPlay
from sackarmies_env.testing.texts import Texts
from sackarmies_env.testing.worlds import Worlds


def check_game(
    game: Game,
    num_games: int = 5,
    seed: int = 0,
    max_plies: int = 2000,
    every: int = 7,
    most_decisions: int = 20_000,
) -> None:
    """Play games and check everything that adapters, search and records rely on.

    Single states are checked first, then many in one call, which must agree with them. docs/testing_a_game.md lists the
    checks, their messages and the usual causes.

    Args:
        game: the game to check.
        num_games: number of games of random play.
        seed: seed of the first game.
        max_plies: maximum number of decisions in a game of random play; the end of a game that stops there is not
            checked.
        every: the costly checks are made at every n-th decision, starting one decision later in each game, so that
            short games are not checked at their first decision alone.
        most_decisions: number of decisions within which stubborn play, such as always taking the lowest legal action,
            must end a game.

    Raises:
        AssertionError: a check failed; the message names the fault, the seed and the ply.
    """
    check_layout(game)
    worlds, plays = Worlds(game), []
    positions: list[tuple[str, Records]] = []
    for number in range(num_games):
        play = RandomPlay(game, seed + number, max_plies=max_plies)
        for _ in _checked(game, play, worlds, every, first=number % every):
            positions.append((play.where(), game.clone(play.states)))
        plays.append(play)
    worlds.check_variety()
    for number, (place, states) in enumerate(positions):
        check_worlds_alike(game, place, states, number)
    check_beginnings(game, seed)
    check_bounds(game, seed, most_decisions)
    check_limit(game, seed)
    check_forced(game, seed)
    check_rows(game, plays)
    check_replays(game, plays, every)
    check_paths(game, plays, seed)


def _checked(game: Game, play: RandomPlay, worlds: Worlds, every: int, first: int) -> Iterator[None]:
    """Check one game of random play; yield at the decisions with costly checks, starting with the `first`."""
    settled, texts = Settled(game), Texts(game, play)
    for _ in play:
        settled.check(play, play.states)
        check_decision(game, play)
        check_observations(game, play)
        if len(play.actions) % every == first:
            texts.check_decision()
            check_resume(game, play)
            worlds.check(play)
            check_forfeit(game, play)
            yield
    settled.check(play, play.states)
    if play.player == NO_PLAYER:
        check_end(game, play, play.states)
        texts.check_end()
    check_replay(game, play)
    check_reset(game, play)
