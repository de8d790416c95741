"""Faults planted in `step_batch`: each takes a `Call` of a sound game and runs it."""

from __future__ import annotations

import itertools

import numpy as np

from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import UNLIMITED, Command, dispatch


def hidden_sum(states, row=0):
    """Return the sum of the cards of all players still in the game except the current one."""
    player = states["current_player"][row]
    others = np.arange(states["cards"].shape[1]) != player
    return int(states["cards"][row][others & (states["lives"][row] > 0)].sum())


def hide_an_action(states, row):
    """Remove the lowest legal id, unless it is the only one."""
    legal = legal_ids(states["legal"][row])
    if len(legal) > 1:
        states["legal"][row, 0] ^= np.uint64(1 << legal[0])
        states["num_legal"][row] -= 1


def hide_by_cards(states, row):
    """Remove a legal action, depending on the cards of others."""
    if hidden_sum(states, row) % 2:
        hide_an_action(states, row)


def hide_by_deck(states, row):
    """Remove a legal action, depending on a future card."""
    if states["script_draws"][row, 0, 0] % 2:
        hide_an_action(states, row)


# --- leaks


def observation_of_a_hidden_card(call):
    """Show a card of the first player in the last number, which is a count of lives: 0 to 2."""
    call.run()
    if len(call.outputs.observations):
        rows = call.rows()
        call.outputs.observations[rows, -1] = call.states["cards"][rows, 0, 0] % 3


def mask_by_hidden_cards(call):
    call.run()
    for row in call.played():
        hide_by_cards(call.states, row)


def shuffle_a_deck(call):
    call.run()
    for row in call.rows(Command.BEGIN):
        rng = np.random.default_rng(call.argument(row))
        call.states["script_draws"][row] = rng.integers(1, 5, call.states["script_draws"].shape[1:])
        call.states["script_draws_end"][row] = 9


def mask_by_a_deck(call):
    shuffle_a_deck(call)
    for row in call.played():
        hide_by_deck(call.states, row)


def returns_by_hidden_cards(call):
    call.run()
    states, results = call.states, call.outputs.results
    for row in call.going_on() if len(results) else []:
        for player in np.flatnonzero(states["lives"][row]):
            results[row, 0, player] = np.delete(states["cards"][row], player, axis=0).sum() / 100


def terminations_by_hidden_cards(call):
    """Report in the first turn that player 1 is out if the first two cards of player 0 are the highest ones.

    In the games that are played before look-alikes are compared they are not: else checks of returns would fail first.
    """
    call.run()
    states, results = call.states, call.outputs.results
    for row in call.going_on() if len(results) else []:
        if states["turn"][row] == 1 and (states["cards"][row, 0, :2] == 4).all():
            results[row, 1, 1] = 1


# --- reads


def observation_out_of_range(call):
    call.run()
    if len(call.outputs.observations):
        call.outputs.observations[:, 5] = 99


def observation_counts_looks(call):
    call.run()
    if len(call.outputs.observations):
        call.states["shown"][call.rows()] += 1


def mask_counts_looks(call):
    call.run()
    if len(call.outputs.action_masks):
        call.states["shown"][call.rows()] += 1


def returns_count_looks(call):
    call.run()
    if len(call.outputs.results):
        call.states["shown"][call.rows()] += 1


def mask_without_cards(call):
    call.run()
    call.outputs.action_masks[:, :4] = 0


def mask_of_twos(call):
    call.run()
    if len(call.outputs.action_masks):
        call.outputs.action_masks[call.rows()] *= 2


# --- steps and resets


def draw_nothing(call):
    """Replace no card in a game that has begun."""
    kept = {row: call.states["cards"][row].copy() for row in call.rows(Command.STEP, Command.FORFEIT)}
    call.run()
    for row, cards in kept.items():
        call.states["cards"][row] = cards
        dispatch(call.game.step_batch, call.params, call.states[row : row + 1], Command.RESUME)


def error_in_late_turns(call):
    call.run()
    for row in call.rows(Command.STEP):
        call.states["error"][row] = 2 * (call.states["turn"][row] > 1000)


def second_step_reports_an_error(call):
    call.run()
    for row in call.rows(Command.STEP):
        call.states["error"][row] = 3 * (call.states["decisions"][row] == 2)


COUNT = itertools.count()


def step_by_a_count_of_the_process(call):
    rows = call.going_on(Command.STEP)
    call.run()
    for row in rows:
        call.states["shown"][row] = next(COUNT) % 5


def step_counts_twice(call):
    rows = call.going_on(Command.STEP)
    call.run()
    call.states["decisions"][rows] += 1


def resume_changes_a_field(call):
    call.run()
    call.states["shown"][call.rows(Command.RESUME)] ^= 1


def reset_leaves_a_field(call):
    shown = {row: call.states["shown"][row] for row in call.rows(Command.BEGIN) if row < len(call.states) - 1}
    call.run()
    for row, value in shown.items():
        call.states["shown"][row] = value


def reset_counts_rows(call):
    call.run()
    if len(call.commands) > 2:
        call.states["turn"][call.rows(Command.BEGIN)] *= len(call.commands)


def observation_of_the_first_seat(call):
    call.slots = call.slots.copy()
    call.slots["observing_seat"] = call.slots["observing_seat"][0]
    call.run()


# --- ends


def survivors_of_truncation_get_nothing(call):
    call.run()
    if len(call.outputs.results):
        rows = [row for row in call.rows() if call.states["truncated"][row]]
        call.outputs.results[rows, 0] = np.minimum(call.outputs.results[rows, 0], 0)


def change_returns_of_ended_games(call, change):
    call.run()
    if len(call.outputs.results):
        rows = [row for row in call.rows() if call.states["terminated"][row]]
        call.outputs.results[rows, 0] = change(call.outputs.results[rows, 0])


def winners_get_half(call):
    change_returns_of_ended_games(call, lambda earned: np.minimum(earned, 0.5))


def losers_get_it_back(call):
    change_returns_of_ended_games(call, np.zeros_like)


def winners_get_no_number(call):
    change_returns_of_ended_games(call, lambda earned: np.where(earned > 0, np.nan, earned))


def turn_without_a_limit(call):
    """Allow the card played last to be played again and again, at no cost."""
    again = [row for row in call.going_on(Command.STEP) if call.argument(row) + 1 == call.states["shown"][row]]
    call.commands = call.commands.copy()
    call.commands["kind"][np.isin(call.commands["row"], again)] = Command.READ
    call.run()
    call.states["decisions"][again] += 1


def limit_is_ignored(call):
    slots = call.slots
    call.slots = slots.copy()
    call.slots["max_decisions"] = UNLIMITED
    call.run()
    limits = slots["max_decisions"].copy()
    slots[...] = call.slots
    slots["max_decisions"] = limits


def step_after_the_end(call):
    call.run()
    call.states["turn"][call.over(Command.STEP)] += 1


def end_of_both_kinds(call):
    call.run()
    for row in call.played():
        call.states["truncated"][row] |= call.states["terminated"][row]


def end_with_a_current_player(call):
    rows = call.going_on(Command.STEP)
    call.run()
    call.states["current_player"][[row for row in rows if call.states["terminated"][row]]] = 0
    for row in call.going_on() if len(call.outputs.action_masks) else ():
        call.outputs.action_masks[row, 0] |= call.states["terminated"][row]


def mask_after_the_end(call):
    call.run()
    if len(call.outputs.action_masks):
        call.outputs.action_masks[call.over(), 0] = 1


def winner_is_not_terminated(call):
    call.run()
    if len(call.outputs.results):
        rows = call.rows()
        call.outputs.results[rows, 1] = call.states["lives"][rows, : call.game.num_players] == 0


def forfeit_without_effect(call):
    call.replace(Command.FORFEIT, Command.READ)
    call.run()


def skip_counts_as_a_turn(call):
    call.run()
    call.states["turn"][call.rows(Command.SKIP)] += 1


def forfeit_leaves_the_turn(call):
    current = call.states["current_player"].copy()
    call.run()
    for row in call.going_on(Command.FORFEIT):
        call.states["current_player"][row] = current[row]


def forfeit_leaves_nothing_to_do(call):
    call.run()
    for field in ("legal", "num_legal"):
        call.states[field][call.rows(Command.FORFEIT)] = 0


def forfeits_end_no_game(call):
    """Eliminate players who forfeit, even the last one, and ask the next player for a card."""
    rows = call.rows(Command.FORFEIT)
    call.replace(Command.FORFEIT, Command.SKIP)
    call.run()
    for row in rows:
        player, states = call.argument(row), call.states
        states["lives"][row, player] = 0
        states["pending"][row] = 0
        states["current_player"][row] = (player + 1) % call.game.num_players
        states["legal"][row] = states["num_legal"][row] = 1


def forfeit_after_the_end(call):
    rows = call.over(Command.FORFEIT)
    call.run()
    call.states["turn"][rows] += 1


# --- many games in one call


def random_takes_one_less(call):
    call.add_to_argument(Command.RANDOM, -1)
    call.run()


def begin_of_some_games_takes_the_next_seed(call):
    if len(call.commands) < len(call.slots):
        call.add_to_argument(Command.BEGIN, 1)
    call.run()


def restart_shows_the_new_returns(call):
    call.run()
    call.outputs.results[call.restarted()] = 0


def restart_leaves_a_field(call):
    shown = call.states["shown"].copy()
    call.run()
    for row in call.restarted():
        call.states["shown"][row] = max(1, shown[row])


def restart_keeps_the_seed(call):
    seeds = call.slots["seed"].copy()
    call.run()
    rows = call.restarted()
    call.slots["seed"][rows] = seeds[rows]


def leave_output(call, kind, name):
    """Run a call, but leave an output unchanged in the rows of commands of a kind."""
    output, rows = getattr(call.outputs, name), call.rows(kind)
    before = output.copy()
    call.run()
    if len(output):
        output[rows] = before[rows]


def step_leaves_the_mask(call):
    leave_output(call, Command.STEP, "action_masks")


def step_leaves_the_bits(call):
    leave_output(call, Command.STEP, "packed_masks")


def step_leaves_the_observation(call):
    leave_output(call, Command.STEP, "observations")


def step_clears_the_observation_of_another_row(call):
    call.run()
    if len(call.commands) == 1 and len(call.outputs.observations):
        others = [(row + 1) % len(call.outputs.observations) for row in call.rows(Command.STEP)]
        call.outputs.observations[others] = 0


def forfeit_leaves_the_results(call):
    leave_output(call, Command.FORFEIT, "results")


def read_leaves_the_results_of_the_former_game(call):
    if call.slots["restarts"].any():
        leave_output(call, Command.READ, "results")
    else:
        call.run()


def await_does_nothing(call):
    call.replace(Command.AWAIT, Command.READ)
    call.run()


def skip_clears_the_observation(call):
    call.run()
    if len(call.outputs.observations):
        call.outputs.observations[call.rows(Command.SKIP)] = 0


def observing_seat_is_shown_what_another_sees(call):
    call.run()
    game, states = call.game, call.states
    for row in set(call.observed()) & set(call.played()) if len(call.outputs.observations) else ():
        one = slice(row, row + 1)
        other = (call.slots["observing_seat"][one] + 1) % game.num_players
        if states["current_player"][row] != NO_PLAYER:
            game.observe(game.params, states[one], other, call.outputs.observations[one])
