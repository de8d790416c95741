"""Playing a ladder: duplicate games, results that survive interruptions, and refusals."""

import json
import os
import re
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_training.ladder import units
from sackarmies_training.ladder.config import LadderConfig
from sackarmies_training.ladder.contest import UNITS, Ladder, makers_of, run_jobs
from sackarmies_training.ladder.store import UnitStore, key_of
from sackarmies_training.ladder.thinking import Thinking, Watch, class_of, duration, total
from sackarmies_training.ladder.units import UnitEntry, make_job, make_unit, play_unit
from tests.second_game import registered
from tests.training.ladders import make_config, make_entry, results_of, write_edited


@pytest.fixture(autouse=True)
def duel():
    with registered(greedy="tests.second_game:HighestCard"):
        yield


def play(config, folder, units=None):
    ladder = Ladder(config, folder)
    missing = ladder.open()
    told = []
    ladder.play(missing[:units], told.append)
    return ladder, sum(told)


class Recorder(RandomAgent):
    """Agent that takes the first legal id, and keeps the observations that it was shown."""

    seen: list = []  # noqa: RUF012 - shared by all instances on purpose

    def __init__(self, info):
        super().__init__()

    def act_batch(self, observations, action_masks):
        Recorder.seen += [row.tobytes() for row in observations]
        return action_masks.argmax(axis=1)


def test_unit_is_the_same_deal_in_all_seatings(tmp_path):
    config = make_config(tmp_path, pools=((4, 1),))
    Recorder.seen.clear()
    same = "python:class=tests.training.test_ladder_contest:Recorder"
    entry = play_unit(make_job(config, make_unit(config, ("a", "b") * 2, 0), makers_of({"a": same, "b": same}))).entry
    assert len(entry.games) == 2
    assert entry.games[0] == entry.games[1]  # equal agents: nothing differs between the seatings
    shown = Counter(Recorder.seen[-sum(game.actions for game in entry.games) :])  # earlier ones are of the rehearsal
    assert len(shown) > 1
    assert all(times % 2 == 0 for times in shown.values())  # each in both games
    assert len(entry.played.outcomes) == 2
    assert entry.played.outcomes[0].agents == ("a", "b", "a", "b")
    assert entry.played.outcomes[1].agents == ("b", "a", "b", "a")
    assert entry.points("a") + entry.points("b") == 2


def test_agents_decide_once_in_a_process_before_their_thinking_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(units, "_rehearsed", set())
    Recorder.seen.clear()
    config, same = make_config(tmp_path), "python:class=tests.training.test_ladder_contest:Recorder"
    job = make_job(config, make_unit(config, ("a", "b"), 0), makers_of({"a": same, "b": same}))
    decisions = [sum(one.decisions for one in play_unit(job).entry.thinking.values()) for _ in range(2)]
    assert len(Recorder.seen) == sum(decisions) + 1  # both names stand for one agent


def test_unit_is_replayed_to_the_same_result(tmp_path):
    config = make_config(tmp_path)
    job = make_job(config, make_unit(config, ("high", "random"), 3), makers_of(config.agents))
    assert play_unit(job).entry.games == play_unit(job).entry.games


def test_luck_is_measured_where_the_game_allows_it(tmp_path):
    data = make_config(tmp_path).model_dump()
    data |= {"game": {"id": "sack_armies"}, "armies": ["empire", "undead"]}
    config, agents = LadderConfig.model_validate(data), {"one": "greedy", "two": "random"}
    toy = make_config(tmp_path)  # the toy game has neither flips nor an evaluation

    def luck(config, line_up, agents, *, measures_luck=True):
        job = make_job(config, make_unit(config, line_up, 0), makers_of(agents))
        return play_unit(replace(job, measures_luck=measures_luck)).entry.luck

    for line_up in (("one", "two"), ("one", "two") * 2):
        found = luck(config, line_up, agents)
        assert [len(seats) for seats in found] == [len(line_up)] * 2
        assert [sum(seats) for seats in found] == pytest.approx([0.0, 0.0])
        assert any(seats[0] for seats in found)
    assert luck(config, ("one", "two"), agents, measures_luck=False) == ()
    assert luck(toy, ("high", "random"), toy.agents) == ()


def test_ladder_measures_luck(tmp_path):
    data = make_config(tmp_path, pools=((2, 2),)).model_dump()
    config = LadderConfig.model_validate({**data, "game": {"id": "sack_armies"}, "armies": ["empire", "undead"]})
    ladder, _ = play(config, tmp_path)
    assert all(len(entry.luck) == 2 for entry in ladder.entries())


def test_interrupted_ladder_resumes_to_the_same_results(tmp_path):
    config = make_config(tmp_path, pools=((2, 4), (4, 3)))
    play(config, tmp_path / "whole")
    _, first = play(config, tmp_path / "broken", units=2)
    with (tmp_path / "broken" / UNITS).open("ab") as file:
        file.write(b'{"players":2,"line_up":["high"')  # killed while writing
    ladder, rest = play(config, tmp_path / "broken")
    assert first + rest == 14
    assert results_of(tmp_path / "broken" / UNITS) == results_of(tmp_path / "whole" / UNITS)
    assert ladder.open() == []
    assert len(ladder.entries()) == 7


def test_results_of_units_are_freed_once_they_are_saved(tmp_path):
    config = make_config(tmp_path)
    units = [make_unit(config, ("high", "random"), number) for number in range(6)]
    saved, alive = [], []

    def save(_, finished):
        saved.append(weakref.ref(finished))
        alive.append(sum(one() is not None for one in saved))

    with ThreadPoolExecutor(1) as pool:
        run_jobs(pool, [make_job(config, unit, makers_of(config.agents)) for unit in units], save)
    assert len(alive) == 6
    assert max(alive) <= 2  # the thread may still hold one


def test_added_rung_plays_only_what_is_missing(tmp_path):
    play(make_config(tmp_path), tmp_path / "l")
    before = (tmp_path / "l" / UNITS).read_bytes()
    config = make_config(tmp_path, {"random": "random", "high": "greedy", "new": "random"})
    _, games = play(config, tmp_path / "l")
    assert games == 2 * 2 * 6  # against two rungs, six units of two games
    assert (tmp_path / "l" / UNITS).read_bytes().startswith(before)
    assert set(json.loads((tmp_path / "l" / "ladder.json").read_text())["rungs"]) == {"random", "high", "new"}
    assert len(Ladder(make_config(tmp_path), tmp_path / "l").entries()) == 6  # the rung may be left out again


def test_more_units_and_another_pool_play_only_what_is_missing(tmp_path):
    play(make_config(tmp_path, pools=((2, 2),)), tmp_path / "l")
    _, games = play(make_config(tmp_path, pools=((2, 3), (4, 1))), tmp_path / "l")
    assert games == 2 + 2


def test_unit_of_a_rung_whose_file_was_edited_is_not_kept(tmp_path):
    rungs = {"random": "random", "same": "random", "own": write_edited(tmp_path)}
    ladder = Ladder(make_config(tmp_path, rungs, ((2, 2),)), tmp_path / "l")
    played = []

    def edit(games):
        played.append(games)
        write_edited(tmp_path, 1 if sum(played) >= 2 else 0)

    sentence = r'^"own": its file changed during the games, so unit 0 of "own", "random" was not kept; restore the file'
    with pytest.raises(ValueError, match=sentence):
        ladder.play(sorted(ladder.open(), key=lambda unit: "own" in unit.line_up), edit)
    assert sum(played) == 2 * 2  # units of other rungs are kept
    write_edited(tmp_path)
    assert len(ladder.open()) == 4


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seed": 2}, "holds another ladder: its seed is 1, here it is 2; choose another folder"),
        (
            {"game": {"id": "duel", "max_turns": 21}},
            "holds another ladder: its rules, armies or scenario for 2 players differ; ",
        ),
        (
            {"rungs": {"random": "random", "high": "random"}},
            "the rung 'high' is not the one that it was: its kind was greedy, here it is random; give it another name",
        ),
    ],
)
def test_folder_of_another_ladder_is_refused(tmp_path, changes, sentence):
    play(make_config(tmp_path), tmp_path / "l")
    with pytest.raises(ValueError, match=sentence):
        Ladder(make_config(tmp_path, **changes), tmp_path / "l").open()


def test_ladder_of_other_code_is_refused(tmp_path, change_code):
    Ladder(make_config(tmp_path), tmp_path / "l").open()
    change_code(tmp_path)
    with pytest.raises(ValueError, match="holds another ladder: its code is"):
        Ladder(make_config(tmp_path), tmp_path / "l").open()


def test_ladder_whose_luck_was_measured_otherwise_is_refused(tmp_path):
    Ladder(make_config(tmp_path), tmp_path / "l").open()
    path = tmp_path / "l" / "ladder.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "luck": "0" * 24}))
    with pytest.raises(ValueError, match="holds another ladder: its luck is"):
        Ladder(make_config(tmp_path), tmp_path / "l").open()


def test_results_without_the_file_that_names_their_code_are_refused(tmp_path):
    ladder, _ = play(make_config(tmp_path), tmp_path / "l")
    (tmp_path / "l" / "ladder.json").unlink()
    sentence = (
        r"l holds units\.jsonl but no ladder\.json, so the code that played it is unknown; restore ladder\.json, or"
    )
    with pytest.raises(ValueError, match=sentence):
        ladder.open()
    (tmp_path / "l" / UNITS).write_text("")
    assert len(ladder.open()) == 6


def test_damaged_line_is_named_with_what_to_do(tmp_path):
    ladder, _ = play(make_config(tmp_path), tmp_path / "l")
    path = tmp_path / "l" / UNITS
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], "{}\n", *lines[2:]]))
    with pytest.raises(ValueError, match=r"units.jsonl, line 2: .*remove this line, and its games are played again"):
        ladder.entries()
    path.write_text("".join([lines[0], *lines]))
    with pytest.raises(ValueError, match=r"line 2: unit 0 of \('high', 'random'\) already appears on line 1; remove"):
        ladder.entries()
    path.write_text("".join([lines[0], *lines[2:]]))
    assert [key_of(unit) for unit in ladder.open()] == [(("high", "random"), 1)]


GAME = {"returns": [1.0, -1.0], "turns": 1, "actions": 2, "truncated": False}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seed": 1}, r"was planned with seed \d+, but has 1; remove this line, and its games are played again"),
        ({"armies": ["empire"]}, r"was planned with armies \(\), but has \('empire',\)"),
        ({"players": 3}, "was planned with players 2, but has 3"),
        ({"games": []}, "was planned with number of games 2, but has 0"),
        ({"games": [GAME | {"returns": [0.0]}] * 2}, r"was planned with returns per game \[2\], but has \[1\]"),
        ({"luck": [[0.1, -0.1]]}, r"was planned with seats with luck in each game \[2, 2\], but has \[2\]"),
        ({"luck": [[0.1], [0.1]]}, r"was planned with seats with luck in each game \[2, 2\], but has \[1, 1\]"),
    ],
)
def test_unit_that_was_not_planned_is_told_from_the_planned_one(tmp_path, changes, sentence):
    ladder = played_with_a_change(tmp_path, changes)
    with pytest.raises(ValueError, match=r"units\.jsonl, line 2: unit 1 of \('high', 'random'\) " + sentence):
        ladder.entries()


def played_with_a_change(tmp_path, changes):
    """Return a finished ladder whose second unit has been changed."""
    ladder, _ = play(make_config(tmp_path), tmp_path / "l")
    path = tmp_path / "l" / UNITS
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], json.dumps({**json.loads(lines[1]), **changes}) + "\n", *lines[2:]]))
    return ladder


FORFEIT = {"seat": 2, "ply": 0, "reason": "r", "status": "ERROR"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"forfeits": [FORFEIT]}, "seat 2 forfeits, but there are returns for 2 seats"),
        ({"out": [3]}, "out has 1 value, but there are returns for 2 seats"),
        ({"out": [-2, 3]}, "games[1].out[0]: must be at least -1, not -2"),
        ({"usage": [None]}, "usage has 1 value, but there are returns for 2 seats"),
    ],
)
def test_game_with_seats_that_do_not_exist_is_named_with_its_line(tmp_path, change, sentence):
    ladder = played_with_a_change(tmp_path, {"games": [GAME, GAME | change]})
    with pytest.raises(ValueError, match=r"units\.jsonl, line 2.*remove this line, and its games") as told:
        ladder.entries()
    assert sentence in str(told.value)


def test_full_disk_leaves_whole_lines(tmp_path, monkeypatch):
    store = UnitStore(tmp_path / UNITS)
    first, second = (make_entry(("a", "b"), number, ("a", "a")) for number in range(2))
    store.append(first)
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match=re.escape(str(store.path))):
        store.append(second)
    monkeypatch.undo()
    store.append(second)
    assert store.path.read_text().count("\n") == 2
    assert set(store.read([first.unit, second.unit])) == {(("a", "b"), 0), (("a", "b"), 1)}


def test_line_that_is_being_written_is_left_out(tmp_path):
    store = UnitStore(tmp_path / UNITS)
    first, second = (make_entry(("a", "b"), number, ("a", "a")) for number in range(2))
    store.append(first)
    with store.path.open("a") as file:
        file.write(second.model_dump_json()[:40])
    assert set(store.read([first.unit, second.unit])) == {(("a", "b"), 0)}
    store.path.write_text("{")
    assert store.read([first.unit]) == {}


def test_line_that_was_cut_within_a_letter_is_left_out(tmp_path):
    store = UnitStore(tmp_path / UNITS)
    first, second = (make_entry(("a", "Zoë"), number, ("a", "a")) for number in range(2))
    store.append(first)
    line = second.model_dump_json().encode()
    with store.path.open("ab") as file:
        file.write(line[: line.index("ë".encode()) + 1])
    assert set(store.read([first.unit, second.unit])) == {(("a", "Zoë"), 0)}
    store.path.write_bytes(b"\xc3\n")
    with pytest.raises(ValueError, match=r"units\.jsonl: the file is not UTF-8 text \(byte 0\)"):
        store.read([first.unit])


class Thrower(RandomAgent):
    def __init__(self, info):
        super().__init__()

    def act_batch(self, observations, action_masks):
        raise ArithmeticError("too many cards")


def test_agent_that_fails_forfeits_and_the_reason_is_kept(tmp_path):
    bad = "python:class=tests.training.test_ladder_contest:Thrower"
    ladder, _ = play(make_config(tmp_path, {"bad": bad, "random": "random"}, ((2, 1),)), tmp_path / "l")
    games = ladder.entries()[0].games
    assert ["too many cards" in game.forfeits[0].reason for game in games] == [True, True]
    assert ladder.entries()[0].points("random") == 2


# --- time


def test_thinking_is_counted_for_each_rung(tmp_path):
    ladder, _ = play(make_config(tmp_path, pools=((2, 2),)), tmp_path / "l")
    for entry in ladder.entries():
        assert sum(one.decisions for one in entry.thinking.values()) == sum(game.actions for game in entry.games)
        assert all(sum(one.classes.values()) == one.decisions > 0 for one in entry.thinking.values())


def test_quantiles_of_durations_are_within_a_class():
    watch = Watch()
    for milliseconds in range(1, 101):
        watch.add("a", 1, milliseconds / 1000)
    watch.add("a", 100, 0.1)  # a hundred decisions of a millisecond each
    thinking = watch.thinking["a"]
    assert thinking.decisions == 200
    assert thinking.seconds == pytest.approx(5.15)
    assert thinking.rate == pytest.approx(200 / 5.15)
    assert thinking.quantile(0.5) == pytest.approx(0.001, rel=0.03)
    assert thinking.quantile(0.99) == pytest.approx(0.098, rel=0.03)
    both = total([thinking, thinking])
    assert (both.decisions, both.quantile(0.99)) == (400, thinking.quantile(0.99))


def test_durations_fall_into_their_class():
    for seconds in (1e-9, 1e-7, 3.3e-5, 0.02, 1.7):
        assert duration(class_of(seconds)) == pytest.approx(max(seconds, 1e-7), rel=0.03)
    assert Thinking().rate == 0.0
    assert Thinking().quantile(0.5) == 0.0


def test_unit_survives_its_file():
    entry = make_entry(("a", "b"), 0, ("a", None))
    assert UnitEntry.model_validate_json(entry.model_dump_json()) == entry
    assert entry.points("a") == 1.5
