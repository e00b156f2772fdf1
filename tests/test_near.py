"""What an owner is shown where no lane is sure: the right values or nothing, and no other task in the words of this one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from learning.near import near
from learning.routing import choose
from learning.slots import BEHIND_DOT, Where
from memory.sops.store import Sop, SopStore
from tests.routing_cases import ASKED, MORE_PAIRS, NEAR, PAIRS, pair_sops, sops, write_sop

WHERE = Where(Path("/w"), Path("/o"))
OVERLOOKED = 0.04  # of near misses may be shown with nothing that says what is passed over


def shown(request: str, known: Sequence[Sop]) -> list[dict[str, Any]]:
    return [each.parameters for each in near(request, known, WHERE)]


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> list[Sop]:
    return sops(tmp_path_factory.mktemp("twelve"))


def test_the_right_sop_is_never_shown_with_other_values(twelve: list[Sop]) -> None:
    found = 0
    for request, name, meant in ASKED:
        for each in near(request, twelve, WHERE):
            if each.sop.name == name:
                values = {
                    key: str(value).replace("/./", "/")
                    for key, value in each.parameters.items()
                    if key in meant
                }
                assert values == {
                    key: str(value).replace("/./", "/") for key, value in meant.items()
                }, request
                found += 1
    assert found >= 80


@pytest.mark.parametrize("pairs", [PAIRS, MORE_PAIRS], ids=["first", "more"])
def test_a_near_miss_shows_what_it_passes_over(pairs: Sequence[Any], tmp_path: Path) -> None:
    known = {sop.name: sop for sop in pair_sops(tmp_path, pairs)}
    silent, count = [], 0
    for number, (_, _, misses, meant) in enumerate(pairs):
        sop = known[f"pair-{number}"]
        for request, parameters in meant:
            assert shown(request, [sop]) in ([], [parameters]), request
        for request in misses:
            count += 1
            silent += [
                f"{request} → {each.said}"
                for each in near(request, [sop], WHERE)
                if not (each.passed_over or each.added)
            ]
    assert len(silent) <= OVERLOOKED * count, "\n".join(silent)


def test_negations_and_opposites_are_never_shown(twelve: list[Sop]) -> None:
    for request in (
        "do not cancel order 7",
        "uncancel order 7",
        "restore ~/notes from /mnt/usb",
        "cancel every order except 7",
        "不要取消订单 7",
    ):
        assert not shown(request, twelve), request
    assert sum(bool(shown(request, twelve)) for request in NEAR) <= 0.15 * len(NEAR)


def taught(
    folder: Path,
    name: str,
    wording: str,
    properties: str,
    effects: str = "local",
    requires: str = "",
) -> Sop:
    write_sop(folder, name, "What was learned.", [wording], effects=effects, properties=properties)
    file = folder / name / "sop.yaml"
    file.write_text(
        file.read_text("utf-8") + (f"requires: {requires}\n" if requires else ""), "utf-8"
    )
    return next(sop for sop in SopStore(folder / "none", folder).all() if sop.name == name)


PATHS = "file: {type: string, format: path}, target: {type: string, format: path}"


def test_of_two_paths_the_one_that_is_there_is_read(tmp_path: Path) -> None:
    sop = taught(
        tmp_path / "s", "to-json", "convert {file} to {target}", PATHS, requires="{files: [file]}"
    )
    (tmp_path / "a.csv").touch()
    request = f"produce a fresh {tmp_path}/b.json by converting {tmp_path}/a.csv"
    for parameters in shown(request, [sop]):
        assert parameters == {"file": f"{tmp_path}/a.csv", "target": f"{tmp_path}/b.json"}
    (tmp_path / "b.json").touch()  # now each could be read: nobody guesses
    assert shown(request, [sop]) in (
        [],
        [{"file": f"{tmp_path}/a.csv", "target": f"{tmp_path}/b.json"}],
    )


@pytest.mark.parametrize(
    ("request_text", "value"),
    [
        ("relocate the .png files of ~/a", ".png"),
        ("relocate the png files of ~/a", ".png"),
        ("relocate the *.png files of ~/a", ".png"),
        ("relocate the .png and .jpg files of ~/a", None),  # two endings, one place
        ("relocate the old files of ~/a", None),  # no ending
    ],
)
def test_an_ending_is_a_value(tmp_path: Path, request_text: str, value: str | None) -> None:
    ending = r"ending: {type: string, pattern: '^\.\w+$'}, folder: {type: string, format: path}"
    sop = taught(
        tmp_path,
        "put-away",
        "move the {ending} files of {folder} away",
        ending.replace("\\\\", "\\"),
    )
    found = shown(f"{request_text} away", [sop])
    assert [each["ending"] for each in found] == ([value] if value else [])


def test_a_word_nobody_knows_is_a_value_only_behind_the_word_of_its_slot(tmp_path: Path) -> None:
    properties = "column: {type: string}, file: {type: string, format: path}"
    sop = taught(
        tmp_path, "top", "show the best rows by {column} in {file}", properties, effects="none"
    )
    assert shown("give the best rows by zorbing from ~/a.csv", [sop]) == [
        {"column": "zorbing", "file": "/o/a.csv"}
    ]
    assert shown("give the best zorbing rows from ~/a.csv", [sop]) == []


def test_a_word_that_says_which_files_is_no_ending(tmp_path: Path) -> None:
    properties = rf"ending: {{type: string, pattern: '{BEHIND_DOT}'}}, folder: {{type: string, format: path}}"
    sop = taught(tmp_path, "away", "move all {ending} files in {folder} away", properties)
    for ending in ("pdf", "log", "bak", "text", "xyz", "json5", '"large"'):
        match = choose(f"move all {ending} files in ~/in away", [sop], *WHERE).match
        assert match and match.parameters["ending"] == ending.strip('"'), ending
    for word in ("old", "large", "hidden", "empty", "image", "other", "recent"):
        assert choose(f"move all {word} files in ~/in away", [sop], *WHERE).match is None, word
        assert shown(f"move all {word} files in ~/in away", [sop]) == [], word
