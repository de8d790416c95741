"""Samples have the distribution of chapter 3.2, enumerated from what all players have seen of the cards."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.actions import DRAW
from sackarmies_env.games.territories.state.constants import NUM_CARDS
from tests.territories.belief.history import History, hand_of, p_value, sampled
from tests.territories.referee.random_play import choose

SAMPLES = 300 if INTERPRETED else 20_000
FALSE_ALARM = 1e-7
MOST_WORLDS = 400
DECK = Counter({0: 3, 8: 2, 11: 2, 4: 1})  # kinds from 0: few cards, so that all worlds can be enumerated
DECISIONS = 60 if INTERPRETED else 700
EVERY = 9  # decisions between two positions, times the number of other players
FORFEITS = 0.004
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


def positions(history: History, seed: int) -> Iterator[Position]:
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
            history.act(DRAW if DRAW in legal and rng.random() < 0.7 else choose(rng, legal, "scholar"))


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
    }
    return {name for name, holds in found.items() if holds}


@pytest.mark.parametrize(("num_players", "map_name"), TABLES)
def test_guesses_come_in_the_proportions_of_the_rules(num_players, map_name):
    met, values = Counter(), []
    for seed in range(3):
        for number, position in enumerate(positions(begin(num_players, map_name, seed), seed)):
            num_worlds, value = check(position, number)
            assert value > FALSE_ALARM, (seed, number, position.viewer)
            if num_worlds:
                values.append(value)
                met.update(traits(position))
    print(f"{len(values)} positions, lowest p {min(values):.2g}; {dict(met)}")
    wanted = {"several cycles", "old cards alone", "viewer not current", "viewer current", "own cards", "then a draw"}
    wanted |= {"several holders", "viewer out"} if num_players > 2 else set()
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
