"""The tasks of bench/rote.py by kind, and the requests that nothing covers."""

from bench.rote_tasks.base import Task
from bench.rote_tasks.desk import DESK
from bench.rote_tasks.files import FILES
from bench.rote_tasks.git import GIT
from bench.rote_tasks.reports import REPORTS
from bench.rote_tasks.tables import TABLES
from bench.rote_tasks.texts import TEXTS
from bench.rote_tasks.web import WEB

TASKS: tuple[Task, ...] = (*FILES, *TEXTS, *TABLES, *GIT, *WEB, *DESK, *REPORTS)

__all__ = ["TASKS", "Task"]
