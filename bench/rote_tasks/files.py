"""Files: rename, tidy, duplicates, archives, old and empty ones, back-ups."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from bench.rote_tasks.base import (
    Draw,
    Reply,
    State,
    Task,
    Values,
    World,
    bash,
    lists,
    python,
    say,
    say_output,
    use,
    words,
)
from tests.scripted_server import Answer

IMAGES = ("png", "jpg", "gif", "webp", "bmp", "tiff", "heic", "svg")
PAPERS = ("pdf", "docx", "odt", "epub", "rtf", "pptx", "key", "pages")


def below(state: State, folder: str) -> dict[str, str]:
    """What stands right in a folder: name → path in the state."""
    start = folder.removeprefix("~/") + "/"
    return {path[len(start) :]: path for path in state if path.startswith(start) and "/" not in path[len(start) :].rstrip("/")}  # fmt: skip


class TidyByEnding(Task):
    name, kind = "tidy-by-ending", "files"
    asks = (
        "move all {ending} files from {folder} to {target}",
        "(please |)move every {ending} file (that is |)in {folder} (into|to) {target}",
        "(put|sort) the {ending} files from {folder} into {target}(, please|)",
        "I (want|need) all the {ending} files of {folder} (to be |)moved (over |)to {target}",
        "take the {ending} files out of {folder} and put them in {target}",
        "(could|can) you move the {ending} files in {folder} to {target}?",
    )
    asks_zh = (
        "(请|)把 {folder} 里(所有|全部)的 {ending} 文件移动到 {target}",
        "将 {folder} 中的 {ending} 文件(都|全部)(移到|挪到) {target}",
    )

    def draw(self, draw: Draw) -> Values:
        ending = draw.of([f"{dot}{name}" for name in (*IMAGES, *PAPERS) for dot in ("", ".")])
        return {"ending": ending, "folder": draw.folder(), "target": draw.folder("sorted gallery library shelf album store collection cabinet 归档")}  # fmt: skip

    def prepare(self, world: World, values: Values) -> None:
        ending = values["ending"].lstrip(".")
        other = "txt" if ending != "txt" else "md"
        for number in range(world.rng.randint(2, 5)):
            world.write(
                f"{values['folder']}/{world.rng.choice('abcdefg')}{number} x.{ending}",
                f"{number} {ending}",
            )
        world.write(f"{values['folder']}/stays.{other}", "stays")
        world.write(f"{values['folder']}/{ending}.md", "not one of them")
        world.write(f"{values['folder']}/no{ending}", "without a dot it is no ending")
        world.write(f"{values['target']}/there before.{ending}", "old")

    def teach(self, world: World, values: Values) -> list[Reply]:
        ending = values["ending"].lstrip(".")
        folder, target = values["folder"].replace(" ", r"\ "), values["target"].replace(" ", r"\ ")
        return [bash(f"ls {folder}"), bash(f"mv {folder}/*.{ending} {target}/"), say("Moved.")]

    def after(self, before: State, values: Values) -> State:
        ending = values["ending"].lstrip(".")
        moved = {
            path: name
            for name, path in below(before, values["folder"]).items()
            if name.endswith(f".{ending}")
        }
        found = {path: content for path, content in before.items() if path not in moved}
        return found | {
            f"{values['target'][2:]}/{name}": before[path] for path, name in moved.items()
        }


class ChangeEnding(Task):
    name, kind = "change-ending", "files"
    asks = (
        "rename all .{old} files in {folder} to .{new}",
        "(change|turn) the ending of (all|every one of) the .{old} files in {folder} (in|)to .{new}",
        "in {folder}, rename every .{old} file so that it ends in .{new}",
        "give the .{old} files in {folder} the ending .{new} (instead|)",
        "the .{old} files in {folder} should be called .{new}",
    )
    asks_zh = (
        "把 {folder} 里(所有|全部) .{old} 文件的后缀改成 .{new}",
        "将 {folder} 中的 .{old} 文件重命名为 .{new}",
    )
    pairs: ClassVar = (("jpeg", "jpg"), ("htm", "html"), ("text", "txt"), ("markdown", "md"), ("tif", "tiff"), ("yml", "yaml"), ("mpeg", "mpg"), ("jsn", "json2"), ("log", "txt"), ("TXT", "txt"), ("mdown", "md"), ("bak", "old"), ("dat", "csv2"), ("wave", "wav"))  # fmt: skip

    def draw(self, draw: Draw) -> Values:
        old, new = draw.fresh(lambda: draw.rng.choice(self.pairs))
        return {"old": old, "new": new, "folder": draw.folder()}

    def prepare(self, world: World, values: Values) -> None:
        for number in range(world.rng.randint(2, 5)):
            world.write(
                f"{values['folder']}/{world.rng.choice('klmnop')}{number}.{values['old']}",
                f"text {number}",
            )
        world.write(f"{values['folder']}/a {values['old']}.keep", "stays")
        world.write(f"{values['folder']}/sub/in.{values['old']}.orig", "stays too")

    def teach(self, world: World, values: Values) -> list[Reply]:
        folder, old, new = values["folder"].replace(" ", r"\ "), values["old"], values["new"]
        script = f'cd {folder} && for f in *.{old}; do mv -n -- "$f" "${{f%.{old}}}.{new}"; done'
        return [bash(script), bash(f"ls {folder}"), say(f"They end in .{new} now.")]

    def after(self, before: State, values: Values) -> State:
        end, names = f".{values['old']}", below(before, values["folder"]).values()
        return {
            path.removesuffix(end) + f".{values['new']}"
            if path in names and path.endswith(end)
            else path: content
            for path, content in before.items()
        }


class PutPrefix(Task):
    name, kind = "put-prefix", "files"
    asks = (
        'put "{prefix}" in front of the name of every file in {folder}',
        'add the prefix "{prefix}" to (all|the names of all) files in {folder}',
        'every file in {folder} should (start|begin) with "{prefix}"(; please rename them|)',
        'prefix (all|the) files in {folder} with "{prefix}"',
        'rename the files in {folder} so that (each|every) name starts with "{prefix}"',
    )
    asks_zh = (
        '给 {folder} 里每个文件名前面加上 "{prefix}"',
        '把 "{prefix}" 加到 {folder} 中所有文件的文件名前面',
    )

    def draw(self, draw: Draw) -> Values:
        return {
            "prefix": draw.word() + draw.rng.choice(["_", "-", "2024_"]),
            "folder": draw.folder(),
        }

    def prepare(self, world: World, values: Values) -> None:
        for number in range(world.rng.randint(2, 5)):
            world.write(
                f"{values['folder']}/{world.rng.choice('qrstu')}{number} old.txt", f"{number}"
            )

    def teach(self, world: World, values: Values) -> list[Reply]:
        folder = str(world.path(values["folder"]))
        script = f"""from pathlib import Path
for path in sorted(Path({folder!r}).iterdir()):
    if path.is_file():
        path.rename(path.with_name({values["prefix"]!r} + path.name))
"""
        return [python(script), bash(f"ls '{folder}'"), say("All files are renamed.")]

    def after(self, before: State, values: Values) -> State:
        named = {path: name for name, path in below(before, values["folder"]).items()}
        return {
            path.removesuffix(named[path]) + values["prefix"] + named[path]
            if path in named
            else path: content
            for path, content in before.items()
        }


class Duplicates(Task):
    name, kind = "duplicates", "files"
    asks = (
        "which files in {folder} are duplicates?",
        "(find|look for|search for) duplicate files in {folder}",
        "(show|tell) me the files in {folder} that (exist|are there) (twice|more than once)",
        "are there (any |)duplicates in {folder}?",
        "list (all |)duplicate files (in|under) {folder}",
    )
    asks_zh = ("{folder} 里有哪些重复的文件？", "(查找|找出) {folder} 中重复的文件")

    def draw(self, draw: Draw) -> Values:
        return {"folder": draw.folder()}

    def prepare(self, world: World, values: Values) -> None:
        names = world.rng.sample(words("red blue green white black brown pink grey gold teal"), 7)
        for number, name in enumerate(names):
            same = (
                "the same"
                if number in (1, 3)
                else "once more"
                if number in (2, 5)
                else f"only {name}"
            )
            world.write(
                f"{values['folder']}/{'sub/' if number > 4 else ''}{name}.dat", f"{same}\n" * 20
            )

    def teach(self, world: World, values: Values) -> list[Reply]:
        folder = str(world.path(values["folder"]))
        script = f"""import hashlib
from collections import defaultdict
from pathlib import Path

seen = defaultdict(list)
for path in sorted(Path({folder!r}).rglob("*")):
    if path.is_file():
        seen[hashlib.sha256(path.read_bytes()).hexdigest()].append(path)
for paths in seen.values():
    if len(paths) > 1:
        print(" = ".join(str(path) for path in paths))
"""
        return [python(script), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        start = values["folder"][2:] + "/"
        files = {path: content for path, content in before.items() if path.startswith(start)}
        twice = {
            path.rsplit("/", 1)[1]
            for path, content in files.items()
            if list(files.values()).count(content) > 1
        }
        return lists(answer, twice, {path.rsplit("/", 1)[1] for path in files} - twice)


class Pack(Task):
    name, kind = "pack-folder", "files"
    asks = (
        "pack {folder} into {target}",
        "(make|create) an archive {target} (of|from) {folder}",
        "archive (the folder |){folder} as {target}",
        "(compress|tar up) {folder} into {target}",
        "please put {folder} into an archive called {target}",
    )
    asks_zh = (
        "把 {folder} 打包成 {target}",
        "将 {folder} 压缩(成|为) {target}",
        "(请|)把文件夹 {folder} 打包到 {target}",
    )

    def draw(self, draw: Draw) -> Values:
        return {"folder": draw.folder(), "target": draw.file(".tar.gz", "backup archive packed bundle export pack save all copy")}  # fmt: skip

    def prepare(self, world: World, values: Values) -> None:
        for number in range(world.rng.randint(2, 4)):
            world.write(f"{values['folder']}/{'deep/' * (number % 2)}f{number}{world.rng.choice('vwxyz')}.txt", f"{number}\n")  # fmt: skip
        world.write(f"{values['target'].rpartition('/')[0]}/beside.txt", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        folder, target = world.path(values["folder"]), world.path(values["target"])
        return [
            bash(f"tar -czf '{target}' -C '{folder}' . && tar -tzf '{target}'"),
            say("The archive is there."),
        ]

    def after(self, before: State, values: Values) -> State:
        start = values["folder"][2:] + "/"
        packed = {
            path[len(start) :]: f"{content}\n"
            for path, content in before.items()
            if path.startswith(start)
        }
        return before | {values["target"][2:]: packed}


class Unpack(Task):
    name, kind = "unpack-archive", "files"
    asks = (
        "unpack {archive} into {folder}",
        "extract {archive} (to|into) {folder}",
        "(unzip|decompress) {archive} into {folder}",
        "please extract the archive {archive} into (the folder |){folder}",
        "open up {archive} and put everything (that is in it |)into {folder}",
    )
    asks_zh = ("把 {archive} 解压到 {folder}", "(请|)将压缩包 {archive} 解压(到|至) {folder}")

    def draw(self, draw: Draw) -> Values:
        return {"archive": draw.file(".zip", "photos delivery upload package bundle data set material handout"), "folder": draw.folder()}  # fmt: skip

    def prepare(self, world: World, values: Values) -> None:
        import io
        import zipfile

        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as packed:
            for number in range(world.rng.randint(2, 5)):
                packed.writestr(f"{world.rng.choice('hijkl')}{number}.txt", f"inside {number}")
        world.write(values["archive"], made.getvalue())
        world.write(f"{values['folder']}/before.txt", "was here")

    def teach(self, world: World, values: Values) -> list[Reply]:
        archive, folder = world.path(values["archive"]), world.path(values["folder"])
        return [python(f"import zipfile\nwith zipfile.ZipFile('{archive}') as z:\n    z.extractall('{folder}')\n    print(len(z.namelist()), 'files')"), bash(f"ls '{folder}'"), say("Unpacked.")]  # fmt: skip

    def after(self, before: State, values: Values) -> State:
        inside: dict[str, str] = before[values["archive"][2:]]
        return before | {
            f"{values['folder'][2:]}/{name}": content for name, content in inside.items()
        }


class OldLogs(Task):
    name, kind = "old-logs", "files"
    asks = (
        "move the .{ending} files in {folder} that are older than {days} days to the trash",
        "(trash|delete) .{ending} files older than {days} days in {folder}",
        "throw away all .{ending} files in {folder} which are more than {days} days old",
        "get rid of .{ending} files in {folder} that nobody (changed|touched) for {days} days",
        "clean up {folder}: .{ending} files older than {days} days can go to the trash",
    )
    asks_zh = (
        "把 {folder} 里超过 {days} 天的 .{ending} 文件移到回收站",
        "删除 {folder} 中 {days} 天以前的 .{ending} 文件",
    )

    def draw(self, draw: Draw) -> Values:
        return {"ending": draw.of("log tmp bak old cache dump trace part out crash err temp swp"), "days": draw.number(8, 400), "folder": draw.folder()}  # fmt: skip

    def prepare(self, world: World, values: Values) -> None:
        for number in range(world.rng.randint(2, 4)):
            world.write(
                f"{values['folder']}/old {number}.{values['ending']}",
                "x",
                values["days"] + 2.5 + 9 * number,
            )
            world.write(
                f"{values['folder']}/new{number}.{values['ending']}",
                "y",
                values["days"] - 2.5 - number,
            )
        world.write(f"{values['folder']}/old.important", "z", values["days"] + 100)

    def teach(self, world: World, values: Values) -> list[Reply]:
        folder = values["folder"].replace(" ", r"\ ")

        def trash(outputs: list[str]) -> Answer:
            return use("file_trash", paths=outputs[-1].splitlines())

        find = f"find {folder} -type f -name '*.{values['ending']}' -mtime +{values['days']}"
        return [bash(find), trash, say("They are in the trash.")]

    def after(self, before: State, values: Values) -> State:
        gone = [
            path
            for name, path in below(before, values["folder"]).items()
            if name.startswith("old ")
        ]
        return {path: content for path, content in before.items() if path not in gone}


class EmptyFolders(Task):
    name, kind = "empty-folders", "files"
    asks = (
        "remove the empty folders in {folder}",
        "delete all empty (directories|folders) (in|under) {folder}",
        "get rid of (any|the) empty folders inside {folder}",
        "{folder} has empty folders(, please delete them|; remove them)",
        "clean out empty folders from {folder}",
    )
    asks_zh = ("删除 {folder} 里的空文件夹", "把 {folder} 下面(所有|)的空目录(都|)删掉")

    def draw(self, draw: Draw) -> Values:
        return {"folder": draw.folder()}

    def prepare(self, world: World, values: Values) -> None:
        for number in range(world.rng.randint(1, 3)):
            world.folder(f"{values['folder']}/empty {number}")
        world.write(f"{values['folder']}/full/a.txt", "a")

    def teach(self, world: World, values: Values) -> list[Reply]:
        folder = str(world.path(values["folder"]))
        return [bash(f"find '{folder}' -mindepth 1 -type d -empty"), bash(f"find '{folder}' -mindepth 1 -type d -empty -delete"), bash(f"test -z \"$(find '{folder}' -mindepth 1 -type d -empty)\""), say("The empty folders are gone.")]  # fmt: skip

    def after(self, before: State, values: Values) -> State:
        gone = [
            path for name, path in below(before, values["folder"]).items() if name.endswith("/")
        ]
        return {path: content for path, content in before.items() if path not in gone}


class DatedCopy(Task):
    name, kind = "dated-copy", "files"
    asks = (
        "back up {file} to {folder} with today's date in the name",
        "make a backup (copy |)of {file} in {folder} with today's date in its name",
        "(save|put) a copy of {file} with today's date into {folder}",
        "I need a dated backup of {file} in {folder}",
        "back {file} up to {folder}, today's date in the name please",
    )
    asks_zh = (
        "把 {file} 备份到 {folder}，文件名带上今天的日期",
        "(请|)给 {file} 做一个带今天日期的备份，放到 {folder}",
    )

    def draw(self, draw: Draw) -> Values:
        return {
            "file": draw.file(".txt"),
            "folder": draw.folder("backups safe vault copies archive saved keep 备份"),
        }

    def prepare(self, world: World, values: Values) -> None:
        world.write(values["file"], f"{world.rng.random()}")
        world.write(f"{values['folder']}/older.txt", "old")

    def teach(self, world: World, values: Values) -> list[Reply]:
        name = values["file"].rpartition("/")[2]
        folder = values["folder"].replace(" ", r"\ ")
        return [
            bash(f"cp {values['file']} {folder}/$(date +%F)-{name} && ls {folder}"),
            say("The backup is there."),
        ]

    def after(self, before: State, values: Values) -> State:
        name = values["file"].rpartition("/")[2]
        return before | {
            f"{values['folder'][2:]}/{date.today().isoformat()}-{name}": before[values["file"][2:]]
        }


FILES = (
    TidyByEnding(),
    ChangeEnding(),
    PutPrefix(),
    Duplicates(),
    Pack(),
    Unpack(),
    OldLogs(),
    EmptyFolders(),
    DatedCopy(),
)
