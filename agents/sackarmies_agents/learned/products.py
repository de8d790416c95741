"""Linear algebra kernels on single vectors, for the forward pass of one position.

Matrices are stored (inputs, outputs), so that inner loops run over outputs and become vector instructions without
changing the order of any sum. Inputs of 0 are skipped: most groups of tokens are empty, and a ReLU lets half through.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit

ZERO = np.float32(0.0)
LARGEST = np.float32(np.finfo(np.float32).max)


@njit
def multiply(inputs, matrix, first, filled, out):
    """Apply a linear layer to a vector.

    Args:
        inputs: (k,) float32.
        matrix: (rows, width) float32, of several layers: for each its bias, then the weights of each input.
        first: row of the layer's bias.
        filled: (at least k,) int64, scratch.
        out: (width,) float32, overwritten.
    """
    bias = matrix[first]
    for j in range(len(out)):
        out[j] = bias[j]
    add_product(inputs, matrix, first + 1, filled, out)


@njit
def add_product(inputs, matrix, first, filled, out):
    """Add `inputs` times rows of `matrix` to `out`, see `multiply`; four rows at a time, to write sums less often."""
    count = np.int64(0)
    for i in range(len(inputs)):
        filled[count] = i
        count += np.int64(inputs[i] != ZERO)
    by_fours = count - count % 4
    for place in range(0, by_fours, 4):
        a, b, c, d = filled[place], filled[place + 1], filled[place + 2], filled[place + 3]
        times_a, times_b, times_c, times_d = inputs[a], inputs[b], inputs[c], inputs[d]
        row_a, row_b, row_c, row_d = matrix[first + a], matrix[first + b], matrix[first + c], matrix[first + d]
        for j in range(len(out)):
            out[j] += (times_a * row_a[j] + times_b * row_b[j]) + (times_c * row_c[j] + times_d * row_d[j])
    for place in range(by_fours, count):
        times, row = inputs[filled[place]], matrix[first + filled[place]]
        for j in range(len(out)):
            out[j] += times * row[j]


@njit
def dot(one, other):
    """Return the dot product of two vectors (k,), computed as four independent partial sums."""
    a, b, c, d = ZERO, ZERO, ZERO, ZERO
    by_fours = len(one) - len(one) % 4
    for j in range(0, by_fours, 4):
        a += one[j] * other[j]
        b += one[j + 1] * other[j + 1]
        c += one[j + 2] * other[j + 2]
        d += one[j + 3] * other[j + 3]
    for j in range(by_fours, len(one)):
        a += one[j] * other[j]
    return (a + b) + (c + d)


@njit
def add(vector, out):
    """Add `vector` to `out`, in place."""
    for j in range(len(out)):
        out[j] += vector[j]


@njit
def rectify(vector):
    """Replace negative numbers with 0, in place."""
    for j in range(len(vector)):
        vector[j] = ZERO if vector[j] < ZERO else vector[j]


@njit
def bounded(number):
    """Return a finite number: 0 for NaN, the largest finite numbers for infinities."""
    if np.isnan(number):
        return ZERO
    return min(max(number, -LARGEST), LARGEST)
