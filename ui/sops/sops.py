"""The SOPs on the screen: `sops list|show|search`, and how `sops run` reads its k=v."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config import Config, SopwithError
from memory.logs import list_runs
from memory.sops import Sop, SopStore
from runs.assemble import SEEDS
from ui.command import JSON, Argument, Option, command
from ui.lists import print_json, print_list
from ui.sanitise import clean, one_line
from ui.words import say

if TYPE_CHECKING:
    from learning.route import Choice

NO = {"n", "no", "不", "否", "不是", "不要"}
MAX_WHY_CHARS = 200
MARKS = {True: "✓", False: "✗", None: "–"}  # None: it could not be tried today


class SopUsage(SopwithError):
    """There is no such SOP, or its parameters are not written as k=v."""

    exit_code = 2


def store(config: Config) -> SopStore:
    """Return the SOPs of this home folder, and the seeds."""
    return SopStore(SEEDS, config.home / "sops")


def find(config: Config, name: str) -> Sop:
    """Return the SOP of this name. Raises SopUsage with the nearest name."""
    known = store(config)
    sop = known.get(name)
    if sop is None:
        import difflib

        names = [each.name for each in known.all()]
        near = difflib.get_close_matches(name, names, 3, 0.5)
        raise SopUsage(say("sops.unknown", name=one_line(name, 80), known=", ".join(near or names)))
    return sop


def roots(config: Config) -> list[Path]:
    """Return the folders that an SOP may change, as the settings say."""
    return [Path(root).expanduser() for root in config.safety.roots]


@command("sops list", Option("--all", key="opt.sops-all"), JSON)
def list_(args: Namespace, config: Config) -> int:
    """`sops list`."""
    every = store(config).all()
    shown = every if args.all or args.json else [sop for sop in every if can_be_done(sop)]
    found = entries(shown, config)
    heads = "sop:cyan status version> runs> description*"
    names = ("name", "status", "version", "runs")
    rows = [
        [*(str(line[name]) for name in names), line.get("problem") or line["description"]]
        for line in found
    ]
    print_list(args, {"sops": found}, heads, rows, say("sops.none"))
    if len(shown) < len(every):
        print(say("sops.more", n=len(every) - len(shown)), file=sys.stderr)
    return 0


def entries(shown: Sequence[Sop], config: Config) -> list[dict[str, Any]]:
    """Return the lines of a list, as machines read them."""
    known = list_runs(config.home)
    runs = Counter(run.sop for run in known)
    by_rote = Counter(run.sop for run in known if run.rote and run.status == "done")
    return [entry(sop, config.lang, runs[sop.name], by_rote[sop.name]) for sop in shown]


def can_be_done(sop: Sop) -> bool:
    """Return False for what only a model reads: seeds that are text alone, drafts without steps,
    the archive."""
    if sop.status == "archived":
        return False
    is_only_text = sop.steps is None and not sop.problem
    return not (is_only_text and (sop.is_seed or sop.status == "draft"))


def entry(sop: Sop, lang: str, runs: int, by_rote: int) -> dict[str, Any]:
    """Return one line of a list; `runs` of it were begun, `by_rote` done without a model."""
    line: dict[str, Any] = {
        "name": sop.name,
        "status": sop.status,
        "version": sop.version,
        "description": one_line(sop.summary(lang) if sop.description else "", 1000),
        "runs": runs,
        "rote_rate": round(by_rote / runs, 3) if runs else None,
    }
    return line | ({"problem": one_line(sop.problem)} if sop.problem else {})


@command("sops show", Argument("sop"), JSON)
def show(args: Namespace, config: Config) -> int:
    """`sops show NAME`."""
    sop = find(config, args.sop)
    if sop.problem and not sop.description:
        raise SopUsage(say("sops.broken", name=sop.name, problem=one_line(sop.problem)))
    properties = dict(sop.procedure.parameters) if sop.procedure else {}
    required = list(sop.procedure.required) if sop.procedure else []
    if args.json:
        line = entry(sop, config.lang, 0, 0)
        del line["runs"], line["rote_rate"]
        shape = {"type": "object", "properties": properties, "required": required}
        return print_json(
            {**line, "folder": str(sop.folder), "parameters": shape, "body": sop.body(config.lang)}
        )
    print(f"{sop.name} {sop.version} · {sop.status} · {sop.folder}")
    print(clean(sop.summary(config.lang)).strip())
    if sop.problem:
        print(say("sops.broken", name=sop.name, problem=one_line(sop.problem)))
    if sop.procedure:
        pairs = " ".join(f"{name}=…" if name in required else f"[{name}=…]" for name in properties)
        print(say("sops.run_with", command=f"sopwith sops run {sop.name} {pairs}".strip()))
    print()
    print(clean(sop.body(config.lang)))
    return 0


def parameters(values: Sequence[str]) -> dict[str, str]:
    """Return the parameters of `sops run` by name; one that comes again is a list. Raises SopUsage
    for what is not k=v."""
    found: dict[str, list[str]] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name:
            raise SopUsage(say("sops.not_pair", text=one_line(value, 80)))
        found.setdefault(name, []).append(text)
    return {name: each[0] if len(each) == 1 else json.dumps(each) for name, each in found.items()}


def as_word(value: Any) -> str:
    """Return a value as it can be given again as k=v: a folder below the owner's home with ~."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    home = str(Path.home())
    return f"~{text.removeprefix(home)}" if text == home or text.startswith(f"{home}/") else text


@command("sops search", Argument("text", "+"), JSON)
def search(args: Namespace, config: Config) -> int:
    """`sops search TEXT`: always 0; `decision` says whether it would be done by rote."""
    from models.embeddings import embedder

    by_meaning, request = partial(embedder, config.embeddings), " ".join(args.text)
    choice = choice_of(config, request, Path.cwd(), embedder=by_meaning)
    found = choice_as_json(choice)
    heads = "sop:cyan score> lane:green parameters reason*"
    rows = [_candidate(each) for each in found["candidates"]]
    print_list(args, found, heads, rows, say("sops.no_candidates"))
    if not args.json:
        names = ", ".join(sop.name for sop in choice.hints)
        chosen = choice.match.sop.name if choice.match else names
        print(say(f"sops.decision_{choice.decision}", name=chosen))
    return 0


def choice_of(config: Config, request: str, cwd: Path, **more: Any) -> Choice:
    """Return the SOPs that a request may mean."""
    from learning.route import Remembered, choose

    known = Remembered(config.home).with_wordings(store(config).all())
    return choose(request, known, cwd, Path.home(), **more)


def choice_as_json(choice: Choice) -> dict[str, Any]:
    """Return the same for machines."""
    names = ("name", "score", "lane", "parameters", "why")
    rows = [{key: getattr(each, key) for key in names} for each in choice.candidates]
    rows = [row | {"lane": row["lane"] or None} for row in rows]
    return {"candidates": rows, "decision": choice.decision}


def _candidate(shown: dict[str, Any]) -> list[str]:
    given = shown["parameters"]
    values = " ".join(f"{key}={json.dumps(given[key], ensure_ascii=False)}" for key in given)
    cells = [shown["name"], f"{shown['score']:.2f}", shown["lane"] or "–"]
    return [*cells, one_line(values, MAX_WHY_CHARS), one_line(shown["why"], MAX_WHY_CHARS)]
