"""Untrusted files: loading runs no code, reads no file that the user did not name, and allocates no claimed memory."""

import ast
import base64
import contextlib
import io
import json
import os
import pickle
import signal
import stat
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.checkpoint import HEADER, MAX_TABLE, read_checkpoint
from sackarmies_env.core import safe_read
from sackarmies_env.core.record import GameRecord, load_record, make_record, save_record
from sackarmies_env.games.sack_armies.scenario.document import load_scenario
from sackarmies_env.games.sack_armies.tokens.army import resolve_army
from sackarmies_env.registry import game_of, load_game
from sackarmies_training.cli import app
from sackarmies_training.config import TrainConfig, load_config
from sackarmies_training.files import digest_of
from tests.fuzz import contests
from tests.fuzz.checkpoints import (
    as_tensor,
    checkpoint,
    info,
    read_run,
    run_seeds,
    table_of,
    with_header,
    with_table,
    with_tensor,
)

ROOT = Path(__file__).parents[2]
PACKAGES = ("sackarmies_env", "agents/sackarmies_agents", "training/sackarmies_training")
RUNS_CODE = ("eval", "exec", "compile", "__import__", "Unpickler", "loads", "load")
HARMLESS = {
    "json.loads",
    "tomllib.loads",
    "re.compile",
    "network.eval",
    "self.network.eval",
    "type(self).compile",
    "safetensors.numpy.load",
}


class Evil:
    """Creates a folder when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def saved(thing: object, **options: object) -> bytes:
    buffer = io.BytesIO()
    torch.save(thing, buffer, **options)
    return buffer.getvalue()


def archive_of(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def stable_baselines(evil: bytes) -> bytes:
    """Return an archive in the format of Stable-Baselines3, whose data contains a pickle."""
    data = {"policy_class": {":type:": "<class 'type'>", ":serialized:": base64.b64encode(evil).decode()}}
    return archive_of({"data": json.dumps(data).encode(), "policy.pth": saved({}), "_stable_baselines3_version": b"2"})


HIDING_PLACES = {
    "a tensor of the policy": lambda evil: with_tensor(
        checkpoint(2), "policy/value.weight", as_tensor(pickle.dumps(evil))
    ),
    "the header": lambda evil: with_tensor(checkpoint(2), HEADER, as_tensor(pickle.dumps(evil))),
    "the table": lambda evil: with_table(checkpoint(2), pickle.dumps(evil)),
    "the whole file": pickle.dumps,
    "the whole file as an archive": saved,
    "the whole file in the older format": lambda evil: saved(evil, _use_new_zipfile_serialization=False),
    "a checkpoint of the older format": lambda evil: archive_of({HEADER: b"{}", "policy.pt": saved(evil)}),
    "Stable-Baselines3": lambda evil: stable_baselines(pickle.dumps(evil)),
    "behind a checkpoint": lambda evil: checkpoint(2) + saved(evil),
    "before a checkpoint": lambda evil: saved(evil) + checkpoint(2),
}


@pytest.mark.parametrize("place", HIDING_PLACES)
def test_code_in_a_checkpoint_is_not_run(place, tmp_path):
    mark = tmp_path / "mark"
    path = tmp_path / "untrusted.safetensors"
    path.write_bytes(HIDING_PLACES[place](Evil(mark)))
    with pytest.raises(ValueError, match=r"untrusted\.safetensors"):
        make_agent(f"ppo:path={path}", info())
    assert [item.name for item in tmp_path.iterdir()] == ["untrusted.safetensors"]


def test_the_code_would_run_if_it_were_unpickled(tmp_path):
    pickle.loads(pickle.dumps(Evil(tmp_path / "mark")))
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    "read", [load_record, load_scenario, resolve_army, lambda path: load_config(path, TrainConfig)]
)
def test_code_in_other_files_is_not_run(read, tmp_path):
    for suffix in (".json", ".toml"):
        path = tmp_path / f"untrusted{suffix}"
        path.write_bytes(pickle.dumps(Evil(tmp_path / "mark")))
        with pytest.raises(ValueError, match="untrusted"):
            read(path)
    assert not (tmp_path / "mark").exists()


def calls_of(path: Path) -> set[str]:
    """Return the names, as written, of the functions called in a module that could run code from a file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.rpartition(".")[2] in RUNS_CODE and name not in HARMLESS:
                found.add(name)
    return found


def test_nothing_is_unpickled_anywhere():
    found = {
        path.relative_to(ROOT).as_posix(): calls
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if (calls := calls_of(path))
    }
    assert found == ALLOWED_CALLS


ALLOWED_CALLS = {
    "sackarmies_env/core/entries.py": {"_installed()[game_id].load"},  # of installed packages: see SECURITY.md
    "sackarmies_env/core/wide_copy.py": {"builder.load"},  # writes a load from memory for the compiler
    "sackarmies_env/core/cache.py": {"pickle.loads"},  # the compile cache of the same user: see SECURITY.md
    "sackarmies_env/envs/opponents.py": {"entry.load"},  # of installed packages: see SECURITY.md
    "sackarmies_env/core/kernels.py": {"function.compile"},  # compiles our own kernel for argument types
    "agents/sackarmies_agents/search/sack_armies/evaluation.py": {
        "np.load"
    },  # a file of the package, allow_pickle=False
    "agents/sackarmies_agents/child.py": {"pickle.loads"},  # the child reads what its parent sends; not the other way
}


# --- files named in other files


def test_a_record_cannot_make_other_files_be_read(tmp_path):
    army = tmp_path / "army.toml"
    army.write_text('name = "Not to be read"\n[tokens]\nplain = 5\n', encoding="utf-8")
    game = load_game("sack_armies")
    data = make_record(game, 1, []).model_dump(mode="json")
    for key, value in (("armies", [str(army), "empire"]), ("scenario", str(army)), ("armies", str(army))):
        config = {key: value} if key == "scenario" else data["config"] | {key: value}
        record = GameRecord.model_validate(data | {"config": config})
        with pytest.raises(ValueError, match=rf"configuration: {key}.*must be a (table|list), not"):
            game_of(record)


def test_a_record_gives_its_game_from_its_data_alone(tmp_path):
    game = load_game("sack_armies", num_generals=3, switches={"max_turns": 5})
    save_record(make_record(game, 1, []), tmp_path / "game.json")
    again = game_of(load_record(tmp_path / "game.json"))
    assert again.digest == game.digest


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"game_id": 1}, "unknown option 'game_id' of the configuration of sack_armies: known are num_generals, "),
        ({"num_generals": 10**30}, r"num_generals must be an integer from 2 to 6, not 10{30}$"),
        ({"armies": [1]}, r"configuration: armies\[0\]: must be a table, not 1$"),
        ({"observation": []}, r'configuration: observation: \[\] is not allowed; allowed are "compact", "planes"$'),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_a_configuration_in_a_record_is_checked(config, message):
    record = GameRecord.model_validate(make_record(load_game("sack_armies"), 1, []).model_dump() | {"config": config})
    with pytest.raises(ValueError, match=message):
        game_of(record)


def test_tensors_of_a_checkpoint_are_never_written_to_disk(tmp_path):
    path = tmp_path / "inner" / "untrusted.safetensors"
    path.parent.mkdir()
    content = with_tensor(checkpoint(2), "../escaped", as_tensor(b"x"))
    path.write_bytes(with_tensor(content, "/tmp/escaped-sackarmies", as_tensor(b"x")))
    read_checkpoint(path)
    make_agent(f"ppo:path={path}", info())
    assert sorted(item.name for item in tmp_path.rglob("*")) == ["inner", "untrusted.safetensors"]
    assert not Path("/tmp/escaped-sackarmies").exists()


# --- devices and pipes

READS = {
    "record": load_record,
    "scenario": load_scenario,
    "army": lambda path: resolve_army(Path(path)),
    "configuration": lambda path: load_config(path, TrainConfig),
    "checkpoint": lambda path: make_agent(f"ppo:path={path}", info()),
    "digest of a checkpoint": digest_of,
    "file of a tournament": contests.read_identity,
    "seed of a tournament": contests.read_seed_file,
    "results of a batch": contests.read_results,
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_devices_and_pipes_are_not_read(read, tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "link.toml").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe.toml", tmp_path / "link.toml", Path("/dev/zero")):
        with within(10), pytest.raises(ValueError, match="this is a device or a pipe"):
            read(path)


PIPE_COMMANDS = [
    *(["army", "check"], ["army", "show"], ["scenario", "check"], ["replay"], ["train"], ["tournament"]),
    ["watch", "random", "random", "--army", "empire", "--army"],
    ["evaluate", "greedy", "random", "--army", "empire", "--army"],
    ["army", "round-robin", "empire"],
]


@pytest.mark.parametrize("words", PIPE_COMMANDS, ids=" ".join)
def test_commands_refuse_pipes_without_waiting(words, tmp_path):
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with within(60):
        result = CliRunner().invoke(app, [*words, str(pipe)])
    assert result.exit_code == 2
    assert "this is a device or a pipe" in " ".join(result.stderr.split())


def test_agents_are_not_read_from_pipes(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe_agent.py")
    os.mkfifo(tmp_path / "pipe.safetensors")
    monkeypatch.syspath_prepend(tmp_path)
    with within(30), pytest.raises(ValueError, match="No module named 'pipe_agent'"):
        make_agent("python:class=pipe_agent:Bold", info())
    with within(30), pytest.raises(ValueError, match=r"pipe\.safetensors: this is a device or a pipe"):
        make_agent(f"ppo:path={tmp_path / 'pipe.safetensors'}", info())


def test_pipe_that_replaces_a_file_is_not_read(tmp_path, monkeypatch):
    (tmp_path / "army.toml").write_text("x = 1")
    os.mkfifo(tmp_path / "pipe.toml")
    regular = os.stat(tmp_path / "army.toml")
    monkeypatch.setattr(safe_read, "os", SimpleNamespace(**{**vars(os), "stat": lambda path: regular}))
    with within(10), pytest.raises(ValueError, match=r"pipe\.toml: this is a device or a pipe"):
        resolve_army(tmp_path / "pipe.toml")


def test_pipe_is_never_opened(tmp_path):
    """The other end of a pipe would notice: a writer that waits for a reader would continue."""
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match="this is a device or a pipe"):
        resolve_army(pipe)
    writer = threading.Thread(target=lambda: os.close(os.open(pipe, os.O_WRONLY)), daemon=True)
    writer.start()
    time.sleep(0.5)  # until it waits
    with pytest.raises(ValueError, match="this is a device or a pipe"):
        resolve_army(pipe)
    writer.join(0.2)
    assert writer.is_alive()
    os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
    writer.join(10)


def test_device_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "game.json")
    with pytest.raises(ValueError, match=r"game\.json: this is a device or a pipe, not a file"):
        save_record(make_record(load_game("sack_armies"), 1, []), tmp_path / "game.json")
    assert stat.S_ISFIFO(os.stat(tmp_path / "game.json").st_mode)
    assert len(list(tmp_path.iterdir())) == 1


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block takes longer."""

    def stop(*_: object) -> None:
        pytest.fail(f"it takes longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- memory


NAME = "policy/value.weight"


def claimed(change: Callable[[dict[str, Any]], Any]) -> bytes:
    """Return a checkpoint whose table makes a false claim about a tensor."""
    table = json.loads(table_of(checkpoint(2))[0])
    change(table[NAME])
    return with_table(checkpoint(2), json.dumps(table).encode())


def overlapping() -> bytes:
    """Return a checkpoint with two tensors that share the same bytes."""
    table = json.loads(table_of(checkpoint(2))[0])
    table["policy/copy"] = table[NAME]
    return with_table(checkpoint(2), json.dumps(table).encode())


def named_twice() -> bytes:
    """Return a checkpoint whose table names a tensor twice, with another shape the second time."""
    text = table_of(checkpoint(2))[0].decode()
    shape = json.loads(text)[NAME]["shape"]
    entry = text[text.index(f'"{NAME}"') :].partition("}")[0] + "}"
    other = entry.replace(json.dumps(shape).replace(" ", ""), json.dumps(shape[::-1]).replace(" ", ""))
    assert other != entry
    return with_table(checkpoint(2), text.replace(entry, f"{entry},{other}").encode())


def two_directories() -> bytes:
    """Return an archive with two directories: one found from the end of the file, one found by its offset."""
    packed = archive_of({"policy.pt": bytes(50_000_000)}, zipfile.ZIP_DEFLATED)
    stored = archive_of({HEADER: b"{}", "policy.pt": saved({})})
    return packed + stored


def crowded() -> bytes:
    """Return a checkpoint with as many empty tensors as its table has room for."""
    entry = '"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'
    table = "{" + ",".join(entry % number for number in range(MAX_TABLE // len(entry) - 3000)) + "}"
    return len(table).to_bytes(8, "little") + table.encode()


BOMBS = {
    "a tensor that claims much": lambda: claimed(lambda entry: entry.update(shape=[2**40])),
    "a tensor whose size overflows": lambda: claimed(lambda entry: entry.update(shape=[2**62, 2**62, 4])),
    "a tensor beyond the end": lambda: claimed(lambda entry: entry.update(data_offsets=[0, 2**40])),
    "tensors of the same bytes": overlapping,
    "a tensor named twice": named_twice,
    "a table that claims much": lambda: b"\xff" * 7 + b"\x7f" + checkpoint(2),
    "a table as large as the file": lambda: (2**27).to_bytes(8, "little") + b" " * 2**27,
    "a table of brackets": lambda: with_table(checkpoint(2), b"[" * 1_000_000),
    "very many tensors": crowded,
    "an archive with two directories": two_directories,
    "an archive that is packed": lambda: archive_of({HEADER: bytes(50_000_000)}, zipfile.ZIP_DEFLATED),
    "an archive behind a checkpoint": lambda: checkpoint(2) + two_directories(),
    "a network larger than any": lambda: with_header(
        checkpoint(2), lambda header: header | {"network": {"hidden": 10**12}}
    ),
    "a network larger than its weights": lambda: with_header(
        checkpoint(2), lambda header: header | {"network": {"hidden": 4096}}
    ),
    "a header without end": lambda: with_tensor(
        checkpoint(2), HEADER, as_tensor(b'{"format": ' + b"9" * 1_000_000 + b"}")
    ),
    "a header of brackets": lambda: with_tensor(checkpoint(2), HEADER, as_tensor(b"[" * 1_000_000)),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_checkpoint_that_claims_too_much_memory_is_refused(bomb, tmp_path):
    path = tmp_path / "untrusted.safetensors"
    path.write_bytes(BOMBS[bomb]())
    with pytest.raises(ValueError, match=r"untrusted\.safetensors") as error:
        make_agent(f"ppo:path={path}", info())
    assert len(str(error.value)) < 600


def test_table_of_tensors_has_a_limit(tmp_path):
    path = tmp_path / "untrusted.safetensors"
    for size, message in ((MAX_TABLE, 'it lacks "checkpoint.json"'), (MAX_TABLE + 1, "its table of tensors is larger")):
        path.write_bytes(size.to_bytes(8, "little") + b"{}".ljust(size))
        with pytest.raises(ValueError, match=message):
            read_checkpoint(path)


def test_state_of_a_generator_that_points_beyond_its_key_is_refused(tmp_path):
    """NumPy would accept it and read beyond the key."""
    path = tmp_path / "untrusted.safetensors"
    content = run_seeds()[0]
    for place in (625, 2**31 - 1, -1):

        def change(header, place=place):
            header["training"]["numpy_rng"]["pos"] = place
            return header

        path.write_bytes(with_header(content, change))
        with pytest.raises(ValueError, match=r"training: numpy_rng\.pos: must be at (least|most) \d+, not"):
            read_run(path)


SCRIPT = """
import resource, sys
from pathlib import Path
from tests.fuzz import contests
from tests.fuzz.checkpoints import info
from sackarmies_agents.factory import make_agent
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300_000_000, used + 300_000_000))
for path in sys.argv[1:]:
    try:
        make_agent(f"ppo:path={path}", info())
    except ValueError as error:
        print("refused:", path)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="counts the memory of a process as Linux tells it")
def test_memory_claimed_by_a_checkpoint_is_not_allocated(tmp_path):
    paths = []
    for number, bomb in enumerate(BOMBS.values()):
        paths.append(tmp_path / f"{number}.safetensors")
        paths[-1].write_bytes(bomb())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", SCRIPT, *map(str, paths)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"refused: {path}" for path in paths]
