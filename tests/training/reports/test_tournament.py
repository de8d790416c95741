"""The report of a tournament: standings, all games with links to replays, nothing before the end, nothing unescaped."""

from __future__ import annotations

import os
import re
import shutil
from html.parser import HTMLParser

import pytest

from sackarmies_env.core.record import load_record
from sackarmies_env.render import Replay
from sackarmies_training.cli import run_tournament
from sackarmies_training.config import MatchSection
from sackarmies_training.reports import replays
from sackarmies_training.tournament import Tournament, read_batch
from tests.core.toy_game import make_duel

HOSTILE = "ppo:path=<script>alert(1)</script>\" onclick='x'&amp;"


class Page(HTMLParser):
    """The tags, links and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.words = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in {"href", "src"}]
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data):
        self.words.append(data)


def play(folder, names=("random", "trained"), **changes):
    """Play a tournament to its end; return it and its report."""
    section = {"agents": list(names), "seeds": 2, "batch": 1, "workers": 1, **changes}
    contest = Tournament(make_duel(), MatchSection(**section), folder, dict.fromkeys(names, "random"))
    run_tournament(contest.game, contest.section, contest.folder, contest.aliases)
    return contest, Page((folder / "tournament.html").read_text())


def test_report_lists_all_games_with_their_results(tmp_path):
    contest, page = play(tmp_path)
    text = " ".join(page.words)
    games = contest.games()
    assert len(games) == 4
    for name, game in games.items():
        assert name in text
        assert f"records/{name}.json" in page.links
        assert f"Player {game.returns.index(max(game.returns))} wins" in text
    assert "random, trained: 4 games" in text
    assert f"The seed was {contest.seed}." in text
    assert not [link for link in page.links if "replays" in link]


def test_each_game_is_linked_to_a_page_that_shows_it(tmp_path):
    contest, page = play(tmp_path, replays=True)
    links = [link for link in page.links if link.startswith("replays/")]
    assert links == [f"replays/{name}.html" for name in contest.games()]
    for link in links:
        record = load_record(tmp_path / link.replace("replays", "records").replace(".html", ".json"))
        assert (tmp_path / link).read_text() == Replay(contest.game, record).html


def test_page_loads_and_runs_nothing(tmp_path):
    _, page = play(tmp_path, replays=True)
    assert not page.tags & {"script", "link", "img", "iframe"}
    assert all(re.fullmatch(r"(replays|records)/\d{4}-\d{3}\.(html|json)", link) for link in page.links)


def test_names_and_reasons_are_text(tmp_path, monkeypatch):
    def read_with_a_forfeit(folder, batch):
        games = read_batch(folder, batch)
        forfeit = {"seat": 0, "ply": 0, "reason": f"raised {HOSTILE}", "status": "ERROR"}
        lost = {"forfeits": [forfeit], "returns": [-1.0, 1.0], "out": []}
        return tuple(type(game).model_validate(game.model_dump() | lost) for game in games)

    monkeypatch.setattr("sackarmies_training.tournament.read_batch", read_with_a_forfeit)
    _, page = play(tmp_path, ("random", HOSTILE))
    assert "script" not in page.tags
    assert f"the agent raised {HOSTILE}" in page.words
    assert HOSTILE in page.words


def test_nothing_is_shown_before_the_end(tmp_path, monkeypatch):
    def fail(tournament, batches, progress, on):
        tournament_play(tournament, batches[:1], progress, on)
        raise OSError("the disk is full")

    tournament_play = Tournament.play
    monkeypatch.setattr(Tournament, "play", fail)
    with pytest.raises(OSError, match="the disk is full"):
        play(tmp_path, replays=True)
    assert len(list((tmp_path / "records").iterdir())) == 2
    assert not (tmp_path / "tournament.html").exists()
    assert not (tmp_path / "replays").exists()
    monkeypatch.undo()
    contest, _ = play(tmp_path, replays=True)
    assert len(list((tmp_path / "replays").iterdir())) == len(contest.games()) == 4


def test_pages_that_are_missing_or_old_are_made_again(tmp_path, monkeypatch):
    play(tmp_path, replays=True)
    first, second, third, fourth = sorted((tmp_path / "replays").iterdir())
    first.unlink()
    os.utime(second, (0, 0))
    kept = [path.stat().st_mtime_ns for path in (third, fourth)]
    made = []
    write = replays.write_page
    monkeypatch.setattr(replays, "write_page", lambda contest, name: made.append(name) or write(contest, name))
    play(tmp_path, replays=True)
    assert made == [first.stem, second.stem]
    assert kept == [path.stat().st_mtime_ns for path in (third, fourth)]


def test_game_whose_record_is_lost_has_no_page_and_the_others_have(tmp_path, capsys):
    contest, _ = play(tmp_path)
    lost = sorted((tmp_path / "records").iterdir())[1]
    lost.unlink()
    _, page = play(tmp_path, replays=True)
    assert sum(link.startswith("replays/") for link in page.links) == len(contest.games()) - 1
    told = "".join(capsys.readouterr().out.split("\n"))
    assert "A game without a replay:" in told
    assert lost.name in told


@pytest.mark.parametrize("seed", [None, 1])
def test_tournament_without_records_says_so_and_links_to_none(tmp_path, capsys, seed):
    play(tmp_path, seed=seed)
    assert f"Standings and records of all 4 games are in {tmp_path}." in "".join(capsys.readouterr().out.split("\n"))
    lost, *others = sorted((tmp_path / "records").iterdir())
    lost.unlink()
    _, page = play(tmp_path, seed=seed)
    told = "".join(capsys.readouterr().out.split("\n"))
    assert f"Standings of all 4 games are in {tmp_path}; the records of 1 of them are missing." in told
    assert page.links == [f"records/{path.name}" for path in others]
    shutil.rmtree(tmp_path / "records")
    _, page = play(tmp_path, seed=seed)
    told = "".join(capsys.readouterr().out.split("\n"))
    assert f"Standings of all 4 games are in {tmp_path}; the records of 4 of them are missing." in told
    assert "sackarmies view" not in told
    assert page.links == []


def test_interrupted_pages_leave_a_report_that_links_to_what_there_is(tmp_path, monkeypatch):
    write, made = replays.write_page, []

    def stop(contest, name):
        if made:
            raise KeyboardInterrupt
        made.append(name)
        write(contest, name)

    monkeypatch.setattr(replays, "write_page", stop)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path, replays=True)
    assert (tmp_path / "tournament.html").exists()
    monkeypatch.undo()
    _, page = play(tmp_path)  # without the key: pages that were made are still linked
    assert [link for link in page.links if link.startswith("replays/")] == [f"replays/{made[0]}.html"]


@pytest.mark.slow
def test_pages_are_made_in_several_processes(tmp_path):
    contest, page = play(tmp_path, replays=True, workers=2)
    assert sum(link.startswith("replays/") for link in page.links) == len(contest.games())


def end_process(contest, name):
    os._exit(9)


@pytest.mark.slow
def test_process_that_dies_while_pages_are_made_is_no_fault_of_an_agent(tmp_path, monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(ValueError, match="made pages of replays has died") as caught:
        patch.setattr(replays, "write_page", end_process)
        play(tmp_path, replays=True, workers=2)
    assert "agent" not in str(caught.value)
    contest, page = play(tmp_path, replays=True, workers=2)
    assert {f"replays/{name}.html" for name in contest.games()} <= set(page.links)
