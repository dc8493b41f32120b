"""Executable.enqueue: what it says of tensors that a device's kernels cannot read; memory for what it gives."""

import itertools
from types import SimpleNamespace

import pytest
import tenfold
import tenfold.torch.compiled  # PyTorch's tensors can be looked at in C from then on
import torch
from tenfold import _core
from tenfold.torch import cuda


@pytest.fixture
def made():
    text = """func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
      return %y : tensor<3xf32>
    }"""
    return _core.parse(text).compile(device="cpu")


def test_inputs_that_do_not_fit(made):
    x, y, out = torch.zeros(2, 3), torch.zeros(3), [torch.zeros(3)]
    assert made.enqueue([x, y], out, 0) == 0  # not on the device
    assert made.enqueue([4096, y], out, 0) == 1
    assert made.enqueue([torch.zeros(3, 2), y], out, 0) == -1
    assert made.enqueue([4096, torch.zeros(3, 1)], out, 0) == -1


def test_mistakes_are_named(made):
    with pytest.raises(ValueError, match="the program has 2 inputs, 1 are given"):
        made.enqueue([4096], [4096], 0)
    with pytest.raises(TypeError, match="a list of results is expected"):
        made.enqueue([4096, 4096], 4096, 0)
    with pytest.raises(ValueError, match="result 0 cannot be written to what is given for it"):
        made.enqueue([4096, 4096], [torch.zeros(3)], 0)
    with pytest.raises(tenfold.Error, match="device 'cpu'"):
        made.enqueue([4096, 4096], [4096], 0)


def test_inputs_whose_dimensions_are_in_another_order(made):
    x, y, same = torch.zeros(3, 2), torch.zeros(3), b"\xff" * 8
    assert made.enqueue([x, y], [4096], 0, same + same) == -1
    assert made.enqueue([x, y], [4096], 0, bytes([1, 0]).ljust(8, b"\xff") + same) == 0  # it fits, but for the device
    assert made.enqueue([x, y], [4096], 0, bytes([7, 0]).ljust(8, b"\xff") + same) == 0
    with pytest.raises(ValueError, match="8 bytes for each input"):
        made.enqueue([x, y], [4096], 0, same)


class Owner(SimpleNamespace):
    def may_share(self, index, size):
        return index in self.shared


def test_results_share_memory():
    program = SimpleNamespace(
        inputs=[("f32", (2, 3)), ("f32", (4,))],
        results=[("f32", (2, 3)), ("bf16", (2, 3, 4, 5)), ("i64", ()), ("f32", (4,)), ("i1", (7,)), ("f32", (2, 3))],
        in_place=[None, None, None, None, None, 0],
    )
    owner = Owner(exchanges=True, apart=True, copied=set(), given={1: [0]}, permuted={1: [0, 3, 1, 2], 3: [0]})
    owner.shared, owner.empty = {0, 1, 2, 4}, lambda *kind: torch.empty_strided(kind[0], kind[1], dtype=kind[2])
    call, values = cuda.Call(program, owner), [torch.ones(2, 3), torch.ones(4)]
    results, outputs = call.make_results(owner, values)
    assert [(tuple(r.shape), r.dtype) for r in results] == [
        ((2, 3), torch.float32),
        ((2, 5, 3, 4), torch.bfloat16),
        ((), torch.int64),
        ((4,), torch.float32),
        ((7,), torch.bool),
        ((2, 3), torch.float32),
    ]
    assert results[1].is_contiguous(memory_format=torch.channels_last)
    assert results[5] is values[0] and outputs[5] is values[0]
    assert [results[i].data_ptr() for i in range(5)] == outputs[:5]
    places = sorted((r.data_ptr(), r.numel() * r.itemsize) for r in [*results[:3], results[4]])
    assert all(a + size <= b and b % 16 == 0 for (a, size), (b, _) in itertools.pairwise(places))
    assert call.orders == b"\xff" * 8 + bytes([0]).ljust(8, b"\xff")
    for i, result in enumerate(results):
        result.fill_(i)
    first = results[0]
    del results, outputs  # the memory is there until its last view is gone
    torch.empty(1 << 16).fill_(9)
    assert first.tolist() == [[0.0] * 3] * 2
    owner.copied = {0}
    assert call.make_results(owner, values)[0][5] is not values[0]


def test_views_that_are_described_wrongly():
    block = torch.empty(64, dtype=torch.uint8)
    for words in ([0], [0, 0x220, 2, 1, 1, 1], [-1, 0x220, 0], [0, 0x220, -1]):
        with pytest.raises(ValueError, match="a view is described by"):
            _core.views(block, torch.tensor(words).numpy().tobytes())
