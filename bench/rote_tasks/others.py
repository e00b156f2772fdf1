"""Requests that no task covers, and near misses of the tasks: none of them may be done by rote."""

from __future__ import annotations

UNCOVERED: tuple[str, ...] = (
    "play some jazz",
    "what will the weather be like tomorrow?",
    "write a haiku about autumn",
    "translate ~/notes.txt into French",
    "send the minutes of the meeting to the whole team",
    "book a table for four at seven",
    "make the screen brighter",
    "install the newest version of the printer driver",
    "remind me to call the dentist on Monday",
    "why is my computer so slow?",
    "summarise the book in ~/Documents/story.epub",
    "push the main branch of ~/website to the server",
    "resize all pictures in ~/Pictures to 800 pixels",
    "what is 17 times 23?",
    "把这封信翻译成英文",
    "明天早上七点叫我起床",
    "给老板写一封请假邮件",
    "把屏幕截图发给小王",
    "上海到北京的火车几点开？",
    "帮我想一个项目名字",
)

NEAR: dict[str, tuple[str, ...]] = {
    "tidy-by-ending": (
        "copy all {ending} files from {folder} to {target}",
        "move all {ending} files from {folder} to {target} except the newest one",
    ),
    "change-ending": ("rename all .{old} files in {folder} to .{new} and compress them",),
    "duplicates": (
        "delete the duplicate files in {folder}",
        "which files in {folder} are not duplicates?",
    ),
    "pack-folder": (
        "add {folder} to the archive {target}",
        "pack {folder} into {target} and delete the folder",
    ),
    "old-logs": (
        "move the .{ending} files in {folder} that are older than {days} hours to the trash",
        "don't move the .{ending} files in {folder} that are older than {days} days to the trash",
        "move the .{ending} files in {folder} that are newer than {days} days to the trash",
    ),
    "empty-folders": ("remove the empty files in {folder}", "list the empty folders in {folder}"),
    "dated-copy": ("restore {file} from the backup in {folder}",),
    "replace-word": ('replace "{old}" with "{new}" in {file}, but only in the first line',),
    "count-word": (
        'how often does "{word}" not occur in {file}?',
        'in which line does "{word}" occur in {file}?',
    ),
    "extract-lines": (
        'write the lines of {file} that do not contain "{text}" to {target}',
        'append the lines of {file} that contain "{text}" to {target}',
    ),
    "merge-texts": ("merge all .txt files in {folder} into {target}, newest first",),
    "last-lines": (
        "show the first {count} lines of {file}",
        "delete the last {count} lines of {file}",
    ),
    "sort-unique": ("sort {file} and remove the duplicate lines, into {target}, in reverse order",),
    "count-words": ("{file} 有多少个段落？", "how many different words are in {file}?"),
    "filter-rows": ('write the rows of {file} where {column} is not "{value}" to {target}',),
    "sum-by": (
        "what is the average {amount} per {column} in {file}?",
        "add up {amount} by {column} in {file}, only above 100",
    ),
    "sort-table": ("sort {file} by {column}, smallest first, into {target}",),
    "top-rows": ("who are the bottom {count} by {column} in {file}?",),
    "json-field": ("count the {field} of all entries in {file}",),
    "git-tag": (
        "delete the tag {tag} in the repository {repo}",
        "tag the repository {repo} as {tag} and push it",
    ),
    "git-merged-branches": ("delete the branches of {repo} that are not merged into main",),
    "git-commits-since": ("how many commits were made in {repo} before {day}?",),
    "fetch-and-save": ("upload {file} to {url}",),
    "desk-order": (
        'order {quantity} boxes of "{product}" for the customer "{name}" at the order desk, if it costs less than 50',
        'return {quantity} of "{product}" for the customer "{name}" at the order desk',
    ),
    "desk-stock": ('add 5 to the stock of "{product}" at the order desk',),
    "desk-cancel": (
        "don't cancel the order {order} at the order desk",
        "reopen the order {order} at the order desk",
    ),
    "biggest-folder": ("which folder in {folder} takes up the least space?",),
    "log-levels": ("how many lines of each level were in {file} last week?",),
}
