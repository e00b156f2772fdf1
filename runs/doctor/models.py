"""Whether the configured models can serve. What leaves the machine is a GET of `models` at each endpoint; no key is shown."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from config import Lang, ModelConfig
from runs.doctor.check import Check, say

ASK_SECONDS = 3.0
MAX_LISTING_BYTES = 4_000_000


def check_model(model: ModelConfig, lang: Lang) -> Check:
    """Whether an endpoint answers, takes the key and knows the model."""
    name = f"model {model.name}"
    if model.kind == "scripted":
        is_there = Path(model.model).expanduser().is_file()
        return Check(
            name, is_there, say(lang, "script" if is_there else "no script", file=model.model)
        )
    if not (model.api_key.isascii() and model.api_key.isprintable()):
        return Check(name, False, say(lang, "odd key"), say(lang, "key fix"))
    from models.endpoint import Endpoint

    url = Endpoint(model, ASK_SECONDS, ASK_SECONDS, ASK_SECONDS).shown_url
    status, found = ask_models(model)
    if status in (401, 403):
        problem = "wrong key" if model.api_key else "no key"
        return Check(name, False, say(lang, problem, url=url, status=status), say(lang, "key fix"))
    if status is None or (status >= 500 and status != 501):
        why = found[0] if found else str(status)
        return Check(
            name,
            False,
            say(lang, "unreachable", url=url, why=why),
            say(lang, "unreachable fix", url=url),
        )
    if not found:
        return Check(name, None, say(lang, "no listing", url=url, status=status))
    if model.model not in found:
        some = ", ".join(found[:5])
        return Check(
            name,
            None,
            say(lang, "unlisted", url=url, model=model.model, some=some),
            say(lang, "unlisted fix"),
        )
    return Check(name, True, say(lang, "model", url=url, model=model.model))


def ask_models(model: ModelConfig) -> tuple[int | None, list[str]]:
    """GET `models`: the status with the names that it lists, or None with one line that says why there is no answer."""
    import requests

    from models.endpoint import Endpoint, is_local

    endpoint = Endpoint(model, ASK_SECONDS, ASK_SECONDS, ASK_SECONDS)
    url = f"{endpoint.base_url.rstrip('/')}/models"

    def sign(request: requests.PreparedRequest) -> requests.PreparedRequest:
        # As an `auth`, so that a .netrc does not take the place of the key.
        if model.api_key:
            request.headers["Authorization"] = f"Bearer {model.api_key}"
        return request

    with requests.Session() as session:
        session.trust_env = not is_local(
            endpoint.base_url
        )  # what is on this machine is behind no proxy
        try:
            with session.get(
                url, auth=sign, timeout=ASK_SECONDS, stream=True, allow_redirects=False
            ) as answer:
                return answer.status_code, _listed(answer) if answer.status_code == 200 else []
        except requests.exceptions.SSLError:
            return None, ["TLS: its certificate is not trusted"]
        except requests.Timeout:
            return None, [f"no answer within {ASK_SECONDS:g} s"]
        except requests.ConnectionError:
            return None, ["no connection"]
        except (requests.RequestException, ValueError) as error:
            return None, [type(error).__name__]


def _listed(answer: Any) -> list[str]:
    """The model names of a listing; none when it is something else, too large or too slow."""
    body, end = b"", time.monotonic() + ASK_SECONDS
    for piece in answer.iter_content(65_536):
        body += piece
        if len(body) > MAX_LISTING_BYTES or time.monotonic() > end:
            return []
    try:
        listing = json.loads(body)
    except (ValueError, RecursionError):
        return []
    entries = listing.get("data") if isinstance(listing, dict) else None
    names = (
        [entry.get("id") for entry in entries if isinstance(entry, dict)]
        if isinstance(entries, list)
        else []
    )
    return [name for name in names if isinstance(name, str)]


def check_price(model: ModelConfig, lang: Lang) -> list[Check]:
    """A hosted model without a price is counted as a dear one, so that the cost limit holds."""
    from models.endpoint import OPENAI_URL, is_local

    if model.kind != "openai" or model.price or is_local(model.base_url or OPENAI_URL):
        return []
    return [
        Check(
            f"price {model.name}",
            None,
            say(lang, "no price"),
            "price: {input: …, cached: …, output: …}",
        )
    ]
