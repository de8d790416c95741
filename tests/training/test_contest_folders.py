"""Folders of contests: a contest that is refused does not claim its folder, so the corrected one can have it."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from sackarmies_training.cli import app

TOURNAMENT = """
folder = "FOLDER"
[tournament]
agents = ["AGENT", "random"]
seeds = 1
workers = 1
"""
LADDER = """
folder = "FOLDER"
workers = 1
armies = ["empire"]
pool = [{players = 2, units = 1}]
rung = [{name = "b", agent = "random"}, {name = "c", agent = "random"}]
"""
ANOTHER = LADDER.replace("rung = [", 'rung = [{name = "a", agent = "AGENT"}, ')
WRONG, RIGHT = "greedy:weights=nope", "greedy:weights=first"


def run(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, " ".join(result.output.split())


def write(tmp_path, text, agent):
    path = tmp_path / "contest.toml"
    path.write_text(text.replace("FOLDER", str(tmp_path / "c1")).replace("AGENT", agent))
    return path


@pytest.mark.parametrize("seed", ["", "seed = 1\n"])
def test_refused_tournament_leaves_its_folder_free(tmp_path, seed):
    code, told = run("tournament", write(tmp_path, TOURNAMENT + seed, WRONG))
    assert (code, "unknown weights 'nope'" in told) == (2, True)
    assert not (tmp_path / "c1").exists()
    code, told = run("tournament", write(tmp_path, TOURNAMENT + seed, RIGHT))
    assert code == 0, told


def test_refused_tournament_keeps_what_its_folder_held(tmp_path):
    (tmp_path / "c1").mkdir()
    (tmp_path / "c1" / "mine").touch()
    assert run("tournament", write(tmp_path, TOURNAMENT, WRONG))[0] == 2
    assert [path.name for path in (tmp_path / "c1").iterdir() if not path.name.startswith(".")] == ["mine"]


def test_refused_ladder_leaves_its_folder_free(tmp_path):
    code, told = run("ladder", "--config", write(tmp_path, ANOTHER, WRONG))
    assert (code, "unknown weights 'nope'" in told) == (2, True)
    assert not (tmp_path / "c1").exists()
    code, told = run("ladder", "--config", write(tmp_path, ANOTHER, RIGHT))
    assert code == 0, told


def test_rung_that_cannot_be_made_is_not_added_to_a_ladder(tmp_path):
    code, told = run("ladder", "--config", write(tmp_path, LADDER, ""))
    assert code == 0, told
    held = (tmp_path / "c1" / "ladder.json").read_text()
    code, told = run("ladder", "--config", write(tmp_path, ANOTHER, WRONG))
    assert (code, "unknown weights 'nope'" in told) == (2, True)
    assert (tmp_path / "c1" / "ladder.json").read_text() == held


@pytest.mark.parametrize(("agent", "responder"), [(WRONG, "search"), (RIGHT, "learned")], ids=["agent", "budget"])
def test_refused_search_for_a_best_response_leaves_no_folder(tmp_path, agent, responder):
    words = ("exploit", agent, "--responder", responder, "--budget", 1)
    assert run("ladder", "--config", write(tmp_path, LADDER, ""), *words)[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["contest.toml"]


def test_refused_search_for_a_best_response_keeps_folders_that_were_there(tmp_path):
    (tmp_path / "c1").mkdir()
    words = ("exploit", WRONG, "--responder", "search", "--budget", 1)
    assert run("ladder", "--config", write(tmp_path, LADDER, ""), *words)[0] == 2
    assert list((tmp_path / "c1").iterdir()) == []


def test_refused_placing_leaves_its_folder_free(tmp_path):
    words = ("--add", "random", "--max-games", 2)
    code, told = run("ladder", "--config", write(tmp_path, ANOTHER, WRONG), *words)
    assert (code, "unknown weights 'nope'" in told) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["contest.toml"]
    code, told = run("ladder", "--config", write(tmp_path, ANOTHER, RIGHT), *words)
    assert code == 0, told
