"""Lists the files of a folder by name, kind, or a text inside them. Reads only; values come from
the environment."""

import fnmatch
import hashlib
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

SHOWN = 100
MAX_TEXT_BYTES = 20_000_000
SMALL = ("the", "a", "an", "my", "all", "any", "from", "of", "for", "to", "in", "with", "and")
VERSION_CONTROL = {".git", ".hg", ".svn"}
IMAGES = "jpg jpeg png gif bmp tif tiff webp heic svg raw"
VIDEOS = "mp4 mov avi mkv webm wmv flv m4v mpg mpeg"
AUDIO = "mp3 wav flac aac m4a ogg opus wma"
ARCHIVES = "zip tar gz tgz bz2 xz 7z rar zst"
SHEETS = "xlsx xls xlsm ods csv tsv numbers"
DOCUMENTS = "pdf docx doc odt rtf txt md pages"
NEWEST = ("newest", "latest", "most recent", "last", "最新", "最近")
SINCE = {  # unit, and how many of them ago
    **dict.fromkeys(("today", "今天", "今日"), ("day", 0)),
    **dict.fromkeys(("yesterday", "昨天"), ("day", 1)),
    **dict.fromkeys(("this week", "本周", "这周", "这个星期"), ("week", 0)),
    **dict.fromkeys(("last week", "上周", "上个星期"), ("week", 1)),
    **dict.fromkeys(("this month", "本月", "这个月"), ("month", 0)),
    **dict.fromkeys(("last month", "上个月", "上月"), ("month", 1)),
    **dict.fromkeys(("this year", "今年"), ("year", 0)),
    **dict.fromkeys(("last year", "去年"), ("year", 1)),
}
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
    "text": "txt",
    "jpg": "jpg jpeg",
    "jpeg": "jpg jpeg",
    **dict.fromkeys(("image", "picture", "photo", "screenshot", "图片", "照片", "截图"), IMAGES),
    **dict.fromkeys(("video", "movie", "film", "视频", "电影"), VIDEOS),
    **dict.fromkeys(("audio", "music", "song", "音频", "音乐", "歌", "歌曲"), AUDIO),
    **dict.fromkeys(("archive", "压缩", "压缩包"), ARCHIVES),
    **dict.fromkeys(("spreadsheet", "表格"), SHEETS),
    **dict.fromkeys(("document", "文档"), DOCUMENTS),
}
WORDS = {
    "en": {
        "none": "No files in {folder} {what}.",
        "some": "{n} files in {folder} {what}:",
        "one": "1 file in {folder} {what}:",
        "name": "with {value} in the name",
        "pattern": "with a name like {value}",
        "kind": "of the kind {value}",
        "text": "containing {value}",
        "and": ", ",
        "since": "changed {value}",
        "holds": "{n} item{s} in {folder}:",
        "same": "Files in {folder} that are the same; their copies take {size}:",
        "none_same": "No two files in {folder} are the same.",
        "counted": "{n} file{s} in {folder} and its subfolders; {here} directly in it.",
        "picked": "{file}, changed {when}",
        "no_ending": "no ending",
        "more": "… and {n} more.",
        "unreadable": "Could not be read: {n}.",
        "skipped": "Not searched because they are not text or are larger than {limit} MB: {n}.",
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
        "since": "{value}改过",
        "holds": "{folder} 里有 {n} 项。",
        "same": "{folder} 里内容相同的文件（多出的副本占 {size}）：",
        "none_same": "{folder} 里没有内容相同的文件。",
        "counted": "{folder} 里有 {here} 个文件，连同子文件夹共 {n} 个。",
        "picked": "{file}，修改于 {when}",
        "no_ending": "无扩展名",
        "more": "……另有 {n} 个。",
        "unreadable": "有 {n} 处无法读取。",
        "skipped": "有 {n} 个文件没有搜索：不是文本，或超过 {limit} MB。",
    },
}


NAMED = ("screenshot", "screen shot", "截屏", "截图", "屏幕快照")


@dataclass
class Search:
    """Hold what is looked for, and what could not be looked at."""

    name: str
    text: str
    kind: str
    since: str = ""
    is_owners: bool = False  # only what the owner put there
    unreadable: int = 0
    skipped: int = 0
    found: list[str] = field(default_factory=list)
    changed: dict[str, float] = field(default_factory=dict)  # path → seconds since 1970
    lines: dict[str, str] = field(
        default_factory=dict
    )  # path → "12: the first line that holds the text"

    def run(self, top: str) -> None:
        has_name, first, last = self._name_test(), *stretch(self.since)
        for path, name, status in self._files(top):
            is_meant = has_name(name.lower()) and first <= status.st_mtime < last
            if is_meant and (not self.text or self._has_text(path, status.st_size)):
                self.found.append(path)
                self.changed[path] = status.st_mtime
        self.found.sort(
            key=lambda path: (path.rpartition("/")[2].lower() != self.name.lower(), path)
        )

    def _name_test(self) -> Callable[[str], object]:
        """Return a test over names in lower case; an exact name needs no wildcard, a part of one
        neither."""
        name = self.name.lower()
        parts = [each for each in name.split() if each not in SMALL] or [name]
        endings = tuple(f".{ending}" for ending in KINDS.get(self.kind, self.kind).split())
        matches = re.compile(
            fnmatch.translate(name if is_pattern(name) else f"*{name}*") if name else ""
        ).match
        named = NAMED if self.kind in NAMED else ("",)
        return lambda text: (
            (matches(text) if is_pattern(name) else all(part in text for part in parts))
            and (not endings or text.endswith(endings))
            and any(each in text for each in named)
        )

    def _files(self, top: str) -> Iterator[tuple[str, str, os.stat_result]]:
        """Yield path, name and state of each file, links not followed."""
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
                if self.leaves_out(entry.name):
                    continue
                if stat.S_ISREG(status.st_mode):
                    yield entry.path, entry.name, status
                elif stat.S_ISDIR(status.st_mode):
                    stack.append(entry.path)

    def leaves_out(self, name: str) -> bool:
        """Return True for version control, unless a name is asked for, and for what programs keep
        hidden, where the owner asks for what they changed or have twice."""
        hides = self.is_owners and name.startswith(".")
        return hides or (name in VERSION_CONTROL and not self.name)

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


def stretch(since: str) -> tuple[float, float]:
    """Return from when and until when a file was changed, in seconds since 1970."""
    if not since:
        return float("-inf"), float("inf")
    unit, ago = SINCE[since]
    return begin(unit, ago), begin(unit, ago - 1) if ago else float("inf")


def begin(unit: str, ago: int) -> float:
    """Return when a day, week, month or year began, so many of them ago, in seconds since 1970."""
    day = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        return (day - timedelta(days=ago)).timestamp()
    if unit == "week":
        return (day - timedelta(days=day.weekday() + 7 * ago)).timestamp()
    months = day.year * 12 + day.month - 1 - ago if unit == "month" else (day.year - ago) * 12
    return day.replace(year=months // 12, month=months % 12 + 1, day=1).timestamp()


def decoded(data: bytes) -> str:
    """Return the text of a file: UTF-8, else the usual Chinese encoding."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace")


def is_pattern(name: str) -> bool:
    return any(char in name for char in "*?[")


def shown(text: str) -> str:
    """Return a name or line as Markdown code on one line, whatever it holds."""
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
        ("since", search.since),
    ]
    told = [(key, value if key == "since" else shown(value)) for key, value in told if value]
    what = words["and"].join(words[key].format(value=value) for key, value in told)
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
    lines = [
        words["holds"].format(n=f"{len(seen):,}", s="s" * (len(seen) != 1), folder=shown(folder)),
        "",
    ]
    lines += [f"- {shown(name)}" for name in seen[:SHOWN]]
    if len(seen) > SHOWN:
        lines.append(f"- {words['more'].format(n=f'{len(seen) - SHOWN:,}')}")
    return "\n".join(lines).strip() + "\n"


def counted(search: Search, folder: str, words: dict[str, str]) -> str:
    """Say how many files there are, and how many with each ending."""
    endings = Counter(Path(path).suffix.lower() or words["no_ending"] for path in search.found)
    here = sum(Path(path).parent == Path(folder) for path in search.found)
    counts = {
        "n": f"{len(search.found):,}",
        "s": "s" * (len(search.found) != 1),
        "here": f"{here:,}",
    }
    lines = [words["counted"].format(folder=shown(folder), **counts), ""]
    lines += [f"- {shown(ending)} {count:,}" for ending, count in endings.most_common(SHOWN)]
    return "\n".join(lines).strip() + "\n"


def picked(search: Search, which: str, folder: str, words: dict[str, str]) -> str:
    """Name the newest or the oldest file."""
    if not search.found:
        return listing(folder, words)
    choose = max if which in NEWEST else min
    path = choose(search.found, key=lambda each: search.changed[each])
    when = datetime.fromtimestamp(search.changed[path]).astimezone()
    file = shown(os.path.relpath(path, folder))
    return words["picked"].format(file=file, when=f"{when:%Y-%m-%d %H:%M}") + "\n"


def by(key: Callable[[str], object], paths: Iterable[str]) -> list[list[str]]:
    """Return the paths that share a key with others, together."""
    groups: dict[object, list[str]] = {}
    for path in paths:
        groups.setdefault(key(path), []).append(path)
    return [group for group in groups.values() if len(group) > 1]


def digest(path: str) -> object:
    """Return what only files of the same bytes share; what cannot be read is like no other."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return object()


def alike(search: Search, folder: str, words: dict[str, str]) -> str:
    """List the files of the same bytes, those that waste most first; empty ones do not count."""
    sizes = {path: Path(path).stat().st_size for path in search.found}
    full = [path for path, size in sizes.items() if size]
    groups = [same for sized in by(sizes.__getitem__, full) for same in by(digest, sized)]
    if not groups:
        return f"{words['none_same'].format(folder=shown(folder))}\n"
    groups.sort(key=lambda same: -sizes[same[0]] * len(same))
    total = f"{sum(sizes[same[0]] * (len(same) - 1) for same in groups) / 1000:,.1f} KB"
    lines = [words["same"].format(folder=shown(folder), size=total), ""]
    paths = ([os.path.relpath(path, folder) for path in sorted(same)] for same in groups[:SHOWN])
    lines += [f"- {' = '.join(map(shown, each))}" for each in paths]
    if len(groups) > SHOWN:
        lines.append(f"- {words['more'].format(n=f'{len(groups) - SHOWN:,}')}")
    return "\n".join(lines) + "\n"


def main(given: Mapping[str, str]) -> None:
    words, folder = WORDS[given.get("lang", "en")], given["folder"]
    search = Search(*(given.get(name, "") for name in ("name", "text", "kind", "since")))
    search.is_owners = bool(given.get("since") or given.get("same"))
    number = given.get("number") or given.get("count")
    is_asked = [given.get(name) for name in ("name", "text", "kind", "since", "which", "same")]
    if not any((*is_asked, number)):
        sys.stdout.write(listing(folder, words))
        return
    search.run(folder)
    if given.get("which"):
        said = picked(search, given["which"], folder, words)
    elif given.get("same"):
        said = alike(search, folder, words)
    elif number and not search.kind:
        said = counted(search, folder, words)
    else:
        said = answer(search, folder, words)
    sys.stdout.write(said)


if __name__ == "__main__":
    main(os.environ)
