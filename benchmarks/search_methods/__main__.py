"""Search methods, compared at equal time: `python -m benchmarks.search_methods --ms 2 --pairs 50`.

Each contestant plays pairs of games against each opponent: the same armies and chance, once in each seat. A contestant
is written `method:view:playouts`: a method, what it knows, and its playouts per decision. The view defaults to `fair`,
and the playouts to as many as take `--ms` of processor time. Views other than `fair` are oracles: they know what is
hidden. Contestants play each pair by turns. Intervals treat each pair as one unit; a draw counts half.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace

from benchmarks.machine import describe_machine
from benchmarks.search_methods.methods import METHODS
from benchmarks.search_methods.play import SEATS, Contestant, Score, calibrate, play_pair
from benchmarks.search_methods.worlds import VIEWS

CONTESTANTS = ("flat", "gumbel", "ismcts", "macros", "flat:truth")


def read_contestant(text: str) -> Contestant:
    """Return the contestant that `method:view:playouts` names.

    Raises:
        ValueError: there is no such method or view, or the playouts are not a number.
    """
    method, view, playouts, *rest = [*text.split(":"), "", ""]
    view = view or "fair"
    if method not in METHODS or view not in VIEWS or rest[2:] or not (playouts.isdigit() or not playouts):
        methods, views = ", ".join(METHODS), ", ".join(VIEWS)
        raise ValueError(f"{text!r} is not of the form method:view:playouts, methods {methods}, views {views}")
    return Contestant(method, view, int(playouts or 0))


def row(cells: list[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def print_table(scores: dict[tuple[Contestant, Contestant], Score]) -> None:
    """Print the scores as a Markdown table."""
    print(row(["method", "playouts", "against", "pairs", "games", "points", "ms a decision"]))
    print(row(["---"] * 7))
    for (one, other), score in scores.items():
        low, high = score.interval
        pairs = len(score.pairs)
        points = f"{score.share:.1%} ({low:.1%} to {high:.1%})"
        cells = [one.label, str(one.playouts), other.label, str(pairs), str(SEATS * pairs), points]
        print(row([*cells, f"{score.milliseconds:.2f}"]), flush=True)


def note(line: str) -> None:
    """Write a progress line to stderr."""
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    """Calibrate, play, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contestants", nargs="+", type=read_contestant, default=[*map(read_contestant, CONTESTANTS)])
    parser.add_argument("--opponents", nargs="+", type=read_contestant, default=[Contestant("greedy")])
    parser.add_argument("--ms", type=float, default=2.0, help="processor time of a decision")
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=1e9, help="no pair is begun after so long")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    everybody = list(dict.fromkeys([*options.contestants, *options.opponents]))
    if all(one.playouts or one.method == "greedy" for one in everybody):
        budgets = dict(zip(everybody, everybody, strict=True))
    else:
        searching = [one for one in everybody if one.method != "greedy"]
        budgets = dict(zip(searching, calibrate(searching, options.ms, options.seed, note), strict=True))
    meetings = [
        (budgets.get(one, one), budgets.get(other, other))
        for other in options.opponents
        for one in options.contestants
        if one != other
    ]
    scores = {meeting: Score() for meeting in meetings}
    for one, _ in meetings:  # compile everything before measuring
        play_pair(replace(one, playouts=min(one.playouts, 4)), Contestant("greedy"), options.seed, 0, Score())
    begun = time.monotonic()
    for pair in range(options.pairs):
        if time.monotonic() - begun > 60 * options.minutes:
            break
        for (one, other), score in scores.items():
            play_pair(one, other, options.seed, pair, score)
        note(f"pair {pair + 1}: " + ", ".join(f"{score.share:.1%}" for score in scores.values()))
    print(" ".join(map(str, describe_machine().values())))
    print_table(scores)


if __name__ == "__main__":
    main()
