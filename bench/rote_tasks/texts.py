"""Text: replace, count, extract, merge, show, sort and thin out lines."""

from __future__ import annotations

import re

from bench.rote_tasks.base import (
    WORDS,
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
    says_number,
)


def prose(world: World, *words: str, lines: int = 12) -> str:
    """Lines of words, with these in some of them."""
    pool = WORDS.split()
    made = []
    for number in range(lines):
        line = [world.rng.choice(pool) for _ in range(4)]
        if words and number % 3 == 0:
            line.insert(world.rng.randint(0, 4), words[number // 3 % len(words)])
        made.append(" ".join(line) + f" {number}.")
    return "\n".join(made) + "\n"


class ReplaceWord(Task):
    name, kind = "replace-word", "text"
    asks = (
        'replace "{old}" with "{new}" in {file}',
        'in {file}, (change|replace) (every|each) "{old}" (to|by) "{new}"',
        'please (swap|substitute) "{new}" for "{old}" in {file}',
        'every "{old}" in {file} should become "{new}"',
        'change "{old}" to "{new}" (everywhere|throughout) in {file}',
    )
    asks_zh = (
        '把 {file} 里的 "{old}" (都|全部)替换成 "{new}"',
        '将 {file} 中(所有|)的 "{old}" 改为 "{new}"',
    )

    def draw(self, draw: Draw) -> Values:
        return {"old": draw.word(), "new": draw.word(), "file": draw.file(".txt")}

    def prepare(self, world: World, values: Values) -> None:
        world.write(values["file"], prose(world, values["old"], values["old"]))

    def teach(self, world: World, values: Values) -> list[Reply]:
        file = values["file"]
        script = f"sed -i 's/{values['old']}/{values['new']}/g' {file}"
        return [
            bash(f"grep -n '{values['old']}' {file}"),
            bash(script),
            bash(f"! grep -n '{values['old']}' {file}"),
            say("Replaced everywhere."),
        ]

    def after(self, before: State, values: Values) -> State:
        path = values["file"][2:]
        return before | {path: before[path].replace(values["old"], values["new"])}


class CountWord(Task):
    name, kind = "count-word", "text"
    asks = (
        'how often does "{word}" occur in {file}?',
        '(count|tell me) how many times "{word}" (appears|is) in {file}',
        'how many times is "{word}" (used|mentioned) in {file}?',
        'count (the occurrences of |)"{word}" in {file}',
        'I want to know how often {file} (says|mentions) "{word}"',
    )
    asks_zh = ('{file} 里 "{word}" 出现了多少次？', '(统计|数)一下 "{word}" 在 {file} 中出现的次数')

    def draw(self, draw: Draw) -> Values:
        return {"word": draw.word(), "file": draw.file(".txt")}

    def prepare(self, world: World, values: Values) -> None:
        world.write(values["file"], prose(world, values["word"], lines=world.rng.randint(9, 60)) + f"{values['word']}ish {values['word']} {values['word']}\n")  # fmt: skip

    def teach(self, world: World, values: Values) -> list[Reply]:
        return [bash(f"grep -o -w '{values['word']}' {values['file']} | wc -l"), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        times = len(re.findall(rf"\b{values['word']}\b", before[values["file"][2:]]))
        return says_number(answer, times, values)


class ExtractLines(Task):
    name, kind = "extract-lines", "text"
    asks = (
        'write the lines of {file} that contain "{text}" to {target}',
        '(copy|save) all lines with "{text}" from {file} (to|into) {target}',
        'extract the lines containing "{text}" from {file} into {target}',
        'put every line of {file} that has "{text}" in it into {target}',
        'I need the lines of {file} with "{text}" in {target}',
    )
    asks_zh = (
        '把 {file} 里包含 "{text}" 的行(写到|保存到) {target}',
        '从 {file} 中提取含有 "{text}" 的行，存到 {target}',
    )

    def draw(self, draw: Draw) -> Values:
        return {"text": draw.word(), "file": draw.file(".log"), "target": draw.file(".txt", "found matches lines hits selection excerpt picked")}  # fmt: skip

    def prepare(self, world: World, values: Values) -> None:
        world.write(values["file"], prose(world, values["text"], lines=15))
        world.write(f"{values['target'].rpartition('/')[0]}/beside.txt", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        target = values["target"]
        return [
            bash(f"grep -F -- '{values['text']}' {values['file']} > {target}; wc -l {target}"),
            say("Written."),
        ]

    def after(self, before: State, values: Values) -> State:
        lines = [line for line in before[values["file"][2:]].split("\n") if values["text"] in line]
        return before | {values["target"][2:]: "\n".join(lines)}


class MergeTexts(Task):
    name, kind = "merge-texts", "text"
    asks = (
        "merge all .txt files in {folder} into {target}",
        "(combine|join) the .txt files (of|from|in) {folder} into (one file, |){target}",
        "put all .txt files of {folder} together in {target}",
        "make one file {target} (out of|from) all the .txt files in {folder}",
        "concatenate every .txt file in {folder} to {target}",
    )
    asks_zh = (
        "把 {folder} 里所有 .txt 文件合并成 {target}",
        "将 {folder} 中的全部 .txt 文件合并到 {target}",
    )

    def draw(self, draw: Draw) -> Values:
        return {"folder": draw.folder(), "target": draw.file(".txt", "all everything merged together whole complete full")}  # fmt: skip

    def prepare(self, world: World, values: Values) -> None:
        for number in range(world.rng.randint(2, 5)):
            world.write(f"{values['folder']}/part{number}.txt", prose(world, lines=3))
        world.write(f"{values['folder']}/not.md", "no\n")
        world.write(f"{values['target'].rpartition('/')[0]}/beside.md", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        folder = values["folder"].replace(" ", r"\ ")
        return [
            bash(f"cat {folder}/*.txt > {values['target']} && wc -l {values['target']}"),
            say("Merged."),
        ]

    def after(self, before: State, values: Values) -> State:
        start = values["folder"][2:] + "/"
        texts = [
            before[path]
            for path in sorted(before)
            if path.startswith(start) and path.endswith(".txt")
        ]
        return before | {values["target"][2:]: "\n".join(texts)}


class LastLines(Task):
    name, kind = "last-lines", "text"
    asks = (
        "show the last {count} lines of {file}",
        "(what are|give me) the last {count} lines of {file}(?|)",
        "print the last {count} lines (in|from) {file}",
        "I'd like to see the final {count} lines of {file}",
        "let me see the last {count} lines of {file}",
    )
    asks_zh = ("显示 {file} 的最后 {count} 行", "(给我看|看看) {file} 最后 {count} 行")
    taught_in = "en"

    def draw(self, draw: Draw) -> Values:
        return {"count": draw.number(2, 30), "file": draw.file(".log")}

    def prepare(self, world: World, values: Values) -> None:
        world.write(
            values["file"],
            "".join(f"entry {world.rng.choice('abcdefgh')}-{n} end\n" for n in range(40)),
        )

    def teach(self, world: World, values: Values) -> list[Reply]:
        return [bash(f"tail -n {values['count']} {values['file']}"), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        lines = before[values["file"][2:]].split("\n")
        return lists(answer, lines[-values["count"] :], lines[: -values["count"]], in_order=True)


class SortUnique(Task):
    name, kind = "sort-unique", "text"
    asks = (
        "sort {file} and remove the duplicate lines, into {target}",
        "write the lines of {file} sorted and without duplicates to {target}",
        "sort the lines of {file}, each only once, into {target}",
        "make a sorted copy of {file} without repeated lines in {target}",
        "save {file} sorted and deduplicated as {target}",
    )
    asks_zh = (
        "把 {file} 排序去重后保存到 {target}",
        "对 {file} 的行排序并去掉重复行，写到 {target}",
    )

    def draw(self, draw: Draw) -> Values:
        return {
            "file": draw.file(".txt"),
            "target": draw.file(".txt", "sorted ordered unique clean names list"),
        }

    def prepare(self, world: World, values: Values) -> None:
        lines = [world.rng.choice(WORDS.split()) for _ in range(30)]
        world.write(values["file"], "\n".join([*lines, *lines[:5]]) + "\n")
        world.write(f"{values['target'].rpartition('/')[0]}/beside.md", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        return [
            bash(f"sort -u {values['file']} > {values['target']} && wc -l < {values['target']}"),
            say("Sorted."),
        ]

    def after(self, before: State, values: Values) -> State:
        return before | {
            values["target"][2:]: "\n".join(sorted(set(before[values["file"][2:]].split("\n"))))
        }


class CountWords(Task):
    name, kind = "count-words", "text"
    taught_in = "zh"
    asks_zh = (
        "{file} 有多少个词？",
        "(统计|数)一下 {file} 的单词数",
        "{file} 里一共有多少个单词？",
        "(请|)告诉我 {file} 的词数",
    )
    asks = (
        "how many words are in {file}?",
        "count the words (in|of) {file}",
        "what is the word count of {file}?",
        "tell me how many words {file} has",
    )

    def draw(self, draw: Draw) -> Values:
        return {"file": draw.file(".md")}

    def prepare(self, world: World, values: Values) -> None:
        world.write(values["file"], prose(world, lines=world.rng.randint(10, 200)))

    def teach(self, world: World, values: Values) -> list[Reply]:
        path = str(world.path(values["file"]))
        return [python(f"print(len(open({path!r}, encoding='utf-8').read().split()))"), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        return says_number(answer, len(before[values["file"][2:]].split()), values)


TEXTS = (
    ReplaceWord(),
    CountWord(),
    ExtractLines(),
    MergeTexts(),
    LastLines(),
    SortUnique(),
    CountWords(),
)
