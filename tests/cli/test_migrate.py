"""`tenfold migrate` as a user types it: before/after cases, files that are no programs, and what it must never do."""

import ast
import io
import json
import os
import shutil
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest
from conftest import ROOT, tenfold

CASES = sorted((ROOT / "tests" / "migrate" / "cases").iterdir())
TARGETS = ["torch_xla", "torch_tpu"]

if "no Python grammar" in tenfold("migrate", "--diff", __file__).err:
    pytest.skip("this build has no Python grammar (scripts/fetch-grammar gets it)", allow_module_level=True)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_case(case: Path, target: str, tmp_path: Path):
    out = tmp_path / "after.py"
    options = (case / "options").read_text().split() if (case / "options").exists() else []
    tenfold("migrate", "-q", "-t", target, *options, case / "before.py", "-o", out)
    assert out.read_text() == (case / f"{target}.py").read_text()
    again = tmp_path / "again.py"
    tenfold("migrate", "-q", "-t", target, *options, out, "-o", again)
    assert again.read_bytes() == out.read_bytes()


def test_every_rule_has_a_case_or_only_notes():
    listed = {line.split()[0] for line in tenfold("migrate", "--list-rules").out.splitlines()}
    shown = {case.name[:3] for case in CASES}
    notes_only = {"203", "304", "402", "506", "508", "513", "802", "808", "902", "903"}
    assert shown <= listed
    assert listed - shown <= notes_only


def test_compiled_recurrent_layers_are_named_for_torch_tpu(tmp_path: Path):
    program = tmp_path / "train.py"
    plain = "import torch\nfrom torch import nn\nmodel = nn.LSTM(4, 4).cuda()\n"
    compiled = plain + "run = torch.compile(model)\n"
    for target, text, named in (
        ("torch_tpu", compiled, True),
        ("torch_tpu", plain, False),
        ("torch_xla", compiled, False),
        ("torch_tpu", compiled + "torch._dynamo.config.allow_rnn = False\n", False),
    ):
        program.write_text(text)
        done = tenfold("migrate", "-t", target, program, "-o", tmp_path / "out.py")
        assert ("808" in done.out and "gets no gradients" in done.out) == named, done
        assert done.code == int(named)


def test_what_torch_tpu_lacks_is_replaced_where_gradients_are_computed(tmp_path: Path):
    program = tmp_path / "model.py"
    text = "import torch\nfrom torch import nn\nmodel = nn.Sequential(nn.BatchNorm1d(2), {}).cuda()\n"
    step = "nn.SmoothL1Loss()(model(torch.ones(2, 2).cuda()), torch.ones(2, 2).cuda()).backward()\n"
    for rest, layer, replaced, notes in (
        ("", "nn.ReLU()", False, ""),
        (step, "nn.ReLU()", True, ""),
        (step, "nn.SyncBatchNorm(2)", True, "here too, and nothing was put in its place"),
        ("class BatchNorm1d:\n    pass\n" + step, "nn.ReLU()", False, "the file has this name already"),
        ("BatchNorm = type(nn.BatchNorm1d(2)) is nn.BatchNorm1d\n" + step, "nn.ReLU()", True, ""),
    ):
        program.write_text(text.format(layer) + rest)
        done = tenfold("migrate", "-t", "torch_tpu", program, "-o", tmp_path / "out.py")
        after = (tmp_path / "out.py").read_text()
        assert ("class BatchNorm1d(RunningStatistics, torch.nn.BatchNorm1d)" in after) == replaced, (rest, layer)
        assert "is nn.BatchNorm1d" in after or "is nn.BatchNorm1d" not in rest
        assert notes in done.out and done.code == bool(notes), done
        tenfold("migrate", "-q", "-t", "torch_xla", program, "-o", tmp_path / "xla.py")
        assert "RunningStatistics" not in (tmp_path / "xla.py").read_text()


def test_documentation_of_the_rules_is_up_to_date():
    command = [sys.executable, ROOT / "tests" / "migrate" / "make_docs.py", "--check"]
    done = subprocess.run(command, env=os.environ | {"TENFOLD": tenfold.path}, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout


def test_corpus_migrates_whole(tmp_path: Path):
    corpus = ROOT / "tests" / "migrate" / "corpus"
    for target in TARGETS:
        out, again = tmp_path / target, tmp_path / f"{target}-again"
        assert tenfold("migrate", "-q", "-t", target, corpus, "-o", out).code == 0
        assert tenfold("migrate", "-q", "-t", target, out, "-o", again).code == 0
        for path in out.rglob("*.py"):
            assert path.read_bytes() == (again / path.relative_to(out)).read_bytes()
            assert comments_of(path.read_text()) == comments_of((corpus / path.relative_to(out)).read_text())


def comments_of(text: str) -> list[str]:
    return [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]


def test_diff_writes_nothing(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = torch.zeros(1).cuda()\n")
    result = tenfold("migrate", "--diff", "a.py", cwd=tmp_path)
    assert result.code == 0
    assert "+x = torch.zeros(1).to(torch_xla.device())" in result.out
    assert os.listdir(tmp_path) == ["a.py"]


def test_in_place_keeps_a_copy(tmp_path: Path):
    source = tmp_path / "a.py"
    text = "import torch\nx = torch.zeros(1).cuda()\n"
    source.write_text(text)
    assert tenfold("migrate", "-q", "-i", source).code == 0
    assert (tmp_path / "a.py.orig").read_text() == text
    assert "torch_xla" in source.read_text()
    changed = source.read_text()
    assert tenfold("migrate", "-q", "-i", source).code == 0
    assert source.read_text() == changed
    assert sorted(os.listdir(tmp_path)) == ["a.py", "a.py.orig"]


def test_comments_explain_and_stay(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\n\n\ndef f(x):\n    return x.cuda()\n")
    out = tmp_path / "b.py"
    assert tenfold("migrate", "-q", "--comments", source, "-o", out).code == 0
    assert "    # tenfold 102 cuda-method: " in out.read_text()
    again = tmp_path / "c.py"
    tenfold("migrate", "-q", "--comments", out, "-o", again)
    assert again.read_bytes() == out.read_bytes()


def test_exit_status_asks_for_a_person(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\nstream = torch.cuda.Stream()\n")
    result = tenfold("migrate", "--diff", source)
    assert result.code == 1
    assert "110 cuda-call" in result.err


def test_reports(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = torch.zeros(1).cuda()\ny = torch.nonzero(x)\n")
    names = ["r.json", "r.html", "r.sarif", "r.diff"]
    arguments = [part for name in names for part in ("--report", tmp_path / name)]
    assert tenfold("migrate", "-q", source, "-o", tmp_path / "out", *arguments).code == 0
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["summary"]["changed"] == 1 and report["summary"]["coverage_percent"] == 100.0
    assert {note["kind"] for note in report["files"][0]["notes"]} == {"recompile"}
    sarif = json.loads((tmp_path / "r.sarif").read_text())
    assert sarif["version"] == "2.1.0" and sarif["runs"][0]["results"]
    assert "<table class=diff><col class=n><col><col class=n><col>" in (tmp_path / "r.html").read_text()
    assert (tmp_path / "r.diff").read_text().startswith("--- a/")


def test_package_is_seen_as_a_whole(tmp_path: Path):
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "config.py").write_text("DEVICE = 'cuda'\n")
    (package / "net.py").write_text("from torch import nn\n\n\nclass Net(nn.Module):\n    pass\n")
    (package / "train.py").write_text(
        "import torch\nfrom .config import DEVICE\nfrom .net import Net\n\n\n"
        "def run():\n    thing = Net()\n    torch.save(thing.to(DEVICE).state_dict(), 'a.pt')\n"
    )
    (package / "plain.py").write_text("NAME = 'cuda'\n")
    assert tenfold("migrate", "-q", package, "-o", tmp_path / "out").code == 0
    assert (tmp_path / "out" / "config.py").read_text().endswith("DEVICE = 'xla'\n")
    assert (tmp_path / "out" / "plain.py").read_text() == "NAME = 'cuda'\n"
    assert "xm.save" in (tmp_path / "out" / "train.py").read_text()


def test_names_that_come_with_a_star(tmp_path: Path):
    package = tmp_path / "pkg"
    (package / "models").mkdir(parents=True)
    (package / "models" / "__init__.py").write_text("from .net import *\n")
    (package / "models" / "net.py").write_text(
        "import torch\nfrom torch import nn\n__all__ = ['torch', 'Net']\n\n\nclass Net(nn.Module):\n    pass\n"
    )
    body = "\nmodel = Net().cuda()\nx = torch.ones(2, device='cuda')\ny = nn.cuda\n"
    (package / "train.py").write_text("from models import *\n" + body)
    (package / "alone.py").write_text("from elsewhere import *\n" + body)
    assert tenfold("migrate", "-q", package, "-o", tmp_path / "out").code == 0
    moved = "\nmodel = Net().to(torch_xla.device())\nx = torch.ones(2, device='xla')\ny = nn.cuda\n"
    assert (tmp_path / "out" / "train.py").read_text() == "from models import *\nimport torch_xla\n" + moved
    assert (tmp_path / "out" / "alone.py").read_text() == "from elsewhere import *\nimport torch_xla\n" + moved


def test_a_file_that_takes_pytorch_from_others(tmp_path: Path):
    files = {
        "net.py": "from torch import nn\n\n\nclass Net(nn.Module):\n    pass\n",
        "build.py": "from net import Net\n\n\ndef build():\n    return Net()\n",
        "main.py": "from build import build\n\nmodel = build().cuda()\n",
        "other.py": "import paddle\n\nx = paddle.ones([2]).cuda()\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert tenfold("migrate", "-q", tmp_path, "-o", tmp_path / "out").code == 0
    assert "model = build().to(torch_xla.device())" in (tmp_path / "out" / "main.py").read_text()
    assert (tmp_path / "out" / "other.py").read_text() == files["other.py"]


def test_a_module_whose_name_becomes_a_model(tmp_path: Path):
    (tmp_path / "model.py").write_text("from torch import nn\n\n\nclass Net(nn.Module):\n    pass\n")
    (tmp_path / "main.py").write_text("import model\n\nmodel = model.Net()\nmodel = model.cuda()\nmodel.cuda(0)\n")
    for given in (tmp_path, tmp_path / "main.py"):
        (tmp_path / "main.py").write_text(
            (tmp_path / "main.py").read_text().replace("import model", "import torch, model")
        )
        assert tenfold("migrate", "-q", given, "-o", tmp_path / "out").code == 0
        text = (tmp_path / "out" / "main.py").read_text()
        assert text.endswith(
            "model = model.Net()\nmodel = model.to(torch_xla.device())\nmodel.to(torch_xla.device())\n"
        )


def test_what_python_2_called_async(tmp_path: Path):
    source = tmp_path / "old.py"
    source.write_text("import torch\nx = torch.ones(2).cuda(async=True)\n")
    assert tenfold("migrate", "-q", "-i", source).code == 0
    assert source.read_text().endswith("x = torch.ones(2).to(torch_xla.device(), non_blocking=True)\n")


def test_notebook_keeps_every_other_byte(tmp_path: Path):
    cells = [
        '  {\n   "cell_type": "markdown",\n   "metadata": {},\n   "source": ["device = \\"cuda\\" in text"]\n  }',
        '  {\n   "cell_type": "code",\n   "metadata": {},\n   "outputs": [],\n   "source": [\n'
        '    "%matplotlib inline\\n",\n    "import torch\\n",\n    "print(\\"caf\\\\u00e9\\", 1)"\n   ]\n  }',
        '  {\n   "cell_type": "code",\n   "metadata": {},\n   "outputs": [],\n   "source": [\n'
        '    "x = torch.zeros(1).cuda()\\n",\n    "!ls"\n   ]\n  }',
    ]
    text = (
        '{\n "cells": [\n'
        + ",\n".join(cells)
        + '\n ],\n "metadata": {"a": 1.50},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n'
    )
    source = tmp_path / "n.ipynb"
    source.write_text(text)
    out = tmp_path / "m.ipynb"
    assert tenfold("migrate", "-q", source, "-o", out).code == 0
    expected = text.replace('"import torch\\n",', '"import torch\\n",\n    "import torch_xla\\n",')
    expected = expected.replace("torch.zeros(1).cuda()", "torch.zeros(1).to(torch_xla.device())")
    assert out.read_text() == expected
    json.loads(out.read_text())


USER_RULES = """
rules:
  - id: 9001
    name: our-device
    pattern: our_lib.pick_device($N)
    replacement: torch_xla.device()
    imports: [torch_xla]
    why: our helper knows only CUDA
  - pattern: our_lib.move($X, $*REST)
    replacement: our_lib.transfer($X, $*REST)
"""


def test_what_looks_like_a_magic_inside_a_statement(tmp_path: Path):
    lines = [
        "%matplotlib inline",
        "import torch",
        "!echo '('",
        "x = torch.ones(2).cuda()",
        "print('%d of %d (now)'",
        "      %(1,",
        "        2))",
        'text = """',
        "%not a magic, and it's open (",
        '"""',
        "y = 5 \\",
        "  % 2  # it's (",
        "%time x.cuda()",
        "?x",
    ]
    source = tmp_path / "a.ipynb"
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "\n".join(lines)}
    source.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert tenfold("migrate", "-q", source, "-o", tmp_path / "out").code == 0
    after = json.loads((tmp_path / "out" / "a.ipynb").read_text())["cells"][0]["source"].split("\n")
    assert after == [*lines[:2], "import torch_xla", lines[2], "x = torch.ones(2).to(torch_xla.device())", *lines[4:]]


def test_rules_of_the_user(tmp_path: Path):
    (tmp_path / "rules.yaml").write_text(USER_RULES)
    source = tmp_path / "a.py"
    source.write_text("import torch\nimport our_lib as o\nd = o.pick_device(3)\ny = o.move(x + 1, d, copy=True)\n")
    out = tmp_path / "b.py"
    assert tenfold("migrate", "-q", "--rules", tmp_path / "rules.yaml", source, "-o", out).code == 0
    assert out.read_text() == (
        "import torch\nimport torch_xla\nimport our_lib as o\n"
        "d = torch_xla.device()\ny = our_lib.transfer(x + 1, d, copy=True)\n"
    )
    (tmp_path / "bad.yaml").write_text("rules:\n  - pattern: 'def ('\n    replacement: x\n")
    result = tenfold("migrate", "--rules", tmp_path / "bad.yaml", source)
    assert result.code != 0 and "bad.yaml" in result.err


BAD_FILES = {
    "syntax error": (b"import torch\ndef f(:\n    x.cuda()\n", "does not parse"),
    "undeclared latin-1": (b"import torch\ns = '\xe9'\n", "line 2 is not UTF-8, and no coding line says what it is"),
    "too late a coding line": (b"import torch\n\n# coding: latin-1\ns = '\xe9'\n", "line 4 is not UTF-8"),
    "unknown coding": (b"# coding: klingon\nimport torch\ns = '\xe9'\n", "'klingon', which is not known"),
    "not what it says": (b"# coding: ascii\nimport torch\ns = '\xe9'\n", "line 3 is not US-ASCII"),
    "utf-16": ("import torch\n".encode("utf-16"), "UTF-16"),
    "binary": (bytes(range(256)), "binary"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file_is_left_alone(name: str, tmp_path: Path):
    content, message = BAD_FILES[name]
    source = tmp_path / "bad.py"
    source.write_bytes(content)
    (tmp_path / "good.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    result = tenfold("migrate", tmp_path, "-o", tmp_path / "out")
    assert result.code == 1
    assert message in result.err and "bad.py" in result.err
    assert (tmp_path / "out" / "bad.py").read_bytes() == content
    assert "torch_xla" in (tmp_path / "out" / "good.py").read_text()


ENCODINGS = {
    "latin-1": ("# -*- coding: latin-1 -*-\n", "caf\xe9"),
    "cp1252": ("#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\n", "\u20ac \u201ca\u201d"),
    "iso-8859-15": ("# coding=iso-8859-15\n", "\u20ac"),
    "euc-jp": ("# coding: euc-jp\n", "\u65e5\u672c"),
    "utf-8-sig": ("", "caf\xe9"),
}


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("name", ENCODINGS)
def test_other_encodings_come_back_byte_for_byte(name: str, in_place: bool, tmp_path: Path):
    first, words = ENCODINGS[name]
    source, out = tmp_path / "a.py", tmp_path / "b.py"
    before = f"{first}import torch\nx = torch.zeros(1).cuda()  # {words}\n"
    source.write_bytes(before.encode(name))
    if in_place:
        assert tenfold("migrate", "-q", "--in-place", source).code == 0
        assert (tmp_path / "a.py.orig").read_bytes() == before.encode(name)
        out = source
    else:
        assert tenfold("migrate", "-q", source, "-o", out).code == 0
    after = before.replace(".cuda()", ".to(torch_xla.device())").replace(
        "import torch\n", "import torch\nimport torch_xla\n"
    )
    assert out.read_bytes() == after.encode(name)
    assert tenfold("migrate", "-q", out, "-o", tmp_path / "c.py").code == 0
    assert (tmp_path / "c.py").read_bytes() == after.encode(name)


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_ends_tabs_and_form_feeds(end: str, tmp_path: Path):
    lines = ["import torch", "\f", "def f(x):", "\tif x is not None:", "\t\tx = x.cuda()\t# here", "\treturn x", ""]
    source, out = tmp_path / "a.py", tmp_path / "b.py"
    source.write_bytes(end.join(lines).encode())
    assert tenfold("migrate", "-q", source, "-o", out).code == 0
    lines[4] = "\t\tx = x.to(torch_xla.device())\t# here"
    lines.insert(1, "import torch_xla")
    assert out.read_bytes() == end.join(lines).encode()


def test_target_that_cannot_be_written(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = torch.zeros(1).cuda()\n")
    result = tenfold("migrate", source, "-o", source / "below" / "b.py")
    assert result.code != 0 and "Not a directory" in result.err and "before any work is done" in result.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.py"]


def test_long_line(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = '" + "ab" * 5_000_000 + "'\ny = torch.zeros(1).cuda()\n")
    out = tmp_path / "b.py"
    assert tenfold("migrate", "-q", source, "-o", out).code == 0
    assert out.read_text().endswith("y = torch.zeros(1).to(torch_xla.device())\n")


def test_deep_nesting(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = " + "(" * 3000 + "1" + ")" * 3000 + "\ny = torch.zeros(1).cuda()\n")
    assert tenfold("migrate", "-q", source, "-o", tmp_path / "b.py").code in (0, 1)


def test_links_that_go_in_circles(tmp_path: Path):
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "a.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    (folder / "again").symlink_to(folder)
    (folder / "self.py").symlink_to(folder / "self.py")
    result = tenfold("migrate", folder, "-o", tmp_path / "out")
    assert result.code == 1 and "self.py" in result.err
    assert sorted(path.name for path in (tmp_path / "out").rglob("*.py")) == ["a.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_target(tmp_path: Path):
    folder = tmp_path / "out"
    folder.mkdir(mode=0o500)
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = torch.zeros(1).cuda()\n")
    result = tenfold("migrate", source, "-o", folder)
    assert result.code != 0 and "Permission denied" in result.err and "before any work is done" in result.err


def test_other_programs_stay_as_they_are(tmp_path: Path):
    text = "import os\ndevice = 'cuda'\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\n"
    source = tmp_path / "a.py"
    source.write_text(text)
    result = tenfold("migrate", source, "-o", tmp_path / "b.py")
    assert result.code == 0 and "1 without PyTorch (left as they are)" in result.out
    assert (tmp_path / "b.py").read_text() == text


def test_reformat_only_when_asked(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")  # .venv has ruff
    if not shutil.which("ruff"):
        pytest.skip("ruff is not installed")
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = torch.zeros( 1 ).cuda( )\n")
    tenfold("migrate", "-q", "--reformat", source, "-o", tmp_path / "b.py")
    assert "torch.zeros(1).to(" in (tmp_path / "b.py").read_text()


def test_misuse():
    assert tenfold("migrate").code == 2
    assert tenfold("migrate", "-t", "gpu", "a.py").code == 2
    assert tenfold("migrate", "/nowhere/at/all.py").code == 2


OPTIONS = [
    "--defer-reads",
    "--late-sync",
    "--device-loader",
    "--bf16",
    "--fused-optimizer",
    "--scan-layers",
    "--length-buckets",
    "--comments",
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("options", [*([o] for o in OPTIONS), OPTIONS[:2], OPTIONS[:3], OPTIONS], ids=" ".join)
def test_what_options_write_parses_and_stays(options: list[str], target: str, tmp_path: Path):
    source = tmp_path / "source"
    for case in CASES:
        shutil.copytree(case, source / case.name)
    out, again = tmp_path / "out", tmp_path / "again"
    tenfold("migrate", "-q", "-t", target, *options, source, "-o", out)
    tenfold("migrate", "-q", "-t", target, *options, out, "-o", again)
    for path in out.rglob("*.py"):
        ast.parse(path.read_text(), str(path))
        assert (again / path.relative_to(out)).read_text() == path.read_text(), path


def test_files_that_are_no_source_are_copied(tmp_path: Path):
    package = tmp_path / "pkg"
    (package / "data").mkdir(parents=True)
    (package / "train.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    (package / "config.json").write_text('{"lr": 1}')
    (package / "data" / "weights.bin").write_bytes(bytes(range(256)))
    (package / ".hidden").write_text("")
    assert tenfold("migrate", "-q", package, "-o", tmp_path / "out").code == 0
    assert (tmp_path / "out" / "config.json").read_text() == '{"lr": 1}'
    assert (tmp_path / "out" / "data" / "weights.bin").read_bytes() == bytes(range(256))
    assert not (tmp_path / "out" / ".hidden").exists()


def test_output_inside_the_source_is_not_migrated_again(tmp_path: Path):
    (tmp_path / "train.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    for _ in range(2):
        assert tenfold("migrate", "-q", ".", cwd=tmp_path).code == 0
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.py")) == ["migrated/train.py", "train.py"]


def test_quitting_keeps_what_was_accepted(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = torch.zeros(1).cuda()\ny = torch.ones(1).cuda()\n")
    out = tmp_path / "b.py"
    command = [tenfold.path, "migrate", "-q", "--interactive", str(source), "-o", str(out)]
    subprocess.run(command, input="y\nq\n", text=True, capture_output=True, timeout=60)
    text = out.read_text()
    assert "x = torch.zeros(1).to(torch_xla.device())" in text and "y = torch.ones(1).cuda()" in text


def test_rules_of_the_user_are_named_in_reports(tmp_path: Path):
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "rules:\n"
        + "".join(
            f"  - {{id: {9000 + i}, name: our-{i}, pattern: ours.f{i}($N), replacement: g($N), why: because of {i}}}\n"
            for i in range(40)
        )
    )
    source = tmp_path / "a.py"
    source.write_text("import ours\nimport torch\n" + "".join(f"x = ours.f{i}(1)\n" for i in range(40)))
    report = tmp_path / "r.json"
    assert tenfold("migrate", "-q", "--rules", rules, source, "-o", tmp_path / "o.py", "--report", report).code == 0
    changes = json.loads(report.read_text())["files"][0]["changes"]
    assert [(c["name"], c["reason"]) for c in changes] == [(f"our-{i}", f"because of {i}") for i in range(40)]


def test_programs_without_a_device_are_for_a_person(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\n\n\ndef f(x):\n    return x @ x.T\n\n\nprint(f(torch.ones(3, 3)).sum())\n")
    result = tenfold("migrate", source, "-o", tmp_path / "o.py")
    assert result.code == 1
    assert "never chooses a device" in result.out and "0% of the device-specific calls" in result.out


def test_unknown_step_is_for_a_person(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text(
        "import torch\n\n\ndef update(model, learner, x):\n"
        "    model(x.cuda()).sum().backward()\n    learner.step()\n    return x\n"
    )
    result = tenfold("migrate", source, "-o", tmp_path / "o.py")
    assert result.code == 1 and "if learner is an optimizer" in result.out


def test_one_long_line(tmp_path: Path):
    source, report = tmp_path / "a.py", tmp_path / "r.json"
    calls = 20000  # each change is shown, placed and reported without another look at the whole line
    source.write_text("import torch\nx = [" + ", ".join(["torch.zeros(3).cuda()"] * calls) + "]\n")
    assert tenfold("migrate", "-q", source, "-o", tmp_path / "o.py", "--report", report).code == 0
    assert (tmp_path / "o.py").read_text().count("torch.zeros(3).to(torch_xla.device())") == calls
    changes = [c for c in json.loads(report.read_text())["files"][0]["changes"] if c["rule"] == 102]
    assert [c["column"] for c in changes[:3]] == [6, 29, 52]
    assert all(len(c["after"]) < 450 and "torch_xla" in c["after"] for c in changes)
