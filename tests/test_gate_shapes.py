"""No command line of a program that the gate knows makes it fail, however odd: every name with every shape of arguments."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from config import SafetyConfig
from safety import commands, everything, options, queries, tables, verbs
from safety.awk import effects
from safety.gate import Ask, Gate
from tests.test_gate import GATE_CASES

SHAPES = (
    *("{}", "{} ''", "{} -", "{} --", "{} -c", "{} -m", "{} -e", "{} -I", "{} -a", "{} -exec", "{} -C", "{} --x=", "{} -n 1"),
    *('{} "$x"', "{} *", "{} a b c", "{} {{}}", "{} /", "{} <<< ''", "x | {}", "$({})", "{} exec x", "{} delete", "{{ a; b; }} | {}"),
)  # fmt: skip


@pytest.fixture(scope="module")
def gate() -> Gate:
    owner = Path("/home/mia")
    return Gate(SafetyConfig(), owner / ".sopwith", owner, owner / "work", sandboxed=True)


def _decide(gate: Gate, script: str) -> str:
    return gate.decide(
        Ask("code_run", {"type": "bash", "script": script}, ("execute",), (), "main")
    ).decision


def test_every_known_program_with_every_shape_of_arguments_is_judged(gate: Gate) -> None:
    known = {
        *tables.WRAPPERS,
        *tables.INTERPRETERS,
        *tables.SHELLS,
        *tables.VALUED,
        *tables.WRITES,
        *tables.PLAIN,
    }
    known |= {
        *verbs.CLOUDS,
        *verbs.RUNNERS,
        *queries.CLIENTS,
        *everything.WHOLE,
        *commands.HANDLERS,
        *options.rows_by_name(),
    }
    assert len(known) > 1_000
    for name in sorted(known):
        for shape in SHAPES:
            assert _decide(gate, shape.format(name.rstrip("*"))) in (
                "allow",
                "confirm",
                "refuse",
            ), (name, shape)


def test_words_of_commands_in_any_order_are_judged(gate: Gate) -> None:
    words = [
        word
        for file in sorted(GATE_CASES.glob("*.txt"))
        for word in file.read_text("utf-8").split()
    ]
    source = random.Random(7)
    for _ in range(3_000):
        script = " ".join(source.choice(words) for _ in range(source.randrange(1, 10)))
        assert _decide(gate, script) in ("allow", "confirm", "refuse"), script


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("/a|b/ {print $1/2, $2}", ([], [], False, False)),
        ('$1 ~ /"|>/ {print "a > b | c"}  # | rm', ([], [], False, False)),
        ('{print $1 > "a.txt"; printf "%s", $2 >> "b.txt"}', ([], ["a.txt", "b.txt"], False, False)),
        ('{print > ($1 ".csv")}', ([], [], False, True)),
        ('BEGIN {"date" | getline d; system("ls")} END {print | "sort -n"}', (["ls", "date", "cat | sort -n"], [], False, False)),
        ('{system("rm " $1)}', ([], [], True, False)),
        ('{print | ("rm " $1)}', ([], [], True, False)),
        ('{cmd | getline}', ([], [], True, False)),
        ('{print ($1 > 2 ? "a" : "b"), (f(g(1)) > 3)}', ([], [], False, False)),
    ],
)  # fmt: skip
def test_awk_is_read_as_a_program(
    program: str, said: tuple[list[str], list[str], bool, bool]
) -> None:
    assert tuple(effects(program)) == said
