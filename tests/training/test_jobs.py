"""Jobs on this machine and on a Ray cluster: the same files and weights, even if workers or machines are lost."""

import os
import pickle
import threading
import time
from concurrent.futures import Future

import numpy as np
import pytest
import torch

from sackarmies_agents.learned.checkpoint import POLICY, read_checkpoint
from sackarmies_training import jobs
from sackarmies_training.config import Place
from sackarmies_training.groups import Groups
from sackarmies_training.jobs import job_pool, ray_pool
from sackarmies_training.learn import learn
from sackarmies_training.terminal import PlainConsole
from tests.core.toy_game import make_duel
from tests.training.test_learn import make_config
from tests.training.test_tournament import files_of, make_tournament


def carried(given):
    """Return what arrives at another machine: a copy, in which Ray leaves arrays read-only."""
    buffers = []
    content = pickle.dumps(given, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(content, buffers=[bytes(one) for one in buffers])


class Copying:
    """Pool that runs jobs at once, on copies as after a network transfer; every third job twice, as if lost."""

    def __init__(self):
        self.submitted = 0

    def submit(self, job, /, *args):
        self.submitted += 1
        for _ in range(2 if self.submitted % 3 == 0 else 1):
            result = carried(job(*carried(args)))
        future = Future()
        future.set_result(result)
        return future


def weights_of(path):
    return read_checkpoint(path).parts[POLICY]


def trained(folder, pool, **changes):
    config = make_config(folder, learn={"groups": 2, **changes})
    return weights_of(learn(config, make_duel(), PlainConsole(quiet=True), pool=pool))


def equal(weights, others):
    return all(np.array_equal(weights[name], others[name]) for name in weights) and weights.keys() == others.keys()


def test_groups_that_are_played_elsewhere_or_twice_give_the_same_weights(tmp_path):
    pool = Copying()
    assert equal(trained(tmp_path / "here", None), trained(tmp_path / "there", pool))
    assert pool.submitted == 4 * 2  # updates, groups


def test_number_of_groups_decides_what_is_played(tmp_path):
    assert not equal(trained(tmp_path / "two", None), trained(tmp_path / "four", None, groups=4))


@pytest.mark.parametrize(("groups", "sentence"), [(3, "a multiple of 3"), (0, "must be at least 1, not 0")])
def test_games_are_shared_among_groups_equally(tmp_path, groups, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_config(tmp_path, learn={"groups": groups})


def test_decisions_of_groups_stand_one_after_the_other(tmp_path, monkeypatch):
    seen = []
    play = Groups.play

    def watched(groups, learner, shaping):
        played, lesson = play(groups, learner, shaping)
        seen.append((played, lesson))
        return played, lesson

    monkeypatch.setattr(Groups, "play", watched)
    trained(tmp_path, None)
    assert seen
    for played, lesson in seen:
        choices = played.choices
        assert len(choices.observations) == len(played.drawn) == len(lesson.advantages) == played.seats.size
        assert choices.first[-1] == len(choices.actions) == len(choices.weights)
        begins, ends = choices.first[:-1], choices.first[1:]
        assert ((begins <= played.drawn) & (played.drawn < ends)).all()
        assert lesson.rows.max() < len(played.drawn)
        totals = torch.zeros(len(played.drawn)).index_add(
            0, torch.repeat_interleave(torch.arange(len(begins)), ends - begins), choices.weights.exp()
        )
        assert torch.allclose(totals, torch.ones(len(begins)), atol=1e-4)


# --- Ray


def leave(code):
    os._exit(code)


def refuse(sentence):
    raise ValueError(sentence)


def process_id(seconds):
    time.sleep(seconds)
    return os.getpid()


@pytest.fixture
def _without_address(monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.mark.slow
@pytest.mark.usefixtures("_without_address")
def test_jobs_on_ray_return_results_and_their_errors_as_raised(monkeypatch):
    monkeypatch.setattr(jobs, "TRIES", 2)
    with ray_pool(died="it died") as pool:
        wanted = pool.submit(process_id, 0), pool.submit(refuse, "no such army"), pool.submit(leave, 3)
        assert wanted[0].result() != os.getpid()
        with pytest.raises(ValueError, match=r"^no such army$"):
            wanted[1].result()
        with pytest.raises(ValueError, match=r"^it died$"):
            wanted[2].result()
        monkeypatch.setattr(pool, "_digest", "of other code")
        with pytest.raises(ValueError, match="runs other sackarmies-env code"):
            pool.submit(process_id, 0).result()


def test_a_cluster_that_does_not_answer_is_a_sentence(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    with pytest.raises(ValueError, match=r"^no Ray cluster answers at RAY_ADDRESS='127.0.0.1:9': "), ray_pool():
        pass


@pytest.mark.slow
def test_results_on_two_machines_are_those_of_one_also_when_one_is_lost(tmp_path, monkeypatch):
    from ray.cluster_utils import Cluster

    here, there = (make_tournament(tmp_path / name, seeds=30) for name in ("here", "there"))
    here.play(here.open(), lambda games: None)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        other = cluster.add_node(num_cpus=1)
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        ended = []
        lost = threading.Event()

        def progress(games):
            ended.append(games)
            if sum(ended) and not lost.is_set():
                lost.set()
                cluster.remove_node(other, allow_graceful=False)

        there.play(there.open(), progress, Place.RAY)
        assert lost.is_set()
        assert files_of(there.folder) == files_of(here.folder)
        with job_pool(Place.RAY, workers=1) as pool:
            assert equal(trained(tmp_path / "local", None), trained(tmp_path / "ray", pool))
    finally:
        cluster.shutdown()
