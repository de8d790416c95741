"""The local server: one page, its modules and one WebSocket, on the loopback address and behind a token."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from sackarmies_env.render.page import web_files, web_text
from sackarmies_training.web.hub import Hub
from sackarmies_training.web.session import Session

Stop = Callable[[BaseException | None], None]  # called with the reason if something has failed

LOOPBACK = "127.0.0.1"
USUAL_PORT = 80
TOKEN_BYTES = 24
LINGER = 600.0  # seconds
MAX_FRAME = 2**20  # bytes; messages that are too long, but shorter than this, are refused with a sentence
FORBIDDEN = 1008
ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # not all systems have all of them
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
PAGE = "play.html"
# Only the page's own scripts and styles: nothing from elsewhere, nothing inline, no frames.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
VIEWER_POLICY = (  # of a replay, one file that holds everything
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return all files that are served, by name: content and type. Nothing else can be requested."""
    contents = {name: web_text(name).encode() for name in web_files()}
    contents |= {entry.name: entry.read_bytes() for entry in (files("sackarmies_training.web") / "static").iterdir()}
    suffixes = {name: "." + name.rpartition(".")[2] for name in contents}
    return {
        name: (content, f"{TYPES[suffixes[name]]}; charset=utf-8")
        for name, content in contents.items()
        if suffixes[name] in TYPES
    }


class LocalOnly:
    """Refuses requests that this server's own page did not make: other host names, other origins, other tokens."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        ends = [f":{port}", *([""] if port == USUAL_PORT else [])]  # browsers leave out the default port
        self._hosts = {f"{name}{end}".encode() for name in (LOOPBACK, "localhost") for end in ends}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] == "lifespan" or self._is_ours(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": FORBIDDEN})
        else:
            await PlainTextResponse("not found", 404, HEADERS)(scope, receive, send)

    def _is_ours(self, scope: Scope) -> bool:
        headers = dict(scope["headers"])
        host, origin = headers.get(b"host", b""), headers.get(b"origin")
        token = scope["path"].encode().split(b"/")[1:2]
        if host not in self._hosts or not token or not secrets.compare_digest(token[0], self._token):
            return False
        if scope["type"] == "websocket" and origin is None:
            return False
        return origin is None or origin == b"http://" + host


class Pages:
    """The page, its modules, and the replay of a game that is over."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._files = static_files()

    async def file(self, request: Request) -> Response:
        """Return one of the files that come with the package."""
        found = self._files.get(request.path_params.get("name") or PAGE)
        if found is None:
            return PlainTextResponse("not found", 404, HEADERS)
        return Response(found[0], headers={**HEADERS, "Content-Type": found[1]})

    async def replay(self, request: Request) -> Response:
        """Return the replay of the game as a page, once the game is over: it shows everything that was hidden."""
        game = self._session.game
        if game is None or not game.is_over:
            return PlainTextResponse("the replay is available once the game is over", 403, HEADERS)
        page = await asyncio.to_thread(game.replay_page)
        return Response(page, media_type="text/html", headers={**HEADERS, "Content-Security-Policy": VIEWER_POLICY})


def make_app(session: Session, token: str, port: int, stop: Stop, linger: float = LINGER) -> ASGIApp:
    """Return the application.

    Args:
        session: what it serves.
        token: first part of every path.
        port: port that it is served on.
        stop: called when the page has been closed for a while, and when the session fails, with what it raised.
        linger: how long that while is, in seconds.
    """
    pages, hub = Pages(session), Hub(session, linger, lambda: stop(None))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        work = asyncio.create_task(hub.run())
        work.add_done_callback(lambda task: stop(None if task.cancelled() else task.exception()))
        try:
            yield
        finally:
            session.interrupt()  # agents finish their current decision and begin no other
            work.cancel()
            await asyncio.wait([work])

    async def connect(websocket: WebSocket) -> None:
        await hub.connect(websocket)

    routes = [
        Route(f"/{token}/", pages.file),
        Route(f"/{token}/replay.html", pages.replay),
        Route(f"/{token}/{{name}}", pages.file),
        WebSocketRoute(f"/{token}/socket", connect),
    ]
    return LocalOnly(Starlette(routes=routes, lifespan=lifespan), token, port)


class SessionError(OSError):
    """The server has ended because its session failed; an OSError, so that the command line prints a sentence."""


class LocalServer:
    """A server on a port of the loopback address.

    Attributes:
        address: of the page, with the token.
    """

    def __init__(self, session: Session, port: int = 0, linger: float = LINGER) -> None:
        """Take the port.

        Args:
            session: what is served.
            port: 0 for any that is free.
            linger: seconds after which a session whose page is closed ends.

        Raises:
            OSError: the port is taken.
        """
        self._socket = socket.create_server((LOOPBACK, port))
        port = self._socket.getsockname()[1]
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self.address = f"http://{LOOPBACK}:{port}/{token}/"
        app = make_app(session, token, port, self.stop, linger)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, ws="websockets-sansio", ws_max_size=MAX_FRAME
        )
        self._server = uvicorn.Server(config)
        self._failure: BaseException | None = None

    def run(self) -> None:
        """Serve until stopped.

        Raises:
            SessionError: something went wrong that no page caused.
        """
        self._server.run(sockets=[self._socket])
        if self._failure is not None:
            name = type(self._failure).__name__
            raise SessionError(f"the game ended because of an error ({name}: {self._failure})") from self._failure

    def stop(self, failure: BaseException | None = None) -> None:
        """Stop serving, after a failure if one is given; may be called from any thread."""
        self._failure = self._failure or failure
        self._server.should_exit = True


@contextlib.contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Make the signals that end a process call `stop` instead while the block runs; ignored ones stay ignored.

    uvicorn handles some of them while it serves, but raises them again once it has stopped, when games are still to be
    saved.
    """
    if threading.current_thread() is not threading.main_thread():  # only there can handlers be set
        yield
        return
    ending = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    handlers = {each: signal.getsignal(each) for each in ending}
    before = {each: handler for each, handler in handlers.items() if handler not in (None, signal.SIG_IGN)}
    for each in before:
        signal.signal(each, lambda number, frame: stop())
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
