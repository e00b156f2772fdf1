"""Pack a file or folder into a zip, or unpack an archive; never over something that is there.
Values come from the environment."""

import os
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

WORDS = {
    "en": {
        "packed": "Packed {file} into {target}: {n} file{s}.",
        "unpacked": "Unpacked {file} into {target}: {n} item{s}.",
        "absent": "there is no {file}",
        "there": "{target} is there already",
        "taken": "{target} holds {name} already",
        "no_archive": "{file} is not a zip or tar archive, or needs a password",
        "unsafe": "{file} holds names that lead outside the folder",
        "unclear": "the request does not say whether to pack or to unpack {file}",
    },
    "zh": {
        "packed": "已把 {file} 打包成 {target}，共 {n} 个文件。",
        "unpacked": "已把 {file} 解压到 {target}，共 {n} 项。",
        "absent": "没有 {file}",
        "there": "{target} 已经存在",
        "taken": "{target} 里已经有 {name}",
        "no_archive": "{file} 不是能直接打开的 zip 或 tar 压缩包",
        "unsafe": "{file} 里有指向文件夹之外的名字",
        "unclear": "没有说是打包还是解压 {file}",
    },
}
TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


class Stop(Exception):
    """Hold the key of a text that says why nothing is done."""


def pack(file: Path, target: Path) -> int:
    """Write a zip, or a tar where the name says so; return how many files are in it."""
    if os.path.lexists(target):
        raise Stop("there")
    files = (
        [path for path in sorted(file.rglob("*")) if path.is_file()] if file.is_dir() else [file]
    )
    files = [path for path in files if path != target]
    top = file.parent
    if target.name.endswith(TAR):
        mode = (
            "w" if target.name.endswith(".tar") else f"w:{target.suffix[1:].replace('tgz', 'gz')}"
        )
        with tarfile.open(str(target), mode) as archive:
            for path in files:
                archive.add(path, path.relative_to(top))
        return len(files)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for path in files:
            archive.write(path, path.relative_to(top))
    return len(files)


def unpack(file: Path, target: Path) -> int:
    """Unpack into a folder, over nothing that is there; return how many entries there are."""
    if os.path.lexists(target) and not target.is_dir():
        raise Stop("there")
    try:
        names = names_of(file)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError):
        raise Stop("no_archive") from None
    top = target.resolve()
    if not all((top / name).resolve().is_relative_to(top) for name in names):
        raise Stop("unsafe")
    taken = {each for name in names for each in Path(name).parts[:1] if (top / each).exists()}
    if taken:
        raise Stop("taken", min(taken))
    try:
        if zipfile.is_zipfile(file):
            shutil.unpack_archive(file, target, "zip")
        else:
            with tarfile.open(file) as archive:
                archive.extractall(target, filter="data")
    except (zipfile.BadZipFile, tarfile.TarError, RuntimeError, EOFError):
        raise Stop("no_archive") from None
    return len(names)


def names_of(file: Path) -> list[str]:
    """Return the names in an archive."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return archive.namelist()
    with tarfile.open(file) as archive:
        return archive.getnames()


def bare(name: str) -> str:
    """Return the name of an archive without its ending."""
    endings = [ending for ending in (*TAR, ".zip") if name.lower().endswith(ending)]
    longest = max(endings, key=len, default="")
    return name[: -len(longest)] if longest else f"{name} files"


def main(given: Mapping[str, str]) -> None:
    words, file = WORDS[given.get("lang", "en")], Path(given["file"])
    target = Path(given["target"]) if given.get("target") else None
    try:
        if not file.exists():
            raise Stop("absent")
        if given.get("unpack"):
            if target is None and (own := Path.cwd() / bare(file.name)).is_dir():
                target = own
                if any(own.iterdir()):
                    raise Stop("there")
            target = target or Path.cwd() / bare(file.name)
            key, count = "unpacked", unpack(file, target)
        elif given.get("pack"):
            target = target or Path.cwd() / f"{file.name}.zip"
            target = target if target.name.endswith((*TAR, ".zip")) else Path(f"{target}.zip")
            key, count = "packed", pack(file, target)
        else:
            raise Stop("unclear")
    except Stop as stop:
        sys.stderr.write(
            f"{words[stop.args[0]].format(file=file.name, target=target and target.name, name=stop.args[-1])}\n"
        )
        sys.exit(os.EX_DATAERR)  # the input, not the procedure, is at fault
    blanks = {"n": f"{count:,}", "s": "s" * (count != 1)}
    said = words[key].format(file=file.name, target=os.path.relpath(target), **blanks)
    sys.stdout.write(f"{said}\n")


if __name__ == "__main__":
    main(os.environ)
