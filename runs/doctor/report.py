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
    libraries = machine.check_libraries(lang)
    here = [
        machine.check_python(),
        libraries,
        machine.check_home(config),
        machine.check_disk(config),
        *stores.check_runs(config),
        *stores.check_schedules(config),
        *machine.check_privacy(config),
    ]
    around = [*machine.check_programs(lang), machine.check_terminal(lang)]
    if not libraries.ok:  # what follows needs them
        return [*here, *around]
    with ThreadPoolExecutor(max_workers=8) as pool:
        asked = list(pool.map(lambda model: models.check_model(model, lang), config.models))
    answers = [*asked] or [Check("models", False, say(lang, "no model"), say(lang, "no model fix"))]
    if tries_models:
        answers += models.try_models(config.models, asked, lang)
    prices = [check for model in config.models for check in models.check_price(model, lang)]
    return [
        *here,
        *answers,
        *prices,
        stores.check_sops(config),
        *stores.check_memory(config),
        *stores.check_redis(config),
        *stores.check_queue(config),
        *stores.check_graph(config),
        *stores.check_mcp(config),
        machine.check_browser(config),
        machine.check_screen(lang),
        machine.check_shells(lang),
        *around,
        *machine.check_desktop(config),
        *machine.check_trash(config),
        *machine.check_plugins(config),
        *stores.check_notify(config),
        *stores.check_channels(config),
    ]
