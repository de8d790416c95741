"""Full disks and limits of file size: the old file stays, nothing partial is left, and the command can resume."""

import errno
import json
import os
import resource
import subprocess
import sys
from contextlib import contextmanager
from stat import S_ISDIR

import pytest
from typer.testing import CliRunner

from sackarmies_env.core import atomic_write
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.record import load_record, make_record, save_record
from sackarmies_training import cli
from sackarmies_training.checkpoints import CheckpointFolder, is_intact
from sackarmies_training.files import append_line
from sackarmies_training.train_ppo import CHECKPOINT
from tests.core.toy_game import make_duel
from tests.training.commands.terminals import shorten_games
from tests.training.test_tournament import files_of, make_tournament
from tests.training.test_train import ROUND, make_config, run

OLD, NEW = b"old" * 100, b"new" * 1000


@contextmanager
def room_for(size):
    """Keep files from growing beyond `size` bytes: writes are cut short, then fail, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # Python would keep half of a compiled module
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = before


def names_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("size", [0, 1, 1000, len(NEW) - 1])
def test_old_file_stays_and_no_partial_file_is_left(tmp_path, size):
    path = tmp_path / "file.json"
    path.write_bytes(OLD)
    with room_for(size), pytest.raises(OSError) as caught:
        write_safely(path, NEW)
    assert path.read_bytes() == OLD
    assert names_in(tmp_path) == ["file.json"]
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))
    write_safely(path, NEW)
    assert path.read_bytes() == NEW


def test_file_that_just_fits_is_written(tmp_path):
    with room_for(len(NEW)):
        write_safely(tmp_path / "file.json", NEW)
    assert (tmp_path / "file.json").read_bytes() == NEW


def test_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError) as caught:
        write_safely(tmp_path / "file" / "folder" / "inside.json", NEW)
    assert caught.value.filename == str(tmp_path / "file" / "folder" / "inside.json")


def test_name_of_the_file_is_on_the_disk_before_its_predecessor_may_go(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(atomic_write.os, "fsync", lambda descriptor: done.append("fsync"))
    monkeypatch.setattr(atomic_write.Path, "replace", lambda self, target: done.append(f"replace {target.name}"))
    write_safely(tmp_path / "file.json", NEW)
    assert done == ["fsync", "replace file.json", "fsync"]


def test_name_of_a_file_of_lines_is_on_the_disk_with_its_first_line(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(
        atomic_write.os, "fsync", lambda descriptor: synced.append(S_ISDIR(os.fstat(descriptor).st_mode))
    )
    for line in ("first", "second"):
        append_line(tmp_path / "lines.jsonl", line)
    assert synced == [False, True, False]


def test_leftovers_of_dead_processes_are_removed_and_others_are_not(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    kept = [".a.json.1.tmp", ".notes.tmp", "a.json", "b.5.tmp"]
    for name in [*kept, f".a.json.{dead.pid}.tmp", f".b.safetensors.{2**40}.tmp"]:
        (tmp_path / name).write_bytes(b"")
    atomic_write.remove_leftovers(tmp_path)
    assert names_in(tmp_path) == kept


def test_record_that_does_not_fit_leaves_the_old_one(tmp_path):
    game, path = make_duel(), tmp_path / "game.json"
    old = make_record(game, 1, [])
    save_record(old, path)
    with room_for(100), pytest.raises(OSError, match="File too large"):
        save_record(make_record(game, 2, []), path)
    assert load_record(path) == old
    assert names_in(tmp_path) == ["game.json"]


@pytest.mark.parametrize("part", ["tournament.json", "records", "batches", "standings.json", "tournament.html"])
def test_tournament_resumes_when_there_is_room(tmp_path, monkeypatch, part):
    whole = make_tournament(tmp_path / "whole")
    cli.run_tournament(whole.game, whole.section, whole.folder, whole.aliases)
    broken = make_tournament(tmp_path / "broken")
    with full_for(part, monkeypatch), pytest.raises(OSError, match="File too large") as caught:
        cli.run_tournament(broken.game, broken.section, broken.folder, broken.aliases)
    assert part in caught.value.filename
    before = files_of(broken.folder) if broken.folder.exists() else {}
    assert before.items() <= files_of(whole.folder).items()
    assert not [name for name in names_in(tmp_path / "broken") if name.endswith(".tmp")]
    cli.run_tournament(broken.game, broken.section, broken.folder, broken.aliases)
    assert files_of(broken.folder) == files_of(whole.folder)


@contextmanager
def full_for(part, monkeypatch):
    """Limit each temporary file that has `part` in its path to 50 bytes, from its opening to its removal."""
    open_file, unlink = atomic_write.Path.open, atomic_write.Path.unlink
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def opened(path, mode="r", *arguments, **options):
        file = open_file(path, mode, *arguments, **options)
        if part in str(path) and path.suffix == ".tmp":
            resource.setrlimit(resource.RLIMIT_FSIZE, (50, hard))
        return file

    def unlinked(path, *arguments, **options):
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        unlink(path, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(atomic_write.Path, "open", opened)
        patch.setattr(atomic_write.Path, "unlink", unlinked)
        yield


@pytest.mark.slow
def test_tournament_of_several_processes_resumes_when_there_is_room(tmp_path):
    whole, broken = make_tournament(tmp_path / "whole"), make_tournament(tmp_path / "broken", workers=2)
    whole.play(whole.open(), lambda games: None)
    missing = broken.open()
    with room_for(50), pytest.raises(OSError, match="File too large"):
        broken.play(missing, lambda games: None)  # the processes started here have the limit, too
    assert names_in(broken.folder / "records") == []
    broken.play(broken.open(), lambda games: None)
    assert files_of(broken.folder) == files_of(whole.folder)


@pytest.mark.slow
def test_training_resumes_from_the_checkpoint_before(tmp_path, monkeypatch):
    config = make_config(tmp_path, ppo={"decisions": 3 * ROUND})
    second = f"{2 * ROUND:09d}.safetensors"
    with full_for(second, monkeypatch), pytest.raises(OSError, match="File too large") as caught:
        run(config)
    checkpoints = tmp_path / "duel" / "checkpoints"
    assert caught.value.filename == str(checkpoints / second)
    assert names_in(checkpoints) == [f"{ROUND:09d}.safetensors"]
    path, text = run(config, resume=True)
    assert f"Resuming from {checkpoints / f'{ROUND:09d}.safetensors'}: {ROUND} decisions" in text
    assert is_intact(path, pytest.fail)


def test_general_that_does_not_fit_is_written_when_there_is_room(tmp_path, monkeypatch):
    config = make_config(tmp_path, ppo={"decisions": ROUND})
    with full_for(CHECKPOINT, monkeypatch), pytest.raises(OSError, match="File too large"):
        run(config)
    assert not (tmp_path / "duel" / CHECKPOINT).exists()
    assert is_intact(CheckpointFolder(tmp_path / "duel" / "checkpoints", 3).paths()[-1], pytest.fail)
    assert run(config, resume=True)[0].exists()


def test_command_says_so_in_a_sentence_and_fails(tmp_path, monkeypatch):
    shorten_games(monkeypatch)
    path = tmp_path / "game.json"
    path.write_bytes(OLD)
    words = ["watch", "random", "random", "--army", "beginners", "--army", "scourge", "--record", str(path)]
    CliRunner().invoke(cli.app, [*words[:-1], str(tmp_path / "other.json")])  # may compile, and keep what it compiled
    with room_for(1000):
        result = CliRunner().invoke(cli.app, words)
    assert result.exit_code == 1
    assert " ".join(result.stderr.split()) == (
        f"Error: {path}: File too large; what was there before is intact, resume when there is room"
    )
    assert path.read_bytes() == OLD


SCRIPT = """
import sys, json
from pathlib import Path
from rich.console import Console
from sackarmies_training.train_ppo import train
from tests.core.toy_game import make_duel
from tests.training.test_full_disk import names_in
from tests.training.test_train import ROUND, make_config
folder = Path(sys.argv[1])
decisions = int(sys.argv[2])
config = make_config(folder, ppo={"decisions": decisions}, checkpoints={"every": ROUND, "keep": 50})
try:
    train(config, make_duel(), Console(stderr=True, width=300), resume=(folder / "duel").exists())
except OSError as error:
    print(json.dumps([error.errno, error.filename, names_in(folder / "duel" / "checkpoints")]))
"""


@pytest.mark.slow
def test_training_on_a_disk_that_is_really_full(tmp_path):
    """Uses a separate disk, in a mount namespace; skipped where this process may not mount one."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    disk = tmp_path / "disk"
    disk.mkdir()
    enter = ["unshare", "--mount", "--map-root-user", "sh", "-e", "-c"]
    mount = f"mount -t tmpfs -o size=400k tmpfs {disk}"
    if subprocess.run([*enter, mount], capture_output=True, check=False).returncode != 0:
        pytest.skip("cannot mount a small tmpfs on this system")
    python = f"{sys.executable} {script} {disk}"
    newest = f"$(ls {disk}/duel/checkpoints | tail -n 1 | cut -c 1-9 | sed 's/^0*//')"
    again = f"mount -o remount,size=100m {disk} && {python} $(({newest} + {ROUND}))"
    commands = f"{mount} && {python} 1000000 && {again} && ls {disk}/duel {disk}/duel/checkpoints"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run([*enter, commands], capture_output=True, text=True, check=False, env=environment)
    told, *after = result.stdout.splitlines()
    number, filename, names = json.loads(told)
    newest = int(names[-1].removesuffix(".safetensors"))
    assert number == errno.ENOSPC
    assert names == [f"{decisions:09d}.safetensors" for decisions in range(ROUND, newest + 1, ROUND)]
    assert filename in {None, f"{disk}/duel/checkpoints/{newest + ROUND:09d}.safetensors"}  # None: it hit the curves
    assert f"Resuming from {disk}/duel/checkpoints/{newest:09d}.safetensors" in result.stderr
    assert CHECKPOINT in after
    assert f"{newest + ROUND:09d}.safetensors" in after
