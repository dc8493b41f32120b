"""Every example in the documentation that starts with `$` runs, and prints what the page says.

A block marked `console` holds commands and their output; a line `...` in the output stands for any lines.
Commands that build or install something (make, pip, apt-get, git) are not run.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, tenfold

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples():
    for page in PAGES:
        if not page.exists():
            continue
        for block in BLOCK.findall(page.read_text()):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                if not re.match(r"(sudo )?(make|pip|apt-get|git) ", command):
                    yield pytest.param(command, output, id=f"{page.name}: {command[:60]}")


@pytest.mark.parametrize("command, output", list(examples()))
def test_example(tmp_path, command, output):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tenfold").symlink_to(Path(tenfold.path).resolve())
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True)
    pattern = "".join(".*" if line == "...\n" else re.escape(line) for line in output.splitlines(keepends=True))
    printed = done.stdout + done.stderr
    assert re.fullmatch(pattern, printed, re.DOTALL), f"{command}\nprinted:\n{printed}"
