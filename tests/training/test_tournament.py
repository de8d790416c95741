import json
import re

import pytest

from sackarmies_env.core.notation import load_record, replay
from sackarmies_training.config import MatchSection
from sackarmies_training.tournament import Tournament, batch_path, line_ups, play_batch, schedule, seatings
from tests.core.toy_game import make_duel


def make_section(**changes):
    return MatchSection(**{"agents": ["random", "trained"], "seeds": 5, "batch": 2, "workers": 1, "seed": 1, **changes})


def make_tournament(folder, **changes):
    return Tournament(make_duel(), make_section(**changes), folder, {"trained": "random"})


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.json")}


def test_two_agents_meet_once_and_three_in_all_pairs():
    assert line_ups(["a", "b"], 2) == [("a", "b")]
    assert line_ups(["a", "b", "c"], 2) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_few_agents_fill_a_large_table_in_all_mixtures():
    assert line_ups(["a", "b"], 3) == [("a", "a", "b"), ("a", "b", "b")]


def test_all_seatings_of_a_line_up_are_its_rotations():
    assert seatings(("a", "b")) == [("a", "b"), ("b", "a")]
    assert seatings(("a", "a", "b")) == [("a", "a", "b"), ("a", "b", "a"), ("b", "a", "a")]


def test_each_seed_is_played_in_both_seatings_and_by_all_pairs():
    section = make_section(agents=["random", "trained", "greedy"], seeds=3)
    games = [game for batch in schedule(section, 2, 1) for game in zip(batch.line_ups, batch.seeds, strict=True)]
    seeds = [seed for line_up, seed in games if line_up == ("random", "trained")]
    assert len(set(seeds)) == 3
    assert [seed for line_up, seed in games if line_up == ("trained", "random")] == seeds
    assert [seed for line_up, seed in games if line_up == ("trained", "greedy")] == seeds
    assert len(games) == 18


def test_stopped_tournament_goes_on_to_the_same_result_as_an_unbroken_one(tmp_path):
    whole, broken = make_tournament(tmp_path / "whole"), make_tournament(tmp_path / "broken")
    whole.play(whole.open(), lambda games: None)
    play_batch(broken, broken.open()[1])
    (tmp_path / "broken" / "records" / "0000-000.json").write_text("{")  # killed while writing
    again = make_tournament(tmp_path / "broken")
    missing = again.open()
    assert [batch.number for batch in missing] == [0, 2]
    again.play(missing, lambda games: None)
    assert again.outcomes() == whole.outcomes()
    assert files_of(tmp_path / "broken") == files_of(tmp_path / "whole")


def test_damaged_results_are_played_again(tmp_path):
    tournament = make_tournament(tmp_path)
    tournament.play(tournament.open(), lambda games: None)
    path = batch_path(tmp_path, tournament.batches()[1])
    path.write_text(path.read_text()[:-20])
    assert [batch.number for batch in tournament.open()] == [1]


@pytest.mark.parametrize(
    "change",
    [
        {"returns": None},
        {"returns": [1.0]},
        {"returns": [float("nan"), 0.0]},
        {"forfeits": [{"seat": 0, "ply": -1, "reason": "r"}]},
        {"forfeits": [{"seat": 0}]},
        {"seed": 0},
        {"turns": "many"},
        {"more": 1},
    ],
)
def test_results_that_are_no_results_are_played_again(tmp_path, change):
    tournament = make_tournament(tmp_path)
    tournament.play(tournament.open(), lambda games: None)
    path = batch_path(tmp_path, tournament.batches()[0])
    data = json.loads(path.read_text())
    data["games"][0] |= change
    path.write_text(json.dumps(data))
    assert [batch.number for batch in tournament.open()] == [0]
    with pytest.raises(ValueError, match=re.escape(str(path))):
        tournament.outcomes()


def test_processes_give_the_same_games_as_one(tmp_path):
    alone, shared = make_tournament(tmp_path / "1"), make_tournament(tmp_path / "2", workers=2)
    told = []
    alone.play(alone.open(), told.append)
    assert sum(told) == 10
    told.clear()
    shared.play(shared.open(), told.append)
    assert sum(told) == 10
    assert shared.outcomes() == alone.outcomes()


def test_folder_of_another_tournament_is_refused(tmp_path):
    make_tournament(tmp_path).open()
    with pytest.raises(ValueError, match=r"holds another tournament: its seeds is 5, here it is 6; choose another"):
        make_tournament(tmp_path, seeds=6).open()


def test_records_of_a_tournament_replay_to_the_byte(tmp_path):
    tournament = make_tournament(tmp_path)
    tournament.play(tournament.open()[:1], lambda games: None)
    entries = json.loads(batch_path(tmp_path, tournament.batches()[0]).read_text())["games"]
    assert [entry["agents"] for entry in entries] == [["random", "trained"], ["trained", "random"]] * 2
    for entry in entries:
        record = load_record(tmp_path / entry["record"])
        replay(tournament.game, record)
        assert list(record.result.returns) == entry["returns"]
        assert list(record.players) == entry["agents"]
        assert record.seed == entry["seed"]
        assert len(record.actions) == entry["actions"]
