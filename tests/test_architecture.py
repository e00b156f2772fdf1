"""Holds what docs/architecture.md and CONTRIBUTING.md promise about the code itself: direction,
names, locks, schemas."""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import CHECKOUT
from tests.rows import rows
from tests.scales import nodes_of, tree_of
from tools.registry import listed
from tools.schema import derive

# From the top down: a module may import from its own folder and from lower lines; not from the same
# line, not upwards.
LAYERS = rows(__name__, "layers")
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
FOLDERS = sorted(name for name in RANK if (CHECKOUT / name).is_dir())
MAY_PRINT = ("launch", "ui")
AT_USE = {
    "runs/workers/worker.py": "runs.workers.worker",
    "tools/web/ssrf_session.py": "tools.web.ssrf_session",
    "tools/mcp/servers.py": "tools.mcp.servers",
    "tools/mcp/pipe.py": "tools.mcp.servers",
    "tools/mcp/mended.py": "tools.mcp.servers",
    "ui/mcp_server/server.py": "ui.mcp_server.server",
    "ui/web/app.py": "ui.web.app",
    "ui/web/guard.py": "ui.web.guard",
    "ui/web/live/sockets.py": "ui.web.live.sockets",
    "ui/web/shapes.py": "ui.web.shapes",
    **{
        f"ui/web/routes/{name}.py": "ui.web.routes"
        for name in (
            "doors",
            "here",
            "learned",
            "memory",
            "openai",
            "responses",
            "runs",
            "talking",
            "world",
        )
    },
}  # of a library's classes; imported inside functions, or by each other
INVERTED = r"(?:What|Whether|Of|Those|Who|That|Which)\b"
VAGUE = re.compile(r"manager|helper|util|common|misc|service|engine", re.IGNORECASE)


def product() -> Iterator[tuple[str, str, ast.Module]]:
    """Each module of the product: its path in the checkout, its member of a layer, its syntax
    tree."""
    for name in RANK:
        files = (CHECKOUT / name).rglob("*.py") if name in FOLDERS else [CHECKOUT / f"{name}.py"]
        for file in files:
            yield str(file.relative_to(CHECKOUT)), name, tree_of(file)


def all_code() -> list[Path]:
    """Every Python file of ours."""
    found = [CHECKOUT.glob("*.py")]
    found += [
        (CHECKOUT / name).rglob("*.py") for name in (*FOLDERS, "tests", "bench", "scripts", "sops")
    ]
    return [file for files in found for file in files]


def imported(node: ast.AST) -> list[str]:
    """Return the modules that a statement imports; `import_module("x")` is one too."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "."]
    if isinstance(node, ast.Call) and "import_module" in (
        getattr(node.func, "id", ""),
        getattr(node.func, "attr", ""),
    ):
        return [
            each.value
            for each in node.args
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
    return []


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs when the module is imported: not the bodies of functions, not what only type
    checkers see."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from at_import(child)


def test_imports_point_one_way() -> None:
    wrong = []
    for path, name, tree in product():
        for node in nodes_of(tree):
            for module in imported(node):
                target = module.split(".")[0]
                if target in RANK and target != name and RANK[target] <= RANK[name]:
                    wrong.append(f"{path}:{getattr(node, 'lineno', 0)} imports {module}")
    assert wrong == []


def test_libraries_are_imported_where_they_are_used() -> None:
    """Whatever is neither Python's own nor ours costs start-up time, so it is imported inside
    functions."""
    ours = RANK.keys() | set(sys.stdlib_module_names)
    wrong = [
        f"{path} imports {module}"
        for path, _, tree in product()
        for node in at_import(tree)
        for module in imported(node)
        if path not in AT_USE and (module in AT_USE.values() or module.split(".")[0] not in ours)
    ]
    assert wrong == []


def test_only_screens_print() -> None:
    wrong = [
        f"{path}:{node.lineno}"
        for path, name, tree in product()
        if name not in MAY_PRINT
        for node in nodes_of(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.stdout.write")
    ]
    assert wrong == []


def test_a_line_is_read_where_no_ctrl_c_is_lost() -> None:
    wrong = [
        f"{path}:{node.lineno}"
        for path, _, tree in product()
        for node in nodes_of(tree)
        if isinstance(node, ast.Name) and node.id == "input" and isinstance(node.ctx, ast.Load)
    ]
    assert wrong == [], "ui/terminal/typed_line.py"


def test_every_module_says_its_job_in_its_first_line() -> None:
    wrong = [
        str(file.relative_to(CHECKOUT))
        for file in all_code()
        if file.read_text("utf-8").strip() and not ast.get_docstring(tree_of(file))
    ]
    assert wrong == []


def test_every_folder_lists_its_files() -> None:
    wrong = []
    for folder in FOLDERS:
        readme = CHECKOUT / folder / "README.md"
        said = readme.read_text("utf-8") if readme.exists() else ""
        files = [file for file in (CHECKOUT / folder).glob("*.py") if file.name != "__init__.py"]
        wrong += [
            f"{folder}/README.md lacks {file.name}" for file in files if file.stem not in said
        ]
    assert wrong == []


def test_pages_name_files_that_are_there() -> None:
    """In pages for readers: modules, scripts, other pages. What an SOP or the home folder has is no
    file of ours."""
    named = re.compile(
        r"(?<![\w/.~-])(?:[a-z]\w*/)+[\w-]+\.py\b|(?<![\w/.-])(?:scripts|docs|bench|tests)/[\w./-]*\w(?![\w<])"
    )
    pages = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").glob("*.md")]
    pages += [
        page
        for name in (*FOLDERS, "tests", "bench", "scripts")
        for page in (CHECKOUT / name).rglob("README.md")
    ]
    wrong = [
        f"{page.relative_to(CHECKOUT)}: {word}"
        for page in pages
        for word in named.findall(page.read_text("utf-8"))
        if word not in ("scripts/run.py", "scripts/list.py")
        and not any((folder / word).exists() for folder in (CHECKOUT, page.parent))
    ]
    assert wrong == []


def test_names_say_what_a_thing_is() -> None:
    vague = [str(file.relative_to(CHECKOUT)) for file in all_code() if VAGUE.search(file.stem)]
    for path, _, tree in product():
        names = [node.name for node in nodes_of(tree) if isinstance(node, ast.ClassDef)]
        vague += [f"{path}: {name}" for name in names if VAGUE.search(name)]
    assert vague == []


def test_checks_are_switched_off_only_by_name_and_with_a_reason() -> None:
    types, lint = "type: " + "ignore", re.compile("no" + "qa(?!: [A-Z0-9, ]+ +[-(].)")
    wrong = [
        f"{file.relative_to(CHECKOUT)}:{number}"
        for file in all_code()
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if types in line or lint.search(line)
    ]
    assert wrong == []


def test_errors_are_caught_by_name() -> None:
    """`except BaseException` is for tidying up, and raises again."""
    wrong = []
    for path, _, tree in product():
        for node in nodes_of(tree):
            if isinstance(node, ast.ExceptHandler):
                caught = ast.unparse(node.type) if node.type else "everything"
                raises = any(
                    isinstance(each, ast.Raise) and each.exc is None for each in ast.walk(node)
                )
                if caught in ("everything", "Exception") or (
                    caught == "BaseException" and not raises
                ):
                    wrong.append(f"{path}:{node.lineno} catches {caught}")
    assert wrong == []


def test_locks_pin_everything_by_hash_and_name_no_host() -> None:
    requirements = CHECKOUT / "requirements"
    for source in requirements.glob("*.in"):
        lock = (requirements / f"{source.stem}.lock").read_text("utf-8")
        assert "://" not in lock + source.read_text("utf-8")
        assert "--index" not in lock
        assert "--find-links" not in lock
        pinned = re.split(
            r"^(?=[a-z0-9])", re.sub(r"^ *#.*\n", "", lock, flags=re.MULTILINE), flags=re.MULTILINE
        )[1:]
        assert [each for each in pinned if "==" not in each or "--hash=sha256:" not in each] == []
        wanted = re.findall(r"^([A-Za-z][\w-]*)", source.read_text("utf-8"), re.MULTILINE)
        names = {each.split("==")[0] for each in pinned}
        assert {name.lower().replace("_", "-") for name in wanted} - names == set()
    assert not list(CHECKOUT.glob("uv.lock"))


def test_shared_pins_agree() -> None:
    """core.lock and test.lock are installed into one environment."""
    pins = [
        dict(
            re.findall(
                r"^([\w-]+)==(\S+)",
                (CHECKOUT / f"requirements/{name}.lock").read_text("utf-8"),
                re.MULTILINE,
            )
        )
        for name in ("core", "test")
    ]
    assert {
        name for name in pins[0].keys() & pins[1].keys() if pins[0][name] != pins[1][name]
    } == set()


def test_tool_schemas_are_those_of_the_code() -> None:
    """`python -m tools.registry` writes the file anew."""
    for file, tools in listed().items():
        assert json.loads(file.read_text("utf-8")) == [derive(tool) for tool in tools]


def test_texts_begin_with_a_verb_or_a_noun() -> None:
    """Refuse docstrings and comments that begin with What, Whether, Of, Those, Who, That, Which:
    say what the code does."""
    wrong = [
        f"{file.relative_to(CHECKOUT)}:{number}: {text.splitlines()[0]}"
        for file in all_code()
        for number, text in texts_of(file)
        if re.match(f"#* *{INVERTED}", text)
    ]
    assert wrong == []


def texts_of(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and the comments of a file, each with its line."""
    text = file.read_text("utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in nodes_of(tree_of(file)):
        if isinstance(node, documented) and (said := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), said
    if not re.search(f"# *{INVERTED}", text):
        return  # reading tokens is slow
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
