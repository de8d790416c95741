"""Reasons of the greedy General, as inputs of networks: components of its worths of ids, and what tokens mean to it.

Numbers are scaled so that they seldom exceed a few units. All of this follows from the observation, but a network
would need many layers to find out who can attack whom, and at what odds.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS
from sackarmies_agents.scripted.sack_armies.attacks import NEVER, is_attack
from sackarmies_agents.scripted.sack_armies.board import NO_CELL, NO_UNIT, gap_between, is_mine, see
from sackarmies_agents.scripted.sack_armies.choose import choose_weighed, survey_places, weigh
from sackarmies_agents.scripted.sack_armies.odds import collateral, counter_chance, hidden_below, kill_chance
from sackarmies_agents.scripted.sack_armies.places import danger, fight_value, find_contact, prospect, study
from sackarmies_agents.scripted.sack_armies.plans import UNNAMED, plan_id
from sackarmies_env.core.bits import count_bits
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb
from sackarmies_env.games.sack_armies.state.layout import TOKEN_WIDTH, Global

MOST = 60.0  # worths are clipped to this, either way
TENTH = 0.1
PULL_SHARE = 0.2
NEVER_CHOSEN = 0.1 * NEVER  # ids worth less are not explained
THREATS = 3.0  # divisor for numbers of enemies, which are usually few


class Part(IntEnum):
    """Components of the worth of a legal id: the acting unit, where it stands (HERE), where it would act (THERE)."""

    UNIT = 0
    WANT_HERE = 1
    STAKE_HERE = 2
    PULL_HERE = 3
    DANGER_HERE = 4
    PROSPECT_HERE = 5
    WANT_THERE = 6
    STAKE_THERE = 7
    PULL_THERE = 8
    DANGER_THERE = 9
    KILLS = 10  # chance that an attack kills
    DIES = 11  # chance that the counter-attack does
    TARGET = 12  # value of the unit attacked
    COLLATERAL = 13
    PROSPECT_THERE = 14
    IS_PLACED = 15  # 1 if there is a hex where it would act
    GAIN = 16  # what an attack is expected to win
    LOSS = 17  # what it is expected to cost


class Note(IntEnum):
    """Numbers that describe a token on the board, a unit or a battlefield."""

    VALUE = 0  # of a unit
    DANGER = 1  # of an own unit
    PROSPECT = 2  # of an own unit
    PREY = 3  # of an enemy: the value of the best attack on it now
    WANT = 4
    STAKE = 5
    PULL = 6
    NEAR = 7  # 1 / distance to the nearest enemy
    THREATS = 8  # how many enemies can attack there
    MENACE = 9  # 1 if an enemy could enter this own battlefield


assert len(Part) == NUM_PARTS
assert len(Note) == NUM_NOTES


@njit(inlined=True)
def tenth(worth):
    """Return a tenth of a worth, clipped to `MOST` either way."""
    return TENTH * max(-MOST, min(MOST, worth))


@njit
def describe_attack(board, verb, unit, cell, parts):
    """Write the odds of an attack by own `unit` on the enemy on `cell`, if there is one."""
    target = board.cell_unit[cell]
    if target == NO_UNIT or is_mine(board, target):
        return
    ranged = verb == Verb.RANGED
    origin = np.int64(NO_CELL) if verb == Verb.MOVE_ATTACK else board.unit_cell[unit]
    parts[Part.KILLS] = kill_chance(board, unit, origin, target, cell, ranged) * hidden_below(board, target)
    parts[Part.DIES] = counter_chance(board, unit, origin, target, cell, ranged)
    parts[Part.TARGET] = tenth(board.unit_value[target])
    parts[Part.GAIN] = parts[Part.KILLS] * (parts[Part.TARGET] + parts[Part.WANT_THERE])
    parts[Part.LOSS] = parts[Part.DIES] * parts[Part.UNIT]
    parts[Part.COLLATERAL] = tenth(collateral(board, unit, cell))


@njit
def describe(board, verb, unit, cell, parts):
    """Write the components (NUM_PARTS,) of the worth of own `unit` doing what `verb` names at `cell`."""
    here = board.unit_cell[unit]
    parts[Part.UNIT] = tenth(board.unit_value[unit])
    if here != NO_CELL:
        study(board, unit, here)
        parts[Part.WANT_HERE] = tenth(board.cell_want[here])
        parts[Part.STAKE_HERE] = tenth(board.cell_stake[here])
        parts[Part.PULL_HERE] = PULL_SHARE * min(MOST, board.cell_pull[here])
        parts[Part.DANGER_HERE] = tenth(danger(board, unit, here))
        parts[Part.PROSPECT_HERE] = tenth(prospect(board, unit, here))
    if cell == NO_CELL:
        return
    study(board, unit, cell)
    parts[Part.IS_PLACED] = 1.0
    parts[Part.WANT_THERE] = tenth(board.cell_want[cell])
    parts[Part.STAKE_THERE] = tenth(board.cell_stake[cell])
    parts[Part.PULL_THERE] = PULL_SHARE * min(MOST, board.cell_pull[cell])
    parts[Part.DANGER_THERE] = tenth(danger(board, unit, cell))
    if is_attack(verb):
        describe_attack(board, verb, unit, cell, parts)
    else:
        parts[Part.PROSPECT_THERE] = tenth(prospect(board, unit, cell))


@njit
def note_place(board, cell, note):
    """Write the notes on the place of a token."""
    note[Note.WANT] = tenth(board.cell_want[cell])
    note[Note.STAKE] = tenth(board.cell_stake[cell])
    note[Note.PULL] = PULL_SHARE * min(MOST, board.cell_pull[cell])
    note[Note.NEAR] = 1.0 / max(np.int64(1), board.cell_near[cell])
    note[Note.THREATS] = count_bits(board.cell_threat[cell]) / THREATS
    note[Note.MENACE] = 1.0 if board.cell_menace[cell] > 0 else 0.0


@njit
def prey_value(board, enemy):
    """Return the value of the best attack by an own unit on `enemy` now, at least 0."""
    best = 0.0
    cell = board.unit_cell[enemy]
    for unit in range(board.num_on_board):
        if is_mine(board, unit):
            gap = gap_between(board, board.unit_cell[unit], cell)
            if gap <= board.unit_notice[unit]:
                best = max(best, fight_value(board, np.int64(unit), board.unit_cell[unit], enemy, gap))
    return best


@njit
def note_tokens(board, notes):
    """Write notes (rows, NUM_NOTES) on the tokens on the board; others get none."""
    for i in range(board.num_on_board):
        unit = np.int64(i)
        note = notes[(board.unit_row[unit] - board.rows_start) // TOKEN_WIDTH]
        note_place(board, board.unit_cell[unit], note)
        note[Note.VALUE] = tenth(board.unit_value[unit])
        if is_mine(board, unit):
            study(board, unit, board.unit_cell[unit])
            note[Note.DANGER] = tenth(danger(board, unit, board.unit_cell[unit]))
            note[Note.PROSPECT] = tenth(prospect(board, unit, board.unit_cell[unit]))
        else:
            note[Note.PREY] = tenth(prey_value(board, unit))
    for field in range(board.num_fields):
        note_place(board, board.field_cell[field], notes[(board.field_row[field] - board.rows_start) // TOKEN_WIDTH])


@njit
def explain(board, observation, actions, worths, plans, parts, notes):
    """Do for one game what `explain_batch` does for many."""
    weigh(board, observation, actions, worths)
    survey_places(board)
    if board.is_light == 1:  # such a General ignores fights to come when it chooses, but its reasons include them
        find_contact(board)
    note_tokens(board, notes)
    decision, chosen = see(board, Global.DECISION), see(board, Global.CHAIN_VERB)
    for i in range(len(actions)):
        if worths[i] < NEVER_CHOSEN:
            plans[i] = UNNAMED
            continue
        unit, cell = plan_id(board, decision, actions[i], plans[i])
        if unit != NO_UNIT:
            describe(board, actions[i] if decision == Decision.MENU else chosen, unit, cell, parts[i])


@njit
def explain_batch(boards, observations, first, actions, worths, plans, parts, notes):
    """Weigh the choices of many games, with reasons.

    Args:
        boards: (1,) BOARD_DTYPE, scratch.
        observations: (n, size) int8.
        first: (n + 1,) int64, where the ids of each game begin.
        actions: (k,) int64, legal ids.
        worths: (k,) float64, overwritten, see `weigh_batch`.
        plans: (k, 2) int64, overwritten, see `plan_id`.
        parts: (k, NUM_PARTS) float32, zeros, filled where they are known, see `Part`.
        notes: (n, rows, NUM_NOTES) float32, zeros, filled for tokens on the board, see `Note`.
    """
    for i in range(len(observations)):
        a, b = first[i], first[i + 1]
        explain(boards[0], observations[i], actions[a:b], worths[a:b], plans[a:b], parts[a:b], notes[i])


# --- the choice as well, for one position


@njit
def advise(boards, observations, actions, advice):
    """Weigh the legal ids of one position, and choose.

    Args:
        boards: (1,) BOARD_DTYPE, scratch.
        observations: (1, size) int8.
        actions: (k,) int64, all legal ids.
        advice: (1,) int64, the choice, and (k,) float64, what the ids are worth, both overwritten; three more arrays,
            which are ignored.
    """
    chosen, worths, _, _, _ = advice
    weigh(boards[0], observations[0], actions, worths)
    chosen[0] = choose_weighed(boards[0], actions, worths)


@njit
def advise_with_reasons(boards, observations, actions, advice):
    """Do what `advise` does, and write reasons into the last three arrays of `advice`.

    They are what `explain_batch` calls plans (k, 2), parts (k, NUM_PARTS) and notes (1, rows, NUM_NOTES).
    """
    chosen, worths, plans, parts, notes = advice
    explain(boards[0], observations[0], actions, worths, plans, parts, notes[0])
    chosen[0] = choose_weighed(boards[0], actions, worths)
