"""A trained General in simulations: it plays like its agent, next to variants of the greedy one."""

import shutil

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.layout import describe
from sackarmies_agents.learned.checkpoint import POLICY, Header, pack
from sackarmies_agents.learned.load import load_agent
from sackarmies_agents.learned.policy_agent import make_network
from sackarmies_agents.learned.sack_armies.policy import ASKED
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_agents.learned.sizes import REASONS, WORTHS, NetworkSizes
from sackarmies_agents.learned.tensors import arrays_of
from sackarmies_agents.search.sack_armies.policy import make_policy
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.registry import load_game, load_players

STEPS = 4 if INTERPRETED else 300


@pytest.fixture(scope="module")
def game():
    return load_players("sack_armies", 2)


def choices(policy, model, batch):
    """Return the choices of a policy variant in the games of a batch."""
    actions = np.zeros(len(batch.players), np.int64)
    policy.choose(policy.models, np.int64(model), batch.observations.copy(), batch.action_masks.copy(), actions)
    return actions


def assert_plays_as(game, policy, trained, steps=STEPS):
    """Check all variants of a policy against their agents in games of `trained`; return its departures from `tuned`."""
    greedy = [make_agent(f"greedy:weights={name}", GameInfo.of(game)) for name in ("tuned", "light", "first")]
    batch, departures = Batch(game, 4), 0
    batch.reset(np.arange(4))
    for _ in range(steps):
        given = batch.observations, batch.action_masks
        tuned, *others = (agent.act_batch(*given) for agent in greedy)
        wanted = np.where(np.isin(batch.states["decision"], ASKED), trained.act_batch(*given), tuned)
        chosen = choices(policy, 0, batch)
        assert (chosen == wanted).all()
        for model, other in enumerate(others, 1):
            assert (choices(policy, model, batch) == other).all()
        departures += int((chosen != tuned).sum())
        batch.step(chosen)
    return departures


def test_shipped_general_plays_as_its_agent_beside_greedy_ones(game):
    policy = make_policy(game, ("trained", "light", "first"))
    assert policy.num_models == 3
    departures = assert_plays_as(game, policy, make_agent("trained", GameInfo.of(game)))
    assert INTERPRETED or departures > 50


@pytest.mark.parametrize("advice", [0, 1, WORTHS, REASONS])
def test_checkpoint_plays_as_its_agent_whatever_advice_it_takes(game, tmp_path, advice):
    info, sizes = GameInfo.of(game), NetworkSizes(token=8, mark=4, hidden=16, advice=advice)
    torch.manual_seed(3)
    weights = arrays_of(make_network(info, sizes).state_dict())
    header = Header(game=describe(info), network=sizes, advice="greedy:weights=tuned" if advice else "", training={})
    path = tmp_path / "mine.safetensors"
    path.write_bytes(pack(header, {POLICY: weights}))
    policy = make_policy(game, (str(path), "light", "first"))
    assert_plays_as(game, policy, load_agent(path, info, deterministic=True), steps=max(4, STEPS // 4))


def test_a_checkpoint_plays_on_in_the_game_that_it_was_trained_for(tmp_path):
    info = GameInfo.of(load_players("sack_armies", 2, switches={"grid_radius": 7}))
    sizes = NetworkSizes(token=8, mark=4, hidden=16)
    weights = arrays_of(make_network(info, sizes).state_dict())
    path = tmp_path / "mine.safetensors"
    path.write_bytes(pack(Header(game=describe(info), network=sizes, training={}), {POLICY: weights}))
    make_agent(f"search:models={path}", info)
    with pytest.raises(ValueError, match=r"trained for another game: num_actions 321, here it is 423"):
        make_agent(f"search:models={path}", GameInfo.of(load_players("sack_armies", 2)))


def test_two_trained_generals_are_refused(game, tmp_path):
    other = shutil.copy(CHECKPOINT, tmp_path / "other.safetensors")
    with pytest.raises(ValueError, match=r"several trained agents, .*: at most one is allowed"):
        make_agent(f"search:models=trained+{other}", GameInfo.of(game))
    for models in ("trained+trained", f"trained+{CHECKPOINT}"):
        make_agent(f"search:models={models}", GameInfo.of(game))


def test_games_that_it_cannot_play_are_refused():
    with pytest.raises(ValueError, match=r"trained for another game"):
        make_agent("search:models=trained+tuned", GameInfo.of(load_players("sack_armies", 4)))
    with pytest.raises(ValueError, match=r"no trained agent comes with the game 'territories'"):
        make_agent("search:models=trained", GameInfo.of(load_game("territories")))


def test_shipped_checkpoint_may_be_named_by_its_path(game):
    named, by_path = make_policy(game, ("trained",)), make_policy(game, (str(CHECKPOINT),))
    batch = Batch(game, 4)
    batch.reset(np.arange(4))
    assert (choices(named, 0, batch) == choices(by_path, 0, batch)).all()
