"""Tell calls of a run that only read, and hosts that a plan may ask: a call that is not known to
read counts as a change."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from memory.evidence import Result
from memory.sops import Sop
from shell import Setting, scan
from tools.base import LOOKS

MAX_TRACE_BYTES = 5_000_000
_ADDRESS = re.compile(r"(?:https?://)?([\w.-]+|\[::1\])(?::\d+)?(?:[/?]|$)", re.IGNORECASE)
_NAMED = re.compile(
    r"(?<![\w@.-])(?:https?://)?((?:[a-z0-9-]+\.)+[a-z0-9-]+)(?![\w.-]*@)", re.IGNORECASE
)
_OWN = frozenset(["127.0.0.1", "localhost", "[::1]"])
_URL = re.compile(r"https?://([\w.-]+)(?![\w.-]*[@{])", re.IGNORECASE)


def only_reads(call: Result, request: str, changed: Collection[str]) -> bool:
    """Return True for a call that leaves everything as it is. `request`: a host that it names may
    be asked; `changed`: the calls that changed files."""
    from safety.calls import read_name

    if call.tool == "file_read":
        return True
    if call.tool in LOOKS:
        return only_looks(call.args, hosts_in(request))
    if "." in call.tool:
        return read_name(call.tool).effect == "read"
    is_script = call.tool == "code_run" and call.call not in changed
    return is_script and _stays_here(call.args)


def _stays_here(args: Mapping[str, Any]) -> bool:
    """Return True for a script that does nothing which no stage shows."""
    if args.get("type") == "python":
        return True
    effects = scan(str(args.get("script", "")), Setting({}, "/"))
    return {effect.kind for effect in effects} <= {"reads"}


def only_looks(args: Mapping[str, Any], hosts: Collection[str]) -> bool:
    """Return True when a call of `LOOKS` asks this machine, one of the hosts, or no address."""
    address = args.get("url")
    if address is None:
        return True
    found = _ADDRESS.match(address.strip()) if isinstance(address, str) else None
    return found is not None and found[1].lower() in {*_OWN, *hosts}


def hosts_in(request: str) -> frozenset[str]:
    """Return the hosts that a request names: to ask one of them is to read."""
    return frozenset(match[1].lower() for match in _NAMED.finditer(request))


def hosts_of(sop: Sop, request: str) -> frozenset[str]:
    """Return the hosts of the request, of an SOP's steps and of the runs that taught it."""
    found = set(hosts_in(request))
    if sop.procedure is not None:
        found |= _addressed([step.args for step in sop.procedure.steps])
    for file in sorted(sop.folder.glob("references/trace-*.jsonl")):
        with suppress(OSError, ValueError, RecursionError):
            lines = [json.loads(line) for line in file.read_bytes()[:MAX_TRACE_BYTES].splitlines()]
            found |= _addressed([line.get("args") for line in lines if line.get("status") == "ok"])
            found |= hosts_in(str(lines[0].get("request", "")) if lines else "")
    return frozenset(found)


def _addressed(args: Any) -> set[str]:
    return {match[1].lower() for match in _URL.finditer(json.dumps(args, ensure_ascii=False))}
