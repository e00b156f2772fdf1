"""Say which scripts only read, and which hosts may be asked: what is not known to read counts as a change."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from memory.sops import Sop
from replay.procedure import Procedure
from shell.bash import Command, NotUnderstood, parse

_READING_WORDS = (
    "ls find grep egrep fgrep zgrep rg cat tac head tail wc sort uniq cut awk gawk mawk sed stat du df date echo printf test [ pwd basename"
    " dirname realpath readlink file diff cmp comm md5sum sha1sum sha224sum sha256sum sha512sum cksum b2sum jq tr column nl rev paste join"
    " seq expr true false id whoami hostname uname which type tree od xxd hexdump strings zcat fold fmt expand shuf numfmt nproc cd export"
    " set local declare : bc factor cal ps uptime free lsblk getent locale groups command egrep xargs sqlite3 tar unzip git curl sleep read exit return"
)
_READING = frozenset(_READING_WORDS.split())
_GIT_READS = frozenset(
    ["status", "log", "diff", "show", "rev-parse", "ls-files", "ls-tree", "blame", "shortlog", "describe", "rev-list", "grep", "cat-file", "show-ref", "for-each-ref", "count-objects", "name-rev", "merge-base"]
)  # fmt: skip
_GIT_LISTS = {  # what the first word behind them must be
    "branch": r"--(list|merged|no-merged|contains|show-current|format=.*|all|remotes|sort=.*)|-[arv]+|-vv",
    "tag": r"--(list|merged|contains|points-at|sort=.*)|-l|-n\d*",
    "remote": r"-v|get-url",
    "stash": r"list|show",
    "worktree": r"list",
    "config": r"--(get|list|get-all)|-l",
}
_ADDRESS = re.compile(r"(?:https?://)?([\w.-]+|\[::1\])(?::\d+)?(?:[/?]|$)", re.IGNORECASE)
_NAMED = re.compile(
    r"(?<![\w@.-])(?:https?://)?((?:[a-z0-9-]+\.)+[a-z0-9-]+)(?![\w@.-]*@)", re.IGNORECASE
)
_OWN = frozenset(["127.0.0.1", "localhost", "[::1]"])
_URL = re.compile(r"https?://([\w.-]+)(?![\w.-]*[@{])", re.IGNORECASE)
MAX_TRACE_BYTES = 5_000_000
_PURE = frozenset(
    ["argparse", "ast", "base64", "bisect", "calendar", "collections", "csv", "dataclasses", "datetime", "decimal", "difflib", "fnmatch", "fractions", "functools", "glob", "hashlib", "heapq", "html", "io", "itertools", "json", "locale", "math", "operator", "os", "pathlib", "pprint", "re", "statistics", "string", "struct", "sys", "textwrap", "time", "tomllib", "types", "typing", "unicodedata", "xml", "zlib", "__future__", "zoneinfo", "configparser", "urllib"]
)  # fmt: skip
_PY_CHANGES = re.compile(
    r"\.(write\w*|mkdir|makedirs|touch|rename|unlink|rmdir|removedirs|symlink\w*|hardlink_to|link_to|chmod|chown|truncate|dump|to_\w+|save\w*|extract\w*|putenv|utime|system|popen|startfile|urlopen|urlretrieve|fork|kill|exec\w*|spawn\w*)\s*\("
    r"|\bos\.(remove|replace)\s*\(|\bopen\s*\([^)]*,\s*(mode\s*=\s*)?['\"][^'\"]*[wax+]|\.open\s*\(\s*(mode\s*=\s*)?['\"][^'\"]*[wax+]"
    r"|\b(exec|eval|compile|__import__|getattr|setattr|globals|input)\s*\("
)


def hosts_in(request: str) -> frozenset[str]:
    """The hosts that a request names: to ask one of them is to read."""
    return frozenset(match[1].lower() for match in _NAMED.finditer(request))


def hosts_of(sop: Sop, request: str) -> frozenset[str]:
    """The hosts that an SOP may ask in its plan: those of the request, of its own steps, and of the runs that taught it."""
    found = set(hosts_in(request))
    if isinstance(sop.steps, Procedure):
        found |= _addressed([step.args for step in sop.steps.steps])
    for file in sorted(sop.folder.glob("references/trace-*.jsonl")):
        with suppress(OSError, ValueError, RecursionError):
            lines = [json.loads(line) for line in file.read_bytes()[:MAX_TRACE_BYTES].splitlines()]
            found |= _addressed([line.get("args") for line in lines if line.get("status") == "ok"])
            found |= hosts_in(str(lines[0].get("request", "")) if lines else "")
    return frozenset(found)


def _addressed(args: Any) -> set[str]:
    return {match[1].lower() for match in _URL.finditer(json.dumps(args, ensure_ascii=False))}


def only_looks(args: Mapping[str, Any], hosts: frozenset[str]) -> bool:
    """True when a call of one of `LOOKS` asks this machine or one of the hosts, or looks at what is open already."""
    address = args.get("url")
    return address is None or (isinstance(address, str) and _may_be_asked(address.strip(), hosts))


def shell_only_reads(script: str, hosts: frozenset[str] = frozenset()) -> bool:
    """True when every command of the script is known to leave nothing behind. `hosts` may be asked beside this machine."""
    try:
        commands = parse(script)
    except NotUnderstood:
        return False
    return all(_command_reads(command, hosts) for command in commands)


def python_only_reads(script: str, hosts: frozenset[str] = frozenset()) -> bool:
    """True when a Python script imports only what computes, and calls nothing that changes the world. `hosts` may be asked
    beside this machine."""
    try:
        tree = ast.parse(script)
    except (SyntaxError, ValueError, RecursionError):
        return False
    for node in ast.walk(tree):
        names = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        if any(name.split(".")[0] not in _PURE and name != "requests" for name in names):
            return False
    if not _asks_only(tree, hosts):
        return False
    script = re.sub(r"\burlopen\s*\(", "(", script)
    text = (
        re.sub(r"sys\.(stdout|stderr)\.write|writerow\b", "", script)
        if "open(" not in script
        else script
    )
    text = re.sub(r"sys\.(stdout|stderr)\.write", "", text)
    return not _PY_CHANGES.search(text)


def _asks_only(tree: ast.Module, hosts: frozenset[str]) -> bool:
    """True when a script uses the network for nothing but a GET from such a host, by urlopen or requests.get under its
    own name."""
    nodes = list(ast.walk(tree))
    gets = {
        id(node.func) for node in nodes if isinstance(node, ast.Call) and _is_plain_get(node, hosts)
    }
    gets |= {
        id(func.value)
        for func in (node.func for node in nodes if isinstance(node, ast.Call))
        if id(func) in gets and isinstance(func, ast.Attribute)
    }
    return all(_is_harmless(node) or id(node) in gets for node in nodes)


def _is_harmless(node: ast.AST) -> bool:
    """False for what reaches urllib.request or requests: by another name, for anything but a GET, or the GET itself."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("requests"):
        return False
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("urllib"):
        return node.module == "urllib.parse" or [
            (each.name, each.asname) for each in node.names
        ] == [("urlopen", None)]
    if isinstance(node, ast.Import):
        return not any(
            each.name.startswith(("urllib", "requests")) and each.asname for each in node.names
        )
    if isinstance(node, ast.Attribute):
        return ast.unparse(node.value) != "urllib.request"
    return not (isinstance(node, ast.Name) and node.id in ("urlopen", "requests"))


def _is_plain_get(node: ast.Call, hosts: frozenset[str]) -> bool:
    """An address that begins in the script with this machine or one of the hosts, and no data."""
    name = ast.unparse(node.func)
    may_have = {
        "urlopen": {"timeout"},
        "urllib.request.urlopen": {"timeout"},
        "requests.get": {"timeout", "params"},
    }.get(name)
    if (
        may_have is None
        or len(node.args) != 1
        or not {key.arg for key in node.keywords} <= may_have
    ):
        return False
    address, start = node.args[0], ""
    while isinstance(address, ast.BinOp) and isinstance(address.op, ast.Add):
        address = address.left
    if isinstance(address, ast.JoinedStr) and address.values:
        address = address.values[0]
    if isinstance(address, ast.Constant) and isinstance(address.value, str):
        start = address.value
    is_whole = address is node.args[0]
    return _may_be_asked(start, hosts) and (is_whole or bool(re.match(r"https?://[^/]+/", start)))


def _may_be_asked(address: str, hosts: frozenset[str]) -> bool:
    found = _ADDRESS.match(address)
    return found is not None and found[1].lower() in _OWN | hosts


def _command_reads(command: Command, hosts: frozenset[str]) -> bool:
    for redirect in command.redirects:
        target = redirect.word.value({})
        if ">" in redirect.operator and target != "/dev/null" and not (target or "").isdigit():
            return False
    if command.loop_variable or not command.words:
        return True
    words = [word.value({}) for word in command.words]
    name = (words[0] or "").rpartition("/")[2]
    if name in ("python3", "python"):
        code = words[2] if len(words) > 2 and words[1] == "-c" else None
        return code is not None and python_only_reads(code, hosts)
    rest = [word or "" for word in words[1:]]
    if name in ("curl", "wget"):
        return (_curl_reads if name == "curl" else _wget_reads)(rest, hosts)
    return name in _READING and not _writes(name, rest, words)


def _writes(name: str, rest: list[str], words: list[str | None]) -> bool:
    plain = [word for word in rest if not word.startswith("-")]
    joined = " ".join(rest)
    checks = {
        "find": any(re.fullmatch(r"-(delete|exec|execdir|ok|okdir|fprint\w*|fls)", word) for word in rest),
        "sed": any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in rest) or bool(re.search(r"(^|[;{}/\d$!])\s*[wWe]\s*\S", " ".join(plain[:1]))),
        "sort": any(re.match(r"-o|--output", word) for word in rest),
        "awk": None in words or bool(re.search(r"system\s*\(|\|\s*\"|\"\s*\||getline|\bprintf?\b[^;}]*>", joined)),
        "git": not _git_reads(rest),
        "xargs": not (plain[:1] and plain[0] in _READING - {"xargs", "git", "sed", "awk", "find", "sqlite3", "tar", "unzip"}),
        "sqlite3": not all(re.match(r"\s*(select|\.(tables|schema|mode|headers))\b", word, re.IGNORECASE) for word in plain[1:]) or len(plain) < 2,
        "tar": not re.match(r"-?t|.*--list", joined),
        "unzip": not any(word in ("-l", "-v", "-t", "-p", "-Z") for word in rest),
        "date": any(word in ("-s", "--set") for word in rest),
        "hostname": bool(plain),
        "command": bool(rest) and rest[0] not in ("-v", "-V"),
        "uniq": len(plain) > 1,
    }  # fmt: skip
    return bool(checks.get("awk" if name in ("gawk", "mawk") else name, False))


def _git_reads(rest: list[str]) -> bool:
    """True for a reading subcommand, behind `-C FOLDER`; also for lists of branches, tags and the like."""
    words = list(rest)
    while words and (words[0] == "-C" or words[0] in ("--no-pager", "-P")):
        del words[: 2 if words[0] == "-C" else 1]
    if not words or any(word.startswith("--output") for word in words):
        return False
    name, options = words[0], words[1:]
    if name in _GIT_LISTS:
        return all(re.fullmatch(_GIT_LISTS[name], word) for word in options[:1]) and (
            bool(options) or name in ("branch", "tag", "remote")
        )
    return name in _GIT_READS


def _wget_reads(rest: list[str], hosts: frozenset[str]) -> bool:
    """A GET from this machine or one of the hosts that goes to the output."""
    words = " ".join(word for word in rest if not _may_be_asked(word, hosts))
    to_output = re.fullmatch(
        r"(?:(?:-q|-nv|-T \d+|--quiet|--timeout=\d+) ?)*(?:-q?O ?-|--output-document=-)(?: (?:-q|--quiet))?",
        words,
    )
    return to_output is not None and len(words.split()) < len(rest)


def _curl_reads(rest: list[str], hosts: frozenset[str]) -> bool:
    """A GET from this machine or one of the hosts that keeps nothing: its data goes into the address."""
    urls, is_get, has_data, words = [], False, False, iter(rest)
    for word in words:
        if re.fullmatch(r"-[fsSGLgk46]+|--(get|fail|silent|show-error|compressed)", word):
            is_get = is_get or word == "--get" or ("G" in word and not word.startswith("--"))
        elif word in ("-d", "--data", "--data-urlencode"):
            next(words, "")
            has_data = True
        elif word in ("-m", "--max-time", "--connect-timeout", "--retry"):
            next(words, "")
        elif word.startswith("-"):
            return False
        else:
            urls.append(word)
    return (
        bool(urls) and (is_get or not has_data) and all(_may_be_asked(url, hosts) for url in urls)
    )
