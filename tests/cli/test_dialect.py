"""The ten dialect: its page is its table, nothing is spelt out elsewhere, and Python writes only names of the table."""

import re
import shutil
import subprocess
import sys

from conftest import ROOT, tenfold

SCRIPT = ROOT / "scripts" / "dialect-names"


def names():
    text = (ROOT / "src" / "ir" / "ten.def").read_text()
    return set(re.findall(r'^TEN\(\w+, "(tenfold\.\w+)"', text, re.MULTILINE))


def test_page_is_the_table():
    printed = tenfold("help", "--dialect")
    assert printed.code == 0
    assert printed.out == (ROOT / "docs" / "dialect.md").read_text()
    for name in names():
        assert f"| `{name}` |" in printed.out


def test_nothing_is_spelt_out():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_name_spelt_out_is_found(tmp_path):
    shutil.copytree(ROOT / "src" / "ir", tmp_path / "src" / "ir")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "module.c").write_text('const char *module = "tenfold.verify";\n')
    (tmp_path / "src" / "ir" / "bad.c").write_text('const char *name = "tenfold.wide";\n')
    (tmp_path / "python" / "tenfold").mkdir(parents=True)
    (tmp_path / "python" / "tenfold" / "verify.py").write_text("")
    done = subprocess.run([sys.executable, SCRIPT, "--root", tmp_path], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == 'src/ir/bad.c:1: "tenfold.wide" is spelt out; declare it in src/ir/ten.def\n'


def test_python_writes_names_of_the_table():
    used = set()
    for path in (ROOT / "python").rglob("*.py"):
        for name in re.findall(r'(?:call\(ctx, |TARGET = |"target": )"(tenfold\.\w+)', path.read_text()):
            used.add(name)
    assert {"tenfold.callback", "tenfold.inline", "tenfold.svd"} <= used <= names()
