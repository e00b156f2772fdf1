"""Holds the table over change sets (assets/safety/changes.yaml): what happened decides, not the
command."""

import os
from pathlib import Path
from typing import Any

import pytest

from config import SafetyConfig
from safety.changes import Change, ChangeKind, ChangeSet
from safety.gate import Decision, judge_changes
from safety.paths import Places
from tests.rows import cases

CONFIG = SafetyConfig(confirm=("delete", "send", "install", "spend"))


@pytest.fixture
def places(tmp_path: Path) -> Places:
    owner = tmp_path / "owner"
    owner.mkdir(exist_ok=True)
    return Places.of((owner,), owner / ".sopwith", owner, owner)


def judged(
    places: Places, *changes: Change, settings: SafetyConfig = CONFIG, origin: tuple[str, ...] = ()
) -> Decision:
    return judge_changes(ChangeSet(changes), places, settings, origin=origin, owner=os.getuid())


def change(places: Places, kind: ChangeKind, name: str, **more: Any) -> Change:
    path = Path(name) if name.startswith("/") else places.owner / name
    return Change(kind, path, "file", 10, 10)._replace(**more)


@cases
def test_kind_and_place_decide(
    places: Places, kind: ChangeKind, name: str, decision: str, risk: str
) -> None:
    found = judged(places, change(places, kind, name))
    assert (found.decision, found.risk) == (decision, risk)


def test_the_whole_home_is_never_gone(places: Places) -> None:
    assert judged(places, change(places, "gone", str(places.owner))).decision == "refuse"


def test_what_the_run_made_may_go(places: Places) -> None:
    assert judged(places, change(places, "gone", "work/a", is_ours=True)).decision == "allow"


def test_many_changed_files_ask_and_many_new_ones_do_not(places: Places) -> None:
    changed = [change(places, "changed", f"work/{n}") for n in range(51)]
    assert judged(places, *changed[:50]).decision == "allow"
    assert judged(places, *changed).risk == "change"
    assert judged(places, *(each._replace(kind="new") for each in changed)).decision == "allow"
    assert judged(places, change(places, "changed", "big", after=100_000_001)).decision == "confirm"


def test_the_reason_lists_what_would_go(places: Places) -> None:
    folder = change(places, "gone", "photos", files=214, before=1_200_000_000)._replace(
        type="folder"
    )
    found = judged(places, folder, change(places, "new", "work/list.txt"))
    assert found.reason.startswith("moves 214 files to the trash (1.2 GB): ")
    assert str(folder.path) in found.reason
    assert found.risks == ("delete",)


def test_the_owner_may_let_deletions_pass_but_not_those_others_may_have_wanted(
    places: Places,
) -> None:
    relaxed = SafetyConfig(confirm=("send",))
    gone = change(places, "gone", "work/a")
    assert judged(places, gone, settings=relaxed).decision == "allow"
    assert judged(places, gone, settings=relaxed, origin=("web",)).decision == "confirm"


def test_hidden_files_are_found_below_a_folder_beside_many_others(tmp_path: Path) -> None:
    for number in range(2_500):
        (tmp_path / f"{number}.txt").touch()
    file = tmp_path / "work" / "app" / ".env"
    file.parent.mkdir(parents=True)
    file.touch()
    places = Places.of((tmp_path,), tmp_path / ".sopwith", tmp_path, tmp_path)
    assert places.secrets_below(tmp_path / "work") == [str(file)]
