import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo
from sackarmies_agents.learned import fused
from sackarmies_agents.learned.board_form import hex_ids, patches
from sackarmies_agents.learned.board_network import NUM_SYMMETRIES, BoardNetwork
from sackarmies_agents.learned.feature_columns import columns_of
from sackarmies_agents.learned.network import MASKED, Advice, Encoder, PlainNetwork, value_of
from sackarmies_agents.learned.policy_agent import PolicyAgent, find_device, make_network
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_env.core.hexgrid import make_hexgrid
from sackarmies_env.core.observation import Feature
from sackarmies_env.registry import load_game
from tests.core.toy_game import make_duel

SIZES = NetworkSizes(token=24, mark=8, hidden=32, patch=2)
HAND, BATTLEGROUND, ATTACHED = 1, 3, 4
UNIT, FIELD, MANEUVER = 1, 2, 4


@pytest.fixture(scope="module")
def info():
    return GameInfo.of(load_game("sack_armies", armies=["beginners", "beginners"]))


@pytest.fixture(scope="module")
def network(info):
    torch.manual_seed(3)
    network = BoardNetwork(info, SIZES)
    torch.nn.init.normal_(network.score.weight)  # fresh weights are near zero
    torch.nn.init.normal_(network.direct.weight)
    return network.eval()


class Position:
    """A hand-made observation."""

    def __init__(self, info):
        self.info = info
        self.vector = np.zeros(info.observation_spec.size, np.int8)
        self.tokens = 0
        for name in ("chain_", "chain_second_", "attack_", "act_", "act_to_"):
            self.point(name, -18, -18)

    def point(self, name, q, r):
        for axis, value in (("q", q), ("r", r)):
            self.vector[self.info.observation_spec.index("globals", 0, f"{name}{axis}")] = value

    def add(self, **features):
        for name, value in features.items():
            self.vector[self.info.observation_spec.index("tokens", self.tokens, name)] = value
        self.tokens += 1


def battle(info, dq=0, dr=0, order=1):
    """Return a small position, shifted on the board, with its tokens listed in either order."""
    position = Position(info)
    rows = [
        {"place": BATTLEGROUND, "kind": FIELD, "q": dq, "r": dr, "halts": 1, "rank": 2},
        {"place": BATTLEGROUND, "kind": UNIT, "q": dq, "r": dr, "movement": 2, "damage": 3, "armor": 2},
        {"place": BATTLEGROUND, "kind": UNIT, "q": dq + 1, "r": dr, "controller": 1, "owner": 1, "armor": 5},
        {"place": HAND, "kind": UNIT, "q": -18, "r": -18, "type_low": 8, "damage": 4},
        {"place": ATTACHED, "kind": MANEUVER, "q": dq, "r": dr, "slot": 1, "relocate": 2},
    ]
    for row in rows[::order]:
        position.add(**row)
    position.point("chain_", dq, dr)
    return position.vector


def logits(network, observation, legal):
    masks = torch.zeros((1, network.num_actions), dtype=torch.bool)
    masks[0, legal] = True
    with torch.inference_mode():
        scores, values = network(torch.tensor(observation)[None], masks)
    return scores[0], values[0]


def hexes(info, *coordinates):
    ids = hex_ids(make_hexgrid(info.radius), 24 + info.num_types + 8, info.num_actions)
    return [int(ids[q + 18, r + 18]) for q, r in coordinates]


def turned(info, observation, is_reflected, steps):
    """Return an observation with its board reflected or rotated by steps of 60 degrees, and the map of coordinates."""

    def turn(q, r):
        q, r = (r, q) if is_reflected else (q, r)
        for _ in range(steps):
            q, r = -r, q + r
        return q, r

    result = observation.copy()
    for block in info.observation_spec.blocks:
        for row in range(block.rows):
            for name in [feature.name for feature in block.features if feature.name.split("_")[-1] == "q"]:
                places = [info.observation_spec.index(block.name, row, name[:-1] + axis) for axis in "qr"]
                if observation[places[0]] != -18:
                    result[places] = turn(*observation[places].tolist())
    return result, turn


def test_a_network_that_turns_boards_sees_them_in_all_symmetries(info, network, monkeypatch):
    observation = battle(info, 1, 2)
    coordinates = [(1, 2), (2, 2), (3, 1), (0, 0), (-2, 5)]
    expected = []
    for is_reflected in (False, True):
        for steps in range(6):
            seen, turn = turned(info, observation, is_reflected, steps)
            legal = [5, *hexes(info, *(turn(*place) for place in coordinates))]
            expected.append(logits(network, seen, legal)[0][legal])
    legal = [5, *hexes(info, *coordinates)]
    monkeypatch.setattr(network, "turns_boards", True)
    found = []
    for number in range(NUM_SYMMETRIES):
        monkeypatch.setattr(torch, "randint", lambda high, size, number=number, **_: torch.full(size, number))
        found.append(logits(network, observation, legal)[0][legal])
    torch.testing.assert_close(found[0], expected[0])
    assert len({tuple(scores.tolist()) for scores in found}) == NUM_SYMMETRIES
    for scores in found:
        assert sum(torch.allclose(scores, other, atol=1e-5) for other in expected) == 1
    for other in expected:
        assert sum(torch.allclose(scores, other, atol=1e-5) for scores in found) == 1


def test_ids_of_hexes_follow_the_cells(info):
    grid = make_hexgrid(info.radius)
    ids = hex_ids(grid, 152, 423)
    assert ids[grid.q[100] + 18, grid.r[100] + 18] == 252
    assert ids[0, 0] == 423
    assert (ids == 423).sum() == 36 * 36 - grid.num_cells


def test_patch_holds_the_id_itself_and_what_lies_around(info):
    grid = make_hexgrid(info.radius)
    table = patches(grid, 152, 423, 1)
    assert table.shape == (423, 7)
    assert table[30].tolist() == [30, *[423] * 6]
    center = grid.cell(0, 0)
    assert table[152 + center, 0] == 152 + center
    assert set(table[152 + center, 1:].tolist()) == {152 + int(cell) for cell in grid.neighbors[center]}
    corner = grid.cell(info.radius, 0)
    assert (table[152 + corner] == 423).sum() == 3
    assert patches(grid, 152, 423, 2).shape == (423, 19)
    assert patches(grid, 152, 423, 0).shape == (423, 1)


def test_directions_in_a_patch_are_the_same_for_all_hexes(info):
    grid = make_hexgrid(info.radius)
    table = patches(grid, 0, grid.num_cells, 2)
    for cell in (grid.cell(0, 0), grid.cell(3, -2)):
        q = grid.q[table[cell]].astype(int) - grid.q[cell]
        r = grid.r[table[cell]].astype(int) - grid.r[cell]
        assert list(zip(q.tolist(), r.tolist(), strict=True))[:4] == [(0, 0), (-2, 0), (-2, 1), (-2, 2)]


def test_only_legal_actions_have_a_score(network, info):
    legal = [0, 31, *hexes(info, (0, 0), (1, 0))]
    scores, _ = logits(network, battle(info), legal)
    assert torch.equal(
        scores > MASKED / 2, torch.zeros(info.num_actions, dtype=torch.bool).index_fill(0, torch.tensor(legal), True)
    )


def test_moving_everything_over_the_board_moves_the_scores_along(network, info):
    here = hexes(info, (0, 0), (1, 0), (0, 1), (-1, 0))
    there = hexes(info, (-2, 3), (-1, 3), (-2, 4), (-3, 3))
    scores, value = logits(network, battle(info), [0, 31, *here])
    moved, moved_value = logits(network, battle(info, -2, 3), [0, 31, *there])
    assert torch.allclose(scores[[0, 31, *here]], moved[[0, 31, *there]], atol=1e-5)
    assert torch.allclose(value, moved_value, atol=1e-5)
    assert len(set(scores[here].tolist())) == 4


def test_order_of_rows_does_not_matter(network, info):
    legal = [0, 31, *hexes(info, (0, 0), (1, 0))]
    scores, value = logits(network, battle(info), legal)
    turned, turned_value = logits(network, battle(info, order=-1), legal)
    assert torch.allclose(scores[legal], turned[legal], atol=1e-5)
    assert torch.allclose(value, turned_value, atol=1e-5)


def test_type_is_judged_by_the_attributes_of_the_token_in_hand(network, info):
    legal = [24 + 7, 24 + 8]
    weak = battle(info)
    strong = weak.copy()
    strong[info.observation_spec.index("tokens", 3, "damage")] = 9
    before, after = logits(network, weak, legal)[0], logits(network, strong, legal)[0]
    assert abs(before[31] - after[31]) > 1e-3


def test_attachment_of_the_chosen_unit_is_scored_by_its_slot(network, info):
    first_slot = 24 + info.num_types
    chosen = battle(info)
    other = chosen.copy()
    other[info.observation_spec.index("tokens", 4, "relocate")] = 5
    legal = [first_slot, first_slot + 1]
    change = (logits(network, chosen, legal)[0] - logits(network, other, legal)[0])[legal].abs()
    assert change[1] > 1e-4


def test_values_alone_are_those_with_scores(network, info):
    observation = battle(info)
    with torch.inference_mode():
        alone = network.values(torch.tensor(observation)[None])
    assert torch.allclose(alone[0], logits(network, observation, [0])[1], atol=1e-6)


def test_batch_gives_what_single_observations_give(network, info):
    pair = np.stack([battle(info), battle(info, 2, -1)])
    masks = torch.ones((2, info.num_actions), dtype=torch.bool)
    with torch.inference_mode():
        scores, values = network(torch.tensor(pair), masks)
        for row in (0, 1):
            single, value = network(torch.tensor(pair[row : row + 1]), masks[:1])
            assert torch.allclose(scores[row], single[0], atol=1e-4)
            assert torch.allclose(values[row], value[0], atol=1e-5)


def test_gradient_reaches_every_weight(info):
    network = BoardNetwork(info, SIZES)
    observation = battle(info)
    for name in ("generals", "types"):
        observation[info.observation_spec.slice(name)] = 1
    observation[info.observation_spec.index("globals", 0, "is_current")] = 1
    legal = torch.zeros((1, info.num_actions), dtype=torch.bool)
    legal[0, [0, 31, 24 + info.num_types + 1, *hexes(info, (0, 0), (1, 0))]] = True
    scores, values = network(torch.tensor(observation)[None], legal)
    (scores[legal] ** 2).sum().add((values - 1).pow(2).sum()).backward()
    silent = [name for name, weight in network.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert silent == []


def test_kernels_compute_what_operations_of_torch_do(info, monkeypatch):
    torch.manual_seed(1)
    network = BoardNetwork(info, SIZES)
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.2)
    observations = torch.tensor(np.stack([battle(info), battle(info, 2, -1)]))
    masks = torch.ones((2, info.num_actions), dtype=torch.bool)
    found = []
    for runs_kernels in (True, False):
        monkeypatch.setattr(fused, "_runs_kernels", lambda tensor, answer=runs_kernels: answer)
        network.zero_grad()
        scores, values = network(observations, masks)
        (scores.pow(2).sum() + values.sum()).backward()
        found.append([scores, values, *(weight.grad for weight in network.parameters())])
    for with_kernels, without in zip(*found, strict=True):
        assert torch.allclose(with_kernels, without, rtol=1e-4, atol=1e-4 * float(without.detach().abs().max()))


def test_network_without_advice_has_the_weights_of_earlier_versions(info):
    names = set(BoardNetwork(info, SIZES).state_dict())
    assert not any(name.startswith("advice") for name in names)
    assert {"score.weight", "message_gain.weight", "value.1.weight"} <= names


def test_fresh_network_mostly_takes_the_advice(info):
    torch.manual_seed(1)
    network = BoardNetwork(info, NetworkSizes(token=8, mark=4, hidden=16, advice=1))
    legal = [0, 3, 31, *hexes(info, (0, 0), (1, 0))]
    masks = torch.zeros((1, info.num_actions), dtype=torch.bool)
    masks[0, legal] = True
    for advised in legal:
        logits, _ = network(torch.tensor(battle(info))[None], masks, Advice(torch.tensor([advised])))
        assert logits.softmax(dim=1)[0, advised] > 0.9


def test_values_of_chances_are_win_minus_loss():
    outcomes = torch.tensor([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]).log()
    assert torch.allclose(value_of(outcomes, -1.0), torch.tensor([0.5, -0.4]))
    assert value_of(torch.tensor([[0.25]]), -1.0).tolist() == [0.25]


@pytest.mark.parametrize(("reward", "value"), [("zero_sum", 0.0), ("win_only", 0.25)])
def test_value_of_a_fair_game_of_four_is_what_it_pays_on_average(reward, value):
    game = GameInfo.of(load_game("sack_armies", num_generals=4, switches={"reward": reward}))
    outcomes = torch.tensor([[0.25, 1e-9, 0.75]]).log()
    assert float(value_of(outcomes, game.loss)) == pytest.approx(value, abs=1e-6)


def test_game_with_a_board_gets_the_board_network(info):
    assert isinstance(make_network(info, SIZES), BoardNetwork)
    assert isinstance(make_network(GameInfo.of(make_duel()), SIZES), PlainNetwork)
    planes = GameInfo.of(load_game("sack_armies", observation="planes"))
    assert planes.radius > 0
    assert isinstance(make_network(planes, SIZES), PlainNetwork)


def test_network_of_an_unknown_kind_is_refused():
    info = GameInfo("chess", 2, 4, make_duel().observation_spec, network="bord")
    with pytest.raises(
        ValueError, match=r"the game 'chess' declares the unknown network 'bord': known are 'board', 'plain'"
    ):
        make_network(info, SIZES)


@pytest.mark.parametrize("name", ["warp", "hpu", "privateuseone"])
def test_device_that_is_not_available_is_refused(name):
    with pytest.raises(ValueError, match=rf"^unknown device '{name}': available are cpu"):
        find_device(name)


def test_agent_draws_by_the_probabilities_of_its_network():
    class Fixed(PlainNetwork):
        def forward(self, observations, masks):
            wanted = torch.log(torch.tensor([0.7, 0.2, 0.1, 1.0, 1.0, 1.0]))
            return wanted.masked_fill(~masks, MASKED), torch.zeros(len(masks))

    game = make_duel()
    agent = PolicyAgent(Fixed(GameInfo.of(game), SIZES))
    masks = np.tile(np.array([1, 1, 1, 0, 0, 0], np.int8), (10000, 1))
    actions = agent.act_batch(np.zeros((10000, game.observation_spec.size), np.int8), masks)
    shares = np.bincount(actions, minlength=6) / 10000
    assert np.abs(shares - [0.7, 0.2, 0.1, 0, 0, 0]).max() < 0.02


def test_encoder_scales_numbers_looks_up_codes_and_omits_given_features():
    features = [Feature("wide", -128, 127, "x"), Feature("code", -1, 2, "x", categorical=True), Feature("q", 0, 4, "x")]
    encoder = Encoder(columns_of(features, without={"q"}), 5)
    rows = torch.tensor([[8, -1, 3], [8, -1, 1], [-128, 2, 0]], dtype=torch.int8)
    vectors = encoder(rows)
    assert torch.equal(vectors[0], vectors[1])
    weight, bias = encoder.numbers.weight[:, 0], encoder.numbers.bias
    assert torch.allclose(vectors[0], weight + bias + encoder.codes.weight[0], atol=1e-6)
    assert torch.allclose(vectors[2], -4 * weight + bias + encoder.codes.weight[3], atol=1e-6)
