"""Scripted agents with any weights that files may hold: choices are legal, and worth as much as the agent says."""

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.scripted.compiled import TIE
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.scripted.sack_armies.weights import LIMITS, MOST_DECAY, Weights, load_weights
from sackarmies_agents.scripted.territories.agent import GreedyAgent as TerritoriesAgent
from sackarmies_agents.scripted.territories.weights import Weights as TerritoriesWeights
from sackarmies_agents.scripted.territories.weights import load_weights as load_territories_weights
from sackarmies_agents.scripted.weight_sets import LARGEST
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.territories.state.constants import TurnStep
from sackarmies_env.registry import load_players
from tests.agents.test_worths import weighed
from tests.samples import many
from tests.territories.builders import table

SETS = 2 if INTERPRETED else many(60)
GAMES, STEPS, EVERY = (2, 40, 4) if INTERPRETED else (16, 300, 5)
SMALLEST = 0.01
# With these, what every choice is worth lies below `NEVER`, or the pull of enemies is larger than any.
EXTREMES = {
    "dangers": {"danger": LARGEST, "caution": 1000.0, "rank": 1000.0},
    "pulls": dict.fromkeys(["hunt", "body", "rank", "scarce"], LARGEST) | {"decay": MOST_DECAY},
}


def choices_of(game, seed):
    """Return observations and masks of decisions between several legal ids, from greedy play with random actions."""
    batch, rng = Batch(game, GAMES), np.random.default_rng(seed)
    batch.reset(np.arange(GAMES) + 100 * seed)
    greedy, random = make_agent("greedy", GameInfo.of(game)), RandomAgent(seed)
    found = []
    for step in range(STEPS):
        running = np.flatnonzero(batch.players >= 0)
        view = batch.observations[running].copy(), batch.action_masks[running].copy()
        if step % EVERY == 0:
            found.append(tuple(part[view[1].sum(axis=1) > 1] for part in view))
        wanted, other = (agent.act_batch(*view) for agent in (greedy, random))
        batch.step(np.where(rng.random(len(running)) < 0.2, other, wanted), running)
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))


def random_weights(model, rng, limits, has_negative):
    """Return weights from the whole range that files may hold, with or without negative ones."""
    weights = {}
    for name in model.model_fields:
        sign = rng.choice([-1.0, 1.0]) if has_negative else 1.0
        size = np.exp(rng.uniform(np.log(SMALLEST), np.log(LARGEST)))
        weights[name] = float(np.clip(sign * size, *limits.get(name, (-LARGEST, LARGEST))))
    return model(**weights)


def are_legal(actions, masks):
    return (actions >= 0) & (masks[np.arange(len(masks)), actions] == 1)


def are_best(agent, views, actions):
    """Return for each choice whether no other legal id is worth more, ties and rounding aside."""
    observations, masks = views
    rows, ids = masks.nonzero()
    worths = weighed(agent, observations, masks)
    best = np.full(len(masks), -np.inf)
    np.maximum.at(best, rows, worths)
    return worths[ids == actions[rows]] >= best - 2 * TIE - 2 * np.spacing(np.abs(best))


@pytest.fixture(scope="module", params=[2, 4])
def sack_armies_game(request):
    armies = ["fey_riders", "monsters", "undead", "empire"][: request.param]
    game = load_players("sack_armies", request.param, armies=armies)
    return GameInfo.of(game), choices_of(game, seed=request.param)


@pytest.mark.parametrize("name", EXTREMES)
def test_extreme_weights_choose_what_is_worth_most(sack_armies_game, name):
    info, views = sack_armies_game
    agent = GreedyAgent(info, weights=load_weights().model_copy(update=EXTREMES[name]))
    actions = agent.act_batch(*views)
    assert are_legal(actions, views[1]).all()
    assert are_best(agent, views, actions).all()


@pytest.mark.parametrize("has_negative", [False, True])
def test_random_weights_choose_what_is_worth_most(sack_armies_game, has_negative):
    info, views = sack_armies_game
    rng = np.random.default_rng(1)
    for _ in range(SETS):
        weights = random_weights(Weights, rng, LIMITS, has_negative)
        agent = GreedyAgent(info, weights=weights)
        actions = agent.act_batch(*views)
        assert are_legal(actions, views[1]).all(), weights
        assert are_best(agent, views, actions).all(), weights


# --- Territories


@pytest.mark.parametrize("board", ["full", "small"])
def test_random_weights_choose_legally_in_territories(board):
    game = load_players("territories", 2, map=board)
    views = choices_of(game, seed=3)
    rng = np.random.default_rng(2)
    for number in range(SETS):
        weights = random_weights(TerritoriesWeights, rng, {}, has_negative=number % 2 == 0)
        actions = TerritoriesAgent(GameInfo.of(game), weights=weights).act_batch(*views)
        assert are_legal(actions, views[1]).all(), weights


def test_troops_that_do_not_exist_are_not_exchanged():
    weights = load_territories_weights().model_copy(update={"keep": -10.0, "reserve": LARGEST})
    position = table({6: (0, {"troop": 1, "rider": 1}), 1: (1, {"troop": 1})}, TurnStep.EXCHANGE)
    assert position.legal() == ["done", "rider"]
    mask = np.zeros((1, position.game.num_actions), np.int8)
    position.game.legal_actions(position.game.params, position.states, mask)
    agent = TerritoriesAgent(GameInfo.of(position.game), weights=weights)
    assert position.game.actions.texts[agent.act(position.observation(0), mask[0])] == "done"
