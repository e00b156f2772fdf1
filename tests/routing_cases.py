"""Twelve procedures as owners teach them, requests for them in other words with other values, and near misses.
`sops(folder)` writes them; `ASKED` pairs a request with what it means; `NEAR` are requests that none of them covers.
Scored as a whole by tests/test_routing.py: no row is required.
Paths in the expectations: /w is the working folder, /o the owner's home folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory.sops import Sop, SopStore
from tests.rows import rows

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

ASKED: list[tuple[str, str, dict[str, Any]]] = [(*row,) for row in rows(__name__, "asked")]  # fmt: skip

OBLIQUE: list[tuple[str, str]] = [(*row,) for row in rows(__name__, "oblique")]

NEAR = rows(__name__, "near")  # fmt: skip


# Requests for the seeds, the working folder /w and the home folder /o: what must be done, and what must never be.
SEEDS_ASKED: list[tuple[str, str, dict[str, Any]]] = [(*row,) for row in rows(__name__, "seeds_asked")]  # fmt: skip

SEEDS_DECLINED = rows(__name__, "seeds_declined")  # fmt: skip


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
