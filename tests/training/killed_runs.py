"""A server of runs to be killed: it loads the libraries once and forks a child for each run.

Each line of input is an order (JSON): {"folder", "log", "decisions", "after", "name", "number"}. The child trains as
`sackarmies train --resume` does, with the configuration of the tests, or plays the tournament of the tests if there are
no decisions to train for, and writes its output to `log`. It is killed `after` seconds after its `number`-th
operation on a file with `name` in its path; without a name, after its start. Each line of output is the exit code of
the child, -9 if it was killed in time.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from pathlib import Path

from rich.console import Console

from sackarmies_training.cli import run_tournament
from sackarmies_training.progress import Clock
from sackarmies_training.train_ppo import make_env, make_model, train
from tests.core.toy_game import make_duel
from tests.training.test_tournament import make_tournament
from tests.training.test_train import make_config

OPERATIONS = {"open", "os.rename", "os.remove", "os.mkdir"}
LONGEST = 60.0  # seconds
MANY_SEEDS = 40  # of the tournament


def load_all():
    """Load and compile what every child needs, but start no thread, which would not survive a fork."""
    config = make_config(Path("unused"))
    env = make_env(config, make_duel())
    make_model(config, env, Clock(1, None))
    env.reset()
    env.step_async(env.action_masks().argmax(axis=1))
    env.step_wait()


def watch_operations(order, told):
    """Write to the pipe `told` when the operation that the order waits for, if any, takes place."""
    if not order["name"]:
        return
    left = order["number"]

    def hook(event, arguments):
        nonlocal left
        if (
            event in OPERATIONS
            and left > 0
            and order["name"] in str(arguments[0])
            and order["folder"] in str(arguments[0])
        ):
            left -= 1
            if left == 0:
                os.write(told, b"!")

    sys.addaudithook(hook)


def train_here(order, told):
    """Train in this process, the child, to the end."""
    watch_operations(order, told)
    with open(order["log"], "w", buffering=1, encoding="utf-8") as log:
        config = make_config(Path(order["folder"]), ppo={"decisions": order["decisions"]})
        resume = (Path(order["folder"]) / "duel").exists()
        train(config, make_duel(), Console(file=log, width=300), resume=resume)


def compete_here(order, told):
    """Play a tournament in this process, the child, to the end."""
    watch_operations(order, told)
    with open(order["log"], "w", buffering=1, encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        contest = make_tournament(Path(order["folder"]), seeds=MANY_SEEDS)
        run_tournament(contest.game, contest.section, contest.folder, contest.aliases)


def obey(order):
    """Run a child and kill it; return its exit code."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            (train_here if order["decisions"] else compete_here)(order, tell)
            code = 0
        finally:
            os._exit(code)
    os.close(tell)
    heard = select.select([told], [], [], LONGEST if order["name"] else order["after"])[0]
    if heard and os.read(told, 1):  # else the child has ended, or it is time
        time.sleep(order["after"])
    os.kill(child, signal.SIGKILL)
    os.close(told)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main():
    """Carry out orders until there are no more."""
    load_all()
    for line in sys.stdin:
        print(obey(json.loads(line)), flush=True)


if __name__ == "__main__":
    main()
