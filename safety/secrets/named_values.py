"""Find values that stand behind a name such as `password=`: in settings, code, JSON, XML, headers,
options, sentences.

A name is looked for by plain search; only there a pattern looks further. What is a place to fill in
(`<password>`, `${TOKEN}`), a type or a call is no value. Names and shapes:
assets/safety/named_values.txt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from safety.secrets.key_shapes import compiled, replaced, rows
from text.sections import sections

MOST = 400  # characters of a value
_BEFORE = 80  # characters before a name that are looked at
_SHORTEST = 6  # characters of a value without other signs of a secret
_QUOTED_LETTER = 127  # above: a name in Chinese


class Pair(NamedTuple):
    """A name and the value behind it, as they stand in a text."""

    name: str  # in lower case
    separator: str
    value: str
    before: str
    after: str  # the character behind the value
    is_quoted: bool
    is_setting: bool  # NAME=value

    @property
    def is_password(self) -> bool:
        """Return True for a name of what people choose themselves."""
        return any(word in self.name for word in _words("passwords"))

    @property
    def has_digit(self) -> bool:
        """Return True if a digit stands in the value."""
        return any(map(str.isdigit, self.value))

    @property
    def is_strong(self) -> bool:
        """Return True where even a word may be a secret."""
        return self.is_password or self.has_digit

    def fits(self, shape: str, text: str | None = None) -> bool:
        """Return True if the value, or another text, fits a shape of the data file."""
        return _shape(shape).fullmatch(self.value if text is None else text) is not None

    def follows(self, shape: str) -> bool:
        """Return True if what stands before the name ends as a shape of the data file says."""
        return _shape(shape).search(self.before) is not None


def hide_named(text: str, label: str) -> str:
    """Return the text with each value behind a name replaced by `label`; the name stays."""
    if len(text) < 8:
        return text
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when they become small
        lower = text
    starts = sorted(start for marker in _markers(text) for start in _places(lower, marker))
    parts, at = list[str](), 0
    for start, end in (_value_at(text, start, label) for start in starts):
        if start >= at:
            parts += [text[at:start], label]
            at = end
    return "".join(parts) + text[at:]


def _value_at(text: str, start: int, label: str) -> tuple[int, int]:
    """Return where the value behind the name that begins here begins and ends; -1 where there is
    none."""
    found = _pair().match(text, start)
    if found and _is_secret(_read(text, found), label):
        return found.start("value"), _end(found)
    return -1, -1


def _read(text: str, found: re.Match[str]) -> Pair:
    name, separator = found["name"], found["sep"]
    before = text[max(0, found.start() - _BEFORE) : found.start()]
    is_setting = name.isupper() and separator == "="
    quote, after = found["quote"], found["after"]
    return Pair(
        name.lower(), separator, found["value"], before, after, quote is not None, is_setting
    )


def _end(found: re.Match[str]) -> int:
    """Return where the value ends: before the next field, and before what closes a sentence or a
    list."""
    if found["quote"]:
        return found.end("value")
    value = re.split(r"[;&,](?=[ ]?\w[\w .-]*=)", found["value"])[0]
    return found.start("value") + len(value.rstrip(",;)}]") or value)


@lru_cache(maxsize=1024)  # the same few names stand in every event
def has_name(name: str) -> bool:
    """Return True if a name is one behind which secrets stand: `db_password`, `apiKey`, 密码."""
    lower = name.lower()
    return any(marker in lower for marker in (*_words("markers"), *_words("chinese")))


def _markers(text: str) -> tuple[str, ...]:
    return _words("markers") if text.isascii() else _words("markers") + _words("chinese")


def _places(text: str, marker: str) -> Iterator[int]:
    at = text.find(marker)
    while at >= 0:
        if marker != "key" or _is_key(text, at):
            yield at
        at = text.find(marker, at + len(marker))


def _is_key(text: str, at: int) -> bool:
    """Return True of `api_key` and `<key>`, not of `keyboard` and `monkey`."""
    return text.startswith("key>", at) or text.endswith(_key_starts(), max(0, at - 16), at)


@cache
def _key_starts() -> tuple[str, ...]:
    return tuple(kind + joint for kind in _words("keys") for joint in ("", "_", "-", " "))


@cache
def _words(section: str) -> tuple[str, ...]:
    return tuple(sections("safety/named_values.txt")[section].split())


@cache
def _shape(section: str) -> re.Pattern[str]:
    """Return the pattern of a section, one alternative a line."""
    text = "|".join(sections("safety/named_values.txt")[section].splitlines())
    return re.compile(text, re.IGNORECASE | re.MULTILINE)


@cache
def _pair() -> re.Pattern[str]:
    parts = (sections("safety/named_values.txt")[name] for name in ("name", "separator", "value"))
    name, separator, value = ("|".join(part.splitlines()) for part in parts)
    return re.compile(f"(?i){name}(?P<sep>{separator}){value}")


def _is_secret(pair: Pair, label: str) -> bool:
    """Return True if the value behind a name is one, and not code, a type, or a place to fill
    in."""
    return label not in pair.value and next(judge(pair) for is_so, judge in _RULES if is_so(pair))


def _is_no_value(pair: Pair) -> bool:
    """Return True of the name again, one sign many times, and a place to fill in."""
    spellings = {pair.value, pair.value.rstrip(".,:;)!?")}
    is_the_name = pair.value.lower().strip("_-:") == pair.name
    is_one_sign = len(set(pair.value)) < 3
    return is_the_name or is_one_sign or any(pair.fits("placeholder", each) for each in spellings)


def _is_mixed(value: str) -> bool:
    return _shape("mixed").fullmatch(value) is not None


def _is_named_in_chinese(pair: Pair) -> bool:
    return not pair.name[0].isascii()


def _behind_a_space(pair: Pair) -> bool:
    """`--password x`, `ENV DB_PASSWORD x`, `IDENTIFIED BY`, .netrc: a space parts name and
    value."""
    if pair.fits("no_operand"):
        return False
    if pair.follows("option"):
        return not (pair.value.isalpha() and pair.after.strip())
    is_word = pair.value.rstrip(".,:;)!?").isalpha()
    return len(pair.value) >= _SHORTEST and not is_word and pair.follows("directive")


def _as_number(pair: Pair) -> bool:
    """`max_tokens=1000`: a number is a password only where it is called one."""
    return pair.is_password and len(pair.value) >= _SHORTEST


def _in_quotes(pair: Pair) -> bool:
    if " " in pair.value.strip():  # a sentence, a message; a passphrase is called one
        return pair.is_password and pair.fits("phrase")
    if len(pair.value) < _SHORTEST:
        return _is_short_password(pair, pair.value)
    return not pair.fits("code") or pair.is_strong


def _is_short_password(pair: Pair, value: str) -> bool:
    return len(value) == _SHORTEST - 1 and pair.is_password and pair.has_digit


def _bare(pair: Pair) -> bool:
    value = pair.value.rstrip(",;)}]")
    if pair.fits("call", value + pair.after):
        return False
    if len(value) < _SHORTEST:
        return _is_short_password(pair, value)
    return pair.has_digit or pair.is_setting or not pair.fits("code", value)


Judge = Callable[[Pair], bool]
# The first that holds says how the value is looked at.
_RULES: tuple[tuple[Judge, Judge], ...] = (
    (_is_no_value, lambda _: False),
    (
        lambda pair: not pair.separator.strip() and _is_named_in_chinese(pair),
        lambda pair: _is_mixed(pair.value),
    ),
    (lambda pair: not pair.separator.strip(), _behind_a_space),
    (lambda pair: pair.value.isdigit(), _as_number),
    (
        lambda pair: pair.fits("said", pair.separator.strip()),
        lambda pair: pair.has_digit and _is_mixed(pair.value.rstrip(".,!?;:)")),
    ),
    (lambda pair: pair.is_quoted, _in_quotes),
    (lambda _: True, _bare),
)


def hide_commands(text: str, label: str) -> str:
    """Return the text with the values of headers, cookies and command lines replaced by `label`."""
    for marker, shape in rows("safety/named_values.txt", "commands"):
        if marker in text:
            text = replaced(text, marker, shape, lambda found: _hidden_in(found, label))
    return text


def _hidden_in(found: re.Match[str], label: str) -> str:
    value = found[2]
    if label in value or _shape("placeholder").fullmatch(value):
        return found[0]
    if found[1].rstrip("\"'\\ ").lower().endswith("cookie:"):
        return found[1] + compiled(r"=(?=[^;\s]*\d)[^;\s]{6,}").sub(f"={label}", value)
    return found[1] + label
