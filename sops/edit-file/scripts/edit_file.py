"""Sort the lines of a file, drop repeated ones, replace a text, or add a line. Values come from the
environment."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

MAX_BYTES = 200_000_000
SHOWN = 10
DOWN = ("descending", "reverse", "backwards", "降序", "倒序")
BY_NUMBER = ("numerically", "by number", "按数字")
WORDS = {
    "en": {
        "sorted": "Sorted {file}: {n} line{s}.",
        "dropped": "Removed {n} repeated line{s} from {file}; {left} left.",
        "none": "{file} has no repeated lines. Nothing was changed.",
        "replaced": "Replaced {old} with {new} in {file}: {n} time{s}.",
        "added": "Added a line to {file}: {line}",
        "absent": "{old} is not in {file}. Nothing was changed.",
        "no_text": "{file} is not a text file (UTF-8), or is larger than 200 MB",
        "unclear": "the request does not say what to change in {file}",
    },
    "zh": {
        "sorted": "已给 {file} 排序，共 {n} 行。",
        "dropped": "已从 {file} 去掉 {n} 行重复内容，剩 {left} 行。",
        "none": "{file} 没有重复的行，什么都没有改。",
        "replaced": "已把 {file} 里的 {old} 换成 {new}，共 {n} 处。",
        "added": "已在 {file} 末尾加上一行：{line}",
        "absent": "{file} 里没有 {old}，什么都没有改。",
        "no_text": "{file} 不是 UTF-8 文本文件，或超过 200 MB",
        "unclear": "没有说要怎么改 {file}",
    },
}


def number_of(line: str) -> tuple[float, str]:
    """Return what a line is sorted by: the number that it begins with."""
    found = re.match(r"\s*[-+]?\d+(?:\.\d+)?", line)
    return (float(found[0]) if found else float("inf"), line)


def in_order(lines: list[str], order: str) -> list[str]:
    """Return lines sorted as people do: upper and lower case are alike."""
    key = number_of if order in BY_NUMBER else lambda line: (line.casefold(), line)
    return sorted(lines, key=key, reverse=order in DOWN)


def edited(text: str, given: Mapping[str, str]) -> tuple[str, str, dict[str, str]]:
    """Return the new text, the key of what is said about it, and the values of that."""
    if given.get("old"):
        count = text.count(given["old"])
        key = "replaced" if count else "absent"
        return text.replace(given["old"], given["new"]), key, {"n": f"{count:,}"}
    if given.get("line"):
        start = "\n" if text and not text.endswith("\n") else ""
        return f"{text}{start}{given['line']}\n", "added", {"n": "1"}
    lines = text.splitlines()
    end = "\n" if text.endswith("\n") else ""
    if given.get("repeated"):
        kept = list(dict.fromkeys(lines))
        gone = len(lines) - len(kept)
        said = {"n": f"{gone:,}", "left": f"{len(kept):,}"}
        return "\n".join(kept) + end, "dropped" if gone else "none", said
    if given.get("sort"):
        head = 1 if given["file"].lower().endswith((".csv", ".tsv")) else 0  # names of columns
        lines = [*lines[:head], *in_order(lines[head:], given.get("order", ""))]
        return "\n".join(lines) + end, "sorted", {"n": f"{len(lines):,}"}
    return text, "unclear", {}


def text_of(path: Path) -> str:
    """Return the text of a file; ValueError for what is none."""
    if path.stat().st_size > MAX_BYTES:
        raise ValueError
    data = path.read_bytes()
    if b"\0" in data:
        raise ValueError
    return data.decode("utf-8")


def refuse(why: str) -> NoReturn:
    """End where the input, not the procedure, is at fault."""
    sys.stderr.write(f"{why}\n")
    sys.exit(os.EX_DATAERR)


def main(given: Mapping[str, str]) -> None:
    words, path = WORDS[given.get("lang", "en")], Path(given["file"])
    blanks = {
        "file": path.name,
        "line": given.get("line", ""),
        "old": given.get("old", ""),
        "new": given.get("new", ""),
    }
    try:
        text = text_of(path)
    except ValueError:
        refuse(words["no_text"].format(**blanks))
    new, key, said = edited(text.replace("\r\n", "\n"), given)
    said["s"] = "s" * (said.get("n") != "1")
    told = words[key].format(**blanks | said)
    if key == "unclear":
        refuse(told)
    if key in ("sorted", "dropped", "replaced", "added"):
        path.write_text(new.replace("\n", "\r\n") if "\r\n" in text else new, "utf-8", newline="")
        lines = new.splitlines() if key != "added" else []
        more = ["…"] if len(lines) > SHOWN else []
        told = "\n".join([told, "", *lines[:SHOWN], *more]).rstrip("\n")
    sys.stdout.write(f"{told}\n")


if __name__ == "__main__":
    main(os.environ)
