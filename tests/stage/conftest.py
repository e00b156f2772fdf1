"""A folder of an owner and a home of an agent, for the tests of the stage."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def staged_here(staged: None) -> None:
    """Skip where there are no stages."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a small folder of the owner's."""
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n")
    (folder / "b.txt").write_text("two\n")
    (folder / "sub" / "c.txt").write_text("three\n")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return the home of the agent."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
