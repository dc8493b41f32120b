"""One op at a time: Tenfold and PyTorch eager, interleaved.

    make bench-ops                           every row
    make bench-ops ARGS="--filter conv"      some

Each row is exported by torch.export, compiled through the C API, and called alternately with PyTorch's own kernel on
the same numbers, on the same cores and with as many threads. The figure is the median; a ratio is PyTorch's time
divided by Tenfold's. Results are compared: a row that differs, or fails, fails the command. Writes out/bench/ops.json.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import capi
import cores
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "bench"
TOLERANCE = 2e-3
# Before each turn, in seconds: threads of OpenMP go on spinning for 0.2 after a call, on the cores of who comes next.
PAUSE = 0.3


class Op(nn.Module):
    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> torch.Tensor | tuple[torch.Tensor, ...]:
        return self.function(*args)


def numbers(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(*shape, dtype=dtype)
    return torch.randint(-9, 9, shape, dtype=dtype)


def kernel_gradient(x: torch.Tensor, w: torch.Tensor, g: torch.Tensor, groups: int) -> torch.Tensor:
    """Of a convolution of stride 1 whose output is as large as its input."""
    padding, ones = [w.shape[2] // 2, w.shape[3] // 2], [1, 1]
    backward = torch.ops.aten.convolution_backward
    return backward(g, x, w, None, ones, padding, ones, False, [0, 0], groups, [False, True, False])[1]


# Over 60 lines: one table, a row for each op.
def rows() -> dict[str, tuple[Callable, tuple[torch.Tensor, ...]]]:
    """Name: (function, inputs)."""
    torch.manual_seed(0)
    f64, c64 = torch.float64, torch.complex64
    image = numbers(1, 64, 56, 56)
    table: dict[str, tuple[Callable, tuple[torch.Tensor, ...]]] = {
        "dot f32 512": (torch.matmul, (numbers(512, 512), numbers(512, 512))),
        "dot f32 512 by 1": (torch.matmul, (numbers(2048, 2048), numbers(2048, 1))),
        "dot f32 32 by 64": (torch.matmul, (numbers(32, 64, 64), numbers(32, 64, 64))),
        "dot f64 512": (torch.matmul, (numbers(512, 512, dtype=f64), numbers(512, 512, dtype=f64))),
        "dot f64 row": (torch.matmul, (numbers(1, 2048, dtype=f64), numbers(2048, 2048, dtype=f64))),
        "dot f64 batch": (torch.matmul, (numbers(16, 64, 64, dtype=f64), numbers(16, 64, 64, dtype=f64))),
        "dot c64 256": (torch.matmul, (numbers(256, 256, dtype=c64), numbers(256, 256, dtype=c64))),
        "conv 3x3": (lambda x, w: F.conv2d(x, w, padding=1), (image, numbers(64, 64, 3, 3))),
        "conv 3x3 f64": (lambda x, w: F.conv2d(x, w, padding=1), (image.double(), numbers(64, 64, 3, 3, dtype=f64))),
        "conv 3x3 4 groups": (lambda x, w: F.conv2d(x, w, padding=1, groups=4), (image, numbers(64, 16, 3, 3))),
        "conv 3x3 32 groups": (
            lambda x, w: F.conv2d(x, w, padding=1, groups=32),
            (numbers(1, 128, 56, 56), numbers(128, 4, 3, 3)),
        ),
        "conv 3x3 depthwise": (lambda x, w: F.conv2d(x, w, padding=1, groups=64), (image, numbers(64, 1, 3, 3))),
        "conv 5x5 depthwise": (
            lambda x, w: F.conv2d(x, w, padding=2, groups=240),
            (numbers(1, 240, 28, 28), numbers(240, 1, 5, 5)),
        ),
        "conv 7x7 depthwise": (
            lambda x, w: F.conv2d(x, w, padding=3, groups=192),
            (numbers(1, 192, 28, 28), numbers(192, 1, 7, 7)),
        ),
        "conv 3x3 groups of 24": (
            lambda x, w: F.conv2d(x, w, padding=1, groups=5),
            (numbers(1, 120, 56, 56), numbers(120, 24, 3, 3)),
        ),
        "conv 1x1 144 to 24": (F.conv2d, (numbers(1, 144, 56, 56), numbers(24, 144, 1, 1))),
        "conv 1x1 64 to 256": (F.conv2d, (image, numbers(256, 64, 1, 1))),
        "conv 3x3 stride 2": (
            lambda x, w: F.conv2d(x, w, stride=2, padding=1),
            (numbers(1, 128, 56, 56), numbers(128, 128, 3, 3)),
        ),
        "conv 7x7 of 3": (
            lambda x, w: F.conv2d(x, w, stride=2, padding=3),
            (numbers(1, 3, 224, 224), numbers(64, 3, 7, 7)),
        ),
        "conv kernel gradient": (
            lambda x, w, g: kernel_gradient(x, w, g, 1),
            (numbers(4, 64, 56, 56), numbers(64, 64, 3, 3), numbers(4, 64, 56, 56)),
        ),
        "depthwise kernel gradient": (
            lambda x, w, g: kernel_gradient(x, w, g, 144),
            (numbers(4, 144, 56, 56), numbers(144, 1, 3, 3), numbers(4, 144, 56, 56)),
        ),
        "conv 3x3 dilated": (lambda x, w: F.conv2d(x, w, padding=2, dilation=2), (image, numbers(64, 64, 3, 3))),
        "conv 1-d 9": (lambda x, w: F.conv1d(x, w, padding=4), (numbers(4, 64, 1024), numbers(64, 64, 9))),
        "conv 3-d 3x3x3": (
            lambda x, w: F.conv3d(x, w, padding=1),
            (numbers(1, 16, 16, 28, 28), numbers(32, 16, 3, 3, 3)),
        ),
        "conv transposed": (
            lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1),
            (numbers(1, 64, 28, 28), numbers(64, 32, 4, 4)),
        ),
        "max pool 3": (lambda x: F.max_pool2d(x, 3, 2, 1), (numbers(4, 64, 56, 56),)),
        "avg pool 3": (lambda x: F.avg_pool2d(x, 3, 1, 1), (numbers(4, 64, 56, 56),)),
        "sum rows": (lambda x: x.sum(-1), (numbers(1024, 1024),)),
        "sum columns": (lambda x: x.sum(0), (numbers(1024, 1024),)),
        "sum all": (torch.sum, (numbers(1024, 1024),)),
        "argmax": (lambda x: x.argmax(-1), (numbers(1024, 1024),)),
        "softmax": (lambda x: x.softmax(-1), (numbers(1024, 1024),)),
        "layer norm": (lambda x: F.layer_norm(x, (1024,)), (numbers(1024, 1024),)),
        "gelu": (F.gelu, (numbers(1024, 1024),)),
        "sin": (torch.sin, (numbers(1024, 1024),)),
        "exp f64": (torch.exp, (numbers(512, 1024, dtype=f64),)),
        "transpose": (lambda x: x.t().contiguous(), (numbers(1024, 1024),)),
        "concatenate": (lambda x, y: torch.cat([x, y], 1), (numbers(512, 512), numbers(512, 512))),
        "cumsum rows": (lambda x: x.cumsum(-1), (numbers(512, 1024),)),
        "cumsum columns": (lambda x: x.cumsum(0), (numbers(1024, 512),)),
        "cumprod": (lambda x: x.cumprod(-1), (1 + numbers(512, 1024) / 1024,)),
        "cummax": (lambda x: x.cummax(-1)[0], (numbers(512, 1024),)),
        "logcumsumexp": (lambda x: x.logcumsumexp(-1), (numbers(256, 512),)),
        "sort rows": (lambda x: x.sort(-1)[0], (numbers(128, 1024),)),
        "sort long": (lambda x: x.sort(-1)[0], (numbers(1 << 17),)),
        "sort with indices": (lambda x: tuple(x.sort(-1)), (numbers(128, 1024),)),
        "sort i32": (lambda x: x.sort(-1)[0], (torch.randint(-9999, 9999, (128, 1024), dtype=torch.int32),)),
        "argsort": (lambda x: x.argsort(-1), (numbers(64, 1024),)),
        "topk 8": (lambda x: tuple(x.topk(8)), (numbers(64, 4096),)),
        "gather rows": (lambda x, i: x[i], (numbers(4096, 256), torch.randint(4096, (4096,)))),
        "take along": (lambda x, i: x.gather(1, i), (numbers(1024, 512), torch.randint(512, (1024, 512)))),
        "embedding": (lambda w, i: F.embedding(i, w), (numbers(10000, 256), torch.randint(10000, (2048,)))),
        "scatter add rows": (
            lambda x, i, u: x.index_add(0, i, u),
            (numbers(4096, 128), torch.randint(4096, (4096,)), numbers(4096, 128)),
        ),
        "scatter": (
            lambda x, i, u: x.scatter(1, i, u),
            (numbers(512, 512), torch.stack([torch.randperm(512) for _ in range(512)]), numbers(512, 512)),
        ),
        "scatter add": (
            lambda x, i, u: x.scatter_add(1, i, u),
            (numbers(512, 512), torch.randint(512, (512, 512)), numbers(512, 512)),
        ),
        "one hot": (lambda i: F.one_hot(i, 1000), (torch.randint(1000, (512,)),)),
        "fft 1024": (torch.fft.fft, (numbers(256, 1024, dtype=c64),)),
        "fft 1000": (torch.fft.fft, (numbers(256, 1000, dtype=c64),)),
        "rfft 4096": (torch.fft.rfft, (numbers(64, 4096),)),
        "irfft 4096": (torch.fft.irfft, (numbers(64, 2049, dtype=c64),)),
        "fft2 256": (torch.fft.fft2, (numbers(4, 256, 256, dtype=c64),)),
        "rand": (lambda x: torch.rand_like(x), (numbers(512, 1024),)),
        "randn": (lambda x: torch.randn_like(x), (numbers(512, 1024),)),
        "dropout": (lambda x: F.dropout(x, 0.1, True), (numbers(512, 1024),)),
        "cholesky": (torch.linalg.cholesky, (numbers(256, 256) @ numbers(256, 256).t() * 0 + 4 * torch.eye(256),)),
        "solve triangular": (
            lambda a, b: torch.linalg.solve_triangular(a, b, upper=False),
            (numbers(256, 256).tril() + 16 * torch.eye(256), numbers(256, 64)),
        ),
        "upsample": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (numbers(1, 32, 64, 64),)),
        "where": (lambda x, y: torch.where(x > 0, x, y), (numbers(1024, 1024), numbers(1024, 1024))),
    }
    for dtype in (torch.int8, torch.int32, torch.int64):
        name = str(dtype).removeprefix("torch.int")
        table[f"dot i{name} 256"] = (torch.matmul, (numbers(256, 256, dtype=dtype), numbers(256, 256, dtype=dtype)))
    return table


class Compiled:
    """A program through the C API, its results in arrays that stay where they are."""

    def __init__(
        self, library: ctypes.CDLL, path: Path, inputs: tuple[torch.Tensor, ...], like: list[torch.Tensor]
    ) -> None:
        self.library = library
        model, self.compiled = ctypes.c_void_p(), ctypes.c_void_p()
        capi.check(library, library.ten_program_load(str(path).encode(), ctypes.byref(model)))
        capi.check(library, library.ten_program_compile(model, None, ctypes.byref(self.compiled)))
        library.ten_program_release(model)
        self.outputs = [torch.empty_like(x).contiguous() for x in like]
        self.keep = [x.contiguous() for x in inputs]
        self.arrays = [self.buffers(library.ten_executable_input, self.keep)]
        self.arrays.append(self.buffers(library.ten_executable_output, self.outputs))

    def buffers(self, describe: Callable, tensors: list[torch.Tensor]) -> ctypes.Array:
        return capi.bind(
            lambda i: describe(self.compiled, ctypes.c_size_t(i)), [(x.data_ptr(), x.nbytes) for x in tensors]
        )

    def __call__(self) -> list[torch.Tensor]:
        inputs, outputs = self.arrays
        counts = ctypes.c_size_t(len(inputs)), ctypes.c_size_t(len(outputs))
        status = self.library.ten_executable_execute(self.compiled, inputs, counts[0], outputs, counts[1])
        capi.check(self.library, status)
        return self.outputs


def as_list(result: torch.Tensor | tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
    return [result] if isinstance(result, torch.Tensor) else list(result)


def difference(ours: list[torch.Tensor], theirs: list[torch.Tensor]) -> float:
    most = 0.0
    for x, y in zip(ours, theirs, strict=True):
        kind = torch.complex128 if y.is_complex() else torch.float64
        scale = y.to(kind).abs().max().item() or 1.0
        most = max(most, (x.to(kind) - y.to(kind)).abs().max().item() / scale)
    return most


def turn(call: Callable, seconds: float, clock: Callable[[], float]) -> float:
    """The mean time of a call, over calls that take about `seconds`."""
    time.sleep(PAUSE if clock is time.perf_counter else 0)
    count, total = 0, 0.0
    begin = clock()
    while total < seconds:
        call()
        count += 1
        total = clock() - begin
    return total / count


def measure(
    name: str, function: Callable, inputs: tuple[torch.Tensor, ...], library: ctypes.CDLL, options: argparse.Namespace
) -> dict:
    clock = time.process_time if options.cpu_time else time.perf_counter
    module = Op(function)
    theirs = as_list(function(*inputs))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "op.pt2"
        torch.export.save(torch.export.export(module, inputs), path)
        ours = Compiled(library, path, inputs, theirs)
    figures: dict[str, list[float]] = {"eager": [], "tenfold": []}
    far = difference(ours(), theirs)
    for _ in range(options.rounds):
        figures["eager"].append(turn(lambda: function(*inputs), 0.01, clock))
        figures["tenfold"].append(turn(ours, 0.01, clock))
    pick = min if options.best else statistics.median
    times = {key: pick(values) for key, values in figures.items()}
    return {"name": name, **times, "ratio": times["eager"] / times["tenfold"], "difference": far}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="rows whose name this regular expression matches")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--best", action="store_true", help="the least of the rounds, for a machine with other work to do"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument(
        "--cpu-time", action="store_true", help="seconds of the CPU on one thread, which other work hardly disturbs"
    )
    options = parser.parse_args()
    if options.cpu_time:
        options.threads = 1
    cores.pick(options.threads)
    torch.set_num_threads(options.threads)
    torch.set_grad_enabled(False)
    os.environ["TENFOLD_THREADS"] = str(options.threads)
    library = capi.library()
    results, failed = [], False
    print(f"{'op':26} {'eager, ms':>10} {'tenfold':>10} {'ratio':>7} {'differs':>9}")
    for name, (function, inputs) in rows().items():
        if not re.search(options.filter, name):
            continue
        try:
            row = measure(name, function, inputs, library, options)
        except (RuntimeError, torch._dynamo.exc.TorchDynamoException) as error:
            print(f"{name:26} {str(error).splitlines()[0][:90]}")
            failed = True
            continue
        random = name in ("rand", "randn", "dropout")
        wrong = not random and not row["difference"] <= TOLERANCE
        failed |= wrong
        print(
            f"{name:26} {row['eager'] * 1e3:10.3f} {row['tenfold'] * 1e3:10.3f} {row['ratio']:7.2f} "
            f"{'random' if random else format(row['difference'], '.1e'):>9}{'  WRONG' if wrong else ''}",
            flush=True,
        )
        results.append(row)
    if results:
        mean = np.exp(np.mean([np.log(row["ratio"]) for row in results]))
        behind = sum(row["ratio"] < 1 for row in results)
        print(f"{len(results)} rows, geometric mean {mean:.2f}, {behind} behind eager")
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "ops.json").write_text(json.dumps(results, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
