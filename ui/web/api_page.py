"""The routes as a page for people, made of what machines read (openapi.json): no script, no address elsewhere."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from typing import Any

from ui.words import language, say

VERBS = {"get": "read", "post": "change", "delete": "change"}


def api_page(schema: dict[str, Any], address: str) -> str:
    """The whole page; `address`: of this server, for the examples."""
    groups: dict[str, list[str]] = {}
    for path, verbs in schema["paths"].items():
        for verb, about in verbs.items():
            groups.setdefault(about.get("tags", ["-"])[0], []).append(
                _row(schema, path, verb, about)
            )
    names = "".join(f'<a href="#{html.escape(name)}">{html.escape(name)}</a>' for name in groups)
    title = html.escape(say("api.title"))
    return (
        f'<!doctype html><html lang="{"zh-CN" if language() == "zh" else "en"}"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        '<link rel="icon" href="/assets/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/assets/css/api.css"></head>'
        f"<body><header><h1>{title}</h1><p>{html.escape(say('api.why'))} "
        f'<a href="/api/openapi.json">openapi.json</a> · <a href="/access">{html.escape(say("api.tokens"))}</a></p>'
        f"{''.join(_examples(address))}<nav>{names}</nav></header><main>{''.join(_group(*each) for each in groups.items())}</main></body></html>"
    )


def _examples(address: str) -> Iterator[str]:
    shown = f'curl -H "Authorization: Bearer $TOKEN" "{address}/api/runs?limit=5"'
    task = json.dumps({"text": say("api.example")}, ensure_ascii=False)
    told = (
        f'curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -H "X-Sopwith: 1" \\\n'
        f"  -d '{task}' \"{address}/api/chat\""
    )
    yield from (
        f'<pre tabindex="0"><code>{html.escape(each)}</code></pre>' for each in (shown, told)
    )


def _group(name: str, rows: list[str]) -> str:
    heads = "".join(
        f"<th>{html.escape(say(f'api.{each}'))}</th>" for each in ("route", "parameters", "body")
    )
    return (
        f'<section id="{html.escape(name)}"><h2>{html.escape(name)}</h2><div class="framed" tabindex="0"><table><thead><tr>{heads}</tr>'
        f"</thead><tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _row(schema: dict[str, Any], path: str, verb: str, about: dict[str, Any]) -> str:
    asked = [each["name"] for each in about.get("parameters", ()) if each["in"] == "query"]
    body = (
        about.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("schema", {})
    )
    body = next(iter(body.get("anyOf", ())), body)
    shape = (
        schema.get("components", {})
        .get("schemas", {})
        .get(body.get("$ref", "").rpartition("/")[2], {})
    )
    needed = shape.get("required", ())
    fields = [f"{name}{'' if name in needed else '?'}" for name in shape.get("properties", ())]
    cells = (
        f'<b class="{VERBS.get(verb, "read")}">{verb.upper()}</b> <code>{html.escape(path)}</code>',
        " ".join(f"<code>{html.escape(name)}</code>" for name in asked),
        " ".join(f"<code>{html.escape(name)}</code>" for name in fields),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
