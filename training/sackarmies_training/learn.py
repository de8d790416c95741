"""Training in self-play by policy gradient, in one file.

1. `SelfPlay.play`: the network that learns plays every seat of many games. Observations go from the arrays of the
   kernels into tensors, and scores are computed for legal ids alone: all that belongs to legal ids is ragged, the ids
   of one decision after those of the other, and `game` says which decision each belongs to.
2. `look_back`: results become advantages and targets of values. Several decisions of one turn count as one step: the
   factor lambda is applied for every turn between two decisions of a player.
3. `Learner.update`: steps of a clipped policy gradient, on the decisions of largest advantage.
4. The General that is saved is the average of the network over the latest steps.

Several processes, started by torchrun, each play games of their own and average their gradients.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from torch import Tensor, distributed
from torch.nn import functional

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.network import OUTCOMES, Network, Place
from sackarmies_agents.learned.policy_agent import find_device, make_advisor, make_network
from sackarmies_env.core.atomic_write import remove_leftovers
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_env.core.step_batch import Ending
from sackarmies_training.checkpoints import CHECKPOINT, CheckpointFolder, is_intact
from sackarmies_training.config import LearnConfig, LearnSection, TeacherSection
from sackarmies_training.curve import Curve
from sackarmies_training.files import open_folder
from sackarmies_training.labels import UNKNOWN, Labels, read_labels, results_of, teach
from sackarmies_training.learn_files import load_start, restore_learner, save_general, save_learner, sizes_of
from sackarmies_training.locks import locked
from sackarmies_training.progress import Clock, SoftStop, TrainingProgress
from sackarmies_training.seeds import derive
from sackarmies_training.shaping import Potential, make_potential
from sackarmies_training.terminal import PlainConsole

DECIDED = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)  # chances once the result is known
WORTH = np.array([1.0, 0.0, -1.0], np.float32)  # of win, draw and loss


# --- ragged rows: what belongs to the legal ids of several decisions


def owners(counts: Tensor) -> Tensor:
    """Return for each entry which row it belongs to, where row i has `counts[i]` entries."""
    return torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)


def log_probabilities(scores: Tensor, game: Tensor, n: int) -> Tensor:
    """Return the logarithm of the softmax of scores `(k,)` over the entries of each of `n` decisions."""
    highest = torch.full((n,), -torch.inf, device=scores.device).scatter_reduce(0, game, scores.detach(), "amax")
    shifted = scores - highest[game]
    return shifted - sums(shifted.exp(), game, n).log()[game]


def sums(values: Tensor, game: Tensor, n: int) -> Tensor:
    """Return the sum of values `(k,)` over the entries of each of `n` decisions."""
    return torch.zeros(n, device=values.device).index_add(0, game, values)


def draw(log_probs: Tensor, game: Tensor, n: int) -> Tensor:
    """Return an entry of each of `n` decisions, drawn from probabilities `(k,)`: its index, `(n,)`."""
    keys = log_probs - (-torch.rand_like(log_probs).clamp(1e-20, 1 - 1e-7).log()).log()
    highest = torch.full((n,), -torch.inf, device=keys.device).scatter_reduce(0, game, keys, "amax")
    winners = (keys == highest[game]).nonzero().squeeze(1)
    if len(winners) < n:
        raise ValueError("training has diverged: scores are no numbers; resume with a lower learning rate")
    return torch.zeros(n, dtype=torch.int64, device=keys.device).index_put((game[winners],), winners)


class Choices(NamedTuple):
    """Decisions in tensors, with what belongs to their legal ids, `(m,)`, one decision after the other.

    Attributes:
        observations: `(k, size)` int8.
        advised: `(k,)` int64, what the advisor would choose; None where there is none.
        first: `(k + 1,)` int64, where the legal ids of each decision begin.
        actions: `(m,)` int64, legal ids.
        weights: `(m,)` of the policy that played, logarithms of its probabilities; of a teacher, probabilities.
    """

    observations: Tensor
    advised: Tensor | None
    first: Tensor
    actions: Tensor
    weights: Tensor

    def pick(self, rows: Tensor, others: Tensor) -> tuple[Tensor, Tensor | None, Place, Tensor]:
        """Return what a network is given for decisions whose ids are scored, `rows`, and for `others`.

        Returns:
            Observations and advice of both, one after the other; the ids of `rows`, and where they stand in `actions`.
        """
        counts = self.first[rows + 1] - self.first[rows]
        game = owners(counts)
        entry = torch.arange(len(game), device=game.device) + (self.first[rows] - (counts.cumsum(0) - counts))[game]
        both = torch.cat([rows, others])
        advised = None if self.advised is None else self.advised[both]
        return self.observations[both], advised, Place(game, self.actions[entry]), entry


# --- 1. self-play


@dataclass
class Played:
    """What `steps` decisions in each of `n` games were.

    Attributes:
        choices: the decisions, `steps * n` of them, step by step.
        drawn: `(steps * n,)` int64, where in `choices.actions` the chosen ids stand.
        outcomes: `(steps, n, outcomes)` float32: chances of win, draw and loss, or values.
        potentials: `(steps, n)` float32, of shaping.
        seats: `(steps, n)` int64, whose decision it was.
        turns: `(steps, n)` int64.
        ended: `(steps, n)` bool, whether the game ended with it.
        results: `(steps, n, players)` int64, of the games that ended: WIN, DRAW or LOSS.
    """

    choices: Choices
    drawn: Tensor
    outcomes: NDArray[np.float32]
    potentials: NDArray[np.float32]
    seats: NDArray[np.int64]
    turns: NDArray[np.int64]
    ended: NDArray[np.bool_]
    results: NDArray[np.int64]


class SelfPlay:
    """Many games side by side, of which every seat is played by the network that learns."""

    def __init__(self, game: Game, section: LearnSection, seed: int, potential: Potential | None = None) -> None:
        # Not checked: what is played is drawn from the legal ids themselves.
        self.batch = Batch(game, section.games, packed=True, checked=False)
        self.batch.reset(np.random.default_rng(seed).integers(2**62, size=section.games))
        self.device = torch.device(section.device)
        self._steps, self._precision = section.steps, section.precision
        self._advisor = make_advisor(section.advice, GameInfo.of(game))
        self._potential = potential
        shape = section.steps, section.games
        self._observations = torch.empty((*shape, game.observation_spec.size), dtype=torch.int8, device=self.device)
        self._seats, self._turns = np.empty(shape, np.int64), np.empty(shape, np.int64)
        self._potentials = np.zeros(shape, np.float32)
        self._ended, self._results = np.empty(shape, np.bool_), np.empty((*shape, game.num_players), np.int64)

    def play(self, network: Network) -> Played:
        """Play `steps` decisions in each game; games that end give way to new ones."""
        batch, n = self.batch, len(self.batch)
        found: list[tuple[Tensor, ...]] = []
        start = 0
        for step in range(self._steps):
            observations = self._observations[step]
            observations.copy_(torch.from_numpy(batch.observations))
            advised = self._ask_advisor()
            place = legal_places(batch.packed_masks, self.device)
            with torch.no_grad(), autocast(self.device, self._precision):
                scores, outcomes = network.assess(observations, place, advised)
            log_probs = log_probabilities(scores.float(), place.game, n)
            drawn = draw(log_probs, place.game, n)
            self._seats[step], self._turns[step] = batch.players, batch.states["turn"]
            if self._potential is not None:
                self._potentials[step] = self._potential(batch.observations)
            batch.step(place.action[drawn].cpu().numpy())
            self._ended[step] = batch.ended != Ending.RUNNING
            self._results[step] = results_of(batch.returns)
            counts = torch.bincount(place.game, minlength=n)
            advice = counts if advised is None else advised
            found.append((place.action, log_probs, counts, drawn + start, chances_of(outcomes), advice))
            start += len(place.action)
        actions, log_probs, counts, drawn, outcomes, advice = (torch.cat(part) for part in zip(*found, strict=True))
        first = functional.pad(counts.cumsum(0), (1, 0))
        seen = self._observations.flatten(0, 1)
        choices = Choices(seen, None if self._advisor is None else advice, first, actions, log_probs)
        said = outcomes.view(self._steps, n, -1).cpu().numpy()
        arrays = self._potentials, self._seats, self._turns, self._ended, self._results
        return Played(choices, drawn, said, *arrays)

    def _ask_advisor(self) -> Tensor | None:
        """Return what the advisor would choose in each game, `(n,)` int64."""
        if self._advisor is None:
            return None
        chosen = self._advisor.act_batch(self.batch.observations, self.batch.action_masks)
        return torch.from_numpy(chosen).to(self.device)


def legal_places(packed_masks: NDArray[np.uint64], device: torch.device) -> Place:
    """Return the legal ids of games, from masks `(n, words)` of bits."""
    bits = np.unpackbits(packed_masks.view(np.uint8), axis=1, bitorder="little").view(np.bool_)
    game, action = np.divmod(np.flatnonzero(bits), bits.shape[1])
    return Place(torch.from_numpy(game).to(device), torch.from_numpy(action).to(device))


def chances_of(outcomes: Tensor) -> Tensor:
    """Return chances of win, draw and loss `(n, 3)` from what a network says; values `(n, 1)` stay values."""
    return outcomes.float().softmax(dim=1) if outcomes.shape[1] == OUTCOMES else outcomes.float()


def autocast(device: torch.device, precision: str) -> contextlib.AbstractContextManager[Any]:
    """Return a context in which a network computes with a precision; weights stay float32."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")


# --- 2. advantages and targets


@dataclass(frozen=True)
class Lesson:
    """What is to be learned from decisions.

    Attributes:
        advantages: `(k,)` float32.
        targets: `(k, outcomes)` float32, of values.
        rows: decisions that something can be learned from: those whose player has decided again or knows the result.
    """

    advantages: Tensor
    targets: Tensor
    rows: Tensor


def look_back(played: Played, section: LearnSection, shaping: float = 0.0) -> Lesson:
    """Return advantages (GAE) and targets of values (TD with lambda), each player's decisions being a chain.

    A chain ends with the game's result, or with the player's last decision here, which is not learned from: its value
    stands for what comes after. Nothing is discounted. Shaping adds the difference of potentials along a chain to its
    advantages.

    Args:
        played: the decisions.
        section: both lambdas.
        shaping: weight of the potential.
    """
    steps, n, outcomes = played.outcomes.shape
    worth = WORTH if outcomes == OUTCOMES else np.ones(1, np.float32)
    final = DECIDED if outcomes == OUTCOMES else WORTH[:, None]
    values = played.outcomes @ worth + shaping * played.potentials
    games, shape = np.arange(n), (n, played.results.shape[2])
    # What comes next for each player: value, advantage, chances, target, turn, and whether there is anything.
    value, advantage = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    chances, target = np.zeros((*shape, outcomes), np.float32), np.zeros((*shape, outcomes), np.float32)
    turn, is_known = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    advantages, targets = np.zeros((steps, n), np.float32), np.zeros_like(played.outcomes)
    usable = np.zeros((steps, n), np.bool_)
    for step in range(steps - 1, -1, -1):
        over = played.ended[step]
        value[over], advantage[over] = WORTH[played.results[step, over]], 0.0
        chances[over] = target[over] = final[played.results[step, over]]
        turn[over], is_known[over] = played.turns[step, over, None], True
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
        rank: number of this one; 0 writes files and shows progress.
        size: how many there are.
    """

    rank: int = 0
    size: int = 1

    @classmethod
    def join(cls, device: torch.device) -> Team:
        """Return the processes that torchrun started; this one alone where it did not."""
        if "RANK" not in os.environ or int(os.environ["WORLD_SIZE"]) < 2:
            return cls()
        if not distributed.is_initialized():
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        return cls(distributed.get_rank(), distributed.get_world_size())

    @staticmethod
    def leads() -> bool:
        """Return whether this process is the one that writes files and goes on with a tournament."""
        return os.environ.get("RANK", "0") == "0"

    def agree(self, number: float, *, least: bool = False) -> float:
        """Return the largest, or the least, of what all processes give."""
        if self.size == 1:
            return number
        shared = torch.tensor(number, dtype=torch.float64)
        distributed.all_reduce(shared, distributed.ReduceOp.MIN if least else distributed.ReduceOp.MAX)
        return float(shared)

    def average(self, tensors: Iterable[Tensor | None]) -> None:
        """Replace tensors by their means over all processes."""
        if self.size > 1:
            given = [tensor for tensor in tensors if tensor is not None]
            flat = torch.cat([tensor.flatten() for tensor in given])
            distributed.all_reduce(flat)
            for tensor, part in zip(given, torch.split(flat, [one.numel() for one in given]), strict=True):
                tensor.copy_(part.view_as(tensor) / self.size)

    def share(self, text: str) -> str:
        """Return the text of the process of rank 0."""
        shared = [text]
        if self.size > 1:
            distributed.broadcast_object_list(shared)
        return shared[0]


class Learner:
    """A network, its average, and its optimizer.

    Attributes:
        network: what plays and learns.
        averaged: what is saved as the General.
        optimizer: Adam.
        decisions: played so far, by all processes.
        updates: rounds of play and learning so far.
    """

    def __init__(self, network: Network, section: LearnSection, team: Team) -> None:
        self.section = section
        self.team = team
        self.device = find_device(section.device)
        self.network = network.to(self.device)
        self.averaged = copy.deepcopy(self.network).requires_grad_(requires_grad=False)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=section.learning_rate, fused=True)
        self.decisions = 0
        self.updates = 0

    def update(self, played: Played, lesson: Lesson, fraction: float) -> dict[str, float]:
        """Learn from decisions; choices from those of largest advantage, values from a share of all.

        Args:
            played: the decisions.
            lesson: what is to be learned from them.
            fraction: of the training that is done, for what falls with time.

        Returns:
            Means of what is worth a curve, by name.
        """
        section = self.section
        total: dict[str, float] = {}
        lesson = Lesson(*(tensor.to(self.device) for tensor in vars(lesson).values()))
        size = lesson.advantages[lesson.rows].abs()
        least = size.kthvalue(max(1, round(len(size) * (1 - section.largest)))).values if section.largest < 1 else -1.0
        chosen = lesson.rows[size > least]
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
                self._step(said["loss"])
                for name, value in said.items():
                    total[name] = total.get(name, 0.0) + float(value.detach()) / (parts * section.epochs)
        self.updates += 1
        return total

    def _losses(
        self, played: Played, lesson: Lesson, rows: Tensor, others: Tensor, fraction: float
    ) -> dict[str, Tensor]:
        """Return the loss and its parts for decisions whose choices are learned, and others whose values are."""
        section, choices, n = self.section, played.choices, len(rows)
        observations, advised, place, entry = choices.pick(rows, others)
        with autocast(self.device, section.precision):
            scores, outcomes = self.network.assess(observations, place, advised)
        new, old = log_probabilities(scores.float(), place.game, n), choices.weights[entry]
        begins, counts = choices.first[rows], choices.first[rows + 1] - choices.first[rows]
        here = counts.cumsum(0) - counts + played.drawn[rows] - begins  # where the chosen ids stand among these
        ratio = (new[here] - choices.weights[played.drawn[rows]]).exp()
        advantages = lesson.advantages[rows]
        clipped = ratio.clamp(1 - section.clip_range, 1 + section.clip_range) if section.clip_range else ratio
        gain = torch.minimum(ratio * advantages, clipped * advantages).mean()
        probability = new.exp()
        entropy = -sums(probability * new, place.game, n).mean()
        to_old = sums(probability * (new - old), place.game, n).mean()
        to_uniform = counts.float().log().mean() - entropy
        magnet = max(section.magnet_least, section.magnet * (self.updates + 1) ** -section.magnet_power)
        penalty = section.old_policy * to_old + (magnet * to_uniform if section.magnet else 0.0)
        bonus = (section.entropy + fraction * (section.final_entropy - section.entropy)) * entropy
        value = value_loss(outcomes[n:].float(), lesson.targets[others])
        loss = section.value_weight * value + penalty - gain - bonus
        moved = ((ratio - 1).abs() > section.clip_range).float().mean()
        parts = {"loss": loss, "gain": gain, "entropy": entropy, "kl_old": to_old, "kl_uniform": to_uniform}
        return parts | {"value_loss": value, "clipped": moved}

    def _step(self, loss: Tensor) -> None:
        """Take a step of the optimizer, and move the average."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        parameters: list[Tensor] = list(self.network.parameters())
        self.team.average(parameter.grad for parameter in parameters)
        torch.nn.utils.clip_grad_norm_(parameters, self.section.max_gradient)
        self.optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.averaged.parameters()), parameters, 1 - self.section.average)

    def clone(self, choices: Choices, results: Tensor, minibatch: int) -> float:
        """Learn a teacher's choices and the results of its games; return the share of choices predicted."""
        right = 0.0
        parts = int(self.team.agree(max(1, len(results) // minibatch), least=True))
        for rows in torch.randperm(len(results)).tensor_split(parts):
            observations, advised, place, entry = choices.pick(rows.to(self.device), rows[:0].to(self.device))
            with autocast(self.device, self.section.precision):
                scores, outcomes = self.network.assess(observations, place, advised)
            log_probs, wanted = log_probabilities(scores.float(), place.game, len(rows)), choices.weights[entry]
            known = results[rows] != UNKNOWN
            final = torch.from_numpy(DECIDED if outcomes.shape[1] == OUTCOMES else WORTH[:, None])
            said = outcomes[known.to(self.device)].float()
            value = value_loss(said, final[results[rows][known]].to(self.device)) if known.any() else 0.0
            self._step(-(wanted * log_probs).sum() / len(rows) + self.section.value_weight * value)
            best = torch.full((len(rows),), -torch.inf, device=self.device)
            best = best.scatter_reduce(0, place.game, log_probs.detach(), "amax")
            right += float((wanted * (log_probs == best[place.game])).sum())
        return right / max(1, len(results))


def value_loss(outcomes: Tensor, targets: Tensor) -> Tensor:
    """Return the loss of what a network says of positions: cross-entropy of chances, squared error of values."""
    if outcomes.shape[1] == OUTCOMES:
        return functional.cross_entropy(outcomes, targets)
    return functional.mse_loss(outcomes, targets)


# --- a start from a teacher


def lessons_of(section: TeacherSection, game: Game, seed: int) -> Iterable[Labels]:
    """Yield labels without end: from files, one after the other, or from games that the teacher plays."""
    info = GameInfo.of(game)
    teacher = None if section.files else make_agent(section.agent, info)
    number = 0
    while True:
        if teacher is None:
            yield read_labels(Path(section.files[number % len(section.files)]), info)
        else:
            yield teach(game, teacher, section.games, derive(seed, "lesson", number), section.noise)
        number += 1


def study(learner: Learner, section: TeacherSection, game: Game, seed: int, say: Callable[[str], None]) -> None:
    """Clone a teacher, and start the average and the optimizer anew from there."""
    advisor = make_advisor(learner.section.advice, GameInfo.of(game))
    for group in learner.optimizer.param_groups:
        group["lr"] = section.learning_rate
    done, right = 0, 0.0
    for labels in lessons_of(section, game, seed):
        choices = choices_of(labels, advisor, game.num_actions, section.softness, learner.device)
        right = learner.clone(choices, labels.results, section.minibatch)
        done += int(learner.team.agree(len(labels), least=True)) * learner.team.size
        if done >= section.decisions:
            break
    say(f"Learned from {done:,} decisions of a teacher; {right:.0%} of its choices predicted.")
    learner.averaged.load_state_dict(learner.network.state_dict())
    learner.optimizer.state.clear()


def choices_of(
    labels: Labels, advisor: Agent | None, num_actions: int, softness: float, device: torch.device
) -> Choices:
    """Return labels as a network needs them; a share of each target goes to all legal ids alike."""
    advised = None
    if advisor is not None:
        chosen = advisor.act_batch(labels.observations.numpy(), labels.masks(num_actions))
        advised = torch.from_numpy(chosen).to(device)
    even = 1.0 / labels.counts[owners(labels.counts)]
    targets = (1 - softness) * labels.targets + softness * even
    first = functional.pad(labels.counts.cumsum(0), (1, 0))
    return Choices(
        labels.observations.to(device), advised, first.to(device), labels.actions.to(device), targets.to(device)
    )


# --- 4. a run


def learn(config: LearnConfig, game: Game, console: Console, *, resume: bool = False) -> Path | None:
    """Train a General, or resume its training.

    Args:
        config: how.
        game: what it plays.
        console: where progress is shown.
        resume: resume the latest run in `config.folder` instead of starting a new one.

    Returns:
        The finished General's checkpoint; None if training was stopped by Ctrl-C and can be resumed.

    Raises:
        ValueError: there is no run to resume, none of its checkpoints is intact, something does not fit the
            configuration, or another process uses its folder.
        OSError: a checkpoint cannot be written; the run can be resumed from the one before.
    """
    team = Team.join(find_device(config.learn.device))
    folder = Path(team.share(str(open_folder(config.folder, resume=resume)) if team.rank == 0 else ""))
    if team.rank > 0:
        return learn_in(folder, config, game, PlainConsole(quiet=True), team, resume=resume)
    with locked(folder):
        for place in (folder, folder / "checkpoints"):
            remove_leftovers(place)
        return learn_in(folder, config, game, console, team, resume=resume)


def make_learner(config: LearnConfig, game: Game, team: Team) -> Learner:
    """Return a fresh learner, or one with the weights of the checkpoint that the configuration names."""
    info = GameInfo.of(game)
    torch.manual_seed(config.seed)
    network = load_start(config, info) if config.learn.start else make_network(info, sizes_of(config))
    return Learner(network, config.learn, team)


def learn_in(
    folder: Path, config: LearnConfig, game: Game, console: Console, team: Team, *, resume: bool
) -> Path | None:
    """Train in a folder that no other run uses; arguments, result and errors as for `learn`."""
    say = functools.partial(console.print, soft_wrap=True, highlight=False, markup=False, emoji=False)
    section, finished = config.learn, folder / CHECKPOINT
    if finished.exists() and is_intact(finished, say):
        say(f"Training in {folder} is complete.")
        return finished
    torch.set_num_threads(section.threads)
    learner = make_learner(config, game, team)
    checkpoints = CheckpointFolder(folder / "checkpoints", config.checkpoints.keep)
    clock = Clock(section.decisions, section.max_minutes)
    path = checkpoints.latest_intact(say) if resume else None
    if path is not None:
        clock.start(restore_learner(path, learner, config, game))
        say(f"Resuming from {path}: {learner.decisions:,} decisions, {clock.minutes:.1f} minutes.")
        checkpoints.prune(path)
    else:
        clock.start(0.0)
        if config.teacher is not None:
            study(learner, config.teacher, game, derive(config.seed, "study", team.rank), say)
    if not improve(learner, config, game, console, clock, checkpoints):
        say(f"Stopped after {learner.decisions:,} decisions. The same command with --resume resumes.")
        return None
    if team.rank == 0:
        save_general(finished, learner, config, game, clock.minutes)
        say(f"Trained for {clock.minutes:.1f} minutes, {learner.decisions:,} decisions: {finished}")
    return finished


def improve(
    learner: Learner, config: LearnConfig, game: Game, console: Console, clock: Clock, checkpoints: CheckpointFolder
) -> bool:
    """Play and learn until the clock is up; return False if training was stopped before."""
    section, team = config.learn, learner.team
    seed = derive(config.seed, "games", team.rank, learner.decisions)
    torch.manual_seed(seed)
    games = SelfPlay(game, section, seed, make_potential(game, config.shaping))
    curve = Curve(checkpoints.folder.parent, config, game, console, learner.decisions) if team.rank == 0 else None
    saved, stop = learner.decisions, SoftStop()
    with TrainingProgress(console) as progress, stop.listening():
        while True:
            clock.done = learner.decisions
            fraction = team.agree(clock.fraction)
            is_over = fraction >= 1 or bool(team.agree(float(stop.asked)))
            if curve is not None:
                curve.follow(learner, clock.minutes, now=is_over)
                if is_over or learner.decisions - saved >= config.checkpoints.every:
                    save_learner(checkpoints, learner, config, game, clock.minutes)
                    saved = learner.decisions
            if is_over:
                return fraction >= 1
            shaping = max(0.0, 1 - fraction / section.shaping_until) if section.shaping_until else 0.0
            played = games.play(learner.network)
            said = learner.update(played, look_back(played, section, shaping), fraction)
            learner.decisions += len(played.drawn) * team.size
            if curve is not None:
                curve.note(learner.decisions, said)
                told = ", ".join(f"{name} {value:.3g}" for name, value in said.items())
                progress.show(fraction, f"{learner.decisions:,} decisions, {curve.latest}{told}")
