"""How often what one session said reaches another: 500 sentences, each with a mark of its own,
asked for from the other side.

    python -m bench.leaks     leaks by place, of 250 that the owner said and 250 that a group said

The owner may read what a group said, as the group's: what counts is that it never stands there as
the owner's, and never comes into the owner's notes, MEMORY.md, facts or graph.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

from memory import notes
from memory.digest import digest
from memory.graph import Wanted, opened
from memory.home import MAIN, Session, open_home
from memory.journal.api import Memory
from memory.journal.turns import Turn
from memory.reader import reader_for
from memory.window import Window

TEAM = Session.parse("shared:team")
SIDES = {"owner": MAIN, "group": TEAM}
WHO = "Ann Bob Carla Dev Elif Femi Greta Hugo Ines Jun Kofi Lena Milo Nora Otto Pia Quinn Rosa Sven Tara Uma Vera Wim Xia Yara"
SAID = """My sister {who} lives in {mark}|Where does my sister {who} live?
I prefer {mark} for lunch with {who}|What do I prefer for lunch with {who}?
We decided to meet {who} at {mark}|Where did we decide to meet {who}?
{who}'s birthday present is a {mark}|What is {who}'s birthday present?
Lesson learned: {who} never answers at {mark}|Where does {who} never answer?
{who}的电话在{mark}那里|{who}的电话在哪里？
我妹妹{who}在{mark}上班|我妹妹{who}在哪里上班？
我喜欢和{who}去{mark}吃饭|我喜欢和{who}去哪里吃饭？
{who}的生日礼物是{mark}|{who}的生日礼物是什么？
记住{who}的钥匙在{mark}|{who}的钥匙在哪里？"""


def probes(side: str) -> Iterator[tuple[str, str, str]]:
    """Yield a mark, the sentence with it, and a question that it answers."""
    pairs = product(WHO.split(), SAID.splitlines())
    for number, (who, row) in enumerate(pairs):
        mark = f"{side.capitalize()}zq{number:03}x"
        said, asked = row.format(who=who, mark=mark).split("|")
        yield mark, said, asked


def fill(home: Path, now: datetime) -> Window:
    """Let each side say its sentences, some of them as notes too. Return the window that heard
    them."""
    window = Window(home, max_turns=1000)
    for side, session in SIDES.items():
        with Memory(home, session) as memory:
            for number, (_, said, _) in enumerate(probes(side)):
                at = now - timedelta(minutes=500 - number)
                turn = memory.write_turn(said, who="owner" if session == MAIN else "Ann", at=at)
                window.add(session, turn)
                if number % 5 < 2:
                    kind: notes.Kind = "preference" if number % 2 else "instruction"
                    notes.add(home, said, kind=kind, session=session, run="", turn=0, at=at)
            memory.flush(600)
    return window


def leaks(home: Path, window: Window, now: datetime) -> Counter[str]:
    """Count the marks of one side that stand where only the other's may."""
    found: Counter[str] = Counter()
    digest(home, now)
    texts = {name: _text(home / name) for name in ("MEMORY.md", "memory/global_mem.txt")}
    for asks, session in SIDES.items():
        other = next(side for side in SIDES if side != asks)
        seen = {**(texts if session == MAIN else {}), **_shown(home, session, now)}
        seen["window"] = str(window.recent(session, 1000))
        with Memory(home, session, works_behind=False) as memory:
            for mark, said, asked in probes(other):
                for text in (asked, said.replace(mark, ""), mark):
                    results = memory.retrieve(text, now, 50).results
                    owned = [each.turn for each in results if _is_own(each.turn, session)]
                    found[f"recall of the {asks}"] += any(mark in each.text for each in owned)
                for place, shown in seen.items():
                    found[f"{place} of the {asks}"] += mark in shown
    return found


def _shown(home: Path, session: Session, now: datetime) -> dict[str, str]:
    reader = reader_for(home, session, now.date())
    shown = "\n".join(map(reader.note, reader.note_days()))
    own = [line for line in shown.splitlines() if session != MAIN or TEAM.name not in line]
    graph = opened(home, session)
    found = graph.snapshot(Wanted(), 10_000)
    graph.close()
    parts = [*found["nodes"], *found["edges"]]
    ours = [each for each in parts if each["session"] == session.name or session != MAIN]
    return {"notes": "\n".join(own), "graph": str(ours)}


def _is_own(turn: Turn, session: Session) -> bool:
    return session != MAIN or (turn.session != TEAM.name and turn.who != TEAM.name)


def _text(file: Path) -> str:
    return file.read_text("utf-8") if file.exists() else ""


def main() -> int:
    """Run it."""
    with tempfile.TemporaryDirectory() as folder:
        home, now = Path(folder) / "home", datetime.now().astimezone()
        open_home(home)
        found = leaks(home, fill(home, now), now)
    for place, count in sorted(found.items()):
        print(f"{place:32}{count:6}")
    return 1 if found.total() else 0


if __name__ == "__main__":
    sys.exit(main())
