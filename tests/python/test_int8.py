"""Kernels of 8-bit integers: each that runs here, on programs made at random; programs that have to use them; what
`tenfold quantize --target cpu` makes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@pytest.mark.parametrize("seeds", ["0:60", "60:120"])
@pytest.mark.parametrize("cpu", ["native", "generic", "avx2", "avx512", "portable"])
def test_random_programs(cpu, seeds):
    """A level that this CPU does not have falls back to its best."""
    done = subprocess.run(
        [sys.executable, HERE / "int8_programs.py", "--seeds", seeds],
        env=os.environ | {"TENFOLD_CPU": cpu}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


class Images(torch.nn.Module):
    """Every way in which layers follow each other: pooled, added to a layer and to what was stored, in two readers."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.pool = torch.nn.Conv2d(3, 16, 5, 2, 2, bias=False), torch.nn.MaxPool2d(3, 2, 1)
        self.norm = torch.nn.BatchNorm2d(16)
        self.a, self.b = torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.Conv2d(16, 32, 1)
        self.c, self.deep = torch.nn.Conv2d(32, 32, 3, padding=1), torch.nn.Conv2d(32, 32, 3, padding=1, groups=32)
        self.head = torch.nn.Linear(32, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.norm(self.first(x))))
        x = torch.relu(self.a(x) + self.b(x))
        x = torch.relu(self.deep(self.c(x)) + x)
        return self.head(x.mean((2, 3)))


class Words(torch.nn.Module):
    """A transformer's layer, on integers."""

    def __init__(self) -> None:
        super().__init__()
        self.words = torch.nn.Embedding(50, 32)
        self.layer = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu", dropout=0.0)

    def forward(self, tokens):
        return self.layer(self.words(tokens))


def images() -> torch.Tensor:
    return torch.randn(2, 3, 20, 20)


def words() -> torch.Tensor:
    return torch.randint(50, (2, 12))


@pytest.mark.parametrize(("network", "inputs", "layers"), [(Images, images, 6), (Words, words, 4)])
def test_quantized_for_the_cpu(network, inputs, layers, tmp_path):
    """All layers are int8 and run by the kernel; results are near PyTorch's, and the interpreter's are the same."""
    import numpy as np
    import tenfold

    torch.manual_seed(0)
    model, x = network().eval(), inputs()
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "m.pt2")
    np.save(tmp_path / "x.npy", np.concatenate([x.numpy(), *(inputs().numpy() for _ in range(3))]))
    command = [
        ROOT / "bin" / "tenfold",
        "quantize",
        tmp_path / "m.pt2",
        "--data",
        tmp_path / "x.npy",
        "--target",
        "cpu",
    ]
    out = subprocess.run([*command, "-o", tmp_path / "q.mlir"], check=True, capture_output=True, text=True).stdout
    assert len(out.splitlines()) == layers + 2, out
    show = [ROOT / "bin" / "tenfold", "show", "--stage", "choice", tmp_path / "q.mlir"]
    chosen = subprocess.run(show, check=True, capture_output=True, text=True).stdout
    assert sum(": int8 " in line for line in chosen.splitlines()) == layers, chosen
    with torch.no_grad():
        want = model(x).numpy()
    got = {d: np.asarray(tenfold.load(tmp_path / "q.mlir", device=d)(x.numpy())[0]) for d in ("cpu", "interp")}
    assert np.linalg.norm(got["cpu"] - want) < 0.1 * np.linalg.norm(want)
    assert np.linalg.norm(got["cpu"] - got["interp"]) < 0.01 * np.linalg.norm(want)
    assert not np.array_equal(got["cpu"], want)
