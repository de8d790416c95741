"""Time accounts: how long a decision, a turn and a game may take, and how the time bank is used."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from sackarmies_agents import line_launcher
from sackarmies_agents.conduct import Status
from sackarmies_agents.limits import MOST_MEMORY, Accounts, Isolation, TimedDecision, cpu_seconds_of
from sackarmies_training.cli import app
from sackarmies_training.config import MatchSection
from sackarmies_training.tournament import Tournament, batch_path
from sackarmies_training.usage import Conduct, conduct_of, is_worth_telling
from tests.core.toy_game import make_duel

LOWEST = "python:class=tests.agents.misbehaving:Lowest"
UNREADY = "python:class=tests.agents.misbehaving:BadReset"
GAME, OTHER = TimedDecision(0, 0, 1), TimedDecision(1, 0, 1)


def test_bank_pays_for_what_decisions_take_beyond_their_limit():
    accounts = Accounts(Isolation(time_limit=2.0, time_bank=5.0))
    assert accounts.time_for([GAME]) == (7.0, "took longer than 2 s a decision and its bank of 5 s a game")
    accounts.charge([GAME], 1.5, None, 0.0)
    assert accounts.clock(GAME) == {"time_limit": 2.0, "time_bank": 5.0}
    accounts.charge([GAME], 4.5, None, 0.0)
    assert accounts.clock(GAME) == {"time_limit": 2.0, "time_bank": 2.5}
    assert accounts.time_for([GAME])[0] == 4.5
    assert accounts.time_for([OTHER])[0] == 7.0
    accounts.charge([GAME], 4.6, None, 0.0)
    assert accounts.time_for([GAME])[0] == 2.0


def test_decisions_asked_for_at_once_share_their_time_equally():
    accounts = Accounts(Isolation(time_limit=1.0, time_bank=3.0))
    accounts.charge([GAME], 2.0, None, 0.0)
    assert accounts.time_for([GAME, OTHER])[0] == 2 * (1.0 + 2.0)  # the smaller bank of the two
    accounts.charge([GAME, OTHER], 5.0, 2.0, 0.0)
    assert accounts.clock(GAME)["time_bank"] == 0.5
    assert accounts.clock(OTHER)["time_bank"] == 1.5
    assert accounts.usage(1, 0).cpu_seconds == 1.0


def test_limit_of_a_turn_begins_anew_with_each_turn():
    accounts = Accounts(Isolation(turn_limit=10.0))
    accounts.charge([GAME], 4.0, None, 0.0)
    assert accounts.time_for([GAME]) == (6.0, "took longer than 10 s a turn")
    assert accounts.time_for([TimedDecision(0, 0, 2)])[0] == 10.0


def test_the_lesser_of_two_limits_holds():
    accounts = Accounts(Isolation(time_limit=3.0, turn_limit=4.0))
    assert accounts.time_for([GAME])[0] == 3.0
    accounts.charge([GAME], 2.0, None, 0.0)
    assert accounts.time_for([GAME]) == (2.0, "took longer than 4 s a turn")


def test_start_of_a_process_is_not_charged():
    accounts = Accounts(Isolation(time_limit=1.0, time_bank=2.0, cpu_limit=1.0))
    accounts.charge([GAME], 30.5, 25.0, 60.0)
    assert accounts.clock(GAME) == {"time_limit": 1.0, "time_bank": 2.0, "cpu_limit": 1.0}
    assert accounts.overdrawn(GAME) is None
    accounts.charge([GAME], 1.0, 1.5, 0.0)
    assert accounts.overdrawn(GAME) == "took more than 1 s of processor time a game"


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"time_bank": 5.0}, r"time_bank needs time_limit: the bank covers time beyond that limit"),
        ({"cpu_limit": 5.0}, r"cpu_limit needs time_limit or turn_limit: an agent that waits uses no processor time"),
        (
            {"start_limit": 5.0},
            r"start_limit needs time_limit or turn_limit: it is added to them",
        ),
    ],
)
def test_limit_that_cannot_be_kept_is_refused(limits, message):
    with pytest.raises(ValueError, match=message):
        MatchSection(agents=["random", "greedy"], isolate=True, **limits)


def test_memory_limit_beyond_any_address_space_is_refused_everywhere(tmp_path):
    large = 10**19
    assert "memory_limit" in told_of(["evaluate", "greedy", "--isolate", "--memory-limit", str(large)]).replace(
        "-", "_"
    )
    config = tmp_path / "config.toml"
    section = f'[tournament]\nagents = ["random", "greedy"]\nisolate = true\nmemory_limit = {MOST_MEMORY + 1}'
    config.write_text(f'folder = "{tmp_path}"\n{section}')
    assert "tournament.memory_limit" in told_of(["tournament", str(config)])
    (tmp_path / "submission.toml").write_text(f'agent = "random"\n[limits]\nmemory_limit = {MOST_MEMORY + 1}')
    assert "limits.memory_limit" in told_of(["submit-check", str(tmp_path)])


def told_of(words):
    """Return what a command that must be refused prints."""
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2, done.output
    assert str(MOST_MEMORY) in done.output
    return done.output


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited only on Linux")
@pytest.mark.parametrize(("memory", "limit"), [(100, 100 * 2**20), (MOST_MEMORY, 2**32)])
def test_memory_limit_is_at_most_what_the_system_allows(memory, limit):
    show = "import resource; print(*resource.getrlimit(resource.RLIMIT_AS))"
    done = subprocess.run(
        [sys.executable, line_launcher.__file__, str(memory), "0", sys.executable, "-S", "-c", show],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(limit)] * 2


@pytest.mark.parametrize("key", ["time_bank", "turn_limit", "cpu_limit"])
def test_limit_without_isolation_is_refused(key):
    with pytest.raises(ValueError, match=f"{key} needs isolate = true"):
        MatchSection(agents=["random", "greedy"], time_limit=None, **{key: 5.0})


@pytest.mark.parametrize("limit", ["time_limit", "turn_limit"])
def test_start_limit_is_added_to_a_limit_of_time(limit):
    section = MatchSection(agents=["random", "greedy"], isolate=True, start_limit=5.0, **{limit: 1.0})
    assert section.isolation == Isolation(start_limit=5.0, **{limit: 1.0})


@pytest.mark.skipif(sys.platform != "linux", reason="processor time of other processes is available only on Linux")
def test_processor_time_counts_work_and_not_waiting():
    before = cpu_seconds_of(os.getpid())
    time.sleep(0.05)
    waited = cpu_seconds_of(os.getpid())
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    worked = cpu_seconds_of(os.getpid())
    assert waited - before < 0.05
    assert worked - waited >= 0.1
    assert cpu_seconds_of(2**22 + 1) is None


def tournament(folder, **changes):
    section = {"agents": [UNREADY, LOWEST], "seeds": 2, "batch": 2, "workers": 1, "seed": 1, **changes}
    return Tournament(make_duel(), MatchSection(**section), folder)


def games_in(contest):
    contest.play(contest.open(), lambda games: None)
    (batch,) = contest.batches()
    entries = json.loads(batch_path(contest.folder, batch).read_text())["games"]
    return entries, list(contest.games().values())


def test_batches_and_records_tell_statuses(tmp_path):
    entries, games = games_in(tournament(tmp_path))
    for entry, game in zip(entries, games, strict=True):
        unready = game.agents.index(UNREADY)
        assert [forfeit["status"] for forfeit in entry["forfeits"]] == ["ERROR"]
        assert game.statuses[unready] == Status.ERROR
        assert game.statuses[1 - unready] == Status.DONE
        assert "usage" not in entry
        record = json.loads((tmp_path / entry["record"]).read_text())
        assert [forfeit["status"] for forfeit in record["forfeits"]] == ["ERROR"]
    conduct = conduct_of([UNREADY, LOWEST], games)
    assert is_worth_telling(conduct.values())
    assert conduct[UNREADY].data() == {"statuses": {"DONE": 0, "ERROR": 4, "INVALID": 0, "TIMEOUT": 0}}
    assert conduct[LOWEST].data() == {"statuses": {"DONE": 4, "ERROR": 0, "INVALID": 0, "TIMEOUT": 0}}


@pytest.mark.slow
def test_batches_tell_what_was_used_where_time_is_limited(tmp_path):
    entries, games = games_in(
        tournament(tmp_path, agents=["random", LOWEST], isolate=True, time_limit=30.0, time_bank=60.0)
    )
    assert all(used["decisions"] > 0 for entry in entries for used in entry["usage"])
    conduct = conduct_of(["random", LOWEST], games)
    assert conduct[LOWEST].games == 4
    assert conduct[LOWEST].data()["decisions"] == sum(
        used["decisions"]
        for entry in entries
        for agent, used in zip(entry["agents"], entry["usage"], strict=True)
        if agent == LOWEST
    )
    assert (conduct[LOWEST].cpu_seconds is not None) == (sys.platform == "linux")


def test_peaceful_games_without_limits_are_not_worth_telling():
    conduct = Conduct()
    conduct.statuses[Status.DONE] += 3
    assert not is_worth_telling([conduct])
