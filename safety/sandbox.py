"""Where code runs that nobody has read: how much this machine can hold, and the command line that holds it.

    full     bubblewrap: namespaces of its own, the system read-only, a filter of system calls, limits
    partial  Landlock, the same filter and limits (docs/safety.md says what that leaves open); on macOS Seatbelt
    none     nothing; the gate asks before code runs, and without the owner none runs

What a call may do beyond is the gate's word (`Lift`). Source: seed 000 (safety).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from safety import bubblewrap, seccomp
from safety.cgroups import Group
from safety.paths import SYSTEM_SECRETS, Places
from safety.repositories import Repositories, guarded

LevelName = Literal["full", "partial", "none"]
Kind = Literal["owner", "shared", "trial"]
Lift = Literal["network", "git", "all"]  # network; the settings of Git repositories; no sandbox at all
PROBE_SECONDS = 5.0
CONFINE = Path(__file__).with_name("confine.py")
CHECKOUT = Path(__file__).resolve().parent.parent
_CODE = ("launch.py", "agent_loop.py", "handler.py", "config.py", "sopwith", "assets", "context", "learning", "memory", "models", "runs", "safety", "sops", "tools", "ui", "scripts", ".venv")  # fmt: skip
# What a program may know of the owner's environment; a name that sounds like a secret never passes (tools/code_run.py).
_ALLOWED = frozenset(
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "LINES", "TZ", "TMPDIR", "PWD", "EDITOR", "VISUAL", "PAGER", "VIRTUAL_ENV", "PYENV_ROOT", "JAVA_HOME", "GOPATH", "GOROOT", "GOFLAGS", "CARGO_HOME", "RUSTUP_HOME", "GEM_HOME", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "SOPWITH_CALL"]
)  # fmt: skip
_ALLOWED_STARTS = ("LC_", "PYTHON", "CONDA_", "NVM_", "GIT_AUTHOR_", "GIT_COMMITTER_")
_PROGRAMS = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache")
_FOR_THE_NETWORK = frozenset(["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"])
# Sets the limits inside, where a limit on processes counts those of the sandbox alone; waits a moment for what the script
# left behind, as its output may still come, and tells descriptor 0, which is a pipe to us, what it was. Arguments: kB, blocks of 512, seconds,
# processes, then the command.
_INIT = """exec 3>&0 </dev/null 4>&2 2>/dev/null
trap : TERM
echo 1000 >/proc/self/oom_score_adj
ulimit -c 0; ulimit -d "$1"; ulimit -f "$2"; ulimit -t "$3"; ulimit -u "$4" || ulimit -p "$4"
shift 4
"$@" 3>&- 2>&4 4>&-
code=$?
turn=0
while [ $turn -lt 7 ]; do
    set -- /proc/[0-9]*
    [ $# -le 2 ] && exit $code
    sleep 0.05
    turn=$((turn + 1))
done
for each in /proc/[0-9]*; do
    [ "$each" = /proc/1 ] || [ "$each" = /proc/$$ ] || { tr '\\0' ' ' <"$each/cmdline"; echo; } >&3
done
exit $code
"""
_JOIN = 'for file in "$@"; do shift; [ "$file" = -- ] && break; echo 0 >"$file"; done 2>/dev/null; exec "$@"'


@dataclass(frozen=True, slots=True)
class Level:
    """What this machine can hold. `reason` is a line on why it is no more, `fix` the command that would help; "" if full."""

    name: LevelName
    reason: str = ""
    fix: str = ""
    program: str = ""  # bubblewrap, or sandbox-exec


@dataclass(frozen=True, slots=True)
class Limits:
    """Of each process, and where a control group can be made, `memory_bytes` and `processes` of all of a call together."""

    memory_bytes: int = 4 << 30
    processes: int = 512
    file_bytes: int = 4 << 30
    cpu_seconds: int = 3600


@dataclass(frozen=True, slots=True)
class Profile:
    """For whom code runs. `places` are those of the run; the first root of a "shared" one is its only folder."""

    kind: Kind
    places: Places
    limits: Limits = Limits()


@dataclass(slots=True)
class Cell:
    """One call's command, ready to be started with `env`, `descriptors` and `stdin` (-1: nothing to read); `close` it at
    the end."""

    argv: list[str]
    env: dict[str, str]
    is_namespace: bool  # the first process holds all others: they end with it
    descriptors: list[int] = field(default_factory=list)
    stdin: int = -1
    _told: int = -1
    _group: Group | None = None
    _missing: list[Path] = field(default_factory=list)
    _temporary: list[Path] = field(default_factory=list)

    def started(self) -> None:
        """To be called once the process is there: it has the descriptors now."""
        for descriptor in (*self.descriptors, self.stdin):
            if descriptor >= 0:
                os.close(descriptor)
        self.descriptors, self.stdin = [], -1

    def close(self, folder: Path) -> tuple[list[str], list[str]]:
        """Clears up. Returns the command lines of what the script had left running, and the start-up files that it had
        made: those are moved to `folder`, where nothing reads them at the next login."""
        self.started()
        left: list[str] = []
        if self._told >= 0:
            left = [line for line in _read_all(self._told).decode(errors="replace").splitlines() if line.strip()]
            os.close(self._told)
            self._told = -1
        if self._group:
            self._group.close()
        for own in self._temporary:
            shutil.rmtree(own, ignore_errors=True)
        taken = []
        for path in self._missing:
            if path.is_symlink() or path.exists():
                shutil.move(path, folder / f"taken-{path.name}")
                taken.append(str(path))
        return [line.strip()[:120] for line in left], taken


class Sandbox:
    """The sandbox of a run: `cell` for each call."""

    def __init__(self, level: Level, profile: Profile) -> None:
        self.level, self.profile = level, profile
        self._repositories = Repositories(profile.places.roots)

    def cell(
        self,
        argv: list[str],
        cwd: Path,
        env: Mapping[str, str],
        *,
        given: Mapping[str, str] | None = None,
        readable: Iterable[Path] = (),
        lifts: frozenset[Lift] = frozenset(),
    ) -> Cell:
        """The cell for one command. Of `env`, the owner's, little passes; `given` passes whole, to the command alone.

        `readable`: what it needs beyond the profile, such as its script. Raises OSError.
        """
        network = "network" in lifts and self.profile.kind == "owner"
        variables, given = environment(env, network=network), dict(given or {})
        if self.level.program.endswith("sandbox-exec"):
            return self._seatbelt(argv, cwd, variables | given, readable, network)
        if self.level.name == "full":
            return self._full(argv, cwd, variables, given, readable, lifts, network)
        return self._partial(argv, cwd, variables, given, readable, network)

    def _full(
        self,
        argv: list[str],
        cwd: Path,
        env: dict[str, str],
        given: dict[str, str],
        readable: Iterable[Path],
        lifts: frozenset[Lift],
        network: bool,
    ) -> Cell:
        places, limits, temporary = self.profile.places, self.profile.limits, list[Path]()
        info = _file(seccomp.program(network=True))
        told, tell = os.pipe()
        if self.profile.kind == "shared":
            walls = bubblewrap.minimal(places.roots[0], readable, cwd, info)
            env |= {"HOME": str(places.roots[0]), "TMPDIR": "/tmp"}
        else:
            temporary = self._temporary(env)
            gits = self._repositories.look(cwd)
            walls = bubblewrap.wide(
                [*_outermost(places.roots), *temporary],
                pinned=self._pinned(gits),
                kept=[*self._kept(gits, lifts, cwd), *readable],
                hidden=self._hidden(),
                network=network,
                cwd=cwd,
                info=info,
            )
        for name, value in given.items():
            walls += ["--setenv", name, value]
        # in a file, since everybody may read an argument, and bubblewrap itself must not act by a variable that is given
        words = _file(b"\0".join(os.fsencode(word) for word in walls) + b"\0")
        numbers = [limits.memory_bytes >> 10, limits.file_bytes >> 9, limits.cpu_seconds, limits.processes]
        inner = [
            "/bin/sh",
            "-c",
            _INIT,
            "sh",
            *map(str, numbers),
            *argv,
        ]
        group = Group(limits.memory_bytes, limits.processes)
        outer = ["/bin/sh", "-c", _JOIN, "sh", *group.files, "--"] if group.files else []
        line = [*outer, self.level.program, "--args", str(words), "--", *inner]
        return Cell(line, env, True, [info, words], tell, told, group, self._not_there(), temporary)

    def _partial(
        self,
        argv: list[str],
        cwd: Path,
        env: dict[str, str],
        given: dict[str, str],
        readable: Iterable[Path],
        network: bool,
    ) -> Cell:
        places, root = self.profile.places, self.profile.places.roots[0]
        listed, read, temporary = [Path("/")], list[Path](), list[Path]()
        if self.profile.kind == "shared":
            listed, write = [], [root]
            read = [Path(place) for place in (*_PROGRAMS, *bubblewrap.python_places())]
            env |= {"HOME": str(root), "TMPDIR": str(root)}
        else:
            hidden = self._hidden()
            guarded_places = [*hidden, *self._startup(), places.agent, *_code(cwd)]
            read = [*_around(Path("/"), [*hidden, Path("/proc")]), *_kernel()]
            write = [each for root in places.roots for each in _around(root, guarded_places)]
            temporary = self._temporary(env)
            write += temporary
        write += [
            Path(f"/dev/{name}") for name in ("null", "zero", "full", "random", "urandom", "tty", "shm", "ptmx", "pts")
        ]
        orders = _orders(
            list=listed,
            read=[*read, *readable, CONFINE],
            write=write,
            filter=seccomp.program(network=network) if seccomp.is_known() else b"",
            limits=_limits(self.profile.limits),
            env=given,
        )
        return Cell([*_confine(orders), *argv], env, False, [orders], _temporary=temporary)

    def _seatbelt(
        self, argv: list[str], cwd: Path, env: dict[str, str], readable: Iterable[Path], network: bool
    ) -> Cell:
        from safety import seatbelt

        words = seatbelt.command(
            self.profile.places.roots,
            kept=self._kept(self._repositories.look(cwd), frozenset(), cwd),
            hidden=self._hidden(),
            readable=readable,
            network=network,
        )
        return Cell([*words, *argv], env, False)

    def _temporary(self, env: dict[str, str]) -> list[Path]:
        """A folder for temporary files of this call alone, where the common one may not be written to."""
        places = self.profile.places
        if any(places.temporary.is_relative_to(root) for root in places.roots):
            return []
        own = tempfile.mkdtemp(prefix="sopwith-")
        env["TMPDIR"] = own
        return [Path(own)]

    def _kept(self, gits: list[Path], lifts: frozenset[Lift], cwd: Path) -> list[Path]:
        """What may be read and not written, though it lies in a root."""
        hooks = [place for git in gits for place in guarded(git, config="git" not in lifts)]
        return [*self._startup(), *hooks, *_code(cwd), self.profile.places.agent]

    def _pinned(self, gits: list[Path]) -> list[Path]:
        """Folders that cannot be moved away, so that another with the same name takes the place of what is guarded."""
        places = self.profile.places
        above = {path.parent for path in map(Path, places.startup) if path.exists() and path.parent != places.owner}
        return sorted(path for path in (*above, *gits) if any(path.is_relative_to(root) for root in places.roots))

    def _startup(self) -> list[Path]:
        return [path for path in map(Path, self.profile.places.startup) if path.exists()]

    def _not_there(self) -> list[Path]:
        """Start-up files that are not there now: one that is there afterwards was made by the call."""
        places = self.profile.places
        return [
            path
            for path in map(Path, places.startup)
            if any(path.is_relative_to(root) for root in places.roots) and not os.path.lexists(path)
        ]

    def _hidden(self) -> list[Path]:
        places = self.profile.places
        named = [*places.secrets, *SYSTEM_SECRETS, f"{places.agent}/config.yaml"]
        return [path for path in map(Path, named) if os.access(path, os.R_OK)]


def environment(variables: Mapping[str, str], *, network: bool) -> dict[str, str]:
    """What a sandbox passes on of the owner's variables."""
    return {
        name: value
        for name, value in variables.items()
        if name in _ALLOWED or name.startswith(_ALLOWED_STARTS) or (network and name.lower() in _FOR_THE_NETWORK)
    }


def probe(home: Path | None = None) -> Level:
    """What holds here, really tried. A success is noted in `home` and believed until the next boot."""
    key = _key() if home else ""
    note = home / "sandbox" if home else None
    if note is not None and key:
        try:
            if note.read_text("utf-8") == key:
                return Level("full", program=shutil.which("bwrap") or "")
        except (OSError, UnicodeDecodeError):
            pass  # not noted yet
    level = _tried()
    if level.name == "full" and note is not None and key:
        try:
            note.write_text(key, "utf-8")
        except OSError:
            return level  # tried again next time
    return level


def chosen(level: Level, wanted: str) -> Level:
    """What the owner's config makes of what there is: no more than `partial`, or nothing, if it says so."""
    if wanted == "none":
        return Level("none", "switched off in config.yaml")
    if wanted == "partial" and level.name == "full":
        found = _try_landlock("config.yaml asks for no more")
        return found or Level("none", "config.yaml asks for a partial sandbox, which this kernel does not have")
    return level


def runs_code(level: Level, wanted: str, *, attended: bool) -> tuple[Literal["yes", "ask", "no"], str]:
    """Whether code runs in a run for which the config says `wanted`, and why not, with how to get a sandbox."""
    if wanted == "none" or (level.name != "none" and wanted != "full") or level.name == "full":
        return "yes", ""
    why = f"{level.reason}. Get one: {level.fix}" if level.fix else level.reason
    return ("ask" if attended and wanted != "full" else "no"), why


def _tried() -> Level:
    if sys.platform == "darwin":
        from safety import seatbelt

        program = shutil.which(seatbelt.PROGRAM)
        return (
            Level("partial", "macOS has Seatbelt alone", "", program) if program else Level("none", "no sandbox-exec")
        )
    if sys.platform != "linux":
        return Level("none", f"there is none for {sys.platform}")
    reason, fix, program = _try_bubblewrap()
    if program:
        return Level("full", program=program)
    found = _try_landlock(reason)
    return replace(found, fix=fix) if found else Level("none", f"{reason}, and the kernel has no Landlock", fix)


def _try_bubblewrap() -> tuple[str, str, str]:
    """Why it does not work, what would help, and the program if it does."""
    program = shutil.which("bwrap")
    if not program:
        return "bubblewrap is not installed", "sudo apt-get install bubblewrap", ""
    if not seccomp.is_known():
        return f"no filter of system calls for {os.uname().machine}", "", ""
    info = _file(seccomp.program(network=True))
    try:
        words = [program, *bubblewrap.wide([], cwd=Path("/"), info=info), "--", "/bin/sh", "-c", "exit 42"]
        done = subprocess.run(words, capture_output=True, timeout=PROBE_SECONDS, pass_fds=[info], check=False, env={})
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start: {error}", "", ""
    finally:
        os.close(info)
    if done.returncode == 42:
        return "", "", program
    said = " ".join(done.stderr.decode(errors="replace").split())[:160]
    return f"bubblewrap does not work here: {said}", _fix_for_namespaces(), ""


def _fix_for_namespaces() -> str:
    for name in ("kernel.apparmor_restrict_unprivileged_userns", "kernel.unprivileged_userns_clone"):
        file = Path("/proc/sys") / name.replace(".", "/")
        good = "0" if "restrict" in name else "1"
        try:
            if file.read_text().strip() != good:
                return f"sudo sysctl -w {name}={good}"
        except OSError:
            continue
    return ""


def _try_landlock(reason: str) -> Level | None:
    orders = _orders(list=[], read=[Path("/")], write=[], filter=b"", limits={}, env={})
    words = [*_confine(orders), "/bin/sh", "-c", "exit 42"]
    try:
        done = subprocess.run(words, capture_output=True, timeout=PROBE_SECONDS, pass_fds=[orders], check=False, env={})
    except (OSError, subprocess.TimeoutExpired):
        return None
    finally:
        os.close(orders)
    return Level("partial", reason) if done.returncode == 42 else None


def _orders(
    *,
    list: Iterable[Path],
    read: Iterable[Path],
    write: Iterable[Path],
    filter: bytes,
    limits: dict[str, int],
    env: dict[str, str],
) -> int:
    """A descriptor with the orders of safety/confine.py."""
    places = {"list": [*map(str, list)], "read": [*map(str, read)], "write": [*map(str, write)]}
    return _file(json.dumps(places | {"filter": filter.hex(), "limits": limits, "env": env}).encode())


def _confine(orders: int) -> list[str]:
    return [os.path.realpath(sys.executable), "-I", "-S", "-B", str(CONFINE), str(orders)]


def _file(content: bytes) -> int:
    """A descriptor from which a child reads these bytes."""
    descriptor = os.memfd_create("sandbox")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _key() -> str:
    """Changes with all that a noted success depends on; "" where that cannot be told."""
    program = shutil.which("bwrap")
    if not program:
        return ""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        found = Path(program).stat()
    except OSError:
        return ""
    return (
        f"{boot} {program} {found.st_mtime_ns} {found.st_size} {os.geteuid()} {Path('/proc/self/ns/user').readlink()}"
    )


def _kernel() -> list[Path]:
    """/proc without the processes, whose environment would be seen."""
    return [path for path in Path("/proc").iterdir() if not path.name.isdecimal() and not path.is_symlink()]


def _outermost(roots: Iterable[Path]) -> list[Path]:
    """The roots that lie in no other: each mount takes its time."""
    roots = list(dict.fromkeys(roots))
    return [root for root in roots if not any(root != other and root.is_relative_to(other) for other in roots)]


def _limits(limits: Limits) -> dict[str, int]:
    return {
        "RLIMIT_CORE": 0,
        "RLIMIT_DATA": limits.memory_bytes,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_NPROC": limits.processes + 3500,  # it counts all that the owner runs
    }


def _code(cwd: Path) -> list[Path]:
    """Sopwith's own code: the whole checkout, or when the task works in it, its parts."""
    return (
        [CHECKOUT / name for name in _CODE if (CHECKOUT / name).exists()]
        if cwd.is_relative_to(CHECKOUT)
        else [CHECKOUT]
    )


def _around(folder: Path, left_out: Iterable[Path]) -> list[Path]:
    """Files and folders that together hold all of `folder` but what is left out: Landlock knows no exceptions."""
    inside = [path for path in left_out if path.is_relative_to(folder)]
    if not inside:
        return [] if any(folder.is_relative_to(path) for path in left_out) else [folder]
    if folder in inside:
        return []
    try:
        names = list(folder.iterdir())
    except OSError:
        return []
    return [each for name in names if not name.is_symlink() for each in _around(name, inside)]


def _read_all(descriptor: int) -> bytes:
    """What was told; the writers have ended."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, 65_536)
    except BlockingIOError:
        return b""
