"""Placing a newcomer: where it ends up, which games are played for it, and how certain the answer claims to be."""

import pytest

from sackarmies_training.ladder.contest import UNITS
from sackarmies_training.ladder.place import AHEAD, Comparison, Newcomer, placing_sentences, search
from sackarmies_training.ladder.store import UnitStore
from sackarmies_training.stats.estimate import Estimate
from sackarmies_training.stats.sprt import SprtPlan, Verdict
from tests.second_game import registered
from tests.training.ladders import make_config, results_of, write_edited

RUNGS = ["r0", "r1", "r2", "r3", "r4", "r5", "r6"]
LOWEST = "python:class=tests.agents.misbehaving:Lowest"
PLAN = SprtPlan(elo0=-100, elo1=100, max_games=60)


@pytest.fixture(autouse=True)
def duel():
    with registered(greedy="tests.second_game:HighestCard"):
        yield


def verdict_of(strength, undecided=()):
    """Return a comparison that knows the newcomer's place: above the rungs with numbers below `strength`."""

    def compare(rung):
        number = int(rung[1:])
        verdict = Verdict.STRONGER if number < strength else Verdict.WEAKER
        verdict = Verdict.UNDECIDED if rung in undecided else verdict
        return Comparison(rung, verdict, (1, 2, 3, 4, 5), 0.5, Estimate(0.5, 0.4, 0.6, 15, 30, 30, is_resampled=True))

    return compare


@pytest.mark.parametrize("strength", range(8))
def test_binary_search_finds_each_place_in_three_tests(strength):
    placing = search(RUNGS, verdict_of(strength))
    assert placing.above == (RUNGS[strength - 1] if strength else None)
    assert placing.below == (RUNGS[strength] if strength < 7 else None)
    assert len(placing.comparisons) == 3
    assert placing.undecided is None


def test_test_without_an_answer_ends_the_search_and_says_so():
    placing = search(RUNGS, verdict_of(5, {"r5"}))
    assert (placing.above, placing.below) == ("r3", None)
    assert placing.undecided.rung == "r5"
    text = " ".join(placing_sentences("new", placing, PLAN))
    assert (
        "Undecided: 60 games, the budget of a test, do not say whether new is stronger than r5; it stands above r3"
        in text
    )
    assert "Neither stronger nor weaker than r5, as far as 30 games say: 50.0% (40.0% to 60.0%)" in text


def test_placing_reports_games_and_error_rate():
    lines = placing_sentences("new", search(RUNGS, verdict_of(4)), PLAN)
    assert len(lines) == 4
    assert "Stronger than r3 (nominal error rate 5%): 50.0% (40.0% to 60.0%) of the points, -70 to +70 Elo" in lines[0]
    assert "in 15 units of 2 games; units with 0, 1/2, 1, 3/2, 2 points: 1, 2, 3, 4, 5" in lines[0]
    assert "Place of new: above r3 and below r4. It rests on 3 tests and 90 games." in lines[-1]
    assert "the nominal error rate of the place is 15%" in lines[-1]


def place(config, folder, agent="random", units=None):
    newcomer = Newcomer(config, agent, folder)
    newcomer.open()
    played = []
    if units is not None:  # what a kill left
        newcomer.store.path.write_bytes(b"".join(units))
        newcomer.open()
    placing = newcomer.place(list(config.agents), PLAN, played.append)
    return newcomer, placing, sum(played)


def test_newcomer_like_the_lowest_rung_is_placed_below_the_highest(tmp_path):
    config = make_config(tmp_path, {"low": LOWEST, "high": "greedy"})
    _, placing, games = place(config, tmp_path / "l", LOWEST)
    assert placing.comparisons[0].rung == "high"
    assert placing.below == "high"
    assert all(sum(one.counts) == one.score.units == one.score.games // 2 for one in placing.comparisons)
    beyond = 2 * 3 * len(placing.comparisons)  # at most three units of a part were no longer needed
    assert 0 <= games - sum(one.score.games for one in placing.comparisons) <= beyond


def test_interrupted_placing_resumes_to_the_same_answer(tmp_path):
    config = make_config(tmp_path)
    newcomer, whole, games = place(config, tmp_path / "whole")
    lines = newcomer.store.path.read_bytes().splitlines(keepends=True)
    assert len(lines) > 5
    again, resumed, rest = place(config, tmp_path / "broken", units=[*lines[:5], lines[5][:20]])
    assert resumed == whole
    assert rest == games - 10
    assert results_of(again.store.path) == results_of(newcomer.store.path)
    assert place(config, tmp_path / "whole")[2] == 0  # nothing is left to play


def test_file_of_units_is_read_once_however_many_rounds_are_played(tmp_path, monkeypatch):
    read, paths = UnitStore.read, []

    def counted(store, planned):
        paths.append(store.path)
        return read(store, planned)

    monkeypatch.setattr(UnitStore, "read", counted)
    newcomer, _, games = place(make_config(tmp_path), tmp_path / "l")
    assert games > 2 * AHEAD  # more than one round
    assert paths == [newcomer.store.path]


def test_units_that_ended_out_of_order_count_in_their_order(tmp_path):
    config = make_config(tmp_path)
    newcomer, whole, _ = place(config, tmp_path / "l")
    lines = newcomer.store.path.read_bytes().splitlines(keepends=True)
    newcomer.store.path.write_bytes(b"".join(reversed(lines)))
    assert place(config, tmp_path / "l")[1] == whole


@pytest.mark.parametrize("is_rung", [False, True])
def test_unit_of_a_placing_is_not_kept_if_a_file_was_edited(tmp_path, is_rung):
    own = write_edited(tmp_path)
    config = make_config(tmp_path, {"low": "random", "high": own if is_rung else "greedy"})
    newcomer = Newcomer(config, "random" if is_rung else own, tmp_path)
    newcomer.open()
    name = "high" if is_rung else "newcomer"
    sentence = f'^"{name}": its file changed during the games, so unit 1 of "high", "newcomer" was not kept; restore'
    with pytest.raises(ValueError, match=sentence):
        newcomer.place(["high"], PLAN, lambda games: write_edited(tmp_path, 1))
    assert len(results_of(newcomer.store.path)) == 1


def test_budget_of_an_undecided_test_is_told_in_whole_units():
    odd = SprtPlan(elo0=-100, elo1=100, max_games=61)
    text = placing_sentences("new", search(RUNGS, verdict_of(5, {"r5"})), odd)[-1]
    assert text.startswith("Undecided: 60 games, the budget of a test")


def test_newcomers_are_kept_apart_by_what_they_are(tmp_path):
    config = make_config(tmp_path)
    one, other = (Newcomer(config, agent, tmp_path) for agent in ("random", "greedy"))
    assert one.folder != other.folder
    assert one.store.path == one.folder / UNITS


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"pools": ((4, 2),)}, "a newcomer needs games of two players, but this ladder has no pool for them"),
        ({"rungs": {"newcomer": "random", "high": "greedy"}}, "a rung is called 'newcomer'"),
    ],
)
def test_ladder_that_can_place_nobody_is_refused(tmp_path, changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        Newcomer(make_config(tmp_path, **changes), "random", tmp_path)


def test_changed_rung_is_refused_when_a_placing_resumes(tmp_path):
    place(make_config(tmp_path), tmp_path / "l")
    changed = Newcomer(make_config(tmp_path, {"random": "random", "high": "random"}), "random", tmp_path / "l")
    with pytest.raises(
        ValueError, match="the rung 'high' is not the one that it was: its kind was greedy, here it is random; give it"
    ):
        changed.open()


def test_placing_without_the_file_that_names_its_code_is_refused(tmp_path):
    newcomer, _, _ = place(make_config(tmp_path), tmp_path / "l")
    (newcomer.folder / "ladder.json").unlink()
    with pytest.raises(
        ValueError, match=r"holds units\.jsonl but no ladder\.json, so the code that played it is unknown"
    ):
        newcomer.open()
