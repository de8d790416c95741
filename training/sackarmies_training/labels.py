"""Labels: decisions with a teacher's choices and the results of the games; a network is cloned from them.

A label file is a safetensors file like a checkpoint, with the part `labels`. For `k` decisions with `m` legal ids in
all it holds

- `observations` `(k, size)` int8, compressed with zlib to uint8 bytes: a twentieth of the size,
- `counts` `(k,)` int64, the number of legal ids of each decision,
- `actions` `(m,)` int64, these ids, one decision after another, ascending within each,
- `targets` `(m,)` float32, the probability that the teacher gives to each id; they add up to 1 for each decision,
- `results` `(k,)` int64, how the game ended for the current player: `WIN`, `DRAW` or `LOSS`,
- `gains` `(m, h)` float32, how much each id raises or lowers the player's return, one column for each number of turns
  played on: the last column counts, the others are less noisy but less true; 0 where the teacher does not say,
- `compared` `(m,)` bool, whether the teacher says what an id gains.

A search compares some of the ids, and writes the softmax of their gains as targets. The choice of a scripted agent
has target 1, and so has the choice of the playing agent where a search would find nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sackarmies_agents.agent import Agent, GameInfo, check_plays_many
from sackarmies_agents.conduct import ask
from sackarmies_agents.layout import describe
from sackarmies_agents.learned.checkpoint import Checkpoint, Header, pack, read_checkpoint
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_agents.learned.tensors import arrays_of, tensors_of
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_env.core.safe_read import MAX_CHECKPOINT, named
from sackarmies_env.core.step_batch import Ending
from sackarmies_training.seeds import derive

PART = "labels"
WIN, DRAW, LOSS = 0, 1, 2
KINDS = {  # in a file
    "observations": torch.uint8,
    "counts": torch.int64,
    "actions": torch.int64,
    "targets": torch.float32,
    "results": torch.int64,
    "gains": torch.float32,
    "compared": torch.bool,
}
SUM_ERROR = 1e-3  # of the targets of a decision
LEVEL = 1  # of compression; higher levels cost more time than they save


@dataclass(frozen=True)
class Labels:
    """Labels of decisions; the fields are those of a file (see the module), with observations uncompressed."""

    observations: Tensor
    counts: Tensor
    actions: Tensor
    targets: Tensor
    results: Tensor
    gains: Tensor
    compared: Tensor

    def __len__(self) -> int:
        return len(self.counts)

    def masks(self, num_actions: int) -> NDArray[np.int8]:
        """Return the legal ids as masks, `(k, num_actions)`."""
        masks = np.zeros((len(self), num_actions), np.int8)
        masks[np.repeat(np.arange(len(self)), self.counts.numpy()), self.actions.numpy()] = 1
        return masks


def joined(parts: Sequence[Labels]) -> Labels:
    """Concatenate labels."""
    return Labels(*(torch.cat([getattr(part, name) for part in parts]) for name in KINDS))


def most_labels(info: GameInfo) -> int:
    """Return how many labels a file can hold: uncompressed, their observations may take at most 1 GiB."""
    return MAX_CHECKPOINT // info.observation_spec.size


def write_labels(path: Path, labels: Labels, info: GameInfo, origin: str) -> None:
    """Write labels to a file.

    Args:
        path: the file.
        labels: at most `most_labels`: some 180,000 for Sack Armies.
        info: the game.
        origin: the teacher, such as the text form of an agent.

    Raises:
        ValueError: there are too many for one file.
        OSError: the file cannot be written; an existing one is kept.
    """
    if labels.observations.nbytes > MAX_CHECKPOINT:
        raise ValueError(
            f"{len(labels)} labels are too many for one file: their observations have {labels.observations.nbytes} "
            f"bytes, at most {MAX_CHECKPOINT} are allowed"
        )
    header = Header(describe(info), NetworkSizes(), {"origin": origin})
    arrays = arrays_of(vars(labels)) | {"observations": _compressed(labels.observations)}
    write_safely(path, pack(header, {PART: arrays}))


def read_labels(path: Path, info: GameInfo) -> Labels:
    """Read a file of labels.

    Raises:
        ValueError: the file is missing or damaged, or its labels are of another game or inconsistent.
    """
    tensors = label_tensors(path, info)
    shape = tensors["results"].numel(), info.observation_spec.size
    labels = Labels(**tensors | {"observations": _expanded(tensors["observations"], shape, path)})
    fault = _fault_of(labels, info)
    if fault:
        raise ValueError(f"the labels in {named(path)} are damaged: {fault}")
    return labels


def label_tensors(path: Path, info: GameInfo) -> dict[str, Tensor]:
    """Read the tensors of a file of labels as they are stored: the observations are compressed, nothing is compared.

    Raises:
        ValueError: the file is missing or damaged, or its labels are of another game or of an earlier version.
    """
    checkpoint = read_checkpoint(path)
    if checkpoint.header.game != describe(info):
        raise ValueError(f"the labels in {named(path)} are of another game or another version of it")
    return _checked_tensors(checkpoint)


def _compressed(observations: Tensor) -> NDArray[np.uint8]:
    return np.frombuffer(zlib.compress(observations.numpy().tobytes(), LEVEL), np.uint8)


def _expanded(content: Tensor, shape: tuple[int, int], path: Path) -> Tensor:
    """Decompress observations, using no more memory than their shape needs.

    Raises:
        ValueError: they are damaged, or not of this shape.
    """
    size, stream = shape[0] * shape[1], zlib.decompressobj()
    try:
        found = bytearray(stream.decompress(content.numpy().tobytes(), min(size, MAX_CHECKPOINT) + 1))
    except zlib.error as error:
        raise ValueError(f"the labels in {named(path)} are damaged: observations cannot be expanded, {error}") from None
    if len(found) != size or not stream.eof:
        raise ValueError(f"the labels in {named(path)} are damaged: observations are not of shape {shape}")
    return torch.frombuffer(found, dtype=torch.int8).reshape(shape) if size else torch.zeros(shape, dtype=torch.int8)


def _checked_tensors(checkpoint: Checkpoint) -> dict[str, Tensor]:
    tensors = tensors_of(checkpoint.part(PART))
    if "observations" in tensors and tensors["observations"].dtype == torch.int8:
        raise ValueError(f"the labels in {named(checkpoint.path)} are of an earlier version: make them again")
    for name, kind in KINDS.items():
        if name not in tensors or tensors[name].dtype != kind:
            raise ValueError(f"the labels in {named(checkpoint.path)} lack {name!r} of kind {kind}")
    return {name: tensors[name] for name in KINDS}


def _fault_of(labels: Labels, info: GameInfo) -> str:
    """Return what is inconsistent in labels; "" if nothing is."""
    k, m = labels.results.numel(), labels.targets.numel()
    if (
        labels.results.shape != (k,)
        or labels.counts.shape != (k,)
        or labels.actions.shape != (m,)
        or labels.targets.shape != (m,)
        or labels.gains.dim() != 2
        or (len(labels.gains), labels.gains.numel() > 0) != (m, m > 0)
        or labels.compared.shape != (m,)
    ):
        return "tensors do not have matching lengths"
    if k and (labels.counts.min() < 1 or labels.counts.max() > info.num_actions or int(labels.counts.sum()) != m):
        return "counts do not add up to the number of actions"
    if m and (labels.actions.min() < 0 or labels.actions.max() >= info.num_actions):
        return f"actions are not from 0 to {info.num_actions - 1}"
    row = torch.repeat_interleave(torch.arange(k), labels.counts)
    place = row * info.num_actions + labels.actions
    if (place[1:] <= place[:-1]).any():
        return "actions of a decision do not increase"
    total = torch.zeros(k).index_add(0, row, labels.targets)
    if not (labels.targets >= 0).all() or not ((total - 1).abs() <= SUM_ERROR).all():
        return "targets are not probabilities"
    if not torch.isfinite(labels.gains).all():
        return "gains are not finite"
    if k and (labels.results.min() < WIN or labels.results.max() > LOSS):
        return f"results are not from {WIN} to {LOSS}"
    low, high = info.observation_spec.low, info.observation_spec.high
    seen = labels.observations.numpy()  # by column: NumPy takes a fifteenth of the time of comparing all numbers
    if k and ((seen.min(axis=0) < low).any() or (seen.max(axis=0) > high).any()):
        return "observations hold numbers outside their bounds"
    return ""


def results_of(
    returns: NDArray[np.float32], terminations: NDArray[np.float32], were_out: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return how games ended for each seat: WIN, DRAW or LOSS.

    The seats that earned the most share the first place. Those that were eliminated before the game ended lose, even if
    they earned as much as others.

    Args:
        returns: `(n, players)`, as in `Batch`.
        terminations: `(n, players)`, as in `Batch`.
        were_out: `(n, players)`, whether seats were eliminated before the last action of the game.

    Returns:
        `(n, players)`. In a game that goes on, LOSS for the seats that are out; the others mean nothing.
    """
    is_best = (returns == returns.max(axis=1, keepdims=True)) & ~were_out
    is_in = is_best & (terminations == 0)
    is_first = np.where(is_in.any(axis=1, keepdims=True), is_in, is_best)
    is_shared = is_first.sum(axis=1, keepdims=True) > 1
    return np.where(is_first, np.where(is_shared, DRAW, WIN), LOSS).astype(np.int64)


def teach(game: Game, teacher: Agent, games: int, seed: int, noise: float) -> Labels:
    """Have a teacher play all seats of some games to their ends, and return its choices as labels.

    Args:
        game: the game to play.
        teacher: must share batches, since this one instance plays all seats.
        games: number of games, played side by side.
        seed: seed of the games and of the noise.
        noise: share of actions that are random instead of the teacher's, so that more positions are seen.

    Raises:
        ValueError: the teacher is informed, or keeps state between decisions.
        Misconduct: it raised an exception, or did not answer with integers.
    """
    check_plays_many(teacher, f"{type(teacher).__name__} cannot teach")
    # No reset: the scripted agent breaks ties by its seed, and a teacher must break them as the learner's advisor does.
    rng = np.random.default_rng(seed)
    random = RandomAgent(derive(seed, "noise"))
    batch = Batch(game, games, restarts=False)
    batch.reset(rng.integers(2**62, size=games))
    running, were_out = np.arange(games), np.zeros((games, game.num_players), np.bool_)
    seen, legal, chosen, places = [], [], [], []
    while len(running):
        seen.append(batch.observations[running])
        legal.append(np.packbits(batch.action_masks[running] != 0, axis=1))
        wanted = ask(teacher, seen[-1], batch.action_masks[running])
        chosen.append(wanted)
        places.append(np.stack([running, batch.players[running]]))
        at_random = random.act_batch(seen[-1], batch.action_masks[running])
        were_out[running] = batch.terminations[running] != 0
        batch.step(np.where(rng.random(len(running)) < noise, at_random, wanted), running)
        running = running[batch.ended[running] == Ending.RUNNING]
    rows, seats = np.concatenate(places, axis=1)
    masks = np.unpackbits(np.concatenate(legal), axis=1, count=game.num_actions)
    decisions, actions = masks.nonzero()
    targets = (actions == np.concatenate(chosen)[decisions]).astype(np.float32)
    found = (
        np.concatenate(seen),
        masks.sum(axis=1, dtype=np.int64),
        actions.astype(np.int64),
        targets,
        results_of(batch.returns, batch.terminations, were_out)[rows, seats],
        np.zeros((len(targets), 1), np.float32),
        np.zeros(len(targets), np.bool_),
    )
    return Labels(*map(torch.from_numpy, found))
