"""The report of an evaluation: figures, all games, and links to existing records and replays."""

from __future__ import annotations

import contextlib
import os

import pytest
from typer.testing import CliRunner

from sackarmies_env.core.record import load_record
from sackarmies_env.render import Replay
from sackarmies_training.cli import app
from sackarmies_training.evaluate import Plan, evaluate
from sackarmies_training.reports import evaluation
from sackarmies_training.reports.evaluation import EvaluationReport, check_free, reserved
from tests.core.toy_game import make_duel
from tests.second_game import registered
from tests.training.reports.test_tournament import Page


def write(folder, *, with_replays):
    """Evaluate one agent of the toy game against another and write the report; return the game and the page."""
    game = make_duel()
    with registered(greedy="tests.second_game:HighestCard"):
        _, played = evaluate(game, "greedy", "random", Plan(2, 1), lambda games: None)
    report = EvaluationReport(game, ("greedy", "random"), played, ["A sentence."], folder, 1, is_timed=False)
    assert report.write(lambda games: None, with_replays=with_replays) == []
    return game, Page(report.path.read_text())


def test_report_links_to_the_record_of_each_game(tmp_path):
    _, page = write(tmp_path, with_replays=False)
    assert page.links == [f"records/0000{number}.json" for number in range(4)]
    assert [load_record(tmp_path / link).players for link in page.links[:2]] == [
        ("greedy", "random"),
        ("random", "greedy"),
    ]
    assert {"A sentence.", "greedy, random: 4 games"} <= set(page.words)


def test_with_replays_each_game_has_a_page_that_shows_it(tmp_path):
    game, page = write(tmp_path, with_replays=True)
    assert len(page.links) == 8
    record = load_record(tmp_path / "records" / "00002.json")
    assert "replays/00002.html" in page.links
    assert (tmp_path / "replays" / "00002.html").read_text() == Replay(game, record).html


def test_folder_that_holds_something_is_refused(tmp_path):
    check_free("--report", tmp_path)
    (tmp_path / "mine").touch()
    with pytest.raises(ValueError, match=r"--report .* is not empty; name another one"):
        check_free("--report", tmp_path)
    with pytest.raises(ValueError, match="expected a folder, not a file"):
        check_free("--report", tmp_path / "mine")


def test_replays_without_a_report_are_a_sentence():
    result = CliRunner().invoke(app, ["evaluate", "random", "greedy", "--replays"])
    assert result.exit_code == 2
    assert "--replays needs --report FOLDER" in " ".join(result.output.split())


EVALUATE = ("evaluate", "greedy", "random", "--games", "2", "--workers", "1", "--report")


@pytest.fixture
def measured(monkeypatch):
    """Put an evaluation that plays no game in the place of the real one; return the list of its calls."""
    calls = []

    def measure(*given):
        calls.append(given)
        raise ValueError("it plays")

    monkeypatch.setattr("sackarmies_training.evaluate.evaluate", measure)
    return calls


def refused(folder):
    result = CliRunner().invoke(app, [*EVALUATE, str(folder)])
    assert result.exit_code in {1, 2}, result.output
    return " ".join(result.stderr.split())


@pytest.mark.parametrize("place", ["/proc/x", "file/x"])
def test_report_that_cannot_be_written_is_refused_before_any_game(tmp_path, monkeypatch, measured, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert place in refused(place)
    assert measured == []


def test_two_evaluations_do_not_share_a_folder(tmp_path, measured):
    with reserved("--report", tmp_path / "r"):
        assert f"{tmp_path / 'r'} is in use by process {os.getpid()} on" in refused(tmp_path / "r")
    assert measured == []


def test_report_written_while_another_one_waited_for_the_folder_stays(tmp_path, monkeypatch, measured):
    @contextlib.contextmanager
    def locked_late(folder):
        folder.mkdir()
        (folder / "evaluation.html").write_text("theirs")
        yield

    monkeypatch.setattr(evaluation, "locked", locked_late)
    assert "r: this folder is not empty; name another one" in refused(tmp_path / "r")
    assert measured == []
    assert (tmp_path / "r" / "evaluation.html").read_text() == "theirs"


def test_evaluation_that_fails_or_is_killed_leaves_its_folder_free(tmp_path, measured):
    assert "it plays" in refused(tmp_path / "r")
    assert not (tmp_path / "r").exists()
    (tmp_path / "r").mkdir()
    for name in (".lock", ".lock.json"):
        (tmp_path / "r" / name).touch()
    assert "it plays" in refused(tmp_path / "r")
    assert len(measured) == 2
