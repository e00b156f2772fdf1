"""What a task of the bench is, and the world that it is done in: a folder of the owner's and an order desk."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import time
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bench.desk import Books, Desk
from tests.scripted_server import Answer

Values = dict[str, Any]
State = dict[
    str, Any
]  # path below the owner's folder → content; "desk" → its books; REPO/.git → what git says
Reply = (
    Answer | Callable[[list[str]], Answer]
)  # a function is given the outputs of the calls so far
DAY = 86400
GIT = {
    "GIT_AUTHOR_NAME": "Owner",
    "GIT_AUTHOR_EMAIL": "owner@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
}
GIT |= {
    name.replace("AUTHOR", "COMMITTER"): value for name, value in GIT.items() if "AUTHOR" in name
}


class World:
    """The owner's folder (~) and the desk. `clear` empties both; `state` is what a run could have changed."""

    def __init__(self, owner: Path, desk: Desk) -> None:
        self.owner, self.desk, self.rng = owner, desk, Random(0)

    def clear(self) -> None:
        for entry in self.owner.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        self.desk.books = Books()

    def path(self, text: str) -> Path:
        """`~/a/b` in this world."""
        return self.owner / text.removeprefix("~").lstrip("/")

    def folder(self, text: str) -> Path:
        self.path(text).mkdir(parents=True, exist_ok=True)
        return self.path(text)

    def write(self, text: str, content: str | bytes, days_old: float = 0) -> None:
        """A file; `days_old` is when it was changed last."""
        place = self.path(text)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        if days_old:
            at = time.time() - days_old * DAY
            os.utime(place, (at, at))

    def git(self, repo: str, *words: str, at: str = "") -> str:
        """One git command in a repository; `at` is the date of what it commits."""
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
        settings = ["-c", "init.defaultBranch=main", "-c", "advice.detachedHead=false"]
        done = subprocess.run(
            ["git", *settings, *words],
            cwd=self.folder(repo),
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": os.environ["PATH"], "HOME": str(self.owner)} | GIT | dates,
        )
        return done.stdout

    def commit(self, repo: str, files: dict[str, str], message: str, at: str = "") -> None:
        for name, content in files.items():
            self.write(f"{repo}/{name}", content)
        self.git(repo, "add", "-A", at=at)
        self.git(repo, "commit", "-q", "-m", message, at=at)

    def state(self) -> State:
        """Everything that is there now, in a form that two right ways of doing a task agree on."""
        found: State = {}
        for folder, folders, files in os.walk(self.owner):
            here = Path(folder)
            if ".git" in folders:
                folders.remove(".git")
                repo = str(here.relative_to(self.owner))
                found[f"{repo}/.git"] = self._repository(repo)
            name = here.relative_to(self.owner).as_posix()
            if name != "." and not files and not folders:
                found[f"{name}/"] = "empty folder"
            found |= {
                (here / file).relative_to(self.owner).as_posix(): content_of(here / file)
                for file in files
            }
        return found | {"desk": self.desk.state()}

    def _repository(self, repo: str) -> list[str]:
        refs = self.git(repo, "for-each-ref", "--format=%(refname) %(objectname)").split("\n")
        head = self.git(repo, "symbolic-ref", "HEAD").strip()
        return sorted(
            [
                *filter(None, refs),
                f"HEAD {head}",
                *self.git(repo, "status", "--porcelain").split("\n"),
            ]
        )


def content_of(path: Path) -> Any:
    """A file as what it says: rows of a table, JSON, members of an archive, lines of a text."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b" or data[:4] == b"PK\x03\x04":
        return _members(data)
    text = data.decode("utf-8", "replace")
    if path.suffix == ".csv":
        return [row for row in csv.reader(io.StringIO(text)) if row]
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except ValueError:
            return f"not JSON: {text}"
    return text.removesuffix("\n")


def _members(data: bytes) -> dict[str, str]:
    """What an archive holds: files by their path below the folder that was packed."""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            found = {
                name: packed.read(name) for name in packed.namelist() if not name.endswith("/")
            }
    else:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            members = [member for member in tar.getmembers() if member.isfile()]
            found = {
                member.name: (tar.extractfile(member) or io.BytesIO()).read() for member in members
            }
    names = [name.removeprefix("./").split("/") for name in found]
    shared = 0
    while names and all(
        len(parts) > shared + 1 and parts[shared] == names[0][shared] for parts in names
    ):
        shared += 1
    return {
        "/".join(parts[shared:]): found[name].decode()
        for parts, name in zip(names, found, strict=True)
    }


class Draw:
    """Values that no request of the same task has had; where a pool runs dry, at least none of the teaching's."""

    def __init__(self, rng: Random, url: str = "") -> None:
        self.rng, self.url = rng, url  # `url` is the desk's address
        self._used: set[str] = set()
        self._taught: set[str] = set()

    def has_taught(self) -> None:
        """What was drawn up to now was for the teaching."""
        self._taught = set(self._used)

    def fresh(self, make: Callable[[], Any]) -> Any:
        """What `make` gives, until it is new."""
        for attempt in range(2000):
            made = make()
            if str(made).casefold() not in (self._used if attempt < 1000 else self._taught):
                self._used.add(str(made).casefold())
                return made
        raise ValueError(f"the pool is too small: {made!r}")

    def of(self, pool: str | Sequence[str]) -> str:
        words = pool.split() if isinstance(pool, str) else pool
        return str(self.fresh(lambda: self.rng.choice(words)))

    def number(self, least: int, most: int) -> int:
        return int(self.fresh(lambda: self.rng.randint(least, most)))

    def folder(self, pool: str = "Downloads Pictures Documents photos invoices scans reports drafts inbox music lectures receipts letters notes projects backups exports papers slides clips 资料 下载 照片") -> str:  # fmt: skip
        """`~/Documents/scans`, `~/My Photos`, `~/照片`."""

        def make() -> str:
            parent = self.rng.choice(["", "", "", "Documents/", "work/", "old/", "2025/"])
            name = self.rng.choice(pool.split())
            return f"~/{parent}{self.rng.choice(['', '', '', '', 'My ', 'team-'])}{name}"

        return str(self.fresh(make))

    def file(self, suffix: str, pool: str = "notes report minutes letter draft summary plan list diary journal agenda manual script story review outline memo paper thesis budget") -> str:  # fmt: skip
        """`~/Documents/report.txt`."""

        def make() -> str:
            parent = self.rng.choice(["", "", "Documents/", "work/", "projects/", "desk/"])
            name = self.rng.choice(pool.split())
            return f"~/{parent}{name}{self.rng.choice(['', '', '', '-2024', '_v2', '-final', '-north'])}{suffix}"

        return str(self.fresh(make))

    def word(self) -> str:
        return self.of(WORDS)


WORDS = "apple river window garden bridge winter summer copper silver market castle forest island rocket basket candle ticket pepper orange violet hammer ladder mirror anchor harbor meadow planet tunnel carpet button bottle saddle turtle falcon spider walnut cherry ginger butter cotton velvet marble pencil socket branchy thunder whisper lantern compass"  # fmt: skip


def words(text: str) -> list[str]:
    """The words of a pool."""
    return text.split()


class Task(ABC):
    """One kind of task. Sentences hold (choices|of words) and {values}; the first of `asks` is the one that teaches."""

    name: str
    kind: str
    asks: tuple[str, ...]
    asks_zh: tuple[str, ...]
    taught_in = "en"

    @abstractmethod
    def draw(self, draw: Draw) -> Values:
        """Other values each time."""

    @abstractmethod
    def prepare(self, world: World, values: Values) -> None:
        """Makes what the request is about, and things beside it that must not be touched."""

    @abstractmethod
    def teach(self, world: World, values: Values) -> list[Reply]:
        """What a competent model would do about it, call by call, and what it would say at the end."""

    def after(self, before: State, values: Values) -> State:
        """The state of the world when the request has been done, worked out without any tool."""
        return before

    def answers(self, before: State, values: Values, answer: str) -> bool:
        """Whether the answer says what it must, and nothing else of its kind."""
        return True


# replies


def bash(script: str) -> Answer:
    return use("code_run", type="bash", script=script)


def python(script: str) -> Answer:
    return use("code_run", type="python", script=script)


def use(tool: str, **args: Any) -> Answer:
    return Answer(calls=[{"name": tool, "args": args}])


def say(text: str) -> Answer:
    return Answer(text=text)


def say_output(outputs: list[str]) -> Answer:
    """The last output as the answer."""
    return Answer(text=outputs[-1].strip())


# sentences


def sentence(template: str, values: Values, rng: Random) -> str:
    """A template with its choices made and its values filled in; paths with spaces in quotes."""
    while found := re.search(r"\(([^()]*)\)", template):
        template = (
            template[: found.start()] + rng.choice(found[1].split("|")) + template[found.end() :]
        )
    said = re.sub(r"\{(\w+)\}", lambda match: _spoken(values[match[1]]), template)
    said = re.sub(r" +", " ", said).strip()
    return said[:1].upper() + said[1:] if rng.random() < 0.5 and not said.startswith("~") else said


def _spoken(value: Any) -> str:
    text = str(value)
    return f'"{text}"' if " " in text and text.startswith(("~", "/")) else text


def ways(template: str) -> int:
    """How many sentences a template can make."""
    total = 1
    for group in re.findall(r"\(([^()]*)\)", template):
        total *= group.count("|") + 1
    return total


# what an answer says


def numbers(answer: str, values: Values) -> list[int]:
    """The whole numbers of an answer, without those of the request."""
    for value in sorted(map(str, values.values()), key=len, reverse=True):
        answer = answer.replace(value, " ")
    return [
        int(number.replace(",", ""))
        for number in re.findall(r"(?<![\w.])\d[\d,]*(?![\w]|\.\d)", answer)
    ]


def says_number(answer: str, number: int, values: Values) -> bool:
    """The one number of an answer. Where it is also a value of the request it may have been taken for that."""
    found = set(numbers(answer, values))
    return found == {number} or (not found and number in values.values() and str(number) in answer)


def lists(
    answer: str, wanted: Iterable[str], unwanted: Iterable[str] = (), *, in_order: bool = False
) -> bool:
    """Whether an answer names all of these and none of those."""
    places = [_place(answer, each) for each in wanted]
    named = [each for each in unwanted if _place(answer, each) >= 0]
    return min(places, default=0) >= 0 and not named and (not in_order or places == sorted(places))


def _place(answer: str, text: str) -> int:
    found = re.search(rf"(?<![\w-]){re.escape(text)}(?![\w-])", answer)
    return found.start() if found else -1
