"""Choice of the greedy General: what must be computed for a decision, what legal ids are worth, which is best."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.scripted.compiled import TIE, list_legal, tie_break
from sackarmies_agents.scripted.sack_armies.attacks import NEVER, joint_attack
from sackarmies_agents.scripted.sack_armies.board import NO_CELL, PLACES, WANTS, see, type_at
from sackarmies_agents.scripted.sack_armies.deploy import planned_entry, planned_move
from sackarmies_agents.scripted.sack_armies.ground import find_pull, find_wants
from sackarmies_agents.scripted.sack_armies.odds import is_ranged
from sackarmies_agents.scripted.sack_armies.places import find_contact
from sackarmies_agents.scripted.sack_armies.read import read_board
from sackarmies_agents.scripted.sack_armies.values import action_value, chosen_unit, in_hand, value_of
from sackarmies_env.core.jit import njit
from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, NUM_VERBS, Decision, Verb
from sackarmies_env.games.sack_armies.state.layout import Global

EVERYTHING = 4.0 * NEVER  # the lowest floor: only extreme weights lead to values below it

# --- looking around


@njit(inlined=True)
def needs_wants(decision):
    """Return whether the decision depends on which hexes are worth standing on."""
    if decision <= Decision.SETUP_HEX or decision == Decision.DISCARD or decision >= Decision.AMBUSH:
        return decision == Decision.ADVANCE
    if decision == Decision.TOKEN_HOST or decision == Decision.TOKEN_SLOT or decision == Decision.RAISE_TYPE:
        return False
    return decision != Decision.EFFECT_SLOT and decision != Decision.EFFECT_TYPE


@njit(inlined=True)
def needs_places(board, decision):
    """Return whether a decision that depends on wants also depends on the pull, dangers and prospects of places."""
    if decision == Decision.SOURCE or decision == Decision.TARGET:
        verb = see(board, Global.CHAIN_VERB)
        return verb == Verb.RAISE or verb == Verb.CAST or verb == Verb.CUSTOM
    if decision == Decision.COORD_TARGET or decision == Decision.COORD_MEMBER:
        return False
    if decision == Decision.WINDOW or decision == Decision.SURPRISE_SLOT:
        return False
    return decision != Decision.REVEAL_HEX and decision != Decision.REVEAL_SLOT


@njit
def survey_wants(board):
    """Work out which hexes are worth standing on, unless already done."""
    if board.surveyed < WANTS:
        find_wants(board)
        board.surveyed = WANTS


@njit
def survey_places(board):
    """Also work out the pull of hexes and their contact with enemies, unless already done."""
    survey_wants(board)
    if board.surveyed < PLACES:
        find_pull(board)
        if board.is_light == 0:
            find_contact(board)
        board.surveyed = PLACES


@njit
def survey(board, decision):
    """Work out what the decision requires of the ground."""
    if not needs_wants(decision):
        return
    if needs_places(board, decision):
        survey_places(board)
    else:
        survey_wants(board)


# --- the choice


@njit(inlined=True)
def is_joint(verb):
    """Return whether `verb` declares a coordinated attack."""
    return verb == Verb.COORD_MELEE or verb == Verb.COORD_RANGED


@njit(inlined=True)
def floor_below(best):
    """Return a floor below `best`, by more than ties are broken by.

    Values that are not above a floor may be replaced by NEVER. So a floor must lie above NEVER, or else below all.
    """
    floor = best - 2.0 * TIE
    return floor if floor > NEVER else EVERYTHING


@njit
def choose_verb(board, mask):
    """Return the best verb of the menu; `legal` lists the legal ones.

    A Move is weighed after the verbs that take less time, and not in full where one of them is better. Coordinated
    attacks come last, because a failed check leaves the next best.
    """
    best = -np.inf
    choice = board.legal[0]
    for verb in range(NUM_VERBS):
        if mask[verb] == 1 and verb != Verb.MOVE and not is_joint(verb):
            board.floor = floor_below(best)
            value = action_value(board, np.int64(verb), 0.0) + tie_break(board, np.int64(verb))
            if value > best:
                best = value
                choice = np.int64(verb)
    if mask[Verb.MOVE] == 1:
        board.floor = floor_below(best)
        value = action_value(board, np.int64(Verb.MOVE), 0.0) + tie_break(board, np.int64(Verb.MOVE))
        if value > best or (value == best and choice > Verb.MOVE):
            best = value
            choice = np.int64(Verb.MOVE)
    fallback = max(0.0, best)
    for verb in range(NUM_VERBS):
        if mask[verb] == 1 and is_joint(verb):
            board.floor = best
            value = action_value(board, np.int64(verb), fallback)
            if value > best:
                best = value
                choice = np.int64(verb)
    return choice


@njit
def planned_choice(board, decision):
    """Return the id of the hex found best when its unit was chosen; -1 if it was a near tie or is not legal.

    It is also -1 unless all legal hexes were considered then.
    """
    end = np.int64(NO_CELL)
    if decision == Decision.MOVE_TO:
        end = planned_move(board, chosen_unit(board))
    elif decision == Decision.DEPLOY_HEX:
        end = planned_entry(board, in_hand(board, type_at(board, np.int64(Global.CHAIN_TYPE_LOW))))
    return board.num_types + NUM_VERBS + NUM_SLOTS + end if end != NO_CELL else np.int64(-1)


@njit
def choose(board, observation, mask):
    """Return the best legal id."""
    list_legal(board, mask)
    if board.num_legal == 1:
        return board.legal[0]
    read_board(board, observation)
    decision = see(board, Global.DECISION)
    survey(board, decision)
    if decision == Decision.MENU:
        return choose_verb(board, mask)
    if decision == Decision.COORD_MEMBER:
        joint_attack(board, chosen_unit(board), is_ranged(see(board, Global.CHAIN_VERB)), 0.0)
    choice = planned_choice(board, decision)
    if choice >= 0:
        return choice
    best = -np.inf
    choice = board.legal[0]
    for i in range(board.num_legal):
        action = board.legal[i]
        board.floor = floor_below(best)
        value = value_of(board, decision, action) + tie_break(board, action)
        if value > best:
            best = value
            choice = action
    return choice


@njit
def choose_batch(boards, observations, masks, actions):
    """Choose an action in each of many games.

    Args:
        boards: (1,) BOARD_DTYPE, scratch.
        observations: (n, size) int8.
        masks: (n, num_actions) int8, each row with at least one 1.
        actions: (n,) int64, overwritten.
    """
    for i in range(len(observations)):
        actions[i] = choose(boards[0], observations[i], masks[i])


# --- what each choice is worth


@njit
def weigh(board, observation, actions, worths):
    """Write what the legal ids `actions` (k,) are worth into `worths` (k,); ties aside, the best is chosen."""
    read_board(board, observation)
    decision = see(board, Global.DECISION)
    survey(board, decision)
    board.floor = EVERYTHING
    if decision == Decision.COORD_MEMBER:
        joint_attack(board, chosen_unit(board), is_ranged(see(board, Global.CHAIN_VERB)), 0.0)
    if decision != Decision.MENU:
        for i in range(len(actions)):
            worths[i] = value_of(board, decision, actions[i])
        return
    fallback = 0.0
    for i in range(len(actions)):
        if not is_joint(actions[i]):
            worths[i] = action_value(board, actions[i], 0.0)
            fallback = max(fallback, worths[i])
    for i in range(len(actions)):
        if is_joint(actions[i]):
            worths[i] = action_value(board, actions[i], fallback)


@njit
def choose_weighed(board, actions, worths):
    """Return the best of all legal ids (k,) by the worths that `weigh` has just written: the choice of `choose`."""
    is_menu = see(board, Global.DECISION) == Decision.MENU
    best, choice = -np.inf, actions[0]
    for i in range(len(actions)):
        if is_menu and is_joint(actions[i]):
            continue
        value = worths[i] + tie_break(board, actions[i])
        if value > best:
            best, choice = value, actions[i]
    if is_menu:
        for i in range(len(actions)):
            if is_joint(actions[i]) and worths[i] > best:
                best, choice = worths[i], actions[i]
    return choice


@njit
def weigh_batch(boards, observations, first, actions, worths):
    """Weigh the choices of many games.

    Args:
        boards: (1,) BOARD_DTYPE, scratch.
        observations: (n, size) int8.
        first: (n + 1,) int64, where the ids of each game begin.
        actions: (k,) int64, legal ids.
        worths: (k,) float64, overwritten.
    """
    for i in range(len(observations)):
        weigh(boards[0], observations[i], actions[first[i] : first[i + 1]], worths[first[i] : first[i + 1]])
