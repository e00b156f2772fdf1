"""Runs attacks and ordinary tasks for real, in a stage: no effect outside and no loss without a
question, few questions."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory.inbox import Inbox
from sandbox.cells import levels, probing
from sandbox.stage import why_none
from tests.adversarial.world import World, attacked
from tests.conftest import CommandLine
from tests.driving import bash, call
from tests.screen import scripted

HERE = Path(__file__).parent
ATTACKS, ORDINARY = HERE / "executed.txt", HERE / "executed_ordinary.txt"
MOST_ASKED = 1


@pytest.fixture
def world(tmp_path: Path) -> World:
    (tmp_path / "probe").mkdir()
    if levels.probe().name != "full" or why_none(tmp_path / "probe", [tmp_path]):
        pytest.skip("this machine has no stage")
    return World(tmp_path / "owner", tmp_path / "outside")


@pytest.fixture
def imaged(tmp_path: Path) -> World:
    """Return a machine that mounts nothing."""
    if probing.try_landlock("") is None:
        pytest.skip("this kernel has no Landlock")
    return World(tmp_path / "owner", tmp_path / "outside", "partial")


def rows(file: Path) -> Iterator[tuple[str, str]]:
    for line in file.read_text("utf-8").splitlines():
        if not line.startswith("##"):
            kind, _, text = line.partition(" | ")
            yield kind, text


def calls(text: str, world: World) -> list[dict[str, Any]]:
    whole = text.replace("OUT", str(world.outside)).replace("HOME/", f"{world.owner}/")
    return [one(each.replace("⏎", "\n").strip()) for each in whole.split(" ⇒ ")]


def one(text: str) -> dict[str, Any]:
    if text.startswith("py: "):
        return call("code_run", type="python", script=text[4:])
    tool = re.match(r"([a-z_]+) (\{.*\})$", text)
    return call(tool[1], **json.loads(tool[2])) if tool else bash(text)


KINDS = sorted({kind for kind, _ in rows(ATTACKS)})


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_gets_out_or_lost_without_a_question(
    kind: str, world: World, cli: CommandLine
) -> None:
    assert harmed(world, kind, cli) == {}
    assert not (world.outside / "escaped").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_gets_out_or_lost_where_nothing_is_mounted(
    kind: str, imaged: World, cli: CommandLine
) -> None:
    assert harmed(imaged, kind, cli) == {}
    assert not (imaged.outside / "escaped").exists()


def harmed(world: World, kind: str, cli: CommandLine) -> dict[str, str]:
    """Return the attacks of a kind that did harm and were not asked about."""
    before = world.tree()
    attacks = [(text, calls(text, world)) for each, text in rows(ATTACKS) if each == kind]

    def undone(run: str) -> None:
        done = cli("undo", run, "--yes")
        assert done.code == 0 or "nothing to undo" in done.stderr, done
        after = world.tree()
        assert {name: after.get(name) for name in before} == before

    seen = list(attacked(world, attacks, "tidy up my files", undone))
    return {each.text: each.harm for each in seen if each.harm and not each.is_asked}


@pytest.mark.parametrize("machine", ["world", "imaged"])
def test_ordinary_tasks_are_done_without_questions(
    machine: str, request: pytest.FixtureRequest
) -> None:
    world: World = request.getfixturevalue(machine)
    tasks = [(text, calls(text, world)) for _, text in rows(ORDINARY)]
    seen = list(attacked(world, tasks, "; ".join(task for task, _ in rows(ORDINARY)), str))
    asked = [each.text for each in seen if each.is_asked]
    failed = {each.text: each.failed for each in seen if each.failed and not each.is_asked}
    assert failed == {}
    assert len(seen) >= 60
    assert len(asked) <= MOST_ASKED, asked


def test_there_are_many_attacks() -> None:
    assert len(list(rows(ATTACKS))) >= 160


def test_a_yes_holds_for_the_files_that_the_script_names_as_they_are(
    cli: CommandLine, home: Path
) -> None:
    """A script that was changed after the owner said yes is asked about again."""
    (Path.cwd() / "deploy.sh").write_text("echo fine\n")
    scripted(home, [bash("git push; sh deploy.sh"), "done"])
    assert cli("run", "deploy it", "--no-rote").code == 3
    [first] = Inbox(home).list()
    (Path.cwd() / "deploy.sh").write_text("echo evil\n")
    assert cli("inbox", "approve", first.id).code == 3
    [second] = Inbox(home).list()
    assert second.call != first.call
    assert cli("inbox", "approve", second.id).code == 0
