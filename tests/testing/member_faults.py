"""Faults planted in `determinize`, `initial_state` and texts: each takes a sound game and returns a spoilt copy."""

from __future__ import annotations

import itertools

import numpy as np

from sackarmies_env.core.state import NO_PLAYER
from tests.testing import call_faults
from tests.testing.call_faults import hidden_sum, hide_by_cards, hide_by_deck
from tests.testing.commands import broken, spoilt


def keeping(game, *fields):
    """Return a `determinize` that keeps the true values of some fields."""

    def determinize(params, states, players, seeds):
        kept = {field: states[field].copy() for field in fields}
        game.determinize(params, states, players, seeds)
        for field, content in kept.items():
            states[field] = content

    return determinize


def after(game, change):
    """Return a `determinize` that is followed by a fault, `change(states, players)`."""

    def determinize(params, states, players, seeds):
        game.determinize(params, states, players, seeds)
        change(states, players)

    return determinize


def reseed(states, seeds):
    """Do what every `determinize` must do, but resample only future chance."""
    for row, seed in enumerate(seeds.tolist()):
        states["draw_key"][row], states["flip_key"][row] = np.random.default_rng(seed).integers(1, 2**32, (2, 2))
    states["draw_count"] = states["flip_count"] = states["decisions"] = 0


# --- determinize


def idle_determinize(game):
    return broken(game, determinize_batch=lambda params, states, players, seeds: None)


def determinize_of_chance_alone(game):
    """Keep all cards as they are, in a game in which nothing new is ever hidden."""
    game = spoilt(game, call_faults.draw_nothing)
    return broken(game, determinize_batch=lambda params, states, players, seeds: reseed(states, seeds))


def determinize_for_player_0_alone(game):
    def determinize(params, states, players, seeds):
        for row, player in enumerate(players):
            one = slice(row, row + 1)
            if player == 0:
                game.determinize(params, states[one], players[one], seeds[one])
            else:
                reseed(states[one], seeds[one])

    return broken(spoilt(game, call_faults.draw_nothing), determinize_batch=determinize)


def determinize_keeps_the_key(game):
    return broken(game, determinize_batch=keeping(game, "draw_key"))


def determinize_fixes_the_key(game):
    return broken(game, determinize_batch=after(game, lambda states, players: states["draw_key"].fill(5)))


def determinize_keeps_the_count(game):
    return broken(game, determinize_batch=keeping(game, "decisions"))


def determinize_keeps_the_mask(game):
    return broken(game, determinize_batch=keeping(game, "legal", "num_legal"))


def determinize_keeps_the_deck(game):
    """Keep the future cards in the state, shuffled by the seed."""
    determinize = keeping(game, "script_draws", "script_draws_end")
    return broken(spoilt(game, call_faults.shuffle_a_deck), determinize_batch=determinize)


def determinize_leaves_the_truth_in_scratch(game):
    def determinize(params, states, players, seeds):
        truth = states["cards"].copy()
        game.determinize(params, states, players, seeds)
        states["script_draws"][:, :, : truth.shape[2]] = truth  # nobody is forced to draw

    return broken(game, determinize_batch=determinize)


def determinize_is_biased(game):
    def determinize(params, states, players, seeds):
        game.determinize(params, states, players, seeds + states["cards"].sum(axis=(1, 2)))

    return broken(game, determinize_batch=determinize)


def determinize_spares_the_eliminated(game):
    def determinize(params, states, players, seeds):
        cards, is_eliminated = states["cards"].copy(), states["lives"] == 0
        game.determinize(params, states, players, seeds)
        states["script_draws"][:, :, :3] = np.where(is_eliminated[..., None], cards, 0)

    return broken(game, determinize_batch=determinize)


def determinize_passes_the_turn(game):
    def change(states, players):
        for row in np.flatnonzero(states["current_player"] != NO_PLAYER):
            states["current_player"][row] ^= 1

    return broken(game, determinize_batch=after(game, change))


def determinize_empties_the_mask(game):
    def change(states, players):
        for field in ("legal", "num_legal"):
            states[field][states["current_player"] != players] = 0

    return broken(game, determinize_batch=after(game, change))


def determinize_breaks_the_world(game):
    """Make a step in a sampled world report an error."""
    world = broken(game, determinize_batch=after(game, lambda states, players: states["turn"].__iadd__(2000)))
    return spoilt(world, call_faults.error_in_late_turns)


# --- leaks


def mask_by_hidden_cards(game):
    def change(states, players):
        for row in range(len(states)):
            hide_by_cards(states, row)

    return broken(spoilt(game, call_faults.mask_by_hidden_cards), determinize_batch=after(game, change))


def mask_by_a_kept_deck(game):
    """Make the mask depend on future cards, which `determinize` keeps."""
    keep = keeping(game, "script_draws", "script_draws_end")

    def determinize(params, states, players, seeds):
        keep(params, states, players, seeds)
        for row in range(len(states)):
            hide_by_deck(states, row)

    return broken(spoilt(game, call_faults.mask_by_a_deck), determinize_batch=determinize)


def decision_named_by_hidden_cards(game):
    def describe_decision(states):
        return f"{game.describe_decision(states)}, {hidden_sum(states)} against you"

    return broken(game, describe_decision=describe_decision)


def text_by_hidden_cards(game):
    def format_action(states, action):
        return f"{game.format_action(states, action)} against {hidden_sum(states)}"

    def parse_action(states, text):
        return game.parse_action(states, text.partition(" against ")[0])

    return broken(game, format_action=format_action, parse_action=parse_action)


# --- initial states


def initial_state_is_empty(game):
    return broken(game, initial_state=lambda states: None)


def initial_state_differs_each_time(game):
    numbers = itertools.count(1)

    def initial_state(states):
        game.initial_state(states)
        states["shown"] = next(numbers)

    return broken(game, initial_state=initial_state)


# --- texts


def text_of_any_action_is_read(game):
    def parse_action(states, text):
        texts = [game.format_action(states, action) for action in range(game.num_actions)]
        if text not in texts:
            raise ValueError(text)
        return texts.index(text)

    return broken(game, parse_action=parse_action)


def text_is_read_by_its_beginning(game):
    """Read any text that begins with "card 1" as that action, whatever follows and whether or not it is legal."""

    def parse_action(states, text):
        return 0 if text.startswith("card 1") else game.parse_action(states, text)

    return broken(game, parse_action=parse_action)


def nonsense_is_a_lookup_error(game):
    def parse_action(states, text):
        legal_actions = np.zeros((1, game.num_actions), np.int8)
        game.legal_actions(game.params, states, legal_actions)
        return {game.format_action(states, one): one for one in np.flatnonzero(legal_actions[0]).tolist()}[text]

    return broken(game, parse_action=parse_action)


def text_is_read_after_the_end(game):
    def parse_action(states, text):
        return 0 if states["current_player"][0] == NO_PLAYER else game.parse_action(states, text)

    return broken(game, parse_action=parse_action)


def scenario_counts_looks(game):
    def to_scenario(states):
        states["shown"] += 1
        return game.to_scenario(states)

    return broken(game, write_scenario=to_scenario)
