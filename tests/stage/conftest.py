"""A folder of an owner and a home of an agent, for the tests of the stage."""

from pathlib import Path

import pytest

from sandbox import stage


@pytest.fixture(scope="session")
def why_none(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Why this machine has no stage, "" where it has one."""
    folder = tmp_path_factory.mktemp("probe")
    return stage.why_none(folder / "home", [folder])


@pytest.fixture(autouse=True)
def staged_here(why_none: str) -> None:
    """A machine with stages."""
    if why_none:
        pytest.skip(f"this machine has no stage: {why_none}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small folder of the owner's."""
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n")
    (folder / "b.txt").write_text("two\n")
    (folder / "sub" / "c.txt").write_text("three\n")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of the agent."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
