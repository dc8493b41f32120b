"""A few entries of PyTorch's OpInfo database, differentiated by the library and compared with torch.autograd, float64:
families of rules that the other tests of gradients do not reach. `make opinfo-grad` runs the whole database."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
common = pytest.importorskip("torch.testing._internal.common_methods_invocations")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "opinfo"))

import gradients  # noqa: E402
import samples  # noqa: E402

ENTRIES = [
    "_segment_reduce.lengths",
    "as_strided_scatter",
    "cumprod",
    "fft.irfft",
    "grid_sampler_2d",
    "i0",
    "index_reduce.prod",
    "linalg.eigh",
    "linalg.norm.subgradients_at_zero",
    "linalg.pinv.singular",
    "linalg.solve",
    "linalg.svd",
    "masked.softmax",
    "narrow",
    "nextafter",
    "nn.functional.batch_norm",
    "nn.functional.conv_transpose2d",
    "nn.functional.ctc_loss",
    "nn.functional.interpolate.bicubic",
    "nn.functional.max_pool2d",
    "nn.functional.max_unpool2d",
    "repeat_interleave",
    "scatter_reduce.prod",
    "sort",
    "special.erfcx",
    "special.log_ndtr",
    "torch.ops.aten._safe_softmax.default",
]


@pytest.fixture(scope="module")
def entries() -> dict:
    return {e.full_name: e for e in common.op_db}


@pytest.mark.parametrize("name", ENTRIES)
def test_entry(name: str, entries: dict) -> None:
    said: list[dict] = []
    gradients.try_entry(entries[name], 3, "interp", said.append)
    row = said[-1]
    assert row["samples"]
    assert row["class"] in ("right", "judged"), row["failures"]


def test_a_wrong_gradient_is_seen() -> None:
    x = torch.rand(3, dtype=torch.float64)
    tolerance = samples.TOLERANCE[torch.float64]
    assert gradients.difference([x], [x.clone()], tolerance, False) == ""
    assert "gradient 0" in gradients.difference([x], [x + 1e-4], tolerance, False)
