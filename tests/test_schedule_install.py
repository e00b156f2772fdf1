"""Check that what starts the scheduler with the machine is read by Debian's crontab and a parser of
plists."""

import plistlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from runs.schedule.install import command, install, label, remove
from tests.machine import ran


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder whose name means something to every one of them; programs of the test
    come first."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    (home := tmp_path / "my <home> & 100% $x `id` 'q' 家").mkdir()
    return home


def program(odd: Path, name: str, script: str) -> None:
    file = odd.parent / "bin" / name
    file.write_text(f"#!/bin/sh\n{script}")
    file.chmod(0o755)


def test_cron_takes_the_lines_and_runs_the_command_as_it_is_meant(odd: Path) -> None:
    real, table = shutil.which("crontab"), odd.parent / "table"
    table.write_text("")
    if (
        real is None
        or subprocess.run([real, "-n", table], capture_output=True, check=False).returncode
    ):
        pytest.skip("no crontab that checks a table without taking it (Debian: cron)")
    takes = f"cat > {table}.new && {real} -n {table}.new && mv {table}.new {table}"
    program(odd, "crontab", f'if [ "$1" = -l ]; then cat {table}; else {takes}; fi\n')
    lines, words = install("cron", odd, odd.parent), command(odd)
    assert table.read_text().splitlines() == lines
    for line, when in zip(lines, ("@reboot", "*/10 * * * *"), strict=True):
        assert line.startswith(f"{when} ")
        # what cron hands to the shell
        handed = re.split(r"(?<!\\)%", line.removeprefix(when))[0].replace("\\%", "%")
        said = ran("sh", "-c", f"printf '%s\\n' {handed.replace('>/dev/null', '')}", check=True)
        assert said.stdout.splitlines() == words == shlex.split(handed, comments=True)[: len(words)]
    assert remove("cron", odd, odd.parent) == lines and table.read_text() == ""


def test_launchd_reads_the_command_as_it_is_meant(odd: Path) -> None:
    program(odd, "launchctl", f'echo "$@" >> {odd.parent}/said\n')
    [file] = install("launchd", odd, odd.parent)
    read = plistlib.loads(Path(file).read_bytes())
    assert read["ProgramArguments"] == command(odd)[:-1]
    assert read["Label"] == label(odd, odd.parent)
    assert (
        read["RunAtLoad"] is True and read["KeepAlive"] is True and read["ThrottleInterval"] >= 10
    )
    assert remove("launchd", odd, odd.parent) == [file] and not Path(file).exists()
    assert (odd.parent / "said").read_text() == f"load -w {file}\nunload -w {file}\n"
