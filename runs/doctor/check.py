"""One line of the doctor's report, in the owner's language, and the command that would mend what it says."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from config import Lang
from text.sentences import say

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


def found(
    lang: Lang, name: str, ok: bool | None, key: str, fix: str = "", /, **values: object
) -> Check:
    """Return a line whose text is the sentence `doctor.KEY`."""
    return Check(name, ok, say(lang, f"doctor.{key}", **values), fix)


def extra(name: str) -> str:
    """Return the command that installs an extra of Sopwith."""
    return f"scripts/setup --extra {name}"


def install(package: str) -> str:
    """Return the command that installs a package of the system; "" where its installer is not known."""
    command = next((INSTALLERS[each] for each in INSTALLERS if shutil.which(each)), "")
    return f"{command} {package}" if command else ""
