"""Agents in Python files and the modules beside them: which are imported, and which an identity holds."""

from __future__ import annotations

import os
import warnings
from contextlib import closing

import numpy as np
import pytest

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_agents.python_file import imported_files
from sackarmies_training.identity import agent_identity
from tests.core.toy_game import make_duel

BOLD = """
import colorsys
import json
import iniconfig
from sackarmies_agents import Agent
from helper import choose

class Bold(Agent):
    def __init__(self, info):
        colorsys.rgb_to_hls(0, 0, 0), json.dumps(0), iniconfig.IniConfig

    def reset(self, seed):
        import late

    def act(self, observation, action_mask):
        return choose(action_mask)
"""
HELPER = """
def choose(action_mask):
    return int(action_mask.argmax()) + 1 - 1
"""
SHADOW = 'raise SystemExit("the wrong module")\n'
TEXT = "python:file=bold.py,class=Bold"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"bold.py": BOLD, "helper.py": HELPER, "late.py": "", "other.py": ""})
    return tmp_path


def write(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


def play(text):
    """Have an isolated agent decide."""
    info = GameInfo.of(make_duel())
    with closing(make_player(text, info, Isolation())) as agent:
        agent.reset(1)
        return agent.act(np.zeros(info.observation_spec.size, np.int8), np.ones(info.num_actions, np.int8))


@pytest.mark.slow
def test_isolated_agent_imports_modules_of_its_folder_after_those_of_python(folder):
    write(folder, {f"{name}.py": SHADOW for name in ("colorsys", "json", "iniconfig")})
    assert play(TEXT) == 0


@pytest.mark.slow
def test_two_isolated_agents_may_have_modules_of_the_same_name(folder):
    write(folder, {"other/bold.py": BOLD, "other/helper.py": HELPER.replace("- 1", "+ 1"), "other/late.py": ""})
    assert [play(text) for text in (TEXT, TEXT.replace("bold.py", "other/bold.py"))] == [0, 2]


def test_agent_in_this_process_is_told_why_a_module_of_its_folder_is_not_found(folder):
    sentence = (
        r"No module named 'helper' \(bold\.py, line 6\); 'helper' is in the folder .* \(--isolate, isolate = true\)"
    )
    with pytest.raises(ValueError, match=sentence):
        make_agent(TEXT, GameInfo.of(make_duel()))


@pytest.mark.parametrize("name", ["nowhere", "sub.deep"])
def test_module_that_is_not_in_the_folder_is_simply_not_found(folder, name):
    write(folder, {"bold.py": f"import {name}", "sub.deep.py": ""})
    with pytest.raises(ValueError, match=rf"No module named '{name.split('.')[0]}' \(bold\.py, line 1\)$"):
        make_agent(TEXT, GameInfo.of(make_duel()))


@pytest.mark.parametrize("name", ["bold.py", "helper.py", "late.py"])
def test_edited_module_makes_another_agent(folder, name):
    before = agent_identity(TEXT)
    assert agent_identity(TEXT) == before
    (folder / name).write_text((folder / name).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert agent_identity(TEXT) != before


def test_edited_file_that_is_not_imported_does_not_make_another_agent(folder):
    before = agent_identity(TEXT)
    write(folder, {"other.py": "x = 1", "json.py": SHADOW})
    assert agent_identity(TEXT) == before


@pytest.mark.parametrize(
    ("source", "files"),
    [
        ("import a", ["a.py", "b.py"]),
        ("def f():\n    import b as c, p.q", ["a.py", "b.py", "p/__init__.py", "p/q.py", "p/r.py"]),
        ("from p import q", ["p/__init__.py", "p/q.py", "p/r.py"]),
        ("from p import *", ["p/__init__.py"]),
        ("from plain.m import x", ["plain/m.py"]),
        ("from plain import m", ["plain/m.py"]),
        ("import bold, broken", ["broken.py"]),
        ("import nowhere, a.nowhere", ["a.py", "b.py"]),
        ("import fast", ["fast.abi3.so"]),
        ("import string", []),
        ("x = '\\d'\nimport a", ["a.py", "b.py"]),
        ("this is not Python", []),
        ("x = '\0'", []),
    ],
)
def test_import_statements_are_followed_within_the_folder(tmp_path, source, files):
    write(tmp_path, {"bold.py": source, "a.py": "import b", "b.py": "import a", "broken.py": "import ("})
    write(tmp_path, {"p/__init__.py": "", "p/q.py": "from . import r\nfrom .. import a", "p/r.py": "from .q import x"})
    write(tmp_path, {"plain/m.py": "", "fast.abi3.so": "", "string.py": ""})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = imported_files(tmp_path / "bold.py")
    assert found == sorted((tmp_path / name).resolve() for name in files)


@pytest.mark.slow
@pytest.mark.parametrize("isolation", [None, Isolation()])
def test_unusable_file_is_refused_in_the_same_words_in_both_processes(tmp_path, monkeypatch, isolation):
    monkeypatch.chdir(tmp_path)
    os.symlink("loop.py", "loop.py")
    for name in ("loop.py", "a\0b.py", "none.py"):
        with pytest.raises(ValueError, match=r"^class='Bold': there is no file"):
            make_player(f"python:file={name},class=Bold", GameInfo.of(make_duel()), isolation)


def test_identity_of_an_agent_without_its_file_is_refused():
    with pytest.raises(ValueError, match=r"^there is no file 'gone\.py'$"):
        agent_identity("python:file=gone.py,class=Bold")
