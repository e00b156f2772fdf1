"""Show the settings: `config show|path|check`. Secrets are never shown."""

from __future__ import annotations

import dataclasses
import os
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config import Config
from safety.secrets import Redactor, held_values
from ui.command import JSON, command
from ui.lists import print_json
from ui.words import say

FILE = "config.yaml"
HIDDEN = "***"
_IS_SHOWN = {"url", "base_url", "command"}  # an address loses its password to the redactor


@command("config show", JSON)
def show(args: Namespace, config: Config) -> int:
    """`config show`: every setting as it holds now, with the environment's."""
    redact = Redactor(held_values(config, os.environ)).redact
    settings = redact(settings_of(config))
    if args.json:
        print_json(settings)
        return 0
    import yaml

    print(f"# {_file(config)}")
    print(yaml.safe_dump(settings, allow_unicode=True, sort_keys=False).rstrip())
    return 0


@command("config path")
def path(args: Namespace, config: Config) -> int:
    """`config path`."""
    print(_file(config))
    return 0


@command("config check", JSON)
def check(args: Namespace, config: Config) -> int:
    """`config check`: a file with a fault has ended the command before (exit 2)."""
    is_there, models = _file(config).exists(), [model.name for model in config.models]
    if args.json:
        print_json({"file": str(_file(config)), "exists": is_there, "models": models})
        return 0
    print(say("settings.fine" if is_there else "settings.absent", path=_file(config)))
    known = ", ".join(models)
    print(say("settings.models", models=known) if models else say("models.none"))
    return 0


def settings_of(config: Config) -> dict[str, Any]:
    """Return all keys of config.yaml with their values as JSON has them."""
    shown = _plain(config)
    return {name: shown[name] for name in shown if name not in ("home", "lang")}


def _file(config: Config) -> Path:
    return config.home / FILE


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _field(each, value) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _field(each: dataclasses.Field[Any], owner: Any) -> Any:
    """Return the value of one setting; what must not be printed is hidden."""
    value = getattr(owner, each.name)
    is_hidden = not each.repr and each.name not in _IS_SHOWN
    return HIDDEN if is_hidden and value else _plain(value)
