"""Holds what a script in a cell reaches: pip, git, npm, curl, requests through the proxy, single
programs through the broker."""

import io
import ipaddress
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import CGIHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from config import SafetyConfig
from models.base import ToolResult
from safety.gate import Ask, Gate
from safety.paths import Places
from safety.reach import PrivateAddress
from sandbox.broker import forms, host_programs
from sandbox.broker.host_programs import Untrusted, program
from sandbox.cells import Profile, Sandbox, levels
from sandbox.network import Exits, Leave, leave_of, local_ports, read
from tests.drained import result_of
from tests.rows import rows
from tests.site import Asked, Page, site
from tools.base import ToolContext
from tools.scripts import code_run

HOST = "index.example"


class World:
    """A run of an owner, whose cells find each host of `.example` on this machine."""

    def __init__(self, folder: Path) -> None:
        self.level = levels.probe()
        if self.level.name != "full":
            pytest.skip(f"there is no full sandbox here: {self.level.reason}")
        self.owner, self.home, self.run = folder / "owner", folder / "home", folder / "home" / "run"
        for each in (self.owner, self.run):
            each.mkdir(parents=True)
        profile = Profile("owner", Places.of((self.owner,), self.home, self.owner, self.owner))
        self.sandbox = Sandbox(self.level, profile, Exits(self.run, self._find))

    @staticmethod
    def _find(host: str, port: int) -> list[Any]:
        if not host.endswith(".example"):
            raise PrivateAddress(f"{host} is not public")
        return [ipaddress.ip_address("127.0.0.1")]

    def __call__(self, script: str, *hosts: str, type: str = "bash", **more: Any) -> ToolResult:
        ctx = ToolContext(
            self.owner,
            self.run,
            self.home,
            call="c1",
            sandbox=self.sandbox,
            leave=lambda *_: Leave(frozenset(hosts)),
        )
        return result_of(code_run.run(ctx, script=script, type=type, timeout=90, **more))

    def said(self, script: str, *hosts: str, **more: Any) -> str:
        """Return the output of a script that must succeed."""
        result = self(script, *hosts, **more)
        assert result.status == "ok", result.data
        return str(result.data["output"])


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "world")


@pytest.fixture(name="site")
def _site() -> Iterator[tuple[int, dict[str, bytes]]]:
    """Yield the port of a host that is up, and its files by path."""
    files = {"/": b"hello"}

    def answer(asked: Asked) -> Page:
        found = files.get(asked.path.split("?")[0])
        kind = "text/html" if asked.path.endswith("/") else "application/octet-stream"
        return Page(found or b"", kind, 404 if found is None else 200)

    with site(answer) as port:
        yield port, files


Site = tuple[int, dict[str, bytes]]


def test_curl_and_python_reach_named_hosts_alone(world: World, site: Site) -> None:
    port = site[0]
    assert world.said(f"curl -sS http://{HOST}:{port}/", HOST) == "hello"
    assert (
        world.said(f"curl -sS --socks5-hostname 127.0.0.1:3128 http://{HOST}:{port}/", HOST)
        == "hello"
    )
    for library in ("urllib.request.urlopen(u).read().decode()", "requests.get(u).text"):
        module = library.split(".get")[0].split(".urlopen")[0]
        script = f"import {module}; u = 'http://{HOST}:{port}/'; print({library})"
        assert world.said(script, HOST, type="python") == "hello\n"
    result = world(f"curl -sS -f http://other.example:{port}/", HOST)
    assert result.status == "error"
    assert "403" in result.data["output"]
    assert "other.example" in result.data["network"]
    assert "hosts=" in result.data["network"]


def test_one_command_of_the_network_opens_it_for_no_other(world: World, site: Site) -> None:
    """`wget --version; ./prog` opened the whole network for `prog`."""
    (world.owner / "prog").write_text(
        f"#!/bin/sh\ncurl -sS -m 5 http://evil.example:{site[0]}/\n"
        f"exec 5<>/dev/tcp/127.0.0.1/{site[0]} && echo reached\n"
    )
    (world.owner / "prog").chmod(0o755)
    gate = Gate(SafetyConfig(roots=(world.owner,)), world.home, world.owner, world.owner)
    ask = Ask(
        "code_run", {"script": "wget --version; ./prog"}, ("execute",), (world.owner,), "main"
    )
    result = world("wget --version; ./prog", *leave_of(gate, ask).hosts)
    assert "hello" not in result.data["output"]
    assert "reached" not in result.data["output"]
    assert [row["state"] for row in read(world.run)] == ["refused"]


def test_what_is_allowed_holds_for_one_call(world: World, site: Site) -> None:
    script = f"curl -s -f http://{HOST}:{site[0]}/"
    assert world.said(script, HOST) == "hello"
    assert world(script).status == "error"


def test_a_script_may_serve_and_ask_itself(world: World) -> None:
    script = """
python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 &
for _ in $(seq 100); do curl -sf http://localhost:8123/ >/dev/null && break; sleep 0.1; done
curl -sf http://127.0.0.1:8123/ | grep -c Directory; kill %1"""
    assert world.said(script).splitlines()[0] != "0"


def test_a_port_of_this_machine_is_reached_when_the_owner_names_it(
    world: World, site: Site
) -> None:
    port = site[0]
    script = f"curl -sS -m 5 http://localhost:{port}/"
    assert world(script).status == "error"
    ports = local_ports(f"does http://localhost:{port}/ answer?", ["127.0.0.1:1", "nas.local:80"])
    assert ports == [port, 1]
    world.sandbox = Sandbox(
        world.level, world.sandbox.profile, Exits(world.run, world._find, ports)
    )
    assert world.said(script) == "hello"
    assert [(row["host"], row["port"], row["kind"]) for row in read(world.run)] == [
        ("localhost", port, "local")
    ]


def test_pip_installs_through_the_proxy(world: World, site: Site) -> None:
    port, files = site
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("tinypkg.py", "word = 'from the index'\n")
        packed.writestr(
            "tinypkg-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tinypkg\nVersion: 1.0\n"
        )
        packed.writestr(
            "tinypkg-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        packed.writestr("tinypkg-1.0.dist-info/RECORD", "")
    name = "tinypkg-1.0-py3-none-any.whl"
    files |= {
        f"/simple/tinypkg/{name}": wheel.getvalue(),
        "/simple/tinypkg/": f'<a href="{name}">{name}</a>'.encode(),
    }
    pip = shutil.which("pip3") or shutil.which("pip")
    line = (
        f"{sys.executable} -m pip"
        if subprocess.run(
            [sys.executable, "-m", "pip", "--version"], capture_output=True
        ).returncode
        == 0
        else pip
    )
    assert line, "no pip on this machine"
    script = (
        f"{line} install --isolated --no-cache-dir --disable-pip-version-check -q --target lib --trusted-host {HOST}"
        f" -i http://{HOST}:{port}/simple tinypkg 2>&1 && PYTHONPATH=lib python3 -c 'import tinypkg; print(tinypkg.word)'"
    )
    assert world.said(script, HOST).splitlines()[-1] == "from the index"
    shutil.rmtree(world.owner / "lib")
    result = world(script)
    assert result.status == "error"
    assert HOST in result.data["network"]


def test_npm_installs_through_the_proxy(world: World, site: Site) -> None:
    if not shutil.which("npm"):
        pytest.skip("there is no npm on this machine")
    port, files = site
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        text = b'{"name": "tinypkg", "version": "1.0.0"}'
        entry = tarfile.TarInfo("package/package.json")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text))
    version = {
        "name": "tinypkg",
        "version": "1.0.0",
        "dist": {"tarball": f"http://{HOST}:{port}/tinypkg.tgz"},
    }
    about = {"name": "tinypkg", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    files |= {"/tinypkg": json.dumps(about).encode(), "/tinypkg.tgz": packed.getvalue()}
    script = f"npm install --no-audit --no-fund --cache ./cache --registry http://{HOST}:{port}/ tinypkg >&2 && ls node_modules"
    assert world.said(script, HOST).splitlines()[-1] == "tinypkg"


class Repositories(CGIHTTPRequestHandler):
    """Git's own server of repositories."""

    have_fork = False  # as root it would become nobody, who may not read the folder of a test

    def is_cgi(self) -> bool:
        """Everything is."""
        self.cgi_info = "/git", self.path.removeprefix("/git/")
        return True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_git_clones_and_pushes_over_http_through_the_proxy(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = Path("/usr/lib/git-core/git-http-backend")
    if not backend.exists():
        pytest.skip("there is no git-http-backend on this machine")
    (served := tmp_path / "served" / "git").mkdir(parents=True)
    (served / "backend").write_text(f"#!/bin/sh\nexec {backend}\n")
    (served / "backend").chmod(0o755)
    subprocess.run(
        ["git", "init", "-q", "--bare", "-b", "main", tmp_path / "repositories" / "one.git"],
        check=True,
    )
    subprocess.run(
        ["git", "-C", tmp_path / "repositories" / "one.git", "config", "http.receivepack", "true"],
        check=True,
    )
    monkeypatch.setenv("GIT_PROJECT_ROOT", str(tmp_path / "repositories"))
    monkeypatch.setenv("GIT_HTTP_EXPORT_ALL", "1")
    monkeypatch.chdir(tmp_path / "served")
    with ThreadingHTTPServer(("127.0.0.1", 0), Repositories) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://{HOST}:{server.server_port}/git/backend/one.git"
        script = f"""
export GIT_AUTHOR_NAME=O GIT_AUTHOR_EMAIL=o@example.org GIT_COMMITTER_NAME=O GIT_COMMITTER_EMAIL=o@example.org HOME=$PWD
git clone -q {address} one && cd one && echo x > f && git add f && git commit -qm first && git push -q origin HEAD:main
git clone -q {address} ../two && cat ../two/f"""
        assert world.said(script, HOST).splitlines()[-1] == "x"
        result = world(f"git clone {address} three")
        server.shutdown()
    assert result.status == "error"
    assert HOST in result.data["network"]


def test_git_over_ssh_goes_through_the_proxy(world: World, site: Site) -> None:
    """Git hands its ssh a ProxyCommand; here a program that stands for ssh runs it and asks for a
    page."""
    (world.owner / "bin").mkdir()
    (world.owner / "bin" / "ssh").write_text(
        '#!/bin/bash\n[ "$1" = -o ] || exit 9\ncommand=${2#ProxyCommand=}\ncommand=${command//%h/$HOST_HERE}\n'
        'command=${command//%p/$PORT_HERE}\nprintf "GET / HTTP/1.0\\r\\n\\r\\n" | sh -c "$command" >&2\nexit 1\n'
    )
    (world.owner / "bin" / "ssh").chmod(0o755)
    script = f"PATH=$PWD/bin:$PATH HOST_HERE={HOST} PORT_HERE={site[0]} git clone git@{HOST}:team/project"
    assert "hello" in world(script, HOST).data["output"]
    closed = world(script).data["output"]
    assert "hello" not in closed
    assert f"{HOST} is not a host" in closed


# Scripts that left the sandbox by a name, or by an option of a known program; each would make the
# file `out`.
ESCAPES = dict(rows(__name__, "escapes"))


@pytest.mark.parametrize("script", ESCAPES.values(), ids=ESCAPES)
def test_no_script_leaves_its_cell_by_a_name(world: World, tmp_path: Path, script: str) -> None:
    out, calls = tmp_path / "out", tmp_path / "calls"
    result = world(script.format(out=out))
    assert not out.exists()
    assert not calls.exists()
    assert "root:" not in result.data["output"]
    assert "PATH=" not in result.data["output"]


LOOKS: dict[str, Any] = dict(rows(__name__, "looks"))


@pytest.mark.parametrize(("script", "word"), LOOKS.items())
def test_programs_that_look_see_the_machine(world: World, script: str, word: str) -> None:
    if not shutil.which(script.split()[0]):
        pytest.skip(f"there is no {script.split()[0]} on this machine")
    assert word in world.said(script.replace("{pid}", str(os.getpid())))


def test_each_row_of_programs_is_read_and_refuses_what_it_does_not_name() -> None:
    assert len(forms.table()) > 50
    for name in forms.table():
        assert forms.why_not(name.split()) == "", name
        assert forms.why_not([*name.split(), "--no-such-option=1"]) != "", name
        assert forms.why_not([*name.split(), "/etc/\nshadow\0"]) != "", name


def test_the_broker_runs_what_belongs_to_root_alone(tmp_path: Path) -> None:
    assert program("ls").is_absolute()
    for name in ("../ls", "/bin/ls", "", ".", "no-such-program-here"):
        with pytest.raises(Untrusted):
            program(name)
    tool = tmp_path / "tool"
    shutil.copy("/bin/ls", tool)
    for mode in (0o755, 0o775, 0o757):
        tool.chmod(mode)
        with pytest.raises(Untrusted, match="others than root may change"):
            program("tool", [str(tmp_path)])  # the folders above it are open to others


def test_the_environment_of_a_program_outside_is_not_the_scripts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_PRELOAD_X", "1")
    monkeypatch.setenv("PS_FORMAT", "args")
    known = ["PATH", "LANG", "TERM", "HOME", "USER", "LOGNAME", "XDG_RUNTIME_DIR", "TZ"]
    assert set(host_programs.environment()) <= set(known)
    assert "PID" in world.said("PS_FORMAT=args LD_PRELOAD=/tmp/x.so PROCPS_USERLEN=1 ps")


def test_a_program_outside_ends_with_the_script_that_asked(world: World) -> None:
    if not shutil.which("vmstat"):
        pytest.skip("there is no vmstat on this machine")
    world("(vmstat 7 &) ; sleep 0.5")
    for _ in range(100):
        if subprocess.run(["pgrep", "-fx", "vmstat 7"], capture_output=True).returncode:
            return
        threading.Event().wait(0.1)
    raise AssertionError("vmstat still runs")


LEAVES = {
    "curl -s https://a.example.org/x": {"a.example.org", "www.a.example.org"},
    "git clone git@github.com:x/y": {"github.com", "codeload.github.com"},
    "pip install x": {"pypi.org", "files.pythonhosted.org"},
    "python3 -m pip install x": {"pypi.org"},
    "timeout 60 npm ci": {"registry.npmjs.org"},
    "git fetch": {"own.example.org"},
    "git push origin main": {"own.example.org"},
    "git status; ./prog": set(),
    "pip --version; ./prog": set(),
    "wget --version; ./prog": set(),
    "echo curl https://a.example.org/": set(),
    "./prog": set(),
}


@pytest.mark.parametrize(("script", "hosts"), LEAVES.items())
def test_the_hosts_of_a_call_are_those_that_it_names(
    tmp_path: Path, script: str, hosts: set[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = https://own.example.org/x.git\n'
    )
    gate = Gate(
        SafetyConfig(roots=(tmp_path,), hosts=("always.example",)),
        tmp_path / "h",
        tmp_path,
        tmp_path,
    )
    ask = Ask(
        "code_run",
        {"script": script},
        ("execute",),
        (tmp_path,),
        "main",
        "look at said.example.com",
    )
    found = leave_of(gate, ask).hosts
    assert hosts <= found
    assert {"always.example", "said.example.com"} <= found
    named = {each.removeprefix("www.") for each in found} - {"always.example", "said.example.com"}
    assert bool(named) == bool(hosts)


@pytest.mark.parametrize(
    ("request_text", "decision"), [("ask api.example.com", "allow"), ("sort my files", "confirm")]
)
def test_a_host_that_a_call_asks_for_is_put_to_the_owner(
    tmp_path: Path, request_text: str, decision: str
) -> None:
    gate = Gate(SafetyConfig(roots=(tmp_path,)), tmp_path / "h", tmp_path, tmp_path)
    args = {"script": "./prog", "hosts": ["api.example.com"]}
    ask = Ask("code_run", args, ("execute",), (tmp_path,), "main", request_text)
    found = gate.decide(ask)
    assert found.decision == decision
    assert decision == "allow" or "api.example.com" in found.reason
    assert "api.example.com" in leave_of(gate, ask).hosts
