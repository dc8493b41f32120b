"""`tenfold compile` of programs that leave dimensions open: it says so, and --batch and --shape choose sizes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
from torch import nn  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = Path(os.environ.get("TENFOLD", ROOT / "bin" / "tenfold"))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 3)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.linear(x).amax(1) + y


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shapes")
    batch, time = torch.export.Dim("batch", max=64), torch.export.Dim("time")
    inputs = (torch.randn(4, 5, 6), torch.randn(4, 3))
    shapes = ({0: batch, 1: time}, {0: batch})
    torch.export.save(torch.export.export(Model(), inputs, dynamic_shapes=shapes), folder / "open.pt2")
    torch.export.save(torch.export.export(Model(), inputs), folder / "fixed.pt2")
    (folder / "open.mlir").write_text(
        "func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {\n"
        "  %0 = stablehlo.add %x, %x : tensor<?x3xf32>\n  return %0 : tensor<?x3xf32>\n}\n"
    )
    return folder


def tenfold(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([TENFOLD, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def result_shape(folder: Path) -> list[int]:
    return json.loads(tenfold(folder, "run", "out.ten", "--random", "--json").stdout)["results"][0]["shape"]


def test_open_dimensions_are_said(folder: Path) -> None:
    done = tenfold(folder, "compile", "open.pt2", "-o", "out.ten")
    assert done.returncode == 0
    assert "open.pt2 leaves dimensions open" in done.stderr and "x ?x?x6 as 4x5x6, y ?x3 as 4x3" in done.stderr
    assert "--batch N and --shape NAME=SIZES" in done.stderr
    assert tenfold(folder, "compile", "fixed.pt2", "-o", "out.ten").stderr == ""


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        (["--batch", "7"], [7, 3]),
        (["--shape", "x=9x2x6"], [9, 3]),  # y's first dimension is x's
        (["--shape", "y=2x3", "--shape", "x=2,8,6"], [2, 3]),
        (["--shape", "arg1=11x3"], [11, 3]),
    ],
)
def test_sizes_are_chosen(folder: Path, options: list[str], shape: list[int]) -> None:
    done = tenfold(folder, "compile", "open.pt2", "-o", "out.ten", *options)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert result_shape(folder) == shape


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shape", "z=4"], "unknown input or dimension 'z'; use one of: x ?x?x6, y ?x3"),
        (["--shape", "x=4x5x7"], "the input is ?x?x6"),
        (["--shape", "x=4x5"], "the input is ?x?x6"),
        (["--shape", "x=4xyx6"], "takes NAME=4x5x6"),
        (["--shape", "x"], "takes NAME=4x5x6"),
        (["--shape", "x=4x5x6", "--shape", "y=5x3"], "both are"),
        (["--batch", "100"], "the program was exported for"),
    ],
)
def test_wrong_sizes_are_refused(folder: Path, options: list[str], message: str) -> None:
    done = tenfold(folder, "compile", "open.pt2", "-o", "wrong.ten", *options)
    assert done.returncode == 1 and message in done.stderr, done.stderr
    assert not (folder / "wrong.ten").exists()


def test_a_fixed_batch_is_said(folder: Path) -> None:
    done = tenfold(folder, "compile", "fixed.pt2", "-o", "out.ten", "--batch", "8")
    assert done.returncode == 1 and "no input leaves its first dimension open" in done.stderr


def test_stablehlo(folder: Path) -> None:
    done = tenfold(folder, "compile", "open.mlir", "-o", "out.ten", "--batch", "5")
    assert done.returncode == 0, done.stderr
    assert result_shape(folder) == [5, 3]
    done = tenfold(folder, "compile", "open.mlir", "-o", "no.ten")
    assert done.returncode == 1 and "--shape" in done.stderr, done.stderr
