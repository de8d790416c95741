"""Programs that play over stdin and stdout: what they are sent, what they may answer, and what their faults cost."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest

from sackarmies_agents import GameInfo, make_agent, parse_agent
from sackarmies_agents.conduct import Status
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_agents.line_pipe import LinePipe
from sackarmies_env.core.game import forfeit_code
from sackarmies_env.core.information import InformationSets
from sackarmies_training.matches import Seating, play_games
from tests.core.toy_game import make_duel
from tests.sack_armies.belief.test_twin_samples import twins
from tests.sack_armies.builders.twin_worlds import build, plain, wander

ROOT = Path(__file__).resolve().parents[2]
BOTS = ROOT / "tests" / "agents" / "line_bots.py"
LOWEST = "python:class=tests.agents.misbehaving:Lowest"
SHELL_BOT = f"line:command=sh {ROOT / 'examples' / 'line_bot.sh'}"


def bot(kind, seen=""):
    """Return the text form of a bot of `line_bots.py`."""
    return f"line:command={shlex.join([sys.executable, '-S', str(BOTS), kind, *filter(None, [str(seen)])])}"


def play(line_up, isolation=None, *, seeds=(0,)):
    game = make_duel()
    line_ups = [line_up] * len(seeds)
    with closing(Seating(line_ups, lambda text: make_player(text, GameInfo.of(game), isolation), 1)) as seating:
        return play_games(game, line_ups, seeds, seating)


def sent_to(file):
    """Return the messages that a bot has received and written to a file."""
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


def test_program_plays_as_the_agent_that_chooses_the_same():
    played = play([bot("well-behaved"), LOWEST], seeds=range(3))
    assert [one.actions for one in played] == [one.actions for one in play([LOWEST, LOWEST], seeds=range(3))]
    assert not any(one.forfeits for one in played)


def test_bot_in_another_language_plays_and_repeats_its_games():
    """Every system that can isolate agents has a shell."""
    first, again = (play([SHELL_BOT, SHELL_BOT], Isolation(time_limit=30.0), seeds=range(4)) for _ in range(2))
    assert first == again
    assert not any(one.forfeits for one in first)
    assert len({one.actions for one in first}) > 1


@pytest.mark.parametrize("options", ["command=./bot", "command=./bot,folder=.", "command=bots/bot,folder=.."])
def test_program_is_found_by_its_path_from_the_folder(tmp_path, monkeypatch, options):
    place = tmp_path / "bots" / "bot"
    place.parent.mkdir()
    shutil.copy(ROOT / "examples" / "line_bot.sh", place)
    place.chmod(0o755)
    monkeypatch.chdir(place.parent)
    (played,) = play([f"line:{options}", LOWEST])
    assert not played.forfeits


def test_program_in_the_folder_is_not_found_by_its_bare_name(tmp_path, monkeypatch):
    shutil.copy(ROOT / "examples" / "line_bot.sh", tmp_path / "bot")
    (tmp_path / "bot").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"there is no program 'bot' that can be run in '\.'"):
        make_agent("line:command=bot", GameInfo.of(make_duel()))


def test_messages_of_a_game_are_those_of_the_protocol(tmp_path):
    seen = tmp_path / "seen"
    (played,) = play([bot("well-behaved", seen), LOWEST], Isolation(time_limit=30.0, time_bank=60.0))
    info = GameInfo.of(make_duel())
    hello, new_game, *asked = sent_to(seen)
    assert hello["type"] == "hello"
    assert hello["protocol"] == 1
    assert hello["game"] == {"id": "duel", "num_players": 2, "num_actions": info.num_actions}
    assert hello["observation"]["size"] == info.observation_spec.size
    assert sum(block["rows"] * len(block["features"]) for block in hello["observation"]["blocks"]) == (
        info.observation_spec.size
    )
    assert set(new_game) == {"type", "seed"}
    assert len(asked) == (len(played.actions) + 1) // 2
    assert [one["decision"] for one in asked] == list(range(1, len(asked) + 1))
    assert "rules" in asked[0]
    assert not any("rules" in one for one in asked[1:])
    for one in asked:
        assert one["seat"] == 0
        assert len(one["observation"]) == info.observation_spec.size
        assert [choice["id"] for choice in one["choices"]] == one["legal"]
        assert all(choice["text"] for choice in one["choices"])
        assert one["question"]
        assert one["position"]
        assert one["time"] == {"time_limit": 30.0, "time_bank": 60.0}


FAULTS = [
    ("text", "wrote the line 'I attack!', which is not a JSON object", Status.INVALID),
    ("list", "wrote the line '[1, 2]', which is not a JSON object", Status.INVALID),
    ("wordy", "answered {'action': 'attack'}, but must give an integer \"action\"", Status.INVALID),
    ("illegal", "chose action 1000000, which is not legal", Status.INVALID),
    ("least", "chose action -9223372036854775808, which is not legal", Status.INVALID),
    ("late", "answered decision 1 when it was asked for decision 2", Status.INVALID),
    ("flood", "wrote a line of more than 65536 bytes", Status.INVALID),
    ("exit", "ended its process with exit code 3", Status.ERROR),
]


@pytest.mark.parametrize(("kind", "reason", "status"), FAULTS)
def test_fault_forfeits_the_game_with_one_sentence(kind, reason, status):
    (played,) = play([bot(kind), LOWEST])
    (forfeit,) = played.forfeits
    assert (forfeit.seat, forfeit.ply, forfeit.reason, forfeit.status) == (0, 2, reason, status)
    assert played.actions[2:] == (forfeit_code(0),)
    assert played.returns == (-1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["hang", "deaf"])
@pytest.mark.parametrize(
    ("isolation", "reason"),
    [
        (Isolation(time_limit=0.5), "took longer than 0.5 s a decision"),
        (
            Isolation(time_limit=0.3, time_bank=0.4),
            "took longer than 0.3 s a decision and its bank of 0.4 s a game",
        ),
        (Isolation(turn_limit=0.5), "took longer than 0.5 s a turn"),
    ],
)
def test_program_that_hangs_is_ended(kind, isolation, reason):
    played = play([bot(kind), LOWEST], isolation, seeds=(0, 1))
    for one in played:
        (forfeit,) = one.forfeits
        assert (forfeit.reason, forfeit.status) == (reason, Status.TIMEOUT)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processor time of other processes is available only on Linux")
def test_processor_time_is_limited_a_game_and_measured():
    limits = Isolation(time_limit=60.0, cpu_limit=1.0, start_limit=0.5)
    busy, well_behaved = play([bot("busy"), LOWEST], limits)[0], play([bot("well-behaved"), LOWEST], limits)[0]
    (forfeit,) = busy.forfeits
    assert (forfeit.reason, forfeit.status) == ("took more than 1 s of processor time a game", Status.TIMEOUT)
    assert busy.usage[0].cpu_seconds > 1.0
    assert busy.usage[0].decisions == 2
    assert not well_behaved.forfeits
    assert well_behaved.usage[0].cpu_seconds < 1.0


@pytest.mark.slow
def test_closing_stdout_takes_no_time_of_the_program():
    (played,) = play([bot("mute"), LOWEST], Isolation(time_limit=4.0))
    (forfeit,) = played.forfeits
    assert (forfeit.reason, forfeit.status) == ("closed its connection", Status.ERROR)
    assert played.usage[0].longest < 4.5  # the wait for its end takes 5 s


def test_program_ends_with_its_agent():
    agent = make_agent(bot("well-behaved"), GameInfo.of(make_duel()))
    pid = agent.pid
    os.kill(pid, 0)
    agent.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("line:command=./nothing", r"there is no program '\./nothing' that can be run in '\.'"),
        ("line:command=sh,folder=nowhere", r"there is no folder 'nowhere'"),
        ("line:command=sh 'a", r"command=sh 'a: No closing quotation; it is split into words as in a shell"),
        (bot("rude"), r'cannot play: it did not answer "hello" with \{"type": "ready"\}'),
        (f"line:command={sys.executable} -c 'raise SystemExit(4)'", r"it ended its process with exit code 4"),
    ],
)
def test_program_that_cannot_play_is_an_error(text, message):
    with pytest.raises(ValueError, match=message):
        make_agent(text, GameInfo.of(make_duel()))


def test_comma_of_a_value_is_written_with_a_backslash():
    assert parse_agent(r"line:command=./bot --level 3\,4,folder=a\,b").options == {
        "command": "./bot --level 3,4",
        "folder": "a,b",
    }


# --- hidden information


class Scripted:
    """Stand-in for a program, in this process, that keeps what it is sent."""

    pid = 2**22 + 1  # greater than any process id

    def __init__(self, *args):
        self.lines = []
        Scripted.last = self

    def send(self, line, deadline):
        self.lines.append(line)

    def receive(self, deadline):
        message = json.loads(self.lines[-1])
        return json.dumps({"type": "ready"} if message["type"] == "hello" else {"action": message["legal"][0]}).encode()

    def close(self):
        pass


@pytest.mark.parametrize(
    "name", ["open lists", *(pytest.param(name, marks=pytest.mark.slow) for name in ("standard", "battle"))]
)
def test_what_a_program_is_sent_is_the_same_in_twin_worlds(monkeypatch, name):
    """Compare every line, to the byte: words, observation, choices. Hidden tokens, rows and secret choices differ."""
    monkeypatch.setattr("sackarmies_agents.line_agent.LinePipe", Scripted)
    game = build(name)
    agents, programs = [], []
    for _ in range(5):
        agents.append(make_agent("line:command=bot", GameInfo.of(game)))
        programs.append(Scripted.last)
    for agent in agents:
        agent.reset(3)
    for ply, states in enumerate(wander(game, 21, 40)):
        player = int(plain(states)["current_player"])
        for agent, world in zip(agents, [states, *twins(game, states, player, ply)], strict=True):
            agent.act_informed(InformationSets.of(game, world, player))
    lines = programs[0].lines
    assert len(lines) > 30
    assert all(program.lines == lines for program in programs)
    told = [json.loads(line) for line in lines[2:]]
    assert len({one["position"] for one in told}) > 10
    assert any(one["news"] for one in told)
    assert any("note" in choice for one in told for choice in one["choices"])


def test_pipe_reads_lines_that_come_in_pieces(tmp_path):
    words = ["sh", "-c", "printf '{\"a\"'; sleep 0.1; printf ':1}\\nnext\\n'; sleep 60"]
    with closing(LinePipe(words, str(tmp_path), None, None)) as pipe:
        assert [pipe.receive(), pipe.receive()] == [b'{"a":1}', b"next"]
