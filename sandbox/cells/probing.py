"""Tries which sandbox works on this machine, by starting one: what is installed need not be
allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from config import Message
from sandbox.cells import bubblewrap, levels, mounts, seccomp
from sandbox.cells.levels import Level

PROBE_SECONDS = 30.0  # a busy machine is slow; a level below for that would last
# Setting: the value that closes user namespaces, the one that opens them.
_SWITCHES = {
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "10000"),
}
# File at the top of a container: the command that starts one in which walls can be built.
_OPEN = "run --security-opt seccomp=unconfined --security-opt apparmor=unconfined"
_CONTAINERS = {"/.dockerenv": f"docker {_OPEN} …", "/run/.containerenv": f"podman {_OPEN} …"}


def tried() -> Level:
    """Return the best that works here."""
    if sys.platform == "darwin":
        from sandbox.cells import seatbelt

        program = shutil.which(seatbelt.PROGRAM)
        return (
            Level("partial", Message("error.sandbox.seatbelt"), "", program)
            if program
            else Level("none", Message("error.sandbox.no-exec"))
        )
    if sys.platform != "linux":
        return Level("none", Message("error.sandbox.no-system", name=sys.platform))
    reason, fix = _try_walls()
    if not reason:
        return Level("full", program=levels.bubblewrap())
    found = try_landlock(reason)
    return (
        found._replace(fix=fix)
        if found
        else Level("none", Message("error.sandbox.no-landlock", reason=reason), fix)
    )


def try_landlock(reason: str) -> Level | None:
    """Return a partial level, for this reason; None where the kernel has no Landlock."""
    orders = mounts.orders(list=[], read=["/"], write=[], filter=b"", limits={}, env={})
    words = [*mounts.confine(orders), "/bin/sh", "-c", "exit 42"]
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            timeout=PROBE_SECONDS,
            pass_fds=[orders],
            check=False,
            env={},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    finally:
        os.close(orders)
    return Level("partial", reason) if done.returncode == 42 else None


def _try_walls() -> tuple[str, str]:
    """Return why no walls can be built, "" where they can; and what would help."""
    if levels.bubblewrap() == "bwrap":
        return Message("error.sandbox.no-bubblewrap"), "sudo apt-get install bubblewrap"
    if not seccomp.is_known():
        return Message("error.sandbox.no-filter", name=os.uname().machine), ""
    info = bubblewrap.file(seccomp.program(network="all"))
    try:
        words = [
            levels.bubblewrap(),
            *bubblewrap.wide([], info=info),
            "--as-pid-1",
            "--",
            "/bin/sh",
            "-c",
            "exit 42",
        ]
        done = subprocess.run(
            words, capture_output=True, timeout=PROBE_SECONDS, pass_fds=[info], check=False, env={}
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Message("error.sandbox.no-walls", error=error), ""
    finally:
        os.close(info)
    if done.returncode == 42:
        return "", ""
    said = " ".join(done.stderr.decode(errors="replace").partition(". See <")[0].split())[:160]
    return Message("error.sandbox.no-walls-here", text=said), fix_for_namespaces()


def fix_for_namespaces() -> str:
    """Return the command that opens user namespaces where a setting closes them, or the container;
    "" where none does."""
    container = next((_CONTAINERS[each] for each in _CONTAINERS if Path(each).exists()), "")
    for name, (closed, good) in _SWITCHES.items():
        file = Path("/proc/sys") / name.replace(".", "/")
        is_of_host = container and name.startswith("kernel.")
        if file.exists() and file.read_text().strip() == closed and not is_of_host:
            return f"sudo sysctl -w {name}={good}"
    return container
