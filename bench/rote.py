"""What is learned from one run of a task, and what it does with other words and other values. No model, no network.

    python bench/rote.py [--tasks NAME,…] [--requests 10] [--seed 1] [--sizes 5,50,500] [--model none|scripted|both]
        [--json] [--faults]

Each task is taught once, or, where one run does not prove enough, twice: a scripted model behind a real endpoint makes
the calls that a competent model would make, in a world of its own, and the run log of that is all that learning gets;
other values prove what was learned. Then each task is asked for again, in other words and with other values, each time
in a new world, with no model configured and an owner who says yes to what stays inside that world. So do requests that
nothing covers, and near misses: the same words with another
verb, object or unit, a negation, one more condition.

    right      done by rote, and the world is what it should be, and the answer says what it should
    wrong      done by rote, and it is not: silently wrong
    stopped    begun by rote and stopped with a reason; counted apart when the world had changed by then
    declined   not begun by rote: a model does it, or without one nobody

Beside these, each task is asked for twice in the words that taught it, and done three times by its name with other
values (`sops run NAME k=v`), which leaves routing out. What an SOP does that is still a draft or a candidate counts for
no goal: it never runs by itself, and its draft says what is doubtful; it is shown as `unproven`. `supervised` are the
runs that an owner confirms to prove what no copy can be tried on: these count.

Where no model is configured each request that was declined is put once more, to an owner who is there and is asked which
SOP it means. They know which one it is, say yes to that alone, and only when all its values stand there:

    right      the right one was shown, and done, and the world is what it should be
    wrong      the same, and it is not
    misread    the right one was shown with other values than the owner meant: who does not look says yes to it
    others     only others were shown
    known      done without a question: the owner has said yes to such a request before
    nothing    nobody was asked, since nothing was near

The columns: `taught`, how many runs of the model it took (+ runs by rote that the owner watched, where no copy can be
tried on) and the status earned; the four counts; model calls and tokens of the teaching (o200k_base, what it sent) and
of all requests; seconds of the teaching, whose model answers at once, and the median of the requests. Growth: the same
requests, only routed, with ever more SOPs of other kinds in the store: `first` reads the store and all its words, as a
new process does; the median is of those that follow. Nothing in bench/rote_tasks knows what an SOP looks like.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import tokens  # noqa: E402 - behind the path
from bench.desk import Desk  # noqa: E402 - behind the path
from bench.rote_tasks import TASKS  # noqa: E402 - behind the path
from bench.rote_tasks.base import Draw, Task, Values, World, sentence  # noqa: E402 - behind the path
from bench.rote_tasks.crowd import crowd  # noqa: E402 - behind the path
from bench.rote_tasks.judge import Asked, InsideOnly, Kind, Knowing, judge  # noqa: E402 - behind the path
from bench.rote_tasks.model import Model  # noqa: E402 - behind the path
from bench.rote_tasks.nearly import NEARLY  # noqa: E402 - behind the path
from bench.rote_tasks.others import NEAR, UNCOVERED  # noqa: E402 - behind the path
from bench.rote_tasks.school import School, Taught  # noqa: E402 - behind the path
from config import SopwithError  # noqa: E402 - behind the path
from learning.routing import choose  # noqa: E402 - behind the path
from runs.assemble import Options  # noqa: E402 - behind the path
from tests.scripted_server import ScriptedServer  # noqa: E402 - behind the path

OUTCOMES = ("right", "wrong", "stopped", "declined")
OF_TASKS: tuple[Kind, ...] = ("own words", "by name", "other words", "unproven")
FOREIGN: tuple[Kind, ...] = ("uncovered", "near miss")
KINDS = (*OF_TASKS, *FOREIGN)
SAID = ("right", "wrong", "misread", "others", "known", "nothing")  # what comes of asking the owner
OWN_WORDS, BY_NAME = (
    2,
    3,
)  # requests of each task in the words that taught it, and by `sops run NAME k=v`
LEAST_REQUESTS = 250  # of which none may be silently wrong
STOPPED_SHARE, ROUTING_MS, GROWN = 0.10, 20.0, 500


@contextmanager
def school(seed: int, model: Model | None = None) -> Iterator[School]:
    """A home folder, an owner's folder that is ~ for everything that runs here, a desk, and a model behind an endpoint."""
    kept = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="sopwith-rote-") as place, Desk() as desk:
        folder = Path(place).resolve()
        for name in ("owner", "cwd"):
            (folder / name).mkdir()
        own = {"HOME": str(folder / "owner"), "GIT_CONFIG_NOSYSTEM": "1", "LANG": "C.UTF-8"}
        try:
            os.environ.clear()
            os.environ.update({"PATH": kept["PATH"]} | own)
            with ScriptedServer(model) if model else nullcontext() as server:
                url = server.base_url if server else ""
                yield School(
                    folder / "home", folder / "cwd", World(folder / "owner", desk), seed, url
                )
        finally:
            os.environ.clear()
            os.environ.update(kept)


class Bench:
    """Teaches the tasks, asks for them, and asks for what they are not."""

    def __init__(self, at: School, tasks: Sequence[Task], model: Model | None = None) -> None:
        self.at, self.tasks, self.model = at, {task.name: task for task in tasks}, model
        self.draws = {name: Draw(at.rng(name, "values"), at.world.desk.url) for name in self.tasks}
        self.taught: list[Taught] = []
        self.asked: list[Asked] = []
        self.declined: list[tuple[Task, Values, str, Kind]] = []
        self.said: dict[
            str, Counter[str]
        ] = {}  # of what was put to the owner, the outcomes by kind
        self.shown: list[dict[str, Any]] = []  # what the owner was asked

    def teach(self) -> None:
        for name, task in self.tasks.items():
            self.taught.append(self.at.teach(task, self.draws[name]))
            _progress(f"{name}: {self.taught[-1].status}")

    def ask(self, requests: int) -> None:
        """Asks for each task in its own words, by its name, and in other words, in Chinese too."""
        for name, task in self.tasks.items():
            rng = self.at.rng(name, "words")
            own = (task.asks, task.asks_zh) if task.taught_in == "en" else (task.asks_zh, task.asks)
            pool = [*own[0][1:], *own[1]]
            rng.shuffle(pool)
            planned: list[tuple[Kind, str]] = [("own words", own[0][0]) for _ in range(OWN_WORDS)]
            planned += [("by name", own[0][0]) for _ in range(BY_NAME)]
            planned += [("other words", pool[number % len(pool)]) for number in range(requests)]
            for kind, template in planned:
                values = task.draw(self.draws[name])
                self._ask(task, values, sentence(template, values, rng), kind)
            _progress(
                f"{name}: {dict(Counter(each.outcome for each in self.asked if each.task == name))}"
            )

    def ask_for_else(self) -> None:
        """Asks for what no task is, and for what is nearly one."""
        for at, text in enumerate(UNCOVERED):
            name = list(self.tasks)[at % len(self.tasks)]
            values = self.tasks[name].draw(self.draws[name])
            self._ask(self.tasks[name], values, text, "uncovered")
        for name in [*NEAR, *(name for name in NEARLY if name not in NEAR)]:
            texts = (*NEAR.get(name, ()), *NEARLY.get(name, ()))
            for text in texts if name in self.tasks else ():
                values = self.tasks[name].draw(self.draws[name])
                said = sentence(text, values, self.at.rng(name, text))
                self._ask(self.tasks[name], values, said, "near miss")

    def _ask(self, task: Task, values: Values, text: str, kind: Kind) -> None:
        """One request in a new world, as a new process would do it."""
        world = self.at.world
        world.clear()
        world.rng = self.at.rng(task.name, text)
        task.prepare(world, values)
        before = world.state()
        started = time.monotonic()
        agent = self.at.agent("en" if text.isascii() else "zh")
        options = Options(cwd=self.at.cwd)
        if self.model:
            self.model.meant = (
                None if kind == "uncovered" else (task.name, self.at.named(task.name, values))
            )
        calls, tokens = self._chosen()
        try:
            if kind == "by name":
                kind = "by name" if agent.sop(task.name).runs_alone else "unproven"
                run = self.at.by_name(agent, task.name, values)
            else:
                run = agent.start(text, options, InsideOnly())
        except SopwithError as error:  # it is not there, or cannot take these values
            self.asked.append(Asked(task.name, kind, text, "declined", reason=str(error)))
            return
        events = list(run.events())
        seconds = time.monotonic() - started
        due = None if kind in FOREIGN else task
        found = judge((task.name, kind, text), due, values, before, world.state(), events)
        found.seconds = round(seconds, 4)
        found.model_calls, found.tokens = (
            now - then for now, then in zip(self._chosen(), (calls, tokens), strict=True)
        )
        if found.outcome == "declined":
            found.reason = self._why_not(task.name, text)
            self.declined.append((task, values, text, kind))
        self.asked.append(found)

    def ask_the_owner(self) -> dict[str, Counter[str]]:
        """Puts what was declined once more, to an owner who is asked what is meant. Outcomes by kind."""
        found: dict[str, Counter[str]] = {}
        for task, values, text, kind in self.declined:
            world = self.at.world
            world.clear()
            world.rng = self.at.rng(task.name, text)
            task.prepare(world, values)
            before = world.state()
            agent = self.at.agent("en" if text.isascii() else "zh")
            means = None if kind in FOREIGN else (task.name, self.at.named(task.name, values))
            owner = Knowing(means, world.owner)
            events = list(agent.start(text, Options(cwd=self.at.cwd), owner).events())
            due = None if kind in FOREIGN else task
            outcome = owner.outcome(
                judge((task.name, kind, text), due, values, before, world.state(), events).outcome
            )
            found.setdefault(kind, Counter())[outcome] += 1
            if owner.shown:
                self.shown.append({"kind": kind, "task": task.name, "request": text, "outcome": outcome, "shown": owner.shown})  # fmt: skip
        return found

    def _chosen(self) -> tuple[int, int]:
        """How often the model was asked to choose up to now, and the tokens of that."""
        return (self.model.counts["choose"], self.model.tokens["choose"]) if self.model else (0, 0)

    def _why_not(self, name: str, text: str) -> str:
        """What routing says about the task's own SOP, else about the one that came nearest."""
        model = self.model
        ask = (lambda _, cards: model.chosen(cards)) if model else None
        sops = self.at.agent("en").sops.all()
        candidates = choose(text, sops, self.at.cwd, self.at.world.owner, ask_model=ask).candidates
        ordered = sorted(candidates, key=lambda candidate: candidate.name != name)
        return f"{ordered[0].name}: {ordered[0].why}" if ordered else "nothing like it is known"

    def growth(self, sizes: Sequence[int]) -> list[dict[str, Any]]:
        """Routes all requests again with so many SOPs in the store."""
        there = len(self.at.agent("en").sops.all())
        rows = [self._routed(there)]
        added = crowd(self.at.rng("crowd"))
        for size in sizes:
            while there < size:
                next(added).write(self.at.home / "sops")
                there += 1
            if size == there:
                rows.append(self._routed(size))
                _progress(f"{size} SOPs routed")
        return rows

    def _routed(self, size: int) -> dict[str, Any]:
        started = time.perf_counter()
        sops = self.at.agent("en").sops.all()
        read = time.perf_counter() - started
        taken, counts = [], Counter[str]()
        for each in self.asked:
            if each.kind in ("by name", "unproven"):
                continue
            started = time.perf_counter()
            match = choose(each.request, sops, self.at.cwd, self.at.world.owner).match
            taken.append((time.perf_counter() - started) * 1000)
            is_right = (
                each.kind not in FOREIGN and match is not None and match.sop.name == each.task
            )
            counts["declined" if match is None else "right" if is_right else "wrong"] += 1
        ordered = sorted(taken[1:])
        return {
            "sops": size,
            "read_ms": round(read * 1000, 1),
            "first_ms": round(taken[0], 1),
            "routing_ms": round(median(ordered), 2),
            "p95_ms": round(ordered[int(len(ordered) * 0.95)], 2),
            **{outcome: counts[outcome] for outcome in ("right", "wrong", "declined")},
        }

    # the report

    def report(self, growth: list[dict[str, Any]]) -> dict[str, Any]:
        """Everything, as one JSON document."""
        rows = [self._row(taught) for taught in self.taught]
        found: dict[str, Any] = {"rows": rows, "growth": growth}
        for kind in KINDS:
            found[kind] = _counts([each for each in self.asked if each.kind == kind])
        found["supervised"] = _counts(self.at.seen)
        found["faults"] = [asdict(each) for each in (*self.at.seen, *self.asked) if _is_fault(each)]
        found["asked"] = [asdict(each) for each in self.asked]
        found["did you mean"], found["shown"] = self.said, self.shown
        found["goals"] = _goals(found, may_ask=self.model is not None)
        return found

    def _row(self, taught: Taught) -> dict[str, Any]:
        mine = [
            each for each in self.asked if each.task == taught.task and each.kind not in FOREIGN
        ]
        began = [each.seconds for each in mine if each.outcome in ("right", "wrong", "stopped")]
        return {
            **asdict(taught),
            "kind": self.tasks[taught.task].kind,
            **{kind: _counts([each for each in mine if each.kind == kind]) for kind in OF_TASKS},
            "rote_tokens": sum(each.tokens for each in mine),
            "lanes": dict(Counter(each.lane for each in mine if each.lane)),
            "rote_seconds": round(median(began), 3) if began else None,
        }


def _counts(asked: Sequence[Asked]) -> dict[str, int]:
    outcomes = Counter(str(each.outcome) for each in asked)
    return {
        "asked": len(asked),
        **{outcome: outcomes[outcome] for outcome in OUTCOMES},
        "stopped_after_write": sum(
            each.outcome == "stopped" and each.has_written for each in asked
        ),
        "model_calls": sum(each.model_calls for each in asked),
    }


def _is_fault(each: Asked) -> bool:
    return each.outcome == "wrong" or (each.outcome == "stopped" and each.has_written)


def _goals(found: dict[str, Any], *, may_ask: bool) -> list[dict[str, Any]]:
    kinds = [found[kind] for kind in (*KINDS, "supervised") if kind != "unproven"]
    asked, wrong, after_write, calls = (
        sum(kind[key] for kind in kinds)
        for key in ("asked", "wrong", "stopped_after_write", "model_calls")
    )
    goals = [
        (
            "silently wrong",
            f"{wrong} of {asked}",
            f"0 of ≥ {LEAST_REQUESTS}",
            wrong == 0 and asked >= LEAST_REQUESTS,
        ),
        ("stopped", *_share([found[kind] for kind in OF_TASKS[:3]])),
        ("stopped after a write", str(after_write), "0", after_write == 0),
        *([_to_the_owner(found["did you mean"])] if found["did you mean"] else []),
        (
            "model calls",
            *(
                (f"{calls / max(1, asked):.2f} a request", "≤ 1", calls <= asked)
                if may_ask
                else (str(calls), "0", calls == 0)
            ),
        ),
    ]
    for row in found["growth"]:
        if row["sops"] == GROWN:
            met = row["routing_ms"] < ROUTING_MS
            goals.append(
                (f"routing at {GROWN} SOPs, ms", f"{row['routing_ms']}", f"< {ROUTING_MS:g}", met)
            )
            steady = row["wrong"] == 0
            goals.append((f"routed wrong at {GROWN} SOPs", f"{row['wrong']}", "0", steady))
    return [dict(zip(("goal", "value", "wanted", "met"), goal, strict=True)) for goal in goals]


def _to_the_owner(said: dict[str, Counter[str]]) -> tuple[str, str, str, bool]:
    wrong = sum(counts["wrong"] + counts["misread"] for counts in said.values())
    return ("shown to the owner with wrong values", str(wrong), "0", wrong == 0)


def _share(counts: Sequence[dict[str, int]]) -> tuple[str, str, bool]:
    """Of what was begun."""
    stopped = sum(count["stopped"] for count in counts)
    share = stopped / max(1, sum(count["asked"] - count["declined"] for count in counts))
    return f"{share:.1%} of what was begun", f"≤ {STOPPED_SHARE:.0%}", share <= STOPPED_SHARE


def table(found: dict[str, Any]) -> str:
    """The report as a person reads it."""
    head = f"{'':<20}{'':<15}{'own words':>12}{'by name':>12}{'other words':>20}   {'model':>8} {'':>11}"
    more = f"{'task':<20}{'taught':<15}{'r  w  s  d':>12}{'r  w  s  d':>12}{'right wrong stop decl':>22} {'calls':>8} {'tokens':>11} {'seconds':>13}  lanes"  # fmt: skip
    lines = [head, more, "-" * len(more)]
    for row in found["rows"]:
        runs = f"{row['runs']}{'+' + str(row['supervised']) if row['supervised'] else ''} {row['status']}"
        seconds = f"{row['seconds']:.2f} → {row['rote_seconds'] if row['rote_seconds'] is not None else '-'}"
        lanes = " ".join(f"{lane} {count}" for lane, count in row["lanes"].items())
        calls = sum(row[kind]["model_calls"] for kind in OF_TASKS)
        lines.append(f"{row['task']:<20}{runs:<15}{_four(row['own words'], 3)}{_four(row['by name' if row['by name']['asked'] else 'unproven'], 3)}{_four(row['other words'], 5)}   {row['calls']:>4} → {calls} {row['tokens']:>6} → {row['rote_tokens']} {seconds:>13}  {lanes}")  # fmt: skip
    lines += ["-" * len(more), f"{'all':<35}{_four(found['own words'], 3)}{_four(found['by name'], 3)}{_four(found['other words'], 5)}"]  # fmt: skip
    lines += [f"{kind:<59}{_four(found[kind], 5)}" for kind in (*FOREIGN, "supervised", "unproven")]
    if found["growth"]:
        lines += [
            "",
            "SOPs in the store   read ms  first ms  routing ms    p95   right  wrong  declined",
        ]
    for row in found["growth"]:
        lines.append(f"{row['sops']:>17}{row['read_ms']:>10}{row['first_ms']:>10}{row['routing_ms']:>12}{row['p95_ms']:>7}{row['right']:>8}{row['wrong']:>7}{row['declined']:>10}")  # fmt: skip
    lines += _near_misses(found) + _did_you_mean(found)
    said = [f"{goal['goal']} {goal['value']} ({goal['wanted']}) {'✓' if goal['met'] else '✗'}" for goal in found["goals"]]  # fmt: skip
    return "\n".join([*lines, "", "goals: " + " · ".join(said)])


def _near_misses(found: dict[str, Any]) -> list[str]:
    """The near misses that something was done for; none is best."""
    begun = [
        each
        for each in found["asked"]
        if each["kind"] == "near miss" and each["outcome"] != "declined"
    ]
    lines = [
        f"{each['outcome']:>9}  {each['sop']:<20} {each['lane']:<10} {each['request']}"
        for each in begun
    ]
    return ["", "near misses that were not declined", *lines] if begun else []


def _did_you_mean(found: dict[str, Any]) -> list[str]:
    """What came of asking the owner."""
    if not found["did you mean"]:
        return []
    lines = ["", f"{'declined, and the owner asked':<32}" + "".join(f"{name:>9}" for name in SAID)]
    return lines + [f"{kind:<32}" + "".join(f"{counts[name]:>9}" for name in SAID) for kind, counts in found["did you mean"].items()]  # fmt: skip


def _four(counts: dict[str, int], width: int) -> str:
    return "".join(f"{counts[outcome]:>{width}}" for outcome in OUTCOMES)


def faults(found: dict[str, Any]) -> str:
    """Each request that was silently wrong or stopped behind a write; then the other stops, what was declined, and what
    kept tasks from being learned."""
    lines = []
    for each in found["faults"]:
        lines += [
            f"[{each['kind']}] {each['task']} → {each['sop']}: {each['outcome']} {each['reason']}"
        ]
        lines += [
            f"  request: {each['request']}",
            f"  parameters: {each['parameters']}",
            f"  answer: {each['answer']}",
        ]
        lines += [f"  {line}" for line in each["differs"]]
    for each in found["asked"]:
        if each["outcome"] in ("declined", "stopped") and each["kind"] in OF_TASKS:
            lines += [
                f"{each['task']}: {each['kind']}: {each['outcome']}: {each['request']}",
                f"  {each['reason']}",
            ]
    for each in found["shown"]:
        lines += [f"[{each['kind']}] {each['task']}: the owner: {each['outcome']}: {each['request']}", *(f"  {text}" for text in each["shown"])]  # fmt: skip
    for row in found["rows"]:
        if row["why"] and row["status"] not in ("probation", "active"):
            lines += [
                f"{row['task']}: {row['status']}: {row['request']}",
                *(f"  {why}" for why in row["why"]),
            ]
    return "\n".join(lines)


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", default="", help="names, with commas; all of them when left out")
    parser.add_argument(
        "--requests", type=int, default=10, help="requests of each task in other words (10)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="another one gives other values and other words (1)"
    )
    parser.add_argument(
        "--sizes", default="50,500", help="SOPs in the store for the growth; empty: none (50,500)"
    )
    parser.add_argument(
        "--model",
        choices=("none", "scripted", "both"),
        default="both",
        help="what is configured (both)",
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON document instead of the table"
    )
    parser.add_argument(
        "--faults", action="store_true", help="what went wrong, in full, behind the table"
    )
    parser.add_argument("--keep", type=Path, help="copy the SOPs here at the end")
    options = parser.parse_args()
    names = [name for name in options.tasks.split(",") if name]
    if unknown := set(names) - {task.name for task in TASKS}:
        parser.error(
            f"unknown: {', '.join(sorted(unknown))} (known: {', '.join(task.name for task in TASKS)})"
        )
    tasks = [task for task in TASKS if not names or task.name in names]
    wanted = [False, True] if options.model == "both" else [options.model == "scripted"]
    with ProcessPoolExecutor(
        len(wanted), get_context("spawn")
    ) as pool:  # each has an environment of its own
        measured = pool.map(
            _measured,
            [options] * len(wanted),
            [[task.name for task in tasks]] * len(wanted),
            wanted,
        )
        reports = dict(zip(wanted, measured, strict=True))
    named = {
        "with a model" if which else "without a model": found for which, found in reports.items()
    }
    if options.json:
        print(
            json.dumps(
                named if len(named) > 1 else next(iter(named.values())),
                indent=1,
                ensure_ascii=False,
            )
        )
    for title, found in {} if options.json else named.items():
        print(f"== {title}\n{table(found)}\n")
    for title, found in named.items() if options.faults else ():
        print(f"\n== {title}\n{faults(found)}", file=sys.stderr if options.json else sys.stdout)
    return 0


def _measured(options: argparse.Namespace, names: Sequence[str], has_model: bool) -> dict[str, Any]:
    """The report of one configuration."""
    tasks = [task for task in TASKS if task.name in names]
    by_name = {task.name: task for task in tasks}
    model = Model(by_name, lambda text: len(tokens.encode(text))) if has_model else None
    with school(options.seed, model) as at:
        bench = Bench(at, tasks, model)
        bench.teach()
        bench.ask(options.requests)
        bench.ask_for_else()
        bench.said = {} if model else bench.ask_the_owner()
        growth = bench.growth(
            [] if model else [int(size) for size in options.sizes.split(",") if size]
        )
        if options.keep:
            import shutil

            shutil.copytree(
                at.home / "sops", options.keep / ("model" if model else "none"), dirs_exist_ok=True
            )
        found = bench.report(growth)
    return (
        found
        | {"asked of the model": dict(model.counts), "tokens of the model": dict(model.tokens)}
        if model
        else found
    )


if __name__ == "__main__":
    sys.exit(main())
