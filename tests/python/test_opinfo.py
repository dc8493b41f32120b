"""A few entries of PyTorch's OpInfo database, each ATen op lowered alone and compared with the CPU: families of
lowerings that no model in the other tests uses. `make opinfo` runs the whole database."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
common = pytest.importorskip("torch.testing._internal.common_methods_invocations")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "opinfo"))

import samples  # noqa: E402
from op_by_op import OpByOp  # noqa: E402

ENTRIES = [
    "geqrf",
    "linalg.lu",
    "linalg.lu_solve",
    "linalg.pinv",
    "linalg.svdvals",
    "masked_scatter",
    "cdist",
    "nn.functional.embedding_bag",
    "nn.functional.fractional_max_pool2d",
    "nn.functional.hardshrink",
    "nn.functional.interpolate.bicubic",
    "nn.functional.interpolate.nearest",
    "nn.functional.multilabel_margin_loss",
    "nn.functional.multi_margin_loss",
    "nn.functional.pdist",
    "ormqr",
    "polygamma.polygamma_n_0",
    "special.airy_ai",
    "special.bessel_j1",
    "special.bessel_y0",
    "special.chebyshev_polynomial_w",
    "special.laguerre_polynomial_l",
    "special.scaled_modified_bessel_k1",
]
# Vectors whose sign is free, numbers the CPU leaves unset: only what is made of them is compared, by the whole run.
FREE = {"_linalg_svd", "_linalg_eigh", "_embedding_bag"}


@pytest.fixture(scope="module")
def entries() -> dict:
    return {e.full_name: e for e in common.op_db}


@pytest.mark.parametrize("name", ENTRIES)
def test_entry(name: str, entries: dict) -> None:
    tried = 0
    for sample in samples.op_samples(entries[name], torch.float32, 4):
        with OpByOp(sample.tolerance) as mode:
            sample.run(samples.mover("cpu"))
        failures = [f for f in mode.failures if f[0].split(".")[1] not in FREE]
        assert not failures, f"{sample.text}: {failures[0]}"
        assert not mode.fallbacks, f"{sample.text}: {dict(mode.fallbacks)}"
        tried += 1
    assert tried
