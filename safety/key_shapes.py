"""Recognise keys that show whose they are: `sk-…`, `ghp_…`, PEM blocks, JWT, webhooks, passwords in URLs.

No rule goes by randomness: it would hide hashes and lock files. Patterns are compiled when a text may hold such a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

_W = "[A-Za-z0-9_-]"
# By how they begin, at the start of a word. {W}: a letter, digit, _ or -.
_BEGIN = (
    r"sk-{W}{16,}",  # OpenAI, Anthropic, DeepSeek, Moonshot, OpenRouter
    r"pk-lf-{W}{16,}",  # Langfuse
    r"sk_(?:live|test|prod)_[A-Za-z0-9]{16,}",  # Stripe and those who copied it
    r"rk_(?:live|test)_[A-Za-z0-9]{16,}",
    r"whsec_[A-Za-z0-9+/=]{24,}",
    r"gsk_[A-Za-z0-9]{40,}",  # Groq
    r"xai-[A-Za-z0-9]{40,}",
    r"pplx-[A-Za-z0-9]{32,}",
    r"r8_[A-Za-z0-9]{36,}",  # Replicate
    r"nvapi-{W}{40,}",
    r"tvly-{W}{20,}",  # Tavily
    r"lsv2_(?:pt|sk)_[a-z0-9]{32}_[a-z0-9]{10}",  # LangSmith
    r"fw_[A-Za-z0-9]{22,}(?![\w-])",  # Fireworks
    r"gh[pousr]_[A-Za-z0-9]{30,}",  # GitHub
    r"github_pat_[A-Za-z0-9_]{22,}",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-{W}{16,}(?:\.[\w.]{2,24})?",  # GitLab
    r"ATBB[A-Za-z0-9]{28,}",  # Atlassian
    r"ATATT3[A-Za-z0-9_=-]{50,}",
    r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS
    r"ASIA[A-Z0-9]{16}(?![A-Za-z0-9])",
    r"ABSK[A-Za-z0-9+/]{60,}={0,2}",
    r"LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])",  # Alibaba
    r"AKID[A-Za-z0-9]{13,36}(?![A-Za-z0-9])",  # Tencent
    r"AKLT{W}{20,}",  # Volcengine
    r"AIza{W}{35}",  # Google
    r"ya29\.{W}{20,}",
    r"GOCSPX-{W}{20,}",
    r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}",  # Slack
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"eyJ{W}{8,}\.(?:eyJ)?{W}{8,}(?:\.{W}*)*",  # JWT, JWE
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-{W}{50,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"do[oprt]_v1_[a-f0-9]{60,}",  # DigitalOcean
    r"SG\.{W}{16,}\.{W}{16,}",  # SendGrid
    r"key-[a-f0-9]{32}(?![\w-])",  # Mailgun
    r"xkeysib-[a-f0-9]{60,}-[A-Za-z0-9]{10,}",  # Brevo
    r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}",  # Shopify
    r"sq0(?:atp|csp|idb)-{W}{22,}",  # Square
    r"EAAA[A-Za-z0-9+=_-]{56,}",
    r"EAAC[A-Za-z0-9]{60,}",
    r"HRKU-{W}{36,}",  # Heroku
    r"dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])",  # Databricks
    r"hv[sbr]\.{W}{20,}",  # Vault
    r"s\.[A-Za-z0-9]{24}(?![\w.])",  # older Vault
    r"AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    r"AC[a-f0-9]{32}(?!\w)",  # Twilio
    r"SK[a-f0-9]{32}(?!\w)",
    r"mfa\.{W}{60,}",  # Discord
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}",  # Doppler
    r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",  # Postman
    r"NRAK-[A-Z0-9]{27}",  # New Relic
    r"glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}",  # Grafana
    r"glc_[A-Za-z0-9+/]{32,}={0,2}",
    r"sntry[su]_[A-Za-z0-9+/=_-]{40,}",  # Sentry
    r"ph[cx]_[A-Za-z0-9]{32,}",  # PostHog
    r"figd_{W}{38,}",
    r"lin_api_[A-Za-z0-9]{38,}",
    r"ntn_[A-Za-z0-9]{40,}",  # Notion
    r"secret_[A-Za-z0-9]{43}(?!\w)",
    r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",  # Airtable
    r"dckr_[op]at_{W}{20,}",
    r"tskey-[a-z]+-[A-Za-z0-9-]{16,}",  # Tailscale
    r"rubygems_[a-f0-9]{40,}",
    r"cio[A-Za-z0-9]{32}(?!\w)",
    r"pul-[a-f0-9]{40}",  # Pulumi
    r"sbp_[a-f0-9]{40}",  # Supabase
    r"sb_secret_{W}{20,}",
    r"CFPAT-{W}{40,}",  # Contentful
    r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}",  # Cloudflare
    r"AKCp[A-Za-z0-9]{60,}",  # Artifactory
)
_DISCORD = r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,40}"
# A text that must occur somewhere in the key or before it, and the pattern. Of many lines:
_BLOCKS = (
    (
        "-----BEGIN",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*-----|\Z)",
    ),
    (
        "---- BEGIN SSH2",
        r"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----[\s\S]*?(?:---- END [A-Z0-9 ]*----|\Z)",
    ),
    ("PuTTY-User-Key-File", r"(?<=PuTTY-User-Key-File)[\s\S]*?(?:Private-MAC:[^\n]*|\Z)"),
    (
        "b3BlbnNzaC1rZXktdjE",
        r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=\s]{60,}",
    ),  # an OpenSSH key whose first line is lost
)
# Within a line.
_WITHIN = (
    ("1//0", r"(?<![\w/])1//0{W}{30,}"),
    ("8Q~", r"[A-Za-z0-9_.~-]{3}8Q~[A-Za-z0-9_.~-]{31,34}"),  # Azure client secret
    ("hooks.slack.com", r"(?<=hooks\.slack\.com/)(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("/api/webhooks/", r"(?<=/api/webhooks/)\d{16,20}/{W}{40,}"),
    ("webhook.office.com", r"(?<=webhook\.office\.com/)[\w@/-]{60,}"),
    ("/open-apis/bot/", r"(?<=/open-apis/bot/)v2/hook/[A-Za-z0-9-]{20,}"),  # Feishu
    ("qyapi.weixin", r"(?<=qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=)[A-Za-z0-9-]{20,}"),
    ("api_org_", r"api_org_[A-Za-z0-9]{30,}"),
    ("-us", r"[a-f0-9]{32}-us[0-9]{1,2}(?!\w)"),  # Mailchimp
    ("access_token$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    (".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.{W}{60,}"),
    (":AA", r"(?<!\d)\d{8,10}:AA{W}{33}(?![\w-])"),  # Telegram
    (":APA91", r"AAAA{W}{7}:APA91{W}{120,}"),
    ("FlyV1", r"FlyV1 fm\d_[A-Za-z0-9+/=,_-]{60,}"),
    (
        "://",
        r"(?<=://)([^\s/:@'\"<>{}$]{0,80}:)(?!\d+/|\*+@|[xX]+@|(?:pass(?:word)?|pwd|secret)@)[^\s@'\"<>{}$]{3,200}(?=@[\w.-])",
    ),
)
_SHORTEST = 16  # characters of a word in which a key may begin
_WORD = r"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]{14,}"


def hide_keys(text: str, label: str) -> str:
    """The text with every such key replaced by `label`; of a password in a URL the user's name stays."""
    if len(text) < _SHORTEST:
        return text
    for marker, pattern in _BLOCKS:
        if marker in text:
            text = _compiled(pattern).sub(label, text)
    for marker, pattern in _WITHIN:
        if marker in text:
            text = replaced(
                text,
                marker,
                _compiled(pattern),
                lambda found: (found[1] if found.lastindex else "") + label,
            )
    return _hide_words(text, label)


def replaced(
    text: str, marker: str, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]
) -> str:
    """`pattern.sub(replace, text)`, on the lines that hold `marker` alone: a search for it is quicker than the pattern."""
    parts, at = [], 0
    found = text.find(marker)
    while found >= 0:
        start, end = text.rfind("\n", at, found) + 1 or at, text.find("\n", found)
        end = len(text) if end < 0 else end
        parts += [text[at:start], pattern.sub(replace, text[start:end])]
        at = end
        found = text.find(marker, end)
    return "".join(parts) + text[at:] if parts else text


def _hide_words(text: str, label: str) -> str:
    begins = _begins()
    parts, at = [], 0
    for word in _compiled(_WORD).finditer(text):
        for start in _starts(word[0], word.start()):
            patterns = begins.get(text[start : start + 2]) or begins.get(text[start : start + 1])
            if patterns and start >= at:
                found = next(
                    filter(None, (_compiled(pattern).match(text, start) for pattern in patterns)),
                    None,
                )
                if found:
                    parts += [text[at:start], label]
                    at = found.end()
    return "".join(parts) + text[at:] if parts else text


def _starts(word: str, at: int) -> Iterator[int]:
    """Where in a word a key may begin: in front, and behind each dash or dot ("backup-ghp_…")."""
    begin = len(word) - len(word.lstrip("_.-"))
    while 0 <= begin < len(word):
        yield at + begin
        dash, dot = word.find("-", begin), word.find(".", begin)
        begin = (min(dash, dot) if dash >= 0 and dot >= 0 else max(dash, dot)) + 1 or len(word)


@cache
def _begins() -> dict[str, list[str]]:
    """The patterns by their first two letters."""
    found: dict[str, list[str]] = {letter: [_DISCORD] for letter in "MNO"}
    for pattern in _BEGIN:
        found.setdefault(pattern.replace("\\", "")[:2], []).append(pattern)
    return found


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("{W}", _W))
