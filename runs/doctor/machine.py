"""Check this machine: Python, home folder and disk, git, sandbox, browser, desktop, plugins.

Each line of the report is in the owner's language, with the command that would mend what it says.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from config import Config, ConfigError, Lang
from memory.home import LAYOUT, HomeError, open_home
from text import plugin
from text.sentences import said_in, say

LITTLE_SPACE_BYTES = 200_000_000
OWN_BROWSER = "chromium --remote-debugging-port=9222 --user-data-dir=…"
INSTALLERS = {
    "apt-get": "sudo apt-get install",
    "dnf": "sudo dnf install",
    "pacman": "sudo pacman -S",
    "apk": "sudo apk add",
    "brew": "brew install",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. `ok` is None where nothing is broken and something could be better;
    `fix` is a command, or the line to add to config.yaml."""

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
    is_checkout = (Path(__file__).parents[2] / "scripts" / "setup").is_file()
    return f"scripts/setup --extra {name}" if is_checkout else f"pip install 'sopwith[{name}]'"


def install(package: str) -> str:
    """Return the command that installs a package of the system; "" where its installer is not
    known."""
    command = next((INSTALLERS[each] for each in INSTALLERS if shutil.which(each)), "")
    return f"{command} {package}" if command else ""


def check_machine(config: Config) -> list[Check]:
    """Return what is to be said of the ground that everything stands on."""
    python = f"{platform.python_version()} ({sys.executable})"
    return [
        Check("python", True, python),  # an older one does not come this far
        _home(config),
        _disk(config),
        *_privacy(config),
    ]


def check_programs(config: Config) -> list[Check]:
    """Return what is to be said of the programs that tools use."""
    lang, git = config.lang, shutil.which("git")
    found_git = (
        Check("git", True, git) if git else found(lang, "git", False, "no-git", install("git"))
    )
    return [_browser(config), _screen(lang), found_git, _sandbox(lang), *_plugins(config)]


def _home(config: Config) -> Check:
    """Check the home folder, or the right to make it."""
    home, lang, fix = config.home, config.lang, "export SOPWITH_HOME=DIR"
    if not home.exists():
        parent = _nearest_folder(home)
        if os.access(parent, os.W_OK | os.X_OK):
            return found(lang, "home", True, "home-later", home=home)
        return found(lang, "home", False, "home-never", fix, home=home, parent=parent)
    try:
        open_home(home)
    except HomeError as error:
        return Check("home", False, error.said(lang), fix)
    return found(lang, "home", True, "home", home=home, layout=LAYOUT)


def _disk(config: Config) -> Check:
    """Check for room for run logs and outputs."""
    home, free = config.home, shutil.disk_usage(_nearest_folder(config.home)).free
    ok, fix = free >= LITTLE_SPACE_BYTES, f"du -h -d 1 {home}"
    return found(config.lang, "disk", ok, "free", fix, gigabytes=f"{free / 1e9:.1f}", home=home)


def _privacy(config: Config) -> list[Check]:
    """Check that only the owner can read a config.yaml with a key in it."""
    file = config.home / "config.yaml"
    has_key = any(model.api_key for model in config.models)
    if not has_key or not file.exists() or not file.stat().st_mode & 0o077:
        return []
    return [found(config.lang, "privacy", None, "readable", f"chmod 600 {file}", file=file)]


def _sandbox(lang: Lang) -> Check:
    """Return what holds the scripts that run; really tried."""
    from sandbox.cells import levels

    level = levels.probe()
    ok, reason = (True if level.name == "full" else None), said_in(lang, level.reason)
    key = f"sandbox-{level.name}"
    fix = install("bubblewrap") if "bubblewrap" in level.fix else level.fix
    return found(lang, "sandbox", ok, key, fix, program=level.program, reason=reason)


def _browser(config: Config) -> Check:
    """Return which browser web tasks would use; an address is asked, nothing is started."""
    from tools.browser import answers, has_display, problem, program

    lang, settings = config.lang, config.browser
    if problem():
        return found(lang, "browser", None, "no-browser-package", extra("browser"))
    if address := settings.address:
        is_there = answers(address)
        key = "browser-there" if is_there else "browser-gone"
        return found(lang, "browser", is_there, key, OWN_BROWSER, address=address)
    path = program()
    if not path:
        return found(lang, "browser", None, "no-browser", install("chromium"))
    is_headless = settings.headless == "on" or (settings.headless == "auto" and not has_display())
    key = "browser-headless" if is_headless else "browser"
    return found(lang, "browser", True, key, program=path)


def _screen(lang: Lang) -> Check:
    """Say if programs with windows can be used, and what typing and reading there lack."""
    from tools.desktop import lack

    if missing := lack():
        fix = extra("desktop") if missing == "packages" else ""
        return found(lang, "desktop", None, f"screen-{missing}", fix)
    if not shutil.which("xclip"):
        return found(lang, "desktop", None, "screen-lacks", install("xclip"), names="xclip")
    return found(lang, "desktop", True, "screen", display=os.environ["DISPLAY"])


def _nearest_folder(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def _plugins(config: Config) -> list[Check]:
    """List the plugins that config.yaml asks for; nothing where it asks for none."""
    if not config.plugins:
        return []
    try:
        plugin.check(config.plugins)
    except ConfigError as error:
        problem, fix = str(error).splitlines()
        return [Check("plugins", False, problem, fix)]
    return [Check("plugins", True, ", ".join(config.plugins))]
