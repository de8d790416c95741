"""Kernels of flat search: sampled worlds, and the values of candidates in them."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import NO_ACTION
from sackarmies_env.core.rng import mix
from sackarmies_env.core.simulator import (
    choose_next,
    determinize,
    is_legal,
    is_over,
    list_legal,
    play_on,
    reseed,
    step,
    value_of,
)

MASK63 = np.uint64(0x7FFFFFFFFFFFFFFF)
SPREAD = np.uint64(32)

USUAL_SPREAD = 0.12  # standard deviation of the difference between two actions in a world
USUAL_WEIGHT = 4  # number of worlds that this counts for in an estimate of it

# --- worlds


@njit
def derived_seed(seed, number):
    """Return the seed of a numbered part, int64: of a world of a search, or of a turn or a seat of a world."""
    return np.int64(mix(mix(np.uint64(seed)) ^ (np.uint64(number) << SPREAD)) & MASK63)


@njit
def sample_world(simulator, root, states, player, seed):
    """Write a state that may be the true one into `states` (1,).

    Args:
        simulator: simulator of the game.
        root: (1,), a state of the player's information set.
        states: (1,), overwritten.
        player: the player whose information set it is.
        seed: seed of the world.
    """
    states[0] = root[0]
    determinize(simulator, states, player, seed)


@njit
def draw_models(policy, models, player, seed):
    """Draw the variant of the policy for each seat in a world into models (num_players,) int64; `player` gets 0."""
    for seat in range(len(models)):
        models[seat] = derived_seed(seed, seat) % policy.num_models if seat != player else 0


@njit
def play_turns(simulator, policy, evaluation, states, models, player, limits, seed):
    """Have a policy play all seats until the game is over or a turn after the last one begins; return the value.

    Positions are valued at the ends of the last turns, and their mean is returned, with the return of an ended game for
    each turn not played: single evaluations are noisy, and favor the player who has just moved.

    Chance is reseeded at each turn. So two lines of play face the same chance in later turns, however much of it they
    have used before, and their outcomes differ less by luck. The current turn may already be over; its end counts
    anyway.

    Args:
        simulator: simulator of the game.
        policy: plays all seats.
        evaluation: evaluation of positions.
        states: (1,), overwritten.
        models: (num_players,) int64, the variant of the policy that each seat plays.
        player: the player for whom positions are valued.
        limits: the current turn, the last turn to play, and how many turn ends are valued.
        seed: seed of chance.
    """
    turn, last_turn, valued = limits
    total = 0.0
    count = 0
    while not is_over(states[0]) and turn <= last_turn:
        play_on(simulator, policy, states, models, turn)
        turn = states[0].turn
        reseed(states[0], derived_seed(seed, turn))
        if not is_over(states[0]) and turn > last_turn + 1 - valued:
            total += value_of(simulator, evaluation, states, player)
            count += 1
    if is_over(states[0]) or count == 0:
        total += (valued - count) * value_of(simulator, evaluation, states, player)
        count = valued
    return total / count


@njit
def worlds_of(left, rounds, num_running, room):
    """Return the number of worlds to play in a round.

    Args:
        left: playouts left.
        rounds: rounds left, including this one.
        num_running: number of plans in this round.
        room: maximum number of worlds whose results can be stored.
    """
    share = max(np.int64(1), left // rounds // num_running)
    return min(share, left // num_running, room)


# --- plans: a legal id and the player's choices after it, then NO_ACTION


@njit
def goes_on(state, start):
    """Return whether the player who chose in `start` chooses again, before any other player and before any chance.

    Results that a scenario forces, and those of `flip_method = "scripted"`, do not count as chance here.
    """
    return (
        not is_over(state)
        and state.current_player == start.current_player
        and state.turn == start.turn
        and state.flip_count == start.flip_count
        and state.draw_count == start.draw_count
    )


@njit(counted=True)
def write_plans(simulator, policy, world, scratch, base, length, plans):
    """Write the plans that begin like `base`, continue with each legal id, and then as a policy chooses.

    Args:
        simulator: simulator of the game.
        policy: makes the choices after that, with its model 0.
        world: (1,), a state in which they are legal.
        scratch: (2,) states, overwritten.
        base: (depth,) int64, a plan that can be followed from there.
        length: how many of its choices to keep, fewer than it has.
        plans: (k, depth) int64, overwritten.

    Returns:
        The number of plans.
    """
    scratch[0] = world[0]
    for i in range(length):
        step(simulator, scratch[:1], base[i])
    ids = np.empty(len(plans), np.int64)
    count = min(list_legal(scratch[0], ids), len(plans))
    for number in range(count):
        plan = plans[number]
        plan[:] = NO_ACTION
        plan[:length] = base[:length]
        plan[length] = ids[number]
        scratch[1] = scratch[0]
        step(simulator, scratch[1:], ids[number])
        for place in range(length + 1, len(plan)):
            if not goes_on(scratch[1], world[0]):
                break
            plan[place] = choose_next(simulator, policy, scratch[1:], 0)
            step(simulator, scratch[1:], plan[place])
    return count


@njit
def follow(simulator, policy, states, models, player, plan):
    """Play a plan of `player` while its choices are legal in the same turn; a policy plays the other seats."""
    turn = states[0].turn
    step(simulator, states, plan[0])
    for i in range(1, len(plan)):
        if plan[i] == NO_ACTION:
            return
        while not is_over(states[0]) and states[0].turn == turn and states[0].current_player != player:
            step(simulator, states, choose_next(simulator, policy, states, models[states[0].current_player]))
        if is_over(states[0]) or states[0].turn != turn or not is_legal(states[0], plan[i]):
            return
        step(simulator, states, plan[i])


# --- races


@njit
def play_worlds(simulator, policy, evaluation, root, scratch, models, plans, running, task, values):
    """Play on from plans in some worlds, and write their values.

    All plans face the same chance and the same opponents in a world.

    Args:
        simulator: simulator of the game.
        policy: plays all seats.
        evaluation: evaluation of the positions where playouts end.
        root: (1,), a state of the player's information set.
        scratch: (2,) states, overwritten.
        models: (num_players,) int64, overwritten.
        plans: (k, depth) int64, see `write_plans`.
        running: (r,) int64, indexes of the plans to play.
        task: (6,) int64: the first world, the one after the last, the player, turns to play after the current one,
            number of turn ends at which positions are valued, seed.
        values: (k, w) float64, overwritten for these plans and worlds.
    """
    first, last, player, horizon, valued, search_seed = task
    limits = (root[0].turn, root[0].turn + horizon, valued)
    for world in range(first, last):
        seed = derived_seed(search_seed, world)
        sample_world(simulator, root, scratch[:1], player, seed)
        draw_models(policy, models, player, seed)
        for i in range(len(running)):
            scratch[1] = scratch[0]
            follow(simulator, policy, scratch[1:], models, player, plans[running[i]])
            value = play_turns(simulator, policy, evaluation, scratch[1:], models, player, limits, seed)
            values[running[i], world] = value


@njit
def mean_value(values, place, count):
    """Return the mean of the first `count` results of a plan; 0 if there are none."""
    total = 0.0
    for world in range(count):
        total += values[place, world]
    return total / max(np.int64(1), np.int64(count))


@njit
def gain_of(values, place, played):
    """Return how much better than plan 0 a plan did in its first `played` worlds, and the standard error.

    `USUAL_WEIGHT` worlds of the usual spread are added for the error: a few gains that happen to be alike prove little.
    """
    gain = mean_value(values, place, played) - mean_value(values, np.int64(0), played)
    squares = USUAL_WEIGHT * USUAL_SPREAD**2
    for world in range(played):
        squares += (values[place, world] - values[0, world] - gain) ** 2
    return gain, np.sqrt(squares / (played - 1 + USUAL_WEIGHT) / max(1, played))


@njit(counted=True)
def halve(running, num_running, values, played, optimism, least):
    """Keep plan 0 and the better half of the first `num_running` plans in `running`, in order; return how many.

    A plan that would not gain `least` over plan 0 even if it were `optimism` standard errors better than it looks is
    dropped as well. If only plan 0 is left, the race is over.
    """
    if played == 0:
        return num_running
    kept = max(2, (num_running + 1) // 2)
    count = np.int64(0)
    means = np.empty(num_running)
    for i in range(num_running):
        means[i] = mean_value(values, running[i], played)
    for i in range(num_running):
        better = 0
        for other in range(num_running):
            better += means[other] > means[i] or (means[other] == means[i] and other < i)
        gain, error = gain_of(values, running[i], played)
        if running[i] == 0 or (better < kept and gain + optimism * error >= least):
            running[count] = running[i]
            count += 1
    return count


@njit
def run_race(
    simulator,
    policy,
    evaluation,
    root,
    scratch,
    models,
    plans,
    running,
    task,
    rounds,
    optimism,
    least,
    values,
    counts,
):
    """Play rounds, each with the better half of the previous one, until playouts are spent or one plan is left.

    Args, where they differ from those of `play_worlds`:
        running: (k,) int64, overwritten: indexes of the plans in the race, in the end those of the last round.
        task: (6,) int64, overwritten: number of filled columns of `values`, number of playouts, and the rest as there.
        rounds: number of rounds.
        optimism, least: see `halve`.
        values: (k, w) float64, overwritten as far as worlds are played.
        counts: (k,) int64, overwritten: number of columns that each plan has filled.

    Returns:
        The number of plans in the last round.
    """
    played, left = task[0], task[1]
    num_running = np.int64(len(plans))
    for number in range(rounds):
        count = worlds_of(left, rounds - number, num_running, values.shape[1] - played)
        task[0] = played
        task[1] = played + count
        chosen = running[:num_running]
        play_worlds(simulator, policy, evaluation, root, scratch, models, plans, chosen, task, values)
        played += count
        left -= count * num_running
        for i in range(num_running):
            counts[running[i]] = played
        if number < rounds - 1:
            num_running = halve(running, num_running, values, played, optimism, least)
        if num_running == 1:
            break
    return num_running
