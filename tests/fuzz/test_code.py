"""Loading runs no code of a stranger, reads no file that the user did not name, and takes no memory that is claimed."""

import ast
import base64
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import torch

from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.checkpoint import HEADER, POLICY, check, read_member
from sackarmies_agents.learned.tensors import check_pickle
from sackarmies_env.core.notation import GameRecord, load_record, make_record, save_record
from sackarmies_env.games.sack_armies.army import resolve_army
from sackarmies_env.games.sack_armies.scenario import load_scenario
from sackarmies_env.registry import game_of, load_game
from sackarmies_training.config import TrainConfig, load_config
from tests.fuzz.checkpoints import OPTIMIZER, archive_of, checkpoint, info, members_of, with_header, with_member

ROOT = Path(__file__).parents[2]
PACKAGES = ("sackarmies_env", "agents/sackarmies_agents", "training/sackarmies_training")
RUNS_CODE = ("eval", "exec", "compile", "__import__", "Unpickler", "loads", "load")
HARMLESS = {"json.loads", "tomllib.loads", "re.compile", "network.eval", "self.network.eval", "type(self).compile"}


class Evil:
    """Makes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def saved(thing: object, **options: object) -> bytes:
    buffer = io.BytesIO()
    torch.save(thing, buffer, **options)
    return buffer.getvalue()


def stable_baselines(evil: bytes) -> bytes:
    """Return an archive as Stable-Baselines3 writes it, whose data holds a pickle."""
    data = {"policy_class": {":type:": "<class 'type'>", ":serialized:": base64.b64encode(evil).decode()}}
    return archive_of({"data": json.dumps(data).encode(), "policy.pth": saved({}), "_stable_baselines3_version": b"2"})


HIDING_PLACES = {
    "policy as a pickle": lambda evil: with_member(checkpoint(2), POLICY, pickle.dumps(evil)),
    "policy as an archive": lambda evil: with_member(checkpoint(2), POLICY, saved(evil)),
    "a tensor of the policy": lambda evil: with_member(checkpoint(2), POLICY, saved({"value.weight": evil})),
    "the older format": lambda evil: with_member(
        checkpoint(2), POLICY, saved({"w": evil}, _use_new_zipfile_serialization=False)
    ),
    "the header": lambda evil: with_member(checkpoint(2), HEADER, pickle.dumps(evil)),
    "the whole file": pickle.dumps,
    "the whole file as an archive": saved,
    "Stable-Baselines3": lambda evil: stable_baselines(pickle.dumps(evil)),
    "a newer protocol": lambda evil: with_member(
        checkpoint(2), POLICY, with_member(saved({}), "archive/data.pkl", pickle.dumps(evil, protocol=5))
    ),
}


@pytest.mark.parametrize("place", HIDING_PLACES)
def test_code_in_a_checkpoint_is_not_run(place, tmp_path):
    mark = tmp_path / "mark"
    path = tmp_path / "stranger.zip"
    path.write_bytes(HIDING_PLACES[place](Evil(mark)))
    with pytest.raises(ValueError, match=r"stranger\.zip"):
        make_agent(f"ppo:path={path}", info())
    assert [item.name for item in tmp_path.iterdir()] == ["stranger.zip"]


def test_code_in_other_members_is_not_run(tmp_path):
    path = tmp_path / "stranger.zip"
    path.write_bytes(with_member(checkpoint(2), OPTIMIZER, saved({"state": Evil(tmp_path / "mark")})))
    check(path)
    make_agent(f"ppo:path={path}", info())
    with pytest.raises(ValueError, match=r"optimizer\.pt: it holds more than tensors"):
        read_member(path, OPTIMIZER)
    assert [item.name for item in tmp_path.iterdir()] == ["stranger.zip"]


def test_the_code_would_run_if_it_were_unpickled(tmp_path):
    pickle.loads(pickle.dumps(Evil(tmp_path / "mark")))
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    "read", [load_record, load_scenario, resolve_army, lambda path: load_config(path, TrainConfig)]
)
def test_code_in_other_files_is_not_run(read, tmp_path):
    for suffix in (".json", ".toml"):
        path = tmp_path / f"stranger{suffix}"
        path.write_bytes(pickle.dumps(Evil(tmp_path / "mark")))
        with pytest.raises(ValueError, match="stranger"):
            read(path)
    assert not (tmp_path / "mark").exists()


def calls_of(path: Path) -> set[str]:
    """Return the calls in a module that could run what a file says, as they are written."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.rpartition(".")[2] in RUNS_CODE and name not in HARMLESS:
                found.add(ast.unparse(node) if name == "torch.load" else name)
    return found


def test_nothing_but_tensors_is_unpickled_anywhere():
    found = {
        path.relative_to(ROOT).as_posix(): calls
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if (calls := calls_of(path))
    }
    assert found.pop("agents/sackarmies_agents/learned/tensors.py") == {
        "torch.load(io.BytesIO(content), map_location='cpu', weights_only=True)"
    }
    assert found == ALLOWED_CALLS


ALLOWED_CALLS = {
    "sackarmies_env/envs/opponents.py": {"entry.load"},  # of installed packages: see SECURITY.md
    "agents/sackarmies_agents/isolated.py": {"pickle.loads"},  # in the child, what its parent sends; not the other way
}


# --- files that a file names


def test_a_record_cannot_make_other_files_be_read(tmp_path):
    army = tmp_path / "army.toml"
    army.write_text('name = "Not to be read"\n[tokens]\nplain = 5\n', encoding="utf-8")
    game = load_game("sack_armies")
    data = make_record(game, 1, []).model_dump(mode="json")
    for key, value in (("armies", [str(army), "empire"]), ("scenario", str(army)), ("armies", str(army))):
        config = {key: value} if key == "scenario" else data["config"] | {key: value}
        record = GameRecord.model_validate(data | {"config": config})
        with pytest.raises(ValueError, match=rf"configuration: {key}.*is given, but a (table|list) is wanted"):
            game_of(record)


def test_a_record_gives_its_game_from_its_data_alone(tmp_path):
    game = load_game("sack_armies", num_generals=3, switches={"max_turns": 5})
    save_record(make_record(game, 1, []), tmp_path / "game.json")
    again = game_of(load_record(tmp_path / "game.json"))
    assert again.digest == game.digest


@pytest.mark.parametrize("config", [{"game_id": 1}, {"num_generals": 10**30}, {"armies": [1]}, {"observation": []}])
def test_a_configuration_in_a_record_is_checked(config):
    record = GameRecord.model_validate(make_record(load_game("sack_armies"), 1, []).model_dump() | {"config": config})
    with pytest.raises(ValueError, match=r"configuration|num_generals"):
        game_of(record)


def test_a_pickle_of_another_protocol_is_refused_without_a_warning():
    check_pickle(b"\x80\x02}.")
    with pytest.raises(ValueError, match=r"its tensors are of protocol 66, but torch\.save writes 2"):
        check_pickle(b"\x80\x42}.")


def test_members_of_a_checkpoint_are_never_written_to_disk(tmp_path):
    path = tmp_path / "inner" / "stranger.zip"
    path.parent.mkdir()
    path.write_bytes(archive_of({**members_of(checkpoint(2)), "../escaped": b"x", "/tmp/escaped-sackarmies": b"x"}))
    check(path)
    make_agent(f"ppo:path={path}", info())
    assert sorted(item.name for item in tmp_path.rglob("*")) == ["inner", "stranger.zip"]
    assert not Path("/tmp/escaped-sackarmies").exists()


def test_devices_and_pipes_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    for path in (tmp_path / "pipe.toml", Path("/dev/zero")):
        for read in (load_record, load_scenario, lambda path: resolve_army(Path(path))):
            with pytest.raises(ValueError, match="this is a device or a pipe"):
                read(path)


# --- memory


def claimed(content: bytes, size: int) -> bytes:
    """Return an archive whose first member claims another size."""
    at = content.index(b"PK\x01\x02")
    return content[: at + 24] + struct.pack("<I", size) + content[at + 28 :]


def stretched(size: int) -> bytes:
    """Return a policy with a tensor that repeats one number very often."""
    tensors = torch.load(io.BytesIO(members_of(checkpoint(2))[POLICY]), weights_only=True)
    return saved({**tensors, "value.weight": torch.zeros(1).expand(size, size)})


def pickled(content: bytes) -> bytes:
    """Return a policy with this pickle."""
    return with_member(checkpoint(2), POLICY, with_member(saved({}), "archive/data.pkl", content))


BOMBS = {
    "a member that claims much": lambda: claimed(checkpoint(2), 2**32 - 2),
    "members that are packed": lambda: archive_of(
        {**members_of(checkpoint(2)), "x": bytes(50_000_000)}, zipfile.ZIP_DEFLATED
    ),
    "a policy that is packed": lambda: with_member(
        checkpoint(2), POLICY, archive_of({**members_of(saved({})), "archive/data/0": bytes(50_000_000)}, 8)
    ),
    "a network larger than any": lambda: with_header(
        checkpoint(2), lambda header: header | {"network": {"hidden": 10**12}}
    ),
    "a network larger than its weights": lambda: with_header(
        checkpoint(2), lambda header: header | {"network": {"hidden": 4096}}
    ),
    "a tensor that repeats itself": lambda: with_member(checkpoint(2), POLICY, stretched(10**7)),
    "a pickle of ten billion bytes": lambda: pickled(b"\x80\x02c__builtin__\nbytearray\nI10000000000\n\x85R."),
    "a pickle with a place for all": lambda: pickled(b"\x80\x02}r\xff\xff\xff\x7f."),
    "the older format": lambda: with_member(
        checkpoint(2), POLICY, saved({"w": torch.zeros(3)}, _use_new_zipfile_serialization=False)
    ),
    "a header without end": lambda: with_member(checkpoint(2), HEADER, b'{"format": ' + b"9" * 1_000_000 + b"}"),
    "a header of brackets": lambda: with_member(checkpoint(2), HEADER, b"[" * 1_000_000),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_claims_memory_is_refused(bomb, tmp_path):
    path = tmp_path / "stranger.zip"
    path.write_bytes(BOMBS[bomb]())
    with pytest.raises(ValueError, match=r"stranger\.zip") as error:
        make_agent(f"ppo:path={path}", info())
    assert len(str(error.value)) < 600


SCRIPT = """
import resource, sys
from pathlib import Path
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
def test_what_claims_memory_does_not_get_it(tmp_path):
    paths = []
    for number, bomb in enumerate(BOMBS.values()):
        paths.append(tmp_path / f"{number}.zip")
        paths[-1].write_bytes(bomb())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", SCRIPT, *map(str, paths)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"refused: {path}" for path in paths]
