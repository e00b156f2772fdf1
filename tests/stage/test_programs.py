"""Programs that people use do in a stage what they do outside: Git, tar, SQLite, rsync, make, trees
of packages, virtual environments; also where they rename a folder, which overlayfs refuses.
"""

import subprocess
from pathlib import Path

from tests.rows import cases
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

GIVEN = {"{start}": GIT_START, "{git}": GIT, "{rename}": RENAME, "{database}": DATABASE}


@cases
def test_program_in_a_stage_equals_running_it(
    tmp_path: Path, name: str, prepare: str, script: str
) -> None:
    for word, text in GIVEN.items():
        prepare, script = prepare.replace(word, text), script.replace(word, text)
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(["bash", "-ec", prepare], cwd=root, check=True, capture_output=True)
    # the index of Git holds inodes and times of files
    assert compared(tmp_path, script, aside="index" if name.startswith("git") else "") == ""
