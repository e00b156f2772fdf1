"""What the bench's model says when it is asked to put a draft into words: how people ask for a task, English, Chinese.

Written beside the tasks and not from their requests: no line of `asks` or `asks_zh` stands here. {names} are the task's
own; `proposed` gives them the names that the draft has for them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bench.rote_tasks.base import Task

PARAPHRASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "tidy-by-ending": (
        ("transfer every {ending} file of {folder} to {target}", "move the {ending} documents out of {folder} into {target}", "relocate all files ending in {ending} from {folder} to {target}", "put all {ending} files that are in {folder} into {target}", "get the {ending} files from {folder} over to {target}"),
        ("把 {folder} 下的 {ending} 文件都挪到 {target}", "将 {folder} 里的 {ending} 文件转移到 {target}", "把 {folder} 中所有 {ending} 文件放到 {target} 里", "{folder} 里的 {ending} 文件全部移动到 {target}"),
    ),
    "change-ending": (
        ("change the extension of the .{old} files in {folder} to .{new}", "turn every .{old} file in {folder} into a .{new} file by renaming it", "replace the ending .{old} by .{new} for all files in {folder}", "rename .{old} to .{new} for the files in {folder}", "in {folder}, give all .{old} files the extension .{new}"),
        ("把 {folder} 里的 .{old} 文件都改成 .{new} 后缀", "将 {folder} 中所有 .{old} 文件的扩展名改为 .{new}", "把 {folder} 下 .{old} 文件重命名成 .{new} 文件", "{folder} 里的 .{old} 文件改名为 .{new}"),
    ),
    "put-prefix": (
        ("add {prefix} to the beginning of all file names in {folder}", "prepend {prefix} to every file name in {folder}", "give all files in {folder} the prefix {prefix}", "let the names of the files in {folder} start with {prefix}", "rename each file in {folder} to begin with {prefix}"),
        ("给 {folder} 中的所有文件加上前缀 {prefix}", "把 {folder} 里的文件名都加上 {prefix} 前缀", "让 {folder} 里的每个文件都以 {prefix} 开头", "在 {folder} 的所有文件名前加 {prefix}"),
    ),
    "duplicates": (
        ("find files that are identical in {folder}", "find duplicates in {folder}", "list identical files in {folder}", "are any files in {folder} there twice", "show duplicate files of {folder}"),
        ("{folder} 里哪些文件是重复的", "列出 {folder} 里内容相同的文件", "找一下 {folder} 里的重复文件", "看看 {folder} 中有没有重复文件"),
    ),
    "pack-folder": (
        ("compress the folder {folder} to {target}", "create the archive {target} from {folder}", "archive {folder} into {target}", "put {folder} in the archive {target}", "tar {folder} into {target}"),
        ("把 {folder} 压缩到 {target}", "将文件夹 {folder} 打包为 {target}", "用 {folder} 创建压缩包 {target}", "打包 {folder} 到 {target}"),
    ),
    "unpack-archive": (
        ("extract {archive} into {folder}", "unzip the archive {archive} to {folder}", "decompress {archive} to the folder {folder}", "open the archive {archive} and put what is inside into {folder}", "uncompress {archive} into {folder}"),
        ("将 {archive} 解压缩到 {folder}", "解压 {archive} 到 {folder}", "把压缩包 {archive} 解开到 {folder}", "把 {archive} 里的内容解压到 {folder} 里"),
    ),
    "old-logs": (
        ("delete all .{ending} files older than {days} days from {folder}", "trash the .{ending} files in {folder} older than {days} days", "remove .{ending} files in {folder} that are more than {days} days old", "throw .{ending} files in {folder} away that were not changed for {days} days", "clean {folder} of .{ending} files older than {days} days"),
        ("把 {folder} 中早于 {days} 天的 .{ending} 文件扔进回收站", "删掉 {folder} 里超过 {days} 天的 .{ending} 文件", "清理 {folder} 里 {days} 天前的 .{ending} 文件", "将 {folder} 下 {days} 天没有改动的 .{ending} 文件移到废纸篓"),
    ),
    "empty-folders": (
        ("erase empty directories in {folder}", "delete folders without content below {folder}", "clear out the empty subfolders of {folder}", "remove every empty directory from {folder}", "tidy {folder} by deleting its empty folders"),
        ("删掉 {folder} 下的空目录", "清除 {folder} 中所有空文件夹", "把 {folder} 里没有内容的文件夹删除", "清理 {folder} 的空文件夹"),
    ),
    "dated-copy": (
        ("copy {file} to {folder} and put today's date in the name", "make a dated copy of {file} in {folder}", "save a backup of {file} with today's date to {folder}", "create a backup of {file} in {folder} named with today's date", "backup {file} into {folder} with the current date"),
        ("把 {file} 复制到 {folder}，名字里加上今天的日期", "在 {folder} 里做一个 {file} 的备份，文件名加上今天日期", "将 {file} 备份到 {folder} 并带上今天的日期", "给 {file} 做带日期的备份，存到 {folder}"),
    ),
    "replace-word": (
        ("change {old} to {new} in {file}", "substitute {old} with {new} in {file}", "swap {old} for {new} in the file {file}", "in {file} every {old} becomes {new}", "find {old} in {file} and replace it with {new}"),
        ("将 {file} 中的 {old} 替换为 {new}", "把 {file} 里所有 {old} 换成 {new}", "在 {file} 里把 {old} 改成 {new}", "{file} 中的 {old} 全部改为 {new}"),
    ),
    "count-word": (
        ("count how often {word} appears in {file}", "how many times does {word} appear in {file}", "number of occurrences of {word} in {file}", "what is the number of times {word} occurs in {file}", "how frequently does {file} mention {word}"),
        ("{word} 在 {file} 里出现几次", "数一数 {file} 中有多少个 {word}", "统计 {file} 里 {word} 的出现次数", "{file} 中 {word} 出现了几次"),
    ),
    "extract-lines": (
        ("save the lines with {text} in {file} to {target}", "copy every line containing {text} from {file} into {target}", "extract lines that contain {text} out of {file} to {target}", "find all lines of {file} with {text} and store them in {target}", "filter {file} for lines containing {text} and write them to {target}"),
        ("将 {file} 中含有 {text} 的行提取到 {target}", "把 {file} 里带有 {text} 的行存到 {target}", "找出 {file} 中包含 {text} 的所有行，写入 {target}", "从 {file} 里把包含 {text} 的行复制到 {target}"),
    ),
    "merge-texts": (
        ("combine all .txt files in {folder} into {target}", "join the .txt files from {folder} into one file {target}", "concatenate all .txt files of {folder} into {target}", "put the .txt files in {folder} together into {target}", "create {target} from all .txt files in {folder}"),
        ("把 {folder} 里的 .txt 文件合并到 {target}", "将 {folder} 下所有 .txt 文件拼成一个文件 {target}", "合并 {folder} 中的 .txt 文件为 {target}", "把 {folder} 中的 .txt 文件连接起来存为 {target}"),
    ),
    "last-lines": (
        ("display the last {count} lines in {file}", "print the final {count} lines of {file}", "what do the last {count} lines of {file} say", "give me the {count} last lines from {file}", "read the last {count} lines of {file}"),
        ("看一下 {file} 的最后 {count} 行", "显示 {file} 末尾 {count} 行", "给我 {file} 的最后 {count} 行", "{file} 最后 {count} 行是什么"),
    ),
    "sort-unique": (
        ("sort the lines in {file}, drop the duplicates, and write that to {target}", "sort {file} without duplicate lines into {target}", "deduplicate and sort {file} into {target}", "write a sorted version of {file} with each line once to {target}", "put the sorted unique lines of {file} in {target}"),
        ("将 {file} 排序并去掉重复行，保存到 {target}", "把 {file} 的行去重排序，写入 {target}", "对 {file} 排序去重，存为 {target}", "把 {file} 按行排序、删除重复行后存到 {target}"),
    ),
    "count-words": (
        ("how many words does {file} have", "what is the number of words in {file}", "count all words in {file}", "give me the word count for {file}", "how long is {file} in words"),
        ("{file} 里有几个词", "统计 {file} 有多少单词", "{file} 的字词数是多少", "数一数 {file} 中的词"),
    ),
    "filter-rows": (
        ("extract the rows with {value} in the column {column} from {file} into {target}", "keep only the rows of {file} where {column} is {value} and save them to {target}", "find rows in {file} whose {column} is {value} and write them to {target}", "select all rows from {file} with {column} equal to {value} into {target}", "copy the rows of {file} that have {value} as {column} to {target}"),
        ("从 {file} 里选出 {column} 是 {value} 的行，存到 {target}", "将 {file} 中 {column} 为 {value} 的行写到 {target}", "把 {file} 按 {column} 等于 {value} 过滤，保存为 {target}", "提取 {file} 里 {column} 等于 {value} 的所有行到 {target}"),
    ),
    "sum-by": (
        ("total {amount} per {column} in {file}", "what is the sum of {amount} for every {column} in {file}", "group {file} by {column} and sum {amount}", "compute the total {amount} for each {column} of {file}", "show how much {amount} each {column} has in {file}"),
        ("把 {file} 里的 {amount} 按 {column} 求和", "{file} 中每个 {column} 的 {amount} 合计是多少", "计算 {file} 里各 {column} 的 {amount} 总和", "按 {column} 统计 {file} 的 {amount}"),
    ),
    "join-tables": (
        ("merge {left} with {right} on the column {column} into {target}", "combine {left} and {right} by {column} and write the result to {target}", "link the tables {left} and {right} by {column} in {target}", "put {left} and {right} together on {column} as {target}", "join {left} with {right} using {column}, save to {target}"),
        ("把 {left} 和 {right} 按 {column} 合并到 {target}", "以 {column} 为键连接 {left} 和 {right}，写入 {target}", "根据 {column} 关联 {left} 与 {right}，存到 {target}", "将 {left} 跟 {right} 用 {column} 合并成 {target}"),
    ),
    "csv-to-json": (
        ("turn {file} into {target}", "export {file} to {target}", "change the CSV {file} to the JSON {target}", "save {file} as {target}", "transform the table {file} into JSON at {target}"),
        ("将 {file} 转为 {target}", "把 {file} 导出成 {target}", "把表格 {file} 变成 JSON 文件 {target}", "{file} 转换为 {target}"),
    ),
    "sort-table": (
        ("sort the table {file} by {column} in descending order into {target}", "order {file} by {column} from highest to lowest and write it to {target}", "write {file} ordered by {column}, largest first, to {target}", "save {file} sorted descending by {column} as {target}", "rank the rows of {file} by {column}, biggest first, in {target}"),
        ("将 {file} 按 {column} 降序排序，写入 {target}", "把 {file} 按照 {column} 由大到小排列，存到 {target}", "对 {file} 按 {column} 从高到低排序，保存为 {target}", "{file} 按 {column} 降序排列后存到 {target}"),
    ),
    "top-rows": (
        ("which {count} have the highest {column} in {file}", "name the top {count} in {file} by {column}", "list the {count} people with the most {column} in {file}", "find the {count} best by {column} in {file}", "show the {count} highest {column} in {file} by name"),
        ("{file} 中 {column} 前 {count} 名是谁", "找出 {file} 里 {column} 最多的 {count} 个人", "{file} 按 {column} 排前 {count} 的是哪些人", "看看 {file} 中 {column} 最高的 {count} 个名字"),
    ),
    "json-field": (
        ("give me all {field} values in {file}", "what are the {field} of the entries in {file}", "print the {field} of each entry in {file}", "extract every {field} from {file}", "read all {field} from {file}"),
        ("给出 {file} 中每个条目的 {field}", "{file} 里都有哪些 {field}", "打印 {file} 里所有的 {field}", "读取 {file} 里每条记录的 {field}"),
    ),
    "git-tag": (
        ("create a tag {tag} in the repository {repo}", "give {repo} the tag {tag}", "add the tag {tag} to the repo {repo}", "label the current state of {repo} as {tag}", "tag the latest commit in {repo} as {tag}"),
        ("在仓库 {repo} 打一个标签 {tag}", "给 {repo} 加上标签 {tag}", "把 {repo} 标记为 {tag}", "为 {repo} 创建 {tag} 标签"),
    ),
    "git-merged-branches": (
        ("remove branches of {repo} that were merged", "delete merged branches in {repo}", "drop all branches in the repository {repo} that are already merged", "tidy up the branches of {repo} that are merged", "clear merged branches from {repo}"),
        ("把 {repo} 里合并过的分支删掉", "删掉 {repo} 中已经合并的分支", "清除 {repo} 的已合并分支", "移除仓库 {repo} 中合并完的分支"),
    ),
    "git-commits-since": (
        ("number of commits in {repo} since {day}", "how many commits are there in {repo} from {day} on", "how often was something committed to {repo} since {day}", "count commits made in {repo} after {day}", "what is the commit count of {repo} since {day}"),
        ("{repo} 自 {day} 以来有几次提交", "数一下 {repo} 从 {day} 开始的提交次数", "从 {day} 起 {repo} 一共有多少个提交", "{day} 之后 {repo} 提交了多少次"),
    ),
    "git-changed-files": (
        ("what files were modified in the last {count} commits in {repo}", "show the files that the last {count} commits of {repo} changed", "files changed by the last {count} commits in {repo}", "which files did the latest {count} commits of {repo} modify", "tell me the files touched in the last {count} commits of {repo}"),
        ("{repo} 最后 {count} 次提交修改了哪些文件", "查看 {repo} 最近 {count} 次提交中变更的文件", "最近 {count} 个提交在 {repo} 里改动了什么文件", "显示 {repo} 近 {count} 次提交改过的文件"),
    ),
    "fetch-and-save": (
        ("get {url} and write it to {file}", "save {url} as {file}", "fetch the page {url} into {file}", "store the content of {url} in {file}", "download the file at {url} and save it to {file}"),
        ("把 {url} 下载到 {file}", "下载 {url} 保存为 {file}", "抓取 {url} 并存到 {file}", "从 {url} 下载内容，写入 {file}"),
    ),
    "post-contact": (
        ("enter a contact named {name} with e-mail {email} at the order desk", "create the order desk contact {name} with the address {email}", "register {name}, {email}, as a contact at the order desk", "new contact for the order desk: {name}, e-mail {email}", "add {name} with {email} to the order desk's contacts"),
        ("把联系人 {name}（{email}）加到订单台", "在订单台新增联系人 {name}，电子邮箱 {email}", "订单台添加一位联系人 {name}，邮箱为 {email}", "为订单台创建联系人 {name}，邮件地址 {email}"),
    ),
    "wait-for-job": (
        ("wait for the order desk job {job} to finish and show its result", "once job {job} at the order desk is done, give me its result", "wait until the order desk has finished job {job} and report the result", "what comes out of job {job} at the order desk when it is done", "let me know the result when the order desk's job {job} is finished"),
        ("等到订单台的任务 {job} 完成，把结果给我", "订单台的 {job} 任务结束后告诉我它的结果", "等待订单台任务 {job} 完成并显示结果", "任务 {job} 在订单台做完后的结果是什么"),
    ),
    "desk-customer": (
        ("find {name}'s e-mail at the order desk", "what e-mail does the order desk customer {name} have", "look up customer {name} at the order desk and tell me the e-mail address", "get the e-mail address of {name} from the order desk", "show the order desk customer {name}'s e-mail address"),
        ("查询订单台中客户 {name} 的电子邮箱", "订单台里 {name} 的邮箱地址是多少", "告诉我订单台客户 {name} 的邮箱", "在订单台找客户 {name} 的邮箱"),
    ),
    "desk-note": (
        ("write order {order} from the order desk to {file}", "download the order {order} of the order desk into {file}", "save what the order desk says about order {order} in {file}", "get order {order} from the order desk and store it in {file}", "keep a copy of the order desk's order {order} in {file}"),
        ("把订单台订单 {order} 存到 {file}", "将订单台的订单 {order} 导出到 {file}", "把订单台中订单 {order} 的信息写到 {file}", "保存订单台订单 {order} 为 {file}"),
    ),
    "biggest-folder": (
        ("which subfolder of {folder} uses the most space", "show the largest folder in {folder}", "find the biggest subfolder in {folder}", "which folder below {folder} is largest", "what takes the most space of the folders in {folder}"),
        ("{folder} 里最占空间的文件夹是哪个", "{folder} 下哪个子文件夹最大", "找到 {folder} 里最大的文件夹", "查一下 {folder} 中占用空间最多的目录"),
    ),
    "log-levels": (
        ("count lines per level in {file}", "how many lines does each level have in {file}", "number of log lines for each level in {file}", "group the lines of {file} by level and count them", "show the line count of every log level in {file}"),
        ("{file} 里各级别的日志有多少行", "按级别统计 {file} 的行数", "数一下 {file} 中每种级别的行", "{file} 每个日志级别有几行"),
    ),
    "error-report": (
        ("create an error report of {file} in {target}", "write the errors from {file} as a report to {target}", "make a report on the errors in {file} and save it to {target}", "summarise the errors of {file} in the report {target}", "generate a report of errors in {file} at {target}"),
        ("把 {file} 里的错误整理成报告，写入 {target}", "根据 {file} 生成错误报告 {target}", "给 {file} 的错误做一份报告，存到 {target}", "将 {file} 的错误写成报告保存到 {target}"),
    ),
    "folder-endings": (
        ("how many files of every type does {folder} have", "count files per type in {folder}", "number of files by type in {folder}", "which file types are in {folder} and how many of each", "group the files in {folder} by extension and count them"),
        ("统计 {folder} 里各种类型文件的数量", "{folder} 中每种后缀的文件有几个", "按类型数一下 {folder} 里的文件", "{folder} 里各类文件分别有多少"),
    ),
}  # fmt: skip


def proposed(task: Task, draft: dict[str, Any]) -> str:
    """The reply to the prompt author_sop: the paraphrases with the draft's slots, which stand in its first wording in the
    order in which the task's own first sentence has its values."""
    own = (task.asks if task.taught_in == "en" else task.asks_zh)[0]
    taught = draft["wordings"][0] if draft["wordings"] else ""
    names, slots = re.findall(r"\{\w+\}", own), re.findall(r"\{[\w:]+\}", taught)
    several = PARAPHRASES.get(task.name, ((), ())) if len(names) == len(slots) else ((), ())

    def named(text: str) -> str:
        for name, slot in zip(names, slots, strict=True):
            text = text.replace(
                f".{name}" if f".{slot}" not in taught and f".{name}" in own else name, slot
            )
        return text

    return json.dumps({
        "description": "", "description_zh": "", "pitfalls": [],
        "wordings": [named(text) for text in several[0]], "wordings_zh": [named(text) for text in several[1]],
    }, ensure_ascii=False)  # fmt: skip
