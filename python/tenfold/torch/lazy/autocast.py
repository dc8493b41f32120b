"""torch.autocast("tenfold"): ops that compute in the lower precision, in f32, or in that of their widest argument."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_map

_LOWER = """
conv1d conv2d conv3d conv_transpose1d conv_transpose2d.input conv_transpose3d.input conv_tbc convolution matmul
linear mm bmm mv addmm addbmm baddbmm addmv addr chain_matmul linalg_multi_dot linalg_vecdot prelu
scaled_dot_product_attention _scaled_dot_product_attention_math gru_cell lstm_cell rnn_tanh_cell rnn_relu_cell
"""
_FLOAT = """
acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar pow.Tensor_Tensor
pow.Scalar softplus layer_norm group_norm frobenius_norm.dim nuclear_norm nuclear_norm.dim cosine_similarity
poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss smooth_l1_loss
huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss
multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp upsample_nearest1d
upsample_nearest2d upsample_bilinear2d upsample_bicubic2d softmax.int log_softmax.int softmin cumprod cumsum prod
prod.dim_int sum sum.dim_IntList norm.Scalar norm.ScalarOpt_dim linalg_vector_norm linalg_matrix_norm
"""
_WIDEST = "addcdiv addcmul atan2 bilinear cross dot index_put scatter_add cat stack"
_keep_alive: list[Any] = []


def _cast(item: Any, dtype: torch.dtype) -> Any:
    def one(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.device.type == "tenfold" and value.is_floating_point():
            return value.to(dtype) if value.dtype not in (dtype, torch.float64) else value
        return value

    return tree_map(one, item)


def _widest(args: Any) -> torch.dtype:
    found = torch.get_autocast_dtype("tenfold")

    def look(value: Any) -> Any:
        nonlocal found
        if isinstance(value, torch.Tensor) and value.dtype == torch.float32:
            found = torch.float32
        return value

    tree_map(look, args)
    return found


def _kernel(op: Any, choose: Any) -> Any:
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)

    def run(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(keys):
            dtype = choose((args, kwargs))
            return op(*_cast(args, dtype), **_cast(kwargs, dtype))

    return run


def install() -> None:
    """Registers the rules; they cost nothing while autocast is off."""
    everything = torch.library.Library("_", "IMPL")
    everything.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    library = torch.library.Library("aten", "IMPL")
    rules = (
        (_LOWER, lambda _: torch.get_autocast_dtype("tenfold")),
        (_FLOAT, lambda _: torch.float32),
        (_WIDEST, _widest),
    )
    for names, choose in rules:
        for name in names.split():
            short, _, overload = name.partition(".")
            packet = getattr(torch.ops.aten, short, None)
            op = getattr(packet, overload or "default", None) if packet is not None else None
            if op is not None:
                library.impl(op, _kernel(op, choose), "AutocastPrivateUse1")
    _keep_alive.extend([everything, library])
