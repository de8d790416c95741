"""What agents answer and print, and what reasons for forfeits say of it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch

from sackarmies_agents import Agent, GameInfo, make_agent
from sackarmies_agents.conduct import Misconduct, Status, ask, describe, guarded
from sackarmies_agents.isolated import RaisedThere, make_player
from sackarmies_agents.limits import Isolation
from tests.core.toy_game import make_duel

COMMAND = "from sackarmies_training.cli import app; app()"
MARK = "100 of 100 games played\x1b[31m"
CRASH = """
import numpy as np
from sackarmies_agents import Agent

class Bold(Agent):
    def __init__(self, info):
        pass

    def reset(self, seed):
        pass

    def act(self, observation, action_mask):
        return np.take([1], 2)  # raises in numpy
"""
LOUD = f"""
import sys
from sackarmies_agents import Agent

print({MARK!r}, "imported")

class Bold(Agent):
    def __init__(self, info):
        print({MARK!r}, "made")

    def reset(self, seed):
        print({MARK!r}, "reset")

    def act(self, observation, action_mask):
        print({MARK!r}, "asked")
        print({MARK!r}, file=sys.stderr)
        return int(action_mask.argmax())
"""


class Answers(Agent):
    """Answers the same each time."""

    def __init__(self, answer):
        self.answer = answer

    def reset(self, seed):
        pass

    def act(self, observation, action_mask):
        return self.answer


class AnswersInBatch(Answers):
    def act_batch(self, observations, action_masks):
        return [self.answer]


class Broken:
    """Something that is no integer, though it claims to be one."""

    def __index__(self):
        raise ZeroDivisionError("at the index")


def answer_of(agent):
    return ask(agent, np.zeros((1, 4), np.int8), np.ones((1, 3), np.int8))


def evaluate(folder, *options):
    """Have the command play games of an agent that prints a lot."""
    (folder / "bold.py").write_text(LOUD, encoding="utf-8")
    words = ["evaluate", "python:file=bold.py,class=Bold", "random", "--games", "2", "--seed", "1", "--workers", "1"]
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *words, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )


# --- answers


@pytest.mark.parametrize("kind", [Answers, AnswersInBatch])
@pytest.mark.parametrize(
    "answer",
    [
        *(1.5, None, "3", np.float32(1), np.array([1]), [1], object()),
        *(2**70, -(2**63) - 1, np.uint64(2**63), pytest.param(10**5000, id="too long to be written out")),
    ],
)
def test_answer_that_is_no_action_is_invalid_and_the_reason_says_what_it_was(kind, answer):
    with pytest.raises(
        Misconduct, match=r"^answered .*(not an integer|not integers of shape|which is not legal)"
    ) as told:
        answer_of(kind(answer))
    assert told.value.status == Status.INVALID
    assert "0x" not in str(told.value)  # where it is in memory


@pytest.mark.parametrize("kind", [Answers, AnswersInBatch])
@pytest.mark.parametrize("answer", [2, np.int8(2), np.uint64(2), np.array(2), torch.tensor(2)])
def test_integers_of_all_kinds_are_answers(kind, answer):
    assert answer_of(kind(answer)).tolist() == [2]


@pytest.mark.slow
def test_least_integer_is_an_answer_of_an_isolated_agent_too(tmp_path):
    source = "from sackarmies_agents import Agent\nclass Bold(Agent):\n    def __init__(self, info): pass\n"
    source += "    def reset(self, seed): pass\n    def act(self, observation, action_mask): return -(2**63)\n"
    (tmp_path / "bold.py").write_text(source, encoding="utf-8")
    info = GameInfo.of(make_duel())
    with closing(make_player(f"python:file={tmp_path / 'bold.py'},class=Bold", info, Isolation())) as agent:
        agent.reset(1)
        assert answer_of(agent).tolist() == [-(2**63)]


def test_list_of_unequal_parts_is_an_invalid_answer():
    with pytest.raises(Misconduct, match=r"^answered list of unequal parts, not integers of shape \(1,\)$") as told:
        answer_of(AnswersInBatch([[1], 2]))
    assert told.value.status == Status.INVALID


def test_answer_that_raises_is_told_as_what_it_raised():
    with pytest.raises(Misconduct, match=r"^raised ZeroDivisionError: at the index") as told:
        answer_of(Answers(Broken()))
    assert told.value.status == Status.ERROR


# --- places


def test_reason_ends_with_the_innermost_place_in_the_agents_own_files(tmp_path):
    (tmp_path / "bold.py").write_text(CRASH, encoding="utf-8")
    agent = make_agent(f"python:file={tmp_path / 'bold.py'},class=Bold", GameInfo.of(make_duel()))
    with pytest.raises(Misconduct, match=r"^raised IndexError: .* \(bold\.py, line 13\)$"):
        answer_of(agent)


def test_module_with_a_name_like_ours_has_its_place(tmp_path, monkeypatch):
    (tmp_path / "sackarmies_bold.py").write_text(CRASH, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    agent = make_agent("python:class=sackarmies_bold:Bold", GameInfo.of(make_duel()))
    with pytest.raises(Misconduct, match=r"\(sackarmies_bold\.py, line 13\)$"):
        answer_of(agent)


def test_fault_in_the_call_itself_has_no_place():
    with pytest.raises(Misconduct, match=r"^raised TypeError: 'NoneType' object is not callable$"):
        ask(type("Empty", (), {"act_batch": None})(), np.zeros((1, 4), np.int8), np.ones((1, 3), np.int8))


def test_syntax_error_has_the_place_in_the_file_and_none_of_its_source(tmp_path):
    path = tmp_path / "bold.py"
    path.write_text("x = 1\ny = = 2  # secret\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"importing '.*' raised SyntaxError: invalid syntax \(bold\.py, line 2\)$"):
        make_agent(f"python:file={path},class=Bold", GameInfo.of(make_duel()))
    with pytest.raises(SyntaxError) as error:
        compile(path.read_text(), str(path), "exec")
    assert describe(error.value) == "SyntaxError: invalid syntax"


def test_names_of_files_are_short_and_printable_in_reasons(tmp_path):
    names = {"__name__": "own"}
    exec(compile("def fail():\n    return 1 / 0", str(tmp_path / f"\x1b[31m{'x' * 200}.py"), "exec"), names)
    with pytest.raises(Misconduct, match=r"^raised ZeroDivisionError: division by zero \(\[31mx{53}\.\.\., line 2\)$"):
        guarded(names["fail"])


def fail_by_syntax():
    raise SyntaxError("odd", (Path("relative.py"), Broken(), 0, ""))  # what its attributes are is not ours


def test_strange_syntax_error_is_placed_where_it_was_raised():
    with pytest.raises(Misconduct, match=r"^raised SyntaxError: odd") as told:
        guarded(fail_by_syntax)
    assert str(told.value).endswith(f"(test_answers.py, line {fail_by_syntax.__code__.co_firstlineno + 1})")


# --- output


def test_what_an_agent_prints_in_this_process_goes_to_stderr(tmp_path):
    done = evaluate(tmp_path)
    assert MARK not in done.stdout
    assert "won" in done.stdout
    assert {"imported", "made", "reset", "asked"} <= set(done.stderr.split())
    assert MARK in done.stderr


@pytest.mark.slow
def test_what_an_isolated_agent_prints_is_discarded(tmp_path):
    done = evaluate(tmp_path, "--isolate")
    assert "won" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    assert MARK not in done.stdout + done.stderr


def test_stdout_is_as_before_after_a_call_to_an_agent_that_raises(capsys):
    with pytest.raises(Misconduct):
        guarded(lambda: 1 / 0)
    print("result")
    assert capsys.readouterr().out == "result\n"


def test_overlapping_call_that_ends_last_restores_stdout():
    before, began, may_end = sys.stdout, threading.Event(), threading.Event()

    def wait():
        began.set()
        assert may_end.wait(60)

    with ThreadPoolExecutor(1) as other:
        later = guarded(lambda: (other.submit(guarded, wait), began.wait(60)))[0]
        assert sys.stdout is sys.stderr
        may_end.set()
        later.result()
    assert sys.stdout is before


# --- tracebacks


@pytest.mark.slow
def test_traceback_of_an_isolated_agent_is_kept_once_from_its_own_code_on(tmp_path):
    path, info = tmp_path / "bold.py", GameInfo.of(make_duel())
    path.write_text(CRASH, encoding="utf-8")
    with closing(make_player(f"python:file={path},class=Bold", info, Isolation())) as agent:
        agent.reset(1)
        for _ in range(2):
            with pytest.raises(Misconduct, match=r"\(bold\.py, line 13\)$"):
                agent.act(np.zeros(info.observation_spec.size, np.int8), np.ones(info.num_actions, np.int8))
        (trace,) = agent.traces
    lines = trace.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{path}", line 13, in act'
    assert "raises in numpy" in lines[2]
    assert lines[-1].startswith("IndexError")


@pytest.mark.slow
def test_traceback_of_an_isolated_agent_that_cannot_be_made_is_the_cause(tmp_path):
    path = tmp_path / "bold.py"
    path.write_text("x = 1\nx.none\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"has no attribute 'none' \(bold\.py, line 2\)$") as refused:
        make_player(f"python:file={path},class=Bold", GameInfo.of(make_duel()), Isolation())
    assert isinstance(refused.value.__cause__, RaisedThere)
    assert f'File "{path}", line 2' in str(refused.value.__cause__)
