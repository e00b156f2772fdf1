"""One line of the doctor's report, in the owner's language, and the command that would mend what it says."""

from __future__ import annotations

import functools
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from config import Lang

INSTALLERS = {
    "apt-get": "sudo apt-get install",
    "dnf": "sudo dnf install",
    "pacman": "sudo pacman -S",
    "apk": "sudo apk add",
    "brew": "brew install",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. `ok` is None where nothing is broken and something could be better; `fix` is a command,
    or the line to add to config.yaml."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""


def say(lang: Lang, key: str, **values: object) -> str:
    """The sentence `key` of assets/words/doctor.json, with its values."""
    text = _sentences()[key][lang == "zh"].format(**values)
    return text if lang == "zh" else re.sub(r"\b1 (job|run|turn)s\b", r"1 \1", text)


@functools.cache
def _sentences() -> dict[str, tuple[str, str]]:
    """English and Chinese by key."""
    file = Path(__file__).parents[2] / "assets" / "words" / "doctor.json"
    found: dict[str, tuple[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def install(package: str) -> str:
    """The command that installs a package of the system; "" where its installer is not known."""
    found = next((command for program, command in INSTALLERS.items() if shutil.which(program)), "")
    return f"{found} {package}" if found else ""
