"""Link between one page and its session: requests are queued, agents think in a thread, messages go out in order."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from sackarmies_training.web import protocol
from sackarmies_training.web.protocol import Message
from sackarmies_training.web.session import Session

MOST_WAITING = 64  # queued requests of a page
GRACE = 2.0  # seconds that an agent has to finish its decision when the server ends
POLICY_VIOLATION = 1008  # code with which a WebSocket is closed
TAKEN = 4001
BUSY = "This game is open in another tab or window: play there, or close it and load this page again."


@dataclass(frozen=True)
class Work:
    """A piece of work for a page.

    Attributes:
        asker: the page, to which messages are sent.
        do: does the work, and yields messages.
        is_kept: whether it is done even if the page is closed first.
    """

    asker: WebSocket
    do: Callable[[], Iterator[Message]]
    is_kept: bool = False


class Worker:
    """A thread that makes one call after another.

    It is a daemon: unlike threads of `asyncio.to_thread`, it does not keep the process alive while an agent hangs.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Future[Message | None], Callable[[], Message | None]] | None]
        self._calls = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (asked := self._calls.get()) is not None:
            future, call = asked
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # raised again where the call is awaited
                future.set_exception(error)

    async def do(self, call: Callable[[], Message | None]) -> Message | None:
        """Return what a call returns, or raise what it raises."""
        future: Future[Message | None] = Future()
        self._calls.put((future, call))
        return await asyncio.wrap_future(future)

    def finish(self, patience: float) -> None:
        """End after the current call; wait for it at most `patience` seconds."""
        self._calls.put(None)
        self._thread.join(patience)


class Hub:
    """Serves a session to one page at a time, one after another: a page that is reloaded finds the game as it is."""

    def __init__(self, session: Session, linger: float, stop: Callable[[], None]) -> None:
        """Prepare to serve.

        Args:
            session: what is served.
            linger: seconds after which a session without a page ends.
            stop: called then.
        """
        self._session = session
        self._linger = linger
        self._stop = stop
        self._work: asyncio.Queue[Work] = asyncio.Queue()
        self._socket: WebSocket | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Do the work that pages ask for, one request after another, until canceled; then give it time to end."""
        worker = Worker()
        try:
            while True:
                work = await self._work.get()
                messages = work.do()
                while (message := await worker.do(partial(next, messages, None))) is not None:
                    await self._send(work.asker, message)
        finally:
            worker.finish(GRACE)

    async def connect(self, socket: WebSocket) -> None:
        """Serve a page until it is closed."""
        await socket.accept()
        if self._socket is not None:
            await socket.send_text(protocol.write({"kind": "busy", "text": BUSY}))
            await socket.close(TAKEN)
            return
        self._socket = socket
        if self._timer is not None:
            self._timer.cancel()
        waiting = [self._work.get_nowait() for _ in range(self._work.qsize())]  # work of a page that is gone
        for work in (*(each for each in waiting if each.is_kept), Work(socket, self._session.opened)):
            self._work.put_nowait(work)
        try:
            await self._listen(socket)
        finally:
            self._socket = None
            self._timer = asyncio.get_running_loop().call_later(self._linger, self._stop)

    async def _listen(self, socket: WebSocket) -> None:
        while self._work.qsize() < MOST_WAITING:
            try:
                received = await socket.receive()
            except WebSocketDisconnect:
                return
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text")
            self._take(socket, text if text is not None else received.get("bytes") or b"")
        await socket.close(POLICY_VIOLATION)

    def _take(self, socket: WebSocket, data: str | bytes) -> None:
        """Put a request from a page into the queue."""
        try:
            request = protocol.read_request(data)
        except ValueError as fault:
            self._work.put_nowait(Work(socket, partial(iter, [protocol.error(str(fault))])))
            return
        if isinstance(request, protocol.Leave):
            self._session.interrupt()
        is_kept = isinstance(request, protocol.Save)
        self._work.put_nowait(Work(socket, partial(self._session.handle, request), is_kept))

    async def _send(self, socket: WebSocket, message: Message) -> None:
        """Send a message to the page that asked; drop it if that page is gone: the next is shown everything anew."""
        if socket is not self._socket or socket.application_state != WebSocketState.CONNECTED:
            return
        try:
            await socket.send_text(protocol.write(message))
        except (WebSocketDisconnect, RuntimeError):  # it has just been closed
            return
