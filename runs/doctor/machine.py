"""This machine: Python, home folder and disk, git, sandbox, browser, desktop, plugins."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path

from config import Config, ConfigError, Lang
from context.phrases import in_words
from memory.home import LAYOUT, HomeError, open_home
from runs.doctor.check import Check, install, say
from text import plugin

LITTLE_SPACE_BYTES = 200_000_000


def check_python() -> Check:
    """An older Python than 3.11 does not come this far."""
    return Check("python", True, f"{platform.python_version()} ({sys.executable})")


def check_home(config: Config) -> Check:
    """The home folder, or the right to make it."""
    home = config.home
    if not home.exists():
        parent = _nearest_folder(home)
        is_possible = os.access(parent, os.W_OK | os.X_OK)
        detail = say(
            config.lang, "home later" if is_possible else "home never", home=home, parent=parent
        )
        return Check("home", is_possible, detail, "" if is_possible else "export SOPWITH_HOME=DIR")
    try:
        open_home(home)
    except HomeError as error:
        return Check("home", False, in_words(str(error), config.lang), "export SOPWITH_HOME=DIR")
    return Check("home", True, say(config.lang, "home", home=home, layout=LAYOUT))


def check_disk(config: Config) -> Check:
    """Room for run logs and outputs."""
    free = shutil.disk_usage(_nearest_folder(config.home)).free
    detail = say(config.lang, "free", gigabytes=f"{free / 1e9:.1f}", home=config.home)
    return Check("disk", free >= LITTLE_SPACE_BYTES, detail, f"du -h -d 1 {config.home}")


def check_privacy(config: Config) -> list[Check]:
    """A config.yaml with a key in it is for the owner's eyes."""
    file = config.home / "config.yaml"
    if (
        not any(model.api_key for model in config.models)
        or not file.exists()
        or not file.stat().st_mode & 0o077
    ):
        return []
    return [Check("privacy", None, say(config.lang, "readable", file=file), f"chmod 600 {file}")]


def check_git(lang: Lang) -> Check:
    """Git keeps the history of the memory."""
    git = shutil.which("git")
    return Check("git", git is not None, git or say(lang, "no git"), install("git"))


def check_sandbox(lang: Lang) -> Check:
    """Return what holds the scripts that run; really tried."""
    from sandbox.cells import levels

    level = levels.probe()
    fix = install("bubblewrap") if level.fix and not levels.bubblewrap() else level.fix
    reason = in_words(level.reason, lang)
    detail = say(lang, f"sandbox {level.name}", program=level.program, reason=reason)
    return Check("sandbox", True if level.name == "full" else None, detail, fix)


def check_browser(config: Config) -> Check:
    """Return which browser web tasks would use; an address is asked, nothing is started."""
    from tools.browser import answers, has_display, problem, program

    lang, settings = config.lang, config.browser
    if problem():
        return Check(
            "browser", None, say(lang, "no browser package"), "scripts/setup --extra browser"
        )
    if settings.address:
        is_there = answers(settings.address)
        detail = say(
            lang, "browser there" if is_there else "browser gone", address=settings.address
        )
        return Check(
            "browser", is_there, detail, "chromium --remote-debugging-port=9222 --user-data-dir=…"
        )
    found = program()
    if not found:
        return Check("browser", None, say(lang, "no browser"), install("chromium"))
    is_headless = settings.headless == "on" or (settings.headless == "auto" and not has_display())
    return Check(
        "browser", True, say(lang, "browser headless" if is_headless else "browser", program=found)
    )


def check_screen(lang: Lang) -> Check:
    """Return True if programs with windows can be used, and what typing and reading there lack."""
    from tools.desktop import lack

    if missing := lack():
        command = "scripts/setup --extra desktop" if missing == "packages" else ""
        return Check("desktop", None, say(lang, f"screen {missing}"), command)
    lacks = [
        package
        for name, package in (("xclip", "xclip"), ("tesseract", "tesseract-ocr"))
        if not shutil.which(name)
    ]
    if lacks:
        return Check(
            "desktop",
            None,
            say(lang, "screen lacks", names=", ".join(lacks)),
            install(" ".join(lacks)),
        )
    return Check("desktop", True, say(lang, "screen", display=os.environ["DISPLAY"]))


def _nearest_folder(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def check_plugins(config: Config) -> list[Check]:
    """List the plugins that config.yaml asks for; nothing where it asks for none."""
    if not config.plugins:
        return []
    try:
        plugin.check(config.plugins)
    except ConfigError as error:
        problem, fix = str(error).splitlines()
        return [Check("plugins", False, problem, fix)]
    return [Check("plugins", True, ", ".join(config.plugins))]
