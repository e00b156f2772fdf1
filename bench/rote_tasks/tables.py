"""Soon."""

from bench.rote_tasks.base import Task

TABLES: tuple[Task, ...] = ()
