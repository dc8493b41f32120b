"""Attention, and the encoder layer of transformers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tenfold import _core
from tenfold.array import creation, random
from tenfold.array.object import Array
from tenfold.nn import functional
from tenfold.nn.layers import Dropout, Linear
from tenfold.nn.module import Module, ModuleList
from tenfold.nn.norms import LayerNorm


def _swap(x: Array, one: int, two: int) -> Array:
    return _core.op("transpose.int", None, 1, self=x, dim0=one, dim1=two)


class MultiheadAttention(Module):
    """Attention of several heads. Keys and values may have other sizes than queries (`kdim`, `vdim`)."""

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
    ) -> None:
        if num_heads < 1 or embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} cannot be divided by num_heads {num_heads}")
        self.heads, self.size, self.batch_first, self.dropout = num_heads, embed_dim, batch_first, dropout
        kdim, vdim = kdim or embed_dim, vdim or embed_dim

        def xavier(rows: int, columns: int) -> Array:
            bound = math.sqrt(6 / (rows + columns))
            return random.uniform((rows, columns), -bound, bound, device=device)

        if kdim == vdim == embed_dim:
            self.in_proj_weight = xavier(3 * embed_dim, embed_dim)
        else:
            self.q_proj_weight = xavier(embed_dim, embed_dim)
            self.k_proj_weight, self.v_proj_weight = xavier(embed_dim, kdim), xavier(embed_dim, vdim)
        self.in_proj_bias = creation.zeros((3 * embed_dim,), device=device) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias, device)
        if bias:
            self.out_proj.bias = creation.zeros((embed_dim,), device=device)

    def _projected(self, inputs: list[Array]) -> list[Array]:
        size = self.size
        if hasattr(self, "in_proj_weight"):
            weights = [self.in_proj_weight[i * size : (i + 1) * size, :] for i in range(3)]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        biases = [None if self.in_proj_bias is None else self.in_proj_bias[i * size : (i + 1) * size] for i in range(3)]
        return [functional.linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)]

    def _split(self, x: Array) -> Array:
        return _swap(_core.reshape(x, (*x.shape[:2], self.heads, self.size // self.heads)), 1, 2)

    def forward(
        self,
        query: Array,
        key: Array,
        value: Array,
        key_padding_mask: Array | None = None,
        need_weights: bool = True,
        attn_mask: Array | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Array, Array | None]:
        """The attended values, and the weights if wanted. True in a mask: not attended, as in PyTorch."""
        single = query.ndim == 2
        inputs = [query, key, value]
        if single:
            inputs = [_core.op("unsqueeze", None, 1, self=x, dim=0) for x in inputs]
            if key_padding_mask is not None:
                key_padding_mask = _core.op("unsqueeze", None, 1, self=key_padding_mask, dim=0)
        elif not self.batch_first:
            inputs = [_swap(x, 0, 1) for x in inputs]
        if is_causal and attn_mask is None:
            raise ValueError("is_causal is a hint about attn_mask, which is needed")
        q, k, v = (self._split(x) for x in self._projected(inputs))
        weights = (q * (1 / math.sqrt(self.size // self.heads))) @ _swap(k, 2, 3)
        for mask, shape in ((attn_mask, None), (key_padding_mask, (q.shape[0], 1, 1, k.shape[2]))):
            weights = functional.masked(weights, mask, shape, self.heads)
        weights = functional.softmax(weights, -1)
        dropped = functional.dropout(weights, self.dropout, self.training, random.default())
        made = _swap(dropped @ v, 1, 2)
        made = self.out_proj(_core.reshape(made, (*made.shape[:2], self.size)))
        if single:
            made = _core.op("squeeze.dim", None, 1, self=made, dim=0)
        elif not self.batch_first:
            made = _swap(made, 0, 1)
        if not need_weights:
            return made, None
        if average_attn_weights:
            dropped = _core.op("mean.dim", None, 1, self=dropped, dim=[1], keepdim=False)
        return made, _core.op("squeeze.dim", None, 1, self=dropped, dim=0) if single else dropped


class TransformerEncoderLayer(Module):
    """Self-attention and a network of two layers, each with its residual and norm."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Array], Array] = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        device: Any = None,
    ) -> None:
        known = {"relu": functional.relu, "gelu": functional.gelu}
        if isinstance(activation, str) and activation not in known:
            raise ValueError(f"activation is 'relu', 'gelu' or a function, not {activation!r}")
        self.activation = known[activation] if isinstance(activation, str) else activation
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, device=device)
        self.linear1 = Linear(d_model, dim_feedforward, device=device)
        self.linear2 = Linear(dim_feedforward, d_model, device=device)
        self.norm1 = LayerNorm(d_model, layer_norm_eps, device)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, device)
        self.dropouts, self.norm_first = [Dropout(dropout) for _ in range(3)], norm_first

    def _attend(self, x: Array, mask: Array | None, padding: Array | None) -> Array:
        return self.dropouts[0](self.self_attn(x, x, x, padding, need_weights=False, attn_mask=mask)[0])

    def _feed(self, x: Array) -> Array:
        return self.dropouts[2](self.linear2(self.dropouts[1](self.activation(self.linear1(x)))))

    def forward(self, src: Array, src_mask: Array | None = None, src_key_padding_mask: Array | None = None) -> Array:
        """The encoded sequence."""
        x = src
        if self.norm_first:
            x = x + self._attend(self.norm1(x), src_mask, src_key_padding_mask)
            return x + self._feed(self.norm2(x))
        x = self.norm1(x + self._attend(x, src_mask, src_key_padding_mask))
        return self.norm2(x + self._feed(x))


class TransformerEncoder(Module):
    """Layers one after the other, and a norm if one is given."""

    def __init__(self, layers: list[TransformerEncoderLayer], norm: LayerNorm | None = None) -> None:
        self.layers, self.norm = ModuleList(layers), norm

    def forward(self, src: Array, mask: Array | None = None, src_key_padding_mask: Array | None = None) -> Array:
        """The encoded sequence."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)
