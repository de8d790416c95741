"""Programs that play over stdin and stdout: how they are started, limited, copied and ended."""

import copy
import ctypes
import json
import os
import pickle
import shlex
import socket
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.channel import Channel
from sackarmies_agents.child import PR_SET_DUMPABLE
from sackarmies_agents.conduct import Gone
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation, until
from sackarmies_agents.line_pipe import GRACE, LinePipe
from sackarmies_env.core.information import InformationSets
from tests.core.toy_game import make_duel

INFO = GameInfo.of(make_duel())
PR_GET_DUMPABLE = 3  # of <sys/prctl.h>
BOT = [sys.executable, "-S", str(Path(__file__).with_name("line_bots.py")), "well-behaved"]


def first_decision():
    """Return the information set of a game that has just begun."""
    game = make_duel()
    states = game.new_states(1)
    game.reset(game.params, states, [5])
    return InformationSets.of(game, states, int(states["current_player"][0]))


def test_log_that_cannot_be_written_is_refused(tmp_path):
    command = shlex.join(BOT)
    with pytest.raises(ValueError, match=r"option log='.*missing/log': No such file or directory"):
        make_agent(f"line:command={command},log={tmp_path / 'missing' / 'log'}", GameInfo.of(make_duel()))


def test_command_that_is_too_long_is_refused(tmp_path):
    command = f"{shlex.join(BOT)} {'x' * 2**17}"  # the shortest argument that Linux refuses
    with pytest.raises(ValueError, match=r"option command='.*: Argument list too long"):
        make_agent(f"line:command={command},log={tmp_path / 'log'}", GameInfo.of(make_duel()))


def test_seeds_of_numpy_are_sent_and_negative_ones_refused(tmp_path):
    seen = tmp_path / "seen"
    with closing(make_agent(f"line:command={shlex.join([*BOT, str(seen)])}", GameInfo.of(make_duel()))) as agent:
        with pytest.raises(ValueError, match=r"seed=-1: it must be an integer of at least 0"):
            agent.reset(-1)
        agent.reset(np.int64(7))
    assert [json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines()][1:] == [
        {"type": "new_game", "seed": 7}
    ]


# --- time limits


HUGE = [2147484.0, 1e300]  # seconds: `poll` takes less than 2**31 ms


@pytest.mark.parametrize("seconds", HUGE)
@pytest.mark.parametrize(
    ("large", "others"),
    [
        ("time_limit", {}),
        ("turn_limit", {}),
        ("time_bank", {"time_limit": 60.0}),
        ("start_limit", {"time_limit": 60.0}),
    ],
)
def test_program_plays_with_large_limits_of_time(large, others, seconds):
    isolation = Isolation(**others, **{large: seconds})
    with closing(make_player(f"line:command={shlex.join(BOT)}", INFO, isolation)) as agent:
        agent.reset(1)
        for _ in range(2):  # the first one includes the time to start
            assert agent.act_informed(first_decision()).shape == (1,)


@pytest.mark.parametrize("seconds", HUGE)
def test_messages_to_processes_have_large_limits_of_time(seconds):
    ours, theirs = map(Channel, socket.socketpair())
    with closing(ours), closing(theirs):
        theirs.send(b"choose", until(seconds * 64))
        assert ours.receive(100, until(seconds * 64)) == b"choose"


# --- ends


def test_program_is_told_the_end_and_may_end_by_itself(tmp_path):
    file = tmp_path / "ended"
    command = shlex.join([*BOT[:3], "orderly", str(file)])
    with closing(make_agent(f"line:command={command}", INFO)) as agent:
        agent.reset(1)
    assert "the end" in file.read_text(encoding="utf-8")


def test_program_that_does_not_end_is_killed(tmp_path):
    pipe = LinePipe(
        ["sh", "-c", "trap '' TERM HUP; echo ready; while true; do sleep 1; done"], str(tmp_path), None, None
    )
    pipe.receive()
    started = time.monotonic()
    pipe.close()
    assert GRACE <= time.monotonic() - started < GRACE + 3.0
    with pytest.raises(ProcessLookupError):
        os.kill(pipe.pid, 0)


def test_program_is_killed_at_once_after_a_fault(tmp_path):
    file = tmp_path / "ended"
    command = shlex.join([*BOT[:3], "text-orderly", str(file)])
    agent = make_agent(f"line:command={command}", INFO)
    agent.reset(1)
    with pytest.raises(Gone, match="which is not a JSON object"):
        agent.act_informed(first_decision())
    assert agent.pid is None
    assert "the end" not in file.read_text(encoding="utf-8")


def test_interrupted_question_ends_the_program_until_the_next_game(monkeypatch):
    def interrupt(pipe, deadline=None):
        raise KeyboardInterrupt

    with closing(make_agent(f"line:command={shlex.join(BOT)}", INFO)) as agent:
        agent.reset(1)
        pid = agent.pid
        with monkeypatch.context() as interrupted, pytest.raises(KeyboardInterrupt):
            interrupted.setattr(LinePipe, "receive", interrupt)
            agent.act_informed(first_decision())
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        agent.reset(1)
        assert agent.act_informed(first_decision()).shape == (1,)


@pytest.mark.parametrize("end", ["close", "kill"])
def test_program_does_not_end_with_a_fork_of_the_process_that_started_it(tmp_path, end):
    pipe = LinePipe(["cat"], str(tmp_path), None, None)
    with closing(pipe):
        child = os.fork()
        if child == 0:
            try:
                getattr(pipe, end)()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        pipe.send(b"still here\n", until(10.0))
        assert pipe.receive(until(10.0)) == b"still here"


# --- copies


def test_copy_is_another_process_that_is_told_of_the_same_game(tmp_path):
    seen = tmp_path / "seen"
    with closing(make_agent(f"line:command={shlex.join([*BOT, str(seen)])}", INFO)) as agent:
        agent.reset(7)
        agent.act_informed(first_decision())
        seen.unlink()
        with closing(copy.deepcopy(agent)) as twin:
            assert twin.pid != agent.pid
            twin.act_informed(first_decision())
            assert twin.accounts.usage(-1, -1).decisions == 2
            assert agent.accounts.usage(-1, -1).decisions == 1
    hello, new_game, asked = (json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines())
    assert hello["type"] == "hello"
    assert new_game == {"type": "new_game", "seed": 7}
    assert asked["decision"] == 2
    assert "rules" in asked


def test_program_refuses_to_be_pickled_with_a_sentence():
    with closing(make_agent(f"line:command={shlex.join(BOT)}", INFO)) as agent:
        agent.reset(7)
        with pytest.raises(TypeError, match=r"^a program that plays cannot be pickled: copy\.deepcopy starts another"):
            pickle.dumps(agent)


# --- memory


@pytest.mark.skipif(sys.platform != "linux", reason="memory is protected only on Linux")
def test_memory_of_the_games_is_closed_before_a_program_starts(monkeypatch):
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # another test may have closed it
    found = []

    class Watched(LinePipe):
        def __init__(self, *args):
            found.append(libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0))
            super().__init__(*args)

    monkeypatch.setattr("sackarmies_agents.line_agent.LinePipe", Watched)
    make_agent(f"line:command={shlex.join(BOT)}", INFO).close()
    assert found == [0]
