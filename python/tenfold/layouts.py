"""Where the kernels that only tell shapes tell other strides than PyTorch's CPU kernels choose: those are asked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch

ALWAYS = {"_fft_c2c", "_fft_r2c", "_fft_c2r", "_linalg_svd"}
TURNED = {
    "native_batch_norm",
    "_native_batch_norm_legit",
    "_batch_norm_with_update",
    "constant_pad_nd",
    "reflection_pad2d",
    "replication_pad2d",
    "max_unpool2d",
    "pixel_shuffle",
    "channel_shuffle",
    "native_channel_shuffle",
    "copysign",
    "floor_divide",
    "normal",
}
TURNED_NAMES = {"aten.div.Tensor_mode", "aten.div.Scalar_mode"}
CONVOLUTIONS = {"convolution", "_convolution", "convolution_backward"}
_fake: Any = None


def way(short: str, name: str) -> str | None:
    """How the strides of an op's results are found, where its meta kernel does not know them."""
    if short in ALWAYS:
        return "always"
    if short in CONVOLUTIONS:
        return "fake"
    return "turned" if short in TURNED or name in TURNED_NAMES else None


@contextlib.contextmanager
def _keeping_random_state() -> Any:
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)


def ask(how: str, run: Callable[[str], Any]) -> Any:
    """Runs the op for its results' strides; a convolution without its arithmetic."""
    global _fake
    if how != "fake":
        with _keeping_random_state():
            return run("cpu")
    if _fake is None:
        from torch._subclasses.fake_tensor import FakeTensorMode

        _fake = FakeTensorMode()
    with _fake:
        return run("cpu")
