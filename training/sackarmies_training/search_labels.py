"""Labels from search: what the legal actions of a position gain over the choice of the playing agent.

An agent plays games, and a share of its decisions is labeled. All actions of a position are played on in the same
few worlds, so gains are paired. They are noisy, but a network that learns from many positions averages the noise out;
for the same reason, worlds are few and positions many. Where the game says that searching finds nothing (its hook
`focus`), the agent's choice becomes the label without a search.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents import conduct
from sackarmies_agents.agent import Agent, GameInfo, Report, check_plays_many
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.factory import checked_advice, make_agent
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_agents.search.agent import parts_of
from sackarmies_agents.search.flat import Bench
from sackarmies_agents.search.horizons import compare_actions
from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.safe_read import named, read_json
from sackarmies_env.core.step_batch import Ending
from sackarmies_env.registry import load_players
from sackarmies_training.files import write_json
from sackarmies_training.identity import agent_identity, check_same, code_digest, game_identity, training_digest
from sackarmies_training.labels import Labels, joined, read_labels, results_of, write_labels
from sackarmies_training.locks import locked
from sackarmies_training.seeds import derive

PLAYERS = 2
FORCED = 2  # actions that are always compared: the agent's choice and the advisor's
LOT = 4  # games with the same armies
LOTS = 8  # lots played side by side: a network answers 32 games in hardly more time than one
FILE = 8_000  # decisions in a file, at least
IDENTITY = "labels.json"  # what the labels of a folder depend on


@dataclass(frozen=True)
class SearchPlan:
    """How labels are made.

    Attributes:
        agent: text form of the agent that plays all seats.
        advice: text form of the agent whose choice is always compared, see `checked_advice`.
        noise: share of decisions that are random instead, so that more positions are seen.
        share: share of decisions that are labeled.
        worlds: number of worlds in which each action is played on.
        most: number of actions compared in a position. First come the agent's choice, the advisor's, and those that
            the agent likes best of the others, if it reports them; the last place is for one drawn at random.
        horizons: numbers of turns played on after the current one, ascending. The last one counts. After fewer turns,
            gains are less noisy but less true (docs/decisions/0063-reasons-as-inputs.md); a network that learns both
            learns from the early ones what to look at.
        temperature: targets are the softmax of gains divided by this.
        focused: whether to skip the search where the game says that it does not pay.
    """

    agent: str = "greedy"
    advice: str = "greedy"
    noise: float = 0.05
    share: float = 0.4
    worlds: int = 2
    most: int = 4
    horizons: tuple[int, ...] = (3, 5, 8)
    temperature: float = 0.05
    focused: bool = True


@dataclass(frozen=True)
class Comparison:
    """What to learn from a decision.

    Attributes:
        actions: `(k,)` int64, legal ids, ascending.
        targets: `(k,)` float32, the probability that each should have.
        gains: `(k, h)` float32, what each gains over the playing agent's choice, one column for each horizon.
        compared: `(k,)` bool, whether the gains of each are known.
    """

    actions: NDArray[np.int64]
    targets: NDArray[np.float32]
    gains: NDArray[np.float32]
    compared: NDArray[np.bool_]


class Searcher:
    """Compares the legal actions of positions of one game."""

    def __init__(self, game: Game, plan: SearchPlan, seed: int) -> None:
        parts = parts_of(GameInfo.of(game), ())
        self._bench = Bench(game, parts.make_policy(game), parts.make_evaluation(game))
        self._focus = parts.focus if plan.focused else None
        self._plan = plan
        self._root = game.new_states(1)
        self._rng = np.random.default_rng(seed)

    def compare(self, root: Records, player: int, first: Sequence[int]) -> Comparison:
        """Return what legal actions gain over the first of `first`.

        Args:
            root: `(1,)`, any state of the player's information set.
            player: the current player.
            first: legal ids: the choice that others must beat, then those to compare before any others.
        """
        legal = np.array(legal_ids(root["legal"][0]), np.int64)
        if len(legal) == 1 or (self._focus is not None and not self._focus(root)[0]):
            return unsearched(legal, first[0], len(self._plan.horizons))
        plan, bench = self._plan, self._bench
        self._root[0] = root[0]
        wanted = list(dict.fromkeys(first))[: max(FORCED, plan.most - 1)]
        others = np.setdiff1d(legal, wanted)
        drawn = self._rng.permutation(others)[: max(0, plan.most - len(wanted))]
        actions = np.array([*wanted, *drawn], np.int64)
        worths, seeds = np.zeros((len(actions), len(plan.horizons))), self._rng.integers(2**62, size=plan.worlds)
        given = self._root, bench.scratch, bench.models, player, actions, np.array(plan.horizons), seeds
        compare_actions(*bench.tools, *given, worths)
        gains = (worths - worths[0]) / plan.worlds
        found, places = unsearched(legal, first[0], len(plan.horizons)), np.searchsorted(legal, actions)
        found.targets[:] = 0.0
        found.targets[places] = softmax(gains[:, -1] / plan.temperature)
        found.gains[places], found.compared[places] = gains, True
        return found


def unsearched(legal: NDArray[np.int64], choice: int, horizons: int) -> Comparison:
    """Return what to learn where nothing is compared: to make this choice."""
    targets = (legal == choice).astype(np.float32)
    return Comparison(legal, targets, np.zeros((len(legal), horizons), np.float32), np.zeros(len(legal), np.bool_))


@dataclass(frozen=True)
class Labeled:
    """A labeled decision in a game that may still be running."""

    row: int
    player: int
    observation: NDArray[np.int8]
    comparison: Comparison


class Lot:
    """Games with the same armies, played to their ends, and their labels."""

    def __init__(self, game: Game, games: int, plan: SearchPlan, seed: int) -> None:
        self.batch = Batch(game, games, restarts=False)
        self.running = np.arange(games)
        self._were_out = np.zeros((games, game.num_players), np.bool_)
        self._plan = plan
        self._searcher = Searcher(game, plan, derive(seed, "worlds"))
        self._random = RandomAgent(derive(seed, "noise"))
        self._rng = np.random.default_rng(seed)
        self._labeled: list[Labeled] = []
        self.batch.reset(self._rng.integers(2**62, size=games))

    def draw(self) -> NDArray[np.bool_]:
        """Draw which of the running games have their current decision labeled."""
        chosen: NDArray[np.bool_] = self._rng.random(len(self.running)) < self._plan.share
        return chosen

    def label(self, place: int, first: Sequence[int]) -> None:
        """Label the decision of a running game, see `Searcher.compare`."""
        row, batch = int(self.running[place]), self.batch
        player = int(batch.players[row])
        root = batch.information_sets(player, [row]).states
        comparison = self._searcher.compare(root, player, first)
        self._labeled.append(Labeled(row, player, batch.observations[row].copy(), comparison))

    def play(self, wanted: NDArray[np.int64]) -> None:
        """Play the wanted actions in the running games, some of them replaced by random ones."""
        batch, running = self.batch, self.running
        is_random = self._rng.random(len(running)) < self._plan.noise
        at_random = self._random.act_batch(batch.observations[running], batch.action_masks[running])
        self._were_out[running] = batch.terminations[running] != 0
        batch.step(np.where(is_random, at_random, wanted), running)
        self.running = running[batch.ended[running] == Ending.RUNNING]

    def labels(self) -> Labels | None:
        """Return the labels once all games are over; None if no decision was drawn."""
        if not self._labeled:
            return None
        results = results_of(self.batch.returns, self.batch.terminations, self._were_out)
        comparisons = [one.comparison for one in self._labeled]
        arrays = (
            np.stack([one.observation for one in self._labeled]),
            np.array([len(one.actions) for one in comparisons]),
            np.concatenate([one.actions for one in comparisons]),
            np.concatenate([one.targets for one in comparisons]),
            np.array([results[one.row, one.player] for one in self._labeled]),
            np.concatenate([one.gains for one in comparisons]),
            np.concatenate([one.compared for one in comparisons]),
        )
        return Labels(*map(torch.from_numpy, arrays))


def label_games(line_ups: Sequence[Game], agent: Agent, plan: SearchPlan, games: int, seed: int) -> list[Labels]:
    """Play games to their ends, and return labels of some of their decisions.

    Args:
        line_ups: games to play, one for each line-up, all side by side.
        agent: plays all seats; it must share batches and play from observations alone.
        plan: see `SearchPlan`.
        games: number of games of each line-up.
        seed: seed of games, noise and worlds.

    Raises:
        Misconduct: the agent raised an exception, or chose or reported what is not legal.
    """
    conduct.reset(agent, derive(seed, "agent"))
    advisor = make_agent(plan.advice, GameInfo.of(line_ups[0]))
    lots = [Lot(game, games, plan, derive(seed, "lot", number)) for number, game in enumerate(line_ups)]
    while running := [lot for lot in lots if len(lot.running)]:
        observations = np.concatenate([lot.batch.observations[lot.running] for lot in running])
        masks = np.concatenate([lot.batch.action_masks[lot.running] for lot in running])
        wanted, advised = conduct.ask(agent, observations, masks), advisor.act_batch(observations, masks)
        refuse_illegal("chose", masks, wanted)
        reports = conduct.ask_reports(agent, len(wanted))
        start = 0
        for lot in running:
            for place in np.flatnonzero(lot.draw()).tolist():
                row = start + place
                lot.label(place, [int(wanted[row]), int(advised[row]), *liked_of(reports[row], masks[row])])
            count = len(lot.running)
            lot.play(wanted[start : start + count])
            start += count
    return [labels for lot in lots if (labels := lot.labels()) is not None]


def liked_of(report: Report | None, mask: NDArray[np.int8]) -> list[int]:
    """Return the candidate actions of a report, in its order.

    Args:
        report: None if there is no report.
        mask: `(num_actions,)` int8, 1 for legal ids.

    Raises:
        Misconduct: one of them is not legal.
    """
    if report is None:
        return []
    liked = conduct.guarded(lambda: np.array([candidate.action for candidate in report.candidates], np.int64))
    refuse_illegal("reported", np.broadcast_to(mask, (len(liked), len(mask))), liked)
    return [int(action) for action in liked]


def refuse_illegal(did: str, masks: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
    """Refuse actions `(n,)` that masks `(n, num_actions)` do not allow; `did` is the verb of the message.

    Raises:
        Misconduct: one of them is not legal.
    """
    wrong = actions[~conduct.are_legal(masks, actions)]
    if len(wrong):
        raise Misconduct(f"{did} action {wrong[0]}, which is not legal")


def write_search_labels(
    folder: Path, plan: SearchPlan, decisions: int, game_id: str, seed: int, progress: Callable[[int], None]
) -> int:
    """Write label files of two-player games with armies drawn at random; existing files of the same plan count.

    Args:
        folder: created if missing.
        plan: see `SearchPlan`.
        decisions: number of decisions to label, at least.
        game_id: the game to play.
        seed: random seed.
        progress: called with the number of decisions in each file: just labeled, or already there.

    Returns:
        Number of decisions in the files.

    Raises:
        ValueError: the game has no search; the agent cannot play games side by side, raises an exception or chooses an
            illegal action; the agent named by `plan.advice` cannot advise; a file is of another game; another process
            uses the folder; or it holds labels of another plan or of an unknown one.
        OSError: a file cannot be written; earlier ones are kept.
    """
    game = load_players(game_id, PLAYERS)
    info = GameInfo.of(game)
    parts_of(info, ())
    agent = make_agent(plan.agent, info)
    check_plays_many(agent, f"{plan.agent!r} cannot play the games of labels")
    make_agent(checked_advice(plan.advice), info)
    draw_game = functools.partial(game_with_drawn_armies, game_id)
    identity = labels_identity(plan, game, game_id, seed)
    done = number = 0
    with locked(folder):
        remove_leftovers(folder)
        claim_folder(folder, identity)
        while done < decisions:
            path = folder / f"{number:05d}.safetensors"
            if path.exists():
                count = len(read_labels(path, info))
            else:
                try:
                    found = label_lots(draw_game, agent, plan, FILE, derive(seed, "file", number))
                except Misconduct as fault:
                    raise ValueError(f"{plan.agent!r} cannot play the games of labels: it {fault}") from None
                count = len(found)
                write_labels(path, found, info, f"search, games of {plan.agent}")
            progress(count)
            done += count
            number += 1
    return done


def labels_identity(plan: SearchPlan, game: Game, game_id: str, seed: int) -> dict[str, Any]:
    """Return everything that labels depend on, as plain data: game, seed, plan, agents with their files, code.

    Raises:
        ValueError: a file of an agent cannot be read.
    """
    contents = {
        f"{role} {key}": value
        for role, text in (("agent", plan.agent), ("advice", plan.advice))
        for key, value in agent_identity(text).items()
    }
    return {
        "game": game_id,
        "seed": seed,
        **asdict(plan),
        "horizons": list(plan.horizons),  # as JSON has them
        **contents,
        "code": code_digest(),
        "training": training_digest(),
        **game_identity(game),
    }


def claim_folder(folder: Path, identity: Mapping[str, Any]) -> None:
    """Note in a folder what its labels depend on; if it holds some, that must be what was noted before.

    Raises:
        ValueError: the folder holds labels that depend on something else, or on something unknown.
        OSError: it cannot be written.
    """
    path = folder / IDENTITY
    if not any(folder.glob("*.safetensors")):
        write_json(path, identity)
        return
    if not path.exists():
        raise ValueError(
            f"{named(folder)} holds labels but no {IDENTITY}, so their plan is unknown; choose another folder, or "
            "remove that one"
        )
    found = read_json(path)
    if not isinstance(found, dict):
        raise ValueError(f"{named(path)} is damaged: it must hold a table")
    check_same(folder, "labels of another plan", identity, found)


def game_with_drawn_armies(game_id: str, rng: np.random.Generator) -> Game:
    """Return a two-player game, with armies drawn at random if it has any."""
    armies = list((find_hook(game_id, "choices") or {}).get("armies", list)())
    drawn = {"armies": rng.choice(armies, PLAYERS).tolist()} if armies else {}
    return load_players(game_id, PLAYERS, **drawn)


def label_lots(
    draw_game: Callable[[np.random.Generator], Game], agent: Agent, plan: SearchPlan, decisions: int, seed: int
) -> Labels:
    """Return labels of at least `decisions` decisions, from lots of games; `draw_game` draws the game of each lot.

    Raises:
        Misconduct: see `label_games`.
    """
    rng = np.random.default_rng(seed)
    parts: list[Labels] = []
    while sum(map(len, parts)) < decisions:
        line_ups = [draw_game(rng) for _ in range(LOTS)]
        parts += label_games(line_ups, agent, plan, LOT, int(rng.integers(2**62)))
    return joined(parts)


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the softmax of `scores`."""
    grown = np.exp(scores - scores.max())
    shares: NDArray[np.float32] = (grown / grown.sum()).astype(np.float32)
    return shares
