"""A league's folder: versions, statuses, rounds, secrets, seasons, kills, refusals; its results are sampled."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from pathlib import Path

import pytest

from sackarmies_training.league import contest
from sackarmies_training.league.journal import JOURNAL, Journal
from sackarmies_training.league.report import LeagueReport
from sackarmies_training.league.submissions import keep
from sackarmies_training.seeds import commitment
from tests.second_game import registered
from tests.training import leagues
from tests.training.leagues import Simulation, lines_of, same_seeds

TRUE = {"low": -200.0, "middle": 0.0, "bold": 150.0, "shy": -50.0}


@pytest.fixture(autouse=True)
def duel():
    with registered():
        yield


@pytest.fixture
def simulation(tmp_path, monkeypatch):
    return Simulation(tmp_path / "league", monkeypatch, TRUE)


def status_of(simulation, label):
    return simulation.league.state().entries[label].status


def report_of(simulation):
    return LeagueReport(simulation.league)


# --- versions and statuses


def test_new_version_replaces_the_old_one_which_keeps_its_games(simulation):
    assert simulation.submit("bold") == "bold@1"
    simulation.play(40)
    games = {line.label: line.tally.games for line in report_of(simulation).present.lines}
    assert simulation.submit("bold") == "bold@2"
    simulation.play(40)
    after = {line.label: line.tally.games for line in report_of(simulation).present.lines}
    assert status_of(simulation, "bold@1") == "replaced"
    assert after["bold@1"] == games["bold@1"]
    assert after["bold@2"] >= 12  # its first units


def test_rounds_and_agents_are_counted_in_words_that_fit(simulation):
    assert "0 submissions and 2 anchors play; 0 rounds so far." in report_of(simulation).sentences()[0]
    simulation.submit("bold")
    simulation.play(12)
    assert "1 submission and 2 anchors play; 1 round so far." in report_of(simulation).sentences()[0]


def test_league_of_fewer_than_two_agents_is_not_played(simulation):
    for name, told in (("low", "1 active agent"), ("middle", "0 active agents")):
        simulation.league.change(name, "suspended", "")
        with pytest.raises(ValueError, match=f"a game needs two agents, but this league has {told}$"):
            simulation.play(4)


def test_withdrawn_and_suspended_agents_play_no_games(simulation):
    for name in ("bold", "shy"):
        simulation.submit(name)
    simulation.play(40)
    simulation.league.change("bold", "withdrawn", "moved on")
    simulation.league.change("shy", "suspended", "too slow")
    before = {line.label: line.units for line in report_of(simulation).present.lines}
    simulation.play(20)
    lines = {line.label: line for line in report_of(simulation).present.lines}
    assert lines["bold@1"].units == before["bold@1"]
    assert lines["shy@1"].units == before["shy@1"]
    assert lines["shy@1"].status == "suspended: too slow"
    simulation.league.change("shy", "resumed", "")
    simulation.play(20)
    assert {line.label: line.units for line in report_of(simulation).present.lines}["shy@1"] > before["shy@1"]


def test_withdrawing_in_an_open_round_leaves_out_its_units(simulation):
    simulation.submit("bold")
    simulation.stop_after = 3
    with pytest.raises(KeyboardInterrupt):
        simulation.play(20)
    simulation.league.change("bold", "withdrawn", "")
    simulation.stop_after = None
    simulation.play(20)
    closed = simulation.league.state().rounds[0].closed
    assert 3 <= closed.units < 10
    assert f"Round 1 is over: {closed.units} of 10 planned units were played." in simulation.told


def test_agent_that_fails_too_often_is_suspended_with_the_reason(simulation):
    simulation.submit("bold")
    simulation.submit("shy")
    simulation.failing = {"bold@1"}
    simulation.play(60)
    entry = simulation.league.state().entries["bold@1"]
    assert entry.status == "suspended"
    assert re.fullmatch(
        r"lost \d+ of its latest \d+ games by forfeit, most recently ERROR: it raised ValueError: no", entry.why
    )
    assert status_of(simulation, "shy@1") == "active"
    event = [one for one in simulation.league.state().events if one.event == "suspended"]
    assert [one.by for one in event] == ["league"]
    simulation.league.change("bold", "resumed", "repaired")
    simulation.failing = set()
    simulation.play(20)
    assert status_of(simulation, "bold@1") == "active"  # earlier forfeits do not count again


@pytest.mark.parametrize("wins", [False, True])
def test_game_lost_by_forfeit_counts_once_for_an_agent_with_two_seats(tmp_path, monkeypatch, wins):
    monkeypatch.setattr(leagues, "CONFIG", f"players = 4{leagues.CONFIG}")
    simulation = Simulation(tmp_path / "league", monkeypatch, TRUE)
    simulation.submit("bold")
    simulation.failing, simulation.wins = {"bold@1"}, wins
    simulation.play(20)
    line = next(line for line in report_of(simulation).present.lines if line.label == "bold@1")
    assert line.tally.games > 0
    assert line.forfeits == line.tally.losses == (0 if wins else line.tally.games)
    assert status_of(simulation, "bold@1") == ("active" if wins else "suspended")


def test_ratings_of_agents_that_never_met_the_zero_are_explained(simulation):
    simulation.submit("bold")
    simulation.submit("shy")
    simulation.league.change("middle", "suspended", "")
    simulation.play(20)
    report = report_of(simulation)
    assert all("middle" not in unit.line_up for unit in report.present.units)
    assert {line.label for line in report.present.lines if line.units} == {"low", "bold@1", "shy@1"}
    text = report.markdown()
    assert text.count("| order only |") == 3
    assert "points went one way only, or the two have not met, directly or through others: a prior of 800 Elo" in text


@pytest.mark.parametrize(
    ("name", "author", "message"),
    [
        ("../bold", "Ann", "name .* is not allowed"),
        ("", "Ann", "name .* is not allowed"),
        ("a" * 25, "Ann", "name .* is not allowed"),
        ("low", "Ann", "belongs to an anchor"),
        ("bold", "Bob", 'belongs to "Ann", not to "Bob"'),
        ("Bold", "Ann", "differs from .* only in capitalization"),
        ("shy", "  ", "author is empty"),
    ],
)
def test_wrong_names_and_authors_are_refused(simulation, name, author, message):
    simulation.submit("bold")
    with pytest.raises(ValueError, match=message):
        simulation.submit(name, author)
    assert len(simulation.league.state().entries) == 3


def test_same_files_are_no_new_version(simulation):
    simulation.submit("bold", text="greedy")
    with pytest.raises(ValueError, match="bold@1, which already plays"):
        simulation.submit("bold", text="greedy")


def test_submission_that_fails_its_trial_is_not_entered(simulation):
    simulation.faults = ["Game 1: ERROR"]
    assert simulation.submit("bold") is None
    assert len(simulation.league.state().entries) == 2


@pytest.mark.parametrize(
    ("author", "text", "message"),
    [
        ("Ann\nBob", None, r'^author: "Ann\\nBob" contains control characters, which are not allowed$'),
        ("Ann", "greedy:weights=a\nb", r'^agent: "greedy:weights=a\\nb" contains control characters, which are not'),
    ],
)
def test_texts_of_several_lines_are_refused_before_the_trial(simulation, monkeypatch, author, text, message):
    monkeypatch.setattr(contest, "try_agent", lambda *_: pytest.fail("it was tried"))
    with pytest.raises(ValueError, match=message):
        simulation.submit("bold", author, text)


def test_reason_of_several_lines_is_refused(simulation):
    with pytest.raises(ValueError, match=r'^why: "too\\nslow" contains control characters, which are not allowed$'):
        simulation.league.change("low", "suspended", "too\nslow")


@pytest.mark.parametrize(
    ("change", "name", "message"),
    [
        ("resumed", "bold", "is active, so it cannot be resumed: only suspended agents can"),
        ("withdrawn", "low", "is an anchor"),
        ("suspended", "bald", "there is no agent 'bald' in this league.*bold"),
    ],
)
def test_impossible_changes_are_refused(simulation, change, name, message):
    simulation.submit("bold")
    with pytest.raises(ValueError, match=message):
        simulation.league.change(name, change, "")


# --- files


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python:file=/etc/bot.py,class=Bold", "file=.* is outside"),
        ("python:file=../bot.py,class=Bold", "file=.* is outside"),
        ("search:models=tuned+/tmp/a.safetensors", "models=.* is outside"),
        ("search:models=tuned+../a.safetensors", "models=.* is outside"),
        ("python:class=bots:Bold", "name the file of the class"),
        ("line:command=./bot,log=/tmp/log", "log is not allowed"),
        ("line:command=./bot,folder=/tmp", "folder is not allowed"),
        ("grady", "unknown agent"),
    ],
)
def test_manifest_that_names_files_outside_is_refused(tmp_path, text, message):
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "submission.toml").write_text(f"agent = {json.dumps(text)}")
    with pytest.raises(ValueError, match=message):
        keep(str(folder), tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_links_in_a_submission_are_refused(tmp_path):
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "submission.toml").write_text('agent = "random"')
    (folder / "secret").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match="secret: this is a link"):
        keep(str(folder), tmp_path / "kept")


def test_files_that_a_text_names_are_copied(tmp_path, monkeypatch):
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "bold.py").write_text("x = 1")
    monkeypatch.chdir(tmp_path)
    manifest = keep("python:file=bots/bold.py,class=Bold", tmp_path / "kept")
    assert manifest.agent == "python:file=bold.py,class=Bold"
    assert (tmp_path / "kept" / "bold.py").read_text() == "x = 1"
    with pytest.raises(ValueError, match="a program is submitted as a folder"):
        keep("line:command=./bot", tmp_path / "other")


def test_joined_files_of_a_text_are_copied_and_other_values_stay(tmp_path, monkeypatch):
    (tmp_path / "nets").mkdir()
    for name in ("nets/a.safetensors", "nets/b.safetensors", "fast"):
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    text = "search:models=nets/a.safetensors+tuned+nets/b.safetensors,level=fast"
    manifest = keep(text, tmp_path / "kept")
    assert manifest.agent == "search:models=a.safetensors+tuned+b.safetensors,level=fast"
    kept = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert kept == ["a.safetensors", "b.safetensors", "submission.toml"]


def test_text_longer_than_a_name_of_a_file_is_kept(tmp_path, monkeypatch):
    (tmp_path / "bold.py").write_text("x = 1")
    monkeypatch.chdir(tmp_path)
    text = f"python:file=bold.py,class=Bold,prompt={'x' * 300}"
    assert keep(text, tmp_path / "kept").agent == text


def test_changed_submission_is_refused_until_it_is_suspended(simulation):
    simulation.submit("bold")
    path = simulation.folder / "submissions" / "bold" / "1" / "submission.toml"
    path.write_text('agent = "random"')
    with pytest.raises(ValueError, match=r"bold/1 does not hold what was submitted"):
        simulation.play(4)
    simulation.league.change("bold", "suspended", "")
    simulation.play(4)


@pytest.mark.parametrize("name", ["units.jsonl", "seed.json", "plan.json"])
def test_changed_results_are_refused(simulation, name):
    simulation.submit("bold")
    simulation.play(20)
    path = simulation.folder / "rounds" / "0001" / name
    text = path.read_text()
    if name == "units.jsonl":
        path.write_text("".join(text.splitlines(keepends=True)[1:]))
    elif name == "seed.json":
        path.write_text('{"seed": "1"}')
    else:
        path.write_text(text.replace('"number": 0', '"number": 7', 1))
    with pytest.raises(ValueError, match=r"rounds/0001"):
        report_of(simulation)


def test_damaged_journal_is_named_with_its_line(simulation):
    path = simulation.folder / JOURNAL
    path.write_text(path.read_text() + '{"event":"resumed"}\n')
    with pytest.raises(ValueError, match=r"events\.jsonl, line 3"):
        simulation.league.state()


def test_folder_without_a_league_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no league in"):
        contest.League(tmp_path).state()


def test_league_is_not_made_in_a_folder_that_holds_something(simulation, tmp_path):
    with pytest.raises(ValueError, match="is not empty"):
        contest.create(simulation.folder, tmp_path / "league.toml")


@pytest.mark.parametrize("failing", ["low", "middle", contest.CONFIG, contest.UNFINISHED])
def test_league_that_could_not_be_written_leaves_nothing(simulation, monkeypatch, failing):
    folder, config = simulation.folder.with_name("second"), simulation.folder / contest.CONFIG
    with monkeypatch.context() as patch:
        for name in ("write_safely", "working_copy"):
            patch.setattr(contest, name, failing_at(failing, getattr(contest, name)))
        with pytest.raises(OSError, match="No space left on device"):
            contest.create(folder, config)
    assert not folder.exists()
    assert contest.create(folder, config).state().entries.keys() == simulation.league.state().entries.keys()


def failing_at(name, function):
    """Return a function that finds the disk full at an argument whose last part is `name`."""

    def fail(*arguments):
        if any(Path(argument).name == name for argument in arguments if isinstance(argument, Path)):
            raise OSError(28, "No space left on device")
        return function(*arguments)

    return fail


@pytest.mark.parametrize("last", [0, 1, 2, 3])
def test_league_whose_making_was_killed_is_made_by_the_same_call(simulation, last):
    """The child ends without any cleaning up, at its `last`-th file."""
    folder, config = simulation.folder.with_name("second"), simulation.folder / contest.CONFIG
    child = os.fork()
    if child == 0:
        left = iter(range(last))
        for name in ("write_safely", "digest_of_folder"):
            setattr(contest, name, ending_after(left, getattr(contest, name)))
        with contextlib.suppress(BaseException):
            contest.create(folder, config)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert folder.exists()
    assert contest.create(folder, config).state().entries.keys() == simulation.league.state().entries.keys()
    assert not (folder / contest.UNFINISHED).exists()


def ending_after(left, function):
    """Return a function that ends the process when nothing is left."""

    def end(*arguments):
        if next(left, None) is None:
            os._exit(9)
        return function(*arguments)

    return end


@pytest.mark.parametrize("name", ["submissions", "league.toml"])
def test_files_of_others_in_the_folder_of_a_new_league_stay(simulation, name):
    folder = simulation.folder.with_name("second")
    (folder / name).mkdir(parents=True)
    with pytest.raises(ValueError, match="is not empty"):
        contest.create(folder, simulation.folder / contest.CONFIG)
    assert [path.name for path in folder.iterdir()] == [name]


def test_league_that_another_call_made_meanwhile_is_not_made_again(simulation, monkeypatch):
    folder, config = simulation.folder.with_name("second"), simulation.folder / contest.CONFIG
    folder.mkdir()
    (folder / contest.UNFINISHED).touch()  # the other call is under way
    lock = contest.locked

    @contextlib.contextmanager
    def late(path):
        with monkeypatch.context() as patch:
            patch.setattr(contest, "locked", lock)
            contest.create(folder, config)  # it ends before this call has the lock
        with lock(path):
            yield

    monkeypatch.setattr(contest, "locked", late)
    with pytest.raises(ValueError, match="is not empty"):
        contest.create(folder, config)
    assert contest.League(folder).state().entries.keys() == simulation.league.state().entries.keys()


# --- rounds, secrets, kills


def test_seed_is_secret_until_its_round_is_over(simulation):
    simulation.submit("bold")
    simulation.stop_after = 4
    with pytest.raises(KeyboardInterrupt):
        simulation.play(20)
    folder = simulation.folder / "rounds" / "0001"
    records = simulation.folder / "records" / "0001"
    seed = json.loads((folder / "seed.json").read_text())["seed"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, records, folder / "seed.json")] == [
        0o700,
        0o700,
        0o600,
    ]
    report = report_of(simulation)
    report.write(lambda pages: None)
    told = "".join(path.read_text() for path in simulation.folder.glob("*.*") if path.suffix != ".png")
    assert commitment(int(seed)) in told
    assert seed not in told
    assert report.present.units == []
    simulation.stop_after = None
    simulation.play(12)
    mode = stat.S_IMODE(simulation.folder.stat().st_mode)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, records)] == [mode, mode]
    assert seed in (simulation.folder / JOURNAL).read_text()


def missing_games(simulation):
    """Return how many games of the open round are missing; 0 if none is open."""
    one = simulation.league.state().open_round
    return 0 if one is None else 2 * (one.opened.units - lines_of(simulation.folder)[-1].count("\n"))


def test_interrupted_league_ends_with_the_same_results(tmp_path, monkeypatch):
    results = []
    for name, stops in (("whole", ()), ("broken", (3, 0, 9))):
        with same_seeds(monkeypatch):
            simulation = Simulation(tmp_path / name, monkeypatch, TRUE)
            simulation.submit("bold")
            simulation.submit("shy")
            for stop in stops:
                simulation.stop_after = stop
                with pytest.raises(KeyboardInterrupt):
                    simulation.play(60)
                for path in simulation.folder.glob("rounds/*/units.jsonl"):
                    if stat.S_IMODE(path.parent.stat().st_mode) == 0o700:
                        with path.open("a") as file:
                            file.write('{"players":2,"line')  # killed while writing
            simulation.stop_after = None
            while len(simulation.league.state().rounds) < 4 or simulation.league.state().open_round:
                simulation.play(missing_games(simulation) or 20)
            results.append(lines_of(simulation.folder)[:4])
    assert results[0] == results[1]
    assert [text.count("\n") for text in results[0]] == [10] * 4


def test_kill_between_plan_and_journal_leaves_no_round(simulation, monkeypatch):
    simulation.submit("bold")
    append, killed = Journal.append, []

    def kill(self, state, event):
        if event.event == "opened" and not killed:
            killed.append(event)
            raise KeyboardInterrupt
        append(self, state, event)

    monkeypatch.setattr(Journal, "append", kill)
    with pytest.raises(KeyboardInterrupt):
        simulation.play(20)
    assert (simulation.folder / "rounds" / "0001").exists()
    simulation.play(20)
    assert len(simulation.league.state().rounds) == 1


def test_event_that_was_being_written_is_left_out(simulation):
    simulation.submit("bold")
    path = simulation.folder / JOURNAL
    path.write_text(path.read_text() + '{"event":"subm')
    assert len(simulation.league.state().entries) == 3
    assert simulation.submit("shy") == "shy@1"
    assert len(simulation.league.state().entries) == 4


def test_event_that_was_cut_within_a_letter_is_left_out(simulation):
    simulation.submit("bold", "Zoë")
    path = simulation.folder / JOURNAL
    last = path.read_bytes().splitlines()[-1]
    path.write_bytes(path.read_bytes() + last[: last.index("ë".encode()) + 1])
    assert len(simulation.league.state().entries) == 3
    assert simulation.submit("shy") == "shy@1"
    assert [entry.submitted.author for entry in simulation.league.state().entries.values()] == ["", "", "Zoë", "Ann"]


def test_old_records_are_removed_and_results_stay(tmp_path, monkeypatch):
    simulation = Simulation(tmp_path / "league", monkeypatch, TRUE, more="[retention]\nrounds = 2")
    simulation.submit("bold")
    simulation.play(100)
    assert sorted(path.name for path in (simulation.folder / "records").iterdir()) == ["0004", "0005"]
    assert len(report_of(simulation).present.units) == 50


def test_an_open_round_takes_no_records_from_closed_ones(tmp_path, monkeypatch):
    simulation = Simulation(tmp_path / "league", monkeypatch, TRUE, more="[retention]\nrounds = 2")
    simulation.submit("bold")
    simulation.stop_after = 33
    for _ in range(2):  # the second one begins by finishing what the first one left
        with pytest.raises(KeyboardInterrupt):
            simulation.play(100)
        simulation.stop_after = 1
    assert sorted(path.name for path in (simulation.folder / "records").iterdir()) == ["0002", "0003", "0004"]


# --- seasons


def test_changed_code_begins_a_season(simulation, change_code, tmp_path):
    simulation.submit("bold")
    simulation.stop_after = 13
    with pytest.raises(KeyboardInterrupt):
        simulation.play(40)
    simulation.stop_after = None
    change_code(tmp_path)
    simulation.play(20)
    state = simulation.league.state()
    assert [season.why for season in state.seasons] == [
        "the league begins",
        "the code of rules and agents changed",
    ]
    assert simulation.told[1].startswith("Round 2 is over: 3 of 10")
    assert simulation.told[2].startswith("Season 2 begins, since the code of rules and agents changed")
    assert [len(season.units) for season in report_of(simulation).seasons] == [13, 10]
    assert "Games of different seasons are not compared" in report_of(simulation).markdown()


def test_other_anchors_are_refused(simulation):
    path = simulation.folder / "league.toml"
    path.write_text(path.read_text().replace('name = "low"\nagent = "random"', 'name = "low"\nagent = "greedy"'))
    with pytest.raises(ValueError, match="the anchors are frozen"):
        simulation.play(4)


# --- weeks


@pytest.mark.slow
def test_three_weeks_of_agents_that_come_and_go(tmp_path, monkeypatch):
    true = {"low": -250.0, "middle": 0.0, "a": 100.0, "b": -150.0, "c": 250.0, "c@2": 350.0, "bad": 0.0, "late": 180.0}
    simulation = Simulation(tmp_path / "league", monkeypatch, true, round_units=15)
    simulation.failing = {"bad@1"}
    coming = {0: ("a", "b"), 3: ("c",), 5: ("bad",), 10: ("c",), 14: ("late",)}
    with same_seeds(monkeypatch):  # with others, two of the six intervals would fail in 3% of leagues, as they should
        for day in range(21):
            for name in coming.get(day, ()):
                simulation.submit(name)
            if day == 8:
                simulation.league.change("b", "withdrawn", "its author moved on")
            simulation.play(30)
            simulation.clock.days(1)
    report = report_of(simulation)
    report.write(lambda pages: None)
    lines = {line.label: line for line in report.present.lines}
    assert {label: line.entry.status for label, line in lines.items()} == {
        "low": "active", "middle": "active", "a@1": "active", "b@1": "withdrawn", "c@1": "replaced",
        "c@2": "active", "bad@1": "suspended", "late@1": "active",
    }  # fmt: skip
    inside = [
        line.rating.low <= true.get(label, true.get(label.partition("@")[0])) <= line.rating.high
        for label, line in lines.items()
        if label not in {"bad@1", "middle"}
    ]
    assert sum(inside) >= len(inside) - 1
    assert lines["late@1"].units >= 6
    days = report.present.days
    assert len(days) == 21
    reach = [day.ratings["a@1"].rating.high - day.ratings["a@1"].rating.low for day in days]
    assert reach[20] < reach[5] < reach[0]
    rows = (simulation.folder / "history.csv").read_text().splitlines()
    assert rows[0] == "season,date,agent,elo,low,high,measured,units"
    assert sum(",a@1," in row for row in rows) == 21
    assert (simulation.folder / "history.png").stat().st_size > 10_000
    page = (simulation.folder / "league.html").read_text()
    for text in ("suspended: lost", "withdrawn: its author moved on", "Ratings by day", "<svg"):
        assert text in page
