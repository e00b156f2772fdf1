"""Say what the owner should look at in a skill from elsewhere before enabling it: rules over its files, with file and line.

A finding is no proof and its absence none either: the gate and the sandbox hold whatever a skill says. It reads text
alone and never decodes, runs or follows anything. Source: docs/learning.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

MAX_LINE_CHARS = 2_000  # a longer line is a finding itself; its beginning and its end are looked at
MAX_LINES, MAX_CHARS = (
    50_000,
    2_000_000,
)  # of the texts of a skill; that there is more is a finding itself
MAX_FINDINGS = 200
SHOWN_CHARS = 160
SCRIPTS = {".sh", ".bash", ".zsh", ".fish", ".py", ".pyw", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".ps1", ".bat", ".cmd", ".lua", ".go", ".rs", ".yaml", ".yml"}  # fmt: skip
PROGRAMS = (
    b"\x7fELF",
    b"MZ",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa\xcf",
    b"\0asm",
)
LOADERS = r"(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c)"
SHELLS = r"(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+)?(?:/\S*/)?(?:ba|z|da|k|fi)?sh\b|(?:sudo\s+)?(?:/\S*/)?(?:python|perl|ruby|node|php|pwsh|powershell)[\d.]*\b|iex\b|invoke-expression"
INVISIBLE = {0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x2060, 0x3164, 0xFEFF, 0xFFA0, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2061, 0x2070), *range(0xE0000, 0xE1000), *range(0x1D173, 0x1D17B)}  # fmt: skip
JOINERS = {0x200C, 0x200D, 0xFE0E, 0xFE0F}  # of emoji and some scripts


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at: which rule, in which file and line (from 1), and the line itself, cut."""

    rule: str
    file: str
    line: int
    text: str


EVERYWHERE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (rule, re.compile(form, re.IGNORECASE))
    for rule, form in (
        ("download-to-shell", rf"\b{LOADERS}\b[^|]{{0,300}}\|\s*(?:\S+\s*\|\s*)?(?:{SHELLS})"),
        ("download-to-shell", rf"(?:{SHELLS})\s+(?:-c\s+)?[\"']?(?:<\(|\$\(|`)\s*{LOADERS}\b"),
        (
            "download-to-shell",
            rf"\b(?:eval|source|exec|iex)\b[\s\"'(]*(?:<\(|\$\(|`|\()\s*{LOADERS}\b",
        ),
        (
            "download-to-shell",
            rf"\b{LOADERS}\b.{{0,300}}(?:&&|;)\s*(?:chmod\s+\S*[+7]\S*|(?:{SHELLS})\s+\.?/?\S+|\./\S+)",
        ),
        (
            "download-to-shell",
            r"\b(?:exec|eval)\s*\(.{0,300}(?:urlopen|requests\.get|httpx\.get|fetch\s*\()",
        ),
        ("decoded-and-run", r"base64\s+(?:-d|-D|--decode)\b.{0,300}\|"),
        (
            "decoded-and-run",
            rf"\b(?:xxd\s+-r|openssl\s+(?:enc|base64)\b.{{0,300}}-d|gunzip|zcat)\b.{{0,300}}\|\s*(?:{SHELLS})",
        ),
        (
            "decoded-and-run",
            r"\b(?:exec|eval|compile|__import__|loads|Function)\s*\(.{0,300}(?:b64decode|fromhex|unhexlify|codecs\.decode|zlib\.decompress|atob|Buffer\.from|marshal)",
        ),
        ("decoded-and-run", r"frombase64string|-enc(?:odedcommand)?\s+[A-Za-z0-9+/]{20,}"),
        (
            "blob",
            r"(?<![A-Za-z0-9+/])(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[0-9])[A-Za-z0-9+/]{100,}={0,2}",
        ),
        ("blob", r"(?<![0-9a-f])(?:[0-9a-f]{160,}|(?:\\x[0-9a-f]{2}){24,})"),
        (
            "credentials",
            r"(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|/root|/home/[^/\s]+|/Users/[^/\s]+|expanduser\(|Path\.home\(\)).{0,12}[/\\]?\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|azure|config/gcloud|config/gh|sopwith)\b",
        ),
        (
            "credentials",
            r"\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws/credentials|\.git-credentials|\.netrc\b|/etc/(?:shadow|sudoers)|/proc/\S*/environ|wallet\.dat|login\.keychain|Login Data|cookies\.sqlite|find-generic-password|secret-tool\s",
        ),
        ("credentials", r"\b[A-Z][A-Z0-9_]*_(?:API_KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY)\b"),
        ("credentials", r"(?:^|[\s\"'/=])\.env(?:\.\w+)?(?=[\s\"'),;]|$)"),
        (
            "addresses-agent",
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|other|your|safety|system)\b.{0,30}\b(?:instructions?|rules?|prompts?|guidelines?|policy|policies|restrictions?|confirmations?|checks?)\b",
        ),
        (
            "addresses-agent",
            r"\byou are now\b|\bas an? (?:ai|assistant|language model|agent),? you\b|\b(?:dear|attention|note to|instructions? for)\s+(?:the\s+)?(?:ai|assistant|agent|llm|model|claude|gpt|chatgpt|sopwith)\b|\bsystem prompt\b|\b(?:new|hidden|secret) instructions?\b",
        ),
        (
            "addresses-agent",
            r"\b(?:do not|don't|never)\b.{0,20}\b(?:tell|mention|inform|reveal|show|ask|notify|alert|warn)\b.{0,25}\b(?:user|owner|human|operator|them|anyone)\b|\bwithout\s+(?:asking|telling|informing|notifying|confirmation|confirming|the user)\b|\b(?:silently|secretly|covertly)\b",
        ),
        (
            "addresses-agent",
            r"<\s*/?\s*(?:system|assistant|instructions?|important|tool_use|tool_call|function_calls?)\b[^>]*>|\[/?INST\]|<\|[^|]{0,300}\|>",
        ),
        (
            "addresses-agent",
            r"(?:忽略|无视|忘记|忘掉|绕过|跳过).{0,12}(?:指令|指示|说明|规则|提示|限制|确认|检查)|(?:不要|不能|别|勿|无需|不必|不用).{0,6}(?:告诉|告知|通知|询问|提示|征求|让).{0,6}(?:用户|主人|使用者|任何人|人)|(?:无需|不必|不用)(?:确认|同意|批准)|你现在是|系统提示词|悄悄|偷偷",
        ),
        (
            "installs",
            r"\b(?:pip[\d.]*|pipx|uv(?:\s+pip)?|npm|pnpm|yarn|bun|brew|apt|apt-get|yum|dnf|pacman|apk|snap|cargo|gem|go|choco|winget|scoop|conda|mamba|npx|uvx)\s+(?:-\S+\s+)*(?:install|add|i|get|-S|-y|run)\b|\bnpx\s+\S|\buvx\s+\S|\bsudo\s|\bcurl\b.{0,300}\binstall\b",
        ),
        (
            "installs",
            r"(?:prerequisite|before you (?:start|begin|use)|must (?:first )?(?:download|install|run)|required (?:download|tool|utility)|前提|先(?:安装|下载|运行)|前置)",
        ),
        (
            "destroys",
            r"\brm\s+(?:-\w*[rf]\w*\s+)+|\bmkfs\b|\bdd\s+.{0,300}\bof=/dev/|shutil\.rmtree|\bgit\s+push\b.{0,300}--force|\bDROP\s+(?:TABLE|DATABASE)\b|chmod\s+-R\s+777|>\s*/dev/sd",
        ),
        (
            "stays",
            r"\bcrontab\b|systemctl\s+(?:--user\s+)?enable|launchctl\s+load|\.(?:bashrc|zshrc|profile|bash_profile)\b|authorized_keys|LaunchAgents|\bnohup\b|\bat\s+now\b",
        ),
    )
)
IN_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (rule, re.compile(form, re.IGNORECASE))
    for rule, form in (
        (
            "network",
            r"^\s*(?:import|from)\s+(?:requests|urllib3?|http\.client|httpx|aiohttp|socket|ftplib|smtplib|paramiko|websockets?)\b|\b(?:import\s*\(|require\s*\()\s*[\"'](?:node:)?(?:https?|net|dgram|axios|node-fetch|ws)[\"']",
        ),
        (
            "network",
            rf"(?:^|[\s;&|$(`\"'])(?:{LOADERS}|nc|ncat|netcat|ssh|scp|rsync|sftp|ftp|telnet|socat)\s+\S|/dev/tcp/|\bfetch\s*\(|\bXMLHttpRequest\b",
        ),
        ("network", r"https?://(?!(?:localhost|127\.0\.0\.1|\[::1\])[:/\s\"'])[^\s\"']+"),
        (
            "absolute-path",
            r"(?<![\w.:/$}~*-])/(?:home|Users|root|etc|var|usr|opt|tmp|mnt|media|srv|private|Library|Applications)(?:/|\b)(?!/env\b|/bin/env\b)|\b[A-Z]:\\\\?\w",
        ),
        (
            "runs-text",
            r"\b(?:eval|exec)\s*\(|\bos\.system\s*\(|shell\s*=\s*True|\bchild_process\b|(?:^|[;&|]\s*)eval\s",
        ),
    )
)
SHEBANG = re.compile(r"#!\s*/(?:usr/)?bin/(?:env\s+)?[\w.-]+(?:\s.*)?$")


def scan(files: Mapping[str, bytes]) -> list[Finding]:
    """Return what is to be looked at in these files, SKILL.md first, by line; at most MAX_FINDINGS."""
    found: list[Finding] = []
    lines = chars = 0
    for path in sorted(files, key=lambda path: (path != "SKILL.md", not _is_script(path), path)):
        lines, chars = lines + files[path].count(b"\n"), chars + _text_size(files[path])
        if lines > MAX_LINES or chars > MAX_CHARS:
            return [
                *found,
                Finding(
                    "unscanned", path, 0, f"more than {MAX_LINES} lines or {MAX_CHARS} characters"
                ),
            ]
        for finding in _file(path, files[path]):
            found.append(finding)
            if len(found) >= MAX_FINDINGS:
                return found
    return found


def _file(path: str, data: bytes) -> Iterator[Finding]:
    if any(map(_is_hidden, path)):
        yield Finding("hidden-text", path, 0, _shown(path))
    if data.startswith(PROGRAMS):
        yield Finding("program", path, 0, "a compiled program")
        return
    suffix = PurePosixPath(path).suffix.lower()
    if b"\0" in data[:8000]:
        if suffix in SCRIPTS or path == "SKILL.md":
            yield Finding("hidden-text", path, 1, "holds NUL bytes")
        return
    text = data.decode("utf-8", "replace")
    rules = (*EVERYWHERE, *IN_SCRIPTS) if _is_script(path) or text.startswith("#!") else EVERYWHERE
    for number, line in _joined(text):
        yield from _line(path, number, line, rules)
    at = 0
    while suffix in (".md", ".html", "") and (at := text.find("<!--", at)) >= 0:
        end = text.find("-->", at)
        yield Finding(
            "hidden-text",
            path,
            text.count("\n", 0, at) + 1,
            _shown(text[at : end if end > 0 else None][:SHOWN_CHARS]),
        )
        at = end if end > 0 else len(text)


def _is_script(path: str) -> bool:
    return path.startswith("scripts/") or PurePosixPath(path).suffix.lower() in SCRIPTS


def _text_size(data: bytes) -> int:
    """How many bytes of a file are looked at."""
    return 0 if data.startswith(PROGRAMS) or b"\0" in data[:8000] else len(data)


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """The lines by number; those that a backslash joins as one, by the number of the first."""
    whole, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        whole, first = (f"{whole} {line.strip()}", first) if whole else (line, number)
        if whole.endswith("\\") and len(whole) < MAX_LINE_CHARS:
            whole = whole[:-1].rstrip()
            whole = whole or " "
            continue
        yield first, whole
        whole = ""
    if whole:
        yield first, whole


def _line(
    path: str, number: int, line: str, rules: tuple[tuple[str, re.Pattern[str]], ...]
) -> Iterator[Finding]:
    if not line.isascii() and any(map(_is_hidden, line)) and _hides(line):
        yield Finding("hidden-text", path, number, _shown(line))
    if len(line) > MAX_LINE_CHARS:
        yield Finding("blob", path, number, _shown(line))
        line = f"{line[: MAX_LINE_CHARS // 2]} {line[-MAX_LINE_CHARS // 2 :]}"
    seen = line if line.isascii() else "".join(char for char in line if not _is_hidden(char))
    plain = " ".join(unicodedata.normalize("NFKC", seen).split())[:MAX_LINE_CHARS]
    if number == 1 and SHEBANG.match(plain):
        return
    told = set[str]()
    for rule, form in rules:
        if rule not in told and form.search(plain):
            told.add(rule)
            yield Finding(rule, path, number, _shown(line))


def _is_hidden(char: str) -> bool:
    return ord(char) in INVISIBLE or 0xE0100 <= ord(char) <= 0xE01EF


def _hides(line: str) -> bool:
    """True unless all that cannot be seen joins emoji or letters that need it."""
    for at, char in enumerate(line):
        if not _is_hidden(char) or (at == 0 and char == "\ufeff"):
            continue
        beside = line[at - 1 : at] + line[at + 1 : at + 2]
        if ord(char) not in JOINERS or len(beside) < 2 or any(other.isascii() for other in beside):
            return True
    return False


def _shown(line: str) -> str:
    """The line with what cannot be seen written out."""
    text = "".join(
        f"<U+{ord(char):04X}>" if _is_hidden(char) else char for char in line[: SHOWN_CHARS * 2]
    )
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"
