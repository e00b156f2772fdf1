"""Judge a script: the effects of its commands (shell/), held against the places of the run."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from safety.findings import Finding, Risk
from safety.paths import SYSTEM, Places, without_links
from shell import Effect, Setting, scan
from shell.bash.pieces import MADE
from shell.effects.known import GUARDED, PROXIES
from shell.python import effects_of

# Effect of the catalogue → risk, and what is said of it.
_SAID: dict[str, tuple[Risk, str]] = {
    "delete": ("delete", "deletes or overwrites something for good"),
    "send": ("send", "sends or changes something on another machine"),
    "install": ("install", "installs or removes software, or runs what comes from the network"),
    "spend": ("spend", "starts something elsewhere, which may cost money"),
    "system": ("system", "changes the machine, or what runs on it"),
    "rights": ("system", "changes rights of files"),
    "secret": ("secret", "shows keys or passwords"),
    "change": ("change", "changes something"),
    "unknown": ("unknown", "does something that cannot be read from it"),
    "catastrophic": ("catastrophic", "destroys what the machine runs on"),
}
# Where the machine itself is: emptied or locked, it does not start or let anybody in.
_EVERY = re.compile(r"(?=.*\*)(?:[.*?]|\[[^\]]*\])+")
_OURS = ("MEMORY.md", "runs")  # in the agent's home: scripts have no business there


# Values of these variables where nothing sets them; `$!` is a job of the script's own, as `%1` is.
USUAL = {
    "SHELL": "/bin/bash",
    "PYTHON": "python3",
    "CC": "cc",
    "CXX": "c++",
    "MAKE": "make",
    "!": "%1",
    MADE: "/tmp/made",
}


def of_variables(given: Mapping[str, str]) -> Iterator[Finding]:
    """Give the variables of a call that change what commands do, or where requests go."""
    for name, value in given.items():
        if value and GUARDED.match(name):
            yield Finding("unknown", f"sets {name}, which changes what commands do")
        elif value and PROXIES.match(name):
            yield Finding("send", f"sets {name}: what is asked from now on goes there")


def of_shell(script: str, setting: Setting, places: Places) -> Iterator[Finding]:
    """Give what a shell script would do that somebody may have to be asked about."""
    yield from _findings(scan(script, setting), places)


def of_python(code: str, setting: Setting, places: Places) -> Iterator[Finding]:
    """Give the same of Python code, and of the commands that it starts."""
    started: list[Effect] = []
    own = effects_of(code, setting.cwd, lambda text: started.extend(scan(text, setting)))
    yield from _findings([*own, *started], places)


def _findings(effects: list[Effect], places: Places) -> Iterator[Finding]:
    resolve = cache(_resolved)
    for effect in effects:
        judge = _FILES.get(effect.kind)
        if judge is not None:
            path = resolve(effect.path, places.owner)
            yield from judge(effect, path, places)
        else:
            yield _of_kind(effect)


def _of_kind(effect: Effect) -> Finding:
    if effect.kind == "forbidden":
        said = f"{effect.command} is forbidden by the owner's config"
        return Finding("forbidden", said, effect.command)
    risk, said = _SAID.get(effect.kind, _SAID["unknown"])
    what = " ".join(f"{effect.command} {effect.verb}".split())[:200]
    return Finding(risk, f"{what}: {said}", effect.command, effect.is_local)


def _resolved(text: str, owner: Path) -> Path:
    """The path with links followed, as far as it is known; of a pattern its folder."""
    whole = str(owner) + text[1:] if text.startswith("~") else text
    return without_links(Path(whole))


def _written(effect: Effect, path: Path, places: Places) -> Iterator[Finding]:
    kind, name = places.kind(path), effect.command
    if kind == "device" or places.is_vital_file(path):
        yield Finding(
            "catastrophic", f"{name} writes to {path}, on which the machine depends", name
        )
    elif kind == "agent":
        yield Finding("agent", f"{name} writes to {path}, in the agent's own home", name)
    elif kind in ("secret", "startup"):
        said = f"{name} writes to {path}, which decides what runs or who gets in"
        yield Finding("system", said, name, is_local=True)
    elif kind == "outside":
        yield Finding("outside", f"{name} writes to {path}, outside the allowed folders", name)


def _read(effect: Effect, path: Path, places: Places) -> Iterator[Finding]:
    is_ours = any(path.is_relative_to(places.agent / name) for name in _OURS)
    if is_ours or places.is_secret(path):
        yield Finding(
            "secret",
            f"{effect.command} reads {path}, which holds keys or private notes",
            effect.command,
        )


def _deleted(effect: Effect, path: Path, places: Places) -> Iterator[Finding]:
    name = effect.command
    if path.is_relative_to(places.agent):
        yield Finding("agent", f"{name} on {path}, in the agent's own home", name)
    elif places.is_vital_file(path):
        yield Finding("catastrophic", f"{name} on {path}, on which the machine depends", name)
    elif places.kind(path) == "outside":
        yield Finding("outside", f"deletes {path}, which is outside the allowed folders", name)


def _taken(effect: Effect, path: Path, places: Places) -> Iterator[Finding]:
    """A folder with all that is in it, or all that a pattern fits."""
    if _takes_machine(effect, path, places):
        yield Finding(
            "catastrophic",
            f"{effect.command} on {effect.path}: the system or a whole home",
            effect.command,
        )
    else:
        yield from _deleted(effect, path, places)


def _takes_machine(effect: Effect, path: Path, places: Places) -> bool:
    if not effect.is_pattern:
        return places.is_lost(path)
    folder, found, behind = _split(effect.path)
    place = _resolved(folder or "/", places.owner)
    if behind.strip("/*"):
        return False
    if _EVERY.fullmatch(found):
        return places.is_lost(place)
    inside = [each for each in (*SYSTEM, str(places.owner)) if str(Path(each).parent) == str(place)]
    return any(fnmatch.fnmatchcase(Path(each).name, found) for each in inside if each != "/")


def _split(path: str) -> tuple[str, str, str]:
    """The folder before the first name with a wildcard, that name, and what stands behind it."""
    names = path.split("/")
    at = next((n for n, name in enumerate(names) if re.search(r"[*?\[]", name)), len(names) - 1)
    return "/".join(names[:at]), names[at], "/".join(names[at + 1 :])


def _locked(effect: Effect, path: Path, places: Places) -> Iterator[Finding]:
    if not effect.is_pattern and places.is_vital(path):
        yield Finding(
            "catastrophic",
            f"{effect.command} on {path}: the system or a whole home",
            effect.command,
        )


_FILES: Mapping[str, Callable[[Effect, Path, Places], Iterator[Finding]]] = {
    "writes": _written,
    "reads": _read,
    "deletes": _deleted,
    "takes": _taken,
    "locks": _locked,
}
