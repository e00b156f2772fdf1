"""Tries which sandbox works on this machine, by starting one: what is installed need not be allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from sandbox.cells import bubblewrap, levels, mounts, seccomp
from sandbox.cells.levels import Level

PROBE_SECONDS = 5.0


def tried() -> Level:
    """The best that works here."""
    if sys.platform == "darwin":
        from sandbox.cells import seatbelt

        program = shutil.which(seatbelt.PROGRAM)
        return (
            Level("partial", "macOS has Seatbelt alone", "", program)
            if program
            else Level("none", "no sandbox-exec")
        )
    if sys.platform != "linux":
        return Level("none", f"there is none for {sys.platform}")
    reason, fix, program = _try_bubblewrap()
    if program:
        return Level("full", program=program)
    found = try_landlock(reason)
    return (
        found._replace(fix=fix)
        if found
        else Level("none", f"{reason}, and the kernel has no Landlock", fix)
    )


def try_landlock(reason: str) -> Level | None:
    """A partial level, for this reason; None where the kernel has no Landlock."""
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


def _try_bubblewrap() -> tuple[str, str, str]:
    """Why it does not work, what would help, and the program if it does."""
    program = levels.bubblewrap()
    if not program:
        return "bubblewrap is not installed", "sudo apt-get install bubblewrap", ""
    if not seccomp.is_known():
        return f"no filter of system calls for {os.uname().machine}", "", ""
    info = bubblewrap.file(seccomp.program(network="all"))
    try:
        words = [
            program,
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
        return f"bubblewrap does not start: {error}", "", ""
    finally:
        os.close(info)
    if done.returncode == 42:
        return "", "", program
    said = " ".join(done.stderr.decode(errors="replace").split())[:160]
    return f"bubblewrap does not work here: {said}", fix_for_namespaces(), ""


def fix_for_namespaces() -> str:
    """Return the command that opens user namespaces where a setting closes them, "" where none does."""
    for name in (
        "kernel.apparmor_restrict_unprivileged_userns",
        "kernel.unprivileged_userns_clone",
    ):
        file = Path("/proc/sys") / name.replace(".", "/")
        good = "0" if "restrict" in name else "1"
        try:
            if file.read_text().strip() != good:
                return f"sudo sysctl -w {name}={good}"
        except OSError:
            continue
    return ""
