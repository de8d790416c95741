"""Programs that play over stdin and stdout: what they are started with."""

import json
import shlex
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from sackarmies_agents import GameInfo, make_agent
from tests.core.toy_game import make_duel

BOT = [sys.executable, "-S", str(Path(__file__).with_name("line_bots.py")), "well-behaved"]


def test_log_that_cannot_be_written_is_refused(tmp_path):
    command = shlex.join(BOT)
    with pytest.raises(ValueError, match=r"option log='.*missing/log': No such file or directory"):
        make_agent(f"line:command={command},log={tmp_path / 'missing' / 'log'}", GameInfo.of(make_duel()))


def test_command_that_is_too_long_is_refused(tmp_path):
    command = f"{shlex.join(BOT)} {'x' * 2**17}"  # the first length that Linux refuses in one argument
    with pytest.raises(ValueError, match=r"option command='.*: Argument list too long"):
        make_agent(f"line:command={command},log={tmp_path / 'log'}", GameInfo.of(make_duel()))


def test_seeds_of_numpy_are_sent_and_negative_ones_refused(tmp_path):
    seen = tmp_path / "seen"
    with closing(make_agent(f"line:command={shlex.join([*BOT, str(seen)])}", GameInfo.of(make_duel()))) as agent:
        with pytest.raises(ValueError, match=r"seed=-1: it must be an integer of at least 0"):
            agent.reset(-1)
        agent.reset(np.int64(7))
    assert [json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines()][1:] in (
        [{"type": "new_game", "seed": 7}],
        [],  # closed before it was read
    )
