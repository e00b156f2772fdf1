"""The mind graph: what is derived stays in step with what was said; `memory graph`; recall knows
whom "my sister" means."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.graph import Graph, Wanted, correct, opened, synonyms
from memory.home import Session
from memory.journal.api import Memory
from memory.journal.store import Store
from memory.journal.sync import check, rebuild
from memory.recall import search
from tests.conftest import CHECKOUT, CommandLine
from tests.graphs import START, edges, same, say

TEAM, OTHERS = Session.parse("shared:team"), Session.parse("shared:others")
LATER = START + timedelta(days=100)
TALK = (
    "My sister's name is Anna.",
    "My favourite drink is green tea.",
    "Anna's boss is Bob.",
    "我最喜欢的颜色是绿色。",
    "Anna's birthday is on 12 May.",
    "My goal is to run a marathon.",
)
SAID = {
    ("owner", "RELATES_TO", "sister", "Anna"),
    ("owner", "PREFERS", "favourite drink", "green tea"),
    ("Anna", "RELATES_TO", "boss", "Bob"),
    ("owner", "PREFERS", "颜色", "绿色"),
    ("Anna", "RELATES_TO", "birthday", "12 May"),
    ("owner", "CARES_ABOUT", "goal", "run a marathon"),
}


@pytest.fixture
def graph(home: Path) -> Iterator[Graph]:
    say(home, *TALK)
    with opened(home) as found:
        yield found


def settled(home: Path) -> None:
    with Memory(home) as memory:
        assert memory.flush(60)


def test_what_was_said_is_in_the_graph_with_its_evidence(graph: Graph) -> None:
    found = graph.snapshot(Wanted())
    assert edges(found) == SAID and not found["truncated"] and found["total"] == len(found["edges"])
    boss = next(each for each in found["edges"] if each["label"] == "boss")
    scene = next(node for node in found["nodes"] if node["id"] == boss["evidence"]["episode"])
    assert scene["kind"] == "Scene" and scene["summary"] == "owner: Anna's boss is Bob."
    assert boss["evidence"]["source"].startswith("journal/2026-02-07.md#")
    assert (boss["count"], boss["by"], boss["session"]) == (1, "rules", "main")
    for id in (boss["id"], scene["id"]):
        behind = graph.evidence(id)
        assert behind is not None and [turn.text for turn in behind["turns"]] == [TALK[2]]
    assert graph.evidence("e-nothing") is None and graph.evidence("n-nothing") is None


@pytest.mark.parametrize("name", ["Anna", "anna", "my sister", "我妹妹", "My Sister", "Ann"])
def test_one_person_is_found_by_each_of_her_names(graph: Graph, name: str) -> None:
    found = graph.neighbours(name, Wanted())
    assert [node["name"] for node in found["nodes"] if node["id"] in found["centre"]] == ["Anna"]
    assert ("Anna", "RELATES_TO", "boss", "Bob") in edges(found)


def test_limits_depth_predicates_and_times_choose(graph: Graph) -> None:
    mine = graph.neighbours("me", Wanted())
    assert same(mine, graph.neighbours("我", Wanted()))
    boss, day = ("Anna", "RELATES_TO", "boss", "Bob"), timedelta(days=1)
    assert boss not in edges(mine)
    assert boss in edges(graph.neighbours("me", Wanted(), depth=2))
    assert graph.neighbours("nobody at all", Wanted())["centre"] == []
    liked = edges(graph.snapshot(Wanted(predicates=["PREFERS"])))
    assert liked == {each for each in SAID if each[1] == "PREFERS"}
    then = Wanted(since=START + 2 * day, until=START + 4 * day)
    assert edges(graph.snapshot(then)) == {("owner", "PREFERS", "favourite drink", "green tea")}
    few = graph.snapshot(Wanted(), 2)
    assert len(few["edges"]) == 2 and few["truncated"]


def test_a_group_sees_its_own_part_alone(home: Path) -> None:
    say(home, *TALK)
    say(home, "Anna's boss is Eve.", "My sister is Mary.", session=OTHERS, who="Bob")
    say(home, "Anna's dog is Rex.", session=TEAM, who="Carol")
    with opened(home, TEAM) as team, opened(home) as owner:
        for found in (
            team.snapshot(Wanted()),
            team.neighbours("Anna", Wanted(), depth=3),
            team.snapshot(Wanted("main")),
            team.neighbours("me", Wanted(), depth=3),
        ):
            assert edges(found) <= {("Anna", "RELATES_TO", "dog", "Rex")}
            assert {node["session"] for node in found["nodes"]} <= {"shared:team"}
        for edge in owner.snapshot(Wanted())["edges"]:
            assert (team.evidence(edge["id"]) is not None) == (edge["session"] == "shared:team")
        patch = team.changes(team.version().partition(".")[0] + ".0")["patch"]
        assert patch and all("shared:team" in str(each) for each in patch if each["op"] == "set")
        others = edges(owner.snapshot(Wanted("shared:others")))
        assert ("Bob", "RELATES_TO", "sister", "Mary") in others and others <= edges(
            owner.snapshot(Wanted())
        )


def test_the_order_in_which_things_are_said_changes_nothing(home: Path, tmp_path: Path) -> None:
    said = ("My sister is Anna.", "Anna's boss is Bob.", "Anna's boss is Bob.", "Bob's wife is Eve")
    graphs = []
    for number, order in enumerate([(0, 1, 2, 3), (3, 2, 0, 1), (1, 3, 2, 0)]):
        one = tmp_path / f"home{number}"
        with Memory(one) as memory:
            for at in order:
                then = START + at * timedelta(days=3)
                memory.write_turn(said[at], who="owner", at=then, id=f"t{at}")
                assert memory.flush(30)
        with opened(one) as graph:
            found = graph.snapshot(Wanted())
        for edge in found["edges"]:
            edge["evidence"] = {**edge["evidence"], "source": ""}
        for node in found["nodes"]:
            del node["last_seen"], node["first_seen"]
        graphs.append(found)
    assert all(same(graphs[0], each) for each in graphs[1:])
    strength = {each["count"]: each["strength"] for each in graphs[0]["edges"] if each["label"]}
    assert strength[2] > strength[1]  # what is said again is stronger


def test_check_sees_damage_and_a_rebuild_gives_the_same_graph(home: Path, graph: Graph) -> None:
    say(home, "Anna's dog is Rex.", session=TEAM, who="Carol")
    before, version = graph.snapshot(Wanted()), graph.version()
    assert check(home) == []
    store = Store(home / "journal" / "memory.sqlite3")
    store.run("DELETE FROM graph_evidence WHERE predicate = 'PREFERS'")
    store.close()
    assert "graph edges without evidence" in check(home)[0].about
    rebuild(home)
    settled(home)
    with opened(home) as again:
        assert same(before, again.snapshot(Wanted())) and again.changes(version)["reset"]
    assert check(home) == []


def test_a_name_that_was_merged_renamed_or_left_out_stays_so_after_a_rebuild(home: Path) -> None:
    say(home, *TALK, "Rob's boss is Carol.")
    for name, meant in (("Rob", "Bob"), ("green tea", "Sencha"), ("12 May", "")):
        correct(home, name, meant)
    settled(home)
    for _ in range(2):
        with opened(home) as graph:
            found = edges(graph.snapshot(Wanted()))
        assert ("Anna", "RELATES_TO", "boss", "Bob") in found
        assert ("Bob", "RELATES_TO", "boss", "Carol") in found
        assert ("owner", "PREFERS", "favourite drink", "Sencha") in found
        assert not {"Rob", "green tea", "12 May"} & {name for edge in found for name in edge}
        rebuild(home)
        settled(home)


def test_questions_strange_words_and_the_agent_leave_nothing(home: Path) -> None:
    say(home, "I hate this today.", "Is my boss Bob?", "List the files.", "My \ud800 tea\x00.")
    say(home, "My sister is " + "A" * 5000 + ".", "My goal is ' OR 1=1; --", "I love %_*[?]")
    say(home, "My sister is Anna.", who="agent", start=LATER)
    with opened(home) as graph:
        assert edges(graph.snapshot(Wanted())) <= {("owner", "CARES_ABOUT", "goal", "OR 1=1; --")}
        for name in ("", " ", "%", "*", "[", "\ud800", "x" * 100_000, "@User:owner:sister"):
            graph.neighbours(name, Wanted())
        assert graph.snapshot(Wanted(predicates=["NO_SUCH"]))["edges"] == []
        assert graph.snapshot(Wanted(since=datetime.max.replace(tzinfo=UTC)))["edges"] == []
    assert check(home) == []


WRITER = """
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from memory.journal.api import Memory
with Memory(Path(sys.argv[1])) as memory:
    for number in range(int(sys.argv[2]), 10_000):
        at = datetime(2026, 2, 1, tzinfo=UTC) + timedelta(hours=5 * number)
        memory.write_turn(f"My goal is thing{number}x.", who="owner", at=at, id=f"t{number}")
        print(number, flush=True)
"""


def test_killed_at_any_moment_the_graph_is_that_of_what_was_said(home: Path) -> None:
    luck, number = random.Random(5), 0
    for _ in range(3):
        command = [sys.executable, "-c", WRITER, str(home), str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=CHECKOUT, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(luck.randrange(5, 20)):
                number = int(writer.stdout.readline()) + 1
            writer.kill()
            number = max([number, *(int(line) + 1 for line in writer.stdout if line[-1] == "\n")])
    settled(home)
    assert check(home) == []
    with opened(home) as graph:
        wanted = Wanted(predicates=["CARES_ABOUT"])
        goals = {name for _, _, _, name in edges(graph.snapshot(wanted, 10_000))}
    assert goals >= {f"thing{each}x" for each in range(number)}


def recalled(home: Path, question: str, only: str | None = None) -> list[str]:
    store = Store(home / "journal" / "memory.sqlite3", only=only, readonly=True)
    try:
        return [found.turn.text for found in search(store, question, LATER, 2).results]
    finally:
        store.close()


def test_recall_knows_who_my_sister_is_and_a_group_does_not(home: Path) -> None:
    pen = "Anna wants a fountain pen for her birthday."
    say(home, TALK[0], "The printer is broken again.", pen, "The plumber wants to come on Monday.")
    say(home, "My sister paints.", "Anna is late.", session=TEAM, who="Carol")
    assert recalled(home, "What does my sister want?")[0] == pen
    with_all = Store(home / "journal" / "memory.sqlite3", readonly=True)
    assert "anna" in search(with_all, "What does my sister want?", LATER, 1).results[0].why
    assert synonyms(with_all, "Is the printer broken?") == {}
    with_all.close()
    assert pen not in recalled(home, "What does my sister want?", only="shared:team")


def test_the_command_shows_what_is_around_a_name(home: Path, cli: CommandLine) -> None:
    empty = cli("memory", "graph")
    assert empty.code == 0 and "empty" in empty.stdout
    with Memory(home, works_behind=False) as memory:  # what is still to be worked off is in it too
        for at, text in enumerate(TALK):
            memory.write_turn(text, who="owner", at=START + at * timedelta(days=3))
    done = cli("memory", "graph", "my", "sister")
    assert done.code == 0 and done.stderr == ""
    lines = [line.split("\t")[:6] for line in done.stdout.splitlines()]
    assert ["Anna", "boss", "Bob", "0.42", "2026-02-07", "rules"] in lines
    assert "您\t姐姐/妹妹\tAnna" in cli("--lang", "zh", "memory", "graph", "Anna").stdout
    missing = cli("memory", "graph", "Napoleon")
    assert missing.code == 2 and "Napoleon" in missing.stderr
    shown = json.loads(cli("memory", "graph", "--json", "--limit", "99").stdout)
    assert edges(shown) == SAID
    say(home, "My wife is Eve.", start=LATER)
    since = json.loads(cli("memory", "graph", "--json", "--since", f"{LATER:%Y-%m-%d}").stdout)
    assert edges(since) == {("owner", "RELATES_TO", "wife", "Eve")}
