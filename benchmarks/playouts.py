"""Playouts by the greedy General, as a search plays them: `python -m benchmarks.playouts`.

One kernel plays on from middle-game positions for a few turns each: the General chooses for the current player, and
`step_batch` plays the choice and writes mask and observation of the next decision. Every decision that the engine asks
for is counted; by default it takes those with a single legal id silently. The positions come from games of `greedy`
against itself between all built-in armies, with some random choices. Times are processor times; the parts are timed
with the processor's clock in a separate run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchmarks.cycles import nanoseconds_per_tick, require_clock, ticks
from benchmarks.machine import describe_machine
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.sack_armies.board import make_board
from sackarmies_agents.scripted.sack_armies.choose import choose_batch
from sackarmies_agents.scripted.sack_armies.weights import load_weights
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import choose_from_mask
from sackarmies_env.core.state import NO_PLAYER, copy_records
from sackarmies_env.core.step_batch import Command
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_training.sack_armies.greedy_matches import Arena, run_command

HORIZON = 4  # turns of a playout
NOISE = 10  # one in this many choices on the way to a position is random
POSITIONS = 4  # per pair of armies
FIRST, LAST = 60, 400  # decisions before a position
STEPPING, CHOOSING = range(2)
INTERRUPTED = 150_000  # ticks, about 50 microseconds: from here on, another program had the core


@njit
def find_position(params, arena, boards, stream, seed, decisions):
    """Play the game of `seed` for `decisions` decisions, some of them random; stream (1,) int64 of choices."""
    run_command(params, arena, Command.BEGIN, seed)
    for i in range(decisions):
        if arena.slots[0].current_player == NO_PLAYER:
            return
        action = choose_from_mask(stream, arena.masks[0])
        if (seed + i) % NOISE != 0:
            choose_batch(boards, arena.observations, arena.masks, arena.actions)
            action = arena.actions[0]
        run_command(params, arena, Command.STEP, action)


@njit
def play_out(params, arena, boards, positions, turns):
    """Play on from each position `(k,)` for `turns` turns; return how many decisions that took."""
    count = 0
    for i in range(len(positions)):
        arena.states[0] = positions[i]
        run_command(params, arena, Command.READ, 0)
        last = arena.states[0].turn + turns
        while arena.slots[0].current_player != NO_PLAYER and arena.states[0].turn < last:
            choose_batch(boards, arena.observations, arena.masks, arena.actions)
            run_command(params, arena, Command.STEP, arena.actions[0])
            count += 1
    return count


@njit(inlined=True)
def kept(interval):
    """Return an interval in ticks, or 0 if another program had the core meanwhile."""
    return interval if interval < INTERRUPTED else np.int64(0)


@njit
def play_out_timed(params, arena, boards, positions, turns, spent):
    """Do the same as `play_out`, and add the ticks of stepping and of choosing to `spent` `(2,)` int64."""
    count = 0
    for i in range(len(positions)):
        arena.states[0] = positions[i]
        run_command(params, arena, Command.READ, 0)
        last = arena.states[0].turn + turns
        while arena.slots[0].current_player != NO_PLAYER and arena.states[0].turn < last:
            t0 = ticks()
            choose_batch(boards, arena.observations, arena.masks, arena.actions)
            t1 = ticks()
            run_command(params, arena, Command.STEP, arena.actions[0])
            spent[CHOOSING] += kept(t1 - t0)
            spent[STEPPING] += kept(ticks() - t1)
            count += 1
    return count


class Playouts:
    """A game for each pair of armies, with positions from which to play on."""

    def __init__(self, pairs: Sequence[tuple[str, str]], seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.rooms: list[tuple[Game, Arena, NDArray[np.void]]] = []
        for pair in pairs:
            game = make_game(2, armies=list(pair))
            arena = Arena.of(game)
            if not self.rooms:
                self.info = GameInfo.of(game)
                self.boards = make_board(self.info, load_weights("first"))
            positions = game.new_states(POSITIONS)
            for i in range(POSITIONS):
                while True:
                    stream, start = rng.integers(2**62, size=1), np.int64(rng.integers(2**31))
                    far = np.int64(rng.integers(FIRST, LAST))
                    find_position(game.params, arena, self.boards, stream, start, far)
                    if arena.slots["current_player"][0] != NO_PLAYER:
                        break
                copy_records(arena.states[:1], positions[i : i + 1])
            self.rooms.append((game, arena, positions))

    def choose_by(self, weights: str) -> None:
        """Switch to another set of weights for the choices in playouts."""
        self.boards = make_board(self.info, load_weights(weights))

    def play(self, turns: int = HORIZON) -> int:
        """Play one playout from each position and return the number of decisions."""
        return sum(play_out(game.params, arena, self.boards, starts, turns) for game, arena, starts in self.rooms)

    def time_parts(self, turns: int = HORIZON) -> tuple[int, NDArray[np.int64]]:
        """Do the same as `play`; return the number of decisions and the ticks of stepping and of choosing."""
        spent = np.zeros(2, np.int64)
        count = 0
        for game, arena, starts in self.rooms:
            count += play_out_timed(game.params, arena, self.boards, starts, turns, spent)
        return count, spent


def all_pairs() -> list[tuple[str, str]]:
    """Return all pairs of different built-in armies."""
    return list(combinations(army_ids(), 2))


def main() -> None:
    """Measure the sets of weights by turns, and print their rates."""
    parser = argparse.ArgumentParser(description="Time playouts by the greedy General.")
    parser.add_argument("--weights", nargs="+", default=["first", "tuned"], help="sets or files, measured by turns")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    require_clock()
    playouts = Playouts(all_pairs())
    times: dict[str, list[float]] = {name: [] for name in arguments.weights}
    for round_number in range(arguments.rounds + 1):
        for name in arguments.weights:
            playouts.choose_by(name)
            began = time.process_time()
            count = sum(playouts.play() for _ in range(3))
            if round_number:  # the first one warms up, and compiles
                times[name].append((time.process_time() - began) / count * 1e9)
    print(" ".join(map(str, describe_machine().values())))
    length = nanoseconds_per_tick()
    for name, found in times.items():
        playouts.choose_by(name)
        count, spent = playouts.time_parts()
        stepping, choosing = spent / count * length
        middle = float(np.median(found))
        print(
            f"{name}: {1e9 / middle:,.0f} decisions a second (median; {middle:,.0f} ns each, best {min(found):,.0f}), "
            f"of which step, mask and observation {stepping:,.0f} ns, choice {choosing:,.0f} ns"
        )


if __name__ == "__main__":
    main()
