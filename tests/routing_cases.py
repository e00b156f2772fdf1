"""Twelve procedures as owners teach them, requests for them in other words with other values, and near misses.
`sops(folder)` writes them; `ASKED` pairs a request with what it means; `NEAR` are requests that none of them covers.
Scored as a whole by tests/test_routing.py: no row is required.
Paths in the expectations: /w is the working folder, /o the owner's home folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory.sops import Sop, SopStore

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

OBLIQUE: list[tuple[str, str]] = [  # say what is wanted in none of the words of the wordings
    ("I changed my mind about 4711, don't send it", "cancel-order"),
    ("4711 must not be shipped any more", "cancel-order"),
    ("has 4711 left the warehouse yet?", "order-status"),
    ("did my parcel 4711 go out", "order-status"),
    ("only the north of sales.csv under region please", "filter-csv"),
    ("which entries of people.csv have Norway as country", "filter-csv"),
    ("length of data.csv", "count-rows"),
    ("is data.csv long?", "count-rows"),
    ("~/src/tool is ready to ship as v1.2.0", "git-tag"),
    ("cut v1.2.0 in ~/src/tool", "git-tag"),
    ("keep ~/photos safe on /mnt/disk", "backup-folder"),
    ("I'm going to tinker with ~/site, put a spare into ~/safe first", "backup-folder"),
    ("report.txt should be called summary.txt", "rename-file"),
    ("a.txt is a silly title, b.txt is better", "rename-file"),
    ("my javascript cannot read people.csv", "csv-to-json"),
    ("people.csv for the browser please", "csv-to-json"),
    ("/var/log is filling up, two weeks or 14 days are enough", "delete-old-logs"),
    ("clean the journal in /var/log, keep 30 days", "delete-old-logs"),
    ("photo.jpg is too big for the page, 800 will do", "resize-image"),
    ("shrink photo.jpg down to 640", "resize-image"),
    ("what hogs the disk under ~/media? 500 and up", "large-files"),
    ("anything huge in ~/media, say 100 and more", "large-files"),
    ("the accountant wants all sales from 2026-01-01 in out.csv", "export-orders"),
    ("give me this year's purchases, 2026-01-01 onwards, as year.csv", "export-orders"),
]

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


# Requests for the seeds, the working folder /w and the home folder /o: what must be done, and what must never be.
SEEDS_ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ('Which files take the most space in ~/Downloads?', 'largest-files', {'folder': '/o/Downloads', 'count': 10}),
    ('Which files take the most space?', 'largest-files', {'folder': '/w'}),
    ("What's the largest file in /var/log", 'largest-files', {'folder': '/var/log'}),
    ('What’s the largest file in /var/log?', 'largest-files', {'folder': '/var/log'}),
    ('LARGEST FILES IN /Tmp/CamelCase', 'largest-files', {'folder': '/Tmp/CamelCase'}),
    ('can you show me the top 5 biggest files in my Downloads folder please', 'largest-files', {'folder': '/o/Downloads', 'count': 5}),
    ('show the biggest files in this folder', 'largest-files', {'folder': '/w'}),
    ('largest files in "~/My Documents"', 'largest-files', {'folder': '/o/My Documents'}),
    ('largest files in “/data/The End”', 'largest-files', {'folder': '/data/The End'}),
    ('largest files in ~', 'largest-files', {'folder': '/o'}),
    ('largest files in ../other', 'largest-files', {'folder': '/w/../other'}),
    ('what is eating my disk in /home', 'largest-files', {'folder': '/home'}),
    ('top 1,000 largest files in /', 'largest-files', {'folder': '/', 'count': 1000}),
    ("find all files named 'annual report' in ~/Documents", 'find-files', {'folder': '/o/Documents', 'name': 'annual report'}),
    ('Find all pdf files in my documents', 'find-files', {'folder': '/o/Documents', 'kind': 'pdf'}),
    ('where is notes.txt?', 'find-files', {'folder': '/w', 'name': 'notes.txt'}),
    ('find files containing TODO in ./src', 'find-files', {'folder': '/w/src', 'text': 'TODO'}),
    ('search /etc for "Listen 80"', 'find-files', {'folder': '/etc', 'text': 'Listen 80'}),
    ('Clean out all files older than ninety days in /tmp/x', 'clean-old-files', {'folder': '/tmp/x', 'days': 90}),
    ('Move files older than 1 day in ~/a to the trash', 'clean-old-files', {'folder': '/o/a', 'days': 1}),
    ('get rid of files more than 60 days old in ./cache', 'clean-old-files', {'folder': '/w/cache', 'days': 60}),
    ('Give me a system report, please!', 'system-report', {}),
    ('how much memory is free?', 'system-report', {}),
    ('is port 5432 in use', 'port-in-use', {'port': 5432}),
    ('查一下哪个进程占用了 443 端口', 'port-in-use', {'port': 443}),
    ('how full is my disk', 'system-report', {}),
    ('~/Downloads里哪些文件最占空间？', 'largest-files', {'folder': '/o/Downloads'}),
    ('哪些文件最占空间', 'largest-files', {'folder': '/w'}),
    ('列出 /data 里最大的十五个文件', 'largest-files', {'folder': '/data', 'count': 15}),
    ('看看我的下载里最大的文件', 'largest-files', {'folder': '/o/Downloads'}),
    ('当前目录下最占空间的是什么', 'largest-files', {'folder': '/w'}),
    ('列出主目录前 5 大文件', 'largest-files', {'folder': '/o', 'count': 5}),
    ('麻烦你列出 /tmp 最大的 3 个文件，谢谢', 'largest-files', {'folder': '/tmp', 'count': 3}),
    ('找名字叫 报告 的文件', 'find-files', {'folder': '/w', 'name': '报告'}),
    ('在 ~/Documents 里找 *.pdf', 'find-files', {'folder': '/o/Documents', 'name': '*.pdf'}),
    ('找 ~/a 里的图片', 'find-files', {'folder': '/o/a', 'kind': '图片'}),
    ('/src 里哪些文件含有 TODO', 'find-files', {'folder': '/src', 'text': 'TODO'}),
    ('在下载里找 报告.docx', 'find-files', {'folder': '/o/Downloads', 'name': '报告.docx'}),
    ('把 ~/Downloads 里超过 30 天的文件清掉', 'clean-old-files', {'folder': '/o/Downloads', 'days': 30}),
    ('请帮我把下载里超过三十天的文件清理掉', 'clean-old-files', {'folder': '/o/Downloads', 'days': 30}),
    ('清理 ~/tmp 中超过 90 天的文件', 'clean-old-files', {'folder': '/o/tmp', 'days': 90}),
    ('把桌面上超过一百天的文件移到废纸篓', 'clean-old-files', {'folder': '/o/Desktop', 'days': 100}),
    ('把超过 10 天的文件从 ~/a 里清掉', 'clean-old-files', {'folder': '/o/a', 'days': 10}),
    ('给我一份系统报告', 'system-report', {}),
    ('看一下系统的状态', 'system-report', {}),
    ('磁盘还剩多少空间', 'system-report', {}),
    ('哪个程序最占内存', 'system-report', {}),
]  # fmt: skip

SEEDS_DECLINED = [
    'delete files older than 2 weeks in ~/x',
    'delete files older than -5 days in ~/x',
    'delete files older than a few days in ~/x',
    'delete files older than 30 days and larger than 5 MB in ~/x',
    'largest files in ~/x bigger than 1GB',
    "don't delete files older than 30 days in ~/x",
    'delete files older than 30 days in ~/x except PDFs',
    'delete files older than 30 days in ~/x; reboot',
    'delete files older than 30 days in ~/x and ~/y',
    'permanently delete files older than 30 days in ~/x',
    'what happens if I delete files older than 30 days in ~/x',
    'restore files older than 30 days in ~/x',
    'delete files older than 30 days in ~/My Documents',
    'smallest files in ~/x',
    'largest files in the project',
    'delete the largest files in ~/x',
    'largest files in ~root',
    'find photos of my cat in ~/Pictures',
    'find files named a.txt or b.txt in ~/x',
    'find and delete *.tmp in ~/x',
    'where is my phone',
    'system report every morning',
    'how much memory is free on db1',
    'please',
    '把 ~/x 里超过 2 周的文件清掉',
    '把 ~/x 里超过三十多天的文件清掉',
    '把 ~/x 里超过 30 天的文件夹清掉',
    '把 ~/x 里超过 30 天的文件清掉了吗',
    '不要把 ~/x 里超过 30 天的文件清掉',
    '把 ~/x 里超过 30 天的文件清掉，然后重启',
    '把 ~/x 里超过 30 天的文件从回收站恢复',
    '把 ~/x 里超过 30 天的文件永久删除',
    '如果把 ~/x 里超过 30 天的文件清掉会怎样',
    '~/x 里哪些文件最新',
    '列出 ~/x 里最大的 20 MB 文件',
    '我的电脑里哪些文件最占空间',
    '找 ~/x 里没有包含“合同”的文件',
    '找 ~/x 里的 pdf 并删除',
    '把系统报告发给小王',
    '服务器 db1 的状态怎么样',
    '请',
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
