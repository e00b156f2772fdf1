"""From runs to SOPs: real runs are taught, then replayed with other values, and compared with the task done by hand."""

from __future__ import annotations

import csv
import importlib
import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from handler import Approval
from learning.crystallise import Draft, LearningError, crystallise, recorded, same_procedure
from learning.demonstration import commands_that_count
from learning.draft import load
from learning.trace import Trace, read_trace, trace_of
from replay.parameters import ParameterError
from runs.assemble import Options
from tests.driving import SpokenOwner, agent, bash, call, drive

OLD = 200 * 86400


def python(script: str) -> dict[str, Any]:
    return call("code_run", type="python", script=script)


@dataclass
class World:
    """A home folder, the owner's folder and a working folder."""

    home: Path
    owner: Path
    cwd: Path
    drafts: int = 0

    def run(self, task: str, replies: Sequence[Any]) -> Trace:
        """Does a task with a scripted model; everything that is asked is allowed."""
        owner = SpokenOwner(approvals=[Approval("once")] * 20)
        events = drive(
            agent(self.home, replies).start(task, Options(rote=False, cwd=self.cwd), owner)
        )
        assert events[-1]["status"] == "done", events[-1]
        return read_trace(self.home, events[0]["run"])

    def teach(self, task: str, replies: Sequence[Any], name: str = "task", **options: Any) -> Draft:
        return crystallise(
            self.run(task, replies), name, owner_home=self.owner, agent_home=self.home, **options
        )

    def replay(self, draft: Draft, parameters: dict[str, Any]) -> tuple[str, str]:
        """The status and the result of a replay with the real handler, gate, tools."""
        self.drafts += 1
        name = f"replay-{self.drafts}"
        folder = self.home / "sops" / name
        for path, text in draft.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(
                text.replace(f"name: {draft.name}\n", f"name: {name}\n"), "utf-8"
            )
        owner = SpokenOwner(approvals=[Approval("once")] * 20)
        events = drive(
            agent(self.home, None).run_sop(name, parameters, Options(cwd=self.cwd), owner)
        )
        return events[-1]["status"], events[-1]["result"]

    def replay_or_stop(self, draft: Draft, parameters: dict[str, Any]) -> tuple[str, str]:
        """A replay; a value that the SOP does not take is a stop before anything is done."""
        try:
            return self.replay(draft, parameters)
        except ParameterError as error:
            return "declined", str(error)


@pytest.fixture
def world(home: Path) -> World:
    return World(home, Path.home(), Path.cwd())


def _fill(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, "utf-8")
    return folder


def _git(folder: Path, *words: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    settings = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.org",
        "-c",
        "init.defaultBranch=main",
    ]
    done = subprocess.run(
        ["git", *settings, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def _repository(folder: Path) -> Path:
    _git(folder, "init", "-q")
    _fill(folder, a__txt="1\n")
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "first")
    return folder


Prepare = Callable[[Path], Any]


@dataclass
class Task:
    """A task: how it was asked and done once, the other values, and how one knows that a replay did it right."""

    name: str
    request: str
    prepare: Prepare
    replies: list[Any]
    others: list[dict[str, Any]]
    by_hand: Callable[
        [dict[str, Any], Path, str], bool
    ]  # values, owner's folder, result → is it right?
    before: Callable[[dict[str, Any], Path], Any] = lambda values, owner: None
    parameters: set[str] = field(default_factory=set)
    stops: tuple[int, ...] = ()  # which of `others` must stop instead


def _aged(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x", "utf-8")
    os.utime(path, (1, 1))


def _old_files(folder: Path) -> None:
    _fill(folder, old__txt="x", new__txt="y")
    (folder / "sp ace.log").write_text("z")
    for name in ("old.txt", "sp ace.log"):
        os.utime(folder / name, (time.time() - OLD, time.time() - OLD))


def _newest(folder: Path, name: str) -> Path:
    _fill(folder, a__txt="1")
    os.utime(folder / "a.txt", (1, 1))
    (folder / name).write_text("2")
    return folder


def _csv(path: Path, rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


SALES = [
    ["region", "amount", "price"],
    ["north", "10", "1"],
    ["south", "20", "2"],
    ["north", "5", "3"],
]
ODD = ["it's", 'say "hi"', "$(touch pwned)", "`touch pwned`", "多 语言", "a;b&c|d", "new\nline", "-n", "$HOME", "back\\slash", "*", "#x"]  # fmt: skip

TASKS = [
    Task(
        "old-files", "delete files older than 30 days in ~/Downloads",
        lambda o: _old_files(o / "Downloads"),
        [bash("ls ~/Downloads"), bash("find ~/Downloads -type f -mtime +30 -delete"), "Deleted."],
        [{"folder": "~/My Docs", "days": 90}, {"folder": "~/文件", "days": 100}, {"folder": "~/x", "days": 500}],
        lambda v, o, r: {p.name for p in (o / v["folder"][2:]).iterdir()} == ({"new.txt"} if v["days"] < 200 else {"new.txt", "old.txt", "sp ace.log"}),
        lambda v, o: _old_files(o / v["folder"][2:]), {"folder", "days"},
    ),
    Task(
        "old-files-listed", "trash the files in ~/in that are older than 50 days",
        lambda o: _old_files(o / "in"),
        [bash("find ~/in -type f -mtime +50"), lambda o: call("file_trash", paths=[str(o / "in/old.txt"), str(o / "in/sp ace.log")]), "Done."],
        [{"folder": "~/other one", "days": 60}],
        lambda v, o, r: {p.name for p in (o / v["folder"][2:]).iterdir()} == {"new.txt"},
        lambda v, o: _old_files(o / v["folder"][2:]), {"folder", "days"},
    ),
    Task(
        "count-lines", "how many lines are in ~/a.txt?",
        lambda o: _fill(o, a__txt="1\n2\n3\n"),
        [bash("wc -l < ~/a.txt"), "There are 3 lines in ~/a.txt."],
        [{"file": "~/b c.txt"}, {"file": "~/数据.txt"}],
        lambda v, o, r: r == f"There are 5 lines in {o / v['file'][2:]}.",
        lambda v, o: _fill(o, **{v["file"][2:].replace(".", "__"): "x\n" * 5}), {"file"},
    ),
    Task(
        "grep-count", 'count the lines with "error" in ~/app.log',
        lambda o: _fill(o, app__log="error 1\nok\nerror 2\n"),
        [bash("grep -c error ~/app.log"), "2"],
        [{"text": "warning", "file": "~/b.log"}, {"text": "警告", "file": "~/b.log"}, *({"text": each, "file": "~/b.log"} for each in ("a.c", "[x]", "-v", "w*"))],
        lambda v, o, r: r == "2",
        lambda v, o: _fill(o, b__log="warning a\nwarning b\n警告 1\n警告 2\nabc\n"), {"text", "file"}, stops=(2, 3, 4, 5),
    ),
    Task(
        "csv-sum", "sum the column amount in ~/sales.csv",
        lambda o: _csv(o / "sales.csv", SALES),
        [lambda o: python(f"import csv\nprint(sum(int(row['amount']) for row in csv.DictReader(open('{o}/sales.csv'))))"), "35"],
        [{"column": "price", "file": "~/other sales.csv"}],
        lambda v, o, r: r == "6",
        lambda v, o: _csv(o / v["file"][2:], SALES), {"column", "file"},
    ),
    Task(
        "csv-filter", 'write the rows of ~/sales.csv with region "north" to ~/north.csv',
        lambda o: _csv(o / "sales.csv", SALES),
        [lambda o: python(f"import csv\nrows = list(csv.DictReader(open('{o}/sales.csv')))\nwith open('{o}/north.csv', 'w', newline='') as out:\n    writer = csv.DictWriter(out, rows[0])\n    writer.writeheader()\n    writer.writerows(r for r in rows if r['region'] == 'north')\n"), "Done."],
        [{"file": "~/sales.csv", "column": "region", "value": "south", "target": "~/out put.csv"}],
        lambda v, o, r: (o / "out put.csv").read_text() == "region,amount,price\nsouth,20,2\n",
    ),
    Task(
        "largest", "list the 2 largest files in ~/big",
        lambda o: _fill(o / "big", a="x" * 10, b="x" * 30, c="x" * 20),
        [bash("find ~/big -type f -printf '%s %f\\n' | sort -rn | head -n 2"), "30 b\n20 c"],
        [{"count": 1, "folder": "~/big"}, {"count": 3, "folder": "~/more big"}],
        lambda v, o, r: r == {1: "30 b", 3: "7 z\n5 y\n1 x"}[v["count"]],
        lambda v, o: _fill(o / "more big", x="1", y="5" * 5, z="7" * 7, w=""), {"count", "folder"},
    ),
    Task(
        "copy", "copy ~/report.csv to ~/backup",
        lambda o: [_fill(o, report__csv="1"), _fill(o / "backup")],
        [bash("cp ~/report.csv ~/backup/report.csv && ls ~/backup"), "Copied."],
        [{"file": "~/other file.txt", "target": "~/back up"}],
        lambda v, o, r: (o / "back up/other file.txt").read_text() == "2",
        lambda v, o: [_fill(o, **{"other file__txt": "2"}), _fill(o / "back up")], {"file", "target"},
    ),
    Task(
        "rename", "rename ~/draft.txt to ~/final.txt",
        lambda o: _fill(o, draft__txt="d"),
        [bash("mv ~/draft.txt ~/final.txt"), "Renamed."],
        [{"file": "~/a b.txt", "target": "~/c d.txt"}],
        lambda v, o, r: (o / "c d.txt").read_text() == "ab" and not (o / "a b.txt").exists(),
        lambda v, o: _fill(o, **{"a b__txt": "ab"}),
    ),
    Task(
        "git-tag", "tag the repository ~/proj as v1.2",
        lambda o: _repository(o / "proj"),
        [bash("cd ~/proj && git tag v1.2"), "Tagged."],
        [{"folder": "~/my proj", "tag": "v2.0"}],
        lambda v, o, r: _git(o / "my proj", "tag").split() == ["v2.0"],
        lambda v, o: _repository(o / "my proj"),
    ),
    Task(
        "git-branch", "create the branch feature_x in ~/proj",
        lambda o: _repository(o / "proj"),
        [bash("git -C ~/proj branch feature_x"), "Done."],
        [{"branch": "fix-1", "folder": "~/my proj"}, {"branch": "-D", "folder": "~/my proj"}],
        lambda v, o, r: "fix-1" in _git(o / "my proj", "branch"),
        lambda v, o: _repository(o / "my proj") if not (o / "my proj").exists() else None, stops=(1,),
    ),
    Task(
        "append", 'add the line "buy milk" to ~/todo.txt',
        lambda o: _fill(o, todo__txt="first\n"),
        [bash("echo 'buy milk' >> ~/todo.txt"), "Added."],
        [{"line": each, "target": "~/list.txt"} for each in ODD],
        lambda v, o, r: (o / "list.txt").read_text() == v["line"] + "\n" and not (o / "pwned").exists() and not Path("pwned").exists(),
        lambda v, o: (o / "list.txt").write_text("") and None, {"line", "target"}, stops=(7,),
    ),
    Task(
        "write", 'write "hello world" into ~/note.txt',
        lambda o: None,
        [call("file_write", path="~/note.txt", content="hello world"), "Written."],
        [{"text": each, "file": "~/n.txt"} for each in ODD],
        lambda v, o, r: (o / "n.txt").read_text() == v["text"],
    ),
    Task(
        "head", "show the first 3 lines of ~/a.txt",
        lambda o: _fill(o, a__txt="1\n2\n3\n4\n"),
        [bash("head -3 ~/a.txt"), "1\n2\n3"],
        [{"count": 2, "file": "~/b.txt"}],
        lambda v, o, r: r == "x\ny",
        lambda v, o: _fill(o, b__txt="x\ny\nz\n"),
    ),
    Task(
        "sort", "sort ~/names.txt into ~/sorted.txt",
        lambda o: _fill(o, names__txt="b\na\n"),
        [bash("sort ~/names.txt > ~/sorted.txt"), "Sorted."],
        [{"file": "~/z.txt", "target": "~/so rted.txt"}],
        lambda v, o, r: (o / "so rted.txt").read_text() == "1\n2\n3\n",
        lambda v, o: _fill(o, z__txt="3\n1\n2\n"),
    ),
    Task(
        "chinese", "统计 ~/日志 里超过 7 天的文件个数",
        lambda o: _old_files(o / "日志"),
        [bash("find ~/日志 -type f -mtime +7 | wc -l"), "2"],
        [{"folder": "~/别的 日志", "days": 300}, {"folder": "~/别的 日志", "days": 10}],
        lambda v, o, r: r == ("0" if v["days"] == 300 else "2"),
        lambda v, o: _old_files(o / "别的 日志"), {"folder", "days"},
    ),
    Task(
        "newest", "copy the newest file in ~/in to ~/out",
        lambda o: [_newest(o / "in", "bbb.txt"), _fill(o / "out")],
        [bash("ls -t ~/in | head -n 1"), bash("cp ~/in/bbb.txt ~/out/"), "Copied."],
        [{"folder": "~/in2", "target": "~/out 2"}],
        lambda v, o, r: [p.name for p in (o / "out 2").iterdir()] == ["new one.txt"],
        lambda v, o: [_newest(o / "in2", "new one.txt"), _fill(o / "out 2")],
    ),
    Task(
        "order", "show the customer of order A-1001 in ~/orders.json",
        lambda o: [_fill(o, orders__json=json.dumps({"A-1001": {"customer": "C-77"}, "A-1002": {"customer": "C-88"}})), _fill(o, customers__csv="C-77,Ann\nC-88,Bob\n")],
        [lambda o: python(f"import json\nprint(json.dumps(json.load(open('{o}/orders.json'))['A-1001']))"),
         python("import os, csv\nfor row in csv.reader(open(os.path.expanduser('~/customers.csv'))):\n    if row[0] == 'C-77':\n        print(row[1])\n"), "Ann"],
        [{"order": "A-1002", "file": "~/orders.json"}],
        lambda v, o, r: r == "Bob",
    ),
    Task(
        "column", "print column 2 of ~/t.csv",
        lambda o: _fill(o, t__csv="a,b,c\n1,2,3\n"),
        [bash("cut -d, -f2 ~/t.csv"), "b\n2"],
        [{"column": 3, "file": "~/u.csv"}],
        lambda v, o, r: r == "z\n6",
        lambda v, o: _fill(o, u__csv="x,y,z\n4,5,6\n"),
    ),
    Task(
        "archive", "pack ~/docs into ~/docs.tar.gz",
        lambda o: _fill(o / "docs", a__txt="1"),
        [bash("tar -czf ~/docs.tar.gz -C ~/docs ."), "Packed."],
        [{"folder": "~/my docs", "target": "~/x y.tar.gz"}],
        lambda v, o, r: "./b.txt" in subprocess.run(["tar", "tzf", o / "x y.tar.gz"], capture_output=True, text=True, check=True).stdout,
        lambda v, o: _fill(o / "my docs", b__txt="1"),
    ),
    Task(
        "replace", "replace 'foo bar' by 'baz' in ~/notes.txt",
        lambda o: _fill(o, notes__txt="a foo bar b\n"),
        [call("file_patch", path="~/notes.txt", old="foo bar", new="baz"), "Replaced."],
        [{"old": "x y", "new": "$(z)", "file": "~/m.txt"}],
        lambda v, o, r: (o / "m.txt").read_text() == "1 $(z) 2\n",
        lambda v, o: _fill(o, m__txt="1 x y 2\n"),
    ),
    Task(
        "sed", "replace 'colour' by 'color' in ~/notes.txt",
        lambda o: _fill(o, notes__txt="my colour\n"),
        [bash("sed -i 's/colour/color/g' ~/notes.txt"), "Replaced."],
        [{"old": "centre", "new": "center", "file": "~/m.txt"}, {"old": "a/b", "new": "x", "file": "~/m.txt"}, {"old": "centre", "new": "&", "file": "~/m.txt"}],
        lambda v, o, r: (o / "m.txt").read_text() == "my center\n",
        lambda v, o: _fill(o, m__txt="my centre\n"), stops=(1, 2),
    ),
    Task(
        "working-folder", "count the files in {cwd}",
        lambda o: _fill(Path.cwd(), a="1", b="2"),
        [bash("ls | wc -l"), "2"],
        [{"folder": "~/many files"}],
        lambda v, o, r: r == "3",
        lambda v, o: _fill(o / "many files", a="1", b="2", c="3"), {"folder"},
    ),
    Task(
        "merge", "join ~/a.txt and ~/b.txt into ~/c.txt",
        lambda o: _fill(o, a__txt="1\n", b__txt="2\n"),
        [bash("cat ~/a.txt ~/b.txt > ~/c.txt"), "Joined."],
        [{"file": "~/x.txt", "file2": "~/y.txt", "target": "~/z z.txt"}],
        lambda v, o, r: (o / "z z.txt").read_text() == "5\n6\n",
        lambda v, o: _fill(o, x__txt="5\n", y__txt="6\n"), {"file", "file2", "target"},
    ),
    Task(
        "awk", "sum column 2 of ~/s.csv",
        lambda o: _csv(o / "s.csv", SALES),
        [bash("awk -F, 'NR>1 {s+=$2} END {print s}' ~/s.csv"), "35"],
        [{"column": 3, "file": "~/s.csv"}],
        lambda v, o, r: r == "6",
    ),
    Task(
        "commit", "commit everything in ~/p with the message 'second one'",
        lambda o: [_repository(o / "p"), _fill(o / "p", b__txt="1")],
        [bash("cd ~/p && git add -A && git -c user.name=a -c user.email=a@b.example commit -qm 'second one'"), "Committed."],
        [{"folder": "~/q q", "message": "it's $(x) \"new\" 新"}],
        lambda v, o, r: _git(o / "q q", "log", "-1", "--format=%s").strip() == v["message"],
        lambda v, o: [_repository(o / "q q"), _fill(o / "q q", b__txt="1")], {"folder", "message"},
    ),
    Task(
        "largest-one", "trash the largest file in ~/d",
        lambda o: _fill(o / "d", aaa="x" * 10, bbb="x"),
        [bash("ls -S ~/d | head -n 1"), call("file_trash", paths=["~/d/aaa"]), "Gone."],
        [{"folder": "~/e e"}],
        lambda v, o, r: [p.name for p in (o / "e e").iterdir()] == ["z1"],
        lambda v, o: _fill(o / "e e", z1="1", z2="222"), {"folder"},
    ),
    Task(
        "python-replace", "replace every 'cat' by 'dog' in ~/t.txt",
        lambda o: _fill(o, t__txt="cat cat\n"),
        [lambda o: python(f"p = '{o}/t.txt'\ns = open(p).read().replace('cat', 'dog')\nopen(p, 'w').write(s)"), "Done."],
        [{"text": "a.b", "new": "x\\1$", "file": "~/u.txt"}],
        lambda v, o, r: (o / "u.txt").read_text() == "x\\1$ axb\n",
        lambda v, o: _fill(o, u__txt="a.b axb\n"), {"text", "new", "file"},
    ),
    Task(
        "loop", "rename all .txt files in ~/d to .md",
        lambda o: _fill(o / "d", a__txt="x"),
        [bash('cd ~/d && for f in *.txt; do mv "$f" "${f%.txt}.md"; done'), "Renamed."],
        [{"folder": "~/q q", "text": ".log", "text2": ".old"}],
        lambda v, o, r: sorted(p.name for p in (o / "q q").iterdir()) == ["b.old", "c.txt"],
        lambda v, o: _fill(o / "q q", b__log="1", c__txt="2"), {"folder", "text", "text2"},
    ),
    Task(
        "ending-in-a-pattern", "move all .bmp files in ~/d to ~/e",
        lambda o: [_fill(o / "d", a__bmp="x"), _fill(o / "e")],
        [bash("mv ~/d/*.bmp ~/e/"), "Moved."],
        [{"text": ".pptx", "folder": "~/q q", "target": "~/e"}, {"text": "pptx", "folder": "~/q q", "target": "~/e"}],
        lambda v, o, r: [p.name for p in (o / "q q").iterdir()] == ["nopptx"],
        lambda v, o: [_fill(o / "q q", b__pptx="1", nopptx="2"), _fill(o / "e")], {"text", "folder", "target"}, (1,),
    ),
    Task(
        "ending-of-find", "list the .cache files in ~/d that are older than 30 days",
        lambda o: _aged(o / "d" / "a.cache"),
        [bash("find ~/d -type f -name '*.cache' -mtime +30"), lambda o: f"{o}/d/a.cache"],
        [{"text": ".log", "folder": "~/in", "days": 90}],
        lambda v, o, r: "old.log" in r, lambda v, o: _aged(o / "in" / "old.log"),
    ),
    Task(
        "date-and-name", "back up ~/d/list.txt to ~/safe with today's date",
        lambda o: [_fill(o / "d", list__txt="x"), _fill(o / "safe")],
        [bash("cp ~/d/list.txt ~/safe/$(date +%F)-list.txt"), "Done."],
        [{"file": "~/q q/plan.txt", "target": "~/keep"}],
        lambda v, o, r: [p.name[10:] for p in (o / "keep").iterdir()] == ["-plan.txt"],
        lambda v, o: [_fill(o / "q q", plan__txt="1"), _fill(o / "keep")], {"file", "target"},
    ),
    Task(
        "a-result-is-written-down", "save the record of box7 in ~/d to ~/out.txt",
        lambda o: _fill(o / "d", box7="box7: red\nsize: 3\n"),
        [bash("cat ~/d/box7"), lambda o: call("file_write", path=str(o / "out.txt"), content="box7: red\nsize: 3\n"), "Saved."],
        [{"text": "box9", "folder": "~/d", "target": "~/o 2.txt"}],
        lambda v, o, r: (o / "o 2.txt").read_text().rstrip("\n") == "box9: blue",
        lambda v, o: _fill(o / "d", box9="box9: blue\n"),
    ),
    Task(
        "chinese-copy", "把 ~/a.txt 复制到 ~/备份",
        lambda o: [_fill(o, a__txt="1"), _fill(o / "备份")],
        [bash("cp ~/a.txt ~/备份/"), "好了"],
        [{"file": "~/b b.txt", "target": "~/别处"}],
        lambda v, o, r: (o / "别处/b b.txt").read_text() == "2",
        lambda v, o: [_fill(o, **{"b b__txt": "2"}), _fill(o / "别处")], {"file", "target"},
    ),
    Task(
        "size", "list files above 10 kb in ~/d",
        lambda o: _fill(o / "d", a="x" * 20000, b="x"),
        [bash("find ~/d -type f -size +10k"), lambda o: f"{o}/d/a"],
        [{"kilobytes": 1, "folder": "~/e e"}],
        lambda v, o, r: r == f"{o}/e e/c",
        lambda v, o: _fill(o / "e e", c="x" * 3000, d="x"), {"kilobytes", "folder"},
    ),
]  # fmt: skip


def _said(reply: Any, owner: Path) -> Any:
    return reply(owner) if callable(reply) else reply


def _matched(draft: Draft, values: dict[str, Any]) -> dict[str, Any]:
    """The values under the names of the draft: parameters of one type come in the order of the request."""
    mine, found = list(draft.content.parameters), {}
    for name, value in values.items():
        if name in mine:
            found[name] = value
    rest = [name for name in mine if name not in found]
    others = [value for name, value in values.items() if name not in found]
    assert len(rest) == len(others), (list(draft.content.parameters), values)
    return found | dict(zip(rest, others, strict=True))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_taught_task_is_done_with_other_values(task: Task, world: World) -> None:
    task.prepare(world.owner)
    draft = world.teach(
        task.request.format(cwd=world.cwd), [_said(reply, world.owner) for reply in task.replies]
    )
    hard = [problem for problem in draft.problems if "no check" not in problem]
    assert (hard, draft.slots) == ([], []), draft.files["sop.yaml"]
    assert not task.parameters or task.parameters == set(draft.content.parameters)
    assert draft.content.wordings or "'" in task.request
    for number, values in enumerate(task.others):
        task.before(values, world.owner)
        status, result = world.replay_or_stop(draft, _matched(draft, values))
        if number in task.stops:
            assert status != "done", (values, result)
        else:
            assert status == "done", (values, result, draft.files["sop.yaml"])
            assert task.by_hand(values, world.owner, result), (
                values,
                result,
                draft.files["sop.yaml"],
            )


def test_a_name_with_a_line_break_is_not_taken_for_two(world: World) -> None:
    _old_files(world.owner / "in")
    draft = world.teach(
        "delete files older than 30 days in ~/in",
        [bash("find ~/in -type f -mtime +30 -delete"), "Done."],
    )
    other = _fill(world.owner / "other")
    (world.cwd / "b").write_text("precious")
    (other / f"a\n{world.cwd}/b".replace("/", "_")).write_text("x")
    (other / "a\nb").write_text("x")
    for path in other.iterdir():
        os.utime(path, (1, 1))
    status, _ = world.replay(draft, {"folder": str(other), "days": 30})
    assert status == "failed"
    assert (world.cwd / "b").read_text() == "precious"
    assert len(list(other.iterdir())) == 2


def _problems(draft: Draft) -> str:
    return "\n".join([*draft.problems, *(f"slot {slot.text}: {slot.why}" for slot in draft.slots)])


@pytest.mark.parametrize(
    ("request_", "replies", "said"),
    [
        ("delete files older than two weeks in ~/in", [bash("find ~/in -type f -mtime +14 -delete"), "Done."], "'two' of the request|the request says 'two'"),
        ("show lines 2 to 4 of ~/in/new.txt", [bash("sed -n 2,4p ~/in/new.txt"), "y"], "the request says '2'"),
        ("delete the oldest file in ~/in", [bash("ls -tr ~/in"), bash("rm ~/in/old.txt"), "Deleted old.txt."], "'old.txt' was read in the result of call 1"),
        ("summarise ~/in/new.txt into ~/sum.txt", [bash("cat ~/in/new.txt"), call("file_write", path="~/sum.txt", content="It says y."), "Done."], "stands in no request"),
        ("who is named in ~/in/new.txt?", [bash("cat ~/in/new.txt"), "Nobody."], "worked out"),
        ("convert ~/in/new.txt to csv", [bash("cp ~/in/new.txt ~/in/new.csv"), "Done."], "still stands in"),
        ("wait 5 seconds and list ~/in", [bash("sleep 5 & wait; ls ~/in | head -n 5"), "new.txt\nold.txt\nsp ace.log"], "slot 5"),
        ("back up ~/in for 2026-01-31", [bash("cp -r ~/in ~/in-2026-01"), "Done."], "2026-01-31"),
        ("print ~/in/new.txt", [bash('f=new.txt; case $f in *.txt) cat ~/in/"$f";; esac'), "y"], "not read"),
        ("extract lines with 'abc' of ~/in/d/new.txt", [bash("mkdir ~/in/d; echo abc > ~/in/d/new.txt; grep abc ~/in/d/new.txt > ~/in/d/out.txt"), "Done."], "stands beside"),
        ("back up ~/new.txt", [bash("touch ~/new.txt; cp ~/new.txt ~/new-copy.txt"), "Done."], "may be made of the name"),
        ("list what changed in ~/in in the last 2 hours", [bash("find ~/in -mmin -120"), "-"], "120 may be worked out"),
        ("print page 3 of ~/in/new.txt with 10 lines each", [bash("sed -n '21,30p' ~/in/new.txt"), "y"], "worked out"),
        ("count the lines of 2026-03-05 in ~/in/new.txt", [bash("grep 05/Mar/2026 ~/in/new.txt || true"), "-"], "says '2026-03-05'"),
        ("list lines above 8 in ~/in/new.txt", [bash("awk '$2>8' ~/in/new.txt"), "-"], "slot 8"),
        ("keep the top 5 lines of ~/in/new.txt", [bash("tail -n +5 ~/in/new.txt | head -n 5"), "-"], "slot 5"),
    ],
)  # fmt: skip
def test_what_cannot_be_known_is_said_and_not_guessed(
    world: World, request_: str, replies: list[Any], said: str
) -> None:
    _old_files(world.owner / "in")
    draft = world.teach(request_, replies)
    assert any(part in _problems(draft) for part in said.split("|")), (
        _problems(draft) + draft.files["sop.yaml"]
    )
    assert not draft.is_settled


def test_braces_in_a_script_are_no_template(world: World) -> None:
    draft = world.teach(
        "write the names into ~/n.txt", [bash("echo '{{.Names}}' > ~/n.txt"), "Done."]
    )
    assert draft.is_settled, _problems(draft)
    assert world.replay(draft, {"target": "~/m m.txt"})[0] == "done"
    assert (world.owner / "m m.txt").read_text() == "{{.Names}}\n"


def test_two_runs_agree_on_what_is_constant(world: World) -> None:
    _old_files(world.owner / "in")
    _fill(world.owner / "out")
    first = world.run(
        "keep the top 5 lines of ~/in/new.txt", [bash("tail -n +5 ~/in/new.txt | head -n 5"), "-"]
    )
    alone = crystallise(first, "top", owner_home=world.owner)
    assert alone.slots or alone.problems
    second = world.run(
        "keep the top 7 lines of ~/in/old.txt", [bash("tail -n +5 ~/in/old.txt | head -n 7"), "-"]
    )
    draft = crystallise([first, second], "top", owner_home=world.owner)
    assert 'tail -n +5 "$file" | head -n "$count"' in draft.files["sop.yaml"]
    assert draft.slots == []


def test_runs_with_other_steps_stay_a_draft(world: World) -> None:
    _old_files(world.owner / "in")
    first = world.run("count lines of ~/in/new.txt", [bash("wc -l < ~/in/new.txt"), "0"])
    second = world.run("count lines of ~/in/old.txt", [bash("cat ~/in/old.txt | wc -l"), "0"])
    draft = crystallise([first, second], "count", owner_home=world.owner)
    assert "branches" in _problems(draft)


def test_a_composed_text_that_two_runs_share_is_a_constant(world: World) -> None:
    text = "# A template of ours\n\nto be filled in by whoever needs it\n"
    runs = [
        world.run(
            f"start a page in ~/{name}.md",
            [call("file_write", path=f"~/{name}.md", content=text), "Done."],
        )
        for name in ("one", "two")
    ]
    assert "stands in no request" in _problems(crystallise(runs[0], "page", owner_home=world.owner))
    draft = crystallise(runs, "page", owner_home=world.owner)
    assert draft.is_settled, _problems(draft)
    assert world.replay(draft, {"file": "~/three.md"})[0] == "done"
    assert (world.owner / "three.md").read_text() == text


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        (["Nothing to do."], "made no calls"),
        ([bash("false"), "Failed."], "none of its calls succeeded"),
    ],
)
def test_runs_that_prove_nothing_are_refused(world: World, replies: list[Any], said: str) -> None:
    with pytest.raises(LearningError, match=said):
        world.teach("do it", replies)


def test_a_failed_run_is_refused(world: World) -> None:
    events = drive(
        agent(world.home, [bash("ls")]).start(
            "list", Options(rote=False, cwd=world.cwd), SpokenOwner()
        )
    )
    assert events[-1]["status"] != "done"
    with pytest.raises(LearningError, match="only a run that is done"):
        crystallise(read_trace(world.home, events[0]["run"]), "x", owner_home=world.owner)


def test_what_failed_and_was_redone_is_left_out_with_its_reason(world: World) -> None:
    _fill(world.owner / "in", a__txt="1\n")
    draft = world.teach(
        "count the lines of ~/in/a.txt",
        [bash("wc --lnes ~/in/a.txt"), bash("ls ~/in"), bash("wc -l < ~/in/a.txt"), "1"],
    )
    assert [step.args["script"] for step in draft.content.plan] == ['wc -l < "$file"']
    assert [note.partition(" left out: ")[2] for note in draft.notes] == [
        "it failed",
        "it only looked, and no later step uses what it showed",
    ]


def test_what_was_left_of_a_result_in_a_written_text_is_said(world: World) -> None:
    _fill(world.owner / "d", box7="box7: red\n")
    writes = call("file_write", path=str(world.owner / "out.txt"), content="The box7 is red.\n")
    draft = world.teach(
        "save the record of box7 in ~/d to ~/out.txt", [bash("cat ~/d/box7"), writes, "Saved."]
    )
    assert any("'red.'" in problem or "'red'" in problem for problem in draft.problems), (
        draft.problems
    )


def test_a_word_that_is_printed_beside_a_result_is_no_value(world: World) -> None:
    (world.owner / "t.csv").write_text("a,rows\n1,2\n", "utf-8")
    script = f"rows = open({str(world.owner / 't.csv')!r}).read().split()\nprint(len(rows), 'rows')"
    draft = world.teach("Count the rows of ~/t.csv", [python(script), "2 rows"])
    assert list(draft.content.parameters) == ["file"]


@pytest.mark.parametrize(
    ("request_text", "replies", "check"),
    [
        ("put the word pear into ~/d/x", [bash("sed -i s/apple/pear/ ~/d/x"), bash("! grep -n apple ~/d/x"), "Done."], "! grep -n apple"),
        ("make the folder ~/d/new", [bash("mkdir ~/d/new"), bash("ls ~/d"), "Done."], "test -e"),
        ("tag ~/d as v1.2", [bash("touch ~/d/v1.2"), bash("ls ~/d"), "Done."], "grep -qF"),
        ("move ~/d/x to ~/e", [bash("mv ~/d/x ~/e/"), "Moved."], "! ls -d"),
    ],
)  # fmt: skip
def test_what_the_model_looked_at_afterwards_is_a_check(
    world: World, request_text: str, replies: list[Any], check: str
) -> None:
    _fill(world.owner / "d", x="apple")
    _fill(world.owner / "e")
    draft = world.teach(request_text, replies)
    found = [each["command"] for each in draft.content.checks]
    assert any(check in command for command in found), found
    assert not any(command == 'test -e "$target/"' for command in found)


@pytest.mark.parametrize(
    ("script", "reach"),
    [
        ("git -C ~/d rev-list --count HEAD", "reads"),
        ("git -C ~/d branch --merged main", "reads"),
        ("git -C ~/d branch new", "local"),
        ("git -C ~/d tag v1", "local"),
        ("git -C ~/d commit -m x", "local"),
        ("curl -fsS http://127.0.0.1:8085/orders/1", "reads"),
        ("curl -fsS -G http://127.0.0.1:8085/c --data-urlencode 'name=x'", "reads"),
        ("curl -fsS -d x=1 http://127.0.0.1:8085/orders", "external"),
        ("curl -fsS -X POST http://127.0.0.1:8085/orders", "external"),
        ("curl -fsS -o f http://127.0.0.1:8085/orders", "external"),
        ("curl -fsS https://example.com/", "external"),
        ("curl -fsS https://API.example.org/v1?x=1", "reads"),
        ("curl -fsS api.example.org", "reads"),
        ("curl -fsS -d x=1 https://api.example.org/v1", "external"),
        ("curl -fsS https://api.example.org.evil.net/", "external"),
        ("curl -fsS https://api.example.org@evil.net/", "external"),
        ("curl -fsS https://api.example.org/ https://evil.net/", "external"),
        ("wget -qO- https://api.example.org/v1", "reads"),
        ("wget -q -O - https://api.example.org/v1 | wc -c", "reads"),
        ("wget https://api.example.org/v1", "external"),
        ("wget -qO- --post-data=x https://api.example.org/v1", "external"),
        ("wget -qO- https://evil.net/", "external"),
    ],
)
def test_what_only_asks_is_told_from_what_changes(script: str, reach: str, tmp_path: Path) -> None:
    from learning.reach import reach_of
    from memory.runlog.evidence import Result

    observed = Result(1, "c1", "code_run", {"type": "bash", "script": script}, "ok", {}, "")
    asked = "what does https://api.example.org/v1 say, me@evil.net?"
    assert reach_of(observed, tmp_path, tmp_path, tmp_path / "agent", asked) == reach


def test_the_files_of_a_draft_are_an_sop(world: World) -> None:
    _fill(world.owner / "in", a__txt="1\n")
    draft = world.teach(
        "count the lines of ~/in/a.txt", [bash("wc -l < ~/in/a.txt"), "1"], "count-lines"
    )
    assert set(draft.files) == {
        "SKILL.md", "sop.yaml", "cases/case-1.yaml", "evidence.json", f"references/trace-{draft.taught[0].trace.run}.jsonl",
    }  # fmt: skip
    evidence = json.loads(draft.files["evidence.json"])["runs"][0]
    assert evidence["results"][0]["hash"] == draft.taught[0].trace.calls[0].hash
    assert evidence["arguments"] == [
        {
            "turn": 1,
            "argument": "script",
            "value": "~/in/a.txt",
            "from": "request",
            "parameter": "file",
        }
    ]
    assert load(draft.files).wordings[0].text == "count the lines of {file}"
    assert same_procedure(draft, load(draft.files)) == "same"


def test_an_sop_that_exists_is_recognised(world: World) -> None:
    _fill(world.owner / "in", a__txt="1\n")
    lines = world.teach(
        "count the lines of ~/in/a.txt", [bash("wc -l < ~/in/a.txt"), "1"], "count-lines"
    )
    again = world.teach("how long is ~/in/a.txt", [bash("wc -l < ~/in/a.txt"), "1"], "length")
    words = world.teach(
        "count the words of ~/in/a.txt", [bash("wc -w < ~/in/a.txt"), "1"], "count-words"
    )
    other = world.teach("show ~/in/a.txt", [bash("cat ~/in/a.txt"), "1"], "show")
    assert same_procedure(again, load(lines.files)) == "same"
    assert same_procedure(words, load(lines.files)) == "variant"
    assert same_procedure(other, load(lines.files)) == "other"


def _recording(world: World, script: str, *, cwd: str = "") -> Trace:
    args = {"cwd": cwd} if cwd else {}
    done = world.run("teach it", [call("code_run", type="bash", script=script, **args), "recorded"])
    return replace(done, taught="it", request="teach it", answer="1 commands recorded")


def test_a_recording_offers_what_may_vary_and_takes_the_names_of_the_owner(world: World) -> None:
    _old_files(world.owner / "Downloads")
    trace = _recording(world, "find ~/Downloads -type f -mtime +30 -delete")
    offered = crystallise(trace, "old-files", owner_home=world.owner)
    assert [(slot.name, slot.text) for slot in offered.slots] == [
        ("folder", "~/Downloads"),
        ("days", "30"),
    ]
    draft = crystallise(
        trace, "old-files", values={"place": "~/Downloads", "age": "30"}, owner_home=world.owner
    )
    assert draft.is_settled, _problems(draft)
    assert list(draft.content.parameters) == ["place", "age"]
    assert draft.content.wordings == ["old files with place {place} and age {age}"]
    _old_files(world.owner / "my files")
    assert world.replay(draft, {"place": "~/my files", "age": 90})[0] == "done"
    assert [path.name for path in (world.owner / "my files").iterdir()] == ["new.txt"]


def test_only_the_commands_that_count_are_taken_from_a_recording(world: World) -> None:
    _fill(world.owner / "d", a__txt="1\n2\n")
    events = drive(
        agent(
            world.home,
            [
                bash("wc --wrong ~/d/a.txt"),
                bash("F=~/d/a.txt"),
                bash("wc -l < ${F:-/dev/null}"),
                "x",
            ],
        ).start("teach it", Options(rote=False, cwd=world.cwd), SpokenOwner())
    )
    trace = replace(trace_of(events[0]["run"], events), taught="it")
    known = recorded(trace, commands_that_count(events))
    draft = crystallise(known, "it", values={"file": "~/d/a.txt"}, owner_home=world.owner)
    assert [step.args["script"] for step in draft.content.plan] == [
        'F="$file"\nwc -l < ${F:-/dev/null}'
    ]
    assert any("wc --wrong" in note and "failed" in note for note in draft.notes)


def test_a_value_that_the_owner_names_and_nothing_uses_is_said(world: World) -> None:
    trace = _recording(world, "ls ~")
    draft = crystallise(trace, "it", values={"folder": "~/elsewhere"}, owner_home=world.owner)
    assert "elsewhere" in _problems(draft)


def test_a_taught_request_in_its_own_words_with_other_values_is_done_by_rote(world: World) -> None:
    _old_files(world.owner / "Downloads")
    draft = world.teach(
        "delete files older than 30 days in ~/Downloads",
        [bash("find ~/Downloads -type f -mtime +30 -delete"), "Deleted."],
        "old-downloads",
    )
    for path, text in draft.files.items():
        place = world.home / "sops/old-downloads" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(
            text.replace("sopwith-status: draft", "sopwith-status: probation"), "utf-8"
        )
    _old_files(world.owner / "in box")
    owner = SpokenOwner(approvals=[Approval("once")] * 3)
    asked = 'Please remove files older than ninety days in "~/in box"'
    events = drive(agent(world.home, None).start(asked, Options(cwd=world.cwd), owner))
    assert (events[-1]["status"], events[-1]["sop"]) == ("done", "old-downloads"), events[-1]
    assert [path.name for path in (world.owner / "in box").iterdir()] == ["new.txt"]


def test_a_hidden_secret_is_no_value(world: World) -> None:
    trace = world.run("list", [bash("echo token=[secret] > ~/t.txt"), "Done."])
    assert "secret" in _problems(crystallise(trace, "it", owner_home=world.owner))


def test_the_folder_of_a_draft_is_valid_for_other_agents(world: World, tmp_path: Path) -> None:
    _fill(world.owner / "in", a__txt="1\n")
    draft = world.teach(
        "count: the #lines 'of' ~/in/a.txt", [bash("wc -l < ~/in/a.txt"), "1"], "count-lines"
    )
    folder = tmp_path / "count-lines"
    folder.mkdir()
    (folder / "SKILL.md").write_text(draft.files["SKILL.md"], "utf-8")
    assert importlib.import_module("skills_ref").validate(folder) == []  # it has no types


@pytest.mark.parametrize(
    ("task", "keeps"),
    [
        ("convert ~/a.csv to ~/b.json", {"file": ".csv", "target": ".json"}),
        ("把 ~/a.csv 转换成 ~/b.json", {"file": ".csv", "target": ".json"}),
        (
            "write the sum of ~/a.csv to ~/b.json",
            {},
        ),  # nothing is converted: another file is the same task
        ("convert ~/a.txt to ~/b.txt", {}),
    ],
)
def test_endings_that_say_what_is_converted_are_part_of_the_task(
    world: World, task: str, keeps: dict[str, str]
) -> None:
    names = [
        word.strip()
        for word in task.replace("转换成", " ").replace("把", " ").split()
        if word.startswith("~")
    ]
    (world.owner / names[0][2:]).write_text("1\n2\n", "utf-8")
    old, new = (str(world.owner / name[2:]) for name in names)
    draft = world.teach(task, [bash(f"sort {old} > {new}"), bash(f"cat {new}"), "done"])
    patterns = {
        name: schema["pattern"]
        for name, schema in draft.content.parameters.items()
        if "pattern" in schema
    }
    assert {
        name: ending
        for name, ending in keeps.items()
        if f"(?i:\\{ending})" in patterns.get(name, "")
    } == keeps
    assert bool(keeps) or not any("(?i:" in pattern for pattern in patterns.values())
    if keeps:
        assert (
            world.replay_or_stop(draft, {"file": "~/x.json", "target": "~/y.csv"})[0] == "declined"
        )
