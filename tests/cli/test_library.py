"""`--library ops.so`: operators of one's own in programs that the command runs."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, tenfold

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
CALL = """func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.custom_call @mylib_triple(%x) : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
"""


def build(source: Path, out: Path) -> Path:
    flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
    subprocess.run(["cc", *flags, source, "-o", out], check=True, timeout=60)
    return out


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT / "examples" / "library" / "scale.c", tmp_path_factory.mktemp("library") / "scale.so")


def test_a_kernel(library: Path, tmp_path: Path) -> None:
    (tmp_path / "call.mlir").write_text(CALL)
    x = np.arange(5, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    done = tenfold("run", "call.mlir", "-i", "x.npy", "-o", ".", cwd=tmp_path)
    assert done.code == 1 and "mylib_triple" in done.err
    done = tenfold("run", "call.mlir", "-i", "x.npy", "-o", ".", "--library", library, cwd=tmp_path)
    assert done.code == 0, done
    assert np.array_equal(np.load(tmp_path / "0.npy"), 3 * x)
    # a compiled file holds what a lowering made, and no address of a kernel
    done = tenfold("compile", "call.mlir", "-o", "call.ten", "--library", library, cwd=tmp_path)
    assert done.code == 1 and "a compiled file cannot hold this op" in done.err, done


def test_an_operator_in_an_archive(library: Path, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")

    @torch.library.custom_op("mylib::scale", mutates_args=())
    def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
        return x * factor

    @scale.register_fake
    def _(x: torch.Tensor, factor: float) -> torch.Tensor:
        return torch.empty_like(x)

    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.ops.mylib.scale(x + 1, 2.5)

    x = torch.randn(4, 3)
    torch.export.save(torch.export.export(Model(), (x,)), tmp_path / "model.pt2")
    np.save(tmp_path / "x.npy", x.numpy())
    done = tenfold("run", "model.pt2", "-i", "x.npy", cwd=tmp_path)
    assert done.code == 1 and "mylib.scale" in done.err, done
    for arguments in (["show", "model.pt2"], ["compile", "model.pt2", "-o", "m.ten"], ["analyze", "model.pt2"]):
        done = tenfold(*arguments, "--library", library, cwd=tmp_path)
        assert done.code == 0, done
    for program in ("model.pt2", "m.ten"):
        done = tenfold("run", program, "-i", "x.npy", "-o", "out", "--library", library, cwd=tmp_path)
        assert done.code == 0, done
        np.testing.assert_allclose(np.load(tmp_path / "out" / "0.npy"), (x.numpy() + 1) * 2.5, rtol=1e-6)


def test_what_is_no_library(library: Path, tmp_path: Path) -> None:
    (tmp_path / "call.mlir").write_text(CALL)

    def fails(path: str) -> str:
        done = tenfold("run", "call.mlir", "--random", "--library", library, "--library", path, cwd=tmp_path)
        assert done.code == (2 if "missing" in path else 1), done
        return done.err

    assert "the library missing.so: No such file" in fails("missing.so")
    (tmp_path / "text.so").write_text("no library")
    assert "the library text.so cannot be loaded" in fails("text.so")
    (tmp_path / "empty.c").write_text("int nothing;")
    build(tmp_path / "empty.c", tmp_path / "empty.so")
    assert "has no tenfold_library_abi: one for Tenfold is made with TENFOLD_LIBRARY" in fails("empty.so")
    (tmp_path / "old.c").write_text(
        "const unsigned tenfold_library_abi = 99; void *tenfold_library_open(void) { return 0; }"
    )
    build(tmp_path / "old.c", tmp_path / "old.so")
    assert "is for version 99 of the interface; this is version 1" in fails("old.so")
    (tmp_path / "no.c").write_text(
        '#include "tenfold/custom.h"\nTENFOLD_LIBRARY(host) { return host->error("not today"); }\n'
    )
    build(tmp_path / "no.c", tmp_path / "no.so")
    assert "not today\n  while opening the library no.so" in fails("no.so")


def test_errors_of_a_lowering_are_the_programs(library: Path, tmp_path: Path) -> None:
    (tmp_path / "call.mlir").write_text(CALL.replace("f32", "f64"))
    done = tenfold("run", "call.mlir", "--random", "--json", "--library", library, cwd=tmp_path)
    assert done.code == 1 and "mylib_triple takes one f32 tensor" in done.err, done
    (tmp_path / "call.mlir").write_text(CALL)
    done = tenfold("run", "call.mlir", "--random", "--json", "--library", library, cwd=tmp_path)
    assert json.loads(done.out)["results"]
