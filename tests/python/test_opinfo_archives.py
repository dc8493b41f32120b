"""Entries of OpInfo that an export leaves whole, or writes in place, through archives; tests/opinfo/archives.py takes
all of the database."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
common = pytest.importorskip("torch.testing._internal.common_methods_invocations")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "opinfo"))

import archives  # noqa: E402
import samples  # noqa: E402

ENTRIES = [
    "_chunk_cat",
    "_unsafe_masked_index",
    "_unsafe_masked_index_put_accumulate",
    "argwhere",
    "atleast_2d",
    "combinations",
    "diff",
    "gradient",
    "istft",
    "linalg.diagonal",
    "linalg.tensorinv",
    "linalg.tensorsolve",
    "linalg.vander",
    "nn.functional.batch_norm",
    "nn.functional.celu",
    "nn.functional.dropout",
    "nn.functional.feature_alpha_dropout.without_train",
    "nn.functional.margin_ranking_loss",
    "nn.functional.multilabel_margin_loss",
    "nn.functional.poisson_nll_loss",
    "nn.functional.triplet_margin_loss",
    "polygamma.polygamma_n_1",
    "sum_to_size",
    "tensor_split",
    "tensordot",
]


@pytest.fixture(scope="module")
def entries() -> dict:
    return {e.full_name: e for e in common.op_db}


@pytest.mark.parametrize("name", ENTRIES)
def test_entry(name: str, entries: dict) -> None:
    tried = 0
    for dtype in samples.dtypes_of(entries[name]):
        for why in archives.failures(entries[name], dtype, 3):
            assert not why, why
            tried += why is not None
    assert tried


class Sequences(torch.nn.Module):
    def forward(self, a, b):
        pad = torch.nn.utils.rnn.pad_sequence
        return pad([a, b]), pad([b, a], batch_first=True, padding_value=-1.5, padding_side="left")


class Norms(torch.nn.Module):
    def forward(self, x):
        return torch.norm_except_dim(x, 2, 0), torch.norm_except_dim(x, 3, 1), torch.norm_except_dim(x, 2, -1)


class Drawn(torch.nn.Module):
    """Without a batch PyTorch draws as if the first dimension were one."""

    def forward(self, x, samples):
        return torch.nn.functional.fractional_max_pool3d(x, 2, output_size=3, _random_samples=samples)


class Joined(torch.nn.Module):
    def forward(self, a, b):
        return torch._utils._flatten_dense_tensors([a, b])


class Reshaped(torch.nn.Module):
    """What has other dimensions from here on is written to, and what looked into it before sees that."""

    def forward(self, x):
        a, b = x * 2, x * 3
        seen = a.view(-1)
        a.unsqueeze_(1)
        a.add_(1)
        b.squeeze_(1).mul_(x.squeeze(1))
        return a, seen, b


class Factors(torch.nn.Module):
    def forward(self, x):
        return torch.lu(x)


class InPlace(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        for drop in ("dropout", "alpha_dropout", "dropout2d", "feature_alpha_dropout"):
            y = getattr(torch.nn.functional, drop)(y, 0.5, training=False, inplace=True)
        return y


@pytest.mark.parametrize(
    ("model", "shapes"),
    [
        (Sequences(), [(3, 2), (5, 2)]),
        (Norms(), [(3, 4, 5)]),
        (Factors(), [(2, 4, 4)]),
        (Reshaped(), [(3, 1, 4)]),
        (Drawn(), [(2, 7, 7, 7), (2, 2, 3)]),
        (Joined(), [(2, 3), (4,)]),
        (InPlace(), [(2, 3, 4, 4)]),
    ],
    ids=["sequences", "norms", "factors", "reshaped", "drawn", "joined", "in place"],
)
def test_left_whole(model, shapes, tmp_path) -> None:
    torch.manual_seed(0)
    call = archives.Call(model, (tuple(torch.rand(s) for s in shapes), {}))
    wanted = archives.exported(call, tmp_path / "model.pt2")
    assert wanted is not None
    for have, want in zip(archives.results_of(tmp_path / "model.pt2", call), wanted, strict=True):
        torch.testing.assert_close(have, want)
