"""Children of isolated agents and the server that starts them: how they end, and what that costs whom."""

from __future__ import annotations

import contextlib
import os
import signal
from contextlib import closing
from multiprocessing.connection import wait
from pathlib import Path

import numpy as np
import pytest

from sackarmies_agents import GameInfo
from sackarmies_agents.channel import LENGTH, Channel
from sackarmies_agents.conduct import Gone, HostError, Status
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_training.matches import Seating, play_games
from tests.core.toy_game import make_duel
from tests.training.test_killed import descendants, is_running, wait_until

LOWEST = "python:class=tests.agents.misbehaving:Lowest"


@pytest.fixture
def family():
    """Yield a list for ids of processes, all of which are killed at the end."""
    pids = []
    yield pids
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def breed(kind, family, time_limit=60.0):
    """Start an agent that starts two processes, and add their ids to `family`; return it with arguments of `act`."""
    info = GameInfo.of(make_duel())
    agent = make_player(f"python:class=tests.agents.misbehaving:{kind}", info, Isolation(time_limit=time_limit))
    agent.reset(1)
    family += descendants(agent._process.pid)
    assert len(family) == 2
    assert all(map(is_running, family))
    return agent, (np.zeros(info.observation_spec.size, np.int8), np.ones(info.num_actions, np.int8))


def all_ended(family):
    return lambda: not any(map(is_running, family))


@pytest.mark.slow
def test_what_an_agent_started_ends_when_it_is_closed(family):
    agent, shown = breed("Breeds", family)
    assert agent.act(*shown) == 0
    agent.close()
    wait_until(all_ended(family), seconds=10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "time_limit", "reason"),
    [
        ("BreedsAndDies", 60.0, "ended its process with exit code 5"),
        ("BreedsAndHangs", 2.0, "took longer than 2 s a decision"),
    ],
)
def test_what_an_agent_started_ends_when_its_process_is_gone(family, kind, time_limit, reason):
    agent, shown = breed(kind, family, time_limit)
    agent._is_fresh = False  # otherwise the first decision has a minute more
    with pytest.raises(Gone, match=reason):
        agent.act(*shown)
    wait_until(all_ended(family), seconds=10)


def test_agent_answers_again_after_an_interrupt_in_the_middle_of_a_message(monkeypatch):
    def send_half(channel, message, deadline=None):
        channel._socket.sendall(len(message).to_bytes(LENGTH, "little") + message[: len(message) // 2])
        raise KeyboardInterrupt

    info = GameInfo.of(make_duel())
    shown = np.zeros(info.observation_spec.size, np.int8), np.ones(info.num_actions, np.int8)
    with closing(make_player(LOWEST, info, Isolation(time_limit=60.0))) as agent:
        agent.reset(1)
        with monkeypatch.context() as interrupted, pytest.raises(KeyboardInterrupt):
            interrupted.setattr(Channel, "send", send_half)
            agent.act(*shown)
        assert agent.pid is None
        agent.reset(1)
        assert agent.act(*shown) == 0


def test_agent_does_not_end_with_a_fork_of_the_process_that_started_it():
    info = GameInfo.of(make_duel())
    with closing(make_player(LOWEST, info, Isolation(time_limit=60.0))) as agent:
        child = os.fork()
        if child == 0:
            try:
                agent.close()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        agent.reset(1)
        assert agent.act(np.zeros(info.observation_spec.size, np.int8), np.ones(info.num_actions, np.int8)) == 0


# --- the server of processes


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def play(kinds, isolation):
    """Play a game between agents of `misbehaving.py`."""
    game, line_up = make_duel(), [f"python:class=tests.agents.misbehaving:{kind}" for kind in kinds]
    with closing(Seating([line_up], lambda text: make_player(text, GameInfo.of(game), isolation), 1)) as seating:
        return play_games(game, [line_up], [0], seating)[0]


@pytest.mark.slow
def test_end_of_the_server_in_a_game_is_nobodys_forfeit(monkeypatch):
    choose, asked = Seating.choose, []

    def killing(seating, rows, batch):
        asked.append(seating)
        if len(asked) == 2:
            server = parent_of(seating.agents[0].pid)
            os.kill(server, signal.SIGKILL)
            for agent in seating.agents:
                assert wait([agent._process.sentinel], 60)
            wait_until(lambda: not is_running(server))  # its connections close before the system reports its end
        return choose(seating, rows, batch)

    monkeypatch.setattr(Seating, "choose", killing)
    with pytest.raises(HostError, match="the server of agents' processes has died"):
        play(["Thinks", "Thinks"], Isolation())  # an answer that is there already would be taken
    assert not play(["Lowest", "Lowest"], Isolation()).forfeits  # there is another server


@pytest.mark.slow
def test_agent_that_writes_to_all_that_is_open_harms_itself_alone():
    played = play(["WritesEverywhere", "Lowest"], Isolation(time_limit=60.0))
    assert [forfeit.seat for forfeit in played.forfeits] == [0]
    assert played.returns == (-1.0, 1.0)


@pytest.mark.slow
def test_exit_code_of_a_lost_server_is_also_that_of_an_agent():
    (forfeit,) = play(["Leaves255", "Lowest"], Isolation()).forfeits
    assert (forfeit.reason, forfeit.status) == ("ended its process with exit code 255", Status.ERROR)


@pytest.mark.slow
def test_closing_the_connection_takes_no_time_of_the_agent():
    played = play(["HangsUp", "Lowest"], Isolation(time_limit=4.0))
    (forfeit,) = played.forfeits
    assert (forfeit.reason, forfeit.status) == ("closed its connection", Status.ERROR)
    assert played.usage[0].longest < 4.5  # the wait for its end takes 5 s


def test_agents_of_a_seating_that_fails_are_closed(monkeypatch):
    info = GameInfo.of(make_duel())
    made = []

    def make(name):
        made.append(make_player(name, info, Isolation()))
        return made[-1]

    def fail(agent, seed):
        raise HostError("no memory")

    monkeypatch.setattr("sackarmies_training.matches.reset", fail)
    with pytest.raises(HostError, match="no memory"):
        Seating([["random", LOWEST]], make, 0)
    assert [agent.pid for agent in made] == [None, None]
