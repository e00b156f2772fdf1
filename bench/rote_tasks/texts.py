"""Soon."""

from bench.rote_tasks.base import Task

TEXTS: tuple[Task, ...] = ()
