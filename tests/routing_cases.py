"""Twelve procedures as owners teach them, requests for them in other words with other values, and near misses.

`sops(folder)` writes them; `ASKED` pairs a request with what it means; `NEAR` are requests that none of them covers.
Paths in the expectations: /w is the working folder, /o the owner's home folder.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from memory.sops import Sop, SopStore

SOPS: dict[str, tuple[str, str, str, list[str]]] = {  # name → description, effects, properties, wordings
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
        ["what is the status of order {order}", "show the status of order {order}", "查看订单 {order} 的状态"],
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
        ["rename {source} to {target}", "rename file {source} to {target}", "把 {source} 重命名为 {target}"],
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
        ["delete log files older than {days} days in {folder}", "删除 {folder} 里超过 {days} 天的日志文件"],
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
    required = [part.split(":")[0].strip() for part in properties.replace("},", "};").split(";") if part.strip()]
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


def near_sops(folder: Path) -> list[Sop]:
    """An SOP for each of `NEAR_OF`, called near-0, near-1, …; its parameters have the types that their names tell."""
    types = {"days": "integer", "count": "integer", "number": "integer"}
    for number, (wordings, effects, _) in enumerate(NEAR_OF):
        names = dict.fromkeys(name for wording in wordings for name in re.findall(r"\{(\w+)", wording))
        schemas = [
            f"{name}: {{type: integer}}" if name in types else
            f"{name}: {{type: string, format: path}}" if name in ("file", "folder", "target") else f"{name}: {{type: string}}"
            for name in names
        ]  # fmt: skip
        write_sop(
            folder,
            f"near-{number}",
            "What was learned.",
            list(wordings),
            effects=effects,
            properties=", ".join(schemas),
        )
    return SopStore(folder / "none", folder).all()
