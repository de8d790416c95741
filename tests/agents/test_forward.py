"""The kernel of the forward pass computes what operations of torch do."""

import copy

import numba
import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.learned.advice import Answer, make_advisor
from sackarmies_agents.learned.board_network import POINTED_HEXES, BoardNetwork
from sackarmies_agents.learned.forward import ForwardPass
from sackarmies_agents.learned.forward_kernels import forward
from sackarmies_agents.learned.network import REASONS, WORTHS, NetworkSizes, PlainNetwork
from sackarmies_agents.learned.policy_agent import MOST_AT_ONCE, PolicyAgent
from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS, PLAN_IDS, Explanation
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.registry import load_players
from tests.core.toy_game import make_duel
from tests.sack_armies.builders.random_games import bout_options

POSITIONS = 4 if INTERPRETED else 400
SMALL = NetworkSizes(token=8, mark=4, hidden=16)
CASES = {
    "two Generals": ({"num_generals": 2}, SMALL),
    "four Generals, advised": ({"num_generals": 4}, NetworkSizes(11, 3, 26, patch=0, message=5, advice=1, early=3)),
    "worths": ({"num_generals": 2}, NetworkSizes(9, 5, 17, patch=3, message=7, outcomes=3, advice=WORTHS, early=2)),
    "reasons": ({"num_generals": 2}, NetworkSizes(9, 5, 17, patch=2, message=7, outcomes=3, advice=REASONS, early=1)),
    "six Generals, inline tokens": (bout_options(9), NetworkSizes(12, 4, 30, patch=1, outcomes=3, advice=REASONS)),
    "battle of inline tokens": (bout_options(8), NetworkSizes(12, 4, 30, patch=2, advice=1)),
    "least": ({"num_generals": 3}, NetworkSizes(1, 1, 2, patch=0, message=1, advice=WORTHS, early=8)),
}


def positions_of(game, count=POSITIONS):
    """Return observations and masks of games of `greedy` with random actions."""
    agent, random, rng = make_agent("greedy", GameInfo.of(game)), RandomAgent(1), np.random.default_rng(1)
    batch, found = Batch(game, 16), []
    batch.reset(np.arange(16))
    for _ in range(count // 4):
        observations, masks = batch.observations.copy(), batch.action_masks.copy()
        found.append((observations, masks))
        wanted, other = agent.act_batch(observations, masks), random.act_batch(observations, masks)
        batch.step(np.where(rng.random(16) < 0.3, other, wanted))
    seen, legal = (np.concatenate(part) for part in zip(*found, strict=True))
    chosen = rng.permutation(len(seen))[:count]
    return seen[chosen], legal[chosen]


def random_network(info, sizes):
    torch.manual_seed(5)
    network = BoardNetwork(info, sizes).eval()
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    return network


def by_torch(network, observations, masks, answer):
    given = [] if answer is None else [answer.as_tensors()]
    with torch.inference_mode():
        logits, values = network(torch.tensor(observations), torch.tensor(masks) != 0, *given)
    return np.where(masks != 0, logits.numpy(), -np.inf), values.numpy()


def assert_same(network, observations, masks, answer=None):
    kernel = ForwardPass(network)
    logits, values = kernel.run(observations, masks, answer)
    wanted, wanted_values = by_torch(network, observations, masks, answer)
    scale = 1e-4 * max(1.0, float(np.abs(wanted[masks != 0]).max()))
    assert (np.isfinite(logits) == (masks != 0)).all()
    np.testing.assert_allclose(logits, wanted, rtol=0, atol=scale)
    np.testing.assert_allclose(values, wanted_values, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_positions_of_games_are_scored_as_by_torch(name):
    options, sizes = CASES[name]
    game = make_game(**options)
    info = GameInfo.of(game)
    observations, masks = positions_of(game)
    network = random_network(info, sizes)
    assert_same(network, observations, masks)
    if sizes.advice:
        answer = make_advisor("greedy", info, REASONS).ask(observations, masks)
        assert_same(network, observations, masks, answer)
        assert_same(network, observations, masks, answer._replace(explanation=None))
        assert_same(network, observations, masks, Answer(answer.chosen))


@pytest.mark.parametrize("sizes", [SMALL, NetworkSizes(12, 4, 30, message=6, outcomes=3, advice=REASONS)])
def test_observations_of_random_numbers_are_scored_as_by_torch(sizes):
    info = GameInfo.of(make_game(num_generals=2))
    rng, n = np.random.default_rng(3), POSITIONS
    rows = [
        [(feature.low, feature.high) for feature in block.features] * block.rows
        for block in info.observation_spec.blocks
    ]
    low, high = np.array([bounds for row in rows for bounds in row]).T
    observations = rng.integers(low, high + 1, (n, len(low))).astype(np.int8)
    for axis in "qr":  # near the center, so that hexes are met more than once
        places = [("tokens", row, axis) for row in range(info.observation_spec.block("tokens").rows)]
        places += [("globals", 0, f"{name}{axis}") for name in POINTED_HEXES]
        for place in places:
            observations[:, info.observation_spec.index(*place)] = rng.integers(-3, 4, n)
    masks = (rng.random((n, info.num_actions)) < rng.random((n, 1)) ** 2).astype(np.int8)
    network, chosen, k = random_network(info, sizes), masks.argmax(axis=1), int(masks.sum())
    worths = rng.normal(0, 60, k).astype(np.float32)
    worths[rng.random(k) < 0.1] = -1e9
    plans = rng.integers(-1, info.num_actions, (k, PLAN_IDS))
    notes = rng.normal(size=(n, info.observation_spec.block("tokens").rows, NUM_NOTES)).astype(np.float32)
    told = Explanation(worths, plans, rng.normal(size=(k, NUM_PARTS)).astype(np.float32), notes)
    assert_same(network, observations, masks, Answer(chosen, worths, told) if sizes.advice else None)


def test_position_without_legal_ids_has_a_value():
    info = GameInfo.of(make_game(num_generals=2))
    network = random_network(info, SMALL)
    observations, masks = positions_of(make_game(num_generals=2), 4)
    logits, values = ForwardPass(network).run(observations, np.zeros_like(masks), None)
    assert (logits == -np.inf).all()
    np.testing.assert_allclose(values, by_torch(network, observations, masks, None)[1], rtol=1e-4, atol=1e-4)


def test_arrays_of_other_shapes_are_refused(game, positions):
    kernel = ForwardPass(random_network(GameInfo.of(game), SMALL))
    observations, masks = (part[:3] for part in positions)
    for pair in ((observations[:2], masks), (observations[:, 1:], masks), (observations, masks[:, 1:])):
        with pytest.raises(ValueError, match=r"observations and masks are of the shapes .* but must be \(3, 5801\)"):
            kernel.run(*pair, None)


def test_other_networks_have_no_kernel():
    plain = PlainNetwork(GameInfo.of(make_duel()), SMALL)
    with pytest.raises(ValueError, match="PlainNetwork has no kernel"):
        ForwardPass(plain)
    double = random_network(GameInfo.of(make_game(num_generals=2)), SMALL).double()
    with pytest.raises(ValueError, match="not on a CPU and of float32"):
        ForwardPass(double)


@pytest.fixture(scope="module")
def game():
    return load_players("sack_armies", 2)


@pytest.fixture(scope="module")
def positions(game):
    return positions_of(game)


def with_torch(agent):
    """Return an agent that does the same without the kernel."""
    return PolicyAgent(agent.network, deterministic=True, advisor=agent.advisor)


def test_trained_general_scores_and_values_as_by_torch(game, positions):
    trained = make_agent("trained", GameInfo.of(game))
    assert_same(trained.network, *positions, trained.advisor.ask(*positions))


@pytest.mark.skipif(INTERPRETED, reason="the kernel is not used without the compiler")
def test_trained_general_plays_whole_games_alike_alone_and_in_a_batch(game):
    alone = make_agent("trained", GameInfo.of(game))
    together, batch = with_torch(alone), Batch(game, 4, restarts=False)
    batch.reset(np.arange(4))
    while (batch.players >= 0).any():
        rows = np.flatnonzero(batch.players >= 0)
        observations, masks = batch.observations[rows], batch.action_masks[rows]
        chosen = together.act_batch(observations, masks)
        assert [alone.act(*pair) for pair in zip(observations, masks, strict=True)] == chosen.tolist()
        actions = np.zeros(4, np.int64)
        actions[rows] = chosen
        batch.step(actions)
    assert alone._forward is not None
    assert together._forward is None


def test_rating_gives_the_likeliest_id_and_all_scores(game, positions):
    observations, masks = (part[: MOST_AT_ONCE + 1] for part in positions)
    agent = make_agent("trained:deterministic=false", GameInfo.of(game))
    agent.reset(4)
    for n in (1, len(masks)):
        chosen, logits = agent.rate(observations[:n], masks[:n])
        assert chosen.dtype == np.int64
        assert logits.dtype == np.float32
        assert ((logits == -np.inf) == (masks[:n] == 0)).all()
        assert chosen.tolist() == with_torch(agent).act_batch(observations[:n], masks[:n]).tolist()
    assert agent.report() == []
    other = make_agent("trained:deterministic=false", GameInfo.of(game))
    other.reset(4)
    np.testing.assert_array_equal(agent.act_batch(observations, masks), other.act_batch(observations, masks))


@pytest.mark.skipif(INTERPRETED, reason="the kernel is not used without the compiler")
def test_changed_weights_are_copied_again(game, positions):
    observations, masks = (part[:3] for part in positions)
    agent = make_agent("trained", GameInfo.of(game))
    _, before = agent.rate(observations, masks)
    twin = copy.deepcopy(agent)
    agent.network.scale_scores(2.0)
    _, after = agent.rate(observations, masks)
    np.testing.assert_allclose(after[masks != 0], 2 * before[masks != 0], rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(twin.rate(observations, masks)[1], before)
    agent.network.load_state_dict(twin.network.state_dict())
    np.testing.assert_array_equal(agent.rate(observations, masks)[1], before)


def test_kernel_is_for_networks_that_stay_as_they_are(game, positions):
    network = random_network(GameInfo.of(game), SMALL)
    agent = PolicyAgent(network)
    agent.act_batch(positions[0][:2], positions[1][:2])
    assert agent._forward is None


@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan, 1e38])
@pytest.mark.parametrize("deterministic", [False, True])
def test_network_without_finite_scores_still_plays_legal_ids(game, positions, weight, deterministic):
    network = random_network(GameInfo.of(game), SMALL)
    for bias in (network.direct.bias, network.score.weight, network.gate.bias):
        torch.nn.init.constant_(bias, weight)
    agent = PolicyAgent(network, deterministic=deterministic, frozen=True)
    for observation, mask in zip(*(part[:50] for part in positions), strict=True):
        assert mask[agent.act(observation, mask)]
    assert all(np.isfinite(agent.rate(*positions)[1]).sum(axis=1) == positions[1].sum(axis=1))
    with np.errstate(over="ignore", invalid="ignore"):  # interpreted, they are told of
        logits, _ = ForwardPass(network).run(positions[0][:4], positions[1][:4], None)
    assert (np.isfinite(logits) == (positions[1][:4] != 0)).all()


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_kernel_is_compiled_once_for_all_networks_and_arrays(game, positions):
    observations, masks = (part[:4] for part in positions)
    kinds = set()
    for options, sizes in CASES.values():
        kernel = ForwardPass(random_network(GameInfo.of(make_game(**options)), sizes))
        kinds.add((numba.typeof(kernel._model), numba.typeof(kernel._scratch)))
    assert len(kinds) == 1
    kernel = ForwardPass(random_network(GameInfo.of(game), SMALL))
    wanted = kernel.run(observations, masks, None)[0]
    forms = [
        (observations.astype(np.int64), masks.astype(bool)),
        (np.asfortranarray(observations), np.asfortranarray(masks)),
        (np.frombuffer(observations.tobytes(), np.int8).reshape(observations.shape), masks),
    ]
    for form in forms:
        np.testing.assert_array_equal(kernel.run(*form, None)[0], wanted)
    assert len(forward.signatures) == 1
