"""Where the kernels that only tell shapes tell other strides than PyTorch's CPU kernels choose: those are asked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch

ALWAYS = {"_fft_c2c", "_fft_r2c", "_fft_c2r", "_linalg_svd"}
PERMUTED = {
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
PERMUTED_NAMES = {"aten.div.Tensor_mode", "aten.div.Scalar_mode"}
FAKED = {"convolution", "_convolution", "convolution_backward"}  # by torch's stand-ins for tensors of the CPU
FAKED_ALWAYS = {"scaled_dot_product_attention"}
_fake: Any = None


def way(short: str, name: str) -> tuple[bool, bool] | None:
    """How the strides of an op's results are found, where its meta kernel does not know them: without its arithmetic?
    also where all arguments are row-major?"""
    always = short in ALWAYS or short in FAKED_ALWAYS
    if not always and short not in PERMUTED and short not in FAKED and name not in PERMUTED_NAMES:
        return None
    return short in FAKED or short in FAKED_ALWAYS, always


@contextlib.contextmanager
def _keeping_random_state() -> Any:
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)


def ask(faked: bool, run: Callable[[str], Any]) -> Any:
    """Runs the op for its results' strides."""
    global _fake
    if not faked:
        with _keeping_random_state():
            return run("cpu")
    if _fake is None:
        from torch._subclasses.fake_tensor import FakeTensorMode

        _fake = FakeTensorMode()
    with _fake:
        return run("cpu")
