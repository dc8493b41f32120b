"""VGG19, ResNet-50 and BERT-base in JAX on a GPU: `gpu_door.py --peers jax` starts it, one row each.

    bench/gpu_jax.py MODEL BATCH PRECISION RESULT.npy

The same weights and inputs as models.py makes, channels last, attention by jax.nn (cuDNN's kernel in bf16). Prints the
median time of a call of twenty that are enqueued before the first is waited for, in ms, and the first call's in s: what
the host does is hidden where it can be."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
import models

PRECISIONS = {"f32": "float32", "tf32": "tensorfloat32", "bf16": "bfloat16"}


class Weights(dict):
    """A module's parameters and buffers by name, images' kernels as height, width, in, out."""

    def __init__(self, model: torch.nn.Module, dtype: Any) -> None:
        super().__init__()
        for name, value in model.state_dict().items():
            if value.is_floating_point():
                data = value.float().numpy()
                self[name] = jnp.asarray(data.transpose(2, 3, 1, 0) if data.ndim == 4 else data, dtype)


def linear(w: dict, name: str, x: jax.Array) -> jax.Array:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def convolution(w: dict, name: str, layer: torch.nn.Conv2d, x: jax.Array) -> jax.Array:
    pads = [(p, p) for p in layer.padding]
    y = jax.lax.conv_general_dilated(
        x, w[f"{name}.weight"], layer.stride, pads, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return y + w[f"{name}.bias"] if layer.bias is not None else y


def pool(layer: torch.nn.MaxPool2d, x: jax.Array) -> jax.Array:
    size, step, pad = layer.kernel_size, layer.stride, layer.padding
    return jax.lax.reduce_window(
        x, -jnp.inf, jax.lax.max, (1, size, size, 1), (1, step, step, 1), ((0, 0), (pad, pad), (pad, pad), (0, 0))
    )


def layers(w: dict, prefix: str, module: torch.nn.Sequential, x: jax.Array) -> jax.Array:
    for name, layer in module.named_children():
        full = f"{prefix}.{name}"
        if isinstance(layer, torch.nn.Conv2d):
            x = convolution(w, full, layer, x)
        elif isinstance(layer, torch.nn.BatchNorm2d):
            scale = w[f"{full}.weight"] * jax.lax.rsqrt(w[f"{full}.running_var"] + layer.eps)
            x = x * scale + (w[f"{full}.bias"] - w[f"{full}.running_mean"] * scale)
        elif isinstance(layer, torch.nn.ReLU):
            x = jax.nn.relu(x)
        elif isinstance(layer, torch.nn.MaxPool2d):
            x = pool(layer, x)
        elif isinstance(layer, torch.nn.Linear):
            x = linear(w, full, x)
        elif isinstance(layer, models.Bottleneck):
            short = x
            if isinstance(layer.shortcut, torch.nn.Sequential):
                short = layers(w, f"{full}.shortcut", layer.shortcut, x)
            x = jax.nn.relu(layers(w, f"{full}.body", layer.body, x) + short)
        else:
            raise TypeError(f"{full} is a {type(layer).__name__}, which is not written in JAX here")
    return x


def vgg19(model: torch.nn.Module, w: dict, images: jax.Array) -> jax.Array:
    x = layers(w, "features", model.features, images.transpose(0, 2, 3, 1))
    return layers(w, "classifier", model.classifier, x.transpose(0, 3, 1, 2).reshape(x.shape[0], -1))


def resnet50(model: torch.nn.Module, w: dict, images: jax.Array) -> jax.Array:
    x = layers(w, "features", model.features, images.transpose(0, 2, 3, 1))
    return linear(w, "head", x.mean((1, 2)))


def norm(w: dict, name: str, x: jax.Array) -> jax.Array:
    wide = x.astype(jnp.float32)
    wide = (wide - wide.mean(-1, keepdims=True)) * jax.lax.rsqrt(wide.var(-1, keepdims=True) + 1e-5)
    return (wide * w[f"{name}.weight"] + w[f"{name}.bias"]).astype(x.dtype)


def bert(model: torch.nn.Module, w: dict, tokens: jax.Array) -> jax.Array:
    x = norm(w, "first", w["words.weight"][tokens] + w["places.weight"][: tokens.shape[1]])
    how = "cudnn" if x.dtype == jnp.bfloat16 else None
    for i in range(12):
        joint = linear(w, f"attention.{i}.joint", x).reshape(*x.shape[:2], 3, 12, -1)
        y = jax.nn.dot_product_attention(joint[:, :, 0], joint[:, :, 1], joint[:, :, 2], implementation=how)
        x = norm(w, f"norms.{2 * i}", x + linear(w, f"attention.{i}.out", y.reshape(x.shape)))
        y = jax.nn.gelu(linear(w, f"inner.{i}", x), approximate=False)
        x = norm(w, f"norms.{2 * i + 1}", x + linear(w, f"outer.{i}", y))
    return jnp.tanh(linear(w, "pooler", x[:, 0]))


def main() -> None:
    name, batch, precision, path = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    jax.config.update("jax_default_matmul_precision", PRECISIONS[precision])
    dtype = jnp.bfloat16 if precision == "bf16" else jnp.float32
    model, inputs = models.make(name, batch)
    weights = Weights(model, dtype)
    given = [jnp.asarray(x.numpy(), dtype if x.is_floating_point() else jnp.int32) for x in inputs]
    network = {"vgg19": vgg19, "resnet50": resnet50, "bert": bert}[name]
    call = jax.jit(lambda w, *xs: network(model, w, *xs))
    plain = dict(weights)
    begin = time.perf_counter()
    result = call(plain, *given).block_until_ready()
    first = time.perf_counter() - begin
    np.save(path, np.asarray(result.astype(jnp.float32)))
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        for _ in range(20):
            result = call(plain, *given)
        result.block_until_ready()
        times.append((time.perf_counter() - begin) / 20)
    print(json.dumps({"ms": sorted(times)[4] * 1e3, "first": first}))


if __name__ == "__main__":
    main()
