"""A worker: takes tasks from the shared database, one at a time, and does each like any other run
of this machine.

Procrastinate hands out the tasks, one of a session at a time, and hears each worker's heartbeat.
What a worker that has gone silent was doing is put back by whoever notices first, and goes on
elsewhere from the last finished turn. A database that is away is waited for; a run that is at work
waits with it, before its next effect.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import psycopg
from procrastinate import JobContext, exceptions, jobs
from procrastinate.manager import JobManager, NotificationCallback
from procrastinate.worker import Worker as Taker

from config import Config, SopwithError
from runs.assemble import Agent, Options
from runs.control.bounds import owner_by
from runs.notify import Outbox, of_run
from runs.run import Run
from runs.workers.database import PATIENCE_SECONDS, opened
from runs.workers.log import GOES_ON, Claim, Fenced, SharedLogs, here, take
from runs.workers.tasks import NAME, QUEUE, app_on
from tools.processes import stop_leftovers

PAUSE_SECONDS = 1.0  # between two attempts to reach the database
POLL_SECONDS = 5.0  # for a task of which no notice came
_SWEEPING = 0x50F8  # of the advisory lock: one worker at a time looks after the silent ones
_FAIL = "UPDATE sopwith_runs SET status = 'failed', result = %s, written = now() WHERE run = %s AND token = %s"
_FORGET = """
DELETE FROM sopwith_runs WHERE %s > 0 AND (status NOT IN ('queued', 'working', 'waiting') OR job IS NULL)
AND written < now() - make_interval(secs => 86400 * %s)
"""  # the machine that did a task keeps its copy
Tell = Callable[[str, dict[str, Any]], None]  # what happens, and its details


class PatientJobs(JobManager):
    """The engine's view of its tables, by a worker that outlives a database which is away for a
    while."""

    def __init__(self, connector: Any) -> None:
        super().__init__(connector)
        # jobs that have gone to another worker: their end is not ours to tell
        self.lost: set[int] = set()
        self.steady_since = time.monotonic()  # since when the database has answered without a gap

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> jobs.Job | None:
        """Return the next job; None while the database is away."""
        with suppress(exceptions.ConnectorException):
            return await super().fetch_job(queues, worker_id)
        await self._missed()
        return None

    async def update_heartbeat(self, worker_id: int) -> None:
        """Say that this worker lives."""
        try:
            await super().update_heartbeat(worker_id)
        except exceptions.ConnectorException:
            await self._missed()

    async def finish_job(self, job: jobs.Job, status: jobs.Status, delete_job: bool) -> None:
        """Tell the end of a job, once the database is there; nothing when it has gone to another
        worker."""
        while job.id not in self.lost:
            try:
                await super().finish_job(job, status, delete_job)
                return
            except exceptions.ConnectorException as error:
                # another worker was given it, and has told its end
                if "not found or not in" in str(error.__cause__):
                    break
                await self._missed()

    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        """Hear of new jobs; without a database it listens again later."""
        while True:
            with suppress(exceptions.ConnectorException):
                await super().listen_for_jobs(on_notification=on_notification, queues=queues)
            await asyncio.sleep(PAUSE_SECONDS)

    async def unregister_worker(self, worker_id: int) -> None:
        """Say that this worker is gone; without a database, its silence will."""
        with suppress(exceptions.ConnectorException):
            await super().unregister_worker(worker_id)

    async def _missed(self) -> None:
        self.steady_since = time.monotonic()
        await asyncio.sleep(PAUSE_SECONDS)


class Worker:
    """One worker of one home folder. `tell` hears what it does."""

    def __init__(self, config: Config, tell: Tell) -> None:
        """Raise QueueError."""
        self._database = opened(config, PATIENCE_SECONDS)
        assert config.queue is not None
        self._config, self._tell, self._lease = config, tell, config.queue.lease_seconds
        self._app = app_on(config.queue.url)
        self._jobs = self._app.job_manager = PatientJobs(self._app.connector)
        self._app.task(name=NAME, queue=QUEUE, pass_context=True)(self._do)
        self._taker = Taker(
            self._app,
            queues=[QUEUE],
            fetch_job_polling_interval=POLL_SECONDS,
            install_signal_handlers=False,
            delete_jobs="successful",  # what became of a task stands in its run
            update_heartbeat_interval=self._lease / 3,
            stalled_worker_timeout=24 * 3600.0,
        )
        self.name = here()
        self._run = ""  # that is at work
        self._stops = 0

    def work(self, *, until_empty: bool = False) -> None:
        """Take tasks until it is told to stop, or until none is waiting."""
        self._taker.wait = not until_empty
        asyncio.run(self._work())
        self._database.close()

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop)
        async with self._app.open_async():
            sweeper = asyncio.create_task(self._sweep())
            self._tell("begins", {"name": self.name})
            try:
                await cast(Any, self._taker).run()
            finally:
                sweeper.cancel()

    def _stop(self) -> None:
        """Take no further task at the first signal; at the second, leave the one under way to
        others at once."""
        self._stops += 1
        if self._stops == 1:
            self._tell("stops", {"run": self._run})
            cast(Any, self._taker).stop()
            return
        if self._run:
            stop_leftovers(self._run)
        # the thread that is at work cannot be ended; its claim ends with our heartbeat
        os._exit(130)

    async def _sweep(self) -> None:
        """Put back what silent workers were doing. After a gap it waits a while: the others were
        silent for it too."""
        while True:
            await asyncio.sleep(self._lease / 3)
            if time.monotonic() - self._jobs.steady_since < self._lease:
                continue
            try:
                async with (
                    cast(Any, self._app.connector).pool.connection() as connection,
                    connection.transaction(),
                ):
                    answer = await connection.execute(
                        "SELECT pg_try_advisory_xact_lock(%s)", (_SWEEPING,)
                    )
                    if (await answer.fetchone())[0]:
                        await self._put_back()
                        await connection.execute(_FORGET, 2 * (self._config.runs.archive_days,))
            except (
                exceptions.ConnectorException,
                psycopg.OperationalError,
                psycopg.InterfaceError,
            ):
                self._jobs.steady_since = time.monotonic()

    async def _put_back(self) -> None:
        for job in await self._jobs.get_stalled_jobs(
            queue=QUEUE, seconds_since_heartbeat=self._lease
        ):
            with suppress(exceptions.ConnectorException):  # it has ended meanwhile
                await self._jobs.retry_job(job, retry_at=datetime.now(UTC))
                self._tell("put_back", {"run": job.task_kwargs["run"]})

    # one task, in a thread

    def _do(
        self,
        context: JobContext,
        *,
        run: str,
        what: dict[str, Any],
        options: dict[str, Any],
        lang: str,
    ) -> None:
        claim = take(self._database, run, self.name, GOES_ON)
        if claim is None:  # it has ended: a worker died between its end and the queue's
            return
        self._run = run
        try:
            self._tell("takes", {"run": run, "again": claim.events > 0})
            config = self._config.but(lang="zh" if lang == "zh" else "en")
            started = self._started(
                Agent(config, SharedLogs(self._database, claim)), claim, what, options
            )
            end = deque(started.events(), maxlen=1)[0]
            Outbox(config).put(of_run(config, run, what.get("task") or what["sop"]))
            self._tell("ends", {"run": run, "status": end["status"], "seconds": end["seconds"]})
        except Fenced:
            self._tell("fenced", {"run": run})
            if not self._has_ended(run):
                self._jobs.lost.add(context.job.id or 0)
        except SopwithError as error:
            self._fail(claim, str(error))
            self._tell("fails", {"run": run, "why": str(error)})
        except BaseException as error:  # a defect of ours: it is told, and raised again
            self._fail(claim, f"{type(error).__name__}: {error}")
            raise
        finally:
            self._run = ""

    def _started(
        self, agent: Agent, claim: Claim, what: dict[str, Any], given: dict[str, Any]
    ) -> Run:
        options = Options(**{**given, "cwd": Path(given["cwd"])})
        if not options.cwd.is_dir():
            raise SopwithError("error.queue.no-folder", cwd=options.cwd, value=socket.gethostname())
        owner = owner_by(options.approve)
        if claim.events:
            return agent.resume(claim.run, options, owner)
        if "sop" in what:
            return agent.run_sop(what["sop"], what["values"], options, owner)
        return agent.start(what["task"], options, owner)

    def _has_ended(self, run: str) -> bool:
        query = "SELECT status FROM sopwith_runs WHERE run = %s"
        row = self._database.ask(lambda connection: connection.execute(query, (run,)).fetchone())
        return row is None or row[0] not in GOES_ON

    def _fail(self, claim: Claim, why: str) -> None:
        values = (why.replace("\0", ""), claim.run, claim.token)
        self._database.ask(lambda connection: connection.execute(_FAIL, values))
