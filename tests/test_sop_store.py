"""The SOPs on disk: what is read, what is listed as broken and why, and that one never stops the others."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from memory.sops.store import SopError, SopStore
from replay.procedure import Procedure
from tests.crowd import crowd

SEEDS = Path(__file__).parent.parent / "sops"
STEPS = "plan: [{tool: code_run, args: {type: bash, script: 'true'}}]\nresult: done\n"


def _write(folder: Path, name: str, front: str = "", body: str = "Do it.", steps: str = "") -> Path:
    where = folder / name
    where.mkdir(parents=True)
    (where / "SKILL.md").write_text(
        f"---\nname: {name}\ndescription: What {name} does\n{front}---\n\n{body}\n",
        encoding="utf-8",
    )
    if steps:
        (where / "sop.yaml").write_text(steps, encoding="utf-8")
    return where


@pytest.fixture
def store(tmp_path: Path) -> SopStore:
    (tmp_path / "seeds").mkdir()
    (tmp_path / "mine").mkdir()
    return SopStore(tmp_path / "seeds", tmp_path / "mine")


def test_front_matter_and_steps_are_read(store: SopStore, tmp_path: Path) -> None:
    front = 'metadata: {sopwith-version: "3", sopwith-status: probation, other: x}\n'
    _write(tmp_path / "mine", "tea", front, "Boil it.", STEPS)
    sop = store.get("tea")
    assert sop and (sop.name, sop.description, sop.status, sop.version) == (
        "tea",
        "What tea does",
        "probation",
        3,
    )
    assert sop.procedure and sop.problem is None and not sop.is_seed and sop.runs_alone
    assert sop.body("en") == "Boil it." and sop.body("zh") == "Boil it."
    assert sop.metadata["other"] == "x"


def test_a_skill_from_elsewhere_is_a_draft_and_its_fields_are_kept(
    store: SopStore, tmp_path: Path
) -> None:
    _write(
        tmp_path / "mine",
        "todo",
        'version: "1.0"\nalways_load: false\ntriggers: [任务, todo]\ntags: [a]\nauthor: me\n',
    )
    sop = store.get("todo")
    assert sop and (sop.status, sop.version, sop.procedure, sop.problem) == ("draft", 1, None, None)
    assert sop.metadata["triggers"] == ["任务", "todo"] and not sop.runs_alone


def test_an_older_skill_with_an_underscore_in_its_name_is_read(
    store: SopStore, tmp_path: Path
) -> None:
    _write(tmp_path / "mine", "task_management", "triggers: [待办]\n", "Ask before you delete.")
    sop = store.get("task_management")
    assert sop and sop.problem is None and sop.body("en") == "Ask before you delete."
    assert store.header_lines("en", seeds=False) == ["task_management: What task_management does"]


def test_the_owners_sop_shadows_the_seed_of_its_name(store: SopStore, tmp_path: Path) -> None:
    _write(tmp_path / "seeds", "tea", body="seed")
    _write(tmp_path / "seeds", "milk", body="seed")
    _write(tmp_path / "mine", "tea", body="mine")
    assert [(sop.name, sop.is_seed, sop.body("en")) for sop in store.all()] == [
        ("milk", True, "seed"),
        ("tea", False, "mine"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("", "front matter is missing"),
        ("# No front matter", "front matter is missing"),
        ("---\nname: [\n---\n", "not YAML"),
        ("---\nname: bad\n---\n", "description is missing"),
        ("---\nname: other\ndescription: x\n---\n", "must be that of the folder"),
        ("---\nname: bad\ndescription: x\nmetadata: [1]\n---\n", "metadata"),
        (
            "---\nname: bad\ndescription: x\nmetadata: {sopwith-status: great}\n---\n",
            "sopwith-status is 'great'",
        ),
        (
            '---\nname: bad\ndescription: x\nmetadata: {sopwith-version: "1.x"}\n---\n',
            "sopwith-version",
        ),
    ],
)
def test_a_broken_sop_is_listed_with_its_reason_and_stops_no_other(
    text: str | None, says: str, store: SopStore, tmp_path: Path
) -> None:
    (tmp_path / "mine" / "bad").mkdir()
    if text is not None:
        (tmp_path / "mine" / "bad" / "SKILL.md").write_text(text, encoding="utf-8")
    _write(tmp_path / "mine", "good")
    bad, good = store.all()
    assert bad.problem and says in bad.problem and "\n" not in bad.problem
    assert good.problem is None
    assert store.header_lines("en", seeds=False) == ["good: What good does"]


def test_bytes_that_are_no_text_are_a_problem_not_a_crash(store: SopStore, tmp_path: Path) -> None:
    (tmp_path / "mine" / "bin").mkdir()
    (tmp_path / "mine" / "bin" / "SKILL.md").write_bytes(b"---\nname: bin\xff\n---\n")
    assert "cannot be read" in str(store.all()[0].problem)


def test_broken_steps_leave_the_text_usable(store: SopStore, tmp_path: Path) -> None:
    _write(
        tmp_path / "mine",
        "tea",
        "metadata: {sopwith-status: active}\n",
        "Boil it.",
        "plan: [{tol: x}]\n",
    )
    sop = store.get("tea")
    assert (
        sop and sop.procedure is None and "sop.yaml:1: plan[0].tol: unknown key" in str(sop.problem)
    )
    assert sop.body("en") == "Boil it." and not sop.runs_alone
    assert store.header_lines("en", seeds=False) == ["tea: What tea does"]


def test_a_script_sop_is_kept_as_text_with_the_reason(store: SopStore, tmp_path: Path) -> None:
    _write(tmp_path / "mine", "tea", steps="script: scripts/run.py\n")
    sop = store.get("tea")
    assert sop and sop.procedure is None and "scripts/run.py cannot be read" in str(sop.problem)


def test_links_out_of_the_folder_are_refused(store: SopStore, tmp_path: Path) -> None:
    outside = _write(tmp_path / "outside", "elsewhere")
    (tmp_path / "mine" / "elsewhere").symlink_to(outside)
    where = tmp_path / "mine" / "linked"
    where.mkdir()
    (where / "SKILL.md").symlink_to(outside / "SKILL.md")
    steps = _write(tmp_path / "mine", "steps")
    (tmp_path / "outside" / "sop.yaml").write_text(STEPS, encoding="utf-8")
    (steps / "sop.yaml").symlink_to(tmp_path / "outside" / "sop.yaml")
    assert [bool(sop.problem and "leads out" in sop.problem) for sop in store.all()] == [
        True,
        True,
        True,
    ]


def test_a_chinese_text_is_used_when_it_is_there(store: SopStore, tmp_path: Path) -> None:
    where = _write(tmp_path / "mine", "tea", body="Boil it.")
    (where / "SKILL.zh.md").write_text(
        "---\nname: tea\ndescription: 泡茶\n---\n烧水。\n", encoding="utf-8"
    )
    sop = store.get("tea")
    assert sop and sop.body("zh") == "烧水。" and sop.body("en") == "Boil it."
    assert store.header_lines("zh", seeds=False) == ["tea: 泡茶"]


def test_a_broken_translation_does_not_stop_the_headers(store: SopStore, tmp_path: Path) -> None:
    where = _write(tmp_path / "mine", "tea")
    (where / "SKILL.zh.md").write_bytes(b"\xff")
    assert store.header_lines("zh", seeds=False) == ["tea: What tea does"]
    sop = store.get("tea")
    assert sop is not None
    with pytest.raises(SopError):
        sop.body("zh")


def test_archived_sops_stay_out_of_the_prompt(store: SopStore, tmp_path: Path) -> None:
    _write(tmp_path / "mine", "old", "metadata: {sopwith-status: archived}\n")
    assert store.header_lines("en", seeds=False) == [] and store.get("old")


def test_missing_folders_are_empty_and_changes_show_after_a_reload(tmp_path: Path) -> None:
    store = SopStore(tmp_path / "none", tmp_path / "mine")
    assert store.all() == [] and store.get("tea") is None
    _write(tmp_path / "mine", "tea")
    assert store.get("tea") is None
    store.reload()
    assert store.get("tea")


def test_the_seeds_are_read_in_milliseconds(tmp_path: Path) -> None:
    def seconds() -> float:
        started = time.thread_time()
        assert len(SopStore(SEEDS, tmp_path).all()) >= 9
        return time.thread_time() - started

    assert min(seconds() for _ in range(10)) < 0.012


# Kept of them between starts


def _again(tmp_path: Path) -> SopStore:
    """The same folders as a new process would read them."""
    return SopStore(tmp_path / "seeds", tmp_path / "mine")


def test_what_is_kept_of_an_sop_is_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    first = {sop.name: sop for sop in SopStore(SEEDS, tmp_path / "mine").all()}
    assert (tmp_path / "mine" / ".parsed.json").is_file()
    for sop in SopStore(SEEDS, tmp_path / "mine").all():
        loaded = Procedure.load(sop.folder) if (sop.folder / "sop.yaml").exists() else None
        assert sop.procedure == loaded == first[sop.name].procedure
        assert (
            sop.summary("zh") == first[sop.name].summary("zh")
            and sop.metadata == first[sop.name].metadata
        )


@pytest.mark.parametrize(
    "change", ["in place", "swapped", "translated", "script", "broken", "link", "gone"]
)
def test_a_changed_sop_is_read_again(change: str, store: SopStore, tmp_path: Path) -> None:
    calls_file = (
        "plan: [{tool: code_run, args: {type: bash, script: {file: scripts/a.sh}}}]\nresult: done\n"
    )
    tea = _write(tmp_path / "mine", "tea", steps=calls_file if change == "script" else STEPS)
    (tea / "scripts").mkdir()
    (tea / "scripts" / "a.sh").write_text("true")
    assert (
        store.get("tea") is not None
        and (kept := _again(tmp_path).get("tea")) is not None
        and kept.procedure
    )
    if change == "in place":
        (tea / "sop.yaml").write_text(STEPS.replace("true", "echo"))
    elif change == "swapped":
        new = _write(tmp_path / "new", "tea", steps=STEPS.replace("true", "echo"))
        tea.rename(tmp_path / "old")
        new.rename(tea)
    elif change == "translated":
        (tea / "SKILL.zh.md").write_text("---\nname: tea\ndescription: 泡茶\n---\n烧水。\n")
    elif change == "script":
        (tea / "scripts" / "a.sh").write_text("echo")
    elif change == "broken":
        (tea / "sop.yaml").write_text("plan: [{tol: x}]\n")
    elif change == "link":
        (tea / "sop.yaml").rename(tmp_path / "sop.yaml")
        (tea / "sop.yaml").symlink_to(tmp_path / "sop.yaml")
    else:
        (tea / "sop.yaml").unlink()
    now = _again(tmp_path).get("tea")
    assert now is not None
    if change == "translated":
        assert now.summary("zh") == "泡茶"
    elif change in ("broken", "link", "gone"):
        assert now.procedure is None and bool(now.problem) is (change != "gone")
    else:
        assert now.procedure and now.procedure.steps[0].args["script"] == "echo"


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", "cut", "other", "mixed", "bytes"])
def test_a_damaged_catalogue_is_done_without(damage: str, store: SopStore, tmp_path: Path) -> None:
    for name in ("milk", "tea"):
        _write(tmp_path / "mine", name, steps=STEPS)
    kept = [sop.procedure for sop in store.all()]
    file = tmp_path / "mine" / ".parsed.json"
    text = file.read_text()
    damaged = {
        "cut": text[:-40],
        "other": text.replace('"said"', '"sad"'),
        "mixed": text.replace('"asked"', '"x"'),
    }
    damaged["bytes"] = text.replace('"effects"', '"e{{ects"')
    file.write_text(damaged.get(damage, damage))
    assert [sop.procedure for sop in _again(tmp_path).all()] == kept


def test_a_new_process_finds_one_among_500_in_a_tenth_of_a_second(tmp_path: Path) -> None:
    home = tmp_path / "sops"
    home.mkdir()
    for stranger, _ in zip(crowd(Random(1)), range(500), strict=False):
        stranger.write(home)
    asked = (
        "import sys, time; start = time.process_time(); from pathlib import Path; from memory.sops.store import SopStore;"
        "from learning.route import choose; seeds, home, request = sys.argv[1:];"
        "found = choose(request, SopStore(Path(seeds), Path(home)).all(), Path('/'), Path('/'));"
        "print(found.match.sop.name, time.process_time() - start)"
    )

    def seconds(request: str) -> float:
        command = [sys.executable, "-c", asked, os.fspath(SEEDS), os.fspath(home), request]
        done = subprocess.run(command, cwd=SEEDS.parent, capture_output=True, text=True, check=True)
        name, spent = done.stdout.split()
        assert name == "clean-old-files"
        return float(spent)

    seconds("clean out files older than 90 days in ~/tmp")  # writes the catalogue down
    assert min(seconds("clean out files older than 90 days in ~/tmp") for _ in range(3)) < 0.1
