"""The order of the folders of src/: it holds, and what breaks it is found."""

import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

SCRIPT = ROOT / "scripts" / "include-graph"


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True)


def planted(tmp_path, file, line, top="src"):
    for folder in {"src", top}:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("grammar"))
    path = tmp_path / top / file
    path.write_text(path.read_text() + f'#include "{line}"\n')
    return run("--root", tmp_path)


def test_the_order_holds():
    done = run()
    assert done.returncode == 0, done.stderr


def test_an_include_against_the_order_is_found(tmp_path):
    done = planted(tmp_path, "ir/type.c", "backend/backend.h")
    assert done.returncode == 1
    assert "src/ir/type.c includes backend/backend.h: backend comes after ir" in done.stderr


def test_a_backend_that_knows_another_is_found(tmp_path):
    done = planted(tmp_path, "backend/pjrt/topology.c", "backend/cpu/plan/plan.h")
    assert done.returncode == 1
    said = "src/backend/pjrt/topology.c includes backend/cpu/plan/plan.h: backends do not know each other"
    assert said in done.stderr


def test_what_runs_knows_no_ir(tmp_path):
    """cpu/exec is what a compiled file holds and an exported shared object runs."""
    done = planted(tmp_path, "backend/cpu/exec/call.c", "ir/module.h")
    assert done.returncode == 1
    assert "src/backend/cpu/exec/call.c includes ir/module.h: backend/cpu/exec includes only base/" in done.stderr


@pytest.mark.parametrize("line", ["backend/cpu/exec/arenas.h", "../../src/backend/cpu/exec/arenas.h"])
def test_a_door_that_knows_a_backend_is_found(tmp_path, line):
    done = planted(tmp_path, "core.c", line, "python/core")
    assert done.returncode == 1
    said = "python/core/core.c includes backend/cpu/exec/arenas.h: python/core includes only public headers"
    assert said in done.stderr


def test_bindings_know_public_headers_alone(tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("grammar"))
    binding = tmp_path / "bindings" / "lua" / "tenfold.c"
    binding.parent.mkdir(parents=True)
    binding.write_text("#include <tenfold/tensor.h>\n")
    assert run("--root", tmp_path).returncode == 0
    binding.write_text("#include <tenfold/tensor.h>\n#include <backend/backend.h>\n")
    done = run("--root", tmp_path)
    assert done.returncode == 1
    assert "bindings/lua/tenfold.c includes backend/backend.h: bindings includes only" in done.stderr


def test_the_page_has_the_folders_as_they_are():
    """But for the lines, which every change changes."""
    count = re.compile(r"^(\| `[\w/]+` \| )\d+", re.MULTILINE)
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert count.sub(r"\1", run("--table").stdout) in count.sub(r"\1", page)
