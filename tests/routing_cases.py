"""Twelve procedures as owners teach them, requests for them in other words with other values, and near misses.

`sops(folder)` writes them; `ASKED` pairs a request with what it means; `NEAR` are requests that none of them covers.
Paths in the expectations: /w is the working folder, /o the owner's home folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory.sops.store import Sop, SopStore

SOPS: dict[
    str, tuple[str, str, str, list[str]]
] = {  # name → description, effects, properties, wordings
    "cancel-order": (
        "Cancels an order at the order desk.",
        "external",
        "order: {type: integer, minimum: 1}",
        ["cancel order {order}", "取消订单 {order}"],
    ),
    "order-status": (
        "Shows the status of an order at the order desk.",
        "none",
        "order: {type: integer, minimum: 1}",
        [
            "what is the status of order {order}",
            "show the status of order {order}",
            "查看订单 {order} 的状态",
        ],
    ),
    "filter-csv": (
        "Writes the rows of a CSV file whose column has a value to the screen.",
        "none",
        "file: {type: string, format: path}, column: {type: string}, value: {type: string}",
        [
            "show rows of {file} where {column} is {value}",
            "filter {file} for rows where {column} is {value}",
            "筛选 {file} 中 {column} 为 {value} 的行",
        ],
    ),
    "count-rows": (
        "Counts the rows of a CSV file.",
        "none",
        "file: {type: string, format: path}",
        ["count the rows in {file}", "how many rows are in {file}", "统计 {file} 有多少行"],
    ),
    "git-tag": (
        "Tags the current commit of a repository with a version.",
        "local",
        "version: {type: string}, folder: {type: string, format: path}",
        [
            "create tag {version} in {folder}",
            "create tag {version} in the repository {folder}",
            "在 {folder} 创建标签 {version}",
        ],
    ),
    "backup-folder": (
        "Copies a folder into a dated archive in another folder.",
        "local",
        "source: {type: string, format: path}, target: {type: string, format: path}",
        ["back up {source} to {target}", "把 {source} 备份到 {target}"],
    ),
    "rename-file": (
        "Gives a file another name.",
        "local",
        "source: {type: string, format: path}, target: {type: string, format: path}",
        [
            "rename {source} to {target}",
            "rename file {source} to {target}",
            "把 {source} 重命名为 {target}",
        ],
    ),
    "csv-to-json": (
        "Converts a CSV file to JSON beside it.",
        "local",
        "file: {type: string, format: path}",
        ["convert {file} to json", "convert csv file {file} to json", "把 {file} 转换成 json"],
    ),
    "delete-old-logs": (
        "Moves log files older than some days to the trash.",
        "destructive",
        "days: {type: integer, minimum: 1}, folder: {type: string, format: path}",
        [
            "delete log files older than {days} days in {folder}",
            "删除 {folder} 里超过 {days} 天的日志文件",
        ],
    ),
    "resize-image": (
        "Makes an image so many pixels wide.",
        "local",
        "image: {type: string, format: path}, width: {type: integer, minimum: 1}",
        [
            "resize {image} to {width} pixels wide",
            "resize {image} to a width of {width} pixels",
            "把 {image} 缩放到 {width} 像素宽",
        ],
    ),
    "large-files": (
        "Lists the files above a size.",
        "none",
        "size: {type: integer, minimum: 1}, folder: {type: string, format: path}",
        ["list files larger than {size} MB in {folder}", "列出 {folder} 里大于 {size} MB 的文件"],
    ),
    "export-orders": (
        "Exports the orders since a day into a file.",
        "local",
        "since: {type: string, format: date}, file: {type: string, format: path}",
        ["export orders since {since} to {file}", "把 {since} 以来的订单导出到 {file}"],
    ),
}

ASKED: list[tuple[str, str, dict[str, Any]]] = [
    # the order desk
    ("please cancel the order 4711", "cancel-order", {"order": 4711}),
    ("could you cancel order number 812?", "cancel-order", {"order": 812}),
    ("Cancel order #77", "cancel-order", {"order": 77}),
    ("I'd like to cancel my order 1203", "cancel-order", {"order": 1203}),
    ("call off order 55", "cancel-order", {"order": 55}),
    ("order 99 should be cancelled", "cancel-order", {"order": 99}),
    ("请取消 4711 号订单", "cancel-order", {"order": 4711}),
    ("把订单 812 取消掉", "cancel-order", {"order": 812}),
    ("订单 77 取消", "cancel-order", {"order": 77}),
    ("麻烦取消一下订单 1203", "cancel-order", {"order": 1203}),
    ("show me the status of order 4711", "order-status", {"order": 4711}),
    ("what's the state of order 812?", "order-status", {"order": 812}),
    ("tell me the status of the order 77", "order-status", {"order": 77}),
    ("status of order 1203", "order-status", {"order": 1203}),
    ("order 55: what is its status?", "order-status", {"order": 55}),
    ("how is order 99 doing", "order-status", {"order": 99}),
    ("看一下订单 4711 的状态", "order-status", {"order": 4711}),
    ("订单 812 的状态是什么", "order-status", {"order": 812}),
    ("显示订单 77 的状态", "order-status", {"order": 77}),
    ("订单 1203 到哪了", "order-status", {"order": 1203}),
    # filter, count
    ('list the rows of sales.csv where "region" is "north"', "filter-csv", {"file": "/w/sales.csv", "column": "region", "value": "north"}),
    ("show all rows of data/stock.csv where colour is red", "filter-csv", {"file": "/w/data/stock.csv", "column": "colour", "value": "red"}),
    ("filter ~/sales.csv for records where country is Norway", "filter-csv", {"file": "/o/sales.csv", "column": "country", "value": "Norway"}),
    ("display the rows in ~/sales.csv where country is Norway", "filter-csv", {"file": "/o/sales.csv", "column": "country", "value": "Norway"}),
    ("which rows of sales.csv have region north", "filter-csv", {"file": "/w/sales.csv", "column": "region", "value": "north"}),
    ("give me the rows of ./b.csv where kind is tea", "filter-csv", {"file": "/w/b.csv", "column": "kind", "value": "tea"}),
    ("显示 sales.csv 中“地区”为“北方”的行", "filter-csv", {"file": "/w/sales.csv", "column": "地区", "value": "北方"}),
    ("看看 ~/sales.csv 里“国家”为“挪威”的记录", "filter-csv", {"file": "/o/sales.csv", "column": "国家", "value": "挪威"}),
    ("从 b.csv 里筛选出“种类”是“茶”的行", "filter-csv", {"file": "/w/b.csv", "column": "种类", "value": "茶"}),
    ("how many rows does sales.csv have?", "count-rows", {"file": "/w/sales.csv"}),
    ("how many rows are there in ~/sales.csv", "count-rows", {"file": "/o/sales.csv"}),
    ("count all rows of /data/big.csv", "count-rows", {"file": "/data/big.csv"}),
    ("count the records in the file b.csv", "count-rows", {"file": "/w/b.csv"}),
    ("what is the number of rows in sales.csv", "count-rows", {"file": "/w/sales.csv"}),
    ("please count every row in ./x/y.csv", "count-rows", {"file": "/w/x/y.csv"}),
    ("tell me how many rows are in 'my sales.csv'", "count-rows", {"file": "/w/my sales.csv"}),
    ("sales.csv 有多少行", "count-rows", {"file": "/w/sales.csv"}),
    ("数一下 ~/sales.csv 里有几行", "count-rows", {"file": "/o/sales.csv"}),
    ("请统计文件 b.csv 有多少行", "count-rows", {"file": "/w/b.csv"}),
    ("/data/big.csv 里一共多少行？", "count-rows", {"file": "/data/big.csv"}),
    # git tag
    ("make a tag v1.2.0 in ~/code/app", "git-tag", {"version": "v1.2.0", "folder": "/o/code/app"}),
    ("create the tag v2.0 in /srv/app", "git-tag", {"version": "v2.0", "folder": "/srv/app"}),
    ("create a tag named 3.1.4 in ~/code/app", "git-tag", {"version": "3.1.4", "folder": "/o/code/app"}),
    ("in ~/code/app create tag v1.2.1", "git-tag", {"version": "v1.2.1", "folder": "/o/code/app"}),
    ("tag ~/code/app with v1.2.0", "git-tag", {"version": "v1.2.0", "folder": "/o/code/app"}),
    ("put tag v9 on the repo /srv/app", "git-tag", {"version": "v9", "folder": "/srv/app"}),
    ("generate label v1.2.0 in repo ~/code/app", "git-tag", {"version": "v1.2.0", "folder": "/o/code/app"}),
    ("create tag 'beta two' in /srv/app", "git-tag", {"version": "beta two", "folder": "/srv/app"}),
    ("给 ~/code/app 打标签 v1.2.0", "git-tag", {"version": "v1.2.0", "folder": "/o/code/app"}),
    ("在 /srv/app 里新建标签 v2.0", "git-tag", {"version": "v2.0", "folder": "/srv/app"}),
    ("在仓库 /srv/app 中创建一个标签 v2.1", "git-tag", {"version": "v2.1", "folder": "/srv/app"}),
    # backup, rename
    ("make a backup of ~/notes to /mnt/usb", "backup-folder", {"source": "/o/notes", "target": "/mnt/usb"}),
    ("backup ~/photos into /mnt/usb", "backup-folder", {"source": "/o/photos", "target": "/mnt/usb"}),
    ("please back up my documents to /mnt/usb", "backup-folder", {"source": "/o/Documents", "target": "/mnt/usb"}),
    ("back up the folder ~/notes to the folder /mnt/usb", "backup-folder", {"source": "/o/notes", "target": "/mnt/usb"}),
    ("back my notes in ~/notes up to /mnt/usb", "backup-folder", {"source": "/o/notes", "target": "/mnt/usb"}),
    ("save a copy of ~/notes to /mnt/usb", "backup-folder", {"source": "/o/notes", "target": "/mnt/usb"}),
    ("create a backup of ./src in /mnt/usb", "backup-folder", {"source": "/w/src", "target": "/mnt/usb"}),
    ("take a backup of '/data/my files' to /mnt/usb", "backup-folder", {"source": "/data/my files", "target": "/mnt/usb"}),
    ("将 ~/notes 备份到 /mnt/usb", "backup-folder", {"source": "/o/notes", "target": "/mnt/usb"}),
    ("备份 ~/photos 到 /mnt/usb", "backup-folder", {"source": "/o/photos", "target": "/mnt/usb"}),
    ("帮我把文件夹 ~/notes 备份到目录 /mnt/usb 里", "backup-folder", {"source": "/o/notes", "target": "/mnt/usb"}),
    ("请把 ./src 做个备份，放到 /mnt/usb", "backup-folder", {"source": "/w/src", "target": "/mnt/usb"}),
    ("rename a.txt to b.txt", "rename-file", {"source": "/w/a.txt", "target": "/w/b.txt"}),
    ("change the name of a.txt to b.txt", "rename-file", {"source": "/w/a.txt", "target": "/w/b.txt"}),
    ("please rename the file ~/draft.md to ~/final.md", "rename-file", {"source": "/o/draft.md", "target": "/o/final.md"}),
    ("rename './old name.pdf' to './new name.pdf'", "rename-file", {"source": "/w/./old name.pdf", "target": "/w/./new name.pdf"}),
    ("give a.txt the name b.txt", "rename-file", {"source": "/w/a.txt", "target": "/w/b.txt"}),
    ("call a.txt b.txt from now on", "rename-file", {"source": "/w/a.txt", "target": "/w/b.txt"}),
    ("将 a.txt 改名为 b.txt", "rename-file", {"source": "/w/a.txt", "target": "/w/b.txt"}),
    ("把文件 ~/draft.md 重命名成 ~/final.md", "rename-file", {"source": "/o/draft.md", "target": "/o/final.md"}),
    ("a.txt 改名成 b.txt", "rename-file", {"source": "/w/a.txt", "target": "/w/b.txt"}),
    # convert
    ("transform sales.csv to json", "csv-to-json", {"file": "/w/sales.csv"}),
    ("convert the file ~/sales.csv into JSON", "csv-to-json", {"file": "/o/sales.csv"}),
    ("please convert the csv /data/big.csv to json", "csv-to-json", {"file": "/data/big.csv"}),
    ("turn sales.csv into json", "csv-to-json", {"file": "/w/sales.csv"}),
    ("make json out of b.csv", "csv-to-json", {"file": "/w/b.csv"}),
    ("can you convert b.csv to JSON for me", "csv-to-json", {"file": "/w/b.csv"}),
    ("I need sales.csv as json", "csv-to-json", {"file": "/w/sales.csv"}),
    ("把 sales.csv 转成 JSON", "csv-to-json", {"file": "/w/sales.csv"}),
    ("将文件 ~/sales.csv 转换为 json", "csv-to-json", {"file": "/o/sales.csv"}),
    ("sales.csv 转 json", "csv-to-json", {"file": "/w/sales.csv"}),
    ("帮我把 /data/big.csv 变成 json", "csv-to-json", {"file": "/data/big.csv"}),
    # logs
    ("remove log files older than 14 days in /var/log/app", "delete-old-logs", {"days": 14, "folder": "/var/log/app"}),
    ("delete the log files in /var/log/app older than 30 days", "delete-old-logs", {"days": 30, "folder": "/var/log/app"}),
    ("get rid of all log files in ~/logs that are older than 7 days", "delete-old-logs", {"days": 7, "folder": "/o/logs"}),
    ("clean out logs older than ninety days in ~/logs", "delete-old-logs", {"days": 90, "folder": "/o/logs"}),
    ("throw away log files older than 60 days under ./logs", "delete-old-logs", {"days": 60, "folder": "/w/logs"}),
    ("erase every log file older than 5 days inside /var/log/app", "delete-old-logs", {"days": 5, "folder": "/var/log/app"}),
    ("logs in ~/logs that are more than 10 days old can go", "delete-old-logs", {"days": 10, "folder": "/o/logs"}),
    ("in ~/logs, remove log files older than 21 days", "delete-old-logs", {"days": 21, "folder": "/o/logs"}),
    ("把 /var/log/app 里超过 14 天的日志文件删掉", "delete-old-logs", {"days": 14, "folder": "/var/log/app"}),
    ("清除 ~/logs 中超过三十天的日志文件", "delete-old-logs", {"days": 30, "folder": "/o/logs"}),
    ("请删掉 ./logs 下超过 60 天的所有日志文件", "delete-old-logs", {"days": 60, "folder": "/w/logs"}),
    ("/var/log/app 里 14 天以前的日志都不要了", "delete-old-logs", {"days": 14, "folder": "/var/log/app"}),
    # images
    ("resize the image a.png to 800 pixels wide", "resize-image", {"image": "/w/a.png", "width": 800}),
    ("resize photo ~/cat.jpg to 1024 pixels wide", "resize-image", {"image": "/o/cat.jpg", "width": 1024}),
    ("please resize a.png to a width of 640 px", "resize-image", {"image": "/w/a.png", "width": 640}),
    ("resize picture ./img/x.jpeg to 320 pixels wide", "resize-image", {"image": "/w/img/x.jpeg", "width": 320}),
    ("scale a.png down to 500 pixels", "resize-image", {"image": "/w/a.png", "width": 500}),
    ("make ~/cat.jpg 1024 pixels wide", "resize-image", {"image": "/o/cat.jpg", "width": 1024}),
    ("将图片 a.png 缩放到 800 像素宽", "resize-image", {"image": "/w/a.png", "width": 800}),
    ("把 ~/cat.jpg 缩放至 1024 像素宽", "resize-image", {"image": "/o/cat.jpg", "width": 1024}),
    ("a.png 缩小到 500 像素宽", "resize-image", {"image": "/w/a.png", "width": 500}),
    # large files
    ("show me the files larger than 100 MB in ~/Downloads", "large-files", {"size": 100, "folder": "/o/Downloads"}),
    ("list all files bigger than 50 MB in /data", "large-files", {"size": 50, "folder": "/data"}),
    ("which files in /data are larger than 500 MB?", "large-files", {"size": 500, "folder": "/data"}),
    ("files larger than 20 megabytes under ./build", "large-files", {"size": 20, "folder": "/w/build"}),
    ("find files over 10 MB in my downloads folder", "large-files", {"size": 10, "folder": "/o/Downloads"}),
    ("what files are bigger than 5MB in /tmp", "large-files", {"size": 5, "folder": "/tmp"}),
    ("显示 ~/Downloads 里大于 100 MB 的文件", "large-files", {"size": 100, "folder": "/o/Downloads"}),
    ("/data 中大于50MB的文件有哪些", "large-files", {"size": 50, "folder": "/data"}),
    ("看看下载文件夹里哪些文件大于 10 MB", "large-files", {"size": 10, "folder": "/o/Downloads"}),
    ("找出 /tmp 下超过 5 MB 的文件", "large-files", {"size": 5, "folder": "/tmp"}),
    # export
    ("export all orders since 2026-01-31 to orders.csv", "export-orders", {"since": "2026-01-31", "file": "/w/orders.csv"}),
    ("export the orders since 2026/2/1 into ~/out.csv", "export-orders", {"since": "2026-02-01", "file": "/o/out.csv"}),
    ("please export to ./o.csv the orders since 2026-03-01", "export-orders", {"since": "2026-03-01", "file": "/w/o.csv"}),
    ("write the orders from 2026-01-31 on into orders.csv", "export-orders", {"since": "2026-01-31", "file": "/w/orders.csv"}),
    ("since 2026-01-31, export orders to orders.csv", "export-orders", {"since": "2026-01-31", "file": "/w/orders.csv"}),
    ("将 2026年1月31日以来的订单导出到 orders.csv", "export-orders", {"since": "2026-01-31", "file": "/w/orders.csv"}),
    ("导出 2026-02-01 以来的所有订单到 ~/out.csv", "export-orders", {"since": "2026-02-01", "file": "/o/out.csv"}),
    ("把从 2026-03-01 起的订单存到 ./o.csv", "export-orders", {"since": "2026-03-01", "file": "/w/o.csv"}),
]  # fmt: skip

NEAR = [
    # another verb
    "confirm order 4711", "ship order 4711", "refund order 4711", "restore ~/notes to /mnt/usb", "restore the backup of ~/notes to /mnt/usb",
    "move ~/notes to /mnt/usb", "sync ~/notes to /mnt/usb", "compare a.txt to b.txt", "delete tag v1.2.0 in ~/code/app",
    "push tag v1.2.0 in ~/code/app", "list log files older than 14 days in /var/log/app", "archive log files older than 14 days in /var/log/app",
    "compress log files older than 14 days in /var/log/app", "delete files larger than 100 MB in ~/Downloads", "import orders since 2026-01-31 to orders.csv",
    "rotate a.png to 90 degrees", "crop a.png to 800 pixels wide", "delete the rows of sales.csv where region is north", "sort the rows in sales.csv",
    # another object
    "cancel invoice 4711", "cancel subscription 4711", "what is the status of invoice 4711", "count the columns in sales.csv", "count the words in notes.txt",
    "count the duplicate rows in sales.csv", "create branch v1.2.0 in ~/code/app", "delete files older than 14 days in /var/log/app",
    "delete log folders older than 14 days in /var/log/app", "list folders larger than 100 MB in ~/Downloads", "export customers since 2026-01-31 to c.csv",
    "convert sales.csv to yaml", "convert sales.json to csv", "what is the price of order 4711", "resize a.png to 800 pixels high",
    # an extra condition, an extra step, two at once
    "cancel order 4711 and 4712", "cancel order 4711 tomorrow", "cancel order 4711 if it has not shipped", "cancel order 4711 and refund it",
    "back up ~/notes to /mnt/usb every night", "back up ~/notes to /mnt/usb and delete ~/notes", "back up ~/notes and ~/photos to /mnt/usb",
    "rename a.txt to b.txt and c.txt to d.txt", "delete log files older than 14 days and larger than 5 MB in /var/log/app",
    "delete log files older than 14 days in /var/log/app except error.log", "delete empty log files older than 14 days in /var/log/app",
    "list files larger than 100 MB in ~/Downloads by owner", "list pdf files larger than 100 MB in ~/Downloads", "count the rows in sales.csv where region is north",
    "count the unique rows in sales.csv", "convert sales.csv to json lines", "show the rows of sales.csv where region is not north",
    "export open orders since 2026-01-31 to orders.csv", "export orders since 2026-01-31 to orders.csv for customer 7", "show the first 5 rows of sales.csv where region is north",
    "show the order history of order 4711",
    # negation
    "do not cancel order 4711", "don't delete log files older than 14 days in /var/log/app", "never rename a.txt to b.txt", "don't back up ~/notes to /mnt/usb",
    "delete log files not older than 14 days in /var/log/app",
    # another unit, another comparison, the other way round
    "delete log files older than 14 weeks in /var/log/app", "delete log files older than 14 hours in /var/log/app", "delete log files newer than 14 days in /var/log/app",
    "list files larger than 100 GB in ~/Downloads", "list files larger than 100 KB in ~/Downloads", "list files smaller than 100 MB in ~/Downloads",
    "list files larger than 100 in ~/Downloads", "resize a.png to 50 percent wide", "resize a.png to 10 cm wide", "export orders before 2026-01-31 to orders.csv",
    "export orders since 2026-01-31 from orders.csv", "back up to ~/notes from /mnt/usb", "did you cancel order 4711?", "how do I cancel order 4711",
    "should I cancel order 4711", "why was order 4711 cancelled", "undo the cancelling of order 4711", "who cancelled order 4711",
    # Chinese
    "确认订单 4711", "不要取消订单 4711", "取消发票 4711", "取消订单 4711 和 4712", "明天取消订单 4711", "为什么取消订单 4711", "取消订单 4711 了吗",
    "把 ~/notes 恢复到 /mnt/usb", "把 ~/notes 移动到 /mnt/usb", "每天把 ~/notes 备份到 /mnt/usb", "把 ~/notes 备份到 /mnt/usb 然后删除", "从 ~/notes 备份到",
    "删除 ~/logs 里超过 14 周的日志文件", "删除 ~/logs 里超过 14 个月的日志文件", "删除 ~/logs 里不超过 14 天的日志文件", "列出 ~/logs 里超过 14 天的日志文件",
    "删除 ~/logs 里超过 14 天的文件", "删除 ~/logs 里小于 14 MB 的日志文件", "列出 ~/Downloads 里小于 100 MB 的文件", "列出 ~/Downloads 里大于 100 GB 的文件",
    "列出 ~/Downloads 里大于 100 MB 的文件夹", "统计 sales.csv 有多少列", "统计 sales.csv 有多少重复行", "删除标签 v1.2.0", "在 ~/code/app 删除标签 v1.2.0",
    "在 ~/code/app 创建分支 v1.2.0", "把 sales.csv 转换成 yaml", "把 a.png 缩放到 800 像素高", "把 2026-01-31 以前的订单导出到 orders.csv",
    "把 2026-01-31 以来的订单导入到 orders.csv", "查看订单 4711 的价格", "删除 sales.csv 中“地区”为“北方”的行", "把 a.txt 复制为 b.txt",
]  # fmt: skip


def sops(folder: Path) -> list[Sop]:
    """The twelve, written to a folder and read from it as SOPs that were learned."""
    for name, (description, effects, properties, wordings) in SOPS.items():
        write_sop(folder, name, description, wordings, effects=effects, properties=properties)
    return SopStore(folder / "none", folder).all()


def write_sop(
    folder: Path,
    name: str,
    description: str,
    wordings: list[str],
    *,
    effects: str = "none",
    properties: str = "",
    status: str = "active",
) -> None:
    """One SOP with steps; all its parameters are required."""
    where = folder / name
    where.mkdir(parents=True)
    front = f'---\nname: {name}\ndescription: "{description}"\nmetadata: {{sopwith-status: {status}}}\n---\n\nDo it.\n'
    (where / "SKILL.md").write_text(front, encoding="utf-8")
    required = [
        part.split(":")[0].strip()
        for part in properties.replace("},", "};").split(";")
        if part.strip()
    ]
    step = "{tool: code_run, args: {type: bash, script: 'true'}}"
    phases = f"plan: [{step}]" if effects == "none" else f"plan: [{step}]\ncommit: [{step}]"
    listed = "".join(f"  - {wording!r}\n" for wording in wordings)
    (where / "sop.yaml").write_text(
        f"parameters: {{type: object, properties: {{{properties}}}, required: [{', '.join(required)}]}}\n"
        f"wordings:\n{listed}effects: {effects}\n{phases}\nresult: done\n",
        encoding="utf-8",
    )


# More near misses, of other procedures: (what an SOP is asked for by, its effects, what else is asked for). No lane may do
# them by the SOP, whatever a model says: a model that takes the first card for everything is what they are tried with.

NEAR_OF: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = [
    (("back up {file} to {target}", "把 {file} 备份到 {target}"), "local", (
        "restore ~/a.txt to ~/b", "move ~/a.txt to ~/b", "delete ~/a.txt from ~/b", "compare ~/a.txt to ~/b", "don't back up ~/a.txt to ~/b",
        "back up ~/a.txt to ~/b every night", "back up ~/a.txt to ~/b if it changed", "back up ~/a.txt from ~/b", "email ~/a.txt to ~/b",
        "back up ~/a.txt to ~/b and delete ~/a.txt", "encrypt ~/a.txt to ~/b", "把 ~/a.txt 恢复到 ~/b", "把 ~/a.txt 移动到 ~/b", "不要把 ~/a.txt 备份到 ~/b",
        "每天把 ~/a.txt 备份到 ~/b", "把 ~/a.txt 备份到 ~/b 然后删除", "did you back up ~/a.txt to ~/b?", "why back up ~/a.txt to ~/b", "从 ~/a.txt 恢复到 ~/b",
    )),
    (("copy {file} to {target}", "把 {file} 复制到 {target}"), "local", (
        "move ~/a.txt to ~/b", "rename ~/a.txt to ~/b", "link ~/a.txt to ~/b", "append ~/a.txt to ~/b", "upload ~/a.txt to ~/b", "copy ~/a.txt to ~/b and ~/c",
        "copy the first line of ~/a.txt to ~/b", "never copy ~/a.txt to ~/b", "copy ~/a.txt to ~/b tomorrow", "copy ~/a.txt from ~/b", "把 ~/a.txt 移动到 ~/b",
        "把 ~/a.txt 重命名为 ~/b", "把 ~/a.txt 追加到 ~/b", "别把 ~/a.txt 复制到 ~/b", "明天把 ~/a.txt 复制到 ~/b",
    )),
    (("count the rows in {file}", "统计 {file} 的行数"), "none", (
        "list the rows in ~/a.csv", "count the columns in ~/a.csv", "count the empty rows in ~/a.csv", "count the rows not in ~/a.csv", "delete the rows in ~/a.csv",
        "count the unique rows in ~/a.csv", "count the words in ~/a.csv", "sort the rows in ~/a.csv", "count the rows in ~/a.csv per region",
        "count the rows in ~/a.csv from last week", "which rows are in ~/a.csv", "average the rows in ~/a.csv", "count the rows in ~/a.csv except the header",
        "统计 ~/a.csv 的列数", "列出 ~/a.csv 的行", "统计 ~/a.csv 的空行数", "删除 ~/a.csv 的行", "统计 ~/a.csv 里不重复的行数",
    )),
    (("find the oldest file in {folder}", "找出 {folder} 里最旧的文件"), "none", (
        "find the newest file in ~/a", "find the largest file in ~/a", "delete the oldest file in ~/a", "find the oldest folder in ~/a", "find the oldest pdf in ~/a",
        "find the second oldest file in ~/a", "move the oldest file in ~/a", "find the oldest file not in ~/a", "open the oldest file in ~/a",
        "rename the oldest file in ~/a", "找出 ~/a 里最新的文件", "找出 ~/a 里最大的文件", "删除 ~/a 里最旧的文件", "找出 ~/a 里最旧的文件夹",
    )),
    (("delete files older than {days} days in {folder}", "删除 {folder} 里超过 {days} 天的文件"), "destructive", (
        "list files older than 9 days in ~/a", "delete files newer than 9 days in ~/a", "delete files older than 9 weeks in ~/a", "delete folders older than 9 days in ~/a",
        "delete files older than 9 days in ~/a except logs", "delete empty files older than 9 days in ~/a", "archive files older than 9 days in ~/a",
        "delete files older than 9 hours in ~/a", "don't delete files older than 9 days in ~/a", "delete only pdf files older than 9 days in ~/a",
        "delete files larger than 9 days in ~/a", "are files older than 9 days in ~/a deleted", "restore files older than 9 days in ~/a",
        "列出 ~/a 里超过 9 天的文件", "删除 ~/a 里超过 9 周的文件", "删除 ~/a 里不超过 9 天的文件", "删除 ~/a 里超过 9 天的文件夹", "移动 ~/a 里超过 9 天的文件",
        "删除 ~/a 里超过 9 天的文件，但是保留日志", "除了日志，删除 ~/a 里超过 9 天的文件",
    )),
    (("sort {file} by {column} ascending into {target}",), "local", (
        "sort ~/a.csv by price descending into ~/b.csv", "filter ~/a.csv by price ascending into ~/b.csv", "sort ~/a.csv by price ascending from ~/b.csv",
        "group ~/a.csv by price ascending into ~/b.csv", "sort ~/a.csv by price ascending into ~/b.csv without the header",
        "split ~/a.csv by price ascending into ~/b.csv", "把 ~/a.csv 按 price 降序排序，存到 ~/b.csv",
    )),
    (("compress {folder} into {target}", "把 {folder} 压缩到 {target}"), "local", (
        "decompress ~/a into ~/b.zip", "unpack ~/b.zip into ~/a", "move ~/a into ~/b.zip", "compress ~/a into ~/b.zip and delete ~/a", "encrypt ~/a into ~/b.zip",
        "compress only pictures of ~/a into ~/b.zip", "compress ~/a into ~/b.zip with a password", "sync ~/a into ~/b.zip", "把 ~/a 解压到 ~/b.zip",
        "把 ~/a 移动到 ~/b.zip", "不要把 ~/a 压缩到 ~/b.zip", "把 ~/a 压缩到 ~/b.zip 然后上传",
    )),
    (("show the last {count} lines of {file}", "显示 {file} 的最后 {count} 行"), "none", (
        "show the first 5 lines of ~/a.log", "delete the last 5 lines of ~/a.log", "show the last 5 words of ~/a.log", "show the last 5 errors of ~/a.log",
        "show the last 5 lines of ~/a.log in reverse order", "count the last 5 lines of ~/a.log", "show all but the last 5 lines of ~/a.log", "append the last 5 lines of ~/a.log",
        "显示 ~/a.log 的前 5 行", "删除 ~/a.log 的最后 5 行", "显示 ~/a.log 的最后 5 列", "显示 ~/a.log 最后 5 行以外的内容",
    )),
    (("cancel booking {number}", "取消预订 {number}"), "external", (
        "confirm booking 77", "cancel invoice 77", "do not cancel booking 77", "cancel booking 77 and 78", "cancel booking 77 tomorrow", "refund booking 77", "show booking 77",
        "cancel subscription 77", "was booking 77 cancelled?", "is booking 77 cancelled?", "who cancelled booking 77", "cancel booking 77 unless it is paid", "change booking 77",
        "确认预订 77", "取消订单 77", "不要取消预订 77", "取消预订 77 和 78", "明天取消预订 77", "预订 77 取消了吗", "查看预订 77",
    )),
    (("send the report {file} to {address}",), "external", (
        "send the invoice ~/a.pdf to bo@x.example", "delete the report ~/a.pdf at bo@x.example", "print the report ~/a.pdf for bo@x.example", "send no report ~/a.pdf to bo@x.example",
        "send the report ~/a.pdf to bo@x.example on friday", "send a summary of the report ~/a.pdf to bo@x.example", "translate the report ~/a.pdf for bo@x.example",
    )),
    (("rename branch {old:quoted} to {new:quoted} in {folder}",), "local", (
        'delete branch "a" to "b" in ~/r', 'rename tag "a" to "b" in ~/r', 'merge branch "a" to "b" in ~/r', 'rename branch to "a" from "b" in ~/r', 'push branch "a" to "b" in ~/r',
        'rename branch "a" to "b" in ~/r and push it', 'rename all branches but "a" to "b" in ~/r', 'compare branch "a" to "b" in ~/r',
    )),
    (("stop the service {name:quoted}", "停止服务 {name:quoted}"), "external", (
        'start the service "web"', 'restart the service "web"', 'stop the job "web"', 'do not stop the service "web"', 'stop the service "web" at 5', 'is the service "web" stopped?',
        'disable the service "web"', 'stop the service "web" and "db"', '启动服务 "web"', '重启服务 "web"', '别停止服务 "web"', '停止任务 "web"',
    )),
]  # fmt: skip


# Pairs written before the tables of words were looked at: (wordings, effects, what is something else, what is meant with its
# values). Whatever asks nobody must leave the first alone, and may only take the second with just these values.
Meant = tuple[tuple[str, dict[str, Any]], ...]
PAIRS: list[tuple[tuple[str, ...], str, tuple[str, ...], Meant]] = [
    # photos
    (("show photo {file}", "显示照片 {file}"), "none", (
        "print photo ~/a.jpg on paper", "share photo ~/a.jpg", "hide photo ~/a.jpg", "open the folder of photo ~/a.jpg", "打印照片 ~/a.jpg", "隐藏照片 ~/a.jpg",
    ), (("display the picture ~/a.jpg", {"file": "/o/a.jpg"}), ("看看照片 ~/a.jpg", {"file": "/o/a.jpg"}))),
    (("rotate {file} by {angle} degrees", "把 {file} 旋转 {angle} 度"), "local", (
        "turn ~/a.jpg into 90 degrees", "flip ~/a.jpg by 90 degrees", "rotate ~/a.jpg back by 90 degrees", "rotate ~/a.jpg left by 90 degrees",
        "rotate ~/a.jpg by 90 percent", "tilt all but ~/a.jpg by 90 degrees", "把 ~/a.jpg 翻转 90 度", "把 ~/a.jpg 逆时针旋转 90 度", "把 ~/a.jpg 降低 90 度",
    ), (("please rotate the image ~/a.jpg by 90 degrees", {"file": "/o/a.jpg", "angle": 90}),)),
    (("turn {file} into a pdf", "把 {file} 变成 pdf"), "local", (
        "turn a pdf into ~/a.docx", "turn ~/a.docx over in a pdf", "put ~/a.docx into a pdf", "change ~/a.docx in a pdf", "remove ~/a.docx from a pdf", "turn ~/a.docx off as a pdf",
        "把 pdf 变成 ~/a.docx", "把 ~/a.docx 放进 pdf", "从 pdf 变成 ~/a.docx",
    ), (("convert ~/a.docx to pdf", {"file": "/o/a.docx"}), ("把 ~/a.docx 转成 pdf", {"file": "/o/a.docx"}))),
    (("list photos without a date in {folder}", "列出 {folder} 里没有日期的照片"), "none", (
        "list photos with a date in ~/p", "list photos in ~/p", "list photos without a name in ~/p", "list dates without a photo in ~/p", "列出 ~/p 里有日期的照片", "列出 ~/p 里没有名字的照片",
    ), (("show pictures without a date in ~/p", {"folder": "/o/p"}),)),
    # invoices and money
    (("mark invoice {number} as paid", "把发票 {number} 标记为已付"), "external", (
        "mark invoice 7 as unpaid", "mark invoice 7 as sent", "pay invoice 7", "unmark invoice 7 as paid", "mark order 7 as paid", "is invoice 7 marked as paid", "mark invoice 7 as paid back",
        "mark invoice 7 as not paid", "把发票 7 标记为未付", "把发票 7 标记为已寄", "付发票 7", "把订单 7 标记为已付", "取消发票 7 的已付标记",
    ), (("please mark the invoice 7 as paid", {"number": 7}), ("请把发票 7 标记为已付", {"number": 7}))),
    (("transfer {number} euros from {source:quoted} to {target:quoted}", "从 {source:quoted} 转 {number} 欧元到 {target:quoted}"), "external", (
        'transfer 5 dollars from "a" to "b"', 'transfer 5 euros between "a" and "b"', 'borrow 5 euros from "a" to "b"', 'transfer 5 euros back from "a" to "b"', 'request 5 euros from "a" to "b"',
        'transfer 5 euros from "a" via "b"', '从 "a" 转 5 美元到 "b"', '从 "a" 退 5 欧元到 "b"', '"a" 和 "b" 之间转 5 欧元',
    ), (('transfer 5 euros to "b" from "a"', {"number": 5, "source": "a", "target": "b"}), ('from "a" transfer 5 euros to "b"', {"number": 5, "source": "a", "target": "b"}),
        ('把 5 欧元从 "a" 转到 "b"', {"number": 5, "source": "a", "target": "b"}), ('transfer to "a" 5 euros from "b"', {"number": 5, "source": "b", "target": "a"}))),
    (("convert {number} euros to dollars", "把 {number} 欧元换成美元"), "none", (
        "convert 5 dollars to euros", "convert dollars to 5 euros", "convert 5 euros from dollars", "change 5 dollars into euros", "convert euros to 5 dollars",
        "把 5 美元换成欧元", "用 5 美元换欧元", "把美元换成 5 欧元",
    ), (("how much is 5 euros in dollars", {"number": 5}), ("把 5 欧元兑换成美元", {"number": 5}))),
    (("raise the prices in {file} by {percent} percent", "把 {file} 里的价格提高 {percent}%"), "local", (
        "lower the prices in ~/p.csv by 5 percent", "raise the prices in ~/p.csv to 5 percent", "raise the price limit in ~/p.csv by 5 percent", "raise the prices in ~/p.csv by 5 euros", "cut the prices in ~/p.csv by 5 percent",
        "change the prices in ~/p.csv by 5 percent", "raise the prices over 5 percent in ~/p.csv", "把 ~/p.csv 里的价格降低 5%", "把 ~/p.csv 里的价格提高到 5%", "把 ~/p.csv 里的价格提高 5 元",
    ), (("increase the prices in ~/p.csv by 5 percent", {"file": "/o/p.csv", "percent": 5}),)),
    # subtitles
    (("delay the subtitles in {file} by {seconds} seconds", "把 {file} 的字幕推迟 {seconds} 秒"), "local", (
        "advance the subtitles in ~/a.srt by 3 seconds", "delay the subtitles in ~/a.srt by 3 minutes", "delay the sound in ~/a.srt by 3 seconds", "delay the subtitles in ~/a.srt to 3 seconds", "shorten the subtitles in ~/a.srt by 3 seconds",
        "delay the first subtitle in ~/a.srt by 3 seconds", "move the subtitles in ~/a.srt forward by 3 seconds", "把 ~/a.srt 的字幕提前 3 秒", "把 ~/a.srt 的字幕推迟 3 分钟", "把 ~/a.srt 的声音推迟 3 秒", "把 ~/a.srt 的字幕推迟到 3 秒",
    ), (("in ~/a.srt delay the subtitles by 3 seconds", {"file": "/o/a.srt", "seconds": 3}),)),
    (("remove the subtitles from {file}", "去掉 {file} 的字幕"), "local", (
        "extract the subtitles from ~/a.mkv", "add the subtitles to ~/a.mkv", "remove the subtitles and sound from ~/a.mkv", "remove ~/a.mkv from the subtitles", "remove the styles of the subtitles from ~/a.mkv", "take the sound out of ~/a.mkv",
        "提取 ~/a.mkv 的字幕", "加上 ~/a.mkv 的字幕", "去掉字幕里的 ~/a.mkv",
    ), (("delete the subtitles from ~/a.mkv", {"file": "/o/a.mkv"}), ("把 ~/a.mkv 的字幕去掉", {"file": "/o/a.mkv"}))),
    # calendar
    (("add event {title:quoted} on {day}", "在 {day} 添加日程 {title:quoted}"), "external", (
        'remove event "x" on 2026-03-01', 'move event "x" on 2026-03-01', 'add event "x" after 2026-03-01', 'add reminder "x" on 2026-03-01', 'add event "x" until 2026-03-01', 'add event "x" every week from 2026-03-01', 'accept event "x" on 2026-03-01',
        '在 2026-03-01 删除日程 "x"', '在 2026-03-01 之前添加日程 "x"', '在 2026-03-01 添加提醒 "x"', '把日程 "x" 改到 2026-03-01',
    ), (('on 2026-03-01 add the event "x"', {"title": "x", "day": "2026-03-01"}), ('create event "x" on 2026-03-01', {"title": "x", "day": "2026-03-01"}), ('2026-03-01 添加一个日程 "x"', {"title": "x", "day": "2026-03-01"}))),
    (("list events before {day}", "列出 {day} 之前的日程"), "none", (
        "list events after 2026-03-01", "list events on 2026-03-01", "list events since 2026-03-01", "list events by 2026-03-01", "list events until 2026-03-01", "list events from 2026-03-01", "delete events before 2026-03-01", "list events not before 2026-03-01", "list people before 2026-03-01",
        "列出 2026-03-01 之后的日程", "列出 2026-03-01 的日程", "列出 2026-03-01 以来的日程", "删除 2026-03-01 之前的日程", "列出到 2026-03-01 的日程",
    ), (("show all events before 2026-03-01", {"day": "2026-03-01"}), ("显示 2026-03-01 之前的日程", {"day": "2026-03-01"}))),
    (("move event {title:quoted} from {old_day} to {new_day}",), "external", (
        'copy event "x" from 2026-03-01 to 2026-03-02', 'move event "x" by 2026-03-02 from 2026-03-01', 'event "x" lasts from 2026-03-01 to 2026-03-02',
    ), (('move event "x" to 2026-03-02 from 2026-03-01', {"title": "x", "old_day": "2026-03-01", "new_day": "2026-03-02"}), ('from 2026-03-01 move the event "x" to 2026-03-02', {"title": "x", "old_day": "2026-03-01", "new_day": "2026-03-02"}))),
    # backups
    (("restore {folder} from {archive}", "用 {archive} 恢复 {folder}"), "local", (
        "back up ~/n from ~/b.zip", "restore ~/n to ~/b.zip", "remove ~/n from ~/b.zip", "restore ~/n for ~/b.zip", "restore ~/n without ~/b.zip", "list ~/n from ~/b.zip", "备份 ~/n 到 ~/b.zip", "从 ~/b.zip 删除 ~/n", "用 ~/b.zip 替换 ~/n",
    ), (("from ~/b.zip restore ~/n", {"folder": "/o/n", "archive": "/o/b.zip"}), ("restore from ~/b.zip ~/n", {"folder": "/o/n", "archive": "/o/b.zip"}), ("从 ~/b.zip 恢复 ~/n", {"folder": "/o/n", "archive": "/o/b.zip"}))),
    (("list files in {folder} that are missing in {target}", "列出 {folder} 里有而 {target} 里没有的文件"), "none", (
        "list files missing in ~/a and in ~/b", "copy files in ~/a that are missing in ~/b", "list files in ~/a that are in ~/b", "list files in ~/a that are newer in ~/b", "列出 ~/a 和 ~/b 里都有的文件", "列出 ~/a 里没有而 ~/b 里也没有的文件",
    ), (("list files missing in ~/b that are in ~/a", {"folder": "/o/a", "target": "/o/b"}), ("列出 ~/a 里没有而 ~/b 里有的文件", {"folder": "/o/b", "target": "/o/a"}))),
    (("keep the newest {count} backups in {folder}", "保留 {folder} 里最新的 {count} 个备份"), "destructive", (
        "keep the oldest 3 backups in ~/b", "delete the newest 3 backups in ~/b", "list the newest 3 backups in ~/b", "keep the largest 3 backups in ~/b", "keep backups newer than 3 in ~/b", "keep the newest 3 files in ~/b",
        "保留 ~/b 里最旧的 3 个备份", "删除 ~/b 里最新的 3 个备份", "保留 ~/b 里最大的 3 个备份",
    ), (("keep the latest 3 backups in ~/b", {"count": 3, "folder": "/o/b"}),)),
    # logs and CSV
    (("show the last {count} entries of {file}", "显示 {file} 的最后 {count} 条"), "none", (
        "show the latest 5 entries of ~/a.log", "show the final entry of ~/a.log 5", "show the oldest 5 entries of ~/a.log", "show the 5 lowest entries of ~/a.log", "show entries of the last 5 days of ~/a.log", "remove the last 5 entries of ~/a.log",
        "显示 ~/a.log 的最新 5 条", "显示 ~/a.log 最近 5 天的条目", "显示 ~/a.log 的前 5 条",
    ), (("show me the last 5 entries of ~/a.log", {"count": 5, "file": "/o/a.log"}),)),
    (("show the {count} highest values in {file}", "显示 {file} 里最高的 {count} 个值"), "none", (
        "show the 5 top lines in ~/a.csv", "show the 5 first values in ~/a.csv", "show the 5 longest values in ~/a.csv", "show the 5 latest values in ~/a.csv", "show the 5 lowest values in ~/a.csv", "show values higher than 5 in ~/a.csv", "show the 5 most frequent values in ~/a.csv",
        "显示 ~/a.csv 里最长的 5 个值", "显示 ~/a.csv 里前 5 个值", "显示 ~/a.csv 里高于 5 的值", "显示 ~/a.csv 里最常见的 5 个值",
    ), (("list the 5 highest values in ~/a.csv", {"count": 5, "file": "/o/a.csv"}),)),
    (("join {left} with {right} on {column:quoted}", "按 {column:quoted} 把 {left} 和 {right} 连接起来"), "none", (
        'append ~/a.csv with ~/b.csv on "id"', 'compare ~/a.csv with ~/b.csv on "id"', 'replace ~/a.csv with ~/b.csv on "id"', 'join ~/a.csv with ~/b.csv without "id"', 'split ~/a.csv with ~/b.csv on "id"', '按 "id" 比较 ~/a.csv 和 ~/b.csv', '按 "id" 用 ~/a.csv 替换 ~/b.csv',
    ), (('join on "id" ~/a.csv with ~/b.csv', {"left": "/o/a.csv", "right": "/o/b.csv", "column": "id"}),)),
    (("remove duplicates from {file}", "去掉 {file} 里的重复行"), "local", (
        "duplicate ~/a.csv", "list duplicates from ~/a.csv", "keep duplicates from ~/a.csv", "remove all but duplicates from ~/a.csv", "remove a duplicate of ~/a.csv", "count duplicates from ~/a.csv", "列出 ~/a.csv 里的重复行", "只保留 ~/a.csv 里的重复行", "复制 ~/a.csv 里的重复行",
    ), (("delete duplicates from ~/a.csv", {"file": "/o/a.csv"}),)),
    (("swap {old:quoted} for {new:quoted} in {file}",), "local", (
        'swap "a" and "b" in ~/f.txt', 'remove "a" for "b" in ~/f.txt', 'swap out "a" in ~/f.txt', 'search "a" for "b" in ~/f.txt',
    ), (('replace "a" with "b" in ~/f.txt', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('replace "a" by "b" in ~/f.txt', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('in ~/f.txt swap "a" for "b"', {"old": "a", "new": "b", "file": "/o/f.txt"}),
        ('with "b" replace "a" in ~/f.txt', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('把 ~/f.txt 里的 "a" 换成 "b"', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('在 ~/f.txt 里用 "b" 代替 "a"', {"old": "a", "new": "b", "file": "/o/f.txt"}),
        ('use "b" instead of "a" in ~/f.txt', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('substitute "b" for "a" in ~/f.txt', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('用 "b" 替换 ~/f.txt 里的 "a"', {"old": "a", "new": "b", "file": "/o/f.txt"}))),
    (("replace {old:quoted} with {new:quoted} in {file}", "把 {file} 里的 {old:quoted} 替换成 {new:quoted}"), "local", (
        'compare "a" with "b" in ~/f.txt', 'surround "a" with "b" in ~/f.txt', 'replace "a" before "b" in ~/f.txt', 'replace only the first "a" with "b" in ~/f.txt', '在 ~/f.txt 里的 "a" 后面加上 "b"',
    ), (('swap "a" for "b" in ~/f.txt', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('substitute "a" for "b" in ~/f.txt', {"old": "b", "new": "a", "file": "/o/f.txt"}), ('exchange "a" for "b" in ~/f.txt', {"old": "a", "new": "b", "file": "/o/f.txt"}),
        ('put "b" in place of "a" in ~/f.txt', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('用 "b" 替换 ~/f.txt 里的 "a"', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('用 "b" 代替 ~/f.txt 里的 "a"', {"old": "a", "new": "b", "file": "/o/f.txt"}),
        ('change "a" into "b" in ~/f.txt', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('in ~/f.txt replace "a" with "b"', {"old": "a", "new": "b", "file": "/o/f.txt"}), ('~/f.txt 里的 "a" 用 "b" 替换掉', {"old": "a", "new": "b", "file": "/o/f.txt"}))),
    (("convert {file} from csv to json", "把 {file} 从 csv 转换成 json"), "local", (
        "convert ~/a from json to csv", "convert ~/a to csv from json", "convert csv from ~/a to json lines", "把 ~/a 从 json 转换成 csv", "把 ~/a 转换成 csv",
    ), (("convert ~/a to json from csv", {"file": "/o/a"}),)),
    (("round the column {column:quoted} of {file} up", "把 {file} 的列 {column:quoted} 向上取整"), "local", (
        'round the column "p" of ~/a.csv down', 'round the column "p" of ~/a.csv', 'add up the column "p" of ~/a.csv', 'round up the row "p" of ~/a.csv', '把 ~/a.csv 的列 "p" 向下取整', '把 ~/a.csv 的列 "p" 取整',
    ), (('round up the column "p" of ~/a.csv', {"column": "p", "file": "/o/a.csv"}),)),
    # branches
    (("merge branch {source:quoted} into {target:quoted} in {folder}", "在 {folder} 把分支 {source:quoted} 合并到 {target:quoted}"), "local", (
        'rebase branch "dev" into "main" in ~/r', 'merge branch "dev" from "main" in ~/r', 'merge tag "dev" into "main" in ~/r', 'rename branch "dev" into "main" in ~/r', 'squash branch "dev" into "main" in ~/r', 'undo merge branch "dev" into "main" in ~/r', '在 ~/r 把分支 "dev" 变基到 "main"', '在 ~/r 撤销把分支 "dev" 合并到 "main"',
    ), (('into "main" merge branch "dev" in ~/r', {"source": "dev", "target": "main", "folder": "/o/r"}), ('in ~/r merge the branch "dev" into "main"', {"source": "dev", "target": "main", "folder": "/o/r"}),
        ('在 ~/r 把 "dev" 分支合并到 "main"', {"source": "dev", "target": "main", "folder": "/o/r"}))),
    (("show what changed in {folder} since {version:quoted}",), "none", (
        'show what changed in ~/r before "v1"', 'change what is shown in ~/r since "v1"', 'show who changed ~/r since "v1"', 'show what changed in ~/r at "v1"', 'show what never changed in ~/r since "v1"',
    ), (('since "v1", show what changed in ~/r', {"version": "v1", "folder": "/o/r"}),)),
    # HTTP
    (("get {url} and save it to {file}", "获取 {url} 并保存到 {file}"), "local", (
        "post ~/a.json to https://x.example/y", "save ~/a.json to https://x.example/y", "get the headers of https://x.example/y and save it to ~/a.json", "upload ~/a.json to https://x.example/y", "get https://x.example/y and append it to ~/a.json", "put ~/a.json and save it to https://x.example/y", "把 ~/a.json 上传到 https://x.example/y",
    ), (("download https://x.example/y and save it to ~/a.json", {"url": "https://x.example/y", "file": "/o/a.json"}),)),
    (("check that {url} answers", "检查 {url} 是否有响应"), "none", (
        "answer https://x.example/y", "check the answers of https://x.example/y", "check that https://x.example/y is down", "check that https://x.example/y never answers", "stop https://x.example/y",
    ), (("verify that https://x.example/y answers", {"url": "https://x.example/y"}),)),
    (("upload {file} to {url}", "把 {file} 上传到 {url}"), "external", (
        "download ~/a.json from https://x.example/y", "upload ~/a.json from https://x.example/y", "link ~/a.json to https://x.example/y", "compare ~/a.json to https://x.example/y", "download https://x.example/y to ~/a.json", "把 https://x.example/y 下载到 ~/a.json", "用 https://x.example/y 下载 ~/a.json",
    ), (("to https://x.example/y upload ~/a.json", {"file": "/o/a.json", "url": "https://x.example/y"}),)),
    # playlists
    (("add {song:quoted} to playlist {playlist:quoted}", "把 {song:quoted} 加到播放列表 {playlist:quoted}"), "external", (
        'add playlist "p" to "s"', 'add to "s" playlist "p"', 'remove "s" from playlist "p"', 'play "s" in playlist "p"', 'add all but "s" to playlist "p"', '从播放列表 "p" 去掉 "s"', '把播放列表 "p" 加到 "s"',
    ), (('add to playlist "p" "s"', {"song": "s", "playlist": "p"}), ('put "s" to playlist "p"', {"song": "s", "playlist": "p"}))),
    (("shuffle playlist {playlist:quoted}", "打乱播放列表 {playlist:quoted}"), "external", (
        'sort playlist "p"', 'play playlist "p"', 'empty playlist "p"', 'duplicate playlist "p"', 'unshuffle playlist "p"', '清空播放列表 "p"', '播放播放列表 "p"',
    ), (('please shuffle the playlist "p"', {"playlist": "p"}),)),
    # translations
    (("translate {file} from {old:quoted} to {new:quoted}", "把 {file} 从 {old:quoted} 翻译成 {new:quoted}"), "local", (
        'translate ~/a.txt between "en" and "fr"', 'transcribe ~/a.txt from "en" to "fr"', 'translate ~/a.txt word by word from "en" to "fr"', 'correct ~/a.txt from "en" to "fr"',
    ), (('translate ~/a.txt to "fr" from "en"', {"file": "/o/a.txt", "old": "en", "new": "fr"}), ('from "en" to "fr" translate ~/a.txt', {"file": "/o/a.txt", "old": "en", "new": "fr"}), ('translate from "en" ~/a.txt to "fr"', {"file": "/o/a.txt", "old": "en", "new": "fr"}))),
    (("translate {file} into {language:quoted}", "把 {file} 翻译成 {language:quoted}"), "local", (
        'translate ~/a.txt from "fr"', 'translate ~/a.txt without "fr"', 'translate "fr" into ~/a.txt', 'translate ~/a.txt except "fr"', '从 "fr" 翻译 ~/a.txt', '把 ~/a.txt 里的 "fr" 翻译一下',
    ), (('into "fr" translate ~/a.txt', {"file": "/o/a.txt", "language": "fr"}),)),
    # timers, lamps, particles
    (("set a timer for {minutes} minutes", "设一个 {minutes} 分钟的计时器"), "external", (
        "set a timer for 5 hours", "set an alarm for 5 minutes", "stop the timer for 5 minutes", "extend a timer for 5 minutes", "set a timer in 5 minutes", "reset the timer for 5 minutes", "unset a timer for 5 minutes", "设一个 5 小时的计时器", "停一个 5 分钟的计时器", "设一个 5 分钟后的闹钟",
    ), (("please set a timer for 5 minutes", {"minutes": 5}),)),
    (("turn on lamp {number}", "打开 {number} 号灯"), "external", (
        "turn off lamp 3", "turn up lamp 3", "turn lamp 3 off", "turn lamp 3 down", "turn lamp 3 around", "turn over lamp 3", "turn lamp 3", "turn in lamp 3", "关闭 3 号灯", "关掉 3 号灯", "打碎 3 号灯",
    ), (("turn lamp 3 on", {"number": 3}), ("switch on lamp 3", {"number": 3}), ("把 3 号灯打开", {"number": 3}))),
    (("check in guest {number}", "为客人 {number} 办理入住"), "external", (
        "check out guest 7", "check guest 7", "check guest 7 out", "check on guest 7", "check up guest 7", "check guest 7 in the list", "check off guest 7", "为客人 7 办理退房", "为客人 7 办理延住",
    ), (("please check in guest 7", {"number": 7}),)),
    (("log out user {name:quoted}",), "external", (
        'log in user "bo"', 'log user "bo"', 'log on user "bo"', 'lock out user "bo"', 'log off user "bo" from mail', 'let user "bo" in',
    ), (('please log out the user "bo"', {"name": "bo"}),)),
    (("scale up service {name:quoted} by {count}",), "external", (
        'scale down service "web" by 2', 'scale service "web" by 2', 'scale up service "web" to 2', 'scale service "web" down by 2', 'scale out service "web" by 2',
    ), (('scale service "web" up by 2', {"name": "web", "count": 2}),)),
    (("roll back release {version:quoted}",), "external", (
        'roll out release "v2"', 'roll release "v2"', 'roll forward release "v2"', 'bring back release "v2"', 'undo the roll back of release "v2"', 'put release "v2" back',
    ), (('roll release "v2" back', {"version": "v2"}),)),
    # prefixes
    (("publish post {number}", "发布文章 {number}"), "external", (
        "unpublish post 7", "republish post 7", "publish page 7", "publish post 7 again later", "取消发布文章 7", "撤回文章 7", "重新发布文章 7", "下架文章 7",
    ), (("please publish the post 7", {"number": 7}),)),
    (("close ticket {number}", "关闭工单 {number}"), "external", (
        "reopen ticket 7", "open ticket 7", "disclose ticket 7", "unclose ticket 7", "close tickets after 7", "close all tickets but 7", "print ticket 7", "重新打开工单 7", "打开工单 7", "合并工单 7",
    ), (("please close the ticket 7", {"number": 7}), ("把工单 7 关闭", {"number": 7}))),
    (("enable user {name:quoted}", "启用用户 {name:quoted}"), "external", (
        'disable user "bo"', 're-enable user "bo"', 'delete user "bo"', 'enable group "bo"', 'create user "bo"', '停用用户 "bo"', '禁用用户 "bo"', '创建用户 "bo"',
    ), (('please enable the user "bo"', {"name": "bo"}),)),
    (("lock {file}", "锁定 {file}"), "local", (
        "unlock ~/a.txt", "block ~/a.txt", "look at ~/a.txt", "lock in ~/a.txt", "解锁 ~/a.txt", "锁定除 ~/a.txt 外的文件",
    ), (("please lock the file ~/a.txt", {"file": "/o/a.txt"}),)),
    (("subscribe {name:quoted} to list {target:quoted}",), "external", (
        'unsubscribe "bo" from list "news"', 'unsubscribe "bo" to list "news"', 'subscribe list "news" to "bo"', 'resubscribe "bo" to list "news"', 'invite "bo" to list "news"',
    ), (('subscribe to list "news" "bo"', {"name": "bo", "target": "news"}),)),
    (("encode {file} as hex",), "local", (
        "decode ~/a.bin as hex", "encode hex as ~/a.bin", "recode ~/a.bin as hex", "find ~/a.bin as hex", "encode ~/a.bin in octal",
    ), (("please encode ~/a.bin as hex", {"file": "/o/a.bin"}),)),
    (("import {file} into table {table:quoted}", "把 {file} 导入表 {table:quoted}"), "local", (
        'export ~/a.csv into table "t"', 'import table "t" into ~/a.csv', 'reimport ~/a.csv into table "t"', 'export table "t" into ~/a.csv', 'import ~/a.csv over table "t"', '把 ~/a.csv 导出表 "t"', '把表 "t" 导入 ~/a.csv', '从表 "t" 导出 ~/a.csv',
    ), (('into table "t" import ~/a.csv', {"file": "/o/a.csv", "table": "t"}),)),
    # who does what to whom
    (("lend book {title:quoted} to {person:quoted}", "把书 {title:quoted} 借给 {person:quoted}"), "external", (
        'borrow book "t" from "bo"', 'lend book "t" from "bo"', 'return book "t" to "bo"', 'give book "t" to "bo" back', '向 "bo" 借书 "t"', '把书 "t" 还给 "bo"', '从 "bo" 借书 "t"',
    ), (('lend to "bo" book "t"', {"title": "t", "person": "bo"}), ('lend "bo" book "t"', {"title": "t", "person": "bo"}))),
    (("assign ticket {number} to {name:quoted}", "把工单 {number} 分给 {name:quoted}"), "external", (
        'unassign ticket 7 to "bo"', 'assign ticket 7 from "bo"', 'take ticket 7 from "bo"', 'assign ticket 7 to all but "bo"', 'reply ticket 7 to "bo"', '从 "bo" 收回工单 7', '把 "bo" 的工单 7 分给别人',
    ), (('assign to "bo" ticket 7', {"number": 7, "name": "bo"}),)),
    (("keep the first {count} lines of {file}", "只保留 {file} 的前 {count} 行"), "local", (
        "delete the first 5 lines of ~/a.txt", "keep the last 5 lines of ~/a.txt", "keep all but the first 5 lines of ~/a.txt", "skip the first 5 lines of ~/a.txt", "show the first 5 lines of ~/a.txt", "keep the first 5 words of ~/a.txt", "删掉 ~/a.txt 的前 5 行", "只保留 ~/a.txt 的后 5 行", "显示 ~/a.txt 的前 5 行",
    ), (("please keep the first 5 lines of ~/a.txt", {"count": 5, "file": "/o/a.txt"}),)),
]  # fmt: skip


MORE_PAIRS: list[tuple[tuple[str, ...], str, tuple[str, ...], Meant]] = [  # written after the first ones were mended
    (("pause printer {name:quoted}", "暂停打印机 {name:quoted}"), "external", (
        'resume printer "lab"', 'print on printer "lab"', 'pause the queue of printer "lab"', 'stop printer "lab"', '恢复打印机 "lab"', '停掉打印机 "lab"',
    ), (('please pause the printer "lab"', {"name": "lab"}),)),
    (("grant {name:quoted} access to {folder}", "允许 {name:quoted} 访问 {folder}"), "external", (
        'revoke "bo" access to ~/a', 'deny "bo" access to ~/a', 'grant "bo" access from ~/a', 'grant ~/a access to "bo"', '禁止 "bo" 访问 ~/a', '允许 ~/a 访问 "bo"',
    ), (('grant "bo" access to the folder ~/a', {"name": "bo", "folder": "/o/a"}),)),
    (("deposit {number} euros in account {name:quoted}",), "external", (
        'withdraw 5 euros in account "x"', 'deposit 5 euros from account "x"', 'deposit 5 dollars in account "x"', 'close account "x" in 5 euros', 'deposit account "x" in 5 euros',
    ), (('in account "x" deposit 5 euros', {"number": 5, "name": "x"}),)),
    (("export bookmarks from {file} to {target}", "把书签从 {file} 导出到 {target}"), "local", (
        "import bookmarks from ~/a.html to ~/b.json", "export history from ~/a.html to ~/b.json", "move bookmarks from ~/a.html to ~/b.json", "export bookmarks between ~/a.html to ~/b.json", "把书签从 ~/a.html 导入到 ~/b.json", "把历史从 ~/a.html 导出到 ~/b.json",
    ), (("export bookmarks to ~/b.json from ~/a.html", {"file": "/o/a.html", "target": "/o/b.json"}), ("从 ~/a.html 把书签导出到 ~/b.json", {"file": "/o/a.html", "target": "/o/b.json"}))),
    (("zoom in on {file} by {percent} percent",), "local", (
        "zoom out on ~/a.png by 5 percent", "zoom on ~/a.png by 5 percent", "zoom in on ~/a.png to 5 percent", "zoom out of ~/a.png by 5 percent",
    ), (("zoom in on the image ~/a.png by 5 percent", {"file": "/o/a.png", "percent": 5}),)),
    (("list containers that are running on {name:quoted}",), "none", (
        'list containers that were running on "h1"', 'list containers that are stopped on "h1"', 'run the containers that are listed on "h1"', 'list containers on "h1"', 'list images that are running on "h1"', 'kill containers that are running on "h1"',
    ), (('show containers that are running on "h1"', {"name": "h1"}),)),
    (("list tasks due before {day}", "列出 {day} 前到期的任务"), "none", (
        "list tasks due after 2026-03-01", "list tasks made before 2026-03-01", "list tasks due on 2026-03-01", "list tasks done before 2026-03-01", "list overdue tasks before 2026-03-01", "列出 2026-03-01 后到期的任务", "列出 2026-03-01 前完成的任务",
    ), (("show me the tasks due before 2026-03-01", {"day": "2026-03-01"}),)),
    (("sort {file} by {column:quoted} descending", "把 {file} 按 {column:quoted} 降序排序"), "local", (
        'sort ~/a.csv by "p" ascending', 'sort ~/a.csv by "p"', 'sort ~/a.csv without "p" descending', 'split ~/a.csv by "p" descending', '把 ~/a.csv 按 "p" 升序排序', '把 ~/a.csv 按 "p" 排序',
    ), (('sort ~/a.csv descending by "p"', {"file": "/o/a.csv", "column": "p"}), ('按 "p" 把 ~/a.csv 降序排序', {"file": "/o/a.csv", "column": "p"}))),
    (("remind me about {title:quoted} in {minutes} minutes", "{minutes} 分钟后提醒我 {title:quoted}"), "external", (
        'remind me about "x" every 5 minutes', 'remind me about "x" for 5 minutes', 'remind me about "x" within 5 hours', 'remind bo about "x" in 5 minutes', '每 5 分钟提醒我 "x"', '5 分钟内提醒我 "x"', '5 小时后提醒我 "x"', '5 分钟前提醒我 "x"',
    ), (('in 5 minutes remind me about "x"', {"title": "x", "minutes": 5}),)),
    (("shorten {file} to {count} words", "把 {file} 缩短到 {count} 字"), "local", (
        "shorten ~/a.txt by 5 words", "extend ~/a.txt to 5 words", "shorten ~/a.txt to 5 lines", "shorten the words in ~/a.txt to 5", "把 ~/a.txt 缩短 5 字", "把 ~/a.txt 扩写到 5 字",
    ), (("please shorten the file ~/a.txt to 5 words", {"file": "/o/a.txt", "count": 5}),)),
    (("show messages from {name:quoted}", "显示来自 {name:quoted} 的消息"), "none", (
        'show messages to "bo"', 'show messages about "bo"', 'show messages with "bo"', 'send messages from "bo"', 'show messages for "bo"', '显示发给 "bo" 的消息', '显示关于 "bo" 的消息',
    ), (('list all messages from "bo"', {"name": "bo"}),)),
    (("send {file} to {name:quoted} from {address:quoted}",), "external", (
        'send ~/a.pdf from "bo" via "x@y"', 'fetch ~/a.pdf to "bo" from "x@y"', 'send a copy of ~/a.pdf to "bo" from "x@y"', 'send ~/a.pdf and a note to "bo" from "x@y"',
    ), (('send ~/a.pdf from "x@y" to "bo"', {"file": "/o/a.pdf", "name": "bo", "address": "x@y"}), ('from "x@y" send ~/a.pdf to "bo"', {"file": "/o/a.pdf", "name": "bo", "address": "x@y"}))),
    (("pad {file} with {count} blank lines",), "local", (
        "pad ~/a.txt with 5 lines", "remove 5 blank lines with ~/a.txt", "pad ~/a.txt by 5 blank pages", "pad ~/a.txt without 5 blank lines",
    ), (("pad the file ~/a.txt with 5 blank lines", {"file": "/o/a.txt", "count": 5}),)),
    (("divide the column {left:quoted} by {right:quoted} in {file}", "在 {file} 里用列 {left:quoted} 除以 {right:quoted}"), "local", (
        'multiply the column "a" by "b" in ~/t.csv', 'divide the row "a" by "b" in ~/t.csv', 'divide the column "a" into "b" in ~/t.csv', '在 ~/t.csv 里用列 "a" 乘以 "b"', '在 ~/t.csv 里用列 "a" 减去 "b"',
    ), (('in ~/t.csv divide the column "a" by "b"', {"left": "a", "right": "b", "file": "/o/t.csv"}), ('by "b" divide the column "a" in ~/t.csv', {"left": "a", "right": "b", "file": "/o/t.csv"}))),
    (("subtract {old:quoted} from {new:quoted}",), "none", (
        'subtract "a" to "b"', 'add "a" from "b"', 'subtract "a" and "b"',
    ), (('from "b" subtract "a"', {"old": "a", "new": "b"}),)),
    (("put {file} before {target} in the queue", "在队列里把 {file} 排到 {target} 前面"), "local", (
        "put ~/a.mp3 after ~/b.mp3 in the queue", "put ~/a.mp3 behind ~/b.mp3 in the queue", "put ~/a.mp3 and ~/b.mp3 in the queue", "play ~/a.mp3 before ~/b.mp3 in the queue", "在队列里把 ~/a.mp3 排到 ~/b.mp3 后面",
    ), (("in the queue put ~/a.mp3 before ~/b.mp3", {"file": "/o/a.mp3", "target": "/o/b.mp3"}), ("before ~/b.mp3 put ~/a.mp3 in the queue", {"file": "/o/a.mp3", "target": "/o/b.mp3"}))),
    (("water plant {number} today", "今天给 {number} 号植物浇水"), "external", (
        "water plant 3 tomorrow", "water plant 3", "plant 3 water today", "was plant 3 watered today", "move plant 3 today", "明天给 3 号植物浇水", "今天给 3 号植物施肥", "今天别给 3 号植物浇水",
    ), (("please water plant 3 today", {"number": 3}),)),
    (("raise the volume to {percent} percent", "把音量调高到 {percent}%"), "external", (
        "lower the volume to 5 percent", "raise the volume by 5 percent", "raise the volume from 5 percent", "raise the limit to 5 percent", "把音量调低到 5%", "把音量调高 5%", "把亮度调高到 5%",
    ), (("please raise the volume to 5 percent", {"percent": 5}),)),
    (("show the shortest {count} names in {file}", "显示 {file} 里最短的 {count} 个名字"), "none", (
        "show the longest 5 names in ~/a.csv", "show the smallest 5 names in ~/a.csv", "show the shortest 5 lines in ~/a.csv", "show the first 5 names in ~/a.csv", "显示 ~/a.csv 里最长的 5 个名字", "显示 ~/a.csv 里最小的 5 个名字", "显示 ~/a.csv 里最常见的 5 个名字",
    ), (("list the 5 shortest names in ~/a.csv", {"count": 5, "file": "/o/a.csv"}),)),
    (("download {url} to {file}", "下载 {url} 到 {file}"), "local", (
        "upload ~/a.json to https://x.example/y", "check https://x.example/y for ~/a.json", "download ~/a.json from https://x.example/y and delete it", "上传 ~/a.json 到 https://x.example/y", "不要下载 https://x.example/y 到 ~/a.json",
        "下载里的 ~/a.json", "从 https://x.example/y 删除 ~/a.json",
    ), (("下载 https://x.example/y 到文件 ~/a.json", {"url": "https://x.example/y", "file": "/o/a.json"}), ("please download https://x.example/y to the file ~/a.json", {"url": "https://x.example/y", "file": "/o/a.json"}))),
    (("invite {name:quoted} to meeting {number}", "邀请 {name:quoted} 参加会议 {number}"), "external", (
        'uninvite "bo" to meeting 7', 'invite "bo" from meeting 7', 'invite meeting 7 to "bo"', 'welcome "bo" to meeting 7', '不邀请 "bo" 参加会议 7', '替 "bo" 参加会议 7', '移除 "bo" 参加会议 7',
    ), (('to meeting 7 invite "bo"', {"name": "bo", "number": 7}),)),
]  # fmt: skip


def near_sops(folder: Path) -> list[Sop]:
    """An SOP for each of `NEAR_OF`, called near-0, near-1, …"""
    return _numbered(folder, "near", [(wordings, effects) for wordings, effects, _ in NEAR_OF])


def pair_sops(
    folder: Path, pairs: Sequence[tuple[tuple[str, ...], str, tuple[str, ...], Meant]]
) -> list[Sop]:
    """An SOP for each of these, called pair-0, pair-1, …"""
    return _numbered(folder, "pair", [(wordings, effects) for wordings, effects, _, _ in pairs])


NUMBERS = ("days", "count", "number", "angle", "percent", "seconds", "minutes")


def _numbered(folder: Path, name: str, taught: Sequence[tuple[tuple[str, ...], str]]) -> list[Sop]:
    """SOPs called NAME-0, NAME-1, …; their parameters have the types that their names tell."""
    for number, (wordings, effects) in enumerate(taught):
        slots = dict.fromkeys(
            slot for wording in wordings for slot in re.findall(r"\{(\w+)(:quoted)?\}", wording)
        )
        schemas = ", ".join(
            f"{slot}: {{type: {_type(slot, bool(quoted))}}}" for slot, quoted in slots
        )
        write_sop(
            folder,
            f"{name}-{number}",
            "What was learned.",
            list(wordings),
            effects=effects,
            properties=schemas,
        )
    return SopStore(folder / "none", folder).all()


def _type(name: str, is_quoted: bool) -> str:
    if name in NUMBERS:
        return "integer"
    if name.endswith("day"):
        return "string, format: date"
    if name == "url":
        return "string, format: url"
    is_path = name in ("file", "folder", "target", "archive", "left", "right") and not is_quoted
    return "string, format: path" if is_path else "string"
