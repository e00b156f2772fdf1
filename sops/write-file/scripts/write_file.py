"""Write a text into a new file, never over one that is there. Values come from the environment."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

WORDS = {
    "en": {
        "written": "Wrote {text} into {file}.",
        "there": '{file} is there already; nothing was written. To add a line: "add … to {file}"',
        "no_folder": "there is no folder {folder}",
    },
    "zh": {
        "written": "已把 {text} 写进 {file}。",
        "there": "{file} 已经存在，什么都没有写。要加一行，请说：把 … 加到 {file}",
        "no_folder": "没有文件夹 {folder}",
    },
}


def main(given: Mapping[str, str]) -> None:
    words, path = WORDS[given.get("lang", "en")], Path(given["file"])
    blanks = {"file": path.name, "folder": path.parent, "text": given["text"]}
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(f"{given['text']}\n")
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
        key = "there" if isinstance(error, FileExistsError) else "no_folder"
        sys.stderr.write(f"{words[key].format(**blanks)}\n")
        sys.exit(os.EX_DATAERR)  # the input, not the procedure, is at fault
    sys.stdout.write(f"{words['written'].format(**blanks)}\n")


if __name__ == "__main__":
    main(os.environ)
