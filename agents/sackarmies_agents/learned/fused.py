"""Torch functions built on the kernels of networks; on devices other than a CPU, torch operations do the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sackarmies_agents.learned.kernels import encode, encode_backward, hear, hear_backward
from sackarmies_env.core.jit import INTERPRETED


class Columns(NamedTuple):
    """The columns of features in a row.

    Attributes:
        coded: `(codes,)` int64, columns of codes.
        starts: `(codes,)` int64, where the weights for code 0 of each begin.
        plain: `(numbers,)` int64, columns of numbers.
        scale: `(numbers,)` float32, factors of the numbers.
        limit: scaled numbers are clipped to plus or minus this.
    """

    coded: Tensor
    starts: Tensor
    plain: Tensor
    scale: Tensor
    limit: float


class Places(NamedTuple):
    """Tokens on boards, and the ids to which they send messages.

    Attributes:
        first: `(n + 1,)` int64, where the tokens of each game begin.
        q: `(tokens,)` int8, coordinate of each token, with `r`.
        r: see `q`.
        game: `(k,)` int64, the game of each id; -1 for ids that are not hexes, where nothing is heard.
        place_q: `(k,)` int64, coordinate of each id, with `place_r`.
        place_r: see `place_q`.
    """

    first: Tensor
    q: Tensor
    r: Tensor
    game: Tensor
    place_q: Tensor
    place_r: Tensor


class Words(NamedTuple):
    """Messages, and how they are changed.

    Attributes:
        said: `(tokens, width)`, message of each token.
        gain: `(distances, width)`, factors of messages, by distance; the last one for all greater distances.
        shift: `(distances, width)`, added to messages, likewise.
        question: `(n, width)`, added to messages, by game.
    """

    said: Tensor
    gain: Tensor
    shift: Tensor
    question: Tensor


def sum_features(rows: Tensor, columns: Columns, table: Tensor, numbers: Tensor, bias: Tensor) -> Tensor:
    """Return the table entries of codes plus numbers times weights, `(n, width)`.

    Args:
        rows: `(n, features)` int8.
        columns: what the features are.
        table: `(codes, width)`.
        numbers: `(numbers, width)`.
        bias: `(width,)`.
    """
    if _runs_kernels(rows):
        found: Tensor = _Encode.apply(rows, columns, table, numbers, bias)  # type: ignore[no-untyped-call]
        return found
    plain = (rows[:, columns.plain] * columns.scale).clamp(-columns.limit, columns.limit)
    vectors = torch.nn.functional.linear(plain, numbers.T, bias)
    if len(columns.coded):
        codes = rows[:, columns.coded].long() + columns.starts
        vectors = vectors + torch.nn.functional.embedding_bag(codes, table, mode="sum")
    return vectors


def sum_messages(places: Places, words: Words) -> Tensor:
    """Return the sum of relu(said * gain + shift + question) over the tokens in the game of each id, `(k, width)`."""
    if _runs_kernels(words.said):
        found: Tensor = _Hear.apply(places, *words)  # type: ignore[no-untyped-call] # torch gives it no types
        return found
    first, game = places.first, places.game
    number = torch.where(game >= 0, (first[1:] - first[:-1])[game], 0)
    hearer = torch.repeat_interleave(torch.arange(len(number), device=number.device), number)
    first_speaker = first[:-1][game] - (number.cumsum(0) - number)
    speaker = torch.arange(len(hearer), device=number.device) + first_speaker[hearer]
    q = places.q.long()[speaker] - places.place_q[hearer]
    r = places.r.long()[speaker] - places.place_r[hearer]
    distance = torch.maximum(torch.maximum(q.abs(), r.abs()), (q + r).abs()).clamp(max=len(words.gain) - 1)
    messages = words.said[speaker] * words.gain[distance] + words.shift[distance] + words.question[game[hearer]]
    out = torch.zeros((len(game), messages.shape[1]), dtype=messages.dtype, device=messages.device)
    return out.index_add(0, hearer, torch.relu(messages))


def _runs_kernels(tensor: Tensor) -> bool:
    return tensor.device.type == "cpu" and not INTERPRETED


def _arrays(*tensors: Tensor) -> tuple[NDArray[Any], ...]:
    """Return tensors as arrays, floats as float32; contiguous ones of the right type share their memory."""
    wanted = (tensor.float() if tensor.is_floating_point() else tensor for tensor in tensors)
    return tuple(tensor.detach().contiguous().numpy() for tensor in wanted)


class _Encode(torch.autograd.Function):
    """`sum_features` by kernels."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, columns: Columns, *weights: Tensor) -> Tensor:
        ctx.rows = _arrays(rows)[0]
        ctx.columns = (*_arrays(*columns[:4]), np.float32(columns.limit))
        ctx.shapes = [weight.shape for weight in weights]
        out = torch.empty((len(rows), weights[0].shape[1]))
        encode(ctx.rows, ctx.columns, _arrays(*weights), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        found = [torch.zeros(shape) for shape in ctx.shapes]
        encode_backward(ctx.rows, ctx.columns, *_arrays(*grads), _arrays(*found))
        return None, None, *found


class _Hear(torch.autograd.Function):
    """`sum_messages` by kernels."""

    @staticmethod
    def forward(ctx: Any, places: Places, *words: Tensor) -> Tensor:
        ctx.places = _arrays(*places)
        ctx.words = _arrays(*words)
        ctx.kinds = [word.dtype for word in words]
        out = torch.empty((len(places.game), words[0].shape[1]))
        hear(ctx.places, ctx.words, out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        found = [torch.zeros(word.shape) for word in ctx.words]
        hear_backward(ctx.places, ctx.words, *_arrays(*grads), _arrays(*found))
        return None, *(one.to(kind) for one, kind in zip(found, ctx.kinds, strict=True))
