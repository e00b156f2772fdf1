"""Read a Markdown how-to: blocks of shell, and commands between backticks in lists, in their
order."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Sequence

from learning.written.instructions import Instructions
from learning.written.shell_script import unfit
from shell.catalogue import entry
from text import names

SHELLS = names("bash sh shell zsh console shell-session terminal")
SHOWN = names("yaml yml json toml ini conf text txt csv log output xml diff")
_FENCE = re.compile(r"\s*(```+|~~~+)\s*([\w+-]*)")
_ITEM = re.compile(r"\s*(?:\d+[.)、]|[-*+])\s+(.*)")
_NUMBERED = re.compile(r"\s*\d+[.)、]\s+")
_PROMPT = re.compile(r"^[$%>]\s+")
_BUILT_IN = ("cd", "export", "source", "set", "for", "if", "while")


def read_markdown(text: str) -> Instructions:
    """Return what a how-to says."""
    return _Reader(text.split("\n")).read()


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines, self.found = lines, Instructions()
        self.item, self.item_line = "", 0
        self.is_done, self.is_numbered = True, False

    def read(self) -> Instructions:
        at = _body(self.lines)
        while at < len(self.lines):
            fence = _FENCE.match(self.lines[at])
            at = self._block(at, fence) if fence else self._line(at)
        self._close_item()
        return self.found

    def _line(self, at: int) -> int:
        line = self.lines[at]
        if heading := re.match(r"#+\s+(.*)", line):
            self._close_item()
            self.found.title = self.found.title or _plain(heading[1])
        elif item := _ITEM.match(line):
            self._close_item()
            self.item, self.item_line = item[1], at + 1
            self.is_numbered = _NUMBERED.match(line) is not None
            self.is_done = self._inline(item[1], at + 1) or not self.is_numbered
        elif line.strip() and not self.found.title:
            self.found.title = _plain(line)
        elif self.is_done and line.strip() == line != "":
            self._close_item()  # a paragraph of its own
        return at + 1

    def _close_item(self) -> None:
        """Say of a numbered step that holds no command that it is not understood."""
        if self.item and not self.is_done:
            said = _plain(self.item)[:80]
            self.found.problems.append(f"line {self.item_line}: no command in {said!r}")
        self.item = ""

    def _block(self, at: int, fence: re.Match[str]) -> int:
        end = self._end_of(at, fence[1])
        if end is None:
            self.found.problems.append(f"line {at + 1}: a block of code has no end")
            return len(self.lines)
        is_indented = fence[0][:1].isspace()
        is_announced = self.item.rstrip().endswith((":", "："))
        if is_indented or is_announced or self.lines[at - 1].strip() == self.item:
            self.is_done = True
        self._code(self.lines[at + 1 : end], fence[2].lower(), at + 1)
        return end + 1

    def _end_of(self, at: int, fence: str) -> int | None:
        for number in range(at + 1, len(self.lines)):
            line = self.lines[number].strip()
            if line.startswith(fence) and not line.strip("`~"):
                return number
        return None

    def _code(self, lines: Sequence[str], language: str, number: int) -> None:
        code = textwrap.dedent("\n".join(lines)).split("\n")
        if not _is_shell(language, code):
            is_shown = not self.item and language in SHOWN
            told = self.found.notes if is_shown else self.found.problems
            told.append(f"line {number}: a block of {language or 'text'} is no step")
            return
        code = _typed(code)
        script = "\n".join(code)
        for offset, line in enumerate(code, 1):
            unfit(self.found, line.strip(), number + offset)
        if script.strip():
            self.found.add(script.strip("\n"), number)

    def _inline(self, item: str, number: int) -> bool:
        """Take the commands between backticks of a list item; False when there is none."""
        codes = [code.strip() for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", item)]
        # In a list without numbers one word only names a program.
        least = 1 if self.is_numbered else 2
        told = [code for code in codes if len(code.split()) >= least]
        commands = [code for code in told if _is_command(code.split()[0])]
        for code in commands:
            unfit(self.found, code, number)
            self.found.add(code, number)
        return bool(commands)


def _body(lines: Sequence[str]) -> int:
    """Return the line behind the front matter."""
    plain = [line.strip() for line in lines]
    has_front = plain[:1] == ["---"] and "---" in plain[1:]
    return plain.index("---", 1) + 1 if has_front else 0


def _plain(text: str) -> str:
    return re.sub(r"[*`]", "", text).strip().rstrip(".。:：")


def _typed(code: Sequence[str]) -> list[str]:
    """Return what was typed: where there are prompts, the rest was printed."""
    typed = [each for each in code if _PROMPT.match(each)]
    return [_PROMPT.sub("", each) for each in typed or code]


def _is_shell(language: str, lines: Sequence[str]) -> bool:
    """Return True for a block in a shell's name, or without one where each line is a command."""
    if language:
        return language in SHELLS
    said = [line.lstrip("$ ") for line in lines if not line.lstrip().startswith("#")]
    words = [line.split()[0] for line in said if line.strip()]
    return bool(words) and all(_is_command(word) for word in words)


def _is_command(word: str) -> bool:
    return word in _BUILT_IN or entry(word) is not None or shutil.which(word) is not None
