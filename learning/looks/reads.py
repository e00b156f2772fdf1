"""Tell calls that only read from those that change something: what is not known to read counts as a change."""

from __future__ import annotations

from memory.evidence import Result
from tools.base import LOOKS


def only_reads(call: Result, request: str) -> bool:
    """Return True for a call that leaves everything as it is. `request`: a host that it names may be asked."""
    from learning.looks.scripts import hosts_in, only_looks, python_only_reads, shell_only_reads
    from safety.calls import read_name

    if call.tool == "file_read":
        return True
    hosts = hosts_in(request)
    if call.tool in LOOKS:
        return only_looks(call.args, hosts)
    if "." in call.tool:
        return read_name(call.tool).effect == "read"
    if call.tool != "code_run":
        return False
    script = str(call.args.get("script", ""))
    is_python = call.args.get("type") == "python"
    return python_only_reads(script, hosts) if is_python else shell_only_reads(script, hosts)
