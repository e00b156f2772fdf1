"""BM25 over what SOPs say about themselves: the right one comes first, in both languages, and unknown words find nothing."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import rmtree

import pytest

from learning.index import NAME, WORTH_KEEPING, Index
from learning.ranking import Document, Ranking, terms, weigh
from memory.sops.store import SopStore
from tests.routing_cases import ASKED, SOPS, write_sop


def _ranking(documents: list[Document]) -> Ranking:
    return Ranking.of((document.name, weigh(document)) for document in documents)


TWELVE = _ranking(
    [
        Document(
            name,
            [
                (name.replace("-", " "), 2.0),
                (described, 1.5),
                *((wording, 1.0) for wording in wordings),
            ],
        )
        for name, (described, _, _, wordings) in SOPS.items()
    ]
)


def test_what_is_meant_is_nearly_always_first_and_always_among_five() -> None:
    found = [[name for name, _ in TWELVE.best(request, 5)] for request, _, _ in ASKED]
    first = sum(names[:1] == [name] for names, (_, name, _) in zip(found, ASKED, strict=True))
    missed = [
        request for names, (request, name, _) in zip(found, ASKED, strict=True) if name not in names
    ]
    assert first >= 0.95 * len(ASKED)
    assert missed == ["call a.txt b.txt from now on"]  # none of its words is known


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("renaming files", "renam"),
        ("renamed", "renam"),
        ("get rid of it", "v:delete"),
        ("删掉日志", "v:delete"),
        ("日志文件", "志文"),
        ("repositories", "repository"),
        ("count rows in {folder}", "row"),
    ],
)
def test_a_text_is_found_by(text: str, term: str) -> None:
    assert term in set(terms(text))


def test_slots_and_small_words_find_nothing() -> None:
    assert set(terms("the {folder} of my {name:glob}")) <= {"of"}


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    ranking = _ranking(
        [
            Document(f"d{n}", [("report file", 1.0), ("walrus" if n == 7 else "file", 1.0)])
            for n in range(20)
        ]
    )
    assert ranking.best("file walrus", 3)[0][0] == "d7"


def test_equal_documents_come_in_the_order_of_their_names() -> None:
    ranking = _ranking([Document(name, [("same words", 1.0)]) for name in ("b", "c", "a")])
    assert [name for name, _ in ranking.best("same words", 3)] == ["a", "b", "c"]


def test_nothing_known_finds_nothing() -> None:
    assert TWELVE.best("qwertz", 5) == []
    assert _ranking([]).best("anything", 5) == []


def test_a_text_without_end_is_read_as_far_as_it_says_something() -> None:
    assert len(list(terms("word " * 100_000))) < 5000


@pytest.mark.parametrize("damage", ["", "{", '{"tables": "x"}', '{"weights": 3}', "[]", "kept"])
def test_the_index_on_disk_says_what_a_new_one_says(damage: str, tmp_path: Path) -> None:
    for number in range(WORTH_KEEPING + 1):
        write_sop(
            tmp_path / "sops",
            f"paint-{number}",
            f"Paints wall {number}.",
            [f"paint the wall of room{number}x"],
        )
    store = SopStore(tmp_path / "none", tmp_path / "sops")
    fresh = Index().of(store.all()).best("paint room3x", 3)
    file = tmp_path / "sops" / NAME
    written = json.loads(file.read_text("utf-8"))
    assert fresh and len(written["weights"]) == WORTH_KEEPING + 1
    if (
        damage == "kept"
    ):  # what stands in the file is taken: the terms of one SOP are made another's
        key = next(key for key in written["weights"] if key.startswith("paint-7:"))
        written["weights"][key] = {"unicorn": 5.0}
        file.write_text(json.dumps(written), "utf-8")
        assert [name for name, _ in Index().of(store.all()).best("unicorn", 3)] == ["paint-7"]
    else:
        file.write_text(damage, "utf-8")
        assert Index().of(store.all()).best("paint room3x", 3) == fresh
        assert json.loads(file.read_text("utf-8")) == written


def test_an_sop_that_changed_is_taken_apart_again(tmp_path: Path) -> None:
    for number in range(WORTH_KEEPING + 1):
        write_sop(
            tmp_path / "sops",
            f"paint-{number}",
            f"Paints wall {number}.",
            [f"paint the wall of room{number}x"],
        )
    assert not Index().of(SopStore(tmp_path / "none", tmp_path / "sops").all()).best("varnish", 1)
    skill = tmp_path / "sops" / "paint-5" / "SKILL.md"
    skill.write_text(skill.read_text("utf-8").replace("Paints", "Varnishes"), "utf-8")
    assert (
        Index().of(SopStore(tmp_path / "none", tmp_path / "sops").all()).best("varnish", 1)[0][0]
        == "paint-5"
    )


def test_what_the_store_read_is_not_looked_at_again_and_what_changed_is(tmp_path: Path) -> None:
    write_sop(
        tmp_path / "sops",
        "water",
        "Waters the plants.",
        ["water plant {plant}"],
        properties="plant: {type: integer}",
    )
    store, index = SopStore(tmp_path / "none", tmp_path / "sops"), Index()
    first = index.of(store.all())
    (tmp_path / "sops" / "water" / "SKILL.md").touch()
    assert index.of(store.all()) is first, "the files were looked at once more"
    rmtree(tmp_path / "sops" / "water")
    write_sop(
        tmp_path / "sops",
        "water",
        "Feeds the cat.",
        ["feed the cat {plant}"],
        properties="plant: {type: integer}",
    )
    store.reload()
    assert index.of(store.all()).best("feed the cat", 1)[0][0] == "water"
