"""Every example in the documentation runs and prints what the page says (`make docs` writes down what is printed)."""

import importlib.machinery
import importlib.util
import re

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


@pytest.mark.parametrize("command, output", EXAMPLES)
def test_example(command, output):
    pattern = "".join(".*" if line == "...\n" else re.escape(line) for line in output.splitlines(keepends=True))
    printed = docs.run(command)
    assert re.fullmatch(pattern, printed, re.DOTALL), f"$ {command}\n{printed}\n(make docs updates the page)"
