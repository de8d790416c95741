"""Padding: games of several sizes share spaces; the content is the same, but in other places."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from pettingzoo.test import api_test

import sackarmies_env
from sackarmies_env import sack_armies_v0
from sackarmies_env.core.actions import ActionSpace, numbered_segment
from sackarmies_env.core.observation import Block, Feature, ObservationSpec
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.padded import Padding, make_padding
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.envs.wrapped import OrderEnforced
from tests.core.toy_game import make_duel
from tests.envs.test_structured import same
from tests.second_game import GAME, registered

SIZES = {"pad_types": 130, "pad_generals": 6}
OWN_TOKENS = "x06_augment_in_time"  # a scenario with its own token types


def longer(num_players=2):
    """Return the toy game, and its padding to a layout with more rows, features and actions in another order."""
    game = make_duel(num_players)
    hand, table, players = game.observation_spec.blocks
    wider = Block("table", 2, (table.features[-1], Feature("new", 3, 5, "."), *table.features[:-1]), ".")
    more = [Block("players", 6, players.features, "."), hand, wider, Block("players_too", 1, players.features, ".")]
    spec = ObservationSpec(more)
    segments = [numbered_segment("spare", 3), *reversed(game.actions.segments)]
    return game, Padding(game, spec, ActionSpace(segments, advice="none"))


# --- any game


def test_each_number_stands_under_its_name_and_all_others_are_empty():
    game, padding = longer()
    own, larger = game.observation_spec, padding.spec
    vectors = np.random.default_rng(0).integers(own.low, own.high, (4, own.size), np.int8, endpoint=True)
    padded = dict(zip(larger.names(), padding.observe(vectors).T, strict=True))
    plain = dict(zip(own.names(), vectors.T, strict=True))
    assert all(np.array_equal(padded[name], plain[name]) for name in plain)
    empty = padded.keys() - plain.keys()
    assert all((padded[name] == (3 if name.endswith("new") else 0)).all() for name in empty)
    assert same(padding.observe(vectors[1]), padding.observe(vectors)[1])


def test_each_action_keeps_its_text_and_no_other_is_legal():
    game, padding = longer()
    masks = np.random.default_rng(0).integers(0, 2, (3, game.num_actions)).astype(np.int8)
    padded = padding.mask(masks)
    assert padded.shape == (3, game.num_actions + 3)
    assert padded.sum() == masks.sum()
    for own in range(game.num_actions):
        place = padding.action(own)
        assert padding.own_action(place) == own
        assert np.array_equal(padded[:, place], masks[:, own])
    assert [padding.own_action(action) for action in (0, 2, -1, game.num_actions + 3)] == [-1] * 4
    assert padding.own_action("card") == "card"
    assert padding.own_actions(np.array([-5, 0, padding.action(4), 99])).tolist() == [-1, -1, 4, -1]


def test_planes_lie_in_the_middle_of_larger_ones():
    def spec(radius):
        cells = tuple(Feature(f"q{q}", 0, 9, ".") for q in range(-radius, radius + 1))
        return ObservationSpec([Block("land", 2 * radius + 1, cells, ".", is_plane=True)])

    game = make_duel()
    object.__setattr__(game, "observation_spec", spec(1))
    padded = Padding(game, spec(3), game.actions).observe(np.ones(9, np.int8)).reshape(7, 7)
    assert padded[2:5, 2:5].all()
    assert padded.sum() == 9


def test_padding_is_given_what_may_be_seen_and_nothing_else():
    for method in (Padding.observe, Padding.mask, Padding.own_action, Padding.own_actions, Padding.action):
        assert len(inspect.signature(method).parameters) == 2
    assert not any(isinstance(value, np.void | sackarmies_env.GameEntry) for value in vars(longer()[1]).values())


def test_what_has_no_room_is_refused():
    game = make_duel(3)
    hand, table, players = game.observation_spec.blocks
    with pytest.raises(ValueError, match="feature 'to_act' of block 'table' has the range 0 to 2: the padding allows"):
        Padding(game, make_duel(2).observation_spec, game.actions)
    small = ObservationSpec([hand, table, Block("players", 2, players.features, ".")])
    with pytest.raises(ValueError, match="block 'players' has 3 rows, but the padding has room for 2"):
        Padding(game, small, game.actions)
    with pytest.raises(ValueError, match="the padding has no action segment 'card': it has spare"):
        Padding(game, game.observation_spec, ActionSpace([numbered_segment("spare", 3)], advice="none"))
    with pytest.raises(ValueError, match="the action segment 'card' has 4 actions, but the padding has room for 2"):
        segments = [numbered_segment("card", 2), game.actions.segments[1]]
        Padding(game, game.observation_spec, ActionSpace(segments, advice="none"))
    with registered():
        with pytest.raises(ValueError, match="pad_types: observations and actions of the game 'duel' cannot be padded"):
            make_padding(game, pad_types=3)
        with pytest.raises(ValueError, match="unexpected keyword argument 'pad_types'"):
            sackarmies_env.env(game=GAME, pad_types=3)
        assert make_padding(game, pad_types=None) is None
    with pytest.raises(ValueError, match="padding=3: it must be a Padding or None"):
        RawEnv(game, padding=3)


def test_a_padded_game_goes_as_the_plain_one_does():
    game, padding = longer(3)
    padded, plain = RawEnv(game, padding=padding, observation="dict"), RawEnv(game)
    for env in (padded, plain):
        env.reset(seed=5)
    assert padded.state_space.contains(padded.state())
    while plain.agents:
        for agent in plain.possible_agents:
            one, other = padded.observe(agent), plain.observe(agent)
            assert padded.observation_space(agent).contains(one)
            assert same(padded.presentation.form.vector(one["observation"]), padding.observe(other["observation"]))
            assert same(one["action_mask"], padding.mask(other["action_mask"]))
            assert same(padded.infos[agent]["action_mask"], one["action_mask"]) if agent in padded.infos else True
        assert padded.legal_texts() == plain.legal_texts()
        agent = plain.agent_selection
        if plain.terminations[agent] or plain.truncations[agent]:
            padded.step(None)
            plain.step(None)
            continue
        text = plain.legal_texts()[-1]
        assert padded.parse_action(text) == padded.legal_actions()[padded.legal_texts().index(text)]
        with pytest.raises(ValueError, match=r"illegal action 0 \(no such id\) for player_\d at .*; legal are \d+ \("):
            padded.step(0)
        padded.step_text(text)
        plain.step_text(text)
        assert padded.rewards == plain.rewards
    assert padded.record().actions == plain.record().actions


def test_many_padded_games_are_what_single_ones_are():
    game, padding = longer()
    rows = SyncVectorEnv([lambda: SingleSeatEnv(game, padding=padding)] * 3, autoreset_mode="SameStep")
    batch = BatchEnv(game, 3, padding=padding)
    (seen, infos), (others, _) = batch.reset(seed=1), rows.reset(seed=1)
    assert batch.single_observation_space == rows.single_observation_space
    for _ in range(20):
        assert same(seen, others)
        assert batch.observation_space.contains(seen)
        assert same(infos["action_mask"], seen["action_mask"])
        actions = infos["action_mask"].argmax(axis=1)
        others, rewards, *_ = rows.step(actions)
        seen, paid, *_, infos = batch.step(actions)
        assert same(rewards, paid)
        for row in np.flatnonzero(infos.get("_final_obs", ())):
            assert rows.single_observation_space.contains(infos["final_obs"][row])
    with pytest.raises(ValueError, match=r"illegal action 1 in game 0 at CARD; legal are \[\d+"):
        batch.step([1, 1, 1])


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_checkers_of_pettingzoo_and_gymnasium_pass():
    game, padding = longer()
    api_test(OrderEnforced(RawEnv(game, padding=padding)), num_cycles=100)
    check_env(SingleSeatEnv(game, padding=padding, illegal_action="penalize"), skip_render_check=True)


# --- Sack Armies


@pytest.mark.parametrize("observation", ["flat", "planes"])
def test_generals_armies_and_scenarios_of_all_sizes_share_spaces(observation):
    games = [{"num_generals": 2}, {"num_generals": 6}, {"scenario": OWN_TOKENS}, {"armies": ["monsters"] * 2}]
    made = [sack_armies_v0.single_seat_env(observation=observation, **SIZES, **options) for options in games]
    plain = [sack_armies_v0.single_seat_env(observation=observation, **options) for options in games]
    assert all(env.observation_space == made[0].observation_space for env in made)
    assert all(env.action_space == made[0].action_space for env in made)
    assert len({env.action_space.n for env in plain}) == 3
    assert made[0].action_space.n == 24 + 130 + 8 + 919


def test_hexes_and_types_keep_their_texts_in_padded_sack_armies():
    padded, plain = sackarmies_env.raw_env(scenario=OWN_TOKENS, **SIZES), sackarmies_env.raw_env(scenario=OWN_TOKENS)
    for env in (padded, plain):
        env.reset(seed=0)
    for _ in range(10):
        assert padded.legal_texts() == plain.legal_texts()
        seen, other = (env.observe(env.agent_selection)["observation"] for env in (padded, plain))
        for block in ("globals", "log", "generals", "tokens"):
            whole = padded.padding.spec.view(seen, block)
            part = plain.game.observation_spec.view(other, block)
            assert np.array_equal(whole[: len(part)], part)
            assert not whole[len(part) :].any()
        for env in (padded, plain):
            env.step(env.legal_actions()[-1])


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="pad_generals must be an integer from 3 to 6 for this game, not 2"):
        sackarmies_env.env(num_generals=3, pad_generals=2)
    with pytest.raises(ValueError, match="pad_types must be an integer from 120 to 256 for this game, not 100"):
        sackarmies_env.env(pad_types=100)
    with pytest.raises(
        ValueError, match="pad_generals=2 gives a board of radius 9, but the game's board has radius 12"
    ):
        sackarmies_env.env(switches={"grid_radius": 12}, pad_generals=2)
