"""Asks the broker to run a program outside the cell, and says what it says.

A program of its own, `shim.py PORT NAME ARGS…`, which uses no module of ours. What comes back are
frames: a byte (1 output, 2 errors, 0 the exit code), four bytes of length, the data.
"""

from __future__ import annotations

import os
import socket
import sys

NO_ANSWER = 126


def main() -> int:
    """Return the exit code of the program."""
    words = b"\0".join(map(os.fsencode, sys.argv[2:]))
    try:
        way = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    except OSError as error:
        os.write(2, f"{sys.argv[2]}: nobody outside the sandbox answers: {error}\n".encode())
        return NO_ANSWER
    with way, way.makefile("rb") as answers:
        way.sendall(len(words).to_bytes(4, "big") + words)
        while head := answers.read(5):
            data = answers.read(int.from_bytes(head[1:], "big"))
            if head[0] == 0:
                return int(data)
            _write(head[0], data)
    return NO_ANSWER


def _write(number: int, data: bytes) -> None:
    while data:
        data = data[os.write(number, data) :]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # `ps | head`
        os._exit(141)
