"""The examples of the README and of the documentation run, and the commands that they show exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.core import TyperGroup

import sackarmies_env
from sackarmies_env.core.notation import make_record, save_record
from sackarmies_env.games.sack_armies.schema import read_tokens
from sackarmies_env.testing import RandomPlay
from sackarmies_training.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`((?:sackarmies|make) [^`]*)`")
PLACEHOLDER = "COMMAND"  # stands for any command
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def blocks(language):
    """Return the blocks of a language as parameters, named by page and number."""
    found = []
    for page in PAGES:
        texts = [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]
        found += [pytest.param(text, id=f"{page.stem}-{number}") for number, text in enumerate(texts)]
    return found


def commands():
    """Return the lines of shell blocks, and the commands that stand in sentences and tables."""
    lines = [line for block in blocks("sh") for line in block.values[0].splitlines()]
    for page in PAGES:
        lines += INLINE.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
    return sorted({line.split("#")[0].strip() for line in lines if line.startswith(("sackarmies ", "make "))})


def test_there_are_examples_on_the_pages_that_users_read_first():
    pages = {parameter.id.rpartition("-")[0] for parameter in blocks("python")}
    assert {"README", "environments", "scenarios", "tournaments"} <= pages
    assert len(commands()) > 12


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "game.json" in code:  # the record that the example reads
        play = RandomPlay(sackarmies_env.load_game("sack_armies"), seed=1, max_plies=30)
        play.play()
        save_record(make_record(play.game, play.seed, play.actions), Path("game.json"))
    exec(compile(code, "example", "exec"), {})


@pytest.mark.parametrize("text", blocks("toml"))
def test_toml_examples_are_read(text):
    data = tomllib.loads(text)
    if data.get("game") == "sack_armies":
        env = sackarmies_env.raw_env(scenario=data)
        env.reset(seed=0)
        assert np.flatnonzero(env.last()[0]["action_mask"]).size
    else:
        assert len(read_tokens(data["token"], "example")) == len(data["token"])


@pytest.mark.parametrize("line", [line for line in commands() if line.startswith("make ")])
def test_make_commands_name_targets(line):
    targets = [word for word in shlex.split(line)[1:] if "=" not in word]
    assert set(targets) <= TARGETS, f"{line}: allowed are {', '.join(sorted(TARGETS))}"


@pytest.mark.parametrize("line", [line for line in commands() if line.startswith("sackarmies ")])
def test_commands_are_parsed(line):
    command = typer.main.get_command(app)
    words = shlex.split(line.partition(">")[0])[1:]
    while words and words[0] != PLACEHOLDER and not words[0].startswith("--"):
        if not isinstance(command, TyperGroup):
            break
        assert words[0] in command.commands, f"{line}: there is no command {words[0]}"
        command = command.commands[words.pop(0)]
    if not isinstance(command, TyperGroup):
        command.make_context(command.name, words)
