"""Files of a training run: their names, pruning, and locks."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import torch

from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_training import cli
from sackarmies_training.checkpoints import CheckpointFolder, optimizer_tensors, restore_optimizer
from sackarmies_training.locks import HOLDER, LOCK, locked
from sackarmies_training.model_cards import card_of_learner
from tests.training.test_tournament import make_tournament
from tests.training.test_train import ROUND, make_config, run


def write(folder, *names):
    for name in names:
        (folder / name).write_bytes(b"")


def names_of(folder):
    return sorted(path.name for path in folder.iterdir())


# --- names


def test_checkpoints_are_sorted_by_decisions_beyond_a_billion(tmp_path):
    folder = CheckpointFolder(tmp_path, keep=2)
    decisions = [10_000_000_128, 999_999_936, 1_000_000_064, 128]
    for number in decisions:
        folder.next_path(number).write_bytes(b"")
    assert [int(path.stem) for path in folder.paths()] == sorted(decisions)
    folder.prune(folder.next_path(10_000_000_128))
    assert names_of(tmp_path) == sorted(["1000000064.safetensors", "10000000128.safetensors"])


def test_only_checkpoints_are_pruned(tmp_path):
    kept = [
        *("2024-results.safetensors", "12.safetensors", "000000001.zip", "000000001.safetensors.bak"),
        *("000000002 copy.safetensors", "0000000003.safetensors", ".000000004.safetensors.1.tmp", "best.safetensors"),
    ]
    write(tmp_path, *kept, "000000128.safetensors", "000000256.safetensors")
    (tmp_path / "000000064.safetensors").mkdir()
    folder = CheckpointFolder(tmp_path, keep=1)
    folder.prune(folder.next_path(256))
    assert names_of(tmp_path) == sorted([*kept, "000000064.safetensors", "000000256.safetensors"])
    assert [path.name for path in folder.paths()] == ["000000256.safetensors"]


def test_pruning_drops_damaged_newer_checkpoints_before_good_ones(tmp_path):
    folder = CheckpointFolder(tmp_path, keep=2)
    good, written = folder.next_path(100), folder.next_path(150)
    write(tmp_path, good.name, written.name, "000000200.safetensors", "000000300.safetensors")
    folder.prune(written)
    assert folder.paths() == [good, written]


def test_checkpoints_of_an_earlier_version_are_not_resumed(tmp_path):
    (tmp_path / "duel" / "checkpoints").mkdir(parents=True)
    write(tmp_path / "duel" / "checkpoints", "000000128.zip")
    with pytest.raises(
        ValueError, match=r"duel/checkpoints are \.zip files of an earlier version, which cannot be read"
    ):
        run(make_config(tmp_path), resume=True)


# --- locks

HOLDS = """
import sys, time
from pathlib import Path
from sackarmies_training.locks import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def other_process(tmp_path):
    """Yield a process that uses `tmp_path / "duel"`, and a pattern for the beginning of the error about it."""
    folder = tmp_path / "duel"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "locked\n"
        yield (
            process,
            rf"{folder} is in use by process {process.pid} on {socket.gethostname()} since \d{{4}}-\d\d-\d\d ",
        )
        process.kill()


def test_second_resume_says_who_uses_the_folder_and_touches_nothing(tmp_path, other_process):
    _, sentence = other_process
    write(tmp_path / "duel", f".checkpoint.safetensors.{os.getpid()}.tmp")
    before = names_of(tmp_path / "duel")
    with pytest.raises(ValueError, match=sentence):
        run(make_config(tmp_path), resume=True)
    assert names_of(tmp_path / "duel") == before


def test_run_whose_process_was_killed_can_be_resumed(tmp_path, other_process):
    process, _ = other_process
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (tmp_path / "duel" / HOLDER).exists()
    path, _ = run(make_config(tmp_path, ppo={"decisions": ROUND}), resume=True)
    assert path.exists()
    assert not (tmp_path / "duel" / HOLDER).exists()


def test_second_tournament_in_a_folder_says_who_uses_it(tmp_path, other_process):
    contest = make_tournament(tmp_path / "duel")
    with pytest.raises(ValueError, match=other_process[1]):
        cli.run_tournament(contest.game, contest.section, contest.folder, contest.aliases)
    assert not (tmp_path / "duel" / "tournament.json").exists()


def test_folder_is_free_after_an_error(tmp_path):
    with pytest.raises(RuntimeError), locked(tmp_path):
        raise RuntimeError
    with locked(tmp_path):
        holder = json.loads((tmp_path / HOLDER).read_text())
        assert holder["pid"] == os.getpid()
    assert names_of(tmp_path) == [LOCK]


def test_unreadable_lock_note_is_ignored(tmp_path):
    with locked(tmp_path):
        for text in ("{", '{"pid": "x"}', json.dumps({"pid": 1, "host": "\x1b[31m", "since": "now"})):
            (tmp_path / HOLDER).write_text(text)
            with pytest.raises(ValueError, match="is in use by another process: wait"), locked(tmp_path):
                pass


def test_lock_is_the_system_lock_not_the_note(tmp_path):
    """A note without a lock, left by a killed process, keeps nobody out; a lock without its note does."""
    began = time.monotonic()
    (tmp_path / HOLDER).write_text(json.dumps({"pid": os.getpid(), "host": "here", "since": "now"}))
    with locked(tmp_path):
        (tmp_path / HOLDER).unlink()
        with pytest.raises(ValueError, match="is in use by another process"), locked(tmp_path):
            pass
    assert time.monotonic() - began < 5


def test_file_system_without_locks_is_an_error(tmp_path, monkeypatch):
    """A lock that is just a file would stay behind after a kill."""
    fcntl = pytest.importorskip("fcntl")

    def flock(descriptor, operation):
        raise OSError(errno.ENOSYS, "no locks here")

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(OSError, match="no locks here"), locked(tmp_path):
        pass


# --- state of the optimizer


@pytest.mark.parametrize(
    ("moment", "change"),
    [
        ("exp_avg", torch.Tensor.flatten),
        ("exp_avg_sq", torch.Tensor.double),
        ("exp_avg", torch.Tensor.half),
        ("step", torch.Tensor.double),
        ("step", lambda step: step.expand(1)),
    ],
    ids=["shape", "float64", "float16", "step of float64", "step of one number"],
)
def test_moments_that_do_not_fit_their_parameter_are_refused(moment, change):
    layer = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(layer.parameters())
    layer(torch.ones(3)).sum().backward()
    optimizer.step()
    tensors = optimizer_tensors(optimizer)
    restore_optimizer(optimizer, tensors)
    with pytest.raises(ValueError, match=rf"^optimizer: {moment} does not fit parameter 0$"):
        restore_optimizer(optimizer, tensors | {f"0/{moment}": change(tensors[f"0/{moment}"])})


# --- model cards


@pytest.mark.parametrize(
    ("game", "line_ups", "armies"),
    [
        ({"scenario": "c1_duel", "armies": None}, 0, "the tokens of the scenario"),
        ({"scenario": None, "armies": ["empire", "undead"]}, 0, "those of the game above"),
        ({"scenario": None}, 12, "12 line-ups of all built-in ones"),
    ],
)
def test_model_card_says_which_armies_played(game, line_ups, armies):
    header = read_checkpoint(CHECKPOINT).header
    config = header.training["config"]
    config = {**config, "game": {"id": "sack_armies", **game}, "learn": {**config["learn"], "line_ups": line_ups}}
    card = card_of_learner(
        replace(header, training={**header.training, "config": config}), torch.nn.Linear(1, 1), "x.safetensors"
    )
    assert f"| Armies | {armies} |" in card
