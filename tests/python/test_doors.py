"""Every way by which Python takes a program refuses one that is not valid: an exception, never a run."""

from __future__ import annotations

import numpy as np
import pytest
import tenfold
from test_bad_archives import META, archive, program, tensor

PROGRAMS = {
    "slice": """func.func @main(%a: tensor<4xf32>) -> tensor<512xf32> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 512>,
    strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}""",
    "concatenate": """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.concatenate"(%a, %a) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
    "triangular_solve": """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
}
X = np.full(4, 1.5, "f4")


def solve_of_integers() -> bytes:
    """y = triangular_solve(x, w) of i32: there is no such thing, and its lowering does not know."""
    made = program()
    graph = made["graph_module"]["graph"]
    square = dict(META, dtype=4, sizes=[{"as_int": 2}, {"as_int": 2}], strides=[{"as_int": 2}, {"as_int": 1}])
    graph["nodes"][0] |= {
        "target": "torch.ops.aten.triangular_solve.default",
        "inputs": [{"name": "self", "arg": tensor("x")}, {"name": "A", "arg": tensor("w")}],
        "outputs": [tensor("y"), tensor("z")],
    }
    graph["tensor_values"] = {name: square for name in "wxyz"}
    return archive(made, weights=bytes(16), meta=square)


@pytest.mark.parametrize("device", ["cpu", "interp"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_files(name, device, tmp_path):
    path = tmp_path / f"{name}.mlir"
    path.write_text(PROGRAMS[name])
    with pytest.raises(tenfold.Error, match=f"stablehlo.{name}"):
        tenfold.load(path, device=device)
    with pytest.raises(tenfold.Error, match=f"stablehlo.{name}"):
        tenfold.run(path, X, device=device)


@pytest.mark.parametrize("name", PROGRAMS)
def test_text(name):
    with pytest.raises(tenfold.Error, match=f"stablehlo.{name}"):
        tenfold._core.parse(PROGRAMS[name])


def test_what_an_archive_is_lowered_to(tmp_path):
    path = tmp_path / "solve.pt2"
    path.write_bytes(solve_of_integers())
    x = np.eye(2, dtype="i4")
    for device in ("cpu", "interp"):
        with pytest.raises(tenfold.Error, match=r"triangular_solve.*must be a ranked tensor of floats"):
            tenfold.load(path, device=device)(x)
        with pytest.raises(tenfold.Error, match="triangular_solve"):
            tenfold.run(path, x, device=device)
    loaded = tenfold._core.load(str(path))
    for call in (loaded.grad, loaded.compile, loaded.text, lambda: loaded.check(None), lambda: tenfold.show(path)):
        with pytest.raises(tenfold.Error, match="triangular_solve"):
            call()
    with pytest.raises(tenfold.Error, match="triangular_solve"):
        loaded.parts(None, "cpu")
