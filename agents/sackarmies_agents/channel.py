"""Messages between the process of the games and that of an agent: length-prefixed bytes over a socket."""

from __future__ import annotations

import socket
import time
from multiprocessing.connection import wait
from typing import Any

LENGTH = 8  # bytes of the length before a message


class Channel:
    """Length-prefixed messages over a socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def send(self, message: bytes, deadline: float | None = None) -> None:
        """Send a message.

        Raises:
            TimeoutError: it was not read by the deadline, a `time.monotonic()` time.
            OSError: the other end is gone.
        """
        self._socket.settimeout(None if deadline is None else max(deadline - time.monotonic(), 0.001))
        self._socket.sendall(len(message).to_bytes(LENGTH, "little") + message)

    def receive(self, largest: int, deadline: float | None = None, sentinel: int | None = None) -> bytes:
        """Return the next message.

        Args:
            largest: largest allowed size in bytes.
            deadline: a `time.monotonic()` time.
            sentinel: that of the sending process.

        Raises:
            TimeoutError: no message came by the deadline.
            EOFError: the connection or the process has ended.
            OSError: the message is too long, or the connection is broken.
        """
        length = int.from_bytes(self._read(LENGTH, deadline, sentinel), "little")
        if length > largest:
            raise OSError(f"a message of {length} bytes is too long: at most {largest} are allowed")
        return self._read(length, deadline, sentinel)

    def _read(self, size: int, deadline: float | None, sentinel: int | None) -> bytes:
        content = bytearray()
        self._socket.settimeout(None)
        sources: list[Any] = [self._socket] if sentinel is None else [self._socket, sentinel]
        while len(content) < size:
            if deadline is not None or sentinel is not None:
                ready = wait(sources, None if deadline is None else max(deadline - time.monotonic(), 0.0))
                if not ready:
                    raise TimeoutError
                if self._socket not in ready:
                    raise EOFError
            piece = self._socket.recv(size - len(content))
            if not piece:
                raise EOFError
            content += piece
        return bytes(content)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()
