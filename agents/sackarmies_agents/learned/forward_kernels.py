"""Kernels of `forward.py`: what `BoardNetwork` computes, one position at a time."""

from __future__ import annotations

import math

import numpy as np

from sackarmies_agents.learned.board_form import (
    ATTACHED,
    BATTLEGROUND,
    COORDINATES,
    FIELD,
    HAND,
    NUM_GROUPS,
    NUM_POINTED,
    NUM_VERBS,
    PICKED,
    POINTED_HEXES,
    TYPE_DIGIT,
)
from sackarmies_agents.learned.forward_model import Model, Scratch
from sackarmies_agents.learned.kernels import encode_row, hear
from sackarmies_agents.learned.products import ZERO, add, add_product, bounded, dot, multiply, rectify
from sackarmies_agents.learned.sizes import REASONS, WORTHS
from sackarmies_agents.learned.worth_scales import FARTHEST, IMPOSSIBLE, LEAST, MOST, USUAL
from sackarmies_env.core.jit import njit

NUM_POINTED_HEXES = len(POINTED_HEXES)
ILLEGAL = np.float32(-np.inf)
ONE = np.float32(1.0)
LEAST_WORTH, MOST_WORTH, USUAL_WORTH = np.float32(LEAST), np.float32(MOST), np.float32(USUAL)
FARTHEST_SHORT = np.float32(FARTHEST)
SCALES = (np.float32(1.5), np.float32(5.0), np.float32(15.0))  # of shortfalls
TEN, TWENTY = np.float32(10.0), np.float32(20.0)


@njit(counted=True)
def forward(model, scratch, observations, masks, advice, out):
    """Score the legal ids of positions, and the positions.

    Args:
        model: fields of a `Model`; numba takes plain tuples in a third of the time.
        scratch: fields of a `Scratch`, overwritten.
        observations: (n, size) int8.
        masks: (n, num_actions) int8.
        advice: its level, 0 to `REASONS`; the chosen ids, (n,) int64; what the legal ids of all positions are worth,
            (k,) float32; their plans and parts, and the notes on positions, see `Reasons`.
        out: logits (n, num_actions) float32, finite where legal and minus infinity elsewhere, and values (n,) float32.
    """
    assess(Model(*model), Scratch(*scratch), observations, masks, advice, out)


@njit
def assess(model, scratch, observations, masks, advice, out):
    """Do what `forward` does, with named fields."""
    level, chosen, worths, plans, parts, notes = advice
    logits, values = out
    first = np.int64(0)
    for i in range(len(observations)):
        count = list_legal(masks[i], scratch.legal)
        advised = chosen[i] if level > 0 else np.int64(-1)
        noted = notes[i] if level == REASONS else notes[0]
        take_in(model, scratch, observations[i], count, level, advised, worths[first : first + count], noted)
        row = logits[i]
        row[:] = ILLEGAL
        for k in range(count):
            place = first + k if level == REASONS else np.int64(0)
            row[scratch.legal[k]] = bounded(score_id(model, scratch, k, level, advised, plans[place], parts[place]))
        values[i] = value_of(model, scratch)
        first += count


@njit
def likeliest(model, scratch, observation, count, advice):
    """Return the best of the `count` legal ids of a position, which `list_legal` has just listed; see `forward`."""
    level, chosen, worths, plans, parts, notes = advice
    advised = chosen[0] if level > 0 else np.int64(-1)
    take_in(model, scratch, observation, count, level, advised, worths[:count], notes[0])
    best, most = scratch.legal[0], ILLEGAL
    for k in range(count):
        place = k if level == REASONS else np.int64(0)
        score = bounded(score_id(model, scratch, k, level, advised, plans[place], parts[place]))
        if score > most:
            best, most = scratch.legal[k], score
    return best


@njit
def take_in(model, scratch, observation, count, level, advised, worths, notes):
    """Compute everything that the scores of the `count` legal ids of a position share."""
    read_position(model, scratch, observation, advised, level, notes)
    if level >= WORTHS:
        weigh(scratch, worths, advised)
    open_gates(model, scratch, level)
    listen(model, scratch, count)


@njit
def list_legal(mask, legal):
    """Write the legal ids, in order; return how many there are."""
    count = np.int64(0)
    for action in range(len(mask)):
        if mask[action] != 0:
            legal[count] = action
            count += 1
    return count


@njit
def read_position(model, scratch, observation, advised, level, notes):
    """Compute the context, the marks on ids and the messages of tokens on the board; `advised` is an id, or -1."""
    scratch.is_marked[:] = 0
    scratch.sums[:] = ZERO
    find_pointed(model, observation, scratch.pointed)
    read_tokens(model, scratch, observation, level, notes)
    width = scratch.marks.shape[1]
    for pointer in range(NUM_POINTED):  # what lies on the ids that are named, before they are marked as such
        action = scratch.pointed[pointer]
        if scratch.is_marked[action] != 0:
            start = (NUM_GROUPS + pointer) * width
            add(scratch.marks[action], scratch.sums[start : start + width])
    for pointer in range(NUM_POINTED):
        lay(model, scratch, scratch.pointed[pointer], model.of_mark[model.form[0].pointer_mark + pointer])
    wide, form, hidden = model.wide, model.form[0], scratch.hidden
    weights = wide[form.flat_codes : form.flat_numbers], wide[form.flat_numbers : form.flat_bias], wide[form.flat_bias]
    encode_row(observation, model.flat, weights, hidden)
    add_product(scratch.sums, wide, form.summary, scratch.filled, hidden)
    if advised >= 0:
        add(wide[form.advised_number + min(advised, form.first_hex)], hidden)
        lay(model, scratch, advised, model.of_mark[form.advised_mark])
    rectify(hidden)
    multiply(hidden, wide, form.context, scratch.filled, scratch.context)
    rectify(scratch.context)


@njit
def find_pointed(model, observation, pointed):
    """Write the ids that the choice so far and the announcements name; `num_actions` for none."""
    for pointer in range(NUM_POINTED):
        first = np.int64(observation[model.pointed[pointer, 0]])
        second = np.int64(observation[model.pointed[pointer, 1]])
        is_hex = pointer < NUM_POINTED_HEXES
        pointed[pointer] = hex_at(model, first, second) if is_hex else type_at(model, first, second)


@njit
def hex_at(model, q, r):
    """Return the id of the hex at coordinates; `num_actions` for none."""
    return model.hex_id[q + COORDINATES, r + COORDINATES]


@njit
def type_at(model, low, high):
    """Return the id of a type by its digits; `num_actions` for none."""
    type_plus_one = low + TYPE_DIGIT * high
    return NUM_VERBS - 1 + type_plus_one if type_plus_one > 0 else model.form[0].num_actions


@njit
def lay(model, scratch, action, mark):
    """Add a mark (mark,) to what lies on an id; `num_actions` stands for none."""
    if action >= model.form[0].num_actions:
        return
    there = scratch.marks[action]
    if scratch.is_marked[action] == 0:
        scratch.is_marked[action] = 1
        there[:] = ZERO
    add(mark, there)


@njit
def read_tokens(model, scratch, observation, level, notes):
    """Lay out the tokens in sight on ids, sum them by group, and compute the messages of those on the board."""
    form, table = model.form[0], model.of_token
    weights = table[: form.token_numbers], table[form.token_numbers : form.token_bias], table[form.token_bias]
    width = scratch.marks.shape[1]
    chosen, second = scratch.pointed[0], scratch.pointed[1]
    host = second if second < form.num_actions else chosen
    on_board = np.int64(0)
    for start in range(form.tokens_first, form.tokens_end, form.num_features):
        token = observation[start : start + form.num_features]
        place = np.int64(token[form.column_place])
        if place == 0:
            continue
        encode_row(token, model.token, weights, scratch.vector)
        if level == REASONS:
            note = notes[(start - form.tokens_first) // form.num_features]
            add_product(note, table, form.notes, scratch.filled, scratch.vector)
        rectify(scratch.vector)
        multiply(scratch.vector, model.of_mark, form.mark, scratch.filled, scratch.mark)
        lay(model, scratch, place_of(model, token, host), scratch.mark)
        group = (
            place * 4 + np.int64(token[form.column_kind] == FIELD) * 2 + np.int64(token[form.column_controller] != 0)
        )
        add(scratch.mark, scratch.sums[group * width : (group + 1) * width])
        if place == BATTLEGROUND:
            multiply(scratch.vector, model.of_message, form.message, scratch.filled, scratch.said[on_board])
            scratch.said_q[on_board], scratch.said_r[on_board] = token[form.column_q], token[form.column_r]
            on_board += 1
    scratch.first[1] = on_board


@njit
def place_of(model, token, host):
    """Return the id on which a token lies, `num_actions` for none; `host` is the id of the hex of the chosen unit."""
    form = model.form[0]
    place = np.int64(token[form.column_place])
    hex_id = hex_at(model, np.int64(token[form.column_q]), np.int64(token[form.column_r]))
    if place == BATTLEGROUND:
        return hex_id
    if place in (HAND, PICKED):
        return type_at(model, np.int64(token[form.column_type_low]), np.int64(token[form.column_type_high]))
    if place == ATTACHED and hex_id == host:
        return form.first_slot + np.int64(token[form.column_slot])
    return form.num_actions


@njit
def weigh(scratch, worths, advised):
    """Compute the features of the legal ids and of the position from the worths (count,) of these ids, see `Worths`."""
    best, second = LEAST_WORTH, FARTHEST_SHORT
    for k in range(len(worths)):
        best = max(best, cut(worths[k]))
    scratch.position[:] = ZERO
    for k in range(len(worths)):
        action, features = scratch.legal[k], scratch.features[k]
        worth, is_impossible = cut(worths[k]), worths[k] < IMPOSSIBLE
        short = min(best - worth, FARTHEST_SHORT)
        features[0] = short / TWENTY
        features[1] = np.float32(math.sqrt(short / TWENTY))
        for place in range(len(SCALES)):
            features[2 + place] = np.float32(math.exp(-short / SCALES[place]))
        features[5] = ONE if is_impossible else ZERO
        features[6] = ONE if action == advised else ZERO
        features[7] = worth / USUAL_WORTH
        features[8] = best / USUAL_WORTH
        if action != advised:
            second = min(second, short)
        if action < NUM_VERBS:
            scratch.position[action] = worth / USUAL_WORTH
            scratch.position[NUM_VERBS + action] = ZERO if is_impossible else ONE
    scratch.position[2 * NUM_VERBS] = best / USUAL_WORTH
    scratch.position[2 * NUM_VERBS + 1] = np.float32(len(worths)) / TEN
    scratch.position[2 * NUM_VERBS + 2] = second / TWENTY


@njit
def cut(worth):
    """Clip a worth to its bounds; impossible ones get the least."""
    return LEAST_WORTH if worth < IMPOSSIBLE else min(max(worth, LEAST_WORTH), MOST_WORTH)


@njit
def open_gates(model, scratch, level):
    """Compute the gates of the position: factors and summands of what is seen on ids."""
    wide, form = model.wide, model.form[0]
    multiply(scratch.context, wide, form.scale, scratch.filled, scratch.scale)
    multiply(scratch.context, wide, form.shift, scratch.filled, scratch.shift)
    if level >= WORTHS:
        add(wide[form.worth_scale], scratch.scale)
        add(wide[form.worth_shift], scratch.shift)
        add_product(scratch.position, wide, form.worth_scale + 1, scratch.filled, scratch.scale)
        add_product(scratch.position, wide, form.worth_shift + 1, scratch.filled, scratch.shift)


@njit
def listen(model, scratch, count):
    """Compute what is heard at each legal id."""
    table, form, legal = model.of_message, model.form[0], scratch.legal
    multiply(scratch.context, table, form.question, scratch.filled, scratch.question[0])
    for k in range(count):
        action = legal[k]
        scratch.hearer[k] = np.int64(0) if action >= form.first_hex else np.int64(-1)
        scratch.hearer_q[k], scratch.hearer_r[k] = model.hex_q[action], model.hex_r[action]
    hearer, q, r = scratch.hearer[:count], scratch.hearer_q[:count], scratch.hearer_r[:count]
    words = scratch.said, table[form.gain : form.shift_by_distance], table[form.shift_by_distance :], scratch.question
    hear((scratch.first, scratch.said_q, scratch.said_r, hearer, q, r), words, scratch.heard[:count])


@njit
def score_id(model, scratch, k, level, advised, plan, parts):
    """Return the score of the legal id in place `k`, of which advice gives `plan` (2,) and `parts`."""
    action, wide, form = scratch.legal[k], model.wide, model.form[0]
    score = ZERO
    if action < form.first_hex:
        score += dot(scratch.context, wide[form.direct + action]) + model.direct_bias[action]
    # Nothing lies on the ids of verbs: only their worths tell them apart here.
    if action >= NUM_VERBS or level >= WORTHS:
        see(model, scratch, k)
        if level >= WORTHS:
            add(wide[form.worth_kind + min(action, form.first_hex)], scratch.seen)
            add_product(scratch.features[k], wide, form.worth_features, scratch.filled, scratch.seen)
        if level == REASONS:
            add(wide[form.parts], scratch.seen)
            add_product(parts, wide, form.parts + 1, scratch.filled, scratch.seen)
            look_at(model, scratch, plan[0], form.actor)
            look_at(model, scratch, plan[1], form.goal)
        score += judge(model, scratch)
    if action == advised:
        score += dot(scratch.context, wide[form.trust]) + form.trust_bias
    return score


@njit
def see(model, scratch, k):
    """Compute what is seen at the legal id in place `k`: what lies on and around it, and what is heard there."""
    wide, form, seen = model.wide, model.form[0], scratch.seen
    bias = wide[form.patch]
    for j in range(len(seen)):
        seen[j] = bias[j]
    look_at(model, scratch, scratch.legal[k], form.patch + 1)
    add_product(scratch.heard[k], wide, form.heard, scratch.filled, seen)


@njit
def look_at(model, scratch, action, first):
    """Add what lies on and around an id (-1: none) to what is seen, with the weights from row `first` on."""
    if action < 0:
        return
    width, around = scratch.marks.shape[1], model.around[action]
    for place in range(len(around)):
        if scratch.is_marked[around[place]] != 0:
            marks = scratch.marks[around[place]]
            add_product(marks, model.wide, first + place * width, scratch.filled, scratch.seen)


@njit
def judge(model, scratch):
    """Return the score of what is seen, weighted by the gates of the position; what is seen is overwritten."""
    seen, scale, shift = scratch.seen, scratch.scale, scratch.shift
    for j in range(len(seen)):
        seen[j] = seen[j] + shift[j] + seen[j] * scale[j]
    rectify(seen)
    form = model.form[0]
    return dot(seen, model.wide[form.score]) + form.score_bias


@njit
def value_of(model, scratch):
    """Return the value of the position, see `network.value_of`."""
    multiply(scratch.context, model.of_value, 0, scratch.filled, scratch.value_hidden)
    rectify(scratch.value_hidden)
    outcomes = scratch.outcomes
    multiply(scratch.value_hidden, model.of_outcomes, 0, scratch.filled, outcomes)
    if len(outcomes) == 1:
        return outcomes[0]
    most, total = outcomes[0], ZERO
    for j in range(len(outcomes)):
        most = max(most, outcomes[j])
    for j in range(len(outcomes)):
        outcomes[j] = np.float32(math.exp(outcomes[j] - most))
        total += outcomes[j]
    return (outcomes[0] + model.form[0].loss * outcomes[len(outcomes) - 1]) / total
