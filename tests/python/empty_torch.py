"""PyTorch layers and ops over inputs with a dimension of 0, for test_empty_shapes.py."""

# ruff: noqa: E501, B008 (a line a case; a layer is made with its case)
from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional as F

Case = tuple[Callable[[], nn.Module] | Callable, tuple[tuple[int, ...], ...]]


def images(n=0, c=4, h=6, w=6):
    return ((n, c, h, w),)


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


# Some of each kind; the others with TENFOLD_TEST_ALL. (Gradients of means of squares are not among them: PyTorch itself
# divides by the number of elements when it traces them.)
FEW: dict[str, Case] = {
    "linear": (lambda: nn.Linear(5, 3), ((0, 5),)),
    "linear_no_features": (lambda: nn.Linear(0, 3), ((4, 0),)),
    "conv": (lambda: nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.ReLU()), images()),
    "conv_depthwise": (lambda: nn.Conv2d(4, 4, 3, padding=1, groups=4), images()),
    "conv_norm": (lambda: nn.Sequential(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8).eval(), nn.ReLU()), images()),
    "max_pool": (lambda: nn.MaxPool2d(2), images()),
    "layer_norm": (lambda: nn.LayerNorm(5), ((0, 5),)),
    "attention": (lambda: attention, ((2, 3, 0, 8), (2, 3, 5, 8), (2, 3, 5, 8))),
    "attention_no_keys": (lambda: attention, ((2, 3, 4, 8), (2, 3, 0, 8), (2, 3, 0, 8))),
    "softmax": (lambda: lambda x: x.softmax(-1), ((3, 0),)),
    "cumsum": (lambda: lambda x: x.cumsum(0), ((4, 0),)),
    "reductions": (lambda: lambda x: (x.sum(), x.sum(1), x.mean(0), x.prod(1)), ((0, 5),)),
    "products": (lambda: lambda x, y: x @ y, ((3, 0), (0, 4))),
    "joins": (lambda: lambda x, y: torch.cat([x, y, x], 1), ((3, 0), (3, 4))),
    "loss": (lambda: lambda x, y: F.l1_loss(x, y), ((0, 4), (0, 4))),
}
MORE: dict[str, Case] = {
    "conv_bf16": (lambda: nn.Conv2d(4, 8, 3, padding=1).bfloat16(), images()),
    "conv_no_channels": (lambda: lambda x, w: F.conv2d(x, w, padding=1), ((2, 0, 6, 6), (4, 0, 3, 3))),
    "conv_strided": (lambda: nn.Conv2d(4, 8, 3, stride=2), images()),
    "conv_line": (lambda: nn.Conv1d(4, 8, 3), ((0, 4, 9),)),
    "conv_space": (lambda: nn.Conv3d(2, 3, 3), ((0, 2, 5, 5, 5),)),
    "conv_transposed": (lambda: nn.ConvTranspose2d(4, 8, 3, stride=2), images()),
    "conv_groups": (lambda: nn.Conv2d(4, 8, 3, groups=2), images()),
    "batch_norm_eval": (lambda: nn.BatchNorm2d(4).eval(), images()),
    "group_norm": (lambda: nn.GroupNorm(2, 4), images()),
    "instance_norm": (lambda: nn.InstanceNorm2d(4), images()),
    "rms_norm": (lambda: nn.RMSNorm(5), ((0, 5),)),
    "average_pool": (lambda: nn.AvgPool2d(2), images()),
    "adaptive_pool": (lambda: nn.AdaptiveAvgPool2d(1), images()),
    "adaptive_max_pool": (lambda: nn.AdaptiveMaxPool2d(2), images()),
    "upsample": (lambda: nn.Upsample(scale_factor=2), images()),
    "upsample_linear": (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), images()),
    "lstm": (lambda: nn.LSTM(4, 5), ((3, 0, 4),)),
    "gru": (lambda: nn.GRU(4, 5), ((3, 0, 4),)),
    "transformer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), ((0, 5, 8),)),
    "transformer_no_steps": (lambda: nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), ((2, 0, 8),)),
    "multihead": (lambda: lambda x, m=nn.MultiheadAttention(8, 2): m(x, x, x)[0], ((4, 0, 8),)),
    "attention_causal": (
        lambda: lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), ((0, 3, 4, 8),) * 3
    ),
    "dropout": (lambda: nn.Dropout(0.5), ((0, 5),)),
    "activations": (
        lambda: lambda x: (F.gelu(x), F.silu(x), F.hardswish(x), F.elu(x), F.softplus(x), F.glu(x, 1)), ((0, 6),)
    ),
    "log_softmax": (lambda: lambda x: x.log_softmax(0), ((0, 4),)),
    "losses": (
        lambda: lambda x, y: (
            F.mse_loss(x, y, reduction="sum"), F.huber_loss(x, y, reduction="none"), F.binary_cross_entropy_with_logits(x, y),
            F.cosine_similarity(x, y, 1),
        ),
        ((0, 4), (0, 4)),
    ),
    "cumulative": (lambda: lambda x: (x.cumsum(1), x.cumprod(1), x.cummax(1)[0], x.logcumsumexp(1)), ((3, 0),)),
    "statistics": (lambda: lambda x: (x.var(0), x.std(0), x.norm(dim=0), x.logsumexp(0), x.any(0)), ((0, 5),)),
    "moves": (
        lambda: lambda x: (x.flip(0), x.roll(1, 0), x.t(), x.repeat(2, 2), x.unfold(1, 2, 1), x[:, 1:3], x.flatten()),
        ((0, 5),),
    ),
    "pads": (lambda: lambda x: (F.pad(x, (1, 2)), F.pad(x, (1, 2, 3, 0), value=2.0)), ((3, 0),)),
    "stacks": (lambda: lambda x, y: (torch.stack([x, y]), torch.hstack([x, y])), ((0, 3), (0, 3))),
    "sorts": (lambda: lambda x: (x.sort(1)[0], x.argsort(0), x.topk(0, 1)[0]), ((3, 0),)),
    "batched": (lambda: lambda x, y: torch.bmm(x, y), ((0, 3, 4), (0, 4, 5))),
    "batched_inner": (lambda: lambda x, y: torch.baddbmm(torch.ones(2, 3, 5), x, y), ((2, 3, 0), (2, 0, 5))),
    "einsum": (lambda: lambda x, y: torch.einsum("bik,bjk->bij", x, y), ((2, 3, 0), (2, 4, 0))),
    "indexes": (
        lambda: lambda x: (
            x[torch.zeros(0, dtype=torch.long)], x.index_select(1, torch.zeros(0, dtype=torch.long)),
            x.gather(1, torch.zeros(3, 0, dtype=torch.long)), x.masked_fill(x > 0, 1.0), torch.where(x > 0, x, -x),
        ),
        ((3, 4),),
    ),
    "scatters": (
        lambda: lambda x: (
            x.index_add(0, torch.zeros(0, dtype=torch.long), torch.zeros(0, 4)),
            x.scatter_add(0, torch.zeros(0, 4, dtype=torch.long), torch.zeros(0, 4)),
        ),
        ((3, 4),),
    ),
    "linear_algebra": (
        lambda: lambda x: (torch.linalg.det(x), torch.linalg.inv(x), torch.linalg.solve(x, x)), ((0, 3, 3),)
    ),
    "no_matrix": (lambda: lambda x: (torch.linalg.inv(x), x.tril(), x.diagonal()), ((2, 0, 0),)),
    "embedding": (lambda: lambda x, e=nn.Embedding(5, 3): e(x.long()), ((0, 4),)),
    "quantized": (lambda: lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127), ((0, 4),)),
}  # fmt: skip


def tensors(result) -> list[torch.Tensor]:
    found = result if isinstance(result, (tuple, list)) else [result]
    return [t for r in found for t in ([r] if isinstance(r, torch.Tensor) else tensors(r))]


def outcome(function, parameters: list[torch.Tensor], inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """Results, and the gradients of all parameters and inputs."""
    results = tensors(function(*inputs))
    sums = [r.float().sum() for r in results if r.requires_grad]
    if not sums:
        return results
    wanted = [*parameters, *(x for x in inputs if x.requires_grad)]
    return [*results, *(g for g in torch.autograd.grad(sum(sums), wanted, allow_unused=True) if g is not None)]


def difference(make, shapes) -> str:
    torch.manual_seed(1)
    function = make()
    parameters = list(function.parameters()) if isinstance(function, nn.Module) else []
    dtype = parameters[0].dtype if parameters else torch.float32
    inputs = [torch.randn(s, dtype=dtype).requires_grad_() for s in shapes]
    try:
        want = outcome(function, parameters, inputs)
    except Exception as error:
        return f"eager mode refuses it: {str(error).splitlines()[0]}"
    torch._dynamo.reset()
    have = outcome(torch.compile(function, backend="tenfold"), parameters, inputs)
    if len(want) != len(have):
        return f"{len(have)} results and gradients for {len(want)}"
    for i, (a, b) in enumerate(zip(want, have, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{i}: {b.dtype}{list(b.shape)} for {a.dtype}{list(a.shape)}"
        if not torch.allclose(a, b, 2e-2 if dtype == torch.bfloat16 else 1e-4, 1e-4, equal_nan=True):
            return f"{i}: {b.flatten()[:4].tolist()} for {a.flatten()[:4].tolist()}"
    return ""
