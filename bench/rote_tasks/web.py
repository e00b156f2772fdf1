"""HTTP against a local server: fetch and save, post a record, wait until something is ready."""

from __future__ import annotations

import json

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

FIRST = words("Anna Boris Clara David Elena Felix Greta Hugo Ines Jonas Karin Liam Mona Nils Olga Paul Rosa Simon Tessa Viktor")  # fmt: skip
LAST = words("Berg Lorenz Novak Keller Moreau Silva Okafor Haddad Tanaka Weber Rossi Lindgren Fischer Costa Duval Meier Brandt")  # fmt: skip


def person(draw: Draw) -> str:
    return str(draw.fresh(lambda: f"{draw.rng.choice(FIRST)} {draw.rng.choice(LAST)}"))


class FetchAndSave(Task):
    name, kind = "fetch-and-save", "http"
    asks = (
        "download {url} to {file}",
        "(fetch|get) {url} and save it as {file}",
        "save what is at {url} (to|in) {file}",
        "please download {url} into the file {file}",
        "load {url} and store it in {file}",
    )
    asks_zh = ("下载 {url} 到 {file}", "把 {url} 的内容保存到 {file}")

    def draw(self, draw: Draw) -> Values:
        name = draw.of([f"{word}-{number}.txt" for word in ("price", "menu", "rules", "faq", "terms", "rates") for number in range(1, 9)])  # fmt: skip
        return {
            "url": f"{draw.url}/files/{name}",
            "file": draw.file(".txt", "saved fetched page download copy offline"),
        }

    def prepare(self, world: World, values: Values) -> None:
        world.desk.books.files[values["url"].rpartition("/")[2]] = (
            f"what {world.rng.random()} says\n" * 3
        )
        world.write(f"{values['file'].rpartition('/')[0]}/beside.md", "beside")

    def teach(self, world: World, values: Values) -> list[Reply]:
        file = values["file"]
        return [bash(f"curl -fsS -o {file} {values['url']} && wc -c {file}"), say("It is saved.")]

    def after(self, before: State, values: Values) -> State:
        return before | {
            values["file"][2:]: before["desk"]["files"][values["url"].rpartition("/")[2]].rstrip(
                "\n"
            )
        }


class PostContact(Task):
    name, kind = "post-contact", "http"
    asks = (
        'add the contact "{name}" with the e-mail {email} to the order desk',
        'put "{name}" ({email}) into the contacts of the order desk',
        'create a contact at the order desk: "{name}", {email}',
        'the order desk needs a new contact "{name}", e-mail {email}',
        'save {email} as the e-mail of the new contact "{name}" at the order desk',
    )
    asks_zh = (
        '在订单台添加联系人 "{name}"，邮箱 {email}',
        '给订单台新建一个联系人 "{name}"，邮箱是 {email}',
    )

    def draw(self, draw: Draw) -> Values:
        name = person(draw)
        return {"name": name, "email": f"{name.split()[0].lower()}@{draw.word()}.example"}

    def prepare(self, world: World, values: Values) -> None:
        if not world.desk.books.contacts:
            world.desk.books.contacts.append(
                {"id": "K-001", "name": "First One", "email": "first@one.example"}
            )

    def teach(self, world: World, values: Values) -> list[Reply]:
        url, body = world.desk.url, json.dumps({"name": values["name"], "email": values["email"]})
        post = f"curl -fsS -X POST -H 'Content-Type: application/json' -d '{body}' {url}/contacts"
        return [bash(post), say("The contact is added.")]

    def after(self, before: State, values: Values) -> State:
        contacts = before["desk"]["contacts"]
        new = {"id": f"K-{len(contacts) + 1:03}", "name": values["name"], "email": values["email"]}
        return before | {"desk": before["desk"] | {"contacts": [*contacts, new]}}


class WaitForJob(Task):
    name, kind = "wait-for-job", "http"
    asks = (
        "wait until job {job} at the order desk is done and tell me its result",
        "tell me the result of job {job} (at|of) the order desk as soon as it is ready",
        "what is the result of the order desk's job {job}? Wait until it is finished",
        "wait for job {job} of the order desk and give me the result",
        "when job {job} at the order desk has finished, what is its result?",
    )
    asks_zh = ("等订单台的任务 {job} 完成后告诉我结果", "订单台任务 {job} 完成了就把结果告诉我")

    def draw(self, draw: Draw) -> Values:
        return {"job": f"J-{draw.number(100, 999)}"}

    def prepare(self, world: World, values: Values) -> None:
        for job in (values["job"], f"J-{world.rng.randint(1000, 1999)}"):
            result = f"{world.rng.choice(FIRST)}-{world.rng.randint(1000, 9999)}"
            world.desk.books.jobs[job] = {"id": job, "state": "done", "result": result}
            world.desk.books.looks[job] = world.rng.randint(1, 3)

    def teach(self, world: World, values: Values) -> list[Reply]:
        script = f"""import json, time, urllib.request

for _ in range(100):
    with urllib.request.urlopen("{world.desk.url}/jobs/{values["job"]}", timeout=10) as answer:
        job = json.load(answer)
    if job["state"] == "done":
        break
    time.sleep(0.05)
print(job["result"])
"""
        return [python(script), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        jobs = before["desk"]["jobs"]
        return lists(answer, [jobs[values["job"]]["result"]], [job["result"] for name, job in jobs.items() if name != values["job"]])  # fmt: skip


WEB = (FetchAndSave(), PostContact(), WaitForJob())
