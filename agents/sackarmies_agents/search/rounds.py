"""Kernels of flat search: sampled worlds, and what candidates are worth in them."""

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

USUAL_SPREAD = 0.12  # of the difference that two actions make in a world: its standard deviation
USUAL_WEIGHT = 4  # worlds that this counts for in an estimate of it

# --- worlds


@njit
def derived_seed(seed, number):
    """Return the seed of what has a number, int64: of a world of a search, of a turn or a seat of a world."""
    return np.int64(mix(mix(np.uint64(seed)) ^ (np.uint64(number) << SPREAD)) & MASK63)


@njit
def sample_world(simulator, root, states, player, seed):
    """Write a state that may be the true one into `states` (1,).

    Args:
        simulator: of the game.
        root: (1,), a state of the player's information set.
        states: (1,), overwritten.
        player: whose information it is.
        seed: of the world.
    """
    states[0] = root[0]
    determinize(simulator, states, player, seed)


@njit
def draw_models(policy, models, player, seed):
    """Draw which variant of the policy each seat plays in a world: models (num_players,) int64; `player` plays 0."""
    for seat in range(len(models)):
        models[seat] = derived_seed(seed, seat) % policy.num_models if seat != player else 0


@njit
def play_turns(simulator, policy, evaluation, states, models, player, limits, seed):
    """Let a policy play all seats until the game is over or a turn after the last one has begun; return the worth.

    Positions are valued at the ends of the last turns, and the mean counts, with what an ended game earns for each turn
    that is missing: single evaluations are noisy, and favor whoever has just moved.

    Chance is seeded anew in each turn. So it brings two lines of play the same in later turns, however much of it they
    have used before, and what they end in differs less by luck. The turn at hand may already be over: its end counts
    all the same.

    Args:
        simulator: of the game.
        policy: plays all seats.
        evaluation: of positions.
        states: (1,), overwritten.
        models: (num_players,) int64, the variant of the policy that each seat plays.
        player: for whom.
        limits: the turn at hand, the last turn that is played, and how many turns are valued.
        seed: of chance.
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
    """Return in how many worlds a round is played.

    Args:
        left: playouts.
        rounds: that are left to play, this one included.
        num_running: plans in this round.
        room: worlds that can be kept.
    """
    share = max(np.int64(1), left // rounds // num_running)
    return min(share, left // num_running, room)


# --- plans: a legal id and the player's choices after it, NO_ACTION behind the last one


@njit
def goes_on(state, start):
    """Return whether whoever chose in `start` chooses again, before anybody else and before chance brings anything."""
    return (
        not is_over(state)
        and state.current_player == start.current_player
        and state.turn == start.turn
        and state.flip_count == start.flip_count
        and state.draw_count == start.draw_count
    )


@njit(counted=True)
def write_plans(simulator, policy, world, scratch, base, length, plans):
    """Write the plans that begin like another one, have each legal id next, and go on as a policy chooses.

    Args:
        simulator: of the game.
        policy: makes the choices after that, by its model 0.
        world: (1,), a state in which they are legal.
        scratch: (2,) states, overwritten.
        base: (depth,) int64, a plan that can be followed from there.
        length: how many of its choices to keep, less than it has.
        plans: (k, depth) int64, overwritten.

    Returns:
        How many plans there are.
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
    """Play a plan of `player`, as long as its choices are legal in the same turn; a policy plays the other seats."""
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
def prior_choice(simulator, policy, root, model):
    """Return what a policy chooses in `root` (1,)."""
    return choose_next(simulator, policy, root, model)


@njit
def play_worlds(simulator, policy, evaluation, root, scratch, models, plans, running, task, values):
    """Play plans on in some worlds, and write what that was worth.

    All plans meet the same chance and the same opponents in a world.

    Args:
        simulator: of the game.
        policy: plays all seats.
        evaluation: of the positions where playing on ends.
        root: (1,), a state of the player's information set.
        scratch: (2,) states, overwritten.
        models: (num_players,) int64, overwritten.
        plans: (k, depth) int64, see `write_plans`.
        running: (r,) int64, places of those that are played on.
        task: (6,) int64: the first world, the one behind the last, the player, turns to be played after this one, at
            the ends of how many of them positions are valued, seed.
        values: (k, w) float64, overwritten there.
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
    """Return the mean of the first `count` results of a plan; 0 without any."""
    total = 0.0
    for world in range(count):
        total += values[place, world]
    return total / max(np.int64(1), np.int64(count))


@njit
def gain_of(values, place, played):
    """Return by how much a plan did better than place 0 in its first `played` worlds, and the standard error.

    `USUAL_WEIGHT` worlds of the usual spread are added for the error: a few gains that happen to be alike prove little.
    """
    gain = mean_value(values, place, played) - mean_value(values, np.int64(0), played)
    squares = USUAL_WEIGHT * USUAL_SPREAD**2
    for world in range(played):
        squares += (values[place, world] - values[0, world] - gain) ** 2
    return gain, np.sqrt(squares / (played - 1 + USUAL_WEIGHT) / max(1, played))


@njit(counted=True)
def halve(running, num_running, values, played, optimism, least):
    """Leave the better half of the first `num_running` places in `running`, in order, and place 0; return how many.

    What would not gain `least` over place 0 even if it were `optimism` standard errors better than it looks goes as
    well. If place 0 alone is left, the race is over.
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
    """Play rounds, each with the better half of the one before, until playouts are spent or nothing is left to find.

    Args, where they differ from those of `play_worlds`:
        running: (k,) int64, overwritten: places of the plans in the race, in the end those of the last round.
        task: (6,) int64, overwritten: columns of `values` that are filled, how many playouts there are, and the rest as
            there.
        rounds: how many.
        optimism, least: see `halve`.
        values: (k, w) float64, overwritten as far as worlds are played.
        counts: (k,) int64, overwritten: in how many columns each plan has values.

    Returns:
        How many plans were in the last round.
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
