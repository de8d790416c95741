"""Weights of `BoardNetwork` as the kernel of its forward pass reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sackarmies_agents.learned.board_network import FLAT_BLOCKS, NUM_POINTED, NUM_VERBS, BoardNetwork
from sackarmies_agents.learned.network import LIMIT
from sackarmies_agents.learned.worths import FEATURES, SUMMARY
from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS
from sackarmies_env.core.state import alloc

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
Columns = tuple[Integers, Integers, Integers, Floats, np.float32]  # see `fused.Columns`


# Columns of the block `tokens` that say where a token lies.
TOKEN_COLUMNS = ("place", "q", "r", "kind", "controller", "slot", "type_low", "type_high")
SIZES = (
    *("num_actions", "first_slot", "first_hex"),  # as in the network
    *("tokens_first", "tokens_end", "num_features"),  # of the block `tokens` in an observation, and of a token
)
# Where the weights of each part of a network begin in the matrices of a `Model`. A linear layer begins with its bias;
# where bias and weights are wanted apart, there is a name for each.
ROWS = (
    *("flat_codes", "flat_numbers", "flat_bias"),  # of all flat blocks, with the bias of the summary
    *("summary", "context", "patch", "heard"),
    *("scale", "shift"),  # the first half of the gate, and the second one
    *("direct", "score", "trust"),  # a row for each id; one, of the last score: the others help learning alone; one
    *("advised_number", "worth_kind", "worth_features", "worth_scale", "worth_shift"),  # kinds with the features' bias
    *("parts", "actor", "goal"),  # of reasons; the plans without bias
    *("token_numbers", "token_bias", "notes"),  # in `of_token`, after the codes
    *("mark", "pointer_mark", "advised_mark"),  # in `of_mark`
    *("message", "question", "gain", "shift_by_distance"),  # in `of_message`
)
FORM = np.dtype(
    [
        *((name, np.int64) for name in (*SIZES, *(f"column_{name}" for name in TOKEN_COLUMNS), *ROWS)),
        *((name, np.float32) for name in ("score_bias", "trust_bias")),
    ],
    align=True,
)


class Model(NamedTuple):
    """A `BoardNetwork` for the kernel. Each array costs time in every call: weights of equal width are one.

    Attributes:
        form: `(1,)` FORM.
        hex_id: as in the network, like `around`, `hex_q` and `hex_r`.
        around: see `hex_id`.
        hex_q: see `hex_id`.
        hex_r: see `hex_id`.
        pointed: `(NUM_POINTED, 2)`, places in an observation, of coordinates or digits of a type.
        token: features of a token.
        flat: features of the observation that stand in flat blocks.
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
    """What the kernel writes on its way, of one position."""

    filled: Integers  # inputs that are not 0
    pointed: Integers
    legal: Integers
    is_marked: NDArray[np.int8]  # by id
    marks: Floats  # by id; of ids that are not marked, anything
    vector: Floats  # of a token
    mark: Floats  # of a token
    sums: Floats  # of marks by group, and marks of what is named
    first: Integers  # 0, and how many tokens are on the board
    said: Floats  # by each of them
    said_q: NDArray[np.int8]
    said_r: NDArray[np.int8]
    hearer: Integers  # by place among the legal ids, as all that follow it up to `heard`
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
    """Rows of one width, one part after the other."""

    def __init__(self) -> None:
        self._parts: list[Floats] = []
        self._length = 0

    def add(self, *parts: Tensor) -> int:
        """Add rows `(k, width)` or a single one `(width,)` each; return where the first one lies."""
        first = self._length
        for part in parts:
            rows = part.detach().numpy().reshape(-1, part.shape[-1])
            self._parts.append(rows)
            self._length += len(rows)
        return first

    def add_layer(self, layer: Any, outputs: slice = slice(None)) -> int:
        """Add a linear layer of torch, or some of its outputs."""
        return self.add(layer.bias[outputs], layer.weight[outputs].T)

    def joined(self) -> Floats:
        """Return a copy of all rows, in the order of C whatever that of the parts is."""
        return np.ascontiguousarray(np.concatenate(self._parts))


def model_of(network: BoardNetwork) -> Model:
    """Copy and lay out the weights of a network, which is on a CPU and of float32."""
    spec, advice = network.spec, network.advice
    tokens = spec.slice("tokens")
    pointed = np.array([*network.pointed_hexes, *network.pointed_types], np.int64)
    value_hidden, value = Stack(), Stack()
    value_hidden.add_layer(network.value[0][0])  # type: ignore[index] # torch does not know what it holds
    value.add_layer(network.value[1])
    wide, rows = _wide_rows(network)
    of_token, of_mark, of_message, others = _narrow_rows(network)
    form = alloc(FORM, 1)
    sizes = network.num_actions, network.first_slot, network.first_hex, tokens.start, tokens.stop
    for name, size in zip(SIZES, (*sizes, len(spec.block("tokens").features)), strict=True):
        form[name] = size
    for name in TOKEN_COLUMNS:
        form[f"column_{name}"] = network.column[name]
    for name, row in (rows | others).items():
        form[name] = row
    form["score_bias"] = network.score.bias[-1].item()
    form["trust_bias"] = 0 if advice is None else advice.trust.bias.item()
    return Model(
        form=form,
        hex_id=copied(network.hex_id),
        around=copied(network.around),
        hex_q=copied(network.hex_q),
        hex_r=copied(network.hex_r),
        pointed=spec.slice("globals").start + pointed,
        token=_columns([network.token[0]], [0]),
        flat=_columns(network.flat, [spec.slice(name).start for name in FLAT_BLOCKS]),
        wide=wide.joined(),
        of_token=of_token.joined(),
        of_mark=of_mark.joined(),
        of_message=of_message.joined(),
        of_value=value_hidden.joined(),
        of_outcomes=value.joined(),
        direct_bias=copied(network.direct.bias),
    )


def advice_level(network: BoardNetwork) -> int:
    """Return how much advice a network takes, see `NetworkSizes.advice`."""
    parts = network.advice, network.worths, network.reasons
    return sum(part is not None for part in parts)  # each goes with those before


def copied(tensor: Tensor) -> NDArray[Any]:
    """Return a tensor as an array of its own."""
    return np.array(tensor.detach().numpy(), order="C")


def _columns(encoders: Any, firsts: Sequence[int]) -> Columns:
    """Return the columns of encoders of a row each as those of one, given where in the observation each row begins."""
    starts, coded, length = [], [], 0
    for encoder, first in zip(encoders, firsts, strict=True):
        coded.append(copied(encoder.coded) + first)
        starts.append(copied(encoder.starts) + length)
        length += 0 if encoder.codes is None else encoder.codes.num_embeddings
    plain = [copied(encoder.plain) + first for encoder, first in zip(encoders, firsts, strict=True)]
    scales = [copied(encoder.scale) for encoder in encoders]
    joined = np.concatenate
    return joined(coded), joined(starts), joined(plain), joined(scales), np.float32(LIMIT)


def _add_encoders(stack: Stack, encoders: Any, *biases: Tensor) -> tuple[int, int, int]:
    """Add encoders as one; return where its codes, numbers and bias, which includes other ones, begin."""
    codes = stack.add(*(encoder.codes.weight for encoder in encoders if encoder.codes is not None))
    numbers = stack.add(*(encoder.numbers.weight.T for encoder in encoders))
    bias = stack.add(sum([*biases, *(encoder.numbers.bias for encoder in encoders)], start=torch.zeros(())))
    return codes, numbers, bias


def _wide_rows(network: BoardNetwork) -> tuple[Stack, dict[str, int]]:
    """Return the rows `(rows, hidden)`, and which are where."""
    stack, hidden = Stack(), network.score.in_features
    codes, numbers, bias = _add_encoders(stack, network.flat, network.summary.bias)
    first, second = slice(hidden), slice(hidden, None)
    rows = {
        "flat_codes": codes,
        "flat_numbers": numbers,
        "flat_bias": bias,
        "summary": stack.add(network.summary.weight.T),
        "context": stack.add_layer(network.context[1][0]),  # type: ignore[index] # torch does not know what it holds
        "scale": stack.add_layer(network.gate, first),
        "shift": stack.add_layer(network.gate, second),
        "patch": stack.add_layer(network.patch),
        "heard": stack.add(network.heard.weight.T),
        "direct": stack.add(network.direct.weight),
        "score": stack.add(network.score.weight[-1]),
    }
    if network.advice is not None:
        rows |= {
            "trust": stack.add(network.advice.trust.weight),
            "advised_number": stack.add(network.advice.number.weight),
        }
    worths = network.worths
    if worths is not None:
        rows |= {
            "worth_kind": stack.add(worths.kind.weight + worths.features.bias),
            "worth_features": stack.add(worths.features.weight.T),
            "worth_scale": stack.add_layer(worths.position, first),
            "worth_shift": stack.add_layer(worths.position, second),
        }
    reasons = network.reasons
    if reasons is not None:
        rows |= {"parts": stack.add_layer(reasons.parts)}
        for name, plan in zip(("actor", "goal"), reasons.plans, strict=True):
            rows[name] = stack.add(plan.weight.T)  # type: ignore[arg-type] # torch does not know what it holds
    return stack, rows


def _narrow_rows(network: BoardNetwork) -> tuple[Stack, Stack, Stack, dict[str, int]]:
    """Return the rows as wide as tokens, marks and messages, and which are where."""
    tokens, marks, messages = Stack(), Stack(), Stack()
    _, numbers, bias = _add_encoders(tokens, [network.token[0]])
    rows = {
        "token_numbers": numbers,
        "token_bias": bias,
        "mark": marks.add_layer(network.mark),
        "pointer_mark": marks.add(network.pointer_mark),
        "message": messages.add_layer(network.message),
        "question": messages.add_layer(network.question),
        "gain": messages.add(network.message_gain.weight),
        "shift_by_distance": messages.add(network.message_shift.weight),
    }
    if network.advice is not None:
        rows["advised_mark"] = marks.add(network.advice.mark)
    if network.reasons is not None:
        rows["notes"] = tokens.add(network.reasons.notes.weight.T)
    return tokens, marks, messages, rows


def scratch_for(network: BoardNetwork) -> Scratch:
    """Return what the kernel needs for a network."""
    ids, rows = network.num_actions, network.spec.block("tokens").rows
    token, mark, sums = network.mark.in_features, network.mark.out_features, network.summary.in_features
    message, hidden, position = network.heard.in_features, network.heard.out_features, 2 * NUM_VERBS + SUMMARY

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
        outcomes=floats(network.value[1].out_features),  # type: ignore[arg-type] # torch does not know what it holds
    )
