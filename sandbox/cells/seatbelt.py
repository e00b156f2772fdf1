"""The profile of macOS's `sandbox-exec` for the owner's tasks. It is held to its text by tests;
nothing here ran on a Mac."""

from __future__ import annotations

from collections.abc import Iterable

PROGRAM = "/usr/bin/sandbox-exec"


def command(
    roots: Iterable[str],
    *,
    kept: Iterable[str],
    hidden: Iterable[str],
    readable: Iterable[str],
    port: int,
) -> list[str]:
    """Return the words before the command. The last rule that fits decides, so what is guarded
    comes last."""
    lines = [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        *(_rule("allow file-write*", root) for root in (*roots, "/dev", "/private/var/folders")),
        *(_rule("deny file-write*", place) for place in kept),
        *(_rule("deny file-read* file-write*", place) for place in hidden),
        *(_rule("allow file-read*", place) for place in readable),
        "(deny signal)",
        "(allow signal (target same-sandbox))",
        "(deny mach-priv-task-port)",
        "(deny appleevent-send)",
        "(deny network*)",
        *([f'(allow network-outbound (remote ip "localhost:{port}"))'] if port else []),
        '(deny network-outbound (remote unix-socket (path-literal "/var/run/docker.sock")))',
    ]
    return [PROGRAM, "-p", "\n".join(lines)]


def _rule(what: str, place: str) -> str:
    quoted = place.replace("\\", "\\\\").replace('"', '\\"')
    return f'({what} (subpath "{quoted}"))'
