"""Soon."""

from bench.rote_tasks.base import Task

GIT: tuple[Task, ...] = ()
