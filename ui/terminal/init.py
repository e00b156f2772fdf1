"""`init`: makes the home folder and writes config.yaml, with the answers of whoever sits at the
terminal; plays BOOTSTRAP.md.

No key is ever typed here or written to the file: config.yaml names the variable that holds it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable

from config import Config, load
from memory.files import write_atomic
from memory.home import open_home
from ui.command import command, is_at_terminal
from ui.terminal import bootstrap
from ui.terminal.typed_line import read_next
from ui.words import say

KEY_VARIABLE = "OPENAI_API_KEY"  # taken from the environment without being named in the file


OFFERED = {  # endpoints: name → address; the first takes a key, and knows its address itself
    "OpenAI": "",
    "Ollama": "http://127.0.0.1:11434/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
}


@command("init")
def init(args: Namespace, config: Config) -> int:
    """`init`. Returns the exit code: 130 when whoever answers has left."""
    open_home(config.home)
    before = _written(config)
    try:
        return _init(config)
    except KeyboardInterrupt:
        made = [name for name in _written(config) if name not in before]
        key = "init.stopped" if made else "init.stopped_early"
        print("\n" + say(key, files=", ".join(made), home=config.home), file=sys.stderr)
        return 130


def _written(config: Config) -> list[str]:
    return sorted(path.name for path in config.home.iterdir() if path.is_file())


def _init(config: Config) -> int:
    is_attended = is_at_terminal()
    path, text = config.home / "config.yaml", ""
    if is_kept := path.exists():
        print(say("init.exists", path=path))
    else:
        try:
            text = _ask() if is_attended else ""
        except EOFError:  # the owner leaves
            print()
        write_atomic(path, text or _commented(), 0o600)
        print(say("init.written" if text else "init.commented", path=path))
    if bootstrap.prepare(config.home, config.lang):
        if not is_attended:
            print(say("bootstrap.unattended", files=", ".join(bootstrap.MAY_BE_WRITTEN)))
        elif not bootstrap.play(config.home, config.lang, read_next):
            return 130
    _say_what_works(config, text, is_kept)
    return 0


def _say_what_works(config: Config, text: str, is_kept: bool) -> None:
    names = re.findall(r"\$\{(\w+)\}", text) or re.findall(rf"# api_key: .*({KEY_VARIABLE})", text)
    if missing := [name for name in names if not os.environ.get(name)]:
        print(say("init.export", name=missing[0]))
    elif text or is_kept:  # the doctor also asks the endpoint whether it is there
        from runs.doctor import checks
        from ui.system import print_checks

        print_checks(checks(load(config.home, config.lang, os.environ)))


def _ask() -> str:
    """config.yaml as the answers make it; nothing when no model is wanted."""
    print(say("init.which"))
    for number, (name, address) in enumerate(OFFERED.items(), 1):
        print(f"  {number}. {name}  {address}".rstrip())
    other, none = len(OFFERED) + 1, len(OFFERED) + 2
    print(f"  {other}. {say('init.other')}")
    print(f"  {none}. {say('init.none')}")
    choice = int(
        _answer(say("init.number"), lambda text: text.isdecimal() and 1 <= int(text) <= none, "1")
    )
    if choice == none:
        return ""
    is_address, is_name = re.compile(r"https?://[^\s/]\S*"), re.compile(r"-|[A-Za-z_]\w*")
    if choice == other:
        base_url = _answer(say("init.address"), is_address.fullmatch)
    else:
        base_url = [*OFFERED.values()][choice - 1]
    model = _answer(say("init.model"), bool, "gpt-5.4" if choice == 1 else "")
    variable = "-"
    if choice in (1, other):
        suggested = KEY_VARIABLE if choice == 1 else "-"
        variable = _answer(say("init.variable"), is_name.fullmatch, suggested)
    return _settings(base_url, model, variable)


def _answer(prompt: str, fits: Callable[[str], object], default: str = "") -> str:
    """Ask until the answer fits. Raises EOFError."""
    while True:
        text = read_next(f"{prompt} [{default}] " if default else f"{prompt} ").strip() or default
        if fits(text):
            return text
        print(say("init.again"))


def _settings(base_url: str, model: str, variable: str) -> str:
    """config.yaml with one model. JSON strings are YAML strings."""
    lines = ["models:", "  - name: main", f"    model: {json.dumps(model, ensure_ascii=False)}"]
    if base_url:
        lines.append(f"    base_url: {json.dumps(base_url)}")
    if variable == KEY_VARIABLE:
        lines.append(f"    # api_key: {say('init.from_environment', name=KEY_VARIABLE)}")
    elif variable != "-":
        lines.append(f"    api_key: ${{{variable}}}")
    return "\n".join(lines) + "\n"


def _commented() -> str:
    """config.yaml that sets nothing and shows what could be set."""
    return f"""# {say("init.comment")}
# models:
#   - {{name: main, kind: openai, model: gpt-5.4, api_key: ${{{KEY_VARIABLE}}}}}
#   - {{name: local, kind: openai, model: qwen3, base_url: http://127.0.0.1:11434/v1}}
# limits: {{turns: 40, cost_usd: 3.0, minutes: 60, tool_seconds: 60}}
# safety: {{roots: [~/work], sandbox: auto, confirm: [delete, send, install, spend], forbid: []}}
"""
