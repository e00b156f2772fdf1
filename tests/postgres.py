"""A PostgreSQL cluster of its own in a temporary folder, reached by a Unix socket: for tests and
for scripts/crash_workers."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from tests.machine import PATIENCE_SECONDS


def programs() -> Path | None:
    """Return the folder with initdb and pg_ctl; None where PostgreSQL is not installed, or only
    root could start it."""
    found = [
        path.parent
        for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    ]
    if initdb := shutil.which("initdb"):
        found.append(Path(initdb).parent)
    return found[0] if found and _user() is not False else None


def _user() -> str | bool | None:
    """Return who is to run it: None is ourselves; False: we are root, and there is nobody else."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), False)


class Cluster:
    """One cluster. `url` is what goes into config.yaml."""

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder, self._bin, self._who = folder, programs(), _user()
        assert self._bin is not None and self._who is not False
        if isinstance(self._who, str):
            shutil.chown(folder, self._who)
        self._run(
            "initdb",
            "-D",
            "data",
            "-U",
            "sopwith",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
            "--locale=C",
        )
        with (folder / "data" / "postgresql.conf").open("a") as file:
            file.write(
                f"listen_addresses = ''\nunix_socket_directories = '{folder}'\nmax_connections = 60\n"
            )
            file.write(
                "" if durable else "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"
            )
        self.url = f"postgresql://sopwith@/postgres?host={quote(str(folder))}"

    def start(self) -> None:
        """Return when it takes connections."""
        self._run("pg_ctl", "-D", "data", "-w", "-l", "log", "start")

    def stop(self) -> None:
        """End it and all its connections."""
        self._run("pg_ctl", "-D", "data", "-m", "fast", "stop")

    @property
    def pid(self) -> int:
        """The process that starts all the others."""
        return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

    def new(self, name: str) -> str:
        """Return the address of a new, empty database."""
        self._run("createdb", "-h", str(self._folder), "-U", "sopwith", name)
        return self.url.replace("/postgres?", f"/{name}?")

    def _run(self, program: str, *words: str) -> None:
        assert self._bin is not None
        subprocess.run(
            [self._bin / program, *words],
            cwd=self._folder,
            user=self._who if isinstance(self._who, str) else None,
            env={"PATH": os.defpath, "LC_ALL": "C", "HOME": str(self._folder)},
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=PATIENCE_SECONDS,
        )


@contextmanager
def cluster(*, durable: bool = False) -> Iterator[Cluster]:
    """Yield a cluster that runs until the block is left. `durable`: it would survive a power cut,
    which costs time."""
    folder = Path(tempfile.mkdtemp(prefix="sopwith-pg-"))
    try:
        running = Cluster(folder, durable=durable)
        running.start()
        try:
            yield running
        finally:
            running.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
