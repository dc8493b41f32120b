"""tenfold.grad: programs, functions of PyTorch, twice, and what it says where there is no gradient."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
import tenfold  # noqa: E402

SQUARES = """
func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %cube = stablehlo.multiply %x, %x : tensor<3xf32>
  %y = stablehlo.multiply %cube, %x : tensor<3xf32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] :
    (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}
"""


def test_a_program_twice(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(SQUARES)
    x = np.array([1, -2, 0.5], np.float32)
    once = tenfold.grad(tmp_path / "f.mlir")
    np.testing.assert_allclose(np.from_dlpack(once(x)[0]), 3 * x**2)
    twice = tenfold.grad(once, cotangents=True)
    np.testing.assert_allclose(np.from_dlpack(twice(x, np.ones(3, np.float32))[0]), 6 * x)
    value, gradient = tenfold.grad(tmp_path / "f.mlir", value=True)(x)
    np.testing.assert_allclose(np.from_dlpack(value), (x**3).sum(), rtol=1e-6)
    np.testing.assert_allclose(np.from_dlpack(gradient), 3 * x**2)


def test_functions_of_tensors() -> None:
    torch.manual_seed(0)
    layer = torch.nn.Linear(4, 5)
    x, w = torch.randn(3, 4, requires_grad=True), torch.randn(5, 2, requires_grad=True)

    def loss(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return (torch.relu(layer(x)) @ w).tanh().pow(2).sum()

    want = torch.autograd.grad(loss(x, w), (x, w))
    got = tenfold.grad(loss)
    for ours, theirs in zip(got(x, w), want, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(tenfold.grad(loss, 1)(x, w)[0], want[1], rtol=1e-4, atol=1e-5)
    more = torch.randn(7, 4)
    assert got(more, w)[0].shape == (7, 4)  # traced again for other shapes


def test_relu_at_zero_has_no_gradient() -> None:
    x = torch.tensor([-1.0, 0.0, 2.0])
    assert tenfold.grad(lambda x: torch.relu(x).sum())(x)[0].tolist() == [0, 0, 1]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> { return %x : tensor<3xf32> }"
    )
    with pytest.raises(tenfold.Error, match="the first result must be a float scalar"):
        tenfold.grad(tmp_path / "f.mlir")
    with pytest.raises(TypeError, match="expected a program or a function"):
        tenfold.grad(3)
