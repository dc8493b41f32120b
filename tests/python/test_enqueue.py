"""Executable.enqueue: what it says of tensors that a device's kernels cannot read."""

import pytest
import tenfold
import tenfold.torch.compiled  # PyTorch's tensors can be looked at in C from then on
import torch
from tenfold import _core


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
