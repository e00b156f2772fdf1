"""Programs in an open shell that hide who they are or what they ask: behind ssh, behind `exec`, in
a flood, in another shell."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.base import ToolResult
from tests.machine import PATIENCE_SECONDS, free_port
from tests.test_shell import ASK, PASSWORD, Desk
from tools.base import ToolError
from tools.shells.calls import open_shell

ASKED = (
    f"{shlex.quote(sys.executable)} -c {shlex.quote(ASK.replace('Key', '[sudo] password for me'))}"
)


@pytest.fixture(name="desk")
def without_a_sandbox(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "desk").mkdir()
    found = Desk(tmp_path / "desk")
    yield found
    found.ctx.close()


def lacks(*programs: str) -> str:
    """Return which of these are not here, for who skips a test."""
    return ", ".join(each for each in programs if not shutil.which(each))


def whole(desk: Desk, result: ToolResult, wanted: str) -> str:
    """Return what a program has said when this is in it, or it has ended; a loaded machine may make
    a pause before."""
    said, end = str(result.data["output"]), time.monotonic() + PATIENCE_SECONDS
    while wanted not in said and result.data["exit_code"] is None and time.monotonic() < end:
        result = desk.keys()
        said += str(result.data["output"])
    return said


@pytest.mark.skipif(bool(lacks("script")), reason="script (bsdutils) is not installed")
def test_a_password_behind_another_terminal_is_the_owners_and_typed_once(desk: Desk) -> None:
    result = desk.run(f"script -qec {shlex.quote(f'{ASKED}; read more; echo got $more')} /dev/null")
    assert "[password" in whole(desk, result, "[password")
    assert len(desk.asked) == 1
    result = desk.keys()
    assert result.data["waits_for"] == "keys"  # the `read` behind it, which nothing was typed into
    assert desk.keys("words").data["output"].endswith("got words\n")
    assert PASSWORD not in desk.stream


@pytest.mark.skipif(bool(lacks("script")), reason="script (bsdutils) is not installed")
def test_no_model_types_a_password_behind_another_terminal(desk: Desk) -> None:
    desk.said = None
    result = desk.run(f"script -qec {shlex.quote(ASKED)} /dev/null")
    assert result.data["waits_for"] == "a password"
    with pytest.raises(ToolError, match="typed by its owner"):
        desk.keys("guess")
    desk.said = PASSWORD
    assert "[password" in desk.keys().data["output"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Yield the words that log in to an sshd of this machine, by a key of its own."""
    sshd = shutil.which("sshd") or "/usr/sbin/sshd"
    if missing := lacks("ssh", "ssh-keygen", sshd):
        pytest.skip(f"not installed: {missing} (openssh-server, openssh-client)")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    for name in ("host", "key"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True
        )
    port = free_port()
    settings = {"Port": port, "ListenAddress": "127.0.0.1", "HostKey": tmp_path / "host", "PidFile": "none", "StrictModes": "no", "AuthorizedKeysFile": tmp_path / "key.pub", "PermitRootLogin": "yes", "UsePAM": "no"}  # fmt: skip
    (tmp_path / "settings").write_text(
        "".join(f"{name} {value}\n" for name, value in settings.items())
    )
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([sshd, "-D", "-e", "-f", tmp_path / "settings"], stderr=log)
    end = time.monotonic() + PATIENCE_SECONDS
    while (
        "listening" not in (tmp_path / "log").read_text()
        and process.poll() is None
        and time.monotonic() < end
    ):
        time.sleep(0.02)
    login = f"ssh -p {port} -i {tmp_path / 'key'} -o IdentitiesOnly=yes -o UserKnownHostsFile={tmp_path / 'known'} 127.0.0.1"
    # as who is no root, sshd may give no terminal
    tried = f"{login.replace('-p', '-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -p', 1)} -tt true"
    if subprocess.run(tried, shell=True, capture_output=True, check=False).returncode:
        process.kill()
        process.wait()
        pytest.skip(f"no login by ssh here: {(tmp_path / 'log').read_text()[-200:]}")
    yield login
    process.kill()
    process.wait()


def test_ssh_asks_for_its_host_and_what_it_runs_for_a_password(desk: Desk, server: str) -> None:
    assert "yes/no" in desk.run(f"{server} -t {shlex.quote(ASKED)}").data["output"]
    assert f"{len(PASSWORD)} [password" in whole(desk, desk.keys("yes"), "closed.")
    assert len(desk.asked) == 1
    assert "password for me:" in desk.asked[0]


def test_a_shell_that_has_become_another_program_is_that_program(desk: Desk) -> None:
    desk.run("read line", timeout=5)
    assert open_shell(desk.ctx, {})["is_shell"]  # bash itself reads
    desk.keys("x")
    desk.run("exec sh", timeout=5)
    about = open_shell(desk.ctx, {})
    assert not about["is_shell"]
    assert about["program"] == ["sh"]
    assert "42" in desk.keys("echo $((6*7))").data["output"]
    assert "has ended" in desk.keys("exit").data["note"]
