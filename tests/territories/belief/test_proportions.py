"""Samples have the distribution of chapter 3.2, enumerated from what all players have seen of the cards."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
import pytest

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.actions import DONE, DRAW, FIRST_CARD
from sackarmies_env.games.territories.state.constants import MAX_HAND, NUM_CARDS, TurnStep
from tests.territories.belief.history import History, hand_of, p_value, sampled
from tests.territories.builders import TROOPS, table
from tests.territories.referee.random_play import choose

SAMPLES = 300 if INTERPRETED else 20_000
FALSE_ALARM = 1e-7
MOST_WORLDS = 400
DECK = Counter({0: 3, 8: 2, 11: 2, 4: 1})  # kinds from 0: few cards, so that all worlds can be enumerated
DECISIONS = 60 if INTERPRETED else 700
EVERY = 9  # decisions between two positions, times the number of other players
FORFEITS = 0.004
CARD_IDS = range(FIRST_CARD, FIRST_CARD + NUM_CARDS)
TABLES = [(2, "small"), (2, "full"), (3, "full"), (4, "full")]


def begin(num_players: int, map_name: str, seed: int, change: Callable[[Game], Game] | None = None) -> History:
    """Start a game with a small deck."""
    game = make_game(num_players, map_name)
    game = game if change is None else change(game)
    states = game.new_states(1)
    game.start(states, seed)
    states["deck"][0] = [DECK[kind] for kind in range(NUM_CARDS)]
    states["deck_count"] = DECK.total()
    return History(game, states)


class Position(NamedTuple):
    """A moment of a game to check, the player whose view is sampled, and the number of draws to look ahead."""

    history: History
    viewer: int
    num_draws: int


def next_action(rng: random.Random, legal: list[int], is_hurried: bool) -> int:
    """Choose an action at random, with many draws; in a hurried game, cards come and go while little else happens."""
    if DRAW in legal and rng.random() < (0.9 if is_hurried else 0.7):
        return DRAW
    cards = [action for action in legal if action in CARD_IDS]
    if is_hurried and cards and rng.random() < 0.5:
        return rng.choice(cards)
    return DONE if is_hurried and DONE in legal and rng.random() < 0.7 else choose(rng, legal, "scholar")


def positions(history: History, seed: int, *, is_hurried: bool = False) -> Iterator[Position]:
    """Play a random game with many draws; yield positions, once for each player who faces hidden cards."""
    rng, state = random.Random(seed), history.states.view(np.ndarray)[0]
    for number in range(DECISIONS):
        if state["current_player"] < 0:
            return
        legal = legal_ids(state["legal"])
        if number % (EVERY * (history.game.num_players - 1)) == 0:
            num_draws = int(DRAW in legal and state["deck_count"] > 0)
            for viewer in range(history.game.num_players):
                if history.hidden_slots(viewer):
                    yield Position(history, viewer, num_draws)
        if rng.random() < FORFEITS and history.game.num_players > 2:
            history.forfeit(rng.choice(np.flatnonzero(state["alive"]).tolist()))
        else:
            history.act(next_action(rng, legal, is_hurried))


def check(position: Position, seed: int) -> tuple[int, float]:
    """Compare samples with the exact distribution; return the number of worlds (0: too many) and the p-value."""
    history, viewer, num_draws = position
    expected = history.worlds(viewer, num_draws=num_draws)
    if len(expected) > MOST_WORLDS:
        return 0, 1.0
    assert sum(expected.values()) == pytest.approx(1)
    others = [player for player in range(history.game.num_players) if player != viewer]
    truth = tuple(kind for player in others for kind in hand_of(history.states[0], player))
    assert any(world[: len(truth)] == truth for world in expected)
    seeds = np.arange(SAMPLES) + seed * 100_003
    return len(expected), p_value(expected, sampled(history, viewer, seeds, num_draws=num_draws))


def traits(position: Position) -> set[str]:
    """Return the names of the cases that a position is an example of."""
    history, viewer, _ = position
    state = history.states[0]
    cycles = {cycle for _, cycle in history.hidden_slots(viewer)}
    present = len(history.decks) - 1
    holders = {player for player, _ in history.hidden_slots(viewer)}
    found = {
        "several cycles": len(cycles) > 1,
        "old cards alone": cycles and present not in cycles,
        "several holders": len(holders) > 1,
        "viewer out": not state["alive"][viewer],
        "viewer not current": state["current_player"] != viewer,
        "viewer current": state["current_player"] == viewer,
        "own cards": bool(state["hand_count"][viewer]),
        "then a draw": position.num_draws > 0,
        "known exactly": len(history.worlds(viewer)) == 1,
        "kinds excluded": any(
            kind in kinds
            for (_, cycle), kinds in zip(history.hidden_slots(viewer), history.exclusions(viewer), strict=True)
            for kind in history.unseen(viewer, cycle)
        ),
    }
    return {name for name, holds in found.items() if holds}


@pytest.mark.parametrize(("num_players", "map_name"), TABLES)
def test_guesses_come_in_the_proportions_of_the_rules(num_players, map_name):
    met, values = Counter(), []
    for seed, is_hurried in product(range(3), (False, True)):
        course = positions(begin(num_players, map_name, seed), seed, is_hurried=is_hurried)
        for number, position in enumerate(course):
            num_worlds, value = check(position, number)
            assert value > FALSE_ALARM, (seed, is_hurried, number, position.viewer)
            if num_worlds:
                values.append(value)
                met.update(traits(position))
    print(f"{len(values)} positions, lowest p {min(values):.2g}; {dict(met)}")
    wanted = {"several cycles", "old cards alone", "viewer not current", "viewer current", "own cards", "then a draw"}
    wanted |= {"several holders", "viewer out", "kinds excluded"} if num_players > 2 else set()
    wanted |= {"known exactly"} if map_name == "full" else set()
    assert INTERPRETED or wanted <= set(met)


# --- unfair samplers


def sampler(change: Callable[[Any, Any, Any, Any], None]) -> Callable[[Game], Game]:
    """Return a fault: `change` spoils sampled states, given the true ones, the viewers and the seeds."""

    def plant(game: Game) -> Game:
        def determinize(params, states, players, seeds):
            truth = states.copy()
            game.determinize_batch(params, states, players, seeds)
            change(truth, states, players, seeds)

        return dataclasses.replace(game, determinize_batch=determinize)

    return plant


def tell_the_truth_at_times(truth, worlds, players, seeds):
    told = seeds % 20 == 0
    for name in ("hand", "deck"):
        worlds[name][told] = truth[name][told]


def mix_cycles(truth, worlds, players, seeds):
    """Swap another player's oldest card with their latest one, whatever their cycles."""
    for row, viewer in enumerate(players):
        other = 1 - int(viewer) if viewer < 2 else 0
        last = int(worlds["hand_count"][row, other]) - 1
        if last > 0 and seeds[row] % 2:
            worlds["hand"][row, other, [0, last]] = worlds["hand"][row, other, [last, 0]]


def prefer_what_lies_in_the_deck(truth, worlds, players, seeds):
    """Now and then swap another player's first card for the rarest kind from the deck."""
    for row, viewer in enumerate(players):
        other = 1 - int(viewer) if viewer < 2 else 0
        is_new = worlds["hand_count"][row, other] and worlds["hand_cycle"][row, other, 0] == worlds["cycle"][row]
        if is_new and worlds["deck"][row, 4] and seeds[row] % 10 == 0:
            worlds["deck"][row, worlds["hand"][row, other, 0]] += 1
            worlds["deck"][row, 4] -= 1
            worlds["hand"][row, other, 0] = 4


# --- kinds that older cards cannot be (TR-H3)


def older_hands(hands: list[list[int]], taken: dict[tuple[int, int], int]) -> tuple[Game, Any]:
    """Return a game of four in which the others of player 3 hold cards of an older deck, and what they cannot hold.

    Args:
        hands: kinds that players 0 to 2 hold of the first deck.
        taken: player and kind -> cycle that such a card was taken from, so that none in hand is older.
    """
    game = make_game(4, "full")
    states = game.new_states(1)
    game.start(states, 1)
    state = states[0]
    state["cycle"] = 1
    for player, hand in enumerate(hands):
        state["hand"][player, : len(hand)], state["hand_count"][player] = hand, len(hand)
        state["deck"] -= np.bincount(hand, minlength=NUM_CARDS).astype(np.int8)
    state["deck_count"] = state["deck"].sum()
    for (player, kind), cycle in taken.items():
        state["taken_cycle"][player, kind] = cycle
    return game, states


@pytest.mark.parametrize(
    ("hands", "taken"),
    [
        ([[0, 1], [0, 2], [1, 2]], {(0, 2): 1}),
        ([[0, 1], [0, 2], [1, 2]], {(0, 2): 1, (1, 1): 1, (2, 0): 1}),
        ([[0, 0], [0, 1, 2], [2]], {(0, 1): 1, (1, 4): 1, (2, 1): 1}),
        ([[0, 1, 1], [0, 3], [1, 2]], {(0, 2): 1, (0, 3): 1, (2, 3): 1}),
        ([[], [0, 0, 1], [1, 2, 3]], {(1, 2): 1, (2, 0): 1}),
        ([[0, 1, 2], [], [0, 1, 3]], {(0, 3): 1}),
        ([[0, 1, 4], [0, 1, 2], []], {(1, 4): 1}),
    ],
)
def test_possible_deals_of_older_cards_are_equally_likely(hands, taken):
    game, states = older_hands(hands, taken)
    holders = [player for player, hand in enumerate(hands) for _ in hand]
    deals = {
        deal
        for deal in permutations(kind for hand in hands for kind in hand)
        if not any((player, kind) in taken for player, kind in zip(holders, deal, strict=True))
    }
    worlds = game.clone(states, np.zeros(SAMPLES, np.int64))
    game.determinize(game.params, worlds, np.full(SAMPLES, 3), np.arange(SAMPLES))
    columns = [worlds["hand"][:, player, : len(hand)] for player, hand in enumerate(hands)]
    found = Counter(map(tuple, np.concatenate(columns, axis=1).tolist()))
    assert p_value(dict.fromkeys(deals, 1 / len(deals)), found) > FALSE_ALARM
    assert (worlds["deck"] == states["deck"]).all()


def test_large_hands_of_which_one_deal_alone_is_possible_are_dealt():
    hands = [[0] * 6 + [1] * 4 + [6] * 4, [2] * 4 + [4] * 4 + [5] * 3, [3] * 2 + [7] * 3 + [8] * 2]
    taken = {(0, kind): 1 for kind in (2, 3, 4, 5, 7, 8)}
    taken |= {(1, kind): 1 for kind in (0, 1, 3, 6, 7, 8)} | {(2, kind): 1 for kind in (0, 1, 2, 4, 5, 6)}
    game, states = older_hands(hands, taken)
    worlds = game.clone(states, np.zeros(20, np.int64))
    game.determinize(game.params, worlds, np.full(20, 3), np.arange(20))
    assert (np.sort(worlds["hand"], axis=2) == np.sort(states["hand"], axis=2)).all()


def test_older_card_is_not_of_a_kind_taken_from_a_later_deck():
    own = {number: (number % 3, TROOPS) for number in (1, 2, 3, 6, 9, 20)}
    cycles = np.zeros((4, MAX_HAND), np.int16)
    cycles[0, 1:3] = 1
    hands = {0: [12, 7, 2], 2: [7]}
    game = table(own, TurnStep.STANDARD, hands, actions_left=1, num_players=3, fields={"cycle": 1})
    game.resume(hand_cycle=cycles, decision=game.decision).play("card 7", "territory 3")
    for viewer, seats in ((1, (0, 2)), (2, (0,))):
        worlds = game.game.clone(game.states, np.zeros(50, np.int64))
        game.game.determinize(game.game.params, worlds, np.full(50, viewer), np.arange(50))
        assert (worlds["hand"][:, 0, 0] == 11).all()
        assert seats == (0,) or (worlds["hand"][:, 2, 0] == 6).all()


def clear_what_is_excluded(game: Game) -> Game:
    """Return a fault: samples ignore the kinds that older cards cannot be."""

    def determinize(params, states, players, seeds):
        taken = states["taken_cycle"].copy()
        states["taken_cycle"] = 0
        game.determinize_batch(params, states, players, seeds)
        states["taken_cycle"] = taken

    return dataclasses.replace(game, determinize_batch=determinize)


@pytest.mark.skipif(INTERPRETED, reason="takes minutes without the compiler")
def test_samples_that_ignore_excluded_kinds_are_noticed():
    with pytest.raises(AssertionError, match="impossible"):
        for seed in range(3):
            history = begin(4, "full", seed, clear_what_is_excluded)
            for number, position in enumerate(positions(history, seed, is_hurried=True)):
                check(position, number)


# --- unfair samplers, noticed


@pytest.mark.skipif(INTERPRETED, reason="takes minutes without the compiler")
@pytest.mark.parametrize("change", [tell_the_truth_at_times, mix_cycles, prefer_what_lies_in_the_deck])
def test_unfair_sampler_is_noticed(change):
    for seed in range(3):
        for number, position in enumerate(positions(begin(2, "small", seed, sampler(change)), seed)):
            try:
                _, value = check(position, number)
            except AssertionError as error:
                assert "impossible" in str(error)
                return
            if value < FALSE_ALARM:
                return
    raise AssertionError("nothing was noticed")
