"""Report what works on this machine and what is missing, each with the command that mends it; never a key. It only looks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from config import Config
from runs.doctor import machine, models, stores
from runs.doctor.check import Check, say


def checks(config: Config, *, tries_models: bool = False) -> list[Check]:
    """Look at everything; takes as long as the slowest endpoint, a few seconds at most. `tries_models`: each is asked for
    a tool call too, which a provider bills."""
    lang = config.lang
    return [
        machine.check_python(),
        machine.check_home(config),
        machine.check_disk(config),
        *machine.check_privacy(config),
        *stores.check_runs(config),
        *stores.check_schedules(config),
        *_models(config, tries_models),
        stores.check_sops(config),
        *stores.check_memory(config),
        *stores.check_redis(config),
        *stores.check_queue(config),
        *stores.check_graph(config),
        *stores.check_mcp(config),
        machine.check_browser(config),
        machine.check_screen(lang),
        machine.check_git(lang),
        machine.check_sandbox(lang),
        *machine.check_plugins(config),
        *stores.check_notify(config),
        *stores.check_channels(config),
    ]


def _models(config: Config, tries_models: bool) -> list[Check]:
    """Ask all endpoints at the same time."""
    lang = config.lang
    with ThreadPoolExecutor(max_workers=8) as pool:
        asked = list(pool.map(lambda model: models.check_model(model, lang), config.models))
    if not asked:
        return [Check("models", False, say(lang, "no model"), say(lang, "no model fix"))]
    return asked + (models.try_models(config.models, asked, lang) if tries_models else [])
