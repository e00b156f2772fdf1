"""Lists the files of a folder that were last changed before a number of days, as JSON. Reads only.

Hidden files and folders (names that begin with a dot) are left alone, links are not followed. A
name that is not valid UTF-8 cannot be handed on and counts as unreadable. Values come from the
environment.
"""

import json
import os
import stat
import sys
import time
from collections.abc import Mapping

WORDS = {
    "en": " Could not be read and was left alone: {n}.",
    "zh": "另有 {n} 处无法读取，没有动。",
}


def old_files(top: str, since: float) -> tuple[list[str], int, int]:
    """Return the paths of the files last changed before `since` (seconds since 1970), their bytes
    on the disk, places unreadable."""
    files: list[str] = []
    size = unreadable = 0
    stack = [top]
    while stack:
        try:
            with os.scandir(stack.pop()) as entries:
                listed = [entry for entry in entries if not entry.name.startswith(".")]
        except OSError:
            unreadable += 1
            continue
        for entry in listed:
            try:
                status = entry.stat(follow_symlinks=False)
                entry.path.encode("utf-8")
            except (OSError, UnicodeEncodeError):
                unreadable += 1
                continue
            if stat.S_ISDIR(status.st_mode):
                stack.append(entry.path)
            elif stat.S_ISREG(status.st_mode) and status.st_mtime < since:
                files.append(entry.path)
                size += status.st_blocks * 512
    return sorted(files), size, unreadable


def main(given: Mapping[str, str]) -> None:
    since = int(time.time()) - int(given["days"]) * 86400
    files, size, unreadable = old_files(given["folder"], since)
    left = {lang: text.format(n=unreadable) if unreadable else "" for lang, text in WORDS.items()}
    json.dump(
        {"files": files, "bytes": size, "since": since, "unreadable": unreadable, "left": left},
        sys.stdout,
    )


if __name__ == "__main__":
    main(os.environ)
