"""Labels from search: what each legal action of a position gains over the choice of the General that plays.

Games are played by some General; a share of their decisions is searched. Each legal action is played on in the same few
worlds, so that gains are paired, and noisy: a network that learns from many positions averages over them. Worlds are
few and positions many, for the same reason.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_agents.search.agent import parts_of
from sackarmies_agents.search.flat import Bench, Settings
from sackarmies_agents.search.rounds import play_worlds, prior_choice
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.step_batch import Ending
from sackarmies_env.registry import load_players
from sackarmies_training.labels import Labels, joined, read_labels, results_of, write_labels
from sackarmies_training.seeds import derive

PLAYERS = 2
LOT = 8  # games with the same armies, side by side
FILE = 8_000  # decisions of a file, at least


@dataclass(frozen=True)
class SearchPlan:
    """How labels are made.

    Attributes:
        agent: text form of the General that plays all seats.
        noise: share of its decisions that are taken at random instead, so that more is seen.
        share: of the decisions that are searched.
        worlds: in which each action is played on.
        most: actions that are compared in a position; of more, some are drawn.
        horizon: turns that are played on after the one at hand.
        temperature: targets are the softmax of gains divided by this.
    """

    agent: str = "greedy"
    noise: float = 0.05
    share: float = 0.25
    worlds: int = 4
    most: int = 12
    horizon: int = 5
    temperature: float = 0.05


class Searcher:
    """Compares the legal actions of positions of one game."""

    def __init__(self, game: Game, plan: SearchPlan, seed: int) -> None:
        parts = parts_of(GameInfo.of(game), ())
        self._bench = Bench(game, parts.make_policy(game), parts.make_evaluation(game))
        self._plan = plan
        self._root = game.new_states(1)
        self._rng = np.random.default_rng(seed)

    def compare(self, root: Records, player: int, prior: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the actions that were compared, rising, and what each gains over the choice `prior`.

        That choice and the scripted agent's are among them.
        """
        plan, bench = self._plan, self._bench
        self._root[0] = root[0]
        first = list(dict.fromkeys([prior, int(prior_choice(bench.simulator, bench.policy, self._root, 0))]))
        others = [action for action in legal_ids(root["legal"][0]) if action not in first]
        room = max(0, plan.most - len(first))
        if len(others) > room:
            others = self._rng.choice(others, room, replace=False).tolist()
        actions = np.array([*first, *others], np.int64)
        results = np.zeros((len(actions), plan.worlds))
        task = np.array([0, plan.worlds, player, plan.horizon, Settings.valued, int(self._rng.integers(2**62))])
        everyone = np.arange(len(actions))
        play_worlds(*bench.tools, self._root, bench.scratch, bench.models, actions, everyone, task, results)
        gains = results.mean(axis=1) - results[0].mean()
        order = np.argsort(actions)
        return actions[order], gains[order]


def label_games(game: Game, general: Agent, plan: SearchPlan, games: int, seed: int) -> Labels:
    """Play games to their ends, and return labels of some of their decisions.

    Args:
        game: what is played.
        general: plays all seats; it must share batches and needs observations alone.
        plan: see `SearchPlan`.
        games: how many, side by side.
        seed: of games, noise and worlds.
    """
    random = RandomAgent(derive(seed, "noise"))
    general.reset(derive(seed, "agent"))
    searcher, rng = Searcher(game, plan, derive(seed, "worlds")), np.random.default_rng(seed)
    batch = Batch(game, games, restarts=False)
    batch.reset(rng.integers(2**62, size=games))
    running = np.arange(games)
    seen, places, actions, gains = [], [], [], []
    while len(running):
        observations, masks = batch.observations[running], batch.action_masks[running]
        wanted = general.act_batch(observations, masks)
        for place in np.flatnonzero(rng.random(len(running)) < plan.share):
            row = int(running[place])
            player = int(batch.players[row])
            root = batch.information_sets(player, [row]).states
            compared, gained = searcher.compare(root, player, int(wanted[place]))
            seen.append(observations[place])
            places.append((row, player))
            actions.append(compared)
            gains.append(gained)
        at_random = random.act_batch(observations, masks)
        batch.step(np.where(rng.random(len(running)) < plan.noise, at_random, wanted), running)
        running = running[batch.ended[running] == Ending.RUNNING]
    rows, seats = np.array(places).T
    counts = np.array([len(one) for one in actions])
    targets = np.concatenate([softmax(one / plan.temperature) for one in gains])
    arrays = (
        np.stack(seen),
        counts,
        np.concatenate(actions),
        targets.astype(np.float32),
        results_of(batch.returns)[rows, seats],
        np.concatenate(gains).astype(np.float32),
    )
    return Labels(*map(torch.from_numpy, arrays))


def write_search_labels(
    folder: Path, plan: SearchPlan, decisions: int, game_id: str, seed: int, progress: Callable[[int], None]
) -> int:
    """Write files of labels of two-player games, armies being drawn; files that are there already count.

    Args:
        folder: made if there is none.
        plan: see `SearchPlan`.
        decisions: how many are labeled, at least.
        game_id: what is played.
        seed: of all that is random.
        progress: called with the number of decisions that have been labeled.

    Returns:
        How many decisions the files hold.

    Raises:
        ValueError: the game has no search, the agent cannot play it side by side, or a file is of another game.
        OSError: a file cannot be written; those before stay.
    """
    info = GameInfo.of(load_players(game_id, PLAYERS))
    parts_of(info, ())
    general = make_agent(plan.agent, info)
    if general.is_informed or not general.shares_batch:
        raise ValueError(
            f"{plan.agent!r} cannot play the games of labels: the agent must play from observations alone and keep "
            "nothing between two decisions, as greedy does"
        )
    draw_game = functools.partial(game_with_drawn_armies, game_id)
    folder.mkdir(parents=True, exist_ok=True)
    done = number = 0
    while done < decisions:
        path = folder / f"{number:05d}.safetensors"
        if path.exists():
            count = len(read_labels(path, info))
        else:
            found = label_lots(draw_game, general, plan, FILE, derive(seed, "file", number))
            count = len(found)
            write_labels(path, found, info, f"search, games of {plan.agent}")
        progress(count)
        done += count
        number += 1
    return done


def game_with_drawn_armies(game_id: str, rng: np.random.Generator) -> Game:
    """Return a game of two players whose armies are drawn, if it has any."""
    armies = list((find_hook(game_id, "choices") or {}).get("armies", list)())
    drawn = {"armies": rng.choice(armies, PLAYERS).tolist()} if armies else {}
    return load_players(game_id, PLAYERS, **drawn)


def label_lots(
    draw_game: Callable[[np.random.Generator], Game], general: Agent, plan: SearchPlan, decisions: int, seed: int
) -> Labels:
    """Return labels of at least so many decisions, of several lots of games, each of a game that is drawn."""
    rng = np.random.default_rng(seed)
    parts: list[Labels] = []
    while sum(map(len, parts)) < decisions:
        game = draw_game(rng)
        parts.append(label_games(game, general, plan, LOT, int(rng.integers(2**62))))
    return joined(parts)


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities that are proportional to the exponentials of `scores`."""
    grown = np.exp(scores - scores.max())
    shares: NDArray[np.float64] = grown / grown.sum()
    return shares
