"""Profile of a decision, by its parts: `python -m benchmarks.profile`.

One kernel plays at random and reads the processor's clock between its parts: choosing, rules, legal ids, mask,
observation. The cost of a part is booked under a kind of decision: choosing and rules under the decision that is made,
the others under the one that is offered next. Rules end with building the legal ids. To separate the two, the ids are
built a second time after each step, and that time is subtracted. The second time everything is in the cache, so the
true share of the ids is a little larger, and that of the rules smaller. Reading the clock itself costs some
nanoseconds; the mean of an empty interval is subtracted everywhere. Intervals in which another program had the core are
left out.

The observation is also compared with memory: zeroing and copying the same number of bytes, in the same process.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sackarmies_env
from benchmarks.contest import load_now
from benchmarks.cycles import empty_intervals, find_counters, nanoseconds_per_tick, read_counters, require_clock, ticks
from benchmarks.machine import describe_machine
from benchmarks.page import record
from benchmarks.profile_report import profile_sentences, profile_table
from benchmarks.report import wide_console
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import choose_legal, write_mask
from sackarmies_env.core.rng import choice_stream, choice_word, following_seed, next_choice, seed_streams
from sackarmies_env.core.state import NO_PLAYER, copy_records
from sackarmies_env.games.sack_armies.observation.observe import observe_again
from sackarmies_env.games.sack_armies.play.legal import refresh_legal
from sackarmies_env.games.sack_armies.play.step import resume, step_one
from sackarmies_env.games.sack_armies.state.constants import NUM_DECISIONS, Decision

PARTS = ("choosing", "rules", "legal ids", "mask", "observation")
CHOOSING, RULES, LEGAL, MASK, OBSERVATION = range(len(PARTS))
WARM_UP = 300  # decisions per game
INTERRUPTED = 150_000  # ticks, about 50 microseconds
COUNTER_RUNS = (500, 2500)  # decisions per game: the difference leaves out the start of the process


@njit
def begin(params, states, row, seed):
    """Begin a game in a row; the last state is the initial one."""
    states[row] = states[len(states) - 1]
    seed_streams(states[row], seed)
    resume(params[0], states[row])


@njit(inlined=True)
def kept(interval):
    """Return an interval in ticks, or 0 if it is so long that another program must have had the core meanwhile."""
    return interval if interval < INTERRUPTED else np.int64(0)


@njit
def play_timed(params, states, streams, steps, outputs, clocks):
    """Play `steps` random decisions in each game, and add up the time of each part.

    Args:
        params: (1,) configuration.
        states: (n + 1,) states, the last one initial.
        streams: (n,) int64, streams of random choices.
        steps: decisions per game.
        outputs: a tuple of masks (n, num_actions) and observations (n, size), int8.
        clocks: a tuple of ticks (parts, kinds) int64, counts (kinds,) int64, and beginnings (2,) int64: ticks, number.
    """
    masks, observations = outputs
    spent, counts, beginnings = clocks
    for _ in range(steps):
        for row in range(len(streams)):
            made = np.int64(states[row].decision)
            streams[row] = next_choice(streams[row])
            t0 = ticks()
            action = choose_legal(states[row], choice_word(streams[row]))
            t1 = ticks()
            step_one(params[0], states[row], action)
            t2 = ticks()
            if states[row].current_player == NO_PLAYER:
                begin(params, states, row, following_seed(streams[row]))
                beginnings[0] += kept(ticks() - t2)
                beginnings[1] += 1
            offered = np.int64(states[row].decision)
            t3 = ticks()
            refresh_legal(params[0], states[row])
            t4 = ticks()
            write_mask(states[row], False, masks[row])
            t5 = ticks()
            observe_again(params[0], states[row], np.int64(states[row].current_player), observations[row])
            t6 = ticks()
            spent[CHOOSING, made] += kept(t1 - t0)
            spent[RULES, made] += kept(t2 - t1) - kept(t4 - t3)
            spent[LEGAL, offered] += kept(t4 - t3)
            spent[MASK, offered] += kept(t5 - t4)
            spent[OBSERVATION, offered] += kept(t6 - t5)
            counts[made] += 1


@njit
def zero_and_copy(source, rows, times):
    """Zero each row and copy `source` over it: a lower bound for writing an observation of that size."""
    for _ in range(times):
        for row in range(len(rows)):
            target = rows[row]
            for i in range(len(target)):
                target[i] = 0
        for row in range(len(rows)):  # in a separate loop, or the compiler sees that zeroing has no effect
            target = rows[row]
            for i in range(len(target)):
                target[i] = source[row, i]


class TimedGames:
    """Games in which every part of a decision is timed."""

    def __init__(self, game: Game, n: int) -> None:
        self.game = game
        self.states = game.new_states(n + 1)
        copy_records(game.initial, self.states[n:])
        self.streams = np.array([choice_stream(np.int64(seed)) for seed in range(n)], np.int64)
        game.reset(game.params, self.states[:n], np.arange(n, dtype=np.int64))
        self.masks = np.zeros((n, game.num_actions), np.int8)
        self.observations = np.zeros((n, game.observation_spec.size), np.int8)

    def play(self, steps: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Play on, and return ticks `(parts, kinds)`, counts `(kinds,)` and `(ticks, number)` of beginnings."""
        spent = np.zeros((len(PARTS), NUM_DECISIONS), np.int64)
        counts, beginnings = np.zeros(NUM_DECISIONS, np.int64), np.zeros(2, np.int64)
        outputs, clocks = (self.masks, self.observations), (spent, counts, beginnings)
        play_timed(self.game.params, self.states, self.streams, steps, outputs, clocks)
        return clocks

    def memory_time(self, times: int = 200) -> float:
        """Return the nanoseconds that zeroing and copying the bytes of an observation takes."""
        source = self.observations.copy()
        zero_and_copy(source, self.observations, 1)
        began = time.perf_counter()
        zero_and_copy(source, self.observations, times)
        return (time.perf_counter() - began) / times / len(source) * 1e9


def measure(games: TimedGames, steps: int) -> dict[str, Any]:
    """Return the mean nanoseconds of each part, for each kind of decision and in all."""
    games.play(WARM_UP)
    spent, counts, beginnings = games.play(steps)
    nanoseconds = nanoseconds_per_tick()
    empty_intervals(1)
    overhead = min(empty_intervals(10_000) for _ in range(100)) / 10_000  # the least disturbed
    intervals = np.ones((len(PARTS), 1))
    intervals[RULES] = 0  # one interval less another
    net = (spent - overhead * intervals * counts) * nanoseconds
    total = int(counts.sum())
    memory = games.memory_time()
    observation = float(net[OBSERVATION].sum() / total)
    kinds = {
        Decision(kind).name: {
            "share": counts[kind] / total,
            "time": net[:, kind].sum() / net.sum(),
            **{part: net[index, kind] / counts[kind] for index, part in enumerate(PARTS)},
        }
        for kind in np.argsort(-counts)
        if counts[kind]
    }
    return {
        "decisions": total,
        "parts": {part: float(net[index].sum() / total) for index, part in enumerate(PARTS)},
        "beginning": float(beginnings[0] / max(1, beginnings[1]) * nanoseconds),
        "decisions a game": total / max(1, int(beginnings[1])),
        "kinds": {name: {key: float(value) for key, value in row.items()} for name, row in kinds.items()},
        "memory": memory,
        "observation to memory": observation / memory,
        "clock overhead": overhead * nanoseconds,
        "observation bytes": games.game.observation_spec.size,
    }


def count_instructions(num_games: int) -> dict[str, Any]:
    """Return the processor's counters per decision, or `{"missing": reason}`."""
    names, why = find_counters()
    if not names:
        return {"missing": why}
    few, many = (
        read_counters([sys.executable, "-m", "benchmarks.profile", "--only-play", str(steps)], names)
        for steps in COUNTER_RUNS
    )
    decisions = (COUNTER_RUNS[1] - COUNTER_RUNS[0]) * num_games
    return {name: ((many[name] or 0) - (few[name] or 0)) / decisions for name in names}


def main() -> None:
    """Measure, print, and with --record write the results and the page."""
    parser = argparse.ArgumentParser(description="Show where the time of a decision goes.")
    parser.add_argument("--games", type=int, default=64, help="games at once; more of them miss the caches more often")
    parser.add_argument("--decisions", type=int, default=3000, help="timed, in each game")
    parser.add_argument("--generals", type=int, default=2)
    parser.add_argument("--record", action="store_true", help="write the results that docs/benchmarks.md shows")
    parser.add_argument("--only-play", type=int, metavar="N", help="play N decisions a game and print nothing")
    arguments = parser.parse_args()
    require_clock()
    games = TimedGames(sackarmies_env.load_game("sack_armies", num_generals=arguments.generals), arguments.games)
    if arguments.only_play:
        games.play(arguments.only_play)
        return
    started, load = time.monotonic(), load_now()
    result: dict[str, Any] = {"command": shlex.join(["python", "-m", "benchmarks.profile", *sys.argv[1:]])}
    result |= {"machine": describe_machine(), "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}
    result |= measure(games, arguments.decisions)
    result["counters"] = count_instructions(arguments.games)
    result |= {"load": [load, load_now()], "seconds": time.monotonic() - started}
    console = wide_console()
    console.print(profile_table(result))
    console.print("\n".join(profile_sentences(result)), highlight=False)
    if arguments.record:
        record("profile", result)


if __name__ == "__main__":
    main()
