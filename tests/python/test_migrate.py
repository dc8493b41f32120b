"""The proof: original and migrated programs run and compared; and that it notices what is broken."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))
CORPUS = ROOT / "tests" / "migrate" / "corpus"

if (
    "no Python grammar"
    in subprocess.run([COMMAND, "migrate", "--diff", __file__], capture_output=True, text=True).stderr
):
    pytest.skip("this build has no Python grammar (scripts/fetch-grammar gets it)", allow_module_level=True)

import tenfold  # noqa: E402
from tenfold import verify  # noqa: E402

PROGRAMS = ["optimizer_first.py", "linear_2016.py", "vae.py", "ddp_spawn.py", "notebook_regression.ipynb"]


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TENFOLD", COMMAND)
    monkeypatch.setenv("TENFOLD_STAND_IN", "1")


def migrated(name: str, target: str, folder: Path) -> Path:
    out = folder / name
    assert subprocess.run([COMMAND, "migrate", "-q", "-t", target, CORPUS / name, "-o", out]).returncode == 0
    return out


@pytest.mark.parametrize("target", ["torch_xla", "torch_tpu"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_does_the_same(name: str, target: str, tmp_path: Path):
    outcome = verify.verify(CORPUS / name, migrated(name, target, tmp_path), target, no_functions=True, limit=900)
    assert outcome.state == verify.PROVEN, outcome.verdicts


BREAKS = {
    "a move": ("optimizer_first.py", ".to(torch_xla.device()), torch", ", torch"),
    "a step": ("optimizer_first.py", "    optimizer.step()\n", ""),
    "the parameters": ("optimizer_first.py", "torch.__future__.set_swap_module_params_on_conversion(True)\n", ""),
    "the order": (
        "optimizer_first.py",
        "    loss.backward()\n    optimizer.step()\n",
        "    optimizer.step()\n    loss.backward()\n",
    ),
    "the device's seed": ("vae.py", "torch_xla.manual_seed(7)\n", ""),
    "a printed value": ("linear_2016.py", "learning_rate = 1e-3", "learning_rate = 1e-4"),
}


@pytest.mark.parametrize("what", BREAKS)
def test_notices_what_is_broken(what: str, tmp_path: Path):
    name, good, bad = BREAKS[what]
    program = migrated(name, "torch_xla", tmp_path)
    text = program.read_text()
    assert good in text
    program.write_text(text.replace(good, bad))
    assert verify.verify(CORPUS / name, program, no_functions=True, limit=900).state == verify.DIFFERS


def test_functions_without_a_program(tmp_path: Path):
    source = tmp_path / "lib.py"
    source.write_text(
        "import torch\nfrom torch import nn\n\n\ndef scale(x, alpha=2.0):\n    return x.cuda() * alpha\n\n\n"
        "class Net(nn.Module):\n    def __init__(self, hidden: int = 8):\n        super().__init__()\n"
        "        self.layer = nn.Linear(4, hidden)\n\n"
        "    def forward(self, x):\n        return self.layer(x).relu()\n\n\n"
        "def mystery(thing):\n    return thing.frobnicate()\n"
    )
    out = tmp_path / "out.py"
    subprocess.run([COMMAND, "migrate", "-q", source, "-o", out], check=True)
    states = {v.name: v.state for v in verify.verify(source, out, limit=900).verdicts}
    assert states["scale"] == states["Net"] == verify.PROVEN
    assert states["mystery"] == verify.NOT_RUNNABLE


def test_tests_to_keep(tmp_path: Path):
    out = migrated("optimizer_first.py", "torch_xla", tmp_path)
    outcome = verify.verify(CORPUS / "optimizer_first.py", out, no_functions=True, limit=900)
    verify.write_tests(tmp_path / "tests", outcome, CORPUS / "optimizer_first.py", out, "torch_xla")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", str(tmp_path / "tests")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_from_python(tmp_path: Path):
    source = tmp_path / "kernel_code.py"
    source.write_text("import torch\nx = torch.zeros(2).cuda()\ns = torch.cuda.Stream()\n")
    result = tenfold.migrate(source)
    assert "torch_xla.device()" in result.text("kernel_code.py")
    assert [note["rule"] for note in result.needs_human] == [110]
    written = tenfold.TPUMigrator(source, level="error").execute(comments=True)
    assert Path(written).name == "kernel_code_tpu.py" and "# tenfold 102" in Path(written).read_text()
    assert "cuda" in source.read_text()


@pytest.mark.skipif(importlib.util.find_spec("torch_xla") is None, reason="torch_xla is not installed: make test-xla")
def test_on_the_real_torch_xla(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TENFOLD_STAND_IN")
    outcome = verify.verify(
        CORPUS / "kmeans.py", migrated("kmeans.py", "torch_xla", tmp_path), no_functions=True, limit=900
    )
    assert outcome.state == verify.PROVEN, outcome.verdicts
