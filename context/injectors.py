"""The parts of the context, each a function of the brief: who the agent is, whom it works for, what
it knows, the task.

A part that has nothing to say returns "". What a session may not read, its reader refuses; these
parts ask only for what the session may have. Source: seed 001 §2.2, §2.3, §2.5; seed 004 §2; seed
000 stage 2.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from context.builder import SHARE, Block, Brief, Context, ContextBuilder, Injector
from context.tokens import estimate
from context.workspace import State
from memory.journal.turns import Turn
from memory.sops import Sop

MAX_HEADER_BYTES = 66  # of a description; bytes go with tokens in English and in Chinese
MAX_LEARNED = 40  # SOPs; the lanes of learning/route/ find the others
MAX_BODIES = 3  # of SOPs that a request calls up
MAX_FACTS_LINES = 30
EARLIER_TOKENS = 7500  # of the conversation so far; its block may take 8,000
LEAST_EARLIER_TOKENS = 100  # of a message, or it is left out
CHARS_A_TOKEN = 3
MAX_WINDOW_CHARS = 300  # of a turn
_CLAUSE_END = r"[,;:.](?=\s|$)|[，；：。]|(?<=[^.。])$"


def rules(brief: Brief) -> str:
    """Return the rules that hold for every run."""
    return brief.prompts.text("system_short" if brief.is_small else "system")


def file(name: str) -> Callable[[Brief], Block]:
    """Write a workspace file; one that is as it was shipped says nothing new, and one that is not
    this session's is not there."""
    return lambda brief: Block(
        _texts(brief).get(name, ""), brief.prompts.text("workspace_file", name=name)
    )


def group(brief: Brief) -> str:
    """Return the rules for a group of people."""
    return "" if brief.reader.session.is_main else brief.prompts.text("group")


def persona(brief: Brief) -> str:
    """Return how to speak in this run."""
    return brief.persona()


def facts(brief: Brief) -> Block | str:
    """Return the index of the facts."""
    if not brief.reader.session.is_main:
        return ""
    lines = brief.shares.facts.of(brief.reader.facts_index().splitlines()[:MAX_FACTS_LINES])
    return Block("\n".join(lines), brief.prompts.text("facts"))


def sops(*, seeds: bool) -> Callable[[Brief], Block | str]:
    """Write a line for each SOP that is shipped, or that was learned here; a group has no tool that
    reads their files."""
    heading, most = ("sops", None) if seeds else ("learned_sops", MAX_LEARNED)

    def listed(brief: Brief) -> Block | str:
        if brief.is_small or not brief.reader.session.is_main:
            return ""
        headers = brief.reader.sop_headers(brief.sops, brief.prompts.lang, seeds=seeds)[:most]
        lines = map(_header, brief.shares.sops.of(headers))
        folder = brief.seeds_folder if seeds else brief.learned_folder
        return Block("\n".join(lines), brief.prompts.text(heading, folder=folder))

    return listed


def always(brief: Brief) -> str:
    """Return the texts of SOPs that are to be read each time."""
    return "\n\n".join(
        _body(sop, brief) for sop in _readable(brief) if sop.metadata.get("always_load") is True
    )


def notes(brief: Brief) -> Block:
    """Return the notes of today and yesterday."""
    days = sorted(
        (name, text) for name, text in _texts(brief).items() if name.startswith("memory/")
    )
    lines = "\n\n".join(text for _, text in days).splitlines()
    shown = brief.shares.notes.of(lines, newest=True)
    return Block("\n".join(shown), brief.prompts.text("notes"))


def recalled(brief: Brief) -> Block:
    """Return memories that the request brings up."""
    if brief.shares.recall.most == 0:  # nothing is looked for
        return Block("")
    found = brief.shares.recall.of(brief.recall(brief.task))
    return Block("\n".join(f"- {text}" for text in found), brief.prompts.text("recalled"))


def earlier(brief: Brief) -> Block:
    """Return the conversation so far, newest messages first in line for the room: whole while they
    fit."""
    said = [each for run in brief.previous if (each := _said_in(brief, run))]
    room, lines = EARLIER_TOKENS, list[str]()
    for request, result in reversed(brief.shares.earlier.of(said, newest=True)):
        text = brief.prompts.text("earlier_task", request=request, result=result)
        if estimate(text) > room:
            text = _cut(text, CHARS_A_TOKEN * room)
        room -= estimate(text)
        lines.append(text)
        if room < LEAST_EARLIER_TOKENS:
            break
    count = len(said) - len(lines)
    lines += [brief.prompts.text("earlier_left_out", count=count)] if count else []
    return Block("\n\n".join(reversed(lines)), brief.prompts.text("earlier"))


def window(brief: Brief) -> Block:
    """Return what was said last in this session; a conversation has its earlier tasks instead."""
    prompts, asks = (
        brief.prompts,
        "window_owner" if brief.reader.session.is_main else "window_group",
    )
    lines = [
        prompts.text(
            "window_agent" if turn.who == "agent" else asks,
            at=turn.at.astimezone().strftime("%m-%d %H:%M"),
            text=_cut(" ".join(turn.text.split()), MAX_WINDOW_CHARS),
        )
        for turn in _once(brief.window())
    ]
    return Block("\n".join(lines), prompts.text("window"))


def _once(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Yield what was said, without rounds that were the same word for word later on: a daily task
    says nothing new each day."""
    rounds: list[list[Turn]] = []
    for turn in turns:
        if turn.who != "agent" or not rounds:
            rounds.append([])
        rounds[-1].append(turn)
    last = {
        tuple((turn.who, turn.text) for turn in each): number for number, each in enumerate(rounds)
    }
    return chain.from_iterable(rounds[number] for number in sorted(last.values()))


def matched(brief: Brief) -> Block:
    """Return the texts of SOPs that the request calls up by a trigger or that routing found
    nearest; others by a line."""
    request, lang = brief.task.lower(), brief.prompts.lang
    called = (sop for sop in _readable(brief) if any(word in request for word in _triggers(sop)))
    whole = {sop.name: sop for sop in (*brief.hints[:1], *called)}
    shown = list(whole.values())[:MAX_BODIES]
    lines = [_body(sop, brief) for sop in shown]
    others = [sop for sop in brief.hints[1:] if sop not in shown]
    lines += [f"SOP {sop.name} ({sop.folder / 'SKILL.md'}): {sop.summary(lang)}" for sop in others]
    return Block("\n\n".join(lines), brief.prompts.text("hint", text="").rstrip())


def environment(brief: Brief) -> str:
    """Return where and when the run works, and what holds for it."""
    said = brief.prompts.text(
        "environment",
        cwd=brief.cwd,
        platform=f"{platform.system()} {platform.machine()}",
        now=brief.now.strftime("%Y-%m-%d %a %H:%M %Z"),
        run=brief.run,
    ).rstrip()
    named = ", ".join(f"${{{name}}}" for name in brief.credentials)
    return said + ("\n" + brief.prompts.text("credentials", names=named) if named else "")


def task(brief: Brief) -> str:
    """Return the task."""
    return brief.prompts.text("task", task=brief.task)


INJECTORS = (
    Injector("rules", 10, None, True, rules),
    Injector("group", 15, None, True, group),
    Injector("spirit", 20, 1500, True, file("SPIRIT.md")),
    Injector("agents", 21, 2500, True, file("AGENTS.md")),
    Injector("persona", 30, 1500, True, persona),
    Injector("owner", 40, 1500, True, file("OWNER.md")),
    Injector("tools", 50, 2000, True, file("TOOLS.md")),
    Injector("facts", 60, 1500, True, facts),
    Injector("sops", 70, 1500, True, sops(seeds=True)),
    Injector("learned", 71, 2500, True, sops(seeds=False)),
    Injector("always", 72, 3000, True, always),
    Injector("memory", 80, 3000, True, file("MEMORY.md")),
    Injector("notes", 110, 2000, False, notes, keeps_end=True),
    Injector("recalled", 120, 2000, False, recalled),
    Injector("window", 125, 600, False, window, keeps_end=True),
    Injector("earlier", 130, 8000, False, earlier, keeps_end=True),
    Injector("matched", 140, 4000, False, matched),
    Injector("environment", 150, None, False, environment),
    Injector("task", 160, None, False, task),
)


def first_messages(brief: Brief, budget: int, redact: Callable[[str], str]) -> Context:
    """Return the first messages of a run within their share of its budget in tokens."""
    return ContextBuilder(INJECTORS, redact).build(brief, round(SHARE * budget))


def _texts(brief: Brief) -> dict[str, str]:
    """Return what the workspace files say beyond what was shipped; they are read when the first
    injector asks."""
    workspace = brief.workspace
    if workspace.state is State.INITIAL:
        workspace.load()
    results = [
        result for result in workspace.results if not workspace.is_pristine(result.file_path)
    ]
    return {result.file_path: result.content for result in results if result.content}


def _readable(brief: Brief) -> list[Sop]:
    """Return the SOPs whose text this session may read."""
    is_main = brief.reader.session.is_main
    usable = (sop for sop in brief.sops.all() if sop.description and not sop.is_quarantined)
    return [
        sop
        for sop in usable
        if sop.status not in ("archived", "suspended") and (is_main or sop.is_seed)
    ]


def _triggers(sop: Sop) -> list[str]:
    said = sop.metadata.get("triggers")
    words: Sequence[object] = said if isinstance(said, list) else []
    return [word.lower() for word in words if isinstance(word, str) and word.strip()]


def _body(sop: Sop, brief: Brief) -> str:
    return f"SOP {sop.name} ({sop.folder / 'SKILL.md'}, {sop.status})\n\n{sop.body(brief.prompts.lang)}"


def _header(line: str) -> str:
    """Return a line of the SOP list: the name, and as many clauses of the description as have
    room."""
    name, _, description = line.partition(": ")
    ends = [found.start() for found in re.finditer(_CLAUSE_END, description)]
    fitting = [end for end in ends if len(description[:end].encode()) <= MAX_HEADER_BYTES]
    if fitting:
        return f"- {name}: {description[: fitting[-1]]}"
    return f"- {name}: {description.encode()[:MAX_HEADER_BYTES].decode(errors='ignore')}…"


def _said_in(brief: Brief, run: str) -> tuple[str, str] | None:
    """Return request and result of an earlier run."""
    request, result = "", ""
    for event in brief.reader.events(run):
        if event["type"] == "run_started":
            request = event["task"]
        elif event["type"] == "run_ended":
            result = event["result"] or f"({event['status']})"
    return (request, result) if request else None


def _cut(text: str, limit: int) -> str:
    """Head and tail of a text that is too long, so that neither its beginning nor its conclusion is
    lost."""
    text = text.strip()
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail - 3]} … {text[len(text) - tail :]}"
