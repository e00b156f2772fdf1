"""The gate: each row a call, the decision, the risk, and why it must be so."""

import random
import string
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench import gate as bench
from config import SafetyConfig
from safety.gate import Ask, Decision, Gate
from shell import NotUnderstood, parse
from tests.machine import slowness
from tests.rows import rows


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    owner, cwd = tmp_path / "owner", tmp_path / "cwd"
    return Gate(SafetyConfig(), owner / ".sopwith", owner, cwd)


def bash(gate: Gate, script: str, **more: Any) -> Decision:
    """Return what the gate says of a bash script in the working folder."""
    return gate.decide(
        Ask("code_run", {"type": "bash", "script": script, **more}, ("execute",), (), "main")
    )


def python(gate: Gate, script: str) -> Decision:
    return gate.decide(
        Ask("code_run", {"type": "python", "script": script}, ("execute",), (), "main")
    )


def on_path(
    gate: Gate, tool: str, effects: tuple[str, ...], path: Path | str, **args: Any
) -> Decision:
    return gate.decide(Ask(tool, args, effects, (Path(path),), "main"))


CONFIRM = [(*row,) for row in rows(__name__, "confirm")]  # fmt: skip
REFUSED = [(*row,) for row in rows(__name__, "refused")]


@pytest.mark.parametrize(("script", "risk", "why"), CONFIRM)
def test_risky_script_is_asked_about(gate: Gate, script: str, risk: str, why: str) -> None:
    decision = bash(gate, script)
    assert decision.decision == "confirm", (why, decision)
    assert risk in (
        decision.risk,
        *[risk for word in ("outside", "delete") if word in decision.reason],
    ), (
        why,
        decision,
    )


@pytest.mark.parametrize(("script", "why"), REFUSED)
def test_catastrophe_is_refused(gate: Gate, script: str, why: str) -> None:
    assert bash(gate, script).decision == "refuse", (why, bash(gate, script))


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("print(sum(range(10)))", "allow"),
        ("import json, pathlib\nprint(json.loads(pathlib.Path('a.json').read_text()))", "allow"),
        ("open('out.txt', 'w').write('x')", "allow"),
        ("print('os.remove(x)')", "allow"),
        ("this is no Python: remove", "allow"),
        ("import subprocess\nsubprocess.run(['ls', '-l'])", "allow"),
        ("s = 'a'.replace('a', 'b')", "allow"),
        ("import os\nos.remove('x')", "confirm"),
        ("from shutil import rmtree as r\nr('x')", "confirm"),
        ("from pathlib import Path\nPath('x').unlink()", "confirm"),
        ("import os\nos.system('rm x')", "confirm"),
        ("import subprocess\nsubprocess.run(cmd, shell=True)", "confirm"),
        ("__import__('os').remove('x')", "confirm"),
        ("exec(open('x').read())", "confirm"),
        ("import requests\nrequests.post('https://example.org', data={})", "confirm"),
        ("open('/etc/hosts', 'a').write('x')", "confirm"),
        ("import os\nprint(open(os.path.expanduser('~/.ssh/id_rsa')).read())", "confirm"),
        ("import os\nos.system('rm -rf /')", "refuse"),
        ("open" + ".x" * 50_000, "confirm"),
    ],
)
def test_python_is_judged_by_its_calls(gate: Gate, code: str, wanted: str) -> None:
    assert python(gate, code).decision == wanted, python(gate, code)


def test_paths_decide_for_file_tools(gate: Gate) -> None:
    write, read, delete = ("read", "write"), ("read",), ("delete",)
    rows: list[tuple[str, tuple[str, ...], Path | str, str, str]] = [
        ("file_write", write, gate.cwd / "a.txt", "allow", "none"),
        ("file_write", write, gate.owner_home / "a.txt", "allow", "none"),
        ("file_write", write, "/etc/hosts", "confirm", "outside"),
        ("file_write", write, gate.owner_home / ".bashrc", "confirm", "system"),
        ("file_write", write, gate.cwd / ".git/hooks/pre-commit", "confirm", "system"),
        ("file_write", write, gate.owner_home / ".ssh/authorized_keys", "confirm", "system"),
        ("file_write", write, gate.home / "config.yaml", "refuse", "agent"),
        ("file_patch", write, gate.home / "runs/x/log.jsonl", "refuse", "agent"),
        ("file_write", write, "/dev/sda", "refuse", "catastrophic"),
        ("file_read", read, "/etc/hosts", "allow", "none"),
        ("file_read", read, gate.home / "runs/x/out-1.txt", "allow", "none"),
        ("file_read", read, gate.owner_home / ".ssh/id_ed25519", "confirm", "secret"),
        ("file_read", read, gate.owner_home / ".ssh/id_ed25519.pub", "allow", "none"),
        ("file_read", read, gate.owner_home / ".aws/credentials", "confirm", "secret"),
        ("file_read", read, gate.home / "config.yaml", "confirm", "secret"),
        ("file_trash", delete, gate.cwd / "a.txt", "confirm", "delete"),
        ("file_trash", delete, "/usr/share/doc", "confirm", "outside"),
        ("file_trash", delete, gate.owner_home, "refuse", "catastrophic"),
        ("file_trash", delete, "/", "refuse", "catastrophic"),
        ("file_trash", delete, gate.home / "memory", "refuse", "agent"),
    ]
    for tool, effects, path, wanted, risk in rows:
        decision = on_path(gate, tool, effects, path)
        assert (decision.decision, decision.risk) == (wanted, risk), (tool, path, decision)
    assert (
        "start_long_term_update"
        in on_path(gate, "file_write", write, gate.home / "sops/a/SKILL.md").reason
    )


def test_shared_session_gets_no_effect_at_all(gate: Gate) -> None:
    for effects in (("read",), ("write",), ("execute",), ("memory",), ("network",), ("delete",)):
        assert (
            gate.decide(Ask("x", {"script": "ls"}, effects, (), "shared:club")).decision == "refuse"
        )
    for effects in (("none",), ("ask",)):
        assert gate.decide(Ask("x", {}, effects, (), "shared:club")).decision == "allow"


def test_the_owners_config_decides_what_asks_and_what_is_forbidden(gate: Gate) -> None:
    lax = Gate(SafetyConfig(confirm=("send",)), gate.home, gate.owner_home, gate.cwd)
    assert bash(lax, "rm x").decision == "allow"
    assert bash(lax, "rm -rf /").decision == "refuse"
    assert bash(lax, "echo x > /etc/motd").decision == "confirm"
    there = (gate.home, gate.owner_home, gate.cwd)
    strict = Gate(SafetyConfig(forbid=("install", "ssh", "file_trash")), *there)
    assert bash(strict, "pip install x").decision == "refuse"
    assert bash(strict, "ssh host").decision == "refuse"
    assert on_path(strict, "file_trash", ("delete",), gate.cwd / "a").risk == "forbidden"
    harmless = Gate(SafetyConfig(forbid=("curl", "ls")), *there)
    hidden = ("cd /tmp && ls -l", "sh -c 'ls'", "x=$(ls)", "f() { ls; }; f", "env /bin/ls")
    for script in ("curl http://127.0.0.1/", *hidden):
        assert bash(harmless, script).risk == "forbidden", script
    assert python(harmless, "import os; os.system('ls')").risk == "forbidden"
    assert bash(harmless, "echo ls; rm -f ls").decision == "confirm"
    narrow = Gate(SafetyConfig(roots=(gate.owner_home / "work",)), *there)
    assert on_path(narrow, "file_write", ("write",), gate.owner_home / "other").risk == "outside"
    assert on_path(narrow, "file_write", ("write",), gate.owner_home / "work/x").decision == "allow"


def test_development_rows_are_scored() -> None:
    """Rates, never rows: what counts is scored on collections of others."""
    ours = bench.gate()
    plain = bench.scores(lambda row: bench.decide(ours, row))
    staged = bench.scores(lambda row: bench.decide(ours, row, stage=True))
    missed = {kind: plain[kind] for kind, (_, goal) in bench.GOALS.items() if plain[kind] < goal}
    assert missed == {}
    assert staged["harmless"] >= 99
    assert staged["quoted"] >= 99
    assert staged["cloud"] >= 93


def parse_fails(script: str) -> bool:
    try:
        parse(script)
    except NotUnderstood:
        return True
    return False


_WORDS = (
    "rm -rf / ~ $( ) ` ' \" ; && | <<EOF EOF { } case in esac $' ${ x} (( )) > >> <( \\ # * ? ="
)
_scraps = st.sampled_from(
    [*_WORDS.split(), *["for", "do", "done", "[[", "]]", "eval", "xargs"], "\n"]
)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(
        st.text(max_size=80),
        st.lists(_scraps, max_size=30).map(" ".join),
        st.lists(_scraps, max_size=30).map("".join),
    )
)
def test_no_script_makes_the_gate_fail(gate: Gate, script: str) -> None:
    for decision in (bash(gate, script), python(gate, script)):
        assert decision.decision in ("allow", "confirm", "refuse")
    if parse_fails(script):
        assert bash(gate, script).decision != "allow"


def test_decisions_are_quick(gate: Gate) -> None:
    scripts = [row[0] for row in (*CONFIRM, *REFUSED)]
    bash(gate, "ls")
    times = []
    for script in scripts:
        start = time.thread_time()
        bash(gate, script)
        times.append(time.thread_time() - start)
    assert sorted(times)[int(len(times) * 0.9)] < 0.010 * slowness()


def test_no_text_ends_the_process_that_reads_it(gate: Gate) -> None:
    """The scanner of the grammar read beyond a table of C for characters beyond ASCII, and the
    process died."""
    seed = random.randrange(1 << 32)
    source = random.Random(seed)
    letters = (
        string.printable
        + "${}()`'\"<<E\n" * 2
        + "删é\u200b\U0001f600\ud800\x00\U000f0000\U0010ffff"
    )
    known = ["{\U000f0000", "\x18\U00099644{\U00056305a\x14¶Þ£G", "x=\U0010ffff; {\U0010ffff}"] * 50
    texts = ("".join(source.choices(letters, k=source.randrange(120))) for _ in range(1_000))
    for text in (*known, *texts):
        assert bash(gate, text).decision in ("allow", "confirm", "refuse"), seed
