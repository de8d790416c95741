"""Exact beliefs about hidden cards, tracked action by action (chapter 3.2).

Written from the rules: it reads hands, deck and discards from the engine's state, but never what is noted there of
cycles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import chisquare

from sackarmies_env.core.game import Game, Records
from sackarmies_env.games.territories.state.actions import DRAW

Cards = Counter[int]  # kind -> number
World = tuple[int, ...]  # a kind for each hidden slot
LEAST = 8.0  # least expected number of samples in a group of worlds


def hand_of(state: Any, player: int) -> list[int]:
    """Return the kinds of the cards in a hand, in the order drawn."""
    return [int(kind) for kind in state["hand"][player][: state["hand_count"][player]]]


def cards_in(counts: Any) -> Cards:
    """Return a pile from its counts by kind."""
    return Counter({kind: int(count) for kind, count in enumerate(counts) if count})


class History:
    """The cards of a game that begins with empty hands.

    Attributes:
        states: `(1,)`.
        decks: the cards that made up the deck at the start of each cycle.
        slots: for each player, the deck cycle of every card in hand, in the order drawn.
        excluded: for each card in hand, the kinds that everybody knows it not to be: one of that kind has been taken
            from a later cycle, and of several equal cards the oldest goes (TR-H3).
    """

    def __init__(self, game: Game, states: Records) -> None:
        self.game, self.states = game, states
        self.decks = [cards_in(self._state["deck"])]
        self.slots: list[list[int]] = [[] for _ in range(game.num_players)]
        self.excluded: list[list[set[int]]] = [[] for _ in range(game.num_players)]
        self._drawn = [[Cards()] for _ in range(game.num_players)]  # by player and cycle
        self._opened = [[Cards()] for _ in range(game.num_players)]

    @property
    def _state(self) -> Any:
        return self.states.view(np.ndarray)[0]

    def act(self, action: int) -> None:
        """Take an action and note what it reveals about cards."""
        self._note(action, lambda: self.game.step(self.game.params, self.states, np.array([action])))

    def forfeit(self, player: int) -> None:
        """Make a player forfeit and note what that reveals about cards."""
        self._note(None, lambda: self.game.forfeit(self.game.params, self.states, np.array([player])))

    def _note(self, action: int | None, go_on: Any) -> None:
        before = [hand_of(self._state, player) for player in range(self.game.num_players)]
        pile, is_empty = cards_in(self._state["discards"]), self._state["deck_count"] == 0
        player = int(self._state["current_player"])
        go_on()
        if action == DRAW:
            if is_empty:
                self.decks.append(pile)
                for known in (*self._drawn, *self._opened):
                    known.append(Cards())
            kind = hand_of(self._state, player)[-1]
            before[player].append(kind)
            self.slots[player].append(len(self.decks) - 1)
            self.excluded[player].append(set())
            self._drawn[player][-1][kind] += 1
        for seat, hand in enumerate(before):
            self._open(seat, hand)

    def _open(self, player: int, hand: list[int]) -> None:
        """Note the cards that have left a hand; of several equal cards, the oldest goes (TR-H3)."""
        gone = Counter(hand) - Counter(hand_of(self._state, player))
        kept, seen = [], []
        for kind, cycle, excluded in zip(hand, self.slots[player], self.excluded[player], strict=True):
            if gone[kind] > 0:
                gone[kind] -= 1
                self._opened[player][cycle][kind] += 1
                seen.append((kind, cycle))
            else:
                kept.append((kind, cycle, excluded))
        for _, cycle, excluded in kept:
            excluded |= {kind for kind, later in seen if cycle < later}
        assert [kind for kind, *_ in kept] == hand_of(self._state, player)
        assert not any(kind in excluded for kind, _, excluded in kept)
        self.slots[player] = [cycle for _, cycle, _ in kept]
        self.excluded[player] = [excluded for *_, excluded in kept]

    # --- what a viewer cannot know

    def hidden_slots(self, viewer: int) -> list[tuple[int, int]]:
        """Return the player and cycle of every card in other hands, player by player, in the order drawn."""
        return [(player, cycle) for player, row in enumerate(self.slots) if player != viewer for cycle in row]

    def unseen(self, viewer: int, cycle: int) -> Cards:
        """Return the cards of a cycle that `viewer` has neither drawn nor seen others reveal."""
        left = self.decks[cycle].copy()
        left.subtract(self._drawn[viewer][cycle])
        for player, opened in enumerate(self._opened):
            if player != viewer:
                left.subtract(opened[cycle])
        assert min(left.values(), default=0) >= 0
        return +left

    def exclusions(self, viewer: int) -> list[set[int]]:
        """Return for each hidden slot the kinds that the viewer knows it not to hold."""
        return [kinds for player, row in enumerate(self.excluded) if player != viewer for kinds in row]

    def worlds(self, viewer: int, *, num_draws: int = 0) -> dict[World, float]:
        """Return every possible content of the hidden slots and the next `num_draws` draws, with its probability."""
        cycles = [cycle for _, cycle in self.hidden_slots(viewer)] + [len(self.decks) - 1] * num_draws
        pools = {cycle: self.unseen(viewer, cycle) for cycle in set(cycles)}
        excluded: list[set[int]] = self.exclusions(viewer) + [set() for _ in range(num_draws)]
        found = dict(spread(pools, cycles, excluded, ()))
        possible = sum(found.values())
        return {world: share / possible for world, share in found.items()}


def spread(
    pools: dict[int, Cards], cycles: list[int], excluded: list[set[int]], dealt: World
) -> Iterator[tuple[World, float]]:
    """Yield each deal of cards to slots of these cycles that is not excluded, with its probability among all deals."""
    if len(dealt) == len(cycles):
        yield dealt, 1.0
        return
    pool = pools[cycles[len(dealt)]]
    for kind in sorted(kind for kind, count in pool.items() if count and kind not in excluded[len(dealt)]):
        chance = pool[kind] / pool.total()
        pool[kind] -= 1
        for world, share in spread(pools, cycles, excluded, (*dealt, kind)):
            yield world, chance * share
        pool[kind] += 1


def sampled(history: History, viewer: int, seeds: Any, *, num_draws: int = 0) -> Counter[World]:
    """Count the worlds that `determinize` deals, each followed by `num_draws` draws of the current player."""
    game = history.game
    worlds = game.clone(history.states, np.zeros(len(seeds), np.int64))
    game.determinize(game.params, worlds, np.full(len(seeds), viewer), seeds)
    counts = [len(row) for row in history.slots]
    drawer = int(history.states["current_player"][0])
    for _ in range(num_draws):
        game.step(game.params, worlds, np.full(len(seeds), DRAW))
    columns = [worlds["hand"][:, player, :count] for player, count in enumerate(counts) if player != viewer]
    columns += [worlds["hand"][:, drawer, counts[drawer] : counts[drawer] + num_draws]]
    return Counter(map(tuple, np.concatenate(columns, axis=1).tolist()))


def p_value(expected: dict[World, float], found: Counter[World]) -> float:
    """Return the p-value of a chi-squared test of the counts; worlds that are expected rarely are pooled.

    Raises:
        AssertionError: an impossible world came up.
    """
    assert not set(found) - set(expected), f"impossible: {sorted(set(found) - set(expected))[:3]}"
    # Sorted by what is expected alone: groups chosen by what was found would differ from it by more than chance.
    rows = [(share * found.total(), found[world]) for share, world in sorted((s, w) for w, s in expected.items())]
    groups = [(0.0, 0)]
    for wanted, number in rows:
        if groups[-1][0] < LEAST:
            groups[-1] = (groups[-1][0] + wanted, groups[-1][1] + number)
        else:
            groups.append((wanted, number))
    if groups[-1][0] < LEAST and len(groups) > 1:
        wanted, number = groups.pop()
        groups[-1] = (groups[-1][0] + wanted, groups[-1][1] + number)
    wanted_numbers, numbers = zip(*groups, strict=True)
    return float(chisquare(numbers, wanted_numbers).pvalue) if len(groups) > 1 else 1.0
