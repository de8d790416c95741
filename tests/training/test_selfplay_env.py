import re

import numpy as np
import pytest

from sackarmies_agents import Agent, GameInfo, make_agent
from sackarmies_training.opponents import PAST, OpponentPool
from sackarmies_training.selfplay_env import SelfPlayEnv, result_of
from tests.core.toy_game import make_duel
from tests.envs.twins import Told, choose, compare, make_twins


class Stubborn(Agent):
    """Agent that keeps a count between decisions, as a General with a plan would."""

    def __init__(self):
        self.decisions = 0
        self.games = 0

    def reset(self, seed):
        self.decisions = 0
        self.games += 1

    def act(self, observation, action_mask):
        self.decisions += 1
        return int(np.flatnonzero(action_mask)[0])


class Past(Stubborn):
    shares_batch = True


def make_pool(game, scripted, past=0.0, size=2):
    info = GameInfo.of(game)
    make = {"stubborn": Stubborn}
    return OpponentPool(
        scripted, lambda text: make[text]() if text in make else make_agent(text, info), past=past, size=size
    )


def make_env(num_players=2, n=8, potential=None, scripted=None, gamma=1.0):
    game = make_duel(num_players)
    return SelfPlayEnv(game, n, make_pool(game, scripted or {"random": 1.0}), 5, potential, gamma)


def play(env, steps, rng):
    """Play at random; yield the masks before each step, and what the step returned."""
    env.reset()
    for _ in range(steps):
        masks = np.stack(env.env_method("action_masks"))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        env.step_async(actions)
        yield masks, env.step_wait()


@pytest.mark.parametrize("num_players", [2, 4])
def test_learner_is_always_the_current_player(num_players):
    env = make_env(num_players)
    for _, (observations, _, _, _) in play(env, 60, np.random.default_rng(1)):
        assert np.array_equal(env.batch.players, env._seat)
        assert np.array_equal(observations, env.batch.observations)
        assert (observations[:, env.batch.game.observation_spec.index("table", 0, "to_act")] == 0).all()
        assert (env.action_masks().sum(axis=1) > 0).all()


def test_games_that_are_over_before_they_begin_are_refused(monkeypatch):
    env = make_env()
    monkeypatch.setattr(env, "_is_finished", lambda rows: np.ones(len(rows), np.bool_))
    with pytest.raises(ValueError, match=r"100 games in a row were over"):
        env.reset()


def test_rewards_are_what_the_learner_earns_and_each_end_counts_once():
    env = make_env()
    total, ends = 0.0, 0
    for _, (_, rewards, dones, infos) in play(env, 200, np.random.default_rng(2)):
        assert (rewards[~dones] == 0).all()
        assert set(rewards[dones].tolist()) <= {-1.0, 0.0, 1.0}
        assert [info["episode"]["r"] for info in infos if info] == rewards[dones].tolist()
        total += rewards.sum()
        ends += dones.sum()
    results = env.take_results()
    assert len(results["random"]) == ends
    assert sum(results["random"]) == total
    assert env.take_results() == {}


def test_eliminated_learner_is_done_and_gets_its_share_of_the_loss():
    env = make_env(4)
    lost = [
        r for _, (_, rewards, dones, _) in play(env, 300, np.random.default_rng(3)) for r in rewards[dones] if r < 0
    ]
    assert lost
    assert np.allclose(lost, -1 / 3)


@pytest.mark.parametrize(
    ("returns", "results"),
    [
        ([1.0, -0.5, -0.5], [1, -1, -1]),
        ([0.25, 0.25, -0.5], [0, 0, -1]),
        ([0.0, 0.0, 0.0], [0, 0, 0]),
        ([1.0, 0.0, 0.0], [1, -1, -1]),  # reward = "win_only"
    ],
)
def test_result_compares_the_learner_with_the_best_opponent(returns, results):
    assert [result_of(np.float32(returns), np.ones(3, np.bool_), seat) for seat in range(3)] == results


def test_learner_eliminated_before_others_has_lost_and_they_have_not():
    out = np.array([False, True, False])
    assert [result_of(np.zeros(3, np.float32), out, seat) for seat in range(3)] == [0, -1, 0]  # reward = "win_only"


@pytest.mark.parametrize("opponent", ["random", "stubborn"])
def test_learner_that_is_out_before_the_others_loses_to_any_opponents(monkeypatch, opponent):
    env = make_env(4, scripted={opponent: 1.0})
    env.batch.returns = np.zeros_like(env.batch.returns)  # reward = "win_only"
    finish, results = env._finish, set()

    def watched(row):
        is_over = env.batch.states["current_player"][row] < 0
        info = finish(row)
        results.add((bool(is_over), env.results[opponent][-1]))
        return info

    monkeypatch.setattr(env, "_finish", watched)
    for _ in play(env, 100, np.random.default_rng(3)):
        pass
    assert results == {(False, -1), (True, 0)}


@pytest.mark.parametrize("bootstraps", [False, True])
def test_ends_of_games_are_reported_as_stable_baselines_expects(bootstraps):
    game = make_duel(max_turns=4)
    env = SelfPlayEnv(game, 8, make_pool(game, {"stubborn": 1.0, "random": 1.0}), 5, bootstraps=bootstraps)
    told = []
    for _, (observations, _, dones, infos) in play(env, 60, np.random.default_rng(2)):
        for row, info in enumerate(infos):
            assert set(info) == ({"episode", "terminal_observation", "TimeLimit.truncated"} if dones[row] else set())
            if info:
                last = info["terminal_observation"]
                lives = last[-2:].tolist()  # the learner's first
                assert (0 in lives) == (not info["TimeLimit.truncated"] if bootstraps else info["episode"]["r"] != 0)
                assert info["episode"]["r"] == (0 if 0 not in lives else 1 if lives[1] == 0 else -1)
                assert last.shape == observations[row].shape
                told.append(info["TimeLimit.truncated"])
    assert set(told) == ({False, True} if bootstraps else {False})


@pytest.mark.parametrize("opponent", ["random", "stubborn"])
def test_learner_is_told_the_same_in_twin_worlds(opponent):
    differing = alike = 0
    for seed in range(6):
        game = make_duel(3, max_turns=30)
        pool, potential = make_pool(game, {opponent: 1.0}), lambda seen: seen @ np.arange(seen.shape[1]) / 8
        env = SelfPlayEnv(game, 6, pool, seed, potential, gamma=0.5)
        env.reset()
        env._seat[:], env._agents[:], env.batch.seats[:] = env._seat[0], env._agents[0], env.batch.seats[0]
        differing += make_twins([env.batch], int(env._seat[0]), seed)
        env._value[:] = env._value[0]
        worlds, seen, over = [[] for _ in range(6)], env.batch.observations.copy(), np.zeros(6, bool)
        for _ in range(20):
            masks = env.action_masks().copy()
            env.step_async(choose(seen, masks))
            seen, rewards, dones, infos = env.step_wait()
            for row in np.flatnonzero(~over):
                infos[row].get("episode", {}).pop("t", None)  # the time of day
                shown = infos[row].get("terminal_observation", seen[row])
                worlds[row].append(Told(shown.tobytes(), [masks[row], rewards[row], dones[row], infos[row]]))
            over |= dones
        alike += compare(worlds)
    assert differing > 10
    assert alike > 10


def test_random_opponents_play_inside_the_kernel_and_others_do_not():
    env = make_env(3, n=30, scripted={"random": 1.0})
    env.reset()
    assert np.array_equal(env.batch.seats, env._seat)
    env = make_env(3, n=30, scripted={"stubborn": 1.0, "random": 1.0})
    env.reset()
    inside = np.array([names == ["random", "random"] for names in env._names])
    assert 0 < inside.sum() < 30
    assert np.array_equal(env.batch.seats, np.where(inside, env._seat, -1))


def test_threads_change_nothing():
    runs = []
    for threads in (1, 2):
        game = make_duel(3)
        env = SelfPlayEnv(game, 40, make_pool(game, {"random": 1.0, "stubborn": 1.0}), 5, threads=threads)
        runs.append([step[1][0].tobytes() for step in play(env, 20, np.random.default_rng(6))])
    assert runs[0] == runs[1]


def test_learner_sits_in_every_seat():
    env = make_env(3, n=64)
    env.reset()
    assert set(env._seat.tolist()) == {0, 1, 2}


def test_potential_telescopes_over_a_game():
    def potential(observations):
        return observations[:, 5].astype(np.float32)  # the card shown last, whatever it is worth

    gamma = 0.9
    env = make_env(n=1, potential=potential, gamma=gamma)
    start = potential(env.reset())[0]
    rng = np.random.default_rng(4)
    discounted, discount, done = 0.0, 1.0, [False]
    while not done[0]:
        env.step_async(np.array([rng.choice(np.flatnonzero(env.action_masks()[0]))]))
        _, rewards, done, _ = env.step_wait()
        discounted += discount * rewards[0]
        last = discount
        discount *= gamma
    earned = env.take_results()["random"][0]
    assert discounted == pytest.approx(last * earned - start, abs=1e-5)


def test_same_seed_plays_the_same_games():
    runs = []
    for _ in range(2):
        env = make_env()
        runs.append([step[1][0].tobytes() for step in play(env, 40, np.random.default_rng(6))])
    assert runs[0] == runs[1]


def test_agent_with_memory_has_an_instance_per_row_and_is_reset_each_game():
    game = make_duel()
    pool = make_pool(game, {"stubborn": 1.0})
    rng = np.random.default_rng(0)
    name, first = pool.draw(rng, 0, 1)
    assert name == "stubborn"
    assert pool.draw(rng, 1, 1)[1] is not first
    assert pool.draw(rng, 0, 1)[1] is first
    assert first.games == 2


def test_agent_without_memory_is_shared():
    pool = make_pool(make_duel(), {"random": 1.0})
    rng = np.random.default_rng(0)
    assert pool.draw(rng, 0, 1)[1] is pool.draw(rng, 5, 0)[1]


def test_pool_rarely_draws_opponents_that_always_or_never_lose():
    pool = make_pool(make_duel(), {"random": 1.0, "stubborn": 2.0})
    assert pool.weights().tolist() == [0.3, 0.6, 0.0]
    for _ in range(1000):
        pool.report("random", 1)
        pool.report("stubborn", -1)
        pool.report(PAST, 0)
    assert pool.points == pytest.approx({"random": 1.0, "stubborn": 0.0, PAST: 0.5}, abs=1e-6)
    assert pool.weights() == pytest.approx([0.05, 0.1, 0.0], abs=1e-6)


def test_pool_draws_by_weight_and_drops_the_oldest_snapshot():
    pool = make_pool(make_duel(), {"random": 1.0, "stubborn": 2.0}, past=1.0, size=2)
    rng = np.random.default_rng(1)
    assert PAST not in {pool.draw(rng, 0, 0)[0] for _ in range(100)}
    snapshots = [Past() for _ in range(3)]
    for snapshot in snapshots:
        pool.add_snapshot(snapshot)
    assert pool.snapshots == snapshots[1:]
    drawn = [pool.draw(rng, 0, 0) for _ in range(2000)]
    names = [name for name, _ in drawn]
    assert abs(names.count("random") - 500) < 80
    assert abs(names.count("stubborn") - 1000) < 100
    assert {id(agent) for name, agent in drawn if name == PAST} == {id(snapshot) for snapshot in snapshots[1:]}


def test_shared_opponent_gets_a_new_seed_whenever_a_game_begins():
    seeds = []

    class Seeded(Past):
        def reset(self, seed):
            seeds.append(seed)

    game = make_duel()
    env = SelfPlayEnv(game, 4, OpponentPool({"seeded": 1.0}, lambda text: Seeded(), past=0.0, size=2), 5)
    ends = sum(dones.sum() for _, (_, _, dones, _) in play(env, 60, np.random.default_rng(2)))
    assert len(seeds) == len(set(seeds)) >= 4 + ends > 20


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ([0.0] * 8, r"actions of shape \(8,\) and dtype float64: expected a list of 8 integers"),
        ([0] * 7, r"actions of shape \(7,\) and dtype int64: expected a list of 8 integers"),
        ([-4] * 8, "illegal action -4 in game 0 at CARD"),
        ([99] * 8, "illegal action 99 in game 0 at CARD"),
    ],
)
def test_actions_of_the_learner_are_checked_before_anything_is_played(actions, sentence):
    env = make_env()
    with pytest.raises(ValueError, match=r"no games are running: call reset\(\) before step\(\)"):
        env.step(np.zeros(8, np.int64))
    env.reset()
    before = env.batch.states.tobytes()
    with pytest.raises(ValueError, match=sentence):
        env.step(np.array(actions))
    assert env.batch.states.tobytes() == before


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (np.zeros(1), r"answers of the opponent Odd of shape \(1,\) and dtype float64: expected a list"),
        ([0] * 99, r"answers of the opponent Odd of shape \(99,\)"),
        (None, r"answers of the opponent Odd of shape \(\) and dtype object"),
    ],
)
def test_answers_of_opponents_are_checked(answer, sentence):
    class Odd(Past):
        def act_batch(self, observations, action_masks):
            return answer

    env = SelfPlayEnv(make_duel(), 8, OpponentPool({"odd": 1.0}, lambda text: Odd(), past=0.0, size=2), 5)
    with pytest.raises(ValueError, match=sentence):
        env.reset()


@pytest.mark.parametrize("raises", [False, True])
def test_failing_opponent_ends_all_games_and_shows_nothing(raises):
    """The learner is neither shown what the opponent sees nor told what it may do, and cannot decide for it."""

    class Failing(Past):
        fails = False

        def act(self, observation, action_mask):
            if Failing.fails and raises:
                raise RuntimeError("no idea")
            return super().act(observation, 1 - action_mask if Failing.fails else action_mask)

    env = SelfPlayEnv(make_duel(), 8, OpponentPool({"failing": 1.0}, lambda text: Failing(), past=0.0, size=2), 5)
    fault = RuntimeError if raises else ValueError
    for call in (env.reset, lambda: env.step(env.action_masks().argmax(axis=1))):
        Failing.fails = False
        env.reset()
        Failing.fails = True
        with pytest.raises(fault) as failure:
            call()
        if not raises:
            assert re.fullmatch("the opponent Failing chose an action that is not legal in game .", str(failure.value))
        assert not env.action_masks().any()
        assert not env.batch.observations.any()
        for action in (0, -4):
            with pytest.raises(ValueError, match=r"^no games are running: call reset\(\) before step\(\)$"):
                env.step(np.full(8, action))
    Failing.fails = False
    env.reset()
    env.step(env.action_masks().argmax(axis=1))


@pytest.mark.parametrize("bootstraps", [False, True])
def test_potential_of_truncated_games_counts_if_its_value_is_added(bootstraps):
    """The value that SB3 adds is that of a shaped game, which lacks the potential of the last observation."""

    def potential(observations):
        return observations[:, -1].astype(np.float32) + 2  # never 0, and differs between observations

    game = make_duel(max_turns=4)
    env = SelfPlayEnv(game, 8, ["random"], 5, potential, 0.5, bootstraps=bootstraps)
    truncated, before = 0, None
    for _, (observations, rewards, dones, infos) in play(env, 60, np.random.default_rng(2)):
        for row in np.flatnonzero(dones) if before is not None else []:
            last = infos[row]["terminal_observation"]
            cut = bool(last[-2:].all())  # nobody has been eliminated
            earned = 0 if cut else 1 if last[-1] == 0 else -1
            after = potential(last[np.newaxis])[0] if bootstraps and cut else 0
            assert rewards[row] == pytest.approx(earned + 0.5 * after - before[row])
            truncated += cut
        before = potential(observations)
    assert truncated > 5


def test_failing_potential_ends_all_games_and_shows_nothing():
    """Where the learner is out and others play on, outputs show what those see until a new game begins."""

    def potential(observations):
        if len(potentials) == 1:
            raise RuntimeError("no idea")
        return potentials.pop()

    potentials = [np.zeros(8, np.float32)] * 2
    env = SelfPlayEnv(make_duel(3), 8, ["random"], 5, potential)
    env.reset()
    with pytest.raises(RuntimeError, match="no idea"):
        env.step(env.action_masks().argmax(axis=1))
    assert not env.action_masks().any()
    with pytest.raises(ValueError, match=r"^no games are running: call reset\(\) before step\(\)$"):
        env.step(np.zeros(8, np.int64))
