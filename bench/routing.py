"""Score routing: requests in other words over twelve taught SOPs, and near misses that none covers,
by `sops search`."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.lesson import sopwith
from bench.places import Figure
from tests.routing_cases import ASKED, NEAR, OBLIQUE, SOPS, sops

AT_ONCE = 2


def score(data: Path) -> list[Figure]:
    """Return requests that are done or shown, and near misses that are done, beside the most shared
    words."""
    with tempfile.TemporaryDirectory(prefix="sopwith-figures-") as name:
        home = Path(name) / "o" / "home"
        (home / "w").mkdir(parents=True)
        sops(home / ".sopwith" / "sops")
        texts = [text for text, _, _ in ASKED] + list(NEAR) + [text for text, _ in OBLIQUE]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(lambda text: _searched(home, text), texts))
    found: Counter[str] = Counter()
    for (_, meant, values), answer in zip(ASKED, answers, strict=False):
        found[_verdict(answer, meant, values)] += 1
    taken = sum(_is_done(answer) for answer in answers[len(ASKED) : -len(OBLIQUE)])
    listed = sum(
        name in [each["name"] for each in answer["candidates"]]
        for (_, name), answer in zip(OBLIQUE, answers[-len(OBLIQUE) :], strict=True)
    )
    shared = sum(_nearest(text) == name for text, name in OBLIQUE)
    nearest = sum(_nearest(text) == meant for text, meant, _ in ASKED)
    return [
        Figure("routing, done", found["done"], of=len(ASKED), baseline=nearest),
        Figure("routing, first of those shown", found["shown"], of=len(ASKED)),
        Figure("routing, wrong", found["wrong"], of=len(ASKED), baseline=len(ASKED) - nearest),
        Figure("routing, oblique, in the shortlist", listed, of=len(OBLIQUE), baseline=shared),
        Figure("routing, near misses done", taken, of=len(NEAR), baseline=len(NEAR)),
    ]


def _searched(home: Path, text: str) -> dict[str, Any]:
    done = sopwith(home, "sops", "search", "--json", text, cwd=home / "w")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _verdict(answer: dict[str, Any], name: str, values: dict[str, Any]) -> str:
    first: dict[str, Any] = next(iter(answer["candidates"]), {})
    is_name = first.get("name") == name
    if answer["decision"] != "rote":
        return "shown" if is_name else "missed"
    given = first.get("parameters") or {}
    is_right = is_name and all(_last(given.get(key)) == _last(values[key]) for key in values)
    return "done" if is_right else "wrong"


def _is_done(answer: dict[str, Any]) -> bool:
    """Return True when one of the twelve would be done; a seed that covers the request may be."""
    return answer["decision"] == "rote" and answer["candidates"][0]["name"] in SOPS


def _last(value: object) -> str:
    """Return the name of a path, or the value as text: the cases lie in other folders."""
    return str(value).rstrip("/").rpartition("/")[2]


def _nearest(text: str) -> str:
    """Return the SOP whose wordings share the most words."""
    words = set(text.lower().split())
    return max(SOPS, key=lambda name: max(len(words & set(each.split())) for each in SOPS[name][3]))
