"""Connects standard input and output to a host through the proxy of the cell: the ProxyCommand of
ssh.

A program of its own, `dial.py PORT HOST HOST_PORT`, which uses no module of ours.
"""

from __future__ import annotations

import os
import socket
import sys
import threading


def main() -> int:
    """Return 0 when the other side has ended, 1 when the proxy does not let us through."""
    port, host, host_port = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    shown = f"[{host}]" if ":" in host else host
    with socket.create_connection(("127.0.0.1", port)) as way:
        way.sendall(f"CONNECT {shown}:{host_port} HTTP/1.1\r\n\r\n".encode())
        with way.makefile("rb", buffering=0) as answers:
            line = answers.readline().decode("ascii", "replace")
            while answers.readline().strip():
                pass
        status, _, why = line.partition(" ")[2].partition(" ")
        if status != "200":
            os.write(2, why.encode())
            return 1
        threading.Thread(target=_send, args=(way,), daemon=True).start()
        while data := way.recv(65_536):
            _write(data)
    return 0


def _send(way: socket.socket) -> None:
    while data := os.read(0, 65_536):
        way.sendall(data)
    way.shutdown(socket.SHUT_WR)


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    sys.exit(main())
