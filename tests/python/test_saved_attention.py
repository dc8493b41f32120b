"""What is saved between a graph and its gradient, on a GPU: decided without one."""

from __future__ import annotations

import pytest
import torch
from tenfold.torch import cuda, joint
from torch._dynamo.backends.common import aot_autograd
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def saved(monkeypatch, f, *inputs: torch.Tensor) -> list[torch.Size]:
    """Shapes of what the forward part gives to the other, and equality of gradients with eager mode's."""
    monkeypatch.setattr(cuda, "is_used", lambda graph: True)
    shapes: list[torch.Size] = []

    def forward(graph, _):
        output = next(n for n in reversed(graph.graph.nodes) if n.op == "output").args[0]
        shapes.extend(n.meta["val"].shape for n in output[1:])
        return graph

    def compiler(graph, given):
        with sdpa_kernel(SDPBackend.MATH):
            return aot_autograd(fw_compiler=forward, bw_compiler=lambda g, _: g, partition_fn=joint.partition)(
                graph, given
            )

    torch._dynamo.reset()
    f(*inputs).float().square().sum().backward()
    wanted = [x.grad for x in inputs]
    for x in inputs:
        x.grad = None
    torch.compile(f, backend=compiler)(*inputs).float().square().sum().backward()
    for x, want in zip(inputs, wanted, strict=True):
        assert (x.grad.float() - want.float()).norm() < 0.02 * want.float().norm()
    return shapes


def tensors(width: int, dtype: torch.dtype) -> list[torch.Tensor]:
    return [torch.randn(2, 3, 40, width, dtype=dtype, requires_grad=True) for _ in range(3)]


@pytest.mark.parametrize("causal", [False, True])
def test_weights_of_attention_are_not_saved(monkeypatch, causal):
    def f(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    shapes = saved(monkeypatch, f, *tensors(32, torch.bfloat16))
    assert shapes and not any(shape.numel() >= 2 * 3 * 40 * 40 for shape in shapes), shapes


@pytest.mark.parametrize(("width", "dtype"), [(32, torch.float32), (24, torch.bfloat16), (144, torch.bfloat16)])
def test_weights_are_saved_where_no_kernel_computes_them_again(monkeypatch, width, dtype):
    shapes = saved(monkeypatch, F.scaled_dot_product_attention, *tensors(width, dtype))
    assert any(shape.numel() == 2 * 3 * 40 * 40 for shape in shapes), shapes
