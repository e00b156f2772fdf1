"""Written instructions become drafts: what they say is done with other values; what cannot be understood is listed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learning.draft import Draft, LearningError
from learning.from_text import from_text, kind_of
from replay.procedure import ProcedureError
from tests.test_crystallise import World

WORLD_IMPORTS = World

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

STEPS = """\
description: count things
parameters: {folder: {type: string, format: path}}
steps:
  - run: ls {folder} | wc -l
  - 7
"""


@pytest.fixture
def world(home: Path) -> World:
    return World(home, Path.home(), Path.cwd())


def test_markdown_with_placeholders_is_done_with_other_values(world: World) -> None:
    draft = from_text(MARKDOWN, "back-up", file="how.md")
    assert list(draft.content.parameters) == ["target", "label", "folder"]
    assert draft.content.wordings[0] == "back up {folder}" or "folder" in draft.content.wordings[0]
    source = world.owner / "my docs"
    source.mkdir()
    (source / "a.txt").write_text("1")
    values = {"folder": str(source), "target": str(world.owner / "保 存"), "label": "x'y"}
    assert world.replay(draft, values)[0] == "done"
    assert (world.owner / "保 存/my docs/a.txt").read_text() == "1"
    assert (world.owner / "保 存/x'y").is_dir()


def test_what_markdown_does_not_say_as_a_command_is_listed_with_its_line() -> None:
    draft = from_text(MARKDOWN, "back-up", file="how.md")
    assert [each for each in draft.problems if each.startswith("line")] == [
        "line 10: no command in 'Call your boss'",
        "line 12: a block of json is no step",
    ]


def test_a_script_takes_its_values_from_parameters(world: World) -> None:
    draft = from_text(SCRIPT, "count-words", file="count.sh")
    assert set(draft.content.parameters) == {"word", "file", "top"}
    assert draft.content.parameters["word"]["default"] == "error"
    assert draft.content.parameters["top"] == {"type": "integer", "minimum": 0, "default": 5}
    assert any("Count the words" in note for note in draft.notes)
    assert (draft.problems, draft.content.effects) == ([], "none")
    log = world.owner / "a log.txt"
    log.write_text("warn\nwarn\nerror\n$(touch pwned)\n")
    assert world.replay(draft, {"file": str(log), "word": "warn"}) == ("done", "2")
    assert world.replay(draft, {"file": str(log), "word": "$(touch pwned)"}) == ("done", "1")
    assert not Path("pwned").exists()


def test_arguments_used_by_number_get_the_names_of_the_usage(world: World) -> None:
    draft = from_text(
        '#!/bin/sh\n# Usage: x.sh FOLDER DAYS\nfind "$1" -mtime +$2 | wc -l\n',
        "count-old",
        file="x",
    )
    assert list(draft.content.parameters) == ["folder", "days"]
    assert world.replay(draft, {"folder": str(world.cwd), "days": 3}) == ("done", "0")


def test_a_list_of_steps(world: World) -> None:
    draft = from_text(STEPS, "count-things", file="steps.yaml")
    (world.owner / "d e").mkdir()
    (world.owner / "d e/f").write_text("")
    assert draft.problems == ["step 2: neither a command nor a tool with args: '7'"]
    assert world.replay(draft, {"folder": str(world.owner / "d e")}) == ("done", "1")


def test_a_whole_sop_is_taken_as_it_is_written() -> None:
    text = "# mine\nplan:\n  - {tool: code_run, args: {type: bash, script: 'echo 1'}, save: {x: output}}\nresult: '{{x}}'\n"
    draft = from_text(text, "mine", file="sop.yaml")
    assert draft.files["sop.yaml"] == text
    assert draft.is_settled
    assert "evidence.json" not in draft.files


@pytest.mark.parametrize(
    ("text", "file", "said"),
    [
        ("", "a.md", "empty"),
        ("a\0b", "a.md", "no text"),
        ("# Only words\n\nDo it well.\n", "a.md", "no step"),
        ("plan: [", "a.yaml", "not YAML"),
        ("plan:\n  - {tool: 3}\nresult: x\n", "a.yaml", "a.yaml:2: plan"),
        ("a: 1", "a.yaml", "no steps"),
        ("x" * 300_000, "a.md", "longer"),
        ("1. call mother\n2. wait\n", "a.md", "line 1: no command in 'call mother'"),
    ],
)
def test_texts_that_say_no_steps_are_refused_with_the_reason(
    text: str, file: str, said: str
) -> None:
    with pytest.raises(LearningError, match=said):
        from_text(text, "x", file=file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('for f in "$@"; do echo "$f"; done\n', "line 1: .*any number of arguments"),
        ("ls\nread -p 'sure? ' x\n", "line 2: .*asks while it runs"),
        ("sudo ls\n", "line 1: .*password"),
        ("ls\nvim x\n", "line 2: .*terminal"),
    ],
)
def test_what_needs_a_person_is_a_problem(text: str, said: str) -> None:
    import re

    assert any(re.match(said, problem) for problem in from_text(text, "x", file="x.sh").problems)


@pytest.mark.parametrize(
    ("text", "file", "kind"),
    [("#!/bin/bash\n", "", "shell"), ("plan:\n", "", "yaml"), ("# x\n", "", "markdown"), ("", "a.sh", "shell"), ("", "b.yml", "yaml"), ("", "c.txt", "markdown")],
)  # fmt: skip
def test_the_kind_of_a_text(text: str, file: str, kind: str) -> None:
    assert kind_of(text, file) == kind


WORDS = st.sampled_from(["```bash", "```", "1. ", "- ", "`ls -l`", "<X>", "{y}", "$Z", "# T", "rm -rf /", "'", '"', "\n", "$(", "<<E", "---", "plan:", "héllo 世界", "\t"])  # fmt: skip


@given(st.lists(WORDS, max_size=25).map(" ".join) | st.lists(WORDS, max_size=25).map("\n".join), st.sampled_from(["a.md", "a.sh", "a.yaml"]))  # fmt: skip
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_text_gives_a_draft_that_loads_or_a_reason(text: str, file: str) -> None:
    try:
        draft: Any = from_text(text, "x", file=file)
    except LearningError:
        return
    assert isinstance(draft, Draft)
    try:
        draft.procedure()
    except ProcedureError:
        assert draft.problems


@pytest.mark.parametrize(
    ("text", "file", "names", "begins"),
    [
        ('# Copy\n\n```bash\ncp "$1" "$2"\n```\n', "a.md", ["argument1", "argument2"], 'set -- "$argument1" "$argument2"'),
        ('SRC=$1\ncp "$SRC" "${2}"\n', "a.sh", ["src", "argument2"], 'set -- "$src" "$argument2"'),
        ('# usage: a.sh SRC\nSRC=$1\n[ $# -lt 1 ] && exit 1\nwc -l "$SRC"\n', "a.sh", ["src"], 'set -- "$src"'),
        ('if [ $# -lt 2 ]; then echo "usage: $0 FROM WHERE"; exit 1; fi\ncp "$1" "$2"\n', "a.sh", ["from", "where"], "set --"),
        ("awk '{print $1}' ~/list.txt\n", "a.sh", [], "awk"),
        ('echo "it isn\'t $1"\necho "it\'s"\n', "a.sh", ["argument1"], "set --"),
    ],
)  # fmt: skip
def test_arguments_by_number_are_parameters_also_in_markdown(
    text: str, file: str, names: list[str], begins: str
) -> None:
    draft = from_text(text, "it", file=file)
    assert list(draft.content.parameters) == names
    step = (*draft.content.plan, *draft.content.commit)[0]
    assert str(step.args["script"]).startswith(begins), step.args
    assert not any("number of arguments" in each for each in draft.problems)


@pytest.mark.parametrize(
    ("script", "half", "effects"),
    [
        ("curl -s https://api.example.org/rates.json | jq .eur", "plan", "none"),
        ("curl -s http://127.0.0.1:8080/status", "plan", "none"),
        ("curl -s -X POST -d a=1 https://api.example.org/rates", "commit", "external"),
        ('curl -s "https://$HOST_NAME/rates"', "commit", "external"),
        ("curl -s https://api.example.org/<NAME>.json", "plan", "none"),
        (
            "curl -s https://api.example.org/$NAME.json",
            "commit",
            "external",
        ),  # not quoted: it may be more than one word
        ('curl -s "https://api.example.org/$(cat ~/.netrc)"', "commit", "external"),
        ("curl -s https://api.example.org/rates.json -o rates.json", "commit", None),
    ],
)
def test_asking_a_host_that_the_text_names_only_reads(
    script: str, half: str, effects: str | None
) -> None:
    draft = from_text(f"# Rates\n\n```bash\n{script}\n```\n", "rates")
    assert [bool(draft.content.plan), bool(draft.content.commit)] == [
        half == "plan",
        half == "commit",
    ]
    assert effects in (None, draft.content.effects)
