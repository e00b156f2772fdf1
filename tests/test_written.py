"""Written instructions become a script with parameters: it does the same with other values; what is
not understood is listed."""

import re
from pathlib import Path

import pytest

from learning.draft import LearningError, whole
from learning.written import Instructions, read_text
from tests.machine import ran
from tests.rows import cases

MARKDOWN = """\
# Back up <FOLDER>

How to keep a copy.

1. Make the place for it:
   ```bash
   mkdir -p "<TARGET>/$LABEL"
   ```
2. Copy: `cp -r <FOLDER> <TARGET>/`
3. Call your boss.

```json
{"not": "a step"}
```

```console
$ ls <TARGET>
backup
```
"""

SCRIPT = """\
#!/bin/bash
# Count the words of a file.
# Usage: count.sh FILE
set -eu
WORD=error   # what to look for
FILE="$1"
TOP="${2:-5}"
grep -o "$WORD" "$FILE" | head -n "$TOP" | wc -l
"""


def read(text: str, file: str) -> Instructions:
    found = read_text(text, file)
    assert isinstance(found, Instructions)
    return found


def done(found: Instructions, **values: str) -> tuple[int, str]:
    """Return the exit code and output of the script with these values."""
    script = "\n".join(found.lines)
    ended = ran("bash", "-c", script, env={"PATH": "/usr/bin:/bin", **values})
    return ended.returncode, ended.stdout.strip()


def test_markdown_with_placeholders_is_done_with_other_values(tmp_path: Path) -> None:
    found = read(MARKDOWN, "how.md")
    assert set(found.parameters) == {"target", "label", "folder"}
    assert found.request == "back up {folder}"
    source = tmp_path / "my docs"
    source.mkdir()
    (source / "a.txt").write_text("1")
    target = tmp_path / "保 存"
    assert done(found, folder=str(source), target=str(target), label="x'y")[0] == 0
    assert (target / "my docs/a.txt").read_text() == "1"
    assert (target / "x'y").is_dir()


def test_what_markdown_does_not_say_as_a_command_is_listed_with_its_line() -> None:
    assert sorted(read(MARKDOWN, "how.md").problems) == [
        "line 10: no command in 'Call your boss'",
        "line 12: a block of json is no step",
    ]


def test_a_script_takes_its_values_from_parameters(tmp_path: Path) -> None:
    found = read(SCRIPT, "count.sh")
    assert set(found.parameters) == {"word", "file", "top"}
    assert found.parameters["word"]["default"] == "error"
    assert found.parameters["top"] == {"type": "integer", "minimum": 0, "default": 5}
    assert any("Count the words" in note for note in found.notes) and found.problems == []
    log = tmp_path / "a log.txt"
    log.write_text("warn\nwarn\nerror\n$(touch pwned)\n")
    assert done(found, file=str(log), word="warn", top="5") == (0, "2")
    assert done(found, file=str(log), word="$(touch pwned)", top="5") == (0, "1")
    assert not Path("pwned").exists()


def test_a_whole_sop_is_taken_as_it_is_written() -> None:
    text = "# mine\nplan:\n  - {tool: code_run, args: {type: bash, script: 'echo 1'}, save: {x: output}}\nresult: '{{x}}'\n"
    assert read_text(text, "sop.yaml") == text
    draft = whole(text, "mine", "sop.yaml")
    assert draft.files["sop.yaml"] == text and draft.is_settled
    staged = whole("run: {script: 'echo 1'}\n", "mine")
    assert staged.is_settled and "echo 1" in staged.files["SKILL.md"]


@cases
def test_texts_that_say_no_steps_are_refused_with_the_reason(
    text: str, file: str, said: str
) -> None:
    with pytest.raises(LearningError, match=said):
        found = read_text(text, file)
        assert isinstance(found, str)
        whole(found, "x", file)


@cases
def test_what_needs_a_person_is_a_problem(text: str, said: str) -> None:
    assert any(re.match(said, problem) for problem in read(text, "x.sh").problems)


@cases
def test_arguments_by_number_are_parameters_also_in_markdown(
    text: str, file: str, names: list[str]
) -> None:
    found = read(text, file)
    assert list(found.parameters) == names
    begins = "set -- " + " ".join(f'"${name}"' for name in names)
    assert found.lines[0].startswith(begins if names else "awk"), found.lines
    assert not any("number of arguments" in each for each in found.problems)
