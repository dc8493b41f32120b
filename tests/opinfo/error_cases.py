"""Calls that eager PyTorch refuses because of what is in their tensors: 200 and more, over ops, types and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional as F

SIZE = 5
FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.int64)
NAN, INF = float("nan"), float("inf")


@dataclass
class Case:
    """`function(*tensors)` raises in eager mode."""

    name: str
    function: Callable[..., Any]
    tensors: tuple[torch.Tensor, ...]


def filled(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(count) % 7 - 3).reshape(shape).to(dtype)


def along(index: torch.Tensor, shape: tuple[int, ...], dim: int) -> torch.Tensor:
    """The index repeated over the other dimensions of `shape`."""
    view = [1] * len(shape)
    view[dim] = len(index)
    return index.reshape(view).expand([len(index) if d == dim else s for d, s in enumerate(shape)]).contiguous()


def _put(x: torch.Tensor, i: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[i] = v
    return y


def _readers() -> Iterator[Case]:
    for dtype in FLOATS:
        for shape, dim in (((SIZE,), 0), ((SIZE, 3), 0), ((3, SIZE), 1), ((2, SIZE, 3), 1)):
            for bad in (SIZE, SIZE + 2, -SIZE - 1):
                x, i = filled(*shape, dtype=dtype), torch.tensor([1, bad, 0])
                text = f"{str(dtype)[6:]}{list(shape)}[{bad}]"
                if dim == 0:
                    yield Case(f"index {text}", lambda x, i: x[i], (x, i))
                else:
                    yield Case(f"index {text}", lambda x, i: x[:, i], (x, i))
                if bad == SIZE:
                    continue
                wide = along(i, shape, dim)
                if bad > 0 or dtype == torch.float32:
                    yield Case(f"gather {text}", lambda x, i, d=dim: x.gather(d, i) + 1, (x, wide))
                    yield Case(f"index_select {text}", lambda x, i, d=dim: x.index_select(d, i) * 2, (x, i))
    for kind in (torch.int64, torch.int32):
        for bad in (SIZE, -1, 1 << 30):
            i = torch.tensor([[0, bad], [1, 2]], dtype=kind)
            yield Case(f"embedding {str(kind)[6:]} {bad}", lambda i, w: F.embedding(i, w), (i, filled(SIZE, 4)))
            for mode in ("sum", "mean", "max"):
                yield Case(
                    f"embedding_bag {mode} {str(kind)[6:]} {bad}",
                    lambda i, w, m=mode: F.embedding_bag(i, w, mode=m),
                    (i, filled(SIZE, 4)),
                )
    for bad in (3 * SIZE, -3 * SIZE - 1):
        yield Case(f"take {bad}", lambda x, i: x.take(i), (filled(SIZE, 3), torch.tensor([[0, bad]])))
    for bad in (SIZE, -1):
        yield Case(f"one_hot {bad}", lambda i: F.one_hot(i, SIZE), (torch.tensor([[0, 1], [bad, 2]]),))
    yield Case("two indices", lambda x, i, j: x[i, j], (filled(3, 4), torch.tensor([0, 1]), torch.tensor([0, 4])))
    yield Case("computed index", lambda x, i: x[i * 2 + 1], (filled(SIZE, 2), torch.tensor([0, 2])))
    yield Case("max_unpool", lambda x, i: F.max_unpool1d(x, i, 2), (filled(1, 1, 2), torch.tensor([[[0, 9]]])))


def _writers() -> Iterator[Case]:
    for dtype in (torch.float32, torch.int64):
        for shape, dim in (((SIZE,), 0), ((SIZE, 3), 0), ((2, SIZE), 1)):
            for bad in (SIZE, -SIZE - 1):
                x, i = filled(*shape, dtype=dtype), torch.tensor([1, bad])
                wide = along(i, shape, dim)
                v = filled(*wide.shape, dtype=dtype)
                text = f"{str(dtype)[6:]}{list(shape)}[{bad}]"
                yield Case(f"scatter {text}", lambda x, i, v, d=dim: x.scatter(d, i, v), (x, wide, v))
                yield Case(f"scatter_add {text}", lambda x, i, v, d=dim: x.scatter_add(d, i, v), (x, wide, v))
                yield Case(
                    f"scatter_reduce {text}", lambda x, i, v, d=dim: x.scatter_reduce(d, i, v, "amax"), (x, wide, v)
                )
                yield Case(f"index_add {text}", lambda x, i, v, d=dim: x.index_add(d, i, v), (x, i, v))
                yield Case(f"index_copy {text}", lambda x, i, v, d=dim: x.index_copy(d, i, v), (x, i, v))
                yield Case(f"index_fill {text}", lambda x, i, d=dim: x.index_fill(d, i, 1), (x, i))
                if dim == 0:
                    yield Case(f"index_put {text}", _put, (x, i, v))
    for bad in (SIZE, -1):
        i, v = torch.tensor([1, bad]), filled(2, 3)
        yield Case(f"index_reduce {bad}", lambda x, i, v: x.index_reduce(0, i, v, "amax"), (filled(SIZE, 3), i, v))
        yield Case(
            f"index_put accumulate {bad}",
            lambda x, i, v: x.index_put((i - 5 * (i < 0),), v, accumulate=True),
            (filled(SIZE, 3), i, v),
        )
    for bad in (15, -16):
        yield Case(f"put {bad}", lambda x, i, v: x.put(i, v), (filled(SIZE, 3), torch.tensor([0, bad]), filled(2)))
    yield Case("masked_scatter", lambda x, m, s: x.masked_scatter(m, s), (filled(4), torch.ones(4).bool(), filled(2)))


def _losses() -> Iterator[Case]:
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        for bad in (SIZE, -1, 1000):
            target = torch.tensor([1, bad, 0])
            x = filled(3, SIZE, dtype=dtype)
            text = f"{str(dtype)[6:]} {bad}"
            for how in ("mean", "none"):
                yield Case(
                    f"cross_entropy {how} {text}", lambda x, t, r=how: F.cross_entropy(x, t, reduction=r), (x, target)
                )
            if dtype == torch.float32:
                yield Case(f"nll_loss {text}", lambda x, t: F.nll_loss(x, t), (x, target))
                yield Case(
                    f"cross_entropy smooth {text}", lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1), (x, target)
                )
                yield Case(f"nll_loss one {text}", lambda x, t: F.nll_loss(x, t), (x[0], target[1]))
                yield Case(
                    f"nll_loss2d {text}", lambda x, t: F.nll_loss(x, t), (x[:, :, None, None], target[:, None, None])
                )
                yield Case(f"multi_margin {text}", lambda x, t: F.multi_margin_loss(x, t), (x, target))
        for bad in (1.5, -0.5, NAN):
            p, t = torch.tensor([0.5, bad], dtype=dtype), torch.tensor([1.0, 0.0], dtype=dtype)
            yield Case(f"binary_cross_entropy {dtype} {bad}", lambda p, t: F.binary_cross_entropy(p, t), (p, t))
    half = torch.tensor([0.5])
    yield Case("binary_cross_entropy target", lambda p, t: F.binary_cross_entropy(p, t), (half, torch.tensor([1.5])))


def _divisions() -> Iterator[Case]:
    ways: dict[str, Callable[..., Any]] = {
        "//": lambda a, b: a // b,
        "%": lambda a, b: a % b,
        "fmod": torch.fmod,
        "div trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
        "div floor": lambda a, b: torch.div(a, b, rounding_mode="floor"),
        "7 %": lambda a, b: 7 % b + a,
        "in place": lambda a, b: a.clone().floor_divide_(b),
    }
    for dtype in (torch.int64, torch.int32, torch.int16, torch.uint8):
        for name, way in ways.items():
            a, b = torch.tensor([[4, 5, 6]] * 2, dtype=dtype), torch.tensor([1, 0, 2], dtype=dtype)
            yield Case(f"{str(dtype)[6:]} {name} 0", way, (a, b))
    yield Case("// the number 0", lambda a: a // 0, (torch.tensor([1, 2]),))


def _matrices() -> Iterator[Case]:
    singular = torch.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 0.0, 1.0]])
    ways: dict[str, Callable[..., Any]] = {
        "inv": torch.linalg.inv,
        "inverse": torch.inverse,
        "solve": lambda a: torch.linalg.solve(a, torch.ones_like(a[..., :1])),
        "cholesky": torch.linalg.cholesky,
        "lu_factor": torch.linalg.lu_factor,
        "matrix_power": lambda a: torch.linalg.matrix_power(a, -2),
        "tensorinv": lambda a: torch.linalg.tensorinv(a, ind=1),
        "inv_ex": lambda a: torch.linalg.inv_ex(a, check_errors=True),
        "cholesky_ex": lambda a: torch.linalg.cholesky_ex(a, check_errors=True),
    }
    for dtype in (torch.float32, torch.float64):
        for name, way in ways.items():
            yield Case(f"{name} {str(dtype)[6:]}", way, (singular.to(dtype),))
            if name not in ("tensorinv",):
                pair = torch.stack([torch.eye(3), singular * 0]).to(dtype)
                yield Case(f"{name} of two {str(dtype)[6:]}", way, (pair,))


def _assert(x: torch.Tensor) -> torch.Tensor:
    torch._assert_async(x.sum() > 0, "the sum is not positive")
    return x + 1


def _draws() -> Iterator[Case]:
    yield Case("_assert_async", _assert, (torch.zeros(3),))
    for weights in ([-1.0, 2.0], [NAN, 1.0], [INF, 1.0], [0.0, 0.0]):
        for again in (False, True):
            yield Case(
                f"multinomial {weights} {again}",
                lambda p, r=again: torch.multinomial(p, 1, replacement=r),
                (torch.tensor(weights),),
            )
    yield Case("multinomial rows", lambda p: torch.multinomial(p, 1), (torch.tensor([[1.0, 0.0], [0.0, 0.0]]),))
    for bad in (2.0, -0.5, NAN):
        yield Case(f"bernoulli {bad}", lambda p: torch.bernoulli(p), (torch.tensor([0.5, bad]),))
    yield Case("normal", lambda m, s: torch.normal(m, s), (torch.zeros(2), torch.tensor([1.0, -1.0])))


def cases() -> list[Case]:
    return [*_readers(), *_writers(), *_losses(), *_divisions(), *_matrices(), *_draws()]
