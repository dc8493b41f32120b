"""Files of at most 600 lines, functions of at most 60: held by scripts/lengths, a part of `make lint`."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


def run(root: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "lengths", "--root", root], capture_output=True, text=True
    )


def planted(tmp_path: Path, name: str, text: str) -> str:
    """What is said of a tree with this one file."""
    (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", name], cwd=tmp_path, check=True)
    done = run(tmp_path)
    assert done.returncode == bool(done.stdout), done.stderr
    return done.stdout


def c_function(lines: int, above: str = "") -> str:
    return f"{above}static int\nlong_one(int x,\n         int y) {{\n" + "  x++;\n" * (lines - 4) + "}\n"


def test_this_tree():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    done = run(ROOT)
    assert not done.returncode, done.stdout


def test_long_files(tmp_path):
    assert planted(tmp_path, "a.h", "int x;\n" * 600) == ""
    assert planted(tmp_path, "a.h", "int x;\n" * 601) == "a.h has 601 lines; 600 is the most\n"
    assert "b.py has 700 lines" in planted(tmp_path, "b.py", "x = 1\n" * 700)


def test_long_c_functions(tmp_path):
    assert planted(tmp_path, "a.c", c_function(60)) == ""
    assert planted(tmp_path, "a.c", c_function(61)).startswith("a.c:1: a function of 61 lines; 60 is the most")
    assert planted(tmp_path, "a.c", c_function(61, "/* Why. Over 60 lines:\n * no reason */\nint z;\n")) != ""
    assert planted(tmp_path, "a.c", c_function(61, "/* Over 60 lines: a table. */\n")) == ""
    assert planted(tmp_path, "a.c", c_function(61, "/* What it does.\n * Over 60 lines: a table. */\n")) == ""
    assert planted(tmp_path, "a.c", "static int t[] = {\n" + "  1,\n" * 99 + "};\n") == ""


def test_long_python_functions(tmp_path):
    body = "    x = 1\n" * 60
    assert planted(tmp_path, "a.py", "def f():\n" + body[10:]) == ""
    assert planted(tmp_path, "a.py", "def f():\n" + body).startswith("a.py:1: a function of 61 lines")
    assert planted(tmp_path, "a.py", "# Over 60 lines: one table.\ndef f():\n" + body) == ""
    assert planted(tmp_path, "a.py", "# Over 60 lines:\ndef f():\n" + body) != ""
