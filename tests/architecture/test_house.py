"""The rules of the house that a reader can check with a file listing and a parser.

The import contracts in pyproject.toml say the same of imports between our own
modules, and more; these tests also stand where the contracts are not run.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.widgets import qt_calls

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for top in ("app", "core") for path in (ROOT / top).rglob("*.py"))
MOST_LINES = 400

QT = {"PySide6", "shiboken6", "pyqtgraph", "superqt", "qtawesome"}
TORCH = {"torch", "transformers"}
# Folder, what nothing in it may import, and the folder inside it that may.
FORBIDDEN_IMPORTS = (
    ("core", QT | {"app", "transformers"}, None),
    ("app", TORCH, "app/workers"),
)
VAGUE_NAMES = re.compile(r"(^|_)(utils?|helpers?|managers?|misc|common)(_|$)", re.I)
MACHINE_PATHS = re.compile(rb"/(?:home|root|tmp|work|farm|Users)/\w")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports_of(path: Path) -> Iterator[str]:
    """Every module or name the file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def shared_files() -> list[Path]:
    """The files of the repository, as git lists them."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.check_output(listing, cwd=ROOT, text=True).split("\0")
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def test_both_halves_of_the_house_are_looked_at():
    assert {name_of(path).partition("/")[0] for path in SOURCES} == {"app", "core"}


def test_every_folder_of_code_is_a_package():
    folders = {path.parent for path in SOURCES} | {ROOT / "resources"}
    assert [name_of(f) for f in folders if not (f / "__init__.py").is_file()] == []


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_file_is_short_enough_to_read_in_one_go(path):
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_file_opens_with_its_place_in_the_pipeline(path):
    assert ast.get_docstring(ast.parse(path.read_bytes()))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_is_named_after_what_it_holds(path):
    assert not VAGUE_NAMES.search(path.stem)


@pytest.mark.parametrize(("folder", "forbidden", "free"), FORBIDDEN_IMPORTS)
def test_imports_point_one_way(folder, forbidden, free):
    wrong = [
        f"{name_of(path)} imports {module}"
        for path in SOURCES
        if ROOT / folder in path.parents
        and (free is None or ROOT / free not in path.parents)
        for module in imports_of(path)
        if module.partition(".")[0] in forbidden
    ]
    assert wrong == []


def test_no_panel_imports_another():
    panels = ROOT / "app" / "panels"
    stations = {
        f"app.panels.{path.stem}"
        for path in panels.glob("*.py")
        if path.stem not in {"__init__", "base"}
    }
    wrong = [
        f"{name_of(path)} imports {module}"
        for path in panels.glob("*.py")
        if path.stem != "__init__"
        for module in imports_of(path)
        if stations & {module, module.rpartition(".")[0]}
    ]
    assert wrong == []


def calls_of(tree: ast.AST, name: str) -> list[ast.expr]:
    """Every `name(...)` with something between the brackets."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [c for c in calls if c.args and getattr(c.func, "id", "") == name]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_painter_ends_even_if_painting_fails(path):
    # Qt crashes where a painter outlives the repaint that made it, and the traceback
    # of an exception keeps it alive.
    tree = ast.parse(path.read_bytes())
    withs = (node for node in ast.walk(tree) if isinstance(node, ast.With))
    ended = [item.context_expr for node in withs for item in node.items]
    assert [c.lineno for c in calls_of(tree, "QPainter") if c not in ended] == []


def is_called_by_qt(method: ast.stmt) -> bool:
    return isinstance(method, ast.FunctionDef) and qt_calls.is_called_by_qt(method.name)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_fault_leaves_a_method_that_qt_calls(path):
    # PySide would keep it until the next widget is made, and crash there.
    unguarded = [
        owner.name
        for owner in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(owner, ast.ClassDef)
        and any(map(is_called_by_qt, owner.body))
        and "tells_faults" not in [getattr(d, "id", "") for d in owner.decorator_list]
    ]
    assert unguarded == []


WORKERS_SIGNALS = {"answered", "failed", "progressed", "rendered", "_handed_over"}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_workers_signal_reaches_the_thread_of_a_bound_method(path):
    # A lambda or a plain function would run in the worker's thread.
    wrong = [
        call.lineno
        for call in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", "") == "connect"
        and getattr(call.func.value, "attr", "") in WORKERS_SIGNALS
        and not all(isinstance(receiver, ast.Attribute) for receiver in call.args)
    ]
    assert wrong == []


def module_of(path: Path) -> str:
    return name_of(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@pytest.mark.parametrize("place", ["app", "core/__init__.py", "core/trace/matrix.py"])
def test_importing_it_loads_no_torch(place):
    # The first window paints before torch is loaded, so even a worker waits with it
    # until its thread runs; a script that says `import core` waits for nothing.
    wanted = [p for p in SOURCES if ROOT / place in (p, *p.parents)]
    modules = ", ".join(module_of(path) for path in wanted)
    code = f"import sys, {modules}; print({TORCH} & set(sys.modules))"
    loaded = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    assert loaded == "set()\n"


def test_no_file_tells_of_the_machine_it_was_written_on():
    found = {
        name_of(path): match.group()
        for path in shared_files()
        if b"\0" not in (content := path.read_bytes())
        and (match := MACHINE_PATHS.search(content))
    }
    assert found == {}
