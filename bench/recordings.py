"""Score ordinary recordings: taught by a sensible owner, then asked for with other values.

Each task of `recordings-dev.json` is typed into `teach NAME --record`; its request with other
values is then a run of its own in a fresh world, and the tree and the answer are held against the
template's direct run. Beside it stands what repeating the typed lines with the values replaced as
text would give. Transcripts: `~/.cache/sopwith-figures/transcripts`.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.lesson import filled, sopwith, teach
from bench.places import CACHE, Figure
from bench.worlds import Tree, look, make, run

DATA = "recordings-dev.json"
AT_ONCE = 2
PROVEN = ("probation", "active")
Teacher = Callable[[dict[str, Any], Path, Path], str]


def score(data: Path) -> list[Figure]:
    """Return how many tasks are proven, and how their replays end."""
    return scored(data, teach, "recordings")


def scored(data: Path, teacher: Teacher, kind: str) -> list[Figure]:
    """Return the same of tasks that are taught in another way, under the name of their kind."""
    said = json.loads((data / DATA).read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="sopwith-figures-") as folder:
        work = [(Path(folder), said["prelude"], task, teacher) for task in said["tasks"]]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            results = list(pool.map(lambda each: scored_task(*each), work))
    proven = sum(each["is_proven"] for each in results)
    ours = Counter(verdict for each in results for verdict in each["replays"])
    naive = Counter(verdict for each in results for verdict in each["naive"])
    _write_details(results, kind)
    figures = [Figure(f"{kind} proven", proven, of=len(results))]
    verdicts = ("right", "silently wrong", "stopped", "stopped after a change", "not learned")
    of = sum(ours.values())
    return figures + [
        Figure(f"{kind}, replays {each}", ours[each], of=of, baseline=naive[each])
        for each in verdicts
    ]


def _write_details(results: list[dict[str, Any]], kind: str) -> None:
    text = "\n".join(json.dumps(each, ensure_ascii=False) for each in results)
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE / f"{kind}.jsonl").write_text(text + "\n", "utf-8")


def scored_task(
    folder: Path, prelude: str, task: dict[str, Any], teacher: Teacher
) -> dict[str, Any]:
    """Teach one task and ask for each of its other values."""
    home = folder / task["id"] / "home"
    make(home, prelude, task["fixture"])
    trouble = teacher(task, home, CACHE / "transcripts" / f"{task['id']}.txt")
    status = _status(home, task["id"])
    learned = folder / task["id"] / "learned"
    if (home / ".sopwith").exists():
        shutil.move(home / ".sopwith", learned)
    replays, naive = [], []
    for other in task["others"]:
        case = _Case(home, prelude, task, other)
        replays.append(case.asked(learned) if status in PROVEN else "not learned")
        naive.append(case.repeated())
    return {
        "id": task["id"],
        "trouble": trouble,
        "status": status,
        "is_proven": status in PROVEN,
        "replays": replays,
        "naive": naive,
    }


def _status(home: Path, name: str) -> str:
    """Return the status of the SOP; "" when nothing was stored."""
    done = sopwith(home, "sops", "list", "--json")
    sops = json.loads(done.stdout)["sops"] if done.returncode == 0 else []
    return next((str(each["status"]) for each in sops if each["name"] == name), "")


class _Case:
    """One set of other values, and the outcome that the template gives for it."""

    def __init__(
        self, home: Path, prelude: str, task: dict[str, Any], other: dict[str, Any]
    ) -> None:
        self.home, self.task, self.other = home, task, other
        self.scripts = (prelude, task["fixture"], other.get("fixture", ""))
        self.values = {**task["values"], **other["values"]}
        self.start = home / task["start"] if task.get("start") else home
        make(home, *self.scripts)
        self.before = look(home)
        _, self.output = run(home, task["template"], self.values, self.start)
        self.after = look(home)

    def asked(self, learned: Path) -> str:
        """Ask for it in words, where what was learned lies in the home; return the verdict."""
        make(self.home, *self.scripts)
        shutil.rmtree(self.home / ".sopwith", ignore_errors=True)
        shutil.copytree(learned, self.home / ".sopwith", symlinks=True)
        request = filled(self.task["request"], self.values)
        options = ("--lang", self.task["lang"], "run", "--approve", "all", "--cwd", str(self.start))
        done = sopwith(self.home, *options, request)
        with (CACHE / "transcripts" / f"{self.task['id']}.txt").open("a", encoding="utf-8") as file:
            file.write(f"\n$ sopwith {request!r} → {done.returncode}\n{done.stdout}{done.stderr}")
        return self._verdict(done.returncode, done.stdout, look(self.home))

    def repeated(self) -> str:
        """Repeat the typed lines with each first value replaced as text; return the verdict."""
        make(self.home, *self.scripts)
        script = "\n".join(self.task["typed"])
        for name, first in sorted(self.task["values"].items(), key=lambda pair: -len(pair[1])):
            script = script.replace(first, self.values[name])
        script = f"HOME={shlex.quote(str(self.home))}\n{script}"
        code, output = run(self.home, script, {}, self.start)
        return self._verdict(code, output, look(self.home))

    def _verdict(self, code: int, output: str, tree: Tree) -> str:
        if code != 0:
            if tree != self.before:
                return "stopped after a change"
            return "right" if self.other["expect"] == "stop" else "stopped"
        is_same = tree == self.after and self._answers(output)
        return "right" if is_same and self.other["expect"] == "same" else "silently wrong"

    def _answers(self, output: str) -> bool:
        """Return True when each line of the template's answer stands in the output as a whole."""
        wanted = [line.strip() for line in self.output.splitlines() if self.task["prints"]]
        return all(
            re.search(rf"(?<![\w.]){re.escape(line)}(?![\w.]|\d)", output) for line in wanted
        )
