"""Soon."""

from bench.rote_tasks.base import Task

REPORTS: tuple[Task, ...] = ()
