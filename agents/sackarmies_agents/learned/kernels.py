"""Kernels of networks on a CPU: what would take many passes over large arrays with the operations of torch.

Each pair, forward and backward, is wrapped as a function of torch that knows its gradient. The same functions written
in operations of torch, for other devices, stand where they are used; tests compare both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sackarmies_env.core.jit import INTERPRETED, njit

cast_to_float = torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
cast_back = torch.amp.custom_bwd(device_type="cpu")


def are_usable(tensor: Tensor) -> bool:
    """Return whether the kernels can work on a tensor: on a CPU, compiled."""
    return tensor.device.type == "cpu" and not INTERPRETED


def arrays(*tensors: Tensor) -> list[NDArray[Any]]:
    """Return tensors as arrays that share their memory."""
    return [tensor.detach().contiguous().numpy() for tensor in tensors]


# --- rows of features


@njit
def encode(rows, coded, starts, table, plain, scale, limit, weights, bias, out):
    """Sum up what each row's codes look up, and its numbers times their weights; most numbers are 0, and passed over.

    Args:
        rows: (n, features) int8.
        coded: (codes,) int64, columns of codes.
        starts: (codes,) int64, where the rows of `table` for code 0 of each begin.
        table: (entries, width) float32.
        plain: (numbers,) int64, columns of numbers.
        scale: (numbers,) float32, factors of the numbers.
        limit: numbers are clipped here after scaling.
        weights: (numbers, width) float32.
        bias: (width,) float32.
        out: (n, width) float32, overwritten.
    """
    for i in range(len(rows)):
        row, total = rows[i], out[i]
        for j in range(len(total)):
            total[j] = bias[j]
        for c in range(len(coded)):
            entry = table[starts[c] + np.int64(row[coded[c]])]
            for j in range(len(total)):
                total[j] += entry[j]
        for c in range(len(plain)):
            if row[plain[c]] != 0:
                number = min(max(np.float32(row[plain[c]]) * scale[c], -limit), limit)
                weight = weights[c]
                for j in range(len(total)):
                    total[j] += number * weight[j]


@njit
def encode_backward(rows, coded, starts, plain, scale, limit, grad, grad_table, grad_weights, grad_bias):
    """Add up the gradients of `encode`; arguments as there, `grad` is that of `out`, and the rest is added to."""
    for i in range(len(rows)):
        row, given = rows[i], grad[i]
        for j in range(len(given)):
            grad_bias[j] += given[j]
        for c in range(len(coded)):
            entry = grad_table[starts[c] + np.int64(row[coded[c]])]
            for j in range(len(given)):
                entry[j] += given[j]
        for c in range(len(plain)):
            if row[plain[c]] != 0:
                number = min(max(np.float32(row[plain[c]]) * scale[c], -limit), limit)
                weight = grad_weights[c]
                for j in range(len(given)):
                    weight[j] += number * given[j]


class Encode(torch.autograd.Function):
    """`encode` as a function of the table of codes and of the weights `(width, numbers)` and biases of numbers."""

    @staticmethod
    @cast_to_float
    def forward(ctx: Any, table: Tensor, weights: Tensor, bias: Tensor, columns: Any, limit: float) -> Tensor:
        """Return vectors `(n, width)`; `columns` are `rows`, `coded`, `starts`, `plain` and `scale`."""
        rows, coded, starts, plain, scale = ctx.columns = arrays(*columns)
        ctx.limit = np.float32(limit)
        ctx.shapes = table.shape, weights.T.shape
        out = torch.empty((len(rows), len(bias)))
        given = arrays(table, weights.T, bias)
        encode(rows, coded, starts, given[0], plain, scale, ctx.limit, given[1], given[2], out.numpy())
        return out

    @staticmethod
    @cast_back
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:  # type: ignore[override]
        """Return the gradients."""
        rows, coded, starts, plain, scale = ctx.columns
        table, weights = (torch.zeros(shape) for shape in ctx.shapes)
        bias = torch.zeros(grad.shape[1])
        found = arrays(table, weights, bias)
        encode_backward(rows, coded, starts, plain, scale, ctx.limit, *arrays(grad), *found)
        return table, weights.T, bias, None, None


# --- messages of tokens to hexes


@njit(inlined=True)
def distance_between(q, r, other_q, other_r, farthest):
    """Return the distance of two hexes, at most `farthest`."""
    dq, dr = np.int64(q) - np.int64(other_q), np.int64(r) - np.int64(other_r)
    return min(max(abs(dq), abs(dr), abs(dq + dr)), np.int64(farthest))


@njit
def hear(first, q, r, game, place_q, place_r, said, gain, shift, question, out):
    """Sum up messages of the tokens of a game to each of its hexes, changed by their distance and by a question.

    Args:
        first: (n + 1,) int64, where the tokens of each game begin.
        q: (tokens,) int8, and `r`: where they stand.
        r: see `q`.
        game: (k,) int64, the game of each hex; -1 where nothing is to be heard.
        place_q: (k,) int64, and `place_r`: where it lies.
        place_r: see `place_q`.
        said: (tokens, width) float32.
        gain: (distances, width) float32, factors of what is said.
        shift: (distances, width) float32, added to it.
        question: (n, width) float32, added to it.
        out: (k, width) float32, overwritten.
    """
    for i in range(len(game)):
        total = out[i]
        for j in range(len(total)):
            total[j] = np.float32(0.0)
        if game[i] < 0:
            continue
        asked = question[game[i]]
        for token in range(first[game[i]], first[game[i] + 1]):
            d = distance_between(q[token], r[token], place_q[i], place_r[i], len(gain) - 1)
            word, factor, summand = said[token], gain[d], shift[d]
            for j in range(len(total)):
                message = word[j] * factor[j] + summand[j] + asked[j]
                total[j] += message if message > np.float32(0.0) else np.float32(0.0)


@njit
def hear_backward(
    first, q, r, game, place_q, place_r, said, gain, shift, question, grad, grad_said, grad_gain, grad_shift, grad_asked
):  # noqa: PLR0917 - arrays are handed on one by one
    """Add up the gradients of `hear`; arguments as there, `grad` is that of `out`, and the last four are added to."""
    for i in range(len(game)):
        if game[i] < 0:
            continue
        asked, given, to_asked = question[game[i]], grad[i], grad_asked[game[i]]
        for token in range(first[game[i]], first[game[i] + 1]):
            d = distance_between(q[token], r[token], place_q[i], place_r[i], len(gain) - 1)
            word, factor, summand = said[token], gain[d], shift[d]
            to_word, to_factor, to_summand = grad_said[token], grad_gain[d], grad_shift[d]
            for j in range(len(given)):
                message = word[j] * factor[j] + summand[j] + asked[j]
                part = given[j] if message > np.float32(0.0) else np.float32(0.0)
                to_word[j] += part * factor[j]
                to_factor[j] += part * word[j]
                to_summand[j] += part
                to_asked[j] += part


class Hear(torch.autograd.Function):
    """`hear` as a function of what is said, gains, shifts and questions."""

    @staticmethod
    @cast_to_float
    def forward(ctx: Any, said: Tensor, gain: Tensor, shift: Tensor, question: Tensor, places: Any) -> Tensor:
        """Return what is heard, `(k, width)`; `places` are the first six arguments of `hear`."""
        ctx.places = arrays(*places)
        ctx.save_for_backward(said, gain, shift, question)
        out = torch.empty((len(ctx.places[3]), said.shape[1]))
        hear(*ctx.places, *arrays(said, gain, shift, question), out.numpy())
        return out

    @staticmethod
    @cast_back
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, None]:  # type: ignore[override]
        """Return the gradients."""
        given = ctx.saved_tensors
        said, gain, shift, question = (torch.zeros(tensor.shape) for tensor in given)
        found = arrays(said, gain, shift, question)
        hear_backward(*ctx.places, *arrays(*given, grad), *found)
        return said, gain, shift, question, None
