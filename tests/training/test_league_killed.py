"""A league of real games, played by commands in separate processes: killed, resumed, refused to a second one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sackarmies_training.locks import HOLDER
from tests.training.commands.test_league import CONFIG, GAMES

ROOT = Path(__file__).parents[2]
LONGEST = 120.0  # seconds
UNITS = 4  # of a round
COMMAND = """
import sys
from examples.liars_dice import ENTRY
from sackarmies_env.core.entries import add_entry
from sackarmies_training.cli import app
from sackarmies_training.league import rounds
add_entry(ENTRY)
rounds.draw_seed = lambda: 7  # so that two leagues can be compared
app(sys.argv[1:])
"""

pytestmark = pytest.mark.slow


def begin(*words):
    """Start `sackarmies league` in another process."""
    command = [sys.executable, "-c", COMMAND, "league", *(str(word) for word in words)]
    environment = {**os.environ, "COLUMNS": "250"}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def run(*words, code=0):
    """Run `sackarmies league` to its end, and return its output."""
    with begin(*words) as process:
        said = process.communicate(timeout=LONGEST)[0]
    assert process.returncode == code, said
    return " ".join(said.split())


def make_league(folder):
    config = folder.with_name(f"{folder.name}.toml")
    config.write_text(CONFIG.format(game=GAMES["liars_dice"]).replace("round = 3", f"round = {UNITS}"))
    run("new", folder, "--config", config)
    return folder


def units_in(league):
    return sum(path.read_text().count("\n") for path in league.glob("rounds/*/units.jsonl"))


def wait_for_units(league, number, process):
    """Wait until that many units are in the files, while the process runs."""
    until = time.monotonic() + LONGEST
    while units_in(league) < number:
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < until
        time.sleep(0.005)


def without_times(line):
    entry = json.loads(line) | {"thinking": {}}
    return entry | {"games": [game | {"usage": []} for game in entry["games"]]}


def kept(league):
    """Return what must not depend on kills: results in order, without times, and the records of games by name."""
    paths = sorted(league.glob("rounds/*/units.jsonl"))
    results = [[without_times(line) for line in path.read_text().splitlines()] for path in paths]
    return results, {path.relative_to(league): path.read_bytes() for path in sorted(league.glob("records/*/*.json"))}


def test_league_killed_by_the_system_resumes_with_the_same_results(tmp_path):
    whole, killed = make_league(tmp_path / "whole"), make_league(tmp_path / "killed")
    games = 4 * UNITS  # of two rounds
    run("play", whole, "--games", games)
    done = []
    for wanted in (1, UNITS - 1, UNITS + 2):
        with begin("play", killed, "--games", games - 2 * units_in(killed)) as process:
            wait_for_units(killed, wanted, process)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        done.append(units_in(killed))
    assert 1 <= done[0] <= done[1] <= done[2] < 2 * UNITS
    assert (killed / HOLDER).exists()
    before = [path.read_text() for path in sorted(killed.glob("rounds/*/units.jsonl"))]
    run("play", killed, "--games", games - 2 * units_in(killed))
    after = [path.read_text() for path in sorted(killed.glob("rounds/*/units.jsonl"))]
    assert all(new.startswith(old) for new, old in zip(after, before, strict=False))  # nothing is played again
    assert kept(killed) == kept(whole)
    assert len(kept(whole)[1]) == games
    assert not (killed / "work").exists()


def test_second_process_is_refused_while_the_first_plays(tmp_path):
    league = make_league(tmp_path / "league")
    with begin("play", league, "--games", 10_000) as first:
        wait_for_units(league, 1, first)
        said = run("play", league, "--games", 2, code=2)
        assert f"is in use by process {first.pid}" in said
        said = run("show", league, "--html", code=2)
        assert f"is in use by process {first.pid}" in said
        assert "Season 1" in run("show", league)  # reading is free
        assert first.poll() is None
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=LONGEST)
    assert "games were played." in run("play", league, "--games", 2)
