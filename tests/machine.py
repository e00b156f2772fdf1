"""What tests ask of the machine: patience with it, and a port that nobody else has."""

from __future__ import annotations

import contextlib
import random
import socket

PATIENCE_SECONDS = (
    150.0  # of a test that waits for something: what a busy machine makes late is no failure
)


def free_port() -> int:
    """A port of loopback that nobody uses, and none of those that the kernel gives to whoever asks for any: until it is
    used no other test has it."""
    for port in random.SystemRandom().sample(range(12_000, 30_000), 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("a hundred ports are taken")
