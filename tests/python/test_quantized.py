"""Archives of quantized models and of mixtures of experts: ops of libraries beside ATen, against eager PyTorch."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
tenfold = pytest.importorskip("tenfold")
pytest.importorskip("torch.ao.quantization.fx._decomposed")
q = torch.ops.quantized_decomposed
I8, U8 = torch.int8, torch.uint8
TENFOLD = os.environ.get("TENFOLD", str(Path(__file__).resolve().parents[2] / "bin" / "tenfold"))


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    tenfold.reset_stats()
    yield


def by_command(path: Path, inputs, device: str) -> list:
    """The results of `tenfold run`."""
    out = path.parent / f"out-{device}"
    words = [TENFOLD, "run", str(path), "--device", device, "-o", str(out)]
    for i, value in enumerate(inputs):
        name = path.parent / f"in{i}.npy"
        np.save(name, value.view(torch.uint16).numpy().view("V2") if value.dtype == torch.bfloat16 else value.numpy())
        words += ["--input", str(name)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return [np.load(out / f"{i}.npy") for i in range(len(list(out.glob("*.npy"))))]


def as_tensor(array) -> torch.Tensor:
    """bf16 has no name in NumPy's files, only a width."""
    return (
        torch.from_numpy(array.view("u2")).view(torch.bfloat16) if array.dtype.kind == "V" else torch.from_numpy(array)
    )


def check(function, inputs, tmp_path, doors=("cpu", "interp")) -> None:
    """The function's results from an archive, and from torch.compile, are those of eager mode, bit for bit."""

    class Model(torch.nn.Module):
        def forward(self, *args):
            return function(*args)

    want = function(*inputs)
    want = want if isinstance(want, tuple) else (want,)
    path = tmp_path / "model.pt2"
    torch.export.save(torch.export.export(Model(), inputs, strict=False), path)
    for device in doors:
        for have, w in zip(tenfold.run(path, *inputs, device=device), want, strict=True):
            torch.testing.assert_close(torch.from_dlpack(have).to(w.dtype), w, atol=0, rtol=0)
        for have, w in zip(by_command(path, inputs, device), want, strict=True):
            torch.testing.assert_close(as_tensor(have).to(w.dtype), w, atol=0, rtol=0)
    have = torch.compile(lambda *args: function(*args), backend="tenfold")(*inputs)
    for h, w in zip(have if isinstance(have, tuple) else (have,), want, strict=True):
        torch.testing.assert_close(h.to(w.dtype), w, atol=0, rtol=0)
    assert tenfold.stats()["fallbacks"] == {}


def values(*shape):
    torch.manual_seed(1)
    return torch.randn(*shape) * 3


def scales(n, dtype=torch.float32):
    return (torch.rand(n, dtype=dtype) + 0.1) / 20


PROGRAMS = {
    "per_tensor": (
        lambda x: q.dequantize_per_tensor(q.quantize_per_tensor(x, 0.037, 3, -128, 127, I8), 0.037, 3, -128, 127, I8),
        (values(4, 5),),
    ),
    "per_tensor_half": (lambda x: q.quantize_per_tensor(x, 0.037, 128, 0, 255, U8), (values(4, 5).bfloat16(),)),
    "per_tensor_out": (
        lambda x: q.dequantize_per_tensor(x, 0.037, 3, -128, 127, I8, out_dtype=torch.bfloat16),
        (torch.arange(-128, 127).to(I8),),
    ),
    "per_tensor_tensor": (
        lambda x, s, z: q.dequantize_per_tensor.tensor(
            q.quantize_per_tensor.tensor(x, s, z, -128, 127, I8), s, z, -128, 127, I8
        ),
        (values(4, 5), torch.tensor(0.03), torch.tensor(2)),
    ),
    "per_tensor_dynamic": (
        lambda x: q.quantize_per_tensor.tensor(x, *q.choose_qparams.tensor(x, -128, 127, 1e-7, I8), -128, 127, I8),
        (values(4, 5),),
    ),
    "choose_symmetric": (lambda x: q.choose_qparams_symmetric.tensor(x, -127, 127, 1e-7, I8), (values(4, 5),)),
    "per_channel": (
        lambda x, s, z: q.dequantize_per_channel(
            q.quantize_per_channel(x, s, z, 1, -128, 127, I8), s, z, 1, -128, 127, I8
        ),
        (values(4, 5, 3), scales(5, torch.float64), torch.arange(5)),
    ),
    "per_channel_f32": (
        lambda x, s, z: q.dequantize_per_channel(
            q.quantize_per_channel(x, s, z, 0, 0, 255, U8), s, None, 0, 0, 255, U8
        ),
        (values(4, 5), scales(4), torch.arange(4)),
    ),
    "per_token": (
        lambda x, s, z: q.dequantize_per_token(
            q.quantize_per_token(x, s, z, -128, 127, I8), s, z, -128, 127, I8, torch.float32
        ),
        (values(4, 6), scales((4, 1)), torch.arange(4).reshape(4, 1).to(torch.int32)),
    ),
    "choose_per_token": (lambda x: q.choose_qparams_per_token(x, I8), (values(3, 4, 6),)),
    "choose_per_token_asymmetric": (lambda x: q.choose_qparams_per_token_asymmetric(x, I8), (values(3, 4, 6),)),
    "per_channel_group": (
        lambda w, s, z: q.dequantize_per_channel_group(w, s, z, -8, 7, I8, 4, torch.float32),
        (torch.randint(-8, 8, (4, 8), dtype=I8), scales((4, 2)), torch.randint(-2, 2, (4, 2), dtype=torch.int32)),
    ),
    "int_mm": (torch._int_mm, (torch.randint(-128, 127, (20, 16), dtype=I8), torch.randint(-9, 9, (16, 8), dtype=I8))),
    "is_all_true": (
        lambda x: (torch.ops.aten._is_all_true(x > -100), torch.ops.aten._is_any_true(x > 100)),
        (values(3, 4),),
    ),
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_equals_eager(name, tmp_path):
    check(*PROGRAMS[name], tmp_path)


def test_a_quantized_linear_layer(tmp_path):
    """As a converted model has it: weights dequantized by channel, activations quantized as they are."""
    weight = torch.randint(-128, 127, (8, 16), dtype=I8)
    s, z = scales(8), torch.zeros(8, dtype=torch.int64)

    def layer(x):
        scale, zero = q.choose_qparams.tensor(x, -128, 127, 1e-7, I8)
        x = q.quantize_per_tensor.tensor(x, scale, zero, -128, 127, I8)
        x = q.dequantize_per_tensor.tensor(x, scale, zero, -128, 127, I8)
        w = q.dequantize_per_channel(weight, s, z, 0, -128, 127, I8)
        return torch.nn.functional.linear(x, w).relu()

    class Model(torch.nn.Module):
        def forward(self, x):
            return layer(x)

    x = values(4, 16)
    torch.export.save(torch.export.export(Model(), (x,), strict=False), tmp_path / "q.pt2")
    (have,) = tenfold.run(tmp_path / "q.pt2", x)
    torch.testing.assert_close(torch.from_dlpack(have), layer(x), atol=1e-5, rtol=1e-5)


# ---- mixtures of experts ----


def grouped(x: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    out = torch.zeros(x.shape[0], weight.shape[2], dtype=x.dtype)
    start = 0
    for i, end in enumerate(offs.tolist()):
        out[start:end] = x[start:end] @ weight[i]
        start = end
    return out


@pytest.fixture(scope="module")
def fallback():
    """The op as transformers registers it."""
    if not hasattr(torch.ops.transformers, "grouped_mm_fallback"):
        op = torch.library.custom_op(
            "transformers::grouped_mm_fallback",
            grouped,
            mutates_args=(),
            schema="(Tensor input, Tensor weight, Tensor offs) -> Tensor",
        )
        op.register_fake(lambda x, weight, offs: x.new_empty(x.shape[0], weight.shape[2]))
    return torch.ops.transformers.grouped_mm_fallback


@pytest.mark.parametrize(
    "rows, sizes",
    [
        (12, [3, 0, 5, 4]),
        (12, [12, 0, 0, 0]),
        (12, [0, 0, 0, 12]),
        (13, [1, 1, 1, 10]),
        (7, [1, 2, 1, 1]),  # two rows are nobody's
        (3, [0, 1, 0, 2]),
        (1, [0, 0, 1, 0]),
        (0, [0, 0, 0, 0]),
    ],
)
def test_grouped_products(fallback, rows, sizes, tmp_path):
    torch.manual_seed(0)
    x, weight = torch.randn(rows, 6), torch.randn(4, 6, 5)
    offs = torch.tensor(sizes).cumsum(0).to(torch.int32)

    class Model(torch.nn.Module):
        def forward(self, x, weight, offs):
            return fallback(x, weight, offs)

    torch.export.save(torch.export.export(Model(), (x, weight, offs), strict=False), tmp_path / "moe.pt2")
    for device in ("cpu", "interp"):
        (have,) = tenfold.run(tmp_path / "moe.pt2", x, weight, offs, device=device)
        torch.testing.assert_close(torch.from_dlpack(have), grouped(x, weight, offs), atol=1e-5, rtol=1e-5)
    (have,) = by_command(tmp_path / "moe.pt2", (x, weight, offs), "cpu")
    torch.testing.assert_close(torch.from_numpy(have), grouped(x, weight, offs), atol=1e-5, rtol=1e-5)


def test_a_mixture_of_experts(fallback, tmp_path):
    torch.manual_seed(0)

    class Experts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = torch.nn.Linear(8, 4)
            self.up = torch.nn.Parameter(torch.randn(4, 8, 12))
            self.down = torch.nn.Parameter(torch.randn(4, 12, 8))

        def forward(self, x):
            weights, chosen = self.gate(x).softmax(-1).topk(2)
            order = chosen.flatten().argsort()
            offs = torch.histc(chosen.flatten().float(), bins=4, min=0, max=3).cumsum(0).to(torch.int32)
            rows = x[order // 2]
            y = fallback(torch.nn.functional.silu(fallback(rows, self.up, offs)), self.down, offs)
            y = y * weights.flatten()[order].unsqueeze(-1)
            return torch.zeros_like(x).index_add_(0, order // 2, y)

    model, x = Experts().eval(), torch.randn(10, 8)
    with torch.no_grad():
        want = model(x)
        torch.export.save(torch.export.export(model, (x,), strict=False), tmp_path / "moe.pt2")
        (have,) = tenfold.run(tmp_path / "moe.pt2", x)
        torch.testing.assert_close(torch.from_dlpack(have), want, atol=1e-4, rtol=1e-4)
        compiled = torch.compile(model, backend="tenfold")(x)
    torch.testing.assert_close(compiled, want, atol=1e-4, rtol=1e-4)
    assert tenfold.stats()["fallbacks"] == {}
