"""Check that the configured models can serve: by their endpoint's list, and by one tool call. No key is shown."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from config import Config, Lang, ModelConfig
from runs.doctor.check import Check, found
from text.sentences import say

TRY_SECONDS = 60.0  # for a tool call and its answer; a local model may have to be loaded first
NEEDED = ("asked", "call", "answer")  # of what is tried: without these no task is done


def check_models(config: Config, *, tries_models: bool) -> list[Check]:
    """Ask all endpoints at the same time; then each that may serve for one tool call, where that is wanted."""
    lang, models = config.lang, config.models
    if not models:
        return [found(lang, "models", False, "no-model", say(lang, "doctor.no-model-fix"))]
    with ThreadPoolExecutor(max_workers=8) as pool:
        asked = list(pool.map(lambda model: _listed(model, lang), models))
    if not tries_models:
        return asked
    able = [m for m, check in zip(models, asked, strict=True) if check.ok is not False]
    return asked + [_tried(model, lang) for model in able if model.kind != "scripted"]


def _listed(model: ModelConfig, lang: Lang) -> Check:
    """Say if an endpoint answers, takes the key and knows the model."""
    name = f"model {model.name}"
    if model.kind == "scripted":
        is_there = Path(model.model).expanduser().is_file()
        return found(lang, name, is_there, "script" if is_there else "no-script", file=model.model)
    if not (model.api_key.isascii() and model.api_key.isprintable()):
        return found(lang, name, False, "odd-key", say(lang, "doctor.key-fix"))
    return _asked(model, lang)


def _asked(model: ModelConfig, lang: Lang) -> Check:
    from models.endpoint import Endpoint, read_listing

    name = f"model {model.name}"
    with closing(Endpoint(model)) as endpoint:
        answer, url = read_listing(endpoint), endpoint.shown_url
    status = answer.status
    if status in (401, 403):
        problem, fix = "wrong-key" if model.api_key else "no-key", say(lang, "doctor.key-fix")
        return found(lang, name, False, problem, fix, url=url, status=status)
    if status == 0 or (status >= 500 and status != 501):
        fix, why = f"curl -sS {url}/models", status or answer.problem
        return found(lang, name, False, "unreachable", fix, url=url, why=why)
    if not answer.names:
        return found(lang, name, None, "no-listing", url=url, status=status)
    if model.model in answer.names:
        return found(lang, name, True, "model", url=url, model=model.model)
    fix, some = say(lang, "doctor.unlisted-fix"), ", ".join(answer.names[:5])
    return found(lang, name, None, "unlisted", fix, url=url, model=model.model, some=some)


def _tried(model: ModelConfig, lang: Lang) -> Check:
    """Ask a model for one tool call, and send its result back."""
    from models.endpoint import try_model

    name = f"call {model.name}"
    for finding in try_model(model, TRY_SECONDS):
        if finding.what in NEEDED and not finding.ok:
            fix = f"sopwith models test {model.name}"
            why = finding.detail.partition("\n")[0] or finding.what
            return found(lang, name, False, "not-tried", fix, why=why)
        if finding.what == NEEDED[-1]:
            break
    return found(lang, name, True, "tried")
