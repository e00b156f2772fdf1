"""Hash the files that a script names: a yes holds for them as they are, and a changed one asks
again."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from safety.findings import Ask

_NAME = re.compile(r"[~\w./@%+-]+")
_MOST_FILES, _MOST_BYTES = 20, 2_000_000  # beyond, a file counts by its size and its time


def pinned(ask: Ask, cwd: Path, owner: Path) -> str:
    """Return one hash over the files that the script of a call names and that are there, or ""."""
    script = str(ask.args.get("script", ""))
    folder = ask.paths[0] if ask.paths else cwd
    names = dict.fromkeys(_NAME.findall(script[:20_000]))
    paths = [owner / name[2:] if name.startswith("~/") else folder / name for name in names]
    found = [path for path in paths if _is_file(path)][:_MOST_FILES]
    digest = hashlib.sha256()
    for path in found:
        digest.update(str(path).encode("utf-8", "surrogateescape") + b"\0" + _content(path))
    return digest.hexdigest()[:16] if found else ""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _content(path: Path) -> bytes:
    try:
        about = path.stat()
        if about.st_size > _MOST_BYTES:
            return f"{about.st_size} {about.st_mtime_ns}".encode()
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return b"unreadable"
