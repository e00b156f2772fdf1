"""Values that an owner names when teaching from a text."""

from pathlib import Path
from typing import Any

import pytest

from memory.sops import SopStore

REQUEST = "how many different lines are in {}"


@pytest.mark.parametrize("name", ["how.sh", "how.md"])
def test_a_variable_that_nobody_sets_is_a_parameter_and_values_name_it(
    home: Path, cli: Any, name: str
) -> None:
    tmp_path = Path.home()
    script = "sort -u \"$file\" | awk '{print $word}' | wc -l"
    text = (
        f"#!/bin/bash\n{script}\n" if name == "how.sh" else f"# Count lines\n\n1. Run `{script}`\n"
    )
    (tmp_path / name).write_text(text)
    for file, lines in (("l.txt", "b\na\nb\n"), ("m.txt", "x\nx\n"), ("n.txt", "1\n2\n3\n")):
        (tmp_path / file).write_text(lines)
    said = [
        "teach",
        "count-lines",
        "--from-file",
        str(tmp_path / name),
        "--request",
        REQUEST.format(tmp_path / "l.txt"),
    ]
    done = cli(*said, "--values", f"file={tmp_path}/l.txt", "--prove", f"file={tmp_path}/m.txt")
    assert done.code == 0 and "probation" in done.stdout, done
    sop = SopStore(home / "none", home / "sops").get("count-lines")
    assert sop and sop.procedure and [*sop.procedure.parameters] == ["file"]
    assert cli(REQUEST.format(tmp_path / "n.txt")).stdout.splitlines()[0] == "3"
    again = cli(
        *said,
        "--values",
        f"file={tmp_path}/l.txt",
        "--prove",
        f"file={tmp_path}/m.txt",
        "--new-version",
    )
    assert again.code == 0 and "count-lines 2 · probation" in again.stdout, again
    missing = cli(REQUEST.format(tmp_path / "none.txt"))
    assert missing.code != 0 and "none.txt" in missing.stderr and not missing.stdout


def test_a_value_of_no_parameter_is_told_and_nothing_is_stored(
    home: Path, tmp_path: Path, cli: Any
) -> None:
    (tmp_path / "how.sh").write_text('#!/bin/bash\nwc -l < "$file"\n')
    for option in ("--values", "--prove"):
        done = cli(
            "teach", "count-lines", "--from-file", str(tmp_path / "how.sh"), option, "fle=a.txt"
        )
        assert done.code == 1 and "'fle'" in done.stderr and "file" in done.stderr
    assert SopStore(home / "none", home / "sops").get("count-lines") is None
