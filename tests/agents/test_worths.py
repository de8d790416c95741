"""The scripted General's values of choices and how networks use them."""

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.learned.advice import Advisor, make_advisor
from sackarmies_agents.learned.board_network import NUM_VERBS, BoardNetwork
from sackarmies_agents.learned.network import Advice, Place
from sackarmies_agents.learned.sizes import REASONS, WORTHS, NetworkSizes
from sackarmies_agents.scripted.compiled import TIE
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.scripted.sack_armies.weights import load_weights
from sackarmies_env.registry import load_players
from tests.agents.simple import played_positions
from tests.core.toy_game import make_duel

SIZES = NetworkSizes(token=8, mark=4, hidden=16, outcomes=3, advice=2, early=2)


@pytest.fixture(scope="module")
def game():
    return load_players("sack_armies", 2, armies=["monsters", "undead"])


@pytest.fixture(scope="module")
def greedy(game):
    return make_agent("greedy", GameInfo.of(game))


@pytest.fixture(scope="module")
def positions(game, greedy):
    return played_positions(game, greedy, seed=1)[:2]


def weighed(agent, observations, masks):
    return agent.weigh(observations, np.count_nonzero(masks, axis=1), masks.nonzero()[1])


def advice_of(game, observations, masks):
    advisor = make_advisor("greedy", GameInfo.of(game), WORTHS)
    return Advice.of(advisor.ask(observations, masks))


def losses_of_choices(agent, observations, masks):
    """Return how much less each choice of an agent is worth to it than the best legal id."""
    rows, actions = masks.nonzero()
    worths = weighed(agent, observations, masks)
    best = np.full(len(masks), -np.inf)
    np.maximum.at(best, rows, worths)
    of_choice = worths[actions == agent.act_batch(observations, masks)[rows]]
    assert len(of_choice) == len(best)
    return best - of_choice


def test_the_scripted_choice_is_worth_most(game, greedy, positions):
    observations, masks = positions
    assert (losses_of_choices(greedy, observations, masks) <= 2 * TIE).all()
    decision = game.observation_spec.index("globals", 0, "decision")
    assert len(np.unique(observations[:, decision])) > 10


@pytest.mark.parametrize("name", ["prospect", "danger", "caution"])
def test_the_scripted_choice_is_worth_most_if_a_weight_is_negative(game, positions, name):
    weights = load_weights().model_copy(update={name: -0.5})
    agent = GreedyAgent(GameInfo.of(game), weights=weights)
    assert (losses_of_choices(agent, *positions) <= 2 * TIE).all()


def test_worth_of_an_id_does_not_depend_on_which_others_are_weighed(greedy, positions):
    observations, masks = positions
    verbs = masks[:, :NUM_VERBS].sum(axis=1)  # at the menu, coordinated attacks are weighed against the other verbs
    chosen = np.flatnonzero(verbs < 2)[:200]
    observations, masks = observations[chosen], masks[chosen]
    places = masks.cumsum(axis=1)
    last = (places == places[:, -1:]) & (masks != 0)
    whole = weighed(greedy, observations, masks)[last[masks != 0]]
    assert len(whole) == len(chosen) > 50
    np.testing.assert_array_equal(weighed(greedy, observations, last.astype(np.int8)), whole)


def test_agent_that_weighs_nothing_is_refused():
    with pytest.raises(ValueError, match="RandomAgent does not say what choices are worth to it"):
        Advisor(RandomAgent(), GameInfo.of(make_duel()), WORTHS)
    territories = load_players("territories", 2)
    with pytest.raises(ValueError, match="does not say what choices are worth to it"):
        make_advisor("greedy", GameInfo.of(territories), REASONS)
    agent = make_agent("greedy", GameInfo.of(territories))
    with pytest.raises(ValueError, match="does not say what choices are worth"):
        agent.weigh(np.zeros((1, 1), np.int8), np.ones(1, np.int64), np.zeros(1, np.int64))


def test_nobody_advises_where_no_name_is_given():
    assert make_advisor("", GameInfo.of(make_duel())) is None


@pytest.fixture(scope="module")
def network(game):
    torch.manual_seed(2)
    network = BoardNetwork(GameInfo.of(game), SIZES)
    torch.nn.init.normal_(network.score.weight)
    return network.eval()


def assess(network, game, observations, masks, how="assess"):
    place = Place(*torch.from_numpy(masks != 0).nonzero(as_tuple=True))
    with torch.inference_mode():
        return getattr(network, how)(torch.from_numpy(observations), place, advice_of(game, observations, masks))


def test_scores_do_not_depend_on_what_stands_beside_them(network, game, positions):
    observations, masks = (part[::29] for part in positions)
    together, said = assess(network, game, observations, masks)
    parts = [assess(network, game, observations[row, None], masks[row, None]) for row in range(len(masks))]
    assert torch.allclose(together, torch.cat([scores for scores, _ in parts]), atol=1e-4)
    assert torch.allclose(said, torch.cat([outcomes for _, outcomes in parts]), atol=1e-5)


def test_worths_change_scores_of_all_ids_and_values_of_none(network, game, positions):
    observations, masks = (part[::29] for part in positions)
    place, advice = Place(*torch.from_numpy(masks != 0).nonzero(as_tuple=True)), advice_of(game, observations, masks)
    with torch.inference_mode():
        usual, said = network.assess(torch.from_numpy(observations), place, advice)
        other = Advice(advice.chosen, advice.worths * 0.5 - 1)
        changed, also_said = network.assess(torch.from_numpy(observations), place, other)
        values = network.values(torch.from_numpy(observations), Advice(advice.chosen, torch.zeros(0)))
    assert (usual != changed).all()
    assert torch.equal(said, also_said)
    assert torch.allclose(values, said.softmax(dim=1) @ torch.tensor([1.0, 0.0, -1.0]), atol=1e-5)


def test_scores_after_fewer_turns_stand_before_the_logits(network, game, positions):
    observations, masks = (part[::61] for part in positions)
    scores, _ = assess(network, game, observations, masks)
    foreseen, _ = assess(network, game, observations, masks, "foresee")
    assert foreseen.shape == (len(scores), 3)
    assert torch.equal(foreseen[:, -1], scores)


def test_scores_are_scaled_and_values_are_not(game, positions):
    torch.manual_seed(3)
    network = BoardNetwork(GameInfo.of(game), SIZES).eval()
    observations, masks = (part[::61] for part in positions)
    before, values = assess(network, game, observations, masks, "foresee")
    network.scale_scores(0.25)
    after, still = assess(network, game, observations, masks, "foresee")
    assert torch.allclose(after, 0.25 * before, atol=1e-5)
    assert torch.equal(values, still)
