"""Soon."""

from bench.rote_tasks.base import Task

WEB: tuple[Task, ...] = ()
