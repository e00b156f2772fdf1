"""Recognise what will not hold: times, process numbers, sessions, ports of the moment, temporary paths, places on a screen, ids.

`volatile(text)` names each with its kind. It looks at what stands there, in English and in Chinese, and knows nothing of
where it came from. Source: seed 002 §3 (temporary variables are never recorded).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

KINDS = {  # kind → what an owner reads
    "time": ("a time", "时间"),
    "today": ("a date of the moment", "当时的日期"),
    "moment": ("a word for the moment", "只说当时的词"),
    "pid": ("a process number", "进程号"),
    "session": ("a session id", "会话号"),
    "port": ("a port chosen at random", "随机端口"),
    "temporary path": ("a temporary path", "临时路径"),
    "uuid": ("a UUID", "UUID"),
    "hash": ("a hash or random id", "哈希或随机编号"),
    "page element": ("a generated id of a page", "网页生成的编号"),
    "position": ("a position on the screen", "屏幕坐标"),
    "address": ("an address in memory", "内存地址"),
    "measurement": ("a measurement of the moment", "当时的测量值"),
}
FIRST_RANDOM_PORT = 32768  # where systems begin to hand out ports
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_NUMBER = r"(?<![A-Za-z0-9_.-])"

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("time", r"(?<!\d)\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"),
        ("time", r"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d(?![\d:])"),
        ("time", r"(?i)(?<![a-z0-9])(?:now|time|timestamp|finished|started|updated|modified|created|last run)(?: is| was|:|=)? ?(?:at )?\d{1,2}:\d{2}(?![\d:])"),
        ("time", r"(?:现在|时间|当前时间|完成于|开始于|更新于)(?:是|为|：|:)? ?\d{1,2}(?::|点)\d{0,2}"),
        ("time", rf"{_NUMBER}1[4-9]\d{{8}}(?:\.\d+)?(?![\w.]\d|\d)"),
        ("time", rf"{_NUMBER}1[4-9]\d{{11}}(?!\d)"),
        ("pid", r"(?i)\b(?:pid|process (?:id|number|no\.?)|ppid)\s*(?:is|was|[:=#])?\s*\d{2,}"),
        ("pid", r"(?:进程号|进程 ?(?:ID|id|编号))\s*(?:是|为|[:：=])?\s*\d{2,}"),
        ("pid", r"\bkill\s+(?:-\w+\s+|-s \w+\s+)*\d{2,}"),
        ("pid", r"/proc/\d+\b"),
        ("pid", r"(?i)\bprocess \d{3,}\b"),
        ("session", r"(?i)\b(?:session|request|trace|correlation|conversation|thread)[ _-]?id\s*(?:is|was|[:=])?\s*[\"']?(?=[\w-]*\d)[\w-]{4,}"),
        ("session", r"(?:会话号|会话 ?(?:ID|id)|会话编号)\s*(?:是|为|[:：=])?\s*[\w-]{4,}"),
        ("session", r"(?i)\b(?:PHPSESSID|JSESSIONID|connect\.sid|ASP\.NET_SessionId|csrf(?:_?token)?|sid)\s*[=:]\s*[\"']?(?=[\w.%-]*\d)[\w.%-]{6,}"),
        ("session", r"/dev/(?:pts/\d+|tty\d+)|\btmux-\d+\b|\bscreen -r \d+"),
        ("temporary path", r"(?<![\w.~*}])(?:/private)?(?:/var)?/tmp/(?![\w./-]*X{3})[^\s\"'`$*<>|;,，。；）){}]+"),
        ("temporary path", r"/(?:private/)?var/folders/\w[^\s\"'`]*|/run/user/\d+[^\s\"'`]*|/dev/shm/[^\s\"'`$]+"),
        ("temporary path", r"(?i)[a-z]:\\(?:users\\[^\\\s]+\\appdata\\local\\|windows\\)?temp\\[^\s\"'`]+"),
        ("temporary path", r"(?<![\w/])tmp(?=[a-z0-9_]*\d)[a-z0-9_]{8}(?!\w)"),
        ("uuid", r"(?i)(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f-])"),
        ("hash", r"(?i)(?<![0-9a-z_/+-])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,}(?![0-9a-z_])"),
        ("hash", r"(?i)\b(?:commit|revision|sha1?|container|build|at|提交|容器)[ :=]+(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,11}\b"),
        ("hash", r"(?i)\bsha(?:1|256|512)[:-][A-Za-z0-9+/=]{20,}"),
        ("page element", r"#(?:ember|react-|radix-|headlessui-|mui-|gwt-uid-|ext-gen|yui_|isPasted)[\w-]*\d[\w-]*|#(?=[\w-]*[A-Za-z])[A-Za-z][\w-]*[-_:]?\d{3,}\b"),
        ("page element", r"(?i)\b(?:ref|data-(?:reactid|id|testid-gen))=[\"']?[a-z]?\d+|\[ref=\w+\]|\bid=[\"'][\w-]*\d{3,}[\w-]*[\"']"),
        ("page element", r"\.(?:css|sc|jss|emotion)-(?=[a-z]*\d)[a-z0-9]{5,}|/html/body/[\w\[\]/]+|nth-(?:child|of-type)\(\d+\)|:r[0-9a-z]+:"),
        ("position", r"(?i)\bx\s*[=:]\s*-?\d+\D{1,8}\by\s*[=:]\s*-?\d+"),
        ("position", r"(?i)\b(?:click|double_?click|tap|move(?:_?to)?|drag(?:_?to)?|mousemove|cursor|coordinates?|position|located)(?: is| are| at| to| on|:)*\s*[(\[（]?\s*\d{1,4}\s*[,，]?\s+?\d{1,4}\b"),
        ("position", r"(?i)\b(?:click|double_?click|tap|move(?:_?to)?|drag(?:_?to)?|coordinates?|position)(?: is| are| at| to| on|:)*\s*[(\[（]\s*\d{1,4}\s*[,，]\s*\d{1,4}"),
        ("position", r"(?:坐标|位置|点击|移动到)\s*(?:是|为|在|[:：])?\s*[(\[（]?\s*\d{1,4}\s*[,，]\s*\d{1,4}"),
        ("address", r"(?i)\b0x(?=[0-9a-f]{8})[0-9a-f]{8,16}\b"),
    )
)  # fmt: skip
_PORTS = re.compile(
    r"(?i)(?:(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[::1?\]|[a-z][\w-]*(?:\.[\w-]+)+|\*|0\.0\.0\.0):|\bports? ?(?:is|was|number|[:=])? ?|--port[ =]|\b-p |端口号?\s*(?:是|为|[:：=])?\s*)(\d{5})(?!\d)"
)
_MOMENT = re.compile(  # only of facts: an SOP may well be about "today"
    r"(?i)\b(?:today|yesterday|tomorrow|tonight|right now|just now|at the moment|at present|currently|temporarily|for now|this morning|this week|so far|an hour ago|\w+ (?:minutes?|hours?|days?) ago)\b"
    r"|今天|昨天|明天|刚才|刚刚|现在|目前|当前|暂时|临时|此刻|本周|小时前|分钟前"
)
_MEASURED = re.compile(
    r"(?i)\b(?:load average|uptime|cpu usage|battery(?: level)?|temperature|free (?:memory|space|disk)|(?:memory|disk) (?:used|usage|free)|queue length|unread)\b[^.\n]{0,25}\d"
    r"|\d[\d.,]* ?(?:%|[KMGT]i?B?)? (?:is |are )?(?:free|used|in use|left|available|unread)\b"
    r"|(?:剩余|可用|已用|占用|负载|电量|温度|使用率|未读)[^。\n]{0,8}\d"
)


@dataclass(frozen=True, slots=True)
class Volatile:
    """A part of a text that will not hold, and its kind (one of `KINDS`)."""

    kind: str
    text: str

    def said(self, lang: str) -> str:
        """As in: "/tmp/x7" (a temporary path)."""
        english, chinese = KINDS[self.kind]
        return f"“{self.text}”（{chinese}）" if lang == "zh" else f'"{self.text}" ({english})'


def volatile(
    text: str, days: Collection[str] = (), *, is_fact: bool = False, kept: Collection[Path] = ()
) -> list[Volatile]:
    """Return what in a text will not hold, by kind and place. `days` are dates (2026-11-21) on
    which it was found out; in a fact, words like "currently" and measurements count too. Paths
    below `kept` are lasting wherever they lie."""  # fmt: skip
    found = [
        Volatile(kind, match[0].rstrip(".,;:"))
        for kind, pattern in _PATTERNS
        for match in pattern.finditer(text)
        if kind != "temporary path" or not _is_kept(match[0], kept)
    ]
    found += [Volatile("temporary path", path) for path in _in_temporary_folder(text, kept)]
    found += [
        Volatile("port", match[1])
        for match in _PORTS.finditer(text)
        if FIRST_RANDOM_PORT <= int(match[1]) < 65536
    ]
    found += [
        Volatile("today", written)
        for day in days
        for written in spellings(day)
        if _stands(written, text)
    ]
    if is_fact:
        found += [Volatile("moment", match[0]) for match in _MOMENT.finditer(text)]
        found += [Volatile("measurement", match[0]) for match in _MEASURED.finditer(text)]
    return list(dict.fromkeys(found))


def around(day: str) -> list[str]:
    """A date and its neighbours: the log is in UTC, the owner is elsewhere."""
    middle = date.fromisoformat(day)
    return [(middle + timedelta(days=days)).isoformat() for days in (-1, 0, 1)]


def spellings(day: str) -> list[str]:
    """How people and programs write a date."""
    at = date.fromisoformat(day)
    month, english = at.month, _MONTHS[at.month - 1]
    long = at.strftime("%B") if english != "May" else "May"
    return [
        *(day, day.replace("-", ""), day.replace("-", "/"), day.replace("-", "."), day.replace("-", "_")),
        *(f"{at.day:02}.{month:02}.{at.year}", f"{at.day:02}/{month:02}/{at.year}", f"{month:02}/{at.day:02}/{at.year}"),
        *(f"{at.year}年{month}月{at.day}日", f"{at.year}年{month:02}月{at.day:02}日"),
        *(f"{name} {at.day}, {at.year}" for name in dict.fromkeys((english, long))),
        *(f"{at.day} {name} {at.year}" for name in dict.fromkeys((english, long))),
    ]  # fmt: skip


def _stands(written: str, text: str) -> bool:
    return re.search(rf"(?<!\d){re.escape(written)}(?!\d)", text) is not None


def _in_temporary_folder(text: str, kept: Collection[Path]) -> Iterator[str]:
    folder = tempfile.gettempdir()
    if folder in ("/tmp", "/var/tmp") or folder not in text:
        return
    for match in re.finditer(re.escape(folder) + r"/[^\s\"'`$*<>|;,，。；）){}]+", text):
        if not _is_kept(match[0], kept):
            yield match[0]


def _is_kept(path: str, kept: Collection[Path]) -> bool:
    return any(Path(path.rstrip(".,;:/")).is_relative_to(folder) for folder in kept)
