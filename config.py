"""Read the settings: config.yaml in the home folder and the environment, checked; errors name file,
key and line.

A key of config.yaml is an annotated name of a class below; to add one, add the name. The environment
wins over the file. This is the lowest layer: it imports nothing of ours. Here stands the root of
the errors that are shown to the owner as one or two lines, without a traceback; `exit_code` is the
exit code of the command that they end:

    SopwithError          1  anything that the owner should read as a sentence; each layer adds its own below this one
    ├── ConfigError       2  the owner's: config.yaml or the environment says something that cannot be meant
    └── HomeError         1  the machine's: the home folder cannot be made or used (memory/home/folder.py)
        └── HomeTooNew    2  the owner's: this Sopwith is older than the home folder (memory/home/folder.py)
"""

from __future__ import annotations

import errno
import json
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeVar, Union

Lang = Literal["en", "zh"]
Confirmable = Literal["delete", "send", "install", "spend"]
VARIABLES = (
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "SOPWITH_MODEL",
)
DEFAULT_CLAUDE = "claude-sonnet-4-6"  # what ANTHROPIC_API_KEY alone means
DEFAULT_MODEL = "gpt-5.4"  # what OPENAI_API_KEY alone means, at the provider's own address
# keys of earlier versions
WITHOUT_EFFECT = {"inbox", "auto.allowed", "auto.idle_minutes", "safety.trash"}
Names = tuple[str, ...]
_REQUIRED = object()  # the default of a key that must be said
_Section = TypeVar("_Section", bound="Section")
_Item = TypeVar("_Item")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_Node = Any  # a yaml.Node; its published types know neither `id` nor `style`


class Message(str):
    """Hold a text for people: a key of assets/words with its values, and as a `str` its English,
    for logs and models. A text without a key is said as it is."""

    key: str
    values: dict[str, object]

    def __new__(cls, key: str = "", /, **values: object) -> Self:
        is_key = key.startswith("error.") and key in sentences("en")
        text = super().__new__(cls, _filled("en", key, values) if is_key else key)
        text.key, text.values = key if is_key else "", values
        return text

    def said(self, lang: Lang) -> str:
        """Return the text in a language."""
        return _filled(lang, self.key, self.values) if self.key else self

    def each(self, change: Callable[[str], str]) -> Message:
        """Return the same with its texts changed."""
        if not self.key:
            return Message(change(self))
        given = {name: _message(value) for name, value in self.values.items()}
        return Message(self.key, **{name: _changed(each, change) for name, each in given.items()})

    def __str__(self) -> str:
        return self

    @property
    def listed(self) -> list[Any]:
        """Return the key and its values for a log, in a list; an empty one where the text has no
        key."""
        values = {name: _logged(value) for name, value in self.values.items()}
        return [[self.key, values]] if self.key else []


def restored(text: str, said: Sequence[Any]) -> str:
    """Return a text from a log with its key and its values, as `listed` gave them; an older one
    stays as it is."""
    is_ours = len(said) == 1 and said[0][0] in sentences("en")
    return _restored(said[0]) if is_ours else text


def _restored(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    key, values = value
    return Message(key, **{name: _restored(each) for name, each in values.items()})


def lines(texts: Iterable[str], key: str = "error.lines") -> str:
    """Return texts below each other, or by `key` one behind the other; "" for none."""
    found = list(texts)
    first = found[0] if found else ""
    return reduce(lambda one, other: Message(key, one=one, other=other), found[1:], first)


def cause(error: OSError) -> str:
    """Return what the system says of an error, with its key where we have its words."""
    return str(_message(error))


def _changed(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, Message):
        return value.each(change)
    return change(value) if isinstance(value, str) else value


def _message(value: object) -> object:
    """Return a value as a message where it has words of ours: those of an error of the system stand
    under its number."""
    if isinstance(value, Worded):
        return value.message
    if isinstance(value, OSError) and value.strerror:
        number = value.errno or 0
        key = f"error.os.{errno.errorcode.get(number, number)}"
        return Message(key) if key in sentences("en") else value.strerror
    return value


def _filled(lang: Lang, key: str, values: Mapping[str, object]) -> str:
    given = {name: _message(value) for name, value in values.items()}
    said = {
        name: each.said(lang) if isinstance(each, Message) else each for name, each in given.items()
    }
    text: str = sentences(lang)[key]
    return text.format(**said)


def _logged(value: object) -> Any:
    """Return a value of a message as JSON; a message in it is a list of its key and values."""
    each = _message(value)
    return each.listed[0] if isinstance(each, Message) and each.key else str(each)


def listed(text: str) -> list[Any]:
    """Return the key and the values of a text for a log, in a list; an empty one where it has
    none."""
    return text.listed if isinstance(text, Message) else []


@cache
def sentences(lang: Lang) -> dict[str, Any]:
    """Return all texts for people in one language, by key."""
    file = Path(__file__).resolve().parent / "assets" / "words" / f"{lang}.json"
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


class Worded(Exception):
    """Hold a text for people: a key with values, said in the reader's language. `str` of it is its
    Message: English, for logs and models."""

    def __init__(self, key: str = "", /, **values: object) -> None:
        self.message = key if isinstance(key, Message) else Message(str(key), **values)
        super().__init__(self.message)

    def said(self, lang: Lang) -> str:
        """Return the text in a language."""
        return self.message.said(lang)

    def __str__(self) -> str:
        return self.message


class SopwithError(Worded):
    """Hold what the owner reads: what is wrong, what was tried, what would work."""

    exit_code = 1


class ConfigError(SopwithError):
    """A setting that cannot be meant. The text names file, key and line, or the variable."""

    exit_code = 2


class Key(NamedTuple):
    """Say what holds for a key beside its type: `bounds` are those of `_Reader.check`; `like`, the
    key whose value it takes when it is left out."""

    default: Any
    is_secret: bool
    bounds: Mapping[str, Any]


def key(*, default: Any = _REQUIRED, is_secret: bool = False, **bounds: Any) -> Any:
    """Return the default of an annotated name, with what must hold for its value."""
    return Key(default, is_secret, bounds)


@typing.dataclass_transform(frozen_default=True, field_specifiers=(key,))
class Section:
    """Hold the values of a mapping in config.yaml; its keys are the annotated names of the class.

    A dataclass does the same, and takes a start 10 ms for all of them.
    """

    def __init__(self, *values: Any, **named: Any) -> None:
        keys = self.keys()
        defaults = {name: each.default for name, each in keys.items()}
        vars(self).update(defaults, **dict(zip(keys, values, strict=False)), **named)

    @classmethod
    def keys(cls) -> dict[str, Key]:
        """Return the keys by name, those of the class above first."""
        above = (vars(kind).get("__annotations__", ()) for kind in reversed(cls.__mro__))
        said = {name: getattr(cls, name, _REQUIRED) for names in above for name in names}
        return {
            name: each if isinstance(each, Key) else Key(each, False, {})
            for name, each in said.items()
        }

    def but(self, **changes: Any) -> Self:
        """Return the same with other values of some keys."""
        return type(self)(**{**vars(self), **changes})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self) -> str:
        shown = [name for name, each in self.keys().items() if not each.is_secret]
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__name__}({values})"


class Price(Section):
    """USD per million tokens. `cached` is for the part of the input that the endpoint had in its
    cache."""

    input: float = key(least=0)
    cached: float = key(least=0, like="input")
    output: float = key(least=0)


class ModelConfig(Section):
    """One entry of `models`. Of kind `scripted`, `model` is the path of a file of replies
    (models/scripted.py)."""

    name: str = key(like="model")
    model: str
    kind: Literal["openai", "anthropic", "scripted"] = "openai"
    base_url: str | None = key(default=None, url=True)  # None: the provider's own address
    api_key: str = key(default="", is_secret=True)
    protocol: Literal["auto", "chat", "responses", "messages", "text", "native"] = "auto"
    reasoning: Literal["off", "low", "medium", "high"] | None = None  # None: the model's own
    max_tokens: int | None = key(default=None, least=1)  # of one reply
    temperature: float | None = key(default=None, least=0)
    extra: Mapping[str, Any] = key(default={})  # merged into each request
    headers: Mapping[str, str] = key(default={}, is_secret=True)
    timeout_seconds: float | None = key(default=None, above=0)  # without a word
    context_tokens: int | None = key(default=None, least=1000)  # that it reads
    eyes: bool | None = None  # it takes images; None: by its name
    price: Price | None = None


class Limits(Section):
    """Where a run stops by itself; the options of `run` go before these."""

    turns: int = key(default=40, least=1)
    cost_usd: float = key(default=3.0, least=0)
    minutes: float = key(default=60.0, above=0)
    tool_seconds: float = key(default=60.0, above=0)
    context_tokens: int = key(default=100_000, least=4000)  # of one request
    cost_usd_per_day: float = key(default=10.0, least=0)  # of what schedules begin


class UndoConfig(Section):
    """How long, and how much of, what commits replace is kept to be brought back."""

    keep_days: float = key(default=30.0, least=0)
    max_gb: float = key(default=5.0, above=0)


class SafetyConfig(Section):
    """Bound what the gate may allow (docs/safety.md). `roots` are absolute; empty: the owner's
    home, the folder that the run works in, and the folder for temporary files. `private_hosts` of
    the owner's own net may be asked all the same, `hosts` by scripts; `credentials` name variables
    of the environment that tools may use. What nobody has confirmed after `confirm_hours` is a no."""

    roots: tuple[Path, ...] = ()
    sandbox: Literal["auto", "full", "partial", "none"] = "auto"
    confirm: tuple[Confirmable, ...] = ("delete", "send", "install", "spend")
    forbid: Names = ()
    private_hosts: Names = ()
    hosts: Names = ()
    credentials: Names = ()
    confirm_hours: float = key(default=72.0, above=0)


class EmbeddingsConfig(Section):
    """Name the embeddings that recall uses."""

    model: str
    kind: Literal["openai"] = "openai"
    base_url: str | None = key(default=None, url=True)
    api_key: str = key(default="", is_secret=True)


class RedisConfig(Section):
    """Where the window is shared; the address may hold a password."""

    url: str = key(is_secret=True)


class GraphConfig(Section):
    """Where the graph is kept."""

    uri: str = key(is_secret=True)
    kind: str = key(default="neo4j", backend="graph")  # text/plugin.py
    user: str = "neo4j"
    password: str = key(default="", is_secret=True)


class QueueConfig(Section):
    """Where many machines share their tasks (docs/scaling.md); the address may hold a password. A
    worker that has said nothing for `lease_seconds` is taken for dead, and its task goes on
    elsewhere."""

    url: str = key(is_secret=True)
    lease_seconds: float = key(default=30.0, least=1)


class RunsConfig(Section):
    """The run log. Runs older than `archive_days` are put away by the daily upkeep; 0: never."""

    archive_days: float = key(default=90.0, least=0)


class McpServer(Section):
    """How one MCP server is reached: `command` with arguments starts it here, with `env` added to
    its environment; or it answers at `url`, and is sent `headers`. `effects`: what its tools do,
    where their names do not say it."""

    command: Names = key(default=(), is_secret=True)
    env: Mapping[str, str] = key(default={}, is_secret=True)
    url: str | None = key(default=None, url=True, is_secret=True)
    headers: Mapping[str, str] = key(default={}, is_secret=True)
    effects: Mapping[
        str, Literal["read", "change", "send", "delete", "spend", "system", "unknown"]
    ] = key(default={})


class McpConfig(Section):
    """The MCP servers by name."""

    servers: Mapping[str, McpServer] = key(default={})


class BrowserConfig(Section):
    """Name the browser that the agent uses (docs/browser.md). `address`: of one that runs already,
    HOST:PORT, http://… or ws://…; without it one is started, with its lasting profile in `profile`
    (None: in the home folder)."""

    address: str = ""
    profile: Path | None = None
    headless: Literal["auto", "on", "off"] = "auto"  # auto: where there is no display


class SearchConfig(Section):
    """The engine that web_search asks. `url`: where a SearXNG is, or another address of the
    engine."""

    engine: Literal["duckduckgo", "searxng", "brave", "tavily"] = "duckduckgo"
    url: str | None = key(default=None, url=True)
    api_key: str = key(default="", is_secret=True)


class AutoConfig(Section):
    """Autonomous mode (docs/autonomous.md). `minutes` and `cost_usd`: of one session. `folder`:
    where it writes; None: beside the home folder, by its name and "-auto". `reads`: hosts whose
    pages may be read, with what is below them; "*" are all."""

    minutes: float = key(default=120.0, above=0)
    cost_usd: float = key(default=1.0, least=0)
    folder: Path | None = None
    reads: tuple[str, ...] = ()


class NotifyConfig(Section):
    """Where unattended runs tell how they ended: apprise URLs, which may hold passwords. Within
    `quiet`, such as 22:00-07:00 by the local clock, nothing is sent; it is sent after."""

    urls: Names = key(default=(), is_secret=True)
    quiet: str = key(
        default="", form=(r"([01]?\d|2[0-3]):[0-5]\d *- *([01]?\d|2[0-3]):[0-5]\d", "22:00-07:00")
    )


class Telegram(Section):
    """A Telegram bot. `owner`: the number of the only user who is let in; `base_url`: of a Bot API
    server."""

    token: str = key(form=(r"\d+:[\w-]+", "the token from @BotFather"), is_secret=True)
    owner: int
    base_url: str = key(default="https://api.telegram.org", url=True)


class Webhook(Section):
    """Messages over HTTP, signed with `secret`: taken in on 127.0.0.1 at `port`, answered to
    `url`."""

    secret: str = key(form=(r".{16,}", "16 characters or more"), is_secret=True)
    url: str = key(url=True, is_secret=True)
    owner: str
    port: int = key(default=8738, least=1)


class ChannelsConfig(Section):
    """The channels that `serve` opens (docs/channels.md)."""

    telegram: Telegram | None = None
    webhook: Webhook | None = None


class Share(Section):
    """How much of a part the model reads: `most` items, None for all that has room, 0 for none."""

    most: int | None = None

    def of(self, items: Sequence[_Item], *, newest: bool = False) -> Sequence[_Item]:
        """Return the first items of the share, or its last ones."""
        if self.most is None:
            return items
        return items[len(items) - self.most :] if newest and self.most else items[: self.most]


class ContextConfig(Section):
    """Choose what the model reads when a run begins: each part true, false, or a limit.

    Limits count lines of notes and facts, SOPs, memories, and earlier requests of a
    conversation.
    """

    notes: Share = Share()
    facts: Share = Share()
    sops: Share = Share()
    recall: Share = Share(5)
    earlier: Share = Share()


class _File(Section):
    """The keys of config.yaml."""

    models: tuple[ModelConfig, ...] = ()
    limits: Limits = Limits()
    undo: UndoConfig = UndoConfig()
    safety: SafetyConfig = SafetyConfig()
    embeddings: EmbeddingsConfig | None = None
    redis: RedisConfig | None = None
    graph: GraphConfig | None = None
    queue: QueueConfig | None = None
    runs: RunsConfig = RunsConfig()
    mcp: McpConfig = McpConfig()
    browser: BrowserConfig = BrowserConfig()
    search: SearchConfig = SearchConfig()
    auto: AutoConfig = AutoConfig()
    context: ContextConfig = ContextConfig()
    notify: NotifyConfig = NotifyConfig()
    channels: ChannelsConfig = ChannelsConfig()
    plugins: Names = ()  # of installed packages, by name (text/plugin.py)


class Config(_File):
    """Everything that is set. `models` stand in the order in which they are tried; none: only SOPs
    serve."""

    home: Path = key(kw_only=True)
    lang: Lang = key(kw_only=True)


def find_home(option: str | None, environ: Mapping[str, str]) -> Path:
    """Return the home folder, absolute: `--home`, else SOPWITH_HOME, else ~/.sopwith. It need not
    exist."""
    try:
        return Path(option or environ.get("SOPWITH_HOME") or "~/.sopwith").expanduser().absolute()
    except RuntimeError as error:  # no such user, or no HOME at all
        raise ConfigError("error.config.no-home", error=error) from error


def find_lang(option: str | None, environ: Mapping[str, str]) -> Lang:
    """Return the language of screens and prompts: `--lang`, else the first locale variable that is
    set, as POSIX ranks them."""
    named = (environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = option or next(filter(None, named), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def load(home: Path, lang: Lang, environ: Mapping[str, str]) -> Config:
    """Return the checked settings of this home folder and environment. Raises ConfigError."""
    file = home / "config.yaml"
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        settings = _File()
    except UnicodeDecodeError as error:
        raise ConfigError("error.config.not-utf8", file=file, position=error.start) from error
    except OSError as error:
        raise ConfigError("error.config.unreadable", file=file, error=error) from error
    else:
        settings = _read(file, text, environ)
    models = _with_environment(settings.models, environ)
    return Config(**{**vars(settings), "models": models}, home=home, lang=lang)


def _with_environment(
    models: tuple[ModelConfig, ...], environ: Mapping[str, str]
) -> tuple[ModelConfig, ...]:
    """Return the models, with what the environment says about the one named "main".

    Where the file has no "main", it makes one and puts it first. A key alone does that only where
    the file names no model at all: a key that happens to be in the environment must not send a
    local owner's words to a provider.
    """
    main = next((model for model in models if model.name == "main"), None)
    said = _said(main, environ)
    if main is not None:
        changed = main.but(**said)
        return tuple(changed if model is main else model for model in models)
    if not said.keys() - {"kind"} or (models and said.keys() <= {"api_key", "kind"}):
        return models
    default = DEFAULT_CLAUDE if said.get("kind") == "anthropic" else DEFAULT_MODEL
    return (ModelConfig(**{"name": "main", "model": default, **said}), *models)


def _said(main: ModelConfig | None, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of "main" that the environment sets: those of OpenAI's variables, or of
    Anthropic's."""
    given = _given(environ)
    is_anthropic = _is_anthropic(main, given.get("SOPWITH_MODEL", ""), given)
    provider = "ANTHROPIC" if is_anthropic else "OPENAI"
    names = {
        "model": "SOPWITH_MODEL",
        "api_key": f"{provider}_API_KEY",
        "base_url": f"{provider}_BASE_URL",
    }
    said = {key: given[name] for key, name in names.items() if name in given}
    if provider == "ANTHROPIC" and (main is None or main.base_url is None):
        said["kind"] = "anthropic"
    if "base_url" in said and not _is_url(said["base_url"]):
        raise ConfigError("error.config.url-variable", provider=provider)
    return said


def _given(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that say something."""
    found = {name: environ.get(name, "").strip() for name in VARIABLES}
    return {name: value for name, value in found.items() if value}


def _is_anthropic(main: ModelConfig | None, model: str, given: Mapping[str, str]) -> bool:
    """Return True where the variables of Anthropic are meant: by the kind of "main", or the model's
    name; or there are no others."""
    if main is not None and main.kind == "anthropic":
        return True
    if "ANTHROPIC_API_KEY" not in given or "OPENAI_BASE_URL" in given:
        return False
    if main is not None and main.base_url is not None:
        return "anthropic.com" in main.base_url
    name = model or getattr(main, "model", "")
    return name.startswith("claude") if name else "OPENAI_API_KEY" not in given


def _is_url(text: str) -> bool:
    from urllib.parse import urlsplit  # only where an address is set

    try:
        host = urlsplit(text).hostname
    except ValueError:  # a bracket that does not close
        return False
    return bool(host and re.fullmatch(r"https?://\S+", text))


# By a bound of a key: True for a value that breaks it.
_BROKEN: dict[str, Callable[[Any, Any], bool]] = {
    "least": lambda value, least: value < least,
    "above": lambda value, above: value <= above,
    "form": lambda value, form: bool(value) and not re.fullmatch(form[0], value),
    "url": lambda value, _: not _is_url(value),
}


def _read(file: Path, text: str, environ: Mapping[str, str]) -> _File:
    """Return the settings that the text of config.yaml holds."""
    import yaml

    try:
        # In `{api_key: ${KEY}}` YAML would take the braces for its own.
        plain = _VARIABLE.sub("$\ue000\\1\ue001", text)
        root = yaml.compose(plain, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        number = error.problem_mark.line + 1 if error.problem_mark else None
        why = " ".join(filter(None, (error.context, error.problem)))
        raise _not_yaml(file, number, why) from error
    except (yaml.YAMLError, RecursionError) as error:
        # A character that no YAML may hold; its position comes in bytes or not.
        character: int | None = getattr(error, "character", None)
        number = None
        if isinstance(character, int):
            number = text.count("\n", 0, text.index(chr(character))) + 1
        raise _not_yaml(file, number, str(error).splitlines()[0]) from error
    reader = _Reader(file, environ)
    return _File() if root is None or reader.is_null(root) else reader.section(root, _File, "")


def _not_yaml(file: Path, line: int | None, why: str) -> ConfigError:
    if line is None:
        return ConfigError("error.config.not-yaml", file=file, error=why)
    return ConfigError("error.config.not-yaml-line", file=file, line=line, error=why)


class _Entry(NamedTuple):
    """One line of a mapping: its key, the way there, and both nodes."""

    key: str
    path: str
    key_node: _Node
    node: _Node


class _Reader:
    """Turns YAML nodes into the dataclasses above. Nodes know their lines; what `yaml.safe_load`
    returns does not."""

    def __init__(self, file: Path, environ: Mapping[str, str]) -> None:
        self.file, self.environ = file, environ
        self.models = set[str]()  # by name

    def error(self, node: _Node, path: str, key: str, **values: object) -> ConfigError:
        """Return the error at a node; `path` is the way there, such as models[0].api_key."""
        there = path or Message("error.config.file")
        problem = Message(f"error.config.{key}", path=there, **values)
        line = node.start_mark.line + 1
        return ConfigError("error.config.at", file=self.file, line=line, problem=problem)

    def unknown(self, node: _Node, path: str, key: str, known: list[str]) -> ConfigError:
        """Return the error of a key that no setting has, with the nearest one."""
        import difflib

        close = difflib.get_close_matches(key, known, 1)
        if close:
            return self.error(node, path, "nearest", near=close[0])
        return self.error(node, path, "unknown", known=", ".join(known))

    def is_null(self, node: _Node) -> bool:
        """Return True for a key with nothing behind it: the default holds."""
        return bool(node.tag == "tag:yaml.org,2002:null")

    def section(self, node: _Node, kind: type[_Section], path: str) -> _Section:
        """Return a mapping as the dataclass `kind`."""
        hints, keys = typing.get_type_hints(kind), kind.keys()
        values: dict[str, Any] = {}
        for name, below, key_node, child in self.pairs(node, path):
            if below in WITHOUT_EFFECT:
                continue
            if name not in keys:
                raise self.unknown(key_node, below, name, list(keys))
            if not self.is_null(child):
                values[name] = self.value(child, hints[name], below)
                self.check(child, below, values[name], keys[name])
        for name, each in keys.items():
            if each.default is _REQUIRED and name not in values:
                like = each.bounds.get("like", name)
                if like not in values:
                    raise self.error(node, f"{path}.{like}".lstrip("."), "missing")
                values[name] = values[like]
        found = kind(**values)
        self.check_section(node, path, found)
        return found

    def pairs(self, node: _Node, path: str) -> list[_Entry]:
        """Return the entries of a mapping."""
        if node.id != "mapping":
            raise self.error(node, path, "mapping")
        found: dict[str, _Entry] = {}
        for key_node, child in node.value:
            if key_node.id != "scalar":
                raise self.error(key_node, path, "not-a-word")
            key = _as_written(key_node)
            below = f"{path}.{key}".lstrip(".")
            if key in found:
                raise self.error(key_node, below, "twice")
            found[key] = _Entry(key, below, key_node, child)
        return list(found.values())

    def value(self, node: _Node, kind: Any, path: str) -> Any:
        """Return a node as a value of the type `kind`."""
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin in (Union, types.UnionType):
            return self.value(node, inner[0], path)  # `X | None`: a null never comes here
        if origin is tuple:
            return self.sequence(node, inner[0], path)
        if origin is Mapping:
            pairs = self.pairs(node, path)
            return {each.key: self.value(each.node, inner[1], each.path) for each in pairs}
        if origin is Literal:
            word = self.scalar(node, path, "a-word")  # of any tag: `off` is a boolean to YAML
            if word not in inner:
                known, value = ", ".join(inner), repr(_as_written(node))
                raise self.error(node, path, "one-of", known=known, value=value)
            return word
        if kind is Share:
            return self.share(node, path)
        if kind is Any:
            return self.anything(node, path)
        if issubclass(kind, Section):
            return self.section(node, kind, path)
        of_kind = {bool: self.boolean, int: self.integer, float: self.number, str: self.text}
        return of_kind.get(kind, self.path)(node, path)

    def sequence(self, node: _Node, kind: Any, path: str) -> tuple[Any, ...]:
        """Return a list, each item of the type `kind`."""
        if node.id != "sequence":
            raise self.error(node, path, "list")
        numbered = enumerate(node.value)
        return tuple(self.value(child, kind, f"{path}[{index}]") for index, child in numbered)

    def scalar(self, node: _Node, path: str, wanted: str) -> str:
        """Return the text of a scalar, each ${VAR} replaced by the variable."""
        if node.id != "scalar":
            asked, found = (
                Message(f"error.config.{wanted}"),
                Message(f"error.config.found-{node.id}"),
            )
            raise self.error(node, path, "wanted", wanted=asked, found=found)
        text = _as_written(node)
        unset = [name for name in _VARIABLE.findall(text) if name not in self.environ]
        if unset:
            raise self.error(node, path, "variable", variable=unset[0])
        return _VARIABLE.sub(lambda match: self.environ[match[1]], text)

    def text(self, node: _Node, path: str) -> str:
        text = self.scalar(node, path, "a-text")
        if node.tag != "tag:yaml.org,2002:str":  # of 007, yes and 1.0 what was meant may be lost
            raise self.error(node, path, "quotes")
        return text

    def anything(self, node: _Node, path: str) -> Any:
        """Return a node as plain data, of whatever shape."""
        if node.id == "mapping":
            return {
                key: self.anything(child, below) for key, below, _, child in self.pairs(node, path)
            }
        if node.id == "sequence":
            return [self.anything(child, path) for child in node.value]
        text = self.scalar(node, path, "a-value")
        kind = node.tag.rpartition(":")[2]
        if kind in ("null", "bool"):
            return None if kind == "null" else self.boolean(node, path)
        if kind not in ("int", "float"):
            return text
        return self.integer(node, path) if kind == "int" else self.number(node, path)

    def boolean(self, node: _Node, path: str) -> bool:
        text = self.scalar(node, path, "a-boolean").lower()
        if text not in ("true", "false", "yes", "no", "on", "off"):
            raise self.error(node, path, "boolean", value=repr(_as_written(node)))
        return text in ("true", "yes", "on")

    def integer(self, node: _Node, path: str) -> int:
        text = self.scalar(node, path, "a-whole-number")
        if not re.fullmatch(r"[+-]?[0-9]{1,15}", text) or node.style:
            raise self.error(node, path, "integer", value=repr(_as_written(node)))
        return int(text)

    def share(self, node: _Node, path: str) -> Share:
        """Return `true`, `false` or a limit of 0 or more as a share."""
        word = self.scalar(node, path, "a-share")
        if node.tag == "tag:yaml.org,2002:bool":
            return Share(None if word.lower() in ("true", "yes", "on") else 0)
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise self.error(node, path, "share", value=repr(word))
        return Share(int(word))

    def number(self, node: _Node, path: str) -> float:
        text = self.scalar(node, path, "a-number")
        if node.style or not _NUMBER.fullmatch(text):
            raise self.error(node, path, "number", value=repr(_as_written(node)))
        if not math.isfinite(float(text)):
            raise self.error(node, path, "too-large")
        return float(text)

    def path(self, node: _Node, path: str) -> Path:
        try:
            folder = Path(self.text(node, path)).expanduser()
        except RuntimeError as error:
            raise self.error(node, path, "no-user", error=error) from error
        if not folder.is_absolute():
            raise self.error(node, path, "path")
        return folder

    def check(self, node: _Node, path: str, value: Any, key: Key) -> None:
        """Hold a value against the bounds of its key."""
        for name, bound in key.bounds.items():
            if name in _BROKEN and _BROKEN[name](value, bound):
                values = {name: bound[1] if name == "form" else bound}
                raise self.error(node, path, name, **values)
        if "backend" in key.bounds and value != key.default:
            self.check_backend(node, path, value, key)

    def check_backend(self, node: _Node, path: str, value: str, key: Key) -> None:
        """Refuse the name of a backend that is neither ours nor of an installed package."""
        from importlib.metadata import entry_points

        names = [each.name for each in entry_points(group="sopwith.plugins")]
        begin = f"{key.bounds['backend']}."
        known = sorted(name.removeprefix(begin) for name in names if name.startswith(begin))
        if value not in known:
            listed = ", ".join([key.default, *known])
            raise self.error(node, path, "one-of", known=listed, value=repr(value))

    def check_section(self, node: _Node, path: str, found: Section) -> None:
        """Check what no single key says: a server is started or asked, one of both, and its name
        stands before the dot in `SERVER.TOOL`; --model can tell models apart by their names."""
        if isinstance(found, McpServer):
            if bool(found.command) == bool(found.url):
                raise self.error(node, path, "command-or-url")
            if not re.fullmatch(r"mcp\.servers\.[A-Za-z0-9_-]{1,40}", path):
                raise self.error(node, path, "server-name")
        if isinstance(found, ModelConfig):
            if found.name in self.models:
                raise self.error(node, f"{path}.name", "same-model", name=repr(found.name))
            self.models.add(found.name)


def _as_written(node: _Node) -> str:
    """Return the text of a scalar as it stands in the file: a reference to a variable has its
    braces again."""
    return re.sub("\\$\ue000(\\w+)\ue001", r"${\1}", str(node.value))
