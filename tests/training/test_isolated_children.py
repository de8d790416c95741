"""Children of isolated agents: they end with the agent, however it ends."""

from __future__ import annotations

import contextlib
import os
import signal

import numpy as np
import pytest

from sackarmies_agents import GameInfo
from sackarmies_agents.conduct import Gone
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from tests.core.toy_game import make_duel
from tests.training.test_killed import descendants, is_running, wait_until


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
