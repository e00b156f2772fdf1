"""Holds the size and density of the code to budgets.toml, which only goes down."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests import scales

LIMITS = scales.budgets()


def test_every_part_has_its_budget() -> None:
    assert set(scales.parts()) == LIMITS["parts"].keys()


def test_each_part_keeps_its_budget() -> None:
    above = {
        f"{name}: {key}": value
        for name, part in scales.measured().items()
        for key, value in part._asdict().items()
        if value > LIMITS["parts"][name][key]
    }
    assert above == {}


@pytest.mark.parametrize(
    ("title", "found"),
    [("rows", scales.data_rows), ("tests", scales.test_lines), ("whole", scales.whole)],
)
def test_what_no_part_owns_keeps_its_budget(title: str, found: Callable[[], scales.Counts]) -> None:
    above = {key: value for key, value in found().items() if value > LIMITS[title].get(key, 0)}
    assert above == {}


def test_a_face_has_few_names_and_each_is_there() -> None:
    wrong, code = {}, ""
    for part, names in scales.faces().items():
        code += f"import {part}; [getattr({part}, n) for n in {sorted(names)!r}]\n"
        clash = names & {file.stem for file in scales.modules(part)}
        if len(names) > scales.MOST_FACE_NAMES or clash:
            wrong[part] = (len(names), clash)
    assert wrong == {}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=scales.CHECKOUT)


def test_what_breaks_a_rule_is_known() -> None:
    """Rules that hold for every part in the end: at most 12 files, few conditions, rooms of their
    size."""
    broken = scales.above_the_rules(scales.measured(), LIMITS["goals"])
    new = {rule: set(names) - set(LIMITS["not_yet"][rule]) for rule, names in broken.items()}
    assert new == {"crowded": set(), "dense": set(), "large": set()}
