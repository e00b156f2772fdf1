"""Lists the files of a folder by name, kind, or a text inside them. Reads only; values come from the environment."""

import fnmatch
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

SHOWN = 100
MAX_TEXT_BYTES = 20_000_000
VERSION_CONTROL = {".git", ".hg", ".svn"}
IMAGES = "jpg jpeg png gif bmp tif tiff webp heic svg raw"
VIDEOS = "mp4 mov avi mkv webm wmv flv m4v mpg mpeg"
AUDIO = "mp3 wav flac aac m4a ogg opus wma"
ARCHIVES = "zip tar gz tgz bz2 xz 7z rar zst"
SHEETS = "xlsx xls xlsm ods csv tsv numbers"
KINDS = {
    "word": "docx doc odt",
    "excel": "xlsx xls xlsm",
    "powerpoint": "pptx ppt odp",
    "markdown": "md markdown",
    "yaml": "yaml yml",
    "html": "html htm",
    "python": "py",
    "javascript": "js mjs cjs",
    "typescript": "ts tsx",
    "rust": "rs",
    "shell": "sh bash zsh",
    "日志": "log",
    **dict.fromkeys(
        ("image", "images", "picture", "pictures", "photo", "photos", "图片", "照片"), IMAGES
    ),
    **dict.fromkeys(("video", "videos", "movie", "movies", "视频"), VIDEOS),
    **dict.fromkeys(("audio", "music", "音频", "音乐"), AUDIO),
    **dict.fromkeys(("archive", "archives", "压缩", "压缩包"), ARCHIVES),
    **dict.fromkeys(("spreadsheet", "spreadsheets", "表格"), SHEETS),
}
WORDS = {
    "en": {
        "none": "No file in {folder} {what}.",
        "some": "{n} files in {folder}: each {what}.",
        "one": "One file in {folder} {what}.",
        "name": "has a name that contains {value}",
        "pattern": "has a name like {value}",
        "kind": "is of the kind {value}",
        "text": "contains {value} (upper and lower case alike)",
        "and": " and ",
        "holds": "In {folder}: {n}.",
        "more": "… and {n} more.",
        "unreadable": "Not readable: {n}.",
        "skipped": "Not searched, as they are no text or larger than {limit} MB: {n}.",
    },
    "zh": {
        "none": "{folder} 里没有{what}的文件。",
        "some": "{folder} 里有 {n} 个{what}的文件。",
        "one": "{folder} 里有 1 个{what}的文件。",
        "name": "名字包含 {value} ",
        "pattern": "名字符合 {value} ",
        "kind": "类型为 {value} ",
        "text": "内容包含 {value}（不分大小写）",
        "and": "、",
        "holds": "{folder} 里有 {n} 项。",
        "more": "……另有 {n} 个。",
        "unreadable": "有 {n} 处无法读取。",
        "skipped": "有 {n} 个文件没有搜索：不是文本，或超过 {limit} MB。",
    },
}


@dataclass
class Search:
    """Hold what is looked for, and what could not be looked at."""

    name: str
    text: str
    kind: str
    unreadable: int = 0
    skipped: int = 0
    found: list[str] = field(default_factory=list)
    lines: dict[str, str] = field(
        default_factory=dict
    )  # path → "12: the first line that holds the text"

    def run(self, top: str) -> None:
        has_name = self._name_test()
        for path, name, size in self._files(top):
            if has_name(name.lower()) and (not self.text or self._has_text(path, size)):
                self.found.append(path)
        self.found.sort(
            key=lambda path: (path.rpartition("/")[2].lower() != self.name.lower(), path)
        )

    def _name_test(self) -> Callable[[str], object]:
        """A test over names in lower case; an exact name needs no wildcard, a part of one neither."""
        name = self.name.lower()
        endings = tuple(f".{ending}" for ending in KINDS.get(self.kind, self.kind).split())
        matches = re.compile(
            fnmatch.translate(name if is_pattern(name) else f"*{name}*") if name else ""
        ).match
        if not is_pattern(name):
            return lambda text: name in text and (not endings or text.endswith(endings))
        return lambda text: matches(text) and (not endings or text.endswith(endings))

    def _files(self, top: str) -> Iterator[tuple[str, str, int]]:
        """Path, name and size of each file, links not followed."""
        stack = [top]
        while stack:
            try:
                with os.scandir(stack.pop()) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                self.unreadable += 1
                continue
            for entry in listed:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    self.unreadable += 1
                    continue
                if stat.S_ISREG(status.st_mode):
                    yield entry.path, entry.name, status.st_size
                elif stat.S_ISDIR(status.st_mode) and not (
                    self.text and entry.name in VERSION_CONTROL
                ):
                    stack.append(entry.path)

    def _has_text(self, path: str, size: int) -> bool:
        if size > MAX_TEXT_BYTES:
            self.skipped += 1
            return False
        try:
            data = Path(path).read_bytes()
        except OSError:
            self.unreadable += 1
            return False
        if b"\0" in data[:8192]:
            self.skipped += 1
            return False
        wanted = self.text.lower()
        if self.text.isascii() and wanted.encode() not in data.lower():
            return False
        text = decoded(data)
        place = text.lower().find(wanted)
        if place < 0:
            return False
        place = min(place, len(text) - 1)
        line = text[text.rfind("\n", 0, place) + 1 :].split("\n", 1)[0].strip()
        self.lines[path] = f"{text.count(chr(10), 0, place) + 1}: {line[:120]}"
        return True


def decoded(data: bytes) -> str:
    """Text of a file: UTF-8, else the usual Chinese encoding."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace")


def is_pattern(name: str) -> bool:
    return any(char in name for char in "*?[")


def shown(text: str) -> str:
    """A name or line as Markdown code on one line, whatever it holds."""
    text = text.encode("utf-8", "backslashreplace").decode()
    text = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
    fence = "`"
    while fence in text:
        fence += "`"
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def answer(search: Search, folder: str, words: dict[str, str]) -> str:
    told = [
        ("pattern" if is_pattern(search.name) else "name", search.name),
        ("kind", search.kind),
        ("text", search.text),
    ]
    what = words["and"].join(words[key].format(value=shown(value)) for key, value in told if value)
    kind = {0: "none", 1: "one"}.get(len(search.found), "some")
    lines = [words[kind].format(n=f"{len(search.found):,}", folder=shown(folder), what=what), ""]
    for path in search.found[:SHOWN]:
        line = search.lines.get(path)
        lines.append(
            f"- {shown(os.path.relpath(path, folder))}" + (f" {shown(line)}" if line else "")
        )
    if len(search.found) > SHOWN:
        lines.append(f"- {words['more'].format(n=f'{len(search.found) - SHOWN:,}')}")
    lines.append("")
    if search.unreadable:
        lines.append(words["unreadable"].format(n=f"{search.unreadable:,}"))
    if search.skipped:
        lines.append(
            words["skipped"].format(n=f"{search.skipped:,}", limit=MAX_TEXT_BYTES // 1_000_000)
        )
    return "\n".join(lines).strip() + "\n"


def listing(folder: str, words: dict[str, str]) -> str:
    """List what stands in a folder itself, folders with a slash."""
    with os.scandir(folder) as entries:
        names = sorted(each.name + "/" * each.is_dir() for each in entries)
    seen = [name for name in names if not name.startswith(".")]
    lines = [words["holds"].format(n=f"{len(seen):,}", folder=shown(folder)), ""]
    lines += [f"- {shown(name)}" for name in seen[:SHOWN]]
    if len(seen) > SHOWN:
        lines.append(f"- {words['more'].format(n=f'{len(seen) - SHOWN:,}')}")
    return "\n".join(lines).strip() + "\n"


def main(given: Mapping[str, str]) -> None:
    words = WORDS[given.get("lang", "en")]
    search = Search(given.get("name", ""), given.get("text", ""), given.get("kind", ""))
    if not (search.name or search.text or search.kind):
        sys.stdout.write(listing(given["folder"], words))
        return
    search.run(given["folder"])
    sys.stdout.write(answer(search, given["folder"], words))


if __name__ == "__main__":
    main(os.environ)
