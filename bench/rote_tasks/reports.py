"""Reports: what takes the space, what a log says, what is in a folder."""

from __future__ import annotations

from collections import Counter

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
    words,
)

LEVELS = ("ERROR", "WARNING", "INFO", "DEBUG")


def log(world: World, lines: int) -> str:
    """Lines of a log; each level has a number of its own."""
    weights = world.rng.sample([1, 2, 3, 5, 8, 13], 4)
    made = [
        level
        for level, weight in zip(LEVELS, weights, strict=True)
        for _ in range(weight * 3 + lines % 5)
    ]
    world.rng.shuffle(made)
    return "".join(f"2025-05-{1 + at % 28:02} {level} part {at}: {world.rng.choice('abcdef')} happened\n" for at, level in enumerate(made))  # fmt: skip


def levels(state: State, file: str) -> Counter[str]:
    return Counter(line.split()[1] for line in state[file[2:]].split("\n"))


class BiggestFolder(Task):
    name, kind = "biggest-folder", "reports"
    asks = (
        "which folder in {folder} takes up the most space?",
        "what is the (largest|biggest) folder in {folder}?",
        "find the folder that uses the most disk space in {folder}",
        "tell me which subfolder of {folder} is the largest",
        "which directory inside {folder} is the biggest?",
    )
    asks_zh = ("{folder} 里哪个文件夹占用空间最大？", "找出 {folder} 中最大的子文件夹")

    def draw(self, draw: Draw) -> Values:
        return {"folder": draw.folder()}

    def prepare(self, world: World, values: Values) -> None:
        names = world.rng.sample(words("raw cut final old tests masters"), 4)
        for at, name in enumerate(names):
            size = 900_000 if at == 2 else world.rng.randint(1, 40) * 8_000
            world.write(f"{values['folder']}/{name}/data.bin", bytes([65 + at]) * size)
        world.write(f"{values['folder']}/one big file.bin", b"x" * 1_500_000)

    def teach(self, world: World, values: Values) -> list[Reply]:
        folder = values["folder"].replace(" ", r"\ ")
        return [bash(f"cd {folder} && du -s -- */ | sort -rn | head -n 1 | cut -f 2"), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        sizes: Counter[str] = Counter()
        start = values["folder"][2:] + "/"
        for path, content in before.items():
            folder, slash, _ = path.removeprefix(start).partition("/")
            if path.startswith(start) and slash:
                sizes[folder] += len(content)
        largest = sizes.most_common(1)[0][0]
        return lists(answer.replace(values["folder"], ""), [largest], set(sizes) - {largest})


class LogLevels(Task):
    name, kind = "log-levels", "reports"
    asks = (
        "how many lines of each level are in {file}?",
        "count the log lines (by|per) level in {file}",
        "summarise {file} by level",
        "give me the number of lines per level (of|in) {file}",
        "what are the counts of each log level in {file}?",
    )
    asks_zh = ("统计 {file} 里每个级别的行数", "{file} 中各个级别分别有多少行？")

    def draw(self, draw: Draw) -> Values:
        return {"file": draw.file(".log", "server worker mail sync import cron access deploy")}

    def prepare(self, world: World, values: Values) -> None:
        world.write(values["file"], log(world, world.rng.randint(20, 60)))

    def teach(self, world: World, values: Values) -> list[Reply]:
        return [bash(f"head -n 3 {values['file']}"), bash(f"awk '{{n[$2]++}} END {{for (l in n) print l, n[l]}}' {values['file']} | sort"), say_output]  # fmt: skip

    def answers(self, before: State, values: Values, answer: str) -> bool:
        return lists(
            answer, [f"{level} {count}" for level, count in levels(before, values["file"]).items()]
        )


class ErrorReport(Task):
    name, kind = "error-report", "reports"
    asks = (
        "write a report of the errors in {file} to {target}",
        "make an error report for {file} in {target}",
        "(save|put) a report about the errors of {file} in {target}",
        "I need an error report on {file}, as {target}",
        "report the errors from {file} into {target}",
    )
    asks_zh = (
        "为 {file} 里的错误写一份报告，保存到 {target}",
        "生成 {file} 的错误报告，写到 {target}",
    )

    def draw(self, draw: Draw) -> Values:
        return {"file": draw.file(".log", "server worker mail sync import cron access"), "target": draw.file(".md", "report errors findings summary review")}  # fmt: skip

    def prepare(self, world: World, values: Values) -> None:
        world.write(values["file"], log(world, world.rng.randint(20, 60)))
        world.write(f"{values['target'].rpartition('/')[0]}/beside.txt", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        script = f"""from pathlib import Path

lines = Path({str(world.path(values["file"]))!r}).read_text(encoding="utf-8").splitlines()
errors = [line for line in lines if line.split()[1] == "ERROR"]
report = [f"# Errors: {{len(errors)}} of {{len(lines)}} lines", "", *errors]
with open({str(world.path(values["target"]))!r}, "w", encoding="utf-8") as file:
    file.write("\\n".join(report) + "\\n")
print(report[0])
"""
        return [bash(f"head -n 3 {values['file']}"), python(script), bash(f"head -n 3 {values['target']}"), say("The report is written.")]  # fmt: skip

    def after(self, before: State, values: Values) -> State:
        lines = before[values["file"][2:]].split("\n")
        errors = [line for line in lines if " ERROR " in line]
        return before | {
            values["target"][2:]: "\n".join(
                [f"# Errors: {len(errors)} of {len(lines)} lines", "", *errors]
            )
        }


class FolderEndings(Task):
    name, kind = "folder-endings", "reports"
    asks = (
        "how many files of each type are in {folder}?",
        "count the files in {folder} by ending",
        "give me the number of files per type in {folder}",
        "what kinds of files are in {folder}, and how many of each?",
        "break down the files in {folder} by type",
    )
    asks_zh = ("{folder} 里每种类型的文件各有多少个？", "按后缀统计 {folder} 中的文件数")

    def draw(self, draw: Draw) -> Values:
        return {"folder": draw.folder()}

    def prepare(self, world: World, values: Values) -> None:
        for ending, count in zip(
            ("pdf", "txt", "mp3", "odt"), world.rng.sample(range(1, 12), 4), strict=True
        ):
            for number in range(count):
                world.write(f"{values['folder']}/{'in/' * (number % 2)}n{number}.{ending}", "x")

    def teach(self, world: World, values: Values) -> list[Reply]:
        folder = values["folder"].replace(" ", r"\ ")
        return [bash(f"find {folder} -type f | sed 's/.*\\.//' | sort | uniq -c | awk '{{print $2 \" \" $1}}'"), say_output]  # fmt: skip

    def answers(self, before: State, values: Values, answer: str) -> bool:
        start = values["folder"][2:] + "/"
        counts = Counter(path.rsplit(".", 1)[1] for path in before if path.startswith(start))
        return lists(answer, [f"{ending} {count}" for ending, count in counts.items()])


REPORTS = (BiggestFolder(), LogLevels(), ErrorReport(), FolderEndings())
