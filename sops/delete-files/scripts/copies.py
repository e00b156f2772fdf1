"""List the copies of files below a folder, all but one of each, as JSON. Reads only; values come from
the environment."""

import hashlib
import json
import os
import sys
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path


def files(top: Path) -> Iterator[Path]:
    """Yield the owner's files: none that are hidden, empty, links, or in a repository."""
    for folder, folders, names in os.walk(top):
        is_repository = ".git" in folders
        folders[:] = [each for each in folders if not (is_repository or each.startswith("."))]
        for path in () if is_repository else (Path(folder, name) for name in names):
            if not (path.name.startswith(".") or path.is_symlink()) and path.stat().st_size:
                yield path


def alike(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """Yield the files of the same bytes, together."""
    sizes: dict[Hashable, list[Path]] = defaultdict(list)
    for path in paths:
        sizes[path.stat().st_size].append(path)
    contents: dict[Hashable, list[Path]] = defaultdict(list)
    for path in (path for same in sizes.values() if len(same) > 1 for path in same):
        with path.open("rb") as file:
            contents[hashlib.file_digest(file, "sha256").hexdigest()].append(path)
    yield from (same for same in contents.values() if len(same) > 1)


def copies(top: Path) -> list[str]:
    """Return what may go; the file with the shortest name stays, of these the oldest."""
    found = []
    for same in alike(files(top)):
        same.sort(key=lambda path: (len(path.name), path.stat().st_mtime, path))
        found += map(str, same[1:])
    return sorted(found)


def main(given: Mapping[str, str]) -> None:
    json.dump({"copies": copies(Path(given["folder"]))}, sys.stdout)


if __name__ == "__main__":
    main(os.environ)
