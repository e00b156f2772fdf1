"""The screen around a recorded demonstration: what is recorded, said before; the shell, in a
stage."""

from __future__ import annotations

import os
from pathlib import Path

from config import Config
from learning.prove import Ground, seen_in
from learning.recording import StagedShell, check_terminal, record, typed_lines
from learning.trace import read_trace
from memory.home import open_home
from memory.logs import read_events
from runs.learning.lesson import Lesson
from safety.secrets import held_values
from sandbox.undo import StageError
from ui.sanitise import one_line
from ui.sops import roots
from ui.words import say


def banner(name: str, shell: str) -> str:
    """Return what the owner should know before the shell opens. `shell` is the owner's usual
    one."""
    lines = [say("record_banner", name=one_line(name, 60)), say("record_what"), say("record_end")]
    usual = shell.rpartition("/")[2]
    if usual not in ("", "bash", "sh"):
        lines.append(say("record_other_shell", shell=one_line(usual, 20)))
    return "\n".join(lines)


def record_lesson(name: str, config: Config, cwd: Path) -> Lesson:
    """Open the recorded shell in a stage; return what was done there. Raises RecordError,
    StageError."""
    check_terminal(name, os.environ)
    open_home(config.home)
    ground = Ground.of(roots(config), config.home, cwd)
    print(banner(name, os.environ.get("SHELL", "")))
    shells: list[StagedShell] = []

    def enter(run: str) -> list[str]:
        try:
            shells.append(StagedShell(ground.roots, config.home, run))
        except StageError as error:
            print(say("lesson.no_stage", why=one_line(str(error), 200)))
        return shells[0].words(cwd) if shells else []

    try:
        run = record(
            name,
            home=config.home,
            lang=config.lang,
            cwd=cwd,
            hidden=held_values(config, os.environ),
            environ=os.environ,
            label=say("record_label"),
            enter=enter,
        )
    except BaseException:
        for shell in shells:
            shell.ended().commit()
        raise
    typed, trace = typed_lines(read_events(config.home, run)), read_trace(config.home, run)
    lesson = Lesson.recorded(name, ground, trace, typed)
    lesson.is_cut = trace.status == "cancelled"
    for shell in shells:
        stage = shell.ended()
        lesson.before, lesson.number = seen_in(stage, "", 0), stage.wait()
    return lesson
