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
from learning.kept import Work, output_of, scan_or_none
from learning.mentions import Mention
from learning.reach import Reach, goes_out, written_operands
from learning.steps import filled, folder_in_request, script_with_values

BUILT_IN = frozenset(["cd", "echo", "printf", "test", "[", "export", "set", "read", "exit", "true", "false", "pwd", "local", "declare", ":", "for", "type", "command", "umask", "wait", "eval", "source", "."])  # fmt: skip
_REMOVES = re.compile(r"(rm|rmdir|unlink)\b|git\s(?:-C\s+\S+\s+)?(branch|tag)\s+(-d|-D|--delete)\b")
_DAY = re.compile(r"\$\(date \+['\"]?[%FYmdj._-]+['\"]?\)")


def requirements(work: Work) -> None:
    commands: dict[str, None] = {}
    for step in (*work.content.plan, *work.content.commit):
        script = step.args.get("script")
        if (
            step.args.get("type") == "bash"
            and isinstance(script, str)
            and (scanned := scan_or_none(script))
        ):
            defined = set(re.findall(r"([\w-]+)\s*\(\)", script))
            for word in scanned.words:
                if (
                    word.place == "fixed"
                    and word.text == word.verb
                    and re.fullmatch(r"[\w.+-]+", word.text)
                ):
                    commands[word.text] = None
            commands = {name: None for name in commands if name not in BUILT_IN | defined}
    if commands:
        work.content.requires["commands"] = list(commands)
    written = _written_places(work)
    for kind, is_there in (
        ("folders", Path.is_dir),
        ("files", lambda path: _is_older(path, work.trace.at)),
    ):
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
    return (
        path.is_file()
        and path.stat().st_mtime < datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()
    )


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
        scanned = (
            scan_or_none(str(call.args.get("script", "")))
            if call.args.get("type") == "bash"
            else None
        )
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
                found |= {
                    (number, ("script",), n)
                    for n in written_operands(scanned.words[own[0]].text, operands)
                }
    return found


def effects(work: Work) -> str:
    reaches: set[Reach] = {work.reaches[number] for number in work.kept} | (
        {"destructive"} if any(s.tool == "file_trash" for s in work.content.commit) else set()
    )
    if any(goes_out(work.trace.calls[number]) for number in work.kept):
        reaches.add("external")  # also a question to another program cannot be tried on a copy
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
        elif (
            step.tool == "code_run"
            and step.args.get("type") == "bash"
            and isinstance(step.args.get("script"), str)
        ):
            found += _made(
                step, {*work.content.parameters, *work.saved.values(), "today", "cwd", "HOME"}
            )
        elif step.tool == "code_run" and isinstance(step.args.get("script"), str):
            found += _python_made(step)
    found = [check for check in found if not _stands_before(work, check["command"])]
    found += [{"command": command} for command in _looked_at(work, is_only=not found)]
    return [check for n, check in enumerate(found) if check not in found[:n]][:6]


def _stands_before(work: Work, command: str) -> bool:
    """`test -e` of what the SOP requires to be there anyway."""
    wanted = [name for kind in ("folders", "files") for name in work.content.requires.get(kind, ())]
    match = re.fullmatch(r"(?:cd [^&]* && )?test -[efd] \"?\$\{?(\w+)\}?\"?/?\"?", command)
    return match is not None and match[1] in wanted


def _looked_at(work: Work, *, is_only: bool) -> list[str]:
    """What the model looked at itself after the last change, where the outcome depends on the change."""
    changes = [n for n in work.kept if work.reaches[n] != "reads"]
    found: list[str] = []
    for number in range(max(changes, default=len(work.trace.calls)) + 1, len(work.trace.calls)):
        call = work.trace.calls[number]
        if (
            call.tool != "code_run"
            or call.args.get("type") != "bash"
            or call.status != "ok"
            or number in work.kept
        ):
            continue
        if work.reaches[number] == "reads" and (script := _as_check(work, number)):
            found += _outcomes(work, number, script, is_only=is_only and not found)
    return found


def _as_check(work: Work, number: int) -> str:
    """The script of a call that read, with the parameters in it; "" when it holds anything else that varies."""
    own = [each for each in work.found.found if each.unit.call == number]
    for each in own:
        is_asked = each.source.mention is not None and id(each.source.mention) in work.names
        is_known = (
            is_asked
            if each.source.origin == "request"
            else each.source.origin in ("environment", "constant")
        )
        if each.candidates or not is_known:
            return ""
    args, known = work.trace.calls[number].args, list(work.problems)
    script = script_with_values(work, number, str(args["script"]), "bash").strip()
    folder = (
        str(filled(work, number, ("cwd",), args["cwd"]))
        if args.get("cwd")
        else folder_in_request(work)
    )
    if work.problems != known:
        work.problems[:] = known
        return ""
    return f"cd {_quoted(folder)} && {script}" if folder else script


def _outcomes(work: Work, number: int, script: str, *, is_only: bool) -> list[str]:
    output = output_of(work.trace.calls[number])
    said = str(work.trace.calls[number].args["script"])
    if re.match(r"\s*(!|test\b|\[)", said) or not output:
        return (
            [script]
            if re.match(r"\s*(!|test\b|\[)", said)
            else [f'found="$({script})" && test -z "$found"']
        )
    found = []
    if _names_what_is_new(work, number):
        found.append(f"( {script} ) > /dev/null")
    for mention in work.found.mentions:
        name, shown = (
            work.names.get(id(mention)),
            Path(mention.value).name if mention.kind == "path" else mention.text,
        )
        if name and len(shown.encode()) >= 3 and shown not in said and _is_shown(shown, output):
            value = f'"${{{name}##*/}}"' if mention.kind == "path" else f'"${name}"'
            found.append(f"( {script} ) | grep -qF -- {value}")
    return found or ([f'test -n "$({script})"'] if is_only else [])


def _is_shown(value: str, output: str) -> bool:
    before, behind = (
        r"(?<!\w)" if value[0].isalnum() else "",
        r"(?!\w)" if value[-1].isalnum() else "",
    )
    return re.search(f"{before}{re.escape(value)}{behind}", output) is not None


def _names_what_is_new(work: Work, number: int) -> bool:
    """A value that a change was given too, and that was not there before: looking at it would have failed."""
    if re.search(r"\b(curl|wget)\b", str(work.trace.calls[number].args["script"])):
        return False  # what is there for others may have been there before
    wanted = [name for kind in ("folders", "files") for name in work.content.requires.get(kind, ())]
    uses = {
        n: {id(e.source.mention) for e in work.found.of("request") if e.unit.call == n}
        for n in (*work.kept, number)
    }
    changed = {each for n in work.kept if work.reaches[n] != "reads" for each in uses[n]}
    return any(work.names.get(each, "") not in ("", *wanted) for each in uses[number] & changed)


def _gone(work: Work, step: DraftStep) -> list[dict[str, str]]:
    if isinstance(step.args["paths"], list):
        return [
            {"command": f"test ! -e {_quoted(path)} && test ! -L {_quoted(path)}"}
            for path in step.args["paths"]
        ]
    alone = re.fullmatch(r"\{\{\s*(\w+)\s*\}\}", str(step.args["paths"]))
    name = step.when or (alone[1] if alone else "")
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
    before = f"cd {_quoted(str(step.args['cwd']))} && " if "cwd" in step.args else ""
    found = [{"command": before + check} for check in _emptied(script, known)]
    for command in dict.fromkeys(word.command for word in scanned.words):
        words = [
            word
            for word in scanned.words
            if word.command == command and not word.sets and not word.redirect
        ]
        outs = [
            word
            for word in scanned.words
            if word.command == command and word.redirect in (">", ">>", ">|", "&>")
        ]
        plain = [word for word in words[1:] if not word.text.startswith("-")]
        targets = [*outs]
        if words:
            targets += _targets(words[0].text, words, plain)
            found += [{"command": before + check} for check in _moved(script, words, plain, known)]
            found += [{"command": before + check} for check in _git_checks(script, words, plain)]
            found += [{"command": before + check} for check in _unpacked(script, words, known)]
        for word in targets:
            source = script[word.start : word.end]
            plain_source = _DAY.sub("", source)  # the same in a check as in the step
            if (
                not word.has_glob
                and _is_known(plain_source, known)
                and source not in ("/dev/null", '"/dev/null"')
                and "$(" not in plain_source
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
    if (
        verb in ("cp", "mv", "ln", "install")
        and len(plain) >= 2
        and not any(word.text in ("-t",) for word in words)
    ):
        return plain[-1:]
    if verb in ("mkdir", "touch"):
        return plain
    if verb in ("tar", "zip"):
        archives = [
            word
            for word in plain
            if re.search(r"\.(tar|tgz|tbz2|txz|zip)$|\.tar\.\w+$", word.text) or word is plain[0]
        ]
        return archives[:1]
    if verb == "gzip" and len(plain) == 1:
        return []
    writers = ("sort", "gcc", "pandoc", "curl")
    return [
        word
        for option, word in pairwise(words)
        if option.text in ("-o", "--output") and verb in writers
    ]


def _moved(
    script: str,
    words: list[shell_words.ShellWord],
    plain: list[shell_words.ShellWord],
    known: set[str],
) -> list[str]:
    """What was moved is no longer where it was."""
    if (
        words[0].text != "mv"
        or len(plain) < 2
        or any(re.match(r"-\w*[nut]|--", word.text) for word in words)
    ):
        return []
    sources = [script[word.start : word.end] for word in plain[:-1]]
    return [
        f"! ls -d -- {each} > /dev/null 2>&1"
        for each in sources
        if _is_known(each, known) and "$(" not in each
    ]


def _emptied(script: str, known: set[str]) -> list[str]:
    """`LIST | xargs rm`: what was listed is gone, so the same list is empty now."""
    match = re.fullmatch(r"\s*([^;&\n]+?)\s*\|\s*xargs\s+((?:-\S+\s+)*)(\S.*?)\s*", script)
    if match is None or not _REMOVES.match(match[3]) or re.search(r"-[nIiPL]", match[2]):
        return []
    return [f'test -z "$({match[1]})"'] if _is_known(match[1], known) else []


def _unpacked(script: str, words: list[shell_words.ShellWord], known: set[str]) -> list[str]:
    """All that an archive lists is where it was unpacked to."""
    verb, said = words[0].text, [script[word.start : word.end] for word in words]
    if verb == "unzip" and "-d" in said[:-1]:
        archives, folder = (
            [w for w in said[1:] if not w.startswith("-")],
            said[said.index("-d") + 1],
        )
        listing = "unzip -Z1"
    elif (
        verb == "tar"
        and "-C" in said[:-1]
        and re.match(r"-?\w*x|--extract", said[1])
        and len(said) >= 5
    ):
        archives, folder, listing = (
            [w for w in said[2:] if not w.startswith("-")],
            said[said.index("-C") + 1],
            "tar -tf",
        )
    else:
        return []
    if len(archives) < 2 or not all(_is_known(each, known) for each in (archives[0], folder)):
        return []
    every = 'while IFS= read -r packed; do test -e "$packed" || exit 1; done'
    return [f"{listing} {archives[0]} | ( cd {folder} && {every} )"]


def _git_checks(
    script: str, words: list[shell_words.ShellWord], plain: list[shell_words.ShellWord]
) -> list[str]:
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
    return [*found, *({"command": check} for check in _python_unpacked(str(step.args["script"])))]


def _python_unpacked(script: str) -> list[str]:
    value = r"os\.environ\[\"(\w+)\"\]"
    archive = re.search(rf"(?:(zip)file\.ZipFile|tarfile\.open)\(\s*{value}", script)
    folder = re.search(rf"\.extractall\(\s*(?:path\s*=\s*)?{value}", script)
    if archive is None or folder is None:
        return []
    names = f'zipfile.ZipFile(os.environ["{archive[2]}"]).namelist()'
    if not archive[1]:
        names = f'tarfile.open(os.environ["{archive[2]}"]).getnames()'
    there = (
        f'all(os.path.lexists(os.path.join(os.environ["{folder[1]}"], name)) for name in {names})'
    )
    return [f"python3 -c 'import os, sys, tarfile, zipfile; sys.exit(not {there})'"]
