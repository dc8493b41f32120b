"""Operators of other libraries: lowerings from Python, kernels in C, on the lazy device and under torch.compile."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from tenfold.torch import backend as torch_backend  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


@torch.library.custom_op("tenfold_tests::scaled_tanh", mutates_args=())
def scaled_tanh(x: torch.Tensor, scale: float) -> torch.Tensor:
    return torch.tanh(x) * scale


scaled_tanh.register_fake(lambda x, scale: torch.empty_like(x))
scaled_tanh.register_autograd(
    lambda ctx, grad: (grad * (ctx.scale - ctx.saved_tensors[0] ** 2 / ctx.scale), None),
    setup_context=lambda ctx, inputs, output: (
        ctx.save_for_backward(output),
        setattr(ctx, "scale", inputs[1]),
    )[0],
)


@tenfold.lowering("tenfold_tests::scaled_tanh")
def lower_scaled_tanh(b, x, scale):
    return b.tanh(x) * scale


@torch.library.custom_op("tenfold_tests::row_stats", mutates_args=())
def row_stats(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    z = x @ y
    return [z.amax(1), torch.where(z > 0, z, -z).sum(1)]


@tenfold.lowering("tenfold_tests::row_stats")
def lower_row_stats(b, x, y):
    z = x @ y
    return b.reduce("maximum", z, [1]), b.reduce("add", b.select(b.compare("GT", z, 0), z, -z), [1])


@torch.library.custom_op("tenfold_tests::wrong", mutates_args=())
def wrong(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@pytest.fixture(autouse=True)
def fresh():
    torch.tenfold.synchronize()
    tenfold.reset_stats()
    yield


def test_on_the_lazy_device():
    x = torch.randn(3, 4)
    have = torch.ops.tenfold_tests.scaled_tanh(x.to("tenfold"), 2.0)
    torch.testing.assert_close(have.cpu(), torch.tanh(x) * 2)
    assert tenfold.stats()["fallbacks"] == {}


def test_gradients():
    x = torch.randn(3, 4)
    grads = []
    for device in ("cpu", "tenfold"):
        leaf = x.to(device).detach().requires_grad_()
        torch.ops.tenfold_tests.scaled_tanh(leaf, 2.0).sum().backward()
        grads.append(leaf.grad.cpu())
    torch.testing.assert_close(*grads)


def test_several_results_without_a_fake_kernel():
    x, y = torch.randn(3, 4), torch.randn(4, 5)
    have = torch.ops.tenfold_tests.row_stats(x.to("tenfold"), y.to("tenfold"))
    for h, w in zip(have, row_stats(x, y), strict=True):
        torch.testing.assert_close(h.cpu(), w)
    assert tenfold.stats()["fallbacks"] == {}


def test_under_torch_compile():
    torch._dynamo.reset()
    x = torch.randn(3, 4)
    run = torch.compile(lambda t: torch.ops.tenfold_tests.scaled_tanh(t, 0.5) + 1, backend=torch_backend.backend)
    torch.testing.assert_close(run(x), torch.tanh(x) * 0.5 + 1)
    assert tenfold.stats()["fallbacks"] == {} and tenfold.stats()["graphs"] == 1


def test_a_lowering_that_is_wrong_falls_back():
    @tenfold.lowering("tenfold_tests::wrong")
    def lower_wrong(b, x):
        return b.op("stablehlo.no_such_op", [x], x.shape, x.dtype)

    x = torch.ones(3, device="tenfold")
    assert torch.ops.tenfold_tests.wrong(x).tolist() == [2, 2, 2]
    assert sum(tenfold.stats()["fallbacks"].values()) >= 1


KERNEL = r"""
#include "tenfold/custom.h"
ten_status *triple(const ten_buffer *in, size_t ins, const ten_buffer *out, size_t outs, void *user) {
  (void)ins, (void)outs, (void)user;
  const float *x = in[0].data;
  float *y = out[0].data;
  for (size_t i = 0; i < in[0].bytes / sizeof *x; i++) y[i] = 3 * x[i];
  return 0;
}
"""


@torch.library.custom_op("tenfold_tests::triple", mutates_args=())
def triple(x: torch.Tensor) -> torch.Tensor:
    return x * 3


@tenfold.lowering("tenfold_tests::triple")
def lower_triple(b, x):
    return b.custom_call("tenfold_tests_triple", [x], x.shape, x.dtype)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_kernel_in_c(tmp_path):
    (tmp_path / "kernel.c").write_text(KERNEL)
    library = tmp_path / "kernel.so"
    command = ["cc", "-shared", "-fPIC", f"-I{ROOT / 'include'}", str(tmp_path / "kernel.c"), "-o", str(library)]
    subprocess.run(command, check=True)
    loaded = ctypes.CDLL(str(library))
    tenfold.register_kernel("tenfold_tests_triple", ctypes.cast(loaded.triple, ctypes.c_void_p).value)
    x = torch.randn(5)
    have = torch.ops.tenfold_tests.triple(x.to("tenfold") + 1) * 2
    torch.testing.assert_close(have.cpu(), (x + 1) * 6)
    assert tenfold.stats()["fallbacks"] == {}
