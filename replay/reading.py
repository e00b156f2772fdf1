"""Read one sop.yaml: each check knows the key it looks at; the line is looked up only when
something is wrong."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replay import template
from replay.extract import field_of
from replay.extract import parse as parse_extractor
from replay.parameters import FORMATS, SCHEMA_KEYS, TYPES, UNCHECKED, mismatch
from replay.procedure import (
    BUILT_IN,
    EFFECTS,
    ITEM,
    NAME,
    NotYaml,
    Procedure,
    ProcedureError,
    Step,
    parse_yaml,
)
from replay.wordings import BadWording, Wording, read_wording
from text import pattern

if TYPE_CHECKING:
    from replay.script import Script

Key = tuple[str | int, ...]
REFUSED_NAME = pattern(  # what programs obey in small letters, or look as if they did
    r"\w*_proxy|(ld|dyld|bash)_\w+|ifs"
)
STEP_KEYS = (
    *("tool", "args", "expect", "save", "note", "when", "unless"),
    *("repeatable", "each", "done", "stop"),
)
EXPECT_KEYS = ("status", "exit_code", "contains", "matches", "fields", "min_count", "max_count")
STATUSES = ("ok", "error", "refused", "timeout", "cancelled")
EXTRACTS = "output, lines, json, json.key, json[key=name].key, all json[key='text'].key, csv[key=name].key, data.key or exit_code"
REQUIRES = ("commands", "env", "platform", "folders", "files")
RUN_KEYS = ("type", "cwd", "script")
TOP_KEYS = (
    *("parameters", "wordings", "requires", "effects", "run", "expect"),
    *("plan", "commit", "script", "result", "checks"),
)
IN_A_SCRIPT = (
    "a value never becomes part of a script; the script finds it in the environment, as $name"
)
IN_A_COMMAND = "a value never becomes part of a command; it finds it in the environment, as $name"


def read_procedure(folder: Path) -> Procedure:
    """Read `folder/sop.yaml`. Raises ProcedureError, which names file, line and key."""
    return _Reader(folder).procedure()


class _Reader:
    """Reads the sop.yaml of a folder. Raises ProcedureError, which names file, line and key."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "sop.yaml"
        self.text = ""
        self.known: set[str] = set()  # names of values, as far as it is read

    def procedure(self) -> Procedure:
        """Return the procedure."""
        told = "must be a mapping with the keys " + ", ".join(TOP_KEYS)
        raw = self._mapping(self._raw(), TOP_KEYS, (), told)
        script = self._program(raw) if "script" in raw else None
        parameters, required = self._parameters(raw.get("parameters", {}))
        effects = self._effects(raw, script)
        has_steps = any([raw.get("plan"), raw.get("commit"), script, "run" in raw])
        self._need(has_steps, (), "it has no steps: give run, or plan, commit, or both")
        self.known = {*parameters, *BUILT_IN, *(("plan",) if script else ())}
        steps = [*self._run(raw), *self._steps(raw, "plan"), *self._steps(raw, "commit")]
        steps += self._checks(raw)
        wordings = self._wordings(raw.get("wordings", []), parameters, required)
        return Procedure(
            folder=self.folder,
            parameters=parameters,
            required=required,
            wordings=tuple(wordings),
            requires=self._requires(raw.get("requires", {}), parameters),
            effects=effects,
            steps=tuple(steps),
            result=self._result(raw, may_be_missing=script is not None or "run" in raw),
            script=script,
        )

    def _effects(self, raw: Mapping[str, Any], script: Script | None) -> str:
        at, effects = ("effects",), str(raw.get("effects", "none"))
        self._need(effects in EFFECTS, at, f"must be one of {', '.join(EFFECTS)}")
        commits = raw.get("commit") or (script and script.has_commit)
        told = "there are commit steps, so it must say what they do: local, external or destructive"
        self._need(effects != "none" or not commits, at, told)
        return effects

    def _wordings(
        self, raw: Any, parameters: Mapping[str, Any], required: Sequence[str]
    ) -> Iterator[Wording]:
        """Yield wordings for a procedure with these parameters."""
        self._need(isinstance(raw, list), ("wordings",), "must be a list of sentences")
        for number, text in enumerate(raw):
            try:
                yield read_wording(text, parameters, required)
            except BadWording as error:
                raise self.error(("wordings", number), str(error)) from error

    def error(self, key: Key, message: str) -> ProcedureError:
        """Return an error at a key of the file, with its line."""
        parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in key]
        where = "".join(parts).lstrip(".")
        said = f"{where}: {message}" if where else message
        return ProcedureError(f"{self.path}:{_line(self.text, key)}: {said}")

    def _need(self, holds: object, at: Key, message: str) -> None:
        if not holds:
            raise self.error(at, message)

    def _keys(self, raw: Mapping[str, Any], keys: Sequence[str], at: Key) -> None:
        for key in raw:
            self._need(key in keys, (*at, key), f"unknown key; known are {', '.join(keys)}")

    def _mapping(self, raw: Any, keys: Sequence[str], at: Key, message: str) -> dict[str, Any]:
        """Return a mapping that has no other keys than these, without those that say nothing."""
        self._need(isinstance(raw, dict), at, message)
        self._keys(raw, keys, at)
        return {key: value for key, value in raw.items() if value is not None}

    def _raw(self) -> Any:
        try:
            self.text = self.path.read_text(encoding="utf-8")
            return parse_yaml(self.text)
        except (OSError, UnicodeDecodeError) as error:
            raise ProcedureError("error.replay.cannot-read", file=self.path, error=error) from error
        except NotYaml as error:
            raise ProcedureError(
                "error.replay.yaml", file=self.path, line=error.line, error=error
            ) from error

    def _program(self, raw: Mapping[str, Any]) -> Script:
        """Return the script that stands in for the lists of steps."""
        at, name = ("script",), raw["script"]
        is_python = isinstance(name, str) and name.endswith(".py")
        told = "must be the path of a Python file in this folder, as in scripts/run.py"
        self._need(is_python, at, told)
        self._alone(raw, ("plan", "commit"), "script")
        schema = raw.get("parameters")
        given = schema.get("properties", {}) if isinstance(schema, dict) else {}
        self._free_name("plan", ("parameters", "properties", "plan"), {"plan"} & set(given))
        from replay.script import Script, ScriptFault  # most SOPs are lists of steps

        try:
            return Script.load(self.folder, name)
        except ScriptFault as fault:
            if not fault.line:
                raise self.error(at, fault.reason) from fault
            place = f"{self.folder / name}:{fault.line}"
            raise ProcedureError(f"{place}: {fault.reason}") from fault

    def _alone(self, raw: Mapping[str, Any], others: Sequence[str], kind: str) -> None:
        for key in others:
            told = f"there is a {kind} too; an SOP is one or the other"
            self._need(not raw.get(key), (key,), told)

    # parameters

    def _parameters(self, raw: Any) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
        at = ("parameters",)
        told = "must be a JSON schema with type: object and properties"
        keys = ("type", "properties", "required", "additionalProperties")
        schema = self._mapping(raw, keys, at, told)
        properties: dict[str, dict[str, Any]] = schema.get("properties", {})
        self._need(isinstance(properties, dict), at, told)
        for name, each in properties.items():
            place = (*at, "properties", name)
            self._need(
                NAME.fullmatch(str(name)),
                place,
                "a parameter's name is lower-case letters, digits and _",
            )
            self._free_name(name, place, set(BUILT_IN))
            self._schema(each, place)
        required = schema.get("required", [])
        is_known = isinstance(required, list) and set(required) <= set(properties)
        self._need(is_known, (*at, "required"), "must list names from properties")
        return properties, tuple(required)

    def _free_name(self, name: str, at: Key, taken: set[str]) -> None:
        """Refuse names that would change what a shell does: they become environment variables of
        scripts."""
        is_free = not REFUSED_NAME.fullmatch(name) and name not in taken
        self._need(is_free, at, f"the name {name!r} is taken; use another one")

    def _schema(self, schema: Any, at: Key) -> None:
        told = f"must have a type: one of {', '.join(TYPES)}"
        is_typed = isinstance(schema, dict) and schema.get("type") in TYPES
        self._need(is_typed, at, told)
        self._keys(schema, SCHEMA_KEYS, at)
        formats, kind = (*FORMATS, *UNCHECKED), schema.get("format")
        is_fit = kind is None or (kind in formats and schema["type"] == "string")
        told = f"must be one of {', '.join(FORMATS)}, and the type string"
        self._need(is_fit, (*at, "format"), told)
        choices = schema.get("enum", ["-"])
        is_choice = isinstance(choices, list) and choices
        self._need(is_choice, (*at, "enum"), "must be a list of values")
        if schema["type"] == "array":
            self._schema(schema.setdefault("items", {"type": "string"}), (*at, "items"))
        if "pattern" in schema:
            self._regex(schema["pattern"], (*at, "pattern"))
        for key in ("minimum", "maximum", "minLength", "maxLength"):
            is_number = isinstance(schema.get(key, 0), int | float)
            self._need(is_number, (*at, key), "must be a number")
        if "default" in schema:
            wrong = mismatch(schema["default"], schema)
            self._need(not wrong, (*at, "default"), wrong)

    def _regex(self, pattern: Any, at: Key) -> None:
        try:
            re.compile(pattern)
        except (re.error, TypeError) as error:
            raise self.error(at, f"not a regular expression: {error}") from error

    def _requires(self, raw: Any, parameters: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        needs = self._mapping(raw, REQUIRES, ("requires",), "must be a mapping")
        for key, values in needs.items():
            at = ("requires", key)
            is_list = isinstance(values, list) and all(isinstance(each, str) for each in values)
            self._need(is_list, at, "must be a list of names")
            for name in values if key in ("folders", "files") else ():
                self._need(name in parameters, at, f"there is no parameter {name!r}")
        return {key: tuple(values) for key, values in needs.items()}

    # steps

    def _run(self, raw: Mapping[str, Any]) -> Iterator[Step]:
        """Yield the one step of an SOP that runs in a stage."""
        if "run" not in raw:
            self._need("expect" not in raw, ("expect",), "belongs to run, which is missing")
            return
        self._alone(raw, ("plan", "commit", "script"), "run")
        told = "must be {type: bash or python, cwd: …, script: …}"
        said = self._mapping(raw["run"], RUN_KEYS, ("run",), told)
        script, kind = said.get("script"), said.get("type", "bash")
        self._need(isinstance(script, str | dict), ("run",), told)
        self._need(kind in ("bash", "python"), ("run", "type"), "must be bash or python")
        if isinstance(script, dict):
            script = self._script(script, ("run", "script"))
        names = {found[1] for found in template.TEMPLATE.finditer(str(script))}
        self._need(not names & self.known, ("run", "script"), IN_A_SCRIPT)
        args = {"type": kind, "script": script}
        if "cwd" in said:
            self._names(said["cwd"], ("run", "cwd"))
            args["cwd"] = said["cwd"]
        expect = raw.get("expect", {})
        from replay.staged.expectation import wrong_in  # steps have no such expectations

        if wrong := wrong_in(expect):
            raise self.error(("expect", *wrong[0]), wrong[1])
        self._names(expect, ("expect",))
        self.known |= {"output", "changes"}
        save = {"output": "output", "changes": "data.changes"}
        yield Step("run", "code_run", args, expect, save)

    def _steps(self, raw: Mapping[str, Any], phase: str) -> Iterator[Step]:
        steps = raw.get(phase, [])
        self._need(isinstance(steps, list), (phase,), "must be a list of steps")
        for number, step in enumerate(steps):
            yield self._step(step, f"{phase}.{number + 1}", (phase, number))

    def _step(self, raw: Any, id: str, at: Key) -> Step:
        step = self._mapping(raw, STEP_KEYS, at, "must be a step: {tool: …, args: {…}}")
        when, unless = self._conditions(step, at)
        kinds = [key for key in ("tool", "done", "stop") if key in step]
        self._need(len(kinds) < 2, (*at, *kinds[1:2]), "a step has one of tool, done, stop")
        for kind in {"done", "stop"} & set(kinds):
            ends: dict[str, Any] = {kind: self._said(step[kind], (*at, kind))}
            return Step(id, when=when, unless=unless, **ends)
        return self._call(step, Step(id, when=when, unless=unless), at)

    def _call(self, step: Mapping[str, Any], begun: Step, at: Key) -> Step:
        is_call = isinstance(step.get("tool"), str) and isinstance(step.get("args", {}), dict)
        self._need(is_call, at, "must name a tool, and give its args as a mapping")
        each = str(step.get("each", ""))
        is_known = not each or each.partition(".")[0] in self.known
        told = "must name a list: a parameter, or what a step saves"
        self._need(is_known, (*at, "each"), told)
        item = {ITEM} if each else set[str]()
        args = self._args(step.get("args", {}), (*at, "args"), item)
        save = self._save(step.get("save", {}), (*at, "save"))
        note = self._said(step["note"], (*at, "note")) if "note" in step else {}
        self.known |= set(save)
        expect = self._expect(step.get("expect", {}), (*at, "expect"), item)
        again = step.get("repeatable", False)
        self._need(isinstance(again, bool), (*at, "repeatable"), "must be true or false")
        about: dict[str, Any] = {"args": args, "expect": expect, "save": save, "note": note}
        return replace(begun, tool=step["tool"], each=each, repeatable=again, **about)

    def _conditions(self, raw: Mapping[str, Any], at: Key) -> tuple[str, str]:
        told = "must name a parameter, or a value that an earlier step saves"
        for key in ("when", "unless"):
            is_known = str(raw.get(key)).partition(".")[0] in self.known
            self._need(key not in raw or is_known, (*at, key), told)
        return str(raw.get("when", "")), str(raw.get("unless", ""))

    def _args(self, raw: Mapping[str, Any], at: Key, item: set[str]) -> dict[str, Any]:
        args = dict(raw)
        script = args.pop("script", None)
        self._names(args, at, item)
        if isinstance(script, dict):
            script = self._script(script, (*at, "script"))
        else:
            self._need("{{" not in str(script), (*at, "script"), IN_A_SCRIPT)
        return {key: script if key == "script" else value for key, value in raw.items()}

    def _script(self, raw: dict[str, Any], at: Key) -> str:
        name = raw.get("file")
        is_file = set(raw) == {"file"} and isinstance(name, str)
        self._need(is_file, at, "must be text, or {file: scripts/NAME}")
        path = (self.folder / str(name)).resolve()
        # the hash of what was proven covers this folder
        is_inside = path.is_relative_to(self.folder.resolve() / "scripts")
        self._need(is_inside, at, f"{name} is not in the SOP's folder scripts/")
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise self.error(at, f"{name} cannot be read: {error}") from error

    def _names(self, value: Any, at: Key, more: Collection[str] = ()) -> None:
        """Look at each name in a template."""
        try:
            used = list(template.names(value))
        except template.TemplateError as error:
            raise self.error(at, str(error)) from error
        for name in used:
            self._is_there(name, at, more)

    def _is_there(self, name: str, at: Key, more: Collection[str]) -> None:
        told = f"nothing is called {name!r} here: it is no parameter and no earlier step saves it"
        self._need(name in {*self.known, *more}, at, told)

    def _save(self, raw: Any, at: Key) -> dict[str, str]:
        self._need(isinstance(raw, dict), at, f"must be a mapping: name → {EXTRACTS}")
        for name, extractor in raw.items():
            place = (*at, name)
            self._need(
                NAME.fullmatch(str(name)), place, "a name is lower-case letters, digits and _"
            )
            self._free_name(name, place, self.known)
            read = parse_extractor(extractor) if isinstance(extractor, str) else None
            if read is None:
                raise self.error(place, f"must be {EXTRACTS}")
            for used in sorted(read.names):
                self._is_there(used, place, set(raw))
        return dict(raw)

    def _expect(self, raw: Any, at: Key, item: set[str]) -> dict[str, Any]:
        told = f"must be a mapping of {', '.join(EXPECT_KEYS)}"
        expect = self._mapping(raw, EXPECT_KEYS, at, told)
        told = f"must be one of {', '.join(STATUSES)}"
        self._need(expect.get("status", "ok") in STATUSES, (*at, "status"), told)
        is_number = isinstance(expect.get("exit_code", 0), int)
        self._need(is_number, (*at, "exit_code"), "must be a number")
        if "matches" in expect:
            self._regex(expect["matches"], (*at, "matches"))
        fields, place = expect.get("fields", {}), (*at, "fields")
        told = "must map fields of the JSON that is printed to values"
        self._need(isinstance(fields, dict), place, told)
        for key in fields:
            self._need(parse_extractor(field_of(str(key))), place, told)
        self._names(fields, place, item)
        for key in ("min_count", "max_count"):
            self._counts(expect.get(key, {}), (*at, key))
        return expect

    def _counts(self, raw: Any, at: Key) -> None:
        told = "must map names of saved values to numbers"
        self._need(isinstance(raw, dict), at, told)
        for name, number in raw.items():
            is_known = name.partition(".")[0] in self.known
            self._need(is_known and isinstance(number, int), at, told)

    def _checks(self, raw: Mapping[str, Any]) -> Iterator[Step]:
        checks = raw.get("checks", [])
        self._need(isinstance(checks, list), ("checks",), "must be a list of {command: …}")
        for number, check in enumerate(checks):
            read = self._step if isinstance(check, dict) and "tool" in check else self._command
            yield read(check, f"check.{number + 1}", ("checks", number))

    def _command(self, check: Any, id: str, at: Key) -> Step:
        """Return a shell command that ends well when all is as it should be."""
        told = (
            "must be {command: …}, a shell command that ends with exit code 0, or a step {tool: …}"
        )
        is_mapping = isinstance(check, dict) and not set(check) - {"command", "when", "unless"}
        self._need(is_mapping and isinstance(check.get("command"), str), at, told)
        self._need("{{" not in check["command"], (*at, "command"), IN_A_COMMAND)
        args = {"type": "bash", "script": check["command"]}
        when, unless = self._conditions(check, at)
        return Step(id, "code_run", args, {"exit_code": 0}, when=when, unless=unless)

    # texts

    def _result(self, raw: Mapping[str, Any], *, may_be_missing: bool) -> dict[str, str]:
        at, is_there = ("result",), "result" in raw
        told = "is missing: what is said in the end, a text or {en: …, zh: …}"
        self._need(is_there or may_be_missing, at, told)
        return self._said(raw["result"], at) if is_there else {}

    def _said(self, raw: Any, at: Key) -> dict[str, str]:
        """Return a text for people: one string, or one in each language."""
        told = "must be a text, or {en: …, zh: …}"
        texts = {"en": raw} if isinstance(raw, str) else raw
        self._need(isinstance(texts, dict) and "en" in texts, at, told)
        for text in texts.values():
            self._need(isinstance(text, str), at, told)
        self._keys(texts, ("en", "zh"), at)
        self._names(list(texts.values()), at)
        return dict(texts)


def _line(text: str, key: Key) -> int:
    """Return the line where a key stands, counted from 1; that of the nearest key above it when it
    does not stand there."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    node = yaml.compose(text, Loader=loader) if text else None
    line = 1
    for part in key:
        found = _child(node, part)
        if found is None:
            break
        line, node = found
    return line


def _child(node: Any, part: str | int) -> tuple[int, Any] | None:
    """Return the line of a key, or of an item, and what stands there."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == str(part):
                return name.start_mark.line + 1, value
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line + 1, node.value[part]
    return None
