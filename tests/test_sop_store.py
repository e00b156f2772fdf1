"""The SOPs on disk: what is read, what is listed as broken and why, and that one never stops the
others."""

from collections.abc import Callable
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


CALLS_FILE = STEPS.replace("script: 'true'", "script: {file: scripts/a.sh}")
CHANGES: dict[str, tuple[Callable[[Path], object], str | None]] = {
    "in place": (lambda tea: (tea / "sop.yaml").write_text(STEPS.replace("true", "echo")), "echo"),
    "script": (lambda tea: (tea / "scripts/a.sh").write_text("echo"), "echo"),
    "broken": (lambda tea: (tea / "sop.yaml").write_text("plan: [{tol: x}]\n"), None),
    "link": (lambda tea: _linked(tea / "sop.yaml"), None),
    "gone": (lambda tea: (tea / "sop.yaml").unlink(), None),
}


def _linked(steps: Path) -> None:
    steps.rename(steps.parent.parent.parent / "steps")
    steps.symlink_to("../../steps")


@pytest.mark.parametrize(("change", "script"), CHANGES.values(), ids=CHANGES)
def test_a_changed_sop_is_read_again_by_the_next_process(
    change: Callable[[Path], object], script: str | None, store: SopStore, tmp_path: Path
) -> None:
    tea = _write(tmp_path / "mine", "tea", steps=CALLS_FILE)
    (tea / "scripts").mkdir()
    (tea / "scripts/a.sh").write_text("true")
    known = store.get("tea")
    assert known is not None and known.procedure and known.problem is None
    change(tea)
    again = SopStore(tmp_path / "seeds", tmp_path / "mine").get("tea")
    steps = again.procedure.steps if again and again.procedure else ()
    assert [step.args["script"] for step in steps] == ([script] if script else [])
