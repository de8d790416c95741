"""Independence of numbering: renumbering types and reordering token rows changes nothing that is observable."""

from collections import Counter

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies.state.constants import Event, Face, Zone
from tests.sack_armies.builders.renumbering import Renumbered, differences, force_draws
from tests.sack_armies.builders.twin_worlds import CONFIGURATIONS, act, copy_of, plain, wander, warlike
from tests.samples import many

EVERY = 3
ORDERED = ("captives", "attachments", "raise", "capture", "removed")  # what the order of rows might affect


def compare(twins, states, rng):
    """Compare a state with its renumbered twin before and after a random action; return the state after it."""
    before = copy_of(twins.game, states)
    force_draws(twins.game, before, rng)
    other = twins.translate(before)
    assert differences(twins, before, other) == []
    after, other_after = copy_of(twins.game, before), copy_of(twins.other, other)
    action = warlike(twins.game, before, rng)
    act(twins.game, after, action)
    act(twins.other, other_after, twins.action(action))
    text = twins.game.format_action(before, action)
    assert differences(twins, after, other_after) == [], text
    one, two = twins.words
    told = list(one.narrator.narrate_ply(before, action, after))
    assert told == list(two.narrator.narrate_ply(other, twins.action(action), other_after)), text
    return after


def note(seen, state):
    """Count occurrences of what the order of rows might affect."""
    captors = state["token_host"][(state["token_zone"] == Zone.CAPTURED) & (state["token_face"] == Face.DOWN)]
    seen["captives"] += max(Counter(captors.tolist()).values(), default=0) > 1
    hosts = state["token_host"][(state["token_zone"] == Zone.ATTACHED) & (state["token_face"] == Face.DOWN)]
    seen["attachments"] += max(Counter(hosts.tolist()).values(), default=0) > 1
    seen["raise"] += Event.RAISE in state["log_kind"][:4]
    seen["capture"] += Event.CAPTURE in state["log_kind"][:4]
    seen["removed"] += (state["token_zone"] == Zone.REMOVED).sum() > 1


def wander_twice(name, seed, plies):
    """Compare positions of random games under both numberings; return the counts of `note`."""
    twins = Renumbered(CONFIGURATIONS[name], seed)
    assert not np.array_equal(twins.types, np.arange(len(twins.types)))
    rng = np.random.default_rng(seed)
    seen = Counter()
    for ply, states in enumerate(wander(twins.game, seed, plies)):
        if ply % EVERY == 0:
            note(seen, plain(compare(twins, states, rng)))
    return seen


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_numbers_of_types_and_rows_of_tokens_are_not_observable(name):
    seen = wander_twice(name, 1, 8 if INTERPRETED else 90)
    if name == "captives":
        assert seen["captives"] > 0
        assert seen["attachments"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_numbers_of_types_and_rows_are_not_observable_in_long_games(name):
    seen = wander_twice(name, 2, many(400))
    if name == "captives":
        assert min(seen[what] for what in ORDERED) > 0, seen
