"""What a draft requires, what it does to the world, and the checks that prove that it worked."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from learning import shell_words
from learning.draft import DraftStep
from learning.kept import Work, scan_or_none
from learning.mentions import Mention
from learning.reach import written_operands

BUILT_IN = frozenset(["cd", "echo", "printf", "test", "[", "export", "set", "read", "exit", "true", "false", "pwd", "local", "declare", ":", "for", "type", "command", "umask", "wait", "eval", "source", "."])  # fmt: skip


def requirements(work: Work) -> None:
    commands: dict[str, None] = {}
    for step in (*work.content.plan, *work.content.commit):
        script = step.args.get("script")
        if step.args.get("type") == "bash" and isinstance(script, str) and (scanned := scan_or_none(script)):
            defined = set(re.findall(r"([\w-]+)\s*\(\)", script))
            for word in scanned.words:
                if word.place == "fixed" and word.text == word.verb and re.fullmatch(r"[\w.+-]+", word.text):
                    commands[word.text] = None
            commands = {name: None for name in commands if name not in BUILT_IN | defined}
    if commands:
        work.content.requires["commands"] = list(commands)
    written = _written_places(work)
    for kind, is_there in (("folders", Path.is_dir), ("files", lambda path: _is_older(path, work.trace.at))):
        names = [
            work.names[id(mention)]
            for mention in work.found.mentions
            if id(mention) in work.names and mention.kind == "path" and _exists(is_there, mention.value) and not _is_written(work, mention, written)
        ]  # fmt: skip
        if names:
            work.content.requires[kind] = list(dict.fromkeys(names))
    if any(step.args.get("type") == "bash" for step in (*work.content.plan, *work.content.commit)):
        work.content.requires["platform"] = ["linux", "darwin"]


def _is_older(path: Path, at: str) -> bool:
    """A file that was there before the run: one that the run made is not asked for."""
    return path.is_file() and path.stat().st_mtime < datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()


def _exists(is_there: Callable[[Path], bool], path: str) -> bool:
    try:
        return is_there(Path(path))
    except (OSError, ValueError):
        return False


def _is_written(work: Work, mention: Mention, written: set[tuple[Any, ...]]) -> bool:
    uses = [each for each in work.found.of("request") if each.source.mention is mention]
    return any(each.unit.where in written and each.is_whole for each in uses)


def _written_places(work: Work) -> set[tuple[Any, ...]]:
    """The words that name what a command writes to, and the paths of file_write."""
    found: set[tuple[Any, ...]] = set()
    for number in work.kept:
        call = work.trace.calls[number]
        if call.tool == "file_write":
            found.add((number, ("path",), 0))
        scanned = scan_or_none(str(call.args.get("script", ""))) if call.args.get("type") == "bash" else None
        if scanned is None:
            continue
        for n, word in enumerate(scanned.words):
            if word.redirect and ">" in word.redirect:
                found.add((number, ("script",), n))
        for command in {word.command for word in scanned.words}:
            own = [
                n
                for n, word in enumerate(scanned.words)
                if word.command == command and not word.sets and not word.redirect
            ]
            operands = [n for n in own[1:] if not scanned.words[n].text.startswith("-")]
            if own:
                found |= {(number, ("script",), n) for n in written_operands(scanned.words[own[0]].text, operands)}
    return found


def effects(work: Work) -> str:
    reaches = {work.reaches[number] for number in work.kept} | (
        {"destructive"} if any(s.tool == "file_trash" for s in work.content.commit) else set()
    )
    for effect in ("destructive", "external", "local"):
        if effect in reaches:
            return effect
    return "none"


def checks(work: Work) -> list[dict[str, str]]:
    """What can be proven afterwards: what was deleted is gone, what was made is there, the list is empty."""
    found: list[dict[str, str]] = []
    for step in work.content.commit:
        if step.tool == "file_trash":
            found += _gone(work, step)
        elif step.tool == "file_write":
            found += _there(str(step.args.get("path", "")))
        elif step.tool == "code_run" and step.args.get("type") == "bash" and isinstance(step.args.get("script"), str):
            found += _made(step, {*work.content.parameters, *work.saved.values(), "today", "cwd", "HOME"})
        elif step.tool == "code_run" and isinstance(step.args.get("script"), str):
            found += _python_made(step)
    return [check for n, check in enumerate(found) if check not in found[:n]][:6]


def _gone(work: Work, step: DraftStep) -> list[dict[str, str]]:
    if isinstance(step.args["paths"], list):
        return [{"command": f"test ! -e {_quoted(path)} && test ! -L {_quoted(path)}"} for path in step.args["paths"]]
    name = step.when
    for other in (*work.content.plan, *work.content.commit):
        if name in other.save and "cwd" not in other.args:
            listing = str(other.args.get("script", ""))
            if re.match(r"\s*find\s", listing) and not re.search(r"[|;&\n]", listing):
                return [{"command": f'test -z "$({listing})"'}]
    return []


def _there(path: str) -> list[dict[str, str]]:
    return [{"command": f"test -f {_quoted(path)}"}]


def _quoted(template: str) -> str:
    """A path with {{name}} as a word for the shell."""
    parts = re.split(r"\{\{\s*(\w+)\s*\}\}", template)
    if template.startswith("~"):
        parts[0] = "$HOME" + parts[0][1:]
    text = "".join(
        re.sub(r'(["`\\]|\$(?!HOME\b))', r"\\\1", part) if n % 2 == 0 else f"${{{part}}}"
        for n, part in enumerate(parts)
    )
    return f'"{text}"'


def _made(step: DraftStep, known: set[str]) -> list[dict[str, str]]:
    """The files that a command makes by its nature are there."""
    script = str(step.args["script"])
    scanned = scan_or_none(script)
    if scanned is None or not re.match(r"[^{]*$|\{\{\w+\}\}$", str(step.args.get("cwd", ""))):
        return []
    found, before = [], f"cd {_quoted(str(step.args['cwd']))} && " if "cwd" in step.args else ""
    for command in dict.fromkeys(word.command for word in scanned.words):
        words = [word for word in scanned.words if word.command == command and not word.sets and not word.redirect]
        outs = [word for word in scanned.words if word.command == command and word.redirect in (">", ">>", ">|", "&>")]
        plain = [word for word in words[1:] if not word.text.startswith("-")]
        targets = [*outs]
        if words:
            targets += _targets(words[0].text, words, plain)
            found += [{"command": before + check} for check in _git_checks(script, words, plain)]
        for word in targets:
            source = script[word.start : word.end]
            if (
                not word.has_glob
                and _is_known(source, known)
                and source not in ("/dev/null", '"/dev/null"')
                and "$(" not in source
            ):
                found.append({"command": f"{before}test -e {source}"})
    return [check for check in found if "{{" not in check["command"]] if before.count("{{") == 0 else [
        {"command": re.sub(r"\{\{(\w+)\}\}", r"$\1", check["command"])} for check in found
    ]  # fmt: skip


def _is_known(source: str, known: set[str]) -> bool:
    """True when every variable of a word has the same value in a check as in the step; one of a loop has not."""
    names = re.findall(r"\$\{?(\w+)", source)
    return all(name in known for name in names) and not re.search(r"\$[^\w{]|\$$|`", source)


def _targets(
    verb: str, words: list[shell_words.ShellWord], plain: list[shell_words.ShellWord]
) -> list[shell_words.ShellWord]:
    if verb in ("cp", "mv", "ln", "install") and len(plain) >= 2 and not any(word.text in ("-t",) for word in words):
        return plain[-1:]
    if verb in ("mkdir", "touch"):
        return plain
    if verb in ("tar", "zip"):
        archives = [
            word for word in plain if re.search(r"\.(tar|tgz|tbz2|txz|zip)$|\.tar\.\w+$", word.text) or word is plain[0]
        ]
        return archives[:1]
    if verb == "gzip" and len(plain) == 1:
        return []
    writers = ("sort", "gcc", "pandoc", "curl")
    return [word for option, word in pairwise(words) if option.text in ("-o", "--output") and verb in writers]


def _git_checks(script: str, words: list[shell_words.ShellWord], plain: list[shell_words.ShellWord]) -> list[str]:
    if words[0].text != "git" or not plain:
        return []
    options = {word.text for word in words}
    if plain[0].text == "commit":
        return ["git diff --cached --quiet"]
    kind = (
        "tags"
        if plain[0].text == "tag"
        else "heads"
        if plain[0].text == "branch"
        or (plain[0].text, *options & {"-b", "-c"}) in (("checkout", "-b"), ("switch", "-c"))
        else ""
    )
    operands = [word for word in plain[1:] if word.text not in ("HEAD",)]
    if kind and operands and not options & {"-d", "-D", "--delete", "-m", "-a"}:
        name = script[operands[0].start : operands[0].end]
        return [f"git rev-parse -q --verify refs/{kind}/{name} > /dev/null"]
    return ["test -d .git"] if plain[0].text == "init" and len(plain) == 1 else []


def _python_made(step: DraftStep) -> list[dict[str, str]]:
    """The files that a script opens for writing by a parameter."""
    found = []
    for name in re.findall(
        r"(?:open|Path)\(\s*os\.environ\[\"(\w+)\"\]\s*(?:,\s*(?:mode\s*=\s*)?['\"][wax]|\)\s*\.write_)",
        str(step.args["script"]),
    ):
        found.append({"command": f'test -f "${name}"'})
    return found
