"""The examples of the README and of the documentation run, and the commands that they show exist."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.core import TyperGroup

import sackarmies_env
from examples.liars_dice import ENTRY
from sackarmies_env.core.entries import ENTRY_POINTS, HOOK, add_entry
from sackarmies_env.core.record import make_record, save_record
from sackarmies_env.games.sack_armies.state.record import LARGE
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.army import check_army, resolve_army
from sackarmies_env.games.sack_armies.tokens.schema import read_tokens
from sackarmies_env.testing import RandomPlay
from sackarmies_training.cli import app
from sackarmies_training.config import GameSection, LogSection, TournamentConfig, TrainConfig, load_config
from sackarmies_training.evaluate import Plan, evaluate
from sackarmies_training.submission import Manifest
from tests.second_game import kept_registries

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "liars_dice.py"
NOTEBOOKS = ROOT / "docs" / "notebooks"  # their cells run together: tests/docs/test_notebooks.py
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not page.is_relative_to(NOTEBOOKS)),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`((?:sackarmies|make) [^`]*)`")
COMPILES = re.compile(r"numba\.njit|flat\.py")
OPENING = re.compile(r"^```(.*)$", re.MULTILINE)
TESTED = {"python", "py", "sh", "toml"}  # languages of blocks that tests of this file run, compare, parse or read
SHOWN = {"{eval-rst}", "text"}  # for Sphinx, and output
PLACEHOLDER = "COMMAND"  # stands for any command
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def blocks(language):
    """Return the blocks of a language as parameters, named by page and number."""
    found = []
    for page in PAGES:
        texts = [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]
        for number, text in enumerate(texts):  # blocks that compile their own kernels take seconds
            marks = [pytest.mark.slow] if COMPILES.search(text) else []
            found.append(pytest.param(text, id=f"{page.stem}-{number}", marks=marks))
    return found


def blocks_of(page):
    """Return the Python blocks of a page."""
    return [block.values[0] for block in blocks("python") if block.id.rpartition("-")[0] == page]


def commands():
    """Return the `sackarmies` and `make` commands in shell blocks, sentences and tables."""
    lines = [line for block in blocks("sh") for line in block.values[0].splitlines()]
    for page in (*PAGES, *sorted(NOTEBOOKS.glob("*.md"))):
        lines += INLINE.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
    return sorted({line.split("#")[0].strip() for line in lines if line.startswith(("sackarmies ", "make "))})


def test_there_are_examples_on_the_pages_that_users_read_first():
    pages = {parameter.id.rpartition("-")[0] for parameter in blocks("python")}
    assert {
        "README",
        "adding_a_game",
        "environments",
        "how_to_play",
        "kernels",
        "scenarios",
        "search_agents",
        "tournaments",
    } <= pages
    assert len(blocks("py")) > 10
    assert len(commands()) > 12


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_blocks_have_languages_that_are_tested(page):
    openings = OPENING.findall(page.read_text(encoding="utf-8"))[::2]
    assert set(openings) <= TESTED | SHOWN


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "game.json" in code:  # the record that the example reads
        play = RandomPlay(sackarmies_env.load_game("sack_armies"), seed=1, max_plies=30)
        play.play()
        save_record(make_record(play.game, play.seed, play.actions), Path("game.json"))
    if "attack.toml" in code:  # the position that the page shows
        shutil.copy(ROOT / "docs" / "images" / "attack.toml", "attack.toml")
    if "flat.py" in code:  # the agent that the page shows first
        Path("flat.py").write_text(blocks_of("search_agents")[0], encoding="utf-8")
    with kept_registries():
        exec(compile(code, "example", "exec"), {})


@pytest.mark.slow
def test_flat_search_of_the_page_beats_random_and_repeats_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("flat.py").write_text(blocks_of("search_agents")[0], encoding="utf-8")
    game, agent = sackarmies_env.load_game("sack_armies"), "python:file=flat.py,class=Flat,sims=8,turns=1"
    played = [evaluate(game, agent, "random", Plan(3, seed=1), lambda games: None) for _ in range(2)]
    assert played[0] == played[1]
    tally, games = played[0]
    assert (tally.wins, tally.games) == (6, 6)
    assert not any(game.forfeits for game in games)


@pytest.mark.parametrize("part", blocks("py"))
def test_parts_of_the_example_game_are_as_they_stand_there(part):
    """Indentation is ignored: a part from inside a function may start at the margin."""
    whole, shown = (
        (line.strip() for line in text.splitlines()) for text in (EXAMPLE.read_text(encoding="utf-8"), part)
    )
    assert "\n".join(shown) in "\n".join(whole)


@pytest.mark.parametrize("text", blocks("toml"))
def test_toml_examples_are_read(text, tmp_path, monkeypatch):
    data = tomllib.loads(text)
    if isinstance(data.get("game"), str):
        env = sackarmies_env.raw_env(data["game"], scenario=data)
        env.reset(seed=0)
        assert np.flatnonzero(env.last()[0]["action_mask"]).size
    elif "ppo" in data:  # of the example game
        (tmp_path / "train.toml").write_text(text, encoding="utf-8")
        with kept_registries():
            add_entry(ENTRY)
            assert load_config(tmp_path / "train.toml", TrainConfig).game.options == {"num_players": 3}
    elif "tournament" in data:  # whose submissions are made here
        monkeypatch.chdir(tmp_path)
        for agent in data["tournament"]["agents"]:
            if "/" in agent:
                Path(agent).mkdir(parents=True)
                Path(agent, "submission.toml").write_text('agent = "random"', encoding="utf-8")
        Path("tournament.toml").write_text(text, encoding="utf-8")
        assert load_config(Path("tournament.toml"), TournamentConfig).tournament.agents == data["tournament"]["agents"]
    elif "agent" in data:
        assert Manifest.model_validate(data).agent
    elif "tokens" in data:
        (tmp_path / "army.toml").write_text(text, encoding="utf-8")
        assert check_army(resolve_army(tmp_path / "army.toml")) == []
    elif "log" in data:
        assert LogSection.model_validate(data["log"]).to
    elif "game" in data:  # a section of a configuration
        assert GameSection.model_validate(data["game"]).options
    elif "project" in data:  # entry points
        (group, points), *more = data["project"]["entry-points"].items()
        assert (group, more) == (ENTRY_POINTS, [])
        assert all(HOOK.fullmatch(place) for place in points.values())
    else:
        assert len(read_tokens(data["token"], "example")) == len(data["token"])


def test_page_of_army_files_has_an_army_and_its_limits():
    page = (ROOT / "docs" / "adding_a_token.md").read_text(encoding="utf-8")
    limits, copies = Switches(), Switches().copies
    assert "[tokens]" in page
    assert f"add up to {limits.max_ranks} at most" in page
    assert f"at most {copies(1)} copies of a token of rank 1, {copies(2)} of rank 2 and {copies(3)} of a higher" in page
    assert f"at least {limits.min_battlefields} battlefields and 1 unit, and at most {LARGE.tokens} tokens" in page


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
    if words and not isinstance(command, TyperGroup):  # no words: the command is only named
        command.make_context(command.name, words)
