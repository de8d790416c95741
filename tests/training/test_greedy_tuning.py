"""The search for weights of the greedy General, and the comparison of two sets."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sackarmies_agents.scripted.sack_armies.weights import MOST_DECAY, load_weights
from sackarmies_agents.scripted.weight_sets import LARGEST
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_training.cli import app
from sackarmies_training.identity import agent_identity
from sackarmies_training.sack_armies import greedy_tuning
from sackarmies_training.sack_armies.greedy_comparison import Line, compare_alone, compare_by_army
from sackarmies_training.sack_armies.greedy_matches import DRAWN, Match, Tables, both_seatings, each_seat_alone
from sackarmies_training.sack_armies.greedy_tuning import GAMES, RESULT, STATE, Search, scaled, tune, weights_toml

FIRST = load_weights("first")
compiled_only = pytest.mark.skipif(INTERPRETED, reason="takes minutes without the compiler")


def taste(weights):
    """Return how strong weights are in a world where `take` should be 7, `draw` 20, and nothing else counts."""
    return -(abs(np.log(weights.take / 7.0)) + abs(np.log(weights.draw / 20.0)))


@pytest.fixture
def tasted(monkeypatch):
    """Compare weights by `taste` with some noise instead of by games."""

    def compare(one, other, start, tables, rng):
        return 0.5 * (taste(one) - taste(other)) + rng.normal(0.0, 0.1)

    monkeypatch.setattr(greedy_tuning, "compare", compare)


def searched(folder, *, steps, seed=1, total=200):
    """Begin or resume a search in a folder, make some steps, and save it."""
    search = Search.resumed(folder, FIRST, seed, total * GAMES)
    for _ in range(steps):
        search.step(None)
    search.save(folder)
    return search


def test_search_finds_what_is_better(tasted, tmp_path):
    search = Search.begin(FIRST, 1, 800)
    tune(search, tmp_path, 1, lambda games: None)
    found = load_weights(tmp_path / RESULT)
    assert abs(np.log(found.take / 7.0)) < 0.25
    assert abs(np.log(found.draw / 20.0)) < 0.25


def test_interrupted_search_resumes_where_it_was(tasted, tmp_path):
    whole = searched(tmp_path / "whole", steps=200)
    for steps in (90, 60, 50):
        parts = searched(tmp_path / "parts", steps=steps)
    assert np.array_equal(parts.path, whole.path)
    assert parts.done == whole.done == 200
    assert parts.result() == whole.result()


def test_folder_of_an_interrupted_search_holds_the_weights_that_it_would_give(tasted, tmp_path):
    def interrupt(games):
        steps.append(games)
        if len(steps) == 61:
            raise KeyboardInterrupt

    steps = []
    with pytest.raises(KeyboardInterrupt):
        tune(Search.begin(FIRST, 1, 100), tmp_path, 1, interrupt)
    saved = Search.resumed(tmp_path, FIRST, 1, 100 * GAMES)
    assert saved.done == 60
    assert (tmp_path / RESULT).read_text(encoding="utf-8") == weights_toml(saved.result().model_dump())
    assert saved.result() == scaled(FIRST, np.mean(saved.path[51:], axis=0))


def test_search_removes_what_a_killed_one_was_writing(tasted, tmp_path):
    (tmp_path / ".state.json.999999999.tmp").touch()
    result = CliRunner().invoke(app, ["greedy", "tune", "--games", str(GAMES), "--folder", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert {path.name for path in tmp_path.iterdir()} == {".lock", STATE, RESULT}


def test_search_that_goes_on_for_more_games_finds_what_a_longer_one_finds(tasted, tmp_path):
    whole = searched(tmp_path / "whole", steps=200)
    shorter = searched(tmp_path / "parts", steps=100, total=100)
    longer = searched(tmp_path / "parts", steps=100)
    assert longer.result() == whole.result() != shorter.result()
    assert np.array_equal(longer.path, whole.path)


def test_result_is_the_mean_over_the_second_half_of_the_steps(tasted, tmp_path):
    search = searched(tmp_path, steps=7, total=7)
    assert search.result() == scaled(FIRST, np.mean(search.path[4:], axis=0))
    assert len(search.path) == 8


def test_search_of_fewer_games_than_have_been_played_is_refused(tasted, tmp_path):
    searched(tmp_path, steps=100, total=100)
    sentence = r"state\.json: this search played 9,600 games, more than the 4,800 asked for: ask for at least as many"
    with pytest.raises(ValueError, match=sentence):
        searched(tmp_path, steps=0, total=50)


def test_state_without_the_gains_of_steps_is_refused(tmp_path):
    zeros = dict.fromkeys(FIRST.model_dump(), 0.0)
    old = {"seed": 1, "start": FIRST.model_dump(), "steps": 2, "now": zeros, "total": zeros, "counted": 1}
    (tmp_path / STATE).write_text(json.dumps(old))
    with pytest.raises(ValueError, match=r"state\.json: an earlier version saved this search without its gains"):
        Search.resumed(tmp_path, FIRST, 1, 100 * GAMES)


def test_folder_of_another_search_is_refused(tasted, tmp_path):
    searched(tmp_path, steps=1)
    with pytest.raises(ValueError, match=r"state\.json: this search has another seed or began with other weights"):
        searched(tmp_path, steps=1, seed=2)


def test_result_is_a_file_of_weights(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(weights_toml(FIRST.model_dump()), encoding="utf-8")
    assert load_weights(path) == FIRST


def test_factors_keep_signs_and_nearness_fades():
    most = scaled(FIRST, np.full(len(FIRST.model_dump()), 2.0))
    assert most.site_far < 0.0 < most.site_close
    assert most.decay == MOST_DECAY
    assert most.take == pytest.approx(14.0 * np.exp(2.0))


def test_factors_keep_weights_within_what_files_may_hold(tmp_path):
    start = FIRST.model_copy(update={"win": 9999.0, "site_far": -9999.0})
    path = tmp_path / "mine.toml"
    path.write_text(weights_toml(scaled(start, np.full(len(start.model_dump()), 0.2)).model_dump()), encoding="utf-8")
    found = load_weights(path)
    assert (found.win, found.site_far, found.decay) == (LARGEST, -LARGEST, pytest.approx(0.75 * np.exp(0.2), abs=1e-4))


# --- matches


def test_every_seating_is_played():
    assert both_seatings(3) == ((0, 1, 0), (1, 0, 1))
    assert each_seat_alone(3) == ((0, 1, 1), (1, 0, 1), (1, 1, 0))


@compiled_only
def test_equal_matches_end_alike_on_any_number_of_threads():
    weak = scaled(FIRST, np.full(len(FIRST.model_dump()), -1.0))
    matches = [Match(("empire", "undead"), seed, both_seatings(2)) for seed in range(4)]
    played = Tables(1).play((FIRST, weak), matches)
    assert [len(winners) for winners in played] == [2] * 4
    assert Tables(2).play((FIRST, weak), matches) == played
    tables = Tables(1)
    tables.play((weak, FIRST), matches)
    assert tables.play((FIRST, weak), matches) == played


@compiled_only
def test_used_table_plays_as_a_new_one_if_weights_are_negative():
    """Regression: whether bounds hold was known only of the weights that a board was made with."""
    odd = load_weights("tuned").model_copy(update={"danger": -0.5})
    matches = [Match(("empire", "undead"), seed, both_seatings(2)) for seed in range(12)]
    used = Tables(1)
    used.play((FIRST, odd), matches[:1])
    assert used.play((odd, FIRST), matches) == Tables(1).play((odd, FIRST), matches)


@compiled_only
def test_winner_is_the_side_that_plays_better():
    idle = FIRST.model_copy(update={"take": 0.0, "take_more": 0.0, "win": 0.0, "draw": 0.0, "deploy": -50.0})
    matches = [Match(("empire", "undead"), seed, both_seatings(2)) for seed in range(5)]
    winners = [winner for found in Tables(1).play((idle, FIRST), matches) for winner in found]
    assert winners.count(1) > 8


# --- comparison


def test_interval_is_that_of_wilson():
    assert [Line("all", 7, 14, score, 0.5).interval[place] for place, score in ((0, 0.0), (1, 1.0))] == [0.0, 1.0]
    low, high = Line("all", 100, 200, 0.6, 0.5).interval
    assert (low, high) == (pytest.approx(0.5020, abs=1e-4), pytest.approx(0.6906, abs=1e-4))


class Decided:
    """Tables at which the given shares of games are won by sides 0 and 1; the other games are drawn."""

    def __init__(self, won, lost):
        self.won, self.lost = won, lost

    def play(self, sides, matches):
        games = sum(len(match.seatings) for match in matches)
        won, lost = round(games * self.won), round(games * self.lost)
        winners = iter([0] * won + [1] * lost + [DRAWN] * (games - won - lost))
        return [[next(winners) for _ in match.seatings] for match in matches]


def alone(tables):
    return compare_alone((FIRST, FIRST), 3, 26, 1, tables, lambda games: None)


def test_sides_that_always_draw_are_called_even():
    lines = alone(Decided(won=0.0, lost=0.0))
    assert [(line.score, line.even, line.is_weaker) for line in lines] == [(0.0, 0.0, False)] * 2


def test_draws_of_several_generals_are_no_sign_of_weakness():
    lines = alone(Decided(won=1 / 6, lost=1 / 3))
    assert [(line.score, line.even) for line in lines] == [(pytest.approx(1 / 6), pytest.approx(1 / 6))] * 2
    assert not any(line.is_weaker for line in lines)
    assert all(line.is_weaker for line in alone(Decided(won=0.0, lost=1.0)))


@compiled_only
@pytest.mark.slow
def test_each_army_plays_as_often_in_each_seat():
    told = []
    lines = compare_by_army(FIRST, FIRST, 1, 1, Tables(1), told.append)
    assert sum(told) == lines[0].games == 2 * 13 * 13
    assert [line.games for line in lines[1:]] == [26] * 13
    assert all(line.interval[0] <= line.score <= line.interval[1] for line in lines)


def test_identity_of_an_agent_tells_its_weights(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(weights_toml(FIRST.model_dump()), encoding="utf-8")
    before = agent_identity(f"greedy:weights={path}")
    path.write_text(weights_toml(FIRST.model_dump() | {"take": 1.0}), encoding="utf-8")
    assert agent_identity(f"greedy:weights={path}") != before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "frist"], "unknown weights 'frist' (did you mean \"first\"?)"),
        (["compare", "first", "nowhere.toml"], "nowhere.toml: there is no such file"),
        (["tune", "--start", "frist"], "unknown weights 'frist'"),
    ],
)
def test_command_refuses_unknown_weights_in_a_sentence(words, message):
    result = CliRunner().invoke(app, ["greedy", *words])
    assert result.exit_code == 2
    assert message in result.output.replace("│ ", "").replace(" │", "")
