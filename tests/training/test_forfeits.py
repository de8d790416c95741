"""Forfeits of misbehaving agents, in this process and in separate ones; all other games are still played."""

import errno
import json
import os
import socket
import subprocess
import sys
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from sackarmies_agents import GameInfo, conduct
from sackarmies_agents.conduct import HostError, Misconduct, guarded
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_env.core import record as records
from sackarmies_env.core.game import forfeit_code
from sackarmies_env.core.record import Forfeit
from sackarmies_env.envs.match import Match
from sackarmies_training import cli
from sackarmies_training.config import MatchSection
from sackarmies_training.evaluate import Plan, evaluate
from sackarmies_training.imitation import School
from sackarmies_training.matches import Seating, play_games
from sackarmies_training.stats.sprt import SprtPlan
from sackarmies_training.tournament import Tournament, batch_path
from tests.agents import misbehaving as misbehaving_agents
from tests.agents.misbehaving import Scarce
from tests.agents.simple import place
from tests.core.toy_game import make_duel
from tests.training.test_train import make_config

ISOLATION = Isolation(time_limit=20.0, memory_limit=500)
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="real-time signals have other numbers elsewhere")


def misbehaving(kind):
    return f"python:class=tests.agents.misbehaving:{kind}"


def play(line_ups, isolation=None, *, game=None):
    """Play one game for each line-up, each with a different seed."""
    game = game or make_duel(len(line_ups[0]))
    with closing(Seating(line_ups, lambda text: make_player(text, GameInfo.of(game), isolation), 1)) as seating:
        return play_games(game, line_ups, range(len(line_ups)), seating)


def seated(*kinds):
    """Return a line-up of misbehaving agents."""
    return [misbehaving(kind) for kind in kinds]


def reasons(played):
    return {forfeit.reason for one in played for forfeit in one.forfeits}


NO_IDEA = f"raised RuntimeError: no idea [31m {place(misbehaving_agents, 'raise RuntimeError')}"
TWO_FOURS = f"raised ValueError: two fours {place(misbehaving_agents, 'two fours')}"
MISCONDUCT = [
    ("Raises", NO_IDEA),
    ("Exits", f"raised SystemExit: enough {place(misbehaving_agents, 'sys.exit')}"),
    ("RaisesUnusual", f"raised tests.agents.misbehaving.Unusual {place(misbehaving_agents, 'raise Unusual')}"),
    ("Huge", "answered an integer of 71 bits, which is not legal"),
    ("Nothing", "answered None, not an integer"),
    ("Text", "answered 'x', not an integer"),
    ("NotANumber", "answered nan, not an integer"),
    ("Fraction", "answered 0.0, not an integer"),
    ("Scribbles", "modified the observation or the mask that it was given"),
    ("Illegal", "chose action 1, which is not legal"),
]


@pytest.mark.parametrize(("kind", "reason"), MISCONDUCT)
def test_misbehaving_agent_forfeits_its_game_with_the_reason(kind, reason):
    (played,) = play([seated(kind, "Lowest")])
    (forfeit,) = played.forfeits
    assert forfeit.seat == 0
    assert forfeit.reason == reason
    assert forfeit.ply == 2  # their second decision, after one each
    assert played.actions[2:] == (forfeit_code(0),)
    assert played.returns == (-1.0, 1.0)
    assert not played.truncated


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "reason"), MISCONDUCT)
def test_isolation_makes_no_difference(kind, reason):
    assert play([seated(kind, "Lowest")], ISOLATION) == play([seated(kind, "Lowest")])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "reason", "isolation"),
    [
        ("Leaves", "ended its process with exit code 3", Isolation()),
        ("Crashes", "was killed by SIGSEGV", Isolation()),
        ("RaisesCtrlC", f"raised KeyboardInterrupt {place(misbehaving_agents, 'raise Keyb')}", Isolation()),
        ("Dies", "was killed by SIGKILL", Isolation()),
        pytest.param("DiesUnnamed", "was killed by signal 40", Isolation(), marks=needs_linux),
        ("Hangs", "took longer than 1 s a decision", Isolation(time_limit=1.0)),
        ("Floods", "sent too many answers to earlier questions", Isolation(time_limit=1.0)),
        ("Leaks", "took more than 200 MiB of memory", Isolation(memory_limit=200)),
    ],
)
def test_agent_that_crashes_its_process_forfeits_this_game_only(kind, reason, isolation):
    played = play([seated(kind, "Lowest")] * 2, isolation)
    assert reasons(played) == {reason}
    assert [one.returns for one in played] == [(-1.0, 1.0)] * 2
    assert [one.actions[-1] for one in played] == [forfeit_code(0)] * 2


@pytest.mark.slow
def test_output_and_forks_of_agents_do_no_harm(capfd):
    assert play([seated("Chatters", "Lowest")], ISOLATION)[0].actions == play([seated("Lowest", "Lowest")])[0].actions
    assert capfd.readouterr().out == ""


def test_forked_copy_of_an_agent_does_not_continue_the_tournament(tmp_path):
    pid, path = os.getpid(), tmp_path / "who came back"
    child = guarded(os.fork)
    with path.open("a") as file:
        file.write(f"{os.getpid()}\n")
    if os.getpid() != pid:  # only if the code is wrong: one run of the tests is enough
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert path.read_text() == f"{pid}\n"


@pytest.mark.parametrize("is_raised", [False, True])
def test_working_directory_is_restored_after_a_call_to_an_agent(tmp_path, is_raised):
    before = Path.cwd()

    def move():
        os.chdir(tmp_path)
        if is_raised:
            raise RuntimeError

    with pytest.raises(Misconduct) if is_raised else nullcontext():
        guarded(move)
    assert Path.cwd() == before


@pytest.mark.slow
def test_first_decision_gets_the_start_limit_too():
    play([seated("Lowest", "Lowest")], Isolation())  # starts the server of processes, which takes a while
    (played,) = play([seated("HangsAtOnce", "Lowest")], Isolation(time_limit=0.2, start_limit=2.0))
    assert played.forfeits[0].reason == "took longer than 0.2 s a decision, with 2 s more to start"
    assert played.forfeits[0].ply == 0


@pytest.mark.slow
def test_many_decisions_at_once_have_many_times_the_limit():
    assert reasons(play([seated("SharedSlow", "Lowest")] * 8, Isolation(time_limit=1.0))) == set()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("SharedRaises", TWO_FOURS),
        ("SharedTooLong", "answered ndarray of shape (2,) and dtype int64, not integers of shape (1,)"),
        ("SharedFloats", "answered ndarray of shape (1,) and dtype float64, not integers of shape (1,)"),
        ("SharedIllegal", "chose action -1, which is not legal"),
    ],
)
def test_only_the_failing_games_of_a_batch_are_forfeited(kind, reason):
    played = play([seated(kind, "Lowest")] * 20)
    assert reasons(played) == {reason}
    assert 0 < sum(len(one.forfeits) for one in played) < 20
    for one in played:
        assert one.forfeits == tuple(guilty_plies(one, reason))


def guilty_plies(played, reason):
    """Yield the forfeit of General 0 at their first decision with two fours in hand, if there is one."""
    match = Match(make_duel())
    match.begin(played.seed)
    for ply, action in enumerate(played.actions):
        if match.player == 0 and match.observation[3] >= 2:
            (forfeit,) = played.forfeits
            assert action == forfeit_code(0)
            yield replace(forfeit, seat=0, ply=ply, reason=reason)
            return
        match.play(action)


@pytest.mark.slow
def test_new_process_plays_the_other_games_of_one_that_died():
    dies, lowest = misbehaving("DiesYoung"), misbehaving("Lowest")
    line_ups = [[dies, lowest], [lowest, dies]] * 4
    played = play(line_ups, Isolation())
    peaceful = play([[lowest, lowest]] * 8)
    assert [one.actions for one in played[::2]] == [one.actions for one in peaceful[::2]]
    for one, whole in zip(played[1::2], peaceful[1::2], strict=True):
        assert one.actions == (whole.actions[0], forfeit_code(1))
    assert reasons(played) == {"ended its process with exit code 7"}


def test_agent_that_cannot_be_reset_loses_its_games():
    played = play([seated("BadReset", "Lowest")] * 2)
    assert [one.actions for one in played] == [(forfeit_code(0),)] * 2
    assert reasons(played) == {f"in reset(): raised KeyError: 'seed' {place(misbehaving_agents, 'KeyError')}"}


@pytest.mark.parametrize(
    ("kind", "line"), [("RaisesLong", "RaisesLong(Late)"), ("BadLongReset", "BadLongReset(Lowest)")]
)
@pytest.mark.parametrize("isolation", [None, pytest.param(ISOLATION, marks=pytest.mark.slow)])
def test_reasons_are_short_enough_for_records_and_keep_the_place(kind, line, isolation):
    (played,) = play([seated(kind, "Lowest")], isolation)
    (forfeit,) = played.forfeits
    place_of_fault = place(misbehaving_agents, line, 2)
    assert Forfeit(ply=forfeit.ply, reason=forfeit.reason).reason.endswith(f"xxx... {place_of_fault}")


def test_other_two_play_on_after_a_forfeit():
    (played,) = play([seated("Lowest", "Raises", "Lowest")])
    (forfeit,) = played.forfeits
    assert forfeit.seat == 1
    assert len(played.actions) > forfeit.ply + 1
    assert played.returns[1] == -0.5
    assert sorted(played.returns) == [-0.5, -0.5, 1.0]


def test_result_of_a_truncated_game_counts():
    (played,) = play([seated("Raises", "Lowest", "Lowest")], game=make_duel(3, max_turns=2))
    assert played.truncated
    assert played.returns == (-0.5, 0.25, 0.25)


@pytest.mark.parametrize("isolation", [None, pytest.param(Isolation(time_limit=20.0), marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("BadStart", "class='tests.agents.misbehaving:BadStart': making the agent raised OSError: no weights"),
        ("Nobody", r"class='tests.agents.misbehaving:Nobody': not a subclass of sackarmies_agents.Agent; expected"),
    ],
)
def test_agent_that_cannot_be_made_stops_everything_with_a_sentence(kind, message, isolation):
    with pytest.raises(ValueError, match=message):
        play([seated(kind, "Lowest")], isolation)


@pytest.mark.slow
def test_agent_that_dies_while_it_is_made_is_reported():
    with pytest.raises(ValueError, match=r"DeadStart' cannot be made: it ended its process with exit code 4"):
        play([seated("DeadStart", "Lowest")], Isolation())


def test_module_that_cannot_be_imported_is_reported():
    with pytest.raises(ValueError, match=r"importing 'nowhere' raised ModuleNotFoundError: No module named 'nowhere'"):
        make_player("python:class=nowhere:Agent", GameInfo.of(make_duel()), None)


def test_misbehaving_teacher_is_an_error(tmp_path):
    imitation = {"teacher": misbehaving("Raises"), "decisions": 10, "games": 2}
    config = make_config(tmp_path, imitation=imitation)
    school = School(config, config.imitation, make_duel())
    with pytest.raises(ValueError, match=r"the teacher 'python:.*' cannot be imitated: it raised RuntimeError"):
        school.lesson()


# --- tournaments and evaluations

FIELD = [misbehaving("Raises"), misbehaving("SharedRaises"), misbehaving("Lowest")]


def make_tournament(folder, **changes):
    section = {"agents": FIELD, "seeds": 12, "batch": 6, "workers": 1, "seed": 1, **changes}
    return Tournament(make_duel(), MatchSection(**section), folder)


def run_to_the_end(tournament, monkeypatch, capsys):
    """Run a tournament as the command does, and return what it prints."""
    monkeypatch.setattr("sackarmies_training.terminal.console.width", 250)
    cli.run_tournament(tournament.game, tournament.section, tournament.folder, {})
    return capsys.readouterr().out


def test_tournament_continues_after_forfeits_and_records_the_reasons(tmp_path, monkeypatch, capsys):
    tournament = make_tournament(tmp_path)
    text = run_to_the_end(tournament, monkeypatch, capsys)
    standings = json.loads((tmp_path / "standings.json").read_text())
    lost = {line["agent"]: line["forfeits"] for line in standings["standings"]}
    counted = dict.fromkeys(lost, 0)
    assert len(tournament.batches()) == 6
    for batch in tournament.batches():
        for entry in json.loads(batch_path(tmp_path, batch).read_text())["games"]:
            record = records.load_record(tmp_path / entry["record"])
            records.replay(tournament.game, record)
            assert [(one.ply, one.reason) for one in record.forfeits] == [
                (one["ply"], one["reason"]) for one in entry["forfeits"]
            ]
            for one in entry["forfeits"]:
                assert record.texts[one["ply"]] == f"forfeit {one['seat']}"
                counted[entry["agents"][one["seat"]]] += 1
    assert lost == counted
    assert lost[misbehaving("Lowest")] == 0
    assert min(lost[name] for name in FIELD[:2]) > 0
    told = {(one["agent"], one["reason"]): one["games"] for one in standings["forfeits"]}
    assert told == {
        (FIELD[0], NO_IDEA): lost[FIELD[0]],
        (FIELD[1], TWO_FOURS): lost[FIELD[1]],
    }
    assert "Games lost by forfeit" in text
    assert "raised RuntimeError: no idea [31m" in text


UNMADE = (
    "cannot be made: class='tests.agents.misbehaving:Scarce': making the agent raised OSError: no license left "
    f"{place(misbehaving_agents, 'no license left')}"
)


def test_agent_that_can_no_longer_be_made_forfeits_in_a_tournament(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Scarce, "left", 2 + 3)  # two seats of the rehearsal, three games
    agents = [misbehaving("Scarce"), misbehaving("Lowest")]
    run_to_the_end(make_tournament(tmp_path, agents=agents), monkeypatch, capsys)
    standings = json.loads((tmp_path / "standings.json").read_text())
    assert [(one["agent"], one["games"]) for one in standings["forfeits"]] == [(agents[0], 24 - 3)]
    assert standings["forfeits"][0]["reason"] == UNMADE


@pytest.mark.parametrize("sprt", [None, SprtPlan()])
def test_agent_that_can_no_longer_be_made_forfeits_in_an_evaluation(monkeypatch, sprt):
    monkeypatch.setattr(Scarce, "left", 2 + 2)  # two seats of the rehearsal, two games
    plan = Plan(seeds=4, seed=1, workers=1, sprt=sprt)
    _, played = evaluate(make_duel(), misbehaving("Scarce"), misbehaving("Lowest"), plan, lambda games: None)
    assert len(played) == 8
    assert [reasons([one]) for one in played].count(set()) == 2
    assert reasons(played) == {UNMADE}


@pytest.mark.parametrize("sprt", [None, SprtPlan()])
def test_agent_that_cannot_be_made_stops_an_evaluation_before_any_game(monkeypatch, sprt):
    monkeypatch.setattr(Scarce, "left", 0)
    plan = Plan(seeds=4, seed=1, workers=1, sprt=sprt)
    with pytest.raises(ValueError, match="no license left"):
        evaluate(make_duel(), misbehaving("Scarce"), misbehaving("Lowest"), plan, pytest.fail)


SHELL_BOT = f"line:command=sh {Path(__file__).parents[2] / 'examples' / 'line_bot.sh'}"
SHORTAGE = r"no process can be started for an agent: Too many open files; .* play fewer games at once \(`batch`"


def run_short_of(monkeypatch, place, name, after):
    """Let a function raise the error of a process with too many open files once it has been called `after` times."""
    original, calls = getattr(place, name), []

    def scarce(*args, **kwargs):
        calls.append(name)
        if len(calls) > after:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return original(*args, **kwargs)

    monkeypatch.setattr(place, name, scarce)


def test_machine_short_of_resources_stops_a_tournament_without_forfeits(tmp_path, monkeypatch):
    tournament = make_tournament(tmp_path, agents=[SHELL_BOT, misbehaving("Lowest")])
    run_short_of(monkeypatch, subprocess, "Popen", after=2 + 3)  # two seats of the rehearsal, three games
    with pytest.raises(OSError, match=SHORTAGE):
        tournament.play(tournament.open(), lambda games: None)
    assert list(tmp_path.glob("batches/*")) == []


@pytest.mark.slow
def test_machine_short_of_resources_stops_an_isolated_evaluation(monkeypatch):
    run_short_of(monkeypatch, socket, "socketpair", after=4 + 3)  # four seats of the rehearsal
    plan = Plan(seeds=4, seed=1, isolation=Isolation())
    with pytest.raises(OSError, match=SHORTAGE):
        evaluate(make_duel(), misbehaving("Lowest"), "random", plan, lambda games: None)


@pytest.mark.parametrize("isolated", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_process_that_cannot_be_started_again_for_lack_of_resources_is_no_misconduct(monkeypatch, isolated):
    text, limits = (misbehaving("Lowest"), Isolation()) if isolated else (SHELL_BOT, Isolation(time_limit=60.0))
    with closing(make_player(text, GameInfo.of(make_duel()), limits)) as agent:
        agent.close()
        run_short_of(monkeypatch, *((socket, "socketpair") if isolated else (subprocess, "Popen")), after=0)
        with pytest.raises(HostError, match=SHORTAGE):
            conduct.reset(agent, 1)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_isolated_tournament_has_the_same_files(tmp_path, monkeypatch, capsys, workers):
    alone = make_tournament(tmp_path / "alone")
    isolated = make_tournament(tmp_path / "isolated", isolate=True, workers=workers)
    for tournament in (alone, isolated):
        run_to_the_end(tournament, monkeypatch, capsys)
    files = [
        {path.relative_to(one.folder): path.read_bytes() for path in one.folder.rglob("*.json")}
        for one in (alone, isolated)
    ]
    assert files[0] == files[1]


@pytest.mark.slow
def test_agent_that_ends_the_games_process_is_reported_and_isolation_continues(tmp_path):
    agents = [misbehaving("LeavesChild"), misbehaving("Lowest")]
    tournament = make_tournament(tmp_path, agents=agents, workers=2)
    with pytest.raises(ValueError, match=r"a process that played games has died: if an agent ends it, run agents in"):
        tournament.play(tournament.open(), lambda games: None)
    isolated = make_tournament(tmp_path, agents=agents, workers=2, isolate=True)
    isolated.play(isolated.open(), lambda games: None)
    lost = [reason for outcome in isolated.outcomes() for reason in outcome.forfeits.values()]
    assert set(lost) == {"ended its process with exit code 3"}


def test_time_limit_is_part_of_a_tournaments_identity(tmp_path):
    make_tournament(tmp_path, isolate=True, time_limit=5.0).open()
    with pytest.raises(ValueError, match=r"its time_limit is 5\.0, here it is 6\.0"):
        make_tournament(tmp_path, isolate=True, time_limit=6.0).open()
    make_tournament(tmp_path, isolate=True, time_limit=5.0, workers=2, start_limit=1.0).open()


@pytest.mark.parametrize("key", ["time_limit", "start_limit", "memory_limit"])
def test_limit_without_isolation_is_refused(key):
    with pytest.raises(ValueError, match=f"{key} needs isolate = true: an agent that runs in the same"):
        MatchSection(agents=["random", "greedy"], **{key: 5})


@pytest.mark.parametrize("isolation", [None, pytest.param(Isolation(), marks=pytest.mark.slow)])
def test_evaluation_counts_forfeits_as_losses(isolation):
    agent = misbehaving("BadReset")
    tally, played = evaluate(
        make_duel(), agent, misbehaving("Lowest"), Plan(3, seed=1, isolation=isolation), lambda games: None
    )
    seats = [one.agents.index(agent) for one in played]
    assert sorted(seats) == [0, 0, 0, 1, 1, 1]
    assert [one.returns[seat] for one, seat in zip(played, seats, strict=True)] == [-1.0] * 6
    assert [[forfeit.seat for forfeit in one.forfeits] for one in played] == [[seat] for seat in seats]
    assert (tally.losses, tally.games) == (6, 6)
