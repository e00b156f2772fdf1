"""Check what comes of runs that nobody marked: an offer after the third of a kind; a fact alone
makes no SOP."""

from pathlib import Path
from typing import Any

from memory.inbox import Entry, Inbox
from tests.driving import bash, call, of, run


def offers(home: Path) -> list[Entry]:
    return [entry for entry in Inbox(home).list() if entry.id.startswith("offer-")]


def converted(home: Path, name: str, **options: Any) -> str:
    """Return a run that does the same kind of task with another value."""
    events = run(home, [bash(f"echo {name} > {name}.txt"), "Done."], **options)
    return str(events[0]["run"])


def test_the_third_run_of_a_kind_leads_to_one_offer(home: Path) -> None:
    runs = []
    for number, name in enumerate(("alpha1", "beta2", "gamma3", "delta4"), start=1):
        runs.append(converted(home, name, task=f"write the note {name} into its file"))
        assert len(offers(home)) == (number >= 3)
    assert offers(home)[0].command == f"sopwith teach NAME --from-run {' '.join(runs[:3])}"


def test_runs_of_other_kinds_lead_to_no_offer(home: Path) -> None:
    for task in ("count the lines of a.txt", "say hello to everybody", "what day is it"):
        converted(home, "note7", task=task)
    assert offers(home) == []


def test_a_marked_run_counts_for_no_offer(home: Path) -> None:
    for name in ("alpha1", "beta2", "gamma3"):
        mark = call("start_long_term_update", what="How to write a note")
        task = f"write the note {name} into its file"
        run(home, [bash(f"echo {name} > {name}.txt"), mark, "Done."], task=task, learns=True)
    assert offers(home) == []


def test_a_mark_that_is_only_a_fact_makes_no_sop(home: Path) -> None:
    mark = call("start_long_term_update", what="sort lies at /usr/bin/sort")
    events = run(home, [bash("command -v sort"), mark, "Done."], task="where is sort")
    learned = [(event["what"], event["status"]) for event in of(events, "learned")]
    assert ("fact", "stored") in learned and "sop" not in dict(learned)


def test_a_run_that_follows_a_candidate_and_ends_well_moves_it_on(
    home: Path, tmp_path: Path
) -> None:
    for name, file, word in (("one", "pie", "pear"), ("two", "jam", "kiwi")):
        (tmp_path / "owner" / name).mkdir()
        (tmp_path / "owner" / name / file).write_text(f"{file} of {word}", "utf-8")
    one, two = tmp_path / "owner" / "one", tmp_path / "owner" / "two"
    mark = call("start_long_term_update", what="How to name the recipes that use a word")
    task = 'name the recipes of {} that use "{}"'
    marked = run(
        home, [bash(f"grep -rl pear {one}"), mark, f"{one}/pie"], task=task.format(one, "pear")
    )
    (first,) = [event for event in of(marked, "learned") if event["what"] == "sop"]
    assert first["status"] == "candidate", first["reason"]
    read = call("file_read", path=str(home / "sops" / first["name"] / "SKILL.md"))
    followed = [read, bash(f"grep -rl kiwi {two}"), f"{two}/jam"]
    failed = run(home, [read, bash(f"grep -rl kiwi {two}/none")], task=task.format(two, "kiwi"))
    assert of(failed, "run_ended")[0]["status"] != "done"
    assert of(failed, "learned") == []  # what went wrong is evidence for nothing
    again = run(home, followed, task=task.format(two, "kiwi"))
    (moved,) = of(again, "learned")
    assert (moved["name"], moved["status"]) == (first["name"], "probation"), moved["reason"]
