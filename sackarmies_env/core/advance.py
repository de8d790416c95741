"""One call for many games: what each is to do, and all that adapters want to know of it afterwards.

`Game.advance` takes *orders*, a *table* with a line for each game, and arrays for outputs:

    advance(params, states, orders, table, action_masks, packed_masks, observations, results)

- `params` `(1,)`, `states` `(m,)` records. BEGIN and restarts copy `states[-1]`, as `Game.lay_out` makes it.
- `orders` `(k, 3)` int64, the columns ROW, CODE and ARGUMENT: one order a game; other games are left alone.
- `table` `(n, 8)` int64, the columns SEED to FAULT, kept by the caller from call to call.
- `action_masks` `(n, num_actions)` int8, 1 for legal ids; all zero in games that are over.
- `packed_masks` `(n, words)` uint64, the same as bits, the least significant first.
- `observations` `(n, size)` int8; all zero in games that are over, unless a seat watches. Before the call they hold
  zeros or observations of such games: kernels may rely on it, and write only what may differ.
- `results` `(n, 2, num_players)` float32: what each player has earned, and 1 for each who is out of the game.

An output of no rows is not written. A compiled game makes its `advance` of `advance_rows`, and thereby has one entry
point into its rules: each one takes the compiler about as long as all the rules together. All that is given `rules`
here is inlined: they are gone from the machine code then, which could not be cached with addresses of kernels in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import choose_legal, write_mask
from sackarmies_env.core.prefetch import prefetch
from sackarmies_env.core.rng import choice_stream, choice_word, following_seed, next_choice, seed_streams
from sackarmies_env.core.state import NO_PLAYER

# --- columns of orders
ROW = 0  # of states, table and outputs
CODE = 1  # a legal id, or one of the codes below
ARGUMENT = 2
ORDER_COLUMNS = 3

# --- codes
NO_ACTION = -1  # no step, but the outputs
SKIP = -2  # nothing at all
RESUME = -3  # go on from a state that was put together from outside to its next decision
RANDOM = -4  # ARGUMENT decisions, each of the legal ids equally likely
BEGIN = -5  # a new game, from the seed ARGUMENT
FORFEIT = -8  # player g gives up: FORFEIT - g

# --- columns of the table
SEED = 0  # of the game; set by BEGIN
STREAM = 1  # of random choices; set by BEGIN
SEAT = 2  # set by the caller: the seat that watches, the others play at random; NO_PLAYER: whoever is to act watches
MODE = 3  # set by the caller: RESTARTS, KEEPS_CHANCE or both
PLAYER = 4  # who is to act; NO_PLAYER once the game is over
ENDED = 5  # TERMINATED or TRUNCATED where the game is over for whoever watches, with RESTARTS: has just been
GAMES = 6  # games ended and begun anew, with RESTARTS
FAULT = 7  # the state's `error`
TABLE_COLUMNS = 8

# --- bits of MODE
RESTARTS = 1  # a game that is over gives way to the game of the following seed; `results` are still the former's
KEEPS_CHANCE = 2  # as in `Game`

# --- values of ENDED
RUNNING = 0
TERMINATED = 1
TRUNCATED = 2

MAX_RESTARTS = 100  # in a row, of games that are over before a decision


class Rules(NamedTuple):
    """The kernels of a game that `advance_rows` is made of; all take `(params, state, ...)`, one record each.

    The state has the fields `legal` `(words,)` uint64, the legal ids of the decision at hand as bits, and `num_legal`,
    their number; none once the game is over.

    Attributes:
        step: `(params, state, action)`, applies a legal action and advances to the next decision.
        resume: `(params, state)`, advances to the next decision.
        forfeit: `(params, state, player)`, lets a player give up.
        observe: `(params, state, player, out)`, writes what a player sees; out `(size,)` int8, zeros or an earlier
            observation.
        returns: `(params, state, out)`, writes what each player has earned; out `(num_players,)` float32.
        is_out: `(params, state, player)`, returns whether the game is over for a player by the rules.
    """

    step: Any
    resume: Any
    forfeit: Any
    observe: Any
    returns: Any
    is_out: Any


Outputs = tuple[NDArray[np.int8], NDArray[np.uint64], NDArray[np.int8], NDArray[np.float32]]

NO_BYTES = np.zeros((0, 0), np.int8)
NO_OUTPUTS: Outputs = (NO_BYTES, np.zeros((0, 0), np.uint64), NO_BYTES, np.zeros((0, 2, 0), np.float32))
BLANK_LINE = np.zeros((1, TABLE_COLUMNS), np.int64)
BLANK_LINE[0, [SEAT, PLAYER]] = NO_PLAYER


def new_table(n: int) -> NDArray[np.int64]:
    """Return the table of `n` games that have not begun: `(n, 8)` int64."""
    return BLANK_LINE.copy() if n == 1 else np.repeat(BLANK_LINE, n, axis=0)


def new_orders(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return orders for the first games, with these codes: `(k, 3)` int64."""
    orders = np.zeros((len(codes), ORDER_COLUMNS), np.int64)
    orders[:, CODE] = codes
    if len(codes) > 1:
        orders[:, ROW] = np.arange(len(codes))
    return orders


# --- one game: random choices, ends, new ones
#
# What is done in every step takes and returns numbers and records, no arrays: each array that is handed on is counted
# in and out again, which takes longer than the work here.


@njit(inlined=True)
def play_choice(rules, params, state, stream):
    """Let whoever is to act take a legal action at random; return where the stream of choices stands then."""
    stream = next_choice(stream)
    rules.step(params, state, choose_legal(state, choice_word(stream)))
    return stream


@njit(inlined=True)
def find_ending(rules, params, state, seat):
    """Return whether the game is over for the seat that watches, or for all: a value of ENDED."""
    if state.terminated == 1 or (seat != NO_PLAYER and rules.is_out(params, state, seat)):
        return TERMINATED
    return TRUNCATED if state.truncated == 1 else RUNNING


@njit(inlined=True)
def play_others(rules, params, state, seat, stream):
    """Let others than the seat that watches play until it is to act or its game is over; return the stream."""
    if seat != NO_PLAYER:
        while state.current_player != seat and find_ending(rules, params, state, seat) == RUNNING:
            stream = play_choice(rules, params, state, stream)
    return stream


@njit(inlined=True)
def apply_code(rules, params, state, code):
    """Do what a code says that needs no more than the state."""
    if code >= 0:
        rules.step(params, state, code)
    elif code == RESUME:
        rules.resume(params, state)
    elif code <= FORFEIT:
        rules.forfeit(params, state, FORFEIT - code)


@njit(inlined=True)
def play_on(rules, params, state, order, seat, stream):
    """Obey an order (code, times) in a game that goes on; return a value of ENDED, the stream, and how often remains.

    A RANDOM order is obeyed until the game is over at the latest.
    """
    code, times = order
    ending = find_ending(rules, params, state, seat) if code == RANDOM else RUNNING
    while times > 0 and ending == RUNNING:
        if code == RANDOM:
            stream = play_choice(rules, params, state, stream)
        else:
            apply_code(rules, params, state, code)
        stream = play_others(rules, params, state, seat, stream)
        ending = find_ending(rules, params, state, seat)
        times -= 1
    return ending, stream, times


@njit(inlined=True)
def begin_game(rules, params, states, table, row, seed):
    """Begin the game of `seed` in a row and play to the decision of whoever watches; return the stream of choices."""
    states[row] = states[len(states) - 1]
    state = states[row]
    if table[row, MODE] & KEEPS_CHANCE == 0:
        seed_streams(state, seed)
    table[row, SEED] = seed
    rules.resume(params, state)
    return play_others(rules, params, state, table[row, SEAT], choice_stream(seed))


@njit(inlined=True)
def begin_next(rules, params, states, table, row):
    """Replace a game by the following one that is not over at once; return the stream of choices."""
    stream = table[row, STREAM]
    table[row, GAMES] += 1
    for _ in range(MAX_RESTARTS):
        stream = begin_game(rules, params, states, table, row, following_seed(table[row, SEED]))
        if find_ending(rules, params, states[row], table[row, SEAT]) == RUNNING:
            break
    return stream


# --- one game: outputs


@njit(inlined=True)
def write_results(rules, params, state, row, results):
    """Write what each player has earned and who is out."""
    rules.returns(params, state, results[row, 0])
    for player in range(results.shape[2]):
        results[row, 1, player] = np.float32(1.0 if rules.is_out(params, state, player) else 0.0)


@njit(inlined=True)
def write_observation(rules, params, state, row, viewer, observations):
    """Write what a player sees; zeros for NO_PLAYER."""
    if viewer == NO_PLAYER:
        for i in range(observations.shape[1]):
            observations[row, i] = 0
    else:
        rules.observe(params, state, viewer, observations[row])


# --- many games


@njit(inlined=True)
def advance_rows(  # noqa: PLR0917 - arrays are handed on one by one
    rules, params, states, orders, table, action_masks, packed_masks, observations, results
):
    """Do what the top of this module says; `rules` is a global, so that the compiler sees which kernels are called."""
    for i in range(len(orders)):
        row, code, times = orders[i, ROW], orders[i, CODE], np.int64(1)
        if code == SKIP:
            continue
        state = states[row]
        if i + 1 < len(orders):
            prefetch(states[orders[i + 1, ROW]])
        seat, restarts = table[row, SEAT], table[row, MODE] & RESTARTS != 0
        if code == BEGIN:
            table[row, STREAM] = begin_game(rules, params[0], states, table, row, orders[i, ARGUMENT])
        elif code == RANDOM:
            times = orders[i, ARGUMENT]
        while True:
            ending, stream, times = play_on(rules, params[0], state, (code, times), seat, table[row, STREAM])
            table[row, STREAM] = stream
            table[row, ENDED] = ending
            if ending == RUNNING or not restarts:
                break
            if len(results) > 0:
                write_results(rules, params[0], state, row, results)
            table[row, STREAM] = begin_next(rules, params[0], states, table, row)
            if times == 0 or find_ending(rules, params[0], state, seat) != RUNNING:
                break
        table[row, PLAYER] = state.current_player
        table[row, FAULT] = state.error
        is_over = ending != RUNNING and not restarts
        if len(results) > 0 and (ending == RUNNING or is_over):
            write_results(rules, params[0], state, row, results)
        if len(action_masks) > 0:
            write_mask(state, is_over, action_masks[row])
        if len(packed_masks) > 0:
            for word in range(packed_masks.shape[1]):
                packed_masks[row, word] = np.uint64(0) if is_over else state.legal[word]
        if len(observations) > 0:
            viewer = seat if seat != NO_PLAYER else np.int64(state.current_player)
            write_observation(rules, params[0], state, row, viewer, observations)
