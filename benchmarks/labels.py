"""What search labels cost, and what searching is worth: `python -m benchmarks.labels`.

First, labels are made as in training, and their number per second of processor time is printed. Then decisions are
searched twice, in different worlds: the action that seemed best in the first search is valued by the second. The table
gives means for decisions in the focus of the game and for others: the gain with its standard error, the variance of
gains, and how much of that variance is found again; the rest is noise.
"""

from __future__ import annotations

import argparse
import functools
import time

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.search.agent import parts_of
from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.registry import DEFAULT_GAME, load_players
from sackarmies_training.search_labels import (
    PLAYERS,
    Lot,
    Searcher,
    SearchPlan,
    game_with_drawn_armies,
    label_games,
    label_lots,
)

GAMES = 12  # per pair of armies, when decisions are searched twice
SHARE = 0.06  # share of the decisions of these games
WORLDS = 12  # of the second search
MOST = 12  # maximum number of legal ids of a decision searched twice; all of them are compared
MARGIN = 0.01  # by which an action must seem better, as in expert iteration
COLUMNS = "decisions", "actions", "ms", "gain", "error", "variance", "found again"


def measure_rate(general: Agent, labels: int, seed: int) -> str:
    """Return a sentence about how many labels are made a second."""
    draw_game = functools.partial(game_with_drawn_armies, DEFAULT_GAME)
    label_games([draw_game(np.random.default_rng(0))], general, SearchPlan(share=0.01), 1, seed)  # warms up
    began = time.process_time()
    found = len(label_lots(draw_game, general, SearchPlan(), labels, seed))
    spent = time.process_time() - began
    return f"{found:,} labels in {spent:.1f} s of processor time: {found / spent:.0f} a second"


def compare_twice(game: Game, general: Agent, seed: int) -> list[tuple[float, ...]]:
    """Return a row for each decision: whether it is in focus, then `COLUMNS` except "decisions" and "error"."""
    plans = SearchPlan(focused=False, most=MOST), SearchPlan(focused=False, most=MOST, worlds=WORLDS)
    once, again = (Searcher(game, plan, seed + number) for number, plan in enumerate(plans))
    focus = parts_of(GameInfo.of(game), ()).focus
    lot = Lot(game, GAMES, SearchPlan(share=SHARE), seed)
    rows: list[tuple[float, ...]] = []
    while len(lot.running):
        batch = lot.batch
        wanted = general.act_batch(batch.observations[lot.running], batch.action_masks[lot.running])
        for place in np.flatnonzero(lot.draw()).tolist():
            row, own = int(lot.running[place]), int(wanted[place])
            player = int(batch.players[row])
            root = batch.information_sets(player, [row]).states
            if not 1 < len(legal_ids(root["legal"][0])) <= MOST:
                continue  # with more, the two searches would draw different ones
            began = time.process_time()
            first = once.compare(root, player, [own])
            spent = (time.process_time() - began) * 1e3
            gains, others = first.gains[:, -1], again.compare(root, player, [own]).gains[:, -1]
            best = int(np.argmax(gains - MARGIN * (first.actions != own)))
            shared = float(np.mean((gains - gains.mean()) * (others - others.mean())))
            is_worth_it = 1.0 if focus is None else float(focus(root)[0] > 0)
            rows.append((is_worth_it, len(gains), spent, float(others[best]), float(gains.var()), shared))
        lot.play(wanted)
    return rows


def summarize(rows: NDArray[np.float64]) -> str:
    """Return means over decisions, see `COLUMNS`."""
    _, actions, spent, gain, variance, shared = rows.mean(axis=0)
    error = rows[:, 3].std() / len(rows) ** 0.5
    numbers = f"{actions:.1f}", f"{spent:.2f}", f"{gain:+.4f}", f"{error:.4f}", f"{variance:.5f}", f"{shared:.5f}"
    return "".join(f"{text:>13}" for text in (f"{len(rows):,}", *numbers))


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="Time labels of a search, and say what searching is worth.")
    parser.add_argument("--agent", default="trained", help="the General that plays")
    parser.add_argument("--labels", type=int, default=4_000, help="least number of labels to time")
    parser.add_argument("--decisions", type=int, default=3_000, help="least number of decisions to search twice")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    general = make_agent(arguments.agent, GameInfo.of(load_players(DEFAULT_GAME, PLAYERS)))
    print(" ".join(map(str, describe_machine().values())))
    print(f"{arguments.agent}: {measure_rate(general, arguments.labels, arguments.seed)}", flush=True)
    rng = np.random.default_rng(arguments.seed)
    found: list[tuple[float, ...]] = []
    while len(found) < arguments.decisions:
        found += compare_twice(game_with_drawn_armies(DEFAULT_GAME, rng), general, int(rng.integers(2**31)))
    rows = np.array(found)
    print(" " * 10 + "".join(f"{name:>13}" for name in COLUMNS))
    for name, chosen in (("in focus", rows[:, 0] > 0), ("elsewhere", rows[:, 0] == 0)):
        print(f"{name:<10}{summarize(rows[chosen])}")


if __name__ == "__main__":
    main()
