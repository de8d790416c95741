"""The vector environment, tested with a toy game: each row plays like the single-seat environment."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from sackarmies_env.core.rng import following_seed
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.match import Match
from sackarmies_env.envs.options import PotentialShaping
from sackarmies_env.envs.vector_env import BatchEnv
from tests.core.toy_game import make_duel


class Lowest:
    """Plays the lowest legal id, one game at a time."""

    def __init__(self):
        self.resets = 0

    def reset(self, seed):
        self.resets += 1

    def act(self, observation, action_mask):
        return int(np.flatnonzero(action_mask)[0])


class Seeded(Lowest):
    """Plays a legal id that depends on its seed and its number of decisions."""

    def reset(self, seed):
        self.seed, self.decisions = seed, 0

    def act(self, observation, action_mask):
        self.decisions += 1
        legal = np.flatnonzero(action_mask)
        return int(legal[(self.seed // self.decisions) % len(legal)])


def batch(num_envs=4, num_players=2, max_turns=60, **options):
    return BatchEnv(make_duel(num_players, max_turns), num_envs, **options)


def lowest(masks):
    return masks.argmax(axis=1)


def test_declares_how_games_are_replaced():
    env = batch()
    assert env.metadata["autoreset_mode"] is env.autoreset_mode is AutoresetMode.SAME_STEP
    assert batch(autoreset_mode="Disabled").autoreset_mode is AutoresetMode.DISABLED
    assert env.num_envs == 4
    observations, infos = env.reset(seed=0)
    assert env.observation_space.contains(observations)
    assert env.action_space.contains(lowest(observations["action_mask"]))
    assert np.array_equal(infos["action_mask"], observations["action_mask"])
    assert infos["_action_mask"].tolist() == [True] * 4


def equal(one, other):
    """Return whether the results of two environments are equal in keys, types, shapes and values."""
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(equal(one[k], other[k]) for k in one)
    if isinstance(one, tuple) or (isinstance(one, np.ndarray) and one.dtype == object):
        return len(one) == len(other) and all(equal(*pair) for pair in zip(one, other, strict=True))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and bool((one == other).all())
    return type(one) is type(other) and one == other


OPPONENTS = {
    "random": lambda: "random",
    "own": Lowest,
    "mixed": lambda: ["random", Lowest()],
    "seeded": lambda: [Seeded(), "random"],
    "one for two seats": Seeded,
}


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize(
    ("num_players", "opponent"),
    [(2, "random"), (3, "random"), (2, "own"), (3, "mixed"), (3, "seeded"), (3, "one for two seats")],
)
def test_vector_matches_sync_vector_env_of_single_environments(mode, num_players, opponent):
    options = {"illegal_action": "penalize", "mask_in_observation": num_players == 3}
    game, make = make_duel(num_players, max_turns=4), OPPONENTS[opponent]
    single = functools.partial(SingleSeatEnv, game, **options)
    sync = SyncVectorEnv([functools.partial(single, opponent=make()) for _ in range(5)], autoreset_mode=mode)
    env = BatchEnv(game, 5, opponent=make(), autoreset_mode=mode, **options)
    assert env.metadata["autoreset_mode"] is mode
    assert env.observation_space == sync.observation_space
    assert env.single_observation_space == sync.single_observation_space
    assert env.action_space == sync.action_space
    assert equal(env.reset(seed=40), sync.reset(seed=40))
    rng, ends, cuts = np.random.default_rng(0), 0, 0
    for step in range(60):
        actions = rng.integers(game.num_actions, size=5)  # some of them illegal
        mine, its = env.step(actions), sync.step(actions)
        assert equal(mine, its), step
        ends, cuts = ends + mine[2].sum(), cuts + mine[3].sum()
    assert ends > 10
    assert cuts > 0
    assert equal(env.reset(), sync.reset())


def worth(observations):
    """Return a potential of the learner's own hand and lives."""
    return observations[:, :4] @ np.arange(1, 5) / 10 + observations[:, 7]


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize(("num_players", "opponent"), [(2, "random"), (3, "mixed")])
def test_shaping_and_decision_infos_match_those_of_single_environments(mode, num_players, opponent):
    options = {"illegal_action": "penalize", "shaping": PotentialShaping(worth, 0.9), "decision_infos": True}
    game, make = make_duel(num_players, max_turns=4), OPPONENTS[opponent]
    single = functools.partial(SingleSeatEnv, game, **options)
    sync = SyncVectorEnv([functools.partial(single, opponent=make()) for _ in range(5)], autoreset_mode=mode)
    env = BatchEnv(game, 5, opponent=make(), autoreset_mode=mode, **options)
    assert equal(env.reset(seed=40), sync.reset(seed=40))
    rng, ends, starts = np.random.default_rng(0), np.zeros(2), set()
    for step in range(60):
        actions = rng.integers(game.num_actions, size=5)
        mine, its = env.step(actions), sync.step(actions)
        assert equal(mine, its), step
        ends += mine[2].sum(), mine[3].sum()
        starts |= set(mine[4]["turn_start"].tolist())
    assert (ends > 0).all()
    assert starts == ({False, True} if num_players == 3 or mode is AutoresetMode.NEXT_STEP else {True})


# --- resets by mask


@pytest.mark.parametrize(
    ("num_players", "opponent", "more"),
    [
        (2, "random", {}),
        (3, "mixed", {"decision_infos": True, "shaping": PotentialShaping(worth, 0.9)}),
        (3, "seeded", {"mask_in_observation": False}),
    ],
)
def test_games_reset_by_a_mask_match_sync_vector_env(num_players, opponent, more):
    options = {"illegal_action": "penalize", **more}
    game, make = make_duel(num_players, max_turns=4), OPPONENTS[opponent]
    single = functools.partial(SingleSeatEnv, game, **options)
    mode = AutoresetMode.DISABLED
    sync = SyncVectorEnv([functools.partial(single, opponent=make()) for _ in range(5)], autoreset_mode=mode)
    env = BatchEnv(game, 5, opponent=make(), autoreset_mode="Disabled", **options)
    rng, resets = np.random.default_rng(0), 0
    assert equal(env.reset(seed=7), sync.reset(seed=7))
    for step in range(80):
        actions = rng.integers(game.num_actions, size=5)
        mine = env.step(actions)
        assert equal(mine, sync.step(actions)), step
        mask = mine[2] | mine[3]
        if step % 10 == 9:
            mask |= rng.random(5) < 0.3  # running games may be reset too
        if mask.any():
            seed = [None, int(rng.integers(1000)), [None, 4, None, int(rng.integers(1000)), 6]][resets % 3]
            draws = {"draws": [["card_1"] * 3]} if resets % 4 == 3 else {}
            before = mask.copy()
            given = {"reset_mask": mask, **draws}
            again = env.reset(seed=seed, options=given)
            assert equal(again, sync.reset(seed=seed, options={"reset_mask": mask, **draws})), step
            assert given.keys() == {"reset_mask", *draws}  # Gymnasium takes the mask out of the caller's dict
            assert mask.tolist() == before.tolist()
            resets += 1
    assert resets > 12


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_a_mask_resets_games_in_the_other_modes_too(mode):
    game = make_duel(max_turns=4)
    sync = SyncVectorEnv([lambda: SingleSeatEnv(game)] * 4, autoreset_mode=mode)
    env = BatchEnv(game, 4, autoreset_mode=mode)
    assert equal(env.reset(seed=3), sync.reset(seed=3))
    for step in range(30):
        actions = lowest(env.action_masks())
        mine = env.step(actions)
        assert equal(mine, sync.step(actions))
        if step % 3 == 2:
            mask = np.arange(4) % 2 == step % 2
            assert equal(env.reset(options={"reset_mask": mask}), sync.reset(options={"reset_mask": mask.copy()}))


def test_games_that_are_over_must_be_reset_where_nothing_else_does():
    env = batch(3, seat=0, max_turns=1, autoreset_mode="Disabled")
    env.reset(seed=0)
    *_, truncations, infos = env.step(lowest(env.action_masks()))
    assert truncations.all()
    assert infos["seat"].tolist() == [0, 0, 0]
    env.reset(options={"reset_mask": np.array([True, False, True])})
    with pytest.raises(ValueError, match=r"the games \[1\] are over, and autoreset_mode is 'Disabled': call reset"):
        env.step(lowest(env.action_masks()))
    env.reset(options={"reset_mask": np.array([False, True, False])})
    env.step(lowest(env.action_masks()))


@pytest.mark.parametrize(
    ("mask", "error", "sentence"),
    [
        ([True, False, True], TypeError, "reset_mask must be a numpy array of bool, not list"),
        (np.array([1, 0, 1]), TypeError, "reset_mask must be a numpy array of bool, not an array of int64"),
        (np.array([True, False]), ValueError, r"reset_mask must have the shape \(3,\), one entry per game, not \(2,\)"),
        (np.zeros(3, bool), ValueError, "reset_mask selects no games"),
    ],
)
def test_wrong_masks_are_refused_with_the_errors_of_gymnasium(mask, error, sentence):
    env, sync = batch(3, autoreset_mode="Disabled"), SyncVectorEnv([lambda: SingleSeatEnv(make_duel())] * 3)
    env.reset(seed=0)
    with pytest.raises(error, match=sentence):
        env.reset(options={"reset_mask": mask})
    with pytest.raises(error):
        sync.reset(options={"reset_mask": mask})


def test_a_mask_needs_games_that_have_begun():
    env = batch(3)
    with pytest.raises(ValueError, match="call reset\\(\\) without a reset_mask first"):
        env.reset(options={"reset_mask": np.array([True, False, True])})
    env.reset(seed=0, options={"reset_mask": np.ones(3, bool)})


# --- games over before the first decision


@pytest.mark.parametrize("opponent", ["random", "own"])
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_games_over_before_the_learners_first_decision_are_replaced_in_both(mode, opponent):
    game, make = make_duel(max_turns=1), OPPONENTS[opponent]  # one turn, in half of them not the learner's
    sync = SyncVectorEnv([lambda: SingleSeatEnv(game, opponent=make())] * 6, autoreset_mode=mode)
    env = BatchEnv(game, 6, opponent=make(), autoreset_mode=mode)
    seeds = [following_seed(seed) for seed in range(6)]
    assert equal(env.reset(seed=seeds), sync.reset(seed=seeds))
    for _ in range(20):
        masks = env.action_masks()
        if mode is AutoresetMode.SAME_STEP:
            assert (masks.sum(axis=1) > 0).all()
        actions = lowest(masks)
        assert equal(env.step(actions), sync.step(actions))
    assert env.seats.tolist() == [0] * 6
    assert env.batch.seeds.tolist() == [one._match.seed for one in (single.unwrapped for single in sync.envs)]


def test_opponent_that_shares_a_batch_gets_a_new_seed_whenever_games_begin():
    seeds = []

    class Shared(Lowest):
        shares_batch = True

        def reset(self, seed):
            seeds.append(seed)

        def act_batch(self, observations, action_masks):
            return action_masks.argmax(axis=1)

    env = batch(opponent=Shared(), max_turns=4)
    env.reset(seed=1)
    begun = 1
    for _ in range(20):
        ended = env.step(lowest(env.action_masks()))
        begun += (ended[2] | ended[3]).any()
    assert len(seeds) == len(set(seeds)) == begun > 5


@pytest.mark.parametrize("num_players", [2, 3])
def test_vector_matches_sync_vector_env_of_single_environments_that_forfeit(num_players):
    options = {"illegal_action": "terminate", "seat": 1}
    game = make_duel(num_players)
    sync = SyncVectorEnv([lambda: SingleSeatEnv(game, **options)] * 4, autoreset_mode=AutoresetMode.SAME_STEP)
    env = BatchEnv(game, 4, copy=True, threads=2, **options)
    assert equal(env.reset(seed=[9, 2, 2**63 - 1, 0]), sync.reset(seed=[9, 2, 2**63 - 1, 0]))
    rng = np.random.default_rng(0)
    for _ in range(30):
        actions = rng.integers(game.num_actions, size=4)
        assert equal(env.step(actions), sync.step(actions))


def test_the_next_step_begins_the_next_game_and_pays_nothing():
    env = batch(3, seat=0, max_turns=1, autoreset_mode="NextStep")
    env.reset(seed=0)
    *_, truncations, infos = env.step(lowest(env.action_masks()))
    assert truncations.all()
    assert not infos["action_mask"].any()
    assert infos["seat"].tolist() == [0, 0, 0]
    observations, rewards, terminations, truncations, infos = env.step(np.array([-5, 99, 0]))  # ignored
    assert (rewards.tolist(), terminations.any(), truncations.any()) == ([0.0] * 3, False, False)
    assert observations["action_mask"].any(axis=1).all()
    assert env.batch.seeds.tolist() == [following_seed(seed) for seed in range(3)]
    assert "seat" not in infos


def test_forced_results_are_for_the_first_games():
    env = batch(3, seat=0)
    observations, _ = env.reset(seed=0, options={"draws": [["card_2"] * 3]})
    assert observations["observation"][:, :4].tolist() == [[0, 3, 0, 0]] * 3


def test_buffers_are_reused_unless_copies_are_asked_for():
    for copy in (False, True):
        env = batch(4, seat=0, copy=copy)
        first, infos = env.reset(seed=0)
        before = first["observation"].copy()
        second, *_ = env.step(lowest(infos["action_mask"]))
        assert np.shares_memory(first["observation"], second["observation"]) != copy
        assert np.array_equal(before, first["observation"]) == copy
        assert np.shares_memory(first["action_mask"], second["action_mask"]) != copy


def test_the_vector_alone_is_observed_on_demand():
    env = batch(mask_in_observation=False)
    observations, infos = env.reset(seed=0)
    assert env.observation_space.contains(observations)
    observations, *_, infos = env.step(lowest(infos["action_mask"]))
    assert observations.shape == (4, env.game.observation_spec.size)


@pytest.mark.parametrize("seat", ["random", "all", 0])
def test_the_same_seed_gives_the_same_games(seat):
    def course(env):
        observations, infos = env.reset(seed=9)
        seen = [observations["observation"].copy()]
        for _ in range(30):
            observations, *_, infos = env.step(lowest(infos["action_mask"]))
            seen.append(observations["observation"].copy())
        return np.stack(seen)

    env = batch(6, 3, seat=seat)
    first = course(env)
    assert np.array_equal(first, course(env))
    assert np.array_equal(first, course(batch(6, 3, seat=seat)))


def test_seeds_may_be_given_one_a_game():
    env, other = batch(2, 6, seat=0), batch(2, 6, seat=0)
    mine, _ = env.reset(seed=[5, 6])
    its, _ = other.reset(seed=5)
    assert np.array_equal(mine["observation"], its["observation"])
    with pytest.raises(ValueError, match="3 seeds are given for 2 games"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="a seed is an integer"):
        env.reset(seed=-1)


def test_seats_vary_from_game_to_game():
    env = batch(50, 3)
    env.reset(seed=0)
    assert set(env.seats.tolist()) == {0, 1, 2}
    assert np.array_equal(env.batch.players, env.seats)


def test_opponents_that_play_one_game_are_copied():
    mine = Lowest()
    env = batch(3, opponent=mine, seat=0)
    env.reset(seed=0)
    instances = env.opponents.opponents[0]
    assert len({id(one) for one in instances}) == 3
    assert mine not in instances
    assert [one.resets for one in instances] == [1, 1, 1]
    ends = 0
    for _ in range(20):
        *_, terminations, truncations, _ = env.step(lowest(env.action_masks()))
        ends += int((terminations | truncations).sum())
    assert sum(one.resets for one in instances) == 3 + ends


# --- all seats


def test_all_seats_are_played_by_the_learner():
    env = batch(8, 3, seat="all")
    observations, infos = env.reset(seed=1)
    totals = np.zeros((8, 3))
    finished = 0
    while finished < 20:
        players = infos["player"]
        assert np.array_equal(players, env.batch.players)
        assert np.array_equal(observations["observation"], env.batch.observe(players))
        actors = players.copy()
        observations, rewards, terminations, truncations, infos = env.step(lowest(infos["action_mask"]))
        assert np.array_equal(rewards, infos["rewards"][np.arange(8), actors])
        totals += infos["rewards"]
        for row in np.flatnonzero(terminations | truncations):
            assert sorted(totals[row].tolist()) == [-0.5, -0.5, 1.0]
            assert infos["final_info"]["returns"][row].tolist() == totals[row].tolist()
            assert infos["final_info"]["seat"][row] == actors[row]
            totals[row] = 0
            finished += 1


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_each_seat_is_paid_what_it_earns_and_only_once(num_players, mode):
    env = batch(4, num_players, seat="all", autoreset_mode=mode)
    _, infos = env.reset(seed=1)
    rng, matches = np.random.default_rng(2), [Match(env.game) for _ in range(4)]
    for match, seed in zip(matches, env.batch.seeds.tolist(), strict=True):
        match.begin(seed)
    fell_first = set()
    for _ in range(300):
        actors, masks = infos["player"], infos["action_mask"].copy()
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        _, rewards, terminations, _, infos = env.step(actions)
        for row, match in enumerate(matches):
            before = np.array(match.returns, np.float32)
            if not masks[row].any():  # the step that begins the next game, with NextStep
                match.begin(int(env.batch.seeds[row]))
                assert not infos["rewards"][row].any()
                assert rewards[row] == 0
                continue
            match.play(int(actions[row]))
            earned = np.array(match.returns, np.float32) - before
            assert infos["rewards"][row].tolist() == earned.tolist()
            assert rewards[row] == earned[actors[row]]
            fell_first |= {seat for seat in range(num_players) if match.out[seat] and match.player >= 0}
            assert terminations[row] == (match.player < 0)
            if match.player < 0 and mode == "SameStep":
                match.begin(int(env.batch.seeds[row]))
    assert len(fell_first) == (num_players if num_players > 2 else 0)  # each was out while others played on


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
@pytest.mark.parametrize(("num_players", "shaping"), [(2, None), (3, PotentialShaping(worth, 0.9))])
def test_seats_are_paid_and_told_what_the_pettingzoo_environment_tells_them(mode, num_players, shaping):
    """In lockstep: rewards, the sum earned since the last decision, and the central state."""
    options = {"illegal_action": "penalize", "illegal_penalty": 0.25, "shaping": shaping}
    game = make_duel(num_players, max_turns=6)
    env = BatchEnv(game, 4, seat="all", decision_infos=True, autoreset_mode=mode, **options)
    raws = [RawEnv(game, **options) for _ in range(4)]
    _, infos = env.reset(seed=1)
    turns = [{} for _ in raws]
    for raw, seed in zip(raws, env.batch.seeds.tolist(), strict=True):
        raw.reset(seed=seed)
    rng, ends = np.random.default_rng(2), 0
    assert not infos["earned"].any()
    for _ in range(120):
        for row, raw in enumerate(raws):
            if not raw.agents:
                continue
            match, seat = raw._match, raw._match.player
            assert infos["decision"][row] == game.describe_decision(match.states)
            turn = int(match.states["turn"][0])
            assert infos["turn_start"][row] == (turns[row].get(seat) != turn)
            turns[row][seat] = turn
        assert env.state_space.contains(env.state())
        for row, raw in enumerate(raws):
            assert env.state()[row].tolist() == raw.state().tolist()
        masks, actors = env.action_masks().copy(), infos["player"]
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        _, rewards, terminations, truncations, infos = env.step(actions)
        for row, raw in enumerate(raws):
            if not raw.agents:  # the step that begins the next game
                raw.reset(seed=int(env.batch.seeds[row]))
                turns[row] = {}
                assert not infos["earned"][row].any()
                continue
            raw.step(int(actions[row]))
            earned = [raw.rewards.get(agent, 0.0) for agent in raw.possible_agents]
            assert infos["rewards"][row].tolist() == pytest.approx(earned)
            assert rewards[row] == pytest.approx(earned[actors[row]])
            paid = dict.fromkeys(raw.possible_agents, 0.0)
            while raw.agents:
                agent = raw.agent_selection
                _, paid[agent], terminated, truncated, _ = raw.last()
                if not (terminated or truncated):
                    break
                raw.step(None)
            assert infos["earned"][row].tolist() == pytest.approx(list(paid.values()))
            assert bool(terminations[row] or truncations[row]) == (not raw.agents)
            if not raw.agents:
                ends += 1
                if mode == "SameStep":
                    raw.reset(seed=int(env.batch.seeds[row]))
                    turns[row] = {}
        if mode == "Disabled" and (terminations | truncations).any():
            over = terminations | truncations
            _, first = env.reset(options={"reset_mask": over})
            assert first["_decision"].tolist() == over.tolist()
            infos = {name: np.where(over, first[name], infos[name]) for name in ("player", "decision", "turn_start")}
            for row in np.flatnonzero(over).tolist():
                raws[row].reset(seed=int(env.batch.seeds[row]))
                turns[row] = {}
    assert ends > 12


def test_a_turn_limit_truncates():
    env = batch(3, max_turns=1, seat=0)
    env.reset(seed=0)
    _, rewards, terminations, truncations, infos = env.step(lowest(env.action_masks()))
    assert (rewards.tolist(), terminations.tolist(), truncations.tolist()) == ([0.0] * 3, [False] * 3, [True] * 3)
    assert infos["_final_info"].tolist() == [True] * 3


def test_each_info_of_ended_games_is_an_array_of_its_own():
    env = batch(3, max_turns=1, seat=0, copy=True)
    env.reset(seed=0)
    *_, infos = env.step(lowest(env.action_masks()))
    infos["_final_obs"][:] = False
    assert infos["_final_info"].all()
    assert infos["final_info"]["_seat"].all()


# --- what is refused


def test_illegal_actions_in_three_ways():
    draws = {"draws": [["card_1"] * 3]}
    actions = np.array([0, 3])
    env = batch(2, seat=0)
    env.reset(seed=4, options=draws)
    before = env.batch.states.tobytes()
    with pytest.raises(ValueError, match=r"^illegal action 3 in game 1 at CARD; legal are \[0\]; no game was changed$"):
        env.step(actions)
    assert env.batch.states.tobytes() == before
    env = batch(2, seat=0, illegal_action="penalize", illegal_penalty=0.5)
    env.reset(seed=4, options=draws)
    assert env.step(actions)[1].tolist() == [0.0, -0.5]
    env = batch(2, seat=0, illegal_action="terminate")
    env.reset(seed=4, options=draws)
    _, rewards, terminations, _, _ = env.step(actions)
    assert rewards.tolist() == [0.0, -1.0]
    assert terminations.tolist() == [False, True]


def test_actions_must_be_as_many_integers_as_games():
    env = batch(2)
    with pytest.raises(ValueError, match="no games are running: call reset"):
        env.step(np.array([0, 0]))
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions of shape \(3,\) and dtype int64: expected a list of 2 integers"):
        env.step(np.array([0, 0, 0]))
    with pytest.raises(ValueError, match="dtype float64: expected a list of 2 integers"):
        env.step(np.array([0.0, 0.0]))
    with pytest.raises(ValueError, match="illegal action -1 in game 0"):
        env.step(np.array([-1, 99]))


def test_an_opponent_must_play_legally():
    class Wrong:
        def act(self, observation, action_mask):
            return int(np.flatnonzero(action_mask == 0)[0])

    env = batch(2, opponent=Wrong(), seat=0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="the opponent Wrong chose an action that is not legal in game 0"):
        env.step(lowest(env.action_masks()))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seat": 2}, "seat=2: allowed are 'all', 'random', 0, 1"),
        ({"illegal_action": "skip"}, "illegal_action='skip': allowed are"),
        ({"num_envs": 0}, "num_envs=0: it must be an integer of at least 1"),
        ({"threads": 0}, "threads=0: it must be an integer of at least 1"),
        ({"autoreset_mode": "Never"}, "autoreset_mode='Never': allowed are 'SameStep', 'NextStep', 'Disabled'"),
        ({"render_mode": "human"}, "render_mode='human': allowed are None, 'ansi', 'rgb_array', 'html'"),
        ({"frameskip": 4}, "BatchEnv got an unexpected keyword argument 'frameskip': known are"),
    ],
)
def test_options_are_checked(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        batch(**options)
