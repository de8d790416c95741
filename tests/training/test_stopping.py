"""Contests that end early, by an error, Ctrl-C or a verdict: processes that still play end at once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from sackarmies_training.matches import worker_pool
from tests.training.test_killed import descendants, is_running, wait_until

SOON = 15.0  # seconds: much less than the agents take
SLOW = """
import subprocess, time
from pathlib import Path
from sackarmies_agents import Agent

class Slow(Agent):
    def __init__(self, info, breeds=False):
        self.breeds = breeds

    def reset(self, seed):
        self.decisions = 0

    def act(self, observation, action_mask):
        self.decisions += 1
        if self.decisions == 2:  # not in the rehearsal
            if self.breeds:
                subprocess.Popen(["sleep", "600"])
            Path("reached").touch()
            time.sleep(600)
        return int(action_mask.argmax())
"""
COMMAND = "import sys; from sackarmies_training.cli import app; app(sys.argv[1:])"
TOURNAMENT = """
folder = "contest"
[tournament]
agents = ["random", "greedy", "python:file=slow.py,class=Slow"]
seeds = 1
seed = 1
workers = 2
"""
SLOWLY = "python:file=slow.py,class=Slow"
BOT = "line:command=sh bot.sh"
ENOUGH = ("--games", "100", "--seed", "1", "--workers", "2")

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path):
    """Return a folder with agents."""
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    bot = Path(__file__).parents[2] / "examples" / "line_bot.sh"
    (tmp_path / "bot.sh").write_text(bot.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


@contextmanager
def begun(place, *words):
    """Run a command, with Ctrl-C of its own; its output goes to a file."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with (
        (place / "output").open("w", encoding="utf-8") as output,
        subprocess.Popen(
            [sys.executable, "-c", COMMAND, *words],
            cwd=place,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def said(place):
    return (place / "output").read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [(SLOWLY, BOT), (f"{SLOWLY},breeds=true", BOT, "--isolate")])
def test_ctrl_c_to_the_command_alone_ends_it_and_its_agents(place, words):
    with begun(place, "evaluate", *words, *ENOUGH) as process:
        wait_until((place / "reached").exists)
        family = descendants(process.pid)
        assert len(family) > 4  # servers of processes, workers, agents
        process.send_signal(signal.SIGINT)
        assert process.wait(SOON) == 130
    wait_until(lambda: not any(map(is_running, family)), seconds=SOON)
    assert "Traceback" not in said(place)


def test_result_that_cannot_be_saved_ends_a_tournament_at_once(place):
    (place / "config.toml").write_text(TOURNAMENT, encoding="utf-8")
    (place / "contest").mkdir()
    (place / "contest" / "batches").touch()
    with begun(place, "tournament", "config.toml") as process:
        wait_until(lambda: "contest/batches" in said(place))
        assert process.wait(SOON) == 1


def sleep(place):
    (place / f"{os.getpid()}").touch()
    time.sleep(600)


def played_on(place):
    """Yield once two jobs of a pool have begun, as matches with a sequential test do."""
    with worker_pool(2) as pool:
        for _ in range(6):
            pool.submit(sleep, place)
        wait_until(lambda: len(list(place.iterdir())) == 2)
        yield


def send_half(place):
    """Begin to send a result to the owner of the pool, and wait."""
    results = multiprocessing.current_process()._args[1]
    os.write(results._writer.fileno(), struct.pack("!i", 1000))
    (place / "sent").touch()
    time.sleep(600)


def test_result_that_is_cut_off_does_not_keep_the_pool_waiting(tmp_path):
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt), worker_pool(1) as pool:
        pool.submit(send_half, tmp_path)
        wait_until((tmp_path / "sent").exists)
        raise KeyboardInterrupt
    assert time.monotonic() - before < 60.0


def test_jobs_of_a_match_that_is_decided_end_at_once(tmp_path):
    match = played_on(tmp_path)
    next(match)
    before = time.monotonic()
    match.close()
    pids = [int(path.name) for path in tmp_path.iterdir()]
    wait_until(lambda: not any(map(is_running, pids)), seconds=SOON)
    assert time.monotonic() - before < SOON
    assert len(pids) == 2
