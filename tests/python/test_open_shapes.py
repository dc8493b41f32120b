"""`tenfold compile` of programs that leave dimensions open: it says so, and --batch and --shape choose sizes."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
from pathlib import Path

import numpy as np
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


def test_open_file(folder: Path) -> None:
    """--open: one file for all sizes, equal to eager; other sizes are refused by the symbol's range."""
    done = tenfold(folder, "compile", "open.pt2", "-o", "any.ten", "--open")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    model = torch.export.load(folder / "open.pt2").module()
    for batch, time in ((4, 5), (1, 1), (7, 13), (64, 211), (0, 3)):
        x, y = torch.randn(batch, time, 6), torch.randn(batch, 3)
        np.save(folder / "x.npy", x.numpy())
        np.save(folder / "y.npy", y.numpy())
        ran = tenfold(folder, "run", "any.ten", "--input", "x=x.npy", "--input", "y=y.npy", "-o", "out")
        assert ran.returncode == 0, ran.stderr
        want = nn.functional.linear(x, *model.parameters()).amax(1) + y
        np.testing.assert_allclose(np.load(folder / "out" / "0.npy"), want.detach().numpy(), atol=1e-5)
    np.save(folder / "x.npy", np.zeros((65, 2, 6), np.float32))
    np.save(folder / "y.npy", np.zeros((65, 3), np.float32))
    ran = tenfold(folder, "run", "any.ten", "--input", "x=x.npy", "--input", "y=y.npy")
    assert ran.returncode == 1 and "is 65; the program was exported for 0 to 64" in ran.stderr, ran.stderr
    assert tenfold(folder, "run", "any.ten", "--random").returncode == 0  # the sizes of the example


def test_open_file_misuse(folder: Path) -> None:
    done = tenfold(folder, "compile", "fixed.pt2", "-o", "no.ten", "--open")
    assert done.returncode == 1 and "fixed.pt2 leaves no dimension open" in done.stderr, done.stderr
    done = tenfold(folder, "compile", "open.pt2", "-o", "no.ten", "--open", "--batch", "3")
    assert done.returncode == 2 and "--open goes with -o OUT.ten" in done.stderr, done.stderr
    assert not (folder / "no.ten").exists()


def test_open_file_without_code(folder: Path) -> None:
    """Sizes that none of the tried sets fits are compiled where they occur; what compiles for no sizes is an error."""
    one = "tensor<?xf32>"
    (folder / "twice.mlir").write_text(
        f"func.func @main(%x: {one}, %y: {one}) -> {one} {{\n"
        f"  %a = stablehlo.concatenate %x, %x, dim = 0 : ({one}, {one}) -> {one}\n"
        f"  %0 = stablehlo.add %a, %y : {one}\n  return %0 : {one}\n}}\n"
    )
    done = tenfold(folder, "compile", "twice.mlir", "-o", "twice.ten", "--open")
    assert done.returncode == 0 and "twice.ten holds no machine code" in done.stderr, done.stderr
    np.save(folder / "x.npy", np.ones(3, np.float32))
    np.save(folder / "y.npy", np.ones(6, np.float32))
    ran = tenfold(folder, "run", "twice.ten", "-i", "x.npy", "-i", "y.npy")
    assert ran.returncode == 0 and "2, 2, 2, 2, 2, 2" in ran.stdout, ran.stderr
    (folder / "call.mlir").write_text(
        f"func.func @main(%x: {one}) -> {one} {{\n"
        f"  %0 = stablehlo.custom_call @nobody(%x) : ({one}) -> {one}\n  return %0 : {one}\n}}\n"
    )
    done = tenfold(folder, "compile", "call.mlir", "-o", "call.ten", "--open")
    assert done.returncode == 1 and "stablehlo.custom_call" in done.stderr, done.stderr
    (folder / "long.mlir").write_text((folder / "open.mlir").read_text().replace("@main", "@" + "f" * 5000))
    done = tenfold(folder, "compile", "long.mlir", "-o", "long.ten", "--open")
    assert done.returncode == 1 and "name of 5000 bytes" in done.stderr, done.stderr
    assert not (folder / "call.ten").exists() and not (folder / "long.ten").exists()


class Options(ctypes.Structure):
    """ten_compile_options."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        *((name, ctypes.c_char_p) for name in ("device", "entry", "precision")),
        *((name, ctypes.c_int) for name in ("exact_conv", "tune", "no_checks", "padding", "open")),
    ]


class Buffer(ctypes.Structure):
    """ten_buffer."""

    _fields_ = [
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_uint32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    ]

    @classmethod
    def of(cls, like: Buffer, array: np.ndarray) -> Buffer:
        dims = (ctypes.c_int64 * array.ndim)(*array.shape)
        return cls(like.dtype, array.ndim, dims, array.ctypes.data, array.nbytes)


@pytest.mark.parametrize("through_a_file", [False, True])
def test_c_api(folder: Path, through_a_file: bool) -> None:
    """ten_compile_options.open: an archive's dimensions stay open, in memory and in a compiled file."""
    library = ctypes.CDLL(os.environ.get("TENFOLD_LIBRARY", str(ROOT / "lib" / "libtenfold.so")))
    library.ten_status_text.restype = ctypes.c_char_p
    library.ten_executable_input.restype = library.ten_executable_output.restype = Buffer
    for name in ("load", "compile", "compile_to"):
        getattr(library, f"ten_program_{name}").restype = ctypes.c_void_p
    library.ten_executable_open.restype = library.ten_executable_execute.restype = ctypes.c_void_p

    def text(status: int | None) -> str | None:
        return library.ten_status_text(ctypes.c_void_p(status)).decode() if status else None

    program, executable = ctypes.c_void_p(), ctypes.c_void_p()
    options = Options(size=ctypes.sizeof(Options), open=1)
    assert text(library.ten_program_load(str(folder / "open.pt2").encode(), ctypes.byref(program))) is None
    if through_a_file:
        path = str(folder / "api.ten").encode()
        assert text(library.ten_program_compile_to(program, ctypes.byref(options), path)) is None
        assert text(library.ten_executable_open(path, ctypes.byref(executable))) is None
    else:
        compiled = library.ten_program_compile(program, ctypes.byref(options), ctypes.byref(executable))
        assert text(compiled) is None
    library.ten_program_release(program)
    declared = [library.ten_executable_input(executable, ctypes.c_size_t(i)) for i in range(2)]
    result = library.ten_executable_output(executable, ctypes.c_size_t(0))
    assert [list(b.dims[: b.rank]) for b in (*declared, result)] == [[-1, -1, 6], [-1, 3], [-1, 3]]
    weight, bias = (p.detach().numpy() for p in torch.export.load(folder / "open.pt2").module().parameters())
    for batch, time in ((4, 5), (11, 3), (1, 29), (64, 2)):
        x, y = np.random.randn(batch, time, 6).astype(np.float32), np.random.randn(batch, 3).astype(np.float32)
        out = np.zeros((batch, 3), np.float32)
        inputs = (Buffer * 2)(*(Buffer.of(d, a) for d, a in zip(declared, (x, y), strict=True)))
        ran = library.ten_executable_execute(executable, inputs, 2, ctypes.byref(Buffer.of(result, out)), 1)
        assert text(ran) is None
        np.testing.assert_allclose(out, (x @ weight.T + bias).max(1) + y, atol=1e-5)
    x, y, out = np.zeros((65, 2, 6), np.float32), np.zeros((65, 3), np.float32), np.zeros((65, 3), np.float32)
    inputs = (Buffer * 2)(*(Buffer.of(d, a) for d, a in zip(declared, (x, y), strict=True)))
    ran = library.ten_executable_execute(executable, inputs, 2, ctypes.byref(Buffer.of(result, out)), 1)
    assert "is 65; the program was exported for 0 to 64" in text(ran)
    library.ten_executable_release(executable)
