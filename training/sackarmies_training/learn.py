"""Self-play training by policy gradient: the main file of the trainer, in the order of what happens.

1. `SelfPlay.play`: the learning network plays every seat of many games. Observations go straight from the kernels'
   arrays into tensors. Only legal ids are scored: rows are ragged, and `game` says which decision an entry belongs to.
2. `look_back`: game results become advantages and value targets. A player's decisions within one turn count as one
   step: the factor lambda is applied once for every turn between two decisions of a player.
3. `Learner.update`: clipped policy-gradient steps, on the decisions with the largest advantages or the most doubt.
4. The agent that is saved is a moving average of the network's weights over the latest steps.

Several processes each play their own games and average their gradients.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from torch import Tensor, distributed, nn

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.advice import make_advisor
from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_agents.learned.network import Advice, Network
from sackarmies_agents.learned.policy_agent import find_device, make_network
from sackarmies_agents.learned.sizes import OUTCOMES
from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.rng import following_seed
from sackarmies_env.core.step_batch import Ending
from sackarmies_training.checkpoints import CHECKPOINT, CheckpointFolder, is_intact, open_folder
from sackarmies_training.config import LearnConfig, LearnSection
from sackarmies_training.curve import Curve, compare_with_start, opponent_of
from sackarmies_training.expert import LABELS, check_expert, iterate
from sackarmies_training.game_curves import GameCurves
from sackarmies_training.jobs import Pool, is_one_of_several
from sackarmies_training.labels import results_of
from sackarmies_training.launch import in_touch
from sackarmies_training.learn_files import Run, load_start, noted_minutes, restore_learner, save_finished, sizes_of
from sackarmies_training.line_ups import draw_games
from sackarmies_training.locks import locked, removed_if_unused
from sackarmies_training.loggers import BEFORE_ALL, Loggers, open_loggers
from sackarmies_training.losses import DECIDED, autocast, chances_of, value_loss, worths
from sackarmies_training.progress import Clock, SoftStop, TrainingProgress
from sackarmies_training.ragged import Choices, draw, joined_advice, legal_places, log_probabilities, owners, sums
from sackarmies_training.sample_games import RECORDS, remove_later
from sackarmies_training.seeds import derive
from sackarmies_training.shaping import Potential
from sackarmies_training.teacher import check_teacher, clone_teacher
from sackarmies_training.terminal import PlainConsole

Positions = list[tuple[NDArray[np.int64], Records]]


# --- 1. self-play


@dataclass
class Played:
    """A rollout: `steps` decisions in each of `n` games.

    Attributes:
        choices: the `steps * n` decisions, step by step; with several groups of games, group by group.
        drawn: `(steps * n,)` int64, indices of the chosen ids in `choices.actions`.
        outcomes: `(steps, n, outcomes)` float32, predicted: chances of win, draw and loss, or values.
        values: `(steps, n)` float32, the returns that follow from these.
        potentials: `(steps, n)` float32, for shaping.
        seats: `(steps, n)` int64, the current players.
        turns: `(steps, n)` int64.
        finished: `(steps, n, players)` bool, whether the game is over for a player after the decision.
        results: `(steps, n, players)` int64, WIN, DRAW or LOSS; meaningful only where `finished`.
        returns: `(steps, n, players)` float32, what each player has earned, likewise.
    """

    choices: Choices
    drawn: Tensor
    outcomes: NDArray[np.float32]
    values: NDArray[np.float32]
    potentials: NDArray[np.float32]
    seats: NDArray[np.int64]
    turns: NDArray[np.int64]
    finished: NDArray[np.bool_]
    results: NDArray[np.int64]
    returns: NDArray[np.float32]


class SelfPlay:
    """Many games side by side, with the learning network in every seat."""

    def __init__(
        self, line_ups: Sequence[Game], section: LearnSection, seed: int, potential: Potential | None = None
    ) -> None:
        game, rng = line_ups[0], np.random.default_rng(seed)
        edges = np.linspace(0, section.games, len(line_ups) + 1).astype(int)
        # Unchecked: actions are drawn from the legal ids themselves.
        self.batches = [
            (slice(first, last), Batch(game, last - first, restarts=False, packed=True, checked=False))
            for game, first, last in zip(line_ups, edges[:-1], edges[1:], strict=True)
        ]
        for rows, batch in self.batches:
            batch.reset(rng.integers(2**62, size=rows.stop - rows.start))
        self.device = torch.device(section.device)
        self.curves = GameCurves()
        self._steps, self._precision = section.steps, section.precision
        self._advisor = make_advisor(section.advice, GameInfo.of(game), section.advice_level)
        self._potential = potential
        shape = section.steps, section.games
        self._observations = torch.empty((*shape, game.observation_spec.size), dtype=torch.int8, device=self.device)
        self._seats, self._turns = np.empty(shape, np.int64), np.empty(shape, np.int64)
        ends = *shape, game.num_players
        self._potentials, self._returns = np.zeros(shape, np.float32), np.empty(ends, np.float32)
        self._finished, self._results = np.empty(ends, np.bool_), np.empty(ends, np.int64)

    @property
    def positions(self) -> Positions:
        """For each line-up, the seeds `(n,)` and the states `(n,)` of its games, for `resume`."""
        return [(batch.seeds.copy(), batch.states.copy()) for _, batch in self.batches]

    def resume(self, positions: Positions) -> None:
        """Continue games that were played elsewhere."""
        for (_, batch), (seeds, states) in zip(self.batches, positions, strict=True):
            batch.begin_at(seeds, states.copy())  # arrays from another process may be read-only

    def play(self, network: Network) -> Played:
        """Play `steps` decisions in each game; games that end are replaced by new ones."""
        n = self._observations.shape[1]
        found: list[tuple[Tensor, ...]] = []
        given: list[Advice | None] = []
        start = 0
        for step in range(self._steps):
            observations = self._observations[step]
            for rows, batch in self.batches:
                observations[rows].copy_(torch.from_numpy(batch.observations))
                self._seats[step, rows], self._turns[step, rows] = batch.players, batch.states["turn"]
                if self._potential is not None:
                    self._potentials[step, rows] = self._potential(batch.observations)
            advice = self._ask_advisor()
            place = legal_places(np.concatenate([batch.packed_masks for _, batch in self.batches]), self.device)
            with torch.no_grad(), autocast(self.device, self._precision):
                scores, outcomes = network.assess(observations, place, advice)
            log_probs = log_probabilities(scores.float(), place.game, n)
            drawn = draw(log_probs, place.game, n)
            taken = self._played(place.action[drawn].cpu().numpy())
            for rows, batch in self.batches:
                were_out = batch.terminations != 0
                batch.step(taken[rows])
                self._finished[step, rows] = (batch.ended != Ending.RUNNING)[:, None] | (batch.terminations != 0)
                self._results[step, rows] = results_of(batch.returns, batch.terminations, were_out)
                self._returns[step, rows] = batch.returns
                self._renew(batch, self._results[step, rows])
            counts = torch.bincount(place.game, minlength=n)
            found.append((place.action, log_probs, counts, drawn + start, chances_of(outcomes)))
            given.append(advice)
            start += len(place.action)
        actions, log_probs, counts, drawn, outcomes = (torch.cat(part) for part in zip(*found, strict=True))
        first = nn.functional.pad(counts.cumsum(0), (1, 0))
        seen = self._observations.flatten(0, 1)
        choices = Choices(seen, joined_advice(given), first, actions, log_probs)
        said = outcomes.view(self._steps, n, -1).cpu().numpy()
        values = said @ worths(network.loss) if said.shape[2] == OUTCOMES else said[:, :, 0]
        arrays = self._potentials, self._seats, self._turns, self._finished, self._results, self._returns
        return Played(choices, drawn, said, values, *arrays)

    def _renew(self, batch: Batch, results: NDArray[np.int64]) -> None:
        """Replace games that have ended, with these results, by new ones."""
        over = np.flatnonzero(batch.ended != Ending.RUNNING)
        self.curves.add(batch.game, batch.states[over], results[over], np.indices(results[over].shape)[1])
        while len(over):
            batch.reset([int(following_seed(seed)) for seed in batch.seeds[over]], over)
            over = over[batch.ended[over] != Ending.RUNNING]

    def _played(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ids `(n,)` to play, given those drawn by the network: here all of them, as it plays every seat."""
        return drawn

    def _ask_advisor(self) -> Advice | None:
        """Return the advisor's advice on all games and their legal ids; None without an advisor."""
        if self._advisor is None:
            return None
        parts = [Advice.of(self._advisor.ask(batch.observations, batch.action_masks)) for _, batch in self.batches]
        advice = joined_advice(parts)
        return None if advice is None else advice.to(self.device)


# --- 2. advantages and targets


@dataclass(frozen=True)
class Lesson:
    """What to learn from `k` decisions.

    Attributes:
        advantages: `(k,)` float32.
        targets: `(k, outcomes)` float32, value targets.
        rows: int64, the decisions to learn from: those after which the player decides again, or is finished.
    """

    advantages: Tensor
    targets: Tensor
    rows: Tensor


def look_back(played: Played, section: LearnSection, shaping: float = 0.0) -> Lesson:
    """Return advantages (GAE) and value targets (TD(lambda)); each player's decisions form a chain.

    A chain ends when the game is over for the player, who may be eliminated while others play on, or with the player's
    last decision in the rollout. That one is not learned from: its value stands in for what comes after. Nothing is
    discounted. Shaping adds the differences of potentials along a chain to its advantages; they end at 0.

    Args:
        played: the rollout.
        section: holds both lambdas.
        shaping: weight of the potential.
    """
    steps, n, outcomes = played.outcomes.shape
    final = DECIDED[played.results] if outcomes == OUTCOMES else played.returns[..., None]
    values = played.values + shaping * played.potentials
    games, shape = np.arange(n), (n, played.results.shape[2])
    # What comes next for each player: value, advantage, chances, target, turn, and whether anything does.
    value, advantage = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    chances, target = np.zeros((*shape, outcomes), np.float32), np.zeros((*shape, outcomes), np.float32)
    turn, is_known = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    advantages, targets = np.zeros((steps, n), np.float32), np.zeros_like(played.outcomes)
    usable = np.zeros((steps, n), np.bool_)
    for step in range(steps - 1, -1, -1):
        over = played.finished[step]
        value[over], advantage[over] = played.returns[step, over], 0.0
        chances[over] = target[over] = final[step, over]
        turn[over], is_known[over] = played.turns[step, over.nonzero()[0]], True
        mine = games, played.seats[step]
        known = is_known[mine]
        between = (turn[mine] - played.turns[step]) * known
        gain = value[mine] - values[step] + section.gae_lambda**between * advantage[mine]
        factor = (section.value_lambda**between)[:, None]
        wanted = (1 - factor) * chances[mine] + factor * target[mine]
        advantages[step] = advantage[mine] = np.where(known, gain, 0.0)
        targets[step] = target[mine] = np.where(known[:, None], wanted, played.outcomes[step])
        value[mine], chances[mine], turn[mine] = values[step], played.outcomes[step], played.turns[step]
        usable[step], is_known[mine] = known, True
    flat = torch.from_numpy(advantages).flatten(), torch.from_numpy(targets).flatten(0, 1)
    return Lesson(*flat, torch.from_numpy(np.flatnonzero(usable)))


# --- 3. learning


@dataclass(frozen=True)
class Team:
    """The processes that learn together.

    Attributes:
        rank: number of this process; rank 0 writes checkpoints and logs, and shows progress.
        size: number of processes.
        began: whether `join` initialized the process group, rather than the caller of `learn`.
    """

    rank: int = 0
    size: int = 1
    began: bool = False

    @classmethod
    def join(cls, device: torch.device) -> Team:
        """Return the team of processes that a launcher such as torchrun started; without one, this process alone.

        With the device `cuda`, the processes on a machine are assigned its GPUs in turn.
        """
        if not is_one_of_several():
            return cls()
        gpus = torch.cuda.device_count() if str(device) == "cuda" else 0  # "cuda" names no particular GPU
        if gpus:
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]) % gpus)
        has_own_gpu = gpus > 0 and int(os.environ["LOCAL_WORLD_SIZE"]) <= gpus
        began = not distributed.is_initialized()
        if began:  # NCCL refuses processes that share a GPU, and CPU tensors
            from torch.distributed import nn  # noqa: F401 - else optimizers do, and its defaults keep the group alive

            distributed.init_process_group("cpu:gloo,cuda:nccl" if has_own_gpu else "gloo")
        return cls(distributed.get_rank(), distributed.get_world_size(), began)

    def leave(self) -> None:
        """Destroy the process group if `join` initialized it: its threads can abort the interpreter at exit."""
        if self.began:
            distributed.destroy_process_group()

    @staticmethod
    def leads() -> bool:
        """Return whether this is the process that writes files and plays the tournament after training."""
        return not is_one_of_several() or os.environ["RANK"] == "0"

    @in_touch()
    def agree(self, number: float, *, least: bool = False) -> float:
        """Return the largest number that a process gives, or with `least` the smallest."""
        shared = torch.tensor(number, dtype=torch.float64)
        if self.size > 1:
            distributed.all_reduce(shared, distributed.ReduceOp.MIN if least else distributed.ReduceOp.MAX)
        return float(shared)

    @in_touch()
    def average(self, tensors: Iterable[Tensor | None]) -> None:
        """Replace tensors by their means over all processes, in place; None is skipped."""
        if self.size > 1:
            given = [tensor for tensor in tensors if tensor is not None]
            flat = torch.cat([tensor.flatten() for tensor in given])
            distributed.all_reduce(flat)
            for tensor, part in zip(given, torch.split(flat, [one.numel() for one in given]), strict=True):
                tensor.copy_(part.view_as(tensor) / self.size)

    @in_touch()
    def share(self, text: str) -> str:
        """Return the text that rank 0 gives."""
        shared = [text]
        if self.size > 1:
            distributed.broadcast_object_list(shared)
        return shared[0]


class Learner:
    """A network, its average, and its optimizer.

    Attributes:
        network: plays and learns.
        averaged: moving average of the network, saved as the trained agent.
        start: the initial network, to which `start_policy` draws it back; None if that is 0.
        optimizer: Adam.
        decisions: number played so far, by all processes.
        updates: number of rounds of play and learning so far.
        taught: decisions of a teacher learned from; 0 without one, None if a checkpoint does not say.
    """

    def __init__(self, network: Network, section: LearnSection, team: Team) -> None:
        self.section = section
        self.team = team
        self.device = find_device(section.device)
        self.network = network.to(self.device)
        self.network.value_shapes = section.value_shapes
        self.averaged = copy.deepcopy(self.network).requires_grad_(requires_grad=False)
        self.start = copy.deepcopy(self.averaged) if section.start_policy else None
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=section.learning_rate, fused=True)
        self.decisions = self.updates = 0
        self.taught: int | None = 0

    def update(self, played: Played, lesson: Lesson, fraction: float) -> dict[str, float]:
        """Learn from a rollout: choices from the decisions that `choose` picks, values from a random share of all.

        Nothing is learned if any process has no decision to learn from.

        Args:
            played: the rollout.
            lesson: what to learn from it.
            fraction: fraction of training done so far, 0 to 1, for what is annealed.

        Returns:
            Means of losses and statistics for the log, by name; empty if nothing was learned.
        """
        section = self.section
        total: dict[str, float] = {}
        if not self.team.agree(len(lesson.rows), least=True):
            self.updates += 1
            return total
        lesson = Lesson(*(tensor.to(self.device) for tensor in vars(lesson).values()))
        chosen = choose(played.choices, lesson, section)
        rate = section.learning_rate + fraction * (section.final_learning_rate - section.learning_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        for _ in range(section.epochs):
            order = chosen[torch.randperm(len(chosen), device=self.device)]
            mixed = lesson.rows[torch.randperm(len(lesson.rows), device=self.device)]
            valued = mixed[: round(len(mixed) * section.value_share)]
            parts = int(self.team.agree(max(1, len(order) // section.minibatch), least=True))
            for rows, others in zip(order.tensor_split(parts), valued.tensor_split(parts), strict=True):
                said = self._losses(played, lesson, rows, others, fraction)
                self.step(said["loss"])
                for name, value in said.items():
                    total[name] = total.get(name, 0.0) + float(value.detach()) / (parts * section.epochs)
        self.updates += 1
        return total

    def _losses(
        self, played: Played, lesson: Lesson, rows: Tensor, others: Tensor, fraction: float
    ) -> dict[str, Tensor]:
        """Return the loss and its parts; choices are learned from the decisions `rows`, values from `others`."""
        section, choices, n = self.section, played.choices, len(rows)
        observations, advice, place, entry = choices.pick(rows, others)
        with autocast(self.device, section.precision):
            scores, outcomes = self.network.assess(observations, place, advice)
        new, old = log_probabilities(scores.float(), place.game, n), choices.weights[entry]
        begins, counts = choices.first[rows], choices.first[rows + 1] - choices.first[rows]
        here = counts.cumsum(0) - counts + played.drawn[rows] - begins  # indices of the chosen ids among these
        ratio = (new[here] - choices.weights[played.drawn[rows]]).exp()
        advantages = lesson.advantages[rows]
        clipped = ratio.clamp(1 - section.clip_range, 1 + section.clip_range) if section.clip_range else ratio
        gain = torch.minimum(ratio * advantages, clipped * advantages).mean()
        probability = new.exp()
        entropy = -sums(probability * new, place.game, n).mean()
        to_old = sums(probability * (new - old), place.game, n).mean()
        even = (1 / counts.float())[place.game]
        trusted = even if advice is None else torch.where(place.action == advice.chosen[place.game], 1.0, 0.0)
        drawn_to = (section.magnet_trust * trusted + (1 - section.magnet_trust) * even).log()
        to_magnet = sums(probability * (new - drawn_to), place.game, n).mean()
        fallen = section.magnet * (self.updates + 1) ** -section.magnet_power
        weight = min(section.magnet, max(section.magnet_least, fallen))
        penalty = section.old_policy * to_old + (weight * to_magnet if section.magnet else 0.0)
        known: dict[str, Tensor] = {}
        if self.start is not None:
            given = observations[:n], place, advice and advice._replace(chosen=advice.chosen[:n])
            with torch.no_grad(), autocast(self.device, section.precision):
                first = log_probabilities(self.start.assess(*given)[0].float(), place.game, n)
            known["kl_start"] = sums(probability * (new - first), place.game, n).mean()
            penalty = penalty + section.start_policy * known["kl_start"]
        bonus = (section.entropy + fraction * (section.final_entropy - section.entropy)) * entropy
        value = value_loss(outcomes[n:].float(), lesson.targets[others])
        loss = section.value_weight * value + penalty - gain - bonus
        moved = (ratio != clipped).float().mean()
        parts = {"loss": loss, "gain": gain, "entropy": entropy, "kl_old": to_old, "kl_magnet": to_magnet}
        return parts | known | {"value_loss": value, "clipped": moved}

    def step(self, loss: Tensor) -> None:
        """Take an optimizer step and update the average."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        parameters: list[Tensor] = list(self.network.parameters())
        self.team.average(parameter.grad for parameter in parameters)
        nn.utils.clip_grad_norm_(parameters, self.section.max_gradient)
        self.optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.averaged.parameters()), parameters, 1 - self.section.average)


def choose(choices: Choices, lesson: Lesson, section: LearnSection) -> Tensor:
    """Pick the decisions whose choices are learned: a share of `lesson.rows`, `(share,)` int64, ascending.

    Advantages are large where luck was large: if luck is skewed, the largest alone favor ids that gain nothing. Doubt
    is the probability that two draws from the policy differ. It measures how much there is to learn from an advantage
    of 1 and depends on nothing that was drawn, so learning from the decisions with the most doubt has no such bias.

    Args:
        choices: all decisions, with the policy that played.
        lesson: what to learn from them.
        section: `select` says which to pick, and `largest` how many.
    """
    if section.select == "advantage":
        size = lesson.advantages.abs()
    else:
        owner = owners(choices.first[1:] - choices.first[:-1])
        size = 1 - sums((2 * choices.weights).exp(), owner, len(choices.first) - 1)
    number = max(1, round(len(lesson.rows) * section.largest))
    return lesson.rows[size[lesson.rows].topk(min(number, len(lesson.rows))).indices.sort().values]


# --- 4. a run


def learn(
    config: LearnConfig, game: Game, console: Console, *, resume: bool = False, pool: Pool | None = None
) -> Path | None:
    """Train an agent, or resume its training.

    Args:
        config: how to train.
        game: the game it plays.
        console: shows progress.
        resume: resume the latest run in `config.folder` instead of starting a new one.
        pool: plays groups of games and makes label files; None: this process does. Results are the same.

    Returns:
        Path of the finished agent's checkpoint; None if training was stopped by Ctrl-C and can be resumed.

    Raises:
        ValueError: there is no run to resume, none of its checkpoints is intact, something does not fit the
            configuration, or another process uses the folder.
        OSError: a checkpoint cannot be written; the run can be resumed from the previous one.
    """
    team = Team.join(find_device(config.learn.device))
    folder = Path(team.share(str(open_folder(config.folder, resume=resume)) if team.rank == 0 else ""))
    if team.rank > 0:
        path = learn_in(folder, config, game, PlainConsole(quiet=True), team, resume=resume, pool=pool)
    else:
        with locked(folder), removed_if_unused(folder):
            for place in (folder, folder / "checkpoints", folder / LABELS, folder / RECORDS):
                remove_leftovers(place)
            path = learn_in(folder, config, game, console, team, resume=resume, pool=pool)
    team.leave()
    return path


def make_learner(config: LearnConfig, game: Game, team: Team, *, resumes: bool = False) -> Learner:
    """Return a learner with random weights, or with those of the checkpoint that `learn.start` names.

    A learner that `resumes` a run gets other weights afterward. It needs that checkpoint only if the run is drawn back
    to it, or is compared with it at its end.
    """
    info, section = GameInfo.of(game), config.learn
    needs_start = section.start and (not resumes or section.start_policy or config.curve is not None)
    torch.manual_seed(config.seed)
    network = load_start(config, info) if needs_start else make_network(info, sizes_of(config))
    network.scale_scores(1 / section.start_temperature)
    return Learner(network, section, team)


def learn_in(  # noqa: PLR0913 - those of `learn`
    folder: Path, config: LearnConfig, game: Game, console: Console, team: Team, *, resume: bool, pool: Pool | None
) -> Path | None:
    """Train in a folder that no other run uses; arguments, result and errors as for `learn`."""
    say = functools.partial(console.print, soft_wrap=True, highlight=False, markup=False, emoji=False)
    section, finished = config.learn, folder / CHECKPOINT
    if finished.exists() and is_intact(finished, say):
        say(f"Training in {folder} is complete.")
        if verdict := read_checkpoint(finished).header.training.get("verdict"):
            say(verdict)
        return finished
    torch.set_num_threads(section.threads)
    checkpoints = CheckpointFolder(folder / "checkpoints", config.checkpoints.keep)
    path = checkpoints.latest_intact(say) if resume else None
    learner = make_learner(config, game, team, resumes=path is not None)
    line_ups = draw_games(config.game, game, section.line_ups, config.seed)
    make_advisor(section.advice, GameInfo.of(game), section.advice_level)  # refused now, before anything is written
    if config.curve is not None:
        opponent_of(config.curve, game)  # likewise
    if config.expert is not None:
        check_expert(config.expert, GameInfo.of(game))  # likewise
    clock = Clock(section.decisions, section.max_minutes)
    if path is not None:
        clock.start(max(restore_learner(path, learner, config, game), noted_minutes(folder)))
        say(f"Resuming from {path}: {learner.decisions:,} decisions, {clock.minutes:.1f} minutes.")
    elif resume:
        say("There is no checkpoint yet: starting from the beginning.")
    if path is None and config.teacher is not None:
        check_teacher(config.teacher, GameInfo.of(game))  # likewise
    loggers, last = Loggers([]), BEFORE_ALL if path is None else learner.decisions
    if team.rank == 0:
        remove_later(folder, last)
        if path is not None:
            checkpoints.prune(path)
        loggers = open_loggers(config.log, folder, config.model_dump(mode="json"), last)
    with contextlib.closing(loggers):
        if path is None:
            clock.start(0.0)
            if config.teacher is not None:
                say(clone_teacher(learner, config.teacher, line_ups, loggers, derive(config.seed, "study", team.rank)))
        train = improve if config.expert is None else iterate
        run = Run(folder, config, line_ups, console, clock, checkpoints, loggers, last, pool)
        if not train(learner, run):
            say(f"Stopped after {learner.decisions:,} decisions. The same command with --resume resumes.")
            return None
        if team.rank == 0:
            say(complete(learner, run, game))
    return finished


def complete(learner: Learner, run: Run, game: Game) -> str:
    """Write the finished agent; return what to print: how long it trained, and whether it beats its start."""
    config, finished, minutes, verdict = run.config, run.folder / CHECKPOINT, run.clock.minutes, ""
    if config.learn.start and config.curve is not None:  # before the agent: its file completes the run
        others = draw_games(config.game, game, config.learn.line_ups, derive(config.seed, "verdict"))
        verdict = compare_with_start(learner, config, others, config.curve)  # not those it trained on
    save_finished(finished, learner, config, game, minutes, verdict)
    run.loggers.artifact(finished)
    told = f"Trained for {minutes:.1f} minutes, {learner.decisions:,} decisions: {finished}"
    return f"{told}\n{verdict}" if verdict else told


def improve(learner: Learner, run: Run) -> bool:
    """Play and learn in turn until the clock is up; return False if training was stopped before that."""
    from sackarmies_training.groups import Groups

    config, section, team, clock = run.config, run.config.learn, learner.team, run.clock
    torch.manual_seed(derive(config.seed, "games", team.rank, learner.decisions))
    groups, stop = Groups(run, learner), SoftStop()
    curve = Curve(run) if team.rank == 0 else None
    saved = -config.checkpoints.every if config.teacher and not learner.decisions else learner.decisions  # a clone: now
    with TrainingProgress(run.console) as progress, stop.listening():
        while True:
            clock.done = learner.decisions
            fraction = team.agree(clock.fraction)
            is_over = fraction >= 1 or bool(team.agree(float(stop.asked)))
            if curve is not None:
                if is_over or learner.decisions - saved >= config.checkpoints.every:
                    run.save(learner)
                    saved = learner.decisions
                curve.follow(learner, clock.minutes, now=is_over)
            if is_over:
                return fraction >= 1
            shaping = max(0.0, 1 - fraction / section.shaping_until) if section.shaping_until else 0.0
            played, lesson = groups.play(learner, shaping)
            said = learner.update(played, lesson, fraction)
            learner.decisions += len(played.drawn) * team.size
            if curve is not None:
                values = {f"learn/{name}": value for name, value in said.items()} | groups.curves.take()
                run.loggers.log(learner.decisions, values)
                told = ", ".join(f"{name} {value:.3g}" for name, value in said.items())
                progress.show(fraction, f"{learner.decisions:,} decisions, {curve.latest}{told}")
