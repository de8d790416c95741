"""Kernels of the compared methods: playing plans on, and a tree over information sets."""

from __future__ import annotations

import numpy as np

from sackarmies_agents.search.rounds import derived_seed, goes_on, sample_world
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import mix
from sackarmies_env.core.simulator import (
    choose,
    choose_next,
    determinize,
    is_legal,
    is_over,
    list_legal,
    look,
    play_on,
    step,
    value_of,
)

DECISION, ACTION = range(2)  # columns of a step of a plan
NO_STEP = -1

# --- worlds, which all methods but the shipped one keep


@njit
def sample_worlds(simulator, root, worlds, first, last, player, seed):
    """Write states that may be the true one into `worlds` (w,), at indices `first` to `last` - 1."""
    for world in range(first, last):
        sample_world(simulator, root, worlds[world : world + 1], player, derived_seed(seed, world))


@njit
def play_round(simulator, policy, evaluation, worlds, scratch, candidates, models, limits, values):
    """Play each candidate on in some worlds, and write the resulting values.

    All candidates meet the same chance and the same opponents in a world.

    Args:
        simulator: simulator of the game.
        policy: plays all seats.
        evaluation: values the positions where playing on ends.
        worlds: (w,) states.
        scratch: (1,) states, overwritten.
        candidates: (k, 2) int64: a legal id, and its row of `values`.
        models: (w, num_players) int64, the variant of the policy that each seat plays in a world.
        limits: (4,) int64: the first world, the last world + 1, the player, and the number of turns after this one.
        values: (rows, w) float64, overwritten for these candidates and worlds.

    Returns:
        Decisions played, forced ones included.
    """
    first, last, player, horizon = limits
    decisions = np.int64(0)
    for world in range(first, last):
        last_turn = worlds[world].turn + horizon
        for i in range(len(candidates)):
            scratch[0] = worlds[world]
            step(simulator, scratch, candidates[i, 0])
            decisions += 1 + play_on(simulator, policy, scratch, models[world], last_turn)
            values[candidates[i, 1], world] = value_of(simulator, evaluation, scratch, player)
    return decisions


# --- plans: a choice and those that follow from it, up to the next decision of the same kind


@njit
def holds_decision(plan, length, decision):
    """Return whether one of the first `length` steps of a plan answers this kind of decision."""
    for i in range(length):
        if plan[i, DECISION] == decision:
            return True
    return False


@njit
def complete_plan(simulator, policy, root, states, plan, length):
    """Extend the first `length` steps of a plan, which have led to `states[0]`, by the policy's choices."""
    for i in range(length, len(plan)):
        plan[i, DECISION] = NO_STEP
    while length < len(plan) and goes_on(states[0], root[0]) and not holds_decision(plan, length, states[0].decision):
        plan[length, DECISION] = states[0].decision
        plan[length, ACTION] = choose_next(simulator, policy, states, 0)
        step(simulator, states, plan[length, ACTION])
        length += 1


@njit(counted=True)
def make_plans(simulator, policy, root, scratch, base, length, plans):
    """Write the plans that begin with `length` steps of `base` and go on with each legal id; return how many.

    Args:
        simulator: simulator of the game.
        policy: makes the choices after that.
        root: (1,), a state of the player's information set.
        scratch: (2,) states, overwritten.
        base: (depth, 2) int64, a plan.
        length: how many of its steps to keep, fewer than depth.
        plans: (k, depth, 2) int64, overwritten: decisions and legal ids, NO_STEP after the last one.
    """
    scratch[0] = root[0]
    for i in range(length):
        step(simulator, scratch[:1], base[i, ACTION])
    ids = np.empty(len(plans), np.int64)
    count = min(list_legal(scratch[0], ids), len(plans))
    for number in range(count):
        plan = plans[number]
        for i in range(length):
            plan[i] = base[i]
        plan[length, DECISION] = scratch[0].decision
        plan[length, ACTION] = ids[number]
        scratch[1] = scratch[0]
        step(simulator, scratch[1:], ids[number])
        complete_plan(simulator, policy, root, scratch[1:], plan, length + 1)
    return count


@njit
def follow(simulator, policy, states, plan, player, models, last_turn):
    """Play a plan for as long as its decisions come up and its ids are legal; the policy plays the other seats."""
    for i in range(len(plan)):
        while not is_over(states[0]) and states[0].current_player != player and states[0].turn <= last_turn:
            step(simulator, states, choose_next(simulator, policy, states, models[states[0].current_player]))
        if is_over(states[0]) or states[0].current_player != player or states[0].decision != plan[i, DECISION]:
            return
        if not is_legal(states[0], plan[i, ACTION]):
            return
        step(simulator, states, plan[i, ACTION])


@njit
def play_plans(simulator, policy, evaluation, worlds, scratch, plans, rows, models, limits, values):
    """Play plans on in some worlds, and write the resulting values; arguments as for `play_round`."""
    first, last, player, horizon = limits
    for world in range(first, last):
        last_turn = worlds[world].turn + horizon
        for i in range(len(plans)):
            scratch[0] = worlds[world]
            follow(simulator, policy, scratch[:1], plans[i], player, models[world], last_turn)
            play_on(simulator, policy, scratch[:1], models[world], last_turn)
            values[rows[i], world] = value_of(simulator, evaluation, scratch[:1], player)


# --- a tree

KEY, SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
WORD = 8  # bytes


@njit(counted=True)
def key_of(observation, player):
    """Return a hash of a player's observation, (size,) int8."""
    found = np.uint64(player) + KEY
    rest = len(observation) % WORD
    words = observation[: len(observation) - rest].view(np.uint64)
    for i in range(len(words)):
        found = (found ^ words[i]) * KEY
        found ^= found >> SHIFT
    for i in range(len(observation) - rest, len(observation)):
        found = (found ^ np.uint64(observation[i])) * KEY
    return mix(found)


@njit
def place_of(keys, key):
    """Return the index at which the table holds a key, or where the key belongs."""
    mask = np.uint64(len(keys) - 1)
    place = key & mask
    while keys[place] != np.uint64(0) and keys[place] != key:
        place = (place + np.uint64(1)) & mask
    return place


@njit
def edge_of(node, action):
    """Return the key of an action at a node; for action -1, that of the node itself."""
    return mix(node ^ (np.uint64(action + 2) * KEY)) | np.uint64(1)


@njit
def select(tree, node, ids, count, prior, settings):
    """Return the legal id that PUCT chooses at a node.

    Args:
        tree: keys, visits, and sums of values for the node's player.
        node: key of the node.
        ids: (k,) int64, legal ids.
        count: number of legal ids.
        prior: the policy's choice.
        settings: (2,) float64: weight of exploration, and the share of `prior` beyond an equal one.
    """
    keys, visits, sums = tree
    own = place_of(keys, edge_of(node, -1))
    total = visits[own]
    mean = sums[own] / total if total > 0 else 0.0
    best, choice = -1e9, prior
    for i in range(count):
        place = place_of(keys, edge_of(node, ids[i]))
        tried = visits[place] if keys[place] != np.uint64(0) else np.int64(0)
        value = sums[place] / tried if tried > 0 else mean
        share = (1.0 - settings[1]) / count + (settings[1] if ids[i] == prior else 0.0)
        value += settings[0] * share * np.sqrt(np.float64(max(total, 1))) / (1.0 + tried)
        if value > best:
            best, choice = value, ids[i]
    return choice


@njit
def add_visit(tree, key, value):
    """Count a visit of a node or an edge."""
    keys, visits, sums = tree
    place = place_of(keys, key)
    keys[place] = key
    visits[place] += 1
    sums[place] += value


@njit(counted=True)
def grow_tree(simulator, policy, evaluation, root, scratch, tree, models, seeds, limits, settings):
    """Search: each iteration samples a world, descends the tree, adds a node, and plays on from there.

    Nodes are what the current player sees. Each player maximizes their own value. For two-player games.

    Args:
        simulator: simulator of the game.
        policy: gives the prior of every node, and plays on.
        evaluation: values the positions where playing on ends.
        root: (1,), a state of the player's information set.
        scratch: (1,) states, overwritten.
        tree: as in `select`, empty; with room for more than twice the iterations.
        models: (num_players,) int64, the variant of the policy that each seat plays.
        seeds: (iterations,) int64, seeds of the worlds.
        limits: (2,) int64: the player, and the number of turns to play after this one.
        settings: as in `select`.
    """
    player, horizon = limits
    path = np.empty(256, np.uint64)
    movers = np.empty(256, np.int64)
    ids = np.empty(1024, np.int64)
    for seed in seeds:
        scratch[0] = root[0]
        determinize(simulator, scratch, player, seed)
        last_turn = scratch[0].turn + horizon
        depth = 0
        is_new = False
        while not is_new and not is_over(scratch[0]) and scratch[0].turn <= last_turn and depth + 2 <= len(path):
            look(simulator, scratch)
            mover = np.int64(scratch[0].current_player)
            prior = choose(simulator, policy, 0)
            node = key_of(simulator.decision.observations[0], mover)
            own = edge_of(node, -1)
            is_new = tree[0][place_of(tree[0], own)] == np.uint64(0) and depth > 0
            action = prior
            if not is_new:
                count = min(list_legal(scratch[0], ids), len(ids))
                action = select(tree, node, ids, count, prior, settings)
            path[depth] = own
            path[depth + 1] = edge_of(node, action)
            movers[depth] = mover
            movers[depth + 1] = mover
            depth += 2
            step(simulator, scratch, action)
        play_on(simulator, policy, scratch, models, last_turn)
        value = value_of(simulator, evaluation, scratch, player)
        for i in range(depth):
            add_visit(tree, path[i], value if movers[i] == player else -value)


@njit
def read_root(simulator, root, tree, ids, visits, sums):
    """Write how often each legal id of the root was chosen and the sum of its values; return how many ids."""
    look(simulator, root)
    node = key_of(simulator.decision.observations[0], np.int64(root[0].current_player))
    count = min(list_legal(root[0], ids), len(ids))
    for i in range(count):
        place = place_of(tree[0], edge_of(node, ids[i]))
        visits[i] = tree[1][place] if tree[0][place] != np.uint64(0) else 0
        sums[i] = tree[2][place] if tree[0][place] != np.uint64(0) else 0.0
    return count
