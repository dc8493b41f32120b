"""The Python package: no module imports itself through others, everything is installed, no file is long."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
LINES_MAX = 600


def modules_of(root: Path) -> dict[str, Path]:
    """The modules of the packages in a folder, by their full names; of the extension its description."""
    found = {}
    for path in sorted([*root.rglob("*.py"), *root.rglob("*.pyi")]):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(name: str, path: Path, modules: dict[str, Path]) -> set[str]:
    """What a module imports of these, also inside functions: a late import hides a circle, and does not break it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
            above = package[: len(package) + 1 - node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{source}.{alias.name}"
                found.add(whole if whole in modules else source)
    return {other for other in found if other in modules and other != name}


def circles(root: Path) -> list[list[str]]:
    """Modules that import each other: what is left without those that import, or are imported by, none."""
    modules = modules_of(root)
    graph = {name: imports_of(name, path, modules) for name, path in modules.items()}
    while True:
        used = set().union(*graph.values()) if graph else set()
        ends = [name for name, targets in graph.items() if name not in used or not targets & graph.keys()]
        if not ends:
            return [[name, *sorted(targets & graph.keys())] for name, targets in sorted(graph.items())]
        for name in ends:
            del graph[name]


@pytest.mark.parametrize("folder", ["", "jax"])
def test_no_import_circles(folder):
    assert modules_of(PYTHON / folder)
    assert circles(PYTHON / folder) == []


def test_a_planted_circle_is_found(tmp_path):
    (tmp_path / "package" / "deep").mkdir(parents=True)
    (tmp_path / "package" / "__init__.py").write_text("from package.deep import one\n")
    (tmp_path / "package" / "deep" / "__init__.py").write_text("")
    (tmp_path / "package" / "deep" / "one.py").write_text("from package.deep.two import thing\n")
    (tmp_path / "package" / "deep" / "two.py").write_text("import os\n\nthing = os\n")
    assert circles(tmp_path) == []
    (tmp_path / "package" / "deep" / "two.py").write_text(
        "def thing():\n    from package.deep import three\n    return three\n"
    )
    (tmp_path / "package" / "deep" / "three.py").write_text("import package.deep.one\n")
    assert [circle[0] for circle in circles(tmp_path)] == [f"package.deep.{name}" for name in ("one", "three", "two")]


def test_everything_is_installed():
    listed = set(re.findall(r"'(tenfold/[\w/.]+\.(?:pyi?|typed))'", (PYTHON / "meson.build").read_text()))
    there = {p.relative_to(PYTHON).as_posix() for p in (PYTHON / "tenfold").rglob("*") if p.suffix in (".py", ".pyi")}
    assert listed == there | {"tenfold/py.typed"}


def test_files_are_short():
    files = [path for folder in ("python", "tests", "bench", "examples") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 100
    assert {str(p): n for p in files if (n := len(p.read_text().splitlines())) > LINES_MAX} == {}
