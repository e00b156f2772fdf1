"""SOPs that travel by git, on the screen: `sops sync REMOTE`."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from textwrap import indent

from config import Config
from learning.syncing import sync
from runs.assemble import SEEDS, Agent
from ui.command import JSON, Argument, Option, command
from ui.lists import print_json
from ui.sanitise import clean, one_line
from ui.words import in_words, say


@command(
    "sops sync",
    Argument("remote"),
    Option("--trust"),
    Option("--mine", "NAME", is_repeated=True),
    Option("--theirs", "NAME", is_repeated=True),
    JSON,
)
def sync_(args: Namespace, config: Config) -> int:
    """`sops sync REMOTE`: 0, or 1 when both sides changed an SOP."""
    mine, theirs = args.mine or [], args.theirs or []
    found = sync(
        args.remote,
        config.home,
        SEEDS,
        Agent(config).replay,
        trust=args.trust,
        mine=mine,
        theirs=theirs,
    )
    if args.json:
        print_json({"sops": [asdict(each) for each in found]})
    else:
        for each in found:
            if each.what != "same":
                reason = f": {one_line(in_words(each.reason), 300)}" if each.reason else ""
                print(f"{each.name} · {say('sync.' + each.what)}{reason}")
                if each.diff:
                    print(indent(clean(each.diff), "  "))
        same = sum(each.what == "same" for each in found)
        print(say("sync.done", n=len(found), same=same))
    return 1 if any(each.what == "conflict" for each in found) else 0
