"""Try out the notifications: `notify test`."""

from __future__ import annotations

from argparse import Namespace

from config import Config
from runs.notify import tried
from ui.command import JSON, command
from ui.lists import print_json
from ui.words import say


@command("notify test", JSON)
def test(args: Namespace, config: Config) -> int:
    """`notify test`: send a message to each address at once; 1 when one does not take it."""
    from runs.notify.notices import trial
    from runs.notify.senders import check, name_of

    check(config)
    notice = trial(config.lang)
    results = [(name_of(url), tried(url, notice)) for url in config.notify.urls]
    if args.json:
        print_json({"sent": [{"service": name, "ok": ok} for name, ok in results]})
    else:
        for name, ok in results:
            print(say("notify.sent" if ok else "notify.refused", service=name))
    return int(not all(ok for _, ok in results))
