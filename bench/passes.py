"""Count what a call passes on its way: `python -m bench.passes` prints files and calls between
files.

Two ways are counted in a home that was used once, each to the moment when its tool begins: a task
typed in the terminal that an SOP does by rote, and a model's `file_write`. Only functions of ours
count, and a call counts when it goes to another file.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHOWN = 15


class Passes:
    """Hear each call of a function of ours, until a tool begins."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.calls: Counter[tuple[str, str]] = Counter()
        self._is_over = False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Count one call."""
        here = _ours(frame)
        if self._is_over or event != "call" or not here or frame.f_code.co_name == "<module>":
            return
        self._is_over = here == "runs/run.py" and _begins_a_tool(frame)
        self.files.add(here)
        before = _ours(frame.f_back) if frame.f_back else ""
        if before and before != here:
            self.calls[before, here] += 1

    @property
    def total(self) -> int:
        """Count the calls between files."""
        return sum(self.calls.values())


def _ours(frame: FrameType) -> str:
    """Return the path of a frame's file in the checkout; "" for files of others."""
    path = frame.f_code.co_filename
    is_ours = path.startswith(f"{ROOT}/") and "/.venv/" not in path
    return path[len(str(ROOT)) + 1 :] if is_ours and not path.endswith("passes.py") else ""


def _begins_a_tool(frame: FrameType) -> bool:
    event = frame.f_locals.get("event")
    return isinstance(event, dict) and event["type"] == "tool_started"


def counted(words: Sequence[str], replies: Sequence[Any] | None = None) -> Passes:
    """Run one command and count; `replies` are those of a scripted model."""
    import launch

    with TemporaryDirectory(prefix="sopwith-passes-", ignore_cleanup_errors=True) as place:
        home = Path(place) / "home"
        home.mkdir()
        if replies is not None:
            script = Path(place) / "replies.json"
            script.write_text(json.dumps(replies))
            model = f"models: [{{name: script, kind: scripted, model: {script}}}]\n"
            (home / "config.yaml").write_text(model)
        os.chdir(place)
        command = [sys.executable, str(ROOT / "launch.py"), "--home", str(home), *words]
        subprocess.run(command, check=False, capture_output=True, cwd=place)
        passes = Passes()
        sys.setprofile(passes)
        threading.setprofile(passes)
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                launch.main(["--home", str(home), *words])
        finally:
            sys.setprofile(None)
    return passes


def by_rote() -> Passes:
    """Count a task typed in the terminal, to its rote step."""
    return counted(["which files take the most space in ."])


def by_model() -> Passes:
    """Count a model's file_write, to the tool."""
    write = {"name": "file_write", "args": {"path": "out.txt", "content": "hello"}}
    return counted(["keep a greeting for the team in out.txt"], [{"calls": [write]}, "Done."])


WAYS = {"by rote": by_rote, "file_write": by_model}


def main(names: Sequence[str]) -> None:
    """Count the way that is named; without a name each, in a process of its own: what one has read
    the next would not read again."""
    for name in names:
        passes = WAYS[name]()
        print(f"{name}: {len(passes.files)} files, {passes.total} calls between files")
        for (source, target), count in passes.calls.most_common(SHOWN):
            print(f"  {count:5} {source} -> {target}")
    for name in () if names else WAYS:
        subprocess.run([sys.executable, "-m", "bench.passes", name], check=True, cwd=ROOT)


if __name__ == "__main__":
    main(sys.argv[1:])
