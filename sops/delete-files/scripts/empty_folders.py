"""List the folders with nothing in them below a folder, as JSON. Reads only; values come from the
environment."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path


def empty_folders(top: Path) -> list[str]:
    """Return the empty folders; hidden ones, links and what lies in hidden ones are left alone."""
    found = []
    for folder, folders, files in os.walk(top):
        is_empty = not folders and not files and Path(folder) != top
        if is_empty:
            found.append(folder)
        folders[:] = [each for each in folders if not each.startswith(".")]
    return sorted(found)


def main(given: Mapping[str, str]) -> None:
    json.dump({"folders": empty_folders(Path(given["folder"]))}, sys.stdout)


if __name__ == "__main__":
    main(os.environ)
