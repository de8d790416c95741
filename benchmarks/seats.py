"""Balance of the seats in symmetric games of one agent: `python -m benchmarks.seats --game territories`.

The table shows wins by seat and by order of play: "first" is the player who makes the first decision of the game.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from benchmarks.report import wide_console
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.game import Game
from sackarmies_env.core.state import copy_records
from sackarmies_env.registry import DEFAULT_GAME, list_games, load_players

Array = NDArray[Any]


def play_games(game: Game, names: list[str], games: int, first_seed: int) -> tuple[Array, Array, Array]:
    """Play games to the end, side by side.

    Args:
        game: the game to play.
        names: the agent of each seat.
        games: number of games.
        first_seed: seed of the first game; it rises by one with each further game.

    Returns:
        Final states `(games,)`, the seat that made the first decision `(games,)`, and number of decisions `(games,)`.
    """
    states = game.new_states(games)
    game.reset(game.params, states, first_seed + np.arange(games, dtype=np.int64))
    first, decisions = states["current_player"].copy(), np.zeros(games, np.int64)
    agents = [make_agent(name, GameInfo.of(game)) for name in names]
    for seat, agent in enumerate(agents):
        agent.reset(seat)
    while (running := np.flatnonzero(states["current_player"] >= 0)).size:
        for seat, agent in enumerate(agents):
            rows = running[states["current_player"][running] == seat]
            if not len(rows):
                continue
            part = game.new_states(len(rows))
            copy_records(states[rows], part)
            observations = np.zeros((len(rows), game.observation_spec.size), np.int8)
            masks = np.zeros((len(rows), game.num_actions), np.int8)
            game.observe(game.params, part, np.full(len(rows), seat), observations)
            game.legal_actions(game.params, part, masks)
            game.step(game.params, part, agent.act_batch(observations, masks), checked=True)
            states[rows] = part
            decisions[rows] += 1
    return states, first, decisions


def option_of(text: str) -> tuple[str, str]:
    """Return name and value of an option of the game."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def shares(wins: Array) -> str:
    """Return, in percent, the share of games that each column of `wins` `(games, n)` has won."""
    return " / ".join(f"{share:.1%}" for share in wins.mean(axis=0))


def main() -> None:
    """Play the games and print a row for each number of players and line-up."""
    parser = argparse.ArgumentParser(description="Measure how often each seat wins.")
    parser.add_argument("--game", default=DEFAULT_GAME, choices=list_games())
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--players", type=int, nargs="+", default=[2])
    parser.add_argument("--agent", default="greedy", help="agent in all seats")
    parser.add_argument("--against", help="agent in all other seats; --agent then takes each seat in turn")
    parser.add_argument(
        "--option", nargs="*", type=option_of, default=[], metavar="NAME=VALUE", help="options of the game"
    )
    arguments = parser.parse_args()
    try:
        games = [load_players(arguments.game, players, **dict(arguments.option)) for players in arguments.players]
        for game in games:
            for name in (arguments.agent, arguments.against or arguments.agent):
                make_agent(name, GameInfo.of(game))
    except ValueError as error:
        parser.error(str(error))
    table = Table("agents", "wins by seat", "wins by order, first to last", "truncated", "turns", "decisions")
    for game in games:
        num_players = game.num_players
        line_ups = [[arguments.agent] * num_players]
        if arguments.against:
            others = [[arguments.against] * num_players for _ in range(num_players)]
            line_ups = [[*row[:seat], arguments.agent, *row[seat + 1 :]] for seat, row in enumerate(others)]
        for names in line_ups:
            states, first, decisions = play_games(game, names, arguments.games, arguments.first_seed)
            returns = np.zeros((len(states), num_players), np.float32)
            game.returns(game.params, states, returns)
            order = (first[:, None] + np.arange(num_players)) % num_players
            wins = returns > 0
            in_order = np.take_along_axis(wins, order, axis=1)
            lengths = f"{states['turn'].mean():.1f}", f"{decisions.mean():.0f}"
            truncated = f"{states['truncated'].mean():.1%}"
            table.add_row(" ".join(names), shares(wins), shares(in_order), truncated, *lengths)
    wide_console().print(table)


if __name__ == "__main__":
    main()
