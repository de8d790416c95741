"""Training in several processes of this machine."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_training import launch
from sackarmies_training.cli import app
from sackarmies_training.launch import CALL, in_touch
from tests.training.test_killed import descendants, wait_until

CONFIG = """
folder = "run"

[game]
armies = ["beginners", "beginners"]

[network]
token = 8
mark = 8
hidden = 16

[learn]
decisions = {decisions}
games = 16
steps = 16

[tournament]
agents = ["learner", "random"]
seeds = 1
"""
ENDLESS = 10_000_000


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Return a function that writes a configuration into the working directory."""
    monkeypatch.chdir(tmp_path)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)

    def write(decisions):
        (tmp_path / "short.toml").write_text(CONFIG.format(decisions=decisions))
        return "short.toml"

    return write


def test_command_starts_the_processes_with_its_own_options(config, monkeypatch):
    started = []
    monkeypatch.setattr(launch, "run_together", lambda *given: started.append(given) or 7)
    found = CliRunner().invoke(app, ["train", config(500), "--processes", "3", "--resume"])
    assert (found.exit_code, started) == (7, [(3, ["train", "short.toml", "--resume", "--on", "local"])])


def test_processes_that_torchrun_started_start_no_others(config, monkeypatch):
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    found = CliRunner().invoke(app, ["train", config(500), "--processes", "3"])
    assert found.exit_code == 2
    assert "--processes 3: torchrun has started 2 processes already" in found.output


def test_maskable_ppo_is_refused_several_processes(config, tmp_path):
    path = config(500)
    text = (tmp_path / path).read_text().replace("[learn]", "[ppo]").replace("games = 16\nsteps = 16\n", "")
    (tmp_path / path).write_text(text)
    found = CliRunner().invoke(app, ["train", path, "--processes", "2"])
    assert found.exit_code == 2
    assert "--processes 2: MaskablePPO trains in one process" in found.output


@pytest.fixture
def start():
    """Return a function that starts `sackarmies train` in two processes; it yields their output by `finish`."""
    started = []

    def run(*arguments):
        command = [sys.executable, "-c", CALL, "train", *arguments, "--processes", "2"]
        started.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True))
        return started[-1]

    yield run
    for process in started:
        process.kill()


def finish(process):
    """Return what a process prints to stderr until it ends."""
    said = process.communicate(timeout=180)[1]
    assert "Traceback" not in said
    return said


def wait_until_learning(process, log):
    """Wait until a process has logged what it learned at least once."""

    def learns():
        assert process.poll() is None
        return log.exists() and log.read_text().count("\n") >= 3

    wait_until(learns)


@pytest.mark.slow
def test_two_processes_train_one_general(config, start, tmp_path):
    process = start(config(500))
    finish(process)
    assert process.returncode == 0
    training = read_checkpoint(tmp_path / "run" / "checkpoint.safetensors").header.training
    assert training["origin"]["processes"] == 2
    assert (tmp_path / "run" / "tournament" / "standings.json").exists()


@pytest.mark.slow
def test_status_of_processes_that_fail_is_returned(config, start):
    process = start(config(500), "--resume")
    assert "Error: there is no run in run to resume" in finish(process)
    assert process.returncode == 2


@pytest.mark.slow
def test_interrupted_processes_save_and_resume(config, start, tmp_path):
    process = start(config(ENDLESS))
    wait_until_learning(process, tmp_path / "run" / "log.csv")
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C in a terminal
    assert "The same command with --resume resumes." in finish(process)
    assert process.returncode == 128 + signal.SIGINT
    reached = int(max((tmp_path / "run" / "checkpoints").iterdir()).stem)
    process = start(config(reached + 500), "--resume")
    assert f"Resuming from run/checkpoints/{reached:09d}.safetensors" in finish(process)
    assert process.returncode == 0


@pytest.mark.slow
def test_killed_process_ends_the_others_and_is_named(config, start, tmp_path):
    process = start(config(ENDLESS))
    wait_until_learning(process, tmp_path / "run" / "log.csv")
    ranks = {child: Path(f"/proc/{child}/environ").read_text().split("\0") for child in descendants(process.pid)}
    os.kill(next(child for child, given in ranks.items() if "RANK=1" in given), signal.SIGKILL)
    assert "process 1 of the training was killed by signal 9" in finish(process)
    assert process.returncode == 2


def test_lost_touch_is_told_in_a_sentence():
    with pytest.raises(ValueError, match="lost touch with the other processes of this training: closed"), in_touch():
        raise RuntimeError("closed by peer")
