"""Say what works: `doctor`, one line a thing, with the command that would mend it; `notify test`
sends a message."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from config import Config
from runs.doctor import Check, checks
from runs.notify import trials
from ui.command import JSON, command
from ui.lists import print_json
from ui.sanitise import one_line
from ui.words import say


@command("doctor", JSON)
def doctor(args: Namespace, config: Config) -> int:
    """`doctor`."""
    found = checks(config, tries_models=True)
    if args.json:
        print_json({"checks": [asdict(check) for check in found]})
    else:
        print_checks(found)
    return 0


def print_checks(found: list[Check]) -> None:
    """Print a line for each check, the command that mends it below."""
    for check in found:
        mark = {True: "✓", False: "✗", None: "·"}[check.ok]
        print(f"{mark} {check.name}: {one_line(check.detail)}")
        if not check.ok and check.fix:
            print(f"    {say('doctor.fix', fix=one_line(check.fix))}")


@command("notify test", JSON)
def test(args: Namespace, config: Config) -> int:
    """`notify test`: send a message to each address at once; 1 when one does not take it."""
    results = trials(config)
    if args.json:
        print_json({"sent": [{"service": name, "ok": ok} for name, ok in results]})
    else:
        for name, ok in results:
            print(say("notify.sent" if ok else "notify.refused", service=name))
    return int(not all(ok for _, ok in results))
