"""Lay out the mounts of a sandbox for one call, and the command lines that build them.

A plan is drawn for each call, since what must be guarded changes: an editor has put another file in
the place of `.bashrc`. Where two plans are equal, the cell that was built for the first serves the
second (tools/scripts/cells.py).
"""

from __future__ import annotations

import marshal
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from safety.paths import SYSTEM_SECRETS
from sandbox.cells import bubblewrap, seccomp
from sandbox.cells.levels import Limits, Profile, Sandbox
from sandbox.cells.making import Maker
from sandbox.kernel import python
from sandbox.network import NOTHING, Leave
from sandbox.undo.places import is_below, is_inside

CONFINE = Path(__file__).with_name("confine.py")
SUPERVISOR = Path(__file__).with_name("supervisor.py")
CHECKOUT = Path(__file__).resolve().parent.parent.parent
_CODE = ("*.py", "*/__init__.py", "sopwith", "assets", "sops", "scripts", ".venv")
# Variables of the owner's environment that a program may know; a name that sounds like a secret
# never passes (tools/scripts/calls.py).
_ALLOWED = frozenset(
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "LINES", "TZ", "TMPDIR", "EDITOR", "VISUAL", "PAGER", "VIRTUAL_ENV", "PYENV_ROOT", "JAVA_HOME", "GOPATH", "GOROOT", "GOFLAGS", "CARGO_HOME", "RUSTUP_HOME", "GEM_HOME", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "SOPWITH_CALL"]
)  # fmt: skip
_ALLOWED_STARTS = ("LC_", "PYTHON", "CONDA_", "NVM_", "GIT_AUTHOR_", "GIT_COMMITTER_")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "shm", "ptmx", "pts")


def supervisor(talk: int, door: str, *limits: int) -> list[str]:
    """Return the words that start a supervisor. `limits`: bytes of memory and of a file, CPU
    seconds, processes."""
    return [*python(), str(SUPERVISOR), str(talk), door, *map(str, limits)]


class Plan(NamedTuple):
    """The walls of a cell, as paths. `seen` holds which files and mounts these are now: another
    file by the same name needs another cell, since a mount goes with the file that it was made
    on."""

    port: int  # of the proxy, where the network has no namespace of its own; 0: no network
    roots: tuple[str, ...]
    pinned: tuple[str, ...]
    kept: tuple[str, ...]
    hidden: tuple[str, ...]
    seen: tuple[object, ...]


class Planner:
    """Draws the plans of a run."""

    def __init__(self, sandbox: Sandbox, temporary: Path | None = None) -> None:
        """`temporary`: the run's own folder for temporary files, where the common one may not be
        written to."""
        self.profile: Profile = sandbox.profile
        places = self.profile.places
        self.own = (str(temporary),) if temporary else ()
        self.roots = tuple(_outermost([*map(str, places.roots), *self.own]))
        found = [each for name in _CODE for each in CHECKOUT.glob(name)]
        self._parts = [str(each.parent if each.name == "__init__.py" else each) for each in found]

    def plan(
        self, cwd: Path, leave: Leave = NOTHING, port: int = 0, *, is_staged: bool = False
    ) -> Plan:
        """Return the plan for one call."""
        if is_staged:
            return self._staged(cwd, leave)
        if self.profile.kind == "shared":
            return Plan(0, self.roots, (), (), (), ())
        if self.profile.kind == "dry":
            return self._staged(cwd, leave)._replace(roots=self.roots)
        places, roots = self.profile.places, tuple(_outermost([*self.roots, *leave.folders]))
        startup = [path for path in places.startup if os.access(path, os.F_OK)]
        above = {path.rpartition("/")[0] for path in startup} - {str(places.owner)}
        pinned = tuple(sorted(path for path in above if self.is_writable(path)))
        kept = (*startup, *self._code(cwd), str(places.agent))
        hidden = self.hidden(cwd, leave.files)
        return Plan(port, roots, pinned, kept, hidden, _seen((*pinned, *kept, *hidden)))

    def imaged(self, plan: Plan, roots: Iterable[str], fixed: Iterable[str]) -> Plan:
        """Return the plan for a call of which images are kept: it writes in their folders alone,
        start-up files too, but not in what is `fixed`."""
        startup = self.profile.places.startup
        kept = (*(path for path in plan.kept if path not in startup), *fixed)
        hidden = (*plan.hidden, str(self.profile.places.agent))
        return plan._replace(roots=(*self.own, *roots), kept=kept, hidden=hidden)

    def _staged(self, cwd: Path, leave: Leave) -> Plan:
        """Return the plan for calls that work in a stage: it covers the roots, and what it cannot
        cover stays as it is."""
        hidden, code = self.hidden(cwd, leave.files), tuple(self._code(cwd))
        # bubblewrap puts its own folders there, above which a root must be seen again
        covered = (root for root in self.roots if root.startswith(("/dev/", "/run/")))
        roots = tuple(dict.fromkeys((*self.own, *covered)))
        return Plan(0, roots, (), code, hidden, _seen((*code, *hidden)))

    def _code(self, cwd: Path) -> list[str]:
        """Sopwith's own code: the whole checkout, or when the task works in it, its parts. A part
        that is a link can be guarded only with the folder that it stands in, and what it leads
        to."""
        links = [os.path.realpath(part) for part in self._parts if os.path.islink(part)]  # noqa: PTH114 - as in _seen
        is_elsewhere = links or not cwd.is_relative_to(CHECKOUT)
        return [str(CHECKOUT), *links] if is_elsewhere else self._parts

    def is_writable(self, path: str) -> bool:
        """Return True if a path lies in a root."""
        return any(is_below(path, root) for root in self.roots)

    def hidden(self, cwd: Path, shown: Sequence[str] = ()) -> tuple[str, ...]:
        """Return what is not to be seen and is there; the owner has allowed to read `shown`."""
        places = self.profile.places
        own = (f"{places.agent}/{name}" for name in ("config.yaml", "MEMORY.md"))
        named = (*places.secrets, *SYSTEM_SECRETS, *own, *places.secrets_below(cwd))
        there = [path for path in named if os.access(path, os.R_OK)]
        wanted = [path for path in there if not any(is_below(each, path) for each in shown)]
        # a key in a folder that is hidden whole has no place any more on which to mount
        return tuple(_outermost(wanted))

    def maker(self, plan: Plan) -> Maker | None:
        """Return what makes files for a command in folders of which it may not have all; None where
        there is no such folder. Raises OSError."""
        walls = [*plan.hidden, *plan.kept]
        above = {str(folder) for path in walls for folder in Path(path).parents}
        folders = [each for each in above if any(is_below(each, root) for root in plan.roots)]
        if not folders or not seccomp.is_known():
            return None
        granted = _writable(plan)
        return Maker(folders, plan.roots, walls, granted, self.profile.places.agent)

    def confined(
        self, plan: Plan, readable: Iterable[Path], env: Mapping[str, str], maker: Maker | None
    ) -> int:
        """Return the orders of sandbox/cells/confine.py for a command of the owner's, as a
        descriptor."""
        network: Literal["streams", "none"] = "streams" if plan.port else "none"
        read = [*_around("/", [*plan.hidden, "/proc"]), *_kernel()]
        devices = (f"/dev/{name}" for name in _DEVICES)
        return orders(
            list=["/"],
            read=[*read, *map(str, readable), str(CONFINE)],
            write=[*_writable(plan), *devices, *(maker.spares if maker else ())],
            asks=maker.inner.fileno() if maker else -1,
            asking=seccomp.asking() if maker else b"",
            ports=[plan.port] if plan.port else [],
            filter=seccomp.program(network=network) if seccomp.is_known() else b"",
            limits=_limits(self.profile.limits),
            env=dict(env),
        )

    def seatbelt(self, plan: Plan, readable: Iterable[Path]) -> list[str]:
        """Return the words before a command on macOS."""
        from sandbox.cells import seatbelt

        return seatbelt.command(
            plan.roots,
            kept=plan.kept,
            hidden=plan.hidden,
            readable=map(str, readable),
            port=plan.port,
        )


def words(profile: Profile, plan: Plan, info: int) -> list[str]:
    """Return what bubblewrap is told. `info`: the descriptor of the filter."""
    if profile.kind == "shared":
        return bubblewrap.minimal(profile.places.roots[0], (*profile.readable, SUPERVISOR), info)
    return bubblewrap.wide(
        plan.roots, pinned=plan.pinned, kept=plan.kept, hidden=plan.hidden, info=info
    )


def holds_ports() -> bool:
    """Return True where a sandbox without a network namespace can be held to one port."""
    from sandbox.cells import confine

    try:
        return sys.platform == "darwin" or confine.known() >= confine.HOLDS_PORTS
    except OSError:
        return False


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return what a sandbox passes on of the owner's variables."""
    return {
        name: value
        for name, value in variables.items()
        if name in _ALLOWED or name.startswith(_ALLOWED_STARTS)
    }


def take_away(missing: Iterable[str], folder: Path) -> list[str]:
    """Move what was missing and is there now to `folder`, where nothing reads it at the next
    login."""
    taken = []
    for path in missing:
        if os.path.lexists(path):
            shutil.move(path, folder / f"taken-{path.rpartition('/')[2]}")
            taken.append(path)
    return taken


def orders(*, ports: Sequence[int] = (), asks: int = -1, **given: object) -> int:
    """Return a descriptor with the orders of sandbox/cells/confine.py."""
    return bubblewrap.file(marshal.dumps({"ports": [*ports], "asks": asks, **given}))


def confine(orders: int) -> list[str]:
    """Return the words before the command."""
    return [*python(), str(CONFINE), str(orders)]


def _writable(plan: Plan) -> list[str]:
    """Return what together holds all that a command may write to."""
    left_out = [*plan.hidden, *plan.kept]
    return [each for folder in plan.roots for each in _around(folder, left_out)]


def _seen(paths: Iterable[str]) -> tuple[object, ...]:
    seen: list[object] = []
    for path in paths:
        try:
            found = os.stat(path)  # noqa: PTH116 - before each call, dozens of times: a Path takes longer than the look
        except OSError:
            seen.append(None)
        else:
            seen.append((found.st_dev, found.st_ino))
    # what is mounted later would be seen inside, and could be written to
    if sys.platform == "linux":
        seen.append(Path("/proc/self/mountinfo").read_bytes())
    return tuple(seen)


def _kernel() -> list[str]:
    """/proc without the processes, whose environment would be seen."""
    with os.scandir("/proc") as entries:
        return [
            entry.path for entry in entries if not entry.name.isdecimal() and not entry.is_symlink()
        ]


def _outermost(roots: Iterable[str]) -> list[str]:
    """Return the paths that lie in no other: each mount takes its time."""
    roots = list(dict.fromkeys(roots))
    return [root for root in roots if not any(is_inside(root, other) for other in roots)]


def _limits(limits: Limits) -> dict[str, int]:
    return {
        "RLIMIT_CORE": 0,
        "RLIMIT_DATA": limits.memory_bytes,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_NPROC": limits.processes + 3500,  # it counts all that the owner runs
    }


def _around(folder: str, left_out: Iterable[str]) -> list[str]:
    """Files and folders that together hold all of `folder` but what is left out: Landlock knows no
    exceptions. Before each call, over thousands of names: a Path takes ten times as long."""
    if any(is_below(folder, path) for path in left_out):
        return []
    within = folder.rstrip("/") + "/"
    inside = [path for path in left_out if path.startswith(within)]
    if not inside:
        return [folder]
    deeper = {path[len(within) :].partition("/")[0] for path in inside}
    found: list[str] = []
    for name in _names_in(folder, inside):
        found += _around(within + name, inside) if name in deeper else [within + name]
    return found


def _names_in(folder: str, left_out: Iterable[str]) -> list[str]:
    """Return the names in a folder but for links, and other names of what is left out; none of one
    that we may not read."""
    files = (os.lstat(path) for path in left_out if os.path.isfile(path))  # noqa: PTH113 - as above
    linked = {each.st_ino for each in files if each.st_nlink > 1}
    try:
        with os.scandir(folder) as entries:
            real = [entry for entry in entries if not entry.is_symlink()]
            return [entry.name for entry in real if entry.inode() not in linked]
    except OSError:
        return []
