"""Vector environments and self-play with Stable-Baselines3 and TorchRL."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import sackarmies_env
from sackarmies_env.envs.options import PotentialShaping
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_training.sb3 import as_sb3
from sackarmies_training.selfplay_env import SelfPlayEnv
from tests.core.toy_game import make_duel
from tests.envs.test_variety import any_turns
from tests.second_game import ENVIRONMENT, registered


def lives(observations):
    """Return a potential: the learner's own lives."""
    return observations[:, 7].astype(np.float32)


def test_adapter_gives_what_the_vector_environment_gives():
    options = {"max_turns": 6}
    env, other = (BatchEnv(make_duel(**options), 4, shaping=PotentialShaping(lives)) for _ in range(2))
    adapter = as_sb3(env)
    adapter.seed(3)
    mine, (its, _) = adapter.reset(), other.reset(seed=3)
    assert all(np.array_equal(mine[name], its[name]) for name in its)
    totals, ends = np.zeros(4), 0
    for _ in range(40):
        masks = np.stack(adapter.env_method("action_masks"))
        assert np.array_equal(masks, other.action_masks())
        actions, before = masks.argmax(axis=1), {name: array.copy() for name, array in mine.items()}
        seen, rewards, dones, infos = adapter.step(actions)
        assert all(np.array_equal(mine[name], before[name]) for name in mine)  # the learner stores them now
        its, expected, terminations, truncations, its_infos = other.step(actions)
        assert all(np.array_equal(seen[name], its[name]) for name in its)
        assert rewards.tolist() == expected.astype(np.float32).tolist()
        assert dones.tolist() == (terminations | truncations).tolist()
        totals += expected
        for row in np.flatnonzero(dones):
            final = its_infos["final_obs"][row]
            assert np.array_equal(infos[row]["terminal_observation"]["observation"], final["observation"])
            assert infos[row]["TimeLimit.truncated"] == truncations[row]
            assert infos[row]["episode"]["r"] == pytest.approx(totals[row])
            totals[row], ends = 0, ends + 1
        mine = seen
    assert ends > 4


def test_adapter_takes_rows_with_games_of_their_own():
    with registered():
        env = as_sb3(sackarmies_env.make("duel", "vector", num_envs=4, sampler=any_turns))
        env.seed(3)
        env.reset()
    ended = 0
    for _ in range(40):
        _, _, dones, infos = env.step(np.stack(env.env_method("action_masks")).argmax(axis=1))
        ended += dones.sum()
        assert all(("episode" in info) == done for info, done in zip(infos, dones, strict=True))
    assert ended > 4


def test_options_are_those_of_the_next_reset_alone():
    with registered():
        env = as_sb3(sackarmies_env.make("duel", "vector", num_envs=2, max_turns=20))
        limits = []
        for options in ({"max_turns": 3}, None, [{"max_turns": 4}] * 2, {}):
            if options is not None:
                env.set_options(options)
            env.reset()
            limits.append(env.env.game.config["max_turns"])
        assert limits == [3, 20, 4, 20]
        env.set_options({"draws": [["card_9"], []]})
        with pytest.raises(ValueError, match="draws"):
            env.reset()
    for options, sentence in (
        ([{"max_turns": 3}, {}], "options that differ between games: all games of a vector take the same"),
        ([{"max_turns": 3}], "1 dicts of options are given for 2 games"),
        ({"reset_mask": np.array([True, False])}, r"reset_mask: reset\(\) of Stable-Baselines3 restarts all games"),
    ):
        with pytest.raises(ValueError, match=sentence):
            env.set_options(options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seat": "all"}, "seat='all': a learner of Stable-Baselines3 plays one seat"),
        ({"autoreset_mode": "NextStep"}, "autoreset_mode='NextStep': Stable-Baselines3 needs 'SameStep'"),
    ],
)
def test_adapter_refuses_what_the_library_cannot_take(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        as_sb3(BatchEnv(make_duel(), 2, **options))


def test_self_play_is_made_with_names_of_opponents():
    env = SelfPlayEnv(make_duel(), 8, ["random"])
    assert env.pool.names[:-1] == ["random"]
    env.reset()
    env.step(env.action_masks().argmax(axis=1))
    assert SelfPlayEnv(make_duel(), 2, {"random": 0.5}).pool.weights()[0] > 0
    with pytest.raises(ValueError, match="unknown agent 'randm'"):
        SelfPlayEnv(make_duel(), 2, ["randm"])
    for nobody in ([], "random"):
        with pytest.raises(ValueError, match=r"opponents must be a list of agent names, such as \['random'\]"):
            SelfPlayEnv(make_duel(), 2, nobody)


def score(choose, games=200):
    """Return the learner's mean result in duels against random play."""
    env, results = BatchEnv(make_duel(), 32, mask_in_observation=False, copy=True), []
    observations, infos = env.reset(seed=1000)
    while len(results) < games:
        observations, _, terminations, truncations, infos = env.step(choose(observations, infos["action_mask"]))
        ended = terminations | truncations
        for row in np.flatnonzero(ended):
            results.append(infos["final_info"]["returns"][row][infos["final_info"]["seat"][row]])
    return float(np.mean(results))


@pytest.mark.slow  # trains for some seconds
def test_maskable_ppo_trains_on_a_vector_environment():
    from sb3_contrib import MaskablePPO

    env = as_sb3(BatchEnv(make_duel(), 16, mask_in_observation=False))
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=256, n_epochs=4, learning_rate=2e-3, seed=1)
    model.learn(8_000)

    def choose(observations, masks):
        return model.predict(observations, action_masks=masks, deterministic=True)[0]

    rng = np.random.default_rng(0)
    at_random = score(lambda observations, masks: (masks * rng.random(masks.shape)).argmax(axis=1))
    assert abs(at_random) < 0.2
    assert score(choose, 2000) > 0.2


@pytest.mark.slow  # trains for some seconds
@pytest.mark.parametrize("mode", ["Disabled", "SameStep"])
def test_torchrl_collects_and_trains_on_a_vector_environment(mode):
    """A masked policy gradient learns from batches of TorchRL's collector, which replaces ended games itself, or we do.

    If we do, it first takes random actions and reads final observations that are not dicts, with masks in the infos.
    """
    torch = pytest.importorskip("torch", reason="torch is not installed")
    collectors = pytest.importorskip("torchrl.collectors", reason="TorchRL is not installed")
    from torchrl.envs.libs.gym import GymWrapper

    torch.manual_seed(0)
    options = {"mask_in_observation": False, "illegal_action": "penalize"} if mode == "SameStep" else {}
    with registered():
        made = gymnasium.make_vec(ENVIRONMENT, num_envs=32, copy=True, autoreset_mode=mode, **options)
    env = GymWrapper(made, categorical_action_encoding=True)
    env.set_seed(0)
    size, actions = env.observation_spec["observation"].shape[-1], env.action_spec.space.n
    network = torch.nn.Sequential(torch.nn.Linear(size, 64), torch.nn.ReLU(), torch.nn.Linear(64, actions))

    def distribution(vectors, masks):
        return torch.distributions.Categorical(logits=network(vectors.float()).masked_fill(masks == 0, -1e9))

    def policy(data):
        return data.set("action", distribution(data["observation"], data["action_mask"]).sample())

    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    frames = 32 * 40
    total = 120 * frames
    for data in collectors.Collector(env, policy, frames_per_batch=frames, total_frames=total, trust_policy=True):
        rewards, dones = data["next", "reward"].squeeze(-1), data["next", "done"].squeeze(-1)
        ends, final = dones[:, :-1], data["next", "observation"][:, :-1]
        goes_on = (final == data["observation"][:, 1:]).all(-1)
        assert (goes_on == ~ends).all()  # the last observation of a game is not the first one of the next
        assert not data["next", "action_mask"][dones].any()
        to_come, after = torch.zeros_like(rewards), torch.zeros(len(rewards))
        for step in reversed(range(rewards.shape[1])):
            after = rewards[:, step] + torch.where(dones[:, step], 0.0, after)
            to_come[:, step] = after
        chances = distribution(data["observation"], data["action_mask"])
        loss = -(chances.log_prob(data["action"]) * (to_come - to_come.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def choose(observations, masks):
        with torch.no_grad():
            return distribution(torch.tensor(observations), torch.tensor(masks)).probs.argmax(-1).numpy()

    assert score(choose, 2000) > 0.14  # a standard error is 0.02
