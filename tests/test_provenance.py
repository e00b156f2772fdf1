"""Where the values of a run come from: a table of cases, and the two rewriters against the shell and Python themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from learning import python_words, shell_words
from learning.mentions import mentions_in
from learning.provenance import Provenance, agree, contradict, provenance
from learning.trace import Trace
from learning.units import Surroundings
from memory.runlog.evidence import Result, result_hash
from shell.bash import NotUnderstood

CWD, HOME = Path("/work/place"), Path("/home/ann")
AROUND = Surroundings(CWD, HOME, "2026-11-21", "annabel", "bigbox")
Call = tuple[str, dict[str, Any], Any]


def trace(request: str, *calls: Call, taught: str | None = None) -> Trace:
    seen = tuple(
        Result(n, f"c{n}", tool, args, "ok", data, result_hash("ok", data))
        for n, (tool, args, data) in enumerate(calls, 1)
    )
    return Trace(
        "r",
        request,
        CWD,
        "en",
        "main",
        "done",
        "",
        seen,
        "2026-11-21T10:00:00Z",
        False,
        None,
        taught,
    )


def sh(script: str, output: str = "", **more: Any) -> Call:
    return (
        "code_run",
        {"type": "bash", "script": script, **more},
        {"exit_code": 0, "output": output},
    )


def py(script: str, output: str = "") -> Call:
    return "code_run", {"type": "python", "script": script}, {"exit_code": 0, "output": output}


def tool(name: str, data: Any = None, /, **args: Any) -> Call:
    return name, args, data


def told(found: Provenance) -> set[str]:
    """The findings in short: `text=origin`, with the mention, the extractor or the name behind it."""
    lines = set()
    for each in found.found:
        source = each.source
        detail = source.mention.text if source.mention else source.extractor or source.name
        kind = "ambiguous" if each.candidates else source.origin
        operation = f"|{source.operation}" if source.operation else ""
        lines.add(
            f"{each.text}={kind}"
            + (f":{detail}{operation}" if detail and kind != "ambiguous" else "")
        )
    lines |= {f"list={source.extractor}:{source.call + 1}" for _, source in found.lists}
    return lines


CASES: list[tuple[str, list[Call], set[str], set[str]]] = [
    # request, calls, what must be found, what must not
    ("files in ~/Downloads", [sh("ls ~/Downloads")], {"~/Downloads=request:~/Downloads"}, set()),
    ("files in ~/Downloads", [sh("ls /home/ann/Downloads")], {"/home/ann/Downloads=request:~/Downloads"}, set()),
    ("files in ~/Downloads", [sh('ls "$HOME/Downloads"')], {"~/Downloads=request:~/Downloads"}, set()),
    ("files in ~/Downloads", [sh("ls ~/Downloads/sub")], {"~/Downloads=request:~/Downloads"}, set()),
    ("files in ~/Downloads", [sh("ls ~/Downloads2")], {"~/Downloads2=constant"}, {"~/Downloads=request:~/Downloads"}),
    ("files in ~/Downloads", [sh("ls '~/Downloads'")], set(), {"~/Downloads=request:~/Downloads"}),
    ("files in /home/ann/x", [sh("ls ~/x")], {"~/x=request:/home/ann/x"}, set()),
    ("lines of data.csv", [sh("wc -l data.csv")], {"data.csv=request:data.csv"}, set()),
    ("lines of data.csv", [sh("wc -l ./data.csv")], {"./data.csv=request:data.csv"}, set()),
    ("lines of data.csv", [sh("wc -l /work/place/data.csv")], {"/work/place/data.csv=request:data.csv"}, set()),
    ("lines of data.csv", [sh("cp data.csv data.csv.bak")], {"data.csv=request:data.csv"}, {"data.csv.bak=constant"}),
    ("lines of data.csv", [sh("cp data.csv old/data.csv")], {"data.csv=request:data.csv|##*/"}, set()),
    ("lines of data.csv", [sh("cd /tmp; wc -l data.csv")], set(), {"data.csv=request:data.csv"}),
    ("lines of data.csv", [tool("file_read", path="data.csv")], {"data.csv=request:data.csv"}, set()),
    ('lines of "my data.csv"', [sh("wc -l 'my data.csv'")], {"my data.csv=request:my data.csv"}, set()),
    ("lines of sub/../data.csv", [sh("wc -l data.csv")], {"data.csv=request:sub/../data.csv"}, set()),
    ("older than 30 days", [sh("find . -mtime +30")], {"30=request:30"}, set()),
    ("older than thirty days", [sh("find . -mtime +30")], {"30=request:thirty"}, set()),
    ("超过三十天的文件", [sh("find . -mtime +30")], {"30=request:三十"}, set()),
    ("older than 30 minutes", [sh("find . -mtime +30")], {"+30=constant"}, {"30=request:30"}),
    ("older than 90 minutes", [sh("find . -mmin +90")], {"90=request:90"}, set()),
    ("older than 100 minutes", [sh("find . -mtime +100")], {"+100=constant"}, set()),
    ("older than 30 days", [sh("prog --days 30")], {"30=request:30"}, set()),
    ("older than 30 days", [sh("prog --days=30")], {"30=request:30"}, set()),
    ("older than 30 days", [sh("prog 30")], {"30=ambiguous"}, set()),
    ("older than 30 days", [sh("DAYS=30; find . -mtime +$DAYS")], {"30=request:30"}, set()),
    ("older than 30 days", [sh("prog 1.30 30.5 x30 a-30")], set(), {"30=request:30", "30=ambiguous"}),
    ("top 5 files", [sh("ls | head -n 5")], {"5=request:5"}, set()),
    ("top 5 files", [sh("ls | head -5")], {"5=request:5"}, set()),
    ("top 5 files", [sh("ls | head -n5")], {"5=request:5"}, set()),
    ("top 5 files", [py("print(names[:5])")], {"5=request:5"}, set()),
    ("top 5 files", [py("n = 5\nprint(n)")], {"5=request:5"}, set()),
    ("top 5 files", [py("print(5)")], {"5=ambiguous"}, set()),
    ("top 5 files", [sh("tail -n +5 x | head -n 5")], {"5=ambiguous"}, {"5=request:5"}),
    ("the 1,000 largest files", [sh("head -n 1000 x")], {"1000=request:1,000"}, set()),
    ("files above 10 MB", [sh("find . -size +10M")], {"10=request:10"}, set()),
    ("files above 10 GB", [sh("find . -size +10M")], {"+10M=constant"}, {"10=request:10"}),
    ("move 30 files older than 30 days", [sh("find . -mtime +30 | head -n 30")], {"30=request:30"}, {"30=ambiguous"}),
    ("two weeks old", [sh("find . -mtime +14")], {"+14=constant"}, set()),
    ("since 2026-01-31", [sh("git log --since=2026-01-31")], {"2026-01-31=request:2026-01-31"}, set()),
    ("since 2026/1/31", [sh("git log --since=2026-01-31")], {"2026-01-31=request:2026/1/31"}, set()),
    ("since 2026年1月31日", [sh("git log --since 2026-01-31")], {"2026-01-31=request:2026年1月31日"}, set()),
    ("for 2026-01-31", [sh("touch log_20260131.txt")], {"20260131=request:2026-01-31|//-/"}, set()),
    ('lines with "error"', [sh("grep error x")], {"error=request:error"}, set()),
    ("lines with error", [sh("grep error x")], {"error=request:error"}, set()),
    ("lines with errors", [sh("grep error x")], {"error=constant"}, set()),
    ("convert to json", [sh("prog --format json")], {"json=request:json"}, set()),
    ("show the git log", [sh("git log")], set(), {"log=request:log"}),
    ('add "a b" twice', [sh("echo 'a b and a b'")], {"a b=request:a b"}, set()),
    ("fetch https://a.example/x", [sh("curl -s https://a.example/x")], {"https://a.example/x=request:https://a.example/x"}, set()),
    ("find *.log here", [sh("find . -name '*.log'")], {"*.log=request:*.log"}, set()),
    ("close A-1001", [tool("close", id="A-1001")], {"A-1001=request:A-1001"}, set()),
    ("close order 7", [tool("close", order=7)], {"7=request:7"}, set()),
    ("close order 7", [tool("close", level=7)], {"7=ambiguous"}, set()),
    ("do it", [tool("make", {"id": "abc-1"}), tool("use", id="abc-1")], {"abc-1=earlier:data.id"}, set()),
    ("do it", [tool("make", {"id": 7}), tool("use", id=7)], {"7=earlier:data.id"}, set()),
    ("do it", [tool("make", {"id": 7}), tool("use", count=7)], {"7=constant"}, {"7=earlier:data.id"}),
    ("do it", [tool("make", {"a": "xyz", "b": "xyz"}), tool("use", b="xyz")], {"xyz=earlier:data.b"}, set()),
    ("do it", [tool("make", {"a": "xyz", "b": "xyz"}), tool("use", c="xyz")], {"xyz=ambiguous"}, set()),
    ("do it", [tool("make", {"xs": [{"id": "abc"}, {"id": "def"}]}), tool("use", id="abc")], {"abc=reasoned"}, {"abc=earlier:data.id"}),
    ("do it", [tool("make", {"a": "xyz"}), tool("make", {"a": "xyz"}), tool("use", a="xyz")], {"xyz=earlier:data.a"}, set()),
    ("do it", [py("print(1)", '{"id": "C-77"}'), sh("grep C-77 x")], {"C-77=reasoned"}, set()),
    ("do it", [py("print(1)", '{"id": "C-77"}'), sh("prog --id C-77")], {"C-77=earlier:json.id"}, set()),
    ("get A-1", [tool("get", {"id": "A-1"}, id="A-1"), tool("end", id="A-1")], {"A-1=request:A-1"}, {"A-1=ambiguous"}),
    ("get abcd", [tool("get", {"id": "abcd"}, x=1), tool("end", id="abcd")], {"abcd=ambiguous"}, set()),
    ("newest in ~/in", [sh("ls -t ~/in | head -n 1", "b b.txt\n"), sh("cp ~/in/'b b.txt' .")], {"b b.txt=earlier:output", "~/in=request:~/in"}, set()),
    ("newest in ~/in", [sh("ls -t ~/in", "b.txt\na.txt\n"), sh("cp ~/in/b.txt .")], {"b.txt=reasoned"}, set()),
    ("newest in ~/in", [sh("ls -t ~/in", "report.txt\na.txt\n"), sh("cp x ~/in/report.csv")], {"report.csv=reasoned"}, set()),
    ("old ones", [sh("find . -mtime +3", "./a b\n./c\n"), sh("rm './a b' c")], {"list=lines:1"}, set()),
    ("old ones", [sh("find . -mtime +3", "./a b\n./c\n"), tool("file_trash", paths=["c", "a b"])], {"list=lines:1"}, set()),
    ("old ones", [sh("find . -mtime +3", "./abc\n./def\n"), sh("rm abc")], {"abc=reasoned"}, {"list=lines:1"}),
    ("note the day", [sh("touch log-2026-11-21")], {"2026-11-21=environment:today"}, set()),
    ("note the day", [sh("touch log_20261121.txt")], {"20261121=environment:today|//-/"}, set()),
    ("list it", [sh("ls /work/place/sub")], {"/work/place=environment:cwd"}, set()),
    ("list it", [sh("ls /home/ann/sub")], {"/home/ann=environment:home"}, set()),
    ("whose", [sh("ps -u annabel")], {"annabel=environment:user"}, set()),
    ("which", [sh("grep bigbox x")], {"bigbox=environment:host"}, set()),
    ("make it", [sh("mkdir -p /srv/data")], {"/srv/data=constant"}, set()),
    ("sum it", [py("x = 'a'\nprint(x, f'b {x}')")], {"a=constant"}, set()),
]  # fmt: skip


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case[0][:24]}|{str(case[1][-1][1])[:40]}"
)
def test_where_values_come_from(case: tuple[str, list[Call], set[str], set[str]]) -> None:
    request, calls, wanted, unwanted = case
    found = told(provenance(trace(request, *calls), AROUND))
    assert wanted <= found, found
    assert not unwanted & found, found


def test_the_table_is_long_enough() -> None:
    assert len(CASES) >= 60


def test_what_the_owner_names_binds_even_when_it_is_short() -> None:
    found = provenance(trace("teach x", sh("prog 7 x"), taught="x"), AROUND, {"level": "7"})
    assert told(found) >= {"7=request:7"}


def test_a_short_value_of_the_owner_with_a_name_leaves_the_others_alone() -> None:
    found = provenance(
        trace("teach x", sh("prog --level 7 --other 7"), taught="x"), AROUND, {"level": "7"}
    )
    assert [(each.unit.hints, each.source.origin) for each in found.found if each.text == "7"] == [
        (("level", "prog"), "request"),
        (("other", "prog"), "constant"),
    ]


def test_a_number_of_the_request_that_no_argument_uses_is_seen() -> None:
    found = provenance(trace("older than two weeks in ~/x", sh("find ~/x -mtime +14")), AROUND)
    assert [mention.text for mention in found.unused] == ["two"]


def test_names_agree_or_contradict() -> None:
    assert agree(("mtime", "find"), ("days",))
    assert agree(("n", "head"), ("lines", "first"))
    assert not agree(("mtime", "find"), ("lines",))
    assert contradict(("mtime",), ("minutes", "than"))
    assert not contradict(("mtime",), ("days", "than"))


def test_mentions_are_normalised() -> None:
    found = {m.text: (m.kind, m.value) for m in mentions_in('copy "a b.txt" to ~/x, 3.5 or twenty-five of A-7 on 2026/1/5', CWD, HOME) if m.is_hard}  # fmt: skip
    assert found == {
        "a b.txt": ("path", "/work/place/a b.txt"),
        "~/x": ("path", "/home/ann/x"),
        "3.5": ("number", "3.5"),
        "twenty-five": ("integer", "25"),
        "A-7": ("text", "A-7"),
        "2026/1/5": ("date", "2026-01-05"),
    }


# The rewriters

PLACES = ("VALUE", "'VALUE'", '"VALUE"', "a'VALUE'b", '"x VALUE y"', "pre-VALUE.txt", "'a \"VALUE\" b'", '"$x"VALUE', "--opt=VALUE", "\"$(printf %s VALUE)\"", "VALUE/sub", "'*'VALUE", "$'q'VALUE", "a\\ VALUE")  # fmt: skip
VALUES = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20
)


@given(st.lists(st.sampled_from(PLACES), min_size=1, max_size=4), VALUES, st.booleans())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_value_never_becomes_code_whatever_the_quoting(
    places: list[str], value: str, in_document: bool
) -> None:
    """bash itself says what the rewritten script prints: what the old one prints, with the value in its place."""
    script = "x=1; printf '%s\\n' -- " + " ".join(places)
    script += "\ncat <<E\nin $x VALUE\nE\n" if in_document else ""
    scanned = shell_words.scan(script)
    uses = [
        shell_words.Use(n, match.start(), match.end(), "given")
        for n, word in enumerate(scanned.words)
        for match in re.finditer("VALUE", word.text)
    ]
    after = shell_words.rewrite(scanned, uses)
    assert "VALUE" not in after
    assert shell_words.same_meaning(script, after, {"given": "VALUE"}, "/home/ann")
    before = _bash(script, "")
    assert (
        _bash(after, value)
        == before.replace("VALUE", value.rstrip("\n") if "$(" in script else value)
        or "$(" in script
    )


def _bash(script: str, value: str) -> str:
    done = subprocess.run(
        ["bash", "-c", script], env={"given": value, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, capture_output=True, check=True
    )  # fmt: skip
    return done.stdout.decode("utf-8", "surrogateescape")


@given(VALUES)
@settings(max_examples=30, deadline=None)
def test_a_value_in_python_is_read_from_the_environment(value: str) -> None:
    script = '"""VALUE stays in what nobody reads"""\nimport sys\nsys.stdout.write("a VALUE" "b")\nsys.stdout.write(\'VALUE\')\n'
    constants = python_words.scan(script)
    uses = [
        python_words.PyUse(n, match.start(), match.end(), "given")
        for n, constant in enumerate(constants)
        for match in re.finditer("VALUE", str(constant.value))
    ]
    after = python_words.rewrite(script, constants, uses)
    assert python_words.same_meaning(script, after, {"given": "VALUE"})
    env = {"given": value, "PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8:surrogateescape"}
    done = subprocess.run([sys.executable, "-c", after], env=env, capture_output=True, check=True)
    assert done.stdout.decode().replace("\r\n", "\n") == f"a {value}b{value}"


@given(st.text(st.sampled_from("abVALUE '\"\\$`(){}|&;<>\n\t#*?~=/-1é"), max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_script_is_rewritten_provably_or_not_at_all(script: str) -> None:
    try:
        scanned = shell_words.scan(script)
        uses = [
            shell_words.Use(n, match.start(), match.end(), "given")
            for n, word in enumerate(scanned.words)
            for match in re.finditer("V", word.text)
        ]
        after = shell_words.rewrite(scanned, uses)
    except NotUnderstood:
        return
    assume(uses)
    if shell_words.same_meaning(script, after, {"given": "V"}, "/home/ann"):
        check = ["bash", "-n", "-c"]
        if subprocess.run([*check, script], capture_output=True, check=False).returncode == 0:
            assert (
                subprocess.run([*check, after], capture_output=True, check=False).returncode == 0
            ), (script, after)


@pytest.mark.parametrize(
    ("script", "after"),
    [
        ("find ~/x -mtime +30", 'find ~/x -mtime "+$v"'),
        ("find ~/x -mtime '+30'", 'find ~/x -mtime "+$v"'),
        ('echo "30 days"', 'echo "$v days"'),
        ("echo 'it costs $30'", "echo 'it costs $'\"$v\"''"),
        ('echo "30th"', 'echo "${v}th"'),
        ("awk 'NR<=30' x", 'awk "NR<=$v" x'),
        ("cat <<E\n30\nE\n", "cat <<E\n$v\nE\n"),
        ("echo $(echo 30)", 'echo $(echo "$v")'),
        ("ls 30*", 'ls "$v"*'),
    ],
)
def test_each_quoting_keeps_its_form(script: str, after: str) -> None:
    scanned = shell_words.scan(script)
    uses = [
        shell_words.Use(n, match.start(), match.end(), "v")
        for n, word in enumerate(scanned.words)
        for match in re.finditer("30", word.text)
    ]
    assert shell_words.rewrite(scanned, uses) == after
    assert shell_words.same_meaning(script, after, {"v": "30"}, "/home/ann")


def test_fifty_calls_are_looked_at_in_less_than_a_second() -> None:
    import time

    calls = [sh(f"find ~/d{n} -mtime +30 | head -n 5 > ~/out{n}.txt", "\n".join(f"f{n}-{k}.txt" for k in range(200))) for n in range(50)]  # fmt: skip
    started = time.thread_time()
    provenance(trace("older than 30 days in ~/d7", *calls), AROUND)
    assert time.thread_time() - started < 1.5
