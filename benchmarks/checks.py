"""Cost of the checks of a batch: a decision with and without them, in one process, in short alternating slices.

`python -m benchmarks.checks` prints the median ratio of processor times for several numbers of games: with actions
chosen inside the kernel (`step_random`), and chosen outside, where legality is checked too (`step`).
"""

from __future__ import annotations

import argparse
import statistics

import numpy as np

from benchmarks.check_ratio import cost, slice_length
from benchmarks.contest import Play
from benchmarks.ours import WARM_UP, RandomChooser, load_game
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game

SIZES = (1, 64, 256, 1024)
SLICES = 41  # pairs of slices for a ratio


def make_play(game: Game, n: int, *, checked: bool, outside: bool) -> Play:
    """Return random play of `n` games from the middle game on, with actions chosen inside the kernel or outside."""
    batch = Batch(game, n, checked=checked)
    batch.reset(np.arange(n))
    batch.rollout(WARM_UP)
    batch.read()
    chooser = RandomChooser(n, 0)

    def play(decisions: int) -> int:
        steps = -(-decisions // n)
        for _ in range(steps):
            if outside:
                batch.step(chooser.choose(batch.action_masks))
            else:
                batch.step_random()
        return steps * n

    return play


def median_ratio(play: Play, beside: Play) -> float:
    """Return the median ratio of neighboring slices: the time of a decision in units of one of `beside`."""
    count, units = slice_length(play), slice_length(beside)
    ratios = []
    before = cost(beside, units)
    for _ in range(SLICES):
        taken = cost(play, count)
        after = cost(beside, units)
        ratios.append(2 * taken / (before + after))
        before = after
    return statistics.median(ratios)


def main() -> None:
    """Print a line for each number of games."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    game = load_game()
    print("games  inside  outside")
    for n in SIZES:
        inside, outside = (
            median_ratio(
                make_play(game, n, checked=True, outside=where),
                make_play(game, n, checked=False, outside=where),
            )
            for where in (False, True)
        )
        print(f"{n:5d}  {inside:6.3f}  {outside:7.3f}")


if __name__ == "__main__":
    main()
