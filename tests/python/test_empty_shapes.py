"""Every op over dimensions of 0: compiled as interpreted, through PyTorch as in eager mode."""

from __future__ import annotations

import ctypes
import os
import re

import pytest

torch = pytest.importorskip("torch")
import empty_programs  # noqa: E402
import empty_torch  # noqa: E402

# Ops whose programs would show nothing here: no tensors, no results of their own, or other processes' doings.
ELSEWHERE = {
    "chlo.constant", "stablehlo.create_token", "stablehlo.after_all",
    "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv", "stablehlo.replica_id",
    "stablehlo.partition_id", "stablehlo.tuple", "stablehlo.get_tuple_element", "stablehlo.async_start",
    "stablehlo.async_done", "stablehlo.composite", "stablehlo.custom_call", "stablehlo.cross-replica-sum",
    "stablehlo.collective_reduce", "stablehlo.set_dimension_size", "stablehlo.unary_einsum",
}  # fmt: skip


M_PERTURB = -6  # glibc's mallopt: fresh memory has these bytes, so that what a program does not write is seen


@pytest.fixture
def dirty_memory():
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallopt"):
        pytest.skip("this C library has no mallopt")
    assert libc.mallopt(M_PERTURB, 0xA5) == 1
    yield
    libc.mallopt(M_PERTURB, 0)


def test_compiled_as_interpreted(dirty_memory):
    names, refused, wrong = empty_programs.try_all()
    assert wrong == []
    # slices that are to be taken from nothing, windows and parts of size 0
    assert {name.partition("(")[0] for name in refused if "2^36" not in name} <= {
        "gathers", "gathers_along", "gathers_dynamically", "selects_rows", "convolves_kernel_gradient", "collectives"
    }  # fmt: skip
    assert len(names) > 300


def test_every_op_is_tried():
    texts = "".join(text for name in empty_programs.PROGRAMS for _, text in empty_programs.variants(name))
    missing = {op for op, *_ in empty_programs.table() if not re.search(rf"{re.escape(op)}\b", texts)}
    assert missing == ELSEWHERE


def test_a_difference_is_seen():
    text = empty_programs.program(["tensor<2xf32>"], ["tensor<2xf32>"], "%r = stablehlo.negate %0 : tensor<2xf32>")
    assert empty_programs.difference(text, True) == ""
    assert empty_programs.difference(text.replace("negate", "negated"), True).startswith("interpreted: ")


@pytest.mark.parametrize("name", [*empty_torch.FEW, *(empty_torch.MORE if os.environ.get("TENFOLD_TEST_ALL") else {})])
def test_as_in_eager_mode(name):
    pytest.importorskip("tenfold.torch.backend")
    assert empty_torch.difference(*(empty_torch.FEW | empty_torch.MORE)[name]) == ""
