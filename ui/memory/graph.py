"""The mind graph on the screen: `memory graph [NAME]`."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from config import Config, SopwithError
from memory.graph import FORMS, Wanted, opened
from ui.command import JSON, LIMIT, Argument, Option, command, moment, whole
from ui.lists import print_list
from ui.memory.journal import opened_without_meaning
from ui.sanitise import one_line
from ui.words import say, says

SHOWN = 30
SETTLE_SECONDS = 2.0  # who looks at the graph would rather wait than miss it


class NotInGraph(SopwithError):
    """Nothing of that name is in the graph."""

    exit_code = 2


@command(
    "memory graph",
    Argument("name", "*"),
    LIMIT,
    Option("--session", "S", key="opt.only-session"),
    Option("--since", "ISO", moment),
    Option("--until", "ISO", moment),
    Option("--depth", "N", whole),
    JSON,
)
def graph(args: Namespace, config: Config) -> int:
    """`memory graph [NAME]`: what is around a name; without one, the strongest of all. `args`:
    name, limit, depth, since, until, session, json."""
    with opened_without_meaning(config) as memory:  # what was said a moment ago is in it too
        memory.flush(SETTLE_SECONDS)
        memory.rest()
    name, limit = " ".join(args.name), args.limit or SHOWN
    wanted = Wanted(args.session, since=args.since, until=args.until)
    with opened(config.home) as seen:
        around = (name, wanted, limit, args.depth or 1)
        found = seen.neighbours(*around) if name else seen.snapshot(wanted, limit)
    if name and not found["centre"]:
        raise NotInGraph(say("graph_nothing", name=one_line(name, 80)))
    names = {node["id"]: _name(node) for node in found["nodes"]}
    heads = "graph_column_from:cyan graph_column_how graph_column_to:cyan* graph_column_strength>"
    heads += " graph_column_seen graph_column_by graph_column_source"
    rows = [_row(edge, names) for edge in found["edges"]]
    print_list(args, found, heads, rows, say("graph_empty"))
    if found["truncated"] and not args.json:
        print(say("graph_more", n=len(found["edges"])))
    return 0


def _row(edge: dict[str, Any], names: dict[str, str]) -> list[str]:
    first, last = edge["first_seen"][:10], edge["last_seen"][:10]
    return [
        one_line(names[edge["source"]], 40),
        _how(edge),
        one_line(names[edge["target"]], 60),
        f"{edge['strength']:.2f}",
        last if first == last else f"{first} – {last}",
        say(f"graph_by_{edge['by']}"),
        one_line(edge["evidence"]["source"] or "–", 80),
    ]


def _how(edge: dict[str, Any]) -> str:
    label = _label(edge["label"])
    if edge["predicate"] == "RELATES_TO" and label:
        return one_line(label, 40)
    more = "; ".join(each for each in (label, edge["emotion"]) if each)
    said = say(f"graph_{edge['predicate']}")
    return one_line(f"{said} ({more})" if more else said, 40)


def _name(node: dict[str, Any]) -> str:
    return say(f"graph_{node['kind']}") if node["kind"] in ("User", "Agent") else node["name"]


def _label(label: str) -> str:
    """Return what somebody is to somebody in the owner's language; other labels stand as they were
    said."""
    if says(key := f"graph_label_{label.replace(' ', '_')}"):
        return say(key)
    is_chinese = not say("graph_PREFERS").isascii()
    if not is_chinese or label not in FORMS:
        return label
    return "/".join([form for form in FORMS[label] if not form.isascii()][:2])
