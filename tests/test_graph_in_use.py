"""The mind graph where it is used: `memory graph`, and recall that knows whom "my sister" means."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from memory.graph.synonyms import synonyms
from memory.home import MAIN, Session
from memory.journal.api import Memory
from memory.journal.store import Store
from memory.recall import relevant, search
from tests.conftest import CommandLine
from tests.graphs import START, edges, say

TEAM = Session.parse("shared:team")
LATER = START + timedelta(days=100)
TALK = (
    "My sister's name is Anna.",
    "The printer is broken again.",
    "Anna wants a fountain pen for her birthday.",
    "The plumber wants to come on Monday.",
    "My sister dreams of a house in Rome.",
    "Please send the invoice to Bob.",
)


def recalled(home: Path, question: str, only: str | None = None) -> list[str]:
    store = Store(home / "journal" / "memory.sqlite3", only=only, readonly=True)
    try:
        return [found.turn.text for found in search(store, question, LATER, 2).results]
    finally:
        store.close()


def test_recall_knows_who_my_sister_is(home: Path) -> None:
    say(home, *TALK)
    assert (
        recalled(home, "What does my sister want?")[0]
        == "Anna wants a fountain pen for her birthday."
    )
    assert recalled(home, "我妹妹想要什么")[0] in (
        "Anna wants a fountain pen for her birthday.",
        TALK[0],
        TALK[4],
    )
    assert "My sister dreams of a house in Rome." in recalled(
        home, "Where does Anna dream of a house?"
    )


def test_recall_says_which_word_it_was(home: Path) -> None:
    say(home, *TALK)
    store = Store(home / "journal" / "memory.sqlite3", readonly=True)
    assert "anna" in search(store, "What does my sister want?", LATER, 1).results[0].why
    assert synonyms(store, "What does my sister want?")["sister"][0] == "anna"
    assert synonyms(store, "Is the printer broken?") == {}
    assert [
        each.turn.text for each in relevant(store, "buy the fountain pen for my sister", 1)
    ] == [TALK[2]]
    store.close()


def test_a_group_learns_no_name_of_the_owners(home: Path) -> None:
    say(home, *TALK)
    say(home, "My sister paints.", "Anna is late.", session=TEAM, who="Carol")
    store = Store(home / "journal" / "memory.sqlite3", only="shared:team", readonly=True)
    assert "anna" not in synonyms(store, "What does my sister want?").get("sister", ())
    assert synonyms(store, "Is Anna late?") == {}
    store.close()
    assert not set(recalled(home, "What does my sister want?", only="shared:team")) & set(TALK)


def test_the_command_shows_what_is_around_a_name(home: Path, cli: CommandLine) -> None:
    with Memory(home, works_behind=False) as memory:  # what is still to be worked off is in it too
        for at, text in enumerate(("My sister is Anna.", "Anna hates rain.", "I love tea.")):
            memory.write_turn(text, who="owner", at=START + at * timedelta(days=3))
    done = cli("memory", "graph", "my", "sister")
    assert done.code == 0 and done.stderr == ""
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert ["Anna", "dislikes", "rain", "0.35", "2026-02-04", "rules"] in [
        line[:6] for line in lines
    ]
    assert all(line[6].startswith("journal/2026-02-0") for line in lines)
    shown = json.loads(cli("memory", "graph", "Anna", "--json").stdout)
    assert ("owner", "RELATES_TO", "sister", "Anna") in edges(shown) and shown["centre"]
    chinese = cli("--lang", "zh", "memory", "graph", "Anna").stdout
    assert "不喜欢" in chinese and "您\t姐姐/妹妹\tAnna" in chinese
    everything = json.loads(cli("memory", "graph", "--json", "--limit", "99").stdout)
    assert ("owner", "PREFERS", "", "tea") in edges(everything)
    since = json.loads(cli("memory", "graph", "--json", "--since", "2026-02-06").stdout)
    assert edges(since) == {("owner", "PREFERS", "", "tea")}


def test_a_name_that_is_not_there_is_told(home: Path, cli: CommandLine) -> None:
    say(home, "I love tea.")
    done = cli("memory", "graph", "Napoleon")
    assert done.code == 2 and "Napoleon" in done.stderr and "sopwith memory graph" in done.stderr
    assert "拿破仑" in cli("--lang", "zh", "memory", "graph", "拿破仑").stderr


def test_an_empty_home_has_an_empty_graph(home: Path, cli: CommandLine) -> None:
    done = cli("memory", "graph")
    assert done.code == 0 and "empty" in done.stdout
    assert json.loads(cli("memory", "graph", "--json").stdout)["edges"] == []


def test_it_can_be_paused(home: Path, cli: CommandLine) -> None:
    say(home, "I love tea.")
    assert cli("memory", "graph", "--pause").code == 0
    with Memory(home, MAIN) as memory:
        memory.write_turn("I hate rain.", who="owner", at=LATER)
        memory.flush(10)
    assert ("owner", "DISLIKES", "", "rain") not in edges(
        json.loads(cli("memory", "graph", "--json").stdout)
    )
    assert cli("memory", "graph", "--go-on").code == 0
    assert ("owner", "DISLIKES", "", "rain") in edges(
        json.loads(cli("memory", "graph", "--json").stdout)
    )
