"""`sops run NAME` of what nothing proves, of what failed, and of what somebody edited: asked about,
or refused in two lines."""

from pathlib import Path
from typing import Any

import pytest

from memory.sops.changing import SopChanges

SKILL = "---\nname: say\ndescription: Says it.\nmetadata: {sopwith-status: %s}\n---\nSays it.\n"
STEPS = """\
parameters: {type: object, properties: {text: {type: string}}, required: [text]}
wordings: ["say {text}"]
effects: none
plan:
  - {tool: code_run, args: {script: 'printf "%s, said\\n" "$text"'}, expect: {exit_code: 0}, save: {said: output}}
result: "{{said}}"
"""


def stored(home: Path, status: str) -> None:
    SopChanges(home, home / "none").write(
        "say", {"SKILL.md": SKILL % status, "sop.yaml": STEPS}, reason="taught"
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("status", ["draft", "suspended"])
def test_what_is_not_proven_is_not_done_where_nobody_is(
    home: Path, cli: Any, status: str, lang: str
) -> None:
    stored(home, status)
    refused = cli("--lang", lang, "sops", "run", "say", "text=tea")
    assert (
        refused.code == 2 and len(refused.stderr.strip().splitlines()) == 2 and not refused.stdout
    )
    assert f"sopwith sops {'verify' if status == 'draft' else 'enable'} say" in refused.stderr
    assert "tea, said" in cli("sops", "run", "say", "text=tea", "--approve", "all").stdout


@pytest.mark.parametrize("status", ["candidate", "probation", "active"])
def test_what_has_passed_is_done_by_its_name(home: Path, cli: Any, status: str) -> None:
    stored(home, status)
    assert "tea, said" in cli("sops", "run", "say", "text=tea").stdout


def test_what_was_edited_is_not_done_until_it_is_taken_back(home: Path, cli: Any) -> None:
    stored(home, "active")
    file = home / "sops/say/sop.yaml"
    file.write_text(file.read_text("utf-8").replace("said\\n", "shouted\\n"), "utf-8")
    refused = cli("sops", "run", "say", "text=tea")
    assert refused.code == 2 and "edited by hand" in refused.stderr
    assert cli("say tea").code == 5
    assert cli("sops", "rollback", "say", "1").code == 0
    assert "tea, said" in cli("say tea").stdout
