"""The kernel of the forward pass computes the same as the operations of torch."""

import numba
import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.learned.advice import Answer, make_advisor
from sackarmies_agents.learned.board_form import POINTED_HEXES, board_form
from sackarmies_agents.learned.board_network import BoardNetwork
from sackarmies_agents.learned.checkpoint import POLICY, read_checkpoint
from sackarmies_agents.learned.forward import ForwardPass
from sackarmies_agents.learned.forward_kernels import forward
from sackarmies_agents.learned.kernel_agent import KernelAgent
from sackarmies_agents.learned.load import kernel_agent_of
from sackarmies_agents.learned.network import Advice
from sackarmies_agents.learned.policy_agent import PolicyAgent, read_network
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_agents.learned.sizes import REASONS, WORTHS, NetworkSizes
from sackarmies_agents.learned.tensors import arrays_of
from sackarmies_agents.learned.weights import shapes_of
from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS, PLAN_IDS, Explanation
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.registry import load_players
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
    "only wins pay": (
        {"num_generals": 3, "switches": {"reward": "win_only"}},
        NetworkSizes(8, 4, 16, patch=1, outcomes=3),
    ),
    "least": ({"num_generals": 3}, NetworkSizes(1, 1, 2, patch=0, message=1, advice=WORTHS, early=8)),
}


def positions_of(game, count=POSITIONS):
    """Return observations and masks from games of `greedy`, mixed with random actions."""
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
    given = [] if answer is None else [Advice.of(answer)]
    with torch.inference_mode():
        logits, values = network(torch.tensor(observations), torch.tensor(masks) != 0, *given)
    return np.where(masks != 0, logits.numpy(), -np.inf), values.numpy()


def kernel_of(network, sizes, info):
    """Return the kernel that computes the forward pass of a torch network."""
    return ForwardPass(board_form(info, sizes.patch), sizes, arrays_of(network.state_dict()))


def assert_same(kernel, network, observations, masks, answer=None):
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
    both = kernel_of(network, sizes, info), network
    assert_same(*both, observations, masks)
    if sizes.advice:
        answer = make_advisor("greedy", info, REASONS).ask(observations, masks)
        assert_same(*both, observations, masks, answer)
        assert_same(*both, observations, masks, answer._replace(explanation=None))
        assert_same(*both, observations, masks, Answer(answer.chosen))


@pytest.mark.parametrize("name", CASES)
def test_names_and_shapes_of_weights_are_those_of_torch(name):
    options, sizes = CASES[name]
    info = GameInfo.of(make_game(**options))
    wanted = {name: tuple(weight.shape) for name, weight in BoardNetwork(info, sizes).state_dict().items()}
    assert shapes_of(board_form(info, sizes.patch), sizes) == wanted


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
    answer = Answer(chosen, worths, told) if sizes.advice else None
    assert_same(kernel_of(network, sizes, info), network, observations, masks, answer)


def test_position_without_legal_ids_has_a_value():
    info = GameInfo.of(make_game(num_generals=2))
    network = random_network(info, SMALL)
    observations, masks = positions_of(make_game(num_generals=2), 4)
    logits, values = kernel_of(network, SMALL, info).run(observations, np.zeros_like(masks), None)
    assert (logits == -np.inf).all()
    np.testing.assert_allclose(values, by_torch(network, observations, masks, None)[1], rtol=1e-4, atol=1e-4)


def test_arrays_of_other_shapes_are_refused(game, positions):
    info = GameInfo.of(game)
    kernel = kernel_of(random_network(info, SMALL), SMALL, info)
    observations, masks = (part[:3] for part in positions)
    for pair in ((observations[:2], masks), (observations[:, 1:], masks), (observations, masks[:, 1:])):
        with pytest.raises(ValueError, match=r"observations and masks have the shapes .* but must be \(3, 5801\)"):
            kernel.run(*pair, None)
        with pytest.raises(ValueError, match=r"observations and masks have the shapes .* but must be \(3, 5801\)"):
            make_agent("greedy", info).act_batch(*pair)


@pytest.fixture(scope="module")
def game():
    return load_players("sack_armies", 2)


@pytest.fixture(scope="module")
def positions(game):
    return positions_of(game)


@pytest.fixture(scope="module")
def trained(game):
    """Return the General that comes with the game, as a kernel agent and as a torch agent."""
    info, checkpoint = GameInfo.of(game), read_checkpoint(CHECKPOINT)
    kernel, network = kernel_agent_of(checkpoint, info, deterministic=True), read_network(checkpoint, POLICY, info)
    return kernel, PolicyAgent(network, deterministic=True, advisor=kernel.advisor)


def test_trained_general_scores_and_values_as_by_torch(trained, positions):
    kernel, by_torch = trained
    logits, values = kernel.outputs(*positions)
    wanted, wanted_values = by_torch.outputs(*positions)
    legal = positions[1] != 0
    np.testing.assert_allclose(logits[legal], wanted[legal], rtol=0, atol=1e-4 * np.abs(wanted[legal]).max())
    np.testing.assert_allclose(values, wanted_values, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(INTERPRETED, reason="whole games take too long without the compiler")
def test_trained_general_plays_whole_games_alike_alone_and_in_a_batch_of_torch(game, trained):
    alone, together = trained
    batch = Batch(game, 4, restarts=False)
    batch.reset(np.arange(4))
    while (batch.players >= 0).any():
        rows = np.flatnonzero(batch.players >= 0)
        observations, masks = batch.observations[rows], batch.action_masks[rows]
        chosen = together.act_batch(observations, masks)
        assert [alone.act(*pair) for pair in zip(observations, masks, strict=True)] == chosen.tolist()
        actions = np.zeros(4, np.int64)
        actions[rows] = chosen
        batch.step(actions)


def test_rating_gives_the_likeliest_id_and_all_scores(game, trained, positions):
    observations, masks = positions
    agent = make_agent("trained:deterministic=false", GameInfo.of(game))
    agent.reset(4)
    for n in (1, len(masks)):
        chosen, logits = agent.rate(observations[:n], masks[:n])
        assert chosen.dtype == np.int64
        assert logits.dtype == np.float32
        assert ((logits == -np.inf) == (masks[:n] == 0)).all()
        assert chosen.tolist() == trained[1].act_batch(observations[:n], masks[:n]).tolist()
    assert agent.report() == []
    other = make_agent("trained:deterministic=false", GameInfo.of(game))
    other.reset(4)
    np.testing.assert_array_equal(agent.act_batch(observations, masks), other.act_batch(observations, masks))


@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan, 1e38])
@pytest.mark.parametrize("deterministic", [False, True])
def test_network_without_finite_scores_still_plays_legal_ids(game, positions, weight, deterministic):
    info = GameInfo.of(game)
    network = random_network(info, SMALL)
    for bias in (network.direct.bias, network.score.weight, network.gate.bias):
        torch.nn.init.constant_(bias, weight)
    by_kernel = KernelAgent(
        board_form(info, SMALL.patch), SMALL, arrays_of(network.state_dict()), deterministic=deterministic
    )
    observations, masks = (part[: min(50, POSITIONS)] for part in positions)
    for agent in (by_kernel, PolicyAgent(network, deterministic=deterministic)):
        with np.errstate(over="ignore", invalid="ignore"):  # interpreted code warns of them
            assert masks[np.arange(len(masks)), agent.act_batch(observations, masks)].all()
            assert (np.isfinite(agent.rate(observations, masks)[1]) == (masks != 0)).all()


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_kernel_is_compiled_once_for_all_networks_and_arrays(game, positions):
    observations, masks = (part[:4] for part in positions)
    kinds = set()
    for options, sizes in CASES.values():
        info = GameInfo.of(make_game(**options))
        kernel = kernel_of(random_network(info, sizes), sizes, info)
        kinds.add((numba.typeof(tuple(kernel.model)), numba.typeof(kernel._scratch)))
    assert len(kinds) == 1
    info = GameInfo.of(game)
    kernel = kernel_of(random_network(info, SMALL), SMALL, info)
    wanted = kernel.run(observations, masks, None)[0]
    forms = [
        (observations.astype(np.int64), masks.astype(bool)),
        (np.asfortranarray(observations), np.asfortranarray(masks)),
        (np.frombuffer(observations.tobytes(), np.int8).reshape(observations.shape), masks),
    ]
    for form in forms:
        np.testing.assert_array_equal(kernel.run(*form, None)[0], wanted)
    assert len(forward.signatures) == 1
