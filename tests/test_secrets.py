"""Secrets: the values that we hold in every spelling, known kinds of keys, and values behind a
name."""

import base64
import html
import json
import random
import string
import urllib.parse
from pathlib import Path

import pytest

from safety.secrets import HIDDEN, Redactor
from tests.machine import cpu_ms
from tests.rows import cases

VALUE = "pa$$ w/rd+'quoted\"&é密<1>"


@pytest.fixture
def redact() -> Redactor:
    return Redactor({"MAIN_KEY": VALUE, "PLAIN": "zebra-crossing-42", "SHORT": "abc"})


@pytest.mark.parametrize(
    "spelling",
    [
        VALUE,
        json.dumps(VALUE),
        json.dumps(VALUE, ensure_ascii=False),
        json.dumps({"a": json.dumps({"b": VALUE})}),
        urllib.parse.quote(VALUE),
        urllib.parse.quote(VALUE, safe=""),
        urllib.parse.quote_plus(VALUE),
        urllib.parse.urlencode({"key": VALUE}),
        base64.b64encode(VALUE.encode()).decode(),
        base64.urlsafe_b64encode(VALUE.encode()).decode(),
        base64.b64encode(b"user:" + VALUE.encode() + b"\n").decode(),
        base64.b32encode(VALUE.encode()).decode(),
        VALUE.encode().hex(),
        VALUE.encode().hex().upper(),
        html.escape(VALUE),
        repr(VALUE),
        "'" + VALUE.replace("'", "'\\''") + "'",
        VALUE[::-1],
    ],
)
def test_value_that_we_hold_is_hidden_in_every_spelling(redact: Redactor, spelling: str) -> None:
    hidden = redact(f"before {spelling} after")
    assert "[MAIN_KEY]" in hidden
    assert hidden.startswith("before ") and hidden.endswith(" after")
    left = hidden.replace("before ", "").replace(" after", "").replace("[MAIN_KEY]", "")
    assert VALUE not in left
    assert len(left) <= len(spelling) // 2


def letters(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(
        random.Random(count).choices(alphabet, k=count)
    )  # made here: no key of anyone's stands in this file


@cases
def test_known_kinds_of_keys_are_hidden(redact: Redactor, key: str) -> None:
    for text in (f"see {key} there", f'{{"x": "{key}"}}', f"密钥是：{key}。", f"a={key}&b=1"):
        assert key not in redact(text)
        assert HIDDEN in redact(text)


@cases
def test_value_behind_a_name_is_hidden(redact: Redactor, text: str) -> None:
    assert HIDDEN in redact(text), redact(text)


@cases
def test_code_and_prose_stay(redact: Redactor, text: str) -> None:
    assert redact(text) == text


def test_data_is_hidden_by_key_and_at_any_depth(redact: Redactor) -> None:
    data = {
        "a": [{"password": "hunter2x", "n": 5}, "zebra-crossing-42"],
        "zebra-crossing-42": None,
        "token": "short",
    }
    hidden = redact.redact(data)
    assert hidden == {
        "a": [{"password": HIDDEN, "n": 5}, "[PLAIN]"],
        "[PLAIN]": None,
        "token": "short",
    }


def test_our_own_code_has_few_false_hits(redact: Redactor) -> None:
    code = "".join(
        path.read_text()
        for path in Path(__file__).parent.parent.glob("[a-z]*/*.py")
        if "test" not in path.name
    )
    assert redact(code).count(HIDDEN) - code.count(HIDDEN) <= 15 * len(code) / 1_000_000 + 1


def test_five_megabytes_take_less_than_a_second_each(redact: Redactor) -> None:
    line = "2026-01-02 INFO worker: token bucket at 5, key=abc path=/usr/lib/python3 task-id risk eyJ no\n"
    text = line * (1_000_000 // len(line))
    assert cpu_ms(lambda: redact(text), 5) < 400  # 5 MB/s would be 200


@pytest.mark.parametrize("sign", ["\\", "%", "&", "`", "a/", "eyJ", "0x"])
def test_a_long_row_of_one_sign_is_read_quickly(redact: Redactor, sign: str) -> None:
    assert cpu_ms(lambda: redact(sign * (60_000 // len(sign))), 1) < 2_000


def test_short_value_is_hidden_where_it_stands_alone() -> None:
    redact = Redactor({"PIN": "ab12", "WORD": "root", "NAME": "castle"})
    assert redact("ab12 xab12 /root castle castles") == "[PIN] xab12 /root [NAME] castles"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 1000])
def test_secret_that_pieces_share_is_hidden(redact: Redactor, size: int) -> None:
    key = "ghp_" + letters(36)
    pem = f"-----BEGIN RSA PRIVATE KEY-----\n{letters(64)}\n-----END RSA PRIVATE KEY-----"
    said = f"line one\n{VALUE} and zebra-crossing-42, password: hunter2x\n{key} {pem}\nzebra-\ncrossing-42 \x1b[1mend"
    for text in (
        said,
        base64.b64encode(b"user:" + VALUE.encode()).decode() + " x",
        urllib.parse.quote(VALUE) + "\n",
    ):
        stream = redact.stream()
        shown = (
            "".join(stream.feed(text[at : at + size]) for at in range(0, len(text), size))
            + stream.close()
        )
        assert shown == redact(text)


def test_stream_shows_what_is_complete_and_forgets_nothing(redact: Redactor) -> None:
    stream = redact.stream()
    assert stream.feed("Reading the file. It has") == "Reading the file. It "
    assert (
        stream.feed(" 3 lines\nand ") == "has 3 lines\n"
    )  # "and" may be the end of a value that we hold
    assert stream.close() == "and "
    long = "x" * 100_000
    assert stream.feed(long) + stream.close() == long
