"""Killed training and tournaments: they resume as if nothing had happened."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_training.checkpoints import CheckpointFolder
from sackarmies_training.cli import run_tournament
from sackarmies_training.locks import LOCK
from sackarmies_training.train_ppo import CHECKPOINT
from tests.samples import many
from tests.training.killed_runs import MANY_SEEDS
from tests.training.test_tournament import files_of, make_tournament
from tests.training.test_train import ROUND

KEEP = 3  # checkpoints, as in the configuration
ENDLESS = 10_000_000  # decisions
LONG, FIRST, LAST = many(30), 15, 15  # kills of one long run, of runs at their beginning, of runs at their end
KILLS, ORDERS = 10, 30  # of a tournament: kills that come in time, and orders that are tried for them


class Runs:
    """Client of the server of runs, which checks what each kill leaves."""

    def __init__(self, server, folder):
        self.server = server
        self.folder = folder
        self.log = folder / "log"
        self.run = folder / "duel"
        self.checkpoints = CheckpointFolder(self.run / "checkpoints", KEEP)
        self.reached = 0  # decisions of the checkpoint from which the next run must resume

    def play(self, decisions, *, after, name="", number=0):
        """Train to `decisions` decisions and be killed on the way; return whether the kill came in time."""
        order = {"folder": str(self.folder), "log": str(self.log), "decisions": decisions}
        self.server.stdin.write(json.dumps({**order, "after": after, "name": name, "number": number}) + "\n")
        self.server.stdin.flush()
        code = int(self.server.stdout.readline())
        assert code in {0, -signal.SIGKILL}, self.log.read_text()
        self.check_what_is_left()
        return code != 0

    def check_what_is_left(self):
        """Check files against what the run said before it was killed."""
        said = self.log.read_text() if self.log.exists() else ""
        begun = re.search(r"Resuming from \S+/(\d+)\.safetensors: ([\d,]+) decisions", said)
        if begun:
            assert int(begun[1]) == int(begun[2].replace(",", "")) == self.reached
        assert self.reached == 0 or "starting from the beginning" not in said
        written = [int(number.replace(",", "")) for number in re.findall(r"minutes, ([\d,]+) decisions", said)]
        paths = self.checkpoints.paths()
        for path in paths:
            read_checkpoint(path)
        newest = int(paths[-1].stem) if paths else 0
        assert newest >= max([self.reached, *written])
        assert newest <= max([self.reached, *written]) + ROUND  # at most one that it had no time to report
        assert len(paths) <= KEEP + 1
        assert len(list(self.run.rglob(".*.tmp"))) <= 1  # of this kill: the one before was removed
        self.reached = newest
        self.log.unlink(missing_ok=True)

    def finish(self):
        """Let the run end undisturbed; check the General, the contents of the folder, and the curves."""
        decisions = self.reached + 2 * ROUND
        assert not self.play(decisions, after=0, name="no such file", number=1)
        assert read_checkpoint(self.run / CHECKPOINT).header.training["decisions"] == decisions
        card, logs = "checkpoint.md", ["log.csv", "log.jsonl", "records", "tensorboard"]
        assert sorted(path.name for path in self.run.iterdir()) == [LOCK, card, CHECKPOINT, "checkpoints", *logs]
        assert list(self.run.rglob(".*")) == [self.run / LOCK]
        curves = EventAccumulator(str(self.run / "tensorboard"), size_guidance={"scalars": 0}).Reload()
        steps = [event.step for event in curves.Scalars("time/fps")]
        assert steps == list(range(ROUND, decisions + 1, ROUND))  # each once, in order
        lines = [json.loads(line) for line in (self.run / "log.jsonl").read_text().splitlines()]
        assert [line["step"] for line in lines if "time/fps" in line] == steps
        table = [line.split(",") for line in (self.run / "log.csv").read_text().splitlines()]
        assert [int(step) for step, name, _ in table[1:] if name == "time/fps"] == steps
        records = [int(path.stem) for path in sorted((self.run / "records").iterdir())]
        assert records == sorted(set(records)) and set(records) <= {0, *steps}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Start the server of runs."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.training.killed_runs"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.stdin.close()


@pytest.mark.slow
def test_run_that_is_killed_again_and_again_resumes_each_time(server, tmp_path):
    runs, chance = Runs(server, tmp_path), random.Random(1)
    for kill in range(LONG):
        if kill % 2:
            assert runs.play(ENDLESS, after=chance.uniform(0.0, 0.8))
        else:  # in the middle of writing: checkpoints, curves, removal of old checkpoints
            name = chance.choice([".tmp", ".safetensors", "tfevents", "log.", "duel"])
            assert runs.play(
                ENDLESS, after=chance.choice([0, chance.expovariate(500)]), name=name, number=chance.randint(1, 8)
            )
    assert runs.reached > 5 * ROUND  # it made progress between the kills
    runs.finish()


@pytest.mark.slow
def test_run_killed_at_its_beginning_restarts_or_resumes(server, tmp_path):
    chance = random.Random(2)
    for kill in range(FIRST):
        folder = tmp_path / str(kill)
        folder.mkdir()
        runs = Runs(server, folder)
        assert runs.play(ENDLESS, after=chance.choice([0, chance.expovariate(500)]), name="duel", number=kill + 1)
        runs.finish()


@pytest.mark.slow
def test_run_killed_at_its_end_finishes_when_resumed(server, tmp_path):
    runs, chance = Runs(server, tmp_path), random.Random(3)
    killed = 0
    for kill in range(LAST):
        is_killed = runs.play(
            runs.reached + ROUND,
            after=chance.choice([0, chance.expovariate(2000)]),
            name=CHECKPOINT,
            number=kill % 3 + 1,
        )
        killed += is_killed
        if (runs.run / CHECKPOINT).exists():  # written in time, and complete
            read_checkpoint(runs.run / CHECKPOINT)
            (runs.run / CHECKPOINT).unlink()
    assert killed >= LAST // 3  # the others came too late
    runs.finish()


# --- tournaments


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """Return all files of an undisturbed tournament."""
    folder = tmp_path_factory.mktemp("unbroken")
    return play_on(folder)


def play_on(folder):
    """Play a tournament to its end in this process, and return its files."""
    contest = make_tournament(folder, seeds=MANY_SEEDS)
    run_tournament(contest.game, contest.section, contest.folder, contest.aliases)
    assert list(folder.rglob(".*")) == [folder / LOCK]
    return files_of(folder)


OPERATIONS = {"tournament.json": 3, "records": 30, "batches": 30, "standings.json": 3}  # largest `number` of an order


@pytest.mark.slow
@pytest.mark.parametrize("part", OPERATIONS)
def test_tournament_killed_while_writing_resumes_to_the_same_table(server, tmp_path, unbroken, part):
    chance = random.Random(part)
    log = tmp_path / "log"
    folder = tmp_path / "contest"
    killed = 0
    for _ in range(ORDERS):
        order = {
            "folder": str(folder),
            "log": str(log),
            "decisions": 0,
            "name": part,
            "number": chance.randint(1, OPERATIONS[part]),
        }
        server.stdin.write(json.dumps({**order, "after": chance.choice([0, chance.expovariate(1000)])}) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        assert code in {0, -signal.SIGKILL}, log.read_text()
        assert len(list(folder.rglob(".*.tmp"))) <= 1
        killed += code != 0
        if killed == KILLS:
            break
        if code == 0 or part == "tournament.json":  # otherwise the next run resumes and writes more of it
            unmake(folder, part)
    assert killed == KILLS
    assert play_on(folder) == unbroken


def unmake(folder, part):
    """Remove a part of a tournament so that the next run writes it again; standings are written each time."""
    if part == "tournament.json":
        (folder / part).unlink(missing_ok=True)
    elif part in {"records", "batches"}:  # records are not looked for if their batch exists
        shutil.rmtree(folder / "records")
        shutil.rmtree(folder / "batches")


SCRIPT = """
import sys
from pathlib import Path
from tests.training.killed_runs import MANY_SEEDS
from tests.training.test_tournament import make_tournament
if __name__ == "__main__":
    contest = make_tournament(Path(sys.argv[1]), seeds=int(sys.argv[2]), workers=2, isolate=True)
    contest.play(contest.open(), lambda games: None)
"""


@pytest.mark.slow
def test_killed_tournament_leaves_no_process_and_resumes_to_the_same_table(tmp_path, unbroken):
    script, folder = tmp_path / "script.py", tmp_path / "contest"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for batches in (1, 6):
        with subprocess.Popen([sys.executable, script, folder, str(MANY_SEEDS)], env=environment) as process:
            wait_until(lambda number=batches: len(list(folder.glob("batches/*.json"))) >= number)
            family = descendants(process.pid)
            process.kill()
        assert len(family) > 4  # two processes that play, servers of processes, agents
        wait_until(lambda pids=family: not any(is_running(pid) for pid in pids))
    assert len(list(folder.glob("batches/*.json"))) < MANY_SEEDS // 2
    assert play_on(folder) == unbroken


def wait_until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def descendants(pid):
    """Return the ids of all processes that a process started, and of those that they started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [one for child in map(int, children) for one in (child, *descendants(child))]


def is_running(pid):
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
