"""Shells that stay open: real bash, Python, less and vi on a terminal, and what can go wrong
there."""

import os
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from models.base import ToolResult
from safety.paths import Places
from safety.secrets import Redactor
from sandbox.cells.levels import Profile, Sandbox, chosen, probe
from sandbox.network import Leave, Outside
from tests.drained import drained
from tests.machine import PATIENCE_SECONDS
from tests.screen import waits_until
from tools.base import ToolContext, ToolError
from tools.shells import calls as shell
from tools.shells import process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals on Windows")
OURS = f"sopwith-left-{os.getpid()}"  # what no test beside these starts
PYTHON = shlex.quote(sys.executable)
PASSWORD = "wombat-Flight_77"
ASK = "import getpass; p = getpass.getpass('Key: '); print(len(p), p)"


class Desk:
    """A run's context, with its tools called and their streams kept."""

    def __init__(self, folder: Path, sandbox: Sandbox | None = None) -> None:
        self.asked: list[str] = []
        self.said: str | None = PASSWORD
        for name in ("run", "work"):
            (folder / name).mkdir()
        self.ctx = ToolContext(
            folder / "work",
            folder / "run",
            folder,
            "call",
            20,
            redact=Redactor({}),
            secret=self._secret,
            sandbox=sandbox,
        )
        self.stream = ""

    def _secret(self, question: str) -> str | None:
        self.asked.append(question)
        return self.said

    def run(self, script: str, **more: Any) -> ToolResult:
        return self._whole(shell.shell_run.run(self.ctx, script, **more))

    def keys(
        self, text: str | None = None, keys: list[str] | None = None, **more: Any
    ) -> ToolResult:
        return self._whole(shell.shell_keys.run(self.ctx, text, keys, **more))

    def _whole(self, running: Any) -> ToolResult:
        told, result = drained(running)
        self.stream = "".join(told)
        assert isinstance(result, ToolResult)
        return result


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Yield a run without a sandbox."""
    (tmp_path / "desk").mkdir()
    found = Desk(tmp_path / "desk")
    yield found
    found.ctx.close()


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Callable[[str], Desk]]:
    """Yield a run with the best sandbox of this machine, or the one that is named."""
    made: list[Desk] = []

    def make(wanted: str = "auto") -> Desk:
        level = chosen(probe(), wanted)
        if level.name == "none" or (wanted == "auto" and level.name != "full"):
            pytest.skip(f"no such sandbox here: {level.reason}")
        folder = tmp_path / f"desk{len(made)}"
        folder.mkdir()
        places = Places.of((folder / "work",), folder / "home", folder / "owner", folder / "work")
        made.append(Desk(folder, Sandbox(level, Profile("owner", places))))
        return made[-1]

    yield make
    for each in made:
        each.ctx.close()


def shells_alive(mark: str) -> list[str]:
    """Return the command lines of whatever carries this word in its own."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
            except OSError:
                continue
            if mark in words:
                found.append(words)
    return found


def test_a_shell_remembers(desk: Desk) -> None:
    desk.run("x=3; f() { echo f$1; }; mkdir sub; cd sub")
    result = desk.run("echo $x $(f 4); pwd; sleep 300 & ( exit 7 )")
    assert (result.status, result.data["exit_code"]) == ("error", 7)
    assert result.data["output"].split()[:2] == ["3", "f4"] and result.data["output"].split()[
        2
    ].endswith("/sub")
    assert desk.run("echo $?; jobs").data["output"].startswith("7\n[1]")
    assert desk.run("echo other; pwd", name="two").data["output"].endswith("/work\n")


def test_scripts_of_many_lines_and_odd_bytes(desk: Desk) -> None:
    said = desk.run("cat <<'END'\n中文 $x\n\tend\nEND\nfor i in 1 2; do\n  echo \"n $i\"\ndone")
    assert said.data["output"] == "中文 $x\n\tend\nn 1\nn 2\n"
    assert (
        desk.run("printf 'a\\xff\\xfeb\\x00c\\n'; printf '\\xe4\\xb8'").data["output"]
        == "a��b␀c\n�"
    )
    broken = desk.run("if true; then\necho (")
    assert broken.status == "error" and "syntax error" in broken.data["output"]
    assert desk.run("echo on").data == {"exit_code": 0, "output": "on\n"}
    assert desk.run(f"echo {'字' * 50_000} | wc -m").data["output"].split() == ["50001"]


def test_nothing_in_the_output_ends_a_command(desk: Desk) -> None:
    fakes = "set; declare -f; echo \"$PROMPT_COMMAND\"; printf '\\033]sopwith;0123456789abcdef;0;/\\007'; echo still here"
    result = desk.run(f"{fakes}; exit_now() {{ return 5; }}; exit_now")
    assert result.data["exit_code"] == 5 and "still here" in result.data["output"]
    assert desk.run("PS1='$ '; PS2='>'; PROMPT_COMMAND='echo boo'; true").status == "ok"
    assert desk.run("echo ok").data["output"] == "ok\n"
    assert desk.run("exec 3>&1 >out.txt; echo hidden").data == {"exit_code": 0, "output": ""}
    assert desk.run("exec >&3; cat out.txt").data["output"] == "hidden\n"
    assert (
        desk.run("stty -echo raw; echo left so").status == "ok"
    )  # a program that leaves its terminal in a mess
    assert desk.run("echo mended").data["output"] == "mended\n"


def test_a_program_that_asks_is_noticed_and_answered(desk: Desk) -> None:
    asked = desk.run("read -p 'Name? ' name; echo \"hello $name\"")
    assert asked.data["waits_for"] == "a line" and asked.data["output"] == "Name? "
    assert desk.keys("小明").data["output"].endswith("hello 小明\n")
    started = desk.run(f"{PYTHON} -q -E")
    assert started.data["waits_for"] in ("a line", "keys") and "python" in started.data["program"]
    assert "42" in desk.keys("6*7").data["output"]
    assert desk.keys("import sys; sys.exit(9)").data["exit_code"] == 9
    with pytest.raises(ToolError, match="nothing runs"):
        desk.keys("rm -rf /")


def test_the_owner_types_passwords_and_nobody_reads_them(desk: Desk) -> None:
    result = desk.run(f'{PYTHON} -c "{ASK}"')
    assert result.data["exit_code"] == 0 and result.data["output"].startswith("Key: ")
    assert f"{len(PASSWORD)} [password" in result.data["output"]
    assert desk.asked == [f"{sys.executable} -c {ASK}: Key:"]
    assert PASSWORD not in desk.stream + str(result.data)
    assert desk.run(f"echo {PASSWORD}").data["output"] == "[password 1]\n"
    desk.ctx.close()
    assert not [
        file
        for file in desk.ctx.folder.rglob("*")
        if file.is_file() and PASSWORD in file.read_text()
    ]


def test_without_an_owner_a_password_waits(desk: Desk) -> None:
    desk.said = None
    result = desk.run(f'{PYTHON} -c "{ASK}"')
    assert result.data["waits_for"] == "a password" and "not there" in result.data["note"]
    with pytest.raises(ToolError, match="typed by its owner"):
        desk.keys("guess")
    desk.said = PASSWORD
    assert "[password" in desk.keys().data["output"]


def test_an_end_that_is_read_late_is_no_question(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine takes the terminal's output late: bash reads its next line before that."""
    is_readable = process._is_readable

    def is_readable_late(descriptor: int, seconds: float | None) -> bool:
        found = is_readable(descriptor, seconds)
        if seconds is None:  # the thread that reads
            time.sleep(0.3)
        return found

    monkeypatch.setattr(process, "_is_readable", is_readable_late)
    assert desk.run("x=5; true").data == {"exit_code": 0, "output": ""}
    assert desk.run("echo $x").data == {"exit_code": 0, "output": "5\n"}


def test_a_screen_is_read_as_a_screen(desk: Desk) -> None:
    (desk.ctx.cwd / "long.txt").write_text("\n".join(f"line {n}" for n in range(200)))
    if not shutil.which("less"):
        pytest.skip("less is not installed")
    first = desk.run("less long.txt")
    assert first.data["waits_for"] == "keys" and "line 30" in str(first.data)
    screen = desk.keys(keys=["page-down"], screen=True).data["screen"]
    assert "line 45" in screen and "line 10\n" not in screen
    assert desk.keys("q", enter=False).data["exit_code"] == 0


def test_vi_writes_a_file(desk: Desk) -> None:
    if not shutil.which("vi"):
        pytest.skip("vi is not installed")
    opened = desk.run("vi note.txt")
    assert "note.txt" in opened.data["screen"]
    assert (
        "hello 中文" in desk.keys("ihello 中文", ["esc"], enter=False, screen=True).data["screen"]
    )
    assert desk.keys(":wq").data["exit_code"] == 0
    assert (desk.ctx.cwd / "note.txt").read_text() == "hello 中文\n"


def test_what_takes_longer_runs_on_and_can_be_stopped(desk: Desk) -> None:
    assert desk.run("true").status == "ok"  # it is up, however slow this machine is just now
    late = desk.run("echo begun; sleep 50; echo never", timeout=2)
    assert (
        late.status == "timeout"
        and late.data["output"] == "begun\n"
        and "sleep 50" in late.data["reason"]
    )
    with pytest.raises(ToolError, match="sleep 50 still runs"):
        desk.run("echo no")
    stopped = desk.keys(keys=["ctrl-c"])
    assert stopped.data["exit_code"] == 130 and "never" not in str(stopped.data)
    loop = desk.run("while :; do :; done", timeout=1)
    assert loop.status == "timeout" and desk.keys(keys=["ctrl-c"]).data["exit_code"] == 130


def test_a_flood_is_bounded_and_a_server_nobody_listens_to_goes_on(desk: Desk) -> None:
    result = desk.run("seq 1000000")
    assert result.data["exit_code"] == 0 and len(result.data["output"]) < 14_000
    assert (
        "1000000" in result.data["output"] and Path(result.data["file"]).stat().st_size > 6_000_000
    )
    desk.run("(seq 3000000; echo done >&2; touch finished) & sleep 0.1")
    end = time.monotonic() + PATIENCE_SECONDS
    while not (desk.ctx.cwd / "finished").exists():  # nobody reads its 20 MB meanwhile
        assert time.monotonic() < end
        threading.Event().wait(0.05)


def test_a_shell_that_ends_is_opened_anew(desk: Desk) -> None:
    ended = desk.run("x=1; exit 4")
    assert ended.data["exit_code"] == 4 and "has ended" in ended.data["note"]
    assert desk.run("echo ${x:-none}").data["output"] == "none\n"
    killed = desk.run("kill -9 $$")
    assert killed.status == "error" and "has ended" in killed.data["note"]
    assert desk.run("exec true").data["exit_code"] == 0
    assert desk.run("echo again").data["output"] == "again\n"


def test_nothing_is_left_when_the_run_ends(desk: Desk) -> None:
    desk.run(
        f"trap '' TERM HUP; (trap '' TERM HUP; exec -a {OURS}-one sleep 60) & setsid bash -c 'exec -a {OURS}-two sleep 60' & sleep 0.2"
    )
    waits_until(lambda: len(shells_alive(f"{OURS}-")) >= 2)
    readers = [thread for thread in threading.enumerate() if thread.name.startswith("shell ")]
    started = time.monotonic()
    desk.ctx.close()
    assert time.monotonic() - started < 20  # of a minute
    assert not shells_alive(f"{OURS}-one 60") and not shells_alive(f"{OURS}-two 60")
    assert not shells_alive(str(desk.ctx.folder)) and len(readers) >= 1
    for reader in readers:
        reader.join(PATIENCE_SECONDS)
        assert not reader.is_alive()


@pytest.mark.parametrize("wanted", ["auto", "partial"])
def test_the_sandbox_holds_a_shell(held: Callable[[str], Desk], wanted: str) -> None:
    desk = held(wanted)
    outside = desk.ctx.home / "outside.txt"
    desk.run(f"echo x > {outside}; echo y > inside.txt; cd /")
    assert not outside.exists() and (desk.ctx.cwd / "inside.txt").read_text() == "y\n"
    assert desk.run("pwd; exit 3").data == {
        "exit_code": 3,
        "output": "/\n",
        "note": "the shell has ended; shell_run opens a new one",
    }
    result = desk.run(f'{PYTHON} -c "{ASK}"')
    assert "[password" in result.data["output"] and result.data["exit_code"] == 0
    assert (
        desk.run(f"(exec -a {OURS}-held sleep 77) & cat", timeout=5).data["waits_for"] == "a line"
    )
    assert desk.keys("echo").data["output"].startswith("echo\necho")
    assert shells_alive(f"{OURS}-held 77")
    desk.ctx.close()
    assert not shells_alive(f"{OURS}-held 77") and not shells_alive(str(desk.ctx.folder))


def test_a_program_that_works_outside_has_a_terminal_of_its_own(
    held: Callable[[str], Desk],
) -> None:
    desk = held("auto")
    desk.ctx.leave = lambda tool, args, paths: Leave(
        programs=(Outside(tuple(args["script"].split()), 0, len(args["script"])),)
    )
    told = desk.run("readlink /proc/self/ns/mnt")
    assert told.data["output"].strip() == str(Path("/proc/self/ns/mnt").readlink())
    assert told.data["note"] == "the shell has ended; shell_run opens a new one"
    with pytest.raises(ToolError, match="called by its name alone"):
        desk.run("./readlink /proc/self/ns/mnt")
    desk.ctx.leave = lambda tool, args, paths: Leave()
    desk.run("cd /")
    desk.ctx.leave = lambda tool, args, paths: Leave(programs=(Outside(("ls",), 0, 2),))
    with pytest.raises(ToolError, match="a terminal of its own"):
        desk.run("ls")
