"""`sackarmies view`: a record as a page, in the browser or in a file."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from typer.testing import CliRunner

from sackarmies_env.core.record import make_record, save_record
from sackarmies_env.render import Replay
from sackarmies_training.cli import app
from tests.render.positions import SMALL, start


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setattr("sackarmies_training.terminal.console.width", 250)


@pytest.fixture
def replay():
    game, states = start(SMALL)
    return Replay(game, make_record(game, 0, [game.parse_action(states, "reveal_unit")]))


@pytest.fixture
def path(replay, tmp_path):
    save_record(replay.record, tmp_path / "game.json")
    return tmp_path / "game.json"


def run(*words):
    return CliRunner().invoke(app, ["view", *(str(word) for word in words)])


def refused(*words):
    result = run(*words)
    assert result.exit_code == 2, result.output
    return " ".join(result.stderr.split())


def test_page_is_written_to_a_file_and_no_browser_is_opened(path, replay, tmp_path, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: pytest.fail("a browser was opened"))
    page = tmp_path / "game.html"
    result = run(path, "--html", page)
    assert result.exit_code == 0, result.output
    assert result.output == f"The page is in {page}.\n"
    assert page.read_text(encoding="utf-8") == replay.html


def test_page_opens_in_the_browser(path, replay, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    result = run(path)
    assert result.exit_code == 0, result.output
    page = Path(url2pathname(urlsplit(opened[0]).path))
    assert page.read_text(encoding="utf-8") == replay.html
    assert result.output == f"The page is open in the browser; it is in {page}.\n"


def test_without_a_browser_the_page_is_named(path, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert run(path).output.startswith("The page is in ")


def test_page_is_limited_to_the_eyes_that_are_named(path, replay, tmp_path):
    page = tmp_path / "game.html"
    assert run(path, "--html", page, "--viewer", "1", "--viewer", "referee").exit_code == 0
    assert page.read_text(encoding="utf-8") == Replay(replay.game, replay.record, [1, None]).html
    assert "--viewer 7 is not allowed; allowed are referee and the seats 0 to 1" in refused(path, "--viewer", "7")


def test_files_that_are_no_records_are_refused(path, tmp_path):
    page = tmp_path / "page.html"
    assert "no such file" in refused(tmp_path / "none.json", "--html", page)
    data = json.loads(path.read_text(encoding="utf-8"))
    (tmp_path / "other.json").write_text(json.dumps(data | {"format": "chess"}), encoding="utf-8")
    assert "not a game record" in refused(tmp_path / "other.json", "--html", page)
    (tmp_path / "changed.json").write_text(json.dumps(data | {"digests": ["00000000"] * 2}), encoding="utf-8")
    assert "the start of the game differs from the record" in refused(tmp_path / "changed.json", "--html", page)
    assert not page.exists()


@pytest.mark.parametrize(("option", "name"), [("--html", "game.json"), ("--gif", "game.gif"), ("--mp4", "game.mp4")])
def test_record_is_not_overwritten(path, tmp_path, option, name):
    record = path.rename(tmp_path / name)
    before = record.read_bytes()
    (tmp_path / "link").symlink_to(tmp_path)
    told = "this is one of the records, which would be lost; name another file"
    assert f"{option} {record}: {told}" in refused(record, option, record)
    assert told in refused(record, option, tmp_path / "link" / name)
    assert record.read_bytes() == before


def test_file_that_cannot_be_written_is_named(path, tmp_path):
    (tmp_path / "folder").write_text("", encoding="utf-8")
    assert f"{tmp_path / 'folder'} is not a folder" in refused(path, "--html", tmp_path / "folder" / "page.html")
