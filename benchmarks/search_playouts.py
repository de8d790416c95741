"""The time of a playout of `search`: `python -m benchmarks.search_playouts`.

Middle-game positions between different pairs of built-in armies are searched with a fixed number of playouts. Times are
processor times and include sampling worlds and evaluating positions. The last number printed depends on what the
searches found: if it is the same before and after a change to the code, they found the same.

The parts of a playout, and the decisions a second while it plays on, are read off the processor's clock in a further
run, in which every legal id is played on in the same number of worlds. `--models` chooses who plays on.
"""

from __future__ import annotations

import argparse
import time
import zlib

import numpy as np
from numpy.typing import NDArray

from benchmarks.cycles import nanoseconds_per_tick, require_clock, ticks
from benchmarks.machine import describe_machine
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.search.agent import parts_of
from sackarmies_agents.search.flat import Bench, FlatSearch, Settings
from sackarmies_agents.search.rounds import derived_seed, draw_models, sample_world
from sackarmies_env.core.bits import WORD_BITS
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.simulator import is_over, list_legal, play_on, reseed, step, value_of
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.tokens.army import army_ids

FIRST, LAST = 60, 400  # decisions before a position
NOISE = 0.1  # share of these decisions that are random
FEWEST = 3  # minimum number of legal ids in a position
PLAYOUTS, PLAYING, EVALUATING, DECISIONS, SAMPLING = range(5)
INTERRUPTED = 1_500_000  # ticks, about half a millisecond: another program had the core


def find_position(game: Game, rng: np.random.Generator) -> Records:
    """Return a position `(1,)` from a game of `greedy` against itself, with some random decisions."""
    agent, states = GreedyAgent(GameInfo.of(game)), game.new_states(1)
    masks = np.zeros((1, game.num_actions), np.int8)
    observations = np.zeros((1, game.observation_spec.size), np.int8)
    while True:
        game.reset(game.params, states, rng.integers(2**31, size=1))
        for _ in range(rng.integers(FIRST, LAST)):
            legal = legal_ids(states["legal"][0])
            if not legal:
                break
            game.observe(game.params, states, states["current_player"].astype(np.int64), observations)
            game.legal_actions(game.params, states, masks)
            choice = rng.choice(legal) if rng.random() < NOISE else agent.act(observations[0], masks[0])
            game.step(game.params, states, np.array([choice], np.int64))
        if states["current_player"][0] != NO_PLAYER and states["num_legal"][0] >= FEWEST:
            return states


@njit(counted=True)
def play_timed(tools, root, scratch, models, task, spent):
    """Play every legal id on as a search does, and add up where the time goes.

    Playouts in which another program had the core are left out.

    Args:
        tools: simulator of the game, policy of all seats, and evaluation.
        root: (1,), a position.
        scratch: (2,) states, overwritten.
        models: (num_players,) int64, overwritten.
        task: number of worlds, and turns to play after the current one.
        spent: (5,) int64, added to: playouts, their ticks of playing on and of evaluating, their decisions; and the
            ticks of sampling worlds.
    """
    simulator, policy, evaluation = tools
    worlds, horizon = task
    player, last_turn = root[0].current_player, root[0].turn + horizon
    states = scratch[1:]
    ids = np.empty(WORD_BITS * len(root[0].legal), np.int64)
    count = list_legal(root[0], ids)
    for world in range(worlds):
        seed = derived_seed(0, world)
        begin = ticks()
        sample_world(simulator, root, scratch[:1], player, seed)
        draw_models(policy, models, player, seed)
        spent[SAMPLING] += min(ticks() - begin, INTERRUPTED)
        for i in range(count):
            begin = ticks()
            scratch[1] = scratch[0]
            step(simulator, states, ids[i])
            turn, decisions = root[0].turn, 0
            while not is_over(states[0]) and turn <= last_turn:
                decisions += play_on(simulator, policy, states, models, turn)
                turn = states[0].turn
                reseed(states[0], derived_seed(seed, turn))
            middle = ticks()
            value_of(simulator, evaluation, states, player)
            end = ticks()
            if end - begin < INTERRUPTED:
                spent[PLAYOUTS] += 1
                spent[PLAYING] += middle - begin
                spent[EVALUATING] += end - middle
                spent[DECISIONS] += decisions


def time_parts(benches: list[tuple[Bench, Records]], playouts: int) -> NDArray[np.int64]:
    """Return what `play_timed` adds up over all positions, each with about that many playouts: (5,)."""
    spent = np.zeros(5, np.int64)
    for bench, root in benches:
        task = (max(1, playouts // int(root["num_legal"][0])), Settings.horizon)
        play_timed(bench.tools, root, bench.scratch, bench.models, task, spent)
    return spent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time playouts of a search.")
    parser.add_argument("--playouts", type=int, default=96, help="for each position")
    parser.add_argument("--pairs", type=int, default=6, help="of armies, with three positions each")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--models", default="", help="of the search, joined by +; default: its mixture")
    arguments = parser.parse_args()
    require_clock()
    variants = tuple(arguments.models.split("+")) if arguments.models else ()
    rng, ids = np.random.default_rng(0), army_ids()
    searches, benches = [], []
    for i in range(arguments.pairs):
        game = make_game(2, armies=[ids[i % len(ids)], ids[(3 * i + 5) % len(ids)]])
        parts = parts_of(GameInfo.of(game), variants)
        search = FlatSearch(game, parts.make_policy, parts.make_evaluation, Settings(playouts=arguments.playouts))
        searches += [(search, find_position(game, rng)) for _ in range(3)]
        bench = Bench(game, parts.make_policy(game), parts.make_evaluation(game))
        benches += [(bench, root) for _, root in searches[-3:]]
    times = []
    for _ in range(arguments.rounds + 1):  # the first one warms up, and compiles
        began = time.process_time()
        found = [search.search(root, int(root["current_player"][0]), seed=1) for search, root in searches]
        count = sum(int(finding.counts.sum()) for finding in found)
        times.append((time.process_time() - began) / count * 1e6)
    digest = zlib.crc32(b"".join(finding.values.tobytes() for finding in found))
    print(" ".join(map(str, describe_machine().values())))
    print(
        f"{count} playouts, {float(np.median(times[1:])):.1f} microseconds each (median of {arguments.rounds} rounds; "
        f"best {min(times[1:]):.1f}); findings {digest:08x}"
    )
    microseconds_per_tick = nanoseconds_per_tick() * 1e-3
    time_parts(benches, arguments.playouts)  # compiles
    spent = time_parts(benches, arguments.playouts)
    playing, evaluating, sampling = spent[[PLAYING, EVALUATING, SAMPLING]] / spent[PLAYOUTS] * microseconds_per_tick
    decisions = spent[DECISIONS] / spent[PLAYOUTS]
    print(
        f"parts: sampling worlds {sampling:.1f}, playing on {playing:.1f}, evaluating {evaluating:.1f} microseconds; "
        f"{decisions:.1f} decisions a playout, {decisions / playing * 1e6:,.0f} a second while playing on"
    )


if __name__ == "__main__":
    main()
