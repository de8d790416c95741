"""The benchmark of the hands with which Generals draw."""

import pytest

from benchmarks import hands
from sackarmies_env.core.jit import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games take minutes interpreted")


@pytest.mark.parametrize("agent", ["greedy", "search:playouts=2,horizon=0,prior=policy"])
def test_draws_are_counted_by_tokens_in_hand_for_agents_that_search_as_well(agent):
    menus, draws = hands.count_draws(agent, line_ups=1, games=2, seed=1)
    assert (draws <= menus).all()
    assert draws[0] > 0
