"""What isolated agents are sent, compared by bytes in twin worlds, and what else their processes can reach."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from sackarmies_agents import GameInfo, child, conduct, isolated
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_env.core.information import InformationSets
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies.state.constants import Verb
from sackarmies_training.analysis import Reports
from sackarmies_training.matches import Seating, play_games
from tests.core.toy_game import make_duel
from tests.sack_armies.belief.test_twin_samples import pile, start, twins
from tests.sack_armies.builders.twin_worlds import build, mask_of, observe, plain, wander

ROOT = Path(__file__).resolve().parents[2]
PR_GET_DUMPABLE = 3  # from <sys/prctl.h>
PR_CAPBSET_DROP = 24
CAP_SYS_PTRACE = 19
LOWEST = "python:class=tests.agents.misbehaving:Lowest"
linux = pytest.mark.skipif(sys.platform != "linux", reason="memory of processes is protected only on Linux")


class InThread:
    """Stand-in for a process, which serves an agent in a thread of this one; what is sent is the same."""

    pid = 2**22 + 1  # greater than any process id

    def __init__(self, target, args, daemon):
        connection, text, info, _ = args
        self._arguments = (isolated.Channel(connection.dup()), text, info)
        self.sentinel, self._writer = os.pipe()  # never ready

    def start(self):
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        try:
            child.answer_all(*self._arguments, is_limited=False)
        except (EOFError, OSError):
            self._arguments[0].close()

    def kill(self):
        os.close(self._writer)
        os.close(self.sentinel)

    def join(self, timeout):
        pass


class Recorded:
    """Records what is sent to each agent."""

    def __init__(self, monkeypatch):
        self._sent = []
        send = isolated.Channel.send

        def record(channel, message, *others):
            self._sent.append((channel, message))
            send(channel, message, *others)

        monkeypatch.setattr(isolated.Channel, "send", record)

    def to(self, agent):
        """Return the messages to an agent so far."""
        return [message for channel, message in self._sent if channel is agent._channel]


@pytest.fixture
def recorded(monkeypatch):
    return Recorded(monkeypatch)


@pytest.fixture
def in_threads(monkeypatch):
    monkeypatch.setattr(isolated, "server", lambda: type("Server", (), {"Process": InThread}))


def thinking(kind):
    return f"python:class=tests.agents.thinking:{kind}"


def informed(kind):
    return f"python:class=tests.agents.informed:{kind}"


def isolate(game, text):
    return make_player(text, GameInfo.of(game), Isolation())


def ask(agent, game, states, player):
    """Have an agent choose for the current player of a state."""
    if agent.is_informed:
        return agent.act_informed(InformationSets.of(game, states, player)).tolist()
    return agent.act_batch(observe(game, states, player)[None], mask_of(game, states, player)[None]).tolist()


def same_in_twin_worlds(recorded, game, text, plies):
    """Play a game, ask instances of an agent in its twin worlds, check that all get the same messages; return them."""
    agents = [isolate(game, text) for _ in range(5)]
    asked = 0
    for agent in agents:
        agent.reset(3)
    for ply, states in enumerate(wander(game, 21, plies)):
        player = int(plain(states)["current_player"])
        worlds = [states, *twins(game, states, player, ply)]
        answers = [ask(agent, game, world, player) for agent, world in zip(agents, worlds, strict=True)]
        reports = [conduct.ask_reports(agent, 1) for agent in agents]
        assert answers == [answers[0]] * len(worlds)
        assert reports == [reports[0]] * len(worlds)
        asked += 2
    messages = [recorded.to(agent) for agent in agents]
    for agent in agents:
        agent.close()
    assert len(messages[0]) == asked + 1
    assert all(one == messages[0] for one in messages)
    return messages[0]


@pytest.mark.parametrize("text", [informed("Sampler"), informed("SharedLowest"), thinking("Thinker"), "greedy"])
@pytest.mark.parametrize("name", ["standard", "open lists", "battle", "three"])
def test_what_crosses_the_pipe_is_the_same_in_twin_worlds(in_threads, recorded, name, text):
    same_in_twin_worlds(recorded, build(name), text, 60)


@pytest.mark.slow
@pytest.mark.parametrize("text", [informed("Sampler"), "greedy"])
def test_what_crosses_the_pipe_to_a_process_is_the_same_in_twin_worlds(recorded, text):
    messages = same_in_twin_worlds(recorded, build("standard"), text, 900)
    assert len(messages) > 500


class Idle:
    """Agent that draws where it can, and else takes the lowest legal id, whatever it holds."""

    shares_batch = is_informed = False

    def reset(self, seed):
        pass

    def act_batch(self, observations, masks):
        return np.array([Verb.DRAW if mask[Verb.DRAW] else mask.argmax() for mask in masks])


@pytest.mark.parametrize("text", [informed("Lowest"), informed("Sampler"), LOWEST])
def test_whole_games_that_look_alike_send_the_same_bytes(in_threads, recorded, text):
    """Sizes and number of messages are the same, too; both Generals stay apart, so that nothing is revealed."""
    sent = []
    for hidden, sack in (("hero", "mage fighter drill bolt"), ("mage", "hero hero bolt mage")):
        game, _ = start(pile("drill", sack), hidden, pile("drill", "mage"), switches={"max_turns": 8, "hand_limit": 9})
        agents = {"ours": isolate(game, text), "theirs": Idle()}
        with closing(Seating([["ours", "theirs"]], agents.__getitem__, 1)) as seating:
            (played,) = play_games(game, [["ours", "theirs"]], [7], seating)
            sent.append((recorded.to(agents["ours"]), played.turns))
    assert sent[0] == sent[1]
    assert len(sent[0][0]) > 4


# --- reports


def chosen_by(text, isolation=None):
    """Return an agent, in this process or in a separate one, that has just chosen in a game."""
    match = Match(make_duel())
    match.begin(3)
    agent = make_player(text, GameInfo.of(match.game), isolation)
    agent.reset(1)
    return agent, match, int(agent.act_informed(match.information_set(match.player))[0])


@pytest.mark.parametrize("kind", ["Thinker", "Floats", "Illegal", "Endless", "TooMany", "Fails", "Twice", "Huge"])
def test_agent_reports_the_same_from_its_own_process(in_threads, kind):
    told = []
    for isolation in (None, Isolation(time_limit=60.0)):
        agent, match, action = chosen_by(thinking(kind), isolation)
        reports = Reports()
        reports.take(agent, "agent", match, action)
        told.append((reports.analyses, reports.faults))
        assert agent.act_informed(match.information_set(match.player)).tolist() == [action]
        if isolation is not None:
            agent.close()
    assert told[0] == told[1]
    assert told[0] != ([], {})


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("Yields", "raised "),
        ("Foreign", "raised TypeError"),
        ("Wordy", "did not return one Report for each of 1 decisions"),
        ("Vast", "answered more than 1 MiB"),
    ],
)
def test_report_that_cannot_be_sent_harms_nothing_else(in_threads, kind, fault):
    agent, match, action = chosen_by(thinking(kind), Isolation(time_limit=60.0))
    with closing(agent):
        for _ in range(2):
            with pytest.raises(conduct.Misconduct, match=fault) as caught:
                agent.report()
            assert not isinstance(caught.value, conduct.Gone)
            assert agent.act_informed(match.information_set(match.player)).tolist() == [action]


def test_agent_that_has_not_chosen_yet_reports_nothing(in_threads):
    with closing(isolate(make_duel(), thinking("Thinker"))) as agent:
        agent.reset(1)
        assert conduct.ask_reports(agent, 1) == [None]


def test_agent_is_not_asked_for_reports_of_the_game_before(in_threads):
    agent, _, _ = chosen_by(thinking("Fails"), Isolation(time_limit=60.0))
    with closing(agent):
        agent.reset(2)
        assert agent.report() == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "reason"), [("Hangs", "took longer than 1 s a decision"), ("Leaves", "with exit code 3")]
)
def test_process_that_does_not_survive_its_report_is_gone(kind, reason):
    agent, match, action = chosen_by(thinking(kind), Isolation(time_limit=1.0))
    information = match.information_set(match.player)
    with closing(agent):
        with pytest.raises(conduct.Gone, match=reason):
            agent.report()
        with pytest.raises(conduct.Gone):
            agent.act_informed(information)
        agent.reset(1)  # another process
        assert agent.act_informed(information).tolist() == [action]


def test_rules_are_sent_once_to_a_process(in_threads, recorded):
    game = build("standard")
    with closing(isolate(game, informed("Lowest"))) as agent:
        agent.reset(1)
        for states in wander(game, 1, 6):
            for player in (0, 1):
                agent.act_informed(InformationSets.of(game, states, player))
        lengths = [len(message) for message in recorded.to(agent)[1:]]
    state = game.state_dtype.itemsize
    assert min(lengths[:2]) > max(lengths[2:])
    assert state < max(lengths[2:]) < state + 300


# --- a process of an agent, from inside


@linux
@pytest.mark.slow
def test_agent_finds_nothing_but_its_own_information(tmp_path):
    game, file = make_duel(), tmp_path / "found.json"
    text = f"{informed('Prying')},report={file}"
    line_ups = [[text, informed("Lowest")]]
    with closing(Seating(line_ups, lambda one: isolate(game, one), 1)) as seating:
        play_games(game, line_ups, [5], seating)
    found = json.loads(file.read_text())
    assert found["pid"] != os.getpid()
    assert found["dumpable"] == 0
    assert ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0  # this process, which knows the truth
    assert found["batches"] == 0
    assert not any("matches" in name or "tournament" in name or "core.batch" in name for name in found["modules"])
    handles = set(found["handles"].values()) - {os.readlink("/proc/self/fd/2")}
    known = re.compile(r"/dev/null|(socket|pipe):\[\d+\]|/proc/\d+/fd")
    assert [handle for handle in handles if not known.fullmatch(handle)] == []
    assert sum(handle.startswith("socket") for handle in found["handles"].values()) == 1
    # System libraries map their own files, read-only.
    assert [line for line in found["shared"] if " r--s " not in line or "/usr/lib/" not in line] == []


@linux
@pytest.mark.slow
def test_states_in_a_process_are_those_of_its_information_sets(tmp_path):
    game, file = make_duel(), tmp_path / "found.json"
    batch_states = []
    with closing(isolate(game, f"{informed('Prying')},report={file}")) as agent:
        agent.reset(1)
        for seed in range(4):
            states = game.new_states(1)
            game.reset(game.params, states, [seed])
            sets = InformationSets.of(game, states, 0)
            assert states.tobytes() != sets.states.tobytes()
            agent.act_informed(sets)
            batch_states.append(hashlib.sha256(states.tobytes()).hexdigest())
            found = json.loads(file.read_text())["states"]
            assert hashlib.sha256(sets.states.tobytes()).hexdigest() in found
            assert not set(found) & set(batch_states)


READING = """
import os, subprocess, sys
import numpy as np
from sackarmies_agents import GameInfo
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from tests.core.toy_game import make_duel

if __name__ == "__main__":
    free = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    info = GameInfo.of(make_duel())
    reader, other = (
        make_player(f"python:class=tests.agents.misbehaving:{kind}", info, Isolation()) for kind in ("Reader", "Lowest")
    )
    pids = [free.pid, os.getpid(), other._process.pid, 0]
    print(*reader.act_batch(np.array(pids)[:, None], np.zeros((4, 1))))
    for agent in (reader, other):
        agent.close()
    free.communicate()
"""


def drop_right_to_trace():
    """Drop root's right to trace other processes, which other users lack, in programs started from here."""
    if os.getuid() == 0 and ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0) != 0:
        raise OSError("root cannot be kept from reading memory here")


@linux
@pytest.mark.slow
def test_agent_cannot_read_the_memory_of_other_processes(tmp_path):
    """They are the games' process, another agent, and the server that forked both; root could, unless kept from it."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    program = tmp_path / "reading.py"
    program.write_text(READING, encoding="utf-8")
    words = [sys.executable, str(program)]
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, check=False, preexec_fn=drop_right_to_trace
    )
    assert done.returncode == 0, done.stderr
    free, games, agent, server = map(int, done.stdout.split())
    assert (games, agent, server) == (0, 0, 0)
    if not free:
        pytest.skip("this system lets no process read another one's memory")
