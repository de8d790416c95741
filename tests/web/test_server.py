"""The local server: what it serves to whom, and how pages come and go."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import threading
import time
from importlib.resources import files

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from sackarmies_training.table.seats import Seats
from sackarmies_training.web.protocol import MAX_MESSAGE
from sackarmies_training.web.server import static_files
from tests.web.pages import PATIENCE, Running, hear, tell
from tests.web.tables import make_session, request


@pytest.fixture
def running(tmp_path):
    server = Running(make_session(tmp_path))
    with server.page():
        pass
    yield server
    server.stop()


# --- what is served


def test_page_and_its_modules_are_served_and_nothing_else(running):
    page = httpx.get(running.address)
    assert page.status_code == 200
    assert "<!doctype html>" in page.text
    for name in static_files():
        assert httpx.get(running.address + name).status_code == 200
    for path in (
        "session.py",
        "../session.py",
        "%2e%2e/session.py",
        "..%2fsession.py",
        "static/play.js",
        "/etc/passwd",
    ):
        assert httpx.get(running.address + path).status_code == 404, path
    assert httpx.get(running.origin + "/").status_code == 404
    assert httpx.get(running.origin + "/play.js").status_code == 404
    assert httpx.post(running.address).status_code == 405


def test_what_is_served_is_of_the_package_or_made_of_its_theme():
    folders = (files("sackarmies_env.render") / "web", files("sackarmies_training.web") / "static")
    names = {entry.name for folder in folders for entry in folder.iterdir() if entry.name.endswith((".js", ".css"))}
    assert set(static_files()) == names | {"theme.css", "signs.js", "play.html"}


def test_answers_allow_nothing_from_elsewhere(running):
    headers = httpx.get(running.address).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


def test_server_listens_on_the_loopback_address_alone(running):
    assert running.server._socket.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1:1", "127.0.0.1", ""])
def test_other_hosts_names_are_refused(running, name):
    assert httpx.get(running.address, headers={"Host": name}).status_code in (400, 404)
    with pytest.raises(InvalidStatus):
        running.page(Host=name)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_other_origins_are_refused(running, origin):
    assert httpx.get(running.address, headers={"Origin": origin}).status_code == 404
    with pytest.raises(InvalidStatus):
        running.page(Origin=origin)


def test_socket_without_an_origin_is_refused(running):
    with pytest.raises(InvalidStatus):
        connect(running.address.replace("http", "ws") + "socket")


def test_other_tokens_are_refused(running):
    token = running.address.split("/")[3]
    assert len(token) >= 32
    for wrong in ("", token[:-1], token[:-1] + ("A" if token[-1] != "A" else "B"), token + "x"):
        assert httpx.get(f"{running.origin}/{wrong}/play.js").status_code == 404


def test_replay_is_refused_until_the_game_is_over(running):
    assert httpx.get(running.address + "replay.html").status_code == 403
    list(running.session.handle(request(kind="start", players=["random", "random"], seed=1)))
    assert httpx.get(running.address + "replay.html").status_code == 403
    running.session.game.match.forfeit(0)  # ends a game of two
    assert httpx.get(running.address + "replay.html").status_code == 200


# --- pages that come and go


def test_second_tab_gets_a_sentence(running):
    with running.page() as first:
        assert hear(first)["kind"] == "lobby"
        with running.page() as second:
            assert "another tab" in hear(second)["text"]
            with pytest.raises(ConnectionClosed):
                second.recv(timeout=PATIENCE)
        tell(first, kind="start", players=["person", "greedy"], seed=1)
        assert hear(first)["kind"] == "game"


def test_page_that_is_loaded_again_finds_the_game(running):
    with running.page() as page:
        hear(page)
        tell(page, kind="start", players=["person", "greedy"], seed=1)
        while (asked := hear(page))["kind"] != "ask":
            pass
    with running.page() as page:
        kinds = []
        while not kinds or kinds[-1]["kind"] != "ask":
            kinds.append(hear(page))
        assert kinds[-1] == asked
        tell(page, kind="choose", number=asked["number"], actions=[asked["choices"][0]["id"]])
        assert hear(page)["kind"] in ("ask", "steps")


def test_bad_messages_are_answered_and_change_nothing(running):
    with running.page() as page:
        hear(page)
        tell(page, kind="start", players=["person", "greedy"], seed=1)
        while (asked := hear(page))["kind"] != "ask":
            pass
        before = running.session.game.match.states.tobytes()
        for bad in ("{", "[]", '{"kind": "no"}', '{"kind": "choose"}', "x" * (MAX_MESSAGE + 1), b"\xff\x00"):
            page.send(bad)
            assert hear(page)["kind"] == "error"
        tell(page, kind="choose", number=asked["number"], actions=[1])
        assert "not among the choices" in hear(page)["text"]
        assert running.session.game.match.states.tobytes() == before
        tell(page, kind="choose", number=asked["number"], actions=[asked["choices"][0]["id"]])
        assert hear(page)["kind"] in ("ask", "steps")


def test_page_that_floods_the_server_is_disconnected(running):
    with running.page() as page, pytest.raises(ConnectionClosed):
        for _ in range(5000):
            tell(page, kind="start", players=["greedy", "greedy"], seed=1)
        for _ in range(20_000):
            page.recv(timeout=PATIENCE)
    with running.page() as page:
        assert hear(page)["kind"] in ("page", "lobby")


def held(monkeypatch):
    """Make agents think until released; return the event that one is thinking, and the event that releases them."""
    thinking, go_on = threading.Event(), threading.Event()

    def think(seats, match):
        thinking.set()
        assert go_on.wait(PATIENCE)
        return match.legal_actions()[0]

    monkeypatch.setattr("sackarmies_training.table.seats.Seats.decide", think)
    return thinking, go_on


def test_page_is_told_nothing_that_a_page_before_it_asked_for(running, monkeypatch):
    thinking, go_on = held(monkeypatch)
    with running.page() as page:
        hear(page)
        tell(page, kind="start", players=["greedy", "greedy"], seed=2)
        tell(page, kind="next")
        assert thinking.wait(PATIENCE)
    with running.page() as page:
        go_on.set()
        assert [hear(page)["kind"] for _ in range(3)] == ["page", "game", "scene"]


@pytest.fixture
def thought(running, monkeypatch):
    """Begin a game in which the agent thinks until released; yield the page and the event that releases it."""
    thinking, go_on = threading.Event(), threading.Event()
    decide = Seats.decide

    def think(seats, match):
        thinking.set()
        assert go_on.wait(PATIENCE)
        return decide(seats, match)

    with running.page() as page:
        hear(page)
        tell(page, kind="start", players=["person", "greedy"], seed=1)
        monkeypatch.setattr("sackarmies_training.table.seats.Seats.decide", think)
        while not thinking.is_set():
            if (asked := hear(page))["kind"] == "ask":
                wanted = next((each for each in asked["choices"] if each["text"] == "draw"), asked["choices"][0])
                tell(page, kind="choose", number=asked["number"], actions=[wanted["id"]])
                thinking.wait(0.3)
        yield page, go_on
        go_on.set()


def test_game_left_while_an_agent_thinks_stays_left_when_the_page_is_loaded_again(running, thought):
    page, go_on = thought
    tell(page, kind="leave")
    page.ping().wait(PATIENCE)
    page.close()
    with running.page() as page:
        go_on.set()
        assert hear(page)["kind"] == "lobby"
        tell(page, kind="start", players=["person", "greedy"], seed=1)
        assert hear(page)["kind"] == "game"


def test_game_is_saved_even_if_its_page_is_closed_before(running, thought):
    page, go_on = thought
    tell(page, kind="save", name="mine")
    page.ping().wait(PATIENCE)
    page.close()
    with running.page() as page:
        go_on.set()
        assert [hear(page)["kind"] for _ in range(2)] == ["page", "game"]
    assert running.session.saves.names() == ["mine"]


def test_agent_that_hangs_neither_keeps_the_server_nor_loses_the_game(running, thought, monkeypatch):
    monkeypatch.setattr("sackarmies_training.web.hub.GRACE", 0.2)
    running.server.stop()
    running.thread.join(10)
    assert not running.thread.is_alive()
    running.session.keep()
    assert running.session.saves.read("unfinished").actions == tuple(running.session.game.match.history)


def test_decision_that_is_nearly_made_is_waited_for_as_the_server_ends(running, thought):
    _, go_on = thought
    before = len(running.session.game.match.history)
    running.server.stop()
    threading.Timer(0.5, go_on.set).start()
    running.thread.join(PATIENCE)
    assert len(running.session.game.match.history) > before


def test_agents_that_think_do_not_stop_the_server(running, monkeypatch):
    thinking, go_on = held(monkeypatch)
    with running.page() as page:
        hear(page)
        tell(page, kind="start", players=["greedy", "greedy"], seed=2)
        tell(page, kind="next")
        assert thinking.wait(PATIENCE)
        assert httpx.get(running.address).status_code == 200
        page.ping().wait(PATIENCE)
        tell(page, kind="leave")
        go_on.set()
        while hear(page)["kind"] != "lobby":
            pass


@pytest.mark.slow
def test_session_ends_a_while_after_its_page_is_closed(tmp_path):
    server = Running(make_session(tmp_path), linger=0.3)
    for _ in range(2):  # a page that is loaded again keeps the session
        with server.page() as page:
            hear(page)
            time.sleep(0.5)
            assert server.thread.is_alive()
    server.thread.join(PATIENCE)
    assert not server.thread.is_alive()


SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
HANGS = """
import pathlib, time
from sackarmies_agents.scripted.random_agent import RandomAgent

class Hangs(RandomAgent):
    def __init__(self, info):
        super().__init__()

    def act_batch(self, *_):
        pathlib.Path(__file__).with_suffix(".hangs").touch()
        time.sleep(3600)
"""


@contextlib.contextmanager
def begun_elsewhere(saves, agent, *players):
    """Begin a game in another process; yield the process and the connection of its page."""
    run = "from sackarmies_training.cli import app; app()"
    words = [sys.executable, "-c", run, "play", "--web", "--no-browser", "--saves", str(saves), agent]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as command:
        try:
            address = re.search(r"http://\S+", command.stdout.readline())[0]
            origin = "/".join(address.split("/")[:3])
            with connect(address.replace("http", "ws") + "socket", additional_headers={"Origin": origin}) as page:
                hear(page)
                tell(page, kind="start", players=players, seed=1)
                yield command, page
        finally:
            command.kill()  # does nothing if it has ended


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
def test_game_is_kept_where_a_signal_ends_the_server(tmp_path, number):
    with begun_elsewhere(tmp_path, "random", "person", "random") as (command, page):
        while hear(page)["kind"] != "ask":
            pass
        command.send_signal(number)
        told, _ = command.communicate(timeout=PATIENCE)
    assert command.returncode == 0, told
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["unfinished.json"]


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
def test_game_is_kept_where_a_signal_comes_while_an_agent_hangs(tmp_path, number):
    path, saves = tmp_path / "agent.py", tmp_path / "saves"
    path.write_text(HANGS)
    agent = f"python:file={path},class=Hangs"
    with begun_elsewhere(saves, agent, agent, "person") as (command, page):
        assert hear(page)["kind"] == "game"
        for _ in range(10 * PATIENCE):
            if path.with_suffix(".hangs").exists():
                break
            time.sleep(0.1)
        began = time.monotonic()
        command.send_signal(number)
        told, _ = command.communicate(timeout=PATIENCE)
    assert command.returncode == 0, told
    assert time.monotonic() - began < 20
    assert "Traceback" not in told
    assert path.with_suffix(".hangs").exists()
    assert [saved.name for saved in saves.iterdir()] == ["unfinished.json"]
