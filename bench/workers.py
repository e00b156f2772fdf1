"""Measure what a task costs the shared database and the worker that does it: the figures that
docs/scaling.md counts with.

    .venv/bin/python -m bench.workers [TASKS] [--workers N]

Starts a durable PostgreSQL of its own, sends TASKS rote tasks (100), lets N workers (1) do them,
and then lets the workers stand idle for 20 s. Prints a line a measurement; CPU is that of all
processes of the database, and of the workers with their children.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
IDLE_SECONDS = 30.0
STATISTICS_SECONDS = 11.0  # by which a session that has nothing to do tells what it did
SKILL = '---\nname: stamp\ndescription: Stamps.\nmetadata: {sopwith-version: "1", sopwith-status: active}\n---\n'
SOP = """parameters:
  type: object
  properties: {number: {type: integer}, folder: {type: string, format: path}}
  required: [number, folder]
wordings: ["stamp {number} into {folder}"]
effects: local
plan: [{tool: code_run, args: {type: bash, script: 'test -d "$folder"'}}]
commit: [{tool: code_run, args: {type: bash, script: 'echo "$SOPWITH_ONCE" > "$folder/$number"'}}]
result: "stamped {{number}}"
checks: [{command: 'test -s "$folder/$number"'}]
"""


def cpu_of(processes: list[Any]) -> float:
    """Return CPU seconds of processes and of their children that have ended."""
    import psutil

    spent = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        spent += times.user + times.system + times.children_user + times.children_system
    return spent


def make_home(home: Path, url: str) -> None:
    """Make a home folder that knows the SOP of the tasks."""
    (home / "sops" / "stamp").mkdir(parents=True)
    (home / "sops" / "stamp" / "SKILL.md").write_text(SKILL)
    (home / "sops" / "stamp" / "sop.yaml").write_text(SOP)
    (home / "config.yaml").write_text(f'queue: {{url: "{url}"}}\n')


def main() -> int:
    """Send, wait, count, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", type=int, nargs="?", default=100)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    import psutil

    from config import load
    from runs.assemble import Options
    from runs.workers.database import opened
    from runs.workers.tasks import send
    from tests.postgres import cluster

    with (
        tempfile.TemporaryDirectory(prefix="bench-workers-") as name,
        cluster(durable=True) as postgres,
    ):
        home, work = Path(name) / "home", Path(name) / "work"
        make_home(home, postgres.url)
        work.mkdir()
        config = load(home, "en", {})
        database = opened(config, 60)

        def ask(query: str) -> Any:
            row = database.ask(lambda connection: connection.execute(query).fetchone())
            return row[0] if row else None

        def postgres_cpu() -> float:
            main = psutil.Process(postgres.pid)
            return cpu_of([main, *main.children()])

        def commits() -> int:
            time.sleep(STATISTICS_SECONDS)
            return int(ask("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'"))

        begin = time.monotonic()
        for number in range(options.tasks):
            send(
                config,
                {"task": f"stamp {number} into {work}"},
                Options(),
                lambda data: data,
                parallel=True,
            )
        print(f"sending: {(time.monotonic() - begin) / options.tasks * 1e3:.1f} ms a task")
        size, spent, before = ask("SELECT pg_database_size('postgres')"), postgres_cpu(), commits()
        command = [sys.executable, str(CHECKOUT / "launch.py"), "--home", str(home), "worker"]
        workers = [psutil.Popen(command, stderr=subprocess.DEVNULL) for _ in range(options.workers)]
        begin = time.monotonic()
        while ask("SELECT count(*) FROM sopwith_runs WHERE status <> 'done'"):
            time.sleep(0.1)
        seconds = time.monotonic() - begin
        print(
            f"{options.tasks} tasks by {options.workers} workers: {seconds / options.tasks * 1e3:.0f} ms a task"
        )
        print(f"worker: {cpu_of(workers) / options.tasks * 1e3:.0f} ms of CPU a task")
        print(f"database: {(postgres_cpu() - spent) / options.tasks * 1e3:.1f} ms of CPU a task")
        print(
            f"database: {(commits() - before) / options.tasks:.1f} transactions a task (with those of this bench)"
        )
        print(
            f"database: {(ask('SELECT pg_database_size($$postgres$$)') - size) / options.tasks / 1e3:.1f} kB a task"
        )
        print(f"events: {ask('SELECT count(*) FROM sopwith_events') / options.tasks:.1f} a task")
        print(
            f"connections: {ask('SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL') - 1} of {options.workers} workers"
        )
        idle, spent, before = cpu_of(workers), postgres_cpu(), commits()
        time.sleep(IDLE_SECONDS)
        print(
            f"idle worker: {(cpu_of(workers) - idle) / options.workers / IDLE_SECONDS * 1e3:.2f} ms of CPU a second"
        )
        print(
            f"idle: {(commits() - before) / options.workers / IDLE_SECONDS:.2f} transactions a second and worker"
        )
        print(
            f"idle: {(postgres_cpu() - spent) / options.workers / IDLE_SECONDS * 1e3:.2f} ms of the database's CPU a second and worker"
        )
        for worker in workers:
            worker.kill()
            worker.wait()
        database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
