"""The SOPs on disk: what is read, what is listed as broken and why, and that one never stops the
others."""

from pathlib import Path

import pytest

from memory.sops import SopStore
from tests.rows import cases

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


def test_the_owners_sop_shadows_the_seed_of_its_name(store: SopStore, tmp_path: Path) -> None:
    _write(tmp_path / "seeds", "tea", body="seed")
    _write(tmp_path / "seeds", "milk", body="seed")
    _write(tmp_path / "mine", "tea", body="mine")
    assert [(sop.name, sop.is_seed, sop.body("en")) for sop in store.all()] == [
        ("milk", True, "seed"),
        ("tea", False, "mine"),
    ]


@cases
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


# Kept of them between starts


def _again(tmp_path: Path) -> SopStore:
    """Return the same folders as a new process would read them."""
    return SopStore(tmp_path / "seeds", tmp_path / "mine")


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
