"""Programs that people use do in a stage what they do outside: Git, tar, SQLite, rsync, make, trees of
packages, virtual environments; also where they rename a folder, which overlayfs refuses.
"""

import subprocess
from pathlib import Path

import pytest

from tests.stage.trials import compared

GIT = """
export GIT_AUTHOR_DATE=@1500000000 GIT_COMMITTER_DATE=@1500000000 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git() { command git -c gc.auto=0 -c core.trustctime=false "$@"; }
"""
GIT_START = f"""{GIT}
git init -q -b main; mkdir -p src/deep; echo one > src/deep/a; echo two > src/b; ln -s b src/l
git add .; git commit -qm one
"""
RENAME = "import os; os.rename('pack', 'pack2'); os.rename('pack2/in', 'in')"
DATABASE = """
import sqlite3
c = sqlite3.connect('x.db', isolation_level=None)
c.execute('PRAGMA journal_mode=WAL')
c.execute('CREATE TABLE IF NOT EXISTS t (n)')
c.executemany('INSERT INTO t VALUES (?)', ((n,) for n in range(500)))
c.execute('PRAGMA wal_checkpoint(TRUNCATE)')
"""

# each: what stands there, and what is done to it
CASES = {
    "git mv": (GIT_START, f"{GIT} git mv src lib && git commit -qm moved && git log --stat"),
    "git mv below": (GIT_START, f"{GIT} cd src && git mv deep ../up && git status --short"),
    "git checkout": (
        GIT_START,
        f"{GIT} git checkout -qb other; git rm -rq src/deep; git commit -qm x; git checkout -q main",
    ),
    "git stash": (GIT_START, f"{GIT} echo x >> src/b; git stash -q; git stash pop -q"),
    "git merge": (
        GIT_START,
        f"{GIT} git checkout -qb other; echo 3 > c; git add c; git commit -qm c;"
        " git checkout -q main; echo 4 > d; git add d; git commit -qm d; git merge -q other -m m",
    ),
    "git rebase": (
        GIT_START,
        f"{GIT} git checkout -qb other; echo 3 > c; git add c; git commit -qm c;"
        " git checkout -q main; echo 4 > d; git add d; git commit -qm d; git rebase -q other",
    ),
    "git init": ("mkdir p; echo x > p/x", f"cd p; {GIT} git init -q; git add x; git commit -qm x"),
    "os.rename": (
        "mkdir -p pack/in; echo 1 > pack/in/a; ln pack/in/a pack/b; touch -d @1500000000 pack/b",
        f'python3 -c "{RENAME}"; echo more >> in/a',
    ),
    "npm": (
        "mkdir -p node_modules/.a-x node_modules/b/lib; echo 1 > node_modules/b/lib/i.js",
        "python3 -c \"import os; os.rename('node_modules/b', 'node_modules/.b-old')\";"
        " mkdir -p node_modules/b; echo 2 > node_modules/b/i.js; rm -rf node_modules/.b-old",
    ),
    "tar": (
        "mkdir d; seq 9 > d/a; ln d/a d/b; ln -s a d/c; chmod 600 d/a; touch -hd @1500000000 d/*",
        "tar cf t.tar d; rm -rf d; tar xf t.tar; rm t.tar",
    ),
    "rsync": (
        "mkdir a b; seq 9 > a/x; seq 8 > b/x; seq 5 > b/y; touch -d @1500000000 a/x",
        "rsync -aH --delete a/ b/",
    ),
    "make": (
        "printf 'all: o\\no: i\\n\\tsort -r i > o\\n' > Makefile; seq 20 > i",
        "make -s && make -s; touch -d @1500000000 o; make -s",
    ),
    "sqlite": ("true", f'python3 -c "{DATABASE}"'),
    "venv": ("true", "python3 -m venv --without-pip v && v/bin/python -c 'import sys'"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_program_in_a_stage_equals_running_it(tmp_path: Path, name: str) -> None:

    prepare, script = CASES[name]
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(["bash", "-ec", prepare], cwd=root, check=True, capture_output=True)
    # the index of Git holds inodes and times of files
    assert compared(tmp_path, script, aside="index" if name.startswith("git") else "") == ""
