"""Show, count or add up what stands in a file; list an archive. Reads only; values come from the
environment."""

import csv
import io
import json
import os
import re
import statistics
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path

SHOWN = 200
WIDTH = 300
MAX_BYTES = 200_000_000
WORDS = {
    "en": {
        "lines": "{n} line{s} in {file}.",
        "words": "{n} word{s} in {file}.",
        "characters": "{n} character{s} in {file}.",
        "total": "{total} of {column} in {file}: {result} ({n} number{s})",
        "skipped": "Left out because they are not numbers: {n}.",
        "more": "… and {n} more line{s}.",
        "members": "{n} item{s} in {file}:",
        "empty": "{file} is empty.",
        "no_text": "{file} is not a text file.",
        "too_large": "{file} is larger than 200 MB.",
        "no_column": "{file} has no column {column}. Its columns: {columns}.",
        "no_numbers": "Column {column} of {file} holds no numbers.",
    },
    "zh": {
        "lines": "{file} 有 {n} 行。",
        "words": "{file} 有 {n} 个字（词）。",
        "characters": "{file} 有 {n} 个字符。",
        "total": "{file} 里 {column} 的{total}：{result}（{n} 个数）",
        "skipped": "有 {n} 项不是数字，没有计入。",
        "more": "……另有 {n} 行。",
        "members": "{file} 里有 {n} 项：",
        "empty": "{file} 是空的。",
        "no_text": "{file} 不是文本文件。",
        "too_large": "{file} 超过 200 MB。",
        "no_column": "{file} 没有 {column} 这一列。它的列：{columns}。",
        "no_numbers": "{file} 的 {column} 一列没有数字。",
    },
}
COUNTS = {
    "lines": "line row 行 行数",
    "words": "word 字 字数 词 单词",
    "characters": "character letter 字符",
}
TOTALS: dict[str, Callable[[list[float]], float]] = {
    "sum total sum up add up 总和 合计 总计 求和": sum,
    "average mean 平均 平均值 平均数": statistics.fmean,
    "minimum smallest lowest 最小 最小值": min,
    "maximum largest highest biggest 最大 最大值": max,
}
LAST = ("last", "bottom", "end", "最后", "后", "末尾", "最末")
# A Chinese sign counts as a word.
WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+(?:['’-][^\W\u4e00-\u9fff]+)*")
NUMBER = re.compile(r"[-+]?[$€£¥]?\s*(\d[\d,]*\.?\d*|\.\d+)\s*[$€£¥]?")


class Unreadable(ValueError):
    """Hold the key of a text that says why there is no answer, and its values."""

    def __init__(self, key: str, **blanks: str) -> None:
        super().__init__(key)
        self.blanks = blanks


def text_of(file: str) -> str:
    """Return the text of a file: UTF-8, else the usual Chinese encoding. Raises Unreadable."""
    path = Path(file)
    if path.stat().st_size > MAX_BYTES:
        raise Unreadable("too_large")
    data = path.read_bytes()
    if b"\0" in data[:8192]:
        raise Unreadable("no_text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace")


def members(file: str) -> list[str] | None:
    """Return the names in an archive; None for what is none."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return archive.namelist()
    try:
        with tarfile.open(file) as archive:
            return archive.getnames()
    except (tarfile.TarError, OSError, EOFError):
        return None


def number(count: int) -> dict[str, str]:
    """Return a number for a text, and the ending of the noun behind it."""
    return {"n": f"{count:,}", "s": "s" * (count != 1)}


def shown(lines: Sequence[str], words: Mapping[str, str]) -> str:
    """Return lines as they stand, the first of many."""
    said = [line[:WIDTH] for line in lines[:SHOWN]]
    if len(lines) > SHOWN:
        said.append(words["more"].format(**number(len(lines) - SHOWN)))
    return "\n".join(said)


def counted(text: str, what: str) -> tuple[str, int]:
    """Return what is counted, and how many there are."""
    kind = next(kind for kind, names in COUNTS.items() if what in names.split())
    if kind == "words":
        return kind, len(WORD.findall(text))
    if kind == "characters":
        return kind, len(text)
    return "lines", len(text.splitlines())


def numbers(text: str, column: str) -> tuple[str, list[float], int]:
    """Return the name of a column, its numbers, and how many of its cells hold none. Raises
    Unreadable."""
    first = text.partition("\n")[0]
    mark = max(",;\t", key=first.count)
    rows = csv.reader(io.StringIO(text), delimiter=mark)
    names = [name.strip() for name in next(rows, [])]
    found = [at for at, name in enumerate(names) if name.lower() == column.lower()]
    if not found:
        raise Unreadable("no_column", columns=", ".join(names)[:WIDTH])
    cells = [row[found[0]].strip() for row in rows if len(row) > found[0]]
    read = [NUMBER.fullmatch(cell) for cell in cells if cell]
    values = [
        float(each[1].replace(",", "")) * (-1 if each[0].startswith("-") else 1)
        for each in read
        if each
    ]
    if not values:
        raise Unreadable("no_numbers")
    return names[found[0]], values, len(cells) - len(values)


def added(given: Mapping[str, str], text: str, words: Mapping[str, str]) -> str:
    """Say what a column comes to."""
    column, values, skipped = numbers(text, given["column"])
    fold = next(fold for names, fold in TOTALS.items() if given["total"] in names)
    result = f"{fold(values):,.6f}".rstrip("0").rstrip(".")
    said = words["total"].format(
        total=given["total"],
        column=column,
        file=Path(given["file"]).name,
        result=result,
        **number(len(values)),
    )
    return f"{said}\n{words['skipped'].format(n=skipped)}" if skipped else said


def answer(given: Mapping[str, str], words: Mapping[str, str]) -> str:
    """Return the answer to what is given. Raises Unreadable, OSError."""
    file, name = given["file"], Path(given["file"]).name
    listed = members(file)
    if listed is not None:
        head = words["members"].format(**number(len(listed)), file=name)
        return f"{head}\n{shown(sorted(listed), words)}"
    text = text_of(file)
    if given.get("count"):
        kind, count = counted(text, given["count"])
        return words[kind].format(**number(count), file=name)
    if given.get("total"):
        return added(given, text, words)
    lines = text.splitlines()
    if given.get("part"):
        most = int(given["lines"])
        lines = lines[-most:] if given["part"] in LAST else list(islice(lines, most))
    return shown(lines, words) or words["empty"].format(file=name)


def main(given: Mapping[str, str]) -> None:
    words = WORDS[given.get("lang", "en")]
    said = problem = ""
    try:
        said = answer(given, words)
    except Unreadable as error:
        blanks = {"file": Path(given["file"]).name, "column": given.get("column", "")}
        problem = words[str(error)].format(**blanks | error.blanks)
    except OSError as error:
        problem = f"{error.strerror}: {error.filename}"
    json.dump({"said": said, "problem": problem}, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main(os.environ)
