"""Training in several processes of this machine."""

import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_training import launch
from sackarmies_training.cli import app
from sackarmies_training.launch import CALL, run_together

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


@pytest.mark.slow
def test_two_processes_train_one_general(config, tmp_path):
    assert run_together(2, ["train", config(500)]) == 0
    training = read_checkpoint(tmp_path / "run" / "checkpoint.safetensors").header.training
    assert training["origin"]["processes"] == 2
    assert (tmp_path / "run" / "tournament" / "standings.json").exists()


@pytest.mark.slow
def test_status_of_processes_that_fail_is_returned(config, capfd):
    assert run_together(2, ["train", config(500), "--resume"]) == 2
    said = capfd.readouterr().err
    assert "Error: there is no run in run to resume" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_interrupted_processes_save_and_resume(config, tmp_path):
    command, log = (
        [sys.executable, "-c", CALL, "train", config(ENDLESS), "--processes", "2"],
        tmp_path / "run" / "log.csv",
    )
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        deadline = time.monotonic() + 120
        while not log.exists() or log.read_text().count("\n") < 3:  # it learns
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C in a terminal
        _, said = process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGINT
    assert "The same command with --resume resumes." in said
    assert "Traceback" not in said
    reached = int(max((tmp_path / "run" / "checkpoints").iterdir()).stem)
    assert run_together(2, ["train", config(reached + 500), "--resume"]) == 0
