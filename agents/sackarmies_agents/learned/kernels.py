"""CPU kernels of networks, for what would take many passes over large arrays as torch operations.

`fused.py` wraps them as torch functions with gradients.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit


@njit
def encode(rows, columns, weights, out):
    """Sum the table entries of each row's codes, and its numbers times weights; numbers of 0, as most are, are skipped.

    Args:
        rows: (n, features) int8.
        columns: see `Columns`.
        weights: table, numbers and bias, see `fused.sum_features`.
        out: (n, width) float32, overwritten.
    """
    for i in range(len(rows)):
        encode_row(rows[i], columns, weights, out[i])


@njit
def encode_row(row, columns, weights, total):
    """Encode one row (features,) int8 into `total` (width,) float32, see `encode`."""
    coded, starts, plain, scale, limit = columns
    table, numbers, bias = weights
    for j in range(len(total)):
        total[j] = bias[j]
    for c in range(len(coded)):
        entry = table[starts[c] + np.int64(row[coded[c]])]
        for j in range(len(total)):
            total[j] += entry[j]
    for c in range(len(plain)):
        if row[plain[c]] != 0:
            number = min(max(np.float32(row[plain[c]]) * scale[c], -limit), limit)
            weight = numbers[c]
            for j in range(len(total)):
                total[j] += number * weight[j]


@njit
def encode_backward(rows, columns, grad, found):
    """Add the gradients of the weights of `encode` to `found`; `grad` (n, width) float32 is the gradient of `out`."""
    coded, starts, plain, scale, limit = columns
    table, numbers, bias = found
    for i in range(len(rows)):
        row, given = rows[i], grad[i]
        for j in range(len(given)):
            bias[j] += given[j]
        for c in range(len(coded)):
            entry = table[starts[c] + np.int64(row[coded[c]])]
            for j in range(len(given)):
                entry[j] += given[j]
        for c in range(len(plain)):
            if row[plain[c]] != 0:
                number = min(max(np.float32(row[plain[c]]) * scale[c], -limit), limit)
                weight = numbers[c]
                for j in range(len(given)):
                    weight[j] += number * given[j]


@njit(inlined=True)
def distance_between(q, r, other_q, other_r, farthest):
    """Return the distance between two hexes, capped at `farthest`."""
    dq, dr = np.int64(q) - np.int64(other_q), np.int64(r) - np.int64(other_r)
    return min(max(abs(dq), abs(dr), abs(dq + dr)), np.int64(farthest))


@njit
def hear(places, weights, out):
    """Sum the messages of a game's tokens to each of its hexes, changed by their distance and by a question.

    Args:
        places: see `Places`.
        weights: see `Words`.
        out: (k, width) float32, overwritten.
    """
    first, q, r, game, place_q, place_r = places
    said, gain, shift, question = weights
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
def hear_backward(places, weights, grad, found):
    """Add the gradients of `weights` to `found`; `grad` (k, width) float32 is that of `out`; the rest as in `hear`."""
    first, q, r, game, place_q, place_r = places
    said, gain, shift, question = weights
    grad_said, grad_gain, grad_shift, grad_question = found
    for i in range(len(game)):
        if game[i] < 0:
            continue
        asked, given, to_asked = question[game[i]], grad[i], grad_question[game[i]]
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
