"""Weights of `BoardNetwork` in the layout that the kernel of its forward pass reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.learned.board_form import FLAT_BLOCKS, NUM_GROUPS, NUM_POINTED, NUM_VERBS, BoardForm
from sackarmies_agents.learned.feature_columns import LIMIT, FeatureColumns
from sackarmies_agents.learned.sizes import REASONS, WORTHS, NetworkSizes
from sackarmies_agents.learned.worth_scales import FEATURES, SUMMARY
from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS
from sackarmies_env.core.state import alloc

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
Columns = tuple[Integers, Integers, Integers, Floats, np.float32]  # see `fused.Columns`


# Columns of the block `tokens` that say where a token lies.
TOKEN_COLUMNS = ("place", "q", "r", "kind", "controller", "slot", "type_low", "type_high")
SIZES = (
    *("num_actions", "first_slot", "first_hex"),  # see `BoardForm`
    *("tokens_first", "tokens_end", "num_features"),  # of the block `tokens` in an observation, and of a token
)
# The first row of the weights of each part of a network in the matrices of a `Model`. A linear layer begins with its
# bias; where bias and weights are needed separately, each has a name.
ROWS = (
    *("flat_codes", "flat_numbers", "flat_bias"),  # of all flat blocks; the bias includes that of the summary
    *("summary", "context", "patch", "heard"),
    *("scale", "shift"),  # the first and the second half of the gate
    *("direct", "score", "trust"),  # a row per id; one row, of the last score (others only help learning); one row
    *("advised_number", "worth_kind", "worth_features", "worth_scale", "worth_shift"),  # kinds with the features' bias
    *("parts", "actor", "goal"),  # of reasons; actor and goal, the plans, have no bias
    *("token_numbers", "token_bias", "notes"),  # in `of_token`, after the codes
    *("mark", "pointer_mark", "advised_mark"),  # in `of_mark`
    *("message", "question", "gain", "shift_by_distance"),  # in `of_message`
)
FORM = np.dtype(
    [
        *((name, np.int64) for name in (*SIZES, *(f"column_{name}" for name in TOKEN_COLUMNS), *ROWS)),
        *((name, np.float32) for name in ("score_bias", "trust_bias", "loss")),
    ],
    align=True,
)


class Model(NamedTuple):
    """A `BoardNetwork` for the kernel. Each array costs time in every call, so weights of equal width share one.

    Attributes:
        form: `(1,)` FORM.
        hex_id: see `BoardForm`, like `around`, `hex_q` and `hex_r`.
        around: see `hex_id`.
        hex_q: see `hex_id`.
        hex_r: see `hex_id`.
        pointed: `(NUM_POINTED, 2)`, indices in an observation, of coordinates or of the digits of a type.
        token: features of a token.
        flat: features of the observation in flat blocks.
        wide: `(rows, hidden)`.
        of_token: `(rows, token)`.
        of_mark: `(rows, mark)`.
        of_message: `(rows, message)`.
        of_value: `(hidden + 1, hidden // 2)`, one layer.
        of_outcomes: `(hidden // 2 + 1, outcomes)`, one layer.
        direct_bias: `(first_hex,)`.
    """

    form: NDArray[np.void]
    hex_id: Integers
    around: Integers
    hex_q: Integers
    hex_r: Integers
    pointed: Integers
    token: Columns
    flat: Columns
    wide: Floats
    of_token: Floats
    of_mark: Floats
    of_message: Floats
    of_value: Floats
    of_outcomes: Floats
    direct_bias: Floats


class Scratch(NamedTuple):
    """Working memory of the kernel, for one position."""

    filled: Integers  # inputs that are not 0
    pointed: Integers
    legal: Integers
    is_marked: NDArray[np.int8]  # by id
    marks: Floats  # by id; undefined for ids that are not marked
    vector: Floats  # of a token
    mark: Floats  # of a token
    sums: Floats  # sums of marks by group, and marks on the ids that are named
    first: Integers  # 0, and the number of tokens on the board
    said: Floats  # message of each of them
    said_q: NDArray[np.int8]
    said_r: NDArray[np.int8]
    hearer: Integers  # by place among the legal ids, like all fields up to `heard`
    hearer_q: Integers
    hearer_r: Integers
    features: Floats
    heard: Floats
    question: Floats
    hidden: Floats
    context: Floats
    scale: Floats
    shift: Floats
    seen: Floats
    position: Floats
    value_hidden: Floats
    outcomes: Floats


class Stack:
    """Rows of equal width, stacked part by part.

    Args:
        weights: what parts are taken from, by name.
    """

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self._weights = weights
        self._parts: list[Floats] = []
        self._length = 0

    def add(self, *parts: Floats) -> int:
        """Add parts, each of rows `(k, width)` or one row `(width,)`; return the index of the first row."""
        first = self._length
        for part in parts:
            rows = part.reshape(-1, part.shape[-1])
            self._parts.append(rows)
            self._length += len(rows)
        return first

    def add_rows(self, name: str) -> int:
        """Add weights as they are."""
        return self.add(self._weights[name])

    def add_columns(self, name: str) -> int:
        """Add the weights of a linear layer without bias."""
        return self.add(self._weights[f"{name}.weight"].T)

    def add_layer(self, name: str, outputs: slice = slice(None)) -> int:
        """Add a linear layer, or some of its outputs."""
        return self.add(self._weights[f"{name}.bias"][outputs], self._weights[f"{name}.weight"][outputs].T)

    def add_encoders(self, names: Sequence[str], *biases: str) -> tuple[int, int, int]:
        """Add encoders as one, its bias including `biases`; return where its codes, numbers and bias begin."""
        coded = [self._weights[key] for name in names if (key := f"{name}.codes.weight") in self._weights]
        codes = self.add(*coded)
        numbers = self.add(*(self._weights[f"{name}.numbers.weight"].T for name in names))
        summed = [self._weights[key] for key in (*biases, *(f"{name}.numbers.bias" for name in names))]
        return codes, numbers, self.add(np.sum(summed, axis=0, dtype=np.float32))

    def joined(self) -> Floats:
        """Return a copy of all rows in C order, whatever the order of the parts."""
        return np.ascontiguousarray(np.concatenate(self._parts))


def model_of(form: BoardForm, sizes: NetworkSizes, weights: Mapping[str, Floats]) -> Model:
    """Copy and lay out the weights of a network.

    Args:
        form: what it is built for.
        sizes: sizes of its layers.
        weights: float32, with the names and shapes that `shapes_of` gives.
    """
    tokens = form.spec.slice("tokens")
    pointed = np.array([*form.pointed_hexes, *form.pointed_types], np.int64)
    value_hidden, value = Stack(weights), Stack(weights)
    value_hidden.add_layer("value.0.0")
    value.add_layer("value.1")
    wide, rows = _wide_rows(sizes, weights)
    of_token, of_mark, of_message, others = _narrow_rows(sizes, weights)
    record = alloc(FORM, 1)
    numbers = form.num_actions, form.first_slot, form.first_hex, tokens.start, tokens.stop
    for name, number in zip(SIZES, (*numbers, len(form.column)), strict=True):
        record[name] = number
    for name in TOKEN_COLUMNS:
        record[f"column_{name}"] = form.column[name]
    for name, row in (rows | others).items():
        record[name] = row
    record["loss"] = form.loss
    record["score_bias"] = weights["score.bias"][-1]
    record["trust_bias"] = weights["advice.trust.bias"][0] if sizes.advice else 0
    return Model(
        form=record,
        hex_id=form.hex_id,
        around=form.around,
        hex_q=form.hex_q,
        hex_r=form.hex_r,
        pointed=form.spec.slice("globals").start + pointed,
        token=_joined_columns([form.token], [0]),
        flat=_joined_columns(form.flat, [form.spec.slice(name).start for name in FLAT_BLOCKS]),
        wide=wide.joined(),
        of_token=of_token.joined(),
        of_mark=of_mark.joined(),
        of_message=of_message.joined(),
        of_value=value_hidden.joined(),
        of_outcomes=value.joined(),
        direct_bias=weights["direct.bias"].copy(),
    )


def _joined_columns(parts: Sequence[FeatureColumns], firsts: Sequence[int]) -> Columns:
    """Join the columns of several rows into those of one; `firsts` says where each row begins in the observation."""
    before = np.cumsum([0, *(part.num_codes for part in parts)], dtype=np.int64)
    coded = np.concatenate([part.coded + first for part, first in zip(parts, firsts, strict=True)])
    starts = np.concatenate([part.starts + number for part, number in zip(parts, before[:-1], strict=True)])
    plain = np.concatenate([part.plain + first for part, first in zip(parts, firsts, strict=True)])
    return coded, starts, plain, np.concatenate([part.scale for part in parts]), np.float32(LIMIT)


def _wide_rows(sizes: NetworkSizes, weights: Mapping[str, Floats]) -> tuple[Stack, dict[str, int]]:
    """Return the rows `(rows, hidden)`, and the first row of each part."""
    stack = Stack(weights)
    codes, numbers, bias = stack.add_encoders([f"flat.{i}" for i in range(len(FLAT_BLOCKS))], "summary.bias")
    first, second = slice(sizes.hidden), slice(sizes.hidden, None)
    rows = {
        "flat_codes": codes,
        "flat_numbers": numbers,
        "flat_bias": bias,
        "summary": stack.add_columns("summary"),
        "context": stack.add_layer("context.1.0"),
        "scale": stack.add_layer("gate", first),
        "shift": stack.add_layer("gate", second),
        "patch": stack.add_layer("patch"),
        "heard": stack.add_columns("heard"),
        "direct": stack.add_rows("direct.weight"),
        "score": stack.add(weights["score.weight"][-1]),
    }
    if sizes.advice:
        rows |= {
            "trust": stack.add_rows("advice.trust.weight"),
            "advised_number": stack.add_rows("advice.number.weight"),
        }
    if sizes.advice >= WORTHS:
        rows |= {
            "worth_kind": stack.add(weights["worths.kind.weight"] + weights["worths.features.bias"]),
            "worth_features": stack.add_columns("worths.features"),
            "worth_scale": stack.add_layer("worths.position", first),
            "worth_shift": stack.add_layer("worths.position", second),
        }
    if sizes.advice >= REASONS:
        rows |= {
            "parts": stack.add_layer("reasons.parts"),
            "actor": stack.add_columns("reasons.plans.0"),
            "goal": stack.add_columns("reasons.plans.1"),
        }
    return stack, rows


def _narrow_rows(sizes: NetworkSizes, weights: Mapping[str, Floats]) -> tuple[Stack, Stack, Stack, dict[str, int]]:
    """Return the rows as wide as tokens, marks and messages, and the first row of each part."""
    tokens, marks, messages = Stack(weights), Stack(weights), Stack(weights)
    _, numbers, bias = tokens.add_encoders(["token.0"])
    rows = {
        "token_numbers": numbers,
        "token_bias": bias,
        "mark": marks.add_layer("mark"),
        "pointer_mark": marks.add_rows("pointer_mark"),
        "message": messages.add_layer("message"),
        "question": messages.add_layer("question"),
        "gain": messages.add_rows("message_gain.weight"),
        "shift_by_distance": messages.add_rows("message_shift.weight"),
    }
    if sizes.advice:
        rows["advised_mark"] = marks.add_rows("advice.mark")
    if sizes.advice >= REASONS:
        rows["notes"] = tokens.add_columns("reasons.notes")
    return tokens, marks, messages, rows


def scratch_for(form: BoardForm, sizes: NetworkSizes) -> Scratch:
    """Allocate the working memory of the kernel for a network."""
    ids, rows = form.num_actions, form.spec.block("tokens").rows
    token, mark, message, hidden = sizes.token, sizes.mark, sizes.message, sizes.hidden
    sums, position = (NUM_GROUPS + NUM_POINTED) * mark, 2 * NUM_VERBS + SUMMARY

    def floats(*shape: int) -> Floats:
        return np.zeros(shape, np.float32)

    def integers(length: int) -> Integers:
        return np.zeros(length, np.int64)

    return Scratch(
        filled=integers(max(sums, hidden, token, mark, message, position, FEATURES, NUM_PARTS, NUM_NOTES)),
        pointed=integers(NUM_POINTED),
        legal=integers(ids),
        is_marked=np.zeros(ids + 1, np.int8),
        marks=floats(ids + 1, mark),
        vector=floats(token),
        mark=floats(mark),
        sums=floats(sums),
        first=integers(2),
        said=floats(rows, message),
        said_q=np.zeros(rows, np.int8),
        said_r=np.zeros(rows, np.int8),
        hearer=integers(ids),
        hearer_q=integers(ids),
        hearer_r=integers(ids),
        features=floats(ids, FEATURES),
        heard=floats(ids, message),
        question=floats(1, message),
        hidden=floats(hidden),
        context=floats(hidden),
        scale=floats(hidden),
        shift=floats(hidden),
        seen=floats(hidden),
        position=floats(position),
        value_hidden=floats(hidden // 2),
        outcomes=floats(sizes.outcomes),
    )
