"""What it costs a search not to know what is hidden: `python -m benchmarks.search_methods.guessing --positions 300`.

Positions are drawn from games of `greedy` against itself, between all armies. Each legal action is played on from the
true state with many futures: this is the reference. Then flat search chooses, once with what its player may know and
once as each oracle. The gain of a choice is its reference value, less that of the policy's choice. Intervals treat each
game as one unit. Gains are in points, hundredths of a win: they add up over a game only roughly.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from benchmarks.search_methods.kernels import play_round
from benchmarks.search_methods.methods import MAX_WORLDS, Flat
from benchmarks.search_methods.play import SEATS, Contestant, Seat, draw_armies, seed_of
from benchmarks.search_methods.worlds import VIEWS
from sackarmies_agents.search.flat import Focus
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import copy_records
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies.game import make_game

POINTS = 50.0  # of a return that is greater by 1


def draw_positions(
    seed: int, number: int, count: int, focus: Focus | None = None, players: int = SEATS
) -> tuple[Game, list[Records]]:
    """Return a game of `greedy` against itself, and `count` true states in which there is a choice and `focus` > 0."""
    game = make_game(players, armies=draw_armies(seed, number, players))
    match, positions = Match(game), []
    match.begin(seed_of(seed, "game", number))
    seats = [Seat(Contestant("greedy"), game, player) for player in range(players)]
    while match.player >= 0:
        if match.states["num_legal"][0] > 1 and (focus is None or focus(match.states)[0] > 0):
            positions.append(game.new_states(1))
            copy_records(match.states, positions[-1])
        match.play(seats[match.player].choose(match.states, 0)[0])
    rows = np.random.default_rng(seed_of(seed, "rows", number)).choice(len(positions), count, replace=False)
    return game, [positions[row] for row in rows]


def reference(search: Flat, states: Records, player: int, seed: int, futures: int) -> dict[int, float]:
    """Return what each legal action is worth in the true state, in points."""
    copy_records(states, search.root)
    search.sample(0, futures, player, seed)
    actions = np.array(legal_ids(states["legal"][0]), np.int64)
    values = np.zeros((len(actions), MAX_WORLDS))
    candidates = np.stack([actions, np.arange(len(actions))], axis=1)
    limits = np.array([0, futures, player, search.settings.horizon])
    play_round(*search.tools, search.worlds, search.scratch[:1], candidates, search.models, limits, values)
    return dict(zip(actions.tolist(), (POINTS * values[:, :futures].mean(axis=1)).tolist(), strict=True))


def gains_of(game: Game, positions: list[Records], seed: int, options: argparse.Namespace) -> Iterator[list[float]]:
    """Yield for each position the gain of each view's choice, and that of the best action."""
    seats = {
        (name, player): Seat(Contestant("flat", name, options.playouts), game, player)
        for name in VIEWS
        for player in range(SEATS)
    }
    for number, states in enumerate(positions):
        player = int(states["current_player"][0])
        judge, scripted = seats["truth", player].method, Seat(Contestant("greedy"), game, player)
        assert isinstance(judge, Flat)
        values = reference(judge, states, player, seed_of(seed, "judge", number), options.futures)
        prior = values[scripted.choose(states, 0)[0]]
        chosen = [seats[name, player].choose(states, seed_of(seed, "search", number))[0] for name in VIEWS]
        yield [values[action] - prior for action in chosen] + [max(values.values()) - prior]


def interval(values: NDArray[np.float64]) -> str:
    """Return the mean, with its 95% interval, of values that are means of games."""
    half = scipy.stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return f"{values.mean():+.2f} ({values.mean() - half:+.2f} to {values.mean() + half:+.2f})"


def main() -> None:
    """Search the positions and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--each", type=int, default=6, help="of a game")
    parser.add_argument("--playouts", type=int, default=160, help="of a search")
    parser.add_argument("--futures", type=int, default=256, help="of the reference, for each action")
    parser.add_argument("--minutes", type=float, default=1e9, help="no game is begun after so long")
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    begun, means = time.monotonic(), []
    for number in range(-(-options.positions // options.each)):
        if time.monotonic() - begun > 60 * options.minutes:
            break
        game, positions = draw_positions(options.seed, number, options.each)
        gains = list(gains_of(game, positions, seed_of(options.seed, number), options))
        means.append(np.mean(gains, axis=0))
        print(f"game {number + 1}: {np.round(np.mean(means, axis=0), 2)}", file=sys.stderr, flush=True)
    print(" ".join(map(str, describe_machine().values())))
    print(f"{len(means) * options.each} positions of {len(means)} games, {options.playouts} playouts")
    print("| the search knows | gain over the policy's choice | less than an oracle that knows the truth |")
    print("| --- | --- | --- |")
    found = np.array(means)
    truth = found[:, list(VIEWS).index("truth")]
    for column, view in enumerate(VIEWS.values()):
        print(f"| {view.keeps} | {interval(found[:, column])} | {interval(truth - found[:, column])} |")
    print(f"| the best action by the reference | {interval(found[:, -1])} | |")


if __name__ == "__main__":
    main()
