"""`teach` without a terminal: from a run, from a text, by itself after a run; what is stored, and
what is said."""

import json
from pathlib import Path
from typing import Any

from memory.history import Repository
from memory.logs import find_run, list_runs, run_ids
from memory.sops import Sop, SopStore
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import bash, call
from tests.screen import scripted

SEEDS = CHECKOUT / "sops"


def stored(home: Path, name: str) -> Sop | None:
    """Return the SOP of this name, if the owner has one."""
    sop = SopStore(SEEDS, home / "sops").get(name)
    return sop if sop is not None and not sop.is_seed else None


def sops_of(home: Path) -> list[str]:
    return sorted(sop.name for sop in SopStore(SEEDS, home / "sops").all() if not sop.is_seed)


# From a run.


def counted(home: Path, cli: CommandLine, *more: Any) -> str:
    """Return a run of the scripted model that counts lines; its id."""
    scripted(home, [bash("wc -l < ~/a.txt"), *more, "3"])
    for name, lines in (("a", 3), ("b", 7), ("c", 5)):
        Path(f"~/{name}.txt").expanduser().write_text("x\n" * lines)
    assert cli("Measure the height of ~/a.txt").code == 0
    (home / "config.yaml").unlink()
    return find_run(home, "last")


def test_a_run_becomes_an_sop_without_questions(home: Path, cli: CommandLine) -> None:
    counted(home, cli)
    code, out, err = cli("teach", "count-lines", "--from-run", "last", "--prove", "file=~/b.txt")
    assert (code, err) == (0, ""), err
    assert (
        "Stored: count-lines 1 · probation" in out
        and 'sopwith "Measure the height of ~/a.txt"' in out
    )
    assert cli("Measure the height of ~/c.txt").stdout == "5\n"
    entries = json.loads(cli("sops", "history", "count-lines", "--json").stdout)["history"]
    assert [entry["status"] for entry in entries] == ["probation"] and entries[0]["run"] in run_ids(
        home
    )


def test_without_other_values_a_run_makes_a_candidate(home: Path, cli: CommandLine) -> None:
    counted(home, cli)
    code, out, _ = cli("teach", "count-lines", "--from-run", "last")
    sop = stored(home, "count-lines")
    assert (
        code == 0
        and sop is not None
        and sop.status == "candidate"
        and "Test it with other values: sopwith teach count-lines" in out
    )
    assert cli("Measure the height of ~/c.txt").code == 5


def test_a_taken_name_needs_a_word(home: Path, cli: CommandLine) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run).code == 0
    code, _, err = cli("teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt")
    assert code == 1 and "--new-version" in err
    assert (
        cli(
            "teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt", "--new-version"
        ).code
        == 0
    )
    sop = stored(home, "count-lines")
    assert sop is not None and (sop.version, sop.status) == (2, "probation")
    assert cli("sops", "rollback", "count-lines").code == 0
    sop = stored(home, "count-lines")
    assert sop is not None and (sop.version, sop.status) == (3, "candidate")


def test_what_an_sop_does_already_is_not_taught_again(home: Path, cli: CommandLine) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt").code == 0
    code, _, err = cli("teach", "lines", "--from-run", run, "--prove", "file=~/b.txt")
    assert (
        code == 1
        and "count-lines (probation) already does exactly this" in err
        and sops_of(home) == ["count-lines"]
    )


# By itself.


def test_a_marked_run_is_learned_from_by_itself(home: Path, cli: CommandLine) -> None:
    scripted(
        home, [bash("wc -l < ~/a.txt"), call("start_long_term_update", what="counting lines"), "3"]
    )
    Path("~/a.txt").expanduser().write_text("x\n" * 3)
    code, out, _err = cli("run", "--events", "Measure the height of ~/a.txt")
    events = [json.loads(line) for line in out.splitlines()]
    learned = [event for event in events if event["type"] == "learned" and event["what"] == "sop"]
    assert code == 0 and [(event["name"], event["status"]) for event in learned] == [
        ("measure-height", "candidate")
    ]
    assert (
        events[-1]["type"] == "run_ended"
        and "at" in learned[0]
        and learned[0]["run"] == events[0]["run"]
    )
    sop = stored(home, "measure-height")
    assert sop is not None and sop.status == "candidate" and sop.procedure is not None
    assert [step.tool for step in sop.procedure.steps] == ["code_run"], "the mark is no step"
    assert Repository(home).problem is None and list_runs(home)[0].run == events[0]["run"], (
        "trials are not listed"
    )
    assert cli("runs", "show", "last").stdout.count("Measure the height of ~/a.txt") >= 1
    (home / "config.yaml").unlink()
    for name, lines in (("b", 4), ("c", 5)):
        Path(f"~/{name}.txt").expanduser().write_text("x\n" * lines)
    assert cli("sops", "verify", "measure-height", "file=~/b.txt").code == 0
    assert cli("Measure the height of ~/c.txt").stdout == "5\n"
    assert json.loads(cli("runs", "list", "--json").stdout)["runs"][0]["rote"] is True


def test_a_marked_run_whose_answer_nothing_proves_is_at_most_a_draft(
    home: Path, cli: CommandLine
) -> None:
    scripted(
        home,
        [
            bash("wc -l < ~/a.txt"),
            call("start_long_term_update", what="counting"),
            "About a dozen, I think.",
        ],
    )
    Path("~/a.txt").expanduser().write_text("x\n" * 3)
    code, out, _ = cli("run", "--events", "Estimate the lines of ~/a.txt")
    events = [event for event in map(json.loads, out.splitlines()) if event["type"] == "learned"]
    learned = [event for event in events if event["what"] == "sop"]
    assert code == 0 and [event["status"] for event in learned] in (["draft"], ["refused"])
    assert all(
        sop is None or sop.status == "draft"
        for sop in (stored(home, name) for name in sops_of(home))
    )


# From a text.


def test_a_how_to_becomes_an_sop(home: Path, cli: CommandLine) -> None:
    Path("howto.md").write_text("# Count words of <FILE>\n\n1. Count: `wc -w < <FILE>`\n")
    for name, words in (("a", 3), ("b", 7)):
        Path(f"{name}.txt").write_text("x " * words)
    code, out, _ = cli(
        "teach",
        "words",
        "--from-file",
        "howto.md",
        "--values",
        "file=a.txt",
        "--prove",
        "file=b.txt",
    )
    assert code == 0 and "Stored: words 1 · probation" in out
    assert cli("count words of b.txt").stdout == "7\n"


def test_what_a_text_changes_is_proven_by_what_is_seen(home: Path, cli: CommandLine) -> None:
    Path("note.md").write_text("# Note a word\n\n1. Add it: `echo <WORD> >> <FILE>`\n")
    for name in ("one", "two", "three"):
        Path(name).mkdir()
    said = ("--request", "note {word} in {file}")
    given = ("--values", "word=tea", "file=one/a.txt", "--prove", "word=milk", "file=two/b.txt")
    code, out, err = cli("teach", "note-word", "--from-file", "note.md", *said, *given)
    assert code == 0 and "probation" in out, out + err
    assert not Path("one/a.txt").exists() and not Path("two/b.txt").exists()
    assert cli("note honey in three/c.txt").code == 0
    assert Path("three/c.txt").read_text() == "honey\n"


def test_a_secret_in_a_text_is_not_kept(home: Path, cli: CommandLine) -> None:
    Path("deploy.sh").write_text(
        "#!/bin/bash\ncurl -H 'Authorization: Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789' https://example.org\n"
    )
    code, out, _ = cli("teach", "deploy", "--from-file", "deploy.sh")
    sop = stored(home, "deploy")
    assert code == 0 and sop is not None and sop.status == "draft" and "holds a secret" in out
    assert not any(b"ghp_a" in path.read_bytes() for path in sop.folder.rglob("*.*"))


# The owner's commands.


def test_disable_and_enable(home: Path, cli: CommandLine) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt").code == 0
    assert "is disabled" in cli("sops", "disable", "count-lines").stdout
    assert cli("Measure the height of ~/c.txt").code == 5
    assert "probation" in cli("sops", "enable", "count-lines").stdout
    assert cli("Measure the height of ~/c.txt").stdout == "5\n"
    assert [
        entry["status"]
        for entry in json.loads(cli("sops", "history", "count-lines", "--json").stdout)["history"]
    ] == [
        "probation",
        "archived",
        "probation",
    ]


def test_verify_tells_machines_what_it_found(home: Path, cli: CommandLine) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run).code == 0
    said = json.loads(cli("sops", "verify", "count-lines", "file=~/b.txt", "--json").stdout)
    assert (said["passed"], said["status_before"], said["status"]) == (
        True,
        "candidate",
        "probation",
    )
    assert [case["passed"] for case in said["cases"]] == [True, True]
    Path("~/d.txt").expanduser().unlink(missing_ok=True)
    code, out, _ = cli("sops", "verify", "count-lines", "file=~/d.txt")
    assert code == 1 and "d.txt" in out


def test_export_and_import_go_together(home: Path, cli: CommandLine, tmp_path: Path) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt").code == 0
    assert cli("sops", "export", "count-lines", str(tmp_path / "out.zip")).code == 0
    other = ("--home", str(tmp_path / "other"))
    assert cli(*other, "sops", "import", str(tmp_path / "out.zip"), "--yes").code == 0
    assert cli(*other, "Measure the height of ~/c.txt").code == 5, "quarantine"
    assert cli(*other, "sops", "enable", "count-lines").code == 0
    assert cli(*other, "Measure the height of ~/c.txt").code == 5, "a draft"
    assert cli(*other, "sops", "verify", "count-lines").code == 0
    assert cli(*other, "sops", "verify", "count-lines", "file=~/c.txt").code == 0
    assert cli(*other, "Measure the height of ~/b.txt").stdout == "7\n"
