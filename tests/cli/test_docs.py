"""Every example in the documentation runs and prints what the page says (`make docs` writes down what is printed)."""

import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess

import pytest
from conftest import ROOT

loader = importlib.machinery.SourceFileLoader("update_docs", str(ROOT / "scripts" / "update-docs"))
docs = importlib.util.module_from_spec(importlib.util.spec_from_loader("update_docs", loader))
loader.exec_module(docs)

EXAMPLES = [
    pytest.param(command, output, id=f"{page.name}: {command[:60]}")
    for page in docs.pages()
    for command, output in docs.examples(page.read_text())
]


def compare(command, output, printed):
    pattern = "".join(".*" if line == "...\n" else re.escape(line) for line in output.splitlines(keepends=True))
    assert re.fullmatch(pattern, printed, re.DOTALL), f"$ {command}\n{printed}\n(make docs updates the page)"


@pytest.mark.parametrize("command, output", EXAMPLES)
def test_example(command, output):
    compare(command, output, docs.run(command))


LONG = {"profile", "tpu", "train"}
NEEDS = {"languages": "cargo", "serve": "curl"}


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in docs.tutorials()])
def test_tutorial(page):
    if page.stem in LONG and not os.environ.get("TENFOLD_TEST_ALL"):
        pytest.skip("make test-all: it starts PyTorch several times")
    needed = NEEDS.get(page.stem)
    if needed and not shutil.which(needed):
        pytest.skip(f"no {needed}")
    text = page.read_text()
    for (command, output), printed in zip(docs.examples(text), docs.run_all(text), strict=True):
        compare(command, output, printed)


def test_every_link_leads_somewhere():
    """As `make docs-site` resolves them."""
    done = subprocess.run([ROOT / "scripts" / "docs-site", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
