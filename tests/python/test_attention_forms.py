"""Attention as PyTorch's and JAX's programs write it: every form becomes the one kernel, and gives what they give."""

import math
import os
import subprocess
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from tenfold.torch import backend as torch_backend
from torch.nn import functional as F

TENFOLD = os.environ.get("TENFOLD", "bin/tenfold")
B, H, S, D = 2, 4, 32, 16


def numbers(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def check(tmp_path: Path, program: Path, inputs, expected):
    plan = subprocess.run([TENFOLD, "show", program, "--stage", "plan"], capture_output=True, text=True, check=True)
    assert any(line.split()[0] == "attention" for line in plan.stdout.splitlines() if line.strip()), plan.stdout
    command = [TENFOLD, "run", program, "-o", tmp_path]
    for i, value in enumerate(inputs):
        np.save(tmp_path / f"in{i}.npy", value)
        command += ["-i", tmp_path / f"in{i}.npy"]
    subprocess.run(command, check=True)
    np.testing.assert_allclose(np.load(tmp_path / "0.npy"), expected, atol=3e-6, rtol=1e-4)


Q, K, V = numbers(B, H, S, D), numbers(B, H, S, D), numbers(B, H, S, D)[::-1].copy()
KG, VG = numbers(B, 2, S, D), numbers(B, 2, S, D)[::-1].copy()
K1, V1 = numbers(B, 1, S, D), numbers(B, 1, S, D)[::-1].copy()
MASK = numbers(B, 1, S, S) > -0.5
MASK[..., 0] = True
BIAS = numbers(1, H, S, S)
SLOPES = np.array([0.5, 0.25, 0.125, 0.0625], np.float32)
sdpa = F.scaled_dot_product_attention


def causal(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(D)
    seen = torch.ones(S, S, dtype=torch.bool).tril()
    return scores.masked_fill(~seen, float("-inf")).softmax(-1) @ v


def gpt2(q, k, v):
    scores = torch.matmul(q, k.transpose(-1, -2)) / torch.full([], D**0.5)
    seen = torch.ones(S, S, dtype=torch.bool).tril().view(1, 1, S, S)
    scores = torch.where(seen, scores, torch.full([], torch.finfo(scores.dtype).min))
    return F.dropout(F.softmax(scores, dim=-1).type(v.dtype), 0.1, False) @ v


def llama(q, k, v, mask):
    k, v = (x[:, :, None].expand(B, 2, 2, S, D).reshape(B, 4, S, D) for x in (k, v))
    scores = torch.matmul(q, k.transpose(2, 3)) * D**-0.5 + mask
    return torch.matmul(F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype), v).transpose(1, 2).contiguous()


def alibi(q, k, v, slopes):
    place = torch.arange(S)
    away = (place[None] - place[:, None]).float()
    return (q @ k.transpose(-1, -2) * D**-0.5 + slopes[None, :, None, None] * away).softmax(-1) @ v


def batched(q, k, v):
    q, k, v = (x.reshape(B * H, S, D) for x in (q, k, v))
    scores = torch.baddbmm(torch.zeros(B * H, S, S), q, k.transpose(1, 2), beta=0, alpha=D**-0.5)
    return torch.bmm(scores.softmax(-1), v)


def einsum(q, k, v):
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * D**-0.5
    return torch.einsum("bhqk,bhkd->bqhd", scores.softmax(-1), v)


def own_softmax(q, k, v):
    scores = q @ k.transpose(-1, -2) * D**-0.5
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    return (weights / weights.sum(-1, keepdim=True)) @ v


TORCH = {
    "plain": (sdpa, (Q, K, V)),
    "causal": (lambda q, k, v: sdpa(q, k, v, is_causal=True), (Q, K, V)),
    "truths": (lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), (Q, K, V, MASK)),
    "added": (lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), (Q, K, V, BIAS)),
    "scale": (lambda q, k, v: sdpa(q, k, v, scale=0.3), (Q, K, V)),
    "grouped": (lambda q, k, v: sdpa(q, k, v, enable_gqa=True), (Q, KG, VG)),
    "one head of keys": (lambda q, k, v: sdpa(q, k.expand(B, H, S, D), v.expand(B, H, S, D)), (Q, K1, V1)),
    "few queries": (sdpa, (Q[:, :, :7].copy(), K, V)),
    "no batch": (sdpa, (Q[0], K[0], V[0])),
    "causal by hand": (causal, (Q, K, V)),
    "gpt2": (gpt2, (Q, K, V)),
    "llama": (llama, (Q, KG, VG, BIAS[:, :1].repeat(B, 0))),
    "t5": (lambda q, k, v, b: F.softmax((q @ k.transpose(3, 2) + b).float(), -1) @ v, (Q, K, V, BIAS)),
    "alibi": (alibi, (Q, K, V, SLOPES)),
    "bmm": (batched, (Q, K, V)),
    "einsum": (einsum, (Q, K, V)),
    "own softmax": (own_softmax, (Q, K, V)),
    "scaled queries": (lambda q, k, v: ((q * D**-0.5) @ k.transpose(-1, -2)).softmax(-1) @ v, (Q, K, V)),
}


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


@pytest.mark.parametrize("name", TORCH)
def test_torch(tmp_path, name):
    function, arrays = TORCH[name]
    inputs = tuple(torch.from_numpy(x) for x in arrays)
    torch.export.save(torch.export.export(Function(function), inputs), tmp_path / "program.pt2")
    check(tmp_path, tmp_path / "program.pt2", arrays, function(*inputs).numpy())


@pytest.mark.parametrize("weights", [False, True])
def test_multi_head(tmp_path, weights):
    layer = torch.nn.MultiheadAttention(64, 4, batch_first=True).eval()
    module = Function(lambda x: layer(x, x, x, need_weights=weights)[0])
    module.layer = layer
    x = torch.from_numpy(numbers(B, S, 64))
    with torch.no_grad():
        torch.export.save(torch.export.export(module, (x,)), tmp_path / "program.pt2")
        check(tmp_path, tmp_path / "program.pt2", (x.numpy(),), module(x).numpy())


# JAX has heads after places.
JQ, JK, JV = (np.ascontiguousarray(x.swapaxes(1, 2)) for x in (Q, K, V))
JKG, JVG, JK1, JV1 = (np.ascontiguousarray(x.swapaxes(1, 2)) for x in (KG, VG, K1, V1))
dpa = jax.nn.dot_product_attention


def flax(q, k, v, mask=None):
    scores = jnp.einsum("...qhd,...khd->...hqk", q / jnp.sqrt(D).astype(q.dtype), k)
    if mask is not None:
        scores = jnp.where(mask, scores, jnp.finfo(scores.dtype).min)
    return jnp.einsum("...hqk,...khd->...qhd", jax.nn.softmax(scores), v)


def haiku(q, k, v):
    scores = jnp.einsum("bthd,bshd->bhts", q, k) * D**-0.5
    scores = jnp.where(jnp.tril(jnp.ones((S, S))), scores, -1e30)
    return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores), v)


def groups(q, k, v):
    scores = jnp.einsum("bqngd,bknd->bngqk", q.reshape(B, S, 2, 2, D), k) * D**-0.5
    return jnp.einsum("bngqk,bknd->bqngd", jax.nn.softmax(scores), v).reshape(B, S, H, D)


def capped(q, k, v):
    scores = 50 * jnp.tanh(jnp.einsum("bqhd,bkhd->bhqk", q, k) * D**-0.5 / 50)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


def by_head(q, k, v):
    return jax.vmap(jax.vmap(lambda q, k, v: jax.nn.softmax(q @ k.T * D**-0.5) @ v, 1, 1))(q, k, v)


LENGTHS = np.array([20, 30], np.int32)
JAX = {
    "plain": (dpa, (JQ, JK, JV)),
    "causal": (lambda q, k, v: dpa(q, k, v, is_causal=True), (JQ, JK, JV)),
    "bias": (lambda q, k, v, b: dpa(q, k, v, bias=b), (JQ, JK, JV, BIAS)),
    "mask": (lambda q, k, v, m: dpa(q, k, v, mask=m), (JQ, JK, JV, MASK)),
    "scale": (lambda q, k, v: dpa(q, k, v, scale=1.0), (JQ, JK, JV)),
    "grouped": (dpa, (JQ, JKG, JVG)),
    "one head of keys": (dpa, (JQ, JK1, JV1)),
    "window": (lambda q, k, v: dpa(q, k, v, local_window_size=4), (JQ, JK, JV)),
    "lengths": (lambda q, k, v: dpa(q, k, v, key_value_seq_lengths=jnp.asarray(LENGTHS)), (JQ, JK, JV)),
    "flax": (flax, (JQ, JK, JV)),
    "flax mask": (flax, (JQ, JK, JV, MASK)),
    "haiku": (haiku, (JQ, JK, JV)),
    "groups": (groups, (JQ, JKG, JVG)),
    "capped": (capped, (JQ, JK, JV)),
    "vmap": (by_head, (JQ, JK, JV)),
}


@pytest.mark.parametrize("name", JAX)
def test_jax(tmp_path, name):
    function, arrays = JAX[name]
    jitted = jax.jit(function)
    (tmp_path / "program.mlir").write_text(jitted.lower(*arrays).as_text())
    check(tmp_path, tmp_path / "program.mlir", arrays, np.asarray(jitted(*arrays)))


@pytest.mark.parametrize("keys", [1, 5, 129, 1000])
@pytest.mark.parametrize(("width", "out"), [(64, 64), (7, 5)])
def test_one_query(keys, width, out):
    """Keys and values are read where they lie."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 1, width), torch.randn(2, 3, keys, width), torch.randn(2, 3, keys, out)
    masks = [None, torch.randn(2, 1, 1, keys), torch.rand(2, 3, 1, keys) > 0.3]

    def attend(q, k, v):
        return [F.scaled_dot_product_attention(q, k, v, attn_mask=m) for m in masks]

    with torch.no_grad():
        have = torch.compile(attend, backend=torch_backend.backend)(q, k, v)
    for h, w in zip(have, attend(q, k, v), strict=True):
        torch.testing.assert_close(h, w, rtol=1e-4, atol=1e-5, equal_nan=True)
