"""Whom and what an effect reaches - recipients, addresses, accounts, places, amounts - and whether the owner named them.

A target counts as named when it stands in the owner's request, or in the owner's own data. Both are compared in one form:
width, capitals, spaces and invisible characters do not matter, letters that only look alike do. A name licenses no
address: "write to Bob" lets `bob@example.org` through only if the owner's own data has that address.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from text.patterns import names

Kind = Literal[
    "address", "url", "account", "phone", "name", "file", "amount", "time", "id", "title"
]
MAX_LENGTH = 20_000  # characters of one argument that are looked at: its head and its tail

_FREE = {"body", "content", "contents", "message", "text", "description", "note", "notes", "comment", "summary", "html", "markdown", "reason", "caption", "query", "prompt", "code", "script", "subject", "review", "question", "answer", "memo", "keyword", "keywords", "details", "正文", "内容", "备注"}  # fmt: skip
_WHO = {"recipient", "recipients", "to", "cc", "bcc", "user", "users", "username", "person", "people", "participant", "participants", "attendee", "attendees", "member", "members", "invitee", "invitees", "guest", "guests", "contact", "contacts", "assignee", "email", "emails", "mail", "address", "addresses", "channel", "channels", "group", "room", "chat", "team", "account", "iban", "beneficiary", "payee", "receiver", "phone", "host", "domain", "url", "urls", "link", "uri", "website", "webhook", "server", "repo", "repository", "destination", "target", "handle", "company", "hotel", "restaurant", "merchant", "vendor", "seller", "shop", "收件人", "对象", "账户", "频道", "用户"}  # fmt: skip
_FILE = {"path", "file", "files", "folder", "filename", "paths", "文件", "路径"}
_AMOUNT = {"amount", "price", "sum", "total", "quantity", "qty", "tip", "value", "金额", "数量"}
_TIME = {
    "date",
    "time",
    "start",
    "end",
    "day",
    "when",
    "deadline",
    "due",
    "until",
    "checkin",
    "checkout",
    "日期",
    "时间",
}
_TITLE = {"title", "name", "event", "service", "subscription", "product", "item", "标题", "名称"}
_MINE = {"from", "sender", "source", "my", "self"}
_ID = {"id", "ids", "uid", "uuid", "guid", "attachment", "attachments"}
_TOP = names("com net org io dev app info biz co ai me tv xyz online site top shop club page link live cloud tech store icu click work space website edu gov mil ru cn de uk")  # fmt: skip
# Letters of words that blanks stand between: Chinese stands right beside an address.
_L = r"A-Za-z0-9_\u00c0-\u1fff"
_ADDRESS = re.compile(
    rf"(?<![{_L}.+'%-])[{_L}.+'%-]{{1,64}}@(?:[{_L}-]{{1,63}}\.){{1,8}}[{_L}-]{{1,63}}"
)
_REST = r"[^\s<>\"'`|，。；、）】》\u3400-\u9fff]"
_URL = re.compile(rf"(?<![A-Za-z0-9_])(?:https?|ftp|wss?)://{_REST}+", re.IGNORECASE)
_BARE = re.compile(
    rf"(?<![{_L}@./-])(?:[{_L}-]{{1,63}}\.){{1,8}}[a-z]{{2,24}}(?::\d+)?(?:/{_REST}*)?(?![{_L}@])",
    re.IGNORECASE,
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,3})?\b")
_PHONE = re.compile(r"(?<!\w)\+\d[\d\s().-]{6,20}\d")
_CRYPTO = re.compile(
    r"\b(?:0x[0-9a-fA-F]{40}|bc1[a-z0-9]{25,60}|[13][1-9A-HJ-NP-Za-km-z]{25,34})\b"
)
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]")  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = r"(?:\b\d{1,2}(?:st|nd|rd|th)?\b[\s,and&to–-]{0,6}){1,6}"
_NAMES = "|".join(_MONTHS)
_MONTH_FIRST = re.compile(rf"\b({_NAMES})[a-z]{{0,6}}\.?\s{{1,3}}({_DAYS})")
_DAY_FIRST = re.compile(rf"({_DAYS})(?:\s?of)?\s?({_NAMES})[a-z]{{0,6}}\b")
_NUMBERED = re.compile(r"\b(\d{1,2})[/.](\d{1,2})(?:(?<=/\d)|(?<=/\d\d)|\.(?!\d)|[/.]\d{2,4}\b)")
# Words in front of a number that names a thing.
_NUMBERS_A_THING = (
    r"\bids?|\bno\.?|\bnumber|\bnr\.?|#|编号|号|订单|工单|任务|问题|单"
    r"|\b(?:issue|ticket|task|order|case|event|job|item|row|pr|pull request|merge request|invoice|booking|page|card|request|bug|story)"
)
_STOP = names(
    "the a an of for to with and or in on at my our your this that from by about please re"
)


class Target(NamedTuple):
    """One thing that an effect reaches; `value` as the call has it."""

    kind: Kind
    value: str


def of_call(args: Mapping[str, Any], *, effect: str) -> list[Target]:
    """The targets in the arguments of a call; for one that only reads, the URLs and hosts that it asks."""
    found: list[Target] = []
    for path, value in _leaves(args):
        text = value if isinstance(value, str) else str(value)
        keys = _words(path)
        if effect == "read":
            found += [target for target in _in_text(text) if target.kind == "url"]
            if keys & {"host", "url", "domain", "uri", "website", "server"} and not isinstance(
                value, bool
            ):
                found += (
                    [Target("url", text)]
                    if not any(target.kind == "url" for target in found)
                    else []
                )
            continue
        found += _of_value(keys, text, value, effect)
    return list(dict.fromkeys(found))


def _of_value(keys: set[str], text: str, value: Any, effect: str) -> Iterator[Target]:
    inside = list(_in_text(text))
    yield from inside
    is_said = not isinstance(value, bool) and value is not None and bool(text.strip())
    if is_said and not keys & _MINE and (keys & _ID or not keys & _FREE):
        kind = _kind(keys, text, effect)
        if kind == "name":
            yield from _name(text, inside)
        elif kind:
            yield Target(
                kind, (text.rstrip("/").rpartition("/")[2] or text) if keys & _FILE else text
            )


def _kind(keys: set[str], text: str, effect: str) -> Kind | None:
    """Return what kind of target an argument of these names is."""
    rows: tuple[tuple[bool, Kind], ...] = (
        (bool(keys & _ID) or keys == {"number"}, "id"),
        (bool(keys & _TIME and re.search(r"\d", text)), "time"),
        (bool(keys & _AMOUNT and re.fullmatch(r"\D{0,4}[\d.,]+\D{0,4}", text.strip())), "amount"),
        (bool(keys & _FILE), "file" if effect == "delete" else "id"),
        (bool(keys & _WHO) or (effect in ("spend", "system") and len(text) <= 200), "name"),
        (bool(keys & _TITLE), "file" if effect == "delete" else "title"),
    )
    return next((kind for holds, kind in rows if holds), None)


def _name(text: str, inside: list[Target]) -> Iterator[Target]:
    """Yield what is left of a text beside the addresses in it: `Bob <bob@example.org>` is the address alone."""
    rest = text
    for target in inside:
        rest = rest.replace(target.value, " ")
    if not inside or ("<" not in text and re.search(r"\w{2}", rest)):
        yield Target("name", rest.strip(" ,;"))


def _leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Each scalar with the names on the way to it; what is nested too deeply as one text."""
    if depth > 12:
        yield path, str(value)[:MAX_LENGTH]
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(each, f"{path} {key}", depth + 1)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(each, path, depth + 1)
    elif isinstance(value, str) and len(value) > 2 * MAX_LENGTH:
        yield path, value[:MAX_LENGTH] + "\n" + value[-MAX_LENGTH:]
    else:
        yield path, value


def _words(path: str) -> set[str]:
    """The words of an argument's names: `start_day` gives start, day; of nested ones the last name counts, and "attachments"."""
    last = path.split(" ")[-1]
    words = {
        word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[\u3400-\u9fff]+", last)
    }
    return words | ({"attachments"} if "attachment" in path.lower() else set())


def _in_text(text: str) -> Iterator[Target]:
    """Addresses of every kind that stand in a text."""
    text = _plain(text, fold=False)
    for match in _URL.finditer(text):
        yield Target("url", match[0].rstrip(".,;:!?)]}'*_"))
    rest = _URL.sub(" ", text)
    for match in _ADDRESS.finditer(rest):
        yield Target("address", match[0].rstrip("."))
    rest = _ADDRESS.sub(" ", rest)
    for match in _BARE.finditer(rest):
        if _is_host(match[0]):
            yield Target("url", match[0].rstrip(".,;:!?)]}'*_"))
    for match in _IBAN.finditer(rest):
        yield Target("account", match[0])
    for match in _CRYPTO.finditer(rest):
        yield Target("account", match[0])
    for match in _PHONE.finditer(rest):
        yield Target("phone", match[0])


def _is_host(text: str) -> bool:
    host, slash, _ = text.partition("/")
    top = host.split(":")[0].rpartition(".")[2]
    return (
        text.lower().startswith("www.")
        or top.lower() in _TOP
        or (bool(slash) and len(top) == 2 and top.islower())
    )


@dataclass(frozen=True)
class Named:
    """Hold what the owner has named: the request, and the owner's own data."""

    request: str
    own: str = ""

    def unknown(self, targets: list[Target], *, strict: bool) -> list[Target]:
        """Return those of the targets that the owner has not named. `strict`: what is only
        described must be named too (times, titles); ids of things that a tool found are left to
        the caller."""
        return [target for target in targets if not self._has(target, strict)]

    def _has(self, target: Target, strict: bool) -> bool:
        value = _plain(target.value).strip()
        if not value:
            return True
        if target.kind == "address":
            return value in self._addresses
        if target.kind == "url":
            return self.has_url(target.value, strict=strict)
        if target.kind in ("account", "phone"):
            return self._has_spaced(value)
        if target.kind == "amount":
            return _number(value) in self._numbers
        if target.kind == "time":
            return not strict or self._has_time(value)
        if target.kind == "title":
            return not strict or self._has_words(value)
        if target.kind == "id" and re.fullmatch(
            r"\d{1,4}", value
        ):  # a number that merely occurs names nothing
            return bool(
                re.search(rf"(?:{_NUMBERS_A_THING})\W{{0,4}}(?:is )?\W?{value}(?!\d)", self._text)
            )
        return self._has_phrase(value)

    def has_url(self, url: str, *, strict: bool) -> bool:
        """Return True if the owner named this address, its host, or a folder of it. `strict`: no query that was not named."""
        wanted = _url(url)
        if wanted is None:
            return False
        for known in self._urls:
            if known.netloc != wanted.netloc:
                continue
            if (known.path, known.query) == (wanted.path, wanted.query):
                return True
            is_below = (
                wanted.path.startswith(known.path.rstrip("/") + "/") or known.path == wanted.path
            )
            if (
                is_below
                and (not wanted.query or not strict)
                and len(wanted.path) < len(known.path) + 120
            ):
                return True
        return False

    @property
    def addresses(self) -> list[str]:
        """The hosts of the addresses that the owner named."""
        return [url.netloc for url in self._urls]

    @property
    def has_days(self) -> bool:
        """Return True if the request names days by their dates."""
        return bool(self._days)

    @cached_property
    def _text(self) -> str:
        return _plain(f"{self.request}\n{self.own}")

    @cached_property
    def _addresses(self) -> set[str]:
        return {match[0].rstrip(".") for match in _ADDRESS.finditer(self._text)}

    @cached_property
    def _urls(self) -> list[SplitResult]:
        raw = f"{self.request}\n{self.own}"
        raw = _ADDRESS.sub(" ", _plain(raw, fold=False))
        found = [*_URL.findall(raw), *(match[0] for match in _BARE.finditer(_URL.sub(" ", raw)))]
        return [url for url in map(_url, found) if url]

    @cached_property
    def _numbers(self) -> set[str]:
        return {_number(text) for text in re.findall(r"\d[\d.,]*", _plain(self.request))}

    def _has_phrase(self, value: str) -> bool:
        value = value.strip("@#\"'“”‘’ ")
        if re.search(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", value):
            return value in self._text
        words = re.findall(r"[\w.+@/-]+", value)
        if not words:
            return True
        pattern = r"[\s,;\"'“”()]+".join(re.escape(word) for word in words)
        if re.search(rf"(?<![{_L}])(?<![{_L}]@){pattern}(?![{_L}@])(?!\.[{_L}])", self._text):
            return True
        return (
            len(value) >= 8
            and any(letter.isdigit() for letter in value)
            and self._has_spaced(value)
        )

    def _has_spaced(self, value: str) -> bool:
        """A number of an account or a telephone, whatever stands between its groups."""
        signs = re.sub(r"[\s().\-/]", "", value)
        if not 5 <= len(signs) <= 120:
            return False
        pattern = r"[\s().\-/]{0,2}".join(map(re.escape, signs))
        return bool(re.search(rf"(?<![{_L}]){pattern}(?![{_L}])", self._text))

    def _has_words(self, value: str) -> bool:
        """At least half of a title's words were said."""
        if re.search(r"[\u3400-\u9fff]", value):
            pairs = [value[at : at + 2] for at in range(len(value) - 1)] or [value]
            return 2 * sum(pair in self._text for pair in pairs) >= len(pairs)
        words = [
            word for word in re.findall(r"[a-z0-9]+", value) if word not in _STOP and len(word) > 1
        ]
        said = set(re.findall(r"[a-z0-9]+", self._text))
        return 2 * sum(
            word in said or word.rstrip("s") in said or f"{word}s" in said for word in words
        ) >= len(words)

    def _has_time(self, value: str) -> bool:
        """A day that the request names; True when it names none, or only in words (tomorrow)."""
        days = self._days
        wanted = re.search(r"(?:(\d{4})-)?(\d{1,2})-(\d{1,2})", value)
        if not days or not wanted:
            return True
        return (int(wanted[2]), int(wanted[3])) in days

    @cached_property
    def _days(self) -> set[tuple[int, int]]:
        """(month, day) of the dates in the request."""
        text = _plain(self.request[:5000])
        found = {
            (int(m), int(d)) for m, d in re.findall(r"\d{4}[-/.年](\d{1,2})[-/.月](\d{1,2})", text)
        }
        found |= {(int(m), int(d)) for m, d in re.findall(r"(\d{1,2})月(\d{1,2})[日号]?", text)}
        for first, second in _NUMBERED.findall(text):
            found |= {(int(first), int(second)), (int(second), int(first))}
        for month, days in _MONTH_FIRST.findall(text):
            found |= {(_MONTHS.index(month) + 1, int(day)) for day in re.findall(r"\d{1,2}", days)}
        for days, month in _DAY_FIRST.findall(text):
            found |= {(_MONTHS.index(month) + 1, int(day)) for day in re.findall(r"\d{1,2}", days)}
        rest = _DAY_FIRST.sub(" ", _MONTH_FIRST.sub(" ", text))  # "the 19th", of whichever month
        found |= {
            (month, int(day))
            for day in re.findall(r"\b(\d{1,2})(?:st|nd|rd|th)\b", rest)
            for month in range(1, 13)
        }
        return {(month, day) for month, day in found if 1 <= month <= 12 and 1 <= day <= 31}


def _plain(text: str, *, fold: bool = True) -> str:
    """One spelling: width, invisible characters, white space, and capitals if `fold`."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return re.sub(r"[ \t\r\f\v]+", " ", text.casefold() if fold else text)


def _number(text: str) -> str:
    """1,000.50 → 1000.5; 50.00 → 50."""
    found = re.search(r"\d[\d.,]*", text)
    if not found:
        return text
    digits = found[0].rstrip(".,")
    if re.fullmatch(r"\d{1,3}(\.\d{3})+(,\d+)?|\d+,\d{1,2}", digits):  # 1.000,50
        digits = digits.replace(".", "").replace(",", ".")
    digits = digits.replace(",", "")
    try:
        return f"{float(digits):.6f}".rstrip("0").rstrip(".")
    except ValueError:
        return digits


def _url(text: str) -> SplitResult | None:
    """One form for one address: no scheme, no www, no default port, the path decoded. None when it hides where it goes:
    a user before the host, a host that is not plain letters."""
    text = _plain(text, fold=False).strip().rstrip(".,;:!?)]}'*_")
    try:
        parts = urlsplit(text if re.match(r"(?i)[a-z][a-z0-9+.-]*://", text) else "//" + text)
        host, port = (parts.hostname or "").lower().rstrip("."), parts.port
    except ValueError:
        return None
    if "@" in parts.netloc or "\\" in text or not re.fullmatch(r"[a-z0-9.:_-]+", host):
        return None
    host = host.removeprefix("www.")
    where = host if port in (None, 80, 443) else f"{host}:{port}"
    path = re.sub(r"/+", "/", unquote(parts.path)).rstrip("/").casefold()
    if "/.." in path:
        return None
    return SplitResult("", where, path, unquote(parts.query), "")


def host_of(url: str) -> str:
    """The host of an address in its one form, "" when it hides it."""
    found = _url(url)
    return found.netloc if found else ""
