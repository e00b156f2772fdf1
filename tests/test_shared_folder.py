"""A shared session has one folder, and Python in it: what is reached from there, and what is
not."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memory.home import open_home
from safety.paths import shared_folder_of as folder_of
from sandbox.cells import levels
from tests.driving import call, of, run
from tests.rows import rows

PRIVATE = "the letter to the landlord"


@pytest.fixture(autouse=True)
def full() -> None:
    if levels.probe().name != "full":
        pytest.skip("there is no full sandbox here")


def python(script: str) -> Any:
    return call("code_run", type="python", script=script)


def test_python_works_in_the_folder_of_the_session(home: Path) -> None:
    write = python(
        "import os; open('made.txt', 'w').write('by a script'); print(os.getcwd() == os.environ['HOME'])"
    )
    events = run(
        home,
        [
            write,
            call("file_read", path="made.txt"),
            call("file_patch", path="made.txt", old="script", new="hand"),
            call("file_write", path="new.txt", content="new", mode="overwrite"),
            "done",
        ],
        session="shared:team",
    )
    ended = of(events, "tool_ended")
    assert [event["status"] for event in ended] == ["ok"] * 4, ended
    assert ended[0]["data"]["output"] == "True\n"
    folder = folder_of(home, "team")
    assert {file.name: file.read_text() for file in folder.iterdir()} == {
        "made.txt": "by a hand",
        "new.txt": "new",
    }


def test_nothing_else_is_seen_from_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARMLESS_LOOKING", PRIVATE)
    open_home(home)
    owner, other = Path.home(), folder_of(home, "others")
    hidden = [
        owner / "letter.txt",
        other / "theirs.txt",
        home / "OWNER.md",
        home / "memory" / "facts.md",
        home / "config.yaml",
    ]
    for file in hidden:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PRIVATE if file.name != "config.yaml" else f"# {PRIVATE}\n")
    earlier = run(home, ["done"], task=PRIVATE)[0]["run"]
    script = f"""
import glob, os, socket, subprocess
said = [repr(os.environ)]
places = {[str(file) for file in hidden]!r} + glob.glob({str(home)!r} + "/**", recursive=True) + glob.glob("/proc/[0-9]*/*")
places += glob.glob("{owner}/*") + ["/etc/shadow"]
for place in places:
    try: said.append(open(place, "rb").read(10000).decode("latin-1"))
    except OSError: pass
for root in ("{owner}", "{home}/runs", "{home}/shared"):
    said.append(root + repr(sorted(os.listdir(root))))
said.append(subprocess.run("ps aux 2>&1; env; ls -la {owner}", shell=True, capture_output=True, text=True).stdout)
try: socket.create_connection(("127.0.0.1", 22), 1); said.append("CONN" + "ECTED")
except OSError: pass
try: os.kill({os.getpid()}, 0); said.append("SE" + "EN")
except OSError: pass
open("said", "w").write("\\n".join(said))
os.symlink("{owner}/letter.txt", "link")
"""
    events = run(
        home, [python(script), call("file_read", path="link"), "done"], session="shared:team"
    )
    ended = of(events, "tool_ended")
    assert ended[0]["status"] == "ok", ended
    said = (folder_of(home, "team") / "said").read_text()
    for secret in (PRIVATE, earlier, "CONNECTED", "SEEN"):
        assert secret not in said, secret
    assert f"{home}/shared['team']" in said and f"{owner}['.sopwith']" in said
    assert ended[1]["status"] == "refused"
    assert PRIVATE not in json.dumps([event for event in events if event["type"] != "run_started"])


REFUSED: dict[str, Any] = dict(rows(__name__, "refused"))


def test_what_leads_out_of_the_folder_is_refused(home: Path) -> None:
    events = run(
        home,
        [*(call(name, **args) for name, args in REFUSED.values()), "done"],
        session="shared:team",
    )
    assert of(events, "tool_started") == []
    assert len(of(events, "tool_ended")) == len(REFUSED)
