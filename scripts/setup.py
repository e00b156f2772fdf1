"""Makes Sopwith's private environment from the pinned versions in requirements/*.lock, with the
standard library only.

    scripts/setup [--venv DIR] [--extra test] [--extra llama]

A copy of each installed lock lies in the environment: where it equals the lock, nothing is to be
done. `unfinished` lies there while an installation is under way: a set-up that was interrupted is
started over.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
REQUIREMENTS = CHECKOUT / "requirements"
WITHOUT_DEPENDENCIES = ("llama",)  # these locks list all that is wanted of them


class SetupError(Exception):
    """Two lines for the owner: what failed, what would work."""


def main() -> int:
    """Set up what the arguments ask for; exit code 0, 1 (failed), or 130 (interrupted)."""
    extras = sorted(
        path.stem for path in REQUIREMENTS.glob("*.lock") if path.stem not in ("core", "installer")
    )
    parser = argparse.ArgumentParser(description="Makes Sopwith's private environment.")
    parser.add_argument("--venv", type=Path, default=CHECKOUT / ".venv", help="where it is made")
    parser.add_argument(
        "--extra", action="append", default=[], choices=extras, help="more than the core"
    )
    options = parser.parse_args()
    try:
        set_up(options.venv.absolute(), ["core", *options.extra])
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(
            f"Sopwith could not be set up: {error}.\nMake room or give the right to write there.",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print("The set-up was interrupted; the next call starts it over.", file=sys.stderr)
        return 130
    return 0


def set_up(folder: Path, names: list[str]) -> None:
    """Install the locks `names` into the environment at `folder`; do nothing when they are
    installed."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with alone(folder.parent):
        locks = {name: (REQUIREMENTS / f"{name}.lock").read_bytes() for name in names}
        missing = [name for name in names if not is_installed(folder, name, locks[name])]
        if missing:
            start = time.monotonic()
            install(folder, missing)
            for name in missing:
                (folder / f"{name}.lock").write_bytes(locks[name])
            (folder / "unfinished").unlink()
            say(f"ready after {time.monotonic() - start:.0f} s")


def install(folder: Path, names: list[str]) -> None:
    """Make the environment if need be and install the locks `names`; leave the mark
    `unfinished`."""
    python = folder / "bin/python"
    unfinished = folder / "unfinished"
    if unfinished.exists() or not works(python):
        say(f"making a private Python environment in {folder}")
        folder.mkdir(exist_ok=True)
        unfinished.touch()  # --clear takes it away: until the line after, the missing pip tells
        venv.EnvBuilder(clear=True, symlinks=True, with_pip=True, prompt="sopwith").create(folder)
    unfinished.touch()
    say("fetching the installer")
    installer = ["--require-hashes", "-r", str(REQUIREMENTS / "installer.lock")]
    pip = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
    ]
    mirror = run([str(python), "-m", "pip", "config", "get", "global.index-url"]).stdout.strip()
    if mirror:  # uv does not read pip's files
        os.environ.setdefault("UV_DEFAULT_INDEX", mirror)
    has_uv = run([*pip, *installer]).returncode == 0 and (folder / "bin/uv").exists()
    uv = [
        str(folder / "bin/uv"),
        "pip",
        "install",
        "--quiet",
        "--compile-bytecode",
        "--python",
        str(python),
    ]
    for name in names:
        say(f"installing {count(name)} packages ({name}.lock)")
        wanted = ["--require-hashes", *(["--no-deps"] if name in WITHOUT_DEPENDENCIES else [])]
        wanted += ["-r", str(REQUIREMENTS / f"{name}.lock")]
        if has_uv and run([*uv, *wanted]).returncode == 0:
            continue
        by_pip = run([*pip, *wanted])
        if by_pip.returncode:
            raise SetupError(explain(by_pip.stderr))


def works(python: Path) -> bool:
    """Return True when this interpreter starts and has a pip of its own."""
    try:
        return (
            subprocess.run(
                [python, "-m", "pip", "--version"], capture_output=True, check=False
            ).returncode
            == 0
        )
    except OSError:
        return False


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run an installer to its end, with its words kept."""
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", env=environment(), check=False
    )


def environment() -> dict[str, str]:
    """Return the caller's environment, where uv is told what the caller tells pip, and neither
    looks at other environments."""
    env = {**os.environ, "PIP_USER": "0", "PIP_RETRIES": os.environ.get("PIP_RETRIES", "1")}
    for name in ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "VIRTUAL_ENV"):
        env.pop(name, None)
    for ours, theirs in (("PIP_INDEX_URL", "UV_DEFAULT_INDEX"), ("PIP_CERT", "SSL_CERT_FILE")):
        if ours in env:
            env.setdefault(theirs, env[ours])
    return env


def explain(errors: str) -> str:
    """Return the two lines for pip's many."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()] or ["no reason given"]
    said = next(
        (line for line in lines if "No space left" in line or "DO NOT MATCH" in line), lines[-1]
    )
    todo = "Mend that"
    if (
        "No matching distribution found" in errors
    ):  # pip's words for an index that does not answer, too
        said = f"the package index does not answer, or does not have what is pinned ({said})"
        todo = "Connect to the network, or set PIP_INDEX_URL to a mirror,"
    return f"Sopwith could not be set up: {said[:300]}\n{todo} and run the same command again."


def is_installed(folder: Path, name: str, lock: bytes) -> bool:
    """Return True when the environment was made from exactly this lock."""
    copy = folder / f"{name}.lock"
    return (folder / "bin/python").exists() and copy.exists() and copy.read_bytes() == lock


def count(name: str) -> int:
    """Return how many packages a lock lists (a few are for other platforms)."""
    return sum(
        "==" in line and not line.startswith(" ") for line in (REQUIREMENTS / f"{name}.lock").open()
    )


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other set-up works in `folder`. The lock is on the folder itself and ends with
    the process."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another set-up to finish")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def say(text: str) -> None:
    """Progress, on stderr: stdout belongs to the command that follows."""
    print(f"sopwith set-up: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
