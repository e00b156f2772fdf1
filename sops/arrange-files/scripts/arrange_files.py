"""Rename, move or copy files, or make a folder; never over something that is there. Values come
from the environment."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

SHOWN = 20
HEAD_BYTES = 256_000  # of a photo: what the camera wrote stands in front of the picture
STAMP = re.compile(rb"[12]\d{3}:\d\d:\d\d \d\d:\d\d:\d\d")  # EXIF
RENAMES = ("rename", "call", "改名", "重命名")
IMAGES = "jpg jpeg png gif bmp tif tiff webp heic svg raw"
KINDS = {
    "word": "docx doc odt",
    "excel": "xlsx xls xlsm",
    "powerpoint": "pptx ppt odp",
    "markdown": "md markdown",
    "yaml": "yaml yml",
    "html": "html htm",
    "text": "txt",
    "python": "py",
    "jpg": "jpg jpeg",
    "jpeg": "jpg jpeg",
    "screenshot": IMAGES,
    "截图": IMAGES,
    **dict.fromkeys(("image", "picture", "photo", "图片", "照片"), IMAGES),
    **dict.fromkeys(("video", "movie", "视频"), "mp4 mov avi mkv webm wmv flv m4v mpg mpeg"),
    **dict.fromkeys(
        ("song", "audio", "music", "音频", "音乐"), "mp3 wav flac aac m4a ogg opus wma"
    ),
    **dict.fromkeys(("archive", "压缩包"), "zip tar gz tgz bz2 xz 7z rar zst"),
    **dict.fromkeys(("spreadsheet", "表格"), "xlsx xls xlsm ods csv tsv numbers"),
    **dict.fromkeys(("document", "文档"), "pdf docx doc odt rtf txt md pages"),
}
PERIODS = {"year": "%Y", "年份": "%Y", "年": "%Y", "month": "%Y-%m", "月份": "%Y-%m", "月": "%Y-%m"}
NAMED = {
    "screenshot": ("screenshot", "screen shot", "截屏", "截图"),
    "截图": ("screenshot", "截屏", "截图"),
}
WORDS = {
    "en": {
        "moved": "Moved {file} to {target}.",
        "renamed": "Renamed {file} to {target}.",
        "copied": "Copied {file} to {target}.",
        "many_moved": "Moved {n} file{s} to {target}:",
        "many_copied": "Copied {n} file{s} to {target}:",
        "dated": "Renamed {n} file{s} by date:",
        "sorted": "Moved {n} file{s} into folders by date:",
        "made": "Made the folder {target}.",
        "none": "There are no {kind} files in {folder}. Nothing was done. Say where they are: … in FOLDER",
        "named": "The {kind} files in {folder} are named by date already.",
        "more": "… and {n} more",
        "absent": "there is no {file}",
        "there": "{target} is there already",
        "inside": "{target} is inside {file}",
        "unclear": "the request does not say where to",
    },
    "zh": {
        "moved": "已把 {file} 移到 {target}。",
        "renamed": "已把 {file} 改名为 {target}。",
        "copied": "已把 {file} 复制为 {target}。",
        "many_moved": "已把 {n} 个文件移到 {target}：",
        "many_copied": "已把 {n} 个文件复制到 {target}：",
        "dated": "已把 {n} 个文件按日期改名：",
        "sorted": "已把 {n} 个文件按日期放进文件夹：",
        "made": "已新建文件夹 {target}。",
        "none": "{folder} 里没有{kind}文件，什么都没有做。请说明在哪个文件夹里。",
        "named": "{folder} 里的{kind}文件已经按日期命名。",
        "more": "……另有 {n} 个",
        "absent": "没有 {file}",
        "there": "{target} 已经存在",
        "inside": "{target} 在 {file} 里面",
        "unclear": "没有说放到哪里",
    },
}


class Stop(Exception):
    """Hold the key of a text that says why nothing is done, and its values."""

    def __init__(self, key: str, **blanks: object) -> None:
        super().__init__(key)
        self.blanks = blanks


def of_kind(folder: Path, kind: str) -> Iterator[Path]:
    """Yield the files of a kind that stand in a folder itself."""
    endings = tuple(f".{each}" for each in KINDS.get(kind, kind).split())
    for path in sorted(folder.iterdir()):
        name = path.name.lower()
        is_named = any(each in name for each in NAMED.get(kind, ("",)))
        if path.is_file() and name.endswith(endings) and is_named and not name.startswith("."):
            yield path


def beside(file: Path, name: str) -> Path:
    """Return a free name for a copy: `budget copy.csv`, then `budget copy 2.csv`."""
    stem, ending = (file.name, "") if file.is_dir() else (file.stem, file.suffix)
    for count in range(1, 1000):
        number = f" {count}" if count > 1 else ""
        path = file.with_name(f"{stem} {name}{number}{ending}")
        if not os.path.lexists(path):
            return path
    raise Stop("there", target=stem)


def place(file: Path, target: Path, how: str) -> Path:
    """Return where a file goes: into a folder that is there, else to this name. What has no ending
    is a folder that is made, where it is moved to or a file with an ending is copied to."""
    if how == "rename":
        path = file.with_name(target.name) if target.parent == Path.cwd() else target
    elif target.is_dir() or (not target.suffix and (how == "move" or file.suffix)):
        path = target / file.name
    else:
        path = target
    if os.path.lexists(path):
        raise Stop("there", target=path.name)
    if file.is_dir() and path.is_relative_to(file):
        raise Stop("inside", target=path.name, file=file.name)
    return path


def put(file: Path, path: Path, how: str) -> str:
    """Move or copy one file or folder; return the key of what is said."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if how != "copy":
        shutil.move(file, path)
        return "renamed" if file.parent == path.parent else "moved"
    if file.is_dir():
        shutil.copytree(file, path, symlinks=True)
    else:
        shutil.copy2(file, path)
    return "copied"


def way(given: Mapping[str, str]) -> str:
    """Return rename, move or copy."""
    if given.get("move"):
        return "move"
    return "rename" if given.get("how") in RENAMES else "copy"


def put_each(given: Mapping[str, str], words: Mapping[str, str]) -> str:
    """Rename, move or copy what is named; nothing where one of it cannot be."""
    named = given.get("files") or given["file"]  # a line each
    files, how = list(map(Path, named.splitlines())), way(given)
    for file in files:
        if not os.path.lexists(file):
            raise Stop("absent", file=file.name)
    if given.get("target"):
        target = Path(given["target"])
        if len(files) > 1 and not target.is_dir():  # several go into a folder
            places = [target / file.name for file in files]
        else:
            places = [place(file, target, how) for file in files]
    elif given.get("copy"):
        name = "copy" if words is WORDS["en"] else "副本"
        places = [beside(file, name) for file in files]
    else:
        raise Stop("unclear")
    return "\n".join(put_one(*pair, how, words) for pair in zip(files, places, strict=True))


def put_one(file: Path, path: Path, how: str, words: Mapping[str, str]) -> str:
    """Move or copy one; return what is said."""
    key = put(file, path, how)
    return words[key].format(file=os.path.relpath(file), target=os.path.relpath(path))


def many(given: Mapping[str, str], words: Mapping[str, str]) -> str:
    """Move or copy all files of a kind into a folder, which is made where it is missing."""
    folder, target = Path(given["folder"]), Path(given["target"])
    files = [path for path in of_kind(folder, given["kind"]) if path.parent != target]
    if not files:
        return words["none"].format(kind=given["kind"], folder=folder.name)
    places, how = [place(file, target / file.name, "copy") for file in files], way(given)
    for file, path in zip(files, places, strict=True):
        put(file, path, how)
    key = "many_moved" if how == "move" else "many_copied"
    return told(words, key, [file.name for file in files], os.path.relpath(target))


def told(words: Mapping[str, str], key: str, names: list[str], target: str = "") -> str:
    """Return what was done with several files, and the first of their names."""
    said = words[key].format(n=len(names), s="s" * (len(names) != 1), target=target)
    lines = [said, "", *(f"- {name}" for name in names[:SHOWN])]
    if len(names) > SHOWN:
        lines.append(words["more"].format(n=len(names) - SHOWN))
    return "\n".join(lines) + "\n"


def taken(file: Path) -> datetime:
    """Return when a photo was taken: the earliest time in its first bytes, else when the file was
    changed."""
    with file.open("rb") as opened:
        stamps = STAMP.findall(opened.read(HEAD_BYTES))
    times = []
    for stamp in stamps:
        with suppress(ValueError):  # 0000:00:00 of a camera without a clock
            times.append(datetime.strptime(stamp.decode(), "%Y:%m:%d %H:%M:%S"))
    return min(times, default=datetime.fromtimestamp(int(file.stat().st_mtime)))


def dated(given: Mapping[str, str], words: Mapping[str, str]) -> str:
    """Rename all files of a kind to the time when they were taken; those of one second are
    numbered."""
    folder = Path(given["folder"])
    files = sorted(of_kind(folder, given["kind"]), key=lambda file: (taken(file), file.stem))
    stems = [f"{taken(file):%Y-%m-%d_%H-%M-%S}" for file in files]
    told_of = []
    for at, (file, stem) in enumerate(zip(files, stems, strict=True)):
        number = stems[:at].count(stem) + 1
        name = f"{stem}{f'-{number}' * (number > 1)}{file.suffix.lower()}"
        if name == file.name:
            continue
        if os.path.lexists(folder / name):
            raise Stop("there", target=name)
        file.rename(folder / name)
        told_of.append(f"{file.name} → {name}")
    if not told_of:
        return words["named" if files else "none"].format(kind=given["kind"], folder=folder.name)
    return told(words, "dated", told_of)


def by_period(given: Mapping[str, str], words: Mapping[str, str]) -> str:
    """Move all files of a kind into a folder for each year, month or day; return what to say."""
    folder, form = Path(given["folder"]), PERIODS.get(given["period"], "%Y-%m-%d")
    places = {
        file: folder / f"{taken(file):{form}}" / file.name
        for file in of_kind(folder, given["kind"])
    }
    for path in places.values():
        if os.path.lexists(path):
            raise Stop("there", target=os.path.relpath(path, folder))
    if not places:
        return words["none"].format(kind=given["kind"], folder=folder.name)
    for file, path in places.items():
        put(file, path, "move")
    return told(words, "sorted", [os.path.relpath(path, folder) for path in places.values()])


def done(given: Mapping[str, str], words: Mapping[str, str]) -> str:
    """Do what is asked; return what to say. Raises Stop, OSError."""
    if given.get("new_folder"):
        path = Path(given["new_folder"])
        if os.path.lexists(path):
            raise Stop("there", target=path.name)
        path.mkdir(parents=True)
        return words["made"].format(target=os.path.relpath(path))
    if given.get("period"):
        return by_period(given, words)
    if given.get("date"):
        return dated(given, words)
    return many(given, words) if given.get("kind") else put_each(given, words)


def main(given: Mapping[str, str]) -> None:
    words = WORDS[given.get("lang", "en")]
    try:
        said = done(given, words)
    except Stop as stop:
        sys.stderr.write(f"{words[str(stop)].format(**stop.blanks)}\n")
        sys.exit(os.EX_DATAERR)  # the input, not the procedure, is at fault
    sys.stdout.write(f"{said}\n")


if __name__ == "__main__":
    main(os.environ)
