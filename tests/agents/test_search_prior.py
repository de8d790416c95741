"""The trained General as the default prior of searches in games that it plays."""

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.learned_agent import LearnedAgent
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_agents.search import agent as search_agent
from sackarmies_agents.search.agent import SearchAgent
from sackarmies_agents.search.flat import Settings
from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_game, load_players
from tests.agents.simple import LastLegal, positions

LEVELS = ("fast", "medium", "strong")


@pytest.fixture(scope="module")
def batch():
    return positions(seed=1, plies=80, n=24)


def findings(text: str, batch: Batch):
    """Return what a search finds in the positions of player 0."""
    agent = make_agent(text, GameInfo.of(batch.game))
    agent.reset(3)
    information = batch.information_sets(0, np.flatnonzero(batch.players == 0))
    return [(finding.action, finding.prior, finding.values.tolist()) for finding in agent.search(information)]


class Outside(LastLegal):
    """Chooses an action that does not exist."""

    def __init__(self, action):
        self.action = action

    def act_batch(self, observations, action_masks):
        return np.full(len(observations), self.action)


class OutsideRated(Outside):
    """Scores ids as well."""

    def rate(self, observations, action_masks):
        return self.act_batch(observations, action_masks), np.zeros(action_masks.shape)


@pytest.mark.parametrize("kind", [Outside, OutsideRated])
@pytest.mark.parametrize("action", [-1, 10**6])
def test_illegal_choice_of_a_prior_is_refused(kind, action, batch):
    agent = SearchAgent(GameInfo.of(batch.game), Settings(playouts=4), prior=kind(action))
    information = batch.information_sets(0, np.flatnonzero(batch.players == 0))
    with pytest.raises(ValueError, match=f"the prior chose action {action}, which is not legal"):
        agent.search(information)


def prior_of(text: str, info: GameInfo):
    return make_agent(text, info)._prior


@pytest.mark.parametrize("level", LEVELS)
def test_levels_begin_with_the_trained_general_in_games_of_two(level, batch):
    prior = prior_of(f"search:level={level}", GameInfo.of(batch.game))
    assert isinstance(prior, LearnedAgent)
    assert prior.rate(batch.observations, batch.action_masks)[0].shape == batch.players.shape


def test_trained_general_by_default_is_the_one_that_can_be_named(batch):
    usual = findings("search:playouts=40", batch)
    assert usual == findings("search:playouts=40,prior=trained", batch)
    assert usual == findings(f"search:playouts=40,prior={CHECKPOINT}", batch)
    assert usual != findings("search:playouts=40,prior=policy", batch)


@pytest.mark.parametrize("text", ["search:prior=policy", "search:models=tuned+light", "search:models=trained"])
def test_policy_is_the_prior_where_it_is_asked_for_or_models_are_named(text, batch):
    assert prior_of(text, GameInfo.of(batch.game)) is None


def test_prior_is_used_beside_models_where_it_is_named(batch):
    assert prior_of("search:models=tuned,prior=trained", GameInfo.of(batch.game)) is not None


def test_strong_is_played_on_by_the_trained_general_where_it_plays(batch):
    text = "search:level=strong,playouts=12"
    named = "search:playouts=12,models=trained+trained+tuned,prior=trained"
    assert findings(text, batch) == findings(named, batch)
    assert make_agent("search:level=strong", GameInfo.of(batch.game)).settings == Settings(playouts=310)


@pytest.mark.parametrize("text", ["search:level=strong,prior=policy", "search:level=strong,models=tuned+light"])
def test_strong_makes_plans_where_it_is_told_to_do_without_the_trained_general(text, batch):
    assert make_agent(text, GameInfo.of(batch.game)).settings == Settings(playouts=950, plans=3, trust=48)


@pytest.mark.parametrize("level", LEVELS)
def test_games_that_it_does_not_play_are_searched_with_the_policy(level):
    for game in (load_players("sack_armies", 3), load_game("territories")):
        agent = make_agent(f"search:level={level}", GameInfo.of(game))
        usual, _, several = search_agent.LEVELS[level]
        assert agent._prior is None
        assert agent.settings == (usual if several is None or game.num_players == 2 else several)


@pytest.mark.parametrize("players", [3, 4, 6])
@pytest.mark.parametrize("more", ["", ",prior=policy", ",models=tuned+light"])
def test_strong_looks_further_ahead_with_more_than_two_players(players, more):
    agent = make_agent(f"search:level=strong{more}", GameInfo.of(load_players("sack_armies", players)))
    assert agent.settings == Settings(playouts=310, horizon=18)


def test_a_general_that_needs_torch_is_no_usual_prior(monkeypatch):
    info = GameInfo.of(load_game("territories"))
    monkeypatch.setattr(search_agent, "plays", lambda path, info: True)
    hooks = search_agent.find_hook
    monkeypatch.setattr(
        search_agent, "find_hook", lambda game, name: CHECKPOINT if name == "trained" else hooks(game, name)
    )
    assert info.network == "plain"
    assert prior_of("search", info) is None


@pytest.mark.parametrize("plies", [80, 100_000])  # the latter plays to the end
def test_positions_of_others_and_games_that_are_over_are_not_searched(plies):
    batch = positions(seed=1, plies=plies)
    agent = make_agent("search:playouts=8", GameInfo.of(batch.game))
    with pytest.raises(ValueError, match="is not a decision of player 0, who cannot search it"):
        agent.search(batch.information_sets(0, np.flatnonzero(batch.players != 0)))


def test_it_is_refused_by_name_where_it_does_not_play():
    with pytest.raises(ValueError, match=r"was trained for another game: num_players 2, here it is 3"):
        make_agent("search:prior=trained", GameInfo.of(load_players("sack_armies", 3)))
