"""`sackarmies play --web`: what it offers, how it starts, and what it says if it cannot."""

from __future__ import annotations

import contextlib
import queue
import sys
import threading

import httpx
import pytest
from typer.testing import CliRunner
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from sackarmies_training.cli import app
from sackarmies_training.web import command
from sackarmies_training.web.command import offered_agents, offered_armies
from sackarmies_training.web.server import LocalServer
from sackarmies_training.web.session import Session
from tests.web.pages import PATIENCE


def run(*words):
    return CliRunner().invoke(app, ["play", "--web", "--no-browser", *words])


@pytest.fixture
def served(monkeypatch):
    """Return the list of servers that have been started, each of which ends at once."""
    found = []

    def run_at_once(server):
        found.append(server)

    monkeypatch.setattr(LocalServer, "run", run_at_once)
    return found


def test_address_is_printed_and_the_port_is_the_one_that_was_asked_for(served, tmp_path):
    done = run("--saves", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert served[0].address in done.output
    assert served[0].address.startswith("http://127.0.0.1:")
    port = served[0].address.split(":")[2].split("/")[0]
    taken = run("--port", port)
    assert taken.exit_code == 1
    assert "in use" in taken.output
    served[0]._socket.close()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("--web", "--record", "game.json"),
            "--record and --web cannot be combined: a game in the browser is saved from its page",
        ),
        (("--port", "8000"), "--port, --no-browser and --saves are for --web"),
        (("--no-browser",), "--port, --no-browser and --saves are for --web"),
    ],
)
def test_options_that_would_do_nothing_are_refused(words, told):
    done = CliRunner().invoke(app, ["play", *words])
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())


def test_browser_is_opened_unless_it_is_not_wanted(served, monkeypatch, tmp_path):
    opened = queue.SimpleQueue()
    monkeypatch.setattr(command.webbrowser, "open", opened.put)
    run("--saves", str(tmp_path))
    CliRunner().invoke(app, ["play", "--web", "--saves", str(tmp_path)])
    assert opened.get(timeout=PATIENCE) == served[1].address
    assert opened.empty()


def test_browser_that_returns_only_once_it_is_closed_is_served(monkeypatch, tmp_path):
    seen, servers = [], []
    serve = LocalServer.run
    monkeypatch.setattr(LocalServer, "run", lambda server: servers.append(server) or serve(server))

    def show(address):
        seen.append(httpx.get(address, timeout=5).status_code)
        servers[0].stop()

    monkeypatch.setattr(command.webbrowser, "open", show)
    assert CliRunner().invoke(app, ["play", "--web", "--saves", str(tmp_path)]).exit_code == 0
    assert seen == [200]


@pytest.mark.parametrize("folder", [".", "missing/folder"])
def test_folder_where_nothing_can_be_saved_is_refused_before_anything_is_played(served, tmp_path, folder):
    path = tmp_path / "file"
    path.touch()
    done = run("--saves", str(path / folder))
    assert done.exit_code == 2
    assert f"{path} is not a folder" in "".join(done.output.split("\n"))
    assert served == []


def test_folder_that_is_made_with_the_first_game_is_accepted(served, tmp_path):
    assert run("--saves", str(tmp_path / "new" / "folder")).exit_code == 0
    assert not (tmp_path / "new").exists()


def test_army_for_a_game_without_armies_is_refused(served):
    done = run("--game", "territories", "random", "--army", "scourge")
    assert done.exit_code == 2
    assert "--army scourge: Territories has no armies" in " ".join(done.output.split())
    assert served == []


def test_what_the_command_line_names_is_offered(tmp_path):
    agents = [offer.text for offer in offered_agents("sack_armies", ["ppo:path=mine.safetensors", "greedy"])]
    assert agents == [
        *("greedy", "random", "search:level=fast", "search:level=medium", "search:level=strong"),
        *("trained", "ppo:path=mine.safetensors"),
    ]
    notes = {game: offered_agents(game, [])[4].note for game in ("sack_armies", "territories")}
    assert notes == {
        "sack_armies": "plays choices on, 950 times a decision, or 310 times as Trained would",
        "territories": "plays choices on, 950 times a decision",
    }
    armies = [offer.text for offer in offered_armies("sack_armies", ["mine.toml", "undead"])]
    assert armies.count("undead") == 1
    assert armies[-1] == "mine.toml"


def test_agent_that_does_not_exist_is_refused_before_anything_is_served(served):
    done = run("gredy")
    assert done.exit_code == 2
    assert 'did you mean "greedy"' in done.output
    assert served == []


def test_seat_that_is_not_at_the_table_is_refused(served):
    done = run("--seat", "5")
    assert done.exit_code == 2
    assert "--seat 5" in done.output


def test_seed_is_what_the_dialogue_proposes(served, monkeypatch, tmp_path):
    sessions = []
    monkeypatch.setattr(command, "Session", lambda *given: sessions.append(Session(*given)) or sessions[-1])
    for words in (["--seed", "7"], []):
        assert run("--saves", str(tmp_path), *words).exit_code == 0
    assert [next(session.opened())["seed"] for session in sessions] == [7, None]


def test_seed_that_a_page_cannot_write_is_refused(served):
    done = run("--seed", str(2**53))
    assert done.exit_code == 2
    assert f"--seed {2**53} with --web is not allowed: seeds go up to {2**53 - 1} there" in " ".join(
        done.output.split()
    )
    assert served == []


@pytest.mark.parametrize("library", ["uvicorn", "starlette"])
def test_missing_extra_is_named(monkeypatch, library):
    for name in [name for name in sys.modules if name.split(".")[0] == library or name.endswith("web.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    done = run()
    assert done.exit_code == 2
    assert "pip install 'sackarmies-env[web]'" in done.output


def test_page_is_served_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = []

    def fetch(server):
        thread = threading.Thread(target=server._server.run, kwargs={"sockets": [server._socket]}, daemon=True)
        thread.start()
        transport = httpx.HTTPTransport(retries=20)
        with httpx.Client(transport=transport) as client:
            seen.append(client.get(server.address).status_code)
        server.stop()
        thread.join(30)

    monkeypatch.setattr(LocalServer, "run", fetch)
    assert run("--saves", str(tmp_path)).exit_code == 0
    assert seen == [200]


def test_failure_of_the_session_ends_the_command_with_a_sentence(tmp_path, monkeypatch):
    def fail(session):
        raise KeyError("surprise")

    serve = LocalServer.run

    def run_with_a_page(server):
        def load():
            url = server.address.replace("http", "ws") + "socket"
            with (
                contextlib.suppress(ConnectionClosed),
                connect(url, origin="/".join(server.address.split("/")[:3])) as page,
            ):
                list(page)

        thread = threading.Thread(target=load)
        thread.start()
        serve(server)
        thread.join(30)

    monkeypatch.setattr(Session, "opened", fail)
    monkeypatch.setattr(LocalServer, "run", run_with_a_page)
    done = run("--saves", str(tmp_path))
    assert done.exit_code == 1
    assert "the game ended because of an error (KeyError: 'surprise')" in " ".join(done.output.split())
    assert "Traceback" not in done.output
