"""`doctor`: what works here and what is missing, one line each, with the command that would mend it."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from config import Config
from runs.doctor import Check, checks
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
    """One line a check, the command that mends it below."""
    for check in found:
        mark = {True: "✓", False: "✗", None: "·"}[check.ok]
        print(f"{mark} {check.name}: {one_line(check.detail)}")
        if not check.ok and check.fix:
            print(f"    {say('doctor.fix', fix=one_line(check.fix))}")
