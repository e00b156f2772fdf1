"""Check that the configured models can serve: by their endpoint's list, and by one tool call. No key is shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from config import Lang, ModelConfig
from runs.doctor.check import Check, say

ASK_SECONDS = 3.0
TRY_SECONDS = (
    60.0  # for a tool call and its answer; a model on this machine may have to be loaded first
)
NEEDED = ("asked", "call", "answer")  # of what is tried: without these no task is done


def check_model(model: ModelConfig, lang: Lang) -> Check:
    """Say whether an endpoint answers, takes the key and knows the model."""
    name = f"model {model.name}"
    if model.kind == "scripted":
        return _check_script(name, model, lang)
    if not _is_plain(model.api_key):
        return Check(name, False, say(lang, "odd key"), say(lang, "key fix"))
    from models.endpoint import Endpoint, read_listing

    endpoint = Endpoint(model, ASK_SECONDS, ASK_SECONDS, ASK_SECONDS)
    found, url = read_listing(endpoint), endpoint.shown_url
    status = found.status
    if status in (401, 403):
        problem = "wrong key" if model.api_key else "no key"
        return Check(name, False, say(lang, problem, url=url, status=status), say(lang, "key fix"))
    if status == 0 or (status >= 500 and status != 501):
        detail = say(lang, "unreachable", url=url, why=str(status or found.problem))
        return Check(name, False, detail, say(lang, "unreachable fix", url=url))
    if not found.names:
        return Check(name, None, say(lang, "no listing", url=url, status=status))
    return _in_listing(model, lang, url, found.names)


def try_models(models: Sequence[ModelConfig], found: Sequence[Check], lang: Lang) -> list[Check]:
    """Ask each model that may serve for one tool call, and send its result back."""
    able = [m for m, check in zip(models, found, strict=True) if check.ok is not False]
    return [_tried(model, lang) for model in able if model.kind != "scripted"]


def _tried(model: ModelConfig, lang: Lang) -> Check:
    from models.endpoint import try_model

    name = f"call {model.name}"
    for finding in try_model(model, TRY_SECONDS):
        if finding.what in NEEDED and not finding.ok:
            detail = say(lang, "not tried", why=finding.detail.partition("\n")[0] or finding.what)
            return Check(name, False, detail, f"sopwith models test {model.name}")
        if finding.what == NEEDED[-1]:
            break
    return Check(name, True, say(lang, "tried"))


def _is_plain(key: str) -> bool:
    return key.isascii() and key.isprintable()


def _check_script(name: str, model: ModelConfig, lang: Lang) -> Check:
    is_there = Path(model.model).expanduser().is_file()
    key = "script" if is_there else "no script"
    return Check(name, is_there, say(lang, key, file=model.model))


def _in_listing(model: ModelConfig, lang: Lang, url: str, names: Sequence[str]) -> Check:
    name = f"model {model.name}"
    if model.model in names:
        return Check(name, True, say(lang, "model", url=url, model=model.model))
    detail = say(lang, "unlisted", url=url, model=model.model, some=", ".join(names[:5]))
    return Check(name, None, detail, say(lang, "unlisted fix"))
