"""Servers that run in a thread, and what a page does: connect, receive and send."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

from websockets.sync.client import connect

from sackarmies_training.web.protocol import Message
from sackarmies_training.web.server import LocalServer
from sackarmies_training.web.session import Session

PATIENCE = 60  # seconds; the rules may have to be compiled


class Running:
    """A server in a thread."""

    def __init__(self, session: Session, linger: float = 600.0) -> None:
        self.session = session
        self.server = LocalServer(session, linger=linger)
        self.address = self.server.address
        self.origin = "/".join(self.address.split("/")[:3])
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()

    def page(self, **headers: str) -> Any:
        """Open a page's connection."""
        url = self.address.replace("http", "ws") + "socket"
        given = {"Origin": self.origin} | headers
        for _ in range(100):
            try:
                return connect(url, additional_headers=given, origin=None, max_size=None)
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise AssertionError("the server did not start")

    def stop(self) -> None:
        """Stop the server, and wait until its thread has ended."""
        self.server.stop()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


def hear(page: Any) -> Message:
    """Return the next message to a page."""
    message: Message = json.loads(page.recv(timeout=PATIENCE))
    return message


def tell(page: Any, **message: Any) -> None:
    """Send a message as a page."""
    page.send(json.dumps(message))
