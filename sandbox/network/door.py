"""Takes the listening sockets that a cell hands over, and serves who comes there: a thread for each
connection."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Sequence

Serve = Callable[[socket.socket], None]


class Door:
    """The sockets of one cell. It waits for them in the background; `close` ends all."""

    def __init__(self, serves: Sequence[Serve], most: int) -> None:
        """Set a function for each port of the cell, in their order (`serves`); serve at most `most`
        connections at a time."""
        self._serves = serves
        self._slots = threading.BoundedSemaphore(most)
        self._ours, self.theirs = socket.socketpair()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = {self._ours}
        self._is_closed = False
        threading.Thread(target=self._wait, daemon=True).start()

    def close(self) -> None:
        """End every connection; the sockets of the cell are ours no more. May be called again."""
        with self._lock:
            self._is_closed = True
            found = [*self._open]
        for each in found:
            _end(each)
        self.theirs.close()

    def _wait(self) -> None:
        """Take the listening sockets of the cell, once."""
        with self._held(self._ours):
            try:
                _, numbers, _, _ = socket.recv_fds(self._ours, 16, len(self._serves))
            except OSError:
                return
        for number, serve in zip(numbers, self._serves, strict=False):
            listening = socket.socket(fileno=number)
            threading.Thread(target=self._accept, args=(listening, serve), daemon=True).start()

    def _accept(self, listening: socket.socket, serve: Serve) -> None:
        with self._held(listening):
            while True:
                self._slots.acquire()
                try:
                    client, _ = listening.accept()
                except OSError:  # closed
                    self._slots.release()
                    return
                threading.Thread(target=self._served, args=(client, serve), daemon=True).start()

    def _served(self, client: socket.socket, serve: Serve) -> None:
        try:
            with self._held(client):
                serve(client)
        finally:
            self._slots.release()

    @contextlib.contextmanager
    def _held(self, each: socket.socket) -> Iterator[None]:
        """Keep a socket where `close` finds it; closes it at the end."""
        with each:
            with self._lock:
                self._open.add(each)
                is_late = self._is_closed
            try:
                if is_late:
                    _end(each)
                yield
            finally:
                with self._lock:
                    self._open.discard(each)


def _end(each: socket.socket) -> None:
    """Wake whoever reads from a socket, or accepts from it."""
    with contextlib.suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
