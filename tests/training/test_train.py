import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import safetensors.torch
import torch
from rich.console import Console

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.layout import describe, layout_hash
from sackarmies_agents.learned.checkpoint import POLICY, Header, pack, read_checkpoint
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_env.core.validation import read_model
from sackarmies_training import train_ppo
from sackarmies_training.checkpoints import OPTIMIZER, SUFFIX, CheckpointFolder
from sackarmies_training.config import TrainConfig
from sackarmies_training.train_ppo import CHECKPOINT, train
from tests.core.toy_game import make_duel
from tests.training import test_learn

ROUND = 128  # decisions between two updates


def make_config(folder, **changes):
    data = {
        "folder": str(folder / "duel"),
        "ppo": {"decisions": 4 * ROUND, "envs": 8, "steps": 16, "minibatch": 64, "threads": 1, "learning_rate": 1e-3},
        "network": {"hidden": 32},
        "selfplay": {"snapshot_every": ROUND},
        "checkpoints": {"every": ROUND, "keep": 3},
        "tournament": {"agents": ["learner", "random"]},
    }
    data["ppo"] |= changes.pop("ppo", {})
    return read_model(TrainConfig, {**data, **changes}, "test")


def run(config, *, resume=False, game=None):
    out = io.StringIO()
    path = train(config, game or make_duel(), Console(file=out, width=200), resume=resume)
    return path, out.getvalue()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return the configuration of a finished run, the path of its General, and what was printed."""
    config = make_config(tmp_path_factory.mktemp("finished"))
    return config, *run(config)


def test_finished_run_leaves_a_general_checkpoints_and_logs(finished):
    config, path, _ = finished
    assert path.name == CHECKPOINT
    assert [one.stem for one in CheckpointFolder(path.parent / "checkpoints", 3).paths()] == [
        f"{decisions:09d}" for decisions in (2 * ROUND, 3 * ROUND, 4 * ROUND)
    ]
    assert list((path.parent / "tensorboard").glob("events.*"))
    header = read_checkpoint(path).header
    assert header.training["decisions"] == 4 * ROUND
    assert header.training["config"] == config.model_dump(mode="json")
    assert header.training["snapshots"] == 3
    origin = header.training["origin"]
    assert origin["layout_sha256"] == layout_hash(GameInfo.of(make_duel()))
    assert origin["torch"] == torch.__version__


def test_finished_general_has_a_model_card_and_nothing_that_only_training_needs(finished):
    config, path, _ = finished
    assert list(read_checkpoint(path).parts) == [POLICY]
    assert {POLICY, OPTIMIZER} < set(
        read_checkpoint(CheckpointFolder(path.parent / "checkpoints", 3).paths()[-1]).parts
    )
    card = path.with_suffix(".md").read_text()
    assert f"| Layout (SHA-256) | {layout_hash(GameInfo.of(make_duel()))} |" in card
    assert f"| Decisions | {4 * ROUND} of its own |" in card
    opponents = ", ".join(f"`{name}`" for name in config.selfplay.scripted)
    assert f"| Opponents | {opponents}, its past selves |" in card
    assert f"It plays as `ppo:path={CHECKPOINT}`" in card


def test_trained_general_plays_legally_and_repeatably(finished):
    game = make_duel()
    agent = make_agent(f"ppo:path={finished[1]}", GameInfo.of(game))
    masks = np.tile(np.array([0, 1, 0, 1, 0, 0], np.int8), (200, 1))
    observations = np.zeros((200, game.observation_spec.size), np.int8)
    agent.reset(1)
    first = agent.act_batch(observations, masks)
    assert set(first.tolist()) == {1, 3}
    agent.reset(1)
    assert np.array_equal(agent.act_batch(observations, masks), first)
    likeliest = make_agent(f"ppo:path={finished[1]},deterministic=true", GameInfo.of(game))
    assert len(set(likeliest.act_batch(observations, masks).tolist())) == 1


@pytest.mark.parametrize("device", ["warp", "meta", "cuda:99"])
def test_unknown_device_is_refused_before_there_is_a_folder(tmp_path, device):
    with pytest.raises(ValueError, match=rf"unknown device '{device}': available are cpu"):
        run(make_config(tmp_path, ppo={"device": device}))
    assert not (tmp_path / "duel").exists()


def test_device_of_the_configuration_is_that_of_the_learner(tmp_path, monkeypatch):
    made, make = [], train_ppo.MaskablePPO
    monkeypatch.setattr(
        train_ppo, "MaskablePPO", lambda *given, **options: made.append(options) or make(*given, **options)
    )
    run(make_config(tmp_path, ppo={"decisions": ROUND, "device": "cpu:0"}))
    assert [options["device"] for options in made] == ["cpu:0"]


def test_general_for_another_game_is_refused(finished):
    with pytest.raises(ValueError, match=r"was trained for another game: num_players 2, here it is 3"):
        make_agent(f"ppo:path={finished[1]}", GameInfo.of(make_duel(3)))


def test_run_of_another_layout_does_not_resume(finished, tmp_path):
    [*_, saved] = CheckpointFolder(finished[1].parent / "checkpoints", 3).paths()
    checkpoint = read_checkpoint(saved)
    checkpoint.header.game["num_actions"] += 1
    target = tmp_path / "duel" / "checkpoints" / saved.name
    target.parent.mkdir(parents=True)
    target.write_bytes(pack(checkpoint.header, checkpoint.parts))
    with pytest.raises(ValueError, match="was trained for another version of the game: start a new run without"):
        run(make_config(tmp_path, ppo={"decisions": 5 * ROUND}), resume=True)


def test_run_of_a_version_without_origins_resumes(finished, tmp_path):
    [*_, saved] = CheckpointFolder(finished[1].parent / "checkpoints", 3).paths()
    checkpoint = read_checkpoint(saved)
    del checkpoint.header.training["origin"]
    target = tmp_path / "duel" / "checkpoints" / saved.name
    target.parent.mkdir(parents=True)
    target.write_bytes(pack(checkpoint.header, checkpoint.parts))
    resumed, _ = run(make_config(tmp_path, ppo={"decisions": 5 * ROUND}), resume=True)
    assert read_checkpoint(resumed).header.training["origin"]


def test_run_that_is_started_again_takes_a_new_folder(tmp_path):
    config = make_config(tmp_path, ppo={"decisions": ROUND})
    assert run(config)[0].parent.name == "duel"
    assert run(config)[0].parent.name == "duel-2"
    path, text = run(config, resume=True)
    assert path.parent.name == "duel-2"
    assert "is complete" in text


def test_resumed_run_has_the_state_it_was_saved_with(finished, tmp_path):
    config, path, _ = finished
    longer = make_config(tmp_path, ppo={"decisions": 5 * ROUND})
    saved = path.parent / "checkpoints" / f"{3 * ROUND:09d}{SUFFIX}"
    target = tmp_path / "duel" / "checkpoints" / saved.name
    target.parent.mkdir(parents=True)
    target.write_bytes(saved.read_bytes())
    resumed, text = run(longer, resume=True)
    assert f"Resuming from {target}: {3 * ROUND} decisions" in text
    header = read_checkpoint(resumed).header
    assert header.training["decisions"] == 5 * ROUND
    before, after = read_checkpoint(saved).header.training, header.training
    assert after["updates"] == before["updates"] + 2 * config.ppo.epochs
    assert after["snapshots"] == before["snapshots"] + 1  # at 4 rounds; the one at 3 was saved
    last = target.with_name(f"{5 * ROUND:09d}{SUFFIX}")
    assert np.array_equal(*(read_checkpoint(one).part("past-000")["value.weight"] for one in (saved, last)))
    moments = [read_checkpoint(one).part(OPTIMIZER)["0/step"].item() for one in (saved, last)]
    assert moments == [3 * ROUND // 64 * config.ppo.epochs, 5 * ROUND // 64 * config.ppo.epochs]


def test_damaged_checkpoint_is_passed_over_with_a_note(finished, tmp_path):
    source = finished[1].parent / "checkpoints"
    target = tmp_path / "duel" / "checkpoints"
    target.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        (target / path.name).write_bytes(path.read_bytes())
    newest = target / f"{4 * ROUND:09d}{SUFFIX}"
    newest.write_bytes(newest.read_bytes()[:-1000])
    _, text = run(make_config(tmp_path), resume=True)
    assert re.search(rf"the checkpoint {newest} is damaged \(.+\): skipping it\n", text)
    assert f"Resuming from {target / f'{3 * ROUND:09d}.safetensors'}" in text


def test_damaged_general_of_a_finished_run_is_rebuilt_from_its_checkpoints(finished, tmp_path):
    config = make_config(tmp_path)
    target = tmp_path / "duel" / "checkpoints"
    target.mkdir(parents=True)
    newest = finished[1].parent / "checkpoints" / f"{4 * ROUND:09d}{SUFFIX}"
    (target / newest.name).write_bytes(newest.read_bytes())
    (tmp_path / "duel" / CHECKPOINT).write_bytes(b"{}")
    path, text = run(config, resume=True)
    assert f"the checkpoint {path} is damaged" in text
    assert read_checkpoint(path).part(POLICY).keys() == read_checkpoint(newest).part(POLICY).keys()
    assert read_checkpoint(path).header.training["decisions"] == 4 * ROUND


def test_training_may_run_in_a_thread_where_no_signal_can_be_handled(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        path, _ = pool.submit(run, make_config(tmp_path, ppo={"decisions": ROUND})).result()
    assert path.exists()


def test_flipped_byte_is_found(finished, tmp_path):
    path = tmp_path / "flipped.safetensors"
    content = bytearray(finished[1].read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"flipped.safetensors is damaged \(it does not match its checksum"):
        make_agent(f"ppo:path={path}", GameInfo.of(make_duel()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no checkpoint .*nothing.safetensors"),
        (b"", r"is damaged \(its tensors cannot be read"),
        (b"\2\0\0\0\0\0\0\0{}", r"is damaged \(it lacks \"checkpoint.json\" or \"sha256\""),
        (b"PK\3\4 nonsense", "is a zip archive, such as Stable-Baselines3 saves, not a checkpoint"),
    ],
)
def test_file_that_is_no_checkpoint_is_refused(tmp_path, content, message):
    path = tmp_path / "nothing.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        make_agent(f"ppo:path={path}", GameInfo.of(make_duel()))


def test_checkpoint_of_arrays_in_any_order_is_read(tmp_path):
    header = Header(describe(GameInfo.of(make_duel())), NetworkSizes(), {})
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    given = {
        "plain": weights,
        "big": weights.astype(">f4"),
        "turned": np.asfortranarray(weights),
        "part": weights[:, 1],
    }
    path = tmp_path / "any.safetensors"
    path.write_bytes(pack(header, {POLICY: given}))
    for name, array in read_checkpoint(path).part(POLICY).items():
        np.testing.assert_array_equal(array, given[name])


def test_kinds_of_numbers_that_no_checkpoint_has_are_refused(tmp_path):
    path = tmp_path / "brief.safetensors"
    path.write_bytes(safetensors.torch.save({"policy/value.weight": torch.zeros(3, dtype=torch.bfloat16)}))
    with pytest.raises(ValueError, match=r"is damaged \(its tensors cannot be read, KeyError"):
        make_agent(f"ppo:path={path}", GameInfo.of(make_duel()))


def test_tensors_of_something_else_are_refused(tmp_path):
    path = tmp_path / "other.safetensors"
    path.write_bytes(safetensors.torch.save({"weight": torch.zeros(3)}))
    with pytest.raises(ValueError, match=r"other.safetensors is damaged \(it lacks \"checkpoint.json\" or \"sha256\""):
        make_agent(f"ppo:path={path}", GameInfo.of(make_duel()))


def test_nothing_to_resume_is_reported(tmp_path):
    with pytest.raises(ValueError, match=r"there is no run in .*duel to resume: start without --resume"):
        run(make_config(tmp_path), resume=True)


def test_run_that_was_killed_before_its_first_checkpoint_begins_anew_in_its_folder(tmp_path):
    (tmp_path / "duel").mkdir()
    path, text = run(make_config(tmp_path, ppo={"decisions": ROUND}), resume=True)
    assert path == tmp_path / "duel" / CHECKPOINT
    assert "There is no checkpoint yet: starting from the beginning." in text


def test_all_checkpoints_damaged_is_reported(tmp_path):
    target = tmp_path / "duel" / "checkpoints"
    target.mkdir(parents=True)
    (target / "000000128.safetensors").write_bytes(b"PK")
    with pytest.raises(ValueError, match=r"all 1 checkpoints in .*duel/checkpoints are damaged: start a new run"):
        run(make_config(tmp_path), resume=True)


def test_run_cannot_change_its_network_halfway(finished, tmp_path):
    target = tmp_path / "duel" / "checkpoints"
    target.mkdir(parents=True)
    (target / "000000128.safetensors").write_bytes(finished[1].read_bytes())
    with pytest.raises(
        ValueError, match=r"was trained with another section \[network\] than the configuration has now"
    ):
        run(make_config(tmp_path, network={"hidden": 48}), resume=True)


@pytest.mark.parametrize("rate", [1e10, 1e30])
def test_diverged_run_says_so_in_a_sentence_and_keeps_its_checkpoint(finished, tmp_path, rate):
    folder = tmp_path / "duel"
    shutil.copytree(finished[1].parent, folder, ignore=shutil.ignore_patterns(CHECKPOINT))
    with pytest.raises(ValueError, match=r"^training has diverged: \w+ are not numbers; resume with a lower .* rate$"):
        run(make_config(tmp_path, ppo={"decisions": 9 * ROUND, "learning_rate": rate}), resume=True)
    _, text = run(make_config(tmp_path, ppo={"decisions": 5 * ROUND}), resume=True)
    assert f"{4 * ROUND} decisions" in text


@pytest.mark.parametrize(
    "changes",
    [
        {"selfplay": {"scripted": {"random": 1.0, "greedy": 0.0}}},
        {"imitation": {"teacher": "greedy", "decisions": 10}},
    ],
    ids=["opponent", "teacher"],
)
def test_agent_that_cannot_be_made_leaves_no_folder(tmp_path, changes):
    with pytest.raises(ValueError, match="there is no greedy agent for the game 'duel'"):
        run(make_config(tmp_path, **changes))
    assert list(tmp_path.iterdir()) == []


def test_run_of_the_other_trainer_does_not_resume(finished, tmp_path):
    shutil.copytree(finished[1].parent, tmp_path / "duel", ignore=shutil.ignore_patterns(CHECKPOINT))
    told = r"is from the trainer of the section \[ppo\], but the configuration has a section \[learn\]: restore"
    with pytest.raises(ValueError, match=told):
        test_learn.run(test_learn.make_config(tmp_path), resume=True)
    path, _ = test_learn.run(test_learn.make_config(tmp_path / "other", learn={"decisions": ROUND}))
    path.unlink()
    with pytest.raises(ValueError, match=r"of the section \[learn\], but the configuration has a section \[ppo\]"):
        run(make_config(tmp_path / "other"), resume=True)


def test_shaping_needs_a_game_that_has_a_potential(tmp_path):
    with pytest.raises(ValueError, match=r"shaping: the game 'duel' has no potential: leave out 'control'"):
        run(make_config(tmp_path, shaping={"control": 0.1}))


SCRIPT = """
import sys
from pathlib import Path
from tests.training.test_train import make_config, run
path, text = run(make_config(Path(sys.argv[1]), ppo={"decisions": 10_000_000}))
print(text)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_killed_run_resumes_from_its_last_checkpoint(tmp_path, number):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], env=environment) as process:
        checkpoints = CheckpointFolder(tmp_path / "duel" / "checkpoints", 3)
        deadline = time.monotonic() + 120
        while len(checkpoints.paths()) < 3:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(60) == (-signal.SIGKILL if number == signal.SIGKILL else 0)
    reached = int(checkpoints.paths()[-1].stem)
    path, text = run(make_config(tmp_path, ppo={"decisions": reached + 2 * ROUND}), resume=True)
    assert f"{reached:,} decisions" in text
    assert read_checkpoint(path).header.training["decisions"] == reached + 2 * ROUND


def test_several_processes_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ValueError, match=r"torchrun started 2 processes: MaskablePPO trains in one process"):
        run(make_config(tmp_path))
    assert list(tmp_path.iterdir()) == []
