"""The workspace files as they are shipped (assets/templates/LANG/): written once where one is
missing, never over another.

Whether a file still says what was shipped is found by its text, in whichever language it was made.
Source: seed 004 §3.2.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from memory.files import write_new

TEMPLATES = Path(__file__).resolve().parents[2] / "assets" / "templates"
FILES = ("AGENTS.md", "SPIRIT.md", "OWNER.md", "TOOLS.md", "MEMORY.md")
FIRST_START = "BOOTSTRAP.md"  # there until it has been played: ui/terminal/init.py
_LANGUAGES = ("en", "zh")


@cache
def template(name: str, lang: str, folder: Path = TEMPLATES) -> str:
    """Return the shipped text of a workspace file."""
    return (folder / lang / name).read_text(encoding="utf-8")


def is_template(name: str, text: str, folder: Path = TEMPLATES) -> bool:
    """Return True when a text says what was shipped under this name, in some language; line ends
    and outer space do not count."""
    shipped = {
        _plain(template(name, lang, folder))
        for lang in _LANGUAGES
        if (folder / lang / name).is_file()
    }
    return _plain(text) in shipped


def is_first_start(home: Path) -> bool:
    """Return True when nothing says yet who the owner is and who the agent is, and nobody has been
    asked."""
    return not any(os.path.lexists(home / name) for name in ("OWNER.md", "SPIRIT.md", FIRST_START))


def is_answered(home: Path, folder: Path = TEMPLATES) -> bool:
    """Return True when BOOTSTRAP.md has nothing left to ask: who the owner is and who the agent is
    stand in their files, by whatever way they came there (a chat, the owner's own hand)."""
    try:
        texts = [(name, (home / name).read_text("utf-8")) for name in ("OWNER.md", "SPIRIT.md")]
    except (OSError, UnicodeDecodeError):
        return False
    return all(text.strip() and not is_template(name, text, folder) for name, text in texts)


def lay_out(home: Path, lang: str, folder: Path = TEMPLATES) -> list[str]:
    """Write each workspace file that is missing; on the first start also BOOTSTRAP.md and the
    example personas. Return their paths in the home folder. Raises OSError."""
    made = []
    if is_first_start(home):
        examples = sorted(
            f"personas/{path.name}" for path in (folder / lang / "personas").glob("*.md")
        )
        made += [name for name in (FIRST_START, *examples) if make(home, name, lang, folder)]
    return made + [name for name in FILES if make(home, name, lang, folder)]


def make(home: Path, name: str, lang: str, folder: Path = TEMPLATES) -> bool:
    """Write one file from its template if nothing has its name; False when something has. Raises
    OSError.

    It is there whole or not at all, and what another process put there in the meantime stays.
    """
    path = home / name
    if os.path.lexists(path):
        return False
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return write_new(path, template(name, lang, folder))


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
