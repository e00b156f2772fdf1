"""A value that the agent holds is hidden in whatever way a program wrote it there."""

import base64
import bz2
import gzip
import json
import subprocess
import zlib
from collections.abc import Callable

import pytest

from safety.secrets import Redactor

VALUE = "sk-ZgH7kLmNpQrStUvWxYz01234"
DATA = VALUE.encode()
WAYS: dict[str, Callable[[], str]] = {
    "signs between": lambda: "*".join(VALUE),
    "one a line": lambda: "\n".join(VALUE),
    "numbered lines": lambda: "\n".join(f"{n}: {sign}" for n, sign in enumerate(VALUE)),
    "tags": lambda: "".join(f"<b>{sign}</b>" for sign in VALUE),
    "pictures between": lambda: "🙂".join(VALUE),
    "bold letters": lambda: "".join(_bold(sign) for sign in VALUE),
    "a list": lambda: json.dumps(list(VALUE)),
    "codes": lambda: json.dumps(list(DATA)),
    "calls of chr": lambda: "+".join(f"chr({code})" for code in DATA),
    "calls of chr in hex": lambda: "+".join(f"chr({code:#04x})" for code in DATA),
    "a dictionary": lambda: json.dumps(dict(enumerate(VALUE))).replace('"', "'"),
    "lines behind a number": lambda: "\n".join(f"{n} {sign}" for n, sign in enumerate(VALUE)),
    "base32 in small letters": lambda: base64.b32encode(b"a" + DATA).decode().lower().rstrip("="),
    "bzip2 in base64": lambda: base64.b64encode(bz2.compress(DATA)).decode(),
    "od of octal bytes": lambda: _ran("od", "-b"),
    "octal codes": lambda: " ".join(f"{code:o}" for code in DATA),
    "one number": lambda: str(int.from_bytes(DATA, "big")),
    "hex turned round": lambda: DATA.hex()[::-1],
    "hex of base64": lambda: base64.b64encode(DATA).hex(),
    "base64 of hex": lambda: base64.b64encode(DATA.hex().encode()).decode(),
    "base64 of turned round": lambda: base64.b64encode(DATA[::-1]).decode(),
    "gzip in base64": lambda: base64.b64encode(gzip.compress(DATA)).decode(),
    "zlib in hex": lambda: zlib.compress(DATA).hex(),
    "a letter on": lambda: "".join(_next(sign) for sign in VALUE),
    "xxd": lambda: _ran("xxd"),
    "od of letters": lambda: _ran("od", "-c"),
    "od of words": lambda: _ran("od", "-x"),
    "in two halves": lambda: f"first {VALUE[:13]}, then {VALUE[13:]}",
}


def _bold(sign: str) -> str:
    bases = (("a", 0x1D41A), ("A", 0x1D400), ("0", 0x1D7CE))
    first, base = next((each for each in bases if 0 <= ord(sign) - ord(each[0]) < 26), ("", 0))
    return chr(base + ord(sign) - ord(first)) if sign.isalnum() else sign


def _next(sign: str) -> str:
    ends = {"z": "a", "Z": "A"}
    return ends.get(sign, chr(ord(sign) + 1)) if sign.isalpha() else sign


def _ran(*words: str) -> str:
    return subprocess.run(words, input=DATA, capture_output=True, check=True).stdout.decode()


@pytest.mark.parametrize("way", WAYS)
def test_a_held_value_is_hidden_in_disguise(way: str) -> None:
    text = f"before\n{WAYS[way]()}\nbehind\n"
    hidden = Redactor({"KEY": VALUE})(text)
    assert "[KEY]" in hidden
    assert hidden.startswith("before") and "behind" in hidden


def test_what_only_looks_like_a_disguise_stays() -> None:
    hashes = "\n".join(f"--hash=sha256:{zlib.crc32(bytes([n])):064x}" for n in range(200))
    prose = "The quick brown fox, 12 of 34 times; see chapter 5.\n" * 50
    redactor = Redactor({"KEY": VALUE})
    assert redactor(hashes) == hashes and redactor(prose) == prose
