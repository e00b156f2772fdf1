"""Plays BOOTSTRAP.md: asks its questions, shows the answers, writes them into OWNER.md and
SPIRIT.md, and removes it.

All answers are there before anything is written, and BOOTSTRAP.md goes last: whoever leaves in
between is asked again the next time. Source: seed 004 §6.1; shared contract "The home folder".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from memory.files import Unreadable, read_owner_text, write_atomic
from memory.history import Repository
from memory.workspace import FILES, FIRST_START, is_answered, is_template, lay_out, template
from ui.sanitise import one_line
from ui.terminal import consent
from ui.words import say, words_of

MAY_BE_WRITTEN = ("OWNER.md", "SPIRIT.md")
MAX_ANSWER_CHARS = 2000
MAX_QUESTIONS = 20
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)

Ask = Callable[[str], str]  # a prompt → a line; raises EOFError or KeyboardInterrupt


class Question(NamedTuple):
    """Hold what is asked, and behind which label of which file the answer is written."""

    ask: str
    file: str
    label: str


def prepare(home: Path, lang: str) -> bool:
    """Make the workspace files that are missing; True when BOOTSTRAP.md is there to be played.
    Raises OSError."""
    made = lay_out(home, lang)
    Repository(home).commit(
        [name for name in made if name in (*FILES, FIRST_START)], "workspace files as shipped"
    )
    put_away(home)
    return (home / FIRST_START).exists()


def put_away(home: Path) -> None:
    """Remove BOOTSTRAP.md when what it asks is answered already. Raises OSError."""
    if (home / FIRST_START).exists() and is_answered(home):
        _write(home, {})


def questions(home: Path, lang: str) -> list[Question]:
    """Return the questions of BOOTSTRAP.md; those that are shipped when it is broken, which is
    told."""
    try:
        found = _parse(read_owner_text(home, FIRST_START).text)
    except (Unreadable, OSError):
        found = []
    if not found:
        print(say("bootstrap.broken"))
    return found or _parse(template(FIRST_START, lang))


def play(home: Path, lang: str, ask: Ask) -> bool:
    """Ask, show, write. False when whoever answers has left; nothing is changed then. Raises
    OSError."""
    print(say("bootstrap.begin"))
    try:
        answers = _answers(questions(home, lang), ask)
        texts = ((name, _filled(home, lang, name, answers)) for name in MAY_BE_WRITTEN)
        kept = {
            name: text for name, text in texts if text is not None and _may_write(home, name, ask)
        }
    except (EOFError, KeyboardInterrupt):
        print("\n" + say("bootstrap.left"))
        return False
    _write(home, kept)
    print(say("bootstrap.written", files=", ".join(kept)) if kept else say("bootstrap.nothing"))
    return True


def _answers(asked: list[Question], ask: Ask) -> list[tuple[Question, str]]:
    """Return the answers that were given, once whoever gave them agrees with what is shown."""
    while True:
        answers = [
            (question, one_line(ask(f"{question.ask} "), MAX_ANSWER_CHARS)) for question in asked
        ]
        given = [(question, answer) for question, answer in answers if answer]
        print(say("bootstrap.shown") if given else say("bootstrap.unanswered"))
        for question, answer in given:
            print(f"  {question.file}  {question.label}: {answer}")
        if _agrees(say("bootstrap.right"), ask):
            return given


def _agrees(prompt: str, ask: Ask) -> bool:
    """Return a plain yes or no; anything else is asked again, also nothing at all."""
    while True:
        text = ask(f"{prompt} ")
        meaning = consent.read(text).meaning
        if text.strip() and meaning in ("once", "no"):
            return meaning == "once"
        print(say("bootstrap.yes_or_no"))


def _may_write(home: Path, name: str, ask: Ask) -> bool:
    """Return True if a file may be changed: asked when the owner wrote it."""
    try:
        text = read_owner_text(home, name).text
    except FileNotFoundError:
        return True
    return (
        is_template(name, text)
        or not text.strip()
        or _agrees(say("bootstrap.change", file=name), ask)
    )


def _filled(home: Path, lang: str, name: str, answers: list[tuple[Question, str]]) -> str | None:
    """Return the text of a file with the answers in it; None when there is none for it, or it
    cannot be read."""
    given = [(question.label, answer) for question, answer in answers if question.file == name]
    if not given:
        return None
    try:
        text = read_owner_text(home, name).text
    except FileNotFoundError:
        text = template(name, lang)
    except Unreadable as error:
        print(say("bootstrap.unreadable", why=words_of(error)))
        return None
    for label, answer in given:
        text = _fill(text, label, answer)
    return text


def _fill(text: str, label: str, answer: str) -> str:
    """Return the text with the answer behind "- label:", in a new line at its end where there is
    none."""
    mark = "：" if re.search(r"[\u3400-\u9fff]$", label) else ":"
    line = f"- {label}{mark}{'' if mark == '：' else ' '}{answer}"
    pattern = re.compile(rf"^- {re.escape(label)}[ \t]*[:：].*$", re.MULTILINE)
    if pattern.search(text):
        return pattern.sub(lambda _: line, text, count=1)
    return f"{text.rstrip()}\n{line}\n"


def _write(home: Path, texts: dict[str, str]) -> None:
    history = Repository(home)
    with history.locked():
        paths = [*texts, FIRST_START]
        history.commit_hand_edits(paths)
        for name, text in texts.items():
            write_atomic(home / name, text, mode=0o600)
        (home / FIRST_START).unlink(missing_ok=True)
        history.commit(paths, "first start: the owner's answers")


def _parse(text: str) -> list[Question]:
    """Return the questions of a BOOTSTRAP.md; none where one of them cannot be asked."""
    import yaml

    match = _FRONT_MATTER.match(text)
    try:
        front = yaml.safe_load(match[1]) if match else None
    except (yaml.YAMLError, ValueError, RecursionError):
        front = None
    asked = front.get("questions") if isinstance(front, dict) else None
    found = [_question(each) for each in asked] if isinstance(asked, list) else []
    sound = [each for each in found if each is not None]
    return sound if len(sound) == len(found) <= MAX_QUESTIONS else []


def _question(said: Any) -> Question | None:
    values = [said.get(name) for name in Question._fields] if isinstance(said, dict) else []
    texts = [one_line(each, 300) for each in values if isinstance(each, str) and each.strip()]
    if len(texts) != len(Question._fields):
        return None
    question = Question(*texts)
    return question if question.file in MAY_BE_WRITTEN else None
