"""Change, rename and remove SOPs of one's own: `sops edit|rename|remove`. The history keeps what
was there."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config import Config
from learning.folder import to_yaml
from learning.route import Remembered
from memory.history import contents_of
from memory.sops import NAME, Sop, Status, contract_of, read_sop
from memory.sops.changing import with_said
from ui.command import Argument, Option, command
from ui.sanitise import one_line
from ui.sops.changes import changes
from ui.sops.sops import NO, SopUsage, find, store
from ui.terminal import agrees, read_next
from ui.words import say, words_of

SHOWN = (
    "sop.yaml",
    "SKILL.md",
)  # opened in the editor; scripts of a folder of their own come with them


@command("sops edit", Argument("sop"), Option("--stdin", key="opt.edit-stdin"))
def edit(args: Namespace, config: Config) -> int:
    """`sops edit NAME`: 0 when a new version was stored or nothing was changed, 1 when what was
    written cannot be meant."""
    sop = find(config, args.sop)
    with tempfile.TemporaryDirectory(prefix="sopwith-edit-") as place:
        folder = Path(place) / sop.name
        for path, data in _files(sop).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        if args.stdin:
            _put(folder, json.load(sys.stdin))
            edited = read_sop(folder, False)
            if edited.problem:
                raise SopUsage(words_of(edited.problem.replace(f"{folder}/", "")))
            return _stored(sop, edited, config)
        while True:
            _open(folder)
            edited = read_sop(folder, False)
            if not edited.problem:
                return _stored(sop, edited, config)
            problem = edited.problem.replace(f"{folder}/", "")
            print(f"✗ {one_line(problem, 300)}", file=sys.stderr)
            if not sys.stdin.isatty() or read_next(say("sops.edit_again")).strip().lower() in NO:
                print(say("sops.edit_dropped", name=sop.name), file=sys.stderr)
                return 1


def _open(folder: Path) -> None:
    """Open the files in the owner's editor. Raises SopUsage."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    scripts = sorted(path for path in folder.glob("scripts/*") if path.is_file())
    files = [folder / name for name in SHOWN if (folder / name).is_file()]
    try:
        ended = subprocess.run([*shlex.split(editor), *map(str, [*files, *scripts])], check=False)
    except (OSError, ValueError) as error:
        raise SopUsage(say("sops.no_editor", editor=one_line(editor, 60))) from error
    if ended.returncode != 0:
        raise SopUsage(say("sops.no_editor", editor=one_line(editor, 60)))


def _put(folder: Path, given: Mapping[str, Any]) -> None:
    """Put what a form says into the files: `description`, `body`, and `content`, the keys of
    sop.yaml."""
    if content := given.get("content"):
        (folder / "sop.yaml").write_text(to_yaml(content), "utf-8")
    file = folder / "SKILL.md"
    text = file.read_text("utf-8")
    for key in ("description", "body"):
        if key in given:
            text = with_said(text, key, str(given[key]))
    file.write_text(text, "utf-8")


def _stored(sop: Sop, edited: Sop, config: Config) -> int:
    files = _files(edited)
    if files == _files(sop):
        print(say("sops.edit_same", name=sop.name))
        return 0
    is_as_proven = contract_of(edited.folder) == contract_of(sop.folder)
    status: Status = sop.status if is_as_proven else "draft"
    new = changes(config).write(
        sop.name,
        files,
        reason=say("sops.edit_reason"),
        status=status,
        expects_version=0 if sop.is_seed else sop.version,
    )
    print(say("teach.stored", name=new.name, version=new.version, status=new.status))
    if not is_as_proven:
        print("  " + say("sops.edit_prove", name=new.name))
    return 0


@command("sops rename", Argument("sop"), Argument("new"))
def rename(args: Namespace, config: Config) -> int:
    """`sops rename NAME NEW`: the same SOP under another name; its status, cases and wordings
    stay."""
    sop, new = _own(config, args.sop), args.new
    if not NAME.fullmatch(new):
        raise SopUsage(say("teach.bad_name", name=one_line(new, 80), near="old-files"))
    if store(config).get(new):
        raise SopUsage(say("sops.name_taken", name=new))
    files: dict[str, str | bytes] = {**_files(sop)}
    text = (sop.folder / "SKILL.md").read_text("utf-8")
    files["SKILL.md"] = re.sub(
        rf"(?m)^name: ['\"]?{re.escape(sop.name)}['\"]?$", f"name: {new}", text, count=1
    )
    reason = say("sops.renamed_reason", name=sop.name)
    changes(config).write(new, files, reason=reason, status=sop.status, expects_version=0)
    Remembered(config.home).rename(sop.name, new)
    changes(config).remove(sop.name, say("sops.renamed_to", name=new))
    print(say("sops.renamed", name=sop.name, new=new))
    for job in sorted((config.home / "schedule").glob("*.json")):
        if f'"{sop.name}"' in job.read_text("utf-8", "replace"):
            print("  " + say("sops.renamed_job", name=sop.name, job=job.stem))
    return 0


@command("sops remove", Argument("sop"), Option("--yes"))
def remove(args: Namespace, config: Config) -> int:
    """`sops remove NAME`: gone from the store; the history brings it back."""
    sop = _own(config, args.sop)
    question = say("sops.remove_question", name=sop.name, status=sop.status).strip()
    is_asked = not args.yes and sys.stdin.isatty()
    if is_asked and not agrees(question):
        print(say("sops.remove_not", name=sop.name))
        return 1
    changes(config).remove(sop.name, say("sops.remove_reason"))
    print(say("sops.removed", name=sop.name))
    return 0


def _own(config: Config, name: str) -> Sop:
    """Return an SOP of the owner's. Raises SopUsage for one that came with Sopwith."""
    sop = find(config, name)
    if sop.is_seed:
        raise SopUsage(say("sops.is_seed", name=sop.name))
    return sop


def _files(sop: Sop) -> dict[str, bytes]:
    return {path: content.data for path, content in contents_of(sop.folder).items()}
