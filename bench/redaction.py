"""How many secrets are hidden, how much else is, and how fast, beside a list of regexes and
detect-secrets.

    python bench/redaction.py [--misses] [--hits]

The secrets are made here (no key of anyone's stands in this file), written in the forms below:
named values, known kinds of keys, and values that the agent holds in many encodings. Half of the
forms, chosen by a hash, are "held out": they were not looked at while the rules were tuned. False
hits are counted on the installed packages and on lock files. `pip install detect-secrets` into the
environment to see its column.
"""

from __future__ import annotations

import argparse
import base64
import codecs
import hashlib
import html
import json
import random
import re
import string
import sys
import sysconfig
import time
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from safety.secrets import HIDDEN, Redactor

GOALS = {"held": 100.0, "named": 97.0, "keys": 98.0}
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
NAMED = (
    Path(__file__).resolve().parent / "secret_forms.txt"
)  # one form a line, § stands for the value
KEYS: dict[str, Callable[[random.Random], str]] = {
    "aws": lambda r: "AKIA" + some(r, 16, string.ascii_uppercase + "234567"),
    "aws session": lambda r: "ASIA" + some(r, 16, string.ascii_uppercase + "234567"),
    "google": lambda r: "AIza" + some(r, 35, LETTERS + "_-"),
    "google oauth": lambda r: "GOCSPX-" + some(r, 28),
    "google access": lambda r: "ya29." + some(r, 60),
    "azure": lambda r: some(r, 3) + "8Q~" + some(r, 34),
    "github": lambda r: r.choice(("ghp_", "gho_", "ghs_", "ghu_", "ghr_")) + some(r, 36),
    "github fine": lambda r: "github_pat_" + some(r, 22) + "_" + some(r, 59),
    "gitlab": lambda r: "glpat-" + some(r, 20, LETTERS + "_-"),
    "slack": lambda r: r.choice(("xoxb-", "xoxp-")) + some(r, 12, string.digits) + "-" + some(r, 12, string.digits) + "-" + some(r, 24),
    "slack app": lambda r: "xapp-1-A" + some(r, 10, string.ascii_uppercase) + "-" + some(r, 13, string.digits) + "-" + some(r, 64, HEX),
    "slack hook": lambda r: "T" + some(r, 8, string.ascii_uppercase) + "/B" + some(r, 8, string.ascii_uppercase) + "/" + some(r, 24),
    "stripe": lambda r: r.choice(("sk_live_", "sk_test_", "rk_live_")) + some(r, 24),
    "stripe hook": lambda r: "whsec_" + some(r, 32),
    "openai": lambda r: "sk-" + some(r, 48),
    "openai project": lambda r: "sk-proj-" + some(r, 74, LETTERS + "_-") + "T3BlbkFJ" + some(r, 74, LETTERS + "_-"),
    "anthropic": lambda r: "sk-ant-api03-" + some(r, 93, LETTERS + "_-") + "AA",
    "deepseek": lambda r: "sk-" + some(r, 32, HEX),
    "huggingface": lambda r: "hf_" + some(r, 34, string.ascii_letters),
    "groq": lambda r: "gsk_" + some(r, 52),
    "npm": lambda r: "npm_" + some(r, 36),
    "pypi": lambda r: "pypi-AgEIcHlwaS5vcmc" + some(r, 120, LETTERS + "_-"),
    "twilio": lambda r: "SK" + some(r, 32, HEX),
    "sendgrid": lambda r: "SG." + some(r, 22) + "." + some(r, 43),
    "mailgun": lambda r: "key-" + some(r, 32, HEX),
    "mailchimp": lambda r: some(r, 32, HEX) + "-us" + some(r, 1, "123456789"),
    "telegram": lambda r: some(r, 10, "123456789") + ":AA" + some(r, 33),
    "discord": lambda r: "M" + some(r, 23) + "." + some(r, 6) + "." + some(r, 27),
    "shopify": lambda r: r.choice(("shpat_", "shpss_", "shppa_")) + some(r, 32, HEX),
    "square": lambda r: "sq0atp-" + some(r, 22),
    "square new": lambda r: "EAAA" + some(r, 60),
    "digitalocean": lambda r: "dop_v1_" + some(r, 64, HEX),
    "databricks": lambda r: "dapi" + some(r, 32, HEX),
    "vault": lambda r: "hvs." + some(r, 90),
    "heroku": lambda r: "HRKU-" + some(r, 60, LETTERS + "_-"),
    "age": lambda r: "AGE-SECRET-KEY-1" + some(r, 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    "jwt": lambda r: "eyJ" + some(r, 33) + ".eyJ" + some(r, 60) + "." + some(r, 43),
    "pem": lambda r: f"-----BEGIN RSA PRIVATE KEY-----\n{some(r, 64)}\n{some(r, 64)}\n-----END RSA PRIVATE KEY-----",
    "openssh, cut": lambda r: f"-----BEGIN OPENSSH PRIVATE KEY-----\n{some(r, 70)}\n{some(r, 50)}",
    "pgp": lambda r: f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{some(r, 64)}\n-----END PGP PRIVATE KEY BLOCK-----",
    "alibaba": lambda r: "LTAI" + some(r, 20),
    "tencent": lambda r: "AKID" + some(r, 32),
    "grafana": lambda r: "glsa_" + some(r, 32) + "_" + some(r, 8, HEX),
    "notion": lambda r: "ntn_" + some(r, 46),
    "linear": lambda r: "lin_api_" + some(r, 40),
    "docker": lambda r: "dckr_pat_" + some(r, 27, LETTERS + "_-"),
    "url": lambda r: some(r, 12),
}  # fmt: skip
AROUND = (
    "{}",
    "see {} there",
    '{{"x": "{}"}}',
    "密钥是：{}。",
    "a={}&b=1",
    "'{}',",
    "key：“{}”",
    "{}\n",
    "[{}](x)",
    "- {}",
    "（{}）",
    "`{}`",
)
URLS = (
    "postgres://joe:{}@db.example.org/x",
    "redis://:{}@cache:6379/0",
    "https://x:{}@git.example.org/a.git",
    "amqp://guest:{}@mq",
)
HELD = (
    *("correct-horse-battery", "Tr0ub4dor&3xyz", "pa$$ w/rd+'q\"&é密<1>", "sk-ZgH7kLmNpQrStUvWxYz01234", "hunter2hunter2", "密码abcDEF123!?"),
    *("f3b1c2d4e5a697887766554433221100", "x\\y/z%20:@=9,;.", "N0$pace&Here#Now"),
)  # fmt: skip
REGEXES = [
    re.compile(pattern)
    for pattern in (
        r"AKIA[0-9A-Z]{16}", r"gh[pousr]_[A-Za-z0-9]{36}", r"sk-[A-Za-z0-9]{32,}", r"sk_live_[0-9a-zA-Z]{24}", r"AIza[0-9A-Za-z_-]{35}",
        r"xox[baprs]-[0-9A-Za-z-]{10,48}", r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*-----",
        r"(?i)(?:password|passwd|pwd|secret|token|api[_-]?key)\s*[=:]\s*['\"]?([^\s'\"]{6,})", r"://[^:/\s]+:[^@/\s]+@", r"(?i)bearer\s+[\w.~+/-]{16,}=*",
    )
]  # fmt: skip


def some(source: random.Random, count: int, alphabet: str = LETTERS) -> str:
    return "".join(source.choices(alphabet, k=count))


def passwords(source: random.Random) -> list[str]:
    """Return what people and programs take as passwords and tokens."""
    word = source.choice(
        (
            "hunter",
            "dragon",
            "sunshine",
            "Winter",
            "monkey",
            "Passw0rd",
            "letmein",
            "qwerty",
            "Zebra",
        )
    )
    other = source.choice(("tiger", "Cloud", "river", "Ocean"))
    return [
        some(source, 16),
        some(source, 32, HEX),
        some(source, 24, LETTERS + "_-"),
        word + str(source.randrange(10, 9999)) + source.choice("!?#.*"),
        word.capitalize() + "@" + str(source.randrange(1000, 2030)),
        f"{word}-{other}-{source.randrange(10, 99)}",
        some(source, 12, LETTERS + "!@#%^*+~?") + "7",
        base64.b64encode(source.randbytes(24)).decode(),
    ]


def is_held_out(form: str) -> bool:
    return hashlib.sha256(form.encode()).digest()[0] % 2 == 1


def named() -> Iterator[tuple[str, str, str]]:
    """Yield form, text, value; the same each time."""
    for number, form in enumerate(NAMED.read_text("utf-8").splitlines()):
        if form and not form.startswith("##"):
            for value in passwords(random.Random(number)):
                given = value
                if "§b" in form:
                    given = base64.b64encode(f"joe:{value}".encode()).decode()
                    yield form, form.replace("§b", given).replace("⏎", "\n"), given
                    continue
                if re.search(r"[?&]\w+=§", form):
                    given = urllib.parse.quote(value, safe="")
                yield form, form.replace("§", given).replace("⏎", "\n"), given


def keys() -> Iterator[tuple[str, str, str]]:
    for name, make in KEYS.items():
        for number, around in enumerate(AROUND):
            key = make(random.Random(number))
            if name == "slack hook":
                around = "curl https://hooks.slack.com/services/{}" + (
                    "" if number % 2 else " -d x"
                )
            if name == "url":
                around = URLS[number % len(URLS)]
            yield name, around.format(key), key


def spellings(value: str) -> dict[str, str]:
    """Return the ways in which a value could leave."""
    data, each = value.encode(), "".join
    return {
        "plain": value,
        "json": json.dumps(value),
        "json, all escaped": each(f"\\u{unit:04x}" for unit in memoryview(value.encode("utf-16-le")).cast("H")),
        "json in json": json.dumps(json.dumps({"a": value})),
        "url": urllib.parse.quote(value, safe=""),
        "url twice": urllib.parse.quote(urllib.parse.quote(value, safe=""), safe=""),
        "url, all": each(f"%{byte:02X}" for byte in data),
        "form": urllib.parse.quote_plus(value),
        "html": html.escape(value),
        "html, all": each(f"&#{ord(letter)};" for letter in value),
        "base64": base64.b64encode(data).decode(),
        "base64 within": base64.b64encode(b"user:" + data + b"\n").decode(),
        "base64 within, url": base64.urlsafe_b64encode(b"u:" + data + b"?").decode().rstrip("="),
        "base64, lines": each(letter + "\n" * (i % 8 == 7) for i, letter in enumerate(base64.b64encode(data).decode())),
        "base64 utf-16": base64.b64encode(value.encode("utf-16-le")).decode(),
        "base32": base64.b32encode(data).decode(),
        "base85": base64.b85encode(data).decode(),
        "hex": data.hex(),
        "HEX": data.hex().upper(),
        "hex, dump": data.hex(" "),
        "hex, colons": data.hex(":"),
        "\\x": each(f"\\x{byte:02x}" for byte in data),
        "octal": each(f"\\{byte:03o}" for byte in data),
        "decimal": ", ".join(str(byte) for byte in data),
        "binary": " ".join(f"{byte:08b}" for byte in data),
        "reversed": value[::-1],
        "rot13": codecs.encode(value, "rot13"),
        "upper": value.upper(),
        "lower": value.lower(),
        "repr": repr(value),
        "shell": "'" + value.replace("'", "'\\''") + "'",
        "backslashes": re.sub(r"([^\w])", r"\\\1", value),
        "lines": value[:5] + "\n" + value[5:],
        "spaced": " ".join(value),
        "put together": f'"{value[:4]}" + "{value[4:]}"',
        "colours": f"{value[:6]}\x1b[31m{value[6:]}\x1b[0m",
        "nulls": "\0".join(value),
        "zero width": "\u200b".join(value),
        "full width": each(chr(ord(x) + 0xFEE0) if "!" <= x <= "~" else x for x in value),
    }  # fmt: skip


def held() -> Iterator[tuple[str, str, str]]:
    for value in HELD:
        for name, text in spellings(value).items():
            yield name, f"output: {text} end", text


ours = Redactor({f"K{number}": value for number, value in enumerate(HELD)})


def by_regexes(text: str) -> str:
    for pattern in REGEXES:
        text = pattern.sub(HIDDEN, text)
    return text


def detect_secrets() -> Callable[[str], str] | None:
    """Yelp's scanner with its default rules, line by line; None when it is not installed."""
    try:
        scan_line = import_module("detect_secrets.core.scan").scan_line
        default_settings = import_module("detect_secrets.settings").default_settings
    except ImportError:
        return None

    def hide(text: str) -> str:
        with default_settings():
            for line in text.splitlines():
                for secret in scan_line(line):
                    text = text.replace(secret.secret_value or "\0", HIDDEN)
        return text

    return hide


def share(
    cases: list[tuple[str, str, str]],
    hide: Callable[[str], str],
    label: str,
    misses: bool,
    only: bool | None,
) -> str:
    chosen = [case for case in cases if only is None or is_held_out(case[0]) == only]
    missed = [(form, text) for form, text, value in chosen if value in hide(text)]
    for form, text in missed if misses else ():
        print(f"  missed ({label}) {form[:60]!r}: {text[:150]!r}")
    return f"{100 * (1 - len(missed) / len(chosen)):6.1f} % of {len(chosen)}"


def code(most_bytes: int) -> tuple[list[str], list[str]]:
    """Python files of the installed packages, and lock files."""
    folder = Path(sysconfig.get_paths()["purelib"])
    texts, size = [], 0
    for path in sorted(
        folder.rglob("*.py"),
        key=lambda path: hashlib.sha256(str(path.relative_to(folder)).encode()).digest(),
    ):
        text = path.read_text("utf-8", "replace")
        if "detect_secrets" in path.parts:
            continue
        texts.append(text)
        size += len(text)
        if size > most_bytes:
            break
    locks = [
        path.read_text("utf-8")
        for path in sorted((Path(__file__).resolve().parent.parent / "requirements").glob("*.lock"))
    ]
    return texts, locks


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--misses", action="store_true", help="print what was not hidden, of the half for tuning"
    )
    parser.add_argument("--hits", action="store_true", help="print what was hidden in code")
    options = parser.parse_args()
    source, locks = code(12_000_000)
    scanner = detect_secrets()
    columns: dict[str, Callable[[str], str]] = {"ours": ours, "regexes": by_regexes}
    if scanner is not None:
        columns["detect-secrets"] = scanner
    collections = {"held": list(held()), "named": list(named()), "keys": list(keys())}
    print(f"{'':26}" + "".join(f"{name:>22}" for name in columns))
    for kind, cases in collections.items():
        for half, only in (
            (("dev", False), ("held out", True)) if kind == "named" else (("", None),)
        ):
            cells = [
                share(
                    cases,
                    hide,
                    f"{kind} {half}",
                    options.misses and name == "ours" and not only,
                    only,
                )
                for name, hide in columns.items()
            ]
            print(
                f"{kind + ' ' + half:16}≥ {GOALS[kind]:g} %".ljust(26)
                + "".join(f"{cell:>22}" for cell in cells)
            )
    for name, texts in (("code", source), ("lock files", locks)):
        cells = []
        for column, hide in columns.items():
            part = texts if column != "detect-secrets" else texts[:4]
            size = sum(map(len, part))
            start = time.process_time()
            hidden = [hide(text) for text in part]
            seconds = time.process_time() - start
            hits = sum(
                after.count(HIDDEN) - before.count(HIDDEN)
                for before, after in zip(part, hidden, strict=True)
            )
            cells.append(f"{hits / size * 1e6:.1f} a MB, {size / 1e6 / seconds:.1f} MB/s")
            if options.hits and column == "ours":
                show_hits("".join(part), "".join(hidden))
        print(f"{'false hits, ' + name:26}" + "".join(f"{cell:>22}" for cell in cells))
    return 0


def show_hits(text: str, hidden: str) -> None:
    lines = Counter(line.strip()[:160] for line in hidden.splitlines() if HIDDEN in line)
    for line in (line.strip()[:160] for line in text.splitlines() if HIDDEN in line):
        lines.pop(line, None)
    for line, count in lines.most_common():
        print(f"  hidden {count} ×: {line}")


if __name__ == "__main__":
    sys.exit(main())
