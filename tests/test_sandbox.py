"""The sandbox, tried for real: each probe does what must not be possible, and the world outside is
looked at afterwards."""

import ipaddress
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from config import SafetyConfig
from models.base import ToolResult
from safety.gate import Ask, Gate
from safety.paths import Places
from sandbox.cells import levels, mounts, seatbelt, seccomp
from sandbox.cells.levels import Kind, Level, LevelName, Limits, Profile, Sandbox
from sandbox.network import NOTHING, Exits, Leave, Outside, leave_of
from tests.drained import result_of
from tests.machine import PATIENCE_SECONDS
from tests.rows import cases, rows
from tests.screen import waits_until
from tools.base import ToolContext, ToolError
from tools.scripts.calls import code_run
from tools.scripts.cells import Cell
from tools.scripts.pieces import cut

SECRET = "AAAAB3NzaC1yc2E-not-to-be-read"
FULL = levels.probe()
PARTIAL = levels.chosen(FULL, "partial")
LEVELS: dict[LevelName, Level] = {"full": FULL, "partial": PARTIAL}
SMALL = Limits(memory_bytes=200 << 20, processes=60, file_bytes=4 << 20, cpu_seconds=20)
ROOT = os.geteuid() == 0


@dataclass
class World:
    """A machine in small: an owner with keys and a repository, the agent's home, and a run at
    work."""

    owner: Path
    home: Path
    project: Path
    run: Path
    outside: Path

    @property
    def places(self) -> Places:
        return Places.of((self.owner,), self.home, self.owner, self.project)

    def context(
        self, level: Level, kind: Kind = "owner", leave: Leave = NOTHING, **more: Any
    ) -> ToolContext:
        places, limits = more.pop("places", self.places), more.pop("limits", SMALL)
        profile = Profile(kind, places, limits, more.pop("readable", ()))
        held = Sandbox(level, profile, more.pop("exits", None))
        return ToolContext(
            self.project,
            self.run,
            self.home,
            call="c1",
            sandbox=held,
            leave=lambda *_: leave,
            **more,
        )


@pytest.fixture
def world(tmp_path: Path, home: Path) -> World:
    owner, project = tmp_path / "owner", tmp_path / "owner" / "work" / "project"
    for folder in (
        project,
        owner / ".ssh",
        owner / ".config" / "autostart",
        home / "runs" / "r1",
        tmp_path / "outside",
    ):
        folder.mkdir(parents=True, exist_ok=True)
    (owner / ".ssh" / "id_ed25519").write_text(SECRET)
    (owner / ".bashrc").write_text("# mine\n")
    (owner / ".gitconfig").write_text("[user]\nname = O\nemail = o@example.org\n")
    (home / "config.yaml").write_text(f"models: [{{api_key: {SECRET}}}]\n")
    (home / "runs" / "r1" / "log.jsonl").write_text("{}\n")
    (tmp_path / "outside" / "file").write_text("as it was")
    subprocess.run(["git", "init", "-q", project], check=True)
    return World(owner, home, project, home / "runs" / "r1", tmp_path / "outside")


@pytest.fixture(params=["full", "partial"])
def level(request: pytest.FixtureRequest) -> Level:
    wanted: LevelName = request.param
    if LEVELS[wanted].name != wanted:
        pytest.skip(f"there is no {wanted} sandbox here: {LEVELS[wanted].reason}")
    return LEVELS[wanted]


@pytest.fixture
def full() -> Level:
    if FULL.name != "full":
        pytest.skip(f"there is no full sandbox here: {FULL.reason}")
    return FULL


def run(ctx: ToolContext, script: str, type: str = "bash", **more: Any) -> ToolResult:
    seconds = more.pop("timeout", 20)
    return result_of(code_run.run(ctx, type=type, script=script, timeout=seconds, **more))


WRITES, FULL_WRITES = rows(__name__, "writes"), rows(__name__, "full_writes")


def state(path: Path) -> Any:
    if path.is_dir():
        return sorted(each.name for each in path.iterdir())
    return path.read_bytes() if path.exists() else None


def test_nothing_that_is_guarded_changes(world: World, level: Level, tmp_path: Path) -> None:
    ctx, changed = world.context(level), []
    for what, *said in [*WRITES, *(FULL_WRITES if level.name == "full" else ())]:
        name, script = (text.replace("{checkout}", str(mounts.CHECKOUT)) for text in said)
        before = state(tmp_path / name)
        run(ctx, script)
        if state(tmp_path / name) != before:
            changed.append(what)
    assert changed == []


def test_a_new_start_up_file_is_moved_away_and_told(world: World, full: Level) -> None:
    result = run(world.context(full), "echo evil > ~/.zshrc")
    assert ".zshrc" in result.data["taken"]
    assert (world.run / "taken-.zshrc").read_text() == "evil\n"


READS = tuple(rows(__name__, "reads"))


def test_no_key_is_read(world: World, level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MY_API_KEY", "HARMLESS_LOOKING"):
        monkeypatch.setenv(name, SECRET)
    ctx = world.context(level)
    assert [script for script in READS if SECRET in run(ctx, script).data["output"]] == []


@pytest.mark.skipif(not ROOT, reason="only root can read it anyway")
def test_root_reads_no_passwords_and_sets_nothing_in_the_kernel(world: World, level: Level) -> None:
    setting = Path("/proc/sys/kernel/core_pattern")
    before = setting.read_text()
    result = run(
        world.context(level),
        f"cat /etc/shadow; echo x > {setting}; echo x > /proc/sysrq-trigger; ls -A /run/dbus",
    )
    assert "root:" not in result.data["output"]
    assert setting.read_text() == before


def test_other_processes_are_out_of_reach(world: World, level: Level) -> None:
    other = subprocess.Popen(["sleep", "30"], env={"PATH": os.defpath, "HIDDEN": SECRET})
    script = f"""
import ctypes, os
def tried(what):
    try: print(what())
    except OSError as error: print("no", error)
tried(lambda: os.kill({other.pid}, 9))
tried(lambda: open("/proc/{other.pid}/environ").read())
tried(lambda: open("/proc/{other.pid}/mem", "rb").read(1))
print("ptrace", ctypes.CDLL(None).ptrace(16, {other.pid}, 0, 0))
tried(lambda: os.kill({os.getpid()}, 10))
"""
    result = run(world.context(level), script, "python")
    assert other.poll() is None
    other.kill()
    other.wait()
    assert SECRET not in result.data["output"]
    assert "ptrace -1" in result.data["output"]
    assert result.data["output"].count("no [") == 4


@pytest.fixture
def listener() -> Iterator[tuple[int, list[Any]]]:
    """Yield a server on this machine; what reached it."""
    reached: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    reached.append(connection.recv(100))
                    connection.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], reached
        server.shutdown(socket.SHUT_RDWR)
        thread.join(2)


def test_the_network_is_off_but_for_named_hosts_through_the_proxy(
    world: World, level: Level, listener: tuple[int, list[Any]]
) -> None:
    port, reached = listener
    exits = Exits(world.run, lambda host, port: [ipaddress.ip_address("127.0.0.1")])
    ctx = world.context(level, leave=Leave(frozenset(["index.example"])), exits=exits)
    script = f"exec 5<>/dev/tcp/127.0.0.1/{port} && echo hello >&5; head -c1 <&5"
    datagram = (
        f"import socket; socket.socket(socket.AF_INET, 2).sendto(b'x', ('127.0.0.1', {port}))"
    )
    for each in (world.context(level), ctx):
        assert run(each, script).data["exit_code"] != 0
        assert level.name == "full" or run(each, datagram, "python").status == "error"
        assert reached == []
    ask = f"curl -sS -m 5 http://{{}}:{port}/"
    refused = run(ctx, ask.format("other.example")).data
    assert "not a host that this call may reach" in refused["output"] or refused["network"]
    assert reached == []
    run(ctx, ask.format("index.example"))
    assert reached and reached[0].startswith(b"GET /")


def test_no_unix_socket_is_reached_even_with_the_network(world: World, level: Level) -> None:
    name = f"sopwith-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket(socket.AF_UNIX) as agent:
        abstract.bind(f"\0{name}")
        agent.bind(str(world.project / "agent"))
        abstract.listen()
        agent.listen()
        script = f"""
import socket
for address in ("\\0{name}", "agent", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/tmp/.X11-unix/X0"):
    try:
        with socket.socket(socket.AF_UNIX) as s: s.connect(address); print("REACHED", address)
    except OSError as error: print(error)
"""
        exits = Exits(world.run, lambda host, port: [])
        for each in (world.context(level), world.context(level, exits=exits)):
            assert "REACHED" not in run(each, script, "python").data["output"]


def test_the_kernel_gives_no_more_rights(world: World, level: Level) -> None:
    script = """
import ctypes, fcntl, os, pty
libc = ctypes.CDLL(None, use_errno=True)
def said(name, result): print(name, "GOT" if result >= 0 else "no")
os.mkdir("m")
said("mount", libc.mount(b"none", b"m", b"tmpfs", 0, None))
said("bind", libc.mount(b"/", b"m", None, 4096, None))
said("unshare user", libc.unshare(0x10000000))
said("chroot", libc.chroot(b"m"))
said("bpf", libc.syscall(321 if os.uname().machine == "x86_64" else 280, 0, None, 0))
said("keyctl", libc.syscall(250 if os.uname().machine == "x86_64" else 219, 0, -3, 1))
said("io_uring", libc.syscall(425, 1, ctypes.create_string_buffer(200)))
said("setuid", libc.setuid(12345))
try: os.mknod("disk", 0o60600, os.makedev(8, 0)); open("disk", "rb").read(1); print("device GOT")
except OSError: print("device no")
master, slave = pty.openpty()
try: fcntl.ioctl(slave, 0x5412, b"x"); print("TIOCSTI GOT")
except OSError: print("TIOCSTI no")
try: os.chown("m", 1, 1); print("chown GOT")
except OSError: print("chown no")
"""
    lines = run(world.context(level), script, "python").data["output"].splitlines()
    assert len(lines) == 11
    assert [line for line in lines if line.endswith("GOT")] == []


def test_memory_files_and_processes_have_limits(world: World, level: Level) -> None:
    ctx = world.context(level)
    memory = run(ctx, "x = bytearray(400 << 20)", "python")
    assert "MemoryError" in memory.data["output"]
    run(ctx, "head -c 20000000 /dev/zero > big")
    assert (world.project / "big").stat().st_size == SMALL.file_bytes
    if level.name == "full" and (not ROOT or os.access("/sys/fs/cgroup/pids", os.W_OK) or os.access("/sys/fs/cgroup/cgroup.procs", os.W_OK)):  # fmt: skip
        script = """
import os, time
for count in range(200):
    try:
        if not os.fork(): time.sleep(9); os._exit(0)
    except OSError: break
print(count)
"""
        assert 10 < int(run(ctx, script, "python").data["output"]) <= SMALL.processes


def test_an_endless_fork_bomb_ends_with_its_time(world: World, full: Level) -> None:
    began = time.monotonic()
    result = run(world.context(full), "f() { f | f & }; f; sleep 30", timeout=1)
    assert result.status in ("timeout", "error")
    assert time.monotonic() - began < 20  # of half a minute


DAEMON_NAME = f"sopwith-daemon-{os.getpid()}"  # of no test beside this one
DAEMON = f"(setsid bash -c 'trap \"\" TERM HUP; exec -a {DAEMON_NAME} sleep 47' >/dev/null 2>&1 &)"


def test_no_daemon_outlives_the_call(world: World, level: Level) -> None:
    result = run(world.context(level), f"{DAEMON}; {DAEMON}; sleep 0.2; echo done")
    assert result.data["output"] == "done\n"
    assert not [
        p for p in psutil.process_iter(["cmdline"]) if (p.info["cmdline"] or [""])[0] == DAEMON_NAME
    ]
    assert any("sopwith-daemon" in line for line in result.data["stopped"])


def test_a_cell_that_is_closed_half_built_leaves_nothing(
    world: World, full: Level, tmp_path: Path
) -> None:
    """Bubblewrap's inner process waits for the outer one until the rights are set."""
    inner = f"sopwith-inner-{os.getpid()}"
    half_built = tmp_path / "half-built"
    half_built.write_text(f"#!/bin/bash\n(exec -a {inner} sleep 46) & wait\n")
    half_built.chmod(0o755)
    sandbox = world.context(full._replace(program=str(half_built))).sandbox
    assert sandbox
    planner = mounts.Planner(sandbox, world.run)
    cell = Cell(sandbox, planner.plan(world.project, is_staged=True))

    def is_there() -> bool:
        return any(
            (p.info["cmdline"] or [""])[0] == inner for p in psutil.process_iter(["cmdline"])
        )

    assert waits_until(is_there)
    cell.close()
    assert waits_until(lambda: not is_there(), 10)


def test_when_the_agent_is_killed_its_scripts_end(
    world: World, full: Level, tmp_path: Path
) -> None:
    orphan = f"sopwith-orphan-{os.getpid()}"
    code = f"""
import sys; sys.path.insert(0, {str(mounts.CHECKOUT)!r})
from pathlib import Path
from sandbox.cells import levels
from safety.paths import Places
from tools.base import ToolContext, ToolError
from tools.scripts.calls import code_run
from tools.scripts.pieces import cut
own, home = Path({str(world.project)!r}), Path({str(world.home)!r})
box = levels.Sandbox(levels.probe(), levels.Profile("owner", Places.of((own,), home, own, own)))
ctx = ToolContext(own, Path({str(world.run)!r}), home, call="c1", sandbox=box)
for said in code_run.run(ctx, "echo up; setsid -w bash -c 'exec -a {orphan} sleep 48'"): print(said, flush=True)
"""

    def orphans() -> list[int]:
        return [
            p.pid
            for p in psutil.process_iter(["cmdline"])
            if (p.info["cmdline"] or [""])[0] == orphan
        ]

    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as agent:
        assert agent.stdout
        assert agent.stdout.readline() == b"up\n"
        end = time.monotonic() + PATIENCE_SECONDS
        while not orphans() and time.monotonic() < end:
            time.sleep(0.02)
        assert orphans()
        agent.kill()
    while orphans() and time.monotonic() < end + PATIENCE_SECONDS:
        time.sleep(0.02)
    assert orphans() == []


def test_what_is_given_to_a_script_does_not_act_on_the_sandbox_itself(
    world: World, level: Level
) -> None:
    marker = world.outside / "loaded"
    (world.project / "sitecustomize.py").write_text(f"open({str(marker)!r}, 'w')")
    result = run(
        world.context(level),
        "echo $V",
        env={"PYTHONPATH": ".", "LD_PRELOAD": "./no.so", "V": "given $(x)"},
    )
    assert "given $(x)" in result.data["output"]
    assert not marker.exists()


def test_a_shared_session_sees_no_file_of_the_owner(
    world: World, full: Level, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (world.owner / "letter.txt").write_text("private")
    (scripts := world.run / "scripts").mkdir()
    places = world.places._replace(roots=(scratch,))
    ctx = world.context(
        full,
        "shared",
        leave=Leave(programs=(Outside(("id",), 0, 2),)),
        places=places,
        readable=(scripts,),
    )
    ctx.cwd = scratch
    script = f"""
import os, socket, json
print(os.environ["HOME"])
open("made", "w").write(json.dumps([1]))
for path in ("{world.owner}/letter.txt", "/etc/shadow", "{world.home}/runs/r1/log.jsonl"):
    try: print("READ", open(path).read())
    except OSError: pass
try: socket.create_connection(("127.0.0.1", 9), 1)
except ConnectionRefusedError: print("alone")
except OSError: print("alone")
"""
    output = run(ctx, script, "python").data["output"]
    assert "READ" not in output
    assert output.splitlines() == [str(scratch), "alone"]
    assert (scratch / "made").read_text() == "[1]"


WORKS = rows(__name__, "works")


def test_ordinary_work_goes_on(world: World, level: Level) -> None:
    ctx = world.context(level, limits=Limits())
    for what, script, said in WORKS:
        expected = said.replace("{uid}", str(os.getuid()))
        assert run(ctx, script).data == {"exit_code": 0, "output": expected}, what


@dataclass
class Started:
    """The processes of bubblewrap that a test has started."""

    known: set[int]

    def new(self) -> list[psutil.Process]:
        found = [child for child in psutil.Process().children() if child.pid not in self.known]
        return [
            each
            for each in found
            if each.status() != psutil.STATUS_ZOMBIE and each.name() == "bwrap"
        ]


@pytest.fixture
def started() -> Started:
    return Started({child.pid for child in psutil.Process().children()})


def test_a_script_cannot_end_or_stop_who_runs_it(
    world: World, full: Level, started: Started
) -> None:
    ctx = world.context(full)
    run(
        ctx,
        "kill -9 1; kill -STOP 1; kill -INT 1; kill -TERM 1; kill -CHLD 1; kill -9 -1",
        timeout=3,
    )
    assert run(ctx, "echo on").data["output"] == "on\n"
    assert len(started.new()) == 1


def test_git_changes_its_settings_when_that_is_let_through(world: World, full: Level) -> None:
    ctx = world.context(full, leave=Leave(git=True))
    assert (
        run(ctx, "git remote add origin https://example.org/x && git remote").data["output"]
        == "origin\n"
    )
    hook = world.project / ".git/hooks/post-commit"
    before = state(hook)
    run(ctx, "echo x > .git/hooks/post-commit; echo x > .git/hooks/pre-push")
    assert state(hook) == before and not hook.with_name("pre-push").exists()


def test_a_place_that_the_owner_has_allowed_is_written_to_and_none_beside_it(
    world: World, level: Level
) -> None:
    ctx = world.context(level, leave=Leave(places=(str(world.outside / "file"),)))
    run(ctx, "echo x > ../../../outside/file; echo y > /etc/sopwith-was-here")
    assert (world.outside / "file").read_text() == "x\n"
    assert not Path("/etc/sopwith-was-here").exists()


def test_a_file_with_secrets_is_read_when_the_owner_has_allowed_it(
    world: World, level: Level
) -> None:
    key = str(world.owner / ".ssh" / "id_ed25519")
    leave = Leave(files=(key,))
    assert SECRET not in run(world.context(level), f"cat {key}").data["output"]
    assert run(world.context(level, leave=leave), f"cat {key}").data["output"] == SECRET


OUTSIDE: list[tuple[str, list[str]]] = [(*row,) for row in rows(__name__, "outside")]


@pytest.mark.parametrize(("script", "expected"), OUTSIDE)
def test_one_program_works_outside_and_no_script(
    world: World, script: str, expected: list[str]
) -> None:
    gate = Gate(SafetyConfig(roots=(world.owner,)), world.home, world.owner, world.project)
    ask = Ask("code_run", {"script": script}, ("execute",), (world.project,), "main")
    found = leave_of(gate, ask)
    names = [" ".join(each.words) for each in found.programs] + [
        f"{each}?" for each in found.unclear
    ]
    assert names == expected


def test_what_is_before_a_program_outside_is_a_piece_of_its_own(world: World) -> None:
    gate = Gate(SafetyConfig(roots=(world.owner,)), world.home, world.owner, world.project)

    def pieces(script: str) -> list[str]:
        ask = Ask("code_run", {"script": script}, ("execute",), (world.project,), "main")
        return [
            f"{each.cwd.name}: {each.text}"
            for each in cut(script, world.project, leave_of(gate, ask))
        ]

    assert pieces("cd .. && git add -A\ngit push 2>&1 && echo pushed") == [
        "project: cd .. && git add -A",
        "work: git push",
        "work: echo pushed",
    ]
    for script in (
        "if true; then git push; fi",
        "(cd /tmp && git push)",
        "for n in 1 2; do git push; done",
        "git push | tail -3",
        "git push > log",
        "export GIT_DIR=x; git push",
        "x=$(git push)",
        "cd a; make; cd b; git push",
        "true || git push",
    ):
        with pytest.raises(ToolError, match="works outside the sandbox"):
            pieces(script)


@cases
def test_without_a_sandbox_the_gate_asks_or_refuses(
    world: World, runs_code: Any, decision: str, words: str
) -> None:
    gate = Gate(SafetyConfig(), world.home, world.owner, world.project, runs_code, "why")
    found = gate.decide(Ask("code_run", {"script": "ls"}, ("execute",), (), "main"))
    assert (found.decision, words in found.reason) == (decision, True)


def test_the_owner_is_told_what_leaves_the_sandbox(world: World) -> None:
    gate = Gate(SafetyConfig(), world.home, world.owner, world.project, sandboxed=True)
    for script, leaves in (("sudo ls", True), ("rm x", False)):
        found = gate.decide(Ask("code_run", {"script": script}, ("execute",), (), "main"))
        assert (found.decision, "outside the sandbox" in found.reason) == ("confirm", leaves)


def test_the_filter_is_whole_for_each_machine() -> None:
    for machine in ("x86_64", "aarch64"):
        code = seccomp.program(network="all", machine=machine)
        assert len(code) % 8 == 0
        assert len(code) // 8 < 4096
        assert code != seccomp.program(network="none", machine=machine)
    assert not seccomp.is_known("mips")


def test_seatbelt_profile_ends_with_what_is_guarded() -> None:
    words = seatbelt.command(
        ["/Users/o"], kept=["/Users/o/.zshrc"], hidden=['/Users/o/a"b'], readable=[], port=0
    )
    text = words[2]
    assert words[:2] == ["/usr/bin/sandbox-exec", "-p"]
    assert text.index('allow file-write* (subpath "/Users/o")') < text.index(
        'deny file-write* (subpath "/Users/o/.zshrc")'
    )
    assert '(deny file-read* file-write* (subpath "/Users/o/a\\"b"))' in text
    assert "(deny network*)" in text
    assert text.count("(") == text.count(")")


def test_parameters_and_walls_are_not_shown_in_the_list_of_processes(
    world: World, full: Level
) -> None:
    ctx = world.context(full, env={"PASSWORD": SECRET})
    calling = code_run.run(ctx, 'echo "$PASSWORD"; sleep 20')
    assert not isinstance(calling, ToolResult)
    assert next(calling) == f"{SECRET}\n"
    mine = psutil.Process().children(recursive=True)
    shown = json.dumps(
        [
            [process.cmdline(), process.environ()]
            for process in mine
            if "bwrap" in process.name() and process.status() != psutil.STATUS_ZOMBIE
        ]
    )
    calling.close()
    assert "supervisor" in shown
    assert SECRET not in shown
    assert str(world.owner) not in shown


def test_where_no_stage_sees_it_no_file_gets_the_rights_of_its_owner(world: World) -> None:
    script = "touch x; chmod 755 x; chmod u+s x; chmod 4755 x; python3 -c \"import os; os.chmod('x', 0o4755)\""
    run(world.context(PARTIAL), script)
    assert oct((world.project / "x").stat().st_mode & 0o7777) == "0o755"


def test_what_is_brought_back_does_not_go_where_a_link_of_the_script_leads(world: World) -> None:
    (world.outside / "authorized_keys").write_text("theirs\n")
    script = "cd; mv .ssh .keys; ln -s $OLDPWD/../../../outside .ssh; rm .bashrc; ln -s .ssh/made .bashrc"
    run(world.context(PARTIAL), script)
    assert (world.outside / "authorized_keys").read_text() == "theirs\n"
    assert not (world.outside / "made").exists()
    assert not (world.owner / ".bashrc").is_symlink()


def test_what_comes_to_a_place_that_decides_with_its_folder_is_moved_away(world: World) -> None:
    ctx = world.context(PARTIAL)
    run(
        ctx,
        "mkdir -p ~/k/conf.d && echo evil > ~/k/conf.d/a.fish; touch -d 2001-01-01 ~/k/conf.d/a.fish",
    )
    run(ctx, "mkdir -p ~/.config; mv ~/k ~/.config/fish; ln -s ~/.config/fish ~/.zshrc")
    assert not (world.owner / ".config/fish/conf.d/a.fish").exists()
    assert not (world.owner / ".zshrc").is_symlink()
