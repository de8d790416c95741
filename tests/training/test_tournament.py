import hashlib
import json
import os
import re
import shutil
import stat
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import ClassVar

import pytest

from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.core.record import load_record, replay
from sackarmies_training import tournament as module
from sackarmies_training.cli import run_tournament
from sackarmies_training.config import MatchSection
from sackarmies_training.identity import changed_agent
from sackarmies_training.matches import Seating, play_games
from sackarmies_training.seeds import derive, game_seeds
from sackarmies_training.tournament import Tournament, batch_path, line_ups, play_batch, save_batch, schedule, seatings
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


def test_interrupted_tournament_resumes_to_the_same_result(tmp_path):
    whole, broken = make_tournament(tmp_path / "whole"), make_tournament(tmp_path / "broken")
    whole.play(whole.open(), lambda games: None)
    save_batch(broken, broken.open()[1], play_batch(broken, broken.open()[1]))
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


def played_with_a_change(folder, change):
    """Return a finished tournament whose first game has been changed, and the file that holds the game."""
    tournament = make_tournament(folder)
    tournament.play(tournament.open(), lambda games: None)
    path = batch_path(folder, tournament.batches()[0])
    data = json.loads(path.read_text())
    data["games"][0] |= change
    path.write_text(json.dumps(data))
    return tournament, path


@pytest.mark.parametrize(
    "change",
    [
        {"returns": None},
        {"returns": [1.0]},
        {"returns": [float("nan"), 0.0]},
        {"forfeits": [{"seat": 0, "ply": -1, "reason": "r"}]},
        {"forfeits": [{"seat": 0}]},
        {"forfeits": [{"seat": 2, "ply": 0, "reason": "r", "status": "ERROR"}]},
        {"out": [3]},
        {"out": [-2, 3]},
        {"usage": [None]},
        {"turns": "many"},
        {"more": 1},
    ],
)
def test_invalid_results_are_played_again(tmp_path, change):
    tournament, path = played_with_a_change(tmp_path, change)
    assert [batch.number for batch in tournament.open()] == [0]
    with pytest.raises(ValueError, match=re.escape(str(path))):
        tournament.outcomes()


def test_batch_that_lacks_games_is_played_again(tmp_path):
    tournament = make_tournament(tmp_path)
    tournament.play(tournament.open(), lambda games: None)
    path = batch_path(tmp_path, tournament.batches()[0])
    data = json.loads(path.read_text())
    path.write_text(json.dumps({"games": data["games"][:-1]}))
    assert [batch.number for batch in tournament.open()] == [0]


@pytest.mark.parametrize("change", [{"seed": 0}, {"agents": ["trained", "random"]}])
def test_batch_of_other_games_is_refused_and_kept(tmp_path, change):
    tournament, _ = played_with_a_change(tmp_path, change)
    before = files_of(tmp_path)
    with pytest.raises(ValueError, match=r"0000\.json holds other games than batch 0 of this tournament; choose"):
        run_tournament(tournament.game, tournament.section, tournament.folder, tournament.aliases)
    assert files_of(tmp_path) == before


def test_processes_give_the_same_games_as_one(tmp_path):
    alone, shared = make_tournament(tmp_path / "1"), make_tournament(tmp_path / "2", workers=2)
    told = []
    alone.play(alone.open(), told.append)
    assert sum(told) == 10
    told.clear()
    shared.play(shared.open(), told.append)
    assert sum(told) == 10
    assert shared.outcomes() == alone.outcomes()


def test_games_of_batches_are_freed_once_they_are_saved(tmp_path, monkeypatch):
    saved, alive = [], []

    def save(_, batch, games):
        saved.append(weakref.ref(games[0]))
        alive.append(sum(one() is not None for one in saved))

    monkeypatch.setattr(module, "job_pool", lambda on, workers: ThreadPoolExecutor(1))
    monkeypatch.setattr(module, "save_batch", save)
    tournament = make_tournament(tmp_path, seeds=12, workers=2)
    tournament.play(tournament.open(), lambda games: None)
    assert len(alive) == 6
    assert max(alive) <= 2  # the thread may still hold one


def test_folder_of_another_tournament_is_refused(tmp_path):
    make_tournament(tmp_path).open()
    with pytest.raises(ValueError, match=r"holds another tournament: its seeds is 5, here it is 6; choose another"):
        make_tournament(tmp_path, seeds=6).open()


def test_finished_tournament_is_not_replayed_with_agents_in_another_order(tmp_path):
    first, other = make_tournament(tmp_path), make_tournament(tmp_path, agents=["trained", "random"])
    run_tournament(first.game, first.section, first.folder, first.aliases)
    before = files_of(tmp_path)
    with pytest.raises(ValueError, match=r"its order is \['random', 'trained'\], here it is \['trained', .*\]; choose"):
        run_tournament(other.game, other.section, other.folder, other.aliases)
    assert files_of(tmp_path) == before


BOLD = """
from sackarmies_agents.scripted.random_agent import RandomAgent

class Bold(RandomAgent):
    def __init__(self, info):
        super().__init__()
"""


@pytest.fixture
def bold(tmp_path):
    """Return the file of an agent."""
    source = tmp_path / "bold.py"
    source.write_text(BOLD)
    return source


def make_bold(source, **changes):
    agents = ["random", f"python:file={source},class=Bold"]
    return make_tournament(source.parent / "contest", agents=agents, **changes)


def test_resuming_names_the_agent_that_has_changed(bold):
    agent = f"python:file={bold},class=Bold"
    make_bold(bold).open()
    bold.write_text(f"{BOLD}# another one\n")
    message = f"the agent {agent} is not the one that began: its source has changed; choose another folder"
    with pytest.raises(ValueError, match=f"holds another tournament: {re.escape(message)}"):
        make_bold(bold).open()


def test_resuming_names_an_agent_that_is_missing(tmp_path):
    three, two = ["random", "trained", "greedy"], ["random", "trained"]
    for began, now, told in ((two, three, "is not one of its agents"), (three, two, "is one of its agents, but not")):
        folder = tmp_path / str(len(began))
        aliases = dict.fromkeys(three, "random")
        Tournament(make_duel(), make_section(agents=began), folder, aliases).open()
        with pytest.raises(ValueError, match=f"holds another tournament: greedy {told}"):
            Tournament(make_duel(), make_section(agents=now), folder, aliases).open()


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({"kind": "ppo", "sha256": "1", "x": "y"}, "its file has changed"),
        ({"kind": "ppo", "sha256": "2", "prior_sha256": "3", "x": "y"}, "its prior has changed"),
        ({"kind": "greedy"}, "its kind was greedy, here it is ppo"),
        ("ppo", "it was ppo, here it is {.*}"),
    ],
)
def test_first_difference_of_an_agent_is_told(found, told):
    assert re.fullmatch(told, changed_agent(found, {"kind": "ppo", "sha256": "2", "x": "y"}))


@pytest.mark.parametrize("workers", [1, 2])
def test_batch_of_an_agent_whose_file_was_edited_is_not_kept(bold, workers):
    contest = make_bold(bold, workers=workers)
    missing = contest.open()
    contest.play(missing[:1], lambda games: None)
    before = files_of(contest.folder)
    message = r'^"python:file=.*: its file changed during the tournament, so batch [12] was not kept; restore the file'
    with pytest.raises(ValueError, match=message):
        contest.play(missing[1:], lambda games: bold.write_text(f"{BOLD}# another one\n"))
    assert files_of(contest.folder) == before
    bold.write_text(BOLD)
    again = make_bold(bold, workers=workers)
    again.play(again.open(), lambda games: None)
    assert len(again.outcomes()) == 10


def test_batch_of_an_agent_whose_file_is_gone_is_not_kept(bold):
    contest = make_bold(bold)
    batch = contest.open()[0]
    games = play_batch(contest, batch)
    bold.unlink()
    with pytest.raises(ValueError, match=r"its file changed during the tournament, so batch 0 was not kept"):
        save_batch(contest, batch, games)
    assert files_of(contest.folder).keys() == {Path("tournament.json")}


def test_tournament_of_other_code_is_refused(tmp_path, change_code):
    make_tournament(tmp_path).open()
    change_code(tmp_path)
    with pytest.raises(ValueError, match=r"holds another tournament: its code is \w+, here it is \w+; choose another"):
        make_tournament(tmp_path).open()


def test_batches_of_unknown_code_are_refused(tmp_path):
    tournament = make_tournament(tmp_path)
    tournament.play(tournament.open()[:1], lambda games: None)
    (tmp_path / "tournament.json").unlink()
    with pytest.raises(ValueError, match=r"holds batches but no tournament\.json, so the code that played them is"):
        make_tournament(tmp_path).open()
    assert not (tmp_path / "tournament.json").exists()


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


# --- secret seeds


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def drawn(folder, **changes):
    return make_tournament(folder, **{"seed": None, **changes})


def test_seeds_are_drawn_unless_they_are_given(tmp_path):
    one, other = drawn(tmp_path / "1"), drawn(tmp_path / "2")
    seeds = {seed for contest in (one, other) for batch in contest.open() for seed in batch.seeds}
    assert len(seeds) == 10  # five of each
    assert max(seed.bit_length() for seed in seeds) > 56  # 10 seeds of 63 bits: smaller ones once in 10**20
    assert one.seed.bit_length() > 64
    given = [make_tournament(tmp_path / name, seed=2**128 - 1).open() for name in ("3", "4")]
    assert given[0] == given[1]


@pytest.fixture
def open_umask():
    """Make new files readable by others, whatever the user's umask, so that private ones can be told apart."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_secret_is_neither_in_the_identity_nor_readable_by_others_until_the_end(tmp_path):
    contest = drawn(tmp_path)
    missing = contest.open()
    contest.play(missing[:1], lambda games: None)
    identity = (tmp_path / "tournament.json").read_text()
    assert str(contest.seed) not in identity
    assert json.loads(identity)["seed"] == "drawn"
    assert json.loads(identity)["seed_sha256"] == hashlib.sha256(str(contest.seed).encode()).hexdigest()
    private = {path.name for path in tmp_path.iterdir() if mode_of(path) & 0o077 == 0}
    assert private == {"seed.json", "batches", "records"}
    files = {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}
    known = [str(seed) for batch in contest.batches() for seed in batch.seeds]
    for name, text in files.items():
        assert (str(contest.seed) in text) == (name == "seed.json")
        assert not [seed for seed in known if seed in text]


def test_seed_is_published_at_the_end_and_gives_the_same_games(tmp_path):
    contest = drawn(tmp_path / "first", seeds=2)
    run_tournament(contest.game, contest.section, contest.folder, contest.aliases)
    for path in contest.folder.iterdir():
        reference = contest.folder if path.is_dir() else contest.folder / "tournament.json"
        assert path.name.startswith(".") or mode_of(path) == mode_of(reference)
    seed = int(json.loads((contest.folder / "seed.json").read_text())["seed"])
    again = make_tournament(tmp_path / "again", seeds=2, seed=seed)
    again.play(again.open(), lambda games: None)
    games = [files_of(one.folder) for one in (contest, again)]
    played = [{name: text for name, text in one.items() if len(name.parts) > 1} for one in games]
    assert played[0] == played[1]
    assert len(played[0]) == 5
    assert contest.open() == []
    assert mode_of(contest.folder / "records") == mode_of(contest.folder)


def test_interrupted_tournament_with_a_secret_seed_resumes_with_it(tmp_path):
    first = drawn(tmp_path)
    save_batch(first, first.open()[0], play_batch(first, first.open()[0]))
    again = drawn(tmp_path)
    missing = again.open()
    assert [batch.number for batch in missing] == [1, 2]
    assert again.seed == first.seed
    again.play(missing, lambda games: None)
    assert len(again.outcomes()) == 10


def test_tournament_killed_before_its_identity_was_written_keeps_the_seed(tmp_path):
    first = drawn(tmp_path)
    first.open()
    (tmp_path / "tournament.json").unlink()
    again = drawn(tmp_path)
    again.open()
    assert again.seed == first.seed


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"seed\.json: there is no such file"),
        ('{"seed": 12}', r"seed\.json: seed: must be a string, not 12"),
        (json.dumps({"seed": str(2**128)}), r"seed\.json: seed must be less than 2\*\*128, not"),
        ('{"seed": "12"}', r"holds another tournament: its seed_sha256 is"),
    ],
)
def test_lost_or_changed_secret_is_reported(tmp_path, content, message):
    drawn(tmp_path).open()
    if content is None:
        (tmp_path / "seed.json").unlink()
    else:
        (tmp_path / "seed.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        drawn(tmp_path).open()


def test_secret_and_given_seeds_are_different_tournaments(tmp_path):
    make_tournament(tmp_path / "given", seed=5).open()
    with pytest.raises(ValueError, match=r"holds another tournament: its seed is 5, here it is drawn"):
        drawn(tmp_path / "given").open()
    assert not (tmp_path / "given" / "seed.json").exists()
    drawn(tmp_path / "drawn").open()
    with pytest.raises(ValueError, match=r"holds another tournament: its seed is drawn, here it is 5"):
        make_tournament(tmp_path / "drawn", seed=5).open()


def test_processes_know_the_secret_seed(tmp_path):
    shared, alone = drawn(tmp_path / "2", workers=2, seeds=4), drawn(tmp_path / "1", seeds=4)
    shared.play(shared.open(), lambda games: None)
    alone.folder.mkdir()
    shutil.copy(shared.folder / "seed.json", alone.folder)
    alone.play(alone.open(), lambda games: None)
    assert len(shared.outcomes()) == 8
    assert shared.outcomes() == alone.outcomes()


# --- what an agent may know


class Notes(RandomAgent):
    """Agent that plays at random and keeps what it is told."""

    made: ClassVar[list["Notes"]] = []

    def __init__(self):
        super().__init__()
        self.seeds, self.seen = [], []
        self.made.append(self)

    def reset(self, seed):
        super().reset(seed)
        self.seeds.append(seed)

    def act_batch(self, observations, action_masks):
        self.seen.append(observations.copy())
        return super().act_batch(observations, action_masks)


def noted(line_ups, seeds, seed=1):
    """Have agents that take notes play; return them and their seating."""
    Notes.made.clear()
    with closing(Seating(line_ups, lambda name: Notes(), seed, seeds)) as seating:
        play_games(make_duel(len(line_ups[0])), line_ups, seeds, seating)
    return list(Notes.made), seating


def test_no_instance_plays_two_seats_or_games_of_a_seed():
    line_ups = [("a", "b"), ("b", "a"), ("a", "b"), ("b", "a"), ("a", "a")]
    seeds = [7, 7, 8, 8, 9]
    agents, table = noted(line_ups, seeds)
    assert len(agents) == 4  # each name twice
    for actor in range(len(agents)):
        met = [seed for row, seed in zip(table.seat_agent, seeds, strict=True) for seat in row if seat == actor]
        assert len(set(met)) == len(met)


def test_three_seats_of_one_agent_in_all_rotations_share_no_deal():
    line_ups = [one for one in seatings(("a", "a", "b")) for _ in range(2)]
    seeds = [7, 8] * 3
    agents, table = noted(line_ups, seeds)
    assert len(agents) == 9
    for actor in range(9):
        assert sum(int((table.seat_agent[row] == actor).sum()) for row in range(6) if seeds[row] == 7) <= 1


def test_each_agent_has_its_own_seed():
    seeds = game_seeds(1, 4)
    agents, _ = noted([("a", "b"), ("b", "a")] * 4, [seed for seed in seeds for _ in range(2)])
    told = [seed for agent in agents for seed in agent.seeds]
    assert len(set(told)) == len(told) == 4
    assert not {*told} & {*seeds, 1}
    assert all(0 <= seed < 2**63 for seed in told)


def test_derived_seeds_do_not_reveal_the_tournament_seed():
    """Seeds of neighboring numbers, or purposes, have nothing in common: half of all bits differ."""
    words = [derive(seed, purpose, number) for seed in (0, 1, 2**127) for purpose in "ab" for number in range(3)]
    assert len(set(words)) == len(words)
    differing = [(one ^ other).bit_count() for one, other in combinations(words, 2)]
    assert 28 < sum(differing) / len(differing) < 35
    assert derive(1, "game", 0) == 4474851335771995555  # published seeds must give the same games forever
