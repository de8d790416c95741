"""The one compiled entry point of a game: commands to many games, and all outputs that adapters need, in one call.

    step_batch(params, states, commands, slots, action_masks, packed_masks, observations, results)

- `params` `(1,)`, `states` `(m,)` records. BEGIN and restarts copy `states[-1]`, which holds `Game.initial`.
- `commands` `(k,)` of COMMAND_DTYPE: at most one for each game; other games are left alone.
- `slots` `(n,)` of SLOT_DTYPE: what the caller keeps of each game between calls.
- `action_masks` `(n, num_actions)` int8, 1 for legal ids; all zero in games that are over.
- `packed_masks` `(n, words)` uint64, the same as bits, the least significant first.
- `observations` `(n, size)` int8; all zero in games that are over, unless there is an observing seat. Before the call
  they must hold zeros or observations of such games: kernels may rely on this and write only what may differ.
- `results` `(n, 2, num_players)` float32: what each player has earned, and 1 for each player who is out of the game.

An output without rows is not written. A game makes its `step_batch` from its `Rules`:

    RULES = Rules(step, resume, forfeit, observe, returns, is_eliminated, offer)

    @njit
    def step_batch(params, states, commands, slots, action_masks, packed_masks, observations, results):
        run_commands(RULES, params, states, commands, slots, action_masks, packed_masks, observations, results)

This is its only entry point into the rules: each one takes the compiler about as long as all the rules together.
Everything here that takes `rules` is inlined, so that they are gone from the machine code, which could not be cached
with addresses of kernels in it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import choose_legal, clear_legal, write_mask
from sackarmies_env.core.prefetch import prefetch
from sackarmies_env.core.rng import choice_stream, choice_word, following_seed, next_choice, seed_streams
from sackarmies_env.core.state import NO_PLAYER, alloc, record_dtype


class Command(IntEnum):
    """What a game is to do; except for READ and SKIP, others then play at random until the observing seat decides."""

    READ = 0  # only write the outputs
    STEP = 1  # apply the action `argument`, a legal id
    SKIP = 2  # nothing at all, not even outputs
    AWAIT = 3  # nothing by itself
    RESUME = 4  # advance a state that was assembled outside to its next decision
    RANDOM = 5  # `argument` decisions, each of the legal ids equally likely
    BEGIN = 6  # a new game, from the seed `argument`
    FORFEIT = 7  # player `argument` forfeits


class Ending(IntEnum):
    """Whether a game is over for the observing seat, or for all players if there is none."""

    RUNNING = 0
    TERMINATED = 1
    TRUNCATED = 2


COMMAND_DTYPE = record_dtype(
    [
        ("row", np.int64),  # of states, slots and outputs
        ("kind", np.int64),  # Command
        ("argument", np.int64),
    ]
)
SLOT_DTYPE = record_dtype(
    [
        ("seed", np.int64),  # of the game; set by BEGIN
        ("stream", np.int64),  # of random choices; set by BEGIN
        ("observing_seat", np.int64),  # set by the caller; NO_PLAYER: the current player observes
        ("current_player", np.int64),  # NO_PLAYER once the game is over
        ("ended", np.int64),  # Ending; where games restart, of the last command
        ("games", np.int64),  # how many were over and begun anew, where games restart
        ("max_decisions", np.int32),  # set by the caller: a game is truncated after this many decisions
        ("error", np.int8),  # of the state
        ("restarts", np.int8),  # set by the caller: 1: a game that is over is replaced by that of the following seed
        ("keeps_chance", np.int8),  # set by the caller: 1: as in `Game`
    ]
)
MAX_RESTARTS = 100  # in a row, of games that are over before a decision
UNLIMITED = 2**31 - 1  # decisions
NEAR = 1_024  # up to this many states lie near enough without prefetching, which would take 3% of a decision's time

StepBatch = Callable[..., None]


@njit
def offer_nothing_new(params, state):
    """Leave the legal ids as they are."""


class Rules(NamedTuple):
    """The kernels that `run_commands` is made of; all take `(params, state, ...)`, one record each.

    Except for `observe`, `returns` and `is_eliminated`, they are called only in games that are not over, and `resume`
    also right after a truncation. The state has the fields of `core.legal.legal_fields`: the legal ids of the current
    decision, none once the game is over.

    Attributes:
        step: `(params, state, action)`, applies a legal action and advances to the next decision or the end.
        resume: `(params, state)`, advances a state without a decision, such as an initial one, to the next decision or
            the end. In a state at a decision it finds the legal ids again and changes nothing else; in one truncated in
            the middle of something, it may clear what was under way.
        forfeit: `(params, state, player)`, eliminates a player, and advances to the next decision or the end.
        observe: `(params, state, player, out)`, writes what a player sees; out `(size,)` int8, zeros or an earlier
            observation.
        returns: `(params, state, out)`, writes what each player has earned; out `(num_players,)` float32.
        is_eliminated: `(params, state, player)`, returns whether a player is out of a game, which may go on.
        offer: `(params, state)`, writes the legal ids of the current decision; those of the previous one are still
            there. It is called after `step`, `resume` and `forfeit`; once the game is over, nothing is legal. If it is
            omitted, these kernels write the legal ids themselves.
    """

    step: Any
    resume: Any
    forfeit: Any
    observe: Any
    returns: Any
    is_eliminated: Any
    offer: Any = offer_nothing_new


class Outputs(NamedTuple):
    """The arrays that `step_batch` writes; those without rows are not written."""

    action_masks: NDArray[np.int8] = np.zeros((0, 0), np.int8)
    packed_masks: NDArray[np.uint64] = np.zeros((0, 0), np.uint64)
    observations: NDArray[np.int8] = np.zeros((0, 0), np.int8)
    results: NDArray[np.float32] = np.zeros((0, 2, 0), np.float32)


NO_OUTPUTS = Outputs()


def new_commands(n: int, kinds: ArrayLike = Command.READ, arguments: ArrayLike = 0) -> NDArray[np.void]:
    """Return commands to the first `n` games, one kind and argument for all or one each: `(n,)` of COMMAND_DTYPE."""
    commands = alloc(COMMAND_DTYPE, n)
    if n > 1:
        commands["row"] = np.arange(n)
    commands["kind"] = kinds
    commands["argument"] = arguments
    return commands


def new_slots(
    n: int, max_decisions: int = UNLIMITED, *, restarts: bool = False, keeps_chance: bool = False
) -> NDArray[np.void]:
    """Return the slots of `n` games that have not begun: `(n,)` of SLOT_DTYPE."""
    slots = alloc(SLOT_DTYPE, n)
    slots["observing_seat"] = slots["current_player"] = NO_PLAYER
    slots["max_decisions"] = max_decisions
    slots["restarts"] = restarts
    slots["keeps_chance"] = keeps_chance
    return slots


def dispatch(
    step_batch: StepBatch,
    params: NDArray[np.void],
    states: NDArray[np.void],
    kinds: ArrayLike,
    arguments: ArrayLike = 0,
    *,
    slots: NDArray[np.void] | None = None,
    outputs: Outputs = NO_OUTPUTS,
) -> None:
    """Give each state one command; without `slots`, temporary ones are used."""
    n = len(states)
    step_batch(params, states, new_commands(n, kinds, arguments), new_slots(n) if slots is None else slots, *outputs)


# --- one game: decisions, ends, new games
#
# What runs in every step takes and returns numbers and records, not arrays: references to each array that is passed on
# are counted up and down again, which takes longer than the work here.


@njit(inlined=True)
def is_over(state):
    """Return whether the game was terminated or truncated."""
    return state.terminated == 1 or state.truncated == 1


@njit(inlined=True)
def is_out(rules, params, state, player):
    """Return whether the rules have ended the game for a player."""
    return state.terminated == 1 or rules.is_eliminated(params, state, player)


@njit(inlined=True)
def renew_legal(rules, params, state):
    """Write the legal ids of the decision that the rules have reached; none once the game is over."""
    if is_over(state):
        clear_legal(state)
    else:
        rules.offer(params, state)


@njit(inlined=True)
def apply_action(rules, params, state, action, max_decisions):
    """Apply a legal action unless the game is over, and truncate a game that has reached `max_decisions`."""
    if is_over(state):
        return
    rules.step(params, state, action)
    state.decisions += 1
    if state.decisions >= max_decisions and not is_over(state):
        state.truncated = 1
        state.current_player = NO_PLAYER
        clear_legal(state)
        rules.resume(params, state)
    renew_legal(rules, params, state)


@njit(inlined=True)
def play_choice(rules, params, state, stream, max_decisions):
    """Apply a random legal action of the current player; return the advanced stream of choices."""
    stream = next_choice(stream)
    apply_action(rules, params, state, choose_legal(state, choice_word(stream)), max_decisions)
    return stream


@njit(inlined=True)
def find_ending(rules, params, state, seat):
    """Return whether the game is over for the observing seat, or for all players if there is none: an Ending."""
    if state.terminated == 1 or (seat != NO_PLAYER and rules.is_eliminated(params, state, seat)):
        return Ending.TERMINATED
    return Ending.TRUNCATED if state.truncated == 1 else Ending.RUNNING


@njit(inlined=True)
def play_others(rules, params, state, slot, stream):
    """Play the other seats at random until the observing seat decides or its game is over; return the stream."""
    seat = slot.observing_seat
    if seat != NO_PLAYER:
        while state.current_player != seat and find_ending(rules, params, state, seat) == Ending.RUNNING:
            stream = play_choice(rules, params, state, stream, slot.max_decisions)
    return stream


@njit(inlined=True)
def apply_command(rules, params, state, kind, argument, max_decisions):
    """Carry out a command that needs only the state."""
    if kind == Command.STEP:
        apply_action(rules, params, state, argument, max_decisions)
    elif kind == Command.RESUME and not is_over(state):
        rules.resume(params, state)
        renew_legal(rules, params, state)
    elif kind == Command.FORFEIT and not is_over(state) and not rules.is_eliminated(params, state, argument):
        rules.forfeit(params, state, argument)
        renew_legal(rules, params, state)


@njit(inlined=True)
def play_on(rules, params, state, slot, command, times):
    """Carry out a command (kind, argument) up to `times` times; return an Ending and how many times remain.

    It stops once the game is over; RANDOM does not even begin then.
    """
    kind, argument = command
    ending, stream = Ending.RUNNING, slot.stream
    if kind == Command.RANDOM:
        ending = find_ending(rules, params, state, slot.observing_seat)
    while times > 0 and ending == Ending.RUNNING:
        if kind == Command.RANDOM:
            stream = play_choice(rules, params, state, stream, slot.max_decisions)
        else:
            apply_command(rules, params, state, kind, argument, slot.max_decisions)
        stream = play_others(rules, params, state, slot, stream)
        ending = find_ending(rules, params, state, slot.observing_seat)
        times -= 1
    slot.stream = stream
    return ending, times


@njit(inlined=True)
def begin_game(rules, params, states, row, slot, seed):
    """Begin the game of `seed` in `row` and play to the first decision, of the observing seat if there is one."""
    states[row] = states[len(states) - 1]
    state = states[row]
    state.decisions = 0
    if slot.keeps_chance == 0:
        seed_streams(state, seed)
    slot.seed = seed
    if not is_over(state):  # a position may show a game after its end
        rules.resume(params, state)
    renew_legal(rules, params, state)
    slot.stream = play_others(rules, params, state, slot, choice_stream(seed))


@njit(inlined=True)
def begin_next(rules, params, states, row, slot):
    """Replace a game by the next one that is not over at once."""
    slot.games += 1
    for _ in range(MAX_RESTARTS):
        begin_game(rules, params, states, row, slot, following_seed(slot.seed))
        if find_ending(rules, params, states[row], slot.observing_seat) == Ending.RUNNING:
            break


# --- one game: outputs


@njit(inlined=True)
def write_results(rules, params, state, row, results):
    """Write what each player has earned and who is out."""
    rules.returns(params, state, results[row, 0])
    for player in range(results.shape[2]):
        results[row, 1, player] = np.float32(1.0 if is_out(rules, params, state, player) else 0.0)


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
def run_commands(  # noqa: PLR0917 - arrays are handed on one by one
    rules, params, states, commands, slots, action_masks, packed_masks, observations, results
):
    """Do what the module docstring says; `rules` is a global, so that the compiler sees which kernels are called."""
    for i in range(len(commands)):
        row, kind, argument = commands[i].row, commands[i].kind, commands[i].argument
        if kind == Command.SKIP:
            continue
        state, slot = states[row], slots[row]
        if len(states) > NEAR and i + 1 < len(commands):  # at 4,096 games 1,164 ns a decision instead of 1,227
            prefetch(states[commands[i + 1].row])
        restarts, times = slot.restarts == 1, np.int64(1)
        if kind == Command.BEGIN:
            begin_game(rules, params[0], states, row, slot, argument)
        elif kind == Command.RANDOM:
            times = argument
        ending = find_ending(rules, params[0], state, slot.observing_seat)
        while kind != Command.READ:
            ending, times = play_on(rules, params[0], state, slot, (kind, argument), times)
            if ending == Ending.RUNNING or not restarts:
                break
            if len(results) > 0:
                write_results(rules, params[0], state, row, results)
            begin_next(rules, params[0], states, row, slot)
            if times == 0 or find_ending(rules, params[0], state, slot.observing_seat) != Ending.RUNNING:
                break
        slot.ended = ending
        slot.current_player = state.current_player
        slot.error = state.error
        is_finished = ending != Ending.RUNNING and (not restarts or kind == Command.READ)
        if len(results) > 0 and (ending == Ending.RUNNING or is_finished):
            write_results(rules, params[0], state, row, results)
        if len(action_masks) > 0:
            write_mask(state, is_finished, action_masks[row])
        if len(packed_masks) > 0:
            for word in range(packed_masks.shape[1]):
                packed_masks[row, word] = np.uint64(0) if is_finished else state.legal[word]
        if len(observations) > 0:
            viewer = slot.observing_seat if slot.observing_seat != NO_PLAYER else np.int64(state.current_player)
            write_observation(rules, params[0], state, row, viewer, observations)
