"""Soon."""

from bench.rote_tasks.base import Task

DESK: tuple[Task, ...] = ()
