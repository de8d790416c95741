"""How processes of contests start: out of reach of the working directory and of Ctrl-C, which they then have again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing, contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

import numpy as np
import pytest

from sackarmies_agents import Agent, GameInfo
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_agents.starting import SAFE_PATH
from sackarmies_training.matches import worker_pool
from tests.core.toy_game import make_duel
from tests.training.test_killed import descendants, wait_until

COMMAND = """
import sys
from sackarmies_training.cli import app
if __name__ == "__main__":
    app(sys.argv[1:])
"""
BOLD = """
from sackarmies_agents import Agent
class Bold(Agent):
    def __init__(self, info):
        pass
    def reset(self, seed):
        pass
    def act(self, observation, action_mask):
        return int(action_mask.argmax())
"""
SHADOWED = ("queue", "random", "selectors", "struct", "timeit")  # modules that `multiprocessing` or we import

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("words", [["--games", "2", "--isolate"], ["--games", "52", "--workers", "2"]])
def test_files_of_the_working_directory_are_not_taken_for_modules_of_python(tmp_path, words):
    place = tmp_path / "place"
    place.mkdir()
    for name in SHADOWED:
        (place / f"{name}.py").write_text('raise SystemExit("the wrong module")', encoding="utf-8")
    (place / "bold.py").write_text(BOLD, encoding="utf-8")
    script = tmp_path / "script.py"
    script.write_text(COMMAND, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script, "evaluate", "python:file=bold.py,class=Bold", "random", "--seed", "1", *words],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "the wrong module" not in done.stdout
    assert "forfeit" not in done.stdout


@contextmanager
def ctrl_c(kind):
    """Send Ctrl-C to the children of this process that run a function of `multiprocessing`, again and again."""
    is_over, sent = threading.Event(), set()

    def send():
        while not is_over.wait(0.01):
            for child in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split():
                with suppress(OSError):  # one that has ended meanwhile
                    if kind in Path(f"/proc/{child}/cmdline").read_text():
                        os.kill(int(child), signal.SIGINT)
                        sent.add(child)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield sent
    finally:
        is_over.set()
        sender.join()


def test_ctrl_c_does_not_end_a_worker_that_starts():
    with worker_pool(1) as pool, ctrl_c("spawn_main") as sent:
        assert pool.submit(os.getpid).result() in map(int, sent)


def test_ctrl_c_does_not_end_the_server_of_isolated_agents_while_it_starts():
    forkserver._forkserver._stop()  # those of other tests
    resource_tracker._resource_tracker._stop()
    info = GameInfo.of(make_duel())
    with ctrl_c("forkserver") as sent, closing(make_player("random", info, Isolation())) as agent:
        assert Path(f"/proc/{agent.pid}/stat").read_text().rsplit(")", 1)[1].split()[1] in sent


IMPORTED_SLOWLY = """
import time
from contextlib import closing
from pathlib import Path
from sackarmies_agents import GameInfo
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from tests.core.toy_game import make_duel
if __name__ == "__mp_main__":
    Path("imports").touch()
    time.sleep(2)
if __name__ == "__main__":
    with closing(make_player("random", GameInfo.of(make_duel()), Isolation())) as agent:
        agent.reset(1)
"""


def test_ctrl_c_does_not_end_the_process_of_an_isolated_agent_while_it_starts(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(IMPORTED_SLOWLY, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        wait_until((tmp_path / "imports").exists)
        for child in descendants(process.pid):
            os.kill(child, signal.SIGINT)
        said = process.communicate()[0]
    assert (process.returncode, said) == (0, "")


SHOW = f"""
import os
from signal import SIG_BLOCK, SIGINT, default_int_handler, getsignal, pthread_sigmask
print(SIGINT in pthread_sigmask(SIG_BLOCK, []), getsignal(SIGINT) is default_int_handler, {SAFE_PATH!r} in os.environ)
"""


def seen_by_a_program():
    """Return what a program started here sees: whether Ctrl-C is blocked, whether it ends it, and of our setting."""
    return subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, check=True).stdout.split()


class Looks(Agent):
    """Chooses 0 if a program that it starts sees what it should."""

    def __init__(self, info):
        pass

    def reset(self, seed):
        pass

    def act(self, observation, action_mask):
        return int(seen_by_a_program() != ["False", "True", "False"])


def test_programs_that_workers_start_have_ctrl_c_and_the_users_environment():
    with worker_pool(1) as pool:
        assert pool.submit(seen_by_a_program).result() == ["False", "True", "False"]


def test_programs_that_isolated_agents_start_have_ctrl_c_and_the_users_environment():
    info = GameInfo.of(make_duel())
    with closing(make_player(f"python:class={__name__}:Looks", info, Isolation())) as agent:
        agent.reset(1)
        assert agent.act(np.zeros(info.observation_spec.size, np.int8), np.ones(info.num_actions, np.int8)) == 0
    assert SAFE_PATH not in os.environ


def test_path_that_the_user_has_made_safe_stays_so(monkeypatch):
    monkeypatch.setenv(SAFE_PATH, "1")
    with worker_pool(1) as pool:
        assert pool.submit(seen_by_a_program).result() == ["False", "True", "True"]
    assert os.environ[SAFE_PATH] == "1"
