"""Show the settings, secrets never: `config show|path|check`; change one: `config set KEY [VALUE]`.
The rest of config.yaml stays as it is written, with its comments."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config import Config, ConfigError, Section, load
from memory.files import write_atomic
from safety.secrets import Redactor, held_values
from ui.command import JSON, Argument, command
from ui.lists import print_json
from ui.words import say

FILE = "config.yaml"
HIDDEN = "***"
_IS_SHOWN = {"url", "base_url", "command"}  # an address loses its password to the redactor
NOTHING = (None, "")


@command("config show", JSON)
def show(args: Namespace, config: Config) -> int:
    """`config show`: every setting as it holds now, with the environment's."""
    redact = Redactor(held_values(config, os.environ)).redact
    settings = redact(settings_of(config))
    if args.json:
        return print_json(settings)
    import yaml

    print(f"# {config.home / FILE}")
    print(yaml.safe_dump(settings, allow_unicode=True, sort_keys=False).rstrip())
    return 0


@command("config path")
def path(args: Namespace, config: Config) -> int:
    """`config path`."""
    print(config.home / FILE)
    return 0


@command("config check", JSON)
def check(args: Namespace, config: Config) -> int:
    """`config check`: a file with a fault has ended the command before (exit 2)."""
    file, models = config.home / FILE, [model.name for model in config.models]
    if args.json:
        return print_json({"file": str(file), "exists": file.exists(), "models": models})
    print(say("settings.fine" if file.exists() else "settings.absent", path=file))
    known = ", ".join(models)
    print(say("settings.models", models=known) if models else say("models.none"))
    return 0


def settings_of(config: Config) -> dict[str, Any]:
    """Return all keys of config.yaml with their values as JSON has them."""
    shown = json.loads(json.dumps(config, default=_plain))
    return {name: shown[name] for name in shown if name not in ("home", "lang")}


def _plain(value: Any) -> Any:
    """Return as JSON has it what JSON does not know; what must not be printed is hidden."""
    if isinstance(value, Section):
        hidden = {name for name, key in value.keys().items() if key.is_secret} - _IS_SHOWN
        return {
            name: HIDDEN if each and name in hidden else each for name, each in vars(value).items()
        }
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, set | frozenset) else str(value)


VARIABLE, KEPT = re.compile(r"\$\{(\w+)\}"), re.compile("\\$\ue000(\\w+)\ue001")


@command("config set", Argument("key"), Argument("value", "?"))
def set_(args: Namespace, config: Config) -> int:
    """`config set safety.confirm '[delete, send]'`: VALUE is YAML, `-` reads it from stdin, none
    goes back to the default."""
    given = sys.stdin.read() if args.value == "-" else args.value or ""
    file = config.home / FILE
    text = file.read_text("utf-8-sig") if file.is_file() else ""
    changed = with_setting(text, args.key.split("."), _yaml(given))
    _check(changed, file, config)
    config.home.mkdir(parents=True, exist_ok=True)
    write_atomic(file, changed, mode=0o600)
    print(say("settings.set", name=args.key, path=file))
    return 0


def with_setting(text: str, keys: list[str], value: Any) -> str:
    """Return config.yaml with one value set, or taken away when it is nothing. An entry of a list
    is named by its `name`."""
    import yaml

    # in `{key: ${KEY}}` YAML takes the braces for its own
    plain = VARIABLE.sub("$\ue000\\1\ue001", text)
    settings = _yaml(plain) or {}
    if not isinstance(settings, dict):
        raise ConfigError(say("settings.no_mapping"))
    _put(settings, keys, value)
    top = keys[0]
    kept = {top: settings[top]} if settings.get(top) else {}
    block = yaml.safe_dump(kept, allow_unicode=True, sort_keys=False, width=10_000) if kept else ""
    start, end = _lines_of(plain, top)
    lines = plain.splitlines(keepends=True)
    if start == len(lines) and lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return KEPT.sub(r"${\1}", "".join([*lines[:start], block, *lines[end:]]))


def _put(owner: Any, keys: list[str], value: Any) -> None:
    """Set a value below a mapping or a list of named mappings; what becomes empty goes."""
    key, *rest = keys
    if isinstance(owner, list):
        _put_named(owner, key, rest, value)
        return
    if not rest:
        owner.pop(key, None) if value in NOTHING else owner.update({key: value})
        return
    below = owner.get(key) or ([] if key == "models" else {})
    _put(below, rest, value)
    owner.pop(key, None) if not below else owner.update({key: below})


def _put_named(owner: list[Any], name: str, rest: list[str], value: Any) -> None:
    entry = next((each for each in owner if each.get("name", each.get("model")) == name), None)
    if not rest and value in NOTHING:
        owner[:] = [each for each in owner if each is not entry]
        return
    if entry is None:
        entry = {"name": name}
        owner.append(entry)
    if rest:
        _put(entry, rest, value)
    elif isinstance(value, dict):
        entry.update(value)


def _lines_of(text: str, key: str) -> tuple[int, int]:
    """Return where the block of a key begins and ends; at the end of the text where there is
    none."""
    import yaml

    count = len(text.splitlines())
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for key_node, node in root.value if root is not None else ():
        if key_node.value == key:
            last = node.end_mark.line + (node.end_mark.column > 0)
            lines = text.splitlines()[:last]
            while lines and re.fullmatch(r"\s*(#.*)?", lines[-1]):
                lines.pop()
            return key_node.start_mark.line, max(len(lines), key_node.start_mark.line + 1)
    return count, count


def _yaml(text: str) -> Any:
    """Read YAML. Raises ConfigError."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(
            say("settings.no_yaml", why=" ".join(str(error).split())[:200])
        ) from error


def _check(text: str, file: Path, config: Config) -> None:
    """Raise ConfigError when the settings cannot be meant; its text names the real file."""
    with tempfile.TemporaryDirectory(prefix="sopwith-config-") as folder:
        trial = Path(folder) / FILE
        trial.write_text(text, "utf-8")
        try:
            load(Path(folder), config.lang, os.environ)
        except ConfigError as error:
            said = error.said(config.lang).replace(str(trial), str(file))
            raise ConfigError(said) from error
