"""CSV and JSON: filter rows, sum by key, join, convert, sort, the top N, one field of all entries."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from typing import Any

from bench.rote_tasks.base import (
    Draw,
    Reply,
    State,
    Task,
    Values,
    World,
    bash,
    lists,
    numbers,
    python,
    say,
    say_output,
    use,
    words,
)

KEYS = words("region city team shop country branch_office category colour supplier season")
AMOUNTS = words("amount price total units revenue cost hours points weight score")
NAMES = words(
    "Anna Boris Clara David Elena Felix Greta Hugo Ines Jonas Karin Liam Mona Nils Olga Paul"
)
MEMBERS = words("north south east west centre coast hills")


def as_csv(rows: list[list[Any]]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue()


def sales(world: World, key: str, amount: str, members: list[str], rows: int = 14) -> str:
    """A table name, key, amount; no two amounts are the same."""
    amounts = world.rng.sample(range(11, 990), rows)
    names = world.rng.sample(NAMES, rows)
    body = [[names[at], members[at % len(members)], amounts[at]] for at in range(rows)]
    return as_csv([["name", key, amount], *body])


def records(state: State, file: str) -> list[dict[str, str]]:
    head, *rows = state[file.removeprefix("~/")]
    return [dict(zip(head, row, strict=True)) for row in rows]


class FilterRows(Task):
    name, kind = "filter-rows", "tables"
    asks = (
        'write the rows of {file} where {column} is "{value}" to {target}',
        '(save|put) all rows of {file} with "{value}" as {column} (to|into) {target}',
        'filter {file} by {column} "{value}" into {target}',
        'I only need the rows of {file} whose {column} is "{value}", in {target}',
        'from {file}, copy the rows whose {column} equals "{value}" to {target}',
    )
    asks_zh = ('把 {file} 里 {column} 为 "{value}" 的行保存到 {target}', '筛选 {file} 中 {column} 等于 "{value}" 的行，写入 {target}')  # fmt: skip

    def draw(self, draw: Draw) -> Values:
        return {
            "file": draw.file(".csv"),
            "column": draw.rng.choice(KEYS),
            "value": draw.fresh(
                lambda: (
                    draw.rng.choice(MEMBERS) + draw.rng.choice(["", " 1", " 2", "-a", "-b", "-c"])
                )
            ),
            "target": draw.file(".csv", "filtered selected chosen subset part extract picked"),
        }

    def prepare(self, world: World, values: Values) -> None:
        members = [values["value"], *[each for each in MEMBERS if each != values["value"]][:3]]
        world.write(values["file"], sales(world, values["column"], "amount", members))
        world.write(f"{values['target'].rpartition('/')[0]}/beside.md", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        script = f"""import csv

with open({str(world.path(values["file"]))!r}, newline="", encoding="utf-8") as source:
    reader = csv.DictReader(source)
    rows = [row for row in reader if row[{values["column"]!r}] == {values["value"]!r}]
with open({str(world.path(values["target"]))!r}, "w", newline="", encoding="utf-8") as target:
    writer = csv.DictWriter(target, reader.fieldnames)
    writer.writeheader()
    writer.writerows(rows)
print(len(rows), "rows")
"""
        return [
            use("file_read", path=values["file"]),
            python(script),
            bash(f"head {values['target']}"),
            say("The rows are written."),
        ]

    def after(self, before: State, values: Values) -> State:
        head, *rows = before[values["file"][2:]]
        at = head.index(values["column"])
        return before | {
            values["target"][2:]: [head, *[row for row in rows if row[at] == values["value"]]]
        }


class SumBy(Task):
    name, kind = "sum-by", "tables"
    asks = (
        "add up {amount} by {column} in {file}",
        "what is the total {amount} per {column} in {file}?",
        "sum (the |){amount} for each {column} in {file}",
        "give me the sum of {amount} by {column} from {file}",
        "how much {amount} is there for (each|every) {column} in {file}?",
    )
    asks_zh = (
        "按 {column} 汇总 {file} 里的 {amount}",
        "(统计|计算) {file} 中每个 {column} 的 {amount} 总和",
    )

    def draw(self, draw: Draw) -> Values:
        column, amount = draw.fresh(lambda: (draw.rng.choice(KEYS), draw.rng.choice(AMOUNTS)))
        return {"file": draw.file(".csv"), "column": column, "amount": amount}

    def prepare(self, world: World, values: Values) -> None:
        world.write(
            values["file"],
            sales(world, values["column"], values["amount"], world.rng.sample(MEMBERS, 3)),
        )

    def teach(self, world: World, values: Values) -> list[Reply]:
        script = f"""import csv
from collections import defaultdict

totals = defaultdict(int)
with open({str(world.path(values["file"]))!r}, newline="", encoding="utf-8") as source:
    for row in csv.DictReader(source):
        totals[row[{values["column"]!r}]] += int(row[{values["amount"]!r}])
for key in sorted(totals):
    print(f"{{key}}: {{totals[key]}}")
"""
        return [use("file_read", path=values["file"]), python(script), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        totals: dict[str, int] = defaultdict(int)
        for row in records(before, values["file"]):
            totals[row[values["column"]]] += int(row[values["amount"]])
        return lists(answer, [f"{key}: {total}" for key, total in totals.items()]) and sorted(
            numbers(answer, values)
        ) == sorted(totals.values())


class Join(Task):
    name, kind = "join-tables", "tables"
    asks = (
        "join {left} and {right} on {column} into {target}",
        "(combine|merge) {left} with {right} by {column} into {target}",
        "join the tables {left} and {right} on the column {column} and save that as {target}",
        "match {left} with {right} by {column}, result in {target}",
        "make {target} from {left} and {right}, joined on {column}",
    )
    asks_zh = (
        "按 {column} 把 {left} 和 {right} 连接成 {target}",
        "用 {column} 列合并 {left} 与 {right}，保存到 {target}",
    )

    def draw(self, draw: Draw) -> Values:
        return {
            "left": draw.file(".csv", "orders sales visits bookings payments calls trips"),
            "right": draw.file(".csv", "people clients members guests staff pupils owners"),
            "column": draw.of(
                "id number code ref key person_id member_no ticket_no badge client_id staff_no account guest_id pass_no"
            ),
            "target": draw.file(".csv", "joined combined both matched together full"),
        }

    def prepare(self, world: World, values: Values) -> None:
        ids = [f"N{number}" for number in world.rng.sample(range(100, 999), 6)]
        left = [[values["column"], "day", "sum"], *([each, at + 1, world.rng.randint(5, 99)] for at, each in enumerate(ids[:5]))]  # fmt: skip
        right = [[values["column"], "name"], *([each, name] for each, name in zip(ids, world.rng.sample(NAMES, 6), strict=True))]  # fmt: skip
        world.write(values["left"], as_csv(left))
        world.write(values["right"], as_csv([right[0], *world.rng.sample(right[1:], 6)]))
        world.write(f"{values['target'].rpartition('/')[0]}/beside.md", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        script = f"""import csv

key = {values["column"]!r}
with open({str(world.path(values["right"]))!r}, newline="", encoding="utf-8") as file:
    known = {{row[key]: row for row in csv.DictReader(file)}}
with open({str(world.path(values["left"]))!r}, newline="", encoding="utf-8") as file:
    joined = [{{**row, **known[row[key]]}} for row in csv.DictReader(file) if row[key] in known]
with open({str(world.path(values["target"]))!r}, "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, list(joined[0]))
    writer.writeheader()
    writer.writerows(joined)
print(len(joined), "rows")
"""
        return [use("file_read", path=values["left"]), use("file_read", path=values["right"]), python(script), bash(f"head {values['target']}"), say("Joined.")]  # fmt: skip

    def after(self, before: State, values: Values) -> State:
        names = {row[values["column"]]: row["name"] for row in records(before, values["right"])}
        head, *rows = before[values["left"][2:]]
        return before | {
            values["target"][2:]: [[*head, "name"], *[[*row, names[row[0]]] for row in rows]]
        }


class CsvToJson(Task):
    name, kind = "csv-to-json", "tables"
    asks = (
        "convert {file} to {target}",
        "(turn|transform) {file} into (JSON, |){target}",
        "make a JSON file {target} (out of|from) {file}",
        "I need {file} as JSON in {target}",
        "export {file} as JSON to {target}",
    )
    asks_zh = ("把 {file} 转换成 {target}", "将 {file} 转成 JSON，保存为 {target}")

    def draw(self, draw: Draw) -> Values:
        return {
            "file": draw.file(".csv"),
            "target": draw.file(".json", "data table export rows entries items"),
        }

    def prepare(self, world: World, values: Values) -> None:
        world.write(
            values["file"],
            sales(world, world.rng.choice(KEYS), world.rng.choice(AMOUNTS), MEMBERS[:4], 6),
        )
        world.write(f"{values['target'].rpartition('/')[0]}/beside.md", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        script = f"""import csv, json, os

with open(os.path.expanduser({values["file"]!r}), newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
with open(os.path.expanduser({values["target"]!r}), "w", encoding="utf-8") as file:
    json.dump(rows, file, ensure_ascii=False, indent=2)
print(len(rows))
"""
        return [python(script), bash(f"head -c 200 {values['target']}"), say("Converted.")]

    def after(self, before: State, values: Values) -> State:
        return before | {values["target"][2:]: records(before, values["file"])}


class SortTable(Task):
    name, kind = "sort-table", "tables"
    asks = (
        "sort {file} by {column}, largest first, into {target}",
        "write {file} sorted by {column}, (highest|biggest) first, to {target}",
        "order the rows of {file} by {column} descending and save them in {target}",
        "put the rows of {file} in order of {column}, largest first, into {target}",
        "make {target}: {file} sorted by {column} from large to small",
    )
    asks_zh = (
        "把 {file} 按 {column} 从大到小排序，保存到 {target}",
        "按 {column} 降序排列 {file}，写到 {target}",
    )

    def draw(self, draw: Draw) -> Values:
        return {"file": draw.file(".csv"), "column": draw.rng.choice(AMOUNTS), "target": draw.file(".csv", "sorted ranked ordered ranking list table")}  # fmt: skip

    def prepare(self, world: World, values: Values) -> None:
        world.write(values["file"], sales(world, "region", values["column"], MEMBERS[:4], 8))
        world.write(f"{values['target'].rpartition('/')[0]}/beside.md", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        script = f"""import csv

with open({str(world.path(values["file"]))!r}, newline="", encoding="utf-8") as file:
    reader = csv.DictReader(file)
    rows = sorted(reader, key=lambda row: float(row[{values["column"]!r}]), reverse=True)
with open({str(world.path(values["target"]))!r}, "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, reader.fieldnames)
    writer.writeheader()
    writer.writerows(rows)
"""
        return [
            use("file_read", path=values["file"]),
            python(script),
            bash(f"head {values['target']}"),
            say("Sorted."),
        ]

    def after(self, before: State, values: Values) -> State:
        head, *rows = before[values["file"][2:]]
        at = head.index(values["column"])
        return before | {values["target"][2:]: [head, *sorted(rows, key=lambda row: -int(row[at]))]}


class TopRows(Task):
    name, kind = "top-rows", "tables"
    asks = (
        "who are the top {count} by {column} in {file}?",
        "show (me |)the {count} names with the (highest|most) {column} in {file}",
        "list the top {count} (people|names) in {file} by {column}",
        "which {count} people in {file} have the (largest|highest) {column}?",
        "give me the best {count} of {file} by {column}",
    )
    asks_zh = (
        "{file} 里 {column} 最高的 {count} 个人是谁？",
        "列出 {file} 中 {column} 排名前 {count} 的名字",
    )

    def draw(self, draw: Draw) -> Values:
        count, column = draw.fresh(lambda: (draw.rng.randint(2, 9), draw.rng.choice(AMOUNTS)))
        return {"file": draw.file(".csv"), "column": column, "count": count}

    def prepare(self, world: World, values: Values) -> None:
        world.write(values["file"], sales(world, "region", values["column"], MEMBERS[:4], 12))

    def teach(self, world: World, values: Values) -> list[Reply]:
        script = f"""import csv

with open({str(world.path(values["file"]))!r}, newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
rows.sort(key=lambda row: int(row[{values["column"]!r}]), reverse=True)
for row in rows[:{values["count"]}]:
    print(row["name"])
"""
        return [use("file_read", path=values["file"]), python(script), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        ranked = sorted(
            records(before, values["file"]), key=lambda row: -int(row[values["column"]])
        )
        names = [row["name"] for row in ranked]
        return lists(answer, names[: values["count"]], names[values["count"] :], in_order=True)


class JsonField(Task):
    name, kind = "json-field", "tables"
    asks = (
        "list the {field} of all entries in {file}",
        "show (me |)(every|each) {field} in {file}",
        "which {field}s are in {file}?",
        "print all {field} values from {file}",
        "get the {field} of every entry of {file}",
    )
    asks_zh = ("列出 {file} 里所有条目的 {field}", "显示 {file} 中每一项的 {field}")

    def draw(self, draw: Draw) -> Values:
        return {"file": draw.file(".json"), "field": draw.of("title author city email phone street genre maker owner label country nickname isbn website company birthday postcode department language currency shelf editor")}  # fmt: skip

    def prepare(self, world: World, values: Values) -> None:
        fields = ["title", "author", "city", "email", values["field"]]
        rows = [
            {name: f"{name[:2]}-{world.rng.randint(100, 999)}-{at}" for name in fields}
            for at in range(5)
        ]
        world.write(values["file"], json.dumps(rows, indent=1))

    def teach(self, world: World, values: Values) -> list[Reply]:
        script = f"""import json

with open({str(world.path(values["file"]))!r}, encoding="utf-8") as file:
    for entry in json.load(file):
        print(entry[{values["field"]!r}])
"""
        return [python(script), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        rows = before[values["file"][2:]]
        wanted = [row[values["field"]] for row in rows]
        return lists(
            answer,
            wanted,
            {each for row in rows for each in row.values()} - set(wanted),
            in_order=True,
        )


TABLES = (FilterRows(), SumBy(), Join(), CsvToJson(), SortTable(), TopRows(), JsonField())
