"""Judge calls of the browser's tools: the address that is opened, what is pressed and typed, what is handed out.

To open an address is to send it. What a reference is (a button "Pay now", a link) was noted when the page was shown; its
words are read as a tool's name is: searching passes, an effect passes when the request asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from safety.fetches import is_local
from safety.findings import Finding, Risk
from safety.foreign_tools import PUBLIC
from safety.page_scripts import PageScript, read
from safety.paths import Places
from safety.targets import Named, Target, host_of, of_call
from safety.tool_words import Effect, Words, asks_for, read_name

_RISKS: dict[Effect, tuple[Risk, str]] = {
    "send": ("send", "sends something to others"),
    "delete": ("delete", "deletes something"),
    "spend": ("spend", "spends money"),
    "system": ("system", "changes rights, accounts or programs"),
}
_EFFECTS: tuple[Effect, ...] = ("send", "change", "delete", "spend", "system")
# Words on buttons that no tool is named by.
_MORE: tuple[tuple[Effect, re.Pattern[str]], ...] = (
    ("spend", re.compile(r"(?i)\b(buy|pay|place (?:your |my |the )?order|order now|checkout|check out|purchase|donate|bid|subscribe|confirm (?:and|&) pay)\b|付款|支付|购买|立即下单|提交订单|下单|充值|打赏|捐|结算|订阅")),
    ("delete", re.compile(r"(?i)\b(delete|remove|erase|discard|deactivate|close (?:my )?account|cancel (?:my )?(?:subscription|order|booking|account|membership|plan))\b|删除|注销|清空|移除|退订|取消订单|取消订阅")),
    ("send", re.compile(r"(?i)\b(send|submit|post|publish|reply|tweet|share|comment|message|invite|apply now|sign up|register|create account|book|reserve|confirm)\b|发送|提交|发布|发表|回复|评论|分享|转发|邀请|注册|预订|预约|报名|确认")),
    ("system", re.compile(r"(?i)\b(authori[sz]e|grant|allow access|change password|reset password|enable|disable|install|make (?:public|admin)|transfer ownership)\b|授权|允许访问|修改密码|重置密码|安装|启用|停用")),
)  # fmt: skip


# Presses that the owner is told about are no effect on others; a cart is a thing.
_TO_THE_OWNER = re.compile(
    r"(?i)\b(?:tell|show|give|let|send|write|get|inform|read|list|answer) (?:me|us)\b(?: know)?|告诉我|给我看看?|让我知道|发给我|购物车|订单号|订单状态"
)


def look(
    tool: str,
    args: Mapping[str, Any],
    about: Mapping[str, Any],
    named: Named,
    places: Places,
    *,
    is_tainted: bool,
) -> Iterator[Finding]:
    """The findings. `about`: `url` of the page that the tab shows, `refs`: what the references in the call were."""
    page = str(about.get("url", ""))
    named = Named(_TO_THE_OWNER.sub(" ", named.request), named.own)
    refs: Mapping[str, Mapping[str, Any]] = about.get("refs", {})
    if url := args.get("url"):
        yield from _opened(tool, [str(url)], page, {}, named, places, is_tainted)
    if isinstance(script := args.get("script"), str) and script.strip():
        found = read(script)
        yield from _opened(tool, found.urls, page, refs, named, places, is_tainted)
        yield from _pressed(tool, found, refs, page, named, places, is_tainted)
        yield from _handed_out(tool, found, named, places, is_tainted=is_tainted)
        yield from _unseen(tool, found, named, is_tainted)
    if args.get("dialog") not in (None, "", "dismiss") and not script:
        yield from _confirmed(tool, named)


def _opened(
    tool: str,
    urls: list[str],
    page: str,
    refs: Mapping[str, Mapping[str, Any]],
    named: Named,
    places: Places,
    is_tainted: bool,
) -> Iterator[Finding]:
    """Addresses that the request does not name."""
    shown = {str(each.get("href")) for each in refs.values()}
    for url in urls[:30]:
        full = (
            url.strip()
            if re.match(r"(?i)[a-z][a-z0-9+.-]*:", url.strip())
            else "https:" + url
            if url.startswith("//")
            else f"https://{url.strip()}"
        )
        if full.lower().startswith(("about:", "data:", "blob:")):
            continue
        if full.lower().startswith(("file:", "view-source:file:")):
            yield from _file(full, places)
            continue
        full = full.removeprefix("view-source:")
        host, is_cut = host_of(full), full.endswith("…")
        if is_local(full) or (host in PUBLIC and "?" not in full and not is_cut):
            continue
        if (
            host
            and host == host_of(page)
            and ("?" not in full or not is_tainted or full in shown)
            and not (is_cut and is_tainted and "?" in full)
        ):
            continue  # a page of the site that is open
        if not named.has_url(full, strict=is_tainted):
            yield Finding(
                "send", f"{tool} opens {full[:200]}, which the request does not name", "target"
            )


def _file(url: str, places: Places) -> Iterator[Finding]:
    path = Path(unquote(urlsplit(url.removeprefix("view-source:")).path) or "/")
    if places.is_secret(path):
        yield Finding("secret", f"{path} holds keys or passwords")


def _pressed(
    tool: str,
    found: PageScript,
    refs: Mapping[str, Mapping[str, Any]],
    page: str,
    named: Named,
    places: Places,
    is_tainted: bool,
) -> Iterator[Finding]:
    for ref in found.presses:
        about = refs.get(ref)
        if about is None and not re.fullmatch(
            r"e\d+", ref
        ):  # what is dragged may be called by its text
            yield from _of_label(tool, {"name": ref}, named)
            continue
        if about is None:
            if re.fullmatch(r"e\d+", ref) and is_tainted:
                yield Finding(
                    "unknown", f"{tool} presses {ref}, which no page has shown: web_scan first"
                )
            continue
        if about.get("role") == "file":
            continue  # what is uploaded is looked at below
        if (href := str(about.get("href", ""))) and not href.startswith(
            ("javascript:", "#", "mailto:", "tel:")
        ):
            yield from _opened(tool, [href], page, refs, named, places, is_tainted)
        yield from _of_label(tool, about, named)
    if found.drags and not _asks_for_any(named.request):
        yield Finding(
            "change",
            f"{tool} drags something on the page, and the request does not ask for anything to be done",
        )
    posts = [each for each in found.typed if each.enters or found.enters]
    if any(refs.get(each.ref, {}).get("form") == "post" for each in posts) and not _asks_for_any(
        named.request
    ):
        yield Finding("send", f"{tool} sends a form, and the request does not ask for that")
    if found.enters and not found.typed and not found.presses and is_tainted:
        yield Finding("unknown", f"{tool} presses Enter without saying where")


def _of_label(tool: str, about: Mapping[str, Any], named: Named) -> Iterator[Finding]:
    """Yield what the words on a button or link say that it does."""
    label, is_link = str(about.get("name", ""))[:140], about.get("role") == "link"
    effect = next((effect for effect, words in _MORE if words.search(label)), None)
    if (
        is_link and effect == "send"
    ):  # "Contact", "Comments", "Share": they lead somewhere, where there is another button
        effect = None
    if about.get("role") in (
        "textbox",
        "searchbox",
        "checkbox",
        "radio",
        "combobox",
        "tab",
        "option",
        "slider",
    ):
        effect = None
    if not effect and about.get("submits") not in (None, "get"):
        if not _asks_for_any(named.request):
            yield Finding(
                "send",
                f"{tool} presses “{label}”, which sends a form, and the request does not ask for that",
            )
        return
    if not effect:
        return
    risk, does = _RISKS[effect]
    said = read_name(re.sub(r"\W+", "_", label))
    call = Words(said.effect if said.effect in _RISKS else effect, said.verbs, said.things)
    if not (
        named.request.strip()
        and (asks_for(named.request, call) or asks_for(named.request, call._replace(effect=effect)))
    ):
        yield Finding(
            risk, f"{tool} presses “{label}”, which {does}, and the request does not ask for that"
        )


def _handed_out(
    tool: str, found: PageScript, named: Named, places: Places, *, is_tainted: bool
) -> Iterator[Finding]:
    """Yield what is typed, uploaded or sent."""
    for each in found.typed:
        if each.text:
            targets = [
                target
                for target in of_call({"message": each.text}, effect="send")
                if target.kind in ("address", "account", "phone", "url")
            ]
            for target in named.unknown(targets, strict=True)[:5]:
                yield Finding(
                    "send",
                    f"{tool} types {target.value[:120]}, which the request does not name",
                    "target",
                )
    for path in found.uploads:
        if path is None:
            yield Finding("unknown", f"{tool} uploads a file that is not written out in the script")
            continue
        yield from _uploaded(tool, path, named, places)
    if found.sends and (is_tainted or not _asks_for_any(named.request)):
        yield Finding(
            "send", f"{tool} sends {', '.join(dict.fromkeys(found.sends))} requests by itself"
        )


def _uploaded(tool: str, path: str, named: Named, places: Places) -> Iterator[Finding]:
    place = (
        Path(path).expanduser() if not path.startswith("~") or path.startswith("~/") else Path(path)
    )
    if places.is_secret(place):
        yield Finding("secret", f"{path} holds keys or passwords")
    name = Target("file", place.name)
    asked = asks_for(
        named.request, Words("send", frozenset({"upload", "attach", "import"}), frozenset())
    )
    if not asked or (
        named.unknown([name], strict=True)
        and named.unknown([Target("file", str(place.parent.name or place))], strict=True)
    ):
        yield Finding(
            "send", f"{tool} uploads {path}, which the request does not ask for by name", "target"
        )


def _unseen(tool: str, found: PageScript, named: Named, is_tainted: bool) -> Iterator[Finding]:
    if found.private:
        yield Finding(
            "secret",
            f"{tool} reads {', '.join(dict.fromkeys(found.private))} of the page, which hold logins",
        )
    if found.hidden and is_tainted:
        yield Finding(
            "send", f"{tool} asks an address that is not written out in the script", "target"
        )
    if found.blind and (is_tainted or not _asks_for_any(named.request)):
        yield Finding("unknown", f"{tool} {found.blind[0]}: click(reference) shows what is pressed")


def _confirmed(tool: str, named: Named) -> Iterator[Finding]:
    """A dialog that asks "are you sure?" was opened by something that had passed."""
    if not _asks_for_any(named.request):
        yield Finding(
            "change",
            f"{tool} says yes to a dialog of the page, and the request does not ask for anything to be done",
        )


def _asks_for_any(request: str) -> bool:
    """Return True if the request asks for anything but looking."""
    return any(asks_for(request, Words(effect, frozenset(), frozenset())) for effect in _EFFECTS)
