"""Measure the size and density of the code, part by part: `python -m tests.scales` prints,
`--write` lowers budgets.toml.

A part is a room or a sub-package, counted without the sub-packages below it. Decisions are the
sum of radon's cyclomatic complexity over all functions; booleans are `and` and `or`.
"""

import ast
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

CHECKOUT = Path(__file__).resolve().parent.parent
BUDGETS = CHECKOUT / "budgets.toml"
ROOMS = (
    *("models", "replay", "sandbox", "safety", "shell", "text", "tools"),
    *("memory", "learning", "context", "runs", "ui"),
)
TOP = ("agent_loop", "config", "handler", "launch")
DATA = {".yaml", ".yml", ".json", ".txt", ".tsv", ".csv"}
NOT_OURS = {"vendor", "node_modules", "__pycache__"}
MOST_FACE_NAMES = 8
MOST_COMPLEXITY = 10
MOST_FILES = 12
MOST_BOOLEANS = 40  # `and` and `or` in 1,000 lines
FEW_LINES = 100  # below, a rate says little
Counts = dict[str, int]


class Function(NamedTuple):
    """One function with its complexity, named as `path:Class.method`."""

    where: str
    complexity: int


class Part(NamedTuple):
    """The measured size of one part."""

    lines: int
    decisions: int
    booleans: int
    regexes: int
    files: int
    past_face: int  # names that other parts import from its modules, not from its face
    complex: int  # functions above radon's 10


def modules(part: str) -> list[Path]:
    """List the Python files that lie directly in a part."""
    if part in TOP:
        return [CHECKOUT / f"{part}.py"]
    return sorted((CHECKOUT / part.replace(".", "/")).glob("*.py"))


@cache
def parts() -> tuple[str, ...]:
    """Name all rooms and sub-packages, dotted, in order."""
    folders = {
        ".".join(file.parent.relative_to(CHECKOUT).parts)
        for room in ROOMS
        for file in (CHECKOUT / room).rglob("*.py")
        if not NOT_OURS & set(file.parts)
    }
    return (*TOP, *sorted(folders))


@cache
def tree_of(file: Path) -> ast.Module:
    """Parse a file once."""
    return ast.parse(file.read_text("utf-8"))


@cache
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """List all nodes of a tree once."""
    return tuple(ast.walk(tree))


def dotted(file: Path) -> str:
    """Return the module's name as an import says it."""
    return ".".join(file.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__init__")


@cache
def all_modules() -> dict[str, Path]:
    """Map the name of every module of the product to its file."""
    return {dotted(file): file for part in parts() for file in modules(part)}


def part_of(module: str) -> str:
    """Return the part that a module lies in."""
    if module in parts():
        return module
    return module.rpartition(".")[0] or module


def functions() -> Iterator[Function]:
    """Measure every function of the product with radon."""
    from radon.visitors import ComplexityVisitor
    from radon.visitors import Function as Measured

    def all_of(blocks: Any, prefix: str) -> Iterator[Function]:
        for block in blocks:
            name = f"{prefix}{block.name}"
            if isinstance(block, Measured):
                yield Function(name, block.complexity)
                yield from all_of(block.closures, f"{name}.")
            else:
                yield from all_of(block.methods, f"{name}.")
                yield from all_of(block.inner_classes, f"{name}.")

    for file in all_modules().values():
        visitor = ComplexityVisitor.from_ast(tree_of(file))
        path = file.relative_to(CHECKOUT)
        yield from all_of((*visitor.functions, *visitor.classes), f"{path}:")


def _booleans(file: Path) -> int:
    found = (node for node in nodes_of(tree_of(file)) if isinstance(node, ast.BoolOp))
    return sum(len(node.values) - 1 for node in found)


_REGEX = re.compile(
    r"\b(?:re\.(?:compile|search|match|fullmatch|finditer|findall|sub|split)|pattern)\("
)


def _regexes(file: Path) -> int:
    return len(_REGEX.findall(file.read_text("utf-8")))


class Use(NamedTuple):
    """One import of a name of another part."""

    user: str  # module
    part: str
    name: str  # dotted, relative to the part: `log.RunLog`; a face's name has no dot


def imports_of(module: str, file: Path) -> Iterator[tuple[str, str]]:
    """Give each imported module of ours with the imported name, "" for the module itself."""
    known = all_modules()
    for node in nodes_of(tree_of(file)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name in known)
        if isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                above = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
                base = above[: len(above) - node.level + 1]
                source = ".".join([*base, *filter(None, [node.module])])
            for alias in node.names:
                full = f"{source}.{alias.name}"
                if full in known:
                    yield full, ""
                elif source in known:
                    yield source, alias.name


@cache
def uses() -> tuple[Use, ...]:
    """List all imports that cross from one part into another."""
    found = set()
    for module, file in all_modules().items():
        own = part_of(module)
        for source, name in imports_of(module, file):
            part = part_of(source)
            if part == own or part in TOP:
                continue
            inside = source.removeprefix(part).lstrip(".")
            found.add(Use(module, part, ".".join(filter(None, (inside, name)))))
    return tuple(sorted(found))


@cache
def past_face() -> dict[str, set[str]]:
    """Map each part to the names that others take from its modules instead of its face."""
    found: dict[str, set[str]] = defaultdict(set)
    for use in uses():
        is_module = use.name in all_modules() or f"{use.part}.{use.name}" in all_modules()
        if "." in use.name or is_module:
            found[use.part].add(use.name)
    return found


def faces() -> dict[str, set[str]]:
    """Map each part that has a face to the names in it (see text/face.py)."""
    found = {}
    for part in parts():
        init = CHECKOUT / part.replace(".", "/") / "__init__.py"
        if not init.exists():
            continue
        for node in ast.walk(tree_of(init)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy":
                named = re.findall(
                    r"^ +from [\w.]+ import (\w+) as \1$", init.read_text("utf-8"), re.M
                )
                found[part] = {word.arg for word in node.keywords if word.arg} | set(named)
    return found


def circles() -> list[str]:
    """List the modules that import each other, also inside functions: each of them comes back to
    itself."""
    known = all_modules()
    edges = {
        module: {source for source, _ in imports_of(module, file)} - {module}
        for module, file in known.items()
    }
    return [module for module in edges if module in _reached(edges, edges[module])]


def _reached(edges: dict[str, set[str]], begin: set[str]) -> set[str]:
    """Return what is imported from these modules on."""
    found, rest = set[str](), list(begin)
    while rest:
        module = rest.pop()
        if module not in found:
            found.add(module)
            rest += edges.get(module, ())
    return found


@cache
def measured() -> dict[str, Part]:
    """Measure every part."""
    decisions: dict[str, int] = defaultdict(int)
    above: dict[str, int] = defaultdict(int)
    for function in functions():
        part = part_of(dotted(CHECKOUT / function.where.partition(":")[0]))
        decisions[part] += function.complexity
        above[part] += function.complexity > MOST_COMPLEXITY
    past = past_face()
    sizes = {}
    for part in parts():
        files = modules(part)
        sizes[part] = Part(
            lines=sum(len(file.read_text("utf-8").splitlines()) for file in files),
            decisions=decisions[part],
            booleans=sum(map(_booleans, files)),
            regexes=sum(map(_regexes, files)),
            files=len(files),
            past_face=len(past.get(part, ())),
            complex=above[part],
        )
    return sizes


def data_rows() -> dict[str, int]:
    """Count the lines of data files by folder: a rule that moved into a file is still a rule."""
    rows: dict[str, int] = defaultdict(int)
    for file in (CHECKOUT / "assets").rglob("*"):
        if file.suffix in DATA and not NOT_OURS & set(file.parts):
            folder = str(file.parent.relative_to(CHECKOUT))
            rows[folder] += len(file.read_text("utf-8").splitlines())
    return dict(sorted(rows.items()))


def javascript_lines() -> int:
    """Count the lines of JavaScript that we wrote."""
    files = [file for file in (CHECKOUT / "assets").rglob("*.js") if not NOT_OURS & set(file.parts)]
    return sum(len(file.read_text("utf-8").splitlines()) for file in files)


def test_lines() -> dict[str, int]:
    """Count the lines of test code and of test data."""
    code = [*(CHECKOUT / "tests").rglob("*.py")]
    data = [file for file in (CHECKOUT / "tests").rglob("*") if file.suffix in DATA - {".json"}]
    data = [file for file in data if not NOT_OURS & set(file.parts)]
    return {
        "lines": sum(len(file.read_text("utf-8").splitlines()) for file in code),
        "rows": sum(len(file.read_text("utf-8", "replace").splitlines()) for file in data),
    }


def wide_lines() -> int:
    """Count the lines of more than 100 columns: texts and tables that the formatter cannot
    break."""
    files = all_modules().values()
    return sum(len(line) > 100 for file in files for line in file.read_text("utf-8").splitlines())


def budgets() -> dict[str, Any]:
    """Read budgets.toml."""
    return tomllib.loads(BUDGETS.read_text("utf-8"))


def above_the_rules(sizes: dict[str, Part], goals: Counts) -> dict[str, list[str]]:
    """Name the parts and rooms that break a rule which holds for all in the end."""
    rooms: dict[str, int] = defaultdict(int)
    for name, part in sizes.items():
        rooms[name.split(".")[0]] += part.lines
    return {
        "crowded": [name for name, part in sizes.items() if part.files > MOST_FILES],
        "dense": [
            name
            for name, part in sizes.items()
            if part.lines >= FEW_LINES and 1000 * part.booleans > MOST_BOOLEANS * part.lines
        ],
        "large": [room for room, lines in rooms.items() if lines > goals.get(room, 0)],
    }


def _keys(text: str) -> Iterator[tuple[str, str]]:
    """Give each line with its section and key, such as `[parts] text`."""
    section = ""
    for line in text.splitlines():
        section = line if line.startswith("[") else section
        yield f"{section.partition(' #')[0]} {line.split(' = ')[0]}", line


def with_reasons(text: str, old: str) -> str:
    """Put the comments of the old text behind the same keys of the new one."""
    reasons = {key: line.partition(" #")[2] for key, line in _keys(old) if " = " in line}
    lines = []
    for key, line in _keys(text):
        reason = reasons.get(key) if " = " in line else ""
        lines.append(f"{line} #{reason}" if reason and "#" not in line else line)
    return "\n".join(lines) + "\n"


def written(limits: dict[str, Any]) -> str:
    """Lay out budgets.toml; a limit is lowered to what is measured and never raised."""
    old, sizes = limits["parts"], measured()
    lines = [_HEAD, "[goals] # lines of a room in the end"]
    lines += [f'"{room}" = {goal}' for room, goal in limits["goals"].items()]
    lines += ["", "[parts]"]
    for name, part in sizes.items():
        before = old.get(name, {})
        row = {key: min(value, before.get(key, value)) for key, value in part._asdict().items()}
        lines.append(f'"{name}" = {{ {", ".join(f"{key} = {n}" for key, n in row.items())} }}')
    for title, found in (("rows", data_rows()), ("tests", test_lines()), ("whole", whole())):
        before = limits.get(title, {})
        lines += ["", f"[{title}]"]
        lines += [f'"{key}" = {min(value, before.get(key, value))}' for key, value in found.items()]
    lines += ["", "[not_yet] # what still breaks a rule; these lists only become shorter"]
    for rule, names in above_the_rules(sizes, limits["goals"]).items():
        left = [name for name in names if name in limits.get("not_yet", {}).get(rule, names)]
        lines += [f"{rule} = [", *(f'  "{name}",' for name in left), "]"]
    return "\n".join(lines) + "\n"


def whole() -> dict[str, int]:
    """Measure what no single part owns."""
    return {
        "javascript_lines": javascript_lines(),
        "wide_lines": wide_lines(),
        "modules_in_circles": len(circles()),
        "short_files_with_one_importer": len(crumbs()),
    }


def crumbs() -> list[str]:
    """List the files of under 40 lines that one module alone imports."""
    importers: dict[str, set[str]] = defaultdict(set)
    for module, file in all_modules().items():
        for source, _ in imports_of(module, file):
            importers[source].add(module)
    return sorted(
        module
        for module, file in all_modules().items()
        if len(importers[module]) == 1
        and file.name != "__init__.py"
        and len(file.read_text("utf-8").splitlines()) < 40
    )


_HEAD = """# How large and how dense each part may be. tests/test_budgets.py holds it; `python -m tests.scales --write` lowers
# the limits to what is measured. Raising one needs a comment with the reason beside it. Goals: docs/architecture.md.
#   lines       of Python as `ruff format` lays it      decisions  sum of radon's complexity
#   booleans    `and`, `or`                             regexes    regular expressions in code
#   files       in the folder, at most 12               past_face  names that others take past the part's face
#   complex     functions with more than 10 decisions
"""


def main() -> None:
    """Print the measured parts, or write budgets.toml."""
    if "--write" in sys.argv:
        old = BUDGETS.read_text("utf-8")
        BUDGETS.write_text(with_reasons(written(budgets()), old), "utf-8")
        return
    rooms: dict[str, list[Part]] = defaultdict(list)
    for name, part in measured().items():
        rooms[name.split(".")[0]].append(part)
    print("room          lines  decisions  and/or per 1,000  regexes  files  past face")
    for room, found in rooms.items():
        total = [sum(values) for values in zip(*found, strict=True)]
        per = 1000 * total[2] / max(1, total[0])
        print(
            f"{room:<12}{total[0]:>7}{total[1]:>11}{per:>18.0f}{total[3]:>9}{total[4]:>7}{total[5]:>11}"
        )
    print(whole(), test_lines())


if __name__ == "__main__":
    main()
