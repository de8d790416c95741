"""Samples from lists of built-in armies: likely if all that is known fits a list, and never if it does not."""

from collections import Counter

import numpy as np

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Zone
from sackarmies_env.games.sack_armies.state.params import MAX_LISTS
from sackarmies_env.games.sack_armies.tokens.army import army_ids, load_army
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from tests.sack_armies.builders.derived import rebuild_derived
from tests.sack_armies.builders.twin_worlds import build, copy_of, guess, plain, record, wander

NUMBERS = {token_id: number for number, token_id in enumerate(load_catalogue())}
GUESSES = 40 if INTERPRETED else 1000


def begun(**config):
    """Return a game and its first position."""
    game = make_game(**config)
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    return game, states


def army_in(states, player):
    """Return how many tokens of each type a General has, as a sorted tuple."""
    state = plain(states)
    rows = (state["token_owner"] == player) & (state["token_zone"] != Zone.NONE)
    return tuple(sorted(Counter(state["token_type"][rows].tolist()).items()))


def listed(game):
    """Return the ids of a game's listed armies, keyed by their tokens in the form of `army_in`."""
    copies = game.params["list_copies"][0, : int(game.params["num_lists"][0])]
    rows = [tuple((number, int(row[number])) for number in np.flatnonzero(row)) for row in copies]
    return dict(zip(rows, army_ids(), strict=True))


def guessed_armies(game, states, viewer, player, count=GUESSES):
    """Return how often each listed army is sampled; None stands for all others."""
    names = listed(game)
    return Counter(names.get(army_in(guess(game, states, viewer, seed), player)) for seed in range(count))


def test_all_built_in_armies_are_listed():
    game, states = begun(armies=["undead", "monsters"])
    assert len(listed(game)) == len(army_ids()) <= MAX_LISTS
    assert listed(game)[army_in(states, 0)] == "undead"
    assert game.params["list_size"][0].max() == max(load_army(name).size for name in army_ids())


def test_armies_that_switches_forbid_are_not_listed():
    small = {"name": "small", "tokens": {"plain": 5, "bone_guard": 4}}
    game, states = begun(armies=[small, small], switches={"max_ranks": 9})
    assert game.params["num_lists"][0] == 0
    assert plain(guess(game, states, 0, 1))["error"] == 0


def test_without_any_knowledge_each_army_of_that_size_is_guessed_alike():
    game, states = begun(armies=["undead", "fey_court"])
    size = load_army("fey_court").size
    expected = {name for name in army_ids() if load_army(name).size == size}
    found = guessed_armies(game, states, 0, 1)
    free = found.pop(None)
    assert found.keys() <= expected
    if not INTERPRETED:
        assert found.keys() == expected
        mean = GUESSES * 7 / 8 / len(expected)
        assert max(abs(count - mean) for count in found.values()) < 5 * np.sqrt(mean)
        assert abs(free - GUESSES / 8) < 5 * np.sqrt(GUESSES / 8)


def test_an_army_that_fits_is_guessed_the_more_often_the_more_is_known():
    game = build("standard")
    shares = []
    for ply, states in enumerate(wander(game, seed=3)):
        if ply % 200 == 199:
            found = guessed_armies(game, states, 0, 1, count=200)
            shares.append(found["goblin_swarm"] / found.total())
    assert INTERPRETED or (shares[-1] > 0.97 and sorted(shares) == shares), shares


def with_seen(game, states, token_id, count):
    """Return a world in which `count` tokens of General 1 were seen and went back to the sack."""
    world = copy_of(game, states)
    rows = np.flatnonzero((plain(world)["token_type"] == NUMBERS[token_id]) & (plain(world)["token_owner"] == 1))
    world["token_seen"][0, rows[:count]] = 1
    rebuild_derived(game.params[0], record(world))
    return world


def test_an_army_with_more_copies_than_a_list_has_is_not_guessed_by_it():
    odd = dict(load_army("undead").counts) | {"bone_guard": 5, "pit_demon": 2}
    game, states = begun(armies=["monsters", {"name": "odd", "tokens": odd}], switches={"max_ranks": 43})
    assert "undead" in guessed_armies(game, with_seen(game, states, "pit_demon", 1), 0, 1)
    assert guessed_armies(game, with_seen(game, states, "pit_demon", 2), 0, 1).keys() == {None}


def test_an_army_with_tokens_of_its_own_is_not_guessed_by_a_list_once_one_is_known():
    game, states = begun(scenario=build("battle").config["scenario"])
    assert guessed_armies(game, states, 0, 1, count=GUESSES // 10).keys() == {None}
