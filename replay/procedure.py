"""A learned procedure as a machine reads it: `sop.yaml`, parsed and checked, so that a replay meets no surprise.

The format is that of docs "An SOP on disk", with a few additions of ours, all optional: a step's `note` (what it does,
for people), `when` and `unless` (a name: the step is left out unless, or if, that value is there and not empty), `done`
and `stop` instead of a tool (the SOP ends here, well or not, with this text), `script: {file: scripts/NAME}` in the
arguments, `requires.folders` and `requires.files` (parameters that must exist). With `script: scripts/run.py` instead of
`plan` and `commit`, `{{plan}}` is what the script's plan returned, and `result` may be left out. In a wording `[in|under|]` is a choice
(an empty one: it may be left out), `{name:glob}` a slot for a name with a wildcard or an ending, and `{text:quoted}` one
for a quoted text or a word as code has them. Source: seed 002 §2, §7.

    SopwithError
    ├── ProcedureError    whoever wrote the SOP: names file, line and key
    └── ParameterError    whoever asked: a value is missing, unknown, or of the wrong type (replay/parameters.py)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from config import SopwithError
from replay import template
from replay.extract import field_of
from replay.extract import parse as parse_extractor
from replay.parameters import FORMATS, SCHEMA_KEYS, TYPES, UNCHECKED, bind, mismatch
from text import pattern

if TYPE_CHECKING:
    from replay.script import Script

Text = Mapping[str, str]  # language → text; "en" is always there
Phase = Literal["plan", "commit"]
NAME = pattern(r"[a-z][a-z0-9_]*")
SLOT = pattern(r"\{([^{}:]*)(?::([^{}]*))?\}")  # {folder}, {pattern:glob}
SLOT_SHAPES = ("quoted", "glob", "rest", "colon", "words")
TO_THE_END = ("rest", "colon")  # slots that take all that is left of a request
WORDING_TOKEN = pattern(r"\{[^{}]*\}|\[[^\[\]]*\]|[^\W\d_]+")  # a slot, a group, a word
SMALL_WORDS = ("the", "a", "an", "my", "is")
LITERAL = pattern(r"(?<![^\W\d_])\d|[\"'“”「」`~/\\{}]")  # what only a slot may take from a request
APOSTROPHE = pattern(r"(?<=\w)['’](?=\w)")
BUILT_IN = (
    "lang",
    "cwd",
    "today",
)  # values that are always there; no parameter may take their names
REFUSED_NAME = pattern(
    r"\w*_proxy|(ld|dyld|bash)_\w+|ifs"
)  # what programs obey in small letters, or look as if they did
UNSAFE_NAME = pattern(  # names that learning does not give: next to the variables that they resemble they would confuse
    r"(ld|dyld|bash|git|ssh|python|perl|ruby|node)_\w+|\w*_proxy|path|ifs|home|shell|env|term|user|pwd|tmpdir|python\w*|ps\d|cdpath"
)
STEP_KEYS = (
    "tool",
    "args",
    "expect",
    "save",
    "note",
    "when",
    "unless",
    "repeatable",
    "each",
    "done",
    "stop",
)
EXPECT_KEYS = ("status", "exit_code", "contains", "matches", "fields", "min_count", "max_count")
STATUSES = ("ok", "error", "refused", "timeout", "cancelled")
EXTRACTS = "output, lines, json, json.key, json[key=name].key, all json[key='text'].key, csv[key=name].key, data.key or exit_code"
ITEM = "item"  # of the list that a step goes through
REQUIRES = ("commands", "env", "platform", "folders", "files")
EFFECTS = ("none", "local", "external", "destructive")
RUN_KEYS = ("type", "cwd", "script")
TOP_KEYS = (
    "parameters",
    "wordings",
    "requires",
    "effects",
    "run",
    "expect",
    "plan",
    "commit",
    "script",
    "result",
    "checks",
)


Parse = Callable[[str], Any]  # text → what it says; raises NotYaml


class NotYaml(ValueError):
    """A text that is not YAML, or not YAML that can be meant (an impossible date, nesting without end)."""

    def __init__(self, problem: str, line: int = 1) -> None:
        super().__init__(problem)
        self.line = line


def parse_yaml(text: str) -> Any:
    """Return what a YAML text says. Raises NotYaml."""
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise NotYaml(
            str(getattr(error, "problem", error)), mark.line + 1 if mark else 1
        ) from error
    except (ValueError, RecursionError) as error:
        raise NotYaml(f"it cannot be meant: {error}") from error


class ProcedureError(SopwithError):
    """An sop.yaml that cannot be meant."""


class Wording(NamedTuple):
    """A typed way to ask for this SOP. Each request of this wording holds one word of each of `anchors`, lower-case. An
    exact one says nothing about what else the SOP may be asked for with: the owner said yes to just these words."""

    text: str
    slots: tuple[str, ...]
    anchors: tuple[tuple[str, ...], ...]
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One call with what it should bring; or, with `done` or `stop`, an end of the SOP before its last step."""

    id: str  # "plan.1", "commit.2", "check.1"
    tool: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    expect: Mapping[str, Any] = field(default_factory=dict)
    save: Mapping[str, str] = field(default_factory=dict)
    note: Text = field(default_factory=dict)
    when: str = ""
    unless: str = ""
    done: Text | None = None
    stop: Text | None = None
    line: int = 0  # of the SOP's script, where a script asks for this call
    repeatable: bool = (
        False  # done a second time with the same SOPWITH_ONCE, it changes nothing more
    )
    each: str = ""  # the list for each `item` of which the call is done

    @property
    def changes_something(self) -> bool:
        """True for the steps behind the guards; what a plan does may be done again."""
        return self.id.startswith("commit") or self.is_staged

    @property
    def is_staged(self) -> bool:
        """True for the script that runs in a stage and is held against `expect` before its changes count."""
        return self.id == "run"


@dataclass(frozen=True, slots=True)
class Procedure:
    """Hold what stands in sop.yaml. `folder` is where it lies; `parameters` maps each name to its JSON schema."""

    folder: Path
    parameters: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    wordings: tuple[Wording, ...]
    requires: Mapping[str, tuple[str, ...]]
    effects: str
    steps: tuple[Step, ...]  # plan, then commit, then checks; of a script the checks alone
    result: Text  # empty when a script says it
    script: Script | None = None

    @classmethod
    def load(cls, folder: Path, parse: Parse | None = None) -> Procedure:
        """Reads `folder/sop.yaml`. Raises ProcedureError, which names file, line and key."""
        return _Reader(folder, parse or parse_yaml).procedure()

    def bind(self, given: Mapping[str, Any], cwd: Path) -> dict[str, Any]:
        """The parameters with defaults filled in, text turned into numbers where a number is due, paths absolute.

        Raises ParameterError. Binding what was bound already changes nothing.
        """
        return bind(self.parameters, self.required, given, cwd)

    def with_wordings(self, texts: Sequence[str], *, are_exact: bool = False) -> Procedure:
        """The same, with more ways to ask for it. Raises ProcedureError for one that cannot be meant."""
        more = (
            each._replace(is_exact=are_exact)
            for each in _Reader(self.folder).wordings(list(texts), self)
        )
        return replace(self, wordings=(*self.wordings, *more))


class _Reader:
    """Reads one sop.yaml. Each check knows the key it looks at; the line is looked up only when something is wrong."""

    def __init__(self, folder: Path, parse: Parse | None = None) -> None:
        self.folder = folder
        self.path = folder / "sop.yaml"
        self.parse = parse or parse_yaml
        self.text = ""

    def procedure(self) -> Procedure:
        raw = self._raw()
        self._known(raw, TOP_KEYS, ())
        script = self._program(raw) if "script" in raw else None
        parameters, required = self._parameters(
            raw.get("parameters") or {"type": "object", "properties": {}}
        )
        effects = raw.get("effects", "none")
        if effects not in EFFECTS:
            raise self.error(("effects",), f"must be one of {', '.join(EFFECTS)}")
        if (raw.get("commit") or (script and script.has_commit)) and effects == "none":
            raise self.error(
                ("effects",),
                "there are commit steps, so it must say what they do: local, external or destructive",
            )
        if not raw.get("plan") and not raw.get("commit") and not script and "run" not in raw:
            raise self.error((), "it has no steps: give run, or plan, commit, or both")
        known = {*parameters, *BUILT_IN, *(("plan",) if script else ())}
        steps = [
            *self._run(raw, known),
            *self._steps(raw, "plan", known),
            *self._steps(raw, "commit", known),
            *self._checks(raw, known),
        ]
        return Procedure(
            folder=self.folder,
            parameters=parameters,
            required=required,
            wordings=tuple(self._wordings(raw.get("wordings") or [], parameters, required)),
            requires=self._requires(raw.get("requires") or {}, parameters),
            effects=effects,
            steps=tuple(steps),
            result=self._result(raw, known, is_script=script is not None or "run" in raw),
            script=script,
        )

    def _program(self, raw: Mapping[str, Any]) -> Script:
        """The script that stands in for the lists of steps."""
        at, name = ("script",), raw["script"]
        if not isinstance(name, str) or not name.endswith(".py"):
            raise self.error(
                at, "must be the path of a Python file in this folder, as in scripts/run.py"
            )
        if both := [key for key in ("plan", "commit") if raw.get(key)]:
            raise self.error((both[0],), "there is a script too; an SOP is one or the other")
        parameters = raw.get("parameters")
        if isinstance(parameters, dict) and "plan" in (parameters.get("properties") or {}):
            raise self.error(
                ("parameters", "properties", "plan"), "the name 'plan' is taken; use another one"
            )
        from replay.script import Script, ScriptFault  # most SOPs are lists of steps

        try:
            return Script.load(self.folder, name)
        except ScriptFault as fault:
            if fault.line:
                raise ProcedureError(
                    f"{self.folder / name}:{fault.line}: {fault.reason}"
                ) from fault
            raise self.error(at, fault.reason) from fault

    def wordings(self, texts: list[str], procedure: Procedure) -> list[Wording]:
        """Wordings for a procedure that is read already. Raises ProcedureError."""
        return list(self._wordings(texts, procedure.parameters, procedure.required))

    def error(self, key: tuple[str | int, ...], message: str) -> ProcedureError:
        """An error at a key of the file, with its line."""
        where = "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in key
        ).lstrip(".")
        return ProcedureError(
            f"{self.path}:{_line(self.text, key)}: {where + ': ' if where else ''}{message}"
        )

    def _raw(self) -> dict[str, Any]:
        try:
            self.text = self.path.read_text(encoding="utf-8")
            raw = self.parse(self.text)
        except (OSError, UnicodeDecodeError) as error:
            raise ProcedureError(f"{self.path}: cannot be read: {error}") from error
        except NotYaml as error:
            raise ProcedureError(f"{self.path}:{error.line}: not YAML: {error}") from error
        if not isinstance(raw, dict):
            raise self.error((), "must be a mapping with the keys " + ", ".join(TOP_KEYS))
        return raw

    def _known(
        self, raw: Mapping[str, Any], keys: tuple[str, ...], at: tuple[str | int, ...]
    ) -> None:
        for key in raw:
            if key not in keys:
                raise self.error((*at, key), f"unknown key; known are {', '.join(keys)}")

    def _result(
        self, raw: Mapping[str, Any], known: set[str], *, is_script: bool
    ) -> dict[str, str]:
        if "result" not in raw and not is_script:
            raise self.error(
                ("result",), "is missing: what is said in the end, a text or {en: …, zh: …}"
            )
        return self._said(raw["result"], ("result",), known) if "result" in raw else {}

    def _parameters(self, raw: Any) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
        at = ("parameters",)
        if not isinstance(raw, dict) or not isinstance(raw.get("properties", {}), dict):
            raise self.error(at, "must be a JSON schema with type: object and properties")
        self._known(raw, ("type", "properties", "required", "additionalProperties"), at)
        properties: dict[str, dict[str, Any]] = raw.get("properties", {})
        for name, schema in properties.items():
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise self.error(
                    (*at, "properties", name),
                    "a parameter's name is lower-case letters, digits and _",
                )
            self._free_name(name, (*at, "properties", name), set(BUILT_IN))
            self._schema(schema, (*at, "properties", name))
        required = raw.get("required", [])
        if not isinstance(required, list) or any(name not in properties for name in required):
            raise self.error((*at, "required"), "must list names from properties")
        return properties, tuple(required)

    def _free_name(self, name: str, at: tuple[str | int, ...], taken: set[str]) -> None:
        """Names become environment variables of scripts: some would change what a shell does."""
        if REFUSED_NAME.fullmatch(name) or name in taken:
            raise self.error(at, f"the name {name!r} is taken; use another one")

    def _schema(self, schema: Any, at: tuple[str | int, ...]) -> None:
        if not isinstance(schema, dict) or schema.get("type") not in TYPES:
            raise self.error(at, f"must have a type: one of {', '.join(TYPES)}")
        self._known(schema, SCHEMA_KEYS, at)
        if "format" in schema and (
            schema["format"] not in (*FORMATS, *UNCHECKED) or schema["type"] != "string"
        ):
            raise self.error(
                (*at, "format"), f"must be one of {', '.join(FORMATS)}, and the type string"
            )
        if "enum" in schema and not (isinstance(schema["enum"], list) and schema["enum"]):
            raise self.error((*at, "enum"), "must be a list of values")
        if "pattern" in schema:
            self._regex(schema["pattern"], (*at, "pattern"))
        for key in ("minimum", "maximum", "minLength", "maxLength"):
            if not isinstance(schema.get(key, 0), int | float):
                raise self.error((*at, key), "must be a number")
        if schema["type"] == "array":
            self._schema(schema.setdefault("items", {"type": "string"}), (*at, "items"))
        if "default" in schema and (wrong := mismatch(schema["default"], schema)):
            raise self.error((*at, "default"), wrong)

    def _regex(self, pattern: Any, at: tuple[str | int, ...]) -> None:
        try:
            re.compile(pattern)
        except (re.error, TypeError) as error:
            raise self.error(at, f"not a regular expression: {error}") from error

    def _wordings(
        self, raw: Any, parameters: Mapping[str, Any], required: tuple[str, ...]
    ) -> Iterator[Wording]:
        if not isinstance(raw, list):
            raise self.error(("wordings",), "must be a list of sentences")
        for number, text in enumerate(raw):
            at = ("wordings", number)
            if not isinstance(text, str):
                raise self.error(at, "must be a sentence in quotes")
            slots = []
            for name, shape in SLOT.findall(text):
                if name not in parameters or (shape and shape not in SLOT_SHAPES):
                    raise self.error(at, f"there is no parameter {{{name}{shape and ':' + shape}}}")
                if shape in TO_THE_END and not text.endswith("}"):
                    raise self.error(at, f"{{{name}:{shape}}} must be the end of it")
                slots.append(name)
            if left_out := [name for name in required if name not in slots]:
                raise self.error(at, f"leaves out {{{left_out[0]}}}, which is required")
            if len(set(slots)) < len(slots):
                raise self.error(at, "names a parameter twice")
            yield Wording(text, tuple(slots), self._anchors(text, at))

    def _anchors(self, text: str, at: tuple[str | int, ...]) -> tuple[tuple[str, ...], ...]:
        """The fixed words, and the choices of each group that must be there."""
        text = text.lower()
        if LITERAL.search(APOSTROPHE.sub("", SLOT.sub(" ", text))):
            raise self.error(
                at, "holds a number, a path, a quote or a stray brace outside a {slot}"
            )
        anchors = []
        for token in WORDING_TOKEN.findall(text):
            if token[0] == "[":
                choices = _choices(token)
                anchors += [choices] if all(choices) else []
            elif token[0] != "{" and token not in SMALL_WORDS:
                anchors.append((token,))
        if not anchors:
            raise self.error(at, "has no word of its own: all of it is {slots} and [groups|]")
        return tuple(
            sorted(anchors, key=lambda words: (len(words), -len(words[0])))
        )  # the one that tells most first

    def _requires(self, raw: Any, parameters: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        at = ("requires",)
        if not isinstance(raw, dict):
            raise self.error(at, "must be a mapping")
        self._known(raw, REQUIRES, at)
        for key, values in raw.items():
            if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
                raise self.error((*at, key), "must be a list of names")
            if key in ("folders", "files") and (
                unknown := [name for name in values if name not in parameters]
            ):
                raise self.error((*at, key), f"there is no parameter {unknown[0]!r}")
        return {key: tuple(values) for key, values in raw.items()}

    def _run(self, raw: Mapping[str, Any], known: set[str]) -> Iterator[Step]:
        """The one step of an SOP that runs in a stage."""
        if "run" not in raw:
            if "expect" in raw:
                raise self.error(("expect",), "belongs to run, which is missing")
            return
        if other := next((key for key in ("plan", "commit", "script") if raw.get(key)), ""):
            raise self.error((other,), "there is a run too; an SOP is one or the other")
        said = raw["run"]
        if not isinstance(said, dict) or not isinstance(said.get("script"), str | dict):
            raise self.error(("run",), "must be {type: bash or python, cwd: …, script: …}")
        self._known(said, RUN_KEYS, ("run",))
        if said.get("type", "bash") not in ("bash", "python"):
            raise self.error(("run", "type"), "must be bash or python")
        script = said["script"]
        if isinstance(script, dict):
            script = self._script(script, ("run", "script"))
        if any(found[1] in known for found in template.TEMPLATE.finditer(script)):
            raise self.error(
                ("run", "script"),
                "a value never becomes part of a script; the script finds it in the environment, as $name",
            )
        args = {"type": said.get("type", "bash"), "script": script}
        if "cwd" in said:
            self._names(said["cwd"], ("run", "cwd"), known)
            args["cwd"] = said["cwd"]
        expect = raw.get("expect") or {}
        from replay.staged.expectation import (
            wrong_in,
        )  # most SOPs that are looked at are not read whole

        if wrong := wrong_in(expect):
            raise self.error(("expect", *wrong[0]), wrong[1])
        self._names(expect, ("expect",), known)
        known.update(("output", "changes"))
        save = {"output": "output", "changes": "data.changes"}
        yield Step("run", "code_run", args, expect, save)

    def _steps(self, raw: Mapping[str, Any], phase: Phase, known: set[str]) -> Iterator[Step]:
        steps = raw.get(phase) or []
        if not isinstance(steps, list):
            raise self.error((phase,), "must be a list of steps")
        for number, step in enumerate(steps):
            yield self._step(step, f"{phase}.{number + 1}", (phase, number), known)

    def _step(self, raw: Any, step_id: str, at: tuple[str | int, ...], known: set[str]) -> Step:
        if not isinstance(raw, dict):
            raise self.error(at, "must be a step: {tool: …, args: {…}}")
        self._known(raw, STEP_KEYS, at)
        when, unless = self._conditions(raw, at, known)
        if ends := [key for key in ("tool", "done", "stop") if key in raw][1:]:
            raise self.error((*at, ends[0]), "a step has one of tool, done, stop")
        if "done" in raw or "stop" in raw:
            done, stop = (
                self._said(raw[key], (*at, key), known) if key in raw else None
                for key in ("done", "stop")
            )
            return Step(step_id, when=when, unless=unless, done=done, stop=stop)
        if not isinstance(raw.get("tool"), str) or not isinstance(raw.get("args", {}), dict):
            raise self.error(at, "must name a tool, and give its args as a mapping")
        each = str(raw.get("each", ""))
        if each and each.partition(".")[0] not in known:
            raise self.error((*at, "each"), "must name a list: a parameter, or what a step saves")
        within = {*known, ITEM} if each else known
        args = self._args(raw.get("args", {}), (*at, "args"), within)
        save = self._save(raw.get("save") or {}, (*at, "save"), known)
        note = self._said(raw["note"], (*at, "note"), known) if "note" in raw else {}
        known.update(save)
        expect = self._expect(raw.get("expect") or {}, (*at, "expect"), within | known)
        if not isinstance(raw.get("repeatable", False), bool):
            raise self.error((*at, "repeatable"), "must be true or false")
        repeatable = raw.get("repeatable", False)
        kind = raw["tool"]
        return Step(
            step_id, kind, args, expect, save, note, when, unless, repeatable=repeatable, each=each
        )

    def _conditions(
        self, raw: Mapping[str, Any], at: tuple[str | int, ...], known: set[str]
    ) -> tuple[str, str]:
        for key in ("when", "unless"):
            if key in raw and str(raw[key]).partition(".")[0] not in known:
                raise self.error(
                    (*at, key), "must name a parameter, or a value that an earlier step saves"
                )
        return str(raw.get("when", "")), str(raw.get("unless", ""))

    def _args(
        self, raw: dict[str, Any], at: tuple[str | int, ...], known: set[str]
    ) -> dict[str, Any]:
        args = dict(raw)
        if isinstance(args.get("script"), dict):
            args["script"] = self._script(args["script"], (*at, "script"))
        elif "{{" in str(args.get("script", "")):
            raise self.error(
                (*at, "script"),
                "a value never becomes part of a script; the script finds it in the environment, as $name",
            )
        self._names({key: value for key, value in args.items() if key != "script"}, at, known)
        return args

    def _script(self, raw: dict[str, Any], at: tuple[str | int, ...]) -> str:
        name = raw.get("file")
        if set(raw) != {"file"} or not isinstance(name, str):
            raise self.error(at, "must be text, or {file: scripts/NAME}")
        path = (self.folder / name).resolve()
        if not path.is_relative_to(self.folder.resolve()):
            raise self.error(at, f"{name} leads out of the SOP's folder")
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise self.error(at, f"{name} cannot be read: {error}") from error

    def _names(self, value: Any, at: tuple[str | int, ...], known: set[str]) -> None:
        try:
            unknown = [name for name in template.names(value) if name not in known]
        except template.TemplateError as error:
            raise self.error(at, str(error)) from error
        if unknown:
            raise self.error(
                at,
                f"nothing is called {unknown[0]!r} here: it is no parameter and no earlier step saves it",
            )

    def _save(self, raw: Any, at: tuple[str | int, ...], known: set[str]) -> dict[str, str]:
        if not isinstance(raw, dict):
            raise self.error(at, f"must be a mapping: name → {EXTRACTS}")
        for name, extractor in raw.items():
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise self.error((*at, name), "a name is lower-case letters, digits and _")
            self._free_name(name, (*at, name), known)
            read = parse_extractor(extractor) if isinstance(extractor, str) else None
            if read is None:
                raise self.error((*at, name), f"must be {EXTRACTS}")
            if unknown := sorted(read.names - known - set(raw)):
                raise self.error(
                    (*at, name),
                    f"nothing is called {unknown[0]!r} here: it is no parameter and no earlier step saves it",
                )
        return raw

    def _expect(self, raw: Any, at: tuple[str | int, ...], known: set[str]) -> dict[str, Any]:
        if not isinstance(raw, dict):
            raise self.error(at, f"must be a mapping of {', '.join(EXPECT_KEYS)}")
        self._known(raw, EXPECT_KEYS, at)
        if raw.get("status", "ok") not in STATUSES:
            raise self.error((*at, "status"), f"must be one of {', '.join(STATUSES)}")
        if not isinstance(raw.get("exit_code", 0), int):
            raise self.error((*at, "exit_code"), "must be a number")
        if "matches" in raw:
            self._regex(raw["matches"], (*at, "matches"))
        fields = raw.get("fields", {})
        if not isinstance(fields, dict) or not all(
            parse_extractor(field_of(str(key))) for key in fields
        ):
            raise self.error(
                (*at, "fields"), "must map fields of the JSON that is printed to values"
            )
        self._names(fields, (*at, "fields"), known)
        for key in ("min_count", "max_count"):
            counts = raw.get(key, {})
            if not isinstance(counts, dict) or any(
                name.partition(".")[0] not in known or not isinstance(n, int)
                for name, n in counts.items()
            ):
                raise self.error((*at, key), "must map names of saved values to numbers")
        return raw

    def _checks(self, raw: Mapping[str, Any], known: set[str]) -> Iterator[Step]:
        checks = raw.get("checks") or []
        if not isinstance(checks, list):
            raise self.error(("checks",), "must be a list of {command: …}")
        for number, check in enumerate(checks):
            at = ("checks", number)
            if isinstance(check, dict) and "tool" in check:
                yield self._step(check, f"check.{number + 1}", at, known)
            else:
                yield self._command(check, number, at, known)

    def _command(self, check: Any, number: int, at: tuple[str | int, ...], known: set[str]) -> Step:
        """A shell command that ends well when all is as it should be."""
        is_read = isinstance(check, dict) and isinstance(check.get("command"), str)
        if not is_read or set(check) - {"command", "when", "unless"}:
            raise self.error(
                at,
                "must be {command: …}, a shell command that ends with exit code 0, or a step {tool: …}",
            )
        if "{{" in check["command"]:
            raise self.error(
                (*at, "command"),
                "a value never becomes part of a command; it finds it in the environment, as $name",
            )
        args = {"type": "bash", "script": check["command"]}
        when, unless = self._conditions(check, at, known)
        step_id = f"check.{number + 1}"
        return Step(step_id, "code_run", args, {"exit_code": 0}, when=when, unless=unless)

    def _said(self, raw: Any, at: tuple[str | int, ...], known: set[str]) -> dict[str, str]:
        """A text for people: one string, or one in each language."""
        texts = {"en": raw} if isinstance(raw, str) else raw
        if (
            not isinstance(texts, dict)
            or "en" not in texts
            or not all(isinstance(text, str) for text in texts.values())
        ):
            raise self.error(at, "must be a text, or {en: …, zh: …}")
        self._known(texts, ("en", "zh"), at)
        self._names(list(texts.values()), at, known)
        return texts


@lru_cache(maxsize=4096)
def _choices(group: str) -> tuple[str, ...]:
    """The longest word of each choice of a group; an SOP's wordings mostly have the same groups."""
    return tuple(_longest_word(choice) for choice in group[1:-1].split("|"))


def _longest_word(text: str) -> str:
    words = [
        word for word in WORDING_TOKEN.findall(text) if word[0] != "{" and word not in SMALL_WORDS
    ]
    return max(words, key=len, default="")


def _line(text: str, key: tuple[str | int, ...]) -> int:
    """The line where a key stands, counted from 1; that of the nearest key above it when it does not stand there."""
    import yaml

    node = (
        yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if text else None
    )
    line = 1
    for part in key:
        child = None
        if isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                if name.value == str(part):
                    child, line = value, name.start_mark.line + 1
        elif (
            isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value)
        ):
            child = node.value[part]
            line = child.start_mark.line + 1
        if child is None:
            break
        node = child
    return int(line)
