"""Lists the files of a folder that take the most space on the disk. Reads only; values come from
the environment."""

import heapq
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

WORDS = {
    "en": {
        "empty": "There are no files in {folder}.",
        "top": "{folder} takes {total}. Its {shown} largest files, of {files}, take {size} ({share}).",
        "all": "{folder} takes {total} with {files} files.",
        "one": "{folder} takes {total} with 1 file.",
        "folders": "Largest folders in it: {list}.",
        "unreadable": "Could not be read and is not counted: {n}.",
    },
    "zh": {
        "empty": "{folder} 里没有文件。",
        "top": "{folder} 共占 {total}，有 {files} 个文件；最大的 {shown} 个占 {size}（{share}）。",
        "all": "{folder} 共占 {total}，有 {files} 个文件。",
        "one": "{folder} 共占 {total}，有 1 个文件。",
        "folders": "其中最大的文件夹：{list}。",
        "unreadable": "有 {n} 处无法读取，没有计入。",
    },
}


@dataclass
class Found:
    """Hold what a walk through a folder brought; sizes are bytes on the disk, a file with several
    names counts once."""

    total: int = 0
    files: int = 0
    unreadable: int = 0
    by_folder: dict[str, int] = field(default_factory=dict)  # those directly in the folder
    seen: set[tuple[int, int]] = field(default_factory=set)


def walk(top: str, found: Found) -> Iterator[tuple[int, str]]:
    """Yield size and path of each file, links not followed. An explicit stack: folders may be
    nested deeper than Python may."""
    stack = [(top, "")]
    while stack:
        folder, first = stack.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError:
            found.unreadable += 1
            continue
        for entry in listed:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                found.unreadable += 1
                continue
            if stat.S_ISDIR(status.st_mode):
                stack.append((entry.path, first or entry.name))
            elif stat.S_ISREG(status.st_mode) and is_new(status, found):
                size = status.st_blocks * 512
                found.total += size
                found.files += 1
                if first:
                    found.by_folder[first] = found.by_folder.get(first, 0) + size
                yield size, entry.path


def is_new(status: os.stat_result, found: Found) -> bool:
    if status.st_nlink < 2:
        return True
    key = (status.st_dev, status.st_ino)
    if key in found.seen:
        return False
    found.seen.add(key)
    return True


def readable(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TB"


def shown(path: str) -> str:
    """Return a path as Markdown code on one line, whatever its name holds."""
    text = path.encode("utf-8", "backslashreplace").decode()
    text = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
    fence = "`"
    while fence in text:
        fence += "`"
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def answer(folder: str, count: int, words: dict[str, str]) -> str:
    found = Found()
    largest = heapq.nlargest(count, walk(folder, found))
    size = sum(size for size, _ in largest)
    said = {
        "folder": shown(folder),
        "files": f"{found.files:,}",
        "shown": len(largest),
        "size": readable(size),
        "total": readable(found.total),
        "share": f"{100 * size / found.total:.0f} %" if found.total else "–",
    }
    kind = (
        "empty"
        if not largest
        else "one"
        if found.files == 1
        else "all"
        if len(largest) == found.files
        else "top"
    )
    lines = [words[kind].format(**said), ""]
    lines += [
        f"{n}. {readable(size)}  {shown(os.path.relpath(path, folder))}"
        for n, (size, path) in enumerate(largest, 1)
    ]
    if folders := heapq.nlargest(3, found.by_folder.items(), key=lambda item: item[1]):
        listed = ", ".join(f"{shown(name)} {readable(size)}" for name, size in folders)
        lines += ["", words["folders"].format(list=listed)]
    if found.unreadable:
        lines += ["", words["unreadable"].format(n=f"{found.unreadable:,}")]
    return "\n".join(lines).strip() + "\n"


def main(given: Mapping[str, str]) -> None:
    sys.stdout.write(
        answer(given["folder"], int(given.get("count", "10")), WORDS[given.get("lang", "en")])
    )


if __name__ == "__main__":
    main(os.environ)
