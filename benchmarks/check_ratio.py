"""The regression check: how long a decision takes, in units of a reference loop timed in the same process.

`python -m benchmarks.check_ratio` compares with benchmarks/ratio.toml and fails if a decision has become slower by more
than the tolerance. `--record` rewrites the file, after a change that is meant to change the speed.

Times differ between machines and with their load. Ratios differ much less, because the reference does what the engine
does: integer arithmetic, branches that depend on data, table look-ups, and copying rows larger than the nearest cache.
The two alternate in short slices, and time is processor time of this process. Other programs still cost time, because
they empty the caches, but they never save any. So the ratio is that of the fastest slice of each. A ratio that looks
too high is measured again with newly allocated memory, since its location matters too: noise slows down some attempts,
a regression slows down all.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tomli_w

from benchmarks.contest import Play
from benchmarks.ours import batch_player, load_game, rollout_player
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.jit import njit

RECORD = Path(__file__).with_name("ratio.toml")
HEAD = (
    "# The processor time of a decision, in units of the reference loop: benchmarks/check_ratio.py writes this file\n"
    "# with --record. The check fails where a ratio is more than the tolerance above the recorded one.\n"
)
SLICES = 25  # pairs of slices per attempt
SLICE = 0.06  # seconds of processor time
ATTEMPTS = 6
NUM_GAMES = 256
ROW_BYTES = 6_144  # about the size of a state or an observation
LOOKUPS = 160  # per unit of work; with the copy, a unit takes about as long as a decision


@njit
def reference_units(rows, table, units, state):
    """Do `units` of fixed work and return a number that depends on all of it.

    Args:
        rows: (n, ROW_BYTES) uint8, overwritten.
        table: (256,) int64.
        units: number of units.
        state: uint64 seed of the walk, not 0.
    """
    total = np.int64(0)
    for unit in range(units):
        row = unit % len(rows)
        source = rows[(row * 7 + 1) % len(rows)]
        target = rows[row]
        for i in range(len(target)):
            target[i] = source[i]
        for _ in range(LOOKUPS):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            place = np.int64(state % np.uint64(ROW_BYTES))
            value = np.int64(target[place])
            if value > 170:
                total += table[value]
            elif value & 1 == 1:
                total -= table[(value + unit) & 255]
                target[place] = np.uint8((value + 3) & 255)
            else:
                total ^= value << 3
    return total


def reference() -> Play:
    """Return the reference loop as a `Play` that counts units."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 256, (NUM_GAMES, ROW_BYTES), np.uint8)
    table = rng.integers(-1000, 1000, 256)
    seed = np.uint64(88172645463325252)

    def play(units: int) -> int:
        reference_units(rows, table, units, seed)
        return units

    return play


def cost(play: Play, count: int) -> float:
    """Return the seconds of processor time per decision or unit."""
    began = time.process_time()
    done = play(count)
    return (time.process_time() - began) / done


def slice_length(play: Play) -> int:
    """Warm up, and return how many decisions or units fill a slice."""
    play(1)
    count = 64
    while (taken := cost(play, count) * count) < SLICE / 4:
        count *= 2
    return max(1, int(count * SLICE / taken))


def fastest_slices(play: Play, beside: Play, slices: int = SLICES) -> tuple[float, float]:
    """Return the least seconds per decision (or unit) in a slice of `play` and in one of `beside`, which alternate."""
    count, units = slice_length(play), slice_length(beside)
    costs = [(cost(play, count), cost(beside, units)) for _ in range(slices)]
    return min(taken for taken, _ in costs), min(taken for _, taken in costs)


def plays() -> dict[str, Callable[[], Play]]:
    """Return what is checked: functions that make a `Play`, by name."""
    return {
        "batch": lambda: batch_player(load_game(), NUM_GAMES).play,
        "rollout": lambda: rollout_player(load_game(), NUM_GAMES).play,
    }


def judge(ratio: float, recorded: float, tolerance: float) -> str:
    """Return "slower", "faster" or "as recorded"."""
    if ratio > recorded * (1 + tolerance):
        return "slower"
    return "faster" if ratio < recorded / (1 + tolerance) else "as recorded"


def measure(make: Callable[[], Play], limit: float = 0.0, attempts: int = ATTEMPTS) -> float:
    """Return the time of a decision in units of the reference, from the fastest slices of all attempts.

    Args:
        make: makes the play to measure.
        limit: stop as soon as the ratio is at most this.
        attempts: maximum number of attempts.
    """
    least, unit = math.inf, math.inf
    for _ in range(attempts):
        taken, beside = fastest_slices(make(), reference())
        least, unit = min(least, taken), min(unit, beside)
        if least / unit <= limit:
            break
    return least / unit


def check(make: Callable[[], Play], recorded: float, tolerance: float) -> tuple[float, str]:
    """Return the ratio of up to `ATTEMPTS` attempts, and the verdict."""
    ratio = measure(make, recorded * (1 + tolerance))
    return ratio, judge(ratio, recorded, tolerance)


def record(path: Path) -> None:
    """Measure and rewrite the file, keeping its tolerance."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    content["ratio"] = {name: round(measure(make), 3) for name, make in plays().items()}
    write_safely(path, (HEAD + tomli_w.dumps(content)).encode())
    print(f"wrote {path}: {content['ratio']}")


def main() -> int:
    """Check, or with --record rewrite the recorded ratios."""
    parser = argparse.ArgumentParser(description="Fail where a decision takes longer than recorded.")
    parser.add_argument("--record", action="store_true", help="measure and write the recorded ratios anew")
    if parser.parse_args().record:
        record(RECORD)
        return 0
    content = tomllib.loads(RECORD.read_text(encoding="utf-8"))
    tolerance, verdicts = content["tolerance"], []
    for name, make in plays().items():
        recorded = content["ratio"][name]
        ratio, verdict = check(make, recorded, tolerance)
        verdicts.append(verdict)
        print(f"{name}: ratio {ratio:.3f}, recorded {recorded:.3f}, tolerance {tolerance:.0%}: {verdict}")
    if "faster" in verdicts:
        print("faster than recorded: if that is meant to stay, run with --record")
    return "slower" in verdicts


if __name__ == "__main__":
    sys.exit(main())
